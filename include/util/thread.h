/* SPDX-License-Identifier: MIT */
#pragma once

/** Threads beside the event loop, and signals that threads block. */

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/**
 * Starts `run` with `data` on a thread that blocks all signals except those of its own faults
 * (SIGBUS, SIGSEGV, SIGFPE, SIGILL). The caller joins or detaches it. Returns false if the system
 * cannot start a thread, with *thread unset.
 */
bool thread_start(pthread_t *thread, void *(*run)(void *data), void *data);
/**
 * Blocks SIGPIPE on this thread, around calls that write to pipes or sockets and have no flag
 * against it. Stores the thread's signal mask in `before`.
 */
void thread_block_sigpipe(sigset_t *before);
/** Drops a pending SIGPIPE, unless `before` blocks it too, and restores the signal mask. */
void thread_unblock_sigpipe(const sigset_t *before);
