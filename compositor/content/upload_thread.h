/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Deferred upload: a thread copies a region of a client's shm to staging memory, converted to RGB
 * if the renderer lacks its format, so that frames are not delayed.
 */

#include "render/render.h"

struct account;
struct render_device;
struct surface_state;
struct upload;

/** Called once on the event loop, when the thread has finished. */
typedef void upload_done_func(void *data);

/**
 * Starts to upload `region` of an shm buffer, which stays locked until the upload is destroyed.
 * The staging memory is charged to `account` (NULL: none) until it is freed. Returns NULL if there
 * is no staging memory or thread, if the account is closed, or if the buffer is not staged.
 */
struct upload *upload_create(struct render_device *device, struct wl_event_loop *loop,
	struct account *account, struct buffer *buffer, struct color_coding coding,
	const pixman_region32_t *region, upload_done_func *done, void *data);
/** Destroys the upload. If the thread is busy, cancels it without waiting. NULL is legal. */
void upload_destroy(struct upload *upload);
struct buffer *upload_buffer(const struct upload *upload);
/** Returns whether the upload has the pixels of the state: of its buffer, in its colours. */
bool upload_is_of(const struct upload *upload, const struct surface_state *state);
/** Returns the region to be uploaded; owned by the upload. */
const pixman_region32_t *upload_region(const struct upload *upload);
/** Removes `region` from the upload, because its pixels have changed. */
void upload_drop(struct upload *upload, const pixman_region32_t *region);
/** Applies a finished upload to the texture. Returns false if the upload failed. */
bool upload_apply(struct upload *upload, struct texture **texture);
/**
 * Waits for the thread to finish all uploads, and frees them. Call it before the renderer is
 * destroyed.
 */
void upload_finish_all(struct render_device *device);
