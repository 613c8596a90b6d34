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
#include "harness/steps.h"
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

#define N_CHECKS 400
#define N_ALL_STEPS 1000000

/* Rows that most checks compare: at random. Some compare all of them. */
#define BAND 8

/* In 1/255. Each layer that is scaled or blended may be off by some. */
#define TOLERANCE 10

/* Every Nth seed lets GL compose; the first argument replaces N, 0: none. */
#define GL_SHARE 8

static uint64_t seed;
static int gl_share;
static struct oracle oracle;

/* Converts the pixels that the client drew, once for each update. */
static struct buffer *read_pixels(struct random_scene *world, struct client_surface *self)
{
	const int width = self->applied->width, height = self->applied->height;
	if (self->converted) {
		return self->converted;
	}
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
	return self->converted = pixels;
}

static void add_surface(struct random_scene *world, const struct oracle_origin *origin,
	struct client_surface *self, int x, int y, double opacity)
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
	oracle_add_image(&oracle, origin, &box, &image);
	buffer_end_access(pixels);
}

static void add_tree(struct random_scene *world, const struct oracle_origin *origin,
	struct client_surface *self, int x, int y, double opacity)
{
	const struct surface_state *state = &self->surface->current;
	if (state->n_children == 0) {
		add_surface(world, origin, self, x, y, opacity);
	}
	for (int i = 0; i < state->n_children; i++) {
		const struct child *child = &state->children[i];
		if (!child->subsurface) {
			add_surface(world, origin, self, x, y, opacity);
		} else {
			add_tree(world, origin,
				random_scene_find(world, child->subsurface->surface), x + child->x,
				y + child->y, opacity);
		}
	}
}

/* Titles that were drawn for the scale of the output, or for another one, or for any. */
static void add_title(const struct oracle_origin *origin, const struct scene_image *title, int x,
	int y, double opacity)
{
	size_t stride;
	struct buffer *buffer = title->buffer;
	const int steps = oracle.steps;
	const bool drawn = title->scale == steps / 120.0;
	const int width = (title->width * steps + 119) / 120;
	const int height = (title->height * steps + 119) / 120;
	const struct oracle_box box = {x, y, title->width, title->height};
	const struct oracle_image image = {
		.pixels = pixels_begin(buffer, &stride),
		.width = (int)(stride / 4),
		.height = buffer->height,
		.src_width = drawn && width < buffer->width ? width : buffer->width,
		.src_height = drawn && height < buffer->height ? height : buffer->height,
		.alpha = opacity,
		.drawn = drawn,
		.fills = !drawn,
	};
	oracle_add_image(&oracle, origin, &box, &image);
	buffer_end_access(buffer);
}

/* Adds a window: its frame is drawn around its origin, and its surface at a distance from it. */
static void add_window_at(struct random_scene *world, const struct random_window *window, int left,
	int top, double opacity)
{
	const struct scene_node *content = &window->client->tree->node;
	const int x = left + content->x, y = top + content->y;
	const struct oracle_origin whole = oracle_origin(&oracle);
	const struct oracle_origin origin = oracle_snap(&oracle, &whole, left, top);
	const struct oracle_origin inner = oracle_snap(&oracle, &origin, x, y);
	for (int i = 0; i < N_SIDES; i++) {
		const struct scene_rect *side = window->sides[i];
		const struct oracle_box box = {
			left + side->node.x, top + side->node.y, side->width, side->height};
		float color[4];
		for (int c = 0; c < 4; c++) {
			color[c] = side->color[c] * (float)opacity;
		}
		oracle_add_rect(&oracle, &origin, &box, color);
	}
	add_title(&origin, window->title, left + window->title->node.x, top + window->title->node.y,
		opacity);
	add_tree(world, &inner, window->client, x, y, opacity);
}

static void add_window(struct random_scene *world, const struct random_window *window)
{
	const struct scene_tree *tree = window->tree;
	if (tree->output) {
		const struct box box = scene_output_box(tree->output);
		oracle_set_clip(&oracle, &(struct oracle_box){box.x, box.y, box.width, box.height});
	}
	add_window_at(world, window, tree->node.x + tree->shift_x, tree->node.y + tree->shift_y,
		(double)tree->opacity);
	oracle_set_clip(&oracle, NULL);
}

static void add_windows(struct random_scene *world)
{
	struct scene_node *node;
	wl_list_for_each (node, &world->scene->root.children, link) {
		for (int i = 0; i < N_WINDOWS; i++) {
			if (&world->windows[i].tree->node == node && node->enabled) {
				add_window(world, &world->windows[i]);
			}
		}
	}
}

/* Chooses the rows to compare: some at random, or all. */
static void choose_rows(bool all)
{
	oracle.top = all ? 0 : random_between(0, SCENE_HEIGHT - BAND);
	oracle.bottom = all ? SCENE_HEIGHT : oracle.top + BAND;
}

static void compose(struct random_scene *world, const struct scene_output *output, bool all)
{
	oracle = (struct oracle){
		.width = SCENE_WIDTH,
		.height = SCENE_HEIGHT,
		.x = output->x,
		.y = output->y,
		.steps = (int)lround(output->scale * 120),
		.transform = output->transform,
		.factor = output->lens.factor,
		.lens_x = output->lens.x,
		.lens_y = output->lens.y,
		.picture = oracle.picture,
	};
	choose_rows(all);
	oracle_begin(&oracle, world->scene->background);
	add_windows(world);
}

/* The step that is checked, for messages. */
struct moment {
	int number;
	const char *what;
	bool all; /* all rows are compared */
};

static void expect_picture(const struct moment *moment, const char *name, struct buffer *picture)
{
	size_t stride;
	const char *shown = pixels_begin(picture, &stride);
	for (int at = oracle.top * SCENE_WIDTH; at < oracle.bottom * SCENE_WIDTH; at++) {
		const int x = at % SCENE_WIDTH, y = at / SCENE_WIDTH;
		uint32_t pixel;
		memcpy(&pixel, shown + (size_t)y * stride + (size_t)x * 4, 4);
		if (!oracle_accepts(&oracle, x, y, pixel, TOLERANCE)) {
			fail_msg(
				"seed %llu, check %d, %s: %s (scale %d/120, transform %d, lens %g) "
				"shows %06x at %d,%d instead of %06x",
				(unsigned long long)seed, moment->number, moment->what, name,
				oracle.steps, (int)oracle.transform, oracle.factor,
				pixel & 0xffffff, x, y, oracle_pixel(&oracle, x, y));
		}
	}
	buffer_end_access(picture);
}

static void expect_same(struct random_scene *world, const struct moment *moment)
{
	for (int i = 0; i < world->n_screens; i++) {
		struct screen *screen = &world->screens[i];
		assert_non_null(screen->shown);
		compose(world, screen->scene_output, moment->all);
		expect_picture(moment, screen->base.name, screen->shown);
	}
}

/* Captures the scene, or a window at its own place, at any scale. */
static void expect_capture(struct random_scene *world, const struct moment *moment)
{
	static const float nothing[4] = {0};
	const struct screen *screen = &world->screens[random_between(0, world->n_screens - 1)];
	const struct random_window *window =
		random_between(0, 1) ? &world->windows[random_between(0, N_WINDOWS - 1)] : NULL;
	struct buffer *target =
		memory_buffer_create(SCENE_WIDTH, SCENE_HEIGHT, DRM_FORMAT_XRGB8888);
	oracle = (struct oracle){
		.width = SCENE_WIDTH,
		.height = SCENE_HEIGHT,
		.x = random_between(-20, 40),
		.y = random_between(-20, 30),
		.steps = random_scene_steps(),
		.transform = (enum wl_output_transform)random_between(0, 7),
		.picture = oracle.picture,
	};
	choose_rows(moment->all);
	/* Without a scale, that of the box counts. */
	const double scale = oracle.steps / 120.0;
	const bool turned = transform_swaps(oracle.transform);
	const int side = turned ? SCENE_HEIGHT : SCENE_WIDTH;
	const struct frame_capture capture = {
		.root = window ? window->tree : NULL,
		.box = {oracle.x, oracle.y, side / scale,
			(turned ? SCENE_WIDTH : SCENE_HEIGHT) / scale},
		.scale = random_between(0, 1) && side / (side / scale) == scale ? 0 : scale,
		.transform = oracle.transform,
	};
	int fence;
	assert_int_equal(frame_capture(world->scene, screen->device, target, &capture, &fence),
		FRAME_CAPTURE_DRAWN);
	fd_close(&fence);
	oracle_begin(&oracle, window ? nothing : world->scene->background);
	if (window) {
		const struct scene_node *node = &window->tree->node;
		add_window_at(world, window, node->x, node->y, 1);
	} else {
		add_windows(world);
	}
	expect_picture(moment, window ? "a capture of a window" : "a capture", target);
	buffer_drop(target);
}

/* Counts of features that the scenes used, over all seeds. */
struct used {
	uint64_t uploaded, imports, by_cpu;
};

static void play(struct steps *steps, bool gl, struct used *used)
{
	random_seed(seed);
	struct random_scene world;
	random_scene_init(&world, gl);
	random_scene_pass(&world, 4);
	expect_same(&world, &(struct moment){-1, "as it began", true});
	for (int i = 0; i < N_CHECKS; i++) {
		const char *what = random_scene_change(&world);
		steps->n++;
		for (int more = random_between(0, 2); more > 0; more--) {
			random_scene_change(&world);
			steps->n++;
		}
		random_scene_pass(&world, 3);
		const struct moment moment = {i, what, i % 16 == 15};
		expect_same(&world, &moment);
		if (!random_between(0, 7)) {
			expect_capture(&world, &moment);
		}
	}
	const struct screen *last = &world.screens[world.n_screens - 1];
	used->uploaded += last->device->renderer->stats.bytes_uploaded;
	used->imports += last->device->renderer->stats.imports;
	used->by_cpu += last->frame->stats.by_cpu;
	random_scene_finish(&world);
}

static void random_scenes_equal_naive_composition(void **state)
{
	struct steps *steps = steps_begin("content/compose", "COMPOSE_SEEDS", N_ALL_STEPS);
	struct used used = {0};
	while (steps_next(steps)) {
		seed = steps->seed;
		play(steps, gl_share > 0 && seed % (uint64_t)gl_share == 0, &used);
	}
	oracle_finish(&oracle);
	/* The scenes used every source. */
	if (gl_share > 0 && steps->n > 100000) {
		assert_true(used.uploaded > 0);
		assert_true(used.imports > 0);
		assert_true(used.by_cpu > 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_scenes_equal_naive_composition),
	};
	gl_share = argc > 1 ? atoi(argv[1]) : GL_SHARE;
	/* Threads would cost more than they gain with such small outputs. */
	setenv("LP_NUM_THREADS", "0", 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
