/* SPDX-License-Identifier: MIT */
#pragma once

/** "max bpc" of connectors as the compositor found it. */

#include "drm.h"

/**
 * Returns the value of the connector's "max bpc" before the first commit of the compositor: that of
 * an earlier output, else `now`.
 */
uint64_t drm_card_usual_bpc(struct drm_card *card, uint32_t connector, uint64_t now);
/** Forgets connectors that are gone, such as those of a dock: others may get their IDs. */
void drm_card_forget_usual(struct drm_card *card, const drmModeRes *resources);
