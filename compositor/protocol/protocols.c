/* All protocols together: the list of globals, and who sees which. */

#include "causeway-control-v1-protocol.h"
#include "entrance.h"
#include "linux-dmabuf-v1-protocol.h"
#include "protocol.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include "wl-drm-protocol.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/**
 * The one table of privileged globals: what could watch or steer other programs. Clients that came
 * through a security context see none of them.
 */
static const char *const privileged[] = {
	"ext_data_control_manager_v1",
	"ext_foreign_toplevel_image_capture_source_manager_v1",
	"ext_foreign_toplevel_list_v1",
	"ext_image_copy_capture_manager_v1",
	"ext_output_image_capture_source_manager_v1",
	"ext_session_lock_manager_v1",
	"wp_drm_lease_device_v1",
	"wp_security_context_manager_v1", /* contexts do not nest */
	"zwlr_data_control_manager_v1",
	"zwlr_foreign_toplevel_manager_v1",
	"zwlr_gamma_control_manager_v1",
	"zwlr_layer_shell_v1",
	"zwlr_output_manager_v1",
	"zwlr_output_power_manager_v1",
	"zwlr_screencopy_manager_v1",
	"zwlr_virtual_pointer_manager_v1",
	"zwp_input_method_manager_v2",
	"zwp_virtual_keyboard_manager_v1",
};

/** The first in which linux-dmabuf names a device. */
#define LINUX_DMABUF_FEEDBACK_VERSION 4

/** ns that a client has to hear that a global is gone. */
#define REMOVAL_GRACE INT64_C(5000000000)

struct global {
	struct wl_list link; /* protocols.globals */
	struct wl_global *global;
	struct timer removal;
};

static bool is_privileged(const struct wl_interface *interface)
{
	for (size_t i = 0; i < sizeof(privileged) / sizeof(privileged[0]); i++) {
		if (strcmp(privileged[i], interface->name) == 0) {
			return true;
		}
	}
	return false;
}

/** Some globals name a GPU: they are for those who have one, and have a counterpart for the others. */
static bool suits_gpu(const struct client *client, const struct wl_global *global,
	const struct wl_interface *interface)
{
	if (interface == &zwp_linux_dmabuf_v1_interface) {
		bool feedback = wl_global_get_version(global) >= LINUX_DMABUF_FEEDBACK_VERSION;
		return feedback == client->sees_feedback;
	}
	return interface != &wl_drm_interface || client->sees_node;
}

/* Asked for each global when a client connects. */
static bool filter_global(
	const struct wl_client *wl_client, const struct wl_global *global, void *data)
{
	const struct wl_interface *interface = wl_global_get_interface(global);
	const struct client *client = client_from_wl((struct wl_client *)wl_client);
	/* It is spoken on a socket of its own, and nothing else is spoken there. */
	bool control = interface == &causeway_control_v1_interface;
	if (client->control || control) {
		return client->control && control;
	}
	return (!client->sandboxed || !is_privileged(interface)) &&
	       suits_gpu(client, global, interface);
}

static void destroy_global(struct global *entry)
{
	timer_finish(&entry->removal);
	wl_list_remove(&entry->link);
	wl_global_destroy(entry->global);
	free(entry);
}

static void handle_removal(struct timer *timer, int64_t now)
{
	struct global *entry = wl_container_of(timer, entry, removal);
	destroy_global(entry);
}

struct wl_global *protocols_add_global(struct protocols *protocols,
	const struct wl_interface *interface, int version, void *data, wl_global_bind_func_t bind,
	enum global_privilege privilege)
{
	assert((privilege == GLOBAL_PRIVILEGED) == is_privileged(interface));
	struct global *entry = xcalloc(1, sizeof(*entry));
	timer_init(&entry->removal, protocols->server->clock, handle_removal);
	wl_list_insert(protocols->globals.prev, &entry->link);
	entry->global = wl_global_create(protocols->display, interface, version, data, bind);
	if (!entry->global) {
		abort(); /* out of memory, or a version that the interface does not have */
	}
	return entry->global;
}

void protocols_remove_global(struct protocols *protocols, struct wl_global *global)
{
	struct global *entry;
	wl_list_for_each (entry, &protocols->globals, link) {
		if (entry->global == global) {
			wl_global_remove(global);
			wl_global_set_user_data(global, NULL);
			timer_arm(&entry->removal,
				clock_now(protocols->server->clock) + REMOVAL_GRACE);
			return;
		}
	}
	assert(!"a global that protocols_add_global() made");
}

void protocols_flush(struct protocols *protocols)
{
	outbox_flush(protocols->outbox);
}

/** In the order in which clients see the globals. */
static void create_all(struct protocols *protocols)
{
	protocols->outbox = outbox_create(protocols);
	client_tracking_create(protocols);
	client_gpus_create(protocols);
	wl_compositor_create(protocols);
	wl_subcompositor_create(protocols);
	wl_shm_create(protocols);
	linux_dmabuf_create(protocols);
	linux_drm_syncobj_create(protocols);
	wl_output_create(protocols);
	viewporter_create(protocols);
	fractional_scale_create(protocols);
	single_pixel_buffer_create(protocols);
	presentation_create(protocols);
	alpha_modifier_create(protocols);
	color_representation_create(protocols);
	content_type_create(protocols);
	fifo_create(protocols);
	commit_timing_create(protocols);
	tearing_control_create(protocols);
	xdg_output_create(protocols);
	wl_seat_create(protocols);
	selections_create(protocols);
	wl_data_device_create(protocols);
	primary_selection_create(protocols);
	data_control_create(protocols);
	cursor_shape_create(protocols);
	pointer_constraints_create(protocols);
	pointer_gestures_create(protocols);
	relative_pointer_create(protocols);
	tablet_create(protocols);
	keyboard_shortcuts_inhibit_create(protocols);
	wlr_virtual_pointer_create(protocols);
	virtual_keyboard_create(protocols);
	text_input_create(protocols);
	input_method_create(protocols);
	xdg_shell_create(protocols);
	xdg_decoration_create(protocols);
	xdg_activation_create(protocols);
	wlr_layer_shell_create(protocols);
	foreign_toplevel_list_create(protocols);
	wlr_foreign_toplevel_create(protocols);
	image_capture_source_create(protocols);
	image_copy_capture_create(protocols);
	wlr_screencopy_create(protocols);
	idle_inhibit_create(protocols, idle_notify_create(protocols));
	wlr_output_management_create(protocols);
	wlr_output_power_create(protocols);
	wlr_gamma_control_create(protocols);
	drm_lease_protocol_create(protocols);
	session_lock_create(protocols);
	security_context_create(protocols);
	control_create(protocols);
}

struct protocols *protocols_create(struct server *server)
{
	struct protocols *protocols = xcalloc(1, sizeof(*protocols));
	protocols->server = server;
	protocols->display = server->display;
	wl_list_init(&protocols->globals);
	wl_signal_init(&protocols->events.destroy);
	wl_signal_init(&protocols->events.new_surface);
	wl_signal_init(&protocols->events.rules_changed);
	wl_signal_init(&protocols->events.client_gpu);
	create_all(protocols);
	wl_display_set_global_filter(server->display, filter_global, protocols);
	return protocols;
}

bool protocols_listen(struct protocols *protocols, int fd)
{
	protocols->entrance = entrance_create(protocols, fd, NULL, NULL);
	return protocols->entrance;
}

void protocols_destroy(struct protocols *protocols)
{
	if (!protocols) {
		return;
	}
	protocols->ending = true;
	entrance_destroy(protocols->entrance);
	wl_display_destroy_clients(protocols->display);
	signal_emit(&protocols->events.destroy, protocols);
	assert(wl_list_empty(&protocols->events.destroy.listener_list));
	assert(wl_list_empty(&protocols->events.new_surface.listener_list));
	assert(wl_list_empty(&protocols->events.rules_changed.listener_list));
	assert(wl_list_empty(&protocols->events.client_gpu.listener_list));
	struct global *entry, *next;
	wl_list_for_each_safe (entry, next, &protocols->globals, link) {
		destroy_global(entry);
	}
	free(protocols);
}
