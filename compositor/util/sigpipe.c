/* SPDX-License-Identifier: MIT */
/* SIGPIPE: blocked on a thread around calls that raise it. */

#include "util/sigpipe.h"
#include <pthread.h>
#include <stddef.h>
#include <time.h>

void sigpipe_block(sigset_t *before)
{
	sigset_t pipe;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, before);
}

void sigpipe_restore(const sigset_t *before)
{
	sigset_t pipe;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if (!sigismember(before, SIGPIPE)) {
		sigtimedwait(&pipe, NULL, &(struct timespec){0});
	}
	pthread_sigmask(SIG_SETMASK, before, NULL);
}
