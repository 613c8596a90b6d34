/* SPDX-License-Identifier: MIT */
/* Random names for identifiers and tokens. */

#include "util/random_name.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

void random_name(char name[static RANDOM_NAME_SIZE])
{
	uint8_t bytes[(RANDOM_NAME_SIZE - 1) / 2];
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) {
		abort(); /* impossible: at most 256 bytes and no flags */
	}
	for (size_t i = 0; i < sizeof(bytes); i++) {
		snprintf(name + 2 * i, 3, "%02x", bytes[i]);
	}
}
