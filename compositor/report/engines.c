/* SPDX-License-Identifier: MIT */
/*
 * Copy engines in the hardware report: exact or not, and how fast, by kind of memory and by reader.
 */

#include "copy/pattern.h"
#include "device.h"
#include "gpu/format.h"
#include "internal.h"
#include "load.h"
#include <inttypes.h>
#include <stdlib.h>

#define REPEATS 9 /* odd, for the median */
#define SMALL 64 /* pixels */
#define SEED 1 /* of the pattern; another one is written before pixels are copied back */

/* An engine of a GPU with its source image. */
struct subject {
	const struct report_device *devices;
	size_t n_devices;
	const struct report_device *device;
	struct report_engine *engine;
	struct dmabuf native;
	struct copy_image *source;
};

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Returns the median duration (ns) or -errno. */
static int64_t time_copies(struct report_engine *engine, struct copy_image *source,
	struct copy_image *destination, const pixman_box32_t *box)
{
	int64_t times[REPEATS];
	for (int i = 0; i < REPEATS; i++) {
		int error = pattern_copy(engine->engine, source, destination, box, &times[i]);
		if (error < 0) {
			return error;
		}
	}
	qsort(times, REPEATS, sizeof(times[0]), compare_times);
	return times[REPEATS / 2];
}

static void add_times(struct record *record, const char *key, const struct subject *subject,
	struct copy_image *destination)
{
	static const pixman_box32_t small = {0, 0, SMALL, SMALL};
	struct record *times = record_add(record, key);
	int64_t latency = time_copies(subject->engine, subject->source, destination, &small);
	int64_t full = latency < 0
			       ? latency
			       : time_copies(subject->engine, subject->source, destination, NULL);
	if (full < 0) {
		record_error(times, "error", (int)full);
		return;
	}
	record_number(times, "microseconds_64x64", latency / 1000);
	record_number(
		times, "mib_per_s", PATTERN_BYTES * INT64_C(1000000000) / (full ? full : 1) >> 20);
}

static void add_exactness(struct record *record, int64_t wrong)
{
	record_flag(record, "exact", wrong == 0);
	if (wrong > 0) {
		record_number(record, "wrong_pixels", wrong);
	}
}

/* Writes the pattern through `linear` into the source image, and reads it back. */
static int copy_there_and_back(const struct subject *subject, struct copy_image *linear,
	const struct pattern_mapping *mapping, int64_t *wrong)
{
	pattern_fill(mapping, SEED);
	int error = pattern_copy(subject->engine->engine, linear, subject->source, NULL, NULL);
	if (error < 0) {
		return error;
	}
	pattern_fill(mapping, SEED + 1);
	error = pattern_copy(subject->engine->engine, subject->source, linear, NULL, NULL);
	if (error == 0) {
		*wrong = pattern_compare(mapping, SEED);
	}
	return error;
}

/* Lets another GPU's engine read the linear image. Returns the number of wrong pixels or -errno. */
static int64_t read_by(struct report_engine *reader, const struct dmabuf *linear)
{
	struct dmabuf memory;
	struct copy_image *from = NULL, *to = NULL;
	struct pattern_mapping mapping;
	int error = pattern_allocate(PATTERN_ENGINE, reader->engine, NULL, &memory);
	if (error < 0) {
		error = pattern_allocate(PATTERN_UDMABUF, NULL, NULL, &memory);
	}
	if (error < 0) {
		return error;
	}
	int64_t wrong = pattern_map(&mapping, &memory);
	if (wrong < 0) {
		goto finish_memory;
	}
	pattern_fill(&mapping, SEED + 1);
	wrong = copy_engine_import(reader->engine, linear, COPY_SOURCE, &from);
	if (wrong == 0) {
		wrong = copy_engine_import(reader->engine, &memory, COPY_DESTINATION, &to);
	}
	if (wrong == 0) {
		wrong = pattern_copy(reader->engine, from, to, NULL, NULL);
	}
	if (wrong == 0) {
		wrong = pattern_compare(&mapping, SEED);
	}
	copy_image_drop(from);
	copy_image_drop(to);
	pattern_unmap(&mapping);
finish_memory:
	dmabuf_finish(&memory);
	return wrong;
}

static void add_readers(
	struct record *record, const struct subject *subject, const struct dmabuf *linear)
{
	struct record *list = record_add_list(record, "read_by");
	for (size_t i = 0; i < subject->n_devices; i++) {
		const struct report_device *device = &subject->devices[i];
		for (size_t e = 0; device != subject->device && e < device->n_engines; e++) {
			struct report_engine reader = device->engines[e];
			if (!reader.engine) {
				continue;
			}
			struct record *one = record_add(list, NULL);
			int64_t wrong = read_by(&reader, linear);
			record_text(one, "gpu", "%s", device->gpu->bus_id);
			record_text(one, "engine", "%s", reader.type->name);
			if (wrong < 0) {
				record_error(one, "error", (int)wrong);
			} else {
				add_exactness(one, wrong);
			}
		}
	}
}

static void measure(struct record *record, const struct subject *subject,
	const struct dmabuf *memory, struct copy_image *linear)
{
	add_times(record, "idle", subject, linear);
	struct load *load = load_start(subject->device->gpu);
	if (load) {
		add_times(record, "beside_graphics", subject, linear);
		load_stop(load);
	}
	add_readers(record, subject, memory);
}

static void try_memory(
	struct record *record, const struct subject *subject, const struct dmabuf *memory)
{
	struct copy_image *linear;
	struct pattern_mapping mapping;
	int error = copy_engine_import(
		subject->engine->engine, memory, COPY_SOURCE | COPY_DESTINATION, &linear);
	if (error < 0) {
		record_error(record, "error", error);
		return;
	}
	int64_t wrong = 0;
	error = pattern_map(&mapping, memory);
	if (error < 0) {
		record_error(record, "not_mapped", error);
	} else {
		error = copy_there_and_back(subject, linear, &mapping, &wrong);
		pattern_unmap(&mapping);
		if (error == 0) {
			add_exactness(record, wrong);
			measure(record, subject, memory, linear);
		} else {
			record_error(record, "error", error);
		}
	}
	copy_image_drop(linear);
}

static void add_memory(struct record *list, const struct subject *subject, enum pattern_memory kind,
	const struct report_device *owner)
{
	struct record *one = record_add(list, NULL);
	struct dmabuf memory;
	record_text(one, "memory", "%s", pattern_memory_name(kind));
	if (kind == PATTERN_GBM) {
		record_text(one, "of", "%s", owner->gpu->bus_id);
	}
	int error = pattern_allocate(kind, subject->engine->engine, owner->gpu, &memory);
	if (error < 0) {
		record_error(one, "error", error);
		return;
	}
	try_memory(one, subject, &memory);
	dmabuf_finish(&memory);
}

/* Allocates the source image: tiled if possible, else linear. */
static int allocate_source(struct subject *subject)
{
	struct copy_engine *engine = subject->engine->engine;
	const struct report_device *device = subject->device;
	const struct format_modifiers *known =
		format_set_get(&device->facts.sampling, DRM_FORMAT_XRGB8888);
	int error = pattern_allocate_native(engine, device->gpu, known, &subject->native);
	for (int kind = 0; error < 0 && kind < PATTERN_KINDS; kind++) {
		error = pattern_allocate(
			(enum pattern_memory)kind, engine, device->gpu, &subject->native);
		if (error == 0 && kind == PATTERN_ENGINE) {
			pattern_retile(engine, known, &subject->native);
		}
	}
	if (error < 0) {
		return error;
	}
	error = copy_engine_import(
		engine, &subject->native, COPY_SOURCE | COPY_DESTINATION, &subject->source);
	if (error < 0) {
		dmabuf_finish(&subject->native);
	}
	return error;
}

static void add_engine(struct record *list, struct subject *subject)
{
	struct record *one = record_add(list, NULL);
	record_text(one, "engine", "%s", subject->engine->type->name);
	int error = subject->engine->engine ? allocate_source(subject) : subject->engine->error;
	if (error < 0) {
		record_error(one, "error", error);
		return;
	}
	record_text(one, "source_modifier", "0x%" PRIx64, subject->native.modifier);
	struct record *memories = record_add_list(one, "copies");
	add_memory(memories, subject, PATTERN_ENGINE, subject->device);
	for (size_t i = 0; i < subject->n_devices; i++) {
		add_memory(memories, subject, PATTERN_GBM, &subject->devices[i]);
	}
	add_memory(memories, subject, PATTERN_UDMABUF, subject->device);
	copy_image_drop(subject->source);
	dmabuf_finish(&subject->native);
}

void report_engines(struct record *record, struct report_device *devices, size_t n, size_t index)
{
	struct record *list = record_add_list(record, "engines");
	struct report_device *device = &devices[index];
	for (size_t i = 0; i < device->n_engines; i++) {
		struct subject subject = {
			.devices = devices,
			.n_devices = n,
			.device = device,
			.engine = &device->engines[i],
		};
		add_engine(list, &subject);
	}
}
