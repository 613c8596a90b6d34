/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * A surface's content on one device (a GPU and its renderer): a texture, and the missing region,
 * which was damaged since the texture was last written. Invisible damage is not uploaded until it
 * becomes visible.
 */

#include "content/device.h"
#include "content/route.h"
#include "surface/surface.h"

struct content;
struct scene_entry;
struct scene_output;
struct scene_surface;

enum content_status {
	CONTENT_NONE, /* no usable pixels */
	CONTENT_PENDING, /* in progress: show the previous content, a frame will be requested */
	CONTENT_READY,
	CONTENT_REFUSED, /* internal: the source does not support the buffer */
};

/** Returns NULL if there is none yet. */
struct content *content_find(struct surface *surface, const struct render_device *device);
struct content *content_get(struct surface *surface, struct render_device *device);
/**
 * Prepares for the surface to become visible on the device, so that its first upload can be
 * deferred.
 */
void content_expect(struct surface *surface, struct render_device *device);
/**
 * Updates at least `needed` (buffer pixels; NULL: all) from the surface's current buffer. Releases
 * the buffer to the client early if each device, or the backing store, has all of its pixels.
 */
enum content_status content_prepare(struct content *content, const pixman_region32_t *needed);
/**
 * Returns CONTENT_READY if the last frame that was drawn for the output shows the current pixels of
 * the surface, or if the output shows none of them. Else returns CONTENT_PENDING if a copy or an
 * upload in progress will request a frame, or CONTENT_NONE if copies of the buffer are refused.
 */
enum content_status content_shown(struct render_device *device, const struct scene_output *output,
	const struct scene_surface *surface);
/**
 * Starts to copy the visible pixels of surfaces that belong to other GPUs. Returns true if a copy
 * is in progress.
 */
bool content_gather(struct render_device *device, const struct scene_entry *entries, int n_entries);
/**
 * Like content_gather(), for an output. Returns the time (ns) at which the most recently started
 * pending surface copy began, or 0 if none is pending.
 */
int64_t content_gather_output(struct render_device *device, const struct scene_output *output);
/**
 * Returns the buffer with all of the surface's pixels that a plane of `gpu` can show, or NULL. Sets
 * `barred` to REASON_BEST, or to the reason why there is none.
 */
struct buffer *content_plane_buffer(struct surface *surface, struct render_device *device,
	const struct gpu *gpu, enum route_reason *barred);
/** Returns the coding in which the surface shows a buffer that content_plane_buffer() returned. */
struct color_coding content_plane_coding(
	const struct surface *surface, const struct buffer *buffer);
/** Returns whether the surface is read from a udmabuf or from copies of another GPU's buffer. */
bool content_is_beyond_cpu(const struct content *content);
/** Returns whether the shadow device supports the pixels of `buffer`. */
bool content_may_shadow(const struct render_device *shadow, const struct buffer *buffer);
/**
 * Updates the shadow copy of a surface. Returns true if the copy can be drawn; the buffer then does
 * not have to wait for `device` before its release.
 */
bool content_update_shadow(
	struct surface *surface, struct render_device *device, const pixman_region32_t *needed);
/** Destroys the shadow copies, after the device has taken the pixels that it misses. */
void content_end_shadows(struct render_device *device);
/**
 * Returns the texture of one of the compositor's own buffers, which lives as long as the buffer;
 * NULL on failure.
 */
struct texture *content_image(struct render_device *device, struct buffer *buffer);
/** Destroys all contents of surfaces and images on the device, with their shadow copies. */
void content_drop_all(struct render_device *device);

/** Returns the source of the surface's pixels where the device composes them. */
enum route_source content_source(struct render_device *device, const struct surface *surface);
/**
 * Returns the route of the surface to an output of the device, as of its last frame there.
 * `composed` is the reason why no plane of the output shows it, if none does.
 */
struct route_choice content_explain_route(struct render_device *device,
	const struct scene_output *output, const struct surface *surface,
	enum route_reason composed);
/**
 * Returns whether a plane other than a cursor plane shows the client's own buffer on the output,
 * not a copy that the device has.
 */
bool content_is_scanned_out(struct render_device *device, const struct scene_output *output,
	const struct surface *surface);
/**
 * Adds a measurement: uploads or a pass of `bytes` took `took` ns. Ignored after enough
 * measurements.
 */
void route_learn(struct render_device *device, enum cost_kind kind, uint64_t bytes, int64_t took);
/**
 * Returns the largest number of damaged pixels, at most `pixels`, that the CPU composes at a lower
 * cost than waking the GPU.
 */
uint64_t route_cpu_pixels(struct render_device *device, uint64_t pixels);
