/* SPDX-License-Identifier: MIT */
/*
 * wp_linux_drm_syncobj: explicit synchronization of buffers by acquire and release points of
 * timelines.
 */

#include "gpu/gpu.h"
#include "gpu/timeline.h"
#include "linux-drm-syncobj-v1-protocol.h"
#include "protocol/client/client_fd.h"
#include "protocol/surface/surface_object.h"
#include "surface/transaction.h"
#include "syncobj_point.h"
#include "util/error.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>

/**
 * Timelines are imported through a device that drives outputs; any will do, since timelines are not
 * tied to a device. If it is unplugged, they move to another one.
 */
struct syncobj {
	struct protocols *protocols;
	struct gpu *gpu; /* owner of `device`; NULL: none */
	struct timeline_device *device;
	struct wl_global *global; /* NULL while there is no device */
	struct wl_listener gpu_gone, gpus_changed, destroy;
};

struct syncobj_surface {
	struct surface_object base;
	struct syncobj_point acquire, release; /* of the next commit */
	struct wl_listener commit;
};

/* wp_linux_drm_syncobj_timeline_v1 */

static const struct wp_linux_drm_syncobj_timeline_v1_interface timeline_implementation = {
	.destroy = resource_handle_destroy,
};

static void destroy_timeline(struct wl_resource *resource)
{
	timeline_unref(wl_resource_get_user_data(resource));
}

/* wp_linux_drm_syncobj_surface_v1 */

static void set_point(struct wl_resource *resource, struct syncobj_point *point,
	struct wl_resource *timeline_resource, uint32_t hi, uint32_t lo)
{
	struct timeline *timeline = wl_resource_get_user_data(timeline_resource);
	if (!surface_object_surface(resource)) {
		return;
	}
	syncobj_point_unset(point);
	*point = (struct syncobj_point){timeline_ref(timeline), (uint64_t)hi << 32 | lo};
}

static void handle_set_acquire_point(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *timeline, uint32_t hi, uint32_t lo)
{
	struct syncobj_surface *object = wl_resource_get_user_data(resource);
	set_point(resource, &object->acquire, timeline, hi, lo);
}

static void handle_set_release_point(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *timeline, uint32_t hi, uint32_t lo)
{
	struct syncobj_surface *object = wl_resource_get_user_data(resource);
	set_point(resource, &object->release, timeline, hi, lo);
}

static const struct wp_linux_drm_syncobj_surface_v1_interface requests = {
	.destroy = resource_handle_destroy,
	.set_acquire_point = handle_set_acquire_point,
	.set_release_point = handle_set_release_point,
};

static void handle_commit(struct wl_listener *listener, void *data)
{
	struct syncobj_surface *object = wl_container_of(listener, object, commit);
	struct update *update = data;
	if (object->release.timeline) {
		/*
		 * The release point comes first: a broken acquire fence removes the buffer from the
		 * update.
		 */
		struct wl_client *client = wl_resource_get_client(object->base.resource);
		syncobj_point_signal_released(
			client_protocols(client), update->state.buffer, &object->release);
		syncobj_point_await(update, &object->acquire);
	}
}

static bool check_points(const struct syncobj_surface *object, struct buffer *buffer)
{
	const struct syncobj_point *acquire = &object->acquire, *release = &object->release;
	if (!buffer) {
		if (acquire->timeline || release->timeline) {
			wl_resource_post_error(object->base.resource,
				WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_BUFFER,
				"timeline points are set without a buffer");
			return false;
		}
		return true;
	}
	if (!buffer_dmabuf(buffer) && !buffer->placeholder) {
		wl_resource_post_error(object->base.resource,
			WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_UNSUPPORTED_BUFFER,
			"explicit synchronization requires a dma-buf");
		return false;
	}
	if (!acquire->timeline) {
		wl_resource_post_error(object->base.resource,
			WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_ACQUIRE_POINT,
			"a buffer is attached without an acquire point");
		return false;
	}
	if (!release->timeline) {
		wl_resource_post_error(object->base.resource,
			WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_RELEASE_POINT,
			"a buffer is attached without a release point");
		return false;
	}
	if (acquire->timeline == release->timeline && acquire->value >= release->value) {
		wl_resource_post_error(object->base.resource,
			WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_CONFLICTING_POINTS,
			"the release point must be after the acquire point");
		return false;
	}
	return true;
}

static void init(struct surface_object *base)
{
	struct syncobj_surface *object = wl_container_of(base, object, base);
	signal_add(&base->surface->events.commit, &object->commit, handle_commit);
}

static void leave(struct surface_object *base)
{
	struct syncobj_surface *object = wl_container_of(base, object, base);
	wl_list_remove(&object->commit.link);
	syncobj_point_unset(&object->acquire);
	syncobj_point_unset(&object->release);
}

static const struct surface_object_kind kind = {
	.interface = &wp_linux_drm_syncobj_surface_v1_interface,
	.requests = &requests,
	.size = sizeof(struct syncobj_surface),
	.exists_error = WP_LINUX_DRM_SYNCOBJ_MANAGER_V1_ERROR_SURFACE_EXISTS,
	.inert = SURFACE_OBJECT_POSTS_ERROR,
	.inert_error = WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_SURFACE,
	.init = init,
	.leave = leave,
};

bool syncobj_check_commit(struct surface *surface)
{
	struct surface_object *base = surface_object_find(surface, &kind);
	if (!base) {
		return true;
	}
	const struct syncobj_surface *object = wl_container_of(base, object, base);
	struct surface_state *pending = &surface->pending;
	struct buffer *buffer = pending->fields & SURFACE_BUFFER ? pending->buffer : NULL;
	if (!check_points(object, buffer)) {
		return false;
	}
	if (buffer) {
		pending->fields |= SURFACE_EXPLICIT_SYNC;
	}
	return true;
}

/* wp_linux_drm_syncobj_manager_v1 */

static void handle_get_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface_resource)
{
	surface_object_create(&kind, resource, id, surface_resource);
}

static void handle_import_timeline(
	struct wl_client *client, struct wl_resource *resource, uint32_t id, int fd)
{
	const struct syncobj *syncobj = wl_resource_get_user_data(resource);
	struct timeline *timeline = NULL;
	/*
	 * The kernel checks the type of the file first (drm_syncobj_fd_to_handle()), so an import
	 * never blocks.
	 */
	int error = syncobj->device ? timeline_import(syncobj->device, fd,
					      client_from_wl(client)->gpu, &timeline)
				    : -ENODEV;
	if (error < 0) {
		client_fd_close(client, fd);
	}
	if (error == -ENODEV) {
		timeline = timeline_create_lost(); /* the client is not at fault */
	} else if (error_may_pass(error)) {
		wl_resource_post_no_memory(resource);
		return;
	} else if (error < 0) {
		wl_resource_post_error(resource,
			WP_LINUX_DRM_SYNCOBJ_MANAGER_V1_ERROR_INVALID_TIMELINE,
			"cannot import a timeline: the descriptor must be a DRM syncobj");
		return;
	}
	if (!resource_create(client, &wp_linux_drm_syncobj_timeline_v1_interface,
		    wl_resource_get_version(resource), id, &timeline_implementation, timeline,
		    destroy_timeline)) {
		timeline_unref(timeline);
		return;
	}
	timeline_charge(timeline, client_from_wl(client)->account);
}

static const struct wp_linux_drm_syncobj_manager_v1_interface implementation = {
	.destroy = resource_handle_destroy,
	.get_surface = handle_get_surface,
	.import_timeline = handle_import_timeline,
};

/* The device */

static void drop_device(struct syncobj *syncobj)
{
	if (syncobj->gpu) {
		wl_list_remove(&syncobj->gpu_gone.link);
		timeline_device_destroy(syncobj->device);
		syncobj->gpu = NULL;
		syncobj->device = NULL;
	}
}

static bool use_device(struct syncobj *syncobj, struct gpu *gpu)
{
	struct timeline_device *device = gpu && !gpu->gone ? timeline_device_create(gpu) : NULL;
	if (!device) {
		return false;
	}
	syncobj->device = device;
	syncobj->gpu = gpu;
	wl_signal_add(&gpu->events.gone, &syncobj->gpu_gone);
	return true;
}

/*
 * Finds the device. The global stays advertised: timelines may later be imported through another
 * device.
 */
static void find_device(struct syncobj *syncobj)
{
	if (syncobj->device ||
		!use_device(syncobj, server_display_gpu(syncobj->protocols->server))) {
		return;
	}
	if (!syncobj->global) {
		syncobj->global = protocols_add_global(syncobj->protocols,
			&wp_linux_drm_syncobj_manager_v1_interface, 1, &implementation, syncobj,
			GLOBAL_PUBLIC);
	}
}

static void handle_gpu_gone(struct wl_listener *listener, void *data)
{
	struct syncobj *syncobj = wl_container_of(listener, syncobj, gpu_gone);
	struct server *server = syncobj->protocols->server;
	struct timeline_device *device = syncobj->device;
	struct gpu *gone = syncobj->gpu, *gpu;
	wl_list_remove(&syncobj->gpu_gone.link);
	syncobj->device = NULL;
	syncobj->gpu = NULL;
	/* Programs of other GPUs go on. */
	bool found = use_device(syncobj, server_display_gpu(server));
	wl_list_for_each (gpu, &server->gpus->gpus, link) {
		found = found || use_device(syncobj, gpu);
	}
	timeline_device_replace(device, syncobj->device, gone);
	timeline_device_destroy(device);
}

static void handle_gpus_changed(struct wl_listener *listener, void *data)
{
	struct syncobj *syncobj = wl_container_of(listener, syncobj, gpus_changed);
	find_device(syncobj);
}

static void handle_protocols_destroy(struct wl_listener *listener, void *data)
{
	struct syncobj *syncobj = wl_container_of(listener, syncobj, destroy);
	drop_device(syncobj);
	wl_list_remove(&syncobj->gpus_changed.link);
	wl_list_remove(&syncobj->destroy.link);
	free(syncobj);
}

void linux_drm_syncobj_create(struct protocols *protocols)
{
	struct syncobj *syncobj = xcalloc(1, sizeof(*syncobj));
	syncobj->protocols = protocols;
	syncobj->gpu_gone.notify = handle_gpu_gone;
	signal_add(&protocols->server->gpus->events.changed, &syncobj->gpus_changed,
		handle_gpus_changed);
	signal_add(&protocols->events.destroy, &syncobj->destroy, handle_protocols_destroy);
	find_device(syncobj);
}
