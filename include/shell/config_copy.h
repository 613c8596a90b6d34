#pragma once

/** The copy of the last good configuration, for a start that finds errors. */

#include "shell/config.h"

struct config_copy;

/** Takes `path` over. */
struct config_copy *config_copy_create(char *path);
/** Writes the text (config.text) on a thread, unless the file has it already. */
void config_copy_save(struct config_copy *copy, const char *text);
/** Waits for the disk. Returns NULL if there is no copy, or none that is good. */
struct config *config_copy_load(const struct config_copy *copy);
/** Waits for the thread. NULL is legal. */
void config_copy_destroy(struct config_copy *copy);
