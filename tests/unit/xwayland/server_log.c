/* SPDX-License-Identifier: MIT */
/* Lines of an X server that are logged. */

#include "xwayland/server_log.h"
#include "harness/unit.h"
#include <string.h>

#define HEADER "The XKEYBOARD keymap compiler (xkbcomp) reports:\n"
#define FOOTER "Errors from xkbcomp are not fatal to the X server\n"
#define KEYCODE                                                                                    \
	"> Warning:          Unsupported maximum keycode 708, clipping.\n"                         \
	">                   X11 cannot support keycodes above 255.\n"
#define KEYSYM "> Warning:          Could not resolve keysym XF86DoNotDisturb\n"
#define ERROR                                                                                      \
	"> Error:            No Symbols named \"none\"\n"                                          \
	">                   Exiting\n"

static const struct {
	const char *name, *lines, *want;
} rows[] = {
	{"other lines", "a\nb\n", "a\nb\n"},
	{"known warnings", "a\n" HEADER KEYCODE KEYSYM FOOTER "b\n", "a\nb\n"},
	{"older words", HEADER "> Internal error:   Could not resolve keysym Invalid\n" FOOTER, ""},
	{"an error of xkbcomp", HEADER ERROR FOOTER, HEADER ERROR FOOTER},
	{"an error among known warnings", HEADER KEYCODE ERROR KEYSYM FOOTER "b\n",
		HEADER ERROR FOOTER "b\n"},
	{"two reports", HEADER ERROR FOOTER HEADER KEYSYM FOOTER, HEADER ERROR FOOTER},
	{"a report without an end", HEADER KEYCODE HEADER KEYCODE "Fatal server error:\n",
		HEADER "Fatal server error:\n"},
	{"known words outside of reports", KEYSYM FOOTER, KEYSYM FOOTER},
	{"known words in lines of the server", HEADER "Could not resolve keysym\n",
		HEADER "Could not resolve keysym\n"},
};

static void known_warnings_of_xkbcomp_are_dropped(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct x_log_filter filter = {0};
		char got[1024] = "", lines[1024], *rest = lines;
		strcpy(lines, rows[i].lines);
		for (char *line; (line = strtok_r(rest, "\n", &rest));) {
			const char *out[2];
			const int n = x_log_filter(&filter, line, out);
			for (int k = 0; k < n; k++) {
				strcat(strcat(got, out[k]), "\n");
			}
		}
		if (strcmp(got, rows[i].want) != 0) {
			fail_msg("%s: \"%s\", not \"%s\"", rows[i].name, got, rows[i].want);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_warnings_of_xkbcomp_are_dropped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
