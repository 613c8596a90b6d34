/* SPDX-License-Identifier: MIT */
/* Rates of hidden surfaces: of X windows, by rules, and below surfaces of their own window. */

#include "backend/headless.h"
#include "backend/output.h"
#include "frame/throttle.h"
#include "harness/client/pacer.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "surface/client.h"
#include <stdlib.h>

static void draw_with_barriers(struct pacer *pacer, int n)
{
	for (int i = 0; i < n; i++) {
		wp_fifo_v1_set_barrier(pacer->fifo);
		wp_fifo_v1_wait_barrier(pacer->fifo);
		pacer_draw(pacer);
	}
}

/* Returns the callbacks that the window gets in a second if it draws after each one. */
static int count_callbacks(struct pacer *pacer)
{
	struct fixture *fixture = pacer->fixture;
	const int before = pacer->n_done;
	const int64_t end = pacer_now(pacer) + SECOND;
	int asked = -1;
	while (pacer_now(pacer) < end) {
		if (asked != pacer->n_done) {
			asked = pacer->n_done;
			pacer_ask_callback(pacer);
			pacer_draw(pacer);
			fixture_pump(fixture);
		}
		pacing_step(fixture, 2 * MS);
	}
	/* The last callback is still due: let it come. */
	fixture_sleep(fixture, 2 * SECOND);
	return pacer->n_done - before - 1;
}

static struct peer_window *cover_all(struct pacer *pacer)
{
	struct peer_window *cover = peer_window_create(pacer->peer, 0, 0, 200, 200, 0xff0000ff);
	peer_surface_show(
		cover->surface, peer_buffer_create(pacer->peer, 200, 200, WL_SHM_FORMAT_XRGB8888));
	fixture_settle(pacer->fixture);
	return cover;
}

/* Steam draws its overlay in a window that the game covers. */
static void covered_x_window_keeps_its_rate(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct client *client = pacer_surface(pacer)->client;
	struct shell *shell = fixture->server->shell;
	cover_all(pacer);
	pacing_set_rates(fixture, 1, 50);
	assert_in_range(count_callbacks(pacer), 1, 2);
	client->x_server = (void *)client;
	assert_in_range(count_callbacks(pacer), 48, 51);
	shell_switch_workspace(shell, "2");
	assert_in_range(count_callbacks(pacer), 48, 51);
	/* Nobody can see the overlay either. */
	throttle_set_locked(fixture->server->hidden, true);
	assert_in_range(count_callbacks(pacer), 1, 2);
	/* A program that waits when the session is unlocked draws at once. */
	pacing_run_until(fixture, (pacer_now(pacer) / SECOND + 1) * SECOND + 50 * MS);
	const int n_done = pacer->n_done;
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_sleep(fixture, SECOND / 10);
	assert_int_equal(pacer->n_done, n_done);
	throttle_set_locked(fixture->server->hidden, false);
	fixture_sleep(fixture, SECOND / 25);
	assert_int_equal(pacer->n_done, n_done + 1);
	pacing_set_asleep(pacer->fixture, 0, true);
	assert_in_range(count_callbacks(pacer), 1, 2);
	pacing_set_asleep(pacer->fixture, 0, false);
	assert_in_range(count_callbacks(pacer), 48, 51);
	const struct throttle_rates battery = {.all = 1, .x = 50, .fifo = 30, .most = 20};
	throttle_set_rates(fixture->server->hidden, &battery);
	assert_in_range(count_callbacks(pacer), 19, 21);
	pacing_set_rates(fixture, 1, 0);
	const int before = pacer->n_done;
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_sleep(fixture, 3 * SECOND);
	assert_int_equal(pacer->n_done, before);
	assert_false(clock_advance_to_next(fixture->clock));
	client->x_server = NULL;
	fixture_destroy(fixture);
	free(pacer);
}

/* Callbacks are sent at the X rate if any screen is on, and else at the common one. */
static void hidden_x_window_keeps_its_rate_while_any_screen_is_on(void **state)
{
	const struct fixture_options options = {.n_outputs = 3};
	struct fixture *fixture = fixture_create(&options);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct client *client = pacer_surface(pacer)->client;
	pacing_set_rates(fixture, 1, 50);
	client->x_server = (void *)client;
	for (int on = 0; on < 1 << 3; on++) {
		for (int i = 0; i < 3; i++) {
			pacing_set_asleep(fixture, i, !(on & 1 << i));
		}
		window_set_minimized(peer_window_find(pacer->window), true);
		fixture_settle(fixture);
		assert_in_range(count_callbacks(pacer), on ? 48 : 1, on ? 51 : 2);
		/* On a screen that sleeps, likewise; on another one, at its refresh rate. */
		window_set_minimized(peer_window_find(pacer->window), false);
		for (int i = 0; i < 3; i++) {
			const int low = on & 1 << i ? 57 : on ? 48 : 1;
			peer_window_place(pacer->window, 320 * i + 10, 10);
			fixture_settle(fixture);
			assert_in_range(count_callbacks(pacer), low, low == 1 ? 2 : low + 4);
		}
	}
	/* The first screen is off, or gone. */
	pacing_set_asleep(fixture, 0, true);
	window_set_minimized(peer_window_find(pacer->window), true);
	fixture_settle(fixture);
	assert_in_range(count_callbacks(pacer), 48, 51);
	headless_remove_output(fixture->server->scene->outputs[0]->output);
	fixture_pump(fixture);
	assert_in_range(count_callbacks(pacer), 48, 51);
	client->x_server = NULL;
	fixture_destroy(fixture);
	free(pacer);
}

/* A rule replaces both rates, in any state of the session; fifo barriers follow a faster one. */
static void rule_sets_the_rate_of_a_window(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct pacer *other = pacer_create(fixture, 100, 10);
	pacer_hide(pacer);
	pacer_hide(other);
	pacing_set_rates(fixture, 1, 1);
	struct surface_rules *rules = &pacer_surface(pacer)->rules;
	rules->hidden_period = SECOND / 100;
	assert_in_range(count_callbacks(pacer), 97, 101);
	throttle_set_locked(fixture->server->hidden, true);
	assert_in_range(count_callbacks(pacer), 97, 101);
	throttle_set_locked(fixture->server->hidden, false);
	assert_in_range(count_callbacks(other), 1, 2);
	draw_with_barriers(pacer, 16);
	fixture_pump(fixture);
	pacing_run_until(fixture, pacer_now(pacer) + 17 * SECOND / 100);
	assert_int_equal(pacer_surface(pacer)->n_queued, 0);
	const struct throttle_rates battery = {.all = 1, .x = 1, .fifo = 30, .most = 20};
	throttle_set_rates(fixture->server->hidden, &battery);
	assert_in_range(count_callbacks(pacer), 19, 21);
	pacing_set_rates(fixture, 1, 1);
	rules->hidden_period = SECOND * 5 / 2;
	int before = pacer->n_done;
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_sleep(fixture, 3 * SECOND);
	assert_int_equal(pacer->n_done, before + 1);
	/* A slow rate does not slow barriers, which would freeze programs. */
	draw_with_barriers(pacer, 16);
	fixture_pump(fixture);
	pacing_run_until(fixture, pacer_now(pacer) + 17 * SECOND / 30);
	assert_int_equal(pacer_surface(pacer)->n_queued, 0);
	rules->hidden_period = -1;
	before = pacer->n_done;
	pacer_ask_callback(pacer);
	pacer_draw(pacer);
	fixture_sleep(fixture, 3 * SECOND);
	assert_int_equal(pacer->n_done, before);
	assert_false(clock_advance_to_next(fixture->clock));
	fixture_destroy(fixture);
	free(pacer);
	free(other);
}

/* Each surface waits for its own moment, whatever the others' rates. */
static void rates_of_windows_do_not_disturb_each_other(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *slow = pacer_create(fixture, 10, 10);
	struct pacer *fast = pacer_create(fixture, 100, 10);
	pacer_hide(slow);
	pacer_hide(fast);
	pacer_surface(fast)->rules.hidden_period = SECOND / 50;
	pacing_run_until(fixture, (pacer_now(slow) / SECOND + 1) * SECOND + 5 * MS);
	const int64_t began = pacer_now(slow);
	pacer_ask_callback(slow);
	pacer_draw(slow);
	int asked = -1;
	while (slow->n_done == 0 && pacer_now(slow) < began + 2 * SECOND) {
		if (asked != fast->n_done) {
			asked = fast->n_done;
			pacer_ask_callback(fast);
			pacer_draw(fast);
		}
		fixture_pump(fixture);
		pacing_step(fixture, 2 * MS);
	}
	assert_in_range(slow->last_done % SECOND, 0, 2 * MS);
	assert_in_range(fast->n_done, 48, 51);
	fixture_destroy(fixture);
	free(slow);
	free(fast);
}

/* A wake-up for a fast surface leaves that of a slower one due. */
static void slow_window_wakes_without_the_fast_one(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *slow = pacer_create(fixture, 10, 10);
	struct pacer *fast = pacer_create(fixture, 100, 10);
	pacer_hide(slow);
	pacer_hide(fast);
	pacer_surface(fast)->rules.hidden_period = SECOND / 100;
	pacing_run_until(fixture, (pacer_now(slow) / SECOND + 1) * SECOND + 5 * MS);
	pacer_ask_callback(slow);
	pacer_draw(slow);
	draw_with_barriers(slow, 2);
	pacer_ask_callback(fast);
	pacer_draw(fast);
	draw_with_barriers(fast, 2);
	fixture_pump(fixture);
	pacing_run_until(fixture, pacer_now(slow) + 25 * MS);
	assert_int_equal(fast->n_done, 1);
	assert_int_equal(pacer_surface(fast)->n_queued, 0);
	assert_int_equal(pacer_surface(slow)->n_queued, 1);
	assert_int_equal(slow->n_done, 0);
	fixture_sleep(fixture, SECOND / 10);
	assert_int_equal(pacer_surface(slow)->n_queued, 0);
	fixture_sleep(fixture, SECOND);
	assert_int_equal(slow->n_done, 1);
	pacer_ask_callback(slow);
	pacer_draw(slow);
	pacer_ask_callback(fast);
	pacer_draw(fast);
	fixture_pump(fixture);
	pacing_run_until(fixture, pacer_now(slow) + 25 * MS);
	assert_int_equal(fast->n_done, 2);
	fixture_sleep(fixture, SECOND);
	assert_int_equal(slow->n_done, 2);
	fixture_destroy(fixture);
	free(slow);
	free(fast);
}

static void surface_without_content_is_not_paced(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct wl_surface *shown = pacer->surface;
	pacer->surface = wl_compositor_create_surface(pacer->peer->compositor);
	struct wl_subsurface *subsurface =
		wl_subcompositor_get_subsurface(pacer->peer->subcompositor, pacer->surface, shown);
	wl_subsurface_set_desync(subsurface);
	wl_surface_commit(shown);
	fixture_settle(fixture);
	pacing_run_until(fixture, (pacer_now(pacer) / SECOND + 1) * SECOND + 5 * MS);
	pacer_ask_callback(pacer);
	wl_surface_commit(pacer->surface);
	/* A list is built anew while it waits. */
	fixture_pump(fixture);
	peer_window_place(pacer->window, 30, 30);
	fixture_sleep(fixture, SECOND / 2);
	assert_int_equal(pacer->n_done, 0);
	fixture_sleep(fixture, SECOND / 2);
	assert_int_equal(pacer->n_done, 1);
	fixture_destroy(fixture);
	free(pacer);
}

/* Adds an opaque subsurface that covers the window of 40x40. */
static struct wl_subsurface *cover_by_subsurface(struct pacer *pacer)
{
	struct peer *peer = pacer->peer;
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	struct wl_subsurface *subsurface =
		wl_subcompositor_get_subsurface(peer->subcompositor, surface, pacer->surface);
	wl_subsurface_set_desync(subsurface);
	peer_surface_show(surface, peer_buffer_create(peer, 40, 40, WL_SHM_FORMAT_XRGB8888));
	pacer_draw(pacer);
	fixture_settle(pacer->fixture);
	return subsurface;
}

/* labwc#2850: a player whose video covers its window waits for the window's callbacks. */
static void window_covered_by_its_own_surface_follows_the_output(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct pacer *pacer = pacer_create(fixture, 10, 10);
	struct wl_subsurface *video = cover_by_subsurface(pacer);
	assert_false(pacer_surface(pacer)->visible);
	assert_in_range(count_callbacks(pacer), 57, 61);
	/* Barriers, too. */
	draw_with_barriers(pacer, 16);
	fixture_pump(fixture);
	pacing_run_until(fixture, pacer_now(pacer) + 17 * PERIOD);
	assert_int_equal(pacer_surface(pacer)->n_queued, 0);
	/* The update of a covered surface is not presented, and causes no wake-up. */
	const int presented = pacer->n_presented;
	pacer_ask_feedback(pacer);
	wp_fifo_v1_set_barrier(pacer->fifo);
	pacer_draw(pacer);
	fixture_sleep(fixture, SECOND);
	assert_int_equal(pacer->n_presented, presented);
	fixture_settle(fixture);
	assert_false(clock_advance_to_next(fixture->clock));
	const int discarded = pacer->n_discarded;
	pacer_draw(pacer);
	fixture_pump(fixture);
	assert_int_equal(pacer->n_discarded, discarded + 1);
	/* All of the window covered: as any other one. */
	struct peer_window *cover = cover_all(pacer);
	assert_in_range(count_callbacks(pacer), 1, 2);
	peer_window_destroy(cover);
	fixture_settle(fixture);
	assert_in_range(count_callbacks(pacer), 57, 61);
	pacer_hide(pacer);
	fixture_settle(fixture);
	assert_in_range(count_callbacks(pacer), 1, 2);
	window_set_minimized(peer_window_find(pacer->window), false);
	fixture_settle(fixture);
	assert_in_range(count_callbacks(pacer), 57, 61);
	wl_subsurface_destroy(video);
	fixture_settle(fixture);
	assert_true(pacer_surface(pacer)->visible);
	assert_in_range(count_callbacks(pacer), 57, 61);
	fixture_destroy(fixture);
	free(pacer);
}

/* With a callback, a barrier, or both, which frames answer while it is covered. */
static void update_of_a_covered_surface_is_presented_once_it_is_seen(void **state)
{
	for (int i = 1; i < 4; i++) {
		struct fixture *fixture = fixture_create(NULL);
		struct pacer *pacer = pacer_create(fixture, 10, 10);
		struct wl_subsurface *video = cover_by_subsurface(pacer);
		fixture_settle(fixture);
		assert_false(pacer_surface(pacer)->visible);
		const int done = pacer->n_done;
		pacer_ask_feedback(pacer);
		if (i & 1) {
			pacer_ask_callback(pacer);
		}
		if (i & 2) {
			wp_fifo_v1_set_barrier(pacer->fifo);
		}
		pacer_draw(pacer);
		fixture_sleep(fixture, SECOND / 2);
		assert_int_equal(pacer->n_done, done + (i & 1));
		assert_false(pacer_surface(pacer)->barrier);
		assert_int_equal(pacer->n_presented, 0);
		wl_subsurface_destroy(video);
		fixture_settle(fixture);
		assert_true(pacer_surface(pacer)->visible);
		assert_int_equal(pacer->n_presented, 1);
		assert_int_equal(pacer->n_discarded, 0);
		fixture_destroy(fixture);
		free(pacer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(covered_x_window_keeps_its_rate),
		cmocka_unit_test(hidden_x_window_keeps_its_rate_while_any_screen_is_on),
		cmocka_unit_test(rule_sets_the_rate_of_a_window),
		cmocka_unit_test(rates_of_windows_do_not_disturb_each_other),
		cmocka_unit_test(slow_window_wakes_without_the_fast_one),
		cmocka_unit_test(surface_without_content_is_not_paced),
		cmocka_unit_test(window_covered_by_its_own_surface_follows_the_output),
		cmocka_unit_test(update_of_a_covered_surface_is_presented_once_it_is_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
