#pragma once

/** What causewayctl follows until it is told to stop: pace and latency, and traces. */

#include <stdbool.h>

struct connection;

/** Prints once a second, `count` times (0: for ever). The exit code. */
int follow_watch(struct connection *connection, bool json, int count);
/** Writes a trace until a key ends it (SIGINT, SIGTERM), or for `seconds` (0: for ever). */
int follow_trace(struct connection *connection, const char *file, int seconds);
