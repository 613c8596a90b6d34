#pragma once

/** What the files of xdg-shell, and those that extend it, share. */

#include "protocol.h"
#include "shell/positioner.h"
#include "surface/surface.h"
#include "xdg-shell-protocol.h"

struct decoration_object;
struct popup_grab;
struct xdg_surface;

/** Configure events that wait for an answer; a client that has more is not sent any. */
#define XDG_MAX_CONFIGURES 256

struct xdg_shell {
	struct protocols *protocols;
	struct popup_grab *grab; /* NULL: none */
	struct wl_listener destroy;
};

/** A client's xdg_wm_base. */
struct xdg_wm_base {
	struct xdg_shell *shell;
	struct wl_resource *resource;
	struct wl_list surfaces; /* xdg_surface.base_link */
	uint32_t ping; /* serial that was not answered yet; 0: none */
	struct timer timer;
	bool unresponsive; /* did not answer in time */
};

/** xdg_shell.c. Asks the client whether it is alive. */
void xdg_wm_base_ping(struct xdg_wm_base *base);

/** State that travels with content updates. */
enum xdg_field {
	XDG_GEOMETRY = 1 << 0,
	XDG_MIN_SIZE = 1 << 1,
	XDG_MAX_SIZE = 1 << 2,
	XDG_ACKED = 1 << 3,
	XDG_POPUP = 1 << 4,
	XDG_DECORATION = 1 << 5,
};

struct xdg_state {
	uint32_t fields;
	struct box geometry; /* as set */
	int32_t min_width, min_height, max_width, max_height;
	uint32_t acked; /* serial; 0: none */
	struct box popup; /* as acknowledged */
	bool decorated; /* as acknowledged */
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

/** What differs between toplevels and popups. All mandatory. */
struct xdg_role {
	/** The pending state is about to become an update; false: the client got an error. */
	bool (*commit)(struct xdg_surface *xdg, const struct xdg_state *pending);
	/** First commit since it was made or unmapped. */
	void (*initial)(struct xdg_surface *xdg);
	/** Sends the role's events of a configure sequence, and notes what is in it. */
	void (*configure)(struct xdg_surface *xdg, struct xdg_configure *configure);
	/** An update applied; geometry is new, and the surface is about to be mapped or is. */
	void (*applied)(struct xdg_surface *xdg, const struct xdg_state *state);
	void (*map)(struct xdg_surface *xdg);
	void (*unmap)(struct xdg_surface *xdg);
	/** The surface goes, or the role object; the resource, if there is one, becomes inert. */
	void (*destroy)(struct xdg_surface *xdg);
};

struct xdg_surface {
	struct wl_resource *resource;
	struct xdg_shell *shell;
	struct xdg_wm_base *base; /* NULL once it is gone, which is when its client is */
	struct wl_list base_link;
	struct surface *surface; /* NULL once it is gone: all is inert then */
	const struct xdg_role *role; /* NULL while there is no role object */
	bool is_popup; /* which of the two it is */
	union {
		struct toplevel *toplevel;
		struct popup *popup;
	};
	struct surface_extension extension;
	struct wl_list configures; /* xdg_configure.link, oldest first */
	struct wl_event_source *idle; /* a configure will be sent; NULL: none */
	bool held; /* a configure waits until the client answers others */
	uint32_t next_serial; /* of the configure to be sent */
	int epoch; /* how often it was unmapped, from 1 */
	bool initial; /* had its first commit */
	bool configured; /* answered a configure of this epoch */
	struct box geometry; /* effective */
	uint32_t shape; /* of the surface, which it was found for */
	struct wl_list popups; /* popup.link, oldest first */
	struct wl_listener surface_commit, surface_attach, surface_destroy;
};

/** xdg_surface.c */
void xdg_surface_create(
	struct xdg_wm_base *base, struct wl_client *client, uint32_t id, struct surface *surface);
struct xdg_surface *xdg_surface_from_resource(struct wl_resource *resource);
/**
 * Gives it the role; false if an error was posted. `surface_role` is the surface's for life.
 */
bool xdg_surface_set_role(struct xdg_surface *xdg, const struct surface_role *surface_role,
	const struct xdg_role *role);
/** The role object could not be made after all. */
void xdg_surface_abandon_role(struct xdg_surface *xdg);
/** The role object goes: it is unmapped. */
void xdg_surface_clear_role(struct xdg_surface *xdg);
/** Where unconfigured buffers are tolerated, the first configure does not wait for a commit. */
void xdg_surface_start_early(struct xdg_surface *xdg);
/** A configure sequence is sent when this dispatch is over, or with others. Returns its serial. */
uint32_t xdg_surface_schedule_configure(struct xdg_surface *xdg);
/** For surface roles. */
bool xdg_surface_handle_commit(struct surface *surface);
void xdg_surface_handle_applied(struct surface *surface);
void xdg_surface_handle_surface_destroy(struct surface *surface);

struct toplevel {
	struct xdg_surface *xdg;
	struct wl_resource *resource;
	struct window *window;
	struct window_configure want;
	bool capabilities_sent;
	struct wl_listener window_applied;
	struct decoration_object *decoration; /* xdg_decoration.c; NULL: none */
};

/** xdg_toplevel.c */
void xdg_toplevel_create(struct xdg_surface *xdg, uint32_t id);
struct toplevel *toplevel_from_resource(struct wl_resource *resource);

struct popup {
	struct xdg_surface *xdg;
	struct wl_resource *resource;
	struct wl_list link; /* of its parent's popups; empty: it has no parent */
	struct xdg_surface *parent; /* one of the two, NULL: none (any more) */
	struct layer *layer;
	struct positioner positioner;
	struct scene_tree *tree; /* in the parent's; NULL without one; at its geometry */
	struct scene_tree *surface_tree, *popup_tree;
	struct box box; /* wanted, relative to the parent's geometry */
	struct box place; /* in effect, likewise */
	uint32_t place_serial; /* of the configure that said so; 0: none */
	bool has_token;
	uint32_t token;
	bool grabs, dismissed;
	struct wl_list grab_link; /* popup_grab.popups */
};

/** Levels of popups on popups. Functions that walk them may recurse. */
#define POPUP_LEVELS_MAX 64

/** xdg_popup.c */
void xdg_popup_create(struct xdg_surface *xdg, uint32_t id, struct xdg_surface *parent,
	const struct positioner *positioner);
struct popup *popup_from_resource(struct wl_resource *resource);
/** Its client answered a configure, which is in the pending state now. */
void popup_acknowledged(struct popup *popup);
/** Ends it and those above it, if it shows. */
void popup_dismiss(struct popup *popup);
/** Ends all popups of a list, last first. */
void popups_dismiss(struct wl_list *popups);
/** As above, and they have no parent from now on: it goes. */
void popups_orphan(struct wl_list *popups);
/** The parent is mapped now: so are popups that were drawn before. */
void popups_map(struct wl_list *popups);
/** The parent changed place or size: popups that react are placed anew. */
void popups_react(struct wl_list *popups);

/** popup_grab.c */
/** False if the grab is denied: the popup is to be dismissed. */
bool popup_grab_start(struct popup *popup, struct seat *seat, uint32_t serial);
/** The popup takes part no more. */
void popup_grab_remove(struct popup *popup);
/** Ends a grab that has no popups left and still waits for its buttons: before the shell goes. */
void popup_grab_end(struct xdg_shell *shell);
/** The popup that a grab has on top; NULL if there is none. */
struct popup *popup_grab_top(struct xdg_shell *shell);
/** The popup is shown: it gets the keyboard if it is on top. */
void popup_grab_mapped(struct popup *popup);

/** xdg_positioner.c */
void xdg_positioner_create(struct wl_client *client, int version, uint32_t id);
const struct positioner *positioner_from_resource(struct wl_resource *resource);

/** xdg_decoration.c */
/** Adds the mode to a configure sequence if it is to be told. */
void decoration_configure(struct decoration_object *object, struct xdg_configure *configure);
/** The toplevel goes first, which is an error if its client asked for it. */
void decoration_orphan(struct decoration_object *object, bool error);
