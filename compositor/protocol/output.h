#pragma once

/** What wl_output.c and xdg_output.c share: one output as all its resources know it. */

#include "protocol.h"

struct output_object {
	struct protocols *protocols;
	struct scene_output *output;
	struct wl_global *global;
	struct wl_list resources; /* wl_output */
	struct wl_list xdg_resources; /* zxdg_output_v1 */
	/** As sent last. */
	struct output_sent {
		struct box box; /* logical, global */
		struct output_mode mode;
		int32_t scale;
		enum wl_output_transform transform;
		char *description; /* owned */
	} sent;
	struct wl_list link;
	struct addon addon; /* on the output */
	struct wl_listener changed;
};

/** NULL once the output is gone. */
struct output_object *output_object_from_resource(struct wl_resource *resource);
/** xdg_output.c: tells its resource what `sent` says, without done. */
void xdg_output_send(struct wl_resource *resource, const struct output_object *object);
/** Ends a group of events, for this zxdg_output_v1 on its own (before version 3). */
void xdg_output_send_done(struct wl_resource *resource);
