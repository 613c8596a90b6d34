/* SPDX-License-Identifier: MIT */
/* `causewayctl outputs` says which outputs are refused, lowered or dark, and why. */

#include "causeway-control-v1-client-protocol.h"
#include "refusals.h"
#include "util/clock.h"
#include <stdio.h>
#include <string.h>

struct report {
	char text[8192];
	bool done;
};

static void handle_begin(void *data, struct causeway_report_v1 *proxy)
{
	strcat(((struct report *)data)->text, "[");
}

static void handle_field(void *data, struct causeway_report_v1 *proxy, const char *name,
	uint32_t kind, const char *value)
{
	struct report *report = data;
	size_t length = strlen(report->text);
	snprintf(report->text + length, sizeof(report->text) - length, " %s=%.500s;", name, value);
}

static void handle_end(void *data, struct causeway_report_v1 *proxy)
{
	strcat(((struct report *)data)->text, "]\n");
}

static void handle_done(void *data, struct causeway_report_v1 *proxy)
{
	((struct report *)data)->done = true;
	causeway_report_v1_destroy(proxy);
}

static const struct causeway_report_v1_listener listener = {
	handle_begin, handle_field, handle_end, handle_done};

static struct report ask(struct world *world)
{
	struct report report = {0};
	struct peer *peer = peer_create_control(world->fixture);
	struct causeway_control_v1 *control = peer_bind(peer, &causeway_control_v1_interface, 0);
	causeway_report_v1_add_listener(
		causeway_control_v1_list_outputs(control), &listener, &report);
	fixture_pump(world->fixture);
	assert_true(report.done);
	peer_destroy(peer);
	return report;
}

static void says(struct world *world, const char *name, const char *text, bool yes)
{
	struct report report = ask(world);
	char key[64];
	snprintf(key, sizeof(key), "name=%s;", name);
	char *at = strstr(report.text, key);
	assert_non_null(at);
	*strchr(at, '\n') = '\0';
	if ((strstr(at, text) != NULL) != yes) {
		fail_msg("'%s' is %sin %s", text, yes ? "not " : "", at);
	}
}

static const char *const one[] = {"DP-1", NULL};

static void dark_output_is_refused(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	refusals->connector = "DP-1";
	begin(world, "");
	refusals_wait(refusals, 3 * SECOND);
	says(world, "DP-1", "refused=true", true);
	refusals_end(refusals);
	refusals_wait(refusals, 9 * SECOND);
	says(world, "DP-1", "refused", false);
	says(world, "DP-1", "lowered", false);
}

static void lower_mode_is_lowered(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	refusals->widest = 320;
	begin(world, "");
	refusals_wait(refusals, 3 * SECOND);
	says(world, "DP-1", "lowered=true", true);
	refusals_end(refusals);
	refusals_wait(refusals, 9 * SECOND);
	says(world, "DP-1", "lowered", false);
}

static void refused_power_is_refused(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	begin(world, "");
	refusals_wait(refusals, 3 * SECOND);
	server_output_set_power(find_entry(world, "DP-1"), false);
	refusals_wait(refusals, SECOND);
	says(world, "DP-1", "dark=true", true);
	refusals->connector = "DP-1";
	server_output_set_power(find_entry(world, "DP-1"), true);
	refusals_wait(refusals, SECOND);
	says(world, "DP-1", "refused=true", true);
	refusals_end(refusals);
	refusals_wait(refusals, 9 * SECOND);
	says(world, "DP-1", "refused", false);
	says(world, "DP-1", "dark", false);
}

/* Bits per second that suffice for the best mode of the screen with eight bits per channel only. */
#define NARROW UINT64_C(650000000)

static const struct fake_screen deep = {
	.maker = "CWY",
	.name = "Deep",
	.serial = 1,
	.modes = {{640, 480, 60}, {480, 360, 60}},
	.min_hz = 50,
	.max_hz = 70,
	.max_clock = 100,
	.deep = true,
};

static void refused_depth_is_lowered(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	fake_card_plug(refusals->card, "DP-1", &deep);
	fake_card_set_link(refusals->card, NARROW);
	begin(world, "[output DP-1]\nbit-depth = 10\n");
	refusals_wait(refusals, 2 * SECOND);
	says(world, "DP-1", "bit_depth=8", true);
	says(world, "DP-1", "lowered=true", true);
	fake_card_set_link(refusals->card, 0);
	refusals_wait(refusals, 40 * SECOND);
	says(world, "DP-1", "bit_depth=10", true);
	says(world, "DP-1", "lowered", false);
}

/* The reason of an output that the user has disabled is not a lack of CRTCs. */
static void reason_ends_with_its_cause(void **state)
{
	static const char *const docked[] = {"eDP-5", "DP-8", "DP-9", "DP-10"};
	struct world *world = *state;
	struct fake_card *card = fake_card_create("i915-dock");
	for (int i = 0; i < 4; i++) {
		fake_card_plug(card, docked[i], &refusals_screens[i % 3]);
	}
	begin(world, "");
	show(world, card, 3);
	says(world, "DP-10", "reason=", true);
	reload(world, "[output DP-10]\nenabled = no\n");
	show(world, card, 3);
	says(world, "DP-10", "reason=", false);
	says(world, "DP-10", "refused", false);
	/* There is a free CRTC by now. */
	fake_card_plug(card, "DP-9", NULL);
	show(world, card, 3);
	says(world, "DP-10", "reason=", false);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(dark_output_is_refused),
		TEST(lower_mode_is_lowered),
		TEST(refused_power_is_refused),
		TEST(refused_depth_is_lowered),
		TEST(reason_ends_with_its_cause),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
