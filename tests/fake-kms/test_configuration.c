/* SPDX-License-Identifier: MIT */
/*
 * Output configuration in a compositor on emulated cards: configuration files, output management
 * and the primary GPU.
 */

#include "backend/backend.h"
#include "frame/output.h"
#include "gpu/gpu.h"
#include "scene/output.h"
#include "server/output.h"
#include "server_common.h"
#include "wlr-output-management-unstable-v1-client-protocol.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <string.h>
#include <xf86drmMode.h>

/* Configuration */

/* A connector name takes precedence over a pattern for the model. */
static void output_section_matches_model_or_connector(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	fake_card_plug(card, "DP-2", &fake_screen_gaming);
	begin(world, "[output *Gaming 27*]\nmode = 1920x1080@144\n"
		     "[output DP-*]\nmode = 1280x720\n");
	assert_int_equal(width_of(card, "DP-1"), 1280);
	assert_int_equal(width_of(card, "DP-2"), 1920);
	fake_card_plug(card, "DP-2", NULL);
	fake_card_plug(card, "DP-3", &fake_screen_gaming);
	fixture_pump(world->fixture);
	assert_int_equal(width_of(card, "DP-3"), 1920);
	reload(world, "[output *Gaming 27*]\nmode = 1920x1080@144\n"
		      "[output DP-3]\nmode = 2560x1440@60\n");
	assert_int_equal(width_of(card, "DP-3"), 2560);
	assert_int_equal(find_output(world, "DP-3")->mode.refresh / 1000, 60);
}

/* Ten bits from composition to the cable, eight where the link lacks bandwidth. */
static void bit_depth_applies_as_far_as_link_allows(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_gaming);
	begin(world, "[output DP-1]\nbit-depth = 10\n");
	show(world, card, 3);
	assert_int_equal(fake_get(card, "DP-1", "max bpc"), 10);
	/* Overlays can lie below the primary plane here, so it needs alpha. */
	assert_int_equal(format_of(card, "DP-1"), DRM_FORMAT_ARGB2101010);
	reload(world, "[output DP-1]\nbit-depth = 8\n");
	show(world, card, 3);
	assert_int_equal(fake_get(card, "DP-1", "max bpc"), 8);
	assert_int_equal(format_of(card, "DP-1"), DRM_FORMAT_ARGB8888);
	fake_card_set_link(card, UINT64_C(15000000000));
	reload(world, "[output DP-1]\nbit-depth = 10\n");
	show(world, card, 3);
	assert_int_equal(fake_get(card, "DP-1", "max bpc"), 8);
	assert_int_equal(format_of(card, "DP-1"), DRM_FORMAT_ARGB8888);
	assert_int_equal(width_of(card, "DP-1"), 2560);
}

static bool allows_eight_bits_only(void *data, const struct fake_scan *scan)
{
	return scan->format != DRM_FORMAT_ARGB2101010 && scan->format != DRM_FORMAT_XRGB2101010 &&
	       scan->format != DRM_FORMAT_XBGR2101010;
}

static void planes_without_ten_bits_keep_ten_bit_link(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_gaming);
	fake_card_set_judge(card, allows_eight_bits_only, NULL);
	begin(world, "[output DP-1]\nbit-depth = 10\n");
	show(world, card, 3);
	assert_int_equal(fake_get(card, "DP-1", "max bpc"), 10);
	assert_int_equal(format_of(card, "DP-1"), DRM_FORMAT_ARGB8888);
}

/* The schedule knows the longest interval between frames of the screen. */
static void adaptive_sync_applies_where_supported(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_gaming);
	fake_card_plug(card, "DP-2", &fake_screen_plain);
	begin(world, "[output *]\nadaptive-sync = on\n");
	show(world, card, 3);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "VRR_ENABLED"), 1);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-2"), "VRR_ENABLED"), 0);
	const struct frame_output *frame =
		frame_output_find(world->fixture->server->scene->outputs[0]);
	assert_int_equal(frame->schedule.longest, INT64_C(1000000000) / 48);
	reload(world, "[output *]\nadaptive-sync = off\n");
	scene_output_damage_all(world->fixture->server->scene->outputs[0]);
	show(world, card, 3);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "VRR_ENABLED"), 0);
}

/*
 * A refused frame delays the change to the next one. A change while the output is off applies too.
 */
static void adaptive_sync_survives_refused_frame(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_gaming);
	begin(world, "");
	show(world, card, 3);
	reload(world, "[output *]\nadaptive-sync = on\n");
	fake_card_fail(card, EINVAL, 1, false);
	scene_output_damage_all(world->fixture->server->scene->outputs[0]);
	show(world, card, 5);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "VRR_ENABLED"), 1);
	struct server_output *entry = find_entry(world, "DP-1");
	server_output_set_power(entry, false);
	reload(world, "");
	server_output_set_power(entry, true);
	show(world, card, 5);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "VRR_ENABLED"), 0);
}

/* The change happens while a flip is pending; the compositor schedules one frame for it. */
static void adaptive_sync_change_schedules_one_frame(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	struct output_state rate;
	fake_card_plug(card, "DP-1", &fake_screen_gaming);
	begin(world, "");
	show(world, card, 3);
	uint64_t allowed = fake_card_counts(card).allowed, flips = fake_card_counts(card).flips;
	scene_output_damage_all(world->fixture->server->scene->outputs[0]);
	clock_advance(world->fixture->clock, PERIOD);
	fixture_pump(world->fixture);
	assert_int_equal(fake_card_counts(card).flips, flips + 1);
	reload(world, "[output *]\nadaptive-sync = on\n");
	output_state_init(&rate);
	rate.fields = OUTPUT_ADAPTIVE_SYNC;
	rate.adaptive_sync = true;
	assert_int_not_equal(output_commit(find_output(world, "DP-1"), &rate), 0);
	show(world, card, 3);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-1"), "VRR_ENABLED"), 1);
	assert_int_equal(fake_card_counts(card).flips, flips + 2);
	assert_int_equal(fake_card_counts(card).allowed, allowed);
	show(world, card, 30);
	assert_int_equal(fake_card_counts(card).flips, flips + 2);
}

static void color_matrix_applies_until_removed(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	begin(world, "[output DP-1]\ncolor-matrix = 0.5 0 0  0 1 0  0 0 -0.25\n");
	show(world, card, 3);
	size_t size;
	const struct drm_color_ctm *table =
		fake_get_blob(card, fake_crtc_of(card, "DP-1"), "CTM", &size);
	assert_non_null(table);
	assert_true(table->matrix[0] == UINT64_C(1) << 31);
	assert_true(table->matrix[8] == (UINT64_C(1) << 63 | UINT64_C(1) << 30));
	reload(world, "");
	show(world, card, 3);
	assert_null(fake_get_blob(card, fake_crtc_of(card, "DP-1"), "CTM", &size));
}

/* Several outputs */

static struct fake_card *begin_with_two(struct world *world)
{
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	fake_card_plug(card, "DP-2", &fake_screen_gaming);
	begin(world, "");
	return card;
}

/* Width of the buffer on the connector's primary plane. */
static int shown_width(struct fake_card *card, const char *connector)
{
	struct fake_scan scan;
	assert_true(fake_get_scan(card, fake_primary_of(card, connector), &scan));
	return scan.width;
}

static void outputs_change_in_one_commit_at_start_and_reload(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_with_two(world);
	assert_int_equal(fake_card_counts(card).modesets, 1);
	assert_int_equal(width_of(card, "DP-1"), 1920);
	assert_int_equal(width_of(card, "DP-2"), 2560);
	show(world, card, 3);
	reload(world, "[output DP-*]\nmode = 1280x720@60\n");
	assert_int_equal(fake_card_counts(card).modesets, 2);
	show(world, card, 3);
	assert_int_equal(find_output(world, "DP-2")->mode.width, 1280);
	assert_int_equal(shown_width(card, "DP-2"), 1280);
}

/* Screens connected while the session is inactive, as with a dock. */
static void outputs_connected_while_inactive_are_enabled_in_one_commit(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "HDMI-A-1", &fake_screen_plain);
	begin(world, "");
	show(world, card, 3);
	fake_seat_set_active(false);
	fixture_pump(world->fixture);
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	fake_card_plug(card, "DP-2", &fake_screen_gaming);
	uint64_t modesets = fake_card_counts(card).modesets;
	fake_seat_set_active(true);
	fixture_pump(world->fixture);
	assert_int_equal(width_of(card, "DP-1"), 1920);
	assert_int_equal(width_of(card, "DP-2"), 2560);
	assert_int_equal(fake_card_counts(card).modesets, modesets + 1);
	/* The screen is gone before the event is handled. */
	fake_card_plug(card, "DP-3", &fake_screen_plain);
	fake_card_plug(card, "DP-3", NULL);
	show(world, card, 3);
	assert_int_equal(width_of(card, "DP-3"), 0);
	assert_int_equal(width_of(card, "DP-1"), 1920);
}

static void configuration_loaded_while_inactive_applies_on_return(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_with_two(world);
	show(world, card, 3);
	fake_seat_set_active(false);
	fixture_pump(world->fixture);
	reload(world, "[output DP-1]\nmode = 1280x720\n[output DP-2]\nenabled = no\n");
	/* Windows keep their outputs until the session is active. */
	assert_non_null(find_entry(world, "DP-1")->scene_output);
	assert_non_null(find_entry(world, "DP-2")->scene_output);
	fake_seat_set_active(true);
	show(world, card, 5);
	assert_int_equal(width_of(card, "DP-1"), 1280);
	assert_int_equal(shown_width(card, "DP-1"), 1280);
	assert_int_equal(width_of(card, "DP-2"), 0);
	assert_null(find_entry(world, "DP-2")->scene_output);
	/* The reverse, and once without any change. */
	fake_seat_set_active(false);
	fixture_pump(world->fixture);
	reload(world, "");
	reload(world, "");
	fake_seat_set_active(true);
	show(world, card, 5);
	assert_int_equal(shown_width(card, "DP-1"), 1920);
	assert_int_equal(shown_width(card, "DP-2"), 2560);
	assert_int_equal(fake_card_counts(card).removed_while_shown, 0);
}

/* Slow modesets */

static uint64_t presented(struct world *world, const char *name)
{
	return frame_output_find(find_entry(world, name)->scene_output)->stats.presented;
}

/* Power changes during the modeset apply after it. */
static void slow_modeset_does_not_stop_other_outputs(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_with_two(world);
	show(world, card, 3);
	fake_card_set_modesets(card, FAKE_MODESETS_HELD);
	reload(world, "[output DP-1]\nmode = 1280x720\n");
	assert_int_equal(width_of(card, "DP-1"), 1280);
	uint64_t first = presented(world, "DP-1"), second = presented(world, "DP-2");
	for (uint64_t i = 1; i <= 5; i++) {
		scene_output_damage_all(find_entry(world, "DP-2")->scene_output);
		show(world, card, 2);
		assert_int_equal(presented(world, "DP-2"), second + i);
	}
	assert_int_equal(presented(world, "DP-1"), first);
	assert_int_equal(fake_card_finish_modesets(card), 1);
	show(world, card, 3);
	assert_true(presented(world, "DP-1") > first);
	assert_int_equal(shown_width(card, "DP-1"), 1280);

	/* Off, on, off and on, all while the first modeset is pending. */
	struct server_output *entry = find_entry(world, "DP-1");
	for (int i = 0; i < 4; i++) {
		server_output_set_power(entry, i % 2);
		show(world, card, 1);
	}
	assert_int_equal(width_of(card, "DP-1"), 0);
	assert_int_equal(fake_card_finish_modesets(card), 1);
	show(world, card, 1);
	assert_int_equal(width_of(card, "DP-1"), 1280);
	assert_int_equal(fake_card_finish_modesets(card), 1);
	show(world, card, 3);
	assert_true(presented(world, "DP-1") > 0);
	assert_int_equal(shown_width(card, "DP-1"), 1280);
	assert_int_equal(fake_card_counts(card).blocking, 0);
	assert_int_equal(fake_card_counts(card).removed_while_shown, 0);
}

/* Output management by clients */

struct manager {
	struct world *world;
	struct zwlr_output_manager_v1 *proxy;
	struct zwlr_output_head_v1 *heads[4];
	int n_heads;
	uint32_t serial;
	int n_succeeded, n_failed;
};

static void handle_head(
	void *data, struct zwlr_output_manager_v1 *proxy, struct zwlr_output_head_v1 *head)
{
	struct manager *manager = data;
	assert_in_range(manager->n_heads, 0, 3);
	manager->heads[manager->n_heads++] = head;
}

static void handle_manager_done(void *data, struct zwlr_output_manager_v1 *proxy, uint32_t serial)
{
	((struct manager *)data)->serial = serial;
}

static void handle_finished(void *data, struct zwlr_output_manager_v1 *proxy)
{
}

static const struct zwlr_output_manager_v1_listener manager_listener = {
	.head = handle_head,
	.done = handle_manager_done,
	.finished = handle_finished,
};

static void handle_succeeded(void *data, struct zwlr_output_configuration_v1 *proxy)
{
	((struct manager *)data)->n_succeeded++;
}

static void handle_failed(void *data, struct zwlr_output_configuration_v1 *proxy)
{
	((struct manager *)data)->n_failed++;
}

static const struct zwlr_output_configuration_v1_listener configuration_listener = {
	.succeeded = handle_succeeded,
	.failed = handle_failed,
	.cancelled = handle_failed,
};

static void watch(struct manager *manager, struct world *world)
{
	*manager = (struct manager){.world = world};
	struct peer *peer = peer_create(world->fixture);
	manager->proxy = peer_bind(peer, &zwlr_output_manager_v1_interface, 0);
	zwlr_output_manager_v1_add_listener(manager->proxy, &manager_listener, manager);
	fixture_pump(world->fixture);
}

/* Configures all heads with one custom mode. */
static bool apply_mode(struct manager *manager, int32_t width, int32_t height, int32_t refresh)
{
	int before = manager->n_succeeded;
	struct zwlr_output_configuration_v1 *configuration =
		zwlr_output_manager_v1_create_configuration(manager->proxy, manager->serial);
	zwlr_output_configuration_v1_add_listener(configuration, &configuration_listener, manager);
	for (int i = 0; i < manager->n_heads; i++) {
		zwlr_output_configuration_head_v1_set_custom_mode(
			zwlr_output_configuration_v1_enable_head(configuration, manager->heads[i]),
			width, height, refresh);
	}
	zwlr_output_configuration_v1_apply(configuration);
	fixture_pump(manager->world->fixture);
	return manager->n_succeeded > before;
}

/* Two outputs change in one commit; a mode that one screen does not support is refused. */
static void client_sets_custom_modes_within_screen_range(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_with_two(world);
	struct manager manager;
	show(world, card, 3);
	watch(&manager, world);
	assert_int_equal(manager.n_heads, 2);
	uint64_t modesets = fake_card_counts(card).modesets;
	assert_true(apply_mode(&manager, 1600, 900, 60000));
	assert_int_equal(fake_card_counts(card).modesets, modesets + 1);
	assert_int_equal(width_of(card, "DP-1"), 1600);
	assert_int_equal(width_of(card, "DP-2"), 1600);
	show(world, card, 3);
	/* The plain screen's range ends below 120 Hz. */
	assert_false(apply_mode(&manager, 1600, 900, 120000));
	assert_int_equal(width_of(card, "DP-1"), 1600);
	/* Bandwidth for either mode, but not for both. */
	fake_card_set_bandwidth(card, UINT64_C(1920) * 1200 * 4 * 60 * 3 / 2);
	assert_false(apply_mode(&manager, 1920, 1200, 60000));
	assert_int_equal(width_of(card, "DP-1"), 1600);
	assert_int_equal(width_of(card, "DP-2"), 1600);
}

/* The second output returns to its mode when the first is disabled. */
static void output_beyond_bandwidth_gets_lower_mode(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	/* Enough for either output alone. */
	fake_card_set_bandwidth(card, UINT64_C(2560) * 1440 * 4 * 144);
	begin(world, "");
	show(world, card, 3);
	fake_card_plug(card, "DP-2", &fake_screen_gaming);
	show(world, card, 30);
	assert_int_equal(width_of(card, "DP-1"), 1920);
	assert_int_equal(width_of(card, "DP-2"), 2560);
	assert_int_equal(find_output(world, "DP-2")->mode.refresh / 1000, 60);
	fake_card_plug(card, "DP-1", NULL);
	show(world, card, 3);
	assert_int_equal(find_output(world, "DP-2")->mode.refresh / 1000, 144);
}

/* With ten bits per channel on the other output, the bandwidth suffices for a small mode only. */
static bool allows_small_mode_only(void *data, const struct fake_scan *scan)
{
	struct fake_card *card = data;
	struct fake_scan other;
	const char *second = fake_crtc_of(card, "DP-2");
	bool deep = fake_get_scan(card, fake_primary_of(card, "DP-1"), &other) &&
		    other.format == DRM_FORMAT_ARGB2101010;
	return !deep || strcmp(scan->crtc, fake_crtc_of(card, "DP-1")) == 0 ||
	       scan->crtc_width <= 1280 || strcmp(second, "none") != 0;
}

static void running_output_gives_up_bit_depth_for_a_new_output(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	begin(world, "[output DP-1]\nbit-depth = 10\n");
	show(world, card, 3);
	assert_int_equal(format_of(card, "DP-1"), DRM_FORMAT_ARGB2101010);
	fake_card_set_judge(card, allows_small_mode_only, card);
	fake_card_plug(card, "DP-2", &fake_screen_gaming);
	fixture_pump(world->fixture);
	assert_int_equal(width_of(card, "DP-2"), 0);
	show(world, card, 10);
	assert_int_equal(width_of(card, "DP-2"), 2560);
	assert_int_equal(width_of(card, "DP-1"), 1920);
	assert_int_equal(find_output(world, "DP-2")->mode.refresh / 1000, 144);
	/* Ten bits return with the bandwidth. */
	show(world, card, 3);
	assert_int_equal(format_of(card, "DP-1"), DRM_FORMAT_ARGB2101010);
}

/* Number of enabled planes on the output's CRTC. */
static int count_planes(struct fake_card *card, const char *connector)
{
	const char *crtc = fake_crtc_of(card, connector);
	char name[32];
	int n = 0;
	for (int i = 0; i < 12; i++) {
		struct fake_scan scan;
		snprintf(name, sizeof(name), "plane-%d", i);
		n += fake_get_scan(card, name, &scan) && strcmp(scan.crtc, crtc) == 0;
	}
	return n;
}

static void play(struct world *world, struct fake_card *card, struct peer_window *video,
	struct drawn frames[3], int n)
{
	for (int i = 0; i < n; i++) {
		attach(world, card, video, &frames[i % 3]);
	}
}

static void overlay_gives_way_to_a_new_output(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	struct drawn frames[3];
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	begin(world, "");
	show(world, card, 3);
	struct peer *peer = peer_create(world->fixture);
	struct peer_window *video = peer_window_create(peer, 100, 100, 640, 480, 0xff000000);
	for (int i = 0; i < 3; i++) {
		frames[i] = draw_on(card, peer, 640, 480, DRM_FORMAT_XRGB8888);
	}
	play(world, card, video, frames, 6);
	int with = count_planes(card, "DP-1");
	/* Bandwidth for both screens and half of the video. */
	fake_card_set_bandwidth(card, UINT64_C(1920) * 1080 * 4 * 60 +
					      UINT64_C(2560) * 1440 * 4 * 144 +
					      UINT64_C(640) * 240 * 4 * 60);
	fake_card_plug(card, "DP-2", &fake_screen_gaming);
	play(world, card, video, frames, 1);
	assert_int_equal(width_of(card, "DP-2"), 0);
	play(world, card, video, frames, 6);
	assert_int_equal(find_output(world, "DP-2")->mode.refresh / 1000, 144);
	assert_int_equal(width_of(card, "DP-2"), 2560);
	play(world, card, video, frames, 20);
	assert_int_equal(count_planes(card, "DP-1"), with - 1);
	fake_card_plug(card, "DP-2", NULL);
	/* By then, the back-off after the refusal is over. */
	play(world, card, video, frames, 300);
	assert_int_equal(count_planes(card, "DP-1"), with);
	for (int i = 0; i < 3; i++) {
		drop(&frames[i]);
	}
}

/* Choice of the primary GPU */

static const char *primary_kind(struct world *world, const char *config)
{
	begin(world, config);
	const struct gpu *gpu = gpu_list_find(
		world->fixture->server->gpus, world->fixture->server->backend->device);
	const char *driver = gpu ? gpu->driver : "none";
	/* Names of kinds are static. */
	const char *kind = NULL;
	for (size_t i = 0; fake_card_kind(i); i++) {
		kind = strcmp(fake_card_kind(i), driver) == 0 ? fake_card_kind(i) : kind;
	}
	fixture_destroy(world->fixture);
	world->fixture = NULL;
	return kind;
}

static void primary_gpu_has_panel_or_most_screens(void **state)
{
	struct world *world = *state;
	/* The GPU with a panel takes precedence over one with more screens. */
	struct fake_card *big = fake_card_create("amdgpu"), *small = fake_card_create("i915");
	fake_card_plug(small, "eDP-1", &fake_screen_plain);
	fake_card_plug(big, "DP-1", &fake_screen_plain);
	fake_card_plug(big, "DP-2", &fake_screen_plain);
	assert_string_equal(primary_kind(world, ""), "i915");
	assert_string_equal(primary_kind(world, "[gpu]\nprimary = 1002:73bf\n"), "amdgpu");
	assert_string_equal(
		primary_kind(world, "[gpu]\nprimary = big\nalias.big = pci-0000_01_00_0\n"),
		"amdgpu");
	assert_string_equal(primary_kind(world, "[gpu]\nprimary = 10de:2684\n"), "i915");
	/* Connected screens take precedence over the boot GPU. */
	fake_card_plug(small, "eDP-1", NULL);
	assert_string_equal(primary_kind(world, ""), "amdgpu");
	/* The configured GPU has no screen. */
	assert_string_equal(primary_kind(world, "[gpu]\nprimary = 8086:9a49\n"), "amdgpu");
	fake_card_plug(small, "DP-4", &fake_screen_plain);
	fake_card_plug(big, "DP-2", NULL);
	/* With equal numbers of screens, the first one in bus order. */
	assert_string_equal(primary_kind(world, ""), "amdgpu");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(output_section_matches_model_or_connector),
		TEST(bit_depth_applies_as_far_as_link_allows),
		TEST(planes_without_ten_bits_keep_ten_bit_link),
		TEST(adaptive_sync_applies_where_supported),
		TEST(adaptive_sync_survives_refused_frame),
		TEST(adaptive_sync_change_schedules_one_frame),
		TEST(color_matrix_applies_until_removed),
		TEST(outputs_change_in_one_commit_at_start_and_reload),
		TEST(outputs_connected_while_inactive_are_enabled_in_one_commit),
		TEST(configuration_loaded_while_inactive_applies_on_return),
		TEST(slow_modeset_does_not_stop_other_outputs),
		TEST(client_sets_custom_modes_within_screen_range),
		TEST(output_beyond_bandwidth_gets_lower_mode),
		TEST(running_output_gives_up_bit_depth_for_a_new_output),
		TEST(overlay_gives_way_to_a_new_output),
		TEST(primary_gpu_has_panel_or_most_screens),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
