#pragma once

/** One object of linux-dmabuf feedback: what its client was told. */

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
	bool done; /* since then nothing was told */
	/** The last time. */
	int n_main, n_tables, n_tranches, n_flags;
	dev_t main_device, target_device;
	uint32_t flags; /* of the last tranche */
	uint16_t indices[8192]; /* of all tranches but the one for scan-out */
	size_t n_indices;
	uint16_t scan_out[8]; /* of that one, the first */
	size_t n_scan_out;
	const struct feedback_pair *table;
	uint32_t table_size; /* bytes */
	int table_fd;
};

/** Pumps until it is told. `surface` NULL: the default one. */
struct feedback *feedback_create(
	struct peer *peer, struct zwp_linux_dmabuf_v1 *dmabuf, struct wl_surface *surface);
/** While its peer is there. */
void feedback_destroy(struct feedback *feedback);
/** Whether a tranche that is not for scan-out has this layout. */
bool feedback_offers(const struct feedback *feedback, uint32_t format, uint64_t modifier);
