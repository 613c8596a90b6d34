/* SPDX-License-Identifier: MIT */
/*
 * Sequences of frames of wlr-screencopy-unstable-v1: the damage of an output since the previous
 * frame of each recording. The protocol does not say which frames belong together, and a portal
 * captures for all its programs through one manager. But a recorder waits for a frame before it
 * requests the next one, and reuses a few buffers. So a frame belongs to the sequence in which its
 * buffer was last used, unless another frame of that sequence is in progress, which indicates a
 * different recorder.
 */

#include "buffer/buffer.h"
#include "screencopy.h"
#include "util/addon.h"
#include "util/box.h"
#include "util/clock.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* Maximum number of sequences; frames beyond it are captured in full. */
#define SEQUENCES_MAX 16
#define RECTS_MAX 64
/* Pause (ns) after which a request counts as the start of a recording. */
#define PAUSE INT64_C(100000000)

struct screencopy_sequence {
	struct wl_list link; /* screencopy_output.sequences, most recently used first */
	struct box part; /* of the output, pixels */
	bool cursor;
	bool busy; /* a frame of it is in progress */
	bool reassigned; /* an unknown buffer joined since the last damage */
	int64_t ended; /* ns; end of its last frame */
	pixman_region32_t damage; /* of the part, since its last capture; output pixels */
	struct wl_list buffers; /* known_buffer.link */
};

/* A buffer used by frames of a sequence; exists as long as both do. */
struct known_buffer {
	struct addon addon; /* of the buffer; its owner is the screencopy_output */
	struct wl_list link;
	struct screencopy_sequence *sequence;
};

static void handle_buffer_destroy(struct addon *addon)
{
	struct known_buffer *known = wl_container_of(addon, known, addon);
	wl_list_remove(&known->link);
	addon_finish(addon);
	free(known);
}

static const struct addon_impl buffer_addon = {
	.name = "screencopy sequence",
	.destroy = handle_buffer_destroy,
};

static void damage_all(struct screencopy_sequence *sequence)
{
	region_set_box(&sequence->damage, &sequence->part);
}

static struct known_buffer *find_buffer(const struct screencopy_frame *frame)
{
	struct addon *addon = addon_find(&frame->buffer->addons, frame->output, &buffer_addon);
	struct known_buffer *known = NULL;
	return addon ? wl_container_of(addon, known, addon) : NULL;
}

static void forget_buffers(struct screencopy_sequence *sequence)
{
	struct known_buffer *known, *next;
	wl_list_for_each_safe (known, next, &sequence->buffers, link) {
		handle_buffer_destroy(&known->addon);
	}
}

static void add_buffer(struct screencopy_sequence *sequence, const struct screencopy_frame *frame)
{
	struct known_buffer *known = find_buffer(frame);
	if (known) {
		wl_list_remove(&known->link);
	} else {
		known = xcalloc(1, sizeof(*known));
		addon_init(&known->addon, &frame->buffer->addons, frame->output, &buffer_addon);
	}
	known->sequence = sequence;
	wl_list_insert(&sequence->buffers, &known->link);
}

static bool is_alike(
	const struct screencopy_sequence *sequence, const struct screencopy_frame *frame)
{
	return sequence->cursor == frame->cursor && box_equal(&sequence->part, &frame->part);
}

/* Returns the sequence in which the buffer was used. NULL: none, or another recorder's. */
static struct screencopy_sequence *find_known(const struct screencopy_frame *frame)
{
	const struct known_buffer *known = find_buffer(frame);
	if (!known || !is_alike(known->sequence, frame)) {
		return NULL;
	}
	if (!known->sequence->busy) {
		return known->sequence;
	}
	/* Two recorders share a sequence. Their buffers are assigned anew as they appear. */
	forget_buffers(known->sequence);
	return NULL;
}

static int64_t now(const struct screencopy_output *output)
{
	return clock_now(output->source->protocols->server->clock);
}

/*
 * Returns the most recently used idle sequence. The buffer is new and may belong to another
 * recorder, or replace one that was lost, so the whole part counts as damaged. To limit the cost of
 * a recorder that keeps allocating buffers, this happens only once or after a pause.
 */
static struct screencopy_sequence *find_idle(const struct screencopy_frame *frame)
{
	struct screencopy_sequence *sequence;
	wl_list_for_each (sequence, &frame->output->sequences, link) {
		if (sequence->busy || !is_alike(sequence, frame)) {
			continue;
		}
		if (!sequence->reassigned || now(frame->output) - sequence->ended >= PAUSE) {
			sequence->reassigned = true;
			damage_all(sequence);
		}
		return sequence;
	}
	return NULL;
}

static void begin(struct screencopy_sequence *sequence, const struct screencopy_frame *frame)
{
	sequence->part = frame->part;
	sequence->cursor = frame->cursor;
	sequence->reassigned = false;
	damage_all(sequence);
	forget_buffers(sequence);
}

/*
 * Creates a sequence, or reuses the least recently used idle one if there are too many. Returns
 * NULL if all are busy.
 */
static struct screencopy_sequence *create(const struct screencopy_frame *frame)
{
	struct wl_list *list = &frame->output->sequences;
	struct screencopy_sequence *sequence;
	if (wl_list_length(list) < SEQUENCES_MAX) {
		sequence = xcalloc(1, sizeof(*sequence));
		pixman_region32_init(&sequence->damage);
		wl_list_init(&sequence->buffers);
		wl_list_insert(list, &sequence->link);
		begin(sequence, frame);
		return sequence;
	}
	wl_list_for_each_reverse (sequence, list, link) {
		if (!sequence->busy) {
			begin(sequence, frame);
			return sequence;
		}
	}
	return NULL;
}

void screencopy_sequence_join(struct screencopy_frame *frame)
{
	struct screencopy_sequence *sequence = find_known(frame);
	if (!sequence) {
		sequence = find_idle(frame);
	}
	if (!sequence) {
		sequence = create(frame);
	}
	frame->sequence = sequence;
	if (!sequence) {
		return;
	}
	sequence->busy = true;
	add_buffer(sequence, frame);
	wl_list_remove(&sequence->link);
	wl_list_insert(&frame->output->sequences, &sequence->link);
}

void screencopy_sequence_leave(struct screencopy_frame *frame, bool complete)
{
	struct screencopy_sequence *sequence = frame->sequence;
	if (!sequence) {
		return;
	}
	frame->sequence = NULL;
	sequence->busy = false;
	sequence->ended = now(frame->output);
	/* A recorder that aborts a frame may have stopped: the next one needs the full content. */
	if (!complete) {
		damage_all(sequence);
	}
}

bool screencopy_sequence_take(struct screencopy_frame *frame)
{
	struct screencopy_sequence *sequence = frame->sequence;
	if (!sequence) {
		const struct box all = {0, 0, frame->part.width, frame->part.height};
		region_set_box(&frame->damage, &all);
		return true;
	}
	pixman_region32_copy(&frame->damage, &sequence->damage);
	pixman_region32_translate(&frame->damage, -frame->part.x, -frame->part.y);
	pixman_region32_clear(&sequence->damage);
	return pixman_region32_not_empty(&frame->damage);
}

void screencopy_sequences_damage(struct screencopy_output *output, const pixman_region32_t *damage)
{
	struct screencopy_sequence *sequence;
	wl_list_for_each (sequence, &output->sequences, link) {
		const struct box *part = &sequence->part;
		pixman_region32_t seen;
		pixman_region32_init(&seen);
		pixman_region32_intersect_rect(&seen, (pixman_region32_t *)damage, part->x, part->y,
			(unsigned)part->width, (unsigned)part->height);
		sequence->reassigned = sequence->reassigned && !pixman_region32_not_empty(&seen);
		pixman_region32_union(&sequence->damage, &sequence->damage, &seen);
		region_simplify(&sequence->damage, RECTS_MAX);
		pixman_region32_fini(&seen);
	}
}

void screencopy_sequences_damage_all(struct screencopy_output *output)
{
	struct screencopy_sequence *sequence;
	wl_list_for_each (sequence, &output->sequences, link) {
		damage_all(sequence);
	}
}

void screencopy_sequences_finish(struct screencopy_output *output)
{
	struct screencopy_sequence *sequence, *next;
	wl_list_for_each_safe (sequence, next, &output->sequences, link) {
		forget_buffers(sequence);
		wl_list_remove(&sequence->link);
		pixman_region32_fini(&sequence->damage);
		free(sequence);
	}
}
