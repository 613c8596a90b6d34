#pragma once

/**
 * The road of a surface's content to an output, chosen by pure functions from facts about buffer,
 * surface and output: where the pixels are taken from, what shows them, and why not a better road.
 */

#include <stdbool.h>
#include <stdint.h>

/** Where pixels are taken from, decided before planes are assigned. */
enum route_source {
	SOURCE_NONE, /* nothing of it shows */
	SOURCE_COLOR, /* a single colour, no pixels */
	SOURCE_CLIENT, /* the client's dma-buf itself */
	SOURCE_SHM_READ, /* the client's pool, read by the CPU as it composes */
	SOURCE_COPY, /* copies of the client's dma-buf, made by its GPU's copy engine */
	SOURCE_UPLOAD, /* a texture that damaged rectangles are uploaded to */
	SOURCE_COUNT,
};

/** What shows them. */
enum route_sink {
	SINK_NONE,
	SINK_PLANE, /* a plane scans the source out */
	SINK_CURSOR, /* a cursor plane shows a copy, made when it changed */
	SINK_COMPOSE, /* the renderer draws it into the output's buffer */
	SINK_COUNT,
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
	REASON_FOREIGN, /* it lives on another GPU than the output's */
	REASON_QUIET, /* its content changes too seldom to be worth an overlay */
	REASON_NO_PLANE, /* the planes are taken by others */
	REASON_SIZE, /* it is larger than a cursor plane can be */
	REASON_COUNT,
};

struct route_facts {
	bool visible, has_content;
	bool color; /* single pixel */
	bool dmabuf; /* else shm */
	bool foreign; /* its home is known and not the output's GPU */
	bool cpu_renderer; /* pixman */
	bool copied; /* copies of it are shown */
};

struct route_choice {
	enum route_source source;
	enum route_sink sink;
	enum route_reason reason;
};

enum route_source route_source_choose(const struct route_facts *facts);
/** `plane`: one was assigned; else `refused` says why none was. */
struct route_choice route_finish(
	const struct route_facts *facts, bool plane, enum route_reason refused);
/** "scan-out", "cursor-plane", "import", "copy", "upload", "shm", "color", "none": what causewayctl prints. */
const char *route_name(const struct route_choice *choice);
/** A phrase: "another window overlaps it". */
const char *route_reason_text(enum route_reason reason);
