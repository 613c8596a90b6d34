/* SPDX-License-Identifier: MIT */
#pragma once

/** The command line as a value. */

#include "server/server.h"

struct options {
	struct server_options server;
	bool help;
	bool version;
	bool check_config;
	const char *hardware_report; /* file to write; NULL: none */
	const char *log; /* scopes, NULL: none given */
};

/**
 * Parses the command line; strings in `options` point into argv. Returns false with *error, one
 * line, which the caller frees. Call options_finish() in either case.
 */
bool options_parse(struct options *options, int argc, char *const *argv, char **error);
void options_finish(struct options *options);
/** Returns the usage text, several lines. */
const char *options_usage(void);

/**
 * Parses WxH[@HZ][*SCALE], the value of --output. Returns false if it is malformed or out of range.
 */
bool options_parse_output(const char *text, struct server_output_option *output);
