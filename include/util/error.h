/* SPDX-License-Identifier: MIT */
#pragma once

/** Classes of system errors. */

#include <errno.h>
#include <stdbool.h>

/** Returns whether descriptors were exhausted. */
static inline bool error_lacks_descriptor(int error)
{
	return error == -EMFILE || error == -ENFILE;
}

/**
 * Returns whether the error (negative errno) is transient: a lack of memory, descriptors or space.
 */
static inline bool error_may_pass(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -EAGAIN ||
	       error == -EBUSY;
}
