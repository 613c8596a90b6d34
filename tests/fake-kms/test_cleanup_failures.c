/* SPDX-License-Identifier: MIT */
/*
 * Cleanups of CRTCs and planes that the kernel refuses, at each call of each scene: the card ends
 * in the state that it has without the refusal.
 */

#include "two_outputs.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)
#define CALLS_MAX 200

/* Waits without events of the card. */
static void wait_for(struct two_outputs *world, int64_t ns)
{
	const int64_t end = clock_now(world->rig->clock) + ns;
	while (clock_now(world->rig->clock) < end) {
		clock_advance(world->rig->clock, SECOND / 4);
		fake_card_finish_modesets(world->card);
		rig_dispatch(world->rig);
	}
}

static void plug(struct two_outputs *world, const char *name, const struct fake_screen *screen)
{
	fake_card_plug(world->card, name, screen);
	rig_dispatch(world->rig);
}

static void unplug_one(struct two_outputs *world)
{
	plug(world, "DP-2", NULL);
}

static void unplug_both(struct two_outputs *world)
{
	fake_card_plug(world->card, "DP-1", NULL);
	plug(world, "DP-2", NULL);
}

static void unplug_during_flip(struct two_outputs *world)
{
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	rig_show(world->rig, world->second, 3, -1);
	plug(world, "DP-2", NULL);
	fake_card_vblank(world->card, 1000);
	fake_card_set_flips(world->card, FAKE_FLIPS_AT_ONCE);
	rig_dispatch(world->rig);
}

static void unplug_during_modeset(struct two_outputs *world)
{
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	set_mode(world->second, 1);
	plug(world, "DP-2", NULL);
	fake_card_set_modesets(world->card, FAKE_MODESETS_AT_ONCE);
	fake_card_finish_modesets(world->card);
	rig_dispatch(world->rig);
}

static void unplug_while_away(struct two_outputs *world)
{
	fake_seat_set_active(false);
	plug(world, "DP-2", NULL);
	fake_seat_set_active(true);
	rig_dispatch(world->rig);
}

/* Another program lights a screen that is disabled here. */
static void find_lit_by_others(struct two_outputs *world)
{
	char crtc[16];
	while (width_of(world, "DP-2") > 0) { /* the call that fails may be this one */
		switch_off(world->second);
		wait_for(world, SECOND);
	}
	fake_seat_set_active(false);
	rig_dispatch(world->rig);
	snprintf(crtc, sizeof(crtc), "crtc-%d",
		strcmp(fake_crtc_of(world->card, "DP-1"), "crtc-2") == 0 ? 3 : 2);
	fake_card_boot(world->card, "DP-2", crtc);
	fake_seat_set_active(true);
	rig_dispatch(world->rig);
}

static void replace(struct two_outputs *world)
{
	plug(world, "DP-2", &fake_screen_plain);
	plug(world, "DP-2", NULL);
}

static void (*const scenes[])(struct two_outputs *world) = {unplug_one, unplug_both,
	unplug_during_flip, unplug_during_modeset, unplug_while_away, find_lit_by_others, replace};
#define N_SCENES (sizeof(scenes) / sizeof(scenes[0]))

static int count_active(struct two_outputs *world)
{
	int n = 0;
	for (int i = 0; i < 4; i++) {
		char crtc[16];
		snprintf(crtc, sizeof(crtc), "crtc-%d", i);
		n += fake_get(world->card, crtc, "ACTIVE") != 0;
	}
	return n;
}

static bool shows(struct two_outputs *world)
{
	const bool done = rig_show(world->rig, world->first, 4, -1) != 0;
	rig_dispatch(world->rig);
	return done && world->first->present.presented;
}

/* Returns false if the scene ends before that call. */
static bool play(size_t scene, int call, int error)
{
	struct two_outputs *world;
	const bool leaves = error == EACCES || error == EPERM;
	set_up((void **)&world);
	if (leaves) {
		fake_card_refuse_closefb(world->card); /* framebuffers must not be removed yet */
	}
	fake_card_fail_nth(world->card, call, error);
	scenes[scene](world);
	const bool reached = fake_card_fail_nth(world->card, 0, 0) == 0;
	wait_for(world, 2 * SECOND);
	if (world->first->output && !world->first->output->enabled) {
		rig_enable(world->first); /* as the server does: the refused modeset was its own */
	}
	if (leaves) { /* as the session was about to leave */
		fake_seat_set_active(false);
		rig_dispatch(world->rig);
		fake_seat_set_active(true);
	} else if (error == EINVAL) {
		fake_card_send_hotplug(world->card, "DP-2");
	}
	wait_for(world, 2 * SECOND);
	const bool frozen = world->first->output && !shows(world);
	const int active = count_active(world), lit = scenes[scene] == unplug_both ? 0 : 1;
	const int width = width_of(world, "DP-1");
	const struct fake_counts counts = fake_card_counts(world->card);
	const bool wakes = clock_advance_to_next(world->rig->clock);
	if (active != lit || (width > 0) != lit || counts.removed_while_shown || wakes || frozen) {
		fail_msg("scene %d, request %d, errno %d: %d CRTCs are active, DP-1 has %d "
			 "pixels, %d framebuffers were removed while shown%s%s",
			(int)scene, call, error, active, width, (int)counts.removed_while_shown,
			frozen ? ", frames are not shown" : "", wakes ? ", and a timer runs" : "");
	}
	tear_down((void **)&world);
	return reached;
}

static void play_calls(const int *errors)
{
	for (size_t scene = 0; scene < N_SCENES; scene++) {
		for (int i = 0; errors[i]; i++) {
			int call = 1;
			while (play(scene, call, errors[i])) {
				call++;
				assert_in_range(call, 1, CALLS_MAX);
			}
			assert_true(call > 1);
		}
	}
}

static void refused_commit_is_repeated(void **state)
{
	static const int errors[] = {EBUSY, EINTR, EAGAIN, ENOMEM, 0};
	play_calls(errors);
}

static void commit_refused_to_a_session_that_leaves_is_repeated_on_its_return(void **state)
{
	static const int errors[] = {EACCES, EPERM, 0};
	play_calls(errors);
}

static void commit_refused_for_another_reason_is_repeated_by_the_next_event(void **state)
{
	static const int errors[] = {EINVAL, 0};
	play_calls(errors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_commit_is_repeated),
		cmocka_unit_test(commit_refused_to_a_session_that_leaves_is_repeated_on_its_return),
		cmocka_unit_test(commit_refused_for_another_reason_is_repeated_by_the_next_event),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
