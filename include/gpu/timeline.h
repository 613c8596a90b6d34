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
/** The GPU is gone: its timelines will signal nothing more. Tells their listeners. */
void timeline_device_lose(struct timeline_device *device);
/** Destroys the device; its timelines live on. Accepts NULL. */
void timeline_device_destroy(struct timeline_device *device);

/**
 * Imports a sync object from a descriptor, which the caller keeps. Returns one reference, or NULL
 * if it is not a sync object.
 */
struct timeline *timeline_import(struct timeline_device *device, int fd);
/**
 * Charges the timeline as one descriptor, the kernel's approximate cost, until its last reference
 * is dropped.
 */
void timeline_charge(struct timeline *timeline, struct account *account);
struct timeline *timeline_ref(struct timeline *timeline);
/** Accepts NULL. */
void timeline_unref(struct timeline *timeline);
/** Returns whether the GPU that gives access to the timeline is gone. */
bool timeline_is_lost(const struct timeline *timeline);
/** Returns the signal that is emitted once when that GPU is gone; valid as long as the timeline. */
struct wl_signal *timeline_lost_signal(struct timeline *timeline);

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
