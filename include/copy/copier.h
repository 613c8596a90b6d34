/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The copier: the copy engines of all GPUs, and their jobs.
 *
 * A GPU's engines are opened on first use, with a render node of their own, and closed some time
 * after the last user has released them, so that the next user finds them open. Drivers are slow at
 * both, and may wake the GPU or wait for it, so a thread for each GPU opens and closes them. Until
 * an engine is open, calls return -EINPROGRESS, and gpu_engines.events.again is emitted afterwards.
 * The cheapest engine that can import both buffers does the copy. An engine that hangs or is lost
 * is closed, with one line in the log: its copies fail, and later copies go to the remaining
 * engines.
 *
 * A copy locks both buffers until it has ended; the client's buffer is released only then.
 */

#include "buffer/buffer.h"
#include "copy/cost.h"
#include "copy/engine.h"
#include "copy/vulkan.h"
#include "util/clock.h"
#include "util/signal.h"
#include <stdbool.h>
#include <stdint.h>

#define COPIER_ENGINES_MAX 8

struct gpu;

/** Private state of one engine, with the same life. */
struct engine_context {
	struct gpu *gpu; /* a private copy, which the engine may have opened */
	enum vulkan_queue_kind queue;
	bool compressed; /* SDMA reads compressed images */
};

/** A kind of engine that GPUs may have. */
struct engine_type {
	const char *name;
	enum cost_kind kind;
	bool quick; /* creation involves no driver */
	/**
	 * Called on a thread unless `quick`. Returns 0; -ENOTSUP or -ENOENT if the GPU has no such
	 * engine; -ENODEV if it was not found, which counts as none when it is repeated; or an
	 * error that may pass.
	 */
	int (*create)(struct engine_context *context, struct copy_engine **engine);
};

struct copier_totals {
	uint64_t copies;
	uint64_t bytes; /* copied between GPUs */
	uint64_t failures; /* copies that ended in an error or never ended */
	uint64_t lost; /* engines */
};

struct copier {
	struct wl_event_loop *loop;
	struct clock *clock;
	enum vulkan_queue_kind queue; /* of engines opened from now on */
	bool compressed; /* SDMA reads compressed images; fixed before the first engine opens */
	const char *only; /* name of the only engine to use, static; NULL: all */
	int64_t linger; /* ns that a GPU's engines stay open after its last user; 0: none */
	struct cost_table costs;
	char *cache_path; /* of the costs; NULL: they are not kept */
	struct wl_list gpus; /* gpu_engines.link */
	struct wl_list threads; /* private; one for each GPU used so far */
	int n_opening; /* engines being opened on threads */
	struct copier_totals totals;
	struct {
		/**
		 * An engine was lost, came back, or failed to open: other engines may be chosen.
		 */
		struct wl_signal engines;
	} events;
};

struct engine_instance {
	struct copy_engine *engine; /* NULL: not opened, or lost */
	struct engine_opening *opening; /* private; NULL: closed */
	bool refused; /* the GPU has no such engine */
	bool lost;
	int transient; /* error of the last opening if it may pass (counts as lost), else 0 */
	bool was_absent; /* the last opening, or one before, did not find the engine */
	bool reported; /* its loss was logged */
	bool returning; /* being created again after a reset; other engines do its copies */
	int n_resets; /* in quick succession */
	int64_t reset_at; /* ns; the last reset */
	int64_t lost_at; /* ns */
	/* The addresses of these are the addon keys of this engine's imports, by enum copy_use. */
	char source_key, destination_key;
};

/** The engines of one GPU. */
struct gpu_engines {
	struct wl_list link; /* copier.gpus */
	struct copier *copier;
	struct gpu *gpu; /* NULL after it was unplugged */
	int n_users;
	struct engine_instance instances[COPIER_ENGINES_MAX]; /* in order of cost */
	struct wl_list imports; /* private; of buffers */
	struct wl_list jobs; /* private; copies in flight */
	/**
	 * Private: called by the engines' instances and jobs after one of them has used the engines
	 * for the last time. Reaps ended copies if `copied`, and drops a user.
	 */
	void (*finished)(struct gpu_engines *engines, bool copied);
	bool crowded; /* a copy was refused with -EBUSY */
	struct timer watchdog; /* armed while copies are in flight */
	struct timer linger; /* armed while there are no users */
	struct wl_listener gpu_gone;
	struct {
		/** A call that returned -EINPROGRESS or -EBUSY is worth repeating. */
		struct wl_signal again;
	} events;
};

/** A copy, embedded by its user. */
struct copy_order {
	struct buffer *source, *destination; /* of the same format */
	const pixman_region32_t *damage; /* source pixels; read by gpu_engines_start() only */
	int32_t dx, dy; /* position of the source's 0,0 in the destination */
	bool crosses; /* the bus; for accounting */
	int first; /* index of the first engine that may copy */
	/**
	 * Optional. Called before an engine, given by its index, copies. Returns 0, -EINPROGRESS if
	 * an answer will follow with events.again, or -ENOTSUP if the engine must not copy.
	 */
	int (*permit)(struct copy_order *order, int engine);
	/**
	 * Key of the cost table; must stay valid until the end. NULL, at any time: do not measure.
	 */
	const char *pair;
	enum cost_direction direction;
	/** Called once, never within gpu_engines_start(). `good`: the pixels are valid. */
	void (*done)(struct copy_order *order, bool good);
	/** Results: bytes read, and the engine's name; NULL if the copy was not started. */
	uint64_t bytes;
	const char *engine;
	struct copy_job *job; /* private; NULL unless in flight */
};

/**
 * Loads the cost table from `cache_path` (NULL: none); copier_destroy() saves it there. Cannot
 * fail.
 */
struct copier *copier_create(
	struct wl_event_loop *loop, struct clock *clock, const char *cache_path);
/**
 * All users must have released their engines. Waits for engines to close, some seconds at most.
 * Accepts NULL.
 */
void copier_destroy(struct copier *copier);

/** Returns the engines of the GPU and counts a user. Opens nothing yet. */
struct gpu_engines *copier_use(struct copier *copier, struct gpu *gpu);
/** Drops a user. After the last one, the engines are closed in copier.linger ns. Accepts NULL. */
void gpu_engines_release(struct gpu_engines *engines);
/**
 * Returns 0 if an engine can import such buffers; -EINPROGRESS while engines open; otherwise an
 * error, with the first engine's reason in *reason. Opens engines.
 */
int gpu_engines_check(struct gpu_engines *engines, const struct dmabuf *dmabuf, unsigned use,
	const char **reason);
/** Returns whether an engine is lost, and will be opened again later. */
bool gpu_engines_lost_one(const struct gpu_engines *engines);
/** Returns whether the GPU has SDMA, including a lost or opening one. Opens engines. */
bool gpu_engines_have_sdma(struct gpu_engines *engines);
/**
 * Returns whether the reader (`cpu`: the CPU, else a GPU) reads the linear buffer faster directly
 * than after a copy by the cheapest engine. Opens engines; returns false while they open.
 */
bool gpu_engines_copy_is_pointless(
	struct gpu_engines *engines, const struct dmabuf *dmabuf, const char *pair, bool cpu);
/** Returns the cost of a copy by the cheapest open engine. Valid until the next sample. */
const struct cost_line *gpu_engines_cost(
	struct gpu_engines *engines, const char *pair, enum cost_direction direction);
/**
 * Imports the buffer into the first engine >= `first` that accepts it, for the buffer's lifetime,
 * and returns the engine's index; -EINPROGRESS while engines open; otherwise an error, transient
 * ones in preference. Opens engines.
 */
int gpu_engines_import_any(
	struct gpu_engines *engines, int first, struct buffer *buffer, enum copy_use use);
/** Imports the buffer into this engine, for the buffer's lifetime. Returns 0 or an error. */
int gpu_engines_import(
	struct gpu_engines *engines, int engine, struct buffer *buffer, enum copy_use use);
/** Refuses the buffer on this engine until the engine is closed: its copies of it are wrong. */
void gpu_engines_refuse(
	struct gpu_engines *engines, int engine, struct buffer *buffer, enum copy_use use);
/**
 * Returns whether each engine of the GPU has refused the buffer for good; lost and opening ones
 * have not. Opens engines, and imports the buffer.
 */
bool gpu_engines_have_refused(
	struct gpu_engines *engines, struct buffer *buffer, enum copy_use use);
/**
 * Returns whether an engine before this one may import the buffer later: it is lost, or failed for
 * a moment.
 */
bool gpu_engines_may_improve(
	const struct gpu_engines *engines, int engine, struct buffer *buffer, enum copy_use use);
/** Returns the name of an open engine. */
const char *gpu_engines_name(const struct gpu_engines *engines, int engine);
/**
 * Describes new linear system memory, cached, that this engine writes fastest; rows start at
 * multiples of `alignment` bytes. Returns 0 or -errno, -ENOTSUP if the engine allocates none. The
 * caller owns *out.
 */
int gpu_engines_allocate(struct gpu_engines *engines, int engine, int32_t width, int32_t height,
	uint32_t format, uint32_t alignment, struct dmabuf *out);
/**
 * The same by GBM on the engine's GPU: linear memory that other GPUs import, but the CPU may not
 * read coherently. -ENOTSUP if the engine has no GBM device.
 */
int gpu_engines_allocate_gbm(struct gpu_engines *engines, int engine, int32_t width, int32_t height,
	uint32_t format, uint32_t alignment, struct dmabuf *out);
/**
 * Starts a copy. Returns 1 if it has ended already, 0 if `done` will be called, or -errno if
 * nothing was started: -EBUSY with too many jobs in flight, -EINPROGRESS while the engine opens or
 * its permission is unknown (for these, events.again is emitted later), -EAGAIN if the kernel could
 * not map the memory of a buffer: repeat the call later, once; another transient error, -ENOTSUP if
 * no engine can import the buffers or map their memory, -ENODEV without an engine.
 */
int gpu_engines_start(struct gpu_engines *engines, struct copy_order *order);
/** Lets the copy end without calling `done`. */
void copy_order_forget(struct copy_order *order);

/** For copier_destroy(): closes all engines, and waits for the threads. */
void copier_close_gpus(struct copier *copier);
void copier_close_threads(struct copier *copier);

/**
 * engines.c: returns the engine types of this build, best first. *n is at most COPIER_ENGINES_MAX.
 */
const struct engine_type *engine_types(size_t *n);
