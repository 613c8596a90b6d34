/* SPDX-License-Identifier: MIT */
/* Targets of EGL devices without dma-bufs: drawn pixels arrive in the memory of the buffer. */

#include "harness/renderers.h"

#include "gpu/egl.h"
#include "render/gles/gles_renderer.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/worker.h"
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define TIMEOUT_MS 60000
#define MANY 40 /* passes in flight */

static const struct rgba red = {{1, 0, 0, 1}}, green = {{0, 1, 0, 1}};

static struct gles_renderer *create(struct wl_event_loop *loop)
{
	struct renderer *base = gles_renderer_create(NULL, loop);
	assert_non_null(base);
	struct gles_renderer *renderer = wl_container_of(base, renderer, base);
	assert_non_null(renderer->readback);
	return renderer;
}

/* Fills a box, and returns the fence. */
static int draw_box(struct gles_renderer *renderer, struct test_image *target,
	const struct box *box, const struct rgba *color)
{
	pixman_region32_t clip;
	int fence;
	pixman_region32_init_rect(&clip, 0, 0, TARGET_WIDTH, TARGET_HEIGHT);
	struct render_pass *pass = renderer_begin(&renderer->base, &target->base, -1);
	assert_non_null(pass);
	add_rect(pass, box, color, &clip, false);
	assert_true(render_pass_submit(pass, &fence));
	pixman_region32_fini(&clip);
	return fence;
}

static void wait_for(int fence)
{
	assert_true(worker_wait(fence, TIMEOUT_MS));
	fd_close(&fence);
}

static void targets_have_the_formats_that_can_be_read(void **state)
{
	struct renderer_fixture *fixture = *state;
	const struct format_set *targets = &fixture->renderers[1]->target_formats;
	assert_int_equal(fixture->renderers[1]->texture_formats.n_formats, 0);
	assert_true(format_set_has(targets, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));
	assert_true(format_set_has(targets, DRM_FORMAT_ARGB8888, DRM_FORMAT_MOD_LINEAR));
	assert_true(format_set_has(targets, DRM_FORMAT_ABGR8888, DRM_FORMAT_MOD_LINEAR));
	assert_false(format_set_has(targets, DRM_FORMAT_RGB565, DRM_FORMAT_MOD_LINEAR));
}

static void drawn_pixels_arrive_and_others_stay(void **state)
{
	static const uint32_t formats[] = {
		DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888};
	struct renderer_fixture *fixture = *state;
	struct gles_renderer *renderer = create(fixture->loop);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct test_image *target = create_target(formats[i]);
		wait_for(draw_box(renderer, target, &(struct box){10, 20, 5, 6}, &red));
		assert_pixel(target, 10, 20, &red);
		assert_pixel(target, 14, 25, &red);
		assert_pixel(target, 9, 20, &backdrop);
		assert_pixel(target, 15, 25, &backdrop);
		/* Only pixels that a pass draws are copied: the device kept the first box. */
		write_pixel(target, 12, 22, &green);
		wait_for(draw_box(renderer, target, &(struct box){40, 40, 2, 2}, &red));
		assert_pixel(target, 12, 22, &green);
		assert_pixel(target, 41, 41, &red);
		buffer_drop(&target->base);
	}
	renderer_destroy(&renderer->base);
}

/* Blending reads what the target's memory had before the first pass. */
static void the_first_pass_blends_with_the_memory(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct gles_renderer *renderer = create(fixture->loop);
	struct test_image *target = create_target(DRM_FORMAT_XRGB8888);
	const struct rgba half = {{0, 0, 0, 0.5}};
	const struct rgba expected = {{backdrop.v[0] / 2, backdrop.v[1] / 2, backdrop.v[2] / 2, 1}};
	wait_for(draw_box(renderer, target, &(struct box){0, 0, 8, 8}, &half));
	for (int c = 0; c < 3; c++) {
		assert_true(fabs(read_pixel(target, 3, 3).v[c] - expected.v[c]) < 1.5 / 255);
	}
	buffer_drop(&target->base);
	renderer_destroy(&renderer->base);
}

/* Fills boxes of 2x2 at that distance from each other, along the diagonal, with one pass. */
static void draw_boxes(struct gles_renderer *renderer, struct test_image *target, int n,
	int distance, const struct rgba *color)
{
	pixman_region32_t clip;
	int fence;
	pixman_region32_init_rect(&clip, 0, 0, TARGET_WIDTH, TARGET_HEIGHT);
	struct render_pass *pass = renderer_begin(&renderer->base, &target->base, -1);
	assert_non_null(pass);
	for (int i = 0; i < n; i++) {
		const struct box box = {i * distance, i * distance, 2, 2};
		add_rect(pass, &box, color, &clip, false);
	}
	assert_true(render_pass_submit(pass, &fence));
	pixman_region32_fini(&clip);
	wait_for(fence);
}

/* Vertices of small passes stay in the device while they are the same. */
static void passes_may_repeat_their_rectangles(void **state)
{
	static const int counts[] = {1, 1, 4, 4, 5, 5, 4, 1};
	struct renderer_fixture *fixture = *state;
	struct gles_renderer *renderer = create(fixture->loop);
	for (int moved = 0; moved < 2; moved++) {
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			struct test_image *target = create_target(DRM_FORMAT_XRGB8888);
			int n = counts[i], distance = 6 + (moved ? (int)i : 0);
			draw_boxes(renderer, target, n, distance, &red);
			for (int box = 0; box < 5; box++) {
				assert_pixel(target, box * distance + 1, box * distance + 1,
					box < n ? &red : &backdrop);
			}
			buffer_drop(&target->base);
		}
	}
	renderer_destroy(&renderer->base);
}

/* As with NVIDIA's driver. */
static void targets_may_have_a_common_frame_buffer(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct gles_renderer *renderer = create(fixture->loop);
	const struct box box = {3, 3, 4, 4};
	glGenFramebuffers(1, &renderer->framebuffer);
	struct test_image *first = create_target(DRM_FORMAT_XRGB8888);
	struct test_image *second = create_target(DRM_FORMAT_XRGB8888);
	wait_for(draw_box(renderer, first, &box, &red));
	wait_for(draw_box(renderer, second, &box, &green));
	assert_pixel(first, 4, 4, &red);
	assert_pixel(second, 4, 4, &green);
	wait_for(draw_box(renderer, first, &(struct box){5, 5, 4, 4}, &green));
	assert_pixel(first, 4, 4, &red);
	assert_pixel(first, 8, 8, &green);
	assert_pixel(second, 8, 8, &backdrop);
	/* The attached one goes, then the other. */
	buffer_drop(&first->base);
	wait_for(draw_box(renderer, second, &(struct box){5, 5, 4, 4}, &red));
	assert_pixel(second, 8, 8, &red);
	assert_pixel(second, 4, 4, &green);
	buffer_drop(&second->base);
	struct test_image *third = create_target(DRM_FORMAT_XRGB8888);
	wait_for(draw_box(renderer, third, &box, &red));
	assert_pixel(third, 4, 4, &red);
	buffer_drop(&third->base);
	assert_int_equal(glGetError(), GL_NO_ERROR);
	renderer_destroy(&renderer->base);
}

/*
 * Passes follow each other without waiting; the buffer and the renderer may go before the copies
 * end.
 */
static void copies_outlive_their_buffer(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct gles_renderer *renderer = create(fixture->loop);
	struct test_image *target = create_target(DRM_FORMAT_XRGB8888);
	int fences[MANY];
	for (int i = 0; i < MANY; i++) {
		const struct box box = {i, i, 50, 10};
		fences[i] = draw_box(renderer, target, &box, i % 2 ? &red : &green);
	}
	wait_for(fences[MANY - 1]);
	assert_pixel(target, MANY - 1, MANY - 1, &red);
	assert_pixel(target, 0, 0, &green);
	for (int i = 0; i < MANY - 1; i++) {
		/* Copies are made in order. */
		assert_true(worker_wait(fences[i], 0));
		fd_close(&fences[i]);
	}
	int last = draw_box(renderer, target, &(struct box){0, 0, 97, 61}, &green);
	buffer_drop(&target->base);
	renderer_destroy(&renderer->base);
	assert_true(worker_wait(last, 0));
	fd_close(&last);
}

static struct worker *created; /* last */

struct worker *__real_worker_create(void);
struct worker *__wrap_worker_create(void);

struct worker *__wrap_worker_create(void)
{
	created = __real_worker_create();
	return created;
}

struct delay {
	struct worker_task base;
	int fd; /* becomes readable at the end */
};

static bool run_delay(struct worker_task *base)
{
	const struct delay *delay = wl_container_of(base, delay, base);
	return worker_wait(delay->fd, TIMEOUT_MS);
}

static void a_pass_without_pixels_follows_earlier_copies(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct gles_renderer *renderer = create(fixture->loop);
	struct test_image *target = create_target(DRM_FORMAT_XRGB8888);
	struct delay delay = {.base.run = run_delay};
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	delay.fd = ends[0];
	worker_post(created, &delay.base);
	int drawn = draw_box(renderer, target, &(struct box){0, 0, 9, 9}, &red);
	int empty = draw_box(renderer, target, &(struct box){-9, -9, 2, 2}, &green);
	assert_false(worker_wait(empty, 0));
	assert_int_equal(write(ends[1], "", 1), 1);
	wait_for(empty);
	assert_true(worker_wait(drawn, 0));
	assert_pixel(target, 8, 8, &red);
	fd_close(&drawn);
	fd_close(&ends[0]);
	fd_close(&ends[1]);
	/* Without copies, nothing has to be waited for. */
	assert_int_equal(draw_box(renderer, target, &(struct box){-9, -9, 2, 2}, &green), -1);
	buffer_drop(&target->base);
	renderer_destroy(&renderer->base);
}

static int n_waits; /* on the event loop, since the last test began */

bool __real_worker_drain(struct worker *worker, int timeout_ms);
bool __wrap_worker_drain(struct worker *worker, int timeout_ms);

bool __wrap_worker_drain(struct worker *worker, int timeout_ms)
{
	n_waits++;
	return __real_worker_drain(worker, timeout_ms);
}

/* Fails the test unless the pass fails. */
static void draw_without_descriptors(struct gles_renderer *renderer, struct test_image *target,
	const struct box *box, const struct rgba *color)
{
	struct rlimit limit, none;
	pixman_region32_t clip;
	int fence;
	pixman_region32_init_rect(&clip, 0, 0, TARGET_WIDTH, TARGET_HEIGHT);
	struct render_pass *pass = renderer_begin(&renderer->base, &target->base, -1);
	assert_non_null(pass);
	add_rect(pass, box, color, &clip, false);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	bool submitted = render_pass_submit(pass, &fence);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	pixman_region32_fini(&clip);
	assert_false(submitted);
	assert_int_equal(fence, -1);
}

/* The pixels would be read before they arrive; nothing waits for earlier copies. */
static void a_pass_without_descriptors_fails_at_once(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct gles_renderer *renderer = create(fixture->loop);
	struct test_image *target = create_target(DRM_FORMAT_XRGB8888);
	struct delay delay = {.base.run = run_delay};
	const struct box box = {8, 8, 4, 4};
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	delay.fd = ends[0];
	worker_post(created, &delay.base);
	int older = draw_box(renderer, target, &box, &red);
	n_waits = 0;
	draw_without_descriptors(renderer, target, &box, &green);
	assert_int_equal(n_waits, 0);
	assert_int_equal(fence_status(older), 0);
	fd_close(&ends[1]);
	wait_for(older);
	assert_pixel(target, 8, 8, &red);
	/* The next pass succeeds. */
	wait_for(draw_box(renderer, target, &box, &green));
	assert_pixel(target, 8, 8, &green);
	fd_close(&ends[0]);
	buffer_drop(&target->base);
	renderer_destroy(&renderer->base);
}

/* A client could shrink the memory while the thread writes to it. */
static void memory_that_can_shrink_is_no_target(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct gles_renderer *renderer = create(fixture->loop);
	struct test_image *target = create_target(DRM_FORMAT_XRGB8888);
	int sealed = target->dmabuf.fd[0];
	target->dmabuf.fd[0] = fd_create_memory("unsealed", (off_t)target->size, false);
	assert_null(renderer_begin(&renderer->base, &target->base, -1));
	fd_close(&target->dmabuf.fd[0]);
	target->dmabuf.fd[0] = sealed;
	buffer_drop(&target->base);
	renderer_destroy(&renderer->base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(targets_have_the_formats_that_can_be_read,
			renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			drawn_pixels_arrive_and_others_stay, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			the_first_pass_blends_with_the_memory, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			passes_may_repeat_their_rectangles, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(targets_may_have_a_common_frame_buffer,
			renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			copies_outlive_their_buffer, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(a_pass_without_pixels_follows_earlier_copies,
			renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(a_pass_without_descriptors_fails_at_once,
			renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			memory_that_can_shrink_is_no_target, renderers_setup, renderers_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
