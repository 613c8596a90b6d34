/* SPDX-License-Identifier: MIT */
/* Surfaces that change under a pointer that does not move: input regions, stacking and sizes. */

#include "harness/client/input_peer.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "surface/surface.h"

/** Two windows with the pointer at 50, 50 in both: the upper one is that of the test. */
struct stack {
	struct test *test;
	struct peer_window *lower;
	struct surface *up, *down; /* the server's */
};

static void stack_begin(struct stack *stack, struct test *test)
{
	stack->test = test;
	stack->lower = peer_window_create(test->peer, 20, 20, 100, 100, 0xff0000ff);
	window_focus(peer_window_find(test->window));
	point(test, 50, 50);
	stack->up = peer_surface_find(test->peer, test->window->surface);
	stack->down = peer_surface_find(test->peer, stack->lower->surface);
	assert_ptr_equal(seat_of(test)->pointer.focus, stack->up);
}

/* Sets the input region of a surface; an empty one, or all of it if `all`. */
static void set_input(struct test *test, struct wl_surface *surface, bool all, int x, int width)
{
	struct wl_region *region = wl_compositor_create_region(test->peer->compositor);
	if (width > 0) {
		wl_region_add(region, x, 0, width, 100);
	}
	wl_surface_set_input_region(surface, all ? NULL : region);
	wl_region_destroy(region);
	wl_surface_commit(surface);
}

static void expect(struct stack *stack, const struct surface *focus)
{
	fixture_pump(stack->test->fixture);
	assert_ptr_equal(seat_of(stack->test)->pointer.focus, focus);
}

static void input_region_changes_the_focus_at_once(void **state)
{
	struct stack stack;
	stack_begin(&stack, *state);
	struct test *test = stack.test;
	add_pointer(test, 5);
	point(test, 50, 50);
	forget(test);
	struct wl_surface *surface = test->window->surface;
	set_input(test, surface, false, 0, 0);
	heard(test, "leave; enter 30 30; frame; ");
	expect(&stack, stack.down);
	set_input(test, surface, true, 0, 0);
	heard(test, "leave; enter 50 50; frame; ");
	/* A part without the pointer, and one with it. */
	set_input(test, surface, false, 60, 40);
	expect(&stack, stack.down);
	set_input(test, surface, false, 40, 20);
	expect(&stack, stack.up);
	/* The same with new content, and none for a surface without the pointer. */
	set_input(test, surface, false, 0, 0);
	peer_surface_show(surface, test->window->buffer);
	expect(&stack, stack.down);
	forget(test);
	set_input(test, surface, false, 0, 10);
	heard(test, "");
	set_input(test, stack.lower->surface, false, 0, 0);
	heard(test, "leave; frame; ");
	expect(&stack, NULL);
	scroll(test, WL_POINTER_AXIS_VERTICAL_SCROLL, 5, 120, WL_POINTER_AXIS_SOURCE_WHEEL);
	frame(test);
	heard(test, "");
}

static void input_region_of_a_subsurface_counts(void **state)
{
	struct stack stack;
	stack_begin(&stack, *state);
	struct test *test = stack.test;
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	struct wl_subsurface *subsurface =
		peer_subsurface(test->peer, surface, test->window->surface, 10, 10);
	wl_subsurface_set_desync(subsurface);
	peer_surface_show(surface, peer_buffer_create(test->peer, 80, 80, WL_SHM_FORMAT_ARGB8888));
	wl_surface_commit(test->window->surface);
	const struct surface *sub = peer_surface_find(test->peer, surface);
	expect(&stack, sub);
	set_input(test, surface, false, 0, 0);
	expect(&stack, stack.up);
	set_input(test, surface, true, 0, 0);
	expect(&stack, sub);
	/* Applied with the parent only. */
	wl_subsurface_set_sync(subsurface);
	set_input(test, surface, false, 0, 0);
	expect(&stack, sub);
	wl_surface_commit(test->window->surface);
	expect(&stack, stack.up);
}

/* Waits for the frame with the change. */
static void expect_next(struct stack *stack, const struct surface *focus)
{
	fixture_frames(stack->test->fixture, 2);
	expect(stack, focus);
}

static void stacking_and_sizes_change_the_focus(void **state)
{
	struct stack stack;
	stack_begin(&stack, *state);
	struct test *test = stack.test;
	struct window *upper = peer_window_find(test->window);
	struct window *lower = peer_window_find(stack.lower);
	window_focus(lower);
	expect_next(&stack, stack.down);
	window_focus(upper);
	expect_next(&stack, stack.up);
	/* The window shrinks and grows under the pointer. */
	peer_surface_show(test->window->surface,
		peer_buffer_create(test->peer, 40, 40, WL_SHM_FORMAT_ARGB8888));
	expect(&stack, stack.down);
	peer_surface_show(test->window->surface, test->window->buffer);
	expect(&stack, stack.up);
	window_set_on_bottom(upper, true);
	expect_next(&stack, stack.down);
	window_set_on_bottom(upper, false);
	window_focus(upper);
	expect_next(&stack, stack.up);
	window_set_minimized(upper, true);
	expect_next(&stack, stack.down);
	window_move_to(lower, 200, 20);
	expect_next(&stack, NULL);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(input_region_changes_the_focus_at_once),
		TEST(input_region_of_a_subsurface_counts),
		TEST(stacking_and_sizes_change_the_focus),
	};
	return cmocka_run_group_tests_name("input/still_pointer", tests, NULL, NULL);
}
