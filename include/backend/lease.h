/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * DRM leases: outputs of one card lent to another program, which sets modes and presents frames
 * there itself. Supported by the KMS backend only.
 */

#include "util/signal.h"
#include <stddef.h>
#include <stdint.h>

struct backend;
struct drm_card;
struct gpu;
struct output;

struct drm_lease {
	struct drm_card *card; /* NULL: the lease has ended */
	struct wl_list link; /* drm_card.leases */
	uint32_t lessee; /* the kernel's lessee ID */
	struct {
		/**
		 * NULL: the lease's descriptor has become useless. The program closed it, a screen
		 * was unplugged, or the session became inactive. Not emitted by
		 * drm_lease_destroy().
		 */
		struct wl_signal ended;
	} events;
};

/**
 * Leases n disabled outputs of one card, with the KMS objects they need. The caller passes the
 * descriptor *fd on. Until the lease ends, output.leased is set, and tests and commits of these
 * outputs fail. Returns NULL if the kernel or the session refuses, or if an output cannot be
 * leased.
 */
struct drm_lease *drm_lease_create(struct output *const *outputs, size_t n, int *fd);
/** Ends the lease if it has not ended, and frees it. Accepts NULL. */
void drm_lease_destroy(struct drm_lease *lease);
/** Ends the lease of a leased output. */
void drm_lease_end(struct output *output);

/** Returns the ID of the output's KMS connector. */
uint32_t drm_output_connector(const struct output *output);
/**
 * Returns a descriptor of an open card that can query the card but not set modes; the caller closes
 * it. Errors: -ENODEV if the card is closed; -EAGAIN while the session is inactive, when a new
 * descriptor would become DRM master; or another negative errno.
 */
int drm_backend_open_reader(struct backend *backend, const struct gpu *gpu);
