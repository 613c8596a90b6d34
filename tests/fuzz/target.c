/* SPDX-License-Identifier: MIT */
/* Shared helpers of fuzz targets: the input as a stream and as text, and replaced calls. */

#include "fuzz/target.h"
#include "util/xalloc.h"
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

FILE *target_open(const uint8_t *data, size_t size)
{
	static char buffer[4096];
	/* fmemopen() refuses an empty buffer; the stream is read only. */
	FILE *stream = size > 0 ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "re");
	if (!stream) {
		abort();
	}
	/* The stream would allocate a buffer for each input. */
	setvbuf(stream, buffer, _IOFBF, sizeof(buffer));
	return stream;
}

char *target_text(const uint8_t *data, size_t size)
{
	char *text = xcalloc(size + 1, 1);
	if (size > 0) {
		memcpy(text, data, size);
	}
	return text;
}

EXPORT int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	/* Programs and files of the machine must not affect an input. */
	setenv("PATH", "/nonexistent", 1);
	setenv("HOME", "/nonexistent", 1);
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	setenv("XDG_CACHE_HOME", "/nonexistent", 1);
	setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
	setenv("XCURSOR_PATH", "/nonexistent", 1);
	setenv("XKB_LOG_LEVEL", "0", 1);
	setenv("CMOCKA_TEST_ABORT", "1", 1);
	return 0;
}

/* Replaces posix_spawnp(): inputs start no programs. */
int __wrap_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const environment[]);
int __wrap_posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
	return ENOENT;
}

/* Replaces the compositor's log, which would take most of the time of a run. */
void __wrap_log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void __wrap_log_error(const char *format, ...)
{
}

void __wrap_log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void __wrap_log_warn(const char *format, ...)
{
}

void __wrap_log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void __wrap_log_info(const char *format, ...)
{
}
