/* SPDX-License-Identifier: MIT */
/*
 * Random player with input, outputs and a renderer: fuzz RENDERER [FIRST [COUNT [ROUNDS]]].
 *
 * Plays hostile clients against a server, by seeds from FIRST on. In each round some clients send
 * random requests while keys are pressed, outputs are added and removed, and the renderer is lost;
 * in every fourth seed, descriptors, mappings and threads are exhausted at times (fault.c). After
 * the clients have gone, a well-behaved client must still get its frames, and its window must show
 * its pixels. The server must close all descriptors, and the test must free all memory.
 *
 * The session is locked for a bounded number of steps: most lock clients unlock; after a crash of
 * one, another client takes over the lock and unlocks. Fewer than a fifth of all steps may run
 * locked. A failure is reproduced by its seed. FUZZ_VERBOSE=1 prints the errors that clients got.
 */

#include "fuzz/player.h"
#include "gpu/gpu.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <sys/sysmacros.h>

/** Adds a GPU that cannot be opened; clients are told to render on it. */
static void add_gpu(struct server *server)
{
	struct gpu *gpu = xcalloc(1, sizeof(*gpu));
	gpu->render_dev = makedev(226, 250);
	gpu->render_path = xstrdup("/nonexistent/renderD250");
	gpu->bus_id = xstrdup("fake");
	gpu->driver = xstrdup("fake");
	gpu->integrated = true;
	gpu->fd = -1;
	wl_signal_init(&gpu->events.gone);
	wl_list_insert(&server->gpus->gpus, &gpu->link);
	free(server->shell->config->gpu.default_selector);
	server->shell->config->gpu.default_selector = xstrdup("integrated");
}

static void begin(struct world *world, uint32_t seed, enum renderer_kind renderer)
{
	world->fixture = fixture_create(&(struct fixture_options){.renderer = renderer,
		.n_outputs = 1 + (int)(seed % 2),
		.scale = seed % 5 == 4 ? 1.5 : 1});
	if (seed % 3 == 2) {
		add_gpu(world_server(world));
	}
	world_init(world);
}

static void begin_pixman(struct world *world, uint32_t seed)
{
	begin(world, seed, RENDERER_PIXMAN);
}

static void begin_gles(struct world *world, uint32_t seed)
{
	begin(world, seed, RENDERER_GLES);
}

int main(int argc, char **argv)
{
	uint32_t first = argc > 2 ? (uint32_t)atol(argv[2]) : 1;
	uint32_t count = argc > 3 ? (uint32_t)atol(argv[3]) : 10;
	int n_rounds = argc > 4 ? atoi(argv[4]) : 2;
	bool gles = fixture_renderer(argc, argv) == RENDERER_GLES;
	const struct player_stage stage = {
		.begin = gles ? begin_gles : begin_pixman,
		.happen = world_happen,
		.calm_down = world_calm_down,
		.finish = world_finish,
		.has_pixels = true,
		.has_faults = true,
	};
	player_start();
	if (gles) {
		/* A first run opens everything that the driver keeps open. */
		struct player_totals totals = {0};
		player_play(&stage, 0, 0, &totals);
	}
	player_run(&stage, first, count, n_rounds);
	return 0;
}
