/* SPDX-License-Identifier: MIT */
/* Desktop files: lookup by id, parsing, and expansion of the Exec line. */

#include "apps/desktop_entry.h"
#include "util/file.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUP "[Desktop Entry]"
#define BYTES_MAX (256 * 1024)
/** Maximum bytes of an Exec line, and of all arguments expanded from one. */
#define EXEC_MAX 16384
#define ARGUMENTS_MAX (1024 * 1024)

/** Resolves \s, \n, \t, \r and \\ in place. */
static char *unescape(char *text)
{
	static const char letters[] = "sntr\\", meant[] = " \n\t\r\\";
	char *to = text;
	for (const char *from = text; *from; from++) {
		const char *letter = *from == '\\' && from[1] ? strchr(letters, from[1]) : NULL;
		*to++ = letter ? meant[letter - letters] : *from;
		from += letter != NULL;
	}
	*to = '\0';
	return text;
}

static bool is_true(const char *value)
{
	return strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
}

static void set(char **slot, const char *value)
{
	free(*slot);
	*slot = unescape(xstrdup(value));
}

struct reading {
	struct desktop_entry *entry;
	bool application, hidden;
};

static void set_key(struct reading *reading, const char *key, const char *value)
{
	struct desktop_entry *entry = reading->entry;
	const struct {
		const char *key;
		char **slot;
	} texts[] = {{"Exec", &entry->exec}, {"Name", &entry->name}, {"Icon", &entry->icon},
		{"Path", &entry->directory}};
	const struct {
		const char *key;
		bool *slot;
	} switches[] = {{"Terminal", &entry->terminal}, {"Hidden", &reading->hidden}};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(key, texts[i].key) == 0 && *value) {
			set(texts[i].slot, value);
		}
	}
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		if (strcmp(key, switches[i].key) == 0) {
			*switches[i].slot = is_true(value);
		}
	}
	if (strcmp(key, "Type") == 0) {
		reading->application = strcmp(value, "Application") == 0;
	} else if (strcmp(key, "PrefersNonDefaultGPU") == 0 ||
		   strcmp(key, "X-KDE-RunOnDiscreteGpu") == 0) {
		entry->prefers_discrete |= is_true(value);
	}
}

/** Strips white space from the end of a line. */
static void trim(char *text, size_t length)
{
	while (length > 0 && strchr(" \t\r\n", text[length - 1])) {
		length--;
	}
	text[length] = '\0';
}

static void read_lines(struct reading *reading, FILE *stream)
{
	char *line = NULL;
	size_t capacity = 0, total = 0;
	bool inside = false;
	ssize_t length;
	while ((length = getline(&line, &capacity, stream)) >= 0 && total < BYTES_MAX) {
		total += (size_t)length;
		trim(line, (size_t)length);
		char *equals = strchr(line, '=');
		if (line[0] == '[') {
			inside = strcmp(line, GROUP) == 0;
		} else if (inside && equals && line[0] != '#') {
			const char *value = equals + 1 + strspn(equals + 1, " \t");
			trim(line, (size_t)(equals - line));
			set_key(reading, line, value);
		}
	}
	free(line);
}

bool desktop_entry_parse(
	struct desktop_entry *entry, FILE *stream, const char *file, const char *id, char **error)
{
	*entry = (struct desktop_entry){0};
	struct reading reading = {.entry = entry};
	read_lines(&reading, stream);
	if (reading.hidden || !reading.application || !entry->exec) {
		*error = xasprintf("%s: it is %s", file,
			reading.hidden ? "hidden" : "no application that can be started");
		desktop_entry_finish(entry);
		return false;
	}
	entry->id = xstrdup(id);
	entry->file = xstrdup(file);
	return true;
}

/* Reads a file. Returns false with a newly allocated *error; then `entry` needs no finish. */
static bool desktop_entry_read(
	struct desktop_entry *entry, const char *file, const char *id, char **error)
{
	*entry = (struct desktop_entry){0};
	FILE *stream = file_open_regular(file, BYTES_MAX);
	if (!stream) {
		*error = errno == EINVAL  ? xasprintf("%s: it must be a regular file", file)
			 : errno == EFBIG ? xasprintf("%s: larger than %d bytes", file, BYTES_MAX)
					  : xasprintf("%s: %s", file, strerror(errno));
		return false;
	}
	bool read = desktop_entry_parse(entry, stream, file, id, error);
	fclose(stream);
	return read;
}

/**
 * Finds a desktop file in a folder or below it: any dashes of an id may stand for folders. Returns
 * its newly allocated path, or NULL if it is not there.
 */
static char *find_below(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);
	if (access(path, R_OK) == 0) {
		return path;
	}
	char *found = NULL;
	const size_t length = strlen(folder) + 1;
	for (const char *dash = strchr(name, '-'); dash && !found; dash = strchr(dash + 1, '-')) {
		struct stat status;
		path[length + (size_t)(dash - name)] = '\0';
		if (dash > name && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
			found = find_below(path, dash + 1);
		}
		path[length + (size_t)(dash - name)] = '-';
	}
	free(path);
	return found;
}

static char *find_file(const char *name)
{
	const char *own = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	const char *others = getenv("XDG_DATA_DIRS");
	char *folders = own && *own == '/' ? xasprintf("%s:", own)
			: home             ? xasprintf("%s/.local/share:", home)
					   : xstrdup("");
	char *all = xasprintf(
		"%s%s", folders, others && *others ? others : "/usr/local/share:/usr/share");
	char *rest = NULL, *path = NULL;
	for (char *folder = strtok_r(all, ":", &rest); folder && !path;
		folder = strtok_r(NULL, ":", &rest)) {
		char *applications = xasprintf("%s/applications", folder);
		path = *folder == '/' ? find_below(applications, name) : NULL;
		free(applications);
	}
	free(folders);
	free(all);
	return path;
}

bool desktop_entry_find(struct desktop_entry *entry, const char *name, char **error)
{
	char *file = strchr(name, '/') ? NULL : find_file(name);
	if (!file) {
		*error = xasprintf("there is no desktop file %s", name);
		return false;
	}
	const char *ending = strrchr(name, '.');
	char *id = xasprintf("%.*s", (int)(ending ? ending - name : (ptrdiff_t)strlen(name)), name);
	bool read = desktop_entry_read(entry, file, id, error);
	free(id);
	free(file);
	return read;
}

void desktop_entry_finish(struct desktop_entry *entry)
{
	free(entry->id);
	free(entry->file);
	free(entry->exec);
	free(entry->name);
	free(entry->icon);
	free(entry->directory);
	*entry = (struct desktop_entry){0};
}

/** Returns whether a backslash before the character is removed, as a shell does. */
static bool is_escaped(char quote, char next)
{
	return next && quote != '\'';
}

/**
 * Copies the next argument of a command line to `argument`, which has room for the rest of the
 * line. Returns false at the end. Sets *quoted if field codes in the argument are literal, and
 * *text to NULL if a closing quotation mark is missing. Single quotes, and backslashes outside of
 * quotes, are those of a shell: the specification reserves them, and Wine writes them.
 */
static bool next_argument(const char **text, char *argument, bool *quoted)
{
	const char *from = *text + strspn(*text, " \t\n");
	if (!*from) {
		*text = from;
		return false;
	}
	char *to = argument;
	*quoted = false;
	char quote = '\0';
	for (; *from && (quote || !strchr(" \t\n", *from)); from++) {
		if (quote ? *from == quote : *from == '"' || *from == '\'') {
			quote = quote ? '\0' : *from;
			*quoted = true;
		} else if (*from == '\\' && is_escaped(quote, from[1])) {
			*to++ = *++from;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	*text = quote ? NULL : from;
	return true;
}

struct expansion {
	const struct desktop_entry *entry;
	const char *const *files;
	char **argv; /* NULL-terminated once complete */
	size_t n, capacity;
	size_t n_bytes; /* of all arguments; adding stops above ARGUMENTS_MAX */
	bool took_files;
};

/** Adds a copy of `length` bytes as an argument. */
static void add(struct expansion *expansion, const char *argument, size_t length)
{
	expansion->n_bytes += length + 1;
	if (expansion->n_bytes > ARGUMENTS_MAX) {
		return;
	}
	if (expansion->n + 1 >= expansion->capacity) {
		expansion->capacity = expansion->capacity > 0 ? 2 * expansion->capacity : 8;
		expansion->argv =
			xrealloc(expansion->argv, expansion->capacity, sizeof(*expansion->argv));
	}
	expansion->argv[expansion->n++] = xasprintf("%.*s", (int)length, argument);
	expansion->argv[expansion->n] = NULL;
}

/** Adds an argument with quotes, whose field codes are literal but for the percent sign. */
static void add_quoted(struct expansion *expansion, char *argument)
{
	char *to = argument;
	for (const char *from = argument; *from; from++) {
		from += from[0] == '%' && from[1] == '%';
		*to++ = *from;
	}
	add(expansion, argument, (size_t)(to - argument));
}

static void add_files(struct expansion *expansion, bool all)
{
	expansion->took_files = true;
	for (const char *const *file = expansion->files; *file; file++) {
		add(expansion, *file, strlen(*file));
		if (!all || expansion->n_bytes > ARGUMENTS_MAX) {
			return;
		}
	}
}

/** Expands an argument that consists of one field code: to several arguments, or to none. */
static bool add_code(struct expansion *expansion, const char *argument)
{
	const struct desktop_entry *entry = expansion->entry;
	if (argument[0] != '%' || argument[1] == '\0' || argument[2] != '\0') {
		return false;
	}
	switch (argument[1]) {
	case 'F':
	case 'U': add_files(expansion, true); return true;
	case 'f':
	case 'u': add_files(expansion, false); return true;
	case 'i':
		if (entry->icon) {
			add(expansion, "--icon", strlen("--icon"));
			add(expansion, entry->icon, strlen(entry->icon));
		}
		return true;
	default: return false;
	}
}

/** Returns the text of a field code within an argument; NULL for unknown and deprecated codes. */
static const char *find_code(struct expansion *expansion, char code)
{
	switch (code) {
	case '%': return "%";
	case 'c': return expansion->entry->name;
	case 'k': return expansion->entry->file;
	case 'f':
	case 'u': expansion->took_files = true; return *expansion->files;
	default: return NULL;
	}
}

/** Adds an argument with its field codes expanded. */
static void add_expanded(struct expansion *expansion, const char *argument)
{
	char *text = NULL;
	size_t length = 0, capacity = 0;
	for (const char *from = argument; *from; from++) {
		const char *part = from;
		size_t n = 1;
		if (*from == '%' && from[1]) {
			part = find_code(expansion, *++from);
			n = part ? strlen(part) : 0;
		} else if (*from == '%') {
			n = 0;
		}
		if (expansion->n_bytes + length + n > ARGUMENTS_MAX) {
			expansion->n_bytes = ARGUMENTS_MAX + 1;
			break;
		}
		if (length + n > capacity) {
			capacity = 2 * (length + n);
			text = xrealloc(text, capacity, 1);
		}
		if (n > 0) {
			memcpy(text + length, part, n);
		}
		length += n;
	}
	add(expansion, text ? text : "", length);
	free(text);
}

static char *describe_failure(const struct expansion *expansion)
{
	const struct desktop_entry *entry = expansion->entry;
	if (expansion->n_bytes > ARGUMENTS_MAX) {
		return xasprintf("%s: the arguments of its Exec line are longer than %d bytes",
			entry->file, ARGUMENTS_MAX);
	}
	return xasprintf("%s: its Exec line is no command: %.200s", entry->file, entry->exec);
}

char **desktop_entry_arguments(
	const struct desktop_entry *entry, const char *const *arguments, char **error)
{
	struct expansion expansion = {.entry = entry, .files = arguments};
	const char *rest = entry->exec;
	size_t length = strlen(rest);
	bool quoted;
	if (length > EXEC_MAX) {
		*error = xasprintf(
			"%s: its Exec line is longer than %d bytes", entry->file, EXEC_MAX);
		return NULL;
	}
	char *argument = xcalloc(length + 1, 1);
	while (rest && next_argument(&rest, argument, &quoted)) {
		if (quoted) {
			add_quoted(&expansion, argument);
		} else if (!add_code(&expansion, argument)) {
			add_expanded(&expansion, argument);
		}
	}
	free(argument);
	bool command = rest && expansion.argv && *expansion.argv[0];
	if (command && !expansion.took_files) {
		add_files(&expansion, true);
	}
	if (!command || expansion.n_bytes > ARGUMENTS_MAX) {
		*error = describe_failure(&expansion);
		strings_destroy(expansion.argv);
		return NULL;
	}
	return expansion.argv;
}
