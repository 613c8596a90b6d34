/* SPDX-License-Identifier: MIT */
/*
 * Each setting of an output that is deleted from the configuration: in a lit session, in the dark,
 * while another terminal is shown, while the screen is absent, and under settings of a client.
 */

#include "frame/output.h"
#include "scene/output.h"
#include "server/output.h"
#include "server_common.h"
#include <stdio.h>
#include <string.h>

struct facts {
	int width, height, refresh, x, y, transform, depth, max_bpc, ctm, vrr;
	uint32_t format;
	double scale;
	int scan_out, tearing, cpu, variable, lendable, enabled, lowered;
	int64_t render_time, margin;
};

static struct facts look(struct world *world, struct fake_card *card)
{
	struct facts facts;
	memset(&facts, 0, sizeof(facts));
	const struct server_output *entry = find_entry(world, "DP-1");
	size_t size;
	facts.enabled = entry->scene_output != NULL;
	facts.lendable = entry->lendable;
	facts.lowered = entry->lowered;
	if (!entry->scene_output || !entry->frame) {
		return facts;
	}
	facts.width = width_of(card, "DP-1");
	facts.height = entry->output->mode.height;
	facts.refresh = entry->output->mode.refresh;
	facts.x = entry->scene_output->x;
	facts.y = entry->scene_output->y;
	facts.scale = entry->scene_output->scale;
	facts.transform = (int)entry->scene_output->transform;
	facts.depth = entry->output->bit_depth;
	facts.max_bpc = (int)fake_get(card, "DP-1", "max bpc");
	facts.format = format_of(card, "DP-1");
	facts.ctm = fake_get_blob(card, fake_crtc_of(card, "DP-1"), "CTM", &size) != NULL;
	facts.vrr = (int)fake_get(card, fake_crtc_of(card, "DP-1"), "VRR_ENABLED");
	facts.scan_out = (entry->frame->device->scanout_outputs >> entry->scene_output->index) & 1;
	facts.tearing = entry->frame->display.tearing;
	facts.cpu = entry->frame->display.cpu_composition;
	facts.variable = (int)entry->frame->display.variable;
	facts.render_time = entry->frame->schedule.settings.max_render_time;
	facts.margin = entry->frame->schedule.settings.margin;
	return facts;
}

static const char *const settings[] = {
	"mode = 1920x1080@144",
	"mode = 1920x1080",
	"mode = 1280x720",
	"position = 100,200",
	"scale = 1.5",
	"transform = 90",
	"transform = flipped-270",
	"max-render-time = 3",
	"max-render-time = off",
	"adaptive-sync = on",
	"adaptive-sync = off",
	"tearing = no",
	"scan-out = no",
	"cpu-composition = no",
	"bit-depth = 10",
	"bit-depth = 8",
	"color-matrix = 0.5 0 0  0 1 0  0 0 -0.25",
	"lease = yes",
	"enabled = no",
};
#define N_SETTINGS (int)(sizeof(settings) / sizeof(settings[0]))

static void draw(struct world *world, struct fake_card *card)
{
	for (int i = 0; i < 3; i++) {
		if (find_entry(world, "DP-1")->scene_output) {
			scene_output_damage_all(find_entry(world, "DP-1")->scene_output);
		}
		show(world, card, 2);
	}
}

enum way { PLAIN, DARK, AWAY, ABSENT, CLIENT };

static void delete_each(struct world *world, enum way way)
{
	static const char *const names[] = {"plain", "dark", "away", "absent", "client"};
	struct fake_card *card = fake_card_create("amdgpu");
	int n_failed = 0;
	fake_card_plug(card, "DP-1", &fake_screen_gaming);
	fake_card_plug(card, "DP-2", &fake_screen_plain);
	begin(world, "");
	draw(world, card);
	struct facts before = look(world, card);
	for (int i = 0; i < 2 * N_SETTINGS; i++) {
		char text[200];
		snprintf(text, sizeof(text), "[output DP-1]\n%s\n", settings[i / 2]);
		reload(world, text);
		draw(world, card);
		struct facts changed = look(world, card);
		if (memcmp(&before, &changed, sizeof(before)) == 0 &&
			strcmp(settings[i / 2], "bit-depth = 8") != 0) {
			fail_msg("%s has no effect", settings[i / 2]);
		}
		const struct server_output *entry = find_entry(world, "DP-1");
		switch (way) {
		case DARK:
			server_output_set_power((struct server_output *)entry, false);
			show(world, card, 2);
			break;
		case AWAY:
			fake_seat_set_active(false);
			show(world, card, 2);
			break;
		case ABSENT:
			fake_card_plug(card, "DP-1", NULL);
			show(world, card, 3);
			break;
		case CLIENT: {
			struct server_output_change change = {.output = find_entry(world, "DP-1")};
			server_output_config(change.output, &change.config);
			change.config.has_scale = true;
			change.config.scale = 1.25;
			if (!server_outputs_apply(&change, 1)) {
				assert_true(changed.lendable || !changed.enabled);
			}
			show(world, card, 3);
			break;
		}
		default: break;
		}
		/* The whole section, or the key alone. */
		reload(world, i % 2 ? "[output DP-1]\n" : "");
		switch (way) {
		case DARK: server_output_set_power(find_entry(world, "DP-1"), true); break;
		case AWAY: fake_seat_set_active(true); break;
		case ABSENT: fake_card_plug(card, "DP-1", &fake_screen_gaming); break;
		default: break;
		}
		show(world, card, 4);
		draw(world, card);
		struct facts after = look(world, card);
		if (memcmp(&before, &after, sizeof(before)) != 0) {
			n_failed++;
			print_message(
				"%s, deleted while %s: %d %dx%d@%d (%d) at %d,%d scale %g "
				"transform %d depth %d bpc %d format %x ctm %d vrr %d scan "
				"%d tear %d cpu %d variable %d lend %d lowered %d time %lld\n",
				settings[i / 2], names[way], after.enabled, after.width,
				after.height, after.refresh, before.refresh, after.x, after.y,
				after.scale, after.transform, after.depth, after.max_bpc,
				after.format, after.ctm, after.vrr, after.scan_out, after.tearing,
				after.cpu, after.variable, after.lendable, after.lowered,
				(long long)after.render_time);
		}
	}
	assert_int_equal(n_failed, 0);
}

static void deleted_setting_takes_effect(void **state)
{
	delete_each(*state, PLAIN);
}

static void setting_deleted_in_the_dark_takes_effect(void **state)
{
	delete_each(*state, DARK);
}

static void setting_deleted_while_away_takes_effect(void **state)
{
	delete_each(*state, AWAY);
}

static void setting_deleted_while_absent_takes_effect(void **state)
{
	delete_each(*state, ABSENT);
}

static void setting_deleted_under_a_client_takes_effect(void **state)
{
	delete_each(*state, CLIENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(deleted_setting_takes_effect),
		TEST(setting_deleted_in_the_dark_takes_effect),
		TEST(setting_deleted_while_away_takes_effect),
		TEST(setting_deleted_while_absent_takes_effect),
		TEST(setting_deleted_under_a_client_takes_effect),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
