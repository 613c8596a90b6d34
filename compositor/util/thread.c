/* SPDX-License-Identifier: MIT */
/* Threads beside the event loop, with signals blocked. */

#include "util/thread.h"
#include <signal.h>

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
