/* SPDX-License-Identifier: MIT */
/* Xcursor files and themes: valid, malformed and large ones, and cursor images in a scene. */

#include "harness/unit.h"
#include "seat/cursor.h"
#include "seat/theme.h"
#include "util/fd.h"
#include <drm_fourcc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX (256 * 1024)

struct file {
	uint8_t data[FILE_BYTES_MAX];
	size_t length;
};

static void put32(struct file *file, size_t offset, uint32_t value)
{
	for (int i = 0; i < 4; i++) {
		file->data[offset + (size_t)i] = (uint8_t)(value >> 8 * i);
	}
}

struct image {
	uint32_t nominal, width, height, x, y, delay;
};

/* Writes a cursor file; pixel i of image n is (n << 24 | i). */
static void make(struct file *file, const struct image *images, uint32_t n)
{
	memset(file->data, 0, sizeof(file->data));
	memcpy(file->data, "Xcur", 4);
	put32(file, 4, 16);
	put32(file, 8, 0x10000);
	put32(file, 12, n);
	size_t at = 16 + n * 12;
	for (uint32_t i = 0; i < n; i++) {
		const struct image *image = &images[i];
		put32(file, 16 + i * 12, 0xfffd0002);
		put32(file, 16 + i * 12 + 4, image->nominal);
		put32(file, 16 + i * 12 + 8, (uint32_t)at);
		const uint32_t header[] = {36, 0xfffd0002, image->nominal, 1, image->width,
			image->height, image->x, image->y, image->delay};
		for (int j = 0; j < 9; j++) {
			put32(file, at, header[j]);
			at += 4;
		}
		for (uint32_t j = 0; j < image->width * image->height; j++) {
			put32(file, at, i << 24 | j);
			at += 4;
		}
	}
	file->length = at;
}

static uint32_t pixel(struct buffer *buffer, int x, int y)
{
	void *data;
	size_t stride;
	uint32_t value;
	assert_int_equal(buffer_begin_access(buffer, BUFFER_READ, &data, &stride), 0);
	memcpy(&value, (char *)data + (size_t)y * stride + (size_t)x * 4, 4);
	buffer_end_access(buffer);
	return value;
}

static const struct image set[] = {
	{24, 5, 3, 1, 2, 50},
	{24, 5, 3, 2, 1, 100},
	{48, 10, 6, 2, 4, 0},
};

static void images_of_the_nearest_size_are_loaded(void **state)
{
	struct file *file = calloc(1, sizeof(*file));
	struct cursor_animation animation = {0};
	make(file, set, 3);
	assert_true(xcursor_parse(file->data, file->length, 24, &animation));
	assert_int_equal(animation.size, 24);
	assert_int_equal(animation.n_frames, 2);
	assert_int_equal(animation.frames[0].buffer->width, 5);
	assert_int_equal(animation.frames[0].buffer->height, 3);
	assert_int_equal(animation.frames[0].buffer->format, DRM_FORMAT_ARGB8888);
	assert_int_equal(animation.frames[0].hotspot_x, 1);
	assert_int_equal(animation.frames[0].hotspot_y, 2);
	assert_int_equal(animation.frames[0].delay, 50);
	assert_int_equal(pixel(animation.frames[1].buffer, 3, 2), 1 << 24 | 13);
	cursor_animation_finish(&animation);
	static const struct {
		int wanted, got;
	} sizes[] = {{1, 24}, {35, 24}, {36, 48}, {37, 48}, {48, 48}, {500, 48}};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_true(xcursor_parse(file->data, file->length, sizes[i].wanted, &animation));
		assert_int_equal(animation.size, sizes[i].got);
		cursor_animation_finish(&animation);
	}
	free(file);
}

static void refuse(struct file *file, const char *why)
{
	struct cursor_animation animation = {.size = 77};
	if (xcursor_parse(file->data, file->length, 24, &animation)) {
		fail_msg("taken in spite of %s", why);
	}
	assert_int_equal(animation.size, 77);
	assert_null(animation.frames);
}

static void malformed_files_are_rejected(void **state)
{
	/* Byte offsets: the magic is at 0, entries begin at 16, the first image at 52. */
	static const struct {
		size_t offset;
		uint32_t value;
		const char *why;
	} changes[] = {
		{0, 0, "a wrong magic"},
		{4, 15, "a short header"},
		{4, 0xfffffff0, "a header beyond the file"},
		{12, 0, "no entries"},
		{12, 0x40000000, "a number of entries that overflows"},
		{12, 4097, "too many entries"},
		{24, 0xffffffff, "a position beyond the file"},
		{24, 0, "a position that is no image"},
		{52, 35, "a short image header"},
		{52, 0xffffffff, "an image header beyond the file"},
		{56, 1, "another type than its entry"},
		{60, 48, "another size than its entry"},
		{68, 0, "no width"},
		{72, 0, "no height"},
		{68, 1025, "too wide"},
		{72, 0x10000, "too high"},
		{76, 6, "a hotspot outside"},
		{80, 4, "a hotspot below"},
	};
	struct file *file = calloc(1, sizeof(*file));
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		make(file, set, 3);
		put32(file, changes[i].offset, changes[i].value);
		refuse(file, changes[i].why);
	}
	/* Every length that truncates the requested images. */
	make(file, set, 3);
	size_t needed = 52 + 2 * (36 + 5 * 3 * 4);
	for (size_t length = 0; length < needed; length++) {
		file->length = length;
		refuse(file, "a cut");
	}
	free(file);
}

/* Many entries that refer to the same large image must not multiply it in memory. */
static void repeated_images_are_bounded(void **state)
{
	enum { N = 1000, EDGE = 200 };
	struct file *file = calloc(1, sizeof(*file));
	const struct image image = {24, EDGE, EDGE, 0, 0, 10};
	make(file, &image, 1);
	size_t image_size = 36 + EDGE * EDGE * 4;
	memmove(file->data + 16 + N * 12, file->data + 28, image_size);
	put32(file, 12, N);
	for (uint32_t i = 0; i < N; i++) {
		put32(file, 16 + i * 12, 0xfffd0002);
		put32(file, 16 + i * 12 + 4, 24);
		put32(file, 16 + i * 12 + 8, 16 + N * 12);
	}
	file->length = 16 + N * 12 + image_size;
	refuse(file, "160 MB of images from 200 KB");
	free(file);
}

static void random_files_are_safe(void **state)
{
	struct file *file = calloc(1, sizeof(*file));
	for (int round = 0; round < 2000; round++) {
		make(file, set, 3);
		for (int i = random_between(1, 6); i > 0; i--) {
			int at = random_between(0, 130);
			file->data[at] = (uint8_t)random_between(0, 255);
		}
		struct cursor_animation animation = {0};
		if (xcursor_parse(file->data, file->length, 24, &animation)) {
			assert_true(animation.n_frames > 0);
			cursor_animation_finish(&animation);
		}
	}
	free(file);
}

/* Themes. */

struct folder {
	char path[64];
};

static void write_file(const char *path, const void *data, size_t length)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void add_theme(const struct folder *folder, const char *theme, const char *inherits)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", folder->path, theme);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/%s/cursors", folder->path, theme);
	assert_int_equal(mkdir(path, 0700), 0);
	if (inherits) {
		char text[256];
		snprintf(path, sizeof(path), "%s/%s/index.theme", folder->path, theme);
		snprintf(text, sizeof(text), "[Icon Theme]\nName=x\nInherits %s\n", inherits);
		write_file(path, text, strlen(text));
	}
}

static void add_cursor(const struct folder *folder, const char *theme, const char *name,
	const struct image *images, uint32_t n)
{
	char path[256];
	struct file *file = calloc(1, sizeof(*file));
	make(file, images, n);
	snprintf(path, sizeof(path), "%s/%s/cursors/%s", folder->path, theme, name);
	write_file(path, file->data, file->length);
	free(file);
}

static int make_folder(void **state)
{
	struct folder *folder = calloc(1, sizeof(*folder));
	strcpy(folder->path, "/tmp/causeway-xcursor-XXXXXX");
	assert_non_null(mkdtemp(folder->path));
	setenv("XCURSOR_PATH", folder->path, 1);
	*state = folder;
	return 0;
}

static int remove_folder(void **state)
{
	struct folder *folder = *state;
	char command[128];
	snprintf(command, sizeof(command), "rm -r '%s'", folder->path);
	int status = system(command);
	free(folder);
	return status;
}

static void assert_found(const struct folder *folder, const char *theme, const char *name,
	const char *expected_theme)
{
	char expected[256];
	char *found = xcursor_find(theme, name);
	if (!expected_theme) {
		assert_null(found);
		return;
	}
	snprintf(
		expected, sizeof(expected), "%s/%s/cursors/%s", folder->path, expected_theme, name);
	assert_non_null(found);
	assert_string_equal(found, expected);
	free(found);
}

/* Each of thirty themes inherits all others: the number of paths is exponential. */
static void mutually_inheriting_themes_are_searched_once(void **state)
{
	struct folder *folder = *state;
	char name[16], all[256] = "=";
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "t%d,", i);
		strcat(all, name);
	}
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		add_theme(folder, name, all);
	}
	add_cursor(folder, "t29", "wait", set, 1);
	alarm(20);
	assert_found(folder, "t0", "wait", "t29");
	assert_found(folder, "t0", "help", NULL);
	assert_false(xcursor_has_theme("t0"));
	alarm(0);
}

static void inherited_themes_are_searched_in_order(void **state)
{
	struct folder *folder = *state;
	add_theme(folder, "child", "= none, parent;loop");
	add_theme(folder, "parent", "=grand");
	add_theme(folder, "grand", NULL);
	add_theme(folder, "loop", "=child,loop");
	add_theme(folder, "default", "=../child");
	add_cursor(folder, "child", "text", set, 1);
	add_cursor(folder, "grand", "text", set, 1);
	add_cursor(folder, "grand", "wait", set, 1);
	add_cursor(folder, "loop", "help", set, 1);
	add_cursor(folder, "default", "move", set, 1);
	assert_found(folder, "child", "text", "child");
	assert_found(folder, "child", "wait", "grand");
	assert_found(folder, "child", "help", "loop");
	assert_found(folder, "loop", "wait", "grand");
	/* Cursors missing in the whole chain come from the default theme. */
	assert_found(folder, "child", "move", "default");
	assert_found(folder, "nowhere", "move", "default");
	assert_found(folder, "child", "copy", NULL);
	assert_found(folder, "../child", "text", NULL);
	/* The default theme does not make a missing theme exist. */
	add_cursor(folder, "default", "left_ptr", set, 1);
	assert_false(xcursor_has_theme("nowhere"));
	assert_false(xcursor_has_theme("child"));
	add_cursor(folder, "grand", "left_ptr", set, 1);
	assert_true(xcursor_has_theme("child"));
	assert_true(xcursor_has_theme("default"));
}

static void unknown_shapes_show_the_default(void **state)
{
	struct folder *folder = *state;
	const struct image default_image = {24, 7, 7, 0, 0, 0}, text_image = {24, 9, 9, 0, 0, 0};
	add_theme(folder, "old", NULL);
	add_cursor(folder, "old", "left_ptr", &default_image, 1);
	add_cursor(folder, "old", "xterm", &text_image, 1);
	struct cursor_theme *theme = cursor_theme_create("old");
	const struct cursor_animation *text = cursor_theme_get(theme, "text", 24);
	assert_int_equal(text->frames[0].buffer->width, 9);
	assert_ptr_equal(cursor_theme_get(theme, "text", 24), text);
	/* Missing and unknown names show the default cursor. */
	assert_int_equal(cursor_theme_get(theme, "zoom-in", 24)->frames[0].buffer->width, 7);
	assert_int_equal(cursor_theme_get(theme, "wait", 24)->frames[0].buffer->width, 7);
	assert_int_equal(cursor_theme_get(theme, "bogus", 24)->frames[0].buffer->width, 7);
	cursor_theme_destroy(theme);
	/* Without a theme, there is a built-in arrow of the requested size. */
	theme = cursor_theme_create("none");
	const struct cursor_animation *arrow = cursor_theme_get(theme, "default", 32);
	assert_int_equal(arrow->n_frames, 1);
	assert_int_equal(arrow->frames[0].buffer->width, 32);
	int opaque = 0, black = 0, white = 0;
	for (int i = 0; i < 32 * 32; i++) {
		uint32_t value = pixel(arrow->frames[0].buffer, i % 32, i / 32);
		opaque += value >> 24 == 255;
		black += value == 0xff000000;
		white += value == 0xffffffff;
	}
	assert_true(opaque > 100 && opaque < 600 && black > 50 && white > 20);
	assert_int_equal(pixel(arrow->frames[0].buffer, 31, 0), 0);
	cursor_theme_destroy(theme);
}

/* The number of cached images is bounded; the most recent sizes are kept. */
static void number_of_cached_sizes_is_bounded(void **state)
{
	struct cursor_theme *theme = cursor_theme_create("none");
	int before = fd_dup(STDIN_FILENO);
	close(before);
	for (int i = 0; i < 4 * 32; i++) {
		static const char *const shapes[] = {"default", "text", "wait", "help"};
		int size = 8 + i / 4;
		const struct cursor_animation *last = cursor_theme_get(theme, shapes[i % 4], size);
		const struct cursor_animation *first = cursor_theme_get(theme, "default", 8);
		assert_ptr_equal(cursor_theme_get(theme, shapes[i % 4], size), last);
		assert_int_equal(last->frames[0].buffer->width, size);
		assert_int_equal(first->frames[0].buffer->width, 8);
	}
	int after = fd_dup(STDIN_FILENO);
	close(after);
	assert_true(after - before <= 100);
	cursor_theme_destroy(theme);
}

/* Exhausts file descriptors. Returns the previous limit. */
static struct rlimit exhaust_descriptors(void)
{
	struct rlimit limit, low;
	int lowest = fd_dup(STDIN_FILENO);
	assert_true(lowest >= 0);
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = (struct rlimit){.rlim_cur = (rlim_t)lowest, .rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	return limit;
}

/* Without descriptors the built-in cursor is used; later the requested one is loaded. */
static void cursor_is_loaded_once_descriptors_are_free(void **state)
{
	struct folder *folder = *state;
	const struct image image = {24, 7, 7, 0, 0, 0};
	add_theme(folder, "scarce", NULL);
	add_cursor(folder, "scarce", "left_ptr", &image, 1);
	add_cursor(folder, "scarce", "text", set, 1);
	struct cursor_theme *theme = cursor_theme_create("scarce");
	struct rlimit limit = exhaust_descriptors();
	assert_null(cursor_theme_get(theme, "text", 24));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	const struct cursor_animation *arrow = cursor_theme_get(theme, "default", 24);
	assert_int_equal(arrow->frames[0].buffer->width, 7);
	limit = exhaust_descriptors();
	assert_ptr_equal(cursor_theme_get(theme, "text", 24), arrow);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	const struct cursor_animation *text = cursor_theme_get(theme, "text", 24);
	assert_ptr_not_equal(text, arrow);
	assert_ptr_equal(cursor_theme_get(theme, "text", 24), text);
	assert_false(text->fallback);
	cursor_theme_destroy(theme);
}

/* The cursor in a scene. */

static void visible_cursor_is_animated(void **state)
{
	struct folder *folder = *state;
	add_theme(folder, "moving", NULL);
	add_cursor(folder, "moving", "wait", set, 3);
	add_cursor(folder, "moving", "default", &set[2], 1);
	struct clock *clock = clock_create_test(0);
	struct scene *scene = scene_create();
	struct cursor cursor;
	cursor_init(&cursor, scene, clock);
	cursor_set_theme(&cursor, "moving", 24);
	cursor_set_visible(&cursor, true);
	cursor_set_shape(&cursor, "wait");
	/* No output: the animation does not run. */
	assert_false(clock_advance_to_next(clock));
	struct output output;
	output_init(&output, &dark_output_impl, "ONE");
	output.enabled = true;
	output.mode = (struct output_mode){1000, 600, 60000, true};
	struct scene_output *shown = scene_output_create(scene, &output);
	assert_int_equal(cursor.frame, 0);
	assert_int_equal(cursor.image->width, 5);
	clock_advance(clock, 49 * INT64_C(1000000));
	assert_int_equal(cursor.frame, 0);
	clock_advance(clock, INT64_C(1000000));
	assert_int_equal(cursor.frame, 1);
	assert_int_equal(cursor.hotspot_x, 2);
	clock_advance(clock, 100 * INT64_C(1000000));
	assert_int_equal(cursor.frame, 0);
	/* Hidden cursors and cursors of a single image are not animated. */
	cursor_set_visible(&cursor, false);
	assert_false(clock_advance_to_next(clock));
	cursor_set_visible(&cursor, true);
	assert_true(clock_advance_to_next(clock));
	cursor_set_shape(&cursor, "default");
	assert_false(clock_advance_to_next(clock));
	cursor_set_shape(&cursor, "wait");
	cursor_set_shape(&cursor, NULL);
	assert_false(clock_advance_to_next(clock));
	/* An output of scale 2 uses larger images of the same logical size. */
	cursor_set_shape(&cursor, "wait");
	scene_output_set_scale(shown, 2);
	assert_int_equal(cursor.animation->size, 48);
	assert_int_equal(cursor.image->buffer->width, 10);
	assert_int_equal(cursor.image->width, 5);
	assert_int_equal(cursor.hotspot_x, 1);
	/* Without larger images, the largest ones are scaled. */
	scene_output_set_scale(shown, 4);
	assert_int_equal(cursor.animation->size, 48);
	assert_int_equal(cursor.image->width, 5);
	scene_output_destroy(shown);
	assert_false(clock_advance_to_next(clock));
	cursor_finish(&cursor);
	output_finish(&output);
	scene_destroy(scene);
	clock_destroy(clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(images_of_the_nearest_size_are_loaded),
		cmocka_unit_test(malformed_files_are_rejected),
		cmocka_unit_test(repeated_images_are_bounded),
		cmocka_unit_test(random_files_are_safe),
		cmocka_unit_test_setup_teardown(
			mutually_inheriting_themes_are_searched_once, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			inherited_themes_are_searched_in_order, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			unknown_shapes_show_the_default, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			cursor_is_loaded_once_descriptors_are_free, make_folder, remove_folder),
		cmocka_unit_test(number_of_cached_sizes_is_bounded),
		cmocka_unit_test_setup_teardown(
			visible_cursor_is_animated, make_folder, remove_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
