/* SPDX-License-Identifier: MIT */
/* wl_touch: points on a touch screen. */

#include "wl_seat.h"

static const struct wl_touch_interface touch_impl = {
	.release = resource_handle_destroy,
};

void seat_client_create_touch(
	struct seat_client *client, struct wl_client *wl_client, int version, uint32_t id)
{
	seat_client_create_resource(client, wl_client, client ? &client->touches : NULL,
		&wl_touch_interface, &touch_impl, version, id);
}

uint32_t sink_touch_down(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
	struct coord_surface at)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	uint32_t serial = seat_client_serial(client);
	seat_client_for_each (resource, client, touches) {
		wl_touch_send_down(resource, serial, clock_ms(time), surface_resource(surface), id,
			wl_fixed_from_double(at.x), wl_fixed_from_double(at.y));
	}
	return serial;
}

uint32_t sink_touch_up(struct seat *seat, struct surface *surface, int64_t time, int32_t id)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	uint32_t serial = seat_client_serial(client);
	seat_client_for_each (resource, client, touches) {
		wl_touch_send_up(resource, serial, clock_ms(time), id);
	}
	return serial;
}

void sink_touch_motion(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
	struct coord_surface at)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	seat_client_for_each (resource, client, touches) {
		wl_touch_send_motion(resource, clock_ms(time), id, wl_fixed_from_double(at.x),
			wl_fixed_from_double(at.y));
	}
}

void sink_touch_frame(struct seat *seat, struct surface *surface)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	seat_client_for_each (resource, client, touches) {
		wl_touch_send_frame(resource);
	}
}

void sink_touch_cancel(struct seat *seat, struct surface *surface)
{
	struct seat_client *client = seat_client_of(seat, surface);
	struct wl_resource *resource;
	seat_client_for_each (resource, client, touches) {
		wl_touch_send_cancel(resource);
	}
}
