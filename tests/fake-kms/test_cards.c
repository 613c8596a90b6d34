/* SPDX-License-Identifier: MIT */
/* Cards of the DRM backend: seats, other programs, signals, and the state that firmware leaves. */

#include "rig.h"
#include "state.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static struct fake_card *create(const char *kind, const char *connector)
{
	struct fake_card *card = fake_card_create(kind);
	fake_card_plug(card, connector, &fake_screen_plain);
	return card;
}

static bool is_lit(struct fake_card *card, const char *connector)
{
	const char *crtc = fake_crtc_of(card, connector);
	return strcmp(crtc, "none") != 0 && fake_get(card, crtc, "ACTIVE");
}

static bool show(struct rig *rig, const char *name)
{
	struct rig_output *output = rig_find(rig, name);
	const bool done = rig_show(rig, output, 1, -1) != 0;
	rig_dispatch(rig);
	return done && output->present.presented;
}

/* At the start, and later. */
static void cards_of_other_seats_are_left_alone(void **state)
{
	create("amdgpu", "DP-1");
	struct fake_card *other = create("i915", "DP-4");
	fake_card_set_seat(other, "seat1");
	struct rig *rig = rig_create();
	assert_non_null(rig_find(rig, "DP-1"));
	assert_null(rig_find(rig, "DP-4"));
	fake_card_send_hotplug(other, "DP-4");
	rig_dispatch(rig);
	assert_null(rig_find(rig, "DP-4"));
	assert_int_equal(fake_card_counts(other).files, 0);
	rig_destroy(rig);
}

/* In each order of the cards. */
static void backend_starts_if_one_card_can_set_modes(void **state)
{
	static const char *const kinds[][2] = {{"amdgpu", "DP-1"}, {"i915", "DP-4"}};
	for (int held = 0; held < 2; held++) {
		struct fake_card *cards[2];
		for (int i = 0; i < 2; i++) {
			cards[i] = create(kinds[i][0], kinds[i][1]);
			fake_card_set_held(cards[i], i == held);
		}
		struct rig *rig = rig_create();
		assert_null(rig_find(rig, kinds[held][1]));
		assert_non_null(rig_find(rig, kinds[!held][1]));
		assert_int_equal(fake_card_counts(cards[held]).files, 0);
		/* The other program ends. */
		fake_card_set_held(cards[held], false);
		fake_card_send_hotplug(cards[held], kinds[held][1]);
		rig_dispatch(rig);
		assert_non_null(rig_find(rig, kinds[held][1]));
		assert_true(rig_enable(rig_find(rig, kinds[held][1])));
		rig_destroy(rig);
	}
}

static void signal_during_a_read_loses_no_event(void **state)
{
	struct fake_card *card = create("amdgpu", "DP-1");
	struct rig *rig = rig_create();
	assert_true(rig_enable(rig_find(rig, "DP-1")));
	for (int i = 0; i < 3; i++) {
		fake_card_interrupt(card);
		assert_true(show(rig, "DP-1"));
		assert_false(card->interrupted);
	}
	rig_destroy(rig);
}

/* The kernel has removed the card, and udev has not: outputs wait for that without a frame. */
static void outputs_of_an_unplugged_card_sleep(void **state)
{
	struct fake_card *card = create("amdgpu", "DP-1");
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "DP-1");
	assert_true(rig_enable(output) && show(rig, "DP-1"));
	fake_card_fail(card, ENODEV, 1, false);
	assert_int_equal(rig_show(rig, output, 2, -1), 0);
	assert_true(output->output->asleep);
	rig_destroy(rig);
}

/* The screens are found at once, or by the probe only. */
static void state_of_firmware_is_cleaned_up(void **state)
{
	for (int probed = 0; probed < 2; probed++) {
		struct fake_card *card = create("amdgpu", "DP-1");
		fake_card_plug(card, "DP-2", &fake_screen_plain);
		fake_card_boot(card, "DP-2", "crtc-1");
		fake_card_plug(card, "DP-2", NULL);
		if (probed) {
			fake_card_forget_probe(card, "DP-1");
		}
		struct rig *rig = rig_create();
		rig_dispatch(rig);
		assert_non_null(rig_find(rig, "DP-1"));
		assert_false(is_lit(card, "DP-2"));
		assert_int_equal(fake_get(card, "crtc-1", "ACTIVE"), 0);
		rig_destroy(rig);
	}
}

/* Firmware shows the same on two screens with one CRTC, and so may another session. */
static void cloned_screens_get_crtcs_of_their_own(void **state)
{
	static const char *const names[] = {"DP-1", "DP-2"};
	for (int left = 0; left < 2; left++) {
		struct fake_card *card = create("amdgpu", names[0]);
		fake_card_plug(card, names[1], &fake_screen_plain);
		for (int i = 0; i < 2; i++) {
			fake_card_boot(card, names[i], "crtc-0");
		}
		struct rig *rig = rig_create();
		rig_dispatch(rig);
		for (int i = 0; i < 2; i++) {
			assert_true(rig_enable(rig_find(rig, names[i])) && show(rig, names[i]));
			assert_true(is_lit(card, names[i]));
		}
		/* Another session clones the screen of either output to the other one. */
		struct output_state off;
		output_state_init(&off);
		off.fields = OUTPUT_ENABLED;
		assert_true(rig_set(rig_find(rig, names[!left]), &off));
		const uint64_t crtc = fake_get(card, names[left], "CRTC_ID");
		fake_seat_set_active(false);
		rig_dispatch(rig);
		fake_set(card, names[!left], "CRTC_ID", crtc);
		fake_seat_set_active(true);
		rig_dispatch(rig);
		assert_true(is_lit(card, names[left]) && show(rig, names[left]));
		assert_int_equal(fake_get(card, names[!left], "CRTC_ID"), 0);
		rig_destroy(rig);
	}
}

/* No event tells that memory is free: one try a second, not a busy loop. */
static void cleanup_without_memory_is_tried_once_a_second(void **state)
{
	struct fake_card *card = create("amdgpu", "DP-1");
	fake_card_plug(card, "DP-2", &fake_screen_plain);
	struct rig *rig = rig_create();
	assert_true(rig_enable(rig_find(rig, "DP-1")) && rig_enable(rig_find(rig, "DP-2")));
	fake_card_fail(card, ENOMEM, 1000, false);
	fake_card_plug(card, "DP-2", NULL);
	rig_dispatch(rig);
	const uint64_t refused = fake_card_counts(card).refused;
	for (int i = 0; i < 100; i++) {
		clock_advance(rig->clock, SECOND / 20);
		rig_dispatch(rig);
	}
	assert_in_range(fake_card_counts(card).refused - refused, 4, 12);
	fake_card_fail(card, ENOMEM, 0, false);
	clock_advance(rig->clock, 2 * SECOND);
	rig_dispatch(rig);
	assert_int_equal(fake_get(card, "crtc-1", "ACTIVE"), 0);
	assert_false(clock_advance_to_next(rig->clock));
	rig_destroy(rig);
}

/* The kernel is busy for a while, and sends no event when it no longer is. */
static void busy_cleanup_is_tried_until_it_succeeds(void **state)
{
	struct fake_card *card = create("amdgpu", "DP-1");
	fake_card_plug(card, "DP-2", &fake_screen_plain);
	struct rig *rig = rig_create();
	assert_true(rig_enable(rig_find(rig, "DP-1")) && rig_enable(rig_find(rig, "DP-2")));
	fake_card_fail(card, EBUSY, 1000, false);
	fake_card_plug(card, "DP-2", NULL);
	for (int i = 0; i < 60; i++) {
		fake_card_fail(card, EBUSY, i < 50 ? 1000 : 0, false);
		rig_dispatch(rig);
		assert_true(i >= 50 || fake_get(card, "crtc-1", "ACTIVE"));
		clock_advance(rig->clock, SECOND / 50);
	}
	assert_int_equal(fake_get(card, "crtc-1", "ACTIVE"), 0);
	assert_false(clock_advance_to_next(rig->clock));
	rig_destroy(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cards_of_other_seats_are_left_alone),
		cmocka_unit_test(backend_starts_if_one_card_can_set_modes),
		cmocka_unit_test(signal_during_a_read_loses_no_event),
		cmocka_unit_test(outputs_of_an_unplugged_card_sleep),
		cmocka_unit_test(state_of_firmware_is_cleaned_up),
		cmocka_unit_test(cloned_screens_get_crtcs_of_their_own),
		cmocka_unit_test(cleanup_without_memory_is_tried_once_a_second),
		cmocka_unit_test(busy_cleanup_is_tried_until_it_succeeds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
