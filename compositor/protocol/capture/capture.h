/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Captures, shared by both capture protocols. A capture renders a source (output, window or cursor)
 * into a client's buffer without blocking on a device.
 */

#include "protocol/protocol.h"
#include "scene/output.h"
#include "util/box.h"
#include <pixman.h>

struct capture;
struct capture_source;

/** The part of the scene that a source shows now. */
struct capture_view {
	struct scene_view view;
	struct scene_tree *root; /* NULL: the whole scene */
};

struct capture_source_impl {
	/**
	 * Computes the view to render. Mandatory. Returns false if there is currently nothing to
	 * render.
	 */
	bool (*view)(struct capture_source *source, struct capture_view *out);
	/**
	 * Returns false if the pointer is outside of the source, so that the cursor is left out.
	 * Optional.
	 */
	bool (*pointed_at)(struct capture_source *source);
	/**
	 * Returns the device that renders the source. Optional; NULL: the device that composes for
	 * all outputs.
	 */
	struct render_device *(*device)(const struct capture_source *source);
	/** Notifies of a complete capture. Optional. */
	void (*captured)(struct capture_source *source);
	/** Frees the source after its last reference is dropped. Mandatory. */
	void (*destroy)(struct capture_source *source);
};

/**
 * A source of captures. Its pixels are those of the captured image as stored, i.e. with the
 * transform applied.
 */
struct capture_source {
	const struct capture_source_impl *impl;
	struct protocols *protocols;
	int n_refs;
	bool gone; /* permanently */
	/** The alpha channel is meaningful. */
	bool translucent;
	int32_t width, height; /* pixels; the last known size, never 0 */
	enum wl_output_transform transform;
	struct {
		struct wl_signal damage; /* const pixman_region32_t, pixels */
		struct wl_signal resized; /* size, transform or rendering device changed */
		struct wl_signal gone;
	} events;
};

/** Initialises the base of a source with one reference, owned by the caller. */
void capture_source_init(struct capture_source *source, const struct capture_source_impl *impl,
	struct protocols *protocols);
/** Asserts that all listeners are removed. */
void capture_source_finish(struct capture_source *source);
/** Updates size and transform from the view, and emits resized if they changed. */
void capture_source_update(struct capture_source *source);
void capture_source_damage(struct capture_source *source, const pixman_region32_t *damage);
void capture_source_damage_all(struct capture_source *source);
/** Emits gone, once. */
void capture_source_set_gone(struct capture_source *source);

struct capture_source *capture_source_ref(struct capture_source *source);
/** NULL is legal. */
void capture_source_unref(struct capture_source *source);
struct capture_source *capture_source_create_output(
	struct protocols *protocols, struct scene_output *output);
/**
 * Captures the window's surface and subsurfaces, cropped to the window geometry, without
 * decorations and popups.
 */
struct capture_source *capture_source_create_window(
	struct protocols *protocols, struct window *window);
/** Captures the seat's cursor, in pixels of `area`, which it references. */
struct capture_source *capture_source_create_cursor(
	struct protocols *protocols, struct seat *seat, struct capture_source *area);

/**
 * Finds the seat's cursor in the source: the box of its image and the hotspot, both in pixels of
 * the source. Returns false if no part of the cursor is inside.
 */
bool capture_source_find_cursor(struct capture_source *source, const struct seat *seat,
	struct box *image, int *hotspot_x, int *hotspot_y);

struct capture_request {
	struct capture_source *source;
	/** Part of the source to capture, in its pixels and inside it; the buffer has this size. */
	struct box part;
	bool cursor;
	/** Accepted by capture_accepts(), of known memory; locked until the capture ends. */
	struct buffer *buffer;
	/** Buffer pixels to render, at least. */
	const pixman_region32_t *damage;
};

/**
 * Captures the content that clients have committed so far. `done` is called once, from the event
 * loop, unless the capture is destroyed before. `complete` false: the buffer's content is
 * undefined. The capture is freed before that call. Returns NULL if the source cannot be rendered.
 */
struct capture *capture_start(
	const struct capture_request *request, void (*done)(void *data, bool complete), void *data);
/** NULL is legal. */
void capture_destroy(struct capture *capture);

/**
 * Returns a locked buffer that the device can render to and the CPU can read; its content is
 * undefined. Returns NULL if too many are in use or memory is short. Defined in capture_scratch.c.
 */
struct buffer *capture_scratch_get(struct protocols *protocols, struct render_device *device,
	int32_t width, int32_t height, uint32_t format);

/** Returns the DRM format number `index` of those to offer, the best first; 0 beyond the last. */
uint32_t capture_shm_format(const struct capture_source *source, int index);
/** Returns the device for dma-bufs (NULL: dma-bufs are not accepted), and the formats for it. */
struct gpu *capture_gpu(const struct capture_source *source);
const struct format_modifiers *capture_dmabuf_format(
	const struct capture_source *source, int index);
/**
 * For protocols that name no device: returns true if dma-bufs of this format are accepted from the
 * device that is announced first to this client.
 */
bool capture_accepts_dmabufs(
	const struct protocols *protocols, struct wl_client *client, uint32_t format);
/**
 * Returns true if rendering the part alone yields the same pixels as rendering the whole. Only then
 * do GPUs render to dma-bufs directly.
 */
bool capture_is_direct(const struct capture_view *view, const struct box *part);
/**
 * Returns true if a buffer of this kind and format can be rendered to. The caller checks its size.
 */
bool capture_accepts(const struct capture_source *source, struct buffer *buffer);

/**
 * Returns the source, or NULL if its output or window was gone when it was created. Defined in
 * image_capture_source.c.
 */
struct capture_source *capture_source_from_resource(struct wl_resource *resource);
