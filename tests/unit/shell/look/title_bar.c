/* SPDX-License-Identifier: MIT */
/* Buttons of title bars: actions, releases elsewhere, images, and narrow windows. */

#include "buffer/buffer.h"
#include "harness/shell.h"
#include "shell/look/decoration.h"
#include "shell/look/look.h"
#include <linux/input-event-codes.h>

#define HEIGHT 28 /* the default, also the width of a button */

/* A window of 300x200 at 100,100, with a frame. */
static struct window *create(struct shell_fixture *fixture)
{
	struct window *window = map(fixture, 0, 300, 200);
	window_set_decorated(window, true);
	window_move_to(window, 100, 100);
	return window;
}

/* Moves the pointer to the button that is the n-th from the right. */
static void move_to_button(struct shell_fixture *fixture, int n)
{
	move_to(fixture, 400 - HEIGHT / 2 - n * HEIGHT, 100 - HEIGHT / 2);
}

static void click(struct shell_fixture *fixture, int n)
{
	move_to_button(fixture, n);
	button(fixture, BTN_LEFT, true);
	button(fixture, BTN_LEFT, false);
}

static const struct buffer *shown(const struct window *window, int i)
{
	return window->private->decoration->bar.buttons[i]->buffer;
}

static void buttons_act_on_release(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *window = create(fixture);
	move_to_button(fixture, 1);
	button(fixture, BTN_LEFT, true);
	assert_false(window->states & WINDOW_MAXIMIZED);
	button(fixture, BTN_LEFT, false);
	assert_true(window->states & WINDOW_MAXIMIZED);
	obey(&fixture->windows[0]);
	window_request_maximize(window, false);
	obey(&fixture->windows[0]);
	assert_false(window->minimized);
	click(fixture, 2);
	assert_true(window->minimized);
}

static void release_elsewhere_cancels_the_press(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *window = create(fixture);
	move_to_button(fixture, 1);
	button(fixture, BTN_LEFT, true);
	move_to_button(fixture, 2);
	button(fixture, BTN_LEFT, false);
	assert_false(window->states & WINDOW_MAXIMIZED);
	assert_false(window->minimized);
	assert_box(window, 100, 100, 300, 200);

	/* The window goes while its button is held. */
	move_to_button(fixture, 1);
	button(fixture, BTN_LEFT, true);
	unmap(fixture, 0);
	button(fixture, BTN_LEFT, false);
	assert_null(fixture->seat->pointer.grab);
}

static void button_images_follow_pointer_and_state(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *window = create(fixture);
	const struct buffer *normal = shown(window, 1);
	assert_non_null(normal);
	move_to_button(fixture, 1);
	const struct buffer *hovered = shown(window, 1);
	assert_ptr_not_equal(hovered, normal);
	button(fixture, BTN_LEFT, true);
	assert_ptr_not_equal(shown(window, 1), hovered);
	move_to(fixture, 120, 90);
	assert_ptr_equal(shown(window, 1), normal);
	move_to_button(fixture, 1);
	assert_ptr_not_equal(shown(window, 1), normal);
	button(fixture, BTN_LEFT, false);
	obey(&fixture->windows[0]);
	move_to(fixture, 500, 400);
	assert_ptr_not_equal(shown(window, 1), normal); /* now it restores */
}

static void windows_share_images_of_buttons(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200), *b = map(fixture, 1, 300, 200);
	struct window *c = map(fixture, 2, 300, 200);
	window_set_decorated(a, true);
	window_set_decorated(b, true);
	window_set_decorated(c, true);
	assert_ptr_equal(shown(a, 0), shown(b, 0));
	assert_ptr_not_equal(shown(b, 0), shown(c, 0)); /* c has the focus */
	const struct buffer *last = shown(a, 0);
	draw(&fixture->windows[0], 320, 200);
	assert_ptr_equal(shown(a, 0), last);
}

static bool is_enabled(const struct window *window, int i)
{
	return window->private->decoration->bar.buttons[i]->node.enabled;
}

static void narrow_window_keeps_the_last_buttons(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *window = map(fixture, 0, 3 * HEIGHT, 200);
	window_set_decorated(window, true);
	window_move_to(window, 100, 100);
	assert_false(is_enabled(window, 0));
	assert_true(is_enabled(window, 1));
	assert_true(is_enabled(window, 2));
	draw(&fixture->windows[0], HEIGHT, 200);
	assert_false(is_enabled(window, 2));
	struct coord_global at = {100 + HEIGHT / 2.0, 90};
	assert_int_equal(title_bar_button_at(window, at), CONFIG_BUTTON_NONE);
	draw(&fixture->windows[0], 300, 200);
	assert_true(is_enabled(window, 0));
	window_request_fullscreen(window, true, NULL);
	obey(&fixture->windows[0]);
	assert_false(is_enabled(window, 2));
}

static void configuration_orders_buttons(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *window = create(fixture);
	struct config *config = config_create_default();
	config->decoration.buttons[0] = CONFIG_BUTTON_CLOSE;
	config->decoration.buttons[1] = CONFIG_BUTTON_NONE;
	config->decoration.title_height = 40;
	shell_set_config(fixture->shell, config);
	assert_int_equal(window_frame(window).top, 40 + config->look.border);
	struct coord_global at = {390, 70};
	assert_int_equal(title_bar_button_at(window, at), CONFIG_BUTTON_CLOSE);
	at.x = 350;
	assert_int_equal(title_bar_button_at(window, at), CONFIG_BUTTON_NONE);
	assert_true(is_enabled(window, 0));
	assert_false(is_enabled(window, 1));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(buttons_act_on_release),
		TEST(release_elsewhere_cancels_the_press),
		TEST(button_images_follow_pointer_and_state),
		TEST(windows_share_images_of_buttons),
		TEST(narrow_window_keeps_the_last_buttons),
		TEST(configuration_orders_buttons),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
