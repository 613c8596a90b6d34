/* SPDX-License-Identifier: MIT */
#pragma once

/** A log of the events that a client receives, in order, for comparison with the expected text. */

#include "harness/fixture.h"

struct notes {
	struct fixture *fixture;
	char text[4096];
};

/* For structs with a member `notes`. */

/** Pumps, and fails unless the log is exactly `expected`; clears the log. */
#define heard(party, expected) notes_expect(&(party)->notes, expected, __FILE__, __LINE__)
/** Pumps, and clears the log. */
#define forget(party) notes_forget(&(party)->notes)

__attribute__((format(printf, 2, 3))) void notes_add(struct notes *notes, const char *format, ...);
void notes_expect(struct notes *notes, const char *expected, const char *file, int line);
void notes_forget(struct notes *notes);
