#pragma once

/**
 * Captures: what both capture protocols share. A source is what is captured; a capture draws it into
 * a client's buffer, without ever waiting for the device.
 */

#include "protocol.h"
#include <pixman.h>

struct capture;
struct capture_source;

/** From where a source's picture is drawn, in one moment. */
struct capture_view {
	struct scene_view view;
	struct scene_tree *root; /* NULL: the whole scene */
};

struct capture_source_impl {
	/** Mandatory. False: there is nothing to draw now, or no more. */
	bool (*view)(struct capture_source *source, struct capture_view *out);
	/** Optional: false if the cursor is over something else than this. Else it may be in it. */
	bool (*pointed_at)(struct capture_source *source);
	/** Optional: what draws it; NULL, or without this: the device that composes for all. */
	struct render_device *(*device)(const struct capture_source *source);
	/** Optional: a capture is complete. */
	void (*captured)(struct capture_source *source);
	/** Mandatory. Nobody refers to it: frees it. */
	void (*destroy)(struct capture_source *source);
};

/** Pixels of a source are those of its picture as stored: with its transform applied. */
struct capture_source {
	const struct capture_source_impl *impl;
	struct protocols *protocols;
	int n_refs;
	bool gone; /* for ever */
	/** Has the alpha channel a meaning? */
	bool translucent;
	int32_t width, height; /* pixels; what was last known, never 0 */
	enum wl_output_transform transform;
	struct {
		struct wl_signal damage; /* const pixman_region32_t, pixels */
		struct wl_signal resized; /* width, height, transform or what draws it changed */
		struct wl_signal gone;
	} events;
};

/** For implementations; the first reference is the caller's. */
void capture_source_init(struct capture_source *source, const struct capture_source_impl *impl,
	struct protocols *protocols);
/** Asserts that nobody listens. */
void capture_source_finish(struct capture_source *source);
/** Takes size and transform over from the view, and tells if they changed. */
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
/** Its surface and subsurfaces, cut at the window geometry; no frame, no popups. */
struct capture_source *capture_source_create_window(
	struct protocols *protocols, struct window *window);
/** The seat's cursor, in the pixels of `area`, which it refers to. */
struct capture_source *capture_source_create_cursor(
	struct protocols *protocols, struct seat *seat, struct capture_source *area);

/**
 * Where the seat's cursor is in the source: the box of its picture, and the hotspot, both in pixels
 * of the source. False if no part of the cursor is in it.
 */
bool capture_source_find_cursor(struct capture_source *source, const struct seat *seat,
	struct box *picture, int *hotspot_x, int *hotspot_y);

struct capture_request {
	struct capture_source *source;
	/** What of it, in its pixels, inside of it; the buffer has this size. */
	struct box part;
	bool cursor;
	/** Passed capture_accepts(); is locked until the end. */
	struct buffer *buffer;
	/** Buffer pixels to draw, at least. */
	const pixman_region32_t *damage;
};

/**
 * Draws what clients have committed so far. `done` is called later, never from within this function,
 * unless the capture was destroyed before; false: the buffer's content is undefined. The capture is
 * freed before that call. NULL if it cannot be drawn.
 */
struct capture *capture_start(
	const struct capture_request *request, void (*done)(void *data, bool complete), void *data);
/** NULL is legal. */
void capture_destroy(struct capture *capture);

/**
 * capture_scratch.c: a locked buffer that the device draws to and the CPU can be made to read; its
 * content is undefined. NULL if too many are in use or there is no memory.
 */
struct buffer *capture_scratch_get(struct protocols *protocols, struct render_device *device,
	int32_t width, int32_t height, uint32_t format);

/** Formats to offer (DRM codes), the best first; 0 is returned beyond the last. */
uint32_t capture_shm_format(const struct capture_source *source, int index);
/** The device for dma-bufs and formats for them; NULL: none are taken. */
struct gpu *capture_gpu(const struct capture_source *source);
const struct format_modifiers *capture_dmabuf_format(
	const struct capture_source *source, int index);
/**
 * For protocols that name no device: are dma-bufs of this format taken that are of the device that
 * clients are told of first?
 */
bool capture_accepts_dmabufs(const struct protocols *protocols, uint32_t format);
/**
 * Can the part be drawn on its own, pixel for pixel as in the whole? Only then do GPUs draw to dma-bufs.
 */
bool capture_is_direct(const struct capture_view *view, const struct box *part);
/** Can a buffer of this kind and format be drawn to? Its size is the caller's to check. */
bool capture_accepts(const struct capture_source *source, struct buffer *buffer);

/** image_capture_source.c. NULL if what it stands for was gone when it was made. */
struct capture_source *capture_source_from_resource(struct wl_resource *resource);
