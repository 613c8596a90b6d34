/* SPDX-License-Identifier: MIT */
/* zwp_input_popup_surface_v2: placement, visibility and stacking. */

#include "harness/client/text_input.h"
#include "harness/client/xdg_peer.h"
#include "harness/hand.h"
#include "seat/seat.h"
#include "wlr-layer-shell-unstable-v1-client-protocol.h"
#include <stdlib.h>

#define GREEN 0x00ff00

/**
 * A window of 100x80 with a field whose cursor is 2x16 at 10, 20, and an input method with a popup.
 */
struct desk {
	struct test *test;
	struct peer_window *window;
	struct field *field;
	struct peer *other; /* the input method's client */
	struct typist *typist;
	struct notes notes; /* of the popup */
	struct wl_surface *surface; /* 60x40, green */
	struct peer_buffer *buffer;
	struct zwp_input_popup_surface_v2 *popup;
};

static void handle_rectangle(void *data, struct zwp_input_popup_surface_v2 *popup, int32_t x,
	int32_t y, int32_t width, int32_t height)
{
	struct desk *desk = data;
	notes_add(&desk->notes, "text %d %d %d %d; ", x, y, width, height);
}

static const struct zwp_input_popup_surface_v2_listener popup_listener = {
	.text_input_rectangle = handle_rectangle,
};

static void enable_at(struct field *field, int32_t x, int32_t y)
{
	zwp_text_input_v3_enable(field->input);
	zwp_text_input_v3_set_cursor_rectangle(field->input, x, y, 2, 16);
	zwp_text_input_v3_commit(field->input);
	fixture_pump(field->peer->fixture);
}

static void create_popup(struct desk *desk)
{
	desk->surface = wl_compositor_create_surface(desk->other->compositor);
	desk->popup =
		zwp_input_method_v2_get_input_popup_surface(desk->typist->method, desk->surface);
	zwp_input_popup_surface_v2_add_listener(desk->popup, &popup_listener, desk);
	desk->buffer = peer_buffer_create(desk->other, 60, 40, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(desk->buffer, 0, 0, 60, 40, 0xff000000 | GREEN);
	peer_surface_show(desk->surface, desk->buffer);
	fixture_settle(desk->test->fixture);
}

static struct desk *desk_create(struct test *test)
{
	struct desk *desk = calloc(1, sizeof(*desk));
	desk->test = test;
	desk->notes.fixture = test->fixture;
	desk->window = peer_window_create(test->peer, 50, 60, 100, 80, 0xff336699);
	desk->field = field_create(test->peer);
	desk->other = peer_create(test->fixture);
	desk->typist = typist_create(desk->other);
	point(test, 399, 299);
	create_popup(desk);
	return desk;
}

/* Destroys the remaining objects too: peers live until the fixture goes. */
static void desk_destroy(struct desk *desk)
{
	if (desk->other) {
		peer_destroy(desk->other);
	}
	if (desk->test->peer) {
		peer_destroy(desk->test->peer);
		desk->test->peer = NULL;
	}
	fixture_settle(desk->test->fixture);
	free(desk->field);
	free(desk->typist);
	free(desk);
}

static void expect_at(struct desk *desk, int x, int y)
{
	fixture_settle(desk->test->fixture);
	const struct scene_surface *content =
		scene_surface_find(peer_surface_find(desk->other, desk->surface));
	int at_x, at_y;
	assert_non_null(content);
	assert_true(scene_node_coords(&content->node, &at_x, &at_y));
	assert_int_equal(at_x, x);
	assert_int_equal(at_y, y);
	assert_int_equal(fixture_pixel(desk->test->fixture, x, y), GREEN);
	assert_int_equal(fixture_pixel(desk->test->fixture, x + 59, y + 39), GREEN);
}

static void expect_hidden(struct desk *desk)
{
	fixture_settle(desk->test->fixture);
	struct image *image = fixture_shot(desk->test->fixture, 0);
	for (int i = 0; i < image->width * image->height; i++) {
		assert_int_not_equal(image->pixels[i], GREEN);
	}
	image_destroy(image);
}

static void popup_is_placed_at_the_text_cursor(void **state)
{
	struct desk *desk = desk_create(*state);
	struct zwp_text_input_v3 *input = desk->field->input;
	expect_hidden(desk);
	heard(desk, "");
	enable_at(desk->field, 10, 20);
	expect_at(desk, 60, 96);
	heard(desk, "text 0 -16 2 16; ");
	/* Negative sizes count as none. */
	zwp_text_input_v3_set_cursor_rectangle(input, 20, 30, -3, -4);
	zwp_text_input_v3_commit(input);
	expect_at(desk, 70, 90);
	heard(desk, "text 0 0 0 0; ");
	/* The popup follows the cursor and the window. */
	zwp_text_input_v3_set_cursor_rectangle(input, 20, 30, 1, 10);
	zwp_text_input_v3_commit(input);
	expect_at(desk, 70, 100);
	heard(desk, "text 0 -10 1 10; ");
	peer_window_place(desk->window, 80, 70);
	expect_at(desk, 100, 110);
	heard(desk, "");
	/* Above the text where there is no room below, and always within the output. */
	peer_window_place(desk->window, 80, 230);
	expect_at(desk, 100, 220);
	heard(desk, "text 0 40 1 10; ");
	peer_window_place(desk->window, 330, 70);
	expect_at(desk, 340, 110);
	heard(desk, "text 10 -10 1 10; ");
	zwp_text_input_v3_set_cursor_rectangle(input, INT32_MAX, INT32_MIN, INT32_MAX, -1);
	zwp_text_input_v3_commit(input);
	fixture_settle(desk->test->fixture);
	zwp_text_input_v3_set_cursor_rectangle(input, -200, 0, 1, 10);
	zwp_text_input_v3_commit(input);
	expect_at(desk, 130, 80);
	/* Without a cursor rectangle, the popup is placed below the whole window. */
	peer_window_place(desk->window, 50, 60);
	field_enable(desk->field);
	expect_at(desk, 50, 140);
	desk_destroy(desk);
}

/* The popup is visible while a text field is active and while it has content. */
static void popup_is_visible_while_a_field_is_active(void **state)
{
	struct desk *desk = desk_create(*state);
	enable_at(desk->field, 10, 20);
	expect_at(desk, 60, 96);
	field_disable(desk->field);
	expect_hidden(desk);
	forget(desk);
	enable_at(desk->field, 10, 20);
	expect_at(desk, 60, 96);
	heard(desk, "text 0 -16 2 16; ");
	wl_surface_attach(desk->surface, NULL, 0, 0);
	wl_surface_commit(desk->surface);
	expect_hidden(desk);
	/* A larger buffer, which does not fit below. */
	peer_window_place(desk->window, 50, 200);
	struct peer_buffer *larger =
		peer_buffer_create(desk->other, 60, 80, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(larger, 0, 0, 60, 80, 0xff000000 | GREEN);
	peer_surface_show(desk->surface, larger);
	expect_at(desk, 60, 140);
	peer_surface_show(desk->surface, desk->buffer);
	expect_at(desk, 60, 236);
	/* Another window gets the keyboard focus; its client has a field, too. */
	struct peer *reader = peer_create(desk->test->fixture);
	struct field *field = field_create(reader);
	peer_window_create(reader, 200, 10, 100, 100, 0xffffffff);
	expect_hidden(desk);
	enable_at(field, 5, 5);
	expect_at(desk, 205, 31);
	peer_destroy(reader);
	expect_hidden(desk);
	free(field);
	desk_destroy(desk);
}

/* Of two popups, one is destroyed. */
static void second_popup_goes_without_the_first(void **state)
{
	struct desk *desk = desk_create(*state);
	enable_at(desk->field, 10, 20);
	struct wl_surface *first = desk->surface;
	struct zwp_input_popup_surface_v2 *popup = desk->popup;
	expect_at(desk, 60, 96);
	create_popup(desk);
	expect_at(desk, 60, 96);
	zwp_input_popup_surface_v2_destroy(desk->popup);
	fixture_settle(desk->test->fixture);
	desk->surface = first;
	expect_at(desk, 60, 96);
	zwp_input_popup_surface_v2_destroy(popup);
	expect_hidden(desk);
	assert_true(peer_alive(desk->other));
	/* The surface can become a popup again. */
	desk->popup = zwp_input_method_v2_get_input_popup_surface(desk->typist->method, first);
	zwp_input_popup_surface_v2_add_listener(desk->popup, &popup_listener, desk);
	expect_at(desk, 60, 96);
	desk_destroy(desk);
}

/* Destruction in any order. */
static void popup_hides_when_its_window_or_input_method_goes(void **state)
{
	struct desk *desk = desk_create(*state);
	enable_at(desk->field, 10, 20);
	expect_at(desk, 60, 96);
	typist_destroy(desk->typist);
	expect_hidden(desk);
	peer_surface_show(desk->surface, desk->buffer);
	expect_hidden(desk);
	zwp_input_popup_surface_v2_destroy(desk->popup);
	desk->typist = typist_create(desk->other);
	create_popup(desk);
	expect_at(desk, 60, 96);
	/* The window is destroyed first, then its client. */
	peer_window_destroy(desk->window);
	expect_hidden(desk);
	desk->window = peer_window_create(desk->test->peer, 50, 60, 100, 80, 0xff336699);
	enable_at(desk->field, 10, 20);
	expect_at(desk, 60, 96);
	wl_surface_attach(desk->window->surface, NULL, 0, 0);
	wl_surface_commit(desk->window->surface);
	expect_hidden(desk);
	desk->window = peer_window_create(desk->test->peer, 50, 60, 100, 80, 0xff336699);
	enable_at(desk->field, 10, 20);
	expect_at(desk, 60, 96);
	peer_destroy(desk->test->peer);
	desk->test->peer = NULL;
	expect_hidden(desk);
	assert_true(peer_alive(desk->other));
	desk_destroy(desk);
}

static void popup_goes_with_its_client(void **state)
{
	struct desk *desk = desk_create(*state);
	enable_at(desk->field, 10, 20);
	expect_at(desk, 60, 96);
	peer_destroy(desk->other);
	desk->other = NULL;
	expect_hidden(desk);
	assert_true(peer_alive(desk->test->peer));
	desk_destroy(desk);
}

/* A text field in a menu: a click on the popup counts as a click in the menu. */
static void click_on_the_popup_keeps_the_menu_open(void **state)
{
	struct test *test = *state;
	struct desk *desk = desk_create(test);
	click(test, 60, 70);
	struct popup *menu =
		popup_create(test, desk->window->xdg_surface, popup_rules(test, 80, 60));
	xdg_popup_grab(menu->popup, test->peer->seat, last_serial(test));
	popup_map(menu);
	assert_ptr_equal(desk->field->entered, menu->surface);
	enable_at(desk->field, 10, 10);
	/* Beside the menu, at 130, 120. */
	point(test, 399, 299);
	expect_at(desk, 140, 146);
	click(test, 145, 150);
	assert_int_equal(menu->n_done, 0);
	assert_true(popup_is_mapped(menu));
	assert_ptr_equal(test->fixture->server->seat->pointer.focus,
		peer_surface_find(desk->other, desk->surface));
	assert_ptr_equal(keyboard_focus(test), peer_surface_find(test->peer, menu->surface));
	click(test, 350, 50);
	assert_int_equal(menu->n_done, 1);
	expect_hidden(desk);
	popup_destroy(menu);
	/* A click on the popup leaves the keyboard focus unchanged. */
	enable_at(desk->field, 10, 20);
	point(test, 399, 299);
	expect_at(desk, 60, 96);
	click(test, 65, 100);
	assert_ptr_equal(
		keyboard_focus(test), peer_surface_find(test->peer, desk->window->surface));
	assert_ptr_equal(test->fixture->server->seat->pointer.focus,
		peer_surface_find(desk->other, desk->surface));
	desk_destroy(desk);
}

static void handle_layer_configure(void *data, struct zwlr_layer_surface_v1 *layer, uint32_t serial,
	uint32_t width, uint32_t height)
{
	zwlr_layer_surface_v1_ack_configure(layer, serial);
}

static void handle_layer_closed(void *data, struct zwlr_layer_surface_v1 *layer)
{
}

static const struct zwlr_layer_surface_v1_listener layer_listener = {
	.configure = handle_layer_configure,
	.closed = handle_layer_closed,
};

/* The active field belongs to a layer surface on top. */
static void popup_follows_a_field_on_a_layer_surface(void **state)
{
	struct test *test = *state;
	struct desk *desk = desk_create(test);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	struct zwlr_layer_shell_v1 *shell =
		peer_bind(test->peer, &zwlr_layer_shell_v1_interface, 0);
	struct zwlr_layer_surface_v1 *layer = zwlr_layer_shell_v1_get_layer_surface(
		shell, surface, NULL, ZWLR_LAYER_SHELL_V1_LAYER_OVERLAY, "launcher");
	zwlr_layer_surface_v1_add_listener(layer, &layer_listener, NULL);
	zwlr_layer_surface_v1_set_size(layer, 200, 100);
	zwlr_layer_surface_v1_set_keyboard_interactivity(
		layer, ZWLR_LAYER_SURFACE_V1_KEYBOARD_INTERACTIVITY_EXCLUSIVE);
	wl_surface_commit(surface);
	fixture_pump(test->fixture);
	struct peer_buffer *buffer =
		peer_buffer_create(test->peer, 200, 100, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, 200, 100, 0xffffffff);
	peer_surface_show(surface, buffer);
	fixture_pump(test->fixture);
	assert_ptr_equal(desk->field->entered, surface);
	enable_at(desk->field, 10, 10);
	/* The layer surface is centered, at 100, 100. */
	expect_at(desk, 110, 126);
	zwlr_layer_surface_v1_destroy(layer);
	expect_hidden(desk);
	desk_destroy(desk);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(popup_is_placed_at_the_text_cursor),
		TEST(popup_is_visible_while_a_field_is_active),
		TEST(second_popup_goes_without_the_first),
		TEST(popup_hides_when_its_window_or_input_method_goes),
		TEST(popup_goes_with_its_client),
		TEST(click_on_the_popup_keeps_the_menu_open),
		TEST(popup_follows_a_field_on_a_layer_surface),
	};
	return cmocka_run_group_tests_name("input/input_popup", tests, NULL, NULL);
}
