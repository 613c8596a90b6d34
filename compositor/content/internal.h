#pragma once

/** What the files of contents share: content.c, beside.c, kept.c, pooled.c. */

#include "content/content.h"
#include "surface/transaction.h"
#include "util/clock.h"

struct upload;

struct content {
	struct addon addon; /* on the surface, owner: the device */
	struct wl_list link; /* render_device.contents */
	struct render_device *device;
	struct surface *surface;
	struct texture *texture;
	/** In place of the texture, where buffers live on another GPU. */
	struct prime *prime;
	bool refused; /* no engine copies the current buffer */
	bool filtered;
	/** The texture reads this buffer's own memory; locked. */
	struct buffer *held;
	uint32_t uploaded; /* format of what was uploaded to the texture; 0: nothing was */
	/** Buffer pixels changed since the texture was written. */
	pixman_region32_t missing;
	/** On a device that keeps for another one: the copy that the texture reads; NULL: there is none. */
	struct buffer *shadow;
	/** The surface has another buffer than the texture was made of. */
	bool stale;
	/** What is too much for a frame, on its way; NULL: nothing is. */
	struct upload *upload;
	struct blocker blocker; /* of the update that waits for it; update NULL: none does */
	const struct update *brought; /* the update that it was for, until that applies */
	struct frame_callback latched; /* of what came so last */
	bool unlatched; /* which no frame has shown yet: the next one waits for that */
	/** The current buffer's own memory as a dma-buf, locked, in place of uploads; NULL: it is not. */
	struct buffer *udmabuf;
	struct content_udmabuf {
		int64_t changed; /* ns; when the last update came that changed much of it */
		int streak; /* of such, each soon after the one before */
		int updates; /* since its pools are read */
		bool barred; /* never again: its client waits for its buffers */
		struct timer
			quiet; /* when it has not changed for a while; no clock before it is armed */
		struct wl_list
			reading_link; /* render_device.udmabuf_readers, while the pass draws it */
		bool read; /* a pass drew it that may not have ended */
		int fence; /* of that, owned; else it keeps a place for the next one; -1: none yet */
	} pooling;
	struct wl_listener applied, ready;
};

/** The texture is one of uploads from buffers of that size and format. */
bool content_fits(const struct content *content, const struct buffer *buffer);
/** Once no device misses any of it, a buffer that was only uploaded from is the client's again. */
void content_release_if_complete(struct content *content);

/** content.c: so much was uploaded for it. */
void content_count_upload(struct content *content, uint64_t bytes);
/** beside.c */
void content_deferred_init(struct content *content);
void content_deferred_finish(struct content *content);
void content_drop_upload(struct content *content);
/** The content is new, and what it misses is known: what does an upload that was begun bring to it? */
void content_match_upload(struct content *content, const pixman_region32_t *damage);
/** All of its current buffer comes beside the frames, whatever it has now. False: nothing will. */
bool content_defer_all(struct content *content);

/** kept.c: content_prepare() on a device that keeps for another one. */
enum content_status content_prepare_shadow(
	struct content *content, const pixman_region32_t *needed);
/** With the copy that it may read. */
void content_drop_texture(struct content *content);
/**
 * The copy that is kept for the content's device, if that has all that the content misses of the region (NULL: at
 * all) and is of the kind that its texture was uploaded from; or NULL.
 */
struct buffer *content_shadow(const struct content *content, const pixman_region32_t *region);

/** pooled.c */
void content_udmabuf_init(struct content *content);
void content_udmabuf_finish(struct content *content);
/** A buffer has been applied: that of the update before is its client's again once no pass reads it. */
void content_udmabuf_choose(struct content *content);
/** It is uploaded from now on; the pool is let go when no pass reads it. */
void content_udmabuf_leave(struct content *content);
/** What passes may still read is let go: nobody does any more. */
void content_udmabufs_finish(struct render_device *device);
/** The renderer does not take the pool: neither this one nor, most likely, others. */
void content_udmabuf_refused(struct content *content);
