/* SPDX-License-Identifier: MIT */
/* Systemd scopes of programs: names of units, and programs that wait until they are in theirs. */

#include "apps/scope.h"
#include "util/process_text.h"
#include "util/random_name.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/** Most characters of an id: a unit's name has 255 at most, and a character becomes four. */
#define ID_MAX 48
/** Digits of the random number. */
#define RANDOM_DIGITS 8
#define WAIT_STEPS 500
#define STEP_NS 1000000
#define CGROUP_SIZE 8192

enum { EXIT_USAGE = 2, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

bool scope_manager_runs(void)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	char *path = xasprintf("%s/systemd/private", folder ? folder : "");
	const bool runs = folder && access(path, F_OK) == 0;
	free(path);
	return runs;
}

/* A dash separates the parts of a unit's name, and other characters are not allowed in it. */
static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == ':';
}

char *scope_name(const char *id)
{
	char random[RANDOM_NAME_SIZE], escaped[4 * ID_MAX + 1], *to = escaped;
	for (int i = 0; id[i] && i < ID_MAX; i++) {
		if (is_plain(id[i])) {
			*to++ = id[i];
		} else {
			to += sprintf(to, "\\x%02x", (unsigned char)id[i]);
		}
	}
	*to = '\0';
	random_name(random);
	return xasprintf("app-causeway-%s-%.*s.scope", escaped, RANDOM_DIGITS, random);
}

static bool is_in(const char *unit)
{
	char text[CGROUP_SIZE];
	const int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	const ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0) {
		close(fd);
	}
	if (length < 0) {
		return false;
	}
	text[length] = '\0';
	char *found = process_text_unit(text);
	const bool same = found && strcmp(found, unit) == 0;
	free(found);
	return same;
}

bool scope_wait(const char *unit)
{
	const struct timespec step = {.tv_nsec = STEP_NS};
	for (int i = 0; !is_in(unit); i++) {
		if (i == WAIT_STEPS) {
			return false;
		}
		nanosleep(&step, NULL);
	}
	return true;
}

int scope_hold(int argc, char **argv)
{
	int fd, name;
	if (argc < 3 || sscanf(argv[1], SCOPE_HOLD_ARGUMENT "%d,%n", &fd, &name) != 1) {
		return EXIT_USAGE;
	}
	char answer = 0;
	ssize_t n;
	do {
		n = read(fd, &answer, 1);
	} while (n < 0 && errno == EINTR);
	close(fd);
	if (n == 1 && answer == SCOPE_REQUESTED) {
		scope_wait(argv[1] + name);
	}
	execvp(argv[2], argv + 2);
	const int code = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	fprintf(stderr, "causeway: %s: %s\n", argv[2], strerror(errno));
	return code;
}
