/* SPDX-License-Identifier: MIT */
/* Random scenes, and random changes of them. */

#include "harness/random_scene.h"

#include "buffer/allocator.h"
#include "frame/output.h"
#include "util/region.h"
#include <math.h>
#include <string.h>

/* Most scales are those of programs' tests; all are in steps of 1/120. */
int random_scene_steps(void)
{
	static const int usual[] = {120, 150, 160, 180, 210, 240};
	return random_between(0, 2) ? random_between(120, 360) : usual[random_between(0, 5)];
}

static void draw_kind(struct random_scene *world, struct client_surface *self)
{
	if (!random_between(0, 2)) {
		client_surface_change_kind(self);
	} else {
		const struct screen *screen =
			&world->screens[random_between(0, world->n_screens - 1)];
		client_surface_fit(self, (int)lround(screen->scene_output->scale * 120));
	}
}

static void move_window(struct random_window *window)
{
	scene_node_set_position(&window->tree->node, random_between(-10, SCENE_WIDTH - 20),
		random_between(-10, SCENE_HEIGHT - 20));
}

/* Puts a frame around the content, and the content at a distance from the window's origin. */
static void arrange_window(struct random_window *window)
{
	const struct surface_state *state = &window->client->surface->current;
	const int width = state->width, height = state->height;
	const int x = random_between(0, 1) ? 0 : random_between(-7, 3);
	const int y = random_between(0, 1) ? 0 : random_between(-7, 3);
	const struct box sides[N_SIDES] = {{-1, -5, width + 2, 5}, {-1, 0, 1, height},
		{width, 0, 1, height}, {-1, height, width + 2, 2}};
	scene_node_set_position(&window->client->tree->node, x, y);
	scene_node_set_position(
		&window->title->node, random_between(-1, width), random_between(-5, height));
	for (int i = 0; i < N_SIDES; i++) {
		scene_node_set_position(&window->sides[i]->node, sides[i].x, sides[i].y);
		scene_rect_set_size(window->sides[i], sides[i].width, sides[i].height);
	}
}

/* Draws a title for the scale of an output, or for any, with about the pixels of its size. */
static void draw_title(struct random_scene *world, struct random_window *window)
{
	const struct screen *screen = &world->screens[random_between(0, world->n_screens - 1)];
	const double scale = random_between(0, 3) ? screen->scene_output->scale : 0;
	const int width = random_between(1, 30), height = random_between(1, 10);
	const double most = scale > 0 ? scale : 1;
	const int32_t pixels_x = (int32_t)ceil(width * most) + random_between(-1, 1);
	const int32_t pixels_y = (int32_t)ceil(height * most) + random_between(-1, 1);
	struct buffer *buffer = memory_buffer_create(
		pixels_x > 0 ? pixels_x : 1, pixels_y > 0 ? pixels_y : 1, DRM_FORMAT_ARGB8888);
	size_t stride;
	char *pixels = pixels_begin(buffer, &stride);
	for (int y = 0; y < buffer->height; y++) {
		for (int x = 0; x < buffer->width; x++) {
			const uint32_t alpha = (uint32_t)random_between(0, 2) * 100;
			const uint32_t pixel = alpha << 24 | alpha / 2 << 16 |
					       (uint32_t)random_between(0, (int)alpha) << 8 |
					       (uint32_t)random_between(0, (int)alpha);
			memcpy(pixels + (size_t)y * stride + (size_t)x * 4, &pixel, 4);
		}
	}
	buffer_end_access(buffer);
	scene_image_set_drawn(window->title, buffer, width, height, scale);
	buffer_drop(buffer);
}

static void open_window(struct random_scene *world, int i)
{
	struct random_window *window = &world->windows[i];
	struct client_surface *self = &world->surfaces[i];
	window->client = self;
	window->tree = scene_tree_create(&world->scene->root);
	scene_tree_snap(window->tree);
	for (int j = 0; j < N_SIDES; j++) {
		const float color[4] = {(float)j / N_SIDES, (float)i / N_WINDOWS, 0, 1};
		window->sides[j] = scene_rect_create(window->tree, 0, 0, color);
	}
	window->title = scene_image_create(window->tree, NULL);
	draw_title(world, window);
	pixman_region32_init(&window->shape);
	surface_map(self->surface);
	self->tree = scene_surface_tree_create(window->tree, self->surface);
	arrange_window(window);
	move_window(window);
}

static void open_surface(struct random_scene *world, int i)
{
	struct client_surface *self = &world->surfaces[i];
	client_surface_open(self, world->loop);
	if (i >= N_WINDOWS) {
		struct client_surface *parent = &world->surfaces[random_between(0, i - 1)];
		self->subsurface = subsurface_create(self->surface, parent->surface);
		assert_non_null(self->subsurface);
		subsurface_set_position(
			self->subsurface, random_between(-10, 30), random_between(-10, 20));
		subsurface_set_sync(self->subsurface, random_between(0, 1));
		/* Else the subsurface has no place yet. */
		if (random_between(0, 3)) {
			client_surface_commit(parent);
		}
	}
	draw_kind(world, self);
	client_surface_commit(self);
}

struct client_surface *random_scene_find(struct random_scene *world, const struct surface *surface)
{
	for (int i = 0; i < N_SURFACES; i++) {
		if (world->surfaces[i].surface == surface) {
			return &world->surfaces[i];
		}
	}
	return NULL;
}

static void open_screen(struct random_scene *world, struct screen *screen)
{
	screen_open(screen, world->scene, world->clock);
	scene_output_set_scale(screen->scene_output, random_scene_steps() / 120.0);
	scene_output_set_transform(screen->scene_output,
		random_between(0, 1) ? 0 : (enum wl_output_transform)random_between(0, 7));
	/*
	 * Lets the CPU compose small changes soon, so that the test covers CPU composition for GL.
	 */
	screen->device->linear = screen->device->allocator;
	screen->frame->display.cpu_composition = true;
	screen->frame->cpu_composer.limits =
		(struct cpu_composer_limits){.enter = 1, .leave = 9, .share = 1};
}

static void make_screen(struct random_scene *world, int i)
{
	struct screen *screen = &world->screens[i];
	const bool gl = world->gl && i == world->n_screens - 1;
	screen_init(screen, gl ? "GL" : "CPU", SCENE_WIDTH, SCENE_HEIGHT,
		gl ? gles_renderer_create(NULL, world->loop) : pixman_renderer_create(),
		memory_allocator_create());
	if (i > 0) {
		render_device_join(screen->device, world->screens[0].device);
	}
	open_screen(world, screen);
}

void random_scene_init(struct random_scene *world, bool gl)
{
	*world = (struct random_scene){.loop = wl_event_loop_create(),
		.clock = clock_create_test(SCREEN_PERIOD),
		.gl = gl,
		.n_screens = random_between(1, 2)};
	world->scene = scene_create();
	world->reader = pixman_renderer_create();
	for (int i = 0; i < world->n_screens; i++) {
		make_screen(world, i);
	}
	/* Windows enter the scene before or after they have subsurfaces. */
	const int early = random_between(0, N_WINDOWS);
	for (int i = 0; i < N_SURFACES; i++) {
		open_surface(world, i);
		if (i < early) {
			open_window(world, i);
		}
	}
	for (int i = early; i < N_WINDOWS; i++) {
		open_window(world, i);
	}
}

void random_scene_finish(struct random_scene *world)
{
	for (int i = N_SURFACES - 1; i >= 0; i--) {
		client_surface_close(&world->surfaces[i]);
	}
	for (int i = 0; i < N_WINDOWS; i++) {
		scene_node_destroy(&world->windows[i].tree->node);
		pixman_region32_fini(&world->windows[i].shape);
	}
	for (int i = 0; i < world->n_screens; i++) {
		screen_close(&world->screens[i]);
	}
	scene_destroy(world->scene);
	for (int i = 0; i < world->n_screens; i++) {
		struct screen *screen = &world->screens[i];
		struct renderer *renderer = screen->device->renderer;
		struct allocator *allocator = screen->device->allocator;
		screen_finish(screen);
		renderer_destroy(renderer);
		allocator_destroy(allocator);
	}
	renderer_destroy(world->reader);
	clock_destroy(world->clock);
	wl_event_loop_destroy(world->loop);
}

void random_scene_pass(struct random_scene *world, int periods)
{
	for (int i = 0; i < periods; i++) {
		clock_advance(world->clock, SCREEN_PERIOD);
		for (int s = 0; s < world->n_screens; s++) {
			screen_flip(&world->screens[s], clock_now(world->clock));
		}
		wl_event_loop_dispatch(world->loop, 0);
	}
}

/* Removes an output, and adds it again. */
static void replace_output(struct random_scene *world, struct screen *screen)
{
	for (int i = 0; i < N_WINDOWS; i++) {
		if (world->windows[i].tree->output == screen->scene_output) {
			scene_tree_set_output(world->windows[i].tree, NULL);
		}
	}
	screen_close(screen);
	screen_lose(screen);
	open_screen(world, screen);
}

/* Turns, scales, moves, replaces or magnifies an output. */
static const char *change_output(struct random_scene *world)
{
	struct screen *screen = &world->screens[random_between(0, world->n_screens - 1)];
	switch (random_between(0, 5)) {
	case 2:
		scene_output_set_position(
			screen->scene_output, random_between(-15, 15), random_between(-15, 15));
		return "an output moved";
	case 3: replace_output(world, screen); return "another output";
	case 0:
		scene_output_set_scale(screen->scene_output, random_scene_steps() / 120.0);
		return "another scale";
	case 1:
		scene_output_set_transform(
			screen->scene_output, (enum wl_output_transform)random_between(0, 7));
		return "a turned output";
	default: {
		const double factor = random_between(0, 1) ? 1 : random_between(5, 16) / 4.0;
		const struct coord_global at = {random_between(0, SCENE_WIDTH) / 2.0,
			random_between(0, SCENE_HEIGHT) / 2.0};
		frame_output_magnify(screen->frame, factor, at);
		return "a lens";
	}
	}
}

/* Fades, shifts, clips or shapes a window. */
static const char *change_look(struct random_scene *world, struct random_window *window)
{
	struct scene_tree *tree = window->tree;
	switch (random_between(0, 3)) {
	case 0:
		scene_tree_set_opacity(
			tree, random_between(0, 1) ? 1 : (float)random_between(0, 4) / 4);
		return "another opacity";
	case 1:
		scene_tree_set_shift(tree, random_between(0, 1) ? 0 : random_between(-20, 20),
			random_between(-3, 3));
		return "a shifted window";
	case 2:
		scene_tree_set_output(
			tree, random_between(0, 1)
				      ? NULL
				      : world->screens[random_between(0, world->n_screens - 1)]
						.scene_output);
		return "a window of one output";
	default: {
		const struct box shape = {random_between(0, 10), random_between(0, 10),
			random_between(1, 30), random_between(1, 30)};
		scene_surface_set_clip(window->client->surface, NULL);
		region_set_box(&window->shape, &shape);
		if (random_between(0, 1)) {
			scene_surface_set_clip(window->client->surface, &window->shape);
		}
		return "another shape";
	}
	}
}

const char *random_scene_change(struct random_scene *world)
{
	int i = random_between(0, N_SURFACES - 1);
	struct client_surface *self = &world->surfaces[i];
	struct random_window *window = &world->windows[random_between(0, N_WINDOWS - 1)];
	const char *what = "nothing";
	switch (random_between(0, 23)) {
	case 0: move_window(window); return "a window moved";
	case 1: scene_node_raise_to_top(&window->tree->node); return "a window was raised";
	case 2:
		scene_node_set_enabled(&window->tree->node, !window->tree->node.enabled);
		return "a window came or went";
	case 3:
		client_surface_set_alpha(self);
		what = "another alpha";
		break;
	case 4:
		client_surface_set_viewport(self);
		what = "another viewport";
		break;
	case 5:
		client_surface_set_transform(self);
		client_surface_set_viewport(self);
		what = "another transform";
		break;
	case 6:
		client_surface_set_opaque(self);
		what = "another opaque region";
		break;
	case 7:
		if (self->surface->n_queued > 0) {
			return "no change: updates wait for a parent's commit";
		}
		draw_kind(world, self);
		what = "another size or format";
		break;
	case 8:
		if (self->subsurface) {
			subsurface_set_position(
				self->subsurface, random_between(-10, 30), random_between(-10, 20));
			client_surface_commit(random_scene_find(world, self->subsurface->parent));
		}
		return "a subsurface moved";
	case 9:
		if (self->subsurface) {
			subsurface_set_sync(self->subsurface, random_between(0, 1));
		}
		return "a subsurface was tied or untied";
	case 10:
		if (self->subsurface) {
			subsurface_place(
				self->subsurface, self->subsurface->parent, random_between(0, 1));
			client_surface_commit(random_scene_find(world, self->subsurface->parent));
		}
		return "a subsurface above or below";
	case 11: arrange_window(window); return "another frame";
	case 12:
	case 13: return change_output(world);
	case 14:
	case 15: return change_look(world, window);
	case 16: draw_title(world, window); return "another title";
	case 17:
		client_surface_clear(self);
		what = "no content";
		break;
	default:
		if (!client_surface_draw(self, !random_between(0, 4))) {
			return "all buffers in use";
		}
		what = "new pixels";
		break;
	}
	client_surface_commit(self);
	return what;
}
