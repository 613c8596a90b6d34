/* SPDX-License-Identifier: MIT */
/* DRM leases that compete with outputs: configuration, refusals and scarce CRTCs. */

#include "leases_common.h"
#include "util/clock.h"
#include "util/fd.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <xf86drmMode.h>

static void configuration_chooses_leased_connectors(void **state)
{
	struct lease_world *world = *state;
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

	/* Taking back one connector ends the lease of both. */
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

static void kernel_refusal_finishes_lease(void **state)
{
	struct lease_world *world = *state;
	struct lease lease;
	/* The kernel refuses while another master controls the card. */
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

/* A card whose third connector can only use the CRTC of the headset. */
static void begin_with_scarce_crtcs(struct lease_world *world)
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

static bool is_active(struct lease_world *world, const char *connector)
{
	const char *crtc = fake_crtc_of(world->card, connector);
	return strcmp(crtc, "none") != 0 && fake_get(world->card, crtc, "ACTIVE");
}

/* The headset is offered again after the screen is unplugged. */
static void unused_headset_gives_its_crtc_to_a_new_screen(void **state)
{
	struct lease_world *world = *state;
	struct device *device = &world->device;
	begin_with_scarce_crtcs(world);
	fake_card_plug(world->card, "DSI-1", &fake_screen_plain);
	fixture_pump(world->fixture);
	assert_true(is_active(world, "DSI-1") && is_active(world, "eDP-3"));
	assert_int_equal(count_outputs(world), 2);
	assert_int_equal(device->connectors[0].n_withdrawn, 1);
	assert_int_equal(device->n_connectors, 1);
	fake_card_plug(world->card, "DSI-1", NULL);
	fixture_pump(world->fixture);
	assert_int_equal(device->n_connectors, 2);
	assert_string_equal(device->connectors[1].name, "HDMI-A-5");
	struct lease lease;
	request_lease(world, &device->connectors[1], &lease);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	close(lease.fd);
}

/* Plugs a screen in and collects the log on stderr. */
static void plug_and_read_log(
	struct lease_world *world, const char *connector, char *log, size_t size)
{
	int ends[2], saved = dup(STDERR_FILENO);
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	dup2(ends[1], STDERR_FILENO);
	fake_card_plug(world->card, connector, &fake_screen_plain);
	fixture_pump(world->fixture);
	dup2(saved, STDERR_FILENO);
	ssize_t n = read(ends[0], log, size - 1);
	log[n > 0 ? n : 0] = '\0';
	close(saved);
	close(ends[0]);
	close(ends[1]);
}

/* The screen comes on after the lease. The log says why it is dark. */
static void leased_headset_keeps_its_crtc(void **state)
{
	struct lease_world *world = *state;
	struct device *device = &world->device;
	begin_with_scarce_crtcs(world);
	struct lease lease;
	request_lease(world, &device->connectors[0], &lease);
	assert_int_equal(set_mode(world, lease.fd, true), 0);
	char log[4096];
	plug_and_read_log(world, "DSI-1", log, sizeof(log));
	assert_non_null(strstr(
		log, "DSI-1: cannot enable it: no free CRTC while another output is leased"));
	assert_int_equal(lease.n_finished, 0);
	assert_true(is_active(world, "HDMI-A-5"));
	assert_int_equal(count_outputs(world), 1);
	wp_drm_lease_v1_destroy(lease.proxy);
	fixture_pump(world->fixture);
	clock_advance(world->fixture->clock, 1);
	fixture_pump(world->fixture);
	assert_true(is_active(world, "DSI-1"));
	assert_false(is_active(world, "HDMI-A-5"));
	assert_int_equal(count_outputs(world), 2);
	assert_int_equal(device->connectors[device->n_connectors - 1].n_withdrawn, 1);
	close(lease.fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(configuration_chooses_leased_connectors),
		TEST(kernel_refusal_finishes_lease),
		TEST(unused_headset_gives_its_crtc_to_a_new_screen),
		TEST(leased_headset_keeps_its_crtc),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
