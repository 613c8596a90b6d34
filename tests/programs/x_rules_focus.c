/* SPDX-License-Identifier: MIT */
/* The focus models of ICCCM, and activation. */

#include "x_rules.h"
#include <stdlib.h>
#include <time.h>

/* Sets the focus as another program, and returns once the X server has done so. */
static void set_focus_of_others(struct x_client *other, uint8_t revert, xcb_window_t to)
{
	xcb_set_input_focus(other->x, revert, to, XCB_CURRENT_TIME);
	x_focus(other);
}

static void input_hint_gives_the_focus(struct x_client *client)
{
	xcb_window_t window = focused(client);
	X_WAIT(client, x_has(client, client->root, "_NET_ACTIVE_WINDOW", window));
	X_WAIT(client, x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_FOCUSED"));
	X_CHECK(client->n_take_focus == 0);
}

static void window_without_input_never_gets_the_focus(struct x_client *client)
{
	xcb_window_t old = focused(client);
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	x_set_focus_model(client, window, false, false);
	x_map(client, window);
	x_settle(client);
	X_CHECK(x_focus(client) == old);
	x_send(client, window, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	x_settle(client);
	X_CHECK(x_focus(client) == old);
}

static void globally_active_window_is_asked_to_take_the_focus(struct x_client *client)
{
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	x_set_focus_model(client, window, false, true);
	x_map(client, window);
	X_WAIT(client, client->n_take_focus > 0);
	X_CHECK(client->take_focus_time != XCB_TIME_CURRENT_TIME);
	X_CHECK(x_focus(client) != window);
	xcb_set_input_focus(client->x, XCB_INPUT_FOCUS_PARENT, window, client->take_focus_time);
	X_WAIT(client, x_focus(client) == window);
	x_settle(client);
	X_CHECK(x_focus(client) == window);
}

static void locally_active_window_gets_both(struct x_client *client)
{
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	x_set_focus_model(client, window, true, true);
	x_map(client, window);
	X_WAIT(client, client->n_take_focus > 0);
	X_WAIT(client, x_focus(client) == window);
}

static void another_client_cannot_take_the_focus(struct x_client *client)
{
	xcb_window_t thief = focused(client);
	struct x_client *other = x_connect();
	xcb_window_t window = focused(other);
	xcb_set_input_focus(client->x, XCB_INPUT_FOCUS_PARENT, thief, XCB_TIME_CURRENT_TIME);
	xcb_flush(client->x);
	x_settle(client);
	X_WAIT(client, x_focus(client) == window);
	x_disconnect(other);
}

static void client_moves_the_focus_among_its_windows(struct x_client *client)
{
	xcb_window_t first = focused(client);
	focused(client);
	xcb_set_input_focus(client->x, XCB_INPUT_FOCUS_PARENT, first, XCB_TIME_CURRENT_TIME);
	X_WAIT(client, x_has(client, client->root, "_NET_ACTIVE_WINDOW", first));
	x_settle(client);
	X_CHECK(x_focus(client) == first);
}

/* The window manager sees both choices at once. */
static void last_choice_of_a_client_holds(struct x_client *client)
{
	xcb_window_t first = focused(client), second = focused(client);
	focused(client);
	for (int i = 0; i < 20; i++) {
		xcb_set_input_focus(
			client->x, XCB_INPUT_FOCUS_PARENT, first, XCB_TIME_CURRENT_TIME);
		xcb_set_input_focus(
			client->x, XCB_INPUT_FOCUS_PARENT, second, XCB_TIME_CURRENT_TIME);
		X_WAIT(client, x_has(client, client->root, "_NET_ACTIVE_WINDOW", second));
		x_settle(client);
		X_CHECK(x_focus(client) == second);
		X_CHECK(x_has(client, client->root, "_NET_ACTIVE_WINDOW", second));
		xcb_window_t swapped = first;
		first = second;
		second = swapped;
	}
}

static xcb_window_t child_of(struct x_client *client, xcb_window_t window)
{
	xcb_window_t child = x_window(client, 0, 0, 50, 50);
	xcb_reparent_window(client->x, child, window, 10, 10);
	xcb_map_window(client->x, child);
	return child;
}

static void client_moves_the_focus_into_another_of_its_windows(struct x_client *client)
{
	xcb_window_t first = focused(client), child = child_of(client, first);
	focused(client);
	xcb_set_input_focus(client->x, XCB_INPUT_FOCUS_PARENT, child, XCB_TIME_CURRENT_TIME);
	X_WAIT(client, x_has(client, client->root, "_NET_ACTIVE_WINDOW", first));
	x_settle(client);
	X_CHECK(x_focus(client) == child);
}

/* Keys would go to a window that the modal dialog blocks. */
static void focus_comes_back_to_a_modal_dialog(struct x_client *client)
{
	xcb_window_t window = focused(client), dialog = x_window(client, 0, 0, 100, 100);
	x_set_focus_model(client, dialog, true, false);
	x_set(client, dialog, "WM_TRANSIENT_FOR", "WINDOW", &window, 1);
	x_set(client, dialog, "_NET_WM_STATE", "ATOM",
		(uint32_t[]){x_atom(client, "_NET_WM_STATE_MODAL")}, 1);
	x_map(client, dialog);
	X_WAIT(client, x_focus(client) == dialog);
	set_focus_of_others(client, XCB_INPUT_FOCUS_PARENT, window);
	x_settle(client);
	X_WAIT(client, x_focus(client) == dialog);
	X_CHECK(x_has(client, client->root, "_NET_ACTIVE_WINDOW", dialog));
}

static void pager_activates_and_raises(struct x_client *client)
{
	xcb_window_t first = focused(client);
	focused(client);
	x_send(client, first, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client, x_focus(client) == first);
	uint32_t stack[512];
	int n = x_get(client, client->root, "_NET_CLIENT_LIST_STACKING", stack, 512);
	X_CHECK(n > 0 && stack[n - 1] == first);
}

static xcb_window_t without_wish(struct x_client *client, const char *startup_id)
{
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	x_set_focus_model(client, window, true, false);
	x_set(client, window, "_NET_WM_USER_TIME", "CARDINAL", (uint32_t[]){0}, 1);
	if (startup_id) {
		x_set_text(client, window, "_NET_STARTUP_ID", startup_id);
	}
	x_map(client, window);
	x_settle(client);
	return window;
}

static void window_of_user_time_zero_opens_without_the_focus(struct x_client *client)
{
	xcb_window_t old = focused(client);
	xcb_window_t window = without_wish(client, NULL);
	X_CHECK(x_focus(client) == old);
	x_send(client, window, "_NET_ACTIVE_WINDOW", PAGER, 0, 0, 0, 0);
	X_WAIT(client, x_focus(client) == window);
}

static void user_time_is_read_from_its_window(struct x_client *client)
{
	xcb_window_t old = focused(client);
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	xcb_window_t times = x_window(client, 0, 0, 1, 1);
	x_set_focus_model(client, window, true, false);
	x_set(client, times, "_NET_WM_USER_TIME", "CARDINAL", (uint32_t[]){0}, 1);
	x_set(client, window, "_NET_WM_USER_TIME_WINDOW", "WINDOW", &times, 1);
	x_map(client, window);
	x_settle(client);
	X_CHECK(x_focus(client) == old);
}

/* Expects that the user types into another program's window, and has paused. */
static void older_user_time_asks_for_attention(struct x_client *client)
{
	uint32_t old = x_time(client) - 60000;
	const xcb_window_t before = x_focus(client);
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	x_set_focus_model(client, window, true, false);
	x_set(client, window, "_NET_WM_USER_TIME", "CARDINAL", &old, 1);
	x_map(client, window);
	X_WAIT(client,
		x_has_atom(client, window, "_NET_WM_STATE", "_NET_WM_STATE_DEMANDS_ATTENTION"));
	X_CHECK(x_focus(client) == before);
	x_send(client, window, "_NET_ACTIVE_WINDOW", 1, old, 0, 0, 0);
	x_settle(client);
	X_CHECK(x_focus(client) == before);
	x_send(client, window, "_NET_ACTIVE_WINDOW", 1, x_time(client), 0, 0, 0);
	X_WAIT(client, x_focus(client) == window);
}

const struct x_rule x_rules_typing[] = {
	RULE(older_user_time_asks_for_attention),
	{0},
};

static void startup_of_the_user_gives_the_focus_once(struct x_client *client)
{
	const char *token = getenv("DESKTOP_STARTUP_ID");
	X_CHECK(token);
	focused(client);
	xcb_window_t window = without_wish(client, token);
	X_WAIT(client, x_focus(client) == window);
	without_wish(client, token);
	X_CHECK(x_focus(client) == window);
	without_wish(client, "forged");
	X_CHECK(x_focus(client) == window);
}

static void focus_comes_back_from_the_root_and_from_nowhere(struct x_client *client)
{
	const xcb_window_t places[] = {
		client->root, XCB_INPUT_FOCUS_POINTER_ROOT, XCB_INPUT_FOCUS_NONE};
	xcb_window_t window = focused(client);
	struct x_client *other = x_connect();
	for (size_t i = 0; i < N(places); i++) {
		set_focus_of_others(other, XCB_INPUT_FOCUS_PARENT, places[i]);
		X_WAIT(client, x_focus(client) == window);
	}
	x_disconnect(other);
}

static void focus_comes_back_when_its_menu_goes(struct x_client *client)
{
	const uint8_t reverts[] = {
		XCB_INPUT_FOCUS_PARENT, XCB_INPUT_FOCUS_POINTER_ROOT, XCB_INPUT_FOCUS_NONE};
	xcb_window_t window = focused(client);
	for (size_t i = 0; i < N(reverts); i++) {
		xcb_window_t menu = x_window(client, 300, 300, 100, 100);
		xcb_change_window_attributes(
			client->x, menu, XCB_CW_OVERRIDE_REDIRECT, (uint32_t[]){1});
		xcb_map_window(client->x, menu);
		set_focus_of_others(client, reverts[i], menu);
		x_settle(client);
		X_CHECK(x_focus(client) == menu);
		xcb_unmap_window(client->x, menu);
		X_WAIT(client, x_focus(client) == window);
		xcb_destroy_window(client->x, menu);
	}
}

static void globally_active_window_is_asked_again(struct x_client *client)
{
	const xcb_window_t places[] = {
		client->root, XCB_INPUT_FOCUS_POINTER_ROOT, XCB_INPUT_FOCUS_NONE};
	xcb_window_t window = x_window(client, 0, 0, 200, 100);
	struct x_client *other = x_connect();
	x_set_focus_model(client, window, false, true);
	x_map(client, window);
	X_WAIT(client, client->n_take_focus > 0);
	for (size_t i = 0; i < N(places); i++) {
		set_focus_of_others(client, XCB_INPUT_FOCUS_PARENT, window);
		x_settle(client);
		X_CHECK(x_focus(client) == window);
		const int before = client->n_take_focus;
		set_focus_of_others(other, XCB_INPUT_FOCUS_PARENT, places[i]);
		X_WAIT(client, client->n_take_focus > before);
		X_WAIT(client, x_focus(client) == XCB_NONE);
	}
	x_settle(client);
	const int before = client->n_take_focus;
	x_settle(client);
	X_CHECK(client->n_take_focus == before);
	x_disconnect(other);
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void fight_for_the_focus_is_slow_and_ends(struct x_client *client)
{
	xcb_window_t window = focused(client);
	struct x_client *other = x_connect();
	struct timespec start;
	int n = 0;
	clock_gettime(CLOCK_MONOTONIC, &start);
	while (seconds_since(&start) < 3) {
		if (x_focus(other) == window) {
			set_focus_of_others(other, XCB_INPUT_FOCUS_PARENT, other->root);
			n++;
		}
	}
	/* 16 at once, and 20 with pauses, a second. */
	X_CHECK(n > 2 && n <= 40 * (seconds_since(&start) + 1));
	X_WAIT(client, x_focus(client) == window);
	x_disconnect(other);
}

static bool is_above(struct x_client *client, xcb_window_t window, xcb_window_t below)
{
	xcb_query_tree_reply_t *tree =
		xcb_query_tree_reply(client->x, xcb_query_tree(client->x, client->root), NULL);
	const xcb_window_t *children = xcb_query_tree_children(tree);
	bool found = false;
	for (int i = 0; i < xcb_query_tree_children_length(tree); i++) {
		if (children[i] == window) {
			break;
		}
		found = found || children[i] == below;
	}
	free(tree);
	return found;
}

/* The window is seen above all others, wherever its program puts it. */
static void fight_for_the_order_is_slow_and_ends(struct x_client *client)
{
	xcb_window_t window = focused(client);
	xcb_window_t menu = x_window(client, 300, 300, 100, 100);
	struct timespec start;
	int n = 0;
	xcb_change_window_attributes(client->x, menu, XCB_CW_OVERRIDE_REDIRECT, (uint32_t[]){1});
	xcb_map_window(client->x, menu);
	x_settle(client);
	clock_gettime(CLOCK_MONOTONIC, &start);
	while (seconds_since(&start) < 3) {
		if (is_above(client, menu, window)) {
			xcb_configure_window(client->x, menu, XCB_CONFIG_WINDOW_STACK_MODE,
				(uint32_t[]){XCB_STACK_MODE_BELOW});
			n++;
		}
	}
	/* 16 at once, and 20 with pauses, a second. */
	X_CHECK(n > 2 && n <= 40 * (seconds_since(&start) + 1));
	X_WAIT(client, is_above(client, menu, window));
	xcb_destroy_window(client->x, menu);
}

/* A grab of the keyboard leaves the focus where it is. */
static void grab_of_the_keyboard_is_left_alone(struct x_client *client)
{
	xcb_window_t window = focused(client);
	struct x_client *other = x_connect();
	xcb_window_t menu = x_window(other, 300, 300, 100, 100);
	xcb_change_window_attributes(other->x, menu, XCB_CW_OVERRIDE_REDIRECT, (uint32_t[]){1});
	xcb_map_window(other->x, menu);
	xcb_grab_keyboard_reply_t *reply = xcb_grab_keyboard_reply(other->x,
		xcb_grab_keyboard(other->x, 1, menu, XCB_CURRENT_TIME, XCB_GRAB_MODE_ASYNC,
			XCB_GRAB_MODE_ASYNC),
		NULL);
	X_CHECK(reply && reply->status == XCB_GRAB_STATUS_SUCCESS);
	free(reply);
	client->n_focus_in = 0;
	x_settle(client);
	xcb_ungrab_keyboard(other->x, XCB_CURRENT_TIME);
	x_focus(other);
	x_settle(client);
	X_CHECK(x_focus(client) == window && client->n_focus_in == 0);
	x_disconnect(other);
}

const struct x_rule x_rules_focus[] = {
	RULE(input_hint_gives_the_focus),
	RULE(window_without_input_never_gets_the_focus),
	RULE(globally_active_window_is_asked_to_take_the_focus),
	RULE(locally_active_window_gets_both),
	RULE(another_client_cannot_take_the_focus),
	RULE(client_moves_the_focus_among_its_windows),
	RULE(last_choice_of_a_client_holds),
	RULE(client_moves_the_focus_into_another_of_its_windows),
	RULE(focus_comes_back_to_a_modal_dialog),
	RULE(pager_activates_and_raises),
	RULE(window_of_user_time_zero_opens_without_the_focus),
	RULE(user_time_is_read_from_its_window),
	RULE(startup_of_the_user_gives_the_focus_once),
	RULE(focus_comes_back_from_the_root_and_from_nowhere),
	RULE(focus_comes_back_when_its_menu_goes),
	RULE(globally_active_window_is_asked_again),
	RULE(fight_for_the_focus_is_slow_and_ends),
	RULE(fight_for_the_order_is_slow_and_ends),
	RULE(grab_of_the_keyboard_is_left_alone),
	{0},
};
