/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Routes from a surface's buffer to an output: the source of the pixels, and the sink that displays
 * them.
 *
 * Pure functions of facts about buffer, surface and output. route_choose() decides the source by
 * rules; planes/scanout.h decides the sink, which is only explained here. route_weigh() gives each
 * route a cost, or a reason why it is impossible; the costs decide between upload and udmabuf
 * (source_udmabuf.c) and limit the damage that the CPU composes (route_cpu_pixels()), and explain
 * the choice in causewayctl.
 */

#include "copy/cost.h"
#include <stdbool.h>
#include <stdint.h>

/** Source of the pixels, chosen before planes are assigned. */
enum route_source {
	SOURCE_NONE, /* no content, or it cannot be displayed */
	SOURCE_COLOR, /* a single colour, no pixels */
	SOURCE_IMPORT, /* the client's dma-buf itself */
	SOURCE_UDMABUF, /* the client's pool, read in place by the GPU */
	SOURCE_CPU_READ, /* the client's pool, read by the CPU while composing */
	SOURCE_COPY, /* copies of the client's dma-buf, made by a copy engine of its GPU */
	SOURCE_UPLOAD, /* a texture to which damaged rectangles are uploaded */
	SOURCE_COUNT,
};

/** Destination of the pixels. */
enum route_sink {
	SINK_NONE,
	SINK_PLANE, /* a plane scans the source out */
	SINK_CURSOR, /* a cursor plane shows a copy, redrawn when it changes */
	SINK_COMPOSE, /* the renderer draws it into the output's buffer */
};

/** Reason why a route is impossible, or why no better one was chosen. */
enum route_reason {
	REASON_BEST, /* no better route exists; of a route: it is possible */
	REASON_HIDDEN, /* covered, unmapped or off-screen */
	REASON_CLEAR, /* fully transparent */
	REASON_NO_CONTENT,
	REASON_NOT_ALONE, /* other content is visible within the plane's area */
	REASON_NOT_FULL, /* does not cover the output */
	REASON_TRANSLUCENT,
	REASON_SHAPED, /* an X window with a shape */
	REASON_TRANSFORM, /* rotation or scaling that the plane does not support */
	REASON_SYSTEM_MEMORY, /* shm cannot be scanned out */
	REASON_PLANE_FORMAT, /* the plane does not support format or modifier */
	REASON_REFUSED, /* a test commit failed */
	REASON_DISABLED, /* direct scan-out is disabled */
	REASON_FOREIGN, /* belongs to another GPU than the output */
	REASON_QUIET, /* content changes too seldom to deserve an overlay */
	REASON_NO_PLANE, /* the planes are in use */
	REASON_TOO_MANY, /* more content is above it than planes are tried for */
	REASON_LATER, /* its plane was lost or refused a moment ago, or no frame was drawn yet */
	REASON_NO_CURSOR, /* the output has no cursor plane, or no memory for its image */
	REASON_SIZE, /* exceeds the size of a cursor plane */
	REASON_NO_IMPORT, /* the composing GPU cannot import it */
	REASON_UNREADABLE, /* the CPU draws it, and cannot map it or convert its format */
	REASON_NO_ENGINE, /* no copy engine supports it, or no memory for the copies: .uncopied */
	REASON_TARGET, /* the CPU cannot draw into the GPU's target buffer */
	REASON_STEADY, /* another route is only slightly cheaper, or has not been for long */
	REASON_ONLY_BUFFER, /* the client waits for it, which a plane would keep */
	REASON_COUNT,
};

/** Speed of the engines that move bytes from a client's buffer to an output's. */
struct route_rates {
	struct cost_line read; /* CPU composition: per byte written */
	struct cost_line upload; /* upload by the CPU to textures */
	struct cost_line draw; /* GPU composition: per byte read or written in local memory */
	struct cost_line bus; /* GPU composition: per byte read across the bus */
	struct cost_line copy; /* copy engine of another GPU, to memory that this one reads */
	/** ns; price of waking a sleeping GPU: larger than the time it takes, to save power. */
	int64_t wake;
	/** ns of CPU time for the smallest possible pass on an otherwise idle GPU. */
	int64_t pass;
};

struct route_facts {
	bool visible, has_content;
	bool color; /* single-pixel buffer */
	bool clear; /* entirely transparent */
	bool dmabuf; /* else shm */
	bool linear; /* rows are consecutive, and the renderer may read them on any GPU */
	bool foreign; /* belongs to a known GPU other than the output's */
	bool imports; /* the renderer can import the dma-buf, or the pool, as a texture */
	bool copies; /* a copy engine of its GPU supports it */
	bool failed; /* the renderer has failed to import the buffer */
	/** its shm pool is read in place; source_udmabuf.c decides by the update rate */
	bool udmabuf;
	bool cpu_renderer; /* pixman */
	bool discrete; /* the composing GPU has memory of its own */
	/**
	 * the CPU also writes the target buffers (CPU composition), so small changes need not wake
	 * the GPU
	 */
	bool shared;
	bool asleep; /* the composing GPU is suspended */
	bool cursor; /* the sink would be a cursor plane */
	enum route_reason barred; /* reason why no plane shows it; REASON_BEST: one does */
	unsigned pixel; /* bytes per pixel */
	uint64_t changed; /* visible buffer pixels changed per frame */
	uint64_t drawn; /* output pixels composed for them, in all buffers of the swapchain */
	int n_rectangles; /* number of damaged rectangles, at least 1 */
};

/** Cost of a route for one frame. */
struct route_cost {
	int64_t time; /* ns; sum over all engines, CPU included */
	uint64_t read, written; /* bytes */
	uint64_t crossed; /* bytes over a bus */
};

/** A route and its cost. `refused`: reason why it is impossible, or REASON_BEST. */
struct route_option {
	enum route_source source;
	enum route_sink sink;
	enum route_reason refused;
	struct route_cost cost;
};

#define ROUTE_OPTIONS_MAX 4

/** All routes for a buffer: possible ones first, cheapest first. */
struct route_options {
	int n; /* 0: invisible */
	struct route_option options[ROUTE_OPTIONS_MAX];
};

struct route_choice {
	enum route_source source;
	enum route_sink sink;
	enum route_reason reason;
	struct route_cost cost;
	const char *engine; /* engine that made the last copy, or NULL */
	const char *uncopied; /* phrase: why no engine copies the buffer; NULL: unknown */
	/**
	 * Number of routes not taken, and the best of these, which may be impossible (`refused`).
	 */
	int n_others;
	struct route_option other;
};

/**
 * Sets measured defaults (tests/bench/RESULTS.md), for a GPU with memory of its own (`discrete`) or
 * without.
 */
void route_rates_default(struct route_rates *rates, bool discrete);
void route_weigh(const struct route_facts *facts, const struct route_rates *rates,
	struct route_options *out);
/**
 * Returns the source that a surface's pixels are composed from: content_prepare() follows this
 * decision and causewayctl prints it. SOURCE_NONE: the buffer cannot be displayed.
 */
enum route_source route_choose(const struct route_facts *facts);
/** Returns the source of the cheapest composed route, or SOURCE_NONE if none is possible. */
enum route_source route_cheapest(const struct route_options *options);
/**
 * Returns whether composition should switch from source `before` to `source`: if that takes less
 * than three quarters of the time (hysteresis), or if `before` is no longer possible.
 */
bool route_is_better(
	const struct route_options *options, enum route_source source, enum route_source before);

/** Describes the route taken: from `source`, to a plane if facts->barred is REASON_BEST. */
struct route_choice route_finish(const struct route_facts *facts,
	const struct route_options *options, enum route_source source);
/**
 * Returns the name that causewayctl prints: "scan-out", "cursor-plane", "import", "zero-copy",
 * "copy", "upload", "shm", "color" or "none".
 */
const char *route_name(enum route_source source, enum route_sink sink);
/** Returns a phrase, such as "it is translucent". */
const char *route_reason_text(enum route_reason reason);
/** Returns a phrase for a reason that belongs to the choice, as exactly as it is known. */
const char *route_choice_text(const struct route_choice *choice, enum route_reason reason);
