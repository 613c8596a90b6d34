/* SPDX-License-Identifier: MIT */
/* Shared-memory pools: arguments, resizing, and clients that truncate their memory. */

#include "buffer/shm.h"
#include "gpu/format.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define STRIDE 64
/* rows of STRIDE bytes in a page */
#define ROWS (PAGE / STRIDE)

static int create_file(int pages, bool sealed)
{
	int fd = fd_create_memory("shm-test", (off_t)pages * PAGE, sealed);

	assert_true(fd >= 0);
	for (int i = 0; i < pages; i++) {
		char text[PAGE];

		memset(text, 'a' + i, sizeof(text));
		assert_int_equal(pwrite(fd, text, PAGE, (off_t)i * PAGE), PAGE);
	}
	return fd;
}

static struct buffer *create_buffer(struct shm_pool *pool, int page, int pages)
{
	assert_null(shm_buffer_check(
		pool, page * PAGE, STRIDE / 4, pages * ROWS, STRIDE, DRM_FORMAT_XRGB8888));
	return shm_buffer_create(
		pool, page * PAGE, STRIDE / 4, pages * ROWS, STRIDE, DRM_FORMAT_XRGB8888);
}

static const volatile char *begin(struct buffer *buffer)
{
	size_t stride;
	void *data;

	assert_int_equal(buffer_begin_access(buffer, BUFFER_READ, &data, &stride), 0);
	assert_int_equal(stride, STRIDE);
	return data;
}

/*
 * cmocka sets its own signal handlers before each test; the SIGBUS guard sets its handler once per
 * process, at the first access, which therefore must happen here.
 */
static void restore_guard(void)
{
	static struct sigaction guard;
	static bool known;

	if (known) {
		sigaction(SIGBUS, &guard, NULL);
	} else {
		struct shm_pool *pool = shm_pool_create(create_file(1, false), PAGE);
		struct buffer *buffer = create_buffer(pool, 0, 1);

		begin(buffer);
		assert_true(buffer_end_access(buffer));
		sigaction(SIGBUS, NULL, &guard);
		known = true;
		buffer_drop(buffer);
		shm_pool_unref(pool);
	}
}

static void buffers_must_lie_within_the_pool(void **state)
{
	static const struct {
		int32_t offset, width, height, stride;
		uint32_t format;
		bool good;
	} cases[] = {
		{0, 16, 64, 64, DRM_FORMAT_XRGB8888, true},
		{4, 16, 63, 64, DRM_FORMAT_XRGB8888, true},
		{4, 16, 64, 64, DRM_FORMAT_XRGB8888, false},
		{-1, 16, 10, 64, DRM_FORMAT_XRGB8888, false},
		{INT32_MAX, 16, 10, 64, DRM_FORMAT_XRGB8888, false},
		{0, 17, 10, 64, DRM_FORMAT_XRGB8888, false},
		{0, 32, 10, 64, DRM_FORMAT_RGB565, true},
		{0, 0, 10, 64, DRM_FORMAT_XRGB8888, false},
		{0, 16, 0, 64, DRM_FORMAT_XRGB8888, false},
		{0, 16, -1, 64, DRM_FORMAT_XRGB8888, false},
		{0, 16, 10, -64, DRM_FORMAT_XRGB8888, false},
		{0, 16, INT32_MAX, INT32_MAX, DRM_FORMAT_XRGB8888, false},
		{0, 16, INT32_MAX, INT32_MAX, DRM_FORMAT_NV16, false},
		{0, 16, INT32_MAX, INT32_MAX, DRM_FORMAT_YUV444, false},
		{0, 0x40000001, 1, 4, DRM_FORMAT_XRGB8888, false},
		{0, INT32_MAX, 1, INT32_MAX, DRM_FORMAT_XRGB8888, false},
		{0, 64, 42, 64, DRM_FORMAT_NV12, true},
		{0, 64, 43, 64, DRM_FORMAT_NV12, false},
		{0, 63, 42, 63, DRM_FORMAT_NV12, false},
		{PAGE - 6, 2, 2, 2, DRM_FORMAT_YUV420, true},
		{PAGE - 5, 2, 2, 2, DRM_FORMAT_YUV420, false},
		{0, 3, 2, 3, DRM_FORMAT_YUV420, false},
		{0, 16, 10, 64, 0x12345678, false},
	};
	struct shm_pool *pool = shm_pool_create(create_file(1, false), PAGE);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *error = shm_buffer_check(pool, cases[i].offset, cases[i].width,
			cases[i].height, cases[i].stride, cases[i].format);

		assert_int_equal(!error, cases[i].good);
	}
	assert_int_equal(shm_pool_size(pool), PAGE);
	shm_pool_unref(pool);
	shm_pool_unref(NULL);
}

static void unmappable_files_are_refused(void **state)
{
	int ends[2];
	int closed = create_file(1, false);

	assert_null(shm_pool_create(open("/dev/zero", O_RDWR | O_CLOEXEC), PAGE));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(pipe(ends), 0);
	assert_null(shm_pool_create(ends[0], PAGE));
	assert_int_equal(close(ends[0]), -1); /* taken over on failure, too */
	close(ends[1]);
	assert_null(shm_pool_create(create_file(1, false), 0));
	assert_null(shm_pool_create(create_file(1, false), -5));
	close(closed);
	assert_null(shm_pool_create(closed, PAGE));
}

static int create_huge_file(size_t *page)
{
	int fd = memfd_create("shm-test-huge", MFD_CLOEXEC | MFD_HUGETLB);

	if (fd >= 0) {
		*page = fd_page_size(fd);
		assert_int_equal(ftruncate(fd, 2 * (off_t)*page), 0);
	}
	return fd;
}

static int count_mappings(const char *name)
{
	char line[512];
	int n = 0;
	FILE *maps = fopen("/proc/self/maps", "re");

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		n += strstr(line, name) != NULL;
	}
	fclose(maps);
	return n;
}

static void sizes_are_rounded_to_huge_pages(void **state)
{
	size_t page = 0;
	int fd = create_file(1, false);

	assert_int_equal(fd_page_size(fd), getpagesize());
	close(fd);
	assert_int_equal(fd_whole_pages(1, 4096), 4096);
	assert_int_equal(fd_whole_pages(4096, 4096), 4096);
	assert_int_equal(fd_whole_pages(4097, 2097152), 2097152);
	fd = create_huge_file(&page);
	if (fd < 0) {
		skip_because("the kernel has no huge pages");
	}
	assert_true(page > (size_t)getpagesize());
	close(fd);
}

static void huge_pages_are_unmapped_whole(void **state)
{
	size_t page = 0;
	int fd = create_huge_file(&page);
	void *probe = fd < 0 ? MAP_FAILED : mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fd, 0);

	if (probe == MAP_FAILED) {
		skip_because("no huge pages are set aside (/proc/sys/vm/nr_hugepages)");
	}
	munmap(probe, 2 * page);
	struct shm_pool *pool = shm_pool_create(fd_dup(fd), PAGE);
	assert_non_null(pool);
	assert_int_equal(count_mappings("shm-test-huge"), 1);
	assert_int_equal(shm_pool_resize(pool, 2 * PAGE), 0);
	assert_int_equal(shm_pool_resize(pool, (int32_t)page + PAGE), 0);
	assert_int_equal(count_mappings("shm-test-huge"), 1);

	/* A missing huge page is replaced by zeros as a whole. */
	struct buffer *buffer = create_buffer(pool, (int)(page / PAGE), 1);
	restore_guard();
	assert_int_equal(ftruncate(fd, (off_t)page), 0);
	const volatile char *data = begin(buffer);
	assert_int_equal(data[0], 0);
	assert_false(buffer_end_access(buffer));
	buffer_drop(buffer);
	shm_pool_unref(pool);
	assert_int_equal(count_mappings("shm-test-huge"), 0);
	close(fd);
}

struct opened_watch {
	struct wl_listener listener;
	int n;
};

static void handle_opened(struct wl_listener *listener, void *data)
{
	struct opened_watch *watch = wl_container_of(listener, watch, listener);
	watch->n++;
}

static void pending_pool_reads_as_zeros_until_it_is_open(void **state)
{
	struct shm_pool *pool = shm_pool_create_pending(PAGE);
	struct buffer *buffer = create_buffer(pool, 0, 1);
	size_t stride;
	void *data;
	struct opened_watch watch = {.listener.notify = handle_opened};

	assert_non_null(buffer_known_signal(buffer));
	wl_signal_add(buffer_known_signal(buffer), &watch.listener);
	restore_guard();
	assert_int_equal(begin(buffer)[0], 0);
	assert_true(buffer_end_access(buffer));
	assert_int_equal(buffer_begin_access(buffer, BUFFER_WRITE, &data, &stride), -EACCES);
	assert_int_equal(shm_pool_resize(pool, 2 * PAGE), 0);
	assert_int_equal(watch.n, 0);
	assert_int_equal(shm_pool_open(pool, create_file(2, false)), 0);
	assert_int_equal(watch.n, 1);
	assert_null(buffer_known_signal(buffer));
	assert_int_equal(begin(buffer)[0], 'a');
	assert_true(buffer_end_access(buffer));
	assert_int_equal(shm_pool_size(pool), 2 * PAGE);
	wl_list_remove(&watch.listener.link);
	buffer_drop(buffer);
	shm_pool_unref(pool);
	shm_pool_unref(shm_pool_create_pending(PAGE));
}

static void resizing_keeps_accesses_and_buffers_valid(void **state)
{
	struct shm_pool *pool = shm_pool_create(create_file(4, false), PAGE);
	struct buffer *buffer = create_buffer(pool, 0, 1), *later;
	const volatile char *data;

	restore_guard();
	assert_int_equal(shm_pool_resize(pool, PAGE - 1), -EINVAL);
	assert_int_equal(shm_pool_resize(pool, PAGE), 0);
	assert_int_equal(shm_pool_resize(pool, 2 * PAGE), 0);
	assert_int_equal(shm_pool_size(pool), 2 * PAGE);

	/* An access in progress keeps its mapping. */
	data = begin(buffer);
	assert_int_equal(shm_pool_resize(pool, 4 * PAGE), 0);
	assert_int_equal(data[0], 'a');
	later = create_buffer(pool, 3, 1);
	assert_int_equal(begin(later)[PAGE - 1], 'd');
	assert_int_equal(data[PAGE - 1], 'a');
	assert_true(buffer_end_access(buffer));
	assert_true(buffer_end_access(later));

	/* Buffers keep their pool. */
	shm_pool_unref(pool);
	assert_int_equal(begin(buffer)[1], 'a');
	assert_true(buffer_end_access(buffer));
	buffer_drop(buffer);
	assert_int_equal(begin(later)[1], 'd');
	assert_true(buffer_end_access(later));
	buffer_drop(later);
}

static void truncated_file_reads_as_zeros_and_faults(void **state)
{
	int fd = create_file(4, false);
	struct shm_pool *pool = shm_pool_create(fd_dup(fd), 4 * PAGE);
	struct buffer *first = create_buffer(pool, 0, 1), *last = create_buffer(pool, 1, 3);
	const volatile char *data, *inner;

	restore_guard();
	data = begin(last);
	assert_int_equal(data[PAGE], 'c');
	assert_int_equal(ftruncate(fd, 2 * PAGE), 0);
	assert_int_equal(data[0], 'b');
	assert_int_equal(data[2 * PAGE + 17], 0);
	assert_int_equal(data[PAGE], 0); /* before the first fault */
	inner = begin(first);
	assert_int_equal(inner[0], 'a');
	assert_true(buffer_end_access(first));
	assert_false(buffer_end_access(last));
	assert_true(shm_buffer_take_fault(last));
	assert_false(shm_buffer_take_fault(last));
	assert_false(shm_buffer_take_fault(first));

	/* The fault is permanent even if the file grows again; a resized pool is mapped anew. */
	assert_int_equal(ftruncate(fd, 5 * PAGE), 0);
	begin(last);
	assert_false(buffer_end_access(last));
	assert_true(shm_buffer_take_fault(last));
	assert_int_equal(shm_pool_resize(pool, 5 * PAGE), 0);
	assert_int_equal(begin(last)[0], 'b');
	assert_true(buffer_end_access(last));

	buffer_drop(first);
	buffer_drop(last);
	shm_pool_unref(pool);
	close(fd);
}

/* A missing chroma plane is a fault, too. */
static void truncated_chroma_plane_faults(void **state)
{
	int height = 2 * ROWS, fd = create_file(3, false);
	struct shm_pool *pool = shm_pool_create(fd_dup(fd), 3 * PAGE);
	struct buffer *buffer;

	restore_guard();
	assert_null(shm_buffer_check(pool, 0, STRIDE, height, STRIDE, DRM_FORMAT_NV12));
	buffer = shm_buffer_create(pool, 0, STRIDE, height, STRIDE, DRM_FORMAT_NV12);
	assert_int_equal(begin(buffer)[2 * PAGE], 'c');
	assert_true(buffer_end_access(buffer));
	assert_int_equal(ftruncate(fd, 2 * PAGE), 0);
	assert_int_equal(begin(buffer)[2 * PAGE], 0);
	assert_false(buffer_end_access(buffer));
	assert_true(shm_buffer_take_fault(buffer));
	buffer_drop(buffer);
	shm_pool_unref(pool);
	close(fd);
}

/* Accesses that end in another order than they began, with the fault in the middle. */
static void overlapping_accesses_fault_separately(void **state)
{
	int fd_a = create_file(1, false), fd_b = create_file(2, false);
	struct shm_pool *pool_a = shm_pool_create(fd_dup(fd_a), PAGE);
	struct shm_pool *pool_b = shm_pool_create(fd_dup(fd_b), 2 * PAGE);
	struct buffer *a = create_buffer(pool_a, 0, 1), *b = create_buffer(pool_b, 0, 2);
	const volatile char *data_a, *data_b;

	restore_guard();
	data_a = begin(a);
	data_b = begin(b);
	assert_ptr_equal(begin(b), data_b);
	assert_int_equal(ftruncate(fd_a, 0), 0);
	assert_int_equal(ftruncate(fd_b, 0), 0);
	assert_true(data_b[0] == 0);
	assert_false(buffer_end_access(b));
	assert_int_equal(data_a[0], 0);
	assert_false(buffer_end_access(a));
	assert_int_equal(data_b[PAGE], 0);
	assert_false(buffer_end_access(b));
	buffer_drop(a);
	buffer_drop(b);
	shm_pool_unref(pool_a);
	shm_pool_unref(pool_b);
	close(fd_a);
	close(fd_b);
}

struct reader {
	pthread_t thread;
	struct shm_hold *hold;
	const void *memory;
};

static void *read_truncated(void *data)
{
	struct reader *reader = data;

	for (int i = 0; i < 200; i++) {
		if (!shm_hold_begin(reader->hold) ||
			((const volatile char *)reader->memory)[PAGE * (i % 2)] != 0 ||
			shm_hold_end(reader->hold)) {
			return data;
		}
	}
	return NULL;
}

static void threads_survive_truncated_memory(void **state)
{
	int fd = create_file(2, false);
	struct shm_pool *pool = shm_pool_create(fd_dup(fd), 2 * PAGE);
	struct buffer *buffer = create_buffer(pool, 0, 2);
	struct reader readers[3];
	size_t stride;
	void *failed;

	restore_guard();
	assert_int_equal(ftruncate(fd, 0), 0);
	for (int i = 0; i < 3; i++) {
		struct reader *reader = &readers[i];
		reader->hold = shm_buffer_hold(buffer, &reader->memory, &stride);
		assert_int_equal(pthread_create(&reader->thread, NULL, read_truncated, reader), 0);
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pthread_join(readers[i].thread, &failed), 0);
		assert_null(failed);
		shm_hold_release(readers[i].hold);
	}
	buffer_drop(buffer);
	shm_pool_unref(pool);
	close(fd);
}

static void sealed_file_is_mapped_read_only(void **state)
{
	int fd = create_file(1, false);
	struct shm_pool *pool;
	struct buffer *buffer;
	size_t stride;
	void *data;

	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK), 0);
	pool = shm_pool_create(fd, PAGE);
	assert_non_null(pool);
	buffer = create_buffer(pool, 0, 1);
	assert_int_equal(begin(buffer)[5], 'a');
	assert_true(buffer_end_access(buffer));
	assert_int_equal(buffer_begin_access(buffer, BUFFER_WRITE, &data, &stride), -EACCES);
	buffer_drop(buffer);
	shm_pool_unref(pool);
}

/* Runs `function` in a child process: signal handlers belong to the process. */
static int run_child(void (*function)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		function();
		_exit(42);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static struct buffer *open_buffer(bool sealed)
{
	struct shm_pool *pool = shm_pool_create(create_file(2, sealed), 2 * PAGE);
	struct buffer *buffer = create_buffer(pool, 0, 2);

	shm_pool_unref(pool);
	return buffer;
}

static void use_sealed(void)
{
	struct buffer *buffer = open_buffer(true);
	struct sigaction before, after;

	sigaction(SIGBUS, NULL, &before);
	if (begin(buffer)[PAGE] != 'b' || !buffer_end_access(buffer)) {
		_exit(1);
	}
	sigaction(SIGBUS, NULL, &after);
	if (after.sa_sigaction != before.sa_sigaction) {
		_exit(2);
	}
	buffer_drop(buffer);
	_exit(0);
}

/* Strict seccomp kills the process if an access after the first one makes a system call. */
static void use_without_calls(void)
{
	struct buffer *sealed = open_buffer(true), *guarded = open_buffer(false);
	size_t stride;
	void *data;
	int result = 0;

	begin(guarded);
	buffer_end_access(guarded);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	for (int i = 0; i < 100; i++) {
		struct buffer *buffer = i % 2 ? sealed : guarded;

		result |= buffer_begin_access(buffer, BUFFER_READ, &data, &stride);
		result |= *(volatile char *)data != 'a';
		result |= !buffer_end_access(buffer);
	}
	syscall(SYS_exit, result);
}

static void handle_old(int signal)
{
	_exit(7);
}

/* A fault outside of pools is passed to the previous handler. */
static void fault_elsewhere(void)
{
	struct buffer *buffer;
	volatile char *other;
	int fd = create_file(1, false);

	signal(SIGBUS, handle_old);
	buffer = open_buffer(false);
	begin(buffer);
	other = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (ftruncate(fd, 0) < 0) {
		_exit(1);
	}
	_exit(other[0]);
}

static void fault_after_end(void)
{
	int fd = create_file(1, false);
	struct shm_pool *pool = shm_pool_create(fd_dup(fd), PAGE);
	struct buffer *buffer;
	const volatile char *data;

	signal(SIGBUS, SIG_DFL);
	buffer = create_buffer(pool, 0, 1);
	data = begin(buffer);
	buffer_end_access(buffer);
	if (ftruncate(fd, 0) < 0) {
		_exit(1);
	}
	_exit(data[0]);
}

static void sealed_file_needs_no_signal_handler(void **state)
{
	assert_int_equal(run_child(use_sealed), 0);
}

static void repeated_access_makes_no_system_call(void **state)
{
	assert_int_equal(run_child(use_without_calls), 0);
}

static void other_faults_reach_the_previous_handler(void **state)
{
	int status = run_child(fault_elsewhere);

	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	status = run_child(fault_after_end);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

int main(void)
{
	/* Tests with child processes come first, while there is no guard to inherit. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sealed_file_needs_no_signal_handler),
		cmocka_unit_test(repeated_access_makes_no_system_call),
		cmocka_unit_test(other_faults_reach_the_previous_handler),
		cmocka_unit_test(buffers_must_lie_within_the_pool),
		cmocka_unit_test(unmappable_files_are_refused),
		cmocka_unit_test(sizes_are_rounded_to_huge_pages),
		cmocka_unit_test(huge_pages_are_unmapped_whole),
		cmocka_unit_test(pending_pool_reads_as_zeros_until_it_is_open),
		cmocka_unit_test(resizing_keeps_accesses_and_buffers_valid),
		cmocka_unit_test(truncated_file_reads_as_zeros_and_faults),
		cmocka_unit_test(truncated_chroma_plane_faults),
		cmocka_unit_test(overlapping_accesses_fault_separately),
		cmocka_unit_test(threads_survive_truncated_memory),
		cmocka_unit_test(sealed_file_is_mapped_read_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
