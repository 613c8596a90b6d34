/* SPDX-License-Identifier: MIT */
/* Cookies: files in the format of libXau, with MIT-MAGIC-COOKIE-1. */

#include "cookie.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define COOKIE_SIZE 16

/* Families of addresses, of X11/Xauth.h. */
enum { FAMILY_LOCAL = 256, FAMILY_WILD = 65535 };

static void put_number(FILE *file, unsigned number)
{
	putc((int)(number >> 8 & 0xff), file);
	putc((int)(number & 0xff), file);
}

static void put_field(FILE *file, const void *data, size_t size)
{
	put_number(file, (unsigned)size);
	fwrite(data, 1, size, file);
}

static void put_entry(FILE *file, unsigned family, const char *address, int number,
	const uint8_t cookie[COOKIE_SIZE])
{
	static const char name[] = "MIT-MAGIC-COOKIE-1";
	char display[16];
	snprintf(display, sizeof(display), "%d", number);
	put_number(file, family);
	put_field(file, address, strlen(address));
	put_field(file, display, strlen(display));
	put_field(file, name, strlen(name));
	put_field(file, cookie, COOKIE_SIZE);
}

/**
 * Writes both forms of the entry: `xauth` finds the first; the second outlives a change of the
 * host's name.
 */
static int write_entries(FILE *file, int number)
{
	uint8_t cookie[COOKIE_SIZE];
	char host[256] = "";
	if (getrandom(cookie, sizeof(cookie), 0) != sizeof(cookie)) {
		return -EIO;
	}
	gethostname(host, sizeof(host) - 1);
	put_entry(file, FAMILY_LOCAL, host, number, cookie);
	put_entry(file, FAMILY_WILD, "", number, cookie);
	explicit_bzero(cookie, sizeof(cookie));
	return ferror(file) ? -EIO : 0;
}

int x_cookie_write(const char *path, int number)
{
	unlink(path);
	int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
	if (fd < 0) {
		return -errno;
	}
	FILE *file = fdopen(fd, "w");
	if (!file) {
		int error = errno;
		close(fd);
		unlink(path);
		return -error;
	}
	int error = write_entries(file, number);
	if (fclose(file) != 0 && error == 0) {
		error = -errno;
	}
	if (error < 0) {
		unlink(path);
	}
	return error;
}

static int hold(int folder, const char *path)
{
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) {
		return -errno;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

int x_cookie_hold(const char *path)
{
	return hold(AT_FDCWD, path);
}

void x_cookie_clean(const char *folder)
{
	DIR *names = opendir(folder);
	const struct dirent *entry;
	while (names && (entry = readdir(names))) {
		int fd = strncmp(entry->d_name, X_COOKIE_PREFIX, strlen(X_COOKIE_PREFIX)) == 0
				 ? hold(dirfd(names), entry->d_name)
				 : -1;
		if (fd >= 0) {
			unlinkat(dirfd(names), entry->d_name, 0);
			close(fd);
		}
	}
	if (names) {
		closedir(names);
	}
}
