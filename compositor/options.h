#pragma once

/** The command line as a value. */

#include "server.h"

struct options {
	struct server_options server;
	bool help;
	bool version;
	bool check_config;
	const char *log; /* scopes, NULL: none given */
};

/**
 * Reads the command line; strings in `options` point into argv. False with *error one line about
 * what is wrong (the caller frees it). Call options_finish() in either case.
 */
bool options_parse(struct options *options, int argc, char *const *argv, char **error);
void options_finish(struct options *options);
/** The summary of the command line, several lines. */
const char *options_usage(void);

/** WxH[@HZ][*SCALE], as --output takes it. False if it is malformed or out of range. */
bool options_parse_output(const char *text, struct server_output_option *output);
