/* What the one surface that fills an output has a say in: variable rate, tearing, what the screen is told. */

#include "frame/internal.h"
#include "util/log.h"

/* The topmost thing but the cursor, if nothing else shows. */
static const struct surface *find(const struct scene_output *output)
{
	const struct output_mode *mode = &output->output->mode;
	for (int i = 0; i < output->n_entries; i++) {
		const struct scene_entry *entry = &output->entries[i];
		if (entry->cursor) {
			continue;
		}
		bool fills = entry->node && entry->node->type == SCENE_SURFACE &&
			     entry->all_opaque && entry->dst.x <= 0 && entry->dst.y <= 0 &&
			     entry->dst.x + entry->dst.width >= mode->width &&
			     entry->dst.y + entry->dst.height >= mode->height;
		return fills ? scene_surface_from_node(entry->node)->surface : NULL;
	}
	return NULL;
}

static bool wants_variable(const struct frame_output *frame, const struct surface *surface)
{
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
	/* Only when our own mind changes: others may switch it as well. */
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
		log_debug(LOG_FRAME, "%s: no variable rate", frame->output->name);
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

/* What it refuses is not said again until something else is to be said. */
static void tell_content(
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
		log_debug(LOG_FRAME, "%s: it is not told what it shows", frame->output->name);
	}
}

/* What the last frame brought is not so if it was refused, and others had their say before the first. */
static void start_anew(struct frame_output *frame)
{
	frame->variable_wanted = frame->output->adaptive_sync;
	frame->content_wanted = frame->output->content;
}

void output_hints_apply(struct frame_output *frame, struct output_state *state)
{
	if (frame->commit == 0) {
		start_anew(frame);
	}
	const struct surface *surface = find(frame->scene_output);
	bool asks = frame->display.tearing && surface && surface->current.tearing;
	switch_variable(frame, wants_variable(frame, surface), state);
	tell_content(frame, surface, state);
	if (!asks) {
		frame->tears = frame->tearing_asked = false;
		return;
	}
	/* Asked once: what a single flip cannot do at once, the backend does in time. */
	state->fields |= OUTPUT_TEARING;
	if (!frame->tearing_asked) {
		frame->tearing_asked = true;
		frame->tears = output_test(frame->output, state);
	}
	if (!frame->tears || (state->fields & (OUTPUT_ADAPTIVE_SYNC | OUTPUT_CONTENT))) {
		state->fields &= ~(uint32_t)OUTPUT_TEARING;
	}
}
