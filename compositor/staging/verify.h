/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Verification of copies between two GPUs: a pattern larger than 4 MiB goes from a tiled image of
 * the source through the memory into the reader and back to the CPU, on a thread with engines of
 * its own. NVIDIA's driver is known to import other devices' memory and to read only its first
 * megabytes correctly.
 */

#include "staging/verdict.h"

struct staging;
struct staging_verifier;
struct tasks;

/** `path` of the verdicts' file; NULL: none. It is loaded now, and saved by the destruction. */
struct staging_verifier *staging_verifier_create(
	struct staging *staging, struct tasks *tasks, const char *path);
/** Call before tasks_destroy(). Accepts NULL. */
void staging_verifier_destroy(struct staging_verifier *verifier);
/**
 * Returns the verdict about the path. VERDICT_NONE: a test runs, and gpu_engines.events.again of
 * all GPUs is emitted after it; a test that fails for a reason that may pass is repeated. After
 * some of these, or one that timed out, VERDICT_LATE: copies may go on; tests are repeated after
 * minutes while rings use these GPUs, and memory that one finds wrong is replaced. `native`:
 * modifiers of the client's buffer and of the reader's.
 */
enum verdict staging_verify(struct staging_verifier *verifier, const struct verdict_path *path,
	const uint64_t native[static 2]);
/** Returns whether copies from the source to the reader were wrong by some engine or memory. */
bool staging_found_wrong(const struct staging_verifier *verifier, const struct gpu *source,
	const struct gpu *reader);
/** Returns the verdicts so far. */
const struct verdict_table *staging_verdicts(const struct staging_verifier *verifier);
