#pragma once

/**
 * Fuzz targets: the entry points that libFuzzer and other engines call, and helpers that targets
 * share. A target never changes global state that a later input can observe.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Runs the code under test on one input. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/** Prepares the process; called once, before the first input. Returns 0. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/** Returns a stream that reads the input, to be closed by the caller. */
FILE *target_open(const uint8_t *data, size_t size);
/** Returns a copy of the input followed by a zero byte, to be freed by the caller. */
char *target_text(const uint8_t *data, size_t size);
