#pragma once

/**
 * The copier: the copy engines of all GPUs, and what they are doing.
 *
 * A GPU's engines are opened when first needed, on a render node of their own, and closed some time after
 * the last user has gone, so that what comes back at once, or asks again for what was refused, finds them
 * as they were. Both take drivers their time, and may wake a GPU or wait for one, so they are done on a
 * thread for each GPU; who asks meanwhile is told so (-EINPROGRESS), and once more when it is done
 * (copy_device.events.again). Of several the cheapest that takes the pictures does the copy. One that
 * hangs or is lost is closed, which is said once; its copies have failed, and the next ones go to what
 * is left.
 *
 * A copy holds locks on both buffers until it has ended: a client gets its buffer back only then.
 */

#include "buffer/buffer.h"
#include "copy/cost.h"
#include "copy/engine.h"
#include "copy/vulkan.h"
#include "util/clock.h"
#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>

#define COPIER_MAX_ENGINES 8

struct copier;
struct gpu;
struct placement_table;

/** Where an engine is made. Lives as long as the engine, which has it to itself. */
struct copy_place {
	struct gpu *gpu; /* a copy of it, on no list: nothing of it is open, nor shared */
	enum vulkan_queue_kind queue;
};

/** A kind of engine that a GPU may have. */
struct copy_maker {
	const char *name;
	enum cost_kind kind;
	bool quick; /* to make: no driver is asked */
	/** On a thread. 0 or negative errno: the GPU has no such engine. */
	int (*create)(struct copy_place *place, struct copy_engine **engine);
};

struct copier_totals {
	uint64_t copies;
	uint64_t bytes; /* that crossed a bus between GPUs */
	uint64_t failures; /* copies that ended in an error, or never */
	uint64_t skipped; /* not started, because too much was in flight */
	uint64_t lost; /* engines */
};

struct copier {
	struct wl_event_loop *loop;
	struct clock *clock;
	enum vulkan_queue_kind queue; /* of engines that are opened from now on */
	const char *only; /* the one engine that may be used, static; NULL: all */
	int64_t linger; /* ns that a GPU's engines stay open after its last user; 0: none */
	struct cost_table costs;
	struct placement_table *placements; /* of staging buffers */
	char *cache_path, *placements_path; /* NULL: they are not kept */
	uint64_t generation; /* counts engines that were opened or lost */
	struct wl_list devices; /* copy_device.link */
	struct wl_list helpers; /* private: threads, one for each GPU that was used */
	int n_opening; /* engines, on threads */
	struct wl_list rings; /* staging_ring.link, those that were unseen longest first */
	struct timer cleaner; /* staging.c */
	uint64_t memory, memory_most; /* bytes that rings have, and should have */
	struct copier_totals totals;
	struct {
		/** An engine was lost, or came back, or is not to be had after all: others may do the copies. */
		struct wl_signal engines;
	} events;
};

struct copy_slot {
	struct copy_engine *engine; /* NULL: not opened, or lost */
	struct copy_opening *opening; /* private; NULL: closed */
	bool refused; /* the GPU has no such engine */
	bool lost;
	int want; /* error_lacks_descriptor(): only for that it is as if lost; 0: it is not */
	bool told; /* that it was lost */
	bool returning; /* it is made anew after a reset: others do meanwhile */
	int n_resets; /* one not long after the other */
	int64_t reset_at; /* ns; of the last one */
	int64_t lost_at; /* ns */
	/* Addresses that name this engine's imports on buffers, by enum copy_use. */
	char source_key, destination_key;
};

/** The engines of one GPU. */
struct copy_device {
	struct wl_list link; /* copier.devices */
	struct copier *copier;
	struct gpu *gpu; /* NULL once it is gone */
	int n_users;
	struct copy_slot slots[COPIER_MAX_ENGINES]; /* in order of cost */
	struct wl_list pictures; /* imports of buffers */
	struct wl_list flights; /* copies under way */
	bool crowded; /* it said -EBUSY */
	struct timer watchdog; /* armed while copies are under way */
	struct timer linger; /* armed while it has no users */
	struct wl_listener gpu_gone;
	struct {
		/** What said -EINPROGRESS or -EBUSY may say something else by now: ask again. */
		struct wl_signal again;
	} events;
};

/** Embedded by who asks for a copy. */
struct copy_order {
	struct buffer *source, *destination; /* one format */
	const pixman_region32_t *damage; /* pixels of the source; only while it is started */
	int32_t dx, dy; /* of the source's 0,0 in the destination */
	bool crosses; /* a bus: for accounting */
	/** For the table of costs, as long as the copy lives; NULL, also meanwhile: it is no measure. */
	const char *pair;
	enum cost_direction direction;
	/** Called once, never from within copy_device_start(). `good`: the pixels are there. */
	void (*done)(struct copy_order *order, bool good);
	/** Results: bytes that are read, and who reads them; NULL: nobody did. */
	uint64_t bytes;
	const char *engine;
	struct copy_flight *flight; /* private; NULL when it is not under way */
};

/** `cache_path`: the file of costs; that of placements is beside it. NULL: neither is kept. */
struct copier *copier_create(
	struct wl_event_loop *loop, struct clock *clock, const char *cache_path);
/** No user of any device is left. Waits until engines are closed, some seconds at most. NULL is legal. */
void copier_destroy(struct copier *copier);

/** Counts a user. Opens nothing yet. */
struct copy_device *copier_use(struct copier *copier, struct gpu *gpu);
/** After the last one's all engines are closed in copier.linger. NULL is legal. */
void copy_device_release(struct copy_device *device);
/**
 * 0 if an engine of the GPU takes such pictures; else an error and a phrase that says why the first
 * of them does not. Opens the GPU; -EINPROGRESS: it is being opened.
 */
int copy_device_check(
	struct copy_device *device, const struct dmabuf *dmabuf, unsigned use, const char **reason);
/** The GPU has an engine made for nothing but copies, as is known without Vulkan. Opens the GPU. */
bool copy_device_has_sdma(struct copy_device *device);
/**
 * The picture is linear, and whoever shows it (`cpu`: not a GPU) does better to read it where it lies than to
 * read a copy that the cheapest engine has made. Opens the GPU; false while it is being opened.
 */
bool copy_device_is_pointless(
	struct copy_device *device, const struct dmabuf *dmabuf, const char *pair, bool cpu);
/** The cost of what it would be asked to do next, by the cheapest engine that works. */
const struct cost_line *copy_device_cost(
	struct copy_device *device, const char *pair, enum cost_direction direction);
/**
 * The first engine from `first` on that takes the picture, which it imports for as long as the buffer lives: its
 * index, -EINPROGRESS, or another error if there is none, of those one that may pass if there is any. Opens the GPU.
 */
int copy_device_take(
	struct copy_device *device, int first, struct buffer *buffer, enum copy_use use);
/** Whether this engine does: 0 or an error. */
int copy_device_import(
	struct copy_device *device, int engine, struct buffer *buffer, enum copy_use use);
/** Its name; it is open. */
const char *copy_device_engine(const struct copy_device *device, int engine);
/**
 * A linear picture in system memory that the CPU reads and this engine writes, at its best speed; rows at
 * multiples of `alignment` bytes. NULL with errno, ENOTSUP if it allocates none.
 */
struct buffer *copy_device_allocate(struct copy_device *device, int engine, int32_t width,
	int32_t height, uint32_t format, uint32_t alignment);
/**
 * 1 if the copy has ended already, 0 if `done` will be called, or negative errno: nothing was started.
 * -EBUSY: too much is in flight. -EINPROGRESS: the engine is being opened. Both: copy_device.events.again is
 * emitted when that may have changed. -ENOTSUP: none takes it. -ENODEV: there is none. What may pass comes before
 * those two.
 */
int copy_device_start(struct copy_device *device, struct copy_order *order);
/** `done` is not called any more. The copy goes on. */
void copy_order_forget(struct copy_order *order);

/** For copier.c: those that only wait for their last copies; and what was closed before. */
void copier_close_devices(struct copier *copier);
void copier_close_helpers(struct copier *copier);

/** makers.c: the kinds of this build, best first. *n is at most COPIER_MAX_ENGINES. */
const struct copy_maker *copy_makers(size_t *n);
