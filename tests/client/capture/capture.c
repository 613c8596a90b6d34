/* SPDX-License-Identifier: MIT */
/*
 * Captures through a scratch buffer, which is copied to the client's once its fence has signalled.
 */

#include "frame/frame.h"
#include "harness/client/capturer.h"
#include "harness/client/world.h"
#include <unistd.h>

enum frame_capture_result __wrap_frame_capture(struct scene *scene, struct render_device *device,
	struct buffer *target, const struct frame_capture *capture, int *fence);
enum frame_capture_result __real_frame_capture(struct scene *scene, struct render_device *device,
	struct buffer *target, const struct frame_capture *capture, int *fence);

/* The writing ends of pipes that act as the fences of a GPU. */
static struct {
	bool enabled;
	int ends[4], n;
} fences;

enum frame_capture_result __wrap_frame_capture(struct scene *scene, struct render_device *device,
	struct buffer *target, const struct frame_capture *capture, int *fence)
{
	enum frame_capture_result result =
		__real_frame_capture(scene, device, target, capture, fence);
	if (fences.enabled && result == FRAME_CAPTURE_DRAWN) {
		int ends[2];
		assert_int_equal(pipe(ends), 0);
		assert_in_range(fences.n, 0, 3);
		*fence = ends[0];
		fences.ends[fences.n++] = ends[1];
	}
	return result;
}

/* Regions of a fractional scale are not rendered alone. */
static int set_up(void **state)
{
	struct world *world = world_create(&(struct fixture_options){.scale = 1.5});
	world->other = peer_create(world->fixture);
	struct peer_window *window = peer_window_create(world->peer, 21, 33, 100, 80, 0xffffffff);
	peer_buffer_fill_pattern(window->buffer);
	peer_surface_show(window->surface, window->buffer);
	world->manager = peer_bind(world->other, &zwlr_screencopy_manager_v1_interface, 0);
	fixture_settle(world->fixture);
	fences.enabled = true;
	fences.n = 0;
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	fences.enabled = false;
	return fixture_tear_down(state);
}

static struct capturer_frame *begin(struct world *world)
{
	struct box region = {21, 33, 67, 41};
	struct capturer_frame *frame = capturer_screencopy(world->other, world->manager, &region);
	capturer_screencopy_copy(frame, false);
	return frame;
}

/* `failed`: as after a GPU reset. */
static void signal_fence(struct world *world, int i, bool failed)
{
	if (!failed) {
		assert_int_equal(write(fences.ends[i], "", 1), 1);
	}
	close(fences.ends[i]);
	fixture_pump(world->fixture);
}

static void expect_pixels(struct world *world, struct capturer_frame *frame)
{
	fences.enabled = false;
	struct image *shot = fixture_shot(world->fixture, 0);
	capturer_expect(frame, shot, 32, 50);
	image_destroy(shot);
	fences.enabled = true;
}

static void scratch_buffer_is_copied_after_its_fence(void **state)
{
	struct world *world = *state;
	struct capturer_frame *frame = begin(world);
	assert_int_equal(fences.n, 1);
	assert_false(frame->ready || frame->failed);
	for (int i = 0; i < frame->width * frame->height; i++) {
		assert_int_equal(frame->buffer->pixels[i], 0);
	}
	signal_fence(world, 0, false);
	expect_pixels(world, frame);
	capturer_frame_destroy(frame);
}

static void fence_with_an_error_fails_the_capture(void **state)
{
	struct world *world = *state;
	struct capturer_frame *frame = begin(world);
	signal_fence(world, 0, true);
	assert_true(frame->failed);
	capturer_frame_destroy(frame);
}

/* Two captures at a time use one scratch buffer each, in any order of their fences. */
static void overlapping_captures_complete_in_any_order(void **state)
{
	struct world *world = *state;
	struct capturer_frame *first = begin(world), *second = begin(world);
	assert_int_equal(fences.n, 2);
	signal_fence(world, 1, false);
	expect_pixels(world, second);
	assert_false(first->ready);
	signal_fence(world, 0, false);
	expect_pixels(world, first);
	capturer_frame_destroy(first);
	capturer_frame_destroy(second);
}

static void capture_can_be_destroyed_before_its_fence(void **state)
{
	struct world *world = *state;
	struct capturer_frame *frame = begin(world);
	capturer_frame_destroy(frame);
	signal_fence(world, 0, true);
	assert_true(peer_alive(world->other));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(scratch_buffer_is_copied_after_its_fence),
		TEST(fence_with_an_error_fails_the_capture),
		TEST(overlapping_captures_complete_in_any_order),
		TEST(capture_can_be_destroyed_before_its_fence),
	};
	return cmocka_run_group_tests_name("capture/capture", tests, NULL, NULL);
}
