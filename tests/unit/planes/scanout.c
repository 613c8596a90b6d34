/* SPDX-License-Identifier: MIT */
/*
 * Frames on planes: after any change or refusal, the planes together must display the same as full
 * composition, while only damage is drawn.
 */

#include "harness/unit.h"

#include "buffer/allocator.h"
#include "frame/frame.h"
#include "frame/output.h"
#include "planes/scanout.h"
#include "scene/scene.h"
#include "surface/subsurface.h"
#include "surface/surface.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 64
#define HEIGHT 48
#define PERIOD INT64_C(16666667)
#define N_WINDOWS 5
#define N_BUFFERS 4

struct window {
	struct surface *surface;
	struct subsurface *subsurface; /* of the window before; NULL: a window of its own */
	struct scene_tree *tree; /* for a subsurface, that of its window */
	int32_t width, height; /* pixels of its buffers, which are those of its logical size */
	bool opaque;
	bool busy; /* draws every frame */
	pixman_region32_t clip;
	struct buffer *buffers[N_BUFFERS];
};

struct screen {
	struct output base;
	struct scan_world *world;
	struct plane planes[6];
	struct output_state state; /* in flight or presented */
	struct buffer *shown[OUTPUT_PLANES_MAX]; /* locked */
	struct buffer *flying[OUTPUT_PLANES_MAX];
	uint32_t flight; /* 0: none */
	int limit; /* most planes at once */
	bool liar; /* refuses commits that it accepted in tests */
	uint32_t pixels[WIDTH * HEIGHT];
};

struct scan_world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct screen screen;
	struct scene *scene;
	struct scene_output *scene_output;
	struct render_device *device;
	struct frame_output *frame;
	struct window windows[N_WINDOWS];
	struct scene_tree *cursor_tree;
	struct scene_image *cursor;
};

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

static void expect_composition(struct scan_world *world, const char *what, int step);
static void show(struct screen *screen);

static bool commit_state(struct output *output, const struct output_state *state, uint32_t number)
{
	struct screen *screen = screen_from(output);
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
	/* Every single commit must display the right pixels. */
	show(screen);
	expect_composition(screen->world, "as committed", (int)number);
	return true;
}

static const struct output_impl output_impl = {
	.destroy = destroy_output,
	.test = test_state,
	.commit = commit_state,
};

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

static void show_plane(struct screen *screen, const struct plane_state *plane)
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
			uint32_t *to = &screen->pixels[at_y * WIDTH + at_x];
			*to = over(*to, pixel);
		}
	}
	buffer_end_access(buffer);
}

static void show(struct screen *screen)
{
	const struct output_state *state = &screen->state;
	memset(screen->pixels, 0, sizeof(screen->pixels));
	for (int zpos = -10; zpos < 30; zpos++) {
		for (int i = 0; i < state->n_planes; i++) {
			if (state->planes[i].state.zpos == zpos) {
				show_plane(screen, &state->planes[i].state);
			}
		}
	}
}

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
	screen->flight = 0;
	for (int i = 0; i < OUTPUT_PLANES_MAX; i++) {
		buffer_replace(&screen->shown[i], screen->flying[i]);
		buffer_replace(&screen->flying[i], NULL);
	}
	show(screen);
	wl_signal_emit_mutable(&screen->base.events.present, &present);
}

static void pass(struct scan_world *world, int periods)
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

/* Draws the whole window in one or two new colours. */
static void draw(struct window *window)
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
	draw(window);
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

static void begin(struct scan_world *world, double scale)
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
	struct buffer *buffer = memory_buffer_create(8, 8, DRM_FORMAT_ARGB8888);
	paint(buffer, false, &(struct box){0, 0, 8, 8});
	paint(buffer, false, &(struct box){0, 0, 3, 5});
	world->cursor_tree = scene_tree_create(&world->scene->cursor);
	world->cursor = scene_image_create(world->cursor_tree, buffer);
	buffer_drop(buffer);
}

static void end(struct scan_world *world)
{
	pass(world, 3);
	for (int i = N_WINDOWS - 1; i >= 0; i--) {
		close_window(&world->windows[i]);
	}
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

/* Fails unless the output displays the same as a new full composition of the scene. */
static void expect_composition(struct scan_world *world, const char *what, int step)
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

/* A reason against planes is known for composed windows only, wherever they are in the list. */
static void expect_reasons(struct scan_world *world)
{
	const struct scene_output *output = world->scene_output;
	for (int i = 0; i < output->n_entries; i++) {
		const struct scene_entry *entry = &output->entries[i];
		enum route_reason reason = scanout_reason(world->frame->scanout, entry->node);
		assert_int_equal(reason == REASON_BEST, entry->place != PLACE_COMPOSED);
	}
}

static const char *change(struct scan_world *world)
{
	static const enum wl_output_transform turns[] = {WL_OUTPUT_TRANSFORM_NORMAL,
		WL_OUTPUT_TRANSFORM_180, WL_OUTPUT_TRANSFORM_FLIPPED,
		WL_OUTPUT_TRANSFORM_FLIPPED_180};
	struct window *window = &world->windows[random_between(0, N_WINDOWS - 1)];
	struct scene_node *node = &window->tree->node;
	switch (random_between(0, 12)) {
	case 0:
		scene_node_set_position(
			node, random_between(-8, WIDTH - 8), random_between(-8, HEIGHT - 8));
		return "a window moved";
	case 1: scene_node_set_position(node, 0, 0); return "a window came to the corner";
	case 2: scene_node_raise_to_top(node); return "a window was raised";
	case 3: scene_node_lower_to_bottom(node); return "a window was lowered";
	case 4: scene_node_set_enabled(node, !node->enabled); return "a window came or went";
	case 5: window->busy = !window->busy; return "a window became busy or quiet";
	case 6: world->screen.limit = random_between(1, 6); return "the driver changed its mind";
	case 7:
		frame_output_set_scanout(world->frame, random_between(0, 3));
		return "scan-out was switched";
	case 8:
		world->screen.liar = !random_between(0, 4);
		return "the driver keeps its word or not";
	case 9:
		frame_output_economise(world->frame, random_between(0, FRAME_ECONOMY_MAX));
		return "others need room";
	case 10:
		pixman_region32_fini(&window->clip);
		pixman_region32_init_rect(&window->clip, 3, 2, (unsigned)random_between(1, 30), 9);
		scene_surface_set_clip(
			window->surface, random_between(0, 2) ? &window->clip : NULL);
		return "a window got a shape or lost it";
	case 11:
		scene_output_set_transform(world->scene_output, turns[random_between(0, 3)]);
		return "the output was turned";
	default:
		scene_node_set_enabled(&world->cursor_tree->node, random_between(0, 4));
		return "the cursor came or went";
	}
}

/* The hotspot is at 3,2. */
static void move_cursor(struct scan_world *world)
{
	struct scene_node *node = &world->cursor_tree->node;
	scene_node_set_position(
		node, random_between(-6, WIDTH - 2), random_between(-6, HEIGHT - 2));
	world->scene->pointer = (struct coord_global){node->x + 3.5, node->y + 2.5};
}

static void random_scenes_equal_full_composition(void **state)
{
	uint64_t scanouts = 0, frames = 0, cursors = 0;
	for (int i = 0; i < 12; i++) {
		struct scan_world world;
		begin(&world, i % 2 ? 4.0 / 3 : 1);
		for (int step = 0; step < 120; step++) {
			const char *what = change(&world);
			/* Mostly long enough for a plane to be assigned. */
			for (int frame = random_between(1, 8); frame > 0; frame--) {
				for (int w = 0; w < N_WINDOWS; w++) {
					if (world.windows[w].busy) {
						draw(&world.windows[w]);
					}
				}
				if (random_between(0, 1)) {
					move_cursor(&world);
				}
				pass(&world, 1);
			}
			pass(&world, 3);
			expect_composition(&world, what, i * 1000 + step);
			expect_reasons(&world);
			if (random_between(0, 5) == 0) {
				clock_advance(world.clock, 40 * PERIOD);
			}
		}
		scanouts += world.frame->stats.scanouts;
		frames += world.frame->stats.frames;
		cursors += world.frame->stats.cursors_drawn;
		end(&world);
	}
	/* Planes were used for some frames, but not for all of them. */
	assert_in_range(scanouts, frames / 20, frames - frames / 20);
	assert_true(cursors > 10);
}

/* The host of a virtual machine draws the cursor itself and needs the hotspot. */
static void expect_cursor(const struct screen *screen, int scale)
{
	const struct output_state *state = &screen->state;
	const struct plane_state *cursor = NULL;
	for (int i = 0; i < state->n_planes; i++) {
		if (state->planes[i].plane->type == PLANE_CURSOR) {
			cursor = &state->planes[i].state;
		}
	}
	assert_non_null(cursor);
	assert_int_equal(cursor->hotspot_x, 3 * scale);
	assert_int_equal(cursor->hotspot_y, 2 * scale);
}

/* Begins with six planes and the windows of the bits `shown`. Returns the second window, at 4,4. */
static struct window *begin_with(struct scan_world *world, unsigned shown)
{
	begin(world, 1);
	world->screen.limit = 6;
	for (int i = 0; i < N_WINDOWS; i++) {
		scene_node_set_enabled(&world->windows[i].tree->node, shown >> i & 1);
	}
	scene_node_set_position(&world->windows[1].tree->node, 4, 4);
	return &world->windows[1];
}

static void play(struct scan_world *world, struct window *video, int n_frames)
{
	for (int i = 0; i < n_frames; i++) {
		draw(video);
		pass(world, 2);
	}
}

/* A video frame on a plane costs no pass, no atomic test, and no damage. */
static void video_frame_on_a_plane_draws_nothing(void **state)
{
	struct scan_world world;
	struct window *video = begin_with(&world, 1 << 0 | 1 << 1);
	play(&world, video, 6);
	uint64_t passes = world.device->renderer->stats.passes, tests = world.frame->stats.tests;
	uint64_t frames = world.frame->stats.frames, cursors = world.frame->stats.cursors_drawn;
	for (int i = 0; i < 100; i++) {
		draw(video);
		move_cursor(&world);
		pass(&world, 2);
		expect_composition(&world, "a video with a cursor", i);
		expect_cursor(&world.screen, 1);
	}
	/* Each comparison draws two passes itself: at the commit and after the flip. */
	assert_int_equal(world.device->renderer->stats.passes, passes + 2 * 100);
	assert_int_equal(world.frame->stats.tests, tests);
	assert_int_equal(world.frame->stats.frames, frames + 100);
	assert_int_equal(world.frame->stats.cursors_drawn, cursors);
	/* The pointer has logical coordinates. */
	scene_node_set_enabled(&video->tree->node, false);
	scene_output_set_scale(world.scene_output, 2);
	scene_node_set_position(&world.cursor_tree->node, 12, 9);
	world.scene->pointer = (struct coord_global){12 + 3.5, 9 + 2.5};
	pass(&world, 8);
	expect_cursor(&world.screen, 2);
	end(&world);
}

/* Frames of other content during a pause, as between scenes, leave the video on its plane. */
static void paused_video_keeps_its_plane_for_a_while(void **state)
{
	struct scan_world world;
	struct window *video = begin_with(&world, 1 << 1);
	play(&world, video, 6);
	const int n_planes = world.screen.state.n_planes;
	clock_advance(world.clock, INT64_C(1000000000));
	move_cursor(&world);
	pass(&world, 2);
	assert_int_equal(world.screen.state.n_planes, n_planes);
	clock_advance(world.clock, INT64_C(1500000000));
	move_cursor(&world);
	pass(&world, 2);
	assert_int_equal(world.screen.state.n_planes, n_planes - 1);
	end(&world);
}

/* The overlay's content is composed from the next frame on, and returns to the overlay later. */
static void economy_level_composes_overlays(void **state)
{
	struct scan_world world;
	struct window *video = begin_with(&world, 1 << 1);
	play(&world, video, 6);
	scene_node_set_enabled(&world.cursor_tree->node, false);
	pass(&world, 2);
	assert_int_equal(world.screen.state.n_planes, 2);
	assert_true(frame_output_economise(world.frame, FRAME_ECONOMY_OVERLAYS));
	pass(&world, 2);
	assert_int_equal(world.screen.state.n_planes, 1);
	assert_false(frame_output_economise(world.frame, FRAME_ECONOMY_MAX));
	assert_false(frame_output_economise(world.frame, FRAME_ECONOMY_NONE));
	play(&world, video, 30);
	assert_int_equal(world.screen.state.n_planes, 2);
	end(&world);
}

struct watcher {
	struct wl_listener changed;
	int n_told, n_dropped;
};

static void handle_candidate(struct wl_listener *listener, void *data)
{
	struct watcher *watcher = wl_container_of(listener, watcher, changed);
	const struct output *output;
	if (scanout_candidate_plane(data, &output)) {
		watcher->n_told++;
	} else {
		watcher->n_dropped++;
	}
}

/* The candidate is revoked long after its last use. */
static void candidate_is_announced_and_revoked_once(void **state)
{
	struct scan_world world;
	struct window *video = begin_with(&world, 1 << 1 | 1 << 2), *other = &world.windows[2];
	struct watcher watcher = {.changed.notify = handle_candidate};
	scene_node_set_position(&other->tree->node, 50, 36);
	wl_signal_add(&scanout_candidate_get(video->surface)->events.changed, &watcher.changed);
	for (int i = 0; i < 120; i++) {
		/* The driver refuses it every tenth time. */
		world.screen.limit = i % 10 ? 6 : 1;
		play(&world, video, 1);
	}
	assert_int_equal(watcher.n_told, 1);
	assert_int_equal(watcher.n_dropped, 0);
	world.screen.limit = 6;
	int64_t until = clock_now(world.clock) + INT64_C(6000000000);
	while (clock_now(world.clock) < until && watcher.n_dropped == 0) {
		clock_advance(world.clock, 40 * PERIOD);
		play(&world, other, 1);
	}
	assert_int_equal(watcher.n_dropped, 1);
	assert_in_range(until - clock_now(world.clock), 0, INT64_C(3000000000));
	/* At once if all planes are given up, e.g. for the lens. The refusals are long ago. */
	clock_advance(world.clock, INT64_C(8000000000));
	play(&world, video, 30);
	assert_int_equal(watcher.n_told, 2);
	frame_output_set_scanout(world.frame, false);
	play(&world, video, 1);
	assert_int_equal(watcher.n_dropped, 2);
	wl_list_remove(&watcher.changed.link);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_scenes_equal_full_composition),
		cmocka_unit_test(candidate_is_announced_and_revoked_once),
		cmocka_unit_test(video_frame_on_a_plane_draws_nothing),
		cmocka_unit_test(paused_video_keeps_its_plane_for_a_while),
		cmocka_unit_test(economy_level_composes_overlays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
