/* SPDX-License-Identifier: MIT */
#pragma once

/** Desktop files: lookup, parsing, and the command line of a program. */

#include <stdbool.h>
#include <stdio.h>

struct desktop_entry {
	char *id; /* without ".desktop" */
	char *file; /* path */
	char *exec; /* Exec line, with the escapes of the file format resolved */
	char *name, *icon, *directory; /* NULL: not given */
	bool terminal; /* must run in a terminal */
	bool prefers_discrete; /* PrefersNonDefaultGPU, or KDE's older key */
};

/** Parses an open stream, which the caller keeps, as the file of the name `file`. */
bool desktop_entry_parse(
	struct desktop_entry *entry, FILE *stream, const char *file, const char *id, char **error);
/**
 * Finds and reads `name` ("org.blender.Blender.desktop") in the user's and the system's data
 * directories of the XDG base directory specification. Errors as above.
 */
bool desktop_entry_find(struct desktop_entry *entry, const char *name, char **error);
void desktop_entry_finish(struct desktop_entry *entry);
/**
 * Returns the command line with `arguments` (files and URLs, NULL-terminated) in the places of its
 * field codes. Returns NULL with *error if the Exec line is malformed.
 */
char **desktop_entry_arguments(
	const struct desktop_entry *entry, const char *const *arguments, char **error);
