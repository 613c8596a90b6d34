/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Real-time scheduling of the event loop's thread, so that frames are in time on a busy machine.
 */

#include <stdbool.h>

/**
 * Gives the calling thread, the first of its process, the lowest real-time priority, shared in
 * turns (SCHED_RR). Threads and processes that it starts are not real-time. Returns false without
 * permission: RLIMIT_RTPRIO of at least 1, or CAP_SYS_NICE.
 *
 * A runaway loop would occupy a core. So a thread that runs for REALTIME_LIMIT_US without waiting
 * returns to normal scheduling for good, by means of the soft RLIMIT_RTTIME and SIGXCPU, which this
 * function takes over.
 */
bool realtime_start(void);

/** CPU time, us: longer than drivers compile for the first frame. */
#define REALTIME_LIMIT_US 1000000

/** Returns whether the calling thread is real-time, possibly set by the parent process. */
bool realtime_is_on(void);
