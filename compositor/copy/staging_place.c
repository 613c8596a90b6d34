/*
 * What the buffers of staging rings are made of: the one place that decides whose memory, and how its rows are
 * aligned, by trying what the engine that writes it and whoever reads it both take.
 */

#include "copy/memory.h"
#include "copy/narrow.h"
#include "copy/placement.h"
#include "copy/staging_ring.h"
#include "gpu/gpu.h"
#include "gpu/version.h"
#include "util/error.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>

/* Pixels after which a row of them begins at a multiple of the alignment. */
static int32_t pixels_of(uint32_t fourcc, uint32_t alignment)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	uint32_t bytes = format ? format->bytes[0] : 4, common = alignment;

	for (uint32_t rest = bytes; rest > 0;) {
		uint32_t next = common % rest;

		common = rest;
		rest = next;
	}
	return (int32_t)(alignment / common);
}

static struct buffer *allocate_of_reader(struct staging_ring *ring, uint32_t alignment)
{
	uint64_t linear = DRM_FORMAT_MOD_LINEAR;
	struct format_modifiers format = {
		.format = ring->format, .n_modifiers = 1, .modifiers = &linear};
	int32_t unit = alignment ? pixels_of(ring->format, alignment) : 1;
	int32_t width = (ring->ring.width + unit - 1) / unit * unit;
	struct buffer *buffer;

	buffer = ring->reader.allocator->impl->create_buffer(
		ring->reader.allocator, width, ring->ring.height, &format);
	return buffer && width != ring->ring.width ? copy_narrow(buffer, ring->ring.width) : buffer;
}

static struct buffer *allocate(
	struct staging_ring *ring, int engine, const struct placement *placement)
{
	int32_t width = ring->ring.width, height = ring->ring.height;

	switch (placement->from) {
	case PLACEMENT_READER: return allocate_of_reader(ring, placement->alignment);
	case PLACEMENT_SOURCE:
		return copy_device_allocate(
			ring->source, engine, width, height, ring->format, placement->alignment);
	case PLACEMENT_SYSTEM:
		return copy_memory_allocate(width, height, ring->format, placement->alignment);
	default: return NULL;
	}
}

/* It cannot be said yet. */
static bool is_for_later(int error)
{
	return error == -EINPROGRESS || error_lacks_descriptor(error);
}

/* What `error` says of a placement. */
static int refusal(int error)
{
	return is_for_later(error) ? error : error_may_pass(error) ? -EAGAIN : -ENOTSUP;
}

/* 0; -ENOTSUP: one of both does not take it, and why; -EAGAIN: not now; or an error that is for later. */
static int test(struct staging_ring *ring, int engine, enum placement_use use,
	struct buffer *buffer, const char **why)
{
	int error = copy_device_import(ring->source, engine, buffer, COPY_DESTINATION);

	if (error < 0) {
		*why = "the copy engine does not take it";
		return refusal(error);
	}
	if (use == PLACEMENT_CROSSED) {
		int local = copy_device_take(ring->local, 0, buffer, COPY_SOURCE);

		*why = "the reader's copy engine does not take it";
		return local >= 0 ? 0 : refusal(local);
	}
	if (use == PLACEMENT_SAMPLED && ring->reader.takes &&
		!ring->reader.takes(ring->reader.data, buffer_dmabuf(buffer))) {
		*why = "the reader does not take it";
		return -ENOTSUP;
	}
	return 0;
}

/* As test(). */
static int try(struct staging_ring *ring, const struct staging_found *found, enum placement_use use,
	struct buffer **out, const char **why)
{
	struct buffer *buffer;
	int error;

	errno = 0; /* where the allocator does not say why */
	buffer = allocate(ring, found->engine, &found->placement);
	if (!buffer) {
		*why = "it cannot be allocated";
		return refusal(-errno);
	}
	error = test(ring, found->engine, use, buffer, why);
	if (error < 0) {
		buffer_drop(buffer);
		return error;
	}
	*out = buffer;
	return 0;
}

static char *name_end(const struct gpu *gpu)
{
	char *driver = gpu_driver_version(gpu);
	char *name = gpu->vendor ? xasprintf("%04x:%04x/%s", gpu->vendor, gpu->device, driver)
				 : xasprintf("%s/%s", gpu->bus_id, driver);

	free(driver);
	return name;
}

/* The key's word is newly allocated. */
static char *make_key(struct placement_key *key, const struct staging_ring *ring,
	const char *engine, enum placement_use use)
{
	const struct gpu *reader = ring->reader.gpu;
	char *from = name_end(ring->source->gpu), *to = reader ? name_end(reader) : xstrdup("cpu");
	char *pair = xasprintf("%s/%s>%s", from, engine, to);

	*key = (struct placement_key){
		.pair = pair,
		.format = ring->format,
		.size_class = placement_class(ring->ring.width, ring->ring.height),
		.use = use,
	};
	free(from);
	free(to);
	return pair;
}

/* Says once what was found in place of the best, or that nothing was. */
static void tell(const struct staging_ring *ring, const struct staging_found *found,
	const struct placement_key *key)
{
	char name[5], *where = placement_describe(&found->placement);

	pixel_format_name(key->format, name);
	if (found->placement.from == PLACEMENT_NONE) {
		log_warn("copies for %s (%s, up to %u pixels a side): no memory suits both: %s",
			key->pair, name, 1u << key->size_class, found->why);
	} else if (found->why) {
		log_info("copies for %s (%s, up to %u pixels a side): %s, since of the best: %s",
			key->pair, name, 1u << key->size_class, where, found->why);
	}
	free(where);
}

static struct placement_time time_of(const struct copier *copier)
{
	return (struct placement_time){copier->generation, clock_now(copier->clock)};
}

/* What is known, if nothing was tried yet. A placement need not be right for all sizes of its class. */
static bool look_up(struct staging_ring *ring, struct staging_found *found,
	const struct placement_key *key, const struct placement_time *when)
{
	struct placement_table *table = ring->reader.copier->placements;
	struct placement_key of_any = *key;

	of_any.of_layout = false;
	return found->next == 0 && !found->submitted &&
	       (placement_table_get(table, key, when, &found->placement) ||
		       placement_table_get(table, &of_any, when, &found->placement));
}

static void give_up(
	struct staging_ring *ring, struct staging_found *found, struct placement_key *key)
{
	const struct placement_time when = time_of(ring->reader.copier);

	found->placement = (struct placement){PLACEMENT_NONE, 0};
	/* What was refused at submission may be so for the client's picture. */
	key->of_layout = found->submitted;
	if (placement_table_set(ring->reader.copier->placements, key, &when, &found->placement)) {
		tell(ring, found, key);
	}
}

/* With one engine: 0, -ENOMEM: none works, or an error that is for later, when it is gone on with. */
static int search(struct staging_ring *ring, struct staging_found *found, enum placement_use use,
	struct placement_key *key, struct buffer **out)
{
	const struct placement_time when = time_of(ring->reader.copier);
	const char *why;
	int error;

	if (look_up(ring, found, key, &when)) {
		if (found->placement.from == PLACEMENT_NONE) {
			return -ENOMEM;
		}
		error = try(ring, found, use, out, &why);
		if (error == 0 || is_for_later(error)) {
			return error;
		}
		found->for_now = error == -EAGAIN;
	}
	while (placement_nth(use, found->next, &found->placement)) {
		error = try(ring, found, use, out, &why);
		if (is_for_later(error)) {
			return error;
		}
		found->next++;
		found->for_now |= error == -EAGAIN;
		if (error == 0) {
			return 0;
		}
		found->why = found->why ? found->why : why;
	}
	give_up(ring, found, key);
	return -ENOMEM;
}

/*
 * By the first engine that takes the source and for which there is memory. 0 or an error; after one that is for
 * later it is gone on with.
 */
static int find(struct staging_ring *ring, struct staging_found *found, struct buffer *source,
	enum placement_use use, struct buffer **out)
{
	int engine, error;

	while ((engine = copy_device_take(ring->source, found->engine, source, COPY_SOURCE)) >= 0) {
		struct placement_key key;
		char *pair;

		if (engine != found->engine) {
			*found = (struct staging_found){
				.engine = engine, .fruitless = found->fruitless};
		}
		pair = make_key(&key, ring, copy_device_engine(ring->source, engine), use);
		key.of_layout = true;
		key.modifier = buffer_dmabuf(source)->modifier;
		error = search(ring, found, use, &key, out);
		free(pair);
		if (error != -ENOMEM) {
			return error;
		}
		*found = (struct staging_found){.engine = engine + 1, .fruitless = true};
	}
	if (is_for_later(engine)) {
		return engine;
	}
	error = found->fruitless ? -ENOMEM : engine;
	*found = (struct staging_found){0};
	return error;
}

static struct buffer *allocate_as(struct staging_ring *ring, uint64_t *modifiers, size_t n)
{
	struct format_modifiers format = {
		.format = ring->format, .n_modifiers = n, .modifiers = modifiers};
	struct buffer *buffer = ring->reader.allocator->impl->create_buffer(
		ring->reader.allocator, ring->ring.width, ring->ring.height, &format);
	const char *reason;
	int error = !buffer                  ? (error_lacks_descriptor(-errno) ? -errno : -ENOMEM)
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
	return buffer || is_for_later(-errno) ? buffer : allocate_as(ring, &linear, 1);
}

int staging_place_crossing(struct staging_ring *ring, struct buffer *source)
{
	return find(ring, &ring->crossing_found, source, PLACEMENT_CROSSED, &ring->crossing);
}

/* 1: there is one; 0: the reader has no engine that takes pictures in. */
static int place_local(struct staging_slot *slot, struct buffer *source)
{
	struct staging_ring *ring = slot->ring;
	struct buffer *local = ring->local ? allocate_local(ring) : NULL;
	int error = local || !ring->local || !is_for_later(-errno) ? 0 : -errno;

	if (local && !ring->crossing) {
		error = staging_place_crossing(ring, source);
	}
	if (!local || error < 0) {
		buffer_drop(local);
		return is_for_later(error) ? error : 0;
	}
	slot->buffer = local;
	slot->takes = true;
	return 1;
}

static enum placement_use use_of(const struct staging_slot *slot)
{
	return slot->takes                    ? PLACEMENT_CROSSED
	       : slot->ring->reader.allocator ? PLACEMENT_SAMPLED
					      : PLACEMENT_READ;
}

int staging_place(struct staging_slot *slot, struct buffer *source)
{
	struct staging_ring *ring = slot->ring;
	int result = place_local(slot, source);

	/* A reader without an engine of its own reads over the bus. */
	return result != 0 ? result : find(ring, &slot->found, source, use_of(slot), &slot->buffer);
}

static struct staging_found *found_of(struct staging_slot *slot)
{
	return slot->takes ? &slot->ring->crossing_found : &slot->found;
}

void staging_place_works(struct staging_slot *slot)
{
	struct staging_found *found = found_of(slot);
	struct copier *copier = slot->ring->reader.copier;
	struct placement_time when;
	struct placement_key key;
	char *pair;

	if (found->proven == copier->generation + 1) {
		return;
	}
	found->proven = copier->generation + 1;
	if (found->for_now) {
		return;
	}
	when = time_of(copier);
	pair = make_key(&key, slot->ring, slot->order.engine, use_of(slot));
	if (placement_table_set(copier->placements, &key, &when, &found->placement)) {
		tell(slot->ring, found, &key);
	}
	free(pair);
}

bool staging_place_refused(struct staging_slot *slot, int engine)
{
	struct staging_found *found = found_of(slot);
	const struct copier *copier = slot->ring->reader.copier;

	if (found->proven == copier->generation + 1 && found->engine == engine) {
		return false;
	}
	if (found->proven > 0) {
		/* By another engine, which took what the client drew before, or that others have come after. */
		*found = (struct staging_found){0};
		return true;
	}
	found->submitted = true;
	found->why = found->why ? found->why : "the copy is refused";
	return true;
}
