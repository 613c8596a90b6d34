/* SPDX-License-Identifier: MIT */
/* Shared memory as dma-bufs: files that the kernel's driver would refuse. */

#include "buffer/udmabuf.h"
#include "buffer/shm.h"
#include "gpu/format.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <errno.h>
#include <unistd.h>

#define PAGE 4096
#define STRIDE 16384

/* A buffer of the whole file; rows are pages, and nothing touches them. */
static struct buffer *create(uint64_t size)
{
	int32_t height = (int32_t)(size / STRIDE);
	int fd = fd_create_memory("udmabuf-test", (off_t)size, true);
	assert_true(fd >= 0);
	struct shm_pool *pool = shm_pool_create(fd, (int32_t)size);
	assert_non_null(pool);
	struct buffer *buffer =
		shm_buffer_create(pool, 0, STRIDE / 4, height, STRIDE, DRM_FORMAT_XRGB8888);
	assert_non_null(buffer);
	shm_pool_unref(pool);
	return buffer;
}

static void larger_files_than_the_drivers_limit_are_uploaded(void **state)
{
	uint64_t limit = udmabuf_max_size();
	assert_true(limit >= UINT64_C(64) << 20);
	if (limit + STRIDE > INT32_MAX) {
		skip_because("this kernel takes larger buffers than the test makes");
	}
	struct buffer *largest = create(limit), *larger = create(limit + STRIDE);
	assert_true(udmabuf_suits(largest));
	assert_false(udmabuf_suits(larger));
	errno = 0;
	assert_null(udmabuf_lock(larger));
	assert_int_equal(errno, EFBIG);
	buffer_drop(largest);
	buffer_drop(larger);
}

static void larger_files_are_not_passed_to_the_driver(void **state)
{
	int fd = fd_create_memory("udmabuf-test", PAGE, true);
	assert_true(fd >= 0);
	assert_int_equal(udmabuf_create(fd, 0, udmabuf_max_size() + PAGE), -EFBIG);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(larger_files_than_the_drivers_limit_are_uploaded),
		cmocka_unit_test(larger_files_are_not_passed_to_the_driver),
	};
	return cmocka_run_group_tests_name("udmabuf", tests, NULL, NULL);
}
