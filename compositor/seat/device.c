/* SPDX-License-Identifier: MIT */
/* Devices of a seat: their pressed keys and buttons, and their absolute positions. */

#include "seat/internal.h"

bool seat_device_is_keyboard(const struct seat_device *device)
{
	return device->device->type == INPUT_KEYBOARD;
}

bool seat_device_set_down(struct seat_device *device, uint32_t code, bool down)
{
	if (code >= KEY_CNT) {
		return false;
	}
	uint32_t *word = &device->down[code / 32], bit = 1u << code % 32;
	if (!(*word & bit) == !down) {
		return false; /* a repeat by the device, or a release without a press */
	}
	*word ^= bit;
	struct seat_device *other;
	wl_list_for_each (other, &device->seat->devices, link) {
		if (other != device &&
			seat_device_is_keyboard(other) == seat_device_is_keyboard(device) &&
			!other->device->client && !device->device->client &&
			other->down[code / 32] & bit) {
			return false;
		}
	}
	return true;
}

static const struct scene_output *only_output(const struct scene *scene)
{
	const struct scene_output *only = NULL;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = scene->outputs[i];
		if (output && only) {
			return NULL;
		}
		only = output ? output : only;
	}
	return only;
}

struct coord_global seat_map_absolute(
	struct seat_device *device, const char *output, double x, double y)
{
	struct seat *seat = device->seat;
	const char *name = device->device->output ? device->device->output : output;
	const struct scene_output *target = name ? scene_output_find_name(seat->scene, name) : NULL;
	target = target ? target : only_output(seat->scene);
	if (target && !device->device->logical) {
		const struct output_mode *mode = &target->output->mode;
		return scene_output_to_global(
			target, (struct coord_output){x * mode->width, y * mode->height});
	}
	struct box box = target ? scene_output_box(target) : scene_layout_box(seat->scene);
	return (struct coord_global){box.x + x * box.width, box.y + y * box.height};
}
