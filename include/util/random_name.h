/* SPDX-License-Identifier: MIT */
#pragma once

/** Names that cannot be guessed. */

/** Size (bytes) of a name: 128 random bits in hexadecimal digits, and the terminating NUL. */
#define RANDOM_NAME_SIZE 33

void random_name(char name[static RANDOM_NAME_SIZE]);
