#pragma once

/**
 * A session on a seat: the right to use its screens and input devices, and to say when that right
 * goes to another virtual terminal. Everything goes through libseat (seatd, logind or builtin).
 */

#include <stdbool.h>
#include <wayland-server-core.h>

struct libseat;

struct session {
	struct wl_event_loop *loop;
	struct libseat *seat;
	struct wl_event_source *source;
	const char *name; /* of the seat: "seat0" */
	/** False while another virtual terminal is shown: nothing of a device works then. */
	bool active;
	bool lost; /* whoever gave the seat is gone: nothing will ever work again */
	struct wl_list devices;
	struct {
		/**
		 * NULL: `active` has changed. When it became false, listeners stop using devices
		 * before they return: then the seat is given away.
		 */
		struct wl_signal active;
		struct wl_signal lost; /* NULL */
		struct wl_signal destroy;
	} events;
};

/**
 * Takes the seat, which takes up to a few seconds if the machine is busy. NULL with *error one line
 * (the caller frees it) if it cannot be had or if another compositor holds it.
 */
struct session *session_create(struct wl_event_loop *loop, char **error);
/** Devices must have been closed. NULL is legal. */
void session_destroy(struct session *session);
/** A descriptor of the device, to be given back with session_close_device(); negative errno. */
int session_open_device(struct session *session, const char *path);
/** Closes it too. Also for descriptors that were revoked meanwhile. */
void session_close_device(struct session *session, int fd);
/** Asks for virtual terminal n; `active` changes later if it is another one. 0 or negative errno. */
int session_switch_vt(struct session *session, int n);
