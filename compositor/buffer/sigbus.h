/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * SIGBUS guard: reading mapped memory whose file another process may truncate.
 *
 * Between begin and end, a fault in the range does not end the process: the range reads as zeros
 * from the missing page on, and records the offset. Accesses nest and belong to the thread that
 * began them, which must not block SIGBUS; several threads may access the same range.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct sigbus_range {
	void *base; /* page aligned */
	size_t size; /* of the mapping: whole pages of `page` bytes, or less if page is 0 */
	size_t page; /* bytes, for huge pages; 0: the usual size */
	/** The kernel guarantees the memory: no handler is needed. */
	bool guaranteed;
	/** Offset of the first page replaced by zeros; SIZE_MAX while it is intact. */
	atomic_size_t missing_from;
};

/** Begins an access; cheap after the first call. Returns false if too many accesses are nested. */
bool sigbus_begin(const void *owner, struct sigbus_range *range);
/** Ends the latest access that this thread began for `owner`; returns its range. */
struct sigbus_range *sigbus_end(const void *owner);

/** Counts an access that found memory missing, on any thread. */
void sigbus_count_failed(void);
/** Returns the number of such accesses so far; wraps. */
unsigned sigbus_n_failed(void);
