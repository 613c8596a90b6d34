/* SPDX-License-Identifier: MIT */
/* xdg-toplevel-icon: icons are kept with the window, within limits. */

#include "buffer/buffer.h"
#include "harness/client/xdg_peer.h"
#include "shell/icon.h"
#include "shell/window.h"
#include "xdg-toplevel-icon-v1-client-protocol.h"

struct sizes {
	int n, last;
	bool done;
};

static void handle_size(void *data, struct xdg_toplevel_icon_manager_v1 *manager, int32_t size)
{
	struct sizes *sizes = data;
	sizes->n++;
	sizes->last = size;
}

static void handle_done(void *data, struct xdg_toplevel_icon_manager_v1 *manager)
{
	((struct sizes *)data)->done = true;
}

static const struct xdg_toplevel_icon_manager_v1_listener listener = {
	.icon_size = handle_size,
	.done = handle_done,
};

static struct xdg_toplevel_icon_manager_v1 *manager_of(struct test *test)
{
	return peer_bind(test->peer, &xdg_toplevel_icon_manager_v1_interface, 0);
}

static struct peer_buffer *square(struct test *test, int32_t size)
{
	return peer_buffer_create(test->peer, size, size, WL_SHM_FORMAT_ARGB8888);
}

static void preferred_sizes_are_sent(void **state)
{
	struct test *test = *state;
	struct sizes sizes = {0};
	xdg_toplevel_icon_manager_v1_add_listener(manager_of(test), &listener, &sizes);
	fixture_pump(test->fixture);
	assert_int_equal(sizes.n, 2);
	assert_int_equal(sizes.last, 48);
	assert_true(sizes.done);
}

static void icon_is_applied_by_a_commit(void **state)
{
	struct test *test = *state;
	struct xdg_toplevel_icon_manager_v1 *manager = manager_of(test);
	struct peer_window *window = peer_window_create(test->peer, 50, 60, 100, 100, 0xffff0000);
	const struct window *found = peer_window_find(window);
	struct xdg_toplevel_icon_v1 *icon = xdg_toplevel_icon_manager_v1_create_icon(manager);
	struct peer_buffer *small = square(test, 24), *large = square(test, 48);
	struct peer_buffer *again = square(test, 24);
	xdg_toplevel_icon_v1_set_name(icon, "first");
	xdg_toplevel_icon_v1_set_name(icon, "editor");
	xdg_toplevel_icon_v1_add_buffer(icon, small->buffer, 1);
	xdg_toplevel_icon_v1_add_buffer(icon, large->buffer, 2);
	xdg_toplevel_icon_v1_add_buffer(icon, again->buffer, 1); /* instead of the first */
	peer_buffer_destroy(small);
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, icon);
	fixture_pump(test->fixture);
	assert_null(found->icon);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_non_null(found->icon);
	assert_string_equal(found->icon->name, "editor");
	assert_int_equal(found->icon->n_images, 2);
	assert_int_equal(found->icon->images[1].buffer->width, 48);
	assert_int_equal(found->icon->images[1].scale, 2);

	/* The window keeps icon and pixels; buffers may go after the icon object. */
	xdg_toplevel_icon_v1_destroy(icon);
	peer_buffer_destroy(large);
	peer_buffer_destroy(again);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_int_equal(found->icon->images[1].buffer->width, 48);

	/* An empty icon is none, and so is that of an unmapped window. */
	icon = xdg_toplevel_icon_manager_v1_create_icon(manager);
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, icon);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_null(found->icon);
	icon = xdg_toplevel_icon_manager_v1_create_icon(manager);
	xdg_toplevel_icon_v1_set_name(icon, "editor");
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, icon);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_non_null(found->icon);
	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	assert_null(found->icon);
	peer_surface_show(window->surface, window->buffer);
	fixture_pump(test->fixture);
	assert_null(found->icon);
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, NULL);
	assert_true(peer_alive(test->peer));
}

static void images_are_limited(void **state)
{
	struct test *test = *state;
	struct xdg_toplevel_icon_manager_v1 *manager = manager_of(test);
	struct peer_window *window = peer_window_create(test->peer, 50, 60, 100, 100, 0xffff0000);
	struct xdg_toplevel_icon_v1 *icon = xdg_toplevel_icon_manager_v1_create_icon(manager);
	xdg_toplevel_icon_v1_add_buffer(icon, square(test, ICON_SIZE_MAX + 1)->buffer, 1);
	for (int i = 1; i <= ICON_IMAGES_MAX + 1; i++) {
		xdg_toplevel_icon_v1_add_buffer(icon, square(test, i)->buffer, 1);
	}
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, icon);
	wl_surface_commit(window->surface);
	fixture_pump(test->fixture);
	const struct icon *kept = peer_window_find(window)->icon;
	assert_int_equal(kept->n_images, ICON_IMAGES_MAX);
	assert_int_equal(kept->images[0].buffer->width, 1);
	assert_true(peer_alive(test->peer));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(preferred_sizes_are_sent),
		TEST(icon_is_applied_by_a_commit),
		TEST(images_are_limited),
	};
	return cmocka_run_group_tests_name("xdg/toplevel_icon", tests, NULL, NULL);
}
