/* SPDX-License-Identifier: MIT */
/* Programs of one Wine prefix, found among real processes. */

#include "xwayland/wine.h"
#include "harness/unit.h"
#include "util/process.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAMS_MAX 24
#define PEERS_MAX 16

struct place {
	char folder[64];
	pid_t pids[PROGRAMS_MAX];
	int n;
};

static int enter_place(void **state)
{
	static struct place place;
	char command[256];
	place = (struct place){.folder = "/tmp/causeway-wine-XXXXXX"};
	assert_non_null(mkdtemp(place.folder));
	snprintf(command, sizeof(command),
		"for name in wine64 wine-preloader notwine; do cp /bin/sleep %s/$name; done",
		place.folder);
	assert_int_equal(system(command), 0);
	setenv("HOME", place.folder, true);
	*state = &place;
	return 0;
}

static int leave_place(void **state)
{
	struct place *place = *state;
	char command[128];
	for (int i = 0; i < place->n; i++) {
		kill(place->pids[i], SIGKILL);
		waitpid(place->pids[i], NULL, 0);
	}
	snprintf(command, sizeof(command), "rm -rf %s", place->folder);
	assert_int_equal(system(command), 0);
	return 0;
}

/** Starts a program with a prefix in the folder; NULL: with the default one. */
static pid_t start(struct place *place, const char *name, const char *prefix)
{
	char path[128], variable[160];
	int fds[2];
	snprintf(path, sizeof(path), "%s/%s", place->folder, name);
	snprintf(variable, sizeof(variable), "WINEPREFIX=%s/%s", place->folder, prefix);
	assert_int_equal(pipe(fds), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		close(fds[0]);
		fcntl(fds[1], F_SETFD, FD_CLOEXEC);
		execle(path, "C:\\game.exe", "1000", NULL,
			(char *[]){prefix ? variable : NULL, NULL});
		_exit(1);
	}
	assert_true(pid > 0);
	close(fds[1]);
	char byte;
	assert_int_equal(read(fds[0], &byte, 1), 0); /* it runs the program */
	close(fds[0]);
	place->pids[place->n++] = pid;
	return pid;
}

/** Checks the peers of a program of the prefix, in order. */
static void check_peers(
	struct place *place, pid_t pid, const char *prefix, const pid_t *peers, int n)
{
	char path[128], exe[128];
	struct process process = {.pid = pid, .exe = exe, .wine_prefix = prefix ? path : NULL};
	snprintf(path, sizeof(path), "%s/%s", place->folder, prefix);
	snprintf(exe, sizeof(exe), "/usr/lib/wine/wine64");
	x_wine_read_peers(
		&process, PROCESS_EXE | PROCESS_CMDLINE | PROCESS_ENVIRONMENT | PROCESS_ANCESTORS);
	const struct process *peer = process.peer;
	for (int i = 0; i < n; i++, peer = peer->peer) {
		assert_non_null(peer);
		assert_int_equal(peer->pid, peers[i]);
		assert_string_equal(peer->cmdline, "C:\\game.exe 1000");
	}
	assert_null(peer);
	process_destroy(process.peer);
}

static void peers_have_the_prefix(void **state)
{
	struct place *place = *state;
	pid_t a = start(place, "wine64", "one"), b = start(place, "wine-preloader", "one/");
	pid_t other = start(place, "wine64", "two"), plain = start(place, "wine64", NULL);
	start(place, "notwine", "one");
	pid_t c = start(place, "wine64", ".wine");
	check_peers(place, 1, "one", (pid_t[]){a, b}, 2);
	check_peers(place, 1, "one//", (pid_t[]){a, b}, 2);
	check_peers(place, a, "one", (pid_t[]){b}, 1);
	check_peers(place, 1, "two", (pid_t[]){other}, 1);
	check_peers(place, 1, NULL, (pid_t[]){plain, c}, 2);
	check_peers(place, 1, "three", NULL, 0);
}

static void oldest_peers_are_read(void **state)
{
	struct place *place = *state;
	for (int i = 0; i < PROGRAMS_MAX; i++) {
		start(place, "wine64", "one");
		check_peers(
			place, 1, "one", place->pids, place->n < PEERS_MAX ? place->n : PEERS_MAX);
	}
}

static void other_programs_have_no_peers(void **state)
{
	struct place *place = *state;
	char path[128];
	struct process process = {.pid = 1, .exe = path, .wine_prefix = place->folder};
	start(place, "wine64", "");
	snprintf(path, sizeof(path), "%s/notwine", place->folder);
	x_wine_read_peers(&process, PROCESS_EXE);
	assert_null(process.peer);
	assert_null(x_wine_prefix(&process));
	process.exe = NULL;
	assert_null(x_wine_prefix(&process));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(peers_have_the_prefix, enter_place, leave_place),
		cmocka_unit_test_setup_teardown(oldest_peers_are_read, enter_place, leave_place),
		cmocka_unit_test_setup_teardown(
			other_programs_have_no_peers, enter_place, leave_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
