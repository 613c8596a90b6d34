/* SPDX-License-Identifier: MIT */
/* Copy engines: common code for images, jobs in flight, deadlines and loss. */

#include "copy/engine.h"
#include "gpu/format.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* A multiple of any tiling's block size, for subsampled planes too. */
#define TRIAL_SIZE 2048

/* Descriptors that an engine opens for a copy: a fence, or both ends of a pipe. */
#define ENGINE_FDS 2

struct engine_job {
	struct wl_list link; /* copy_engine.jobs */
	struct copy_engine *engine;
	struct copy_image *source, *destination;
	int fence;
	int64_t due;
};

void copy_engine_init(
	struct copy_engine *engine, const struct copy_engine_impl *impl, int64_t deadline)
{
	*engine = (struct copy_engine){.impl = impl, .deadline = deadline};
	wl_list_init(&engine->images);
	wl_list_init(&engine->jobs);
	wl_signal_init(&engine->events.lost);
}

static void end(struct engine_job *job)
{
	job->source->n_jobs--;
	job->destination->n_jobs--;
	job->engine->n_jobs--;
	wl_list_remove(&job->link);
	fd_close(&job->fence);
	free(job);
}

const pixman_box32_t *copy_engine_boxes(
	struct copy_engine *engine, const struct copy_request *request, int *n_boxes)
{
	int n = pixman_region32_n_rects((pixman_region32_t *)request->damage);
	if (n > engine->max_boxes) {
		engine->boxes = xrealloc(engine->boxes, (size_t)n, sizeof(*engine->boxes));
		engine->max_boxes = n;
	}
	*n_boxes = region_join_bands(request->damage, engine->boxes);
	return engine->boxes;
}

void copy_engine_finish(struct copy_engine *engine)
{
	free(engine->boxes);
	assert(wl_list_empty(&engine->jobs));
	assert(wl_list_empty(&engine->images));
	assert(wl_list_empty(&engine->events.lost.listener_list));
}

static int create_image(struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use,
	struct copy_image **out)
{
	struct copy_image *image = xcalloc(1, engine->impl->image_size);
	int error = dmabuf_copy(&image->dmabuf, dmabuf);
	if (error < 0) {
		goto error_free;
	}
	image->engine = engine;
	image->use = use;
	error = engine->impl->import(engine, image);
	if (error < 0) {
		goto error_dmabuf;
	}
	wl_list_insert(&engine->images, &image->link);
	*out = image;
	return 0;
error_dmabuf:
	dmabuf_finish(&image->dmabuf);
error_free:
	free(image);
	return error;
}

static void destroy_image(struct copy_image *image)
{
	assert(image->n_jobs == 0);
	image->engine->impl->forget(image->engine, image);
	wl_list_remove(&image->link);
	dmabuf_finish(&image->dmabuf);
	free(image);
}

bool copy_trial_init(struct dmabuf *dmabuf, uint32_t fourcc, uint64_t modifier)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	dmabuf_init(dmabuf);
	dmabuf->width = dmabuf->height = TRIAL_SIZE;
	dmabuf->format = fourcc;
	dmabuf->modifier = modifier;
	dmabuf->n_planes = format ? format->n_planes : 0;
	for (int i = 0; i < dmabuf->n_planes; i++) {
		dmabuf->stride[i] = (uint32_t)pixel_format_min_stride(format, i, TRIAL_SIZE);
	}
	return format;
}

/* The kernel keeps the memory of running jobs, so images may be freed first. */
void copy_engine_destroy(struct copy_engine *engine)
{
	struct engine_job *job, *next_job;
	struct copy_image *image, *next_image;
	if (!engine) {
		return;
	}
	wl_list_for_each_safe (job, next_job, &engine->jobs, link) {
		end(job);
	}
	wl_list_for_each_safe (image, next_image, &engine->images, link) {
		assert(image->dropped);
		destroy_image(image);
	}
	engine->impl->destroy(engine);
}

int copy_engine_ask(struct copy_engine *engine, uint32_t format, uint64_t modifier)
{
	return engine->impl->ask(engine, format, modifier);
}

bool copy_engine_reads(struct copy_engine *engine, uint32_t format, uint64_t modifier)
{
	return copy_engine_ask(engine, format, modifier) > 0;
}

/* A lost engine's images are freed on its thread, because a hung driver may block. */
static void sweep(struct copy_image *image)
{
	if (image->dropped && image->n_jobs == 0 && !image->engine->lost) {
		destroy_image(image);
	}
}

void copy_image_drop(struct copy_image *image)
{
	if (!image) {
		return;
	}
	assert(!image->dropped);
	image->dropped = true;
	sweep(image);
}

static void lose(struct copy_engine *engine, const char *why)
{
	if (engine->lost) {
		return;
	}
	log_debug(LOG_COPY, "%s is lost: %s", engine->impl->name, why);
	engine->lost = true;
	engine->lost_why = why;
	signal_emit(&engine->events.lost, NULL);
}

/* Loses the engine after a call that returned -ENODEV. Returns the error. */
static int check_loss(struct copy_engine *engine, int error)
{
	if (error == -ENODEV && !engine->lost) {
		engine->reset = true;
		lose(engine, "its GPU was reset");
	}
	return error;
}

int copy_engine_check(
	struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use, const char **reason)
{
	const char *unused;
	reason = reason ? reason : &unused;
	*reason = "the engine is lost";
	return engine->lost ? -ENODEV
			    : check_loss(engine, engine->impl->check(engine, dmabuf, use, reason));
}

int copy_engine_import(struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use,
	struct copy_image **image)
{
	const char *reason;
	int error = copy_engine_check(engine, dmabuf, use, &reason);
	if (error < 0) {
		log_debug(LOG_COPY, "%s: %s", engine->impl->name, reason);
		return error;
	}
	return check_loss(engine, create_image(engine, dmabuf, use, image));
}

/* Handles a failed copy. Returns -ENODEV if the engine is lost. */
static int recover(struct copy_engine *engine)
{
	struct engine_job *job, *next;
	if (!engine->impl->recover) {
		engine->reset = true;
		lose(engine, "its GPU was reset");
		return -ENODEV;
	}
	wl_list_for_each_safe (job, next, &engine->jobs, link) {
		struct copy_image *source = job->source, *destination = job->destination;
		end(job);
		sweep(source);
		if (destination != source) {
			sweep(destination);
		}
	}
	engine->impl->recover(engine);
	return 0;
}

/* Retires ended jobs, oldest first. Returns an error if one of them failed. */
static int retire(struct copy_engine *engine)
{
	struct engine_job *job, *next;
	int error = 0;
	wl_list_for_each_safe (job, next, &engine->jobs, link) {
		struct copy_image *source = job->source, *destination = job->destination;
		int status = fence_status(job->fence);
		if (status == 0) {
			break; /* jobs end in order */
		}
		if (status < 0) {
			engine->stats.failures++;
			error = status;
		}
		end(job);
		engine->impl->retire(engine);
		sweep(source);
		if (destination != source) {
			sweep(destination);
		}
	}
	return error;
}

int copy_engine_reap(struct copy_engine *engine, int64_t now)
{
	if (engine->lost) {
		return -ENODEV;
	}
	if (retire(engine) < 0 && recover(engine) < 0) {
		return -ENODEV;
	}
	if (copy_engine_overdue(engine) <= now) {
		lose(engine, "a copy did not end in time");
		return -ENODEV;
	}
	return engine->n_jobs;
}

int64_t copy_engine_overdue(const struct copy_engine *engine)
{
	const struct engine_job *job;
	if (wl_list_empty(&engine->jobs)) {
		return INT64_MAX;
	}
	job = wl_container_of(engine->jobs.next, job, link);
	return job->due;
}

static bool inside(const pixman_box32_t *box, const struct dmabuf *dmabuf, int32_t dx, int32_t dy)
{
	return (int64_t)box->x1 + dx >= 0 && (int64_t)box->y1 + dy >= 0 &&
	       (int64_t)box->x2 + dx <= dmabuf->width && (int64_t)box->y2 + dy <= dmabuf->height;
}

static bool valid(const struct copy_engine *engine, const struct copy_request *request)
{
	const pixman_box32_t *box = pixman_region32_extents((pixman_region32_t *)request->damage);
	const struct copy_image *source = request->source, *destination = request->destination;
	return source->engine == engine && destination->engine == engine && !source->dropped &&
	       !destination->dropped && source->use & COPY_SOURCE &&
	       destination->use & COPY_DESTINATION &&
	       source->dmabuf.format == destination->dmabuf.format &&
	       inside(box, &source->dmabuf, 0, 0) &&
	       inside(box, &destination->dmabuf, request->dx, request->dy);
}

/*
 * A copy without a fence would write memory that is being read. So before it starts there must be
 * room for two fences: a place for the caller's, and the descriptors that the engine creates its
 * own from.
 */
static int reserve(const struct copy_request *request, int *place)
{
	int any = request->source->dmabuf.fd[0];
	int room[ENGINE_FDS], n = 0, error = 0;
	*place = fd_dup(any);
	if (*place < 0) {
		return *place;
	}
	while (error == 0 && n < ENGINE_FDS) {
		room[n] = fd_dup(any);
		error = room[n] < 0 ? room[n] : 0;
		n += error == 0;
	}
	while (n > 0) {
		close(room[--n]);
	}
	if (error < 0) {
		fd_close(place);
	}
	return error;
}

/* Retires jobs before the next one. Returns 0, -EBUSY or -ENODEV. */
static int make_room(struct copy_engine *engine)
{
	if (retire(engine) < 0 && recover(engine) < 0) {
		return -ENODEV;
	}
	return engine->n_jobs >= COPY_JOBS_MAX ? -EBUSY : 0;
}

static void add_job(struct copy_engine *engine, struct copy_image *source,
	struct copy_image *destination, int64_t now, int fence)
{
	struct engine_job *job = xcalloc(1, sizeof(*job));
	*job = (struct engine_job){
		.engine = engine,
		.source = source,
		.destination = destination,
		.fence = fence,
		.due = now + engine->deadline,
	};
	job->source->n_jobs++;
	job->destination->n_jobs++;
	wl_list_insert(engine->jobs.prev, &job->link);
	engine->n_jobs++;
}

int copy_engine_submit(struct copy_engine *engine, const struct copy_request *request, int *fence)
{
	int job_fence, place;
	*fence = -1;
	if (engine->lost) {
		return -ENODEV;
	}
	if (!valid(engine, request)) {
		return -EINVAL;
	}
	if (!pixman_region32_not_empty((pixman_region32_t *)request->damage)) {
		return 0;
	}
	int error = make_room(engine);
	if (error < 0) {
		return error;
	}
	error = reserve(request, &place);
	if (error < 0) {
		return error;
	}
	error = engine->impl->submit(engine, request, &job_fence);
	if (error == -ECANCELED || error == -ENODEV) {
		error = recover(engine) < 0 ? -ENODEV : -EIO;
	}
	if (error < 0 || job_fence < 0) {
		engine->stats.submissions += error == 0;
		close(place);
		return error;
	}
	engine->stats.submissions++;
	add_job(engine, request->source, request->destination, request->now, job_fence);
	fd_dup_into(job_fence, place);
	*fence = place;
	return 0;
}

int copy_engine_prove(struct copy_engine *engine, struct copy_image *image, int64_t now)
{
	int fence;
	int error = engine->lost ? -ENODEV : engine->impl->prove ? make_room(engine) : -ENOTSUP;
	if (error == 0) {
		error = engine->impl->prove(engine, image, &fence);
	}
	if (error == 0) {
		add_job(engine, image, image, now, fence);
	} else if (error == -ECANCELED || error == -ENODEV) {
		error = recover(engine) < 0 ? -ENODEV : -EIO;
	}
	return error;
}
