/* SPDX-License-Identifier: MIT */
/* Atomic requests: property changes on a copy of the state, checked as the kernel does. */

#include "atomic.h"
#include "gpu/format.h"
#include <assert.h>
#include <drm_fourcc.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_enum_value(const struct fake_property *property, uint64_t value)
{
	for (int i = 0; i < property->n_enums; i++) {
		if (property->enums[i].value == value) {
			return true;
		}
	}
	return false;
}

static bool is_object(struct request *request, const struct fake_property *property, uint64_t id)
{
	if (property->values[0] == DRM_MODE_OBJECT_FB) {
		const struct fake_framebuffer *framebuffer =
			fake_framebuffer_find(request->card, (uint32_t)id);

		return framebuffer && !framebuffer->closed;
	}
	const struct fake_object *object = at(request, id);
	return object && object->type == property->values[0] &&
	       fake_file_sees(request->file, object);
}

static bool in_range(struct request *request, const struct fake_property *property, uint64_t value)
{
	uint32_t type = property->flags & DRM_MODE_PROP_EXTENDED_TYPE;
	uint64_t mask = 0;

	if (property->flags & DRM_MODE_PROP_RANGE) {
		return value >= property->values[0] && value <= property->values[1];
	}
	if (type == DRM_MODE_PROP_SIGNED_RANGE) {
		return (int64_t)value >= (int64_t)property->values[0] &&
		       (int64_t)value <= (int64_t)property->values[1];
	}
	if (type == DRM_MODE_PROP_OBJECT) {
		return value == 0 || is_object(request, property, value);
	}
	if (property->flags & DRM_MODE_PROP_BLOB) {
		return value == 0 || fake_blob_find(request->card, (uint32_t)value);
	}
	if (property->flags & DRM_MODE_PROP_BITMASK) {
		for (int i = 0; i < property->n_enums; i++) {
			mask |= UINT64_C(1) << property->enums[i].value;
		}
		return (value & ~mask) == 0;
	}
	return is_enum_value(property, value);
}

static int check_blob_size(
	struct request *request, const struct fake_property *property, uint64_t id)
{
	const struct fake_blob *blob = fake_blob_find(request->card, (uint32_t)id);
	const struct fake_card_kind *kind = request->card->kind;
	size_t size = strcmp(property->name, "MODE_ID") == 0 ? sizeof(struct drm_mode_modeinfo)
		      : strcmp(property->name, "CTM") == 0   ? sizeof(struct drm_color_ctm)
							     : 0;

	if (!blob) {
		return 0;
	}
	if (strcmp(property->name, "GAMMA_LUT") == 0) {
		if (request->card->refuses_gamma) {
			return -EINVAL;
		}
		size = (size_t)kind->gamma_size * sizeof(struct drm_color_lut);
	} else if (strcmp(property->name, "DEGAMMA_LUT") == 0) {
		size = (size_t)kind->degamma_size * sizeof(struct drm_color_lut);
	}
	return size && blob->size != size ? -EINVAL : 0;
}

static int set(struct request *request, struct fake_object *object, uint32_t id, uint64_t value)
{
	int i = fake_object_index_id(object, id);
	const struct fake_property *property;

	if (i < 0) {
		return -ENOENT;
	}
	property = object->properties[i];
	if (property->flags & DRM_MODE_PROP_IMMUTABLE || !in_range(request, property, value)) {
		return -EINVAL;
	}
	/*
	 * drm_atomic_set_property(): an asynchronous flip may not even name the FB_ID of another
	 * plane.
	 */
	if (request->ioctl->flags & DRM_MODE_PAGE_FLIP_ASYNC && object->plane &&
		object->plane->type != DRM_PLANE_TYPE_PRIMARY &&
		strcmp(property->name, "FB_ID") == 0) {
		return -EINVAL;
	}
	/* drm_atomic_plane_set_property() */
	if ((strcmp(property->name, "COLOR_PIPELINE") == 0 && !request->file->pipelines) ||
		(strncmp(property->name, "COLOR_", 6) == 0 &&
			strcmp(property->name, "COLOR_PIPELINE") != 0 &&
			request->file->pipelines)) {
		return -EINVAL;
	}
	object->values[i] = value;
	request->touched[object - request->objects] = true;
	return check_blob_size(request, property, value);
}

static int apply(struct request *request)
{
	const struct drm_mode_atomic *ioctl = request->ioctl;
	const uint32_t *ids = FAKE_POINTER(const uint32_t, ioctl->objs_ptr);
	const uint32_t *counts = FAKE_POINTER(const uint32_t, ioctl->count_props_ptr);
	const uint32_t *properties = FAKE_POINTER(const uint32_t, ioctl->props_ptr);
	const uint64_t *values = FAKE_POINTER(const uint64_t, ioctl->prop_values_ptr);

	for (uint32_t i = 0; i < ioctl->count_objs; i++) {
		struct fake_object *object = at(request, ids[i]);

		if (!object || object->type == 0 || !fake_file_sees(request->file, object)) {
			return -ENOENT;
		}
		for (uint32_t j = 0; j < counts[i]; j++) {
			int error = set(request, object, *properties++, *values++);

			if (error < 0) {
				return error;
			}
		}
	}
	return 0;
}

static int count_connectors(struct request *request, const struct fake_object *crtc)
{
	int n = 0;

	for (int i = 0; i < request->card->n_objects; i++) {
		const struct fake_object *object = &request->objects[i];

		n += object->type == DRM_MODE_OBJECT_CONNECTOR &&
		     value(object, "CRTC_ID") == crtc->id;
	}
	return n;
}

/* Returns the bytes per second of all planes on the CRTC. */
static uint64_t rate(struct request *request, const struct fake_object *crtc, bool *primary)
{
	const struct fake_blob *blob =
		fake_blob_find(request->card, (uint32_t)value(crtc, "MODE_ID"));
	const struct drm_mode_modeinfo *mode = blob ? blob->data : NULL;
	uint64_t bytes = 0;

	*primary = false;
	for (int i = 0; i < request->card->n_objects; i++) {
		const struct fake_object *plane = &request->objects[i];
		const struct fake_framebuffer *framebuffer;

		if (plane->type != DRM_MODE_OBJECT_PLANE || value(plane, "CRTC_ID") != crtc->id) {
			continue;
		}
		framebuffer = fake_framebuffer_find(request->card, (uint32_t)value(plane, "FB_ID"));
		*primary |= plane->plane->type == DRM_PLANE_TYPE_PRIMARY;
		if (framebuffer) {
			bytes += (value(plane, "SRC_W") >> 16) * (value(plane, "SRC_H") >> 16) *
				 pixel_format_get(framebuffer->format)->bytes[0];
		}
	}
	return mode ? bytes * mode->vrefresh : 0;
}

static int check_crtc(struct request *request, const struct fake_object *crtc, uint64_t *bytes)
{
	const struct fake_object *before = &request->card->objects[crtc - request->objects];
	bool enabled = value(crtc, "MODE_ID") != 0, active = value(crtc, "ACTIVE"), primary;
	bool event = request->ioctl->flags & DRM_MODE_PAGE_FLIP_EVENT;

	/* drm_atomic_helper_check_modeset(); encoders cannot be cloned (mode_valid_clones()). */
	if ((active && !enabled) || count_connectors(request, crtc) != enabled) {
		return -EINVAL;
	}
	request->modeset |=
		active != (value(before, "ACTIVE") != 0) || !fake_same_mode(request, crtc, before);
	*bytes += active ? rate(request, crtc, &primary) : 0;
	if (active && request->card->kind->needs_primary && !primary) {
		return -EINVAL;
	}
	if (event && request->touched[crtc - request->objects] && !active &&
		!value(before, "ACTIVE")) {
		return -EINVAL;
	}
	return 0;
}

/*
 * Returns whether the change of a connector makes drivers set a mode, as in
 * amdgpu_dm_connector_atomic_check() and intel_digital_connector_atomic_check(). Some of them
 * change the scaling mode and underscan without one.
 */
static bool sets_mode(
	struct request *request, const struct fake_object *now, const struct fake_object *then)
{
	static const char *const names[] = {"CRTC_ID", "link-status", "max bpc",
		"HDR_OUTPUT_METADATA", "Colorspace", "Broadcast RGB", "scaling mode", "underscan",
		"aspect ratio", "Content Protection", "HDCP Content Type"};
	bool changed = request->card->kind->content_modeset &&
		       value(now, "content type") != value(then, "content type");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		changed |= value(now, names[i]) != value(then, names[i]);
	}
	return changed;
}

/* Adds the CRTCs of all objects in the request. */
static void touch_crtcs(struct request *request)
{
	for (int i = 0; i < request->card->n_objects; i++) {
		const struct fake_object *now = &request->card->objects[i];
		const struct fake_object *then = &request->objects[i];
		struct fake_object *crtcs[] = {
			at(request, value(now, "CRTC_ID")), at(request, value(then, "CRTC_ID"))};

		for (int j = 0; request->touched[i] && j < 2; j++) {
			if (crtcs[j]) {
				request->touched[crtcs[j] - request->objects] = true;
			}
		}
		if (now->type == DRM_MODE_OBJECT_CONNECTOR) {
			request->modeset |= sets_mode(request, now, then);
		}
	}
}

/* Checks the CRTC wiring and the link bandwidth for the mode and bit depth. */
static int check_connector(struct request *request, const struct fake_object *connector)
{
	const struct fake_object *crtc = at(request, value(connector, "CRTC_ID"));
	const struct fake_object *encoder = at(request, connector->encoder);
	const struct fake_blob *blob =
		crtc ? fake_blob_find(request->card, (uint32_t)value(crtc, "MODE_ID")) : NULL;
	const struct drm_mode_modeinfo *mode = blob ? blob->data : NULL;
	uint64_t bits = connector->screen && connector->screen->deep ? 10 : 8;

	if (crtc && !(encoder->possible_crtcs & 1u << crtc->index)) {
		return -EINVAL;
	}
	if (!mode || !request->card->link_rate) {
		return 0;
	}
	if (fake_object_index(connector, "max bpc") >= 0 && value(connector, "max bpc") < bits) {
		bits = value(connector, "max bpc");
	}
	return mode->clock * UINT64_C(1000) * 3 * bits > request->card->link_rate ? -EINVAL : 0;
}

static int check(struct request *request)
{
	uint64_t bytes = 0;

	touch_crtcs(request);
	for (int i = 0; i < request->card->n_objects; i++) {
		const struct fake_object *object = &request->objects[i];
		int error = 0;

		if (object->type == DRM_MODE_OBJECT_PLANE && request->touched[i]) {
			error = fake_plane_check(request, object);
		} else if (object->type == DRM_MODE_OBJECT_CRTC) {
			error = check_crtc(request, object, &bytes);
		} else if (object->type == DRM_MODE_OBJECT_CONNECTOR) {
			error = check_connector(request, object);
		}
		if (error < 0) {
			return error;
		}
	}
	if (request->card->bandwidth && bytes > request->card->bandwidth) {
		return -ENOSPC;
	}
	int refused = fake_modes_check(request);
	if (refused < 0) {
		return refused;
	}
	return request->modeset && !(request->ioctl->flags & DRM_MODE_ATOMIC_ALLOW_MODESET)
		       ? -EINVAL
		       : 0;
}

/* An asynchronous flip may change FB_ID of the primary plane only. */
static int check_async(struct request *request)
{
	for (int i = 0; i < request->card->n_objects; i++) {
		const struct fake_object *now = &request->card->objects[i];
		const struct fake_object *then = &request->objects[i];

		for (int j = 0; request->touched[i] && j < now->n_properties; j++) {
			const char *name = now->properties[j]->name;

			if (now->values[j] != then->values[j] &&
				!(strcmp(name, "FB_ID") == 0 &&
					now->plane->type == DRM_PLANE_TYPE_PRIMARY) &&
				strcmp(name, "FB_DAMAGE_CLIPS") != 0 &&
				strcmp(name, "IN_FENCE_FD") != 0) {
				return -EINVAL;
			}
		}
	}
	return request->card->kind->async ? 0 : -EINVAL;
}

/* Returns whether the request names a CRTC; page flip events need one. */
static bool names_crtc(const struct request *request)
{
	for (int i = 0; i < request->card->n_objects; i++) {
		if (request->touched[i] && request->objects[i].type == DRM_MODE_OBJECT_CRTC) {
			return true;
		}
	}
	return false;
}

static bool is_busy(struct request *request)
{
	bool shared = request->card->modesets == FAKE_MODESETS_SHARED;

	for (int i = 0; i < request->card->n_objects; i++) {
		const struct fake_object *now = &request->card->objects[i];
		bool touched =
			request->touched[i] || (shared && (request->modeset || now->setting));

		if (now->type == DRM_MODE_OBJECT_CRTC && touched && now->flying) {
			return true;
		}
	}
	return false;
}

/* Takes the fence of the CRTC's planes; the last one represents all. */
static int take_fence(struct request *request, const struct fake_object *crtc)
{
	int taken = -1;

	for (int i = 0; i < request->card->n_objects; i++) {
		struct fake_object *plane = &request->objects[i];
		int fence = (int)(int64_t)value(plane, "IN_FENCE_FD");

		if (plane->type == DRM_MODE_OBJECT_PLANE && request->touched[i] &&
			value(plane, "CRTC_ID") == crtc->id && fence >= 0) {
			if (taken >= 0) {
				close(taken);
			}
			taken = fcntl(fence, F_DUPFD_CLOEXEC, 0);
		}
	}
	return taken;
}

/*
 * nvidia-drm accepts framebuffers that it cannot scan out, and their flip event never comes: see
 * Smithay pull request 1501. Since 595, nv_drm_framebuffer_init() refuses some of them.
 */
static bool is_lost(struct request *request, const struct fake_object *crtc)
{
	for (int i = 0; i < request->card->n_objects; i++) {
		const struct fake_object *plane = &request->objects[i];
		const struct fake_framebuffer *framebuffer;

		if (plane->type != DRM_MODE_OBJECT_PLANE || value(plane, "CRTC_ID") != crtc->id) {
			continue;
		}
		framebuffer = fake_framebuffer_find(request->card, (uint32_t)value(plane, "FB_ID"));
		const struct fake_card_kind *kind = request->card->kind;
		if (framebuffer && ((framebuffer->implicit && kind->loses_implicit) ||
					   (framebuffer->bo->foreign && kind->loses_system))) {
			return true;
		}
	}
	return false;
}

static void begin_flip(struct request *request, struct fake_object *crtc)
{
	int32_t *out = FAKE_POINTER(int32_t, value(crtc, "OUT_FENCE_PTR"));

	bool waits = !(request->ioctl->flags & DRM_MODE_ATOMIC_NONBLOCK);

	if (crtc->flying) {
		/* A blocking commit returns after the previous flip. */
		fake_flip_finish(request->card, crtc, crtc->last + 1, true);
	}
	crtc->file = request->file;
	crtc->event = request->ioctl->flags & DRM_MODE_PAGE_FLIP_EVENT;
	crtc->user_data = request->ioctl->user_data;
	crtc->fence = take_fence(request, crtc);
	if (out) {
		crtc->out_fence = fake_fence_make(out);
	}
	crtc->setting = request->modeset;
	crtc->lost = is_lost(request, crtc);
	if (crtc->event || crtc->out_fence || crtc->setting) {
		fake_flip_start(request->card, crtc, waits && crtc->setting);
	} else if (crtc->fence >= 0) {
		close(crtc->fence);
		crtc->fence = -1;
	}
}

static void take_over(struct request *request)
{
	struct fake_card *card = request->card;

	for (int i = 0; i < card->n_objects; i++) {
		struct fake_object *object = &card->objects[i];

		if (object->plane && request->touched[i]) {
			object->replaced = (uint32_t)value(object, "FB_ID");
			card->counts.idle_planes +=
				!(request->ioctl->flags & DRM_MODE_ATOMIC_ALLOW_MODESET) &&
				!object->replaced && !value(&request->objects[i], "FB_ID");
		}
		memcpy(object->values, request->objects[i].values, sizeof(object->values));
	}
	for (int i = 0; i < card->n_objects; i++) {
		struct fake_object *object = &card->objects[i];

		if (object->type == DRM_MODE_OBJECT_CRTC && request->touched[i]) {
			begin_flip(request, object);
		}
	}
	for (int i = 0; i < card->n_objects; i++) {
		struct fake_object *object = &card->objects[i];

		fake_object_set(object, "IN_FENCE_FD", UINT64_MAX);
		card->counts.clips += object->plane && value(object, "FB_DAMAGE_CLIPS") != 0;
		fake_object_set(object, "FB_DAMAGE_CLIPS", 0);
		fake_object_set(object, "OUT_FENCE_PTR", 0);
	}
	card->counts.commits++;
	card->counts.modesets += request->modeset;
	card->counts.allowed += (request->ioctl->flags & DRM_MODE_ATOMIC_ALLOW_MODESET) != 0;
	card->counts.blocking += !(request->ioctl->flags & DRM_MODE_ATOMIC_NONBLOCK);
	card->counts.flips += (request->ioctl->flags & DRM_MODE_PAGE_FLIP_EVENT) != 0;
	card->counts.async += (request->ioctl->flags & DRM_MODE_PAGE_FLIP_ASYNC) != 0;
	fake_blobs_prune(card);
	fake_framebuffers_prune(card);
}

/*
 * Returns whether a plane gets memory that cannot move to the card. amdgpu finds out after the
 * check: amdgpu_dm_plane_helper_prepare_fb() pins to the domains of
 * amdgpu_display_supported_domains(), which is video memory alone on discrete cards, and
 * amdgpu_bo_pin() refuses a buffer that is pinned in another domain. Mappings by devices without
 * peer-to-peer access pin it in system memory.
 */
static bool is_pinned_elsewhere(const struct request *request)
{
	const struct fake_card *card = request->card;

	for (int i = 0; card->kind->pins_local && i < card->n_objects; i++) {
		const struct fake_object *plane = &request->objects[i];
		const struct fake_framebuffer *framebuffer =
			plane->plane ? fake_framebuffer_find(
					       request->card, (uint32_t)value(plane, "FB_ID"))
				     : NULL;

		if (framebuffer && framebuffer->bo->pinned) {
			return true;
		}
	}
	return false;
}

/* Returns the errno of a property that the card refuses, or 0. */
static int find_refusal(const struct request *request)
{
	const struct fake_card *card = request->card;
	for (int i = 0; i < FAKE_REFUSALS_MAX; i++) {
		for (int j = 0; card->refusals[i].error && j < card->n_objects; j++) {
			const char *name = card->refusals[i].property;
			const struct fake_object *object = &request->objects[j];
			const uint64_t next = value(object, name);
			const bool on = value(object, "ACTIVE") || value(object, "CRTC_ID");
			if (request->touched[j] && on && next &&
				(request->modeset || next != value(&card->objects[j], name))) {
				return card->refusals[i].error;
			}
		}
	}
	return 0;
}

static int judge(struct request *request)
{
	uint32_t flags = request->ioctl->flags;
	bool test = flags & DRM_MODE_ATOMIC_TEST_ONLY;
	struct fake_card *card = request->card;
	int error;

	if (!request->file->atomic || (test && flags & DRM_MODE_PAGE_FLIP_EVENT) ||
		flags & ~(uint32_t)DRM_MODE_ATOMIC_FLAGS) {
		return -EINVAL;
	}
	error = apply(request);
	error = error < 0 ? error : check(request);
	error = error < 0 ? error : -find_refusal(request);
	if (error == 0 && flags & DRM_MODE_PAGE_FLIP_EVENT && !names_crtc(request)) {
		error = -EINVAL;
	}
	if (error == 0 && flags & DRM_MODE_PAGE_FLIP_ASYNC) {
		error = check_async(request);
	}
	if (error == 0 && !test && flags & DRM_MODE_ATOMIC_NONBLOCK) {
		error = request->modeset && card->modesets == FAKE_MODESETS_BLOCKING ? -EINVAL
			: is_busy(request)                                           ? -EBUSY
										     : 0;
	}
	if (error == 0 && !test && is_pinned_elsewhere(request)) {
		card->counts.unpinned++;
		error = -EINVAL;
	}
	if (error == 0 && card->n_fail > 0 && (!test || card->fail_tests)) {
		card->n_fail--;
		error = -card->fail_error;
	}
	return error;
}

int fake_atomic(struct fake_file *file, struct drm_mode_atomic *ioctl)
{
	struct request *request;
	int error;

	if (!fake_request_wait(file, ioctl)) {
		return -ENODEV;
	}
	if (!file->master) {
		return -EACCES;
	}
	if (file->card->fail_nth > 0 && --file->card->fail_nth == 0) {
		file->card->counts.refused++;
		return -file->card->fail_nth_error;
	}
	request = calloc(1, sizeof(*request));
	assert(request);
	request->file = file;
	request->card = file->card;
	request->ioctl = ioctl;
	memcpy(request->objects, file->card->objects, sizeof(request->objects));
	error = judge(request);
	if ((error == 0 || error == -EBUSY) && fake_request_must_wait(request, is_busy(request))) {
		if (!fake_request_hold_locks(request)) {
			free(request);
			return -ENODEV;
		}
		memcpy(request->objects, file->card->objects, sizeof(request->objects));
		error = judge(request);
	}
	if (error < 0) {
		file->card->counts.refused++;
	} else if (ioctl->flags & DRM_MODE_ATOMIC_TEST_ONLY) {
		file->card->counts.tests++;
	} else {
		take_over(request);
	}
	free(request);
	return error;
}
