/*
 * What a card does that no output of ours asked for: the firmware's, another compositor's, a borrower's, and
 * what screens that were pulled out have left.
 */

#include "backend/session.h"
#include "drm.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include <errno.h>
#include <string.h>

struct remains {
	struct drm_card *card;
	drmModeAtomicReq *request;
	uint32_t off; /* CRTCs, by index */
	int n;
};

static void add_off(struct remains *remains, uint32_t object, const struct drm_property *property)
{
	if (property->id) {
		drmModeAtomicAddProperty(remains->request, object, property->id, 0);
		remains->n++;
	}
}

static int crtc_index(const struct drm_card *card, uint32_t id)
{
	for (int i = 0; i < card->n_crtcs; i++) {
		if (card->crtcs[i].id == id) {
			return i;
		}
	}
	return -1;
}

/* What is off is to be off, unless the kernel has yet to be told, or somebody else has it. */
static bool is_used(const struct drm_output *output, uint32_t connector)
{
	return output && output->connector == connector &&
	       (output->base.enabled || output->base.leased || output->due);
}

static void clean_orphans(struct remains *remains)
{
	struct drm_card *card = remains->card;
	for (int i = 0; i < card->n_crtcs; i++) {
		const struct drm_crtc *crtc = &card->crtcs[i];
		struct drm_property properties[CONNECTOR_N_PROPERTIES];
		if (!crtc->orphan) {
			continue;
		}
		/* It may be on no list any more, and if it drives nothing, there at all: a dock's. */
		drm_read_connector(card->fd, crtc->orphan, properties);
		if (properties[CONNECTOR_CRTC_ID].value == crtc->id) {
			remains->off |= 1u << i;
			add_off(remains, crtc->orphan, &properties[CONNECTOR_CRTC_ID]);
		}
	}
}

static void clean_connectors(struct remains *remains)
{
	struct drm_card *card = remains->card;
	drmModeRes *resources = drmModeGetResources(card->fd);
	for (int i = 0; resources && i < resources->count_connectors; i++) {
		uint32_t id = resources->connectors[i];
		struct drm_property properties[CONNECTOR_N_PROPERTIES];
		drm_read_connector(card->fd, id, properties);
		int crtc = crtc_index(card, (uint32_t)properties[CONNECTOR_CRTC_ID].value);
		if (crtc >= 0 && !is_used(card->crtcs[crtc].output, id)) {
			remains->off |= 1u << crtc;
			add_off(remains, id, &properties[CONNECTOR_CRTC_ID]);
		}
	}
	drmModeFreeResources(resources);
}

static void clean_planes(struct remains *remains)
{
	struct drm_card *card = remains->card;
	for (int i = 0; i < card->n_planes; i++) {
		struct drm_plane *plane = &card->planes[i];
		drmModePlane *now = drmModeGetPlane(card->fd, plane->id);
		int crtc = now && now->crtc_id ? crtc_index(card, now->crtc_id) : -1;
		if (crtc >= 0 && (remains->off & 1u << crtc || !plane->output ||
					 plane->output->crtc->index != crtc)) {
			add_off(remains, plane->id, &plane->properties[PLANE_FB_ID]);
			add_off(remains, plane->id, &plane->properties[PLANE_CRTC_ID]);
		}
		drmModeFreePlane(now);
	}
}

/* The kernel has been told to let go of what is gone, or never will. */
static void let_go(struct drm_card *card)
{
	for (int i = 0; i < card->n_crtcs; i++) {
		card->crtcs[i].orphan = 0;
		drm_blank_finish(card, &card->crtcs[i].orphan_blank);
	}
	for (int i = 0; i < card->n_planes; i++) {
		if (!card->planes[i].output) {
			buffer_replace(&card->planes[i].shown, NULL);
		}
	}
}

/* No event can be asked for of what may be off already. */
static int switch_off(void *data, uint32_t flags)
{
	const struct remains *remains = data;
	return drmModeAtomicCommit(
		remains->card->fd, remains->request, flags | DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
}

/* Else a CRTC that we are about to use might be taken, or memory bandwidth be wasted. */
int drm_card_clean(struct drm_card *card, bool wait)
{
	struct remains remains = {.card = card, .request = drmModeAtomicAlloc()};
	if (!remains.request) {
		return -ENOMEM;
	}
	clean_orphans(&remains);
	clean_connectors(&remains);
	clean_planes(&remains);
	for (int i = 0; i < card->n_crtcs; i++) {
		if (remains.off & 1u << i) {
			add_off(&remains, card->crtcs[i].id,
				&card->crtcs[i].properties[CRTC_ACTIVE]);
			add_off(&remains, card->crtcs[i].id,
				&card->crtcs[i].properties[CRTC_MODE_ID]);
		}
	}
	int error = remains.n > 0 ? drm_card_change(card, wait, switch_off, &remains) : 0;
	drmModeAtomicFree(remains.request);
	card->unclean = error == -EBUSY && !wait;
	if (card->unclean) {
		drm_card_await(card);
		return error;
	}
	if ((error == -EACCES || error == -EPERM) && !wait) {
		card->unclean = true; /* the session is away: when it is back */
		return error;
	}
	if (error < 0) {
		log_debug(LOG_BACKEND, "%s: what is left there cannot be switched off: %s",
			card->gpu->bus_id, strerror(-error));
	}
	let_go(card);
	return error;
}
