/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Limits how often the window manager undoes what programs do: at once at first, then with pauses.
 */

#include "util/clock.h"
#include <stdbool.h>
#include <stdint.h>

struct x_pace {
	int64_t since; /* ns */
	int n; /* times in the second after that */
	struct timer pause; /* of its user: armed before the next time */
};

/** Returns true if it is to be done at once; otherwise `pause` fires when it is. */
bool xwm_pace_allows(struct x_pace *pace, int64_t now);
