/* SPDX-License-Identifier: MIT */
/*
 * Resize transactions: all windows of a layout change size and position in one frame. The updates
 * of clients that have drawn the new size are held until all have, or until a time limit.
 */

#include "motion.h"
#include "shell/geometry/private.h"
#include "shell/geometry/tile.h"
#include "surface/surface.h"
#include "surface/transaction.h"
#include "tiling.h"
#include "util/xalloc.h"
#include "windows.h"
#include <stdlib.h>

/** Time limit for slow clients, ns. */
#define TIME_LIMIT INT64_C(200000000)

struct transactions {
	struct shell *shell;
	struct timer timer; /* time limit, or the end of the turn */
	struct wl_list windows; /* window.transaction.link */
	int n_waiting;
	bool active, open; /* `open`: windows are being added */
};

struct window_hold {
	struct blocker base;
	struct window *window;
};

static void destroy_hold(struct blocker *base)
{
	struct window_hold *hold = wl_container_of(base, hold, base);
	hold->window->transaction.hold = NULL;
	free(hold);
}

static const struct blocker_impl hold_impl = {.destroy = destroy_hold};

static void stop_listening(struct window *window)
{
	if (window->transaction.listening) {
		wl_list_remove(&window->transaction.ready.link);
		window->transaction.listening = false;
	}
}

/* Marks the window as ready; the transaction ends at the end of the turn if it was the last. */
static void arrive(struct window *window)
{
	struct shell *shell = window->shell;
	struct transactions *transactions = shell->private->transactions;
	if (!window->transaction.waiting) {
		return;
	}
	window->transaction.waiting = false;
	stop_listening(window);
	if (--transactions->n_waiting == 0 && !transactions->open) {
		timer_arm_soon(&transactions->timer, clock_now(shell->clock));
	}
}

static bool is_answer(const struct window *window, uint32_t acked)
{
	return window->transaction.waiting && acked != 0 &&
	       (int32_t)(acked - window->transaction.serial) >= 0;
}

static void handle_ready(struct wl_listener *listener, void *data)
{
	struct window *window = wl_container_of(listener, window, transaction.ready);
	struct update *update = data;
	if (!is_answer(window, window->impl->acked(window, update))) {
		return;
	}
	if (!update->state.has_content) {
		arrive(window); /* the update unmaps the window: no need to hold it */
		return;
	}
	struct window_hold *hold = xcalloc(1, sizeof(*hold));
	hold->window = window;
	window->transaction.hold = hold;
	blocker_init(&hold->base, &hold_impl, update, 0);
	arrive(window);
}

void transaction_answered(struct window *window, uint32_t acked)
{
	if (is_answer(window, acked)) {
		arrive(window);
	} else if (window->transaction.late && acked != 0 &&
		   (int32_t)(acked - window->transaction.serial) >= 0 &&
		   clock_now(window->shell->clock) - window->transaction.asked <= TIME_LIMIT) {
		window->transaction.late = false;
	}
}

bool transaction_is_active(const struct shell *shell)
{
	return shell->private->transactions->active;
}

void transaction_begin(struct shell *shell)
{
	struct transactions *transactions = shell->private->transactions;
	transactions->active = transactions->open = true;
}

static void await_answer(struct window *window)
{
	window->transaction.waiting = true;
	window->shell->private->transactions->n_waiting++;
	if (window->impl->acked && !window->transaction.listening) {
		window->transaction.listening = true;
		window->transaction.ready.notify = handle_ready;
		wl_signal_add(&window->surface->events.ready, &window->transaction.ready);
	}
}

static bool is_seen(const struct window *window)
{
	return window->tile_visible && window->tiled->shown && !window->shell->locked;
}

void transaction_add(struct window *window)
{
	wl_list_remove(&window->transaction.link);
	wl_list_insert(&window->shell->private->transactions->windows, &window->transaction.link);
	window->transaction.left = false;
	if (window->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED)) {
		return;
	}
	struct box box = tile_inner_box(window, &window->tile, window->tile_border_width);
	window->want_width = box.width;
	window->want_height = box.height;
	bool differs = box.width != window->geometry.width || box.height != window->geometry.height;
	if (!window->configure_serial || !differs) {
		window_update(window);
		return;
	}
	if (window->sent.width == box.width && window->sent.height == box.height &&
		window->sent.states == window->states) {
		return; /* the client knows, and draws another size or has not answered yet */
	}
	window_configure(window);
	window->transaction.serial = window->configure_serial;
	window->transaction.asked = clock_now(window->shell->clock);
	if (window->answers && is_seen(window) && !window->transaction.late) {
		await_answer(window);
	}
}

/*
 * Moves a window to its tile: in an animation if it is drawn before or after, and keeps its size.
 */
static void move(struct window *window, const struct box *from)
{
	struct box box = tile_inner_box(window, &window->tile, window->tile_border_width);
	bool drawn = window->tile_shown || window->leaves;
	bool seen = window->tile_placed && (drawn || window->tile_visible);
	if (seen && box.width == from->width && box.height == from->height) {
		bool leaves = drawn && !window->tile_visible && !tiling_covers(window);
		window_glide(window, box.x, box.y, leaves);
	} else {
		window_set_position(window, box.x, box.y);
	}
	window->tile_placed = true;
}

/* Moves a window to its tile, and applies the update that was held. */
static void settle(struct window *window)
{
	const struct box from = window_box(window);
	wl_list_remove(&window->transaction.link);
	wl_list_init(&window->transaction.link);
	stop_listening(window);
	window->transaction.waiting = false;
	if (window->transaction.hold) {
		blocker_clear(&window->transaction.hold->base);
	}
	if (!window->tiled || window->transaction.left) {
		return;
	}
	if (!(window->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED))) {
		const bool appears = !window->tile_placed && !window->tile_shown;
		move(window, &from);
		if (appears && window->tile_visible) {
			window_fade_in(window);
		}
	}
	window->tile_shown = window->tile_visible;
	window_update_visibility(window);
	tile_border_update(window);
}

static void finish(struct shell *shell)
{
	struct transactions *transactions = shell->private->transactions;
	timer_disarm(&transactions->timer);
	transactions->n_waiting = 0;
	struct window *each;
	wl_list_for_each (each, &transactions->windows, transaction.link) {
		each->transaction.waiting = false; /* the first update may unmap any of them */
	}
	while (!wl_list_empty(&transactions->windows)) {
		struct window *window =
			wl_container_of(transactions->windows.next, window, transaction.link);
		settle(window);
	}
	transactions->active = false;
	struct workspace *workspace;
	wl_list_for_each (workspace, &shell->workspaces, link) {
		tabs_update(workspace);
		if (workspace->arrange_due) {
			tiling_arrange(workspace);
		}
	}
}

void transaction_end(struct shell *shell)
{
	struct transactions *transactions = shell->private->transactions;
	transactions->open = false;
	if (transactions->n_waiting == 0) {
		finish(shell);
	} else {
		timer_arm(&transactions->timer, clock_now(shell->clock) + TIME_LIMIT);
	}
}

void transaction_leave(struct window *window)
{
	arrive(window);
	window->transaction.left = true;
}

void transaction_forget(struct window *window)
{
	arrive(window);
	window->transaction.late = false; /* a window that is mapped again starts anew */
	wl_list_remove(&window->transaction.link);
	wl_list_init(&window->transaction.link);
	if (window->transaction.hold) {
		blocker_clear(&window->transaction.hold->base);
	}
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct transactions *transactions = wl_container_of(timer, transactions, timer);
	struct window *window;
	wl_list_for_each (window, &transactions->windows, transaction.link) {
		window->transaction.late = window->transaction.late || window->transaction.waiting;
	}
	finish(transactions->shell);
}

void transactions_init(struct shell *shell)
{
	shell->private->transactions = xcalloc(1, sizeof(*shell->private->transactions));
	shell->private->transactions->shell = shell;
	wl_list_init(&shell->private->transactions->windows);
	timer_init(&shell->private->transactions->timer, shell->clock, handle_timer);
}

void transactions_finish(struct shell *shell)
{
	timer_finish(&shell->private->transactions->timer);
	free(shell->private->transactions);
}
