/* SPDX-License-Identifier: MIT */
/* GPU time of passes on a GPU that draws one after the other, each of them measured. */

#include "harness/unit.h"

#include "frame/internal.h"
#include "frame/output.h"

#define MS INT64_C(1000000)
#define N_PASSES 5000

static int64_t ended; /* ns; end of the pass whose fence is asked */

int64_t __wrap_fence_time(int fence);

int64_t __wrap_fence_time(int fence)
{
	return ended;
}

/* However many passes wait in the queue, each has taken as long as the GPU drew it. */
static void gpu_time_of_a_pass_excludes_the_previous_one(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct clock *clock = clock_create(loop);
	struct render_device *device = render_device_create(NULL, pixman_renderer_create(), NULL);
	struct scene *scene = scene_create();
	struct output output;
	output_init(&output, &dark_output_impl, "TEST-1");
	output.enabled = true;
	output.mode = (struct output_mode){64, 48, 60000, true};
	struct scene_output *scene_output = scene_output_create(scene, &output);
	struct frame_output *frame = frame_output_create(scene_output, device, clock);
	int64_t now = 1000 * MS;
	int n_waited = 0, n_at_once = 0;
	for (int i = 0; i < N_PASSES; i++) {
		const int64_t took = random_between(1, 30) * MS;
		now += random_between(0, 40) * MS;
		n_waited += now < ended;
		n_at_once += now > ended;
		ended = (now > ended ? now : ended) + took;
		frame->submitted = now;
		frame_measure_gpu(frame);
		assert_int_equal(frame->schedule.stages[STAGE_GPU].last, took);
		/* A frame without a pass is not measured. */
		frame_measure_gpu(frame);
		assert_int_equal(frame->gpu_done, ended);
	}
	assert_true(n_waited > N_PASSES / 10 && n_at_once > N_PASSES / 10);
	scene_output_destroy(scene_output);
	scene_destroy(scene);
	render_device_finish(device);
	renderer_destroy(device->renderer);
	render_device_destroy(device);
	output_finish(&output);
	clock_destroy(clock);
	wl_event_loop_destroy(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpu_time_of_a_pass_excludes_the_previous_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
