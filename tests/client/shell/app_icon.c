/* SPDX-License-Identifier: MIT */
/* Icons of the theme in title bars and the switcher, for windows of programs that send none. */

#include "harness/client/xdg_peer.h"
#include "kde-server-decoration-client-protocol.h"
#include "render/picture.h"
#include "shell/look/decoration.h"
#include "util/task.h"
#include "util/xalloc.h"
#include "xdg-toplevel-icon-v1-client-protocol.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COLOR 0x3060c0
#define SVG_COLOR 0x20a060

static char folder[] = "/tmp/causeway-app-icon-XXXXXX";

static int make_theme(void **state)
{
	static const char *const parts[] = {"/icons", "/icons/hicolor", "/icons/hicolor/32x32",
		"/icons/hicolor/32x32/apps", "/icons/hicolor/scalable",
		"/icons/hicolor/scalable/apps"};
	assert_non_null(mkdtemp(folder));
	setenv("XDG_DATA_HOME", folder, 1);
	setenv("XDG_DATA_DIRS", "/nonexistent", 1);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char *path = xasprintf("%s%s", folder, parts[i]);
		mkdir(path, 0700);
		free(path);
	}
	struct image *image = image_create(32, 32);
	for (int i = 0; i < 32 * 32; i++) {
		image->pixels[i] = COLOR;
	}
	char *path = xasprintf("%s%s/editor.png", folder, parts[3]);
	bool saved = image_save(image, path);
	free(path);
	image_destroy(image);
	path = xasprintf("%s%s/org.gnome.calculator.svg", folder, parts[5]);
	FILE *file = fopen(path, "w");
	free(path);
	if (!file) {
		return -1;
	}
	fprintf(file,
		"<svg xmlns='http://www.w3.org/2000/svg' width='128' height='128'><rect "
		"width='128' "
		"height='128' rx='12' fill='#%06x'/></svg>",
		SVG_COLOR);
	return fclose(file) == 0 && saved ? 0 : -1;
}

static int remove_theme(void **state)
{
	char *command = xasprintf("rm -r '%s'", folder);
	int result = system(command);
	free(command);
	return result;
}

static struct peer_window *create(struct test *test, const char *app_id)
{
	struct peer_window *window = peer_window_create(test->peer, 50, 60, 300, 100, 0xffff0000);
	if (app_id) {
		xdg_toplevel_set_app_id(window->toplevel, app_id);
	}
	struct org_kde_kwin_server_decoration_manager *manager =
		peer_bind(test->peer, &org_kde_kwin_server_decoration_manager_interface, 0);
	org_kde_kwin_server_decoration_manager_create(manager, window->surface);
	fixture_pump(test->fixture);
	wl_surface_commit(window->surface);
	fixture_settle(test->fixture);
	return window;
}

/* Returns the pixel in the middle of the icon in the title bar. */
static uint32_t icon(struct test *test)
{
	fixture_settle(test->fixture);
	fixture_sleep(test->fixture, 200000000); /* frequent changes are drawn together */
	fixture_settle(test->fixture);
	return fixture_pixel(test->fixture, 50 + 8 + 8, 60 - 14);
}

static void title_bar_shows_the_icon_of_the_program(void **state)
{
	struct test *test = *state;
	struct peer_window *window = create(test, "Editor");
	assert_int_equal(icon(test), COLOR);
	xdg_toplevel_set_app_id(window->toplevel, "unknown");
	assert_int_not_equal(icon(test), COLOR);
	xdg_toplevel_set_app_id(window->toplevel, "editor");
	assert_int_equal(icon(test), COLOR);
	assert_int_equal(tasks_n_pending(test->fixture->server->tasks), 0);
}

static void svg_icon_is_drawn_by_a_helper_process(void **state)
{
	struct test *test = *state;
	if (!picture_svg_is_built()) {
		print_message("skip: %s: this build has no librsvg\n", __func__);
		skip();
	}
	test->fixture->server->shell->helper_program = "/proc/self/exe";
	create(test, "org.gnome.Calculator");
	assert_int_equal(icon(test), SVG_COLOR);
	assert_int_equal(tasks_n_pending(test->fixture->server->tasks), 0);
}

static void svg_icon_needs_a_helper_process(void **state)
{
	struct test *test = *state;
	create(test, "org.gnome.Calculator");
	assert_int_not_equal(icon(test), SVG_COLOR);
}

static void icon_of_the_client_replaces_that_of_the_program(void **state)
{
	struct test *test = *state;
	struct peer_window *window = create(test, NULL);
	struct xdg_toplevel_icon_manager_v1 *manager =
		peer_bind(test->peer, &xdg_toplevel_icon_manager_v1_interface, 0);
	struct xdg_toplevel_icon_v1 *named = xdg_toplevel_icon_manager_v1_create_icon(manager);
	assert_int_not_equal(icon(test), COLOR);
	xdg_toplevel_icon_v1_set_name(named, "editor");
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, named);
	wl_surface_commit(window->surface);
	assert_int_equal(icon(test), COLOR);
	struct xdg_toplevel_icon_v1 *drawn = xdg_toplevel_icon_manager_v1_create_icon(manager);
	struct peer_buffer *buffer = peer_buffer_create(test->peer, 16, 16, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, 16, 16, 0xff00ff00);
	xdg_toplevel_icon_v1_add_buffer(drawn, buffer->buffer, 1);
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, drawn);
	wl_surface_commit(window->surface);
	assert_int_equal(icon(test), 0x00ff00);
	assert_true(peer_alive(test->peer));
}

static void icons_are_bounded(void **state)
{
	struct test *test = *state;
	struct peer_window *window = create(test, "editor");
	for (int i = 0; i < 200; i++) {
		char name[16];
		snprintf(name, sizeof(name), "program%d", i);
		xdg_toplevel_set_app_id(window->toplevel, name);
		fixture_frames(test->fixture, 8);
	}
	xdg_toplevel_set_app_id(window->toplevel, "editor");
	assert_int_equal(icon(test), COLOR);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(int argc, char **argv)
{
	if (argc == 2 &&
		strncmp(argv[1], PICTURE_SVG_ARGUMENT, strlen(PICTURE_SVG_ARGUMENT)) == 0) {
		return !picture_svg_answer(atoi(argv[1] + strlen(PICTURE_SVG_ARGUMENT)));
	}
	const struct CMUnitTest tests[] = {
		TEST(title_bar_shows_the_icon_of_the_program),
		TEST(svg_icon_is_drawn_by_a_helper_process),
		TEST(svg_icon_needs_a_helper_process),
		TEST(icon_of_the_client_replaces_that_of_the_program),
		TEST(icons_are_bounded),
	};
	return cmocka_run_group_tests(tests, make_theme, remove_theme);
}
