/* SPDX-License-Identifier: MIT */
/* Connection to the control socket of a running Causeway. */

#include "connection.h"
#include "causeway-control-v1-client-protocol.h"
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <wayland-client.h>

/** Connects to a socket. Returns a descriptor, or -1 with errno set. */
static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(address.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/** Prints the displays of this user's running sessions. */
static void name_sessions(const char *folder)
{
	static const char prefix[] = "causeway-", suffix[] = ".ctl";
	char pattern[256];
	glob_t found = {0};
	int n = 0;
	snprintf(pattern, sizeof(pattern), "%s/%s*%s", folder, prefix, suffix);
	if (glob(pattern, 0, NULL, &found) != 0) {
		found.gl_pathc = 0;
	}
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = strrchr(found.gl_pathv[i], '/') + strlen("/") + strlen(prefix);
		int fd = connect_to(found.gl_pathv[i]);
		if (fd >= 0) {
			close(fd);
			fprintf(stderr, "%s %.*s", n++ ? "," : "causewayctl: running sessions:",
				(int)(strlen(name) - strlen(suffix)), name);
		}
	}
	globfree(&found);
	fputs(n ? "; choose one with --display=NAME\n"
		: "causewayctl: no session of Causeway is running\n",
		stderr);
}

/**
 * Connects to the session of `display` only. Returns a descriptor, or -1 after printing an error.
 */
static int find_socket(const char *display)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	if (!folder) {
		fputs("causewayctl: XDG_RUNTIME_DIR, the directory of the control socket, is not "
		      "set\n",
			stderr);
		return -1;
	}
	if (!display) {
		display = getenv("WAYLAND_DISPLAY");
	}
	if (!display || !*display) {
		fputs("causewayctl: WAYLAND_DISPLAY, which names the session, is not set\n",
			stderr);
		name_sessions(folder);
		return -1;
	}
	char path[256];
	const char *slash = strrchr(display, '/');
	int length = snprintf(
		path, sizeof(path), "%s/causeway-%s.ctl", folder, slash ? slash + 1 : display);
	int fd = length < (int)sizeof(path) ? connect_to(path) : -1;
	if (fd < 0) {
		fprintf(stderr, "causewayctl: Causeway is not running on the display %s\n",
			display);
		name_sessions(folder);
	}
	return fd;
}

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct connection *connection = data;
	if (strcmp(interface, causeway_control_v1_interface.name) == 0) {
		const uint32_t newest = (uint32_t)causeway_control_v1_interface.version;
		connection->control = wl_registry_bind(registry, name,
			&causeway_control_v1_interface, version < newest ? version : newest);
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

bool connection_open(struct connection *connection, const char *display)
{
	*connection = (struct connection){0};
	int fd = find_socket(display);
	if (fd < 0) {
		return false;
	}
	connection->display = wl_display_connect_to_fd(fd);
	if (!connection->display) {
		fputs("causewayctl: out of memory\n", stderr);
		close(fd);
		return false;
	}
	struct wl_registry *registry = wl_display_get_registry(connection->display);
	wl_registry_add_listener(registry, &registry_listener, connection);
	wl_display_roundtrip(connection->display);
	wl_registry_destroy(registry);
	if (!connection->control) {
		fputs("causewayctl: the compositor lacks the control protocol\n", stderr);
		connection_close(connection);
		return false;
	}
	return true;
}

bool connection_supports(const struct connection *connection, uint32_t version)
{
	if (causeway_control_v1_get_version(connection->control) >= version) {
		return true;
	}
	fputs("causewayctl: the running Causeway is too old for this command\n", stderr);
	return false;
}

int connection_lost(void)
{
	fputs("causewayctl: the connection ended before the reply\n", stderr);
	return EXIT_FAILURE;
}

void connection_close(struct connection *connection)
{
	if (connection->control) {
		causeway_control_v1_destroy(connection->control);
	}
	wl_display_disconnect(connection->display);
}
