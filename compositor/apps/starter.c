/* SPDX-License-Identifier: MIT */
/* Programs that start other ones, whose environment those inherit: by name of the executable. */

#include "starter.h"
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

/* Patterns of names. */
static const char *const starters[] = {
	/* shells */
	"sh", "bash", "dash", "zsh", "fish", "ksh*", "mksh", "busybox", "nu", "elvish", "tmux*",
	"screen*", "zellij", "login", "su", "systemd-run", "xdg-terminal-exec",
	/* terminals */
	"foot", "footclient", "kitty", "alacritty", "wezterm*", "ghostty", "konsole", "yakuake",
	"*-terminal", "*-terminal.*", "*-terminal-server", "kgx", "ptyxis*", "terminator", "tilix",
	"guake", "tilda", "lxterminal", "qterminal", "xterm", "uxterm", "urxvt*", "rxvt*", "st",
	"contour", "rio", "cool-retro-term", "terminology",
	/* launchers and panels */
	"fuzzel", "rofi", "wofi", "bemenu*", "dmenu*", "wmenu*", "tofi*", "walker", "elephant",
	"anyrun", "ulauncher*", "albert", "krunner", "sherlock", "nwg-*", "xfce4-appfinder",
	"xfce4-panel", "wrapper-2.0", "lxqt-panel", "lxqt-runner", "mate-panel", "plasmashell",
	"waybar", "yambar", "ironbar", "sfwbar", "eww", "ags", "quickshell", "qs", "wf-panel",
	"lavalauncher",
	/* libraries of games */
	"steam*", "lutris*", "heroic*", "bottles*", "playnite", "itch", "gamehub", "minigalaxy"};

bool starter_is_known(const char *exe)
{
	const char *slash = exe ? strrchr(exe, '/') : NULL;
	const char *name = slash ? slash + 1 : exe;
	for (size_t i = 0; name && i < sizeof(starters) / sizeof(starters[0]); i++) {
		if (fnmatch(starters[i], name, 0) == 0) {
			return true;
		}
	}
	return false;
}
