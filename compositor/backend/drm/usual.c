/* SPDX-License-Identifier: MIT */
/*
 * "max bpc" of connectors as the compositor found it. The kernel keeps the last value while the
 * screen is absent, and the default of drivers is not part of the property.
 */

#include "usual.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct drm_usual {
	uint32_t connector;
	uint64_t bpc;
};

uint64_t drm_card_usual_bpc(struct drm_card *card, uint32_t connector, uint64_t now)
{
	for (int i = 0; i < card->n_usual; i++) {
		if (card->usual[i].connector == connector) {
			return card->usual[i].bpc;
		}
	}
	card->usual = xrealloc(card->usual, (size_t)card->n_usual + 1, sizeof(*card->usual));
	card->usual[card->n_usual++] = (struct drm_usual){connector, now};
	return now;
}

static bool is_listed(const drmModeRes *resources, uint32_t connector)
{
	for (int i = 0; i < resources->count_connectors; i++) {
		if (resources->connectors[i] == connector) {
			return true;
		}
	}
	return false;
}

void drm_card_forget_usual(struct drm_card *card, const drmModeRes *resources)
{
	int n = 0;
	for (int i = 0; i < card->n_usual; i++) {
		if (is_listed(resources, card->usual[i].connector)) {
			card->usual[n++] = card->usual[i];
		}
	}
	card->n_usual = n;
}
