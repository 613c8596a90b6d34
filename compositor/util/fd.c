/* File descriptors: memory files, duplicates, and what seals guarantee. */

#include "util/fd.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
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

int fd_reserve(void)
{
	int fd = eventfd(0, EFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
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
	 * A hole in a file of huge pages cannot always be filled, and then raises SIGBUS. Those of that file
	 * system have a page for a block; who has larger ones may also be one where they are just allowed.
	 */
	return status.st_blksize == getpagesize() ||
	       (fstatfs(fd, &system) == 0 && system.f_type == TMPFS_MAGIC);
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
	/* On Linux, the mode of the descriptor is the mode of the file: it is never open to others. */
	if ((mode && fchmod(fd, mode) < 0) ||
		bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		listen(fd, SOMAXCONN) < 0) {
		int error = errno;
		close(fd);
		return -error;
	}
	return fd;
}
