/* SPDX-License-Identifier: MIT */
/* World of ext-image-copy-capture tests. */

#include "harness/client/capture_world.h"

void world_begin(struct world *world, int argc, char **argv)
{
	capturer_learn_guard();
	world->renderer = fixture_renderer(argc, argv);
}

int set_up(void **state)
{
	struct world *world = *state;
	struct fixture_options options = {.renderer = world->renderer};
	world->fixture = fixture_create(&options);
	world->peer = peer_create(world->fixture);
	world->other = peer_create(world->fixture);
	world->window = peer_window_create(world->peer, 20, 30, 100, 80, 0xffffffff);
	xdg_toplevel_set_title(world->window->toplevel, "under test");
	peer_buffer_fill_pattern(world->window->buffer);
	peer_surface_show(world->window->surface, world->window->buffer);
	fixture_settle(world->fixture);
	return 0;
}

int tear_down(void **state)
{
	struct world *world = *state;
	fixture_destroy(world->fixture);
	return 0;
}

struct capturer_session *output_session(struct world *world, uint32_t options)
{
	return capturer_session_create(world->other, capturer_output_source(world->other), options);
}

struct capturer_session *window_session(struct world *world, uint32_t options)
{
	return capturer_session_create(
		world->other, capturer_window_source(world->other, "under test"), options);
}
