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
	struct wl_list files; /* libinput_file.link: open device nodes */
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
	struct libinput_backend *backend;
	/** Referenced; NULL: a switch whose device is closed while the session is inactive. */
	struct libinput_device *device;
	bool fresh; /* added in the events that are being dispatched */
	uint32_t switches; /* bits of enum input_switch_kind that are on */
	uint32_t kernel; /* in the kernel's opinion */
	int send_choice; /* of the settings: enum input_send_events, or 0 for the default */
	uint32_t send_events; /* enum libinput_config_send_events_mode */
	bool filtered; /* the roles of the device differ in send_events */
};

/** file.c: functions of struct libinput_interface. */
int libinput_file_open(const char *path, int flags, void *data);
void libinput_file_close(int fd, void *data);
/** Returns the descriptor of the device's node, or -1. */
int libinput_file_find(const struct libinput_backend *backend, struct libinput_device *device);

/** device.c */
void libinput_inputs_add(struct libinput_backend *backend, struct libinput_device *device);
void libinput_inputs_remove(struct libinput_backend *backend, struct libinput_device *device);
void libinput_input_destroy(struct libinput_backend *backend, struct libinput_input *input);
/** Call when the session is active again: updates switches, and removes lost ones. */
void libinput_inputs_resume(struct libinput_backend *backend);
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

/** role.c */
/** Applies the choices of the roles of the device. */
void libinput_roles_update(struct libinput_backend *backend, struct libinput_device *device);
/**
 * Returns true for the role that decides settings of the whole device other than send-events: the
 * first one that is not a keyboard.
 */
bool libinput_role_is_main(
	const struct libinput_backend *backend, const struct libinput_input *input);
/** Returns false for events of a disabled role. */
bool libinput_role_takes(const struct libinput_backend *backend, const struct input_device *device,
	struct libinput_event *event);

/** switch.c */
void libinput_handle_switch(struct input_device *device, struct libinput_event *event);
/** Keeps a switch without its device, if the session is inactive. Returns false if it is not. */
bool libinput_switch_park(struct libinput_backend *backend, struct libinput_input *input);
/** Returns the kept switch that the device is, or NULL. */
struct libinput_input *libinput_switch_adopt(
	struct libinput_backend *backend, struct libinput_device *device);
/** Notes the state of a new switch in the kernel. */
void libinput_switch_begin(struct libinput_backend *backend, struct libinput_input *input);
/** Emits the changes while the session was inactive. */
void libinput_switch_resume(struct libinput_backend *backend, struct libinput_input *input);

/** settings.c */
void libinput_input_configure(struct input_device *base, const struct input_settings *settings);

/** event.c: translates and emits a libinput event. */
void libinput_handle_event(struct libinput_backend *backend, struct libinput_event *event);
/** Ends the open event group. */
void libinput_flush_frame(struct libinput_backend *backend);
