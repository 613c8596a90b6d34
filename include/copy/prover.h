/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Provers: find out, by an empty submission on a device of their own, whether a GPU's kernel driver
 * can map memory of unknown origin. Imports alone do not show it, and Mesa's drivers repeat failed
 * submissions for ever. Threads open the device, submit, and close it, because a queue that
 * clients' fences have filled blocks its close. The device, which keeps the last memory mapped, is
 * closed two seconds after the last proof.
 */

struct copy_proof;
struct copy_prover;
struct dmabuf;
struct gpu;
struct tasks;

/** Creates a prover whose threads are tasks of `tasks`. */
struct copy_prover *copy_prover_create(struct tasks *tasks);
/** Cancels all proofs. Threads close the devices. Call before tasks_destroy(); accepts NULL. */
void copy_prover_destroy(struct copy_prover *prover);
/**
 * Starts a proof. Returns -EINPROGRESS with the proof in *proof, or another result at once.
 * `dmabuf` must exist until `done` is called with the result on the event loop, or until
 * copy_proof_cancel().
 *
 * Results: 0 if the GPU can map the memory, -ENOMEM if it cannot, or an error if that remains
 * unknown: -ENOTSUP for GPUs without SDMA; -EBUSY if clients' fences hold up all submissions,
 * -ETIMEDOUT if a thread was blocked for seconds; another error that may pass and was repeated.
 */
int copy_prover_start(struct copy_prover *prover, const struct gpu *gpu,
	const struct dmabuf *dmabuf, void (*done)(void *data, int result), void *data,
	struct copy_proof **proof);
/** Ends a proof: `done` is not called. Accepts NULL. */
void copy_proof_cancel(struct copy_proof *proof);
