/* SPDX-License-Identifier: MIT */
/* The log: debug scopes, and the format of messages on stderr. */

#include "util/log.h"
#include "harness/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int saved_stderr, reading_end;

static void begin_capture(void)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	saved_stderr = dup(STDERR_FILENO);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	reading_end = ends[0];
}

static void end_capture(char *out, size_t size)
{
	ssize_t length;

	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	length = read(reading_end, out, size - 1);
	assert_true(length >= 0);
	out[length] = '\0';
	close(reading_end);
}

static void scopes_are_set_by_name(void **state)
{
	char *unknown;
	char *names = strdup(log_scope_names());
	int n = 0;

	assert_null(log_set_scopes("frame,copy"));
	assert_int_equal(log_scopes, LOG_FRAME | LOG_COPY);
	unknown = log_set_scopes("gpu,frames,nothing");
	assert_string_equal(unknown, "frames");
	free(unknown);
	assert_int_equal(log_scopes, LOG_FRAME | LOG_COPY);
	assert_null(log_set_scopes("all"));
	assert_int_equal(log_scopes, 2 * LOG_SURFACE - 1);

	/* log_scope_names() lists every scope once. */
	for (char *name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
		assert_null(log_set_scopes(name));
		assert_int_equal(__builtin_popcount(log_scopes), 1);
		n++;
	}
	assert_int_equal(n, __builtin_popcount(2 * LOG_SURFACE - 1));
	assert_null(log_set_scopes(""));
	assert_int_equal(log_scopes, 0);
	free(names);
}

static int evaluated;

static int evaluate(void)
{
	return ++evaluated;
}

static void messages_are_single_printable_lines(void **state)
{
	char out[8192];

	begin_capture();
	log_set_scopes("gpu");
	log_debug(LOG_GPU, "seen %d", evaluate());
	log_debug(LOG_COPY, "not seen %d", evaluate());
	log_set_scopes("");
	log_debug(LOG_GPU, "not seen either %d", evaluate());
	end_capture(out, sizeof(out));
	assert_non_null(strstr(out, " gpu: seen 1\n"));
	assert_null(strstr(out, "not seen"));
	assert_int_equal(evaluated, 1);

	begin_capture();
	log_warn("title %s", "a\nerror: forged\033[2J");
	end_capture(out, sizeof(out));
	assert_non_null(strstr(out, " warn: title a error: forged [2J\n"));
	assert_ptr_equal(strchr(out, '\n'), out + strlen(out) - 1);

	/* Some terminals accept CSI as the single character U+009B, too. */
	begin_capture();
	log_warn("title %s", "\xc2\x9b"
			     "2J \u202efed\xc3");
	end_capture(out, sizeof(out));
	assert_non_null(strstr(out, " warn: title ?2J ?fed?\n"));
}

static void long_message_is_cut_to_one_line(void **state)
{
	static char text[5000];
	char out[8192];

	memset(text, 'x', sizeof(text) - 1);
	begin_capture();
	log_info("%s", text);
	end_capture(out, sizeof(out));
	assert_ptr_equal(strchr(out, '\n'), out + strlen(out) - 1);
	assert_in_range(strlen(out), 1000, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scopes_are_set_by_name),
		cmocka_unit_test(messages_are_single_printable_lines),
		cmocka_unit_test(long_message_is_cut_to_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
