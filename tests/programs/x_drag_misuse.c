/* SPDX-License-Identifier: MIT */
/* x_drag_misuse PRESS [NAME]: X programs that misuse drag and drop, a function each. */

#include "x_drag_world.h"
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void others_cannot_read_dragged_data(struct drag_world *world)
{
	x_peer_start(&world->other, X_LEFT, OTHER_TOP);
	struct x_peer *other = &world->other;
	drag_wayland_over_x(world, COPY);
	AWAIT(world, world->wayland.accepted);
	xcb_convert_selection(other->client->x, other->window, other->selection, other->text,
		other->property, XCB_TIME_CURRENT_TIME);
	AWAIT(world, other->refused);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->wayland.n_finished == 1);
}

/* Drops on the X program, which takes the drop itself. */
static void expect_own_drop(struct drag_world *world)
{
	settle(world);
	drag_wayland_over_x(world, COPY);
	AWAIT(world, world->wayland.accepted);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->wayland.n_finished == 1);
	X_CHECK(world->x.n_drop == 1 && strcmp(world->x.data, world->wayland.offered) == 0);
}

static void proxy_that_does_not_name_itself_is_ignored(struct drag_world *world)
{
	struct x_peer *other = &world->other;
	x_peer_start(other, X_LEFT, OTHER_TOP);
	x_peer_name_proxy(&world->x, world->x.window, other->window);
	x_peer_name_proxy(other, other->window, world->x.window); /* a loop */
	expect_own_drop(world);
	X_CHECK(other->n_enter == 0);
}

static void proxy_that_does_not_exist_is_ignored(struct drag_world *world)
{
	x_peer_name_proxy(&world->x, world->x.window, world->x.window + 1000);
	expect_own_drop(world);
}

/* Messages to it go to the window manager, which has no answer. */
static void manager_as_a_proxy_takes_no_drop(struct drag_world *world)
{
	struct x_peer *x = &world->x;
	uint32_t own = 0;
	X_CHECK(x_get(x->client, x->client->root, "_NET_SUPPORTING_WM_CHECK", &own, 1) == 1);
	x_peer_name_proxy(x, own, own);
	x_peer_name_proxy(x, x->window, own);
	x_set(x->client, own, "XdndAware", "ATOM", (uint32_t[]){5}, 1);
	settle(world);
	drag_wayland_over_x(world, COPY);
	settle(world);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->wayland.n_cancelled == 1);
	X_CHECK(x->n_enter == 0);
	xcb_delete_property(x->client->x, own, x_atom(x->client, "XdndProxy"));
	xcb_delete_property(x->client->x, own, x->aware);
	check_pointer(world);
}

static void ownership_without_a_button_starts_no_drag(struct drag_world *world)
{
	x_peer_start(&world->other, X_LEFT, OTHER_TOP);
	x_peer_drag(&world->x);
	point_at_x(world);
	wayland_peer_press(&world->wayland, true);
	AWAIT(world, world->x.n_presses == 1);
	x_peer_drag(&world->other); /* the button is held on another program's window */
	wayland_peer_point(&world->wayland, AT_WAYLAND);
	settle(world);
	for (int i = 0; i < 5; i++) {
		x_peer_follow(&world->x);
		settle(world);
	}
	X_CHECK(world->x.over == XCB_WINDOW_NONE && world->wayland.n_enter == 0);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->x.n_releases == 1);
	check_pointer(world);
}

/* Sends each message of XDND to all windows that could take it. */
static void flood(struct drag_world *world, int rounds)
{
	struct x_peer *x = &world->x;
	uint32_t own = 0;
	X_CHECK(x_get(x->client, x->client->root, "_NET_SUPPORTING_WM_CHECK", &own, 1) == 1);
	const xcb_atom_t types[] = {
		x->enter, x->position, x->status, x->leave, x->drop, x->finished};
	const xcb_window_t windows[] = {own, x->over ? x->over : own, x->client->root, x->window};
	for (int i = 0; i < rounds; i++) {
		for (size_t type = 0; type < N(types); type++) {
			for (size_t w = 0; w < N(windows); w++) {
				x_peer_send(x, windows[w], types[type], x->window, 5u << 24 | 1,
					x->text, (uint32_t)i, x->actions[MOVE]);
			}
		}
	}
}

static void forged_messages_without_a_drag_have_no_effect(struct drag_world *world)
{
	flood(world, 200);
	settle(world);
	X_CHECK(world->wayland.n_enter == 0 && world->wayland.n_drop == 0);
	check_pointer(world);
}

static void flood_during_a_drag_ends_with_the_button(struct drag_world *world)
{
	drag_x_over_wayland(world);
	accept_offer(world, COPY, COPY);
	flood(world, 300);
	settle(world);
	/* A drop while the button is held is no drop of the user. */
	X_CHECK(world->wayland.n_drop == 0);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->x.n_releases == 1);
	settle(world);
	check_pointer(world);
}

static void forged_answers_do_not_finish_a_drag(struct drag_world *world)
{
	struct x_peer *x = &world->x;
	x_peer_start(&world->other, X_LEFT, OTHER_TOP);
	drag_wayland_over_x(world, COPY);
	AWAIT(world, world->wayland.accepted);
	x_peer_send(x, x->from, x->finished, x->window, 1, x->actions[COPY], 0, 0);
	x_peer_send(x, x->from, x->finished, world->other.window, 1, x->actions[COPY], 0, 0);
	x_peer_send(x, x->from, x->status, world->other.window, 0, 0, 0, 0);
	settle(world);
	X_CHECK(world->wayland.n_finished == 0 && world->wayland.accepted);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->wayland.n_finished == 1);
}

static void endless_list_of_types_is_cut(struct drag_world *world)
{
	struct x_peer *x = &world->x;
	static uint32_t types[5000];
	for (size_t i = 0; i < N(types); i++) {
		types[i] = (uint32_t)i + 1; /* atoms, many of which do not exist */
	}
	types[0] = x->text;
	x->n_types = 20;
	start_x_drag(world);
	x_set(x->client, x->window, "XdndTypeList", "ATOM", types, N(types));
	wayland_peer_point(&world->wayland, AT_WAYLAND);
	AWAIT_FOLLOWING(world, world->wayland.n_enter == 1);
	X_CHECK(strstr(world->wayland.types, UTF8));
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, x->n_releases == 1);
	x_peer_drop(x);
	check_pointer(world);
}

static void owners_that_change_during_the_drag_end_it(struct drag_world *world)
{
	struct x_peer *x = &world->x;
	drag_x_over_wayland(world);
	for (int i = 0; i < 500; i++) {
		x_peer_drag(x);
		xcb_set_selection_owner(
			x->client->x, XCB_WINDOW_NONE, x->selection, XCB_TIME_CURRENT_TIME);
	}
	AWAIT(world, world->wayland.n_leave > 0);
	wayland_peer_press(&world->wayland, false);
	settle(world);
	X_CHECK(world->wayland.n_drop == 0);
	check_pointer(world);
}

/* Reads the program's data until the transfer is cut off, and returns the number of bytes. */
static size_t read_endless(struct drag_world *world)
{
	static char bytes[1 << 20];
	size_t size = 0;
	const int fd = wayland_peer_receive(&world->wayland, UTF8);
	for (int i = 0;;) {
		pump(world);
		ssize_t n;
		while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
			size += (size_t)n;
			i = 0;
		}
		if (n == 0) {
			break;
		}
		if (world->x.n_pieces == 0) {
			x_pause(i++, "pieces arrive", __FILE__, __LINE__);
		}
	}
	close(fd);
	return size;
}

static void endless_data_is_cut_at_the_limit(struct drag_world *world)
{
	world->x.endless = 8;
	drag_x_over_wayland(world);
	const size_t size = read_endless(world);
	X_CHECK(size > 63 << 20 && size <= 64 << 20);
	/* Other data still arrives. */
	world->x.endless = 0;
	char *data = read_offer(world, UTF8);
	X_CHECK(strcmp(data, world->x.offered) == 0);
	free(data);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->x.n_releases == 1);
	x_peer_drop(&world->x);
	check_pointer(world);
}

/* The receiver shares the flags of the pipe that the compositor writes to. */
static void receiver_that_clears_o_nonblock_blocks_nobody(struct drag_world *world)
{
	static char large[DATA_SIZE + 1], data[DATA_SIZE + 1];
	size_t size = 0;
	int fds[2];
	memset(large, 'n', DATA_SIZE);
	world->x.offered = large;
	drag_x_over_wayland(world);
	X_CHECK(pipe2(fds, O_CLOEXEC) == 0);
	struct pollfd room = {.fd = fds[1], .events = POLLOUT};
	wl_data_offer_receive(world->wayland.offer, UTF8, fds[1]);
	AWAIT(world, poll(&room, 1, 0) == 0);
	X_CHECK(fcntl(fds[1], F_SETFL, 0) == 0);
	/* The compositor would block with half of its piece, and this program in settle(). */
	alarm(20);
	X_CHECK(read(fds[0], data, DATA_SIZE / 8) == DATA_SIZE / 8);
	AWAIT(world, poll(&room, 1, 0) == 0);
	settle(world);
	settle(world);
	alarm(0);
	close(fds[1]);
	ssize_t n = DATA_SIZE / 8;
	for (; n > 0; n = read(fds[0], data + size, DATA_SIZE - size)) {
		size += (size_t)n;
		pump(world);
	}
	close(fds[0]);
	X_CHECK(strcmp(data, large) == 0);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->x.n_releases == 1);
	x_peer_drop(&world->x);
	check_pointer(world);
}

static bool owns_clipboard(struct x_peer *x, xcb_window_t own)
{
	xcb_get_selection_owner_reply_t *reply = xcb_get_selection_owner_reply(x->client->x,
		xcb_get_selection_owner(x->client->x, x_atom(x->client, "CLIPBOARD")), NULL);
	X_CHECK(reply);
	const bool owns = reply->owner == own;
	free(reply);
	return owns;
}

static void copy_from_wayland(struct drag_world *world)
{
	uint32_t own = 0;
	struct x_client *client = world->x.client;
	X_CHECK(x_get(client, client->root, "_NET_SUPPORTING_WM_CHECK", &own, 1) == 1);
	wayland_peer_point(&world->wayland, AT_WAYLAND);
	wayland_peer_press(&world->wayland, true);
	wayland_peer_press(&world->wayland, false);
	wayland_peer_copy(&world->wayland);
	AWAIT(world, owns_clipboard(&world->x, own));
}

static void conversion_for_the_root_window_leaves_its_events(struct drag_world *world)
{
	struct x_peer *x = &world->x;
	char *large = malloc(DATA_SIZE);
	X_CHECK(large);
	memset(large, 'r', DATA_SIZE);
	large[DATA_SIZE - 1] = '\0';
	world->wayland.offered = large; /* would be sent in pieces */
	copy_from_wayland(world);
	const xcb_atom_t clipboard = x_atom(x->client, "CLIPBOARD");
	for (int i = 0; i < 20; i++) {
		xcb_convert_selection(x->client->x, x->client->root, clipboard, x->text,
			x->property, XCB_TIME_CURRENT_TIME);
	}
	xcb_convert_selection(
		x->client->x, x->window, clipboard, x->text, x->property, XCB_TIME_CURRENT_TIME);
	AWAIT(world, x->data && strlen(x->data) == DATA_SIZE - 1);
	X_CHECK(strcmp(x->data, large) == 0);
	uint32_t value;
	X_CHECK(x_get(x->client, x->client->root, "_TEST_DATA", &value, 1) < 0);
	free(large);
	x_peer_start(&world->other, X_LEFT, OTHER_TOP); /* is managed */
}

static const struct rule rules[] = {
	RULE(others_cannot_read_dragged_data),
	RULE(proxy_that_does_not_name_itself_is_ignored),
	RULE(proxy_that_does_not_exist_is_ignored),
	RULE(manager_as_a_proxy_takes_no_drop),
	RULE(ownership_without_a_button_starts_no_drag),
	RULE(forged_messages_without_a_drag_have_no_effect),
	RULE(flood_during_a_drag_ends_with_the_button),
	RULE(forged_answers_do_not_finish_a_drag),
	RULE(endless_list_of_types_is_cut),
	RULE(endless_data_is_cut_at_the_limit),
	RULE(receiver_that_clears_o_nonblock_blocks_nobody),
	RULE(conversion_for_the_root_window_leaves_its_events),
	RULE(owners_that_change_during_the_drag_end_it),
};

int main(int argc, char **argv)
{
	return run_rules(rules, N(rules), argc, argv);
}
