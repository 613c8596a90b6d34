/* SPDX-License-Identifier: MIT */
#pragma once

/** A linux-dmabuf feedback object and its received events. */

#include "harness/peer.h"
#include "linux-dmabuf-v1-client-protocol.h"

struct feedback_pair {
	uint32_t format, padding;
	uint64_t modifier;
};

struct feedback {
	struct peer *peer;
	struct zwp_linux_dmabuf_feedback_v1 *proxy;
	int n_done;
	bool done; /* no events since the last done */
	/** Of the last update. */
	int n_main, n_tables, n_tranches, n_flags;
	dev_t main_device, target_device;
	uint32_t flags; /* of the last tranche */
	/** The tranches other than the scan-out one. */
	struct {
		dev_t device;
		uint32_t flags;
		size_t first, n; /* of `indices` */
	} tranches[8];
	int n_sampled;
	uint16_t indices[8192]; /* of all tranches except the scan-out one */
	size_t n_indices;
	uint16_t scan_out[8]; /* of the scan-out tranche, the first ones */
	size_t n_scan_out;
	const struct feedback_pair *table;
	uint32_t table_size; /* bytes */
	int table_fd;
};

/** Creates feedback and pumps until it is done. `surface` NULL: the default feedback. */
struct feedback *feedback_create(
	struct peer *peer, struct zwp_linux_dmabuf_v1 *dmabuf, struct wl_surface *surface);
/** Call while the peer exists. */
void feedback_destroy(struct feedback *feedback);
/** Returns the number of pairs that the tranche of the device offers; -1 without such a tranche. */
int feedback_count(const struct feedback *feedback, dev_t device);
/** Returns whether a tranche other than the scan-out one offers this modifier. */
bool feedback_offers(const struct feedback *feedback, uint32_t format, uint64_t modifier);
