/* SPDX-License-Identifier: MIT */
/* The wayland backend: window sizes, scales, and the end of the host. */

#include "buffer/allocator.h"
#include "fractional-scale-v1-protocol.h"
#include "guest.h"
#include "xdg-shell-protocol.h"

static void new_size_is_acknowledged_with_its_frame(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	struct buffer *small = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, small));
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);

	/* The same size needs no frame. */
	host_configure(surface, 300, 200, XDG_TOPLEVEL_STATE_ACTIVATED);
	pump(fixture);
	assert_int_equal(screen->n_requests, 0);
	assert_int_equal(surface->acknowledged, surface->configured);

	/* A new size is acknowledged with a frame of that size. */
	host_configure(surface, 500, 400, XDG_TOPLEVEL_STATE_MAXIMIZED);
	pump(fixture);
	assert_int_equal(screen->n_requests, 1);
	assert_int_equal(screen->output->mode.width, 500);
	assert_int_equal(screen->output->mode.height, 400);
	assert_int_not_equal(surface->acknowledged, surface->configured);
	assert_int_equal(show(screen, small), 0);
	struct buffer *large = memory_buffer_create(500, 400, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, large));
	assert_int_equal(surface->acknowledged, surface->configured);
	assert_int_equal(surface->buffer_width, 500);
	assert_int_equal(surface->destination_width, 500);
	assert_int_equal(surface->destination_height, 400);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);

	/* With a mode of its own, the output keeps the window's size while maximized. */
	struct output_state mode;
	output_state_init(&mode);
	mode.fields = OUTPUT_MODE;
	mode.mode = (struct output_mode){.width = 300, .height = 200, .refresh = 60000};
	assert_true(output_commit(screen->output, &mode));
	assert_true(show(screen, small));
	assert_int_equal(surface->buffer_width, 300);
	assert_int_equal(surface->destination_width, 500);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	/* Not maximized, the window takes the size of the mode. */
	host_configure(surface, 0, 0, 0);
	pump(fixture);
	assert_true(output_commit(screen->output, &mode));
	assert_true(show(screen, small));
	assert_int_equal(surface->destination_width, 300);
	assert_int_equal(surface->destination_height, 200);
	buffer_drop(small);
	buffer_drop(large);
	destroy_fixture(fixture);
}

/* A hidden window is resized: the host waits for a frame. */
static void hidden_window_is_resized(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	struct buffer *small = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	struct buffer *large = memory_buffer_create(500, 400, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, small));
	host_configure(surface, 500, 400, 0);
	pump(fixture);
	assert_int_equal(screen->output->mode.width, 500);
	assert_int_equal(show(screen, large), 0);
	assert_true(clock_advance_to_next(fixture->clock));
	assert_in_range(clock_now(fixture->clock) - START, 1, 100000000);
	assert_int_equal(screen->n_presents, 1);
	assert_false(screen->last.presented);
	assert_true(show(screen, large));
	assert_int_equal(surface->acknowledged, surface->configured);
	/* Events for the previous frame are ignored. */
	host_presented(surface, START, 0, 0);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	host_frame_done(surface);
	pump(fixture);
	assert_int_equal(screen->n_presents, 2);
	assert_true(screen->last.presented);
	assert_false(clock_advance_to_next(fixture->clock));
	buffer_drop(small);
	buffer_drop(large);
	destroy_fixture(fixture);
}

static void host_can_choose_the_size(void **state)
{
	const struct host_options options = {.width = 640, .height = 360};
	struct fixture *fixture = create_fixture(&options, 1, false);
	assert_int_equal(fixture->screens[0].output->mode.width, 640);
	assert_int_equal(fixture->screens[0].output->mode.height, 360);
	destroy_fixture(fixture);
}

/* A size given by the user is kept; the default one is reduced to the host's bounds. */
static void default_size_fits_the_bounds(void **state)
{
	for (int fit = 0; fit < 2; fit++) {
		const struct host_options options = {.bound_width = 250, .bound_height = 1000};
		struct fixture *fixture = connect_fixture(&options);
		fixture->fit = fit;
		start_fixture(fixture, 1, false);
		assert_int_equal(fixture->screens[0].output->mode.width, fit ? 250 : 300);
		assert_int_equal(fixture->screens[0].output->mode.height, 200);
		destroy_fixture(fixture);
	}
}

static void fractional_scale_multiplies_the_pixels(void **state)
{
	const struct host_options options = {.scale = 180};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	assert_int_equal(screen->output->mode.width, 300);
	assert_int_equal(screen->output->mode.height, 200);
	assert_true(screen->output->preferred_scale == 1.5);
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	buffer_drop(buffer);
	assert_int_equal(surface->destination_width, 200);
	assert_int_equal(surface->destination_height, 133);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);

	host_configure(surface, 333, 222, 0);
	pump(fixture);
	assert_int_equal(screen->output->mode.width, 500);
	assert_int_equal(screen->output->mode.height, 333);
	/*
	 * On another screen of the host, the window keeps its size and the output gets more pixels.
	 */
	int n_changed = screen->n_changed;
	wp_fractional_scale_v1_send_preferred_scale(surface->fractional, 240);
	pump(fixture);
	assert_int_equal(screen->output->mode.width, 666);
	assert_true(screen->output->preferred_scale == 2);
	assert_int_equal(screen->n_changed, n_changed + 1);
	/* A scale of zero, which hosts send while a screen goes, is ignored. */
	wp_fractional_scale_v1_send_preferred_scale(surface->fractional, 0);
	pump(fixture);
	assert_true(screen->output->preferred_scale == 2);
	destroy_fixture(fixture);
}

/* Without viewporter, the host supports integer scales only: that of its screen. */
static void host_without_viewporter_scales_by_integers(void **state)
{
	const struct host_options options = {.no_viewporter = true};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	assert_int_equal(screen->output->mode.width, 300);
	wl_surface_send_enter(surface->resource, fixture->host->output);
	pump(fixture);
	assert_int_equal(screen->output->mode.width, 600);
	assert_int_equal(screen->output->mode.refresh, 75000);
	assert_true(screen->output->preferred_scale == 2);
	struct buffer *buffer = memory_buffer_create(600, 400, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	buffer_drop(buffer);
	assert_int_equal(surface->buffer_scale, 2);
	assert_int_equal(surface->buffer_width, 600);
	destroy_fixture(fixture);
}

static void output_gets_a_new_window_when_enabled(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	enable(screen->output, false);
	pump(fixture);
	assert_null(fixture->host->surfaces[0].resource);
	clock_advance_to_next(fixture->clock);
	assert_int_equal(screen->n_presents, 1);
	assert_int_equal(show(screen, buffer), 0);
	/* A new window; a frame waits for its first configure event. */
	enable(screen->output, true);
	assert_true(show(screen, buffer));
	assert_non_null(fixture->host->surfaces[1].buffer);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

/* The end */

static void closed_window_removes_its_output(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 2, false);
	assert_string_equal(fixture->screens[1].output->name, "WL-2");
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(&fixture->screens[0], buffer));
	xdg_toplevel_send_close(fixture->host->surfaces[0].toplevel);
	pump(fixture);
	assert_null(fixture->screens[0].output);
	assert_int_equal(fixture->screens[0].n_presents, 1);
	assert_int_equal(buffer->n_locks, 0);
	assert_null(fixture->host->surfaces[0].resource);
	assert_false(fixture->ended);
	buffer_drop(buffer);
	xdg_toplevel_send_close(fixture->host->surfaces[1].toplevel);
	pump(fixture);
	assert_true(fixture->ended);
	assert_null(fixture->why);
	destroy_fixture(fixture);
}

static void death_of_the_host_ends_the_backend(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(&fixture->screens[0], buffer));
	host_kill(fixture->host);
	pump(fixture);
	assert_true(fixture->ended);
	assert_string_equal(fixture->why, "the host compositor is gone");
	/* Frames fail, and nothing crashes. */
	assert_int_equal(show(&fixture->screens[0], buffer), 0);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

static void protocol_error_ends_the_backend(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	wl_resource_post_error(fixture->host->surfaces[0].resource, 4, "go away");
	pump(fixture);
	assert_true(fixture->ended);
	assert_string_equal(
		fixture->why, "the host compositor reported protocol error 4 of wl_surface");
	destroy_fixture(fixture);
}

static void missing_globals_are_named(void **state)
{
	const struct host_options options = {.no_wm_base = true};
	struct fixture *fixture = connect_fixture(&options);
	assert_null(fixture->backend);
	assert_string_equal(
		fixture->error, "the host compositor has no xdg_wm_base of version 1 or later");
	destroy_fixture(fixture);
}

/* A host that does not read: requests are queued without blocking. */
static void stalled_host_does_not_block(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct output *output = fixture->screens[0].output;
	for (int i = 0; i < 2000; i++) {
		enable(output, false);
		enable(output, true);
		wl_event_loop_dispatch(fixture->loop, 0);
	}
	assert_false(fixture->ended);
	pump(fixture);
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(&fixture->screens[0], buffer));
	assert_int_equal(fixture->host->n_surfaces, 2001);
	assert_non_null(fixture->host->surfaces[2000 % HOST_SURFACES_MAX].buffer);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_size_is_acknowledged_with_its_frame),
		cmocka_unit_test(hidden_window_is_resized),
		cmocka_unit_test(host_can_choose_the_size),
		cmocka_unit_test(default_size_fits_the_bounds),
		cmocka_unit_test(fractional_scale_multiplies_the_pixels),
		cmocka_unit_test(host_without_viewporter_scales_by_integers),
		cmocka_unit_test(output_gets_a_new_window_when_enabled),
		cmocka_unit_test(closed_window_removes_its_output),
		cmocka_unit_test(death_of_the_host_ends_the_backend),
		cmocka_unit_test(protocol_error_ends_the_backend),
		cmocka_unit_test(missing_globals_are_named),
		cmocka_unit_test(stalled_host_does_not_block),
	};
	return cmocka_run_group_tests_name("nested/window", tests, NULL, NULL);
}
