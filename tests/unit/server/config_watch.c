/* SPDX-License-Identifier: MIT */
/* Watches of configuration files: saves before the watch begins, and saves without an end. */

#include "server/config_watch.h"
#include "harness/unit.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/xalloc.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS INT64_C(1000000)

struct watch_world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct config_watch *watch;
	char folder[64], path[80];
	int n_changed;
};

static int n_instances;

int __real_inotify_init1(int flags);
int __wrap_inotify_init1(int flags);
int __wrap_inotify_init1(int flags)
{
	n_instances++;
	return __real_inotify_init1(flags);
}

static void count(void *data)
{
	struct watch_world *world = data;
	world->n_changed++;
}

static void save(const struct watch_world *world, const char *text)
{
	FILE *file = fopen(world->path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
	struct watch_world *world = xcalloc(1, sizeof(*world));
	snprintf(world->folder, sizeof(world->folder), "/tmp/causeway-watch-XXXXXX");
	assert_non_null(mkdtemp(world->folder));
	snprintf(world->path, sizeof(world->path), "%s/a.ini", world->folder);
	save(world, "one");
	world->loop = wl_event_loop_create();
	world->clock = clock_create_test(1000 * MS);
	world->watch = config_watch_create(world->loop, world->clock, count, world);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct watch_world *world = *state;
	config_watch_destroy(world->watch);
	clock_destroy(world->clock);
	wl_event_loop_destroy(world->loop);
	unlink(world->path);
	rmdir(world->folder);
	free(world);
	return 0;
}

/* Dispatches what inotify has, and moves the clock. */
static void pass(struct watch_world *world, int64_t time)
{
	wl_event_loop_dispatch(world->loop, 0);
	clock_advance(world->clock, time);
}

static void save_during_a_load_is_reported(void **state)
{
	struct watch_world *world = *state;
	char *stamp = file_stamp(world->path);
	char *const paths[] = {world->path, NULL}, *const stamps[] = {stamp, NULL};
	config_watch_set(world->watch, paths, stamps);
	pass(world, 500 * MS);
	assert_int_equal(world->n_changed, 0);
	/* The old watch reports this one to nobody. */
	save(world, "another");
	config_watch_set(world->watch, paths, stamps);
	pass(world, 500 * MS);
	assert_int_equal(world->n_changed, 1);
	free(stamp);
}

static void removed_and_created_files_have_other_stamps(void **state)
{
	struct watch_world *world = *state;
	char *before = file_stamp(world->path);
	unlink(world->path);
	char *missing = file_stamp(world->path);
	assert_string_equal(missing, "");
	char *const paths[] = {world->path, NULL}, *const stamps[] = {before, NULL};
	config_watch_set(world->watch, paths, stamps);
	pass(world, 500 * MS);
	assert_int_equal(world->n_changed, 1);
	free(before);
	free(missing);
}

static void endless_saves_are_reported_within_a_second(void **state)
{
	struct watch_world *world = *state;
	char *stamp = file_stamp(world->path);
	char *const paths[] = {world->path, NULL}, *const stamps[] = {stamp, NULL};
	config_watch_set(world->watch, paths, stamps);
	for (int i = 0; i < 31; i++) {
		save(world, "again");
		pass(world, 100 * MS);
	}
	assert_in_range(world->n_changed, 2, 3);
	pass(world, 500 * MS);
	int n = world->n_changed;
	pass(world, 5000 * MS);
	assert_int_equal(world->n_changed, n);
	free(stamp);
}

/* Closing an inotify instance takes many milliseconds, so that each reload would miss a frame. */
static void reloads_keep_the_inotify_instance_and_report_the_last_paths_alone(void **state)
{
	struct watch_world *world = *state;
	char *other = xasprintf("%s/other", world->folder);
	assert_int_equal(mkdir(other, 0700), 0);
	char *before = file_stamp(other);
	char *const folder[] = {other, NULL}, *const stamps_before[] = {before, NULL};
	n_instances = 0;
	for (int i = 0; i < 3; i++) {
		char *stamp = file_stamp(world->path);
		char *const paths[] = {world->path, world->path, NULL};
		char *const stamps[] = {stamp, stamp, NULL};
		config_watch_set(world->watch, paths, stamps);
		save(world, "seen");
		pass(world, 500 * MS);
		assert_int_equal(world->n_changed, i + 1);
		save(world, "not seen by the next watches");
		config_watch_set(world->watch, i == 1 ? NULL : folder, stamps_before);
		save(world, "nor this");
		pass(world, 500 * MS);
		pass(world, 500 * MS);
		assert_int_equal(world->n_changed, i + 1);
		free(stamp);
	}
	assert_int_equal(n_instances, 1);
	rmdir(other);
	free(other);
	free(before);
}

/* Runs a command in the folder above that of the file. */
static void shell(const struct watch_world *world, const char *command)
{
	char line[512];
	snprintf(line, sizeof(line), "cd %s && %s", world->folder, command);
	assert_int_equal(system(line), 0);
}

/*
 * Each way in which another file takes the place of the one that is watched is reported, and so is
 * the next edit. `first` are commands before the watch, in a folder of their own.
 */
static void files_that_are_replaced_are_reported(void **state)
{
	static const struct {
		const char *first, *then;
	} ways[] = {
		{"echo a > d/x.ini", "echo bb > d/x.ini"},
		{"echo a > d/x.ini", "echo bb > d/y && mv d/y d/x.ini"},
		{"echo a > d/x.ini; echo bb > t", "rm d/x.ini && ln -s ../t d/x.ini"},
		{"echo bb > t", "ln -s ../t d/x.ini"},
		{"echo a > d/x.ini; echo bb > t", "rm d/x.ini && ln t d/x.ini"},
		{"echo a > d/x.ini; mkdir e; echo bb > e/x.ini", "mv d f && mv e d"},
		{"echo a > d/x.ini", "mv d f && mkdir d && echo bb > d/x.ini"},
		{"echo a > d/x.ini", "rm -r d && mkdir d && echo bb > d/x.ini"},
		{"mv d e; echo a > e/x.ini; ln -s e d; mkdir f; echo bb > f/x.ini", "ln -sfn f d"},
		{"mv d e; echo a > e/x.ini; ln -s e d; mkdir f; echo bb > f/x.ini",
			"rm d && ln -s f d"},
		{"rmdir d", "mkdir d && echo bb > d/x.ini"},
		{"rmdir d; mkdir e; echo bb > e/x.ini", "mv e d"},
		{"rmdir d; mkdir e; echo bb > e/x.ini", "ln -s e d"},
	};
	struct watch_world *world = *state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		char path[128];
		shell(world, "mkdir way way/d");
		snprintf(world->folder + strlen(world->folder), 5, "/way");
		snprintf(path, sizeof(path), "%s/d/x.ini", world->folder);
		shell(world, ways[i].first);
		char *stamp = file_stamp(path);
		char *const paths[] = {path, NULL}, *const stamps[] = {stamp, NULL};
		config_watch_set(world->watch, paths, stamps);
		pass(world, 2000 * MS);
		assert_int_equal(world->n_changed, 0);
		shell(world, ways[i].then);
		pass(world, 1 * MS);
		pass(world, 2000 * MS);
		if (world->n_changed < 1) {
			fail_msg("not reported: %s", ways[i].then);
		}
		/* The files are read, and watched again. */
		free(stamp);
		stamp = file_stamp(path);
		config_watch_set(world->watch, paths, (char *const[]){stamp, NULL});
		shell(world, "echo ccc > d/x.ini");
		const int n = world->n_changed;
		pass(world, 1 * MS);
		pass(world, 2000 * MS);
		if (world->n_changed <= n) {
			fail_msg("not reported after this: %s", ways[i].then);
		}
		/* A file without content, or none in a new folder, is not read. */
		world->n_changed = 0;
		shell(world, "rm -rf d && mkdir d");
		pass(world, 1 * MS);
		pass(world, 2000 * MS);
		FILE *empty = fopen(path, "w");
		pass(world, 2000 * MS);
		assert_in_range(world->n_changed, 0, 1);
		fclose(empty);
		free(stamp);
		world->folder[strlen(world->folder) - strlen("/way")] = '\0';
		config_watch_set(world->watch, NULL, NULL);
		shell(world, "rm -r way");
		world->n_changed = 0;
	}
}

/* Programs save their own files in ~/.config and /tmp all the time. */
static void work_of_other_programs_above_the_folder_wakes_nobody(void **state)
{
	static const struct {
		const char *first, *place, *then;
	} cases[] = {
		{"mkdir -p c/d && echo a > c/d/x.ini", "c", "rm c/d/x.ini"},
		{"mkdir -p c/d && echo a > c/d/x.ini", ".", "rm -r c"},
		{"mkdir -p c", ".", "mkdir c/d"},
		{"mkdir -p c", ".", "mv c e && mkdir -p c/d"},
	};
	struct watch_world *world = *state;
	char path[128];
	snprintf(path, sizeof(path), "%s/c/d/x.ini", world->folder);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		shell(world, cases[i].first);
		char *stamp = file_stamp(path), work[256];
		config_watch_set(
			world->watch, (char *const[]){path, NULL}, (char *const[]){stamp, NULL});
		wl_event_loop_dispatch(world->loop, 0); /* of former watches */
		struct pollfd loop = {.fd = wl_event_loop_get_fd(world->loop), .events = POLLIN};
		snprintf(work, sizeof(work),
			"cd %s && echo b > o && mv o f && mkdir o && mv o g && rm f && rmdir g",
			cases[i].place);
		shell(world, work);
		assert_int_equal(poll(&loop, 1, 0), 0);
		shell(world, cases[i].then);
		assert_int_equal(poll(&loop, 1, 0), 1);
		wl_event_loop_dispatch(world->loop, 0);
		shell(world, "mkdir -p c/d && echo bbb > c/d/x.ini");
		world->n_changed = 0;
		pass(world, 1 * MS);
		pass(world, 2000 * MS);
		assert_int_equal(world->n_changed, 1);
		config_watch_set(world->watch, NULL, NULL);
		shell(world, "rm -rf c e");
		free(stamp);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(save_during_a_load_is_reported),
		TEST(removed_and_created_files_have_other_stamps),
		TEST(endless_saves_are_reported_within_a_second),
		TEST(reloads_keep_the_inotify_instance_and_report_the_last_paths_alone),
		TEST(files_that_are_replaced_are_reported),
		TEST(work_of_other_programs_above_the_folder_wakes_nobody),
	};
	return cmocka_run_group_tests_name("server/config_watch", tests, NULL, NULL);
}
