/* SPDX-License-Identifier: MIT */
/* View of the overview: previews of the windows where they are, scaled by the renderer. */

#include "overview.h"
#include "render/text.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/panel.h"
#include "shell/geometry/private.h"
#include "shell/geometry/tile.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

#define EDGE 3
/** Maximum number of windows; others are left out. */
#define WINDOWS_MAX 256

struct cell {
	struct overview_view *view;
	const struct scene_output *output;
	struct scene_rect *edge; /* of a workspace's or window's box */
	struct scene_image *label;
	struct text_request *request; /* NULL: none in progress */
	struct wl_listener applied; /* of the window */
	struct box geometry; /* of the window, as previewed */
};

struct overview_view {
	struct shell *shell;
	void *data;
	void (*changed)(void *data);
	struct scene_tree *tree;
	struct overview_item *items;
	struct cell *cells; /* of the items */
	int n_workspaces, n, selected;
};

static void place_label(struct cell *cell)
{
	const struct overview_item *item = &cell->view->items[cell - cell->view->cells];
	scene_node_set_position(&cell->label->node,
		item->box.x + (item->box.width - cell->label->width) / 2,
		item->box.y + item->box.height + EDGE + (OVERVIEW_LABEL - cell->label->height) / 2);
}

static void handle_drawn(void *data, pixman_image_t *image)
{
	struct cell *cell = data;
	cell->request = NULL;
	panel_image_set(cell->label, image, cell->output->scale);
	place_label(cell);
}

static void draw_label(struct cell *cell, const struct box *box, const char *name)
{
	const struct shell *shell = cell->view->shell;
	const double scale = cell->output->scale;
	const struct text_style style = {
		.font = shell->config->decoration.font,
		.size = (int)lround(shell->config->decoration.font_size * scale),
		.max_width = (int)(box->width * scale),
		.color = 0xffffff,
		.title = true,
	};
	if (shell->text) {
		cell->request = text_draw(shell->text, &style, name, handle_drawn, cell);
	}
}

static void set_color(const struct cell *cell, bool selected)
{
	const struct panel_colors colors = panel_colors(cell->view->shell);
	scene_rect_set_color(cell->edge, selected ? colors.accent : colors.border);
}

static struct cell *add(struct overview_view *view, const struct overview_item *item,
	struct scene_tree *tree, const struct scene_output *output, int edge)
{
	static const float black[4] = {0, 0, 0, 1};
	struct cell *cell = &view->cells[view->n];
	view->items[view->n++] = *item;
	cell->view = view;
	cell->output = output;
	cell->edge = scene_rect_create(
		tree, item->box.width + 2 * edge, item->box.height + 2 * edge, black);
	scene_node_set_position(&cell->edge->node, item->box.x - edge, item->box.y - edge);
	set_color(cell, false);
	wl_list_init(&cell->applied.link);
	return cell;
}

static void add_background(struct scene_tree *tree, const struct config *config,
	const struct scene_output *output, const struct box *box)
{
	const struct config_background background = config_background_of(
		config, config_output_find(config, output->output->name, NULL));
	static const float black[4] = {0, 0, 0, 1};
	struct scene_rect *rect = scene_rect_create(tree, box->width, box->height, black);
	scene_rect_set_gradient(rect, background.top, background.bottom);
	scene_node_set_position(&rect->node, box->x, box->y);
}

static void add_workspace(struct overview_view *view, struct workspace *workspace,
	struct scene_tree *tree, const struct box *box)
{
	const struct overview_item item = {.workspace = workspace, .box = *box};
	struct cell *cell = add(view, &item, tree, workspace->output, EDGE);
	cell->label = scene_image_create(tree, NULL);
	add_background(tree, view->shell->config, workspace->output, box);
	draw_label(cell, box, workspace->name);
	view->n_workspaces++;
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct cell *cell = wl_container_of(listener, cell, applied);
	const struct window *window = cell->view->items[cell - cell->view->cells].window;
	const struct box box = window_box(window);
	if (!box_equal(&cell->geometry, &box)) {
		cell->view->changed(cell->view->data);
	}
}

static void add_window(struct overview_view *view, struct window *window, struct scene_tree *tree,
	const struct box *frame)
{
	struct overview_item item = {.workspace = window->workspace, .window = window};
	const struct scene_output *output = window->workspace->output;
	const struct box whole = scene_output_box(output), box = window_box(window);
	struct box part;
	if (window->minimized || tiling_covers(window) ||
		!overview_place(&box, &whole, frame, &part, &item.box)) {
		return;
	}
	struct cell *cell = add(view, &item, tree, output, 1);
	part.x += window->geometry.x;
	part.y += window->geometry.y;
	struct scene_tree *preview = scene_preview_create(
		tree, window->surface_tree, &part, item.box.width, item.box.height);
	scene_node_set_position(&preview->node, item.box.x, item.box.y);
	cell->geometry = box;
	signal_add(&window->events.applied, &cell->applied, handle_applied);
}

/* Adds the windows of a tree of the workspace, bottom first. */
static void add_windows(struct overview_view *view, const struct scene_tree *from,
	struct scene_tree *tree, const struct box *frame)
{
	const struct scene_node *node;
	wl_list_for_each (node, &from->children, link) {
		if (view->n == view->n_workspaces + WINDOWS_MAX) {
			return;
		}
		struct window *window = window_from_data(node->data);
		if (window && window->mapped && &window->tree->node == node) {
			add_window(view, window, tree, frame);
		}
	}
}

/* Adds the darkened background of an output, which takes its input. */
static struct scene_tree *add_output(struct overview_view *view, const struct scene_output *output)
{
	static const float dark[4] = {0.02f, 0.025f, 0.03f, 0.85f};
	const struct box box = scene_output_box(output);
	struct scene_tree *tree = scene_tree_create(view->tree);
	struct scene_rect *rect = scene_rect_create(tree, box.width, box.height, dark);
	scene_tree_set_output(tree, output);
	rect->node.data = view->data;
	scene_node_set_position(&rect->node, box.x, box.y);
	return tree;
}

/* Returns the next workspace of an output, or the first one after NULL. */
static struct workspace *next_on(
	struct shell *shell, const struct scene_output *output, const struct workspace *after)
{
	struct workspace *workspace;
	bool found = !after;
	wl_list_for_each (workspace, &shell->workspaces, link) {
		if (found && workspace->output == output) {
			return workspace;
		}
		found |= workspace == after;
	}
	return NULL;
}

static void fill_output(struct overview_view *view, const struct scene_output *output)
{
	struct shell *shell = view->shell;
	const struct box whole = scene_output_box(output), area = shell_usable(shell, output);
	struct scene_tree *tree = add_output(view, output);
	struct workspace *workspace = NULL;
	int n = 0;
	while ((workspace = next_on(shell, output, workspace))) {
		n++;
	}
	const struct overview_layout layout = overview_layout(&area, whole.width, whole.height, n);
	for (int i = 0; i < n; i++) {
		const struct box box = overview_cell(&layout, i);
		workspace = next_on(shell, output, workspace);
		add_workspace(view, workspace, tree, &box);
	}
}

/* Windows follow, so that workspaces are the first items; each in the tree of its output. */
static void fill_windows(struct overview_view *view)
{
	for (int i = 0; i < view->n_workspaces; i++) {
		const struct overview_item item = view->items[i];
		struct scene_tree *tree = view->cells[i].edge->node.parent;
		add_windows(view, item.workspace->bottom_tree, tree, &item.box);
		add_windows(view, item.workspace->tiled_tree, tree, &item.box);
		add_windows(view, item.workspace->tree, tree, &item.box);
		add_windows(view, item.workspace->top_tree, tree, &item.box);
		add_windows(view, item.workspace->fullscreen_tree, tree, &item.box);
	}
}

struct overview_view *overview_view_create(
	struct shell *shell, void *data, void (*changed)(void *data))
{
	struct overview_view *view = xcalloc(1, sizeof(*view));
	const size_t most =
		(size_t)(shell->private->n_workspaces + wl_list_length(&shell->windows));
	view->shell = shell;
	view->data = data;
	view->changed = changed;
	view->items = xcalloc(most, sizeof(*view->items));
	view->cells = xcalloc(most, sizeof(*view->cells));
	view->tree = scene_tree_create(shell->layers[SHELL_MESSAGES]);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (shell->scene->outputs[i]) {
			fill_output(view, shell->scene->outputs[i]);
		}
	}
	fill_windows(view);
	return view;
}

void overview_view_destroy(struct overview_view *view)
{
	if (!view) {
		return;
	}
	for (int i = 0; i < view->n; i++) {
		text_cancel(view->cells[i].request);
		wl_list_remove(&view->cells[i].applied.link);
	}
	scene_node_destroy(&view->tree->node);
	free(view->cells);
	free(view->items);
	free(view);
}

const struct overview_item *overview_view_items(
	const struct overview_view *view, int *n_workspaces, int *n)
{
	*n_workspaces = view->n_workspaces;
	*n = view->n;
	return view->items;
}

void overview_view_select(struct overview_view *view, int item)
{
	set_color(&view->cells[view->selected], false);
	set_color(&view->cells[item], true);
	view->selected = item;
}

void overview_view_forget(struct overview_view *view, const struct window *window)
{
	for (int i = view->n_workspaces; i < view->n; i++) {
		if (view->items[i].window == window) {
			view->items[i].window = NULL; /* a choice shows its workspace */
			wl_list_remove(&view->cells[i].applied.link);
			wl_list_init(&view->cells[i].applied.link);
		}
	}
}
