/* SPDX-License-Identifier: MIT */
/* Screenshots by an action: grim writes the file, and slurp selects a region. */

#include "internal.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Duration (ns) of an error on the screen. */
#define MESSAGE_TIME INT64_C(10000000000)

/* The file is in the folder of pictures, else in the home folder; wl-copy is optional. */
#define SCRIPT                                                                                     \
	"d=$(xdg-user-dir PICTURES 2>/dev/null || echo \"$HOME/Pictures\"); "                      \
	"[ -d \"$d\" ] || d=$HOME; f=$d/screenshot-$(date +%%Y-%%m-%%d-%%H%%M%%S).png; "           \
	"%s\"$f\" && { command -v wl-copy >/dev/null && wl-copy --type image/png <\"$f\" || :; }"

static bool is_installed(const char *program)
{
	const char *path = getenv("PATH");
	bool found = false;
	while (path && *path && !found) {
		size_t length = strcspn(path, ":");
		char *file = xasprintf("%.*s/%s", (int)length, path, program);
		found = length > 0 && access(file, X_OK) == 0;
		free(file);
		path += length + (path[length] == ':');
	}
	return found;
}

static void fail(struct shell *shell, const char *reason)
{
	char *text = xasprintf("no screenshot: %s", reason);
	log_warn("%s", text);
	shell_show_message(shell, SHELL_MESSAGE_SESSION, text, MESSAGE_TIME);
	free(text);
}

/* Returns the command without the file name, newly allocated; NULL: there is nothing to capture. */
static char *find_command(struct shell *shell, const char *part)
{
	if (strcmp(part, "region") == 0) {
		return xstrdup("g=$(slurp) && grim -g \"$g\" ");
	}
	const struct scene_output *output = shell_active_output(shell);
	if (!output || (strcmp(part, "window") == 0 && !shell->focus)) {
		return NULL;
	}
	struct box box = scene_output_box(output);
	if (strcmp(part, "window") == 0) {
		const struct frame_extents frame = window_frame(shell->focus);
		box = window_box(shell->focus);
		box = (struct box){box.x - frame.left, box.y - frame.top,
			box.width + frame.left + frame.right,
			box.height + frame.top + frame.bottom};
	}
	return xasprintf("grim -g '%d,%d %dx%d' ", box.x, box.y, box.width, box.height);
}

void action_screenshot(struct shell *shell, const char *argument)
{
	if (!is_installed("grim")) {
		fail(shell, "the program grim is not installed");
		return;
	}
	if (strcmp(argument, "region") == 0 && !is_installed("slurp")) {
		fail(shell, "the program slurp, which selects a region, is not installed");
		return;
	}
	char *command = find_command(shell, argument);
	if (!command) {
		fail(shell, "no window has the focus");
		return;
	}
	char *script = xasprintf(SCRIPT, command);
	shell_spawn(shell, script);
	free(script);
	free(command);
}
