/* SPDX-License-Identifier: MIT */
#pragma once

/** causewayctl watch and trace: reports and events until interrupted. */

#include <stdbool.h>

struct connection;

/** Prints reports once a second, `count` times (0: no limit). Returns the exit code. */
int follow_watch(struct connection *connection, bool json, int count);
/**
 * Writes a trace for `seconds` (0: no limit), or until SIGINT or SIGTERM. Returns the exit code.
 */
int follow_trace(struct connection *connection, const char *file, int seconds);
