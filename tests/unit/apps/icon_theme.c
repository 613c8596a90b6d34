/* SPDX-License-Identifier: MIT */
/* Icons of programs: files of themes by name, size and desktop file. */

#include "apps/icon_theme.h"
#include "harness/unit.h"
#include "util/xalloc.h"
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char folder[] = "/tmp/causeway-icons-XXXXXX";

/* Creates the folders of a path below `folder`, and returns it. */
static char *make_path(const char *name)
{
	char *path = xasprintf("%s/%s", folder, name);
	for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	return path;
}

static void write_icon(const char *name, int size, uint32_t color)
{
	char *path = make_path(name);
	uint32_t *pixels = xcalloc((size_t)size * (size_t)size, sizeof(*pixels));
	for (int i = 0; i < size * size; i++) {
		pixels[i] = color;
	}
	png_image png = {.version = PNG_IMAGE_VERSION,
		.width = (png_uint_32)size,
		.height = (png_uint_32)size,
		.format = PNG_FORMAT_BGRA};
	assert_true(png_image_write_to_file(&png, path, 0, pixels, size * 4, NULL));
	free(pixels);
	free(path);
}

static void write_desktop_file(const char *id, const char *icon)
{
	char *name = xasprintf("applications/%s.desktop", id), *path = make_path(name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "[Desktop Entry]\nType=Application\nName=A\nExec=a\nIcon=%s\n", icon);
	fclose(file);
	free(name);
	free(path);
}

static int set_up(void **state)
{
	assert_non_null(mkdtemp(folder));
	setenv("XDG_DATA_HOME", folder, 1);
	setenv("XDG_DATA_DIRS", "/nonexistent", 1);
	write_icon("icons/hicolor/16x16/apps/edit.png", 16, 0xff101010);
	write_icon("icons/hicolor/48x48/apps/edit.png", 48, 0xff303030);
	write_icon("icons/Adwaita/32x32/legacy/edit.png", 32, 0xff202020);
	write_icon("icons/Adwaita/32x32/legacy/web.png", 32, 0xff404040);
	write_icon("pixmaps/old.png", 8, 0xff505050);
	write_desktop_file("org.example.Editor", "edit");
	write_desktop_file("xterm", "old");
	return 0;
}

static int tear_down(void **state)
{
	char *command = xasprintf("rm -r '%s'", folder);
	int result = system(command);
	free(command);
	return result;
}

static void file_of_the_best_size_is_found(void **state)
{
	static const struct {
		const char *name;
		int size;
		const char *path; /* NULL: none */
	} cases[] = {
		{"edit", 16, "icons/hicolor/16x16/apps/edit.png"},
		{"edit", 17, "icons/hicolor/48x48/apps/edit.png"},
		{"edit", 400, "icons/hicolor/48x48/apps/edit.png"},
		{"web", 16, "icons/Adwaita/32x32/legacy/web.png"},
		{"old", 16, "pixmaps/old.png"},
		{"none", 16, NULL},
		{"../16x16/apps/edit", 16, NULL},
		{".", 16, NULL},
		{"", 16, NULL},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *found = icon_theme_find(cases[i].name, cases[i].size);
		char *wanted = cases[i].path ? xasprintf("%s/%s", folder, cases[i].path) : NULL;
		if (!found != !wanted || (found && strcmp(found, wanted) != 0)) {
			fail_msg("%s at %d: %s", cases[i].name, cases[i].size, found);
		}
		free(found);
		free(wanted);
	}
}

static void icon_of_a_program_is_that_of_its_desktop_file(void **state)
{
	static const struct {
		const char *name, *app_id;
		uint32_t pixel; /* 0: none */
	} cases[] = {
		{NULL, "org.example.Editor", 0xff303030},
		{NULL, "XTerm", 0xff505050},
		{NULL, "Web", 0xff404040},
		{"web", "org.example.Editor", 0xff404040},
		{"none", "org.example.Editor", 0xff303030},
		{"/etc/passwd", "none", 0},
		{NULL, "../xterm", 0},
		{NULL, NULL, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct picture picture = icon_theme_read(cases[i].name, cases[i].app_id, 20);
		assert_int_equal(picture.image != NULL, cases[i].pixel != 0);
		if (picture.image) {
			assert_int_equal(pixman_image_get_width(picture.image), 20);
			assert_int_equal(
				pixman_image_get_data(picture.image)[10 * 20 + 10], cases[i].pixel);
		}
		picture_finish(&picture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_of_the_best_size_is_found),
		cmocka_unit_test(icon_of_a_program_is_that_of_its_desktop_file),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
