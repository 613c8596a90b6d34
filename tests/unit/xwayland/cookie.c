/* SPDX-License-Identifier: MIT */
/* Cookie files: their mode and their format. */

#include "xwayland/cookie.h"
#include "harness/unit.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX 1024

struct file {
	char folder[32], path[64];
	uint8_t bytes[FILE_BYTES_MAX];
	size_t size;
};

static void read_back(struct file *file)
{
	FILE *stream = fopen(file->path, "r");
	assert_non_null(stream);
	file->size = fread(file->bytes, 1, sizeof(file->bytes), stream);
	fclose(stream);
}

static int setup(void **state)
{
	struct file *file = calloc(1, sizeof(*file));
	strcpy(file->folder, "/tmp/causeway-cookie-XXXXXX");
	assert_non_null(mkdtemp(file->folder));
	snprintf(file->path, sizeof(file->path), "%s/cookie", file->folder);
	*state = file;
	return 0;
}

static int teardown(void **state)
{
	struct file *file = *state;
	unlink(file->path);
	rmdir(file->folder);
	free(file);
	return 0;
}

static size_t take_number(const struct file *file, size_t *at)
{
	assert_true(*at + 2 <= file->size);
	size_t number = (size_t)file->bytes[*at] << 8 | file->bytes[*at + 1];
	*at += 2;
	return number;
}

/* Returns the field's bytes. */
static const uint8_t *take_field(const struct file *file, size_t *at, size_t *size)
{
	*size = take_number(file, at);
	assert_true(*at + *size <= file->size);
	*at += *size;
	return file->bytes + *at - *size;
}

static void only_the_owner_reads_a_cookie_file(void **state)
{
	struct file *file = *state;
	struct stat status;
	mode_t mask = umask(0);
	assert_int_equal(x_cookie_write(file->path, 7), 0);
	umask(mask);
	assert_int_equal(stat(file->path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
}

static void both_entries_name_the_display_and_share_a_cookie(void **state)
{
	static const unsigned families[] = {256, 65535};
	struct file *file = *state;
	uint8_t cookies[2][16];
	assert_int_equal(x_cookie_write(file->path, 12), 0);
	read_back(file);
	size_t at = 0, size;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(take_number(file, &at), families[i]);
		take_field(file, &at, &size); /* the host's name, or any */
		assert_true(i == 0 || size == 0);
		assert_memory_equal(take_field(file, &at, &size), "12", 2);
		assert_int_equal(size, 2);
		assert_memory_equal(take_field(file, &at, &size), "MIT-MAGIC-COOKIE-1", 18);
		assert_int_equal(size, 18);
		memcpy(cookies[i], take_field(file, &at, &size), sizeof(cookies[i]));
		assert_int_equal(size, sizeof(cookies[i]));
	}
	assert_int_equal(at, file->size);
	assert_memory_equal(cookies[0], cookies[1], sizeof(cookies[0]));
}

static void each_file_has_a_new_cookie(void **state)
{
	struct file *file = *state, first;
	assert_int_equal(x_cookie_write(file->path, 1), 0);
	read_back(file);
	first = *file;
	assert_int_equal(x_cookie_write(file->path, 1), 0);
	read_back(file);
	assert_int_equal(first.size, file->size);
	assert_memory_not_equal(first.bytes, file->bytes, file->size);
}

static void a_missing_folder_is_an_error(void **state)
{
	assert_int_equal(x_cookie_write("/nonexistent/cookie", 1), -ENOENT);
}

/* A link of another program must not direct the cookie elsewhere. */
static void a_link_in_the_way_is_replaced(void **state)
{
	struct file *file = *state;
	char other[80];
	snprintf(other, sizeof(other), "%s/other", file->folder);
	assert_int_equal(symlink(other, file->path), 0);
	assert_int_equal(x_cookie_write(file->path, 1), 0);
	assert_int_equal(access(other, F_OK), -1);
}

static void files_that_no_session_holds_are_removed(void **state)
{
	struct file *file = *state;
	char held[80], stale[80], foreign[80];
	snprintf(held, sizeof(held), "%s/" X_COOKIE_PREFIX "1-held.auth", file->folder);
	snprintf(stale, sizeof(stale), "%s/" X_COOKIE_PREFIX "2-stale.auth", file->folder);
	snprintf(foreign, sizeof(foreign), "%s/foreign.auth", file->folder);
	assert_int_equal(x_cookie_write(held, 1), 0);
	assert_int_equal(x_cookie_write(stale, 2), 0);
	assert_int_equal(x_cookie_write(foreign, 3), 0);
	int fd = x_cookie_hold(held);
	assert_true(fd >= 0);
	x_cookie_clean(file->folder);
	assert_int_equal(access(held, F_OK), 0);
	assert_int_equal(access(stale, F_OK), -1);
	assert_int_equal(access(foreign, F_OK), 0);
	close(fd);
	x_cookie_clean(file->folder);
	assert_int_equal(access(held, F_OK), -1);
	unlink(foreign);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			only_the_owner_reads_a_cookie_file, setup, teardown),
		cmocka_unit_test_setup_teardown(
			both_entries_name_the_display_and_share_a_cookie, setup, teardown),
		cmocka_unit_test_setup_teardown(each_file_has_a_new_cookie, setup, teardown),
		cmocka_unit_test(a_missing_folder_is_an_error),
		cmocka_unit_test_setup_teardown(
			files_that_no_session_holds_are_removed, setup, teardown),
		cmocka_unit_test_setup_teardown(a_link_in_the_way_is_replaced, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
