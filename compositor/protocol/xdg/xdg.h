/* SPDX-License-Identifier: MIT */
#pragma once

/** State shared by the files of xdg-shell and its extensions. */

#include "protocol/protocol.h"
#include "shell/positioner.h"
#include "shell/window.h"
#include "surface/surface.h"
#include "util/clock.h"
#include "xdg-shell-protocol.h"

struct decoration_object;
struct dialog_object;
struct icon;
struct popup_grab;
struct xdg_surface;

/** Maximum number of unacknowledged configure events; beyond it no more are sent. */
#define XDG_CONFIGURES_MAX 256

struct xdg_shell {
	struct protocols *protocols;
	struct popup_grab *grab; /* NULL: none */
	/** Create the role object of an xdg_surface. */
	void (*create_toplevel)(struct xdg_surface *xdg, uint32_t id);
	void (*create_popup)(struct xdg_surface *xdg, uint32_t id, struct xdg_surface *parent,
		const struct positioner *positioner);
	struct wl_listener destroy;
};

/** A client's xdg_wm_base. */
struct xdg_wm_base {
	struct xdg_shell *shell;
	struct wl_resource *resource;
	struct wl_list surfaces; /* xdg_surface.base_link */
	uint32_t ping; /* serial of the unanswered ping; 0: none */
	struct timer timer;
	bool unresponsive; /* the client did not answer in time */
};

/** Prepares the timer of pings. Defined in xdg_ping.c, as are the following functions. */
void xdg_ping_init(struct xdg_wm_base *base);
/** Sends a ping unless one is unanswered. */
void xdg_ping_send(struct xdg_wm_base *base);
void xdg_ping_handle_pong(struct wl_client *client, struct wl_resource *resource, uint32_t serial);

/** State that is part of content updates. */
enum xdg_field {
	XDG_GEOMETRY = 1 << 0,
	XDG_MIN_SIZE = 1 << 1,
	XDG_MAX_SIZE = 1 << 2,
	XDG_ACKED = 1 << 3,
	XDG_POPUP = 1 << 4,
	XDG_DECORATION = 1 << 5,
	XDG_ICON = 1 << 6,
};

struct xdg_state {
	uint32_t fields;
	struct box geometry; /* as set by the client */
	struct window_limits limits;
	uint32_t acked; /* serial; 0: none */
	struct box popup; /* as acknowledged */
	bool decorated; /* as acknowledged */
	struct icon *icon; /* a reference; NULL: none */
	int drawn; /* epoch in which content was last committed; 0: never */
};

/** A configure sequence that was sent. */
struct xdg_configure {
	struct wl_list link;
	uint32_t serial;
	int epoch; /* xdg_surface.epoch when it was sent */
	struct box popup;
	bool has_decoration, decorated;
};

/** Operations that differ between toplevels and popups; mandatory without other notice. */
struct xdg_role {
	const struct wl_interface *interface;
	bool is_popup;
	/**
	 * Checks the pending state before it becomes an update. Returns false after posting an
	 * error.
	 */
	bool (*commit)(struct xdg_surface *xdg, const struct xdg_state *pending);
	/**
	 * Handles the first commit since the role object was created or the surface was unmapped.
	 */
	void (*initial)(struct xdg_surface *xdg);
	/**
	 * Sends the role's events of a configure sequence and records their values in `configure`.
	 */
	void (*configure)(struct xdg_surface *xdg, struct xdg_configure *configure);
	/**
	 * Handles an applied update. The geometry is current; the surface is mapped or about to be.
	 */
	void (*applied)(struct xdg_surface *xdg, const struct xdg_state *state);
	void (*map)(struct xdg_surface *xdg);
	/** Dismisses the popups, too. */
	void (*unmap)(struct xdg_surface *xdg);
	/** Optional. Handles ack_configure; the acknowledged state is pending. */
	void (*acknowledged)(struct xdg_surface *xdg);
	/**
	 * Detaches the role object before it or the surface is destroyed; its resource, if any,
	 * becomes inert.
	 */
	void (*destroy)(struct xdg_surface *xdg);
};

struct xdg_surface {
	struct wl_resource *resource;
	struct xdg_shell *shell;
	struct xdg_wm_base *base; /* NULL once destroyed, at the client's disconnection */
	struct wl_list base_link;
	struct surface *surface; /* NULL once destroyed: all objects are inert then */
	const struct xdg_role *role; /* NULL while there is no role object */
	struct wl_resource *role_resource; /* its user data is the xdg_surface */
	bool is_popup; /* the role is a popup: selects the member of the union */
	union {
		struct toplevel *toplevel;
		struct popup *popup;
	};
	struct surface_extension extension;
	struct wl_list configures; /* xdg_configure.link, oldest first */
	struct wl_event_source *idle; /* set while a configure is scheduled */
	bool held; /* a configure waits until the client acknowledges earlier ones */
	uint32_t next_serial; /* of the scheduled configure */
	int epoch; /* number of times it was unmapped, plus 1 */
	bool initial; /* the first commit was handled */
	bool configured; /* a configure of this epoch was acknowledged */
	struct box geometry; /* effective */
	uint32_t shape; /* surface's shape serial that the geometry was computed for */
	struct wl_list popups; /* popup.link, oldest first */
	struct wl_listener surface_commit, surface_attach, surface_destroy;
};

void xdg_surface_create(
	struct xdg_wm_base *base, struct wl_client *client, uint32_t id, struct surface *surface);
/**
 * Assigns the role and creates the resource of its object, with `requests` and without data; an
 * inert xdg_surface gets no role. Returns NULL after posting an error.
 */
struct wl_resource *xdg_surface_create_role(
	struct xdg_surface *xdg, uint32_t id, const struct xdg_role *role, const void *requests);
/** Returns true if content of the present role object, since it was unmapped last, is applied. */
bool xdg_surface_is_drawn(struct xdg_surface *xdg);
/** Unmaps the surface when its role object is destroyed, and makes the object's resource inert. */
void xdg_surface_clear_role(struct xdg_surface *xdg);
/**
 * For clients allowed to attach buffers before the first configure: sends it without waiting for a
 * commit.
 */
void xdg_surface_start_early(struct xdg_surface *xdg);
/**
 * Schedules a configure sequence for the end of this dispatch, if none is scheduled. Returns its
 * serial.
 */
uint32_t xdg_surface_schedule_configure(struct xdg_surface *xdg);
/** Returns the toplevel of a surface, or NULL unless the surface is one; accepts NULL. */
struct toplevel *toplevel_from_surface(struct surface *surface);

struct toplevel {
	struct xdg_surface *xdg;
	struct wl_resource *resource;
	struct window *window;
	struct window_configure want;
	bool capabilities_sent;
	struct wl_listener window_applied;
	struct decoration_object *decoration; /* owner: xdg_decoration.c; NULL: none */
	struct dialog_object *dialog; /* owner: xdg_dialog.c; NULL: none */
};

void xdg_toplevel_create(struct xdg_surface *xdg, uint32_t id);
/** Returns the toplevel of an xdg_toplevel, or NULL if it is inert. */
static inline struct toplevel *toplevel_from_resource(struct wl_resource *resource)
{
	const struct xdg_surface *xdg = wl_resource_get_user_data(resource);
	return xdg ? xdg->toplevel : NULL;
}

enum parent_check {
	PARENT_VALID,
	PARENT_UNMAPPED, /* an unmapped parent is the same as none */
	PARENT_DESCENDANT, /* the window would be its own ancestor */
	PARENT_NO_ROOM, /* the family would exceed its limits */
};
/** Checks if `parent` may become the parent of `window`. Defined in toplevel_parent.c. */
enum parent_check toplevel_check_parent(const struct window *window, const struct window *parent);
/**
 * Returns true if a window of the family of `member` has a parent that was imported: the family
 * depends on several clients. Defined in xdg_foreign.c.
 */
bool foreign_family(struct window *member);

struct popup {
	struct xdg_surface *xdg;
	struct wl_resource *resource;
	struct wl_list link; /* in its parent's list of popups; empty without a parent */
	/** `parent` or `layer` is set; both NULL: no parent, or it is gone */
	struct xdg_surface *parent;
	struct layer *layer;
	struct positioner positioner;
	/** At its geometry, in the tree of its toplevel's popups; NULL without a parent. */
	struct scene_tree *tree, *surface_tree;
	struct box box; /* requested, relative to the parent's geometry */
	struct box place; /* in effect, likewise */
	uint32_t place_serial; /* serial of the configure with `place`; 0: none */
	bool has_token;
	uint32_t token;
	bool grabs, dismissed;
	struct wl_list grab_link; /* popup_grab.popups */
};

/** Maximum depth of nested popups. Functions that walk popups may recurse. */
#define POPUP_LEVELS_MAX 64

void xdg_popup_create(struct xdg_surface *xdg, uint32_t id, struct xdg_surface *parent,
	const struct positioner *positioner);
/** Dismisses a mapped popup and the popups above it. */
void popup_dismiss(struct popup *popup);
/** Dismisses all popups of a list, last first. */
void popups_dismiss(struct wl_list *popups);
/** Dismisses all popups of a list and detaches them from their parent, which is being destroyed. */
void popups_orphan(struct wl_list *popups);
/** Maps the popups that already have content, after their parent was mapped. */
void popups_map(struct wl_list *popups);
/** Repositions reactive popups after their parent moved or changed size. */
void popups_react(struct wl_list *popups);

/**
 * Adds the popup to a grab, whose end calls `dismiss` on each popup, topmost first. Returns false
 * if the grab is denied; the caller dismisses the popup.
 */
bool popup_grab_start(struct popup *popup, struct seat *seat, uint32_t serial,
	void (*dismiss)(struct popup *popup));
/** Removes the popup from its grab. */
void popup_grab_remove(struct popup *popup);
/**
 * Ends a grab that has no popups left and still waits for its buttons, before the shell is
 * destroyed.
 */
void popup_grab_end(struct xdg_shell *shell);
/** Gives the keyboard to the mapped popup if it is the topmost of the grab. */
void popup_grab_mapped(struct popup *popup);

void xdg_positioner_create(struct wl_resource *base, uint32_t id);
const struct positioner *positioner_from_resource(struct wl_resource *resource);

/** Sends the decoration mode as part of a configure sequence if it changed. */
void decoration_configure(struct decoration_object *object, struct xdg_configure *configure);
/**
 * Detaches the decoration from its toplevel, which is destroyed first. `error`: post a protocol
 * error, because the client destroyed it.
 */
void decoration_orphan(struct decoration_object *object, bool error);

/** Detaches the dialog object from its toplevel, which is destroyed first. */
void dialog_orphan(struct dialog_object *object);

/**
 * Sets the decoration of the pending state if the toplevel's surface has an
 * org_kde_kwin_server_decoration. Without effect on toplevels with an xdg-decoration. Defined in
 * kde_server_decoration.c.
 */
void kde_decoration_apply(struct toplevel *toplevel);
