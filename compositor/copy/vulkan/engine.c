/* SPDX-License-Identifier: MIT */
/* Vulkan copy engine: a queue of the GPU. */

#include "copy/vulkan/queue.h"
#include "gpu/format.h"
#include "util/log.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define PLANES_MAX VULKAN_COPIES_MAX
/* Time (ns) after which a job counts as hung; the engine was given up long before. */
#define HANG_NS 10000000000

/* The device and its objects, which outlive the engine while copies are in flight. */
struct context {
	struct worker_task base; /* destroys the context */
	struct vulkan_device device;
	struct vulkan_queue queue;
	struct wl_list
		dropped; /* vulkan_planes.link: dropped, perhaps in use by copies in flight */
};

struct vulkan_planes {
	struct wl_list link; /* context.dropped */
	uint64_t last; /* last submission that may use it */
	int n_planes;
	struct vulkan_plane planes[PLANES_MAX];
};

struct vulkan_engine {
	struct copy_engine base;
	struct vulkan_options options;
	char *kernel_driver;
	struct worker *worker;
	struct context *context;
};

struct vulkan_image {
	struct copy_image base;
	struct vulkan_planes *planes;
};

/* Waits for a job on the thread, for drivers without sync files. */
struct watch {
	struct worker_task base;
	const struct vulkan_device *device;
	struct vulkan_job *job;
};

static const struct copy_engine_impl impl;

static struct vulkan_engine *from_base(struct copy_engine *base)
{
	struct vulkan_engine *engine = wl_container_of(base, engine, base);
	assert(base->impl == &impl);
	return engine;
}

static struct vulkan_image *image_from_base(struct copy_image *base)
{
	struct vulkan_image *image = wl_container_of(base, image, base);
	assert(base->engine->impl == &impl);
	return image;
}

/* Frees dropped images that no copy in flight uses. */
static void free_dropped(struct context *context)
{
	struct vulkan_planes *planes, *next;
	wl_list_for_each_safe (planes, next, &context->dropped, link) {
		if (!vulkan_queue_ended(&context->queue, planes->last)) {
			continue;
		}
		for (int i = 0; i < planes->n_planes; i++) {
			vulkan_queue_forget(&context->queue, &planes->planes[i]);
			vulkan_plane_finish(&planes->planes[i], &context->device);
		}
		wl_list_remove(&planes->link);
		free(planes);
	}
}

/* Runs on the thread, after all watched jobs: memory in use by a GPU must not be freed. */
static bool end_context(struct worker_task *task)
{
	struct context *context = wl_container_of(task, context, base);
	for (int i = 0; i < VULKAN_JOBS_MAX; i++) {
		const struct vulkan_job *job = &context->queue.jobs[i];
		if (job->serial > 0 && vulkan_job_wait(&context->device, job, HANG_NS) == -ETIME) {
			log_warn("vulkan: a queue hangs: leaking its memory");
			return false;
		}
	}
	free_dropped(context);
	vulkan_queue_finish(&context->queue);
	vulkan_device_finish(&context->device);
	free(context);
	return true;
}

static int start_context(struct vulkan_engine *engine)
{
	struct context *context = xcalloc(1, sizeof(*context));
	int error = vulkan_device_init(&context->device, &engine->options);
	if (error == 0) {
		error = vulkan_queue_init(&context->queue, &context->device);
		if (error < 0) {
			vulkan_device_finish(&context->device);
		}
	}
	if (error < 0) {
		free(context);
		return error;
	}
	context->base.run = end_context;
	wl_list_init(&context->dropped);
	engine->context = context;
	return 0;
}

static int check(
	struct copy_engine *base, const struct dmabuf *dmabuf, unsigned use, const char **reason)
{
	struct vulkan_engine *engine = from_base(base);
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	*reason = "its format is unknown";
	if (!format || format->n_planes > PLANES_MAX || format->n_planes > dmabuf->n_planes ||
		(format->n_planes == 1 && format->hsub > 1)) {
		return -ENOTSUP;
	}
	for (int i = 0; i < format->n_planes; i++) {
		int error = vulkan_plane_check(
			&engine->context->device, dmabuf, format, i, use, reason);
		if (error < 0) {
			return error;
		}
	}
	return 0;
}

static int ask(struct copy_engine *base, uint32_t format, uint64_t modifier)
{
	const struct pixel_format *known = pixel_format_get(format);
	if (!known || known->n_planes > PLANES_MAX || (known->n_planes == 1 && known->hsub > 1)) {
		return 0;
	}
	int answer = 1;
	for (int i = 0; i < known->n_planes && answer > 0; i++) {
		answer = vulkan_plane_ask(&from_base(base)->context->device, known, i, modifier);
	}
	return answer;
}

static void drop_planes(struct context *context, struct vulkan_planes *planes)
{
	planes->last = context->queue.serial;
	wl_list_insert(&context->dropped, &planes->link);
	free_dropped(context);
}

static int import_planes(struct vulkan_engine *engine, struct vulkan_image *image)
{
	const struct dmabuf *dmabuf = &image->base.dmabuf;
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	struct vulkan_planes *planes = xcalloc(1, sizeof(*planes));
	for (int i = 0; i < format->n_planes; i++) {
		int error = vulkan_plane_import(&planes->planes[i], &engine->context->device,
			dmabuf, format, i, image->base.use);
		if (error < 0) {
			drop_planes(engine->context, planes);
			return error;
		}
		planes->n_planes++;
	}
	image->planes = planes;
	return 0;
}

static int import(struct copy_engine *base, struct copy_image *image)
{
	return import_planes(from_base(base), image_from_base(image));
}

static void forget(struct copy_engine *base, struct copy_image *image)
{
	drop_planes(from_base(base)->context, image_from_base(image)->planes);
}

static bool watch_job(struct worker_task *task)
{
	struct watch *watch = wl_container_of(task, watch, base);
	int error = vulkan_job_wait(watch->device, watch->job, HANG_NS);
	atomic_store(&watch->job->watched, false);
	free(watch);
	return error == 0;
}

static int make_fence(struct vulkan_engine *engine, struct vulkan_job *job, int *fence)
{
	const struct vulkan_device *device = &engine->context->device;
	if (device->has.make_sync_file) {
		/* An unexported semaphore cannot be signalled again: recreate the engine. */
		return vulkan_job_sync_file(&engine->context->queue, job, fence) < 0 ? -ENODEV : 0;
	}
	struct watch *watch = xcalloc(1, sizeof(*watch));
	watch->base.run = watch_job;
	watch->device = device;
	watch->job = job;
	atomic_store(&job->watched, true);
	*fence = worker_push(engine->worker, &watch->base);
	if (*fence < 0) {
		atomic_store(&job->watched, false);
		free(watch);
		return -ENODEV; /* the copy runs without a fence */
	}
	return 0;
}

static void account(struct copy_engine *base, const struct vulkan_copy *copies, int n)
{
	for (int i = 0; i < n; i++) {
		const struct vulkan_plane *source = copies[i].source;
		for (int j = 0; j < copies[i].n_boxes; j++) {
			const pixman_box32_t *box = &copies[i].boxes[j];
			uint64_t area =
				(uint64_t)(box->x2 - box->x1) * (uint64_t)(box->y2 - box->y1);
			base->stats.bytes += area * source->bytes / (source->hsub * source->vsub);
		}
	}
	base->stats.rectangles += (uint64_t)copies[0].n_boxes;
}

static int submit(struct copy_engine *base, const struct copy_request *request, int *fence)
{
	struct vulkan_engine *engine = from_base(base);
	struct vulkan_image *source = image_from_base(request->source);
	struct vulkan_image *destination = image_from_base(request->destination);
	struct vulkan_copy copies[PLANES_MAX];
	struct vulkan_job *job;
	int error = 0, n_boxes, n = 0;
	const pixman_box32_t *boxes = copy_engine_boxes(base, request, &n_boxes);
	for (; error == 0 && n < source->planes->n_planes; n++) {
		copies[n] = (struct vulkan_copy){
			.source = &source->planes->planes[n],
			.destination = &destination->planes->planes[n],
			.boxes = boxes,
			.n_boxes = n_boxes,
			.dx = request->dx,
			.dy = request->dy,
		};
		error = vulkan_copy_check(&engine->context->device, &copies[n]);
	}
	if (error == 0) {
		error = vulkan_queue_copy(
			&engine->context->queue, copies, n, request->wait_fd, &job);
	}
	if (error == 0) {
		error = make_fence(engine, job, fence);
	}
	if (error == 0) {
		account(base, copies, n);
	}
	return error;
}

static void retire(struct copy_engine *base)
{
	free_dropped(from_base(base)->context);
}

static void destroy(struct copy_engine *base)
{
	struct vulkan_engine *engine = from_base(base);
	worker_post(engine->worker, &engine->context->base);
	worker_destroy(engine->worker);
	copy_engine_finish(base);
	free(engine->kernel_driver);
	free(engine);
}

static const struct copy_engine_impl impl = {
	.name = "vulkan",
	.destroy = destroy,
	.check = check,
	.ask = ask,
	.image_size = sizeof(struct vulkan_image),
	.import = import,
	.forget = forget,
	.submit = submit,
	.retire = retire,
};

int vulkan_engine_create(const struct vulkan_options *options, struct copy_engine **out)
{
	struct vulkan_engine *engine = xcalloc(1, sizeof(*engine));
	engine->options = *options;
	engine->kernel_driver = xstrdup(options->kernel_driver);
	engine->options.kernel_driver = engine->kernel_driver;
	engine->worker = worker_create();
	int error = engine->worker ? start_context(engine) : -ENOMEM;
	if (error < 0) {
		worker_destroy(engine->worker);
		free(engine->kernel_driver);
		free(engine);
		return error;
	}
	copy_engine_init(
		&engine->base, &impl, options->kernel_driver ? COPY_DEADLINE : COPY_DEADLINE_CPU);
	log_debug(LOG_COPY, "vulkan: %s, %s queue", engine->context->device.name,
		vulkan_queue_kind_name(engine->context->device.kind));
	*out = &engine->base;
	return 0;
}
