/* SPDX-License-Identifier: MIT */
/* Decisions whether X windows get the focus. */

#include "harness/unit.h"
#include "xwayland/wm/window/focus.h"

static bool decide(struct xwin_focus_facts facts)
{
	return xwm_focus_decide(&facts);
}

static void mapped_window_gets_focus_unless_it_declines(void **state)
{
	assert_true(decide((struct xwin_focus_facts){FOCUS_MAPPED, .takes = true}));
	assert_true(decide((struct xwin_focus_facts){FOCUS_MAPPED, .takes = true, .typing = true}));
	assert_false(decide((struct xwin_focus_facts){FOCUS_MAPPED, .started = true}));
	assert_false(
		decide((struct xwin_focus_facts){FOCUS_MAPPED, .takes = true, .declined = true}));
	assert_true(decide((struct xwin_focus_facts){
		FOCUS_MAPPED, .takes = true, .declined = true, .started = true}));
}

static void startup_id_of_the_user_gives_focus(void **state)
{
	assert_true(decide((struct xwin_focus_facts){FOCUS_STARTED, .started = true}));
	assert_false(decide(
		(struct xwin_focus_facts){FOCUS_STARTED, .x_focused = true, .visible = true}));
}

static void request_needs_an_x_window_with_focus_and_no_typing(void **state)
{
	assert_true(decide((struct xwin_focus_facts){FOCUS_REQUESTED, .x_focused = true}));
	assert_false(decide((struct xwin_focus_facts){FOCUS_REQUESTED, .visible = true}));
	assert_false(decide(
		(struct xwin_focus_facts){FOCUS_REQUESTED, .x_focused = true, .typing = true}));
}

static void restored_window_needs_its_workspace_and_no_typing(void **state)
{
	assert_true(decide((struct xwin_focus_facts){FOCUS_RESTORED, .visible = true}));
	assert_false(decide((struct xwin_focus_facts){FOCUS_RESTORED, .x_focused = true}));
	assert_false(
		decide((struct xwin_focus_facts){FOCUS_RESTORED, .visible = true, .typing = true}));
}

static void urgency_gives_no_focus(void **state)
{
	assert_false(decide((struct xwin_focus_facts){
		FOCUS_URGENT, .takes = true, .started = true, .x_focused = true, .visible = true}));
}

static void client_moves_focus_among_its_own_windows(void **state)
{
	assert_true(decide((struct xwin_focus_facts){FOCUS_MOVED, .same_client = true}));
	assert_false(decide((struct xwin_focus_facts){FOCUS_MOVED, .x_focused = true}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mapped_window_gets_focus_unless_it_declines),
		cmocka_unit_test(startup_id_of_the_user_gives_focus),
		cmocka_unit_test(request_needs_an_x_window_with_focus_and_no_typing),
		cmocka_unit_test(restored_window_needs_its_workspace_and_no_typing),
		cmocka_unit_test(urgency_gives_no_focus),
		cmocka_unit_test(client_moves_focus_among_its_own_windows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
