/* SPDX-License-Identifier: MIT */
#pragma once

/** Two screens on one emulated card, with their outputs in the DRM backend. */

#include "rig.h"

struct two_outputs {
	struct fake_card *card;
	struct rig *rig;
	struct rig_output *first, *second;
};

/** Set-up and tear-down: both outputs are enabled and present a frame. */
int set_up(void **state);
/** As set_up(), with HDMI-A-1 instead of DP-2: it has a content type. */
int set_up_hdmi(void **state);
/** As set_up(), on i915 with the connectors DP-4 and HDMI-A-2. */
int set_up_intel(void **state);
int tear_down(void **state);
/** Commits a mode without dispatching events, so that completions stay unread. */
bool set_mode(struct rig_output *output, int i);
bool switch_off(struct rig_output *output);
/** Returns the width of the kernel's current mode; 0: off. */
int width_of(struct two_outputs *world, const char *connector);
/** Returns a pixel of the connector's primary plane. */
uint32_t pixel_of(struct two_outputs *world, const char *connector);
/** Returns the number of accepted blocking commits. */
uint64_t blocking_commits(struct two_outputs *world);
/** Completes `n` modesets and dispatches their events; fails the test if the number differs. */
void finish_modesets(struct two_outputs *world, int n);
/** Plugs a screen into DP-3: its probe holds the locks of the connectors until end_probe(). */
void begin_probe(struct two_outputs *world);
void end_probe(struct two_outputs *world);
