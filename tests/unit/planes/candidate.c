/* SPDX-License-Identifier: MIT */
/* Scan-out candidates: moves to another output or plane are announced, once. */

#include "harness/surface.h"

#include "planes/candidate.h"
#include "scene/scene.h"
#include "surface/surface.h"

#define WIDTH 64
#define HEIGHT 48
#define SECOND INT64_C(1000000000)

struct candidate_world {
	struct wl_event_loop *loop;
	struct output outputs[2];
	struct plane planes[2];
	struct scene *scene;
	struct scene_output *shown[2];
	struct surface *surface;
	struct scene_tree *tree;
	struct wl_listener changed;
	int n_changed;
};

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct candidate_world *world = wl_container_of(listener, world, changed);
	world->n_changed++;
}

static void add_output(struct candidate_world *world, int i, uint64_t modifier)
{
	struct output *output = &world->outputs[i];
	output_init(output, &dark_output_impl, i ? "TEST-2" : "TEST-1");
	output->enabled = true;
	output->mode = (struct output_mode){WIDTH, HEIGHT, 60000, true};
	world->planes[i].type = PLANE_PRIMARY;
	format_set_add(&world->planes[i].formats, DRM_FORMAT_XRGB8888, modifier);
	output->planes[output->n_planes++] = &world->planes[i];
	world->shown[i] = scene_output_create(world->scene, output);
	scene_output_set_position(world->shown[i], i * WIDTH, 0);
	scene_output_set_awake(world->shown[i], true);
}

static void remove_output(struct candidate_world *world, int i)
{
	scene_output_destroy(world->shown[i]);
	output_finish(&world->outputs[i]);
	format_set_finish(&world->planes[i].formats);
}

static void begin(struct candidate_world *world)
{
	*world = (struct candidate_world){.loop = wl_event_loop_create(), .scene = scene_create()};
	for (int i = 0; i < 2; i++) {
		add_output(world, i, 0);
	}
	world->surface = surface_create(world->loop, NULL);
	world->tree = scene_surface_tree_create(&world->scene->root, world->surface);
	struct test_buffer *buffer = test_buffer_create(WIDTH, HEIGHT);
	attach(world->surface, buffer);
	assert_true(derive_and_commit(world->surface));
	buffer_drop(&buffer->base);
	surface_map(world->surface);
	world->changed.notify = handle_changed;
	wl_signal_add(&scanout_candidate_get(world->surface)->events.changed, &world->changed);
}

static void end(struct candidate_world *world)
{
	wl_list_remove(&world->changed.link);
	surface_destroy(world->surface);
	for (int i = 0; i < 2; i++) {
		remove_output(world, i);
	}
	scene_destroy(world->scene);
	wl_event_loop_destroy(world->loop);
}

/* Notes that a plane of the output could show the surface, as its frames do, or that none could. */
static void note_there(struct candidate_world *world, int i, bool fits, int64_t now)
{
	struct scene_output *shown = world->shown[i];
	const struct assign_entry could = {.dst = {0, 0, WIDTH, HEIGHT},
		.reason = fits ? REASON_PLANE_FORMAT : REASON_TRANSLUCENT};
	assert_int_equal(shown->n_entries, 1);
	scanout_candidate_note(shown, &shown->entries[0], &could, now);
}

/* Moves the surface to the output, and notes that a plane could show it. */
static void note(struct candidate_world *world, int i, int64_t now)
{
	scene_node_set_position(&world->tree->node, i * WIDTH, 0);
	scene_update(world->scene);
	note_there(world, i, true, now);
}

/* The GPU of the other output may be another one, and wants other buffers. */
static void move_to_another_output_is_announced(void **state)
{
	struct candidate_world world;
	const struct output *output = NULL;
	begin(&world);
	const struct scanout_candidate *candidate = scanout_candidate_get(world.surface);
	note(&world, 0, SECOND);
	assert_int_equal(world.n_changed, 0);
	note(&world, 0, 2 * SECOND);
	assert_int_equal(world.n_changed, 1);
	assert_ptr_equal(scanout_candidate_plane(candidate, &output), &world.planes[0]);
	assert_ptr_equal(output, &world.outputs[0]);
	note(&world, 1, 3 * SECOND);
	assert_int_equal(world.n_changed, 2);
	assert_ptr_equal(scanout_candidate_plane(candidate, &output), &world.planes[1]);
	assert_ptr_equal(output, &world.outputs[1]);
	note(&world, 1, 4 * SECOND);
	assert_int_equal(world.n_changed, 2);
	end(&world);
}

/*
 * The screen that is plugged in next may have the index, the planes and even the addresses of the
 * one before, and belong to another GPU. A hidden window hears of it, too.
 */
static void screen_in_place_of_another_is_announced(void **state)
{
	for (int i = 0; i < 2 * 2; i++) {
		const int at = i % 2;
		const bool hidden = i / 2;
		struct candidate_world world;
		const struct output *output = NULL;
		begin(&world);
		const struct scanout_candidate *candidate = scanout_candidate_get(world.surface);
		note(&world, at, SECOND);
		note(&world, at, 2 * SECOND);
		assert_int_equal(world.n_changed, 1);
		scene_node_set_enabled(&world.tree->node, !hidden);
		scene_update(world.scene);
		const int index = world.shown[at]->index;
		remove_output(&world, at);
		assert_int_equal(world.n_changed, 2);
		assert_null(scanout_candidate_plane(candidate, &output));
		add_output(&world, at, 1);
		assert_int_equal(world.shown[at]->index, index);
		scene_node_set_enabled(&world.tree->node, true);
		note(&world, at, 3 * SECOND);
		assert_int_equal(world.n_changed, 2);
		note(&world, at, 4 * SECOND);
		assert_int_equal(world.n_changed, 3);
		assert_ptr_equal(scanout_candidate_plane(candidate, &output), &world.planes[at]);
		end(&world);
	}
}

/* A window that a plane could show now and then, but never for long. */
static void time_before_a_break_does_not_count(void **state)
{
	struct candidate_world world;
	begin(&world);
	scene_update(world.scene);
	int64_t now = SECOND;
	for (int i = 0; i < 20; i++) {
		note_there(&world, 0, true, now);
		note_there(&world, 0, true, now + SECOND / 5);
		note_there(&world, 0, false, now + SECOND / 4);
		now += i % 2 ? SECOND : SECOND / 3;
		assert_int_equal(world.n_changed, 0);
	}
	note_there(&world, 0, true, now);
	note_there(&world, 0, true, now + SECOND / 4);
	assert_int_equal(world.n_changed, 1);
	end(&world);
}

/* Planes are tried again after a pause: until then, the client keeps its buffers. */
static void pause_of_planes_changes_no_candidate(void **state)
{
	struct candidate_world world;
	begin(&world);
	scene_update(world.scene);
	const struct assign_entry later = {.dst = {0, 0, WIDTH, HEIGHT}, .reason = REASON_LATER};
	struct scene_output *shown = world.shown[0];
	int64_t now = SECOND;
	for (int told = 0; told < 2; told++) {
		for (int i = 0; i < 8 * 60; i++) {
			now += SECOND / 60;
			scanout_candidate_note(shown, &shown->entries[0], &later, now);
			assert_int_equal(world.n_changed, told);
		}
		note(&world, 0, now);
		note(&world, 0, now + SECOND / 2);
		assert_int_equal(world.n_changed, 1);
	}
	note_there(&world, 0, false, now + 4 * SECOND);
	assert_int_equal(world.n_changed, 2);
	end(&world);
}

/* The client has other buffers by then, and would reallocate them to and fro. */
static void dropped_candidate_waits_before_it_is_announced_again(void **state)
{
	for (int at_once = 0; at_once < 2; at_once++) {
		struct candidate_world world;
		begin(&world);
		int64_t now = SECOND;
		for (int i = 1; i < 6; i += 2) {
			note(&world, 0, now);
			note(&world, 0, now + SECOND / 5);
			assert_int_equal(world.n_changed, i - 1);
			note(&world, 0, now + SECOND / 2);
			assert_int_equal(world.n_changed, i);
			now += 3 * SECOND;
			if (at_once) {
				scanout_candidate_drop(world.shown[0], &world.shown[0]->entries[0]);
			} else {
				note_there(&world, 0, false, now);
			}
			assert_int_equal(world.n_changed, i + 1);
			now += SECOND / 10;
		}
		end(&world);
	}
}

/*
 * Planes of the two outputs differ, and so does feedback for them: a surface across both gets that
 * of the output with its larger part, once, whatever the other one draws or cannot show.
 */
static void surface_across_outputs_has_one_candidate(void **state)
{
	for (int larger = 0; larger < 2; larger++) {
		struct candidate_world world;
		const struct output *output = NULL;
		begin(&world);
		format_set_add(&world.planes[1].formats, DRM_FORMAT_ARGB8888, 0);
		const struct scanout_candidate *candidate = scanout_candidate_get(world.surface);
		scene_node_set_position(&world.tree->node, larger ? WIDTH - 20 : 20, 0);
		scene_update(world.scene);
		int64_t now = SECOND;
		for (int i = 0; i < 200; i++) {
			now += SECOND / 60;
			note_there(&world, i % 2, true, now);
		}
		assert_int_equal(world.n_changed, 1);
		assert_ptr_equal(
			scanout_candidate_plane(candidate, &output), &world.planes[larger]);
		assert_ptr_equal(output, &world.outputs[larger]);
		/* The other one has no plane for it, gives up planes, or is alone in drawing. */
		for (int i = 0; i < 600; i++) {
			now += SECOND / 60;
			note_there(&world, !larger, i % 3, now);
			scanout_candidate_drop(
				world.shown[!larger], &world.shown[!larger]->entries[0]);
			if (i < 300) {
				note_there(&world, larger, true, now);
			}
		}
		assert_int_equal(world.n_changed, 1);
		scanout_candidate_drop(world.shown[larger], &world.shown[larger]->entries[0]);
		assert_int_equal(world.n_changed, 2);
		assert_null(scanout_candidate_plane(candidate, &output));
		end(&world);
	}
}

/*
 * An overlay and the primary plane take other modifiers, so the client needs to hear of each move
 * between them, whether the plane shows its buffers already or could show others.
 */
static void move_to_a_plane_with_other_formats_is_announced(void **state)
{
	static const struct {
		uint32_t format;
		uint64_t modifier;
		bool told;
	} cases[] = {
		{DRM_FORMAT_XRGB8888, 0, false}, /* which the primary plane has, too */
		{DRM_FORMAT_XRGB8888, 1, true},
		{DRM_FORMAT_NV12, 0, true},
	};
	for (int i = 0; i < 3 * 2 * 2; i++) {
		const bool shows = i / 3 % 2, fills_first = i / 6;
		struct plane overlay = {.type = PLANE_OVERLAY, .index = 1};
		struct candidate_world world;
		const struct output *output = NULL;
		begin(&world);
		const struct plane *planes[] = {&world.planes[0], &overlay};
		const struct scanout_candidate *candidate = scanout_candidate_get(world.surface);
		format_set_add(&overlay.formats, DRM_FORMAT_XRGB8888, 0);
		format_set_add(&overlay.formats, cases[i % 3].format, cases[i % 3].modifier);
		world.outputs[0].planes[world.outputs[0].n_planes++] = &overlay;
		scene_update(world.scene);
		int n_expected = 0;
		for (int step = 0; step < 12; step++) {
			const int at = (step / 3 + fills_first + 1) % 2;
			const struct assign_entry assigned = {
				.dst = {0, 0, at ? WIDTH / 2 : WIDTH, HEIGHT},
				.plane = shows ? planes[at] : NULL,
				.reason = shows ? REASON_BEST : REASON_PLANE_FORMAT};
			scanout_candidate_note(world.shown[0], &world.shown[0]->entries[0],
				&assigned, (step + 1) * SECOND);
			n_expected += step == 1 || (step > 1 && step % 3 == 0 && cases[i % 3].told);
			assert_int_equal(world.n_changed, n_expected);
			if (step > 0) {
				assert_ptr_equal(
					scanout_candidate_plane(candidate, &output), planes[at]);
			}
		}
		end(&world);
		format_set_finish(&overlay.formats);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(move_to_a_plane_with_other_formats_is_announced),
		cmocka_unit_test(move_to_another_output_is_announced),
		cmocka_unit_test(screen_in_place_of_another_is_announced),
		cmocka_unit_test(time_before_a_break_does_not_count),
		cmocka_unit_test(pause_of_planes_changes_no_candidate),
		cmocka_unit_test(dropped_candidate_waits_before_it_is_announced_again),
		cmocka_unit_test(surface_across_outputs_has_one_candidate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
