/* Staging rings: their memory, the copies into it, and when it is freed. */

#include "copy/staging.h"
#include "copy/ring.h"
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

#define UNSEEN_NS INT64_C(2000000000)
#define PAIR_MAX 64

struct slot {
	struct staging_ring *ring;
	int index;
	struct buffer *buffer; /* what is read; NULL: none */
	struct buffer *crossing; /* of discrete readers: what is written from the other GPU */
	uint64_t serial, memory;
	int read_fence; /* of the last pass that reads it, or -1 */
	/* The copy under way: from the client's buffer, and then on from `crossing`. */
	struct copy_order order;
	bool second;
	pixman_region32_t region;
};

struct staging_ring {
	struct wl_list link; /* copier.rings */
	struct staging_reader reader;
	struct staging_user user;
	struct copy_device *source; /* used; of the buffers so far */
	struct copy_device *local; /* used; of a discrete reader, NULL else */
	uint32_t format;
	struct ring ring;
	struct slot slots[STAGING_MAX];
	uint64_t serial;
	bool seen;
	int64_t unseen_since; /* ns */
	struct staging_stats stats;
	char pair[PAIR_MAX], local_pair[PAIR_MAX]; /* names in the table of costs */
};

static void handle_done(struct copy_order *order, bool good);

/* Memory */

static const char *reader_kind(const struct staging_ring *ring)
{
	return !ring->reader.gpu ? "cpu" : ring->reader.gpu->integrated ? "integrated" : "discrete";
}

static void name_pair(char pair[static PAIR_MAX], const struct gpu *gpu, const char *to)
{
	snprintf(pair, PAIR_MAX, "%04x:%04x>%s", gpu->vendor, gpu->device, to);
}

static uint64_t memory_of(struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer ? buffer_dmabuf(buffer) : NULL;

	return dmabuf ? (uint64_t)dmabuf->stride[0] * (uint64_t)dmabuf->height : 0;
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
	return ring->reader.allocator->impl->create_buffer(
		ring->reader.allocator, ring->ring.width, ring->ring.height, &format);
}

/* No engine writes what the driver compresses. */
static bool is_compressed(uint64_t modifier)
{
	return IS_AMD_FMT_MOD(modifier) && AMD_FMT_MOD_GET(DCC, modifier);
}

static struct buffer *allocate_as(struct staging_ring *ring, uint64_t *modifiers, size_t n)
{
	struct format_modifiers format = {
		.format = ring->format, .n_modifiers = n, .modifiers = modifiers};
	struct buffer *buffer = ring->reader.allocator->impl->create_buffer(
		ring->reader.allocator, ring->ring.width, ring->ring.height, &format);
	const char *reason;

	if (buffer &&
		(!buffer_dmabuf(buffer) || copy_device_check(ring->local, buffer_dmabuf(buffer),
						   COPY_DESTINATION, &reason) < 0)) {
		buffer_drop(buffer);
		buffer = NULL;
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
		return NULL;
	}
	modifiers = xcalloc(known->n_modifiers, sizeof(*modifiers));
	for (size_t i = 0; i < known->n_modifiers; i++) {
		if (known->modifiers[i] != DRM_FORMAT_MOD_INVALID &&
			!is_compressed(known->modifiers[i])) {
			modifiers[n++] = known->modifiers[i];
		}
	}
	buffer = n > 0 ? allocate_as(ring, modifiers, n) : NULL;
	free(modifiers);
	return buffer ? buffer : allocate_as(ring, &linear, 1);
}

static void free_slot(struct staging_ring *ring, struct slot *slot)
{
	copy_order_forget(&slot->order);
	fd_close(&slot->read_fence);
	buffer_drop(slot->crossing);
	buffer_drop(slot->buffer);
	slot->crossing = slot->buffer = NULL;
	ring->reader.copier->memory -= slot->memory;
	slot->memory = 0;
}

static void make_room(struct staging_ring *ring);

static bool fill_slot(struct staging_ring *ring, struct slot *slot)
{
	struct buffer *local = NULL;

	make_room(ring);
	if (ring->local) {
		local = allocate_local(ring);
		slot->crossing = local ? copy_device_allocate(ring->source, ring->ring.width,
						 ring->ring.height, ring->format)
				       : NULL;
		if (local && !slot->crossing) {
			buffer_drop(local);
			local = NULL;
		}
	}
	/* A reader without an engine of its own reads over the bus. */
	slot->buffer = local ? local : allocate_linear(ring);
	if (!slot->buffer) {
		log_debug(LOG_COPY, "no staging buffer of %dx%d", ring->ring.width,
			ring->ring.height);
		return false;
	}
	slot->serial = ++ring->serial;
	slot->memory = memory_of(slot->buffer) + memory_of(slot->crossing);
	ring->reader.copier->memory += slot->memory;
	ring_add(&ring->ring, slot->index);
	return true;
}

/* Life */

struct staging_ring *staging_ring_create(
	const struct staging_reader *reader, const struct staging_user *user)
{
	struct staging_ring *ring = xcalloc(1, sizeof(*ring));

	ring->reader = *reader;
	ring->user = *user;
	ring->seen = true;
	ring_init(&ring->ring, reader->gpu != NULL);
	for (int i = 0; i < STAGING_MAX; i++) {
		ring->slots[i].ring = ring;
		ring->slots[i].index = i;
		ring->slots[i].read_fence = -1;
		pixman_region32_init(&ring->slots[i].region);
	}
	if (reader->gpu && !reader->gpu->integrated) {
		ring->local = copier_use(reader->copier, reader->gpu);
		name_pair(ring->local_pair, reader->gpu, "own");
	}
	wl_list_insert(reader->copier->rings.prev, &ring->link);
	return ring;
}

static void arm_cleaner(struct copier *copier);

void staging_ring_destroy(struct staging_ring *ring)
{
	struct copier *copier;

	if (!ring) {
		return;
	}
	copier = ring->reader.copier;
	for (int i = 0; i < STAGING_MAX; i++) {
		free_slot(ring, &ring->slots[i]);
		pixman_region32_fini(&ring->slots[i].region);
	}
	ring_finish(&ring->ring);
	copy_device_release(ring->source);
	copy_device_release(ring->local);
	wl_list_remove(&ring->link);
	free(ring);
	arm_cleaner(copier);
}

void staging_damage(struct staging_ring *ring, int32_t width, int32_t height, uint32_t format,
	const pixman_region32_t *damage)
{
	bool same =
		ring->ring.width == width && ring->ring.height == height && ring->format == format;
	pixman_region32_t all;

	if (!same) {
		for (int i = 0; i < STAGING_MAX; i++) {
			free_slot(ring, &ring->slots[i]);
		}
		ring->format = format;
		ring_resize(&ring->ring, width, height);
	} else if (damage) {
		ring_damage(&ring->ring, damage);
	} else {
		pixman_region32_init_rect(&all, 0, 0, (unsigned)width, (unsigned)height);
		ring_damage(&ring->ring, &all);
		pixman_region32_fini(&all);
	}
}

/* Copies */

static void finish_copy(struct slot *slot, bool good, bool tell)
{
	struct staging_ring *ring = slot->ring;
	pixman_region32_t region;

	pixman_region32_init(&region);
	ring_end(&ring->ring, slot->index, good, &region);
	pixman_region32_clear(&slot->region);
	/* Whoever is told may destroy the ring. */
	if (tell) {
		ring->user.arrived(ring->user.data, &region);
	}
	pixman_region32_fini(&region);
}

/* What has crossed goes on into the reader's own memory. As copy_device_start(). */
static int start_second(struct slot *slot)
{
	struct staging_ring *ring = slot->ring;
	int result;

	slot->second = true;
	slot->order = (struct copy_order){
		.source = slot->crossing,
		.destination = slot->buffer,
		.damage = &slot->region,
		.pair = ring->local_pair,
		.direction = COST_IN,
		.done = handle_done,
	};
	result = copy_device_start(ring->local, &slot->order);
	ring->stats.local += slot->order.bytes;
	return result;
}

static void handle_done(struct copy_order *order, bool good)
{
	struct slot *slot = wl_container_of(order, slot, order);
	int result = good ? 1 : -EIO;

	if (good && slot->crossing && !slot->second) {
		result = start_second(slot);
	}
	if (result != 0) {
		finish_copy(slot, result > 0, true);
	}
}

static int start_first(struct slot *slot, struct buffer *source)
{
	struct staging_ring *ring = slot->ring;
	int result;

	slot->second = false;
	slot->order = (struct copy_order){
		.source = source,
		.destination = slot->crossing ? slot->crossing : slot->buffer,
		.damage = &slot->region,
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
	}
	return result;
}

/* Fewer rectangles where that is cheaper, but into no pixels that the picture is shown from. */
static void merge(struct slot *slot)
{
	struct staging_ring *ring = slot->ring;
	const struct pixel_format *format = pixel_format_get(ring->format);
	pixman_region32_t allowed, only;

	pixman_region32_init(&only);
	pixman_region32_init_rect(
		&allowed, 0, 0, (unsigned)ring->ring.width, (unsigned)ring->ring.height);
	ring_only(&ring->ring, slot->index, &only);
	pixman_region32_subtract(&allowed, &allowed, &only);
	cost_merge(copy_device_cost(ring->source, ring->pair, COST_OUT), &slot->region, &allowed,
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
		struct slot *slot = &ring->slots[i];
		int own = (slot->order.flight != NULL);

		if (slot->read_fence >= 0 && fence_status(slot->read_fence) != 0) {
			fd_close(&slot->read_fence);
		}
		ring->ring.slots[i].busy =
			slot->buffer && (slot->read_fence >= 0 || slot->buffer->n_locks > own);
	}
}

static int start(struct staging_ring *ring, int index, struct buffer *source)
{
	struct slot *slot = &ring->slots[index];
	int result;

	align(ring, &slot->region);
	merge(slot);
	ring_begin(&ring->ring, index, &slot->region);
	result = start_first(slot, source);
	if (result > 0 && slot->crossing) {
		result = start_second(slot);
	}
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
		name_pair(ring->pair, gpu, reader_kind(ring));
		copy_device_release(old);
	}
}

static uint64_t memory_of_ring(const struct staging_ring *ring)
{
	uint64_t memory = 0;

	for (int i = 0; i < STAGING_MAX; i++) {
		memory += ring->slots[i].memory;
	}
	return memory;
}

/* From now on it is unseen so long; one that has no memory has nothing to free. */
static void count_unseen(struct staging_ring *ring)
{
	struct copier *copier = ring->reader.copier;

	ring->unseen_since = memory_of_ring(ring) > 0 ? clock_now(copier->clock) : INT64_MAX;
	/* In order of time; what is seen may be anywhere. */
	wl_list_remove(&ring->link);
	wl_list_insert(copier->rings.prev, &ring->link);
	arm_cleaner(copier);
}

enum staging_status staging_copy(struct staging_ring *ring, struct buffer *source,
	const pixman_region32_t *needed, bool whole, const char **reason)
{
	pixman_region32_t region;
	int index, result = 0;

	use_source(ring, source->home);
	if (copy_device_is_pointless(ring->source, buffer_dmabuf(source))) {
		*reason = "its GPU has no copy engine, and it can be read as it is";
		return STAGING_REFUSED;
	}
	look_at_readers(ring);
	pixman_region32_init(&region);
	/* At most one copy into each buffer. */
	while (result >= 0 && (index = ring_choose(&ring->ring, needed, whole, &region)) >= 0) {
		if (!ring->slots[index].buffer && !fill_slot(ring, &ring->slots[index])) {
			result = -ENOMEM;
			break;
		}
		pixman_region32_copy(&ring->slots[index].region, &region);
		result = start(ring, index, source);
	}
	pixman_region32_fini(&region);
	if (!ring->seen) {
		count_unseen(ring); /* a capture wants it */
	}
	if (result == -ENOTSUP || result == -ENODEV || result == -ENOMEM || result == -EINVAL) {
		*reason = "no copy engine of its GPU takes it";
		copy_device_check(ring->source, buffer_dmabuf(source), COPY_SOURCE, reason);
		return STAGING_REFUSED;
	}
	enum staging_status status = ring_status(&ring->ring, needed);
	ring->stats.skipped += status != STAGING_READY && result == 0 && !staging_in_flight(ring);
	return status;
}

enum staging_status staging_status(const struct staging_ring *ring, const pixman_region32_t *needed)
{
	return ring_status(&ring->ring, needed);
}

bool staging_in_flight(const struct staging_ring *ring)
{
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
	struct slot *slot = &ring->slots[index];

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

/* Freeing */

/* Buffers that only repeat what others have; all of them for somebody who can copy again. */
static void trim(struct staging_ring *ring)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		struct slot *slot = &ring->slots[i];
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
			free_slot(ring, slot);
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

static void arm_cleaner(struct copier *copier)
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
	arm_cleaner(copier);
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
		count_unseen(ring);
	}
}
