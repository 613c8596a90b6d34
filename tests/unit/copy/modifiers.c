/* SPDX-License-Identifier: MIT */
/* Layouts that copy engines read: answers of drivers that fail for a moment are not kept. */

#include "copy/modifiers.h"
#include "copy/gles.h"
#include "copy/gpu_engines.h"
#include "gpu/gpu.h"
#include "harness/unit.h"
#include <GLES2/gl2.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#define TILED UINT64_C(0x0200000000000901)

static const uint32_t formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_NV12, DRM_FORMAT_RGB565};
#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))
#define ENGINES_MAX 3

static const char *const names[ENGINES_MAX] = {"fake", "second", "third"};

/* Answers of the driver, in the order of questions, from the one with this number on. */
static struct {
	int asked, failing, n_failing, error;
	int opening; /* result of some engines' creation */
	int first, n_opening; /* creations that have it; others succeed */
	int created;
	size_t n_engines;
} driver = {.n_engines = 1};

static void destroy_engine(struct copy_engine *engine)
{
	copy_engine_finish(engine);
	free(engine);
}

/* Each engine reads all but RGB565. */
static int ask(struct copy_engine *engine, uint32_t format, uint64_t modifier)
{
	const int n = driver.asked++;
	if (n >= driver.failing && n < driver.failing + driver.n_failing) {
		return driver.error;
	}
	return format != DRM_FORMAT_RGB565;
}

static const struct copy_engine_impl impl = {.name = "fake", .destroy = destroy_engine, .ask = ask};

static int create(struct engine_context *context, struct copy_engine **out)
{
	const int n = driver.created++;
	if (driver.opening < 0 && n >= driver.first && n < driver.first + driver.n_opening) {
		return driver.opening;
	}
	*out = calloc(1, sizeof(**out));
	copy_engine_init(*out, &impl, COPY_DEADLINE);
	return 0;
}

const struct engine_type *__wrap_engine_types(size_t *n);

const struct engine_type *__wrap_engine_types(size_t *n)
{
	static struct engine_type types[ENGINES_MAX];
	for (size_t i = 0; i < ENGINES_MAX; i++) {
		types[i] = (struct engine_type){names[i], COST_SDMA, true, create};
	}
	*n = driver.n_engines;
	return types;
}

/* Asks all engines, as the probe of a GPU does. Returns whether the answers may be kept. */
static bool find(struct gpu_facts *facts)
{
	struct gpu gpu = {.bus_id = (char *)"pci-0000_03_00_0", .fd = -1};
	struct gpu_look look;
	*facts = (struct gpu_facts){0};
	for (size_t i = 0; i < N_FORMATS; i++) {
		format_set_add(&facts->sampling, formats[i], TILED);
	}
	driver.asked = driver.created = 0;
	copy_modifiers_look(&look, VULKAN_QUEUE_TRANSFER);
	return look.find(&look, &gpu, facts);
}

static bool engine_reads(const struct gpu_facts *facts, size_t engine, uint32_t format)
{
	const struct gpu_reader *reader = gpu_facts_reader(facts, names[engine]);
	return reader && format_set_has(&reader->layouts, format, TILED);
}

static bool reads(const struct gpu_facts *facts, uint32_t format)
{
	return engine_reads(facts, 0, format);
}

static void answers_are_kept_unless_one_failed(void **state)
{
	static const int errors[] = {-ENOMEM, -EAGAIN, -EIO, -ENODEV};
	struct gpu_facts facts;
	for (size_t e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
		driver.error = errors[e];
		for (int i = 0; i <= (int)N_FORMATS; i++) {
			driver.failing = i;
			driver.n_failing = 1;
			assert_int_equal(find(&facts), i == (int)N_FORMATS);
			assert_int_equal(reads(&facts, DRM_FORMAT_XRGB8888), i != 0);
			assert_int_equal(reads(&facts, DRM_FORMAT_NV12), i != 1);
			assert_false(reads(&facts, DRM_FORMAT_RGB565));
			gpu_facts_finish(&facts);
		}
		/* All of them. */
		driver.failing = 0;
		driver.n_failing = 100;
		assert_false(find(&facts));
		assert_false(reads(&facts, DRM_FORMAT_XRGB8888));
		gpu_facts_finish(&facts);
	}
	driver.n_failing = 0;
	assert_true(find(&facts));
	assert_true(reads(&facts, DRM_FORMAT_NV12));
	gpu_facts_finish(&facts);
}

static void engine_that_fails_to_open_for_a_moment_is_no_answer(void **state)
{
	static const struct {
		int error;
		bool kept;
	} cases[] = {{-ENOTSUP, true}, {-ENOENT, true}, {-ENODEV, true}, {-ENOMEM, false},
		{-EMFILE, false}, {-EBUSY, false}, {-EIO, false}, {-EAGAIN, false}};
	struct gpu_facts facts;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		driver.opening = cases[i].error;
		driver.n_opening = 100;
		assert_int_equal(find(&facts), cases[i].kept);
		assert_false(reads(&facts, DRM_FORMAT_XRGB8888));
		gpu_facts_finish(&facts);
	}
	driver.opening = 0;
}

/* Drivers say that there is no GPU while they cannot reach it. */
static void engine_that_is_absent_for_a_moment_is_asked(void **state)
{
	struct gpu_facts facts;
	for (int n = 0; n < 3; n++) {
		driver.opening = -ENODEV;
		driver.n_opening = n;
		assert_true(find(&facts));
		assert_int_equal(reads(&facts, DRM_FORMAT_XRGB8888), n < 2);
		gpu_facts_finish(&facts);
	}
	driver.opening = 0;
}

/* Asks while one question of one engine fails. */
static void expect_kept_without_failed_question(int failing)
{
	struct gpu_facts facts;
	driver.failing = failing;
	driver.n_failing = 1;
	assert_int_equal(find(&facts), failing >= (int)(driver.n_engines * N_FORMATS));
	for (size_t i = 0; i < driver.n_engines; i++) {
		const int nv12 = (int)(i * N_FORMATS) + 1;
		assert_int_equal(engine_reads(&facts, i, DRM_FORMAT_NV12), failing != nv12);
	}
	gpu_facts_finish(&facts);
	driver.n_failing = 0;
}

/* Asks while one engine cannot open. */
static void expect_kept_without_failed_engine(int engine, int error, bool kept)
{
	struct gpu_facts facts;
	driver.opening = error;
	driver.first = engine;
	driver.n_opening = error == -ENODEV ? 2 : 1; /* creations of the same engine */
	assert_int_equal(find(&facts), kept);
	for (int i = 0; i < (int)driver.n_engines; i++) {
		assert_int_equal(engine_reads(&facts, (size_t)i, DRM_FORMAT_NV12), i != engine);
	}
	gpu_facts_finish(&facts);
	driver.opening = driver.first = 0;
}

/* A failure of any engine counts, whatever others answer before or after it. */
static void answers_of_all_engines_are_kept_unless_one_failed(void **state)
{
	driver.error = -ENOMEM;
	for (driver.n_engines = 1; driver.n_engines <= ENGINES_MAX; driver.n_engines++) {
		for (int i = 0; i <= (int)(driver.n_engines * N_FORMATS); i++) {
			expect_kept_without_failed_question(i);
		}
		for (int i = 0; i < (int)driver.n_engines; i++) {
			expect_kept_without_failed_engine(i, -EMFILE, false);
			expect_kept_without_failed_engine(i, -ENOTSUP, true);
			expect_kept_without_failed_engine(i, -ENODEV, true);
		}
	}
	driver.n_engines = 1;
}

static int gl_calls, gl_period; /* memory is short at each call of this number; 0: never */

/* Memory is short at times, until the engine is open. */
GLenum glGetError(void)
{
	GLenum (*next)(void);
	*(void **)&next = dlsym(RTLD_NEXT, "glGetError");
	GLenum error = next();
	return gl_period > 0 && ++gl_calls % gl_period == 0 ? GL_OUT_OF_MEMORY : error;
}

static struct copy_engine *open_gles(int period)
{
	struct copy_engine *engine;
	gl_calls = 0;
	gl_period = period;
	int error = gles_engine_create(NULL, &engine);
	gl_period = 0;
	assert_true(error == 0 || (period > 0 && error == -EAGAIN) || error == -ENOTSUP);
	return error == 0 ? engine : NULL;
}

/* Tests of an engine that opens while memory is short are no answers of its driver. */
static void gles_engine_does_not_answer_while_memory_is_short(void **state)
{
	struct copy_engine *whole = open_gles(0);
	int n_unknown = 0;
	if (!whole) {
		skip();
	}
	for (int period = 5; period < 60; period += 3) {
		struct copy_engine *engine = open_gles(period);
		for (size_t i = 0; engine && i < N_FORMATS; i++) {
			int answer = copy_engine_ask(whole, formats[i], DRM_FORMAT_MOD_LINEAR);
			int now = copy_engine_ask(engine, formats[i], DRM_FORMAT_MOD_LINEAR);
			assert_true(now == answer || now == -EAGAIN);
			n_unknown += now == -EAGAIN;
		}
		copy_engine_destroy(engine);
	}
	assert_true(n_unknown > 0);
	copy_engine_destroy(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_kept_unless_one_failed),
		cmocka_unit_test(engine_that_fails_to_open_for_a_moment_is_no_answer),
		cmocka_unit_test(engine_that_is_absent_for_a_moment_is_asked),
		cmocka_unit_test(answers_of_all_engines_are_kept_unless_one_failed),
		cmocka_unit_test(gles_engine_does_not_answer_while_memory_is_short),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
