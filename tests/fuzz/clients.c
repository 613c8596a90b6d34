/* SPDX-License-Identifier: MIT */
/*
 * Fuzzed clients. The bytes of an input represent the random numbers of hostile clients (actor.c),
 * so that a mutated input is another sequence of mostly valid requests. The server is replaced
 * after some thousand inputs. With FUZZ_FRESH=1, each input gets a new server; a finding that this
 * does not reproduce depends on earlier inputs.
 */

#include "fuzz/clients.h"
#include "fuzz/actor.h"
#include "fuzz/world.h"
#include "protocol/protocol.h"
#include "protocol/protocols.h"
#include "shell/shell.h"
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 256
/** Connections per input; each costs more than a hundred requests. */
#define CLIENTS_MAX 6
/** Inputs per server. */
#define LIFETIME 4000
#define NAP INT64_C(100000000)

struct stage {
	struct world world;
	struct actor actors[WORLD_N_ACTORS];
	bool present[WORLD_N_ACTORS];
	int n_clients, n_control;
};

/** Kept between inputs. */
static struct world *kept;
static int n_inputs;

__attribute__((format(printf, 1, 0))) static void ignore_log(const char *format, va_list args)
{
}

static struct world *create_world(void)
{
	struct world *world = calloc(1, sizeof(*world));
	wl_log_set_handler_server(ignore_log);
	*world = (struct world){.width = 160, .height = 120, .nap = NAP};
	world->fixture = fixture_create(
		&(struct fixture_options){.width = world->width, .height = world->height});
	world_init(world);
	return world;
}

static void destroy_world(void)
{
	if (kept) {
		world_finish(kept);
		free(kept);
		kept = NULL;
	}
}

static void leave(struct stage *stage, int i)
{
	if (stage->present[i]) {
		actor_finish(&stage->actors[i]);
		stage->present[i] = false;
	}
}

static void join(struct stage *stage, int i)
{
	struct actor *actor = &stage->actors[i];
	actor_init(actor, world_server(kept)->display, &kept->random);
	client_from_wl(actor->wire.client)->control = i < stage->n_control;
	actor->deaf = false;
	stage->present[i] = true;
	stage->n_clients++;
	fixture_pump(kept->fixture);
	wire_read(&actor->wire);
}

static void step(struct stage *stage)
{
	int i = random_between(&kept->random, 0, WORLD_N_ACTORS);
	if (i == WORLD_N_ACTORS) {
		world_happen(kept);
		return;
	}
	if (stage->present[i] && !actor_alive(&stage->actors[i])) {
		leave(stage, i);
	}
	if (!stage->present[i] && stage->n_clients < CLIENTS_MAX) {
		join(stage, i);
	}
	if (stage->present[i] && actor_alive(&stage->actors[i])) {
		actor_act(&stage->actors[i]);
		wl_event_loop_dispatch(world_server(kept)->loop, 0);
		protocols_flush(world_server(kept)->protocols);
	}
}

/** Resets the state before each input. */
static void clean_up(struct stage *stage)
{
	struct server *server = world_server(kept);
	for (int i = 0; i < WORLD_N_ACTORS; i++) {
		leave(stage, i);
	}
	fixture_pump(kept->fixture);
	if (!wl_list_empty(wl_display_get_client_list(server->display)) ||
		!wl_list_empty(&server->shell->windows)) {
		fail_msg("clients or windows were left behind");
	}
	kept->random = (struct random){0};
	if (kept->changed || server->shell->locked) {
		world_calm_down(kept);
	} else {
		fixture_frames(kept->fixture, 1);
	}
}

void clients_play(const uint8_t *data, size_t size, int n_control)
{
	if (!kept) {
		kept = create_world();
		atexit(destroy_world);
	}
	struct stage stage = {.n_control = n_control};
	static const uint8_t none[1];
	kept->random = (struct random){.data = size ? data : none, .size = size};
	for (int i = 0; i < STEPS_MAX && !random_exhausted(&kept->random); i++) {
		step(&stage);
	}
	clean_up(&stage);
	if (++n_inputs % LIFETIME == 0 || getenv("FUZZ_FRESH")) {
		destroy_world();
		kept = create_world();
	}
}
