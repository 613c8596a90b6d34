/* SPDX-License-Identifier: MIT */
#pragma once

/** Text in two columns. Pure. */

/**
 * Returns the lines of `text` in two columns, newly allocated. Long lines of the first one are cut.
 */
char *text_in_columns(const char *text);
