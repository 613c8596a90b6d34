#pragma once

/**
 * The copier: the copy engines of all GPUs, and what they are doing.
 *
 * A GPU's engines are opened when first needed, on a render node of their own, and closed some time after
 * the last user has gone, so that what comes back at once, or asks again for what was refused, finds them
 * as they were. Both finish_opening drivers their time, and may wake a GPU or wait for one, so they are done on a
 * thread for each GPU; who asks meanwhile is reported so (-EINPROGRESS), and once more when it is done
 * (gpu_engines.events.again). Of several the cheapest that takes the imports does the copy. One that
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

/** Where an engine is made. Lives as long as the engine, which has it to itself. */
struct engine_context {
	struct gpu *gpu; /* a copy of it, on no list: nothing of it is open, nor shared */
	enum vulkan_queue_kind queue;
};

/** A kind of engine that a GPU may have. */
struct engine_type {
	const char *name;
	enum cost_kind kind;
	bool quick; /* to make: no driver is asked */
	/** On a thread. 0 or negative errno: the GPU has no such engine. */
	int (*create)(struct engine_context *context, struct copy_engine **engine);
};

struct copier_totals {
	uint64_t copies;
	uint64_t bytes; /* that crossed a bus between GPUs */
	uint64_t failures; /* copies that ended in an error, or never */
	uint64_t skipped; /* not started, because too much was in job */
	uint64_t lost; /* engines */
};

struct copier {
	struct wl_event_loop *loop;
	struct clock *clock;
	enum vulkan_queue_kind queue; /* of engines that are opened from now on */
	const char *only; /* the one engine that may be used, static; NULL: all */
	int64_t linger; /* ns that a GPU's engines stay open after its last user; 0: none */
	struct cost_table costs;
	char *cache_path; /* of the costs; NULL: they are not kept */
	struct wl_list gpus; /* gpu_engines.link */
	struct wl_list threads; /* private: threads, one for each GPU that was used */
	int n_opening; /* engines, on threads */
	struct copier_totals totals;
	struct {
		/** An engine was lost, or came back, or is not to be had after all: others may do the copies. */
		struct wl_signal engines;
	} events;
};

struct engine_instance {
	struct copy_engine *engine; /* NULL: not opened, or lost */
	struct engine_opening *opening; /* private; NULL: closed */
	bool refused; /* the GPU has no such engine */
	bool lost;
	int transient; /* error_lacks_descriptor(): only for that it is as if lost; 0: it is not */
	bool reported; /* that it was lost */
	bool returning; /* it is made anew after a reset: others do meanwhile */
	int n_resets; /* one not long after the other */
	int64_t reset_at; /* ns; of the last one */
	int64_t lost_at; /* ns */
	/* Addresses that name this engine's imports on buffers, by enum copy_use. */
	char source_key, destination_key;
};

/** The engines of one GPU. */
struct gpu_engines {
	struct wl_list link; /* copier.gpus */
	struct copier *copier;
	struct gpu *gpu; /* NULL once it is gone */
	int n_users;
	struct engine_instance instances[COPIER_MAX_ENGINES]; /* in order of cost */
	struct wl_list imports; /* imports of buffers */
	struct wl_list jobs; /* copies under way */
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
	/** Called once, never from within gpu_engines_start(). `good`: the pixels are there. */
	void (*done)(struct copy_order *order, bool good);
	/** Results: bytes that are read, and who reads them; NULL: nobody did. */
	uint64_t bytes;
	const char *engine;
	struct copy_job *job; /* private; NULL when it is not under way */
};

/** `cache_path`: the file that keeps the cost table, or NULL. */
struct copier *copier_create(
	struct wl_event_loop *loop, struct clock *clock, const char *cache_path);
/** No user of any engines is left. Waits until engines are closed, some seconds at most. NULL is legal. */
void copier_destroy(struct copier *copier);

/** Counts a user. Opens nothing yet. */
struct gpu_engines *copier_use(struct copier *copier, struct gpu *gpu);
/** After the last one's all engines are closed in copier.linger. NULL is legal. */
void gpu_engines_release(struct gpu_engines *engines);
/**
 * 0 if an engine of the GPU takes such imports; else an error and a phrase that says why the first
 * of them does not. Opens the GPU; -EINPROGRESS: it is being opened.
 */
int gpu_engines_check(struct gpu_engines *engines, const struct dmabuf *dmabuf, unsigned use,
	const char **reason);
/** The GPU has an engine made for nothing but copies, as is known without Vulkan. Opens the GPU. */
bool gpu_engines_have_sdma(struct gpu_engines *engines);
/**
 * The picture is linear, and whoever shows it (`cpu`: not a GPU) does better to read it where it lies than to
 * read a copy that the cheapest engine has made. Opens the GPU; false while it is being opened.
 */
bool gpu_engines_copy_is_pointless(
	struct gpu_engines *engines, const struct dmabuf *dmabuf, const char *pair, bool cpu);
/** The cost of what it would be asked to do next, by the cheapest engine that works. */
const struct cost_line *gpu_engines_cost(
	struct gpu_engines *engines, const char *pair, enum cost_direction direction);
/**
 * The first engine from `first` on that takes the picture, which it imports for as long as the buffer lives: its
 * index, -EINPROGRESS, or another error if there is none, of those one that may pass if there is any. Opens the GPU.
 */
int gpu_engines_import_any(
	struct gpu_engines *engines, int first, struct buffer *buffer, enum copy_use use);
/** Whether this engine does: 0 or an error. */
int gpu_engines_import(
	struct gpu_engines *engines, int engine, struct buffer *buffer, enum copy_use use);
/** Its name; it is open. */
const char *gpu_engines_name(const struct gpu_engines *engines, int engine);
/**
 * Describes new linear system memory, cached, that this engine writes fastest; rows start at multiples of
 * `alignment` bytes. Returns 0 or -errno, -ENOTSUP if the engine allocates none. The caller owns *out.
 */
int gpu_engines_allocate(struct gpu_engines *engines, int engine, int32_t width, int32_t height,
	uint32_t format, uint32_t alignment, struct dmabuf *out);
/**
 * 1 if the copy has ended already, 0 if `done` will be called, or negative errno: nothing was started.
 * -EBUSY: too much is in job. -EINPROGRESS: the engine is being opened. Both: gpu_engines.events.again is
 * emitted when that may have changed. -ENOTSUP: none takes it. -ENODEV: there is none. What may pass comes before
 * those two.
 */
int gpu_engines_start(struct gpu_engines *engines, struct copy_order *order);
/** `done` is not called any more. The copy goes on. */
void copy_order_forget(struct copy_order *order);

/** For copier.c: those that only wait for their last copies; and what was closed before. */
void copier_close_gpus(struct copier *copier);
void copier_close_threads(struct copier *copier);

/** types.c: the kinds of this build, best first. *n is at most COPIER_MAX_ENGINES. */
const struct engine_type *engine_types(size_t *n);
