/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Confinement of a program to one GPU by Landlock: the program and its child processes cannot open
 * nodes of other GPUs, also of those that are plugged in later. Everything else stays as it was,
 * but for what causeway(5) lists at `see`.
 */

struct gpu;
struct gpu_list;

/** Argument of the helper process, before the nodes: see confine_start(). */
#define CONFINE_ARGUMENT "--see-own="

/** Returns the reason why this kernel cannot confine programs, newly allocated, or NULL. */
char *confine_problem(void);
/**
 * Returns the nodes of a program that is confined to `gpu`, newly allocated: names in /dev/dri of
 * the GPU and of devices that only display, and "kfd" and "nvidia=0000:04:00.0" for those of its
 * driver in /dev.
 */
char *confine_nodes(const struct gpu_list *list, const struct gpu *gpu);
/**
 * Confines the calling process, which has one thread, to the nodes; it and its child processes
 * cannot get privileges any more (no_new_privs). `dev`: "/dev", or another folder in tests. Returns
 * 0, or -errno with a newly allocated *error; then the process must not go on.
 */
int confine_self(const char *nodes, const char *dev, char **error);
/**
 * Runs the helper process, whose arguments are its name, CONFINE_ARGUMENT with the nodes, and
 * the program with its arguments: confines itself and executes the program. Returns an exit code on
 * failure only.
 */
int confine_start(int argc, char **argv);
