/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Programs that drag and drop in tests: an X program with a window (XDND), and a Wayland client
 * with a surface at the left upper corner. Both run in this process, which also moves the pointer.
 */

#include "x_client.h"
#include <stdio.h>
#include <wayland-client.h>

#define SCREEN_WIDTH 1024
#define SCREEN_HEIGHT 768
/** Size of the Wayland client's surface. */
#define SIDE 300

#define COPY 1
#define MOVE 2
#define ASK 4

#define DATA_SIZE 200000

/** An X program. */
struct x_peer {
	struct x_client *client;
	xcb_window_t window;
	xcb_atom_t actions[ASK + 1]; /* by COPY, MOVE and ASK */
	xcb_atom_t enter, position, status, leave, drop, finished, selection, aware, list, incr,
		text, property;
	/** As a target: its answers, and the messages. */
	uint32_t answer; /* 0: refuses */
	bool lazy; /* does not read dropped data */
	bool answers_pings;
	int n_pings;
	xcb_window_t target; /* of the messages: its window, or one that it is the proxy of */
	int n_strays; /* messages for another window */
	xcb_window_t from;
	int n_enter, n_position, n_leave, n_drop;
	int x, y;
	uint32_t suggested;
	xcb_timestamp_t time;
	char *data; /* read after a drop; NULL: none */
	size_t size;
	bool incremental, refused;
	/** As a source. */
	const char *offered; /* its data */
	uint32_t action; /* that it suggests */
	int n_types; /* that it offers; the first is text */
	xcb_window_t over; /* the window under the drag that takes drops */
	xcb_timestamp_t owned; /* since when it owns the selection */
	bool accepted; /* the last status */
	uint32_t status_action;
	int n_status, n_finished, n_requests;
	bool took; /* the last XdndFinished */
	uint32_t final_action;
	int n_presses, n_releases;
	/** Answers requests by pieces of this format (8, 16 or 32) that never end; 0: honestly. */
	uint8_t endless;
	xcb_window_t victim; /* gets the pieces, in `pieces` */
	xcb_atom_t pieces;
	long n_pieces;
};

/** Connects to the display, and shows a window there. */
void x_peer_start(struct x_peer *peer, int x, int y);
void x_peer_stop(struct x_peer *peer);
void x_peer_dispatch(struct x_peer *peer);
/** Sends a message of XDND. */
void x_peer_send(struct x_peer *peer, xcb_window_t to, xcb_atom_t type, uint32_t a, uint32_t b,
	uint32_t c, uint32_t d, uint32_t e);
/** Sets XdndProxy of a window. */
void x_peer_name_proxy(struct x_peer *peer, xcb_window_t window, xcb_window_t proxy);
/** Owns the data of a drag, for a button that is pressed on the window. */
void x_peer_drag(struct x_peer *peer);
/** Returns whether the X server has the pointer in the window, at this point. */
bool x_peer_is_at(struct x_peer *peer, int x, int y);
/** Follows the pointer: leaves, enters, and moves over the window below it. */
void x_peer_follow(struct x_peer *peer);
/** Drops where the drag is, or leaves if that is not accepted. */
void x_peer_drop(struct x_peer *peer);

/** The Wayland client. */
struct wayland_peer {
	struct wl_display *display;
	struct wl_compositor *compositor;
	struct wl_shm *shm;
	struct wl_seat *seat;
	struct wl_pointer *pointer;
	struct wl_data_device_manager *manager;
	struct wl_data_device *device;
	struct zwlr_layer_shell_v1 *layers;
	struct zwlr_layer_surface_v1 *layer;
	struct zwlr_virtual_pointer_manager_v1 *pointers;
	struct zwlr_virtual_pointer_v1 *virtual_pointer;
	struct wl_surface *surface;
	bool configured;
	uint32_t press_serial;
	int n_pointer_enters, n_presses;
	/**
	 * $CAUSEWAY_TEST_DEVICES takes commands of device_session.c: a finger, not the pointer.
	 * NULL: unset.
	 */
	FILE *devices;
	struct wl_touch *touch;
	bool touches; /* the finger is down */
	int at_x, at_y;
	/** As a target. */
	struct wl_data_offer *offer; /* the last one that has entered */
	struct wl_data_offer *announced;
	char types[4096]; /* of the offer, each followed by a blank */
	uint32_t source_actions, action, enter_serial;
	int n_enter, n_leave, n_motion, n_drop;
	double x, y;
	/** As a source. */
	struct wl_data_source *source;
	const char *offered;
	bool accepted;
	uint32_t source_action;
	int n_cancelled, n_dropped, n_finished;
};

/** Connects without a surface: the virtual pointer stays until wayland_peer_stop(). */
void wayland_peer_connect(struct wayland_peer *peer);
void wayland_peer_start(struct wayland_peer *peer);
void wayland_peer_stop(struct wayland_peer *peer);
void wayland_peer_dispatch(struct wayland_peer *peer);
/**
 * Moves the pointer or the finger, and presses or releases its left button, or puts it down or up.
 */
void wayland_peer_point(struct wayland_peer *peer, int x, int y);
void wayland_peer_press(struct wayland_peer *peer, bool pressed);
/** Starts a drag of `offered`, as text, by the button that is held on the surface. */
void wayland_peer_drag(struct wayland_peer *peer, uint32_t actions);
/** Makes `offered` the clipboard, by the last press on the surface. */
void wayland_peer_copy(struct wayland_peer *peer);
void wayland_peer_destroy_source(struct wayland_peer *peer);
/** Requests the data of the offer, and returns the end to read. */
int wayland_peer_receive(struct wayland_peer *peer, const char *type);
