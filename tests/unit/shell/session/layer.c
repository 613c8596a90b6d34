/* SPDX-License-Identifier: MIT */
/* Layer surfaces in the shell: exclusive zones and keyboard focus. */

#include "harness/shell.h"
#include "shell/windows/windows.h"
#include <linux/input-event-codes.h>

struct test_layer {
	struct layer *layer;
	struct surface *surface;
	int32_t width, height;
	int n_placed;
	bool closed;
};

static void configure_layer(struct layer *layer, int32_t width, int32_t height)
{
	struct test_layer *self = layer->data;
	self->width = width;
	self->height = height;
}

static void closed(struct layer *layer)
{
	struct test_layer *self = layer->data;
	self->closed = true;
}

static void placed(struct layer *layer)
{
	struct test_layer *self = layer->data;
	self->n_placed++;
}

static const struct layer_impl layer_impl = {
	.configure = configure_layer,
	.closed = closed,
	.placed = placed,
};

static void add_layer(
	struct shell_fixture *fixture, struct test_layer *self, enum shell_layer layer)
{
	self->surface = surface_create(NULL, NULL);
	self->surface->current.has_content = true;
	self->layer = layer_create(
		fixture->shell, self->surface, &layer_impl, self, fixture->outputs[0].shown, layer);
	self->layer->configured = true;
}

static void show_layer(struct test_layer *self)
{
	shell_arrange_layers(self->layer->shell, self->layer->output);
	surface_map(self->surface);
	layer_map(self->layer);
}

static void remove_layer(struct test_layer *self)
{
	surface_unmap(self->surface);
	layer_destroy(self->layer);
	surface_destroy(self->surface);
}

static void exclusive_zone_shrinks_maximised_windows(void **state)
{
	struct shell_fixture *fixture = *state;
	struct test_layer panel = {0};
	struct window *a = map(fixture, 0, 300, 200);
	window_request_maximize(a, true);
	obey(&fixture->windows[0]);

	add_layer(fixture, &panel, SHELL_TOP);
	panel.layer->anchor = 1 | 4 | 8; /* top, left, right */
	panel.layer->height = 30;
	panel.layer->exclusive_zone = 30;
	show_layer(&panel);
	assert_int_equal(panel.width, 1000);
	assert_int_equal(panel.height, 30);
	assert_int_equal(panel.n_placed, 1);
	assert_int_equal(fixture->windows[0].configure.height, 570);
	obey(&fixture->windows[0]);
	assert_box(a, 0, 30, 1000, 570);
	assert_ptr_equal(fixture->seat->keyboard.focus, a->surface);

	layer_unmap(panel.layer);
	obey(&fixture->windows[0]);
	assert_box(a, 0, 0, 1000, 600);
	remove_layer(&panel);
}

static void exclusive_layer_holds_the_keyboard(void **state)
{
	struct shell_fixture *fixture = *state;
	struct test_layer lock = {0}, launcher = {0};
	struct window *a = map(fixture, 0, 100, 100);
	window_move_to(a, 800, 400);

	add_layer(fixture, &launcher, SHELL_TOP);
	launcher.layer->width = launcher.layer->height = 100;
	launcher.layer->keyboard = LAYER_KEYBOARD_ON_DEMAND;
	show_layer(&launcher);
	assert_ptr_equal(fixture->seat->keyboard.focus, launcher.surface);
	window_focus(a);
	assert_ptr_equal(fixture->seat->keyboard.focus, a->surface);

	add_layer(fixture, &lock, SHELL_OVERLAY);
	lock.layer->width = lock.layer->height = 50;
	lock.layer->keyboard = LAYER_KEYBOARD_EXCLUSIVE;
	show_layer(&lock);
	assert_ptr_equal(fixture->seat->keyboard.focus, lock.surface);
	window_focus(a);
	map(fixture, 1, 100, 100);
	assert_ptr_equal(fixture->seat->keyboard.focus, lock.surface);
	lock.layer->keyboard = LAYER_KEYBOARD_NONE;
	shell_arrange_layers(fixture->shell, lock.layer->output);
	assert_ptr_equal(fixture->seat->keyboard.focus, fixture->windows[1].surface);

	/* A layer below the windows cannot keep the keyboard exclusively. */
	lock.layer->keyboard = LAYER_KEYBOARD_EXCLUSIVE;
	lock.layer->layer = SHELL_BOTTOM;
	shell_arrange_layers(fixture->shell, lock.layer->output);
	assert_ptr_equal(fixture->seat->keyboard.focus, fixture->windows[1].surface);
	unplug(fixture, 0);
	assert_true(lock.closed && launcher.closed);
	remove_layer(&lock);
	remove_layer(&launcher);
}

/* Mapping a window or its menu does not take the keyboard from a prompt. */
static void prompt_keeps_the_keyboard(void **state)
{
	struct shell_fixture *fixture = *state;
	struct test_layer prompt = {0};
	struct surface *menu = surface_create(NULL, NULL);
	map(fixture, 0, 100, 100);
	shell_set_popup_focus(fixture->shell, menu);
	assert_ptr_equal(fixture->seat->keyboard.focus, menu);
	add_layer(fixture, &prompt, SHELL_OVERLAY);
	prompt.layer->width = prompt.layer->height = 50;
	prompt.layer->keyboard = LAYER_KEYBOARD_EXCLUSIVE;
	show_layer(&prompt);
	assert_ptr_equal(fixture->seat->keyboard.focus, prompt.surface);
	shell_set_popup_focus(fixture->shell, NULL);
	shell_set_popup_focus(fixture->shell, menu);
	assert_ptr_equal(fixture->seat->keyboard.focus, prompt.surface);
	shell_set_popup_focus(fixture->shell, NULL);

	prompt.layer->layer = SHELL_BOTTOM;
	shell_arrange_layers(fixture->shell, prompt.layer->output);
	move_to(fixture, 500, 300);
	focus_layer(fixture->shell, prompt.layer);
	assert_ptr_equal(fixture->seat->keyboard.focus, prompt.surface);
	map(fixture, 1, 100, 100);
	assert_ptr_equal(fixture->seat->keyboard.focus, prompt.surface);
	remove_layer(&prompt);
	assert_ptr_equal(fixture->seat->keyboard.focus, fixture->windows[1].surface);
	surface_destroy(menu);
}

/* Ways in which the user leaves a panel or launcher that has the keyboard. */
static void leave(struct shell_fixture *fixture, int way)
{
	struct shell *shell = fixture->shell;
	switch (way) {
	case 0: assert_true(run(fixture, "workspace", "2")); break;
	case 1: assert_true(run(fixture, "focus-output", "right")); break;
	case 2:
	case 3:
		move_to(fixture, 600, 300); /* the desktop, or the wallpaper on it */
		button(fixture, BTN_LEFT, true);
		button(fixture, BTN_LEFT, false);
		break;
	case 4: map(fixture, 2, 100, 100); break;
	default: window_focus(shell->focus); break;
	}
}

/* The window that looks focused has the keyboard; a panel loses it, a prompt does not. */
static void keys_follow_the_active_window(void **state)
{
	for (int way = 0; way < 6 * 2; way++) {
		struct shell_fixture *fixture = *state;
		struct test_layer panel = {0}, wallpaper = {0}, keyboard = {0};
		const bool exclusive = way >= 6;
		map(fixture, 0, 100, 100);
		plug(fixture, 1, 1000);
		shell_switch_workspace(fixture->shell, "2");
		struct window *other = map(fixture, 1, 100, 100);
		shell_switch_workspace(fixture->shell, "1");
		window_move_to(other, 10, 10);
		if (way % 6 == 3) {
			add_layer(fixture, &wallpaper, SHELL_BACKGROUND);
			wallpaper.layer->width = 1000;
			wallpaper.layer->height = 600;
			show_layer(&wallpaper);
		}
		add_layer(fixture, &panel, SHELL_TOP);
		panel.layer->width = panel.layer->height = 50;
		panel.layer->keyboard =
			exclusive ? LAYER_KEYBOARD_EXCLUSIVE : LAYER_KEYBOARD_ON_DEMAND;
		show_layer(&panel);
		add_layer(fixture, &keyboard, SHELL_OVERLAY);
		keyboard.layer->width = keyboard.layer->height = 50;
		keyboard.layer->anchor = 2; /* bottom */
		show_layer(&keyboard);
		assert_ptr_equal(fixture->seat->keyboard.focus, panel.surface);
		/* A panel without keys, such as a keyboard on the screen, takes none. */
		focus_data(fixture->shell, keyboard.layer);
		assert_ptr_equal(fixture->seat->keyboard.focus, panel.surface);

		leave(fixture, way % 6);
		const struct window *focus = fixture->shell->focus;
		assert_ptr_equal(fixture->seat->keyboard.focus, exclusive ? panel.surface
								: focus   ? focus->surface
									  : NULL);
		assert_true(exclusive || !focus || focus->states & WINDOW_ACTIVATED);
		remove_layer(&keyboard);
		remove_layer(&panel);
		if (wallpaper.layer) {
			remove_layer(&wallpaper);
		}
		tear_down_shell(state);
		set_up_shell(state);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(exclusive_zone_shrinks_maximised_windows),
		TEST(exclusive_layer_holds_the_keyboard),
		TEST(prompt_keeps_the_keyboard),
		TEST(keys_follow_the_active_window),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
