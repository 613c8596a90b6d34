/* SPDX-License-Identifier: MIT */
/*
 * x_drags PRESS [NAME]: drag and drop between X programs and Wayland clients, a function each.
 * PRESS is the program that presses keys; DISPLAY2 and XAUTHORITY2 are those of a second X server.
 */

#include "x_drag_world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From X to Wayland */

static void x_program_drops_on_a_wayland_client(struct drag_world *world)
{
	const struct wayland_peer *wayland = &world->wayland;
	drag_x_over_wayland(world);
	X_CHECK(strcmp(wayland->types, UTF8 " ") == 0);
	X_CHECK(wayland->source_actions == COPY && wayland->x == 100 && wayland->y == 120);
	X_CHECK(!world->x.accepted);
	wayland_peer_point(&world->wayland, 140, 150);
	AWAIT_FOLLOWING(world, wayland->n_motion > 0 && wayland->x == 140 && wayland->y == 150);
	accept_offer(world, COPY | MOVE, MOVE);
	X_CHECK(world->x.status_action == COPY);
	release(world);
	AWAIT(world, wayland->n_drop == 1);
	char *data = read_offer(world, UTF8);
	X_CHECK(strcmp(data, "from X") == 0);
	X_CHECK(world->x.time == 5678); /* of its XdndDrop */
	free(data);
	finish_offer(world);
	X_CHECK(world->x.took && world->x.final_action == COPY);
	check_pointer(world);
}

static void x_program_moves_data(struct drag_world *world)
{
	world->x.action = MOVE;
	world->x.n_types = 20; /* more than its message holds */
	drag_x_over_wayland(world);
	X_CHECK(world->wayland.source_actions == MOVE || world->wayland.source_actions == COPY);
	X_CHECK(strstr(world->wayland.types, "test/type-19"));
	AWAIT_FOLLOWING(world, world->wayland.source_actions == MOVE);
	accept_offer(world, COPY | MOVE, COPY);
	X_CHECK(world->x.status_action == MOVE);
	release(world);
	AWAIT(world, world->wayland.n_drop == 1);
	finish_offer(world);
	X_CHECK(world->x.took && world->x.final_action == MOVE);
}

static void x_programs_question_is_answered_after_the_drop(struct drag_world *world)
{
	world->x.action = ASK;
	drag_x_over_wayland(world);
	AWAIT_FOLLOWING(world, world->wayland.source_actions == (COPY | MOVE | ASK));
	accept_offer(world, COPY | MOVE | ASK, ASK);
	AWAIT(world, world->x.status_action == ASK);
	release(world);
	AWAIT(world, world->wayland.n_drop == 1);
	wl_data_offer_set_actions(world->wayland.offer, MOVE, MOVE);
	finish_offer(world);
	X_CHECK(world->x.took && world->x.final_action == MOVE);
}

static void large_data_arrives_whole_after_a_drop(struct drag_world *world)
{
	char *large = malloc(DATA_SIZE + 1);
	X_CHECK(large);
	memset(large, 'x', DATA_SIZE);
	large[DATA_SIZE] = '\0';
	world->x.offered = large;
	drag_x_over_wayland(world);
	accept_offer(world, COPY, COPY);
	release(world);
	AWAIT(world, world->wayland.n_drop == 1);
	char *data = read_offer(world, UTF8);
	X_CHECK(strcmp(data, large) == 0);
	free(data);
	free(large);
	finish_offer(world);
}

static void wayland_client_that_accepts_nothing_gets_no_drop(struct drag_world *world)
{
	drag_x_over_wayland(world);
	AWAIT_FOLLOWING(world, world->x.n_status > 0);
	X_CHECK(!world->x.accepted);
	release(world);
	AWAIT(world, world->wayland.n_leave == 1);
	X_CHECK(world->wayland.n_drop == 0 && world->x.n_finished == 0);
	check_pointer(world);
}

static void drop_that_the_client_refuses_is_reported(struct drag_world *world)
{
	drag_x_over_wayland(world);
	accept_offer(world, COPY, COPY);
	wl_data_offer_accept(world->wayland.offer, world->wayland.enter_serial, NULL);
	AWAIT(world, !world->x.accepted);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->x.n_releases == 1);
	world->x.accepted = true; /* it ignores the answer */
	x_peer_drop(&world->x);
	AWAIT(world, world->x.n_finished == 1);
	X_CHECK(!world->x.took && world->wayland.n_drop == 0);
}

static void client_that_destroys_its_offer_fails_the_drop(struct drag_world *world)
{
	drag_x_over_wayland(world);
	accept_offer(world, COPY, COPY);
	release(world);
	AWAIT(world, world->wayland.n_drop == 1);
	wl_data_offer_destroy(world->wayland.offer);
	world->wayland.offer = NULL;
	AWAIT(world, world->x.n_finished == 1);
	X_CHECK(!world->x.took);
}

static void x_program_cancels_its_drag(struct drag_world *world)
{
	drag_x_over_wayland(world);
	accept_offer(world, COPY, COPY);
	/* As programs do by Escape. */
	world->x.accepted = false;
	x_peer_drop(&world->x);
	AWAIT(world, world->wayland.n_leave == 1);
	wayland_peer_press(&world->wayland, false);
	settle(world);
	X_CHECK(world->wayland.n_drop == 0);
	check_pointer(world);
}

static void x_program_ends_during_its_drag(struct drag_world *world)
{
	drag_x_over_wayland(world);
	accept_offer(world, COPY, COPY);
	x_peer_stop(&world->x);
	AWAIT(world, world->wayland.n_leave == 1);
	wayland_peer_press(&world->wayland, false);
	pump(world);
	X_CHECK(world->wayland.n_drop == 0);
	check_pointer(world);
}

static void drag_between_x_windows_is_their_own(struct drag_world *world)
{
	x_peer_start(&world->other, X_LEFT, OTHER_TOP);
	start_x_drag(world);
	wayland_peer_point(&world->wayland, AT_WAYLAND);
	AWAIT_FOLLOWING(world, world->wayland.n_enter == 1);
	wayland_peer_point(&world->wayland, AT_OTHER);
	AWAIT_FOLLOWING(world, world->x.over == world->other.window);
	AWAIT(world, world->wayland.n_leave == 1);
	AWAIT_FOLLOWING(world, world->x.accepted);
	release(world);
	AWAIT(world, world->x.n_finished == 1);
	X_CHECK(world->x.took && strcmp(world->other.data, "from X") == 0);
	X_CHECK(world->wayland.n_drop == 0);
	check_pointer(world);
}

/* From Wayland to X */

static void check_drop(struct drag_world *world)
{
	drag_wayland_over_x(world, COPY | MOVE);
	AWAIT(world, world->wayland.accepted);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->wayland.n_finished == 1);
	X_CHECK(world->wayland.n_dropped == 1 && world->wayland.n_cancelled == 0);
	X_CHECK(world->x.n_drop == 1 && strcmp(world->x.data, world->wayland.offered) == 0);
}

static void wayland_client_drops_on_an_x_program(struct drag_world *world)
{
	check_drop(world);
	X_CHECK(world->wayland.source_action == COPY && world->x.suggested == COPY);
	X_CHECK(world->x.x == X_LEFT + 60 && world->x.y == X_TOP + 90);
	X_CHECK(world->x.n_enter == 1 && world->x.n_leave == 0 && world->x.time);
	static const char *const types[] = {UTF8, "test/other", "UTF8_STRING", "STRING", "TEXT"};
	const size_t n_types = sizeof(types) / sizeof(types[0]);
	uint32_t atoms[64];
	X_CHECK(x_get(world->x.client, world->x.from, "XdndTypeList", atoms, 64) == (int)n_types);
	for (size_t i = 0; i < n_types; i++) {
		X_CHECK(x_has_atom(world->x.client, world->x.from, "XdndTypeList", types[i]));
	}
	check_pointer(world);
}

/* Chromium reads all of them before the drop. */
static void x_program_is_offered_no_target_that_deletes(struct drag_world *world)
{
	check_drop(world);
	uint32_t types[64];
	const int n = x_get(world->x.client, world->x.from, "XdndTypeList", types, 64);
	X_CHECK(n > 0);
	for (int i = 0; i < n; i++) {
		X_CHECK(types[i] != x_atom(world->x.client, "DELETE"));
	}
}

static void large_data_arrives_whole_at_an_x_program(struct drag_world *world)
{
	char *large = malloc(DATA_SIZE);
	X_CHECK(large);
	memset(large, 'w', DATA_SIZE);
	large[DATA_SIZE - 1] = '\0';
	world->wayland.offered = large;
	check_drop(world);
	free(large);
}

static void x_program_moves_a_wayland_clients_data(struct drag_world *world)
{
	world->x.answer = MOVE;
	check_drop(world);
	X_CHECK(world->wayland.source_action == MOVE);
}

static void x_program_asks_and_moves(struct drag_world *world)
{
	world->x.answer = ASK;
	drag_wayland_over_x(world, MOVE | ASK);
	AWAIT(world, world->wayland.source_action == ASK);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->wayland.n_finished == 1);
	X_CHECK(world->wayland.source_action == MOVE);
}

/* Makes the other program the proxy of the X program's window. */
static void set_up_proxy(struct drag_world *world)
{
	struct x_peer *proxy = &world->other;
	x_peer_start(proxy, X_LEFT, OTHER_TOP);
	xcb_delete_property(world->x.client->x, world->x.window, world->x.aware);
	x_peer_name_proxy(&world->x, world->x.window, proxy->window);
	x_peer_name_proxy(proxy, proxy->window, proxy->window);
	proxy->target = world->x.window;
	settle(world);
	drag_wayland_over_x(world, COPY);
	AWAIT(world, world->wayland.accepted);
	X_CHECK(proxy->n_enter == 1 && proxy->n_strays == 0 && world->x.n_enter == 0);
}

static void proxy_takes_a_drop_for_its_window(struct drag_world *world)
{
	struct x_peer *proxy = &world->other;
	set_up_proxy(world);
	X_CHECK(proxy->x == X_LEFT + 60 && proxy->y == X_TOP + 90);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->wayland.n_finished == 1);
	X_CHECK(proxy->n_drop == 1 && strcmp(proxy->data, world->wayland.offered) == 0);
	X_CHECK(world->x.n_drop == 0 && proxy->n_strays == 0);
	check_pointer(world);
}

static void proxy_hears_that_the_drag_leaves(struct drag_world *world)
{
	set_up_proxy(world);
	wayland_peer_point(&world->wayland, AT_NOTHING);
	AWAIT(world, world->other.n_leave == 1);
	X_CHECK(world->x.n_leave == 0 && world->other.n_strays == 0);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->wayland.n_cancelled == 1);
}

static void expect_cancelled(struct drag_world *world)
{
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->wayland.n_cancelled == 1);
	X_CHECK(world->wayland.n_finished == 0 && world->x.n_drop == 0);
}

static void x_program_that_refuses_gets_no_drop(struct drag_world *world)
{
	world->x.answer = 0;
	drag_wayland_over_x(world, COPY);
	AWAIT(world, world->x.n_position > 0);
	expect_cancelled(world);
	AWAIT(world, world->x.n_leave == 1);
}

static void action_that_the_source_forbids_is_no_drop(struct drag_world *world)
{
	world->x.answer = MOVE;
	drag_wayland_over_x(world, COPY);
	AWAIT(world, world->x.n_position > 0);
	expect_cancelled(world);
}

static void x_window_without_drops_cancels(struct drag_world *world)
{
	xcb_delete_property(world->x.client->x, world->x.window, world->x.aware);
	settle(world);
	drag_wayland_over_x(world, COPY);
	expect_cancelled(world);
	X_CHECK(world->x.n_enter == 0);
}

static void escape_cancels_over_an_x_window(struct drag_world *world)
{
	char command[512];
	drag_wayland_over_x(world, COPY);
	AWAIT(world, world->wayland.accepted);
	snprintf(command, sizeof(command), "%s Escape", world->press);
	X_CHECK(system(command) == 0);
	AWAIT(world, world->wayland.n_cancelled == 1 && world->x.n_leave == 1);
	wayland_peer_press(&world->wayland, false);
	settle(world);
	X_CHECK(world->x.n_drop == 0);
	check_pointer(world);
}

static void x_window_destroyed_under_the_drag_cancels(struct drag_world *world)
{
	drag_wayland_over_x(world, COPY);
	AWAIT(world, world->wayland.accepted);
	x_peer_stop(&world->x);
	AWAIT(world, !world->wayland.accepted);
	expect_cancelled(world);
}

static void proxy_destroyed_under_the_drag_cancels(struct drag_world *world)
{
	set_up_proxy(world);
	x_peer_stop(&world->other);
	AWAIT(world, !world->wayland.accepted);
	expect_cancelled(world);
}

static void x_window_destroyed_after_the_drop_cancels(struct drag_world *world)
{
	world->x.lazy = true;
	drag_wayland_over_x(world, COPY);
	AWAIT(world, world->wayland.accepted);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->x.n_drop == 1);
	X_CHECK(world->wayland.n_dropped == 1);
	x_peer_stop(&world->x);
	AWAIT(world, world->wayland.n_cancelled == 1);
}

static void drop_on_lazy_x_program(struct drag_world *world)
{
	world->x.lazy = true;
	drag_wayland_over_x(world, COPY);
	AWAIT(world, world->wayland.accepted);
	wayland_peer_press(&world->wayland, false);
	AWAIT(world, world->x.n_drop == 1);
}

static void hung_x_program_does_not_keep_the_source(struct drag_world *world)
{
	drop_on_lazy_x_program(world);
	AWAIT(world, world->wayland.n_cancelled == 1);
	X_CHECK(world->x.n_pings == 1 && world->wayland.n_finished == 0);
	check_pointer(world);
}

/* Programs may ask the user what to do. */
static void x_program_that_answers_pings_finishes_later(struct drag_world *world)
{
	struct x_peer *x = &world->x;
	x->answers_pings = true;
	drop_on_lazy_x_program(world);
	AWAIT(world, x->n_pings == 2);
	X_CHECK(world->wayland.n_cancelled == 0);
	x_peer_send(x, x->from, x->finished, x->window, 1, x->actions[COPY], 0, 0);
	AWAIT(world, world->wayland.n_finished == 1);
}

static void source_destroyed_during_the_drag_leaves(struct drag_world *world)
{
	drag_wayland_over_x(world, COPY);
	AWAIT(world, world->wayland.accepted);
	wayland_peer_destroy_source(&world->wayland);
	AWAIT(world, world->x.n_leave == 1);
	wayland_peer_press(&world->wayland, false);
	settle(world);
	X_CHECK(world->x.n_drop == 0);
	check_pointer(world);
}

/* Between X servers */

static void x_programs_of_two_servers_exchange_data(struct drag_world *world)
{
	char *display = strdup(getenv("DISPLAY")), *cookie = strdup(getenv("XAUTHORITY"));
	setenv("DISPLAY", getenv("DISPLAY2"), 1);
	setenv("XAUTHORITY", getenv("XAUTHORITY2"), 1);
	x_peer_start(&world->other, X_LEFT, OTHER_TOP);
	setenv("DISPLAY", display, 1);
	setenv("XAUTHORITY", cookie, 1);
	world->x.action = world->other.answer = MOVE;
	start_x_drag(world);
	wayland_peer_point(&world->wayland, AT_OTHER);
	AWAIT_FOLLOWING(world, world->other.n_enter == 1 && world->x.accepted);
	X_CHECK(world->x.status_action == MOVE);
	release(world);
	AWAIT(world, world->x.n_finished == 1);
	X_CHECK(world->x.took && world->x.final_action == MOVE);
	X_CHECK(strcmp(world->other.data, "from X") == 0);
	free(display);
	free(cookie);
	check_pointer(world);
}

static const struct rule rules[] = {
	RULE(x_program_drops_on_a_wayland_client),
	RULE(x_program_moves_data),
	RULE(x_programs_question_is_answered_after_the_drop),
	RULE(large_data_arrives_whole_after_a_drop),
	RULE(wayland_client_that_accepts_nothing_gets_no_drop),
	RULE(drop_that_the_client_refuses_is_reported),
	RULE(client_that_destroys_its_offer_fails_the_drop),
	RULE(x_program_cancels_its_drag),
	RULE(x_program_ends_during_its_drag),
	RULE(drag_between_x_windows_is_their_own),
	RULE(wayland_client_drops_on_an_x_program),
	RULE(x_program_is_offered_no_target_that_deletes),
	RULE(large_data_arrives_whole_at_an_x_program),
	RULE(proxy_takes_a_drop_for_its_window),
	RULE(proxy_hears_that_the_drag_leaves),
	RULE(proxy_destroyed_under_the_drag_cancels),
	RULE(x_program_moves_a_wayland_clients_data),
	RULE(x_program_asks_and_moves),
	RULE(x_program_that_refuses_gets_no_drop),
	RULE(action_that_the_source_forbids_is_no_drop),
	RULE(x_window_without_drops_cancels),
	RULE(escape_cancels_over_an_x_window),
	RULE(x_window_destroyed_under_the_drag_cancels),
	RULE(x_window_destroyed_after_the_drop_cancels),
	RULE(hung_x_program_does_not_keep_the_source),
	RULE(x_program_that_answers_pings_finishes_later),
	RULE(source_destroyed_during_the_drag_leaves),
	RULE(x_programs_of_two_servers_exchange_data),
};

int main(int argc, char **argv)
{
	return run_rules(rules, N(rules), argc, argv);
}
