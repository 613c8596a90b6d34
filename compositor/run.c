/* SPDX-License-Identifier: MIT */
/*
 * causeway-run: replaces itself with a program that renders on a chosen GPU, under any compositor,
 * by setting the environment variables of drivers.
 */

#include "apps/app_rule.h"
#include "apps/confine.h"
#include "apps/launch.h"
#include "apps/scope.h"
#include "gpu/gpu.h"
#include "run_x_server.h"
#include "server/scopes.h"
#include "util/process.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

static const char usage[] = "usage: causeway-run [--gpu=SELECTOR|--rules] [--compression=NAME] "
			    "[--video=CODEC] [--] CMD [ARG...]\n";

static int refuse(const char *message)
{
	fprintf(stderr, "causeway-run: %s\n%s", message, usage);
	return EXIT_USAGE;
}

/** Loads the configuration; without a valid one there are no rules and no aliases. */
static struct config *load_config(void)
{
	char *error = NULL;
	struct config *config = config_load(NULL, &error);
	if (!config) {
		fprintf(stderr, "causeway-run: ignoring the configuration:\n%s\n", error);
		free(error);
		config = config_create_default();
	}
	return config;
}

/**
 * Returns the id of the desktop file in the launcher's environment (fuzzel's), newly allocated, and
 * removes it from ours, since programs that are started later have another one.
 */
static char *take_desktop_id(void)
{
	static const char *const names[] = {"DESKTOP_ENTRY_ID", "FUZZEL_DESKTOP_FILE_ID"};
	char *id = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);
		id = !id && value && *value ? strdup(value) : id;
		unsetenv(names[i]);
	}
	return id;
}

static void apply(const struct launch *launch)
{
	if (launch->desktop_file) {
		/* The same variables as from launchers with GLib: for rules by desktop id. */
		char number[16];
		snprintf(number, sizeof(number), "%d", (int)getpid());
		setenv("GIO_LAUNCHED_DESKTOP_FILE", launch->desktop_file, 1);
		setenv("GIO_LAUNCHED_DESKTOP_FILE_PID", number, 1);
	}
	/* Without an X server of its own, the program gets none; its rule may name one by `env`. */
	if (launch->own_x_server) {
		fputs("causeway-run: only Causeway starts X servers: the program gets none\n",
			stderr);
		unsetenv("DISPLAY");
		unsetenv("XAUTHORITY");
	} else if (launch->gpu) {
		run_choose_x_server(launch->gpu->bus_id);
	} else if (getenv(LAUNCH_RULE_VARIABLE) && !getenv(LAUNCH_GPU_VARIABLE)) {
		run_choose_x_server(NULL); /* DISPLAY may be that of the launcher's rule */
	}
	if (!launch->gpu) {
		unsetenv(LAUNCH_RULE_VARIABLE); /* of a launcher, for itself alone */
	}
	run_join_session();
	for (char **change = launch->environment; change && *change; change++) {
		char *equals = strchr(*change, '=');
		if (equals) {
			*equals = '\0';
			setenv(*change, equals + 1, 1);
			*equals = '=';
		} else {
			unsetenv(*change);
		}
	}
}

/** Executes the program. Returns the exit code on failure only. */
static int execute(const struct launch *launch)
{
	apply(launch);
	if (launch->directory && chdir(launch->directory) != 0) {
		fprintf(stderr, "causeway-run: %s: %s\n", launch->directory, strerror(errno));
		return EXIT_NOT_EXECUTABLE;
	}
	if (launch->unit) {
		scope_join(launch->unit, launch->argv[0]); /* without it, the program starts too */
	}
	char *error = NULL;
	if (launch->nodes && confine_self(launch->nodes, "/dev", &error) < 0) {
		fprintf(stderr, "causeway-run: %s is not started: %s\n", launch->argv[0], error);
		free(error);
		return EXIT_NOT_EXECUTABLE;
	}
	execvp(launch->argv[0], launch->argv);
	int code = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	fprintf(stderr, "causeway-run: %s: %s\n", launch->argv[0], strerror(errno));
	return code;
}

struct arguments {
	const char *selector;
	bool rules_only;
	int compression, video; /* enum config_compression, config_video; 0: not given */
	int first; /* index of the command */
};

/** Returns the number of the word, from 1; 0: it is none of them. */
static int find_word(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0) {
			return i + 1;
		}
	}
	return 0;
}

/** Returns the value of an option such as "--gpu=", or NULL if the argument is another one. */
static const char *value_of(const char *argument, const char *option)
{
	const size_t length = strlen(option);
	return strncmp(argument, option, length) == 0 ? argument + length : NULL;
}

/** Reads an option. Returns NULL, or a description of the mistake. */
static const char *read_option(struct arguments *arguments, const char *argument)
{
	const char *value;
	if (strcmp(argument, "--rules") == 0) {
		arguments->rules_only = true;
	} else if ((value = value_of(argument, "--gpu="))) {
		arguments->selector = value;
	} else if ((value = value_of(argument, "--compression="))) {
		arguments->compression = find_word(config_compression_words, value);
		return arguments->compression ? NULL : "--compression must be none, lz4 or zstd";
	} else if ((value = value_of(argument, "--video="))) {
		arguments->video = find_word(config_video_words, value);
		return arguments->video ? NULL : "--video must be no, h264, vp9 or av1";
	} else {
		return "there is no such option";
	}
	return NULL;
}

/** Reads all options. Returns NULL, or a description of the mistake. */
static const char *read_arguments(struct arguments *arguments, int argc, char **argv)
{
	const char *mistake = NULL;
	int first = 1;
	for (; !mistake && first < argc && argv[first][0] == '-'; first++) {
		if (strcmp(argv[first], "--") == 0) {
			first++;
			break;
		}
		mistake = read_option(arguments, argv[first]);
	}
	arguments->first = first;
	return mistake                 ? mistake
	       : first >= argc         ? "it needs a command"
	       : !arguments->selector  ? NULL
	       : arguments->rules_only ? "--gpu and --rules exclude each other"
				       : NULL;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {0};
	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		fputs(usage, stdout);
		return EXIT_SUCCESS;
	}
	const char *mistake = read_arguments(&arguments, argc, argv);
	if (mistake) {
		return refuse(mistake);
	}
	const char *selector = arguments.selector;
	const bool rules_only = arguments.rules_only;
	struct config *config = load_config();
	/* Of this process, which the program replaces. */
	struct process *parent =
		process_read(getppid(), 0, app_rule_facts(config) | PROCESS_ANCESTORS);
	struct gpu_list gpus;
	gpu_list_init(&gpus);
	int code = EXIT_USAGE;
	char *error = NULL;
	struct launch launch;
	struct launch_context context = {
		.config = config,
		.gpus = &gpus,
		.display = gpu_list_primary(&gpus, "seat0", config_primary_gpu(config)),
		/* Without an option, the purpose of causeway-run is the other GPU. */
		.fallback = rules_only ? NULL : "discrete",
		.parent = parent,
		.desktop_id = rules_only ? take_desktop_id() : NULL,
		.compression = arguments.compression,
		.video = arguments.video,
		.asks = isatty(STDIN_FILENO),
		.scopes = config->session.scopes && scope_manager_runs(),
		.rule = getenv(LAUNCH_RULE_VARIABLE),
	};
	if (selector && !config_selector_valid(config, selector)) {
		code = refuse("a GPU must be integrated, discrete, display, pci-0000_03_00_0, "
			      "1002:73bf, renderD129, ssh:HOST or an alias of the configuration");
	} else if (!launch_prepare(&launch, &context, (const char *const *)argv + arguments.first,
			   selector, &error)) {
		fprintf(stderr, "causeway-run: %s\n", error);
		free(error);
		code = EXIT_FAILURE;
	} else {
		code = execute(&launch);
		launch_finish(&launch);
	}
	free((char *)context.desktop_id);
	gpu_list_finish(&gpus);
	process_destroy(parent);
	config_destroy(config);
	return code;
}
