/* SPDX-License-Identifier: MIT */
/*
 * Windows of another GPU whose buffers change their size, format or modifier while copies are slow:
 * the last content stays until a copy of the new one is there.
 */

#include "copy/copier.h"
#include "resize_world.h"
#include "surface/surface.h"
#include "surface/transaction.h"
#include <drm_fourcc.h>

#define STORM 12 /* sizes in a row */

/* The window stays red at its size while its next buffer is copied, and is then blue. */
static void expect_wait(
	struct world *world, struct canvas *old, struct canvas *new, struct peer_window *window)
{
	uint32_t beside = fixture_pixel(world->fixture, WIDTH - 1, HEIGHT - 1);
	fake_gpu_hold(world->fake);
	canvas_show_color(new, window, BLUE);
	for (int i = 0; i < 20; i++) {
		fixture_frames(world->fixture, 1);
		resize_expect(world, 0, 0, RED);
		resize_expect(world, old->width - 1, old->height - 1, RED);
		resize_expect(world, WIDTH - 1, HEIGHT - 1, beside);
		assert_int_equal(new->n_released, 0);
	}
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 3);
	resize_expect(world, 0, 0, BLUE);
	resize_expect(world, new->width - 1, new->height - 1, BLUE);
	resize_expect(world, WIDTH - 1, HEIGHT - 1, beside);
	assert_int_equal(old->n_released, 1);
	assert_int_equal(new->n_released, 1);
}

static void content_stays_until_another_is_copied(struct world *world, struct canvas *new)
{
	struct canvas old;
	struct peer_window *window = resize_open(&old, world, 200, 150);
	uint64_t copied = world_copied(world);
	expect_wait(world, &old, new, window);
	assert_int_equal(world_copied(world) - copied, new->width *new->height * 4);
	/* Later updates of the same size are copied as usual. */
	copied = world_copied(world);
	canvas_fill(new, 0xff00c800);
	canvas_commit(new, window, 16, 16, 32, 32);
	fixture_frames(world->fixture, 3);
	resize_expect(world, 20, 20, 0x00c800);
	resize_expect(world, 0, 0, BLUE);
	assert_int_equal(world_copied(world) - copied, 32 * 32 * 4);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(new);
}

static void content_stays_until_a_larger_one_is_copied(void **state)
{
	struct canvas new;
	canvas_init_sized(&new, *state, 260, 190, DRM_FORMAT_XRGB8888, false);
	content_stays_until_another_is_copied(*state, &new);
}

static void content_stays_until_a_smaller_one_is_copied(void **state)
{
	struct canvas new;
	canvas_init_sized(&new, *state, 100, 90, DRM_FORMAT_XRGB8888, false);
	content_stays_until_another_is_copied(*state, &new);
}

/* As browsers do. */
static void content_stays_until_another_format_is_copied(void **state)
{
	struct canvas new;
	canvas_init_sized(&new, *state, 200, 150, DRM_FORMAT_ARGB8888, false);
	content_stays_until_another_is_copied(*state, &new);
}

static void content_stays_until_another_modifier_is_copied(void **state)
{
	struct canvas new;
	canvas_init_sized(&new, *state, 200, 150, DRM_FORMAT_XRGB8888, true);
	content_stays_until_another_is_copied(*state, &new);
}

/* A window of shared memory goes on with the buffers of another GPU. */
static void uploaded_content_stays_until_a_buffer_is_copied(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = resize_open(&old, world, 200, 150);
	struct peer_buffer *shared =
		peer_buffer_create(world->peer, 200, 150, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(shared, 0, 0, 200, 150, RED);
	peer_surface_show(window->surface, shared);
	fixture_frames(world->fixture, 3);
	canvas_init_sized(&new, world, 200, 150, DRM_FORMAT_XRGB8888, false);
	expect_wait(world, &old, &new, window);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

/* Returns the commit of the color; -1: none. */
static int find_commit(uint32_t color)
{
	return (color & 0xffff00) == 0x008000 ? (int)(color & 0xff) : -1;
}

static void show_size(struct canvas *canvas, struct world *world, struct peer_window *window, int i)
{
	canvas_init_sized(canvas, world, 120 + 11 * i, 170 - 7 * i, DRM_FORMAT_XRGB8888, false);
	canvas_show_color(canvas, window, 0x008000 | (uint32_t)i);
}

/*
 * Each frame shows one of the sizes as a whole, never an earlier one than before. `pause`: between
 * the sizes, in frames.
 */
static void change_sizes(struct world *world, int pause, bool slow)
{
	struct canvas canvas[STORM];
	struct peer_window *window = resize_open(&canvas[0], world, 120, 170);
	canvas_show_color(&canvas[0], window, 0x008000);
	fixture_frames(world->fixture, 3);
	uint32_t beside = fixture_pixel(world->fixture, WIDTH - 1, HEIGHT - 1);
	int shown = 0;
	for (int i = 1; i < STORM + 40; i++) {
		if (slow) {
			fake_gpu_hold(world->fake);
			fake_gpu_step(world->fake, i % 3 == 0);
		}
		if (i < STORM) {
			show_size(&canvas[i], world, window, i);
		}
		fixture_frames(world->fixture, i < STORM ? pause : 1);
		if (i == STORM + 20) {
			slow = false;
			fake_gpu_release(world->fake);
		}
		int now = find_commit(fixture_pixel(world->fixture, 0, 0));
		assert_in_range(now, shown, STORM - 1);
		shown = now;
		uint32_t color = 0x008000 | (uint32_t)now;
		resize_expect(world, canvas[now].width - 1, canvas[now].height - 1, color);
		resize_expect(world, canvas[now].width, 0, beside);
		resize_expect(world, 0, canvas[now].height, beside);
	}
	assert_int_equal(shown, STORM - 1);
	for (int i = 0; i < STORM; i++) {
		assert_true(canvas[i].n_released >= 1);
		canvas_finish(&canvas[i]);
	}
	peer_window_destroy(window);
	fixture_frames(world->fixture, 3);
}

static void storm_of_sizes_shows_whole_windows(void **state)
{
	for (int pause = 0; pause < 3; pause++) {
		change_sizes(*state, pause, false);
		change_sizes(*state, pause, true);
	}
}

/* Updates that follow while one is copied are merged: two copies for twelve sizes. */
static void sizes_of_one_frame_are_not_all_copied(void **state)
{
	struct world *world = *state;
	struct canvas canvas[STORM];
	struct peer_window *window = resize_open(&canvas[0], world, 120, 170);
	uint64_t copies = world->fixture->server->copier->totals.copies;
	for (int i = 1; i < STORM; i++) {
		show_size(&canvas[i], world, window, i);
	}
	fixture_frames(world->fixture, 5);
	resize_expect(world, 0, 0, 0x008000 | (STORM - 1));
	assert_in_range(world->fixture->server->copier->totals.copies - copies, 1, 2);
	for (int i = 0; i < STORM; i++) {
		assert_int_equal(canvas[i].n_released, 1);
		canvas_finish(&canvas[i]);
	}
	peer_window_destroy(window);
}

/* The parent, of shared memory, and its synchronised child change in one frame. */
static void tree_waits_for_the_copy_of_a_subsurface(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window =
		peer_window_create(world->peer, 0, 0, 100, 50, 0xff000000 | RED);
	struct wl_surface *surface = wl_compositor_create_surface(world->peer->compositor);
	struct wl_subsurface *subsurface =
		peer_subsurface(world->peer, surface, window->surface, 0, 50);
	struct peer_window child = {.surface = surface};
	canvas_init_sized(&old, world, 100, 80, DRM_FORMAT_XRGB8888, false);
	canvas_init_sized(&new, world, 140, 90, DRM_FORMAT_XRGB8888, false);
	canvas_show_color(&old, &child, RED);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 5);
	resize_expect(world, 99, 129, RED);

	struct peer_buffer *larger =
		peer_buffer_create(world->peer, 140, 50, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(larger, 0, 0, 140, 50, BLUE);
	fake_gpu_hold(world->fake);
	canvas_show_color(&new, &child, BLUE);
	peer_surface_show(window->surface, larger);
	for (int i = 0; i < 20; i++) {
		fixture_frames(world->fixture, 1);
		resize_expect(world, 0, 0, RED);
		resize_expect(world, 99, 129, RED);
	}
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 3);
	resize_expect(world, 139, 0, BLUE);
	resize_expect(world, 139, 139, BLUE);
	wl_subsurface_destroy(subsurface);
	wl_surface_destroy(surface);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

/* The newest size is shown when the copy of an earlier one has ended. */
static void newer_updates_follow_the_one_that_waits(void **state)
{
	struct world *world = *state;
	struct canvas old, new, newest;
	struct peer_window *window = resize_open(&old, world, 200, 150);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	canvas_init_sized(&newest, world, 200, 150, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	canvas_show_color(&new, window, BLUE);
	fixture_frames(world->fixture, 3);
	canvas_show_color(&newest, window, 0x00c800);
	fixture_frames(world->fixture, 3);
	resize_expect(world, 199, 149, RED);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	resize_expect(world, 199, 149, 0x00c800);
	assert_int_equal(old.n_released, 1);
	assert_int_equal(new.n_released, 1);
	assert_int_equal(newest.n_released, 1);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
	canvas_finish(&newest);
}

/* As by contents on two GPUs, of which another one merges the updates. */
static void update_that_is_merged_while_it_waits_shows_the_newest(void **state)
{
	struct world *world = *state;
	const uint32_t formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888};
	for (int i = 0; i < 2; i++) {
		struct canvas old, new, newest;
		struct peer_window *window = resize_open(&old, world, 200, 150);
		canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
		canvas_init_sized(&newest, world, 260, 190, formats[i], false);
		fake_gpu_hold(world->fake);
		canvas_show_color(&new, window, 0x00c800);
		fixture_frames(world->fixture, 2);
		canvas_show_color(&newest, window, BLUE);
		fixture_frames(world->fixture, 2);
		struct surface *surface = peer_surface_find(world->peer, window->surface);
		struct update *update = wl_container_of(surface->queue.next, update, link);
		update_absorb(update);
		fake_gpu_release(world->fake);
		fixture_frames(world->fixture, 4);
		resize_expect(world, 0, 0, BLUE);
		resize_expect(world, 259, 189, BLUE);
		assert_int_equal(old.n_released, 1);
		assert_int_equal(new.n_released, 1);
		assert_int_equal(newest.n_released, 1);
		peer_window_destroy(window);
		canvas_finish(&old);
		canvas_finish(&new);
		canvas_finish(&newest);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, resize_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(content_stays_until_a_larger_one_is_copied),
		TEST(content_stays_until_a_smaller_one_is_copied),
		TEST(content_stays_until_another_format_is_copied),
		TEST(content_stays_until_another_modifier_is_copied),
		TEST(uploaded_content_stays_until_a_buffer_is_copied),
		TEST(storm_of_sizes_shows_whole_windows),
		TEST(sizes_of_one_frame_are_not_all_copied),
		TEST(tree_waits_for_the_copy_of_a_subsurface),
		TEST(newer_updates_follow_the_one_that_waits),
		TEST(update_that_is_merged_while_it_waits_shows_the_newest),
	};

	return cmocka_run_group_tests_name("resizes", tests, NULL, NULL);
}
