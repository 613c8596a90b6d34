/* Scan-out: what of an output's list is shown on planes, straight from its clients' buffers. */

#include "buffer/shm.h"
#include "frame/assign.h"
#include "frame/candidate.h"
#include "frame/content.h"
#include "frame/cursor.h"
#include "frame/internal.h"
#include "frame/staged.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* So many changes, each so soon after the one before, make content busy; so long without, quiet. */
#define BUSY_STREAK 3
#define BUSY_GAP INT64_C(500000000)
#define QUIET_AFTER INT64_C(2000000000)

/* How often an entry's content changes. */
struct activity {
	const void *id;
	int64_t changed; /* ns */
	int streak;
	bool busy;
};

struct frame_scanout {
	struct assign_memory memory;
	const struct plane *planes[OUTPUT_MAX_PLANES]; /* that may be used */
	struct assign_entry entries[ASSIGN_MAX_ENTRIES];
	struct assign_request request;
	struct activity activity[ASSIGN_MAX_ENTRIES];
	int n_activity;
	uint64_t generation; /* of the list that `activity` is in the order of, cursors aside */
	struct frame_cursor *cursor;
	/** Of the list's first entries, which are cursors, so many are the first of `entries`. */
	int n_cursors;
	bool placed; /* something is on a plane */
	bool covered; /* the primary plane shows an entry: nothing is composed */
};

void frame_scanout_init(struct frame_output *frame)
{
	frame->scanout = xcalloc(1, sizeof(*frame->scanout));
	frame->scanout->cursor = frame_cursor_create();
}

void frame_scanout_finish(struct frame_output *frame)
{
	frame_cursor_destroy(frame->scanout->cursor);
	free(frame->scanout);
	frame->scanout = NULL;
}

void frame_scanout_forget(struct frame_output *frame)
{
	assign_forget(&frame->scanout->memory, clock_now(frame->clock));
}

bool frame_scanout_reconsider(struct frame_output *frame)
{
	const struct scene_output *output = frame->scene_output;
	bool overlays = false;
	for (int i = 0; i < output->n_entries; i++) {
		const struct scene_entry *entry = &output->entries[i];
		overlays |= !entry->cursor &&
			    (entry->place == PLACE_OVER || entry->place == PLACE_UNDER);
	}
	frame->scanout->memory.valid = false;
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

/* Into the order of the list, of which `n` are looked at from the first that is no cursor. */
static void sort_activity(
	struct frame_scanout *scanout, const struct scene_output *output, int first, int n)
{
	if (scanout->generation == output->generation) {
		return;
	}
	struct activity before[ASSIGN_MAX_ENTRIES];
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
		activity->streak = soon ? activity->streak + 1 : 1;
		activity->changed = now;
	}
	activity->busy = activity->busy ? now - activity->changed <= QUIET_AFTER
					: activity->streak >= BUSY_STREAK;
	return activity->busy;
}

/* The buffer that a plane could show, or NULL and why there is none. */
static struct buffer *find_buffer(const struct frame_output *frame, const struct scene_entry *entry,
	enum route_reason *barred)
{
	float color[4];
	*barred = REASON_BEST;
	if (!entry->node || entry->node->type != SCENE_SURFACE || entry->alpha == 0) {
		return NULL;
	}
	struct surface *surface = scene_surface_from_node(entry->node)->surface;
	struct buffer *buffer = surface->current.buffer;
	if (buffer && buffer_color(buffer, color)) {
		return NULL;
	}
	if (buffer && buffer_is_shm(buffer)) {
		struct content *content = content_find(surface, frame->device);
		buffer = content ? content_pool(content) : NULL;
	}
	bool foreign = buffer && buffer->home && buffer->home != frame->output->gpu;
	if (foreign || !buffer) {
		/* Handing it over, be it to ask, would make the kernel move it: a copy of it may do. */
		struct content *content = content_find(surface, frame->device);
		struct staged *staged = content ? content_staged(content) : NULL;
		buffer = staged ? staged_whole(staged) : NULL;
	}
	if (!buffer || !buffer_dmabuf(buffer)) {
		*barred = foreign ? REASON_FOREIGN : REASON_SYSTEM_MEMORY;
		return NULL;
	}
	return buffer;
}

/* As far as the driver has to know; what it is not to have is not filled in. */
static void describe(const struct scene_entry *entry, struct assign_entry *out)
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
}

/* Cursors go on a plane together, or are composed each by itself. Gives how many entries they make. */
static int take_cursors(struct frame_output *frame, int n)
{
	struct frame_scanout *scanout = frame->scanout;
	struct scene_output *output = frame->scene_output;
	if (n == 0) {
		return 0;
	}
	enum route_reason barred =
		frame_cursor_take(frame, scanout->cursor, n, &scanout->entries[0]);
	if (barred == REASON_BEST) {
		return 1;
	}
	n = n < ASSIGN_MAX_ENTRIES ? n : ASSIGN_MAX_ENTRIES;
	for (int i = 0; i < n; i++) {
		describe(&output->entries[i], &scanout->entries[i]);
		scanout->entries[i].cursor = true;
		scanout->entries[i].barred = barred;
	}
	return n;
}

/* Fills in what there is to assign; gives how many, and whether that is all. */
static int take_entries(struct frame_output *frame, int64_t now, bool *complete)
{
	struct frame_scanout *scanout = frame->scanout;
	struct scene_output *output = frame->scene_output;
	int first = scene_output_cursors(output);
	int at = take_cursors(frame, first);
	int n = output->n_entries - first;
	*complete = n <= ASSIGN_MAX_ENTRIES - at;
	n = *complete ? n : ASSIGN_MAX_ENTRIES - at;
	scanout->n_cursors = at;
	sort_activity(scanout, output, first, n);
	for (int i = 0; i < n; i++) {
		struct scene_entry *entry = &output->entries[first + i];
		struct assign_entry *taken = &scanout->entries[at + i];
		describe(entry, taken);
		taken->buffer = find_buffer(frame, entry, &taken->barred);
		taken->busy = is_busy(&scanout->activity[i], entry->fresh, now);
		entry->fresh = false;
	}
	return at + n;
}

/* Which of what was assigned stands for an entry of the list; NULL: none, it is composed. */
static const struct assign_entry *find_assigned(
	const struct frame_scanout *scanout, int index, int n_cursors, int n)
{
	if (index < n_cursors) {
		return &scanout->entries[index < scanout->n_cursors ? index : 0];
	}
	int at = index - n_cursors + scanout->n_cursors;
	return at < n ? &scanout->entries[at] : NULL;
}

static bool test_state(void *data, const struct output_state *state)
{
	struct frame_output *frame = data;
	return output_test(frame->output, state);
}

/* What the composed picture lacks when an entry comes to another place, or has too much. */
static void move(struct scene_output *output, struct scene_entry *entry, enum scene_place place)
{
	if (entry->place == place) {
		return;
	}
	pixman_region32_t changed;
	pixman_region32_init(&changed);
	pixman_region32_copy(&changed, &entry->visible);
	if (entry->place == PLACE_COMPOSED && place != PLACE_UNDER) {
		/* Under what is opaque, the picture may be what it likes. */
		pixman_region32_subtract(&changed, &changed, &entry->opaque);
	}
	pixman_region32_union(&output->damage, &output->damage, &changed);
	pixman_region32_fini(&changed);
	entry->place = place;
}

static void damage_all(struct frame_output *frame)
{
	const struct output_mode *mode = &frame->output->mode;
	pixman_region32_union_rect(&frame->scene_output->damage, &frame->scene_output->damage, 0, 0,
		(unsigned)mode->width, (unsigned)mode->height);
}

/* Everything is composed. */
static void compose_all(struct frame_output *frame, enum route_reason reason)
{
	struct scene_output *output = frame->scene_output;
	struct frame_scanout *scanout = frame->scanout;
	for (int i = 0; scanout->placed && i < output->n_entries; i++) {
		move(output, &output->entries[i], PLACE_COMPOSED);
		output->entries[i].reason = (int)reason;
		frame_candidate_drop(frame, &output->entries[i]);
	}
	if (scanout->covered) {
		damage_all(frame);
	}
	scanout->placed = scanout->covered = false;
	scanout->memory.valid = false;
}

static void apply(struct frame_output *frame, int n, bool covered)
{
	struct scene_output *output = frame->scene_output;
	struct frame_scanout *scanout = frame->scanout;
	if (scanout->covered && !covered) {
		damage_all(frame);
	}
	scanout->covered = covered;
	scanout->placed = false;
	int n_cursors = scene_output_cursors(output);
	for (int i = 0; i < output->n_entries; i++) {
		struct scene_entry *entry = &output->entries[i];
		const struct assign_entry *assigned = find_assigned(scanout, i, n_cursors, n);
		enum scene_place place = assigned ? assigned->place : PLACE_COMPOSED;
		move(output, entry, place);
		entry->reason = assigned ? (int)assigned->reason : REASON_NO_PLANE;
		frame_candidate_note(frame, entry, assigned, scanout->request.now);
		scanout->placed |= place != PLACE_COMPOSED;
	}
}

static int take_planes(struct frame_output *frame)
{
	const struct output *output = frame->output;
	int n = 0;
	for (int i = 0; i < output->n_planes; i++) {
		if (output->planes[i]->type != PLANE_OVERLAY ||
			frame->economy < FRAME_ECONOMY_OVERLAYS) {
			frame->scanout->planes[n++] = output->planes[i];
		}
	}
	return n;
}

struct frame_plan frame_scanout_plan(struct frame_output *frame)
{
	struct scene_output *output = frame->scene_output;
	struct frame_scanout *scanout = frame->scanout;
	struct assign_request *request = &scanout->request;
	if (!frame->scanout_enabled) {
		compose_all(frame, REASON_DISABLED);
		output_state_init(&request->state);
		output_state_add_plane(&request->state, output_primary_plane(frame->output));
		return (struct frame_plan){&request->state, true};
	}
	bool complete;
	int64_t now = clock_now(frame->clock);
	int n = take_entries(frame, now, &complete);
	*request = (struct assign_request){
		.now = now,
		.width = frame->output->mode.width,
		.height = frame->output->mode.height,
		.planes = scanout->planes,
		.n_planes = take_planes(frame),
		.entries = scanout->entries,
		.n_entries = n,
		.complete = complete,
		.list = output->generation,
		.composed = frame_target_sample(frame),
		.allowed = true,
		.test = test_state,
		.data = frame,
		.memory = &scanout->memory,
	};
	bool covered = assign_planes(request);
	frame->stats.tests += (uint64_t)request->n_tests;
	apply(frame, n, covered);
	if (request->state.n_planes == 0) {
		output_state_add_plane(&request->state, output_primary_plane(frame->output));
	}
	return (struct frame_plan){&request->state, !covered};
}

static const struct scene_entry *find_entry(
	const struct scene_output *output, const struct surface *surface)
{
	const struct scene_surface *content = scene_surface_find(surface);
	int index = content ? content->node.entry_index[output->index] : -1;
	return index >= 0 ? &output->entries[index] : NULL;
}

bool frame_scans_out(const struct frame_output *frame, const struct surface *surface)
{
	const struct scene_entry *entry = find_entry(frame->scene_output, surface);
	return entry && entry->place != PLACE_COMPOSED && !entry->cursor;
}
