/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Atomic replacement of files: readers see the old contents or all of the new; the folders of
 * caches and states; and programs.
 */

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/**
 * Opens a regular file for reading. Returns NULL with errno set: EINVAL for anything else, such as
 * a FIFO or a device, which could block or never end; EFBIG beyond `most` bytes.
 */
FILE *file_open_regular(const char *path, off_t most);
/**
 * Returns a text that identifies the state of a file or folder, newly allocated: it changes when
 * the file is written or replaced, and is empty for a missing file.
 */
char *file_stamp(const char *path);
/**
 * Replaces a file by the output of `write`, which may ignore errors; creates missing folders for
 * the owner only. Returns 0 or -errno, with the old file unchanged. Waits for disks: not for the
 * event loop.
 */
int file_replace(const char *path, void (*write)(FILE *stream, const void *data), const void *data);
/**
 * Returns the path of `name` in $XDG_CACHE_HOME/causeway or ~/.cache/causeway, newly allocated.
 * NULL if both variables are unset.
 */
char *file_cache_path(const char *name);
/** Like file_cache_path(), in $XDG_STATE_HOME/causeway or ~/.local/state/causeway. */
char *file_state_path(const char *name);
/**
 * Finds a program as execvp() does: a name with a slash is a path, others are searched for in
 * $PATH. Returns its path, newly allocated, or NULL if there is no executable file.
 */
char *file_find_program(const char *name);
/** Returns whether file_find_program() finds a program. */
bool file_has_program(const char *name);
