/* SPDX-License-Identifier: MIT */
/* Fences and descriptors, with eventfds and memory files instead of sync_files and dma-bufs. */

#include "util/fence.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

static void status_is_signalled_pending_or_error(void **state)
{
	int event = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(fence_status(-1), 1);
	assert_int_equal(fence_status(event), 0);
	assert_int_equal(eventfd_write(event, 1), 0);
	assert_int_equal(fence_status(event), 1);
	close(event);
	assert_int_equal(fence_status(event), -EBADF);
}

static void merging_with_no_fence_duplicates_the_other(void **state)
{
	int event = eventfd(0, EFD_CLOEXEC);
	int merged;

	assert_int_equal(fence_merge(-1, -1), -1);
	merged = fence_merge(-1, event);
	assert_true(merged >= 0 && merged != event);
	assert_int_equal(fence_status(merged), 0);
	assert_int_equal(eventfd_write(event, 1), 0);
	assert_int_equal(fence_status(merged), 1);
	close(merged);
	assert_true(fence_merge(event, event) < -1); /* no sync_files */
	close(event);
}

static void memory_file_has_no_implicit_fences(void **state)
{
	int file = fd_create_memory("fence-test", 4096, false);

	assert_true(file >= 0);
	assert_int_equal(fence_export_dmabuf(file, false), -ENOTTY);
	assert_int_equal(fence_export_dmabuf(file, true), -ENOTTY);
	fd_close(&file);
	assert_int_equal(file, -1);
	fd_close(&file); /* legal */
}

static void sealed_memory_file_cannot_shrink(void **state)
{
	int sealed = fd_create_memory("sealed", 8192, true);
	int open_ended = fd_create_memory("open", 8192, false);
	int copy;

	assert_true(fd_cannot_shrink_below(sealed, 8192));
	assert_true(fd_cannot_shrink_below(sealed, 1));
	assert_false(fd_cannot_shrink_below(sealed, 8193));
	assert_false(fd_cannot_shrink_below(open_ended, 1));
	assert_int_equal(ftruncate(sealed, 0), -1);
	assert_int_equal(fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE), -1);
	assert_int_equal(ftruncate(open_ended, 0), 0);

	copy = fd_dup(sealed);
	assert_true(copy >= 0);
	assert_true(fcntl(copy, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(sealed, F_GETFD) & FD_CLOEXEC);
	assert_true(fd_set_nonblocking(copy));
	assert_true(fcntl(copy, F_GETFL) & O_NONBLOCK);
	close(copy);
	assert_int_equal(fd_dup(copy), -EBADF);
	assert_false(fd_cannot_shrink_below(copy, 1));
	close(sealed);
	close(open_ended);
}

/*
 * Reading a hole of a huge-page file faults if no huge page is free, even if the file's size is
 * sealed.
 */
static void huge_page_file_may_fault_despite_its_seals(void **state)
{
	const off_t size = 1 << 30;
	int huge = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);

	if (huge < 0 || ftruncate(huge, size) < 0) {
		fd_close(&huge);
		skip_because("this kernel has no files of huge pages");
	}
	assert_int_equal(fcntl(huge, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_false(fd_cannot_shrink_below(huge, size));
	close(huge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_is_signalled_pending_or_error),
		cmocka_unit_test(merging_with_no_fence_duplicates_the_other),
		cmocka_unit_test(memory_file_has_no_implicit_fences),
		cmocka_unit_test(sealed_memory_file_cannot_shrink),
		cmocka_unit_test(huge_page_file_may_fault_despite_its_seals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
