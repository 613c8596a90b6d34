/*
 * Windows of clients that draw, tiled, on an emulated GPU, and show on a screen that is composed elsewhere:
 * whether the picture is exact, and how many bytes crossed for it.
 */

#include "backend/headless.h"
#include "buffer/allocator.h"
#include "capturer.h"
#include "causeway-control-v1-client-protocol.h"
#include "harness/await.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "protocol/protocol.h"
#include "world.h"
#include <drm_fourcc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WIDTH 1024
#define HEIGHT 512

static int setup(void **state)
{
	*state = world_create(WIDTH, HEIGHT);
	return 0;
}

static int teardown(void **state)
{
	world_destroy(*state);
	return 0;
}

/* All of it once, then what changes, and nothing while nothing does. */
static void test_exact(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	assert_int_equal(world_copied(world), WIDTH * HEIGHT * 4);
	/* It was copied: the client has its buffer back. */
	assert_int_equal(canvas.n_released, 1);
	/* Damage crosses once wherever it goes; now and then its traces are put together again. */
	for (int i = 0; i < 40; i++) {
		uint64_t before = world_copied(world);

		canvas_draw(&canvas, 20 * i, 10 * i, 64, 64, (uint32_t)i + 2);
		canvas_commit(&canvas, window, 20 * i, 10 * i, 64, 64);
		fixture_frames(world->fixture, 3);
		if (i == 0) {
			assert_int_equal(world_copied(world) - before, 64 * 64 * 4);
		}
		canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	}
	assert_in_range(world_copied(world), WIDTH * HEIGHT * 4 + 40 * 64 * 64 * 4,
		WIDTH * HEIGHT * 4 + 80 * 64 * 64 * 4);
	uint64_t before = world_copied(world);
	fixture_frames(world->fixture, 20);
	assert_int_equal(world_copied(world), before);

	struct scene_output *output = world->fixture->server->scene->outputs[0];
	struct surface *surface = peer_surface_find(world->peer, window->surface);
	struct route_choice choice = frame_route(output, surface);
	assert_string_equal(route_name(choice.source, choice.sink), "copy");
	assert_int_equal(choice.reason, REASON_FOREIGN);
	assert_int_equal(surface->bytes_copied, world_copied(world));
	canvas_finish(&canvas);
}

/* Ten commits a frame make one copy. */
static void test_storm(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	uint64_t bytes = world_copied(world),
		 copies = world->fixture->server->copier->totals.copies;
	for (int i = 0; i < 10; i++) {
		canvas_draw(&canvas, 100, 100, 64, 64, (uint32_t)i + 2);
		canvas_commit(&canvas, window, 100, 100, 64, 64);
		fixture_pump(world->fixture);
	}
	fixture_frames(world->fixture, 3);
	assert_int_equal(world_copied(world) - bytes, 64 * 64 * 4);
	assert_int_equal(world->fixture->server->copier->totals.copies - copies, 1);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	canvas_finish(&canvas);
}

static struct frame_output *first_frame(const struct world *world)
{
	return frame_output_find(world->fixture->server->scene->outputs[0]);
}

/* What a commit makes due is known to the schedule at once, in time and not in bytes. */
static void test_predicted(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	const struct frame_output *frame = first_frame(world);
	assert_int_equal(frame->device->copies_due, 0);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 3);
	canvas_commit(&canvas, window, 0, 0, 64, 64);
	fixture_pump(world->fixture);
	const struct cost_line *line = cost_default(COST_SDMA, COST_OUT);
	assert_int_equal(frame->device->copies_due, cost_estimate(line, 64 * 64 * 4, 1, false));
	canvas_commit(&canvas, window, 0, 0, WIDTH, HEIGHT);
	fixture_pump(world->fixture);
	assert_int_equal(
		frame->device->copies_due, cost_estimate(line, WIDTH * HEIGHT * 4, 1, false));
	assert_int_equal(frame->schedule.copies, frame->device->copies_due);
	fixture_frames(world->fixture, 3);
	assert_int_equal(frame->device->copies_due, 0);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	canvas_finish(&canvas);
}

/* A plane shows the copy: nothing is drawn, and what is shown is exact. */
static void test_scanned_out(void **state)
{
	struct world *world = *state;
	struct server *server = world->fixture->server;
	struct frame_output *frame = first_frame(world);
	struct canvas canvas;

	frame->scanout_enabled = true;
	struct peer_window *window = canvas_open(&canvas, world);
	fixture_frames(world->fixture, 3);
	const struct surface *surface = peer_surface_find(world->peer, window->surface);
	for (int i = 0; i < 10; i++) {
		uint64_t passes = server->device.renderer->stats.passes;
		int side = i % 2 ? 64 : 200;

		canvas_draw(&canvas, 30 * i, 10 * i, side, side, (uint32_t)i + 2);
		canvas_commit(&canvas, window, 30 * i, 10 * i, side, side);
		fixture_frames(world->fixture, 3);
		struct route_choice choice = frame_route(server->scene->outputs[0], surface);
		assert_string_equal(route_name(choice.source, choice.sink), "scan-out");
		assert_int_equal(choice.source, SOURCE_COPY);
		assert_int_equal(server->device.renderer->stats.passes, passes);
		canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	}
	/* While a copy is under way the plane shows what it did. */
	uint32_t old = *canvas_pixel(&canvas, 300, 300);
	fake_gpu_hold(world->fake);
	canvas_draw(&canvas, 300, 300, 64, 64, 99);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 4);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), old);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	/* Something comes above it, and goes again. */
	struct peer_window *cover = world_cover(world, 100, 100, 50, 50);
	assert_int_equal(fixture_pixel(world->fixture, 120, 120), 0x204060);
	canvas_expect(&canvas, 200, 0, WIDTH - 200, HEIGHT);
	peer_window_destroy(cover);
	fixture_frames(world->fixture, 4);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	canvas_finish(&canvas);
}

/* Of what lies under an opaque window nothing is copied, until it does not. */
static void test_covered(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	struct peer_window *cover = world_cover(world, 232, 0, WIDTH - 232, HEIGHT);
	uint64_t before = world_copied(world);
	canvas_draw(&canvas, 200, 100, 64, 64, 7);
	canvas_commit(&canvas, window, 200, 100, 64, 64);
	fixture_frames(world->fixture, 3);
	assert_int_equal(world_copied(world) - before, 32 * 64 * 4);
	canvas_expect(&canvas, 0, 0, 232, HEIGHT);

	/* Wholly covered: nothing. */
	before = world_copied(world);
	for (int i = 0; i < 5; i++) {
		canvas_draw(&canvas, 600, 300, 64, 64, 8 + (uint32_t)i);
		canvas_commit(&canvas, window, 600, 300, 64, 64);
		fixture_frames(world->fixture, 2);
	}
	assert_int_equal(world_copied(world), before);

	/* Uncovered without a commit: what is missing and no more. */
	peer_window_place(cover, WIDTH, 0);
	fixture_frames(world->fixture, 4);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	assert_int_equal(world_copied(world) - before, (32 * 64 + 64 * 64) * 4);
	canvas_finish(&canvas);
}

/* Of what is covered for long nothing is kept, as long as its client's buffer is there. */
static void test_freed(void **state)
{
	struct world *world = *state;
	struct copier *copier;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	copier = world->fixture->server->copier;
	struct peer_window *cover = world_cover(world, 0, 0, WIDTH, HEIGHT);
	canvas_draw(&canvas, 200, 100, 64, 64, 7);
	canvas_commit(&canvas, window, 200, 100, 64, 64);
	fixture_sleep(world->fixture, INT64_C(1500000000));
	assert_true(copier->memory > 0);
	fixture_sleep(world->fixture, INT64_C(1000000000));
	assert_int_equal(copier->memory, 0);
	assert_false(copier->cleaner.armed);
	peer_window_place(cover, WIDTH, 0);
	fixture_frames(world->fixture, 4);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	canvas_finish(&canvas);
}

/* Of a minimised window nothing is copied, however much it draws. */
static void test_minimized(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	struct surface *surface = peer_surface_find(world->peer, window->surface);
	uint64_t copies = world->fixture->server->copier->totals.copies;
	uint64_t shown = surface->n_shown;
	window_set_minimized(peer_window_find(window), true);
	fixture_settle(world->fixture);
	for (int i = 0; i < 10; i++) {
		canvas_draw(&canvas, 100, 100, 64, 64, (uint32_t)i + 2);
		canvas_commit(&canvas, window, 100, 100, 64, 64);
		fixture_frames(world->fixture, 1);
	}
	assert_int_equal(world->fixture->server->copier->totals.copies, copies);
	assert_int_equal(surface->n_shown, shown);
	/* With its answer to being suspended; the last one may still come to show. */
	assert_int_equal(surface->n_hidden, 10);
	window_set_minimized(peer_window_find(window), false);
	fixture_frames(world->fixture, 4);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	assert_int_equal(surface->n_shown, shown + 1);
	assert_int_equal(world->fixture->server->copier->totals.copies, copies + 1);
	canvas_finish(&canvas);
}

/* A capture of a covered window has what the window misses, without a commit of its client. */
static void test_captured(void **state)
{
	struct world *world = *state;
	struct server *server = world->fixture->server;
	struct canvas canvas;
	int fence;

	struct peer_window *window = canvas_open(&canvas, world);
	world_cover(world, 0, 0, WIDTH, HEIGHT);
	uint64_t before = world_copied(world);
	canvas_draw(&canvas, 200, 100, 64, 64, 7);
	canvas_commit(&canvas, window, 200, 100, 64, 64);
	fixture_frames(world->fixture, 3);
	assert_int_equal(world_copied(world), before);

	struct buffer *target = memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	struct frame_capture capture = {
		.root = peer_window_find(window)->surface_tree,
		.box = {0, 0, WIDTH, HEIGHT},
	};
	assert_true(frame_capture(server->scene, &server->device, target, &capture, &fence));
	struct picture *picture = picture_from_buffer(target);
	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		assert_int_equal(picture->pixels[i], *canvas_pixel(&canvas, i % WIDTH, i / WIDTH));
	}
	assert_int_equal(world_copied(world) - before, 64 * 64 * 4);
	picture_destroy(picture);
	buffer_drop(target);
	canvas_finish(&canvas);
}

/* A client's capture that needs a copy which is under way has what the copy brings. */
static void test_capture_waits(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	struct capturer_session *session =
		capturer_session_create(world->peer, capturer_output_source(world->peer), 0);
	fake_gpu_hold(world->fake);
	canvas_draw(&canvas, 300, 300, 64, 64, 9);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
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

	/* Its window goes while it waits: it has the rest. */
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

/* The window changes its size while a capture waits for a copy of it, which nobody hears of any more. */
static void test_capture_resized(void **state)
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
	canvas_draw(&canvas, 300, 300, 64, 64, 9);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
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

/* As captures do: the picture has what is still crossing. */
static void test_screenshot_waits(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create_control(world->fixture);
	struct causeway_control_v1 *control = peer_bind(peer, &causeway_control_v1_interface, 0);
	struct canvas canvas;
	struct shot shot;

	struct peer_window *window = canvas_open(&canvas, world);
	fake_gpu_hold(world->fake);
	canvas_draw(&canvas, 300, 300, 64, 64, 9);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
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

	/* Who asked goes while it waits; then the output does. */
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

/* While a copy is under way the last picture shows, and others go on. */
static void test_slow(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	struct peer_window *other = peer_window_create(world->peer, 0, 0, 50, 50, 0xff112233);
	fixture_settle(world->fixture);
	uint32_t old = *canvas_pixel(&canvas, 300, 300);
	fake_gpu_hold(world->fake);
	int released = canvas.n_released;
	canvas_draw(&canvas, 300, 300, 64, 64, 9);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 4);
	/* A frame has waited for it, for a period and no longer. */
	const struct schedule *schedule = &first_frame(world)->schedule;
	assert_in_range(schedule->stages[STAGE_COPY].estimate, 1, schedule->refresh);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), old);
	assert_int_equal(canvas.n_released, released);
	peer_buffer_fill(other->buffer, 0, 0, 50, 50, 0xff445566);
	peer_surface_show(other->surface, other->buffer);
	fixture_frames(world->fixture, 4);
	assert_int_equal(fixture_pixel(world->fixture, 10, 10), 0x445566);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), *canvas_pixel(&canvas, 300, 300));
	assert_int_equal(canvas.n_released, released + 1);
	canvas_finish(&canvas);
}

/* It hangs: the last good picture stays, others go on, and a new engine comes after a while. */
static void test_hang(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	uint32_t old = *canvas_pixel(&canvas, 300, 300);
	fake_gpu_hold(world->fake);
	canvas_draw(&canvas, 300, 300, 64, 64, 9);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 60);
	assert_int_equal(world->fixture->server->copier->totals.lost, 1);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), old);
	/* Of its context nothing is left that the job could use. */
	fake_gpu_release(world->fake);
	fake_gpu_fault(world->fake);
	assert_true(peer_alive(world->peer));
	fixture_sleep(world->fixture, INT64_C(6000000000));
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), old);
	canvas_commit(&canvas, window, 300, 300, 1, 1);
	fixture_frames(world->fixture, 4);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), *canvas_pixel(&canvas, 300, 300));
	canvas_finish(&canvas);
}

struct told {
	bool plain, of_sdma;
};

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
}

static void handle_modifier(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format,
	uint32_t high, uint32_t low)
{
	struct told *told = data;
	uint64_t modifier = (uint64_t)high << 32 | low;

	told->plain |= modifier == WORLD_MODIFIER;
	told->of_sdma |= modifier == WORLD_MODIFIER_SDMA;
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = handle_format,
	.modifier = handle_modifier,
};

/* What a client that asks now is told. */
static struct told ask(const struct world *world)
{
	struct told told = {0};
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3);

	zwp_linux_dmabuf_v1_add_listener(dmabuf, &dmabuf_listener, &told);
	fixture_pump(world->fixture);
	zwp_linux_dmabuf_v1_destroy(dmabuf);
	return told;
}

/* A thread that copies gets no less of real time than of the test's, by which it is given up. */
static void go_on(struct world *world)
{
	for (int i = 0; i < 50; i++) {
		poll(NULL, 0, 1);
		fixture_pump(world->fixture);
	}
	fixture_frames(world->fixture, 1);
}

static bool shows(struct world *world, const struct canvas *canvas, int x, int y)
{
	return fixture_pixel(world->fixture, x, y) == *canvas_pixel(canvas, x, y);
}

/* Another engine than the GPU's own: what that one reads is offered, and copied exactly. */
static void test_other_engine(void **state)
{
	struct world *world = *state;
	struct server *server = world->fixture->server;
	struct canvas canvas;

	server->copier->only = "cpu";
	canvas_init(&canvas, world);
	canvas_map(&canvas);
	assert_true(ask(world).plain);
	assert_false(ask(world).of_sdma);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 1);
	canvas_show(&canvas);
	await(shows(world, &canvas, WIDTH - 1, HEIGHT - 1), go_on(world));
	fixture_settle(world->fixture);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	assert_int_equal(fake_gpu_counts(world->fake).files, 0);

	server->copier->only = "sdma";
	protocols_rules_changed(server->protocols);
	assert_true(ask(world).plain);
	assert_true(ask(world).of_sdma);
	canvas_finish(&canvas);
}

/* One that hangs is followed by the next; what only the first read is not offered meanwhile. */
static void test_next_engine(void **state)
{
	struct world *world = *state;
	struct copier *copier = world->fixture->server->copier;
	struct canvas canvas;

	canvas_init(&canvas, world);
	canvas_map(&canvas);
	assert_true(ask(world).of_sdma);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 1);
	struct peer_window *window = canvas_show(&canvas);
	fake_gpu_hold(world->fake);
	canvas_draw(&canvas, 300, 300, 64, 64, 9);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 60);
	assert_int_equal(copier->totals.lost, 1);
	assert_true(ask(world).plain);
	assert_false(ask(world).of_sdma);
	/* In what it was told before, a client makes no mistake. */
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(world->dmabuf);
	zwp_linux_buffer_params_v1_add(params, canvas.fd, 0, 0, canvas.pitch * 4,
		(uint32_t)(WORLD_MODIFIER_SDMA >> 32), (uint32_t)WORLD_MODIFIER_SDMA);
	struct wl_buffer *buffer = zwp_linux_buffer_params_v1_create_immed(
		params, WIDTH, HEIGHT, DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	fixture_pump(world->fixture);
	assert_true(peer_alive(world->peer));
	wl_buffer_destroy(buffer);

	/* The kernel ends the job; until the engine is tried again, the CPU does it. */
	fake_gpu_release(world->fake);
	fake_gpu_fault(world->fake);
	canvas_draw(&canvas, 400, 300, 64, 64, 10);
	canvas_commit(&canvas, window, 400, 300, 64, 64);
	await(shows(world, &canvas, 463, 363), go_on(world));
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	/* It is tried again, and is offered again when it has come back. */
	fixture_sleep(world->fixture, INT64_C(6000000000));
	canvas_commit(&canvas, window, 0, 0, 1, 1);
	fixture_frames(world->fixture, 4);
	await(ask(world).of_sdma, go_on(world));
	canvas_finish(&canvas);
}

/* A driver that gives no memory away copies into what is nobody's; one that takes none shows nothing of it. */
static void test_refusing(void **state)
{
	struct world *world = *state;
	struct canvas canvas;

	fake_gpu_refuse(world->fake, FAKE_REFUSE_ALLOCATION);
	struct peer_window *window = canvas_open(&canvas, world);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	canvas_draw(&canvas, 300, 300, 64, 64, 9);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 3);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	assert_int_equal(world_copied(world), WIDTH * HEIGHT * 4 + 64 * 64 * 4);
	peer_window_destroy(window);
	canvas_finish(&canvas);
}

static void test_refusing_all(void **state)
{
	struct world *world = *state;
	struct canvas canvas;

	fake_gpu_refuse(world->fake, FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_FOREIGN);
	struct peer_window *window = canvas_open(&canvas, world);
	struct peer_window *other = peer_window_create(world->peer, 0, 0, 50, 50, 0xff112233);
	fixture_settle(world->fixture);
	/* Once more when all engines that there could be have been asked for. */
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 4);
	fixture_settle(world->fixture);
	uint64_t imported = fake_gpu_counts(world->fake).imported;
	for (int i = 0; i < 5; i++) {
		canvas_commit(&canvas, window, 300, 300, 64, 64);
		fixture_frames(world->fixture, 2);
	}
	/* It is not tried anew for each commit. */
	assert_int_equal(fake_gpu_counts(world->fake).imported, imported);
	assert_int_equal(world_copied(world), 0);
	assert_int_equal(fixture_pixel(world->fixture, 10, 10), 0x112233);
	assert_true(peer_alive(world->peer));
	peer_window_destroy(other);
	peer_window_destroy(window);
	canvas_finish(&canvas);
}

/* Each of buffer, surface and client goes with a copy under way. */
static void test_gone(void **state)
{
	struct world *world = *state;

	for (int what = 0; what < 3; what++) {
		struct canvas canvas;

		struct peer_window *window = canvas_open(&canvas, world);
		fake_gpu_hold(world->fake);
		canvas_draw(&canvas, 300, 300, 64, 64, 9);
		canvas_commit(&canvas, window, 300, 300, 64, 64);
		fixture_frames(world->fixture, 3);
		if (what == 0) {
			wl_buffer_destroy(canvas.buffer);
		} else if (what == 1) {
			peer_window_destroy(window);
		} else {
			peer_destroy(world->peer);
		}
		fixture_frames(world->fixture, 3);
		fake_gpu_release(world->fake);
		fixture_frames(world->fixture, 3);
		if (what == 0) {
			assert_int_equal(fixture_pixel(world->fixture, 300, 300),
				*canvas_pixel(&canvas, 300, 300));
			peer_window_destroy(window);
		} else if (what == 1) {
			wl_buffer_destroy(canvas.buffer);
		}
		close(canvas.fd);
		assert_null(fake_gpu_fault(world->fake));
	}
	/* A thread closes what nobody uses, after a while. */
	fixture_sleep(world->fixture, INT64_C(6000000000));
	await(fake_gpu_counts(world->fake).mappings == 0, );
}

/* Unplugged with a copy under way: what showed stays, and the client can go on as long as it likes. */
static void test_unplugged(void **state)
{
	struct world *world = *state;
	struct canvas canvas, late;

	canvas_init(&canvas, world);
	canvas_init(&late, world);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 1);
	struct peer_window *window = canvas_show(&canvas);
	uint32_t before = fixture_pixel(world->fixture, 300, 300);
	fake_gpu_hold(world->fake);
	canvas_draw(&canvas, 300, 300, 64, 64, 9);
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 3);
	fake_gpu_unplug(world->fake);
	gpu_list_remove(&world->fixture->server->gpus, world->gpu);
	fixture_frames(world->fixture, 3);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), before);
	/* Its buffers still name it: they are shown by nobody, and nothing of it is opened for them. */
	int files = fake_gpu_counts(world->fake).files;
	canvas_draw(&late, 0, 0, WIDTH, HEIGHT, 10);
	canvas_commit(&late, window, 0, 0, WIDTH, HEIGHT);
	fixture_frames(world->fixture, 3);
	wl_buffer_destroy(canvas.buffer);
	fixture_frames(world->fixture, 3);
	assert_true(peer_alive(world->peer));
	assert_int_equal(fake_gpu_counts(world->fake).files, files);
	assert_int_equal(world->gpu->n_users, 0);
	peer_window_destroy(window);
	close(canvas.fd);
	canvas_finish(&late);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_exact),
		TEST(test_predicted),
		TEST(test_scanned_out),
		TEST(test_storm),
		TEST(test_covered),
		TEST(test_freed),
		TEST(test_minimized),
		TEST(test_captured),
		TEST(test_capture_waits),
		TEST(test_capture_resized),
		TEST(test_screenshot_waits),
		TEST(test_slow),
		TEST(test_hang),
		TEST(test_other_engine),
		TEST(test_next_engine),
		TEST(test_refusing),
		TEST(test_refusing_all),
		TEST(test_gone),
		TEST(test_unplugged),
	};

	return cmocka_run_group_tests_name("frames", tests, NULL, NULL);
}
