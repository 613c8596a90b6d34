#pragma once

/**
 * Planes: which entries of an output's list go on a plane instead of being composed. Pure but for
 * the backend's test, and a memory of its own from frame to frame.
 *
 * An entry is over the composed picture if all that overlaps it from above is on planes, too; it is
 * under it if it is opaque, and then the composed picture has a hole where it shows; and it takes the
 * place of the composed picture if it fills the output and nothing has to be composed. Planes are
 * stacked by zpos; a backend whose driver has none gives each plane a fixed one.
 *
 * What is tried, in this order: everything at once, then (if the driver refuses) the cursor, and the
 * others from the largest to the smallest, those first that are on a plane already. An entry that was
 * refused, or lost its plane, rests for a while, longer each time.
 */

#include "backend/output.h"
#include "content/route.h"
#include "scene/output.h"
#include <pixman.h>

/** Of the top of a list; what lies deeper is composed. */
#define ASSIGN_MAX_ENTRIES 64
/** The most that the backend is asked for one frame. */
#define ASSIGN_MAX_TESTS 8

struct assign_entry {
	const void *id; /* recognises it from frame to frame; never followed */
	/** NULL: it has no pixels that a plane could show (a rect); it only covers. */
	struct buffer *buffer;
	/** What speaks against a plane (REASON_FOREIGN, ...); REASON_BEST: nothing. */
	enum route_reason barred;
	bool cursor; /* goes on a cursor plane, and on no other */
	bool busy; /* its content changes often: else it is not worth an overlay */
	struct fbox src;
	struct box dst;
	enum wl_output_transform transform;
	float alpha;
	const pixman_region32_t *visible;
	bool all_opaque; /* all that is visible of it */
	int32_t hotspot_x, hotspot_y; /* of cursors, pixels from the corner of dst */

	/** Result. */
	enum scene_place place;
	const struct plane *plane; /* NULL: composed */
	int zpos;
	enum route_reason reason; /* why composed, or REASON_BEST */
};

/** What a driver judges by, other than where a cursor is. */
struct assign_fit {
	int32_t width, height; /* of the buffer */
	uint32_t format, stride;
	uint64_t modifier;
	struct fbox src;
	struct box dst;
	enum wl_output_transform transform;
	float alpha;
};

/** A use of planes, as the driver is asked for it. */
struct assign_config {
	int n;
	struct {
		const struct plane *plane;
		int zpos;
		struct assign_fit fit;
	} planes[OUTPUT_MAX_PLANES];
};

/** From frame to frame; zeroed at first, and by assign_forget(). */
struct assign_cache {
	bool valid;
	bool complete, allowed;
	uint64_t list;
	int32_t width, height;
	struct assign_config accepted; /* what the driver agreed to last */
	int n;
	struct assign_remembered {
		const void *id;
		bool movable,
			busy; /* movable: it had a buffer, and nothing spoke against a plane */
		struct assign_fit fit;
		enum scene_place place;
		const struct plane *plane;
		int zpos;
		enum route_reason reason;
		int64_t since; /* ns: it has its place */
		int64_t backoff_until, backoff; /* ns; 0: it does not rest */
	} entries[ASSIGN_MAX_ENTRIES];
	int primary_zpos;
};

struct assign_request {
	int64_t now; /* ns */
	int32_t width, height; /* output pixels */
	const struct plane *const *planes;
	int n_planes;
	struct assign_entry *entries; /* top first */
	int n_entries; /* at most ASSIGN_MAX_ENTRIES */
	/** The entries are all that shows; false: there was more than fits. */
	bool complete;
	/** Another number if the list is not what it was, but for where cursors are and for content. */
	uint64_t list;
	/** What is composed, or a buffer like it; NULL: nothing can be. */
	struct buffer *composed;
	bool allowed; /* else no entry gets a plane, for the reason `refused` */
	enum route_reason refused;
	/** Asks the backend with the buffers that will be shown. */
	bool (*test)(void *data, const struct output_state *state);
	void *data;
	struct assign_cache *cache;
	/** Result: the frame, with `composed` on the primary plane (the first) unless an entry is there. */
	struct output_state state;
	int n_tests;
};

/** Fills in each entry's result, and the state. True if nothing has to be composed. */
bool assign_planes(struct assign_request *request);
/** The driver did not keep its word, or may judge otherwise now: what is on a plane rests. */
void assign_forget(struct assign_cache *cache, int64_t now);
