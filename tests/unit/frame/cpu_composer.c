/* SPDX-License-Identifier: MIT */
/*
 * CPU composition of outputs with small changes: switching between CPU and GPU, content shared
 * between both, and release of client buffers. GL in software stands for the GPU.
 */

#include "content/internal.h"
#include "frame/output.h"
#include "harness/composer_world.h"

#include "buffer/allocator.h"
#include "buffer/shm.h"
#include "util/fd.h"
#include <limits.h>
#include <string.h>

#define ENTER 32
#define LEAVE 8

static uint64_t passes(const struct composer_world *world)
{
	return world->screen.device->renderer->stats.passes;
}

/* Makes small changes until the CPU has composed a frame. */
static void enter_cpu_composition(struct composer_world *world)
{
	uint64_t before = world->screen.frame->stats.by_cpu;
	for (int i = 0; i < ENTER * 2 + 6 && world->screen.frame->stats.by_cpu == before; i++) {
		draw_little(&world->windows[0], i);
		show(world);
	}
	assert_true(world->screen.frame->cpu_composer.shared);
	assert_true(world->screen.frame->stats.by_cpu > before);
}

static void small_changes_are_composed_by_the_cpu(void **state)
{
	struct composer_world world;
	begin(&world);
	for (int i = 0; i < ENTER; i++) {
		assert_false(world.screen.frame->cpu_composer.shared);
		draw_little(&world.windows[0], i);
		show(&world);
	}
	/* The GPU first repaints both buffers as a whole. */
	assert_true(world.screen.frame->cpu_composer.shared);
	for (int i = 0; i < 4; i++) {
		draw_little(&world.windows[0], i);
		show(&world);
	}
	struct render_stats before = world.screen.device->renderer->stats;
	uint64_t by_cpu = world.screen.frame->stats.by_cpu;
	for (int i = 0; i < 200; i++) {
		draw_little(&world.windows[0], i);
		show(&world);
	}
	assert_int_equal(world.screen.device->renderer->stats.passes, before.passes);
	assert_int_equal(
		world.screen.device->renderer->stats.bytes_uploaded, before.bytes_uploaded);
	assert_int_equal(world.screen.frame->stats.by_cpu, by_cpu + 200);
	finish(&world);
}

static void large_changes_return_to_the_gpu(void **state)
{
	struct composer_world world;
	begin(&world);
	enter_cpu_composition(&world);
	/* A single large change keeps CPU composition; the GPU draws it with the CPU's changes. */
	draw_all(&world.windows[0]);
	uint64_t before = passes(&world);
	show(&world);
	assert_int_equal(passes(&world), before + 1);
	enter_cpu_composition(&world);
	for (int i = 0; i < LEAVE; i++) {
		assert_true(world.screen.frame->cpu_composer.shared);
		draw_all(&world.windows[0]);
		show(&world);
	}
	assert_false(world.screen.frame->cpu_composer.shared);
	/* Copies for the CPU are gone. */
	const struct render_device *shadow = content_device_from(world.screen.device)->shadow;
	assert_true(wl_list_empty(&content_device_from(shadow)->contents));
	draw_little(&world.windows[0], 0);
	show(&world);
	enter_cpu_composition(&world);
	finish(&world);
}

/*
 * Pixels that only the CPU drew before they were occluded are in the GPU's texture when they are
 * visible again.
 */
static void gpu_has_pixels_that_the_cpu_drew(void **state)
{
	struct composer_world world;
	begin(&world);
	enter_cpu_composition(&world);
	open_window(&world, 1, 10, 10);
	show(&world);
	for (int i = 0; i < LEAVE; i++) {
		draw_all(&world.windows[1]);
		show(&world);
	}
	assert_false(world.screen.frame->cpu_composer.shared);
	place(&world.windows[1], 60, 60);
	show(&world);
	finish(&world);
}

/* The GPU draws parts without a shadow copy whose buffer was released. */
static void gpu_draws_parts_without_shadow_copy(void **state)
{
	struct composer_world world;
	begin(&world);
	open_window(&world, 1, 40, 40);
	show(&world);
	for (int i = 0; i < ENTER + 6; i++) {
		draw_little(&world.windows[1], i);
		show(&world);
	}
	assert_true(world.screen.frame->stats.by_cpu > 0);
	uint64_t before = passes(&world);
	place(&world.windows[1], 41, 40);
	show(&world);
	assert_true(passes(&world) > before);
	assert_true(world.screen.frame->cpu_composer.shared);
	finish(&world);
}

static void two_windows_stay_with_the_cpu(void **state)
{
	struct composer_world world;
	begin(&world);
	open_window(&world, 1, 80, 80);
	show(&world);
	enter_cpu_composition(&world);
	for (int i = 0; i < 6; i++) {
		draw_little(&world.windows[i % 2], i);
		show(&world);
	}
	uint64_t before = passes(&world);
	for (int i = 0; i < 20; i++) {
		draw_little(&world.windows[i % 2], i);
		show(&world);
	}
	assert_int_equal(passes(&world), before);
	finish(&world);
}

static void resized_window_stays_with_the_cpu(void **state)
{
	struct composer_world world;
	begin(&world);
	enter_cpu_composition(&world);
	for (int side = 49; side < 52; side++) {
		world.windows[0].side = side;
		draw_all(&world.windows[0]);
		show(&world);
		draw_little(&world.windows[0], side);
		show(&world);
	}
	uint64_t before = passes(&world);
	draw_little(&world.windows[0], 0);
	show(&world);
	assert_int_equal(passes(&world), before);
	finish(&world);
}

static void unmapping_discards_the_shadow_copy(void **state)
{
	struct composer_world world;
	begin(&world);
	enter_cpu_composition(&world);
	struct window *window = &world.windows[0];
	window->surface->pending.fields |= SURFACE_BUFFER;
	assert_int_equal(surface_state_derive(&window->surface->pending), SURFACE_STATE_OK);
	assert_true(surface_commit(window->surface));
	surface_unmap(window->surface);
	memset(window->pixels, 0, sizeof(window->pixels));
	show(&world);
	/* The next buffer replaces the shadow copy as a whole, even if its damage is small. */
	draw(window, (struct box){4, 4, 8, 8});
	surface_map(window->surface);
	show(&world);
	draw_little(window, 1);
	show(&world);
	finish(&world);
}

/* The damage of the next buffer may be small. */
static void another_format_replaces_the_shadow_copy(void **state)
{
	struct composer_world world;
	begin(&world);
	enter_cpu_composition(&world);
	for (int i = 0; i < 4; i++) {
		world.windows[0].swapped = i % 2 == 0;
		draw_little(&world.windows[0], 2 * i);
		show(&world);
		draw_little(&world.windows[0], 2 * i + 1);
		show(&world);
		assert_true(world.screen.frame->cpu_composer.shared);
	}
	finish(&world);
}

static void captures_include_cpu_composition(void **state)
{
	struct composer_world world;
	begin(&world);
	enter_cpu_composition(&world);
	struct buffer *target = memory_buffer_create(SIDE, SIDE, DRM_FORMAT_XRGB8888);
	const struct frame_capture capture = {.box = {0, 0, SIDE, SIDE}};
	int fence;
	assert_int_equal(frame_capture(world.scene, world.screen.device, target, &capture, &fence),
		FRAME_CAPTURE_DRAWN);
	fd_close(&fence);
	buffer_replace(&world.screen.shown, target);
	expect_output(&world);
	buffer_drop(target);
	draw_little(&world.windows[0], 3);
	show(&world);
	finish(&world);
}

static void missing_linear_buffers_disable_cpu_composition(void **state)
{
	struct composer_world world;
	begin(&world);
	world.n_linear = 0;
	for (int i = 0; i < ENTER * 3; i++) {
		draw_little(&world.windows[0], i);
		show(&world);
	}
	assert_true(world.screen.frame->cpu_composer.refused);
	assert_int_equal(world.screen.frame->stats.by_cpu, 0);
	assert_int_equal(world.screen.frame->stats.missed, 0);
	finish(&world);
}

/* The first linear buffer was allocated and is presented; the second allocation fails. */
static void second_refused_buffer_loses_one_frame(void **state)
{
	struct composer_world world;
	begin(&world);
	world.n_linear = 1;
	for (int i = 0; i < ENTER * 2; i++) {
		draw_little(&world.windows[0], i);
		pass(&world);
		pass(&world);
		pass(&world);
		expect_output(&world);
	}
	assert_true(world.screen.frame->cpu_composer.refused);
	assert_int_equal(world.screen.frame->stats.missed, 1);
	finish(&world);
}

/* CPU composition is tried again when the output is configured. */
static void configuring_the_output_retries(void **state)
{
	struct composer_world world;
	begin(&world);
	world.n_linear = 0;
	for (int i = 0; i < ENTER * 2; i++) {
		draw_little(&world.windows[0], i);
		show(&world);
	}
	assert_true(world.screen.frame->cpu_composer.refused);
	world.n_linear = INT_MAX;
	const struct schedule_settings settings = world.screen.frame->schedule.settings;
	const struct frame_display display = world.screen.frame->display;
	frame_output_configure(world.screen.frame, &settings, &display);
	enter_cpu_composition(&world);
	finish(&world);
}

/* If every second frame or six of seven change much, the GPU composes all of them. */
static void frequent_large_changes_stay_with_the_gpu(void **state)
{
	for (int share = 2; share <= 7; share += 5) {
		struct composer_world world;
		begin(&world);
		open_window(&world, 1, 70, 70);
		show(&world);
		enter_cpu_composition(&world);
		for (int i = 0; i < LEAVE * share; i++) {
			if (i % share == share - 1) {
				draw_little(&world.windows[0], i);
			} else {
				draw_all(&world.windows[1]);
			}
			show(&world);
		}
		assert_false(world.screen.frame->cpu_composer.shared);
		finish(&world);
	}
}

/* A small part of the output shows a large buffer: a shadow copy would cost more than the GPU. */
static void scaled_down_window_stays_with_the_gpu(void **state)
{
	struct composer_world world;
	begin(&world);
	open_window(&world, 1, 100, 100);
	struct surface_state *pending = &world.windows[1].surface->pending;
	pending->viewport = (struct viewport){.has_dst = true, .dst_width = 8, .dst_height = 8};
	for (int i = 0; i < ENTER * 2; i++) {
		pending->fields |= SURFACE_VIEWPORT;
		draw_all(&world.windows[1]);
		pass(&world);
		pass(&world);
		assert_false(world.screen.frame->cpu_composer.shared);
	}
	finish(&world);
}

/* The CPU lacks the filter that follows edges. */
static void sharp_window_stays_with_the_gpu(void **state)
{
	struct composer_world world;
	begin(&world);
	world.windows[0].surface->rules.sharp = true;
	scene_output_set_scale(world.screen.scene_output, 2);
	for (int i = 0; i < ENTER * 2; i++) {
		draw_little(&world.windows[0], i);
		pass(&world);
		pass(&world);
		assert_false(world.screen.frame->cpu_composer.shared);
	}
	finish(&world);
}

/* All buffers are on the screen or in captures, for a while. */
static void busy_buffers_do_not_end_cpu_composition(void **state)
{
	struct composer_world world;
	begin(&world);
	enter_cpu_composition(&world);
	struct frame_output *frame = world.screen.frame;
	struct buffer *busy[SWAPCHAIN_LENGTH] = {NULL};
	const uint64_t missed = frame->stats.missed;
	for (int i = 0; frame->stats.missed == missed; i++) {
		for (int slot = 0; slot < SWAPCHAIN_LENGTH; slot++) {
			buffer_replace(&busy[slot], frame->swapchain->slots[slot].buffer);
		}
		draw_little(&world.windows[0], i);
		pass(&world);
	}
	for (int slot = 0; slot < SWAPCHAIN_LENGTH; slot++) {
		buffer_replace(&busy[slot], NULL);
	}
	assert_true(frame->cpu_composer.shared && !frame->cpu_composer.refused);
	show(&world);
	finish(&world);
}

/* The GPU may still be writing a buffer whose frame was refused. */
static void buffer_of_a_refused_frame_is_left_to_the_gpu(void **state)
{
	struct composer_world world;
	begin(&world);
	struct frame_output *frame = world.screen.frame;
	frame->cpu_composer.limits.share = 1;
	enter_cpu_composition(&world);
	draw_little(&world.windows[0], 3);
	scene_update(world.scene);
	for (int age = 0; age < 3; age++) {
		const struct render_device *device =
			cpu_composer_choose(frame, age, &frame->scene_output->damage);
		assert_int_equal(device == frame->device, age == 0);
	}
	show(&world);
	finish(&world);
}

/* Damage without a new buffer after the release keeps the shadow copy valid. */
static void damage_without_buffer_keeps_the_shadow_copy(void **state)
{
	struct composer_world world;
	begin(&world);
	enter_cpu_composition(&world);
	struct surface_state *pending = &world.windows[0].surface->pending;
	pixman_region32_union_rect(&pending->buffer_damage, &pending->buffer_damage, 0, 0, 48, 48);
	pending->fields |= SURFACE_BUFFER_DAMAGE;
	assert_int_equal(surface_state_derive(pending), SURFACE_STATE_OK);
	assert_true(surface_commit(world.windows[0].surface));
	show(&world);
	draw_little(&world.windows[0], 3);
	show(&world);
	finish(&world);
}

/* A surface without a shadow copy that moves every frame ends CPU composition. */
static void unreadable_surface_ends_cpu_composition(void **state)
{
	struct composer_world world;
	begin(&world);
	open_window(&world, 1, 90, 90);
	world.windows[1].side = 8;
	draw_all(&world.windows[1]);
	show(&world);
	enter_cpu_composition(&world);
	for (int i = 0; i < 40; i++) {
		place(&world.windows[1], 40 + i % 5, 44);
		show(&world);
	}
	assert_false(world.screen.frame->cpu_composer.shared);
	finish(&world);
}

/* An empty desktop with a composed cursor image. */
static void cursor_on_empty_desktop_is_composed_by_the_cpu(void **state)
{
	struct composer_world world;
	begin(&world);
	struct buffer *buffer = memory_buffer_create(8, 8, DRM_FORMAT_XRGB8888);
	struct scene_image *image = scene_image_create(&world.scene->root, buffer);
	buffer_drop(buffer);
	for (int i = 0; i < ENTER * 2; i++) {
		scene_node_set_position(&image->node, 80 + i % 20, 80);
		pass(&world);
		pass(&world);
	}
	assert_true(world.screen.frame->stats.by_cpu > 0);
	scene_node_destroy(&image->node);
	finish(&world);
}

/* After each return to the GPU, more small frames are required before the CPU composes again. */
static void repeated_switches_are_throttled(void **state)
{
	struct composer_world world;
	begin(&world);
	int n_entered = 0;
	for (int round = 0; round < 16; round++) {
		for (int i = 0; i < ENTER + 4; i++) {
			bool before = world.screen.frame->cpu_composer.shared;
			draw_little(&world.windows[0], i);
			show(&world);
			n_entered += !before && world.screen.frame->cpu_composer.shared;
		}
		for (int i = 0; i < LEAVE; i++) {
			draw_all(&world.windows[0]);
			show(&world);
		}
		assert_false(world.screen.frame->cpu_composer.shared);
	}
	assert_int_equal(n_entered, 1);
	finish(&world);
}

/* Occluded content is not uploaded when CPU composition ends. */
static void occluded_content_is_not_uploaded(void **state)
{
	struct composer_world world;
	begin(&world);
	enter_cpu_composition(&world);
	open_window(&world, 1, 10, 10);
	show(&world);
	draw_all(&world.windows[0]);
	pass(&world);
	pass(&world);
	assert_int_equal(world.windows[0].n_out, 1);
	uint64_t before = world.screen.device->renderer->stats.bytes_uploaded;
	cpu_composer_end(world.screen.frame);
	assert_int_equal(world.screen.device->renderer->stats.bytes_uploaded, before);
	place(&world.windows[1], 60, 60);
	show(&world);
	finish(&world);
}

/* An upload beyond the budget is deferred without showing the outdated texture. */
static void deferred_upload_shows_no_outdated_content(void **state)
{
	struct composer_world world;
	begin(&world);
	enter_cpu_composition(&world);
	struct window *window = &world.windows[0];
	for (int i = 0; i < 9; i++) {
		draw(window, (struct box){i % 3 * 16, i / 3 * 16, 16, 16});
		show(&world);
	}
	content_device_from(world.screen.device)->upload_budget = 1024;
	draw(window, (struct box){2, 2, 8, 8});
	place(window, 60, 60);
	const struct buffer *before = world.screen.shown;
	while (world.screen.shown == before) {
		pass(&world);
	}
	expect_output(&world);
	show(&world);
	finish(&world);
}

/* Formats that only GL supports are composed by GL. */
static void unsupported_format_stays_with_the_gpu(void **state)
{
	struct composer_world world;
	begin(&world);
	struct window *window = &world.windows[0];
	memset(window->pixels, 0, sizeof(window->pixels));
	for (int i = 0; i < ENTER * 2; i++) {
		int32_t stride = window->side * 2, size = stride * window->side;
		int fd = fd_create_memory("client", size, true);
		struct shm_pool *pool = shm_pool_create(fd, size);
		struct buffer *buffer = shm_buffer_create(
			pool, 0, window->side, window->side, stride, DRM_FORMAT_RGBX4444);
		shm_pool_unref(pool);
		int length = i == 0 ? window->side : 8;
		attach(window, buffer, &(struct box){0, 0, length, length});
		buffer_drop(buffer);
		show(&world);
		assert_false(world.screen.frame->cpu_composer.shared);
	}
	finish(&world);
}

static void configuration_disables_cpu_composition(void **state)
{
	struct composer_world world;
	begin(&world);
	enter_cpu_composition(&world);
	const struct schedule_settings settings = world.screen.frame->schedule.settings;
	const struct frame_display display = {.cpu_composition = false};
	frame_output_configure(world.screen.frame, &settings, &display);
	uint64_t before = world.screen.frame->stats.by_cpu;
	for (int i = 0; i < ENTER * 2; i++) {
		draw_little(&world.windows[0], i);
		show(&world);
	}
	assert_int_equal(world.screen.frame->stats.by_cpu, before);
	finish(&world);
}

static void lost_renderer_ends_cpu_composition(void **state)
{
	struct composer_world world;
	begin(&world);
	enter_cpu_composition(&world);
	struct renderer *old = world.screen.device->renderer;
	render_device_lost(world.scene, world.screen.device);
	world.screen.device->renderer = gles_renderer_create(NULL, world.loop);
	render_device_restored(world.scene, world.screen.device);
	renderer_destroy(old);
	assert_false(world.screen.frame->cpu_composer.shared);
	/* The client draws again on request. */
	draw_all(&world.windows[0]);
	show(&world);
	enter_cpu_composition(&world);
	finish(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_changes_are_composed_by_the_cpu),
		cmocka_unit_test(large_changes_return_to_the_gpu),
		cmocka_unit_test(gpu_has_pixels_that_the_cpu_drew),
		cmocka_unit_test(gpu_draws_parts_without_shadow_copy),
		cmocka_unit_test(two_windows_stay_with_the_cpu),
		cmocka_unit_test(resized_window_stays_with_the_cpu),
		cmocka_unit_test(unmapping_discards_the_shadow_copy),
		cmocka_unit_test(another_format_replaces_the_shadow_copy),
		cmocka_unit_test(captures_include_cpu_composition),
		cmocka_unit_test(missing_linear_buffers_disable_cpu_composition),
		cmocka_unit_test(second_refused_buffer_loses_one_frame),
		cmocka_unit_test(configuring_the_output_retries),
		cmocka_unit_test(frequent_large_changes_stay_with_the_gpu),
		cmocka_unit_test(scaled_down_window_stays_with_the_gpu),
		cmocka_unit_test(sharp_window_stays_with_the_gpu),
		cmocka_unit_test(busy_buffers_do_not_end_cpu_composition),
		cmocka_unit_test(buffer_of_a_refused_frame_is_left_to_the_gpu),
		cmocka_unit_test(damage_without_buffer_keeps_the_shadow_copy),
		cmocka_unit_test(unreadable_surface_ends_cpu_composition),
		cmocka_unit_test(cursor_on_empty_desktop_is_composed_by_the_cpu),
		cmocka_unit_test(repeated_switches_are_throttled),
		cmocka_unit_test(occluded_content_is_not_uploaded),
		cmocka_unit_test(deferred_upload_shows_no_outdated_content),
		cmocka_unit_test(unsupported_format_stays_with_the_gpu),
		cmocka_unit_test(configuration_disables_cpu_composition),
		cmocka_unit_test(lost_renderer_ends_cpu_composition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
