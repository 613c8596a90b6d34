#pragma once

/**
 * What the backend's outputs become: enabled, placed in the scene, with a frame loop each.
 *
 * When the kernel refuses what they ask of a card in sum, they give up, in this order:
 *
 *   1. overlays: first the output's own (frame/assign.c, with each frame), then those of the others;
 *   2. layouts: composed pictures are linear in place of the driver's own layouts;
 *   3. depth: eight bits a channel in place of ten;
 *   4. the mode: the same size at a lower rate, then smaller ones.
 *
 * Of the others only what is asked for while an output is lit up; it is had back right after, as far as
 * the kernel agrees then. A mode that was given up is tried again when another output of the card goes.
 */

#include "shell/config.h"
#include <stdbool.h>

struct output;
struct output_mode;
struct output_state;
struct server;
struct server_output;

/** The server's from now on, until it or the server goes. */
void server_outputs_add(struct server *server, struct output *output);
/** While `hold`, those that come are not lit up; then all are, those of a card in one step. */
void server_outputs_hold(struct server *server, bool hold);
/**
 * Called before `next` takes the place of the configuration: outputs whose sections differ in it lose what clients
 * have set (wlr-output-management); all others keep it.
 */
void server_outputs_compare(struct server *server, const struct config *next);
/** Applies the configuration that is in force. */
void server_outputs_configure(struct server *server);
/** Rates or times of [frame], [power] or the power supply have changed. */
void server_outputs_pace(struct server *server);
/** server.lid_closed has changed: panels go off, or come back. */
void server_outputs_cover(struct server *server);
/** Takes all of them out of the scene. */
void server_outputs_finish(struct server *server);

/** Makes it what the configuration, or a client's wish, says. */
void server_output_configure(struct server_output *entry);
/** Kept for programs that drive it by themselves. */
bool server_output_is_lendable(
	const struct server_output *entry, const struct config_output *config);

/** outputs_mode.c. A client's wish, or else the section for it; NULL: all is as usual. */
const struct config_output *server_output_find_config(const struct server_output *entry);
/** The mode that the configuration names: of the list, or a custom one. */
bool output_find_mode(
	const struct output *output, const struct config_output *config, struct output_mode *mode);
/** The mode that it would be in. */
bool output_choose_mode(
	const struct output *output, const struct config_output *config, struct output_mode *mode);

enum server_output_lit {
	SERVER_OUTPUT_LIT,
	SERVER_OUTPUT_WAITS, /* for others to make room: it is configured again soon */
	SERVER_OUTPUT_REFUSED,
};

enum server_output_lit server_output_light(
	struct server_output *entry, const struct config_output *config);
/** All that shall be lit and are not as they shall be: those of a card in one step, if that can be. */
void server_outputs_light_together(struct server *server);
void server_output_init_room(struct server_output *entry);
/** It goes off, or is not to be lit any more; if it was, others may have what it had. */
void server_output_leave_room(struct server_output *entry, bool was_lit);
