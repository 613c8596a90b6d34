#pragma once

/** Errors of the system. */

#include <errno.h>
#include <stdbool.h>

/** No descriptor was left, which passes as soon as others are closed. */
static inline bool error_lacks_descriptor(int error)
{
	return error == -EMFILE || error == -ENFILE;
}

/** Whether what failed so (negative errno) may well be possible later: memory was short, descriptors, or room. */
static inline bool error_may_pass(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -EAGAIN ||
	       error == -EBUSY;
}
