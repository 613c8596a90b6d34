/* SPDX-License-Identifier: MIT */
/* Selection of a mutant by the environment, before main() runs. */

#include "mutant.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned char unrecorded[MUTANT_MAX];

unsigned mutant_active;
unsigned char *mutant_reached = unrecorded;

/*
 * Raw system calls: test programs replace open() and mmap() by emulations that are not ready yet.
 */
static void __attribute__((constructor)) select_mutant(void)
{
	const char *number = getenv("MUTANT"), *path = getenv("MUTANT_REACHED");
	mutant_active = number ? (unsigned)strtoul(number, NULL, 10) : 0;
	if (!path) {
		return;
	}
	long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || syscall(SYS_ftruncate, fd, (long)MUTANT_MAX) < 0) {
		_exit(99);
	}
	long data = syscall(SYS_mmap, NULL, MUTANT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
	syscall(SYS_close, fd);
	if (data == -1) {
		_exit(99);
	}
	mutant_reached = (unsigned char *)data;
}
