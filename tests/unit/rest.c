/*
 * Tests of the GPU's rest: who composes an output that changes little, what each of the two knows of what the other one
 * drew, and that no client waits for its buffer. The GPU is GL in software.
 */

#include "unit.h"

#include "buffer/allocator.h"
#include "buffer/shm.h"
#include "frame/internal.h"
#include "scene/scene.h"
#include "surface/surface.h"
#include "util/fd.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIDE 128
#define MOST 64 /* the side of a window's largest buffer */
#define PERIOD INT64_C(16666667)
#define ENTER 32
#define LEAVE 8

struct client_buffer {
	struct buffer *buffer;
	struct wl_listener release;
	int *n_out;
};

struct window {
	struct surface *surface;
	struct scene_tree *tree;
	int x, y, side;
	uint32_t pixels[MOST * MOST]; /* what its client drew */
	int n_out; /* buffers that it does not have back */
};

struct world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct output output;
	struct plane plane;
	int n_linear; /* so many more buffers that CPU and GPU both draw to can be had */
	struct scene *scene;
	struct scene_output *scene_output;
	struct frame_device device;
	struct allocator linear;
	struct allocator *memory;
	struct frame_output *frame;
	struct buffer *shown, *flying;
	uint32_t flight;
	struct window windows[2]; /* the second one is on top */
};

/* Allocators: one that counts as both's. */

static struct buffer *create_linear(struct allocator *allocator, int32_t width, int32_t height,
	const struct format_modifiers *format)
{
	struct world *world = wl_container_of(allocator, world, linear);
	if (world->n_linear == 0) {
		errno = ENOMEM;
		return NULL;
	}
	world->n_linear--;
	return memory_buffer_create(width, height, format->format);
}

static void destroy_linear(struct allocator *allocator)
{
}

static const struct allocator_impl linear_impl = {
	.create_buffer = create_linear, .destroy = destroy_linear};

/* The screen */

static void destroy_output(struct output *output)
{
}

static bool test_state(struct output *output, const struct output_state *state)
{
	return true;
}

static bool commit_state(struct output *output, const struct output_state *state, uint32_t number)
{
	struct world *world = wl_container_of(output, world, output);
	world->flight = number;
	buffer_replace(&world->flying, state->planes[0].state.buffer);
	return true;
}

static const struct output_impl output_impl = {
	.destroy = destroy_output,
	.test = test_state,
	.commit = commit_state,
};

static void pass(struct world *world)
{
	clock_advance(world->clock, PERIOD);
	if (world->flight) {
		struct output_present present = {.commit = world->flight,
			.presented = true,
			.when = clock_now(world->clock),
			.refresh = (uint32_t)PERIOD};
		world->flight = 0;
		buffer_replace(&world->shown, world->flying);
		buffer_replace(&world->flying, NULL);
		wl_signal_emit_mutable(&world->output.events.present, &present);
	}
	wl_event_loop_dispatch(world->loop, 0);
}

/* The clients */

/* What is released is drawn over at once: whoever still reads it is found out. */
static void handle_release(struct wl_listener *listener, void *data)
{
	struct client_buffer *self = wl_container_of(listener, self, release);
	void *pixels;
	size_t stride;
	assert_int_equal(buffer_begin_access(self->buffer, BUFFER_WRITE, &pixels, &stride), 0);
	memset(pixels, 0x55, stride * (size_t)self->buffer->height);
	buffer_end_access(self->buffer);
	*self->n_out -= 1;
	wl_list_remove(&self->release.link);
	buffer_drop(self->buffer);
	free(self);
}

static struct buffer *create_shm(int side, const uint32_t *pixels)
{
	int32_t stride = side * 4, size = stride * side;
	int fd = fd_create_memory("rest", size, true);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, pixels, (size_t)size), size);
	struct shm_pool *pool = shm_pool_create(fd, size);
	struct buffer *buffer = shm_buffer_create(pool, 0, side, side, stride, DRM_FORMAT_XRGB8888);
	shm_pool_unref(pool);
	return buffer;
}

static void attach(struct window *window, struct buffer *buffer, const struct box *damage)
{
	struct surface_state *pending = &window->surface->pending;
	buffer_replace(&pending->buffer, buffer);
	pixman_region32_union_rect(&pending->buffer_damage, &pending->buffer_damage, damage->x,
		damage->y, (unsigned)damage->width, (unsigned)damage->height);
	pending->fields |= SURFACE_BUFFER | SURFACE_BUFFER_DAMAGE;
	assert_int_equal(surface_state_derive(pending), SURFACE_STATE_OK);
	assert_true(surface_commit(window->surface));
}

static void draw(struct window *window, struct box box)
{
	static uint32_t next = 1;
	uint32_t color = (next++ * 2654435761U) & 0xffffff;
	for (int y = box.y; y < box.y + box.height; y++) {
		for (int x = box.x; x < box.x + box.width; x++) {
			window->pixels[y * window->side + x] = color;
		}
	}
	struct client_buffer *own = calloc(1, sizeof(*own));
	own->buffer = create_shm(window->side, window->pixels);
	own->n_out = &window->n_out;
	own->release.notify = handle_release;
	wl_signal_add(&own->buffer->events.release, &own->release);
	window->n_out++;
	attach(window, own->buffer, &box);
}

static void draw_all(struct window *window)
{
	draw(window, (struct box){0, 0, window->side, window->side});
}

static void draw_little(struct window *window, int i)
{
	draw(window, (struct box){i * 5 % 24, i * 3 % 24, 8, 8});
}

static void open_window(struct world *world, int i, int x, int y)
{
	struct window *window = &world->windows[i];
	window->x = x;
	window->y = y;
	window->side = 48;
	window->surface = surface_create(world->loop, NULL);
	draw_all(window);
	surface_map(window->surface);
	window->tree = scene_surface_tree_create(&world->scene->root, window->surface);
	scene_node_set_position(&window->tree->node, x, y);
}

static void place(struct window *window, int x, int y)
{
	window->x = x;
	window->y = y;
	scene_node_set_position(&window->tree->node, x, y);
}

/* What must be on the screen. */
static uint32_t find_pixel(const struct world *world, int x, int y)
{
	for (int i = 1; i >= 0; i--) {
		const struct window *window = &world->windows[i];
		int at_x = x - window->x, at_y = y - window->y;
		if (window->surface && at_x >= 0 && at_y >= 0 && at_x < window->side &&
			at_y < window->side) {
			return window->pixels[at_y * window->side + at_x];
		}
	}
	return 0;
}

static void expect_picture(const struct world *world)
{
	size_t stride;
	void *data;
	assert_int_equal(buffer_begin_access(world->shown, BUFFER_READ, &data, &stride), 0);
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			uint32_t pixel, expected = find_pixel(world, x, y);
			memcpy(&pixel, (char *)data + (size_t)y * stride + (size_t)x * 4, 4);
			if ((pixel & 0xffffff) != expected) {
				fail_msg("%06x at %d,%d in place of %06x", pixel & 0xffffff, x, y,
					expected);
			}
		}
	}
	buffer_end_access(world->shown);
}

static void show(struct world *world)
{
	pass(world);
	pass(world);
	expect_picture(world);
	for (int i = 0; i < 2; i++) {
		/* Nobody waits for what the screen does not show itself. */
		assert_int_equal(world->windows[i].n_out, 0);
	}
}

static void begin(struct world *world)
{
	*world = (struct world){.loop = wl_event_loop_create(),
		.clock = clock_create_test(PERIOD),
		.linear.impl = &linear_impl,
		.memory = memory_allocator_create(),
		.n_linear = INT_MAX,
		.plane.type = PLANE_PRIMARY};
	output_init(&world->output, &output_impl, "TEST-1");
	world->output.enabled = true;
	world->output.mode = (struct output_mode){SIDE, SIDE, 60000, true};
	world->output.planes[world->output.n_planes++] = &world->plane;
	format_set_add(&world->plane.formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	world->scene = scene_create();
	memset(world->scene->background, 0, sizeof(world->scene->background));
	world->scene->background[3] = 1;
	frame_device_init(
		&world->device, NULL, gles_renderer_create(NULL, world->loop), world->memory);
	world->device.linear = &world->linear;
	world->scene_output = scene_output_create(world->scene, &world->output);
	world->frame = frame_output_create(world->scene_output, &world->device, world->clock);
	world->frame->display.rests = true;
	open_window(world, 0, 10, 10);
	show(world);
}

static void finish(struct world *world)
{
	for (int i = 0; i < 2; i++) {
		if (world->windows[i].surface) {
			surface_destroy(world->windows[i].surface);
		}
	}
	scene_output_destroy(world->scene_output);
	scene_destroy(world->scene);
	buffer_replace(&world->shown, NULL);
	buffer_replace(&world->flying, NULL);
	frame_device_finish(&world->device);
	renderer_destroy(world->device.renderer);
	allocator_destroy(world->memory);
	format_set_finish(&world->plane.formats);
	output_finish(&world->output);
	clock_destroy(world->clock);
	wl_event_loop_destroy(world->loop);
}

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
	assert_true(world->frame->rest.shared);
	assert_true(world->frame->stats.by_cpu > before);
}

/* Tests */

static void test_little(void **state)
{
	struct world world;
	begin(&world);
	for (int i = 0; i < ENTER; i++) {
		assert_false(world.frame->rest.shared);
		draw_little(&world.windows[0], i);
		show(&world);
	}
	/* Both buffers are drawn whole once, by the GPU. */
	assert_true(world.frame->rest.shared);
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
		assert_true(world.frame->rest.shared);
		draw_all(&world.windows[0]);
		show(&world);
	}
	assert_false(world.frame->rest.shared);
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
	assert_false(world.frame->rest.shared);
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
	assert_true(world.frame->rest.shared);
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
	for (int side = 49; side < 53; side++) {
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
	assert_true(world.frame->rest.refused);
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
	assert_true(world.frame->rest.refused);
	assert_int_equal(world.frame->stats.missed, 1);
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
	assert_false(world.frame->rest.shared);
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
			bool before = world.frame->rest.shared;
			draw_little(&world.windows[0], i);
			show(&world);
			n_entered += !before && world.frame->rest.shared;
		}
		for (int i = 0; i < LEAVE; i++) {
			draw_all(&world.windows[0]);
			show(&world);
		}
		assert_false(world.frame->rest.shared);
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
	frame_rest_end(world.frame);
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
		assert_false(world.frame->rest.shared);
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
	frame_device_lost(world.scene, &world.device);
	world.device.renderer = gles_renderer_create(NULL, world.loop);
	frame_device_restored(world.scene, &world.device);
	renderer_destroy(old);
	assert_false(world.frame->rest.shared);
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
		cmocka_unit_test(test_damage_alone),
		cmocka_unit_test(test_never_readable),
		cmocka_unit_test(test_to_and_fro),
		cmocka_unit_test(test_covered_stays_owed),
		cmocka_unit_test(test_over_budget),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_switched_off),
		cmocka_unit_test(test_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
