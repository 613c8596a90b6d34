/* SPDX-License-Identifier: MIT */
#pragma once

/** Random arguments of requests: numbers, strings and descriptors, unusual and usual ones. */

#include "fuzz/actor.h"

/** Stands for a random argument. */
#define ARGUMENT_ANY INT64_MIN

uint32_t argument_number(struct random *random, const char *interface, const char *request,
	char type, const uint32_t *serials);
/** Writes at most 4096 bytes. Returns their number, with the final NUL of a string. */
uint32_t argument_bytes(struct random *random, bool string, char *bytes);
/** Returns a descriptor that the caller owns. */
int argument_fd(struct random *random);
/** Makes arguments that depend on each other match, most of the time. */
void argument_fit(struct random *random, const char *interface, const char *request,
	struct wire_argument *arguments);
bool request_is_destructor(const char *request);
/** Returns whether the request's wl_surface must have no role, or none other than the new one. */
bool request_wants_fresh(const char *request);
/** Returns whether the request usually ends the client unless it is part of a certain sequence. */
bool request_is_rash(const char *interface, const char *request);
