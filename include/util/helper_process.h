/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Helper processes: this program again, for work of a library that may hang, crash, or leave memory
 * and descriptors behind. Use from a thread: all calls may block.
 */

#include <stddef.h>
#include <sys/types.h>

/** Descriptor of the answer in the process; no later ones are open when it starts. */
#define HELPER_FD 3

struct helper_process {
	pid_t pid;
	int fd; /* of the answer */
};

/**
 * Starts `program` with one argument, without blocked signals. Its standard input is `input`, a
 * descriptor, or /dev/null if negative. Returns 0 or -errno.
 */
int helper_process_start(
	struct helper_process *process, const char *program, const char *argument, int input);
/**
 * Reads until the process closes the answer. Returns the answer, newly allocated, with its length;
 * or NULL after `timeout` ms, for an answer of more than `most` bytes, or on a failed read.
 */
char *helper_process_read(struct helper_process *process, int timeout, size_t most, size_t *length);
/** Kills the process, waits for its end and closes the answer. */
void helper_process_end(struct helper_process *process);
/**
 * Limits the CPU time and the memory of the calling process, which then writes neither files nor
 * core dumps.
 */
void helper_process_limit(int seconds, size_t bytes);
