/* Tests of what is kept of GPUs, and of finding it again without opening them. */

#include "gpu/format_cache.h"
#include "gpu/gpu.h"
#include "gpu/probe.h"
#include "unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/causeway-cache-XXXXXX";

static struct gpu gpu = {
	.driver = (char *)"fake",
	.bus_id = (char *)"pci-0000_03_00_0",
	.render_path = (char *)"/nonexistent/renderD129",
	.vendor = 0x1002,
	.device = 0x73bf,
	.fd = -1,
};

static int setup(void **state)
{
	assert_non_null(mkdtemp(folder));
	setenv("XDG_CACHE_HOME", folder, 1);
	return 0;
}

static int teardown(void **state)
{
	char *path = format_cache_path(&gpu);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	free(path);
	return rmdir(folder);
}

static void fill(struct format_set *set)
{
	format_set_add(set, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	format_set_add(set, DRM_FORMAT_XRGB8888, 0x200000018601b04);
	format_set_add(set, DRM_FORMAT_NV12, DRM_FORMAT_MOD_INVALID);
}

static void test_round_trip(void **state)
{
	struct format_set written = {0}, read;
	char *path = format_cache_path(&gpu), *key = format_cache_key(&gpu);
	fill(&written);
	unlink(path);
	assert_false(format_cache_load(path, key, &read));
	assert_int_equal(format_cache_save(path, key, &written), 0);
	assert_true(format_cache_load(path, key, &read));
	assert_true(format_set_equal(&written, &read));
	format_set_finish(&read);
	/* What was true of another driver or kernel is not true. */
	assert_false(format_cache_load(path, "causeway-formats 1 other", &read));
	assert_int_equal(read.n_formats, 0);
	format_set_finish(&written);
	free(path);
	free(key);
}

static void test_damaged(void **state)
{
	static const char *const files[] = {"", "key", "key\n", "key\nend\n",
		"key\n34325258 0000000000000000\n", "key\n34325258 0000000000000000\nend",
		"key\n34325258\nend\n", "key\n34325258 0 x\nend\n", "key\nfffffff1 0\nend\n",
		"other\n34325258 0\nend\n"};
	char *path = format_cache_path(&gpu);
	struct format_set set;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		fputs(files[i], file);
		fclose(file);
		assert_false(format_cache_load(path, "key", &set));
	}
	free(path);
}

struct found {
	int n;
	struct format_set formats;
};

static void handle_found(void *data, const struct format_set *formats)
{
	struct found *found = data;
	found->n++;
	if (formats) {
		format_set_copy(&found->formats, formats);
	}
}

static struct found probe(void)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct found found = {0};
	struct gpu_probe *probe = gpu_probe_start(loop, &gpu, handle_found, &found);
	assert_non_null(probe);
	for (int i = 0; i < 100 && found.n == 0; i++) {
		wl_event_loop_dispatch(loop, 100);
	}
	assert_int_equal(found.n, 1);
	gpu_probe_destroy(probe);
	wl_event_loop_destroy(loop);
	return found;
}

/* There is no such node: what is found was not found there. */
static void test_probe(void **state)
{
	char *path = format_cache_path(&gpu), *key = format_cache_key(&gpu);
	struct format_set set = {0};
	unlink(path);
	struct found found = probe();
	assert_int_equal(found.formats.n_formats, 0);
	assert_int_equal(access(path, F_OK), -1);
	fill(&set);
	assert_int_equal(format_cache_save(path, key, &set), 0);
	found = probe();
	assert_true(format_set_equal(&set, &found.formats));
	format_set_finish(&found.formats);
	format_set_finish(&set);
	free(path);
	free(key);
}

static void test_given_up(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct found found = {0};
	for (int i = 0; i < 20; i++) {
		gpu_probe_destroy(gpu_probe_start(loop, &gpu, handle_found, &found));
	}
	wl_event_loop_dispatch(loop, 100);
	assert_int_equal(found.n, 0);
	gpu_probe_destroy(NULL);
	wl_event_loop_destroy(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_probe),
		cmocka_unit_test(test_given_up),
	};
	return cmocka_run_group_tests_name("format_cache", tests, setup, teardown);
}
