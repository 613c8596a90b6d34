/* SPDX-License-Identifier: MIT */
/*
 * Random player with clients that render on an emulated GPU: fuzz-amdgpu [FIRST [COUNT [ROUNDS]]].
 *
 * Clients use linear and tiled dma-bufs, timelines, and fences that signal late, fail or never
 * signal; the GPU is slow, is reset, and refuses imports. The emulated SDMA engine reports copies
 * beyond the bounds of a client's buffer.
 */

#include "content/device.h"
#include "copy/copier.h"
#include "copy/modifiers.h"
#include "fake.h"
#include "fuzz/player.h"
#include "gpu/format_cache.h"
#include "gpu/gpu.h"
#include "protocol/protocol.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xf86drm.h>

#define PATH "/emulated/renderD129"
#define LINES_MAX 16
#define BUFFER_SIZE ((size_t)1 << 20)
/** Number of seeds after which clients must have succeeded. */
#define ENOUGH 10

static struct rig {
	struct world *world;
	struct fake_gpu *fake;
	struct gpu *gpu;
	int node; /* opened by the clients */
	uint32_t lines[LINES_MAX]; /* syncobjs; 0: none */
	uint64_t points[LINES_MAX]; /* last signalled point */
	char folder[64];
	bool held; /* a job may outlive its engine, which is abandoned after a deadline */
	bool upset; /* faults of jobs were caused by the test */
	uint64_t copied; /* bytes in all seeds */
} rig;

static void save_facts(void)
{
	static const uint64_t modifiers[] = {
		DRM_FORMAT_MOD_LINEAR, UINT64_C(0x0200000020801b03), UINT64_C(0x0200000000000901)};
	struct gpu_facts facts = {0};
	struct gpu_look look;
	copy_modifiers_look(&look, world_server(rig.world)->copier->queue);
	struct gpu_reader *sdma = gpu_facts_add_reader(&facts, "sdma");
	for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
		format_set_add(&facts.sampling, DRM_FORMAT_XRGB8888, modifiers[i]);
		format_set_add(&sdma->layouts, DRM_FORMAT_XRGB8888, modifiers[i]);
	}
	char *path = format_cache_path(rig.gpu), *key = format_cache_key(rig.gpu, look.variant);
	assert_int_equal(format_cache_save(path, key, &facts), 0);
	free(path);
	free(key);
	gpu_facts_finish(&facts);
}

/** Adds the GPU to the server; the CPU still composes. */
static void announce(struct gpu *gpu)
{
	struct server *server = world_server(rig.world);
	server->device->gpu = gpu;
	signal_emit(&server->gpus->events.changed, server->gpus);
	server->device->gpu = NULL;
}

static void begin(struct world *world, uint32_t seed)
{
	rig = (struct rig){.world = world, .copied = rig.copied};
	strcpy(rig.folder, "/tmp/causeway-fuzz-XXXXXX");
	assert_non_null(mkdtemp(rig.folder));
	setenv("XDG_CACHE_HOME", rig.folder, 1);
	rig.fake = fake_gpu_create(fake_chip_find("navi21"));
	fake_gpu_set_path(rig.fake, PATH);
	rig.node = fake_gpu_open(rig.fake);
	world->fixture = fixture_create(NULL);
	rig.gpu = fixture_add_gpu(
		world->fixture, "pci-0000_03_00_0", "amdgpu", PATH, makedev(226, 129));
	rig.gpu->vendor = 0x1002;
	rig.gpu->device = 0x73bf;
	save_facts();
	announce(rig.gpu);
	world_init(world);
}

/** Exports a timeline for a client; the player signals it. */
static int make_line(struct random *random)
{
	int i = random_between(random, 0, LINES_MAX - 1), fd = -1;
	if (!rig.lines[i] && drmSyncobjCreate(rig.node, 0, &rig.lines[i]) != 0) {
		return -1;
	}
	return drmSyncobjHandleToFD(rig.node, rig.lines[i], &fd) == 0 ? fd : -1;
}

static int make_fd(void *data, const char *interface)
{
	struct random *random = data;
	void *map;
	if (!random_chance(random, 97)) {
		return -1;
	}
	if (strcmp(interface, "zwp_linux_buffer_params_v1") == 0) {
		return fake_dmabuf_create(random_chance(random, 97) ? BUFFER_SIZE : 4096, &map);
	}
	return strcmp(interface, "wp_linux_drm_syncobj_manager_v1") == 0 ? make_line(random) : -1;
}

static void join(struct world *world, struct actor *actor)
{
	client_from_wl(actor->wire.client)->gpu = rig.gpu;
	actor->make_fd = make_fd;
	actor->data = &world->random;
}

static void signal_line(int i, uint64_t steps)
{
	if (rig.lines[i]) {
		rig.points[i] += steps;
		drmSyncobjTimelineSignal(rig.node, &rig.lines[i], &rig.points[i], 1);
	}
}

static void happen(struct world *world)
{
	struct random *random = &world->random;
	switch (random_between(random, 0, 39)) {
	case 0:
		rig.held = true;
		fake_gpu_hold(rig.fake);
		break;
	case 1:
	case 2: fake_gpu_step(rig.fake, random_between(random, 1, 3)); break;
	case 3: fake_gpu_release(rig.fake); break;
	case 4: fake_gpu_fail_imports(rig.fake, ENOMEM, 1); break;
	case 5: fake_gpu_fail_next(rig.fake, ENOMEM, 1); break;
	case 6:
		if (random_chance(random, 10)) {
			rig.upset = true;
			fake_gpu_reset(rig.fake);
		}
		break;
	case 7:
	case 8:
	case 9:
	case 10:
		signal_line(random_between(random, 0, LINES_MAX - 1),
			(uint64_t)random_between(random, 1, 5));
		break;
	default: break;
	}
	world_happen(world);
}

static void calm_down(struct world *world)
{
	fake_gpu_release(rig.fake);
	for (int i = 0; i < LINES_MAX; i++) {
		signal_line(i, 1000);
	}
	world_calm_down(world);
}

static void finish(struct world *world)
{
	rig.copied += world_server(world)->copier->totals.bytes;
	world_finish(world);
	const char *fault = fake_gpu_fault(rig.fake);
	bool late = fault && rig.held && strstr(fault, "no mapping at");
	if (fault && !rig.upset && !late) {
		fail_msg("fault of the GPU: %s", fault);
	}
	for (int i = 0; i < LINES_MAX; i++) {
		if (rig.lines[i]) {
			drmSyncobjDestroy(rig.node, rig.lines[i]);
		}
	}
	close(rig.node);
	fake_reset_all();
	char *command = xasprintf("/bin/rm -r %s", rig.folder);
	assert_int_equal(system(command), 0);
	free(command);
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
		.has_pixels = true,
	};
	player_start();
	player_run(&stage, first, count, n_rounds);
	printf("%llu bytes copied between GPUs\n", (unsigned long long)rig.copied);
	if (count >= ENOUGH && rig.copied == 0) {
		fail_msg("no buffer of a client was copied");
	}
	return 0;
}
