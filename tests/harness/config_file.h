/* SPDX-License-Identifier: MIT */
#pragma once

/** Configuration files for tests: files in a temporary folder, and expected keys. */

#include "config/config.h"
#include "harness/unit.h"

/** Path of the folder, once it was created. */
extern char config_folder[];

/**
 * Set-up and tear-down for cmocka: create the folder, and remove it with a.ini, b.ini, c.ini and
 * sub/d.ini.
 */
int config_folder_create(void **state);
int config_folder_remove(void **state);

/** Writes a file below the folder. Returns its path, valid until the next call. */
const char *config_file_write(const char *name, const char *text, size_t length);
/**
 * Loads the text as a.ini. Returns NULL and sets *error, which the caller frees, if the text is
 * invalid.
 */
struct config *config_file_load(const char *text, char **error);
/** Loads the text as a.ini. Fails the test if it is invalid. */
struct config *config_file_load_good(const char *text);
/** Returns the binding of a combination, or NULL. Fails the test if there are several. */
const struct config_key *config_file_find_key(
	const struct config *config, uint32_t modifiers, xkb_keysym_t sym);
/** Fails unless the combination has this action and argument (NULL: none). */
void config_file_expect_key(const struct config *config, uint32_t modifiers, xkb_keysym_t sym,
	const char *action, const char *argument);
