/* SPDX-License-Identifier: MIT */
/* Headless outputs: vblank timing, fences, state checks, and removal. */

#include "backend/headless.h"
#include "buffer/allocator.h"
#include "harness/unit.h"
#include "util/clock.h"
#include <fcntl.h>
#include <unistd.h>

#define START INT64_C(5000000000000)

struct fixture {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct backend *backend;
	struct output *output;
	struct wl_listener present, new_output;
	struct output_present last;
	int n_presents, n_outputs;
};

static void handle_present(struct wl_listener *listener, void *data)
{
	struct fixture *fixture = wl_container_of(listener, fixture, present);
	fixture->last = *(struct output_present *)data;
	fixture->n_presents++;
}

static void handle_new_output(struct wl_listener *listener, void *data)
{
	struct fixture *fixture = wl_container_of(listener, fixture, new_output);
	fixture->n_outputs++;
}

static void set_up(struct fixture *fixture, int32_t refresh)
{
	*fixture =
		(struct fixture){.loop = wl_event_loop_create(), .clock = clock_create_test(START)};
	fixture->backend = headless_backend_create(fixture->loop, fixture->clock);
	fixture->new_output.notify = handle_new_output;
	wl_signal_add(&fixture->backend->events.new_output, &fixture->new_output);
	fixture->output = headless_add_output(fixture->backend, 64, 48, refresh);
	assert_int_equal(fixture->n_outputs, 0);
	assert_true(backend_start(fixture->backend));
	assert_int_equal(fixture->n_outputs, 1);
	fixture->present.notify = handle_present;
	wl_signal_add(&fixture->output->events.present, &fixture->present);
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED | OUTPUT_MODE;
	state.enabled = true;
	state.mode = fixture->output->modes[0];
	assert_true(output_test(fixture->output, &state));
	assert_true(output_commit(fixture->output, &state) != 0);
}

static void tear_down(struct fixture *fixture)
{
	wl_list_remove(&fixture->present.link);
	wl_list_remove(&fixture->new_output.link);
	backend_destroy(fixture->backend);
	clock_destroy(fixture->clock);
	wl_event_loop_destroy(fixture->loop);
}

static void describe(
	const struct fixture *fixture, struct output_state *state, struct buffer *buffer, int fence)
{
	output_state_init(state);
	struct plane_state *plane =
		output_state_add_plane(state, output_primary_plane(fixture->output));
	plane->buffer = buffer;
	plane->acquire_fence = fence;
	if (buffer) {
		plane->src = (struct fbox){0, 0, buffer->width, buffer->height};
		plane->dst = (struct box){0, 0, buffer->width, buffer->height};
	}
}

static uint32_t show(struct fixture *fixture, struct buffer *buffer, int fence)
{
	struct output_state state;
	describe(fixture, &state, buffer, fence);
	return output_commit(fixture->output, &state);
}

/* An hour of vblanks at 59.951 Hz: each at the time that exact arithmetic gives. */
static void vblanks_do_not_drift(void **state)
{
	struct fixture fixture;
	set_up(&fixture, 59951);
	struct buffer *buffer = memory_buffer_create(64, 48, DRM_FORMAT_XRGB8888);
	for (int i = 1; i <= 59951 * 36 / 10; i++) {
		uint32_t number = show(&fixture, buffer, -1);
		assert_int_not_equal(number, 0);
		assert_true(clock_advance_to_next(fixture.clock));
		assert_int_equal(fixture.n_presents, i);
		assert_int_equal(fixture.last.commit, number);
		assert_true(fixture.last.presented);
		assert_int_equal(fixture.last.sequence, i);
		/* i * 10^12 / 59951 without overflow: quotient and remainder separately */
		uint64_t exact = (uint64_t)i / 59951 * UINT64_C(1000000000000) +
				 (uint64_t)i % 59951 * UINT64_C(1000000000000) / 59951;
		assert_int_equal(fixture.last.when - START, exact);
		assert_int_equal(fixture.last.refresh, 16680288);
		assert_true(fixture.last.flags & PRESENT_VSYNC);
	}
	buffer_drop(buffer);
	tear_down(&fixture);
}

/* A frame is presented at the next vblank; the timer is armed only while a frame is in flight. */
static void frame_is_presented_at_the_next_vblank(void **state)
{
	struct fixture fixture;
	set_up(&fixture, 50000);
	struct buffer *buffer = memory_buffer_create(64, 48, DRM_FORMAT_XRGB8888);
	clock_advance(fixture.clock, 1000000000 + 1);
	assert_false(clock_advance_to_next(fixture.clock));
	assert_int_not_equal(show(&fixture, buffer, -1), 0);
	assert_int_equal(show(&fixture, buffer, -1), 0); /* one is in flight */
	clock_advance(fixture.clock, 20000000 - 2);
	assert_int_equal(fixture.n_presents, 0);
	assert_null(headless_output_front(fixture.output));
	clock_advance(fixture.clock, 1);
	assert_int_equal(fixture.n_presents, 1);
	assert_int_equal(fixture.last.sequence, 51);
	assert_int_equal(fixture.last.when, START + 1020000000);
	assert_ptr_equal(headless_output_front(fixture.output), buffer);
	assert_false(clock_advance_to_next(fixture.clock));
	buffer_drop(buffer);
	tear_down(&fixture);
}

static void buffer_is_locked_while_presented(void **state)
{
	struct fixture fixture;
	set_up(&fixture, 60000);
	struct buffer *a = memory_buffer_create(64, 48, DRM_FORMAT_XRGB8888);
	struct buffer *b = memory_buffer_create(64, 48, DRM_FORMAT_XRGB8888);
	show(&fixture, a, -1);
	assert_int_equal(a->n_locks, 1);
	clock_advance_to_next(fixture.clock);
	show(&fixture, b, -1);
	assert_int_equal(a->n_locks, 1); /* still presented */
	assert_int_equal(b->n_locks, 1);
	clock_advance_to_next(fixture.clock);
	assert_int_equal(a->n_locks, 0);
	assert_int_equal(b->n_locks, 1);
	struct output_state off;
	output_state_init(&off);
	off.fields = OUTPUT_ENABLED;
	assert_int_not_equal(output_commit(fixture.output, &off), 0);
	assert_int_equal(b->n_locks, 0);
	assert_int_equal(show(&fixture, a, -1), 0); /* it is off */
	buffer_drop(a);
	buffer_drop(b);
	tear_down(&fixture);
}

/* A pipe stands for a fence: it is signalled once it is readable. */
static void frame_waits_for_its_fence(void **state)
{
	struct fixture fixture;
	int ends[2];
	set_up(&fixture, 60000);
	struct buffer *buffer = memory_buffer_create(64, 48, DRM_FORMAT_XRGB8888);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_not_equal(show(&fixture, buffer, ends[0]), 0);
	clock_advance(fixture.clock, 100000000);
	assert_int_equal(fixture.n_presents, 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(wl_event_loop_dispatch(fixture.loop, 0), 0);
	assert_int_equal(fixture.n_presents, 0);
	assert_true(clock_advance_to_next(fixture.clock));
	assert_int_equal(fixture.n_presents, 1);
	assert_int_equal(fixture.last.sequence, 7); /* 100 ms are past the sixth */
	close(ends[0]);
	close(ends[1]);
	buffer_drop(buffer);
	tear_down(&fixture);
}

/* A fence that fails discards the frame and requests another one. */
static void failed_fence_discards_the_frame(void **state)
{
	struct fixture fixture;
	struct counter needed;
	int ends[2];
	set_up(&fixture, 60000);
	counter_init(&needed, &fixture.output->events.needs_frame);
	struct buffer *buffer = memory_buffer_create(64, 48, DRM_FORMAT_XRGB8888);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_not_equal(show(&fixture, buffer, ends[0]), 0);
	close(ends[1]);
	assert_int_equal(wl_event_loop_dispatch(fixture.loop, 0), 0);
	clock_advance(fixture.clock, 0);
	assert_int_equal(fixture.n_presents, 1);
	assert_false(fixture.last.presented);
	assert_int_equal(needed.n, 1);
	wl_list_remove(&needed.listener.link);
	close(ends[0]);
	buffer_drop(buffer);
	tear_down(&fixture);
}

/*
 * With adaptive sync, a frame is presented at once, but at least one period after the previous
 * frame.
 */
static void adaptive_sync_presents_at_once(void **state)
{
	struct fixture fixture;
	set_up(&fixture, 50000);
	struct buffer *buffer = memory_buffer_create(64, 48, DRM_FORMAT_XRGB8888);
	struct output_state state_on;
	describe(&fixture, &state_on, buffer, -1);
	state_on.fields |= OUTPUT_ADAPTIVE_SYNC;
	state_on.adaptive_sync = true;
	clock_advance(fixture.clock, 107000000);
	assert_int_not_equal(output_commit(fixture.output, &state_on), 0);
	clock_advance(fixture.clock, 0);
	assert_int_equal(fixture.n_presents, 1);
	assert_int_equal(fixture.last.when, START + 107000000);
	assert_int_equal(fixture.last.refresh, 0);
	assert_true(fixture.output->adaptive_sync);
	clock_advance(fixture.clock, 5000000);
	assert_int_not_equal(show(&fixture, buffer, -1), 0);
	clock_advance(fixture.clock, 14999999);
	assert_int_equal(fixture.n_presents, 1);
	clock_advance(fixture.clock, 1);
	assert_int_equal(fixture.n_presents, 2);
	assert_int_equal(fixture.last.when, START + 127000000);
	/* Back to fixed vblanks, whose phase has not changed. */
	clock_advance(fixture.clock, 40000000);
	state_on.adaptive_sync = false;
	assert_int_not_equal(output_commit(fixture.output, &state_on), 0);
	clock_advance_to_next(fixture.clock);
	assert_int_equal(fixture.last.when, START + 180000000);
	assert_int_equal(fixture.last.sequence, 9);
	buffer_drop(buffer);
	tear_down(&fixture);
}

static void disabling_discards_the_frame_in_flight(void **state)
{
	struct fixture fixture;
	set_up(&fixture, 60000);
	struct buffer *buffer = memory_buffer_create(64, 48, DRM_FORMAT_XRGB8888);
	uint32_t number = show(&fixture, buffer, -1);
	struct output_state off;
	output_state_init(&off);
	off.fields = OUTPUT_ENABLED;
	assert_int_not_equal(output_commit(fixture.output, &off), 0);
	assert_int_equal(fixture.n_presents, 0); /* never from within */
	clock_advance(fixture.clock, 0);
	clock_advance_to_next(fixture.clock);
	assert_int_equal(fixture.n_presents, 1);
	assert_int_equal(fixture.last.commit, number);
	assert_false(fixture.last.presented);
	assert_int_equal(buffer->n_locks, 0);
	buffer_drop(buffer);
	tear_down(&fixture);
}

static void unsupported_states_are_refused(void **state)
{
	struct fixture fixture;
	struct output_state wish;
	set_up(&fixture, 60000);
	struct buffer *good = memory_buffer_create(64, 48, DRM_FORMAT_XRGB8888);
	struct buffer *small = memory_buffer_create(32, 48, DRM_FORMAT_XRGB8888);
	struct buffer *odd = memory_buffer_create(64, 48, DRM_FORMAT_RGB565);
	describe(&fixture, &wish, good, -1);
	assert_true(output_test(fixture.output, &wish));
	wish.planes[0].state.alpha = 0.5f;
	assert_false(output_test(fixture.output, &wish));
	describe(&fixture, &wish, good, -1);
	wish.planes[0].state.transform = WL_OUTPUT_TRANSFORM_90;
	assert_false(output_test(fixture.output, &wish));
	describe(&fixture, &wish, good, -1);
	wish.planes[0].state.dst.x = 1;
	assert_false(output_test(fixture.output, &wish));
	describe(&fixture, &wish, small, -1);
	assert_false(output_test(fixture.output, &wish));
	assert_int_equal(output_commit(fixture.output, &wish), 0);
	if (odd) {
		describe(&fixture, &wish, odd, -1);
		assert_false(output_test(fixture.output, &wish));
	}
	output_state_init(&wish);
	wish.fields = OUTPUT_TEARING;
	assert_false(output_test(fixture.output, &wish));
	wish.fields = OUTPUT_MODE;
	wish.mode = (struct output_mode){.width = 640, .height = 0, .refresh = 60000};
	assert_false(output_test(fixture.output, &wish));
	wish.mode.height = 480;
	assert_true(output_test(fixture.output, &wish));
	wish.mode.refresh = 2000000;
	assert_false(output_test(fixture.output, &wish));
	buffer_drop(good);
	buffer_drop(small);
	buffer_drop(odd);
	tear_down(&fixture);
}

static void removed_output_discards_its_frame(void **state)
{
	struct fixture fixture;
	set_up(&fixture, 60000);
	struct buffer *buffer = memory_buffer_create(64, 48, DRM_FORMAT_XRGB8888);
	show(&fixture, buffer, -1);
	struct output *second = headless_add_output(fixture.backend, 10, 10, 60000);
	assert_int_equal(fixture.n_outputs, 2);
	assert_string_equal(second->name, "HEADLESS-2");
	headless_remove_output(second);
	clock_advance(fixture.clock, 1000000000);
	assert_int_equal(fixture.n_presents, 1);
	show(&fixture, buffer, -1);
	buffer_drop(buffer);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vblanks_do_not_drift),
		cmocka_unit_test(frame_is_presented_at_the_next_vblank),
		cmocka_unit_test(buffer_is_locked_while_presented),
		cmocka_unit_test(frame_waits_for_its_fence),
		cmocka_unit_test(failed_fence_discards_the_frame),
		cmocka_unit_test(adaptive_sync_presents_at_once),
		cmocka_unit_test(disabling_discards_the_frame_in_flight),
		cmocka_unit_test(unsupported_states_are_refused),
		cmocka_unit_test(removed_output_discards_its_frame),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
