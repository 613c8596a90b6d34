#pragma once

/**
 * The variables by which drivers let a program choose its GPU: for programs that are started for one
 * GPU, and for nobody else.
 */

struct gpu;
struct gpu_list;

/**
 * Changes to an environment, newly allocated (strings_destroy()): "NAME=value" to set, "NAME" to unset,
 * which is what steers another family of drivers. `list` has all GPUs of the machine.
 */
char **gpu_environment(const struct gpu_list *list, const struct gpu *gpu);
