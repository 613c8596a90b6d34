/* Leases, from the kernel's to a client's: who may have what, and how it comes back. */

#include "drm-lease-v1-client-protocol.h"
#include "fake.h"
#include "harness/peer.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#define MAX_CONNECTORS 8

struct connector {
	struct wp_drm_lease_connector_v1 *proxy;
	char name[32];
	uint32_t id;
	int n_done, n_withdrawn;
};

/* A client's view of a card. */
struct device {
	struct wp_drm_lease_device_v1 *proxy;
	int fd;
	struct connector connectors[MAX_CONNECTORS];
	int n_connectors, n_done, n_released;
};

struct lease {
	struct wp_drm_lease_v1 *proxy;
	int fd, n_finished;
};

struct world {
	struct fake_card *card;
	struct fixture *fixture;
	struct peer *peer;
	struct device device;
	char path[64];
};

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
	assert_in_range(device->n_connectors, 0, MAX_CONNECTORS - 1);
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

/* The n-th card that the server told of. */
static void watch(struct peer *peer, struct device *device, int n)
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

static void submit(struct wp_drm_lease_request_v1 *request, struct lease *lease)
{
	*lease = (struct lease){.fd = -1};
	lease->proxy = wp_drm_lease_request_v1_submit(request);
	wp_drm_lease_v1_add_listener(lease->proxy, &lease_listener, lease);
}

static void ask(struct world *world, struct connector *connector, struct lease *lease)
{
	struct wp_drm_lease_request_v1 *request =
		wp_drm_lease_device_v1_create_lease_request(world->device.proxy);
	wp_drm_lease_request_v1_request_connector(request, connector->proxy);
	submit(request, lease);
	fixture_pump(world->fixture);
}

/* Lights the screen up, or off, as a program that has the lease does; 0 or negative errno. */
static int set_mode(struct world *world, int fd, bool on)
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

static int count_outputs(const struct world *world)
{
	int n = 0;
	for (int i = 0; i < SCENE_MAX_OUTPUTS; i++) {
		n += world->fixture->server->scene->outputs[i] != NULL;
	}
	return n;
}

static void configure(struct world *world, const char *text)
{
	FILE *file = fopen(world->path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	char *error = NULL;
	if (!server_reload(world->fixture->server, &error)) {
		fail_msg("%s", error);
	}
	fixture_pump(world->fixture);
}

/* A desktop on DP-5 and a headset on DP-6; a card of the kind that needs no primary plane. */
static int set_up(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
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

static int tear_down(void **state)
{
	struct world *world = *state;
	fixture_destroy(world->fixture);
	fd_close(&world->device.fd);
	fake_reset_all();
	unlink(world->path);
	free(world);
	return 0;
}

static void test_offer(void **state)
{
	struct world *world = *state;
	struct device *device = &world->device;
	assert_int_equal(device->n_connectors, 1);
	assert_int_equal(device->n_done, 1);
	assert_string_equal(device->connectors[0].name, "DP-6");
	assert_int_equal(device->connectors[0].n_done, 1);
	/* It is no output, and what looks at it can set nothing. */
	assert_int_equal(count_outputs(world), 1);
	assert_false(drmIsMaster(device->fd));
	drmModeConnector *connector = drmModeGetConnector(device->fd, device->connectors[0].id);
	assert_non_null(connector);
	assert_int_equal(connector->connection, DRM_MODE_CONNECTED);
	drmModeFreeConnector(connector);
	assert_int_equal(set_mode(world, device->fd, true), -EACCES);

	wp_drm_lease_device_v1_release(device->proxy);
	fixture_pump(world->fixture);
	assert_int_equal(device->n_released, 1);
	assert_true(peer_alive(world->peer));
}

static void test_lease(void **state)
{
	struct world *world = *state;
	struct device *device = &world->device;
	struct lease lease, other;
	ask(world, &device->connectors[0], &lease);
	assert_true(lease.fd >= 0);
	assert_int_equal(lease.n_finished, 0);
	assert_int_equal(device->connectors[0].n_withdrawn, 1);
	assert_int_equal(device->n_done, 2);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	const char *crtc = fake_crtc_of(world->card, "DP-6");
	assert_int_equal(fake_get(world->card, crtc, "ACTIVE"), 1);
	/* Nobody else can have it, and nothing of ours goes near it. */
	ask(world, &device->connectors[0], &other);
	assert_int_equal(other.fd, -1);
	assert_int_equal(other.n_finished, 1);
	configure(world, "[output DP-5]\nscale = 2\n");
	assert_int_equal(fake_get(world->card, crtc, "ACTIVE"), 1);
	assert_int_equal(lease.n_finished, 0);

	wp_drm_lease_v1_destroy(lease.proxy);
	fixture_pump(world->fixture);
	assert_string_equal(fake_crtc_of(world->card, "DP-6"), "none");
	assert_int_equal(fake_get(world->card, crtc, "ACTIVE"), 0);
	assert_int_equal(set_mode(world, lease.fd, true), -ENOENT);
	assert_int_equal(device->n_connectors, 2);
	assert_string_equal(device->connectors[1].name, "DP-6");
	close(lease.fd);
	ask(world, &device->connectors[1], &lease);
	assert_true(lease.fd >= 0);
	close(lease.fd);
}

/* The program that has it need not be the client that asked: the kernel says when it let go. */
static void test_borrower_exits(void **state)
{
	struct world *world = *state;
	struct lease lease;
	ask(world, &world->device.connectors[0], &lease);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	close(lease.fd);
	assert_false(drmIsMaster(world->device.fd)); /* the card notices */
	fixture_pump(world->fixture);
	assert_int_equal(lease.n_finished, 1);
	assert_int_equal(world->device.n_connectors, 2);
	assert_string_equal(fake_crtc_of(world->card, "DP-6"), "none");
	assert_true(peer_alive(world->peer));
}

static void test_client_exits(void **state)
{
	struct world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	struct device device;
	struct lease lease;
	watch(peer, &device, 0);
	struct wp_drm_lease_request_v1 *request =
		wp_drm_lease_device_v1_create_lease_request(device.proxy);
	wp_drm_lease_request_v1_request_connector(request, device.connectors[0].proxy);
	submit(request, &lease);
	fixture_pump(world->fixture);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	assert_int_equal(world->device.connectors[0].n_withdrawn, 1);
	peer_destroy(peer);
	fixture_pump(world->fixture);
	assert_int_equal(world->device.n_connectors, 2);
	assert_string_equal(fake_crtc_of(world->card, "DP-6"), "none");
	close(lease.fd);
	close(device.fd);
}

static void test_unplugged(void **state)
{
	struct world *world = *state;
	struct lease lease;
	ask(world, &world->device.connectors[0], &lease);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	fake_card_plug(world->card, "DP-6", NULL);
	fixture_pump(world->fixture);
	assert_int_equal(lease.n_finished, 1);
	assert_int_equal(set_mode(world, lease.fd, true), -ENOENT);
	assert_int_equal(world->device.n_connectors, 1);
	fake_card_plug(world->card, "HDMI-A-3", &fake_screen_headset);
	fixture_pump(world->fixture);
	assert_int_equal(world->device.n_connectors, 2);
	assert_string_equal(world->device.connectors[1].name, "HDMI-A-3");
	/* A connector that is not offered any more is denied, not an error. */
	struct lease late;
	ask(world, &world->device.connectors[0], &late);
	assert_int_equal(late.n_finished, 1);
	assert_true(peer_alive(world->peer));
	close(lease.fd);
}

/* Away, nothing is on offer; back, what was lent before is ours, whatever the borrower thinks. */
static void test_away(void **state)
{
	struct world *world = *state;
	struct device *device = &world->device, late;
	struct lease lease, away;
	ask(world, &device->connectors[0], &lease);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	const char *crtc = fake_crtc_of(world->card, "DP-6");
	fake_seat_set_active(false);
	fixture_pump(world->fixture);
	assert_int_equal(lease.n_finished, 1);
	assert_int_equal(device->n_connectors, 1);
	assert_int_equal(set_mode(world, lease.fd, true), -EACCES);
	ask(world, &device->connectors[0], &away);
	assert_int_equal(away.n_finished, 1);
	watch(world->peer, &late, 0);
	assert_int_equal(late.fd, -1);
	assert_int_equal(late.n_done, 0);

	fake_seat_set_active(true);
	fixture_pump(world->fixture);
	assert_int_equal(set_mode(world, lease.fd, true), -ENOENT);
	assert_int_equal(fake_get(world->card, crtc, "ACTIVE"), 0);
	assert_int_equal(device->n_connectors, 2);
	assert_true(late.fd >= 0);
	assert_int_equal(late.n_connectors, 1);
	assert_int_equal(late.n_done, 1);
	struct lease again;
	ask(world, &device->connectors[1], &again);
	assert_int_equal(set_mode(world, again.fd, true), 0);
	close(again.fd);
	close(lease.fd);
	close(late.fd);
}

static void test_card_goes(void **state)
{
	struct world *world = *state;
	struct device *device = &world->device;
	struct lease lease, late;
	ask(world, &device->connectors[0], &lease);
	struct wp_drm_lease_request_v1 *request =
		wp_drm_lease_device_v1_create_lease_request(device->proxy);
	wp_drm_lease_request_v1_request_connector(request, device->connectors[0].proxy);
	fake_card_remove(world->card);
	fixture_pump(world->fixture);
	assert_int_equal(lease.n_finished, 1);
	assert_null(peer_find_global(world->peer, "wp_drm_lease_device_v1"));
	submit(request, &late);
	fixture_pump(world->fixture);
	assert_int_equal(late.n_finished, 1);
	wp_drm_lease_connector_v1_destroy(device->connectors[0].proxy);
	wp_drm_lease_device_v1_release(device->proxy);
	assert_true(peer_alive(world->peer));
	close(lease.fd);
}

/* What the configuration keeps for programs is no output, and the other way round. */
static void test_configured(void **state)
{
	struct world *world = *state;
	struct device *device = &world->device;
	fake_card_plug(world->card, "HDMI-A-3", &fake_screen_gaming);
	fixture_pump(world->fixture);
	assert_int_equal(count_outputs(world), 2);
	configure(world, "[output HDMI-A-3]\nlease = yes\n");
	assert_int_equal(count_outputs(world), 1);
	assert_int_equal(device->n_connectors, 2);
	assert_string_equal(device->connectors[1].name, "HDMI-A-3");
	struct lease both;
	struct wp_drm_lease_request_v1 *request =
		wp_drm_lease_device_v1_create_lease_request(device->proxy);
	wp_drm_lease_request_v1_request_connector(request, device->connectors[0].proxy);
	wp_drm_lease_request_v1_request_connector(request, device->connectors[1].proxy);
	submit(request, &both);
	fixture_pump(world->fixture);
	assert_true(both.fd >= 0);
	drmModeRes *resources = drmModeGetResources(both.fd);
	assert_int_equal(resources->count_connectors, 2);
	drmModeFreeResources(resources);

	/* The desktop wants one of them back: the lease is over for both. */
	configure(world, "");
	assert_int_equal(both.n_finished, 1);
	assert_int_equal(count_outputs(world), 2);
	assert_int_equal(fake_get(world->card, fake_crtc_of(world->card, "HDMI-A-3"), "ACTIVE"), 1);
	assert_int_equal(device->n_connectors, 3);
	assert_string_equal(device->connectors[2].name, "DP-6");
	configure(world, "[output DP-6]\nlease = no\n");
	assert_int_equal(device->connectors[2].n_withdrawn, 1);
	assert_int_equal(count_outputs(world), 3);
	configure(world, "[output DP-6]\nenabled = no\n");
	assert_int_equal(device->n_connectors, 3);
	assert_int_equal(count_outputs(world), 2);
	close(both.fd);
}

static void test_refused(void **state)
{
	struct world *world = *state;
	struct lease lease;
	/* Another master on the card has it, as far as the kernel is concerned. */
	fake_seat_set_active(false);
	struct wp_drm_lease_request_v1 *request =
		wp_drm_lease_device_v1_create_lease_request(world->device.proxy);
	wp_drm_lease_request_v1_request_connector(request, world->device.connectors[0].proxy);
	submit(request, &lease);
	fixture_pump(world->fixture);
	assert_int_equal(lease.fd, -1);
	assert_int_equal(lease.n_finished, 1);
	fake_seat_set_active(true);
	fixture_pump(world->fixture);
	assert_true(peer_alive(world->peer));
}

/* A card whose third plug can have but the CRTC that the headset has got. */
static void begin_crowded(struct world *world)
{
	fixture_destroy(world->fixture);
	fd_close(&world->device.fd);
	fake_reset_all();
	world->card = fake_card_create("rockchip");
	fake_card_plug(world->card, "eDP-3", &fake_screen_plain);
	fake_card_plug(world->card, "HDMI-A-5", &fake_screen_headset);
	world->fixture = fixture_create(&(struct fixture_options){.drm = true});
	fixture_pump(world->fixture);
	world->peer = peer_create(world->fixture);
	watch(world->peer, &world->device, 0);
	fixture_pump(world->fixture);
	assert_string_equal(world->device.connectors[0].name, "HDMI-A-5");
}

static bool is_lit(struct world *world, const char *connector)
{
	const char *crtc = fake_crtc_of(world->card, connector);
	return strcmp(crtc, "none") != 0 && fake_get(world->card, crtc, "ACTIVE");
}

/* A headset that nobody uses keeps no screen dark; it is offered again when that is pulled out. */
static void test_crowded(void **state)
{
	struct world *world = *state;
	struct device *device = &world->device;
	begin_crowded(world);
	fake_card_plug(world->card, "DSI-1", &fake_screen_plain);
	fixture_pump(world->fixture);
	assert_true(is_lit(world, "DSI-1") && is_lit(world, "eDP-3"));
	assert_int_equal(count_outputs(world), 2);
	assert_int_equal(device->connectors[0].n_withdrawn, 1);
	assert_int_equal(device->n_connectors, 1);
	fake_card_plug(world->card, "DSI-1", NULL);
	fixture_pump(world->fixture);
	assert_int_equal(device->n_connectors, 2);
	assert_string_equal(device->connectors[1].name, "HDMI-A-5");
	struct lease lease;
	ask(world, &device->connectors[1], &lease);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	close(lease.fd);
}

/* One that somebody uses is not taken away; the screen comes on when that ends. */
static void test_crowded_lent(void **state)
{
	struct world *world = *state;
	struct device *device = &world->device;
	begin_crowded(world);
	struct lease lease;
	ask(world, &device->connectors[0], &lease);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	fake_card_plug(world->card, "DSI-1", &fake_screen_plain);
	fixture_pump(world->fixture);
	assert_int_equal(lease.n_finished, 0);
	assert_true(is_lit(world, "HDMI-A-5"));
	assert_int_equal(count_outputs(world), 1);
	wp_drm_lease_v1_destroy(lease.proxy);
	fixture_pump(world->fixture);
	clock_advance(world->fixture->clock, 1);
	fixture_pump(world->fixture);
	assert_true(is_lit(world, "DSI-1"));
	assert_false(is_lit(world, "HDMI-A-5"));
	assert_int_equal(count_outputs(world), 2);
	assert_int_equal(device->connectors[device->n_connectors - 1].n_withdrawn, 1);
	close(lease.fd);
}

enum mistake {
	EMPTY,
	TWICE,
	TWICE_BOUND_TWICE,
	OTHER_DEVICE,
};

static void make_mistake(struct world *world, enum mistake mistake)
{
	static const uint32_t errors[] = {
		[EMPTY] = WP_DRM_LEASE_REQUEST_V1_ERROR_EMPTY_LEASE,
		[TWICE] = WP_DRM_LEASE_REQUEST_V1_ERROR_DUPLICATE_CONNECTOR,
		[TWICE_BOUND_TWICE] = WP_DRM_LEASE_REQUEST_V1_ERROR_DUPLICATE_CONNECTOR,
		[OTHER_DEVICE] = WP_DRM_LEASE_REQUEST_V1_ERROR_WRONG_DEVICE,
	};
	struct peer *peer = peer_create(world->fixture);
	struct device device, second;
	struct lease lease;
	watch(peer, &device, 0);
	watch(peer, &second, 0);
	struct wp_drm_lease_request_v1 *request =
		wp_drm_lease_device_v1_create_lease_request(device.proxy);
	if (mistake != EMPTY) {
		wp_drm_lease_request_v1_request_connector(request, device.connectors[0].proxy);
	}
	if (mistake == TWICE) {
		wp_drm_lease_request_v1_request_connector(request, device.connectors[0].proxy);
	} else if (mistake == TWICE_BOUND_TWICE) {
		wp_drm_lease_request_v1_request_connector(request, second.connectors[0].proxy);
	} else if (mistake == OTHER_DEVICE) {
		struct fake_card *other = fake_card_create("amdgpu");
		fake_card_plug(other, "DP-1", &fake_screen_headset);
		fixture_pump(world->fixture);
		close(second.fd);
		watch(peer, &second, 1);
		wp_drm_lease_request_v1_request_connector(request, second.connectors[0].proxy);
	} else {
		submit(request, &lease);
	}
	/* Submitting destroys the request. */
	peer_expect_error(peer, mistake == EMPTY ? NULL : &wp_drm_lease_request_v1_interface,
		errors[mistake]);
	peer_destroy(peer);
	close(device.fd);
	close(second.fd);
	assert_true(peer_alive(world->peer));
}

static void test_mistakes(void **state)
{
	for (enum mistake mistake = EMPTY; mistake <= OTHER_DEVICE; mistake++) {
		make_mistake(*state, mistake);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_offer),
		TEST(test_lease),
		TEST(test_borrower_exits),
		TEST(test_client_exits),
		TEST(test_unplugged),
		TEST(test_away),
		TEST(test_card_goes),
		TEST(test_configured),
		TEST(test_refused),
		TEST(test_crowded),
		TEST(test_crowded_lent),
		TEST(test_mistakes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
