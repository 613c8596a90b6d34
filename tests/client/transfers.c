/*
 * Copy, paste, drag and drop between clients, and what clipboard managers see of it: who is told
 * what, where the data goes, and what happens when somebody dies in the middle.
 */

#include "backend/headless.h"
#include "ext-data-control-v1-client-protocol.h"
#include "harness/peer.h"
#include "primary-selection-unstable-v1-client-protocol.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT "text/plain"
#define DATA "what is copied"

enum {
	COPY = WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY,
	MOVE = WL_DATA_DEVICE_MANAGER_DND_ACTION_MOVE,
	ASK = WL_DATA_DEVICE_MANAGER_DND_ACTION_ASK
};

/** A client with a window, a data device, and a note of what it hears: "offer text/plain; ". */
struct party {
	struct peer *peer;
	struct peer_window *window;
	struct wl_data_device_manager *manager;
	struct wl_data_device *device;
	struct wl_data_offer *offer; /* introduced last */
	struct wl_data_offer *selection, *dragged; /* as told last */
	struct zwp_primary_selection_device_v1 *primary;
	struct zwp_primary_selection_offer_v1 *primary_offer;
	struct ext_data_control_device_v1 *control;
	struct ext_data_control_offer_v1 *control_offer;
	char log[2048];
	bool silent; /* sources do not answer */
	int held_fd; /* that it was to write to, when silent */
};

struct test {
	struct fixture *fixture;
	struct input_device *pointer, *keyboard, *touch;
	struct party a, b;
};

__attribute__((format(printf, 2, 3))) static void note(struct party *party, const char *format, ...)
{
	size_t length = strlen(party->log);
	va_list args;
	va_start(args, format);
	vsnprintf(party->log + length, sizeof(party->log) - length, format, args);
	va_end(args);
}

#define heard(party, expected) heard_at(party, expected, __LINE__)

static void heard_at(struct party *party, const char *expected, int line)
{
	fixture_pump(party->peer->fixture);
	if (strcmp(party->log, expected) != 0) {
		print_error("expected \"%s\"\n   heard \"%s\"\n", expected, party->log);
		_fail(__FILE__, line);
	}
	party->log[0] = '\0';
}

static void forget(struct party *party)
{
	fixture_pump(party->peer->fixture);
	party->log[0] = '\0';
}

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

static const struct wl_data_device_listener device_listener = {
	.data_offer = handle_data_offer,
	.enter = handle_enter,
	.leave = handle_leave,
	.motion = handle_motion,
	.drop = handle_drop,
	.selection = handle_selection,
};

/* wl_data_source */

static void answer(struct party *party, int fd)
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
	party->peer = peer_create(test->fixture);
	party->held_fd = -1;
	party->manager = peer_bind(party->peer, &wl_data_device_manager_interface, version);
	party->device = wl_data_device_manager_get_data_device(party->manager, party->peer->seat);
	wl_data_device_add_listener(party->device, &device_listener, party);
	party->window = peer_window_create(party->peer, x, 0, 100, 100, 0xff336699);
	forget(party);
}

static void part(struct party *party)
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

static int setup(void **state)
{
	return setup_version(state, 3);
}

static int setup_old(void **state)
{
	return setup_version(state, 1);
}

static int teardown(void **state)
{
	struct test *test = *state;
	part(&test->a);
	part(&test->b);
	fixture_destroy(test->fixture);
	free(test);
	return 0;
}

static struct seat *seat_of(struct test *test)
{
	return test->fixture->server->seat;
}

static void focus(struct test *test, struct party *party)
{
	struct surface *surface =
		party ? peer_surface_find(party->peer, party->window->surface) : NULL;
	keyboard_set_focus(seat_of(test), surface);
	fixture_pump(test->fixture);
}

static void point(struct test *test, double x, double y)
{
	struct input_motion_absolute_event event = {.x = x / 400, .y = y / 300};
	wl_signal_emit_mutable(&test->pointer->events.motion_absolute, &event);
	wl_signal_emit_mutable(&test->pointer->events.frame, NULL);
	fixture_pump(test->fixture);
}

static void press(struct test *test, bool pressed)
{
	struct input_button_event event = {.button = BTN_LEFT, .pressed = pressed};
	wl_signal_emit_mutable(&test->pointer->events.button, &event);
	wl_signal_emit_mutable(&test->pointer->events.frame, NULL);
	fixture_pump(test->fixture);
}

static void key(struct test *test, uint32_t code, bool pressed)
{
	struct input_key_event event = {.key = code, .pressed = pressed};
	wl_signal_emit_mutable(&test->keyboard->events.key, &event);
	fixture_pump(test->fixture);
}

static struct wl_data_source *make_source(struct party *party, uint32_t actions)
{
	struct wl_data_source *source = wl_data_device_manager_create_data_source(party->manager);
	wl_data_source_add_listener(source, &source_listener, party);
	wl_data_source_offer(source, TEXT);
	if (actions) {
		wl_data_source_set_actions(source, actions);
	}
	return source;
}

/* Reads what the other side wrote; "" for an end without data. */
static const char *read_all(struct test *test, int fd)
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

static const char *receive(struct test *test, struct wl_data_offer *offer, const char *mime_type)
{
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	wl_data_offer_receive(offer, mime_type, fds[1]);
	fixture_pump(test->fixture);
	close(fds[1]);
	return read_all(test, fds[0]);
}

/* Copy and paste */

static void test_copy(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	focus(test, a);
	heard(a, "no selection; ");
	struct wl_data_source *source = make_source(a, 0);
	wl_data_source_offer(source, "text/html");
	wl_data_source_offer(source, TEXT);
	wl_data_device_set_selection(a->device, source, 0);
	heard(a, "offer; type text/plain; type text/html; selection; ");
	heard(b, "");
	focus(test, b);
	heard(b, "offer; type text/plain; type text/html; selection; ");
	assert_string_equal(receive(test, b->selection, TEXT), DATA);
	heard(a, "send text/plain; ");
	/* What was not offered is not asked for. */
	assert_string_equal(receive(test, b->selection, "image/png"), "");
	heard(a, "");
	/* Without the focus an offer is worth nothing. */
	struct wl_data_offer *old = b->selection;
	focus(test, a);
	assert_string_equal(receive(test, old, TEXT), "");
	forget(a);
	forget(b);
	/* The next copy ends this one. */
	focus(test, b);
	forget(b);
	wl_data_device_set_selection(b->device, make_source(b, 0), 0);
	heard(b, "offer; type text/plain; selection; ");
	heard(a, "cancelled; ");
	wl_data_device_set_selection(b->device, NULL, 0);
	heard(b, "cancelled; no selection; ");
}

static void test_source_dies(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	focus(test, a);
	a->silent = true;
	wl_data_device_set_selection(a->device, make_source(a, 0), 0);
	focus(test, b);
	forget(b);
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	wl_data_offer_receive(b->selection, TEXT, fds[1]);
	fixture_pump(test->fixture);
	close(fds[1]);
	/* It holds the descriptor, nobody else does: its death ends the transfer. */
	part(a);
	fixture_pump(test->fixture);
	assert_string_equal(read_all(test, fds[0]), "");
	heard(b, "no selection; ");
	assert_true(peer_alive(b->peer));
}

static void test_receiver_dies(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	focus(test, a);
	struct wl_data_source *source = make_source(a, 0);
	wl_data_device_set_selection(a->device, source, 0);
	focus(test, b);
	part(b);
	fixture_pump(test->fixture);
	wl_data_source_destroy(source);
	fixture_pump(test->fixture);
	assert_true(peer_alive(a->peer));
}

static void test_late_device(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	focus(test, a);
	wl_data_device_set_selection(a->device, make_source(a, 0), 0);
	forget(a);
	struct wl_data_device *late =
		wl_data_device_manager_get_data_device(a->manager, a->peer->seat);
	wl_data_device_add_listener(late, &device_listener, a);
	heard(a, "offer; type text/plain; selection; ");
	wl_data_device_release(late);
	forget(a);
}

static void test_stale_serial(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	/* Whoever copied by an older event than another one lost the race. */
	point(test, 50, 50);
	press(test, true);
	uint32_t older = seat_of(test)->pointer.press_serial;
	press(test, false);
	point(test, 250, 50);
	press(test, true);
	uint32_t newer = seat_of(test)->pointer.press_serial;
	press(test, false);
	wl_data_device_set_selection(b->device, make_source(b, 0), newer);
	fixture_pump(test->fixture);
	forget(a);
	forget(b);
	wl_data_device_set_selection(a->device, make_source(a, 0), older);
	heard(a, "cancelled; ");
	heard(b, "");
}

static void test_used_source(void **state)
{
	struct test *test = *state;
	struct wl_data_source *source = make_source(&test->a, 0);
	wl_data_device_set_selection(test->a.device, source, 0);
	wl_data_device_set_selection(test->a.device, source, 0);
	peer_expect_error(
		test->a.peer, &wl_data_device_interface, WL_DATA_DEVICE_ERROR_USED_SOURCE);
}

static void test_selection_with_actions(void **state)
{
	struct test *test = *state;
	wl_data_device_set_selection(test->a.device, make_source(&test->a, COPY), 0);
	peer_expect_error(
		test->a.peer, &wl_data_source_interface, WL_DATA_SOURCE_ERROR_INVALID_SOURCE);
}

static void test_actions_of_a_selection(void **state)
{
	struct test *test = *state;
	focus(test, &test->a);
	wl_data_device_set_selection(test->a.device, make_source(&test->a, 0), 0);
	fixture_pump(test->fixture);
	wl_data_offer_set_actions(test->a.selection, COPY, COPY);
	peer_expect_error(
		test->a.peer, &wl_data_offer_interface, WL_DATA_OFFER_ERROR_INVALID_OFFER);
}

static void test_finish_a_selection(void **state)
{
	struct test *test = *state;
	focus(test, &test->a);
	wl_data_device_set_selection(test->a.device, make_source(&test->a, 0), 0);
	fixture_pump(test->fixture);
	wl_data_offer_finish(test->a.selection);
	peer_expect_error(
		test->a.peer, &wl_data_offer_interface, WL_DATA_OFFER_ERROR_INVALID_FINISH);
}

/* Primary selection and data control */

static void handle_primary_type(
	void *data, struct zwp_primary_selection_offer_v1 *offer, const char *mime_type)
{
	note(data, "primary type %s; ", mime_type);
}

static const struct zwp_primary_selection_offer_v1_listener primary_offer_listener = {
	.offer = handle_primary_type,
};

static void handle_primary_offer(void *data, struct zwp_primary_selection_device_v1 *device,
	struct zwp_primary_selection_offer_v1 *offer)
{
	zwp_primary_selection_offer_v1_add_listener(offer, &primary_offer_listener, data);
}

static void handle_primary_selection(void *data, struct zwp_primary_selection_device_v1 *device,
	struct zwp_primary_selection_offer_v1 *offer)
{
	struct party *party = data;
	party->primary_offer = offer;
	note(party, offer ? "primary; " : "no primary; ");
}

static const struct zwp_primary_selection_device_v1_listener primary_listener = {
	.data_offer = handle_primary_offer,
	.selection = handle_primary_selection,
};

static void handle_primary_send(
	void *data, struct zwp_primary_selection_source_v1 *source, const char *type, int32_t fd)
{
	note(data, "primary send; ");
	answer(data, fd);
}

static void handle_primary_cancelled(void *data, struct zwp_primary_selection_source_v1 *source)
{
	note(data, "primary cancelled; ");
}

static const struct zwp_primary_selection_source_v1_listener primary_source_listener = {
	.send = handle_primary_send,
	.cancelled = handle_primary_cancelled,
};

static struct zwp_primary_selection_device_manager_v1 *add_primary(struct party *party)
{
	struct zwp_primary_selection_device_manager_v1 *manager =
		peer_bind(party->peer, &zwp_primary_selection_device_manager_v1_interface, 0);
	party->primary =
		zwp_primary_selection_device_manager_v1_get_device(manager, party->peer->seat);
	zwp_primary_selection_device_v1_add_listener(party->primary, &primary_listener, party);
	return manager;
}

static void handle_control_type(
	void *data, struct ext_data_control_offer_v1 *offer, const char *mime_type)
{
	note(data, "control type %s; ", mime_type);
}

static const struct ext_data_control_offer_v1_listener control_offer_listener = {
	.offer = handle_control_type,
};

static void handle_control_offer(void *data, struct ext_data_control_device_v1 *device,
	struct ext_data_control_offer_v1 *offer)
{
	struct party *party = data;
	party->control_offer = offer;
	ext_data_control_offer_v1_add_listener(offer, &control_offer_listener, party);
}

static void handle_control_selection(void *data, struct ext_data_control_device_v1 *device,
	struct ext_data_control_offer_v1 *offer)
{
	note(data, offer ? "control selection; " : "control none; ");
}

static void handle_control_primary(void *data, struct ext_data_control_device_v1 *device,
	struct ext_data_control_offer_v1 *offer)
{
	note(data, offer ? "control primary; " : "control no primary; ");
}

static void handle_control_finished(void *data, struct ext_data_control_device_v1 *device)
{
	note(data, "control finished; ");
}

static const struct ext_data_control_device_v1_listener control_listener = {
	.data_offer = handle_control_offer,
	.selection = handle_control_selection,
	.finished = handle_control_finished,
	.primary_selection = handle_control_primary,
};

static void handle_control_send(
	void *data, struct ext_data_control_source_v1 *source, const char *type, int32_t fd)
{
	note(data, "control send; ");
	answer(data, fd);
}

static void handle_control_cancelled(void *data, struct ext_data_control_source_v1 *source)
{
	note(data, "control cancelled; ");
}

static const struct ext_data_control_source_v1_listener control_source_listener = {
	.send = handle_control_send,
	.cancelled = handle_control_cancelled,
};

static struct ext_data_control_manager_v1 *add_control(struct party *party)
{
	struct ext_data_control_manager_v1 *manager =
		peer_bind(party->peer, &ext_data_control_manager_v1_interface, 0);
	party->control = ext_data_control_manager_v1_get_data_device(manager, party->peer->seat);
	ext_data_control_device_v1_add_listener(party->control, &control_listener, party);
	return manager;
}

static void test_primary(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	struct zwp_primary_selection_device_manager_v1 *manager = add_primary(a);
	add_primary(b);
	focus(test, a);
	forget(a);
	forget(b);
	struct zwp_primary_selection_source_v1 *source =
		zwp_primary_selection_device_manager_v1_create_source(manager);
	zwp_primary_selection_source_v1_add_listener(source, &primary_source_listener, a);
	zwp_primary_selection_source_v1_offer(source, TEXT);
	zwp_primary_selection_device_v1_set_selection(a->primary, source, 0);
	heard(a, "primary type text/plain; primary; ");
	heard(b, "");
	focus(test, b);
	/* The clipboard is another one. */
	heard(b, "no selection; primary type text/plain; primary; ");
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	zwp_primary_selection_offer_v1_receive(b->primary_offer, TEXT, fds[1]);
	fixture_pump(test->fixture);
	close(fds[1]);
	assert_string_equal(read_all(test, fds[0]), DATA);
	heard(a, "primary send; ");
	zwp_primary_selection_device_v1_set_selection(b->primary, NULL, 0);
	heard(b, "no primary; ");
	heard(a, "primary cancelled; ");
}

static void test_control(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	struct ext_data_control_manager_v1 *manager = add_control(b);
	heard(b, "control none; control no primary; ");
	focus(test, a);
	forget(a);
	/* It sees what others copy without having the focus, and reads it. */
	wl_data_device_set_selection(a->device, make_source(a, 0), 0);
	heard(b, "control type text/plain; control selection; ");
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	ext_data_control_offer_v1_receive(b->control_offer, TEXT, fds[1]);
	fixture_pump(test->fixture);
	close(fds[1]);
	assert_string_equal(read_all(test, fds[0]), DATA);
	forget(a);
	/* And takes over. */
	struct ext_data_control_source_v1 *source =
		ext_data_control_manager_v1_create_data_source(manager);
	ext_data_control_source_v1_add_listener(source, &control_source_listener, b);
	ext_data_control_source_v1_offer(source, TEXT);
	ext_data_control_device_v1_set_selection(b->control, source);
	heard(a, "cancelled; offer; type text/plain; selection; ");
	heard(b, "control type text/plain; control selection; ");
	assert_string_equal(receive(test, a->selection, TEXT), DATA);
	heard(b, "control send; ");
	ext_data_control_device_v1_set_primary_selection(b->control, NULL);
	heard(b, "");
	ext_data_control_device_v1_set_primary_selection(b->control, source);
	peer_expect_error(b->peer, &ext_data_control_device_v1_interface,
		EXT_DATA_CONTROL_DEVICE_V1_ERROR_USED_SOURCE);
	heard(a, "no selection; ");
}

static void test_control_late_type(void **state)
{
	struct test *test = *state;
	struct ext_data_control_manager_v1 *manager = add_control(&test->b);
	struct ext_data_control_source_v1 *source =
		ext_data_control_manager_v1_create_data_source(manager);
	ext_data_control_device_v1_set_selection(test->b.control, source);
	ext_data_control_source_v1_offer(source, TEXT);
	peer_expect_error(test->b.peer, &ext_data_control_source_v1_interface,
		EXT_DATA_CONTROL_SOURCE_V1_ERROR_INVALID_OFFER);
}

/* Drag and drop */

static struct wl_data_source *start_drag(struct test *test, uint32_t actions)
{
	struct party *a = &test->a;
	struct wl_data_source *source = make_source(a, actions);
	point(test, 50, 50);
	press(test, true);
	forget(a);
	wl_data_device_start_drag(
		a->device, source, a->window->surface, NULL, seat_of(test)->pointer.press_serial);
	fixture_pump(test->fixture);
	return source;
}

static void test_drag(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	start_drag(test, COPY | MOVE);
	heard(a, "offer; type text/plain; actions 3; enter 50 50; ");
	point(test, 60, 40);
	heard(a, "motion 60 40; ");
	point(test, 210, 20);
	heard(a, "leave; ");
	heard(b, "offer; type text/plain; actions 3; enter 10 20; ");
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, COPY | MOVE, MOVE);
	heard(b, "action 2; ");
	heard(a, "target text/plain; source action 2; ");
	/* Data may be looked at before the drop. */
	assert_string_equal(receive(test, b->dragged, TEXT), DATA);
	heard(a, "send text/plain; ");
	press(test, false);
	heard(b, "drop; leave; ");
	heard(a, "dropped; ");
	assert_string_equal(receive(test, b->dragged, TEXT), DATA);
	wl_data_offer_finish(b->dragged);
	heard(a, "send text/plain; finished; ");
	wl_data_offer_destroy(b->dragged);
	heard(a, "");
	assert_null(seat_of(test)->pointer.grab);
	assert_null(seat_of(test)->keyboard.grab);
}

static void test_drop_refused(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	start_drag(test, COPY);
	point(test, 210, 20);
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, MOVE, MOVE);
	forget(a);
	forget(b);
	press(test, false);
	heard(b, "leave; ");
	heard(a, "target none; cancelled; ");
	assert_null(seat_of(test)->pointer.grab);
}

static void test_drop_on_nothing(void **state)
{
	struct test *test = *state;
	start_drag(test, COPY);
	point(test, 150, 250);
	forget(&test->a);
	press(test, false);
	heard(&test->a, "cancelled; ");
}

static void test_modifiers_choose(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	start_drag(test, COPY | MOVE);
	point(test, 210, 20);
	wl_data_offer_set_actions(b->dragged, COPY | MOVE, COPY);
	forget(a);
	forget(b);
	key(test, KEY_LEFTSHIFT, true);
	heard(b, "action 2; ");
	heard(a, "source action 2; ");
	key(test, KEY_LEFTSHIFT, false);
	heard(b, "action 1; ");
	/* Escape ends it. */
	key(test, KEY_ESC, true);
	heard(b, "leave; ");
	heard(a, "source action 1; source action 0; cancelled; ");
	key(test, KEY_ESC, false);
	press(test, false);
	assert_null(seat_of(test)->pointer.grab);
}

static void test_ask(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	start_drag(test, COPY | MOVE | ASK);
	point(test, 210, 20);
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, COPY | MOVE | ASK, ASK);
	fixture_pump(test->fixture);
	press(test, false);
	forget(a);
	forget(b);
	wl_data_offer_set_actions(b->dragged, COPY | MOVE, MOVE);
	heard(b, "");
	wl_data_offer_finish(b->dragged);
	heard(a, "source action 2; finished; ");
}

static void test_ask_unanswered(void **state)
{
	struct test *test = *state;
	struct party *b = &test->b;
	start_drag(test, ASK);
	point(test, 210, 20);
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, ASK, ASK);
	fixture_pump(test->fixture);
	press(test, false);
	wl_data_offer_finish(b->dragged);
	peer_expect_error(b->peer, &wl_data_offer_interface, WL_DATA_OFFER_ERROR_INVALID_FINISH);
	heard(&test->a, "offer; type text/plain; actions 4; enter 50 50; leave; target text/plain; "
			"source action 4; dropped; cancelled; ");
}

static void drop_on_b(struct test *test)
{
	struct party *b = &test->b;
	start_drag(test, COPY);
	point(test, 210, 20);
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, COPY, COPY);
	fixture_pump(test->fixture);
	press(test, false);
	forget(&test->a);
}

static void test_offer_dropped(void **state)
{
	struct test *test = *state;
	drop_on_b(test);
	/* Thrown away instead of finished. */
	wl_data_offer_destroy(test->b.dragged);
	heard(&test->a, "cancelled; ");
}

static void test_target_dies(void **state)
{
	struct test *test = *state;
	drop_on_b(test);
	part(&test->b);
	heard(&test->a, "cancelled; ");
}

static void test_source_dies_after_drop(void **state)
{
	struct test *test = *state;
	struct party *b = &test->b;
	drop_on_b(test);
	part(&test->a);
	fixture_pump(test->fixture);
	assert_string_equal(receive(test, b->dragged, TEXT), "");
	wl_data_offer_finish(b->dragged);
	wl_data_offer_destroy(b->dragged);
	assert_true(peer_alive(b->peer));
}

static void test_source_dies_in_drag(void **state)
{
	struct test *test = *state;
	start_drag(test, COPY);
	point(test, 210, 20);
	forget(&test->b);
	part(&test->a);
	/* The shell's focus goes to the window that is left. */
	heard(&test->b, "leave; no selection; ");
	assert_null(seat_of(test)->pointer.grab);
	press(test, false);
	heard(&test->b, "");
}

static void test_target_dies_in_drag(void **state)
{
	struct test *test = *state;
	start_drag(test, COPY);
	point(test, 210, 20);
	part(&test->b);
	point(test, 220, 20);
	point(test, 50, 50);
	forget(&test->a);
	press(test, false);
	assert_true(peer_alive(test->a.peer));
	assert_null(seat_of(test)->pointer.grab);
}

static void test_finish_early(void **state)
{
	struct test *test = *state;
	start_drag(test, COPY);
	point(test, 210, 20);
	wl_data_offer_accept(test->b.dragged, 0, TEXT);
	wl_data_offer_set_actions(test->b.dragged, COPY, COPY);
	wl_data_offer_finish(test->b.dragged);
	peer_expect_error(
		test->b.peer, &wl_data_offer_interface, WL_DATA_OFFER_ERROR_INVALID_FINISH);
}

static void test_finish_twice(void **state)
{
	struct test *test = *state;
	drop_on_b(test);
	wl_data_offer_finish(test->b.dragged);
	wl_data_offer_accept(test->b.dragged, 0, TEXT);
	peer_expect_error(
		test->b.peer, &wl_data_offer_interface, WL_DATA_OFFER_ERROR_INVALID_OFFER);
}

static void test_two_preferred(void **state)
{
	struct test *test = *state;
	start_drag(test, COPY | MOVE);
	point(test, 210, 20);
	wl_data_offer_set_actions(test->b.dragged, COPY | MOVE, COPY | MOVE);
	peer_expect_error(
		test->b.peer, &wl_data_offer_interface, WL_DATA_OFFER_ERROR_INVALID_ACTION);
	press(test, false);
}

static void test_wrong_serial(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	point(test, 50, 50);
	press(test, true);
	forget(a);
	wl_data_device_start_drag(a->device, make_source(a, COPY), a->window->surface, NULL,
		seat_of(test)->pointer.press_serial - 1);
	heard(a, "cancelled; ");
	assert_null(seat_of(test)->pointer.grab);
	press(test, false);
	/* Nor after the button is up. */
	wl_data_device_start_drag(a->device, make_source(a, COPY), a->window->surface, NULL,
		seat_of(test)->pointer.press_serial);
	heard(a, "cancelled; ");
}

static void test_inside(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	point(test, 50, 50);
	press(test, true);
	forget(a);
	wl_data_device_start_drag(
		a->device, NULL, a->window->surface, NULL, seat_of(test)->pointer.press_serial);
	heard(a, "enter 50 50 nothing; ");
	/* Nobody else hears of it. */
	point(test, 210, 20);
	heard(a, "leave; ");
	heard(&test->b, "");
	point(test, 51, 52);
	press(test, false);
	heard(a, "enter 51 52 nothing; drop; leave; ");
}

static void test_icon(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	struct wl_surface *icon = wl_compositor_create_surface(a->peer->compositor);
	struct peer_buffer *buffer = peer_buffer_create(a->peer, 10, 10, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, 10, 10, 0xff00ff00);
	point(test, 50, 50);
	press(test, true);
	wl_data_device_start_drag(a->device, make_source(a, COPY), a->window->surface, icon,
		seat_of(test)->pointer.press_serial);
	wl_surface_offset(icon, 20, 5);
	peer_surface_show(icon, buffer);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 75, 60), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 85, 60), 0x336699);
	point(test, 60, 50);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 85, 60), 0x00ff00);
	/* It does not take the drop for itself. */
	point(test, 190, 45);
	point(test, 200, 50);
	fixture_settle(test->fixture);
	heard(&test->b, "offer; type text/plain; actions 1; enter 0 50; ");
	press(test, false);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 225, 60), 0x336699);
	wl_surface_destroy(icon);
	assert_true(peer_alive(a->peer));
}

static void test_icon_dies(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	struct wl_surface *icon = wl_compositor_create_surface(a->peer->compositor);
	point(test, 50, 50);
	press(test, true);
	wl_data_device_start_drag(a->device, make_source(a, COPY), a->window->surface, icon,
		seat_of(test)->pointer.press_serial);
	fixture_pump(test->fixture);
	wl_surface_destroy(icon);
	point(test, 60, 50);
	press(test, false);
	assert_true(peer_alive(a->peer));
}

static void test_icon_with_role(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	wl_data_device_start_drag(
		a->device, make_source(a, COPY), a->window->surface, a->window->surface, 0);
	peer_expect_error(a->peer, &wl_data_device_interface, WL_DATA_DEVICE_ERROR_ROLE);
}

static void emit_touch(struct test *test, struct wl_signal *signal, double x, double y)
{
	struct input_touch_event event = {.id = 3, .x = x / 400, .y = y / 300};
	wl_signal_emit_mutable(signal, &event);
	wl_signal_emit_mutable(&test->touch->events.touch_frame, NULL);
	fixture_pump(test->fixture);
}

static void test_touch_drag(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	emit_touch(test, &test->touch->events.touch_down, 50, 50);
	struct seat_touch_point *point = touch_find(seat_of(test), 0);
	assert_non_null(point);
	forget(a);
	wl_data_device_start_drag(
		a->device, make_source(a, COPY), a->window->surface, NULL, point->serial);
	heard(a, "offer; type text/plain; actions 1; enter 50 50; ");
	emit_touch(test, &test->touch->events.touch_motion, 210, 20);
	heard(b, "offer; type text/plain; actions 1; enter 10 20; ");
	wl_data_offer_accept(b->dragged, 0, TEXT);
	wl_data_offer_set_actions(b->dragged, COPY, COPY);
	fixture_pump(test->fixture);
	emit_touch(test, &test->touch->events.touch_up, 0, 0);
	heard(b, "action 1; drop; leave; ");
	assert_null(seat_of(test)->touch.grab);
	assert_int_equal(seat_of(test)->touch.n_points, 0);
}

/* Before version 3 there were no actions, and a drop was a drop. */
static void test_old_drag(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	start_drag(test, 0);
	point(test, 210, 20);
	forget(a);
	heard(b, "offer; type text/plain; enter 10 20; ");
	press(test, false);
	heard(b, "drop; leave; ");
	assert_string_equal(receive(test, b->dragged, TEXT), DATA);
	heard(a, "send text/plain; ");
	wl_data_offer_destroy(b->dragged);
	heard(a, "");
	/* And "cancelled" was for selections. */
	start_drag(test, 0);
	point(test, 150, 250);
	forget(a);
	press(test, false);
	heard(a, "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_copy),
		TEST(test_source_dies),
		TEST(test_receiver_dies),
		TEST(test_late_device),
		TEST(test_stale_serial),
		TEST(test_used_source),
		TEST(test_selection_with_actions),
		TEST(test_actions_of_a_selection),
		TEST(test_finish_a_selection),
		TEST(test_primary),
		TEST(test_control),
		TEST(test_control_late_type),
		TEST(test_drag),
		TEST(test_drop_refused),
		TEST(test_drop_on_nothing),
		TEST(test_modifiers_choose),
		TEST(test_ask),
		TEST(test_ask_unanswered),
		TEST(test_offer_dropped),
		TEST(test_target_dies),
		TEST(test_source_dies_after_drop),
		TEST(test_source_dies_in_drag),
		TEST(test_target_dies_in_drag),
		TEST(test_finish_early),
		TEST(test_finish_twice),
		TEST(test_two_preferred),
		TEST(test_wrong_serial),
		TEST(test_inside),
		TEST(test_icon),
		TEST(test_icon_dies),
		TEST(test_icon_with_role),
		TEST(test_touch_drag),
		cmocka_unit_test_setup_teardown(test_old_drag, setup_old, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
