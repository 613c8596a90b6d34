/* SPDX-License-Identifier: MIT */
/* wl_shm: pools of shared memory, and buffers in them. */

#include "buffer/shm.h"
#include "content/device.h"
#include "gpu/format.h"
#include "protocol/client/client_fd.h"
#include "protocol/protocol.h"
#include "render/render.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct shm_global {
	/** DRM fourcc codes supported by every renderer that may be in use. */
	uint32_t *formats;
	size_t n_formats;
	struct wl_listener destroy;
};

static bool has_format(struct wl_client *client, uint32_t format)
{
	const struct shm_global *shm = client_protocols(client)->shm;
	for (size_t i = 0; i < shm->n_formats; i++) {
		if (shm->formats[i] == format) {
			return true;
		}
	}
	return false;
}

/* wl_shm_pool */

static void handle_create_buffer(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, int32_t offset, int32_t width, int32_t height, int32_t stride,
	uint32_t shm_format)
{
	struct shm_pool *pool = wl_resource_get_user_data(resource);
	uint32_t format = pixel_format_from_shm(shm_format);
	if (!has_format(client, format)) {
		wl_resource_post_error(resource, WL_SHM_ERROR_INVALID_FORMAT,
			"format 0x%x was not advertised", shm_format);
		return;
	}
	const char *error = shm_buffer_check(pool, offset, width, height, stride, format);
	if (error) {
		wl_resource_post_error(resource, WL_SHM_ERROR_INVALID_STRIDE,
			"invalid buffer: size %dx%d, offset %d, stride %d in a pool of %d bytes: "
			"%s",
			width, height, offset, stride, shm_pool_size(pool), error);
		return;
	}
	buffer_resource_create(
		client, id, shm_buffer_create(pool, offset, width, height, stride, format));
}

static void handle_resize(struct wl_client *client, struct wl_resource *resource, int32_t size)
{
	struct shm_pool *pool = wl_resource_get_user_data(resource);
	int error = shm_pool_resize(pool, size);
	if (error < 0) {
		wl_resource_post_error(resource, WL_SHM_ERROR_INVALID_FD,
			"cannot resize the pool from %d to %d bytes: %s", shm_pool_size(pool), size,
			error == -EINVAL ? "pools can only grow" : strerror(-error));
	}
}

static const struct wl_shm_pool_interface pool_implementation = {
	.create_buffer = handle_create_buffer,
	.destroy = resource_handle_destroy,
	.resize = handle_resize,
};

static void destroy_pool(struct wl_resource *resource)
{
	struct shm_pool *pool = wl_resource_get_user_data(resource);
	shm_pool_unref(pool);
}

/* A pending pool, while its file is checked. */
struct opening {
	struct shm_pool *pool; /* referenced */
	struct wl_client *client;
	struct wl_resource *shm; /* NULL once destroyed; buffers may outlive it */
	struct client_fd_task *task;
	struct wl_listener client_destroy, shm_destroy;
};

static void destroy_opening(struct opening *opening)
{
	wl_list_remove(&opening->client_destroy.link);
	wl_list_remove(&opening->shm_destroy.link);
	shm_pool_unref(opening->pool);
	free(opening);
}

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct opening *opening = wl_container_of(listener, opening, client_destroy);
	client_fd_abandon(opening->task);
	destroy_opening(opening);
}

static void handle_shm_resource_destroy(struct wl_listener *listener, void *data)
{
	struct opening *opening = wl_container_of(listener, opening, shm_destroy);
	wl_list_remove(&opening->shm_destroy.link);
	wl_list_init(&opening->shm_destroy.link);
	opening->shm = NULL;
}

static void refuse(const struct opening *opening, const char *reason)
{
	static const char remedy[] = "use memfd_create() or a file in $XDG_RUNTIME_DIR";
	if (opening->shm) {
		wl_resource_post_error(opening->shm, WL_SHM_ERROR_INVALID_FD,
			"the pool's file %s: %s", reason, remedy);
	} else {
		wl_client_post_implementation_error(
			opening->client, "the pool's file %s: %s", reason, remedy);
	}
}

static void handle_vetted(void *owner, int fd)
{
	struct opening *opening = owner;
	struct wl_client *client = opening->client;
	int error = fd < 0 ? fd : shm_pool_open(opening->pool, fd);
	if (fd < 0) {
		refuse(opening, fd == -ETIMEDOUT ? "does not answer"
						 : "is not a regular file of a local file system");
	} else if (error < 0) {
		close(fd);
		refuse(opening, "cannot be mapped");
	}
	destroy_opening(opening);
	if (error < 0) {
		client_fd_disconnect(client);
	}
}

static struct shm_pool *create_pending(struct wl_resource *shm, int fd, int32_t size)
{
	struct wl_client *client = wl_resource_get_client(shm);
	struct shm_pool *pool = shm_pool_create_pending(size);
	if (!pool) {
		int error = errno;
		client_fd_close(client, fd);
		errno = error;
		return NULL;
	}
	struct opening *opening = xcalloc(1, sizeof(*opening));
	opening->task = client_fd_vet(client, fd, handle_vetted, opening);
	if (!opening->task) {
		free(opening);
		return pool; /* the client is being disconnected */
	}
	opening->pool = shm_pool_ref(pool);
	opening->client = client;
	opening->shm = shm;
	opening->shm_destroy.notify = handle_shm_resource_destroy;
	wl_resource_add_destroy_listener(shm, &opening->shm_destroy);
	opening->client_destroy.notify = handle_client_destroy;
	wl_client_add_destroy_listener(client, &opening->client_destroy);
	return pool;
}

/* wl_shm */

static void handle_create_pool(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	int32_t fd, int32_t size)
{
	if (size <= 0) {
		client_fd_close(client, fd);
		wl_resource_post_error(
			resource, WL_SHM_ERROR_INVALID_STRIDE, "invalid pool size %d", size);
		return;
	}
	struct shm_pool *pool =
		fd_is_memory(fd) ? shm_pool_create(fd, size) : create_pending(resource, fd, size);
	if (!pool) {
		wl_resource_post_error(resource, WL_SHM_ERROR_INVALID_FD,
			"cannot map %d bytes of the file: %s", size, strerror(errno));
		return;
	}
	shm_pool_charge(pool, client_from_wl(client)->account);
	if (!resource_create(client, &wl_shm_pool_interface, wl_resource_get_version(resource), id,
		    &pool_implementation, pool, destroy_pool)) {
		shm_pool_unref(pool);
	}
}

static const struct wl_shm_interface implementation = {
	.create_pool = handle_create_pool,
	.release = resource_handle_destroy,
};

static void bind(struct wl_resource *resource, void *data)
{
	struct shm_global *shm = data;
	wl_resource_set_implementation(resource, &implementation, shm, NULL);
	for (size_t i = 0; i < shm->n_formats; i++) {
		wl_shm_send_format(resource, pixel_format_to_shm(shm->formats[i]));
	}
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct shm_global *shm = wl_container_of(listener, shm, destroy);
	wl_list_remove(&shm->destroy.link);
	free(shm->formats);
	free(shm);
}

void wl_shm_create(struct protocols *protocols)
{
	const struct renderer *renderer = protocols->server->device->renderer;
	struct shm_global *shm = xcalloc(1, sizeof(*shm));
	shm->formats = xcalloc(renderer->n_shm_formats, sizeof(shm->formats[0]));
	for (size_t i = 0; i < renderer->n_shm_formats; i++) {
		const struct pixel_format *format = pixel_format_get(renderer->shm_formats[i]);
		if (format) {
			shm->formats[shm->n_formats++] = format->fourcc;
		}
	}
	signal_add(&protocols->events.destroy, &shm->destroy, handle_protocols_destroy);
	protocols->shm = shm;
	buffer_watch_create(protocols);
	protocols_add_custom_global(protocols, &wl_shm_interface, 2, bind, shm, GLOBAL_PUBLIC);
}
