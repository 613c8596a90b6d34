/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * SIGPIPE, which writes to pipes without readers raise, around calls that have no flag against it.
 */

#include <signal.h>

/** Blocks SIGPIPE on this thread and stores the thread's signal mask in `before`. */
void sigpipe_block(sigset_t *before);
/** Drops a pending SIGPIPE, unless `before` blocks it too, and restores the signal mask. */
void sigpipe_restore(const sigset_t *before);
