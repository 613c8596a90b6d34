/* SPDX-License-Identifier: MIT */
/* Checks of modes in atomic requests: rules of the driver for all enabled connectors together. */

#include "atomic.h"
#include <errno.h>
#include <string.h>

#define HEADS_MAX 16

bool fake_same_mode(
	struct request *request, const struct fake_object *a, const struct fake_object *b)
{
	const struct fake_blob *one = fake_blob_find(request->card, (uint32_t)value(a, "MODE_ID"));
	const struct fake_blob *two = fake_blob_find(request->card, (uint32_t)value(b, "MODE_ID"));

	return one && two ? memcmp(one->data, two->data, one->size) == 0 : one == two;
}

/* Returns whether the CRTC is enabled by the request, or gets another mode. */
static bool is_set(struct request *request, const struct fake_object *crtc)
{
	const struct fake_object *before = &request->card->objects[crtc - request->objects];

	return !value(before, "ACTIVE") || !fake_same_mode(request, crtc, before);
}

/*
 * Fills in the connectors that the request leaves enabled. *set: it enables or changes one of them.
 */
static int describe(struct request *request, struct fake_head heads[HEADS_MAX], bool *set)
{
	int n = 0;

	*set = false;
	for (int i = 0; i < request->card->n_objects && n < HEADS_MAX; i++) {
		const struct fake_object *connector = &request->objects[i];
		const struct fake_object *crtc = connector->type == DRM_MODE_OBJECT_CONNECTOR
							 ? at(request, value(connector, "CRTC_ID"))
							 : NULL;
		const struct fake_blob *blob =
			crtc && value(crtc, "ACTIVE")
				? fake_blob_find(request->card, (uint32_t)value(crtc, "MODE_ID"))
				: NULL;

		if (blob) {
			const struct drm_mode_modeinfo *mode = blob->data;
			heads[n++] = (struct fake_head){
				.connector = connector->name,
				.width = mode->hdisplay,
				.height = mode->vdisplay,
				.refresh = (int)mode->vrefresh,
				.clock = (int)mode->clock,
				.test = request->ioctl->flags & DRM_MODE_ATOMIC_TEST_ONLY,
			};
			*set |= is_set(request, crtc);
		}
	}
	return n;
}

int fake_modes_check(struct request *request)
{
	const struct fake_card *card = request->card;
	struct fake_head heads[HEADS_MAX];
	bool set;
	int n = describe(request, heads, &set), clock = 0;

	if (!set) {
		return 0;
	}
	for (int i = 0; i < n; i++) {
		clock += heads[i].clock;
	}
	if (card->clock && clock > card->clock) {
		return -ENOSPC;
	}
	return card->mode_judge ? -card->mode_judge(card->mode_judge_data, heads, n) : 0;
}
