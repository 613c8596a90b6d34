/* SPDX-License-Identifier: MIT */
#pragma once

/** Contents: state that content.c and the sources share. */

#include "backing_store.h"
#include "content/content.h"
#include "source.h"
#include "surface/frame_wait.h"
#include "surface/transaction.h"
#include "util/clock.h"
#include "util/fd_watch.h"

struct source_copy;
struct upload;

/** Retries of failed imports and uploads (retry.c). */
struct content_retry {
	struct timer timer; /* .clock is NULL until first armed */
	int n; /* retries since the first failure */
};

/** A render device with its contents. */
struct content_device {
	struct render_device base;
	struct render_device *painter; /* CPU device that draws cursor images; NULL until needed */
	/** CPU device with shadow copies of this device's surfaces; NULL until needed. */
	struct render_device *shadow;
	struct render_device
		*shadow_of; /* the device whose shadow copies this one holds, or NULL */
	unsigned learned; /* bits of enum cost_kind whose costs are measured */
	uint64_t upload_due; /* bytes of shm that the next frame uploads */
	uint64_t upload_budget; /* overrides render_device_upload_budget() if not 0; bytes */
	struct worker *worker; /* upload thread; NULL until the first upload */
	struct wl_list uploads; /* upload.link: in progress on the worker */
	bool no_udmabuf; /* udmabuf, or importing udmabufs, does not work here */
	struct wl_list udmabufs_left; /* source_udmabuf.c: unused, but still read by a pass */
	struct wl_list reading; /* content.reading_link: read by the pass being recorded */
	struct wl_list contents; /* content.link */
	struct wl_list images; /* content_image.link */
	struct content_retry images_retry;
	const struct scene *images_scene; /* with the images that failed */
	struct wl_list peers; /* content_device.peers: all other devices, a ring without a head */
};

static inline struct content_device *content_device_from(const struct render_device *device)
{
	return wl_container_of(device, (struct content_device *)NULL, base);
}

/**
 * Deferred upload (deferred_upload.c): a thread writes pixels to staging memory, outside of any
 * frame.
 */
struct content_deferred {
	struct upload *upload; /* in progress or done and not yet applied; NULL: none */
	bool of_current; /* it is of the current buffer, not of an update that waits */
	/** Blocks the update that the upload is for; blocker.update is NULL if no update waits. */
	struct blocker blocker;
	/** The update whose upload is done, until it applies. */
	const struct update *finished;
	struct frame_wait shown; /* for the last such update: the next upload starts after that */
	struct wl_listener ready; /* surface.events.ready */
};

/**
 * Deferred copy (deferred_copy.c): of a buffer that differs in size, format or colour coding from
 * the copies that are shown, before its update applies.
 */
struct content_next {
	struct source_copy *copy; /* NULL: none */
	struct buffer *buffer; /* that it has the pixels of, or is refused, locked; NULL: none */
	bool done; /* it has all of them */
	/** Why there is no copy of `buffer`, a static phrase; NULL: no reason. */
	const char *refused;
	bool given_up; /* the update applies without its copy */
	struct blocker blocker; /* .update is NULL if no update waits */
	int64_t until; /* ns; latest end of the wait, also of a later one; 0: none yet */
	struct timer timer; /* ends the wait; .clock is NULL on devices without copies */
	int64_t bytes; /* of ACCOUNT_PIXELS, for `copy` */
	struct frame_wait shown; /* for the last copied update: the next copy starts after that */
	struct wl_listener ready; /* surface.events.ready_homed */
};

/** Use of a udmabuf (source_udmabuf.c), with the history that decides about it. */
struct content_pool {
	/** The udmabuf of the surface's current shm buffer, locked; NULL: unused. */
	struct buffer *buffer;
	int64_t changed; /* ns; time of the last update with large damage */
	int streak; /* updates with large damage in quick succession */
	uint64_t updates; /* since the udmabuf is in use */
	/** Permanently: the client needs its buffer back early, or imports fail. */
	bool barred;
	int n_refused; /* imports that failed in succession */
	/** ends the use if there are no updates; .clock is NULL until first armed */
	struct timer quiet;
	/**
	 * Starts to upload the whole current buffer when the use ends; returns false if it cannot.
	 */
	bool (*upload_all)(struct content *content);
	bool read; /* a pass that reads the buffer may be in progress */
	int fence; /* of that pass, or a reserved descriptor for the next one; -1: neither */
};

struct content {
	struct account *account; /* of the surface's client; NULL: none */
	int64_t charged; /* bytes of ACCOUNT_PIXELS */
	struct addon addon; /* on the surface, owner: the device */
	void (*destroy)(struct content *content); /* called with the surface's addons */
	struct wl_list link; /* content_device.contents */
	struct backing_store *store; /* of the surface; NULL while that is being destroyed */
	struct wl_list store_link; /* backing_store.contents */
	struct render_device *device;
	struct surface *surface;
	const struct content_source_impl *source; /* NULL before the first content_prepare() */
	struct texture *texture; /* unused by sources with parts */
	uint32_t uploaded; /* format of the buffers uploaded to the texture; 0: none */
	struct color_coding coding; /* of the uploaded pixels that do not miss */
	struct buffer *held; /* the buffer whose memory the texture reads, locked; NULL: none */
	/** Pixels of the current buffer that have changed since the texture was written. */
	pixman_region32_t missing;
	bool stale; /* the texture was made from an earlier buffer */
	bool unreadable; /* the renderer failed to read the current buffer when it was drawn last */
	bool filtered; /* drawn with a filter that reads neighbouring pixels */
	/**
	 * Why the current buffer cannot be copied, a static phrase; NULL: nothing is known against
	 * it.
	 */
	const char *refused;
	bool unneeded; /* the device cannot show the current buffer, so that it waits for nothing */
	bool waits; /* a first copy is tried again: the source stays although `refused` is set */
	/** content_device.reading; empty: the pass being recorded does not read it */
	struct wl_list reading_link;
	struct source_copy *copy; /* NULL unless the source is content_source_copy */
	struct buffer *shadow; /* on a shadow device: the copy that the texture reads */
	struct content_deferred deferred;
	struct content_next next;
	struct content_pool pool;
	bool seen; /* an output of the device shows the surface */
	bool left; /* only outputs of other devices have shown it for a while */
	struct timer unseen; /* sets `left`; .clock is NULL until first armed */
	struct content_retry retry;
	struct wl_listener applied, visible, outputs;
};

/* content.c */

/**
 * Like content_prepare(), for a frame: uploads that exceed render_device_upload_budget() are
 * deferred, and damage the surface when done.
 */
enum content_status content_refresh(struct content *content, const pixman_region32_t *needed);
/**
 * Imports the buffers that the pass will sample of `needed`, so that no import happens during it.
 */
void content_before_pass(struct content *content, const pixman_region32_t *needed);
/**
 * Returns the texture with all of the pixels; NULL if there is none, or if the pixels are in parts.
 * Marks it as read by the pass being recorded.
 */
struct texture *content_texture(struct content *content);
/** Returns whether the pixels are in parts: content_parts(). */
bool content_has_parts(const struct content *content);
/**
 * Fills in the parts that hold `needed` (buffer pixels), and marks them as read by the pass being
 * recorded. Returns their number. Release them by content_parts_finish().
 */
int content_parts(struct content *content, const pixman_region32_t *needed,
	struct content_part parts[static CONTENT_PARTS_MAX]);
/**
 * Notes that the pass was submitted. It ends with `fence`, which stays the caller's; -1: it has
 * ended.
 */
void content_pass_ended(struct render_device *device, int fence);

/* state.c */

extern const struct addon_impl content_addon_impl;

/** Changes the source. The previous one releases its resources. */
void content_set_source(struct content *content, const struct content_source_impl *source);
/** Marks all of the current buffer as missing. */
void content_miss_all(struct content *content);
/** Marks the content as read by the pass being recorded. */
void content_mark_read(struct content *content);
/** Returns whether the texture takes uploads from `buffer`: same size and format as before. */
bool content_fits(const struct content *content, const struct buffer *buffer);
/** Releases the regions of the parts. */
void content_parts_finish(struct content_part *parts, int n);
/** Destroys the texture and the shadow copy that it may read. */
void content_drop_texture(struct content *content);
/** Abandons the deferred upload, if there is one. */
void content_drop_upload(struct content *content);
/** Returns whether the surface is currently composed from a shadow copy. */
bool content_has_shadow(const struct content *content);
/**
 * Returns the shadow copy for the content's device, or NULL unless it fits the texture and has all
 * pixels of `region` (NULL: all) that the content misses.
 */
struct buffer *content_shadow(const struct content *content, const pixman_region32_t *region);
/** Releases the client's buffer if each device has copies of all of its pixels. */
void content_release_if_complete(struct content *content);

/* charge.c */

/**
 * Charges the client for the content's copies of the surface's pixels. Call it when a copy was
 * made, replaced or freed.
 */
void content_charge(struct content *content);
/** Returns the bytes that pixels of an shm buffer take in a texture, and in a frame's budget. */
int64_t content_upload_bytes(uint32_t format, int64_t pixels);
/** Returns the bytes of an image like the buffer, with all of its planes. */
int64_t content_image_bytes(const struct buffer *buffer);
/**
 * Returns whether so many bytes more may be used for a copy that gives a client its only buffer
 * back: it is the compositor's choice, so the client is not disconnected.
 */
bool content_may_store(const struct account *account, int64_t bytes);
/**
 * Returns whether the client may have a copy of the shm buffer in addition to its current ones.
 * Disconnects the client otherwise. Buffers that the renderer reads in place need no room.
 */
bool content_has_room(const struct content *content, const struct buffer *buffer);

/* retry.c */

/** Lets a later frame import or upload the current buffer again, unless that is due already. */
void content_retry_later(struct content *content);
/** Ends retries, after a success or a new buffer: the next failure is the first. */
void content_retry_end(struct content_retry *retry);
void content_retry_finish(struct content_retry *retry);
/** Arms the timer for the next retry, unless it is armed; the clock may be NULL: never. */
void content_retry_arm(struct content_retry *retry, struct clock *clock,
	void (*fire)(struct timer *timer, int64_t now));

/* image.c */

/** Lets a later frame import or upload images of the scene that have no texture. */
void content_retry_images(struct render_device *device, const struct scene *scene);
void content_images_finish(struct render_device *device);

/* upload_budget.c */

/**
 * Forgets the uploads of the last frame of the device, or of the device that it has shadow copies
 * for.
 */
void content_budget_begin(struct render_device *device);

/* source_texture.c */

/** Returns CONTENT_READY if the texture shows the current buffer, else CONTENT_NONE. */
enum content_status content_texture_status(const struct content *content);
/** Charges an upload of `bytes` to the statistics of the surface. */
void content_count_upload(struct content *content, uint64_t bytes);
/**
 * Updates at least `needed` (NULL: all) of the content's texture from `buffer`, by import or upload
 * as the renderer prefers. Returns false if the renderer supports neither.
 */
bool content_update_texture(
	struct content *content, struct buffer *buffer, const pixman_region32_t *needed);

/* source_copy.c */

/**
 * Returns the start time (ns) of the copy in progress that may bring missing pixels of `needed`; 0:
 * none.
 */
int64_t content_copy_since(const struct content *content, const pixman_region32_t *needed);

/**
 * Returns CONTENT_READY if copies hold the current pixels of `needed`, CONTENT_PENDING if copies in
 * progress will, and CONTENT_NONE if the last copy was refused.
 */
enum content_status content_copy_status(
	const struct content *content, const pixman_region32_t *needed);

/** Shows these copies from now on. */
void content_copy_adopt(struct content *content, struct source_copy *copy);

/* deferred_copy.c */

void content_next_init(struct content *content);
void content_next_finish(struct content *content);
/** Ends the wait of an update soon, or resumes it, after content->seen has changed. */
void content_next_see(struct content *content);
/**
 * Returns the copy of the current buffer, which an update has just set, to be adopted; else drops
 * it and returns NULL. *refused: why the buffer cannot be copied, or NULL.
 */
struct source_copy *content_next_take(struct content *content, const char **refused);

/* sight.c */

void content_sight_init(struct content *content);
void content_sight_finish(struct content *content);
/** Frees texture and copies if only other devices have shown the surface for a while. */
void content_leave_sight(struct content *content);

/* source_udmabuf.c */

/** Sets content_pool.upload_all. */
void content_pool_init(struct content *content, bool (*upload_all)(struct content *content));
void content_pool_finish(struct content *content);
/** Decides whether the buffer of the update that has just applied is read through a udmabuf. */
void content_pool_choose(struct content *content);
/** Goes back to uploads. The udmabuf is unlocked once no pass reads it. */
void content_pool_leave(struct content *content);
/** Unlocks all udmabufs of the device. Call it before the renderer is destroyed. */
void content_pools_finish(struct render_device *device);

/* deferred_upload.c */

void content_deferred_init(struct content *content);
void content_deferred_finish(struct content *content);
/** Takes over or drops the upload after the surface's state has changed by `damage`. */
void content_match_upload(struct content *content, const pixman_region32_t *damage);
/**
 * Starts to upload the whole current buffer. Returns false if there is no staging memory or thread.
 */
bool content_defer_all(struct content *content);
/**
 * Starts to upload the missing pixels of `needed` if they exceed the frame's budget. Returns false
 * if they fit, or if another upload is in progress. Sets `due` to those that this frame has to
 * upload then.
 */
bool content_defer_needed(
	struct content *content, const pixman_region32_t *needed, pixman_region32_t *due);
