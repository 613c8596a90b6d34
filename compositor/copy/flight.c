/* Copies under way: their fences, and who hears of their end. */

#include "copy/device.h"
#include "util/fd.h"
#include "util/fd_watch.h"
#include "util/fence.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

struct copy_flight {
	struct wl_list link; /* copy_device.flights */
	struct copy_device *device;
	struct copy_slot *slot;
	struct copy_order *order; /* NULL: forgotten */
	struct buffer *source, *destination; /* locked */
	struct fd_watch watch;
	int fence;
	int64_t begun; /* ns */
	int n_rectangles;
};

static void end_flight(struct copy_flight *flight, bool good)
{
	struct copy_order *order = flight->order;

	fd_watch_stop(&flight->watch);
	wl_list_remove(&flight->link);
	fd_close(&flight->fence);
	buffer_unlock(flight->source);
	buffer_unlock(flight->destination);
	free(flight);
	if (order) {
		order->flight = NULL;
		order->done(order, good);
	}
}

void copy_flights_fail(struct copy_device *device, const struct copy_slot *slot)
{
	bool again = true;

	while (again) {
		struct copy_flight *flight;

		again = false;
		/* Who hears of it may start others, or forget some. */
		wl_list_for_each (flight, &device->flights, link) {
			if (!slot || flight->slot == slot) {
				device->copier->totals.failures++;
				end_flight(flight, false);
				again = true;
				break;
			}
		}
	}
}

void copy_flights_drop(struct copy_device *device)
{
	struct copy_flight *flight, *next;

	wl_list_for_each_safe (flight, next, &device->flights, link) {
		assert(!flight->order);
		end_flight(flight, false);
	}
}

static void measure(const struct copy_flight *flight)
{
	const struct copy_order *order = flight->order;
	struct copy_device *device = flight->device;
	cost_table_add(&device->copier->costs, order->pair, copy_slot_kind(device, flight->slot),
		order->direction, order->bytes, flight->n_rectangles,
		clock_now(device->copier->clock) - flight->begun);
}

static void handle_fence(void *data)
{
	struct copy_flight *flight = data;
	struct copy_device *device = flight->device;
	int status = fence_status(flight->fence);

	if (status == 0) {
		return;
	}
	device->n_users++;
	if (status < 0) {
		device->copier->totals.failures++;
	} else if (flight->order && flight->order->pair) {
		measure(flight);
	}
	end_flight(flight, status > 0);
	copy_device_reap(device);
	copy_device_release(device);
}

void copy_flight_start(struct copy_device *device, struct copy_slot *slot, struct copy_order *order,
	int fence, int n_rectangles)
{
	struct copy_flight *flight = xcalloc(1, sizeof(*flight));

	flight->device = device;
	flight->slot = slot;
	flight->order = order;
	flight->source = buffer_lock(order->source);
	flight->destination = buffer_lock(order->destination);
	flight->fence = fence;
	flight->begun = clock_now(device->copier->clock);
	flight->n_rectangles = n_rectangles;
	fd_watch_start(&flight->watch, device->copier->loop, device->copier->clock, fence,
		handle_fence, flight);
	order->flight = flight;
	wl_list_insert(device->flights.prev, &flight->link);
}

void copy_order_forget(struct copy_order *order)
{
	if (order->flight) {
		order->flight->order = NULL;
		order->flight = NULL;
	}
}
