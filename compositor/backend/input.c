/* An input device, as far as all backends share it. */

#include "backend/input.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

/* `events` holds nothing but signals: they are made, and looked at in the end, as a list. */
static struct wl_signal *signals(struct input_device *device)
{
	return (struct wl_signal *)&device->events;
}

#define N_SIGNALS (sizeof(((struct input_device *)NULL)->events) / sizeof(struct wl_signal))

void input_device_init(struct input_device *device, enum input_type type, const char *name)
{
	*device = (struct input_device){.type = type, .name = xstrdup(name)};
	for (size_t i = 0; i < N_SIGNALS; i++) {
		wl_signal_init(&signals(device)[i]);
	}
}

void input_device_finish(struct input_device *device)
{
	signal_emit(&device->events.destroy, device);
	for (size_t i = 0; i < N_SIGNALS; i++) {
		assert(wl_list_empty(&signals(device)[i].listener_list));
	}
	free(device->name);
}
