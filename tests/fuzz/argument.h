#pragma once

/** Arguments of requests: numbers, strings and descriptors that are odd, but not only. */

#include "fuzz/actor.h"

/** Stands for an argument that is left to chance. */
#define ARGUMENT_ANY INT64_MIN

uint32_t argument_number(struct random *random, const char *interface, const char *request,
	char type, const uint32_t *serials);
/** Fills 4096 bytes at most; the size counts the final NUL of a string. */
uint32_t argument_bytes(struct random *random, bool string, char *bytes);
/** Owned by the caller. */
int argument_fd(struct random *random);
/** Makes arguments that have to fit each other do so, most of the time. */
void argument_fit(struct random *random, const char *interface, const char *request,
	struct wire_argument *arguments);
bool request_is_destructor(const char *request);
/** Its wl_surface must have no role yet, or none of what the request makes. */
bool request_wants_fresh(const char *request);
/** It ends the client more often than not unless what goes before and after is right. */
bool request_is_rash(const char *interface, const char *request);
