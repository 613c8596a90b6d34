/* SPDX-License-Identifier: MIT */
/* Clipboard and primary selection: events, transfers, and clients that die in between. */

#include "harness/client/transfer.h"
#include "seat/seat.h"
#include <fcntl.h>
#include <unistd.h>

/* Clipboard */

static void focused_client_gets_the_selection(void **state)
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
	/* A type that was not offered is not requested. */
	assert_string_equal(receive(test, b->selection, "image/png"), "");
	heard(a, "");
	/* An offer is void without the keyboard focus. */
	struct wl_data_offer *old = b->selection;
	focus(test, a);
	assert_string_equal(receive(test, old, TEXT), "");
	forget(a);
	forget(b);
	/* The next selection cancels this one. */
	focus(test, b);
	forget(b);
	wl_data_device_set_selection(b->device, make_source(b, 0), 0);
	heard(b, "offer; type text/plain; selection; ");
	heard(a, "cancelled; ");
	wl_data_device_set_selection(b->device, NULL, 0);
	heard(b, "cancelled; no selection; ");
}

static void death_of_the_source_ends_the_transfer(void **state)
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
	/* The source's client alone holds the descriptor: its death ends the transfer. */
	part(a);
	fixture_pump(test->fixture);
	assert_string_equal(read_all(test, fds[0]), "");
	heard(b, "no selection; ");
	assert_true(peer_alive(b->peer));
}

static void receiver_can_die(void **state)
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

static void late_device_gets_the_selection(void **state)
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

static void older_serial_is_refused(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	/* An older serial loses against a newer one. */
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

/* Without the focus, a client needs the serial of an event of its own. */
static void background_client_needs_a_serial_of_its_own(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	point(test, 50, 50);
	press(test, true);
	press(test, false);
	uint32_t serial_of_a = seat_of(test)->pointer.press_serial;
	focus(test, b);
	forget(a);
	forget(b);
	wl_data_device_set_selection(a->device, make_source(a, 0), 0);
	heard(a, "cancelled; ");
	heard(b, "");
	/* The user may switch windows before the program answers. */
	wl_data_device_set_selection(a->device, make_source(a, 0), serial_of_a);
	heard(a, "");
	heard(b, "offer; type text/plain; selection; ");
	/* Such a request cannot clear a selection, either. */
	focus(test, a);
	forget(a);
	wl_data_device_set_selection(b->device, NULL, serial_of_a + 1000);
	heard(a, "");
	/* The focused client needs no serial: it may copy by a menu. */
	wl_data_device_set_selection(a->device, NULL, 0);
	heard(a, "cancelled; no selection; ");
}

/* As GTK 3 does: it adds a type, and sets the source again. */
static void source_can_be_set_again_while_current(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	focus(test, a);
	forget(a);
	struct wl_data_source *source = make_source(a, 0);
	wl_data_device_set_selection(a->device, source, 0);
	wl_data_source_offer(source, "SAVE_TARGETS");
	wl_data_device_set_selection(a->device, source, 0);
	heard(a, "offer; type text/plain; selection; ");
	/* A replaced source cannot become the selection again. */
	focus(test, b);
	forget(b);
	wl_data_device_set_selection(b->device, make_source(b, 0), 0);
	heard(a, "cancelled; ");
	focus(test, a);
	forget(a);
	forget(b);
	wl_data_device_set_selection(a->device, source, 0);
	heard(a, "");
	heard(b, "");
}

/* Neither can a refused one. */
static void refused_source_stays_refused(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a;
	focus(test, &test->b);
	forget(a);
	struct wl_data_source *source = make_source(a, 0);
	wl_data_device_set_selection(a->device, source, 0);
	wl_data_device_set_selection(a->device, source, 0);
	heard(a, "cancelled; ");
	assert_true(peer_alive(a->peer));
}

static void drag_source_as_selection_is_an_error(void **state)
{
	struct test *test = *state;
	struct wl_data_source *source = make_source(&test->a, 0);
	wl_data_device_start_drag(test->a.device, source, test->a.window->surface, NULL, 0);
	wl_data_device_set_selection(test->a.device, source, 0);
	peer_expect_error(
		test->a.peer, &wl_data_device_interface, WL_DATA_DEVICE_ERROR_USED_SOURCE);
}

static void selection_source_as_drag_is_an_error(void **state)
{
	struct test *test = *state;
	struct wl_data_source *source = make_source(&test->a, 0);
	wl_data_device_set_selection(test->a.device, source, 0);
	wl_data_device_start_drag(test->a.device, source, test->a.window->surface, NULL, 0);
	peer_expect_error(
		test->a.peer, &wl_data_device_interface, WL_DATA_DEVICE_ERROR_USED_SOURCE);
}

static void source_with_actions_as_selection_is_an_error(void **state)
{
	struct test *test = *state;
	wl_data_device_set_selection(test->a.device, make_source(&test->a, COPY), 0);
	peer_expect_error(
		test->a.peer, &wl_data_source_interface, WL_DATA_SOURCE_ERROR_INVALID_SOURCE);
}

static void actions_on_a_selection_are_an_error(void **state)
{
	struct test *test = *state;
	focus(test, &test->a);
	wl_data_device_set_selection(test->a.device, make_source(&test->a, 0), 0);
	fixture_pump(test->fixture);
	wl_data_offer_set_actions(test->a.selection, COPY, COPY);
	peer_expect_error(
		test->a.peer, &wl_data_offer_interface, WL_DATA_OFFER_ERROR_INVALID_OFFER);
}

static void finishing_a_selection_is_an_error(void **state)
{
	struct test *test = *state;
	focus(test, &test->a);
	wl_data_device_set_selection(test->a.device, make_source(&test->a, 0), 0);
	fixture_pump(test->fixture);
	wl_data_offer_finish(test->a.selection);
	peer_expect_error(
		test->a.peer, &wl_data_offer_interface, WL_DATA_OFFER_ERROR_INVALID_FINISH);
}

/* Primary selection */

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

static void primary_selection_is_separate(void **state)
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
	/* The clipboard is separate. */
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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(focused_client_gets_the_selection),
		TEST(death_of_the_source_ends_the_transfer),
		TEST(receiver_can_die),
		TEST(late_device_gets_the_selection),
		TEST(older_serial_is_refused),
		TEST(background_client_needs_a_serial_of_its_own),
		TEST(source_can_be_set_again_while_current),
		TEST(refused_source_stays_refused),
		TEST(drag_source_as_selection_is_an_error),
		TEST(selection_source_as_drag_is_an_error),
		TEST(source_with_actions_as_selection_is_an_error),
		TEST(actions_on_a_selection_are_an_error),
		TEST(finishing_a_selection_is_an_error),
		TEST(primary_selection_is_separate),
	};
	return cmocka_run_group_tests_name("selection/selection", tests, NULL, NULL);
}
