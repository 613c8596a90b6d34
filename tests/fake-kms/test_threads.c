/* SPDX-License-Identifier: MIT */
/* Emulated cards used by several threads, as probes and reads of files are on threads. */

#include "rig.h"
#include "util/thread.h"
#include <fcntl.h>
#include <libudev.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>

#include <cmocka.h>

#define N_EVENTS 50000
#define N_SENDERS 4
#define N_CARDS 300

static struct fake_card *card;
static atomic_bool ended;
static atomic_int n_sending;

static int tear_down(void **state)
{
	fake_reset_all();
	return 0;
}

static void *send_events(void *data)
{
	for (int i = 0; i < N_EVENTS; i++) {
		fake_card_send_hotplug(card, "DP-1");
	}
	n_sending--;
	return NULL;
}

static bool receive(struct udev_monitor *monitor)
{
	struct udev_device *device = udev_monitor_receive_device(monitor);
	if (device) {
		assert_string_equal(udev_device_get_action(device), "change");
	}
	udev_device_unref(device);
	return device;
}

static void events_of_other_threads_are_all_received(void **state)
{
	pthread_t threads[N_SENDERS];
	struct udev *udev = udev_new();
	card = fake_card_create("amdgpu");
	struct udev_monitor *monitor = udev_monitor_new_from_netlink(udev, "udev");
	udev_monitor_filter_add_match_subsystem_devtype(monitor, "drm", NULL);
	n_sending = N_SENDERS;
	for (int i = 0; i < N_SENDERS; i++) {
		assert_true(thread_start(&threads[i], send_events, NULL));
	}
	int n = 0;
	while (n_sending > 0) {
		n += receive(monitor);
	}
	while (receive(monitor)) {
		n++;
	}
	for (int i = 0; i < N_SENDERS; i++) {
		pthread_join(threads[i], NULL);
	}
	assert_int_equal(n, N_SENDERS * N_EVENTS);
	udev_monitor_unref(monitor);
	udev_unref(udev);
}

static void *open_files(void *data)
{
	while (!ended) {
		close(open("/dev/null", O_RDONLY | O_CLOEXEC));
	}
	return NULL;
}

static void threads_open_files_while_cards_come_and_go(void **state)
{
	pthread_t thread;
	ended = false;
	assert_true(thread_start(&thread, open_files, NULL));
	for (int i = 0; i < N_CARDS; i++) {
		card = fake_card_create("amdgpu");
		const int fd = open(fake_card_path(card), O_RDWR | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(fake_card_counts(card).files, 1);
		close(fd);
		assert_int_equal(fake_card_counts(card).files, 0);
		fake_reset_all();
	}
	ended = true;
	pthread_join(thread, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(events_of_other_threads_are_all_received, tear_down),
		cmocka_unit_test_teardown(threads_open_files_while_cards_come_and_go, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
