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
	struct wl_list windows; /* window_private.transaction.link */
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
	hold->window->private->transaction.hold = NULL;
	free(hold);
}

static const struct blocker_impl hold_impl = {.destroy = destroy_hold};

static void stop_listening(struct window *window)
{
	if (window->private->transaction.listening) {
		wl_list_remove(&window->private->transaction.ready.link);
		window->private->transaction.listening = false;
	}
}

/* Marks the window as ready; the transaction ends at the end of the turn if it was the last. */
static void arrive(struct window *window)
{
	struct shell *shell = window->shell;
	struct transactions *transactions = shell->private->transactions;
	if (!window->private->transaction.waiting) {
		return;
	}
	window->private->transaction.waiting = false;
	stop_listening(window);
	if (--transactions->n_waiting == 0 && !transactions->open) {
		timer_arm_soon(&transactions->timer, clock_now(shell->clock));
	}
}

static bool is_answer(const struct window *window, uint32_t acked)
{
	return window->private->transaction.waiting && acked != 0 &&
	       (int32_t)(acked - window->private->transaction.serial) >= 0;
}

static void handle_ready(struct wl_listener *listener, void *data)
{
	struct window_private *private = wl_container_of(listener, private, transaction.ready);
	struct window *window = private->window;
	struct update *update = data;
	if (!is_answer(window, window->impl->acked(window, update))) {
		return;
	}
	if (!update->state.has_content) {
		arrive(window); /* the update unmaps the window: no need to hold it */
		return;
	}
	if (!update_is_ready(update)) {
		/* The content is uploaded or copied first; the update is then ready again. */
		window->private->transaction.drawn = true;
		return;
	}
	struct window_hold *hold = xcalloc(1, sizeof(*hold));
	hold->window = window;
	window->private->transaction.hold = hold;
	blocker_init(&hold->base, &hold_impl, update, 0);
	arrive(window);
}

void transaction_answered(struct window *window, uint32_t acked)
{
	struct window_private *own = window->private;
	if (is_answer(window, acked)) {
		arrive(window);
	} else if (own->transaction.late && acked != 0 &&
		   (int32_t)(acked - own->transaction.serial) >= 0 &&
		   clock_now(window->shell->clock) - own->transaction.asked <= TIME_LIMIT) {
		own->transaction.late = false;
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
	struct window_private *own = window->private;
	own->transaction.waiting = true;
	own->transaction.drawn = false;
	window->shell->private->transactions->n_waiting++;
	if (window->impl->acked && !own->transaction.listening) {
		own->transaction.listening = true;
		signal_add(&window->surface->events.ready, &own->transaction.ready, handle_ready);
	}
}

static bool is_seen(const struct window *window)
{
	return window->private->tile_visible && window->private->tiled->shown &&
	       !window->shell->locked;
}

void transaction_add(struct window *window)
{
	struct window_private *own = window->private;
	wl_list_remove(&own->transaction.link);
	wl_list_insert(&window->shell->private->transactions->windows, &own->transaction.link);
	own->transaction.left = false;
	if (window->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED)) {
		return;
	}
	struct box box = tile_inner_box(window, &own->tile, own->tile_border_width);
	own->want_width = box.width;
	own->want_height = box.height;
	bool differs = box.width != window->geometry.width || box.height != window->geometry.height;
	if (!own->configure_serial || !differs) {
		window_update(window);
		return;
	}
	if (own->sent.width == box.width && own->sent.height == box.height &&
		own->sent.states == window->states) {
		return; /* the client knows, and draws another size or has not answered yet */
	}
	window_configure(window);
	own->transaction.serial = own->configure_serial;
	own->transaction.asked = clock_now(window->shell->clock);
	if (own->answers && is_seen(window) && !own->transaction.late) {
		await_answer(window);
	}
}

/*
 * Moves a window to its tile: in an animation if it is drawn before or after, and keeps its size.
 */
static void move(struct window *window, const struct box *from)
{
	struct window_private *own = window->private;
	struct box box = tile_inner_box(window, &own->tile, own->tile_border_width);
	bool drawn = own->tile_shown || own->leaves;
	bool seen = own->tile_placed && (drawn || own->tile_visible);
	if (seen && box.width == from->width && box.height == from->height) {
		bool leaves = drawn && !own->tile_visible && !tiling_covers(window);
		window_glide(window, box.x, box.y, leaves);
	} else {
		window_set_position(window, box.x, box.y);
	}
	own->tile_placed = true;
}

/* Moves a window to its tile, and applies the update that was held. */
static void settle(struct window *window)
{
	struct window_private *own = window->private;
	const struct box from = window_box(window);
	wl_list_remove(&own->transaction.link);
	wl_list_init(&own->transaction.link);
	stop_listening(window);
	own->transaction.waiting = false;
	if (own->transaction.hold) {
		blocker_clear(&own->transaction.hold->base);
	}
	if (!own->tiled || own->transaction.left) {
		return;
	}
	if (!(window->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED))) {
		const bool appears = !own->tile_placed && !own->tile_shown;
		move(window, &from);
		if (appears && own->tile_visible) {
			window_fade_in(window);
		}
	}
	own->tile_shown = own->tile_visible;
	window_update_visibility(window);
	tile_border_update(window);
}

static void finish(struct shell *shell)
{
	struct transactions *transactions = shell->private->transactions;
	timer_disarm(&transactions->timer);
	transactions->n_waiting = 0;
	struct window_private *each;
	wl_list_for_each (each, &transactions->windows, transaction.link) {
		each->transaction.waiting = false; /* the first update may unmap any of them */
	}
	while (!wl_list_empty(&transactions->windows)) {
		each = wl_container_of(transactions->windows.next, each, transaction.link);
		settle(each->window);
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
	window->private->transaction.left = true;
}

void transaction_forget(struct window *window)
{
	struct window_private *own = window->private;
	arrive(window);
	own->transaction.late = false; /* a window that is mapped again starts anew */
	wl_list_remove(&own->transaction.link);
	wl_list_init(&own->transaction.link);
	if (own->transaction.hold) {
		blocker_clear(&own->transaction.hold->base);
	}
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct transactions *transactions = wl_container_of(timer, transactions, timer);
	struct window_private *each;
	wl_list_for_each (each, &transactions->windows, transaction.link) {
		each->transaction.late = each->transaction.late ||
					 (each->transaction.waiting && !each->transaction.drawn);
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
