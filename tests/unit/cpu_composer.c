/*
 * Tests of the GPU's rest: who composes an output that changes little, what each of the two knows of what the other one
 * drew, and that no client waits for its buffer. The GPU is GL in software.
 */

#include "cpu_composer_world.h"

#include "buffer/allocator.h"
#include "buffer/shm.h"
#include "util/fd.h"
#include <limits.h>
#include <string.h>

#define ENTER 32
#define LEAVE 8

static uint64_t passes(const struct world *world)
{
	return world->device.renderer->stats.passes;
}

/* Little changes until the CPU composes; it has drawn something by then. */
static void rest(struct world *world)
{
	uint64_t before = world->frame->stats.by_cpu;
	for (int i = 0; i < ENTER * 2 + 6 && world->frame->stats.by_cpu == before; i++) {
		draw_little(&world->windows[0], i);
		show(world);
	}
	assert_true(world->frame->cpu_composer.shared);
	assert_true(world->frame->stats.by_cpu > before);
}

/* Tests */

static void test_little(void **state)
{
	struct world world;
	begin(&world);
	for (int i = 0; i < ENTER; i++) {
		assert_false(world.frame->cpu_composer.shared);
		draw_little(&world.windows[0], i);
		show(&world);
	}
	/* Both buffers are drawn whole once, by the GPU. */
	assert_true(world.frame->cpu_composer.shared);
	for (int i = 0; i < 4; i++) {
		draw_little(&world.windows[0], i);
		show(&world);
	}
	struct render_stats before = world.device.renderer->stats;
	uint64_t by_cpu = world.frame->stats.by_cpu;
	for (int i = 0; i < 200; i++) {
		draw_little(&world.windows[0], i);
		show(&world);
	}
	assert_int_equal(world.device.renderer->stats.passes, before.passes);
	assert_int_equal(world.device.renderer->stats.bytes_uploaded, before.bytes_uploaded);
	assert_int_equal(world.frame->stats.by_cpu, by_cpu + 200);
	finish(&world);
}

static void test_much(void **state)
{
	struct world world;
	begin(&world);
	rest(&world);
	/* One picture is no reason, and the GPU knows by then what the CPU drew. */
	draw_all(&world.windows[0]);
	uint64_t before = passes(&world);
	show(&world);
	assert_int_equal(passes(&world), before + 1);
	rest(&world);
	for (int i = 0; i < LEAVE; i++) {
		assert_true(world.frame->cpu_composer.shared);
		draw_all(&world.windows[0]);
		show(&world);
	}
	assert_false(world.frame->cpu_composer.shared);
	draw_little(&world.windows[0], 0);
	show(&world);
	rest(&world);
	finish(&world);
}

/* What was covered later, and only the CPU has drawn, is in the GPU's texture when it is uncovered. */
static void test_uncovered_by_gpu(void **state)
{
	struct world world;
	begin(&world);
	rest(&world);
	open_window(&world, 1, 10, 10);
	show(&world);
	for (int i = 0; i < LEAVE; i++) {
		draw_all(&world.windows[1]);
		show(&world);
	}
	assert_false(world.frame->cpu_composer.shared);
	place(&world.windows[1], 60, 60);
	show(&world);
	finish(&world);
}

/* A part that the CPU has no copy of, and whose client has its buffer back, is drawn by the GPU. */
static void test_uncovered_while_resting(void **state)
{
	struct world world;
	begin(&world);
	open_window(&world, 1, 40, 40);
	show(&world);
	for (int i = 0; i < ENTER + 6; i++) {
		draw_little(&world.windows[1], i);
		show(&world);
	}
	assert_true(world.frame->stats.by_cpu > 0);
	uint64_t before = passes(&world);
	place(&world.windows[1], 41, 40);
	show(&world);
	assert_true(passes(&world) > before);
	assert_true(world.frame->cpu_composer.shared);
	finish(&world);
}

static void test_two_in_turn(void **state)
{
	struct world world;
	begin(&world);
	open_window(&world, 1, 80, 80);
	show(&world);
	rest(&world);
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

static void test_resized(void **state)
{
	struct world world;
	begin(&world);
	rest(&world);
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

static void test_unmapped(void **state)
{
	struct world world;
	begin(&world);
	rest(&world);
	struct window *window = &world.windows[0];
	window->surface->pending.fields |= SURFACE_BUFFER;
	assert_int_equal(surface_state_derive(&window->surface->pending), SURFACE_STATE_OK);
	assert_true(surface_commit(window->surface));
	surface_unmap(window->surface);
	memset(window->pixels, 0, sizeof(window->pixels));
	show(&world);
	/* What comes next shares nothing with what was kept, whatever its client calls damage. */
	draw(window, (struct box){4, 4, 8, 8});
	surface_map(window->surface);
	show(&world);
	draw_little(window, 1);
	show(&world);
	finish(&world);
}

static void test_captured(void **state)
{
	struct world world;
	begin(&world);
	rest(&world);
	struct buffer *target = memory_buffer_create(SIDE, SIDE, DRM_FORMAT_XRGB8888);
	const struct frame_capture capture = {.box = {0, 0, SIDE, SIDE}};
	int fence;
	assert_int_equal(frame_capture(world.scene, &world.device, target, &capture, &fence),
		FRAME_CAPTURE_DRAWN);
	fd_close(&fence);
	buffer_replace(&world.shown, target);
	expect_picture(&world);
	buffer_drop(target);
	draw_little(&world.windows[0], 3);
	show(&world);
	finish(&world);
}

static void test_refused(void **state)
{
	struct world world;
	begin(&world);
	world.n_linear = 0;
	for (int i = 0; i < ENTER * 3; i++) {
		draw_little(&world.windows[0], i);
		show(&world);
	}
	assert_true(world.frame->cpu_composer.refused);
	assert_int_equal(world.frame->stats.by_cpu, 0);
	assert_int_equal(world.frame->stats.missed, 0);
	finish(&world);
}

/* The first one is there, and is shown. */
static void test_second_refused(void **state)
{
	struct world world;
	begin(&world);
	world.n_linear = 1;
	for (int i = 0; i < ENTER * 2; i++) {
		draw_little(&world.windows[0], i);
		pass(&world);
		pass(&world);
		pass(&world);
		expect_picture(&world);
	}
	assert_true(world.frame->cpu_composer.refused);
	assert_int_equal(world.frame->stats.missed, 1);
	finish(&world);
}

/* Tried again when the output is configured, as by a reload. */
static void test_refused_until_configured(void **state)
{
	struct world world;
	begin(&world);
	world.n_linear = 0;
	for (int i = 0; i < ENTER * 2; i++) {
		draw_little(&world.windows[0], i);
		show(&world);
	}
	assert_true(world.frame->cpu_composer.refused);
	world.n_linear = INT_MAX;
	const struct schedule_settings settings = world.frame->schedule.settings;
	const struct frame_display display = world.frame->display;
	frame_output_configure(world.frame, &settings, &display);
	rest(&world);
	finish(&world);
}

/* Each second frame changes much, or six of seven: the GPU draws all of them, and so on its own buffers. */
static void test_much_and_little_in_turn(void **state)
{
	for (int share = 2; share <= 7; share += 5) {
		struct world world;
		begin(&world);
		open_window(&world, 1, 70, 70);
		show(&world);
		rest(&world);
		for (int i = 0; i < LEAVE * share; i++) {
			if (i % share == share - 1) {
				draw_little(&world.windows[0], i);
			} else {
				draw_all(&world.windows[1]);
			}
			show(&world);
		}
		assert_false(world.frame->cpu_composer.shared);
		finish(&world);
	}
}

/* Little of the screen, but all of a large buffer: to copy that would take longer than the GPU. */
static void test_scaled_down(void **state)
{
	struct world world;
	begin(&world);
	open_window(&world, 1, 100, 100);
	struct surface_state *pending = &world.windows[1].surface->pending;
	pending->viewport = (struct viewport){.has_dst = true, .dst_width = 8, .dst_height = 8};
	for (int i = 0; i < ENTER * 2; i++) {
		pending->fields |= SURFACE_VIEWPORT;
		draw_all(&world.windows[1]);
		pass(&world);
		pass(&world);
		assert_false(world.frame->cpu_composer.shared);
	}
	finish(&world);
}

/* What is damaged after a buffer went back brings no pixels, and so takes none away. */
static void test_damage_alone(void **state)
{
	struct world world;
	begin(&world);
	rest(&world);
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

/* Of what moves over a window, the CPU has no copy: the GPU rests no more. */
static void test_never_readable(void **state)
{
	struct world world;
	begin(&world);
	open_window(&world, 1, 90, 90);
	world.windows[1].side = 8;
	draw_all(&world.windows[1]);
	show(&world);
	rest(&world);
	for (int i = 0; i < 40; i++) {
		place(&world.windows[1], 40 + i % 5, 44);
		show(&world);
	}
	assert_false(world.frame->cpu_composer.shared);
	finish(&world);
}

/* An empty desktop, on which a cursor moves that is composed: nothing there is a client's. */
static void test_without_surfaces(void **state)
{
	struct world world;
	begin(&world);
	struct buffer *picture = memory_buffer_create(8, 8, DRM_FORMAT_XRGB8888);
	struct scene_image *image = scene_image_create(&world.scene->root, picture);
	buffer_drop(picture);
	for (int i = 0; i < ENTER * 2; i++) {
		scene_node_set_position(&image->node, 80 + i % 20, 80);
		pass(&world);
		pass(&world);
	}
	assert_true(world.frame->stats.by_cpu > 0);
	scene_node_destroy(&image->node);
	finish(&world);
}

/* Nor does it when pictures change much again and again: each time, more of them are waited for. */
static void test_to_and_fro(void **state)
{
	struct world world;
	begin(&world);
	int n_entered = 0;
	for (int round = 0; round < 16; round++) {
		for (int i = 0; i < ENTER + 4; i++) {
			bool before = world.frame->cpu_composer.shared;
			draw_little(&world.windows[0], i);
			show(&world);
			n_entered += !before && world.frame->cpu_composer.shared;
		}
		for (int i = 0; i < LEAVE; i++) {
			draw_all(&world.windows[0]);
			show(&world);
		}
		assert_false(world.frame->cpu_composer.shared);
	}
	assert_int_equal(n_entered, 1);
	finish(&world);
}

/* What is covered is uploaded for nobody when the GPU composes again. */
static void test_covered_stays_owed(void **state)
{
	struct world world;
	begin(&world);
	rest(&world);
	open_window(&world, 1, 10, 10);
	show(&world);
	draw_all(&world.windows[0]);
	pass(&world);
	pass(&world);
	assert_int_equal(world.windows[0].n_out, 1);
	uint64_t before = world.device.renderer->stats.bytes_uploaded;
	cpu_composer_end(world.frame);
	assert_int_equal(world.device.renderer->stats.bytes_uploaded, before);
	place(&world.windows[1], 60, 60);
	show(&world);
	finish(&world);
}

/* What is too much for a frame to upload does not bring back what the GPU drew last. */
static void test_over_budget(void **state)
{
	struct world world;
	begin(&world);
	rest(&world);
	struct window *window = &world.windows[0];
	for (int i = 0; i < 9; i++) {
		draw(window, (struct box){i % 3 * 16, i / 3 * 16, 16, 16});
		show(&world);
	}
	world.device.upload_budget = 1024;
	draw(window, (struct box){2, 2, 8, 8});
	place(window, 60, 60);
	const struct buffer *before = world.shown;
	while (world.shown == before) {
		pass(&world);
	}
	expect_picture(&world);
	show(&world);
	finish(&world);
}

/* What GL reads and the CPU's renderer does not is GL's. */
static void test_format(void **state)
{
	struct world world;
	begin(&world);
	struct window *window = &world.windows[0];
	memset(window->pixels, 0, sizeof(window->pixels));
	for (int i = 0; i < ENTER * 2; i++) {
		int32_t stride = window->side * 2, size = stride * window->side;
		int fd = fd_create_memory("rest", size, true);
		struct shm_pool *pool = shm_pool_create(fd, size);
		struct buffer *buffer = shm_buffer_create(
			pool, 0, window->side, window->side, stride, DRM_FORMAT_RGBX4444);
		shm_pool_unref(pool);
		int length = i == 0 ? window->side : 8;
		attach(window, buffer, &(struct box){0, 0, length, length});
		buffer_drop(buffer);
		show(&world);
		assert_false(world.frame->cpu_composer.shared);
	}
	finish(&world);
}

static void test_switched_off(void **state)
{
	struct world world;
	begin(&world);
	rest(&world);
	const struct schedule_settings settings = world.frame->schedule.settings;
	const struct frame_display display = {.rests = false};
	frame_output_configure(world.frame, &settings, &display);
	uint64_t before = world.frame->stats.by_cpu;
	for (int i = 0; i < ENTER * 2; i++) {
		draw_little(&world.windows[0], i);
		show(&world);
	}
	assert_int_equal(world.frame->stats.by_cpu, before);
	finish(&world);
}

static void test_lost(void **state)
{
	struct world world;
	begin(&world);
	rest(&world);
	struct renderer *old = world.device.renderer;
	render_device_lost(world.scene, &world.device);
	world.device.renderer = gles_renderer_create(NULL, world.loop);
	render_device_restored(world.scene, &world.device);
	renderer_destroy(old);
	assert_false(world.frame->cpu_composer.shared);
	/* Its client is asked to draw again. */
	draw_all(&world.windows[0]);
	show(&world);
	rest(&world);
	finish(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_little),
		cmocka_unit_test(test_much),
		cmocka_unit_test(test_uncovered_by_gpu),
		cmocka_unit_test(test_uncovered_while_resting),
		cmocka_unit_test(test_two_in_turn),
		cmocka_unit_test(test_resized),
		cmocka_unit_test(test_unmapped),
		cmocka_unit_test(test_captured),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_second_refused),
		cmocka_unit_test(test_refused_until_configured),
		cmocka_unit_test(test_much_and_little_in_turn),
		cmocka_unit_test(test_scaled_down),
		cmocka_unit_test(test_damage_alone),
		cmocka_unit_test(test_never_readable),
		cmocka_unit_test(test_without_surfaces),
		cmocka_unit_test(test_to_and_fro),
		cmocka_unit_test(test_covered_stays_owed),
		cmocka_unit_test(test_over_budget),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_switched_off),
		cmocka_unit_test(test_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
