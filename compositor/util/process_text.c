/* SPDX-License-Identifier: MIT */
/* Parsers for the texts of /proc/PID: stat, cmdline, cgroup, environ. */

#include "util/process_text.h"
#include "util/xalloc.h"
#include <stdio.h>
#include <string.h>

bool process_text_stat(const char *text, pid_t *parent, uint64_t *start)
{
	int ppid;
	unsigned long long ticks;
	/* The name before it may contain any character, parentheses included. */
	const char *rest = strrchr(text, ')');
	if (!rest || sscanf(rest,
			     ") %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
			     "%*d %*d %*d %*d %llu",
			     &ppid, &ticks) != 2) {
		return false;
	}
	*parent = ppid;
	*start = ticks;
	return true;
}

char *process_text_cmdline(const char *text, size_t length)
{
	while (length > 0 && text[length - 1] == '\0') {
		length--;
	}
	char *line = xcalloc(length + 1, 1);
	for (size_t i = 0; i < length; i++) {
		line[i] = text[i] ? text[i] : ' ';
	}
	return line;
}

static bool ends_with(const char *text, size_t length, const char *suffix)
{
	size_t end = strlen(suffix);
	return length > end && memcmp(text + length - end, suffix, end) == 0;
}

/* "0::/user.slice/user@1000.service/app.slice/app-foo-1.scope/anything": app-foo-1.scope. */
char *process_text_unit(const char *text)
{
	const char *part = strstr(text, "0::/"), *unit = NULL;
	size_t unit_length = 0;
	for (part = part ? part + 3 : NULL; part && *part == '/'; part += strcspn(part, "/\n")) {
		part++;
		size_t length = strcspn(part, "/\n");
		if (ends_with(part, length, ".scope") || ends_with(part, length, ".service")) {
			unit = part;
			unit_length = length;
		}
	}
	return unit ? xasprintf("%.*s", (int)unit_length, unit) : NULL;
}

const char *process_text_variable(const char *text, size_t length, const char *name)
{
	size_t n = strlen(name);
	for (const char *entry = text; entry < text + length; entry += strlen(entry) + 1) {
		if (strncmp(entry, name, n) == 0 && entry[n] == '=') {
			return entry + n + 1;
		}
	}
	return NULL;
}

char *process_text_desktop_id(const char *path)
{
	static const char ending[] = ".desktop";
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = strlen(name);
	return ends_with(name, length, ending)
		       ? xasprintf("%.*s", (int)(length - strlen(ending)), name)
		       : NULL;
}
