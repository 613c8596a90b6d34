/* The copy engines of one GPU: opened late, closed early, and followed by the next when one is lost. */

#include "copy/device.h"
#include "gpu/gpu.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An engine is made anew after so many resets, unless so many ns lie between them. */
#define RESETS_MAX 3
#define RESETS_NS INT64_C(10000000000)

static void close_device(struct copy_device *device);

/* Life of devices */

static void handle_gpu_gone(struct wl_listener *listener, void *data)
{
	struct copy_device *device = wl_container_of(listener, device, gpu_gone);

	wl_list_remove(&device->gpu_gone.link);
	wl_list_init(&device->gpu_gone.link);
	device->gpu = NULL;
	/* Who is told that copies failed may let go of the device. */
	device->n_users++;
	copy_flights_fail(device, NULL);
	close_device(device);
	signal_emit(&device->events.again, device);
	copy_device_release(device);
}

static void handle_watchdog(struct timer *timer, int64_t now);
static void handle_linger(struct timer *timer, int64_t now);

struct copy_device *copy_device_find(const struct copier *copier, const struct gpu *gpu)
{
	struct copy_device *device;

	wl_list_for_each (device, &copier->devices, link) {
		if (device->gpu == gpu) {
			return device;
		}
	}
	return NULL;
}

struct copy_device *copier_use(struct copier *copier, struct gpu *gpu)
{
	struct copy_device *device = copy_device_find(copier, gpu);

	if (device) {
		timer_disarm(&device->linger);
		device->n_users++;
		return device;
	}
	device = xcalloc(1, sizeof(*device));
	device->copier = copier;
	device->gpu = gpu->gone ? NULL : gpu;
	device->n_users = 1;
	wl_list_init(&device->pictures);
	wl_list_init(&device->flights);
	wl_signal_init(&device->events.again);
	timer_init(&device->watchdog, copier->clock, handle_watchdog);
	timer_init(&device->linger, copier->clock, handle_linger);
	device->gpu_gone.notify = handle_gpu_gone;
	if (gpu->gone) {
		wl_list_init(&device->gpu_gone.link);
	} else {
		wl_signal_add(&gpu->events.gone, &device->gpu_gone);
	}
	wl_list_insert(copier->devices.prev, &device->link);
	return device;
}

static void close_device(struct copy_device *device)
{
	for (size_t i = 0; i < COPIER_MAX_ENGINES; i++) {
		copy_slot_forget(device, &device->slots[i]);
		copy_slot_close(device, &device->slots[i]);
	}
	timer_disarm(&device->watchdog);
}

static bool any_lost(const struct copy_device *device)
{
	for (size_t i = 0; i < COPIER_MAX_ENGINES; i++) {
		if (device->slots[i].lost) {
			return true;
		}
	}
	return false;
}

static void destroy_device(struct copy_device *device)
{
	struct copier *copier = device->copier;
	bool forgets = any_lost(device);

	copy_flights_drop(device);
	close_device(device);
	timer_finish(&device->watchdog);
	timer_finish(&device->linger);
	assert(wl_list_empty(&device->events.again.listener_list));
	wl_list_remove(&device->gpu_gone.link);
	wl_list_remove(&device->link);
	free(device);
	if (forgets) {
		/* Whoever is next begins with all engines again. */
		signal_emit(&copier->events.engines, copier);
	}
}

static void handle_linger(struct timer *timer, int64_t now)
{
	struct copy_device *device = wl_container_of(timer, device, linger);

	destroy_device(device);
}

void copy_device_release(struct copy_device *device)
{
	/* Memory that is being written stays mapped: the end of the last copy closes the engine. */
	if (!device || --device->n_users > 0 || !wl_list_empty(&device->flights)) {
		return;
	}
	if (device->gpu && device->copier->linger > 0) {
		timer_arm(
			&device->linger, clock_now(device->copier->clock) + device->copier->linger);
	} else {
		destroy_device(device);
	}
}

void copier_close_devices(struct copier *copier)
{
	struct copy_device *device, *next;

	wl_list_for_each_safe (device, next, &copier->devices, link) {
		assert(device->n_users == 0);
		destroy_device(device);
	}
}

/* Engines */

static bool any_left(const struct copy_device *device)
{
	size_t n;

	copy_makers(&n);
	for (size_t i = 0; i < n; i++) {
		if (!device->slots[i].refused && !device->slots[i].lost) {
			return true;
		}
	}
	return false;
}

void copy_slot_give_up(struct copy_device *device, struct copy_slot *slot, const char *why)
{
	size_t n;

	slot->lost = true;
	slot->lost_at = clock_now(device->copier->clock);
	device->copier->totals.lost++;
	device->copier->generation++;
	if (!slot->told) {
		slot->told = true;
		log_warn("%s: the copy engine %s is given up: %s%s",
			device->gpu ? device->gpu->bus_id : "a GPU that is gone",
			copy_makers(&n)[slot - device->slots].name, why ? why : "it does not work",
			any_left(device) ? "" : "; windows there stay as they are");
	}
}

/* After a reset it is made anew, unless one follows the other. */
static bool comes_back(const struct copy_device *device, struct copy_slot *slot)
{
	int64_t now = clock_now(device->copier->clock);

	if (!slot->engine->reset || !device->gpu) {
		return false;
	}
	slot->n_resets = now - slot->reset_at < RESETS_NS ? slot->n_resets + 1 : 1;
	slot->reset_at = now;
	return slot->n_resets <= RESETS_MAX;
}

/* Who was refused because too much was in flight may ask again. */
static void call_back(struct copy_device *device)
{
	if (device->crowded) {
		device->crowded = false;
		signal_emit(&device->events.again, device);
	}
}

/* The engine has said -ENODEV. Its user is not within any call of it. */
static void lose(struct copy_device *device, struct copy_slot *slot)
{
	bool gone;
	int error;

	if (!slot->engine) {
		return;
	}
	slot->returning = comes_back(device, slot);
	gone = !slot->returning;
	if (gone) {
		copy_slot_give_up(device, slot, slot->engine->lost_why);
	}
	device->n_users++;
	copy_flights_fail(device, slot);
	copy_slot_forget(device, slot);
	copy_slot_close(device, slot);
	if (gone) {
		signal_emit(&device->copier->events.engines, device->copier);
	} else {
		/* On its thread, however long the driver takes; without one, its end is told by now. */
		copy_slot_open(device, (size_t)(slot - device->slots), &error);
	}
	call_back(device);
	copy_device_release(device);
}

static void arm_watchdog(struct copy_device *device)
{
	int64_t due = INT64_MAX;

	for (size_t i = 0; i < COPIER_MAX_ENGINES; i++) {
		if (device->slots[i].engine) {
			int64_t overdue = copy_engine_overdue(device->slots[i].engine);

			due = overdue < due ? overdue : due;
		}
	}
	if (due == INT64_MAX) {
		timer_disarm(&device->watchdog);
	} else {
		timer_arm(&device->watchdog, due);
	}
}

void copy_device_reap(struct copy_device *device)
{
	device->n_users++;
	for (size_t i = 0; i < COPIER_MAX_ENGINES; i++) {
		struct copy_slot *slot = &device->slots[i];

		if (slot->engine &&
			copy_engine_reap(slot->engine, clock_now(device->copier->clock)) < 0) {
			lose(device, slot);
		}
	}
	arm_watchdog(device);
	call_back(device);
	copy_device_release(device);
}

static void handle_watchdog(struct timer *timer, int64_t now)
{
	struct copy_device *device = wl_container_of(timer, device, watchdog);

	copy_device_reap(device);
}

/* For one that comes back after a loss others do meanwhile, if they can. */
static bool is_awaited(const struct copy_slot *slot, int error)
{
	return error == -EINPROGRESS && !slot->told && !slot->returning;
}

int copy_device_check(
	struct copy_device *device, const struct dmabuf *dmabuf, unsigned use, const char **reason)
{
	const char *first = NULL, *why = NULL;
	bool opening = false;
	int error = -ENODEV;

	for (size_t i = 0; i < COPIER_MAX_ENGINES; i++) {
		int closed;
		struct copy_engine *engine = copy_slot_open(device, i, &closed);

		if (!engine) {
			opening |= closed == -EINPROGRESS;
			if (is_awaited(&device->slots[i], closed)) {
				break;
			}
			continue;
		}
		error = copy_engine_check(engine, dmabuf, use, &why);
		if (error == 0) {
			return 0;
		}
		first = first ? first : why;
	}
	*reason = opening ? "its GPU's copy engine is being opened"
		  : first ? first
			  : "its GPU has no copy engine";
	return opening ? -EINPROGRESS : error;
}

bool copy_device_has_sdma(struct copy_device *device)
{
	size_t n;
	const struct copy_maker *makers = copy_makers(&n);
	int error;

	for (size_t i = 0; i < n; i++) {
		/* One that was lost may have left copies that are better than nothing. */
		if (makers[i].kind == COST_SDMA &&
			(copy_slot_open(device, i, &error) || device->slots[i].lost ||
				error == -EINPROGRESS)) {
			return true;
		}
	}
	return false;
}

/* The engine that would be asked first; COST_KINDS: there is none, or not yet. */
static enum cost_kind find_kind(struct copy_device *device, bool *unknown)
{
	*unknown = false;
	for (size_t i = 0; i < COPIER_MAX_ENGINES; i++) {
		struct copy_slot *slot = &device->slots[i];
		int error;

		if (copy_slot_open(device, i, &error)) {
			return copy_slot_kind(device, slot);
		}
		*unknown |= slot->lost || error == -EINPROGRESS;
		if (is_awaited(slot, error)) {
			break;
		}
	}
	return COST_KINDS;
}

bool copy_device_is_pointless(
	struct copy_device *device, const struct dmabuf *dmabuf, const char *pair, bool cpu)
{
	bool discrete = device->gpu && !device->gpu->integrated, unknown;
	bool sdma;
	enum cost_memory memory;
	enum cost_kind kind;

	/* If one engine is named, it is wished for. */
	if (dmabuf->modifier != DRM_FORMAT_MOD_LINEAR || device->copier->only) {
		return false;
	}
	sdma = copy_device_has_sdma(device);
	if (!discrete && (!sdma || !cpu)) {
		/* In cached system memory no copy is read sooner than the picture itself. */
		return !sdma;
	}
	kind = find_kind(device, &unknown);
	if (kind == COST_KINDS) {
		return !unknown;
	}
	if (!cpu) {
		/* To be read by another GPU would move it out of its own for good. */
		return kind == COST_CPU;
	}
	memory = discrete ? COST_MEMORY_BUS : COST_MEMORY_UNCACHED;
	return !cost_copy_pays(cost_table_get(&device->copier->costs, pair, kind, COST_OUT), memory,
		(uint64_t)dmabuf->stride[0] * (uint64_t)dmabuf->height);
}

const struct cost_line *copy_device_cost(
	struct copy_device *device, const char *pair, enum cost_direction direction)
{
	enum cost_kind kind = COST_CPU;

	for (size_t i = 0; i < COPIER_MAX_ENGINES; i++) {
		if (device->slots[i].engine) {
			kind = copy_slot_kind(device, &device->slots[i]);
			break;
		}
	}
	return cost_table_get(&device->copier->costs, pair, kind, direction);
}

/* Of several engines: what may pass is not hidden by what does not. */
static int weigh(int before, int error)
{
	return error_may_pass(before) ? before : error;
}

int copy_device_take(
	struct copy_device *device, int first, struct buffer *buffer, enum copy_use use)
{
	int result = -ENODEV;
	bool opening = false;

	for (int i = first; i < COPIER_MAX_ENGINES; i++) {
		int closed, error;

		if (!copy_slot_open(device, (size_t)i, &closed)) {
			opening |= closed == -EINPROGRESS;
			if (is_awaited(&device->slots[i], closed)) {
				break;
			}
			result = error_lacks_descriptor(closed) ? closed : result;
			continue;
		}
		error = copy_device_import(device, i, buffer, use);
		if (error == 0) {
			return i;
		}
		result = weigh(result, error);
	}
	return opening ? -EINPROGRESS : result;
}

const char *copy_device_engine(const struct copy_device *device, int engine)
{
	return device->slots[engine].engine->impl->name;
}

/* Copies */

/* By one engine; -ENOTSUP also if it does not take the pictures. */
static int start_on(struct copy_device *device, struct copy_slot *slot, struct copy_order *order)
{
	struct copy_engine *engine = slot->engine;
	uint64_t bytes = engine->stats.bytes, n_rectangles = engine->stats.rectangles;
	struct copy_request request = {
		.damage = order->damage,
		.dx = order->dx,
		.dy = order->dy,
		.wait_fd = -1,
		.now = clock_now(device->copier->clock),
	};
	int fence, status;
	int error = copy_slot_import(device, slot, order->source, COPY_SOURCE, &request.source);

	if (error == 0) {
		error = copy_slot_import(
			device, slot, order->destination, COPY_DESTINATION, &request.destination);
	}
	if (error == 0) {
		error = copy_engine_submit(engine, &request, &fence);
	}
	if (error < 0) {
		return error;
	}
	order->bytes = engine->stats.bytes - bytes;
	order->engine = engine->impl->name;
	n_rectangles = engine->stats.rectangles - n_rectangles;
	device->copier->totals.copies++;
	device->copier->totals.bytes += order->crosses ? order->bytes : 0;
	status = fence < 0 ? 1 : fence_status(fence);
	if (status == 0) {
		copy_flight_start(device, slot, order, fence, (int)n_rectangles);
		arm_watchdog(device);
		return 0;
	}
	fd_close(&fence);
	if (status < 0) {
		device->copier->totals.failures++;
		/* It has failed already, and its engine may be lost with it. */
		return copy_engine_reap(engine, request.now) == -ENODEV ? -ENODEV : -EIO;
	}
	return 1;
}

int copy_device_start(struct copy_device *device, struct copy_order *order)
{
	bool opening = false;
	int result = -ENODEV;

	assert(!order->flight);
	order->bytes = 0;
	for (size_t i = 0; i < COPIER_MAX_ENGINES; i++) {
		struct copy_slot *slot = &device->slots[i];
		int closed, error;

		if (!copy_slot_open(device, i, &closed)) {
			opening |= closed == -EINPROGRESS;
			if (is_awaited(slot, closed)) {
				break;
			}
			result = error_lacks_descriptor(closed) ? closed : result;
			continue;
		}
		error = start_on(device, slot, order);
		if (error == -ENODEV) {
			lose(device, slot);
			opening |= slot->returning;
		} else if (error == -EBUSY) {
			device->copier->totals.skipped++;
			device->crowded = true;
		}
		if (error >= 0 || error == -EBUSY) {
			return error;
		}
		log_debug(LOG_COPY, "engine %zu does not copy: %s", i, strerror(-error));
		result = weigh(result, error);
	}
	return opening ? -EINPROGRESS : result;
}
