#pragma once

/**
 * Protocol errors as tables: what a client does, and the error that it must get for it. One server
 * lives through a whole table, and so does a second client, which goes on drawing.
 */

#include "harness/peer.h"

struct error_case {
	const char *name;
	/** Makes the mistake; may pump. */
	void (*run)(struct peer *peer);
	/** Whose error it is; NULL: a deleted object's. */
	const struct wl_interface *interface;
	uint32_t code;
};

#define ERROR_CASE(function, object, error)                                                        \
	{                                                                                          \
		.name = #function, .run = function, .interface = &object##_interface,              \
		.code = (error),                                                                   \
	}

/** The mistake is a destructor: the client knows the object no more when its error comes. */
#define ERROR_CASE_DESTROYED(function, error)                                                      \
	{                                                                                          \
		.name = #function, .run = function, .code = (error),                               \
	}

/** For main(): runs the table; returns the number of failures. `devices`: the seat has some. */
int errors_run(const char *group, const struct error_case *cases, size_t n, bool devices);
#define ERRORS_RUN(group, cases, devices)                                                          \
	errors_run(group, cases, sizeof(cases) / sizeof((cases)[0]), devices)
