/* SPDX-License-Identifier: MIT */
/* DRM leases: connectors, CRTCs and planes lent to another descriptor. */

#include "state.h"
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_leased(const struct fake_card *card, uint32_t id)
{
	const struct fake_file *file;

	wl_list_for_each (file, &card->files, link) {
		for (int i = 0; file->lessee && i < file->n_leased; i++) {
			if (file->leased[i] == id) {
				return true;
			}
		}
	}
	return false;
}

static int create(struct fake_file *lessor, struct drm_mode_create_lease *request)
{
	const uint32_t *ids = FAKE_POINTER(const uint32_t, request->object_ids);
	struct fake_card *card = lessor->card;
	bool connector = false, crtc = false, plane = false;
	struct fake_file *lease;
	int fd;

	if (!lessor->master || lessor->lessee) {
		return -EACCES;
	}
	fake_files_prune(card);
	for (uint32_t i = 0; i < request->object_count; i++) {
		const struct fake_object *object = fake_object_find(card, ids[i]);

		if (!object || i >= 32) {
			return -ENOENT;
		}
		if (is_leased(card, ids[i])) {
			return -EBUSY;
		}
		for (uint32_t before = 0; before < i; before++) {
			if (ids[before] == ids[i]) {
				return -ENOSPC; /* fill_object_idr(): idr_alloc() */
			}
		}
		connector |= object->type == DRM_MODE_OBJECT_CONNECTOR;
		crtc |= object->type == DRM_MODE_OBJECT_CRTC;
		plane |= object->type == DRM_MODE_OBJECT_PLANE;
	}
	if (request->object_count > 0 && !(connector && crtc && plane)) {
		return -EINVAL;
	}
	fd = fake_file_open(card, &lease);
	if (fd < 0) {
		return fd;
	}
	lease->lessee = ++card->next_lessee;
	lease->master = true;
	lease->n_leased = (int)request->object_count;
	for (int i = 0; i < lease->n_leased; i++) {
		lease->leased[i] = ids[i];
	}
	request->lessee_id = lease->lessee;
	request->fd = (uint32_t)fd;
	return 0;
}

static int list(struct fake_file *lessor, struct drm_mode_list_lessees *request)
{
	uint32_t *out = FAKE_POINTER(uint32_t, request->lessees_ptr), n = 0;
	const struct fake_file *file;

	fake_files_prune(lessor->card);
	wl_list_for_each (file, &lessor->card->files, link) {
		/* Like the kernel, omit leases without objects and revoked ones. */
		if (file->n_leased > 0 && file != lessor) {
			if (n < request->count_lessees) {
				out[n] = file->lessee;
			}
			n++;
		}
	}
	request->count_lessees = n;
	return 0;
}

static int get(struct fake_file *file, struct drm_mode_get_lease *request)
{
	uint32_t *out = FAKE_POINTER(uint32_t, request->objects_ptr);

	for (int i = 0; i < file->n_leased && (uint32_t)i < request->count_objects; i++) {
		out[i] = file->leased[i];
	}
	request->count_objects = (uint32_t)file->n_leased;
	return 0;
}

/* The lessee's descriptor stays open without any objects. */
static int take_back(struct fake_file *lessor, const struct drm_mode_revoke_lease *request)
{
	struct fake_file *file;

	if (!lessor->master) {
		return -EACCES;
	}
	wl_list_for_each (file, &lessor->card->files, link) {
		if (file->lessee == request->lessee_id && file->lessee) {
			file->n_leased = 0;
			return 0;
		}
	}
	return -ENOENT;
}

int fake_lease_ioctl(struct fake_file *file, unsigned nr, void *argument)
{
	switch (nr) {
	case _IOC_NR(DRM_IOCTL_MODE_CREATE_LEASE): return create(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_LIST_LESSEES): return list(file, argument);
	case _IOC_NR(DRM_IOCTL_MODE_GET_LEASE): return get(file, argument);
	default: return take_back(file, argument);
	}
}
