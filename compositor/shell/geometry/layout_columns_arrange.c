/* SPDX-License-Identifier: MIT */
/* The layout `columns`: boxes of its items. */

#include "layout_columns.h"
#include <math.h>

/** Part of a fitted layout's width that minimum widths of other columns leave to a column. */
#define LEAST_SHARE 0.05

/*
 * Divides `size` by shares: returns the pixel at which the share that ends at `sum` of `total`
 * ends. Parts are at least one pixel: there are `before` parts up to it and `after` behind it.
 */
static int divide(double sum, double total, int size, int before, int after)
{
	int at = (int)lround(sum / total * size);
	int most = size - after;
	at = at < most ? at : most;
	return at > before ? at : before;
}

/* Reduces a gap so that `n` parts between n + 1 gaps have at least a pixel each. */
static int limit_gap(int gap, int size, int n)
{
	int most = (size - n) / (n + 1);
	return gap < most ? gap : most > 0 ? most : 0;
}

static void arrange_tabs(
	struct column *column, const struct columns_style *style, struct box box, int gap)
{
	int bar = column->n_items > 1 ? style->tab_height : 0;
	int top = gap + bar;
	box.y += top;
	box.height = box.height - top - gap > 1 ? box.height - top - gap : 1;
	for (int i = 0; i < column->n_items; i++) {
		column->items[i].box = box;
		column->items[i].shown = i == column->active;
	}
}

static void arrange_stack(
	struct column *column, const struct columns_style *style, struct box box, int gap)
{
	const int n = column->n_items, area = box.height;
	double total = 0, sum = 0;
	gap = limit_gap(gap, area, n);
	const int size = area - gap * (n + 1);
	for (int i = 0; i < n; i++) {
		total += column->items[i].share;
	}
	int from = 0;
	for (int i = 0; i < n; i++) {
		sum += column->items[i].share;
		int to = divide(sum, total, size, from + 1, n - 1 - i);
		column->items[i].box = (struct box){
			box.x, style->area.y + gap * (i + 1) + from, box.width, to - from};
		column->items[i].shown = true;
		from = to;
	}
}

static int limit_width(int64_t width, int least, int most)
{
	return (int)(width < least ? least : width > most ? most : width);
}

static int least_width(const struct column *column)
{
	int least = 1;
	for (int i = 0; i < column->n_items; i++) {
		int min = column->items[i].min_width;
		least = min > least ? min : least;
	}
	return least;
}

/* Returns the width of a column while scrolling. */
static int scrolled_width(const struct column *column, const struct columns_style *style, int gap)
{
	/* Columns of 1/2 and 1/2 fill the area: the gaps are part of the widths. */
	int64_t width = lround(column->width * (style->area.width - gap)) - gap;
	const int most = style->area.width - 2 * gap > 1 ? style->area.width - 2 * gap : 1;
	const int least = least_width(column);
	return limit_width(width, least < most ? least : most, most);
}

static void place_scrolled(struct columns *columns, const struct columns_style *style, int gap)
{
	int64_t x = gap;
	for (int i = 0; i < columns->n; i++) {
		struct column *column = &columns->columns[i];
		column->x = coord_clamp(x);
		column->pixels = scrolled_width(column, style, gap);
		x += column->pixels + gap;
	}
	const struct column *active = &columns->columns[columns->active];
	const int strip = coord_clamp(x), room = style->area.width;
	if (style->center == COLUMNS_CENTER_ALWAYS) {
		columns->scroll = active->x + active->pixels / 2 - room / 2;
		return;
	}
	if (strip <= room) {
		columns->scroll = style->center == COLUMNS_CENTER_SHORT ? -((room - strip) / 2) : 0;
		return;
	}
	int least = active->x + active->pixels + gap - room, most = active->x - gap;
	columns->scroll = columns->scroll < least ? least : columns->scroll;
	columns->scroll = columns->scroll > most ? most : columns->scroll;
	least = 0;
	most = strip - room;
	columns->scroll = limit_width(columns->scroll, least, most);
}

/*
 * Gives columns whose share of the width is less than their minimum that minimum, if the others
 * keep LEAST_SHARE of the width each. The others get 0 pixels. Returns the pixels left for them,
 * and the sum of their widths in `total`.
 */
static int pin_minimums(struct columns *columns, int size, double *total)
{
	const double all = *total, least_share = fmax(LEAST_SHARE * size, 1);
	int64_t left = size;
	int n_others = columns->n;
	for (bool more = true; more && (double)left >= n_others * least_share;) {
		const double unit = (double)left / *total;
		more = false;
		for (int i = 0; i < columns->n; i++) {
			struct column *column = &columns->columns[i];
			const int least = least_width(column);
			if (column->pixels == 0 && least > column->width * unit) {
				column->pixels = least;
				left -= least;
				*total -= column->width;
				n_others--;
				more = true;
			}
		}
	}
	if (n_others > 0 && (double)left >= n_others * least_share) {
		return (int)left;
	}
	for (int i = 0; i < columns->n; i++) {
		columns->columns[i].pixels = 0;
	}
	*total = all;
	return size;
}

static void place_fitted(struct columns *columns, const struct columns_style *style, int gap)
{
	const int n = columns->n;
	double total = 0, sum = 0;
	int n_others = 0;
	gap = limit_gap(gap, style->area.width, n);
	for (int i = 0; i < n; i++) {
		columns->columns[i].pixels = 0;
		total += columns->columns[i].width;
	}
	const int size = pin_minimums(columns, style->area.width - gap * (n + 1), &total);
	for (int i = 0; i < n; i++) {
		n_others += columns->columns[i].pixels == 0;
	}
	int x = gap, from = 0;
	for (int i = 0; i < n; i++) {
		struct column *column = &columns->columns[i];
		if (column->pixels == 0) {
			sum += column->width;
			int to = divide(sum, total, size, from + 1, --n_others);
			column->pixels = to - from;
			from = to;
		}
		column->x = x;
		x += column->pixels + gap;
	}
	columns->scroll = 0;
}

/* Returns true if only one window is visible. */
static bool is_single(const struct columns *columns)
{
	const struct column *first = &columns->columns[0];
	return columns->n == 1 && (first->n_items == 1 || first->tabbed);
}

bool columns_arrange(struct columns *columns, const struct columns_style *style)
{
	if (columns->n == 0 || box_empty(&style->area)) {
		return false;
	}
	const bool bare = style->smart_gaps && is_single(columns);
	const int gap = bare ? 0 : style->gap;
	if (style->overflow == COLUMNS_SCROLL) {
		place_scrolled(columns, style, gap);
	} else {
		place_fitted(columns, style, gap);
	}
	for (int i = 0; i < columns->n; i++) {
		struct column *column = &columns->columns[i];
		struct box box = {
			.x = coord_sum(style->area.x, column->x - columns->scroll),
			.y = style->area.y,
			.width = column->pixels,
			.height = style->area.height,
		};
		if (column->tabbed) {
			arrange_tabs(column, style, box, gap);
		} else {
			arrange_stack(column, style, box, gap);
		}
	}
	return bare;
}

struct box columns_predict(const struct columns *columns, const struct columns_style *style,
	double width, int min_width, bool before)
{
	struct columns copy;
	int fresh; /* its address is the ID of no window */
	columns_copy(&copy, columns);
	columns_insert(&copy, &fresh, width, before);
	struct columns_item *item = columns_find(&copy, &fresh, NULL);
	item->min_width = min_width;
	columns_arrange(&copy, style);
	struct box box = item->box;
	columns_finish(&copy);
	return box;
}
