#pragma once

/** What a client has heard, in words and in order, which a test compares with what it should have heard. */

#include "harness/fixture.h"

struct notes {
	struct fixture *fixture;
	char text[4096];
};

/* For what has them as `notes`. */

/** Pumps, and fails unless just this was heard since the last time. */
#define heard(party, expected) notes_expect(&(party)->notes, expected, __FILE__, __LINE__)
/** Pumps, and begins anew. */
#define forget(party) notes_forget(&(party)->notes)

__attribute__((format(printf, 2, 3))) void notes_add(struct notes *notes, const char *format, ...);
void notes_expect(struct notes *notes, const char *expected, const char *file, int line);
void notes_forget(struct notes *notes);
