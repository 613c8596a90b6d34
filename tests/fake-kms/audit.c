/* SPDX-License-Identifier: MIT */
/* Invariants of the KMS backend: the kernel has the state of the outputs, and nothing else. */

#include "audit.h"
#include "backend/drm/commit.h"
#include "backend/session.h"
#include "gpu/gpu.h"
#include "state.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct audit {
	struct fake_card *fake;
	struct drm_card *card;
};

static struct fake_card *find_fake(const struct drm_card *card)
{
	struct fake_card *fake;
	wl_list_for_each (fake, &fake_cards, link) {
		if (strcmp(fake->path, card->gpu->primary_path) == 0 && !fake->removed) {
			return fake;
		}
	}
	return NULL;
}

static bool is_idle(const struct drm_card *card)
{
	const struct drm_output *output;
	bool idle = card->backend->session->active && !card->stalled && !card->unclean &&
		    !card->clean_refused && !drm_card_holds_connectors(card);
	wl_list_for_each (output, &card->outputs, link) {
		idle = idle && !output->due && !output->left && !output->pending.serial &&
		       !output->pending.held && !output->base.asleep;
	}
	return idle;
}

/* Fails the test unless the object has that value; objects without the property have none. */
static void expect(
	const struct audit *audit, uint32_t id, const struct drm_property *property, uint64_t value)
{
	const struct fake_object *object = fake_object_find(audit->fake, id);
	assert_non_null(object);
	const int i = property->id ? fake_object_index_id(object, property->id) : -1;
	if (i >= 0 && object->values[i] != value) {
		fail_msg("%s of %s is %llx, not %llx", object->properties[i]->name, object->name,
			(unsigned long long)object->values[i], (unsigned long long)value);
	}
}

static void expect_resets(const struct audit *audit, uint32_t id, const struct drm_resets *resets)
{
	for (int i = 0; i < resets->n; i++) {
		expect(audit, id, &resets->list[i], resets->list[i].value);
	}
}

static void audit_mode(const struct audit *audit, const struct drm_output *output)
{
	const struct output_mode *mode = &output->base.mode;
	const struct fake_object *crtc = fake_object_find(audit->fake, output->crtc->id);
	const struct fake_blob *blob =
		fake_blob_find(audit->fake, (uint32_t)fake_object_value(crtc, "MODE_ID"));
	assert_non_null(blob);
	const drmModeModeInfo *now = blob->data;
	const int32_t refresh = drm_mode_refresh(now);
	/* The clock of a computed mode has whole kHz. */
	if (now->hdisplay != mode->width || now->vdisplay != mode->height ||
		refresh != output->refresh ||
		(mode->refresh && abs(refresh - mode->refresh) > mode->refresh / 200)) {
		fail_msg("%s has the mode %dx%d at %d (%d) mHz, not %dx%d at %d", output->base.name,
			now->hdisplay, now->vdisplay, refresh, output->refresh, mode->width,
			mode->height, mode->refresh);
	}
}

/* Properties of the connector and its CRTC. */
static void audit_head(const struct audit *audit, const struct drm_output *output)
{
	static const uint64_t contents[] = {
		[OUTPUT_CONTENT_NONE] = DRM_MODE_CONTENT_TYPE_NO_DATA,
		[OUTPUT_CONTENT_PHOTO] = DRM_MODE_CONTENT_TYPE_PHOTO,
		[OUTPUT_CONTENT_VIDEO] = DRM_MODE_CONTENT_TYPE_CINEMA,
		[OUTPUT_CONTENT_GAME] = DRM_MODE_CONTENT_TYPE_GAME,
	};
	const struct drm_property *connector = output->properties, *crtc = output->crtc->properties;
	const uint32_t id = output->crtc->id, stale = output->stale;
	expect(audit, output->connector, &connector[CONNECTOR_CRTC_ID], id);
	expect(audit, output->connector, &connector[CONNECTOR_MAX_BPC],
		output->base.bit_depth ? (uint64_t)output->base.bit_depth : output->usual_bpc);
	expect_resets(audit, output->connector, &output->resets);
	expect(audit, id, &crtc[CRTC_ACTIVE], 1);
	expect_resets(audit, id, &output->crtc->resets);
	audit_mode(audit, output);
	if (!(stale & OUTPUT_GAMMA)) {
		expect(audit, id, &crtc[CRTC_GAMMA_LUT], output->gamma_blob);
	}
	if (!(stale & OUTPUT_COLOR_MATRIX)) {
		expect(audit, id, &crtc[CRTC_CTM], output->matrix_blob);
	}
	if (!(stale & OUTPUT_ADAPTIVE_SYNC)) {
		expect(audit, id, &crtc[CRTC_VRR_ENABLED], output->base.adaptive_sync);
	}
	if (!(stale & OUTPUT_CONTENT) &&
		!drm_card_has_quirk(audit->card, DRM_QUIRK_CONTENT_MODESET)) {
		expect(audit, output->connector, &connector[CONNECTOR_CONTENT_TYPE],
			contents[output->base.content]);
	}
}

static void expect_box(const struct audit *audit, const struct drm_plane *plane,
	const struct fbox *src, const struct box *dst)
{
	const struct drm_property *properties = plane->properties;
	expect(audit, plane->id, &properties[PLANE_SRC_X], (uint64_t)llround(src->x * 65536));
	expect(audit, plane->id, &properties[PLANE_SRC_Y], (uint64_t)llround(src->y * 65536));
	expect(audit, plane->id, &properties[PLANE_SRC_W], (uint64_t)llround(src->width * 65536));
	expect(audit, plane->id, &properties[PLANE_SRC_H], (uint64_t)llround(src->height * 65536));
	expect(audit, plane->id, &properties[PLANE_CRTC_X], (uint64_t)dst->x);
	expect(audit, plane->id, &properties[PLANE_CRTC_Y], (uint64_t)dst->y);
	expect(audit, plane->id, &properties[PLANE_CRTC_W], (uint64_t)dst->width);
	expect(audit, plane->id, &properties[PLANE_CRTC_H], (uint64_t)dst->height);
}

static void audit_frame(const struct audit *audit, const struct drm_plane *plane)
{
	static const uint64_t turns[] = {
		DRM_MODE_ROTATE_0,
		DRM_MODE_ROTATE_90,
		DRM_MODE_ROTATE_180,
		DRM_MODE_ROTATE_270,
		DRM_MODE_ROTATE_0 | DRM_MODE_REFLECT_X,
		DRM_MODE_ROTATE_90 | DRM_MODE_REFLECT_X,
		DRM_MODE_ROTATE_180 | DRM_MODE_REFLECT_X,
		DRM_MODE_ROTATE_270 | DRM_MODE_REFLECT_X,
	};
	const struct drm_property *properties = plane->properties;
	const struct plane_state *state = &plane->set;
	expect(audit, plane->id, &properties[PLANE_FB_ID],
		drm_framebuffer_get(audit->card, state->buffer, state->opaque));
	expect(audit, plane->id, &properties[PLANE_CRTC_ID], plane->crtc->id);
	expect_box(audit, plane, &state->src, &state->dst);
	expect(audit, plane->id, &properties[PLANE_ROTATION], turns[state->transform]);
	expect(audit, plane->id, &properties[PLANE_ALPHA], (uint64_t)lrintf(state->alpha * 0xffff));
	expect(audit, plane->id, &properties[PLANE_BLEND_MODE], properties[PLANE_BLEND_MODE].value);
	if (plane->zpos_mutable) {
		expect(audit, plane->id, &properties[PLANE_ZPOS], (uint64_t)state->zpos);
	}
	expect_resets(audit, plane->id, &plane->resets);
}

static void audit_black(
	const struct audit *audit, const struct drm_plane *plane, const struct drm_output *output)
{
	const struct drm_blank *blank = &output->blank;
	assert_int_not_equal(blank->framebuffer, 0);
	expect(audit, plane->id, &plane->properties[PLANE_FB_ID], blank->framebuffer);
	expect(audit, plane->id, &plane->properties[PLANE_CRTC_ID], plane->crtc->id);
	expect_box(audit, plane, &(struct fbox){0, 0, blank->width, blank->height},
		&(struct box){0, 0, output->base.mode.width, output->base.mode.height});
	expect(audit, plane->id, &plane->properties[PLANE_ROTATION], DRM_MODE_ROTATE_0);
}

/* A CRTC that is off shows no plane. */
static void audit_unused(const struct audit *audit, const struct drm_plane *plane)
{
	const struct fake_object *object = fake_object_find(audit->fake, plane->id);
	const struct fake_object *crtc =
		fake_object_find(audit->fake, (uint32_t)fake_object_value(object, "CRTC_ID"));
	if (crtc && fake_object_value(crtc, "ACTIVE")) {
		fail_msg("%s is on", object->name);
	}
	assert_null(plane->shown);
}

static void audit_plane(const struct audit *audit, const struct drm_plane *plane)
{
	const struct drm_output *output = plane->crtc ? plane->crtc->output : NULL;
	if (output && output->base.leased) {
		return;
	}
	if (output && output->base.enabled && plane->set.buffer) {
		audit_frame(audit, plane);
	} else if (output && output->base.enabled && plane->base.type == PLANE_PRIMARY) {
		audit_black(audit, plane, output);
	} else {
		audit_unused(audit, plane);
	}
	assert_null(plane->pending);
}

static void audit_crtc(const struct audit *audit, const struct drm_crtc *crtc)
{
	const struct drm_output *output = crtc->output;
	assert_true(crtc->orphan == 0 || (output && output->base.leased));
	assert_true(!output || output->crtc == crtc);
	if (output && output->base.enabled) {
		audit_head(audit, output);
	} else if (!output || !output->base.leased) {
		expect(audit, crtc->id, &crtc->properties[CRTC_ACTIVE], 0);
		expect(audit, crtc->id, &crtc->properties[CRTC_MODE_ID], 0);
	}
	assert_true(output || crtc->n_planes == 0);
}

/* Returns the number of objects of that list that belong to the file. */
static int count_blobs(const struct fake_card *fake, const struct fake_file *file)
{
	const struct fake_blob *blob;
	int n = 0;
	wl_list_for_each (blob, &fake->blobs, link) {
		n += blob->file == file && !blob->dead;
	}
	return n;
}

/* Each buffer has at most two framebuffers. */
static int count_framebuffers(const struct fake_card *fake, const struct fake_file *file)
{
	const struct fake_framebuffer *framebuffer;
	int n = 0;
	wl_list_for_each (framebuffer, &fake->framebuffers, link) {
		n += framebuffer->file == file && !framebuffer->closed;
	}
	return n;
}

static int count_handles(const struct fake_file *file)
{
	int n = 0;
	for (int i = 0; i < FAKE_HANDLES_MAX; i++) {
		n += file->handles[i] != NULL;
	}
	return n;
}

static void audit_objects(const struct audit *audit)
{
	const struct fake_file *file = fake_file_find(audit->card->fd);
	const struct drm_output *output;
	int n_blobs = 0, n_blanks = 0;
	for (int i = 0; i < audit->card->n_crtcs; i++) {
		n_blanks += audit->card->crtcs[i].orphan_blank.framebuffer != 0;
	}
	assert_non_null(file);
	wl_list_for_each (output, &audit->card->outputs, link) {
		const bool waits = output->base.enabled &&
				   !drm_plane_from_base(output->base.planes[0])->set.buffer;
		n_blobs += (output->mode_blob != 0) + (output->gamma_blob != 0) +
			   (output->matrix_blob != 0);
		n_blanks += output->blank.framebuffer != 0;
		assert_int_equal(output->untested.mode_blob, 0);
		/* A dropped frame leaves it to the next one. */
		if (waits != (output->blank.framebuffer != 0) && (waits || !output->base.enabled)) {
			fail_msg("%s %s a black buffer", output->base.name,
				waits ? "lacks" : "keeps");
		}
	}
	assert_int_equal(count_blobs(audit->fake, file), n_blobs);
	assert_int_equal(count_handles(file), n_blanks);
	assert_in_range(count_framebuffers(audit->fake, file), n_blanks,
		n_blanks + 2 * wl_list_length(&audit->card->framebuffers));
}

/* Returns false if a change is under way. */
static bool audit_card(struct drm_card *card)
{
	const struct audit audit = {.fake = find_fake(card), .card = card};
	if (!audit.fake || card->fd < 0) {
		return true;
	}
	/* The kernel refuses COLOR_ENCODING and COLOR_RANGE to programs with this capability. */
	assert_false(fake_file_find(card->fd)->pipelines);
	if (!is_idle(card)) {
		return false;
	}
	for (int i = 0; i < card->n_crtcs; i++) {
		audit_crtc(&audit, &card->crtcs[i]);
	}
	for (int i = 0; i < card->n_planes; i++) {
		audit_plane(&audit, &card->planes[i]);
	}
	audit_objects(&audit);
	return true;
}

bool audit(struct backend *base)
{
	struct drm_backend *backend = wl_container_of(base, backend, base);
	struct drm_card *card;
	bool all = true;
	wl_list_for_each (card, &backend->cards, link) {
		all = audit_card(card) && all;
	}
	return all;
}
