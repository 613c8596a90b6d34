/* SPDX-License-Identifier: MIT */
#pragma once

/** Threads beside the event loop. */

#include <pthread.h>
#include <stdbool.h>

/**
 * Starts `run` with `data` on a thread that blocks all signals except those of its own faults
 * (SIGBUS, SIGSEGV, SIGFPE, SIGILL). The caller joins or detaches it. Returns false if the system
 * cannot start a thread, with *thread unset.
 */
bool thread_start(pthread_t *thread, void *(*run)(void *data), void *data);
