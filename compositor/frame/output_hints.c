/* SPDX-License-Identifier: MIT */
/*
 * Output settings requested by a fullscreen surface: VRR, tearing, content type. A refusal counts
 * for the wish and for the state of the output: mode, depth and planes. One that may pass is tried
 * again with growing pauses; hotplug and the return of the session end all refusals.
 */

#include "frame/internal.h"
#include "util/backoff.h"
#include "util/log.h"

/* Returns the surface that fills the output: opaque, and topmost except for the cursor. */
static struct surface *find(const struct scene_output *output)
{
	const struct output_mode *mode = &output->output->mode;
	for (int i = 0; i < output->n_entries; i++) {
		const struct scene_entry *entry = &output->entries[i];
		if (entry->cursor) {
			continue;
		}
		bool fills = entry->node && entry->node->type == SCENE_SURFACE &&
			     entry->all_opaque && !entry->clipped && entry->dst.x <= 0 &&
			     entry->dst.y <= 0 && entry->dst.x + entry->dst.width >= mode->width &&
			     entry->dst.y + entry->dst.height >= mode->height;
		return fills ? scene_surface_from_node(entry->node)->surface : NULL;
	}
	return NULL;
}

static enum surface_wish variable_rule(struct surface *surface)
{
	return surface ? surface_root(surface)->rules.variable : SURFACE_WISH_CLIENT;
}

static bool wants_tearing(struct surface *surface)
{
	const enum surface_wish rule = surface_root(surface)->rules.tearing;
	return rule == SURFACE_WISH_ON || (rule == SURFACE_WISH_CLIENT && surface->current.tearing);
}

static bool wants_own_rate(struct surface *surface)
{
	const enum content_type type = surface_content_type(surface);
	return type == CONTENT_TYPE_GAME || type == CONTENT_TYPE_VIDEO;
}

static bool wants_variable(const struct frame_output *frame, struct surface *surface)
{
	const enum surface_wish rule = variable_rule(surface);
	if (rule != SURFACE_WISH_CLIENT && frame->display.variable != FRAME_VARIABLE_OFF) {
		return rule == SURFACE_WISH_ON;
	}
	switch (frame->display.variable) {
	case FRAME_VARIABLE_OFF: break;
	case FRAME_VARIABLE_AUTO: return surface && wants_own_rate(surface);
	case FRAME_VARIABLE_FILLED: return surface;
	case FRAME_VARIABLE_ON: return true;
	}
	return false;
}

/* Describes the state of the output with the frame of `state`. */
static struct frame_setting describe(
	const struct frame_output *frame, const struct output_state *state)
{
	const struct output *output = frame->output;
	struct frame_setting setting = {
		.mode = output->mode,
		.bit_depth = output->bit_depth,
		.planes_id = output->planes_id,
	};
	for (int i = 0; i < state->n_planes; i++) {
		const struct plane *plane = state->planes[i].plane;
		const struct buffer *buffer = state->planes[i].state.buffer;
		if (!buffer) {
			continue;
		}
		setting.planes |= 1u << plane->index;
		if (plane->type == PLANE_PRIMARY) {
			setting.format = buffer->format;
		}
	}
	return setting;
}

static bool is_same(const struct frame_setting *a, const struct frame_setting *b)
{
	return output_mode_equal(&a->mode, &b->mode) && a->bit_depth == b->bit_depth &&
	       a->planes_id == b->planes_id && a->planes == b->planes && a->format == b->format;
}

/* Draws a frame at that time, unless an earlier one is planned. */
static void plan(struct frame_output *frame, int64_t when)
{
	struct timer *timer = &frame->hints.timer;
	if (!timer->armed || timer->when > when) {
		timer_arm(timer, when);
	}
}

/*
 * Returns whether the output may be asked for the setting: unless it refused the same for good, or
 * a short time ago. Other states are tested at most once a second.
 */
static bool may_test(struct frame_output *frame, struct frame_refusal *refusal, int wish,
	const struct output_state *state)
{
	if (!refusal->counts || refusal->wish != wish) {
		*refusal = (struct frame_refusal){0};
		return true;
	}
	const struct frame_setting setting = describe(frame, state);
	const bool same = is_same(&setting, &refusal->setting);
	if (same && (!refusal->may_pass || refusal->n_tries == BACKOFF_TRIES)) {
		return false;
	}
	const int64_t due = refusal->tested + backoff_pause(same ? refusal->n_tries : 0);
	if (clock_now(frame->clock) < due) {
		plan(frame, due);
		return false;
	}
	if (same) {
		refusal->n_tries++;
	} else {
		*refusal = (struct frame_refusal){0};
	}
	return true;
}

static void note(struct frame_output *frame, struct frame_refusal *refusal, int wish,
	const struct output_state *state, bool may_pass)
{
	refusal->counts = refusal->fresh = true;
	refusal->may_pass = may_pass;
	refusal->wish = wish;
	refusal->tested = clock_now(frame->clock);
	refusal->setting = describe(frame, state);
	if (may_pass && refusal->n_tries < BACKOFF_TRIES) {
		plan(frame, refusal->tested + backoff_pause(refusal->n_tries));
	}
}

/* Tests the setting that was added to `state` as `field`, and removes it if it is refused. */
static bool test(struct frame_output *frame, struct frame_refusal *refusal, int wish,
	enum output_field field, struct output_state *state)
{
	if (output_test(frame->output, state)) {
		refusal->counts = false;
		return true;
	}
	state->fields &= ~(uint32_t)field;
	note(frame, refusal, wish, state, frame->output->refusal_may_pass);
	log_debug(LOG_FRAME, "%s: the driver refused %s%s", frame->output->name,
		field == OUTPUT_ADAPTIVE_SYNC ? "adaptive sync"
		: field == OUTPUT_CONTENT     ? "the content type"
					      : "tearing",
		refusal->may_pass ? " for now" : "");
	return false;
}

static void switch_variable(struct frame_output *frame, bool on, struct output_state *state)
{
	struct frame_refusal *refusal = &frame->hints.variable;
	if (frame->output->adaptive_sync == on) {
		refusal->counts = false;
	} else if (may_test(frame, refusal, on, state)) {
		state->fields |= OUTPUT_ADAPTIVE_SYNC;
		state->adaptive_sync = on;
		test(frame, refusal, on, OUTPUT_ADAPTIVE_SYNC, state);
	}
}

static enum output_content content_of(struct surface *surface)
{
	switch (surface ? surface_content_type(surface) : CONTENT_TYPE_NONE) {
	case CONTENT_TYPE_PHOTO: return OUTPUT_CONTENT_PHOTO;
	case CONTENT_TYPE_VIDEO: return OUTPUT_CONTENT_VIDEO;
	case CONTENT_TYPE_GAME: return OUTPUT_CONTENT_GAME;
	case CONTENT_TYPE_NONE: break;
	}
	return OUTPUT_CONTENT_NONE;
}

static void send_content_type(
	struct frame_output *frame, struct surface *surface, struct output_state *state)
{
	struct frame_refusal *refusal = &frame->hints.content;
	const enum output_content content = content_of(surface);
	if (!frame->output->has_content || frame->output->content == content) {
		refusal->counts = false;
	} else if (may_test(frame, refusal, (int)content, state)) {
		state->fields |= OUTPUT_CONTENT;
		state->content = content;
		test(frame, refusal, (int)content, OUTPUT_CONTENT, state);
	}
}

/* If a single flip cannot tear, the backend presents it at the vblank. */
static void tear(struct frame_output *frame, bool asks, struct output_state *state)
{
	struct frame_hints *hints = &frame->hints;
	if (!asks) {
		hints->tears = hints->tearing.counts = false;
		return;
	}
	state->fields |= OUTPUT_TEARING;
	if (!hints->tears && may_test(frame, &hints->tearing, true, state)) {
		hints->tears = test(frame, &hints->tearing, true, OUTPUT_TEARING, state);
	}
	if (!hints->tears || (state->fields & (OUTPUT_ADAPTIVE_SYNC | OUTPUT_CONTENT))) {
		state->fields &= ~(uint32_t)OUTPUT_TEARING;
	}
}

void output_hints_apply(struct frame_output *frame, struct output_state *state)
{
	struct frame_hints *hints = &frame->hints;
	struct surface *surface = find(frame->scene_output);
	hints->variable.fresh = hints->content.fresh = hints->tearing.fresh = false;
	switch_variable(frame, wants_variable(frame, surface), state);
	send_content_type(frame, surface, state);
	tear(frame, frame->display.tearing && surface && wants_tearing(surface), state);
	hints->sent = state->fields & (OUTPUT_ADAPTIVE_SYNC | OUTPUT_CONTENT);
	hints->adaptive_sync = state->adaptive_sync;
	hints->content_type = state->content;
}

/* A test of a frame that the output refuses anyway says nothing about the setting. */
static void forget_fresh(struct frame_refusal *refusal)
{
	if (refusal->fresh && !refusal->may_pass) {
		refusal->counts = false;
	}
}

void output_hints_note_failure(struct frame_output *frame, const struct output_state *state)
{
	struct frame_hints *hints = &frame->hints;
	forget_fresh(&hints->variable);
	forget_fresh(&hints->content);
	forget_fresh(&hints->tearing);
	if (frame->refusals == 0) {
		return; /* the next frame has them again */
	}
	if (hints->sent & OUTPUT_ADAPTIVE_SYNC) {
		note(frame, &hints->variable, hints->adaptive_sync, state, true);
	}
	if (hints->sent & OUTPUT_CONTENT) {
		note(frame, &hints->content, (int)hints->content_type, state, true);
	}
}

void output_hints_note_dropped(struct frame_output *frame)
{
	struct frame_hints *hints = &frame->hints;
	struct output_state state;
	output_state_init(&state);
	if (hints->sent & OUTPUT_ADAPTIVE_SYNC &&
		frame->output->adaptive_sync != hints->adaptive_sync) {
		note(frame, &hints->variable, hints->adaptive_sync, &state, true);
	}
	if (hints->sent & OUTPUT_CONTENT && frame->output->content != hints->content_type) {
		note(frame, &hints->content, (int)hints->content_type, &state, true);
	}
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct frame_output *frame = wl_container_of(timer, frame, hints.timer);
	scene_output_damage_all(frame->scene_output);
}

static void forget(struct frame_output *frame)
{
	struct frame_hints *hints = &frame->hints;
	if (hints->variable.counts || hints->content.counts || hints->tearing.counts) {
		hints->variable.counts = hints->content.counts = hints->tearing.counts = false;
		plan(frame, clock_now(frame->clock));
	}
}

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct frame_output *frame = wl_container_of(listener, frame, changed);
	forget(frame);
}

static void handle_reconsider(struct wl_listener *listener, void *data)
{
	struct frame_output *frame = wl_container_of(listener, frame, reconsider);
	forget(frame);
}

void output_hints_init(struct frame_output *frame)
{
	timer_init(&frame->hints.timer, frame->clock, handle_timer);
	signal_add(&frame->output->events.changed, &frame->changed, handle_changed);
	signal_add(&frame->output->events.reconsider, &frame->reconsider, handle_reconsider);
}

void output_hints_finish(struct frame_output *frame)
{
	timer_finish(&frame->hints.timer);
	wl_list_remove(&frame->changed.link);
	wl_list_remove(&frame->reconsider.link);
}
