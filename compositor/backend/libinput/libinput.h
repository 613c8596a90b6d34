/* SPDX-License-Identifier: MIT */
#pragma once

/** Types and functions shared by the files of the libinput backend. */

#include "backend/input_tablet.h"
#include "backend/libinput.h"
#include <libinput.h>
#include <libudev.h>

struct libinput_backend {
	struct backend base;
	struct wl_event_loop *loop;
	struct session *session;
	struct udev *udev;
	struct libinput *context;
	struct wl_event_source *source;
	struct wl_list inputs; /* libinput_input.link */
	struct wl_list tools; /* tablet.c */
	struct wl_listener active;
	bool started;
	/** The pointer with an open event group: events of one timestamp. NULL: none. */
	struct input_device *unframed;
	int64_t unframed_time;
};

/** One role of a device: a device can be keyboard and pointer at once. */
struct libinput_input {
	struct input_device base;
	struct wl_list link; /* libinput_backend.inputs */
	struct libinput_device *device; /* referenced */
};

/** device.c */
void libinput_inputs_add(struct libinput_backend *backend, struct libinput_device *device);
void libinput_inputs_remove(struct libinput_backend *backend, struct libinput_device *device);
void libinput_input_destroy(struct libinput_backend *backend, struct libinput_input *input);
/** Returns NULL if the device lacks the role. */
struct input_device *libinput_input_find(
	struct libinput_backend *backend, struct libinput_device *device, enum input_type type);

/** tablet.c */
void libinput_handle_tool(struct libinput_backend *backend, struct input_device *device,
	struct libinput_event *event);
void libinput_handle_pad(struct input_device *device, struct libinput_event *event);
/** Forgets the tools that exist only on `tablet`, and all tools with the last tablet. */
void libinput_tools_forget(struct libinput_backend *backend, const struct libinput_device *tablet);
/** Describes the pad; the caller frees the result. */
struct input_pad *libinput_pad_create(struct libinput_device *device);

/** settings.c */
void libinput_input_configure(struct input_device *base, const struct input_settings *settings);

/** event.c: translates and emits a libinput event. */
void libinput_handle_event(struct libinput_backend *backend, struct libinput_event *event);
/** Ends the open event group. */
void libinput_flush_frame(struct libinput_backend *backend);
