/* SPDX-License-Identifier: MIT */
/* Files: atomic replacement, cache paths, programs, and opening regular files only. */

#include "util/file.h"
#include "harness/unit.h"
#include "util/xalloc.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_text(FILE *stream, const void *data)
{
	fputs(data, stream);
}

static void write_much(FILE *stream, const void *data)
{
	for (int i = 0; i < 100000; i++) {
		fputs("sixteen bytes ..", stream);
	}
}

static void check(const char *path, const char *text)
{
	char read[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fgets(read, sizeof(read), file) || *text == '\0');
	assert_string_equal(read, text);
	fclose(file);
}

static int count(const char *folder)
{
	DIR *dir = opendir(folder);
	int n = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		n += entry->d_name[0] != '.';
	}
	closedir(dir);
	return n;
}

struct place {
	char folder[64];
	char *above, *below,
		*path; /* two folders that do not exist yet, and a file in the inner one */
};

static int setup(void **state)
{
	struct place *place = xcalloc(1, sizeof(*place));

	strcpy(place->folder, "/tmp/causeway-file-XXXXXX");
	assert_non_null(mkdtemp(place->folder));
	place->above = xasprintf("%s/above", place->folder);
	place->below = xasprintf("%s/below", place->above);
	place->path = xasprintf("%s/file", place->below);
	*state = place;
	return 0;
}

/* Fails if a test left other files behind. */
static int teardown(void **state)
{
	struct place *place = *state;

	unlink(place->path);
	rmdir(place->path);
	rmdir(place->below);
	rmdir(place->above);
	assert_int_equal(rmdir(place->folder), 0);
	free(place->path);
	free(place->below);
	free(place->above);
	free(place);
	return 0;
}

static void replacing_creates_folders_and_leaves_one_file(void **state)
{
	struct place *place = *state;
	struct stat info;

	assert_int_equal(file_replace(place->path, write_text, "first"), 0);
	check(place->path, "first");
	assert_int_equal(stat(place->below, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	assert_int_equal(file_replace(place->path, write_text, ""), 0);
	check(place->path, "");
	assert_int_equal(count(place->below), 1);
}

static void open_file_keeps_its_old_content(void **state)
{
	struct place *place = *state;
	char text[16] = "";

	assert_int_equal(file_replace(place->path, write_text, "first"), 0);
	FILE *old = fopen(place->path, "r");
	assert_int_equal(file_replace(place->path, write_text, "second"), 0);
	assert_non_null(fgets(text, sizeof(text), old));
	assert_string_equal(text, "first");
	fclose(old);
	check(place->path, "second");
}

static void replacing_fails_below_a_file(void **state)
{
	struct place *place = *state;

	assert_int_equal(file_replace(place->above, write_text, "a file"), 0);
	assert_int_equal(file_replace(place->path, write_text, "below it"), -ENOTDIR);
	check(place->above, "a file");
	assert_int_equal(unlink(place->above), 0);
	assert_int_equal(file_replace("/proc/causeway/file", write_text, ""), -ENOENT);
}

/* The temporary file is removed if it cannot be renamed. */
static void replacing_a_folder_leaves_no_temporary_file(void **state)
{
	struct place *place = *state;

	assert_int_equal(mkdir(place->above, 0700), 0);
	assert_int_equal(mkdir(place->below, 0700), 0);
	assert_int_equal(mkdir(place->path, 0700), 0);
	assert_int_equal(file_replace(place->path, write_text, "first"), -EISDIR);
	assert_int_equal(count(place->below), 1);
}

/* RLIMIT_FSIZE stands for a full disk. */
static void full_disk_keeps_the_old_file(void **state)
{
	struct place *place = *state;
	struct rlimit before, small;

	assert_int_equal(file_replace(place->path, write_text, "first"), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){4096, before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	int error = file_replace(place->path, write_much, NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(error, -EFBIG);
	check(place->path, "first");
	assert_int_equal(count(place->below), 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

static void expect_cache(const char *cache, const char *home, const char *path)
{
	setenv("XDG_CACHE_HOME", cache, 1);
	setenv("HOME", home, 1);
	char *found = file_cache_path("costs");
	if (path) {
		assert_non_null(found);
		assert_string_equal(found, path);
	} else {
		assert_null(found);
	}
	free(found);
}

static void cache_path_follows_the_environment(void **state)
{
	expect_cache("/cache", "/a", "/cache/causeway/costs");
	expect_cache("", "/a", "/a/.cache/causeway/costs");
	expect_cache("relative", "/a", "/a/.cache/causeway/costs");
	expect_cache("", "", NULL);
}

static void only_regular_files_up_to_a_size_are_opened(void **state)
{
	char path[] = "/tmp/causeway-file-XXXXXX";
	int fd = mkstemp(path);
	assert_int_equal(ftruncate(fd, 100), 0);
	FILE *stream = file_open_regular(path, 100);
	assert_non_null(stream);
	fclose(stream);
	assert_null(file_open_regular(path, 99));
	assert_int_equal(errno, EFBIG);
	close(fd);
	unlink(path);
	assert_null(file_open_regular(path, 99));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(10);
	assert_null(file_open_regular(path, 99));
	assert_int_equal(errno, EINVAL);
	alarm(0);
	unlink(path);
	assert_null(file_open_regular("/dev/zero", 99));
	assert_null(file_open_regular("/tmp", 1 << 20));
}

static void expect_program(const char *name, const char *path)
{
	char *found = file_find_program(name);
	assert_int_equal(file_has_program(name), path != NULL);
	if (path) {
		assert_non_null(found);
		assert_string_equal(found, path);
	} else {
		assert_null(found);
	}
	free(found);
}

static void programs_are_executable_files_of_path(void **state)
{
	struct place *place = *state;
	assert_int_equal(file_replace(place->path, write_text, ""), 0);
	char *folders = xasprintf("%s::%s", place->above, place->below);
	setenv("PATH", folders, 1);
	expect_program("file", NULL);
	expect_program(place->path, NULL);
	assert_int_equal(chmod(place->path, 0700), 0);
	expect_program("file", place->path);
	expect_program(place->path, place->path);
	setenv("PATH", place->above, 1);
	expect_program("file", NULL);
	setenv("PATH", "", 1);
	expect_program("file", NULL);
	unsetenv("PATH");
	expect_program("sh", access("/usr/bin/sh", X_OK) == 0 ? "/usr/bin/sh" : "/bin/sh");
	setenv("PATH", "/usr/bin:/bin", 1);
	free(folders);
}

static void folders_are_no_programs(void **state)
{
	struct place *place = *state;
	assert_int_equal(mkdir(place->above, 0700), 0);
	assert_int_equal(mkdir(place->below, 0700), 0);
	setenv("PATH", place->above, 1);
	expect_program("below", NULL);
	expect_program(place->below, NULL);
	/* The search goes on behind a folder, and follows links. */
	char *link = xasprintf("%s/link", place->below);
	char *folders = xasprintf("%s:%s", place->folder, place->below);
	assert_int_equal(symlink("/bin/sh", link), 0);
	assert_int_equal(symlink(place->below, place->path), 0);
	setenv("PATH", folders, 1);
	expect_program("link", link);
	expect_program("file", NULL);
	assert_int_equal(unlink(link), 0);
	char *above = xasprintf("%s/above", place->below);
	assert_int_equal(symlink("/bin/sh", above), 0);
	expect_program("above", above);
	expect_program(above, above);
	assert_int_equal(unlink(above), 0);
	/* Neither are pipes. */
	assert_int_equal(mkfifo(above, 0700), 0);
	expect_program("above", NULL);
	expect_program(above, NULL);
	assert_int_equal(unlink(above), 0);
	setenv("PATH", "/usr/bin:/bin", 1);
	free(above);
	free(folders);
	free(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_regular_files_up_to_a_size_are_opened),
		TEST(replacing_creates_folders_and_leaves_one_file),
		TEST(open_file_keeps_its_old_content),
		TEST(replacing_fails_below_a_file),
		TEST(replacing_a_folder_leaves_no_temporary_file),
		TEST(full_disk_keeps_the_old_file),
		TEST(programs_are_executable_files_of_path),
		TEST(folders_are_no_programs),
		cmocka_unit_test(cache_path_follows_the_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
