/* SPDX-License-Identifier: MIT */
/* CPU access to clients' dma-bufs whose fences are pending. */

#include "buffer/dmabuf_buffer.h"
#include "buffer/udmabuf.h"
#include "harness/unit.h"
#include "util/fd.h"
#include "util/fence.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdarg.h>

/* The kernel's part: a memory file in the place of a dma-buf, with fences. */
static struct {
	bool written, read; /* fences of a writer, or of a reader, are pending */
	int n_begun, n_ended;
} kernel;

int __real_fcntl64(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...);
bool __wrap_fence_dmabuf_is_ready(int fd, bool write);
int __wrap_fence_dmabuf_access(int fd, uint64_t flags);

int __wrap_fcntl64(int fd, int command, ...)
{
	va_list arguments;
	va_start(arguments, command);
	long argument = va_arg(arguments, long);
	va_end(arguments);
	if (command == F_GET_SEALS) {
		errno = EINVAL;
		return -1;
	}
	return __real_fcntl64(fd, command, argument);
}

bool __wrap_fence_dmabuf_is_ready(int fd, bool write)
{
	return !kernel.written && !(write && kernel.read);
}

int __wrap_fence_dmabuf_access(int fd, uint64_t flags)
{
	bool ends = flags & DMA_BUF_SYNC_END;
	/* The call would wait. */
	assert_true(ends || __wrap_fence_dmabuf_is_ready(fd, flags & DMA_BUF_SYNC_WRITE));
	kernel.n_begun += !ends;
	kernel.n_ended += ends;
	return 0;
}

static int begin(struct buffer *buffer, unsigned access)
{
	size_t stride;
	void *data;
	return buffer_begin_access(buffer, access, &data, &stride);
}

static void access_fails_while_fences_are_pending(void **state)
{
	struct dmabuf dmabuf;
	dmabuf_init_linear(&dmabuf, 8, 8, DRM_FORMAT_XRGB8888,
		fd_create_memory("test-fences", 4096, true), 32);
	struct buffer *buffer = dmabuf_buffer_create(&dmabuf, NULL);
	/* Before it is mapped, and after. */
	for (int i = 0; i < 2; i++) {
		kernel.written = true;
		assert_int_equal(begin(buffer, BUFFER_READ), -EAGAIN);
		assert_int_equal(begin(buffer, BUFFER_WRITE), -EAGAIN);
		kernel.written = false;
		kernel.read = true;
		assert_int_equal(begin(buffer, BUFFER_READ), 0);
		/* Within an access, nothing waits. */
		kernel.written = true;
		assert_int_equal(begin(buffer, BUFFER_READ), 0);
		buffer_end_access(buffer);
		buffer_end_access(buffer);
		kernel.written = false;
		assert_int_equal(begin(buffer, BUFFER_WRITE), -EAGAIN);
		kernel.read = false;
		assert_int_equal(begin(buffer, BUFFER_WRITE), 0);
		buffer_end_access(buffer);
	}
	assert_int_equal(kernel.n_begun, 5);
	assert_int_equal(kernel.n_ended, 5);
	buffer_drop(buffer);
}

/* Of a client that drew before the GPU had read its buffer. */
static void flush_of_pool_memory_is_skipped_while_fences_are_pending(void **state)
{
	struct dmabuf dmabuf;
	dmabuf_init_linear(&dmabuf, 8, 8, DRM_FORMAT_XRGB8888,
		fd_create_memory("test-fences", 4096, true), 32);
	struct buffer *buffer = dmabuf_buffer_create(&dmabuf, NULL);
	kernel.n_begun = kernel.n_ended = 0;
	for (int pending = 0; pending < 2; pending++) {
		kernel.read = pending;
		udmabuf_written(buffer);
		assert_int_equal(kernel.n_begun, 1);
		assert_int_equal(kernel.n_ended, 1);
	}
	kernel.read = false;
	buffer_drop(buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(access_fails_while_fences_are_pending),
		cmocka_unit_test(flush_of_pool_memory_is_skipped_while_fences_are_pending),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
