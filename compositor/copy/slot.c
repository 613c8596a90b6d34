/* Engines of a GPU: opened and closed on its thread, and what is known of them. */

#include "copy/device.h"
#include "copy/worker.h"
#include "gpu/gpu.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/fd_watch.h"
#include "util/log.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An engine that was lost is tried again after so many ns. */
#define RETRY_NS INT64_C(5000000000)
/* The end of the session does not wait longer than this for drivers. */
#define CLOSE_MS 3000

/* The thread of a GPU: what was closed is closed before it is opened again. */
struct helper {
	struct wl_list link; /* copier.helpers */
	const struct gpu *gpu; /* never looked into */
	struct copy_worker *worker;
};

/* An engine's life, from before it is made until it has been destroyed. */
struct copy_opening {
	struct copy_task open, close;
	const struct copy_maker *maker;
	struct copy_place place;
	struct copy_engine *engine;
	int error;
	atomic_bool made; /* the two above are valid */
	/* While it is being made; the event loop's. */
	struct copy_device *device;
	struct copy_slot *slot;
	struct copy_worker *worker; /* NULL: it was made without a thread */
	struct fd_watch watch;
	int fence;
};

static struct copy_worker *find_worker(struct copier *copier, const struct gpu *gpu)
{
	struct helper *helper;

	wl_list_for_each (helper, &copier->helpers, link) {
		if (helper->gpu == gpu) {
			return helper->worker;
		}
	}
	helper = xcalloc(1, sizeof(*helper));
	helper->gpu = gpu;
	helper->worker = copy_worker_create();
	wl_list_insert(&copier->helpers, &helper->link);
	return helper->worker;
}

static bool do_nothing(struct copy_task *task)
{
	free(task);
	return true;
}

void copier_close_helpers(struct copier *copier)
{
	struct helper *helper, *next;

	wl_list_for_each_safe (helper, next, &copier->helpers, link) {
		struct copy_task *last = xcalloc(1, sizeof(*last));
		int fence;

		last->run = do_nothing;
		fence = helper->worker ? copy_worker_push(helper->worker, last) : -ENOMEM;
		if (fence < 0) {
			free(last);
		} else {
			copy_worker_wait(fence, CLOSE_MS);
			close(fence);
		}
		copy_worker_destroy(helper->worker);
		wl_list_remove(&helper->link);
		free(helper);
	}
}

static bool run_open(struct copy_task *task)
{
	struct copy_opening *opening = wl_container_of(task, opening, open);

	opening->error = opening->maker->create(&opening->place, &opening->engine);
	atomic_store(&opening->made, true);
	return opening->error == 0;
}

static bool run_close(struct copy_task *task)
{
	struct copy_opening *opening = wl_container_of(task, opening, close);

	if (opening->error == 0) {
		copy_engine_destroy(opening->engine);
	}
	gpu_copy_destroy(opening->place.gpu);
	free(opening);
	return true;
}

static void stop_waiting(struct copy_opening *opening)
{
	if (opening->fence >= 0) {
		fd_watch_stop(&opening->watch);
		fd_close(&opening->fence);
		opening->device->copier->n_opening--;
	}
}

void copy_slot_close(struct copy_device *device, struct copy_slot *slot)
{
	struct copy_opening *opening = slot->opening;
	struct copy_engine *engine = slot->engine;

	slot->engine = NULL;
	slot->opening = NULL;
	if (!opening) {
		return;
	}
	stop_waiting(opening);
	if (!opening->worker) {
		run_close(&opening->close);
		return;
	}
	if (engine && engine->impl->leave) {
		engine->impl->leave(engine);
	}
	copy_worker_post(opening->worker, &opening->close);
}

static void take(struct copy_device *device, struct copy_slot *slot)
{
	const struct copy_opening *opening = slot->opening;

	bool returning = slot->returning, changes = slot->told || slot->want;

	slot->returning = false;
	if (opening->error == 0) {
		slot->engine = opening->engine;
		slot->want = 0;
		device->copier->generation++;
		log_debug(LOG_COPY, "%s: %s is open", opening->place.gpu->bus_id,
			opening->maker->name);
	} else if (returning) {
		copy_slot_give_up(device, slot, "it could not be set up again after a reset");
		copy_slot_close(device, slot);
	} else {
		slot->want = error_lacks_descriptor(opening->error) ? opening->error : 0;
		slot->refused = slot->want == 0;
		slot->lost = !slot->refused;
		slot->lost_at = clock_now(device->copier->clock);
		log_debug(LOG_COPY, "%s: no %s: %s", opening->place.gpu->bus_id,
			opening->maker->name, strerror(-opening->error));
		copy_slot_close(device, slot);
	}
	if (changes || slot->told || slot->refused || slot->want) {
		signal_emit(&device->copier->events.engines, device->copier);
	}
}

static void handle_opened(void *data)
{
	struct copy_opening *opening = data;
	struct copy_device *device = opening->device;

	if (!atomic_load(&opening->made)) {
		return;
	}
	stop_waiting(opening);
	take(device, opening->slot);
	device->n_users++;
	signal_emit(&device->events.again, device);
	copy_device_release(device);
}

/* 0: it is open, or not to be had; -EINPROGRESS. */
static int open_slot(struct copy_device *device, size_t i, const struct copy_maker *maker)
{
	struct copier *copier = device->copier;
	struct copy_slot *slot = &device->slots[i];
	struct copy_opening *opening = xcalloc(1, sizeof(*opening));

	*opening = (struct copy_opening){
		.open.run = run_open,
		.close.run = run_close,
		.maker = maker,
		.place = {.gpu = gpu_copy(device->gpu), .queue = copier->queue},
		.device = device,
		.slot = slot,
		.worker = maker->quick ? NULL : find_worker(copier, device->gpu),
		.fence = -1,
	};
	slot->opening = opening;
	if (opening->worker) {
		opening->fence = copy_worker_push(opening->worker, &opening->open);
	}
	if (opening->fence < 0) {
		opening->worker = NULL; /* one that blocks is better than none */
		run_open(&opening->open);
		take(device, slot);
		return 0;
	}
	fd_watch_start(&opening->watch, copier->loop, copier->clock, opening->fence, handle_opened,
		opening);
	copier->n_opening++;
	return -EINPROGRESS;
}

struct copy_engine *copy_slot_open(struct copy_device *device, size_t i, int *error)
{
	struct copy_slot *slot = &device->slots[i];
	size_t n;
	const struct copy_maker *makers = copy_makers(&n);

	*error = -ENODEV;
	if (i >= n || !copier_allows(device->copier, &makers[i])) {
		return NULL;
	}
	if (slot->engine) {
		return slot->engine;
	}
	if (slot->opening) {
		*error = -EINPROGRESS;
		return NULL;
	}
	if (!device->gpu || slot->refused) {
		return NULL;
	}
	if (slot->lost) {
		if (clock_now(device->copier->clock) - slot->lost_at < RETRY_NS) {
			*error = slot->want ? slot->want : -ENODEV;
			return NULL;
		}
		slot->lost = false;
	}
	if (open_slot(device, i, &makers[i]) < 0) {
		*error = -EINPROGRESS;
	} else if (slot->want) {
		*error = slot->want;
	}
	return slot->engine;
}

/* Vulkan's is that of its queue. */
enum cost_kind copy_slot_kind(const struct copy_device *device, const struct copy_slot *slot)
{
	enum vulkan_queue_kind queue = device->copier->queue;
	size_t n;
	const struct copy_maker *maker = &copy_makers(&n)[slot - device->slots];

	return maker->kind != COST_TRANSFER     ? maker->kind
	       : queue == VULKAN_QUEUE_COMPUTE  ? COST_COMPUTE
	       : queue == VULKAN_QUEUE_GRAPHICS ? COST_GRAPHICS
						: COST_TRANSFER;
}
