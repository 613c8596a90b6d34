/* SPDX-License-Identifier: MIT */
/* Tablet tools: focus and events. */

#include "seat/tablet.h"
#include "seat/internal.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

/** Like a pointer's cursor role; role_data is the tool, until the surface is destroyed. */
const struct surface_role tool_cursor_role = {
	.name = "zwp_tablet_tool_v2-cursor", .no_input = true};

static const struct seat_tablet_sink_impl *sink_of(const struct seat_tool *tool)
{
	return tool->seat->tablets.sink;
}

static bool is_pressed(const struct seat_tool *tool)
{
	return tool->down || tool->n_buttons > 0;
}

static void set_focus(struct seat_tool *tool, struct surface *surface)
{
	wl_list_remove(&tool->focus_destroy.link);
	wl_list_remove(&tool->focus_unmap.link);
	wl_list_init(&tool->focus_destroy.link);
	wl_list_init(&tool->focus_unmap.link);
	tool->focus = surface;
	if (surface) {
		wl_signal_add(&surface->events.destroy, &tool->focus_destroy);
		wl_signal_add(&surface->events.unmap, &tool->focus_unmap);
	}
}

/* Leaves the focus: sends releases and proximity out to its client. */
static void leave(struct seat_tool *tool, int64_t time)
{
	const struct seat_tablet_sink_impl *sink = sink_of(tool);
	struct surface *surface = tool->focus;
	if (!surface) {
		return;
	}
	set_focus(tool, NULL);
	cursor_set_visible(&tool->cursor, false);
	pointer_show_cursor(tool->seat, true);
	for (int i = 0; i < tool->n_buttons; i++) {
		sink->tool_button(tool, surface, tool->buttons[i], false);
	}
	if (tool->down) {
		sink->tool_up(tool, surface);
	}
	sink->tool_out(tool, surface);
	sink->tool_frame(tool, surface, time);
}

static void handle_focus_gone(struct seat_tool *tool)
{
	leave(tool, clock_now(tool->seat->clock));
	tool->muted = is_pressed(tool);
}

static void handle_focus_destroy(struct wl_listener *listener, void *data)
{
	struct seat_tool *tool = wl_container_of(listener, tool, focus_destroy);
	handle_focus_gone(tool);
}

static void handle_focus_unmap(struct wl_listener *listener, void *data)
{
	struct seat_tool *tool = wl_container_of(listener, tool, focus_unmap);
	handle_focus_gone(tool);
}

static void enter(struct seat_tool *tool, struct surface *surface)
{
	if (!tool->focus || tool->focus->client != surface->client) {
		/* The previous client's cursor image does not apply to the new focus. */
		cursor_set_shape(&tool->cursor, "default");
	}
	leave(tool, clock_now(tool->seat->clock));
	set_focus(tool, surface);
	scene_to_surface(surface, tool->at, &tool->focus_at);
	cursor_move(&tool->cursor, tool->at);
	cursor_set_visible(&tool->cursor, true);
	pointer_show_cursor(tool->seat, false);
	sink_of(tool)->tool_in(tool, surface);
	sink_of(tool)->tool_motion(tool, surface, tool->focus_at);
}

/* During a pointer grab, the tool moves the pointer. */
static struct surface *find_focus(struct seat_tool *tool)
{
	if (!tool->tablet || !sink_of(tool) || tool->seat->pointer.grab) {
		return NULL;
	}
	struct scene_hit hit = scene_at(tool->seat->scene, tool->at);
	return hit.surface && sink_of(tool)->supports_tool(tool, hit.surface) ? hit.surface : NULL;
}

/*
 * Gives the focus to the surface under the tool, unless a button or the tip is down. Returns true
 * if it entered a surface.
 */
static bool refocus(struct seat_tool *tool)
{
	if (is_pressed(tool)) {
		return false;
	}
	struct surface *surface = find_focus(tool);
	if (surface == tool->focus) {
		return false;
	}
	if (surface) {
		enter(tool, surface);
	} else {
		leave(tool, clock_now(tool->seat->clock));
	}
	return surface;
}

void tablets_refocus(struct seat *seat)
{
	struct seat_tool *tool;
	wl_list_for_each (tool, &seat->tablets.tools, link) {
		if (tool->focus && refocus(tool)) {
			sink_of(tool)->tool_frame(tool, tool->focus, clock_now(seat->clock));
		}
	}
}

/* Moves the pointer with the tool, for surfaces without tablet support. */
static void move_pointer(struct seat_tool *tool, const struct input_tool_event *event)
{
	const struct input_motion_absolute_event motion = {
		.time = event->time, .x = event->x, .y = event->y};
	pointer_handle_motion_absolute(tool->device, &motion);
}

static void press_pointer(struct seat_tool *tool, int64_t time, uint32_t button, bool pressed)
{
	const struct input_button_event event = {time, button, pressed};
	pointer_handle_button(tool->device, &event);
}

/* Maps pen buttons to mouse buttons; the tip is the left one. */
static uint32_t pointer_button(uint32_t button)
{
	switch (button) {
	case BTN_STYLUS: return BTN_RIGHT;
	case BTN_STYLUS2: return BTN_MIDDLE;
	case BTN_STYLUS3: return BTN_SIDE;
	default: return button;
	}
}

/* A grab took the press: from here on, the tool moves the pointer. */
static void hand_over(struct seat_tool *tool, int64_t time)
{
	struct seat_pointer *pointer = &tool->seat->pointer;
	leave(tool, time);
	if (tool->down && pointer->n_buttons < SEAT_BUTTONS_MAX &&
		seat_device_set_down(tool->device, BTN_LEFT, true)) {
		pointer->buttons[pointer->n_buttons++] = BTN_LEFT;
	}
	cursor_move(&tool->seat->cursor, pointer->at);
}

bool tablets_claim_press(struct seat *seat, uint32_t serial, struct surface *surface)
{
	struct seat_tool *tool;
	wl_list_for_each (tool, &seat->tablets.tools, link) {
		if (tool->focus && tool->down && tool->press_serial == serial &&
			tool->focus->client == surface->client) {
			seat->pointer.at = tool->at;
			hand_over(tool, clock_now(seat->clock));
			return true;
		}
	}
	return false;
}

/* Announces a press to the shell, which may consume it. */
static bool announce_press(struct seat_tool *tool)
{
	struct seat *seat = tool->seat;
	struct coord_global before = seat->pointer.at;
	struct scene_hit hit = scene_at(seat->scene, tool->at);
	struct seat_press press = {
		.surface = hit.surface,
		.data = hit.data,
		.button = BTN_LEFT,
		.at = tool->at,
		.modifiers = seat_modifiers(seat),
	};
	seat->pointer.at = tool->at; /* start position of a grab */
	signal_emit(&seat->events.press, &press);
	if (press.consumed || seat->pointer.grab) {
		return true;
	}
	seat->pointer.at = before;
	return false;
}

static void touch_down(struct seat_tool *tool, const struct input_tool_event *event)
{
	if (tool->muted) {
		tool->down = true;
	} else if (!tool->focus) {
		tool->down = true;
		press_pointer(tool, event->time, BTN_LEFT, true);
	} else if (announce_press(tool)) {
		leave(tool, event->time);
		tool->down = true;
		hand_over(tool, event->time);
	} else {
		tool->down = true;
		if (tool->focus) {
			tool->press_serial = sink_of(tool)->tool_down(tool, tool->focus);
			seat_remember_serial(tool->seat, tool->press_serial);
		}
	}
}

static void touch_up(struct seat_tool *tool, const struct input_tool_event *event)
{
	if (!tool->down) {
		return;
	}
	tool->down = false;
	if (tool->focus) {
		sink_of(tool)->tool_up(tool, tool->focus);
	} else {
		press_pointer(tool, event->time, BTN_LEFT, false);
	}
}

static bool track_button(struct seat_tool *tool, uint32_t button, bool pressed)
{
	for (int i = 0; i < tool->n_buttons; i++) {
		if (tool->buttons[i] == button) {
			if (!pressed) {
				tool->buttons[i] = tool->buttons[--tool->n_buttons];
			}
			return !pressed;
		}
	}
	if (!pressed || tool->n_buttons == SEAT_TOOL_BUTTONS_MAX) {
		return false;
	}
	tool->buttons[tool->n_buttons++] = button;
	return true;
}

static void turn_button(struct seat_tool *tool, const struct input_tool_event *event)
{
	if (!track_button(tool, event->button, event->pressed) || (tool->muted && event->pressed)) {
		return;
	}
	if (!tool->focus) {
		press_pointer(tool, event->time, pointer_button(event->button), event->pressed);
		return;
	}
	uint32_t serial =
		sink_of(tool)->tool_button(tool, tool->focus, event->button, event->pressed);
	seat_remember_serial(tool->seat, serial);
	if (event->pressed) {
		tool->press_serial = serial;
	}
}

/* Refocuses once the tip and all buttons are up, and ends `muted`. */
static void refocus_if_released(struct seat_tool *tool, const struct input_tool_event *event)
{
	if (!is_pressed(tool)) {
		tool->muted = false;
		if (refocus(tool)) {
			sink_of(tool)->tool_frame(tool, tool->focus, event->time);
		}
	}
}

static void move(struct seat_tool *tool, const struct input_tool_event *event)
{
	tool->at = scene_seen_at(
		tool->seat->scene, seat_map_absolute(tool->device, NULL, event->x, event->y));
	bool entered = refocus(tool);
	if (tool->muted) {
		return;
	}
	if (!tool->focus) {
		move_pointer(tool, event);
		return;
	}
	struct coord_surface at = tool->focus_at;
	scene_to_surface(tool->focus, tool->at, &at);
	if (!entered && (at.x != tool->focus_at.x || at.y != tool->focus_at.y)) {
		sink_of(tool)->tool_motion(tool, tool->focus, at);
	}
	tool->focus_at = at;
	cursor_move(&tool->cursor, tool->at);
	if (event->changed) {
		sink_of(tool)->tool_axes(tool, tool->focus, event);
	}
}

static void go_out(struct seat_tool *tool, int64_t time)
{
	while (!tool->focus && tool->n_buttons > 0) {
		uint32_t button = tool->buttons[--tool->n_buttons];
		press_pointer(tool, time, pointer_button(button), false);
	}
	if (!tool->focus && tool->down) {
		press_pointer(tool, time, BTN_LEFT, false);
	}
	leave(tool, time);
	tool->down = false;
	tool->n_buttons = 0;
	tool->muted = false;
	tool->tablet = NULL;
	tool->device = NULL;
}

static void forget_tool(struct seat_tool *tool)
{
	struct seat *seat = tool->seat;
	if (tool->tablet) {
		go_out(tool, clock_now(seat->clock));
	}
	if (seat->tablets.sink) {
		seat->tablets.sink->tool_removed(tool);
	}
	assert(wl_list_empty(&tool->objects));
	wl_list_remove(&tool->tool_destroy.link);
	wl_list_remove(&tool->link);
	cursor_finish(&tool->cursor);
	free(tool);
}

static void handle_tool_destroy(struct wl_listener *listener, void *data)
{
	struct seat_tool *tool = wl_container_of(listener, tool, tool_destroy);
	forget_tool(tool);
}

static struct seat_tool *get_tool(struct seat *seat, struct input_tool *input)
{
	struct seat_tool *tool;
	wl_list_for_each (tool, &seat->tablets.tools, link) {
		if (tool->tool == input) {
			return tool;
		}
	}
	tool = xcalloc(1, sizeof(*tool));
	tool->seat = seat;
	tool->tool = input;
	wl_list_init(&tool->objects);
	wl_list_init(&tool->focus_destroy.link);
	wl_list_init(&tool->focus_unmap.link);
	tool->focus_destroy.notify = handle_focus_destroy;
	tool->focus_unmap.notify = handle_focus_unmap;
	signal_add(&input->events.destroy, &tool->tool_destroy, handle_tool_destroy);
	cursor_init(&tool->cursor, seat->scene, seat->clock);
	cursor_set_theme(&tool->cursor, seat->theme_name, seat->theme_size);
	wl_list_insert(seat->tablets.tools.prev, &tool->link);
	if (seat->tablets.sink) {
		seat->tablets.sink->tool_added(tool);
	}
	return tool;
}

static struct seat_tablet *find_tablet(struct seat *seat, const struct input_device *device)
{
	struct seat_tablet *tablet;
	wl_list_for_each (tablet, &seat->tablets.tablets, link) {
		if (tablet->device == device) {
			return tablet;
		}
	}
	return NULL;
}

/* Each event is sent as one frame, to the tool's focus or to the pointer's. */
void tablet_handle_tool(struct seat_device *device, const struct input_tool_event *event)
{
	struct seat *seat = device->seat;
	struct seat_tool *tool = get_tool(seat, event->tool);
	if (event->action == INPUT_TOOL_OUT) {
		if (tool->device == device) {
			go_out(tool, event->time);
			pointer_handle_frame(device);
		}
		return;
	}
	if (tool->device != device) {
		if (tool->device) {
			go_out(tool, event->time);
		}
		tool->device = device;
		tool->tablet = find_tablet(seat, device->device);
	}
	move(tool, event);
	switch (event->action) {
	case INPUT_TOOL_DOWN: touch_down(tool, event); break;
	case INPUT_TOOL_UP: touch_up(tool, event); break;
	case INPUT_TOOL_BUTTON: turn_button(tool, event); break;
	default: break;
	}
	if (tool->focus) {
		sink_of(tool)->tool_frame(tool, tool->focus, event->time);
	}
	pointer_handle_frame(device);
	refocus_if_released(tool, event);
}

void tablets_interrupt(struct seat *seat)
{
	struct seat_tool *tool;
	wl_list_for_each (tool, &seat->tablets.tools, link) {
		handle_focus_gone(tool);
	}
}

void tablet_add(struct seat_device *device)
{
	struct seat *seat = device->seat;
	struct seat_tablet *tablet = xcalloc(1, sizeof(*tablet));
	tablet->seat = seat;
	tablet->device = device->device;
	wl_list_init(&tablet->objects);
	wl_list_insert(seat->tablets.tablets.prev, &tablet->link);
	if (seat->tablets.sink) {
		seat->tablets.sink->tablet_added(tablet);
	}
	seat_update_pads(seat);
}

void tablet_remove(struct seat_device *device)
{
	struct seat *seat = device->seat;
	struct seat_tablet *tablet = find_tablet(seat, device->device);
	struct seat_tool *tool;
	if (!tablet) {
		return;
	}
	wl_list_for_each (tool, &seat->tablets.tools, link) {
		if (tool->device == device) {
			go_out(tool, clock_now(seat->clock));
		}
	}
	wl_list_remove(&tablet->link);
	pads_forget_tablet(seat, tablet);
	if (seat->tablets.sink) {
		seat->tablets.sink->tablet_removed(tablet);
	}
	assert(wl_list_empty(&tablet->objects));
	free(tablet);
	seat_update_pads(seat);
}

void tablets_init(struct seat *seat)
{
	wl_list_init(&seat->tablets.tablets);
	wl_list_init(&seat->tablets.tools);
	wl_list_init(&seat->tablets.pads);
	pads_init(seat);
}

void tablets_finish(struct seat *seat)
{
	struct seat_tool *tool, *next;
	wl_list_for_each_safe (tool, next, &seat->tablets.tools, link) {
		forget_tool(tool);
	}
	pads_finish(seat);
}

void seat_set_tablet_sink(
	struct seat *seat, const struct seat_tablet_sink_impl *sink, void *sink_data)
{
	struct seat_tablets *tablets = &seat->tablets;
	struct seat_tablet *tablet;
	struct seat_tool *tool;
	struct seat_pad *pad;
	if (!sink) {
		/* The old sink is gone: drop the focus without events. */
		wl_list_for_each (tool, &tablets->tools, link) {
			set_focus(tool, NULL);
			cursor_set_visible(&tool->cursor, false);
		}
		tablets->sink = NULL;
		pads_forget_sink(seat);
		return;
	}
	tablets->sink = sink;
	tablets->sink_data = sink_data;
	wl_list_for_each (tablet, &tablets->tablets, link) {
		sink->tablet_added(tablet);
	}
	wl_list_for_each (tool, &tablets->tools, link) {
		sink->tool_added(tool);
	}
	wl_list_for_each (pad, &tablets->pads, link) {
		sink->pad_added(pad);
	}
}
