/* Planes: which of what an output shows is scanned out instead of composed. */

#include "frame/assign.h"
#include "buffer/buffer.h"
#include <assert.h>
#include <limits.h>
#include <string.h>

/* How long an entry rests that was refused or has lost its plane, and when that is forgotten. */
#define REST_FIRST INT64_C(250000000)
#define REST_MOST INT64_C(8000000000)
#define REST_FORGOTTEN INT64_C(2000000000)

/* A proposal on its way to be agreed to. */
struct search {
	struct assign_request *request;
	const struct plane *primary;
	uint8_t want[ASSIGN_MAX_ENTRIES]; /* enum scene_place */
	const struct plane *plane[ASSIGN_MAX_ENTRIES];
	int zpos[ASSIGN_MAX_ENTRIES];
	int primary_zpos;
	int order[ASSIGN_MAX_ENTRIES]; /* those worth a plane of their own, as they are tried */
	int n_order;
	struct assign_config refused; /* the first */
	/* Of each entry, what is remembered of it; NULL: it is new. */
	const struct assign_remembered *before[ASSIGN_MAX_ENTRIES];
	bool rests[ASSIGN_MAX_ENTRIES]; /* from now on, since the driver refused it */
};

static const struct plane *find_primary(const struct assign_request *request)
{
	for (int i = 0; i < request->n_planes; i++) {
		if (request->planes[i]->type == PLANE_PRIMARY) {
			return request->planes[i];
		}
	}
	return NULL;
}

static bool takes_format(const struct plane *plane, struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	uint64_t modifier = dmabuf ? dmabuf->modifier : DRM_FORMAT_MOD_LINEAR;
	return format_set_has(&plane->formats, buffer->format, modifier);
}

static bool is_movable(const struct assign_entry *entry)
{
	return entry->buffer && entry->barred == REASON_BEST;
}

static struct assign_fit take_fit(const struct assign_entry *entry)
{
	if (!entry->buffer) {
		return (struct assign_fit){.dst = entry->dst};
	}
	const struct dmabuf *dmabuf = buffer_dmabuf(entry->buffer);
	return (struct assign_fit){
		.width = entry->buffer->width,
		.height = entry->buffer->height,
		.format = entry->buffer->format,
		.stride = dmabuf ? dmabuf->stride[0] : 0,
		.modifier = dmabuf ? dmabuf->modifier : 0,
		.src = entry->src,
		.dst = entry->dst,
		.transform = entry->transform,
		.alpha = entry->alpha,
	};
}

static bool fit_equal(const struct assign_fit *a, const struct assign_fit *b, bool moved)
{
	bool placed = moved ? a->dst.width == b->dst.width && a->dst.height == b->dst.height
			    : box_equal(&a->dst, &b->dst);
	return placed && a->width == b->width && a->height == b->height && a->format == b->format &&
	       a->stride == b->stride && a->modifier == b->modifier &&
	       fbox_equal(&a->src, &b->src) && a->transform == b->transform && a->alpha == b->alpha;
}

/* Cursors move all the time, and no driver minds. */
static bool config_equal(const struct assign_config *a, const struct assign_config *b)
{
	bool equal = a->n == b->n;
	for (int i = 0; equal && i < a->n; i++) {
		equal = a->planes[i].plane == b->planes[i].plane &&
			a->planes[i].zpos == b->planes[i].zpos &&
			fit_equal(&a->planes[i].fit, &b->planes[i].fit,
				a->planes[i].plane->type == PLANE_CURSOR);
	}
	return equal;
}

static bool fills_output(const struct assign_request *request, const struct box *dst)
{
	return dst->x == 0 && dst->y == 0 && dst->width == request->width &&
	       dst->height == request->height;
}

/* Nothing can show through it, as far as it is seen. */
static bool is_solid(const struct assign_entry *entry)
{
	return entry->all_opaque && entry->alpha >= 1 && !entry->cursor;
}

/* Does `above` show anything on the area of the plane that `below` would be on? */
static bool overlaps(const struct assign_entry *above, const struct assign_entry *below)
{
	pixman_box32_t box = {below->dst.x, below->dst.y, below->dst.x + below->dst.width,
		below->dst.y + below->dst.height};
	return pixman_region32_contains_rectangle((pixman_region32_t *)above->visible, &box) !=
	       PIXMAN_REGION_OUT;
}

/* Of the rest: it is over; false: something that overlaps it from above has to be composed. */
static bool is_free(const struct search *search, int index)
{
	const struct assign_entry *entries = search->request->entries;
	for (int i = 0; i < index; i++) {
		if (search->want[i] != PLACE_OVER && overlaps(&entries[i], &entries[index])) {
			return false;
		}
	}
	return true;
}

/* Takes the place of the composed picture: nothing is left to compose. */
static bool is_all(const struct search *search, int index)
{
	const struct assign_request *request = search->request;
	const struct assign_entry *entry = &request->entries[index];
	bool all = request->complete && index == request->n_entries - 1 &&
		   fills_output(request, &entry->dst) && is_solid(entry);
	for (int i = 0; all && i < index; i++) {
		all = search->want[i] == PLACE_OVER;
	}
	return all;
}

static bool has_alpha(const struct buffer *buffer)
{
	const struct pixel_format *format = pixel_format_get(buffer->format);
	return format && format->has_alpha;
}

static bool is_legal(const struct search *search)
{
	const struct assign_request *request = search->request;
	bool composes = true, legal = true;
	for (int i = 0; legal && i < request->n_entries; i++) {
		switch (search->want[i]) {
		case PLACE_COMPOSED: break;
		case PLACE_OVER: legal = is_free(search, i); break;
		case PLACE_UNDER:
			legal = is_solid(&request->entries[i]) && request->composed &&
				has_alpha(request->composed);
			break;
		case PLACE_PRIMARY:
			legal = is_all(search, i);
			composes = false;
			break;
		}
	}
	return legal && (!composes || request->composed);
}

static bool is_taken(const struct search *search, const struct plane *plane)
{
	for (int i = 0; i < search->request->n_entries; i++) {
		if (search->plane[i] == plane) {
			return true;
		}
	}
	return false;
}

/* The lowest zpos above `below` that the plane can have. */
static int lowest_zpos(const struct plane *plane, int below)
{
	return below < plane->zpos_min ? plane->zpos_min : below + 1;
}

/* Gives the entry the lowest plane above `below`; moves `below` up to it. */
static bool take_lowest(struct search *search, int index, int *below)
{
	const struct assign_request *request = search->request;
	const struct assign_entry *entry = &request->entries[index];
	enum plane_type type = entry->cursor ? PLANE_CURSOR : PLANE_OVERLAY;
	const struct plane *best = NULL;
	for (int i = 0; i < request->n_planes; i++) {
		const struct plane *plane = request->planes[i];
		int zpos = lowest_zpos(plane, *below);
		if (plane->type != type || zpos > plane->zpos_max || is_taken(search, plane) ||
			!takes_format(plane, entry->buffer)) {
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

/* Those of one place, bottom to top. */
static bool take_all(struct search *search, enum scene_place place, int *below)
{
	for (int i = search->request->n_entries - 1; i >= 0; i--) {
		if (search->want[i] == place && !take_lowest(search, i, below)) {
			return false;
		}
	}
	return true;
}

/* A plane for everything that wants one, stacked as the list is. */
static bool allot(struct search *search)
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
			if (!takes_format(search->primary, request->entries[i].buffer)) {
				return false;
			}
		}
	}
	return take_all(search, PLACE_OVER, &below);
}

static bool may_move(const struct search *search, int index)
{
	const struct assign_request *request = search->request;
	const struct assign_remembered *before = search->before[index];
	return request->allowed && is_movable(&request->entries[index]) && !search->rests[index] &&
	       !(before && request->now < before->rest_until);
}

/* Puts it over, and what overlaps it from above. */
static bool lift(struct search *search, int index)
{
	const struct assign_entry *entries = search->request->entries;
	if (search->want[index] == PLACE_OVER) {
		return true;
	}
	if (search->want[index] != PLACE_COMPOSED || !may_move(search, index)) {
		return false;
	}
	search->want[index] = PLACE_OVER;
	for (int i = 0; i < index; i++) {
		if (overlaps(&entries[i], &entries[index]) && !lift(search, i)) {
			return false;
		}
	}
	return true;
}

static bool lift_all(struct search *search, int n)
{
	for (int i = 0; i < n; i++) {
		if (!lift(search, i)) {
			return false;
		}
	}
	return true;
}

/* Adds it to the proposal, if that can be. */
static bool put(struct search *search, int index, enum scene_place place)
{
	uint8_t before[ASSIGN_MAX_ENTRIES];
	memcpy(before, search->want, sizeof(before));
	bool done = search->want[index] == PLACE_COMPOSED && may_move(search, index);
	if (done && place == PLACE_OVER) {
		done = lift(search, index);
	} else if (done) {
		search->want[index] = (uint8_t)place;
		done = place != PLACE_PRIMARY || lift_all(search, index);
	}
	if (done && is_legal(search) && allot(search)) {
		return true;
	}
	memcpy(search->want, before, sizeof(before));
	return false;
}

static int64_t weight(const struct search *search, int index)
{
	const struct assign_entry *entry = &search->request->entries[index];
	const struct assign_remembered *before = search->before[index];
	if (entry->cursor) {
		return INT64_MAX;
	}
	int64_t area = (int64_t)entry->dst.width * entry->dst.height;
	return before && before->place != PLACE_COMPOSED ? area * 2 : area;
}

/* What is worth a plane of its own, the heaviest first. */
static void sort(struct search *search)
{
	const struct assign_request *request = search->request;
	for (int i = 0; i < request->n_entries; i++) {
		const struct assign_entry *entry = &request->entries[i];
		if (!may_move(search, i) || !(entry->busy || entry->cursor)) {
			continue;
		}
		int at = search->n_order++;
		for (; at > 0 && weight(search, search->order[at - 1]) < weight(search, i); at--) {
			search->order[at] = search->order[at - 1];
		}
		search->order[at] = i;
	}
}

/* Where it was, if it was on a plane: then the other side comes second. */
static enum scene_place first_place(const struct search *search, int index)
{
	const struct assign_remembered *before = search->before[index];
	return before && before->place == PLACE_UNDER ? PLACE_UNDER : PLACE_OVER;
}

static enum scene_place second_place(const struct search *search, int index)
{
	return first_place(search, index) == PLACE_OVER ? PLACE_UNDER : PLACE_OVER;
}

static bool put_anywhere(struct search *search, int index)
{
	return put(search, index, first_place(search, index)) ||
	       put(search, index, second_place(search, index));
}

/* The best that can be hoped for. */
static void propose(struct search *search)
{
	int last = search->request->n_entries - 1;
	if (last >= 0 && put(search, last, PLACE_PRIMARY)) {
		return;
	}
	for (int i = 0; i < search->n_order; i++) {
		put_anywhere(search, search->order[i]);
	}
}

static void describe(const struct search *search, struct assign_config *config)
{
	const struct assign_request *request = search->request;
	*config = (struct assign_config){0};
	bool composes = true;
	for (int i = 0; i < request->n_entries; i++) {
		if (search->want[i] == PLACE_COMPOSED) {
			continue;
		}
		composes &= search->want[i] != PLACE_PRIMARY;
		config->planes[config->n].plane = search->plane[i];
		config->planes[config->n].zpos = search->zpos[i];
		config->planes[config->n++].fit = take_fit(&request->entries[i]);
	}
	if (composes && config->n > 0) {
		struct assign_entry composed = {.buffer = request->composed,
			.dst = {0, 0, request->width, request->height},
			.alpha = 1};
		config->planes[config->n].plane = search->primary;
		config->planes[config->n].zpos = search->primary_zpos;
		config->planes[config->n++].fit = take_fit(&composed);
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
	plane->src = entry->src;
	plane->dst = entry->dst;
	plane->transform = entry->transform;
	plane->alpha = entry->alpha;
	plane->zpos = zpos;
	plane->hotspot_x = entry->hotspot_x;
	plane->hotspot_y = entry->hotspot_y;
}

/* The state of the proposal. True if nothing is composed. */
static bool fill_state(struct search *search)
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

/* Does the driver agree? It is not asked what it has answered already. */
static bool ask(struct search *search)
{
	struct assign_request *request = search->request;
	struct assign_config config;
	describe(search, &config);
	if (config.n == 0 || config_equal(&config, &request->memory->accepted)) {
		return true;
	}
	if (request->n_tests == ASSIGN_MAX_TESTS || config_equal(&config, &search->refused)) {
		return false;
	}
	request->n_tests++;
	fill_state(search);
	if (request->test(request->data, &request->state)) {
		request->memory->accepted = config;
		return true;
	}
	if (search->refused.n == 0) {
		search->refused = config;
	}
	return false;
}

/* One more on a plane, the others as they are. */
static bool ask_for(struct search *search, int index, enum scene_place place)
{
	uint8_t before[ASSIGN_MAX_ENTRIES];
	memcpy(before, search->want, sizeof(before));
	if (!put(search, index, place)) {
		return false;
	}
	if (ask(search)) {
		return true;
	}
	memcpy(search->want, before, sizeof(before));
	search->rests[index] = true;
	return false;
}

/* Step by step what could not be had at once. */
static void try_each(struct search *search)
{
	int last = search->request->n_entries - 1;
	if (search->want[last] == PLACE_PRIMARY) {
		search->rests[last] = true;
	}
	memset(search->want, PLACE_COMPOSED, sizeof(search->want));
	for (int i = 0; i < search->n_order; i++) {
		int index = search->order[i];
		if (search->rests[index]) {
			continue;
		}
		if (!ask_for(search, index, first_place(search, index))) {
			bool refused = search->rests[index];
			search->rests[index] = false;
			bool done = ask_for(search, index, second_place(search, index));
			search->rests[index] = !done && (refused || search->rests[index]);
		}
	}
	/* Planes are those of the last proposal, which may have been refused. */
	bool done = allot(search);
	assert(done);
	(void)done;
}

static bool any_plane_takes(const struct search *search, int index)
{
	const struct assign_request *request = search->request;
	const struct assign_entry *entry = &request->entries[index];
	for (int i = 0; i < request->n_planes; i++) {
		const struct plane *plane = request->planes[i];
		bool candidate = entry->cursor ? plane->type == PLANE_CURSOR
				 : plane->type == PLANE_OVERLAY
					 ? true
					 : plane->type == PLANE_PRIMARY &&
						   fills_output(request, &entry->dst);
		if (candidate && takes_format(plane, entry->buffer)) {
			return true;
		}
	}
	return false;
}

static bool has_overlays(const struct assign_request *request)
{
	for (int i = 0; i < request->n_planes; i++) {
		if (request->planes[i]->type == PLANE_OVERLAY) {
			return true;
		}
	}
	return false;
}

/* A driver that refuses does not say why: most often, because it cannot scale or turn. */
static enum route_reason explain_refusal(const struct assign_entry *entry)
{
	bool plain = entry->transform == WL_OUTPUT_TRANSFORM_NORMAL &&
		     entry->src.width == entry->dst.width && entry->src.height == entry->dst.height;
	return plain ? REASON_REFUSED : REASON_TRANSFORM;
}

static enum route_reason explain(const struct search *search, int index)
{
	const struct assign_request *request = search->request;
	const struct assign_entry *entry = &request->entries[index];
	bool fills = fills_output(request, &entry->dst);
	if (!is_movable(entry)) {
		return entry->barred;
	}
	if (!request->allowed) {
		return request->refused;
	}
	if (search->rests[index]) {
		return explain_refusal(entry);
	}
	if (!may_move(search, index)) {
		return search->before[index]->reason;
	}
	if (fills && !is_solid(entry)) {
		return REASON_TRANSLUCENT;
	}
	if (!fills && !entry->cursor && !has_overlays(request)) {
		return REASON_NOT_FULL;
	}
	if (!any_plane_takes(search, index)) {
		return REASON_PLANE_FORMAT;
	}
	if ((fills && !is_all(search, index)) || !is_free(search, index)) {
		return REASON_NOT_ALONE;
	}
	return entry->busy || entry->cursor ? REASON_NO_PLANE : REASON_QUIET;
}

static const struct assign_remembered *find(
	const struct assign_memory *memory, const void *id, int at)
{
	if (at < memory->n && memory->entries[at].id == id) {
		return &memory->entries[at];
	}
	for (int i = 0; i < memory->n; i++) {
		if (memory->entries[i].id == id) {
			return &memory->entries[i];
		}
	}
	return NULL;
}

/* The longer, the sooner it had to give way again. */
static void begin_rest(struct assign_remembered *entry, int64_t stayed, int64_t now)
{
	bool again = entry->rest > 0 && stayed < REST_FORGOTTEN;
	entry->rest = again ? entry->rest * 2 : REST_FIRST;
	entry->rest = entry->rest < REST_MOST ? entry->rest : REST_MOST;
	entry->rest_until = now + entry->rest;
}

static struct assign_remembered remember(const struct search *search, int index)
{
	const struct assign_entry *entry = &search->request->entries[index];
	const struct assign_remembered *before = search->before[index];
	int64_t now = search->request->now;
	struct assign_remembered entry_now = {
		.id = entry->id,
		.movable = is_movable(entry),
		.busy = entry->busy,
		.fit = take_fit(entry),
		.place = entry->place,
		.plane = entry->plane,
		.zpos = entry->zpos,
		.reason = entry->reason,
		.since = before && before->place == entry->place ? before->since : now,
		.rest_until = before ? before->rest_until : 0,
		.rest = before ? before->rest : 0,
	};
	bool lost = before && before->place != PLACE_COMPOSED && entry->place == PLACE_COMPOSED &&
		    entry_now.movable && search->request->allowed;
	if (search->rests[index]) {
		begin_rest(&entry_now, 0, now);
	} else if (lost && !entry->cursor) {
		begin_rest(&entry_now, now - before->since, now);
	} else if (entry->place != PLACE_COMPOSED || entry_now.rest_until <= now) {
		entry_now.rest_until = 0;
	}
	return entry_now;
}

static void settle(struct search *search)
{
	struct assign_request *request = search->request;
	struct assign_memory *memory = request->memory;
	struct assign_remembered entries[ASSIGN_MAX_ENTRIES];
	for (int i = 0; i < request->n_entries; i++) {
		struct assign_entry *entry = &request->entries[i];
		entry->place = search->want[i];
		entry->plane = entry->place == PLACE_COMPOSED ? NULL : search->plane[i];
		entry->zpos = entry->plane ? search->zpos[i] : 0;
		entry->reason = entry->plane ? REASON_BEST : explain(search, i);
		entries[i] = remember(search, i);
	}
	memcpy(memory->entries, entries, (size_t)request->n_entries * sizeof(entries[0]));
	memory->n = request->n_entries;
	memory->primary_zpos = search->primary_zpos;
	memory->valid = true;
	memory->complete = request->complete;
	memory->allowed = request->allowed;
	memory->list = request->list;
	memory->width = request->width;
	memory->height = request->height;
	struct assign_config config;
	describe(search, &config);
	memory->accepted = config;
}

/* Where a cursor that is composed lies does matter: it may lie over others. */
static bool is_as_before(const struct assign_request *request, int index)
{
	const struct assign_entry *entry = &request->entries[index];
	const struct assign_remembered *before = &request->memory->entries[index];
	struct assign_fit fit = take_fit(entry);
	return before->id == entry->id && before->movable == is_movable(entry) &&
	       before->busy == entry->busy &&
	       (before->rest_until == 0 || request->now < before->rest_until) &&
	       ((!before->movable && !entry->cursor) ||
		       fit_equal(&fit, &before->fit, before->place == PLACE_OVER && entry->cursor));
}

/* Nothing but content has changed: all goes where it was, and nobody is asked. */
static bool recall(struct search *search)
{
	const struct assign_request *request = search->request;
	const struct assign_memory *memory = request->memory;
	if (!memory->valid || memory->list != request->list || memory->n != request->n_entries ||
		memory->complete != request->complete || memory->allowed != request->allowed ||
		memory->width != request->width || memory->height != request->height) {
		return false;
	}
	for (int i = 0; i < request->n_entries; i++) {
		if (!is_as_before(request, i)) {
			return false;
		}
	}
	for (int i = 0; i < request->n_entries; i++) {
		const struct assign_remembered *before = &memory->entries[i];
		struct assign_entry *entry = &request->entries[i];
		search->want[i] = (uint8_t)before->place;
		search->plane[i] = entry->plane = before->plane;
		search->zpos[i] = entry->zpos = before->zpos;
		entry->place = before->place;
		entry->reason = before->reason;
	}
	search->primary_zpos = memory->primary_zpos;
	struct assign_config config;
	describe(search, &config);
	return config_equal(&config, &memory->accepted);
}

bool assign_planes(struct assign_request *request)
{
	struct search search = {.request = request, .primary = find_primary(request)};
	assert(request->n_entries <= ASSIGN_MAX_ENTRIES && search.primary);
	request->n_tests = 0;
	if (!recall(&search)) {
		memset(search.want, PLACE_COMPOSED, sizeof(search.want));
		for (int i = 0; i < request->n_entries; i++) {
			search.before[i] = find(request->memory, request->entries[i].id, i);
		}
		sort(&search);
		propose(&search);
		bool done = allot(&search);
		assert(done);
		(void)done;
		if (!ask(&search)) {
			try_each(&search);
		}
		settle(&search);
	}
	return fill_state(&search);
}

void assign_forget(struct assign_memory *memory, int64_t now)
{
	memory->valid = false;
	memory->accepted = (struct assign_config){0};
	for (int i = 0; i < memory->n; i++) {
		struct assign_remembered *entry = &memory->entries[i];
		if (entry->place != PLACE_COMPOSED) {
			begin_rest(entry, now - entry->since, now);
			entry->place = PLACE_COMPOSED;
			entry->plane = NULL;
			entry->reason = REASON_REFUSED;
		}
	}
}
