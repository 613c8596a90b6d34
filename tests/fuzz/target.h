/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Fuzz targets: entry points called by libFuzzer and other engines, and shared helpers. Targets
 * keep no global state that later inputs can observe.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Runs the code under test on one input. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/** Prepares the process before the first input. Returns 0. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/** Returns a stream that reads the input; the caller closes it before opening another one. */
FILE *target_open(const uint8_t *data, size_t size);
/** Returns a copy of the input followed by a zero byte; the caller frees it. */
char *target_text(const uint8_t *data, size_t size);
