#pragma once

/** What the files of the libinput backend share. */

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
	/** A pointer whose group of events may not be over: those of one time are one. NULL: none. */
	struct input_device *unframed;
	int64_t unframed_time;
};

/** One role of a device: some are keyboard and pointer at once. */
struct libinput_input {
	struct input_device base;
	struct wl_list link; /* libinput_backend.inputs */
	struct libinput_device *device; /* referenced */
};

/** device.c */
void libinput_inputs_add(struct libinput_backend *backend, struct libinput_device *device);
void libinput_inputs_remove(struct libinput_backend *backend, struct libinput_device *device);
void libinput_input_destroy(struct libinput_backend *backend, struct libinput_input *input);
/** NULL: the device has no such role. */
struct input_device *libinput_input_find(
	struct libinput_backend *backend, struct libinput_device *device, enum input_type type);

/** tablet.c */
void libinput_handle_tool(struct libinput_backend *backend, struct input_device *device,
	struct libinput_event *event);
void libinput_handle_pad(struct input_device *device, struct libinput_event *event);
/** The tablet goes: tools that are its own go with it, and all if it is the last. */
void libinput_tools_forget(struct libinput_backend *backend, const struct libinput_device *tablet);
/** What a pad has; freed by the caller. */
struct input_pad *libinput_pad_create(struct libinput_device *device);

/** settings.c */
void libinput_input_configure(struct input_device *base, const struct input_settings *settings);

/** event.c: what a device did, in our words. */
void libinput_handle_event(struct libinput_backend *backend, struct libinput_event *event);
/** No event of the group is to come any more. */
void libinput_flush_frame(struct libinput_backend *backend);
