/* Tests of the configuration: files that are good, and what is said about those that are not. */

#include "shell/config.h"
#include "unit.h"
#include "util/xalloc.h"
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/causeway-config-XXXXXX";

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"a.ini", "b.ini", "c.ini", "sub/d.ini", "sub"};
	char path[128];
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		remove(path);
	}
	return rmdir(folder);
}

static const char *write_file(const char *name, const char *text, size_t length)
{
	static char path[128];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	return path;
}

static struct config *load(const char *text, char **error)
{
	*error = NULL;
	return config_load(write_file("a.ini", text, strlen(text)), error);
}

static struct config *load_good(const char *text)
{
	char *error;
	struct config *config = load(text, &error);
	if (!config) {
		fail_msg("refused: %s", error);
	}
	return config;
}

static const struct config_key *find_key(
	const struct config *config, uint32_t modifiers, xkb_keysym_t sym)
{
	const struct config_key *key, *found = NULL;
	wl_list_for_each (key, &config->keys, link) {
		if (key->modifiers == modifiers && key->sym == sym) {
			assert_null(found); /* a combination is there once */
			found = key;
		}
	}
	return found;
}

static void assert_key(const struct config *config, uint32_t modifiers, xkb_keysym_t sym,
	const char *action, const char *argument)
{
	const struct config_key *key = find_key(config, modifiers, sym);
	assert_non_null(key);
	assert_string_equal(key->action, action);
	if (argument) {
		assert_string_equal(key->argument, argument);
	} else {
		assert_null(key->argument);
	}
}

static void test_defaults(void **state)
{
	struct config *config = config_create_default();
	assert_null(config->path);
	assert_string_equal(config->gpu.default_selector, "display");
	assert_true(config->gpu.close_after == 5);
	assert_int_equal(config->gpu.queue, CONFIG_QUEUE_TRANSFER);
	assert_int_equal(config->gpu.engine, CONFIG_ENGINE_AUTO);
	assert_true(config->power.hidden_rate == 1);
	assert_int_equal(config->look.workspaces, 9);
	assert_key(config, CONFIG_SUPER, XKB_KEY_Return, "spawn", "foot");
	assert_key(config, CONFIG_SUPER, XKB_KEY_q, "close", NULL);
	assert_key(config, CONFIG_SUPER, XKB_KEY_9, "workspace", "9");
	assert_key(config, CONFIG_SUPER | CONFIG_SHIFT, XKB_KEY_1, "move-to-workspace", "1");
	assert_key(config, CONFIG_SUPER | CONFIG_SHIFT, XKB_KEY_e, "quit", NULL);
	assert_null(find_key(config, CONFIG_CTRL | CONFIG_ALT, XKB_KEY_F12));
	config_destroy(config);
	config_destroy(NULL);
}

static void expect_same_keys(const struct config *config, const struct config *other)
{
	const struct config_key *key;
	assert_int_equal(wl_list_length(&config->keys), wl_list_length(&other->keys));
	wl_list_for_each (key, &config->keys, link) {
		assert_key(other, key->modifiers, key->sym, key->action, key->argument);
	}
}

/* The default configuration, as a file, says what holds without it. */
static void test_shipped(void **state)
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
	assert_int_equal(config->look.background, built_in->look.background);
	assert_int_equal(config->look.border, built_in->look.border);
	assert_null(config->look.cursor_theme);
	assert_true(wl_list_empty(&config->apps) && wl_list_empty(&config->outputs));
	assert_true(wl_list_empty(&config->inputs) && wl_list_empty(&config->gpu.aliases));
	expect_same_keys(config, built_in);
	config_destroy(config);
	config_destroy(built_in);
	free(path);
}

static void test_everything(void **state)
{
	struct config *config = load_good("; a comment\n"
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
	assert_key(config, CONFIG_SUPER, XKB_KEY_Return, "spawn", "alacritty -e sh");
	assert_key(config, CONFIG_SUPER | CONFIG_CTRL | CONFIG_ALT | CONFIG_SHIFT, XKB_KEY_x,
		"close", NULL);
	assert_null(find_key(config, CONFIG_SUPER, XKB_KEY_q));
	assert_key(config, 0, XKB_KEY_XF86AudioMute, "spawn", "mute");
	assert_string_equal(config->keyboard.layout, "de,us");
	assert_int_equal(config->keyboard.repeat_rate, 0);
	assert_int_equal(config->look.cursor_size, 48);
	assert_int_equal(config->look.background, 0xa0b1c2);
	assert_int_equal(config->look.border, 0);
	config_destroy(config);
}

/* Each file is refused, with this text after its path; a dot separates several errors. */
/* A section of that very name comes first, then the first pattern, for the name or for the screen. */
static void test_outputs(void **state)
{
	struct config *config = load_good("[output Example*]\nscale = 2\n"
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

static void test_errors(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"x = 1", ":1: x: only include"},
		{"[gpu]\nnonsense", ":2: gpu: this line is not understood"},
		{"nonsense\n[power]\n", ":1: this line is not understood"},
		{"[gpu\ndefault = display", ":1: the section has no end"},
		{"[gpus]\nx = 1", ":1: gpus: there is no such section"},
		{"[gpu x]", ":1: gpu x: the section takes no name; it must be [gpu]"},
		{"[app]", ":1: app: the section needs a name"},
		{"[output]", ":1: output: the section needs a name; it must be [output NAME]"},
		{"[app x]\ngpu = display", ":1: app x: the rule says not which programs"},
		{"[app x]\nexe =", ":2: app x.exe: '': it must be a pattern"},
		{"[app x]\nexe = a\nchildren = maybe",
			":3: app x.children: 'maybe': it must be yes"},
		{"[app x]\nexe = a\ngpu = fast", ":3: app x.gpu: 'fast' is no GPU"},
		{"[app x]\nexe = a\nenv = 1X=2", ":3: app x.env: '1X=2': it must be NAME=VALUE"},
		{"[app x]\nexe = a\nenv = X", ":3: app x.env: 'X': it must be NAME=VALUE"},
		{"[app x]\nexes = a", ":2: app x.exes: there is no such key; this section has exe"},
		{"[gpu]\ndefault = pci-0000:03:00.0", ":2: gpu.default: 'pci-0000:03:00.0' is no"},
		{"[gpu]\nalias.display = renderD128", ":2: gpu.alias.display: an alias must"},
		{"[gpu]\nalias. = renderD128", ":2: gpu.alias.: an alias must"},
		{"[gpu]\nalias.a = b", ":2: gpu.alias.a: 'b' is no GPU"},
		{"[gpu]\nspeed = 1",
			":2: gpu.speed: there is no such key; this section has default, "
			"primary, close-after, queue, engine and alias.NAME"},
		{"[gpu]\nqueue = video",
			":2: gpu.queue: 'video': it must be transfer, compute, graphics or any"},
		{"[gpu]\nengine = dma",
			":2: gpu.engine: 'dma': it must be auto, sdma, vulkan, gles or cpu"},
		{"[gpu]\nclose-after = -1", ":2: gpu.close-after: '-1': it must be a number"},
		{"[output A]\nmode = 10", ":2: output A.mode: '10': it must be WxH"},
		{"[output A]\nmode = 10x10@0", ":2: output A.mode:"},
		{"[output A]\nmode = 10x10x10", ":2: output A.mode:"},
		{"[output A]\nmode = 99999x10", ":2: output A.mode:"},
		{"[output A]\nposition = 10", ":2: output A.position: '10': it must be X,Y"},
		{"[output A]\nposition = 1.5,2", ":2: output A.position:"},
		{"[output A]\nscale = 0", ":2: output A.scale: '0': it must be a number from 0.25"},
		{"[output A]\nscale = nan", ":2: output A.scale:"},
		{"[output A]\nbit-depth = 12", ": it must be auto, 8 or 10"},
		{"[output A]\ncolor-matrix = 1 0 0 0 1 0 0 0", ": it must be nine numbers"},
		{"[output A]\ncolor-matrix = 1 0 0 0 1 0 0 0 17", ": it must be nine numbers"},
		{"[gpu]\nprimary = mine", ":2: gpu.primary: 'mine' is no GPU"},
		{"[output A]\ntransform = 45", ":2: output A.transform: '45': it must be normal"},
		{"[output A]\nenabled = 2", ":2: output A.enabled:"},
		{"[input]\ntap = no", ":1: input: the section needs a name"},
		{"[input type:mouse]\ntap = no", ":1: input type:mouse: there is no type 'mouse'"},
		{"[input *]\ntap = maybe", ":2: input *.tap: 'maybe': it must be yes or no"},
		{"[input *]\ntaps = no", ":2: input *.taps: there is no such key"},
		{"[input *]\nsend-events = no", ":2: input *.send-events: 'no': it must be "
						"enabled, disabled or without-mouse"},
		{"[input *]\nacceleration-profile = fast", ": it must be flat or adaptive"},
		{"[input *]\nacceleration-speed = 1.1", ": it must be a number from -1 to 1"},
		{"[input *]\nscroll-method = twist",
			": it must be none, two-finger, edge or button"},
		{"[input *]\nscroll-button = 272", ": it must be left, right, middle"},
		{"[input *]\ntap-button-map = lrm", ": it must be left-right-middle or"},
		{"[input *]\nclick-method = 1", ": it must be none, areas or fingers"},
		{"[input *]\ncalibration-matrix = 1 0 0 0 1", ": it must be six numbers"},
		{"[input *]\ncalibration-matrix = 1 0 0 0 1 0 0", ": it must be six numbers"},
		{"[input *]\ncalibration-matrix = 1 0 0 0 1 x", ": it must be six numbers"},
		{"[input *]\nlayout = nowhere", ":1: input *: xkb has no such keyboard"},
		{"[input *]\nrepeat-rate = -1", ":2: input *.repeat-rate: '-1'"},
		{"[switches]\nlid-closed = fly",
			":2: switches.lid-closed: there is no action 'fly'"},
		{"[switches]\ntablet-mode-on = spawn",
			":2: switches.tablet-mode-on: the action spawn"},
		{"[switches]\nlid-covers-panel = 3",
			":2: switches.lid-covers-panel: '3': it must be"},
		{"[keys]\nCtrl+Alt+F3 = close", ":2: keys.Ctrl+Alt+F3: Ctrl+Alt with F1 to F12"},
		{"[keys]\nCtrl+Alt+BackSpace = none", "and cannot be bound"},
		{"[power]\nhidden-rate = -1", ":2: power.hidden-rate: '-1': it must be a number"},
		{"[power]\nhidden-rate = fast", ":2: power.hidden-rate:"},
		{"[power]\nhidden-fifo-rate = 1", ":2: power.hidden-fifo-rate: '1': it must be"},
		{"[frame]\nmargin = -1", ":2: frame.margin: '-1': it must be a number"},
		{"[frame]\nmax-render-time = never",
			":2: frame.max-render-time: 'never': it must be auto, off or"},
		{"[output A]\nadaptive-sync = yes", ":2: output A.adaptive-sync: 'yes': it must be "
						    "off, auto, fullscreen or on"},
		{"[output A]\nmax-render-time = -1", ":2: output A.max-render-time: '-1': it must"},
		{"[keys]\nSuper+Nonsense = close", ":2: keys.Super+Nonsense: there is no key"},
		{"[keys]\nHyper+x = close", ":2: keys.Hyper+x: there is no modifier 'Hyper'"},
		{"[keys]\nSuper+ = close", ":2: keys.Super+: there is no key ''"},
		{"[keys]\nx = close", ":2: keys.x: a key that types text"},
		{"[keys]\nShift+x = close", ":2: keys.Shift+x: a key that types text"},
		{"[keys]\nSuper+x = explode", ":2: keys.Super+x: there is no action 'explode'"},
		{"[keys]\nSuper+x =", ":2: keys.Super+x: there is no action ''"},
		{"[keys]\nSuper+x = spawn", ":2: keys.Super+x: the action spawn needs a command"},
		{"[keys]\nSuper+x = close 1", ":2: keys.Super+x: the action close takes no"},
		{"[keys]\nSuper+x = workspace 0", ":2: keys.Super+x: the action workspace needs a"},
		{"[keys]\nSuper+x = workspace a", ":2: keys.Super+x: the action workspace needs a"},
		{"[keyboard]\nlayout = nowhere", ":1: keyboard: xkb has no such keyboard"},
		{"[keyboard]\nrepeat-rate = 1.5", ":2: keyboard.repeat-rate: '1.5': it must be a"},
		{"[keyboard]\nrepeat-delay = 0", ":2: keyboard.repeat-delay: '0'"},
		{"[look]\nbackground = red", ":2: look.background: 'red': it must be a colour"},
		{"[look]\nbackground = #12345g", ":2: look.background:"},
		{"[look]\nworkspaces = 0", ":2: look.workspaces: '0'"},
		{"[look]\nborder = 1e1", ":2: look.border:"},
		{"include = nowhere.ini", ":1: include: "},
		{"include =", ":1: include: it must be the name of a file"},
		{"include = a.ini", "a.ini includes itself"},
		{"include = sub", "sub is a directory"},
		{"[look]\nborder = 100\n[power]\nx = 1\n", ":4: power.x: there is no such key"},
		{"[0123456789012345678901234567890123456789012345678]\n", "no such section"},
		{"[01234567890123456789012345678901234567890123456789]\n", "too long"},
		{"[keys]\n01234567890123456789012345678901234567890123456789 = 1\n", "too long"},
	};
	char sub[128];
	snprintf(sub, sizeof(sub), "%s/sub", folder);
	mkdir(sub, 0700);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *error;
		struct config *config = load(bad[i].text, &error);
		if (config || !strstr(error, bad[i].says) || strncmp(error, folder, 10) != 0) {
			fail_msg("'%s' gives '%s', not '%s'", bad[i].text,
				config ? "no error" : error, bad[i].says);
		}
		free(error);
	}
}

static void test_many_errors(void **state)
{
	char text[4096] = "[power]\n", expected[128];
	for (int i = 0; i < 30; i++) {
		strcat(text, "nothing = 1\n");
	}
	char *error;
	assert_null(load(text, &error));
	for (int i = 2; i <= 21; i++) {
		snprintf(expected, sizeof(expected), "%s/a.ini:%d: power.nothing: ", folder, i);
		assert_non_null(strstr(error, expected));
	}
	assert_non_null(strstr(error, "\n... and 10 more"));
	free(error);
}

static void test_includes(void **state)
{
	static const char b[] = "include = sub/d.ini\n[power]\nhidden-rate = 3\n";
	static const char d[] = "[power]\nhidden-rate = 2\non-battery-rate = 7\n[keys]\n";
	char sub[128];
	snprintf(sub, sizeof(sub), "%s/sub", folder);
	mkdir(sub, 0700);
	write_file("sub/d.ini", d, strlen(d));
	write_file("b.ini", b, strlen(b));
	/* The section goes on after an include in the midst of it. */
	struct config *config = load_good("[look]\ninclude = b.ini\nborder = 7\n");
	assert_true(config->power.hidden_rate == 3);
	assert_true(config->power.on_battery_rate == 7);
	assert_int_equal(config->look.border, 7);
	/* All of it in one text, as a copy has it. */
	assert_string_equal(config->text,
		"[look]\n[power]\nhidden-rate=2\non-battery-rate=7\n[keys]\n"
		"[power]\nhidden-rate=3\n[look]\nborder=7\n");
	config_destroy(config);

	/* A loop through another folder, and an error in an included file. */
	static const char loop[] = "include = ../b.ini\n";
	write_file("sub/d.ini", loop, strlen(loop));
	char *error;
	assert_null(load("include = b.ini\n", &error));
	assert_non_null(strstr(error, "/sub/d.ini:1: include: "));
	assert_non_null(strstr(error, "includes itself"));
	free(error);
	static const char wrong[] = "[power]\n\nbad = 1\n";
	write_file("b.ini", wrong, strlen(wrong));
	assert_null(load("include = b.ini\n[power]\nworse = 1\n", &error));
	assert_non_null(strstr(error, "/b.ini:3: power.bad: "));
	assert_non_null(strstr(error, "/a.ini:3: power.worse: "));
	free(error);
}

static void test_odd_files(void **state)
{
	char *error = NULL;
	assert_null(config_load("/nonexistent/causeway.ini", &error));
	assert_string_equal(
		error, "/nonexistent/causeway.ini: it cannot be read: No such file or directory");
	free(error);
	assert_null(config_load("/", &error));
	free(error);
	alarm(20); /* of a file without an end, no more than the limit is read */
	assert_null(config_load("/dev/zero", &error));
	alarm(0);
	assert_non_null(strstr(error, "must be text"));
	free(error);
	error = NULL;
	struct config *config = config_load("/dev/null", &error);
	assert_non_null(config);
	config_destroy(config);

	static const char binary[] = "[power]\n\0\0\0";
	assert_null(config_load(write_file("a.ini", binary, sizeof(binary)), &error));
	assert_non_null(strstr(error, ":2: power: this is no configuration"));
	free(error);
	config = load_good("\xef\xbb\xbf[power]\r\nhidden-rate = 5\r\n");
	assert_true(config->power.hidden_rate == 5);
	config_destroy(config);

	char line[600] = "[keys]\nSuper+x = spawn ";
	memset(line + strlen(line), 'y', 400);
	assert_null(load(line, &error));
	assert_non_null(strstr(error, ":2: keys: the line is longer than 197 bytes"));
	free(error);
}

static void test_selectors(void **state)
{
	static const char *const good[] = {"integrated", "discrete", "display", "pci-0000_03_00_0",
		"pci-00ff_0a_1f_7", "1002:73bf", "renderD128", "renderD1", "big",
		"platform-fd4a0000_gpu"};
	static const char *const bad[] = {"", "card0", "pci-0000:03:00.0", "pci-0000_03_00", "1002",
		"1002:73BF", "1002:73bf0", "renderD", "renderDx", "renderD1234567", "Integrated",
		"small", "pci-0000_03_00_01", "platform-", "platform-a b"};
	struct config *config = load_good("[gpu]\nalias.big = 10de:2684\n");
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(config_selector_valid(config, good[i]));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(config_selector_valid(config, bad[i]));
	}
	config_destroy(config);
}

static void test_inputs(void **state)
{
	struct config *config = load_good("[keyboard]\n"
					  "layout = us\n"
					  "variant = dvorak\n"
					  "repeat-rate = 30\n"
					  "[input type:touchpad]\n"
					  "tap = no\n"
					  "drag-lock = yes\n"
					  "natural-scroll = yes\n"
					  "scroll-method = edge\n"
					  "click-method = fingers\n"
					  "acceleration-speed = -0.5\n"
					  "[input Some *]\n"
					  "tap = yes\n"
					  "send-events = without-mouse\n"
					  "acceleration-profile = flat\n"
					  "tap-button-map = left-middle-right\n"
					  "scroll-button = back\n"
					  "calibration-matrix = 0 -1 1, 1 0 0.5\n"
					  "map-to-output = DP-1\n"
					  "[input type:keyboard]\n"
					  "repeat-delay = 300\n"
					  "[input Typewriter]\n"
					  "layout = de\n"
					  "repeat-rate = 0\n");
	struct input_settings settings;
	struct config_keyboard keyboard;
	config_input_find(config, "Some Pad", "touchpad", &settings, &keyboard);
	assert_int_equal(settings.options[INPUT_TAP], INPUT_ON);
	assert_int_equal(settings.options[INPUT_DRAG], 0);
	assert_int_equal(settings.options[INPUT_DRAG_LOCK], INPUT_ON);
	assert_int_equal(settings.options[INPUT_NATURAL_SCROLL], INPUT_ON);
	assert_int_equal(settings.options[INPUT_SCROLL_METHOD], INPUT_SCROLL_EDGE);
	assert_int_equal(settings.options[INPUT_CLICK_METHOD], INPUT_CLICK_FINGERS);
	assert_int_equal(settings.options[INPUT_SEND_EVENTS], INPUT_SEND_WITHOUT_MOUSE);
	assert_int_equal(settings.options[INPUT_ACCELERATION], INPUT_ACCELERATION_FLAT);
	assert_int_equal(settings.options[INPUT_TAP_BUTTONS], INPUT_TAP_LMR);
	assert_int_equal(settings.scroll_button, BTN_BACK);
	assert_true(settings.has_speed && settings.speed == -0.5);
	static const double matrix[] = {0, -1, 1, 1, 0, 0.5};
	assert_true(settings.has_calibration);
	assert_memory_equal(settings.calibration, matrix, sizeof(matrix));
	assert_string_equal(settings.output, "DP-1");

	config_input_find(config, "Other", "pointer", &settings, &keyboard);
	static const struct input_settings none;
	assert_memory_equal(&settings, &none, sizeof(none));

	config_input_find(config, "Board", "keyboard", &settings, &keyboard);
	assert_string_equal(keyboard.layout, "us");
	assert_string_equal(keyboard.variant, "dvorak");
	assert_int_equal(keyboard.repeat_rate, 30);
	assert_int_equal(keyboard.repeat_delay, 300);
	config_input_find(config, "Typewriter", "keyboard", &settings, &keyboard);
	assert_string_equal(keyboard.layout, "de");
	assert_null(keyboard.variant); /* which is one of another layout */
	assert_int_equal(keyboard.repeat_rate, 0);
	assert_int_equal(keyboard.repeat_delay, 300);
	config_destroy(config);
}

static void test_switches(void **state)
{
	struct config *config = load_good("[switches]\n"
					  "lid-closed = spawn lock\n"
					  "tablet-mode-on = workspace 2\n"
					  "tablet-mode-off = workspace 1\n"
					  "tablet-mode-off = none\n");
	assert_true(config->switches.lid_covers_panel);
	assert_string_equal(config->switches.lid_closed.name, "spawn");
	assert_string_equal(config->switches.lid_closed.argument, "lock");
	assert_null(config->switches.lid_opened.name);
	assert_string_equal(config->switches.tablet_mode_on.argument, "2");
	assert_null(config->switches.tablet_mode_off.name);
	config_destroy(config);
	config = load_good("[switches]\nlid-covers-panel = no\n");
	assert_false(config->switches.lid_covers_panel);
	config_destroy(config);
}

static void expect_warning(const char *text, const char *says)
{
	struct config *config = load_good(text);
	char *warnings = config_find_mistakes(config);
	if (says ? !warnings || !strstr(warnings, says) : warnings != NULL) {
		fail_msg("'%s' gives '%s', not '%s'", text, warnings, says);
	}
	free(warnings);
	config_destroy(config);
}

static void test_overlapping_outputs_are_named(void **state)
{
	static const char first[] = "[output A]\nmode = 1920x1080\nscale = 1.5\nposition = 0,0\n";
	char text[256];
	static const struct {
		const char *second, *says;
	} cases[] = {
		{"[output B]\nposition = 1279,0\n", "[output A] and [output B] overlap at 1279,0"},
		{"[output B]\nposition = 1280,0\n", NULL},
		{"[output B]\nposition = 0,0\nenabled = no\n", NULL},
		{"[output B]\nmode = 1080x1920\ntransform = 90\nposition = -1919,0\n",
			"overlap at 0,0"},
		{"[output B]\nmode = 1080x1920\ntransform = 90\nposition = -1920,0\n", NULL},
		{"[output B]\nmode = 1920x1080\n", NULL},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "%s%s", first, cases[i].second);
		expect_warning(text, cases[i].says);
	}
}

static void test_settings_without_effect_are_warned_of(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"[keys]\nSuper+exclam = close\n", "a.ini:2: keys.Super+exclam: this never fires"},
		{"[keys]\nSuper+exclam = close\n", "; write Super+Shift+1"},
		{"[keys]\nSuper+Shift+at = close\n", "; write Super+Shift+2"},
		{"[keyboard]\nlayout = de\n[keys]\nSuper+at = close\n", "; write Super+q"},
		{"[keyboard]\nlayout = fr\n[keys]\nSuper+1 = close\nSuper+ampersand = close\n",
			NULL},
		{"[keys]\nSuper+Cyrillic_ya = close\n", "no key of the layout has this symbol"},
		{"[keyboard]\nlayout = us,ru\n[keys]\nSuper+Cyrillic_ya = close\n", NULL},
		{"[input Other]\nlayout = ru\n[keys]\nSuper+Cyrillic_ya = close\n", NULL},
		{"[keys]\nSuper+exclam = close\nSuper+exclam = none\n", NULL},
		{"[keys]\nXF86AudioMute = close\nSuper+F12 = close\n", NULL},
		{"[keys]\nSuper+x = workspace 10\n", ":2: keys.Super+x: there is no workspace 10"},
		{"[keys]\nSuper+x = workspace 10\n[look]\nworkspaces = 10\n", NULL},
		{"[look]\nworkspaces = 2\n", NULL},
		{"[switches]\nlid-opened = workspace 10\n", "switches.lid-opened: there is no"},
		{"[keyboard]\noptions = compose:ralt,ctrl:nothing\n",
			"keyboard: xkb has no option 'ctrl:nothing'"},
		{"[keyboard]\noptions = compose:ralt\nmodel = pc104\n", NULL},
		{"[keyboard]\nmodel = pc1234\n", "keyboard: xkb has no model 'pc1234'"},
		{"[input Mine]\nmodel = pc1234\n", "input Mine: xkb has no model 'pc1234'"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		expect_warning(cases[i].text, cases[i].says);
	}
}

static void test_locked_bindings(void **state)
{
	struct config *config = load_good("[keys]\nXF86AudioMute = locked spawn mute it\n"
					  "Super+x = spawn locked\n"
					  "Ctrl+Alt+BackSpace = locked quit\n");
	assert_key(config, 0, XKB_KEY_XF86AudioMute, "spawn", "mute it");
	assert_true(find_key(config, 0, XKB_KEY_XF86AudioMute)->locked);
	assert_key(config, CONFIG_SUPER, XKB_KEY_x, "spawn", "locked");
	assert_false(find_key(config, CONFIG_SUPER, XKB_KEY_x)->locked);
	assert_true(find_key(config, CONFIG_CTRL | CONFIG_ALT, XKB_KEY_BackSpace)->locked);
	config_destroy(config);
	static const char *const bad[] = {"Super+x = locked", "Super+x = locked close",
		"Super+x = locked workspace 2", "Ctrl+Alt+BackSpace = quit",
		"Ctrl+Alt+BackSpace = locked spawn x", "Ctrl+Alt+F1 = locked quit"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[128], *error;
		snprintf(text, sizeof(text), "[keys]\n%s\n", bad[i]);
		assert_null(load(text, &error));
		assert_non_null(strstr(error, ":2: keys."));
		free(error);
	}
}

static void test_usual_place(void **state)
{
	char path[160];
	snprintf(path, sizeof(path), "%s/causeway", folder);
	mkdir(path, 0700);
	static const char text[] = "[look]\nborder = 9\n";
	write_file("causeway/causeway.ini", text, strlen(text));
	setenv("XDG_CONFIG_HOME", folder, 1);
	char *error = NULL;
	struct config *config = config_load(NULL, &error);
	assert_non_null(config);
	assert_int_equal(config->look.border, 9);
	snprintf(path, sizeof(path), "%s/causeway/causeway.ini", folder);
	assert_string_equal(config->path, path);
	config_destroy(config);
	unlink(path);
	snprintf(path, sizeof(path), "%s/causeway", folder);
	rmdir(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_shipped),
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_many_errors),
		cmocka_unit_test(test_includes),
		cmocka_unit_test(test_odd_files),
		cmocka_unit_test(test_selectors),
		cmocka_unit_test(test_inputs),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_overlapping_outputs_are_named),
		cmocka_unit_test(test_settings_without_effect_are_warned_of),
		cmocka_unit_test(test_locked_bindings),
		cmocka_unit_test(test_usual_place),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
