/* Tests of content updates that wait for fences. */

#include "surface_common.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

/* Linked in place of the real one: a fence with an error is hard to come by. */
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
	int fd; /* handed to the next update; -1: none */
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

/* One end that the test keeps, one that the next update takes. */
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

static void test_fence(void **state)
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

	/* Readable already: nothing waits. */
	gate.fd = taken = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	attach(surface, scenario->b);
	derive_and_commit(surface);
	assert_true(gate.result);
	assert_int_equal(scenario->watch.n_applied, 2);
	assert_false(is_open(taken));

	/* No descriptor at all. */
	gate.fd = 1000000;
	attach(surface, scenario->a);
	derive_and_commit(surface);
	assert_false(gate.result);
	assert_int_equal(scenario->watch.n_applied, 3);
	assert_ptr_equal(surface->current.buffer, &scenario->b->base);
	wl_list_remove(&gate.commit.link);
	close(fd);
}

/* Descriptors from `lowest` on cannot be opened until the limit is put back. */
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

static void test_no_descriptor_to_watch_a_fence_still_waits(void **state)
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

/* The kernel has no way to export its fence, or no descriptor for it: the dma-buf itself is polled. */
static void test_no_descriptor_for_a_dmabufs_fence_still_waits(void **state)
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

static void test_surface_goes_before_its_fence(void **state)
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

/* The content before stays; the rest of the update applies, in the size of that content. */
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
	/* Brings no buffer: what is right about its size depends on the one before. */
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

	/* Whoever compares with what is on screen has to hear of all that changed since. */
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

static void test_broken_fence(void **state)
{
	check_broken(*state, false);
}

static void test_broken_fence_at_once(void **state)
{
	check_broken(*state, true);
}

/* A synchronised subsurface merges its commits while it waits for the parent. */
static void test_fence_of_earlier_buffer_survives_merge(void **state)
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
		TEST(test_fence),
		TEST(test_no_descriptor_to_watch_a_fence_still_waits),
		TEST(test_no_descriptor_for_a_dmabufs_fence_still_waits),
		TEST(test_surface_goes_before_its_fence),
		TEST(test_fence_of_earlier_buffer_survives_merge),
		TEST(test_broken_fence),
		TEST(test_broken_fence_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
