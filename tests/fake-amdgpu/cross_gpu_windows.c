/* SPDX-License-Identifier: MIT */
/*
 * Windows rendered on an emulated GPU and shown on another device: exact contents and number of
 * copied bytes.
 */

#include "backend/headless.h"
#include "buffer/allocator.h"
#include "content/device.h"
#include "frame/frame.h"
#include "frame/output.h"
#include "render/render.h"
#include "scene/scene.h"
#include "server/outputs.h"
#include "shell/window.h"
#include "staging/staging.h"
#include "util/fd.h"
#include "world.h"
#include <drm_fourcc.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WIDTH WORLD_WIDTH
#define HEIGHT WORLD_HEIGHT

/* The whole buffer is copied once, then damage only. */
static void only_damage_is_copied(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	assert_int_equal(world_copied(world), WIDTH * HEIGHT * 4);
	/* The copy released the client's buffer. */
	assert_int_equal(canvas.n_released, 1);
	/*
	 * Damage is copied once into whichever staging buffer; partial buffers are merged at times.
	 */
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

static void ten_commits_per_frame_cause_one_copy(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	uint64_t bytes = world_copied(world),
		 copies = world->fixture->server->copier->totals.copies;
	for (int i = 0; i < 10; i++) {
		canvas_update(&canvas, window, 100, 100, 64, 64, (uint32_t)i + 2);
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

/* The schedule accounts for the duration of a copy as soon as the commit requires it. */
static void schedule_predicts_copy_time(void **state)
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
	/* Hidden before its frame, the window is not copied. */
	canvas_commit(&canvas, window, 0, 0, WIDTH, HEIGHT);
	fixture_pump(world->fixture);
	assert_true(frame->device->copies_due > 0);
	window_set_minimized(peer_window_find(window), true);
	fixture_frames(world->fixture, 3);
	assert_int_equal(frame->device->copies_due, 0);
	canvas_finish(&canvas);
}

/* Scan-out of the staging buffer: no composition, exact contents. */
static void staging_buffer_is_scanned_out(void **state)
{
	struct world *world = *state;
	struct server *server = world->fixture->server;
	struct frame_output *frame = first_frame(world);
	struct canvas canvas;

	frame_output_set_scanout(frame, true);
	struct peer_window *window = canvas_open(&canvas, world);
	fixture_frames(world->fixture, 3);
	const struct surface *surface = peer_surface_find(world->peer, window->surface);
	for (int i = 0; i < 10; i++) {
		uint64_t passes = server->device->renderer->stats.passes;
		int side = i % 2 ? 64 : 200;

		canvas_draw(&canvas, 30 * i, 10 * i, side, side, (uint32_t)i + 2);
		canvas_commit(&canvas, window, 30 * i, 10 * i, side, side);
		fixture_frames(world->fixture, 3);
		struct route_choice choice = frame_route(server->scene->outputs[0], surface);
		assert_string_equal(route_name(choice.source, choice.sink), "scan-out");
		assert_int_equal(choice.source, SOURCE_COPY);
		assert_int_equal(server->device->renderer->stats.passes, passes);
		canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	}
	/* The plane keeps the previous buffer during the copy. */
	uint32_t old = *canvas_pixel(&canvas, 300, 300);
	fake_gpu_hold(world->fake);
	canvas_update(&canvas, window, 300, 300, 64, 64, 99);
	fixture_frames(world->fixture, 4);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), old);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	/* A window covers it and is removed again. */
	struct peer_window *cover = world_cover(world, 100, 100, 50, 50);
	assert_int_equal(fixture_pixel(world->fixture, 120, 120), 0x204060);
	canvas_expect(&canvas, 200, 0, WIDTH - 200, HEIGHT);
	peer_window_destroy(cover);
	fixture_frames(world->fixture, 4);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	canvas_finish(&canvas);
}

static void covered_damage_is_copied_when_uncovered(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	struct peer_window *cover = world_cover(world, 232, 0, WIDTH - 232, HEIGHT);
	uint64_t before = world_copied(world);
	canvas_update(&canvas, window, 200, 100, 64, 64, 7);
	fixture_frames(world->fixture, 3);
	assert_int_equal(world_copied(world) - before, 32 * 64 * 4);
	canvas_expect(&canvas, 0, 0, 232, HEIGHT);

	/* Completely covered: no copy. */
	before = world_copied(world);
	for (int i = 0; i < 5; i++) {
		canvas_update(&canvas, window, 600, 300, 64, 64, 8 + (uint32_t)i);
		fixture_frames(world->fixture, 2);
	}
	assert_int_equal(world_copied(world), before);

	/* Uncovered without a commit: only missing pixels are copied. */
	peer_window_place(cover, WIDTH, 0);
	fixture_frames(world->fixture, 4);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	assert_int_equal(world_copied(world) - before, (32 * 64 + 64 * 64) * 4);
	canvas_finish(&canvas);
}

/* The client's buffer still holds the contents. */
/* Draws the left half of the window into another buffer, as a recording does. */
static void capture(struct world *world, struct peer_window *window)
{
	struct server *server = world->fixture->server;
	struct buffer *target = memory_buffer_create(WIDTH / 2, HEIGHT, DRM_FORMAT_XRGB8888);
	const struct frame_capture half = {
		.root = peer_window_find(window)->surface_tree, .box = {0, 0, WIDTH / 2, HEIGHT}};
	int fence = -1;
	frame_capture(server->scene, server->device, target, &half, &fence);
	buffer_drop(target);
	fd_close(&fence);
}

static void staging_memory_of_long_covered_window_is_freed(void **state)
{
	struct world *world = *state;
	struct staging *staging;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	staging = world->fixture->server->staging;
	struct peer_window *cover = world_cover(world, 0, 0, WIDTH, HEIGHT);
	canvas_update(&canvas, window, 200, 100, 64, 64, 7);
	fixture_sleep(world->fixture, INT64_C(1500000000));
	assert_true(staging->memory > 0);
	fixture_sleep(world->fixture, INT64_C(1000000000));
	assert_int_equal(staging->memory, 0);
	assert_false(staging->cleaner.armed);
	/* A capture needs some pixels for a moment. */
	const struct surface *surface = peer_surface_find(world->peer, window->surface);
	const uint64_t bytes = surface->bytes_copied;
	capture(world, window);
	assert_int_equal(surface->bytes_copied - bytes, WIDTH / 2 * HEIGHT * 4);
	assert_true(staging->memory > 0);
	fixture_sleep(world->fixture, INT64_C(2500000000));
	assert_int_equal(staging->memory, 0);
	assert_false(staging->cleaner.armed);
	peer_window_place(cover, WIDTH, 0);
	fixture_frames(world->fixture, 4);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	canvas_finish(&canvas);
}

/*
 * Moves the window to the second output, which is then taken for one of another GPU: the device
 * composes the first one only.
 */
static struct peer_window *leave_output(struct canvas *canvas, struct world *world)
{
	struct server *server = world->fixture->server;
	struct peer_window *window = canvas_open(canvas, world);
	server_outputs_hold(server, true);
	headless_add_output(server->backend, WIDTH, HEIGHT, 60000);
	server_outputs_hold(server, false);
	fixture_frames(world->fixture, 2);
	server->device->outputs = 1;
	peer_window_place(window, WIDTH, HEIGHT / 2);
	canvas_update(canvas, window, 0, 0, WIDTH, HEIGHT, 3);
	fixture_frames(world->fixture, 3);
	return window;
}

/* The client waits for its only buffer, which is released: one buffer of the ring has to stay. */
static void copies_on_a_gpu_that_no_longer_shows_the_window_are_freed(void **state)
{
	struct world *world = *state;
	struct staging *staging = world->fixture->server->staging;
	struct canvas canvas;
	struct peer_window *window = leave_output(&canvas, world);
	assert_true(peer_surface_find(world->peer, window->surface)->visible);
	assert_true(staging->memory > WIDTH * HEIGHT * 4);
	fixture_sleep(world->fixture, INT64_C(4000000000));
	assert_int_equal(staging->memory, WIDTH * HEIGHT * 4);
	assert_false(staging->cleaner.armed);
	/* The window comes back. */
	peer_window_place(window, 0, 0);
	fixture_frames(world->fixture, 4);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	world->fixture->server->device->outputs = 3;
	canvas_finish(&canvas);
}

/* Nothing else has the pixels of a buffer that was released. */
static void last_copy_of_a_released_buffer_is_freed_with_the_next(void **state)
{
	struct world *world = *state;
	struct staging *staging = world->fixture->server->staging;
	struct canvas canvas;
	struct peer_window *window = leave_output(&canvas, world);
	peer_window_place(window, WIDTH, 0);
	fixture_frames(world->fixture, 3);
	fixture_sleep(world->fixture, INT64_C(3000000000));
	assert_int_equal(staging->memory, WIDTH * HEIGHT * 4);
	/* No frame draws for the second output. */
	frame_output_find(world->fixture->server->scene->outputs[1])->frozen = true;
	canvas_update(&canvas, window, 0, 0, WIDTH, HEIGHT, 4);
	fixture_pump(world->fixture);
	assert_int_equal(staging->memory, 0);
	world->fixture->server->device->outputs = 3;
	canvas_finish(&canvas);
}

static void minimized_window_is_not_copied(void **state)
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
		canvas_update(&canvas, window, 100, 100, 64, 64, (uint32_t)i + 2);
		fixture_pump(world->fixture);
		/* Frames of other windows need not start earlier. */
		assert_int_equal(first_frame(world)->device->copies_due, 0);
		fixture_frames(world->fixture, 1);
	}
	assert_int_equal(world->fixture->server->copier->totals.copies, copies);
	assert_int_equal(surface->n_shown, shown);
	/* Includes the answer to the suspended state; the last commit may still be shown. */
	assert_int_equal(surface->n_hidden, 10);
	window_set_minimized(peer_window_find(window), false);
	fixture_frames(world->fixture, 4);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	assert_int_equal(surface->n_shown, shown + 1);
	assert_int_equal(world->fixture->server->copier->totals.copies, copies + 1);
	canvas_finish(&canvas);
}

/* The last frame stays and other windows update. */
static void slow_copy_delays_its_window_only(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	struct peer_window *other = peer_window_create(world->peer, 0, 0, 50, 50, 0xff112233);
	fixture_settle(world->fixture);
	uint32_t old = *canvas_pixel(&canvas, 300, 300);
	fake_gpu_hold(world->fake);
	int released = canvas.n_released;
	canvas_update(&canvas, window, 300, 300, 64, 64, 9);
	fixture_frames(world->fixture, 4);
	/* One frame waits for the copy, for one period at most. */
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

/* Returns the number of frames presented in `cycles` periods while the window commits in each. */
static int count_frames(struct world *world, struct peer_window *window, int cycles)
{
	const struct frame_output *frame = first_frame(world);
	uint64_t before = frame->stats.presented;
	for (int i = 0; i < cycles; i++) {
		peer_buffer_fill(window->buffer, 0, 0, 50, 50, 0xff000100 + (uint32_t)i);
		peer_surface_show(window->surface, window->buffer);
		fixture_frames(world->fixture, 1);
	}
	return (int)(frame->stats.presented - before);
}

static void draw_late(struct canvas *canvas, struct peer_window *window, uint32_t seed)
{
	fake_gpu_hold(canvas->world->fake);
	canvas_update(canvas, window, 300, 300, 64, 64, seed);
}

/* Later frames do not wait for the same copy. */
static void slow_copy_is_waited_for_once(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	struct peer_window *other = peer_window_create(world->peer, 0, 0, 50, 50, 0xff112233);
	fixture_settle(world->fixture);
	const struct frame_output *frame = first_frame(world);
	uint32_t old = *canvas_pixel(&canvas, 300, 300);
	int usual = count_frames(world, other, 10);
	draw_late(&canvas, window, 9);
	fixture_frames(world->fixture, 4);
	assert_in_range(count_frames(world, other, 10), usual, 10);
	/* The completion of the copy goes unread. */
	fixture_frames(world->fixture, 3);
	assert_int_equal(frame->state, FRAME_IDLE);
	assert_false(frame->timer.armed);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), old);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 3);
	canvas_expect(&canvas, 100, 100, WIDTH - 100, HEIGHT - 100);

	/* The next copy is waited for again. */
	uint64_t shown = frame->stats.frames;
	draw_late(&canvas, window, 10);
	for (int i = 0; i < 8 && frame->waits_until == 0; i++) {
		fixture_sleep(world->fixture, frame->schedule.refresh / 2);
	}
	assert_true(frame->waits_until > 0);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 3);
	assert_int_equal(frame->stats.frames, shown + 1);
	canvas_expect(&canvas, 100, 100, WIDTH - 100, HEIGHT - 100);
	canvas_finish(&canvas);
}

/* The copy of one window is stuck, and is no longer waited for; that of another one begins. */
static void new_copy_is_waited_for_beside_a_stuck_one(void **state)
{
	struct world *world = *state;
	struct canvas canvases[2];
	struct peer_window *windows[2];
	const struct frame_output *frame = first_frame(world);
	for (int i = 0; i < 2; i++) {
		canvas_init_sized(&canvases[i], world, 128, 128, DRM_FORMAT_XRGB8888, false);
		canvas_draw(&canvases[i], 0, 0, 128, 128, (uint32_t)i + 1);
		windows[i] = peer_window_create_unmapped(world->peer);
		canvas_commit(&canvases[i], windows[i], 0, 0, 128, 128);
		fixture_pump(world->fixture);
		peer_window_place(windows[i], 200 * i, 0);
		fixture_frames(world->fixture, 3);
		fixture_settle(world->fixture);
	}
	/* In either order of the windows. */
	for (int i = 0; i < 2; i++) {
		fake_gpu_hold(world->fake);
		canvas_update(&canvases[i], windows[i], 0, 0, 64, 64, 5);
		fixture_frames(world->fixture, 4);
		assert_int_equal(frame->waits_until, 0);
		canvas_update(&canvases[!i], windows[!i], 0, 0, 64, 64, 6);
		for (int j = 0; j < 8 && frame->waits_until == 0; j++) {
			fixture_sleep(world->fixture, frame->schedule.refresh / 2);
		}
		assert_true(frame->waits_until > 0);
		fake_gpu_release(world->fake);
		fixture_frames(world->fixture, 4);
	}
	for (int i = 0; i < 2; i++) {
		canvas_finish(&canvases[i]);
	}
}

/* Replaces staging_read(): counts reads until a fence that is pending. */
void __wrap_staging_read(struct staging_ring *ring, int index, int fence);
void __real_staging_read(struct staging_ring *ring, int index, int fence);

static int pass_fence = -1, n_fenced_reads;

void __wrap_staging_read(struct staging_ring *ring, int index, int fence)
{
	struct stat expected, actual;
	if (pass_fence >= 0 && fence >= 0 && fstat(pass_fence, &expected) == 0 &&
		fstat(fence, &actual) == 0) {
		n_fenced_reads += expected.st_ino == actual.st_ino;
	}
	__real_staging_read(ring, index, fence);
}

static const struct renderer_impl *real_impl;

static bool submit_with_fence(struct render_pass *pass, int *fence)
{
	bool done = real_impl->submit(pass, fence);
	assert_int_equal(*fence, -1);
	*fence = fcntl(pass_fence, F_DUPFD_CLOEXEC, 0);
	return done;
}

/* Emulates a GPU pass: its source buffers must stay unchanged until it ends. */
static void pass_fence_is_kept_for_staging_buffer(void **state)
{
	struct world *world = *state;
	struct renderer *renderer = world->fixture->server->device->renderer;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	real_impl = renderer->impl;
	static struct renderer_impl impl;
	impl = *real_impl;
	impl.submit = submit_with_fence;
	/* Each staging buffer in turn. */
	for (int i = 0; i < 8; i++) {
		renderer->impl = &impl;
		pass_fence = fake_fence_create();
		n_fenced_reads = 0;
		canvas_update(&canvas, window, 100, 100, 64, 64, 7 + (uint32_t)i);
		fixture_frames(world->fixture, 2);
		assert_true(n_fenced_reads > 0);
		renderer->impl = real_impl;
		fake_fence_signal(pass_fence, 1);
		fixture_frames(world->fixture, 3);
		canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
		close(pass_fence);
		pass_fence = -1;
	}
	canvas_finish(&canvas);
}

/* A frame drawn from two staging buffers protects both. */
static void pass_fence_is_kept_for_each_part(void **state)
{
	struct world *world = *state;
	struct renderer *renderer = world->fixture->server->device->renderer;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	real_impl = renderer->impl;
	static struct renderer_impl impl;
	impl = *real_impl;
	impl.submit = submit_with_fence;
	canvas_update(&canvas, window, 100, 100, 64, 64, 7);
	fixture_frames(world->fixture, 3);
	struct peer_window *cover = world_cover(world, 0, 0, WIDTH, HEIGHT);
	fixture_frames(world->fixture, 3);
	renderer->impl = &impl;
	pass_fence = fake_fence_create();
	n_fenced_reads = 0;
	peer_window_destroy(cover);
	const uint64_t passes = renderer->stats.passes;
	fixture_frames(world->fixture, 2);
	assert_true(renderer->stats.passes > passes);
	assert_int_equal(n_fenced_reads, 2 * (renderer->stats.passes - passes));
	renderer->impl = real_impl;
	fake_fence_signal(pass_fence, 1);
	fixture_frames(world->fixture, 3);
	close(pass_fence);
	pass_fence = -1;
	canvas_finish(&canvas);
}

/*
 * A subsurface without buffer shows nothing, so that nothing of its earlier pixels may return:
 * clients damage less than all of the next buffer.
 */
static void buffer_after_none_is_copied_whole(void **state)
{
	struct world *world = *state;
	struct peer_window *parent =
		peer_window_create(world->peer, 0, 0, WIDTH, HEIGHT, 0xff204060);
	struct peer_window child = {
		.surface = wl_compositor_create_surface(world->peer->compositor)};
	struct wl_subsurface *subsurface = wl_subcompositor_get_subsurface(
		world->peer->subcompositor, child.surface, parent->surface);
	struct canvas canvas;
	wl_subsurface_set_desync(subsurface);
	wl_surface_commit(parent->surface);
	canvas_init(&canvas, world);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 1);
	canvas_commit(&canvas, &child, 0, 0, WIDTH, HEIGHT);
	fixture_frames(world->fixture, 6);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	wl_surface_attach(child.surface, NULL, 0, 0);
	wl_surface_commit(child.surface);
	fixture_frames(world->fixture, 3);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), 0x204060);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 2);
	canvas_commit(&canvas, &child, 0, 0, 64, 64);
	fixture_frames(world->fixture, 6);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	wl_subsurface_destroy(subsurface);
	wl_surface_destroy(child.surface);
	canvas_finish(&canvas);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_damage_is_copied),
		TEST(schedule_predicts_copy_time),
		TEST(staging_buffer_is_scanned_out),
		TEST(ten_commits_per_frame_cause_one_copy),
		TEST(covered_damage_is_copied_when_uncovered),
		TEST(staging_memory_of_long_covered_window_is_freed),
		TEST(copies_on_a_gpu_that_no_longer_shows_the_window_are_freed),
		TEST(last_copy_of_a_released_buffer_is_freed_with_the_next),
		TEST(minimized_window_is_not_copied),
		TEST(slow_copy_delays_its_window_only),
		TEST(slow_copy_is_waited_for_once),
		TEST(new_copy_is_waited_for_beside_a_stuck_one),
		TEST(pass_fence_is_kept_for_staging_buffer),
		TEST(pass_fence_is_kept_for_each_part),
		TEST(buffer_after_none_is_copied_whole),
	};

	return cmocka_run_group_tests_name("frames", tests, NULL, NULL);
}
