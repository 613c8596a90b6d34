/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Parsers for the texts of /proc/PID. Each takes the `length` bytes of a file, followed by a zero
 * byte; the text may be cut off or malformed. Strings that are returned are newly allocated.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * Parses the parent and the start time, in clock ticks, from "stat". Returns false if malformed.
 */
bool process_text_stat(const char *text, pid_t *parent, uint64_t *start);
/** Returns the arguments in "cmdline", separated by spaces. */
char *process_text_cmdline(const char *text, size_t length);
/** Returns the name of the innermost systemd unit in "cgroup", or NULL if there is none. */
char *process_text_unit(const char *text);
/** Returns the value of a variable in "environ" as a part of `text`, or NULL if it is unset. */
const char *process_text_variable(const char *text, size_t length, const char *name);
/** Returns the id of a desktop file ("org.gimp.GIMP" of "/x/org.gimp.GIMP.desktop"), or NULL. */
char *process_text_desktop_id(const char *path);
