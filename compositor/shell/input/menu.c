/* SPDX-License-Identifier: MIT */
/*
 * Menu of a window: its states, workspaces and closing, by pointer, touch or keyboard. It has the
 * pointer and the keyboard while it is open.
 */

#include "action.h"
#include "input.h"
#include "render/text.h"
#include "seat/seat.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/panel.h"
#include "shell/geometry/private.h"
#include "shell/views/views.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/* Logical pixels. */
#define WIDTH 236
#define PADDING 6
#define INDENT 30
#define MARK_SIZE 8
#define RADIUS 9
/** Maximum number of items, and of workspaces among them. */
#define ITEMS_MAX 16
#define WORKSPACES_LISTED 12

struct item {
	struct shell_menu *menu;
	char *label, *argument; /* owned; argument NULL: none */
	const char *action; /* NULL: opens the list of workspaces */
	bool checked;
	struct scene_image *text;
	struct text_request *request; /* NULL: none in progress */
};

struct shell_menu {
	enum shell_node_kind kind; /* for scene hits */
	struct shell *shell;
	struct window *window;
	struct keyboard_grab keyboard;
	struct dropped_keys dropped;
	struct pointer_grab pointer;
	struct scene_output *output;
	struct wl_listener before_unmap, focus_changed;
	struct window *focus; /* of the shell, when the menu was opened; compared only */
	struct coord_global origin; /* of the pointer when it was opened */
	bool moved; /* the pointer has left `origin`: a release runs an item */
	struct box box; /* logical, global */
	int row; /* logical height */
	struct scene_tree *tree, *highlight;
	struct item items[ITEMS_MAX];
	int n, selected; /* -1: none */
};

static void add_item(struct shell_menu *menu, const char *label, const char *action,
	const char *argument, bool checked)
{
	if (menu->n < ITEMS_MAX) {
		menu->items[menu->n++] = (struct item){
			.menu = menu,
			.label = xstrdup(label),
			.argument = argument ? xstrdup(argument) : NULL,
			.action = action,
			.checked = checked,
		};
	}
}

static void list_actions(struct shell_menu *menu)
{
	const struct window *window = menu->window;
	add_item(menu, "Minimise", "minimize", NULL, false);
	add_item(menu, "Maximise", "maximize", NULL, window->states & WINDOW_MAXIMIZED);
	add_item(menu, "Full screen", "fullscreen", NULL, window->states & WINDOW_FULLSCREEN);
	add_item(menu, "Always on top", "always-on-top", NULL, window->on_top);
	add_item(menu, "On all workspaces", "sticky", NULL, window->sticky);
	add_item(menu, "Move to workspace \u203a", NULL, NULL, false);
	add_item(menu, "Close", "close", NULL, false);
}

/* Lists the workspaces, and the first unused number. */
static void list_workspaces(struct shell_menu *menu)
{
	struct shell *shell = menu->shell;
	const struct workspace *workspace;
	wl_list_for_each (workspace, &shell->workspaces, link) {
		if (menu->n < WORKSPACES_LISTED) {
			char *label = xasprintf("Workspace %s", workspace->name);
			add_item(menu, label, "move-to-workspace", workspace->name,
				workspace == menu->window->workspace);
			free(label);
		}
	}
	for (int i = 1; i <= shell->config->look.workspaces; i++) {
		char name[12];
		snprintf(name, sizeof(name), "%d", i);
		if (!shell_find_workspace(shell, name)) {
			add_item(menu, "New workspace", "move-to-workspace", name, false);
			return;
		}
	}
}

static int item_y(const struct shell_menu *menu, int i)
{
	return PADDING + i * menu->row;
}

static void handle_drawn(void *data, pixman_image_t *image)
{
	struct item *item = data;
	struct shell_menu *menu = item->menu;
	item->request = NULL;
	panel_image_set(item->text, image, menu->output->scale);
	scene_node_set_position(&item->text->node, INDENT,
		item_y(menu, (int)(item - menu->items)) + (menu->row - item->text->height) / 2);
}

static void draw_item(struct item *item, const struct panel_colors *colors)
{
	struct shell_menu *menu = item->menu;
	const struct config_decoration *config = &menu->shell->config->decoration;
	const double scale = menu->output->scale;
	const struct text_style style = {
		.font = config->font,
		.size = (int)lround(config->font_size * scale),
		.max_width = (int)((WIDTH - INDENT - 2 * PADDING) * scale),
		.color = colors->text,
		.title = true,
	};
	if (item->checked) {
		const struct box mark = {(INDENT - MARK_SIZE) / 2 + 2,
			item_y(menu, (int)(item - menu->items)) + (menu->row - MARK_SIZE) / 2,
			MARK_SIZE, MARK_SIZE};
		panel_box_create(menu->tree, &mark, MARK_SIZE / 2, colors->accent, scale, menu);
	}
	item->text = scene_image_create(menu->tree, NULL);
	item->request = text_draw(menu->shell->text, &style, item->label, handle_drawn, item);
}

static void clear_items(struct shell_menu *menu)
{
	for (int i = 0; i < menu->n; i++) {
		text_cancel(menu->items[i].request);
		free(menu->items[i].label);
		free(menu->items[i].argument);
	}
	menu->n = 0;
	if (menu->tree) {
		scene_node_destroy(&menu->tree->node);
		menu->tree = NULL;
	}
}

static void select_item(struct shell_menu *menu, int i)
{
	menu->selected = i;
	scene_node_set_enabled(&menu->highlight->node, i >= 0);
	scene_node_set_position(&menu->highlight->node, PADDING, item_y(menu, i < 0 ? 0 : i));
}

static int clamp(int value, int least, int most)
{
	return value > most ? (most < least ? least : most) : value < least ? least : value;
}

/* Draws the items, with the top left corner at x, y if there is room. */
static void draw(struct shell_menu *menu, int x, int y)
{
	const struct panel_colors colors = panel_colors(menu->shell);
	const struct box area = scene_output_box(menu->output);
	const double scale = menu->output->scale;
	const int height = menu->n * menu->row + 2 * PADDING;
	menu->box = (struct box){clamp(x, area.x, area.x + area.width - WIDTH),
		clamp(y, area.y, area.y + area.height - height), WIDTH, height};
	menu->tree = scene_tree_create(menu->shell->layers[SHELL_MESSAGES]);
	scene_node_set_position(&menu->tree->node, menu->box.x, menu->box.y);
	const struct box outer = {0, 0, WIDTH, height}, inner = {1, 1, WIDTH - 2, height - 2};
	panel_box_create(menu->tree, &outer, RADIUS, colors.border, scale, menu);
	panel_box_create(menu->tree, &inner, RADIUS - 1, colors.panel, scale, menu);
	const struct box row = {0, 0, WIDTH - 2 * PADDING, menu->row};
	menu->highlight = scene_tree_create(menu->tree);
	panel_box_create(menu->highlight, &row, RADIUS - 4, colors.selected, scale, menu);
	select_item(menu, -1);
	for (int i = 0; i < menu->n; i++) {
		draw_item(&menu->items[i], &colors);
	}
}

static void open_workspaces(struct shell_menu *menu)
{
	const struct box box = menu->box;
	clear_items(menu);
	list_workspaces(menu);
	draw(menu, box.x, box.y);
}

void menu_close(struct shell *shell)
{
	struct shell_menu *menu = shell->private->menu;
	if (!menu) {
		return;
	}
	shell->private->menu = NULL;
	wl_list_remove(&menu->before_unmap.link);
	wl_list_remove(&menu->focus_changed.link);
	if (shell->seat->keyboard.grab == &menu->keyboard) {
		keyboard_end_grab(shell->seat);
	}
	if (shell->seat->pointer.grab == &menu->pointer) {
		pointer_end_grab(shell->seat);
	}
	clear_items(menu);
	free(menu);
}

static void handle_before_unmap(struct wl_listener *listener, void *data)
{
	const struct shell_menu *menu = wl_container_of(listener, menu, before_unmap);
	if (menu->window == data) {
		menu_close(menu->shell);
	}
}

/* The keyboard focus may also move between the window and layer surfaces. */
static void handle_focus(struct wl_listener *listener, void *data)
{
	const struct shell_menu *menu = wl_container_of(listener, menu, focus_changed);
	if (menu->focus != data) {
		menu_close(menu->shell);
	}
}

static void run_item(struct shell_menu *menu, int i)
{
	struct shell *shell = menu->shell;
	struct window *window = menu->window;
	const char *action = menu->items[i].action;
	if (!action) {
		open_workspaces(menu);
		return;
	}
	char *argument = menu->items[i].argument;
	menu->items[i].argument = NULL;
	menu_close(shell);
	window_run_action(window, action, argument);
	free(argument);
}

/* Returns the item at a point, or -1. */
static int item_at(const struct shell_menu *menu, struct coord_global at)
{
	if (!box_contains_point(&menu->box, at.x, at.y)) {
		return -1;
	}
	const int i = (int)floor((at.y - menu->box.y - PADDING) / menu->row);
	return i < menu->n ? i : -1;
}

static void handle_motion(struct pointer_grab *grab, int64_t time)
{
	struct shell_menu *menu = wl_container_of(grab, menu, pointer);
	const struct coord_global at = grab->seat->pointer.at;
	menu->moved |= hypot(at.x - menu->origin.x, at.y - menu->origin.y) > 4;
	select_item(menu, item_at(menu, at));
}

/* A press outside closes the menu; a release on an item runs it. */
static void handle_button(struct pointer_grab *grab, const struct input_button_event *event)
{
	struct shell_menu *menu = wl_container_of(grab, menu, pointer);
	const struct coord_global at = grab->seat->pointer.at;
	const int i = item_at(menu, at);
	if (event->pressed) {
		menu->moved = true;
		if (!box_contains_point(&menu->box, at.x, at.y)) {
			menu_close(menu->shell);
		}
	} else if (menu->moved && i >= 0) {
		run_item(menu, i);
	}
}

static void handle_pointer_end(struct pointer_grab *grab)
{
	struct shell_menu *menu = wl_container_of(grab, menu, pointer);
	if (menu->shell->private->menu == menu) {
		menu_close(menu->shell);
	}
}

static const struct pointer_grab_impl pointer_impl = {
	.motion = handle_motion,
	.button = handle_button,
	.end = handle_pointer_end,
};

static void handle_key(struct keyboard_grab *grab, const struct input_key_event *event)
{
	struct shell_menu *menu = wl_container_of(grab, menu, keyboard);
	if (!dropped_keys_take(&menu->dropped, event)) {
		keyboard_send_key(grab->seat, event);
	}
}

static void handle_modifiers(struct keyboard_grab *grab)
{
}

static void handle_keyboard_end(struct keyboard_grab *grab)
{
	struct shell_menu *menu = wl_container_of(grab, menu, keyboard);
	if (menu->shell->private->menu == menu) {
		menu_close(menu->shell);
	}
}

static const struct keyboard_grab_impl keyboard_impl = {
	.key = handle_key,
	.modifiers = handle_modifiers,
	.end = handle_keyboard_end,
};

bool menu_key(struct shell *shell, xkb_keysym_t sym)
{
	struct shell_menu *menu = shell->private->menu;
	if (!menu) {
		return false;
	}
	const int i = menu->selected;
	switch (sym) {
	case XKB_KEY_Escape:
	case XKB_KEY_Left: menu_close(shell); return true;
	case XKB_KEY_Up: select_item(menu, i <= 0 ? menu->n - 1 : i - 1); return true;
	case XKB_KEY_Down: select_item(menu, (i + 1) % menu->n); return true;
	case XKB_KEY_Return:
	case XKB_KEY_KP_Enter:
	case XKB_KEY_space:
	case XKB_KEY_Right:
		if (i >= 0 && (sym != XKB_KEY_Right || !menu->items[i].action)) {
			run_item(menu, i);
		}
		if (shell->private->menu && shell->private->menu->selected < 0) {
			select_item(shell->private->menu, 0);
		}
		return true;
	default: return false;
	}
}

bool menu_press(struct shell *shell, const struct seat_press *press)
{
	struct shell_menu *menu = shell->private->menu;
	if (!menu) {
		return false;
	}
	const int i = item_at(menu, press->at);
	if (i >= 0) {
		run_item(menu, i);
	} else {
		menu_close(shell);
	}
	return true;
}

bool window_has_menu(const struct window *window)
{
	return window->shell->text && text_is_built();
}

void window_open_menu(struct window *window, struct coord_global at)
{
	struct shell *shell = window->shell;
	struct scene_output *output = scene_output_nearest(shell->scene, at);
	menu_close(shell);
	if (!output || !window_has_menu(window) || shell->locked || !window_shown(window)) {
		return;
	}
	struct shell_menu *menu = xcalloc(1, sizeof(*menu));
	menu->kind = SHELL_NODE_MENU;
	menu->shell = shell;
	menu->window = window;
	menu->output = output;
	menu->origin = at;
	menu->row = shell->config->decoration.font_size * 2 + 4;
	list_actions(menu);
	draw(menu, (int)at.x + 1, (int)at.y + 1);
	if (!menu->items[0].request) { /* there is no thread */
		clear_items(menu);
		free(menu);
		return;
	}
	signal_add(&shell->events.before_unmap, &menu->before_unmap, handle_before_unmap);
	menu->focus = shell->focus;
	signal_add(&shell->events.focus, &menu->focus_changed, handle_focus);
	menu->keyboard.impl = &keyboard_impl;
	menu->pointer.impl = &pointer_impl;
	keyboard_start_grab(shell->seat, &menu->keyboard);
	pointer_start_grab(shell->seat, &menu->pointer);
	/* A client that asked for the menu has a press, whose release it will not get. */
	pointer_set_focus(shell->seat, NULL, (struct coord_surface){0});
	cursor_set_shape(&shell->seat->cursor, "default");
	shell->private->menu = menu;
}
