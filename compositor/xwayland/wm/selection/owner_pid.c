/* SPDX-License-Identifier: MIT */
/* The process of a selection's owner, asked of the X server by X-Resource. */

#include "selection.h"
#include "xwayland/wm/base/reply.h"
#include <stdlib.h>
#include <sys/uio.h>
#include <xcb/xcbext.h>

/** Minor opcode of X-Resource. */
#define QUERY_CLIENT_IDS 4
/** Kind of id. */
#define LOCAL_PID 2

struct client_id {
	uint32_t client, kind;
	uint32_t length; /* of the value, in bytes */
	uint32_t value;
};

/** The reply of X-Resource. */
struct client_ids {
	uint8_t pad[4];
	uint32_t length; /* of `first`, in units of 4 bytes */
	uint32_t n;
	uint8_t pad2[20];
	struct client_id first[];
};

void xwm_owner_pids_connect(struct xwm *wm)
{
	static const char name[] = "X-Resource";
	xcb_query_extension_reply_t *reply = xcb_query_extension_reply(
		wm->x, xcb_query_extension(wm->x, sizeof(name) - 1, name), NULL);
	wm->xres = reply && reply->present ? reply->major_opcode : 0;
	free(reply);
}

static void handle_ids(struct xwm *wm, void *data, uint32_t round, void *reply)
{
	struct x_selection *selection = data;
	const struct client_ids *ids = reply;
	if (ids && round == selection->round && ids->n > 0 &&
		ids->length * 4 >= sizeof(struct client_id) &&
		ids->first[0].length == sizeof(uint32_t)) {
		selection->owner_pid = (pid_t)ids->first[0].value;
	}
}

void xwm_owner_pid_ask(struct x_selection *selection)
{
	struct xwm *wm = selection->wm;
	struct {
		uint8_t major, minor;
		uint16_t length;
		uint32_t n, client, kinds;
	} query = {wm->xres, QUERY_CLIENT_IDS, 0, 1, selection->owner, LOCAL_PID};
	const xcb_protocol_request_t request = {.count = 1, .opcode = wm->xres};
	/* libxcb writes to the two places before the first. */
	struct iovec parts[3] = {[2] = {&query, sizeof(query)}};
	selection->owner_pid = 0;
	if (wm->xres) {
		xwm_reply_expect(wm, xcb_send_request(wm->x, 0, parts + 2, &request), handle_ids,
			selection, selection->round);
	}
}
