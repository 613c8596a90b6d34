#pragma once

/** Schemes: requests that have to come one after the other to get anywhere, and then go wrong. */

#include "fuzz/actor.h"

/** One of them; any of its requests may be left out or have odd arguments. */
void scheme_play(struct actor *actor);
/**
 * Unlocks by a lock of the actor's; without one, asks for a lock, which succeeds where the last
 * locker has crashed.
 */
void scheme_unlock(struct actor *actor);
