#pragma once

/**
 * Threads that share out one piece of work of the CPU and wait for its end: what is too much for one
 * core. There is none until the first such piece comes, and they sleep between pieces.
 */

#include <stdbool.h>

struct buffer;
struct crew;

/** At most so many parts of a piece are worked on at once. */
#define CREW_MAX 8

/** NULL: there is one core only, or no thread to be had. */
struct crew *crew_create(void);
/** NULL is legal. */
void crew_destroy(struct crew *crew);
/** How many parts are worked on at once, the caller's included. */
int crew_size(const struct crew *crew);
/** Calls work(data, 0) to work(data, n - 1), in any order, on any thread; returns when all have. */
void crew_run(struct crew *crew, int n, void (*work)(void *data, int part), void *data);
/**
 * For work: makes the buffer's memory, which the caller of crew_run() accesses, safe to read and write on
 * this thread, too. NULL is legal. False: it is not.
 */
bool crew_begin_access(struct crew *crew, struct buffer *buffer, unsigned access);
void crew_end_access(struct crew *crew, struct buffer *buffer);
