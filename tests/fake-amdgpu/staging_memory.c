/* SPDX-License-Identifier: MIT */
/* Memory of staging rings: placement between two emulated GPUs. */

#include "gpu/gbm.h"
#include "gpu_pair.h"
#include "harness/unit.h"
#include "staging/memory_view.h"
#include "staging/ring.h"
#include <errno.h>
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
		assert_int_equal(pair_copy_until_decided(&pair), STAGING_READY);
		assert_int_equal(gbm.n_allocated, 1);
		if (crosses) {
			pair_check(&pair);
		} else {
			pair_check_linear(&pair);
		}
		/* The result is remembered. */
		pair_replace_ring(&pair, &pair.gpus[1]);
		assert_int_equal(pair_copy_until_decided(&pair), STAGING_READY);
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
		cmocka_unit_test(memory_without_pages_is_replaced_after_one_retry),
		cmocka_unit_test(memory_that_the_reader_cannot_map_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
