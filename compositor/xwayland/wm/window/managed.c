/* SPDX-License-Identifier: MIT */
/* Managed X windows: windows of the shell. */

#include "focus.h"
#include "iconic.h"
#include "order.h"
#include "scale.h"
#include "shell/stack.h"
#include "size.h"
#include "surface/surface.h"
#include "surface/transaction.h"
#include "sync.h"
#include "util/account.h"
#include "window.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/xwm.h"
#include "xwayland/wm/hints/hints.h"
#include "xwayland/wm/hints/icon.h"
#include <xcb/xcb_icccm.h>

static bool has_size(
	const struct xwin *window, const struct surface_state *state, int32_t width, int32_t height)
{
	return (state->width == width && state->height == height) ||
	       (state->width == window->modes.width && state->height == window->modes.height);
}

static struct box geometry_of(const struct xwin *window)
{
	const struct surface_state *state = &window->surface->current;
	if (has_size(window, state, window->box.width, window->box.height)) {
		return (struct box){0, 0, window->logical_width, window->logical_height};
	}
	return (struct box){0, 0, xwin_size_from_window(window, state->width),
		xwin_size_from_window(window, state->height)};
}

/* Calls of the shell */

static uint32_t configure(struct window *shell_window, const struct window_configure *configure)
{
	struct xwin *window = shell_window->data;
	if (++window->configure.serial == 0) {
		window->configure.serial = 1;
	}
	/*
	 * A configure with the previous size only changes states: the client may have asked for
	 * another size since.
	 */
	if (configure->width != window->configure.width ||
		configure->height != window->configure.height) {
		window->configure.width = configure->width;
		window->configure.height = configure->height;
		/* Several sizes of the X window may have this logical one. */
		if (configure->width != window->logical_width ||
			configure->height != window->logical_height || !xwin_is_floating(window)) {
			xwin_mark(window, X_DIRTY_SIZE);
		}
	}
	xwin_mark(window, X_DIRTY_CONFIGURE | X_DIRTY_STATES);
	return window->configure.serial;
}

static bool has_sent_size(const struct xwin *window, const struct surface_state *state)
{
	return has_size(window, state, window->sent.width, window->sent.height);
}

/*
 * Returns the last configure that content answers. The size that was sent has been drawn if the
 * content has it. Another size after that is an earlier one, which Xwayland draws late: it answers
 * what was sent before.
 */
static uint32_t answered_by(const struct xwin *window, const struct surface_state *state)
{
	const uint32_t acked = window->configure.acked;
	if (has_sent_size(window, state)) {
		return window->sent.pending ? window->sent.serial : acked;
	}
	return acked > 1 && acked == window->sent.serial ? acked - 1 : acked;
}

static uint32_t get_acked(const struct window *shell_window, const struct update *update)
{
	return answered_by(shell_window->data, &update->state);
}

static void close_window(struct window *shell_window)
{
	xwin_mark(shell_window->data, X_DIRTY_CLOSE);
}

/*
 * Menus of X programs end by clicks elsewhere (menu.c): other windows of their program may close.
 */
static void dismiss_popups(struct window *shell_window)
{
}

static void moved(struct window *shell_window)
{
	xwin_mark(shell_window->data, X_DIRTY_POSITION);
}

static void constrain(const struct window *shell_window, int32_t *width, int32_t *height)
{
	const struct xwin *window = shell_window->data;
	xwin_constrain(window, width, height);
}

static void get_chosen_size(const struct window *shell_window, int32_t *width, int32_t *height)
{
	const struct xwin *window = shell_window->data;
	if (window->box.width == window->own_width && window->box.height == window->own_height) {
		*width = window->logical_width;
		*height = window->logical_height;
	}
}

const struct window_impl xwin_window_impl = {
	.configure = configure,
	.close = close_window,
	.acked = get_acked,
	.dismiss_popups = dismiss_popups,
	.moved = moved,
	.constrain = constrain,
	.chosen_size = get_chosen_size,
};

static void handle_states(struct wl_listener *listener, void *data)
{
	struct xwin *window = wl_container_of(listener, window, window_states);
	window->iconic.by_client = window->iconic.by_client && window->window->minimized;
	xwin_mark(window, X_DIRTY_STATES);
}

/* Properties */

static enum window_type type_of(const struct xwin *window)
{
	switch (window->type) {
	case X_TYPE_NORMAL: return WINDOW_TYPE_ORDINARY;
	case X_TYPE_DOCK: return WINDOW_TYPE_DOCK;
	default: return WINDOW_TYPE_FLOATING;
	}
}

/* ICCCM 4.1.2.4: a demand for attention ends with the flag. */
static void apply_urgency(struct xwin *window)
{
	const bool was = window->was_urgent;
	window->was_urgent = window->urgent;
	if (window->urgent) {
		window_activate(window->window, xwin_may_focus(window, FOCUS_URGENT, false));
	} else if (was) {
		window_calm(window->window);
	}
}

bool xwin_is_framed(const struct xwin *window)
{
	const bool framed = window->type == X_TYPE_NORMAL || window->type == X_TYPE_DIALOG ||
			    window->type == X_TYPE_UTILITY;
	return framed && !window->undecorated;
}

/* Uses up the startup id. Returns whether the user started the program just now. */
static bool redeem_startup(struct xwin *window)
{
	const struct xwm_parts *parts = window->wm->parts;
	const bool valid =
		window->startup_id && parts->redeem_token(parts->data, window->startup_id);
	account_free_string(window->wm->account, window->startup_id);
	window->startup_id = NULL;
	return valid;
}

void xwin_managed_property(struct xwin *window, enum x_property property)
{
	switch (property) {
	case PROPERTY_TITLE_UTF8:
	case PROPERTY_TITLE:
		window_set_title(window->window, window->title ? window->title : "");
		break;
	case PROPERTY_CLASS:
		window_set_app_id(window->window, window->app_id ? window->app_id : "");
		break;
	case PROPERTY_PROTOCOLS:
		window_set_takes_focus(window->window, xwin_takes_focus(window));
		break;
	case PROPERTY_HINTS:
		window_set_takes_focus(window->window, xwin_takes_focus(window));
		apply_urgency(window);
		break;
	case PROPERTY_NORMAL_HINTS:
		xwin_limits_apply(window);
		xwin_mark(window, X_DIRTY_STATES);
		break;
	case PROPERTY_TRANSIENT_FOR: xwin_parent_apply(window); break;
	case PROPERTY_TYPE:
	case PROPERTY_MOTIF:
		window_set_type(window->window, type_of(window));
		window_set_decorated(window->window, xwin_is_framed(window));
		/* Between logical pixels, a window covers a part of its border. */
		scene_node_raise_to_top(&window->window->surface_tree->node);
		scene_node_raise_to_top(&window->window->popup_tree->node);
		xwin_mark(window, X_DIRTY_STATES);
		break;
	case PROPERTY_STRUT_PARTIAL:
	case PROPERTY_STRUT: xwin_strut_apply(window); break;
	case PROPERTY_MODES:
		if (window->window->states & WINDOW_FULLSCREEN) {
			xwin_mark(window, X_DIRTY_SIZE);
		}
		break;
	case PROPERTY_STARTUP_ID:
		if (window->startup_id && window->window->mapped) {
			const bool started = redeem_startup(window);
			window_activate(
				window->window, xwin_may_focus(window, FOCUS_STARTED, started));
		}
		break;
	case PROPERTY_SYNC_COUNTER:
	case PROPERTY_STATE:
	case PROPERTY_USER_TIME_WINDOW:
	case PROPERTY_USER_TIME:
	case PROPERTY_COUNT: break;
	}
}

/* Mapping */

static bool is_at_a_corner(const struct xwin *window, const struct frame_extents *frame)
{
	const struct xwm *wm = window->wm;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = wm->parts->scene->outputs[i];
		if (!output) {
			continue;
		}
		const struct box box = scene_output_box(output);
		if (xwm_size_hints_at_corner(&window->hints, frame,
			    window->box.x - xwm_to_root(wm, box.x),
			    window->box.y - xwm_to_root(wm, box.y))) {
			return true;
		}
	}
	return false;
}

static void place(struct xwin *window)
{
	const struct x_size_hints *hints = &window->hints;
	struct box box = window->box;
	const struct xwin_asked *asked = &window->asked;
	const bool exact = window->type == X_TYPE_DOCK || asked->position;
	if (!exact && !hints->user_position &&
		!(hints->program_position && (box.x != 0 || box.y != 0))) {
		return;
	}
	const struct frame_extents frame = xwin_frame(window);
	if (!exact && is_at_a_corner(window, &frame)) {
		return;
	}
	xwm_size_hints_place(
		asked->gravity ? asked->gravity : hints->gravity, &frame, &box.x, &box.y);
	window_place_at(
		window->window, xwm_from_root(window->wm, box.x), xwm_from_root(window->wm, box.y));
}

static void apply_initial_states(struct xwin *window)
{
	const bool asked = window->asked.inverted & X_STATE_HIDDEN;
	window->states = (window->states & ~window->asked.reset) ^ window->asked.inverted;
	window->asked.reset = window->asked.inverted = 0;
	if ((window->states & X_STATE_MAXIMIZED) == X_STATE_MAXIMIZED) {
		window_request_maximize(window->window, true);
	}
	if (window->states & X_STATE_FULLSCREEN) {
		window_request_fullscreen(window->window, true, NULL);
	}
	if (window->starts_iconic || asked) {
		xwin_iconify(window);
	}
	window_set_modal(window->window, window->states & X_STATE_MODAL);
}

/* Handles what was asked before the window had content. */
static void handle_early(struct xwin *window, uint32_t states)
{
	const struct xwin_asked asked = window->asked;
	window->asked = (struct xwin_asked){0};
	if ((states & X_STATE_MAXIMIZED) != X_STATE_MAXIMIZED) {
		xwin_maximize(window, true, states & X_STATE_MAXIMIZED);
	}
	if (window->urgent || (states & X_STATE_DEMANDS_ATTENTION)) {
		window_activate(window->window, xwin_may_focus(window, FOCUS_URGENT, false));
	}
	if (asked.activation) {
		xwin_activate(window, asked.source, asked.time);
	}
	if (asked.close) {
		window_close(window->window);
	}
}

/* Maps the window of the shell, which gets the focus if the program or its start wants it. */
static void map(struct xwin *window)
{
	struct window *to = window->window;
	const uint32_t states = window->states;
	window_set_on_top(to, to->on_top || (window->states & X_STATE_ABOVE));
	window_set_on_bottom(to, !to->on_top && (window->states & X_STATE_BELOW));
	window->states &= (uint32_t)(X_STATE_SKIP_TASKBAR | X_STATE_SKIP_PAGER);
	const bool started = redeem_startup(window);
	if (window->user_time.given) {
		xwin_set_time_requested(window, window->user_time.time);
	}
	window_set_takes_focus(to, xwin_may_focus(window, FOCUS_MAPPED, started));
	if (started) {
		window_activate(to, true);
	}
	window_map(to);
	window_set_takes_focus(to, xwin_takes_focus(window));
	xwin_strut_apply(window);
	handle_early(window, states);
}

static void create(struct xwin *window)
{
	struct xwm *wm = window->wm;
	window->window =
		window_create(wm->parts->shell, window->surface, &xwin_window_impl, window);
	window->window->x_pid = window->pid;
	signal_add(&window->window->events.states, &window->window_states, handle_states);
	window->configure.width = window->configure.height = 0;
	window->configure.acked = 0;
	window->sent.pending = false;
	window->pinged = window->iconic.by_client = window->was_urgent = false;
	window->half = (struct xwin_half){0};
	window->own_width = window->box.width;
	window->own_height = window->box.height;
	window->density = 1;
	for (int i = 0; i < PROPERTY_STATE; i++) {
		xwin_managed_property(window, (enum x_property)i);
	}
	xwin_density_update(window);
	xwin_limits_apply(window);
	window->logical_width = xwin_size_from_window(window, window->box.width);
	window->logical_height = xwin_size_from_window(window, window->box.height);
}

void xwin_managed_try_map(struct xwin *window)
{
	if (xwin_iconic_show(window)) {
		xwin_managed_applied(window);
		return;
	}
	if (window->window || window->tree || window->override_redirect || !window->map_requested ||
		window->reading.missing || window->sizing || !window->surface ||
		!surface_has_content(window->surface)) {
		return;
	}
	create(window);
	place(window);
	apply_initial_states(window);
	window_initial_commit(window->window);
	const struct box geometry = geometry_of(window);
	window_applied(window->window, &geometry, window->configure.acked);
	wl_list_insert(window->wm->stack.prev, &window->stack_link);
	window->wm->lists_dirty = true;
	xwm_order_changed(window->wm);
	surface_map(window->surface);
	map(window);
	xwin_parent_adopt(window);
	xwin_icon_changed(window);
	xwin_monitors_read(window);
	xwin_mark(window, X_DIRTY_CONFIGURE | X_DIRTY_POSITION | X_DIRTY_STATES);
}

void xwin_managed_applied(struct xwin *window)
{
	if (!window->window || window->iconic.stand_in) {
		xwin_managed_try_map(window);
		return;
	}
	if (!surface_has_content(window->surface)) {
		surface_unmap(window->surface);
		xwin_managed_destroy(window);
		return;
	}
	const struct box geometry = geometry_of(window);
	const uint32_t answered = answered_by(window, &window->surface->current);
	if (window->sent.pending && answered == window->sent.serial) {
		window->sent.pending = false;
		window->configure.acked = answered;
	}
	window_applied(window->window, &geometry, answered);
}

void xwin_managed_destroy(struct xwin *window)
{
	struct window *shell_window = window->window;
	if (!shell_window) {
		return;
	}
	wl_list_remove(&window->stack_link);
	wl_list_init(&window->stack_link);
	wl_list_remove(&window->window_states.link);
	wl_list_remove(&window->dirty_link);
	wl_list_init(&window->dirty_link);
	window->wm->lists_dirty = true;
	window_unmap(shell_window);
	window->window = NULL;
	xwin_icon_forget(window);
	window_destroy(shell_window);
	xwin_iconic_forget(window);
	wl_list_remove(&window->dirty_link);
	wl_list_init(&window->dirty_link);
	window->dirty = 0;
	xwm_flush_soon(window->wm);
}

/* Requests to the X server */

/* Returns the box that the X window should have now. */
static struct box wanted_box(struct xwin *window, uint32_t dirty)
{
	struct box box = {0, 0, window->box.width, window->box.height};
	window_next_position(window->window, &box.x, &box.y);
	if (dirty & X_DIRTY_SIZE) {
		xwin_choose_size(window, &box);
	}
	box.x = xwm_to_root(window->wm, box.x);
	box.y = xwm_to_root(window->wm, box.y);
	return box;
}

/* ICCCM 4.1.5: tells the client where it is although nothing has changed. */
static void send_synthetic(struct xwin *window)
{
	const xcb_configure_notify_event_t event = {
		.response_type = XCB_CONFIGURE_NOTIFY,
		.event = window->id,
		.window = window->id,
		.x = (int16_t)window->box.x,
		.y = (int16_t)window->box.y,
		.width = (uint16_t)window->box.width,
		.height = (uint16_t)window->box.height,
	};
	char bytes[32] = {0};
	__builtin_memcpy(bytes, &event, sizeof(event));
	xcb_send_event(window->wm->x, 0, window->id, XCB_EVENT_MASK_STRUCTURE_NOTIFY, bytes);
}

static void send_box(struct xwin *window, uint32_t dirty)
{
	const struct box box = wanted_box(window, dirty);
	if (box_equal(&box, &window->box)) {
		if (dirty & X_DIRTY_SYNTHETIC) {
			send_synthetic(window);
		}
		return;
	}
	const bool resizes = box.width != window->box.width || box.height != window->box.height;
	if (resizes && !window->iconic.unmapped) {
		xwin_sync_begin(window);
	}
	const uint32_t values[5] = {
		(uint32_t)box.x, (uint32_t)box.y, (uint32_t)box.width, (uint32_t)box.height, 0};
	xcb_configure_window(window->wm->x, window->id,
		XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH |
			XCB_CONFIG_WINDOW_HEIGHT | XCB_CONFIG_WINDOW_BORDER_WIDTH,
		values);
	window->box = box;
}

/* Acknowledges a configure for the client, once the surface has the size that was sent. */
static void acknowledge(struct xwin *window)
{
	const bool away = window->iconic.stand_in != NULL;
	window->sent.serial = window->configure.serial;
	window->sent.width = window->box.width;
	window->sent.height = window->box.height;
	window->sent.pending = away || !has_sent_size(window, &window->surface->current);
	if (!window->sent.pending) {
		const struct box geometry = geometry_of(window);
		window->configure.acked = window->sent.serial;
		window_applied(window->window, &geometry, window->configure.acked);
	}
}

static uint32_t current_states(const struct xwin *window)
{
	const struct window *from = window->window;
	uint32_t states = window->states;
	states |= from->states & WINDOW_FULLSCREEN ? X_STATE_FULLSCREEN : 0;
	states |= xwin_maximized(window);
	states |= from->states & WINDOW_ACTIVATED ? X_STATE_FOCUSED : 0;
	states |= from->on_top && window->type != X_TYPE_DOCK ? X_STATE_ABOVE : 0;
	states |= window_is_on_bottom(from) ? X_STATE_BELOW : 0;
	states |= from->minimized ? X_STATE_HIDDEN : 0;
	states |= window_is_modal(from) ? X_STATE_MODAL : 0;
	states |= from->urgent ? X_STATE_DEMANDS_ATTENTION : 0;
	return states;
}

static void send_frame(struct xwin *window)
{
	const struct frame_extents frame = xwin_frame(window);
	const struct frame_extents *sent = &window->told.frame;
	if (window->told.states && frame.left == sent->left && frame.right == sent->right &&
		frame.top == sent->top && frame.bottom == sent->bottom) {
		return;
	}
	window->told.frame = frame;
	xwin_frame_send(window, &frame);
}

static void send_states(struct xwin *window)
{
	const uint32_t states = current_states(window) | X_STATES_TOLD;
	const uint32_t wm_state =
		window->window->minimized ? XCB_ICCCM_WM_STATE_ICONIC : XCB_ICCCM_WM_STATE_NORMAL;
	send_frame(window);
	xwin_monitors_send(window);
	xwin_actions_send(window);
	if (states != window->told.states) {
		xwin_states_send(window, states);
		window->told.states = states;
	}
	if (wm_state != window->told.wm_state) {
		xwin_send_wm_state(window, wm_state);
		window->told.wm_state = wm_state;
	}
	xwin_iconic_send(window);
}

static void send_close(struct xwin *window)
{
	if (!(window->protocols & X_PROTOCOL_DELETE) || window->pinged) {
		xcb_kill_client(window->wm->x, window->id);
		return;
	}
	xwin_message_send(window, X_WM_DELETE_WINDOW, XCB_TIME_CURRENT_TIME);
	if (window->protocols & X_PROTOCOL_PING) {
		xwin_message_send(window, X__NET_WM_PING, XCB_TIME_CURRENT_TIME);
		window->pinged = true;
	}
}

/** State of sizes, which waits while the program draws one. */
#define SIZES (X_DIRTY_SIZE | X_DIRTY_CONFIGURE | X_DIRTY_SYNTHETIC)

void xwin_managed_send(struct xwin *window)
{
	uint32_t dirty = window->dirty;
	window->dirty = 0;
	if (dirty & X_DIRTY_COMMITS) {
		xwin_sync_send(window);
	}
	if (dirty & X_DIRTY_WITHDRAWN) {
		xwin_send_withdrawn(window);
	}
	if (!window->window) {
		return;
	}
	if (window->sync.waiting) {
		/* The program draws a size: the next one follows. */
		window->sync.deferred |= dirty & SIZES;
		dirty &= ~(uint32_t)SIZES;
	}
	if (dirty & X_DIRTY_STATES) {
		send_states(window);
	}
	if (dirty & (X_DIRTY_SIZE | X_DIRTY_POSITION | X_DIRTY_CONFIGURE | X_DIRTY_SYNTHETIC)) {
		send_box(window, dirty);
	}
	if (dirty & X_DIRTY_CLOSE) {
		send_close(window);
	}
	if (dirty & X_DIRTY_CONFIGURE) {
		acknowledge(window);
	}
}
