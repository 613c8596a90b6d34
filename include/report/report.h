/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Hardware report: what the GPUs, their drivers and their copy engines do on this machine, found
 * without a session, a mode change or root. It opens, and so wakes, every GPU.
 */

/**
 * Prints the report as text to standard output and writes it to `path` as JSON, with
 * the `version` of Causeway. Returns an exit
 * code; prints an error itself. Blocks for seconds; a copy that does not end within ten is reported
 * as such.
 */
int hardware_report(const char *version, const char *path);
