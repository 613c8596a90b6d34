/* SPDX-License-Identifier: MIT */
/* An output whose frames the CPU or the GPU can compose. */

#include "harness/composer_world.h"
#include "frame/output.h"

#include "buffer/allocator.h"
#include "buffer/shm.h"
#include "util/fd.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct client_buffer {
	struct buffer *buffer;
	struct wl_listener release;
	int *n_out;
};

/* An allocator of linear buffers that CPU and GPU share, with a limited number. */

static struct buffer *create_linear(struct allocator *allocator, int32_t width, int32_t height,
	const struct format_modifiers *format)
{
	struct composer_world *world = wl_container_of(allocator, world, linear);
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

void pass(struct composer_world *world)
{
	clock_advance(world->clock, SCREEN_PERIOD);
	screen_flip(&world->screen, clock_now(world->clock));
	wl_event_loop_dispatch(world->loop, 0);
}

/* The clients. */

/* Overwrites a released buffer at once, so that a later read of it is detected. */
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

static struct buffer *create_shm(const struct window *window)
{
	const int side = window->side;
	int32_t stride = side * 4, size = stride * side;
	int fd = fd_create_memory("client", size, true);
	assert_true(fd >= 0);
	uint32_t pixels[MOST * MOST];
	for (int i = 0; i < side * side; i++) {
		const uint32_t pixel = window->pixels[i];
		pixels[i] = window->swapped
				    ? (pixel & 0xff) << 16 | (pixel & 0xff00) | (pixel >> 16 & 0xff)
				    : pixel;
	}
	assert_int_equal(write(fd, pixels, (size_t)size), size);
	struct shm_pool *pool = shm_pool_create(fd, size);
	struct buffer *buffer = shm_buffer_create(pool, 0, side, side, stride,
		window->swapped ? DRM_FORMAT_XBGR8888 : DRM_FORMAT_XRGB8888);
	shm_pool_unref(pool);
	return buffer;
}

void attach(struct window *window, struct buffer *buffer, const struct box *damage)
{
	struct surface_state *pending = &window->surface->pending;
	buffer_replace(&pending->buffer, buffer);
	pixman_region32_union_rect(&pending->buffer_damage, &pending->buffer_damage, damage->x,
		damage->y, (unsigned)damage->width, (unsigned)damage->height);
	pending->fields |= SURFACE_BUFFER | SURFACE_BUFFER_DAMAGE;
	assert_int_equal(surface_state_derive(pending), SURFACE_STATE_OK);
	assert_true(surface_commit(window->surface));
}

void draw(struct window *window, struct box box)
{
	static uint32_t next = 1;
	uint32_t color = (next++ * 2654435761U) & 0xffffff;
	for (int y = box.y; y < box.y + box.height; y++) {
		for (int x = box.x; x < box.x + box.width; x++) {
			window->pixels[y * window->side + x] = color;
		}
	}
	struct client_buffer *own = calloc(1, sizeof(*own));
	own->buffer = create_shm(window);
	own->n_out = &window->n_out;
	own->release.notify = handle_release;
	wl_signal_add(&own->buffer->events.release, &own->release);
	window->n_out++;
	attach(window, own->buffer, &box);
}

void draw_all(struct window *window)
{
	draw(window, (struct box){0, 0, window->side, window->side});
}

void draw_little(struct window *window, int i)
{
	draw(window, (struct box){i * 5 % 24, i * 3 % 24, 8, 8});
}

void open_window(struct composer_world *world, int i, int x, int y)
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

void place(struct window *window, int x, int y)
{
	window->x = x;
	window->y = y;
	scene_node_set_position(&window->tree->node, x, y);
}

/* Returns the expected pixel of the output. */
static uint32_t find_pixel(const struct composer_world *world, int x, int y)
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

void expect_output(const struct composer_world *world)
{
	size_t stride;
	void *data;
	assert_int_equal(buffer_begin_access(world->screen.shown, BUFFER_READ, &data, &stride), 0);
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			uint32_t pixel, expected = find_pixel(world, x, y);
			memcpy(&pixel, (char *)data + (size_t)y * stride + (size_t)x * 4, 4);
			if ((pixel & 0xffffff) != expected) {
				fail_msg("%06x at %d,%d instead of %06x", pixel & 0xffffff, x, y,
					expected);
			}
		}
	}
	buffer_end_access(world->screen.shown);
}

void show(struct composer_world *world)
{
	pass(world);
	pass(world);
	expect_output(world);
	for (int i = 0; i < 2; i++) {
		/* Clients have their buffers back, since none is scanned out. */
		assert_int_equal(world->windows[i].n_out, 0);
	}
}

void begin(struct composer_world *world)
{
	*world = (struct composer_world){.loop = wl_event_loop_create(),
		.clock = clock_create_test(SCREEN_PERIOD),
		.linear.impl = &linear_impl,
		.memory = memory_allocator_create(),
		.n_linear = INT_MAX};
	world->scene = scene_create();
	memset(world->scene->background, 0, sizeof(world->scene->background));
	world->scene->background[3] = 1;
	screen_init(&world->screen, "TEST-1", SIDE, SIDE, gles_renderer_create(NULL, world->loop),
		world->memory);
	world->screen.device->linear = &world->linear;
	screen_open(&world->screen, world->scene, world->clock);
	world->screen.frame->display.cpu_composition = true;
	open_window(world, 0, 10, 10);
	show(world);
}

void finish(struct composer_world *world)
{
	for (int i = 0; i < 2; i++) {
		if (world->windows[i].surface) {
			surface_destroy(world->windows[i].surface);
		}
	}
	struct renderer *renderer = world->screen.device->renderer;
	screen_close(&world->screen);
	scene_destroy(world->scene);
	screen_finish(&world->screen);
	renderer_destroy(renderer);
	allocator_destroy(world->memory);
	clock_destroy(world->clock);
	wl_event_loop_destroy(world->loop);
}
