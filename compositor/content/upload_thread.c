/* Uploads beside the frames: what the thread does, and what becomes of it. */

#include "upload_thread.h"
#include "buffer/shm.h"
#include "content/device.h"
#include "util/fd.h"
#include "util/fd_watch.h"
#include "util/fence.h"
#include "util/region.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* After so many bytes the thread looks whether it is still wanted. */
#define CHUNK ((size_t)256 * 1024)

struct upload {
	struct worker_task task;
	struct wl_list link; /* render_device.uploads, until the thread is done with it */
	struct buffer *buffer; /* locked */
	struct shm_hold *hold;
	const uint8_t *from; /* pixel 0, 0 of the buffer */
	size_t stride, pixel; /* bytes */
	struct render_staging *staging;
	pixman_region32_t written; /* what the thread writes */
	pixman_region32_t region; /* what of it is wanted */
	atomic_bool unwanted;
	atomic_bool
		left; /* by the thread, which has written all that it will: a pipe alone orders no memory */
	int fence;
	struct fd_watch watch;
	bool busy; /* the thread is at it, and will be heard of */
	bool good;
	bool orphan; /* destroyed while the thread is at it */
	upload_done_func *done;
	void *data;
};

/* On the thread. */
static bool copy_rect(struct upload *upload, const pixman_box32_t *rect)
{
	const struct render_staging *staging = upload->staging;
	size_t row = (size_t)(rect->x2 - rect->x1) * upload->pixel, since = 0;
	for (int32_t y = rect->y1; y < rect->y2; y++) {
		const uint8_t *from = upload->from + (size_t)y * upload->stride +
				      (size_t)rect->x1 * upload->pixel;
		uint8_t *to = (uint8_t *)staging->data +
			      (size_t)(y - staging->box.y) * staging->stride +
			      (size_t)(rect->x1 - staging->box.x) * upload->pixel;
		memcpy(to, from, row);
		since += row;
		if (since >= CHUNK) {
			since = 0;
			if (atomic_load(&upload->unwanted)) {
				return false;
			}
		}
	}
	return !atomic_load(&upload->unwanted);
}

static bool write_staging(struct upload *upload)
{
	int n;
	const pixman_box32_t *rects = pixman_region32_rectangles(&upload->written, &n);
	bool good = shm_hold_begin(upload->hold);
	if (!good) {
		return false;
	}
	for (int i = 0; good && i < n; i++) {
		good = copy_rect(upload, &rects[i]);
	}
	/* What was missing reads as zeros; its client hears of it with the buffer's release. */
	shm_hold_end(upload->hold);
	return good;
}

static bool run(struct worker_task *task)
{
	struct upload *upload = wl_container_of(task, upload, task);
	bool good = write_staging(upload);
	atomic_store(&upload->left, true);
	return good;
}

static void free_upload(struct upload *upload)
{
	fd_watch_stop(&upload->watch);
	fd_close(&upload->fence);
	wl_list_remove(&upload->link);
	render_staging_destroy(upload->staging);
	shm_hold_release(upload->hold);
	buffer_unlock(upload->buffer);
	pixman_region32_fini(&upload->written);
	pixman_region32_fini(&upload->region);
	free(upload);
}

static void wait_for_thread(struct upload *upload)
{
	do {
		worker_wait(upload->fence, -1);
	} while (!atomic_load(&upload->left));
}

static void handle_fence(void *data)
{
	struct upload *upload = data;
	upload->good = atomic_load(&upload->left) && fence_status(upload->fence) == 1;
	upload->busy = false;
	fd_watch_stop(&upload->watch);
	if (upload->orphan) {
		free_upload(upload);
	} else {
		wl_list_remove(&upload->link);
		wl_list_init(&upload->link);
		upload->done(upload->data);
	}
}

static bool start(struct upload *upload, struct render_device *device, struct wl_event_loop *loop)
{
	if (!device->worker) {
		device->worker = worker_create();
	}
	upload->fence =
		device->worker && device->clock ? worker_push(device->worker, &upload->task) : -1;
	if (upload->fence < 0) {
		return false;
	}
	wl_list_insert(&device->uploads, &upload->link);
	upload->busy = true;
	fd_watch_start(&upload->watch, loop, device->clock, upload->fence, handle_fence, upload);
	return true;
}

struct upload *upload_create(struct render_device *device, struct wl_event_loop *loop,
	struct buffer *buffer, const pixman_region32_t *region, upload_done_func *done, void *data)
{
	struct box box = region_extents(region);
	struct render_staging *staging =
		renderer_staging_create(device->renderer, buffer->format, &box);
	if (!staging) {
		return NULL;
	}
	struct upload *upload = xcalloc(1, sizeof(*upload));
	const void *from;
	wl_list_init(&upload->link);
	upload->task.run = run;
	upload->buffer = buffer_lock(buffer);
	upload->hold = shm_buffer_hold(buffer, &from, &upload->stride);
	upload->from = from;
	upload->pixel = pixel_format_get(buffer->format)->bytes[0];
	upload->staging = staging;
	pixman_region32_init(&upload->written);
	pixman_region32_init(&upload->region);
	pixman_region32_copy(&upload->written, (pixman_region32_t *)region);
	pixman_region32_copy(&upload->region, (pixman_region32_t *)region);
	upload->done = done;
	upload->data = data;
	if (!start(upload, device, loop)) {
		free_upload(upload);
		return NULL;
	}
	return upload;
}

void upload_destroy(struct upload *upload)
{
	if (!upload) {
		return;
	}
	if (!upload->busy) {
		free_upload(upload);
		return;
	}
	atomic_store(&upload->unwanted, true);
	upload->orphan = true;
}

struct buffer *upload_buffer(const struct upload *upload)
{
	return upload->buffer;
}

const pixman_region32_t *upload_region(const struct upload *upload)
{
	return &upload->region;
}

void upload_drop(struct upload *upload, const pixman_region32_t *region)
{
	pixman_region32_subtract(&upload->region, &upload->region, (pixman_region32_t *)region);
}

bool upload_apply(struct upload *upload, struct texture **texture)
{
	return upload->good &&
	       render_staging_upload(upload->staging, texture, upload->buffer->width,
		       upload->buffer->height, &upload->region);
}

void upload_finish_all(struct render_device *device)
{
	struct upload *upload, *next;
	wl_list_for_each_safe (upload, next, &device->uploads, link) {
		wait_for_thread(upload);
		free_upload(upload);
	}
}
