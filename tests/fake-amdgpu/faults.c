/* SPDX-License-Identifier: MIT */
/*
 * Failures of system calls: the emulator's hook, and interposed libc calls that create descriptors.
 */

#include "faults.h"
#include "state.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

static struct fault fault;
static unsigned n_failed[FAKE_CALLS];

const char *faults_call_name(enum fake_call call)
{
	static const char *const names[FAKE_CALLS] = {
		[FAKE_CALL_OPEN] = "open",
		[FAKE_CALL_INFO] = "info",
		[FAKE_CALL_ALLOCATE] = "allocate",
		[FAKE_CALL_IMPORT] = "import",
		[FAKE_CALL_EXPORT] = "export",
		[FAKE_CALL_MAP_GPU] = "map-gpu",
		[FAKE_CALL_MAP_CPU] = "map-cpu",
		[FAKE_CALL_CONTEXT] = "context",
		[FAKE_CALL_SYNCOBJ] = "syncobj",
		[FAKE_CALL_SUBMIT] = "submit",
		[FAKE_CALL_FENCE] = "fence",
		[FAKE_CALL_DESCRIPTOR] = "descriptor",
	};
	return names[call];
}

static int fail(enum fake_call call)
{
	if (!(fault.calls & 1U << call) || fault.n == 0) {
		return 0;
	}
	if (fault.skip > 0) {
		fault.skip--;
		return 0;
	}
	fault.n--;
	n_failed[call]++;
	if (fault.reset) {
		fake_gpu_reset(fault.reset);
		return 0;
	}
	return fault.error;
}

void faults_set(const struct fault *new_fault)
{
	fake_set_hook(NULL);
	fake_lock();
	fault = new_fault ? *new_fault : (struct fault){0};
	memset(n_failed, 0, sizeof(n_failed));
	fake_unlock();
	if (new_fault) {
		fake_set_hook(fail);
	}
}

unsigned faults_count_call(enum fake_call call)
{
	return n_failed[call];
}

unsigned faults_count(void)
{
	unsigned n = 0;
	for (int i = 0; i < FAKE_CALLS; i++) {
		n += n_failed[i];
	}
	return n;
}

/* Sets errno and returns true if the call fails. The emulator's own calls do not. */
static bool fails(void)
{
	if (fake_is_locked()) {
		return false;
	}
	fake_lock();
	int error = fake_fail_call(FAKE_CALL_DESCRIPTOR);
	fake_unlock();
	errno = error > 0 ? error : errno;
	return error > 0;
}

VISIBLE int fcntl64(int fd, int command, ...)
{
	va_list list;
	va_start(list, command);
	void *argument = va_arg(list, void *);
	va_end(list);
	if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && fails()) {
		return -1;
	}
	return (int)syscall(SYS_fcntl, fd, command, argument);
}

VISIBLE int memfd_create(const char *name, unsigned flags)
{
	return fails() ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

VISIBLE int eventfd(unsigned value, int flags)
{
	return fails() ? -1 : (int)syscall(SYS_eventfd2, value, flags);
}
