/* SPDX-License-Identifier: MIT */
/* Addons: found by owner and kind, destroyed with their set. */

#include "util/addon.h"
#include "harness/unit.h"

struct carried {
	struct addon addon;
	int n_destroyed;
};

static void handle_destroy(struct addon *addon)
{
	struct carried *carried = wl_container_of(addon, carried, addon);

	carried->n_destroyed++;
	addon_finish(addon);
}

static const struct addon_impl first = {.name = "first", .destroy = handle_destroy};
static const struct addon_impl second = {.name = "second", .destroy = handle_destroy};

static void addons_are_found_by_owner_and_kind(void **state)
{
	struct addon_set set;
	struct carried a = {0}, b = {0}, c = {0};
	int owner, other;

	addon_set_init(&set);
	assert_null(addon_find(&set, &owner, &first));
	addon_init(&a.addon, &set, &owner, &first);
	addon_init(&b.addon, &set, &owner, &second);
	addon_init(&c.addon, &set, &other, &first);
	assert_ptr_equal(addon_find(&set, &owner, &first), &a.addon);
	assert_ptr_equal(addon_find(&set, &owner, &second), &b.addon);
	assert_ptr_equal(addon_find(&set, &other, &first), &c.addon);
	assert_null(addon_find(&set, &other, &second));

	addon_finish(&b.addon);
	assert_null(addon_find(&set, &owner, &second));
	addon_set_finish(&set);
	assert_int_equal(a.n_destroyed, 1);
	assert_int_equal(b.n_destroyed, 0);
	assert_int_equal(c.n_destroyed, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addons_are_found_by_owner_and_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
