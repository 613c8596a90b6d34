/* The memory of staging rings: where it is allocated, and when it is freed. */

#include "copy/staging_ring.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>

#define UNSEEN_NS INT64_C(2000000000)

static uint64_t memory_of(struct buffer *buffer)
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
	ring->reader.copier->memory -= ring->crossing_memory;
	ring->crossing_memory = 0;
}

void staging_free(struct staging_slot *slot)
{
	struct staging_ring *ring = slot->ring;

	if (slot->takes && slot->order.flight) {
		/* Nobody will know what has crossed. */
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
	slot->takes = false;
	slot->found = (struct staging_found){0};
	ring->reader.copier->memory -= slot->memory;
	slot->memory = 0;
	if (!has_buffers(ring)) {
		free_crossing(ring);
		ring->crossing_found = (struct staging_found){0};
	}
}

static void make_room(struct staging_ring *ring);

/* Anew, or what all slots have lost. */
static void count_crossing(struct staging_ring *ring)
{
	if (ring->crossing && ring->crossing_memory == 0) {
		ring->crossing_memory = memory_of(ring->crossing);
		ring->reader.copier->memory += ring->crossing_memory;
		pixman_region32_fini(&ring->crossing_lacks);
		pixman_region32_init_rect(&ring->crossing_lacks, 0, 0, (unsigned)ring->ring.width,
			(unsigned)ring->ring.height);
	}
}

int staging_fill(struct staging_slot *slot, struct buffer *source)
{
	struct staging_ring *ring = slot->ring;
	int error;

	make_room(ring);
	if (slot->buffer) {
		error = staging_place_crossing(ring, source);
		count_crossing(ring);
		return error;
	}
	slot->read_fence = fd_reserve();
	error = slot->read_fence < 0 ? slot->read_fence : staging_place(slot, source);
	count_crossing(ring);
	if (error < 0) {
		log_debug(LOG_COPY, "no staging buffer of %dx%d", ring->ring.width,
			ring->ring.height);
		fd_close(&slot->read_fence);
		return error;
	}
	slot->serial = ++ring->serial;
	slot->memory = memory_of(slot->buffer);
	ring->reader.copier->memory += slot->memory;
	ring_add(&ring->ring, slot->index);
	return 0;
}

int staging_refill(struct staging_slot *slot, struct buffer *source)
{
	struct staging_ring *ring = slot->ring;
	struct staging_found found;
	int engine = copy_device_take(ring->source, 0, source, COPY_SOURCE);

	if (engine < 0) {
		return engine; /* it is the client's buffer that none takes, not this one */
	}
	if (!slot->buffer || !staging_place_refused(slot, engine)) {
		return -ENOTSUP;
	}
	if (slot->takes) {
		free_crossing(ring);
		return staging_fill(slot, source);
	}
	found = slot->found;
	ring_remove(&ring->ring, slot->index);
	staging_free(slot);
	slot->found = found;
	return staging_fill(slot, source);
}

static uint64_t memory_of_ring(const struct staging_ring *ring)
{
	uint64_t memory = ring->crossing_memory;

	for (int i = 0; i < STAGING_MAX; i++) {
		memory += ring->slots[i].memory;
	}
	return memory;
}

void staging_count_unseen(struct staging_ring *ring)
{
	struct copier *copier = ring->reader.copier;

	ring->unseen_since = memory_of_ring(ring) > 0 ? clock_now(copier->clock) : INT64_MAX;
	/* In order of time; what is seen may be anywhere. */
	wl_list_remove(&ring->link);
	wl_list_insert(copier->rings.prev, &ring->link);
	staging_arm_cleaner(copier);
}

/* Freeing */

/* Buffers that only repeat what others have; all of them for somebody who can copy again. */
static void trim(struct staging_ring *ring)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		struct staging_slot *slot = &ring->slots[i];
		pixman_region32_t only;
		bool needless;

		if (!slot->buffer || ring->ring.slots[i].flying || ring->ring.slots[i].busy) {
			continue;
		}
		pixman_region32_init(&only);
		ring_only(&ring->ring, i, &only);
		needless = !pixman_region32_not_empty(&only);
		pixman_region32_fini(&only);
		if (needless) {
			ring_remove(&ring->ring, i);
			staging_free(slot);
		}
	}
}

/* True if the ring is no more. */
static bool let_go(struct staging_ring *ring)
{
	if (ring->user.can_restore(ring->user.data)) {
		ring->user.discard(ring->user.data);
		return true;
	}
	staging_look_at_readers(ring);
	trim(ring);
	return false;
}

void staging_arm_cleaner(struct copier *copier)
{
	int64_t due = INT64_MAX;
	struct staging_ring *ring;

	/* Those that were unseen longest come first, and those that are seen last. */
	wl_list_for_each (ring, &copier->rings, link) {
		if (!ring->seen && ring->unseen_since != INT64_MAX) {
			due = ring->unseen_since + UNSEEN_NS;
			break;
		}
	}
	if (due == INT64_MAX) {
		timer_disarm(&copier->cleaner);
	} else if (!copier->cleaner.armed || copier->cleaner.when != due) {
		timer_arm(&copier->cleaner, due);
	}
}

static void clean(struct timer *timer, int64_t now)
{
	struct copier *copier = wl_container_of(timer, copier, cleaner);
	struct staging_ring *ring, *next;

	wl_list_for_each_safe (ring, next, &copier->rings, link) {
		if (!ring->seen && ring->unseen_since != INT64_MAX &&
			now - ring->unseen_since >= UNSEEN_NS) {
			/* What cannot be freed is not looked at again before it was seen. */
			ring->unseen_since = INT64_MAX;
			let_go(ring);
		}
	}
	staging_arm_cleaner(copier);
}

void staging_init_cleaner(struct copier *copier)
{
	timer_init(&copier->cleaner, copier->clock, clean);
}

/* Before it gets more: who was unseen longest gives way, however short that is. */
static void make_room(struct staging_ring *asking)
{
	struct copier *copier = asking->reader.copier;
	struct staging_ring *ring, *next;

	wl_list_for_each_safe (ring, next, &copier->rings, link) {
		if (copier->memory <= copier->memory_most) {
			return;
		}
		if (!ring->seen && ring != asking && memory_of_ring(ring) > 0) {
			let_go(ring);
		}
	}
}

void staging_set_seen(struct staging_ring *ring, bool seen)
{
	if (ring->seen != seen) {
		ring->seen = seen;
		staging_count_unseen(ring);
	}
}
