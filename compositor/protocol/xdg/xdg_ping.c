/* SPDX-License-Identifier: MIT */
/* Pings of xdg_wm_base: whether a client responds. */

#include "util/clock.h"
#include "xdg.h"

/** Time (ns) for a client to answer a ping, which is sent when the user waits for it. */
#define PING_TIMEOUT INT64_C(10000000000)

static void handle_timeout(struct timer *timer, int64_t now)
{
	struct xdg_wm_base *base = wl_container_of(timer, base, timer);
	base->unresponsive = true;
}

void xdg_ping_init(struct xdg_wm_base *base)
{
	timer_init(&base->timer, base->shell->protocols->server->clock, handle_timeout);
}

void xdg_ping_send(struct xdg_wm_base *base)
{
	if (base->ping) {
		return;
	}
	base->ping = wl_display_next_serial(base->shell->protocols->display);
	timer_arm(&base->timer, clock_now(base->timer.clock) + PING_TIMEOUT);
	xdg_wm_base_send_ping(base->resource, base->ping);
}

void xdg_ping_handle_pong(struct wl_client *client, struct wl_resource *resource, uint32_t serial)
{
	struct xdg_wm_base *base = wl_resource_get_user_data(resource);
	if (base->ping == serial) {
		base->ping = 0;
		base->unresponsive = false;
		timer_disarm(&base->timer);
	}
}
