/* SPDX-License-Identifier: MIT */
/*
 * Windows of another GPU whose buffers change their size, format or modifier while copies are slow
 * or fail: the last content stays until a copy of the new one is there.
 */

#include "content/internal.h"
#include "copy/copier.h"
#include "gpu/gpu.h"
#include "scene/output.h"
#include "shell/window.h"
#include "staging/staging.h"
#include "surface/surface.h"
#include "surface/transaction.h"
#include "world.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <unistd.h>

#define WIDTH 320 /* of the output */
#define HEIGHT 240
#define RED 0xc80000
#define BLUE 0x0000c8
#define STORM 12 /* sizes in a row */

static int set_up(void **state)
{
	const struct world_options options = {
		.width = WIDTH, .height = HEIGHT, .all_formats = true};
	*state = world_create_with(&options);
	return 0;
}

static void show(struct canvas *canvas, struct peer_window *window, uint32_t color)
{
	canvas_fill(canvas, 0xff000000 | color);
	canvas_commit(canvas, window, 0, 0, canvas->width, canvas->height);
}

static struct peer_window *open_window(struct canvas *canvas)
{
	canvas_fill(canvas, 0xff000000 | RED);
	struct peer_window *window = canvas_show(canvas);
	assert_int_equal(fixture_pixel(canvas->world->fixture, 10, 10), RED);
	return window;
}

static struct peer_window *open_sized(
	struct canvas *canvas, struct world *world, int width, int height)
{
	canvas_init_sized(canvas, world, width, height, DRM_FORMAT_XRGB8888, false);
	return open_window(canvas);
}

static const struct surface_state *current(struct world *world, struct peer_window *window)
{
	return &peer_surface_find(world->peer, window->surface)->current;
}

static void expect(struct world *world, int x, int y, uint32_t color)
{
	uint32_t pixel = fixture_pixel(world->fixture, x, y);
	if (pixel != color) {
		fail_msg("%d, %d: %06x, not %06x", x, y, pixel, color);
	}
}

/* The window stays red at its size while its next buffer is copied, and is then blue. */
static void expect_wait(
	struct world *world, struct canvas *old, struct canvas *new, struct peer_window *window)
{
	uint32_t beside = fixture_pixel(world->fixture, WIDTH - 1, HEIGHT - 1);
	fake_gpu_hold(world->fake);
	show(new, window, BLUE);
	for (int i = 0; i < 20; i++) {
		fixture_frames(world->fixture, 1);
		expect(world, 0, 0, RED);
		expect(world, old->width - 1, old->height - 1, RED);
		expect(world, WIDTH - 1, HEIGHT - 1, beside);
		assert_int_equal(new->n_released, 0);
	}
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 3);
	expect(world, 0, 0, BLUE);
	expect(world, new->width - 1, new->height - 1, BLUE);
	expect(world, WIDTH - 1, HEIGHT - 1, beside);
	assert_int_equal(old->n_released, 1);
	assert_int_equal(new->n_released, 1);
}

static void content_stays_until_another_is_copied(struct world *world, struct canvas *new)
{
	struct canvas old;
	struct peer_window *window = open_sized(&old, world, 200, 150);
	uint64_t copied = world_copied(world);
	expect_wait(world, &old, new, window);
	assert_int_equal(world_copied(world) - copied, new->width *new->height * 4);
	/* Later updates of the same size are copied as usual. */
	copied = world_copied(world);
	canvas_fill(new, 0xff00c800);
	canvas_commit(new, window, 16, 16, 32, 32);
	fixture_frames(world->fixture, 3);
	expect(world, 20, 20, 0x00c800);
	expect(world, 0, 0, BLUE);
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
	struct peer_window *window = open_sized(&old, world, 200, 150);
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
	show(canvas, window, 0x008000 | (uint32_t)i);
}

/*
 * Each frame shows one of the sizes as a whole, never an earlier one than before. `pause`: between
 * the sizes, in frames.
 */
static void change_sizes(struct world *world, int pause, bool slow)
{
	struct canvas canvas[STORM];
	struct peer_window *window = open_sized(&canvas[0], world, 120, 170);
	show(&canvas[0], window, 0x008000);
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
		expect(world, canvas[now].width - 1, canvas[now].height - 1, color);
		expect(world, canvas[now].width, 0, beside);
		expect(world, 0, canvas[now].height, beside);
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
	struct peer_window *window = open_sized(&canvas[0], world, 120, 170);
	uint64_t copies = world->fixture->server->copier->totals.copies;
	for (int i = 1; i < STORM; i++) {
		show_size(&canvas[i], world, window, i);
	}
	fixture_frames(world->fixture, 5);
	expect(world, 0, 0, 0x008000 | (STORM - 1));
	assert_in_range(world->fixture->server->copier->totals.copies - copies, 1, 2);
	for (int i = 0; i < STORM; i++) {
		assert_int_equal(canvas[i].n_released, 1);
		canvas_finish(&canvas[i]);
	}
	peer_window_destroy(window);
}

/* The next source takes a linear buffer, and nothing shows a tiled one: the client goes on. */
static void refused_copy_does_not_stop_the_client(void **state)
{
	struct world *world = *state;
	for (int linear = 0; linear < 2; linear++) {
		struct canvas old, new;
		struct peer_window *window = open_sized(&old, world, 200, 150);
		canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, linear);
		fake_gpu_fail_imports(world->fake, EINVAL, 1000);
		show(&new, window, BLUE);
		/* A few tries follow first. */
		fixture_sleep(world->fixture, INT64_C(2200000000));
		assert_int_equal(current(world, window)->buffer_width, 260);
		assert_int_equal(old.n_released, 1);
		fixture_sleep(world->fixture, INT64_C(3000000000));
		if (linear) {
			expect(world, 0, 0, BLUE);
			expect(world, 259, 189, BLUE);
		}
		fake_gpu_fail_imports(world->fake, 0, 0);
		peer_window_destroy(window);
		canvas_finish(&old);
		canvas_finish(&new);
	}
}

/* Memory is there again at the next try. */
static void content_stays_while_memory_is_short(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = open_sized(&old, world, 200, 150);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_fail_next(world->fake, ENOMEM, 1);
	show(&new, window, BLUE);
	for (int i = 0; i < 100 && fixture_pixel(world->fixture, 0, 0) != BLUE; i++) {
		fixture_frames(world->fixture, 1);
		uint32_t pixel = fixture_pixel(world->fixture, 199, 149);
		assert_true(pixel == RED || pixel == BLUE);
	}
	expect(world, 259, 189, BLUE);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

static void hung_engine_delays_an_update_for_two_seconds(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = open_sized(&old, world, 200, 150);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	show(&new, window, BLUE);
	fixture_sleep(world->fixture, INT64_C(1900000000));
	expect(world, 0, 0, RED);
	assert_int_equal(current(world, window)->buffer_width, 200);
	fixture_sleep(world->fixture, INT64_C(300000000));
	assert_int_equal(current(world, window)->buffer_width, 260);
	fake_gpu_release(world->fake);
	fake_gpu_fault(world->fake); /* its memory is gone */
	fixture_sleep(world->fixture, INT64_C(6000000000));
	canvas_commit(&new, window, 0, 0, 1, 1);
	fixture_frames(world->fixture, 4);
	expect(world, 0, 0, BLUE);
	expect(world, 259, 189, BLUE);
	assert_int_equal(old.n_released, 1);
	/* The next one waits again. */
	fake_gpu_hold(world->fake);
	show(&old, window, RED);
	fixture_frames(world->fixture, 4);
	expect(world, 0, 0, BLUE);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	expect(world, 199, 149, RED);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

static void hidden_window_waits_for_no_copy(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = open_sized(&old, world, 200, 150);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	window_set_minimized(peer_window_find(window), true);
	fixture_settle(world->fixture);
	uint64_t copied = world_copied(world);
	show(&new, window, BLUE);
	fixture_frames(world->fixture, 2);
	assert_int_equal(current(world, window)->buffer_width, 260);
	assert_int_equal(world_copied(world), copied);
	fake_gpu_release(world->fake);
	window_set_minimized(peer_window_find(window), false);
	fixture_frames(world->fixture, 4);
	expect(world, 259, 189, BLUE);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

static void window_that_is_hidden_ends_its_wait(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = open_sized(&old, world, 200, 150);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	show(&new, window, BLUE);
	fixture_frames(world->fixture, 3);
	assert_int_equal(current(world, window)->buffer_width, 200);
	window_set_minimized(peer_window_find(window), true);
	fixture_frames(world->fixture, 3);
	assert_int_equal(current(world, window)->buffer_width, 260);
	fake_gpu_release(world->fake);
	window_set_minimized(peer_window_find(window), false);
	fixture_frames(world->fixture, 4);
	expect(world, 259, 189, BLUE);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

/* A surface without content applies at once, and both buffers are the client's again. */
static void unmapped_window_ends_its_wait(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = open_sized(&old, world, 200, 150);
	uint32_t beside = fixture_pixel(world->fixture, WIDTH - 1, HEIGHT - 1);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	show(&new, window, BLUE);
	fixture_frames(world->fixture, 3);
	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 3);
	expect(world, 10, 10, beside);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 3);
	assert_int_equal(old.n_released, 1);
	assert_int_equal(new.n_released, 1);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

/* Each of buffer, surface, client and GPU. */
static void objects_destroyed_during_the_wait_are_released(void **state)
{
	struct world *world = *state;
	enum { BUFFER, WINDOW, GPU, CLIENT };
	for (int gone = BUFFER; gone <= CLIENT; gone++) {
		struct canvas old, new;
		struct peer_window *window = open_sized(&old, world, 200, 150);
		canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
		fake_gpu_hold(world->fake);
		show(&new, window, BLUE);
		fixture_frames(world->fixture, 3);
		switch (gone) {
		case BUFFER: wl_buffer_destroy(new.buffer); break;
		case WINDOW: peer_window_destroy(window); break;
		case GPU: fake_gpu_reset(world->fake); break;
		default: peer_destroy(world->peer); break;
		}
		fixture_frames(world->fixture, 3);
		fake_gpu_release(world->fake);
		fixture_sleep(world->fixture, INT64_C(3000000000));
		if (gone == BUFFER || gone == GPU) {
			expect(world, 0, 0, BLUE);
			expect(world, 259, 189, BLUE);
			peer_window_destroy(window);
		}
		if (gone != CLIENT) {
			wl_buffer_destroy(old.buffer);
		}
		if (gone == WINDOW || gone == GPU) {
			wl_buffer_destroy(new.buffer);
		}
		close(old.fd);
		close(new.fd);
		fake_gpu_fault(world->fake);
		fixture_frames(world->fixture, 3);
	}
	assert_int_equal(world->fixture->server->staging->memory, 0);
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
	show(&old, &child, RED);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 5);
	expect(world, 99, 129, RED);

	struct peer_buffer *larger =
		peer_buffer_create(world->peer, 140, 50, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(larger, 0, 0, 140, 50, BLUE);
	fake_gpu_hold(world->fake);
	show(&new, &child, BLUE);
	peer_surface_show(window->surface, larger);
	for (int i = 0; i < 20; i++) {
		fixture_frames(world->fixture, 1);
		expect(world, 0, 0, RED);
		expect(world, 99, 129, RED);
	}
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 3);
	expect(world, 139, 0, BLUE);
	expect(world, 139, 139, BLUE);
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
	struct peer_window *window = open_sized(&old, world, 200, 150);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	canvas_init_sized(&newest, world, 200, 150, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	show(&new, window, BLUE);
	fixture_frames(world->fixture, 3);
	show(&newest, window, 0x00c800);
	fixture_frames(world->fixture, 3);
	expect(world, 199, 149, RED);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	expect(world, 199, 149, 0x00c800);
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
		struct peer_window *window = open_sized(&old, world, 200, 150);
		canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
		canvas_init_sized(&newest, world, 260, 190, formats[i], false);
		fake_gpu_hold(world->fake);
		show(&new, window, 0x00c800);
		fixture_frames(world->fixture, 2);
		show(&newest, window, BLUE);
		fixture_frames(world->fixture, 2);
		struct surface *surface = peer_surface_find(world->peer, window->surface);
		struct update *update = wl_container_of(surface->queue.next, update, link);
		update_absorb(update);
		fake_gpu_release(world->fake);
		fixture_frames(world->fixture, 4);
		expect(world, 0, 0, BLUE);
		expect(world, 259, 189, BLUE);
		assert_int_equal(old.n_released, 1);
		assert_int_equal(new.n_released, 1);
		assert_int_equal(newest.n_released, 1);
		peer_window_destroy(window);
		canvas_finish(&old);
		canvas_finish(&new);
		canvas_finish(&newest);
	}
}

/* Copies that nothing shows yet are the client's memory, too. */
static void memory_of_a_copy_is_charged_during_the_wait(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = open_sized(&old, world, 200, 150);
	struct content *content = content_find(
		peer_surface_find(world->peer, window->surface), world->fixture->server->device);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	show(&new, window, BLUE);
	fixture_frames(world->fixture, 3);
	const struct staging *staging = world->fixture->server->staging;
	assert_true(staging->memory >= (200 * 150 + 260 * 190) * 4);
	assert_int_equal(content->charged, staging->memory);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 3);
	assert_int_equal(content->charged, staging->memory);
	assert_true(staging->memory < (200 * 150 + 260 * 190) * 4);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

/* The renderer and its contents go. The update applies without its copy. */
static void lost_renderer_ends_the_wait(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = open_sized(&old, world, 200, 150);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	show(&new, window, BLUE);
	fixture_frames(world->fixture, 2);
	assert_int_equal(current(world, window)->buffer_width, 200);
	content_drop_all(world->fixture->server->device);
	assert_int_equal(current(world, window)->buffer_width, 260);
	fake_gpu_release(world->fake);
	scene_output_damage_all(world->fixture->server->scene->outputs[0]);
	fixture_frames(world->fixture, 4);
	expect(world, 259, 189, BLUE);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)

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
		TEST(refused_copy_does_not_stop_the_client),
		TEST(content_stays_while_memory_is_short),
		TEST(hung_engine_delays_an_update_for_two_seconds),
		TEST(hidden_window_waits_for_no_copy),
		TEST(window_that_is_hidden_ends_its_wait),
		TEST(unmapped_window_ends_its_wait),
		TEST(objects_destroyed_during_the_wait_are_released),
		TEST(tree_waits_for_the_copy_of_a_subsurface),
		TEST(newer_updates_follow_the_one_that_waits),
		TEST(update_that_is_merged_while_it_waits_shows_the_newest),
		TEST(memory_of_a_copy_is_charged_during_the_wait),
		TEST(lost_renderer_ends_the_wait),
	};

	return cmocka_run_group_tests_name("resizes", tests, NULL, NULL);
}
