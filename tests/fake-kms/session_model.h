/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Naive model of a session with hotplug: screens, the lid, power and settings as the user expects
 * them.
 */

#include "course.h"

#define N_CONNECTORS 3
#define N_SCREENS 5
#define VT_CLOSED 5
#define VT_OPENED 6

struct machine {
	const char *kind;
	const char *connectors[N_CONNECTORS];
	int n, panel; /* panel: -1: none */
};

struct setting {
	bool enabled, has_position;
	int width; /* 0: preferred */
	int scale; /* 0: none */
	int turned; /* a wl_output_transform */
	int x, y;
	int vrr; /* enum config_adaptive_sync */
	bool no_tearing;
};

/* A screen that the session knows. Screens without EDID are known by the connector. */
struct known {
	int screen, connector; /* connector: the last one */
	bool present, off, has_client;
	struct setting client;
};

struct model {
	struct world *world;
	const struct machine *machine;
	struct fake_card *card;
	struct libinput_device *lid, *mouse, *both; /* both: with keys */
	uint32_t random;
	int plugged[N_CONNECTORS]; /* screen, or -1 */
	int resized[N_CONNECTORS]; /* index of `screens` */
	int seen[N_CONNECTORS]; /* by the session, which sees nothing while it is away */
	struct known list[N_CONNECTORS * N_SCREENS]; /* in the order of the first connection */
	int n;
	struct setting sections[N_CONNECTORS];
	bool no_keys, no_motion; /* of devices other than the mouse, as configured */
	bool away, dark;
	bool closed; /* the lid */
	bool seen_closed; /* when the session was last active */
	bool known_closed; /* as the session has been told */
	int n_closed, n_opened; /* actions */
	double x_scale; /* of X screens at the last check; 0: unknown */
	double most; /* of all outputs then */
	unsigned shown; /* bits of those outputs */
	int64_t other_since; /* ns; they differ; or the last change */
};

/** All have the same modes, so that each setting fits each screen. The last one has no EDID. */
extern const struct fake_screen model_screens[2][N_SCREENS];

/** Returns a number below `n`. */
int model_draw(struct model *model, int n);
/** Returns the screen on the connector, or NULL. */
struct known *model_known(struct model *model, int connector);
/** Returns the settings of a client, else those of the configuration. */
const struct setting *model_setting(const struct model *model, const struct known *known);
/** Lets the session see the present connectors. */
void model_look(struct model *model);
void model_see_lid(struct model *model);
/** Returns whether the lid covers the connector's screen, which another one replaces. */
bool model_covers(struct model *model, int connector);
bool model_shows(struct model *model, int connector);
/** Ends power-offs of absent screens; powers all outputs on if `all`. */
void model_wake(struct model *model, bool all);
/** Call after each step: outputs that are disabled forget their own power. */
void model_settle(struct model *model);
struct setting model_draw_setting(struct model *model);
bool setting_equal(const struct setting *a, const struct setting *b);
/** Writes the configuration of the model's settings. */
void model_write_config(const struct model *model, char *text, size_t size);
