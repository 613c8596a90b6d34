/*
 * Sequences of frames of wlr-screencopy-unstable-v1: what changed on an output since the last picture of
 * each. The protocol does not say which frames follow on which, and a portal takes those of all its
 * programs through one manager. But who wants pictures waits for one before asking for the next, and
 * has some buffers that come again and again: so a frame belongs to the sequence that its buffer was
 * in, unless another frame of that is under way, which makes it somebody else's.
 */

#include "screencopy.h"
#include "util/box.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* More frames than this at a time are no sequences, but drawn as they come. */
#define MAX_SEQUENCES 16
#define MAX_RECTS 64
/* ns. Who asks this long after the last picture is not in the middle of a recording. */
#define PAUSE INT64_C(100000000)

struct screencopy_sequence {
	struct wl_list link; /* screencopy_output.sequences, the one used last first */
	struct box part; /* of the output, pixels */
	bool cursor;
	bool busy; /* a frame of it is under way */
	bool doubted; /* since its last change */
	int64_t ended; /* its last frame; ns */
	pixman_region32_t damage; /* of the part, since its last picture; output pixels */
	struct wl_list buffers; /* known_buffer.link */
};

/* A buffer that a sequence's frames were drawn to; as long as both are there. */
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

/* The one that the buffer was in; NULL: it was in none, or it is taken for somebody else's. */
static struct screencopy_sequence *find_known(const struct screencopy_frame *frame)
{
	const struct known_buffer *known = find_buffer(frame);
	if (!known || !is_alike(known->sequence, frame)) {
		return NULL;
	}
	if (!known->sequence->busy) {
		return known->sequence;
	}
	/* Two were taken for one. Whose the other buffers are shows when they come. */
	forget_buffers(known->sequence);
	return NULL;
}

static int64_t now(const struct screencopy_output *output)
{
	return clock_now(output->source->protocols->server->clock);
}

/*
 * The one that rests for the shortest time. The buffer has nothing of the picture, and may be somebody
 * else's, or follow on one that its reader lost: so all of it is new. But nobody draws without a pause
 * for having new buffers all the time.
 */
static struct screencopy_sequence *find_resting(const struct screencopy_frame *frame)
{
	struct screencopy_sequence *sequence;
	wl_list_for_each (sequence, &frame->output->sequences, link) {
		if (sequence->busy || !is_alike(sequence, frame)) {
			continue;
		}
		if (!sequence->doubted || now(frame->output) - sequence->ended >= PAUSE) {
			sequence->doubted = true;
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
	sequence->doubted = false;
	damage_all(sequence);
	forget_buffers(sequence);
}

/* In place of the one that rests for the longest time, if there are many; NULL if none of them rests. */
static struct screencopy_sequence *create(const struct screencopy_frame *frame)
{
	struct wl_list *list = &frame->output->sequences;
	struct screencopy_sequence *sequence;
	if (wl_list_length(list) < MAX_SEQUENCES) {
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
		sequence = find_resting(frame);
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
	/* Who gives up may have come to an end: the next one may know nothing of the picture. */
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
		sequence->doubted = sequence->doubted && !pixman_region32_not_empty(&seen);
		pixman_region32_union(&sequence->damage, &sequence->damage, &seen);
		region_simplify(&sequence->damage, MAX_RECTS);
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
