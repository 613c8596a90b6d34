/* SPDX-License-Identifier: MIT */
/* The configuration: defaults, the shipped file, all keys, and sections of outputs. */

#include "harness/config_file.h"
#include "util/xalloc.h"
#include <stdlib.h>

static void defaults_use_the_display_gpu_and_bind_keys(void **state)
{
	struct config *config = config_create_default();
	assert_null(config->path);
	assert_string_equal(config->gpu.default_selector, "display");
	assert_true(config->gpu.close_after == 5);
	assert_int_equal(config->gpu.queue, CONFIG_QUEUE_TRANSFER);
	assert_int_equal(config->gpu.engine, CONFIG_ENGINE_AUTO);
	assert_true(config->power.hidden_rate == 1);
	assert_int_equal(config->look.workspaces, 9);
	config_file_expect_key(config, CONFIG_SUPER, XKB_KEY_Return, "spawn", "foot");
	config_file_expect_key(config, CONFIG_SUPER, XKB_KEY_q, "close", NULL);
	config_file_expect_key(config, CONFIG_SUPER, XKB_KEY_9, "workspace", "9");
	config_file_expect_key(
		config, CONFIG_SUPER | CONFIG_SHIFT, XKB_KEY_1, "move-to-workspace", "1");
	config_file_expect_key(config, CONFIG_SUPER | CONFIG_SHIFT, XKB_KEY_e, "quit", NULL);
	assert_null(config_file_find_key(config, CONFIG_CTRL | CONFIG_ALT, XKB_KEY_F12));
	config_destroy(config);
	config_destroy(NULL);
}

static void expect_button(const struct config *config, const struct config_key *expected)
{
	const struct config_key *key;
	int n = 0;
	wl_list_for_each (key, &config->keys, link) {
		if (key->button == expected->button && key->modifiers == expected->modifiers) {
			assert_string_equal(key->action, expected->action);
			assert_string_equal(key->argument ? key->argument : "",
				expected->argument ? expected->argument : "");
			n++;
		}
	}
	assert_int_equal(n, 1);
}

static void expect_same_keys(const struct config *config, const struct config *other)
{
	const struct config_key *key;
	assert_int_equal(wl_list_length(&config->keys), wl_list_length(&other->keys));
	wl_list_for_each (key, &config->keys, link) {
		if (key->button) {
			expect_button(other, key);
		} else {
			config_file_expect_key(
				other, key->modifiers, key->sym, key->action, key->argument);
		}
	}
}

/* The shipped causeway.ini has the values of the built-in defaults. */
static void shipped_file_equals_the_defaults(void **state)
{
	char *error = NULL, *path = xasprintf("%s/causeway.ini", getenv("CAUSEWAY_DATA"));
	struct config *config = config_load(path, &error), *built_in = config_create_default();
	if (!config) {
		fail_msg("%s", error);
	}
	assert_string_equal(config->gpu.default_selector, built_in->gpu.default_selector);
	assert_true(config->gpu.close_after == built_in->gpu.close_after);
	assert_int_equal(config->gpu.queue, built_in->gpu.queue);
	assert_int_equal(config->gpu.engine, built_in->gpu.engine);
	assert_null(config->gpu.primary);
	assert_memory_equal(&config->frame, &built_in->frame, sizeof(config->frame));
	assert_memory_equal(&config->power, &built_in->power, sizeof(config->power));
	assert_int_equal(config->keyboard.repeat_rate, built_in->keyboard.repeat_rate);
	assert_int_equal(config->keyboard.repeat_delay, built_in->keyboard.repeat_delay);
	assert_null(config->keyboard.layout);
	assert_int_equal(config->switches.lid_covers_panel, built_in->switches.lid_covers_panel);
	assert_null(config->switches.lid_closed.name);
	assert_int_equal(config->look.workspaces, built_in->look.workspaces);
	assert_memory_equal(&config->look.background, &built_in->look.background,
		sizeof(config->look.background));
	assert_int_equal(config->look.border, built_in->look.border);
	assert_int_equal(config->look.magnify_step, built_in->look.magnify_step);
	assert_null(config->look.cursor_theme);
	assert_int_equal(config->xwayland.enable, built_in->xwayland.enable);
	assert_int_equal(config->xwayland.linger, built_in->xwayland.linger);
	assert_int_equal(config->xwayland.per_gpu, built_in->xwayland.per_gpu);
	assert_true(config->xwayland.hidden_rate == built_in->xwayland.hidden_rate);
	assert_int_equal(config->xwayland.abstract_socket, built_in->xwayland.abstract_socket);
	assert_true(wl_list_empty(&config->apps) && wl_list_empty(&config->outputs));
	assert_true(wl_list_empty(&config->inputs) && wl_list_empty(&config->gpu.aliases));
	expect_same_keys(config, built_in);
	config_destroy(config);
	config_destroy(built_in);
	free(path);
}

static void all_keys_are_parsed(void **state)
{
	struct config *config = config_file_load_good("; a comment\n"
						      "# another\n"
						      "[gpu]\n"
						      "default = big ; comes below\n"
						      "alias.big = pci-0000_03_00_0\n"
						      "\n"
						      "[app blender]\n"
						      "  exe = */blender\n"
						      "  children = yes\n"
						      "  gpu = discrete\n"
						      "  env = MANGOHUD=1\n"
						      "  env = A=b=c\n"
						      "[app second one]\n"
						      "cmdline = *--gpu*\n"
						      "unit = app-*.scope\n"
						      "sandbox-app-id = org.x\n"
						      "desktop-id = x\n"
						      "gpu = 1002:73bf\n"
						      "[decoration]\n"
						      "buttons = close  minimize\n"
						      "theme = light\n"
						      "urgent-text = #010203\n"
						      "[output DP-1]\n"
						      "mode = 2560x1440@143.97\n"
						      "position = -1920, 10\n"
						      "scale = 1.25\n"
						      "transform = flipped-90\n"
						      "max-render-time = 4.5\n"
						      "adaptive-sync = fullscreen\n"
						      "tearing = no\n"
						      "cpu-composition = no\n"
						      "lease = yes\n"
						      "bit-depth = 10\n"
						      "color-matrix = 0.5 0 0, 0 1 0, 0 0 -1\n"
						      "[output HDMI-A-1]\n"
						      "enabled = no\n"
						      "scan-out = no\n"
						      "[frame]\n"
						      "margin = 0.5\n"
						      "max-render-time = off\n"
						      "[power]\n"
						      "hidden-rate = 0\n"
						      "hidden-fifo-rate = 12.5\n"
						      "on-battery-rate = 30\n"
						      "[keys]\n"
						      "Super+Return = spawn alacritty -e sh\n"
						      "super+ctrl+Alt+shift+X = close\n"
						      "Super+Q = none\n"
						      "XF86AudioMute = spawn mute\n"
						      "[keyboard]\n"
						      "layout = de,us\n"
						      "variant = nodeadkeys,\n"
						      "repeat-rate = 0\n"
						      "repeat-delay = 250\n"
						      "[look]\n"
						      "cursor-theme = Adwaita\n"
						      "cursor-size = 48\n"
						      "workspaces = 4\n"
						      "background = #A0b1C2\n"
						      "border = 0");
	assert_string_equal(config->gpu.default_selector, "big");
	struct config_app *app = wl_container_of(config->apps.next, app, link);
	assert_string_equal(app->name, "blender");
	assert_string_equal(app->exe, "*/blender");
	assert_true(app->children);
	assert_string_equal(app->gpu, "discrete");
	assert_string_equal(app->env[0], "MANGOHUD=1");
	assert_string_equal(app->env[1], "A=b=c");
	assert_null(app->env[2]);
	app = wl_container_of(app->link.next, app, link);
	assert_string_equal(app->name, "second one");
	assert_string_equal(app->unit, "app-*.scope");
	assert_false(app->children);
	const struct config_output *output = config_output_find(config, "DP-1", NULL);
	assert_true(
		output->scan_out && output->enabled && output->has_mode && output->has_position);
	assert_int_equal(output->width, 2560);
	assert_int_equal(output->refresh, 143970);
	assert_int_equal(output->x, -1920);
	assert_int_equal(output->y, 10);
	assert_true(output->has_scale && output->scale == 1.25);
	assert_int_equal(output->transform, WL_OUTPUT_TRANSFORM_FLIPPED_90);
	assert_false(config_output_find(config, "HDMI-A-1", NULL)->enabled);
	assert_false(config_output_find(config, "HDMI-A-1", NULL)->scan_out);
	assert_null(config_output_find(config, "DP-2", NULL));
	assert_int_equal(config->decoration.buttons[0], CONFIG_BUTTON_CLOSE);
	assert_int_equal(config->decoration.buttons[1], CONFIG_BUTTON_MINIMIZE);
	assert_int_equal(config->decoration.buttons[2], CONFIG_BUTTON_NONE);
	assert_int_equal(config->decoration.theme, CONFIG_THEME_LIGHT);
	assert_int_equal(config->decoration.urgent.text, 0x010203);
	assert_int_equal(config->decoration.active.text, CONFIG_COLOR_THEME);
	assert_true(output->max_render_time == 4.5);
	assert_int_equal(output->adaptive_sync, CONFIG_ADAPTIVE_SYNC_FULLSCREEN);
	assert_false(output->tearing);
	assert_false(output->cpu_composition);
	assert_int_equal(output->lease, CONFIG_LEASE_YES);
	assert_int_equal(output->bit_depth, CONFIG_BIT_DEPTH_10);
	assert_true(output->has_color_matrix && output->color_matrix[0] == 0.5 &&
		    output->color_matrix[8] == -1);
	assert_int_equal(config_output_find(config, "HDMI-A-1", NULL)->lease, CONFIG_LEASE_AUTO);
	assert_int_equal(config_output_find(config, "HDMI-A-1", NULL)->adaptive_sync,
		CONFIG_ADAPTIVE_SYNC_AUTO);
	assert_true(config_output_find(config, "HDMI-A-1", NULL)->tearing);
	assert_true(config_output_find(config, "HDMI-A-1", NULL)->cpu_composition);
	assert_true(config_output_find(config, "HDMI-A-1", NULL)->max_render_time ==
		    CONFIG_RENDER_TIME_UNSET);
	assert_true(config->frame.margin == 0.5);
	assert_true(config->frame.max_render_time == CONFIG_RENDER_TIME_OFF);
	assert_true(config->power.hidden_rate == 0 && config->power.hidden_fifo_rate == 12.5);
	config_file_expect_key(config, CONFIG_SUPER, XKB_KEY_Return, "spawn", "alacritty -e sh");
	config_file_expect_key(config, CONFIG_SUPER | CONFIG_CTRL | CONFIG_ALT | CONFIG_SHIFT,
		XKB_KEY_x, "close", NULL);
	assert_null(config_file_find_key(config, CONFIG_SUPER, XKB_KEY_q));
	config_file_expect_key(config, 0, XKB_KEY_XF86AudioMute, "spawn", "mute");
	assert_string_equal(config->keyboard.layout, "de,us");
	assert_int_equal(config->keyboard.repeat_rate, 0);
	assert_int_equal(config->look.cursor_size, 48);
	assert_int_equal(config->look.background.top, 0xa0b1c2);
	assert_int_equal(config->look.background.bottom, 0xa0b1c2);
	assert_int_equal(config->look.border, 0);
	config_destroy(config);
}

/*
 * A section with the exact name comes first, then the first pattern that matches the name or the
 * monitor.
 */
static void exact_output_name_precedes_patterns(void **state)
{
	struct config *config = config_file_load_good("[output Example*]\nscale = 2\n"
						      "[output DP-*]\nscale = 3\n"
						      "[output DP-2]\nscale = 4\n"
						      "[output *Wide 34 0042]\nscale = 5\n");
	static const struct {
		const char *name, *screen;
		double scale;
	} cases[] = {
		{"DP-1", NULL, 3},
		{"DP-1", "Example Wide 34 0042", 2},
		{"DP-2", "Example Wide 34 0042", 4},
		{"HDMI-A-1", "Other Wide 34 0042", 5},
		{"HDMI-A-1", "Other Wide 34 0043", 0},
		{"HDMI-A-1", NULL, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct config_output *output =
			config_output_find(config, cases[i].name, cases[i].screen);
		assert_true((output ? output->scale : 0) == cases[i].scale);
	}
	config_destroy(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_use_the_display_gpu_and_bind_keys),
		cmocka_unit_test(shipped_file_equals_the_defaults),
		cmocka_unit_test(all_keys_are_parsed),
		cmocka_unit_test(exact_output_name_precedes_patterns),
	};
	return cmocka_run_group_tests(tests, config_folder_create, config_folder_remove);
}
