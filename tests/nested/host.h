/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * A host compositor for tests: it displays nothing, records the requests of its one client, and
 * sends only the events that the test asks for. It lives in the test's thread, except during calls
 * that wait for it.
 */

#include <stdbool.h>
#include <stdint.h>
#include <wayland-server.h>

#define HOST_SURFACES_MAX 4

/** Globals to announce. Zero: all, with the newest versions. */
struct host_options {
	bool no_wm_base, no_viewporter, no_fractional, no_presentation, no_dmabuf, no_relative;
	int seat_version; /* 0: 9 */
	int dmabuf_version; /* 0: 3; from 4 on with feedback */
	int32_t width, height; /* of every window; 0: the client's choice */
	int32_t bound_width, bound_height; /* 0: not sent */
	uint32_t scale; /* in 1/120; 0: not sent */
	clockid_t presentation_clock; /* 0 is CLOCK_REALTIME */
};

enum host_answer {
	HOST_CREATED,
	HOST_FAILED,
	HOST_SILENT, /* until host_answer_imports() */
};

struct host_surface {
	struct host *host;
	struct wl_resource *resource; /* NULL: destroyed */
	struct wl_resource *xdg_surface, *toplevel, *fractional;
	struct wl_resource *pending_buffer;
	bool pending_attach;
	struct wl_list pending_callbacks, callbacks; /* wl_resource links */
	struct wl_list pending_feedbacks, feedbacks;
	/** Committed state. */
	struct wl_resource *buffer;
	int32_t buffer_width, buffer_height; /* of shm and imported buffers */
	bool buffer_is_dmabuf;
	int32_t pending_width, pending_height, destination_width, destination_height;
	int32_t buffer_scale;
	int n_commits;
	int n_damage; /* rectangles of the last commit */
	int32_t damage[4]; /* the last of them */
	int pending_n_damage;
	uint32_t configured, acknowledged;
	char *title, *app_id;
	uint32_t decoration; /* requested mode */
};

struct host {
	struct host_options options;
	struct wl_display *display;
	struct wl_event_loop *loop;
	struct wl_client *client;
	struct wl_listener client_destroy;
	struct host_surface surfaces[HOST_SURFACES_MAX];
	int n_surfaces; /* created so far */
	struct wl_resource *output, *seat, *pointer, *keyboard, *touch, *relative;
	struct wl_resource *swipe, *pinch, *hold;
	enum host_answer answer;
	struct wl_resource *params; /* unanswered */
	int32_t params_width, params_height;
	int n_imports; /* requested */
	int n_hidden_cursors;
	uint32_t serial;
};

struct host *host_create(const struct host_options *options);
void host_destroy(struct host *host);
/** Disconnects, as if the host had crashed. */
void host_kill(struct host *host);
/** Reads and answers requests; returns true if there were any. */
bool host_turn(struct host *host);
/** Runs `call` while the host answers in a thread of its own. */
void host_serve(struct host *host, void (*call)(void *data), void *data);

void host_configure(struct host_surface *surface, int32_t width, int32_t height, uint32_t state);
void host_frame_done(struct host_surface *surface);
void host_presented(struct host_surface *surface, int64_t when, uint32_t refresh, uint32_t flags);
void host_discarded(struct host_surface *surface);
void host_answer_imports(struct host *host, enum host_answer answer);
void host_send_keymap(struct host *host, const char *text);
