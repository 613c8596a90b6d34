/* SPDX-License-Identifier: MIT */
/*
 * Composition of random scenes through every source of pixels: trees of subsurfaces with viewports,
 * transforms, alpha, single colours, video and several formats of shared memory and dma-bufs. One
 * output is composed by the CPU, another one by GL, each by damage and buffer age. After every
 * change, both must equal a full composition from copies that the test keeps. Clients overwrite
 * buffers as soon as they are released.
 */

#include "harness/scene_client.h"
#include "harness/screen.h"
#include "harness/unit.h"

#include "buffer/allocator.h"
#include "frame/frame.h"
#include "frame/output.h"
#include "scene/scene.h"
#include <stdlib.h>
#include <string.h>

#define WIDTH 96
#define HEIGHT 72
#define WORLDS 10
#define STEPS 60

#define N_WINDOWS 4
#define N_SURFACES 9

/* In 1/255. Each layer that is scaled or blended may be off by two. */
#define TOLERANCE 10

struct compose_world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct scene *scene;
	struct screen screens[2]; /* composed by the CPU, by GL */
	int first; /* first output; 1: GL alone composes, and releases uploaded buffers early */
	struct renderer *reference;
	struct client_surface surfaces[N_SURFACES]; /* windows first */
};

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
	client_surface_change_kind(self);
	client_surface_commit(self);
	if (i < N_WINDOWS) {
		surface_map(self->surface);
		self->tree = scene_surface_tree_create(&world->scene->root, self->surface);
		scene_node_set_position(&self->tree->node, random_between(-10, WIDTH - 20),
			random_between(-10, HEIGHT - 20));
	}
}

/* --- The reference. --- */

struct reference {
	struct compose_world *world;
	const struct scene_view *view;
	struct render_pass *pass;
	const pixman_region32_t *all;
	struct texture *textures[N_SURFACES];
	int n_textures;
};

static struct client_surface *find(struct compose_world *world, const struct surface *surface)
{
	for (int i = 0; i < N_SURFACES; i++) {
		if (world->surfaces[i].surface == surface) {
			return &world->surfaces[i];
		}
	}
	return NULL;
}

static void add_surface(struct reference *reference, struct client_surface *self, int x, int y)
{
	const struct surface_state *state = &self->surface->current;
	bool holds;
	if (!self->applied || !self->surface->mapped) {
		return;
	}
	struct texture **texture = &reference->textures[reference->n_textures++];
	struct box global = {x, y, state->width, state->height};
	struct render_texture_options options = {
		.dst = scene_view_to_pixels(reference->view, &global),
		.transform = transform_compose(
			transform_invert(state->transform), reference->view->transform),
		.alpha = state->alpha,
		.clip = reference->all,
		.filter = RENDER_FILTER_BILINEAR,
	};
	surface_state_source(state, &options.src);
	assert_true(renderer_texture_update(
		reference->world->reference, texture, self->applied, NULL, &holds));
	options.texture = *texture;
	render_pass_add_texture(reference->pass, &options);
}

static void add_tree(struct reference *reference, struct client_surface *self, int x, int y)
{
	const struct surface_state *state = &self->surface->current;
	if (state->n_children == 0) {
		add_surface(reference, self, x, y);
	}
	for (int i = 0; i < state->n_children; i++) {
		const struct child *child = &state->children[i];
		if (!child->subsurface) {
			add_surface(reference, self, x, y);
		} else {
			add_tree(reference, find(reference->world, child->subsurface->surface),
				x + child->x, y + child->y);
		}
	}
}

static struct buffer *draw_reference(struct compose_world *world, const struct scene_output *output)
{
	struct buffer *target = memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	const struct scene_view view = {
		output->x, output->y, output->scale, output->transform, WIDTH, HEIGHT};
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, WIDTH, HEIGHT);
	struct reference reference = {.world = world, .view = &view, .all = &all};
	reference.pass = renderer_begin(world->reference, target, -1);
	struct render_rect_options background = {
		.box = {0, 0, WIDTH, HEIGHT}, .clip = &all, .overwrite = true};
	memcpy(background.color, world->scene->background, sizeof(background.color));
	render_pass_add_rect(reference.pass, &background);
	struct scene_node *node;
	wl_list_for_each (node, &world->scene->root.children, link) {
		for (int i = 0; i < N_WINDOWS; i++) {
			struct client_surface *window = &world->surfaces[i];
			if (&window->tree->node == node && node->enabled) {
				add_tree(&reference, window, node->x, node->y);
			}
		}
	}
	int fence;
	assert_true(render_pass_submit(reference.pass, &fence));
	for (int i = 0; i < reference.n_textures; i++) {
		texture_destroy(reference.textures[i]);
	}
	pixman_region32_fini(&all);
	return target;
}

/* --- The world. --- */

static void make_screen(struct compose_world *world, int i, struct renderer *renderer, double scale,
	enum wl_output_transform transform)
{
	struct screen *screen = &world->screens[i];
	screen_init(
		screen, i ? "GL-1" : "CPU-1", WIDTH, HEIGHT, renderer, memory_allocator_create());
	if (i > world->first) {
		render_device_join(screen->device, world->screens[0].device);
	}
	screen_open(screen, world->scene, world->clock);
	scene_output_set_scale(screen->scene_output, scale);
	scene_output_set_transform(screen->scene_output, transform);
	/*
	 * Lets the CPU compose small changes soon, so that the test covers CPU composition for GL.
	 */
	screen->device->linear = screen->device->allocator;
	screen->frame->display.cpu_composition = true;
	screen->frame->cpu_composer.limits =
		(struct cpu_composer_limits){.enter = 1, .leave = 9, .share = 1};
}

static void set_up(struct compose_world *world, int first)
{
	static const double scales[] = {1, 1, 1.5};
	double scale = scales[random_between(0, 2)];
	enum wl_output_transform transform =
		random_between(0, 1) ? 0 : (enum wl_output_transform)random_between(0, 7);
	*world = (struct compose_world){.loop = wl_event_loop_create(),
		.clock = clock_create_test(SCREEN_PERIOD),
		.first = first};
	world->scene = scene_create();
	world->reference = pixman_renderer_create();
	if (first == 0) {
		make_screen(world, 0, pixman_renderer_create(), scale, transform);
	}
	make_screen(world, 1, gles_renderer_create(NULL, world->loop), scale, transform);
	for (int i = 0; i < N_SURFACES; i++) {
		open_surface(world, i);
	}
}

static void tear_down(struct compose_world *world)
{
	for (int i = N_SURFACES - 1; i >= 0; i--) {
		client_surface_close(&world->surfaces[i]);
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
	renderer_destroy(world->reference);
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

static int distance(uint32_t a, uint32_t b)
{
	int most = 0;
	for (int shift = 0; shift < 24; shift += 8) {
		int difference = abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
		most = difference > most ? difference : most;
	}
	return most;
}

static void expect_same(struct compose_world *world, int number, int step, const char *what)
{
	for (int s = world->first; s < 2; s++) {
		struct screen *screen = &world->screens[s];
		struct buffer *expected = draw_reference(world, screen->scene_output);
		size_t stride, other;
		assert_non_null(screen->shown);
		const char *a = pixels_begin(expected, &stride);
		const char *b = pixels_begin(screen->shown, &other);
		for (int y = 0; y < HEIGHT; y++) {
			for (int x = 0; x < WIDTH; x++) {
				uint32_t one, two;
				memcpy(&one, a + (size_t)y * stride + (size_t)x * 4, 4);
				memcpy(&two, b + (size_t)y * other + (size_t)x * 4, 4);
				if (distance(one, two) > TOLERANCE) {
					fail_msg("world %d, step %d, %s: %s shows %06x at %d,%d "
						 "instead of %06x",
						number, step, what, screen->base.name,
						two & 0xffffff, x, y, one & 0xffffff);
				}
			}
		}
		buffer_end_access(screen->shown);
		buffer_end_access(expected);
		buffer_drop(expected);
	}
}

static const char *change(struct compose_world *world)
{
	int i = random_between(0, N_SURFACES - 1);
	struct client_surface *self = &world->surfaces[i];
	struct client_surface *window = &world->surfaces[random_between(0, N_WINDOWS - 1)];
	const char *what = "nothing";
	switch (random_between(0, 15)) {
	case 0:
		scene_node_set_position(&window->tree->node, random_between(-10, WIDTH - 20),
			random_between(-10, HEIGHT - 20));
		return "a window moved";
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
		client_surface_change_kind(self);
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

static uint64_t seed = 1; /* or the program's argument */

static void random_scenes_equal_full_composition(void **state)
{
	uint64_t uploaded = 0, imports = 0, by_cpu = 0;
	print_message("seed %llu\n", (unsigned long long)seed);
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
		uploaded += world.screens[1].device->renderer->stats.bytes_uploaded;
		imports += world.screens[1].device->renderer->stats.imports;
		by_cpu += world.screens[1].frame->stats.by_cpu;
		tear_down(&world);
	}
	/* The scenes used every source. */
	assert_true(uploaded > 0);
	assert_true(imports > 0);
	assert_true(by_cpu > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_scenes_equal_full_composition),
	};
	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
