/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * A session: access to the screens and input devices of a seat, shared with other virtual terminals
 * by switching, through libseat (seatd, logind or builtin).
 */

#include "util/signal.h"
#include <stdbool.h>

struct libseat;

struct session {
	struct wl_event_loop *loop;
	struct libseat *seat;
	struct wl_event_source *source;
	const char *name; /* of the seat: "seat0" */
	/** False while another virtual terminal is active: devices are unusable. */
	bool active;
	bool lost; /* the seat manager has exited; the session cannot recover */
	struct wl_list devices;
	struct {
		/**
		 * NULL: `active` has changed. If it became false, listeners stop using devices
		 * before they return; then the seat is released.
		 */
		struct wl_signal active;
		struct wl_signal lost; /* NULL */
		struct wl_signal destroy;
	} events;
};

/**
 * Opens a session; blocks for up to a few seconds on a busy machine. Returns NULL if another
 * compositor holds the seat or on failure, with a one-line message in *error that the caller frees.
 */
struct session *session_create(struct wl_event_loop *loop, char **error);
/** Requires that all devices were closed. Accepts NULL. */
void session_destroy(struct session *session);
/**
 * Opens a device. Returns a descriptor to close with session_close_device(), or a negative errno.
 */
int session_open_device(struct session *session, const char *path);
/** Closes the device and its descriptor, revoked ones too. */
void session_close_device(struct session *session, int fd);
/**
 * Requests a switch to virtual terminal n; `active` changes later if n is another one. Returns 0 or
 * a negative errno.
 */
int session_switch_vt(struct session *session, int n);
