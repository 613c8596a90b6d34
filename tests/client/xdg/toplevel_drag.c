/* SPDX-License-Identifier: MIT */
/* xdg-toplevel-drag: a window moves along with a drag and drop, until the drag ends in any way. */

#include "harness/client/transfer.h"
#include "seat/seat.h"
#include "shell/geometry/private.h"
#include "shell/shell.h"
#include "util/signal.h"
#include "xdg-toplevel-drag-v1-client-protocol.h"

/** Beyond the time limit for clients that draw no new size, ns. */
#define SLOW INT64_C(1000000000)

/** A drag of party a, from 50, 50 of its window. */
struct tear_off {
	struct test *test;
	struct wl_data_source *source;
	struct xdg_toplevel_drag_v1 *drag;
	struct peer_window *tab; /* 60x40 */
	struct window *window; /* the compositor's object of the tab */
};

/* Creates the source and its drag object. */
static struct tear_off prepare(struct test *test)
{
	struct party *a = &test->a;
	struct xdg_toplevel_drag_manager_v1 *manager =
		peer_bind(a->peer, &xdg_toplevel_drag_manager_v1_interface, 0);
	struct tear_off drag = {.test = test, .source = make_source(a, MOVE)};
	drag.drag = xdg_toplevel_drag_manager_v1_get_xdg_toplevel_drag(manager, drag.source);
	xdg_toplevel_drag_manager_v1_destroy(manager);
	return drag;
}

static void start(struct tear_off *drag)
{
	struct test *test = drag->test;
	struct party *a = &test->a;
	point(test, 50, 50);
	press(test, true);
	wl_data_device_start_drag(a->device, drag->source, a->window->surface, NULL,
		seat_of(test)->pointer.press_serial);
	fixture_pump(test->fixture);
	assert_non_null(seat_of(test)->pointer.grab);
}

static void show(struct tear_off *drag)
{
	peer_surface_show(drag->tab->surface, drag->tab->buffer);
	fixture_pump(drag->test->fixture);
	assert_true(drag->window->mapped);
}

/* Creates a window, attaches it with the pointer at 10, 5 of it, and maps it. */
static void tear_off(struct tear_off *drag)
{
	struct peer *peer = drag->test->a.peer;
	drag->tab = peer_window_create_unmapped(peer);
	drag->tab->buffer = peer_buffer_create(peer, 60, 40, WL_SHM_FORMAT_XRGB8888);
	drag->window = peer_window_find(drag->tab);
	xdg_toplevel_drag_v1_attach(drag->drag, drag->tab->toplevel, 10, 5);
	show(drag);
}

static struct tear_off torn_off(struct test *test)
{
	struct tear_off drag = prepare(test);
	start(&drag);
	tear_off(&drag);
	return drag;
}

static void expect_at(const struct tear_off *drag, int x, int y)
{
	assert_int_equal(drag->window->x, x);
	assert_int_equal(drag->window->y, y);
}

static struct surface *pointer_focus(struct test *test)
{
	return seat_of(test)->pointer.focus;
}

static void expect_over(struct tear_off *drag)
{
	assert_null(seat_of(drag->test)->pointer.grab);
	assert_null(seat_of(drag->test)->touch.grab);
	assert_null(seat_of(drag->test)->keyboard.grab);
	assert_true(peer_alive(drag->test->a.peer));
}

static void set_columns(struct test *test)
{
	struct workspace *workspace = shell_workspace(test->fixture->server->shell);
	workspace_set_layout(workspace, CONFIG_LAYOUT_COLUMNS);
	fixture_pump(test->fixture);
}

static void attached_window_follows_the_pointer_until_the_drop(void **state)
{
	struct test *test = *state;
	struct tear_off drag = torn_off(test);
	expect_at(&drag, 40, 45); /* mapped at the pointer */
	point(test, 120, 200);
	expect_at(&drag, 110, 195);
	forget(&test->a);
	press(test, false);
	/* The client keeps a dropped window, also where nothing takes the data. */
	heard(&test->a, "dropped; cancelled; ");
	expect_over(&drag);
	expect_at(&drag, 110, 195);
	assert_ptr_equal(pointer_focus(test), drag.window->surface);
	point(test, 130, 210);
	expect_at(&drag, 110, 195);
	xdg_toplevel_drag_v1_destroy(drag.drag);
	assert_true(peer_alive(test->a.peer));
}

static void cancelled_drag_leaves_the_window_in_its_place(void **state)
{
	struct test *test = *state;
	struct tear_off drag = torn_off(test);
	point(test, 120, 200);
	forget(&test->a);
	key(test, KEY_ESC, true);
	heard(&test->a, "cancelled; ");
	key(test, KEY_ESC, false);
	expect_over(&drag);
	expect_at(&drag, 110, 195);
	press(test, false);
	xdg_toplevel_drag_v1_destroy(drag.drag);
	assert_true(peer_alive(test->a.peer));
}

static void window_attached_before_the_drag_stays_until_it_starts(void **state)
{
	struct test *test = *state;
	struct tear_off drag = prepare(test);
	tear_off(&drag);
	peer_window_place(drag.tab, 300, 200);
	point(test, 120, 200);
	expect_at(&drag, 300, 200);
	start(&drag);
	expect_at(&drag, 40, 45);
	point(test, 120, 200);
	expect_at(&drag, 110, 195);
	press(test, false);
	expect_over(&drag);
}

static void drop_goes_to_the_window_below_the_attached_one(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	struct tear_off drag = torn_off(test);
	forget(b);
	point(test, 210, 20);
	expect_at(&drag, 200, 15);
	heard(b, "offer; type text/plain; actions 2; enter 10 20; ");
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, MOVE, MOVE);
	fixture_pump(test->fixture);
	forget(a);
	press(test, false);
	heard(b, "action 2; drop; leave; ");
	heard(a, "dropped; ");
	expect_at(&drag, 200, 15);
	wl_data_offer_finish(b->dragged);
	heard(a, "finished; ");
	expect_over(&drag);
}

static void attached_window_is_above_others(void **state)
{
	struct test *test = *state;
	struct tear_off drag = torn_off(test);
	peer_buffer_fill(drag.tab->buffer, 0, 0, 60, 40, 0xffff0000);
	show(&drag);
	point(test, 210, 20);
	window_focus(peer_window_find(test->b.window));
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 255, 50), 0xff0000);
	press(test, false);
	expect_over(&drag);
}

static void window_torn_off_over_columns_is_tiled_by_the_drop(void **state)
{
	struct test *test = *state;
	set_columns(test);
	struct tear_off drag = torn_off(test);
	point(test, 120, 200);
	assert_null(drag.window->private->tiled);
	expect_at(&drag, 110, 195);
	press(test, false);
	assert_ptr_equal(drag.window->private->tiled, drag.window->workspace);
	expect_over(&drag);
}

static void window_dropped_at_an_edge_is_tiled_there(void **state)
{
	struct test *test = *state;
	struct tear_off drag = torn_off(test);
	point(test, 1, 200);
	assert_int_equal(drag.window->states & WINDOW_TILED, 0);
	press(test, false);
	assert_int_equal(drag.window->states & WINDOW_TILED,
		WINDOW_TILED_LEFT | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM);
	assert_int_equal(drag.window->private->want_width, 200);
	expect_over(&drag);
}

static void cancelled_drag_at_an_edge_tiles_nothing(void **state)
{
	struct test *test = *state;
	struct tear_off drag = torn_off(test);
	point(test, 1, 200);
	key(test, KEY_ESC, true);
	key(test, KEY_ESC, false);
	expect_over(&drag);
	assert_int_equal(drag.window->states & WINDOW_TILED, 0);
	press(test, false);
}

static void window_dropped_beside_a_tile_becomes_its_neighbour(void **state)
{
	struct test *test = *state;
	set_columns(test);
	struct window *first = peer_window_find(test->a.window);
	assert_non_null(first->private->tiled);
	for (int i = 0; i < 2; i++) {
		const struct box box = first->private->tile;
		struct tear_off drag = torn_off(test);
		point(test, i == 0 ? box.x + 5 : box.x + box.width - 5, box.y + box.height / 2);
		press(test, false);
		assert_non_null(drag.window->private->tiled);
		fixture_sleep(test->fixture, SLOW); /* no client draws its new size */
		assert_true(i == 0 ? drag.window->private->tile.x < first->private->tile.x
				   : drag.window->private->tile.x > first->private->tile.x);
		assert_int_equal(drag.window->private->tile.y, first->private->tile.y);
		expect_over(&drag);
		peer_window_destroy(drag.tab);
		fixture_pump(test->fixture);
	}
}

static void tiled_window_leaves_its_columns_for_the_drag(void **state)
{
	struct test *test = *state;
	set_columns(test);
	struct tear_off drag = prepare(test);
	tear_off(&drag);
	assert_non_null(drag.window->private->tiled);
	start(&drag);
	assert_null(drag.window->private->tiled);
	point(test, 120, 200);
	show(&drag); /* acknowledges the new size */
	expect_at(&drag, 110, 195);
	press(test, false);
	assert_non_null(drag.window->private->tiled);
	expect_over(&drag);
}

static void maximized_window_is_restored_for_the_drag(void **state)
{
	struct test *test = *state;
	struct tear_off drag = prepare(test);
	tear_off(&drag);
	xdg_toplevel_set_maximized(drag.tab->toplevel);
	fixture_pump(test->fixture);
	assert_true(drag.window->states & WINDOW_MAXIMIZED);
	start(&drag);
	assert_false(drag.window->states & WINDOW_MAXIMIZED);
	point(test, 120, 200);
	expect_at(&drag, 110, 195);
	press(test, false);
	expect_over(&drag);
}

static void attached_window_follows_to_another_workspace(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	struct tear_off drag = torn_off(test);
	assert_true(shell_run_action(shell, "workspace", "2"));
	fixture_pump(test->fixture);
	point(test, 120, 200);
	assert_ptr_equal(drag.window->workspace, shell_workspace(shell));
	assert_string_equal(drag.window->workspace->name, "2");
	expect_at(&drag, 110, 195);
	press(test, false);
	expect_over(&drag);
}

static void unmapped_window_is_detached(void **state)
{
	struct test *test = *state;
	struct tear_off drag = torn_off(test);
	wl_surface_attach(drag.tab->surface, NULL, 0, 0);
	wl_surface_commit(drag.tab->surface);
	fixture_pump(test->fixture);
	assert_false(drag.window->mapped);
	point(test, 120, 200);
	wl_surface_commit(drag.tab->surface);
	fixture_pump(test->fixture);
	show(&drag);
	expect_at(&drag, 40, 45);
	point(test, 130, 210);
	expect_at(&drag, 40, 45);
	/* The client can attach it again. */
	xdg_toplevel_drag_v1_attach(drag.drag, drag.tab->toplevel, 0, 0);
	fixture_pump(test->fixture);
	expect_at(&drag, 130, 210);
	press(test, false);
	expect_over(&drag);
}

static void toplevel_can_be_destroyed_during_the_drag(void **state)
{
	struct test *test = *state;
	struct tear_off drag = torn_off(test);
	peer_window_destroy(drag.tab);
	fixture_pump(test->fixture);
	point(test, 120, 200);
	/* Another one takes its place. */
	tear_off(&drag);
	expect_at(&drag, 110, 195);
	press(test, false);
	expect_over(&drag);
}

static void unmapped_toplevel_can_be_destroyed_during_the_drag(void **state)
{
	struct test *test = *state;
	struct tear_off drag = prepare(test);
	drag.tab = peer_window_create_unmapped(test->a.peer);
	xdg_toplevel_drag_v1_attach(drag.drag, drag.tab->toplevel, 0, 0);
	start(&drag);
	peer_window_destroy(drag.tab);
	fixture_pump(test->fixture);
	point(test, 120, 200);
	press(test, false);
	expect_over(&drag);
}

static void end_of_the_source_leaves_the_window_in_its_place(void **state)
{
	struct test *test = *state;
	struct tear_off drag = torn_off(test);
	point(test, 120, 200);
	wl_data_source_destroy(drag.source);
	fixture_pump(test->fixture);
	expect_over(&drag);
	point(test, 130, 210);
	expect_at(&drag, 110, 195);
	assert_ptr_equal(pointer_focus(test), NULL); /* until the release of the button */
	press(test, false);
	point(test, 131, 210);
	assert_ptr_equal(pointer_focus(test), drag.window->surface);
	xdg_toplevel_drag_v1_attach(drag.drag, test->a.window->toplevel, 0, 0);
	xdg_toplevel_drag_v1_destroy(drag.drag);
	assert_true(peer_alive(test->a.peer));
}

static void client_can_disconnect_during_the_drag(void **state)
{
	struct test *test = *state;
	torn_off(test);
	point(test, 120, 200);
	part(&test->a);
	fixture_pump(test->fixture);
	assert_null(seat_of(test)->pointer.grab);
	point(test, 210, 20);
	press(test, false);
	assert_true(peer_alive(test->b.peer));
}

static void lock_ends_the_drag(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	struct tear_off drag = torn_off(test);
	point(test, 120, 200);
	shell_lock(shell);
	fixture_pump(test->fixture);
	expect_over(&drag);
	point(test, 300, 20);
	expect_at(&drag, 110, 195);
	press(test, false);
	shell_unlock(shell);
	fixture_pump(test->fixture);
	point(test, 130, 210);
	expect_at(&drag, 110, 195);
	assert_ptr_equal(pointer_focus(test), drag.window->surface);
}

static void emit_touch(struct test *test, struct wl_signal *signal, double x, double y)
{
	struct input_touch_event event = {.id = 3, .x = x / 400, .y = y / 300};
	signal_emit(signal, &event);
	signal_emit(&test->touch->events.touch_frame, NULL);
	fixture_pump(test->fixture);
}

static void attached_window_follows_a_touch(void **state)
{
	struct test *test = *state;
	struct tear_off drag = prepare(test);
	emit_touch(test, &test->touch->events.touch_down, 50, 50);
	struct seat_touch_point *finger = touch_find(seat_of(test), 0);
	assert_non_null(finger);
	wl_data_device_start_drag(
		test->a.device, drag.source, test->a.window->surface, NULL, finger->serial);
	tear_off(&drag);
	expect_at(&drag, 40, 45);
	emit_touch(test, &test->touch->events.touch_motion, 120, 200);
	expect_at(&drag, 110, 195);
	emit_touch(test, &test->touch->events.touch_up, 0, 0);
	expect_at(&drag, 110, 195);
	expect_over(&drag);
}

static void window_far_from_the_pointer_is_brought_back(void **state)
{
	struct test *test = *state;
	struct tear_off drag = torn_off(test);
	wl_surface_attach(drag.tab->surface, NULL, 0, 0);
	wl_surface_commit(drag.tab->surface);
	xdg_toplevel_drag_v1_attach(drag.drag, drag.tab->toplevel, INT32_MIN, INT32_MAX);
	wl_surface_commit(drag.tab->surface);
	fixture_pump(test->fixture);
	show(&drag);
	point(test, 120, 200);
	press(test, false);
	assert_in_range(drag.window->x, 0, 399);
	assert_in_range(drag.window->y, 0, 299);
	expect_over(&drag);
}

static void destroy_during_the_drag_is_an_error(void **state)
{
	struct test *test = *state;
	struct tear_off drag = torn_off(test);
	xdg_toplevel_drag_v1_destroy(drag.drag);
	peer_expect_error(test->a.peer, NULL, XDG_TOPLEVEL_DRAG_V1_ERROR_ONGOING_DRAG);
}

static void drag_object_of_a_dragged_source_is_an_error(void **state)
{
	struct test *test = *state;
	struct tear_off drag = torn_off(test);
	press(test, false);
	xdg_toplevel_drag_v1_destroy(drag.drag);
	struct xdg_toplevel_drag_manager_v1 *manager =
		peer_bind(test->a.peer, &xdg_toplevel_drag_manager_v1_interface, 0);
	xdg_toplevel_drag_manager_v1_get_xdg_toplevel_drag(manager, drag.source);
	peer_expect_error(test->a.peer, &xdg_toplevel_drag_manager_v1_interface,
		XDG_TOPLEVEL_DRAG_MANAGER_V1_ERROR_INVALID_SOURCE);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(attached_window_follows_the_pointer_until_the_drop),
		TEST(cancelled_drag_leaves_the_window_in_its_place),
		TEST(window_attached_before_the_drag_stays_until_it_starts),
		TEST(drop_goes_to_the_window_below_the_attached_one),
		TEST(attached_window_is_above_others),
		TEST(window_torn_off_over_columns_is_tiled_by_the_drop),
		TEST(window_dropped_at_an_edge_is_tiled_there),
		TEST(cancelled_drag_at_an_edge_tiles_nothing),
		TEST(window_dropped_beside_a_tile_becomes_its_neighbour),
		TEST(tiled_window_leaves_its_columns_for_the_drag),
		TEST(maximized_window_is_restored_for_the_drag),
		TEST(attached_window_follows_to_another_workspace),
		TEST(unmapped_window_is_detached),
		TEST(toplevel_can_be_destroyed_during_the_drag),
		TEST(unmapped_toplevel_can_be_destroyed_during_the_drag),
		TEST(end_of_the_source_leaves_the_window_in_its_place),
		TEST(client_can_disconnect_during_the_drag),
		TEST(lock_ends_the_drag),
		TEST(attached_window_follows_a_touch),
		TEST(window_far_from_the_pointer_is_brought_back),
		TEST(destroy_during_the_drag_is_an_error),
		TEST(drag_object_of_a_dragged_source_is_an_error),
	};
	return cmocka_run_group_tests_name("xdg/toplevel_drag", tests, NULL, NULL);
}
