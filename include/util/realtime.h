#pragma once

/**
 * Real-time scheduling of the event loop's thread: on a machine that is busy with other things it still
 * runs when a frame is due.
 */

#include <stdbool.h>

/**
 * The calling thread, which must be the process's first, is scheduled before all that are not real-time, after
 * all others that are, and in turn with its equals (SCHED_RR). What it starts from then on, threads and
 * processes, is not. False if the kernel does not permit it: it takes RLIMIT_RTPRIO of at least 1, or CAP_SYS_NICE.
 *
 * A loop that went wrong would keep a core from everybody else. So who was at it for REALTIME_LIMIT_US without
 * ever waiting is scheduled like everybody else from then on. That is done by the soft RLIMIT_RTTIME and SIGXCPU,
 * which are taken for it.
 */
bool realtime_start(void);

/** CPU time, us: more than a driver takes to compile what the first frame needs. */
#define REALTIME_LIMIT_US 1000000

/** The calling thread is scheduled so, also if it was whoever started the process that saw to it. */
bool realtime_is_on(void);
