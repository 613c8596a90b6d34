#pragma once

/**
 * The SIGBUS guard: reading mapped memory whose file somebody else may truncate.
 *
 * Between begin and end, a fault in the range does not end the process: the range reads as zeros
 * from the missing page on, and remembers where that was. Accesses nest and belong to the thread
 * that began them, which must not block SIGBUS; several threads may be inside the same range.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct sigbus_range {
	void *base; /* page aligned */
	size_t size; /* of the mapping: whole pages of `page` bytes, or less where that is the usual page */
	size_t page; /* bytes, more than usual for huge pages; 0: the usual ones */
	/** The kernel guarantees the memory: no handler is needed. */
	bool guaranteed;
	/** Offset from which on the range has been replaced by zeros; SIZE_MAX while it is whole. */
	atomic_size_t missing_from;
};

/** Nothing but bookkeeping after the first call; false if too many accesses are nested. */
bool sigbus_begin(const void *owner, struct sigbus_range *range);
/** Ends the latest access that this thread began for `owner`; returns its range. */
struct sigbus_range *sigbus_end(const void *owner);

/** An access has found memory missing; any thread. */
void sigbus_count_failed(void);
/** How many there were so far; wraps. */
unsigned sigbus_n_failed(void);
