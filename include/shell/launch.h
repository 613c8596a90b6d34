#pragma once

/**
 * A program about to be started: what is asked for (a command, a line for the shell, or a desktop file)
 * made into arguments, variables and a GPU, by the rules of the configuration.
 */

#include "shell/config.h"

struct gpu;
struct gpu_list;

struct launch {
	char **argv;
	/** Changes to the environment: "NAME=value" to set, "NAME" to unset. NULL: none. */
	char **environment;
	char *directory; /* to run in; NULL: ours */
	char *desktop_id, *desktop_file; /* NULL: no desktop file was involved */
};

/** The variable by which a program's starter says where it has to render: a GPU selector. */
#define LAUNCH_GPU_VARIABLE "CAUSEWAY_GPU"

struct launch_context {
	const struct config *config;
	const struct gpu_list *gpus;
	struct gpu *display; /* the one that composes; NULL: none */
	/** Selector for what nothing is said of; NULL: such programs get no variables. */
	const char *fallback;
};

/**
 * `argv`: NULL-terminated; one that is just the name of a desktop file ("org.gimp.GIMP.desktop", and
 * files for it) means that. `gpu`: selector, NULL to let rules decide. False with *error newly
 * allocated; then there is nothing to finish.
 */
bool launch_prepare(struct launch *launch, const struct launch_context *context,
	const char *const *argv, const char *gpu, char **error);
void launch_finish(struct launch *launch);
