/* Tests of tasks: deadlines, owners that go first, and bounds on what hangs. */

#include "util/task.h"
#include "unit.h"
#include "util/fd.h"
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
	atomic_int n_run, n_freed;
	int n_done, n_late;
};

static void run(void *data)
{
	struct test *test = data;
	struct pollfd poller = {.fd = test->gate, .events = POLLIN};
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

static void test_task_answers_on_the_loop(void **state)
{
	struct test *test = *state;
	open_gate(test);
	start(test, NULL, 100 * MS);
	assert_int_equal(tasks_n_pending(test->tasks), 1);
	await_freed(test, 1);
	assert_int_equal(test->n_done, 1);
	assert_int_equal(tasks_n_pending(test->tasks), 0);
}

static void test_deadline_passes_while_the_call_hangs(void **state)
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
	/* It counts until it returns, and its owner hears no more of it. */
	for (int i = 1; i < TASK_QUOTA_MOST; i++) {
		assert_true(task_quota_has_room(quota));
		start(test, quota, 0);
	}
	assert_false(task_quota_has_room(quota));
	open_gate(test);
	await_freed(test, TASK_QUOTA_MOST);
	assert_true(task_quota_has_room(quota));
	assert_int_equal(test->n_done, TASK_QUOTA_MOST - 1);
	assert_int_equal(test->n_late, 1);
	task_quota_release(quota);
}

static void test_owner_goes_first(void **state)
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

static void test_threads_are_bounded(void **state)
{
	struct test *test = *state;
	for (int i = 0; i < TASK_THREADS_MOST + 5; i++) {
		start(test, NULL, i < TASK_THREADS_MOST ? 0 : 100 * MS);
	}
	/* Those that wait for a thread have their deadlines all the same, and are run later. */
	clock_advance(test->clock, 101 * MS);
	assert_int_equal(test->n_late, 5);
	open_gate(test);
	await_freed(test, TASK_THREADS_MOST + 5);
	assert_int_equal(test->n_done, TASK_THREADS_MOST);
	assert_int_equal(atomic_load(&test->n_run), TASK_THREADS_MOST + 5);
}

static void test_loop_goes_first(void **state)
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
		TEST(test_task_answers_on_the_loop),
		TEST(test_deadline_passes_while_the_call_hangs),
		TEST(test_owner_goes_first),
		TEST(test_threads_are_bounded),
		TEST(test_loop_goes_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
