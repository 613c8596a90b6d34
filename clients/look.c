/* SPDX-License-Identifier: MIT */
/* Tables of reports: selected fields, one line per record, as wide as the terminal at most. */

#include "look.h"
#include "character.h"
#include <assert.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define CELL_MAX 512
#define GAP 2
#define COLUMNS_MAX 32
/** Columns that texts keep when the line is too long. */
#define LEAST 8
/** Width of a terminal that cannot be asked, such as a pipe. */
#define DEFAULT_WIDTH 80

/* Most important fields first: the last ones are left out on narrow terminals. */
const struct look_column look_surfaces[] = {
	{"title", "title", LOOK_NAME},
	{"client", "program", LOOK_NAME},
	{"output", "output", LOOK_TEXT},
	{"buffer_gpu", "GPU", LOOK_GPU},
	{"route", "route", LOOK_TEXT},
	{"engine", "by", LOOK_TEXT},
	{"copied", "copied", LOOK_BYTES},
	{"uploaded", "uploaded", LOOK_BYTES},
	{0},
};

const struct look_column look_windows[] = {
	{"title", "title", LOOK_NAME},
	{"application", "application", LOOK_NAME},
	{"workspace", "workspace", LOOK_TEXT},
	{"output", "output", LOOK_TEXT},
	{"size", "size", LOOK_TEXT},
	{"state", "state", LOOK_NAME},
	{"gpu", "GPU", LOOK_GPU},
	{0},
};

const struct look_column look_outputs[] = {
	{"name", "output", LOOK_TEXT},
	{"mode", "mode", LOOK_TEXT},
	{"scale", "scale", LOOK_TEXT},
	{"position", "position", LOOK_TEXT},
	{"gpu", "GPU", LOOK_GPU},
	{"state", "state", LOOK_TEXT},
	{"model", "model", LOOK_NAME},
	{0},
};

const struct look_column look_workspaces[] = {
	{"name", "workspace", LOOK_NAME},
	{"output", "output", LOOK_TEXT},
	{"layout", "layout", LOOK_TEXT},
	{"windows", "windows", LOOK_TEXT},
	{"state", "state", LOOK_NAME},
	{0},
};

const struct look_column look_keyboards[] = {
	{"name", "keyboard", LOOK_NAME},
	{"layout", "layout", LOOK_NAME},
	{"layouts", "layouts", LOOK_NAME},
	{0},
};

const struct look_column look_gpus[] = {
	{"name", "GPU", LOOK_GPU},
	{"driver", "driver", LOOK_TEXT},
	{"power", "power", LOOK_TEXT},
	{"engines", "engines", LOOK_TEXT},
	{"role", "role", LOOK_TEXT},
	{"awake_for", "awake for", LOOK_NAME},
	{0},
};

const struct look_column look_paces[] = {
	{"output", "output", LOOK_TEXT},
	{"refresh", "Hz", LOOK_TEXT},
	{"presented", "presented", LOOK_TEXT},
	{"late", "late", LOOK_TEXT},
	{"starts_before", "starts", LOOK_TEXT},
	{"upload_median", "upload", LOOK_TEXT},
	{"copy_median", "copy", LOOK_TEXT},
	{"render_median", "render", LOOK_TEXT},
	{"gpu_median", "gpu", LOOK_TEXT},
	{"submit_median", "submit", LOOK_TEXT},
	{0},
};

const struct look_column look_rates[] = {
	{"title", "window", LOOK_NAME},
	{"client", "program", LOOK_NAME},
	{"route", "route", LOOK_TEXT},
	{"engine", "by", LOOK_TEXT},
	{"copied_per_second", "copied/s", LOOK_BYTES},
	{"uploaded_per_second", "uploaded/s", LOOK_BYTES},
	{"latency_p50", "p50 ms", LOOK_TEXT},
	{"latency_p99", "p99 ms", LOOK_TEXT},
	{"copied_per_frame", "a frame", LOOK_BYTES},
	{"shown", "shown", LOOK_TEXT},
	{"superseded", "superseded", LOOK_TEXT},
	{"hidden", "hidden", LOOK_TEXT},
	{"reason", "reason", LOOK_NAME},
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

static void write_bytes(char *out, size_t size, double bytes)
{
	static const char units[] = " KMGT";
	size_t unit = 0;
	while (bytes >= 1000 && units[unit + 1]) {
		bytes /= 1024;
		unit++;
	}
	snprintf(out, size, unit > 0 && bytes < 10 ? "%.1f%c" : "%.0f%c", bytes, units[unit]);
	out[strcspn(out, " ")] = '\0';
}

/* Removes trailing zeros of a number with decimals. */
static void trim_number(char *text)
{
	size_t length = strlen(text), digits = strspn(text, "0123456789");
	if (digits == 0 || text[digits] != '.' ||
		strspn(text + digits + 1, "0123456789") != length - digits - 1) {
		return;
	}
	while (text[length - 1] == '0') {
		text[--length] = '\0';
	}
	if (text[length - 1] == '.') {
		text[length - 1] = '\0';
	}
}

/* Texts come from clients: control characters are replaced. */
static void write_cell(
	char *out, size_t size, const struct record *record, const struct look_column *column)
{
	const char *value = report_find(record, column->field);
	static const char pci[] = "pci-";
	if (!value || !*value) {
		snprintf(out, size, "-");
	} else if (column->kind == LOOK_BYTES) {
		write_bytes(out, size, strtod(value, NULL));
	} else if (column->kind == LOOK_GPU && strncmp(value, pci, strlen(pci)) == 0) {
		snprintf(out, size, "%s", value + strlen(pci));
	} else {
		snprintf(out, size, "%s", value);
		if (column->kind == LOOK_TEXT) {
			trim_number(out);
		}
	}
	for (char *at = out; *at; at++) {
		*at = *at == '\n' ? ',' : *at; /* of lists */
	}
	text_make_plain(out);
}

static int terminal_width(void)
{
	struct winsize size;
	bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
	return known ? size.ws_col : DEFAULT_WIDTH;
}

/* Returns the terminal columns of the first character, and its length in bytes. */
static int measure(const char *text, size_t *length)
{
	wchar_t character;
	mbstate_t state = {0};
	*length = mbrtowc(&character, text, MB_LEN_MAX, &state);
	if (*length > MB_LEN_MAX) { /* invalid */
		*length = 1;
		return 1;
	}
	const int columns = wcwidth(character);
	return columns >= 0 ? columns : 1;
}

static int width_of(const char *text)
{
	int n = 0;
	for (size_t length; *text; text += length) {
		n += measure(text, &length);
	}
	return n;
}

static int find_width(const struct report *report, const struct look_column *column)
{
	int width = width_of(column->head);
	char cell[CELL_MAX];
	for (size_t i = 0; i < report->n_records; i++) {
		write_cell(cell, sizeof(cell), &report->records[i], column);
		width = width_of(cell) > width ? width_of(cell) : width;
	}
	return width;
}

static int sum(const int *widths, int n)
{
	int total = -GAP;
	for (int i = 0; i < n; i++) {
		total += widths[i] + GAP;
	}
	return total;
}

/* Narrows names, the widest first, then leaves out columns at the end. Returns their number. */
static int fit(const struct look_column *columns, int *widths, int n, int limit)
{
	while (sum(widths, n) > limit) {
		int widest = -1;
		for (int i = 0; i < n; i++) {
			if (columns[i].kind == LOOK_NAME && widths[i] > LEAST &&
				(widest < 0 || widths[i] > widths[widest])) {
				widest = i;
			}
		}
		if (widest >= 0) {
			widths[widest]--;
		} else if (n > 1) {
			n--;
		} else {
			break;
		}
	}
	return n;
}

static void print_cell(const char *text, int width, bool last)
{
	const bool cut = width_of(text) > width;
	int columns = 0;
	for (size_t length; *text; text += length) {
		const int more = measure(text, &length);
		if (cut && columns + more > width - 1) {
			fputs("\u2026", stdout);
			columns++;
			break;
		}
		columns += more;
		fwrite(text, 1, length, stdout);
	}
	for (; !last && columns < width + GAP; columns++) {
		putchar(' ');
	}
}

void look_print(const struct report *report, const struct look_column *columns)
{
	if (report->n_records == 0) {
		return;
	}
	int widths[COLUMNS_MAX], n = 0;
	setlocale(LC_CTYPE, "C.UTF-8"); /* texts are UTF-8 in any locale */
	for (; columns[n].field; n++) {
		assert(n < COLUMNS_MAX);
		widths[n] = find_width(report, &columns[n]);
	}
	n = fit(columns, widths, n, terminal_width());
	for (int i = 0; i < n; i++) {
		print_cell(columns[i].head, widths[i], i == n - 1);
	}
	putchar('\n');
	for (size_t i = 0; i < report->n_records; i++) {
		for (int c = 0; c < n; c++) {
			char cell[CELL_MAX];
			write_cell(cell, sizeof(cell), &report->records[i], &columns[c]);
			print_cell(cell, widths[c], c == n - 1);
		}
		putchar('\n');
	}
}

static bool is(const struct record *record, const char *field)
{
	const char *value = report_find(record, field);
	return value && strcmp(value, "true") == 0;
}

/* Returns the value of a field, or "?". */
static const char *value_of(const struct record *record, const char *field)
{
	const char *value = report_find(record, field);
	return value ? value : "?";
}

static void add_joined(struct record *record, const char *name, const char *format,
	const char *first, const char *second)
{
	char text[128];
	if (report_find(record, first)) {
		snprintf(text, sizeof(text), format, value_of(record, first),
			value_of(record, second));
		report_add(record, name, text);
	}
}

static void add_state(struct record *record)
{
	static const char *const states[] = {"focused", "urgent", "shown", "minimized",
		"fullscreen", "maximized", "tiled", "sticky", "on_top", "scratchpad"};
	char text[128] = "";
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (is(record, states[i])) {
			strcat(text, *text ? " " : "");
			strcat(text, states[i]);
		}
	}
	report_add(record, "state", text);
}

void look_complete(struct record *record)
{
	char mode[128];
	if (report_find(record, "enabled")) {
		report_add(record, "state",
			is(record, "lent")       ? "leased"
			: !is(record, "enabled") ? "off"
			: is(record, "dark")     ? "standby"
						 : "on");
		add_joined(record, "position", "%s,%s", "x", "y");
		snprintf(mode, sizeof(mode), "%sx%s@%.6g", value_of(record, "width"),
			value_of(record, "height"), strtod(value_of(record, "refresh"), NULL));
		if (report_find(record, "width")) {
			report_add(record, "mode", mode);
		}
	} else if (report_find(record, "minimized")) {
		add_joined(record, "size", "%sx%s", "width", "height");
		add_state(record);
	} else if (report_find(record, "shown")) {
		add_state(record);
	}
}

bool look_matches(const struct record *record, const char *text)
{
	static const char *const fields[] = {
		"title", "application", "client", "name", "make", "model", "driver", "tag", "id"};
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const char *value = report_find(record, fields[i]);
		if (value && strcasestr(value, text)) {
			return true;
		}
	}
	const char *pid = report_find(record, "pid");
	return pid && strcmp(pid, text) == 0;
}
