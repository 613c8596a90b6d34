#pragma once

/**
 * Files that are replaced as a whole: whoever reads one has what was there before or all that is new. And where those
 * lie that are a cache.
 */

#include <stdio.h>
#include <sys/types.h>

/**
 * Opens a regular file for reading. NULL with errno set: EINVAL for anything else, such as a FIFO or a device, which
 * could block or never end; EFBIG beyond `most` bytes.
 */
FILE *file_open_regular(const char *path, off_t most);
/**
 * Makes the file's folders where they are missing, for its owner only, and fills it by `write`, which need not look
 * at errors. 0 or negative errno; then nothing has changed. Waits for disks: not for the event loop.
 */
int file_replace(const char *path, void (*write)(FILE *stream, const void *data), const void *data);
/** Of this name in $XDG_CACHE_HOME/causeway or ~/.cache/causeway; newly allocated. NULL if there is neither. */
char *file_cache_path(const char *name);
/** As file_cache_path(), in $XDG_STATE_HOME/causeway or ~/.local/state/causeway. */
char *file_state_path(const char *name);
