/* SPDX-License-Identifier: MIT */
#pragma once

/** An atomic request, as its checks see it. */

#include "state.h"

struct request {
	struct fake_file *file;
	struct fake_card *card;
	const struct drm_mode_atomic *ioctl;
	struct fake_object objects[FAKE_OBJECTS_MAX]; /* state after the request */
	bool touched[FAKE_OBJECTS_MAX];
	bool modeset;
};

static inline uint64_t value(const struct fake_object *object, const char *property)
{
	return fake_object_value(object, property);
}

static inline struct fake_object *at(struct request *request, uint64_t id)
{
	struct fake_object *object = fake_object_find(request->card, (uint32_t)id);

	return object ? &request->objects[object - request->card->objects] : NULL;
}

/** atomic_plane.c: returns 0, or the error of the driver for the plane's state in the request. */
int fake_plane_check(struct request *request, const struct fake_object *plane);

/** atomic_mode.c: returns 0, or the error of the driver for the modes of all connectors. */
int fake_modes_check(struct request *request);
/** Compares modes by content: another blob of the same mode is no modeset. */
bool fake_same_mode(
	struct request *request, const struct fake_object *a, const struct fake_object *b);

/**
 * locks.c: waits for commits whose locks the request needs. Returns false if the file was closed.
 */
bool fake_request_wait(struct fake_file *file, const struct drm_mode_atomic *ioctl);
/** Returns whether the kernel waits for pending flips before it answers; `busy`: of its CRTCs. */
bool fake_request_must_wait(const struct request *request, bool busy);
/** Waits with the request's locks. Returns false if the file was closed. */
bool fake_request_hold_locks(const struct request *request);
