#pragma once

/**
 * Waiting for what a thread or another process does, which knows nothing of a test's clock: as long as it
 * takes, however busy the machine is.
 */

#include <poll.h>

/** Looks, a millisecond apart at least: what has not come by then does not come. */
#define AWAIT_LOOKS 100000

/** Until `condition` holds, `turn` is done again and again. Fails the test if it never does. */
#define await(condition, turn)                                                                     \
	for (int await_looks = 0; !(condition); await_looks++) {                                   \
		if (await_looks == AWAIT_LOOKS) {                                                  \
			fail_msg("waited in vain: %s", #condition);                                \
		}                                                                                  \
		poll(NULL, 0, 1);                                                                  \
		turn;                                                                              \
	}
