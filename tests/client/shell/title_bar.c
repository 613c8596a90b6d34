/* SPDX-License-Identifier: MIT */
/* Title bars with text and icons: drawn when they change, at the scale of the output. */

#include "harness/client/reload.h"
#include "harness/client/xdg_peer.h"
#include "kde-server-decoration-client-protocol.h"
#include "shell/geometry/private.h"
#include "shell/look/decoration.h"
#include "shell/look/look.h"
#include "xdg-toplevel-icon-v1-client-protocol.h"
#include <string.h>

#define TITLE 0x343b47 /* of the active window in the dark theme */

static struct peer_window *create(struct test *test, const char *title)
{
	struct peer_window *window = peer_window_create(test->peer, 50, 60, 300, 100, 0xffff0000);
	xdg_toplevel_set_title(window->toplevel, title);
	struct org_kde_kwin_server_decoration_manager *manager =
		peer_bind(test->peer, &org_kde_kwin_server_decoration_manager_interface, 0);
	org_kde_kwin_server_decoration_manager_create(manager, window->surface);
	fixture_pump(test->fixture);
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
	return window;
}

static struct title_bar *bar_of(struct peer_window *window)
{
	return &peer_window_find(window)->private->decoration->bar;
}

static void skip_without_font(struct peer_window *window)
{
	if (!bar_of(window)->text.image->buffer) {
		print_message("skip: there is no font, or no library that draws it\n");
		skip();
	}
}

/* Counts pixels of other colours than the background in a part of the title bar. */
static int ink(struct test *test, int x1, int x2)
{
	struct image *image = fixture_shot(test->fixture, 0);
	int n = 0;
	for (int y = 32; y < 60; y++) {
		for (int x = x1; x < x2; x++) {
			n += (image->pixels[y * image->width + x] & 0xffffff) != TITLE;
		}
	}
	image_destroy(image);
	return n;
}

/* Waits until a further change of title or icon is drawn. */
static void let_change(struct test *test)
{
	fixture_settle(test->fixture);
	fixture_frames(test->fixture, 12);
	fixture_settle(test->fixture);
}

static void title_is_drawn_and_follows_the_client(void **state)
{
	struct test *test = *state;
	struct peer_window *window = create(test, "Some title");
	skip_without_font(window);
	assert_true(ink(test, 50, 260) > 100);
	const struct buffer *drawn = bar_of(window)->text.image->buffer;
	assert_in_range(drawn->width, 30, 200);

	/* Frames of the client change nothing in the title bar. */
	peer_surface_show(window->surface, window->buffer);
	fixture_settle(test->fixture);
	assert_ptr_equal(bar_of(window)->text.image->buffer, drawn);

	xdg_toplevel_set_title(window->toplevel, "");
	fixture_settle(test->fixture);
	assert_int_equal(ink(test, 50, 260), 0);
	xdg_toplevel_set_title(window->toplevel, "\n\x7f");
	xdg_toplevel_set_title(window->toplevel, "\xe2\x80\xae"
						 "evil\ntitle");
	fixture_settle(test->fixture);
	/* Frequent changes are drawn together. */
	assert_int_equal(ink(test, 50, 260), 0);
	let_change(test);
	assert_true(ink(test, 50, 260) > 30);
	assert_true(peer_alive(test->peer));
}

static void long_title_stays_left_of_the_buttons(void **state)
{
	struct test *test = *state;
	char title[2000];
	memset(title, 'W', sizeof(title) - 1);
	title[sizeof(title) - 1] = '\0';
	struct peer_window *window = create(test, title);
	skip_without_font(window);
	const struct title_bar *bar = bar_of(window);
	assert_in_range(bar->text.width, 120, 300 - 3 * 28 - 8);
	assert_int_equal(ink(test, 50, 57), 0);

	/* A wider window shows more of it, one that shows all of a short one keeps the image. */
	int width = bar->text.width;
	struct window *found = peer_window_find(window);
	found->geometry.width = 340;
	decoration_update(found);
	fixture_pump(test->fixture);
	assert_true(bar->text.width > width);
	xdg_toplevel_set_title(window->toplevel, "ab");
	fixture_settle(test->fixture);
	const struct buffer *drawn = bar->text.image->buffer;
	found->geometry.width = 300;
	decoration_update(found);
	fixture_settle(test->fixture);
	assert_ptr_equal(bar->text.image->buffer, drawn);
}

static void hidden_window_draws_its_title_when_it_returns(void **state)
{
	struct test *test = *state;
	struct peer_window *window = create(test, "one");
	skip_without_font(window);
	struct window *found = peer_window_find(window);
	const struct buffer *drawn = bar_of(window)->text.image->buffer;
	window_set_minimized(found, true);
	xdg_toplevel_set_title(window->toplevel, "another one");
	fixture_settle(test->fixture);
	assert_ptr_equal(bar_of(window)->text.image->buffer, drawn);
	window_focus(found);
	fixture_settle(test->fixture);
	assert_true(bar_of(window)->text.image->buffer->width > 40);
}

static void images_follow_the_scale_of_the_output(void **state)
{
	struct test *test = *state;
	struct peer_window *window = create(test, "Some title");
	struct title_bar *bar = bar_of(window);
	assert_int_equal(bar->buttons[2]->buffer->width, 28);
	int width = bar->text.image->buffer ? bar->text.image->buffer->width : 0;
	assert_true(reload_text(test->fixture, "[output *]\nscale = 1.5\n"));
	fixture_settle(test->fixture);
	assert_int_equal(bar->buttons[2]->buffer->width, 42);
	assert_true(bar->text.scale == 1.5);
	if (width > 0) {
		assert_in_range(bar->text.image->buffer->width, width * 1.3, width * 1.7);
	}
}

static void icon_is_drawn_at_the_left(void **state)
{
	struct test *test = *state;
	struct peer_window *window = create(test, "");
	struct xdg_toplevel_icon_manager_v1 *manager =
		peer_bind(test->peer, &xdg_toplevel_icon_manager_v1_interface, 0);
	struct xdg_toplevel_icon_v1 *icon = xdg_toplevel_icon_manager_v1_create_icon(manager);
	struct peer_buffer *buffer = peer_buffer_create(test->peer, 64, 64, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, 64, 64, 0xff00ff00);
	xdg_toplevel_icon_v1_add_buffer(icon, buffer->buffer, 1);
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, icon);
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 66, 46), 0x00ff00);
	assert_int_equal(fixture_pixel(test->fixture, 52, 46), TITLE);
	/* Frames of the client draw no icon again. */
	const struct buffer *drawn = bar_of(window)->icon.image->buffer;
	peer_surface_show(window->surface, window->buffer);
	let_change(test);
	assert_ptr_equal(bar_of(window)->icon.image->buffer, drawn);
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, NULL);
	wl_surface_commit(window->surface);
	let_change(test);
	assert_int_equal(fixture_pixel(test->fixture, 66, 46), TITLE);
}

static void colours_are_those_of_the_configuration(void **state)
{
	struct test *test = *state;
	create(test, "");
	assert_int_equal(fixture_pixel(test->fixture, 60, 40), TITLE);
	assert_true(reload_text(test->fixture, "[decoration]\ntheme = light\n"));
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 60, 40), 0xe3e6ea);
	assert_true(reload_text(
		test->fixture, "[decoration]\nactive = #102030\nactive-border = #405060\n"));
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 60, 40), 0x102030);
	assert_int_equal(fixture_pixel(test->fixture, 60, 31), 0x405060);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(title_is_drawn_and_follows_the_client),
		TEST(long_title_stays_left_of_the_buttons),
		TEST(hidden_window_draws_its_title_when_it_returns),
		TEST(images_follow_the_scale_of_the_output),
		TEST(icon_is_drawn_at_the_left),
		TEST(colours_are_those_of_the_configuration),
	};
	return cmocka_run_group_tests_name("shell/title_bar", tests, NULL, NULL);
}
