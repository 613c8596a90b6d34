/* SPDX-License-Identifier: MIT */
/* A FUSE server that speaks the kernel's protocol on /dev/fuse, for tests of calls that block. */

#include "harness/fuse.h"
#include "harness/fixture.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_NODE 2
#define FILE_SIZE 65536
/** ms without a request after which the test must be blocked. */
#define PATIENCE 20000
#define REQUEST_SIZE (FUSE_MIN_READ_BUFFER + 65536)

struct fuse {
	char directory[32];
	int fd;
	pthread_t thread;
	atomic_bool hangs;
	atomic_int n_unanswered;
	atomic_bool expired;
};

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0) {
		close(fd);
	}
	return done;
}

const char *fuse_prepare(void)
{
	char map[64];
	uid_t uid = getuid();
	gid_t gid = getgid();
	if (access("/dev/fuse", R_OK | W_OK) != 0) {
		return "/dev/fuse cannot be opened";
	}
	if (unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) < 0) {
		return "there are no mount namespaces for this user";
	}
	if (uid != 0) {
		write_text("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "%d %d 1", (int)uid, (int)uid);
		write_text("/proc/self/uid_map", map);
		snprintf(map, sizeof(map), "%d %d 1", (int)gid, (int)gid);
		write_text("/proc/self/gid_map", map);
	}
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
		return "mounts cannot be made private";
	}
	/* A trial mount shows if the kernel permits FUSE to this user. */
	char options[96];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%d,group_id=%d", fd,
		(int)uid, (int)gid);
	bool mounts = fd >= 0 && mount("test", "/mnt", "fuse", MS_NOSUID | MS_NODEV, options) == 0;
	if (mounts) {
		umount2("/mnt", MNT_DETACH);
	}
	if (fd >= 0) {
		close(fd);
	}
	return mounts ? NULL : "a FUSE file system cannot be mounted";
}

static void answer(struct fuse *fuse, uint64_t unique, int error, const void *data, size_t size)
{
	struct fuse_out_header header = {
		.len = (uint32_t)(sizeof(header) + size), .error = error, .unique = unique};
	struct iovec parts[] = {
		{.iov_base = &header, .iov_len = sizeof(header)},
		{.iov_base = (void *)data, .iov_len = size},
	};
	writev(fuse->fd, parts, size > 0 ? 2 : 1);
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node,
		.size = node == FILE_NODE ? FILE_SIZE : 0,
		.mode = node == FILE_NODE ? S_IFREG | 0600 : S_IFDIR | 0700,
		.nlink = 1,
		.uid = getuid(),
		.gid = getgid(),
		.blksize = 4096,
	};
}

static void answer_init(struct fuse *fuse, const struct fuse_in_header *in)
{
	const struct fuse_init_in *init = (const void *)(in + 1);
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = init->minor < FUSE_KERNEL_MINOR_VERSION ? init->minor
								 : FUSE_KERNEL_MINOR_VERSION,
		.max_write = 65536,
	};
	answer(fuse, in->unique, 0, &out, sizeof(out));
}

static void answer_read(struct fuse *fuse, const struct fuse_in_header *in)
{
	static const char zeros[FILE_SIZE];
	const struct fuse_read_in *read_in = (const void *)(in + 1);
	size_t left = read_in->offset < FILE_SIZE ? FILE_SIZE - read_in->offset : 0;
	answer(fuse, in->unique, 0, zeros, read_in->size < left ? read_in->size : left);
}

static void serve_request(struct fuse *fuse, const struct fuse_in_header *in)
{
	/* Attributes are not cached, so that each fstat() is a request. */
	struct fuse_attr_out attr = {.attr = attributes(in->nodeid)};
	struct fuse_entry_out entry = {
		.nodeid = FILE_NODE, .entry_valid = 3600, .attr = attributes(FILE_NODE)};
	struct fuse_open_out opened = {0};
	struct fuse_statfs_out statfs = {.st = {.bsize = 4096, .namelen = 255}};
	switch (in->opcode) {
	case FUSE_INIT: answer_init(fuse, in); break;
	case FUSE_LOOKUP: answer(fuse, in->unique, 0, &entry, sizeof(entry)); break;
	case FUSE_GETATTR: answer(fuse, in->unique, 0, &attr, sizeof(attr)); break;
	case FUSE_OPEN: answer(fuse, in->unique, 0, &opened, sizeof(opened)); break;
	case FUSE_READ: answer_read(fuse, in); break;
	case FUSE_STATFS: answer(fuse, in->unique, 0, &statfs, sizeof(statfs)); break;
	case FUSE_FLUSH:
	case FUSE_RELEASE: answer(fuse, in->unique, 0, NULL, 0); break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: break;
	default: answer(fuse, in->unique, -ENOSYS, NULL, 0); break;
	}
}

/*
 * Waits for a request. A thread that is blocked in a call cannot even be killed while this process
 * serves the file system, so the connection is aborted in the end, and fuse_destroy() fails the
 * test.
 */
static void await_request(struct fuse *fuse)
{
	struct pollfd poller = {.fd = fuse->fd, .events = POLLIN};
	while (poll(&poller, 1, PATIENCE) == 0) {
		if (atomic_load(&fuse->hangs) && !atomic_exchange(&fuse->expired, true)) {
			umount2(fuse->directory, MNT_FORCE);
		}
	}
}

static void *serve(void *data)
{
	struct fuse *fuse = data;
	char *request = xcalloc(1, REQUEST_SIZE);
	for (;;) {
		await_request(fuse);
		ssize_t n = read(fuse->fd, request, REQUEST_SIZE);
		const struct fuse_in_header *in = (const void *)request;
		if (n < (ssize_t)sizeof(*in)) {
			if (n < 0 && (errno == EINTR || errno == ENOENT)) {
				continue;
			}
			break; /* unmounted */
		}
		if (!atomic_load(&fuse->hangs)) {
			serve_request(fuse, in);
		} else if (in->opcode != FUSE_FORGET && in->opcode != FUSE_BATCH_FORGET &&
			   in->opcode != FUSE_INTERRUPT && in->opcode != FUSE_RELEASE) {
			atomic_fetch_add(&fuse->n_unanswered, 1);
		}
	}
	free(request);
	return NULL;
}

struct fuse *fuse_create(void)
{
	struct fuse *fuse = xcalloc(1, sizeof(*fuse));
	char options[96];
	strcpy(fuse->directory, "/tmp/causeway-fuse-XXXXXX");
	assert_non_null(mkdtemp(fuse->directory));
	fuse->fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	assert_true(fuse->fd >= 0);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%d,group_id=%d", fuse->fd,
		(int)getuid(), (int)getgid());
	assert_int_equal(mount("test", fuse->directory, "fuse", MS_NOSUID | MS_NODEV, options), 0);
	assert_int_equal(pthread_create(&fuse->thread, NULL, serve, fuse), 0);
	return fuse;
}

int fuse_open(struct fuse *fuse)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/file", fuse->directory);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

void fuse_hang(struct fuse *fuse)
{
	atomic_store(&fuse->hangs, true);
}

int fuse_n_unanswered(struct fuse *fuse)
{
	return atomic_load(&fuse->n_unanswered);
}

void fuse_destroy(struct fuse *fuse)
{
	/* MNT_FORCE aborts the connection, which also ends the thread's read(). */
	int unmounted = umount2(fuse->directory, MNT_FORCE | MNT_DETACH);
	pthread_join(fuse->thread, NULL);
	close(fuse->fd);
	rmdir(fuse->directory);
	bool expired = fuse->expired;
	free(fuse);
	assert_int_equal(unmounted, 0);
	assert_false(expired && "a call blocked the test's thread");
}
