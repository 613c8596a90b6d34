/* SPDX-License-Identifier: MIT */
#pragma once

/** A server and its clients: the state that most tests of clients share. */

#include "harness/peer.h"

struct world {
	struct fixture *fixture; /* first, for fixture_tear_down() */
	enum renderer_kind renderer;
	struct peer *peer, *other; /* `other` captures, or must not notice the peer's end */
	struct peer_window *window;
	void *manager; /* proxy of the global under test */
};

/** Creates a server with `peer`; the other members are zeros. */
struct world *world_create(const struct fixture_options *options);
