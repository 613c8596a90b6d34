/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Plane assignment: chooses the entries of an output's list that go on a plane instead of being
 * composed. Depends only on the request, the backend's test commits, and a cache kept between
 * frames.
 *
 * An entry can be above the composed buffer if all entries that overlap it from above are on
 * planes, too. It can be below the composed buffer, which gets a hole there, if it is opaque. It
 * can replace the composed buffer if it fills the output and no other entry has to be composed.
 * Planes are stacked by zpos; if the driver has no such property, the backend gives each plane a
 * fixed one.
 *
 * The order of tests: all entries at once; then, if the driver refuses, the cursor, and the other
 * entries from the largest to the smallest, those already on a plane first. An entry that was
 * refused, or that lost its plane, is composed for a while (back-off), longer each time.
 */

#include "backend/output.h"
#include "content/route.h"
#include "scene/output.h"
#include <pixman.h>

/** Number of topmost entries that are considered; deeper ones are composed. */
#define ASSIGN_ENTRIES_MAX 64
/** Maximum number of test commits per frame. */
#define ASSIGN_TESTS_MAX 8

struct assign_entry {
	const void *id; /* identifies the entry in later frames; never dereferenced */
	/** NULL: a rect, which can only cover others. */
	struct buffer *buffer;
	struct color_coding coding; /* of a YUV buffer, as its surface shows it */
	/** Reason against any plane (REASON_FOREIGN, ...); REASON_BEST: none. */
	enum route_reason barred;
	bool cursor; /* restricted to cursor planes */
	bool busy; /* its content changes often enough to be worth an overlay */
	struct fbox src;
	struct box dst;
	enum wl_output_transform transform;
	float alpha;
	const pixman_region32_t *visible;
	bool all_opaque; /* the whole visible region is opaque */
	int32_t hotspot_x, hotspot_y; /* for cursors: pixels from the top left corner of dst */

	/** Result. */
	enum scene_place place;
	const struct plane *plane; /* NULL: composed */
	int zpos;
	enum route_reason reason; /* reason for composition, or REASON_BEST */
};

/** Parameters of a plane on which a driver's answer depends. The position of cursors is ignored. */
struct assign_fit {
	int32_t width, height; /* of the buffer */
	uint32_t format, strides[DMABUF_PLANES_MAX];
	uint64_t modifier;
	struct color_coding coding;
	struct fbox src;
	struct box dst;
	enum wl_output_transform transform;
	float alpha;
};

/** A combination of planes, as tested with the driver. */
struct assign_config {
	int n;
	struct {
		const struct plane *plane;
		int zpos;
		struct assign_fit fit;
	} planes[OUTPUT_PLANES_MAX];
};

/** State kept between frames; zeroed initially. */
struct assign_cache {
	bool valid;
	bool complete, allowed;
	uint64_t list;
	int32_t width, height;
	struct assign_config accepted; /* accepted by the last successful test */
	int n;
	struct assign_remembered {
		const void *id;
		bool movable, busy; /* movable: has a buffer, and no reason against a plane */
		struct assign_fit fit;
		enum scene_place place;
		const struct plane *plane;
		int zpos;
		enum route_reason reason;
		int64_t since; /* time (ns) of the last change of place */
		int64_t backoff_until, backoff; /* ns; 0: no back-off */
		bool refused; /* it backs off because the driver refused it, as it is */
	} entries[ASSIGN_ENTRIES_MAX];
	int primary_zpos;
};

struct assign_request {
	int64_t now; /* ns */
	int32_t width, height; /* output pixels */
	const struct plane *const *planes;
	int n_planes;
	struct assign_entry *entries; /* top first */
	int n_entries; /* at most ASSIGN_ENTRIES_MAX */
	/** False: the output has further entries, below these. */
	bool complete;
	/** Generation of the list: changes with the list, except for cursor motion and content. */
	uint64_t list;
	/** The composed buffer, or one like it for tests; NULL: composition is impossible. */
	struct buffer *composed;
	bool allowed; /* otherwise all entries are composed, for the reason `refused` */
	enum route_reason refused;
	/** Tests a state, with the buffers to be presented. Returns true if it is accepted. */
	bool (*test)(void *data, const struct output_state *state);
	void *data;
	struct assign_cache *cache;
	/**
	 * Result: the planes, with `composed` on the primary plane (the first) unless an entry
	 * replaces it.
	 */
	struct output_state state;
	int n_tests;
};

/**
 * Assigns planes, and fills in the results of entries and request. Returns true if there is no
 * composed buffer.
 */
bool assign_planes(struct assign_request *request);
/**
 * Invalidates the cache after a failed commit, and makes the entries on planes back off. `now` in
 * ns.
 */
void assign_forget(struct assign_cache *cache, int64_t now);
