/* SPDX-License-Identifier: MIT */
/* Refused settings of an output: they count in the state in which they were refused. */

#include "harness/unit.h"

#include "buffer/allocator.h"
#include "frame/internal.h"
#include "frame/output.h"

#define SECOND INT64_C(1000000000)

struct hints_world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct output output;
	struct plane planes[2]; /* primary, overlay */
	struct scene *scene;
	struct scene_output *scene_output;
	struct render_device *device;
	struct frame_output *frame;
	struct buffer *buffer;
	bool overlay; /* it is in use */
	int n_asked; /* tests of the setting */
	bool accepts;
};

static void destroy_output(struct output *output)
{
}

static bool test_state(struct output *output, const struct output_state *state)
{
	struct hints_world *world = wl_container_of(output, world, output);
	world->n_asked += !!(state->fields & OUTPUT_ADAPTIVE_SYNC);
	return world->accepts || !(state->fields & OUTPUT_ADAPTIVE_SYNC);
}

static bool commit_state(struct output *output, const struct output_state *state, uint32_t number)
{
	return false;
}

static const struct output_impl output_impl = {
	.destroy = destroy_output,
	.test = test_state,
	.commit = commit_state,
};

/* Adaptive sync is always wanted. */
static void begin(struct hints_world *world)
{
	*world = (struct hints_world){.loop = wl_event_loop_create(),
		.clock = clock_create_test(1),
		.planes = {{.type = PLANE_PRIMARY}, {.type = PLANE_OVERLAY, .index = 1}}};
	output_init(&world->output, &output_impl, "TEST-1");
	for (int i = 0; i < 2; i++) {
		world->output.planes[world->output.n_planes++] = &world->planes[i];
	}
	world->output.enabled = true;
	world->output.mode = (struct output_mode){64, 48, 60000, true};
	world->output.bit_depth = 10;
	world->device = render_device_create(NULL, pixman_renderer_create(), NULL);
	world->scene = scene_create();
	world->scene_output = scene_output_create(world->scene, &world->output);
	world->frame = frame_output_create(world->scene_output, world->device, world->clock);
	world->frame->display.variable = FRAME_VARIABLE_ON;
	world->buffer = memory_buffer_create(64, 48, DRM_FORMAT_XRGB8888);
}

static void end(struct hints_world *world)
{
	buffer_drop(world->buffer);
	scene_output_destroy(world->scene_output);
	scene_destroy(world->scene);
	render_device_finish(world->device);
	renderer_destroy(world->device->renderer);
	render_device_destroy(world->device);
	output_finish(&world->output);
	clock_destroy(world->clock);
	wl_event_loop_destroy(world->loop);
}

/* Prepares a frame. Returns whether it has the setting. */
static bool apply(struct hints_world *world)
{
	struct output_state state;
	output_state_init(&state);
	for (int i = 0; i < 1 + world->overlay; i++) {
		output_state_add_plane(&state, &world->planes[i])->buffer = world->buffer;
	}
	output_hints_apply(world->frame, &state);
	return state.fields & OUTPUT_ADAPTIVE_SYNC;
}

static void change_size(struct hints_world *world)
{
	world->output.mode.width = 32;
}

static void change_rate(struct hints_world *world)
{
	world->output.mode.refresh = 50000;
}

static void change_depth(struct hints_world *world)
{
	world->output.bit_depth = 8;
}

static void change_crtc(struct hints_world *world)
{
	world->output.planes_id++;
}

static void change_planes(struct hints_world *world)
{
	world->overlay = true;
}

static void change_format(struct hints_world *world)
{
	buffer_drop(world->buffer);
	world->buffer = memory_buffer_create(64, 48, DRM_FORMAT_ARGB8888);
}

/* The same state is not tested again, however late; another one is, after a pause. */
static void refusal_counts_in_its_state_only(void **state)
{
	static void (*const changes[])(struct hints_world * world) = {
		change_size, change_rate, change_depth, change_crtc, change_planes, change_format};
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct hints_world world;
		begin(&world);
		assert_false(apply(&world));
		assert_int_equal(world.n_asked, 1);
		clock_advance(world.clock, 100 * SECOND);
		assert_false(apply(&world));
		assert_int_equal(world.n_asked, 1);
		world.accepts = true;
		changes[i](&world);
		clock_advance(world.clock, 2 * SECOND);
		if (!apply(&world)) {
			fail_msg("change %d: not tested again", (int)i);
		}
		assert_int_equal(world.n_asked, 2);
		end(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusal_counts_in_its_state_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
