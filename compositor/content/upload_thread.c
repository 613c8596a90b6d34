/* SPDX-License-Identifier: MIT */
/* Upload thread: copies client shm to staging memory. */

#include "upload_thread.h"
#include "buffer/shm.h"
#include "content/device.h"
#include "internal.h"
#include "util/account.h"
#include "util/fd.h"
#include "util/fd_watch.h"
#include "util/fence.h"
#include "util/region.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Bytes between two checks for cancellation. */
#define CHUNK ((size_t)256 * 1024)

struct upload {
	struct worker_task task;
	struct wl_list link; /* content_device.uploads, until the thread has finished */
	struct buffer *buffer; /* locked */
	struct shm_hold *hold;
	const uint8_t *from; /* pixel 0, 0 of the buffer */
	size_t stride, pixel; /* bytes */
	struct render_staging *staging;
	struct account *account; /* charged with the staging memory; NULL: none */
	int64_t charged; /* bytes */
	pixman_region32_t written; /* written by the thread */
	pixman_region32_t region; /* still wanted */
	atomic_bool cancelled;
	/** Set by the thread after its last write: the fence, a pipe, orders no memory accesses. */
	atomic_bool finished;
	int fence;
	struct fd_watch watch;
	bool busy; /* the thread has not finished */
	bool good;
	bool orphan; /* destroyed while busy */
	upload_done_func *done;
	void *data;
};

/* Runs on the thread. */
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
			if (atomic_load(&upload->cancelled)) {
				return false;
			}
		}
	}
	return !atomic_load(&upload->cancelled);
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
	/*
	 * Pages missing from the pool read as zeros; the client gets an error when the buffer is
	 * released.
	 */
	shm_hold_end(upload->hold);
	return good;
}

static bool run(struct worker_task *task)
{
	struct upload *upload = wl_container_of(task, upload, task);
	bool good = write_staging(upload);
	atomic_store(&upload->finished, true);
	return good;
}

static void free_upload(struct upload *upload)
{
	fd_watch_stop(&upload->watch);
	fd_close(&upload->fence);
	wl_list_remove(&upload->link);
	render_staging_destroy(upload->staging);
	account_uncharge(upload->account, ACCOUNT_PIXELS, upload->charged);
	account_unref(upload->account);
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
	} while (!atomic_load(&upload->finished));
}

static void handle_fence(void *data)
{
	struct upload *upload = data;
	upload->good = atomic_load(&upload->finished) && fence_status(upload->fence) == 1;
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
	struct content_device *self = content_device_from(device);
	if (!self->worker) {
		self->worker = worker_create();
	}
	upload->fence =
		self->worker && device->clock ? worker_push(self->worker, &upload->task) : -1;
	if (upload->fence < 0) {
		return false;
	}
	wl_list_insert(&self->uploads, &upload->link);
	upload->busy = true;
	fd_watch_start(&upload->watch, loop, device->clock, upload->fence, handle_fence, upload);
	return true;
}

struct upload *upload_create(struct render_device *device, struct wl_event_loop *loop,
	struct account *account, struct buffer *buffer, const pixman_region32_t *region,
	upload_done_func *done, void *data)
{
	struct box box = region_extents(region);
	size_t pixel = pixel_format_get(buffer->format)->bytes[0];
	int64_t bytes = (int64_t)box.width * box.height * (int64_t)pixel;
	struct render_staging *staging = NULL;
	if (account_charge(account, ACCOUNT_PIXELS, bytes)) {
		staging = renderer_staging_create(device->renderer, buffer->format, &box);
	}
	if (!staging) {
		account_uncharge(account, ACCOUNT_PIXELS, bytes);
		return NULL;
	}
	struct upload *upload = xcalloc(1, sizeof(*upload));
	const void *from;
	wl_list_init(&upload->link);
	upload->task.run = run;
	upload->buffer = buffer_lock(buffer);
	upload->hold = shm_buffer_hold(buffer, &from, &upload->stride);
	upload->from = from;
	upload->pixel = pixel;
	upload->account = account_ref(account);
	upload->charged = bytes;
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
	atomic_store(&upload->cancelled, true);
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
	wl_list_for_each_safe (upload, next, &content_device_from(device)->uploads, link) {
		wait_for_thread(upload);
		free_upload(upload);
	}
}
