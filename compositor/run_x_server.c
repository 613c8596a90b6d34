/* SPDX-License-Identifier: MIT */
/* The session of a running Causeway, and the X server of a GPU there, by its control socket. */

#include "run_x_server.h"
#include "causeway-control-v1-client-protocol.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <wayland-client.h>

/* As server/programs.c sets it. */
#define CURRENT_DESKTOP "Causeway:wlroots"

/** Sets the address of the control socket. Returns false outside of a session. */
static bool find_session(struct sockaddr_un *address)
{
	const char *folder = getenv("XDG_RUNTIME_DIR"), *display = getenv("WAYLAND_DISPLAY");
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (!folder || !display || !*display) {
		return false;
	}
	const char *slash = strrchr(display, '/');
	const int length = snprintf(address->sun_path, sizeof(address->sun_path),
		"%s/causeway-%s.ctl", folder, slash ? slash + 1 : display);
	return length < (int)sizeof(address->sun_path) && access(address->sun_path, W_OK) == 0;
}

/** Returns a descriptor, or -1 outside of a session. */
static int connect_to_session(void)
{
	struct sockaddr_un address;
	if (!find_session(&address)) {
		return -1;
	}
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct causeway_control_v1 **control = data;
	const uint32_t needed = CAUSEWAY_CONTROL_V1_GET_X_SERVER_SINCE_VERSION;
	if (strcmp(interface, causeway_control_v1_interface.name) == 0 && version >= needed) {
		*control = wl_registry_bind(registry, name, &causeway_control_v1_interface, needed);
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static void handle_ok(void *data, struct causeway_result_v1 *result, const char *message)
{
	char *lines = strdup(message), *rest = NULL;
	for (char *line = lines ? strtok_r(lines, "\n", &rest) : NULL; line;
		line = strtok_r(NULL, "\n", &rest)) {
		char *equals = strchr(line, '=');
		if (equals) {
			*equals = '\0';
			setenv(line, equals + 1, 1);
		} else {
			unsetenv(line);
		}
	}
	free(lines);
	*(bool *)data = true;
}

static void handle_failed(void *data, struct causeway_result_v1 *result, const char *message)
{
	fprintf(stderr, "causeway-run: X server: %s\n", message);
	*(bool *)data = true;
}

static const struct causeway_result_v1_listener result_listener = {
	.ok = handle_ok,
	.failed = handle_failed,
};

static void ask(struct wl_display *display, struct causeway_control_v1 *control, const char *gpu)
{
	bool done = false;
	struct causeway_result_v1 *result = causeway_control_v1_get_x_server(control, gpu);
	causeway_result_v1_add_listener(result, &result_listener, &done);
	while (!done && wl_display_dispatch(display) >= 0) {
		/* the answer follows */
	}
	causeway_result_v1_destroy(result);
}

void run_choose_x_server(const char *gpu)
{
	const char *x_display = getenv("DISPLAY");
	const bool remote = x_display && *x_display && *x_display != ':';
	int fd = remote ? -1 : connect_to_session();
	struct wl_display *display = fd >= 0 ? wl_display_connect_to_fd(fd) : NULL;
	if (!display) {
		return;
	}
	struct causeway_control_v1 *control = NULL;
	struct wl_registry *registry = wl_display_get_registry(display);
	wl_registry_add_listener(registry, &registry_listener, &control);
	wl_display_roundtrip(display);
	wl_registry_destroy(registry);
	if (control) {
		ask(display, control, gpu);
		causeway_control_v1_destroy(control);
		wl_display_flush(display);
	}
	wl_display_disconnect(display);
}

void run_join_session(void)
{
	struct sockaddr_un address;
	const char *token = getenv("XDG_ACTIVATION_TOKEN"), *id = getenv("DESKTOP_STARTUP_ID");
	if (!find_session(&address)) {
		return;
	}
	setenv("XDG_CURRENT_DESKTOP", CURRENT_DESKTOP, 0);
	setenv("XDG_SESSION_TYPE", "wayland", 0);
	/* Launchers on X11 make ids with a time stamp, which are newer than an inherited token. */
	if (token && !(id && strstr(id, "_TIME"))) {
		setenv("DESKTOP_STARTUP_ID", token, 1);
	}
}
