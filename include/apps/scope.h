/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Systemd scopes of programs: units of the user's service manager, one for each started program, so
 * that one which takes all memory ends alone, and so that rules match by unit.
 */

#include <stdbool.h>

/** Argument of the helper process, before its descriptor and the unit: see scope_hold(). */
#define SCOPE_HOLD_ARGUMENT "--hold="
/** The byte for the helper process once its unit has been requested. */
#define SCOPE_REQUESTED 'y'

/** Returns whether the user has a service manager, of which this session is. */
bool scope_manager_runs(void);
/**
 * Returns the name of a new unit, newly allocated: "app-causeway-ID-RANDOM.scope", for the id of a
 * desktop file or the name of a program, as systemd's conventions for desktops want it.
 */
char *scope_name(const char *id);
/** Waits until this process is in the unit, half a second at most. Returns whether it is. */
bool scope_wait(const char *unit);
/**
 * Runs the helper process, whose arguments are its name, SCOPE_HOLD_ARGUMENT with a descriptor and
 * a unit ("3,app-x.scope"), and the program with its arguments: waits until the other end of the
 * descriptor is closed, then for the unit if it was requested, and executes the program. Returns an
 * exit code on failure only.
 */
int scope_hold(int argc, char **argv);
