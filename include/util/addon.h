/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Addons: data that one module attaches to another module's object, found by its owner and
 * destroyed with the object. A renderer caches its import of a buffer on the buffer, so that
 * buffers are independent of renderers.
 */

#include <wayland-util.h>

struct addon_set {
	struct wl_list addons;
};

struct addon;

struct addon_impl {
	const char *name;
	/** Mandatory. Called when the object is destroyed; must call addon_finish(). */
	void (*destroy)(struct addon *addon);
};

struct addon {
	const struct addon_impl *impl;
	const void *owner;
	struct wl_list link;
};

void addon_set_init(struct addon_set *set);
/** Calls destroy of each addon. */
void addon_set_finish(struct addon_set *set);

/** Adds an addon. A set has one per (owner, impl); a second one is a bug and asserts. */
void addon_init(struct addon *addon, struct addon_set *set, const void *owner,
	const struct addon_impl *impl);
void addon_finish(struct addon *addon);
/** Returns the addon, or NULL. */
struct addon *addon_find(
	const struct addon_set *set, const void *owner, const struct addon_impl *impl);
