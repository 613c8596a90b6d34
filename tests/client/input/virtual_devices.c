/* SPDX-License-Identifier: MIT */
/* zwlr_virtual_pointer_v1 and zwp_virtual_keyboard_v1: devices that clients emulate. */

#include "harness/client/input_peer.h"
#include "harness/keymap.h"
#include "protocol/protocol.h"
#include "seat/seat.h"
#include "surface/client.h"
#include "util/account.h"
#include "util/xalloc.h"
#include "virtual-keyboard-unstable-v1-client-protocol.h"
#include "wlr-virtual-pointer-unstable-v1-client-protocol.h"
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void virtual_pointer_applies_events_at_its_frame(void **state)
{
	struct test *test = *state;
	struct zwlr_virtual_pointer_manager_v1 *manager =
		peer_bind(test->peer, &zwlr_virtual_pointer_manager_v1_interface, 0);
	struct zwlr_virtual_pointer_v1 *device =
		zwlr_virtual_pointer_manager_v1_create_virtual_pointer(manager, NULL);
	add_pointer(test, 9);
	forget(test);
	/* Events are held back until the frame. */
	zwlr_virtual_pointer_v1_motion_absolute(device, 1, 1, 1, 8, 6);
	zwlr_virtual_pointer_v1_button(device, 1, BTN_LEFT, 1);
	zwlr_virtual_pointer_v1_axis(device, 1, 0, wl_fixed_from_int(7));
	zwlr_virtual_pointer_v1_axis_source(device, WL_POINTER_AXIS_SOURCE_CONTINUOUS);
	heard(test, "");
	zwlr_virtual_pointer_v1_frame(device);
	heard(test, "enter 50 50; frame; press 110; source 2; direction 0 0; axis 0 7; frame; ");
	zwlr_virtual_pointer_v1_motion(device, 1, wl_fixed_from_int(3), wl_fixed_from_int(-3));
	zwlr_virtual_pointer_v1_axis_discrete(device, 1, 1, wl_fixed_from_int(-30), -2);
	zwlr_virtual_pointer_v1_frame(device);
	heard(test, "motion 53 47; source 0; direction 1 0; v120 1 -240; axis 1 -30; frame; ");
	zwlr_virtual_pointer_v1_axis_stop(device, 1, 0);
	/* Positions without an extent are ignored. */
	zwlr_virtual_pointer_v1_motion_absolute(device, 1, 5, 5, 0, 0);
	zwlr_virtual_pointer_v1_motion_absolute(device, 1, 5, 5, 8, 0);
	zwlr_virtual_pointer_v1_motion_absolute(device, 1, 5, 5, 0, 8);
	zwlr_virtual_pointer_v1_frame(device);
	heard(test, "stop 0; frame; ");
	/* Destroying the device releases its button. */
	zwlr_virtual_pointer_v1_destroy(device);
	heard(test, "release 110; frame; ");
}

static int keymap_file(const char *text, size_t length)
{
	int fd = memfd_create("keymap", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), length);
	return fd;
}

static struct zwp_virtual_keyboard_v1 *add_virtual_keyboard(struct test *test)
{
	struct zwp_virtual_keyboard_manager_v1 *manager =
		peer_bind(test->peer, &zwp_virtual_keyboard_manager_v1_interface, 0);
	return zwp_virtual_keyboard_manager_v1_create_virtual_keyboard(manager, test->peer->seat);
}

static void virtual_keyboard_brings_its_keymap(void **state)
{
	struct test *test = *state;
	struct zwp_virtual_keyboard_v1 *device = add_virtual_keyboard(test);
	char *text = foreign_keymap(seat_of(test)->keyboard.context);
	int fd = keymap_file(text, strlen(text) + 1);
	add_keyboard(test, 9);
	forget(test);
	const struct account *account = client_from_wl(test->peer->client)->account;
	int64_t before = account->used[ACCOUNT_BYTES];
	zwp_virtual_keyboard_v1_keymap(
		device, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, fd, (uint32_t)strlen(text) + 1);
	heard(test, "");
	/* The client is charged for the compiled keymap and its text. */
	assert_true(account->used[ACCOUNT_BYTES] - before > (int64_t)strlen(text));
	zwp_virtual_keyboard_v1_key(device, 1, KEY_Q, 1);
	heard(test, "keymap; repeat 25 600; mods 0 0 0 0; down 16; ");
	assert_string_equal(test->keymap, text);
	zwp_virtual_keyboard_v1_modifiers(device, 1, 0, 2, 0);
	heard(test, "mods 1 0 2 0; ");
	/* A key of the physical keyboard brings the seat's keymap back. */
	key(test, KEY_B, true);
	heard(test, "keymap; repeat 25 600; mods 0 0 0 0; down 48; ");
	zwp_virtual_keyboard_v1_destroy(device);
	heard(test, "keymap; repeat 25 600; mods 1 0 2 0; up 16; keymap; repeat 25 600; "
		    "mods 0 0 0 0; ");
	assert_true(account->used[ACCOUNT_BYTES] <= before);
	key(test, KEY_B, false);
	heard(test, "up 48; ");
	close(fd);
	free(text);
}

static void handle_capabilities(void *data, struct wl_seat *seat, uint32_t capabilities)
{
	*(uint32_t *)data = capabilities;
}

static void handle_name(void *data, struct wl_seat *seat, const char *name)
{
}

static const struct wl_seat_listener seat_listener = {
	.capabilities = handle_capabilities,
	.name = handle_name,
};

static uint32_t capabilities(struct test *test)
{
	uint32_t found = 0;
	struct wl_seat *seat = peer_bind(test->peer, &wl_seat_interface, 9);
	wl_seat_add_listener(seat, &seat_listener, &found);
	fixture_pump(test->fixture);
	wl_seat_release(seat);
	return found;
}

/*
 * The capability is announced before the first virtual device: clients that bind at its first event
 * would be too late.
 */
static void first_key_of_a_virtual_keyboard_is_sent(void **state)
{
	struct test *test = *state;
	assert_true(capabilities(test) & WL_SEAT_CAPABILITY_KEYBOARD);
	add_keyboard(test, 9);
	fixture_pump(test->fixture);
	forget(test);
	struct zwp_virtual_keyboard_v1 *device = add_virtual_keyboard(test);
	char *text = foreign_keymap(seat_of(test)->keyboard.context);
	int fd = keymap_file(text, strlen(text) + 1);
	zwp_virtual_keyboard_v1_keymap(
		device, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, fd, (uint32_t)strlen(text) + 1);
	zwp_virtual_keyboard_v1_key(device, 1, KEY_Q, 1);
	zwp_virtual_keyboard_v1_key(device, 1, KEY_Q, 0);
	zwp_virtual_keyboard_v1_destroy(device);
	heard(test, "keymap; repeat 25 600; mods 0 0 0 0; down 16; up 16; keymap; repeat 25 600; "
		    "mods 0 0 0 0; ");
	assert_true(capabilities(test) & WL_SEAT_CAPABILITY_KEYBOARD);
	close(fd);
	free(text);
}

/* The cursor is visible and the pointer has a focus only while a device exists. */
static void first_click_of_a_virtual_pointer_is_sent(void **state)
{
	struct test *test = *state;
	assert_true(capabilities(test) & WL_SEAT_CAPABILITY_POINTER);
	assert_false(seat_of(test)->cursor.visible);
	add_pointer(test, 9);
	pointer_warp(seat_of(test), (struct coord_global){50, 50});
	heard(test, "");
	struct zwlr_virtual_pointer_manager_v1 *manager =
		peer_bind(test->peer, &zwlr_virtual_pointer_manager_v1_interface, 0);
	struct zwlr_virtual_pointer_v1 *device =
		zwlr_virtual_pointer_manager_v1_create_virtual_pointer(manager, NULL);
	zwlr_virtual_pointer_v1_button(device, 1, BTN_LEFT, 1);
	zwlr_virtual_pointer_v1_button(device, 1, BTN_LEFT, 0);
	zwlr_virtual_pointer_v1_frame(device);
	heard(test, "enter 50 50; frame; press 110; release 110; frame; ");
	assert_true(seat_of(test)->cursor.visible);
	zwlr_virtual_pointer_v1_destroy(device);
	heard(test, "leave; frame; ");
	assert_false(seat_of(test)->cursor.visible);
	assert_true(capabilities(test) & WL_SEAT_CAPABILITY_POINTER);
}

static void refuse_keymap(
	struct test *test, const char *text, size_t length, uint32_t format, uint32_t size)
{
	struct zwp_virtual_keyboard_v1 *device = add_virtual_keyboard(test);
	int fd = keymap_file(text, length);
	zwp_virtual_keyboard_v1_keymap(device, format, fd, size);
	peer_expect_error(test->peer, &zwp_virtual_keyboard_v1_interface,
		ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP);
	close(fd);
}

static void keymap_shorter_than_its_size_is_an_error(void **state)
{
	struct test *test = *state;
	char *text = foreign_keymap(seat_of(test)->keyboard.context);
	refuse_keymap(test, text, strlen(text), 1, (uint32_t)strlen(text) + 4096);
	free(text);
}

static void huge_keymap_is_an_error(void **state)
{
	refuse_keymap(*state, "x", 1, 1, UINT32_MAX);
}

static void empty_keymap_is_an_error(void **state)
{
	refuse_keymap(*state, "", 0, 1, 0);
}

static void invalid_keymap_is_an_error(void **state)
{
	refuse_keymap(*state, "nonsense", 9, 1, 9);
}

/* libxkbcommon 1.5 aborts from 2^28 on, and allocates gigabytes below that. */
static void keymap_with_huge_keycode_is_an_error(void **state)
{
	struct test *test = *state;
	char *text = foreign_keymap(seat_of(test)->keyboard.context);
	char *codes = strchr(strstr(text, "xkb_keycodes"), '{') + 1;
	char *changed = xasprintf("%.*s <HUGE> = 1073741824; %s", (int)(codes - text), text, codes);
	refuse_keymap(test, changed, strlen(changed) + 1, 1, (uint32_t)strlen(changed) + 1);
	free(changed);
	free(text);
}

static void keymap_without_format_is_an_error(void **state)
{
	refuse_keymap(*state, "x", 1, WL_KEYBOARD_KEYMAP_FORMAT_NO_KEYMAP, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define WITHOUT_DEVICES(name) cmocka_unit_test_setup_teardown(name, setup_without_devices, teardown)
	const struct CMUnitTest tests[] = {
		TEST(virtual_pointer_applies_events_at_its_frame),
		TEST(virtual_keyboard_brings_its_keymap),
		WITHOUT_DEVICES(first_key_of_a_virtual_keyboard_is_sent),
		WITHOUT_DEVICES(first_click_of_a_virtual_pointer_is_sent),
		TEST(keymap_shorter_than_its_size_is_an_error),
		TEST(huge_keymap_is_an_error),
		TEST(empty_keymap_is_an_error),
		TEST(invalid_keymap_is_an_error),
		TEST(keymap_with_huge_keycode_is_an_error),
		TEST(keymap_without_format_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
