#pragma once

/**
 * An upload beside the frames: a thread writes what is due of a client's shared memory to staging, so that
 * no frame stands still for it.
 */

#include "render/render.h"

struct render_device;
struct upload;

/** Called on the event loop, once, when the thread is done. */
typedef void upload_done_func(void *data);

/**
 * `region` of an shm buffer, which stays locked until the upload is destroyed. NULL if there is no staging
 * or no thread to be had.
 */
struct upload *upload_create(struct render_device *device, struct wl_event_loop *loop,
	struct buffer *buffer, const pixman_region32_t *region, upload_done_func *done, void *data);
/** Also while the thread is at it, who gives up then; nobody waits for that. NULL is legal. */
void upload_destroy(struct upload *upload);
struct buffer *upload_buffer(const struct upload *upload);
/** What it will have brought; owned by it. */
const pixman_region32_t *upload_region(const struct upload *upload);
/** These pixels are wanted of it no more. */
void upload_drop(struct upload *upload, const pixman_region32_t *region);
/** Once it is done: makes the texture have what it brought. False if it brought nothing. */
bool upload_apply(struct upload *upload, struct texture **texture);
/** Waits for the thread to have given up whatever is left: before the renderer goes. */
void upload_finish_all(struct render_device *device);
