/* SPDX-License-Identifier: MIT */
/* Stacking requests of clients: ICCCM 4.1.5 and _NET_RESTACK_WINDOW. */

#include "x_rules.h"
#include <stdlib.h>

#define STACK (XCB_CONFIG_WINDOW_SIBLING | XCB_CONFIG_WINDOW_STACK_MODE)

/* Returns whether the windows are in this order, bottom first, for the X server and the list. */
static bool is_order(struct x_client *client, const xcb_window_t *windows, int n)
{
	uint32_t listed[512];
	const int size = x_get(client, client->root, "_NET_CLIENT_LIST_STACKING", listed, 512);
	xcb_query_tree_reply_t *tree =
		xcb_query_tree_reply(client->x, xcb_query_tree(client->x, client->root), NULL);
	X_CHECK(tree);
	const xcb_window_t *children = xcb_query_tree_children(tree);
	int found = 0, in_list = 0;
	for (int i = 0; i < xcb_query_tree_children_length(tree) && found < n; i++) {
		found += children[i] == windows[found];
	}
	for (int i = 0; i < size && in_list < n; i++) {
		in_list += listed[i] == windows[in_list];
	}
	free(tree);
	return found == n && in_list == n;
}

static void three(struct x_client *client, xcb_window_t windows[3])
{
	for (int i = 0; i < 3; i++) {
		windows[i] = x_window(client, 60 + 60 * i, 60 + 60 * i, 200, 100);
		x_set(client, windows[i], "WM_NORMAL_HINTS", "WM_SIZE_HINTS",
			(uint32_t[18]){US_POSITION}, 18);
		x_set_focus_model(client, windows[i], true, false);
		x_map(client, windows[i]);
		X_WAIT(client, x_focus(client) == windows[i]);
	}
	X_WAIT(client, is_order(client, windows, 3));
}

static void stack(struct x_client *client, xcb_window_t window, xcb_window_t sibling, uint32_t mode,
	bool message)
{
	if (message) {
		x_send(client, window, "_NET_RESTACK_WINDOW", PAGER, sibling, mode, 0, 0);
	} else if (sibling) {
		configure(client, window, STACK, sibling, mode);
	} else {
		configure(client, window, XCB_CONFIG_WINDOW_STACK_MODE, mode, 0);
	}
}

#define EXPECT(a, b, c) X_WAIT(client, is_order(client, (const xcb_window_t[]){(a), (b), (c)}, 3))

static void focused_client_restacks_its_windows(struct x_client *client)
{
	for (int message = 0; message < 2; message++) {
		xcb_window_t w[3];
		three(client, w);
		const xcb_window_t a = w[0], b = w[1], c = w[2];
		stack(client, a, 0, XCB_STACK_MODE_ABOVE, message);
		EXPECT(b, c, a);
		stack(client, c, 0, XCB_STACK_MODE_BELOW, message);
		EXPECT(c, b, a);
		stack(client, c, b, XCB_STACK_MODE_ABOVE, message);
		EXPECT(b, c, a);
		stack(client, a, c, XCB_STACK_MODE_BELOW, message);
		EXPECT(b, a, c);
		/* Only if the other window is in the way. */
		stack(client, b, c, XCB_STACK_MODE_TOP_IF, message);
		EXPECT(a, c, b);
		stack(client, b, c, XCB_STACK_MODE_TOP_IF, message);
		EXPECT(a, c, b);
		stack(client, b, a, XCB_STACK_MODE_BOTTOM_IF, message);
		EXPECT(b, a, c);
		stack(client, b, 0, XCB_STACK_MODE_OPPOSITE, message);
		EXPECT(a, c, b);
		stack(client, b, 0, XCB_STACK_MODE_OPPOSITE, message);
		EXPECT(b, a, c);
		for (int i = 0; i < 3; i++) {
			xcb_destroy_window(client->x, w[i]);
		}
		x_settle(client);
	}
}

/* The focused window is not covered; any client may lower its windows. */
static void client_without_the_focus_only_lowers_windows(struct x_client *client)
{
	xcb_window_t below = focused(client);
	struct x_client *other = x_connect();
	xcb_window_t window = focused(other);
	X_WAIT(client, is_order(client, (const xcb_window_t[]){below, window}, 2));
	client->has_synthetic = false;
	stack(client, below, 0, XCB_STACK_MODE_ABOVE, false);
	X_WAIT(client, client->has_synthetic); /* ICCCM 4.1.5: a refusal is answered */
	stack(client, below, window, XCB_STACK_MODE_ABOVE, false);
	x_settle(client);
	X_CHECK(is_order(client, (const xcb_window_t[]){below, window}, 2));
	stack(other, window, 0, XCB_STACK_MODE_BELOW, false);
	X_WAIT(client, is_order(client, (const xcb_window_t[]){window, below}, 2));
	stack(client, below, 0, XCB_STACK_MODE_BELOW, false);
	X_WAIT(client, is_order(client, (const xcb_window_t[]){below, window}, 2));
	x_disconnect(other);
}

static void transient_stays_above_its_owner_when_restacked(struct x_client *client)
{
	xcb_window_t w[3];
	three(client, w);
	x_set(client, w[2], "WM_TRANSIENT_FOR", "WINDOW", &w[1], 1);
	x_settle(client);
	stack(client, w[2], 0, XCB_STACK_MODE_BELOW, false);
	x_settle(client);
	EXPECT(w[0], w[1], w[2]);
	stack(client, w[1], 0, XCB_STACK_MODE_BELOW, false);
	EXPECT(w[1], w[2], w[0]);
	stack(client, w[1], 0, XCB_STACK_MODE_ABOVE, false);
	EXPECT(w[0], w[1], w[2]);
	stack(client, w[0], w[1], XCB_STACK_MODE_ABOVE, false);
	EXPECT(w[1], w[2], w[0]);
}

const struct x_rule x_rules_stack[] = {
	RULE_FLOATING(focused_client_restacks_its_windows),
	RULE(client_without_the_focus_only_lowers_windows),
	RULE_FLOATING(transient_stays_above_its_owner_when_restacked),
	{0},
};
