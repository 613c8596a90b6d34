/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Rules for programs: the [app] section that matches a program, and the GPU that it renders on.
 * Pure functions of the program's identity and of the list of GPUs.
 */

#include "config/config.h"

struct gpu;
struct gpu_list;
struct process;

/** Identity of a program when it connects, or before it is started. Borrows its members. */
struct app_identity {
	const struct process *process; /* NULL: unknown */
	const char *sandbox_app_id; /* NULL: without a security context */
};

/** Returns the facts about a process that the rules need: bits of enum process_fact. */
unsigned app_rule_facts(const struct config *config);
/** Returns the first matching rule in file order, or NULL. */
const struct config_app *app_rule_find(
	const struct config *config, const struct app_identity *identity);
/**
 * Returns the first rule that would match if `app_id` were the program's desktop id or sandbox
 * application id, or NULL. For warnings: windows set their application id only after the GPU was
 * chosen.
 */
const struct config_app *app_rule_find_late(
	const struct config *config, const struct app_identity *identity, const char *app_id);

/** Returns the rule of this name if it applies to children and has a GPU, or NULL. */
const struct config_app *app_rule_of_children(const struct config *config, const char *name);

/** The reason for a choice of GPU, strongest first. */
enum gpu_decider {
	GPU_BY_X_SERVER, /* the client is an X server, created for the GPU */
	GPU_BY_SPAWN, /* --gpu option or $CAUSEWAY_GPU of the starter */
	GPU_BY_RULE,
	GPU_BY_DESKTOP_FILE, /* PrefersNonDefaultGPU */
	GPU_BY_DEFAULT,
};

struct gpu_choice {
	struct gpu *gpu; /* NULL: no GPU */
	enum gpu_decider decider;
	const struct config_app
		*rule; /* the matching rule, whether or not it decided; NULL: none */
	/**
	 * As written in the configuration; borrowed. If `missing`, no GPU matches it and `gpu` is
	 * the default one.
	 */
	const char *selector;
	bool missing;
	/** "HOST" or "HOST:PORT" of another machine, borrowed like `selector`; NULL: this one. */
	const char *remote;
};

/** Preferences of the starter; all zero: none. */
struct gpu_wish {
	const char *selector; /* NULL: none */
	bool prefers_discrete; /* PrefersNonDefaultGPU of the desktop file */
};

/** Chooses the GPU of a program. `display` is the GPU that composes; NULL: none. */
struct gpu_choice gpu_choose(const struct config *config, const struct gpu_list *list,
	struct gpu *display, const struct app_identity *identity, const struct gpu_wish *wish);
/**
 * Chooses the GPU of a running program: as gpu_choose(), with the wish in the environment of its
 * process or of the nearest ancestor that has one.
 */
struct gpu_choice gpu_choose_running(const struct config *config, const struct gpu_list *list,
	struct gpu *display, const struct app_identity *identity);
/** Chooses the GPU of a rule with one, whether or not the rule matches the program. */
struct gpu_choice gpu_choose_by_rule(const struct config *config, const struct gpu_list *list,
	struct gpu *display, const struct app_identity *identity, const struct config_app *rule);
/** Returns the GPU that a selector or alias names, or NULL. */
struct gpu *gpu_select(const struct config *config, const struct gpu_list *list,
	struct gpu *display, const char *selector);
