/* SPDX-License-Identifier: MIT */
/* Objects that cannot be created: the client is told, and the others stay. */

#include "content-type-v1-client-protocol.h"
#include "fifo-v1-client-protocol.h"
#include "harness/peer.h"
#include "viewporter-client-protocol.h"
#include "virtual-keyboard-unstable-v1-client-protocol.h"
#include "wlr-virtual-pointer-unstable-v1-client-protocol.h"
#include "xdg-foreign-unstable-v2-client-protocol.h"
#include <errno.h>
#include <string.h>
#include <wayland-server-core.h>

/* Name of the interface of which no object can be created; NULL: none. */
static const char *refused;
static int n_refused;

struct wl_resource *__real_wl_resource_create(
	struct wl_client *client, const struct wl_interface *interface, int version, uint32_t id);
struct wl_resource *__wrap_wl_resource_create(
	struct wl_client *client, const struct wl_interface *interface, int version, uint32_t id);

struct wl_resource *__wrap_wl_resource_create(
	struct wl_client *client, const struct wl_interface *interface, int version, uint32_t id)
{
	if (refused && strcmp(interface->name, refused) == 0) {
		n_refused++;
		errno = ENOMEM;
		return NULL;
	}
	return __real_wl_resource_create(client, interface, version, id);
}

static void virtual_keyboard(struct peer *peer, struct peer_window *window)
{
	zwp_virtual_keyboard_manager_v1_create_virtual_keyboard(
		peer_bind(peer, &zwp_virtual_keyboard_manager_v1_interface, 0), peer->seat);
}

static void virtual_pointer(struct peer *peer, struct peer_window *window)
{
	zwlr_virtual_pointer_manager_v1_create_virtual_pointer(
		peer_bind(peer, &zwlr_virtual_pointer_manager_v1_interface, 0), NULL);
}

static void exported(struct peer *peer, struct peer_window *window)
{
	zxdg_exporter_v2_export_toplevel(
		peer_bind(peer, &zxdg_exporter_v2_interface, 0), window->surface);
}

static void imported(struct peer *peer, struct peer_window *window)
{
	zxdg_importer_v2_import_toplevel(
		peer_bind(peer, &zxdg_importer_v2_interface, 0), "unknown");
}

static void surface(struct peer *peer, struct peer_window *window)
{
	wl_compositor_create_surface(peer->compositor);
}

static void region(struct peer *peer, struct peer_window *window)
{
	wl_compositor_create_region(peer->compositor);
}

static void subsurface(struct peer *peer, struct peer_window *window)
{
	peer_subsurface(
		peer, wl_compositor_create_surface(peer->compositor), window->surface, 0, 0);
}

static void callback(struct peer *peer, struct peer_window *window)
{
	wl_surface_frame(window->surface);
}

static void xdg_surface(struct peer *peer, struct peer_window *window)
{
	xdg_wm_base_get_xdg_surface(peer->wm_base, wl_compositor_create_surface(peer->compositor));
}

static void xdg_toplevel(struct peer *peer, struct peer_window *window)
{
	xdg_surface_get_toplevel(xdg_wm_base_get_xdg_surface(
		peer->wm_base, wl_compositor_create_surface(peer->compositor)));
}

static void positioner(struct peer *peer, struct peer_window *window)
{
	xdg_wm_base_create_positioner(peer->wm_base);
}

static void viewport(struct peer *peer, struct peer_window *window)
{
	wp_viewporter_get_viewport(peer_bind(peer, &wp_viewporter_interface, 0), window->surface);
}

static void content_type(struct peer *peer, struct peer_window *window)
{
	wp_content_type_manager_v1_get_surface_content_type(
		peer_bind(peer, &wp_content_type_manager_v1_interface, 0), window->surface);
}

static void fifo(struct peer *peer, struct peer_window *window)
{
	wp_fifo_manager_v1_get_fifo(
		peer_bind(peer, &wp_fifo_manager_v1_interface, 0), window->surface);
}

static void data_source(struct peer *peer, struct peer_window *window)
{
	wl_data_device_manager_create_data_source(
		peer_bind(peer, &wl_data_device_manager_interface, 0));
}

static void global(struct peer *peer, struct peer_window *window)
{
	peer_bind(peer, &wl_data_device_manager_interface, 0);
}

static void refused_object_disconnects_its_client_only(void **state)
{
	static const struct {
		const char *interface;
		void (*request)(struct peer *peer, struct peer_window *window);
	} cases[] = {
		{"zwp_virtual_keyboard_v1", virtual_keyboard},
		{"zwlr_virtual_pointer_v1", virtual_pointer},
		{"zxdg_exported_v2", exported},
		{"zxdg_imported_v2", imported},
		{"wl_surface", surface},
		{"wl_region", region},
		{"wl_subsurface", subsurface},
		{"wl_callback", callback},
		{"xdg_surface", xdg_surface},
		{"xdg_toplevel", xdg_toplevel},
		{"xdg_positioner", positioner},
		{"wp_viewport", viewport},
		{"wp_content_type_v1", content_type},
		{"wp_fifo_v1", fifo},
		{"wl_data_source", data_source},
		{"wl_data_device_manager", global},
	};
	struct fixture *fixture = fixture_create(NULL);
	struct peer *bystander = peer_create(fixture);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct peer *peer = peer_create(fixture);
		struct peer_window *window = peer_window_create(peer, 0, 0, 40, 30, 0xff00ff00);
		fixture_settle(fixture);
		n_refused = 0;
		refused = cases[i].interface;
		cases[i].request(peer, window);
		fixture_pump(fixture);
		refused = NULL;
		if (n_refused == 0 || peer->client ||
			wl_display_get_error(peer->display) != ENOMEM) {
			fail_msg("%s: refused %d times, %s", cases[i].interface, n_refused,
				peer->client ? "still connected" : "another error");
		}
		peer_destroy(peer);
		assert_true(peer_alive(bystander));
	}
	fixture_destroy(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_object_disconnects_its_client_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
