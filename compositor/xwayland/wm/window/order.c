/* SPDX-License-Identifier: MIT */
/* Stacking order of the X server, restacked from the scene's order. */

#include "order.h"
#include "scene/scene.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/pace.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/base/xwm.h"
#include <stdlib.h>

/** Requests that one turn sends at most: the socket must have room for them. */
#define MOVES_MAX 256

/* Children of the root window */

static struct x_child *find(struct xwm *wm, xcb_window_t id)
{
	if (id == wm->own) {
		return &wm->order.own;
	}
	if (id == wm->cover) {
		return &wm->order.cover;
	}
	struct xwin *window = xwin_find(wm, id);
	return window ? &window->child : NULL;
}

/*
 * Handles that a child is above another one, or at the bottom. Changes while requests are under way
 * may be theirs.
 */
static void put(struct xwm *wm, struct x_child *child, struct wl_list *below)
{
	if (child->link.prev == below || below == &child->link) {
		return;
	}
	wl_list_remove(&child->link);
	wl_list_insert(below, &child->link);
	if (!wm->order.waiting) {
		wm->order.dirty = wm->order.by_programs = true;
		xwm_flush_soon(wm);
	}
}

void xwm_order_added(struct xwm *wm, xcb_window_t id)
{
	struct x_child *child = find(wm, id);
	if (child) {
		child->id = id;
		wl_list_remove(&child->link);
		wl_list_insert(wm->order.children.prev, &child->link);
		xwm_order_changed(wm);
	}
}

void xwm_order_moved(struct xwm *wm, xcb_window_t id, xcb_window_t below)
{
	struct x_child *child = find(wm, id);
	struct x_child *sibling = below != XCB_WINDOW_NONE ? find(wm, below) : NULL;
	if (!child || wl_list_empty(&child->link) || child == sibling ||
		(below != XCB_WINDOW_NONE && (!sibling || wl_list_empty(&sibling->link)))) {
		return;
	}
	put(wm, child, sibling ? &sibling->link : &wm->order.children);
}

void xwm_order_circulated(struct xwm *wm, xcb_window_t id, bool to_top)
{
	struct x_child *child = find(wm, id);
	if (child && !wl_list_empty(&child->link)) {
		put(wm, child, to_top ? wm->order.children.prev : &wm->order.children);
	}
}

/* The scene's order */

struct places {
	struct xwin **windows; /* bottom first */
	int n;
};

static void add(struct places *places, struct xwin *window)
{
	if (!wl_list_empty(&window->child.link) && window->child.place == 0) {
		places->windows[places->n++] = window;
		window->child.place = (uint32_t)places->n;
	}
}

/* Returns the X window of a node of the scene, or NULL. */
static struct xwin *window_of(const struct xwm *wm, struct scene_node *node)
{
	if (!node->data && node->parent == wm->unmanaged) {
		return xwin_from_surface(wm, scene_tree_from_node(node)->content->surface);
	}
	return xwin_from_window(wm, window_from_data(node->data));
}

/* Adds windows that get input, or those that get none. */
static void add_tree(struct places *places, const struct xwm *wm, struct scene_tree *tree,
	bool visible, bool wanted)
{
	struct scene_node *node;
	wl_list_for_each (node, &tree->children, link) {
		if (node->type != SCENE_TREE) {
			continue;
		}
		struct scene_tree *below = scene_tree_from_node(node);
		struct xwin *window = window_of(wm, node);
		/* The icon of an X program's drag is on top for the X server, too. */
		const bool shown =
			visible && node->enabled && (!below->no_input || tree == wm->unmanaged);
		if (window && shown == wanted) {
			add(places, window);
		} else if (!window && !node->data) {
			add_tree(places, wm, below, shown, wanted);
		}
	}
}

/*
 * Lists windows without content, hidden ones and shown ones, so that those that are not seen get no
 * input. Override-redirect windows without content, such as those of grabs, stay where they are.
 */
static struct places list_places(struct xwm *wm)
{
	struct places places = {.windows = xcalloc((size_t)wm->n_windows + 1, sizeof(void *))};
	struct xwin *window;
	wl_list_for_each (window, &wm->windows, link) {
		window->child.place = 0;
		window->child.displaced = false;
	}
	wl_list_for_each (window, &wm->windows, link) {
		if (window->map_requested && !window->window && !window->override_redirect) {
			add(&places, window);
		}
	}
	add_tree(&places, wm, &wm->parts->scene->root, true, false);
	add_tree(&places, wm, &wm->parts->scene->root, true, true);
	return places;
}

/* The order among override-redirect windows is their clients': the scene follows it. */
static void follow_unmanaged(struct xwm *wm)
{
	struct scene_node *below = NULL;
	struct x_child *child;
	wl_list_for_each (child, &wm->order.children, link) {
		const bool own = child == &wm->order.own || child == &wm->order.cover;
		struct xwin *window = own ? NULL : wl_container_of(child, window, child);
		if (!window || !window->tree) {
			continue;
		}
		if (below) {
			scene_node_place_above(&window->tree->node, below);
		} else {
			scene_node_lower_to_bottom(&window->tree->node);
		}
		below = &window->tree->node;
	}
}

/* Updates the order of managed windows. */
static void update_stack(struct xwm *wm, const struct places *places)
{
	struct wl_list *at = &wm->stack;
	for (int i = 0; i < places->n; i++) {
		struct xwin *window = places->windows[i];
		if (wl_list_empty(&window->stack_link)) {
			continue;
		}
		if (window->stack_link.prev != at) {
			wl_list_remove(&window->stack_link);
			wl_list_insert(at, &window->stack_link);
			wm->lists_dirty = true;
		}
		at = &window->stack_link;
	}
}

/*
 * Puts the managed window below the pointer on top. Windows of other densities than that of the X
 * screen have other places there than in the scene, where others may cover them.
 */
static void raise_pointed(struct xwm *wm, struct places *places)
{
	const struct surface *focus = wm->parts->seat->pointer.focus;
	struct xwin *pointed = wm->has_rules && focus ? xwin_from_surface(wm, focus) : NULL;
	if (!pointed || !pointed->window || pointed->child.place == 0) {
		return;
	}
	for (int i = (int)pointed->child.place; i < places->n; i++) {
		places->windows[i - 1] = places->windows[i];
		places->windows[i - 1]->child.place = (uint32_t)i;
	}
	places->windows[places->n - 1] = pointed;
	pointed->child.place = (uint32_t)places->n;
}

/* Requests */

/* Returns the topmost window, from `at` downward, that has a place; NULL: none. */
static struct x_child *next_placed(const struct xwm *wm, struct wl_list *at)
{
	for (; at != &wm->order.children; at = at->prev) {
		struct x_child *child = wl_container_of(at, child, link);
		if (child->place > 0 && !child->displaced) {
			return child;
		}
	}
	return NULL;
}

static void move(struct xwm *wm, const struct x_child *child, xcb_window_t sibling, uint32_t mode)
{
	const uint32_t values[2] = {sibling, mode};
	xcb_configure_window(
		wm->x, child->id, XCB_CONFIG_WINDOW_SIBLING | XCB_CONFIG_WINDOW_STACK_MODE, values);
}

/*
 * Moves windows to their places, from the top downward, and returns how many. A window stays where
 * it is if it is next in both orders. A single window that lies above that one moves in its place.
 */
static int restack(struct xwm *wm, const struct places *places)
{
	int moves = 0;
	const struct x_child *above = NULL;
	struct x_child *at = next_placed(wm, wm->order.children.prev);
	const xcb_window_t top = at ? at->id : XCB_WINDOW_NONE;
	for (int i = places->n - 1; i >= 0 && moves < MOVES_MAX; i--) {
		struct x_child *child = &places->windows[i]->child;
		if (at && at != child && !child->displaced) {
			struct x_child *following = next_placed(wm, at->link.prev);
			if (following == child) {
				at->displaced = true;
				at = following;
			}
		}
		if (at == child) {
			at = next_placed(wm, at->link.prev);
		} else {
			child->displaced = true;
			move(wm, child, above ? above->id : top,
				above ? XCB_STACK_MODE_BELOW : XCB_STACK_MODE_ABOVE);
			moves++;
		}
		above = child;
	}
	return moves;
}

static bool is_in_order(const struct xwm *wm)
{
	const struct x_child *child;
	uint32_t below = 0;
	wl_list_for_each (child, &wm->order.children, link) {
		if (child->place > 0 && child->place < below) {
			return false;
		}
		below = child->place > 0 ? child->place : below;
	}
	return true;
}

static void handle_done(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	wm->order.waiting = false;
	wm->order.dirty = true;
}

void xwm_order_send(struct xwm *wm)
{
	struct x_order *order = &wm->order;
	if (!xwm_order_is_dirty(wm)) {
		return;
	}
	follow_unmanaged(wm);
	order->dirty = false;
	struct places places = list_places(wm);
	update_stack(wm, &places);
	raise_pointed(wm, &places);
	if (!is_in_order(wm) && (!order->by_programs || xwm_pace_allows(&order->pace,
								clock_now(wm->parts->clock)))) {
		order->by_programs = restack(wm, &places) < MOVES_MAX;
		order->waiting = true;
		/* The events of all requests come before this reply. */
		xwm_reply_expect(wm, xcb_get_input_focus(wm->x).sequence, handle_done, NULL, 0);
	}
	free(places.windows);
}

void xwm_order_update(struct xwm *wm)
{
	if (!wm->order.dirty) {
		return;
	}
	struct places places = list_places(wm);
	update_stack(wm, &places);
	free(places.windows);
}

bool xwm_order_is_dirty(const struct xwm *wm)
{
	return wm->order.dirty && !wm->order.waiting;
}

void xwm_order_changed(struct xwm *wm)
{
	wm->order.dirty = true;
	wm->order.by_programs = false;
	xwm_flush_soon(wm);
}

static void handle_pause(struct timer *timer, int64_t now)
{
	struct xwm *wm = wl_container_of(timer, wm, order.pace.pause);
	xwm_order_changed(wm);
}

static void handle_restacked(struct wl_listener *listener, void *data)
{
	struct xwm *wm = wl_container_of(listener, wm, order.restacked);
	xwm_order_changed(wm);
}

static void handle_pointed(struct wl_listener *listener, void *data)
{
	struct xwm *wm = wl_container_of(listener, wm, order.pointed);
	if (wm->has_rules) {
		xwm_order_changed(wm);
	}
}

void xwm_order_watch(struct xwm *wm)
{
	signal_add(&wm->parts->seat->pointer.events.focus, &wm->order.pointed, handle_pointed);
	signal_add(&wm->parts->scene->events.restacked, &wm->order.restacked, handle_restacked);
	xwm_order_changed(wm);
}

void xwm_order_init(struct xwm *wm)
{
	struct x_order *order = &wm->order;
	wl_list_init(&order->children);
	wl_list_init(&order->own.link);
	wl_list_init(&order->cover.link);
	wl_list_init(&order->restacked.link);
	wl_list_init(&order->pointed.link);
	timer_init(&order->pace.pause, wm->parts->clock, handle_pause);
}

void xwm_order_finish(struct xwm *wm)
{
	wl_list_remove(&wm->order.restacked.link);
	wl_list_init(&wm->order.restacked.link);
	wl_list_remove(&wm->order.pointed.link);
	wl_list_init(&wm->order.pointed.link);
	timer_finish(&wm->order.pace.pause);
}
