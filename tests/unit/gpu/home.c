/* SPDX-License-Identifier: MIT */
/* The GPU whose memory holds a dma-buf, by its exporter and the client's GPU. */

#include "gpu/home.h"
#include "gpu/gpu.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <string.h>

static void exporter_overrides_the_clients_gpu(void **state)
{
	struct gpu a = {.driver = (char *)"amdgpu"}, b = {.driver = (char *)"i915"},
		   c = {.driver = (char *)"virtio_gpu"}, d = {.driver = (char *)"virtio_gpu"};
	struct gpu *all[] = {&a, &b, &c, &d};
	struct gpu_list list;
	wl_list_init(&list.gpus);
	for (int i = 0; i < 4; i++) {
		wl_list_insert(list.gpus.prev, &all[i]->link);
	}
	const struct {
		struct gpu *told;
		const char *exporter;
		struct gpu *home;
	} table[] = {
		{&a, NULL, &a}, /* no exporter: trust the client */
		{&a, "drm", &a}, /* the kernel's common code for most drivers */
		{&a, "amdgpu", &a},
		{&a, "i915", &b}, /* the exporter overrides the client */
		{&d, "virtio_gpu", &d},
		{&d, "virtio-gpu", &d},
		{&c, "virtio_gpu", &c},
		{&a, "virtio_gpu", NULL}, /* ambiguous: two GPUs */
		{&a, "amd", NULL},
		{&a, "udmabuf", NULL}, /* system memory */
		{&a, "system", NULL},
		{NULL, NULL, NULL},
		{NULL, "drm", NULL},
		{NULL, "i915", &b},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_ptr_equal(
			gpu_find_home(&list, table[i].told, table[i].exporter), table[i].home);
	}
}

/* Exporters that tell NVIDIA's buffers from those of the GPU that the client was told. */
static void buffers_of_nvidia_are_recognised(void **state)
{
	struct gpu intel = {.driver = (char *)"i915"}, amd = {.driver = (char *)"amdgpu"},
		   nvidia = {.driver = (char *)"nvidia"}, second = {.driver = (char *)"nvidia"};
	const struct {
		struct gpu *gpus[3];
		const char *exporter;
		struct gpu *home; /* of a client that was told the first GPU */
	} table[] = {
		/* i915 exports by itself: the kernel's common code means another GPU. */
		{{&intel, &nvidia}, "drm", &nvidia},
		{{&intel, &amd}, "drm", &amd},
		{{&intel, &amd, &nvidia}, "drm", NULL},
		{{&intel}, "drm", NULL},
		{{&intel, &nvidia}, "i915", &intel},
		{{&amd, &nvidia}, "drm", &amd}, /* a submission decides */
		{{&nvidia, &amd}, "drm", &nvidia},
		/* The resource manager and CUDA. */
		{{&intel, &nvidia}, "nv_dmabuf", &nvidia},
		{{&amd, &nvidia}, "nv_dmabuf", &nvidia},
		{{&nvidia, &second}, "nv_dmabuf", &nvidia},
		{{&amd, &nvidia, &second}, "nv_dmabuf", NULL},
		{{&amd}, "nv_dmabuf", NULL},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct gpu_list list;
		int n, expected = 0;
		wl_list_init(&list.gpus);
		for (int j = 0; j < 3 && table[i].gpus[j]; j++) {
			wl_list_insert(list.gpus.prev, &table[i].gpus[j]->link);
			expected += strcmp(table[i].gpus[j]->driver, "nvidia") == 0;
		}
		assert_ptr_equal(
			gpu_find_home(&list, table[i].gpus[0], table[i].exporter), table[i].home);
		assert_int_equal(gpu_list_find_nvidia(&list, &n) != NULL, expected > 0);
		assert_int_equal(n, expected);
	}
}

static void memory_file_has_no_exporter(void **state)
{
	char name[DMABUF_EXPORTER_SIZE];
	int fd = fd_create_memory("home", 4096, true);
	assert_true(fd >= 0);
	assert_false(dmabuf_read_exporter(fd, name));
	fd_close(&fd);
	assert_false(dmabuf_read_exporter(-1, name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exporter_overrides_the_clients_gpu),
		cmocka_unit_test(buffers_of_nvidia_are_recognised),
		cmocka_unit_test(memory_file_has_no_exporter),
	};
	return cmocka_run_group_tests_name("home", tests, NULL, NULL);
}
