#pragma once

/** GPUs that are not there, what is done with them, and programs, which really are processes of their own. */

#include "copy/modifiers.h"
#include "harness/peer.h"
#include <sys/sysmacros.h>

#define DEV_A makedev(226, 128)
#define DEV_B makedev(226, 129)
#define DEV_C makedev(226, 130) /* which the world does not have at first */

/** Of the world: who is told which GPU. */
#define RULES                                                                                      \
	"[app one]\ncmdline = * one\ngpu = discrete\n"                                             \
	"[app two]\ncmdline = * two\ngpu = integrated\n"

struct world {
	struct fixture *fixture;
	struct gpu *a, *b; /* integrated, which composes, and discrete */
	struct renderer *renderer;
	const struct renderer_impl *impl; /* its own */
	struct renderer_impl counting;
	int n_imports; /* by the GPU that composes */
};

void world_start(struct world *world);
void world_finish(struct world *world);
/** Its node is /nonexistent/renderD and the minor number. */
struct gpu *world_add_gpu(struct world *world, const char *name, dev_t dev, bool integrated);
/** In place of those that there are. */
void rules_set(struct fixture *fixture, const char *text);

/** A process, and its connection, of which it knows nothing but that it made it. */
struct program {
	pid_t pid;
	int control;
	struct arrivals *arrivals;
	struct peer *peer;
};

struct program program_start(struct fixture *fixture, const char *name);
void program_end(struct program *program);
/** First thing in main(): true if this process is a program, which has done its work then. */
bool program_was_run(char **argv, int *status);

/** How often the nodes of a GPU were opened, by whatever part or thread of the server. */
int nodes_opened(dev_t dev);
/** Threads that look at GPUs: begun so far, and waiting until all of them have ended. */
int probes_begun(void);
void probes_await(struct fixture *fixture);

/** For cmocka: a cache of the test's own, in which there is nothing. */
int cache_make(void **state);
int cache_remove(void **state);
/** Leaves in the cache what is known of a GPU, which it takes. The path is for cache_forget(). */
char *cache_keep(const struct world *world, const struct gpu *gpu, struct gpu_facts *facts);
void cache_forget(char *path);
