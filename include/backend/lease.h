#pragma once

/**
 * A lease: screens of one card lent to another program, which sets their modes and shows its pictures
 * there by itself. Only the KMS backend can lend.
 */

#include <stddef.h>
#include <stdint.h>
#include <wayland-server-core.h>

struct backend;
struct drm_card;
struct gpu;
struct output;

struct drm_lease {
	struct drm_card *card; /* NULL: it has ended */
	struct wl_list link; /* of the card's */
	uint32_t lessee; /* the kernel's number for it */
	struct {
		/**
		 * NULL: its descriptor can do nothing any more. The program closed it, a screen is gone,
		 * or the session is away. Not emitted by drm_lease_destroy().
		 */
		struct wl_signal ended;
	} events;
};

/**
 * Lends n outputs of one card, which are off, with all that the kernel needs to drive them. *fd is the
 * right to them and the caller's to pass on. Until it has ended, output.leased is set, and tests and
 * commits of these outputs fail. NULL if the kernel or the session does not allow it, or if not all of them
 * can be lent.
 */
struct drm_lease *drm_lease_create(struct output *const *outputs, size_t n, int *fd);
/** Takes them back if it has not ended. NULL is legal. */
void drm_lease_destroy(struct drm_lease *lease);
/** Ends the lease of a leased output. */
void drm_lease_end(struct output *output);

/** The kernel's number of its connector. */
uint32_t drm_output_connector(const struct output *output);
/**
 * A descriptor with which another program can look at a card that is open, and set nothing; the caller's.
 * Negative errno: -ENODEV if the card is not open, -EAGAIN while the session is away, when a new descriptor
 * would have the right to set modes.
 */
int drm_backend_open_reader(struct backend *backend, const struct gpu *gpu);
