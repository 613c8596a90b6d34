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

static struct buffer *allocate_linear(struct staging_ring *ring)
{
	uint64_t linear = DRM_FORMAT_MOD_LINEAR;
	struct format_modifiers format = {
		.format = ring->format, .n_modifiers = 1, .modifiers = &linear};

	if (!ring->reader.allocator) {
		return copy_device_allocate(
			ring->source, ring->ring.width, ring->ring.height, ring->format);
	}
	errno = 0;
	return ring->reader.allocator->impl->create_buffer(
		ring->reader.allocator, ring->ring.width, ring->ring.height, &format);
}

static struct buffer *allocate_as(struct staging_ring *ring, uint64_t *modifiers, size_t n)
{
	struct format_modifiers format = {
		.format = ring->format, .n_modifiers = n, .modifiers = modifiers};
	struct buffer *buffer = ring->reader.allocator->impl->create_buffer(
		ring->reader.allocator, ring->ring.width, ring->ring.height, &format);
	const char *reason;
	int error = !buffer                  ? -ENOMEM
		    : !buffer_dmabuf(buffer) ? -ENOTSUP
					     : copy_device_check(ring->local, buffer_dmabuf(buffer),
						       COPY_DESTINATION, &reason);

	if (error < 0) {
		buffer_drop(buffer);
		errno = -error;
		return NULL;
	}
	return buffer;
}

/* Of a discrete reader: in its own memory, laid out as it likes, and as its engine can write it. */
static struct buffer *allocate_local(struct staging_ring *ring)
{
	const struct format_modifiers *known = format_set_get(ring->reader.formats, ring->format);
	uint64_t linear = DRM_FORMAT_MOD_LINEAR, *modifiers;
	struct buffer *buffer = NULL;
	size_t n = 0;

	if (!known) {
		errno = ENOTSUP;
		return NULL;
	}
	modifiers = xcalloc(known->n_modifiers, sizeof(*modifiers));
	for (size_t i = 0; i < known->n_modifiers; i++) {
		if (known->modifiers[i] != DRM_FORMAT_MOD_INVALID &&
			!modifier_is_compressed(known->modifiers[i])) {
			modifiers[n++] = known->modifiers[i];
		}
	}
	errno = 0;
	buffer = n > 0 ? allocate_as(ring, modifiers, n) : NULL;
	free(modifiers);
	return buffer || errno == EINPROGRESS ? buffer : allocate_as(ring, &linear, 1);
}

void staging_free(struct staging_slot *slot)
{
	struct staging_ring *ring = slot->ring;

	copy_order_forget(&slot->order);
	if (slot->source) {
		buffer_unlock(slot->source);
		slot->source = NULL;
	}
	fd_close(&slot->read_fence);
	buffer_drop(slot->crossing);
	buffer_drop(slot->buffer);
	slot->crossing = slot->buffer = NULL;
	ring->reader.copier->memory -= slot->memory;
	slot->memory = 0;
}

static void make_room(struct staging_ring *ring);

/* Of a reader that has an engine; 0 with no buffer: it takes none. */
static int fill_local(struct staging_ring *ring, struct staging_slot *slot)
{
	struct buffer *local = allocate_local(ring);
	int error;

	if (local) {
		slot->crossing = copy_device_allocate(
			ring->source, ring->ring.width, ring->ring.height, ring->format);
	}
	if (local && slot->crossing) {
		slot->buffer = local;
		return 0;
	}
	error = errno;
	buffer_drop(local);
	return error == EINPROGRESS ? -EINPROGRESS : 0;
}

int staging_fill(struct staging_slot *slot)
{
	struct staging_ring *ring = slot->ring;

	make_room(ring);
	if (ring->local && fill_local(ring, slot) < 0) {
		return -EINPROGRESS;
	}
	/* A reader without an engine of its own reads over the bus. */
	if (!slot->buffer) {
		slot->buffer = allocate_linear(ring);
	}
	if (!slot->buffer) {
		log_debug(LOG_COPY, "no staging buffer of %dx%d", ring->ring.width,
			ring->ring.height);
		return errno == EINPROGRESS ? -EINPROGRESS : -ENOMEM;
	}
	slot->serial = ++ring->serial;
	slot->memory = memory_of(slot->buffer) + memory_of(slot->crossing);
	ring->reader.copier->memory += slot->memory;
	ring_add(&ring->ring, slot->index);
	return 0;
}

static uint64_t memory_of_ring(const struct staging_ring *ring)
{
	uint64_t memory = 0;

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

		if (!slot->buffer || ring->ring.slots[i].flying || slot->read_fence >= 0 ||
			slot->buffer->n_locks > 0) {
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
