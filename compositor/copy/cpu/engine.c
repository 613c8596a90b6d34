/* SPDX-License-Identifier: MIT */
/* CPU copy engine: a thread that copies by streaming loads. */

#include "copy/cpu.h"
#include "copy/cpu/image.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

/* Maximum number of jobs; beyond it, the last job would be outdated before it runs. */
#define JOBS_MAX 8
#define NS_PER_MS 1000000

struct cpu_engine {
	struct copy_engine base;
	struct worker *worker;
	enum stream_method method;
	int n_jobs;
};

struct cpu_image {
	struct copy_image base;
	struct cpu_mapping *mapping;
};

/* Owned by the thread after worker_push(). */
struct cpu_job {
	struct worker_task base;
	enum stream_method method;
	struct cpu_mapping *source, *destination;
	pixman_region32_t damage;
	int32_t dx, dy;
	int wait_fd, timeout_ms;
};

static const struct copy_engine_impl impl;

static struct cpu_engine *from_base(struct copy_engine *base)
{
	struct cpu_engine *engine = wl_container_of(base, engine, base);
	assert(base->impl == &impl);
	return engine;
}

static struct cpu_image *image_from_base(struct copy_image *base)
{
	struct cpu_image *image = wl_container_of(base, image, base);
	assert(base->engine->impl == &impl);
	return image;
}

static int check(
	struct copy_engine *base, const struct dmabuf *dmabuf, unsigned use, const char **reason)
{
	return cpu_mapping_check(dmabuf, use & COPY_DESTINATION, reason);
}

static int ask(struct copy_engine *base, uint32_t format, uint64_t modifier)
{
	return cpu_mapping_layout_known(format, modifier);
}

static int import(struct copy_engine *base, struct copy_image *image)
{
	return cpu_mapping_create(
		&image->dmabuf, image->use & COPY_DESTINATION, &image_from_base(image)->mapping);
}

static void forget(struct copy_engine *base, struct copy_image *image)
{
	cpu_mapping_unref(image_from_base(image)->mapping);
}

static void destroy_job(struct cpu_job *job)
{
	cpu_mapping_unref(job->source);
	cpu_mapping_unref(job->destination);
	pixman_region32_fini(&job->damage);
	fd_close(&job->wait_fd);
	free(job);
}

static void copy_boxes(struct cpu_job *job)
{
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles(&job->damage, &n);
	for (int i = 0; i < n; i++) {
		cpu_mapping_copy(
			job->method, job->source, job->destination, &boxes[i], job->dx, job->dy);
	}
}

static bool run(struct worker_task *task)
{
	struct cpu_job *job = wl_container_of(task, job, base);
	int error = worker_wait(job->wait_fd, job->timeout_ms) ? 0 : -ETIME;
	if (error == 0) {
		error = cpu_mapping_begin(job->source, false);
	}
	if (error == 0) {
		error = cpu_mapping_begin(job->destination, true);
		if (error == 0) {
			copy_boxes(job);
			error = cpu_mapping_end(job->destination, true);
		}
		cpu_mapping_end(job->source, false);
	}
	destroy_job(job);
	return error == 0;
}

static bool possible(const struct cpu_mapping *source, const struct cpu_mapping *destination)
{
	for (int i = 0; i < source->n_planes; i++) {
		if (source->planes[i].tiled && destination->planes[i].tiled) {
			return false;
		}
	}
	return true;
}

static void account(struct copy_engine *base, const struct cpu_job *job)
{
	int n;
	const pixman_box32_t *boxes =
		pixman_region32_rectangles((pixman_region32_t *)&job->damage, &n);
	for (int i = 0; i < n; i++) {
		base->stats.bytes += cpu_mapping_bytes(job->source, &boxes[i]);
	}
	base->stats.rectangles += (uint64_t)n;
}

static int submit(struct copy_engine *base, const struct copy_request *request, int *fence)
{
	struct cpu_engine *engine = from_base(base);
	struct cpu_mapping *source = image_from_base(request->source)->mapping;
	struct cpu_mapping *destination = image_from_base(request->destination)->mapping;
	int wait_fd = -1;
	if (!possible(source, destination)) {
		return -ENOTSUP;
	}
	if (engine->n_jobs == JOBS_MAX) {
		return -EBUSY;
	}
	if (request->wait_fd >= 0) {
		wait_fd = fd_dup(request->wait_fd);
		if (wait_fd < 0) {
			return wait_fd;
		}
	}
	struct cpu_job *job = xcalloc(1, sizeof(*job));
	job->base.run = run;
	job->method = engine->method;
	job->source = cpu_mapping_ref(source);
	job->destination = cpu_mapping_ref(destination);
	pixman_region32_init(&job->damage);
	pixman_region32_copy(&job->damage, (pixman_region32_t *)request->damage);
	job->dx = request->dx;
	job->dy = request->dy;
	job->wait_fd = wait_fd;
	job->timeout_ms = (int)(base->deadline / NS_PER_MS);
	account(base, job);
	*fence = worker_push(engine->worker, &job->base);
	if (*fence < 0) {
		/* -ENOMEM would mean that memory cannot be mapped. */
		int error = *fence == -ENOMEM ? -EAGAIN : *fence;
		destroy_job(job);
		return error;
	}
	engine->n_jobs++;
	return 0;
}

static void retire(struct copy_engine *base)
{
	from_base(base)->n_jobs--;
}

/* Failures come from images or fences: the engine itself still works. */
static void recover(struct copy_engine *base)
{
	from_base(base)->n_jobs = 0;
}

static void destroy(struct copy_engine *base)
{
	struct cpu_engine *engine = from_base(base);
	worker_destroy(engine->worker);
	copy_engine_finish(base);
	free(engine);
}

static const struct copy_engine_impl impl = {
	.name = "cpu",
	.destroy = destroy,
	.check = check,
	.ask = ask,
	.image_size = sizeof(struct cpu_image),
	.import = import,
	.forget = forget,
	.submit = submit,
	.recover = recover,
	.retire = retire,
};

int cpu_engine_create(struct copy_engine **out)
{
	struct cpu_engine *engine = xcalloc(1, sizeof(*engine));
	engine->worker = worker_create();
	if (!engine->worker) {
		free(engine);
		return -ENOMEM;
	}
	engine->method = stream_method_best();
	copy_engine_init(&engine->base, &impl, COPY_DEADLINE_CPU);
	log_debug(LOG_COPY, "cpu: reads by %s", stream_method_name(engine->method));
	*out = &engine->base;
	return 0;
}
