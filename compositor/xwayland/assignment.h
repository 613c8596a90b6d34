/* SPDX-License-Identifier: MIT */
#pragma once

/** The policy of a shared display: which X server a program gets. */

#include "xwayland/servers.h"

struct process;
struct x_programs;

struct x_assignment {
	struct x_server *server; /* NULL: that of `gpu` */
	struct gpu *gpu; /* NULL: the default one */
	char *wine_prefix; /* NULL: the program is not Wine's; newly allocated */
	char *reason; /* newly allocated */
};

/** Facts that assignments need: bits of enum process_fact. */
unsigned x_assignment_facts(void);
/**
 * Assigns a process that has none yet. The first that applies decides:
 *
 * 1. Wine's programs with one prefix are together: they share a desktop and a clipboard. The
 *    first of them that the X servers see is where a rule for it, or for one of its peers, says.
 * 2. A program that draws into a window of another one is with its nearest ancestor among the
 *    programs: two servers use the same numbers for different windows.
 * 3. A program whose executable lies in the same folder as that of such an ancestor is with it,
 *    unless CAUSEWAY_GPU or a rule names it and not the ancestor: browsers draw a window with
 *    several processes. Folders of many programs, such as /usr/bin, do not count.
 * 4. The choice of the host.
 */
struct x_assignment x_assign(const struct x_programs *programs, const struct process *process,
	const struct x_servers_host *host);
