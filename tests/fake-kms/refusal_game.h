/* SPDX-License-Identifier: MIT */
#pragma once

/** A fullscreen game of the random refusals: it requests VRR, a content type and tearing. */

#include "scene/output.h"
#include "server_common.h"

struct game {
	struct fixture *fixture;
	struct peer_window *window;
	struct wp_content_type_v1 *type;
	struct wp_tearing_control_v1 *tearing;
	bool plays, tears; /* requested */
};

/** Connects the game and maps its window. */
void game_init(struct game *game, struct fixture *fixture);
/** Requests the content type of a game, and tearing, with the next frame. */
void game_request(struct game *game, bool plays, bool tears);
/** Draws a frame of the size of the last configure, and requests to be fullscreen. */
void game_draw(struct game *game);
/** Returns whether the game fills the output. */
bool game_fills(const struct game *game, const struct scene_output *output);
