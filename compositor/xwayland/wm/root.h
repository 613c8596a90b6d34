/* SPDX-License-Identifier: MIT */
#pragma once

/** Properties of the root window, and settings of X programs. */

#include <stddef.h>
#include <stdint.h>

struct xwm;

/* root.c */
/** Measures outputs for xwm_root_send_first(). */
void xwm_root_measure(struct xwm *wm);
/** Sends all of them, without windows. Called by the thread that connects. */
void xwm_root_send_first(struct xwm *wm);
void xwm_root_send_area(struct xwm *wm);
void xwm_root_send_lists(struct xwm *wm);

/* settings.c: XSETTINGS and X resources, by which programs learn the scale */
/** Sends them before programs can connect. Called by the thread that connects. */
void xwm_settings_send_first(struct xwm *wm);
/** Updates them if they are dirty. */
void xwm_settings_send(struct xwm *wm);
/** Pure: writes the value of _XSETTINGS_SETTINGS to `bytes`; returns its length. */
#define X_SETTINGS_SIZE 256
size_t xwm_settings_encode(
	uint8_t bytes[X_SETTINGS_SIZE], double scale, int cursor_size, uint32_t serial);
/** Pure: replaces settings of the scale in X resources. The caller frees the text. */
char *xwm_resources_merge(const char *resources, size_t length, double scale, int cursor_size);
