/* SPDX-License-Identifier: MIT */
/* main() of the compositor: options, --check-config and log output. */

#include "apps/confine.h"
#include "apps/scope.h"
#include "config/config.h"
#include "copy/modifiers.h"
#include "gpu/environment.h"
#include "render/picture.h"
#include "report/report.h"
#include "server/options.h"
#include "util/fd.h"
#include "util/helper_process.h"
#include "util/log.h"
#include "xwayland/start.h"
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Argument of a helper process that looks at a GPU. */
#define PROBE "--probe="
/** Bounds of a helper process that draws an SVG file: seconds of CPU time, bytes of memory. */
#define SVG_SECONDS_MAX 5
#define SVG_MEMORY_MAX (256 * 1024 * 1024)

enum { EXIT_USAGE = 2 };

static int refuse(char *error)
{
	fprintf(stderr, "causeway: %s\n%s", error, options_usage());
	free(error);
	return EXIT_USAGE;
}

static int check_config(const struct options *options)
{
	char *error = NULL;
	struct config *config = config_load(options->server.config_path, &error);
	if (!config) {
		fprintf(stderr, "%s\n", error);
		free(error);
		return EXIT_FAILURE;
	}
	char *warnings = config_find_mistakes(config);
	if (warnings) {
		fprintf(stderr, "%s\n", warnings);
		free(warnings);
	}
	printf("%s: no errors\n", config->path ? config->path : "built-in defaults");
	config_destroy(config);
	return EXIT_SUCCESS;
}

/** Logs messages of libwayland, mostly about disconnected clients, as debug messages. */
static void handle_wayland_log(const char *format, va_list arguments)
{
	char line[512];
	vsnprintf(line, sizeof(line), format, arguments);
	line[strcspn(line, "\n")] = '\0';
	log_debug(LOG_PROTOCOL, "libwayland: %s", line);
}

/* Looks at the GPU of a subject "QUEUE:BUS_ID". */
static int probe(const char *subject)
{
	struct gpu_look look;
	char *end;
	long queue = strtol(subject, &end, 10);
	if (*end != ':' || queue < VULKAN_QUEUE_TRANSFER || queue > VULKAN_QUEUE_ANY) {
		return EXIT_USAGE;
	}
	copy_modifiers_look(&look, (enum vulkan_queue_kind)queue);
	return gpu_probe_answer(end + 1, &look) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int draw_svg(const char *size)
{
	helper_process_limit(SVG_SECONDS_MAX, SVG_MEMORY_MAX);
	return picture_svg_answer(atoi(size)) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int serve(struct options *options)
{
	char *error = NULL;
	/* The reader of the log may end before the session. Programs get the default again. */
	signal(SIGPIPE, SIG_IGN);
	wl_log_set_handler_server(handle_wayland_log);
	/* Programs of another Causeway, such as a nested one, inherit them. */
	gpu_environment_show_others();
	options->server.helper_program = "/proc/self/exe";
	struct server *server = server_create(&options->server, &error);
	if (!server) {
		fprintf(stderr, "causeway: %s\n", error);
		free(error);
		return EXIT_FAILURE;
	}
	int code = server_run(server);
	server_destroy(server);
	return code;
}

int main(int argc, char **argv)
{
	struct options options;
	char *error = NULL;
	int code;
	if (!fd_open_standard()) {
		return EXIT_FAILURE;
	}
	if (argc == 2 && strncmp(argv[1], PROBE, strlen(PROBE)) == 0) {
		_exit(probe(argv[1] + strlen(PROBE)));
	}
	if (argc == 2 &&
		strncmp(argv[1], PICTURE_SVG_ARGUMENT, strlen(PICTURE_SVG_ARGUMENT)) == 0) {
		_exit(draw_svg(argv[1] + strlen(PICTURE_SVG_ARGUMENT)));
	}
	if (argc >= 2 && strncmp(argv[1], CONFINE_ARGUMENT, strlen(CONFINE_ARGUMENT)) == 0) {
		_exit(confine_start(argc, argv));
	}
	if (argc >= 2 && strncmp(argv[1], SCOPE_HOLD_ARGUMENT, strlen(SCOPE_HOLD_ARGUMENT)) == 0) {
		_exit(scope_hold(argc, argv));
	}
	if (argc >= 2 && strncmp(argv[1], X_START_ARGUMENT, strlen(X_START_ARGUMENT)) == 0) {
		_exit(x_start(argc, argv));
	}
	if (!options_parse(&options, argc, argv, &error)) {
		code = refuse(error);
		goto finish_options;
	}
	char *unknown = options.log ? log_set_scopes(options.log) : NULL;
	if (unknown) {
		fprintf(stderr, "causeway: --log: there is no scope '%s': all, or some of %s\n",
			unknown, log_scope_names());
		free(unknown);
		code = EXIT_USAGE;
		goto finish_options;
	}
	if (options.help) {
		fputs(options_usage(), stdout);
		code = EXIT_SUCCESS;
	} else if (options.version) {
		printf("causeway %s\n", CAUSEWAY_VERSION);
		code = EXIT_SUCCESS;
	} else if (options.hardware_report) {
		code = hardware_report(CAUSEWAY_VERSION, options.hardware_report);
	} else if (options.check_config) {
		code = check_config(&options);
	} else {
		code = serve(&options);
	}
finish_options:
	options_finish(&options);
	return code;
}
