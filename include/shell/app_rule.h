#pragma once

/**
 * Which rule of the configuration is a program's, and which GPU it renders on by that: pure
 * functions of who the program is and of the GPUs that there are.
 */

#include "shell/config.h"

struct gpu;
struct gpu_list;
struct process;

/** What is known of a program when it connects, or before it is started. Nothing is owned. */
struct app_identity {
	const struct process *process; /* NULL: unknown */
	const char *sandbox_app_id; /* NULL: it came through no security context */
};

/** What the rules ask of processes: enum process_fact. */
unsigned app_rule_facts(const struct config *config);
/** The first in file order; NULL: none. */
const struct config_app *app_rule_find(
	const struct config *config, const struct app_identity *identity);
/**
 * The first that would be its, if `app_id` were its desktop id or its sandbox's application id, which
 * is what its windows say, too late. NULL: none.
 */
const struct config_app *app_rule_find_late(
	const struct config *config, const struct app_identity *identity, const char *app_id);

/** Who decided, the strongest first. */
enum gpu_decider {
	GPU_BY_SPAWN, /* --gpu of whoever started it */
	GPU_BY_RULE,
	GPU_BY_DESKTOP_FILE, /* PrefersNonDefaultGPU */
	GPU_BY_DEFAULT,
};

struct gpu_choice {
	struct gpu *gpu; /* NULL: there is none */
	enum gpu_decider decider;
	const struct config_app *rule; /* the program's, whoever decided; NULL: none */
	/** As the configuration has it, not owned; the GPU is the default one if `missing`. */
	const char *selector;
	bool missing;
};

/** What a starter asked for; all zero: nothing. */
struct gpu_wish {
	const char *selector; /* NULL: none */
	bool prefers_discrete; /* the desktop file's */
};

/** `display`: the GPU that composes; NULL: none. */
struct gpu_choice gpu_choose(const struct config *config, const struct gpu_list *list,
	struct gpu *display, const struct app_identity *identity, const struct gpu_wish *wish);
/** The GPU of a selector or alias; NULL: there is none. */
struct gpu *gpu_select(const struct config *config, const struct gpu_list *list,
	struct gpu *display, const char *selector);
