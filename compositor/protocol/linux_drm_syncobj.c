/* wp_linux_drm_syncobj: clients say by points of timelines when a buffer is drawn, and hear so when it is free. */

#include "gpu/timeline.h"
#include "linux-drm-syncobj-v1-protocol.h"
#include "protocol.h"
#include "surface/surface.h"
#include "surface/transaction.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 1

/** Through which device timelines are imported, any that the screens use: they belong to none. */
struct syncobj {
	struct protocols *protocols;
	struct gpu *gpu; /* that `device` is of; NULL: there is none */
	struct timeline_device *device;
	struct wl_global *global; /* NULL while there is no device */
	struct wl_listener gpu_gone, gpus_changed, destroy;
};

struct point {
	struct timeline *timeline; /* referenced; NULL: not set */
	uint64_t value;
};

struct syncobj_surface {
	struct syncobj *syncobj;
	struct wl_resource *resource;
	struct surface *surface; /* NULL: gone */
	struct point acquire, release; /* of the next commit */
	struct wl_listener surface_destroy, surface_commit;
};

static void handle_destroy_request(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static void point_unset(struct point *point)
{
	timeline_unref(point->timeline);
	*point = (struct point){0};
}

/* Acquire points */

/** Waits for a point to get a fence; the fence is then another blocker. */
struct acquire {
	struct blocker base;
	struct point point;
	struct wl_event_source *source;
	int event;
};

static void destroy_acquire(struct blocker *base)
{
	struct acquire *acquire = wl_container_of(base, acquire, base);
	wl_event_source_remove(acquire->source);
	fd_close(&acquire->event);
	point_unset(&acquire->point);
	free(acquire);
}

static const struct blocker_impl acquire_impl = {.destroy = destroy_acquire};

/* False while the point has no fence. What else goes wrong is as if it had signalled. */
static bool wait_for_fence(struct update *update, const struct point *point)
{
	int fence = timeline_export_point(point->timeline, point->value);
	if (fence == -EINVAL) {
		return false;
	}
	if (fence < 0 || !update_wait_fd(update, fence, WL_EVENT_READABLE)) {
		log_debug(LOG_SURFACE, "an acquire point cannot be waited for");
	}
	return true;
}

static int handle_available(int fd, uint32_t mask, void *data)
{
	struct acquire *acquire = data;
	wait_for_fence(acquire->base.update, &acquire->point);
	blocker_clear(&acquire->base);
	return 0;
}

/* Takes the point over. */
static void wait_for_point(struct update *update, struct point *point)
{
	if (wait_for_fence(update, point)) {
		point_unset(point);
		return;
	}
	int event = timeline_watch_point(point->timeline, point->value);
	if (event < 0) {
		log_warn("an acquire point cannot be waited for: %s", strerror(-event));
		point_unset(point);
		return;
	}
	struct acquire *acquire = xcalloc(1, sizeof(*acquire));
	acquire->point = *point;
	*point = (struct point){0};
	acquire->event = event;
	acquire->source = wl_event_loop_add_fd(
		update->surface->loop, event, WL_EVENT_READABLE, handle_available, acquire);
	if (!acquire->source) {
		fd_close(&acquire->event);
		point_unset(&acquire->point);
		free(acquire);
		return;
	}
	blocker_init(&acquire->base, &acquire_impl, update, SURFACE_BUFFER);
}

/* Release points */

/** Signals a point when nobody holds the buffer any more and what was begun on it has ended. */
struct release {
	struct protocols *protocols; /* NULL once that is gone */
	struct buffer *buffer;
	struct point point;
	struct wl_listener buffer_release, buffer_destroy, protocols_destroy;
};

/* Takes both fences over. */
static int join(int a, int b)
{
	if (a < 0 || b < 0) {
		return a < 0 ? b : a;
	}
	int both = fence_merge(a, b);
	fd_close(&b);
	if (both < 0) {
		return a;
	}
	fd_close(&a);
	return both;
}

/* Drivers that leave no fence of our reading in the buffer: the frames under way may do it. */
static int find_frames(const struct protocols *protocols)
{
	int fence = -1;
	for (int i = 0; i < SCENE_MAX_OUTPUTS; i++) {
		struct scene_output *output = protocols->server->scene->outputs[i];
		const struct frame_output *frame = output ? frame_output_find(output) : NULL;
		if (frame && frame->fence >= 0 && fence_status(frame->fence) == 0) {
			fence = join(fence, fd_dup(frame->fence));
		}
	}
	return fence;
}

/* What a writer of the buffer has to wait for; -1: nothing. */
static int find_readers(const struct release *release)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(release->buffer);
	int fence = release->protocols ? find_frames(release->protocols) : -1;
	for (int i = 0; dmabuf && i < dmabuf->n_planes; i++) {
		fence = join(fence, fence_export_dmabuf(dmabuf->fd[i], true));
	}
	return fence;
}

static void finish(struct release *release)
{
	int fence = find_readers(release);
	int error = timeline_signal_point(release->point.timeline, release->point.value, fence);
	if (error < 0) {
		log_debug(LOG_SURFACE, "a release point cannot be signalled: %s", strerror(-error));
	}
	fd_close(&fence);
	wl_list_remove(&release->buffer_release.link);
	wl_list_remove(&release->buffer_destroy.link);
	wl_list_remove(&release->protocols_destroy.link);
	point_unset(&release->point);
	free(release);
}

static void handle_buffer_release(struct wl_listener *listener, void *data)
{
	struct release *release = wl_container_of(listener, release, buffer_release);
	finish(release);
}

/* The client's wl_buffer went first: there is no release any more. */
static void handle_buffer_destroy(struct wl_listener *listener, void *data)
{
	struct release *release = wl_container_of(listener, release, buffer_destroy);
	finish(release);
}

static void handle_protocols_gone(struct wl_listener *listener, void *data)
{
	struct release *release = wl_container_of(listener, release, protocols_destroy);
	release->protocols = NULL;
	wl_list_remove(&release->protocols_destroy.link);
	wl_list_init(&release->protocols_destroy.link);
}

/* A buffer that is committed again before it is free: its points on one timeline signal together. */
static struct release *find_release(struct buffer *buffer, const struct timeline *timeline)
{
	struct wl_listener *listener;
	wl_list_for_each (listener, &buffer->events.release.listener_list, link) {
		struct release *release = wl_container_of(listener, release, buffer_release);
		if (listener->notify == handle_buffer_release &&
			release->point.timeline == timeline) {
			return release;
		}
	}
	return NULL;
}

/* Takes the point over. */
static void signal_when_released(
	struct protocols *protocols, struct buffer *buffer, struct point *point)
{
	struct release *release = find_release(buffer, point->timeline);
	if (release) {
		if (release->point.value < point->value) {
			release->point.value = point->value;
		}
		point_unset(point);
		return;
	}
	release = xcalloc(1, sizeof(*release));
	release->protocols = protocols;
	release->buffer = buffer;
	release->point = *point;
	*point = (struct point){0};
	release->buffer_release.notify = handle_buffer_release;
	wl_signal_add(&buffer->events.release, &release->buffer_release);
	release->buffer_destroy.notify = handle_buffer_destroy;
	wl_signal_add(&buffer->events.destroy, &release->buffer_destroy);
	release->protocols_destroy.notify = handle_protocols_gone;
	wl_signal_add(&protocols->events.destroy, &release->protocols_destroy);
}

/* wp_linux_drm_syncobj_timeline_v1 */

static const struct wp_linux_drm_syncobj_timeline_v1_interface timeline_implementation = {
	.destroy = handle_destroy_request,
};

static void destroy_timeline(struct wl_resource *resource)
{
	timeline_unref(wl_resource_get_user_data(resource));
}

/* wp_linux_drm_syncobj_surface_v1 */

static void set_point(struct wl_resource *resource, struct point *point,
	struct wl_resource *timeline_resource, uint32_t hi, uint32_t lo)
{
	const struct syncobj_surface *object = wl_resource_get_user_data(resource);
	struct timeline *timeline = wl_resource_get_user_data(timeline_resource);
	if (!object->surface) {
		wl_resource_post_error(resource, WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_SURFACE,
			"the surface of this object is gone");
		return;
	}
	point_unset(point);
	*point = (struct point){timeline_ref(timeline), (uint64_t)hi << 32 | lo};
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

static const struct wp_linux_drm_syncobj_surface_v1_interface surface_implementation = {
	.destroy = handle_destroy_request,
	.set_acquire_point = handle_set_acquire_point,
	.set_release_point = handle_set_release_point,
};

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct syncobj_surface *object = wl_container_of(listener, object, surface_destroy);
	wl_list_remove(&object->surface_destroy.link);
	wl_list_remove(&object->surface_commit.link);
	object->surface = NULL;
}

static void handle_surface_commit(struct wl_listener *listener, void *data)
{
	struct syncobj_surface *object = wl_container_of(listener, object, surface_commit);
	struct update *update = data;
	if (object->release.timeline) {
		/* First: a broken fence takes the buffer from the update. */
		signal_when_released(
			object->syncobj->protocols, update->state.buffer, &object->release);
		wait_for_point(update, &object->acquire);
	}
}

static bool check_points(const struct syncobj_surface *object, struct buffer *buffer)
{
	const struct point *acquire = &object->acquire, *release = &object->release;
	if (!buffer) {
		if (acquire->timeline || release->timeline) {
			wl_resource_post_error(object->resource,
				WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_BUFFER,
				"points without a buffer");
			return false;
		}
		return true;
	}
	if (!buffer_dmabuf(buffer)) {
		wl_resource_post_error(object->resource,
			WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_UNSUPPORTED_BUFFER,
			"the buffer is no dma-buf");
		return false;
	}
	if (!acquire->timeline) {
		wl_resource_post_error(object->resource,
			WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_ACQUIRE_POINT,
			"a buffer without an acquire point");
		return false;
	}
	if (!release->timeline) {
		wl_resource_post_error(object->resource,
			WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_RELEASE_POINT,
			"a buffer without a release point");
		return false;
	}
	if (acquire->timeline == release->timeline && acquire->value >= release->value) {
		wl_resource_post_error(object->resource,
			WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_CONFLICTING_POINTS,
			"the release point does not come after the acquire point");
		return false;
	}
	return true;
}

bool syncobj_check_commit(struct surface *surface)
{
	struct wl_listener *listener =
		wl_signal_get(&surface->events.destroy, handle_surface_destroy);
	if (!listener) {
		return true;
	}
	struct syncobj_surface *object = wl_container_of(listener, object, surface_destroy);
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

static void destroy_surface(struct wl_resource *resource)
{
	struct syncobj_surface *object = wl_resource_get_user_data(resource);
	if (object->surface) {
		handle_surface_destroy(&object->surface_destroy, NULL);
	}
	point_unset(&object->acquire);
	point_unset(&object->release);
	free(object);
}

/* wp_linux_drm_syncobj_manager_v1 */

static void handle_get_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface_resource)
{
	struct surface *surface = surface_from_resource(surface_resource);
	if (wl_signal_get(&surface->events.destroy, handle_surface_destroy)) {
		wl_resource_post_error(resource,
			WP_LINUX_DRM_SYNCOBJ_MANAGER_V1_ERROR_SURFACE_EXISTS,
			"wl_surface@%u has such an object already",
			wl_resource_get_id(surface_resource));
		return;
	}
	struct wl_resource *created = wl_resource_create(client,
		&wp_linux_drm_syncobj_surface_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	struct syncobj_surface *object = xcalloc(1, sizeof(*object));
	object->syncobj = wl_resource_get_user_data(resource);
	object->resource = created;
	object->surface = surface;
	object->surface_destroy.notify = handle_surface_destroy;
	wl_signal_add(&surface->events.destroy, &object->surface_destroy);
	object->surface_commit.notify = handle_surface_commit;
	wl_signal_add(&surface->events.commit, &object->surface_commit);
	wl_resource_set_implementation(created, &surface_implementation, object, destroy_surface);
}

static void handle_import_timeline(
	struct wl_client *client, struct wl_resource *resource, uint32_t id, int fd)
{
	const struct syncobj *syncobj = wl_resource_get_user_data(resource);
	struct timeline *timeline = syncobj->device ? timeline_import(syncobj->device, fd) : NULL;
	fd_close(&fd);
	if (!timeline) {
		wl_resource_post_error(resource,
			WP_LINUX_DRM_SYNCOBJ_MANAGER_V1_ERROR_INVALID_TIMELINE,
			"the descriptor is no sync object that can be imported");
		return;
	}
	struct wl_resource *created = wl_resource_create(client,
		&wp_linux_drm_syncobj_timeline_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		timeline_unref(timeline);
		wl_resource_post_no_memory(resource);
		return;
	}
	wl_resource_set_implementation(
		created, &timeline_implementation, timeline, destroy_timeline);
}

static const struct wp_linux_drm_syncobj_manager_v1_interface implementation = {
	.destroy = handle_destroy_request,
	.get_surface = handle_get_surface,
	.import_timeline = handle_import_timeline,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource = wl_resource_create(
		client, &wp_linux_drm_syncobj_manager_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &implementation, data, NULL);
}

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

/* Once it is advertised it stays so: timelines may then be imported elsewhere. */
static void find_device(struct syncobj *syncobj)
{
	struct gpu *gpu = server_display_gpu(syncobj->protocols->server);
	if (syncobj->device || !gpu) {
		return;
	}
	syncobj->device = timeline_device_create(gpu);
	if (!syncobj->device) {
		return;
	}
	syncobj->gpu = gpu;
	wl_signal_add(&gpu->events.gone, &syncobj->gpu_gone);
	if (!syncobj->global) {
		syncobj->global = protocols_add_global(syncobj->protocols,
			&wp_linux_drm_syncobj_manager_v1_interface, VERSION, syncobj, bind,
			GLOBAL_PUBLIC);
	}
}

static void handle_gpu_gone(struct wl_listener *listener, void *data)
{
	struct syncobj *syncobj = wl_container_of(listener, syncobj, gpu_gone);
	drop_device(syncobj);
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
	syncobj->gpus_changed.notify = handle_gpus_changed;
	wl_signal_add(&protocols->server->gpus.events.changed, &syncobj->gpus_changed);
	syncobj->destroy.notify = handle_protocols_destroy;
	wl_signal_add(&protocols->events.destroy, &syncobj->destroy);
	find_device(syncobj);
}
