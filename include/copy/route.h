#pragma once

/**
 * The road of a surface's content to an output: one route and the reason, chosen by a pure function
 * from facts about buffer, surface and output.
 */

#include <stdbool.h>
#include <stdint.h>

enum route {
	ROUTE_NONE, /* nothing of it shows */
	ROUTE_SCANOUT, /* a plane shows the client's buffer */
	ROUTE_COLOR, /* a single colour, no pixels */
	ROUTE_IMPORT, /* the renderer samples the client's dma-buf */
	ROUTE_SHM_READ, /* the CPU composes straight from the client's pool */
	ROUTE_UPLOAD, /* damaged rectangles are uploaded into a texture */
	ROUTE_COUNT,
};

/** Why no better one. */
enum route_reason {
	REASON_BEST, /* there is no better road */
	REASON_HIDDEN, /* covered, unmapped or off-screen */
	REASON_NO_CONTENT,
	REASON_NOT_ALONE, /* other content shows on the plane's area */
	REASON_NOT_FULL, /* it does not cover the output */
	REASON_TRANSLUCENT,
	REASON_TRANSFORM, /* rotation or scaling that the plane lacks */
	REASON_SYSTEM_MEMORY, /* shm cannot be scanned out here */
	REASON_PLANE_FORMAT, /* the plane does not take format or modifier */
	REASON_REFUSED, /* the backend's test said no */
	REASON_CAPTURE, /* a capture needs the composed picture */
	REASON_DISABLED, /* direct scan-out is switched off */
	REASON_COUNT,
};

struct route_facts {
	bool visible, has_content;
	bool color; /* single pixel */
	bool dmabuf; /* else shm */
	bool cpu_renderer; /* pixman */
	/** What frame/assign.c found; the reason counts when no plane was given. */
	bool plane;
	enum route_reason plane_reason;
};

struct route_choice {
	enum route route;
	enum route_reason reason;
};

struct route_choice route_choose(const struct route_facts *facts);
/** "upload", "import"...: what causewayctl prints. */
const char *route_name(enum route route);
/** A phrase: "another window overlaps it". */
const char *route_reason_text(enum route_reason reason);
