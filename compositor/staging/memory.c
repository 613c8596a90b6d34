/* SPDX-License-Identifier: MIT */
/* The memory of one staging ring: when buffers are allocated, replaced and freed. */

#include "staging/ring.h"
#include "util/fd.h"
#include "util/log.h"
#include <errno.h>

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

/* Accounts for a new crossing buffer, which lacks all pixels. */
static void count_crossing(struct staging_ring *ring)
{
	if (ring->crossing && ring->crossing_memory == 0) {
		ring->crossing_memory = buffer_memory(ring->crossing);
		ring->reader.staging->memory += ring->crossing_memory;
		pixman_region32_fini(&ring->crossing_lacks);
		pixman_region32_init_rect(&ring->crossing_lacks, 0, 0, (unsigned)ring->ring.width,
			(unsigned)ring->ring.height);
	}
}

int staging_add_memory(struct staging_slot *slot, struct buffer *source)
{
	struct staging_ring *ring = slot->ring;
	if (slot->buffer) {
		int error = staging_allocate_crossing(ring, source);
		count_crossing(ring);
		return error;
	}
	slot->read_fence = fd_reserve();
	int error = slot->read_fence < 0 ? slot->read_fence : staging_allocate(slot, source);
	count_crossing(ring);
	if (error < 0) {
		log_debug(LOG_COPY, "cannot allocate a staging buffer of %dx%d", ring->ring.width,
			ring->ring.height);
		fd_close(&slot->read_fence);
		return error;
	}
	slot->serial = ++ring->serial;
	slot->memory = buffer_memory(slot->buffer);
	ring->reader.staging->memory += slot->memory;
	ring_add(&ring->ring, slot->index);
	return 0;
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
		pixman_region32_t only;
		pixman_region32_init(&only);
		ring_only(&ring->ring, i, &only);
		bool redundant = !pixman_region32_not_empty(&only);
		pixman_region32_fini(&only);
		if (redundant) {
			ring_remove(&ring->ring, i);
			staging_free(slot);
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
