/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Render devices: a GPU, or the CPU, with its renderer, allocator, and the contents of surfaces on it.
 *
 * All outputs of a GPU share one device. The device outlives a lost context and then gets a new renderer.
 * The owner of the device owns the renderer and the allocator, too, except for render_device_get_cpu().
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
#define UPLOAD_BUDGET_MOST (32 << 20)
/** The budget is 1/UPLOAD_SHARE of a frame's spare time; the rest covers estimation errors. */
#define UPLOAD_SHARE 3

struct render_device {
	struct gpu *gpu; /* NULL: none */
	struct renderer *renderer; /* NULL while the context is lost */
	struct allocator *allocator;
	/** Allocates linear buffers that the CPU draws to and planes scan out; NULL: none. Not owned. */
	struct allocator *linear;
	struct render_device *painter; /* CPU device that draws cursor images; NULL until needed */
	/** CPU device with shadow copies of this device's surfaces; NULL until needed. */
	struct render_device *shadow;
	struct render_device *shadows; /* the device whose shadow copies this one holds, or NULL */
	struct copier *copier; /* copies between GPUs; NULL: none. Not owned. */
	struct staging *staging; /* set if copier is */
	int64_t copies_due; /* ns; predicted duration of copies that are not started yet */
	struct gpu *display; /* the GPU whose outputs it draws for, if not `gpu`; NULL: any */
	unsigned learned; /* bits of enum cost_kind whose costs are measured */
	uint64_t upload_due; /* bytes of shm that the next frame uploads */
	uint64_t upload_budget; /* overrides render_device_upload_budget() if not 0; bytes */
	struct worker *worker; /* upload thread; NULL until the first upload */
	struct wl_list uploads; /* upload.link: in progress on the worker */
	struct clock *clock; /* of its outputs; NULL before the first output */
	bool no_udmabuf; /* udmabuf, or importing udmabufs, does not work here */
	struct wl_list udmabufs_left; /* source_udmabuf.c: unused, but still read by a pass */
	struct wl_list reading; /* content.reading_link: read by the pass being recorded */
	struct wl_list contents; /* content.link */
	struct wl_list images; /* content_image.link */
	struct wl_list peers; /* render_device.peers: all other devices, a ring without a head */
	/** Outputs that the device composes, as bits of scene_output.index. */
	uint32_t outputs;
	uint32_t scanout_outputs; /* outputs that may use planes */
	uint32_t cpu_outputs; /* outputs with buffers shared by GPU and CPU (CPU composition) */
	/** Spare time of an output's next frame, ns. Set by the frame loop with the first output. */
	int64_t (*spare)(const struct scene_output *output);
	struct {
		struct wl_signal copies_due; /* copies_due has grown */
		struct wl_signal copy_ended; /* a copy between GPUs has ended or was abandoned */
	} events;
};

/** Initialises the device. Takes over neither renderer nor allocator. */
void render_device_init(struct render_device *device, struct gpu *gpu, struct renderer *renderer,
	struct allocator *allocator);
/**
 * Adds the device to the peers of `first`: a client's buffer is held until all of them have its
 * pixels.
 */
void render_device_join(struct render_device *device, struct render_device *first);
/**
 * Drops all contents, leaves the peers, and destroys the CPU devices and the upload thread. Call it
 * before the renderer is destroyed.
 */
void render_device_finish(struct render_device *device);
/**
 * Returns `*device`. If it is NULL, first creates it with the pixman renderer and without a GPU.
 */
struct render_device *render_device_get_cpu(struct render_device **device);

/**
 * Returns the bytes that one frame may upload, by the measured upload rate and the spare time of
 * the device's busiest output in `scene`. Returns UPLOAD_BUDGET_UNKNOWN without a scene (NULL),
 * measurements, or an awake output.
 */
uint64_t render_device_upload_budget(struct render_device *device, const struct scene *scene);
