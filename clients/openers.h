/* SPDX-License-Identifier: MIT */
#pragma once

/** Programs that have device nodes open. */

/**
 * Returns the processes with an open descriptor of one of the nodes, as "foot (812), mpv (915)",
 * newly allocated; "" if there are none. `proc` is the path of /proc. `nodes` ends with NULL; a
 * node that ends with '#' stands for all numbers. Only processes of the same user can be read.
 */
char *openers_list(const char *proc, const char *const *nodes);
/** Returns openers_list() of a GPU's nodes; `card` and `render_node` may be NULL. */
char *openers_of_gpu(const char *driver, const char *card, const char *render_node);
