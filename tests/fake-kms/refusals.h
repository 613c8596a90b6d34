/* SPDX-License-Identifier: MIT */
#pragma once

/** Compositors on an emulated card that refuses modes for a while. */

#include "server/output.h"
#include "server_common.h"

#define SECOND INT64_C(1000000000)

/** Small screens, since the CPU fills each frame: 640x480, 480x360 and 320x240 at 60 Hz. */
extern const struct fake_screen refusals_screens[3];

/**
 * The rules of the card, and the times at which it was asked to enable a connector or change its
 * mode.
 */
struct refusals {
	struct world *world;
	struct fake_card *card;
	int widest; /* larger modes are refused; 0: none */
	const char *connector; /* all modes of this one are refused; NULL: none */
	int64_t times[64]; /* each once */
	int n_times;
	int log, stderr_copy; /* while the log is collected */
};

/**
 * Creates a card of the kind with screens on its connectors, and sets its rules. Lists end with
 * NULL.
 */
struct refusals *refusals_create(
	struct world *world, const char *kind, const char *const *connectors);
/** Ends all rules, without an event. */
void refusals_end(struct refusals *refusals);
/** Advances the test clock by `ns`, and completes page flips in steps of 250 ms. */
void refusals_wait(struct refusals *refusals, int64_t ns);
/**
 * Sends a hotplug event of the connector, whose screen stays, and lets the compositor react to it.
 */
void refusals_hotplug(struct refusals *refusals, const char *connector);
/** Returns the number of accepted modesets. */
uint64_t refusals_modesets(const struct refusals *refusals);
/** Returns the number of frames that the output has presented; fails the test if it is off. */
uint64_t refusals_presented(struct refusals *refusals, const char *connector);
/**
 * Sets or disables (width 0) a mode as a client of wlr-output-management does. Returns its success.
 */
bool refusals_configure(
	struct refusals *refusals, const char *connector, int32_t width, int32_t height);
/** Collects the log until refusals_count_log(); failed asserts between them print nothing. */
void refusals_collect_log(struct refusals *refusals);
/** Prints the collected log, and returns the number of its lines that contain `text`. */
int refusals_count_log(struct refusals *refusals, const char *text);
