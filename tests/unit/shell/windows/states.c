/* SPDX-License-Identifier: MIT */
/* States of windows that follow each other faster than the client answers. */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/window.h"
#include "shell/windows/windows.h"
#include <linux/input-event-codes.h>

#define ANSWERS_MAX 64
#define OWN_WIDTH 300
#define OWN_HEIGHT 200

/** A client that answers configures late, in their order. */
struct slow_client {
	struct shell_fixture *fixture;
	struct test_window *self;
	struct window_configure waiting[ANSWERS_MAX];
	uint32_t serials[ANSWERS_MAX];
	int n, seen;
};

/* Records the last configure; a client skips those before. */
static void receive(struct slow_client *client)
{
	if (client->seen != client->self->n_configures && client->n < ANSWERS_MAX) {
		client->waiting[client->n] = client->self->configure;
		client->serials[client->n++] = client->self->serial;
	}
	client->seen = client->self->n_configures;
}

/* Answers a configure; those before it are forgotten. */
static void answer(struct slow_client *client, int i)
{
	const struct window_configure *to = &client->waiting[i];
	const struct box box = {
		0, 0, to->width ? to->width : OWN_WIDTH, to->height ? to->height : OWN_HEIGHT};
	client->self->surface->current.width = box.width;
	client->self->surface->current.height = box.height;
	const uint32_t serial = client->serials[i];
	client->n -= i + 1;
	for (int at = 0; at < client->n; at++) {
		client->waiting[at] = client->waiting[at + i + 1];
		client->serials[at] = client->serials[at + i + 1];
	}
	window_applied(client->self->window, &box, serial);
	receive(client);
}

static void answer_all(struct slow_client *client)
{
	receive(client);
	while (client->n > 0) {
		answer(client, client->n - 1);
	}
}

/* Drags the window by a point, and drops it. Returns false for a fullscreen window. */
static bool drag(struct slow_client *client)
{
	static const struct coord_global drops[] = {
		{500, 0}, {0, 300}, {999, 300}, {0, 0}, {999, 599}, {450, 320}};
	struct shell_fixture *fixture = client->fixture;
	struct window *window = client->self->window;
	const struct box box = window_box(window);
	if (window->states & WINDOW_FULLSCREEN) {
		return false;
	}
	move_to(fixture, box.x + random_between(20, box.width - 20), box.y + 10);
	button(fixture, BTN_LEFT, true);
	window_request_move(window, fixture->seat, false, 0);
	receive(client);
	for (int i = random_between(0, 2); i > 0; i--) {
		move_to(fixture, random_between(300, 600), random_between(200, 300));
		if (client->n > 0 && random_between(0, 2) == 0) {
			answer(client, random_between(0, client->n - 1));
		}
	}
	const struct coord_global *to = &drops[random_between(0, 5)];
	move_to(fixture, to->x, to->y);
	button(fixture, BTN_LEFT, false);
	return true;
}

/* Returns whether the user has given the window another place. */
static bool act(struct slow_client *client)
{
	struct window *window = client->self->window;
	static const uint32_t tiles[] = {0, WINDOW_TILED & ~WINDOW_TILED_RIGHT,
		WINDOW_TILED & ~WINDOW_TILED_LEFT, WINDOW_TILED_RIGHT | WINDOW_TILED_BOTTOM};
	bool moved = false;
	switch (random_between(0, 8)) {
	case 0:
	case 1: window_request_maximize(window, random_between(0, 1)); break;
	case 2: window_request_fullscreen(window, random_between(0, 1), NULL); break;
	case 3:
	case 4: window_tile(window, tiles[random_between(0, 3)]); break;
	case 5:
		workspace_set_layout(window->workspace,
			random_between(0, 1) ? CONFIG_LAYOUT_COLUMNS : CONFIG_LAYOUT_FLOATING);
		break;
	case 6: moved = drag(client); break;
	default:
		if (client->n > 0) {
			answer(client, random_between(0, client->n - 1));
		}
	}
	receive(client);
	return moved;
}

/* Ends all states, and lets the client answer. */
static void restore(struct slow_client *client)
{
	struct window *window = client->self->window;
	window_request_fullscreen(window, false, NULL);
	workspace_set_layout(window->workspace, CONFIG_LAYOUT_FLOATING);
	window_tile(window, 0);
	answer_all(client);
	clock_advance(client->fixture->clock, 1000000000);
	answer_all(client);
}

/* The window has a size of its own, and a place, or starts maximised and has none of both. */
static void play(struct shell_fixture *fixture, uint64_t seed)
{
	random_seed(seed);
	struct slow_client client = {.fixture = fixture, .self = &fixture->windows[0]};
	const bool starts_maximised = random_between(0, 3) == 0;
	if (!client.self->window) {
		make(fixture, 0);
	}
	struct window *window = client.self->window;
	if (starts_maximised) {
		window_request_maximize(window, true);
		map(fixture, 0, 1000, 600);
	} else {
		map(fixture, 0, OWN_WIDTH, OWN_HEIGHT);
		window_move_to(window, 70, 80);
	}
	client.seen = client.self->n_configures;
	bool moved = starts_maximised;
	for (int i = random_between(1, 8); i > 0; i--) {
		moved = act(&client) || moved;
	}
	restore(&client);
	const struct box box = window_box(window);
	const bool same = moved || (box.x == 70 && box.y == 80);
	const bool own = box.width == OWN_WIDTH && box.height == OWN_HEIGHT;
	/* A tile that never had a size of its own gets one. */
	const bool given = starts_maximised && box.width == 600 && box.height == 360;
	if (!same || (!own && !given)) {
		fail_msg("seed %d: %d,%d %dx%d", (int)seed, box.x, box.y, box.width, box.height);
	}
}

/* After any states in any order, the floating window has its size and place again. */
static void floating_box_outlives_states_that_the_client_answers_late(void **state)
{
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		play(*state, seed);
		unmap(*state, 0);
	}
}

/* Several steps before the client draws, as when a key is held, and steps right after a state. */
static void steps_of_actions_count_from_the_box_that_is_not_drawn_yet(void **state)
{
	struct shell_fixture *fixture = *state;
	struct test_window *self = &fixture->windows[0];
	struct window *window = map(fixture, 0, OWN_WIDTH, OWN_HEIGHT);
	const int step = 50, step_up = 30;
	window_move_to(window, 70, 80);
	run(fixture, "resize", "wider");
	run(fixture, "resize", "wider");
	run(fixture, "resize", "taller");
	obey(self);
	assert_box(window, 70, 80, OWN_WIDTH + 2 * step, OWN_HEIGHT + step_up);
	window_request_maximize(window, true);
	obey(self);
	window_request_maximize(window, false);
	run(fixture, "resize", "narrower");
	obey(self);
	assert_box(window, 70, 80, OWN_WIDTH + step, OWN_HEIGHT + step_up);
	window_request_maximize(window, true);
	obey(self);
	window_request_maximize(window, false);
	run(fixture, "move", "right");
	run(fixture, "move", "down");
	obey(self);
	assert_box(window, 70 + step, 80 + step_up, OWN_WIDTH + step, OWN_HEIGHT + step_up);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(floating_box_outlives_states_that_the_client_answers_late),
		TEST(steps_of_actions_count_from_the_box_that_is_not_drawn_yet),
	};
	return cmocka_run_group_tests_name("shell/windows/states", tests, NULL, NULL);
}
