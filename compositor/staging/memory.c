/* SPDX-License-Identifier: MIT */
/* The memory of one staging ring: when buffers are allocated, replaced and freed. */

#include "staging/ring.h"
#include "util/fd.h"
#include "util/log.h"
#include <errno.h>

/*
 * Memory that was found while something better failed is replaced after this time (ns), which
 * doubles each time, up to RENEWAL_NS_MAX, until the best memory is found.
 */
#define RENEWAL_NS INT64_C(5000000000)
#define RENEWAL_NS_MAX INT64_C(60000000000)
#define DOUBLINGS_MAX 4 /* that stay below it */

static uint64_t buffer_memory(struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer ? buffer_dmabuf(buffer) : NULL;
	const struct pixel_format *format = dmabuf ? pixel_format_get(dmabuf->format) : NULL;
	uint64_t memory = 0;
	for (int i = 0; format && i < format->n_planes; i++) {
		memory += (uint64_t)dmabuf->stride[i] *
			  (uint64_t)pixel_format_plane_height(format, i, dmabuf->height);
	}
	return memory;
}

static bool has_buffers(const struct staging_ring *ring)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		if (ring->slots[i].buffer) {
			return true;
		}
	}
	return false;
}

static void free_crossing(struct staging_ring *ring)
{
	buffer_drop(ring->crossing);
	ring->crossing = NULL;
	ring->crossing_refused = NULL;
	ring->reader.staging->memory -= ring->crossing_memory;
	ring->crossing_memory = 0;
}

void staging_free(struct staging_slot *slot)
{
	struct staging_ring *ring = slot->ring;
	if (slot->is_local && slot->order.job) {
		/* Without the callback, the valid pixels of the crossing buffer are unknown. */
		free_crossing(ring);
	}
	copy_order_forget(&slot->order);
	if (slot->source) {
		buffer_unlock(slot->source);
		slot->source = NULL;
	}
	staging_unwatch(slot);
	slot->read = false;
	fd_close(&slot->read_fence);
	buffer_drop(slot->buffer);
	slot->buffer = NULL;
	slot->is_local = false;
	slot->search = (struct staging_search){0};
	ring->reader.staging->memory -= slot->memory;
	slot->memory = 0;
	if (!has_buffers(ring)) {
		free_crossing(ring);
		ring->crossing_search = (struct staging_search){0};
	}
}

/* Returns whether a better engine may use other memory later. */
static bool is_provisional(
	const struct staging_ring *ring, const struct staging_search *search, struct buffer *source)
{
	return gpu_engines_may_improve(ring->source, search->engine, source, COPY_SOURCE) ||
	       (ring->crossing && gpu_engines_may_improve(
					  ring->local, search->reads, ring->crossing, COPY_SOURCE));
}

/* Returns whether something better failed for a moment when the memory was found. */
static bool is_second_best(const struct staging_search *search)
{
	return search->temporary || search->skipped || search->provisional;
}

/* The pause before the next replacement starts anew with the best memory. */
static void end_renewals(struct staging_ring *ring, const struct staging_search *search)
{
	if (!is_second_best(search)) {
		ring->n_renewals = 0;
	}
}

static int64_t now_of(const struct staging_ring *ring)
{
	return clock_now(ring->reader.staging->copier->clock);
}

/* Accounts for a new crossing buffer, which lacks all pixels. */
static void count_crossing(struct staging_ring *ring, struct buffer *source)
{
	if (ring->crossing && ring->crossing_memory == 0) {
		ring->crossing_born = now_of(ring);
		ring->crossing_search.provisional =
			is_provisional(ring, &ring->crossing_search, source);
		ring->crossing_memory = buffer_memory(ring->crossing);
		ring->reader.staging->memory += ring->crossing_memory;
		end_renewals(ring, &ring->crossing_search);
		pixman_region32_fini(&ring->crossing_lacks);
		pixman_region32_init_rect(&ring->crossing_lacks, 0, 0, (unsigned)ring->ring.width,
			(unsigned)ring->ring.height);
	}
}

int staging_add_memory(struct staging_slot *slot, struct buffer *source)
{
	struct staging_ring *ring = slot->ring;
	if (slot->buffer) {
		int error = staging_allocate_crossing(ring, source, slot->buffer);
		count_crossing(ring, source);
		return error;
	}
	slot->read_fence = fd_reserve();
	int error = slot->read_fence < 0 ? slot->read_fence : staging_allocate(slot, source);
	count_crossing(ring, source);
	if (error < 0) {
		log_debug(LOG_COPY, "cannot allocate a staging buffer of %dx%d", ring->ring.width,
			ring->ring.height);
		fd_close(&slot->read_fence);
		return error;
	}
	slot->serial = ++ring->serial;
	slot->born = now_of(ring);
	slot->search.provisional =
		!slot->is_local &&
		(slot->is_stopgap || is_provisional(ring, &slot->search, source));
	if (!slot->is_local) {
		end_renewals(ring, &slot->search);
	}
	slot->memory = buffer_memory(slot->buffer);
	ring->reader.staging->memory += slot->memory;
	ring_add(&ring->ring, slot->index);
	return 0;
}

static bool has_only_pixels(const struct staging_slot *slot)
{
	pixman_region32_t only;
	pixman_region32_init(&only);
	ring_only(&slot->ring->ring, slot->index, &only);
	bool has = pixman_region32_not_empty(&only);
	pixman_region32_fini(&only);
	return has;
}

int staging_replace_memory(struct staging_slot *slot, struct buffer *source)
{
	struct staging_ring *ring = slot->ring;
	int engine = gpu_engines_import_any(ring->source, 0, source, COPY_SOURCE);
	if (engine < 0) {
		return engine; /* the client's buffer was refused, not this memory */
	}
	if (!slot->buffer) {
		return -ENOTSUP;
	}
	bool local = slot->is_local &&
		     gpu_engines_have_refused(ring->local, slot->buffer, COPY_DESTINATION);
	if (!local && !staging_allocation_refused(slot, engine)) {
		return -ENOTSUP;
	}
	if (slot->is_local && !local) {
		free_crossing(ring);
		return staging_add_memory(slot, source);
	}
	if (ring_retire(&ring->ring, slot->index)) {
		return 0;
	}
	if (ring->ring.full && has_only_pixels(slot)) {
		return -ENOMEM; /* until there is memory for another slot, these are shown */
	}
	struct staging_search search = slot->search;
	ring_remove(&ring->ring, slot->index);
	staging_free(slot);
	slot->search = search;
	return staging_add_memory(slot, source);
}

uint64_t staging_ring_memory(const struct staging_ring *ring)
{
	uint64_t memory = ring->crossing_memory;
	for (int i = 0; i < STAGING_MAX; i++) {
		memory += ring->slots[i].memory;
	}
	return memory;
}

/* Frees buffers whose pixels other buffers have too: all, or those of retired slots. */
static void free_redundant(struct staging_ring *ring, bool all)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		struct staging_slot *slot = &ring->slots[i];
		const struct ring_slot *state = &ring->ring.slots[i];
		if (!slot->buffer || state->writing || state->busy || (!all && !state->retired)) {
			continue;
		}
		if (!has_only_pixels(slot)) {
			ring_remove(&ring->ring, i);
			staging_free(slot);
		}
	}
}

static bool is_due(
	const struct staging_ring *ring, const struct staging_search *search, int64_t born)
{
	const int64_t pause =
		ring->n_renewals < DOUBLINGS_MAX ? RENEWAL_NS << ring->n_renewals : RENEWAL_NS_MAX;
	return is_second_best(search) && now_of(ring) - born >= pause;
}

static void renew(struct staging_ring *ring, int index)
{
	if (!ring_retire(&ring->ring, index)) {
		ring_remove(&ring->ring, index);
		staging_free(&ring->slots[index]);
	}
	ring->n_renewals++;
}

/* By the time that memory is due, lost engines may be opened again. */
void staging_renew_memory(struct staging_ring *ring)
{
	if (ring->crossing && !staging_is_crossing(ring) &&
		is_due(ring, &ring->crossing_search, ring->crossing_born)) {
		free_crossing(ring);
		ring->crossing_search = (struct staging_search){0};
		ring->n_renewals++;
	}
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct staging_slot *slot = &ring->slots[i];
		const struct ring_slot *state = &ring->ring.slots[i];
		/* One at a time: others have the pixels until it is replaced. */
		if (slot->buffer && !slot->is_local && !state->retired && !state->writing &&
			!state->busy && is_due(ring, &slot->search, slot->born)) {
			renew(ring, i);
			return;
		}
	}
}

void staging_free_retired(struct staging_ring *ring)
{
	free_redundant(ring, false);
}

void staging_release_memory(struct staging_ring *ring)
{
	if (ring->user.can_restore(ring->user.data)) {
		ring->user.discard(ring->user.data);
		return;
	}
	staging_check_readers(ring);
	free_redundant(ring, true);
}
