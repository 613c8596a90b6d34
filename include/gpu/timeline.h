#pragma once

/**
 * Timelines: the kernel's DRM sync objects, whose points programs and drivers signal in order. They
 * belong to no GPU; a device's node is only where they are asked for.
 */

#include <stdint.h>

struct account;
struct gpu;
struct timeline;
struct timeline_device;

/**
 * A descriptor of its own of a GPU's node, with the handles of what is imported there. NULL if it has no
 * timelines, or if the kernel says nothing of their points to an eventfd (before Linux 6.6). Opening wakes
 * the GPU: for one that is in use.
 */
struct timeline_device *timeline_device_create(const struct gpu *gpu);
/** Timelines of it live on. NULL is legal. */
void timeline_device_destroy(struct timeline_device *device);

/** Of a descriptor, which stays the caller's. One reference; NULL if it is no sync object. */
struct timeline *timeline_import(struct timeline_device *device, int fd);
/** Charges it as one descriptor, which the kernel keeps as much for, until its last reference goes. */
void timeline_charge(struct timeline *timeline, struct account *account);
struct timeline *timeline_ref(struct timeline *timeline);
/** NULL is legal. */
void timeline_unref(struct timeline *timeline);

/**
 * The fence of a point as a new sync_file. -EINVAL while nobody has given the point one; another
 * negative errno if it cannot be had.
 */
int timeline_export_point(const struct timeline *timeline, uint64_t point);
/** An eventfd that polls readable once the point has a fence. Negative errno. */
int timeline_watch_point(const struct timeline *timeline, uint64_t point);
/** Signals the point, and those before it, when `fence` (a sync_file; -1: now) does. 0 or -errno. */
int timeline_signal_point(const struct timeline *timeline, uint64_t point, int fence);
