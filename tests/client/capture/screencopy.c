/* SPDX-License-Identifier: MIT */
/*
 * wlr-screencopy: captures of outputs and regions compared by pixel, and frames that wait for
 * damage.
 */

#include "backend/headless.h"
#include "harness/client/capturer.h"
#include "harness/client/world.h"
#include "scene/output.h"
#include "scene/scene.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void start(struct world *world, double scale)
{
	struct fixture_options options = {.renderer = world->renderer, .scale = scale};
	world->fixture = fixture_create(&options);
	world->peer = peer_create(world->fixture);
	world->other = peer_create(world->fixture);
	world->window = peer_window_create(world->peer, 21, 33, 100, 80, 0xffffffff);
	peer_buffer_fill_pattern(world->window->buffer);
	peer_surface_show(world->window->surface, world->window->buffer);
	world->manager = peer_bind(world->other, &zwlr_screencopy_manager_v1_interface, 0);
	fixture_settle(world->fixture);
}

static int setup(void **state)
{
	start(*state, 1);
	return 0;
}

static int setup_fractional(void **state)
{
	start(*state, 1.5);
	return 0;
}

static int teardown(void **state)
{
	struct world *world = *state;
	peer_window_destroy(world->window);
	fixture_destroy(world->fixture);
	return 0;
}

static void compare(struct world *world, const struct box *region, int x, int y)
{
	struct capturer_frame *frame = capturer_screencopy(world->other, world->manager, region);
	assert_int_equal(frame->n_described, 1);
	capturer_screencopy_copy(frame, false);
	assert_int_equal(frame->n_flags, 1);
	struct image *shot = fixture_shot(world->fixture, 0);
	capturer_expect(frame, shot, x, y);
	image_destroy(shot);
	capturer_frame_destroy(frame);
}

static void output_is_captured_whole(void **state)
{
	struct world *world = *state;
	compare(world, NULL, 0, 0);
}

static void region_is_captured(void **state)
{
	compare(*state, &(struct box){40, 50, 111, 77}, 40, 50);
}

/* Memory of the last capture is reused only for the same size. */
static void regions_of_several_sizes_are_captured(void **state)
{
	const struct box regions[] = {
		{40, 50, 60, 40},
		{40, 50, 60, 90},
		{15, 50, 150, 40},
		{40, 50, 60, 40},
		{0, 0, 320, 240},
	};
	for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		compare(*state, &regions[i], regions[i].x, regions[i].y);
	}
}

static void region_is_cut_at_the_output(void **state)
{
	struct world *world = *state;
	struct box region = {-20, -30, 100, 100};
	struct capturer_frame *frame = capturer_screencopy(world->other, world->manager, &region);
	assert_int_equal(frame->width, 80);
	assert_int_equal(frame->height, 70);
	capturer_frame_destroy(frame);
	compare(world, &region, 0, 0);
}

static void region_outside_fails(void **state)
{
	struct world *world = *state;
	const struct box regions[] = {
		{320, 0, 10, 10},
		{0, -10, 10, 10},
		{10, 10, 0, 10},
		{10, 10, -1, 10},
		{INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX},
		{INT32_MIN, INT32_MIN, 5, 5},
	};
	for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		struct capturer_frame *frame =
			capturer_screencopy(world->other, world->manager, &regions[i]);
		assert_true(frame->failed);
		assert_int_equal(frame->n_described, 0);
		capturer_frame_destroy(frame);
	}
	assert_true(peer_alive(world->other));
}

/*
 * At a fractional scale, where regions have no whole pixel borders, the same pixels are captured.
 */
static void region_is_captured_at_a_fractional_scale(void **state)
{
	/* 21 * 1.5 = 31.5 is rounded to 32, as window positions are; the size follows. */
	compare(*state, &(struct box){21, 33, 67, 41}, 32, 50);
}

static void transformed_output_is_captured(void **state)
{
	struct world *world = *state;
	struct scene_output *output = world->fixture->server->scene->outputs[0];
	for (int i = 0; i < 8; i++) {
		scene_output_set_transform(output, (enum wl_output_transform)i);
		fixture_settle(world->fixture);
		compare(world, NULL, 0, 0);
		/* The scene converts the region to buffer coordinates. */
		struct box region = {20, 30, 90, 50};
		struct scene_view view = scene_output_view(output);
		struct box pixels = scene_view_to_pixels(&view, &region);
		compare(world, &region, pixels.x, pixels.y);
	}
}

/* Copies with damage, into a reused buffer as clients do; NULL: a new one. */
static struct capturer_frame *copy_changes(struct world *world, struct peer_buffer *buffer)
{
	struct capturer_frame *frame = capturer_screencopy(world->other, world->manager, NULL);
	frame->buffer = buffer;
	capturer_screencopy_copy(frame, true);
	return frame;
}

static void copy_with_damage_waits(void **state)
{
	struct world *world = *state;
	struct capturer_frame *first = copy_changes(world, NULL);
	struct peer_buffer *buffer = first->buffer;
	assert_true(first->ready);
	capturer_expect_damage(first, &(struct box){0, 0, 320, 240});
	capturer_frame_destroy(first);

	struct capturer_frame *second = copy_changes(world, buffer);
	fixture_frames(world->fixture, 5);
	assert_false(second->ready || second->failed);
	/* No timer runs while the output is unchanged. */
	capturer_expect_idle(world->fixture);

	peer_buffer_fill(world->window->buffer, 10, 20, 5, 6, 0xff010203);
	wl_surface_attach(world->window->surface, world->window->buffer->buffer, 0, 0);
	wl_surface_damage_buffer(world->window->surface, 10, 20, 5, 6);
	wl_surface_commit(world->window->surface);
	fixture_frames(world->fixture, 2);
	assert_true(second->ready);
	capturer_expect_damage(second, &(struct box){31, 53, 5, 6});
	assert_int_equal(capturer_pixel(second, 31, 53), 0x010203);
	struct image *shot = fixture_shot(world->fixture, 0);
	capturer_expect(second, shot, 0, 0);
	image_destroy(shot);
	capturer_frame_destroy(second);
}

static struct peer_buffer *make_buffer(struct world *world)
{
	return peer_buffer_create(world->other, 320, 240, WL_SHM_FORMAT_XRGB8888);
}

static void change(struct world *world, int x, uint32_t color)
{
	peer_buffer_fill(world->window->buffer, x, 20, 5, 6, color);
	wl_surface_attach(world->window->surface, world->window->buffer->buffer, 0, 0);
	wl_surface_damage_buffer(world->window->surface, x, 20, 5, 6);
	wl_surface_commit(world->window->surface);
	fixture_frames(world->fixture, 2);
}

static void expect_ready(
	struct world *world, struct capturer_frame *frame, const struct box *damage)
{
	assert_true(frame->ready);
	capturer_expect_damage(frame, damage);
	struct image *shot = fixture_shot(world->fixture, 0);
	capturer_expect(frame, shot, 0, 0);
	image_destroy(shot);
	capturer_frame_destroy(frame);
}

static const struct box everything = {0, 0, 320, 240};

/* A portal captures for several programs through one manager. */
static void two_recordings_share_a_manager(void **state)
{
	struct world *world = *state;
	struct peer_buffer *mine = make_buffer(world), *yours = make_buffer(world);
	expect_ready(world, copy_changes(world, mine), &everything);
	struct capturer_frame *first = copy_changes(world, mine);
	assert_false(first->ready);
	/* The second buffer is still empty. */
	expect_ready(world, copy_changes(world, yours), &everything);
	struct capturer_frame *second = copy_changes(world, yours);
	assert_false(second->ready || first->ready);
	capturer_expect_idle(world->fixture);
	change(world, 10, 0xff010203);
	expect_ready(world, first, &(struct box){31, 53, 5, 6});
	expect_ready(world, second, &(struct box){31, 53, 5, 6});
	/* A late request is answered at once. */
	first = copy_changes(world, mine);
	change(world, 30, 0xff040506);
	expect_ready(world, first, &(struct box){51, 53, 5, 6});
	expect_ready(world, copy_changes(world, yours), &(struct box){51, 53, 5, 6});
}

/* A recording ends, and another begins on an unchanged output. */
static void next_recording_begins_with_a_full_frame(void **state)
{
	struct world *world = *state;
	struct peer_buffer *mine = make_buffer(world), *yours = make_buffer(world);
	expect_ready(world, copy_changes(world, mine), &everything);
	struct capturer_frame *given_up = copy_changes(world, mine);
	assert_false(given_up->ready);
	capturer_frame_destroy(given_up);
	expect_ready(world, copy_changes(world, yours), &everything);
	struct capturer_frame *waiting = copy_changes(world, yours);
	assert_false(waiting->ready);
	capturer_expect_idle(world->fixture);
	capturer_frame_destroy(waiting);
}

/* A recording ends between two of its frames. */
static void new_buffers_get_full_frames_at_a_limited_rate(void **state)
{
	struct world *world = *state;
	struct peer_buffer *mine = make_buffer(world);
	expect_ready(world, copy_changes(world, mine), &everything);
	peer_buffer_destroy(mine);
	fixture_pump(world->fixture);
	struct peer_buffer *yours = make_buffer(world);
	expect_ready(world, copy_changes(world, yours), &everything);
	peer_buffer_destroy(yours);
	fixture_pump(world->fixture);
	/* Repeated new buffers do not keep the output drawing. */
	struct peer_buffer *theirs = make_buffer(world);
	struct capturer_frame *third = copy_changes(world, theirs);
	assert_false(third->ready);
	capturer_expect_idle(world->fixture);
	change(world, 10, 0xff010203);
	expect_ready(world, third, &(struct box){31, 53, 5, 6});
	peer_buffer_destroy(theirs);
	for (int i = 0; i < 3; i++) {
		fixture_sleep(world->fixture, INT64_C(100000000));
		struct peer_buffer *later = make_buffer(world);
		expect_ready(world, copy_changes(world, later), &everything);
		peer_buffer_destroy(later);
		fixture_pump(world->fixture);
	}
}

/* Two recordings through one manager are distinguished when both have a pending frame. */
static void alternating_recordings_are_distinguished(void **state)
{
	struct world *world = *state;
	struct peer_buffer *mine = make_buffer(world), *yours = make_buffer(world);
	expect_ready(world, copy_changes(world, mine), &everything);
	expect_ready(world, copy_changes(world, yours), &everything);
	struct capturer_frame *second = copy_changes(world, yours);
	expect_ready(world, copy_changes(world, mine), &everything);
	struct capturer_frame *first = copy_changes(world, mine);
	assert_false(first->ready || second->ready);
	capturer_expect_idle(world->fixture);
	change(world, 10, 0xff010203);
	expect_ready(world, first, &(struct box){31, 53, 5, 6});
	expect_ready(world, second, &(struct box){31, 53, 5, 6});
}

/* A new buffer is empty; the frame is still paced by damage. */
static void new_buffer_waits_for_damage(void **state)
{
	struct world *world = *state;
	expect_ready(world, copy_changes(world, make_buffer(world)), &everything);
	expect_ready(world, copy_changes(world, make_buffer(world)), &everything);
	struct capturer_frame *third = copy_changes(world, make_buffer(world));
	assert_false(third->ready);
	capturer_expect_idle(world->fixture);
	change(world, 10, 0xff010203);
	expect_ready(world, third, &(struct box){31, 53, 5, 6});
	expect_ready(world, copy_changes(world, make_buffer(world)), &everything);
	struct capturer_frame *fifth = copy_changes(world, make_buffer(world));
	assert_false(fifth->ready);
	capturer_frame_destroy(fifth);
}

static void damage_elsewhere_does_not_wake(void **state)
{
	struct world *world = *state;
	struct box region = {200, 100, 50, 50};
	struct capturer_frame *first = capturer_screencopy(world->other, world->manager, &region);
	capturer_screencopy_copy(first, true);
	assert_true(first->ready);
	struct capturer_frame *second = capturer_screencopy(world->other, world->manager, &region);
	second->buffer = first->buffer;
	capturer_frame_destroy(first);
	capturer_screencopy_copy(second, true);
	peer_surface_show(world->window->surface, world->window->buffer);
	fixture_frames(world->fixture, 3);
	assert_false(second->ready || second->failed);
	peer_window_place(world->window, 180, 90);
	fixture_frames(world->fixture, 3);
	assert_true(second->ready);
	capturer_frame_destroy(second);
}

/* Copies without damage need no memory each: any number is served in one dispatch. */
static void many_copies_are_served_at_once(void **state)
{
	struct world *world = *state;
	struct capturer_frame *frames[40];
	struct image *shot = fixture_shot(world->fixture, 0);
	for (int i = 0; i < 40; i++) {
		frames[i] = capturer_screencopy(world->other, world->manager, NULL);
		frames[i]->buffer = peer_buffer_create(world->other, 320, 240, frames[i]->format);
	}
	for (int i = 0; i < 40; i++) {
		zwlr_screencopy_frame_v1_copy(frames[i]->screencopy, frames[i]->buffer->buffer);
	}
	fixture_pump(world->fixture);
	for (int i = 0; i < 40; i++) {
		capturer_expect(frames[i], shot, 0, 0);
		capturer_frame_destroy(frames[i]);
	}
	image_destroy(shot);
}

static void output_removal_fails_its_frames(void **state)
{
	struct world *world = *state;
	struct capturer_frame *first = copy_changes(world, NULL);
	struct capturer_frame *waiting = copy_changes(world, first->buffer);
	capturer_frame_destroy(first);
	struct capturer_frame *idle = capturer_screencopy(world->other, world->manager, NULL);
	headless_remove_output(world->fixture->server->scene->outputs[0]->output);
	fixture_pump(world->fixture);
	assert_true(waiting->failed);
	capturer_screencopy_copy(idle, false);
	assert_true(idle->failed);
	capturer_frame_destroy(waiting);
	capturer_frame_destroy(idle);
	assert_true(peer_alive(world->other));
}

static void frame_outlives_its_manager(void **state)
{
	struct world *world = *state;
	struct capturer_frame *frame = capturer_screencopy(world->other, world->manager, NULL);
	zwlr_screencopy_manager_v1_destroy(world->manager);
	fixture_pump(world->fixture);
	capturer_screencopy_copy(frame, false);
	assert_true(frame->ready);
	capturer_frame_destroy(frame);
}

static void truncated_buffer_fails(void **state)
{
	struct world *world = *state;
	capturer_set_guard();
	struct capturer_frame *frame = capturer_screencopy(world->other, world->manager, NULL);
	frame->buffer =
		peer_buffer_create(world->other, frame->width, frame->height, frame->format);
	fixture_pump(world->fixture);
	assert_int_equal(ftruncate(frame->buffer->fd, 4096), 0);
	zwlr_screencopy_frame_v1_copy(frame->screencopy, frame->buffer->buffer);
	fixture_pump(world->fixture);
	assert_true(frame->failed);
	assert_true(peer_alive(world->other));
	capturer_frame_destroy(frame);
}

static void client_can_die_with_a_waiting_frame(void **state)
{
	struct world *world = *state;
	struct peer_buffer *buffer = make_buffer(world);
	for (int i = 0; i < 2; i++) {
		struct capturer_frame *frame = copy_changes(world, buffer);
		assert_int_equal(frame->ready, i == 0);
		pixman_region32_fini(&frame->damage);
		free(frame); /* its proxy goes with the connection */
	}
	peer_destroy(world->other);
	peer_surface_show(world->window->surface, world->window->buffer);
	fixture_frames(world->fixture, 3);
	assert_true(peer_alive(world->peer));
}

#define TEST(name) cmocka_unit_test_prestate_setup_teardown(name, setup, teardown, &world)

int main(int argc, char **argv)
{
	static struct world world;
	capturer_learn_guard();
	world.renderer = fixture_renderer(argc, argv);
	const struct CMUnitTest tests[] = {
		TEST(output_is_captured_whole),
		TEST(region_is_captured),
		TEST(regions_of_several_sizes_are_captured),
		TEST(region_is_cut_at_the_output),
		TEST(region_outside_fails),
		cmocka_unit_test_prestate_setup_teardown(
			output_is_captured_whole, setup_fractional, teardown, &world),
		cmocka_unit_test_prestate_setup_teardown(region_is_captured_at_a_fractional_scale,
			setup_fractional, teardown, &world),
		TEST(transformed_output_is_captured),
		TEST(copy_with_damage_waits),
		TEST(two_recordings_share_a_manager),
		TEST(next_recording_begins_with_a_full_frame),
		TEST(new_buffers_get_full_frames_at_a_limited_rate),
		TEST(alternating_recordings_are_distinguished),
		TEST(new_buffer_waits_for_damage),
		TEST(damage_elsewhere_does_not_wake),
		TEST(many_copies_are_served_at_once),
		TEST(output_removal_fails_its_frames),
		TEST(frame_outlives_its_manager),
		TEST(truncated_buffer_fails),
		TEST(client_can_die_with_a_waiting_frame),
	};
	return cmocka_run_group_tests_name("capture/screencopy", tests, NULL, NULL);
}
