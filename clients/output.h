/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Standard output of causewayctl, whose reader may end before it:
 * `causewayctl subscribe | head -1`.
 */

#include <stdbool.h>

/** Lets writes fail that would end the process, since their reader has gone. */
void output_init(void);
/** Returns whether standard output is closed, or a pipe without a reader. */
bool output_is_closed(void);
/**
 * Writes buffered output. Returns `code`, or EXIT_FAILURE after an error message if output is lost
 * for another reason than a closed standard output.
 */
int output_finish(int code);
