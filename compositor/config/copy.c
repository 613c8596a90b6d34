/* SPDX-License-Identifier: MIT */
/* The copy of the last valid configuration: written on a thread, read when a start finds errors. */

#include "config/copy.h"
#include "util/file.h"
#include "util/log.h"
#include "util/thread.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct config_copy {
	char *path;
	pthread_t thread;
	bool started; /* must be joined */
	pthread_mutex_t mutex;
	bool running; /* guarded by the mutex, like `pending` */
	char *pending; /* text to write; NULL: none */
};

static void write_text(FILE *stream, const void *data)
{
	fputs(data, stream);
}

/* Compares the file with the text, to avoid needless writes. */
static bool is_same(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	bool same = file != NULL;
	for (int c = 0; same && c != EOF; text += *text != '\0') {
		c = getc(file);
		same = c == EOF ? *text == '\0' : (unsigned char)*text == c;
	}
	if (file) {
		fclose(file);
	}
	return same;
}

static void *run(void *data)
{
	struct config_copy *copy = data;
	for (;;) {
		pthread_mutex_lock(&copy->mutex);
		char *text = copy->pending;
		copy->pending = NULL;
		copy->running = text != NULL;
		pthread_mutex_unlock(&copy->mutex);
		if (!text) {
			return NULL;
		}
		int error =
			is_same(copy->path, text) ? 0 : file_replace(copy->path, write_text, text);
		if (error < 0) {
			log_warn("%s: cannot save a copy of the configuration: %s", copy->path,
				strerror(-error));
		}
		free(text);
	}
}

struct config_copy *config_copy_create(char *path)
{
	struct config_copy *copy = xcalloc(1, sizeof(*copy));
	copy->path = path;
	pthread_mutex_init(&copy->mutex, NULL);
	return copy;
}

void config_copy_save(struct config_copy *copy, const char *text)
{
	pthread_mutex_lock(&copy->mutex);
	free(copy->pending);
	copy->pending = xstrdup(text);
	bool running = copy->running;
	copy->running = true;
	pthread_mutex_unlock(&copy->mutex);
	if (running) {
		return;
	}
	if (copy->started) {
		pthread_join(copy->thread, NULL); /* it has finished */
	}
	copy->started = thread_start(&copy->thread, run, copy);
	if (!copy->started) {
		pthread_mutex_lock(&copy->mutex);
		copy->running = false;
		pthread_mutex_unlock(&copy->mutex);
	}
}

struct config *config_copy_load(const struct config_copy *copy)
{
	char *error = NULL;
	struct config *config = config_load(copy->path, &error);
	free(error);
	return config;
}

void config_copy_destroy(struct config_copy *copy)
{
	if (!copy) {
		return;
	}
	if (copy->started) {
		pthread_join(copy->thread, NULL);
	}
	pthread_mutex_destroy(&copy->mutex);
	free(copy->pending);
	free(copy->path);
	free(copy);
}
