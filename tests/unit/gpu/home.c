/* SPDX-License-Identifier: MIT */
/* The GPU whose memory holds a dma-buf, by its exporter and the client's GPU. */

#include "gpu/home.h"
#include "gpu/gpu.h"
#include "harness/unit.h"
#include "util/fd.h"

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
		cmocka_unit_test(memory_file_has_no_exporter),
	};
	return cmocka_run_group_tests_name("home", tests, NULL, NULL);
}
