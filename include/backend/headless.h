#pragma once

/**
 * Outputs that nobody sees: they keep exact virtual vblanks on the clock and show the last buffer
 * committed to anyone who asks. Input devices are made by tests and virtual-input protocols.
 */

#include "backend/backend.h"

struct backend *headless_backend_create(struct wl_event_loop *loop, struct clock *clock);
/** Before or after start. The output's preferred mode is width x height at `refresh` mHz. */
struct output *headless_add_output(
	struct backend *backend, int32_t width, int32_t height, int32_t refresh);
/** Unplugs it. */
void headless_remove_output(struct output *output);
bool output_is_headless(const struct output *output);
/** What the primary plane shows now, not locked; NULL before the first frame. */
struct buffer *headless_output_front(struct output *output);
struct input_device *headless_add_input(
	struct backend *backend, enum input_type type, const char *name);
void headless_remove_input(struct input_device *device);
