/* SPDX-License-Identifier: MIT */
/* Screenshots by an action: grim writes the file, and slurp selects a region. */

#include "action.h"
#include "input.h"
#include "shell/geometry/private.h"
#include "util/file.h"
#include "util/log.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/** Duration (ns) of an error on the screen. */
#define MESSAGE_TIME INT64_C(10000000000)

/** Time (ns) for the search of programs in the folders of $PATH. */
#define SEARCH_TIME INT64_C(5000000000)

/*
 * The file is in the folder of pictures, else in the home folder. Later ones of the same second
 * have a number. wl-copy is optional.
 */
#define SCRIPT                                                                                     \
	"d=$(xdg-user-dir PICTURES 2>/dev/null || echo \"$HOME/Pictures\"); "                      \
	"[ -d \"$d\" ] || d=$HOME; t=$d/screenshot-$(date +%%Y-%%m-%%d-%%H%%M%%S) n=; set -C; "    \
	"until { true >\"$t$n.png\"; } 2>/dev/null || [ \"$n\" = -99 ]; do n=$((n-1)); done; "     \
	"set +C; f=$t$n.png; %s\"$f\" || { rm -f \"$f\"; exit 1; }; "                              \
	"command -v wl-copy >/dev/null && wl-copy --type image/png <\"$f\" || :"

struct request {
	char *command; /* without the name of the file */
	bool selects; /* a region, with slurp */
	const char *missing; /* a program; NULL: none */
};

/* A request whose programs are looked for. */
struct search {
	struct wl_list link; /* shell.screenshots */
	struct shell *shell;
	struct task *task;
};

/* Runs on a thread: the folders may be on a network. */
static void find_programs(void *data)
{
	struct request *request = data;
	request->missing = !file_has_program("grim")                        ? "grim"
			   : request->selects && !file_has_program("slurp") ? "slurp"
									    : NULL;
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

static void take(struct shell *shell, const struct request *request)
{
	if (request->missing) {
		char *reason = xasprintf("the program %s is not installed", request->missing);
		fail(shell, reason);
		free(reason);
		return;
	}
	char *script = xasprintf(SCRIPT, request->command);
	shell_spawn(shell, script);
	free(script);
}

static void handle_found(void *owner, void *data, int error)
{
	struct search *search = owner;
	if (error) {
		fail(search->shell, "the folders of $PATH do not answer");
	} else {
		take(search->shell, data);
	}
	wl_list_remove(&search->link);
	free(search);
}

static void free_request(void *data)
{
	struct request *request = data;
	free(request->command);
	free(request);
}

static const struct task_impl task_impl = {
	.run = find_programs,
	.done = handle_found,
	.free = free_request,
};

void action_screenshot(struct shell *shell, const char *argument)
{
	char *command = find_command(shell, argument);
	if (!command) {
		fail(shell, "no window has the focus");
		return;
	}
	struct request *request = xcalloc(1, sizeof(*request));
	request->command = command;
	request->selects = strcmp(argument, "region") == 0;
	if (!shell->tasks) {
		find_programs(request);
		take(shell, request);
		free_request(request);
		return;
	}
	struct search *search = xcalloc(1, sizeof(*search));
	search->shell = shell;
	wl_list_insert(&shell->private->screenshots, &search->link);
	search->task = task_start(shell->tasks, NULL, &task_impl, request, search, SEARCH_TIME);
}

void screenshots_init(struct shell *shell)
{
	wl_list_init(&shell->private->screenshots);
}

void screenshots_finish(struct shell *shell)
{
	struct search *search, *next;
	wl_list_for_each_safe (search, next, &shell->private->screenshots, link) {
		task_abandon(search->task);
		free(search);
	}
}
