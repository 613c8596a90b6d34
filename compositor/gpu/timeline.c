/* SPDX-License-Identifier: MIT */
/*
 * Timelines: the kernel's sync objects, imported, waited for and signalled through a device's node.
 */

#include "gpu/timeline.h"
#include "gpu/gpu.h"
#include "util/account.h"
#include "util/fd.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <xf86drm.h>

struct timeline_device {
	int fd;
	int refs; /* its owner's, and one of each timeline */
	struct wl_list timelines; /* timeline.link */
};

struct timeline {
	struct wl_list link; /* timeline_device.timelines */
	struct timeline_device *device; /* NULL: lost */
	int fd; /* of the sync object, for other devices; -1: lost */
	const struct gpu *gpu; /* of its program; compared only */
	struct account *account; /* NULL: none */
	uint32_t handle;
	int refs;
	struct wl_signal moved;
};

static void unref_device(struct timeline_device *device)
{
	if (--device->refs == 0) {
		fd_close(&device->fd);
		free(device);
	}
}

static int watch(int fd, uint32_t handle, uint64_t point, int event)
{
	uint32_t flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
	return drmSyncobjEventfd(fd, handle, point, event, flags) < 0 ? -errno : 0;
}

/* A kernel with the last ioctl looks for the object first, and handle 0 does not exist. */
static bool is_able(int fd)
{
	uint64_t timelines = 0;
	return drmGetCap(fd, DRM_CAP_SYNCOBJ_TIMELINE, &timelines) == 0 && timelines != 0 &&
	       watch(fd, 0, 0, -1) == -ENOENT;
}

/* Never a primary node: its first opener becomes master. */
static int open_node(const struct gpu *gpu)
{
	if (gpu->render_path) {
		int fd = open(gpu->render_path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
		return fd < 0 ? -errno : fd;
	}
	return gpu->fd >= 0 ? fd_dup(gpu->fd) : -ENODEV;
}

struct timeline_device *timeline_device_create(const struct gpu *gpu)
{
	int fd = open_node(gpu);
	if (fd < 0 || !is_able(fd)) {
		fd_close(&fd);
		return NULL;
	}
	struct timeline_device *device = xcalloc(1, sizeof(*device));
	*device = (struct timeline_device){.fd = fd, .refs = 1};
	wl_list_init(&device->timelines);
	return device;
}

static void leave_device(struct timeline *timeline)
{
	if (timeline->device) {
		drmSyncobjDestroy(timeline->device->fd, timeline->handle);
		unref_device(timeline->device);
		timeline->device = NULL;
	}
	wl_list_remove(&timeline->link);
	wl_list_init(&timeline->link);
}

/* Returns 0 or -errno. */
static int enter_device(struct timeline *timeline, struct timeline_device *device)
{
	if (drmSyncobjFDToHandle(device->fd, timeline->fd, &timeline->handle) != 0) {
		return -errno;
	}
	timeline->device = device;
	device->refs++;
	wl_list_insert(&device->timelines, &timeline->link);
	return 0;
}

void timeline_device_replace(
	struct timeline_device *device, struct timeline_device *by, const struct gpu *gone)
{
	device->refs++; /* listeners drop their timelines */
	while (!wl_list_empty(&device->timelines)) {
		struct timeline *timeline = wl_container_of(device->timelines.next, timeline, link);
		timeline_ref(timeline);
		leave_device(timeline);
		if (!by || timeline->gpu == gone || enter_device(timeline, by) < 0) {
			fd_close(&timeline->fd);
		}
		signal_emit(&timeline->moved, NULL);
		timeline_unref(timeline);
	}
	unref_device(device);
}

bool timeline_is_lost(const struct timeline *timeline)
{
	return !timeline->device;
}

struct wl_signal *timeline_moved_signal(struct timeline *timeline)
{
	return &timeline->moved;
}

void timeline_device_destroy(struct timeline_device *device)
{
	if (device) {
		unref_device(device);
	}
}

struct timeline *timeline_create_lost(void)
{
	struct timeline *timeline = xcalloc(1, sizeof(*timeline));
	*timeline = (struct timeline){.fd = -1, .refs = 1};
	wl_list_init(&timeline->link);
	wl_signal_init(&timeline->moved);
	return timeline;
}

int timeline_import(
	struct timeline_device *device, int fd, const struct gpu *gpu, struct timeline **out)
{
	struct timeline *timeline = timeline_create_lost();
	timeline->fd = fd;
	timeline->gpu = gpu;
	int error = enter_device(timeline, device);
	if (error < 0) {
		free(timeline);
		return error;
	}
	*out = timeline;
	return 0;
}

void timeline_charge(struct timeline *timeline, struct account *account)
{
	timeline->account = account_ref(account);
	account_charge(account, ACCOUNT_DESCRIPTORS, 1);
}

struct timeline *timeline_ref(struct timeline *timeline)
{
	timeline->refs++;
	return timeline;
}

void timeline_unref(struct timeline *timeline)
{
	if (timeline && --timeline->refs == 0) {
		leave_device(timeline);
		fd_close(&timeline->fd);
		account_uncharge(timeline->account, ACCOUNT_DESCRIPTORS, 1);
		account_unref(timeline->account);
		free(timeline);
	}
}

int timeline_export_point(const struct timeline *timeline, uint64_t point)
{
	if (!timeline->device) {
		return -ENODEV;
	}
	int device = timeline->device->fd, fence = -1;
	uint32_t binary;
	if (drmSyncobjCreate(device, 0, &binary) != 0) {
		return -errno;
	}
	int error = 0;
	if (drmSyncobjTransfer(device, binary, 0, timeline->handle, point, 0) != 0 ||
		drmSyncobjExportSyncFile(device, binary, &fence) != 0) {
		error = -errno;
	}
	drmSyncobjDestroy(device, binary);
	return error < 0 ? error : fence;
}

int timeline_watch_point(const struct timeline *timeline, uint64_t point)
{
	if (!timeline->device) {
		return -ENODEV;
	}
	int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event < 0) {
		return -errno;
	}
	int error = watch(timeline->device->fd, timeline->handle, point, event);
	if (error < 0) {
		fd_close(&event);
		return error;
	}
	return event;
}

static int put_fence(const struct timeline *timeline, uint64_t point, int fence)
{
	int device = timeline->device->fd, error = 0;
	uint32_t binary;
	if (drmSyncobjCreate(device, 0, &binary) != 0) {
		return -errno;
	}
	if (drmSyncobjImportSyncFile(device, binary, fence) != 0 ||
		drmSyncobjTransfer(device, timeline->handle, point, binary, 0, 0) != 0) {
		error = -errno;
	}
	drmSyncobjDestroy(device, binary);
	return error;
}

int timeline_signal_point(const struct timeline *timeline, uint64_t point, int fence)
{
	if (!timeline->device) {
		return -ENODEV;
	}
	if (fence >= 0) {
		return put_fence(timeline, point, fence);
	}
	uint32_t handle = timeline->handle;
	return drmSyncobjTimelineSignal(timeline->device->fd, &handle, &point, 1) != 0 ? -errno : 0;
}
