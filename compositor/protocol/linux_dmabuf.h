#pragma once

/** What the files of linux-dmabuf-v1 share, and wl_drm with them. */

#include "copy/copier.h"
#include "gpu/probe.h"
#include "protocol.h"

struct linux_dmabuf {
	struct protocols *protocols;
	struct server *server;
	struct wl_list devices; /* dmabuf_device.link */
	struct wl_list feedbacks; /* dmabuf_feedback.link */
	bool announced;
	struct wl_listener rules_changed, client_gpu, gpus_changed, outputs_changed,
		engines_changed, candidate, destroy;
};

/** What clients are told of one GPU that they render on. */
struct dmabuf_device {
	struct wl_list link; /* linux_dmabuf.devices */
	struct linux_dmabuf *dmabuf;
	struct gpu *gpu; /* NULL: for clients that have none */
	/** Looked up once it is not the only one that composes; empty until they are found. */
	struct gpu_facts facts;
	struct gpu_probe *probe; /* NULL: not needed, or not begun */
	bool probed; /* begun at least, for this queue */
	enum vulkan_queue_kind queue;
	dev_t dev; /* its node; 0: none */
	/** Of buffers that it makes and that can be shown somewhere. */
	struct format_set formats;
	/** Those of them that can be shown by other GPUs, by copies. */
	struct format_set copied;
	/** Earlier ones: a client that has not heard that they went makes no mistake. */
	struct format_set told;
	/** The same pairs as a table that clients map, and its size in bytes. */
	int table_fd; /* -1: not needed so far */
	uint32_t table_size;
};

/** Bytes of a pair in the table. */
#define DMABUF_TABLE_PAIR_SIZE 16

/** linux_dmabuf_device.c: made on first use; lives as long as `dmabuf`. */
struct dmabuf_device *dmabuf_device_get(struct linux_dmabuf *dmabuf, struct gpu *gpu);
/** Those that rules name, so that they are known when programs come. */
void dmabuf_devices_prepare(struct linux_dmabuf *dmabuf);
/** All formats may be others now. */
void dmabuf_devices_update(struct linux_dmabuf *dmabuf);
void dmabuf_devices_finish(struct linux_dmabuf *dmabuf);
/** Makes the table. False after a logged error. */
bool dmabuf_device_share(struct dmabuf_device *device);

/**
 * linux_dmabuf_check.c: NULL if offsets, strides and size of the planes fit their files, else what is
 * wrong, newly allocated. *usable becomes false for what is no mistake but cannot be imported.
 */
char *dmabuf_check_bounds(
	const struct dmabuf *dmabuf, const struct pixel_format *format, bool *usable);
/** False for layouts of which only the driver knows the planes. */
bool dmabuf_has_plain_layout(const struct dmabuf *dmabuf);
/**
 * The buffer for what a client sends, by its home; NULL if it cannot be imported there. `sampling`: the
 * GPU that the client names for it, NULL if it names none. Takes the planes' descriptors if it succeeds.
 */
struct buffer *dmabuf_import(struct linux_dmabuf *dmabuf, struct client *client,
	struct gpu *sampling, struct dmabuf *planes);

/** linux_dmabuf_params.c: makes a zwp_linux_buffer_params_v1. */
void dmabuf_params_create(struct linux_dmabuf *dmabuf, struct wl_resource *parent, uint32_t id);

/** linux_dmabuf_feedback.c: makes a zwp_linux_dmabuf_feedback_v1; `surface` NULL: the default one. */
void dmabuf_feedback_create(struct linux_dmabuf *dmabuf, struct wl_resource *parent, uint32_t id,
	struct surface *surface);
/** Another plane, or other outputs, or none, could show the surface. */
void dmabuf_feedback_surface_changed(struct linux_dmabuf *dmabuf, const struct surface *surface);
/** Tells whoever has feedback of this device. */
void dmabuf_feedback_resend(struct linux_dmabuf *dmabuf, const struct dmabuf_device *device);
/** The client has another GPU, or will have one. */
void dmabuf_feedback_client_changed(struct linux_dmabuf *dmabuf, const struct client *client);

/** wl_drm.c: makes the global. */
void wl_drm_create(struct linux_dmabuf *dmabuf);
