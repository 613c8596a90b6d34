/* SPDX-License-Identifier: MIT */
/* Limit of pending transfers: no client can make another exceed its limit of descriptors. */

#include "harness/client/transfer.h"
#include "protocol/protocol.h"
#include "surface/client.h"
#include "util/account.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * Transfer requests that the source's client does not read: beyond 64 they are refused, and it
 * stays connected.
 */
static void unread_transfer_requests_are_bounded(void **state)
{
	struct test *test = *state;
	struct party *a = &test->a, *b = &test->b;
	focus(test, a);
	a->silent = true;
	wl_data_device_set_selection(a->device, make_source(a, 0), 0);
	focus(test, b);
	const struct account *account = client_from_wl(a->peer->client)->account;
	int64_t before = account->used[ACCOUNT_DESCRIPTORS], most = before;
	int small = 1, fds[2];
	setsockopt(wl_client_get_fd(a->peer->client), SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	for (int i = 0; i < 2000; i++) {
		wl_data_offer_receive(b->selection, TEXT, fds[1]);
		if (i % 8 == 0) {
			/* Client a does not read. */
			wl_display_flush(b->peer->display);
			wl_event_loop_dispatch(test->fixture->server->loop, 0);
		}
		if (account->used[ACCOUNT_DESCRIPTORS] > most) {
			most = account->used[ACCOUNT_DESCRIPTORS];
		}
	}
	assert_in_range(most - before, 32, 65);
	close(fds[0]);
	close(fds[1]);
	assert_true(peer_alive(a->peer));
	assert_true(peer_alive(b->peer));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			unread_transfer_requests_are_bounded, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
