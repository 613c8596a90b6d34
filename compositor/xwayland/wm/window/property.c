/* SPDX-License-Identifier: MIT */
/* Properties of X windows: requested in batches, of bounded length, at most one each at a time. */

#include "iconic.h"
#include "scale.h"
#include "sync.h"
#include "util/account.h"
#include "window.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/text.h"
#include "xwayland/wm/base/xwm.h"
#include "xwayland/wm/hints/hints.h"
#include "xwayland/wm/hints/icon.h"
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb_icccm.h>

#define ALL ((1u << PROPERTY_COUNT) - 1)

/** The bit of Motif's flags, and of its decorations. */
#define MOTIF_HAS_DECORATIONS (1 << 1)

struct row {
	xcb_atom_t atom; /* predefined; 0: `name` */
	enum x_atom name;
	uint32_t length; /* that is read at most, in units of 32 bits */
};

static const struct row rows[PROPERTY_COUNT] = {
	[PROPERTY_TITLE_UTF8] = {.name = X__NET_WM_NAME, .length = 512},
	[PROPERTY_TITLE] = {.atom = XCB_ATOM_WM_NAME, .length = 512},
	[PROPERTY_CLASS] = {.atom = XCB_ATOM_WM_CLASS, .length = 128},
	[PROPERTY_PROTOCOLS] = {.name = X_WM_PROTOCOLS, .length = 32},
	[PROPERTY_HINTS] = {.atom = XCB_ATOM_WM_HINTS, .length = 9},
	[PROPERTY_NORMAL_HINTS] = {.atom = XCB_ATOM_WM_NORMAL_HINTS, .length = 18},
	[PROPERTY_TRANSIENT_FOR] = {.atom = XCB_ATOM_WM_TRANSIENT_FOR, .length = 1},
	[PROPERTY_TYPE] = {.name = X__NET_WM_WINDOW_TYPE, .length = 16},
	[PROPERTY_MOTIF] = {.name = X__MOTIF_WM_HINTS, .length = 5},
	[PROPERTY_SYNC_COUNTER] = {.name = X__NET_WM_SYNC_REQUEST_COUNTER, .length = 1},
	[PROPERTY_STRUT_PARTIAL] = {.name = X__NET_WM_STRUT_PARTIAL, .length = 12},
	[PROPERTY_STRUT] = {.name = X__NET_WM_STRUT, .length = 4},
	[PROPERTY_STARTUP_ID] = {.name = X__NET_STARTUP_ID, .length = 32},
	[PROPERTY_MODES] = {.name = X__XWAYLAND_RANDR_EMU_MONITOR_RECTS, .length = 4 * X_MODES_MAX},
	[PROPERTY_USER_TIME_WINDOW] = {.name = X__NET_WM_USER_TIME_WINDOW, .length = 1},
	[PROPERTY_USER_TIME] = {.name = X__NET_WM_USER_TIME, .length = 1},
	[PROPERTY_STATE] = {.name = X__NET_WM_STATE, .length = 32},
};

static xcb_atom_t atom_of(const struct xwm *wm, enum x_property property)
{
	const struct row *row = &rows[property];
	return row->atom ? row->atom : wm->atoms[row->name];
}

static void handle_reply(struct xwm *wm, void *data, uint32_t property, void *reply)
{
	xwin_property_reply(data, (enum x_property)property, reply);
}

static void request(struct xwin *window, enum x_property property)
{
	struct xwm *wm = window->wm;
	const bool elsewhere = property == PROPERTY_USER_TIME && window->user_time.window;
	xcb_get_property_cookie_t cookie =
		xcb_get_property(wm->x, 0, elsewhere ? window->user_time.window : window->id,
			atom_of(wm, property), XCB_GET_PROPERTY_TYPE_ANY, 0, rows[property].length);
	xwin_reply_expect(window, cookie.sequence, handle_reply, property);
	window->reading.in_flight |= 1u << property;
	window->reading.changed &= ~(1u << property);
}

static void want(struct xwin *window, uint32_t properties)
{
	window->reading.changed |= properties;
	for (int i = 0; i < PROPERTY_COUNT; i++) {
		if (window->reading.changed & ~window->reading.in_flight & (1u << i)) {
			request(window, (enum x_property)i);
		}
	}
}

void xwin_properties_load(struct xwin *window)
{
	window->reading.missing = ALL;
	want(window, ALL);
}

void xwin_property_changed(struct xwin *window, xcb_atom_t atom)
{
	if (!window->map_requested || window->override_redirect) {
		return; /* read when the window is mapped */
	}
	if (atom == window->wm->atoms[X__NET_WM_ICON]) {
		xwin_icon_changed(window);
		return;
	}
	for (int i = 0; i < PROPERTY_STATE; i++) {
		if (atom_of(window->wm, (enum x_property)i) == atom) {
			xwin_iconic_changed(window, (enum x_property)i);
			want(window, 1u << i);
			return;
		}
	}
}

/* Parsing */

/** Values of a property of 32 bits; none for other formats. */
struct values {
	const uint32_t *values;
	int n;
};

static struct values values_of(const xcb_get_property_reply_t *reply)
{
	if (!reply || reply->format != 32) {
		return (struct values){0};
	}
	return (struct values){
		xcb_get_property_value(reply), xcb_get_property_value_length(reply) / 4};
}

static void replace(struct xwin *window, char **string, char *with)
{
	struct account *account = window->wm->account;
	account_free_string(account, *string);
	*string = account_strdup(account, with);
	free(with);
}

/* Returns the text of a property of bytes, or NULL; the caller frees it. */
static char *decode(const xcb_get_property_reply_t *reply, bool utf8)
{
	return reply && reply->format == 8
		       ? xwm_text_decode(xcb_get_property_value(reply),
				 (size_t)xcb_get_property_value_length(reply), utf8)
		       : NULL;
}

static void read_title(
	struct xwin *window, const xcb_get_property_reply_t *reply, bool utf8_property)
{
	const bool has = reply && reply->format == 8 && xcb_get_property_value_length(reply) > 0;
	if (utf8_property) {
		window->has_utf8_title = has;
		if (!has && !(window->reading.in_flight & (1u << PROPERTY_TITLE))) {
			want(window, 1u << PROPERTY_TITLE);
		}
	} else if (window->has_utf8_title) {
		return;
	}
	if (has || !utf8_property) {
		const bool utf8 = has && reply->type == window->wm->atoms[X_UTF8_STRING];
		replace(window, &window->title, has ? decode(reply, utf8) : NULL);
	}
}

/* WM_CLASS holds two strings, instance and class: the class names the application. */
static void read_class(struct xwin *window, const xcb_get_property_reply_t *reply)
{
	if (!reply || reply->format != 8) {
		replace(window, &window->app_id, NULL);
		return;
	}
	const char *text = xcb_get_property_value(reply);
	const size_t length = (size_t)xcb_get_property_value_length(reply);
	const size_t instance = strnlen(text, length);
	const size_t start = instance + 1 < length ? instance + 1 : 0;
	replace(window, &window->app_id, xwm_text_decode(text + start, length - start, false));
}

static void read_protocols(struct xwin *window, struct values values)
{
	const struct {
		enum x_atom atom;
		enum x_protocol protocol;
	} protocols[] = {
		{X_WM_DELETE_WINDOW, X_PROTOCOL_DELETE},
		{X_WM_TAKE_FOCUS, X_PROTOCOL_TAKE_FOCUS},
		{X__NET_WM_PING, X_PROTOCOL_PING},
		{X__NET_WM_SYNC_REQUEST, X_PROTOCOL_SYNC},
	};
	window->protocols = 0;
	for (int i = 0; i < values.n; i++) {
		for (size_t k = 0; k < sizeof(protocols) / sizeof(protocols[0]); k++) {
			if (window->wm->atoms[protocols[k].atom] == values.values[i]) {
				window->protocols |= protocols[k].protocol;
			}
		}
	}
}

static void read_hints(struct xwin *window, struct values values)
{
	const uint32_t flags = values.n > 0 ? values.values[0] : 0;
	window->input = !(flags & XCB_ICCCM_WM_HINT_INPUT) || values.n < 2 || values.values[1];
	window->starts_iconic = (flags & XCB_ICCCM_WM_HINT_STATE) && values.n > 2 &&
				values.values[2] == XCB_ICCCM_WM_STATE_ICONIC;
	window->urgent = flags & XCB_ICCCM_WM_HINT_X_URGENCY;
	xwin_iconic_read(window, values.values, values.n);
	const xcb_pixmap_t icon = (flags & XCB_ICCCM_WM_HINT_ICON_PIXMAP) && values.n > 3
					  ? values.values[3]
					  : XCB_NONE;
	window->icon.mask =
		(flags & XCB_ICCCM_WM_HINT_ICON_MASK) && values.n > 7 ? values.values[7] : XCB_NONE;
	if (icon != window->icon.pixmap) {
		window->icon.pixmap = icon;
		xwin_icon_changed(window);
	}
	window->group = (flags & XCB_ICCCM_WM_HINT_WINDOW_GROUP) && values.n > 8 ? values.values[8]
										 : XCB_WINDOW_NONE;
}

/* The first known type counts; without one, transients are dialogs. */
static void read_type(struct xwin *window, struct values values)
{
	const struct {
		enum x_atom atom;
		enum x_type type;
	} types[] = {
		{X__NET_WM_WINDOW_TYPE_NORMAL, X_TYPE_NORMAL},
		{X__NET_WM_WINDOW_TYPE_DIALOG, X_TYPE_DIALOG},
		{X__NET_WM_WINDOW_TYPE_UTILITY, X_TYPE_UTILITY},
		{X__NET_WM_WINDOW_TYPE_TOOLBAR, X_TYPE_UTILITY},
		{X__NET_WM_WINDOW_TYPE_SPLASH, X_TYPE_SPLASH},
		{X__NET_WM_WINDOW_TYPE_DOCK, X_TYPE_DOCK},
		{X__NET_WM_WINDOW_TYPE_DESKTOP, X_TYPE_DESKTOP},
		{X__NET_WM_WINDOW_TYPE_MENU, X_TYPE_MENU},
		{X__NET_WM_WINDOW_TYPE_DROPDOWN_MENU, X_TYPE_MENU},
		{X__NET_WM_WINDOW_TYPE_POPUP_MENU, X_TYPE_MENU},
		{X__NET_WM_WINDOW_TYPE_TOOLTIP, X_TYPE_MENU},
		{X__NET_WM_WINDOW_TYPE_NOTIFICATION, X_TYPE_MENU},
		{X__NET_WM_WINDOW_TYPE_COMBO, X_TYPE_MENU},
		{X__NET_WM_WINDOW_TYPE_DND, X_TYPE_MENU},
	};
	window->type = X_TYPE_NORMAL;
	for (int i = 0; i < values.n; i++) {
		for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
			if (window->wm->atoms[types[k].atom] == values.values[i]) {
				window->type = types[k].type;
				return;
			}
		}
	}
}

static void read_states(struct xwin *window, struct values values)
{
	window->states = 0;
	for (int i = 0; i < values.n; i++) {
		window->states |= xwm_state_from_atom(window->wm, values.values[i]);
	}
}

/* The time is read again if it is another window's. */
static void read_time_window(struct xwin *window, struct values values)
{
	const xcb_window_t from = values.n > 0 ? values.values[0] : XCB_WINDOW_NONE;
	if (from != window->user_time.window) {
		window->user_time.window = from;
		window->reading.changed |= 1u << PROPERTY_USER_TIME;
	}
}

/* Wine fixes the size of a window that fills the output as it is, which is not its usual one. */
static void read_normal_hints(struct xwin *window, struct values values)
{
	const uint32_t filled = WINDOW_FULLSCREEN | WINDOW_MAXIMIZED;
	struct x_size_hints hints;
	xwm_size_hints_read(&hints, values.values, values.n);
	const bool fixed = hints.min_width > 0 && hints.min_width == hints.max_width &&
			   hints.min_height > 0 && hints.min_height == hints.max_height;
	if (!fixed || !window->window || !(window->window->states & filled)) {
		window->hints = hints;
	}
}

static void parse(
	struct xwin *window, enum x_property property, const xcb_get_property_reply_t *reply)
{
	const struct values values = values_of(reply);
	switch (property) {
	case PROPERTY_TITLE_UTF8: read_title(window, reply, true); break;
	case PROPERTY_TITLE: read_title(window, reply, false); break;
	case PROPERTY_CLASS: read_class(window, reply); break;
	case PROPERTY_PROTOCOLS: read_protocols(window, values); break;
	case PROPERTY_HINTS: read_hints(window, values); break;
	case PROPERTY_NORMAL_HINTS: read_normal_hints(window, values); break;
	case PROPERTY_TRANSIENT_FOR:
		window->transient_for = values.n > 0 ? values.values[0] : XCB_WINDOW_NONE;
		break;
	case PROPERTY_TYPE: read_type(window, values); break;
	case PROPERTY_MOTIF:
		window->undecorated = values.n > 2 && (values.values[0] & MOTIF_HAS_DECORATIONS) &&
				      values.values[2] == 0;
		break;
	case PROPERTY_SYNC_COUNTER:
		xwin_sync_set_counter(window, values.n > 0 ? values.values[0] : 0);
		break;
	case PROPERTY_STRUT_PARTIAL:
	case PROPERTY_STRUT:
		xwin_strut_read(
			window, property == PROPERTY_STRUT_PARTIAL, values.values, values.n);
		break;
	case PROPERTY_STARTUP_ID: replace(window, &window->startup_id, decode(reply, false)); break;
	case PROPERTY_MODES: xwin_modes_read(window, values.values, values.n); break;
	case PROPERTY_USER_TIME_WINDOW: read_time_window(window, values); break;
	case PROPERTY_USER_TIME:
		window->user_time.given = values.n > 0;
		window->user_time.time = values.n > 0 ? values.values[0] : 0;
		break;
	case PROPERTY_STATE: read_states(window, values); break;
	case PROPERTY_COUNT: break;
	}
}

void xwin_property_reply(
	struct xwin *window, enum x_property property, const xcb_get_property_reply_t *reply)
{
	window->reading.in_flight &= ~(1u << property);
	if (!window->map_requested) {
		window->reading.missing &= ~(1u << property);
		return; /* unmapped since */
	}
	parse(window, property, reply);
	window->reading.missing &=
		~(1u << property) | (window->reading.changed & 1u << PROPERTY_USER_TIME);
	want(window, 0); /* those that changed in the meantime */
	if (window->window) {
		xwin_managed_property(window, property);
	} else if (!window->reading.missing) {
		xwin_managed_try_map(window);
	}
}

static void handle_estimate_property(struct xwm *wm, void *data, uint32_t property, void *reply)
{
	struct xwin *window = data;
	if (!window->map_requested) {
		parse(window, (enum x_property)property, reply);
	}
}

/* The properties have come before this. */
static void handle_estimate(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	const xcb_get_window_attributes_reply_t *attributes = reply;
	struct xwin *window = data;
	struct frame_extents frame = {0};
	if (window->map_requested || !attributes) {
		return; /* the frame is sent when it is mapped */
	}
	if (!attributes->override_redirect && xwin_is_framed(window)) {
		frame = xwm_frame_estimate(wm, window->type != X_TYPE_NORMAL);
	}
	xwin_frame_send(window, &frame);
	xwm_flush_soon(wm);
}

void xwin_estimate_frame(struct xwin *window)
{
	struct xwm *wm = window->wm;
	const enum x_property properties[] = {PROPERTY_TYPE, PROPERTY_MOTIF};
	for (int i = 0; i < 2; i++) {
		xcb_get_property_cookie_t cookie =
			xcb_get_property(wm->x, 0, window->id, atom_of(wm, properties[i]),
				XCB_GET_PROPERTY_TYPE_ANY, 0, rows[properties[i]].length);
		xwin_reply_expect(window, cookie.sequence, handle_estimate_property, properties[i]);
	}
	xwin_reply_expect(
		window, xcb_get_window_attributes(wm->x, window->id).sequence, handle_estimate, 0);
}
