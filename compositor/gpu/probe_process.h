/* SPDX-License-Identifier: MIT */
#pragma once

/** Processes that look at a GPU, and their answers. */

#include "gpu/probe.h"
#include <stdio.h>
#include <sys/types.h>

/** Descriptor of the answer in the process; no later ones are open when it starts. */
#define PROBE_FD 3
/** Longer answers are refused. */
#define PROBE_BYTES_MAX (1024 * 1024)

struct probe_process {
	pid_t pid;
	int fd; /* of the answer */
};

/**
 * Starts `program` with the argument --probe=`subject`, without blocked signals. Returns 0 or
 * -errno.
 */
int probe_process_start(struct probe_process *process, const char *program, const char *subject);
/**
 * Reads until the process closes the answer. Returns the answer, newly allocated, with its length;
 * or NULL after `timeout` ms, for an answer that is too long, or on a failed read.
 */
char *probe_process_read(struct probe_process *process, int timeout, size_t *length);
/** Kills the process, waits for its end and closes the answer. */
void probe_process_end(struct probe_process *process);

/** Writes an answer. `complete`: it may be cached. */
void probe_answer_write(
	FILE *stream, const char *key, const struct gpu_facts *facts, bool complete);
/**
 * Reads an answer. Returns false if it is damaged, cut or continued, or its key differs; then
 * `facts` is empty and *complete false.
 */
bool probe_answer_read(
	const char *text, size_t length, const char *key, struct gpu_facts *facts, bool *complete);
