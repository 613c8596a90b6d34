/* SPDX-License-Identifier: MIT */
/* The layout `columns`: changes of the model, and its boxes. */

#include "layout_columns.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Smallest share of an item relative to the whole column. */
#define SHARE_MIN 0.05

static void remove_column(struct columns *columns, int at)
{
	free(columns->columns[at].items);
	columns->n--;
	memmove(&columns->columns[at], &columns->columns[at + 1],
		(size_t)(columns->n - at) * sizeof(struct column));
	if (columns->active > at || (columns->active == at && at == columns->n)) {
		columns->active -= columns->active > 0;
	}
}

static struct column *add_column(struct columns *columns, int at, double width)
{
	columns->columns =
		xrealloc(columns->columns, (size_t)columns->n + 1, sizeof(*columns->columns));
	memmove(&columns->columns[at + 1], &columns->columns[at],
		(size_t)(columns->n - at) * sizeof(struct column));
	columns->n++;
	columns->columns[at] = (struct column){.width = width};
	return &columns->columns[at];
}

static void add_item(struct column *column, int at, struct columns_item item)
{
	column->items =
		xrealloc(column->items, (size_t)column->n_items + 1, sizeof(*column->items));
	memmove(&column->items[at + 1], &column->items[at],
		(size_t)(column->n_items - at) * sizeof(item));
	column->n_items++;
	column->items[at] = item;
	column->active = at;
}

/* Removes an item, but keeps an empty column. */
static struct columns_item take_item(struct column *column, int at)
{
	struct columns_item item = column->items[at];
	column->n_items--;
	memmove(&column->items[at], &column->items[at + 1],
		(size_t)(column->n_items - at) * sizeof(item));
	if (column->active > at || column->active == column->n_items) {
		column->active -= column->active > 0;
	}
	return item;
}

void columns_finish(struct columns *columns)
{
	for (int i = 0; i < columns->n; i++) {
		free(columns->columns[i].items);
	}
	free(columns->columns);
	*columns = (struct columns){0};
}

void columns_copy(struct columns *to, const struct columns *from)
{
	*to = *from;
	to->columns = xcalloc((size_t)from->n + 1, sizeof(*to->columns));
	for (int i = 0; i < from->n; i++) {
		const struct column *column = &from->columns[i];
		size_t size = sizeof(*column->items);
		to->columns[i] = *column;
		to->columns[i].items = xcalloc((size_t)column->n_items, size);
		memcpy(to->columns[i].items, column->items, (size_t)column->n_items * size);
	}
}

struct columns_item *columns_find(const struct columns *columns, const void *id, int *column)
{
	for (int i = 0; i < columns->n; i++) {
		for (int j = 0; j < columns->columns[i].n_items; j++) {
			if (columns->columns[i].items[j].id == id) {
				if (column) {
					*column = i;
				}
				return &columns->columns[i].items[j];
			}
		}
	}
	return NULL;
}

/* Returns the index of an item within its column, or -1. */
static int find(const struct columns *columns, const void *id, int *column)
{
	const struct columns_item *item = columns_find(columns, id, column);
	return item ? (int)(item - columns->columns[*column].items) : -1;
}

static double limit(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

void columns_insert(struct columns *columns, void *id, double width, bool before)
{
	int at = columns->n == 0 ? 0 : columns->active + !before;
	struct column *column =
		add_column(columns, at, limit(width, COLUMN_WIDTH_MIN, COLUMN_WIDTH_MAX));
	add_item(column, 0, (struct columns_item){.id = id, .share = 1});
	columns->active = at;
}

bool columns_remove(struct columns *columns, const void *id)
{
	int at, index = find(columns, id, &at);
	if (index < 0) {
		return false;
	}
	take_item(&columns->columns[at], index);
	if (columns->columns[at].n_items == 0) {
		remove_column(columns, at);
	}
	return true;
}

bool columns_focus(struct columns *columns, const void *id)
{
	int at, index = find(columns, id, &at);
	if (index < 0) {
		return false;
	}
	columns->active = at;
	columns->columns[at].active = index;
	return true;
}

static bool is_sideways(enum direction direction)
{
	return direction == DIRECTION_LEFT || direction == DIRECTION_RIGHT;
}

static int step_of(enum direction direction)
{
	return direction == DIRECTION_LEFT || direction == DIRECTION_UP ? -1 : 1;
}

void *columns_neighbor(const struct columns *columns, const void *id, enum direction direction)
{
	int at, index = find(columns, id, &at);
	if (index < 0) {
		return NULL;
	}
	const struct column *column = &columns->columns[at];
	if (!is_sideways(direction)) {
		index += step_of(direction);
		return index >= 0 && index < column->n_items ? column->items[index].id : NULL;
	}
	at += step_of(direction);
	if (at < 0 || at >= columns->n) {
		return NULL;
	}
	column = &columns->columns[at];
	return column->items[column->active].id;
}

static bool move_within(struct column *column, int index, int to)
{
	if (to < 0 || to >= column->n_items) {
		return false;
	}
	struct columns_item item = column->items[index];
	column->items[index] = column->items[to];
	column->items[to] = item;
	column->active = to;
	return true;
}

bool columns_move(struct columns *columns, const void *id, enum direction direction)
{
	int at, index = find(columns, id, &at);
	if (index < 0) {
		return false;
	}
	struct column *column = &columns->columns[at];
	int step = step_of(direction);
	if (!is_sideways(direction)) {
		return move_within(column, index, index + step);
	}
	if (column->n_items > 1) {
		struct columns_item item = take_item(column, index);
		int to = at + (step > 0);
		item.share = 1;
		add_item(add_column(columns, to, column->width), 0, item);
		columns->active = to;
		return true;
	}
	if (at + step < 0 || at + step >= columns->n) {
		return false;
	}
	struct column moved = *column;
	columns->columns[at] = columns->columns[at + step];
	columns->columns[at + step] = moved;
	columns->active = at + step;
	return true;
}

bool columns_join(struct columns *columns, const void *id, enum direction direction)
{
	int at, index = find(columns, id, &at);
	int to = at + step_of(direction);
	if (index < 0 || !is_sideways(direction) || to < 0 || to >= columns->n) {
		return false;
	}
	struct columns_item item = take_item(&columns->columns[at], index);
	item.share = 1;
	add_item(&columns->columns[to], columns->columns[to].n_items, item);
	columns->active = to;
	if (columns->columns[at].n_items == 0) {
		remove_column(columns, at);
	}
	return columns_focus(columns, id);
}

bool columns_swap(struct columns *columns, const void *a, const void *b)
{
	struct columns_item *first = columns_find(columns, a, NULL);
	struct columns_item *second = columns_find(columns, b, NULL);
	if (!first || !second) {
		return false;
	}
	void *id = first->id;
	int min_width = first->min_width;
	first->id = second->id;
	first->min_width = second->min_width;
	second->id = id;
	second->min_width = min_width;
	return columns_focus(columns, a);
}

bool columns_place(struct columns *columns, const void *id, const void *beside, enum direction side)
{
	int from, to, index = find(columns, id, &from);
	if (index < 0 || id == beside || find(columns, beside, &to) < 0) {
		return false;
	}
	const double width = columns->columns[from].width;
	struct columns_item item = take_item(&columns->columns[from], index);
	item.share = 1;
	if (is_sideways(side)) {
		to += side == DIRECTION_RIGHT;
		add_item(add_column(columns, to, width), 0, item);
		from += to <= from;
	} else {
		int place = find(columns, beside, &to);
		add_item(&columns->columns[to], place + (side == DIRECTION_DOWN), item);
	}
	if (columns->columns[from].n_items == 0) {
		remove_column(columns, from);
	}
	return columns_focus(columns, id);
}

/*
 * Moves `by` of `total` from one value to another, within the limits of both. Returns the part that
 * was moved.
 */
static double shift(double *to, double *from, double by, double total, double least, double most)
{
	double amount = by * total;
	amount = fmin(amount, fmin(*from - least, most - *to));
	amount = fmax(amount, fmax(least - *to, *from - most));
	if ((amount < 0) != (by < 0)) {
		return 0; /* a value is at its limit, or beyond it */
	}
	*to = limit(*to + amount, least, most);
	*from = limit(*from - amount, least, most);
	return amount / total;
}

static double drag_height(struct column *column, int index, double by, int step)
{
	double total = 0;
	for (int i = 0; i < column->n_items; i++) {
		total += column->items[i].share;
	}
	if (column->n_items < 2 || column->tabbed) {
		return 0;
	}
	bool inside = index + step >= 0 && index + step < column->n_items;
	struct columns_item *neighbor = &column->items[inside ? index + step : index - step];
	double done = shift(&column->items[index].share, &neighbor->share, inside ? by : -by, total,
		SHARE_MIN * total, total);
	return inside ? done : -done;
}

static double sum_widths(const struct columns *columns)
{
	double sum = 0;
	for (int i = 0; i < columns->n; i++) {
		sum += columns->columns[i].width;
	}
	return sum;
}

double columns_drag_edge(
	struct columns *columns, const void *id, enum direction edge, double by, bool fitted)
{
	int at, index = find(columns, id, &at), step = step_of(edge);
	if (index < 0) {
		return 0;
	}
	struct column *column = &columns->columns[at];
	if (!is_sideways(edge)) {
		return drag_height(column, index, by, step);
	}
	if (!fitted) {
		double before = column->width;
		columns_set_width(columns, id, before + by, false);
		return column->width - before;
	}
	if (columns->n < 2) {
		return 0;
	}
	const double total = sum_widths(columns);
	bool inside = at + step >= 0 && at + step < columns->n;
	struct column *neighbor = &columns->columns[inside ? at + step : at - step];
	double done = shift(&column->width, &neighbor->width, inside ? by : -by, total,
		COLUMN_WIDTH_MIN, COLUMN_WIDTH_MAX);
	return inside ? done : -done;
}

bool columns_toggle_tabbed(struct columns *columns, const void *id)
{
	int at;
	if (find(columns, id, &at) < 0) {
		return false;
	}
	columns->columns[at].tabbed = !columns->columns[at].tabbed;
	return true;
}

double columns_width(const struct columns *columns, const void *id, bool fitted)
{
	int at;
	if (find(columns, id, &at) < 0) {
		return 0;
	}
	return columns->columns[at].width / (fitted ? sum_widths(columns) : 1);
}

bool columns_set_width(struct columns *columns, const void *id, double width, bool fitted)
{
	int at;
	if (find(columns, id, &at) < 0) {
		return false;
	}
	if (!fitted || columns->n < 2) {
		columns->columns[at].width = limit(width, COLUMN_WIDTH_MIN, COLUMN_WIDTH_MAX);
		return true;
	}
	const double part = limit(width, COLUMN_WIDTH_MIN, 1 - COLUMN_WIDTH_MIN);
	double sum = sum_widths(columns);
	const double others = sum - columns->columns[at].width;
	/* The sum stays, so that new columns get the width of an average one. */
	sum = sum * part < COLUMN_WIDTH_MAX ? sum : COLUMN_WIDTH_MAX / part;
	for (int i = 0; i < columns->n; i++) {
		double *value = &columns->columns[i].width;
		*value = limit(i == at ? part * sum : *value / others * (1 - part) * sum,
			COLUMN_WIDTH_MIN, COLUMN_WIDTH_MAX);
	}
	return true;
}

bool columns_step_width(struct columns *columns, const void *id, const double *presets, int n,
	bool back, bool fitted)
{
	const double now = columns_width(columns, id, fitted), close = 0.001;
	if (now == 0 || n < 1) {
		return false;
	}
	double next = presets[back ? n - 1 : 0];
	for (int i = 0; i < n; i++) {
		int k = back ? n - 1 - i : i;
		if (back ? presets[k] < now - close : presets[k] > now + close) {
			next = presets[k];
			break;
		}
	}
	return columns_set_width(columns, id, next, fitted);
}

static double sum_shares(const struct column *column)
{
	double sum = 0;
	for (int i = 0; i < column->n_items; i++) {
		sum += column->items[i].share;
	}
	return sum;
}

bool columns_grow_height(struct columns *columns, const void *id, double by)
{
	int at, index = find(columns, id, &at);
	if (index < 0 || columns->columns[at].n_items < 2) {
		return false;
	}
	struct column *column = &columns->columns[at];
	double sum = sum_shares(column);
	double most = 1 - SHARE_MIN * (column->n_items - 1);
	double part = limit(column->items[index].share / sum + by, SHARE_MIN,
		most > SHARE_MIN ? most : SHARE_MIN);
	double others = sum - column->items[index].share;
	for (int i = 0; i < column->n_items; i++) {
		struct columns_item *item = &column->items[i];
		item->share = i == index ? part : item->share / others * (1 - part);
	}
	return true;
}
