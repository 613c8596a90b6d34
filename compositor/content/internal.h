#pragma once

/** Contents: state that content.c and the sources share. */

#include "content/content.h"
#include "source.h"
#include "surface/transaction.h"
#include "util/clock.h"

struct prime;
struct upload;

/** Deferred upload (deferred_upload.c): a thread writes pixels to staging memory, outside of any frame. */
struct content_deferred {
	struct upload *upload; /* in progress or done and not yet applied; NULL: none */
	/** Holds back the update that the upload is for; blocker.update is NULL if none waits. */
	struct blocker blocker;
	/** The update whose upload has ended and that has not yet applied. */
	const struct update *brought;
	/** Frame callback of the last such update: the next upload starts after it was presented. */
	struct frame_callback latched;
	bool unlatched; /* `latched` is still due */
	struct wl_listener ready; /* surface.events.ready */
};

/** Use of a udmabuf (source_udmabuf.c), with the history that decides about it. */
struct content_pool {
	struct buffer
		*buffer; /* udmabuf of the surface's current shm buffer, locked; NULL: unused */
	int64_t changed; /* ns; time of the last update with large damage */
	int streak; /* updates with large damage in quick succession */
	int updates; /* since the udmabuf is in use */
	bool barred; /* for good: the client waits for its buffer, or the import failed */
	struct timer quiet; /* ends the use without updates; .clock is NULL until armed once */
	bool read; /* a pass that reads the buffer may not have ended */
	int fence; /* of that pass, or a reserved descriptor for the next one; -1: neither */
};

struct content {
	struct addon addon; /* on the surface, owner: the device */
	struct wl_list link; /* render_device.contents */
	struct render_device *device;
	struct surface *surface;
	const struct content_source_impl *source; /* NULL before the first content_prepare() */
	struct texture *texture; /* unused by sources with parts */
	uint32_t uploaded; /* format of the buffers uploaded to the texture; 0: none */
	struct buffer *held; /* the buffer whose memory the texture reads, locked; NULL: none */
	/** Pixels of the current buffer that have changed since the texture was written. */
	pixman_region32_t missing;
	bool stale; /* the surface has another buffer than the texture was made from */
	bool filtered; /* drawn with a filter that reads neighbouring pixels */
	bool refused; /* no copy engine takes the current buffer */
	struct wl_list reading_link; /* render_device.reading; empty: the pass does not read it */
	struct prime *prime; /* NULL unless the source is prime */
	struct buffer *shadow; /* on a shadow device: the copy that the texture reads */
	struct content_deferred deferred;
	struct content_pool pool;
	struct wl_listener applied;
};

/* content.c */

/** Tells whether the texture takes uploads from `buffer`: same size and format as before. */
bool content_fits(const struct content *content, const struct buffer *buffer);
/** CONTENT_READY if the texture shows the current buffer, else CONTENT_NONE. */
enum content_status content_texture_status(const struct content *content);
/** Releases the client's buffer if it is shm and no device misses any of its pixels. */
void content_release_if_complete(struct content *content);
/** Charges an upload of `bytes` to the statistics of the surface. */
void content_count_upload(struct content *content, uint64_t bytes);

/* deferred_upload.c */

void content_deferred_init(struct content *content);
void content_deferred_finish(struct content *content);
/** Abandons the upload, if there is one. */
void content_drop_upload(struct content *content);
/** Takes over or drops the upload after the surface's state has changed by `damage`. */
void content_match_upload(struct content *content, const pixman_region32_t *damage);
/** Starts to upload the whole current buffer. Returns false if there is no staging memory or thread. */
bool content_defer_all(struct content *content);

/* source_prime.c */

/** ns; start of the copy in progress that may bring missing pixels of `needed`; 0: none. */
int64_t content_prime_since(const struct content *content, const pixman_region32_t *needed);
/** Returns the name of the engine that made the last copy, or NULL. */
const char *content_prime_engine(const struct content *content);

/* source_shadow.c */

/** Destroys the texture and the shadow copy that it may read. */
void content_drop_texture(struct content *content);
/**
 * Returns the shadow copy for the content's device if it has all pixels of `region` (NULL: all) that the content
 * misses and fits its texture, else NULL.
 */
struct buffer *content_shadow(const struct content *content, const pixman_region32_t *region);

/* source_udmabuf.c */

void content_pool_init(struct content *content);
void content_pool_finish(struct content *content);
/** Decides whether the buffer of the update that has just applied is read through a udmabuf. */
void content_pool_choose(struct content *content);
/** Goes back to uploads. The udmabuf is unlocked once no pass reads it. */
void content_pool_leave(struct content *content);
/** Unlocks all udmabufs of the device: before its renderer goes. */
void content_pools_finish(struct render_device *device);
