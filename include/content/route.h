#pragma once

/**
 * The road of a surface's content to an output: where its pixels are taken from and what shows them.
 * Pure functions, of facts about buffer, surface and output, weigh all roads: each has a cost, or a reason
 * why it cannot be taken. The cheapest is the one to take; what is on another one stays there until the
 * cheaper one has been so for a while.
 */

#include "copy/cost.h"
#include <stdbool.h>
#include <stdint.h>

/** Where pixels are taken from, decided before planes are assigned. */
enum route_source {
	SOURCE_NONE, /* nothing of it shows */
	SOURCE_COLOR, /* a single colour, no pixels */
	SOURCE_CLIENT, /* the client's dma-buf itself */
	SOURCE_UDMABUF, /* the client's pool, read by the GPU where it lies */
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

/** Why no better one, or why a road cannot be taken. */
enum route_reason {
	REASON_BEST, /* there is no better road; of a road: nothing speaks against it */
	REASON_HIDDEN, /* covered, unmapped or off-screen */
	REASON_CLEAR, /* all of it is transparent */
	REASON_NO_CONTENT,
	REASON_NOT_ALONE, /* other content shows on the plane's area */
	REASON_NOT_FULL, /* it does not cover the output */
	REASON_TRANSLUCENT,
	REASON_TRANSFORM, /* rotation or scaling that the plane lacks */
	REASON_SYSTEM_MEMORY, /* shm cannot be scanned out here */
	REASON_PLANE_FORMAT, /* the plane does not take format or modifier */
	REASON_REFUSED, /* the backend's test said no */
	REASON_DISABLED, /* direct scan-out is switched off */
	REASON_FOREIGN, /* it lives on another GPU than the output's */
	REASON_QUIET, /* its content changes too seldom to be worth an overlay */
	REASON_NO_PLANE, /* the planes are taken by others */
	REASON_SIZE, /* it is larger than a cursor plane can be */
	REASON_NO_IMPORT, /* the GPU that composes does not import it */
	REASON_NO_ENGINE, /* no engine copies it */
	REASON_TARGET, /* the CPU cannot draw into what the GPU composes */
	REASON_STEADY, /* another one is cheaper only by little, or was not so for long */
	REASON_COUNT,
};

/** What moves bytes between a client's buffer and an output's, and how fast. */
struct route_rates {
	struct cost_line read; /* the CPU composes: per byte that it writes */
	struct cost_line upload; /* the CPU writes into what the GPU samples */
	struct cost_line draw; /* the GPU composes: per byte that it reads or writes at home */
	struct cost_line bus; /* the GPU reads memory that is not its own as it composes */
	struct cost_line copy; /* the engine of another GPU, into memory that this one reads */
	/** ns; what is paid for to let a GPU that sleeps go on sleeping: a price, not a time. */
	int64_t wake;
	/** ns of the CPU's time that it takes to have a GPU do the least work, which has nothing else to do. */
	int64_t rest;
};

struct route_facts {
	bool visible, has_content;
	bool color; /* single pixel */
	bool clear; /* all of it is transparent */
	bool dmabuf; /* else shm */
	bool linear; /* its rows lie in memory one after the other */
	bool foreign; /* its home is known and not the output's GPU */
	bool imports; /* the renderer takes the dma-buf, or the pool, as a texture */
	bool copies; /* an engine of its home copies it */
	bool udmabuf; /* its shm pool is read in place: decided by its history, in source_udmabuf.c */
	bool cpu_renderer; /* pixman */
	bool discrete; /* the GPU that composes has memory of its own */
	bool shared; /* the CPU writes what is composed, too, as little changes: that GPU can rest */
	bool asleep; /* the GPU that composes */
	bool cursor; /* its plane is a cursor plane */
	enum route_reason barred; /* why no plane shows it; REASON_BEST: one does */
	unsigned pixel; /* bytes of one */
	uint64_t changed; /* pixels of the buffer that a frame brings, as far as they are seen */
	uint64_t drawn; /* pixels of the output that are composed for that, in all its buffers */
	int n_rectangles; /* that it changed in; at least 1 */
};

/** What a road takes for a frame. */
struct route_cost {
	int64_t time; /* ns of whoever works for it, one after the other */
	uint64_t read, written; /* bytes */
	uint64_t crossed; /* bytes over a bus */
};

/** A road, and what it would take; `refused`: why it cannot be taken, or REASON_BEST. */
struct route_option {
	enum route_source source;
	enum route_sink sink;
	enum route_reason refused;
	struct route_cost cost;
};

#define ROUTE_OPTIONS_MAX 4

/** All roads that lead from such a buffer to the output: the cheapest first, those refused last. */
struct route_options {
	int n; /* 0: nothing of it shows */
	struct route_option options[ROUTE_OPTIONS_MAX];
};

struct route_choice {
	enum route_source source;
	enum route_sink sink;
	enum route_reason reason;
	struct route_cost cost;
	const char *engine; /* made the last copy; NULL: none */
	/** What would come next; n_others 0: there is no other. If `refused`, it cannot be taken. */
	int n_others;
	struct route_option other;
};

/** What was measured once (tests/bench/RESULTS.md), for a GPU with memory of its own or without. */
void route_rates_default(struct route_rates *rates, bool discrete);
void route_weigh(const struct route_facts *facts, const struct route_rates *rates,
	struct route_options *out);
/**
 * Returns the source that a surface's pixels are composed from: the one decision, which content_prepare() follows
 * and causewayctl prints. SOURCE_NONE: no source can show the buffer.
 */
enum route_source route_choose(const struct route_facts *facts);
/** Of the roads that are composed, the source of the cheapest; SOURCE_NONE if none can be taken. */
enum route_source route_cheapest(const struct route_options *options);
/**
 * Whether pixels that come from `before` to be composed should come from `source` instead: if that takes less than
 * three quarters of the time, so that nothing flaps, or `before` cannot be taken any more.
 */
bool route_is_better(
	const struct route_options *options, enum route_source source, enum route_source before);

/** The road that was taken: from `source`, by a plane if facts->barred is REASON_BEST. */
struct route_choice route_finish(const struct route_facts *facts,
	const struct route_options *options, enum route_source source);
/**
 * "scan-out", "cursor-plane", "import", "zero-copy", "copy", "upload", "shm", "color", "none": what
 * causewayctl prints.
 */
const char *route_name(enum route_source source, enum route_sink sink);
/** A phrase: "another window overlaps it". */
const char *route_reason_text(enum route_reason reason);
