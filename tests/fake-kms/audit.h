/* SPDX-License-Identifier: MIT */
#pragma once

/** Invariants of the KMS backend on emulated cards. */

#include <stdbool.h>

struct backend;

/**
 * Compares the state of each card with the backend's outputs, while no change is under way: modes,
 * planes, colours and hints are those of the outputs, nothing else is lit, and the kernel has no
 * objects that the outputs do not need. Fails the test otherwise. Returns false if a change is
 * under way on a card.
 */
bool audit(struct backend *backend);
