/* A crew: threads that take the parts of one piece of work, one after the other, until none is left. */

#include "render/crew.h"
#include "buffer/buffer.h"
#include "util/log.h"
#include "util/thread.h"
#include "util/xalloc.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct crew {
	pthread_mutex_t mutex, access;
	pthread_cond_t wake, done;
	pthread_t threads[CREW_MAX - 1];
	int n_threads;
	bool quit;
	/* The piece under way. */
	void (*work)(void *data, int part);
	void *data;
	int n, next, left;
};

/* With the mutex held, which is let go of meanwhile. */
static void do_part(struct crew *crew)
{
	int part = crew->next++;
	pthread_mutex_unlock(&crew->mutex);
	crew->work(crew->data, part);
	pthread_mutex_lock(&crew->mutex);
	if (--crew->left == 0) {
		pthread_cond_signal(&crew->done);
	}
}

static void *live(void *data)
{
	struct crew *crew = data;
	pthread_mutex_lock(&crew->mutex);
	while (!crew->quit) {
		if (crew->next < crew->n) {
			do_part(crew);
		} else {
			pthread_cond_wait(&crew->wake, &crew->mutex);
		}
	}
	pthread_mutex_unlock(&crew->mutex);
	return NULL;
}

static void start_threads(struct crew *crew, int n)
{
	while (crew->n_threads < n && thread_start(&crew->threads[crew->n_threads], live, crew)) {
		crew->n_threads++;
	}
}

struct crew *crew_create(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	if (cores < 2) {
		return NULL;
	}
	struct crew *crew = xcalloc(1, sizeof(*crew));
	pthread_mutex_init(&crew->mutex, NULL);
	pthread_mutex_init(&crew->access, NULL);
	pthread_cond_init(&crew->wake, NULL);
	pthread_cond_init(&crew->done, NULL);
	start_threads(crew, cores < CREW_MAX ? (int)cores - 1 : CREW_MAX - 1);
	if (crew->n_threads == 0) {
		crew_destroy(crew);
		return NULL;
	}
	log_debug(LOG_RENDER, "composing with %d threads", crew_size(crew));
	return crew;
}

void crew_destroy(struct crew *crew)
{
	if (!crew) {
		return;
	}
	pthread_mutex_lock(&crew->mutex);
	crew->quit = true;
	pthread_cond_broadcast(&crew->wake);
	pthread_mutex_unlock(&crew->mutex);
	for (int i = 0; i < crew->n_threads; i++) {
		pthread_join(crew->threads[i], NULL);
	}
	pthread_cond_destroy(&crew->done);
	pthread_cond_destroy(&crew->wake);
	pthread_mutex_destroy(&crew->access);
	pthread_mutex_destroy(&crew->mutex);
	free(crew);
}

int crew_size(const struct crew *crew)
{
	return crew->n_threads + 1;
}

void crew_run(struct crew *crew, int n, void (*work)(void *data, int part), void *data)
{
	pthread_mutex_lock(&crew->mutex);
	crew->work = work;
	crew->data = data;
	crew->n = crew->left = n;
	crew->next = 0;
	pthread_cond_broadcast(&crew->wake);
	while (crew->next < crew->n) {
		do_part(crew);
	}
	while (crew->left > 0) {
		pthread_cond_wait(&crew->done, &crew->mutex);
	}
	crew->n = crew->next = 0;
	pthread_mutex_unlock(&crew->mutex);
}

bool crew_begin_access(struct crew *crew, struct buffer *buffer, unsigned access)
{
	void *data;
	size_t stride;
	if (!buffer) {
		return true;
	}
	/* Buffers count their accesses as if there was one thread. */
	pthread_mutex_lock(&crew->access);
	bool begun = buffer_begin_access(buffer, access, &data, &stride) == 0;
	pthread_mutex_unlock(&crew->access);
	return begun;
}

void crew_end_access(struct crew *crew, struct buffer *buffer)
{
	if (buffer) {
		pthread_mutex_lock(&crew->access);
		buffer_end_access(buffer);
		pthread_mutex_unlock(&crew->access);
	}
}
