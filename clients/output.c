/* SPDX-License-Identifier: MIT */
/* Standard output of causewayctl: pipes without a reader, and write errors. */

#include "output.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void output_init(void)
{
	signal(SIGPIPE, SIG_IGN);
}

bool output_is_closed(void)
{
	struct pollfd pollfd = {.fd = STDOUT_FILENO}; /* errors only */
	return poll(&pollfd, 1, 0) > 0;
}

int output_finish(int code)
{
	const bool written = fflush(stdout) == 0 && !ferror(stdout);
	if (written || output_is_closed()) {
		return code;
	}
	fputs("causewayctl: standard output: write error\n", stderr);
	return EXIT_FAILURE;
}
