/* SPDX-License-Identifier: MIT */
/* Content updates that wait for fences. */

#include "buffer/shm.h"
#include "harness/surface.h"
#include "util/fd.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

/* Replaces the real function to simulate a fence with an error. */
int __wrap_fence_status(int fd);
int __real_fence_status(int fd);

static int broken_fence = -1;

int __wrap_fence_status(int fd)
{
	return fd == broken_fence ? -EIO : __real_fence_status(fd);
}

static int tear_down(void **state)
{
	broken_fence = -1;
	return scenario_tear_down(state);
}

struct fd_gate {
	struct wl_listener commit;
	int fd; /* fence for the next update; -1: none */
	bool result;
};

static void handle_fd_commit(struct wl_listener *listener, void *data)
{
	struct fd_gate *gate = wl_container_of(listener, gate, commit);
	if (gate->fd >= 0) {
		gate->result = update_wait_fd(data, gate->fd);
		gate->fd = -1;
	}
}

/* Opens a fence: returns the test's descriptor; the next update takes a duplicate. */
static int open_gate(struct fd_gate *gate, struct surface *surface)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_true(fd >= 0);
	*gate = (struct fd_gate){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)};
	gate->commit.notify = handle_fd_commit;
	wl_signal_add(&surface->events.commit, &gate->commit);
	return fd;
}

static void signal_fd(int fd)
{
	assert_int_equal(eventfd_write(fd, 1), 0);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void update_waits_for_its_fence(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct fd_gate gate;
	int fd = open_gate(&gate, surface), taken = gate.fd;
	attach(surface, scenario->a);
	derive_and_commit(surface);
	assert_true(gate.result);
	wl_event_loop_dispatch(scenario->loop, 0);
	assert_int_equal(scenario->watch.n_applied, 0);
	assert_true(is_open(taken));
	signal_fd(fd);
	wl_event_loop_dispatch(scenario->loop, 0);
	assert_int_equal(scenario->watch.n_applied, 1);
	assert_ptr_equal(surface->current.buffer, &scenario->a->base);
	assert_false(is_open(taken));

	/* A signalled fence does not delay the update. */
	gate.fd = taken = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	attach(surface, scenario->b);
	derive_and_commit(surface);
	assert_true(gate.result);
	assert_int_equal(scenario->watch.n_applied, 2);
	assert_false(is_open(taken));

	/* An invalid descriptor. */
	gate.fd = 1000000;
	attach(surface, scenario->a);
	derive_and_commit(surface);
	assert_false(gate.result);
	assert_int_equal(scenario->watch.n_applied, 3);
	assert_ptr_equal(surface->current.buffer, &scenario->b->base);
	wl_list_remove(&gate.commit.link);
	close(fd);
}

/* Exhausts file descriptors. Returns the previous limit. */
static struct rlimit exhaust_descriptors(void)
{
	struct rlimit limit;
	int lowest = fcntl(0, F_DUPFD_CLOEXEC, 0);
	assert_true(lowest >= 0);
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	struct rlimit less = {.rlim_cur = (rlim_t)lowest, .rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
	return limit;
}

static void update_waits_without_a_descriptor_to_watch(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct fd_gate gate;
	int fd = open_gate(&gate, surface), taken = gate.fd;
	struct rlimit limit = exhaust_descriptors();
	attach(surface, scenario->a);
	derive_and_commit(surface);
	assert_true(gate.result);
	clock_advance(scenario->clock, INT64_C(100000000));
	wl_event_loop_dispatch(scenario->loop, 0);
	assert_int_equal(scenario->watch.n_applied, 0);
	assert_true(is_open(taken));
	signal_fd(fd);
	clock_advance(scenario->clock, INT64_C(100000000));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(scenario->watch.n_applied, 1);
	assert_ptr_equal(surface->current.buffer, &scenario->a->base);
	assert_false(is_open(taken));
	assert_false(clock_advance_to_next(scenario->clock)); /* no timer is left */
	wl_list_remove(&gate.commit.link);
	close(fd);
}

/* Attaches an unexamined pool's buffer where no descriptor is left to wait with. */
static void update_waits_for_its_pool(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct shm_pool *pool = shm_pool_create_pending(4096);
	struct buffer *buffer = shm_buffer_create(pool, 0, 8, 8, 32, DRM_FORMAT_XRGB8888);
	int file = fd_create_memory("pool", 4096, true);
	struct rlimit limit = exhaust_descriptors();
	buffer_replace(&surface->pending.buffer, buffer);
	surface->pending.fields |= SURFACE_BUFFER;
	damage_buffer(surface, 0, 0, 8, 8);
	derive_and_commit(surface);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	wl_event_loop_dispatch(scenario->loop, 0);
	assert_int_equal(scenario->watch.n_applied, 0);
	assert_int_equal(shm_pool_open(pool, file), 0);
	assert_int_equal(scenario->watch.n_applied, 1);
	assert_ptr_equal(surface->current.buffer, buffer);
	buffer_drop(buffer);
	shm_pool_unref(pool);
}

static struct dmabuf dmabuf_planes = {.n_planes = 1};

static const struct dmabuf *get_planes(struct buffer *buffer)
{
	return &dmabuf_planes;
}

static void close_planes(struct buffer *buffer)
{
	close(dmabuf_planes.fd[0]);
	buffer_finish(buffer);
}

static const struct buffer_impl dmabuf_impl = {.destroy = close_planes, .dmabuf = get_planes};

/* If the fence cannot be exported, the dma-buf itself is polled. */
static void update_waits_without_a_descriptor_to_export(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_true(fd >= 0);
	dmabuf_planes.fd[0] = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct buffer buffer;
	buffer_init(&buffer, &dmabuf_impl, 10, 10, DRM_FORMAT_XRGB8888);
	struct rlimit limit = exhaust_descriptors();
	surface->pending.fields |= SURFACE_BUFFER;
	buffer_replace(&surface->pending.buffer, &buffer);
	derive_and_commit(surface);
	clock_advance(scenario->clock, INT64_C(100000000));
	wl_event_loop_dispatch(scenario->loop, 0);
	assert_int_equal(scenario->watch.n_applied, 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	clock_advance(scenario->clock, INT64_C(100000000));
	signal_fd(fd);
	wl_event_loop_dispatch(scenario->loop, 0);
	assert_int_equal(scenario->watch.n_applied, 1);
	assert_ptr_equal(surface->current.buffer, &buffer);
	surface->pending.fields |= SURFACE_BUFFER;
	derive_and_commit(surface);
	assert_int_equal(buffer.n_locks, 0);
	buffer_drop(&buffer);
	close(fd);
}

static void surface_is_destroyed_before_its_fence(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct fd_gate gate;
	int fd = open_gate(&gate, surface), taken = gate.fd;
	attach(surface, scenario->a);
	derive_and_commit(surface);
	wl_list_remove(&gate.commit.link);
	watch_finish(&scenario->watch);
	surface_destroy(surface);
	scenario->surface = NULL;
	assert_false(is_open(taken));
	signal_fd(fd);
	wl_event_loop_dispatch(scenario->loop, 0);
	assert_int_equal(scenario->a->base.n_locks, 0);
	close(fd);
}

/*
 * The previous content stays; the remaining state of the update applies with the size of that
 * content.
 */
static void check_broken(struct scenario *scenario, bool at_once)
{
	struct surface *surface = scenario->surface;
	struct test_counts counts = {0};
	attach(surface, scenario->a);
	derive_and_commit(surface);

	struct fd_gate gate;
	int fd = open_gate(&gate, surface);
	broken_fence = gate.fd;
	if (at_once) {
		signal_fd(fd);
	}
	attach(surface, scenario->b);
	request_feedback(surface, &counts);
	request_frame(surface, &counts);
	surface->pending.scale = 2;
	surface->pending.fields |= SURFACE_SCALE;
	derive_and_commit(surface);
	/* An update without a buffer: its size depends on the previous buffer. */
	if (!at_once) {
		surface->pending.viewport =
			(struct viewport){.has_dst = true, .dst_width = 3, .dst_height = 3};
		surface->pending.fields |= SURFACE_VIEWPORT;
		derive_and_commit(surface);
		assert_int_equal(scenario->watch.n_applied, 1);
		signal_fd(fd);
		wl_event_loop_dispatch(scenario->loop, 0);
	}
	assert_int_equal(scenario->watch.n_applied, at_once ? 2 : 3);
	assert_ptr_equal(surface->current.buffer, &scenario->a->base);
	assert_int_equal(scenario->b->n_released, 1);
	assert_int_equal(scenario->a->n_released, 0);
	assert_int_equal(surface->current.scale, 2);
	assert_int_equal(surface->current.width, at_once ? 5 : 3);
	assert_int_equal(surface->current.buffer_width, 10);
	assert_int_equal(counts.discarded, 1);
	surface_send_frame_done(surface, 0);
	assert_int_equal(counts.done, 1);

	/* The next buffer's damage includes that of the dropped one. */
	surface->pending.viewport.has_dst = false;
	surface->pending.fields |= SURFACE_VIEWPORT | SURFACE_BUFFER;
	buffer_replace(&surface->pending.buffer, &scenario->b->base);
	damage_buffer(surface, 0, 0, 1, 1);
	derive_and_commit(surface);
	assert_ptr_equal(surface->current.buffer, &scenario->b->base);
	assert_int_equal(surface->current.width, 10);
	if (at_once) {
		assert_region(&scenario->watch.damage, 0, 0, 20, 20);
	}
	wl_list_remove(&gate.commit.link);
	close(fd);
}

static void failed_fence_keeps_the_previous_content(void **state)
{
	check_broken(*state, false);
}

static void failed_fence_at_commit_keeps_the_previous_content(void **state)
{
	check_broken(*state, true);
}

/* A synchronised subsurface merges its commits while waiting for the parent. */
static void fence_survives_a_merge_until_its_buffer_is_replaced(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct surface *parent = surface_create(scenario->loop, NULL);
	struct subsurface *subsurface = subsurface_create(surface, parent);
	struct fd_gate gate;
	int fd = open_gate(&gate, surface);
	attach(surface, scenario->a);
	derive_and_commit(surface);
	surface->pending.scale = 2;
	surface->pending.fields |= SURFACE_SCALE;
	derive_and_commit(surface);
	assert_int_equal(surface->n_queued, 1);
	derive_and_commit(parent);
	assert_int_equal(scenario->watch.n_applied, 0);
	signal_fd(fd);
	wl_event_loop_dispatch(scenario->loop, 0);
	assert_int_equal(scenario->watch.n_applied, 1);
	assert_ptr_equal(surface->current.buffer, &scenario->a->base);
	assert_int_equal(surface->current.scale, 2);
	wl_list_remove(&gate.commit.link);
	close(fd);

	/* A later buffer replaces the one with the fence. */
	fd = open_gate(&gate, surface);
	attach(surface, scenario->b);
	derive_and_commit(surface);
	attach(surface, scenario->a);
	derive_and_commit(surface);
	derive_and_commit(parent);
	assert_int_equal(scenario->watch.n_applied, 2);
	wl_list_remove(&gate.commit.link);
	close(fd);
	subsurface_destroy(subsurface);
	surface_destroy(parent);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, scenario_set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(update_waits_for_its_fence),
		TEST(update_waits_without_a_descriptor_to_watch),
		TEST(update_waits_for_its_pool),
		TEST(update_waits_without_a_descriptor_to_export),
		TEST(surface_is_destroyed_before_its_fence),
		TEST(fence_survives_a_merge_until_its_buffer_is_replaced),
		TEST(failed_fence_keeps_the_previous_content),
		TEST(failed_fence_at_commit_keeps_the_previous_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
