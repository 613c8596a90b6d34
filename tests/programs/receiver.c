/* SPDX-License-Identifier: MIT */
/*
 * receiver pipe|socket|memory SIZE: reads SIZE bytes of the clipboard's text, by data-control, and
 * writes them to standard output. The descriptor that the compositor writes to is shared: while it
 * is full, this program clears O_NONBLOCK, and expects that the compositor still answers. SIGALRM
 * ends the program otherwise.
 */

#include "wlr-data-control-unstable-v1-client-protocol.h"
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wayland-client.h>

#define TYPE "text/plain;charset=utf-8"
/** Time (s) for everything. */
#define LIMIT 40
/** Bytes of a read, less than the compositor's pieces. */
#define PIECE 8192

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "receiver: line %d: %s\n", __LINE__, #condition);          \
			exit(EXIT_FAILURE);                                                        \
		}                                                                                  \
	} while (0)

struct receiver {
	struct wl_display *display;
	struct wl_seat *seat;
	struct zwlr_data_control_manager_v1 *manager;
	struct zwlr_data_control_device_v1 *device;
	struct zwlr_data_control_offer_v1 *selection;
};

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct receiver *receiver = data;
	if (strcmp(interface, "wl_seat") == 0) {
		receiver->seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
	} else if (strcmp(interface, "zwlr_data_control_manager_v1") == 0) {
		receiver->manager = wl_registry_bind(
			registry, name, &zwlr_data_control_manager_v1_interface, 1);
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static void handle_data_offer(void *data, struct zwlr_data_control_device_v1 *device,
	struct zwlr_data_control_offer_v1 *offer)
{
}

static void handle_selection(void *data, struct zwlr_data_control_device_v1 *device,
	struct zwlr_data_control_offer_v1 *offer)
{
	struct receiver *receiver = data;
	receiver->selection = offer;
}

static void handle_finished(void *data, struct zwlr_data_control_device_v1 *device)
{
}

static const struct zwlr_data_control_device_v1_listener device_listener = {
	.data_offer = handle_data_offer,
	.selection = handle_selection,
	.finished = handle_finished,
};

static void pump(struct receiver *receiver)
{
	CHECK(wl_display_roundtrip(receiver->display) >= 0);
	usleep(1000);
}

static bool is_full(int fd)
{
	struct pollfd poller = {.fd = fd, .events = POLLOUT};
	return poll(&poller, 1, 0) == 0;
}

static void await_full(struct receiver *receiver, int fd)
{
	while (!is_full(fd)) {
		pump(receiver);
	}
}

/* Returns the number of bytes that were written to standard output. */
static size_t pass_on(int fd)
{
	static char data[PIECE];
	ssize_t n = read(fd, data, sizeof(data));
	CHECK(n > 0 && fwrite(data, (size_t)n, 1, stdout) == 1);
	return (size_t)n;
}

static void receive_stream(struct receiver *receiver, const int fds[2], size_t size)
{
	size_t done = 0;
	zwlr_data_control_offer_v1_receive(receiver->selection, TYPE, fds[1]);
	await_full(receiver, fds[1]);
	CHECK(fcntl(fds[1], F_SETFL, 0) == 0);
	while (is_full(fds[1])) {
		done += pass_on(fds[0]);
	}
	await_full(receiver, fds[1]);
	pump(receiver);
	pump(receiver);
	while (done < size) {
		done += pass_on(fds[0]);
	}
}

static void receive_file(struct receiver *receiver, size_t size)
{
	size_t done = 0;
	const int fd = memfd_create("receiver", MFD_CLOEXEC);
	CHECK(fd >= 0);
	zwlr_data_control_offer_v1_receive(receiver->selection, TYPE, fd);
	struct stat status = {0};
	while (status.st_size < (off_t)size) {
		pump(receiver);
		CHECK(fstat(fd, &status) == 0);
	}
	CHECK(lseek(fd, 0, SEEK_SET) == 0);
	while (done < size) {
		done += pass_on(fd);
	}
}

int main(int argc, char **argv)
{
	struct receiver receiver = {.display = wl_display_connect(NULL)};
	int fds[2];
	CHECK(argc == 3 && receiver.display);
	const size_t size = strtoul(argv[2], NULL, 10);
	alarm(LIMIT);
	wl_registry_add_listener(
		wl_display_get_registry(receiver.display), &registry_listener, &receiver);
	pump(&receiver);
	CHECK(receiver.manager && receiver.seat);
	receiver.device =
		zwlr_data_control_manager_v1_get_data_device(receiver.manager, receiver.seat);
	zwlr_data_control_device_v1_add_listener(receiver.device, &device_listener, &receiver);
	pump(&receiver);
	while (!receiver.selection) {
		CHECK(wl_display_dispatch(receiver.display) >= 0);
	}
	if (strcmp(argv[1], "memory") == 0) {
		receive_file(&receiver, size);
	} else if (strcmp(argv[1], "pipe") == 0) {
		CHECK(pipe2(fds, O_CLOEXEC) == 0);
		receive_stream(&receiver, fds, size);
	} else {
		CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
		receive_stream(&receiver, fds, size);
	}
	wl_display_disconnect(receiver.display);
	return EXIT_SUCCESS;
}
