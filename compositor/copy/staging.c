/* Staging rings: the copies into their buffers, and who reads which. */

#include "copy/staging_ring.h"
#include "gpu/gpu.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void handle_done(struct copy_order *order, bool good);

static const char *reader_kind(const struct staging_ring *ring)
{
	return !ring->reader.gpu ? "cpu" : ring->reader.gpu->integrated ? "integrated" : "discrete";
}

static void name_pair(char pair[static PAIR_MAX], const struct gpu *gpu, const char *to)
{
	snprintf(pair, PAIR_MAX, "%04x:%04x>%s", gpu->vendor, gpu->device, to);
}

/* Life */

/* Whoever is told may destroy the ring. */
static void look_again(struct staging_ring *ring)
{
	pixman_region32_t wanted;

	if (!ring->opening) {
		return;
	}
	ring->opening = false;
	pixman_region32_init(&wanted);
	pixman_region32_copy(&wanted, &ring->wanted);
	ring->user.arrived(ring->user.data, &wanted);
	pixman_region32_fini(&wanted);
}

static void handle_source_opened(struct wl_listener *listener, void *data)
{
	struct staging_ring *ring = wl_container_of(listener, ring, source_opened);

	look_again(ring);
}

static void handle_local_opened(struct wl_listener *listener, void *data)
{
	struct staging_ring *ring = wl_container_of(listener, ring, local_opened);

	look_again(ring);
}

struct staging_ring *staging_ring_create(
	const struct staging_reader *reader, const struct staging_user *user)
{
	struct staging_ring *ring = xcalloc(1, sizeof(*ring));

	ring->reader = *reader;
	ring->user = *user;
	ring->seen = true;
	ring_init(&ring->ring, reader->gpu != NULL);
	pixman_region32_init(&ring->wanted);
	ring->source_opened.notify = handle_source_opened;
	wl_list_init(&ring->source_opened.link);
	ring->local_opened.notify = handle_local_opened;
	wl_list_init(&ring->local_opened.link);
	for (int i = 0; i < STAGING_MAX; i++) {
		ring->slots[i].ring = ring;
		ring->slots[i].index = i;
		ring->slots[i].read_fence = -1;
		pixman_region32_init(&ring->slots[i].stale);
		pixman_region32_init(&ring->slots[i].news);
		pixman_region32_init(&ring->slots[i].taken);
	}
	pixman_region32_init(&ring->crossing_lacks);
	if (reader->gpu && !reader->gpu->integrated) {
		ring->local = copier_use(reader->copier, reader->gpu);
		wl_signal_add(&ring->local->events.opened, &ring->local_opened);
	}
	if (reader->gpu) {
		name_pair(ring->local_pair, reader->gpu, "own");
	}
	wl_list_insert(reader->copier->rings.prev, &ring->link);
	return ring;
}

void staging_ring_destroy(struct staging_ring *ring)
{
	struct copier *copier;

	if (!ring) {
		return;
	}
	copier = ring->reader.copier;
	for (int i = 0; i < STAGING_MAX; i++) {
		staging_free(&ring->slots[i]);
		pixman_region32_fini(&ring->slots[i].stale);
		pixman_region32_fini(&ring->slots[i].news);
		pixman_region32_fini(&ring->slots[i].taken);
	}
	pixman_region32_fini(&ring->crossing_lacks);
	ring_finish(&ring->ring);
	pixman_region32_fini(&ring->wanted);
	wl_list_remove(&ring->source_opened.link);
	wl_list_remove(&ring->local_opened.link);
	copy_device_release(ring->source);
	copy_device_release(ring->local);
	copy_device_release(ring->mender);
	wl_list_remove(&ring->link);
	free(ring);
	staging_arm_cleaner(copier);
}

void staging_damage(struct staging_ring *ring, int32_t width, int32_t height, uint32_t format,
	const pixman_region32_t *damage)
{
	bool same =
		ring->ring.width == width && ring->ring.height == height && ring->format == format;
	pixman_region32_t all;

	if (!same) {
		for (int i = 0; i < STAGING_MAX; i++) {
			staging_free(&ring->slots[i]);
		}
		ring->format = format;
		ring_resize(&ring->ring, width, height);
		return;
	}
	pixman_region32_init_rect(&all, 0, 0, (unsigned)width, (unsigned)height);
	if (!damage) {
		damage = &all;
	}
	ring_damage(&ring->ring, damage);
	pixman_region32_union(
		&ring->crossing_lacks, &ring->crossing_lacks, (pixman_region32_t *)damage);
	pixman_region32_intersect(&ring->crossing_lacks, &ring->crossing_lacks, &all);
	pixman_region32_fini(&all);
}

/* Copies */

static void finish_copy(struct staging_slot *slot, bool good, bool tell)
{
	struct staging_ring *ring = slot->ring;
	pixman_region32_t region;

	pixman_region32_init(&region);
	ring_end(&ring->ring, slot->index, good, &region);
	if (slot->takes && slot->step == STAGING_CROSS) {
		pixman_region32_union(&ring->crossing_lacks, &ring->crossing_lacks, &slot->news);
	}
	pixman_region32_clear(&slot->stale);
	pixman_region32_clear(&slot->news);
	/* Whoever is told may destroy the ring. */
	if (tell) {
		ring->user.arrived(ring->user.data, &region);
	}
	pixman_region32_fini(&region);
}

/* What has crossed goes on into the reader's own memory. As copy_device_start(). */
static int take_in(struct staging_slot *slot)
{
	struct staging_ring *ring = slot->ring;
	int result;

	slot->step = STAGING_TAKE;
	slot->order = (struct copy_order){
		.source = ring->crossing,
		.destination = slot->buffer,
		.damage = &slot->taken,
		.pair = ring->local_pair,
		.direction = COST_IN,
		.done = handle_done,
	};
	result = copy_device_start(ring->local, &slot->order);
	ring->stats.local += slot->order.bytes;
	return result;
}

static int cross(struct staging_slot *slot, struct buffer *source)
{
	struct staging_ring *ring = slot->ring;
	int result;

	slot->step = STAGING_CROSS;
	if (!pixman_region32_not_empty(&slot->news)) {
		return slot->takes ? take_in(slot) : 1;
	}
	slot->order = (struct copy_order){
		.source = source,
		.destination = slot->takes ? ring->crossing : slot->buffer,
		.damage = &slot->news,
		.crosses = true,
		.pair = ring->pair,
		.direction = COST_OUT,
		.done = handle_done,
	};
	result = copy_device_start(ring->source, &slot->order);
	if (result >= 0) {
		ring->stats.copies++;
		ring->stats.bytes += slot->order.bytes;
		ring->stats.engine = slot->order.engine;
		staging_place_works(slot);
	}
	return result > 0 && slot->takes ? take_in(slot) : result;
}

/*
 * What the buffer lacks and another one has was copied once: it need not cross again. Before the rest, since
 * the reader's engine would wait for what the other GPU writes to the same memory.
 */
static int mend(struct staging_slot *slot, struct buffer *donor)
{
	struct staging_ring *ring = slot->ring;
	int result;

	slot->step = STAGING_MEND;
	slot->order = (struct copy_order){
		.source = donor,
		.destination = slot->buffer,
		.damage = &slot->stale,
		.pair = ring->local_pair,
		.direction = COST_IN,
		.done = handle_done,
	};
	result = copy_device_start(ring->mender, &slot->order);
	ring->stats.local += slot->order.bytes;
	return result;
}

static int go_on(struct staging_slot *slot)
{
	struct buffer *source = slot->source;
	int result = -EINVAL;

	switch (slot->step) {
	case STAGING_MEND:
		result = cross(slot, source);
		slot->source = NULL;
		buffer_unlock(source);
		return result;
	case STAGING_CROSS: return slot->takes ? take_in(slot) : 1;
	case STAGING_TAKE: return 1;
	}
	return result;
}

static void handle_done(struct copy_order *order, bool good)
{
	struct staging_slot *slot = wl_container_of(order, slot, order);
	int result = good ? go_on(slot) : -EIO;

	if (result != 0) {
		if (slot->source) {
			buffer_unlock(slot->source);
			slot->source = NULL;
		}
		finish_copy(slot, result > 0, true);
	}
}

/* Fewer rectangles where that is cheaper, but into no pixels that the picture is shown from. */
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
	cost_merge(copy_device_cost(ring->source, ring->pair, COST_OUT), &slot->news, &allowed,
		format ? format->bytes[0] : 4);
	pixman_region32_fini(&only);
	pixman_region32_fini(&allowed);
}

/* Samples of chroma are shared by neighbours. */
static void align(const struct staging_ring *ring, pixman_region32_t *region)
{
	const struct pixel_format *format = pixel_format_get(ring->format);
	int n;
	pixman_box32_t *boxes;
	pixman_region32_t aligned;

	if (!format || (format->hsub <= 1 && format->vsub <= 1)) {
		return;
	}
	pixman_region32_init(&aligned);
	boxes = pixman_region32_rectangles(region, &n);
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

/* Readers that have ended since are forgotten. */
static void look_at_readers(struct staging_ring *ring)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		struct staging_slot *slot = &ring->slots[i];
		int own = (slot->order.flight != NULL);

		if (slot->read_fence >= 0 && fence_status(slot->read_fence) != 0) {
			fd_close(&slot->read_fence);
		}
		ring->ring.slots[i].busy =
			slot->buffer && (slot->read_fence >= 0 || slot->buffer->n_locks > own);
	}
}

/*
 * The reader has an engine made for copies, which is opened for it if need be. What a discrete one reads is
 * tiled, and no engine here copies from tiled to tiled.
 */
static bool can_mend(struct staging_ring *ring, struct buffer *buffer)
{
	if (!ring->reader.gpu || ring->local || !buffer_dmabuf(buffer)) {
		return false;
	}
	if (!ring->mender) {
		ring->mender = copier_use(ring->reader.copier, ring->reader.gpu);
	}
	return copy_device_has_sdma(ring->mender);
}

/* Of what is to be copied, that which another buffer has; -1: all crosses. */
static int divide(struct staging_ring *ring, struct staging_slot *slot, pixman_region32_t *region)
{
	bool mends = can_mend(ring, slot->buffer);
	int donor = -1;

	pixman_region32_copy(&slot->news, region);
	pixman_region32_clear(&slot->stale);
	if (slot->takes) {
		/* What has crossed for another slot need not do so again. */
		pixman_region32_intersect(&slot->news, region, &ring->crossing_lacks);
		align(ring, &slot->news);
	}
	if (mends) {
		pixman_region32_subtract(&slot->stale, region, &ring->ring.owed);
		align(ring, &slot->stale);
	}
	if (pixman_region32_not_empty(&slot->stale)) {
		donor = ring_donor(&ring->ring, slot->index, &slot->stale);
	}
	if (donor >= 0) {
		pixman_region32_subtract(&slot->news, &slot->news, &slot->stale);
		align(ring, &slot->news);
	} else {
		pixman_region32_clear(&slot->stale);
	}
	return donor;
}

static int start(
	struct staging_ring *ring, int index, pixman_region32_t *region, struct buffer *source)
{
	struct staging_slot *slot = &ring->slots[index];
	int donor, result = -ENODEV;

	align(ring, region);
	donor = divide(ring, slot, region);
	merge(slot);
	if (slot->takes) {
		pixman_region32_union(region, region, &slot->news);
		pixman_region32_copy(&slot->taken, region);
		pixman_region32_subtract(&ring->crossing_lacks, &ring->crossing_lacks, &slot->news);
	} else {
		pixman_region32_union(region, &slot->stale, &slot->news);
	}
	ring_begin(&ring->ring, index, region);
	if (donor >= 0) {
		result = mend(slot, ring->slots[donor].buffer);
		ring->ring.slots[donor].busy |= result == 0;
	}
	if (result == 0) {
		slot->source = buffer_lock(source);
		return 0;
	}
	if (result < 0) {
		/* Nobody mends it, or not yet. */
		pixman_region32_union(&slot->news, &slot->news, &slot->stale);
	}
	result = cross(slot, source);
	if (result != 0) {
		finish_copy(slot, result > 0, false);
	}
	return result;
}

static void use_source(struct staging_ring *ring, struct gpu *gpu)
{
	if (!ring->source || ring->source->gpu != gpu) {
		struct copy_device *old = ring->source;

		ring->source = copier_use(ring->reader.copier, gpu);
		wl_list_remove(&ring->source_opened.link);
		wl_signal_add(&ring->source->events.opened, &ring->source_opened);
		name_pair(ring->pair, gpu, reader_kind(ring));
		copy_device_release(old);
		/* What the one before could write has to be found out anew. */
		for (int i = 0; i < STAGING_MAX; i++) {
			ring->slots[i].found =
				(struct staging_found){.placement = ring->slots[i].found.placement};
		}
		ring->crossing_found =
			(struct staging_found){.placement = ring->crossing_found.placement};
	}
}

/* What crosses for a discrete reader does so through one buffer. */
static bool is_crossing(const struct staging_ring *ring)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		if (ring->slots[i].takes && ring->ring.slots[i].flying) {
			return true;
		}
	}
	return false;
}

/* Whoever is refused has the reason. */
static const char *find_reason(struct staging_ring *ring, struct buffer *source, int error)
{
	const char *reason = "no copy engine of its GPU takes it";

	if (error == -ENOMEM) {
		return "no memory suits both its GPU and what shows it";
	}
	copy_device_check(ring->source, buffer_dmabuf(source), COPY_SOURCE, &reason);
	return reason;
}

enum staging_status staging_copy(struct staging_ring *ring, struct buffer *source,
	const pixman_region32_t *needed, bool whole, const char **reason)
{
	pixman_region32_t region;
	int index, result = 0;

	use_source(ring, source->home);
	ring->opening = false;
	if (copy_device_is_pointless(
		    ring->source, buffer_dmabuf(source), ring->pair, !ring->reader.gpu)) {
		*reason = "it is sooner read as it is than copied";
		return STAGING_REFUSED;
	}
	look_at_readers(ring);
	pixman_region32_init(&region);
	/* At most one copy into each buffer. */
	while (result >= 0 && !is_crossing(ring) &&
		(index = ring_choose(&ring->ring, needed, whole, &region)) >= 0) {
		struct staging_slot *slot = &ring->slots[index];

		if (!slot->buffer || (slot->takes && !ring->crossing)) {
			result = staging_fill(slot, source);
		}
		if (result >= 0) {
			result = start(ring, index, &region, source);
		}
		if (result == -ENOTSUP || result == -EINVAL) {
			result = staging_refill(slot, source);
		}
	}
	pixman_region32_fini(&region);
	if (!ring->seen) {
		staging_count_unseen(ring); /* a capture wants it */
	}
	if (result == -EINPROGRESS) {
		ring->opening = true;
		pixman_region32_copy(&ring->wanted, (pixman_region32_t *)needed);
	}
	if (result == -ENOTSUP || result == -ENODEV || result == -ENOMEM || result == -EINVAL) {
		*reason = find_reason(ring, source, result);
		return STAGING_REFUSED;
	}
	enum staging_status status = ring_status(&ring->ring, needed);
	ring->stats.skipped += status != STAGING_READY && result == 0 && !staging_in_flight(ring);
	return status;
}

/* All planes'. */
static uint64_t bytes_of(const struct staging_ring *ring, const pixman_region32_t *region)
{
	const struct pixel_format *format = pixel_format_get(ring->format);
	uint64_t area = (uint64_t)region_area(region), bytes = 0;

	for (int i = 0; format && i < format->n_planes; i++) {
		unsigned share = i > 0 ? format->hsub * format->vsub : 1;

		bytes += area * format->bytes[i] / share;
	}
	return bytes;
}

int64_t staging_predict(const struct staging_ring *ring, const pixman_region32_t *needed)
{
	pixman_region32_t due;
	int64_t duration = 0;

	pixman_region32_init(&due);
	pixman_region32_intersect(
		&due, (pixman_region32_t *)&ring->ring.owed, (pixman_region32_t *)needed);
	if (ring->source && pixman_region32_not_empty(&due)) {
		uint64_t bytes = bytes_of(ring, &due);
		int n = pixman_region32_n_rects(&due);

		duration = cost_estimate(
			copy_device_cost(ring->source, ring->pair, COST_OUT), bytes, n, false);
		if (ring->local) {
			duration += cost_estimate(
				copy_device_cost(ring->local, ring->local_pair, COST_IN), bytes, n,
				false);
		}
	}
	pixman_region32_fini(&due);
	return duration;
}

enum staging_status staging_status(const struct staging_ring *ring, const pixman_region32_t *needed)
{
	return ring_status(&ring->ring, needed);
}

bool staging_in_flight(const struct staging_ring *ring)
{
	if (ring->opening) {
		return true;
	}
	for (int i = 0; i < STAGING_MAX; i++) {
		if (ring->ring.slots[i].flying) {
			return true;
		}
	}
	return false;
}

bool staging_is_complete(const struct staging_ring *ring)
{
	return !pixman_region32_not_empty((pixman_region32_t *)&ring->ring.owed) &&
	       !staging_in_flight(ring);
}

/* Reading */

static int64_t share(const struct ring *ring, int index, const pixman_region32_t *needed)
{
	pixman_region32_t left, part;
	int64_t area;

	pixman_region32_init(&left);
	pixman_region32_init(&part);
	pixman_region32_copy(&left, (pixman_region32_t *)needed);
	ring_take(ring, index, &left, &part);
	area = region_area(&part);
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
	/* The one that has most comes first: mostly it has all. */
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

	/* A device's passes end in their order: the last one stands for all. */
	fd_close(&slot->read_fence);
	if (fence >= 0) {
		slot->read_fence = fd_dup(fence);
	}
}

struct staging_stats staging_stats(const struct staging_ring *ring)
{
	return ring->stats;
}
