/* SPDX-License-Identifier: MIT */
/* causewayctl: queries and controls a running Causeway. */

#include "causeway-control-v1-client-protocol.h"
#include "connection.h"
#include "follow.h"
#include "json.h"
#include "look.h"
#include "output.h"
#include "png_file.h"
#include "report.h"
#include "subscribe.h"
#include "usage.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

enum { EXIT_USAGE = 2 };

/* Maximum bytes of arguments that fit into a protocol message. */
#define ARGV_MAX 3900

/* Debug overlays, with the meaning of their colours. */
static const struct overlay {
	const char *name;
	enum causeway_control_v1_overlay value;
	const char *legend;
} overlays[] = {
	{"routes", CAUSEWAY_CONTROL_V1_OVERLAY_ROUTES,
		"green   import, zero-copy  the GPU reads the program's buffer or memory\n"
		"yellow  shm                the CPU composes from the program's memory\n"
		"red     upload             uploaded to the GPU\n"
		"blue    copy               copied from another GPU\n"
		"violet  color              a single colour\n"
		"none                       scanned out on a plane, or a cursor\n"},
	{"damage", CAUSEWAY_CONTROL_V1_OVERLAY_DAMAGE,
		"red   redrawn\n"
		"blue  redrawn from newly uploaded or copied pixels\n"
		"none  unchanged, or scanned out on a plane\n"},
	{"off", CAUSEWAY_CONTROL_V1_OVERLAY_OFF, ""},
};

struct request {
	const char *command;
	bool json;
	const char *file, *output, *gpu;
	const char *name; /* of the records to print; NULL: all */
	const char *display; /* display of the session; NULL: $WAYLAND_DISPLAY */
	const struct overlay *overlay;
	int count; /* number of reports, or seconds; 0: until a signal */
	char **argv; /* of spawn */
};

/* One line per error: the full help is long. */
__attribute__((format(printf, 2, 3))) static int refuse(
	const char *command, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("causewayctl: ", stderr);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	const char *line = command ? usage_line(command) : NULL;
	if (line) {
		fprintf(stderr, "\nusage: causewayctl %s\n", line);
	} else {
		fputs("; see causewayctl --help\n", stderr);
	}
	return EXIT_USAGE;
}

/* Commands that print a report. */
static const struct list {
	const char *command;
	struct causeway_report_v1 *(*ask)(struct causeway_control_v1 *control);
	const struct look_column *columns; /* of its table; NULL: all fields are printed */
	uint32_t since; /* version of the protocol */
} lists[] = {
	{"outputs", causeway_control_v1_list_outputs, look_outputs, 1},
	{"surfaces", causeway_control_v1_list_surfaces, look_surfaces, 1},
	{"windows", causeway_control_v1_list_windows, look_windows,
		CAUSEWAY_CONTROL_V1_LIST_WINDOWS_SINCE_VERSION},
	{"workspaces", causeway_control_v1_list_workspaces, look_workspaces,
		CAUSEWAY_CONTROL_V1_LIST_WORKSPACES_SINCE_VERSION},
	{"keyboards", causeway_control_v1_list_keyboards, look_keyboards,
		CAUSEWAY_CONTROL_V1_LIST_KEYBOARDS_SINCE_VERSION},
	{"gpus", causeway_control_v1_list_gpus, look_gpus, 1},
	{"stats", causeway_control_v1_get_stats, NULL, 1},
};

static const struct list *find_list(const char *command)
{
	const struct list *list = lists;
	while (strcmp(list->command, command) != 0) {
		list++;
	}
	return list;
}

static bool matches(const struct record *record, const void *name)
{
	return look_matches(record, name);
}

/* Prints a list as a table, or all fields of the records that match a name. */
static void print_list(
	struct report *report, const struct list *list, const struct request *request)
{
	const char *command = request->command;
	if (report->n_records == 0 && !request->name) {
		fprintf(stderr, "causewayctl: there are no %s\n",
			command[0] == 'g' ? "GPUs" : command);
	}
	if (!list->columns || request->name) {
		report_print(report);
		return;
	}
	for (size_t i = 0; i < report->n_records; i++) {
		look_complete(&report->records[i]);
	}
	look_print(report, list->columns);
}

static int run_report(struct connection *connection, const struct request *request)
{
	struct report report;
	const struct list *list = find_list(request->command);
	if (!connection_supports(connection, list->since)) {
		return EXIT_FAILURE;
	}
	bool received =
		report_receive(&report, list->ask(connection->control), connection->display);
	for (size_t i = 0; strcmp(request->command, "gpus") == 0 && i < report.n_records; i++) {
		report_add_openers(&report.records[i]);
	}
	if (request->name) {
		report_filter(&report, matches, request->name);
	}
	bool found = !request->name || report.n_records > 0;
	if (received && request->json) {
		json_print_report(&report, !list->columns);
	} else if (received) {
		print_list(&report, list, request);
	}
	report_finish(&report);
	if (received && !found) {
		fprintf(stderr, "causewayctl: none of the %s matches '%s'\n", request->command,
			request->name);
		return EXIT_FAILURE;
	}
	return received ? EXIT_SUCCESS : connection_lost();
}

static int run_watch(struct connection *connection, const struct request *request)
{
	return follow_watch(connection, request->json, request->count);
}

static int run_subscribe(struct connection *connection, const struct request *request)
{
	return subscribe_run(connection, request->count ? request->count : 300);
}

static int run_trace(struct connection *connection, const struct request *request)
{
	return follow_trace(connection, request->file, request->count);
}

struct result {
	bool done, ok;
};

static void handle_ok(void *data, struct causeway_result_v1 *proxy, const char *message)
{
	struct result *result = data;
	*result = (struct result){.done = true, .ok = true};
	if (*message) {
		printf("%s\n", message);
	}
}

static void handle_failed(void *data, struct causeway_result_v1 *proxy, const char *message)
{
	struct result *result = data;
	*result = (struct result){.done = true};
	fprintf(stderr, "causewayctl: %s\n", message);
}

static const struct causeway_result_v1_listener result_listener = {
	.ok = handle_ok,
	.failed = handle_failed,
};

static int await_result(struct connection *connection, struct causeway_result_v1 *proxy)
{
	struct result result = {0};
	causeway_result_v1_add_listener(proxy, &result_listener, &result);
	while (!result.done && wl_display_dispatch(connection->display) >= 0) {
	}
	causeway_result_v1_destroy(proxy);
	if (!result.done) {
		return connection_lost();
	}
	return result.ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_reload(struct connection *connection, const struct request *request)
{
	return await_result(connection, causeway_control_v1_reload(connection->control));
}

static int run_quit(struct connection *connection, const struct request *request)
{
	return await_result(connection, causeway_control_v1_quit(connection->control));
}

static int run_overlay(struct connection *connection, const struct request *request)
{
	if (!connection_supports(connection, CAUSEWAY_CONTROL_V1_SET_OVERLAY_SINCE_VERSION)) {
		return EXIT_FAILURE;
	}
	int code = await_result(connection,
		causeway_control_v1_set_overlay(connection->control, request->overlay->value));
	if (code == EXIT_SUCCESS) {
		fputs(request->overlay->legend, stdout);
	}
	return code;
}

/** Joins the arguments with spaces. Returns NULL if they are too long. */
static char *join(char **argv)
{
	size_t size = 1;
	for (int i = 0; argv[i]; i++) {
		size += strlen(argv[i]) + 1;
	}
	char *text = size <= ARGV_MAX ? calloc(1, size) : NULL;
	for (int i = 0; text && argv[i]; i++) {
		strcat(strcat(text, i ? " " : ""), argv[i]);
	}
	return text;
}

static int run_action(struct connection *connection, const struct request *request)
{
	if (!connection_supports(connection, CAUSEWAY_CONTROL_V1_RUN_ACTION_SINCE_VERSION)) {
		return EXIT_FAILURE;
	}
	char *text = join(request->argv);
	if (!text) {
		fputs("causewayctl: the action is too long\n", stderr);
		return EXIT_FAILURE;
	}
	struct causeway_result_v1 *proxy =
		causeway_control_v1_run_action(connection->control, text);
	free(text);
	return await_result(connection, proxy);
}

static int run_lose_renderer(struct connection *connection, const struct request *request)
{
	return await_result(
		connection, causeway_control_v1_lose_renderer(connection->control, request->gpu));
}

static int run_spawn(struct connection *connection, const struct request *request)
{
	struct wl_array argv;
	wl_array_init(&argv);
	for (char **argument = request->argv; *argument; argument++) {
		size_t size = strlen(*argument) + 1;
		char *slot = argv.size + size <= ARGV_MAX ? wl_array_add(&argv, size) : NULL;
		if (!slot) {
			fputs("causewayctl: the command is too long; put it into a script\n",
				stderr);
			wl_array_release(&argv);
			return EXIT_FAILURE;
		}
		memcpy(slot, *argument, size);
	}
	struct causeway_result_v1 *proxy =
		causeway_control_v1_spawn(connection->control, &argv, request->gpu);
	wl_array_release(&argv);
	return await_result(connection, proxy);
}

struct screenshot {
	const char *file;
	bool done;
	int code;
};

static void handle_ready(void *data, struct causeway_screenshot_v1 *proxy, int32_t fd,
	uint32_t format, int32_t width, int32_t height, int32_t stride)
{
	struct screenshot *screenshot = data;
	size_t size = (size_t)stride * (size_t)height;
	screenshot->done = true;
	const char *error = strerror(EINVAL);
	void *pixels = MAP_FAILED;
	if (width > 0 && height > 0 && stride / 4 >= width) {
		pixels = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		error = strerror(errno);
	}
	close(fd);
	if (pixels != MAP_FAILED) {
		error = png_write(screenshot->file, pixels, width, height, (size_t)stride, format);
		munmap(pixels, size);
	}
	const bool unread = strcmp(screenshot->file, "-") == 0 && output_is_closed();
	if (error && !unread) {
		fprintf(stderr, "causewayctl: %s: %s\n", screenshot->file, error);
		screenshot->code = EXIT_FAILURE;
	}
}

static void handle_no_picture(void *data, struct causeway_screenshot_v1 *proxy, const char *message)
{
	struct screenshot *screenshot = data;
	screenshot->done = true;
	screenshot->code = EXIT_FAILURE;
	fprintf(stderr, "causewayctl: %s\n", message);
}

static const struct causeway_screenshot_v1_listener screenshot_listener = {
	.ready = handle_ready,
	.failed = handle_no_picture,
};

static int run_screenshot(struct connection *connection, const struct request *request)
{
	struct screenshot screenshot = {.file = request->file};
	struct causeway_screenshot_v1 *proxy =
		causeway_control_v1_screenshot(connection->control, request->output);
	causeway_screenshot_v1_add_listener(proxy, &screenshot_listener, &screenshot);
	while (!screenshot.done && wl_display_dispatch(connection->display) >= 0) {
	}
	causeway_screenshot_v1_destroy(proxy);
	return screenshot.done ? screenshot.code : connection_lost();
}

static const struct command {
	const char *command;
	int (*run)(struct connection *connection, const struct request *request);
	bool json, name, file, output, gpu, argv, overlay;
	const char *count; /* option that sets request.count; NULL: none */
} commands[] = {
	{"outputs", run_report, .json = true, .name = true},
	{"surfaces", run_report, .json = true, .name = true},
	{"windows", run_report, .json = true, .name = true},
	{"workspaces", run_report, .json = true, .name = true},
	{"keyboards", run_report, .json = true, .name = true},
	{"gpus", run_report, .json = true, .name = true},
	{"stats", run_report, .json = true},
	{"subscribe", run_subscribe, .json = true, .count = "--idle"},
	{"watch", run_watch, .json = true, .count = "--count"},
	{"trace", run_trace, .file = true, .count = "--seconds"},
	{"screenshot", run_screenshot, .file = true, .output = true},
	{"overlay", run_overlay, .overlay = true},
	{"reload", run_reload},
	{"spawn", run_spawn, .gpu = true, .argv = true},
	{"action", run_action, .argv = true},
	{"quit", run_quit},
	/* For tests, so not in the usage. */
	{"lose-renderer", run_lose_renderer, .gpu = true},
};

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].command, name) == 0) {
			return &commands[i];
		}
	}
	return NULL;
}

static const struct overlay *find_overlay(const char *name)
{
	for (size_t i = 0; i < sizeof(overlays) / sizeof(overlays[0]); i++) {
		if (strcmp(overlays[i].name, name) == 0) {
			return &overlays[i];
		}
	}
	return NULL;
}

/** Returns true if argv[*i] is this option. Its value may be the next argument; NULL if missing. */
static bool takes_value(char **argv, int *i, const char *option, const char **value)
{
	size_t length = strlen(option);
	const char *argument = argv[*i];
	if (strncmp(argument, option, length) != 0 ||
		(argument[length] && argument[length] != '=')) {
		return false;
	}
	if (argument[length]) {
		*value = argument + length + 1;
	} else {
		*value = argv[*i + 1];
		*i += *value ? 1 : 0;
	}
	return true;
}

static int parse_count(const char *option, const char *value, int *count)
{
	char *end;
	long n = strtol(value, &end, 10);
	if (*end || n < 1 || n > 1000000) {
		return refuse(NULL, "%s=%s: it must be a number from 1 to 1000000", option, value);
	}
	*count = (int)n;
	return 0;
}

/**
 * Parses an option or a file name at argv[*i]. Returns 0, or an exit code after printing an error.
 */
static int parse_one(const struct command *command, struct request *request, char **argv, int *i)
{
	const char *argument = argv[*i], *value = argument, *count = NULL;
	if (command->json && strcmp(argument, "--json") == 0) {
		request->json = true;
	} else if (takes_value(argv, i, "--display", &value)) {
		request->display = value;
	} else if (command->output && takes_value(argv, i, "--output", &value)) {
		request->output = value;
	} else if (command->gpu && takes_value(argv, i, "--gpu", &value)) {
		request->gpu = value;
	} else if (command->count && takes_value(argv, i, command->count, &value)) {
		count = value;
	} else if (command->file && !request->file && (argument[0] != '-' || !argument[1])) {
		request->file = argument;
	} else if (command->name && !request->name && argument[0] != '-') {
		request->name = argument;
	} else if (!command->overlay || request->overlay ||
		   !(request->overlay = find_overlay(argument))) {
		return refuse(
			command->command, "%s does not take '%s'", command->command, argument);
	}
	if (!value || !*value) {
		return refuse(command->command, "'%s' needs a value", argument);
	}
	return count ? parse_count(command->count, count, &request->count) : 0;
}

/** Parses the arguments of a command. Returns like parse_one(). */
static int parse(const struct command *command, struct request *request, int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		bool separator = strcmp(argv[i], "--") == 0;
		if (command->argv && (separator || argv[i][0] != '-')) {
			request->argv = argv + i + separator;
			break;
		}
		int code = parse_one(command, request, argv, &i);
		if (code) {
			return code;
		}
	}
	if (command->file && !request->file) {
		return refuse(command->command, "%s needs a file name", command->command);
	}
	if (command->overlay && !request->overlay) {
		return refuse(
			command->command, "%s needs one of routes, damage, off", command->command);
	}
	if (command->argv && (!request->argv || !request->argv[0])) {
		return refuse(command->command, "%s needs %s", command->command,
			command->gpu ? "a command" : "the name of an action");
	}
	return 0;
}

/* The arguments of a started program, or of an action, are not options. */
static bool asks_for_help(const struct command *command, char **argv)
{
	for (int i = 2; argv[i] && strcmp(argv[i], "--") != 0; i++) {
		if (command->argv && argv[i][0] != '-') {
			return false;
		}
		if (strcmp(argv[i], "--help") == 0) {
			return true;
		}
	}
	return false;
}

int main(int argc, char **argv)
{
	struct request request = {0};
	struct connection connection;
	for (int i = 1; i < argc && takes_value(argv, &i, "--display", &request.display); i = 1) {
		if (!request.display || !*request.display) {
			return refuse(NULL, "'--display' needs a value");
		}
		argv += i;
		argc -= i;
	}
	output_init();
	const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		usage_print();
		return EXIT_SUCCESS;
	}
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		puts("causewayctl " CAUSEWAY_VERSION);
		return EXIT_SUCCESS;
	}
	if (argc < 2) {
		return refuse(NULL, "a command is missing");
	}
	if (!command) {
		return refuse(NULL, "there is no command '%s'", argv[1]);
	}
	if (asks_for_help(command, argv)) {
		usage_print_command(command->command);
		return EXIT_SUCCESS;
	}
	request.command = command->command;
	int wrong = parse(command, &request, argc, argv);
	if (wrong) {
		return wrong;
	}
	if (!connection_open(&connection, request.display)) {
		return EXIT_FAILURE;
	}
	int code = command->run(&connection, &request);
	connection_close(&connection);
	return output_finish(code);
}
