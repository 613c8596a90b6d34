/* SPDX-License-Identifier: MIT */
/* Data control protocols: clipboard managers that read and replace selections. */

#include "harness/client/transfer.h"
#include <fcntl.h>
#include <unistd.h>

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

static void manager_reads_and_replaces_selections(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	struct ext_data_control_manager_v1 *manager = add_control(b);
	heard(b, "control none; control no primary; ");
	focus(test, a);
	forget(a);
	/* A manager sees and reads selections without the focus. */
	wl_data_device_set_selection(a->device, make_source(a, 0), 0);
	heard(b, "control type text/plain; control selection; ");
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	ext_data_control_offer_v1_receive(b->control_offer, TEXT, fds[1]);
	fixture_pump(test->fixture);
	close(fds[1]);
	assert_string_equal(read_all(test, fds[0]), DATA);
	forget(a);
	/* A manager can replace them. */
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

static void type_added_after_use_is_an_error(void **state)
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

static void wlr_manager_reads_and_replaces_selections(void **state)
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

static void wlr_type_added_after_use_is_an_error(void **state)
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

/* Version 1 has no primary selection. */
static void wlr_version_1_has_no_primary_selection(void **state)
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
		TEST(manager_reads_and_replaces_selections),
		TEST(type_added_after_use_is_an_error),
		TEST(wlr_manager_reads_and_replaces_selections),
		TEST(wlr_type_added_after_use_is_an_error),
		TEST(wlr_version_1_has_no_primary_selection),
	};
	return cmocka_run_group_tests_name("selection/data_control", tests, NULL, NULL);
}
