/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Tables of protocol errors: a client's mistake and the expected error. One server and a second
 * client, which goes on drawing, live through the whole table.
 */

#include "harness/peer.h"

struct error_case {
	const char *name;
	/** Makes the mistake; may pump. */
	void (*run)(struct peer *peer);
	/** Interface of the object with the error; NULL: a destroyed object. */
	const struct wl_interface *interface;
	uint32_t code;
};

#define ERROR_CASE(function, object, error)                                                        \
	{                                                                                          \
		.name = #function, .run = function, .interface = &object##_interface,              \
		.code = (error),                                                                   \
	}

/** The mistake is a destructor: the object is gone when the error arrives. */
#define ERROR_CASE_DESTROYED(function, error)                                                      \
	{                                                                                          \
		.name = #function, .run = function, .code = (error),                               \
	}

/**
 * Call from main(): runs the table. `devices`: the seat has input devices. Returns the number of
 * failures.
 */
int errors_run(const char *group, const struct error_case *cases, size_t n, bool devices);
#define ERRORS_RUN(group, cases, devices)                                                          \
	errors_run(group, cases, sizeof(cases) / sizeof((cases)[0]), devices)
