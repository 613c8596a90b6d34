/* SPDX-License-Identifier: MIT */
/*
 * Random player on an emulated card with a desktop screen and a headset: fuzz-kms [FIRST [COUNT
 * [ROUNDS]]].
 *
 * Clients take leases; screens are plugged and unplugged, page flips are late or lost, commits
 * fail, and the session is switched.
 */

#include "fake.h"
#include "fuzz/player.h"
#include "harness/client/reload.h"
#include "shell/shell.h"
#include "util/clock.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DESKTOP "DP-5"
#define HEADSET "DP-6"
/** Number of seeds after which clients must have succeeded. */
#define ENOUGH 10

static struct rig {
	struct fake_card *card;
	bool desktop, headset; /* connected */
	bool active; /* the session is active */
} rig;

static void begin(struct world *world, uint32_t seed)
{
	rig = (struct rig){.desktop = true, .headset = true, .active = true};
	rig.card = fake_card_create("nvidia-drm");
	fake_card_plug(rig.card, DESKTOP, &fake_screen_plain);
	fake_card_plug(rig.card, HEADSET, &fake_screen_headset);
	world->fixture = fixture_create(&(struct fixture_options){.drm = true});
	fixture_pump(world->fixture);
}

static int make_fd(void *data, const char *interface)
{
	return strcmp(interface, "zwp_linux_buffer_params_v1") == 0 && random_chance(data, 90)
		       ? fake_dmabuf_create(1 << 20)
		       : -1;
}

static void join(struct world *world, struct actor *actor)
{
	actor->make_fd = make_fd;
	actor->data = &world->random;
}

static void plug_desktop(bool plugged)
{
	rig.desktop = plugged;
	fake_card_plug(rig.card, DESKTOP, plugged ? &fake_screen_plain : NULL);
}

static void plug_headset(bool plugged)
{
	rig.headset = plugged;
	fake_card_plug(rig.card, HEADSET, plugged ? &fake_screen_headset : NULL);
}

static void set_active(bool active)
{
	rig.active = active;
	fake_seat_set_active(active);
}

static void happen(struct world *world)
{
	struct random *random = &world->random;
	switch (random_between(random, 0, 79)) {
	case 0: plug_desktop(!rig.desktop); break;
	case 1: plug_headset(!rig.headset); break;
	case 2: set_active(!rig.active); break;
	case 3: fake_card_set_flips(rig.card, FAKE_FLIPS_HELD); break;
	case 4: fake_card_set_flips(rig.card, FAKE_FLIPS_AT_ONCE); break;
	case 5: fake_card_fail(rig.card, EBUSY, 1, false); break;
	case 6: fake_card_fail(rig.card, EINVAL, 2, random_chance(random, 50)); break;
	case 7: fake_card_set_modesets(rig.card, FAKE_MODESETS_HELD); break;
	case 8: fake_card_finish_modesets(rig.card); break;
	case 9: fake_card_break_link(rig.card, DESKTOP); break;
	case 10: fixture_sleep(world->fixture, INT64_C(500000000)); break;
	default: break;
	}
	fake_card_vblank(rig.card, clock_now(world->fixture->clock));
	if (random_chance(random, 20)) {
		fixture_frames(world->fixture, 1);
	} else {
		fixture_pump(world->fixture);
	}
}

static void calm_down(struct world *world)
{
	fake_card_fail(rig.card, 0, 0, false);
	fake_card_set_modesets(rig.card, FAKE_MODESETS_AT_ONCE);
	fake_card_finish_modesets(rig.card);
	fake_card_set_flips(rig.card, FAKE_FLIPS_AT_ONCE);
	fake_card_vblank(rig.card, clock_now(world->fixture->clock));
	set_active(true);
	/* Clients may have disabled it, which a changed section ends, or powered it off. */
	assert_true(reload_text(world->fixture, "[output " DESKTOP "]\nposition = 0,0\n"));
	assert_true(reload_text(world->fixture, ""));
	plug_desktop(false);
	fixture_frames(world->fixture, 2);
	plug_desktop(true);
	assert_true(shell_run_action(world_server(world)->shell, "dpms", "on"));
	shell_unlock(world_server(world)->shell);
	fixture_frames(world->fixture, 4);
}

static void finish(struct world *world)
{
	fixture_destroy(world->fixture);
	fake_reset_all();
}

int main(int argc, char **argv)
{
	uint32_t first = argc > 1 ? (uint32_t)atol(argv[1]) : 1;
	uint32_t count = argc > 2 ? (uint32_t)atol(argv[2]) : 10;
	int n_rounds = argc > 3 ? atoi(argv[3]) : 2;
	const struct player_stage stage = {
		.begin = begin,
		.join = join,
		.happen = happen,
		.calm_down = calm_down,
		.finish = finish,
	};
	player_start();
	struct player_totals totals = player_run(&stage, first, count, n_rounds);
	printf("%llu leases\n", (unsigned long long)totals.leases);
	if (count >= ENOUGH && totals.leases == 0) {
		fail_msg("no client got a lease");
	}
	return 0;
}
