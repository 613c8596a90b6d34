/* SPDX-License-Identifier: MIT */
/* Scan-out: moves entries of an output's list between planes and composition. */

#include "planes/scanout.h"
#include "assign.h"
#include "candidate.h"
#include "content/content.h"
#include "cursor_image.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/*
 * Content is busy after BUSY_STREAK changes, each within BUSY_GAP (ns) of the previous one, until
 * it is unchanged for QUIET_AFTER (ns).
 */
#define BUSY_STREAK 3
#define BUSY_GAP INT64_C(500000000)
#define QUIET_AFTER INT64_C(2000000000)

/* Rate of content changes of an entry. */
struct activity {
	const void *id;
	int64_t changed; /* ns */
	int streak;
	bool busy;
};

struct scanout {
	struct scene_output *scene_output;
	struct render_device *device;
	struct clock *clock;
	struct assign_cache cache;
	const struct plane *planes[OUTPUT_PLANES_MAX]; /* planes allowed in this frame */
	/** Entries of the last plan, topmost first; none if it composes all. */
	struct assign_entry entries[ASSIGN_ENTRIES_MAX];
	int n_entries;
	enum route_reason reason; /* of all others for being composed */
	struct assign_request request;
	struct activity activity[ASSIGN_ENTRIES_MAX];
	int n_activity;
	uint64_t generation; /* generation of the list by which `activity` is ordered */
	struct cursor_image *cursor;
	/** Number of `entries` that represent the cursor entries of the list, which come first. */
	int n_cursors;
	bool placed; /* an entry is on a plane */
	bool covered; /* an entry replaces the composed buffer */
};

struct scanout *scanout_create(
	struct scene_output *scene_output, struct render_device *device, struct clock *clock)
{
	struct scanout *scanout = xcalloc(1, sizeof(*scanout));
	scanout->scene_output = scene_output;
	scanout->device = device;
	scanout->clock = clock;
	scanout->reason = REASON_LATER;
	scanout->cursor = cursor_image_create();
	return scanout;
}

void scanout_destroy(struct scanout *scanout)
{
	if (scanout) {
		cursor_image_destroy(scanout->cursor);
		free(scanout);
	}
}

void scanout_forget(struct scanout *scanout)
{
	assign_forget(&scanout->cache, clock_now(scanout->clock));
}

bool scanout_reconsider(struct scanout *scanout)
{
	const struct scene_output *output = scanout->scene_output;
	bool overlays = false;
	for (int i = 0; i < output->n_entries; i++) {
		const struct scene_entry *entry = &output->entries[i];
		overlays |= !entry->cursor &&
			    (entry->place == PLACE_OVER || entry->place == PLACE_UNDER);
	}
	scanout->cache.valid = false;
	return overlays;
}

static struct activity find_activity(const struct activity *all, int n, const void *id)
{
	for (int i = 0; i < n; i++) {
		if (all[i].id == id) {
			return all[i];
		}
	}
	return (struct activity){.id = id};
}

/* Reorders `activity` by the list: `n` entries from `first`, the first that is not a cursor. */
static void sort_activity(
	struct scanout *scanout, const struct scene_output *output, int first, int n)
{
	if (scanout->generation == output->generation) {
		return;
	}
	struct activity before[ASSIGN_ENTRIES_MAX];
	memcpy(before, scanout->activity, sizeof(before));
	for (int i = 0; i < n; i++) {
		scanout->activity[i] =
			find_activity(before, scanout->n_activity, output->entries[first + i].node);
	}
	scanout->n_activity = n;
	scanout->generation = output->generation;
}

static bool is_busy(struct activity *activity, bool fresh, int64_t now)
{
	if (fresh) {
		bool soon = now - activity->changed <= BUSY_GAP;
		activity->streak = !soon ? 1 : activity->streak + (activity->streak < BUSY_STREAK);
		activity->changed = now;
	}
	activity->busy |= activity->streak >= BUSY_STREAK;
	if (now - activity->changed > QUIET_AFTER) {
		activity->busy = false;
		activity->streak = 0;
	}
	return activity->busy;
}

/* Fills in the buffer to scan out and its coding, or the reason why there is none. */
static void take_buffer(
	const struct scanout *scanout, const struct scene_entry *entry, struct assign_entry *taken)
{
	if (!entry->node || entry->node->type != SCENE_SURFACE || entry->alpha == 0) {
		return;
	}
	if (entry->clipped) {
		taken->barred = REASON_SHAPED;
		return;
	}
	/*
	 * A plane repeats no edge, its filter may reach further into translucent pixels, and it
	 * follows no edges.
	 */
	if (entry->padded || entry->sharp ||
		(!entry->unscaled && !entry->all_opaque &&
			pixman_region32_not_empty((pixman_region32_t *)&entry->opaque))) {
		taken->barred = REASON_TRANSFORM;
		return;
	}
	struct surface *surface = scene_surface_from_node(entry->node)->surface;
	taken->buffer = content_plane_buffer(
		surface, scanout->device, scanout->scene_output->output->gpu, &taken->barred);
	if (taken->buffer) {
		taken->coding = content_plane_coding(surface, taken->buffer);
	}
}

/*
 * Crops an entry that covers the output to its pixels: the logical size of an output is rounded up,
 * and a buffer for it may have some pixels more.
 */
static void crop(struct assign_entry *entry, const struct output_mode *mode)
{
	const struct box whole = {0, 0, mode->width, mode->height};
	struct box on;
	if (box_equal(&entry->dst, &whole) || !box_intersect(&on, &entry->dst, &whole) ||
		!box_equal(&on, &whole)) {
		return;
	}
	struct fbox src = {-entry->dst.x, -entry->dst.y, mode->width, mode->height};
	transform_fbox(&src, &src, transform_invert(entry->transform), entry->dst.width,
		entry->dst.height);
	src.x += entry->src.x;
	src.y += entry->src.y;
	entry->src = src;
	entry->dst = whole;
}

/* Fills in the geometry of an entry; buffer and activity are left out. */
static void describe(const struct scene_output *output, const struct scene_entry *entry,
	struct assign_entry *out)
{
	*out = (struct assign_entry){
		.id = entry->node,
		.src = entry->src,
		.dst = entry->dst,
		.transform = entry->transform,
		.alpha = entry->alpha,
		.visible = &entry->visible,
		.all_opaque = entry->all_opaque,
	};
	if (entry->unscaled && !entry->padded) {
		crop(out, &output->output->mode);
	}
}

/*
 * Adds the cursor entries: combined for the cursor plane, or individually if they have to be
 * composed. Returns their number.
 */
static int take_cursors(struct scanout *scanout, int n)
{
	struct scene_output *output = scanout->scene_output;
	if (n == 0) {
		return 0;
	}
	enum route_reason barred = cursor_image_take(
		scanout->cursor, output, scanout->device, n, &scanout->entries[0]);
	if (barred == REASON_BEST) {
		return 1;
	}
	n = n < ASSIGN_ENTRIES_MAX ? n : ASSIGN_ENTRIES_MAX;
	for (int i = 0; i < n; i++) {
		describe(output, &output->entries[i], &scanout->entries[i]);
		scanout->entries[i].cursor = true;
		scanout->entries[i].barred = barred;
	}
	return n;
}

/* Fills in the entries to assign. Returns their number; `complete` is false if there are more. */
static int take_entries(struct scanout *scanout, int64_t now, bool *complete)
{
	struct scene_output *output = scanout->scene_output;
	int first = scene_output_cursors(output);
	int at = take_cursors(scanout, first);
	int n = output->n_entries - first;
	*complete = n <= ASSIGN_ENTRIES_MAX - at;
	n = *complete ? n : ASSIGN_ENTRIES_MAX - at;
	scanout->n_cursors = at;
	sort_activity(scanout, output, first, n);
	for (int i = 0; i < n; i++) {
		struct scene_entry *entry = &output->entries[first + i];
		struct assign_entry *taken = &scanout->entries[at + i];
		describe(output, entry, taken);
		take_buffer(scanout, entry, taken);
		taken->busy = is_busy(&scanout->activity[i], entry->fresh, now);
		entry->fresh = false;
	}
	return at + n;
}

/* Returns the assigned entry that represents an entry of the list; NULL: it is composed. */
static const struct assign_entry *find_assigned(
	const struct scanout *scanout, int index, int n_cursors)
{
	if (index < n_cursors) {
		return &scanout->entries[index < scanout->n_cursors ? index : 0];
	}
	int at = index - n_cursors + scanout->n_cursors;
	return at < scanout->n_entries ? &scanout->entries[at] : NULL;
}

enum route_reason scanout_reason(const struct scanout *scanout, const struct scene_node *node)
{
	const struct scene_output *output = scanout->scene_output;
	int index = node->entry_index[output->index];
	if (index >= 0 && output->entries[index].cursor && scanout->n_entries > 0) {
		return scanout->entries[0].reason;
	}
	for (int i = scanout->n_cursors; i < scanout->n_entries; i++) {
		if (scanout->entries[i].id == node) {
			return scanout->entries[i].reason;
		}
	}
	return scanout->reason;
}

static bool test_state(void *data, const struct output_state *state)
{
	struct scanout *scanout = data;
	return output_test(scanout->scene_output->output, state);
}

static void damage_all(struct scanout *scanout)
{
	struct scene_output *output = scanout->scene_output;
	const struct output_mode *mode = &output->output->mode;
	pixman_region32_union_rect(&output->damage, &output->damage, 0, 0, (unsigned)mode->width,
		(unsigned)mode->height);
}

/* Moves all entries back to the composed buffer. */
static void compose_all(struct scanout *scanout, enum route_reason reason)
{
	struct scene_output *output = scanout->scene_output;
	for (int i = 0; scanout->placed && i < output->n_entries; i++) {
		scene_entry_move(output, &output->entries[i], PLACE_COMPOSED);
		scanout_candidate_drop(output, &output->entries[i]);
	}
	if (scanout->covered) {
		damage_all(scanout);
	}
	scanout->placed = scanout->covered = false;
	scanout->n_entries = 0;
	scanout->reason = reason;
	scanout->cache.valid = false;
}

static void apply(struct scanout *scanout, bool covered)
{
	struct scene_output *output = scanout->scene_output;
	if (scanout->covered && !covered) {
		damage_all(scanout);
	}
	scanout->covered = covered;
	scanout->placed = false;
	int n_cursors = scene_output_cursors(output);
	for (int i = 0; i < output->n_entries; i++) {
		struct scene_entry *entry = &output->entries[i];
		const struct assign_entry *assigned = find_assigned(scanout, i, n_cursors);
		enum scene_place place = assigned ? assigned->place : PLACE_COMPOSED;
		if (entry->place != place) {
			scene_entry_move(output, entry, place);
		}
		scanout_candidate_note(output, entry, assigned, scanout->request.now);
		scanout->placed |= place != PLACE_COMPOSED;
	}
}

static int take_planes(struct scanout *scanout, bool overlays)
{
	const struct output *output = scanout->scene_output->output;
	int n = 0;
	for (int i = 0; i < output->n_planes; i++) {
		if (output->planes[i]->type != PLANE_OVERLAY || overlays) {
			scanout->planes[n++] = output->planes[i];
		}
	}
	return n;
}

struct scanout_plan scanout_disable(struct scanout *scanout)
{
	struct output_state *state = &scanout->request.state;
	compose_all(scanout, REASON_DISABLED);
	output_state_init(state);
	output_state_add_plane(state, output_primary_plane(scanout->scene_output->output));
	return (struct scanout_plan){.state = state, .composes = true};
}

struct scanout_plan scanout_decide(struct scanout *scanout, struct buffer *composed, bool overlays)
{
	struct scene_output *output = scanout->scene_output;
	struct assign_request *request = &scanout->request;
	const struct output_mode *mode = &output->output->mode;
	bool complete;
	int64_t now = clock_now(scanout->clock);
	uint64_t n_drawn = cursor_image_n_drawn(scanout->cursor);
	scanout->n_entries = take_entries(scanout, now, &complete);
	scanout->reason = complete ? REASON_LATER : REASON_TOO_MANY;
	*request = (struct assign_request){
		.now = now,
		.width = mode->width,
		.height = mode->height,
		.planes = scanout->planes,
		.n_planes = take_planes(scanout, overlays),
		.entries = scanout->entries,
		.n_entries = scanout->n_entries,
		.complete = complete,
		.list = output->generation,
		.composed = composed,
		.allowed = true,
		.test = test_state,
		.data = scanout,
		.cache = &scanout->cache,
	};
	bool covered = assign_planes(request);
	apply(scanout, covered);
	if (request->state.n_planes == 0) {
		output_state_add_plane(&request->state, output_primary_plane(output->output));
	}
	return (struct scanout_plan){
		.state = &request->state,
		.composes = !covered,
		.n_tests = request->n_tests,
		.cursor_drawn = cursor_image_n_drawn(scanout->cursor) != n_drawn,
	};
}
