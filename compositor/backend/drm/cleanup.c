/* SPDX-License-Identifier: MIT */
/*
 * Cleanup of KMS state: disables CRTCs and planes that none of our outputs uses, left by firmware,
 * another compositor, a lessee or an unplugged screen, and resets colour pipelines of planes.
 */

#include "backend/session.h"
#include "commit.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include <errno.h>
#include <string.h>

/* DRM_CLIENT_CAP_PLANE_COLOR_PIPELINE, which libdrm 2.4.123 lacks. */
#define PLANE_COLOR_PIPELINE_CAP 7

/* Pause before the next cleanup after one for which memory was missing, ns. */
#define MEMORY_PAUSE INT64_C(1000000000)

struct cleanup {
	struct drm_card *card;
	drmModeAtomicReq *request;
	uint32_t off; /* CRTCs, by index */
	uint32_t kept; /* CRTCs that still have a connector */
	bool pipelines; /* the capability is set */
	int n;
};

static void add_off(struct cleanup *cleanup, uint32_t object, const struct drm_property *property)
{
	if (property->id) {
		drmModeAtomicAddProperty(cleanup->request, object, property->id, 0);
		cleanup->n++;
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

/*
 * Returns true if the connector's output uses the CRTC: a disabled one counts while a change is due
 * or another program leases it, and one that moves while the kernel has it there.
 */
static bool is_used(const struct drm_card *card, const struct drm_crtc *crtc, uint32_t connector)
{
	const struct drm_output *output;
	wl_list_for_each (output, &card->outputs, link) {
		if (output->connector == connector) {
			return (output->crtc == crtc || output->left == crtc) &&
			       (output->base.enabled || output->base.leased || output->due);
		}
	}
	return false;
}

/* Until the lease ends, the lessee decides what the kernel shows there. */
static bool is_leased(const struct drm_crtc *crtc)
{
	return crtc->output && crtc->output->base.leased;
}

/* Detaches the connector from the CRTC, which goes on if it has another connector. */
static void release(struct cleanup *cleanup, const struct drm_crtc *crtc, uint32_t connector,
	const struct drm_property *property)
{
	cleanup->off |= 1u << crtc->index;
	add_off(cleanup, connector, property);
}

static void clean_orphans(struct cleanup *cleanup)
{
	struct drm_card *card = cleanup->card;
	for (int i = 0; i < card->n_crtcs; i++) {
		const struct drm_crtc *crtc = &card->crtcs[i];
		struct drm_property properties[CONNECTOR_N_PROPERTIES];
		if (!crtc->orphan || is_leased(crtc)) {
			continue;
		}
		/*
		 * An orphaned connector (e.g. of a dock) may be missing from the list, or may no
		 * longer exist.
		 */
		drm_read_connector(card->fd, crtc->orphan, properties);
		if (properties[CONNECTOR_CRTC_ID].value == crtc->id) {
			release(cleanup, crtc, crtc->orphan, &properties[CONNECTOR_CRTC_ID]);
		}
	}
}

static void clean_connectors(struct cleanup *cleanup)
{
	struct drm_card *card = cleanup->card;
	drmModeRes *resources = drmModeGetResources(card->fd);
	for (int i = 0; resources && i < resources->count_connectors; i++) {
		uint32_t id = resources->connectors[i];
		struct drm_property properties[CONNECTOR_N_PROPERTIES];
		drm_read_connector(card->fd, id, properties);
		int crtc = crtc_index(card, (uint32_t)properties[CONNECTOR_CRTC_ID].value);
		if (crtc >= 0 && card->crtcs[crtc].orphan == id) {
			continue; /* released: the connector has a new output */
		}
		if (crtc >= 0 && is_used(card, &card->crtcs[crtc], id)) {
			cleanup->kept |= 1u << crtc;
		} else if (crtc >= 0) {
			release(cleanup, &card->crtcs[crtc], id, &properties[CONNECTOR_CRTC_ID]);
		}
	}
	drmModeFreeResources(resources);
	cleanup->off &= ~cleanup->kept;
}

static void clean_planes(struct cleanup *cleanup)
{
	struct drm_card *card = cleanup->card;
	for (int i = 0; i < card->n_planes; i++) {
		struct drm_plane *plane = &card->planes[i];
		drmModePlane *now = drmModeGetPlane(card->fd, plane->id);
		int crtc = now && now->crtc_id ? crtc_index(card, now->crtc_id) : -1;
		if (crtc >= 0 &&
			(cleanup->off & 1u << crtc || !plane->crtc || plane->crtc->index != crtc)) {
			add_off(cleanup, plane->id, &plane->properties[PLANE_FB_ID]);
			add_off(cleanup, plane->id, &plane->properties[PLANE_CRTC_ID]);
		}
		drmModeFreePlane(now);
	}
}

/*
 * Resets the colour pipelines that another DRM master has left. The kernel shows COLOR_PIPELINE to
 * programs with this capability only, and refuses COLOR_ENCODING and COLOR_RANGE to them
 * (drm_atomic_plane_set_property()): it is set during the cleanup only (Linux 6.19).
 */
static void clean_pipelines(struct cleanup *cleanup)
{
	struct drm_card *card = cleanup->card;
	if (card->no_pipelines) {
		return;
	}
	card->no_pipelines = drmSetClientCap(card->fd, PLANE_COLOR_PIPELINE_CAP, 1) != 0;
	cleanup->pipelines = !card->no_pipelines;
	for (int i = 0; cleanup->pipelines && i < card->n_planes; i++) {
		struct drm_property properties[PLANE_N_PROPERTIES];
		drm_read_plane(card->fd, card->planes[i].id, properties);
		if (properties[PLANE_COLOR_PIPELINE].value) {
			add_off(cleanup, card->planes[i].id, &properties[PLANE_COLOR_PIPELINE]);
		}
	}
}

/* Returns true if the kernel shows nothing of the output once stale CRTCs are disabled. */
static bool is_off(const struct drm_output *output)
{
	return !output->base.enabled && !output->base.leased && !output->active && !output->due &&
	       !output->pending.serial;
}

/*
 * Drops resources of orphans and of disabled outputs after the kernel released them, or never will.
 */
static void drop_unused(struct drm_card *card)
{
	struct drm_output *output;
	for (int i = 0; i < card->n_crtcs; i++) {
		if (!is_leased(&card->crtcs[i])) {
			card->crtcs[i].orphan = 0;
			drm_blank_finish(card, &card->crtcs[i].orphan_blank);
		}
	}
	for (int i = 0; i < card->n_planes; i++) {
		struct drm_plane *plane = &card->planes[i];
		if (!plane->crtc || !plane->crtc->output || is_off(plane->crtc->output)) {
			buffer_replace(&plane->shown, NULL);
		}
	}
	wl_list_for_each (output, &card->outputs, link) {
		if (is_off(output)) {
			drm_blank_finish(card, &output->blank);
		}
	}
}

/* The request has no completion event: the kernel refuses events for CRTCs that are off. */
static int switch_off(void *data, uint32_t flags)
{
	const struct cleanup *cleanup = data;
	return drmModeAtomicCommit(
		cleanup->card->fd, cleanup->request, flags | DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
}

/* Stale state could occupy a CRTC that an output needs, or waste memory bandwidth. */
int drm_card_clean(struct drm_card *card, bool wait)
{
	if (wait ? drm_card_is_recovering(card) : drm_card_holds_connectors(card)) {
		card->unclean = !wait;
		if (wait) {
			drop_unused(card); /* left to the kernel */
		}
		return -EBUSY;
	}
	struct cleanup cleanup = {.card = card, .request = drmModeAtomicAlloc()};
	if (!cleanup.request) {
		return -ENOMEM;
	}
	clean_orphans(&cleanup);
	clean_connectors(&cleanup);
	clean_planes(&cleanup);
	clean_pipelines(&cleanup);
	for (int i = 0; i < card->n_crtcs; i++) {
		if (cleanup.off & 1u << i) {
			add_off(&cleanup, card->crtcs[i].id,
				&card->crtcs[i].properties[CRTC_ACTIVE]);
			add_off(&cleanup, card->crtcs[i].id,
				&card->crtcs[i].properties[CRTC_MODE_ID]);
		}
	}
	int error = cleanup.n > 0 ? drm_card_run_modeset(card, wait, switch_off, &cleanup) : 0;
	drmModeAtomicFree(cleanup.request);
	if (cleanup.pipelines) {
		drmSetClientCap(card->fd, PLANE_COLOR_PIPELINE_CAP, 0);
	}
	card->unclean = error == -EBUSY && !wait;
	if (card->unclean) {
		drm_card_await(card);
		return error;
	}
	if ((error == -EACCES || error == -EPERM) && !wait) {
		card->unclean = true; /* the session is inactive: cleanup on return */
		return error;
	}
	card->clean_refused = error < 0;
	if (error < 0) {
		log_debug(LOG_BACKEND, "%s: cannot disable stale CRTCs: %s", card->gpu->bus_id,
			strerror(-error));
	}
	if (error == -ENOMEM && !wait) {
		drm_card_rescan(card, MEMORY_PAUSE); /* no event tells that memory is free */
	}
	drop_unused(card);
	return error;
}
