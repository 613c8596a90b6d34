#pragma once

/** Costs and predicates of routes that the content sources ask for. */

#include "content/device.h"

/** Measured cost of uploads to the device, or NULL while it is unknown. */
const struct cost_line *route_upload_cost(struct render_device *device);
/**
 * Tells whether the surface's pool is cheaper to read through a udmabuf than to upload. With `pooled`, for a
 * surface that is read so already, true unless uploads are cheaper by far.
 */
bool route_udmabuf_pays(struct render_device *device, const struct surface *surface, bool pooled);
/** Tells whether a plane shows the surface on the first output of the device that has it. */
bool route_is_scanned_out(const struct render_device *device, const struct surface *surface);
