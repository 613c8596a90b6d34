/* SPDX-License-Identifier: MIT */
#pragma once

/** Help of causewayctl. */

/** Returns the arguments of a command, for "usage: causewayctl ..."; NULL if it has no help. */
const char *usage_line(const char *command);
/** Prints all commands and options. */
void usage_print(void);
/** Prints the arguments of a command with their meaning. A command without help prints nothing. */
void usage_print_command(const char *command);
