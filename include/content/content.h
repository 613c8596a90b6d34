#pragma once

/**
 * A surface's content for one device (a GPU and its renderer): the texture and the region of it that is still missing,
 * that is, damaged since the texture was last written and not uploaded because nobody could see it.
 */

#include "content/device.h"
#include "content/route.h"
#include "surface/surface.h"

struct content;
struct scene_entry;
struct scene_output;

enum content_status {
	CONTENT_NONE, /* there is nothing usable to show */
	CONTENT_PENDING, /* on its way: show what was there before, a frame will be asked for */
	CONTENT_READY,
	CONTENT_REFUSED, /* internal: the source cannot have the buffer */
};

/** A texture with some of a surface's pixels. */
struct content_part {
	struct texture *texture;
	pixman_region32_t region; /* buffer pixels */
};

#define CONTENT_PARTS_MAX 4

/** NULL if there is none yet. */
struct content *content_find(struct surface *surface, const struct render_device *device);
struct content *content_get(struct surface *surface, struct render_device *device);
/** The surface may come to show there: its first content need not be one frame's work. */
void content_expect(struct surface *surface, struct render_device *device);
/**
 * Brings at least `needed` (buffer pixels; NULL: all) up to date from the surface's current buffer,
 * and gives the buffer back to the client early if no device misses any of it.
 */
enum content_status content_prepare(struct content *content, const pixman_region32_t *needed);
/**
 * The same for a frame, which stands still for no more than render_device_upload_budget(): the rest comes beside
 * it, and damages the surface when it is there.
 */
enum content_status content_refresh(struct content *content, const pixman_region32_t *needed);
/** Filters read across its pixels: copies of what another GPU drew are kept whole. */
void content_set_filtered(struct content *content, bool filtered);
/**
 * Starts to copy what the entries show of surfaces that live on other GPUs. True if something is on
 * its way.
 */
bool content_gather(struct render_device *device, const struct scene_entry *entries, int n_entries);
/**
 * The same for what an output shows: since when (ns) something is on its way, which is that of its oldest copy for a
 * surface, and of those the latest; 0: nothing is.
 */
int64_t content_gather_output(struct render_device *device, const struct scene_output *output);
/**
 * Returns the buffer with all of the surface's pixels that a plane of `gpu` can show, or NULL. *barred is
 * REASON_BEST, or the reason why there is none.
 */
struct buffer *content_plane_buffer(struct surface *surface, struct render_device *device,
	const struct gpu *gpu, enum route_reason *barred);
/** Whether the device may come to read that buffer's memory. */
bool content_may_read_udmabuf(struct render_device *device, struct buffer *buffer);
/** Imports the pixels of `needed` that the next pass draws, so that no import happens within the pass. */
void content_before_pass(struct content *content, const pixman_region32_t *needed);
/**
 * Returns the texture with all of the pixels, or NULL: there is none, or they are in parts. The pass being
 * recorded reads the texture.
 */
struct texture *content_texture(struct content *content);
/** Tells whether the pixels are in parts: content_parts(). */
bool content_has_parts(const struct content *content);
/**
 * Fills in the parts that hold `needed` (buffer pixels) and that the pass being recorded reads. Returns their
 * number. content_parts_finish() releases them.
 */
int content_parts(struct content *content, const pixman_region32_t *needed,
	struct content_part parts[static CONTENT_PARTS_MAX]);
void content_parts_finish(struct content_part *parts, int n);
/** The pass was submitted and ends with `fence`, which stays the caller's; -1: the pass has ended. */
void content_pass_ended(struct render_device *device, int fence);
/** Tells whether the surface is read from a udmabuf or from copies of another GPU's buffer. */
bool content_is_beyond_cpu(const struct content *content);
/** The shadow can draw copies of such pixels. */
bool content_may_shadow(const struct render_device *shadow, const struct buffer *buffer);
/**
 * Has the device's shadow copy what is needed; true if it can be drawn from there, and the buffer's client need not
 * wait for the device itself.
 */
bool content_update_shadow(
	struct surface *surface, struct render_device *device, const pixman_region32_t *needed);
/** What it shows is composed from a copy for now. */
bool content_has_shadow(const struct content *content);
/** What is kept for the device goes, after the device has taken what it lacks. */
void content_end_shadows(struct render_device *device);
/** The texture of a buffer of the compositor's own, which lives as long as the buffer; or NULL. */
struct texture *content_image(struct render_device *device, struct buffer *buffer);
/** All contents of surfaces and images on the device. */
void content_drop_all(struct render_device *device);

/** Returns the source of the surface's pixels where the device composes them. */
enum route_source content_source(struct render_device *device, const struct surface *surface);
/** Returns the route of the surface to an output of the device, as of its last frame there. */
struct route_choice content_route(struct render_device *device, const struct scene_output *output,
	const struct surface *surface);
/** Tells whether a plane other than a cursor plane shows the surface on the output. */
bool content_is_on_plane(const struct scene_output *output, const struct surface *surface);
/** Adds a measurement: uploads or a pass of `bytes` took `took` ns. Ignored once enough are known. */
void route_learn(struct render_device *device, enum cost_kind kind, uint64_t bytes, int64_t took);
/**
 * Returns up to how many pixels of damage, at most `pixels`, are cheaper to compose by the CPU than to wake
 * the GPU for.
 */
uint64_t route_cpu_pixels(struct render_device *device, uint64_t pixels);
