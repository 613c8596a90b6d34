/* SPDX-License-Identifier: MIT */
/* File descriptors: memory files, duplicates, and guarantees by seals. */

#include "util/fd.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* since Linux 6.3 */
#endif

static int create_memfd(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL) {
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	}
	return fd < 0 ? -errno : fd;
}

int fd_create_memory(const char *name, off_t size, bool sealed)
{
	int fd = create_memfd(name);
	int error;
	if (fd < 0) {
		return fd;
	}
	if (ftruncate(fd, size) < 0) {
		goto error_close;
	}
	if (sealed && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) < 0) {
		goto error_close;
	}
	return fd;
error_close:
	error = -errno;
	close(fd);
	return error;
}

int fd_dup(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return copy < 0 ? -errno : copy;
}

bool fd_open_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/*
		 * The kernel assigns the lowest free number. Programs that are started inherit it.
		 */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) {
			return false;
		}
	}
	return true;
}

int fd_reserve(void)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int fd_check_room(void)
{
	int fd = fd_reserve();
	int error = fd < 0 ? fd : 0;
	fd_close(&fd);
	return error;
}

bool fd_dup_into(int fd, int place)
{
	int result;
	do {
		result = dup3(fd, place, O_CLOEXEC);
	} while (result < 0 && (errno == EINTR || errno == EBUSY));
	return result >= 0;
}

void fd_close(int *fd)
{
	if (*fd >= 0) {
		close(*fd);
	}
	*fd = -1;
}

bool fd_cannot_shrink_below(int fd, off_t size)
{
	return fd_seals_keep(fd, fcntl(fd, F_GET_SEALS), size);
}

bool fd_seals_keep(int fd, int seals, off_t size)
{
	struct stat status;
	struct statfs system;
	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &status) < 0 ||
		status.st_size < size) {
		return false;
	}
	/*
	 * A hole in a file of huge pages cannot always be filled, and then raises SIGBUS. hugetlbfs
	 * has a page per block; larger blocks may also mean that huge pages are merely allowed.
	 */
	return status.st_blksize == getpagesize() ||
	       (fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC);
}

/*
 * Linux answers F_GET_SEALS by comparing the file's operations with those of shmem and hugetlbfs
 * (mm/memfd.c, memfd_file_seals_ptr()); files that cannot be sealed, as those of shm_open(), have
 * F_SEAL_SEAL.
 */
bool fd_is_memory(int fd)
{
	return fcntl(fd, F_GET_SEALS) >= 0;
}

size_t fd_page_size(int fd)
{
	size_t page = (size_t)getpagesize();
	struct stat status;
	struct statfs system;
	/*
	 * tmpfs with transparent huge pages also has blocks larger than pages, but the kernel can
	 * split those.
	 */
	if (fstat(fd, &status) < 0 || (size_t)status.st_blksize <= page ||
		fstatfs(fd, &system) < 0 || system.f_type != HUGETLBFS_MAGIC) {
		return page;
	}
	return (size_t)status.st_blksize;
}

/* The kernel compares the file's operations (fs/pipe.c, get_pipe_info()). */
bool fd_is_pipe(int fd)
{
	return fcntl(fd, F_GETPIPE_SZ) >= 0;
}

/*
 * ENOTSOCK comes from a comparison of the file's operations, too (net/socket.c, sock_from_file()).
 */
bool fd_is_local_socket(int fd)
{
	int domain;
	socklen_t size = sizeof(domain);
	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

/*
 * Looks for "exp_name" in fdinfo, which only dma-bufs have (drivers/dma-buf/dma-buf.c,
 * dma_buf_show_fdinfo()). The kernel prints the other lines without asking a file system
 * (fs/proc/fd.c, seq_show()); regular files of FUSE and overlayfs add no lines. The name of the
 * link in /proc/self/fd proves nothing: a client can mount a file system in a namespace of its own
 * and call a file in its root "dmabuf:".
 */
bool fd_is_dmabuf(int fd)
{
	static const char key[] = "\nexp_name:";
	char path[40], text[1024];
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	int info = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = info >= 0 ? read(info, text, sizeof(text) - 1) : -1;
	fd_close(&info);
	text[n > 0 ? n : 0] = '\0';
	return strstr(text, key);
}

bool fd_closes_at_once(int fd)
{
	return fd_is_memory(fd) || fd_is_pipe(fd) || fd_is_local_socket(fd) || fd_is_dmabuf(fd);
}

bool fd_set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

int fd_listen(const char *path, mode_t mode)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(address.sun_path)) {
		return -ENAMETOOLONG;
	}
	strcpy(address.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0) {
		return -errno;
	}
	/*
	 * Linux copies the descriptor's mode to the socket file, so the file never has a wider one.
	 */
	if ((mode && fchmod(fd, mode) < 0) ||
		bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		listen(fd, SOMAXCONN) < 0) {
		int error = errno;
		close(fd);
		return -error;
	}
	return fd;
}
