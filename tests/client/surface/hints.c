/* SPDX-License-Identifier: MIT */
/* Hints of surfaces: wp_content_type_v1 and wp_tearing_control_v1. */

#include "content-type-v1-client-protocol.h"
#include "harness/client/world.h"
#include "surface/surface.h"
#include "tearing-control-v1-client-protocol.h"

static int set_up(void **state)
{
	struct world *world = world_create(NULL);
	world->window = peer_window_create(world->peer, 10, 10, 50, 50, 0xffffffff);
	*state = world;
	return 0;
}

/* The hint is double-buffered, and reset after its object is destroyed. */
static void content_type_applies_at_commit(void **state)
{
	struct world *world = *state;
	struct wl_surface *proxy = world->window->surface;
	const struct surface *surface = peer_surface_find(world->peer, proxy);
	struct wp_content_type_manager_v1 *manager =
		peer_bind(world->peer, &wp_content_type_manager_v1_interface, 0);
	struct wp_content_type_v1 *object =
		wp_content_type_manager_v1_get_surface_content_type(manager, proxy);
	wp_content_type_v1_set_content_type(object, WP_CONTENT_TYPE_V1_TYPE_VIDEO);
	fixture_pump(world->fixture);
	assert_int_equal(surface->current.content_type, CONTENT_TYPE_NONE);
	wl_surface_commit(proxy);
	fixture_pump(world->fixture);
	assert_int_equal(surface->current.content_type, CONTENT_TYPE_VIDEO);
	wp_content_type_v1_destroy(object);
	fixture_pump(world->fixture);
	assert_int_equal(surface->current.content_type, CONTENT_TYPE_VIDEO);
	wl_surface_commit(proxy);
	fixture_pump(world->fixture);
	assert_int_equal(surface->current.content_type, CONTENT_TYPE_NONE);
	/* Another object may be created then, and may outlive the surface. */
	object = wp_content_type_manager_v1_get_surface_content_type(manager, proxy);
	peer_window_destroy(world->window);
	wp_content_type_v1_set_content_type(object, WP_CONTENT_TYPE_V1_TYPE_GAME);
	assert_true(peer_alive(world->peer));
}

static void tearing_hint_applies_at_commit(void **state)
{
	struct world *world = *state;
	struct wl_surface *proxy = world->window->surface;
	const struct surface *surface = peer_surface_find(world->peer, proxy);
	struct wp_tearing_control_manager_v1 *manager =
		peer_bind(world->peer, &wp_tearing_control_manager_v1_interface, 0);
	struct wp_tearing_control_v1 *object =
		wp_tearing_control_manager_v1_get_tearing_control(manager, proxy);
	wp_tearing_control_v1_set_presentation_hint(
		object, WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC);
	fixture_pump(world->fixture);
	assert_false(surface->current.tearing);
	wl_surface_commit(proxy);
	fixture_pump(world->fixture);
	assert_true(surface->current.tearing);
	wp_tearing_control_v1_destroy(object);
	wl_surface_commit(proxy);
	fixture_pump(world->fixture);
	assert_false(surface->current.tearing);
	object = wp_tearing_control_manager_v1_get_tearing_control(manager, proxy);
	peer_window_destroy(world->window);
	wp_tearing_control_v1_set_presentation_hint(
		object, WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC);
	assert_true(peer_alive(world->peer));
}

/* Requests between two commits apply together, in whatever order they come. */
static void hints_and_a_buffer_apply_together(void **state)
{
	struct world *world = *state;
	struct wl_surface *proxy = world->window->surface;
	const struct surface *surface = peer_surface_find(world->peer, proxy);
	struct wp_content_type_v1 *content = wp_content_type_manager_v1_get_surface_content_type(
		peer_bind(world->peer, &wp_content_type_manager_v1_interface, 0), proxy);
	struct wp_tearing_control_v1 *tearing = wp_tearing_control_manager_v1_get_tearing_control(
		peer_bind(world->peer, &wp_tearing_control_manager_v1_interface, 0), proxy);
	for (int i = 0; i < 2; i++) {
		uint32_t pixel = i ? 0xff0000ff : 0xff00ff00;
		struct peer_buffer *next =
			peer_buffer_create(world->peer, 50, 50, WL_SHM_FORMAT_XRGB8888);
		peer_buffer_fill(next, 0, 0, 50, 50, pixel);
		for (int j = 0; j < 2; j++) {
			if (j == i) {
				wl_surface_attach(proxy, next->buffer, 0, 0);
				wl_surface_damage_buffer(proxy, 0, 0, 50, 50);
				continue;
			}
			wp_content_type_v1_set_content_type(content,
				i ? WP_CONTENT_TYPE_V1_TYPE_GAME : WP_CONTENT_TYPE_V1_TYPE_PHOTO);
			wp_tearing_control_v1_set_presentation_hint(tearing, i);
		}
		wl_surface_commit(proxy);
		fixture_settle(world->fixture);
		assert_int_equal(fixture_pixel(world->fixture, 30, 30), pixel & 0xffffff);
		assert_int_equal(
			surface->current.content_type, i ? CONTENT_TYPE_GAME : CONTENT_TYPE_PHOTO);
		assert_int_equal(surface->current.tearing, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
		TEST(content_type_applies_at_commit),
		TEST(tearing_hint_applies_at_commit),
		TEST(hints_and_a_buffer_apply_together),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
