#pragma once

/**
 * Faults: while they are switched on, calls by which the compositor gets descriptors, mappings, threads and
 * objects of clients fail by chance, as they do where these are out.
 */

#include "fuzz/actor.h"

/** Of a hundred calls; 0: none. The numbers are those of `random`. */
void fault_set(struct random *random, int percent);
/** Objects of this client do not fail, which would end it. */
void fault_spare(struct wl_client *client);
