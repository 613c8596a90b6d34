/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Render devices: a GPU, or the CPU, with its renderer, allocator, and the contents of surfaces on
 * it.
 *
 * All outputs of a GPU share one device. The device outlives a lost context and then gets a new
 * renderer. The owner of the device owns the renderer and the allocator, too.
 */

#include "buffer/allocator.h"
#include "content/route.h"
#include "render/render.h"
#include "scene/scene.h"
#include "util/clock.h"

/** Bytes that one frame uploads at most while the upload rate is unknown: 1920x1080 at 4 bytes. */
#define UPLOAD_BUDGET_UNKNOWN (8 << 20)
/** Bounds of the budget once the rate is known, bytes. */
#define UPLOAD_BUDGET_LEAST (1 << 20)
#define UPLOAD_BUDGET_MAX (32 << 20)
/** The budget is 1/UPLOAD_SHARE of a frame's spare time; the rest covers estimation errors. */
#define UPLOAD_SHARE 3

/** The parts that the owner and the frame loops set; content/ has the others. */
struct render_device {
	struct gpu *gpu; /* NULL: none */
	struct renderer *renderer; /* NULL while the context is lost */
	struct allocator *allocator;
	/**
	 * Allocates linear buffers that the CPU draws to and planes scan out; NULL: none. Not
	 * owned.
	 */
	struct allocator *linear;
	struct copier *copier; /* copies between GPUs; NULL: none. Not owned. */
	struct staging *staging; /* set if copier is */
	struct gpu *display; /* the GPU whose outputs it draws for, if not `gpu`; NULL: any */
	struct clock *clock; /* of its outputs; NULL before the first output */
	/** Outputs that the device composes, as bits of scene_output.index. */
	uint32_t outputs;
	uint32_t scanout_outputs; /* outputs that may use planes */
	uint32_t cpu_outputs; /* outputs with buffers shared by GPU and CPU (CPU composition) */
	/**
	 * Spare time of an output's next frame, ns. Set by the frame loop with the first output.
	 */
	int64_t (*spare)(const struct scene_output *output);
	/** ns; predicted duration of copies that are not started yet; set by content/ */
	int64_t copies_due;
	struct {
		struct wl_signal copies_due; /* copies_due has grown */
		struct wl_signal copy_ended; /* a copy between GPUs has ended or was abandoned */
	} events;
};

/** Creates a device. Takes over neither renderer nor allocator. */
struct render_device *render_device_create(
	struct gpu *gpu, struct renderer *renderer, struct allocator *allocator);
/**
 * Adds the device to the peers of `first`: a client's buffer is held until all of them, or a copy
 * in system memory, have its pixels.
 */
void render_device_join(struct render_device *device, struct render_device *first);
/**
 * Drops all contents, leaves the peers, and destroys the CPU devices and the upload thread. Call it
 * before the renderer is destroyed.
 */
void render_device_finish(struct render_device *device);
/** Destroys a finished device. NULL is legal. */
void render_device_destroy(struct render_device *device);
/** Returns the CPU device that draws cursor images for the device; creates it if needed. */
struct render_device *render_device_get_painter(struct render_device *device);
/** Returns the CPU device with shadow copies of the device's surfaces; creates it if needed. */
struct render_device *render_device_get_shadow(struct render_device *device);

/**
 * Returns the bytes that one frame may upload, by the measured upload rate and the spare time of
 * the device's busiest output in `scene`. Returns UPLOAD_BUDGET_UNKNOWN without a scene (NULL),
 * measurements, or an awake output.
 */
uint64_t render_device_upload_budget(struct render_device *device, const struct scene *scene);
