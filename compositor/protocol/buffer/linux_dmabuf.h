/* SPDX-License-Identifier: MIT */
#pragma once

/** State shared by the files of linux-dmabuf-v1 and by wl_drm. */

#include "copy/copier.h"
#include "gpu/probe.h"
#include "protocol/protocol.h"

struct dmabuf_device;

struct linux_dmabuf {
	struct protocols *protocols;
	struct server *server;
	struct wl_list devices; /* dmabuf_device.link */
	struct wl_list feedbacks; /* dmabuf_feedback.link */
	struct wl_list without_feedback; /* resources of version 3, such as that of Xwayland 22.1 */
	bool announced;
	bool chosen; /* a client was told of all GPUs, to choose one */
	struct dmabuf_prover *provers; /* of clients' linear buffers */
	struct wl_list proofs; /* dmabuf_proof.link */
	/** Sends the pairs that are announced now, and were not before, to clients of version 3. */
	void (*pairs_changed)(const struct dmabuf_device *device, const struct format_set *before);
	/** dmabuf_feedback_resend() */
	void (*device_changed)(
		struct linux_dmabuf *dmabuf, const struct dmabuf_device *device, bool others);
	struct wl_listener rules_changed, client_gpu, gpus_changed, outputs_changed,
		renderer_restored, engines_changed, destroy;
};

/** Formats announced to the clients that render on one GPU. */
struct dmabuf_device {
	struct wl_list link; /* linux_dmabuf.devices */
	struct linux_dmabuf *dmabuf;
	struct gpu *gpu; /* NULL: for clients without a GPU */
	/** Looked up once other GPUs may show this one's buffers; empty until found. */
	struct gpu_facts facts;
	struct gpu_probe *probe; /* NULL: not needed or not started */
	bool probed; /* started at least once, for `queue` */
	struct timer again; /* armed after a probe of a GPU in use that failed, or failed in part */
	int n_failed; /* such probes in a row */
	int64_t failed_at; /* ns; the last one */
	bool changed; /* private: by the last update */
	bool used; /* a client or rule names the GPU, so that a probe may wake it */
	enum vulkan_queue_kind queue;
	dev_t dev; /* its DRM node; 0: none */
	/** Formats of buffers that it can make and that can be presented. */
	struct format_set formats;
	/** The subset that other GPUs can present, by copies or by imports. */
	struct format_set copied;
	bool is_copied; /* another GPU has outputs, or is the display's */
	/** Offered to clients of other GPUs that choose their device; empty: none, or unknown. */
	struct format_set offer;
	/**
	 * Formats announced earlier: accepted from clients that may not have received the update.
	 */
	struct format_set announced_ever;
	/**
	 * The announced pairs as a table that clients map, and its size in bytes: `formats`, then
	 * `offer` of the other devices, in the order of linux_dmabuf.devices.
	 */
	int table_fd; /* -1: not needed yet */
	uint32_t table_size;
};

/** Size (bytes) of a pair in the table. */
#define DMABUF_TABLE_PAIR_SIZE 16

/**
 * Returns the entry of `gpu`, created on first use; it lives as long as `dmabuf`. Defined in
 * linux_dmabuf_device.c.
 */
struct dmabuf_device *dmabuf_device_get(struct linux_dmabuf *dmabuf, struct gpu *gpu);
/** Looks up the other GPUs that clients may choose themselves, as far as that wakes none. */
void dmabuf_devices_prepare_others(struct linux_dmabuf *dmabuf);
/** Returns whether a client may send such a buffer of a GPU that is not its own. */
bool dmabuf_devices_accept(
	const struct linux_dmabuf *dmabuf, const struct gpu *gpu, const struct dmabuf *planes);
/** Returns whether the pair was announced for a GPU that was removed. */
bool dmabuf_devices_announced_before(
	const struct linux_dmabuf *dmabuf, const struct dmabuf *planes);
/** Returns the number of pairs of formats and modifiers. */
size_t dmabuf_count_pairs(const struct format_set *formats);
/** Returns the set that is announced without feedback: of buffers that every output can show. */
const struct format_set *dmabuf_device_pairs(const struct dmabuf_device *device);
/** Looks up the GPUs named by rules, so that their formats are known before clients connect. */
void dmabuf_devices_prepare(struct linux_dmabuf *dmabuf);
/** Updates all formats after a change of outputs, GPUs or copy engines. */
void dmabuf_devices_update(struct linux_dmabuf *dmabuf);
void dmabuf_devices_finish(struct linux_dmabuf *dmabuf);
/** Creates the table of formats. Returns false after logging an error. */
bool dmabuf_device_share(struct dmabuf_device *device);

/**
 * Checks that offsets, strides and sizes of the planes fit their files. Returns NULL if they do,
 * otherwise a newly allocated error message. Sets `*usable` to false if the buffer is valid but
 * cannot be imported. Defined in linux_dmabuf_check.c.
 */
char *dmabuf_check_bounds(
	const struct dmabuf *dmabuf, const struct pixel_format *format, bool *usable);
/** Returns false for modifiers whose plane layout only the driver knows. */
bool dmabuf_has_plain_layout(const struct dmabuf *dmabuf);
/**
 * Creates the buffer of `planes` with its home GPU, which a thread may still be finding out
 * (buffer.pending). `sampling`: the GPU named by the client for this buffer, or NULL. Takes over
 * the planes' descriptors on success. Returns NULL if the home GPU cannot import it.
 */
struct buffer *dmabuf_import(struct linux_dmabuf *dmabuf, struct wl_client *client,
	struct gpu *sampling, struct dmabuf *planes);

/**
 * Returns the GPU that allocated the buffer: the one announced to the client, unless the kernel
 * names another `exporter` (NULL: unknown). A client that follows a change of the rules is
 * recognised by this. Defined in linux_dmabuf_home.c, as are the following functions.
 */
struct gpu *dmabuf_find_home(struct linux_dmabuf *dmabuf, const struct client *client,
	struct gpu *sampling, const struct dmabuf *planes, const char *exporter);
/** Returns whether only a proof can tell that the planes belong to `home`. */
bool dmabuf_is_doubtful(const struct linux_dmabuf *dmabuf, const struct gpu *home,
	const struct dmabuf *planes, const char *exporter);
/**
 * Starts to find out whether a new buffer belongs to its home if that is in doubt, and makes it
 * pending. Switches the client to its next GPU once the home is known to be that.
 */
void dmabuf_prove_home(struct linux_dmabuf *dmabuf, struct wl_client *client, struct buffer *buffer,
	const char *exporter);
/** Cancels all proofs. */
void dmabuf_proofs_finish(struct linux_dmabuf *dmabuf);

/** Creates a zwp_linux_buffer_params_v1. Defined in linux_dmabuf_params.c. */
void dmabuf_params_create(struct linux_dmabuf *dmabuf, struct wl_resource *parent, uint32_t id);

/**
 * Creates a zwp_linux_dmabuf_feedback_v1. `surface` NULL: default feedback. Defined in
 * linux_dmabuf_feedback.c.
 */
void dmabuf_feedback_create(struct linux_dmabuf *dmabuf, struct wl_resource *parent, uint32_t id,
	struct surface *surface);
/**
 * Sends feedback to all clients of this device; `others`: only to those that were told of other
 * devices, which have changed.
 */
void dmabuf_feedback_resend(
	struct linux_dmabuf *dmabuf, const struct dmabuf_device *device, bool others);
/** Sends feedback after the client's gpu or next_gpu changed. */
void dmabuf_feedback_client_changed(struct linux_dmabuf *dmabuf, const struct client *client);

/** Creates the wl_drm global. Defined in wl_drm.c. */
void wl_drm_create(struct linux_dmabuf *dmabuf);
