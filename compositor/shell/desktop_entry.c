/* Desktop files: found by their id, read, and made into a command line. */

#include "shell/desktop_entry.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP "[Desktop Entry]"
#define MAX_BYTES (256 * 1024)

/** \s, \n, \t, \r and \\ of a value stand for characters; in place. */
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

/** Its end without white space; a line ends there. */
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
	while ((length = getline(&line, &capacity, stream)) >= 0 && total < MAX_BYTES) {
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

bool desktop_entry_read(struct desktop_entry *entry, const char *file, const char *id, char **error)
{
	*entry = (struct desktop_entry){0};
	FILE *stream = fopen(file, "re");
	if (!stream) {
		*error = xasprintf("%s: %s", file, strerror(errno));
		return false;
	}
	bool read = desktop_entry_parse(entry, stream, file, id, error);
	fclose(stream);
	return read;
}

/** In a folder of applications; dashes of an id may stand for folders. NULL: it is not there. */
static char *find_below(const char *folder, const char *name)
{
	char *path = xasprintf("%s/applications/%s", folder, name);
	char *dash = path + strlen(path) - strlen(name);
	while (access(path, R_OK) != 0) {
		dash = strchr(dash, '-');
		if (!dash) {
			free(path);
			return NULL;
		}
		*dash = '/';
	}
	return path;
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
		path = *folder == '/' ? find_below(folder, name) : NULL;
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

/**
 * The next argument of a command line: newly allocated, NULL at its end. *quoted: field codes in it are
 * no codes. *text becomes NULL where quotation marks have no end.
 */
static char *next_argument(const char **text, bool *quoted)
{
	const char *from = *text + strspn(*text, " \t\n");
	if (!*from) {
		*text = from;
		return NULL;
	}
	char *argument = xcalloc(strlen(from) + 1, 1), *to = argument;
	*quoted = false;
	bool inside = false;
	for (; *from && (inside || !strchr(" \t\n", *from)); from++) {
		if (*from == '"') {
			inside = !inside;
			*quoted = true;
		} else if (inside && *from == '\\' && from[1]) {
			*to++ = *++from;
		} else {
			*to++ = *from;
		}
	}
	*text = inside ? NULL : from;
	return argument;
}

struct expansion {
	const struct desktop_entry *entry;
	const char *const *files;
	char **argv;
	bool took_files;
};

static void add_files(struct expansion *expansion, bool all)
{
	expansion->took_files = true;
	for (const char *const *file = expansion->files; *file; file++) {
		expansion->argv = strings_add(expansion->argv, xstrdup(*file));
		if (!all) {
			return;
		}
	}
}

/** An argument that is a code and nothing else may become several, or none. */
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
			expansion->argv = strings_add(expansion->argv, xstrdup("--icon"));
			expansion->argv = strings_add(expansion->argv, xstrdup(entry->icon));
		}
		return true;
	default: return false;
	}
}

/** Codes within an argument; those that are not known are left out, as are the old ones. */
static char *expand(struct expansion *expansion, const char *argument)
{
	const struct desktop_entry *entry = expansion->entry;
	char *result = xstrdup("");
	for (const char *from = argument; *from; from++) {
		const char *text = NULL;
		char plain[2] = {*from, '\0'};
		if (*from != '%') {
			text = plain;
		} else {
			switch (*++from) {
			case '%': text = "%"; break;
			case 'c': text = entry->name; break;
			case 'k': text = entry->file; break;
			case 'f':
			case 'u':
				text = *expansion->files;
				expansion->took_files = true;
				break;
			case '\0': from--; break;
			default: break;
			}
		}
		char *longer = xasprintf("%s%s", result, text ? text : "");
		free(result);
		result = longer;
	}
	return result;
}

char **desktop_entry_arguments(
	const struct desktop_entry *entry, const char *const *arguments, char **error)
{
	struct expansion expansion = {.entry = entry, .files = arguments};
	const char *rest = entry->exec;
	bool quoted;
	char *argument;
	while (rest && (argument = next_argument(&rest, &quoted))) {
		if (quoted) {
			expansion.argv = strings_add(expansion.argv, argument);
			continue;
		}
		if (!add_code(&expansion, argument)) {
			expansion.argv = strings_add(expansion.argv, expand(&expansion, argument));
		}
		free(argument);
	}
	if (!rest || !expansion.argv || !*expansion.argv[0]) {
		*error = xasprintf("%s: its Exec line is no command: %s", entry->file, entry->exec);
		strings_destroy(expansion.argv);
		return NULL;
	}
	if (!expansion.took_files) {
		add_files(&expansion, true);
	}
	return expansion.argv;
}
