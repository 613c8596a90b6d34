/* A Vulkan queue as a copy engine. */

#include "copy/vulkan/queue.h"
#include "gpu/format.h"
#include "util/log.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLANES VULKAN_MAX_COPIES
/* After this, whoever waits has given up long ago. */
#define HANG_NS 10000000000

/* The device and what belongs to it: outlives the engine while copies are in flight. */
struct context {
	struct worker_task base; /* that ends it */
	struct vulkan_device device;
	struct vulkan_queue queue;
	struct wl_list dead; /* vulkan_picture.link: not used by new copies any more */
};

struct vulkan_picture {
	struct wl_list link; /* context.dead */
	uint64_t last; /* submission that may use it */
	int n_planes;
	struct vulkan_surface surfaces[MAX_PLANES];
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
	struct vulkan_picture *picture;
};

/* Stands for a job where the driver makes no sync files. */
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

/* Pictures that no copy in flight uses; the engine's end may come before that. */
static void bury(struct context *context)
{
	struct vulkan_picture *picture, *next;

	wl_list_for_each_safe (picture, next, &context->dead, link) {
		if (!vulkan_queue_ended(&context->queue, picture->last)) {
			continue;
		}
		for (int i = 0; i < picture->n_planes; i++) {
			vulkan_queue_forget(&context->queue, &picture->surfaces[i]);
			vulkan_surface_finish(&picture->surfaces[i], &context->device);
		}
		wl_list_remove(&picture->link);
		free(picture);
	}
}

/* On the thread, after whatever it watched: nothing may be destroyed that a GPU works on. */
static bool end_context(struct worker_task *task)
{
	struct context *context = wl_container_of(task, context, base);

	for (int i = 0; i < VULKAN_MAX_JOBS; i++) {
		const struct vulkan_job *job = &context->queue.jobs[i];

		if (job->serial > 0 && vulkan_job_wait(&context->device, job, HANG_NS) == -ETIME) {
			log_warn("vulkan: a queue hangs; its memory stays where it is");
			return false;
		}
	}
	bury(context);
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
	wl_list_init(&context->dead);
	engine->context = context;
	return 0;
}

static int check(
	struct copy_engine *base, const struct dmabuf *dmabuf, unsigned use, const char **reason)
{
	struct vulkan_engine *engine = from_base(base);
	const struct pixel_format *format = pixel_format_get(dmabuf->format);

	*reason = "its format is unknown";
	if (!format || format->n_planes > MAX_PLANES || format->n_planes > dmabuf->n_planes ||
		(format->n_planes == 1 && format->hsub > 1)) {
		return -ENOTSUP;
	}
	for (int i = 0; i < format->n_planes; i++) {
		int error = vulkan_surface_check(
			&engine->context->device, dmabuf, format, i, use, reason);

		if (error < 0) {
			return error;
		}
	}
	return 0;
}

static bool reads(struct copy_engine *base, uint32_t format, uint64_t modifier)
{
	const struct pixel_format *known = pixel_format_get(format);

	if (!known || known->n_planes > MAX_PLANES || (known->n_planes == 1 && known->hsub > 1)) {
		return false;
	}
	for (int i = 0; i < known->n_planes; i++) {
		if (!vulkan_surface_reads(&from_base(base)->context->device, known, i, modifier)) {
			return false;
		}
	}
	return true;
}

static void drop_picture(struct context *context, struct vulkan_picture *picture)
{
	picture->last = context->queue.serial;
	wl_list_insert(&context->dead, &picture->link);
	bury(context);
}

static int import_picture(struct vulkan_engine *engine, struct vulkan_image *image)
{
	const struct dmabuf *dmabuf = &image->base.dmabuf;
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	struct vulkan_picture *picture = xcalloc(1, sizeof(*picture));

	for (int i = 0; i < format->n_planes; i++) {
		int error = vulkan_surface_import(&picture->surfaces[i], &engine->context->device,
			dmabuf, format, i, image->base.use);

		if (error < 0) {
			drop_picture(engine->context, picture);
			return error;
		}
		picture->n_planes++;
	}
	image->picture = picture;
	return 0;
}

static int import(struct copy_engine *base, const struct dmabuf *dmabuf, unsigned use,
	struct copy_image **out)
{
	struct vulkan_image *image = xcalloc(1, sizeof(*image));
	int error = copy_image_init(&image->base, base, dmabuf, use);

	if (error == 0) {
		error = import_picture(from_base(base), image);
		if (error < 0) {
			copy_image_finish(&image->base);
		}
	}
	if (error < 0) {
		free(image);
		return error;
	}
	*out = &image->base;
	return 0;
}

static void forget(struct copy_engine *base, struct copy_image *image_base)
{
	struct vulkan_image *image = image_from_base(image_base);

	drop_picture(from_base(base)->context, image->picture);
	copy_image_finish(&image->base);
	free(image);
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
	struct watch *watch;

	if (device->has.make_sync_file) {
		/* A semaphore that is not taken cannot be signalled again: start anew. */
		return vulkan_job_sync_file(&engine->context->queue, job, fence) < 0 ? -ENODEV : 0;
	}
	watch = xcalloc(1, sizeof(*watch));
	watch->base.run = watch_job;
	watch->device = device;
	watch->job = job;
	atomic_store(&job->watched, true);
	*fence = worker_push(engine->worker, &watch->base);
	if (*fence < 0) {
		atomic_store(&job->watched, false);
		free(watch);
		return -ENODEV; /* out of descriptors: the copy runs, but nobody would know */
	}
	return 0;
}

static void account(struct copy_engine *base, const struct vulkan_copy *copies, int n)
{
	for (int i = 0; i < n; i++) {
		const struct vulkan_surface *source = copies[i].source;

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
	struct vulkan_copy copies[MAX_PLANES];
	struct vulkan_job *job;
	int error = 0, n_boxes, n = 0;
	const pixman_box32_t *boxes =
		pixman_region32_rectangles((pixman_region32_t *)request->damage, &n_boxes);

	for (; error == 0 && n < source->picture->n_planes; n++) {
		copies[n] = (struct vulkan_copy){
			.source = &source->picture->surfaces[n],
			.destination = &destination->picture->surfaces[n],
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
	bury(from_base(base)->context);
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
	.reads = reads,
	.import = import,
	.forget = forget,
	.submit = submit,
	.retire = retire,
};

int vulkan_engine_create(const struct vulkan_options *options, struct copy_engine **out)
{
	struct vulkan_engine *engine = xcalloc(1, sizeof(*engine));
	int error;

	engine->options = *options;
	engine->kernel_driver = xstrdup(options->kernel_driver);
	engine->options.kernel_driver = engine->kernel_driver;
	engine->worker = worker_create();
	error = engine->worker ? start_context(engine) : -ENOMEM;
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
