/* SPDX-License-Identifier: MIT */
/*
 * Primary outputs and preferred scales of surfaces, of windows and of cursors alike, while outputs
 * sleep, come, go, move and change their scale.
 */

#include "harness/surface.h"

#include "scene/scene.h"
#include <string.h>

#define N_OUTPUTS 3
#define SIDE 100 /* of outputs, pixels */
#define N_STEPS 3000

struct primary_world {
	struct wl_event_loop *loop;
	struct scene *scene;
	struct output outputs[N_OUTPUTS];
	struct scene_output *shown[N_OUTPUTS]; /* NULL: removed */
	struct scene_tree *window; /* covered by `video`, but for its first column if `beside` */
	struct scene_tree *cursor;
	struct surface *surface, *video, *image;
	struct subsurface *subsurface;
	bool beside;
};

static void plug(struct primary_world *world, int i)
{
	world->shown[i] = scene_output_create(world->scene, &world->outputs[i]);
	scene_output_set_position(world->shown[i], random_between(0, 2) * SIDE / 2, 0);
	scene_output_set_awake(world->shown[i], random_between(0, 2));
}

static struct surface *make_surface(struct primary_world *world, int width, int height)
{
	struct surface *surface = surface_create(world->loop, NULL);
	struct test_buffer *buffer = test_buffer_create(width, height);
	buffer->base.format = DRM_FORMAT_XRGB8888;
	attach(surface, buffer);
	pixman_region32_union_rect(&surface->pending.opaque, &surface->pending.opaque, 0, 0,
		(unsigned)width, (unsigned)height);
	surface->pending.fields |= SURFACE_OPAQUE;
	assert_true(derive_and_commit(surface));
	buffer_drop(&buffer->base);
	surface_map(surface);
	return surface;
}

/* The clients wait for callbacks all the time. */
static void begin(struct primary_world *world, struct test_counts *counts)
{
	*world = (struct primary_world){.loop = wl_event_loop_create(), .scene = scene_create()};
	for (int i = 0; i < N_OUTPUTS; i++) {
		output_init(&world->outputs[i], &dark_output_impl, "TEST");
		world->outputs[i].enabled = true;
		world->outputs[i].mode = (struct output_mode){SIDE, SIDE, 60000, true};
		plug(world, i);
	}
	world->surface = make_surface(world, 40, 30);
	world->video = make_surface(world, 40, 30);
	world->image = make_surface(world, 8, 8);
	world->subsurface = subsurface_create(world->video, world->surface);
	subsurface_set_sync(world->subsurface, false);
	assert_true(derive_and_commit(world->surface));
	world->window = scene_surface_tree_create(&world->scene->root, world->surface);
	world->cursor = scene_surface_tree_create(&world->scene->cursor, world->image);
	struct surface *surfaces[] = {world->surface, world->video, world->image};
	for (int i = 0; i < 3; i++) {
		request_frame(surfaces[i], counts);
		assert_true(derive_and_commit(surfaces[i]));
	}
}

static void end(struct primary_world *world)
{
	subsurface_destroy(world->subsurface);
	surface_destroy(world->video);
	surface_destroy(world->surface);
	surface_destroy(world->image);
	for (int i = 0; i < N_OUTPUTS; i++) {
		scene_output_destroy(world->shown[i]);
		output_finish(&world->outputs[i]);
	}
	scene_destroy(world->scene);
	wl_event_loop_destroy(world->loop);
}

static const char *change(struct primary_world *world)
{
	static const double scales[] = {1, 1.25, 1.5, 2};
	const int i = random_between(0, N_OUTPUTS - 1);
	struct scene_output *shown = world->shown[i];
	switch (random_between(0, 6)) {
	case 0:
		scene_node_set_position(
			&world->window->node, random_between(-50, 150), random_between(-40, 90));
		return "the window moved";
	case 1:
		scene_node_set_position(
			&world->cursor->node, random_between(-10, 190), random_between(-10, 90));
		return "the cursor moved";
	case 2:
		world->beside = !world->beside;
		subsurface_set_position(world->subsurface, world->beside, 0);
		assert_true(derive_and_commit(world->surface));
		return "the video moved within its window";
	case 3:
		if (!shown) {
			plug(world, i);
			return "an output came";
		}
		scene_output_destroy(shown);
		world->shown[i] = NULL;
		return "an output went";
	case 4:
		if (shown) {
			scene_output_set_awake(shown, !shown->awake);
		}
		return "an output fell asleep or woke up";
	case 5:
		if (shown) {
			scene_output_set_scale(shown, scales[random_between(0, 3)]);
		}
		return "an output has another scale";
	default:
		if (shown) {
			scene_output_set_position(shown, random_between(0, 2) * SIDE / 2, 0);
		}
		return "an output moved";
	}
}

/* Returns the pixels of the entry that the surface has on the output; 0: none. */
static int64_t find_area(const struct scene_output *shown, const struct surface *surface)
{
	for (int i = 0; shown && i < shown->n_entries; i++) {
		if (scene_entry_surface(&shown->entries[i]) == scene_surface_find(surface)) {
			return region_area(&shown->entries[i].visible);
		}
	}
	return 0;
}

/* Returns whether the surface's box is on the output, if only below other surfaces. */
static bool is_on(const struct scene_output *shown, const struct surface *surface)
{
	int x, y;
	scene_node_coords(&scene_surface_find(surface)->node, &x, &y);
	const struct box box = {x, y, surface->current.width, surface->current.height};
	const struct box pixels = scene_view_to_pixels(
		&(struct scene_view){.x = shown->x, .y = shown->y, .scale = shown->scale}, &box);
	struct box both;
	return box_intersect(&both, &pixels, &(struct box){0, 0, SIDE, SIDE});
}

/* Checks one surface. Returns its primary output. */
static int expect_placed(
	const struct primary_world *world, const struct surface *surface, const char *after)
{
	const struct scene_surface *content = scene_surface_find(surface);
	int64_t most = 0;
	double scale = 0;
	int primary = -1;
	for (int i = 0; i < N_OUTPUTS; i++) {
		const struct scene_output *shown = world->scene->outputs[i];
		const int64_t area = find_area(shown, surface);
		if (shown && shown->awake && area > most) {
			most = area;
			primary = i;
		}
		if (shown && is_on(shown, surface) && shown->scale > scale) {
			scale = shown->scale;
		}
	}
	if (content->primary_output != primary || surface->visible != (primary >= 0)) {
		fail_msg("after %s: primary output %d instead of %d", after,
			content->primary_output, primary);
	}
	if (scale > 0 && surface->preferred_scale != scale) {
		fail_msg("after %s: preferred scale %g instead of %g", after,
			surface->preferred_scale, scale);
	}
	return primary;
}

/* A surface that others of its window cover has the pace of those, and is in the list of it. */
static void expect_paced(const struct primary_world *world, const char *after)
{
	const struct scene_surface *content = scene_surface_find(world->surface);
	const int primary = expect_placed(world, world->surface, after);
	const int video = expect_placed(world, world->video, after);
	const int pace = primary >= 0 ? primary : video;
	const struct wl_list *list =
		pace >= 0 ? &world->scene->outputs[pace]->waiting : &world->scene->hidden;
	const struct scene_surface *waiting;
	bool listed = false;
	wl_list_for_each (waiting, list, waiting_link) {
		listed |= waiting == content;
	}
	if (content->pace_output != pace || !listed) {
		fail_msg("after %s: paced by %d instead of %d, in its list: %d", after,
			content->pace_output, pace, listed);
	}
	expect_placed(world, world->image, after);
}

static void surfaces_follow_the_outputs_that_show_them(void **state)
{
	struct primary_world world;
	struct test_counts counts = {0};
	begin(&world, &counts);
	for (int i = 0; i < N_STEPS; i++) {
		const char *after = change(&world);
		scene_update(world.scene);
		expect_paced(&world, after);
	}
	assert_int_equal(counts.done, 0);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(surfaces_follow_the_outputs_that_show_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
