/* SPDX-License-Identifier: MIT */
/*
 * Ends of the wait of a window of another GPU for the copy of a buffer of another size: the copy
 * fails, or the window, the buffer, the GPU or its client go.
 */

#include "content/internal.h"
#include "resize_world.h"
#include "scene/output.h"
#include "shell/window.h"
#include "staging/staging.h"
#include "surface/surface.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <unistd.h>

/* The next source takes a linear buffer, and nothing shows a tiled one: the client goes on. */
static void refused_copy_does_not_stop_the_client(void **state)
{
	struct world *world = *state;
	for (int linear = 0; linear < 2; linear++) {
		struct canvas old, new;
		struct peer_window *window = resize_open(&old, world, 200, 150);
		canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, linear);
		fake_gpu_fail_imports(world->fake, EINVAL, 1000);
		canvas_show_color(&new, window, BLUE);
		/* A few tries follow first. */
		fixture_sleep(world->fixture, INT64_C(2200000000));
		assert_int_equal(resize_current(world, window)->buffer_width, 260);
		assert_int_equal(old.n_released, 1);
		fixture_sleep(world->fixture, INT64_C(3000000000));
		if (linear) {
			resize_expect(world, 0, 0, BLUE);
			resize_expect(world, 259, 189, BLUE);
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
	struct peer_window *window = resize_open(&old, world, 200, 150);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_fail_next(world->fake, ENOMEM, 1);
	canvas_show_color(&new, window, BLUE);
	for (int i = 0; i < 100 && fixture_pixel(world->fixture, 0, 0) != BLUE; i++) {
		fixture_frames(world->fixture, 1);
		uint32_t pixel = fixture_pixel(world->fixture, 199, 149);
		assert_true(pixel == RED || pixel == BLUE);
	}
	resize_expect(world, 259, 189, BLUE);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

static void hung_engine_delays_an_update_for_two_seconds(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = resize_open(&old, world, 200, 150);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	canvas_show_color(&new, window, BLUE);
	fixture_sleep(world->fixture, INT64_C(1900000000));
	resize_expect(world, 0, 0, RED);
	assert_int_equal(resize_current(world, window)->buffer_width, 200);
	fixture_sleep(world->fixture, INT64_C(300000000));
	assert_int_equal(resize_current(world, window)->buffer_width, 260);
	fake_gpu_release(world->fake);
	fake_gpu_fault(world->fake); /* its memory is gone */
	fixture_sleep(world->fixture, INT64_C(6000000000));
	canvas_commit(&new, window, 0, 0, 1, 1);
	fixture_frames(world->fixture, 4);
	resize_expect(world, 0, 0, BLUE);
	resize_expect(world, 259, 189, BLUE);
	assert_int_equal(old.n_released, 1);
	/* The next one waits again. */
	fake_gpu_hold(world->fake);
	canvas_show_color(&old, window, RED);
	fixture_frames(world->fixture, 4);
	resize_expect(world, 0, 0, BLUE);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	resize_expect(world, 199, 149, RED);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

static void hidden_window_waits_for_no_copy(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = resize_open(&old, world, 200, 150);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	window_set_minimized(peer_window_find(window), true);
	fixture_settle(world->fixture);
	uint64_t copied = world_copied(world);
	canvas_show_color(&new, window, BLUE);
	fixture_frames(world->fixture, 2);
	assert_int_equal(resize_current(world, window)->buffer_width, 260);
	assert_int_equal(world_copied(world), copied);
	fake_gpu_release(world->fake);
	window_set_minimized(peer_window_find(window), false);
	fixture_frames(world->fixture, 4);
	resize_expect(world, 259, 189, BLUE);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

static void window_that_is_hidden_ends_its_wait(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = resize_open(&old, world, 200, 150);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	canvas_show_color(&new, window, BLUE);
	fixture_frames(world->fixture, 3);
	assert_int_equal(resize_current(world, window)->buffer_width, 200);
	window_set_minimized(peer_window_find(window), true);
	fixture_frames(world->fixture, 3);
	assert_int_equal(resize_current(world, window)->buffer_width, 260);
	fake_gpu_release(world->fake);
	window_set_minimized(peer_window_find(window), false);
	fixture_frames(world->fixture, 4);
	resize_expect(world, 259, 189, BLUE);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

/* A surface without content applies at once, and both buffers are the client's again. */
static void unmapped_window_ends_its_wait(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = resize_open(&old, world, 200, 150);
	uint32_t beside = fixture_pixel(world->fixture, WIDTH - 1, HEIGHT - 1);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	canvas_show_color(&new, window, BLUE);
	fixture_frames(world->fixture, 3);
	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 3);
	resize_expect(world, 10, 10, beside);
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
		struct peer_window *window = resize_open(&old, world, 200, 150);
		canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
		fake_gpu_hold(world->fake);
		canvas_show_color(&new, window, BLUE);
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
			resize_expect(world, 0, 0, BLUE);
			resize_expect(world, 259, 189, BLUE);
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

/* Copies that nothing shows yet are the client's memory, too. */
static void memory_of_a_copy_is_charged_during_the_wait(void **state)
{
	struct world *world = *state;
	struct canvas old, new;
	struct peer_window *window = resize_open(&old, world, 200, 150);
	struct content *content = content_find(
		peer_surface_find(world->peer, window->surface), world->fixture->server->device);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	canvas_show_color(&new, window, BLUE);
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
	struct peer_window *window = resize_open(&old, world, 200, 150);
	canvas_init_sized(&new, world, 260, 190, DRM_FORMAT_XRGB8888, false);
	fake_gpu_hold(world->fake);
	canvas_show_color(&new, window, BLUE);
	fixture_frames(world->fixture, 2);
	assert_int_equal(resize_current(world, window)->buffer_width, 200);
	content_drop_all(world->fixture->server->device);
	assert_int_equal(resize_current(world, window)->buffer_width, 260);
	fake_gpu_release(world->fake);
	scene_output_damage_all(world->fixture->server->scene->outputs[0]);
	fixture_frames(world->fixture, 4);
	resize_expect(world, 259, 189, BLUE);
	peer_window_destroy(window);
	canvas_finish(&old);
	canvas_finish(&new);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, resize_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refused_copy_does_not_stop_the_client),
		TEST(content_stays_while_memory_is_short),
		TEST(hung_engine_delays_an_update_for_two_seconds),
		TEST(hidden_window_waits_for_no_copy),
		TEST(window_that_is_hidden_ends_its_wait),
		TEST(unmapped_window_ends_its_wait),
		TEST(objects_destroyed_during_the_wait_are_released),
		TEST(memory_of_a_copy_is_charged_during_the_wait),
		TEST(lost_renderer_ends_the_wait),
	};

	return cmocka_run_group_tests_name("resize ends", tests, NULL, NULL);
}
