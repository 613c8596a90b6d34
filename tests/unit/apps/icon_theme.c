/* SPDX-License-Identifier: MIT */
/* Icons of programs: files of themes by name, size and desktop file, and SVG files. */

#include "apps/icon_theme.h"
#include "apps/icon_lookup.h"
#include "harness/unit.h"
#include "util/xalloc.h"
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void write_text(const char *name, const char *text)
{
	char *path = make_path(name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	free(path);
}

/* Writes an SVG file of one colour, 0xRRGGBB. */
static void write_svg(const char *name, unsigned color)
{
	char *text = xasprintf("<svg xmlns='http://www.w3.org/2000/svg' width='128' height='128'>"
			       "<rect width='128' height='128' fill='#%06x'/></svg>",
		color);
	write_text(name, text);
	free(text);
}

/* Writes the index of a theme that inherits others and has folders of these sizes; 0: scalable. */
static void write_index(const char *theme, const char *parents, const char *context,
	const int *sizes, size_t n_sizes)
{
	char *text = xasprintf("[Icon Theme]\nName=%s\nComment=none\n%s%s\nDirectories=", theme,
		parents ? "Inherits=" : "", parents ? parents : "");
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n_sizes; i++) {
			const int size = sizes[i];
			char *folder_name = size ? xasprintf("%dx%d/%s", size, size, context)
						 : xasprintf("scalable/%s", context);
			char *longer = pass == 0 ? xasprintf("%s%s,", text, folder_name)
				       : size    ? xasprintf("%s\n[%s]\nSize=%d\nType=Threshold\n",
							   text, folder_name, size)
						 : xasprintf("%s\n[%s]\nSize=128\nMinSize=1\n"
								"MaxSize=256\nType=Scalable\n",
							   text, folder_name);
			free(folder_name);
			free(text);
			text = longer;
		}
	}
	/* As in Adwaita 44: a group twice. */
	char *name = xasprintf("icons/%s/index.theme", theme);
	char *twice =
		xasprintf("%s\n[%dx%d/%s]\nSize=%d\n", text, sizes[0], sizes[0], context, sizes[0]);
	write_text(name, twice);
	free(twice);
	free(name);
	free(text);
}

static void write_desktop_file(const char *id, const char *icon)
{
	char *name = xasprintf("applications/%s.desktop", id);
	char *text =
		xasprintf("[Desktop Entry]\nType=Application\nName=A\nExec=a\nIcon=%s\n", icon);
	write_text(name, text);
	free(text);
	free(name);
}

static int set_up(void **state)
{
	static const int hicolor[] = {16, 22, 24, 32, 48, 256, 0}, legacy[] = {32, 48};
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	char *more = xasprintf("relative:%s/more::/nonexistent", folder);
	setenv("HOME", folder, 1);
	setenv("XDG_DATA_HOME", folder, 1);
	setenv("XDG_DATA_DIRS", more, 1);
	free(more);
	write_index("hicolor", NULL, "apps", hicolor, 7);
	write_index("Adwaita", "AdwaitaLegacy,hicolor", "apps", hicolor, 7);
	write_index("AdwaitaLegacy", "hicolor", "legacy", legacy, 2);
	write_icon("icons/hicolor/16x16/apps/edit.png", 16, 0xff101010);
	write_icon("icons/hicolor/48x48/apps/edit.png", 48, 0xff303030);
	write_icon("icons/AdwaitaLegacy/32x32/legacy/web.png", 32, 0xff404040);
	write_icon("icons/hicolor/32x32/apps/web.png", 32, 0xff202020);
	write_icon("pixmaps/old.png", 8, 0xff505050);
	write_svg("icons/hicolor/scalable/apps/calculator.svg", 0x606060);
	write_icon("icons/hicolor/16x16/apps/terminal.png", 16, 0xff707070);
	write_icon("icons/hicolor/48x48/apps/terminal.png", 48, 0xff707070);
	write_icon("icons/hicolor/256x256/apps/terminal.png", 256, 0xff707070);
	write_svg("icons/hicolor/scalable/apps/terminal.svg", 0x808080);
	/* A folder of programs that has no index of its own, and icons without theme. */
	write_icon("more/icons/hicolor/48x48/apps/game.png", 48, 0xff909090);
	write_icon("more/icons/hicolor/48x48/apps/edit.png", 48, 0xff999999);
	write_icon("more/icons/hicolor/24x24/apps/edit.png", 24, 0xff252525);
	write_icon("relative/icons/here.png", 16, 0xffaaaaaa);
	write_icon("more/icons/plain.png", 48, 0xffa0a0a0);
	write_svg("more/pixmaps/drawing.svg", 0xb0b0b0);
	write_icon(".icons/home.png", 48, 0xffb1b1b1);
	write_svg("icons/hicolor/scalable/apps/broken.svg", 0);
	write_text("icons/hicolor/scalable/apps/broken.svg", "<svg");
	write_icon("pixmaps/broken.png", 8, 0xffc0c0c0);
	write_desktop_file("org.example.Editor", "edit");
	write_desktop_file("org.gnome.Calculator", "calculator");
	write_desktop_file("skype", "old.png");
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

static const struct {
	const char *name;
	int size;
	bool svg;
	const char *path; /* NULL: none */
} cases[] = {
	{"edit", 16, true, "icons/hicolor/16x16/apps/edit.png"},
	{"edit", 20, true, "more/icons/hicolor/24x24/apps/edit.png"},
	{"edit", 40, true, "icons/hicolor/48x48/apps/edit.png"},
	{"edit", 400, true, "icons/hicolor/48x48/apps/edit.png"},
	/* The theme comes before hicolor, also with the theme that it inherits. */
	{"web", 16, true, "icons/AdwaitaLegacy/32x32/legacy/web.png"},
	/* Only an SVG file. */
	{"calculator", 20, true, "icons/hicolor/scalable/apps/calculator.svg"},
	{"calculator", 20, false, NULL},
	/* An SVG file is better than a file that is much larger or smaller. */
	{"terminal", 16, true, "icons/hicolor/16x16/apps/terminal.png"},
	{"terminal", 48, true, "icons/hicolor/48x48/apps/terminal.png"},
	{"terminal", 46, true, "icons/hicolor/48x48/apps/terminal.png"},
	{"terminal", 30, true, "icons/hicolor/scalable/apps/terminal.svg"},
	{"terminal", 90, true, "icons/hicolor/scalable/apps/terminal.svg"},
	{"terminal", 30, false, "icons/hicolor/48x48/apps/terminal.png"},
	{"terminal", 90, false, "icons/hicolor/256x256/apps/terminal.png"},
	{"game", 20, true, "more/icons/hicolor/48x48/apps/game.png"},
	{"plain", 20, true, "more/icons/plain.png"},
	{"home", 20, true, ".icons/home.png"},
	{"old", 16, true, "pixmaps/old.png"},
	{"drawing", 16, true, "more/pixmaps/drawing.svg"},
	{"drawing", 16, false, NULL},
	/* Relative data folders are invalid. */
	{"here", 16, true, NULL},
	{"none", 16, true, NULL},
	{"16x16/apps/edit", 16, true, NULL},
};

static void check(const char *name, int size, char *found, const char *path)
{
	char *wanted = path ? xasprintf("%s/%s", folder, path) : NULL;
	if (!found != !wanted || (found && strcmp(found, wanted) != 0)) {
		fail_msg("%s at %d: %s", name, size, found);
	}
	free(found);
	free(wanted);
}

static void look_up_all(char *(*look_up)(char *const *, const char *, int, bool))
{
	static const char *const names[] = {
		".icons", "icons", "more/icons", "pixmaps", "more/pixmaps"};
	char *folders[6] = {NULL};
	for (int i = 0; i < 5; i++) {
		folders[i] = xasprintf("%s/%s/", folder, names[i]);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check(cases[i].name, cases[i].size,
			look_up(folders, cases[i].name, cases[i].size, cases[i].svg),
			cases[i].path);
	}
	for (int i = 0; i < 5; i++) {
		free(folders[i]);
	}
}

static void usual_folders_have_the_best_file(void **state)
{
	look_up_all(icon_lookup_usual);
}

static void library_finds_the_same_files(void **state)
{
	if (!icon_lookup_has_sfdo()) {
		skip_because("this build has no libsfdo");
	}
	look_up_all(icon_lookup_sfdo);
}

static void folders_are_those_of_the_environment(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check(cases[i].name, cases[i].size,
			icon_theme_find(cases[i].name, cases[i].size, cases[i].svg), cases[i].path);
	}
	check("edit.svg", 16, icon_theme_find("edit.svg", 16, true),
		"icons/hicolor/16x16/apps/edit.png");
	check(".png", 16, icon_theme_find(".png", 16, true), NULL);
	check("..", 16, icon_theme_find("../icons/plain", 16, true), NULL);
	check("", 16, icon_theme_find("", 16, true), NULL);
}

/* Without an index, the library knows no folders. */
static void theme_without_index_is_found(void **state)
{
	char *indexes = xasprintf("rm '%s'/icons/*/index.theme", folder);
	assert_int_equal(system(indexes), 0);
	free(indexes);
	folders_are_those_of_the_environment(state);
}

/* Reads an icon of 20x20 pixels. Returns the pixel in its middle; 0: there is no icon. */
static uint32_t read_icon(const char *name, const char *app_id, const char *program)
{
	struct picture picture = icon_theme_read(name, app_id, 20, program);
	uint32_t pixel = 0;
	if (picture.image) {
		assert_int_equal(pixman_image_get_width(picture.image), 20);
		pixel = pixman_image_get_data(picture.image)[10 * 20 + 10];
	}
	picture_finish(&picture);
	return pixel;
}

static void icon_of_a_program_is_that_of_its_desktop_file(void **state)
{
	static const struct {
		const char *name, *app_id;
		uint32_t pixel; /* 0: none */
	} programs[] = {
		{NULL, "org.example.Editor", 0xff252525},
		{NULL, "XTerm", 0xff505050},
		{NULL, "Web", 0xff404040},
		{"web", "org.example.Editor", 0xff404040},
		{"none", "org.example.Editor", 0xff252525},
		{NULL, "skype", 0xff505050},
		{"/etc/passwd", "none", 0},
		{NULL, "../xterm", 0},
		{NULL, NULL, 0},
	};
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		assert_int_equal(
			read_icon(programs[i].name, programs[i].app_id, NULL), programs[i].pixel);
	}
}

static void svg_file_is_drawn(void **state)
{
	if (!picture_svg_is_built()) {
		skip_because("this build has no librsvg");
	}
	assert_int_equal(read_icon(NULL, "org.gnome.Calculator", NULL), 0);
	assert_int_equal(read_icon(NULL, "org.gnome.Calculator", "/proc/self/exe"), 0xff606060);
	char *path = make_path("more/pixmaps/drawing.svg");
	write_desktop_file("drawing", path);
	free(path);
	assert_int_equal(read_icon(NULL, "drawing", "/proc/self/exe"), 0xffb0b0b0);
}

static void broken_svg_file_leaves_the_other_formats(void **state)
{
	assert_int_equal(read_icon("broken", NULL, "/proc/self/exe"), 0xffc0c0c0);
	assert_int_equal(read_icon("broken", NULL, "/bin/false"), 0xffc0c0c0);
	assert_int_equal(read_icon("broken", NULL, "/nonexistent"), 0xffc0c0c0);
}

int main(int argc, char **argv)
{
	if (argc == 2 &&
		strncmp(argv[1], PICTURE_SVG_ARGUMENT, strlen(PICTURE_SVG_ARGUMENT)) == 0) {
		return !picture_svg_answer(atoi(argv[1] + strlen(PICTURE_SVG_ARGUMENT)));
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_folders_have_the_best_file),
		cmocka_unit_test(library_finds_the_same_files),
		cmocka_unit_test(folders_are_those_of_the_environment),
		cmocka_unit_test(icon_of_a_program_is_that_of_its_desktop_file),
		cmocka_unit_test(svg_file_is_drawn),
		cmocka_unit_test(broken_svg_file_leaves_the_other_formats),
		cmocka_unit_test(theme_without_index_is_found),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
