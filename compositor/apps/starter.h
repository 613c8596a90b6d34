/* SPDX-License-Identifier: MIT */
#pragma once

/** Programs that start other ones: shells, terminals, launchers, panels and game libraries. */

#include <stdbool.h>

/** Returns whether the executable is known to start other programs. Accepts NULL. */
bool starter_is_known(const char *exe);
