/* SPDX-License-Identifier: MIT */
/*
 * Composition of random scenes through every source of pixels: framed windows and trees of
 * subsurfaces with viewports, transforms, opaque regions, alpha, single colours, video and several
 * formats of shared memory and dma-bufs, or no content for a while. Windows are faded, shifted,
 * shaped and clipped to outputs of any place, scale and transform, under a lens or not. One output
 * is composed by the CPU, another one by GL, each by damage and buffer age. After every change,
 * both, and captures at times, must equal a naive composition from copies that the test keeps.
 * Clients overwrite buffers as soon as they are released.
 */

#include "harness/random_scene.h"
#include "harness/scene_oracle.h"
#include "harness/unit.h"

#include "buffer/allocator.h"
#include "frame/frame.h"
#include "frame/output.h"
#include "scene/scene.h"
#include "util/fd.h"
#include "util/region.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORLDS 10
#define STEPS 60

/* In 1/255. Each layer that is scaled or blended may be off by some. */
#define TOLERANCE 10

static uint64_t seed = 1;

/* Converts the pixels that the client drew. */
static struct buffer *read_pixels(struct random_scene *world, struct client_surface *self)
{
	const int width = self->applied->width, height = self->applied->height;
	struct buffer *pixels = memory_buffer_create(width, height, DRM_FORMAT_ARGB8888);
	struct texture *texture = NULL;
	bool holds;
	int fence;
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, (unsigned)width, (unsigned)height);
	assert_true(renderer_texture_update(world->reader, &texture, self->applied, NULL, &holds));
	const struct render_rect_options clear = {
		.box = {0, 0, width, height}, .clip = &all, .overwrite = true};
	const struct render_texture_options options = {
		.texture = texture,
		.src = {0, 0, width, height},
		.dst = {0, 0, width, height},
		.alpha = 1,
		.clip = &all,
	};
	struct render_pass *pass = renderer_begin(world->reader, pixels, -1);
	render_pass_add_rect(pass, &clear);
	render_pass_add_texture(pass, &options);
	assert_true(render_pass_submit(pass, &fence));
	texture_destroy(texture);
	pixman_region32_fini(&all);
	return pixels;
}

static void add_surface(struct random_scene *world, struct oracle *oracle,
	const struct oracle_origin *origin, struct client_surface *self, int x, int y,
	double opacity)
{
	const struct surface_state *state = &self->surface->current;
	struct fbox src;
	size_t stride;
	if (!self->applied || !self->surface->mapped) {
		return;
	}
	surface_state_source(state, &src);
	struct buffer *pixels = read_pixels(world, self);
	const struct oracle_box box = {x, y, state->width, state->height};
	struct oracle_image image = {
		.pixels = pixels_begin(pixels, &stride),
		.width = (int)(stride / 4),
		.height = pixels->height,
		.x = src.x,
		.y = src.y,
		.src_width = src.width,
		.src_height = src.height,
		.transform = state->transform,
		.alpha = (double)state->alpha * opacity,
	};
	if (self->surface->clip) {
		const struct box shape = region_extents(self->surface->clip);
		image.shape = (struct oracle_box){shape.x, shape.y, shape.width, shape.height};
	}
	oracle_add_image(oracle, origin, &box, &image);
	buffer_end_access(pixels);
	buffer_drop(pixels);
}

static void add_tree(struct random_scene *world, struct oracle *oracle,
	const struct oracle_origin *origin, struct client_surface *self, int x, int y,
	double opacity)
{
	const struct surface_state *state = &self->surface->current;
	if (state->n_children == 0) {
		add_surface(world, oracle, origin, self, x, y, opacity);
	}
	for (int i = 0; i < state->n_children; i++) {
		const struct child *child = &state->children[i];
		if (!child->subsurface) {
			add_surface(world, oracle, origin, self, x, y, opacity);
		} else {
			add_tree(world, oracle, origin,
				random_scene_find(world, child->subsurface->surface), x + child->x,
				y + child->y, opacity);
		}
	}
}

/* Adds a window: its frame is drawn around its origin, and its surface at a distance from it. */
static void add_window_at(struct random_scene *world, struct oracle *oracle,
	const struct random_window *window, int left, int top, double opacity)
{
	const struct scene_node *content = &window->client->tree->node;
	const int x = left + content->x, y = top + content->y;
	const struct oracle_origin whole = oracle_origin(oracle);
	const struct oracle_origin origin = oracle_snap(oracle, &whole, left, top);
	const struct oracle_origin inner = oracle_snap(oracle, &origin, x, y);
	for (int i = 0; i < N_SIDES; i++) {
		const struct scene_rect *side = window->sides[i];
		const struct oracle_box box = {
			left + side->node.x, top + side->node.y, side->width, side->height};
		float color[4];
		for (int c = 0; c < 4; c++) {
			color[c] = side->color[c] * (float)opacity;
		}
		oracle_add_rect(oracle, &origin, &box, color);
	}
	add_tree(world, oracle, &inner, window->client, x, y, opacity);
}

static void add_window(
	struct random_scene *world, struct oracle *oracle, const struct random_window *window)
{
	const struct scene_tree *tree = window->tree;
	if (tree->output) {
		const struct box box = scene_output_box(tree->output);
		oracle_set_clip(oracle, &(struct oracle_box){box.x, box.y, box.width, box.height});
	}
	add_window_at(world, oracle, window, tree->node.x + tree->shift_x,
		tree->node.y + tree->shift_y, (double)tree->opacity);
	oracle_set_clip(oracle, NULL);
}

static void add_windows(struct random_scene *world, struct oracle *oracle)
{
	struct scene_node *node;
	wl_list_for_each (node, &world->scene->root.children, link) {
		for (int i = 0; i < N_WINDOWS; i++) {
			if (&world->windows[i].tree->node == node && node->enabled) {
				add_window(world, oracle, &world->windows[i]);
			}
		}
	}
}

static void compose(
	struct random_scene *world, const struct scene_output *output, struct oracle *oracle)
{
	*oracle = (struct oracle){
		.width = SCENE_WIDTH,
		.height = SCENE_HEIGHT,
		.x = output->x,
		.y = output->y,
		.steps = (int)lround(output->scale * 120),
		.transform = output->transform,
		.factor = output->lens.factor,
		.lens_x = output->lens.x,
		.lens_y = output->lens.y,
	};
	oracle_begin(oracle, world->scene->background);
	add_windows(world, oracle);
}

/* The step that is checked, for messages. */
struct moment {
	int number, step;
	const char *what;
};

static void expect_picture(const struct moment *moment, const char *name,
	const struct oracle *oracle, struct buffer *picture)
{
	size_t stride;
	const char *shown = pixels_begin(picture, &stride);
	for (int at = 0; at < SCENE_WIDTH * SCENE_HEIGHT; at++) {
		const int x = at % SCENE_WIDTH, y = at / SCENE_WIDTH;
		uint32_t pixel;
		memcpy(&pixel, shown + (size_t)y * stride + (size_t)x * 4, 4);
		if (oracle_distance(oracle, x, y, pixel) > TOLERANCE) {
			fail_msg("seed %llu, world %d, step %d, %s: %s (scale %d/120, transform "
				 "%d, lens %g) shows %06x at %d,%d instead of %06x",
				(unsigned long long)seed, moment->number, moment->step,
				moment->what, name, oracle->steps, (int)oracle->transform,
				oracle->factor, pixel & 0xffffff, x, y, oracle_pixel(oracle, x, y));
		}
	}
	buffer_end_access(picture);
}

static void expect_same(struct random_scene *world, const struct moment *moment)
{
	for (int i = world->first; i < 2; i++) {
		struct screen *screen = &world->screens[i];
		struct oracle oracle;
		assert_non_null(screen->shown);
		compose(world, screen->scene_output, &oracle);
		expect_picture(moment, screen->base.name, &oracle, screen->shown);
		oracle_finish(&oracle);
	}
}

/* Captures the scene, or a window at its own place, at any scale. */
static void expect_capture(struct random_scene *world, const struct moment *moment)
{
	static const float nothing[4] = {0};
	const struct screen *screen = &world->screens[random_between(world->first, 1)];
	const struct random_window *window =
		random_between(0, 1) ? &world->windows[random_between(0, N_WINDOWS - 1)] : NULL;
	struct buffer *target =
		memory_buffer_create(SCENE_WIDTH, SCENE_HEIGHT, DRM_FORMAT_XRGB8888);
	struct oracle oracle = {
		.width = SCENE_WIDTH,
		.height = SCENE_HEIGHT,
		.x = random_between(-20, 40),
		.y = random_between(-20, 30),
		.steps = random_scene_steps(),
		.transform = (enum wl_output_transform)random_between(0, 7),
	};
	const struct frame_capture capture = {
		.root = window ? window->tree : NULL,
		.box = {oracle.x, oracle.y, SCENE_WIDTH, SCENE_HEIGHT},
		.scale = oracle.steps / 120.0,
		.transform = oracle.transform,
	};
	int fence;
	assert_int_equal(frame_capture(world->scene, screen->device, target, &capture, &fence),
		FRAME_CAPTURE_DRAWN);
	fd_close(&fence);
	oracle_begin(&oracle, window ? nothing : world->scene->background);
	if (window) {
		const struct scene_node *node = &window->tree->node;
		add_window_at(world, &oracle, window, node->x, node->y, 1);
	} else {
		add_windows(world, &oracle);
	}
	expect_picture(moment, window ? "a capture of a window" : "a capture", &oracle, target);
	oracle_finish(&oracle);
	buffer_drop(target);
}

/* Counts of features that the scenes used, over all seeds. */
struct used {
	uint64_t uploaded, imports, by_cpu;
};

static void play(struct used *used)
{
	random_seed(seed);
	for (int number = 0; number < WORLDS; number++) {
		struct random_scene world;
		random_scene_init(&world, number % 2);
		random_scene_pass(&world, 4);
		expect_same(&world, &(struct moment){number, -1, "as it began"});
		for (int step = 0; step < STEPS; step++) {
			const char *what = random_scene_change(&world);
			for (int more = random_between(0, 2); more > 0; more--) {
				random_scene_change(&world);
			}
			random_scene_pass(&world, 3);
			const struct moment moment = {number, step, what};
			expect_same(&world, &moment);
			if (!random_between(0, 2)) {
				expect_capture(&world, &moment);
			}
		}
		used->uploaded += world.screens[1].device->renderer->stats.bytes_uploaded;
		used->imports += world.screens[1].device->renderer->stats.imports;
		used->by_cpu += world.screens[1].frame->stats.by_cpu;
		random_scene_finish(&world);
	}
}

static void random_scenes_equal_naive_composition(void **state)
{
	/* COMPOSE_SEEDS=FIRST,LAST plays others. */
	const char *seeds = getenv("COMPOSE_SEEDS");
	uint64_t last = 3;
	if (seeds) {
		char *comma;
		seed = last = strtoull(seeds, &comma, 10);
		last = *comma ? strtoull(comma + 1, NULL, 10) : last;
	}
	struct used used = {0};
	for (; seed <= last; seed++) {
		play(&used);
	}
	/* The scenes used every source. */
	assert_true(used.uploaded > 0);
	assert_true(used.imports > 0);
	assert_true(used.by_cpu > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_scenes_equal_naive_composition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
