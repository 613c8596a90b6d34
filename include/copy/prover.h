/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Provers: find out, by an empty submission on a device of their own, whether a GPU's kernel driver
 * can map memory of unknown origin. Imports alone do not show it, and Mesa's drivers repeat failed
 * submissions for ever. Submissions wait for nothing.
 */

struct copy_prover;
struct dmabuf;
struct gpu;

struct copy_prover *copy_prover_create(void);
/** Accepts NULL. */
void copy_prover_destroy(struct copy_prover *prover);
/**
 * Returns 0 if the GPU can map the memory, -ENOMEM if it cannot, or another error if that remains
 * unknown: -ENOTSUP for GPUs without SDMA. Opens the GPU's node on first use, and keeps it open.
 */
int copy_prover_test(
	struct copy_prover *prover, const struct gpu *gpu, const struct dmabuf *dmabuf);
