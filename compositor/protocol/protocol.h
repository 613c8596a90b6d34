#pragma once

/**
 * What the files of protocol/ share. Each of them implements one protocol: it has a function
 * NAME_create(), called once by protocols_create(), that makes its globals with
 * protocols_add_global() and keeps its state in memory of its own, freed on protocols.destroy.
 *
 * Resources become inert (user data NULL) when what they stand for is gone; the functions below
 * give NULL then, and requests on inert resources do nothing but what their destructors must.
 */

#include "protocol/protocols.h"
#include "server.h"
#include "surface/client.h"
#include <wayland-server.h>

struct activation;
struct capture_scratch;
struct buffer_watch;
struct entrance;
struct idle;
struct layer;
struct outbox;
struct popup;
struct process;
struct process_facts;
struct selections;
struct shm_global;

/** What became of content updates, and what they took. */
struct surface_totals {
	uint64_t n_commits, n_shown, n_superseded, n_hidden, bytes_uploaded, bytes_copied;
};

struct protocols {
	struct server *server;
	struct wl_display *display;
	struct wl_list globals; /* protocols.c */
	struct outbox *outbox; /* outbox.c */
	struct entrance *entrance; /* protocols_listen()'s; NULL: there is none */
	struct capture_scratch *capture_scratch; /* capture_scratch.c; NULL until needed */
	struct process_facts *arriving; /* client_connect()'s */
	/** The kernel tells peers from later processes with their pids: facts can be read when needed. */
	bool pins;
	struct activation *activation; /* xdg_activation.c */
	struct selections *selections; /* selection.c */
	struct shm_global *shm; /* wl_shm.c */
	struct buffer_watch *buffer_watch; /* wl_buffer.c */
	bool ending; /* clients go because the server does */
	struct surface_totals gone; /* of surfaces that are no more */
	struct {
		struct wl_signal destroy; /* the display is still there, clients are gone */
		struct wl_signal new_surface; /* struct surface */
		struct wl_signal rules_changed; /* before clients are told */
		struct wl_signal client_gpu; /* struct client: its gpu or next_gpu is another */
	} events;
};

/** Must agree with the one table of privileged interfaces, in protocols.c. */
enum global_privilege {
	GLOBAL_PUBLIC,
	/** Hidden from clients that came through a security context. */
	GLOBAL_PRIVILEGED,
};

/** As wl_global_create(); the global lives until protocols.destroy or protocols_remove_global(). */
struct wl_global *protocols_add_global(struct protocols *protocols,
	const struct wl_interface *interface, int version, void *data, wl_global_bind_func_t bind,
	enum global_privilege privilege);
/**
 * Withdraws it at once, frees it when no client can be binding it any more. A client that did not
 * hear of it yet may still bind it: `bind` then gets NULL for its data, and makes an inert
 * resource.
 */
void protocols_remove_global(struct protocols *protocols, struct wl_global *global);

/** protocol/client.c. Never NULL for a connected client. */
struct client *client_from_wl(struct wl_client *client);
struct protocols *client_protocols(struct wl_client *client);
/** The bound on the client's tasks (util/task.h). */
struct task_quota *client_task_quota(struct wl_client *client);
/**
 * Makes a client of a connection, which belongs to the client then. `process` is taken over: `facts` of enum process_fact
 * were read of it, or could not be read and are not tried again. Returns NULL with errno set; `fd` stays open then.
 */
struct wl_client *client_connect(
	struct protocols *protocols, int fd, struct process *process, unsigned facts);
/** True if the peer of a connection can be read at any time; else it must be read at once. */
bool client_is_pinned(struct protocols *protocols, int fd);
/**
 * Returns the process of the client with the facts known so far, the client's until the next call; NULL if
 * unknown. Reads those of `facts` (enum process_fact) that are missing: at once if they cannot block, else on a thread,
 * and then the GPU is decided again.
 */
const struct process *client_process(struct client *client, unsigned facts);
/**
 * Returns how many descriptors may wait in events to the client, after an attempt to send them if there are
 * many.
 */
int client_queued_descriptors(struct wl_client *client);
/** Charges a descriptor until it has been sent. Call this before each event that takes one along. */
void client_charge_queued_descriptor(struct wl_client *client);
/** The path of its executable, NULL if unknown; likewise. */
const char *client_exe(struct client *client);

/**
 * protocol/client_gpu.c: which GPU a client is told to render on, from what is known of it now. Once more
 * if more becomes known before it was told of any global.
 */
void client_gpu_decide(struct protocols *protocols, struct client *client);
/** More became known of the client, which may have been told of globals: tells of a change, as a reload does. */
void client_gpu_update(struct protocols *protocols, struct client *client);
/** Returns enum process_fact: the facts that deciding a GPU needs of processes. */
unsigned client_gpu_facts(const struct protocols *protocols);

/** A window of it calls itself so: said if there is a rule that came too late by that. */
void client_gpu_named(struct protocols *protocols, struct client *client, const char *app_id);

/** protocol/wl_surface.c. The first is NULL for an inert resource, the second never. */
struct surface *surface_from_resource(struct wl_resource *resource);
struct wl_resource *surface_resource(struct surface *surface);
/** Makes a surface and the wl_surface for it. */
void surface_resource_create(
	struct protocols *protocols, struct wl_client *client, uint32_t version, uint32_t id);
/** control_accounting.c */
void surface_totals_add(struct surface_totals *totals, const struct surface *surface);
/** protocol/wl_surface.c. The client has a new wl_output resource of `output`: its surfaces there enter it. */
void surface_resources_enter(
	struct wl_client *client, struct wl_resource *resource, const struct scene_output *output);
/** protocol/wlr_foreign_toplevel.c. The same: windows that the client was told of may be on it. */
void foreign_toplevels_enter(
	struct wl_client *client, struct wl_resource *resource, const struct scene_output *output);
/** protocol/wl_region.c */
const pixman_region32_t *region_from_resource(struct wl_resource *resource);
void region_resource_create(struct wl_client *client, uint32_t version, uint32_t id);
/** protocol/viewporter.c: the wp_viewport of a surface, NULL if it has none. */
struct wl_resource *viewport_resource(struct surface *surface);
/**
 * protocol/linux_drm_syncobj.c: the client names points of timelines just for what it attached to this
 * surface; else it has got an error. To be asked before each commit.
 */
bool syncobj_check_commit(struct surface *surface);
/** A wl_buffer of any kind, NULL once its resource is gone. Defined in protocol/wl_buffer.c. */
struct buffer *buffer_from_resource(struct wl_resource *resource);
/**
 * Makes `resource` (a wl_buffer) stand for `buffer`, whose producer's reference it takes over:
 * sends wl_buffer.release when the last lock goes and drops the buffer when it is destroyed.
 */
void buffer_resource_init(struct wl_resource *resource, struct buffer *buffer);
/**
 * A surface takes the buffer over with a commit: its release will be heard of. Buffers that were
 * only attached are not released.
 */
void buffer_resource_committed(struct protocols *protocols, struct buffer *buffer);
/** Memory of the buffer was found missing: its client gets an error. NULL is legal. */
void buffer_resource_check(struct buffer *buffer);
void buffer_watch_create(struct protocols *protocols);

/** protocol/wl_output.c. NULL once the output is gone. */
struct scene_output *output_from_resource(struct wl_resource *resource);
/** Calls back for each wl_output resource that the client has of this output. */
void output_for_each_resource(struct scene_output *output, struct wl_client *client,
	void (*each)(struct wl_resource *resource, void *data), void *data);

/** protocol/wl_seat.c. The first two are NULL once the seat is gone. */
struct seat *seat_from_resource(struct wl_resource *resource); /* wl_seat */
struct seat *seat_from_pointer_resource(struct wl_resource *resource); /* wl_pointer */
/** protocol/tablet_tool.c: zwp_tablet_tool_v2. NULL once the tool is gone. */
struct seat_tool *tool_from_resource(struct wl_resource *resource);
/** `serial` is of the event that the tool came in, and it is still there. */
bool tool_may_set_cursor(struct wl_resource *resource, uint32_t serial);
/** Calls back for each wl_pointer (wl_keyboard) that the client has of the seat. */
void seat_for_each_pointer(struct seat *seat, struct wl_client *client,
	void (*each)(struct wl_resource *resource, void *data), void *data);
void seat_for_each_keyboard(struct seat *seat, struct wl_client *client,
	void (*each)(struct wl_resource *resource, void *data), void *data);

/** protocol/input_popup.c: an input method shows it, or its root, beside the text. */
bool surface_is_input_popup(struct surface *surface);

/**
 * protocol/xdg_popup.c: gives a popup made without a parent one (layer-shell). NULL: that is closed, and so
 * is the popup. False: it has a parent, or was committed without.
 */
bool popup_set_layer_parent(struct wl_resource *xdg_popup, struct layer *layer);

/** protocol/xdg_toplevel.c. NULL if it is inert. */
struct window *window_from_toplevel_resource(struct wl_resource *resource);

/** protocol/ext_foreign_toplevel_list.c. NULL if it is inert. */
struct window *window_from_foreign_handle(struct wl_resource *resource);

/* One a file; each makes the globals of its protocol. */
void client_tracking_create(struct protocols *protocols);
/** protocol/outbox.c: lives until protocols.destroy; clients that were there before are not known to it. */
struct outbox *outbox_create(struct protocols *protocols);
/** Sends what clients were told; who cannot take it now gets it when it can, who is gone is let go. */
void outbox_flush(struct outbox *outbox);
void client_gpus_create(struct protocols *protocols);
void wl_compositor_create(struct protocols *protocols);
void wl_subcompositor_create(struct protocols *protocols);
void wl_shm_create(struct protocols *protocols);
void wl_output_create(struct protocols *protocols);
void wl_seat_create(struct protocols *protocols);
void selections_create(struct protocols *protocols); /* before those that share them */
void wl_data_device_create(struct protocols *protocols);
void viewporter_create(struct protocols *protocols);
void fractional_scale_create(struct protocols *protocols);
void single_pixel_buffer_create(struct protocols *protocols);
void presentation_create(struct protocols *protocols);
void cursor_shape_create(struct protocols *protocols);
void alpha_modifier_create(struct protocols *protocols);
void xdg_shell_create(struct protocols *protocols);
void xdg_decoration_create(struct protocols *protocols);
void xdg_output_create(struct protocols *protocols);
void xdg_activation_create(struct protocols *protocols);
void linux_dmabuf_create(struct protocols *protocols);
void linux_drm_syncobj_create(struct protocols *protocols);
void primary_selection_create(struct protocols *protocols);
void pointer_constraints_create(struct protocols *protocols);
void pointer_gestures_create(struct protocols *protocols);
void keyboard_shortcuts_inhibit_create(struct protocols *protocols);
void tablet_create(struct protocols *protocols);
void relative_pointer_create(struct protocols *protocols);
void image_capture_source_create(struct protocols *protocols);
void image_copy_capture_create(struct protocols *protocols);
void wlr_screencopy_create(struct protocols *protocols);
void wlr_layer_shell_create(struct protocols *protocols);
void wlr_virtual_pointer_create(struct protocols *protocols);
void virtual_keyboard_create(struct protocols *protocols);
void text_input_create(struct protocols *protocols);
void input_method_create(struct protocols *protocols);
void foreign_toplevel_list_create(struct protocols *protocols);
void wlr_foreign_toplevel_create(struct protocols *protocols);
void data_control_create(struct protocols *protocols);
void commit_timing_create(struct protocols *protocols);
void color_representation_create(struct protocols *protocols);
void content_type_create(struct protocols *protocols);
void fifo_create(struct protocols *protocols);
void tearing_control_create(struct protocols *protocols);
struct idle *idle_notify_create(struct protocols *protocols);
void idle_inhibit_create(struct protocols *protocols, struct idle *idle);
void drm_lease_protocol_create(struct protocols *protocols);
void wlr_gamma_control_create(struct protocols *protocols);
void wlr_output_management_create(struct protocols *protocols);
void wlr_output_power_create(struct protocols *protocols);
void session_lock_create(struct protocols *protocols);
void security_context_create(struct protocols *protocols);
void control_create(struct protocols *protocols);
