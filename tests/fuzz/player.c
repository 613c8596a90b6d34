/* SPDX-License-Identifier: MIT */
/* Random player: rounds of hostile clients, and the checks after each. */

#include "fuzz/player.h"
#include "fuzz/fault.h"
#include "fuzz/sequence.h"
#include "harness/descriptors.h"
#include "shell/shell.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_STEPS 400
/** Time limit for a seed in s, well above its duration; a server that exceeds it hangs. */
#define PATIENCE 120
/** Maximum number of steps that a session stays locked. */
#define LOCKED_MAX 12
/** Maximum percentage of steps in a locked session. */
#define LOCKED_SHARE 20
/** Number of steps from which that percentage is checked. */
#define MANY_STEPS 4000

struct player {
	const struct player_stage *stage;
	struct world world;
	struct peer *bystander;
	struct peer_window *window;
	int faults; /* percentage while faults are enabled */
	int n_locked; /* steps since the session was locked */
	int most_locked; /* number of steps that it may stay locked */
};

static void end(struct player_totals *totals, struct actor *actor)
{
	wire_read(&actor->wire);
	if (getenv("FUZZ_VERBOSE")) {
		printf("  %llu requests; %s\n", (unsigned long long)actor->n_requests,
			actor->wire.error);
	}
	totals->requests += actor->n_requests;
	totals->leases += actor->n_leases;
	actor_finish(actor);
}

__attribute__((format(printf, 1, 0))) static void ignore_log(const char *format, va_list args)
{
}

static void handle_done(void *data, struct wl_callback *callback, uint32_t time)
{
	*(bool *)data = true;
	wl_callback_destroy(callback);
}

static const struct wl_callback_listener frame_listener = {.done = handle_done};

/** Fails the test unless frame callbacks arrive and a window shows its pixels. */
static void check_bystander(struct player *player)
{
	struct world *world = &player->world;
	player->stage->calm_down(world);
	assert_true(peer_alive(player->bystander));
	/* Windows that open while the user types stay behind others. */
	fixture_sleep(world->fixture, 1100000000);
	uint32_t color = random_next(&world->random) & 0xffffff;
	struct peer_window *fresh =
		peer_window_create(player->bystander, 100, 60, 64, 64, 0xff000000 | color);
	bool done = false;
	struct wl_callback *callback = wl_surface_frame(fresh->surface);
	wl_callback_add_listener(callback, &frame_listener, &done);
	wl_surface_commit(fresh->surface);
	if (player->stage->has_pixels) {
		fixture_settle(world->fixture);
		uint32_t got = fixture_pixel(world->fixture, 132, 92);
		if (got != color) {
			fail_msg("the window shows %06x; expected %06x", got, color);
		}
	} else {
		fixture_frames(world->fixture, 8);
	}
	assert_true(done);
	peer_window_destroy(fresh);
	/* Timers of destroyed objects expire without effect. */
	fixture_sleep(world->fixture, INT64_C(2500000000));
}

static void enter(struct player *player, struct actor *actor)
{
	actor_init(actor, world_server(&player->world)->display, &player->world.random);
	if (player->stage->join) {
		player->stage->join(&player->world, actor);
	}
}

/** Another client takes over the lock of a crashed one, and unlocks. */
static void inherit_lock(struct player *player, struct player_totals *totals)
{
	struct actor heir;
	enter(player, &heir);
	for (int i = 0; i < 3 && actor_alive(&heir); i++) {
		fixture_frames(player->world.fixture, 3);
		wire_read(&heir.wire);
		sequence_unlock(&heir);
	}
	fixture_pump(player->world.fixture);
	end(totals, &heir);
	fixture_pump(player->world.fixture);
}

/** Counts steps in a locked session, and unlocks after some of them. */
static void watch_lock(struct player *player, struct actor *actors, struct player_totals *totals)
{
	totals->steps++;
	if (!world_server(&player->world)->shell->locked) {
		player->n_locked = 0;
		player->most_locked = random_between(&player->world.random, 1, LOCKED_MAX);
		return;
	}
	totals->locked++;
	if (++player->n_locked < player->most_locked) {
		return;
	}
	/* A lock is active once every output has shown a frame without the session. */
	fixture_frames(player->world.fixture, 3);
	for (int i = 0; i < WORLD_N_ACTORS; i++) {
		if (actor_alive(&actors[i])) {
			wire_read(&actors[i].wire);
			sequence_unlock(&actors[i]);
		}
	}
	fixture_pump(player->world.fixture);
	if (world_server(&player->world)->shell->locked) {
		inherit_lock(player, totals);
	}
}

static void play_round(struct player *player, struct player_totals *totals)
{
	struct world *world = &player->world;
	struct actor actors[WORLD_N_ACTORS];
	for (int i = 0; i < WORLD_N_ACTORS; i++) {
		enter(player, &actors[i]);
	}
	for (int step = 0; step < N_STEPS; step++) {
		struct actor *actor =
			&actors[random_between(&world->random, 0, WORLD_N_ACTORS - 1)];
		if (!actor_alive(actor)) {
			end(totals, actor);
			enter(player, actor);
			fixture_pump(world->fixture);
		}
		for (int i = random_between(&world->random, 1, 5); i > 0 && actor_alive(actor);
			i--) {
			actor_act(actor);
		}
		/* Faults stay enabled for some steps. */
		fault_set(&world->random, step / 16 % 3 == 2 ? player->faults : 0);
		player->stage->happen(world);
		fault_set(&world->random, 0);
		watch_lock(player, actors, totals);
	}
	for (int i = 0; i < WORLD_N_ACTORS; i++) {
		end(totals, &actors[i]);
		fixture_pump(world->fixture);
	}
	check_bystander(player);
}

void player_play(
	const struct player_stage *stage, uint32_t seed, int n_rounds, struct player_totals *totals)
{
	struct player player = {
		.stage = stage,
		.world = {.random = {.state = seed}, .width = 320, .height = 240},
	};
	struct world *world = &player.world;
	int n_descriptors = count_descriptors();
	world->nap = INT64_C(1500000000);
	stage->begin(world, seed);
	player.bystander = peer_create(world->fixture);
	fault_spare(player.bystander->client);
	/* Seeds with faults fail 3, 6 or 9 of a hundred calls. */
	player.faults = stage->has_faults && seed % 4 == 3 ? 3 * (1 + (int)(seed / 4 % 3)) : 0;
	player.window = peer_window_create(player.bystander, 0, 0, 32, 32, 0xff405060);
	for (int i = 0; i < n_rounds; i++) {
		play_round(&player, totals);
		if (n_rounds > 10) {
			printf("round %d: %zu bytes in use, %d descriptors\n", i,
				mallinfo2().uordblks, count_descriptors());
		}
	}
	stage->finish(world);
	int n_after = count_descriptors();
	/* Threads that were abandoned with a client's descriptor close it when they end. */
	for (int i = 0; n_rounds > 0 && n_after > n_descriptors && i < 1000; i++) {
		usleep(10000);
		n_after = count_descriptors();
	}
	if (n_rounds > 0 && n_after != n_descriptors) {
		fail_msg("%d descriptors before, %d after", n_descriptors, n_after);
	}
}

static void check_share(const struct player_totals *totals)
{
	printf("%llu requests; %llu of %llu steps in a locked session\n",
		(unsigned long long)totals->requests, (unsigned long long)totals->locked,
		(unsigned long long)totals->steps);
	if (totals->steps >= MANY_STEPS && totals->locked * 100 >= totals->steps * LOCKED_SHARE) {
		fail_msg("%d %% of the steps or more ran in a locked session", LOCKED_SHARE);
	}
}

void player_start(void)
{
	/* Key bindings find no program to start. */
	setenv("PATH", "/nonexistent", 1);
	/* Without it, a failure outside a group of tests prints no message. */
	setenv("CMOCKA_TEST_ABORT", "1", 1);
	if (!getenv("FUZZ_VERBOSE")) {
		wl_log_set_handler_server(ignore_log);
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
}

struct player_totals player_run(
	const struct player_stage *stage, uint32_t first, uint32_t count, int n_rounds)
{
	struct player_totals totals = {0};
	for (uint32_t i = 0; i < count; i++) {
		printf("seed %u\n", first + i);
		alarm(PATIENCE);
		player_play(stage, first + i, n_rounds, &totals);
	}
	check_share(&totals);
	printf("%u passed, 0 failed\n", count);
	return totals;
}
