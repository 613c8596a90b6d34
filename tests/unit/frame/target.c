/* SPDX-License-Identifier: MIT */
/* Render targets: formats and layouts, in the order in which refused ones are replaced. */

#include "frame/output.h"
#include "harness/unit.h"

#include "buffer/allocator.h"
#include "frame/internal.h"
#include "util/region.h"
#include "util/signal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILED I915_FORMAT_MOD_X_TILED

struct target_world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct output output;
	struct plane plane;
	struct allocator allocator;
	struct format_modifiers
		last; /* format of the last allocation; its modifiers are borrowed */
	struct scene *scene;
	struct scene_output *scene_output;
	struct render_device *device;
	struct frame_output *frame;
	int n_buffers; /* not destroyed yet */
	const char *accepts; /* the kind of buffers that the output accepts */
	char asked[256]; /* the kinds that were tested, in order */
};

static const char *kind_of(const struct format_modifiers *format)
{
	bool deep = pixel_format_get(format->format)->depth == 10;
	if (format->n_modifiers > 1) {
		return deep ? "deep-any" : "any";
	}
	if (format->modifiers[0] == DRM_FORMAT_MOD_LINEAR) {
		return deep ? "deep-linear" : "linear";
	}
	return deep ? "deep-implicit" : "implicit";
}

static const char *last_kind(struct target_world *world)
{
	return kind_of(&world->frame->swapchain->format);
}

struct made {
	struct wl_listener destroy;
	struct target_world *world;
};

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct made *made = wl_container_of(listener, made, destroy);
	made->world->n_buffers--;
	wl_list_remove(&made->destroy.link);
	free(made);
}

static struct buffer *create_buffer(struct allocator *allocator, int32_t width, int32_t height,
	const struct format_modifiers *format)
{
	struct target_world *world = wl_container_of(allocator, world, allocator);
	struct buffer *buffer = memory_buffer_create(width, height, format->format);
	struct made *made = calloc(1, sizeof(*made));
	world->last = *format;
	world->n_buffers++;
	*made = (struct made){.destroy.notify = handle_destroy, .world = world};
	wl_signal_add(&buffer->events.destroy, &made->destroy);
	return buffer;
}

static void destroy_allocator(struct allocator *allocator)
{
}

static const struct allocator_impl allocator_impl = {
	.create_buffer = create_buffer,
	.destroy = destroy_allocator,
};

static void destroy_output(struct output *output)
{
}

static bool test_state(struct output *output, const struct output_state *state)
{
	struct target_world *world = wl_container_of(output, world, output);
	const char *kind = kind_of(&world->last);
	snprintf(world->asked + strlen(world->asked), sizeof(world->asked) - strlen(world->asked),
		" %s", kind);
	return strcmp(kind, world->accepts) == 0;
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

static void begin(struct target_world *world, int32_t bit_depth)
{
	static const uint32_t formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_XRGB2101010};
	static const uint64_t modifiers[] = {TILED, DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};
	*world = (struct target_world){.loop = wl_event_loop_create(),
		.clock = clock_create_test(1),
		.allocator.impl = &allocator_impl,
		.plane.type = PLANE_PRIMARY};
	output_init(&world->output, &output_impl, "TEST-1");
	world->output.planes[world->output.n_planes++] = &world->plane;
	world->output.enabled = true;
	world->output.mode = (struct output_mode){64, 48, 60000, true};
	world->output.bit_depth = bit_depth;
	world->device = render_device_create(NULL, pixman_renderer_create(), &world->allocator);
	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < 3; j++) {
			format_set_add(&world->plane.formats, formats[i], modifiers[j]);
			format_set_add(
				&world->device->renderer->target_formats, formats[i], modifiers[j]);
		}
	}
	world->scene = scene_create();
	world->scene_output = scene_output_create(world->scene, &world->output);
	world->frame = frame_output_create(world->scene_output, world->device, world->clock);
}

static void end(struct target_world *world)
{
	scene_output_destroy(world->scene_output);
	scene_destroy(world->scene);
	render_device_finish(world->device);
	renderer_destroy(world->device->renderer);
	render_device_destroy(world->device);
	format_set_finish(&world->plane.formats);
	output_finish(&world->output);
	clock_destroy(world->clock);
	wl_event_loop_destroy(world->loop);
}

static bool ensure(struct target_world *world, const char *accepts)
{
	world->accepts = accepts;
	world->asked[0] = '\0';
	const bool ready = frame_target_ensure(world->frame);
	/* Buffers that were refused or replaced are gone. */
	assert_int_equal(world->n_buffers, ready);
	return ready;
}

static void refused_layouts_are_replaced_in_order(void **state)
{
	struct target_world world;
	begin(&world, 0);
	assert_false(ensure(&world, "none"));
	assert_string_equal(world.asked, " any linear implicit");
	assert_true(ensure(&world, "linear"));
	assert_string_equal(last_kind(&world), "linear");
	/* An accepted target is kept. */
	assert_true(ensure(&world, "any"));
	assert_string_equal(world.asked, "");
	end(&world);
}

/* Layouts are given up before depth. */
static void layout_is_given_up_before_depth(void **state)
{
	struct target_world world;
	begin(&world, 10);
	assert_false(ensure(&world, "none"));
	assert_string_equal(world.asked, " deep-any deep-linear deep-implicit any linear implicit");
	assert_true(ensure(&world, "any"));
	/* The output's depth was reduced in between. */
	world.output.bit_depth = 8;
	assert_true(ensure(&world, "linear"));
	assert_string_equal(world.asked, " any linear");
	end(&world);
}

/* Economy levels for other outputs' sake, step by step and back. */
static void economy_levels_give_up_layout_and_depth(void **state)
{
	struct target_world world;
	begin(&world, 10);
	assert_true(ensure(&world, "deep-any"));
	assert_false(frame_output_economise(world.frame, FRAME_ECONOMY_OVERLAYS));
	assert_true(frame_output_economise(world.frame, FRAME_ECONOMY_LAYOUTS));
	assert_true(ensure(&world, "deep-linear"));
	assert_string_equal(world.asked, " deep-linear");
	assert_false(frame_output_economise(world.frame, FRAME_ECONOMY_LAYOUTS));
	assert_true(frame_output_economise(world.frame, FRAME_ECONOMY_DEPTH));
	assert_true(ensure(&world, "linear"));
	assert_string_equal(world.asked, " linear");
	assert_false(frame_output_economise(world.frame, FRAME_ECONOMY_MAX));
	/* If the driver accepts nothing cheaper, the level is ignored. */
	frame_output_economise(world.frame, FRAME_ECONOMY_OVERLAYS);
	assert_true(ensure(&world, "deep-any"));
	frame_output_economise(world.frame, FRAME_ECONOMY_LAYOUTS);
	assert_true(ensure(&world, "deep-any"));
	frame_output_economise(world.frame, FRAME_ECONOMY_NONE);
	assert_true(ensure(&world, "deep-any"));
	assert_string_equal(last_kind(&world), "deep-any");
	end(&world);
}

/* Returns whether all of the output is to be drawn again, and forgets that. */
static bool take_damage(struct target_world *world)
{
	pixman_region32_t *damage = &world->scene_output->damage;
	const struct box all = region_extents(damage);
	const bool whole = all.width == 64 && all.height == 48;
	pixman_region32_clear(damage);
	return whole;
}

/* A still output is drawn in other buffers once a level allows or forbids its present ones. */
static void change_of_the_economy_level_is_drawn_if_it_matters(void **state)
{
	static const struct {
		enum frame_economy from, to;
		int32_t depth;
		bool drawn;
	} cases[] = {
		{FRAME_ECONOMY_NONE, FRAME_ECONOMY_LAYOUTS, 10, true},
		{FRAME_ECONOMY_LAYOUTS, FRAME_ECONOMY_DEPTH, 10, true},
		{FRAME_ECONOMY_LAYOUTS, FRAME_ECONOMY_DEPTH, 8, false},
		{FRAME_ECONOMY_DEPTH, FRAME_ECONOMY_LAYOUTS, 10, true},
		{FRAME_ECONOMY_DEPTH, FRAME_ECONOMY_LAYOUTS, 8, false},
		{FRAME_ECONOMY_LAYOUTS, FRAME_ECONOMY_NONE, 8, true},
		{FRAME_ECONOMY_OVERLAYS, FRAME_ECONOMY_NONE, 10, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target_world world;
		begin(&world, cases[i].depth);
		frame_output_economise(world.frame, cases[i].from);
		world.accepts = cases[i].from == FRAME_ECONOMY_DEPTH ? "linear"
				: cases[i].from == FRAME_ECONOMY_LAYOUTS
					? (cases[i].depth == 10 ? "deep-linear" : "linear")
				: cases[i].depth == 10 ? "deep-any"
						       : "any";
		assert_true(frame_target_ensure(world.frame));
		take_damage(&world);
		frame_output_economise(world.frame, cases[i].to);
		assert_int_equal(take_damage(&world), cases[i].drawn);
		end(&world);
	}
}

/* As of another CRTC: buffers that the output shows no longer are dropped, others stay. */
static void target_follows_the_formats_of_the_output(void **state)
{
	struct target_world world;
	begin(&world, 10);
	assert_true(ensure(&world, "deep-any"));
	signal_emit(&world.output.events.needs_frame, NULL);
	assert_non_null(world.frame->swapchain);
	format_set_finish(&world.plane.formats);
	format_set_add(&world.plane.formats, DRM_FORMAT_XRGB2101010, TILED);
	format_set_add(&world.plane.formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	signal_emit(&world.output.events.needs_frame, NULL);
	assert_null(world.frame->swapchain);
	assert_int_equal(world.n_buffers, 0);
	assert_true(ensure(&world, "linear"));
	signal_emit(&world.output.events.needs_frame, NULL);
	assert_string_equal(last_kind(&world), "linear");
	end(&world);
}

/* Notes a composed frame that changed one column, another one each time. */
static void push(struct target_world *world, int column)
{
	pixman_region32_t *damage = &world->scene_output->damage;
	pixman_region32_fini(damage);
	pixman_region32_init_rect(damage, column, 0, 1, 48);
	frame_target_push(world->frame);
}

/* A buffer lacks the frames since its own, and this one; or everything, if they are not known. */
static void damage_of_a_buffer_is_that_of_the_frames_it_lacks(void **state)
{
	struct target_world world;
	begin(&world, 0);
	pixman_region32_t expected, found;
	pixman_region32_init(&expected);
	pixman_region32_init(&found);
	for (int n = 0; n < 2 * 12; n++) {
		/* Contents of all buffers are forgotten once, after as many frames as are noted. */
		const int known = n < 12 ? n : n - 12;
		if (n == 12) {
			frame_target_forget(world.frame);
		}
		for (int age = 0; age < 14; age++) {
			const bool whole =
				age == 0 || age - 1 > known || age - 1 > FRAME_DAMAGE_HISTORY;
			pixman_region32_fini(&world.scene_output->damage);
			pixman_region32_init_rect(&world.scene_output->damage, 60, 0, 1, 48);
			frame_target_damage(world.frame, age, &found);
			pixman_region32_fini(&expected);
			pixman_region32_init_rect(&expected, 60, 0, 1, 48);
			for (int i = 1; i < age && !whole; i++) {
				pixman_region32_union_rect(
					&expected, &expected, 2 * (n - i), 0, 1, 48);
			}
			if (whole) {
				pixman_region32_union_rect(&expected, &expected, 0, 0, 64, 48);
			}
			if (!pixman_region32_equal(&found, &expected)) {
				fail_msg("frame %d, age %d", n, age);
			}
		}
		push(&world, 2 * n);
	}
	pixman_region32_fini(&expected);
	pixman_region32_fini(&found);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_layouts_are_replaced_in_order),
		cmocka_unit_test(layout_is_given_up_before_depth),
		cmocka_unit_test(economy_levels_give_up_layout_and_depth),
		cmocka_unit_test(change_of_the_economy_level_is_drawn_if_it_matters),
		cmocka_unit_test(target_follows_the_formats_of_the_output),
		cmocka_unit_test(damage_of_a_buffer_is_that_of_the_frames_it_lacks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
