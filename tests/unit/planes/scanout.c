/* SPDX-License-Identifier: MIT */
/*
 * Frames on planes: after any change or refusal, the planes together must display the same as full
 * composition, while only damage is drawn.
 */

#include "planes/scanout.h"
#include "buffer/dmabuf_buffer.h"
#include "frame/frame.h"
#include "gpu/gpu.h"
#include "harness/scan_world.h"
#include "harness/unit.h"
#include "util/fd.h"
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

/* Puts the icon of a drag at this place of the cursor, above or below the pointer's image. */
static void drag_icon(struct scan_world *world, int x, int y, bool above)
{
	struct scene_node *node = &world->icon->node;
	scene_node_set_enabled(node, true);
	scene_node_set_position(node, x, y);
	if (above) {
		scene_node_raise_to_top(node);
	} else {
		scene_node_lower_to_bottom(node);
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
		drag_icon(world, random_between(-30, 30), random_between(-30, 30),
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

/* The hotspot is at 3,2. */
static void move_cursor(struct scan_world *world)
{
	struct scene_node *node = &world->cursor_tree->node;
	scene_node_set_position(
		node, random_between(-6, WIDTH - 2), random_between(-6, HEIGHT - 2));
	world->scene->pointer = (struct coord_global){node->x + 3.5, node->y + 2.5};
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

/* Passes take two periods from now on. */
static void slow_down(struct scan_world *world)
{
	struct schedule *schedule = &world->frame->schedule;
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		schedule_add(schedule, STAGE_GPU, 2 * PERIOD);
	}
}

/* Lets a period pass; or, with a slow GPU, sometimes two in which no page flip ends. */
static void pass_slowly_or_not(struct scan_world *world, bool slow)
{
	if (slow) {
		slow_down(world);
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
					move_cursor(&world);
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

static const struct plane_state *find_cursor(const struct screen *screen)
{
	const struct output_state *state = &screen->state;
	for (int i = 0; i < state->n_planes; i++) {
		if (state->planes[i].plane->type == PLANE_CURSOR) {
			return &state->planes[i].state;
		}
	}
	return NULL;
}

/* The host of a virtual machine draws the cursor itself and needs the hotspot. */
static void expect_cursor(const struct screen *screen, int scale)
{
	const struct plane_state *cursor = find_cursor(screen);
	assert_non_null(cursor);
	assert_int_equal(cursor->hotspot_x, 3 * scale);
	assert_int_equal(cursor->hotspot_y, 2 * scale);
}

/* Begins with six planes and the windows of the bits `shown`. Returns the second window, at 4,4. */
static struct window *begin_with(struct scan_world *world, unsigned shown)
{
	scan_begin(world, 1);
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
		scan_draw(video);
		scan_pass(world, 2);
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
		scan_draw(video);
		move_cursor(&world);
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

/*
 * The cursor plane shows the pointer's image with all of a drag's icon, on any side of it, below or
 * above; both are composed if they exceed the plane.
 */
static void drag_icon_is_on_the_cursor_plane_in_full(void **state)
{
	static const enum wl_output_transform turns[] = {WL_OUTPUT_TRANSFORM_NORMAL,
		WL_OUTPUT_TRANSFORM_180, WL_OUTPUT_TRANSFORM_FLIPPED,
		WL_OUTPUT_TRANSFORM_FLIPPED_180};
	static const int places[] = {-70, -20, -3, 2, 20, 70};
	struct scan_world world;
	begin_with(&world, 1 << 0);
	for (int i = 0; i < 4 * 6 * 6 * 2; i++) {
		const int x = places[i / 2 % 6], y = places[i / 12 % 6];
		scene_output_set_transform(world.scene_output, turns[i / 72]);
		drag_icon(&world, x, y, i % 2);
		move_cursor(&world);
		scan_pass(&world, 3);
		scan_expect_composition(&world, "a drag", i);
		if (abs(x) < 50 && abs(y) < 50 && !find_cursor(&world.screen)) {
			fail_msg("icon at %d,%d, turned by %d: composed", x, y, turns[i / 72]);
		}
	}
	scan_end(&world);
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
		struct window *video = begin_with(&world, 1 << 1);
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
	struct window *video = begin_with(&world, 1 << 1);
	play(&world, video, 6);
	const int n_planes = world.screen.state.n_planes;
	clock_advance(world.clock, INT64_C(1000000000));
	move_cursor(&world);
	scan_pass(&world, 2);
	assert_int_equal(world.screen.state.n_planes, n_planes);
	clock_advance(world.clock, INT64_C(1500000000));
	move_cursor(&world);
	scan_pass(&world, 2);
	assert_int_equal(world.screen.state.n_planes, n_planes - 1);
	scan_end(&world);
}

/* The overlay's content is composed from the next frame on, and returns to the overlay later. */
static void economy_level_composes_overlays(void **state)
{
	struct scan_world world;
	struct window *video = begin_with(&world, 1 << 1);
	play(&world, video, 6);
	scene_node_set_enabled(&world.cursor_tree->node, false);
	scan_pass(&world, 2);
	assert_int_equal(world.screen.state.n_planes, 2);
	assert_true(frame_output_economise(world.frame, FRAME_ECONOMY_OVERLAYS));
	scan_pass(&world, 2);
	assert_int_equal(world.screen.state.n_planes, 1);
	assert_false(frame_output_economise(world.frame, FRAME_ECONOMY_MAX));
	assert_false(frame_output_economise(world.frame, FRAME_ECONOMY_NONE));
	play(&world, video, 30);
	assert_int_equal(world.screen.state.n_planes, 2);
	scan_end(&world);
}

/* Draws the window on a slow GPU, until its frame is in flight. */
static void draw_slowly(struct scan_world *world, struct window *window)
{
	slow_down(world);
	scan_draw(window);
	while (!world->screen.flight) {
		assert_true(clock_advance_to_next(world->clock));
	}
}

/* Draws the window twice: the second time during a page flip that is late. */
static void overlap(struct scan_world *world, struct window *window)
{
	draw_slowly(world, window);
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
		struct window *video = begin_with(&world, 1 << 0 | 1 << 1 | 1 << 2);
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
	scan_end(&world);
}

/* Moves the icon of a drag in relation to the pointer, both on the screen: another image. */
static void change_cursor(struct scan_world *world, int n)
{
	drag_icon(world, n % 25 - 12, n % 19 - 9, n % 2);
	scene_node_set_position(&world->cursor_tree->node, 20 + n % 3, 16);
}

/*
 * Each image is drawn into a buffer that is neither on the screen nor in flight, which the screen
 * checks, also while a page flip is late.
 */
static void cursor_images_in_use_stay_as_they_are(void **state)
{
	struct scan_world world;
	struct window *window = begin_with(&world, 1 << 0 | 1 << 1);
	int n_images = 0;
	for (int i = 0; i < 120; i++) {
		const uint64_t drawn = world.frame->stats.cursors_drawn;
		change_cursor(&world, n_images++);
		scan_pass(&world, i % 4);
		if (i % 3 > 0) {
			draw_slowly(&world, window);
		}
		for (int n = 0; n < i % 3; n++) {
			change_cursor(&world, n_images++);
			scan_draw(window);
			clock_advance(world.clock, 2 * PERIOD);
			assert_true(world.screen.flight);
		}
		scan_pass(&world, 4);
		scan_expect_composition(&world, "new cursors", i);
		assert_non_null(find_cursor(&world.screen));
		assert_true(world.frame->stats.cursors_drawn > drawn);
	}
	scan_end(&world);
}

/* Adds an image that the CPU cannot read, since a GPU drew it. */
static struct surface *add_unreadable(struct scan_world *world, struct gpu *home)
{
	struct dmabuf dmabuf;
	dmabuf_init_linear(&dmabuf, 8, 8, DRM_FORMAT_ARGB8888,
		fd_create_memory("test-cursor", 4096, true), 8 * 4);
	struct buffer *buffer = dmabuf_buffer_create(&dmabuf, home);
	struct surface *surface = surface_create(world->loop, NULL);
	assert_non_null(buffer);
	buffer_replace(&surface->pending.buffer, buffer);
	surface->pending.fields |= SURFACE_BUFFER;
	assert_true(derive_and_commit(surface));
	buffer_drop(buffer);
	surface_map(surface);
	return surface;
}

/* The old image would be wrong: the cursor is composed until all of its parts can be drawn. */
static void cursor_that_cannot_be_drawn_leaves_its_plane(void **state)
{
	struct gpu home = {.driver = (char *)"amdgpu", .fd = -1};
	struct scan_world world;
	begin_with(&world, 1 << 0);
	struct scene_node *image = wl_container_of(world.cursor_tree->children.next, image, link);
	for (int i = 0; i < 2 * 2 * 3; i++) {
		const bool replaces = i % 2, below = i / 2 % 2;
		scan_pass(&world, 4);
		assert_non_null(find_cursor(&world.screen));
		struct surface *surface = add_unreadable(&world, &home);
		struct scene_tree *tree = scene_surface_tree_create(world.cursor_tree, surface);
		/* A client's own image, or the icon of a drag at the image. */
		scene_node_set_enabled(image, !replaces);
		if (below) {
			scene_node_lower_to_bottom(&tree->node);
		}
		for (int frame = 0; frame < 4; frame++) {
			if (frame > 1) {
				move_cursor(&world);
			}
			scan_pass(&world, 1);
		}
		assert_null(find_cursor(&world.screen));
		scene_node_set_enabled(image, true);
		surface_destroy(surface);
	}
	scan_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_scenes_equal_full_composition),
		cmocka_unit_test(candidate_is_announced_and_revoked_once),
		cmocka_unit_test(video_frame_on_a_plane_draws_nothing),
		cmocka_unit_test(drag_icon_is_on_the_cursor_plane_in_full),
		cmocka_unit_test(frames_with_planes_are_not_drawn_ahead),
		cmocka_unit_test(window_that_planes_show_otherwise_is_composed),
		cmocka_unit_test(paused_video_keeps_its_plane_for_a_while),
		cmocka_unit_test(economy_level_composes_overlays),
		cmocka_unit_test(cursor_that_cannot_be_drawn_leaves_its_plane),
		cmocka_unit_test(cursor_images_in_use_stay_as_they_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
