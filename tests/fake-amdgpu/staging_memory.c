/* SPDX-License-Identifier: MIT */
/* Memory of staging rings: placement between two emulated GPUs and handling of refusals. */

#include "gpu/gbm.h"
#include "gpu_pair.h"
#include "harness/unit.h"
#include "staging/memory_view.h"
#include "staging/ring.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Linear memory that GBM allocates on the source's GPU; other devices map it. */
static struct {
	int n_allocated;
	bool works;
	bool pageless; /* its imports succeed, and its submissions fail */
	const struct gpu *gpu; /* the last one */
} gbm;

int __wrap_gpu_allocate_linear(struct gpu *gpu, int32_t width, int32_t height, uint32_t format,
	uint32_t alignment, struct dmabuf *out);

int __wrap_gpu_allocate_linear(struct gpu *gpu, int32_t width, int32_t height, uint32_t format,
	uint32_t alignment, struct dmabuf *out)
{
	uint32_t stride = ((uint32_t)width * 4 + alignment - 1) / alignment * alignment;
	void *map;
	gbm.n_allocated++;
	gbm.gpu = gpu;
	if (!gbm.works) {
		return -ENOTSUP;
	}
	int fd = fake_dmabuf_create((size_t)stride * (size_t)height, &map);
	assert_true(fd >= 0);
	if (gbm.pageless) {
		fake_dmabuf_drop_pages(fd);
	}
	dmabuf_init_linear(out, width, height, format, fd, stride);
	return 0;
}

/* The budget counts each buffer of the ring once, and the one between the GPUs. */
static void check_memory(const struct staging_ring *ring)
{
	uint64_t sum = ring->crossing_memory;

	assert_true(ring->crossing && sum >= PAIR_SIDE * PAIR_SIDE * 4);
	for (int i = 0; i < STAGING_MAX; i++) {
		sum += ring->slots[i].buffer ? ring->slots[i].memory : 0;
	}
	assert_int_equal(ring->reader.staging->memory, sum);
}

/* Engines without an allocator of their own get memory of their GPU, also without udmabuf. */
static void crossing_uses_linear_memory_of_the_source(void **state)
{
	struct pair pair;
	for (int works = 1; works >= 0; works--) {
		gbm.works = works;
		gbm.n_allocated = 0;
		pair_init(&pair, true, false);
		fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_FOREIGN);
		fake_gpu_refuse(pair.fakes[1], FAKE_REFUSE_ALLOCATION);
		assert_int_equal(pair_copy(&pair), works ? STAGING_READY : STAGING_REFUSED);
		assert_true(gbm.n_allocated > 0);
		assert_string_equal(gbm.gpu->render_path, pair.gpus[0].render_path);
		if (works) {
			assert_int_equal(
				pair.ring->crossing_search.allocation.from, ALLOCATION_SOURCE);
			pair_check(&pair);
			check_memory(pair.ring);
			assert_int_equal(pair_copy(&pair), STAGING_READY);
			check_memory(pair.ring);
		}
		pair_finish(&pair);
	}
}

/* NVIDIA's GPUs share no memory, and /dev/udmabuf may be closed. */
static void crossing_may_be_system_memory_of_the_reader(void **state)
{
	struct pair pair;
	gbm.works = false;
	pair_init(&pair, true, false);
	fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_FOREIGN);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(pair.ring->crossing_search.allocation.from, ALLOCATION_LOCAL);
	pair_check(&pair);
	pair_finish(&pair);
}

/* The CPU's caches may be incoherent with it. */
static void cpu_reads_no_memory_of_gbm(void **state)
{
	struct pair pair;
	gbm.works = true;
	gbm.n_allocated = 0;
	pair_init(&pair, false, true);
	pair_replace_ring(&pair, NULL);
	fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(gbm.n_allocated, 0);
	pair_finish(&pair);
}

/* Imports of video memory may succeed, and the copy or the page flip fails. */
static void discrete_reader_lends_no_memory_of_its_own(void **state)
{
	struct pair pair;
	for (int works = 1; works >= 0; works--) {
		gbm.works = works;
		pair_init(&pair, true, false);
		pair.copier->only = "sdma";
		/* Without an engine that writes its memory, it samples over the bus. */
		pair.gpus[1].render_path = (char *)"/emulated/none";
		fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_FOREIGN);
		assert_int_equal(pair_copy(&pair), works ? STAGING_READY : STAGING_REFUSED);
		if (works) {
			pair_check_linear(&pair);
			assert_int_equal(
				pair.ring->slots[0].search.allocation.from, ALLOCATION_SOURCE);
		}
		pair_finish(&pair);
	}
}

/* NVIDIA's renderer would read wrong pixels beyond the first megabytes. */
static void nvidia_samples_no_memory_over_the_bus(void **state)
{
	struct pair pair;
	gbm.works = true;
	pair_init(&pair, true, false);
	pair.copier->only = "sdma";
	pair.gpus[1].render_path = (char *)"/emulated/none";
	pair.gpus[1].driver = (char *)"nvidia";
	fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION);
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	pair_finish(&pair);
}

/* GLES would have to sample system memory, or to draw into it. */
static void nvidia_copies_by_vulkan_only(void **state)
{
	struct gpu nvidia = {.driver = (char *)"nvidia", .fd = -1};
	struct engine_context context = {.gpu = &nvidia};
	struct copy_engine *engine;
	size_t n;
	const struct engine_type *types = engine_types(&n);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(types[i].name, "gles") == 0) {
			assert_int_equal(types[i].create(&context, &engine), -ENOTSUP);
			return;
		}
	}
	fail();
}

static void add_phrase(void *data, const char *phrase)
{
	char *text = data;
	strcat(text, phrase);
	strcat(text, "\n");
}

/* For causewayctl: each pair once, and failures too. */
static void memory_of_each_pair_is_described(void **state)
{
	for (int works = 1; works >= 0; works--) {
		char text[512] = "";
		struct pair pair;
		gbm.works = works;
		pair_init(&pair, true, false);
		pair.copier->only = "sdma";
		fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_FOREIGN);
		fake_gpu_refuse(pair.fakes[1], FAKE_REFUSE_ALLOCATION);
		staging_each_memory(pair.staging, &pair.gpus[0], add_phrase, text);
		assert_string_equal(text, "");
		pair_copy(&pair);
		staging_each_memory(pair.staging, &pair.gpus[1], add_phrase, text);
		assert_string_equal(text, "");
		staging_each_memory(pair.staging, &pair.gpus[0], add_phrase, text);
		assert_string_equal(
			text, works ? "sdma to /emulated/renderD129: memory of the source's GPU, "
				      "rows aligned to 256\n"
				    : "sdma to /emulated/renderD129: no memory\n");
		pair_finish(&pair);
	}
}

/* The reading CPU gets memory of the copy engine, or else any other, with the driver's stride. */
static void linear_ring_uses_memory_of_copy_engine(void **state)
{
	static const struct {
		unsigned refusals;
		uint32_t stride;
		uint64_t imports; /* of the client's buffer and of candidate memory */
	} cases[] = {
		{FAKE_REFUSE_NONE, PAIR_SIDE * 4, 2},
		{FAKE_REFUSE_FOREIGN, PAIR_SIDE * 4, 2},
		{FAKE_REFUSE_ALLOCATION, PAIR_SIDE * 4, 2},
		{FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_SMALL, 4096, 4},
	};
	struct pair pair;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pair_init(&pair, false, true);
		pair_replace_ring(&pair, NULL);
		fake_gpu_refuse(pair.fakes[0], cases[i].refusals);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		assert_int_equal(pair_check_linear(&pair), cases[i].stride);
		assert_int_equal(pair_imported(&pair), cases[i].imports);
		/* Another ring reuses the placement without trials. */
		staging_ring_destroy(pair.ring);
		pair.copier->linger = 1;
		pair_create_ring(&pair, NULL);
		pair_copy(&pair);
		uint64_t before = pair_imported(&pair);
		pair_replace_ring(&pair, NULL);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		assert_int_equal(pair_imported(&pair) - before, 1);
		assert_int_equal(pair_check_linear(&pair), cases[i].stride);
		pair_finish(&pair);
	}
}

/* The reading GPU's own memory comes first, with the stride that it needs. */
static void sampled_ring_uses_memory_of_reader(void **state)
{
	static const struct {
		uint32_t stride;
		unsigned refusals;
		uint32_t found;
	} cases[] = {
		{1024, FAKE_REFUSE_NONE, 1024},
		{4096, FAKE_REFUSE_NONE, 4096},
		{4096, FAKE_REFUSE_FOREIGN | FAKE_REFUSE_ALLOCATION, 4096},
	};
	struct pair pair;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pair_init(&pair, false, true);
		pair.stride = cases[i].stride;
		fake_gpu_refuse(pair.fakes[0], cases[i].refusals);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
		assert_int_equal(pair_check_linear(&pair), cases[i].found);
		pair_finish(&pair);
	}
}

/* The CPU cannot map parts of the buffer either. */
static void cropped_unmappable_buffer_is_unmappable(void **state)
{
	struct buffer *wide = &pair_create_client_buffer(false)->base;
	struct buffer *cropped;
	size_t stride;
	void *data;

	struct dmabuf narrow = *buffer_dmabuf(wide);
	narrow.width = 100;
	assert_int_equal(memory_view_create(wide, &narrow, &cropped), 0);
	assert_int_equal(cropped->width, 100);
	assert_int_equal(buffer_dmabuf(cropped)->width, 100);
	assert_int_equal(buffer_dmabuf(cropped)->stride[0], buffer_dmabuf(wide)->stride[0]);
	assert_int_equal(buffer_begin_access(cropped, BUFFER_READ, &data, &stride), -ENOTSUP);
	buffer_drop(cropped);
	fake_reset_all();
}

/* The reason is reported once and remembered across commits. */
static void impossible_placement_is_reported_once(void **state)
{
	struct pair pair;
	const char *reason = NULL;

	pair_init(&pair, false, true);
	pair.copier->linger = 5000000000;
	pair.stride = 3;
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	staging_copy(pair.ring, &pair.source->base, &pair.all, false, &reason);
	assert_string_equal(reason, "no memory suits both its GPU and the GPU that shows it");
	uint64_t before = pair_imported(&pair);
	for (int i = 0; i < 5; i++) {
		pair_replace_ring(&pair, &pair.gpus[1]);
		assert_int_equal(
			staging_copy(pair.ring, &pair.source->base, &pair.all, false, &reason),
			STAGING_REFUSED);
	}
	assert_int_equal(pair_imported(&pair), before);
	pair_finish(&pair);
}

static void memory_refused_at_submission_is_replaced(void **state)
{
	struct pair pair;

	/* Trials begin with the engines that the GPU could have. */
	pair_init(&pair, false, true);
	pair.copier->linger = 5000000000;
	pair.source->image.dmabuf.modifier = PAIR_COMPRESSED;
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	buffer_drop(&pair.source->base);
	pair.source = pair_create_client_buffer(true);
	pair.source->base.home = &pair.gpus[0];
	pair_replace_ring(&pair, NULL);
	uint64_t before = pair_imported(&pair);
	fake_gpu_fail_next(pair.fakes[0], EINVAL, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	pair_check_linear(&pair);
	assert_int_equal(pair_imported(&pair) - before, 3);
	assert_int_equal(staging_stats(pair.ring).bytes, PAIR_SIDE * PAIR_SIDE * 4);
	pair_finish(&pair);
}

static void change_source(struct pair *pair, uint64_t modifier)
{
	buffer_drop(&pair->source->base);
	pair->source = pair_create_client_buffer(true);
	pair->source->base.home = &pair->gpus[0];
	if (modifier != PAIR_MODIFIER) {
		dmabuf_image_finish(&pair->source->image);
		dmabuf_image_init_tiled(&pair->source->image, DRM_FORMAT_XRGB8888, PAIR_SIDE,
			PAIR_SIDE, modifier, 0);
	}
}

static enum staging_status copy_once(struct pair *pair)
{
	const char *reason;
	return staging_copy(pair->ring, &pair->source->base, &pair->all, false, &reason);
}

/* Copies through a new ring, as the commit after a refusal does. */
static enum staging_status copy_again(struct pair *pair)
{
	pair_replace_ring(pair, NULL);
	return pair_copy(pair);
}

/* Repeats a copy, as the compositor does when the ring asks for it. */
static enum staging_status copy_until_decided(struct pair *pair)
{
	enum staging_status status = STAGING_LATE;

	for (int i = 0; i < 40 && status != STAGING_READY && status != STAGING_REFUSED; i++) {
		const char *reason;
		clock_advance(pair->clock, INT64_C(100000000));
		status = staging_copy(pair->ring, &pair->source->base, &pair->all, false, &reason);
		while (pair->copier->n_opening > 0) {
			wl_event_loop_dispatch(pair->loop, -1);
		}
	}
	return status;
}

/* The kernel finds out at submission that memory has no pages: other memory takes its place. */
static void memory_without_pages_is_replaced_after_one_retry(void **state)
{
	for (int crosses = 0; crosses < 2; crosses++) {
		struct pair pair;
		gbm.works = gbm.pageless = true;
		pair_init(&pair, true, false);
		pair.copier->linger = 60000000000;
		if (!crosses) {
			pair.copier->only = "sdma";
			pair.gpus[1].render_path = (char *)"/emulated/none";
		}
		fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION);
		gbm.n_allocated = 0;
		assert_int_equal(copy_until_decided(&pair), STAGING_READY);
		assert_int_equal(gbm.n_allocated, 1);
		if (crosses) {
			pair_check(&pair);
		} else {
			pair_check_linear(&pair);
		}
		/* The result is remembered. */
		pair_replace_ring(&pair, &pair.gpus[1]);
		assert_int_equal(copy_until_decided(&pair), STAGING_READY);
		assert_int_equal(gbm.n_allocated, 1);
		assert_string_equal(staging_stats(pair.ring).engine, "sdma");
		pair_finish(&pair);
		gbm.pageless = false;
	}
}

/* The engine of the reader finds out after the copy from the source has ended. */
static void memory_that_the_reader_cannot_map_is_replaced(void **state)
{
	struct pair pair;
	gbm.works = true;
	pair_init(&pair, true, false);
	fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION);
	/* Waits for the engine of the reader, whose submissions fail from now on. */
	fake_gpu_hold(pair.fakes[0]);
	pair_copy(&pair);
	fake_dmabuf_drop_pages_for(pair.fakes[1], buffer_dmabuf(pair.ring->crossing)->fd[0]);
	fake_gpu_release(pair.fakes[0]);
	for (int i = 0; i < 20; i++) {
		wl_event_loop_dispatch(pair.loop, 0);
		pair.n_arrived = 0;
		pair_copy(&pair);
	}
	assert_int_equal(staging_status(pair.ring, &pair.all), STAGING_READY);
	pair_check(&pair);
	pair_finish(&pair);
}

/* A moment without memory is no reason for another engine, nor for other memory. */
static void submission_out_of_memory_is_repeated_once(void **state)
{
	const char *reason;
	struct pair pair;
	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	for (int i = 0; i < 4; i++) {
		pair_damage(&pair);
		pair.n_arrived = 0;
		fake_gpu_fail_next(pair.fakes[0], ENOMEM, 1);
		assert_int_equal(
			staging_copy(pair.ring, &pair.source->base, &pair.all, false, &reason),
			STAGING_LATE);
		assert_true(staging_in_flight(pair.ring));
		assert_int_equal(pair.n_arrived, 0);
		clock_advance(pair.clock, INT64_C(100000000));
		assert_int_equal(pair.n_arrived, 1);
		assert_int_equal(copy_until_decided(&pair), STAGING_READY);
		assert_string_equal(staging_stats(pair.ring).engine, "sdma");
		assert_false(pair.source->base.unmappable);
	}
	pair_finish(&pair);
}

/* Mesa's drivers would repeat its submission for ever: neither they nor the renderer get it. */
static void client_buffer_without_pages_is_refused(void **state)
{
	struct pair pair;
	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	fake_dmabuf_drop_pages(pair.source->image.dmabuf.fd[0]);
	assert_int_equal(copy_until_decided(&pair), STAGING_REFUSED);
	assert_true(pair.source->base.unmappable);
	/* The buffers of others are copied. */
	change_source(&pair, PAIR_MODIFIER);
	pair_replace_ring(&pair, &pair.gpus[1]);
	assert_int_equal(copy_until_decided(&pair), STAGING_READY);
	assert_false(pair.source->base.unmappable);
	pair_check_linear(&pair);
	pair_finish(&pair);
}

/* The GPU's memory was full, twice in a row; the client goes on with the same buffers. */
static void client_buffer_is_copied_once_the_kernel_maps_it(void **state)
{
	struct pair pair;
	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	const int fd = pair.source->image.dmabuf.fd[0];
	fake_dmabuf_drop_pages_for(pair.fakes[0], fd);
	assert_int_equal(copy_until_decided(&pair), STAGING_REFUSED);
	assert_true(pair.source->base.unmappable);
	/* The engine tries again after five seconds, then ten. */
	clock_advance(pair.clock, INT64_C(6000000000));
	assert_int_equal(copy_until_decided(&pair), STAGING_REFUSED);
	fake_dmabuf_drop_pages_for(NULL, fd);
	clock_advance(pair.clock, INT64_C(6000000000));
	assert_int_equal(copy_once(&pair), STAGING_REFUSED);
	assert_true(pair.source->base.unmappable);
	clock_advance(pair.clock, INT64_C(5000000000));
	assert_int_equal(copy_until_decided(&pair), STAGING_READY);
	assert_false(pair.source->base.unmappable);
	pair_check_linear(&pair);
	pair_finish(&pair);
}

/* Neither later commits nor other layouts repeat the trials. */
static void refusal_of_all_memory_at_submission_is_remembered(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	fake_gpu_fail_next(pair.fakes[0], EINVAL, 1000);
	assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	/* One retry, since engines were opened after the first one. */
	assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	uint64_t before = pair_imported(&pair);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	}
	assert_int_equal(pair_imported(&pair), before);

	fake_gpu_fail_next(pair.fakes[0], 0, 0);
	change_source(&pair, UINT64_C(0x0200000000000901));
	assert_int_equal(copy_again(&pair), STAGING_READY);
	pair_check_linear(&pair);
	change_source(&pair, PAIR_MODIFIER);
	assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	clock_advance(pair.clock, 5000000000);
	assert_int_equal(copy_again(&pair), STAGING_READY);
	pair_check_linear(&pair);
	pair_finish(&pair);
}

/* A placement that works for one size can fail for another size of its class. */
static void remembered_placement_is_replaced_when_refused(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(pair_check_linear(&pair), PAIR_SIDE * 4);
	pair_replace_ring(&pair, &pair.gpus[1]);
	pair.stride = 4096;
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(pair_check_linear(&pair), 4096);
	pair_finish(&pair);
}

/* The reader's engine decides after it has opened; until then, the copy is late and not refused. */
static void placement_waits_for_engine_of_reader(void **state)
{
	struct pair pair;

	pair_init(&pair, true, false);
	fake_gpu_fail_imports(pair.fakes[1], EINVAL, 1);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	assert_int_equal(pair.ring->crossing_search.allocation.from, ALLOCATION_SOURCE);
	assert_int_equal(pair.ring->crossing_search.allocation.alignment, 256);
	pair_check(&pair);
	pair_finish(&pair);
}

/* Out of memory is a temporary error. */
static void import_out_of_memory_is_retried(void **state)
{
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	pair.copier->linger = 60000000000;
	fake_gpu_fail_imports(pair.fakes[0], ENOMEM, 1);
	assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	assert_int_equal(copy_again(&pair), STAGING_READY);
	pair_check_linear(&pair);
	/* Other errors are remembered. */
	change_source(&pair, PAIR_MODIFIER);
	fake_gpu_fail_imports(pair.fakes[0], EINVAL, 1);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(copy_again(&pair), STAGING_REFUSED);
	}
	pair_finish(&pair);
}

/* The new layout needs another engine, which refuses the ring's memory. */
static void client_changes_layout_and_engine(void **state)
{
	const char *reason;
	struct pair pair;

	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	/* All engines are tried. */
	pair.source->image.dmabuf.modifier = PAIR_COMPRESSED;
	assert_int_equal(pair_copy(&pair), STAGING_REFUSED);
	change_source(&pair, PAIR_MODIFIER);
	/* Each buffer twice, since the reader's engine opened between the first two. */
	for (int i = 0; i < 4; i++) {
		pair_damage(&pair);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
	}
	/* The chip lacks this layout; the CPU reads it. */
	change_source(&pair, UINT64_C(0x0200000000000a01));
	assert_int_equal(fcntl(pair.source->image.dmabuf.fd[0], F_ADD_SEALS, F_SEAL_SHRINK), 0);
	pair_damage(&pair);
	assert_int_not_equal(staging_copy(pair.ring, &pair.source->base, &pair.all, false, &reason),
		STAGING_REFUSED);
	while (staging_status(pair.ring, &pair.all) != STAGING_READY) {
		wl_event_loop_dispatch(pair.loop, -1);
	}
	assert_string_equal(staging_stats(pair.ring).engine, "cpu");
	pair_check_linear(&pair);
	pair_finish(&pair);
}

/* Waits for copies by the CPU, too, whose thread does not follow the clock. */
static void copy_until_ready(struct pair *pair)
{
	for (int i = 0; i < 1000 && copy_once(pair) != STAGING_READY; i++) {
		while (pair->copier->n_opening > 0 || pair->ring->ring.slots[0].writing ||
			pair->ring->ring.slots[1].writing) {
			wl_event_loop_dispatch(pair->loop, -1);
		}
		clock_advance(pair->clock, INT64_C(100000000));
	}
	assert_int_equal(staging_status(pair->ring, &pair->all), STAGING_READY);
}

static enum allocation_from memory_of(const struct pair *pair)
{
	return pair->ring->slots[0].search.allocation.from;
}

static void map_source(struct pair *pair)
{
	assert_int_equal(fcntl(pair->source->image.dmabuf.fd[0], F_ADD_SEALS, F_SEAL_SHRINK), 0);
}

/*
 * The client's buffer is imported again by the time that the memory is there, which was chosen by
 * an engine without memory of its own.
 */
static void memory_chosen_by_one_engine_is_not_remembered_for_another(void **state)
{
	int n_stopgaps = 0;
	for (int n = 1; n < 6; n++) {
		struct pair pair;
		pair_init(&pair, false, true);
		pair.copier->linger = 60000000000;
		map_source(&pair);
		fake_gpu_fail_imports(pair.fakes[0], EIO, n);
		copy_again(&pair);
		copy_until_ready(&pair);
		n_stopgaps += memory_of(&pair) == ALLOCATION_SYSTEM &&
			      strcmp(staging_stats(pair.ring).engine, "sdma") == 0;
		fake_gpu_fail_imports(pair.fakes[0], 0, 0);
		copy_again(&pair);
		copy_until_ready(&pair);
		assert_string_equal(staging_stats(pair.ring).engine, "sdma");
		assert_int_equal(memory_of(&pair), ALLOCATION_SOURCE);
		pair_check_linear(&pair);
		pair_finish(&pair);
	}
	assert_true(n_stopgaps > 0);
}

/* The ring keeps its memory when the client draws on another GPU, which has better memory. */
static void memory_chosen_for_one_gpu_is_not_remembered_for_another(void **state)
{
	struct pair pair;
	pair_init(&pair, false, true);
	pair.copier->linger = 60000000000;
	fake_gpu_refuse(pair.fakes[0], FAKE_REFUSE_ALLOCATION);
	assert_int_equal(copy_again(&pair), STAGING_READY);
	assert_int_equal(memory_of(&pair), ALLOCATION_SYSTEM);
	change_source(&pair, PAIR_MODIFIER);
	pair.source->base.home = &pair.gpus[1];
	for (int i = 0; i < STAGING_MAX; i++) {
		pair.n_arrived = 0;
		pair_damage(&pair);
		assert_int_equal(pair_copy(&pair), STAGING_READY);
	}
	assert_int_equal(memory_of(&pair), ALLOCATION_SYSTEM);
	assert_int_equal(copy_again(&pair), STAGING_READY);
	assert_int_equal(memory_of(&pair), ALLOCATION_SOURCE);
	pair_check_linear(&pair);
	pair_finish(&pair);
}

static int fail_allocations(enum fake_call call)
{
	return call == FAKE_CALL_ALLOCATE ? ENOMEM : 0;
}

/* Replaces the ring's buffers while the kernel has no memory. */
static void run_short(struct pair *pair, uint32_t format)
{
	buffer_drop(&pair->source->base);
	pair->source = pair_create_formatted_buffer(true, PAIR_SIDE, PAIR_SIDE, format);
	pair->source->base.home = &pair->gpus[0];
	fake_set_hook(fail_allocations);
	staging_damage(pair->ring, PAIR_SIDE, PAIR_SIDE, format, NULL);
	copy_until_ready(pair);
	assert_int_equal(memory_of(pair), ALLOCATION_SYSTEM);
}

static void draw_for(struct pair *pair, int64_t time)
{
	for (int64_t i = 0; i < time; i += INT64_C(1000000000)) {
		clock_advance(pair->clock, INT64_C(1000000000));
		staging_damage(pair->ring, PAIR_SIDE, PAIR_SIDE, pair->source->base.format, NULL);
		copy_until_ready(pair);
	}
}

static bool has_best_memory(const struct pair *pair)
{
	bool best = true;
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct staging_slot *slot = &pair->ring->slots[i];
		best &= !slot->buffer || slot->search.allocation.from == ALLOCATION_SOURCE;
	}
	return best;
}

/* The second shortage has nothing to do with the first one. */
static void better_memory_ends_the_doubling_of_pauses(void **state)
{
	const int64_t second = INT64_C(1000000000);
	struct pair pair;
	pair_init(&pair, false, true);
	pair.copier->only = "sdma";
	pair_replace_ring(&pair, NULL);
	assert_int_equal(pair_copy(&pair), STAGING_READY);
	run_short(&pair, DRM_FORMAT_ARGB8888);
	draw_for(&pair, 200 * second);
	assert_true(pair.ring->n_renewals > 3);
	fake_set_hook(NULL);
	draw_for(&pair, 200 * second);
	assert_true(has_best_memory(&pair));
	run_short(&pair, DRM_FORMAT_XRGB8888);
	fake_set_hook(NULL);
	draw_for(&pair, 20 * second);
	assert_true(has_best_memory(&pair));
	pair_finish(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crossing_uses_linear_memory_of_the_source),
		cmocka_unit_test(crossing_may_be_system_memory_of_the_reader),
		cmocka_unit_test(cpu_reads_no_memory_of_gbm),
		cmocka_unit_test(discrete_reader_lends_no_memory_of_its_own),
		cmocka_unit_test(nvidia_samples_no_memory_over_the_bus),
		cmocka_unit_test(nvidia_copies_by_vulkan_only),
		cmocka_unit_test(memory_of_each_pair_is_described),
		cmocka_unit_test(linear_ring_uses_memory_of_copy_engine),
		cmocka_unit_test(sampled_ring_uses_memory_of_reader),
		cmocka_unit_test(cropped_unmappable_buffer_is_unmappable),
		cmocka_unit_test(impossible_placement_is_reported_once),
		cmocka_unit_test(memory_refused_at_submission_is_replaced),
		cmocka_unit_test(memory_without_pages_is_replaced_after_one_retry),
		cmocka_unit_test(memory_that_the_reader_cannot_map_is_replaced),
		cmocka_unit_test(submission_out_of_memory_is_repeated_once),
		cmocka_unit_test(client_buffer_without_pages_is_refused),
		cmocka_unit_test(client_buffer_is_copied_once_the_kernel_maps_it),
		cmocka_unit_test(refusal_of_all_memory_at_submission_is_remembered),
		cmocka_unit_test(remembered_placement_is_replaced_when_refused),
		cmocka_unit_test(placement_waits_for_engine_of_reader),
		cmocka_unit_test(import_out_of_memory_is_retried),
		cmocka_unit_test(client_changes_layout_and_engine),
		cmocka_unit_test(memory_chosen_by_one_engine_is_not_remembered_for_another),
		cmocka_unit_test(memory_chosen_for_one_gpu_is_not_remembered_for_another),
		cmocka_unit_test(better_memory_ends_the_doubling_of_pauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
