/*
 * Copy and paste between clients, and what clipboard managers see of it: who is told what, where the
 * data goes, and what happens when somebody dies in the middle.
 */

#include "transfer_common.h"
#include <fcntl.h>
#include <unistd.h>

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

/* Without the focus it takes an event that the client got, and no other's. */
static void test_background(void **state)
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
	/* People copy, and switch windows before the program answers. */
	wl_data_device_set_selection(a->device, make_source(a, 0), serial_of_a);
	heard(a, "");
	heard(b, "offer; type text/plain; selection; ");
	/* Nor is a selection taken away by whoever comes along. */
	focus(test, a);
	forget(a);
	wl_data_device_set_selection(b->device, NULL, serial_of_a + 1000);
	heard(a, "");
	/* A program of the focus need not know its events: it copies by its menu. */
	wl_data_device_set_selection(a->device, NULL, 0);
	heard(a, "cancelled; no selection; ");
}

/* As GTK 3 copies: it adds a type, and sets the source once more. */
static void test_set_twice(void **state)
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
	/* One that is no longer the selection does not become it again. */
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

/* Nor does one that was refused. */
static void test_refused_twice(void **state)
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

static void test_selection_of_a_drag(void **state)
{
	struct test *test = *state;
	struct wl_data_source *source = make_source(&test->a, 0);
	wl_data_device_start_drag(test->a.device, source, test->a.window->surface, NULL, 0);
	wl_data_device_set_selection(test->a.device, source, 0);
	peer_expect_error(
		test->a.peer, &wl_data_device_interface, WL_DATA_DEVICE_ERROR_USED_SOURCE);
}

static void test_drag_of_a_selection(void **state)
{
	struct test *test = *state;
	struct wl_data_source *source = make_source(&test->a, 0);
	wl_data_device_set_selection(test->a.device, source, 0);
	wl_data_device_start_drag(test->a.device, source, test->a.window->surface, NULL, 0);
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

/* Of older clipboard managers */

static void handle_older_type(
	void *data, struct zwlr_data_control_offer_v1 *offer, const char *mime_type)
{
	note(data, "older type %s; ", mime_type);
}

static const struct zwlr_data_control_offer_v1_listener older_offer_listener = {
	.offer = handle_older_type,
};

static void handle_older_offer(void *data, struct zwlr_data_control_device_v1 *device,
	struct zwlr_data_control_offer_v1 *offer)
{
	struct party *party = data;
	party->older_offer = offer;
	zwlr_data_control_offer_v1_add_listener(offer, &older_offer_listener, party);
}

static void handle_older_selection(void *data, struct zwlr_data_control_device_v1 *device,
	struct zwlr_data_control_offer_v1 *offer)
{
	note(data, offer ? "older selection; " : "older none; ");
}

static void handle_older_finished(void *data, struct zwlr_data_control_device_v1 *device)
{
	note(data, "older finished; ");
}

static void handle_older_primary(void *data, struct zwlr_data_control_device_v1 *device,
	struct zwlr_data_control_offer_v1 *offer)
{
	note(data, offer ? "older primary; " : "older no primary; ");
}

static const struct zwlr_data_control_device_v1_listener older_listener = {
	.data_offer = handle_older_offer,
	.selection = handle_older_selection,
	.finished = handle_older_finished,
	.primary_selection = handle_older_primary,
};

static void handle_older_send(
	void *data, struct zwlr_data_control_source_v1 *source, const char *type, int32_t fd)
{
	note(data, "older send; ");
	answer(data, fd);
}

static void handle_older_cancelled(void *data, struct zwlr_data_control_source_v1 *source)
{
	note(data, "older cancelled; ");
}

static const struct zwlr_data_control_source_v1_listener older_source_listener = {
	.send = handle_older_send,
	.cancelled = handle_older_cancelled,
};

static struct zwlr_data_control_manager_v1 *add_older(struct party *party, uint32_t version)
{
	struct zwlr_data_control_manager_v1 *manager =
		peer_bind(party->peer, &zwlr_data_control_manager_v1_interface, version);
	party->older = zwlr_data_control_manager_v1_get_data_device(manager, party->peer->seat);
	zwlr_data_control_device_v1_add_listener(party->older, &older_listener, party);
	return manager;
}

static void test_older_control(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	struct zwlr_data_control_manager_v1 *manager = add_older(b, 2);
	heard(b, "older none; older no primary; ");
	focus(test, a);
	forget(a);
	wl_data_device_set_selection(a->device, make_source(a, 0), 0);
	heard(b, "older type text/plain; older selection; ");
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	zwlr_data_control_offer_v1_receive(b->older_offer, TEXT, fds[1]);
	fixture_pump(test->fixture);
	close(fds[1]);
	assert_string_equal(read_all(test, fds[0]), DATA);
	forget(a);
	struct zwlr_data_control_source_v1 *source =
		zwlr_data_control_manager_v1_create_data_source(manager);
	zwlr_data_control_source_v1_add_listener(source, &older_source_listener, b);
	zwlr_data_control_source_v1_offer(source, TEXT);
	zwlr_data_control_device_v1_set_selection(b->older, source);
	heard(a, "cancelled; offer; type text/plain; selection; ");
	heard(b, "older type text/plain; older selection; ");
	assert_string_equal(receive(test, a->selection, TEXT), DATA);
	heard(b, "older send; ");
	zwlr_data_control_device_v1_set_selection(b->older, NULL);
	heard(b, "older cancelled; older none; ");
	zwlr_data_control_device_v1_set_primary_selection(b->older, source);
	peer_expect_error(b->peer, &zwlr_data_control_device_v1_interface,
		ZWLR_DATA_CONTROL_DEVICE_V1_ERROR_USED_SOURCE);
}

static void test_older_late_type(void **state)
{
	struct test *test = *state;
	struct party *b = &test->b;
	struct zwlr_data_control_manager_v1 *manager = add_older(b, 2);
	struct zwlr_data_control_source_v1 *source =
		zwlr_data_control_manager_v1_create_data_source(manager);
	zwlr_data_control_device_v1_set_selection(b->older, source);
	zwlr_data_control_source_v1_offer(source, TEXT);
	peer_expect_error(b->peer, &zwlr_data_control_source_v1_interface,
		ZWLR_DATA_CONTROL_SOURCE_V1_ERROR_INVALID_OFFER);
}

/* The first version knows nothing of the primary selection. */
static void test_oldest_control(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	struct zwlr_data_control_manager_v1 *manager = add_older(a, 2);
	add_older(b, 1);
	heard(b, "older none; ");
	forget(a);
	struct zwlr_data_control_source_v1 *source =
		zwlr_data_control_manager_v1_create_data_source(manager);
	zwlr_data_control_source_v1_add_listener(source, &older_source_listener, a);
	zwlr_data_control_device_v1_set_primary_selection(a->older, source);
	heard(a, "older primary; ");
	heard(b, "");
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
		TEST(test_background),
		TEST(test_set_twice),
		TEST(test_refused_twice),
		TEST(test_selection_of_a_drag),
		TEST(test_drag_of_a_selection),
		TEST(test_selection_with_actions),
		TEST(test_actions_of_a_selection),
		TEST(test_finish_a_selection),
		TEST(test_primary),
		TEST(test_control),
		TEST(test_control_late_type),
		TEST(test_older_control),
		TEST(test_older_late_type),
		TEST(test_oldest_control),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
