/* SPDX-License-Identifier: MIT */
/* Addons: data attached to an object, found by owner. */

#include "util/addon.h"
#include <assert.h>
#include <stddef.h>

void addon_set_init(struct addon_set *set)
{
	wl_list_init(&set->addons);
}

void addon_set_finish(struct addon_set *set)
{
	while (!wl_list_empty(&set->addons)) {
		struct wl_list *first = set->addons.next;
		struct addon *addon = wl_container_of(first, addon, link);
		addon->impl->destroy(addon);
		assert(set->addons.next != first && "destroy must call addon_finish()");
	}
}

void addon_init(struct addon *addon, struct addon_set *set, const void *owner,
	const struct addon_impl *impl)
{
	assert(impl->destroy);
	assert(!addon_find(set, owner, impl));
	*addon = (struct addon){.impl = impl, .owner = owner};
	wl_list_insert(&set->addons, &addon->link);
}

void addon_finish(struct addon *addon)
{
	wl_list_remove(&addon->link);
	wl_list_init(&addon->link);
}

struct addon *addon_find(
	const struct addon_set *set, const void *owner, const struct addon_impl *impl)
{
	struct addon *addon;
	wl_list_for_each (addon, &set->addons, link) {
		if (addon->owner == owner && addon->impl == impl) {
			return addon;
		}
	}
	return NULL;
}
