/* SPDX-License-Identifier: MIT */
#pragma once

/** Request sequences that reach deep states and then fail. */

#include "fuzz/actor.h"

/** Plays one of the sequences; any of its requests may be left out or have random arguments. */
void sequence_play(struct actor *actor);
/**
 * Unlocks the session. Without a lock of the actor, requests one, which succeeds after the previous
 * lock client crashed.
 */
void sequence_unlock(struct actor *actor);
