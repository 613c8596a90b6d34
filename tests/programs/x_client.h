/* SPDX-License-Identifier: MIT */
#pragma once

/** An X client for tests of the window manager. Failures end the process. */

#include <stdbool.h>
#include <stdint.h>
#include <xcb/xcb.h>

struct x_client {
	xcb_connection_t *x;
	xcb_screen_t *screen;
	xcb_window_t root;
	/** The last synthetic ConfigureNotify and the last client message. */
	xcb_configure_notify_event_t synthetic;
	bool has_synthetic;
	xcb_client_message_event_t message;
	bool has_message;
	xcb_timestamp_t take_focus_time;
	int n_take_focus, n_delete, n_ping, n_sync;
	int n_focus_in; /* FocusIn events that no grab caused */
	uint64_t sync_value; /* of the last _NET_WM_SYNC_REQUEST */
};

struct x_client *x_connect(void);
void x_disconnect(struct x_client *client);
xcb_atom_t x_atom(struct x_client *client, const char *name);
/** Creates a window at x, y with a background, which is its content. */
xcb_window_t x_window(struct x_client *client, int x, int y, int width, int height);
void x_set(struct x_client *client, xcb_window_t window, const char *property, const char *type,
	const uint32_t *values, uint32_t n);
void x_set_text(
	struct x_client *client, xcb_window_t window, const char *property, const char *text);
/** Sets WM_HINTS with this input field, and WM_PROTOCOLS of these names. */
void x_set_focus_model(struct x_client *client, xcb_window_t window, bool input, bool take_focus);
/** Maps the window and waits until the shell shows it. */
void x_map(struct x_client *client, xcb_window_t window);
/** Sends a client message to the root window, as EWMH has it. */
void x_send(struct x_client *client, xcb_window_t window, const char *type, uint32_t a, uint32_t b,
	uint32_t c, uint32_t d, uint32_t e);
/** Reads a property of up to `most` values; returns their number, -1 without the property. */
int x_get(struct x_client *client, xcb_window_t window, const char *property, uint32_t *values,
	int most);
/** Returns whether the property has the value. */
bool x_has(struct x_client *client, xcb_window_t window, const char *property, uint32_t value);
bool x_has_atom(
	struct x_client *client, xcb_window_t window, const char *property, const char *name);
/** Returns the time of the X server. */
uint32_t x_time(struct x_client *client);
xcb_window_t x_focus(struct x_client *client);
/** Gets the position and size in root coordinates. */
void x_box(struct x_client *client, xcb_window_t window, int box[4]);
/** Reads pending events. */
void x_dispatch(struct x_client *client);
/** Returns true if the connection is alive. */
bool x_alive(struct x_client *client);

/** Waits until the expression is true; ends the process after 20 seconds. */
#define X_WAIT(client, condition)                                                                  \
	do {                                                                                       \
		for (int i_ = 0; !(x_dispatch(client), (condition)); i_++) {                       \
			x_pause(i_, #condition, __FILE__, __LINE__);                               \
		}                                                                                  \
	} while (0)
void x_pause(int round, const char *condition, const char *file, int line);

#define X_CHECK(condition)                                                                         \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			x_fail(#condition, __FILE__, __LINE__);                                    \
		}                                                                                  \
	} while (0)
void x_fail(const char *condition, const char *file, int line);
/** Waits until the compositor has handled all requests so far. */
void x_settle(struct x_client *client);
