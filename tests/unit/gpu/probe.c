/* SPDX-License-Identifier: MIT */
/*
 * Probes by a process: what it starts with, answers that are hostile, cut or too long, and
 * processes that hang or crash. Shell scripts act as the process.
 */

#include "gpu/format_cache.h"
#include "gpu/gpu.h"
#include "gpu/probe_answer.h"
#include "harness/await.h"
#include "harness/unit.h"
#include "util/helper_process.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY "key"
#define PAIR "34325258 0000000000000000\n"
/** ms; for scripts that end by themselves, and for those that never do. */
#define LONG 100000
#define SHORT 200

static char folder[] = "/tmp/causeway-probe-XXXXXX";

static struct gpu gpu = {
	.driver = (char *)"fake",
	.bus_id = (char *)"pci-0000_03_00_0",
	.render_path = (char *)"/nonexistent/renderD129",
	.vendor = 0x1002,
	.device = 0x73bf,
	.fd = -1,
};

static int setup(void **state)
{
	assert_non_null(mkdtemp(folder));
	setenv("XDG_CACHE_HOME", folder, 1);
	return 0;
}

static int teardown(void **state)
{
	char *command = xasprintf("rm -r '%s'", folder);
	int result = system(command);
	free(command);
	return result;
}

/* Answers */

static void fill(struct gpu_facts *facts)
{
	format_set_add(&facts->sampling, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	format_set_add(&facts->sampling, DRM_FORMAT_NV12, 0x200000018601b04);
	struct gpu_reader *reader = gpu_facts_add_reader(facts, "engine");
	format_set_add(&reader->layouts, DRM_FORMAT_NV12, 0x200000018601b04);
}

/* Returns the answer with these facts, newly allocated. */
static char *make_answer(const char *key, bool complete, size_t *length)
{
	struct gpu_facts facts = {0};
	char *text = NULL;
	FILE *stream = open_memstream(&text, length);
	assert_non_null(stream);
	fill(&facts);
	probe_answer_write(stream, key, &facts, complete);
	fclose(stream);
	gpu_facts_finish(&facts);
	return text;
}

static void expect_filled(const struct gpu_facts *facts)
{
	struct gpu_facts filled = {0};
	fill(&filled);
	assert_true(format_set_equal(&filled.sampling, &facts->sampling));
	assert_int_equal(facts->n_readers, 1);
	assert_true(format_set_equal(&filled.readers[0].layouts, &facts->readers[0].layouts));
	gpu_facts_finish(&filled);
}

static bool reads(const char *text, size_t length)
{
	struct gpu_facts facts;
	bool complete;
	/* A copy of this size, so that reads beyond it are found. */
	char *copy = xcalloc(length + 1, 1);
	memcpy(copy, text, length);
	copy = xrealloc(copy, length > 0 ? length : 1, 1);
	bool good = probe_answer_read(copy, length, KEY, &facts, &complete);
	free(copy);
	if (!good) {
		assert_false(complete);
		assert_int_equal(facts.sampling.n_formats, 0);
		assert_int_equal(facts.n_readers, 0);
	}
	gpu_facts_finish(&facts);
	return good;
}

static void answers_are_read_as_written(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct gpu_facts facts;
		bool complete = i == 0;
		size_t length;
		char *text = make_answer(KEY, i > 0, &length);
		assert_true(probe_answer_read(text, length, KEY, &facts, &complete));
		assert_int_equal(complete, i > 0);
		expect_filled(&facts);
		gpu_facts_finish(&facts);
		assert_false(probe_answer_read(text, length, "other", &facts, &complete));
		assert_int_equal(facts.sampling.n_formats, 0);
		free(text);
	}
}

static void cut_answers_are_refused(void **state)
{
	size_t length;
	char *text = make_answer(KEY, true, &length);
	assert_true(reads(text, length));
	for (size_t n = 0; n < length; n++) {
		assert_false(reads(text, n));
	}
	free(text);
}

static void hostile_answers_are_refused(void **state)
{
	static const char *const answers[] = {
		KEY "\n" PAIR "end\n",
		"complete\ncomplete\n" KEY "\n" PAIR "end\n",
		"complete \n" KEY "\n" PAIR "end\n",
		"complete\n" KEY "\nend\n",
		"complete\n" KEY "\n" PAIR "end\nx",
		"complete\n" KEY "\n" PAIR "end\n" PAIR "end\n",
		"partial\n" KEY "\n-4325258 0\nend\n",
		"partial\n" KEY "\n34325258 0 0\nend\n",
		"partial\n" KEY "\nfffffff1 0\nend\n",
		"partial\n" KEY "\n" PAIR
		"reader a\nreader b\nreader c\nreader d\nreader e\nreader f\n"
		"reader g\nreader h\nreader i\nend\n",
	};
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		assert_false(reads(answers[i], strlen(answers[i])));
	}
	assert_true(reads(
		"partial\n" KEY "\n" PAIR "end\n", strlen("partial\n" KEY "\n" PAIR "end\n")));
	static const char zero[] = "complete\n" KEY "\n" PAIR "\0\nend\n";
	assert_false(reads(zero, sizeof(zero) - 1));
}

/* Processes */

/* Writes a script, and returns its path, newly allocated. */
static char *write_script(const char *text)
{
	char *path = xasprintf("%s/script", folder);
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", text);
	fclose(file);
	assert_int_equal(chmod(path, 0700), 0);
	return path;
}

/* Runs a script. Returns its answer, newly allocated and ended by a zero byte; NULL: none. */
static char *answer_of(const char *script, int timeout)
{
	char *path = write_script(script), *answer;
	struct helper_process process;
	size_t length;
	assert_int_equal(helper_process_start(&process, path, "--probe=0:gpu", -1), 0);
	answer = helper_process_read(&process, timeout, PROBE_BYTES_MAX, &length);
	helper_process_end(&process);
	assert_int_equal(process.fd, -1);
	/* No process is left, not even a zombie. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	free(path);
	if (answer) {
		assert_int_equal(strlen(answer), length);
	}
	return answer;
}

static void expect_answer(const char *script, const char *expected)
{
	char *answer = answer_of(script, LONG);
	assert_non_null(answer);
	assert_string_equal(answer, expected);
	free(answer);
}

static void process_gets_its_subject(void **state)
{
	expect_answer("echo \"$# $1\" >&3", "1 --probe=0:gpu\n");
}

static void process_inherits_no_descriptors(void **state)
{
	int pipe_fds[2];
	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(dup2(pipe_fds[0], 77), 77);
	expect_answer("[ -e /proc/self/fd/77 ] && echo leak >&3\n"
		      "[ /proc/$$/fd/0 -ef /dev/null ] && [ /proc/$$/fd/1 -ef /dev/null ] && "
		      "echo null >&3",
		"null\n");
	close(77);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

/* This program as the process: shells clear their mask. */
static int report_signals(void)
{
	sigset_t blocked;
	struct sigaction action;
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	sigaction(SIGTERM, NULL, &action);
	bool clear = !sigismember(&blocked, SIGTERM) && action.sa_handler == SIG_DFL;
	return write(HELPER_FD, clear ? "clear" : "set", clear ? 5 : 3) > 0 ? 0 : 1;
}

static void process_inherits_neither_blocked_nor_ignored_signals(void **state)
{
	sigset_t all, before;
	struct helper_process process;
	size_t length;
	sigfillset(&all);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &all, &before), 0);
	signal(SIGTERM, SIG_IGN);
	assert_int_equal(
		helper_process_start(&process, "/proc/self/exe", "--probe=signals", -1), 0);
	char *answer = helper_process_read(&process, LONG, PROBE_BYTES_MAX, &length);
	helper_process_end(&process);
	signal(SIGTERM, SIG_DFL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	assert_non_null(answer);
	assert_string_equal(answer, "clear");
	free(answer);
}

static void silent_process_is_killed_after_its_time(void **state)
{
	assert_null(answer_of("exec sleep 1000", SHORT));
	assert_null(answer_of("trap '' TERM; echo begun >&3; exec sleep 1000", SHORT));
}

static void process_that_does_not_end_is_killed_after_its_answer(void **state)
{
	expect_answer("echo done >&3; exec 3>&-; exec sleep 1000", "done\n");
}

static void endless_answer_is_refused(void **state)
{
	assert_null(answer_of("exec yes >&3", LONG));
}

static void crash_cuts_the_answer(void **state)
{
	expect_answer("echo complete >&3; kill -SEGV $$", "complete\n");
}

static void absent_program_is_an_error(void **state)
{
	struct helper_process process;
	assert_int_equal(
		helper_process_start(&process, "/nonexistent", "--probe=0:gpu", -1), -ENOENT);
}

/* The probe */

struct found {
	int n;
	bool facts;
};

static void handle_found(void *data, const struct gpu_facts *facts)
{
	struct found *found = data;
	found->n++;
	found->facts = facts != NULL;
	if (facts) {
		expect_filled(facts);
	}
}

/* Probes by a script. Returns whether facts were found. */
static bool probe(const char *script)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	char *path = write_script(script);
	const struct gpu_look look = {.variant = "engine", .choice = 2, .program = path};
	struct found found = {0};
	struct gpu_probe *probe = gpu_probe_start(loop, &gpu, &look, handle_found, &found);
	assert_non_null(probe);
	while (found.n == 0) {
		wl_event_loop_dispatch(loop, -1);
	}
	gpu_probe_destroy(probe);
	wl_event_loop_destroy(loop);
	/* The thread ends the process afterwards. */
	siginfo_t info;
	await(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD, );
	free(path);
	return found.facts;
}

static bool is_cached(void)
{
	char *path = format_cache_path(&gpu);
	bool cached = access(path, F_OK) == 0;
	free(path);
	return cached;
}

/* Returns a script that answers in this way, newly allocated. */
static char *answering_script(bool complete)
{
	char *key = format_cache_key(&gpu, "engine"), *path = xasprintf("%s/answer", folder);
	size_t length;
	char *text = make_answer(key, complete, &length);
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	char *script = xasprintf("[ \"$1\" = --probe=2:pci-0000_03_00_0 ] && cat %s >&3", path);
	free(text);
	free(path);
	free(key);
	return script;
}

static void facts_of_a_process_are_found_and_cached_if_complete(void **state)
{
	for (int complete = 0; complete < 2; complete++) {
		char *script = answering_script(complete);
		assert_false(is_cached());
		assert_true(probe(script));
		assert_int_equal(is_cached(), complete);
		free(script);
	}
	/* The next one reads the cache. */
	assert_true(probe("kill -SEGV $$"));
	char *path = format_cache_path(&gpu);
	unlink(path);
	free(path);
}

static void failed_process_finds_nothing(void **state)
{
	assert_false(probe("exit 1"));
	assert_false(probe("kill -SEGV $$"));
	assert_false(probe("echo complete >&3; echo other >&3"));
	assert_false(probe("exec yes >&3"));
	assert_false(is_cached());
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--probe=signals") == 0) {
		return report_signals();
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_read_as_written),
		cmocka_unit_test(cut_answers_are_refused),
		cmocka_unit_test(hostile_answers_are_refused),
		cmocka_unit_test(process_gets_its_subject),
		cmocka_unit_test(process_inherits_no_descriptors),
		cmocka_unit_test(process_inherits_neither_blocked_nor_ignored_signals),
		cmocka_unit_test(silent_process_is_killed_after_its_time),
		cmocka_unit_test(process_that_does_not_end_is_killed_after_its_answer),
		cmocka_unit_test(endless_answer_is_refused),
		cmocka_unit_test(crash_cuts_the_answer),
		cmocka_unit_test(absent_program_is_an_error),
		cmocka_unit_test(facts_of_a_process_are_found_and_cached_if_complete),
		cmocka_unit_test(failed_process_finds_nothing),
	};
	return cmocka_run_group_tests_name("gpu/probe", tests, setup, teardown);
}
