/* SPDX-License-Identifier: MIT */
/*
 * KMS properties set by clients, in a compositor on emulated cards: gamma, content type, tearing
 * and scan-out.
 */

#include "content-type-v1-client-protocol.h"
#include "frame/output.h"
#include "presentation-time-client-protocol.h"
#include "server_common.h"
#include "shell/window.h"
#include "tearing-control-v1-client-protocol.h"
#include "util/fd.h"
#include "wlr-gamma-control-unstable-v1-client-protocol.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <unistd.h>
#include <xf86drmMode.h>

/* Gamma */

static void handle_gamma_size(void *data, struct zwlr_gamma_control_v1 *proxy, uint32_t size)
{
	*(uint32_t *)data = size;
}

static void handle_gamma_failed(void *data, struct zwlr_gamma_control_v1 *proxy)
{
	fail_msg("gamma control failed");
}

static const struct zwlr_gamma_control_v1_listener gamma_listener = {
	.gamma_size = handle_gamma_size,
	.failed = handle_gamma_failed,
};

static const struct drm_color_lut *gamma_of(struct fake_card *card, size_t *n)
{
	const struct drm_color_lut *table =
		fake_get_blob(card, fake_crtc_of(card, "eDP-1"), "GAMMA_LUT", n);
	*n /= sizeof(*table);
	return table;
}

static void client_gamma_applies_until_client_exits(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &fake_screen_plain);
	begin(world, "");
	show(world, card, 3);
	struct peer *peer = peer_create(world->fixture);
	uint32_t size = 0;
	size_t n;
	assert_null(gamma_of(card, &n));
	struct zwlr_gamma_control_v1 *control = zwlr_gamma_control_manager_v1_get_gamma_control(
		peer_bind(peer, &zwlr_gamma_control_manager_v1_interface, 0),
		peer_bind(peer, &wl_output_interface, 0));
	zwlr_gamma_control_v1_add_listener(control, &gamma_listener, &size);
	fixture_pump(world->fixture);
	assert_int_equal(size, 1024);

	uint16_t ramps[3 * 1024];
	for (int i = 0; i < 3 * 1024; i++) {
		ramps[i] = (uint16_t)(i * 7);
	}
	int fd = fd_create_memory("gamma", 0, false);
	assert_int_equal(write(fd, ramps, sizeof(ramps)), sizeof(ramps));
	zwlr_gamma_control_v1_set_gamma(control, fd);
	close(fd);
	show(world, card, 3);
	const struct drm_color_lut *table = gamma_of(card, &n);
	assert_int_equal(n, 1024);
	for (int i = 0; i < 1024; i++) {
		assert_int_equal(table[i].red, ramps[i]);
		assert_int_equal(table[i].green, ramps[1024 + i]);
		assert_int_equal(table[i].blue, ramps[2048 + i]);
	}
	peer_destroy(peer);
	show(world, card, 3);
	assert_null(gamma_of(card, &n));
}

/* Fullscreen surfaces */

/* Creates a window that fills the only output. */
static struct peer_window *fill_screen(struct world *world, struct fake_card *card)
{
	struct output *output = world->fixture->server->scene->outputs[0]->output;
	struct peer *peer = peer_create(world->fixture);
	struct peer_window *window =
		peer_window_create(peer, 0, 0, output->mode.width, output->mode.height, 0xff336699);
	window_request_fullscreen(peer_window_find(window), true, NULL);
	fixture_pump(world->fixture);
	peer_buffer_destroy(window->buffer);
	window->buffer = peer_buffer_create(
		peer, output->mode.width, output->mode.height, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(window->surface, window->buffer);
	show(world, card, 3);
	return window;
}

static void draw(struct world *world, struct fake_card *card, struct peer_window *window)
{
	peer_surface_show(window->surface, window->buffer);
	show(world, card, 2);
}

static const char small_mode[] = "[output *]\nmode = 640x480@60\n";

/* A driver that refuses the content type still presents frames. */
static void fullscreen_surface_sets_content_type(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("vc4");
	fake_card_plug(card, "HDMI-A-6", &fake_screen_plain);
	begin(world, small_mode);
	struct peer_window *window = fill_screen(world, card);
	struct wp_content_type_v1 *type = wp_content_type_manager_v1_get_surface_content_type(
		peer_bind(window->peer, &wp_content_type_manager_v1_interface, 0), window->surface);
	assert_int_equal(fake_get(card, "HDMI-A-6", "content type"), 0);
	wp_content_type_v1_set_content_type(type, WP_CONTENT_TYPE_V1_TYPE_GAME);
	draw(world, card, window);
	assert_int_equal(fake_get(card, "HDMI-A-6", "content type"), DRM_MODE_CONTENT_TYPE_GAME);
	wp_content_type_v1_set_content_type(type, WP_CONTENT_TYPE_V1_TYPE_VIDEO);
	draw(world, card, window);
	assert_int_equal(fake_get(card, "HDMI-A-6", "content type"), DRM_MODE_CONTENT_TYPE_CINEMA);
	wp_content_type_v1_set_content_type(type, WP_CONTENT_TYPE_V1_TYPE_PHOTO);
	uint64_t flips = fake_card_counts(card).flips;
	fake_card_fail(card, EINVAL, 1, true);
	draw(world, card, window);
	assert_int_equal(fake_get(card, "HDMI-A-6", "content type"), DRM_MODE_CONTENT_TYPE_CINEMA);
	assert_true(fake_card_counts(card).flips > flips);
	/* A frame that was refused for another reason is drawn again with its type. */
	wp_content_type_v1_set_content_type(type, WP_CONTENT_TYPE_V1_TYPE_GAME);
	fake_card_fail(card, EINVAL, 1, false);
	draw(world, card, window);
	draw(world, card, window);
	assert_int_equal(fake_get(card, "HDMI-A-6", "content type"), DRM_MODE_CONTENT_TYPE_GAME);
	peer_window_destroy(window);
	show(world, card, 3);
	assert_int_equal(fake_get(card, "HDMI-A-6", "content type"), DRM_MODE_CONTENT_TYPE_NO_DATA);
}

/*
 * Tearing needs the client's request, a configuration that allows it and a driver with asynchronous
 * flips; other frames wait for the vblank.
 */
static void tearing_frame_flips_asynchronously_where_supported(void **state)
{
	static const struct {
		const char *kind, *connector, *config;
		bool torn;
	} cases[] = {
		{"amdgpu", "DP-1", "[output *]\nmode = 640x480@60\n", true},
		{"amdgpu", "DP-1", "[output *]\nmode = 640x480@60\ntearing = no\n", false},
		{"nvidia-drm", "DP-5", "[output *]\nmode = 640x480@60\n", false},
	};
	struct world *world = *state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_card *card = fake_card_create(cases[i].kind);
		fake_card_plug(card, cases[i].connector, &fake_screen_plain);
		begin(world, cases[i].config);
		struct peer_window *window = fill_screen(world, card);
		draw(world, card, window);
		assert_int_equal(fake_card_counts(card).async, 0);
		struct wp_tearing_control_v1 *tearing =
			wp_tearing_control_manager_v1_get_tearing_control(
				peer_bind(
					window->peer, &wp_tearing_control_manager_v1_interface, 0),
				window->surface);
		wp_tearing_control_v1_set_presentation_hint(
			tearing, WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC);
		uint64_t flips = fake_card_counts(card).flips;
		for (int j = 0; j < 4; j++) {
			draw(world, card, window);
		}
		assert_true(fake_card_counts(card).flips >= flips + 4);
		assert_int_equal(fake_card_counts(card).async > 0, cases[i].torn);
		wp_tearing_control_v1_set_presentation_hint(
			tearing, WP_TEARING_CONTROL_V1_PRESENTATION_HINT_VSYNC);
		draw(world, card, window);
		uint64_t async = fake_card_counts(card).async;
		draw(world, card, window);
		assert_int_equal(fake_card_counts(card).async, async);
		fixture_destroy(world->fixture);
		world->fixture = NULL;
		fake_reset_all();
	}
}

/* Client buffers on planes */

/*
 * The window draws with alpha and has an opaque region, on a card whose planes lack alpha. Tearing
 * applies to scan-out too.
 */
static void opaque_surface_is_scanned_out_by_planes_without_alpha(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("i915-haswell");
	struct drawn drawn[3];
	struct fake_scan scan;
	fake_card_plug(card, "eDP-2", &fake_screen_plain);
	begin(world, small_mode);
	struct peer_window *window = fill_screen(world, card);
	struct wl_region *region = wl_compositor_create_region(window->peer->compositor);
	wl_region_add(region, 0, 0, 640, 480);
	wl_surface_set_opaque_region(window->surface, region);
	for (int i = 0; i < 3; i++) {
		drawn[i] = draw_on(card, window->peer, 640, 480, DRM_FORMAT_ARGB8888);
	}
	const struct frame_output *frame =
		frame_output_find(world->fixture->server->scene->outputs[0]);
	attach(world, card, window, &drawn[0]);
	uint64_t scanouts = frame->stats.scanouts;
	attach(world, card, window, &drawn[1]);
	assert_int_equal(frame->stats.scanouts, scanouts + 1);
	assert_true(fake_get_scan(card, fake_primary_of(card, "eDP-2"), &scan));
	assert_int_equal(scan.format, DRM_FORMAT_XRGB8888);
	struct wp_tearing_control_v1 *tearing = wp_tearing_control_manager_v1_get_tearing_control(
		peer_bind(window->peer, &wp_tearing_control_manager_v1_interface, 0),
		window->surface);
	wp_tearing_control_v1_set_presentation_hint(
		tearing, WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC);
	uint64_t async = fake_card_counts(card).async;
	for (int i = 0; i < 4; i++) {
		attach(world, card, window, &drawn[i % 3]);
	}
	assert_true(fake_card_counts(card).async >= async + 3);
	assert_int_equal(fake_card_counts(card).removed_while_shown, 0);
	/* Without an opaque region, surfaces below are visible. */
	wl_surface_set_opaque_region(window->surface, NULL);
	attach(world, card, window, &drawn[1]);
	scanouts = frame->stats.scanouts;
	attach(world, card, window, &drawn[2]);
	assert_int_equal(frame->stats.scanouts, scanouts);
	for (int i = 0; i < 3; i++) {
		drop(&drawn[i]);
	}
}

static void handle_sync_output(
	void *data, struct wp_presentation_feedback *feedback, struct wl_output *output)
{
}

static void handle_presented(void *data, struct wp_presentation_feedback *feedback,
	uint32_t sec_high, uint32_t sec_low, uint32_t nsec, uint32_t refresh, uint32_t seq_high,
	uint32_t seq_low, uint32_t flags)
{
	*(uint32_t *)data = flags;
	wp_presentation_feedback_destroy(feedback);
}

static void handle_discarded(void *data, struct wp_presentation_feedback *feedback)
{
	fail_msg("the frame was discarded");
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

/* The hardware flips composed frames too, but their pixels were copied from the surface. */
static void only_scanned_out_surface_is_presented_zero_copy(void **state)
{
	const uint32_t zero_copy = WP_PRESENTATION_FEEDBACK_KIND_ZERO_COPY;
	struct world *world = *state;
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &fake_screen_plain);
	begin(world, small_mode);
	struct peer_window *window = fill_screen(world, card);
	struct wp_presentation *presentation =
		peer_bind(window->peer, &wp_presentation_interface, 0);
	struct drawn drawn[2];
	for (int i = 0; i < 2; i++) {
		drawn[i] = draw_on(card, window->peer, 640, 480, DRM_FORMAT_XRGB8888);
		attach(world, card, window, &drawn[i]);
	}
	uint32_t flags = 0;
	wp_presentation_feedback_add_listener(
		wp_presentation_feedback(presentation, window->surface), &feedback_listener,
		&flags);
	attach(world, card, window, &drawn[0]);
	assert_int_equal(flags & zero_copy, zero_copy);
	assert_true(flags & WP_PRESENTATION_FEEDBACK_KIND_VSYNC);
	flags = 0;
	wp_presentation_feedback_add_listener(
		wp_presentation_feedback(presentation, window->surface), &feedback_listener,
		&flags);
	draw(world, card, window);
	assert_true(flags & WP_PRESENTATION_FEEDBACK_KIND_VSYNC);
	assert_int_equal(flags & zero_copy, 0);
	for (int i = 0; i < 2; i++) {
		drop(&drawn[i]);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(client_gamma_applies_until_client_exits),
		TEST(fullscreen_surface_sets_content_type),
		TEST(tearing_frame_flips_asynchronously_where_supported),
		TEST(opaque_surface_is_scanned_out_by_planes_without_alpha),
		TEST(only_scanned_out_surface_is_presented_zero_copy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
