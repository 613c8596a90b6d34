/* SPDX-License-Identifier: MIT */
/* Captures of windows copied from another GPU: pending copies are included and waited for. */

#include "backend/headless.h"
#include "buffer/allocator.h"
#include "causeway-control-v1-client-protocol.h"
#include "frame/frame.h"
#include "harness/await.h"
#include "harness/client/capturer.h"
#include "scene/scene.h"
#include "shell/window.h"
#include "util/signal.h"
#include "world.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define WIDTH WORLD_WIDTH
#define HEIGHT WORLD_HEIGHT

/* The client does not commit again. */
static void capture_of_covered_window_copies_missing_pixels(void **state)
{
	struct world *world = *state;
	struct server *server = world->fixture->server;
	struct canvas canvas;
	int fence;

	struct peer_window *window = canvas_open(&canvas, world);
	world_cover(world, 0, 0, WIDTH, HEIGHT);
	uint64_t before = world_copied(world);
	canvas_update(&canvas, window, 200, 100, 64, 64, 7);
	fixture_frames(world->fixture, 3);
	assert_int_equal(world_copied(world), before);

	struct buffer *target = memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	struct frame_capture capture = {
		.root = peer_window_find(window)->surface_tree,
		.box = {0, 0, WIDTH, HEIGHT},
	};
	assert_true(frame_capture(server->scene, server->device, target, &capture, &fence));
	struct image *image = image_from_buffer(target);
	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		assert_int_equal(image->pixels[i], *canvas_pixel(&canvas, i % WIDTH, i / WIDTH));
	}
	assert_int_equal(world_copied(world) - before, 64 * 64 * 4);
	image_destroy(image);
	buffer_drop(target);
	canvas_finish(&canvas);
}

static void capture_waits_for_pending_copy(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	struct capturer_session *session =
		capturer_session_create(world->peer, capturer_output_source(world->peer), 0);
	fake_gpu_hold(world->fake);
	canvas_update(&canvas, window, 300, 300, 64, 64, 9);
	struct capturer_frame *frame = capturer_frame_create(session);
	fixture_pump(world->fixture);
	assert_false(frame->ready || frame->failed);
	fake_gpu_release(world->fake);
	await(frame->ready, fixture_pump(world->fixture));
	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++) {
			assert_int_equal(capturer_pixel(frame, x, y), *canvas_pixel(&canvas, x, y));
		}
	}
	capturer_frame_destroy(frame);

	/* The window is destroyed while the capture waits; other content is captured. */
	fake_gpu_hold(world->fake);
	canvas_commit(&canvas, window, 0, 0, 64, 64);
	frame = capturer_frame_create(session);
	assert_false(frame->ready || frame->failed);
	peer_window_destroy(window);
	fixture_frames(world->fixture, 2);
	assert_true(frame->ready);
	capturer_frame_destroy(frame);
	fake_gpu_release(world->fake);
	capturer_session_destroy(session);
	canvas_finish(&canvas);
}

/* Of several windows, any one may be late, whatever its place in the stack. */
static void capture_waits_for_each_window(void **state)
{
	struct world *world = *state;
	struct canvas canvases[3];
	struct peer_window *windows[3];
	for (int i = 0; i < 3; i++) {
		canvas_init_sized(&canvases[i], world, 200, 200, DRM_FORMAT_XRGB8888, false);
		canvas_draw(&canvases[i], 0, 0, 200, 200, (uint32_t)i);
		windows[i] = canvas_show(&canvases[i]);
		peer_window_place(windows[i], i * 300, 0);
	}
	fixture_settle(world->fixture);
	for (int i = 0; i < 3; i++) {
		/* The first capture of a session waits for no damage. */
		struct capturer_session *session = capturer_session_create(
			world->peer, capturer_output_source(world->peer), 0);
		fake_gpu_hold(world->fake);
		canvas_update(&canvases[i], windows[i], 50, 50, 64, 64, 9);
		struct capturer_frame *frame = capturer_frame_create(session);
		fixture_pump(world->fixture);
		assert_false(frame->ready || frame->failed);
		fake_gpu_release(world->fake);
		await(frame->ready, fixture_pump(world->fixture));
		for (int x = 0; x < 200; x++) {
			assert_int_equal(capturer_pixel(frame, i * 300 + x, 60),
				*canvas_pixel(&canvases[i], x, 60));
		}
		capturer_frame_destroy(frame);
		capturer_session_destroy(session);
	}
	for (int i = 0; i < 3; i++) {
		canvas_finish(&canvases[i]);
	}
}

/*
 * Two copies of other surfaces end in the same dispatch: the capture tries again once, and is far
 * from the number of attempts after which it would not wait any more.
 */
static void capture_waits_through_copies_that_end_together(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct render_device *device = world->fixture->server->device;
	struct peer_window *window = canvas_open(&canvas, world);
	struct capturer_session *session =
		capturer_session_create(world->peer, capturer_output_source(world->peer), 0);
	fake_gpu_hold(world->fake);
	canvas_update(&canvas, window, 300, 300, 64, 64, 9);
	struct capturer_frame *frame = capturer_frame_create(session);
	for (int i = 0; i < 5; i++) {
		signal_emit(&device->events.copy_ended, device);
		signal_emit(&device->events.copy_ended, device);
		fixture_pump(world->fixture);
		assert_false(frame->ready || frame->failed);
	}
	fake_gpu_release(world->fake);
	await(frame->ready, fixture_pump(world->fixture));
	assert_int_equal(capturer_pixel(frame, 310, 310), *canvas_pixel(&canvas, 310, 310));
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
	canvas_finish(&canvas);
}

/* The window is resized while a capture waits for a copy that became obsolete. */
static void capture_survives_resize_during_copy(void **state)
{
	struct world *world = *state;
	struct canvas canvas, small;

	canvas_init(&canvas, world);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 1);
	struct peer_window *window = canvas_show(&canvas);
	xdg_toplevel_set_title(window->toplevel, "resized");
	world->width /= 2;
	canvas_init(&small, world);
	world->width *= 2;
	world_cover(world, 0, 0, WIDTH, HEIGHT);
	struct capturer_session *session = capturer_session_create(
		world->peer, capturer_window_source(world->peer, "resized"), 0);
	canvas_update(&canvas, window, 300, 300, 64, 64, 9);
	fixture_frames(world->fixture, 2);
	fake_gpu_hold(world->fake);
	struct capturer_frame *frame = capturer_frame_create(session);
	fixture_pump(world->fixture);
	assert_false(frame->ready || frame->failed);
	canvas_commit(&small, window, 0, 0, WIDTH / 2, HEIGHT);
	fixture_pump(world->fixture);
	assert_true(frame->failed);
	capturer_frame_destroy(frame);
	fake_gpu_release(world->fake);
	capturer_session_destroy(session);
	canvas_finish(&small);
	canvas_finish(&canvas);
}

struct shot {
	uint32_t *pixels;
	size_t size;
	int n_failed;
};

static void handle_ready(void *data, struct causeway_screenshot_v1 *proxy, int32_t fd,
	uint32_t format, int32_t width, int32_t height, int32_t stride)
{
	struct shot *shot = data;

	assert_int_equal(format, WL_SHM_FORMAT_XRGB8888);
	assert_int_equal(width, WIDTH);
	assert_int_equal(stride, WIDTH * 4);
	shot->size = (size_t)stride * (size_t)height;
	shot->pixels = mmap(NULL, shot->size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(shot->pixels, MAP_FAILED);
	close(fd);
}

static void handle_shot_failed(
	void *data, struct causeway_screenshot_v1 *proxy, const char *message)
{
	((struct shot *)data)->n_failed++;
}

static const struct causeway_screenshot_v1_listener shot_listener = {
	.ready = handle_ready,
	.failed = handle_shot_failed,
};

static void take_shot(struct causeway_control_v1 *control, struct shot *shot)
{
	*shot = (struct shot){0};
	causeway_screenshot_v1_add_listener(
		causeway_control_v1_screenshot(control, NULL), &shot_listener, shot);
}

static void screenshot_waits_for_pending_copy(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create_control(world->fixture);
	struct causeway_control_v1 *control = peer_bind(peer, &causeway_control_v1_interface, 0);
	struct canvas canvas;
	struct shot shot;

	struct peer_window *window = canvas_open(&canvas, world);
	fake_gpu_hold(world->fake);
	canvas_update(&canvas, window, 300, 300, 64, 64, 9);
	take_shot(control, &shot);
	fixture_pump(world->fixture);
	assert_null(shot.pixels);
	assert_int_equal(shot.n_failed, 0);
	fake_gpu_release(world->fake);
	await(shot.pixels, fixture_pump(world->fixture));
	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++) {
			assert_int_equal(shot.pixels[y * WIDTH + x] & 0xffffff,
				*canvas_pixel(&canvas, x, y));
		}
	}
	munmap(shot.pixels, shot.size);

	/* The client is destroyed while it waits, then the output. */
	fake_gpu_hold(world->fake);
	canvas_commit(&canvas, window, 0, 0, 64, 64);
	take_shot(control, &shot);
	fixture_pump(world->fixture);
	peer_destroy(peer);
	peer = peer_create_control(world->fixture);
	control = peer_bind(peer, &causeway_control_v1_interface, 0);
	take_shot(control, &shot);
	fixture_pump(world->fixture);
	assert_null(shot.pixels);
	headless_remove_output(world->fixture->server->scene->outputs[0]->output);
	fake_gpu_release(world->fake);
	await(shot.n_failed > 0, fixture_pump(world->fixture));
	assert_int_equal(shot.n_failed, 1);
	peer_window_destroy(window);
	canvas_finish(&canvas);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

/*
 * The protocol names no device, so a buffer of the client's own GPU is no error: it is captured if
 * the CPU may write it, else the capture fails, and the client goes on with shared memory.
 */
static void buffers_of_other_gpus_are_no_error(void **state)
{
	static const struct {
		enum renderer_kind renderer;
		bool linear, ready;
	} cases[] = {
		{RENDERER_PIXMAN, false, false},
		{RENDERER_PIXMAN, true, true},
		{RENDERER_GLES, false, false},
		{RENDERER_GLES, true, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct world *world = world_create_with(&(const struct world_options){
			.width = WIDTH, .height = HEIGHT, .renderer = cases[i].renderer});
		struct canvas canvas;
		if (cases[i].linear) {
			canvas_init_linear(&canvas, world);
		} else {
			canvas_init(&canvas, world);
		}
		canvas_fill(&canvas, 0x123456);
		world_cover(world, 0, 0, WIDTH, HEIGHT);
		struct zwlr_screencopy_manager_v1 *manager =
			peer_bind(world->peer, &zwlr_screencopy_manager_v1_interface, 3);
		for (int retry = 0; retry < 2; retry++) {
			struct capturer_frame *frame =
				capturer_screencopy(world->peer, manager, NULL);
			zwlr_screencopy_frame_v1_copy(frame->screencopy, canvas.buffer);
			fixture_settle(world->fixture);
			assert_true(peer_alive(world->peer));
			assert_int_equal(frame->ready, cases[i].ready);
			assert_int_equal(frame->failed, !cases[i].ready);
			capturer_frame_destroy(frame);
		}
		assert_int_equal(*canvas_pixel(&canvas, 5, 5) & 0xffffff,
			cases[i].ready ? 0x204060 : 0x123456);
		/* Shared memory works. */
		struct capturer_frame *frame = capturer_screencopy(world->peer, manager, NULL);
		capturer_screencopy_copy(frame, false);
		fixture_settle(world->fixture);
		assert_true(frame->ready);
		assert_int_equal(capturer_pixel(frame, 5, 5), 0x204060);
		capturer_frame_destroy(frame);
		canvas_finish(&canvas);
		world_destroy(world);
	}
}

/* The CPU would wait for them in the kernel, and all clients with it. */
static void capture_waits_for_fences_of_its_buffer(void **state)
{
	struct world *world = world_create_with(&(const struct world_options){
		.width = WIDTH, .height = HEIGHT, .renderer = RENDERER_PIXMAN});
	struct canvas canvas;
	canvas_init_linear(&canvas, world);
	canvas_fill(&canvas, 0x123456);
	world_cover(world, 0, 0, WIDTH, HEIGHT);
	struct zwlr_screencopy_manager_v1 *manager =
		peer_bind(world->peer, &zwlr_screencopy_manager_v1_interface, 3);
	static const int statuses[] = {1, -EIO};
	for (int i = 0; i < 3; i++) {
		const bool given_up = i == 2;
		int fence = fake_fence_create();
		fake_dmabuf_write(canvas.fd, fence);
		struct capturer_frame *frame = capturer_screencopy(world->peer, manager, NULL);
		zwlr_screencopy_frame_v1_copy(frame->screencopy, canvas.buffer);
		fixture_settle(world->fixture);
		assert_false(frame->ready || frame->failed);
		if (!given_up) {
			assert_int_equal(*canvas_pixel(&canvas, 5, 5) & 0xffffff, 0x123456);
			fake_fence_signal(fence, statuses[i]);
			fixture_settle(world->fixture);
			assert_true(frame->ready);
			assert_int_equal(*canvas_pixel(&canvas, 5, 5) & 0xffffff, 0x204060);
			canvas_fill(&canvas, 0x123456);
		}
		capturer_frame_destroy(frame);
		fixture_settle(world->fixture);
		fake_fence_signal(fence, 1);
		fixture_settle(world->fixture);
		close(fence);
	}
	assert_int_equal(*canvas_pixel(&canvas, 5, 5) & 0xffffff, 0x123456);
	canvas_finish(&canvas);
	world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(capture_of_covered_window_copies_missing_pixels),
		TEST(capture_waits_for_pending_copy),
		TEST(capture_waits_for_each_window),
		TEST(capture_waits_through_copies_that_end_together),
		TEST(capture_survives_resize_during_copy),
		TEST(screenshot_waits_for_pending_copy),
		cmocka_unit_test(buffers_of_other_gpus_are_no_error),
		cmocka_unit_test(capture_waits_for_fences_of_its_buffer),
	};

	return cmocka_run_group_tests_name("captures", tests, NULL, NULL);
}
