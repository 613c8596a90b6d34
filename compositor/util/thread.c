/* SPDX-License-Identifier: MIT */
/* Threads beside the event loop, and signals that threads block. */

#include "util/thread.h"
#include <stddef.h>
#include <time.h>

bool thread_start(pthread_t *thread, void *(*run)(void *data), void *data)
{
	sigset_t blocked, before;
	sigfillset(&blocked);
	/* Faults are delivered to the faulting thread at once. */
	sigdelset(&blocked, SIGBUS);
	sigdelset(&blocked, SIGSEGV);
	sigdelset(&blocked, SIGFPE);
	sigdelset(&blocked, SIGILL);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	bool started = pthread_create(thread, NULL, run, data) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

void thread_block_sigpipe(sigset_t *before)
{
	sigset_t pipe;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, before);
}

void thread_unblock_sigpipe(const sigset_t *before)
{
	sigset_t pipe;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if (!sigismember(before, SIGPIPE)) {
		sigtimedwait(&pipe, NULL, &(struct timespec){0});
	}
	pthread_sigmask(SIG_SETMASK, before, NULL);
}
