/* SPDX-License-Identifier: MIT */
/*
 * Probes: capabilities of a GPU from the cache, or from the GPU itself, on a thread or by a
 * process.
 */

#include "gpu/probe.h"
#include "gpu/egl.h"
#include "gpu/format_cache.h"
#include "gpu/gpu.h"
#include "gpu/probe_answer.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/helper_process.h"
#include "util/log.h"
#include "util/thread.h"
#include "util/xalloc.h"
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

/**
 * ms until a process that looks at a GPU is killed. A sleeping GPU wakes within, and a slow machine
 * starts a driver that renders in software; only a thread waits.
 */
#define PROCESS_TIMEOUT 60000

/** Owned by the thread and the probe; the last one frees it. */
struct job {
	atomic_int n_owners;
	struct gpu *gpu; /* a copy: the GPU may be unplugged at any time */
	struct gpu_look look;
	char *cache_path, *cache_key;
	int done_fd; /* an eventfd: the thread has ended its work */
	struct gpu_facts facts; /* owned by the thread until it wrote to done_fd */
	bool found;
};

struct gpu_probe {
	struct job *job;
	struct wl_event_source *source;
	void (*found)(void *data, const struct gpu_facts *facts);
	void *data;
};

static void release(struct job *job)
{
	if (atomic_fetch_sub(&job->n_owners, 1) > 1) {
		return;
	}
	fd_close(&job->done_fd);
	gpu_facts_finish(&job->facts);
	free(job->cache_path);
	free(job->cache_key);
	gpu_copy_destroy(job->gpu);
	free(job);
}

/* On the thread */

/* *complete: nothing failed for a moment. */
static bool find_sampling(struct gpu *gpu, struct gpu_facts *facts, bool *complete)
{
	struct egl *egl = egl_create(gpu);
	*complete = egl && !egl->uncertain;
	if (egl) {
		format_set_copy(&facts->sampling, &egl->sampling);
		egl_destroy(egl);
	}
	return facts->sampling.n_formats > 0;
}

/* *complete: the result may be cached. */
static bool look_at(
	struct gpu *gpu, const struct gpu_look *look, struct gpu_facts *facts, bool *complete)
{
	if (!gpu->render_path || gpu_open(gpu) != 0) {
		return false;
	}
	bool found = find_sampling(gpu, facts, complete);
	bool asked = found && (!look->find || look->find(look, gpu, facts));
	*complete &= asked;
	eglReleaseThread();
	gpu_close(gpu);
	return found;
}

/* As look_at(), by a process, which the caller ends. */
static bool ask(struct job *job, struct helper_process *process, bool *complete)
{
	char *argument = xasprintf("--probe=%d:%s", job->look.choice, job->gpu->bus_id);
	int error = helper_process_start(process, job->look.program, argument, -1);
	free(argument);
	if (error < 0) {
		log_debug(LOG_GPU, "%s: cannot start a probe: %s", job->gpu->bus_id,
			strerror(-error));
		return false;
	}
	size_t length;
	char *answer = helper_process_read(process, PROCESS_TIMEOUT, PROBE_BYTES_MAX, &length);
	bool good =
		answer && probe_answer_read(answer, length, job->cache_key, &job->facts, complete);
	if (!good) {
		log_debug(LOG_GPU, "%s: the probe %s", job->gpu->bus_id,
			answer ? "failed" : "hung or said too much");
	}
	free(answer);
	return good;
}

static void *run(void *data)
{
	struct job *job = data;
	struct helper_process process = {.fd = -1};
	bool complete = false, cached = job->cache_path && format_cache_load(job->cache_path,
								   job->cache_key, &job->facts);
	job->found = cached;
	if (!job->found && !job->look.cached_only) {
		job->found = job->look.program
				     ? ask(job, &process, &complete)
				     : look_at(job->gpu, &job->look, &job->facts, &complete);
	}
	job->facts.incomplete = job->found && !cached && !complete;
	if (complete && job->cache_path) {
		int error = format_cache_save(job->cache_path, job->cache_key, &job->facts);
		if (error < 0) {
			log_debug(LOG_GPU, "%s: cannot cache its formats: %s", job->gpu->bus_id,
				strerror(-error));
		}
	}
	eventfd_write(job->done_fd, 1);
	/* A process within a call of its driver may not end for long. */
	if (process.pid > 0) {
		helper_process_end(&process);
	}
	release(job);
	return NULL;
}

/* In a process of its own */

bool gpu_probe_answer(const char *bus_id, const struct gpu_look *look)
{
	struct gpu_list list;
	struct gpu_facts facts = {0};
	bool complete = false, done = false;
	/* The session may end before this process does. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	gpu_list_init(&list);
	struct gpu *gpu = gpu_list_find_bus_id(&list, bus_id);
	FILE *stream = fdopen(HELPER_FD, "w");
	if (gpu && stream && look_at(gpu, look, &facts, &complete)) {
		char *key = format_cache_key(gpu, look->variant);
		probe_answer_write(stream, key, &facts, complete);
		free(key);
		done = true;
	}
	gpu_facts_finish(&facts);
	gpu_list_finish(&list);
	return stream && fclose(stream) == 0 && done;
}

/* On the loop */

static int handle_done(int fd, uint32_t mask, void *data)
{
	struct gpu_probe *probe = data;
	void (*found)(void *data, const struct gpu_facts *facts) = probe->found;
	void *found_data = probe->data;
	event_source_remove(&probe->source);
	/* The callback may destroy the probe, so hold the job. */
	struct job *job = probe->job;
	atomic_fetch_add(&job->n_owners, 1);
	found(found_data, job->found ? &job->facts : NULL);
	release(job);
	return 0;
}

static bool start_thread(struct job *job)
{
	pthread_t thread;
	return thread_start(&thread, run, job) && pthread_detach(thread) == 0;
}

struct gpu_probe *gpu_probe_start(struct wl_event_loop *loop, const struct gpu *gpu,
	const struct gpu_look *look, void (*found)(void *data, const struct gpu_facts *facts),
	void *data)
{
	/* The node of an unplugged GPU may belong to another one. */
	int fd = gpu->gone ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd < 0) {
		return NULL;
	}
	struct job *job = xcalloc(1, sizeof(*job));
	atomic_init(&job->n_owners, 2);
	job->gpu = gpu_copy(gpu);
	job->look = *look;
	job->cache_path = format_cache_path(gpu);
	job->cache_key = format_cache_key(gpu, look->variant);
	job->done_fd = fd;
	struct gpu_probe *probe = xcalloc(1, sizeof(*probe));
	probe->job = job;
	probe->found = found;
	probe->data = data;
	probe->source = wl_event_loop_add_fd(loop, fd, WL_EVENT_READABLE, handle_done, probe);
	if (!probe->source || !start_thread(job)) {
		release(job); /* the thread's reference */
		gpu_probe_destroy(probe);
		return NULL;
	}
	return probe;
}

void gpu_probe_destroy(struct gpu_probe *probe)
{
	if (!probe) {
		return;
	}
	event_source_remove(&probe->source);
	release(probe->job);
	free(probe);
}
