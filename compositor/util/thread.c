/* Threads beside the event loop, which keep away from its signals. */

#include "util/thread.h"
#include <signal.h>

bool thread_start(pthread_t *thread, void *(*run)(void *data), void *data)
{
	sigset_t blocked, before;
	sigfillset(&blocked);
	/* A fault is its thread's and cannot wait. */
	sigdelset(&blocked, SIGBUS);
	sigdelset(&blocked, SIGSEGV);
	sigdelset(&blocked, SIGFPE);
	sigdelset(&blocked, SIGILL);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	bool started = pthread_create(thread, NULL, run, data) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}
