/* SPDX-License-Identifier: MIT */
#pragma once

/** Programs of one Wine prefix, which share a desktop. */

struct process;

/** Returns the prefix of one of Wine's programs, newly allocated; NULL for another program. */
char *x_wine_prefix(const struct process *process);
/**
 * Reads other programs of the prefix, with `facts` of enum process_fact, as a list through
 * process.peer, the oldest of at most 16 first. Visits each process of the system: for threads.
 */
void x_wine_read_peers(struct process *process, unsigned facts);
