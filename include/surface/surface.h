#pragma once

/**
 * A surface: pending state that requests change, a queue of content updates, and the current state
 * that the rest of the compositor sees. There is no wl_resource here.
 *
 * commit makes a content update of the pending state. It applies once its blockers are clear, those
 * before it have applied, and, for a synchronised subsurface, when its parent's does. Until then
 * the current state stays what it was, on screen too.
 */

#include "surface/state.h"
#include "util/addon.h"
#include "util/rate.h"
#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>

struct account;
struct client;
struct surface;
struct update;

/**
 * What a surface is for: set once for its life by xdg-shell, subsurface, cursor, layer-shell... Its
 * functions are called only while there is a role object (role_data is not NULL).
 */
struct surface_role {
	const char *name;
	/** It takes no input, whatever its input region says: cursors, icons of drags. */
	bool no_input;
	/** Optional. An update of this surface has applied: surface->current is new. */
	void (*applied)(struct surface *surface);
	/** Optional. The pending state is about to become an update; false: the client got an
	 * error. */
	bool (*commit)(struct surface *surface);
	/** Optional. The surface is going while the role object is still there. */
	void (*destroy)(struct surface *surface);
};

/**
 * State of a protocol extension that is double-buffered with the surface's: it travels with the
 * content update, so that a blocked update keeps its own.
 */
struct surface_extension {
	const struct surface_extension_impl *impl;
	struct surface *surface;
	int index; /* in surface_state.extensions */
	struct wl_list link;
};

struct surface_extension_impl {
	size_t state_size;
	/** Optional: zeroed memory otherwise. */
	void (*init)(void *state);
	/** Optional. */
	void (*finish)(void *state);
	/** Mandatory: moves what is set in `from` over `to`, and leaves `from` with nothing set. */
	void (*merge)(void *to, void *from);
};

struct surface {
	struct client *client; /* may be NULL (the compositor's own, and unit tests) */
	struct wl_event_loop *loop;
	/** For retries when the loop cannot watch one more fence; set by the owner, who may leave it NULL in tests. */
	struct clock *clock;
	struct surface_state pending, current;

	const struct surface_role *role;
	/** What the client's role object stands for; NULL while there is none: cursors, drag icons. */
	void *role_data;
	struct subsurface *subsurface; /* as role_data when the role is subsurface, else NULL */
	int n_below; /* surfaces below it in its tree of subsurfaces */
	/** Children that have committed for it since it did: subsurface.held_link. */
	struct wl_list held;
	/**
	 * Of a root: another one after any change to where its tree reaches (sizes, content that comes or
	 * goes, places of subsurfaces). Never 0 with content.
	 */
	uint32_t shape;

	/** Content updates that wait, oldest first. */
	struct wl_list queue; /* update.link */
	int n_queued;
	/** Updates to use again, so that committing does not allocate. */
	struct wl_list spares; /* update.link */
	int n_spares;
	/** transaction.c: its queue is about to be looked at, or `current` is new and to be told of. */
	struct wl_list run_link;
	bool applying;

	struct wl_list extensions;
	int n_extensions;

	/** It has content and its role lets it show. Roles set it with surface_map()/unmap(). */
	bool mapped;

	/**
	 * fifo-v1: updates with SURFACE_WAIT_BARRIER wait until an output has latched what is current.
	 * Set by an update with SURFACE_SET_BARRIER, taken away by surface_latch().
	 */
	bool barrier;
	struct blocker *barrier_wait; /* of the one that waits; NULL: none */
	/** Managed by the scene: without, nothing would ever latch it, and barriers hold nothing back. */
	bool in_scene;
	struct wl_event_source *left_scene; /* barrier.c: soon, what waits goes on; NULL: none */

	/** Outputs that show it: managed by the scene. Bits are indices of scene outputs. */
	uint32_t outputs;
	/** Something of it can be seen on one that is awake: managed by the scene. */
	bool visible;

	/** What it should draw at: the scene's wish, for fractional-scale and
	 * preferred_buffer_scale. */
	double preferred_scale;
	enum wl_output_transform preferred_transform;

	/** For accounting. */
	uint64_t n_commits, n_shown, bytes_uploaded;
	uint64_t n_hidden; /* content updates that nobody could see until the next one */
	uint64_t bytes_copied; /* over the bus, from another GPU */
	struct rate upload_rate, copy_rate; /* of those bytes */

	void *data; /* protocol/wl_surface.c: the resource */
	struct addon_set addons;
	struct {
		/** NULL: a buffer, or none, was attached; it is pending. */
		struct wl_signal attach;
		/** struct update: the pending state became an update; blockers may be added to it.
		 */
		struct wl_signal commit;
		/**
		 * struct update: nothing holds it or its tree any more and it is about to apply. A
		 * listener may add a blocker (a copy that it starts now) and so put it off; then the
		 * signal comes again.
		 */
		struct wl_signal ready;
		/**
		 * An update has applied. Its damage is in current.buffer_damage, cut to the buffer,
		 * and what it set in current.fields, only while this signal is emitted. Listeners
		 * destroy no surfaces.
		 */
		struct wl_signal applied;
		struct wl_signal map;
		struct wl_signal unmap;
		struct wl_signal new_subsurface; /* struct subsurface */
		struct wl_signal preferred; /* preferred_scale or _transform changed */
		struct wl_signal outputs; /* struct surface_outputs_event */
		struct wl_signal visible; /* `visible` changed */
		struct wl_signal destroy;
	} events;
};

struct surface_outputs_event {
	uint32_t entered, left; /* bits as in surface.outputs */
};

/** `loop` is where fences of its buffers are waited for. */
struct surface *surface_create(struct wl_event_loop *loop, struct client *client);
void surface_destroy(struct surface *surface);
/** Of its client; NULL if there is none. */
struct account *surface_account(const struct surface *surface);

/**
 * The role is for life: false if the surface has another one, or if it has this one with a role
 * object still there. On success role_data is `data`.
 */
bool surface_set_role(struct surface *surface, const struct surface_role *role, void *data);
/** The role object is gone; the role stays. */
void surface_clear_role_data(struct surface *surface);

/**
 * Makes a content update of the pending state, which surface_state_derive() has been through; false if
 * the role refused (error was posted).
 */
bool surface_commit(struct surface *surface);

/** An output has latched what is current, or time went on for a surface that cannot be seen. */
void surface_latch(struct surface *surface);

void surface_map(struct surface *surface);
void surface_unmap(struct surface *surface);
static inline bool surface_has_content(const struct surface *surface)
{
	return surface->current.has_content;
}
/** It has content, or a buffer is on its way to be some: pending, or in an update that waits. */
bool surface_has_buffer(const struct surface *surface);
/**
 * Nobody misses any byte of the current buffer (it was uploaded): give it back to the client early.
 * The surface keeps its content, current.buffer becomes NULL.
 */
void surface_release_buffer(struct surface *surface);
/**
 * Unlocks a buffer that showed the surface's content. A client that waits for a frame callback anyway is not
 * woken for the release alone: it hears of both at once.
 */
void surface_unlock_buffer(const struct surface *surface, struct buffer *buffer);

void surface_extension_init(struct surface_extension *extension, struct surface *surface,
	const struct surface_extension_impl *impl);
/**
 * Finishes its states in pending, current and every queued update at once. Indices of others do not
 * shift: the slot stays empty until the surface goes or another extension takes it.
 */
void surface_extension_finish(struct surface_extension *extension);
void *surface_extension_pending(struct surface_extension *extension);
void *surface_extension_current(struct surface_extension *extension);

/** The root of the tree of subsurfaces it is in; itself if it is none. */
struct surface *surface_root(struct surface *surface);
/** Does the input region hold the point? Subsurfaces do not count. */
bool surface_accepts_input(const struct surface *surface, struct coord_surface at);
/** Opaque part in logical coordinates; takes opaque buffers and alpha into account. */
void surface_opaque_region(const struct surface *surface, pixman_region32_t *out);
/** Frame callbacks of the current state are done; empties the list. */
void surface_send_frame_done(struct surface *surface, uint32_t ms);
void surface_set_preferred(
	struct surface *surface, double scale, enum wl_output_transform transform);
void surface_set_outputs(struct surface *surface, uint32_t outputs);
void surface_set_visible(struct surface *surface, bool visible);
/** What waits for a barrier when it leaves the scene goes on with the event loop's next turn. */
void surface_set_in_scene(struct surface *surface, bool in_scene);
