/* SPDX-License-Identifier: MIT */
/* All X servers of a session: which program gets which, and what they are told of their children. */

#include "cookie.h"
#include "gpu/gpu.h"
#include "server.h"
#include "surface/client.h"
#include "util/log.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include "xwayland/servers.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_installed(const char *name)
{
	const char *folders = getenv("PATH");
	char *all = xstrdup(folders ? folders : "/usr/local/bin:/usr/bin:/bin"), *rest = NULL;
	bool found = false;
	for (char *folder = strtok_r(all, ":", &rest); folder && !found;
		folder = strtok_r(NULL, ":", &rest)) {
		char *path = xasprintf("%s/%s", folder, name);
		found = access(path, X_OK) == 0;
		free(path);
	}
	free(all);
	return found;
}

struct xwayland *xwayland_create(const struct xwayland_options *options, char **error)
{
	if (!is_installed("Xwayland")) {
		*error = xstrdup("Xwayland is not installed (package xwayland)");
		return NULL;
	}
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	if (runtime) {
		x_cookie_clean(runtime);
	}
	struct xwayland *xwayland = xcalloc(1, sizeof(*xwayland));
	xwayland->options = *options;
	xwayland->options.folder = options->folder ? options->folder : "/tmp";
	wl_list_init(&xwayland->servers);
	if (!x_server_create(xwayland, NULL, false, error)) {
		free(xwayland);
		return NULL;
	}
	return xwayland;
}

void xwayland_destroy(struct xwayland *xwayland)
{
	if (!xwayland) {
		return;
	}
	struct xwayland_server *server, *next;
	wl_list_for_each_safe (server, next, &xwayland->servers, link) {
		x_server_destroy(x_server_from_base(server));
	}
	free(xwayland);
}

static void set_scale(struct xwayland *xwayland, struct xwayland_server *server, double scale)
{
	server->scale = scale;
	if (server->client) {
		server->client->density = scale;
	}
	if (server->wm) {
		xwayland->options.wm->scaled(server->wm);
	}
}

void xwayland_configure(struct xwayland *xwayland, const struct xwayland_settings *settings)
{
	struct xwayland_server *server;
	xwayland->options.settings = *settings;
	wl_list_for_each (server, &xwayland->servers, link) {
		x_server_choose_gpu(x_server_from_base(server));
		if (server->scale != settings->scale) {
			set_scale(xwayland, server, settings->scale);
		}
	}
}

const struct wl_list *xwayland_servers(const struct xwayland *xwayland)
{
	return &xwayland->servers;
}

static struct xwayland_server *find_default(struct xwayland *xwayland)
{
	struct xwayland_server *server = wl_container_of(xwayland->servers.next, server, link);
	return server;
}

static struct xwayland_server *create(
	struct xwayland *xwayland, struct gpu *gpu, bool own, char **error)
{
	if (xwayland->n_servers >= XWAYLAND_SERVERS_MAX) {
		*error = xasprintf(
			"there are %d X servers, which is the limit", xwayland->n_servers);
		return NULL;
	}
	struct x_server *server = x_server_create(xwayland, gpu, own, error);
	return server ? &server->base : NULL;
}

/**
 * Returns an idle server without a GPU that needs it, or NULL: a GPU that is plugged in again is a
 * new one, and the default GPU has the default server.
 */
static struct xwayland_server *find_unused(struct xwayland *xwayland)
{
	const struct xwayland_server *first = find_default(xwayland);
	struct xwayland_server *server;
	wl_list_for_each (server, &xwayland->servers, link) {
		if (server != first && !server->own &&
			x_server_from_base(server)->state == X_SERVER_IDLE &&
			(!server->gpu || server->gpu->gone || server->gpu == first->gpu)) {
			return server;
		}
	}
	return NULL;
}

struct xwayland_server *xwayland_server_for_gpu(struct xwayland *xwayland, struct gpu *gpu)
{
	x_server_choose_gpu(x_server_from_base(find_default(xwayland)));
	if (!gpu || !xwayland->options.settings.per_gpu || gpu == find_default(xwayland)->gpu) {
		return find_default(xwayland);
	}
	struct xwayland_server *server;
	wl_list_for_each (server, &xwayland->servers, link) {
		if (!server->own && server->gpu == gpu && server != find_default(xwayland)) {
			return server;
		}
	}
	server = find_unused(xwayland);
	if (server) {
		server->gpu = gpu;
		return server;
	}
	char *error = NULL;
	server = create(xwayland, gpu, false, &error);
	if (!server) {
		log_warn("the default X server is used: %s", error);
		free(error);
		return find_default(xwayland);
	}
	return server;
}

struct xwayland_server *xwayland_server_create_own(
	struct xwayland *xwayland, struct gpu *gpu, char **error)
{
	return create(xwayland, gpu, true, error);
}

void xwayland_server_set_program(struct xwayland_server *base, pid_t pid)
{
	struct x_server *server = x_server_from_base(base);
	server->program = pid < 0 ? -1 : pid;
	if (pid < 0 && server->state == X_SERVER_IDLE) {
		x_server_destroy(server);
	}
}

char **xwayland_server_environment(const struct xwayland_server *base)
{
	if (!base) {
		return strings_add(strings_add(NULL, xstrdup("DISPLAY")), xstrdup("XAUTHORITY"));
	}
	const struct x_server *server = x_server_from_base((struct xwayland_server *)base);
	char **environment = strings_add(NULL, xasprintf("DISPLAY=:%d", base->display));
	environment = strings_add(environment, xasprintf("XAUTHORITY=%s", server->cookie_path));
	/* Java draws nothing into a window before it gets a parent of the window manager. */
	return strings_add(environment, xstrdup("_JAVA_AWT_WM_NONREPARENTING=1"));
}

void xwayland_child_ended(struct xwayland *xwayland, pid_t pid, int code)
{
	struct xwayland_server *base, *next;
	wl_list_for_each_safe (base, next, &xwayland->servers, link) {
		struct x_server *server = x_server_from_base(base);
		if (base->pid == pid) {
			x_server_handle_end(server, code);
			return;
		}
		if (server->program == pid) {
			x_server_handle_program_end(server);
			return;
		}
	}
}

struct surface *xwayland_server_find_surface(const struct xwayland_server *server, uint32_t id)
{
	const struct xwayland_host *host =
		x_server_from_base((struct xwayland_server *)server)->xwayland->options.host;
	return server->wl_client ? host->find_surface(server->wl_client, id) : NULL;
}

struct surface *xwayland_server_find_serial(const struct xwayland_server *server, uint64_t serial)
{
	const struct xwayland_host *host =
		x_server_from_base((struct xwayland_server *)server)->xwayland->options.host;
	return server->wl_client ? host->find_serial(server->wl_client, serial) : NULL;
}

const struct surface_role *xwayland_server_role(const struct xwayland_server *server)
{
	const struct xwayland_wm_impl *wm =
		x_server_from_base((struct xwayland_server *)server)->xwayland->options.wm;
	return wm ? wm->role : NULL;
}

void xwayland_server_add_surface(struct xwayland_server *base, struct surface *surface, uint32_t id)
{
	if (base->wm) {
		x_server_from_base(base)->xwayland->options.wm->new_surface(base->wm, surface, id);
	}
}

void xwayland_server_set_serial(
	struct xwayland_server *base, struct surface *surface, uint64_t serial)
{
	if (base->wm) {
		x_server_from_base(base)->xwayland->options.wm->surface_with_serial(
			base->wm, surface, serial);
	}
}
