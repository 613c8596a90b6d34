/* SPDX-License-Identifier: MIT */
#pragma once

/** Environment variables that select a program's GPU, or hide other GPUs, by driver family. */

#include <stdbool.h>

struct gpu;
struct gpu_list;

/** Environment variable of programs from which GPUs are hidden: the command that shows them. */
#define GPU_UNHIDE_VARIABLE "CAUSEWAY_UNHIDE"

/**
 * Returns changes to an environment, newly allocated (strings_destroy()): "NAME=value" to set,
 * "NAME" to unset variables of other driver families. `list` has all GPUs of the machine.
 * `exclusive`: Mesa's Vulkan drivers do not list other GPUs.
 */
char **gpu_environment(const struct gpu_list *list, const struct gpu *gpu, bool exclusive);
/**
 * Returns changes as above that make the Vulkan and EGL loaders skip drivers of discrete GPUs that
 * can sleep, since their initialization wakes the GPUs; NULL: none. For programs on `gpu` if it is
 * integrated or `display`, the GPU that composes; any other, or NULL, shows all GPUs.
 *
 * Drivers that also serve another GPU stay visible, and so does software rendering. Variables that
 * the user has set, in the environment or in `settings` ("NAME=value", NULL-terminated; NULL:
 * none), are kept. Values inherited from an earlier start are replaced or unset.
 */
char **gpu_environment_hide_others(const struct gpu_list *list, const struct gpu *gpu,
	const struct gpu *display, char *const *settings);
/** Unsets the variables of gpu_environment_hide_others() that this process has inherited. */
void gpu_environment_show_others(void);
