/* SPDX-License-Identifier: MIT */
/* The CPU copy engine: copies that wait for fences, and its queue. */

#include "copy/cpu.h"
#include "harness/mapped_dmabuf.h"
#include "harness/unit.h"
#include "util/fd.h"
#include "util/fence.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define TIMEOUT_MS 120000

static void wait_for(int fence)
{
	struct pollfd poller = {.fd = fence, .events = POLLIN};

	assert_int_equal(poll(&poller, 1, TIMEOUT_MS), 1);
}

/* A copy that waits for a pipe to become readable. */
struct waiting {
	struct copy_engine *engine; /* NULL: destroyed */
	struct copy_request request;
	struct mapped_dmabuf source, destination;
	pixman_region32_t damage;
	int gate; /* the pipe's writing end; -1: closed */
};

static void begin_waiting(struct waiting *waiting)
{
	int fds[2];

	*waiting = (struct waiting){0};
	assert_int_equal(cpu_engine_create(&waiting->engine), 0);
	mapped_dmabuf_init_linear(&waiting->source, DRM_FORMAT_XRGB8888, 64, 64, 4);
	mapped_dmabuf_init_linear(&waiting->destination, DRM_FORMAT_XRGB8888, 64, 64, 4);
	pixman_region32_init_rect(&waiting->damage, 0, 0, 64, 64);
	assert_int_equal(pipe(fds), 0);
	waiting->gate = fds[1];
	waiting->request.wait_fd = fds[0];
	waiting->request.damage = &waiting->damage;
	assert_int_equal(copy_engine_import(waiting->engine, &waiting->source.dmabuf, COPY_SOURCE,
				 &waiting->request.source),
		0);
	assert_int_equal(copy_engine_import(waiting->engine, &waiting->destination.dmabuf,
				 COPY_DESTINATION, &waiting->request.destination),
		0);
}

static void open_gate(struct waiting *waiting)
{
	assert_int_equal(write(waiting->gate, "", 1), 1);
}

/* Destroys the engine and its images. */
static void drop_engine(struct waiting *waiting)
{
	if (waiting->engine) {
		copy_image_drop(waiting->request.source);
		copy_image_drop(waiting->request.destination);
		copy_engine_destroy(waiting->engine);
		waiting->engine = NULL;
	}
}

static void finish_waiting(struct waiting *waiting)
{
	drop_engine(waiting);
	fd_close(&waiting->gate);
	fd_close(&waiting->request.wait_fd);
	mapped_dmabuf_finish(&waiting->source);
	mapped_dmabuf_finish(&waiting->destination);
	pixman_region32_fini(&waiting->damage);
}

/* A copy completes even if its engine and images are destroyed while it waits for its fence. */
static void copy_outlives_its_engine(void **state)
{
	struct waiting waiting;
	int fence;

	begin_waiting(&waiting);
	assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
	assert_int_equal(fence_status(fence), 0);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 1);
	drop_engine(&waiting);
	assert_int_equal(fence_status(fence), 0);
	open_gate(&waiting);
	wait_for(fence);
	assert_int_equal(fence_status(fence), 1);
	assert_memory_equal(waiting.source.map + waiting.source.dmabuf.offset[0],
		waiting.destination.map + waiting.destination.dmabuf.offset[0], 64 * 4);
	close(fence);
	finish_waiting(&waiting);
}

/* A copy whose fence fails, fails; the engine stays usable. */
static void failed_fence_fails_only_its_copy(void **state)
{
	struct waiting waiting;
	int fence;

	begin_waiting(&waiting);
	assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
	fd_close(&waiting.gate);
	wait_for(fence);
	assert_true(fence_status(fence) < 0);
	close(fence);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
	assert_int_equal(waiting.engine->stats.failures, 1);
	fd_close(&waiting.request.wait_fd);
	assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
	wait_for(fence);
	assert_int_equal(fence_status(fence), 1);
	close(fence);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
	finish_waiting(&waiting);
}

/* Returns the copies that the queue takes, which then wait for the gate. */
static int fill_queue(struct waiting *waiting, int *last)
{
	int n = 0, error, fence;

	*last = -1;
	while ((error = copy_engine_submit(waiting->engine, &waiting->request, &fence)) == 0) {
		fd_close(last);
		*last = fence;
		assert_in_range(++n, 1, 1000);
	}
	assert_int_equal(error, -EBUSY);
	return n;
}

/* Replaces the pipe, whose writing end may be closed. */
static void renew_gate(struct waiting *waiting)
{
	int fds[2];

	fd_close(&waiting->gate);
	fd_close(&waiting->request.wait_fd);
	assert_int_equal(pipe(fds), 0);
	waiting->request.wait_fd = fds[0];
	waiting->gate = fds[1];
}

/* Also copies that have not ended when an earlier one fails leave room for others. */
static void failed_copies_leave_the_queue_as_large_as_before(void **state)
{
	struct waiting waiting;
	int last, room;

	begin_waiting(&waiting);
	room = fill_queue(&waiting, &last);
	assert_in_range(room, 2, 1000);
	open_gate(&waiting);
	wait_for(last);
	close(last);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
	for (int n = 1; n < room; n++) {
		int fence = -1, failed = -1, gate;

		/* One fails while the others wait for another pipe. */
		renew_gate(&waiting);
		assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &failed), 0);
		gate = waiting.gate;
		waiting.gate = -1;
		renew_gate(&waiting);
		for (int i = 0; i < n; i++) {
			fd_close(&fence);
			assert_int_equal(
				copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
		}
		close(gate);
		wait_for(failed);
		assert_true(fence_status(failed) < 0);
		close(failed);
		assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
		open_gate(&waiting);
		wait_for(fence);
		assert_int_equal(fence_status(fence), 1);
		close(fence);
		/* All copies of a client that resets fail. */
		renew_gate(&waiting);
		assert_int_equal(fill_queue(&waiting, &last), room);
		fd_close(&waiting.gate);
		wait_for(last);
		close(last);
		assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
	}
	finish_waiting(&waiting);
}

/* CPU copies have a longer deadline, since a busy CPU is slow without being stuck. */
static void cpu_copy_has_a_longer_deadline(void **state)
{
	struct waiting waiting;
	int fence;

	begin_waiting(&waiting);
	assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
	assert_int_equal(copy_engine_reap(waiting.engine, COPY_DEADLINE), 1);
	assert_int_equal(copy_engine_reap(waiting.engine, COPY_DEADLINE_CPU), -ENODEV);
	close(fence);
	open_gate(&waiting);
	finish_waiting(&waiting);
}

static void full_queue_refuses_copies_until_it_drains(void **state)
{
	struct waiting waiting;
	int fence, last;

	begin_waiting(&waiting);
	fill_queue(&waiting, &last);
	open_gate(&waiting);
	wait_for(last);
	close(last);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
	assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
	wait_for(fence);
	close(fence);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
	finish_waiting(&waiting);
}

/* Returns the number of this process's mappings of buffers. */
static int count_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	int n = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		n += strstr(line, "memfd:") || strstr(line, "dmabuf");
	}
	fclose(maps);
	return n;
}

static void destroyed_images_are_unmapped(void **state)
{
	int before = count_mappings(), fence;
	struct waiting waiting;

	begin_waiting(&waiting);
	/* Two by the test, two by the engine. */
	assert_int_equal(count_mappings(), before + 4);
	open_gate(&waiting);
	assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
	wait_for(fence);
	close(fence);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
	drop_engine(&waiting);
	/* The thread drops the copy's references after its fence. */
	for (int i = 0; count_mappings() != before + 2; i++) {
		assert_in_range(i, 0, 10000);
		usleep(1000);
	}
	finish_waiting(&waiting);
	assert_int_equal(count_mappings(), before);
}

/* Calls of DMA_BUF_IOCTL_SYNC by their flags. */
static atomic_int n_syncs[8];

static bool emulates_dmabufs;

bool __real_fd_is_dmabuf(int fd);
bool __wrap_fd_is_dmabuf(int fd);

bool __wrap_fd_is_dmabuf(int fd)
{
	return emulates_dmabufs || __real_fd_is_dmabuf(fd);
}

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, void *argument);

int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	if (request == DMA_BUF_IOCTL_SYNC) {
		atomic_fetch_add(&n_syncs[((struct dma_buf_sync *)argument)->flags & 7], 1);
		return 0;
	}
	return __real_ioctl(fd, request, argument);
}

/* CPU caches are flushed and invalidated around the copy, for both buffers. */
static void copy_brackets_its_accesses(void **state)
{
	static const unsigned access[] = {DMA_BUF_SYNC_READ, DMA_BUF_SYNC_WRITE, DMA_BUF_SYNC_RW};
	struct waiting waiting;
	int fence, n_begun = 0, n_ended = 0;

	for (int i = 0; i < 8; i++) {
		atomic_store(&n_syncs[i], 0);
	}
	emulates_dmabufs = true;
	begin_waiting(&waiting);
	emulates_dmabufs = false;
	open_gate(&waiting);
	assert_int_equal(copy_engine_submit(waiting.engine, &waiting.request, &fence), 0);
	wait_for(fence);
	assert_int_equal(fence_status(fence), 1);
	close(fence);
	assert_int_equal(copy_engine_reap(waiting.engine, 0), 0);
	for (int i = 0; i < 3; i++) {
		int begun = atomic_load(&n_syncs[access[i] | DMA_BUF_SYNC_START]);
		int ended = atomic_load(&n_syncs[access[i] | DMA_BUF_SYNC_END]);
		assert_int_equal(begun, ended);
		n_begun += begun;
		n_ended += ended;
	}
	assert_int_equal(n_begun, 2);
	assert_int_equal(n_ended, 2);
	assert_int_equal(atomic_load(&n_syncs[DMA_BUF_SYNC_READ | DMA_BUF_SYNC_START]), 1);
	finish_waiting(&waiting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copy_outlives_its_engine),
		cmocka_unit_test(failed_fence_fails_only_its_copy),
		cmocka_unit_test(failed_copies_leave_the_queue_as_large_as_before),
		cmocka_unit_test(cpu_copy_has_a_longer_deadline),
		cmocka_unit_test(full_queue_refuses_copies_until_it_drains),
		cmocka_unit_test(destroyed_images_are_unmapped),
		cmocka_unit_test(copy_brackets_its_accesses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
