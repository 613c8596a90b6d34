/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Keys of screens: the name of the connector, and make, model and serial number. Docks give their
 * connectors new names, and another screen may be connected to a known connector.
 */

struct output;

enum screen_fit {
	SCREEN_OTHER,
	SCREEN_PART, /* the same screen on another connector, or another one on the same */
	SCREEN_EXACT,
};

/** Describes the output's screen. The caller frees the result. */
char *screen_key(const struct output *output);
/** Compares the output's screen with a key. */
enum screen_fit screen_key_fit(const char *key, const struct output *output);
