/* SPDX-License-Identifier: MIT */
/*
 * Allocation of staging buffers: tries candidates until the engine that writes and the reader both
 * import one.
 */

#include "buffer/dmabuf_buffer.h"
#include "gpu/gpu.h"
#include "gpu/quirks.h"
#include "staging/allocation.h"
#include "staging/memory_view.h"
#include "staging/ring.h"
#include "staging/system_memory.h"
#include "staging/verify.h"
#include "util/error.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Alignment (bytes) of rows that all drivers import: see allocation.c. */
#define USUAL_ALIGNMENT 256

/* The trial has no result yet: an engine is opening, or descriptors are exhausted. */
static bool is_postponed(int error)
{
	return error == -EINPROGRESS || error_lacks_descriptor(error);
}

/* Returns the smallest number of pixels whose size is a multiple of the alignment. */
static int32_t alignment_pixels(uint32_t fourcc, uint32_t alignment)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	uint32_t common = alignment, remainder = format ? format->bytes[0] : 4;
	while (remainder > 0) {
		uint32_t next = common % remainder;
		common = remainder;
		remainder = next;
	}
	return (int32_t)(alignment / common);
}

static bool has_planes(const struct staging_ring *ring)
{
	const struct pixel_format *format = pixel_format_get(ring->format);
	return format && format->n_planes > 1;
}

static int create_buffer(struct staging_ring *ring, int32_t width, int32_t height,
	const struct format_modifiers *format, struct buffer **out)
{
	struct allocator *allocator = ring->reader.allocator;
	errno = 0;
	*out = allocator->impl->create_buffer(allocator, width, height, format);
	/* Allocators need not set errno. */
	return *out ? 0 : errno ? -errno : -ENOTSUP;
}

static int create_linear(struct staging_ring *ring, uint32_t format, int32_t width, int32_t height,
	struct buffer **out)
{
	uint64_t linear = DRM_FORMAT_MOD_LINEAR;
	const struct format_modifiers layout = {
		.format = format, .n_modifiers = 1, .modifiers = &linear};
	return create_buffer(ring, width, height, &layout, out);
}

/* Allocators make no linear images of several planes: the memory of an RGB image has them. */
static int create_planes(struct staging_ring *ring, uint32_t alignment, struct buffer **out)
{
	int32_t width, height;
	struct dmabuf layout;
	uint64_t size = dmabuf_lay_out(&layout, ring->ring.width, ring->ring.height, ring->format,
		alignment ? alignment : USUAL_ALIGNMENT);
	if (size == 0) {
		return -ENOTSUP;
	}
	dmabuf_carrier_size(&layout, size, &width, &height);
	int error = create_linear(ring, DMABUF_CARRIER_FORMAT, width, height, out);
	if (error < 0) {
		return error;
	}
	const struct dmabuf *memory = buffer_dmabuf(*out);
	if (!memory || memory->n_planes != 1 || memory->offset[0] != 0) {
		buffer_drop(*out);
		return -ENOTSUP;
	}
	for (int i = 0; i < layout.n_planes; i++) {
		layout.fd[i] = memory->fd[0];
	}
	return memory_view_create(*out, &layout, out);
}

static int allocate_from_reader(struct staging_ring *ring, uint32_t alignment, struct buffer **out)
{
	if (has_planes(ring)) {
		return create_planes(ring, alignment, out);
	}
	int32_t unit = alignment ? alignment_pixels(ring->format, alignment) : 1;
	int32_t width = (ring->ring.width + unit - 1) / unit * unit;
	int error = create_linear(ring, ring->format, width, ring->ring.height, out);
	if (error < 0 || width == ring->ring.width) {
		return error;
	}
	const struct dmabuf *wide = buffer_dmabuf(*out);
	if (!wide) {
		buffer_drop(*out);
		return -ENOTSUP;
	}
	struct dmabuf cropped = *wide;
	cropped.width = ring->ring.width;
	return memory_view_create(*out, &cropped, out);
}

static int allocate_for_gpu(
	struct staging_ring *ring, int engine, uint32_t alignment, struct buffer **out)
{
	struct dmabuf dmabuf;
	int error = gpu_engines_allocate_gbm(ring->source, engine, ring->ring.width,
		ring->ring.height, ring->format, alignment, &dmabuf);
	if (error < 0) {
		return error;
	}
	*out = dmabuf_buffer_create(&dmabuf, NULL);
	return *out ? 0 : -errno;
}

/* Only an engine's own memory is coherent with the CPU's caches. */
static int allocate_from_source(struct staging_ring *ring, int engine, enum allocation_use use,
	uint32_t alignment, struct buffer **out)
{
	struct dmabuf dmabuf;
	int error = gpu_engines_allocate(ring->source, engine, ring->ring.width, ring->ring.height,
		ring->format, alignment, &dmabuf);
	if (error == 0) {
		return system_memory_import(&dmabuf, out);
	}
	if (use == ALLOCATION_CPU || is_postponed(error)) {
		return error;
	}
	int other = allocate_for_gpu(ring, engine, alignment, out);
	/* A driver without other memory does not make the engine's failure final. */
	return other < 0 && error_may_pass(error) ? error : other;
}

/* Only engines that allocate coherent system memory do so; nothing else of a reader is lent. */
static int allocate_from_local(struct staging_ring *ring, uint32_t alignment, struct buffer **out)
{
	int error = -ENOTSUP;
	for (int i = 0; i < COPIER_ENGINES_MAX && error == -ENOTSUP; i++) {
		struct dmabuf dmabuf;
		error = gpu_engines_allocate(ring->local, i, ring->ring.width, ring->ring.height,
			ring->format, alignment, &dmabuf);
		if (error == 0) {
			return system_memory_import(&dmabuf, out);
		}
	}
	return error;
}

static int allocate(struct staging_ring *ring, int engine, enum allocation_use use,
	const struct allocation *allocation, struct buffer **out)
{
	switch (allocation->from) {
	case ALLOCATION_READER: return allocate_from_reader(ring, allocation->alignment, out);
	case ALLOCATION_SOURCE:
		return allocate_from_source(ring, engine, use, allocation->alignment, out);
	case ALLOCATION_SYSTEM:
		return system_memory_allocate(ring->ring.width, ring->ring.height, ring->format,
			allocation->alignment, out);
	case ALLOCATION_LOCAL: return allocate_from_local(ring, allocation->alignment, out);
	default: return -ENOTSUP;
	}
}

/* Maps an error to -ENOTSUP (refused), -EAGAIN (temporary) or a postponing error. */
static int refusal(int error)
{
	return is_postponed(error) ? error : error_may_pass(error) ? -EAGAIN : -ENOTSUP;
}

/*
 * Returns the index of the reader's first engine that can make the second step: it reads the buffer
 * and writes the reader's own memory. Returns an error if there is none.
 */
static int find_local_engine(struct staging_ring *ring, int first, struct buffer *buffer)
{
	int engine = first - 1, transient = 0;
	while ((engine = gpu_engines_import_any(ring->local, engine + 1, buffer, COPY_SOURCE)) >=
		0) {
		int error = gpu_engines_import(
			ring->local, engine, ring->local_memory, COPY_DESTINATION);
		if (error == 0) {
			return engine;
		}
		transient = error_may_pass(error) ? error : transient;
	}
	return transient && !is_postponed(engine) ? transient : engine;
}

static int test_crossing(struct staging_ring *ring, struct staging_search *search,
	struct buffer *buffer, uint64_t client_modifier, const char **why)
{
	for (int i = 0; i < search->reader; i++) {
		gpu_engines_refuse(ring->local, i, buffer, COPY_SOURCE);
	}
	int local = find_local_engine(ring, search->reader, buffer);
	*why = "no copy engine of the reader imports it and writes the reader's memory";
	return local < 0
		       ? refusal(local)
		       : staging_permit(ring, search, search->engine, local, client_modifier, why);
}

/* Imports the buffer on both sides. Returns 0 or refusal(), with the reason in *why. */
static int test(struct staging_ring *ring, struct staging_search *search, enum allocation_use use,
	struct buffer *buffer, uint64_t client_modifier, const char **why)
{
	int error = gpu_engines_import(ring->source, search->engine, buffer, COPY_DESTINATION);
	if (error < 0) {
		*why = "the copy engine cannot import it";
		return refusal(error);
	}
	if (use == ALLOCATION_CROSSED) {
		return test_crossing(ring, search, buffer, client_modifier, why);
	}
	if (use != ALLOCATION_CPU && ring->reader.takes &&
		!ring->reader.takes(ring->reader.data, buffer_dmabuf(buffer))) {
		*why = "the reader cannot import it";
		return -ENOTSUP;
	}
	return staging_permit(
		ring, search, search->engine, staging_sampler(), client_modifier, why);
}

/* Allocates and tests one candidate. Returns as test(). */
static int try(struct staging_ring *ring, struct staging_search *search,
	const struct allocation_key *key, struct buffer **out, const char **why)
{
	struct buffer *buffer;
	search->readers = 0;
	int error = allocate(ring, search->engine, key->use, &search->allocation, &buffer);
	if (error < 0) {
		*why = "it cannot be allocated";
		return refusal(error);
	}
	error = test(ring, search, key->use, buffer, key->modifier, why);
	if (error < 0) {
		buffer_drop(buffer);
		return error;
	}
	*out = buffer;
	return 0;
}

static int64_t now(const struct staging_ring *ring)
{
	return clock_now(ring->reader.staging->copier->clock);
}

static struct allocation_key make_key(const struct staging_ring *ring, const char *engine,
	int first, enum allocation_use use, uint64_t modifier)
{
	return (struct allocation_key){
		.source = ring->source->gpu,
		.reader = ring->reader.gpu,
		.engine = engine,
		.first = first,
		.use = use,
		.format = ring->format,
		.modifier = modifier,
		.width = ring->ring.width,
		.height = ring->ring.height,
	};
}

/* Logs a failed search, and an allocation that is not the preferred one. */
static void report(const struct staging_ring *ring, const struct staging_search *search,
	const struct allocation_key *key)
{
	char name[5], *memory = allocation_describe(&search->allocation);
	pixel_format_name(key->format, name);
	if (search->allocation.from == ALLOCATION_NONE) {
		log_warn("copies %s by %s (%s, %dx%d): no staging memory suits both GPUs: %s",
			ring->pair, key->engine, name, key->width, key->height, search->why);
	} else if (search->why) {
		log_info("copies %s by %s (%s): staging in %s; preferred memory failed: %s",
			ring->pair, key->engine, name, memory, search->why);
	}
	free(memory);
}

static void give_up(
	struct staging_ring *ring, struct staging_search *search, const struct allocation_key *key)
{
	struct allocation_table *table = ring->reader.staging->allocations;
	search->allocation = (struct allocation){ALLOCATION_NONE, 0};
	if (!search->temporary &&
		allocation_table_set(table, key, now(ring), &search->allocation)) {
		report(ring, search, key);
	}
}

/* Searches with one engine. Returns 0, -ENOMEM if every candidate failed, or a postponing error. */
static int search_with(struct staging_ring *ring, struct staging_search *search,
	const struct allocation_key *key, struct buffer **out)
{
	const struct allocation_table *table = ring->reader.staging->allocations;
	const char *why;
	int error;
	if (search->next == 0 && !search->submitted &&
		allocation_table_get(table, key, now(ring), &search->allocation)) {
		if (search->allocation.from == ALLOCATION_NONE) {
			return -ENOMEM;
		}
		/* Buffers of other sizes may need another allocation. */
		error = try(ring, search, key, out, &why);
		if (error == 0 || is_postponed(error)) {
			return error;
		}
		search->temporary = error == -EAGAIN;
	}
	while (allocation_nth(key->use, search->next, &search->allocation)) {
		error = try(ring, search, key, out, &why);
		if (is_postponed(error)) {
			return error;
		}
		search->next++;
		search->temporary |= error == -EAGAIN;
		if (error == 0) {
			return 0;
		}
		search->why = search->why ? search->why : why;
	}
	give_up(ring, search, key);
	return -ENOMEM;
}

/* As find(), without the engines of the reader before search->reader. */
static int find_with_reader(struct staging_ring *ring, struct staging_search *search,
	struct buffer *source, enum allocation_use use, struct buffer **out)
{
	int engine;
	while ((engine = gpu_engines_import_any(
			ring->source, search->engine, source, COPY_SOURCE)) >= 0) {
		if (engine != search->engine) {
			*search = (struct staging_search){.engine = engine,
				.reader = search->reader,
				.skipped = search->skipped || search->temporary,
				.exhausted = search->exhausted};
		}
		const struct allocation_key key =
			make_key(ring, gpu_engines_name(ring->source, engine), search->reader, use,
				buffer_dmabuf(source)->modifier);
		int error = search_with(ring, search, &key, out);
		if (error != -ENOMEM) {
			search->searched = error == 0 ? key.engine : NULL;
			return error;
		}
		*search = (struct staging_search){.engine = engine + 1,
			.reader = search->reader,
			.skipped = search->skipped || search->temporary,
			.exhausted = true};
	}
	return engine;
}

/* Returns whether another engine of the reader may read right after the first read wrong pixels. */
static bool may_skip_reader(const struct staging_ring *ring, const struct staging_search *search,
	enum allocation_use use)
{
	const struct staging_verifier *verifier = ring->reader.staging->verifier;
	return use == ALLOCATION_CROSSED && verifier && search->reader + 1 < COPIER_ENGINES_MAX &&
	       staging_found_wrong(verifier, ring->source->gpu, ring->reader.gpu);
}

/*
 * Searches with each engine that imports the source, until there is memory for one. Returns 0 or an
 * error; a later call resumes after a postponing error.
 */
static int find(struct staging_ring *ring, struct staging_search *search, struct buffer *source,
	enum allocation_use use, struct buffer **out)
{
	for (;;) {
		int error = find_with_reader(ring, search, source, use, out);
		if (error >= 0 || is_postponed(error)) {
			return error;
		}
		bool skipped = search->skipped || error_may_pass(error);
		ring->unsuited = search->exhausted && !skipped;
		error = search->exhausted ? -ENOMEM : error;
		if (error != -ENOMEM || !may_skip_reader(ring, search, use)) {
			*search = (struct staging_search){0};
			return error;
		}
		*search = (struct staging_search){.reader = search->reader + 1, .skipped = skipped};
	}
}

/* Returns an error, after dropping the buffer, unless the reader's engine writes it. */
static int check_local(struct staging_ring *ring, struct buffer **out)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(*out);
	const char *reason;
	int error = dmabuf ? gpu_engines_check(ring->local, dmabuf, COPY_DESTINATION, &reason)
			   : -ENOTSUP;
	if (error == 0 && gpu_engines_have_refused(ring->local, *out, COPY_DESTINATION)) {
		error = -ENOTSUP;
	}
	if (error < 0) {
		buffer_drop(*out);
	}
	return error;
}

/* Allocates tiled memory of a discrete reader. */
static int create_tiled(
	struct staging_ring *ring, const struct format_modifiers *known, struct buffer **out)
{
	struct format_modifiers tiled = {.format = ring->format,
		.modifiers = xcalloc(known->n_modifiers, sizeof(*tiled.modifiers))};
	for (size_t i = 0; i < known->n_modifiers; i++) {
		if (known->modifiers[i] != DRM_FORMAT_MOD_INVALID &&
			!modifier_is_compressed(known->modifiers[i])) {
			tiled.modifiers[tiled.n_modifiers++] = known->modifiers[i];
		}
	}
	int error = tiled.n_modifiers > 0
			    ? create_buffer(ring, ring->ring.width, ring->ring.height, &tiled, out)
			    : -ENOTSUP;
	free(tiled.modifiers);
	return error < 0 ? error : check_local(ring, out);
}

/* Allocates memory of a discrete reader, in a layout that its engine can write. */
static int allocate_local(struct staging_ring *ring, struct buffer **out)
{
	const struct format_modifiers *known = format_set_get(ring->reader.formats, ring->format);
	if (!known) {
		return -ENOTSUP;
	}
	int error = create_tiled(ring, known, out);
	if (error == 0 || is_postponed(error)) {
		return error;
	}
	error = allocate_from_reader(ring, 0, out);
	return error < 0 ? error : check_local(ring, out);
}

int staging_allocate_crossing(
	struct staging_ring *ring, struct buffer *source, struct buffer *local)
{
	ring->local_memory = local;
	int error = find(ring, &ring->crossing_search, source, ALLOCATION_CROSSED, &ring->crossing);
	ring->local_memory = NULL;
	return error;
}

/*
 * Returns 0, a postponing error, or -ENOTSUP if the reader has no engine that writes its own
 * memory.
 */
static int allocate_discrete(struct staging_slot *slot, struct buffer *source)
{
	struct staging_ring *ring = slot->ring;
	struct buffer *local;
	int error = ring->local ? allocate_local(ring, &local) : -ENOTSUP;
	slot->is_stopgap =
		ring->local && (error_may_pass(error) || gpu_engines_lost_one(ring->local));
	if (error < 0) {
		return is_postponed(error) ? error : -ENOTSUP;
	}
	ring->local_modifier = buffer_dmabuf(local)->modifier;
	error = ring->crossing ? 0 : staging_allocate_crossing(ring, source, local);
	if (error < 0) {
		buffer_drop(local);
		slot->is_stopgap |= error_may_pass(error);
		return is_postponed(error) ? error : -ENOTSUP;
	}
	slot->buffer = local;
	slot->is_local = true;
	return 0;
}

static enum allocation_use use_of(const struct staging_slot *slot)
{
	const struct gpu *reader = slot->ring->reader.gpu;
	return slot->is_local       ? ALLOCATION_CROSSED
	       : !reader            ? ALLOCATION_CPU
	       : reader->integrated ? ALLOCATION_SAMPLED
				    : ALLOCATION_SAMPLED_BUS;
}

int staging_allocate(struct staging_slot *slot, struct buffer *source)
{
	int error = allocate_discrete(slot, source);
	if (error == -ENOTSUP && use_of(slot) == ALLOCATION_SAMPLED_BUS &&
		!gpu_samples_foreign_memory(slot->ring->reader.gpu)) {
		return -ENOTSUP;
	}
	/* A reader without an engine of its own reads over the bus. */
	return error != -ENOTSUP
		       ? error
		       : find(slot->ring, &slot->search, source, use_of(slot), &slot->buffer);
}

static struct staging_search *search_of(struct staging_slot *slot)
{
	return slot->is_local ? &slot->ring->crossing_search : &slot->search;
}

static struct buffer *memory_of(struct staging_slot *slot)
{
	return slot->is_local ? slot->ring->crossing : slot->buffer;
}

void staging_allocation_written(struct staging_slot *slot)
{
	struct staging_search *search = search_of(slot);
	search->name = slot->order.engine;
	search->modifier = buffer_dmabuf(slot->order.source)->modifier;
}

/* Another engine, or another GPU, did not choose the memory: it may find better memory. */
static bool is_result_of_writer(const struct staging_search *search)
{
	return !search->temporary && search->searched &&
	       strcmp(search->searched, search->name) == 0;
}

void staging_allocation_works(struct staging_slot *slot)
{
	struct staging_search *search = search_of(slot);
	if (search->proven || !search->name) {
		return;
	}
	search->proven = true;
	struct staging_ring *ring = slot->ring;
	if (!is_result_of_writer(search)) {
		return;
	}
	const struct allocation_key key =
		make_key(ring, search->name, search->reader, use_of(slot), search->modifier);
	if (allocation_table_set(
		    ring->reader.staging->allocations, &key, now(ring), &search->allocation)) {
		report(ring, search, &key);
	}
}

/* Returns whether an engine opened since then refuses memory that was written before. */
static bool is_refused_now(struct staging_slot *slot, int engine, struct buffer *memory)
{
	struct staging_ring *ring = slot->ring;
	int error = gpu_engines_import(ring->source, engine, memory, COPY_DESTINATION);
	return error == -ENOTSUP || error == -EINVAL ||
	       (slot->is_local && gpu_engines_have_refused(ring->local, memory, COPY_SOURCE));
}

bool staging_allocation_refused(struct staging_slot *slot, int engine)
{
	struct staging_search *search = search_of(slot);
	struct buffer *memory = memory_of(slot);
	if (search->proven && search->engine == engine && !search->wrong &&
		!(memory && (memory->unmappable || is_refused_now(slot, engine, memory)))) {
		return false;
	}
	if (search->proven) {
		/* Another engine wrote the client's previous buffers, or memory became short. */
		*search = (struct staging_search){0};
		return true;
	}
	search->submitted = true;
	search->why = search->why ? search->why : "the copy was refused";
	return true;
}
