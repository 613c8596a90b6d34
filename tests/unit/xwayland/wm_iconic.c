/* SPDX-License-Identifier: MIT */
/* Iconic state: events of the window manager's own requests, and those of clients. */

#include "harness/unit.h"
#include "xwayland/wm/base/xwm.h"
#include "xwayland/wm/window/iconic.h"
#include <stdlib.h>

#define REQUEST 100

struct fixture {
	struct xwm wm;
	struct xwin window;
};

/* A window that the window manager has unmapped, and whose event is due. */
static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	fixture->window.wm = &fixture->wm;
	wl_list_init(&fixture->wm.dirty);
	wl_list_init(&fixture->window.dirty_link);
	fixture->window.iconic.unmapped = fixture->window.iconic.pending = true;
	fixture->window.iconic.unmap_request = REQUEST;
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void event_of_the_own_request_withdraws_nothing(void **state)
{
	struct fixture *fixture = *state;
	fixture->wm.sequence = REQUEST;
	assert_true(xwin_iconic_unmapped(&fixture->window, false));
	assert_false(fixture->window.iconic.pending);
}

/* A window that was restored and minimised since is unmapped now. */
static void states_are_sent_after_the_event(void **state)
{
	struct fixture *fixture = *state;
	struct xwin *window = &fixture->window;
	window->window = (void *)fixture;
	fixture->wm.sequence = REQUEST;
	assert_true(xwin_iconic_unmapped(window, false));
	assert_true(window->dirty & X_DIRTY_STATES);
	window->dirty = 0;
	assert_false(xwin_iconic_unmapped(window, false));
	assert_int_equal(window->dirty, 0);
}

/* The client was first, so that the request has no event. */
static void event_before_the_own_request_withdraws(void **state)
{
	struct fixture *fixture = *state;
	fixture->wm.sequence = REQUEST - 1;
	assert_false(xwin_iconic_unmapped(&fixture->window, false));
	assert_false(fixture->window.iconic.pending);
}

static void event_without_an_own_request_withdraws(void **state)
{
	struct fixture *fixture = *state;
	fixture->window.iconic.unmapped = fixture->window.iconic.pending = false;
	fixture->wm.sequence = REQUEST;
	assert_false(xwin_iconic_unmapped(&fixture->window, false));
}

static void sent_event_withdraws_unmapped_windows_only(void **state)
{
	struct fixture *fixture = *state;
	fixture->wm.sequence = REQUEST + 1;
	assert_false(xwin_iconic_unmapped(&fixture->window, true));
	fixture->window.iconic.unmapped = false;
	assert_true(xwin_iconic_unmapped(&fixture->window, true));
	assert_true(fixture->window.iconic.pending);
}

static void announcements_of_earlier_mappings_are_late(void **state)
{
	struct fixture *fixture = *state;
	struct xwin *window = &fixture->window;
	window->iconic.map_request = REQUEST;
	fixture->wm.sequence = REQUEST + 1;
	assert_false(xwin_iconic_is_late(window)); /* it has its surface */
	window->iconic.stand_in = (void *)fixture;
	assert_true(xwin_iconic_is_late(window));
	window->iconic.unmapped = false;
	assert_false(xwin_iconic_is_late(window));
	fixture->wm.sequence = REQUEST;
	assert_false(xwin_iconic_is_late(window));
	fixture->wm.sequence = REQUEST - 1;
	assert_true(xwin_iconic_is_late(window));
	/* Sequence numbers wrap. */
	window->iconic.map_request = 1;
	fixture->wm.sequence = UINT32_MAX;
	assert_true(xwin_iconic_is_late(window));
	window->iconic.map_request = UINT32_MAX;
	fixture->wm.sequence = 1;
	assert_false(xwin_iconic_is_late(window));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(event_of_the_own_request_withdraws_nothing),
		TEST(states_are_sent_after_the_event),
		TEST(event_before_the_own_request_withdraws),
		TEST(event_without_an_own_request_withdraws),
		TEST(sent_event_withdraws_unmapped_windows_only),
		TEST(announcements_of_earlier_mappings_are_late),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
