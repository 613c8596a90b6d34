/* SPDX-License-Identifier: MIT */
/*
 * GPU times of render passes. Timer queries of the GL driver are replaced, to test late results and
 * clocks that jump.
 */

#include "harness/renderers.h"

#include "render/gles/gles_renderer.h"
#include "util/fd.h"
#include <GLES2/gl2ext.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define PASSES 40

/* State of the replaced timer queries. */
static struct {
	bool disjoint; /* reported once, as GL does */
	bool late;
	GLuint ns;
	int n_reads, n_open; /* results read; queries begun but not ended */
} device;

static void *real(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);
	assert_non_null(found);
	return found;
}

void glGetIntegerv(GLenum name, GLint *data)
{
	if (name == GL_GPU_DISJOINT_EXT) {
		*data = device.disjoint;
		device.disjoint = false;
		return;
	}
	void (*get)(GLenum, GLint *);
	*(void **)&get = real("glGetIntegerv");
	get(name, data);
}

void glGenQueries(GLsizei n, GLuint *ids)
{
	static GLuint last;
	for (GLsizei i = 0; i < n; i++) {
		ids[i] = ++last;
	}
}

void glDeleteQueries(GLsizei n, const GLuint *ids)
{
	assert_true(n == 1 && ids[0] != 0);
}

void glBeginQuery(GLenum target, GLuint id)
{
	assert_int_equal(target, GL_TIME_ELAPSED_EXT);
	assert_true(id != 0);
	assert_int_equal(device.n_open++, 0);
}

void glEndQuery(GLenum target)
{
	assert_int_equal(target, GL_TIME_ELAPSED_EXT);
	assert_int_equal(--device.n_open, 0);
}

/* A real driver would block for a result that is not available. */
void glGetQueryObjectuiv(GLuint id, GLenum name, GLuint *value)
{
	assert_int_equal(device.n_open, 0);
	if (name == GL_QUERY_RESULT_AVAILABLE) {
		*value = !device.late;
		return;
	}
	assert_int_equal(name, GL_QUERY_RESULT);
	assert_false(device.late);
	device.n_reads++;
	*value = device.ns + id;
}

static struct gles_renderer *create(struct wl_event_loop *loop)
{
	struct renderer *base = gles_renderer_create(NULL, loop);
	struct gles_renderer *renderer = wl_container_of(base, renderer, base);
	assert_non_null(base);
	memset(&device, 0, sizeof(device));
	device.ns = 1000;
	renderer->egl->has.timers = true;
	return renderer;
}

/* Draws a pass. Returns its number. */
static uint64_t draw(struct gles_renderer *renderer, struct test_image *target)
{
	struct render_pass *pass = renderer_begin(&renderer->base, &target->base, -1);
	uint64_t number = renderer->base.stats.passes;
	int fence;
	assert_non_null(pass);
	assert_true(render_pass_submit(pass, &fence));
	fd_close(&fence);
	return number;
}

static void times_belong_to_their_passes(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct gles_renderer *renderer = create(loop);
	struct test_image *target = create_target(DRM_FORMAT_XRGB8888);
	uint64_t passes[PASSES];
	for (int i = 0; i < PASSES; i++) {
		passes[i] = draw(renderer, target);
		assert_int_equal(renderer->timers[passes[i] % GLES_TIMERS].pass, passes[i]);
		GLuint query = renderer->timers[passes[i] % GLES_TIMERS].query;
		assert_int_equal(renderer_pass_time(&renderer->base, passes[i]), 1000 + query);
	}
	/* The times of the last passes are kept separately. */
	for (int i = 0; i < PASSES; i++) {
		int64_t time = renderer_pass_time(&renderer->base, passes[i]);
		assert_int_equal(time > 0, i >= PASSES - GLES_TIMERS);
	}
	assert_int_equal(renderer_pass_time(&renderer->base, passes[PASSES - 1] + 1), -1);
	assert_int_equal(renderer_pass_time(&renderer->base, 0), -1);
	buffer_drop(&target->base);
	renderer_destroy(&renderer->base);
	wl_event_loop_destroy(loop);
}

/*
 * Queries cost more than small passes: most of those are not measured, whatever the number of
 * outputs.
 */
static void most_small_passes_are_not_measured(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct gles_renderer *renderer = create(loop);
	struct test_image *target = create_target(DRM_FORMAT_XRGB8888);
	const struct box half = {0, 0, TARGET_WIDTH, TARGET_HEIGHT / 2};
	int measured[4] = {0}, n_early = 0;
	pixman_region32_t clip;
	int fence;
	for (int i = 0; i < 64; i++) {
		n_early += renderer_pass_time(&renderer->base, draw(renderer, target)) > 0;
	}
	assert_int_equal(n_early, 64);
	for (int i = 0; i < 4 * 13 * 4; i++) {
		/* Four outputs in turn. */
		measured[i % 4] += renderer_pass_time(&renderer->base, draw(renderer, target)) > 0;
	}
	for (int i = 0; i < 4; i++) {
		assert_int_equal(measured[i], 4);
	}
	init_clip(&clip, false);
	for (int i = 0; i < 20; i++) {
		struct render_pass *pass = renderer_begin(&renderer->base, &target->base, -1);
		uint64_t number = renderer->base.stats.passes;
		add_rect(pass, &half, &backdrop, &clip, false);
		assert_true(render_pass_submit(pass, &fence));
		fd_close(&fence);
		assert_true(renderer_pass_time(&renderer->base, number) > 0);
	}
	pixman_region32_fini(&clip);
	buffer_drop(&target->base);
	renderer_destroy(&renderer->base);
	wl_event_loop_destroy(loop);
}

/* A result that is not available yet is not waited for and can be read later. */
static void late_result_is_read_later(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct gles_renderer *renderer = create(loop);
	struct test_image *target = create_target(DRM_FORMAT_XRGB8888);
	uint64_t first = draw(renderer, target), second = draw(renderer, target);
	device.late = true;
	assert_int_equal(renderer_pass_time(&renderer->base, first), -1);
	assert_int_equal(renderer_pass_time(&renderer->base, second), -1);
	assert_int_equal(device.n_reads, 0);
	device.late = false;
	assert_true(renderer_pass_time(&renderer->base, second) > 0);
	assert_true(renderer_pass_time(&renderer->base, first) > 0);
	/* A result clamped to 32 bits is no measurement. */
	GLuint query = renderer->timers[first % GLES_TIMERS].query;
	device.ns = UINT32_MAX - query;
	assert_int_equal(renderer_pass_time(&renderer->base, first), -1);
	buffer_drop(&target->base);
	renderer_destroy(&renderer->base);
	wl_event_loop_destroy(loop);
}

/* After a jump of the clock, older queries are invalid and newer ones are valid. */
static void disjoint_clock_discards_older_results(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct gles_renderer *renderer = create(loop);
	struct test_image *target = create_target(DRM_FORMAT_XRGB8888);
	uint64_t first = draw(renderer, target), second = draw(renderer, target);
	device.disjoint = true;
	assert_int_equal(renderer_pass_time(&renderer->base, second), -1);
	assert_false(device.disjoint);
	assert_int_equal(renderer_pass_time(&renderer->base, second), -1);
	assert_int_equal(renderer_pass_time(&renderer->base, first), -1);
	assert_int_equal(device.n_reads, 0);
	uint64_t third = draw(renderer, target);
	assert_true(renderer_pass_time(&renderer->base, third) > 0);
	buffer_drop(&target->base);
	renderer_destroy(&renderer->base);
	wl_event_loop_destroy(loop);
}

/* Without the extension or after a loss, times are unknown. */
static void time_is_unknown_without_timers(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct gles_renderer *renderer = create(loop);
	struct test_image *target = create_target(DRM_FORMAT_XRGB8888);
	renderer->egl->has.timers = false;
	assert_int_equal(renderer_pass_time(&renderer->base, draw(renderer, target)), -1);
	assert_int_equal(renderer->timers[1].query, 0);
	renderer->egl->has.timers = true;
	uint64_t number = draw(renderer, target);
	renderer->base.impl->lose(&renderer->base);
	assert_int_equal(renderer_pass_time(&renderer->base, number), -1);
	buffer_drop(&target->base);
	renderer_destroy(&renderer->base);
	struct renderer *pixman = pixman_renderer_create();
	assert_int_equal(renderer_pass_time(pixman, 1), -1);
	renderer_destroy(pixman);
	wl_event_loop_destroy(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_belong_to_their_passes),
		cmocka_unit_test(most_small_passes_are_not_measured),
		cmocka_unit_test(late_result_is_read_later),
		cmocka_unit_test(disjoint_clock_discards_older_results),
		cmocka_unit_test(time_is_unknown_without_timers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
