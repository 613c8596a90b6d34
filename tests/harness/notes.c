/* SPDX-License-Identifier: MIT */
/* Logs of events that clients receive. */

#include "harness/notes.h"
#include <stdio.h>
#include <string.h>

void notes_add(struct notes *notes, const char *format, ...)
{
	size_t length = strlen(notes->text);
	va_list args;
	va_start(args, format);
	vsnprintf(notes->text + length, sizeof(notes->text) - length, format, args);
	va_end(args);
}

void notes_expect(struct notes *notes, const char *expected, const char *file, int line)
{
	fixture_pump(notes->fixture);
	if (strcmp(notes->text, expected) != 0) {
		print_error("expected \"%s\"\n   heard \"%s\"\n", expected, notes->text);
		_fail(file, line);
	}
	notes->text[0] = '\0';
}

void notes_forget(struct notes *notes)
{
	fixture_pump(notes->fixture);
	notes->text[0] = '\0';
}
