/* Finding the control socket of a running Causeway, and the global on it. */

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

/** Connected, or -1 with errno set. */
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

/** The session that this was started in. */
static int connect_to_own(const char *folder, const char *display)
{
	char path[256];
	const char *slash = strrchr(display, '/');
	int length = snprintf(
		path, sizeof(path), "%s/causeway-%s.ctl", folder, slash ? slash + 1 : display);
	return length < (int)sizeof(path) ? connect_to(path) : -1;
}

/** The only one of this user that answers. */
static int connect_to_only(const char *folder)
{
	char pattern[256];
	glob_t found;
	int fd = -1, n = 0;
	snprintf(pattern, sizeof(pattern), "%s/causeway-*.ctl", folder);
	if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0) {
		fprintf(stderr, "causewayctl: no Causeway is running: there is no %s\n", pattern);
		return -1;
	}
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int other = connect_to(found.gl_pathv[i]);
		if (other >= 0 && n++ > 0) {
			close(other);
		} else if (other >= 0) {
			fd = other;
		}
	}
	globfree(&found);
	if (n > 1) {
		fprintf(stderr,
			"causewayctl: %d of them are running: set WAYLAND_DISPLAY to the "
			"display of one\n",
			n);
		close(fd);
		return -1;
	}
	if (n == 0) {
		fprintf(stderr, "causewayctl: no Causeway answers at %s\n", pattern);
	}
	return fd;
}

static int find_socket(void)
{
	const char *folder = getenv("XDG_RUNTIME_DIR"), *display = getenv("WAYLAND_DISPLAY");
	if (!folder) {
		fputs("causewayctl: XDG_RUNTIME_DIR is not set: the socket would be there\n",
			stderr);
		return -1;
	}
	int fd = display && *display ? connect_to_own(folder, display) : -1;
	return fd >= 0 ? fd : connect_to_only(folder);
}

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct connection *connection = data;
	if (strcmp(interface, causeway_control_v1_interface.name) == 0) {
		connection->control = wl_registry_bind(
			registry, name, &causeway_control_v1_interface, version < 3 ? version : 3);
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

bool connection_open(struct connection *connection)
{
	*connection = (struct connection){0};
	int fd = find_socket();
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
		fputs("causewayctl: the compositor does not let itself be controlled\n", stderr);
		connection_close(connection);
		return false;
	}
	return true;
}

void connection_close(struct connection *connection)
{
	if (connection->control) {
		causeway_control_v1_destroy(connection->control);
	}
	wl_display_disconnect(connection->display);
}
