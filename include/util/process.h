/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * A process and its ancestors at one moment, read from /proc without races: a process that ended
 * during the read is not confused with another one that got its pid.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Facts to read; each costs ten microseconds and more. */
enum process_fact {
	PROCESS_EXE = 1 << 0,
	PROCESS_CMDLINE = 1 << 1,
	PROCESS_UNIT = 1 << 2,
	PROCESS_ENVIRONMENT = 1 << 3, /* wish, rule, desktop_id, wine_prefix, x_window */
	PROCESS_ANCESTORS = 1 << 4, /* the same facts of all ancestors */
	PROCESS_ALL = (1 << 5) - 1,
	/**
	 * Facts that the kernel reads from the memory of the process: this blocks for ever if that
	 * is a mapping of a file whose file system does not answer. Read them on threads.
	 */
	PROCESS_BLOCKING = PROCESS_CMDLINE | PROCESS_ENVIRONMENT,
};

struct process {
	pid_t pid;
	/** Clock ticks from boot to its start; with the pid, it identifies the process for ever. */
	uint64_t start;
	/** NULL if not requested or unreadable (processes of other users, or protected ones). */
	char *exe; /* path of the executable */
	char *cmdline; /* arguments, separated by spaces */
	char *unit; /* innermost systemd unit: "app-foo-1234.scope" */
	char *wish; /* the requested GPU: CAUSEWAY_GPU in its initial environment */
	char *rule; /* the rule that it was started with: CAUSEWAY_RULE */
	/**
	 * ID of the desktop file that started it, as launchers with GLib put it into the
	 * environment; may be replaced by a better source.
	 */
	char *desktop_id;
	char *wine_prefix; /* WINEPREFIX in its initial environment */
	char *x_window; /* XSCREENSAVER_WINDOW: the X window that it draws in */
	struct process *parent; /* owned; NULL: none of interest, or not requested */
	struct process *peer; /* owned: another program of the same group, if read by one */
};

/**
 * Reads the process and its ancestors, up to but without `stop` and process 1; `facts` of enum
 * process_fact. Returns NULL if the process has ended.
 */
struct process *process_read(pid_t pid, pid_t stop, unsigned facts);
/**
 * Reads the process that connected this socket (or created the pair), by SO_PEERPIDFD if the kernel
 * supports it. Returns NULL if it has ended or is in another namespace.
 */
struct process *process_read_peer(int socket_fd, pid_t stop, unsigned facts);
/** The process at the other end of a socket. */
struct process_peer {
	pid_t pid;
	int pidfd; /* -1: unsupported by the kernel, see process_peers_are_pinned() */
};

/** Gets the peer of a socket; close it with process_peer_close(). Returns false if it has ended. */
bool process_peer_open(int socket_fd, struct process_peer *peer);
/**
 * Like process_read(), for a peer. Returns NULL if it has ended. Without a pidfd, the caller makes
 * sure that the socket is still connected.
 */
struct process *process_peer_read(const struct process_peer *peer, pid_t stop, unsigned facts);
void process_peer_close(struct process_peer *peer);
/**
 * Returns whether process_read_peer() can tell a peer from another process that reused its pid,
 * however late it is called: SO_PEERPIDFD, since Linux 6.5. Otherwise, call it right after the
 * connection. The result for one live socket applies to all, since it depends on the kernel.
 */
bool process_peers_are_pinned(int socket_fd);
/** Destroys its ancestors, too. Accepts NULL. */
void process_destroy(struct process *process);
/** Returns 0 if there is no such process. */
uint64_t process_start_time(pid_t pid);
