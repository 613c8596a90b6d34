/* SPDX-License-Identifier: MIT */
#pragma once

/** State of an output shared by wl_output.c and xdg_output.c. */

#include "backend/output.h"
#include "protocol/protocol.h"
#include "util/addon.h"
#include "util/box.h"

struct output_object {
	struct protocols *protocols;
	struct scene_output *output;
	struct wl_global *global;
	struct wl_list resources; /* wl_output */
	struct wl_list xdg_resources; /* zxdg_output_v1 */
	/** Values sent last. */
	struct output_sent {
		struct box box; /* logical, global */
		struct output_mode mode;
		int32_t scale;
		enum wl_output_transform transform;
		char *description, *make, *model; /* owned */
		int32_t physical_width, physical_height;
		enum wl_output_subpixel subpixel;
	} sent;
	struct wl_list link;
	struct addon addon; /* on the output */
	struct wl_listener changed;
};

/** Returns NULL once the output is gone. */
static inline struct output_object *output_object_from_resource(struct wl_resource *resource)
{
	return wl_resource_get_user_data(resource);
}
/**
 * Sends the values of `sent` on a zxdg_output_v1, without the done event. Defined in xdg_output.c.
 */
void xdg_output_send(struct wl_resource *resource, const struct output_object *object);
/** Sends the description if the version of the zxdg_output_v1 allows that it changes. */
void xdg_output_send_description(struct wl_resource *resource, const struct output_object *object);
/** Sends zxdg_output_v1.done, which ends a group of events before version 3. */
void xdg_output_send_done(struct wl_resource *resource);
