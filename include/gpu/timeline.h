/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Timelines: the kernel's DRM sync objects, whose points programs and drivers signal in order. A
 * timeline works with fences of any GPU; the node of one GPU gives access to it.
 */

#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>

struct account;
struct gpu;
struct timeline;
struct timeline_device;

/**
 * Opens the GPU's render node for timelines; without one, duplicates the descriptor of an open GPU.
 * Returns NULL if neither exists, or if the driver has no timelines or the kernel no eventfd for
 * them (before Linux 6.6). Opening wakes a sleeping GPU.
 */
struct timeline_device *timeline_device_create(const struct gpu *gpu);
/**
 * Moves the timelines of a device, whose GPU is gone, to another one (NULL: none), and tells their
 * listeners. Timelines of that GPU's programs are lost, and those that cannot move.
 */
void timeline_device_replace(
	struct timeline_device *device, struct timeline_device *by, const struct gpu *gone);
/** Destroys the device; its timelines live on. Accepts NULL. */
void timeline_device_destroy(struct timeline_device *device);

/**
 * Imports a sync object of a program that draws on `gpu` (compared only). Stores one reference and
 * returns 0, and takes the descriptor; or returns -errno: -EINVAL if it is not a sync object.
 */
int timeline_import(
	struct timeline_device *device, int fd, const struct gpu *gpu, struct timeline **out);
/** Creates a timeline that is lost, for lack of a device that could import one. */
struct timeline *timeline_create_lost(void);
/**
 * Charges the timeline as one descriptor, the kernel's approximate cost, until its last reference
 * is dropped.
 */
void timeline_charge(struct timeline *timeline, struct account *account);
struct timeline *timeline_ref(struct timeline *timeline);
/** Accepts NULL. */
void timeline_unref(struct timeline *timeline);
/** Returns whether nothing will signal the timeline, or no GPU gives access to it. */
bool timeline_is_lost(const struct timeline *timeline);
/**
 * Returns the signal that is emitted when another GPU gives access to the timeline, or none: look
 * at its points again. Valid as long as the timeline.
 */
struct wl_signal *timeline_moved_signal(struct timeline *timeline);

/**
 * Returns the fence of a point as a new sync_file; -EINVAL while the point has none; another -errno
 * on failure.
 */
int timeline_export_point(const struct timeline *timeline, uint64_t point);
/** Returns an eventfd that becomes readable once the point has a fence; or -errno. */
int timeline_watch_point(const struct timeline *timeline, uint64_t point);
/**
 * Signals the point, and those before it, when `fence` (a sync_file; -1: now) does. Returns 0 or
 * -errno.
 */
int timeline_signal_point(const struct timeline *timeline, uint64_t point, int fence);
