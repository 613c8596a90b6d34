/* SPDX-License-Identifier: MIT */
/* Plane assignment: chooses the entries to scan out, by test commits. */

#include "assign_search.h"
#include <assert.h>
#include <limits.h>
#include <string.h>

static const struct plane *find_primary(const struct assign_request *request)
{
	for (int i = 0; i < request->n_planes; i++) {
		if (request->planes[i]->type == PLANE_PRIMARY) {
			return request->planes[i];
		}
	}
	return NULL;
}

static bool is_taken(const struct assign_search *search, const struct plane *plane)
{
	for (int i = 0; i < search->request->n_entries; i++) {
		if (search->plane[i] == plane) {
			return true;
		}
	}
	return false;
}

/* Returns the lowest zpos above `below` that the plane supports. */
static int lowest_zpos(const struct plane *plane, int below)
{
	return below < plane->zpos_min ? plane->zpos_min : below + 1;
}

/* Assigns the plane with the lowest possible zpos above `below`, and sets `below` to that zpos. */
static bool take_lowest(struct assign_search *search, int index, int *below)
{
	const struct assign_request *request = search->request;
	const struct assign_entry *entry = &request->entries[index];
	enum plane_type type = entry->cursor ? PLANE_CURSOR : PLANE_OVERLAY;
	const struct plane *best = NULL;
	for (int i = 0; i < request->n_planes; i++) {
		const struct plane *plane = request->planes[i];
		int zpos = lowest_zpos(plane, *below);
		if (plane->type != type || zpos > plane->zpos_max || is_taken(search, plane) ||
			!assign_takes_format(plane, entry)) {
			continue;
		}
		if (!best || zpos < lowest_zpos(best, *below) ||
			(zpos == lowest_zpos(best, *below) && plane->zpos_max < best->zpos_max)) {
			best = plane;
		}
	}
	if (!best) {
		return false;
	}
	search->plane[index] = best;
	search->zpos[index] = *below = lowest_zpos(best, *below);
	return true;
}

/* Assigns planes to the entries with this place, bottom to top. */
static bool take_all(struct assign_search *search, enum scene_place place, int *below)
{
	for (int i = search->request->n_entries - 1; i >= 0; i--) {
		if (search->want[i] == place && !take_lowest(search, i, below)) {
			return false;
		}
	}
	return true;
}

/* Assigns a plane to each entry of the proposal, in stacking order. */
static bool allot(struct assign_search *search)
{
	const struct assign_request *request = search->request;
	int below = INT_MIN;
	memset(search->plane, 0, sizeof(search->plane));
	if (!take_all(search, PLACE_UNDER, &below)) {
		return false;
	}
	search->primary_zpos = below = lowest_zpos(search->primary, below);
	if (below > search->primary->zpos_max) {
		return false;
	}
	for (int i = 0; i < request->n_entries; i++) {
		if (search->want[i] == PLACE_PRIMARY) {
			search->plane[i] = search->primary;
			search->zpos[i] = below;
			if (!assign_takes_format(search->primary, &request->entries[i])) {
				return false;
			}
		}
	}
	return take_all(search, PLACE_OVER, &below);
}

/*
 * Moves an entry, and all entries that overlap it from above, to overlays above the composed
 * buffer.
 */
static bool lift(struct assign_search *search, int index)
{
	const struct assign_entry *entries = search->request->entries;
	if (search->want[index] == PLACE_OVER) {
		return true;
	}
	if (search->want[index] != PLACE_COMPOSED || !assign_may_move(search, index)) {
		return false;
	}
	search->want[index] = PLACE_OVER;
	for (int i = 0; i < index; i++) {
		if (assign_overlaps(&entries[i], &entries[index]) && !lift(search, i)) {
			return false;
		}
	}
	return true;
}

static bool lift_all(struct assign_search *search, int n)
{
	for (int i = 0; i < n; i++) {
		if (!lift(search, i)) {
			return false;
		}
	}
	return true;
}

/* Adds an entry to the proposal, or leaves the proposal unchanged and returns false. */
static bool put(struct assign_search *search, int index, enum scene_place place)
{
	uint8_t before[ASSIGN_ENTRIES_MAX];
	memcpy(before, search->want, sizeof(before));
	bool done = search->want[index] == PLACE_COMPOSED && assign_may_move(search, index);
	if (done && place == PLACE_OVER) {
		done = lift(search, index);
	} else if (done) {
		search->want[index] = (uint8_t)place;
		done = place != PLACE_PRIMARY || lift_all(search, index);
	}
	if (done && assign_is_legal(search) && allot(search)) {
		return true;
	}
	memcpy(search->want, before, sizeof(before));
	return false;
}

static int64_t weight(const struct assign_search *search, int index)
{
	const struct assign_entry *entry = &search->request->entries[index];
	const struct assign_remembered *before = search->before[index];
	if (entry->cursor) {
		return INT64_MAX;
	}
	int64_t area = (int64_t)entry->dst.width * entry->dst.height;
	return before && before->place != PLACE_COMPOSED ? area * 2 : area;
}

/* Sorts the entries that deserve a plane of their own, the heaviest first. */
static void sort(struct assign_search *search)
{
	const struct assign_request *request = search->request;
	for (int i = 0; i < request->n_entries; i++) {
		const struct assign_entry *entry = &request->entries[i];
		if (!assign_may_move(search, i) || !(entry->busy || entry->cursor)) {
			continue;
		}
		int at = search->n_order++;
		for (; at > 0 && weight(search, search->order[at - 1]) < weight(search, i); at--) {
			search->order[at] = search->order[at - 1];
		}
		search->order[at] = i;
	}
}

/* Returns the entry's previous side of the composed buffer, which is tried first. */
static enum scene_place first_place(const struct assign_search *search, int index)
{
	const struct assign_remembered *before = search->before[index];
	return before && before->place == PLACE_UNDER ? PLACE_UNDER : PLACE_OVER;
}

static enum scene_place second_place(const struct assign_search *search, int index)
{
	return first_place(search, index) == PLACE_OVER ? PLACE_UNDER : PLACE_OVER;
}

static bool put_anywhere(struct assign_search *search, int index)
{
	return put(search, index, first_place(search, index)) ||
	       put(search, index, second_place(search, index));
}

/* Makes the most ambitious proposal, without asking the driver. */
static void propose(struct assign_search *search)
{
	int last = search->request->n_entries - 1;
	if (last >= 0 && put(search, last, PLACE_PRIMARY)) {
		return;
	}
	for (int i = 0; i < search->n_order; i++) {
		put_anywhere(search, search->order[i]);
	}
}

static void add_composed(struct assign_request *request, const struct plane *primary, int zpos)
{
	struct plane_state *plane = output_state_add_plane(&request->state, primary);
	plane->buffer = request->composed;
	plane->src = (struct fbox){0, 0, request->width, request->height};
	plane->dst = (struct box){0, 0, request->width, request->height};
	plane->zpos = zpos;
}

static void add_entry(struct assign_request *request, const struct assign_entry *entry,
	const struct plane *on, int zpos)
{
	struct plane_state *plane = output_state_add_plane(&request->state, on);
	plane->buffer = entry->buffer;
	plane->coding = entry->coding;
	plane->src = entry->src;
	plane->dst = entry->dst;
	plane->transform = entry->transform;
	plane->alpha = entry->alpha;
	plane->zpos = zpos;
	plane->hotspot_x = entry->hotspot_x;
	plane->hotspot_y = entry->hotspot_y;
	plane->opaque = assign_lacks_alpha(on, entry);
}

/* Fills in the output state of the proposal. Returns true if there is no composed buffer. */
static bool fill_state(struct assign_search *search)
{
	struct assign_request *request = search->request;
	int all = -1;
	output_state_init(&request->state);
	for (int i = 0; i < request->n_entries; i++) {
		all = search->want[i] == PLACE_PRIMARY ? i : all;
	}
	if (all >= 0) {
		add_entry(request, &request->entries[all], search->plane[all], search->zpos[all]);
	} else if (request->composed) {
		add_composed(request, search->primary, search->primary_zpos);
	}
	for (int i = 0; i < request->n_entries; i++) {
		if (i != all && search->want[i] != PLACE_COMPOSED) {
			add_entry(request, &request->entries[i], search->plane[i], search->zpos[i]);
		}
	}
	return all >= 0;
}

/* Tests the proposal with the driver, unless its answer is already known. */
static enum assign_refusal ask(struct assign_search *search)
{
	struct assign_request *request = search->request;
	struct assign_config config;
	assign_describe(search, &config);
	if (config.n == 0 || assign_config_equal(&config, &request->cache->accepted)) {
		return REFUSAL_NONE;
	}
	if (assign_config_equal(&config, &search->refused)) {
		return REFUSAL_TESTED;
	}
	if (request->n_tests == ASSIGN_TESTS_MAX) {
		return REFUSAL_UNTESTED;
	}
	request->n_tests++;
	fill_state(search);
	if (request->test(request->data, &request->state)) {
		request->cache->accepted = config;
		return REFUSAL_NONE;
	}
	if (search->refused.n == 0) {
		search->refused = config;
	}
	return REFUSAL_TESTED;
}

/* Tests the proposal with one more entry on a plane, unless there is none for it. */
static bool ask_for(struct assign_search *search, int index, enum scene_place place)
{
	uint8_t before[ASSIGN_ENTRIES_MAX];
	memcpy(before, search->want, sizeof(before));
	if (!put(search, index, place)) {
		return false;
	}
	enum assign_refusal refusal = ask(search);
	if (refusal == REFUSAL_NONE) {
		return true;
	}
	memcpy(search->want, before, sizeof(before));
	search->refusal[index] = (uint8_t)refusal;
	return false;
}

/* Builds up the proposal entry by entry, after the driver refused it as a whole. */
static void try_each(struct assign_search *search)
{
	int last = search->request->n_entries - 1;
	if (search->want[last] == PLACE_PRIMARY) {
		search->refusal[last] = REFUSAL_TESTED;
	}
	memset(search->want, PLACE_COMPOSED, sizeof(search->want));
	for (int i = 0; i < search->n_order; i++) {
		int index = search->order[i];
		if (search->refusal[index] != REFUSAL_NONE) {
			continue;
		}
		if (!ask_for(search, index, first_place(search, index))) {
			uint8_t first = search->refusal[index];
			search->refusal[index] = REFUSAL_NONE;
			if (!ask_for(search, index, second_place(search, index)) &&
				first > search->refusal[index]) {
				search->refusal[index] = first;
			}
		}
	}
	/* Assign planes again: the last proposal may have been refused. */
	bool done = allot(search);
	assert(done);
	(void)done;
}

bool assign_planes(struct assign_request *request)
{
	struct assign_search search = {.request = request, .primary = find_primary(request)};
	assert(request->n_entries <= ASSIGN_ENTRIES_MAX && search.primary);
	request->n_tests = 0;
	if (!assign_recall(&search)) {
		memset(search.want, PLACE_COMPOSED, sizeof(search.want));
		for (int i = 0; i < request->n_entries; i++) {
			search.before[i] = assign_find(request->cache, request->entries[i].id, i);
			search.was_refused[i] = assign_was_refused(&search, i);
		}
		sort(&search);
		propose(&search);
		bool done = allot(&search);
		assert(done);
		(void)done;
		if (ask(&search) != REFUSAL_NONE) {
			try_each(&search);
		}
		assign_accept(&search);
	}
	return fill_state(&search);
}
