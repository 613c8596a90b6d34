/* SPDX-License-Identifier: MIT */
/* A fullscreen game of the random refusals: it requests VRR, a content type and tearing. */

#include "refusal_game.h"
#include "content-type-v1-client-protocol.h"
#include "scene/scene.h"
#include "shell/window.h"
#include "tearing-control-v1-client-protocol.h"

void game_init(struct game *game, struct fixture *fixture)
{
	struct peer *peer = peer_create(fixture);
	*game = (struct game){.fixture = fixture};
	game->window = peer_window_create(peer, 0, 0, 64, 48, 0xff336699);
	/* The first buffer has alpha. */
	peer_buffer_destroy(game->window->buffer);
	game->window->buffer = peer_buffer_create(peer, 64, 48, WL_SHM_FORMAT_XRGB8888);
	game->type = wp_content_type_manager_v1_get_surface_content_type(
		peer_bind(peer, &wp_content_type_manager_v1_interface, 0), game->window->surface);
	game->tearing = wp_tearing_control_manager_v1_get_tearing_control(
		peer_bind(peer, &wp_tearing_control_manager_v1_interface, 0),
		game->window->surface);
}

void game_request(struct game *game, bool plays, bool tears)
{
	game->plays = plays;
	game->tears = tears;
	wp_content_type_v1_set_content_type(
		game->type, plays ? WP_CONTENT_TYPE_V1_TYPE_GAME : WP_CONTENT_TYPE_V1_TYPE_NONE);
	wp_tearing_control_v1_set_presentation_hint(
		game->tearing, tears ? WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC
				     : WP_TEARING_CONTROL_V1_PRESENTATION_HINT_VSYNC);
}

void game_draw(struct game *game)
{
	struct peer_window *window = game->window;
	struct window *shown = peer_window_find(window);
	if (shown) {
		window_request_fullscreen(shown, true, NULL);
		fixture_pump(game->fixture);
	}
	const int width = window->width > 0 ? window->width : 64,
		  height = window->height > 0 ? window->height : 48;
	if (window->buffer->width != width || window->buffer->height != height) {
		peer_buffer_destroy(window->buffer);
		window->buffer =
			peer_buffer_create(window->peer, width, height, WL_SHM_FORMAT_XRGB8888);
	}
	peer_surface_show(window->surface, window->buffer);
	fixture_pump(game->fixture);
}

bool game_fills(const struct game *game, const struct scene_output *output)
{
	const struct surface *surface =
		peer_surface_find(game->window->peer, game->window->surface);
	const struct output_mode *mode = &output->output->mode;
	int i = 0;
	while (i < output->n_entries && output->entries[i].cursor) {
		i++;
	}
	if (i == output->n_entries) {
		return false;
	}
	const struct scene_entry *entry = &output->entries[i];
	return entry->node && entry->node->type == SCENE_SURFACE &&
	       scene_surface_from_node(entry->node)->surface == surface && entry->dst.x <= 0 &&
	       entry->dst.y <= 0 && entry->dst.x + entry->dst.width >= mode->width &&
	       entry->dst.y + entry->dst.height >= mode->height;
}
