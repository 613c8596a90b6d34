/* SPDX-License-Identifier: MIT */
/*
 * Client that leases a connector and shows one color on it: lease-client NAME. Prints the lines
 * "lent", "shown" and "finished". After SIGUSR1, it closes the lessee's descriptor and stays
 * connected.
 */

#include "drm-lease-v1-client-protocol.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#define COLOR 0xff204080

struct client {
	struct wl_display *display;
	struct wp_drm_lease_device_v1 *device;
	const char *name;
	int fd; /* descriptor of the lessee; -1: none */
};

static volatile sig_atomic_t wants_close;

static void handle_signal(int number)
{
	wants_close = 1;
}

static void say(const char *word)
{
	printf("%s\n", word);
	fflush(stdout);
}

static uint32_t make_framebuffer(int fd, uint32_t width, uint32_t height)
{
	struct drm_mode_create_dumb create = {.width = width, .height = height, .bpp = 32};
	struct drm_mode_map_dumb map = {0};
	uint32_t id = 0;
	if (drmIoctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &create) != 0) {
		return 0;
	}
	map.handle = create.handle;
	if (drmIoctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &map) != 0) {
		return 0;
	}
	uint32_t *pixels =
		mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)map.offset);
	if (pixels == MAP_FAILED) {
		return 0;
	}
	for (size_t i = 0; i < create.size / 4; i++) {
		pixels[i] = COLOR;
	}
	munmap(pixels, create.size);
	return drmModeAddFB(fd, width, height, 24, 32, create.pitch, create.handle, &id) == 0 ? id
											      : 0;
}

/* The lessee sees one connector and one CRTC. */
static bool show(int fd)
{
	drmModeRes *resources = drmModeGetResources(fd);
	if (!resources || resources->count_connectors != 1 || resources->count_crtcs != 1) {
		return false;
	}
	drmModeConnector *connector = drmModeGetConnector(fd, resources->connectors[0]);
	if (!connector || connector->count_modes == 0) {
		return false;
	}
	drmModeModeInfo *mode = &connector->modes[0];
	uint32_t framebuffer = make_framebuffer(fd, mode->hdisplay, mode->vdisplay);
	bool done = framebuffer && drmModeSetCrtc(fd, resources->crtcs[0], framebuffer, 0, 0,
					   &resources->connectors[0], 1, mode) == 0;
	drmModeFreeConnector(connector);
	drmModeFreeResources(resources);
	return done;
}

static void handle_lease_fd(void *data, struct wp_drm_lease_v1 *lease, int32_t fd)
{
	struct client *client = data;
	client->fd = fd;
	say("lent");
	say(show(fd) ? "shown" : "not shown");
}

static void handle_finished(void *data, struct wp_drm_lease_v1 *lease)
{
	say("finished");
}

static const struct wp_drm_lease_v1_listener lease_listener = {
	.lease_fd = handle_lease_fd,
	.finished = handle_finished,
};

static void handle_name(void *data, struct wp_drm_lease_connector_v1 *connector, const char *name)
{
	struct client *client = data;
	if (strcmp(name, client->name) != 0 || client->fd >= 0) {
		return;
	}
	struct wp_drm_lease_request_v1 *request =
		wp_drm_lease_device_v1_create_lease_request(client->device);
	wp_drm_lease_request_v1_request_connector(request, connector);
	struct wp_drm_lease_v1 *lease = wp_drm_lease_request_v1_submit(request);
	wp_drm_lease_v1_add_listener(lease, &lease_listener, client);
}

static void handle_text(void *data, struct wp_drm_lease_connector_v1 *connector, const char *text)
{
}

static void handle_number(void *data, struct wp_drm_lease_connector_v1 *connector, uint32_t number)
{
}

static void handle_event(void *data, struct wp_drm_lease_connector_v1 *connector)
{
}

static const struct wp_drm_lease_connector_v1_listener connector_listener = {
	.name = handle_name,
	.description = handle_text,
	.connector_id = handle_number,
	.done = handle_event,
	.withdrawn = handle_event,
};

static void handle_drm_fd(void *data, struct wp_drm_lease_device_v1 *device, int32_t fd)
{
	if (drmIsMaster(fd)) {
		say("master");
	}
	close(fd);
}

static void handle_connector(void *data, struct wp_drm_lease_device_v1 *device,
	struct wp_drm_lease_connector_v1 *connector)
{
	wp_drm_lease_connector_v1_add_listener(connector, &connector_listener, data);
}

static void handle_done(void *data, struct wp_drm_lease_device_v1 *device)
{
}

static const struct wp_drm_lease_device_v1_listener device_listener = {
	.drm_fd = handle_drm_fd,
	.connector = handle_connector,
	.done = handle_done,
	.released = handle_done,
};

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct client *client = data;
	if (strcmp(interface, "wp_drm_lease_device_v1") == 0 && !client->device) {
		client->device =
			wl_registry_bind(registry, name, &wp_drm_lease_device_v1_interface, 1);
		wp_drm_lease_device_v1_add_listener(client->device, &device_listener, client);
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

int main(int argc, char **argv)
{
	struct client client = {.name = argc > 1 ? argv[1] : "", .fd = -1};
	const struct sigaction action = {.sa_handler = handle_signal};
	sigaction(SIGUSR1, &action, NULL);
	client.display = wl_display_connect(NULL);
	if (!client.display) {
		return 1;
	}
	wl_registry_add_listener(
		wl_display_get_registry(client.display), &registry_listener, &client);
	for (;;) {
		if (wl_display_dispatch_pending(client.display) < 0 ||
			wl_display_flush(client.display) < 0) {
			return 1;
		}
		struct pollfd pollfd = {.fd = wl_display_get_fd(client.display), .events = POLLIN};
		int ready = poll(&pollfd, 1, -1);
		if (wants_close) {
			close(client.fd); /* client.fd stays open: no further lease is requested */
			wants_close = 0;
		}
		if (ready > 0 && wl_display_dispatch(client.display) < 0) {
			return 1;
		}
	}
}
