/* SPDX-License-Identifier: MIT */
/* A scene of windows on a screen with planes. */

#include "harness/scan_world.h"
#include "buffer/allocator.h"
#include "frame/frame.h"
#include "harness/unit.h"
#include "surface/subsurface.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void destroy_output(struct output *output)
{
}

static struct screen *screen_from(struct output *output)
{
	return wl_container_of(output, (struct screen *)NULL, base);
}

static bool test_state(struct output *output, const struct output_state *state)
{
	return state->n_planes <= screen_from(output)->limit;
}

static uint32_t over(uint32_t below, uint32_t above)
{
	uint32_t result = 0, rest = 255 - (above >> 24);
	for (int shift = 0; shift < 32; shift += 8) {
		uint32_t channel =
			(above >> shift & 255) + ((below >> shift & 255) * rest + 127) / 255;
		result |= (channel > 255 ? 255 : channel) << shift;
	}
	return result;
}

static void show_plane(uint32_t *pixels, const struct plane_state *plane)
{
	void *data;
	size_t stride;
	struct buffer *buffer = plane->buffer;
	assert_int_equal(buffer_begin_access(buffer, BUFFER_READ, &data, &stride), 0);
	/* Planes here are never scaled: planes/assign.c covers that. */
	assert_int_equal(plane->src.width, plane->dst.width);
	assert_int_equal(plane->src.height, plane->dst.height);
	/* Kernels refuse parts that exceed the buffer. */
	assert_true(plane->src.x >= 0 && plane->src.x + plane->src.width <= buffer->width);
	assert_true(plane->src.y >= 0 && plane->src.y + plane->src.height <= buffer->height);
	for (int y = 0; y < plane->dst.height; y++) {
		for (int x = 0; x < plane->dst.width; x++) {
			int at_x = plane->dst.x + x, at_y = plane->dst.y + y;
			uint32_t pixel;
			if (at_x < 0 || at_y < 0 || at_x >= WIDTH || at_y >= HEIGHT) {
				continue;
			}
			/* Transforms without a quarter turn are their own inverse. */
			struct box from = {x, y, 1, 1};
			transform_box(&from, &from, plane->transform, plane->dst.width,
				plane->dst.height);
			memcpy(&pixel,
				(char *)data + (size_t)(plane->src.y + from.y) * stride +
					(size_t)(plane->src.x + from.x) * 4,
				4);
			pixel |= buffer->format == DRM_FORMAT_XRGB8888 ? 0xff000000 : 0;
			uint32_t *to = &pixels[at_y * WIDTH + at_x];
			*to = over(*to, pixel);
		}
	}
	buffer_end_access(buffer);
}

static void show(uint32_t *pixels, const struct output_state *state)
{
	memset(pixels, 0, WIDTH * HEIGHT * sizeof(*pixels));
	for (int zpos = -10; zpos < 30; zpos++) {
		for (int i = 0; i < state->n_planes; i++) {
			if (state->planes[i].state.zpos == zpos) {
				show_plane(pixels, &state->planes[i].state);
			}
		}
	}
}

/* Nothing is drawn into buffers on the screen, nor into those of the frame in flight. */
static void expect_unchanged(const struct screen *screen)
{
	uint32_t pixels[WIDTH * HEIGHT];
	show(pixels, &screen->presented);
	assert_memory_equal(pixels, screen->presented_pixels, sizeof(pixels));
	if (screen->flight) {
		show(pixels, &screen->state);
		assert_memory_equal(pixels, screen->pixels, sizeof(pixels));
	}
}

static bool commit_state(struct output *output, const struct output_state *state, uint32_t number)
{
	struct screen *screen = screen_from(output);
	expect_unchanged(screen);
	if (screen->flight || !test_state(output, state) || (screen->liar && state->n_planes > 1)) {
		return false;
	}
	screen->state = *state;
	screen->flight = number;
	for (int i = 0; i < OUTPUT_PLANES_MAX; i++) {
		bool used = i < state->n_planes;
		assert_true(!used || state->planes[i].state.buffer);
		assert_true(!used || screen->world->frame->economy == FRAME_ECONOMY_NONE ||
			    state->planes[i].plane->type != PLANE_OVERLAY);
		buffer_replace(&screen->flying[i], used ? state->planes[i].state.buffer : NULL);
	}
	/* Each commit must display the right pixels; one drawn ahead, an earlier scene. */
	show(screen->pixels, state);
	if (!screen->world->frame->ahead.buffer) {
		scan_expect_composition(screen->world, "as committed", (int)number);
	}
	return true;
}

static const struct output_impl output_impl = {
	.destroy = destroy_output,
	.test = test_state,
	.commit = commit_state,
};

static void flip(struct scan_world *world)
{
	struct screen *screen = &world->screen;
	struct output_present present = {
		.commit = screen->flight,
		.presented = true,
		.when = clock_now(world->clock),
		.refresh = PERIOD,
		.flags = PRESENT_VSYNC | PRESENT_ZERO_COPY,
	};
	expect_unchanged(screen);
	screen->flight = 0;
	for (int i = 0; i < OUTPUT_PLANES_MAX; i++) {
		buffer_replace(&screen->shown[i], screen->flying[i]);
		buffer_replace(&screen->flying[i], NULL);
	}
	screen->presented = screen->state;
	memcpy(screen->presented_pixels, screen->pixels, sizeof(screen->pixels));
	wl_signal_emit_mutable(&screen->base.events.present, &present);
}

void scan_pass(struct scan_world *world, int periods)
{
	for (int i = 0; i < periods; i++) {
		clock_advance(world->clock, PERIOD);
		if (world->screen.flight) {
			flip(world);
		}
	}
}

static void paint(struct buffer *buffer, bool opaque, const struct box *box)
{
	void *data;
	size_t stride;
	uint32_t alpha = opaque ? 255 : (uint32_t)random_between(0, 255);
	uint32_t color = alpha << 24 | (uint32_t)random_between(0, (int)alpha) << 16 |
			 (uint32_t)random_between(0, (int)alpha) << 8 |
			 (uint32_t)random_between(0, (int)alpha);
	assert_int_equal(buffer_begin_access(buffer, BUFFER_WRITE, &data, &stride), 0);
	for (int y = box->y; y < box->y + box->height; y++) {
		for (int x = box->x; x < box->x + box->width; x++) {
			memcpy((char *)data + (size_t)y * stride + (size_t)x * 4, &color, 4);
		}
	}
	buffer_end_access(buffer);
}

static struct buffer *find_free(struct window *window)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		if (!window->buffers[i]) {
			window->buffers[i] = memory_buffer_create(window->width, window->height,
				window->opaque ? DRM_FORMAT_XRGB8888 : DRM_FORMAT_ARGB8888);
			assert_non_null(window->buffers[i]);
		}
		if (window->buffers[i]->n_locks == 0) {
			return window->buffers[i];
		}
	}
	return NULL;
}

void scan_draw(struct window *window)
{
	struct buffer *buffer = find_free(window);
	if (!buffer) {
		return;
	}
	struct surface *surface = window->surface;
	struct box all = {0, 0, window->width, window->height};
	struct box half = {0, 0, window->width / 2 + 1, window->height / 2 + 1};
	paint(buffer, window->opaque, &all);
	paint(buffer, window->opaque, &half);
	buffer_replace(&surface->pending.buffer, buffer);
	pixman_region32_union_rect(&surface->pending.buffer_damage, &surface->pending.buffer_damage,
		0, 0, (unsigned)window->width, (unsigned)window->height);
	surface->pending.fields |= SURFACE_BUFFER | SURFACE_BUFFER_DAMAGE;
	assert_true(derive_and_commit(surface));
}

static void drop_buffers(struct window *window)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		buffer_drop(window->buffers[i]);
		window->buffers[i] = NULL;
	}
}

void scan_draw_anew(struct window *window, bool opaque)
{
	drop_buffers(window);
	window->opaque = opaque;
	scan_draw(window);
}

/*
 * At 4/3, the edges of the subsurface are one pixel further apart than its buffer is wide: no plane
 * can show it.
 */
#define SUBSURFACE_X 1
#define SUBSURFACE_SIDE 13

/* Rounds half away from zero. */
static int32_t scaled(int length, int steps)
{
	return (length * steps + 60) / 120;
}

static void open_window(struct scan_world *world, struct window *window, int i)
{
	const int steps = (int)lround(world->scene_output->scale * 120);
	const bool is_subsurface = i == N_WINDOWS - 1;
	const int width = i == 0          ? WIDTH * 120 / steps
			  : is_subsurface ? SUBSURFACE_SIDE
					  : random_between(4, 40 * 120 / steps);
	const int height = i == 0          ? HEIGHT * 120 / steps
			   : is_subsurface ? SUBSURFACE_SIDE
					   : random_between(4, 30 * 120 / steps);
	*window = (struct window){
		.surface = surface_create(world->loop, NULL),
		.width = scaled(width, steps),
		.height = scaled(height, steps),
		.opaque = i == 0 || is_subsurface || random_between(0, 2),
		.busy = random_between(0, 2),
	};
	if (is_subsurface) {
		struct window *parent = window - 1;
		window->subsurface = subsurface_create(window->surface, parent->surface);
		subsurface_set_position(window->subsurface, SUBSURFACE_X, SUBSURFACE_X);
		subsurface_set_sync(window->subsurface, false);
		assert_true(derive_and_commit(parent->surface));
		window->tree = parent->tree;
	}
	window->surface->pending.viewport =
		(struct viewport){.has_dst = true, .dst_width = width, .dst_height = height};
	window->surface->pending.fields |= SURFACE_VIEWPORT;
	scan_draw(window);
	if (window->subsurface) {
		return;
	}
	surface_map(window->surface);
	window->tree = scene_surface_tree_create(&world->scene->root, window->surface);
	if (i > 0) {
		scene_node_set_position(&window->tree->node, random_between(-8, WIDTH - 8),
			random_between(-8, HEIGHT - 8));
	}
}

static void close_window(struct window *window)
{
	drop_buffers(window);
	if (window->subsurface) {
		subsurface_destroy(window->subsurface);
	}
	surface_destroy(window->surface);
}

static struct plane *add_plane(struct screen *screen, enum plane_type type, int min, int max)
{
	struct output *output = &screen->base;
	struct plane *plane = &screen->planes[output->n_planes];
	*plane = (struct plane){
		.type = type, .index = output->n_planes, .zpos_min = min, .zpos_max = max};
	format_set_add(&plane->formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	format_set_add(&plane->formats, DRM_FORMAT_ARGB8888, DRM_FORMAT_MOD_LINEAR);
	output->planes[output->n_planes++] = plane;
	return plane;
}

static void make_screen(struct screen *screen)
{
	output_init(&screen->base, &output_impl, "TEST-1");
	screen->base.enabled = true;
	screen->base.mode = (struct output_mode){WIDTH, HEIGHT, 60000, true};
	screen->limit = random_between(1, 6);
	add_plane(screen, PLANE_PRIMARY, 2, 2);
	add_plane(screen, PLANE_OVERLAY, 3, 3);
	add_plane(screen, PLANE_OVERLAY, 0, 0);
	add_plane(screen, PLANE_OVERLAY, 0, 9);
	struct plane *cursor = add_plane(screen, PLANE_CURSOR, 20, 20);
	cursor->max_width = cursor->max_height = 64;
}

static void add_image(struct scene_tree *tree, int width, int height)
{
	struct buffer *buffer = memory_buffer_create(width, height, DRM_FORMAT_ARGB8888);
	paint(buffer, false, &(struct box){0, 0, width, height});
	paint(buffer, false, &(struct box){0, 0, 3, 5});
	scene_image_create(tree, buffer);
	buffer_drop(buffer);
}

void scan_turn_pointer(struct scan_world *world, bool second)
{
	struct window *pointer = &world->pointer;
	const int side = pointer->width;
	pointer->surface->pending.viewport = (struct viewport){.has_src = true,
		.src = {0, second ? side : 0, side, side},
		.has_dst = true,
		.dst_width = side,
		.dst_height = side};
	pointer->surface->pending.fields |= SURFACE_VIEWPORT;
}

static void open_pointer(struct scan_world *world)
{
	struct window *pointer = &world->pointer;
	*pointer = (struct window){
		.surface = surface_create(world->loop, NULL), .width = 8, .height = 16};
	scan_turn_pointer(world, false);
	scan_draw(pointer);
	surface_map(pointer->surface);
	pointer->tree = scene_surface_tree_create(world->cursor_tree, pointer->surface);
	scene_node_set_enabled(&pointer->tree->node, false);
}

void scan_begin(struct scan_world *world, double scale)
{
	*world = (struct scan_world){
		.loop = wl_event_loop_create(), .clock = clock_create_test(PERIOD)};
	make_screen(&world->screen);
	world->screen.world = world;
	struct allocator *allocator = memory_allocator_create();
	world->device = render_device_create(NULL, pixman_renderer_create(), allocator);
	world->device->linear = allocator;
	world->scene = scene_create();
	world->scene_output = scene_output_create(world->scene, &world->screen.base);
	scene_output_set_scale(world->scene_output, scale);
	world->frame = frame_output_create(world->scene_output, world->device, world->clock);
	frame_output_set_scanout(world->frame, true);
	for (int i = 0; i < N_WINDOWS; i++) {
		open_window(world, &world->windows[i], i);
	}
	world->cursor_tree = scene_tree_create(&world->scene->cursor);
	add_image(world->cursor_tree, 8, 8);
	world->icon = scene_tree_create(world->cursor_tree);
	add_image(world->icon, 14, 9);
	scene_node_set_enabled(&world->icon->node, false);
	open_pointer(world);
}

void scan_end(struct scan_world *world)
{
	scan_pass(world, 3);
	for (int i = N_WINDOWS - 1; i >= 0; i--) {
		close_window(&world->windows[i]);
	}
	close_window(&world->pointer);
	scene_node_destroy(&world->cursor_tree->node);
	scene_output_destroy(world->scene_output);
	scene_destroy(world->scene);
	struct screen *screen = &world->screen;
	for (int i = 0; i < OUTPUT_PLANES_MAX; i++) {
		buffer_replace(&screen->shown[i], NULL);
		buffer_replace(&screen->flying[i], NULL);
	}
	render_device_finish(world->device);
	renderer_destroy(world->device->renderer);
	allocator_destroy(world->device->allocator);
	render_device_destroy(world->device);
	for (int i = 0; i < screen->base.n_planes; i++) {
		format_set_finish(&screen->planes[i].formats);
	}
	output_finish(&screen->base);
	clock_destroy(world->clock);
	wl_event_loop_destroy(world->loop);
}

static int distance(uint32_t a, uint32_t b)
{
	int most = 0;
	for (int shift = 0; shift < 24; shift += 8) {
		int difference = abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
		most = difference > most ? difference : most;
	}
	return most;
}

void scan_expect_composition(struct scan_world *world, const char *what, int step)
{
	struct buffer *target = memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	const double scale = world->scene_output->scale;
	struct frame_capture capture = {
		.box = {0, 0, WIDTH / scale, HEIGHT / scale}, .scale = scale, .cursor = true};
	int fence = -1;
	void *data;
	size_t stride;
	assert_true(frame_capture(world->scene, world->device, target, &capture, &fence));
	assert_int_equal(buffer_begin_access(target, BUFFER_READ, &data, &stride), 0);
	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++) {
			struct box at = {x, y, 1, 1};
			transform_box(&at, &at, world->scene_output->transform, WIDTH, HEIGHT);
			uint32_t expected, shown = world->screen.pixels[at.y * WIDTH + at.x];
			memcpy(&expected, (char *)data + (size_t)y * stride + (size_t)x * 4, 4);
			/* Each of a few layers may be rounded differently. */
			if (distance(expected, shown) > 4) {
				fail_msg("step %d, %s: pixel %d,%d is %08x instead of %08x", step,
					what, x, y, shown, expected);
			}
		}
	}
	buffer_end_access(target);
	buffer_drop(target);
}

struct window *scan_begin_with(struct scan_world *world, unsigned shown)
{
	scan_begin(world, 1);
	world->screen.limit = 6;
	for (int i = 0; i < N_WINDOWS; i++) {
		scene_node_set_enabled(&world->windows[i].tree->node, shown >> i & 1);
	}
	scene_node_set_position(&world->windows[1].tree->node, 4, 4);
	return &world->windows[1];
}

void scan_drag_icon(struct scan_world *world, int x, int y, bool above)
{
	struct scene_node *node = &world->icon->node;
	scene_node_set_enabled(node, true);
	scene_node_set_position(node, x, y);
	if (above) {
		scene_node_raise_to_top(node);
	} else {
		scene_node_lower_to_bottom(node);
	}
}

void scan_move_cursor(struct scan_world *world)
{
	struct scene_node *node = &world->cursor_tree->node;
	scene_node_set_position(
		node, random_between(-6, WIDTH - 2), random_between(-6, HEIGHT - 2));
	world->scene->pointer = (struct coord_global){node->x + 3.5, node->y + 2.5};
}

const struct plane_state *scan_find_cursor(const struct screen *screen)
{
	const struct output_state *state = &screen->state;
	for (int i = 0; i < state->n_planes; i++) {
		if (state->planes[i].plane->type == PLANE_CURSOR) {
			return &state->planes[i].state;
		}
	}
	return NULL;
}

void scan_slow_down(struct scan_world *world)
{
	struct schedule *schedule = &world->frame->schedule;
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		schedule_add(schedule, STAGE_GPU, 2 * PERIOD);
	}
}

void scan_draw_slowly(struct scan_world *world, struct window *window)
{
	scan_slow_down(world);
	scan_draw(window);
	while (!world->screen.flight) {
		assert_true(clock_advance_to_next(world->clock));
	}
}
