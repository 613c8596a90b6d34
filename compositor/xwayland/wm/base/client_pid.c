/* SPDX-License-Identifier: MIT */
/* The processes of X clients, asked of the X server by X-Resource. */

#include "client_pid.h"
#include "xwm.h"
#include <stdbool.h>
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

void xwm_client_pids_connect(struct xwm *wm)
{
	static const char name[] = "X-Resource";
	xcb_query_extension_reply_t *reply = xcb_query_extension_reply(
		wm->x, xcb_query_extension(wm->x, sizeof(name) - 1, name), NULL);
	wm->xres = reply && reply->present ? reply->major_opcode : 0;
	free(reply);
}

unsigned xwm_client_pid_ask(struct xwm *wm, uint32_t resource)
{
	struct {
		uint8_t major, minor;
		uint16_t length;
		uint32_t n, client, kinds;
	} query = {wm->xres, QUERY_CLIENT_IDS, 0, 1, resource, LOCAL_PID};
	const xcb_protocol_request_t request = {.count = 1, .opcode = wm->xres};
	/* libxcb writes to the two places before the first. */
	struct iovec parts[3] = {[2] = {&query, sizeof(query)}};
	return wm->xres ? xcb_send_request(wm->x, 0, parts + 2, &request) : 0;
}

pid_t xwm_client_pid_read(const void *reply)
{
	const struct client_ids *ids = reply;
	const bool has_pid = ids && ids->n > 0 && ids->length * 4 >= sizeof(struct client_id) &&
			     ids->first[0].length == sizeof(uint32_t);
	return has_pid ? (pid_t)ids->first[0].value : 0;
}
