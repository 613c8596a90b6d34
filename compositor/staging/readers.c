/* SPDX-License-Identifier: MIT */
/* Readers of a staging ring, and the pixels that it can show. */

#include "staging/ring.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/region.h"

void staging_check_readers(struct staging_ring *ring)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		struct staging_slot *slot = &ring->slots[i];
		int own = (slot->order.job != NULL);
		staging_unwatch(slot);
		slot->read = slot->read && fence_status(slot->read_fence) == 0;
		ring->ring.slots[i].busy =
			slot->buffer && (slot->read || slot->buffer->n_locks > own);
	}
}

void staging_unwatch(struct staging_slot *slot)
{
	fd_watch_stop(&slot->read_end);
	slot->read_watched = false;
	wl_list_remove(&slot->released.link);
	wl_list_init(&slot->released.link);
}

void staging_notify(struct staging_ring *ring)
{
	pixman_region32_t wanted;
	pixman_region32_init(&wanted);
	pixman_region32_copy(&wanted, &ring->wanted);
	pixman_region32_clear(&ring->wanted);
	ring->wants_whole = false;
	ring->user.arrived(ring->user.data, &wanted);
	pixman_region32_fini(&wanted);
}

static void handle_turn(void *data)
{
	struct staging_ring *ring = data;
	ring->turn = NULL; /* libwayland removes idle sources */
	staging_notify(ring);
}

void staging_notify_soon(struct staging_ring *ring)
{
	if (!ring->turn) {
		ring->turn = wl_event_loop_add_idle(
			ring->reader.staging->copier->loop, handle_turn, ring);
	}
}

/* Defers the notification: buffers are unlocked in the middle of a frame. */
static void notify_soon(struct staging_slot *slot)
{
	staging_unwatch(slot);
	staging_notify_soon(slot->ring);
}

static void handle_read_end(void *data)
{
	notify_soon(data);
}

static void handle_released(struct wl_listener *listener, void *data)
{
	struct staging_slot *slot = wl_container_of(listener, slot, released);
	notify_soon(slot);
}

static void watch(struct staging_slot *slot)
{
	struct copier *copier = slot->ring->reader.staging->copier;
	if (slot->read) {
		slot->read_watched = true;
		fd_watch_start(&slot->read_end, copier->loop, copier->clock, slot->read_fence,
			handle_read_end, slot);
	} else {
		signal_add(&slot->buffer->events.release, &slot->released, handle_released);
	}
}

/*
 * Returns whether the slot would be written, or could be after a while, if it were free. The buffer
 * on screen is read by every frame and must not request another.
 */
static bool is_wanted(struct ring *ring, int index, const pixman_region32_t *needed, bool whole)
{
	pixman_region32_t region;
	pixman_region32_init(&region);
	ring->slots[index].busy = false;
	bool wanted = ring_choose(ring, needed, whole, &region) >= 0 ||
		      ring_is_stuck(ring, needed, whole);
	ring->slots[index].busy = true;
	pixman_region32_fini(&region);
	return wanted;
}

void staging_watch_readers(struct staging_ring *ring, const pixman_region32_t *needed, bool whole)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		if (ring->ring.slots[i].busy && is_wanted(&ring->ring, i, needed, whole)) {
			watch(&ring->slots[i]);
		}
	}
}

static int64_t share(const struct ring *ring, int index, const pixman_region32_t *needed)
{
	pixman_region32_t left, part;
	pixman_region32_init(&left);
	pixman_region32_init(&part);
	pixman_region32_copy(&left, (pixman_region32_t *)needed);
	ring_take(ring, index, &left, &part);
	int64_t area = region_area(&part);
	pixman_region32_fini(&part);
	pixman_region32_fini(&left);
	return area;
}

int staging_parts(const struct staging_ring *ring, const pixman_region32_t *needed,
	struct staging_part parts[static STAGING_MAX])
{
	bool done[STAGING_MAX] = {false};
	pixman_region32_t left;
	int n = 0;
	pixman_region32_init(&left);
	pixman_region32_intersect_rect(&left, (pixman_region32_t *)needed, 0, 0,
		(unsigned)ring->ring.width, (unsigned)ring->ring.height);
	/* Largest part first; one buffer usually has all pixels. */
	while (pixman_region32_not_empty(&left)) {
		int64_t most = 0;
		int best = -1;
		for (int i = 0; i < STAGING_MAX; i++) {
			int64_t area = done[i] ? 0 : share(&ring->ring, i, &left);
			if (area > most) {
				most = area;
				best = i;
			}
		}
		if (best < 0) {
			break;
		}
		done[best] = true;
		parts[n].index = best;
		parts[n].buffer = ring->slots[best].buffer;
		parts[n].serial = ring->slots[best].serial;
		pixman_region32_init(&parts[n].region);
		ring_take(&ring->ring, best, &left, &parts[n].region);
		n++;
	}
	pixman_region32_fini(&left);
	return n;
}

void staging_parts_finish(struct staging_part *parts, int n)
{
	for (int i = 0; i < n; i++) {
		pixman_region32_fini(&parts[i].region);
	}
}

void staging_read(struct staging_ring *ring, int index, int fence)
{
	struct staging_slot *slot = &ring->slots[index];
	bool watched = slot->read_watched;
	if (watched) {
		staging_unwatch(slot);
	}
	/* Passes of a device end in order, so the last fence stands for all. */
	slot->read = fence >= 0 && fd_dup_into(fence, slot->read_fence);
	if (watched && slot->read) {
		watch(slot);
	} else if (watched) {
		notify_soon(slot);
	}
}
