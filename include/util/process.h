#pragma once

/**
 * A process and its ancestors as they were at one moment, read from /proc without races: a process
 * that ended meanwhile, and another one that got its number, are not taken for each other.
 */

#include <stdint.h>
#include <sys/types.h>

struct process {
	pid_t pid;
	/** Clock ticks from boot to its start; with the pid, it names the process for ever. */
	uint64_t start;
	/** NULL what cannot be read: programs of other users, or those that forbid it. */
	char *exe; /* path of the executable */
	char *cmdline; /* arguments, separated by spaces */
	char *unit; /* innermost systemd unit: "app-foo-1234.scope" */
	char *wish; /* the GPU that its starter asked for: CAUSEWAY_GPU in its first environment */
	/**
	 * The id of the desktop file that it was started by, as launchers that use GLib say it in its
	 * environment; whoever knows better may replace it.
	 */
	char *desktop_id;
	struct process *parent; /* owned; NULL: none that is worth knowing */
};

/**
 * The process and its ancestors, up to but without `stop` and the first process of the system. NULL
 * if it has ended.
 */
struct process *process_read(pid_t pid, pid_t stop);
/**
 * Whoever connected this socket (or made it, as one of a pair), by SO_PEERPIDFD where the kernel has
 * it. NULL if it has ended or is in another namespace.
 */
struct process *process_read_peer(int socket_fd, pid_t stop);
/** Its ancestors too. NULL is legal. */
void process_destroy(struct process *process);
/** 0 if there is no such process. */
uint64_t process_start_time(pid_t pid);
