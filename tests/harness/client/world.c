/* SPDX-License-Identifier: MIT */
/* A server and its clients: the state that most tests of clients share. */
#include "harness/client/world.h"
#include "util/xalloc.h"

struct world *world_create(const struct fixture_options *options)
{
	struct world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(options);
	world->peer = peer_create(world->fixture);
	return world;
}
