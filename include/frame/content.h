#pragma once

/**
 * A surface's content for one device (a GPU and its renderer): the texture and the region of it that is still missing,
 * that is, damaged since the texture was last written and not uploaded because nobody could see it.
 */

#include "render/render.h"
#include "surface/surface.h"

struct content;
struct frame_device;
struct scene_entry;
struct scene_output;
struct staged;

enum content_status {
	CONTENT_NONE, /* there is nothing usable to show */
	CONTENT_PENDING, /* on its way: show what was there before, a frame will be asked for */
	CONTENT_READY,
};

/** NULL if there is none yet. */
struct content *content_find(struct surface *surface, struct frame_device *device);
struct content *content_get(struct surface *surface, struct frame_device *device);
/** The surface may come to show there: its first content need not be one frame's work. */
void content_expect(struct surface *surface, struct frame_device *device);
/**
 * Brings at least `needed` (buffer pixels; NULL: all) up to date from the surface's current buffer,
 * and gives the buffer back to the client early if no device misses any of it.
 */
enum content_status content_prepare(struct content *content, const pixman_region32_t *needed);
/**
 * The same for a frame, which stands still for no more than frame_upload_budget(): the rest comes beside
 * it, and damages the surface when it is there.
 */
enum content_status content_refresh(struct content *content, const pixman_region32_t *needed);
/** Filters read across its pixels: copies of what another GPU drew are kept whole. */
void content_set_filtered(struct content *content, bool filtered);
/** Its pixels are copies of what another GPU drew; NULL if they are not. */
struct staged *content_staged(struct content *content);
/**
 * Starts to copy what the entries show of surfaces that live on other GPUs. True if something is on
 * its way.
 */
bool content_gather(struct frame_device *device, const struct scene_entry *entries, int n_entries);
/**
 * The same for what an output shows: since when (ns) something is on its way, which is that of its oldest copy for a
 * surface, and of those the latest; 0: nothing is.
 */
int64_t content_gather_output(struct frame_device *device, const struct scene_output *output);
struct texture *content_texture(struct content *content);
/** The memory of its shm buffer as a dma-buf, which is shown in place of uploads; NULL: it is not. */
struct buffer *content_pool(struct content *content);
/** Whether the device may come to read that buffer's memory. */
bool content_may_pool(struct frame_device *device, struct buffer *buffer);
/** The pass that is recorded draws it. */
void content_read(struct content *content);
/** That pass has been submitted; the fence (or -1) stays the caller's. */
void content_pass_ended(struct frame_device *device, int fence);
/** The keeper can draw copies of such pixels. */
bool content_may_keep(const struct frame_device *keeper, const struct buffer *buffer);
/**
 * Has the device's keeper copy what is needed; true if it can be drawn from there, and the buffer's client need not
 * wait for the device itself.
 */
bool content_bring_kept(
	struct surface *surface, struct frame_device *device, const pixman_region32_t *needed);
/** What it shows is composed from a copy for now. */
bool content_is_kept(const struct content *content);
/** What is kept for the device goes, after the device has taken what it lacks. */
void content_end_keeping(struct frame_device *device);
/** The texture of a buffer of the compositor's own, which lives as long as the buffer; or NULL. */
struct texture *content_image(struct frame_device *device, struct buffer *buffer);
/** All contents of surfaces and images on the device. */
void content_drop_all(struct frame_device *device);
