/* SPDX-License-Identifier: MIT */
/* Tasks: deadlines, owners that are destroyed first, and limits for calls that hang. */

#include "util/task.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define MS INT64_C(1000000)

struct test {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct tasks *tasks;
	int gate; /* readable once tasks may return */
	atomic_int n_begun, n_run, n_freed;
	int n_done, n_late;
};

static void run(void *data)
{
	struct test *test = data;
	struct pollfd poller = {.fd = test->gate, .events = POLLIN};
	atomic_fetch_add(&test->n_begun, 1);
	poll(&poller, 1, -1);
	atomic_fetch_add(&test->n_run, 1);
}

static void handle_done(void *owner, void *data, int error)
{
	struct test *test = owner;
	if (error == -ETIMEDOUT) {
		assert_null(data);
		test->n_late++;
	} else {
		assert_ptr_equal(data, owner);
		test->n_done++;
	}
}

static void free_data(void *data)
{
	struct test *test = data;
	atomic_fetch_add(&test->n_freed, 1);
}

static const struct task_impl impl = {.run = run, .done = handle_done, .free = free_data};

static struct task *start(struct test *test, struct task_quota *quota, int64_t timeout)
{
	return task_start(test->tasks, quota, &impl, test, test, timeout);
}

static void open_gate(struct test *test)
{
	eventfd_write(test->gate, 1);
}

static void await_freed(struct test *test, int n)
{
	while (atomic_load(&test->n_freed) < n) {
		wl_event_loop_dispatch(test->loop, 100);
	}
}

/* Waits until `n` calls hang. */
static void await_begun(struct test *test, int n)
{
	while (atomic_load(&test->n_begun) < n) {
		usleep(1000);
	}
}

static int setup(void **state)
{
	static struct test test;
	test = (struct test){
		.loop = wl_event_loop_create(),
		.clock = clock_create_test(1000),
		.gate = eventfd(0, EFD_CLOEXEC),
	};
	test.tasks = tasks_create(test.loop, test.clock);
	*state = &test;
	return 0;
}

static int teardown(void **state)
{
	struct test *test = *state;
	tasks_destroy(test->tasks);
	assert_false(clock_advance_to_next(test->clock)); /* no timer is left */
	clock_destroy(test->clock);
	wl_event_loop_destroy(test->loop);
	close(test->gate);
	return 0;
}

static void task_completes_on_the_loop(void **state)
{
	struct test *test = *state;
	open_gate(test);
	start(test, NULL, 100 * MS);
	assert_int_equal(tasks_n_pending(test->tasks), 1);
	await_freed(test, 1);
	assert_int_equal(test->n_done, 1);
	assert_int_equal(tasks_n_pending(test->tasks), 0);
}

static void deadline_passes_while_the_call_hangs(void **state)
{
	struct test *test = *state;
	struct task_quota *quota = task_quota_create();
	start(test, quota, 100 * MS);
	clock_advance(test->clock, 99 * MS);
	assert_int_equal(test->n_late, 0);
	clock_advance(test->clock, 2 * MS);
	assert_int_equal(test->n_late, 1);
	assert_int_equal(tasks_n_pending(test->tasks), 0);
	assert_int_equal(atomic_load(&test->n_freed), 0);
	/*
	 * A late task counts against the quota until it returns; its owner gets no second callback.
	 */
	for (int i = 1; i < TASK_QUOTA_MAX; i++) {
		assert_true(task_quota_has_room(quota));
		start(test, quota, 0);
	}
	assert_false(task_quota_has_room(quota));
	open_gate(test);
	await_freed(test, TASK_QUOTA_MAX);
	assert_true(task_quota_has_room(quota));
	assert_int_equal(test->n_done, TASK_QUOTA_MAX - 1);
	assert_int_equal(test->n_late, 1);
	task_quota_release(quota);
}

static void abandoned_task_is_freed_without_a_callback(void **state)
{
	struct test *test = *state;
	struct task_quota *quota = task_quota_create();
	task_abandon(start(test, quota, 100 * MS));
	task_abandon(NULL);
	task_quota_release(quota);
	assert_int_equal(tasks_n_pending(test->tasks), 0);
	clock_advance(test->clock, 200 * MS);
	open_gate(test);
	await_freed(test, 1);
	assert_int_equal(test->n_done + test->n_late, 0);
	assert_int_equal(atomic_load(&test->n_run), 1);
}

static void threads_are_bounded(void **state)
{
	struct test *test = *state;
	for (int i = 0; i < TASK_THREADS_MAX + 5; i++) {
		start(test, NULL, i < TASK_THREADS_MAX ? 0 : 100 * MS);
	}
	/* Deadlines also pass for tasks that wait for a thread; the tasks still run later. */
	clock_advance(test->clock, 101 * MS);
	assert_int_equal(test->n_late, 5);
	open_gate(test);
	await_freed(test, TASK_THREADS_MAX + 5);
	assert_int_equal(test->n_done, TASK_THREADS_MAX);
	assert_int_equal(atomic_load(&test->n_run), TASK_THREADS_MAX + 5);
}

static void run_at_once(void *data)
{
	struct test *test = data;
	atomic_fetch_add(&test->n_run, 1);
}

static const struct task_impl quick_impl = {
	.run = run_at_once,
	.done = handle_done,
	.free = free_data,
};

/* Threads that run no tasks: the main thread, and one of the thread sanitizer. */
#ifdef __SANITIZE_THREAD__
#define OTHER_THREADS 2
#else
#define OTHER_THREADS 1
#endif

static int count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	int n = -2; /* "." and ".." */
	assert_non_null(dir);
	while (readdir(dir)) {
		n++;
	}
	closedir(dir);
	return n;
}

/* Four quotas of eight calls hang: another one's task runs all the same, within its deadline. */
static void stuck_threads_are_replaced(void **state)
{
	struct test *test = *state;
	for (int i = 0; i < TASK_THREADS_MAX; i++) {
		task_abandon(start(test, NULL, 0));
	}
	await_begun(test, TASK_THREADS_MAX);
	task_start(test->tasks, NULL, &quick_impl, test, test, 1000 * MS);
	clock_advance(test->clock, 150 * MS);
	assert_int_equal(test->n_done, 0);
	clock_advance(test->clock, 150 * MS);
	await_freed(test, 1);
	assert_int_equal(test->n_done, 1);
	open_gate(test);
	await_freed(test, TASK_THREADS_MAX + 1);
}

static void replacements_are_bounded(void **state)
{
	struct test *test = *state;
	int n = TASK_THREADS_MAX + TASK_STUCK_MAX + 20;
	while (count_threads() > OTHER_THREADS) {
		usleep(1000); /* threads of the previous test end */
	}
	for (int i = 0; i < n; i++) {
		task_abandon(start(test, NULL, 0));
	}
	await_begun(test, TASK_THREADS_MAX);
	/*
	 * Each step is an attempt to create threads; the last one is the one that fills the limit.
	 */
	while (clock_advance_to_next(test->clock)) {
		await_begun(test, count_threads() - OTHER_THREADS);
	}
	assert_int_equal(count_threads() - OTHER_THREADS, TASK_THREADS_MAX + TASK_STUCK_MAX);
	open_gate(test);
	await_freed(test, n);
	assert_int_equal(atomic_load(&test->n_run), n);
}

static void task_outlives_its_loop(void **state)
{
	struct test *test = *state;
	start(test, NULL, 100 * MS);
	tasks_destroy(test->tasks);
	test->tasks = NULL;
	open_gate(test);
	while (atomic_load(&test->n_freed) == 0) {
		usleep(1000);
	}
	assert_int_equal(test->n_done + test->n_late, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(task_completes_on_the_loop),
		TEST(deadline_passes_while_the_call_hangs),
		TEST(abandoned_task_is_freed_without_a_callback),
		TEST(threads_are_bounded),
		TEST(stuck_threads_are_replaced),
		TEST(replacements_are_bounded),
		TEST(task_outlives_its_loop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
