/* SPDX-License-Identifier: MIT */
#pragma once

/** Costs and predicates of routes, for the content sources. */

#include "content/device.h"

struct content;

/** Measured cost of uploads to the device, or NULL while it is unknown. */
const struct cost_line *route_upload_cost(struct render_device *device);
/**
 * Returns whether reading the surface's pool through a udmabuf is cheaper than uploading. With
 * `pooled`, for a surface that already uses one, returns true unless uploads are cheaper by far.
 */
bool route_udmabuf_pays(struct render_device *device, const struct surface *surface, bool pooled);
/** Returns whether the renderer reads linear memory in the format of `buffer` without a copy. */
bool route_reads_in_place(const struct render_device *device, const struct buffer *buffer);
/** Returns whether the device may read the memory of `buffer` by a udmabuf. */
bool route_may_use_udmabuf(struct render_device *device, struct buffer *buffer);
/** Returns the source for the surface's current state, by route_choose(). */
enum route_source content_choose(const struct content *content);
/** Returns the source for a buffer that the surface does not show yet. */
enum route_source content_choose_next(const struct content *content, struct buffer *buffer);
/** Returns the source to use if the buffer cannot be copied; SOURCE_NONE: none. */
enum route_source content_choose_uncopied(const struct content *content, struct buffer *buffer);
/** Returns whether a plane shows the surface on the first output of the device that has it. */
bool route_is_scanned_out(const struct render_device *device, const struct surface *surface);
