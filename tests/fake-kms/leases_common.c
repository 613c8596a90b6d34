/* SPDX-License-Identifier: MIT */
/* DRM lease clients of a compositor on an emulated card. */

#include "leases_common.h"
#include "audit.h"
#include "config_text.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

static void handle_name(void *data, struct wp_drm_lease_connector_v1 *proxy, const char *name)
{
	struct connector *connector = data;
	snprintf(connector->name, sizeof(connector->name), "%s", name);
}

static void handle_description(
	void *data, struct wp_drm_lease_connector_v1 *proxy, const char *description)
{
	assert_true(strlen(description) > 0);
}

static void handle_id(void *data, struct wp_drm_lease_connector_v1 *proxy, uint32_t id)
{
	((struct connector *)data)->id = id;
}

static void handle_connector_done(void *data, struct wp_drm_lease_connector_v1 *proxy)
{
	((struct connector *)data)->n_done++;
}

static void handle_withdrawn(void *data, struct wp_drm_lease_connector_v1 *proxy)
{
	((struct connector *)data)->n_withdrawn++;
}

static const struct wp_drm_lease_connector_v1_listener connector_listener = {
	.name = handle_name,
	.description = handle_description,
	.connector_id = handle_id,
	.done = handle_connector_done,
	.withdrawn = handle_withdrawn,
};

static void handle_fd(void *data, struct wp_drm_lease_device_v1 *proxy, int32_t fd)
{
	struct device *device = data;
	assert_int_equal(device->fd, -1);
	device->fd = fd;
}

static void handle_connector(void *data, struct wp_drm_lease_device_v1 *proxy,
	struct wp_drm_lease_connector_v1 *connector)
{
	struct device *device = data;
	assert_true(device->fd >= 0);
	assert_in_range(device->n_connectors, 0, CONNECTORS_MAX - 1);
	struct connector *added = &device->connectors[device->n_connectors++];
	added->proxy = connector;
	wp_drm_lease_connector_v1_add_listener(connector, &connector_listener, added);
}

static void handle_done(void *data, struct wp_drm_lease_device_v1 *proxy)
{
	((struct device *)data)->n_done++;
}

static void handle_released(void *data, struct wp_drm_lease_device_v1 *proxy)
{
	((struct device *)data)->n_released++;
}

static const struct wp_drm_lease_device_v1_listener device_listener = {
	.drm_fd = handle_fd,
	.connector = handle_connector,
	.done = handle_done,
	.released = handle_released,
};

static void handle_lease_fd(void *data, struct wp_drm_lease_v1 *proxy, int32_t fd)
{
	struct lease *lease = data;
	assert_int_equal(lease->fd, -1);
	lease->fd = fd;
}

static void handle_finished(void *data, struct wp_drm_lease_v1 *proxy)
{
	((struct lease *)data)->n_finished++;
}

static const struct wp_drm_lease_v1_listener lease_listener = {
	.lease_fd = handle_lease_fd,
	.finished = handle_finished,
};

void watch(struct peer *peer, struct device *device, int n)
{
	*device = (struct device){.fd = -1};
	for (int i = 0; i < peer->n_globals; i++) {
		const struct peer_global *global = &peer->globals[i];
		if (strcmp(global->interface, "wp_drm_lease_device_v1") == 0 && n-- == 0) {
			device->proxy = wl_registry_bind(
				peer->registry, global->name, &wp_drm_lease_device_v1_interface, 1);
		}
	}
	assert_non_null(device->proxy);
	wp_drm_lease_device_v1_add_listener(device->proxy, &device_listener, device);
	fixture_pump(peer->fixture);
}

void submit(struct wp_drm_lease_request_v1 *request, struct lease *lease)
{
	*lease = (struct lease){.fd = -1};
	lease->proxy = wp_drm_lease_request_v1_submit(request);
	wp_drm_lease_v1_add_listener(lease->proxy, &lease_listener, lease);
}

void request_lease(struct lease_world *world, struct connector *connector, struct lease *lease)
{
	struct wp_drm_lease_request_v1 *request =
		wp_drm_lease_device_v1_create_lease_request(world->device.proxy);
	wp_drm_lease_request_v1_request_connector(request, connector->proxy);
	submit(request, lease);
	fixture_pump(world->fixture);
}

int set_mode(struct lease_world *world, int fd, bool on)
{
	drmSetClientCap(fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1);
	drmSetClientCap(fd, DRM_CLIENT_CAP_ATOMIC, 1);
	drmModeRes *resources = drmModeGetResources(fd);
	if (!resources || resources->count_connectors == 0) {
		drmModeFreeResources(resources);
		return -ENOENT;
	}
	uint32_t connector_id = resources->connectors[0], crtc = resources->crtcs[0], blob = 0;
	drmModeFreeResources(resources);
	drmModeConnector *connector = drmModeGetConnector(fd, connector_id);
	drmModeCreatePropertyBlob(fd, &connector->modes[0], sizeof(connector->modes[0]), &blob);
	drmModeFreeConnector(connector);
	const struct {
		uint32_t object, type;
		const char *name;
		uint64_t value;
	} values[] = {
		{connector_id, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID", on ? crtc : 0},
		{crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", on},
		{crtc, DRM_MODE_OBJECT_CRTC, "MODE_ID", on ? blob : 0},
	};
	drmModeAtomicReq *request = drmModeAtomicAlloc();
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		drmModeObjectProperties *properties =
			drmModeObjectGetProperties(fd, values[i].object, values[i].type);
		for (uint32_t j = 0; properties && j < properties->count_props; j++) {
			drmModePropertyRes *property = drmModeGetProperty(fd, properties->props[j]);
			if (strcmp(property->name, values[i].name) == 0) {
				drmModeAtomicAddProperty(request, values[i].object,
					property->prop_id, values[i].value);
			}
			drmModeFreeProperty(property);
		}
		drmModeFreeObjectProperties(properties);
	}
	int error = drmModeAtomicCommit(fd, request, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
	drmModeAtomicFree(request);
	return error;
}

int count_outputs(const struct lease_world *world)
{
	int n = 0;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		n += world->fixture->server->scene->outputs[i] != NULL;
	}
	return n;
}

void configure(struct lease_world *world, const char *text)
{
	config_text_reload(world->fixture, world->path, text);
}

int set_up(void **state)
{
	struct lease_world *world = xcalloc(1, sizeof(*world));
	world->card = fake_card_create("nvidia-drm");
	fake_card_plug(world->card, "DP-5", &fake_screen_plain);
	fake_card_plug(world->card, "DP-6", &fake_screen_headset);
	world->fixture = fixture_create(&(struct fixture_options){.drm = true});
	strcpy(world->path, "/tmp/causeway-lease-XXXXXX");
	int fd = mkstemp(world->path);
	assert_true(fd >= 0);
	close(fd);
	world->fixture->options.config_path = world->path;
	fixture_pump(world->fixture);
	world->peer = peer_create(world->fixture);
	watch(world->peer, &world->device, 0);
	*state = world;
	return 0;
}

int tear_down(void **state)
{
	struct lease_world *world = *state;
	audit(world->fixture->server->backend);
	fixture_destroy(world->fixture);
	fd_close(&world->device.fd);
	fake_reset_all();
	unlink(world->path);
	free(world);
	return 0;
}
