/* SPDX-License-Identifier: MIT */
/* Clients that transfer data. */

#include "harness/client/transfer.h"
#include "harness/hand.h"
#include "seat/seat.h"
#include "util/signal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* wl_data_offer, wl_data_device */

static void handle_offer(void *data, struct wl_data_offer *offer, const char *mime_type)
{
	note(data, "type %s; ", mime_type);
}

static void handle_source_actions(void *data, struct wl_data_offer *offer, uint32_t actions)
{
	note(data, "actions %u; ", actions);
}

static void handle_action(void *data, struct wl_data_offer *offer, uint32_t action)
{
	note(data, "action %u; ", action);
}

static const struct wl_data_offer_listener offer_listener = {
	.offer = handle_offer,
	.source_actions = handle_source_actions,
	.action = handle_action,
};

static void handle_data_offer(
	void *data, struct wl_data_device *device, struct wl_data_offer *offer)
{
	struct party *party = data;
	note(party, "offer; ");
	party->offer = offer;
	wl_data_offer_add_listener(offer, &offer_listener, party);
}

static void handle_enter(void *data, struct wl_data_device *device, uint32_t serial,
	struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y, struct wl_data_offer *offer)
{
	struct party *party = data;
	note(party, "enter %d %d%s; ", wl_fixed_to_int(x), wl_fixed_to_int(y),
		offer ? "" : " nothing");
	assert_ptr_equal(surface, party->window->surface);
	party->dragged = offer;
}

static void handle_leave(void *data, struct wl_data_device *device)
{
	note(data, "leave; ");
}

static void handle_motion(
	void *data, struct wl_data_device *device, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
	note(data, "motion %d %d; ", wl_fixed_to_int(x), wl_fixed_to_int(y));
}

static void handle_drop(void *data, struct wl_data_device *device)
{
	note(data, "drop; ");
}

static void handle_selection(void *data, struct wl_data_device *device, struct wl_data_offer *offer)
{
	struct party *party = data;
	note(party, offer ? "selection; " : "no selection; ");
	if (party->selection) {
		wl_data_offer_destroy(party->selection);
	}
	party->selection = offer;
}

const struct wl_data_device_listener device_listener = {
	.data_offer = handle_data_offer,
	.enter = handle_enter,
	.leave = handle_leave,
	.motion = handle_motion,
	.drop = handle_drop,
	.selection = handle_selection,
};

/* wl_data_source */

void answer(struct party *party, int fd)
{
	if (party->silent) {
		party->held_fd = fd;
		return;
	}
	assert_int_equal(write(fd, DATA, strlen(DATA)), strlen(DATA));
	close(fd);
}

static void handle_target(void *data, struct wl_data_source *source, const char *mime_type)
{
	note(data, "target %s; ", mime_type ? mime_type : "none");
}

static void handle_send(
	void *data, struct wl_data_source *source, const char *mime_type, int32_t fd)
{
	note(data, "send %s; ", mime_type);
	answer(data, fd);
}

static void handle_cancelled(void *data, struct wl_data_source *source)
{
	note(data, "cancelled; ");
}

static void handle_dropped(void *data, struct wl_data_source *source)
{
	note(data, "dropped; ");
}

static void handle_finished(void *data, struct wl_data_source *source)
{
	note(data, "finished; ");
}

static void handle_source_action(void *data, struct wl_data_source *source, uint32_t action)
{
	note(data, "source action %u; ", action);
}

static const struct wl_data_source_listener source_listener = {
	.target = handle_target,
	.send = handle_send,
	.cancelled = handle_cancelled,
	.dnd_drop_performed = handle_dropped,
	.dnd_finished = handle_finished,
	.action = handle_source_action,
};

/* Fixture */

static void join(struct test *test, struct party *party, int x, uint32_t version)
{
	party->notes.fixture = test->fixture;
	party->peer = peer_create(test->fixture);
	party->held_fd = -1;
	party->manager = peer_bind(party->peer, &wl_data_device_manager_interface, version);
	party->device = wl_data_device_manager_get_data_device(party->manager, party->peer->seat);
	wl_data_device_add_listener(party->device, &device_listener, party);
	party->window = peer_window_create(party->peer, x, 0, 100, 100, 0xff336699);
	forget(party);
}

void part(struct party *party)
{
	if (party->held_fd >= 0) {
		close(party->held_fd);
	}
	if (party->peer) {
		peer_destroy(party->peer);
	}
	*party = (struct party){.held_fd = -1};
}

static int setup_version(void **state, uint32_t version)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(&(struct fixture_options){.width = 400, .height = 300});
	struct backend *backend = test->fixture->server->backend;
	test->pointer = headless_add_input(backend, INPUT_POINTER, "pointer");
	test->keyboard = headless_add_input(backend, INPUT_KEYBOARD, "keyboard");
	test->touch = headless_add_input(backend, INPUT_TOUCH, "touch");
	join(test, &test->a, 0, version);
	join(test, &test->b, 200, version);
	*state = test;
	return 0;
}

int setup(void **state)
{
	return setup_version(state, 3);
}

int setup_old(void **state)
{
	return setup_version(state, 1);
}

int teardown(void **state)
{
	struct test *test = *state;
	part(&test->a);
	part(&test->b);
	fixture_destroy(test->fixture);
	free(test);
	return 0;
}

struct seat *seat_of(struct test *test)
{
	return test->fixture->server->seat;
}

void focus(struct test *test, struct party *party)
{
	struct surface *surface =
		party ? peer_surface_find(party->peer, party->window->surface) : NULL;
	keyboard_set_focus(seat_of(test), surface);
	fixture_pump(test->fixture);
}

void point(struct test *test, double x, double y)
{
	hand_point(test->fixture, test->pointer, x, y);
}

void press(struct test *test, bool pressed)
{
	hand_press(test->fixture, test->pointer, pressed);
}

void key(struct test *test, uint32_t code, bool pressed)
{
	hand_key(test->fixture, test->keyboard, code, pressed);
}

struct wl_data_source *make_source(struct party *party, uint32_t actions)
{
	struct wl_data_source *source = wl_data_device_manager_create_data_source(party->manager);
	wl_data_source_add_listener(source, &source_listener, party);
	wl_data_source_offer(source, TEXT);
	if (actions) {
		wl_data_source_set_actions(source, actions);
	}
	return source;
}

/* Reads until the writer closes; "" for an end without data. */
const char *read_all(struct test *test, int fd)
{
	static char text[256];
	size_t length = 0;
	fixture_pump(test->fixture);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	for (;;) {
		ssize_t n = read(fd, text + length, sizeof(text) - 1 - length);
		if (n < 0) {
			assert_int_equal(errno, EAGAIN);
			strcpy(text, "(still open)");
			length = strlen(text);
			break;
		}
		if (n == 0) {
			break;
		}
		length += (size_t)n;
	}
	text[length] = '\0';
	close(fd);
	return text;
}

const char *receive(struct test *test, struct wl_data_offer *offer, const char *mime_type)
{
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	wl_data_offer_receive(offer, mime_type, fds[1]);
	fixture_pump(test->fixture);
	close(fds[1]);
	return read_all(test, fds[0]);
}
