/* SPDX-License-Identifier: MIT */
/* X displays: lock files and sockets beside those of other X servers, in a folder of the test. */

#include "xwayland/display.h"
#include "harness/unit.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct place {
	char folder[32];
	char path[96]; /* of the last path_of() */
	struct x_display *display;
};

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));
	strcpy(place->folder, "/tmp/causeway-display-XXXXXX");
	assert_non_null(mkdtemp(place->folder));
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;
	char command[64];
	x_display_close(place->display);
	snprintf(command, sizeof(command), "rm -rf %s", place->folder);
	assert_int_equal(system(command), 0);
	free(place);
	return 0;
}

static const char *path_of(struct place *place, const char *name)
{
	snprintf(place->path, sizeof(place->path), "%s/%s", place->folder, name);
	return place->path;
}

static void write_file(struct place *place, const char *name, const char *text)
{
	FILE *file = fopen(path_of(place, name), "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void write_lock(struct place *place, const char *name, pid_t pid)
{
	char text[16];
	snprintf(text, sizeof(text), "%10d\n", (int)pid);
	write_file(place, name, text);
}

static void open_display(struct place *place, bool abstract)
{
	char *error = NULL;
	place->display = x_display_open(place->folder, abstract, &error);
	if (!place->display) {
		fail_msg("%s", error);
	}
}

/* Returns a pid that no process has. */
static pid_t find_dead(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* Returns a connected socket, or -1 with errno. */
static int connect_to(const char *path, bool abstract)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);
	memcpy(address.sun_path + abstract, path, length);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + abstract + length);
	if (connect(fd, (struct sockaddr *)&address, abstract ? size : sizeof(address)) < 0) {
		int error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

static void the_first_free_display_is_locked_with_our_pid(void **state)
{
	struct place *place = *state;
	struct stat status;
	char text[16] = "", expected[16];
	open_display(place, false);
	assert_int_equal(place->display->number, 0);
	FILE *file = fopen(path_of(place, ".X0-lock"), "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	snprintf(expected, sizeof(expected), "%10d\n", (int)getpid());
	assert_string_equal(text, expected);
	assert_int_equal(stat(path_of(place, ".X11-unix"), &status), 0);
	assert_int_equal(status.st_mode & 07777, 01777);
	assert_int_equal(stat(path_of(place, ".X11-unix/X0"), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
}

static void displays_of_living_servers_are_left_alone(void **state)
{
	struct place *place = *state;
	write_lock(place, ".X0-lock", getppid());
	write_lock(place, ".X1-lock", 1);
	open_display(place, false);
	assert_int_equal(place->display->number, 2);
	assert_int_equal(access(path_of(place, ".X0-lock"), F_OK), 0);
}

static void files_of_dead_servers_are_replaced(void **state)
{
	struct place *place = *state;
	write_lock(place, ".X0-lock", find_dead());
	assert_int_equal(mkdir(path_of(place, ".X11-unix"), 0777), 0);
	assert_int_equal(chmod(place->path, 01777), 0);
	write_file(place, ".X11-unix/X0", "");
	open_display(place, false);
	assert_int_equal(place->display->number, 0);
	int fd = connect_to(path_of(place, ".X11-unix/X0"), false);
	assert_true(fd >= 0);
	close(fd);
}

static void malformed_locks_are_replaced(void **state)
{
	static const char *const texts[] = {"", "nonsense\n", "        -1\n", "         0\n"};
	struct place *place = *state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		write_file(place, ".X0-lock", texts[i]);
		open_display(place, false);
		assert_int_equal(place->display->number, 0);
		x_display_close(place->display);
		place->display = NULL;
	}
}

static void lock_that_another_session_replaces_is_left_alone(void **state)
{
	struct place *place = *state;
	write_lock(place, ".X0-lock", find_dead());
	int other = open(place->path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(other, LOCK_EX), 0);
	open_display(place, false);
	assert_int_equal(place->display->number, 1);
	assert_int_equal(access(path_of(place, ".X0-lock"), F_OK), 0);
	close(other);
}

/* A session of the test: opens a display once `go` ends, and has it until `stay` ends. */
static void play_session(const struct place *place, int go, int stay, int report)
{
	char *error = NULL, byte;
	const bool started = read(go, &byte, 1) == 0;
	struct x_display *display = x_display_open(place->folder, false, &error);
	const int number = display ? display->number : -1;
	const bool reported = write(report, &number, sizeof(number)) == sizeof(number);
	_exit(!started || !reported || read(stay, &byte, 1) != 0);
}

static void start_together(struct place *place, int numbers[2])
{
	int go[2], stay[2], report[2], status;
	pid_t pids[2];
	assert_true(pipe(go) == 0 && pipe(stay) == 0 && pipe(report) == 0);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			close(go[1]);
			close(stay[1]);
			play_session(place, go[0], stay[0], report[1]);
		}
	}
	close(go[1]);
	close(report[1]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(read(report[0], &numbers[i], sizeof(int)), (int)sizeof(int));
	}
	close(stay[1]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	close(go[0]);
	close(stay[0]);
	close(report[0]);
}

static void sessions_that_find_a_stale_lock_together_have_two_displays(void **state)
{
	struct place *place = *state;
	for (int round = 0; round < 100; round++) {
		int numbers[2];
		write_lock(place, ".X0-lock", find_dead());
		start_together(place, numbers);
		assert_true(numbers[0] >= 0 && numbers[1] >= 0);
		assert_int_not_equal(numbers[0], numbers[1]);
		unlink(path_of(place, ".X1-lock"));
	}
}

/* Reading it would wait for a writer. */
static void a_fifo_as_lock_does_not_block(void **state)
{
	struct place *place = *state;
	assert_int_equal(mkfifo(path_of(place, ".X0-lock"), 0600), 0);
	open_display(place, false);
	assert_true(place->display->number >= 0);
}

static void two_displays_have_two_numbers(void **state)
{
	struct place *place = *state;
	char *error = NULL;
	open_display(place, false);
	struct x_display *second = x_display_open(place->folder, false, &error);
	assert_non_null(second);
	assert_int_equal(second->number, 1);
	x_display_close(second);
}

static void closing_removes_the_files(void **state)
{
	struct place *place = *state;
	open_display(place, true);
	x_display_close(place->display);
	place->display = NULL;
	assert_int_equal(access(path_of(place, ".X0-lock"), F_OK), -1);
	assert_int_equal(access(path_of(place, ".X11-unix/X0"), F_OK), -1);
}

static void closing_leaves_the_files_of_a_server_that_replaced_them(void **state)
{
	struct place *place = *state;
	open_display(place, false);
	unlink(path_of(place, ".X0-lock"));
	write_lock(place, ".X0-lock", getppid());
	x_display_close(place->display);
	place->display = NULL;
	assert_int_equal(access(path_of(place, ".X0-lock"), F_OK), 0);
	assert_int_equal(access(path_of(place, ".X11-unix/X0"), F_OK), 0);
}

static void the_abstract_socket_exists_only_on_request(void **state)
{
	struct place *place = *state;
	for (int i = 0; i < 2; i++) {
		open_display(place, i == 1);
		int fd = connect_to(path_of(place, ".X11-unix/X0"), true);
		assert_int_equal(fd >= 0, i == 1);
		if (fd >= 0) {
			close(fd);
		}
		x_display_close(place->display);
		place->display = NULL;
	}
}

/* libxcb would connect to it and send the cookie. */
static void a_foreign_abstract_socket_makes_a_display_unusable(void **state)
{
	struct place *place = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path_of(place, ".X11-unix/X0"));
	memcpy(address.sun_path + 1, place->path, length);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address,
				 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)),
		0);
	open_display(place, false);
	assert_int_equal(place->display->number, 1);
	assert_int_equal(access(path_of(place, ".X0-lock"), F_OK), -1);
	close(fd);
}

static void expect_error(const struct place *place, const char *part)
{
	char *error = NULL;
	assert_null(x_display_open(place->folder, false, &error));
	assert_non_null(error);
	if (!strstr(error, part)) {
		fail_msg("'%s' lacks '%s'", error, part);
	}
	free(error);
}

static void an_unsafe_folder_is_refused_with_its_fault(void **state)
{
	struct place *place = *state;
	write_file(place, ".X11-unix", "");
	expect_error(place, "not a folder");
	assert_int_equal(unlink(place->path), 0);
	assert_int_equal(symlink("/tmp", path_of(place, ".X11-unix")), 0);
	expect_error(place, "not a folder");
	assert_int_equal(unlink(place->path), 0);
	assert_int_equal(mkdir(place->path, 0777), 0);
	assert_int_equal(chmod(place->path, 0777), 0);
	expect_error(place, "1777");
	if (geteuid() == 0) {
		assert_int_equal(chmod(place->path, 01777), 0);
		assert_int_equal(chown(place->path, 12345, 0), 0);
		expect_error(place, "another user");
	}
}

static void refused_connections_are_closed(void **state)
{
	struct place *place = *state;
	char byte;
	open_display(place, false);
	int fd = connect_to(path_of(place, ".X11-unix/X0"), false);
	assert_true(fd >= 0);
	x_display_refuse(place->display);
	assert_int_equal(read(fd, &byte, 1), 0);
	close(fd);
}

/* Xwayland has the same socket, and may make it blocking. */
static void refusing_returns_although_the_socket_blocks(void **state)
{
	struct place *place = *state;
	char byte;
	open_display(place, false);
	assert_int_equal(fcntl(place->display->fds[0], F_SETFL, 0), 0);
	int fd = connect_to(path_of(place, ".X11-unix/X0"), false);
	assert_true(fd >= 0);
	x_display_refuse(place->display);
	assert_int_equal(read(fd, &byte, 1), 0);
	close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(the_first_free_display_is_locked_with_our_pid),
		TEST(displays_of_living_servers_are_left_alone),
		TEST(files_of_dead_servers_are_replaced),
		TEST(malformed_locks_are_replaced),
		TEST(lock_that_another_session_replaces_is_left_alone),
		TEST(sessions_that_find_a_stale_lock_together_have_two_displays),
		TEST(a_fifo_as_lock_does_not_block),
		TEST(two_displays_have_two_numbers),
		TEST(closing_removes_the_files),
		TEST(closing_leaves_the_files_of_a_server_that_replaced_them),
		TEST(the_abstract_socket_exists_only_on_request),
		TEST(a_foreign_abstract_socket_makes_a_display_unusable),
		TEST(an_unsafe_folder_is_refused_with_its_fault),
		TEST(refused_connections_are_closed),
		TEST(refusing_returns_although_the_socket_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
