/* SPDX-License-Identifier: MIT */
/*
 * Scenes of layouts: columns that are fitted, stacked, tabbed and scrolled; a floating window
 * above.
 */

#include "shell/shell.h"
#include "shots.h"

static const uint32_t pixels[] = {0xffc03030, 0xff30a040, 0xff3050c0, 0xffc0a030};

/* Draws the size of the last configure. */
static void redraw(struct shot *shot, struct peer_window *window, uint32_t pixel)
{
	struct peer_buffer *buffer = peer_buffer_create(
		shot->peer, window->width, window->height, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, window->width, window->height, pixel);
	peer_surface_show(window->surface, buffer);
}

static void act(struct shot *shot, const char *action, const char *argument)
{
	shell_run_action(shot->fixture->server->shell, action, argument);
	fixture_pump(shot->fixture);
}

/* Draws all windows until the last transaction has ended. */
static void redraw_all(struct shot *shot, struct peer_window **windows, int n)
{
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < n; i++) {
			redraw(shot, windows[i], pixels[i]);
		}
		fixture_frames(shot->fixture, 2);
	}
}

/* Opens windows in a columns workspace; each draws the sizes that it is asked for. */
static void open_windows(struct shot *shot, struct peer_window **windows, int n)
{
	act(shot, "layout", "columns");
	for (int i = 0; i < n; i++) {
		windows[i] = peer_window_create_unmapped(shot->peer);
		redraw_all(shot, windows, i + 1);
	}
}

static void build_columns(struct shot *shot)
{
	struct peer_window *windows[4];
	open_windows(shot, windows, 4);
	act(shot, "join", "left");
	redraw_all(shot, windows, 4);
	act(shot, "focus", "left");
	redraw_all(shot, windows, 4);
}

static void build_tabbed(struct shot *shot)
{
	struct peer_window *windows[3];
	open_windows(shot, windows, 3);
	act(shot, "join", "left");
	redraw_all(shot, windows, 3);
	act(shot, "toggle-tabbed", NULL);
	redraw_all(shot, windows, 3);
}

static void build_scrolled(struct shot *shot)
{
	struct peer_window *windows[4];
	shot->fixture->server->shell->config->layout.overflow = 2;
	open_windows(shot, windows, 4);
	redraw_all(shot, windows, 4);
	act(shot, "width", "33");
	redraw_all(shot, windows, 4);
}

static void build_floating_above(struct shot *shot)
{
	struct peer_window *windows[3];
	open_windows(shot, windows, 3);
	redraw_all(shot, windows, 3);
	act(shot, "toggle-floating", NULL);
	redraw_all(shot, windows, 3);
}

const struct scene_case layout_scenes[] = {
	{.name = "layout-columns", .build = build_columns, EXACT},
	{.name = "layout-tabbed", .build = build_tabbed, EXACT},
	{.name = "layout-scrolled", .build = build_scrolled, EXACT},
	{.name = "layout-floating-above", .build = build_floating_above, EXACT},
};
const size_t n_layout_scenes = sizeof(layout_scenes) / sizeof(layout_scenes[0]);
