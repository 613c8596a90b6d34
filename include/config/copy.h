/* SPDX-License-Identifier: MIT */
#pragma once

/** The saved copy of the last valid configuration, used when a start finds errors. */

#include "config/config.h"

struct config_copy;

/** Creates the copy at `path`, which it takes ownership of. */
struct config_copy *config_copy_create(char *path);
/** Writes `text` (config.text) on a thread, unless the file already contains it. */
void config_copy_save(struct config_copy *copy, const char *text);
/** Reads the copy; blocks on the disk. Returns NULL if the copy is missing or invalid. */
struct config *config_copy_load(const struct config_copy *copy);
/** Waits for the thread and destroys the copy's handle. `copy` may be NULL. */
void config_copy_destroy(struct config_copy *copy);
