/* SPDX-License-Identifier: MIT */
/* Tables of `causewayctl watch`: selected fields of reports. */

#include "look.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MAX_WIDTH 512
#define GAP 2
#define MAX_COLUMNS 32

/* Most important fields first: lines are cut at the terminal's width. */
const struct look_column look_surfaces[] = {
	{"client", "program", LOOK_TEXT},
	{"route", "route", LOOK_TEXT},
	{"engine", "by", LOOK_TEXT},
	{"copied_per_second", "copied/s", LOOK_BYTES},
	{"copied_per_frame", "a frame", LOOK_BYTES},
	{"uploaded_per_second", "uploaded/s", LOOK_BYTES},
	{"uploaded_per_frame", "a frame", LOOK_BYTES},
	{"shown", "shown", LOOK_TEXT},
	{"superseded", "superseded", LOOK_TEXT},
	{"hidden", "hidden", LOOK_TEXT},
	{"latency_p50", "latency_p50", LOOK_TEXT},
	{"latency_p99", "latency_p99", LOOK_TEXT},
	{"reason", "reason", LOOK_TEXT},
	{0},
};

const struct look_column look_gpus[] = {
	{"name", "GPU", LOOK_TEXT},
	{"driver", "driver", LOOK_TEXT},
	{"power", "power", LOOK_TEXT},
	{"engines", "engines", LOOK_TEXT},
	{"role", "role", LOOK_TEXT},
	{"awake_for", "awake for", LOOK_TEXT},
	{0},
};

const struct look_column look_totals[] = {
	{"committed", "all: committed", LOOK_TEXT},
	{"shown", "shown", LOOK_TEXT},
	{"superseded", "superseded", LOOK_TEXT},
	{"hidden", "hidden", LOOK_TEXT},
	{"copied_per_second", "copied/s", LOOK_BYTES},
	{"uploaded_per_second", "uploaded/s", LOOK_BYTES},
	{0},
};

/* Texts come from clients: control characters are replaced. */
static void write_cell(
	char *out, size_t size, const struct record *record, const struct look_column *column)
{
	static const char units[] = " KMGT";
	const char *value = report_find(record, column->field);
	double bytes = value ? strtod(value, NULL) : 0;
	size_t unit = 0;
	if (!value || column->kind == LOOK_TEXT) {
		snprintf(out, size, "%s", value && *value ? value : "-");
	} else {
		while (bytes >= 1000 && units[unit + 1]) {
			bytes /= 1024;
			unit++;
		}
		snprintf(out, size, unit > 0 && bytes < 10 ? "%.1f%c" : "%.0f%c", bytes,
			units[unit]);
		out[strcspn(out, " ")] = '\0';
	}
	for (; *out; out++) {
		*out = (unsigned char)*out < 0x20 || *out == 0x7f ? '?' : *out;
	}
}

static int limit(void)
{
	struct winsize size;
	bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
	return known && size.ws_col < MAX_WIDTH ? size.ws_col : MAX_WIDTH - 1;
}

/* Counts bytes as columns: other text than ASCII is rare. */
static int find_width(const struct report *report, const struct look_column *column)
{
	size_t width = strlen(column->head);
	char cell[MAX_WIDTH];
	for (size_t i = 0; i < report->n_records; i++) {
		write_cell(cell, sizeof(cell), &report->records[i], column);
		width = strlen(cell) > width ? strlen(cell) : width;
	}
	return (int)width;
}

/* Prints a record; NULL: the column heads. */
static void print_line(
	const struct look_column *columns, const struct record *record, const int *widths, int end)
{
	char line[MAX_WIDTH] = "", cell[MAX_WIDTH];
	size_t n = 0;
	for (int i = 0; columns[i].field && n < sizeof(line) - 1; i++) {
		if (record) {
			write_cell(cell, sizeof(cell), record, &columns[i]);
		} else {
			snprintf(cell, sizeof(cell), "%s", columns[i].head);
		}
		snprintf(line + n, sizeof(line) - n, "%-*s", widths[i], cell);
		n = strlen(line);
	}
	n = n > (size_t)end ? (size_t)end : n;
	while (n > 0 && line[n - 1] == ' ') {
		n--;
	}
	printf("%.*s\n", (int)n, line);
}

void look_print(const struct report *report, const struct look_column *columns)
{
	if (report->n_records == 0) {
		return;
	}
	int widths[MAX_COLUMNS], end = limit(), n = 0;
	for (; columns[n].field; n++) {
		assert(n < MAX_COLUMNS);
		widths[n] = find_width(report, &columns[n]) + GAP;
	}
	print_line(columns, NULL, widths, end);
	for (size_t i = 0; i < report->n_records; i++) {
		print_line(columns, &report->records[i], widths, end);
	}
	putchar('\n');
}
