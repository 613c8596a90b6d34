/* SPDX-License-Identifier: MIT */
/* Input devices of the host's seats. */

#include "util/xalloc.h"
#include "wayland.h"
#include <stdlib.h>

struct input_device *wayland_device_create(
	struct wayland_seat *seat, enum input_type type, const char *what)
{
	struct input_device *device = xcalloc(1, sizeof(*device));
	char *name = xasprintf("%s of the host's %s", what, seat->label ? seat->label : "seat");
	input_device_init(device, type, name);
	free(name);
	return device;
}

void wayland_device_destroy(struct input_device **device)
{
	if (*device) {
		input_device_finish(*device);
		free(*device);
		*device = NULL;
	}
}
