/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Declarations shared by the files of protocol/. Each file implements one protocol. Its
 * NAME_create() is called once by protocols_create(), adds the globals with protocols_add_global()
 * and keeps the protocol's state in its own allocation, freed on protocols.events.destroy.
 *
 * Resources become inert (user data NULL) when the object behind them is destroyed. The functions
 * below return NULL for inert resources; requests on inert resources are ignored, apart from
 * destructors.
 */

#include "protocol/protocols.h"
#include "protocol/server.h"
#include "surface/client.h"
#include "surface/surface.h"
#include "table.h"
#include <pixman.h>
#include <wayland-server.h>

struct activation;
struct buffer;
struct buffer_watch;
struct capture_scratch;
struct client_listener;
struct flush_queue;
struct foreign_exports;
struct idle;
struct inhibit_manager;
struct inhibitor;
struct layer;
struct process;
struct process_facts;
struct scene_output;
struct seat;
struct seat_tool;
struct selections;
struct shm_global;
struct task_quota;
struct window;
struct x_drag;
struct x_selection_host;
struct xwayland_shell;

/** Statistics of content updates: their outcomes and the bytes uploaded and copied. */
struct surface_totals {
	uint64_t n_commits, n_shown, n_superseded, n_hidden, bytes_uploaded, bytes_copied;
};

struct protocols {
	struct server *server;
	struct wl_display *display;
	struct wl_list globals; /* owner: globals.c */
	struct flush_queue *flush_queue; /* owner: client/flush_queue.c */
	struct client_listener *listener; /* created by protocols_listen(); NULL before */
	struct capture_scratch
		*capture_scratch; /* owner: capture/capture_scratch.c; NULL until needed */
	struct process_facts *arriving; /* valid during client_connect() */
	/**
	 * The kernel distinguishes the peer of a socket from later processes with its pid, so facts
	 * about it can be read at any time.
	 */
	bool pins;
	struct idle *idle; /* owner: session/idle_notify.c */
	struct activation *activation; /* owner: xdg/xdg_activation.c */
	struct foreign_exports *exports; /* owner: xdg/xdg_foreign.c */
	struct selections *selections; /* owner: selection/selection.c */
	struct shm_global *shm; /* owner: buffer/wl_shm.c */
	struct inhibit_manager *inhibit_manager; /* owner: input/keyboard_shortcuts_inhibit.c */
	struct x_selection_host *x_selections; /* owner: xwayland/x_selection.c */
	struct x_drag *x_drag; /* owner: xwayland/x_drag.c */
	struct data_manager *data_manager; /* owner: selection/wl_data_device.c */
	struct xwayland_shell *xwayland_shell; /* owner: xwayland/xwayland_shell.c */
	struct buffer_watch *buffer_watch; /* owner: buffer/wl_buffer.c */
	bool ending; /* the server is shutting down and disconnects its clients */
	struct surface_totals gone; /* sums over destroyed surfaces */
	struct {
		struct wl_signal destroy; /* clients are destroyed, the display still exists */
		/** data: struct client, before the first global is announced */
		struct wl_signal new_client;
		/** data: struct client, about whose process more facts are known */
		struct wl_signal client_facts;
		struct wl_signal new_surface; /* data: struct surface */
		struct wl_signal output_bound; /* data: struct wl_resource, a new wl_output */
		struct wl_signal rules_changed; /* before clients are notified */
		/** data: struct client, whose gpu or next_gpu changed */
		struct wl_signal client_gpu;
	} events;
};

/** Prepares the list of globals, whose visibility depends on the client. */
void globals_init(struct protocols *protocols);
/** Destroys all globals. The clients are destroyed before. */
void globals_finish(struct protocols *protocols);
/** Must agree with PRIVILEGED_GLOBALS of table.h. */
enum global_privilege {
	GLOBAL_PUBLIC,
	/** Hidden from clients connected through a security context. */
	GLOBAL_PRIVILEGED,
};

/**
 * Creates a global whose resources have `requests` and `data`. The global lives until
 * protocols.events.destroy or protocols_remove_global().
 */
struct wl_global *protocols_add_global(struct protocols *protocols,
	const struct wl_interface *interface, int version, const void *requests, void *data,
	enum global_privilege privilege);
/** Called for each new resource of a custom global; sets its requests. */
typedef void (*global_bind_func_t)(struct wl_resource *resource, void *data);
/** Creates a global like protocols_add_global(), with a function that prepares its resources. */
struct wl_global *protocols_add_custom_global(struct protocols *protocols,
	const struct wl_interface *interface, int version, global_bind_func_t bind, void *data,
	enum global_privilege privilege);
/**
 * Withdraws `global` immediately and frees it once no client can be binding it any more. A client
 * that has not yet received the removal may still bind it: `data` is then NULL, and the resource
 * must be inert.
 */
void protocols_remove_global(struct protocols *protocols, struct wl_global *global);

/**
 * Creates a resource with its requests. Returns NULL after posting no_memory. Defined in
 * resource.c.
 */
struct wl_resource *resource_create(struct wl_client *client, const struct wl_interface *interface,
	int version, uint32_t id, const void *requests, void *data,
	wl_resource_destroy_func_t destroy);
/**
 * Creates a resource of the client and version of `parent` that owns `data`: `destroy` frees them.
 * NULL data are legal. Returns NULL after posting no_memory and calling free(data); use
 * resource_create() for data that need more than that.
 */
struct wl_resource *resource_create_child(struct wl_resource *parent,
	const struct wl_interface *interface, uint32_t id, const void *requests, void *data,
	wl_resource_destroy_func_t destroy);
/** Destroys the resource: the destructor request of most interfaces. */
void resource_handle_destroy(struct wl_client *client, struct wl_resource *resource);
/** Removes all resources from the list, and their user data. */
void resources_make_inert(struct wl_list *resources);
/** Removes a resource from its list: the destructor of resources without other state. */
void resource_unlink(struct wl_resource *resource);

/** Returns the client; never NULL for a connected one. */
static inline struct client *client_from_wl(struct wl_client *client)
{
	return wl_client_get_user_data(client);
}
/** Defined in client/client.c, as are the following functions. */
struct protocols *client_protocols(struct wl_client *client);
/** Returns the limit on the client's tasks (util/task.h). */
struct task_quota *client_task_quota(struct wl_client *client);
/** Makes the client share `quota` with others. Tasks that it has started stay in its own quota. */
void client_share_task_quota(struct wl_client *client, struct task_quota *quota);
/**
 * Creates a client for the connection `fd` and takes over `fd` and `process`. `facts` (enum
 * process_fact) were read from `process` or are unreadable; they will not be read again. Returns
 * NULL with errno set; `fd` then stays open and the caller's.
 */
struct wl_client *client_connect(
	struct protocols *protocols, int fd, struct process *process, unsigned facts);
/**
 * Returns true if facts about the peer of a connection can be read at any time; otherwise they must
 * be read immediately.
 */
bool client_is_pinned(struct protocols *protocols, int fd);
/**
 * Accepts clients on `fd`, a non-blocking listening socket that the caller keeps open until
 * client_listener_destroy(). Other programs must not share it; see client_listener_use_threads().
 *
 * `accepted` is called for each client before its first request is read, and with NULL as the last
 * call, after the socket was shut down; it may then destroy the listener. `accepted` may be NULL.
 * Returns NULL if `fd` cannot be watched. Defined in client/listener.c.
 */
struct client_listener *client_listener_create(struct protocols *protocols, int fd,
	void (*accepted)(void *data, struct wl_client *client), void *data);
/** Stops accepting clients. NULL is legal. */
void client_listener_destroy(struct client_listener *listener);
/**
 * Returns the client's process with the facts known so far, valid until the next call, or NULL if
 * unknown. Starts to read missing `facts` (enum process_fact): immediately if that cannot block,
 * otherwise on a thread, after which the client's GPU is chosen again.
 */
const struct process *client_process(struct client *client, unsigned facts);
/**
 * Returns the number of descriptors that may be queued in events to the client. Flushes the client
 * first if the number is high.
 */
int client_queued_descriptors(struct wl_client *client);
/**
 * Charges one descriptor to the client until it has been sent. Call this before each event that
 * carries a descriptor.
 */
void client_charge_queued_descriptor(struct wl_client *client);
/**
 * Charges an object to its client as a receiver until it is destroyed. Call this for objects to
 * each of which the same event is sent. Returns false if the client exceeds its limit; it is then
 * disconnected.
 */
bool client_charge_receiver(struct wl_resource *resource);
/**
 * Makes room for the announcement of all windows to a client that has just bound a list of them, in
 * addition to its usual queue of events.
 */
void client_expect_windows(struct wl_client *client, const struct shell *shell);
/**
 * Returns the path of the client's executable, valid as for client_process(), or NULL if unknown.
 */
const char *client_exe(struct client *client);

/**
 * Chooses the GPU that the client is told to render on, from the facts known now. May be called
 * again if more facts arrive before any global was announced to the client. Defined in
 * client/client_gpu.c.
 */
void client_gpu_decide(struct protocols *protocols, struct client *client);
/** Returns the process facts (enum process_fact) needed to choose a GPU. */
unsigned client_gpu_facts(const struct protocols *protocols);

/**
 * Warns, once per client, if `app_id` of its window matches a rule that would have had to match at
 * connection time.
 */
void client_gpu_named(struct protocols *protocols, struct client *client, const char *app_id);

/** Returns the surface of a wl_surface. */
static inline struct surface *surface_from_resource(struct wl_resource *resource)
{
	return wl_resource_get_user_data(resource);
}
/** Returns the wl_surface of a surface. */
static inline struct wl_resource *surface_resource(struct surface *surface)
{
	return surface->data;
}
/** Creates a surface and its wl_surface. Defined in surface/wl_surface.c. */
void surface_resource_create(
	struct protocols *protocols, struct wl_client *client, uint32_t version, uint32_t id);
/** Adds the statistics of `surface` to `totals`. Defined in control/accounting.c. */
void surface_totals_add(struct surface_totals *totals, const struct surface *surface);
/** Returns the region of a wl_region. Defined in surface/wl_region.c. */
const pixman_region32_t *region_from_resource(struct wl_resource *resource);
void region_resource_create(struct wl_client *client, uint32_t version, uint32_t id);
/** Returns the wp_viewport of a surface, or NULL. Defined in surface/viewporter.c. */
struct wl_resource *viewport_resource(struct surface *surface);
/**
 * Checks explicit synchronization before a commit: timeline points must be set exactly when a
 * buffer that supports them is attached. Returns false after a protocol error was posted. Defined
 * in buffer/linux_drm_syncobj.c.
 */
bool syncobj_check_commit(struct surface *surface);
/**
 * Returns the buffer of a wl_buffer of any kind, or NULL once its resource is destroyed. Defined in
 * buffer/wl_buffer.c.
 */
struct buffer *buffer_from_resource(struct wl_resource *resource);
/**
 * Creates a wl_buffer and takes over the producer's reference to `buffer`. Sends wl_buffer.release
 * when the last lock is removed, and drops the buffer when the resource is destroyed. Returns NULL
 * after posting no_memory.
 */
struct wl_resource *buffer_resource_create(
	struct wl_client *client, uint32_t id, struct buffer *buffer);
/**
 * Marks `buffer` as committed to a surface, so that its release will be sent. Buffers that are
 * attached without a commit are not released.
 */
void buffer_resource_committed(struct protocols *protocols, struct buffer *buffer);
/**
 * Posts an error to the buffer's client if memory of the buffer was found missing (e.g. a truncated
 * file). NULL is legal.
 */
void buffer_resource_check(struct buffer *buffer);
void buffer_watch_create(struct protocols *protocols);

/** Returns the output of a wl_output, or NULL once it is gone. Defined in output/wl_output.c. */
struct scene_output *output_from_resource(struct wl_resource *resource);
/** Calls `each` for every wl_output that the client has bound for this output. */
void output_for_each_resource(struct scene_output *output, struct wl_client *client,
	void (*each)(struct wl_resource *resource, void *data), void *data);

/**
 * Return the seat of a wl_seat or wl_pointer, or NULL once it is gone. Defined in
 * input/wl_seat.c.
 */
struct seat *seat_from_resource(struct wl_resource *resource); /* wl_seat */
struct seat *seat_from_pointer_resource(struct wl_resource *resource); /* wl_pointer */
/**
 * Returns the tool of a zwp_tablet_tool_v2, or NULL once it is gone. Defined in
 * input/tablet_tool.c.
 */
struct seat_tool *tool_from_resource(struct wl_resource *resource);
/**
 * Returns true if `serial` belongs to the tool's latest proximity_in and the tool is still in
 * proximity.
 */
bool tool_may_set_cursor(struct wl_resource *resource, uint32_t serial);

/**
 * Leaves the compositor's shortcuts to `client` while any of its surfaces has the keyboard, unless
 * the user takes them back. Returns the client's only inhibitor. Each call needs a
 * shortcuts_release() before the client's end. Defined in input/keyboard_shortcuts_inhibit.c.
 */
struct inhibitor *shortcuts_inhibit(struct protocols *protocols, struct client *client);
void shortcuts_release(struct inhibitor *inhibitor);

/**
 * Returns true if the surface is an input method popup or belongs to its tree. Defined in
 * input/input_popup.c.
 */
bool surface_is_input_popup(struct surface *surface);

/**
 * Sets the parent of a popup that was created without one (layer-shell). `layer` NULL: the layer
 * surface is closed, and so the popup is dismissed. Returns false if the popup already has a parent
 * or was committed without one. Defined in xdg/xdg_popup.c.
 */
bool popup_set_layer_parent(struct wl_resource *xdg_popup, struct layer *layer);

/** Returns the window of an xdg_toplevel, or NULL if inert. Defined in xdg/xdg_toplevel.c. */
struct window *window_from_toplevel_resource(struct wl_resource *resource);

/**
 * Returns the window of an ext_foreign_toplevel_handle_v1, or NULL if inert. Defined in
 * toplevel/ext_foreign_toplevel_list.c.
 */
struct window *window_from_foreign_handle(struct wl_resource *resource);

void client_tracking_create(struct protocols *protocols);
/**
 * Creates the flush queue, which lives until protocols.events.destroy. Must precede the first
 * client. Defined in client/flush_queue.c.
 */
struct flush_queue *flush_queue_create(struct protocols *protocols);
/**
 * Flushes pending events. Clients with full sockets are retried when writable; disconnected ones
 * are destroyed.
 */
void flush_queue_flush(struct flush_queue *flush_queue);
void client_gpus_create(struct protocols *protocols);
