/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Fault injection: while enabled, calls by which the compositor gets descriptors, mappings, threads
 * and client objects fail at random, as they do when these resources are exhausted.
 */

#include "fuzz/actor.h"

/** Sets the percentage of calls that fail, chosen by `random`; 0: none. */
void fault_set(struct random *random, int percent);
/** Exempts this client, since failing to create an object would end it. */
void fault_spare(struct wl_client *client);
