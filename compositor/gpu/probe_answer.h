/* SPDX-License-Identifier: MIT */
#pragma once

/** Answers of processes that look at a GPU. */

#include "gpu/probe.h"
#include <stdio.h>

/** Longer answers are refused. */
#define PROBE_BYTES_MAX (1024 * 1024)

/** Writes an answer. `complete`: it may be cached. */
void probe_answer_write(
	FILE *stream, const char *key, const struct gpu_facts *facts, bool complete);
/**
 * Reads an answer. Returns false if it is damaged, cut or continued, or its key differs; then
 * `facts` is empty and *complete false.
 */
bool probe_answer_read(
	const char *text, size_t length, const char *key, struct gpu_facts *facts, bool *complete);
