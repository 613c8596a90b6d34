/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Surfaces: pending state that requests change, a queue of content updates, and the current state
 * used by the rest of the compositor. No wl_resource appears here.
 *
 * surface_commit() turns the pending state into a content update. An update applies once its
 * blockers are clear, all earlier updates have applied, and, for a synchronised subsurface, the
 * parent's update applies. Until then the current state stays unchanged, also on screen.
 */

#include "surface/state.h"
#include "util/addon.h"
#include "util/rate.h"
#include "util/signal.h"
#include <stdbool.h>
#include <stdint.h>

struct account;
struct client;
struct surface;

/**
 * Surface role, set once for the surface's life: xdg-shell, subsurface, cursor, layer-shell... Its
 * functions are called only while a role object exists (role_data is not NULL).
 */
struct surface_role {
	const char *name;
	/** The surface takes no input, regardless of its input region: cursors, drag icons. */
	bool no_input;
	/** Clients may destroy the surface first: the role object is not theirs. */
	bool outlived;
	/** Optional. An update of this surface has applied: surface->current is new. */
	void (*applied)(struct surface *surface);
	/**
	 * Optional. The pending state is about to become an update. Returns false after posting an
	 * error to the client.
	 */
	bool (*commit)(struct surface *surface);
	/** Optional. The surface is being destroyed before its role object. */
	void (*destroy)(struct surface *surface);
};

/**
 * State of a protocol extension, double-buffered with the surface's: it is part of the content
 * update, so that a blocked update keeps its own.
 */
struct surface_extension {
	const struct surface_extension_impl *impl;
	struct surface *surface;
	int index; /* in surface_state.extensions */
	struct wl_list link;
};

struct surface_extension_impl {
	size_t state_size;
	/** Optional; without it, the state is zeroed. */
	void (*init)(void *state);
	/** Optional. */
	void (*finish)(void *state);
	/**
	 * Mandatory: moves the fields set in `from` into `to`, and leaves `from` with no field set.
	 */
	void (*merge)(void *to, void *from);
};

enum surface_wish {
	SURFACE_WISH_CLIENT, /* as the client asks */
	SURFACE_WISH_ON,
	SURFACE_WISH_OFF,
};

/** Rules of the configuration, of a window's surface: they replace the client's wishes. */
struct surface_rules {
	enum surface_wish tearing, variable; /* variable: refresh rate */
	bool sharp; /* enlarged by the filter that follows edges */
	/** Content type plus 1 that replaces the client's; 0: none. */
	int content;
	/** Content type of a client that gives none. */
	enum content_type default_content;
	/** ns between frame callbacks while invisible; 0: as for others; < 0: none. */
	int64_t hidden_period;
};

struct surface {
	struct client *client; /* NULL for surfaces of the compositor and in unit tests */
	struct wl_event_loop *loop;
	/**
	 * For retries when the loop cannot watch another fence; set by the owner, may be NULL in
	 * tests.
	 */
	struct clock *clock;
	struct surface_state pending, current;

	const struct surface_role *role;
	/** The role object; NULL while there is none. Always NULL for cursors and drag icons. */
	void *role_data;
	struct subsurface *subsurface; /* role_data if the role is subsurface, else NULL */
	int n_below; /* number of descendants in its tree of subsurfaces */
	/** Children with updates queued since this surface's last commit: subsurface.held_link. */
	struct wl_list held;
	/**
	 * Of a root: counts changes of the tree's extents (sizes, content added or removed,
	 * positions of subsurfaces). Never 0 with content.
	 */
	uint32_t shape;

	/** Queued content updates, oldest first. */
	struct wl_list queue; /* update.link */
	int n_queued;
	/** Recycled updates, so that committing does not allocate. */
	struct wl_list spares; /* update.link */
	int n_spares;
	/**
	 * transaction.c: linked while the queue is to be examined, or until the applied signal was
	 * emitted.
	 */
	struct wl_list run_link;
	bool applying;

	struct wl_list extensions;
	int n_extensions;

	/**
	 * The surface has content and its role lets it show. Roles set it with
	 * surface_map()/unmap().
	 */
	bool mapped;

	/**
	 * fifo-v1: updates with SURFACE_WAIT_BARRIER wait until an output has latched the current
	 * state. Set by an update with SURFACE_SET_BARRIER, cleared by surface_latch().
	 */
	bool barrier;
	struct blocker *barrier_wait; /* blocker of the waiting update, or NULL */
	/**
	 * Managed by the scene. Outside of the scene no output latches the surface, so barriers do
	 * not block.
	 */
	bool in_scene;
	/** barrier.c: idle source that releases a waiting update, or NULL */
	struct wl_event_source *left_scene;

	/**
	 * Outputs that show the surface: bits are indices of scene outputs. Managed by the scene.
	 */
	uint32_t outputs;
	struct surface_rules rules;
	/** Part of the surface is visible on an awake output. Managed by the scene. */
	bool visible;

	/**
	 * Surface coordinates per logical pixel, 1 by default, and the offset (logical) of the
	 * content from its node in the scene. See scene_surface_set_density().
	 */
	double density, shift_x, shift_y;
	/** The part that is shown and takes input; NULL: all. See scene_surface_set_clip(). */
	const pixman_region32_t *clip;
	/** Replaces current.input; NULL: that counts. See scene_surface_set_input(). */
	const pixman_region32_t *input;

	/** For fractional-scale and preferred_buffer_scale; set by the scene. */
	double preferred_scale;
	enum wl_output_transform preferred_transform;

	/** Statistics. */
	uint64_t n_commits, n_shown, bytes_uploaded;
	uint64_t n_hidden; /* content updates superseded before they were visible */
	uint64_t bytes_copied; /* over the bus, from another GPU */
	struct rate upload_rate, copy_rate; /* bytes per second of the two above */

	void *data; /* protocol/surface/wl_surface.c: the resource */
	struct addon_set addons;
	struct {
		/** NULL: the pending buffer changed, perhaps to none. */
		struct wl_signal attach;
		/** struct update: made of the pending state. Listeners may add blockers. */
		struct wl_signal commit;
		/**
		 * struct update: it and its tree are unblocked and about to apply. A listener may
		 * add a blocker (e.g. for a copy that it starts now); once that clears, the signal
		 * is emitted again.
		 */
		struct wl_signal ready;
		/** The same for updates with a buffer that has a home, before `ready`. */
		struct wl_signal ready_homed;
		/**
		 * An update has applied. While this signal is emitted, and only then,
		 * current.buffer_damage holds its damage, clipped to the buffer, and current.fields
		 * the fields it set. Listeners must not destroy surfaces.
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

/** Creates a surface. `loop` watches the fences of its buffers. `client` may be NULL. */
struct surface *surface_create(struct wl_event_loop *loop, struct client *client);
void surface_destroy(struct surface *surface);
/** Returns the client's account, or NULL. */
struct account *surface_account(const struct surface *surface);

/**
 * Assigns a role, which is permanent. Returns false if the surface has another role, or this one
 * and its role object still exists. On success role_data is `data`.
 */
bool surface_set_role(struct surface *surface, const struct surface_role *role, void *data);
/** Forgets the role object; the role stays. */
void surface_clear_role_data(struct surface *surface);

/**
 * Turns the pending state, which must be derived (surface_state_derive()), into a content update.
 * Returns false if the role refused, after posting an error.
 */
bool surface_commit(struct surface *surface);

/**
 * Clears the barrier: an output has latched the current state, or a hidden surface's turn has come.
 */
void surface_latch(struct surface *surface);

void surface_map(struct surface *surface);
void surface_unmap(struct surface *surface);
static inline bool surface_has_content(const struct surface *surface)
{
	return surface->current.has_content;
}
/** Returns whether the surface has content, or a pending or queued buffer. */
bool surface_has_buffer(const struct surface *surface);
/**
 * Releases the current buffer to the client early, because all of it was uploaded. The surface
 * keeps its content; current.buffer becomes NULL.
 */
void surface_release_buffer(struct surface *surface);
/** Replaces the current buffer by a copy with the same pixels, and unlocks it. */
void surface_replace_buffer(struct surface *surface, struct buffer *copy);
/**
 * Unlocks a buffer that the surface showed. If the client is due a frame callback, the release
 * event is delayed and flushed with it, which saves a wake-up.
 */
void surface_unlock_buffer(const struct surface *surface, struct buffer *buffer);

void surface_extension_init(struct surface_extension *extension, struct surface *surface,
	const struct surface_extension_impl *impl);
/**
 * Finishes the extension's states in the pending, current and queued states at once. Indices of
 * other extensions stay the same; the slot is reused by later extensions.
 */
void surface_extension_finish(struct surface_extension *extension);
void *surface_extension_pending(struct surface_extension *extension);
void *surface_extension_current(struct surface_extension *extension);
/** Returns the extension's part of any state of its surface, or NULL. */
void *surface_extension_of(
	const struct surface_extension *extension, const struct surface_state *state);

/** Returns the content type by rule, else the client's, else that of the rule for lack of one. */
enum content_type surface_content_type(struct surface *surface);
/** Returns the root of the surface's tree of subsurfaces, which may be the surface itself. */
struct surface *surface_root(struct surface *surface);
/** Returns whether input region and clip contain the point. Subsurfaces are ignored. */
bool surface_accepts_input(const struct surface *surface, struct coord_surface at);
/**
 * Computes the opaque region in logical coordinates; opaque buffers and alpha are taken into
 * account.
 */
void surface_opaque_region(const struct surface *surface, pixman_region32_t *out);
/** Calls `done` on the callbacks of a list, frame_callback.link, until the list is empty. */
void frame_callbacks_send(struct wl_list *callbacks, uint32_t ms);
/** Calls `done` on the frame callbacks of the current state, and empties the list. */
void surface_send_frame_done(struct surface *surface, uint32_t ms);
void surface_set_preferred(
	struct surface *surface, double scale, enum wl_output_transform transform);
void surface_set_outputs(struct surface *surface, uint32_t outputs);
void surface_set_visible(struct surface *surface, bool visible);
/**
 * If the surface leaves the scene, an update that waits for its barrier is released by an idle
 * event source.
 */
void surface_set_in_scene(struct surface *surface, bool in_scene);
