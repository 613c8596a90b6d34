/* SPDX-License-Identifier: MIT */
/* CRTCs of outputs on cards with fewer CRTCs than connectors, or with few routes between them. */

#include "backend/lease.h"
#include "rig.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct rig *begin(struct fake_card *card, const char *const *connectors)
{
	for (int i = 0; connectors[i]; i++) {
		fake_card_plug(card, connectors[i], &fake_screen_plain);
	}
	return rig_create();
}

static bool enable(struct rig *rig, const char *name)
{
	bool done = rig_enable(rig_find(rig, name));
	rig_dispatch(rig);
	return done;
}

static bool disable(struct rig *rig, const char *name)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED;
	return rig_set(rig_find(rig, name), &state);
}

/* With the first mode of the output. */
static struct output_state state_on(struct output *output)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED | OUTPUT_MODE;
	state.enabled = true;
	state.mode = output->modes[0];
	return state;
}

static bool is_lit(struct fake_card *card, const char *connector)
{
	const char *crtc = fake_crtc_of(card, connector);
	return strcmp(crtc, "none") != 0 && fake_get(card, crtc, "ACTIVE");
}

static void show(struct rig *rig, struct fake_card *card, const char *name, uint32_t pixel)
{
	struct rig_output *output = rig_find(rig, name);
	assert_int_not_equal(rig_show(rig, output, pixel, -1), 0);
	rig_dispatch(rig);
	assert_true(output->present.presented);
	assert_int_equal(fake_plane_pixel(card, fake_primary_of(card, name), 10, 10), pixel);
}

/* eDP has crtc-1, the only one that DSI can have, and crtc-0 of the unplugged HDMI is free. */
static struct rig *begin_dark(struct fake_card *card)
{
	struct rig *rig = begin(card, (const char *[]){"HDMI-A-5", "eDP-3", NULL});
	assert_true(enable(rig, "HDMI-A-5") && enable(rig, "eDP-3"));
	fake_card_plug(card, "HDMI-A-5", NULL);
	fake_card_plug(card, "DSI-1", &fake_screen_plain);
	rig_dispatch(rig);
	return rig;
}

/* Enables DSI during a page flip of eDP. Returns the output that moves after the flip. */
static struct rig_output *begin_move(struct rig *rig, struct fake_card *card)
{
	struct rig_output *moved = rig_find(rig, "eDP-3");
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(rig, moved, 0x222222, -1), 0);
	assert_true(enable(rig, "DSI-1"));
	return moved;
}

/* Ends the page flip, after which the kernel refuses the move. */
static void refuse_move(struct rig *rig, struct fake_card *card)
{
	/* As often as a modeset is tried: without and with blocking. */
	fake_card_fail(card, EINVAL, 2, false);
	fake_card_vblank(card, 1000);
	fake_card_set_flips(card, FAKE_FLIPS_AT_ONCE);
	rig_dispatch(rig);
	assert_string_equal(fake_crtc_of(card, "eDP-3"), "crtc-1");
}

/* pop-os/pop#2632: the laptop panel kept its CRTC, and the third monitor of a dock stayed dark. */
static void disabled_output_gives_up_its_crtc(void **state)
{
	struct fake_card *card = fake_card_create("i915-dock");
	struct rig *rig = begin(card, (const char *[]){"eDP-5", "DP-8", "DP-9", NULL});
	assert_true(enable(rig, "eDP-5") && enable(rig, "DP-8") && enable(rig, "DP-9"));
	fake_card_plug(card, "DP-10", &fake_screen_gaming);
	rig_dispatch(rig);
	struct rig_output *fourth = rig_find(rig, "DP-10");
	assert_non_null(fourth);
	assert_non_null(output_lacks(fourth->output));
	assert_false(enable(rig, "DP-10"));
	assert_true(is_lit(card, "eDP-5") && is_lit(card, "DP-8") && is_lit(card, "DP-9"));
	assert_true(disable(rig, "eDP-5"));
	assert_null(output_lacks(fourth->output));
	assert_true(enable(rig, "DP-10"));
	show(rig, card, "DP-10", 0x123456);
	assert_non_null(output_lacks(rig_find(rig, "eDP-5")->output));
	assert_false(enable(rig, "eDP-5"));
	assert_true(disable(rig, "DP-8"));
	assert_true(enable(rig, "eDP-5"));
	show(rig, card, "eDP-5", 0x654321);
	assert_int_equal(fake_card_counts(card).removed_while_shown, 0);
	rig_destroy(rig);
}

/* wlroots#1394: DSI can have crtc-1 only, which eDP has; crtc-0 of HDMI becomes free. */
static void lit_output_moves_if_another_would_stay_dark(void **state)
{
	struct fake_card *card = fake_card_create("rockchip");
	struct rig *rig = begin(card, (const char *[]){"HDMI-A-5", "eDP-3", NULL});
	assert_true(enable(rig, "HDMI-A-5") && enable(rig, "eDP-3"));
	assert_string_equal(fake_crtc_of(card, "eDP-3"), "crtc-1");
	show(rig, card, "eDP-3", 0x111111);
	fake_card_plug(card, "DSI-1", &fake_screen_plain);
	rig_dispatch(rig);
	assert_false(enable(rig, "DSI-1"));
	assert_string_equal(fake_crtc_of(card, "eDP-3"), "crtc-1");
	fake_card_plug(card, "HDMI-A-5", NULL);
	rig_dispatch(rig);
	uint32_t planes = rig_find(rig, "eDP-3")->output->planes_id;
	int n_needed = rig_find(rig, "eDP-3")->n_needed;
	uint64_t modesets = fake_card_counts(card).modesets;
	assert_true(enable(rig, "DSI-1"));
	assert_int_equal(fake_card_counts(card).modesets, modesets + 1);
	assert_string_equal(fake_crtc_of(card, "eDP-3"), "crtc-0");
	/* The move drops a frame in flight: no other event starts the next one. */
	assert_int_equal(rig_find(rig, "eDP-3")->n_needed, n_needed + 1);
	assert_string_equal(fake_crtc_of(card, "DSI-1"), "crtc-1");
	assert_int_not_equal(rig_find(rig, "eDP-3")->output->planes_id, planes);
	const uint64_t allowed = fake_card_counts(card).allowed;
	show(rig, card, "eDP-3", 0x222222);
	show(rig, card, "DSI-1", 0x333333);
	/* The next frames set no mode. */
	assert_int_equal(fake_card_counts(card).allowed, allowed);
	assert_int_equal(fake_card_counts(card).removed_while_shown, 0);
	rig_destroy(rig);
}

/* A frame of the output that moves is under way: the kernel refuses the move until its flip. */
static void move_waits_for_the_page_flip(void **state)
{
	struct fake_card *card = fake_card_create("rockchip");
	struct rig *rig = begin_dark(card);
	show(rig, card, "eDP-3", 0x111111);
	int n_presents = rig_find(rig, "eDP-3")->n_presents;
	struct rig_output *moved = begin_move(rig, card);
	assert_int_equal(moved->n_presents, n_presents + 1);
	assert_false(moved->present.presented);
	assert_string_equal(fake_crtc_of(card, "eDP-3"), "crtc-1");
	fake_card_vblank(card, 1000);
	rig_dispatch(rig);
	assert_string_equal(fake_crtc_of(card, "eDP-3"), "crtc-0");
	assert_string_equal(fake_crtc_of(card, "DSI-1"), "crtc-1");
	fake_card_set_flips(card, FAKE_FLIPS_AT_ONCE);
	fake_card_vblank(card, 2000);
	rig_dispatch(rig);
	show(rig, card, "eDP-3", 0x333333);
	show(rig, card, "DSI-1", 0x444444);
	assert_int_equal(fake_card_counts(card).blocking, 0);
	assert_int_equal(fake_card_counts(card).removed_while_shown, 0);
	assert_false(clock_advance_to_next(rig->clock));
	rig_destroy(rig);
}

/* Planes of an output, as its last event has announced them. */
struct announced {
	struct wl_listener changed;
	const struct output *output;
	uint32_t planes_id;
};

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct announced *announced = wl_container_of(listener, announced, changed);
	announced->planes_id = announced->output->planes_id;
}

/* The test passes, and the kernel refuses the commit later: lit outputs stay lit. */
static void refused_move_leaves_the_lit_output(void **state)
{
	struct fake_card *card = fake_card_create("rockchip");
	struct rig *rig = begin_dark(card);
	struct output *edp = rig_find(rig, "eDP-3")->output;
	struct announced announced = {.output = edp};
	const uint32_t planes_id = edp->planes_id;
	signal_add(&edp->events.changed, &announced.changed, handle_changed);
	struct rig_output *moved = begin_move(rig, card);
	assert_int_not_equal(announced.planes_id, planes_id);
	refuse_move(rig, card);
	assert_int_equal(announced.planes_id, planes_id);
	assert_int_equal(edp->planes_id, planes_id);
	wl_list_remove(&announced.changed.link);
	assert_true(moved->output->enabled && is_lit(card, "eDP-3"));
	assert_false(rig_find(rig, "DSI-1")->output->enabled);
	show(rig, card, "eDP-3", 0x333333);
	assert_true(enable(rig, "DSI-1"));
	show(rig, card, "eDP-3", 0x444444);
	show(rig, card, "DSI-1", 0x555555);
	assert_int_equal(fake_card_counts(card).removed_while_shown, 0);
	rig_destroy(rig);
}

/* At once, after tests that have passed: frames go on as before, without a modeset. */
static void refused_move_changes_no_frame(void **state)
{
	struct fake_card *card = fake_card_create("rockchip");
	struct rig *rig = begin_dark(card);
	struct output *third = rig_find(rig, "DSI-1")->output;
	const struct output_state on = state_on(third);
	struct rig_output *lit = rig_find(rig, "eDP-3");
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(rig, lit, 0x111111, -1), 0);
	const int n_needed = lit->n_needed;
	fake_card_refuse_property(card, "MODE_ID", EINVAL);
	assert_int_equal(output_commit(third, &on), 0);
	fake_card_refuse_property(card, "MODE_ID", 0);
	rig_dispatch(rig);
	/* The attempt has dropped the frame in flight, and no event starts the next one. */
	assert_false(lit->present.presented);
	assert_int_equal(lit->n_needed, n_needed + 1);
	fake_card_vblank(card, 1000);
	fake_card_set_flips(card, FAKE_FLIPS_AT_ONCE);
	rig_dispatch(rig);
	const uint64_t allowed = fake_card_counts(card).allowed;
	show(rig, card, "eDP-3", 0x222222);
	assert_int_equal(fake_card_counts(card).allowed, allowed);
	assert_string_equal(fake_crtc_of(card, "eDP-3"), "crtc-1");
	assert_true(enable(rig, "DSI-1"));
	show(rig, card, "DSI-1", 0x333333);
	rig_destroy(rig);
}

/* The kernel refuses the move of two outputs with frames that wait for it. */
static void frames_held_for_a_refused_move_are_dropped(void **state)
{
	struct fake_card *card = fake_card_create("rockchip");
	struct rig *rig = begin_dark(card);
	struct rig_output *moved = begin_move(rig, card), *other = rig_find(rig, "DSI-1");
	/* Both frames name planes of CRTCs that the outputs do not get. */
	assert_int_not_equal(rig_show(rig, moved, 0x333333, -1), 0);
	assert_int_not_equal(rig_show(rig, other, 0x444444, -1), 0);
	refuse_move(rig, card);
	assert_true(is_lit(card, "eDP-3"));
	assert_false(moved->present.presented || other->present.presented);
	show(rig, card, "eDP-3", 0x555555);
	assert_int_equal(fake_card_counts(card).removed_while_shown, 0);
	rig_destroy(rig);
}

/* Tools test settings before they apply them: frames must not become modesets by that. */
static void test_of_a_move_changes_no_frame(void **state)
{
	struct fake_card *card = fake_card_create("rockchip");
	struct rig *rig = begin_dark(card);
	struct output *third = rig_find(rig, "DSI-1")->output;
	const struct output_state on = state_on(third);
	assert_true(output_test(third, &on));
	uint64_t allowed = fake_card_counts(card).allowed;
	show(rig, card, "eDP-3", 0x222222);
	assert_int_equal(fake_card_counts(card).allowed, allowed);
	assert_string_equal(fake_crtc_of(card, "eDP-3"), "crtc-1");
	rig_destroy(rig);
}

/* The kernel refuses to touch a CRTC before its page flip, and with it all of the request. */
static void cleanup_leaves_the_output_that_is_to_be_disabled(void **state)
{
	struct fake_card *card = fake_card_create("i915-dock");
	struct rig *rig = begin(card, (const char *[]){"eDP-5", "DP-8", NULL});
	assert_true(enable(rig, "eDP-5") && enable(rig, "DP-8"));
	show(rig, card, "eDP-5", 0x111111);
	fake_card_set_flips(card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(rig, rig_find(rig, "eDP-5"), 0x222222, -1), 0);
	rig->holds_probes = true;
	fake_card_set_probe(card, FAKE_PROBE_HELD);
	fake_card_plug(card, "DP-8", NULL);
	rig_dispatch(rig);
	assert_true(disable(rig, "eDP-5"));
	rig->holds_probes = false;
	fake_card_set_probe(card, 0);
	rig_dispatch(rig);
	assert_null(rig_find(rig, "DP-8"));
	assert_true(is_lit(card, "eDP-5"));
	assert_false(is_lit(card, "DP-8"));
	fake_card_vblank(card, 1000);
	rig_dispatch(rig);
	assert_false(is_lit(card, "eDP-5"));
	assert_false(clock_advance_to_next(rig->clock));
	rig_destroy(rig);
}

/* The planes would be missing elsewhere; the card could not be closed. */
static void test_of_a_free_crtc_keeps_no_planes(void **state)
{
	struct fake_card *card = fake_card_create("i915-dock");
	struct rig *rig = begin(card, (const char *[]){"eDP-5", "DP-8", "DP-9", NULL});
	assert_true(enable(rig, "eDP-5") && enable(rig, "DP-8") && enable(rig, "DP-9"));
	fake_card_plug(card, "DP-10", &fake_screen_plain);
	fake_card_plug(card, "DP-9", NULL);
	rig_dispatch(rig);
	struct output *last = rig_find(rig, "DP-10")->output;
	const struct gpu *gpu = last->gpu;
	const struct output_state on = state_on(last);
	assert_null(output_lacks(last));
	assert_true(output_test(last, &on));
	static const char *const all[] = {"DP-10", "eDP-5", "DP-8"};
	for (int i = 0; i < 3; i++) {
		fake_card_plug(card, all[i], NULL);
	}
	rig_dispatch(rig);
	assert_int_equal(drm_backend_clone_fd(rig->backend, gpu), -ENODEV);
	rig_destroy(rig);
}

/* The output that moves is unplugged while the kernel still has it on its previous CRTC. */
static void output_unplugged_during_its_move_is_disabled(void **state)
{
	struct fake_card *card = fake_card_create("rockchip");
	struct rig *rig = begin_dark(card);
	begin_move(rig, card);
	fake_card_plug(card, "eDP-3", NULL);
	fake_card_set_flips(card, FAKE_FLIPS_AT_ONCE);
	for (int i = 0; i < 4; i++) {
		fake_card_vblank(card, 1000);
		rig_dispatch(rig);
		clock_advance(rig->clock, 20000000);
		rig_dispatch(rig);
	}
	assert_null(rig_find(rig, "eDP-3"));
	assert_false(is_lit(card, "eDP-3"));
	show(rig, card, "DSI-1", 0x333333);
	assert_false(clock_advance_to_next(rig->clock));
	rig_destroy(rig);
}

/* Changes of several outputs in one commit, such as a profile of kanshi. */
static void outputs_swap_crtcs_in_one_commit(void **state)
{
	struct fake_card *card = fake_card_create("i915-dock");
	struct rig *rig = begin(card, (const char *[]){"eDP-5", "DP-8", "DP-9", "DP-10", NULL});
	assert_true(enable(rig, "eDP-5") && enable(rig, "DP-8") && enable(rig, "DP-9"));
	struct output_state off;
	struct output *last = rig_find(rig, "DP-10")->output;
	output_state_init(&off);
	off.fields = OUTPUT_ENABLED;
	const struct output_state on = state_on(last);
	const struct output_change changes[] = {
		{last, &on}, {rig_find(rig, "eDP-5")->output, &off}};
	uint64_t modesets = fake_card_counts(card).modesets;
	assert_true(outputs_test(changes, 2));
	assert_true(outputs_commit(changes, 2));
	rig_dispatch(rig);
	assert_int_equal(fake_card_counts(card).modesets, modesets + 1);
	assert_true(is_lit(card, "DP-10"));
	assert_false(is_lit(card, "eDP-5"));
	show(rig, card, "DP-10", 0x123456);
	rig_destroy(rig);
}

/* The session of a headset would end. */
static void leased_output_keeps_its_crtc(void **state)
{
	struct fake_card *card = fake_card_create("i915-dock");
	fake_card_plug(card, "DP-8", &fake_screen_headset);
	struct rig *rig = begin(card, (const char *[]){"eDP-5", "DP-9", "DP-10", NULL});
	struct output *headset = rig_find(rig, "DP-8")->output;
	int fd;
	assert_true(enable(rig, "eDP-5") && enable(rig, "DP-9"));
	struct drm_lease *lease = drm_lease_create(&headset, 1, &fd);
	assert_non_null(lease);
	assert_false(enable(rig, "DP-10"));
	assert_non_null(strstr(output_lacks(rig_find(rig, "DP-10")->output), "leased"));
	drm_lease_destroy(lease);
	close(fd);
	rig_dispatch(rig);
	assert_true(enable(rig, "DP-10"));
	assert_non_null(rig_find(rig, "DP-8"));
	assert_null(drm_lease_create(&headset, 1, &fd));
	assert_true(disable(rig, "DP-9"));
	lease = drm_lease_create(&headset, 1, &fd);
	assert_non_null(lease);
	drm_lease_destroy(lease);
	close(fd);
	rig_destroy(rig);
}

/* DSI can have crtc-1 only, which eDP holds; crtc-0 is free. */
static void leased_output_is_not_moved(void **state)
{
	struct fake_card *card = fake_card_create("rockchip");
	struct rig *rig = begin(card, (const char *[]){"HDMI-A-5", "eDP-3", NULL});
	struct output *leased = rig_find(rig, "eDP-3")->output;
	const uint32_t planes = leased->planes_id;
	int fd;
	struct drm_lease *lease = drm_lease_create(&leased, 1, &fd);
	assert_non_null(lease);
	fake_card_plug(card, "HDMI-A-5", NULL);
	fake_card_plug(card, "DSI-1", &fake_screen_plain);
	rig_dispatch(rig);
	assert_false(enable(rig, "DSI-1"));
	assert_int_equal(leased->planes_id, planes);
	drm_lease_destroy(lease);
	close(fd);
	rig_dispatch(rig);
	assert_true(enable(rig, "DSI-1"));
	rig_destroy(rig);
}

/* DSI can have crtc-1 only, which eDP holds; none of them is lit. */
static void outputs_of_one_lease_share_out_the_crtcs(void **state)
{
	struct fake_card *card = fake_card_create("rockchip");
	struct rig *rig = begin(card, (const char *[]){"HDMI-A-5", "eDP-3", NULL});
	int fd;
	fake_card_plug(card, "HDMI-A-5", NULL);
	fake_card_plug(card, "DSI-1", &fake_screen_plain);
	rig_dispatch(rig);
	struct output *both[] = {rig_find(rig, "eDP-3")->output, rig_find(rig, "DSI-1")->output};
	struct drm_lease *lease = drm_lease_create(both, 2, &fd);
	assert_non_null(lease);
	assert_true(both[0]->leased && both[1]->leased);
	assert_int_not_equal(both[0]->planes_id, both[1]->planes_id);
	drm_lease_destroy(lease);
	close(fd);
	/* A third one has no CRTC, and the lease of all is refused as a whole. */
	fake_card_plug(card, "HDMI-A-5", &fake_screen_plain);
	rig_dispatch(rig);
	struct output *all[] = {both[0], both[1], rig_find(rig, "HDMI-A-5")->output};
	assert_null(drm_lease_create(all, 3, &fd));
	assert_false(both[0]->leased || both[1]->leased);
	assert_true(enable(rig, "eDP-3") && enable(rig, "DSI-1"));
	/* Nothing moves lit outputs for a lease. */
	assert_null(drm_lease_create(&all[2], 1, &fd));
	assert_true(is_lit(card, "eDP-3") && is_lit(card, "DSI-1"));
	rig_destroy(rig);
}

struct partner {
	struct wl_listener changed;
	struct output *other;
	int n_changes;
};

static void handle_returned(struct wl_listener *listener, void *data)
{
	struct partner *partner = wl_container_of(listener, partner, changed);
	partner->n_changes++;
	assert_false(partner->other->leased);
	drm_lease_end(partner->other);
}

/* A listener of the first one may end the lease of the second one. */
static void outputs_of_one_lease_return_together(void **state)
{
	struct fake_card *card = fake_card_create("amdgpu");
	struct rig *rig = begin(card, (const char *[]){"DP-1", "DP-2", NULL});
	struct output *both[] = {rig_find(rig, "DP-1")->output, rig_find(rig, "DP-2")->output};
	struct partner partners[2];
	for (int first = 0; first < 2; first++) {
		int fd;
		struct drm_lease *lease = drm_lease_create(both, 2, &fd);
		assert_non_null(lease);
		for (int i = 0; i < 2; i++) {
			partners[i] = (struct partner){.other = both[!i]};
			signal_add(&both[i]->events.changed, &partners[i].changed, handle_returned);
		}
		drm_lease_end(both[first]);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(partners[i].n_changes, 1);
			assert_false(both[i]->leased);
			wl_list_remove(&partners[i].changed.link);
		}
		assert_null(lease->card);
		drm_lease_destroy(lease);
		close(fd);
	}
	assert_true(enable(rig, "DP-1") && enable(rig, "DP-2"));
	rig_destroy(rig);
}

/* raspberrypi/linux#3734: the cursor of one screen was shown on the other. */
static void crtcs_use_their_own_planes_of_equal_ones(void **state)
{
	struct fake_card *card = fake_card_create("vc4-firmware");
	fake_card_plug(card, "HDMI-A-11", &fake_screen_plain);
	fake_card_boot(card, "HDMI-A-11", "crtc-1");
	struct rig *rig = rig_create();
	assert_true(enable(rig, "HDMI-A-11"));
	assert_string_equal(fake_crtc_of(card, "HDMI-A-11"), "crtc-1");
	assert_string_equal(fake_primary_of(card, "HDMI-A-11"), "plane-2");
	fake_card_plug(card, "HDMI-A-10", &fake_screen_plain);
	rig_dispatch(rig);
	assert_true(enable(rig, "HDMI-A-10"));
	assert_string_equal(fake_primary_of(card, "HDMI-A-10"), "plane-0");
	show(rig, card, "HDMI-A-10", 0x123456);
	rig_destroy(rig);
	/* Planes of other CRTCs count, too. */
	card = fake_card_create("vc4-firmware");
	rig = begin(card, (const char *[]){"HDMI-A-10", "HDMI-A-11", "DSI-3", NULL});
	assert_true(enable(rig, "HDMI-A-10") && enable(rig, "HDMI-A-11") && enable(rig, "DSI-3"));
	assert_string_equal(fake_primary_of(card, "HDMI-A-10"), "plane-0");
	assert_string_equal(fake_primary_of(card, "HDMI-A-11"), "plane-2");
	assert_string_equal(fake_primary_of(card, "DSI-3"), "plane-4");
	rig_destroy(rig);
}

/* None is left over, and none of the outputs has all. */
static void crtcs_share_the_overlays_of_all(void **state)
{
	struct fake_card *card = fake_card_create("amdgpu-overlays");
	struct rig *rig = begin(card, (const char *[]){"eDP-1", "DP-1", NULL});
	assert_true(enable(rig, "eDP-1") && enable(rig, "DP-1"));
	assert_int_equal(rig_find(rig, "eDP-1")->output->n_planes, 1 + 2 + 1);
	assert_int_equal(rig_find(rig, "DP-1")->output->n_planes, 1 + 1 + 1);
	rig_destroy(rig);
	/* Overlays that one CRTC alone can use are no part of its share. */
	card = fake_card_create("rockchip-windows");
	rig = begin(card, (const char *[]){"HDMI-A-13", "eDP-6", NULL});
	assert_true(enable(rig, "HDMI-A-13") && enable(rig, "eDP-6"));
	assert_int_equal(rig_find(rig, "HDMI-A-13")->output->n_planes, 1 + 1 + 2);
	assert_int_equal(rig_find(rig, "eDP-6")->output->n_planes, 1 + 1 + 1);
	rig_destroy(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disabled_output_gives_up_its_crtc),
		cmocka_unit_test(lit_output_moves_if_another_would_stay_dark),
		cmocka_unit_test(move_waits_for_the_page_flip),
		cmocka_unit_test(refused_move_leaves_the_lit_output),
		cmocka_unit_test(refused_move_changes_no_frame),
		cmocka_unit_test(frames_held_for_a_refused_move_are_dropped),
		cmocka_unit_test(test_of_a_move_changes_no_frame),
		cmocka_unit_test(cleanup_leaves_the_output_that_is_to_be_disabled),
		cmocka_unit_test(test_of_a_free_crtc_keeps_no_planes),
		cmocka_unit_test(output_unplugged_during_its_move_is_disabled),
		cmocka_unit_test(outputs_swap_crtcs_in_one_commit),
		cmocka_unit_test(leased_output_keeps_its_crtc),
		cmocka_unit_test(leased_output_is_not_moved),
		cmocka_unit_test(outputs_of_one_lease_share_out_the_crtcs),
		cmocka_unit_test(outputs_of_one_lease_return_together),
		cmocka_unit_test(crtcs_use_their_own_planes_of_equal_ones),
		cmocka_unit_test(crtcs_share_the_overlays_of_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
