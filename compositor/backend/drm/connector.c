/* What is plugged in: finds connectors that came and went, and gives each a CRTC. */

#include "drm.h"
#include "util/log.h"
#include "util/signal.h"
#include <stdlib.h>
#include <string.h>

#define MAX_NEW 32

/* A connector that has no output yet. */
struct candidate {
	drmModeConnector *connector;
	struct drm_property properties[CONNECTOR_N_PROPERTIES];
	uint32_t possible_crtcs;
	struct drm_crtc *crtc; /* that it is to have */
};

struct candidates {
	struct drm_card *card;
	struct candidate list[MAX_NEW];
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
	if (candidates->n == MAX_NEW) {
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

/* Asks the screen, which may take some milliseconds. */
static void look_at(struct candidates *candidates, uint32_t id)
{
	struct drm_card *card = candidates->card;
	struct drm_output *output = find_output(card, id);
	drmModeConnector *connector = drmModeGetConnector(card->fd, id);
	if (!connector || connector->connection != DRM_MODE_CONNECTED ||
		connector->count_modes == 0 ||
		connector->connector_type == DRM_MODE_CONNECTOR_WRITEBACK) {
		drmModeFreeConnector(connector);
		return;
	}
	struct drm_property properties[CONNECTOR_N_PROPERTIES];
	drm_read_connector(card->fd, id, properties);
	if (output && drm_edid_hash(card->fd, properties) == output->edid_hash) {
		output->found = true;
		drm_output_update(output, connector, properties);
		drmModeFreeConnector(connector);
		return;
	}
	/* Another screen on the same plug is another output: the old one goes as not found. */
	add_candidate(candidates, connector, properties);
}

static void remove_lost(struct drm_card *card)
{
	struct drm_output *output, *next;
	wl_list_for_each_safe (output, next, &card->outputs, link) {
		if (!output->found) {
			log_info("%s is unplugged", output->base.name);
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

/* What drives it already, be it for the firmware, goes on to: no flicker then. */
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
 * One more candidate finds a CRTC: a free one, else one whose holder finds another in turn, so that as
 * many as can be get one. Outputs that there are keep theirs.
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

/* A headset that nobody has borrowed has a CRTC only as long as no screen of the session needs it. */
static bool evict(struct candidates *candidates, struct candidate *candidate)
{
	struct drm_output *output;
	wl_list_for_each (output, &candidates->card->outputs, link) {
		uint32_t tried = 0;
		if (!output->base.non_desktop || output->base.leased || output->base.enabled) {
			continue;
		}
		output->crtc->output = NULL;
		if (place(candidates, candidate, &tried)) {
			log_info("%s cannot be lent while a screen needs its CRTC",
				output->base.name);
			output->crtc->output = output; /* so that it leaves what it has there */
			drm_output_destroy(output);
			return true;
		}
		output->crtc->output = output;
	}
	return false;
}

static void place_all(struct candidates *candidates, bool desktop)
{
	for (int i = 0; i < candidates->n; i++) {
		struct candidate *candidate = &candidates->list[i];
		uint32_t tried = 0;
		bool non_desktop = candidate->properties[CONNECTOR_NON_DESKTOP].value;
		if (desktop != non_desktop && !candidate->crtc &&
			!place(candidates, candidate, &tried)) {
			/* Some screen is, be it the headset. */
			candidates->card->starved = true;
			if (desktop) {
				evict(candidates, candidate);
			}
		}
	}
}

/* Whoever has borrowed a CRTC is not robbed of it: the session of a headset would end. */
static void warn_of_none(const struct drm_card *card, const struct candidate *candidate)
{
	const drmModeConnector *connector = candidate->connector;
	const char *type = drmModeGetConnectorTypeName(connector->connector_type);
	const struct drm_output *output;
	wl_list_for_each (output, &card->outputs, link) {
		if (output->base.leased && candidate->possible_crtcs & 1u << output->crtc->index) {
			log_warn("%s-%u: the card has no CRTC left for it while %s is lent: it "
				 "comes on when the program that has that ends",
				type ? type : "Unknown", connector->connector_type_id,
				output->base.name);
			return;
		}
	}
	log_warn("%s-%u: the card has no CRTC left for it", type ? type : "Unknown",
		connector->connector_type_id);
}

static void create_outputs(struct candidates *candidates)
{
	struct drm_card *card = candidates->card;
	for (int i = 0; i < candidates->n; i++) {
		if (!candidates->list[i].properties[CONNECTOR_NON_DESKTOP].value) {
			keep(candidates, &candidates->list[i]);
		}
	}
	/* Headsets show nothing until somebody borrows them. */
	place_all(candidates, true);
	place_all(candidates, false);
	for (int i = 0; i < candidates->n; i++) {
		struct candidate *candidate = &candidates->list[i];
		const drmModeConnector *connector = candidate->connector;
		if (candidate->crtc) {
			drm_output_create(card, connector, candidate->properties, candidate->crtc);
		} else {
			warn_of_none(card, &candidates->list[i]);
		}
	}
}

static void announce(struct drm_card *card, const struct candidates *candidates)
{
	for (int i = 0; i < candidates->n; i++) {
		/* By id: what listens may have others go. */
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
	drmModeRes *resources = drmModeGetResources(card->fd);
	if (!resources) {
		return; /* it is being unplugged */
	}
	struct candidates candidates = {.card = card};
	struct drm_output *output;
	bool all = connector == 0 || card->starved;
	card->starved = false;
	card->rescan = card->rescan && !all;
	wl_list_for_each (output, &card->outputs, link) {
		output->found = !all && output->connector != connector;
	}
	for (int i = 0; i < resources->count_connectors; i++) {
		if (all || resources->connectors[i] == connector) {
			look_at(&candidates, resources->connectors[i]);
		}
	}
	drmModeFreeResources(resources);
	remove_lost(card);
	create_outputs(&candidates);
	if (card->backend->started) {
		announce(card, &candidates);
	}
	for (int i = 0; i < candidates.n; i++) {
		drmModeFreeConnector(candidates.list[i].connector);
	}
}
