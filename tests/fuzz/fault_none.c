/* SPDX-License-Identifier: MIT */
/* Disabled fault injection: for players whose emulated devices wrap the same calls. */

#include "fuzz/fault.h"

void fault_set(struct random *random, int percent)
{
}

void fault_spare(struct wl_client *client)
{
}
