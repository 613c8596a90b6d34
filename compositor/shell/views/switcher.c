/* SPDX-License-Identifier: MIT */
/*
 * View of the window switcher. The renderer scales the previews from the windows' contents; texts
 * and icons are drawn once for each page.
 */

#include "switcher.h"
#include "render/text.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/panel.h"
#include "shell/look/look.h"
#include "shell/shell.h"
#include "util/clock.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/* Logical pixels. */
#define INSET 12
#define PREVIEW_WIDTH (SWITCHER_CELL_WIDTH - 2 * INSET)
#define PREVIEW_HEIGHT (SWITCHER_CELL_HEIGHT - 2 * INSET - FOOT)
#define FOOT 30
#define ICON_SIZE 20
#define GAP 8
#define RADIUS 12
/* Time (ns) between drawings of icons that clients change. */
#define ICON_INTERVAL INT64_C(100000000)

struct cell {
	struct switcher *switcher;
	struct window *window;
	struct box box; /* in the panel */
	struct box geometry; /* of the window, as previewed */
	struct scene_tree *preview;
	struct scene_image *icon, *title;
	bool outdated; /* its icon */
	struct text_request *request; /* NULL: none in progress */
	struct wl_listener applied;
};

struct switcher {
	struct shell *shell;
	double scale;
	struct switcher_layout layout;
	struct scene_tree *tree, *highlight;
	struct cell *cells; /* layout.n */
	struct wl_listener icon;
	struct timer timer; /* draws outdated icons */
	int64_t drawn; /* time of its last drawing, ns; 0: none */
};

/* Centres icon and title below the preview. */
static void place_foot(struct cell *cell)
{
	const int icon = cell->icon->buffer ? ICON_SIZE : 0;
	const int title = cell->title->buffer ? cell->title->width : 0;
	const int width = icon + title + (icon && title ? GAP : 0);
	const int x = cell->box.x + (cell->box.width - width) / 2;
	const int y = cell->box.y + cell->box.height - INSET - FOOT / 2 + 3;
	scene_node_set_position(&cell->icon->node, x, y - ICON_SIZE / 2);
	scene_node_set_position(&cell->title->node, x + width - title, y - cell->title->height / 2);
}

static void handle_drawn(void *data, pixman_image_t *image)
{
	struct cell *cell = data;
	cell->request = NULL;
	panel_image_set(cell->title, image, cell->switcher->scale);
	place_foot(cell);
}

static void draw_preview(struct cell *cell)
{
	const struct box *part = &cell->window->geometry;
	if (cell->preview) {
		scene_node_destroy(&cell->preview->node);
	}
	const double scale = fmin(1, fmin((double)PREVIEW_WIDTH / fmax(part->width, 1),
					     (double)PREVIEW_HEIGHT / fmax(part->height, 1)));
	const int width = (int)fmax(1, round(part->width * scale));
	const int height = (int)fmax(1, round(part->height * scale));
	cell->geometry = *part;
	cell->preview = scene_preview_create(
		cell->switcher->tree, cell->window->surface_tree, part, width, height);
	scene_node_set_position(&cell->preview->node, cell->box.x + (cell->box.width - width) / 2,
		cell->box.y + INSET + (PREVIEW_HEIGHT - height) / 2);
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct cell *cell = wl_container_of(listener, cell, applied);
	if (!box_equal(&cell->geometry, &cell->window->geometry)) {
		draw_preview(cell);
	}
}

static void draw_title(struct cell *cell)
{
	struct switcher *switcher = cell->switcher;
	const struct shell *shell = switcher->shell;
	const char *title = cell->window->title && cell->window->title[0] ? cell->window->title
									  : cell->window->app_id;
	const int room = PREVIEW_WIDTH - ICON_SIZE - GAP;
	const struct text_style style = {
		.font = shell->config->decoration.font,
		.size = (int)lround(shell->config->decoration.font_size * switcher->scale),
		.max_width = (int)(room * switcher->scale),
		.color = panel_colors(shell).text,
		.title = true,
	};
	if (shell->text && title && title[0]) {
		cell->request = text_draw(shell->text, &style, title, handle_drawn, cell);
	}
}

static void draw_icon(struct cell *cell)
{
	const double scale = cell->switcher->scale;
	panel_image_set(
		cell->icon, app_icon_draw(cell->window, (int)lround(ICON_SIZE * scale)), scale);
}

static void fill_cell(struct cell *cell)
{
	struct switcher *switcher = cell->switcher;
	cell->icon = scene_image_create(switcher->tree, NULL);
	cell->title = scene_image_create(switcher->tree, NULL);
	draw_preview(cell);
	draw_icon(cell);
	draw_title(cell);
	place_foot(cell);
	signal_add(&cell->window->events.applied, &cell->applied, handle_applied);
}

static void draw_panel(struct switcher *switcher, void *data)
{
	const struct panel_colors colors = panel_colors(switcher->shell);
	const struct box panel = switcher->layout.panel;
	const struct box outer = {0, 0, panel.width, panel.height};
	const struct box inner = {1, 1, panel.width - 2, panel.height - 2};
	panel_box_create(switcher->tree, &outer, RADIUS, colors.border, switcher->scale, data);
	panel_box_create(switcher->tree, &inner, RADIUS - 1, colors.panel, switcher->scale, data);
	scene_node_set_position(&switcher->tree->node, panel.x, panel.y);

	const struct box edge = {0, 0, SWITCHER_CELL_WIDTH, SWITCHER_CELL_HEIGHT};
	const struct box fill = {2, 2, SWITCHER_CELL_WIDTH - 4, SWITCHER_CELL_HEIGHT - 4};
	switcher->highlight = scene_tree_create(switcher->tree);
	panel_box_create(
		switcher->highlight, &edge, RADIUS - 4, colors.accent, switcher->scale, data);
	panel_box_create(
		switcher->highlight, &fill, RADIUS - 6, colors.selected, switcher->scale, data);
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct switcher *switcher = wl_container_of(timer, switcher, timer);
	switcher->drawn = now;
	for (int i = 0; i < switcher->layout.n; i++) {
		struct cell *cell = &switcher->cells[i];
		if (cell->outdated) {
			cell->outdated = false;
			draw_icon(cell);
			place_foot(cell);
		}
	}
}

static void handle_icon(struct wl_listener *listener, void *data)
{
	struct switcher *switcher = wl_container_of(listener, switcher, icon);
	const int64_t now = clock_now(switcher->shell->clock);
	for (int i = 0; i < switcher->layout.n; i++) {
		struct cell *cell = &switcher->cells[i];
		cell->outdated = cell->outdated || cell->window == data;
	}
	if (switcher->drawn == 0 || now - switcher->drawn >= ICON_INTERVAL) {
		timer_disarm(&switcher->timer);
		handle_timer(&switcher->timer, now);
	} else if (!switcher->timer.armed) {
		timer_arm(&switcher->timer, switcher->drawn + ICON_INTERVAL);
	}
}

struct switcher *switcher_create(struct shell *shell, struct scene_output *output,
	struct window *const *windows, int n, int selected, void *data)
{
	struct switcher *switcher = xcalloc(1, sizeof(*switcher));
	const struct box area = shell_usable(shell, output);
	switcher->shell = shell;
	switcher->scale = output->scale;
	switcher->layout = switcher_layout(&area, n, selected);
	switcher->tree = scene_tree_create(shell->layers[SHELL_MESSAGES]);
	draw_panel(switcher, data);
	switcher->cells = xcalloc((size_t)switcher->layout.n, sizeof(*switcher->cells));
	for (int i = 0; i < switcher->layout.n; i++) {
		struct cell *cell = &switcher->cells[i];
		cell->switcher = switcher;
		cell->window = windows[switcher->layout.first + i];
		cell->box = switcher_cell(&switcher->layout, i);
		fill_cell(cell);
	}
	switcher_select(switcher, selected);
	signal_add(&shell->events.icon, &switcher->icon, handle_icon);
	timer_init(&switcher->timer, shell->clock, handle_timer);
	return switcher;
}

void switcher_destroy(struct switcher *switcher)
{
	if (!switcher) {
		return;
	}
	for (int i = 0; i < switcher->layout.n; i++) {
		text_cancel(switcher->cells[i].request);
		wl_list_remove(&switcher->cells[i].applied.link);
	}
	wl_list_remove(&switcher->icon.link);
	timer_finish(&switcher->timer);
	scene_node_destroy(&switcher->tree->node);
	free(switcher->cells);
	free(switcher);
}

bool switcher_select(struct switcher *switcher, int selected)
{
	const int i = selected - switcher->layout.first;
	if (i < 0 || i >= switcher->layout.n) {
		return false;
	}
	const struct box cell = switcher->cells[i].box;
	scene_node_set_position(&switcher->highlight->node, cell.x, cell.y);
	return true;
}

const struct switcher_layout *switcher_get_layout(const struct switcher *switcher)
{
	return &switcher->layout;
}
