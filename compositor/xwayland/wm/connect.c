/* SPDX-License-Identifier: MIT */
/* Connection of the X window manager, made by a thread since libxcb waits for each answer. */

#include "connect.h"
#include "root.h"
#include "util/fd_watch.h"
#include "util/thread.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/client_pid.h"
#include "xwayland/wm/base/xwm.h"
#include "xwayland/wm/selection/selection.h"
#include "xwayland/wm/window/focus.h"
#include "xwayland/wm/window/shape.h"
#include "xwayland/wm/window/sync.h"
#include "xwayland/wm/window/window.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xcb/composite.h>
#include <xcb/shape.h>
#include <xcb/sync.h>
#include <xcb/xfixes.h>

/** First minor version of XFIXES 6 with SetClientDisconnectMode. */
#define XFIXES_DISCONNECT_MAJOR 6

struct xwm_connect {
	struct xwm *wm; /* used by the thread only before it signals `done` */
	pthread_t thread;
	int fd, done;
	void (*handle)(struct xwm *wm, const char *error);
	int cancel; /* a duplicate of `fd`, which libxcb may close at any time */
	struct fd_watch watch;
	const char *error; /* NULL: connected */
};

static bool intern_atoms(struct xwm *wm)
{
	static const char *const names[] = {
#define NAME(name) #name,
		X_ATOMS(NAME)
#undef NAME
	};
	xcb_intern_atom_cookie_t cookies[X_ATOM_COUNT];
	for (int i = 0; i < X_ATOM_COUNT; i++) {
		cookies[i] = xcb_intern_atom(wm->x, 0, (uint16_t)strlen(names[i]), names[i]);
	}
	bool all = true;
	for (int i = 0; i < X_ATOM_COUNT; i++) {
		xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(wm->x, cookies[i], NULL);
		wm->atoms[i] = reply ? reply->atom : XCB_ATOM_NONE;
		all = all && reply;
		free(reply);
	}
	return all;
}

/* Lets an X server started with -terminate end while only the window manager is connected. */
static void allow_termination(struct xwm *wm)
{
	xcb_xfixes_query_version_reply_t *version = xcb_xfixes_query_version_reply(
		wm->x, xcb_xfixes_query_version(wm->x, XFIXES_DISCONNECT_MAJOR, 0), NULL);
	if (version && version->major_version >= XFIXES_DISCONNECT_MAJOR) {
		xcb_xfixes_set_client_disconnect_mode(
			wm->x, XCB_XFIXES_CLIENT_DISCONNECT_FLAGS_TERMINATE);
	}
	free(version);
}

/* Keeps the contents of all windows in buffers of their own. */
static bool redirect(struct xwm *wm)
{
	const xcb_query_extension_reply_t *composite =
		xcb_get_extension_data(wm->x, &xcb_composite_id);
	if (!composite || !composite->present) {
		return false;
	}
	free(xcb_composite_query_version_reply(
		wm->x, xcb_composite_query_version(wm->x, 0, 4), NULL));
	const uint32_t events = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY |
				XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT |
				XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_FOCUS_CHANGE;
	xcb_generic_error_t *error = xcb_request_check(wm->x,
		xcb_change_window_attributes_checked(wm->x, wm->root, XCB_CW_EVENT_MASK, &events));
	bool free_to_manage = !error;
	free(error);
	xcb_composite_redirect_subwindows(wm->x, wm->root, XCB_COMPOSITE_REDIRECT_MANUAL);
	return free_to_manage;
}

static void make_own_window(struct xwm *wm, xcb_visualid_t visual)
{
	const uint32_t values[] = {1, XCB_EVENT_MASK_PROPERTY_CHANGE};
	wm->own = xcb_generate_id(wm->x);
	xcb_create_window(wm->x, 0, wm->own, wm->root, -1, -1, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY,
		visual, XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK, values);
}

/* Xwayland accepts programs once WM_S0 has an owner. */
static void own_selections(struct xwm *wm)
{
	if (wm->xfixes_event) { /* reports the time */
		xcb_xfixes_select_selection_input(wm->x, wm->own, wm->atoms[X_WM_S0],
			XCB_XFIXES_SELECTION_EVENT_MASK_SET_SELECTION_OWNER);
	}
	xcb_set_selection_owner(wm->x, wm->own, wm->atoms[X__NET_WM_CM_S0], XCB_TIME_CURRENT_TIME);
	xcb_set_selection_owner(wm->x, wm->own, wm->atoms[X_WM_S0], XCB_TIME_CURRENT_TIME);
}

/* Returns NULL or an error. */
static const char *connect_wm(struct xwm_connect *connect)
{
	struct xwm *wm = connect->wm;
	wm->x = xcb_connect_to_fd(connect->fd, NULL);
	if (xcb_connection_has_error(wm->x)) {
		return "cannot connect to the X server";
	}
	xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(wm->x)).data;
	wm->root = screen->root;
	xcb_prefetch_extension_data(wm->x, &xcb_composite_id);
	xcb_prefetch_extension_data(wm->x, &xcb_xfixes_id);
	xcb_prefetch_extension_data(wm->x, &xcb_sync_id);
	xcb_prefetch_extension_data(wm->x, &xcb_shape_id);
	if (!intern_atoms(wm)) {
		return "the X server refuses atoms";
	}
	if (!redirect(wm)) {
		return "the X server refuses a window manager";
	}
	const xcb_query_extension_reply_t *xfixes = xcb_get_extension_data(wm->x, &xcb_xfixes_id);
	if (xfixes && xfixes->present) {
		wm->xfixes_event = xfixes->first_event;
		allow_termination(wm);
	}
	xwm_sync_connect(wm);
	xwm_shape_connect(wm);
	xwm_menus_connect(wm);
	xwm_monitors_connect(wm);
	xwm_client_pids_connect(wm);
	make_own_window(wm, XCB_COPY_FROM_PARENT);
	xwm_root_send_first(wm);
	xwm_settings_send_first(wm);
	own_selections(wm);
	free(xcb_get_input_focus_reply(wm->x, xcb_get_input_focus(wm->x), NULL));
	return xcb_connection_has_error(wm->x) ? "lost the connection to the X server" : NULL;
}

static void *run(void *data)
{
	struct xwm_connect *connect = data;
	connect->error = connect_wm(connect);
	const uint64_t one = 1;
	ssize_t written = write(connect->done, &one, sizeof(one));
	(void)written; /* an eventfd takes the first value */
	return NULL;
}

static void finish(struct xwm_connect *connect)
{
	pthread_join(connect->thread, NULL);
	fd_watch_stop(&connect->watch);
	close(connect->done);
	close(connect->cancel);
	connect->wm->connecting = NULL;
	free(connect);
}

static void handle_done(void *data)
{
	struct xwm_connect *connect = data;
	struct xwm *wm = connect->wm;
	const char *error = connect->error;
	void (*handle)(struct xwm * wm, const char *error) = connect->handle;
	finish(connect);
	handle(wm, error);
}

bool xwm_connect(struct xwm *wm, int fd, void (*handle)(struct xwm *wm, const char *error))
{
	struct xwm_connect *connect = xcalloc(1, sizeof(*connect));
	connect->wm = wm;
	connect->fd = fd;
	connect->handle = handle;
	connect->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	connect->cancel = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (connect->done < 0 || connect->cancel < 0 ||
		!thread_start(&connect->thread, run, connect)) {
		if (connect->done >= 0) {
			close(connect->done);
		}
		if (connect->cancel >= 0) {
			close(connect->cancel);
		}
		close(fd);
		free(connect);
		return false;
	}
	fd_watch_start(&connect->watch, wm->parts->loop, wm->parts->clock, connect->done,
		handle_done, connect);
	wm->connecting = connect;
	return true;
}

void xwm_connect_cancel(struct xwm_connect *connect)
{
	if (connect) {
		/* Ends the thread's reads and writes. */
		shutdown(connect->cancel, SHUT_RDWR);
		finish(connect);
	}
}
