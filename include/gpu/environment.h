#pragma once

/** Environment variables that select a program's GPU, by driver family. */

struct gpu;
struct gpu_list;

/**
 * Returns changes to an environment, newly allocated (strings_destroy()): "NAME=value" to set,
 * "NAME" to unset variables of other driver families. `list` has all GPUs of the machine.
 */
char **gpu_environment(const struct gpu_list *list, const struct gpu *gpu);
