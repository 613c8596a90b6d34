/* SPDX-License-Identifier: MIT */
/* Hotplug of connectors: creates and destroys outputs, and assigns free CRTCs. */

#include "backend/lease.h"
#include "backend/session.h"
#include "drm.h"
#include "usual.h"
#include "util/log.h"
#include <stdlib.h>
#include <string.h>

#define CANDIDATES_MAX 32

/*
 * A connector without an output that is connected, or may be. VGA, DPI and composite connectors
 * cannot always tell; the server decides whether to enable them.
 */
struct candidate {
	drmModeConnector *connector;
	struct drm_property properties[CONNECTOR_N_PROPERTIES];
	uint32_t possible_crtcs;
	struct drm_crtc *crtc; /* assigned to it */
};

struct candidates {
	struct drm_card *card;
	struct candidate list[CANDIDATES_MAX];
	int n;
};

static struct drm_output *find_output(struct drm_card *card, uint32_t connector)
{
	struct drm_output *output;
	wl_list_for_each (output, &card->outputs, link) {
		if (output->connector == connector) {
			return output;
		}
	}
	return NULL;
}

static void add_candidate(struct candidates *candidates, drmModeConnector *connector,
	const struct drm_property *properties)
{
	if (candidates->n == CANDIDATES_MAX) {
		drmModeFreeConnector(connector);
		return;
	}
	struct candidate *candidate = &candidates->list[candidates->n++];
	*candidate = (struct candidate){
		.connector = connector,
		.possible_crtcs = drmModeConnectorGetPossibleCrtcs(candidates->card->fd, connector),
	};
	memcpy(candidate->properties, properties, sizeof(candidate->properties));
}

static void look_at(struct candidates *candidates, uint32_t id)
{
	struct drm_card *card = candidates->card;
	struct drm_output *output = find_output(card, id);
	drmModeConnector *connector = drmModeGetConnectorCurrent(card->fd, id);
	if (!connector || connector->connection == DRM_MODE_DISCONNECTED ||
		connector->count_modes == 0 ||
		connector->connector_type == DRM_MODE_CONNECTOR_WRITEBACK) {
		drmModeFreeConnector(connector);
		return;
	}
	struct drm_property properties[CONNECTOR_N_PROPERTIES];
	drm_read_connector(card->fd, id, properties);
	if (output && drm_output_is_same_screen(output, properties)) {
		output->found = true;
		drm_output_update(output, connector, properties);
		drmModeFreeConnector(connector);
		return;
	}
	/*
	 * Another screen on the same connector gets a new output: the old one counts as unplugged.
	 */
	add_candidate(candidates, connector, properties);
}

static void remove_lost(struct drm_card *card)
{
	struct drm_output *output, *next;
	wl_list_for_each_safe (output, next, &card->outputs, link) {
		if (!output->found) {
			log_info("%s is unplugged", output->base.name);
			drm_lease_end(&output->base);
			drm_output_destroy(output);
		}
	}
}

static bool may_have(const struct candidate *candidate, const struct drm_crtc *crtc)
{
	return !crtc->output && candidate->possible_crtcs & 1u << crtc->index;
}

static struct candidate *find_holder(struct candidates *candidates, const struct drm_crtc *crtc)
{
	for (int i = 0; i < candidates->n; i++) {
		if (candidates->list[i].crtc == crtc) {
			return &candidates->list[i];
		}
	}
	return NULL;
}

/*
 * Keeps the CRTC that already drives the connector (e.g. set up by firmware), to avoid a flicker.
 */
static void keep(struct candidates *candidates, struct candidate *candidate)
{
	struct drm_card *card = candidates->card;
	uint32_t now = (uint32_t)candidate->properties[CONNECTOR_CRTC_ID].value;
	for (int i = 0; i < card->n_crtcs; i++) {
		struct drm_crtc *crtc = &card->crtcs[i];
		if (crtc->id == now && may_have(candidate, crtc) &&
			!find_holder(candidates, crtc)) {
			candidate->crtc = crtc;
		}
	}
}

/*
 * Assigns a CRTC to the candidate: a free one, else one whose candidate can move to another
 * (augmenting path), which maximises the number of outputs. Existing outputs keep their CRTC.
 */
static bool place(struct candidates *candidates, struct candidate *candidate, uint32_t *tried)
{
	struct drm_card *card = candidates->card;
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < card->n_crtcs; i++) {
			struct drm_crtc *crtc = &card->crtcs[i];
			uint32_t bit = 1u << crtc->index;
			if (*tried & bit || !may_have(candidate, crtc)) {
				continue;
			}
			struct candidate *holder = find_holder(candidates, crtc);
			if (holder && pass == 0) {
				continue;
			}
			*tried |= bit;
			if (!holder || place(candidates, holder, tried)) {
				candidate->crtc = crtc;
				return true;
			}
		}
	}
	return false;
}

static void place_all(struct candidates *candidates, bool desktop)
{
	for (int i = 0; i < candidates->n; i++) {
		struct candidate *candidate = &candidates->list[i];
		uint32_t tried = 0;
		bool non_desktop = candidate->properties[CONNECTOR_NON_DESKTOP].value;
		if (desktop != non_desktop && !candidate->crtc) {
			place(candidates, candidate, &tried);
		}
	}
}

/* Creates the outputs, those without a free CRTC as well: they get one when they are enabled. */
static void create_outputs(struct candidates *candidates)
{
	struct drm_card *card = candidates->card;
	for (int i = 0; i < candidates->n; i++) {
		if (!candidates->list[i].properties[CONNECTOR_NON_DESKTOP].value) {
			keep(candidates, &candidates->list[i]);
		}
	}
	/* Headsets come last: they show nothing until they are leased. */
	place_all(candidates, true);
	place_all(candidates, false);
	for (int i = 0; i < candidates->n; i++) {
		struct candidate *candidate = &candidates->list[i];
		drm_output_create(
			card, candidate->connector, candidate->properties, candidate->crtc);
	}
}

static void announce(struct drm_card *card, const struct candidates *candidates)
{
	for (int i = 0; i < candidates->n; i++) {
		/* Find the output by id: listeners may destroy others. */
		struct drm_output *output =
			find_output(card, candidates->list[i].connector->connector_id);
		if (output) {
			log_info("%s is plugged in: %s", output->base.name,
				output->base.description);
			signal_emit(&card->backend->base.events.new_output, &output->base);
		}
	}
}

void drm_card_scan(struct drm_card *card, uint32_t connector)
{
	if (drm_card_is_recovering(card)) {
		card->rescan = true;
		return;
	}
	drmModeRes *resources = drmModeGetResources(card->fd);
	if (!resources) {
		return; /* it is being unplugged */
	}
	struct candidates candidates = {.card = card};
	struct drm_output *output;
	bool all = connector == 0;
	card->rescan = card->rescan && !all;
	wl_list_for_each (output, &card->outputs, link) {
		output->found = !all && output->connector != connector;
	}
	for (int i = 0; i < resources->count_connectors; i++) {
		if (all || resources->connectors[i] == connector) {
			look_at(&candidates, resources->connectors[i]);
		}
	}
	drm_card_forget_usual(card, resources);
	drmModeFreeResources(resources);
	remove_lost(card);
	if (card->clean_refused && card->backend->session->active) {
		drm_card_clean(card, false); /* a new output may need the CRTC */
	}
	create_outputs(&candidates);
	if (card->backend->started) {
		announce(card, &candidates);
		drm_card_reconsider(card);
	}
	for (int i = 0; i < candidates.n; i++) {
		drmModeFreeConnector(candidates.list[i].connector);
	}
}
