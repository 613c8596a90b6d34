/* SPDX-License-Identifier: MIT */
#pragma once

/** causewayctl subscribe. */

struct connection;

/**
 * Prints the state of the session as a line of JSON, then a line per change until standard output
 * is closed or the session ends. `idle`: s without input, or 0. Returns an exit code.
 */
int subscribe_run(struct connection *connection, int idle);
