/* SPDX-License-Identifier: MIT */
#pragma once

/** Terminals for programs that need one (Terminal=true of their desktop files). */

/**
 * Returns the arguments that run `argv` in a terminal, NULL-terminated and newly allocated: that of
 * $TERMINAL, else xdg-terminal-exec, else foot. Returns NULL if none of them is installed.
 */
char **terminal_arguments(char *const *argv);
