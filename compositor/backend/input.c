/* An input device, as far as all backends share it. */

#include "backend/input.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

void input_device_init(struct input_device *device, enum input_type type, const char *name)
{
	*device = (struct input_device){.type = type, .name = xstrdup(name)};
	wl_signal_init(&device->events.key);
	wl_signal_init(&device->events.keymap);
	wl_signal_init(&device->events.modifiers);
	wl_signal_init(&device->events.motion);
	wl_signal_init(&device->events.motion_absolute);
	wl_signal_init(&device->events.button);
	wl_signal_init(&device->events.axis);
	wl_signal_init(&device->events.frame);
	wl_signal_init(&device->events.touch_down);
	wl_signal_init(&device->events.touch_motion);
	wl_signal_init(&device->events.touch_up);
	wl_signal_init(&device->events.touch_cancel);
	wl_signal_init(&device->events.touch_frame);
	wl_signal_init(&device->events.destroy);
}

void input_device_finish(struct input_device *device)
{
	signal_emit(&device->events.destroy, device);
	assert(wl_list_empty(&device->events.key.listener_list));
	assert(wl_list_empty(&device->events.keymap.listener_list));
	assert(wl_list_empty(&device->events.modifiers.listener_list));
	assert(wl_list_empty(&device->events.motion.listener_list));
	assert(wl_list_empty(&device->events.motion_absolute.listener_list));
	assert(wl_list_empty(&device->events.button.listener_list));
	assert(wl_list_empty(&device->events.axis.listener_list));
	assert(wl_list_empty(&device->events.frame.listener_list));
	assert(wl_list_empty(&device->events.touch_down.listener_list));
	assert(wl_list_empty(&device->events.touch_motion.listener_list));
	assert(wl_list_empty(&device->events.touch_up.listener_list));
	assert(wl_list_empty(&device->events.touch_cancel.listener_list));
	assert(wl_list_empty(&device->events.touch_frame.listener_list));
	assert(wl_list_empty(&device->events.destroy.listener_list));
	free(device->name);
}
