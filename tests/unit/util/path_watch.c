/* SPDX-License-Identifier: MIT */
/* Path watches: reports when a file appears at a path whose folders may be missing. */

#include "util/path_watch.h"
#include "harness/unit.h"
#include "util/xalloc.h"
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct path_world {
	char folder[64], path[128];
	struct wl_event_loop *loop;
	struct path_watch *watch;
	int n_changed;
};

static void handle_changed(void *data)
{
	((struct path_world *)data)->n_changed++;
}

static const char *in(struct path_world *world, const char *name)
{
	snprintf(world->path, sizeof(world->path), "%s/%s", world->folder, name);
	return world->path;
}

static int set_up(void **state)
{
	struct path_world *world = xcalloc(1, sizeof(*world));
	strcpy(world->folder, "/tmp/causeway-watch-XXXXXX");
	assert_non_null(mkdtemp(world->folder));
	world->loop = wl_event_loop_create();
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct path_world *world = *state;
	path_watch_destroy(world->watch);
	wl_event_loop_destroy(world->loop);
	char *command = xasprintf("rm -r %s", world->folder);
	assert_int_equal(system(command), 0);
	free(command);
	free(world);
	return 0;
}

/* Dispatches until the loop is idle; returns how often the handler was called. */
static int drain(struct path_world *world)
{
	struct pollfd fd = {.fd = wl_event_loop_get_fd(world->loop), .events = POLLIN};
	world->n_changed = 0;
	while (poll(&fd, 1, 0) > 0) {
		wl_event_loop_dispatch(world->loop, 0);
	}
	return world->n_changed;
}

static void watch(struct path_world *world, const char *name)
{
	world->watch = path_watch_create(world->loop, in(world, name), handle_changed, world);
	assert_non_null(world->watch);
	assert_int_equal(drain(world), 0);
}

static void make(struct path_world *world, const char *name)
{
	int fd = open(in(world, name), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static void move(struct path_world *world, const char *from, const char *to)
{
	char old[128];
	strcpy(old, in(world, from));
	assert_int_equal(rename(old, in(world, to)), 0);
}

static void file_is_reported_when_it_appears(void **state)
{
	struct path_world *world = *state;
	watch(world, "bus");
	make(world, "bu");
	make(world, "bus2");
	assert_int_equal(mkdir(in(world, "other"), 0700), 0);
	assert_int_equal(drain(world), 0);
	make(world, "bus");
	assert_int_equal(drain(world), 1);
	assert_int_equal(chmod(in(world, "bus"), 0666), 0);
	assert_int_equal(drain(world), 1);
	/* After the file is removed, a new file at the path is reported. */
	assert_int_equal(unlink(in(world, "bus")), 0);
	drain(world);
	assert_int_equal(drain(world), 0);
	move(world, "bus2", "bus");
	assert_int_equal(drain(world), 1);
}

/* Folders are created one by one, renamed into place with their content, and removed. */
static void missing_folders_are_followed(void **state)
{
	struct path_world *world = *state;
	watch(world, "run/dbus/bus");
	make(world, "bus");
	make(world, "dbus");
	assert_int_equal(drain(world), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(mkdir(in(world, "run"), 0700), 0);
		drain(world);
		make(world, "run/bus");
		assert_int_equal(drain(world), 0);
		assert_int_equal(mkdir(in(world, "run/dbus"), 0700), 0);
		make(world, "run/dbus/bus");
		assert_true(drain(world) > 0);
		assert_int_equal(chmod(in(world, "run/dbus/bus"), 0666), 0);
		assert_int_equal(drain(world), 1);
		/* Changes in the parent folder are ignored while the path exists. */
		make(world, "run/other");
		assert_int_equal(drain(world), 0);
		assert_int_equal(unlink(in(world, "run/dbus/bus")), 0);
		assert_int_equal(rmdir(in(world, "run/dbus")), 0);
		assert_true(drain(world) > 0);
		/* A folder renamed into place with its content. */
		assert_int_equal(mkdir(in(world, "new"), 0700), 0);
		make(world, "new/bus");
		assert_int_equal(drain(world), 0);
		move(world, "new", "run/dbus");
		assert_true(drain(world) > 0);
		assert_int_equal(chmod(in(world, "run/dbus/bus"), 0666), 0);
		assert_int_equal(drain(world), 1);
		char gone[16];
		snprintf(gone, sizeof(gone), "gone-%d", i);
		move(world, "run/dbus", gone);
		assert_true(drain(world) > 0);
		assert_int_equal(unlink(in(world, "run/bus")), 0);
		assert_int_equal(unlink(in(world, "run/other")), 0);
		assert_int_equal(rmdir(in(world, "run")), 0);
		assert_true(drain(world) > 0);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(file_is_reported_when_it_appears),
		TEST(missing_folders_are_followed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
