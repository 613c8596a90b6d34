/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Headless backend: outputs without a screen. They have exact virtual vblanks, and keep the last
 * committed buffer for screenshots and tests. Tests and virtual-input protocols create the input
 * devices.
 */

#include "backend/backend.h"

struct backend *headless_backend_create(struct wl_event_loop *loop, struct clock *clock);
/**
 * Adds an output, before or after start(). Its preferred mode is width x height at `refresh` mHz.
 */
struct output *headless_add_output(
	struct backend *backend, int32_t width, int32_t height, int32_t refresh);
/** Removes and destroys the output, as if it were unplugged. */
void headless_remove_output(struct output *output);
/** Returns the buffer on the primary plane, without a lock; NULL before the first frame. */
struct buffer *headless_output_front(struct output *output);
struct input_device *headless_add_input(
	struct backend *backend, enum input_type type, const char *name);
void headless_remove_input(struct input_device *device);
