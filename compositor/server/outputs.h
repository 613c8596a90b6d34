/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Outputs of the backend: enabled, placed in the scene, with one frame loop each.
 *
 * If a card cannot drive all of its outputs as requested, the requests are reduced in this order:
 *
 *   1. overlay planes: of the output (planes/assign.c, in each frame), then of the others;
 *   2. modifiers: linear primary buffers instead of the driver's tiled ones;
 *   3. depth: eight bits per channel instead of ten;
 *   4. the mode: the same size at a lower rate, then smaller ones.
 *
 * Other outputs are reduced only while one is being enabled; afterwards they return to full use as
 * far as the kernel allows. A refused mode is tried again: see output_retry.c.
 */

#include "config/config.h"
#include "util/box.h"
#include <stdbool.h>

struct output;
struct output_mode;
struct server;
struct server_output;

/** Adds an output of the backend until it is destroyed. */
void server_outputs_add(struct server *server, struct output *output);
/** Defers enabling new outputs while `hold`; then enables all, those of one card in one commit. */
void server_outputs_hold(struct server *server, bool hold);
/** Applies the current configuration. */
void server_outputs_configure(struct server *server);
/** Updates frame timing: call after [frame], [power] or the power supply changed. */
void server_outputs_pace(struct server *server);
/** Disables or enables panels: call after server.lid_closed changed. */
void server_outputs_cover(struct server *server);
/** Removes all outputs. */
void server_outputs_finish(struct server *server);

/** Applies the settings of a client or of the configuration. */
void server_output_configure(struct server_output *entry);

/** output_screen.c: screens, present and absent. */
struct server_screen {
	struct wl_list link; /* server_state.screens */
	char *name, *make, *model, *serial; /* as of its output; NULL if unknown */
	struct server_output *output; /* NULL: absent */
	uint64_t left; /* number of its departure */
	/** Settings of a client, which replace the output's section until a reload changes that. */
	bool has_client_config;
	struct config_output client_config; /* without name and list */
	bool off; /* to be powered off, as the last request says */
	bool overlaps; /* its output covers a part of another one */
};

/** Finds the screen of a new output, or remembers a new one, which is the last of the layout. */
void server_screen_enter(struct server_output *entry);
/** Remembers the screen of an output that is being removed. */
void server_screen_leave(struct server_output *entry);
/** Ends power-offs of absent screens: call after one that is present was powered on. */
void server_screens_wake_absent(struct server *server);
void server_screens_finish(struct server *server);

/** output_layout.c */
struct output_place {
	struct box box; /* logical; without `fixed`, output_places_arrange() sets x and y */
	bool fixed; /* the position is configured */
};

/**
 * Places each output without a fixed position right of the previous ones, and beyond all fixed ones
 * that are in the way.
 */
void output_places_arrange(struct output_place *places, size_t n);
/** Places the outputs of the scene. Call after each change of their set, sizes or settings. */
void server_outputs_lay_out(struct server *server);
/**
 * Finds the position that an output with a place has, or will have when its session is active again
 * or it is powered on.
 */
void server_output_find_position(const struct server_output *entry, int32_t *x, int32_t *y);

/**
 * output_section.c
 *
 * Returns the settings of a client, else the output's section of the configuration; NULL: defaults.
 */
const struct config_output *server_output_find_config(const struct server_output *entry);
/**
 * Call before `next` replaces the configuration: discards the settings of clients
 * (wlr-output-management) for outputs whose sections differ.
 */
void server_outputs_compare(struct server *server, const struct config *next);
double server_output_scale(const struct server_output *entry, const struct config_output *config);
enum wl_output_transform server_output_transform(const struct config_output *config);
/**
 * Returns true if the output is in the scene, or will be when its session is active again as far as
 * settings say.
 */
bool server_output_has_place(const struct server_output *entry);
/** Returns true if the output is reserved for DRM leases. */
bool server_output_is_lendable(
	const struct server_output *entry, const struct config_output *config);
/**
 * Returns true if the output stays off because its connector may have no screen: by the rule of the
 * kernel's drm_connector_status, unless the configuration or a client names it, one is lit only if
 * no connector is known to be connected.
 */
bool server_output_is_left_out(
	const struct server_output *entry, const struct config_output *config);
/** Returns true if the outputs share the bandwidth of one card. */
bool server_output_is_neighbour(
	const struct server_output *entry, const struct server_output *other);

/** output_mode.c */
/**
 * Finds the mode of the configuration: a listed one, or a custom one. Returns false if the output
 * cannot have it.
 */
bool output_find_mode(
	const struct output *output, const struct config_output *config, struct output_mode *mode);
/** Finds the mode to set: the configured, the current or the preferred one. */
bool output_choose_mode(
	const struct output *output, const struct config_output *config, struct output_mode *mode);

enum server_output_result {
	SERVER_OUTPUT_ENABLED,
	SERVER_OUTPUT_WAITS, /* until others use less bandwidth: configured again soon */
	SERVER_OUTPUT_REFUSED,
};

enum server_output_result server_output_enable(
	struct server_output *entry, const struct config_output *config);
/**
 * Sets the mode of a disabled output that stays dark: the requested one, without asking the card.
 * Returns false if it has no modes.
 */
bool server_output_plan_mode(struct server_output *entry, const struct config_output *config);
/**
 * Call when settings are postponed: remembers that the preferred mode returns if they end the mode
 * of earlier settings.
 */
void server_output_note_mode(struct server_output *entry, const struct config_output *config);
/** Enables all outputs that need it, those of a card in one commit if possible. */
void server_outputs_enable_together(struct server *server);
/** Ends reductions of other outputs for this one, which is being disabled. */
void server_output_leave_room(struct server_output *entry);

/**
 * output_retry.c: states that the card refused are tried again, in growing pauses and on events.
 */
/** Arms the next try if the card refused a state, or ends the tries. Call after each try. */
void server_output_schedule_retry(struct server_output *entry);
/** Tries a refused state at once, and restarts the pauses. */
void server_output_retry_soon(struct server_output *entry);
/** Call after the output gave up bandwidth: tries refused states of its neighbours at once. */
void server_outputs_retry_beside(struct server_output *entry);
