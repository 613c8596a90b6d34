#pragma once

/**
 * A process and its ancestors as they were at one moment, read from /proc without races: a process
 * that ended meanwhile, and another one that got its number, are not taken for each other.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** What is read: each costs the kernel some work, ten microseconds and more. */
enum process_fact {
	PROCESS_EXE = 1 << 0,
	PROCESS_CMDLINE = 1 << 1,
	PROCESS_UNIT = 1 << 2,
	PROCESS_ENVIRONMENT = 1 << 3, /* wish and desktop_id */
	PROCESS_ANCESTORS = 1 << 4, /* the same of them */
	PROCESS_ALL = (1 << 5) - 1,
	/**
	 * Facts that the kernel reads from the memory of the process: for ever, if that is a mapping of a file
	 * whose file system does not answer. Read them on threads.
	 */
	PROCESS_BLOCKING = PROCESS_CMDLINE | PROCESS_ENVIRONMENT,
};

struct process {
	pid_t pid;
	/** Clock ticks from boot to its start; with the pid, it names the process for ever. */
	uint64_t start;
	/** NULL what was not asked for or cannot be read: programs of other users, or those that forbid it. */
	char *exe; /* path of the executable */
	char *cmdline; /* arguments, separated by spaces */
	char *unit; /* innermost systemd unit: "app-foo-1234.scope" */
	char *wish; /* the GPU that its starter asked for: CAUSEWAY_GPU in its first environment */
	/**
	 * The id of the desktop file that it was started by, as launchers that use GLib say it in its
	 * environment; whoever knows better may replace it.
	 */
	char *desktop_id;
	struct process *parent; /* owned; NULL: none that is worth knowing, or not asked for */
};

/**
 * The process and its ancestors, up to but without `stop` and the first process of the system; `facts` of enum
 * process_fact. NULL if it has ended.
 */
struct process *process_read(pid_t pid, pid_t stop, unsigned facts);
/**
 * Whoever connected this socket (or made it, as one of a pair), by SO_PEERPIDFD where the kernel has
 * it. NULL if it has ended or is in another namespace.
 */
struct process *process_read_peer(int socket_fd, pid_t stop, unsigned facts);
/** The process at the other end of a socket. */
struct process_peer {
	pid_t pid;
	int pidfd; /* -1: the kernel has none to give, see process_peers_are_pinned() */
};

/** Gets the peer of a socket, to be closed by process_peer_close(). Returns false if it has ended. */
bool process_peer_open(int socket_fd, struct process_peer *peer);
/**
 * Reads the peer and its ancestors as process_read() does. Returns NULL if it has ended. Without a pidfd, the caller
 * makes sure that the socket is still connected.
 */
struct process *process_peer_read(const struct process_peer *peer, pid_t stop, unsigned facts);
void process_peer_close(struct process_peer *peer);
/**
 * Whether process_read_peer() can still tell a peer from another process that has got its number, however late
 * it is called: SO_PEERPIDFD, since Linux 6.5. Else it is to be called as soon as there is a connection. True
 * for one that lives means that it is so for all, this kernel being what it is.
 */
bool process_peers_are_pinned(int socket_fd);
/** Its ancestors too. NULL is legal. */
void process_destroy(struct process *process);
/** 0 if there is no such process. */
uint64_t process_start_time(pid_t pid);
