/* SPDX-License-Identifier: MIT */
/* libinput tablets: tools and pads, translated to events of backend/input_tablet.h. */

#include "libinput.h"
#include "util/xalloc.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>

/** A tool; without a serial number it belongs to one tablet. */
struct libinput_tool {
	struct input_tool base;
	struct wl_list link; /* libinput_backend.tools */
	struct libinput_tablet_tool *tool; /* referenced */
	const struct libinput_device *tablet; /* NULL: usable on several tablets */
};

static int64_t ns(uint64_t us)
{
	return (int64_t)us * 1000;
}

/* Returns the evdev code, or 0 for a type without one. */
static uint32_t type_of(struct libinput_tablet_tool *tool)
{
	switch (libinput_tablet_tool_get_type(tool)) {
	case LIBINPUT_TABLET_TOOL_TYPE_PEN: return BTN_TOOL_PEN;
	case LIBINPUT_TABLET_TOOL_TYPE_ERASER: return BTN_TOOL_RUBBER;
	case LIBINPUT_TABLET_TOOL_TYPE_BRUSH: return BTN_TOOL_BRUSH;
	case LIBINPUT_TABLET_TOOL_TYPE_PENCIL: return BTN_TOOL_PENCIL;
	case LIBINPUT_TABLET_TOOL_TYPE_AIRBRUSH: return BTN_TOOL_AIRBRUSH;
	case LIBINPUT_TABLET_TOOL_TYPE_MOUSE: return BTN_TOOL_MOUSE;
	case LIBINPUT_TABLET_TOOL_TYPE_LENS: return BTN_TOOL_LENS;
	default: return 0;
	}
}

static uint32_t axes_of(struct libinput_tablet_tool *tool)
{
	return (libinput_tablet_tool_has_tilt(tool) ? INPUT_TILT : 0) |
	       (libinput_tablet_tool_has_pressure(tool) ? INPUT_PRESSURE : 0) |
	       (libinput_tablet_tool_has_distance(tool) ? INPUT_DISTANCE : 0) |
	       (libinput_tablet_tool_has_rotation(tool) ? INPUT_ROTATION : 0) |
	       (libinput_tablet_tool_has_slider(tool) ? INPUT_SLIDER : 0) |
	       (libinput_tablet_tool_has_wheel(tool) ? INPUT_WHEEL : 0);
}

static struct input_tool *get_tool(struct libinput_backend *backend,
	struct libinput_tablet_tool *tool, const struct libinput_device *tablet)
{
	struct libinput_tool *self = libinput_tablet_tool_get_user_data(tool);
	if (self) {
		return &self->base;
	}
	uint32_t type = type_of(tool);
	if (type == 0) {
		return NULL;
	}
	self = xcalloc(1, sizeof(*self));
	self->tool = libinput_tablet_tool_ref(tool);
	self->tablet = libinput_tablet_tool_is_unique(tool) ? NULL : tablet;
	self->base.type = type;
	self->base.serial = libinput_tablet_tool_get_serial(tool);
	self->base.hardware_id = libinput_tablet_tool_get_tool_id(tool);
	self->base.axes = axes_of(tool);
	wl_signal_init(&self->base.events.destroy);
	wl_list_insert(backend->tools.prev, &self->link);
	libinput_tablet_tool_set_user_data(tool, self);
	return &self->base;
}

static void destroy_tool(struct libinput_tool *self)
{
	signal_emit(&self->base.events.destroy, &self->base);
	libinput_tablet_tool_set_user_data(self->tool, NULL);
	libinput_tablet_tool_unref(self->tool);
	wl_list_remove(&self->link);
	free(self);
}

/* Tools that work on several tablets stay while a tablet is present. */
void libinput_tools_forget(struct libinput_backend *backend, const struct libinput_device *tablet)
{
	bool any = false;
	struct libinput_input *input;
	wl_list_for_each (input, &backend->inputs, link) {
		any = any || (input->base.type == INPUT_TABLET && input->device != tablet);
	}
	struct libinput_tool *tool, *next;
	wl_list_for_each_safe (tool, next, &backend->tools, link) {
		if (!any || tool->tablet == tablet) {
			destroy_tool(tool);
		}
	}
}

static uint32_t changes(struct libinput_event_tablet_tool *event)
{
	bool tilt = libinput_event_tablet_tool_tilt_x_has_changed(event) ||
		    libinput_event_tablet_tool_tilt_y_has_changed(event);
	return (tilt ? INPUT_TILT : 0) |
	       (libinput_event_tablet_tool_pressure_has_changed(event) ? INPUT_PRESSURE : 0) |
	       (libinput_event_tablet_tool_distance_has_changed(event) ? INPUT_DISTANCE : 0) |
	       (libinput_event_tablet_tool_rotation_has_changed(event) ? INPUT_ROTATION : 0) |
	       (libinput_event_tablet_tool_slider_has_changed(event) ? INPUT_SLIDER : 0) |
	       (libinput_event_tablet_tool_wheel_has_changed(event) ? INPUT_WHEEL : 0);
}

static enum input_tool_action action_of(struct libinput_event_tablet_tool *tool)
{
	switch (libinput_event_get_type(libinput_event_tablet_tool_get_base_event(tool))) {
	case LIBINPUT_EVENT_TABLET_TOOL_PROXIMITY:
		return libinput_event_tablet_tool_get_proximity_state(tool) ==
				       LIBINPUT_TABLET_TOOL_PROXIMITY_STATE_IN
			       ? INPUT_TOOL_IN
			       : INPUT_TOOL_OUT;
	case LIBINPUT_EVENT_TABLET_TOOL_TIP:
		return libinput_event_tablet_tool_get_tip_state(tool) ==
				       LIBINPUT_TABLET_TOOL_TIP_DOWN
			       ? INPUT_TOOL_DOWN
			       : INPUT_TOOL_UP;
	case LIBINPUT_EVENT_TABLET_TOOL_BUTTON: return INPUT_TOOL_BUTTON;
	default: return INPUT_TOOL_AXIS;
	}
}

void libinput_handle_tool(
	struct libinput_backend *backend, struct input_device *device, struct libinput_event *event)
{
	struct libinput_event_tablet_tool *tool = libinput_event_get_tablet_tool_event(event);
	struct input_tool_event out = {
		.time = ns(libinput_event_tablet_tool_get_time_usec(tool)),
		.tool = get_tool(backend, libinput_event_tablet_tool_get_tool(tool),
			libinput_event_get_device(event)),
		.action = action_of(tool),
		.x = libinput_event_tablet_tool_get_x_transformed(tool, 1),
		.y = libinput_event_tablet_tool_get_y_transformed(tool, 1),
		.changed = changes(tool),
		.tilt_x = libinput_event_tablet_tool_get_tilt_x(tool),
		.tilt_y = libinput_event_tablet_tool_get_tilt_y(tool),
		.pressure = libinput_event_tablet_tool_get_pressure(tool),
		.distance = libinput_event_tablet_tool_get_distance(tool),
		.rotation = libinput_event_tablet_tool_get_rotation(tool),
		.slider = libinput_event_tablet_tool_get_slider_position(tool),
		.wheel = libinput_event_tablet_tool_get_wheel_delta(tool),
		.wheel_clicks = libinput_event_tablet_tool_get_wheel_delta_discrete(tool),
	};
	if (!out.tool) {
		return;
	}
	if (out.action == INPUT_TOOL_BUTTON) {
		out.button = libinput_event_tablet_tool_get_button(tool);
		out.pressed = libinput_event_tablet_tool_get_button_state(tool) ==
			      LIBINPUT_BUTTON_STATE_PRESSED;
	}
	if (out.action == INPUT_TOOL_IN) {
		out.changed = out.tool->axes & ~(uint32_t)INPUT_WHEEL;
	}
	signal_emit(&device->events.tool, &out);
}

static uint32_t most(int n, uint32_t limit)
{
	return n < 0 ? 0 : (uint32_t)n > limit ? limit : (uint32_t)n;
}

static void read_group(const struct input_pad *pad, struct input_pad_group *group,
	struct libinput_tablet_pad_mode_group *source)
{
	group->n_modes = libinput_tablet_pad_mode_group_get_num_modes(source);
	group->mode = libinput_tablet_pad_mode_group_get_mode(source);
	for (uint32_t i = 0; i < pad->n_buttons; i++) {
		if (libinput_tablet_pad_mode_group_has_button(source, i)) {
			group->buttons |= UINT64_C(1) << i;
		}
	}
	for (uint32_t i = 0; i < pad->n_rings; i++) {
		group->rings |= libinput_tablet_pad_mode_group_has_ring(source, i) ? 1u << i : 0;
	}
	for (uint32_t i = 0; i < pad->n_strips; i++) {
		group->strips |= libinput_tablet_pad_mode_group_has_strip(source, i) ? 1u << i : 0;
	}
#if HAVE_LIBINPUT_DIAL
	for (uint32_t i = 0; i < pad->n_dials; i++) {
		group->dials |= libinput_tablet_pad_mode_group_has_dial(source, i) ? 1u << i : 0;
	}
#endif
}

struct input_pad *libinput_pad_create(struct libinput_device *device)
{
	struct input_pad *pad = xcalloc(1, sizeof(*pad));
	pad->n_buttons = most(libinput_device_tablet_pad_get_num_buttons(device), 64);
	pad->n_rings = most(libinput_device_tablet_pad_get_num_rings(device), 32);
	pad->n_strips = most(libinput_device_tablet_pad_get_num_strips(device), 32);
#if HAVE_LIBINPUT_DIAL
	pad->n_dials = most(libinput_device_tablet_pad_get_num_dials(device), 32);
#endif
	pad->n_groups = (int)most(
		libinput_device_tablet_pad_get_num_mode_groups(device), INPUT_PAD_GROUPS_MAX);
	for (int i = 0; i < pad->n_groups; i++) {
		read_group(pad, &pad->groups[i],
			libinput_device_tablet_pad_get_mode_group(device, (unsigned int)i));
	}
	return pad;
}

static void read_pad_event(struct libinput_event_tablet_pad *pad, struct input_pad_event *out)
{
	switch (libinput_event_get_type(libinput_event_tablet_pad_get_base_event(pad))) {
	case LIBINPUT_EVENT_TABLET_PAD_RING:
		out->part = INPUT_PAD_RING;
		out->number = libinput_event_tablet_pad_get_ring_number(pad);
		out->position = libinput_event_tablet_pad_get_ring_position(pad);
		out->finger = libinput_event_tablet_pad_get_ring_source(pad) ==
			      LIBINPUT_TABLET_PAD_RING_SOURCE_FINGER;
		break;
	case LIBINPUT_EVENT_TABLET_PAD_STRIP:
		out->part = INPUT_PAD_STRIP;
		out->number = libinput_event_tablet_pad_get_strip_number(pad);
		out->position = libinput_event_tablet_pad_get_strip_position(pad);
		out->finger = libinput_event_tablet_pad_get_strip_source(pad) ==
			      LIBINPUT_TABLET_PAD_STRIP_SOURCE_FINGER;
		break;
#if HAVE_LIBINPUT_DIAL
	case LIBINPUT_EVENT_TABLET_PAD_DIAL:
		out->part = INPUT_PAD_DIAL;
		out->number = libinput_event_tablet_pad_get_dial_number(pad);
		out->value120 = (int32_t)libinput_event_tablet_pad_get_dial_delta_v120(pad);
		break;
#endif
	default:
		out->part = INPUT_PAD_BUTTON;
		out->number = libinput_event_tablet_pad_get_button_number(pad);
		out->pressed = libinput_event_tablet_pad_get_button_state(pad) ==
			       LIBINPUT_BUTTON_STATE_PRESSED;
		break;
	}
}

void libinput_handle_pad(struct input_device *device, struct libinput_event *event)
{
	struct libinput_event_tablet_pad *pad = libinput_event_get_tablet_pad_event(event);
	struct libinput_tablet_pad_mode_group *group =
		libinput_event_tablet_pad_get_mode_group(pad);
	struct input_pad_event out = {
		.time = ns(libinput_event_tablet_pad_get_time_usec(pad)),
		.group = (int)libinput_tablet_pad_mode_group_get_index(group),
		.mode = libinput_event_tablet_pad_get_mode(pad),
	};
	read_pad_event(pad, &out);
	if (out.group < device->pad->n_groups) {
		signal_emit(&device->events.pad, &out);
	}
}
