/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Waiting for a thread or another process, which do not follow a test's clock: as long as it
 * takes, however busy the machine is.
 */

#include <poll.h>

/** Number of checks before a test fails; they are at least 1 ms apart. */
#define AWAIT_LOOKS 100000

/** Repeats `turn` until `condition` holds. Fails the test if it never does. */
#define await(condition, turn)                                                                     \
	for (int await_looks = 0; !(condition); await_looks++) {                                   \
		if (await_looks == AWAIT_LOOKS) {                                                  \
			fail_msg("waited in vain: %s", #condition);                                \
		}                                                                                  \
		poll(NULL, 0, 1);                                                                  \
		turn;                                                                              \
	}
