/* SPDX-License-Identifier: MIT */
/* Upload thread: copies client shm to staging memory, converted to RGB if necessary. */

#include "upload_thread.h"
#include "buffer/shm.h"
#include "content/device.h"
#include "gpu/format.h"
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

/* Pixels between two checks for cancellation. */
#define CHUNK_PIXELS (64 * 1024)

struct upload {
	struct worker_task task;
	struct wl_list link; /* content_device.uploads, until the thread has finished */
	struct buffer *buffer; /* locked */
	struct color_coding coding; /* of its pixels */
	struct shm_hold *hold;
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
static bool write_rect(struct upload *upload, const pixman_box32_t *rect)
{
	const int32_t rows = CHUNK_PIXELS / (rect->x2 - rect->x1) + 1;
	pixman_box32_t band = *rect;
	while (band.y1 < rect->y2 && !atomic_load(&upload->cancelled)) {
		band.y2 = rect->y2 - band.y1 > rows ? band.y1 + rows : rect->y2;
		render_staging_write(upload->staging, &band);
		band.y1 = band.y2;
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
		good = write_rect(upload, &rects[i]);
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
	struct account *account, struct buffer *buffer, struct color_coding coding,
	const pixman_region32_t *region, upload_done_func *done, void *data)
{
	struct box box = region_extents(region);
	const uint32_t format = renderer_staging_format(device->renderer, buffer);
	if (format == 0) {
		return NULL;
	}
	struct upload *upload = xcalloc(1, sizeof(*upload));
	struct render_source source = {.coding = coding};
	wl_list_init(&upload->link);
	upload->task.run = run;
	upload->fence = -1;
	upload->buffer = buffer_lock(buffer);
	upload->coding = coding;
	upload->hold = shm_buffer_hold(buffer, &source.data, &source.stride);
	upload->account = account_ref(account);
	upload->charged = (int64_t)box.width * box.height * pixel_format_get(format)->bytes[0];
	pixman_region32_init(&upload->written);
	pixman_region32_init(&upload->region);
	pixman_region32_copy(&upload->written, (pixman_region32_t *)region);
	pixman_region32_copy(&upload->region, (pixman_region32_t *)region);
	upload->done = done;
	upload->data = data;
	if (account_charge(account, ACCOUNT_PIXELS, upload->charged)) {
		upload->staging = renderer_staging_create(device->renderer, buffer, &source, &box);
	}
	if (!upload->staging || !start(upload, device, loop)) {
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

bool upload_is_of(const struct upload *upload, const struct surface_state *state)
{
	return upload->buffer == state->buffer &&
	       (!pixel_format_get(upload->buffer->format)->yuv ||
		       color_coding_equal(upload->coding, state->coding));
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
