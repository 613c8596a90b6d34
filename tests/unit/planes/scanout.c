/* SPDX-License-Identifier: MIT */
/*
 * Frames on planes: after any change or refusal, the planes together must display the same as full
 * composition, while only damage is drawn.
 */

#include "planes/scanout.h"
#include "frame/frame.h"
#include "harness/scan_world.h"
#include "harness/unit.h"
#include <stdlib.h>

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
	switch (random_between(0, 15)) {
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
	case 12:
		scan_drag_icon(world, random_between(-30, 30), random_between(-30, 30),
			random_between(0, 1));
		return "a drag began or its icon moved";
	case 13: scene_node_set_enabled(&world->icon->node, false); return "a drag ended";
	case 14:
		scene_node_set_enabled(&world->pointer.tree->node, random_between(0, 3));
		return "a client set its own cursor or the usual one";
	default:
		scene_node_set_enabled(&world->cursor_tree->node, random_between(0, 4));
		return "the cursor came or went";
	}
}

/*
 * Draws the client's cursor, or selects its other picture. Another output may update the scene
 * before this one draws it.
 */
static void animate_pointer(struct scan_world *world)
{
	if (random_between(0, 1)) {
		scan_turn_pointer(world, random_between(0, 1));
		assert_true(derive_and_commit(world->pointer.surface));
	} else {
		scan_draw(&world->pointer);
	}
	if (random_between(0, 1)) {
		scene_update(world->scene);
	}
}

/* Lets a period pass; or, with a slow GPU, sometimes two in which no page flip ends. */
static void pass_slowly_or_not(struct scan_world *world, bool slow)
{
	if (slow) {
		scan_slow_down(world);
	}
	if (slow && random_between(0, 1)) {
		clock_advance(world->clock, 2 * PERIOD);
	} else {
		scan_pass(world, 1);
	}
}

static void random_scenes_equal_full_composition(void **state)
{
	uint64_t scanouts = 0, frames = 0, cursors = 0, ahead = 0;
	for (int i = 0; i < 12; i++) {
		struct scan_world world;
		scan_begin(&world, i % 2 ? random_between(60, 360) / 120.0 : 1);
		for (int step = 0; step < 120; step++) {
			const char *what = change(&world);
			/* Mostly long enough for a plane to be assigned. */
			for (int frame = random_between(1, 8); frame > 0; frame--) {
				for (int w = 0; w < N_WINDOWS; w++) {
					if (world.windows[w].busy) {
						scan_draw(&world.windows[w]);
					}
				}
				if (!random_between(0, 2)) {
					animate_pointer(&world);
				}
				if (random_between(0, 1)) {
					scan_move_cursor(&world);
				}
				pass_slowly_or_not(&world, i % 3 == 0);
			}
			scan_pass(&world, 6);
			scan_expect_composition(&world, what, i * 1000 + step);
			expect_reasons(&world);
			if (random_between(0, 5) == 0) {
				clock_advance(world.clock, 40 * PERIOD);
			}
		}
		scanouts += world.frame->stats.scanouts;
		frames += world.frame->stats.frames;
		cursors += world.frame->stats.cursors_drawn;
		ahead += world.frame->stats.ahead;
		scan_end(&world);
	}
	/* Planes were used for some frames, but not for all of them. */
	assert_in_range(scanouts, frames / 20, frames - frames / 20);
	assert_true(cursors > 10 && ahead > 100);
}

/* The host of a virtual machine draws the cursor itself and needs the hotspot. */
static void expect_cursor(const struct screen *screen, int scale)
{
	const struct plane_state *cursor = scan_find_cursor(screen);
	assert_non_null(cursor);
	assert_int_equal(cursor->hotspot_x, 3 * scale);
	assert_int_equal(cursor->hotspot_y, 2 * scale);
}

static void play(struct scan_world *world, struct window *video, int n_frames)
{
	for (int i = 0; i < n_frames; i++) {
		scan_draw(video);
		scan_pass(world, 2);
	}
}

static void resize(struct window *window, int width, int height, bool opaque)
{
	window->width = width;
	window->height = height;
	window->surface->pending.viewport =
		(struct viewport){.has_dst = true, .dst_width = width, .dst_height = height};
	window->surface->pending.fields |= SURFACE_VIEWPORT;
	scan_draw_anew(window, opaque);
}

/*
 * Puts translucent controls over the video, which no plane can show: it leaves its overlay for a
 * plane below them.
 */
static void add_controls(struct scan_world *world)
{
	struct window *controls = &world->windows[2];
	resize(&world->windows[1], 30, 20, true);
	resize(controls, 14, 8, false);
	pixman_region32_fini(&controls->clip);
	pixman_region32_init_rect(&controls->clip, 0, 0, 10, 8);
	scene_surface_set_clip(controls->surface, &controls->clip);
	scene_node_set_enabled(&controls->tree->node, true);
	scene_node_set_position(&controls->tree->node, 6, 6);
	scene_node_raise_to_top(&controls->tree->node);
}

static enum scene_place find_place(const struct scan_world *world, const struct window *window)
{
	const struct scene_output *output = world->scene_output;
	const int index = window->tree->content->node.entry_index[output->index];
	return output->entries[index].place;
}

/* A video frame on a plane costs no pass, no atomic test, and no damage. */
static void expect_no_drawing(bool under)
{
	struct scan_world world;
	struct window *video = scan_begin_with(&world, 1 << 0 | 1 << 1);
	if (under) {
		add_controls(&world);
	}
	play(&world, video, 30);
	assert_int_equal(find_place(&world, video), under ? PLACE_UNDER : PLACE_OVER);
	uint64_t passes = world.device->renderer->stats.passes, tests = world.frame->stats.tests;
	uint64_t frames = world.frame->stats.frames, cursors = world.frame->stats.cursors_drawn;
	for (int i = 0; i < 100; i++) {
		scan_draw(video);
		scan_move_cursor(&world);
		scan_pass(&world, 2);
		scan_expect_composition(&world, "a video with a cursor", i);
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
	scan_pass(&world, 8);
	expect_cursor(&world.screen, 2);
	scan_end(&world);
}

static void video_frame_on_a_plane_draws_nothing(void **state)
{
	expect_no_drawing(false);
	expect_no_drawing(true);
}

static void spoil_shape(struct scan_world *world, struct window *window)
{
	pixman_region32_fini(&window->clip);
	pixman_region32_init_rect(&window->clip, 3, 2, 5, 4);
	scene_surface_set_clip(window->surface, &window->clip);
}

/* The filter of a plane would blur them. */
static void spoil_filter(struct scan_world *world, struct window *window)
{
	window->surface->rules.sharp = true;
	scene_output_set_scale(world->scene_output, 2);
}

/* The filter of a plane may reach further into translucent pixels. */
static void spoil_opaque_part(struct scan_world *world, struct window *window)
{
	pixman_region32_t *opaque = &window->surface->pending.opaque;
	pixman_region32_fini(opaque);
	pixman_region32_init_rect(
		opaque, 0, 0, (unsigned)window->width, (unsigned)window->height / 2);
	window->surface->pending.fields |= SURFACE_OPAQUE;
	scene_output_set_scale(world->scene_output, 2);
}

/* The content is busy, and the driver accepts all planes. */
static void window_that_planes_show_otherwise_is_composed(void **state)
{
	static const struct {
		void (*spoil)(struct scan_world *world, struct window *window);
		bool opaque;
		enum route_reason reason;
	} cases[] = {
		{spoil_shape, true, REASON_SHAPED},
		{spoil_shape, false, REASON_SHAPED},
		{spoil_filter, true, REASON_TRANSFORM},
		{spoil_filter, false, REASON_TRANSFORM},
		{spoil_opaque_part, false, REASON_TRANSFORM},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scan_world world;
		struct window *video = scan_begin_with(&world, 1 << 1);
		scan_draw_anew(video, cases[i].opaque);
		play(&world, video, 6);
		const struct scene_node *node = &video->tree->content->node;
		assert_int_equal(scanout_reason(world.frame->scanout, node), REASON_BEST);
		cases[i].spoil(&world, video);
		play(&world, video, 6);
		assert_int_equal(scanout_reason(world.frame->scanout, node), cases[i].reason);
		scan_expect_composition(&world, "a window that planes show otherwise", (int)i);
		scan_end(&world);
	}
}

/* Frames of other content during a pause, as between scenes, leave the video on its plane. */
static void paused_video_keeps_its_plane_for_a_while(void **state)
{
	struct scan_world world;
	struct window *video = scan_begin_with(&world, 1 << 1);
	play(&world, video, 6);
	const int n_planes = world.screen.state.n_planes;
	clock_advance(world.clock, INT64_C(1000000000));
	scan_move_cursor(&world);
	scan_pass(&world, 2);
	assert_int_equal(world.screen.state.n_planes, n_planes);
	clock_advance(world.clock, INT64_C(1500000000));
	scan_move_cursor(&world);
	scan_pass(&world, 2);
	assert_int_equal(world.screen.state.n_planes, n_planes - 1);
	scan_end(&world);
}

/*
 * The overlay's content is composed from the next frame on, and returns to the overlay later; so
 * does content that was never on one, if it begins while overlays are given up.
 */
static void expect_economy(bool under, bool late, bool deepest)
{
	struct scan_world world;
	struct window *video = scan_begin_with(&world, 1 << 1);
	if (under) {
		add_controls(&world);
	}
	if (!late) {
		play(&world, video, 30);
		assert_int_equal(find_place(&world, video), under ? PLACE_UNDER : PLACE_OVER);
	}
	scene_node_set_enabled(&world.cursor_tree->node, false);
	scan_pass(&world, 2);
	assert_int_equal(world.screen.state.n_planes, late ? 1 : 2);
	assert_int_equal(frame_output_economise(world.frame, FRAME_ECONOMY_OVERLAYS), !late);
	scan_pass(&world, 2);
	assert_int_equal(world.screen.state.n_planes, 1);
	play(&world, video, 30);
	assert_int_equal(world.screen.state.n_planes, 1);
	if (deepest) {
		assert_false(frame_output_economise(world.frame, FRAME_ECONOMY_MAX));
	}
	assert_false(frame_output_economise(world.frame, FRAME_ECONOMY_NONE));
	play(&world, video, 30);
	assert_int_equal(world.screen.state.n_planes, 2);
	assert_int_equal(find_place(&world, video), under ? PLACE_UNDER : PLACE_OVER);
	scan_end(&world);
}

static void economy_level_composes_overlays(void **state)
{
	for (int i = 0; i < 8; i++) {
		expect_economy(i & 1, i & 2, i & 4);
	}
}

/* Draws the window twice: the second time during a page flip that is late. */
static void overlap(struct scan_world *world, struct window *window)
{
	scan_draw_slowly(world, window);
	scan_draw(window);
	clock_advance(world->clock, 2 * PERIOD);
	scan_pass(world, 1);
	const int n_planes = world->screen.state.n_planes;
	scan_pass(world, 3);
	assert_int_equal(world->screen.state.n_planes, n_planes);
	scan_expect_composition(world, "overlapping frames", 0);
}

/* Frames drawn ahead have the composed buffer only: a cursor would flicker, and a video vanish. */
static void frames_with_planes_are_not_drawn_ahead(void **state)
{
	static const struct {
		bool cursor, video;
		int n_planes;
	} cases[] = {{false, false, 1}, {true, false, 2}, {false, true, 2}, {true, true, 3}};
	for (int i = 0; i < 4; i++) {
		struct scan_world world;
		struct window *video = scan_begin_with(&world, 1 << 0 | 1 << 1 | 1 << 2);
		struct window *quiet = &world.windows[2];
		scene_node_set_position(&quiet->tree->node, 40, 30);
		scene_node_set_enabled(&world.cursor_tree->node, cases[i].cursor);
		scene_node_lower_to_bottom(&quiet->tree->node);
		scene_node_lower_to_bottom(&world.windows[0].tree->node);
		world.screen.limit = cases[i].n_planes;
		if (cases[i].video) {
			play(&world, video, 8);
		}
		for (int round = 0; round < 20; round++) {
			overlap(&world, cases[i].video && round % 2 ? video : quiet);
			if (cases[i].video || cases[i].cursor) {
				assert_int_equal(world.screen.state.n_planes, cases[i].n_planes);
			}
		}
		assert_int_equal(world.frame->stats.ahead > 0, i == 0);
		scan_end(&world);
	}
}

/* Attaches the buffer as it is to the window's surface, with this coding. */
static void attach(struct window *window, struct buffer *buffer, struct color_coding coding)
{
	struct surface_state *pending = &window->surface->pending;
	buffer_replace(&pending->buffer, buffer);
	pixman_region32_union_rect(&pending->buffer_damage, &pending->buffer_damage, 0, 0,
		(unsigned)buffer->width, (unsigned)buffer->height);
	pending->viewport = (struct viewport){0};
	pending->coding = coding;
	pending->fields |= SURFACE_BUFFER | SURFACE_BUFFER_DAMAGE | SURFACE_VIEWPORT;
	assert_true(derive_and_commit(window->surface));
}

/* The coding belongs to the surface, not to the buffer that it shares with another. */
static void planes_get_the_codings_of_their_surfaces(void **state)
{
	static const struct color_coding codings[] = {
		{COLOR_MATRIX_BT601, COLOR_RANGE_FULL}, {COLOR_MATRIX_BT709, COLOR_RANGE_LIMITED}};
	struct scan_world world;
	struct window *video = scan_begin_with(&world, 1 << 1 | 1 << 2), *other = &world.windows[2];
	struct buffer *buffer = memory_buffer_create(8, 8, DRM_FORMAT_XRGB8888);
	scene_node_set_position(&other->tree->node, 40, 30);
	for (int frame = 0; frame < 30; frame++) {
		attach(video, buffer, codings[0]);
		attach(other, buffer, codings[1]);
		scan_pass(&world, 1);
	}
	const struct output_state *shown = &world.screen.state;
	int found = 0;
	for (int i = 0; i < shown->n_planes; i++) {
		const struct plane_state *plane = &shown->planes[i].state;
		const int expected = plane->dst.x == 40;
		if (plane->buffer == buffer) {
			assert_true(color_coding_equal(plane->coding, codings[expected]));
			found |= 1 << expected;
		}
	}
	assert_int_equal(found, 3);
	buffer_drop(buffer);
	scan_end(&world);
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
	struct window *video = scan_begin_with(&world, 1 << 1 | 1 << 2), *other = &world.windows[2];
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
	scan_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_scenes_equal_full_composition),
		cmocka_unit_test(candidate_is_announced_and_revoked_once),
		cmocka_unit_test(video_frame_on_a_plane_draws_nothing),
		cmocka_unit_test(frames_with_planes_are_not_drawn_ahead),
		cmocka_unit_test(window_that_planes_show_otherwise_is_composed),
		cmocka_unit_test(paused_video_keeps_its_plane_for_a_while),
		cmocka_unit_test(economy_level_composes_overlays),
		cmocka_unit_test(planes_get_the_codings_of_their_surfaces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
