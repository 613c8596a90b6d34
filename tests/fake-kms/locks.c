/* SPDX-License-Identifier: MIT */
/* Locks of the kernel's mode setting, and requests that wait with or for them. */

#include "atomic.h"
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void count_stall(const struct fake_file *file)
{
	file->card->counts.stalls += syscall(SYS_gettid) == getpid();
}

bool fake_file_wait_for_locks(const struct fake_file *file, bool connectors, uint32_t crtcs)
{
	struct fake_card *card = file->card;

	if (card->locks.held && (connectors || crtcs & card->locks.crtcs)) {
		count_stall(file);
	}
	while (card->locks.held && (connectors || crtcs & card->locks.crtcs)) {
		if (!fake_file_sleep(file, 1)) {
			return false;
		}
	}
	return true;
}

bool fake_file_hold_locks(const struct fake_file *file, uint32_t crtcs, int ms)
{
	struct fake_card *card = file->card;

	if (ms > 0) {
		count_stall(file);
	}
	card->locks.held = true;
	card->locks.crtcs = crtcs;
	if (!fake_file_sleep(file, ms)) {
		return false;
	}
	card->locks.held = false;
	return true;
}

/* Returns the CRTCs of the objects that the request names, before and after it. */
static uint32_t find_crtcs(const struct request *request)
{
	uint32_t crtcs = 0;

	for (int i = 0; i < request->card->n_objects; i++) {
		if (request->objects[i].type == DRM_MODE_OBJECT_CRTC && request->touched[i]) {
			crtcs |= 1u << request->objects[i].index;
		}
	}
	return crtcs;
}

/* amdgpu_dm_atomic_check() adds the connectors of a CRTC whose colours or VRR_ENABLED change. */
static bool adds_connectors(const struct fake_file *file, const struct fake_object *crtc,
	const uint32_t *properties, uint32_t n)
{
	static const char *const names[] = {"CTM", "DEGAMMA_LUT", "GAMMA_LUT", "VRR_ENABLED"};

	for (uint32_t i = 0; file->card->kind->adds_connectors && i < n; i++) {
		int at = fake_object_index_id(crtc, properties[i]);

		for (size_t j = 0; at >= 0 && j < sizeof(names) / sizeof(names[0]); j++) {
			if (strcmp(crtc->properties[at]->name, names[j]) == 0) {
				return true;
			}
		}
	}
	return false;
}

/*
 * Waits for the locks of a commit that waits in the kernel: each request takes those of its CRTCs,
 * and one lock for all connectors.
 */
bool fake_request_wait(struct fake_file *file, const struct drm_mode_atomic *ioctl)
{
	const uint32_t *ids = FAKE_POINTER(const uint32_t, ioctl->objs_ptr);
	const uint32_t *counts = FAKE_POINTER(const uint32_t, ioctl->count_props_ptr);
	const uint32_t *properties = FAKE_POINTER(const uint32_t, ioctl->props_ptr);
	bool connectors = false;
	uint32_t crtcs = 0;

	for (uint32_t i = 0; i < ioctl->count_objs; properties += counts[i], i++) {
		const struct fake_object *object = fake_object_find(file->card, ids[i]);

		connectors |= object && object->type == DRM_MODE_OBJECT_CRTC &&
			      adds_connectors(file, object, properties, counts[i]);
		connectors |= object && object->type == DRM_MODE_OBJECT_CONNECTOR;
		if (object && object->type == DRM_MODE_OBJECT_CRTC) {
			crtcs |= 1u << object->index;
		} else if (object && object->plane) {
			object = fake_object_find(file->card, (uint32_t)value(object, "CRTC_ID"));
			crtcs |= object ? 1u << object->index : 0;
		}
	}
	return fake_file_wait_for_locks(file, connectors, crtcs);
}

static bool has_pending(const struct fake_card *card)
{
	for (int i = 0; i < card->n_objects; i++) {
		if (card->objects[i].flying) {
			return true;
		}
	}
	return false;
}

/*
 * Returns whether the kernel waits for pending flips before it answers. amdgpu does in its check of
 * each modeset, with all locks: do_aquire_global_lock() in amdgpu_dm.c.
 */
bool fake_request_must_wait(const struct request *request, bool busy)
{
	const struct fake_card *card = request->card;
	uint32_t others = DRM_MODE_ATOMIC_TEST_ONLY | DRM_MODE_ATOMIC_NONBLOCK;

	if (card->kind->check_waits && request->modeset) {
		return card->wait_ms && has_pending(card);
	}
	return !(request->ioctl->flags & others) && busy;
}

bool fake_request_hold_locks(const struct request *request)
{
	struct fake_card *card = request->card;
	bool all = card->kind->check_waits && request->modeset;

	return fake_file_hold_locks(
		request->file, all ? UINT32_MAX : find_crtcs(request), card->wait_ms);
}
