/* SPDX-License-Identifier: MIT */
/* The layout `columns`: tables of changes and boxes, and a random player against invariants. */

#include "harness/unit.h"

#include "shell/geometry/layout_columns.h"
#include <stdio.h>
#include <string.h>

#define IDS 12

/* The IDs are the addresses of these letters. */
static char letters[] = "abcdefghijkl";

static const double presets[] = {1.0 / 3, 0.5, 2.0 / 3};

static void *id(char letter)
{
	return &letters[letter - 'a'];
}

/* Returns the active item's ID, or NULL without items. */
static void *active_id(const struct columns *columns)
{
	const struct column *column = &columns->columns[columns->active];
	return columns->n > 0 ? column->items[column->active].id : NULL;
}

/* Writes the model: columns separated by spaces, [tabs], the active item in upper case. */
static const char *describe(const struct columns *columns, char *text)
{
	char *at = text;
	for (int i = 0; i < columns->n; i++) {
		const struct column *column = &columns->columns[i];
		at += sprintf(at, "%s%s", i ? " " : "", column->tabbed ? "[" : "");
		for (int j = 0; j < column->n_items; j++) {
			char letter = *(const char *)column->items[j].id;
			bool active = active_id(columns) == column->items[j].id;
			*at++ = (char)(active ? letter - 'a' + 'A' : letter);
		}
		at += sprintf(at, "%s", column->tabbed ? "]" : "");
	}
	*at = '\0';
	return text;
}

/*
 * Plays a line: a letter inserts its window; +a focuses; -a removes; <a >a ^a va move; (a )a join;
 * ta changes tabs.
 */
static void play(struct columns *columns, const char *line)
{
	for (; *line; line++) {
		if (*line == ' ') {
			continue;
		}
		if (!strchr("+-<>^v()t", *line)) {
			columns_insert(columns, id(*line), 0.5, false);
			continue;
		}
		void *first = id(line[1]);
		switch (*line) {
		case '+': columns_focus(columns, first); break;
		case '-': columns_remove(columns, first); break;
		case '<': columns_move(columns, first, DIRECTION_LEFT); break;
		case '>': columns_move(columns, first, DIRECTION_RIGHT); break;
		case '^': columns_move(columns, first, DIRECTION_UP); break;
		case 'v': columns_move(columns, first, DIRECTION_DOWN); break;
		case '(': columns_join(columns, first, DIRECTION_LEFT); break;
		case ')': columns_join(columns, first, DIRECTION_RIGHT); break;
		default: columns_toggle_tabbed(columns, first); break;
		}
		line++;
	}
}

static void changes_follow_the_table(void **state)
{
	static const struct {
		const char *claim, *line, *result;
	} rows[] = {
		{"a new window gets a column after the active one", "a b +a c", "a C b"},
		{"removing the active window activates the one to the right", "a b c +b -b", "a C"},
		{"removing the last column activates the one to the left", "a b c -c", "a B"},
		{"removing another window keeps the active one", "a b c +b -a", "B c"},
		{"a window moves past a column", "a b c <c", "a C b"},
		{"the first column does not move to the left", "a b <a", "a B"},
		{"joining puts the window at the bottom of the column", "a b c (c", "a bC"},
		{"joining to the right", "a b c +a )a", "bA c"},
		{"the first column has none to join", "a b (a", "a B"},
		{"a window moves up in its column", "a b (b ^b", "Ba"},
		{"the top window does not move up", "a b (b ^a", "aB"},
		{"moving sideways leaves the stack", "a b (b <b", "B a"},
		{"moving to the right leaves the stack", "a b c +b (b >a", "b A c"},
		{"tabs stay with their column", "a b (b tb c", "[ab] C"},
		{"removing a stacked window keeps the column", "a b (b -b", "A"},
		{"removing all leaves nothing", "a b -a -b", ""},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct columns columns = {0};
		char text[128];
		play(&columns, rows[i].line);
		if (strcmp(describe(&columns, text), rows[i].result) != 0) {
			fail_msg("%s: '%s' instead of '%s'", rows[i].claim, text, rows[i].result);
		}
		columns_finish(&columns);
	}
}

static void swap_exchanges_windows_between_columns(void **state)
{
	struct columns columns = {0};
	char text[128];
	play(&columns, "a b c");
	assert_true(columns_swap(&columns, id('a'), id('c')));
	assert_string_equal(describe(&columns, text), "c b A");
	assert_false(columns_swap(&columns, id('a'), id('d')));
	columns_finish(&columns);
}

static void boxes_follow_the_table(void **state)
{
	static const struct {
		const char *claim, *line;
		int gap;
		bool smart;
		int overflow, center;
		char window;
		struct box box;
	} rows[] = {
		{"one fitted window fills the area", "a", 0, false, COLUMNS_FIT, 1, 'a',
			{100, 50, 1000, 600}},
		{"with gaps around it", "a", 10, false, COLUMNS_FIT, 1, 'a', {110, 60, 980, 580}},
		{"without them if they are smart", "a", 10, true, COLUMNS_FIT, 1, 'a',
			{100, 50, 1000, 600}},
		{"tabs count as one window", "a b (b tb", 10, true, COLUMNS_FIT, 1, 'b',
			{100, 58, 1000, 592}},
		{"smart gaps are back with two columns", "a b", 10, true, COLUMNS_FIT, 1, 'a',
			{110, 60, 485, 580}},
		{"two fitted columns share the width", "a b", 10, false, COLUMNS_FIT, 1, 'b',
			{605, 60, 485, 580}},
		{"a stack shares the height", "a b (b", 10, false, COLUMNS_FIT, 1, 'b',
			{110, 355, 980, 285}},
		{"tabs lie below their bar", "a b (b tb", 10, false, COLUMNS_FIT, 1, 'b',
			{110, 68, 980, 572}},
		{"a single tab has no bar", "a ta", 10, false, COLUMNS_FIT, 1, 'a',
			{110, 60, 980, 580}},
		{"a scrolled column keeps its width", "a", 10, false, COLUMNS_SCROLL, 1, 'a',
			{110, 60, 485, 580}},
		{"a short strip can be centred", "a", 10, false, COLUMNS_SCROLL,
			COLUMNS_CENTER_SHORT, 'a', {357, 60, 485, 580}},
		{"two halves fill the area", "a b", 10, false, COLUMNS_SCROLL, 1, 'b',
			{605, 60, 485, 580}},
		{"the third half scrolls", "a b c", 10, false, COLUMNS_SCROLL, 1, 'c',
			{605, 60, 485, 580}},
		{"and moves the first out", "a b c", 10, false, COLUMNS_SCROLL, 1, 'a',
			{-385, 60, 485, 580}},
		{"the focused column can be centred", "a b c", 10, false, COLUMNS_SCROLL,
			COLUMNS_CENTER_ALWAYS, 'c', {358, 60, 485, 580}},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct columns columns = {0};
		struct columns_style style = {.area = {100, 50, 1000, 600},
			.gap = rows[i].gap,
			.tab_height = 8,
			.smart_gaps = rows[i].smart,
			.overflow = rows[i].overflow,
			.center = rows[i].center};
		play(&columns, rows[i].line);
		columns_arrange(&columns, &style);
		struct box box = columns_find(&columns, id(rows[i].window), NULL)->box;
		if (!box_equal(&box, &rows[i].box)) {
			fail_msg("%s: %d,%d %dx%d", rows[i].claim, box.x, box.y, box.width,
				box.height);
		}
		columns_finish(&columns);
	}
}

static void widths_step_through_the_presets(void **state)
{
	struct columns columns = {0};
	play(&columns, "a");
	const double expected[] = {2.0 / 3, 1.0 / 3, 0.5};
	for (int i = 0; i < 3; i++) {
		assert_true(columns_step_width(&columns, id('a'), presets, 3, false, false));
		assert_true(columns.columns[0].width == expected[i]);
	}
	assert_true(columns_step_width(&columns, id('a'), presets, 3, true, false));
	assert_true(columns.columns[0].width == presets[0]);
	assert_true(columns_step_width(&columns, id('a'), presets, 3, true, false));
	assert_true(columns.columns[0].width == presets[2]);
	columns_finish(&columns);
}

static void assert_near(double value, double expected)
{
	assert_true(value > expected - 1e-9 && value < expected + 1e-9);
}

static void width_of_a_fitted_column_is_its_part_of_the_area(void **state)
{
	struct columns columns = {0};
	play(&columns, "a b c");
	assert_near(columns_width(&columns, id('c'), true), 1.0 / 3);
	assert_near(columns_width(&columns, id('c'), false), 0.5);
	const double expected[] = {0.5, 2.0 / 3, 1.0 / 3};
	for (int i = 0; i < 3; i++) {
		assert_true(columns_step_width(&columns, id('c'), presets, 3, false, true));
		assert_near(columns_width(&columns, id('c'), true), expected[i]);
		assert_near(columns.columns[0].width, columns.columns[1].width);
	}
	assert_true(columns_set_width(&columns, id('a'), 0.8, true));
	assert_near(columns_width(&columns, id('a'), true), 0.8);
	assert_near(columns_width(&columns, id('c'), true), 0.1);
	assert_true(columns_set_width(&columns, id('a'), 1, true));
	assert_true(columns_width(&columns, id('c'), true) > 0.04);
	columns_finish(&columns);
}

static void predicted_box_is_the_box_after_insertion(void **state)
{
	struct columns_style style = {.area = {0, 0, 1000, 600}, .gap = 7, .tab_height = 8};
	for (int overflow = COLUMNS_FIT; overflow <= COLUMNS_SCROLL; overflow++) {
		struct columns columns = {0};
		style.overflow = overflow;
		for (char letter = 'a'; letter < 'f'; letter++) {
			struct box box = columns_predict(&columns, &style, 0.4, 0, letter & 1);
			columns_insert(&columns, id(letter), 0.4, letter & 1);
			columns_arrange(&columns, &style);
			assert_true(
				box_equal(&box, &columns_find(&columns, id(letter), NULL)->box));
		}
		columns_finish(&columns);
	}
}

static void scrolling_respects_minimum_widths(void **state)
{
	struct columns columns = {0};
	struct columns_style style = {
		.area = {0, 0, 1000, 600}, .overflow = COLUMNS_SCROLL, .gap = 10};
	play(&columns, "a b");
	columns_find(&columns, id('a'), NULL)->min_width = 700;
	columns_find(&columns, id('b'), NULL)->min_width = 5000;
	columns_arrange(&columns, &style);
	assert_int_equal(columns.columns[0].pixels, 700);
	assert_int_equal(columns.columns[1].pixels, 980); /* not more than the area */
	columns_finish(&columns);
}

static void fitting_respects_minimum_widths_while_there_is_room(void **state)
{
	static const struct {
		const char *claim;
		int least[3], pixels[3];
	} rows[] = {
		{"no minimum", {0, 0, 0}, {320, 320, 320}},
		{"minimum below the share", {300, 0, 0}, {320, 320, 320}},
		{"others share the remainder", {0, 500, 0}, {230, 500, 230}},
		{"minimum that only counts beside another one", {0, 500, 310}, {150, 500, 310}},
		{"too little for the others", {0, 900, 0}, {320, 320, 320}},
		{"minimums that exceed the area", {500, 500, 500}, {320, 320, 320}},
		{"absurd minimum", {0, INT32_MAX, INT32_MAX}, {320, 320, 320}},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct columns columns = {0};
		struct columns_style style = {
			.area = {0, 0, 1000, 600}, .overflow = COLUMNS_FIT, .gap = 10};
		play(&columns, "a b c");
		int x = 10;
		for (int j = 0; j < 3; j++) {
			columns.columns[j].items[0].min_width = rows[i].least[j];
		}
		columns_arrange(&columns, &style);
		for (int j = 0; j < 3; j++) {
			const struct column *column = &columns.columns[j];
			if (column->pixels != rows[i].pixels[j] || column->x != x) {
				fail_msg("%s: column %d has %d pixels at %d", rows[i].claim, j,
					column->pixels, column->x);
			}
			x += column->pixels + 10;
		}
		columns_finish(&columns);
	}
}

/* Invariants of the random player. */

static void check_model(const struct columns *columns, const bool *present)
{
	int n = 0, expected = 0;
	for (int i = 0; i < columns->n; i++) {
		const struct column *column = &columns->columns[i];
		assert_true(column->n_items > 0);
		assert_true(column->active >= 0 && column->active < column->n_items);
		assert_true(column->width >= COLUMN_WIDTH_MIN && column->width <= 1);
		n += column->n_items;
		for (int j = 0; j < column->n_items; j++) {
			assert_true(column->items[j].share > 0);
		}
	}
	for (int i = 0; i < IDS; i++) {
		expected += present[i];
		assert_int_equal(columns_find(columns, &letters[i], NULL) != NULL, present[i]);
	}
	assert_int_equal(n, expected);
	assert_true(n == 0 || (columns->active >= 0 && columns->active < columns->n));
	assert_int_equal(active_id(columns) != NULL, n > 0);
}

static bool is_inside(const struct box *box, const struct box *area)
{
	return box->x >= area->x && box->y >= area->y &&
	       box->x + box->width <= area->x + area->width &&
	       box->y + box->height <= area->y + area->height;
}

static void check_boxes(const struct columns *columns, const struct columns_style *style)
{
	const struct box *shown[IDS];
	int n = 0;
	for (int i = 0; i < columns->n; i++) {
		for (int j = 0; j < columns->columns[i].n_items; j++) {
			const struct columns_item *item = &columns->columns[i].items[j];
			assert_false(box_empty(&item->box));
			assert_true(item->box.y >= style->area.y);
			assert_true(item->box.y + item->box.height <=
				    style->area.y + style->area.height);
			if (style->overflow == COLUMNS_FIT || item->id == active_id(columns)) {
				assert_true(is_inside(&item->box, &style->area));
			}
			assert_true(item->shown || item->id != active_id(columns));
			if (item->shown) {
				shown[n++] = &item->box;
			}
		}
	}
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < i; j++) {
			struct box common;
			assert_false(box_intersect(&common, shown[i], shown[j]));
		}
	}
}

/* Every window is reached from the active one by steps in the four directions. */
static void check_reach(const struct columns *columns, const bool *present)
{
	struct columns copy;
	bool reached[IDS] = {false};
	void *open[IDS];
	int n = 0;
	columns_copy(&copy, columns);
	if (active_id(&copy)) {
		open[n++] = active_id(&copy);
		reached[(char *)open[0] - letters] = true;
	}
	while (n > 0) {
		void *from = open[--n];
		for (int d = DIRECTION_LEFT; d <= DIRECTION_DOWN; d++) {
			columns_focus(&copy, from);
			char *to = columns_neighbor(&copy, from, (enum direction)d);
			if (to && !reached[to - letters]) {
				reached[to - letters] = true;
				open[n++] = to;
			}
		}
	}
	assert_memory_equal(reached, present, sizeof(reached));
	columns_finish(&copy);
}

static void window_is_placed_beside_another(void **state)
{
	static const struct {
		const char *line;
		char window, beside;
		enum direction side;
		bool changed;
		const char *result;
	} rows[] = {
		{"a b c", 'a', 'c', DIRECTION_RIGHT, true, "b c A"},
		{"a b c", 'a', 'c', DIRECTION_LEFT, true, "b A c"},
		{"a b c", 'c', 'a', DIRECTION_LEFT, true, "C a b"},
		{"a b c", 'a', 'c', DIRECTION_UP, true, "b Ac"},
		{"a b c", 'a', 'c', DIRECTION_DOWN, true, "b cA"},
		{"a b (b c", 'a', 'b', DIRECTION_DOWN, true, "bA c"},
		{"a b (b c", 'a', 'b', DIRECTION_LEFT, true, "A b c"},
		{"a b (b c", 'b', 'a', DIRECTION_UP, true, "Ba c"},
		{"a b (b c", 'b', 'b', DIRECTION_UP, false, "ab C"},
		{"a b", 'a', 'c', DIRECTION_UP, false, "a B"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct columns columns = {0};
		char text[64];
		play(&columns, rows[i].line);
		assert_int_equal(columns_place(&columns, id(rows[i].window), id(rows[i].beside),
					 rows[i].side),
			rows[i].changed);
		assert_string_equal(describe(&columns, text), rows[i].result);
		columns_finish(&columns);
	}
}

/* Fitted columns take from their neighbour; at the border of the screen the other edge moves. */
static void dragged_edge_moves_within_the_limits(void **state)
{
	struct columns columns = {0};
	play(&columns, "a b");
	assert_near(columns_drag_edge(&columns, id('a'), DIRECTION_RIGHT, 0.1, true), 0.1);
	assert_near(columns.columns[0].width, 0.6);
	assert_near(columns.columns[1].width, 0.4);
	assert_near(columns_drag_edge(&columns, id('a'), DIRECTION_LEFT, 0.1, true), 0.1);
	assert_near(columns.columns[0].width, 0.5);
	assert_near(columns_drag_edge(&columns, id('a'), DIRECTION_RIGHT, 2, true), 0.45);
	assert_near(columns_drag_edge(&columns, id('a'), DIRECTION_RIGHT, 0.1, true), 0);
	assert_near(columns_drag_edge(&columns, id('b'), DIRECTION_LEFT, 0.45, true), 0.45);
	assert_near(columns_drag_edge(&columns, id('a'), DIRECTION_UP, 0.1, true), 0);
	/* A scrolling column changes alone. */
	assert_near(columns_drag_edge(&columns, id('a'), DIRECTION_LEFT, 0.2, false), 0.2);
	assert_near(columns.columns[0].width, 0.7);
	assert_near(columns.columns[1].width, 0.5);
	play(&columns, "(b");
	assert_near(columns_drag_edge(&columns, id('a'), DIRECTION_DOWN, 0.25, true), 0.25);
	assert_near(columns.columns[0].items[0].share, 1.5);
	assert_near(columns.columns[0].items[1].share, 0.5);
	columns_finish(&columns);
}

static void move_randomly(struct columns *columns, bool *present)
{
	int who = random_between(0, IDS - 1);
	void *window = &letters[who], *other = &letters[random_between(0, IDS - 1)];
	enum direction direction = (enum direction)random_between(0, 3);
	switch (random_between(0, 12)) {
	case 0:
	case 1:
	case 2:
		if (!present[who]) {
			columns_insert(columns, window, random_between(0, 120) / 100.0,
				random_between(0, 1));
			columns_find(columns, window, NULL)->min_width = random_between(-300, 300);
			present[who] = true;
		}
		break;
	case 3:
		columns_remove(columns, window);
		present[who] = false;
		break;
	case 4: columns_focus(columns, window); break;
	case 5: columns_move(columns, window, direction); break;
	case 6: columns_join(columns, window, direction); break;
	case 7: columns_swap(columns, window, other); break;
	case 8: columns_toggle_tabbed(columns, window); break;
	case 9:
		columns_step_width(
			columns, window, presets, 3, random_between(0, 1), random_between(0, 1));
		break;
	case 10: columns_place(columns, window, other, direction); break;
	case 11:
		columns_drag_edge(columns, window, direction, random_between(-100, 100) / 100.0,
			random_between(0, 1));
		break;
	default: columns_grow_height(columns, window, random_between(-100, 100) / 100.0); break;
	}
}

static void random_player_breaks_no_invariant(void **state)
{
	for (int game = 0; game < 200; game++) {
		struct columns columns = {0};
		bool present[IDS] = {false};
		struct columns_style style = {
			.area = {random_between(-500, 500), 20, random_between(200, 1000),
				random_between(200, 600)},
			.gap = random_between(0, 30),
			.tab_height = random_between(0, 20),
			.smart_gaps = random_between(0, 1),
			.overflow = random_between(COLUMNS_FIT, COLUMNS_SCROLL),
			.center = random_between(COLUMNS_CENTER_NEVER, COLUMNS_CENTER_ALWAYS),
		};
		for (int turn = 0; turn < 100; turn++) {
			move_randomly(&columns, present);
			check_model(&columns, present);
			columns_arrange(&columns, &style);
			check_boxes(&columns, &style);
			check_reach(&columns, present);
		}
		columns_finish(&columns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_follow_the_table),
		cmocka_unit_test(swap_exchanges_windows_between_columns),
		cmocka_unit_test(boxes_follow_the_table),
		cmocka_unit_test(widths_step_through_the_presets),
		cmocka_unit_test(width_of_a_fitted_column_is_its_part_of_the_area),
		cmocka_unit_test(predicted_box_is_the_box_after_insertion),
		cmocka_unit_test(scrolling_respects_minimum_widths),
		cmocka_unit_test(fitting_respects_minimum_widths_while_there_is_room),
		cmocka_unit_test(window_is_placed_beside_another),
		cmocka_unit_test(dragged_edge_moves_within_the_limits),
		cmocka_unit_test(random_player_breaks_no_invariant),
	};
	return cmocka_run_group_tests_name("layout_columns", tests, NULL, NULL);
}
