/* SPDX-License-Identifier: MIT */
/* Emulated sync objects: handles, timelines and exported files. */

#include "state.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xf86drm.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define POINTS_MAX 64
#define WATCHES_MAX 256

/**
 * Timeline shared by the files of a sync object. Freed by fake_reset_all(), since descriptors may
 * exist in any process.
 */
struct fake_timeline {
	struct wl_list link;
	int fd;
	ino_t inode;
	struct {
		uint64_t value;
		struct fake_fence *fence; /* merged with the fences of earlier points */
	} points[POINTS_MAX]; /* ascending */
	size_t n_points;
	struct {
		uint64_t value;
		int event;
	} watches[WATCHES_MAX];
	size_t n_watches;
};

static struct wl_list timelines = {&timelines, &timelines};

static struct fake_timeline *create(void)
{
	struct fake_timeline *timeline = calloc(1, sizeof(*timeline));
	struct stat stat;

	assert(timeline);
	timeline->fd = memfd_create("fake-syncobj", MFD_CLOEXEC);
	assert(timeline->fd >= 0 && fstat(timeline->fd, &stat) == 0);
	timeline->inode = stat.st_ino;
	wl_list_insert(&timelines, &timeline->link);
	return timeline;
}

static struct fake_timeline *find(int fd)
{
	struct fake_timeline *timeline;
	struct stat stat;

	if (fstat(fd, &stat) < 0) {
		return NULL;
	}
	wl_list_for_each (timeline, &timelines, link) {
		if (timeline->inode == stat.st_ino) {
			return timeline;
		}
	}
	return NULL;
}

void fake_timelines_forget(void)
{
	struct fake_timeline *timeline, *next;

	wl_list_for_each_safe (timeline, next, &timelines, link) {
		for (size_t i = 0; i < timeline->n_watches; i++) {
			close(timeline->watches[i].event);
		}
		close(timeline->fd);
		free(timeline);
	}
	wl_list_init(&timelines);
}

static struct fake_syncobj *lookup(struct fake_file *file, uint32_t handle)
{
	return handle < COUNT(file->syncobjs) && file->syncobjs[handle].used
		       ? &file->syncobjs[handle]
		       : NULL;
}

static struct fake_timeline *timeline_of(struct fake_syncobj *syncobj)
{
	if (!syncobj->timeline) {
		syncobj->timeline = create();
	}
	return syncobj->timeline;
}

/* Returns the fence of the point or of the first one after it; NULL: none yet. */
static struct fake_fence *find_fence(const struct fake_timeline *timeline, uint64_t value)
{
	for (size_t i = 0; i < timeline->n_points; i++) {
		if (timeline->points[i].value >= value) {
			return timeline->points[i].fence;
		}
	}
	return NULL;
}

static void signal_watches(struct fake_timeline *timeline)
{
	size_t kept = 0;

	for (size_t i = 0; i < timeline->n_watches; i++) {
		uint64_t one = 1;

		if (find_fence(timeline, timeline->watches[i].value)) {
			assert(write(timeline->watches[i].event, &one, sizeof(one)) == sizeof(one));
			close(timeline->watches[i].event);
		} else {
			timeline->watches[kept++] = timeline->watches[i];
		}
	}
	timeline->n_watches = kept;
}

/* Forgets points that signalled before another one did. Returns the number of the others. */
static size_t prune(struct fake_timeline *timeline)
{
	size_t n = timeline->n_points, first = 0;

	while (first + 1 < n && timeline->points[first + 1].fence->status != 0) {
		first++;
	}
	memmove(timeline->points, timeline->points + first,
		(n - first) * sizeof(*timeline->points));
	return timeline->n_points = n - first;
}

/* The kernel only logs points that do not ascend; the emulator refuses them. */
static int add_point(struct fake_timeline *timeline, uint64_t value, struct fake_fence *fence)
{
	size_t n = timeline->n_points;

	if (n > 0 && timeline->points[n - 1].value >= value) {
		return -EINVAL;
	}
	if (n == POINTS_MAX) {
		n = prune(timeline);
	}
	assert(n < POINTS_MAX);
	timeline->points[n].value = value;
	timeline->points[n].fence =
		n > 0 ? fake_fence_both(timeline->points[n - 1].fence, fence) : fence;
	timeline->n_points++;
	signal_watches(timeline);
	return 0;
}

static struct fake_fence *signalled(void)
{
	struct fake_fence *fence = fake_fence_new();

	fake_fence_set(fence, 1);
	return fence;
}

int fake_syncobj_create(struct fake_file *file, struct drm_syncobj_create *request)
{
	for (uint32_t i = 1; i < COUNT(file->syncobjs); i++) {
		if (!file->syncobjs[i].used) {
			file->syncobjs[i] = (struct fake_syncobj){.used = true};
			if (request->flags & DRM_SYNCOBJ_CREATE_SIGNALED) {
				file->syncobjs[i].fence = signalled();
			}
			request->handle = i;
			return 0;
		}
	}
	return -ENOMEM;
}

static int export(struct fake_syncobj *syncobj, struct drm_syncobj_handle *request)
{
	if (request->flags & DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE) {
		request->fd = syncobj->fence ? fake_fence_export(syncobj->fence) : -EINVAL;
	} else {
		request->fd = fcntl(timeline_of(syncobj)->fd, F_DUPFD_CLOEXEC, 0);
	}
	return request->fd < 0 ? request->fd : 0;
}

static int import_fence(struct fake_syncobj *syncobj, const struct drm_syncobj_handle *request)
{
	struct fake_fence *fence = fake_fence_find(request->fd);

	if (!fence) {
		return -EINVAL;
	}
	fake_fence_unref(syncobj->fence);
	syncobj->fence = fake_fence_ref(fence);
	return 0;
}

static int import_timeline(struct fake_file *file, struct drm_syncobj_handle *request)
{
	struct fake_timeline *timeline = find(request->fd);
	struct drm_syncobj_create created = {0};
	int error;

	if (!timeline) {
		return -EINVAL;
	}
	error = fake_syncobj_create(file, &created);
	if (error == 0) {
		file->syncobjs[created.handle].timeline = timeline;
		request->handle = created.handle;
	}
	return error;
}

struct fake_fence *fake_syncobj_fence(struct fake_file *file, uint32_t handle, uint64_t point)
{
	struct fake_syncobj *syncobj = lookup(file, handle);

	return !syncobj ? NULL : point ? find_fence(timeline_of(syncobj), point) : syncobj->fence;
}

int fake_syncobj_attach(
	struct fake_file *file, uint32_t handle, uint64_t point, struct fake_fence *fence)
{
	struct fake_syncobj *syncobj = lookup(file, handle);

	if (!syncobj) {
		return -ENOENT;
	}
	if (point) {
		return add_point(timeline_of(syncobj), point, fake_fence_ref(fence));
	}
	fake_fence_unref(syncobj->fence);
	syncobj->fence = fake_fence_ref(fence);
	return 0;
}

static int transfer(struct fake_file *file, const struct drm_syncobj_transfer *request)
{
	struct fake_syncobj *from = lookup(file, request->src_handle);
	struct fake_syncobj *to = lookup(file, request->dst_handle);
	struct fake_fence *fence =
		fake_syncobj_fence(file, request->src_handle, request->src_point);

	if (!from || !to) {
		return -ENOENT;
	}
	if (!fence || request->flags || request->pad) {
		return -EINVAL;
	}
	return fake_syncobj_attach(file, request->dst_handle, request->dst_point, fence);
}

static int watch(struct fake_file *file, const struct drm_syncobj_eventfd *request)
{
	struct fake_syncobj *syncobj = lookup(file, request->handle);
	struct fake_timeline *timeline;

	if (request->flags != DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE || request->pad) {
		return -EINVAL;
	}
	if (!syncobj) {
		return -ENOENT;
	}
	timeline = timeline_of(syncobj);
	assert(timeline->n_watches < WATCHES_MAX);
	timeline->watches[timeline->n_watches].value = request->point;
	timeline->watches[timeline->n_watches].event = fcntl(request->fd, F_DUPFD_CLOEXEC, 0);
	timeline->n_watches++;
	signal_watches(timeline);
	return 0;
}

static int signal_points(struct fake_file *file, const struct drm_syncobj_timeline_array *request)
{
	const uint32_t *handles = (const uint32_t *)(uintptr_t)request->handles;
	const uint64_t *points = (const uint64_t *)(uintptr_t)request->points;
	int error = 0;

	for (uint32_t i = 0; i < request->count_handles && error == 0; i++) {
		struct fake_syncobj *syncobj = lookup(file, handles[i]);

		error = syncobj ? add_point(timeline_of(syncobj), points[i], signalled()) : -ENOENT;
	}
	return error;
}

/* Returns the last signalled point. */
static int query(struct fake_file *file, const struct drm_syncobj_timeline_array *request)
{
	const uint32_t *handles = (const uint32_t *)(uintptr_t)request->handles;
	uint64_t *points = (uint64_t *)(uintptr_t)request->points;

	for (uint32_t i = 0; i < request->count_handles; i++) {
		struct fake_syncobj *syncobj = lookup(file, handles[i]);
		const struct fake_timeline *timeline;

		if (!syncobj) {
			return -ENOENT;
		}
		timeline = timeline_of(syncobj);
		points[i] = 0;
		for (size_t j = 0; j < timeline->n_points; j++) {
			if (timeline->points[j].fence->status != 0) {
				points[i] = timeline->points[j].value;
			}
		}
	}
	return 0;
}

/* Sets binary sync objects as signalled, or without a fence. */
static int set_all(struct fake_file *file, const struct drm_syncobj_array *request, bool signals)
{
	const uint32_t *handles = (const uint32_t *)(uintptr_t)request->handles;

	for (uint32_t i = 0; i < request->count_handles; i++) {
		struct fake_syncobj *syncobj = lookup(file, handles[i]);

		if (!syncobj) {
			return -ENOENT;
		}
		fake_fence_unref(syncobj->fence);
		syncobj->fence = signals ? signalled() : NULL;
	}
	return 0;
}

/* `points` may be NULL. Returns -ETIME after the deadline. */
static int wait_all(struct fake_file *file, const uint32_t *handles, const uint64_t *points,
	uint32_t n, uint32_t flags, int64_t deadline, uint32_t *first)
{
	uint32_t n_done;

	do {
		n_done = 0;
		for (uint32_t i = 0; i < n; i++) {
			struct fake_fence *fence =
				fake_syncobj_fence(file, handles[i], points ? points[i] : 0);
			bool may_come = flags & (DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
							DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE);

			if (!fence && (!may_come || !lookup(file, handles[i]))) {
				return lookup(file, handles[i]) ? -EINVAL : -ENOENT;
			}
			if (fence && (flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE ||
					     fence->status != 0)) {
				*first = i;
				n_done++;
			}
		}
		if (n_done >= (flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL ? n : 1)) {
			return 0;
		}
	} while (fake_wait_more(deadline > 0 ? (uint64_t)deadline : 0));
	return -ETIME;
}

static int wait_binary(struct fake_file *file, struct drm_syncobj_wait *wait)
{
	return wait_all(file, (const uint32_t *)(uintptr_t)wait->handles, NULL, wait->count_handles,
		wait->flags, wait->timeout_nsec, &wait->first_signaled);
}

static int wait_points(struct fake_file *file, struct drm_syncobj_timeline_wait *wait)
{
	return wait_all(file, (const uint32_t *)(uintptr_t)wait->handles,
		(const uint64_t *)(uintptr_t)wait->points, wait->count_handles, wait->flags,
		wait->timeout_nsec, &wait->first_signaled);
}

int fake_syncobj_ioctl(struct fake_file *file, unsigned nr, void *argument)
{
	struct drm_syncobj_handle *request = argument;
	struct fake_syncobj *syncobj;

	switch (nr) {
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TRANSFER): return transfer(file, argument);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_EVENTFD): return watch(file, argument);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL): return signal_points(file, argument);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_QUERY): return query(file, argument);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL): return set_all(file, argument, true);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET): return set_all(file, argument, false);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT): return wait_binary(file, argument);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT): return wait_points(file, argument);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE):
		if (!(request->flags & DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE)) {
			return import_timeline(file, request);
		}
		break;
	default: break;
	}
	syncobj = lookup(file, request->handle);
	if (!syncobj) {
		return -ENOENT;
	}
	switch (nr) {
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
		fake_fence_unref(syncobj->fence);
		*syncobj = (struct fake_syncobj){0};
		return 0;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD): return export(syncobj, request);
	default: return import_fence(syncobj, request);
	}
}
