/*
 * Tests of how long passes take by the device's own clock. GL is the driver's that is there; what it says of
 * its clock is put in place here, since clocks that jump and results that are late cannot be ordered.
 */

#include "picture.h"

#include "render/gles/gles_renderer.h"
#include "util/fd.h"
#include <GLES2/gl2ext.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define PASSES 40

/* A clock in the place of the driver's. */
static struct {
	bool disjoint; /* told once, as GL does */
	bool late;
	GLuint ns;
	int n_reads, n_open; /* results that were read; queries that were begun and not ended */
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

/* A driver waits if it is asked for a result that is not there. */
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

/* The number of the pass. */
static uint64_t draw(struct gles_renderer *renderer, struct picture *target)
{
	struct render_pass *pass = renderer_begin(&renderer->base, &target->base, -1);
	uint64_t number = renderer->base.stats.passes;
	int fence;
	assert_non_null(pass);
	assert_true(render_pass_submit(pass, &fence));
	fd_close(&fence);
	return number;
}

static void test_times(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct gles_renderer *renderer = create(loop);
	struct picture *target = create_target(DRM_FORMAT_XRGB8888);
	uint64_t passes[PASSES];
	for (int i = 0; i < PASSES; i++) {
		passes[i] = draw(renderer, target);
		assert_int_equal(renderer->timers[passes[i] % GLES_TIMERS].pass, passes[i]);
		GLuint query = renderer->timers[passes[i] % GLES_TIMERS].query;
		assert_int_equal(renderer_pass_time(&renderer->base, passes[i]), 1000 + query);
	}
	/* As many as are kept, and each its own. */
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

/* What is not there yet is not waited for, and can be had later. */
static void test_late(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct gles_renderer *renderer = create(loop);
	struct picture *target = create_target(DRM_FORMAT_XRGB8888);
	uint64_t first = draw(renderer, target), second = draw(renderer, target);
	device.late = true;
	assert_int_equal(renderer_pass_time(&renderer->base, first), -1);
	assert_int_equal(renderer_pass_time(&renderer->base, second), -1);
	assert_int_equal(device.n_reads, 0);
	device.late = false;
	assert_true(renderer_pass_time(&renderer->base, second) > 0);
	assert_true(renderer_pass_time(&renderer->base, first) > 0);
	/* Cut to what fits: no measurement. */
	GLuint query = renderer->timers[first % GLES_TIMERS].query;
	device.ns = UINT32_MAX - query;
	assert_int_equal(renderer_pass_time(&renderer->base, first), -1);
	buffer_drop(&target->base);
	renderer_destroy(&renderer->base);
	wl_event_loop_destroy(loop);
}

/* The clock jumped: nothing from before counts, what comes after does. */
static void test_disjoint(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct gles_renderer *renderer = create(loop);
	struct picture *target = create_target(DRM_FORMAT_XRGB8888);
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

/* Without the extension, or after a loss, nobody knows. */
static void test_unknown(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct gles_renderer *renderer = create(loop);
	struct picture *target = create_target(DRM_FORMAT_XRGB8888);
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
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_disjoint),
		cmocka_unit_test(test_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
