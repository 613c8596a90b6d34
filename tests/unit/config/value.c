/* SPDX-License-Identifier: MIT */
/* Values of configuration keys: invalid ones are errors with path, line and key. */

#include "harness/config_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void invalid_values_are_errors_with_line_and_key(void **state)
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
		{"[app x]\ngpu = display", ":1: app x: the rule does not say which programs"},
		{"[app x]\nexe =", ":2: app x.exe: '': it must be a pattern"},
		{"[app x]\nexe = a\nchildren = maybe",
			":3: app x.children: 'maybe': it must be yes"},
		{"[app x]\nexe = a\ngpu = fast", ":3: app x.gpu: 'fast' is no GPU"},
		{"[app x]\nexe = a\nenv = 1X=2", ":3: app x.env: '1X=2': it must be NAME=VALUE"},
		{"[app x]\nexe = a\nenv = X", ":3: app x.env: 'X': it must be NAME=VALUE"},
		{"[app x]\nexes = a", ":2: app x.exes: there is no such key; this section has exe"},
		{"[gpu]\ndefault = ssh:far", ":2: gpu.default: 'ssh:far' is a GPU of another"},
		{"[gpu]\nprimary = a\nalias.a = ssh:far",
			":2: gpu.primary: 'a' is a GPU of another"},
		{"[app a]\nexe = x\ngpu = ssh:-x", ":3: app a.gpu: 'ssh:-x' is no GPU"},
		{"[gpu]\ndefault = pci-0000:03:00.0", ":2: gpu.default: 'pci-0000:03:00.0' is no"},
		{"[gpu]\nalias.display = renderD128", ":2: gpu.alias.display: an alias must"},
		{"[gpu]\nalias. = renderD128", ":2: gpu.alias.: an alias must"},
		{"[gpu]\nalias.a = b", ":2: gpu.alias.a: 'b' is no GPU"},
		{"[gpu]\nspeed = 1",
			":2: gpu.speed: there is no such key; this section has default, "
			"primary, close-after, queue, engine, overlays, hide-others, "
			"compressed-copies and alias.NAME"},
		{"[gpu]\nqueue = video",
			":2: gpu.queue: 'video': it must be transfer, compute, graphics or any"},
		{"[gpu]\nengine = dma",
			":2: gpu.engine: 'dma': it must be auto, sdma, vulkan, gles or cpu"},
		{"[gpu]\noverlays = maybe",
			":2: gpu.overlays: 'maybe': it must be auto, yes or no"},
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
		{"[keys]\nSuper+x = explode", ", toggle-shortcuts, "},
		{"[keys]\nSuper+x = dpms", "the action dpms needs a state: on, off or toggle"},
		{"[keys]\nSuper+x =", ":2: keys.Super+x: there is no action ''"},
		{"[keys]\nSuper+x = spawn", ":2: keys.Super+x: the action spawn needs a command"},
		{"[keys]\nSuper+x = close 1", ":2: keys.Super+x: the action close takes no"},
		{"[keys]\nSuper+x = workspace 0", ":2: keys.Super+x: the action workspace needs a"},
		{"[keys]\nSuper+x = switch-vt a", ":2: keys.Super+x: the action switch-vt needs a"},
		{"[keyboard]\nlayout = nowhere", ":1: keyboard: xkb has no such keyboard"},
		{"[keyboard]\nrepeat-rate = 1.5", ":2: keyboard.repeat-rate: '1.5': it must be a"},
		{"[keyboard]\nrepeat-delay = 0", ":2: keyboard.repeat-delay: '0'"},
		{"[keys]\nSuper+x = focus north", ":2: keys.Super+x: the action focus needs a"},
		{"[keys]\nSuper+x = width 4", ":2: keys.Super+x: the action width needs next"},
		{"[keys]\nSuper+x = gaps wide", ":2: keys.Super+x: the action gaps needs pixels"},
		{"[keys]\nMouseLeft = close",
			":2: keys.MouseLeft: a wheel or a button that clicks"},
		{"[keys]\nSuper+x = release repeat close", "release works with keys"},
		{"[keys]\nMouseSide = release repeat close", "release works with keys"},
		{"[keys]\nSuper+MouseWheelUp = release close", "release works with keys"},
		{"[keys]\nSwipe3Left = release close", "release works with keys"},
		{"[keys]\nPinch4Out = release close", "release works with keys"},
		{"[keys]\nMouseLeft = release close", "a wheel or a button that clicks"},
		{"[keys]\nF9 = pass", "the action pass needs a pattern"},
		{"[keys]\nF9 = release pass a", "the action pass works with keys"},
		{"[keys]\nF9 = repeat pass a", "the action pass works with keys"},
		{"[keys]\nMouseBack = pass a", "the action pass works with keys"},
		{"[keys]\nF9 = locked pass a", "cannot be locked"},
		{"[keys]\nAny+v = close", "types text"},
		{"[keys]\nAny+Ctrl+Alt+F2 = close", "cannot be bound"},
		{"[keys]\nCtrl+Any+Alt+BackSpace = locked quit", "cannot be bound"},
		{"[keys]\nAny+MouseLeft = close", "must come with Super"},
		{"[switches]\nlid-closed = pass a", "the action pass works with keys only"},
		{"[xwayland]\nglobal-keys = F9 Foo", "there is no key 'Foo'"},
		{"[xwayland]\nglobal-keys = MouseBack", "it must be a list of keys"},
		{"[xwayland]\nglobal-keys = a b c d e f g h i j k l m n o p q", "at most 16 keys"},
		{"[mode a]\nSuper+x = explode", ":2: mode a.Super+x: there is no action"},
		{"[layout]\ndefault = tiles", ":2: layout.default: 'tiles': it must be floating"},
		{"[layout]\nwidths = 50 33", ":2: layout.widths: '50 33': it must be one to 8"},
		{"[layout]\nwidths =", ":2: layout.widths: ''"},
		{"[layout]\ngap = -1", ":2: layout.gap: '-1'"},
		{"[workspace 1]\nlayout = grid", ":2: workspace 1.layout: 'grid'"},
		{"[window a]\nfocus = yes", ":1: window a: the rule does not say which windows"},
		{"[window a]\napp-id = a\nsize = 800", ":3: window a.size: '800'"},
		{"[window a]\napp-id = a\nposition = 8x9", ":3: window a.position: '8x9'"},
		{"[window a]\napp-id = a\nopacity = 2", ":3: window a.opacity: '2'"},
		{"[window a]\ntype = menu", ":2: window a.type: 'menu'"},
		{"[window a]\ngpu = fastest", "'fastest' is no GPU"},
		{"[look]\nbackground = red", ":2: look.background: 'red': it must be a colour"},
		{"[look]\nbackground = #12345g", ":2: look.background:"},
		{"[look]\nbackground = #123456 #12345", "or two from top to bottom"},
		{"[look]\nbackground-image = a.png", "it must be a path that begins with"},
		{"[output A]\nbackground-mode = zoom", ":2: output A.background-mode: 'zoom'"},
		{"[look]\nworkspaces = 0", ":2: look.workspaces: '0'"},
		{"[look]\nborder = 1e1", ":2: look.border:"},
		{"include = nowhere.ini", ":1: include: "},
		{"[decoration]\nbuttons = close close\n", "none, or minimize, maximize and close"},
		{"[decoration]\nbuttons =\n", "none, or minimize, maximize and close"},
		{"[decoration]\nbuttons = shade\n", ":2: decoration.buttons: 'shade'"},
		{"[decoration]\ntheme = gray\n", "it must be dark or light"},
		{"[decoration]\nactive = red\n", "a colour as #rrggbb"},
		{"include =", ":1: include: it must be the name of a file or folder"},
		{"include = a.ini", "a.ini includes itself"},
		{"[session]\nstart =\n", "it must be a command"},
		{"[look]\nborder = 100\n[power]\nx = 1\n", ":4: power.x: there is no such key"},
		{"[0123456789012345678901234567890123456789012345678]\n", "no such section"},
		{"[01234567890123456789012345678901234567890123456789]\n", "too long"},
		{"[keys]\n01234567890123456789012345678901234567890123456789 = 1\n", "too long"},
	};
	char sub[128];
	snprintf(sub, sizeof(sub), "%s/sub", config_folder);
	mkdir(sub, 0700);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *error;
		struct config *config = config_file_load(bad[i].text, &error);
		if (config || !strstr(error, bad[i].says) ||
			strncmp(error, config_folder, 10) != 0) {
			fail_msg("'%s' gives '%s', not '%s'", bad[i].text,
				config ? "no error" : error, bad[i].says);
		}
		free(error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invalid_values_are_errors_with_line_and_key),
	};
	return cmocka_run_group_tests(tests, config_folder_create, config_folder_remove);
}
