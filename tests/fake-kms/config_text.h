/* SPDX-License-Identifier: MIT */
#pragma once

/** Configuration files of tests, replaced and reloaded. */

#include "harness/fixture.h"

/** Replaces the contents of a file. */
void config_text_write(const char *path, const char *text);
/**
 * Replaces the configuration file and reloads it. Fails the test if the configuration is invalid.
 */
void config_text_reload(struct fixture *fixture, const char *path, const char *text);
