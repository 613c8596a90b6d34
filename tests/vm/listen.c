/* SPDX-License-Identifier: MIT */
/*
 * Client with a fullscreen window that prints each event in a line, such as "wl_pointer.motion 1234
 * 10 20". Objects and arrays are omitted. `listen lock` locks the session instead,
 * and unlocks it at the end of standard input.
 */

#include "ext-session-lock-v1-client-protocol.h"
#include "pointer-gestures-unstable-v1-client-protocol.h"
#include "tablet-v2-client-protocol.h"
#include "xdg-shell-client-protocol.h"
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

#define OUTPUTS_MAX 4

struct listener {
	struct wl_display *display;
	struct wl_compositor *compositor;
	struct wl_shm *shm;
	struct wl_seat *seat;
	struct xdg_wm_base *wm_base;
	struct zwp_pointer_gestures_v1 *gestures;
	struct zwp_tablet_manager_v2 *tablets;
	struct ext_session_lock_manager_v1 *lock_manager;
	struct ext_session_lock_v1 *lock; /* NULL: a window */
	struct wl_output *outputs[OUTPUTS_MAX];
	int n_outputs;
	uint32_t capabilities;
	struct wl_surface *window;
	int32_t width, height; /* size of the last configure event */
};

static void listen(struct listener *self, void *proxy);

static void show(struct listener *self, struct wl_surface *surface, int32_t width, int32_t height)
{
	int fd = memfd_create("listen", MFD_CLOEXEC);
	size_t size = (size_t)width * (size_t)height * 4;
	if (fd < 0 || ftruncate(fd, (off_t)size) < 0) {
		exit(1);
	}
	uint32_t *pixels = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pixels == MAP_FAILED) {
		exit(1);
	}
	for (size_t i = 0; i < size / 4; i++) {
		pixels[i] = self->lock ? 0xff0000ff : 0xff00ff00;
	}
	munmap(pixels, size);
	struct wl_shm_pool *pool = wl_shm_create_pool(self->shm, fd, (int32_t)size);
	struct wl_buffer *buffer = wl_shm_pool_create_buffer(
		pool, 0, width, height, width * 4, WL_SHM_FORMAT_XRGB8888);
	wl_shm_pool_destroy(pool);
	close(fd);
	wl_surface_attach(surface, buffer, 0, 0);
	wl_surface_damage_buffer(surface, 0, 0, width, height);
	wl_surface_commit(surface);
}

static void take_capabilities(struct listener *self, uint32_t capabilities)
{
	uint32_t fresh = capabilities & ~self->capabilities;
	self->capabilities |= capabilities;
	if (fresh & WL_SEAT_CAPABILITY_POINTER) {
		struct wl_pointer *pointer = wl_seat_get_pointer(self->seat);
		listen(self, pointer);
		listen(self, zwp_pointer_gestures_v1_get_swipe_gesture(self->gestures, pointer));
		listen(self, zwp_pointer_gestures_v1_get_pinch_gesture(self->gestures, pointer));
		listen(self, zwp_pointer_gestures_v1_get_hold_gesture(self->gestures, pointer));
	}
	if (fresh & WL_SEAT_CAPABILITY_KEYBOARD) {
		listen(self, wl_seat_get_keyboard(self->seat));
	}
	if (fresh & WL_SEAT_CAPABILITY_TOUCH) {
		listen(self, wl_seat_get_touch(self->seat));
	}
}

static void lock_output(struct listener *self, struct wl_output *output)
{
	struct wl_surface *surface = wl_compositor_create_surface(self->compositor);
	struct ext_session_lock_surface_v1 *role =
		ext_session_lock_v1_get_lock_surface(self->lock, surface, output);
	listen(self, role);
	ext_session_lock_surface_v1_set_user_data(role, surface);
}

static void take_global(
	struct listener *self, struct wl_registry *registry, uint32_t name, const char *interface)
{
	const struct {
		const struct wl_interface *interface;
		uint32_t version;
		void **proxy;
	} wanted[] = {
		{&wl_compositor_interface, 4, (void **)&self->compositor},
		{&wl_shm_interface, 1, (void **)&self->shm},
		{&wl_seat_interface, 9, (void **)&self->seat},
		{&xdg_wm_base_interface, 5, (void **)&self->wm_base},
		{&zwp_pointer_gestures_v1_interface, 3, (void **)&self->gestures},
		{&zwp_tablet_manager_v2_interface, 2, (void **)&self->tablets},
		{&ext_session_lock_manager_v1_interface, 1, (void **)&self->lock_manager},
	};
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (strcmp(wanted[i].interface->name, interface) == 0) {
			*wanted[i].proxy = wl_registry_bind(
				registry, name, wanted[i].interface, wanted[i].version);
		}
	}
	if (strcmp(interface, wl_output_interface.name) == 0 && self->n_outputs < OUTPUTS_MAX) {
		struct wl_output *output =
			wl_registry_bind(registry, name, &wl_output_interface, 1);
		self->outputs[self->n_outputs++] = output;
		if (self->lock) {
			lock_output(self, output);
		}
	}
}

/* Answers events that need it: configure, ping, ... */
static void answer(struct listener *self, void *proxy, const char *event, union wl_argument *args)
{
	if (strcmp(event, "wl_registry.global") == 0) {
		take_global(self, proxy, args[0].u, args[1].s);
	} else if (strcmp(event, "wl_seat.capabilities") == 0) {
		take_capabilities(self, args[0].u);
	} else if (strcmp(event, "wl_keyboard.keymap") == 0) {
		close(args[1].h);
	} else if (strcmp(event, "xdg_wm_base.ping") == 0) {
		xdg_wm_base_pong(proxy, args[0].u);
	} else if (strcmp(event, "xdg_surface.configure") == 0) {
		xdg_surface_ack_configure(proxy, args[0].u);
		show(self, self->window, self->width, self->height);
	} else if (strcmp(event, "xdg_toplevel.configure") == 0) {
		self->width = args[0].i;
		self->height = args[1].i;
	} else if (strcmp(event, "ext_session_lock_surface_v1.configure") == 0) {
		ext_session_lock_surface_v1_ack_configure(proxy, args[0].u);
		show(self, wl_proxy_get_user_data(proxy), (int32_t)args[1].u, (int32_t)args[2].u);
	}
}

static int dispatch(const void *data, void *proxy, uint32_t opcode,
	const struct wl_message *message, union wl_argument *args)
{
	struct listener *self = (struct listener *)data;
	char event[96];
	snprintf(event, sizeof(event), "%s.%s", wl_proxy_get_class(proxy), message->name);
	printf("%s", event);
	int n = 0;
	for (const char *type = message->signature; *type; type++) {
		switch (*type) {
		case 'i': printf(" %d", args[n++].i); break;
		case 'u': printf(" %u", args[n++].u); break;
		case 'f': printf(" %g", wl_fixed_to_double(args[n++].f)); break;
		case 's': printf(" %s", args[n++].s); break;
		case 'n': listen(self, args[n++].o); break;
		case 'o':
		case 'a':
		case 'h': n++; break;
		default: break; /* version or nullability marks */
		}
	}
	printf("\n");
	answer(self, proxy, event, args);
	return 0;
}

static void listen(struct listener *self, void *proxy)
{
	wl_proxy_add_dispatcher(proxy, dispatch, self, NULL);
}

static void open_window(struct listener *self)
{
	self->window = wl_compositor_create_surface(self->compositor);
	struct xdg_surface *surface = xdg_wm_base_get_xdg_surface(self->wm_base, self->window);
	struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(surface);
	listen(self, surface);
	listen(self, toplevel);
	xdg_toplevel_set_app_id(toplevel, "listen");
	xdg_toplevel_set_fullscreen(toplevel, NULL);
	wl_surface_commit(self->window);
}

static void lock_session(struct listener *self)
{
	self->lock = ext_session_lock_manager_v1_lock(self->lock_manager);
	listen(self, self->lock);
	for (int i = 0; i < self->n_outputs; i++) {
		lock_output(self, self->outputs[i]);
	}
}

/* Returns false when the connection or, for a lock, standard input has ended. */
static bool wait_for_events(struct listener *self)
{
	struct pollfd fds[] = {
		{.fd = wl_display_get_fd(self->display), .events = POLLIN},
		{.fd = self->lock ? STDIN_FILENO : -1, .events = POLLIN},
	};
	while (wl_display_prepare_read(self->display) != 0) {
		wl_display_dispatch_pending(self->display);
	}
	wl_display_flush(self->display);
	fflush(stdout);
	poll(fds, 2, -1);
	if (!fds[0].revents) {
		wl_display_cancel_read(self->display);
	} else if (wl_display_read_events(self->display) < 0) {
		return false;
	}
	wl_display_dispatch_pending(self->display);
	char byte;
	return !fds[1].revents || read(STDIN_FILENO, &byte, 1) > 0;
}

int main(int argc, char **argv)
{
	struct listener self = {.display = wl_display_connect(NULL)};
	if (!self.display) {
		fprintf(stderr, "listen: cannot connect to a compositor\n");
		return 1;
	}
	listen(&self, wl_display_get_registry(self.display));
	wl_display_roundtrip(self.display);
	if (!self.seat || !self.gestures || !self.tablets || !self.lock_manager) {
		fprintf(stderr, "listen: the compositor lacks a required global\n");
		return 1;
	}
	listen(&self, self.seat);
	listen(&self, self.wm_base);
	listen(&self, zwp_tablet_manager_v2_get_tablet_seat(self.tablets, self.seat));
	if (argc > 1 && strcmp(argv[1], "lock") == 0) {
		lock_session(&self);
	} else {
		open_window(&self);
	}
	while (wait_for_events(&self)) {
	}
	if (self.lock) {
		ext_session_lock_v1_unlock_and_destroy(self.lock);
		wl_display_roundtrip(self.display);
	}
	return 0;
}
