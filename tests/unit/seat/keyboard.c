/* SPDX-License-Identifier: MIT */
/* Keyboards of a seat: several devices as one, focus, modifiers, shortcuts, keymaps. */

#include "harness/keymap.h"
#include "harness/seat.h"
#include "util/signal.h"
#include <fcntl.h>
#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SHIFT 1
#define LOCK 2

static void focus_receives_keys_and_modifiers(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	struct surface *a = show(fixture, 0, 0, 0, 0, 50, 50);
	struct surface *b = show(fixture, 1, 1, 0, 0, 50, 50);
	key(&fixture->keyboard, KEY_A, true);
	heard(fixture, "");
	keyboard_set_focus(seat, a);
	heard(fixture, "keys A [30]; mods A 0 0; ");
	key(&fixture->keyboard, KEY_B, true);
	heard(fixture, "down A 48; ");
	assert_int_equal(seat->keyboard.press_serial, fixture->serial);
	assert_true(seat_validate_serial(seat, fixture->serial));
	key(&fixture->keyboard, KEY_A, false);
	heard(fixture, "up A 30; ");
	/* A new focus receives the release of keys that were held when it was entered. */
	keyboard_set_focus(seat, b);
	heard(fixture, "nokeys A; keys B [48]; mods B 0 0; ");
	key(&fixture->keyboard, KEY_B, false);
	heard(fixture, "up B 48; ");
	key(&fixture->keyboard, KEY_B, false);
	keyboard_set_focus(seat, b);
	heard(fixture, "");
	keyboard_set_focus(seat, NULL);
	heard(fixture, "nokeys B; ");
}

static void destroyed_focus_is_cleared(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	keyboard_set_focus(seat, show(fixture, 0, 0, 0, 0, 50, 50));
	forget(fixture);
	surface_unmap(fixture->surfaces[0]);
	heard(fixture, "nokeys A; ");
	assert_null(seat->keyboard.focus);
	keyboard_set_focus(seat, show(fixture, 1, 0, 0, 0, 50, 50));
	forget(fixture);
	destroy_surface(fixture, 1);
	heard(fixture, "nokeys B; ");
	key(&fixture->keyboard, KEY_A, true);
	heard(fixture, "");
}

static void modifiers_are_sent_on_change(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	keyboard_set_focus(seat, show(fixture, 0, 0, 0, 0, 50, 50));
	forget(fixture);
	key(&fixture->keyboard, KEY_LEFTSHIFT, true);
	heard(fixture, "down A 42; mods A 1 0; ");
	assert_int_equal(seat_modifiers(seat), SHIFT);
	key(&fixture->keyboard, KEY_LEFTSHIFT, false);
	heard(fixture, "up A 42; mods A 0 0; ");
	key(&fixture->keyboard, KEY_CAPSLOCK, true);
	key(&fixture->keyboard, KEY_CAPSLOCK, false);
	heard(fixture, "down A 58; mods A 2 2; up A 58; mods A 0 2; ");
	assert_int_equal(seat_modifiers(seat), LOCK);
}

static void count_leds(struct input_device *device, uint32_t leds)
{
	device->leds = leds;
}

static void leds_follow_locked_modifiers(void **state)
{
	struct seat_fixture *fixture = *state;
	fixture->keyboard.set_leds = count_leds;
	key(&fixture->keyboard, KEY_CAPSLOCK, true);
	assert_int_equal(fixture->keyboard.leds, 2);
	key(&fixture->keyboard, KEY_CAPSLOCK, false);
	key(&fixture->keyboard, KEY_NUMLOCK, true);
	key(&fixture->keyboard, KEY_NUMLOCK, false);
	assert_int_equal(fixture->keyboard.leds, 3);
	key(&fixture->keyboard, KEY_CAPSLOCK, true);
	key(&fixture->keyboard, KEY_CAPSLOCK, false);
	assert_int_equal(fixture->keyboard.leds, 1);
}

/* Shortcuts. */

struct binding {
	xkb_keysym_t wanted;
	int n_asked, n_released;
	uint32_t modifiers;
	xkb_keysym_t sym;
};

static bool filter(void *data, struct seat *seat, uint32_t modifiers, xkb_keysym_t sym,
	const struct input_key_event *event)
{
	struct binding *binding = data;
	if (!event->pressed) {
		assert_int_equal(sym, XKB_KEY_NoSymbol);
		binding->n_released++;
		return false;
	}
	binding->n_asked++;
	binding->modifiers = modifiers;
	binding->sym = sym;
	return sym == binding->wanted;
}

static void consumed_keys_reach_no_client(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	struct binding binding = {.wanted = XKB_KEY_q};
	seat->keyboard.filter = filter;
	seat->keyboard.filter_data = &binding;
	keyboard_set_focus(seat, show(fixture, 0, 0, 0, 0, 50, 50));
	forget(fixture);
	key(&fixture->keyboard, KEY_LEFTSHIFT, true);
	heard(fixture, "down A 42; mods A 1 0; ");
	/* The keysym is that of the unshifted level. */
	key(&fixture->keyboard, KEY_Q, true);
	assert_int_equal(binding.sym, XKB_KEY_q);
	assert_int_equal(binding.modifiers, SHIFT);
	/* A new focus receives neither the consumed press nor its release. */
	keyboard_set_focus(seat, show(fixture, 1, 1, 0, 0, 50, 50));
	heard(fixture, "nokeys A; keys B [42]; mods B 1 0; ");
	key(&fixture->keyboard, KEY_LEFTSHIFT, false);
	key(&fixture->keyboard, KEY_Q, false);
	heard(fixture, "up B 42; mods B 0 0; ");
	assert_int_equal(binding.n_asked, 2);
	assert_int_equal(binding.n_released, 1);
	binding.wanted = XKB_KEY_NoSymbol;
	key(&fixture->keyboard, KEY_Q, true);
	key(&fixture->keyboard, KEY_Q, false);
	heard(fixture, "down B 16; up B 16; ");
	seat->keyboard.filter = NULL;
}

/* Returns whether a key triggers the shortcut in the seat's layout. */
static bool finds(struct seat_fixture *fixture, xkb_keysym_t wanted, uint32_t code)
{
	struct seat *seat = fixture->seat;
	struct binding binding = {.wanted = wanted};
	seat->keyboard.filter = filter;
	seat->keyboard.filter_data = &binding;
	key(&fixture->keyboard, code, true);
	key(&fixture->keyboard, code, false);
	seat->keyboard.filter = NULL;
	return binding.sym == wanted;
}

static void use_layout(struct seat_fixture *fixture, const char *layout)
{
	assert_true(seat_set_keymap(fixture->seat, &(struct seat_keymap_names){.layout = layout}));
}

/*
 * A layout without Latin letters, such as Russian: shortcuts use their positions in the US layout.
 */
static void non_latin_layout_uses_us_positions(void **state)
{
	struct seat_fixture *fixture = *state;
	use_layout(fixture, "ru");
	assert_true(finds(fixture, XKB_KEY_q, KEY_Q));
	assert_true(finds(fixture, XKB_KEY_Cyrillic_shorti, KEY_Q));
	assert_true(finds(fixture, XKB_KEY_m, KEY_M));
	assert_true(finds(fixture, XKB_KEY_2, KEY_2));
	assert_true(finds(fixture, XKB_KEY_Return, KEY_ENTER));
	/* If the keyboard has a second, Latin layout, that one is used. */
	use_layout(fixture, "ru,fr");
	assert_true(finds(fixture, XKB_KEY_a, KEY_Q));
	assert_false(finds(fixture, XKB_KEY_q, KEY_Q));
	/* In the Hebrew layout, this key has an ASCII punctuation character. */
	use_layout(fixture, "il");
	assert_true(finds(fixture, XKB_KEY_q, KEY_Q));
}

/* A Latin layout keeps its own positions; digits may need Shift. */
static void latin_layout_keeps_its_positions(void **state)
{
	struct seat_fixture *fixture = *state;
	use_layout(fixture, "fr");
	assert_true(finds(fixture, XKB_KEY_a, KEY_Q));
	assert_false(finds(fixture, XKB_KEY_q, KEY_Q));
	assert_true(finds(fixture, XKB_KEY_ampersand, KEY_1));
	assert_true(finds(fixture, XKB_KEY_1, KEY_1));
	assert_true(finds(fixture, XKB_KEY_0, KEY_0));
	assert_false(finds(fixture, XKB_KEY_minus, KEY_MINUS));
	/* A second layout in another script has no effect while it is inactive. */
	use_layout(fixture, "fr,ru");
	assert_false(finds(fixture, XKB_KEY_q, KEY_Q));
}

/* Several keyboards. */

static void keys_of_all_keyboards_are_one_set(void **state)
{
	struct seat_fixture *fixture = *state;
	struct input_device other;
	input_device_init(&other, INPUT_KEYBOARD, "other");
	seat_add_device(fixture->seat, &other);
	keyboard_set_focus(fixture->seat, show(fixture, 0, 0, 0, 0, 50, 50));
	forget(fixture);
	key(&fixture->keyboard, KEY_A, true);
	key(&other, KEY_A, true);
	key(&fixture->keyboard, KEY_A, false);
	heard(fixture, "down A 30; ");
	key(&other, KEY_A, false);
	heard(fixture, "up A 30; ");
	/* Modifiers of one keyboard apply to the other. */
	key(&other, KEY_LEFTSHIFT, true);
	key(&fixture->keyboard, KEY_B, true);
	heard(fixture, "down A 42; mods A 1 0; down A 48; ");
	/* The keyboard is unplugged with a key down. */
	input_device_finish(&other);
	heard(fixture, "up A 42; mods A 0 0; ");
	key(&fixture->keyboard, KEY_B, false);
	heard(fixture, "up A 48; ");
}

static void number_of_held_keys_is_bounded(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat_keyboard *keyboard = &fixture->seat->keyboard;
	for (uint32_t code = 1; code <= SEAT_KEYS_MAX + 10; code++) {
		key(&fixture->keyboard, KEY_CNT - 1 - code, true);
	}
	assert_int_equal(keyboard->n_keys, SEAT_KEYS_MAX);
	for (uint32_t code = 1; code <= SEAT_KEYS_MAX + 10; code++) {
		key(&fixture->keyboard, KEY_CNT - 1 - code, false);
	}
	assert_int_equal(keyboard->n_keys, 0);
	key(&fixture->keyboard, UINT32_MAX, true);
	assert_int_equal(keyboard->n_keys, 0);
}

/* Keymaps. */

static void keymap_file_is_read_only(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat_keyboard *keyboard = &fixture->seat->keyboard;
	assert_true(keyboard->keymap_fd >= 0);
	assert_int_equal(keyboard->keymap_size, strlen(keyboard->keymap_string) + 1);
	/* Clients of old versions map it shared; writing is impossible. */
	void *data =
		mmap(NULL, keyboard->keymap_size, PROT_READ, MAP_SHARED, keyboard->keymap_fd, 0);
	assert_ptr_not_equal(data, MAP_FAILED);
	assert_string_equal(data, keyboard->keymap_string);
	munmap(data, keyboard->keymap_size);
	assert_ptr_equal(mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, keyboard->keymap_fd, 0),
		MAP_FAILED);
	assert_true(write(keyboard->keymap_fd, "x", 1) < 0);
	assert_true(ftruncate(keyboard->keymap_fd, 0) < 0);
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", keyboard->keymap_fd);
	int again = open(path, O_RDWR | O_CLOEXEC);
	if (again >= 0) {
		assert_true(write(again, "x", 1) < 0);
		assert_true(ftruncate(again, 0) < 0);
		close(again);
	}
}

static void new_keymap_keeps_held_keys(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	keyboard_set_focus(seat, show(fixture, 0, 0, 0, 0, 50, 50));
	key(&fixture->keyboard, KEY_LEFTSHIFT, true);
	forget(fixture);
	/* Held keys stay held. */
	assert_true(seat_set_keymap(seat, &(struct seat_keymap_names){.layout = "de"}));
	heard(fixture, "keymap; mods A 1 0; ");
	assert_int_equal(seat_modifiers(seat), SHIFT);
	key(&fixture->keyboard, KEY_LEFTSHIFT, false);
	heard(fixture, "up A 42; mods A 0 0; ");
	/* An unknown keymap changes nothing. */
	const struct xkb_keymap *before = seat->keyboard.keymap;
	assert_false(seat_set_keymap(
		seat, &(struct seat_keymap_names){.rules = "none", .layout = "nowhere"}));
	assert_ptr_equal(seat->keyboard.keymap, before);
	heard(fixture, "");
	seat_set_repeat(seat, 40, 300);
	heard(fixture, "repeat 40 300; ");
	seat_set_repeat(seat, 40, 300);
	heard(fixture, "");
}

static void device_keymap_follows_its_use(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	struct input_device other;
	input_device_init(&other, INPUT_KEYBOARD, "virtual");
	seat_add_device(seat, &other);
	struct surface *a = show(fixture, 0, 0, 0, 0, 50, 50);
	keyboard_set_focus(seat, a);
	char *text = foreign_keymap(seat->keyboard.context);
	struct input_keymap_event event = {.keymap = text};
	forget(fixture);
	signal_emit(&other.events.keymap, &event);
	assert_false(event.refused);
	/* A device's own keymap is active while the device is used. */
	heard(fixture, "");
	key(&other, KEY_LEFTSHIFT, true);
	heard(fixture, "keymap; mods A 0 0; down A 42; ");
	assert_string_equal(seat->keyboard.keymap_string, text);
	struct input_modifiers_event modifiers = {.depressed = SHIFT};
	signal_emit(&other.events.modifiers, &modifiers);
	heard(fixture, "mods A 1 0; ");
	key(&fixture->keyboard, KEY_A, true);
	heard(fixture, "keymap; mods A 0 0; down A 30; ");
	key(&other, KEY_B, true);
	heard(fixture, "keymap; mods A 1 0; down A 48; ");
	/* An invalid keymap is refused, and the device keeps its keymap. */
	struct input_keymap_event bad = {.keymap = "xkb_keymap {"};
	signal_emit(&other.events.keymap, &bad);
	assert_true(bad.refused);
	heard(fixture, "");
	input_device_finish(&other);
	heard(fixture, "up A 42; up A 48; keymap; mods A 0 0; ");
	key(&fixture->keyboard, KEY_A, false);
	heard(fixture, "up A 30; ");
	free(text);
}

/* Adds a client's keyboard with a keymap of its own. */
static void add_virtual(struct seat_fixture *fixture, struct input_device *device)
{
	char *text = foreign_keymap(fixture->seat->keyboard.context);
	struct input_keymap_event event = {.keymap = text};
	input_device_init(device, INPUT_KEYBOARD, "virtual");
	device->client = device;
	seat_add_device(fixture->seat, device);
	signal_emit(&device->events.keymap, &event);
	assert_false(event.refused);
	free(text);
}

static void hold_shift(struct input_device *device, bool pressed)
{
	key(device, KEY_LEFTSHIFT, pressed);
	if (device->client) {
		struct input_modifiers_event event = {.depressed = pressed ? SHIFT : 0};
		signal_emit(&device->events.modifiers, &event);
	}
}

static uint32_t modifiers_of_typing(struct seat_fixture *fixture, struct input_device *device)
{
	key(device, KEY_A, true);
	const uint32_t modifiers = seat_modifiers(fixture->seat);
	key(device, KEY_A, false);
	return modifiers;
}

/*
 * The seat's keymap or that of a keyboard changes while Shift is held on a client's keyboard, on
 * the user's, or on another one of the user's with a keymap of its own: it ends with the release.
 */
static void held_keys_stay_with_the_keymap_of_their_keyboard(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	static const struct seat_keymap_names layouts[] = {
		{.layout = "us"}, {.layout = "de"}, {.layout = "fr"}};
	struct input_device client, second;
	add_virtual(fixture, &client);
	input_device_init(&second, INPUT_KEYBOARD, "second");
	seat_add_device(seat, &second);
	assert_true(seat_configure_keyboard(seat, &second, &layouts[2], -1, -1));
	keyboard_set_focus(seat, show(fixture, 0, 0, 0, 0, 50, 50));
	struct input_device *const devices[] = {&client, &fixture->keyboard, &second};
	for (int i = 0; i < 3 * 4; i++) {
		struct input_device *holder = devices[i % 3];
		hold_shift(holder, true);
		switch (i / 3) {
		case 0: assert_true(seat_set_keymap(seat, &layouts[1])); break;
		case 1: assert_true(seat_set_keymap(seat, &layouts[0])); break;
		case 2:
			assert_true(seat_configure_keyboard(seat, &second, &layouts[1], -1, -1));
			break;
		default: assert_true(seat_configure_keyboard(seat, &second, NULL, -1, -1)); break;
		}
		assert_int_equal(modifiers_of_typing(fixture, holder), SHIFT);
		hold_shift(holder, false);
		for (int each = 0; each < 3; each++) {
			assert_int_equal(modifiers_of_typing(fixture, devices[each]), 0);
		}
	}
	input_device_finish(&client);
	input_device_finish(&second);
}

static void next_layout_is_that_of_the_users_keyboard(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	struct input_device client;
	add_virtual(fixture, &client);
	assert_true(seat_set_keymap(seat, &(struct seat_keymap_names){.layout = "us,de"}));
	for (uint32_t i = 1; i <= 4; i++) {
		if (i != 3) {
			modifiers_of_typing(fixture, &fixture->keyboard);
		}
		modifiers_of_typing(fixture, &client);
		seat_next_layout(seat);
		assert_int_equal(seat->keyboard.modifiers.group, i % 2);
		modifiers_of_typing(fixture, &fixture->keyboard);
		assert_int_equal(seat->keyboard.modifiers.group, i % 2);
	}
	input_device_finish(&client);
}

/* Grabs. */

struct test_grab {
	struct keyboard_grab base;
	int n_keys, n_modifiers, n_ends;
};

static void grab_key(struct keyboard_grab *base, const struct input_key_event *event)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	grab->n_keys++;
}

static void grab_modifiers(struct keyboard_grab *base)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	grab->n_modifiers++;
}

static void grab_end(struct keyboard_grab *base)
{
	struct test_grab *grab = wl_container_of(base, grab, base);
	grab->n_ends++;
}

static const struct keyboard_grab_impl grab_impl = {
	.key = grab_key,
	.modifiers = grab_modifiers,
	.end = grab_end,
};

static void grab_receives_keys_until_it_ends(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	struct test_grab grab = {.base.impl = &grab_impl};
	keyboard_set_focus(seat, show(fixture, 0, 0, 0, 0, 50, 50));
	forget(fixture);
	keyboard_start_grab(seat, &grab.base);
	key(&fixture->keyboard, KEY_LEFTSHIFT, true);
	heard(fixture, "");
	assert_int_equal(grab.n_keys, 1);
	assert_int_equal(grab.n_modifiers, 1);
	keyboard_send_modifiers(seat);
	heard(fixture, "mods A 1 0; ");
	keyboard_end_grab(seat);
	keyboard_end_grab(seat);
	assert_int_equal(grab.n_ends, 1);
	key(&fixture->keyboard, KEY_LEFTSHIFT, false);
	heard(fixture, "up A 42; mods A 0 0; ");
}

static void configured_keymaps_are_shared(void **state)
{
	static const struct seat_keymap_names german = {.layout = "de"}, nowhere = {.layout = "xy"};
	static const struct seat_keymap_names usual = {0};
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	struct input_device second, third;
	input_device_init(&second, INPUT_KEYBOARD, "second");
	input_device_init(&third, INPUT_KEYBOARD, "third");
	assert_false(seat_configure_keyboard(seat, &second, &german, -1, -1));
	seat_add_device(seat, &second);
	seat_add_device(seat, &third);
	keyboard_set_focus(seat, show(fixture, 0, 0, 0, 0, 50, 50));
	forget(fixture);
	assert_true(seat_configure_keyboard(seat, &second, &german, -1, -1));
	assert_true(seat_configure_keyboard(seat, &third, &german, 10, 200));
	assert_true(seat_configure_keyboard(seat, &fixture->keyboard, &usual, -1, -1));
	assert_false(seat_configure_keyboard(seat, &second, &nowhere, -1, -1));
	heard(fixture, "");
	/*
	 * Clients get the keymap when the keyboard is used; keyboards with the same names share one
	 * keymap.
	 */
	key(&second, KEY_LEFTSHIFT, true);
	heard(fixture, "keymap; mods A 0 0; down A 42; mods A 1 0; ");
	assert_int_equal(seat->keyboard.repeat_rate, 25);
	key(&third, KEY_Y, true);
	heard(fixture, "repeat 10 200; down A 21; ");
	assert_int_equal(seat->keyboard.repeat_rate, 10);
	assert_int_equal(seat->keyboard.repeat_delay, 200);
	xkb_keysym_t sym = xkb_state_key_get_one_sym(seat->keyboard.state, KEY_Y + 8);
	assert_int_equal(sym, XKB_KEY_Z);
	key(&third, KEY_Y, false);
	key(&second, KEY_LEFTSHIFT, false);
	key(&fixture->keyboard, KEY_Y, true);
	sym = xkb_state_key_get_one_sym(seat->keyboard.state, KEY_Y + 8);
	assert_int_equal(sym, XKB_KEY_y);
	key(&fixture->keyboard, KEY_Y, false);
	/* Held modifiers stay held when the keyboard's keymap changes. */
	key(&second, KEY_LEFTSHIFT, true);
	forget(fixture);
	assert_true(seat_configure_keyboard(seat, &second, NULL, -1, -1));
	heard(fixture, "keymap; mods A 1 0; ");
	key(&second, KEY_LEFTSHIFT, false);
	heard(fixture, "up A 42; mods A 0 0; ");
	/* The last keyboard with this keymap is removed while the keymap is active. */
	key(&third, KEY_A, true);
	forget(fixture);
	input_device_finish(&third);
	heard(fixture, "up A 30; keymap; mods A 0 0; ");
	key(&second, KEY_A, true);
	heard(fixture, "repeat 25 600; down A 30; ");
	assert_int_equal(seat->keyboard.repeat_rate, 25);
	input_device_finish(&second);
}

static void missing_xkb_data_leaves_keys_without_keymap(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	const struct seat_keymap_names names = {.layout = "de"};
	assert_false(seat_configure_keyboard(seat, &fixture->keyboard, &names, 25, 600));
	keyboard_set_focus(seat, show(fixture, 0, 0, 0, 0, 50, 50));
	key(&fixture->keyboard, KEY_A, true);
	key(&fixture->keyboard, KEY_A, false);
}

static int setup_without_xkb_data(void **state)
{
	setenv("XKB_CONFIG_ROOT", "/nonexistent", 1);
	setenv("HOME", "/nonexistent", 1);
	return seat_setup(state);
}

static int teardown_without_xkb_data(void **state)
{
	unsetenv("XKB_CONFIG_ROOT");
	return seat_teardown(state);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, seat_setup, seat_teardown)
	const struct CMUnitTest tests[] = {
		TEST(focus_receives_keys_and_modifiers),
		TEST(destroyed_focus_is_cleared),
		TEST(modifiers_are_sent_on_change),
		TEST(leds_follow_locked_modifiers),
		TEST(consumed_keys_reach_no_client),
		TEST(non_latin_layout_uses_us_positions),
		TEST(latin_layout_keeps_its_positions),
		TEST(keys_of_all_keyboards_are_one_set),
		TEST(number_of_held_keys_is_bounded),
		TEST(keymap_file_is_read_only),
		TEST(new_keymap_keeps_held_keys),
		TEST(device_keymap_follows_its_use),
		TEST(grab_receives_keys_until_it_ends),
		cmocka_unit_test_setup_teardown(
			configured_keymaps_are_shared, seat_setup, seat_teardown),
		cmocka_unit_test_setup_teardown(missing_xkb_data_leaves_keys_without_keymap,
			setup_without_xkb_data, teardown_without_xkb_data),
		TEST(held_keys_stay_with_the_keymap_of_their_keyboard),
		TEST(next_layout_is_that_of_the_users_keyboard),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
