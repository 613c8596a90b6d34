/* SPDX-License-Identifier: MIT */
/* Xcursor files: search in themes, and parsing of files that may be malformed. */

#include "seat/theme.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC 0x72756358 /* "Xcur" */
#define HEADER_SIZE 16
#define ENTRY_SIZE 12
#define IMAGE_TYPE 0xfffd0002
#define IMAGE_HEADER_SIZE 36

/** Larger files and images are refused. */
#define FILE_SIZE_MAX (32 * 1024 * 1024)
#define ENTRIES_MAX 4096
#define EDGE_MAX 1024
#define INDEX_SIZE_MAX (1024 * 1024)
/** Maximum number of themes per search, each visited once. */
#define THEMES_MAX 64

struct file {
	const uint8_t *data;
	size_t length;
};

static uint32_t read32(const struct file *file, size_t offset)
{
	const uint8_t *p = file->data + offset;
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool in_file(const struct file *file, uint64_t offset, uint64_t length)
{
	return offset <= file->length && length <= file->length - offset;
}

/* Finds the table of contents; returns the number of entries, 0 for an invalid file. */
static uint32_t find_entries(const struct file *file, size_t *start)
{
	if (!in_file(file, 0, HEADER_SIZE) || read32(file, 0) != MAGIC) {
		return 0;
	}
	uint32_t header = read32(file, 4), n = read32(file, 12);
	if (header < HEADER_SIZE || n > ENTRIES_MAX ||
		!in_file(file, header, (uint64_t)n * ENTRY_SIZE)) {
		return 0;
	}
	*start = header;
	return n;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* Returns the nominal size nearest to `size`, the larger of two; 0: none. */
static uint32_t nearest_size(const struct file *file, size_t start, uint32_t n, uint32_t size)
{
	uint32_t best = 0;
	for (uint32_t i = 0; i < n; i++) {
		size_t entry = start + (size_t)i * ENTRY_SIZE;
		uint32_t nominal = read32(file, entry + 4);
		if (read32(file, entry) != IMAGE_TYPE || nominal == 0 || nominal > INT32_MAX) {
			continue;
		}
		uint32_t have = distance(best, size), found = distance(nominal, size);
		if (best == 0 || found < have || (found == have && nominal > best)) {
			best = nominal;
		}
	}
	return best;
}

static struct buffer *copy_pixels(
	const struct file *file, size_t offset, uint32_t width, uint32_t height)
{
	struct buffer *buffer =
		memory_buffer_create((int32_t)width, (int32_t)height, DRM_FORMAT_ARGB8888);
	void *data;
	size_t stride;
	if (!buffer) {
		return NULL;
	}
	if (buffer_begin_access(buffer, BUFFER_WRITE, &data, &stride) < 0) {
		buffer_drop(buffer);
		return NULL;
	}
	/* File and buffer are both little-endian and premultiplied. */
	for (uint32_t y = 0; y < height; y++) {
		memcpy((uint8_t *)data + y * stride, file->data + offset + (size_t)y * width * 4,
			(size_t)width * 4);
	}
	buffer_end_access(buffer);
	return buffer;
}

static bool read_image(
	const struct file *file, uint32_t position, uint32_t nominal, struct cursor_frame *frame)
{
	if (!in_file(file, position, IMAGE_HEADER_SIZE)) {
		return false;
	}
	uint32_t header = read32(file, position);
	uint32_t width = read32(file, position + 16), height = read32(file, position + 20);
	uint32_t x = read32(file, position + 24), y = read32(file, position + 28);
	uint32_t delay = read32(file, position + 32);
	uint64_t pixels = (uint64_t)position + header;
	if (read32(file, position + 4) != IMAGE_TYPE || read32(file, position + 8) != nominal ||
		header < IMAGE_HEADER_SIZE || width == 0 || width > EDGE_MAX || height == 0 ||
		height > EDGE_MAX || x > width || y > height ||
		!in_file(file, pixels, (uint64_t)width * height * 4)) {
		return false;
	}
	frame->buffer = copy_pixels(file, pixels, width, height);
	frame->hotspot_x = (int)x;
	frame->hotspot_y = (int)y;
	frame->delay = delay > 60000 ? 60000 : (int32_t)delay;
	return frame->buffer;
}

void cursor_animation_finish(struct cursor_animation *animation)
{
	for (int i = 0; i < animation->n_frames; i++) {
		buffer_drop(animation->frames[i].buffer);
	}
	free(animation->frames);
	animation->frames = NULL;
	animation->n_frames = 0;
}

bool xcursor_parse(const void *data, size_t length, int size, struct cursor_animation *out)
{
	struct file file = {data, length};
	size_t start = 0;
	uint32_t n = find_entries(&file, &start);
	uint32_t nominal = nearest_size(&file, start, n, (uint32_t)size);
	if (nominal == 0) {
		return false;
	}
	struct cursor_animation result = {.size = (int)nominal};
	result.frames = xcalloc(n, sizeof(*result.frames));
	/* Many entries may name the same large image: limit the output as the file. */
	uint64_t left = FILE_SIZE_MAX;
	for (uint32_t i = 0; i < n; i++) {
		size_t entry = start + (size_t)i * ENTRY_SIZE;
		if (read32(&file, entry) != IMAGE_TYPE || read32(&file, entry + 4) != nominal) {
			continue;
		}
		struct cursor_frame *frame = &result.frames[result.n_frames];
		if (!read_image(&file, read32(&file, entry + 8), nominal, frame)) {
			goto finish;
		}
		result.n_frames++;
		uint64_t bytes =
			(uint64_t)frame->buffer->width * (uint64_t)frame->buffer->height * 4;
		if (bytes > left) {
			goto finish;
		}
		left -= bytes;
	}
	out->size = result.size;
	out->frames = result.frames;
	out->n_frames = result.n_frames;
	return true;
finish:
	cursor_animation_finish(&result);
	return false;
}

/*
 * Reads a whole regular file of at most `most` bytes and adds a NUL; returns NULL with errno set on
 * failure.
 */
static char *read_file(const char *path, size_t most, size_t *length)
{
	char *data = NULL;
	struct stat stat;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		return NULL;
	}
	if (fstat(fd, &stat) < 0) {
		goto close;
	}
	if (!S_ISREG(stat.st_mode) || stat.st_size < 0 || (uint64_t)stat.st_size > most) {
		errno = EFBIG;
		goto close;
	}
	data = malloc((size_t)stat.st_size + 1);
	if (!data) {
		goto close;
	}
	*length = 0;
	while (*length < (size_t)stat.st_size) {
		ssize_t n = read(fd, data + *length, (size_t)stat.st_size - *length);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			break; /* the file was truncated: the parser validates the rest */
		}
		*length += (size_t)n;
	}
	data[*length] = '\0';
close:
	fd_close(&fd);
	return data;
}

bool xcursor_load(const char *path, int size, struct cursor_animation *out)
{
	size_t length;
	char *data = read_file(path, FILE_SIZE_MAX, &length);
	if (!data) {
		return false;
	}
	errno = 0;
	bool good = xcursor_parse(data, length, size, out);
	/* Errors in the file's contents leave errno 0. */
	int error = errno ? errno : EINVAL;
	free(data);
	if (!good) {
		errno = error;
	}
	return good;
}

/* Calls `look` for each directory of themes until one returns a result. */
static char *search_path(char *(*look)(const char *directory, const void *data), const void *data)
{
	const char *path = getenv("XCURSOR_PATH");
	const char *home = getenv("HOME");
	const char *data_home = getenv("XDG_DATA_HOME");
	char *whole;
	if (path && *path) {
		whole = xstrdup(path);
	} else {
		whole = xasprintf("%s%s~/.local/share/icons:~/.icons:/usr/local/share/icons:"
				  "/usr/share/icons:/usr/share/pixmaps",
			data_home && *data_home ? data_home : "",
			data_home && *data_home ? "/icons:" : "");
	}
	char *found = NULL, *rest = whole, *part;
	while (!found && (part = strsep(&rest, ":"))) {
		if (part[0] == '~' && part[1] == '/' && home) {
			char *directory = xasprintf("%s%s", home, part + 1);
			found = look(directory, data);
			free(directory);
		} else if (part[0] == '/') {
			found = look(part, data);
		}
	}
	free(whole);
	return found;
}

struct query {
	const char *theme, *name;
};

static char *look_for_file(const char *directory, const void *data)
{
	const struct query *query = data;
	char *path = xasprintf("%s/%s/cursors/%s", directory, query->theme, query->name);
	if (access(path, R_OK) == 0) {
		return path;
	}
	free(path);
	return NULL;
}

char *xcursor_parse_index(char *text)
{
	char *rest = text, *line;
	while ((line = strsep(&rest, "\n"))) {
		const char key[] = "Inherits";
		if (strncmp(line, key, sizeof(key) - 1) != 0) {
			continue;
		}
		line += sizeof(key) - 1;
		line += strspn(line, " \t");
		if (*line == '=') {
			return xstrdup(line + 1);
		}
	}
	return NULL;
}

static char *look_for_parents(const char *directory, const void *data)
{
	const struct query *query = data;
	char *path = xasprintf("%s/%s/index.theme", directory, query->theme);
	size_t length;
	char *text = read_file(path, INDEX_SIZE_MAX, &length);
	free(path);
	if (!text) {
		return NULL;
	}
	char *found = xcursor_parse_index(text);
	free(text);
	return found;
}

/* A depth-first search of a cursor in a theme and those that it inherits. */
struct search {
	const char *name;
	char *themes[THEMES_MAX]; /* visited */
	int n_themes;
};

static void search_finish(struct search *search)
{
	for (int i = 0; i < search->n_themes; i++) {
		free(search->themes[i]);
	}
}

/* Returns false for a theme that was visited before, and at the limit. */
static bool visit(struct search *search, const char *theme)
{
	for (int i = 0; i < search->n_themes; i++) {
		if (strcmp(search->themes[i], theme) == 0) {
			return false;
		}
	}
	if (search->n_themes == THEMES_MAX) {
		return false;
	}
	search->themes[search->n_themes++] = xstrdup(theme);
	return true;
}

/* Recurses at most THEMES_MAX levels deep. */
static char *find_in(struct search *search, const char *theme)
{
	struct query query = {theme, search->name};
	if (strchr(theme, '/') || !visit(search, theme)) {
		return NULL;
	}
	char *found = search_path(look_for_file, &query);
	if (found) {
		return found;
	}
	char *parents = search_path(look_for_parents, &query);
	char *rest = parents, *parent;
	while (!found && rest && search->n_themes < THEMES_MAX &&
		(parent = strsep(&rest, ",; \t\r"))) {
		if (*parent) {
			found = find_in(search, parent);
		}
	}
	free(parents);
	return found;
}

/* Searches `theme`, then `fallback` unless it is NULL. */
static char *find(const char *theme, const char *fallback, const char *name)
{
	struct search search = {.name = name};
	char *found = find_in(&search, theme);
	if (!found && fallback) {
		found = find_in(&search, fallback);
	}
	search_finish(&search);
	return found;
}

char *xcursor_find(const char *theme, const char *name)
{
	return find(theme, "default", name);
}

bool xcursor_has_theme(const char *theme)
{
	char *found = find(theme, NULL, "default");
	found = found ? found : find(theme, NULL, "left_ptr");
	free(found);
	return found != NULL;
}
