/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Preparation of a program start: turns a command, a shell command line or a desktop file into
 * arguments, environment variables and a GPU, by the rules of the configuration.
 */

#include "config/config.h"

struct gpu;
struct gpu_list;
struct process;

struct launch {
	char **argv;
	/** Changes to the environment: "NAME=value" to set, "NAME" to unset. NULL: none. */
	char **environment;
	char *directory; /* working directory; NULL: unchanged */
	char *desktop_id, *desktop_file; /* NULL: not started by a desktop file */
	struct gpu *gpu; /* chosen for this program; NULL: the default one */
	char *nodes; /* those that it can open, for confine_self(); NULL: all */
	char *unit; /* the systemd scope that it gets; NULL: none */
	bool own_x_server; /* its rule gives it an X server of its own */
};

/** Environment variable that selects the GPU of a program: a GPU selector. */
#define LAUNCH_GPU_VARIABLE "CAUSEWAY_GPU"
/**
 * Environment variable that names the rule of a program: it applies if no rule names the process
 * that connects, since the program was a script, say. With children = yes, it also applies to
 * descendants whose parents have ended.
 */
#define LAUNCH_RULE_VARIABLE "CAUSEWAY_RULE"

struct launch_context {
	const struct config *config;
	const struct gpu_list *gpus;
	struct gpu *display; /* GPU that composes; NULL: none */
	/** Selector for programs that no rule matches; NULL: they get no variables. */
	const char *fallback;
	/** Process that starts the program, for rules with `children`; NULL: none of interest. */
	struct process *parent;
	/** LAUNCH_RULE_VARIABLE of the process that starts the program; NULL: none. */
	const char *rule;
	/**
	 * ID of the desktop file that a launcher has started the program by, with or without
	 * ".desktop"; ignored if that one starts another program. NULL: unknown.
	 */
	const char *desktop_id;
	int compression, video; /* replace those of the rule; 0: not given */
	bool asks; /* there is a terminal for questions of ssh */
	bool scopes; /* the program gets a systemd scope */
	bool session; /* a program of the session, from which others may be started */
};

/**
 * Prepares the start of `argv` (NULL-terminated). If argv[0] is the name of a desktop file
 * ("org.gimp.GIMP.desktop"), its Exec line is used and the rest are files for it. `gpu` is a
 * selector; NULL: the rules decide. Returns false with a newly allocated *error; then `launch`
 * needs no finish.
 */
bool launch_prepare(struct launch *launch, const struct launch_context *context,
	const char *const *argv, const char *gpu, char **error);
void launch_finish(struct launch *launch);
