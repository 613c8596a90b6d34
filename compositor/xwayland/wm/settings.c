/* SPDX-License-Identifier: MIT */
/* XSETTINGS and X resources, by which X programs learn the scale of the X screen. */

#include "root.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/xwm.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Dots per inch at a scale of 1. */
#define DPI 96
/** X resources that are merged at most, in units of 32 bits: longer ones stay as they are. */
#define RESOURCES_MAX 16384

static uint8_t *put(uint8_t *at, const void *value, size_t size)
{
	memcpy(at, value, size);
	return at + size;
}

/* Writes an integer setting. Strings are padded to units of 32 bits. */
static uint8_t *put_setting(uint8_t *at, const char *name, int32_t value, uint32_t serial)
{
	const uint16_t length = (uint16_t)strlen(name);
	const uint8_t type[2] = {0};
	at = put(at, type, sizeof(type));
	at = put(at, &length, sizeof(length));
	at = put(at, name, length) + (-length & 3);
	at = put(at, &serial, sizeof(serial));
	return put(at, &value, sizeof(value));
}

size_t xwm_settings_encode(
	uint8_t bytes[X_SETTINGS_SIZE], double scale, int cursor_size, uint32_t serial)
{
	/* GTK enlarges windows by whole factors, and text by the remainder. */
	const int32_t factor = (int32_t)floor(scale);
	const int32_t dpi = (int32_t)lround(DPI * scale * 1024);
	const uint32_t count = 4;
	const uint16_t one = 1;
	memset(bytes, 0, X_SETTINGS_SIZE);
	bytes[0] = *(const uint8_t *)&one == 1 ? 0 : 1; /* byte order: least significant first */
	uint8_t *at = put(bytes + 4, &serial, sizeof(serial));
	at = put(at, &count, sizeof(count));
	at = put_setting(at, "Xft/DPI", dpi, serial);
	at = put_setting(at, "Gdk/UnscaledDPI", dpi / factor, serial);
	at = put_setting(at, "Gdk/WindowScalingFactor", factor, serial);
	at = put_setting(at, "Gtk/CursorThemeSize", cursor_size, serial);
	return (size_t)(at - bytes);
}

static bool is_ours(const char *line, size_t length)
{
	static const char *const names[] = {"Xft.dpi:", "Xcursor.size:"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (length >= strlen(names[i]) && memcmp(line, names[i], strlen(names[i])) == 0) {
			return true;
		}
	}
	return false;
}

char *xwm_resources_merge(const char *resources, size_t length, double scale, int cursor_size)
{
	char *ours =
		xasprintf("Xft.dpi:\t%ld\nXcursor.size:\t%d\n", lround(DPI * scale), cursor_size);
	char *merged = xcalloc(1, length + strlen(ours) + 2), *to = merged;
	const char *end = resources + length;
	while (resources < end && *resources) {
		const size_t rest = (size_t)(end - resources);
		const char *newline = memchr(resources, '\n', rest);
		const size_t line =
			newline ? (size_t)(newline - resources) + 1 : strnlen(resources, rest);
		if (!is_ours(resources, line)) {
			memcpy(to, resources, line);
			to += line;
		}
		resources += line;
	}
	if (to > merged && to[-1] != '\n') {
		*to++ = '\n';
	}
	strcpy(to, ours);
	free(ours);
	return merged;
}

static int scaled_cursor_size(const struct xwm *wm)
{
	return (int)lround(wm->cursor_size * wm->scale);
}

static void set_resources(struct xwm *wm, const char *old, size_t length)
{
	char *text = xwm_resources_merge(old, length, wm->scale, scaled_cursor_size(wm));
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, wm->root, XCB_ATOM_RESOURCE_MANAGER,
		XCB_ATOM_STRING, 8, (uint32_t)strlen(text), text);
	free(text);
}

static void set_settings(struct xwm *wm)
{
	uint8_t bytes[X_SETTINGS_SIZE];
	const size_t length = xwm_settings_encode(
		bytes, wm->scale, scaled_cursor_size(wm), ++wm->settings_serial);
	const xcb_atom_t atom = wm->atoms[X__XSETTINGS_SETTINGS];
	xcb_change_property(
		wm->x, XCB_PROP_MODE_REPLACE, wm->own, atom, atom, 8, (uint32_t)length, bytes);
}

static void become_manager(struct xwm *wm)
{
	const xcb_client_message_event_t message = {
		.response_type = XCB_CLIENT_MESSAGE,
		.format = 32,
		.window = wm->root,
		.type = wm->atoms[X_MANAGER],
		.data.data32 = {XCB_CURRENT_TIME, wm->atoms[X__XSETTINGS_S0], wm->own},
	};
	set_settings(wm);
	xcb_set_selection_owner(wm->x, wm->own, wm->atoms[X__XSETTINGS_S0], XCB_CURRENT_TIME);
	xcb_send_event(wm->x, 0, wm->root, XCB_EVENT_MASK_STRUCTURE_NOTIFY, (const char *)&message);
}

/* At a scale of 1, the settings and a daemon of the user's choice have their way. */
void xwm_settings_send_first(struct xwm *wm)
{
	if (wm->scale != 1) {
		set_resources(wm, NULL, 0);
		become_manager(wm);
	}
}

static void handle_owner(struct xwm *wm, void *data, uint32_t number, void *answer)
{
	const xcb_get_selection_owner_reply_t *reply = answer;
	if (reply && reply->owner == XCB_NONE) {
		become_manager(wm);
	} else if (reply && reply->owner == wm->own) {
		set_settings(wm);
	}
}

static void handle_resources(struct xwm *wm, void *data, uint32_t number, void *answer)
{
	const xcb_get_property_reply_t *reply = answer;
	const bool text = reply && reply->format == 8;
	if (reply && reply->bytes_after == 0) {
		set_resources(wm, text ? xcb_get_property_value(reply) : NULL,
			text ? (size_t)xcb_get_property_value_length(reply) : 0);
	}
}

void xwm_settings_send(struct xwm *wm)
{
	if (!wm->settings_dirty) {
		return;
	}
	wm->settings_dirty = false;
	xwm_reply_expect(wm, xcb_get_selection_owner(wm->x, wm->atoms[X__XSETTINGS_S0]).sequence,
		handle_owner, NULL, 0);
	xwm_reply_expect(wm,
		xcb_get_property(wm->x, 0, wm->root, XCB_ATOM_RESOURCE_MANAGER,
			XCB_GET_PROPERTY_TYPE_ANY, 0, RESOURCES_MAX)
			.sequence,
		handle_resources, NULL, 0);
}
