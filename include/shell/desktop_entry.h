#pragma once

/** A program as its desktop file describes it: how it is started, and what it would like. */

#include <stdbool.h>
#include <stdio.h>

struct desktop_entry {
	char *id; /* without ".desktop" */
	char *file; /* its path */
	char *exec; /* as written, escapes of the file resolved */
	char *name, *icon, *directory; /* NULL: not given */
	bool terminal; /* it has to run in one */
	bool prefers_discrete; /* PrefersNonDefaultGPU, or KDE's older key */
};

/** Reads a file. False with *error newly allocated; then there is nothing to finish. */
bool desktop_entry_read(
	struct desktop_entry *entry, const char *file, const char *id, char **error);
/** Reads the same from an open stream, which stays the caller's; `file` is its name. */
bool desktop_entry_parse(
	struct desktop_entry *entry, FILE *stream, const char *file, const char *id, char **error);
/**
 * Looks `name` ("org.blender.Blender.desktop") up in the data folders of the user and the system, as the
 * base directory specification has them.
 */
bool desktop_entry_find(struct desktop_entry *entry, const char *name, char **error);
void desktop_entry_finish(struct desktop_entry *entry);
/**
 * Its command line, with `arguments` (files and addresses, NULL-terminated) where it wants them. NULL
 * with *error if the line is malformed.
 */
char **desktop_entry_arguments(
	const struct desktop_entry *entry, const char *const *arguments, char **error);
