/* SPDX-License-Identifier: MIT */
/* Upload budgets of frames: the bytes that fit into the spare time of the outputs. */

#include "content/device.h"
#include "content/internal.h"
#include "copy/copier.h"
#include "frame/internal.h"
#include "gpu/format.h"
#include "gpu/gpu.h"
#include "harness/client/video.h"
#include "render/render.h"
#include "shell/window.h"
#include "surface/surface.h"
#include "util/account.h"
#include "util/xalloc.h"
#include <stdio.h>

/* Of devices whose budget is fixed. */
#define BUDGET 65536
/* Of video, whose planes have odd heights. */
#define SIDE 101

struct budget_world {
	struct fixture *fixture; /* first, for fixture_tear_down() */
	struct render_device *device;
};

static int set_up_outputs(void **state, int n)
{
	struct budget_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(
		&(struct fixture_options){.renderer = RENDERER_GLES, .n_outputs = n});
	world->device = world->fixture->server->device;
	content_device_from(world->device)->upload_budget = BUDGET;
	fixture_settle(world->fixture);
	*state = world;
	return 0;
}

static int set_up(void **state)
{
	return set_up_outputs(state, 1);
}

static int set_up_two(void **state)
{
	return set_up_outputs(state, 2);
}

/* Records measured uploads of `rate` bytes a ns. */
static void learn(struct budget_world *world, const struct gpu *gpu, double rate)
{
	struct cost_table *costs = &world->device->copier->costs;
	char pair[64];
	snprintf(pair, sizeof(pair), "%04x:%04x>cpu", gpu->vendor, gpu->device);
	for (int i = 0; i < 64; i++) {
		uint64_t bytes = UINT64_C(65536) << i % 8;
		cost_table_add(costs, pair, COST_UPLOAD, COST_IN, bytes, 1,
			(int64_t)((double)bytes / rate) + 1, i);
	}
	assert_true(cost_table_knows(costs, pair, COST_UPLOAD, COST_IN));
}

/* The upload budget of a frame follows from measurements and from the spare time of the frame. */
static void budget_follows_measurements_and_spare_time(void **state)
{
	struct budget_world *world = *state;
	struct render_device *device = world->device;
	struct scene *scene = world->fixture->server->scene;
	struct frame_output *frame = frame_output_find(scene->outputs[0]);
	struct gpu slow = {.vendor = 1, .device = 1}, fast = {.vendor = 1, .device = 2};
	struct gpu none = {.vendor = 1, .device = 3};
	struct gpu *gpu = device->gpu;
	assert_int_equal(render_device_upload_budget(device, scene), BUDGET);
	content_device_from(device)->upload_budget = 0;
	device->gpu = &none;
	assert_int_equal(render_device_upload_budget(device, scene), UPLOAD_BUDGET_UNKNOWN);

	learn(world, &slow, 1);
	device->gpu = &slow;
	int64_t spare = schedule_spare(&frame->schedule);
	assert_true(spare > 3000000);
	int64_t budget = (int64_t)render_device_upload_budget(device, scene);
	assert_in_range(budget, spare / UPLOAD_SHARE * 9 / 10, spare / UPLOAD_SHARE);

	/* The GPU takes a millisecond more for each frame. */
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		schedule_add(&frame->schedule, STAGE_GPU, 1000000);
	}
	assert_int_equal(schedule_spare(&frame->schedule), spare - 1000000);
	assert_in_range(
		render_device_upload_budget(device, scene), budget - 400000, budget - 300000);
	/* No spare time is left, and only the least budget. */
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		schedule_add(&frame->schedule, STAGE_GPU, 20000000);
	}
	assert_int_equal(schedule_spare(&frame->schedule), 0);
	assert_int_equal(render_device_upload_budget(device, scene), UPLOAD_BUDGET_LEAST);
	assert_int_equal(render_device_upload_budget(device, NULL), UPLOAD_BUDGET_UNKNOWN);

	for (int i = 0; i < DURATION_SAMPLES * 100; i++) {
		schedule_add(&frame->schedule, STAGE_GPU, 0);
	}
	learn(world, &fast, 100);
	device->gpu = &fast;
	assert_int_equal(render_device_upload_budget(device, scene), UPLOAD_BUDGET_MAX);
	/* The time that uploads took does not reduce the budget for uploads. */
	spare = schedule_spare(&frame->schedule);
	schedule_add(&frame->schedule, STAGE_UPLOAD, 2000000);
	assert_int_equal(schedule_spare(&frame->schedule), spare);
	device->gpu = gpu;
	content_device_from(device)->upload_budget = BUDGET;
}

/* The GPU of both outputs is busy with the frames of one of them. */
static void budget_is_that_of_the_busiest_output(void **state)
{
	struct budget_world *world = *state;
	struct render_device *device = world->device;
	struct scene *scene = world->fixture->server->scene;
	static struct gpu slow = {.vendor = 1, .device = 1};
	struct gpu *gpu = device->gpu;
	learn(world, &slow, 1);
	device->gpu = &slow;
	content_device_from(device)->upload_budget = 0;
	for (int i = 0; i < 2; i++) {
		struct schedule *schedule = &frame_output_find(scene->outputs[i])->schedule;
		for (int j = 0; j < DURATION_SAMPLES; j++) {
			schedule_add(schedule, STAGE_GPU, (i + 1) * 3000000);
		}
		int64_t spare = schedule_spare(schedule);
		assert_in_range(render_device_upload_budget(device, scene),
			spare / UPLOAD_SHARE * 9 / 10, spare / UPLOAD_SHARE);
	}
	device->gpu = gpu;
	content_device_from(device)->upload_budget = BUDGET;
}

/* Shows video in the window, all of one luma, and checks the budget, charge and uploaded bytes. */
static void check_video(struct budget_world *world, struct peer_window *window, uint32_t format)
{
	const struct content_device *device = content_device_from(world->device);
	const struct render_stats *stats = &world->device->renderer->stats;
	struct account *account = surface_account(peer_window_find(window)->surface);
	struct video *video = video_create(window->peer, format, SIDE, SIDE);
	const int64_t used = account->used[ACCOUNT_PIXELS];
	const uint64_t due = device->upload_due, uploaded = stats->bytes_uploaded;
	video_show(video, window->surface);
	fixture_pump(world->fixture);
	assert_int_equal(device->upload_due - due, SIDE * SIDE * 4);
	fixture_frames(world->fixture, 2);
	assert_int_equal(stats->bytes_uploaded - uploaded, SIDE * SIDE * 4);
	assert_int_equal(account->used[ACCOUNT_PIXELS], used);
	video_destroy(video);
}

/* YUV is uploaded as RGB, so it counts as much as the RGB before it. */
static void video_counts_as_the_bytes_that_are_uploaded(void **state)
{
	struct budget_world *world = *state;
	static const uint32_t formats[] = {DRM_FORMAT_NV12, DRM_FORMAT_P010, DRM_FORMAT_YUYV,
		DRM_FORMAT_YUV420, DRM_FORMAT_YUV444};
	struct peer *peer = peer_create(world->fixture);
	struct peer_window *window = peer_window_create(peer, 0, 0, SIDE, SIDE, 0xff00ff00);
	content_device_from(world->device)->upload_budget = BUDGET * 4;
	fixture_frames(world->fixture, 4);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		check_video(world, window, formats[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			budget_follows_measurements_and_spare_time, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			budget_is_that_of_the_busiest_output, set_up_two, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			video_counts_as_the_bytes_that_are_uploaded, set_up, fixture_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
