#pragma once

/** What the files of linux-dmabuf-v1 share. */

#include "gpu/format.h"
#include "protocol.h"

struct linux_dmabuf {
	struct server *server;
	/** That feedback names; NULL: there is no device, and no feedback. */
	struct gpu *gpu;
	/** What imports in fact, as the renderer found out. */
	struct format_set formats;
	/** The same pairs as a table that clients map, and its size in bytes. */
	int table_fd;
	uint32_t table_size;
	struct wl_list feedbacks; /* dmabuf_feedback.link */
	struct wl_listener destroy;
};

/** linux_dmabuf_params.c: makes a zwp_linux_buffer_params_v1. */
void dmabuf_params_create(struct linux_dmabuf *dmabuf, struct wl_resource *parent, uint32_t id);

/** linux_dmabuf_feedback.c: makes the table. False after a logged error. */
bool dmabuf_feedback_init(struct linux_dmabuf *dmabuf);
/** Makes a zwp_linux_dmabuf_feedback_v1; `surface` NULL: the default one. */
void dmabuf_feedback_create(struct linux_dmabuf *dmabuf, struct wl_resource *parent, uint32_t id,
	struct surface *surface);
