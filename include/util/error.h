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
 * Returns whether the failure (negative errno) says nothing about later calls: memory, descriptors
 * or space were short, the call was interrupted or took too long, or the GPU was being reset. Such
 * a failure is neither remembered nor announced. -ENODEV is not among them: it means that a device
 * is lost, or that there is none.
 */
static inline bool error_may_pass(int error)
{
	switch (error) {
	case -EAGAIN:
	case -EBUSY:
	case -ECANCELED: /* amdgpu: contexts from before a reset */
	case -EINTR:
	case -EIO:
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM:
	case -ENOSPC:
	case -ETIME:
	case -ETIMEDOUT: return true;
	default: return false;
	}
}
