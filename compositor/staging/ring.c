/* SPDX-License-Identifier: MIT */
/* Staging rings: life, and requests of the frame that needs pixels. */

#include "staging/ring.h"
#include "gpu/gpu.h"
#include "util/error.h"
#include "util/event_source.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Interval (ns) of retries while descriptors, or memory for a submission, are exhausted. */
#define SCARCITY_NS INT64_C(100000000)

/* A ring without memory for another slot tries again after this time (ns). */
#define FULL_NS INT64_C(1000000000)

/* After this time (ns) without a copy that hides no visible pixel, one that hides some starts. */
#define STUCK_NS INT64_C(1000000000)

/* Pause (ns) before a refused copy is tried again, which doubles each time; and number of tries. */
#define RETRY_NS INT64_C(1000000000)
#define RETRIES_MAX 6

/* A refusal that may pass counts as final after this time (ns) without an accepted copy. */
#define REFUSED_NS INT64_C(3000000000)

/* Number of rectangles that the crossing buffer lacks, above which they are merged. */
#define LACKS_MAX 64

static const char *reader_kind(const struct staging_ring *ring)
{
	return !ring->reader.gpu ? "cpu" : ring->reader.gpu->integrated ? "integrated" : "discrete";
}

static void name_pair(char pair[static PAIR_MAX], const struct gpu *gpu, const char *to)
{
	snprintf(pair, PAIR_MAX, "%04x:%04x>%s", gpu->vendor, gpu->device, to);
}

/* Life */

/* Other rings may find better memory after this. */
static void free_slots(struct staging_ring *ring)
{
	if (staging_ring_memory(ring) > 0) {
		staging_renew_soon(ring->reader.staging);
	}
	for (int i = 0; i < STAGING_MAX; i++) {
		staging_free(&ring->slots[i]);
	}
	ring->verifying = false;
}

/* All pixels are copied again, into other memory. */
static void drop_memory(struct staging_ring *ring)
{
	int32_t width = ring->ring.width, height = ring->ring.height;
	ring->wrong = false;
	free_slots(ring);
	ring_resize(&ring->ring, width, height);
	ring->awaits = clock_now(ring->reader.staging->copier->clock);
	pixman_region32_union_rect(
		&ring->wanted, &ring->wanted, 0, 0, (unsigned)width, (unsigned)height);
}

static void look_again(struct staging_ring *ring)
{
	if (ring->wrong) {
		drop_memory(ring);
	}
	ring->verifying = false;
	if (ring->awaits) {
		ring->awaits = 0;
		staging_notify(ring);
	}
}

static void handle_source_again(struct wl_listener *listener, void *data)
{
	struct staging_ring *ring = wl_container_of(listener, ring, source_again);
	look_again(ring);
}

/* There is no notification of free descriptors or memory. */
static void handle_scarcity(struct timer *timer, int64_t now)
{
	struct staging_ring *ring = wl_container_of(timer, ring, scarcity);
	if (ring->stuck_since) {
		staging_notify(ring);
	} else {
		look_again(ring);
	}
}

/* The failure may have passed, and the client may draw nothing more. */
static void handle_retry(struct timer *timer, int64_t now)
{
	struct staging_ring *ring = wl_container_of(timer, ring, retry);
	ring->n_retries++;
	pixman_region32_union_rect(&ring->wanted, &ring->wanted, 0, 0, (unsigned)ring->ring.width,
		(unsigned)ring->ring.height);
	staging_notify(ring);
}

static void handle_local_again(struct wl_listener *listener, void *data)
{
	struct staging_ring *ring = wl_container_of(listener, ring, local_again);
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
	pixman_region32_init(&ring->shown);
	wl_list_init(&ring->source_again.link);
	wl_list_init(&ring->local_again.link);
	timer_init(&ring->scarcity, reader->staging->copier->clock, handle_scarcity);
	timer_init(&ring->retry, reader->staging->copier->clock, handle_retry);
	for (int i = 0; i < STAGING_MAX; i++) {
		ring->slots[i].ring = ring;
		ring->slots[i].index = i;
		ring->slots[i].read_fence = -1;
		wl_list_init(&ring->slots[i].released.link);
		pixman_region32_init(&ring->slots[i].stale);
		pixman_region32_init(&ring->slots[i].news);
		pixman_region32_init(&ring->slots[i].local);
		pixman_region32_init(&ring->slots[i].kept);
	}
	pixman_region32_init(&ring->crossing_lacks);
	if (reader->gpu && !reader->gpu->integrated) {
		ring->local = copier_use(reader->staging->copier, reader->gpu);
		signal_add(&ring->local->events.again, &ring->local_again, handle_local_again);
	}
	if (reader->gpu) {
		name_pair(ring->local_pair, reader->gpu, "own");
	}
	wl_list_insert(reader->staging->rings.prev, &ring->link);
	return ring;
}

void staging_ring_destroy(struct staging_ring *ring)
{
	if (!ring) {
		return;
	}
	free_slots(ring);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_fini(&ring->slots[i].stale);
		pixman_region32_fini(&ring->slots[i].news);
		pixman_region32_fini(&ring->slots[i].local);
		pixman_region32_fini(&ring->slots[i].kept);
	}
	pixman_region32_fini(&ring->crossing_lacks);
	ring_finish(&ring->ring);
	pixman_region32_fini(&ring->wanted);
	pixman_region32_fini(&ring->shown);
	event_source_remove(&ring->turn);
	timer_finish(&ring->scarcity);
	timer_finish(&ring->retry);
	wl_list_remove(&ring->source_again.link);
	wl_list_remove(&ring->local_again.link);
	gpu_engines_release(ring->source);
	gpu_engines_release(ring->local);
	gpu_engines_release(ring->reader_engines);
	struct staging *staging = ring->reader.staging;
	wl_list_remove(&ring->link);
	free(ring);
	staging_arm_cleaner(staging);
}

/* Ends the retries of refused copies; the next refusal starts with all of them again. */
static void renew_retries(struct staging_ring *ring)
{
	ring->n_retries = 0;
	timer_disarm(&ring->retry);
}

void staging_set_seen(struct staging_ring *ring, bool seen)
{
	if (ring->seen != seen) {
		ring->seen = seen;
		renew_retries(ring);
		staging_count_unseen(ring);
	}
}

void staging_set_shown(struct staging_ring *ring, const pixman_region32_t *shown)
{
	pixman_region32_copy(&ring->shown, (pixman_region32_t *)shown);
}

void staging_damage(struct staging_ring *ring, int32_t width, int32_t height, uint32_t format,
	const pixman_region32_t *damage)
{
	bool same =
		ring->ring.width == width && ring->ring.height == height && ring->format == format;
	renew_retries(ring);
	if (!same) {
		free_slots(ring);
		ring->format = format;
		ring_resize(&ring->ring, width, height);
		return;
	}
	pixman_region32_t changed;
	pixman_region32_init_rect(&changed, 0, 0, (unsigned)width, (unsigned)height);
	if (damage) {
		pixman_region32_intersect(&changed, &changed, (pixman_region32_t *)damage);
		/* With a pixel, the chroma of its neighbours has changed. */
		staging_align(ring, &changed);
	}
	ring_damage(&ring->ring, &changed);
	pixman_region32_union(&ring->crossing_lacks, &ring->crossing_lacks, &changed);
	region_simplify(&ring->crossing_lacks, LACKS_MAX);
	pixman_region32_fini(&changed);
}

static void use_source(struct staging_ring *ring, struct gpu *gpu)
{
	if (!ring->source || ring->source->gpu != gpu) {
		struct gpu_engines *old = ring->source;
		ring->source = copier_use(ring->reader.staging->copier, gpu);
		wl_list_remove(&ring->source_again.link);
		signal_add(&ring->source->events.again, &ring->source_again, handle_source_again);
		name_pair(ring->pair, gpu, reader_kind(ring));
		gpu_engines_release(old);
		ring->verifying = false;
		/* The new engines may refuse memory that the old ones could write. */
		for (int i = 0; i < STAGING_MAX; i++) {
			ring->slots[i].search = (struct staging_search){
				.allocation = ring->slots[i].search.allocation};
			/* Copies in flight must not be measured as the new GPU's. */
			ring->slots[i].order.pair = NULL;
		}
		ring->crossing_search =
			(struct staging_search){.allocation = ring->crossing_search.allocation,
				.reads = ring->crossing_search.reads};
	}
}

/* Returns the reason for a refusal. */
static const char *find_reason(struct staging_ring *ring, struct buffer *source, int error)
{
	const char *reason = "no copy engine of its GPU takes it";
	if (ring->unsuited) {
		return "no memory suits both its GPU and the GPU that shows it";
	}
	if (source->unmappable) {
		return "the kernel cannot map its memory for a copy engine";
	}
	if (error_may_pass(error)) {
		return "copying it fails for the moment";
	}
	gpu_engines_check(ring->source, buffer_dmabuf(source), COPY_SOURCE, &reason);
	return reason;
}

/*
 * Replaces memory after the reader's engine has refused a copy from the crossing buffer. Returns 0
 * or an error.
 */
static int replace_crossing(struct staging_ring *ring, struct buffer *source)
{
	struct staging_slot *slot = ring->crossing_refused;
	if (!slot || staging_is_crossing(ring)) {
		return 0;
	}
	ring->crossing_refused = NULL;
	return slot->is_local ? staging_replace_memory(slot, source) : 0;
}

/* Returns whether a test runs before which the ring has no memory. */
static bool awaits_verdict(const struct staging_ring *ring)
{
	bool awaits = ring->verifying;
	for (int i = 0; i < STAGING_MAX; i++) {
		awaits &= !ring->slots[i].buffer;
	}
	return awaits;
}

/*
 * Gives memory to the slot, or to the crossing buffer. Returns 0, also if the slots that have
 * memory must do without another one for a while; or an error.
 */
static int add_memory(struct staging_ring *ring, struct staging_slot *slot, struct buffer *source)
{
	bool is_first = true;
	for (int i = 0; i < STAGING_MAX; i++) {
		is_first &= !ring->slots[i].buffer || ring->ring.slots[i].retired;
	}
	bool is_another = !is_first && !slot->buffer;
	staging_make_room(ring);
	int result = staging_add_memory(slot, source);
	if (is_another && (result == -ENOMEM || result == -ENOTSUP || result == -EINVAL)) {
		ring->ring.full = true;
		ring->full_since = clock_now(ring->reader.staging->copier->clock);
		return 0;
	}
	return result;
}

/* Returns whether a lost engine, which is opened again later, may copy. */
static bool lacks_engine(const struct staging_ring *ring)
{
	return gpu_engines_lost_one(ring->source) ||
	       (ring->local && gpu_engines_lost_one(ring->local));
}

static void note_refusal(struct staging_ring *ring, int error, int64_t now)
{
	bool may_pass = (error != -ENOTSUP && error != -EINVAL) || lacks_engine(ring);
	ring->refused_since = ring->refused_since ? ring->refused_since : now;
	ring->refused_for_good = !may_pass || now - ring->refused_since >= REFUSED_NS;
	if (may_pass && ring->seen && ring->n_retries < RETRIES_MAX && !ring->retry.armed) {
		timer_arm(&ring->retry, now + (RETRY_NS << ring->n_retries));
	}
}

/* Pixels that other outputs show may still be refused: their retry stays due. */
static void forget_refusal(struct staging_ring *ring)
{
	ring->refused_since = 0;
	ring->refused_for_good = false;
	if (!pixman_region32_not_empty(&ring->ring.owed)) {
		timer_disarm(&ring->retry);
	}
}

static void want(struct staging_ring *ring, const pixman_region32_t *needed)
{
	pixman_region32_union(&ring->wanted, &ring->wanted, (pixman_region32_t *)needed);
}

static bool is_copying(const struct staging_ring *ring)
{
	bool copying = false;
	for (int i = 0; i < STAGING_MAX; i++) {
		copying |= ring->ring.slots[i].writing;
	}
	return copying;
}

/*
 * Goes on to wait for copies that are not made yet, this frame's or those of other outputs' earlier
 * frames: for an engine, since `awaited` (0: not), and for readers of the buffers that skipped
 * copies would use.
 */
static void await_rest(struct staging_ring *ring, int64_t awaited)
{
	pixman_region32_t late;
	if (!pixman_region32_not_empty(&ring->wanted)) {
		return;
	}
	pixman_region32_init(&late);
	ring_late(&ring->ring, &ring->wanted, &late);
	if (!pixman_region32_not_empty(&late)) {
		pixman_region32_clear(&ring->wanted);
		ring->wants_whole = false;
		/* Copies that end at once are not reported, and captures may wait for them. */
		staging_notify_soon(ring);
	} else {
		ring->awaits = awaited;
		if (!is_copying(ring)) {
			staging_watch_readers(ring, &ring->wanted, ring->wants_whole);
		}
	}
	pixman_region32_fini(&late);
}

static void set_visible(struct staging_ring *ring, const pixman_region32_t *needed)
{
	pixman_region32_t visible;
	pixman_region32_init(&visible);
	pixman_region32_union(&visible, &ring->shown, (pixman_region32_t *)needed);
	ring_set_visible(&ring->ring, &visible);
	pixman_region32_fini(&visible);
}

/*
 * Waits, for a limited time, if each copy would hide visible pixels. Returns 0, or an error if no
 * engine would take the copy.
 */
static int check_stuck(struct staging_ring *ring, struct buffer *source,
	const pixman_region32_t *needed, bool whole, int64_t now)
{
	if (is_copying(ring) || !ring_is_stuck(&ring->ring, needed, whole)) {
		ring->stuck_since = 0;
		return 0;
	}
	if (!ring->stuck_since) {
		ring->stuck_since = now;
	}
	int engine = gpu_engines_import_any(ring->source, 0, source, COPY_SOURCE);
	if (engine < 0) {
		return engine;
	}
	timer_arm(&ring->scarcity, ring->stuck_since + STUCK_NS);
	return 0;
}

enum staging_status staging_copy(struct staging_ring *ring, struct buffer *source,
	const pixman_region32_t *needed, bool whole, const char **reason)
{
	pixman_region32_t region;
	int64_t awaited = ring->awaits, now = clock_now(ring->reader.staging->copier->clock);
	int index, result;
	use_source(ring, source->home);
	ring->awaits = 0;
	ring->unsuited = false;
	ring->ring.full &= now - ring->full_since < FULL_NS;
	/* A copy that is refused hides nothing, and waiting for another slot would conceal that. */
	ring->ring.hides =
		ring->refused_since || (ring->stuck_since && now - ring->stuck_since >= STUCK_NS);
	set_visible(ring, needed);
	staging_check_readers(ring);
	staging_free_retired(ring);
	staging_renew_memory(ring);
	if (!ring->insists && gpu_engines_copy_is_pointless(ring->source, buffer_dmabuf(source),
				      ring->pair, !ring->reader.gpu)) {
		*reason = "reading it directly is faster than copying it";
		return STAGING_POINTLESS;
	}
	pixman_region32_init(&region);
	/* Until then, memory would be allocated for each frame, and dropped. */
	result = awaits_verdict(ring) ? -EINPROGRESS : replace_crossing(ring, source);
	/* Starts at most one copy into each buffer. */
	while (result >= 0 && !staging_is_crossing(ring) &&
		(index = ring_choose(&ring->ring, needed, whole, &region)) >= 0) {
		struct staging_slot *slot = &ring->slots[index];
		if (!slot->buffer || (slot->is_local && !ring->crossing)) {
			result = add_memory(ring, slot, source);
		}
		if (result >= 0 && slot->buffer) {
			result = staging_start_copy(ring, index, &region, source);
		}
		if (result == -ENOTSUP || result == -EINVAL) {
			staging_make_room(ring);
			result = staging_replace_memory(slot, source);
		}
	}
	pixman_region32_fini(&region);
	result = result >= 0 ? check_stuck(ring, source, needed, whole, now) : result;
	if (!ring->seen) {
		staging_count_unseen(ring); /* requested by a capture */
	}
	/* -EBUSY: too many jobs, whose end is reported, or the kernel is busy, which is not. */
	bool scarce = error_lacks_descriptor(result) || result == -EAGAIN || result == -EBUSY;
	if (result == -EINPROGRESS || scarce) {
		ring->awaits = awaited ? awaited : now;
		want(ring, needed);
		if (scarce) {
			timer_arm(&ring->scarcity, now + SCARCITY_NS);
		}
	}
	if (result < 0 && !ring->awaits) {
		*reason = find_reason(ring, source, result);
		note_refusal(ring, result, now);
		if (awaited || pixman_region32_not_empty(&ring->wanted)) {
			staging_notify_soon(ring); /* captures wait for nothing any more */
		}
		return STAGING_REFUSED;
	}
	if (result >= 0) {
		forget_refusal(ring);
	}
	enum staging_status status = ring_status(&ring->ring, needed);
	if (status != STAGING_READY && result >= 0 && !staging_in_flight(ring)) {
		ring->stats.skipped++;
		want(ring, needed);
		ring->wants_whole |= whole;
	}
	if (result >= 0) {
		await_rest(ring, awaited);
	}
	return status;
}

bool staging_is_retrying(const struct staging_ring *ring)
{
	return ring->retry.armed;
}

bool staging_is_refused_for_good(const struct staging_ring *ring)
{
	return ring->refused_for_good;
}

void staging_insist(struct staging_ring *ring)
{
	ring->insists = true;
}

/* Returns the bytes of the region in all planes. */
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
			gpu_engines_cost(ring->source, ring->pair, COST_OUT), bytes, n, false);
		if (ring->local) {
			duration += cost_estimate(
				gpu_engines_cost(ring->local, ring->local_pair, COST_IN), bytes, n,
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

void staging_late(
	const struct staging_ring *ring, const pixman_region32_t *needed, pixman_region32_t *out)
{
	ring_late(&ring->ring, needed, out);
}

int64_t staging_since(const struct staging_ring *ring)
{
	int64_t since = ring->awaits;
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct staging_slot *slot = &ring->slots[i];
		if (ring->ring.slots[i].writing && (since == 0 || slot->since < since)) {
			since = slot->since;
		}
	}
	return since;
}

bool staging_in_flight(const struct staging_ring *ring)
{
	return staging_since(ring) != 0;
}

bool staging_is_complete(const struct staging_ring *ring)
{
	return !pixman_region32_not_empty((pixman_region32_t *)&ring->ring.owed) &&
	       !staging_in_flight(ring);
}

bool staging_is_whole(const struct staging_ring *ring)
{
	bool whole = false;
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct ring_slot *slot = &ring->ring.slots[i];
		whole |= slot->exists &&
			 !pixman_region32_not_empty((pixman_region32_t *)&slot->missing);
	}
	return whole;
}

struct staging_stats staging_stats(const struct staging_ring *ring)
{
	return ring->stats;
}
