/* SPDX-License-Identifier: MIT */
/* Buffers: locks and release, single colours, memory files, dma-bufs. */

#include "buffer/buffer.h"
#include "buffer/allocator.h"
#include "buffer/color.h"
#include "buffer/dmabuf_buffer.h"
#include "gpu/format.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Events of a buffer, one letter each: r(eleased), a(ddon destroyed), d(estroy event), f(reed). */
static char history[32];

static void note(char letter)
{
	size_t length = strlen(history);

	assert_true(length < sizeof(history) - 1);
	history[length] = letter;
	history[length + 1] = '\0';
}

static void destroy(struct buffer *buffer)
{
	buffer_finish(buffer);
	note('f');
	free(buffer);
}

static const struct buffer_impl impl = {.destroy = destroy};

struct watcher {
	struct buffer *buffer;
	struct wl_listener release, destroy;
	bool drop_on_release, lock_on_release;
};

static void handle_release(struct wl_listener *listener, void *data)
{
	struct watcher *watcher = wl_container_of(listener, watcher, release);

	assert_ptr_equal(data, watcher->buffer);
	note('r');
	if (watcher->lock_on_release) {
		buffer_unlock(buffer_lock(watcher->buffer));
	}
	if (watcher->drop_on_release) {
		buffer_drop(watcher->buffer);
	}
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct watcher *watcher = wl_container_of(listener, watcher, destroy);

	note('d');
	wl_list_remove(&watcher->release.link);
	wl_list_remove(&watcher->destroy.link);
}

static struct buffer *create(struct watcher *watcher)
{
	struct buffer *buffer = calloc(1, sizeof(*buffer));

	assert_non_null(buffer);
	history[0] = '\0';
	buffer_init(buffer, &impl, 3, 2, DRM_FORMAT_XRGB8888);
	*watcher = (struct watcher){.buffer = buffer};
	watcher->release.notify = handle_release;
	watcher->destroy.notify = handle_destroy;
	wl_signal_add(&buffer->events.release, &watcher->release);
	wl_signal_add(&buffer->events.destroy, &watcher->destroy);
	return buffer;
}

static void handle_addon_destroy(struct addon *addon)
{
	note('a');
	addon_finish(addon);
}

static const struct addon_impl addon_impl = {.name = "test", .destroy = handle_addon_destroy};

static void last_unlock_releases_or_frees_the_buffer(void **state)
{
	struct watcher watcher;
	struct buffer *buffer = create(&watcher);
	struct addon addon;

	addon_init(&addon, &buffer->addons, &watcher, &addon_impl);
	assert_ptr_equal(buffer_lock(buffer), buffer);
	buffer_lock(buffer);
	buffer_unlock(buffer);
	assert_string_equal(history, "");
	buffer_unlock(buffer);
	assert_string_equal(history, "r");
	buffer_unlock(buffer_lock(buffer));
	assert_string_equal(history, "rr"); /* again after each use */
	buffer_drop(buffer);
	assert_string_equal(history, "rradf");

	/* A reader outlives the producer: no release event is emitted. */
	buffer = create(&watcher);
	buffer_lock(buffer);
	buffer_drop(buffer);
	assert_string_equal(history, "");
	buffer_unlock(buffer);
	assert_string_equal(history, "df");

	assert_null(buffer_lock(NULL));
	buffer_unlock(NULL);
	buffer_drop(NULL);
}

static void release_handler_may_drop_the_buffer(void **state)
{
	struct watcher watcher;
	struct buffer *buffer = create(&watcher);

	watcher.drop_on_release = true;
	buffer_lock(buffer);
	buffer_unlock(buffer);
	assert_string_equal(history, "rdf");

	buffer = create(&watcher);
	watcher.lock_on_release = true;
	watcher.drop_on_release = true;
	buffer_unlock(buffer_lock(buffer));
	assert_string_equal(history, "rdf");
}

static void replacing_moves_the_lock(void **state)
{
	struct watcher watcher;
	struct buffer *buffer = create(&watcher), *slot = NULL;

	buffer_replace(&slot, buffer);
	assert_int_equal(buffer->n_locks, 1);
	buffer_replace(&slot, buffer); /* by itself: stays locked */
	assert_string_equal(history, "");
	assert_int_equal(buffer->n_locks, 1);
	buffer_replace(&slot, NULL);
	assert_null(slot);
	assert_string_equal(history, "r");
	buffer_drop(buffer);
}

static void single_color_has_no_pixels(void **state)
{
	struct buffer *clear = color_buffer_create(0x80000000, 0, 0, 0x80000000);
	struct buffer *full = color_buffer_create(0, UINT32_MAX, 0, UINT32_MAX);
	float rgba[4];
	size_t stride;
	void *data;

	assert_true(buffer_color(clear, rgba));
	assert_true(rgba[0] > 0.4999f && rgba[0] < 0.5001f && rgba[1] == 0.0f);
	assert_false(buffer_is_opaque(clear));
	assert_true(buffer_color(full, rgba));
	assert_true(rgba[1] == 1.0f && rgba[3] == 1.0f);
	assert_true(buffer_is_opaque(full));
	assert_int_equal(buffer_begin_access(full, BUFFER_READ, &data, &stride), -ENOTSUP);
	assert_null(buffer_dmabuf(full));
	buffer_drop(clear);
	buffer_drop(full);
}

static void memory_buffer_is_a_linear_dmabuf(void **state)
{
	struct allocator *allocator = memory_allocator_create();
	uint64_t tiled = 0x0200000000000001, linear = DRM_FORMAT_MOD_LINEAR;
	struct format_modifiers format = {DRM_FORMAT_ARGB8888, 1, &linear};
	struct buffer *buffer = allocator->impl->create_buffer(allocator, 33, 5, &format);
	const struct dmabuf *dmabuf;
	size_t stride;
	void *data;

	assert_non_null(buffer);
	assert_false(buffer_is_opaque(buffer));
	dmabuf = buffer_dmabuf(buffer);
	assert_int_equal(dmabuf->n_planes, 1);
	assert_int_equal(dmabuf->modifier, DRM_FORMAT_MOD_LINEAR);
	assert_int_equal(dmabuf->stride[0], 192); /* 132 bytes, by 64 */
	assert_int_equal(lseek(dmabuf->fd[0], 0, SEEK_END), sysconf(_SC_PAGESIZE));
	assert_int_equal(buffer_begin_access(buffer, BUFFER_WRITE, &data, &stride), 0);
	assert_int_equal(stride, 192);
	memset(data, 0xab, stride * 5);
	assert_true(buffer_end_access(buffer));
	buffer_drop(buffer);

	format.modifiers = &tiled;
	assert_null(allocator->impl->create_buffer(allocator, 33, 5, &format));
	assert_int_equal(errno, EINVAL);
	assert_null(memory_buffer_create(0, 5, DRM_FORMAT_ARGB8888));
	assert_null(memory_buffer_create(5, INT32_MAX, DRM_FORMAT_ARGB8888));
	assert_null(memory_buffer_create(5, 5, DRM_FORMAT_NV12));
	allocator_destroy(allocator);
	allocator_destroy(NULL);
}

static void describe(struct dmabuf *dmabuf, off_t size, uint32_t offset, uint64_t modifier)
{
	dmabuf_init(dmabuf);
	dmabuf->width = 16;
	dmabuf->height = 64;
	dmabuf->format = DRM_FORMAT_XRGB8888;
	dmabuf->modifier = modifier;
	dmabuf->n_planes = 1;
	dmabuf->fd[0] = fd_create_memory("dmabuf-test", size, false);
	dmabuf->offset[0] = offset;
	dmabuf->stride[0] = 128;
	assert_true(dmabuf->fd[0] >= 0);
}

/* cmocka replaces the handler in each test, and the first access in a process installs it. */
static void keep_guard(bool known)
{
	static struct sigaction guard;

	sigaction(SIGBUS, known ? &guard : NULL, known ? NULL : &guard);
}

static void linear_dmabuf_is_readable_until_truncated(void **state)
{
	const uint32_t red = 0x00ff0000;
	struct dmabuf dmabuf;
	struct buffer *buffer;
	size_t stride;
	void *data;
	int fd;

	describe(&dmabuf, 64 + 8192, 64, DRM_FORMAT_MOD_LINEAR);
	fd = dmabuf.fd[0];
	assert_int_equal(pwrite(fd, &red, 4, 64 + 128), 4);
	buffer = dmabuf_buffer_create(&dmabuf, NULL);
	assert_non_null(buffer);
	assert_int_equal(dmabuf.fd[0], -1);
	assert_true(buffer_is_client_dmabuf(buffer));
	assert_true(buffer_is_opaque(buffer));
	assert_int_equal(buffer_begin_access(buffer, BUFFER_READ, &data, &stride), 0);
	assert_int_equal(stride, 128);
	assert_int_equal(((const uint32_t *)data)[32], red);
	assert_true(buffer_end_access(buffer));
	keep_guard(false);

	/* The client truncates the memory while it is in use. */
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(buffer_begin_access(buffer, BUFFER_READ, &data, &stride), 0);
	assert_int_equal(((const uint32_t *)data)[32], red);
	assert_int_equal(((const volatile uint32_t *)data)[32 * 63], 0);
	assert_false(buffer_end_access(buffer));
	buffer_drop(buffer);
	assert_int_equal(close(fd), -1); /* closed with the buffer */
}

/* The kernel replaces huge pages as a whole only. */
static void truncated_huge_pages_read_as_zeros(void **state)
{
	int fd = memfd_create("dmabuf-test-huge", MFD_CLOEXEC | MFD_HUGETLB);
	size_t page = fd < 0 ? 0 : fd_page_size(fd), stride;
	void *data, *probe = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, 2 * (off_t)page) == 0) {
		probe = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fd, 0);
	}
	if (probe == MAP_FAILED) {
		skip_because("no huge pages are set aside (/proc/sys/vm/nr_hugepages)");
	}
	munmap(probe, 2 * page);
	struct dmabuf dmabuf;
	describe(&dmabuf, 0, (uint32_t)page + 8192, DRM_FORMAT_MOD_LINEAR);
	close(dmabuf.fd[0]);
	dmabuf.fd[0] = fd_dup(fd);
	struct buffer *buffer = dmabuf_buffer_create(&dmabuf, NULL);
	assert_non_null(buffer);
	keep_guard(true);
	assert_int_equal(buffer_begin_access(buffer, BUFFER_READ, &data, &stride), 0);
	assert_int_equal(ftruncate(fd, (off_t)page), 0);
	assert_int_equal(*(const volatile uint32_t *)data, 0);
	assert_false(buffer_end_access(buffer));
	buffer_drop(buffer);
	close(fd);
}

static void dmabuf_must_lie_within_its_file(void **state)
{
	struct dmabuf dmabuf;
	struct buffer *buffer;
	size_t stride;
	void *data;
	int fd;

	describe(&dmabuf, 64 + 8191, 64, DRM_FORMAT_MOD_LINEAR);
	fd = dmabuf.fd[0];
	assert_null(dmabuf_buffer_create(&dmabuf, NULL));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(close(fd), -1);
	describe(&dmabuf, 8192, UINT32_MAX, DRM_FORMAT_MOD_LINEAR);
	assert_null(dmabuf_buffer_create(&dmabuf, NULL));

	/* A last row that is longer than its stride would be read beyond the file. */
	describe(&dmabuf, 8192, 0, DRM_FORMAT_MOD_LINEAR);
	dmabuf.width = 33;
	assert_null(dmabuf_buffer_create(&dmabuf, NULL));
	describe(&dmabuf, 8192, 0, DRM_FORMAT_MOD_LINEAR);
	dmabuf.width = INT32_MAX;
	dmabuf.stride[0] = INT32_MAX;
	assert_null(dmabuf_buffer_create(&dmabuf, NULL));
	describe(&dmabuf, 4096, 0, DRM_FORMAT_MOD_INVALID);
	buffer = dmabuf_buffer_create(&dmabuf, NULL);
	assert_non_null(buffer);
	assert_int_equal(buffer_begin_access(buffer, BUFFER_READ, &data, &stride), -EINVAL);
	buffer_drop(buffer);

	/* Only the driver knows the size of a tiled buffer; the CPU cannot read it. */
	describe(&dmabuf, 4096, 64, 0x0200000000000001);
	buffer = dmabuf_buffer_create(&dmabuf, NULL);
	assert_non_null(buffer);
	assert_int_equal(buffer_begin_access(buffer, BUFFER_READ, &data, &stride), -ENOTSUP);
	buffer_drop(buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_unlock_releases_or_frees_the_buffer),
		cmocka_unit_test(release_handler_may_drop_the_buffer),
		cmocka_unit_test(replacing_moves_the_lock),
		cmocka_unit_test(single_color_has_no_pixels),
		cmocka_unit_test(memory_buffer_is_a_linear_dmabuf),
		cmocka_unit_test(linear_dmabuf_is_readable_until_truncated),
		cmocka_unit_test(truncated_huge_pages_read_as_zeros),
		cmocka_unit_test(dmabuf_must_lie_within_its_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
