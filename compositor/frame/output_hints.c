/* SPDX-License-Identifier: MIT */
/* Output settings requested by a fullscreen surface: VRR, tearing, content type. */

#include "frame/internal.h"
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

static bool wants_variable(const struct frame_output *frame, struct surface *surface)
{
	const enum surface_wish rule = variable_rule(surface);
	if (rule != SURFACE_WISH_CLIENT && frame->display.variable != FRAME_VARIABLE_OFF) {
		return rule == SURFACE_WISH_ON;
	}
	switch (frame->display.variable) {
	case FRAME_VARIABLE_OFF: break;
	case FRAME_VARIABLE_AUTO:
		return surface && (surface->current.content_type == CONTENT_TYPE_GAME ||
					  surface->current.content_type == CONTENT_TYPE_VIDEO);
	case FRAME_VARIABLE_FILLED: return surface;
	case FRAME_VARIABLE_ON: return true;
	}
	return false;
}

static void switch_variable(struct frame_output *frame, bool on, struct output_state *state)
{
	/* Only when the wish changes, because other clients may set it, too. */
	if (on == frame->variable_wanted) {
		return;
	}
	frame->variable_wanted = on;
	if (frame->output->adaptive_sync == on) {
		return;
	}
	uint32_t fields = state->fields;
	state->fields |= OUTPUT_ADAPTIVE_SYNC;
	state->adaptive_sync = on;
	if (!output_test(frame->output, state)) {
		state->fields = fields;
		log_debug(LOG_FRAME, "%s: the driver refused adaptive sync", frame->output->name);
	}
}

static enum output_content content_of(const struct surface *surface)
{
	switch (surface ? surface->current.content_type : CONTENT_TYPE_NONE) {
	case CONTENT_TYPE_PHOTO: return OUTPUT_CONTENT_PHOTO;
	case CONTENT_TYPE_VIDEO: return OUTPUT_CONTENT_VIDEO;
	case CONTENT_TYPE_GAME: return OUTPUT_CONTENT_GAME;
	case CONTENT_TYPE_NONE: break;
	}
	return OUTPUT_CONTENT_NONE;
}

/* Sends a content type to the output once; a refused one is not repeated. */
static void send_content_type(
	struct frame_output *frame, const struct surface *surface, struct output_state *state)
{
	if (!frame->output->has_content) {
		return;
	}
	enum output_content content = content_of(surface);
	if (content == frame->content_wanted) {
		return;
	}
	frame->content_wanted = content;
	if (frame->output->content == content) {
		return;
	}
	uint32_t fields = state->fields;
	state->fields |= OUTPUT_CONTENT;
	state->content = content;
	if (!output_test(frame->output, state)) {
		state->fields = fields;
		log_debug(
			LOG_FRAME, "%s: the driver refused the content type", frame->output->name);
	}
}

/* Starts from the output's actual state, after a refused frame and before the first one. */
static void reset_wishes(struct frame_output *frame)
{
	frame->variable_wanted = frame->output->adaptive_sync;
	frame->content_wanted = frame->output->content;
}

void output_hints_apply(struct frame_output *frame, struct output_state *state)
{
	if (frame->commit == 0) {
		reset_wishes(frame);
	}
	struct surface *surface = find(frame->scene_output);
	bool asks = frame->display.tearing && surface && wants_tearing(surface);
	switch_variable(frame, wants_variable(frame, surface), state);
	send_content_type(frame, surface, state);
	if (!asks) {
		frame->tears = frame->tearing_asked = false;
		return;
	}
	/* Test once: if a single flip cannot tear, the backend presents it at vblank. */
	state->fields |= OUTPUT_TEARING;
	if (!frame->tearing_asked) {
		frame->tearing_asked = true;
		frame->tears = output_test(frame->output, state);
	}
	if (!frame->tears || (state->fields & (OUTPUT_ADAPTIVE_SYNC | OUTPUT_CONTENT))) {
		state->fields &= ~(uint32_t)OUTPUT_TEARING;
	}
}
