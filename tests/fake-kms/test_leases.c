/* SPDX-License-Identifier: MIT */
/* DRM leases of clients: offers, lessees, revocation and errors. */

#include "leases_common.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

static void headset_is_offered_with_an_unprivileged_descriptor(void **state)
{
	struct lease_world *world = *state;
	struct device *device = &world->device;
	assert_int_equal(device->n_connectors, 1);
	assert_int_equal(device->n_done, 1);
	assert_string_equal(device->connectors[0].name, "DP-6");
	assert_int_equal(device->connectors[0].n_done, 1);
	/* The headset is no output, and the descriptor of the device cannot set modes. */
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

static void leased_connector_is_controlled_by_the_lessee(void **state)
{
	struct lease_world *world = *state;
	struct device *device = &world->device;
	struct lease lease, other;
	request_lease(world, &device->connectors[0], &lease);
	assert_true(lease.fd >= 0);
	assert_int_equal(lease.n_finished, 0);
	assert_int_equal(device->connectors[0].n_withdrawn, 1);
	assert_int_equal(device->n_done, 2);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	const char *crtc = fake_crtc_of(world->card, "DP-6");
	assert_int_equal(fake_get(world->card, crtc, "ACTIVE"), 1);
	/* A second lease is refused, and commits of the compositor leave the CRTC alone. */
	request_lease(world, &device->connectors[0], &other);
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
	request_lease(world, &device->connectors[1], &lease);
	assert_true(lease.fd >= 0);
	close(lease.fd);
}

/* The lessee need not be the client; the kernel reports when its last descriptor is closed. */
static void lease_ends_when_lessee_closes_descriptor(void **state)
{
	struct lease_world *world = *state;
	struct lease lease;
	request_lease(world, &world->device.connectors[0], &lease);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	close(lease.fd);
	assert_false(drmIsMaster(world->device.fd)); /* the card notices */
	fixture_pump(world->fixture);
	assert_int_equal(lease.n_finished, 1);
	assert_int_equal(world->device.n_connectors, 2);
	assert_string_equal(fake_crtc_of(world->card, "DP-6"), "none");
	assert_true(peer_alive(world->peer));
}

static void lease_ends_when_client_exits(void **state)
{
	struct lease_world *world = *state;
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

static void unplugging_ends_lease(void **state)
{
	struct lease_world *world = *state;
	struct lease lease;
	request_lease(world, &world->device.connectors[0], &lease);
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
	/* A request for a withdrawn connector is denied without a protocol error. */
	struct lease late;
	request_lease(world, &world->device.connectors[0], &late);
	assert_int_equal(late.n_finished, 1);
	assert_true(peer_alive(world->peer));
	close(lease.fd);
}

/* Cleanups after monitors came, went or were disabled leave the CRTC of the headset alone. */
static void lease_survives_changes_of_monitors(void **state)
{
	struct lease_world *world = *state;
	struct lease lease;
	request_lease(world, &world->device.connectors[0], &lease);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	const char *crtc = fake_crtc_of(world->card, "DP-6");
	for (int i = 0; i < 5; i++) {
		switch (i) {
		case 0: fake_card_plug(world->card, "HDMI-A-3", &fake_screen_plain); break;
		case 1: fake_card_plug(world->card, "HDMI-A-3", NULL); break;
		case 2: configure(world, "[output DP-5]\nenabled = false\n"); break;
		case 3: configure(world, ""); break;
		case 4: fake_card_plug(world->card, "DP-5", NULL); break;
		}
		fixture_pump(world->fixture);
		assert_string_equal(fake_crtc_of(world->card, "DP-6"), crtc);
		assert_int_equal(fake_get(world->card, crtc, "ACTIVE"), 1);
		assert_int_not_equal(fake_get(world->card, crtc, "MODE_ID"), 0);
		assert_int_equal(lease.n_finished, 0);
	}
	close(lease.fd);
}

/* After the return, earlier leases are revoked even if the lessee keeps its descriptor. */
static void inactive_session_ends_leases_and_offers_none(void **state)
{
	struct lease_world *world = *state;
	struct device *device = &world->device, late;
	struct lease lease, away;
	request_lease(world, &device->connectors[0], &lease);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	const char *crtc = fake_crtc_of(world->card, "DP-6");
	fake_seat_set_active(false);
	fixture_pump(world->fixture);
	assert_int_equal(lease.n_finished, 1);
	assert_int_equal(device->n_connectors, 1);
	assert_int_equal(set_mode(world, lease.fd, true), -EACCES);
	request_lease(world, &device->connectors[0], &away);
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
	request_lease(world, &device->connectors[1], &again);
	assert_int_equal(set_mode(world, again.fd, true), 0);
	close(again.fd);
	close(lease.fd);
	close(late.fd);
}

static void removed_card_ends_leases_and_removes_global(void **state)
{
	struct lease_world *world = *state;
	struct device *device = &world->device;
	struct lease lease, late;
	request_lease(world, &device->connectors[0], &lease);
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

enum mistake {
	EMPTY,
	TWICE,
	TWICE_BOUND_TWICE,
	OTHER_DEVICE,
};

static void make_mistake(struct lease_world *world, enum mistake mistake)
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

static void invalid_requests_are_protocol_errors(void **state)
{
	for (enum mistake mistake = EMPTY; mistake <= OTHER_DEVICE; mistake++) {
		make_mistake(*state, mistake);
	}
}

/* The next program that opens the card becomes its master: the session could not return. */
static void descriptor_takes_no_rights_of_a_session_that_leaves(void **state)
{
	struct lease_world *world = *state;
	struct peer *peer = peer_create(world->fixture);
	struct device device;
	fake_card_set_master(world->card, false);
	watch(peer, &device, 0);
	assert_true(device.fd >= 0);
	assert_false(drmIsMaster(device.fd));
	fake_card_set_master(world->card, true);
	close(device.fd);
	peer_destroy(peer);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(headset_is_offered_with_an_unprivileged_descriptor),
		TEST(leased_connector_is_controlled_by_the_lessee),
		TEST(lease_ends_when_lessee_closes_descriptor),
		TEST(lease_ends_when_client_exits),
		TEST(unplugging_ends_lease),
		TEST(lease_survives_changes_of_monitors),
		TEST(inactive_session_ends_leases_and_offers_none),
		TEST(descriptor_takes_no_rights_of_a_session_that_leaves),
		TEST(removed_card_ends_leases_and_removes_global),
		TEST(invalid_requests_are_protocol_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
