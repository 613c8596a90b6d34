#pragma once

/** Threads beside the event loop. */

#include <pthread.h>
#include <stdbool.h>

/**
 * Starts `run` with `data` on a thread that takes no signals, which are for the event loop, but for those of
 * its own faults (SIGBUS, SIGSEGV, SIGFPE, SIGILL). To be joined or detached by the caller. False if the
 * system has no thread to give; *thread is not set then.
 */
bool thread_start(pthread_t *thread, void *(*run)(void *data), void *data);
