/* SPDX-License-Identifier: MIT */
#pragma once

/** Checks of the frames that show a window of another GPU. */

#include "cross_gpu_life.h"

/**
 * Checks the presented frames of all outputs, unless filters mix pixels of different commits: all
 * pixels are of one size and coding, none is older than before, and visible ones are the newest
 * FRAMES_MAX frames after they were drawn and uncovered, in which nothing delays copies.
 */
void oracle_check(struct life *life);
/** The window or the cover moved: other pixels are visible. */
void oracle_forget(struct life *life);
