/* SPDX-License-Identifier: MIT */
/*
 * Composition of random scenes through every source of pixels: framed windows and trees of
 * subsurfaces with viewports, transforms, opaque regions, alpha, single colours, video and several
 * formats of shared memory and dma-bufs, or no content for a while. Windows are faded, shifted,
 * shaped and clipped to outputs of any place, scale and transform, under a lens or not. One output
 * is composed by the CPU, another one by GL, each by damage and buffer age. After every change,
 * both must equal a naive composition from copies that the test keeps. Clients overwrite buffers as
 * soon as they are released.
 */

#include "harness/scene_client.h"
#include "harness/scene_oracle.h"
#include "harness/screen.h"
#include "harness/unit.h"

#include "buffer/allocator.h"
#include "frame/frame.h"
#include "frame/output.h"
#include "scene/scene.h"
#include "util/region.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 96
#define HEIGHT 72
#define WORLDS 10
#define STEPS 60

#define N_WINDOWS 4
#define N_SURFACES 9

/* In 1/255. Each layer that is scaled or blended may be off by some. */
#define TOLERANCE 10

#define N_SIDES 4

static uint64_t seed = 1;

/* A window with a frame, as the shell makes it. */
struct window {
	struct scene_tree *tree;
	struct scene_rect *sides[N_SIDES];
	struct client_surface *client;
	pixman_region32_t shape; /* of the client's surface: scene_surface_set_clip() */
};

struct compose_world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct scene *scene;
	struct screen screens[2]; /* composed by the CPU, by GL */
	int first; /* first output; 1: GL alone composes, and releases uploaded buffers early */
	struct renderer *reader; /* of clients' pixels */
	struct client_surface surfaces[N_SURFACES]; /* windows first */
	struct window windows[N_WINDOWS];
};

/* Most scales are those of programs' tests; all are in steps of 1/120. */
static int random_steps(void)
{
	static const int usual[] = {120, 150, 160, 180, 210, 240};
	return random_between(0, 2) ? random_between(120, 360) : usual[random_between(0, 5)];
}

static void draw_kind(struct compose_world *world, struct client_surface *self)
{
	if (!random_between(0, 2)) {
		client_surface_change_kind(self);
	} else {
		const struct screen *screen = &world->screens[random_between(world->first, 1)];
		client_surface_fit(self, (int)lround(screen->scene_output->scale * 120));
	}
}

static void move_window(struct window *window)
{
	scene_node_set_position(&window->tree->node, random_between(-10, WIDTH - 20),
		random_between(-10, HEIGHT - 20));
}

/* Puts a frame around the content, and the content at a distance from the window's origin. */
static void arrange_window(struct window *window)
{
	const struct surface_state *state = &window->client->surface->current;
	const int width = state->width, height = state->height;
	const int x = random_between(0, 1) ? 0 : random_between(-7, 3);
	const int y = random_between(0, 1) ? 0 : random_between(-7, 3);
	const struct box sides[N_SIDES] = {{-1, -5, width + 2, 5}, {-1, 0, 1, height},
		{width, 0, 1, height}, {-1, height, width + 2, 2}};
	scene_node_set_position(&window->client->tree->node, x, y);
	for (int i = 0; i < N_SIDES; i++) {
		scene_node_set_position(&window->sides[i]->node, sides[i].x, sides[i].y);
		scene_rect_set_size(window->sides[i], sides[i].width, sides[i].height);
	}
}

static void open_window(struct compose_world *world, int i)
{
	struct window *window = &world->windows[i];
	struct client_surface *self = &world->surfaces[i];
	window->client = self;
	window->tree = scene_tree_create(&world->scene->root);
	scene_tree_snap(window->tree);
	for (int j = 0; j < N_SIDES; j++) {
		const float color[4] = {(float)j / N_SIDES, (float)i / N_WINDOWS, 0, 1};
		window->sides[j] = scene_rect_create(window->tree, 0, 0, color);
	}
	pixman_region32_init(&window->shape);
	surface_map(self->surface);
	self->tree = scene_surface_tree_create(window->tree, self->surface);
	arrange_window(window);
	move_window(window);
}

static void open_surface(struct compose_world *world, int i)
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
		client_surface_commit(parent);
	}
	draw_kind(world, self);
	client_surface_commit(self);
	if (i < N_WINDOWS) {
		open_window(world, i);
	}
}

/* --- The oracle. --- */

static struct client_surface *find(struct compose_world *world, const struct surface *surface)
{
	for (int i = 0; i < N_SURFACES; i++) {
		if (world->surfaces[i].surface == surface) {
			return &world->surfaces[i];
		}
	}
	return NULL;
}

/* Converts the pixels that the client drew. */
static struct buffer *read_pixels(struct compose_world *world, struct client_surface *self)
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

static void add_surface(struct compose_world *world, struct oracle *oracle,
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

static void add_tree(struct compose_world *world, struct oracle *oracle,
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
			add_tree(world, oracle, origin, find(world, child->subsurface->surface),
				x + child->x, y + child->y, opacity);
		}
	}
}

/* Adds a window: its frame is drawn around its origin, and its surface at a distance from it. */
static void add_window_at(struct compose_world *world, struct oracle *oracle,
	const struct window *window, int left, int top, double opacity)
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
	struct compose_world *world, struct oracle *oracle, const struct window *window)
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

static void add_windows(struct compose_world *world, struct oracle *oracle)
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
	struct compose_world *world, const struct scene_output *output, struct oracle *oracle)
{
	*oracle = (struct oracle){
		.width = WIDTH,
		.height = HEIGHT,
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

/* --- The world. --- */

static void open_screen(struct compose_world *world, struct screen *screen)
{
	screen_open(screen, world->scene, world->clock);
	scene_output_set_scale(screen->scene_output, random_steps() / 120.0);
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

static void make_screen(struct compose_world *world, int i, struct renderer *renderer)
{
	struct screen *screen = &world->screens[i];
	screen_init(
		screen, i ? "GL-1" : "CPU-1", WIDTH, HEIGHT, renderer, memory_allocator_create());
	if (i > world->first) {
		render_device_join(screen->device, world->screens[0].device);
	}
	open_screen(world, screen);
}

static void set_up(struct compose_world *world, int first)
{
	*world = (struct compose_world){.loop = wl_event_loop_create(),
		.clock = clock_create_test(SCREEN_PERIOD),
		.first = first};
	world->scene = scene_create();
	world->reader = pixman_renderer_create();
	if (first == 0) {
		make_screen(world, 0, pixman_renderer_create());
	}
	make_screen(world, 1, gles_renderer_create(NULL, world->loop));
	for (int i = 0; i < N_SURFACES; i++) {
		open_surface(world, i);
	}
}

static void tear_down(struct compose_world *world)
{
	for (int i = N_SURFACES - 1; i >= 0; i--) {
		client_surface_close(&world->surfaces[i]);
	}
	for (int i = 0; i < N_WINDOWS; i++) {
		scene_node_destroy(&world->windows[i].tree->node);
		pixman_region32_fini(&world->windows[i].shape);
	}
	for (int i = world->first; i < 2; i++) {
		screen_close(&world->screens[i]);
	}
	scene_destroy(world->scene);
	for (int i = world->first; i < 2; i++) {
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

static void pass(struct compose_world *world, int periods)
{
	for (int i = 0; i < periods; i++) {
		clock_advance(world->clock, SCREEN_PERIOD);
		for (int s = world->first; s < 2; s++) {
			screen_flip(&world->screens[s], clock_now(world->clock));
		}
		wl_event_loop_dispatch(world->loop, 0);
	}
}

static void expect_same(struct compose_world *world, int number, int step, const char *what)
{
	for (int i = world->first; i < 2; i++) {
		struct screen *screen = &world->screens[i];
		const struct scene_output *output = screen->scene_output;
		struct oracle oracle;
		size_t stride;
		assert_non_null(screen->shown);
		compose(world, output, &oracle);
		const char *shown = pixels_begin(screen->shown, &stride);
		for (int at = 0; at < WIDTH * HEIGHT; at++) {
			const int x = at % WIDTH, y = at / WIDTH;
			uint32_t pixel;
			memcpy(&pixel, shown + (size_t)y * stride + (size_t)x * 4, 4);
			if (oracle_distance(&oracle, x, y, pixel) > TOLERANCE) {
				fail_msg("seed %llu, world %d, step %d, %s: %s (scale %d/120, "
					 "transform %d, lens %g) shows %06x at %d,%d instead of "
					 "%06x",
					(unsigned long long)seed, number, step, what,
					screen->base.name, oracle.steps, (int)output->transform,
					output->lens.factor, pixel & 0xffffff, x, y,
					oracle_pixel(&oracle, x, y));
			}
		}
		buffer_end_access(screen->shown);
		oracle_finish(&oracle);
	}
}

/* Removes an output, and adds it again. */
static void replace_output(struct compose_world *world, struct screen *screen)
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
static const char *change_output(struct compose_world *world)
{
	struct screen *screen = &world->screens[random_between(world->first, 1)];
	switch (random_between(0, 5)) {
	case 2:
		scene_output_set_position(
			screen->scene_output, random_between(-15, 15), random_between(-15, 15));
		return "an output moved";
	case 3: replace_output(world, screen); return "another output";
	case 0:
		scene_output_set_scale(screen->scene_output, random_steps() / 120.0);
		return "another scale";
	case 1:
		scene_output_set_transform(
			screen->scene_output, (enum wl_output_transform)random_between(0, 7));
		return "a turned output";
	default: {
		const double factor = random_between(0, 1) ? 1 : random_between(5, 16) / 4.0;
		const struct coord_global at = {
			random_between(0, WIDTH) / 2.0, random_between(0, HEIGHT) / 2.0};
		frame_output_magnify(screen->frame, factor, at);
		return "a lens";
	}
	}
}

/* Fades, shifts, clips or shapes a window. */
static const char *change_look(struct compose_world *world, struct window *window)
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
		scene_tree_set_output(tree,
			random_between(0, 1)
				? NULL
				: world->screens[random_between(world->first, 1)].scene_output);
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

static const char *change(struct compose_world *world)
{
	int i = random_between(0, N_SURFACES - 1);
	struct client_surface *self = &world->surfaces[i];
	struct window *window = &world->windows[random_between(0, N_WINDOWS - 1)];
	const char *what = "nothing";
	switch (random_between(0, 22)) {
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
			client_surface_commit(find(world, self->subsurface->parent));
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
			client_surface_commit(find(world, self->subsurface->parent));
		}
		return "a subsurface above or below";
	case 11: arrange_window(window); return "another frame";
	case 12:
	case 13: return change_output(world);
	case 14:
	case 15: return change_look(world, window);
	case 16:
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

/* Counts of features that the scenes used, over all seeds. */
struct used {
	uint64_t uploaded, imports, by_cpu;
};

static void play(struct used *used)
{
	random_seed(seed);
	for (int number = 0; number < WORLDS; number++) {
		struct compose_world world;
		set_up(&world, number % 2);
		pass(&world, 4);
		expect_same(&world, number, -1, "as it began");
		for (int step = 0; step < STEPS; step++) {
			const char *what = change(&world);
			for (int more = random_between(0, 2); more > 0; more--) {
				change(&world);
			}
			pass(&world, 3);
			expect_same(&world, number, step, what);
		}
		used->uploaded += world.screens[1].device->renderer->stats.bytes_uploaded;
		used->imports += world.screens[1].device->renderer->stats.imports;
		used->by_cpu += world.screens[1].frame->stats.by_cpu;
		tear_down(&world);
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
