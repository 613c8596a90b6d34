/* SPDX-License-Identifier: MIT */
/* One copy into a staging buffer: its steps, and their completion. */

#include "gpu/gpu.h"
#include "staging/ring.h"
#include <errno.h>

static void handle_done(struct copy_order *order, bool good);

static void finish_copy(struct staging_slot *slot, bool good, bool report)
{
	struct staging_ring *ring = slot->ring;
	pixman_region32_t region;
	pixman_region32_init(&region);
	ring_end(&ring->ring, slot->index, good, &region);
	if (slot->is_local && slot->step == STAGING_FROM_SOURCE) {
		pixman_region32_union(&ring->crossing_lacks, &ring->crossing_lacks, &slot->news);
	}
	pixman_region32_clear(&slot->stale);
	pixman_region32_clear(&slot->news);
	/* The user may destroy the ring. */
	if (report) {
		ring->user.arrived(ring->user.data, &region);
	}
	pixman_region32_fini(&region);
}

/* Copies from the crossing buffer into the reader's memory. Returns as gpu_engines_start(). */
static int copy_from_crossing(struct staging_slot *slot)
{
	struct staging_ring *ring = slot->ring;
	slot->step = STAGING_FROM_CROSSING;
	slot->order = (struct copy_order){
		.source = ring->crossing,
		.destination = slot->buffer,
		.damage = &slot->local,
		.pair = ring->local_pair,
		.direction = COST_IN,
		.first = ring->crossing_search.reader,
		.permit = staging_permit_reader,
		.done = handle_done,
	};
	int result = gpu_engines_start(ring->local, &slot->order);
	ring->stats.local += slot->order.bytes;
	if (result >= 0) {
		staging_allocation_works(slot);
	}
	return result;
}

static int copy_from_source(struct staging_slot *slot, struct buffer *source)
{
	struct staging_ring *ring = slot->ring;
	slot->step = STAGING_FROM_SOURCE;
	if (!pixman_region32_not_empty(&slot->news)) {
		return slot->is_local ? copy_from_crossing(slot) : 1;
	}
	slot->order = (struct copy_order){
		.source = source,
		.destination = slot->is_local ? ring->crossing : slot->buffer,
		.damage = &slot->news,
		.crosses = true,
		.pair = ring->pair,
		.direction = COST_OUT,
		.permit = staging_permit_writer,
		.done = handle_done,
	};
	int result = gpu_engines_start(ring->source, &slot->order);
	if (result >= 0) {
		ring->stats.copies++;
		ring->stats.bytes += slot->order.bytes;
		ring->stats.engine = slot->order.engine;
		staging_allocation_written(slot);
		if (!slot->is_local) {
			staging_allocation_works(slot);
		}
	}
	return result > 0 && slot->is_local ? copy_from_crossing(slot) : result;
}

/*
 * Copies pixels that another buffer of the ring has, which need not cross again. This comes first,
 * because the reader's engine would wait for the other GPU's writes to the same memory.
 */
static int copy_from_sibling(struct staging_slot *slot, struct buffer *sibling)
{
	struct staging_ring *ring = slot->ring;
	slot->step = STAGING_FROM_SIBLING;
	slot->order = (struct copy_order){
		.source = sibling,
		.destination = slot->buffer,
		.damage = &slot->stale,
		.pair = ring->local_pair,
		.direction = COST_IN,
		.permit = staging_permit_reader,
		.done = handle_done,
	};
	int result = gpu_engines_start(ring->reader_engines, &slot->order);
	ring->stats.local += slot->order.bytes;
	return result;
}

static int start_next_step(struct staging_slot *slot)
{
	struct buffer *source = slot->source;
	int result = -EINVAL;
	switch (slot->step) {
	case STAGING_FROM_SIBLING:
		/*
		 * By now, the client may have drawn on another GPU, whose buffers other engines
		 * must not touch.
		 */
		if (source->home == slot->ring->source->gpu) {
			result = copy_from_source(slot, source);
			slot->ring->source_refused |= result < 0;
		}
		slot->source = NULL;
		buffer_unlock(source);
		return result;
	case STAGING_FROM_SOURCE:
		result = slot->is_local ? copy_from_crossing(slot) : 1;
		if (result == -ENOTSUP || result == -EINVAL) {
			slot->ring->crossing_refused = slot;
		}
		return result;
	case STAGING_FROM_CROSSING: return 1;
	}
	return result;
}

/*
 * No engine took the copy from the source: the pixels that it would have replaced are valid, and so
 * are those that a sibling has given.
 */
static void keep_pixels(struct staging_slot *slot, bool with_stale)
{
	struct ring_slot *state = &slot->ring->ring.slots[slot->index];
	if (with_stale) {
		pixman_region32_union(&slot->kept, &slot->kept, &slot->stale);
	}
	/* Other copies may have outdated some of them. */
	pixman_region32_intersect(&slot->kept, &slot->kept, &state->written);
	pixman_region32_subtract(&state->missing, &state->missing, &slot->kept);
}

static void handle_done(struct copy_order *order, bool good)
{
	struct staging_slot *slot = wl_container_of(order, slot, order);
	bool follows = good && slot->step == STAGING_FROM_SIBLING;
	int result = good ? start_next_step(slot) : -EIO;
	if (follows && result < 0 && !slot->order.engine) {
		keep_pixels(slot, true);
	}
	if (result != 0) {
		if (slot->source) {
			buffer_unlock(slot->source);
			slot->source = NULL;
		}
		finish_copy(slot, result > 0, true);
	}
}

/* Merges rectangles if that is cheaper, sparing pixels that are shown from this buffer. */
static void merge(struct staging_slot *slot)
{
	struct staging_ring *ring = slot->ring;
	const struct pixel_format *format = pixel_format_get(ring->format);
	pixman_region32_t allowed, only;
	pixman_region32_init(&only);
	pixman_region32_init_rect(
		&allowed, 0, 0, (unsigned)ring->ring.width, (unsigned)ring->ring.height);
	ring_only(&ring->ring, slot->index, &only);
	pixman_region32_subtract(&allowed, &allowed, &only);
	cost_merge(gpu_engines_cost(ring->source, ring->pair, COST_OUT), &slot->news, &allowed,
		format ? pixel_format_pixel_bytes(format) : 4);
	pixman_region32_fini(&only);
	pixman_region32_fini(&allowed);
}

void staging_align(const struct staging_ring *ring, pixman_region32_t *region)
{
	const struct pixel_format *format = pixel_format_get(ring->format);
	int n;
	pixman_region32_t aligned;
	if (!format || (format->hsub <= 1 && format->vsub <= 1)) {
		return;
	}
	pixman_region32_init(&aligned);
	pixman_box32_t *boxes = pixman_region32_rectangles(region, &n);
	for (int i = 0; i < n; i++) {
		int x1 = boxes[i].x1 & ~1, y1 = boxes[i].y1 & ~1;
		int x2 = (boxes[i].x2 + 1) & ~1, y2 = (boxes[i].y2 + 1) & ~1;
		pixman_region32_union_rect(
			&aligned, &aligned, x1, y1, (unsigned)(x2 - x1), (unsigned)(y2 - y1));
	}
	pixman_region32_intersect_rect(
		region, &aligned, 0, 0, (unsigned)ring->ring.width, (unsigned)ring->ring.height);
	pixman_region32_fini(&aligned);
}

/*
 * Returns whether the reader has SDMA, opening it if necessary. Discrete readers use tiled buffers,
 * and no engine copies from tiled to tiled.
 */
static bool can_copy_from_sibling(struct staging_ring *ring, struct buffer *buffer)
{
	if (!ring->reader.gpu || ring->local || !buffer_dmabuf(buffer)) {
		return false;
	}
	if (!ring->reader_engines) {
		ring->reader_engines = copier_use(ring->reader.staging->copier, ring->reader.gpu);
	}
	return gpu_engines_have_sdma(ring->reader_engines);
}

/*
 * Splits the region into pixels that another buffer has (`stale`) and pixels to cross (`news`).
 * Returns the other buffer's index, or -1 if all pixels cross.
 */
static int divide(struct staging_ring *ring, struct staging_slot *slot, pixman_region32_t *region)
{
	bool from_sibling = !ring->source_refused && can_copy_from_sibling(ring, slot->buffer);
	int sibling = -1;
	ring->source_refused = false;
	pixman_region32_copy(&slot->news, region);
	pixman_region32_clear(&slot->stale);
	if (slot->is_local) {
		/* Pixels that crossed for another slot need not cross again. */
		pixman_region32_intersect(&slot->news, region, &ring->crossing_lacks);
		staging_align(ring, &slot->news);
	}
	if (from_sibling) {
		pixman_region32_t fresh;
		pixman_region32_init(&fresh);
		ring_fresh(&ring->ring, slot->index, region, &fresh);
		staging_align(ring, &fresh);
		pixman_region32_subtract(&slot->stale, region, &fresh);
		pixman_region32_fini(&fresh);
	}
	if (pixman_region32_not_empty(&slot->stale)) {
		sibling = ring_find_sibling(&ring->ring, slot->index, &slot->stale);
	}
	if (sibling >= 0) {
		pixman_region32_subtract(&slot->news, &slot->news, &slot->stale);
	} else {
		pixman_region32_clear(&slot->stale);
	}
	return sibling;
}

int staging_start_copy(
	struct staging_ring *ring, int index, pixman_region32_t *region, struct buffer *source)
{
	struct staging_slot *slot = &ring->slots[index];
	struct ring_slot *state = &ring->ring.slots[index];
	int result = -ENODEV;
	bool spoilt = false;
	staging_align(ring, region);
	int sibling = divide(ring, slot, region);
	merge(slot);
	if (slot->is_local) {
		pixman_region32_union(region, region, &slot->news);
		pixman_region32_copy(&slot->local, region);
		pixman_region32_subtract(&ring->crossing_lacks, &ring->crossing_lacks, &slot->news);
	} else {
		pixman_region32_union(region, &slot->stale, &slot->news);
	}
	slot->since = clock_now(ring->reader.staging->copier->clock);
	pixman_region32_subtract(&slot->kept, region, &state->missing);
	ring_begin(&ring->ring, index, region);
	if (sibling >= 0) {
		result = copy_from_sibling(slot, ring->slots[sibling].buffer);
		ring->ring.slots[sibling].busy |= result == 0;
		spoilt = result < 0 && slot->order.engine;
	}
	bool with_stale = result > 0;
	if (result == 0) {
		slot->source = buffer_lock(source);
		return 0;
	}
	if (result < 0) {
		/* The engine refused or is opening: these pixels cross, too. */
		pixman_region32_union(&slot->news, &slot->news, &slot->stale);
	}
	result = copy_from_source(slot, source);
	if (result < 0 && !spoilt && !slot->order.engine) {
		keep_pixels(slot, with_stale);
	}
	if (result != 0) {
		finish_copy(slot, result > 0, false);
	}
	return result;
}

bool staging_is_crossing(const struct staging_ring *ring)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		if (ring->slots[i].is_local && ring->ring.slots[i].writing) {
			return true;
		}
	}
	return false;
}
