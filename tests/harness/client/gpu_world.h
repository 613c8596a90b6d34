/* SPDX-License-Identifier: MIT */
#pragma once

/** Fake GPUs, counters of their use, and client programs in processes of their own. */

#include "copy/modifiers.h"
#include "harness/peer.h"
#include "render/render.h"
#include <sys/sysmacros.h>

#define DEV_A makedev(226, 128)
#define DEV_B makedev(226, 129)
#define DEV_C makedev(226, 130) /* absent at first */
#define DEV_D makedev(226, 131)

/** The rules of the world. */
#define RULES                                                                                      \
	"[app one]\ncmdline = * one\ngpu = discrete\n"                                             \
	"[app two]\ncmdline = * two\ngpu = integrated\n"

struct gpu_world {
	struct fixture *fixture;
	struct gpu *a, *b; /* integrated, which composes, and discrete */
	struct renderer *renderer;
	const struct renderer_impl *impl; /* the original */
	struct renderer_impl counting;
	int n_imports; /* by the GPU that composes */
};

void world_start(struct gpu_world *world);
void world_finish(struct gpu_world *world);
/** Adds a GPU whose node is /nonexistent/renderD with the minor number. */
struct gpu *world_add_gpu(struct gpu_world *world, const char *name, dev_t dev, bool integrated);
/** Replaces the rules. */
void rules_set(struct fixture *fixture, const char *text);

/** A process and its connection. */
struct program {
	pid_t pid;
	int control;
	struct arrivals *arrivals;
	struct peer *peer;
};

struct program program_start(struct fixture *fixture, const char *name);
void program_end(struct program *program);
/** Call first in main(): returns true if this process is a program, which has done its work. */
bool program_was_run(char **argv, int *status);

/** Returns how often the nodes of a GPU were opened, by any thread of the server. */
int nodes_opened(dev_t dev);
/**
 * probes_begun() counts the threads started to probe GPUs; probes_await() waits for all of them.
 */
int probes_begun(void);
void probes_await(struct fixture *fixture);

/** cmocka setup and teardown: an empty cache for the test. */
int cache_make(void **state);
int cache_remove(void **state);
/** Stores `facts` in the cache and takes them over. Returns the path for cache_forget(). */
char *cache_keep(const struct gpu_world *world, const struct gpu *gpu, struct gpu_facts *facts);
void cache_forget(char *path);
