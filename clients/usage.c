/* SPDX-License-Identifier: MIT */
/* Help of causewayctl: one line per command, and the meaning of options. */

#include "usage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct command {
	const char *line, *what;
} commands[] = {
	{"windows [NAME] [--json]", "titles, workspaces, states"},
	{"workspaces [NAME] [--json]", "outputs, layouts, numbers of windows"},
	{"outputs [NAME] [--json]", "modes, scales, positions"},
	{"surfaces [NAME] [--json]", "GPUs, routes to the screen, bytes"},
	{"gpus [NAME] [--json]", "power states, copy engines, users"},
	{"keyboards [NAME] [--json]", "layouts"},
	{"subscribe [--idle=N]", "the state, then changes, as lines of JSON"},
	{"stats [--json]", "counters since the start"},
	{"watch [--count=N] [--json]", "pace, latency, bytes every second"},
	{"trace FILE.json [--seconds=N]", "a trace for ui.perfetto.dev"},
	{"screenshot FILE.png [--output=NAME]", "FILE may be - for standard output"},
	{"spawn [--gpu=SELECTOR] [--] CMD [ARG...]", "starts a program"},
	{"action NAME [ARGUMENT]", "runs an action of causeway(5)"},
	{"overlay routes|damage|off", "tints surfaces or redrawn areas"},
	{"reload", "reads the configuration again"},
	{"quit", "ends the session"},
};

static const struct {
	const char *option, *what;
} options[] = {
	{"NAME", "all fields of records with this title, program, name or pid"},
	{"--json", "objects with all fields, for scripts"},
	{"--count=N", "ends after N reports"},
	{"--idle=N", "reports idle after N seconds without input; default: 300"},
	{"--seconds=N", "ends after N seconds"},
	{"--output=NAME", "this output instead of the focused one"},
	{"--gpu=SELECTOR", "integrated, discrete, display, or as in causeway(5)"},
	{"--display=NAME", "a session; default: $WAYLAND_DISPLAY"},
	{"--help, --version", ""},
};

static const struct {
	const char *line, *what;
} actions[] = {
#include "action_help.h"
};

static const struct command *find(const char *command)
{
	size_t length = strlen(command);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const char *line = commands[i].line;
		if (strncmp(line, command, length) == 0 && (!line[length] || line[length] == ' ')) {
			return &commands[i];
		}
	}
	return NULL;
}

const char *usage_line(const char *command)
{
	const struct command *found = find(command);
	return found ? found->line : NULL;
}

/* Returns whether the arguments of a command include the name of an option, or [NAME]. */
static bool includes(const char *line, const char *option)
{
	char text[32];
	const int length = (int)strcspn(option, "=");
	snprintf(text, sizeof(text), "[%.*s", length, option);
	const char *at = strstr(line, text);
	return at && (at[1 + length] == '=' || at[1 + length] == ']');
}

void usage_print_command(const char *command)
{
	const struct command *found = find(command);
	if (!found) {
		return;
	}
	printf("usage: causewayctl %s\n\n%s\n\nOptions:\n", found->line, found->what);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const char *option = options[i].option;
		if (includes(found->line, option) || strncmp(option, "--display", 9) == 0) {
			printf("  %-18s%s\n", option, options[i].what);
		}
	}
	if (strcmp(command, "action") == 0) {
		puts("\nActions:");
		for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
			const bool fits =
				strlen(actions[i].line) < 28 && strlen(actions[i].what) <= 50;
			printf("  %-28s%s%s\n", actions[i].line, fits ? "" : "\n      ",
				actions[i].what);
		}
	}
	puts("\nThe manual causewayctl(1) explains the command and its output.");
}

void usage_print(void)
{
	puts("usage: causewayctl COMMAND [OPTION...]\n\nCommands:");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		printf("  %-42s%s\n", commands[i].line, commands[i].what);
	}
	puts("\nOptions:");
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		printf("  %-18s%s\n", options[i].option, options[i].what);
	}
}
