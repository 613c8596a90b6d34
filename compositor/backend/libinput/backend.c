/* SPDX-License-Identifier: MIT */
/* The libinput backend: input devices of the session's seat. */

#include "backend/session.h"
#include "libinput.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct backend_impl backend_impl;

static struct libinput_backend *libinput_from_base(struct backend *backend)
{
	assert(backend->impl == &backend_impl);
	return wl_container_of(backend, (struct libinput_backend *)NULL, base);
}

static const struct libinput_interface interface = {
	.open_restricted = libinput_file_open,
	.close_restricted = libinput_file_close,
};

static void handle_log(struct libinput *context, enum libinput_log_priority priority,
	const char *format, va_list arguments)
{
	char line[512];
	vsnprintf(line, sizeof(line), format, arguments);
	line[strcspn(line, "\n")] = '\0';
	log_debug(LOG_BACKEND, "libinput: %s", line);
}

static void dispatch(struct libinput_backend *backend)
{
	if (libinput_dispatch(backend->context) < 0) {
		log_debug(LOG_BACKEND, "input: %s", strerror(errno));
	}
	struct libinput_event *event;
	while ((event = libinput_get_event(backend->context))) {
		libinput_handle_event(backend, event);
		libinput_event_destroy(event);
	}
	libinput_flush_frame(backend);
	struct libinput_input *input;
	wl_list_for_each (input, &backend->inputs, link) {
		input->fresh = false;
	}
}

static int handle_readable(int fd, uint32_t mask, void *data)
{
	dispatch(data);
	return 0;
}

/*
 * Devices are removed and added again with the session, which releases held keys and buttons.
 * Switches stay as they are.
 */
static void handle_active(struct wl_listener *listener, void *data)
{
	struct libinput_backend *backend = wl_container_of(listener, backend, active);
	if (!backend->session->active) {
		libinput_suspend(backend->context);
	} else if (libinput_resume(backend->context) < 0) {
		log_error("cannot open the input devices again: libinput_resume() failed");
	}
	dispatch(backend);
	if (backend->session->active) {
		libinput_inputs_resume(backend);
	}
}

static bool start(struct backend *base)
{
	struct libinput_backend *backend = libinput_from_base(base);
	/* Devices are announced before the events that tell their initial state. */
	backend->started = true;
	dispatch(backend);
	if (wl_list_empty(&backend->inputs)) {
		log_warn("no input devices found");
	}
	return true;
}

static void destroy(struct backend *base)
{
	struct libinput_backend *backend = libinput_from_base(base);
	struct libinput_input *input, *next;
	wl_list_remove(&backend->active.link);
	wl_list_for_each_safe (input, next, &backend->inputs, link) {
		libinput_input_destroy(backend, input);
	}
	event_source_remove(&backend->source);
	libinput_unref(backend->context);
	udev_unref(backend->udev);
	backend_finish(base);
	free(backend);
}

static const struct backend_impl backend_impl = {
	.name = "libinput",
	.start = start,
	.destroy = destroy,
};

static bool init(struct libinput_backend *backend)
{
	backend->udev = udev_new();
	backend->context =
		backend->udev ? libinput_udev_create_context(&interface, backend, backend->udev)
			      : NULL;
	if (!backend->context) {
		return false;
	}
	libinput_log_set_handler(backend->context, handle_log);
	libinput_log_set_priority(backend->context, LIBINPUT_LOG_PRIORITY_INFO);
	if (libinput_udev_assign_seat(backend->context, backend->session->name) < 0) {
		return false;
	}
	backend->source = wl_event_loop_add_fd(backend->loop, libinput_get_fd(backend->context),
		WL_EVENT_READABLE, handle_readable, backend);
	return backend->source;
}

struct backend *libinput_backend_create(
	struct wl_event_loop *loop, struct session *session, char **error)
{
	struct libinput_backend *backend = xcalloc(1, sizeof(*backend));
	backend_init(&backend->base, &backend_impl);
	backend->loop = loop;
	backend->session = session;
	wl_list_init(&backend->inputs);
	wl_list_init(&backend->files);
	wl_list_init(&backend->tools);
	signal_add(&session->events.active, &backend->active, handle_active);
	if (!init(backend)) {
		*error = xstrdup("cannot start libinput for the devices of the seat");
		destroy(&backend->base);
		return NULL;
	}
	return &backend->base;
}
