/* SPDX-License-Identifier: MIT */
/*
 * Captures of windows whose copies from another GPU fail or do not end: each capture ends within a
 * bound, with pixels of the window or a failure.
 */

#include "causeway-control-v1-client-protocol.h"
#include "content/device.h"
#include "harness/client/capturer.h"
#include "protocol/capture/wait.h"
#include "util/signal.h"
#include "world.h"
#include <errno.h>
#include <unistd.h>

#define WIDTH 320
#define HEIGHT 240
#define MS INT64_C(1000000)
/* Time (ns) within which each capture ends. */
#define BOUND (2500 * MS)
#define OLD 0x204060
#define NEW 0xc08040

/* Reasons for which a capture waits, and events that follow. */
enum delay { DELAY_BUSY, DELAY_DESCRIPTORS, DELAY_IMPORT, DELAY_HELD, N_DELAYS };
enum event {
	EVENT_NONE,
	EVENT_REFUSED, /* for good, when the output needs the pixels */
	EVENT_COPIED, /* at once, when the output needs the pixels */
	EVENT_MEMORY_SHORT,
	EVENT_IMPORT_REFUSED,
	EVENT_RESET,
	EVENT_UNPLUGGED,
	EVENT_DESTROYED,
	N_EVENTS
};
enum way { WAY_WINDOW, WAY_OUTPUT, WAY_SCREENSHOT, N_WAYS };

static const int errors[] = {
	[DELAY_BUSY] = EBUSY,
	[DELAY_DESCRIPTORS] = EMFILE,
};

struct shot {
	bool ready, failed;
};

static void handle_ready(void *data, struct causeway_screenshot_v1 *proxy, int32_t fd,
	uint32_t format, int32_t width, int32_t height, int32_t stride)
{
	struct shot *shot = data;
	shot->ready = true;
	close(fd);
}

static void handle_failed(void *data, struct causeway_screenshot_v1 *proxy, const char *message)
{
	struct shot *shot = data;
	shot->failed = true;
}

static const struct causeway_screenshot_v1_listener shot_listener = {
	.ready = handle_ready,
	.failed = handle_failed,
};

static struct peer_window *happen(struct world *world, enum event event, struct peer_window *window)
{
	switch (event) {
	case EVENT_REFUSED: fake_gpu_fail_next(world->fake, EINVAL, 1000000); break;
	case EVENT_MEMORY_SHORT: fake_gpu_fail_next(world->fake, ENOMEM, 1000000); break;
	case EVENT_IMPORT_REFUSED: fake_gpu_fail_imports(world->fake, EINVAL, 1000000); break;
	case EVENT_COPIED: fake_gpu_release(world->fake); break;
	case EVENT_RESET: fake_gpu_reset(world->fake); break;
	case EVENT_UNPLUGGED: fake_gpu_unplug(world->fake); break;
	case EVENT_DESTROYED: peer_window_destroy(window); return NULL;
	default: break;
	}
	return window;
}

/* A capture waits for pixels that a cover hides; then the cover goes. */
static void check(enum delay delay, enum event event, enum way way)
{
	struct world *world = world_create(WIDTH, HEIGHT);
	world->fixture->server->copier->only = "sdma";
	struct fixture *fixture = world->fixture;
	const int n = way == WAY_WINDOW ? 1 : 2; /* the output needs the pixels, too */
	struct canvas canvas, next;
	canvas_init(&canvas, world);
	canvas_fill(&canvas, OLD);
	canvas_init(&next, world);
	canvas_fill(&next, NEW);
	struct peer_window *window = canvas_show(&canvas);
	xdg_toplevel_set_title(window->toplevel, "copied");
	struct peer_window *cover =
		way == WAY_WINDOW ? world_cover(world, 0, 0, WIDTH, HEIGHT) : NULL;
	struct capturer_session *session =
		way == WAY_SCREENSHOT
			? NULL
			: capturer_session_create(world->peer,
				  way == WAY_WINDOW ? capturer_window_source(world->peer, "copied")
						    : capturer_output_source(world->peer),
				  0);
	fixture_frames(fixture, 2);
	struct peer *controller = peer_create_control(fixture);
	struct causeway_control_v1 *control =
		peer_bind(controller, &causeway_control_v1_interface, 0);
	canvas_commit(&next, window, 0, 0, WIDTH, HEIGHT);
	switch (delay) {
	case DELAY_HELD: fake_gpu_hold(world->fake); break;
	case DELAY_IMPORT: fake_gpu_fail_imports(world->fake, EMFILE, n); break;
	default: fake_gpu_fail_next(world->fake, errors[delay], n); break;
	}
	struct capturer_frame *frame = session ? capturer_frame_create(session) : NULL;
	struct shot shot = {0};
	if (!session) {
		causeway_screenshot_v1_add_listener(
			causeway_control_v1_screenshot(control, NULL), &shot_listener, &shot);
	}
	fixture_pump(fixture);
	const bool ended = frame ? frame->ready || frame->failed : shot.ready || shot.failed;
	if (ended) {
		fail_msg("%d, %d, %d: the capture does not wait", delay, event, way);
	}
	window = happen(world, event, window);
	if (cover) {
		peer_window_destroy(cover);
	}
	fixture_sleep(fixture, BOUND);
	const bool ready = frame ? frame->ready : shot.ready;
	const bool failed = frame ? frame->failed : shot.failed;
	if (!ready && !failed) {
		fail_msg("%d, %d, %d: the capture has no end", delay, event, way);
	}
	if (ready && frame && window) {
		const uint32_t pixel = capturer_pixel(frame, 9, 9) & 0xffffff;
		if (pixel != OLD && pixel != NEW) {
			fail_msg("%d, %d, %d: %06x", delay, event, way, pixel);
		}
	}
	if (frame) {
		capturer_frame_destroy(frame);
		capturer_session_destroy(session);
	}
	fake_gpu_fail_next(world->fake, 0, 0);
	fake_gpu_fail_imports(world->fake, 0, 0);
	fake_gpu_release(world->fake);
	fixture_frames(fixture, 2);
	canvas_finish(&canvas);
	canvas_finish(&next);
	fake_gpu_fault(world->fake); /* copies that were made to fail */
	world_destroy(world);
}

static void count_call(void *data)
{
	++*(int *)data;
}

/* Copies end one after the other, and others begin. */
static void wait_ends_after_two_seconds(void **state)
{
	struct world *world = world_create(WIDTH, HEIGHT);
	struct fixture *fixture = world->fixture;
	struct render_device *device = fixture->server->device;
	struct copies_wait wait;
	int n_calls = 0;
	copies_wait_init(
		&wait, fixture->server->loop, fixture->server->clock, count_call, &n_calls);
	for (int i = 0; i < 3; i++) {
		assert_true(copies_wait_may(&wait));
		copies_wait_begin(&wait, device);
		fixture_sleep(fixture, 500 * MS);
		assert_int_equal(n_calls, i);
		signal_emit(&device->events.copy_ended, device);
		fixture_pump(fixture);
		assert_int_equal(n_calls, i + 1);
	}
	copies_wait_begin(&wait, device);
	fixture_sleep(fixture, 450 * MS);
	assert_int_equal(n_calls, 3);
	fixture_sleep(fixture, 100 * MS);
	assert_int_equal(n_calls, 4);
	assert_false(copies_wait_may(&wait));
	copies_wait_finish(&wait);
	/* No call follows the end. */
	copies_wait_init(
		&wait, fixture->server->loop, fixture->server->clock, count_call, &n_calls);
	copies_wait_begin(&wait, device);
	copies_wait_finish(&wait);
	fixture_sleep(fixture, 3000 * MS);
	assert_int_equal(n_calls, 4);
	world_destroy(world);
}

static void each_capture_ends(void **state)
{
	for (int delay = 0; delay < N_DELAYS; delay++) {
		for (int event = 0; event < N_EVENTS; event++) {
			for (int way = 0; way < N_WAYS; way++) {
				check(delay, event, way);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_capture_ends),
		cmocka_unit_test(wait_ends_after_two_seconds),
	};
	return cmocka_run_group_tests_name("capture ends", tests, NULL, NULL);
}
