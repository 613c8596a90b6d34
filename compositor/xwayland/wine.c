/* SPDX-License-Identifier: MIT */
/* Programs of one Wine prefix: Wine starts them apart from the program that needs them. */

#include "wine.h"
#include "util/process.h"
#include "util/xalloc.h"
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PEERS_MAX 16
/** Processes of the system that are visited. */
#define VISITS_MAX 32768

static bool is_wine(const struct process *process)
{
	const char *name = process->exe ? strrchr(process->exe, '/') : NULL;
	return name && strncmp(name + 1, "wine", 4) == 0;
}

char *x_wine_prefix(const struct process *process)
{
	const char *home = getenv("HOME");
	if (!is_wine(process)) {
		return NULL;
	}
	char *prefix = process->wine_prefix ? xstrdup(process->wine_prefix)
					    : xasprintf("%s/.wine", home ? home : "~");
	for (size_t n = strlen(prefix); n > 1 && prefix[n - 1] == '/'; n--) {
		prefix[n - 1] = '\0';
	}
	return prefix;
}

/** Returns the process with its ancestors, or NULL if it is no other program of the prefix. */
static struct process *read_peer(
	pid_t pid, const struct process *of, const char *prefix, unsigned facts)
{
	/* Most processes are not Wine's. */
	struct process *process = pid == of->pid ? NULL : process_read(pid, 0, PROCESS_EXE);
	const bool candidate = process && is_wine(process);
	process_destroy(process);
	process = candidate ? process_read(pid, getpid(), facts) : NULL;
	char *other = process ? x_wine_prefix(process) : NULL;
	if (!other || strcmp(other, prefix) != 0) {
		process_destroy(process);
		process = NULL;
	}
	free(other);
	return process;
}

/** Inserts a program by its age; drops the youngest if there are too many. */
static void insert(struct process *first, struct process *peer)
{
	struct process *at = first;
	while (at->peer && at->peer->start <= peer->start) {
		at = at->peer;
	}
	peer->peer = at->peer;
	at->peer = peer;
	at = first;
	for (int i = 0; at && i < PEERS_MAX; i++) {
		at = at->peer;
	}
	if (at) {
		process_destroy(at->peer);
		at->peer = NULL;
	}
}

void x_wine_read_peers(struct process *process, unsigned facts)
{
	char *prefix = x_wine_prefix(process);
	DIR *folder = prefix ? opendir("/proc") : NULL;
	const struct dirent *entry;
	for (int n = 0; folder && n < VISITS_MAX && (entry = readdir(folder)); n++) {
		const long pid = strtol(entry->d_name, NULL, 10);
		struct process *peer =
			pid > 1 ? read_peer((pid_t)pid, process, prefix, facts) : NULL;
		if (peer) {
			insert(process, peer);
		}
	}
	if (folder) {
		closedir(folder);
	}
	free(prefix);
}
