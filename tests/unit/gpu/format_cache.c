/* SPDX-License-Identifier: MIT */
/* The format cache: facts about GPUs, stored so that a restart need not open them. */

#include "gpu/format_cache.h"
#include "gpu/gpu.h"
#include "gpu/probe.h"
#include "harness/unit.h"
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

static const struct gpu_look look = {.variant = "engine+other"};

static void fill(struct gpu_facts *facts)
{
	format_set_add(&facts->sampling, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	format_set_add(&facts->sampling, DRM_FORMAT_XRGB8888, 0x200000018601b04);
	format_set_add(&facts->sampling, DRM_FORMAT_NV12, DRM_FORMAT_MOD_INVALID);
	struct gpu_reader *reader = gpu_facts_add_reader(facts, "engine");
	format_set_add(&reader->layouts, DRM_FORMAT_XRGB8888, 0x200000018601b04);
	gpu_facts_add_reader(facts, "other");
}

static void expect_filled(const struct gpu_facts *facts)
{
	struct gpu_facts filled = {0};
	fill(&filled);
	assert_true(format_set_equal(&filled.sampling, &facts->sampling));
	assert_int_equal(facts->n_readers, 2);
	assert_null(gpu_facts_reader(facts, "third"));
	assert_true(format_set_equal(&gpu_facts_reader(&filled, "engine")->layouts,
		&gpu_facts_reader(facts, "engine")->layouts));
	assert_int_equal(gpu_facts_reader(facts, "other")->layouts.n_formats, 0);
	gpu_facts_finish(&filled);
}

static void saved_facts_are_loaded_by_key(void **state)
{
	struct gpu_facts written = {0}, read;
	char *path = format_cache_path(&gpu), *key = format_cache_key(&gpu, look.variant);
	char *other = format_cache_key(&gpu, "engine");
	fill(&written);
	unlink(path);
	assert_false(format_cache_load(path, key, &read));
	assert_int_equal(format_cache_save(path, key, &written), 0);
	assert_true(format_cache_load(path, key, &read));
	expect_filled(&read);
	gpu_facts_finish(&read);
	/* Facts of another version of driver or kernel, or of other readers, are invalid. */
	assert_false(format_cache_load(path, "causeway-formats 2 other", &read));
	assert_int_equal(read.sampling.n_formats, 0);
	assert_false(format_cache_load(path, other, &read));
	gpu_facts_finish(&written);
	free(path);
	free(key);
	free(other);
}

static void malformed_files_are_rejected(void **state)
{
	static const char *const files[] = {"", "key", "key\n", "key\nend\n",
		"key\n34325258 0000000000000000\n", "key\n34325258 0000000000000000\nend",
		"key\n34325258\nend\n", "key\nreader a\n34325258 0\nend\n",
		"key\n34325258 0\nreader\nend\n",
		"key\n34325258 0\nreader 1\nreader 2\nreader 3\nreader 4\nreader 5\nreader 6\n"
		"reader 7\nreader 8\nreader 9\nend\n",
		"key\n34325258 0 x\nend\n", "key\nfffffff1 0\nend\n", "other\n34325258 0\nend\n"};
	char *path = format_cache_path(&gpu);
	struct gpu_facts facts;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		fputs(files[i], file);
		fclose(file);
		assert_false(format_cache_load(path, "key", &facts));
		assert_int_equal(facts.n_readers, 0);
	}
	free(path);
}

struct found {
	int n;
	struct gpu_facts facts;
};

static void handle_found(void *data, const struct gpu_facts *facts)
{
	struct found *found = data;
	found->n++;
	if (facts) {
		gpu_facts_copy(&found->facts, facts);
	}
}

static struct found probe(void)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct found found = {0};
	struct gpu_probe *probe = gpu_probe_start(loop, &gpu, &look, handle_found, &found);
	assert_non_null(probe);
	while (found.n == 0) {
		wl_event_loop_dispatch(loop, -1);
	}
	assert_int_equal(found.n, 1);
	gpu_probe_destroy(probe);
	wl_event_loop_destroy(loop);
	return found;
}

/* The device node does not exist, so facts can only come from the cache. */
static void probe_reads_the_cache(void **state)
{
	char *path = format_cache_path(&gpu), *key = format_cache_key(&gpu, look.variant);
	struct gpu_facts facts = {0};
	unlink(path);
	struct found found = probe();
	assert_int_equal(found.facts.sampling.n_formats, 0);
	assert_int_equal(access(path, F_OK), -1);
	fill(&facts);
	assert_int_equal(format_cache_save(path, key, &facts), 0);
	found = probe();
	expect_filled(&found.facts);
	gpu_facts_finish(&found.facts);
	gpu_facts_finish(&facts);
	free(path);
	free(key);
}

static void destroyed_probes_make_no_callback(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct found found = {0};
	for (int i = 0; i < 20; i++) {
		gpu_probe_destroy(gpu_probe_start(loop, &gpu, &look, handle_found, &found));
	}
	wl_event_loop_dispatch(loop, 100);
	assert_int_equal(found.n, 0);
	gpu_probe_destroy(NULL);
	wl_event_loop_destroy(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(saved_facts_are_loaded_by_key),
		cmocka_unit_test(malformed_files_are_rejected),
		cmocka_unit_test(probe_reads_the_cache),
		cmocka_unit_test(destroyed_probes_make_no_callback),
	};
	return cmocka_run_group_tests_name("format_cache", tests, setup, teardown);
}
