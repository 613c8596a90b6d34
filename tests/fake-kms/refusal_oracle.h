/* SPDX-License-Identifier: MIT */
#pragma once

/** Oracle of random refusals: the best state that the rules of a card and the user allow. */

#include "course.h"
#include "refusal_game.h"
#include "server/output.h"

#define OUTPUTS_MAX 4

/** Card with its routes from connectors to CRTCs. */
struct shape {
	const char *kind;
	const char *connectors[OUTPUTS_MAX + 1];
	unsigned routes[OUTPUTS_MAX];
	int n;
	bool resized; /* the host of a virtual machine chooses the preferred mode */
};

struct scan {
	int width, height;
	bool interlaced;
};
/** Modes of all screens, the preferred one first. */
#define SCANS_MAX 5
extern const struct scan scans[SCANS_MAX];

/** Leases at a time. */
#define LEASES_MAX 2

/** State of a random session on such a card. */
struct scenario {
	struct world *world;
	const struct shape *shape;
	struct fake_card *card;
	uint32_t random;
	bool away;
	struct drm_lease *leases[LEASES_MAX];
	int lease_fds[LEASES_MAX]; /* of the lessees; -1: closed */
	/** Rules of the card. */
	bool refused[OUTPUTS_MAX];
	int widest[OUTPUTS_MAX]; /* pixels */
	int clock; /* kHz, of all connectors; 0: unlimited */
	int n_pass, n_fail, error; /* requests that pass, then those that fail with the errno */
	bool fail_tests; /* test-only requests among them */
	const struct fake_screen *plugged[OUTPUTS_MAX]; /* NULL: none */
	const struct fake_screen *last[OUTPUTS_MAX]; /* plugged in */
	/** Modes have vanished or returned since the screen was lit: it may have an older mode. */
	bool changed_modes[OUTPUTS_MAX];
	/** Sections of the configuration. */
	struct {
		bool exists, enabled, leased;
		int width; /* 0: preferred */
		int vrr; /* 0: unset, 1: on, 2: off */
	} sections[OUTPUTS_MAX];
	struct game *game; /* NULL: none */
	/** Outputs that the step changes itself. */
	unsigned named;
};

/** Returns a number below `n`. */
int scenario_draw(struct scenario *scenario, int n);
/** Returns NULL without a screen, and for one that the session has not seen yet. */
struct server_output *scenario_entry(struct scenario *scenario, int i);
/** Applies the lasting rules to the modes. */
bool scenario_refuses(const struct scenario *scenario, const struct fake_head *heads, int n);
/** Returns the pixel clock of a mode in kHz. */
int scan_clock(const struct scan *mode);
/** Return bits of outputs: lit ones, and those that the user wants to be lit. */
unsigned scenario_find_lit(struct scenario *scenario);
unsigned scenario_find_wanted(struct scenario *scenario);
/** Returns the outputs whose modeset waits for the card, such as after the session's return. */
unsigned scenario_find_due(struct scenario *scenario);
/** Returns the CRTCs that no lessee has and no output uses or waits for. */
unsigned scenario_find_unused_crtcs(struct scenario *scenario);
/** Returns whether the outputs can share out the CRTCs; bits of both. */
bool scenario_fits(const struct shape *shape, unsigned outputs, unsigned crtcs);
/** Checks that the rules refuse all modes that are better than the output's. */
void scenario_check_output(struct scenario *scenario, int i);
/**
 * Checks that VRR, content type and tearing are as the configuration and the game request them,
 * while the rules allow all.
 */
void scenario_check_hints(struct scenario *scenario, int i);
