/* SPDX-License-Identifier: MIT */
/* SVG files: drawn by a helper process, here this program, without other files; hostile files. */

#include "harness/unit.h"
#include "render/picture.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SVG "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' "
#define SELF "/proc/self/exe"
#define SIZE 20

static char folder[] = "/tmp/causeway-svg-XXXXXX";
static char *path;

static int set_up(void **state)
{
	assert_non_null(mkdtemp(folder));
	path = xasprintf("%s/icon.svg", folder);
	return 0;
}

static int tear_down(void **state)
{
	char *command = xasprintf("rm -r '%s'", folder);
	int result = system(command);
	free(command);
	free(path);
	return result;
}

static void write_file(const char *file, const char *text)
{
	FILE *stream = fopen(file, "w");
	assert_non_null(stream);
	fputs(text, stream);
	fclose(stream);
}

/* Draws the text of a file. Returns the error, which the caller frees. */
static char *draw(const char *text, struct picture *picture)
{
	write_file(path, text);
	char *error = picture_read_svg(path, SIZE, SELF, picture);
	assert_true(!error == !!picture->image);
	/* No process is left. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return error;
}

static uint32_t pixel(const struct picture *picture, int x, int y)
{
	return pixman_image_get_data(picture->image)[y * SIZE + x];
}

static void expect_pixels(const char *text, uint32_t middle, uint32_t corner)
{
	struct picture picture;
	char *error = draw(text, &picture);
	assert_null(error);
	assert_int_equal(pixman_image_get_width(picture.image), SIZE);
	assert_int_equal(pixel(&picture, SIZE / 2, SIZE / 2), middle);
	assert_int_equal(pixel(&picture, 0, 0), corner);
	picture_finish(&picture);
}

static int need_library(void **state)
{
	if (!picture_svg_is_built()) {
		skip_because("this build has no librsvg");
	}
	return 0;
}

static void picture_has_the_size_and_keeps_its_proportions(void **state)
{
	expect_pixels(SVG "width='400' height='400'><rect width='400' height='400' "
			  "fill='#ff0000' fill-opacity='0.5'/></svg>",
		0x80800000, 0x80800000);
	expect_pixels(SVG "viewBox='0 0 40 10'><rect width='40' height='10' fill='#00ff00'/></svg>",
		0xff00ff00, 0);
	expect_pixels(SVG "width='4' height='4'><rect width='4' height='4' fill='#0000ff'/></svg>",
		0xff0000ff, 0xff0000ff);
}

static void other_files_are_not_read(void **state)
{
	char *secret = xasprintf("%s/secret.svg", folder);
	write_file(secret, SVG "viewBox='0 0 1 1'><rect id='r' width='1' height='1'/></svg>");
	static const char *const forms[] = {
		SVG "width='20' height='20'><image width='20' height='20' xlink:href='%s'/></svg>",
		SVG "width='20' height='20'><image width='20' height='20' "
		    "xlink:href='file://%s'/></svg>",
		SVG "width='20' height='20'><image width='20' height='20' "
		    "xlink:href='secret.svg'/><!-- %s --></svg>",
		SVG "width='20' height='20'><use xlink:href='file://%s#r'/></svg>",
		SVG "width='20' height='20' xmlns:xi='http://www.w3.org/2001/XInclude'>"
		    "<xi:include href='file://%s'/></svg>",
		SVG "width='20' height='20'><style>@import url('file://%s');</style></svg>",
		"<!DOCTYPE svg [<!ENTITY x SYSTEM 'file://%s'>]>" SVG
		"width='20' height='20'>&x;</svg>",
	};
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const char *place = strstr(forms[i], "%s");
		char *text =
			xasprintf("%.*s%s%s", (int)(place - forms[i]), forms[i], secret, place + 2);
		struct picture picture;
		char *error = draw(text, &picture);
		if (!error) {
			assert_int_equal(pixel(&picture, SIZE / 2, SIZE / 2), 0);
		}
		picture_finish(&picture);
		free(error);
		free(text);
	}
	free(secret);
}

/* The process may end with an error or a crash, or draw some of the picture. */
static void hostile_files_end_their_process_alone(void **state)
{
	static const char *const texts[] = {
		"",
		"<svg",
		"\xef\xbb\xbf<?xml version='1.0' encoding='UTF-32'?><svg/>",
		SVG "width='0' height='-1'/>",
		SVG "width='1e30' height='1e30'><rect width='1e30' height='1e30'/></svg>",
		SVG "viewBox='nan inf 1e-30 1e30'><path d='M'/><path d=''/></svg>",
		SVG "width='20' height='20'><use id='a' xlink:href='#a'/></svg>",
		SVG "width='20' height='20'><pattern id='p'><rect fill='url(#p)' width='9' "
		    "height='9'/></pattern><rect fill='url(#p)' width='20' height='20'/></svg>",
		SVG
		"width='20' height='20'><filter id='f' width='1e9' height='1e9'><feGaussianBlur "
		"stdDeviation='1e9'/></filter><rect filter='url(#f)' width='20' "
		"height='20'/></svg>",
		"<!DOCTYPE svg [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
		"<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;'>"
		"<!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;&d;'><!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;'>"
		"]>" SVG "width='20' height='20'>&f;&f;&f;&f;&f;</svg>",
		SVG "width='20' height='20'><image width='20' height='20' "
		    "xlink:href='data:image/png;base64,iVBORw0KGgoAAAANSUhEUv////8='/></svg>",
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct picture picture;
		free(draw(texts[i], &picture));
		picture_finish(&picture);
	}
}

static void expect_error(const char *file, const char *program, const char *wanted)
{
	struct picture picture;
	char *error = picture_read_svg(file, SIZE, program, &picture);
	if (!error || !strstr(error, wanted) || picture.image) {
		fail_msg("'%s', not '%s'", error ? error : "drawn", wanted);
	}
	free(error);
}

static void unusable_files_and_answers_are_refused(void **state)
{
	char *fifo = xasprintf("%s/fifo", folder), *script = xasprintf("%s/script", folder);
	expect_error("/nonexistent", SELF, "No such file");
	expect_error(folder, SELF, "it is not a file");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	expect_error(fifo, SELF, "it is not a file");
	write_file(path, "");
	assert_int_equal(truncate(path, PICTURE_SVG_FILE_MAX + 1), 0);
	expect_error(path, SELF, "too large");
	write_file(path, "<svg/>");
	expect_error(path, "/nonexistent", "No such file");
	/* Answers of all sizes but the right one. */
	static const int lengths[] = {
		0, 1, SIZE * SIZE * 4 - 1, SIZE * SIZE * 4 + 1, SIZE * SIZE * 400};
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		char *text = xasprintf("#!/bin/sh\nhead -c %d /dev/zero >&3\n", lengths[i]);
		write_file(script, text);
		chmod(script, 0700);
		expect_error(path, script, "it cannot be drawn");
		free(text);
	}
	write_file(script, "#!/bin/sh\n[ \"$*\" = --draw-svg=20 ] && [ \"$(cat)\" = '<svg/>' ] && "
			   "head -c 1600 /dev/zero >&3\n");
	struct picture picture;
	assert_null(picture_read_svg(path, SIZE, script, &picture));
	picture_finish(&picture);
	free(script);
	free(fifo);
}

static void sizes_are_bounded(void **state)
{
	assert_false(picture_svg_answer(0));
	assert_false(picture_svg_answer(-1));
	assert_false(picture_svg_answer(PICTURE_SVG_SIZE_MAX + 1));
}

#define TEST(function) cmocka_unit_test_setup(function, need_library)

int main(int argc, char **argv)
{
	if (argc == 2 &&
		strncmp(argv[1], PICTURE_SVG_ARGUMENT, strlen(PICTURE_SVG_ARGUMENT)) == 0) {
		return !picture_svg_answer(atoi(argv[1] + strlen(PICTURE_SVG_ARGUMENT)));
	}
	const struct CMUnitTest tests[] = {
		TEST(picture_has_the_size_and_keeps_its_proportions),
		TEST(other_files_are_not_read),
		TEST(hostile_files_end_their_process_alone),
		cmocka_unit_test(unusable_files_and_answers_are_refused),
		cmocka_unit_test(sizes_are_bounded),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
