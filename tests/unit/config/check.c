/* SPDX-License-Identifier: MIT */
/* Warnings about valid settings without effect. */

#include "harness/config_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_warning(const char *text, const char *says)
{
	struct config *config = config_file_load_good(text);
	char *warnings = config_find_mistakes(config);
	if (says ? !warnings || !strstr(warnings, says) : warnings != NULL) {
		fail_msg("'%s' gives '%s', not '%s'", text, warnings, says);
	}
	free(warnings);
	config_destroy(config);
}

static void overlapping_outputs_are_named(void **state)
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

static void settings_without_effect_cause_warnings(void **state)
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
		{"[keys]\nSuper+x = follow-to-workspace 10\n",
			":2: keys.Super+x: there is no workspace 10"},
		{"[keys]\nSuper+x = workspace 10th\n", NULL},
		{"[window a]\napp-id = a\nworkspace = 10\n",
			".ini:3: window a.workspace: there is no"},
		{"[window a]\napp-id = a\nworkspace = 10\n[look]\nworkspaces = 10\n", NULL},
		{"[window a]\napp-id = a\nworkspace = mail\n", NULL},
		{"[look]\nworkspaces = 2\n", NULL},
		{"[keys]\nSuper+x = mode go\n", ":2: keys.Super+x: there is no [mode go]"},
		{"[switches]\nlid-closed = mode go\n",
			"switches.lid-closed: there is no [mode go]"},
		{"[keys]\nSuper+x = mode go\n[mode go]\nF3 = mode default\n", NULL},
		{"[keys]\nSuper+x = mode go\n[mode go]\nh = resize narrower\nq = mode default\n",
			NULL},
		{"[keys]\nSuper+MouseBack = workspace-previous\n", NULL},
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overlapping_outputs_are_named),
		cmocka_unit_test(settings_without_effect_cause_warnings),
	};
	return cmocka_run_group_tests(tests, config_folder_create, config_folder_remove);
}
