/* SPDX-License-Identifier: MIT */
#pragma once

/** Programs on another machine, through ssh and waypipe. */

#include <stdbool.h>

struct remote {
	const char *host; /* "HOST" or "HOST:PORT" */
	const char *node; /* render node of this machine; NULL: none */
	int compression, video; /* enum config_compression, config_video; 0: waypipe's default */
	bool asks; /* ssh may ask for passwords, on the terminal */
};

/**
 * Returns the arguments that run `argv` on the other machine, NULL-terminated and newly allocated;
 * or NULL with a newly allocated *error if a program for it is not installed.
 */
char **remote_arguments(const struct remote *remote, char *const *argv, char **error);
