/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Size of the images by which copies are verified, for tests of many verifications. The program is
 * linked with --wrap=pattern_allocate and --wrap=system_memory_allocate.
 */

#include <stdbool.h>

/** Makes the images as small as one block of tiles, or as large as in the product (the default). */
void pattern_size_set(bool small);
