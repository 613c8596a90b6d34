/* Tests of content updates: pending, queued with blockers, current. */

#include "surface_common.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Linked in place of the real ones: a fence with an error is hard to come by, allocations count. */
int __wrap_fence_status(int fd);
int __real_fence_status(int fd);
void *__wrap_xcalloc(size_t n, size_t size);
void *__real_xcalloc(size_t n, size_t size);
void *__wrap_xrealloc(void *old, size_t n, size_t size);
void *__real_xrealloc(void *old, size_t n, size_t size);

static int broken_fence = -1;
static int n_allocations;

int __wrap_fence_status(int fd)
{
	return fd == broken_fence ? -EIO : __real_fence_status(fd);
}

void *__wrap_xcalloc(size_t n, size_t size)
{
	n_allocations++;
	return __real_xcalloc(n, size);
}

void *__wrap_xrealloc(void *old, size_t n, size_t size)
{
	n_allocations++;
	return __real_xrealloc(old, n, size);
}

struct scenario {
	struct wl_event_loop *loop;
	struct surface *surface;
	struct test_watch watch;
	struct test_buffer *a, *b;
};

static int set_up(void **state)
{
	struct scenario *scenario = __real_xcalloc(1, sizeof(*scenario));
	scenario->loop = wl_event_loop_create();
	scenario->surface = surface_create(scenario->loop, NULL);
	watch_init(&scenario->watch, scenario->surface);
	scenario->a = test_buffer_create(10, 10);
	scenario->b = test_buffer_create(20, 20);
	*state = scenario;
	return 0;
}

static int tear_down(void **state)
{
	struct scenario *scenario = *state;
	if (scenario->surface) {
		watch_finish(&scenario->watch);
		surface_destroy(scenario->surface);
	}
	buffer_drop(&scenario->a->base);
	buffer_drop(&scenario->b->base);
	wl_event_loop_destroy(scenario->loop);
	free(scenario);
	broken_fence = -1;
	return 0;
}

static void test_commit_applies(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	attach(surface, scenario->a);
	assert_null(surface->current.buffer);
	assert_true(derive_and_commit(surface));
	assert_ptr_equal(surface->current.buffer, &scenario->a->base);
	assert_true(surface_has_content(surface));
	assert_int_equal(surface->current.width, 10);
	assert_int_equal(surface->n_commits, 1);
	assert_int_equal(scenario->watch.n_applied, 1);
	assert_int_equal(scenario->watch.n_ready, 1);
	assert_int_equal(scenario->watch.fields, SURFACE_BUFFER | SURFACE_BUFFER_DAMAGE);
	assert_region(&scenario->watch.damage, 0, 0, 10, 10);
	/* Only while the signal is emitted. */
	assert_int_equal(surface->current.fields, 0);
	assert_false(pixman_region32_not_empty(&surface->current.buffer_damage));
	assert_null(surface->pending.buffer);
	assert_int_equal(surface->pending.fields, 0);

	/* An empty commit is an update too. */
	assert_true(derive_and_commit(surface));
	assert_int_equal(scenario->watch.n_applied, 2);
	assert_int_equal(scenario->watch.fields, 0);
	assert_ptr_equal(surface->current.buffer, &scenario->a->base);
	assert_int_equal(scenario->a->n_released, 0);

	attach(surface, scenario->b);
	derive_and_commit(surface);
	assert_int_equal(scenario->a->n_released, 1);
}

static void test_commits_do_not_allocate(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	for (int i = 0; i < 1000; i++) {
		if (i == 3) {
			n_allocations = 0;
		}
		attach(surface, i % 2 ? scenario->a : scenario->b);
		derive_and_commit(surface);
	}
	assert_int_equal(n_allocations, 0);
	assert_int_equal(scenario->watch.n_applied, 1000);
}

static bool refuse(struct surface *surface)
{
	return false;
}

static void count_applied(struct surface *surface)
{
	(*(int *)surface->role_data)++;
}

static void test_role(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	static const struct surface_role counting = {.name = "counting", .applied = count_applied};
	static const struct surface_role refusing = {.name = "refusing", .commit = refuse};
	int n = 0;
	assert_true(surface_set_role(surface, &counting, &n));
	assert_false(surface_set_role(surface, &counting, &n));
	assert_false(surface_set_role(surface, &refusing, &n));
	derive_and_commit(surface);
	assert_int_equal(n, 1);
	surface_clear_role_data(surface);
	derive_and_commit(surface);
	assert_int_equal(n, 1);
	assert_false(surface_set_role(surface, &refusing, &n));
	assert_true(surface_set_role(surface, &counting, &n));
	derive_and_commit(surface);
	assert_int_equal(n, 2);
	surface_clear_role_data(surface);

	struct surface *other = surface_create(scenario->loop, NULL);
	assert_true(surface_set_role(other, &refusing, &n));
	attach(other, scenario->a);
	assert_false(derive_and_commit(other));
	assert_null(other->current.buffer);
	assert_int_equal(other->n_commits, 0);
	surface_destroy(other);
}

static void test_blocker_delays_only_its_surface(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct surface *other = surface_create(scenario->loop, NULL);
	struct test_gate gate;
	attach(surface, scenario->a);
	derive_and_commit(surface);
	gate_init(&gate, surface);

	attach(surface, scenario->b);
	derive_and_commit(surface);
	assert_ptr_equal(surface->current.buffer, &scenario->a->base);
	assert_int_equal(scenario->a->n_released, 0);
	assert_int_equal(surface->n_queued, 1);
	assert_int_equal(scenario->watch.n_ready, 1);

	attach(other, scenario->b);
	derive_and_commit(other);
	assert_ptr_equal(other->current.buffer, &scenario->b->base);

	/* What comes later waits too, though nothing blocks it. */
	gate.closed = false;
	surface->pending.scale = 2;
	surface->pending.fields = SURFACE_SCALE;
	derive_and_commit(surface);
	assert_int_equal(surface->current.scale, 1);
	assert_int_equal(surface->n_queued, 2);

	gate_pass(&gate);
	assert_int_equal(surface->n_queued, 0);
	assert_int_equal(scenario->watch.n_applied, 3);
	assert_ptr_equal(surface->current.buffer, &scenario->b->base);
	assert_int_equal(surface->current.scale, 2);
	assert_int_equal(surface->current.width, 10);
	assert_int_equal(scenario->a->n_released, 1);
	gate_finish(&gate);
	surface_destroy(other);
}

/* Updates apply in the order of their commits, whatever the order of their blockers. */
static void test_order(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_gate gate;
	gate_init(&gate, surface);
	attach(surface, scenario->a);
	derive_and_commit(surface);
	attach(surface, scenario->b);
	derive_and_commit(surface);
	struct test_blocker *second = wl_container_of(gate.blockers.prev, second, link);
	blocker_clear(&second->base);
	assert_int_equal(scenario->watch.n_applied, 0);
	gate_pass(&gate);
	assert_int_equal(scenario->watch.n_applied, 2);
	assert_ptr_equal(surface->current.buffer, &scenario->b->base);
	gate_finish(&gate);
}

static void test_queue_is_bounded(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_counts counts = {0};
	struct test_gate gate;
	gate_init(&gate, surface);
	gate.fields = SURFACE_BUFFER;
	for (int i = 0; i < 100000; i++) {
		if (i == 1000) {
			n_allocations = 0;
		}
		attach(surface, i % 2 ? scenario->a : scenario->b);
		if (i < 5) {
			request_frame(surface, &counts);
		}
		derive_and_commit(surface);
		assert_true(surface->n_queued <= UPDATE_QUEUE_MAX);
		/* What waited for a buffer that was replaced is gone. */
		assert_true(gate.n_blockers <= UPDATE_QUEUE_MAX);
	}
	assert_int_equal(surface->n_queued, UPDATE_QUEUE_MAX);
	assert_int_equal(n_allocations, 99000); /* the blockers themselves */
	while (gate.n_blockers > 0) {
		gate_pass(&gate);
	}
	assert_int_equal(surface->n_queued, 0);
	assert_ptr_equal(surface->current.buffer, &scenario->a->base);
	assert_int_equal(scenario->watch.n_applied, UPDATE_QUEUE_MAX);
	/* Nobody is told twice or forgotten. */
	surface_send_frame_done(surface, 77);
	assert_int_equal(counts.done, 5);
	assert_int_equal(counts.last_ms, 77);
	assert_true(wl_list_empty(&surface->current.frame_callbacks));
	gate_finish(&gate);
}

/* A blocker that nothing replaces (fifo, a time) moves along in a merge. */
static void test_lasting_blockers_move(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_gate gate;
	gate_init(&gate, surface);
	for (int i = 0; i < UPDATE_QUEUE_MAX + 3; i++) {
		attach(surface, scenario->a);
		derive_and_commit(surface);
	}
	assert_int_equal(gate.n_blockers, UPDATE_QUEUE_MAX + 3);
	for (int i = 0; i < UPDATE_QUEUE_MAX + 2; i++) {
		assert_true(surface->n_queued > 0);
		gate_pass(&gate);
	}
	assert_int_equal(scenario->watch.n_applied, UPDATE_QUEUE_MAX - 1);
	gate_pass(&gate);
	assert_int_equal(scenario->watch.n_applied, UPDATE_QUEUE_MAX);
	gate_finish(&gate);
}

static void test_destroy_with_queue(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_counts counts = {0};
	struct test_gate gate;
	gate_init(&gate, surface);
	attach(surface, scenario->a);
	request_frame(surface, &counts);
	request_feedback(surface, &counts);
	derive_and_commit(surface);
	request_frame(surface, &counts);
	attach(surface, scenario->b);
	watch_finish(&scenario->watch);
	gate_finish(&gate);
	surface_destroy(surface);
	scenario->surface = NULL;
	assert_int_equal(gate.n_blockers, 0);
	assert_int_equal(counts.dropped, 2);
	assert_int_equal(counts.discarded, 1);
	assert_int_equal(scenario->a->base.n_locks, 0);
	assert_int_equal(scenario->b->base.n_locks, 0);
}

static void test_feedback_of_superseded_content(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_counts counts = {0};
	attach(surface, scenario->a);
	request_feedback(surface, &counts);
	request_feedback(surface, &counts);
	derive_and_commit(surface);
	assert_int_equal(counts.discarded, 0);
	attach(surface, scenario->b);
	request_feedback(surface, &counts);
	derive_and_commit(surface);
	assert_int_equal(counts.discarded, 2);
	assert_int_equal(counts.presented, 0);

	/* A frame took it: it is safe from later commits. */
	struct wl_list taken;
	wl_list_init(&taken);
	wl_list_insert_list(&taken, &surface->current.feedbacks);
	wl_list_init(&surface->current.feedbacks);
	derive_and_commit(surface);
	assert_int_equal(counts.discarded, 2);
	struct presentation_feedback *feedback = wl_container_of(taken.next, feedback, link);
	feedback->presented(feedback, NULL, NULL);
	assert_int_equal(counts.presented, 1);
}

static void test_early_release(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	attach(surface, scenario->a);
	derive_and_commit(surface);
	surface_release_buffer(surface);
	assert_int_equal(scenario->a->n_released, 1);
	assert_null(surface->current.buffer);
	assert_true(surface_has_content(surface));
	derive_and_commit(surface);
	assert_true(surface_has_content(surface));
	assert_int_equal(surface->current.width, 10);
	assert_int_equal(surface->current.buffer_width, 10);

	/* The content, not the buffer, is what NULL takes away. */
	attach(surface, NULL);
	derive_and_commit(surface);
	assert_false(surface_has_content(surface));
	assert_int_equal(scenario->a->n_released, 1);
}

/* Puts the update off once, as a copy that it starts would. */
struct late {
	struct test_blocker blocker;
	struct test_gate gate;
	struct wl_listener ready;
	int n;
};

static void leave_blocker(struct blocker *blocker)
{
}

static void handle_ready_once(struct wl_listener *listener, void *data)
{
	static const struct blocker_impl impl = {.destroy = leave_blocker};
	struct late *late = wl_container_of(listener, late, ready);
	if (late->n++ == 0) {
		blocker_init(&late->blocker.base, &impl, data, SURFACE_BUFFER);
	}
}

static void test_ready_may_block(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct late late = {.ready.notify = handle_ready_once};
	wl_signal_add(&surface->events.ready, &late.ready);
	attach(surface, scenario->a);
	derive_and_commit(surface);
	assert_int_equal(late.n, 1);
	assert_int_equal(scenario->watch.n_applied, 0);
	blocker_clear(&late.blocker.base);
	assert_int_equal(late.n, 2);
	assert_int_equal(scenario->watch.n_applied, 1);
	wl_list_remove(&late.ready.link);
}

/* File descriptors */

struct fd_gate {
	struct wl_listener commit;
	int fd; /* handed to the next update; -1: none */
	bool result;
};

static void handle_fd_commit(struct wl_listener *listener, void *data)
{
	struct fd_gate *gate = wl_container_of(listener, gate, commit);
	if (gate->fd >= 0) {
		gate->result = update_wait_fd(data, gate->fd, WL_EVENT_READABLE);
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
	wl_list_remove(&gate.commit.link);
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

/* Extensions */

struct note {
	int value;
	bool set;
	int *n_alive;
};

static int notes_alive;

static void init_note(void *state)
{
	struct note *note = state;
	note->n_alive = &notes_alive;
	notes_alive++;
}

static void finish_note(void *state)
{
	struct note *note = state;
	(*note->n_alive)--;
}

static void merge_note(void *to_state, void *from_state)
{
	struct note *to = to_state, *from = from_state;
	if (from->set) {
		to->value = from->value;
		to->set = true;
		from->set = false;
	}
}

static const struct surface_extension_impl note_impl = {
	.state_size = sizeof(struct note),
	.init = init_note,
	.finish = finish_note,
	.merge = merge_note,
};

static void merge_sum(void *to, void *from)
{
	*(int *)to += *(int *)from;
	*(int *)from = 0;
}

static const struct surface_extension_impl sum_impl = {
	.state_size = sizeof(int),
	.merge = merge_sum,
};

static void set_note(struct surface_extension *extension, int value)
{
	struct note *note = surface_extension_pending(extension);
	note->value = value;
	note->set = true;
}

static int current_note(struct surface_extension *extension)
{
	const struct note *note = surface_extension_current(extension);
	return note->value;
}

static void test_extension_travels(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct surface_extension note, sum;
	struct test_gate gate;
	gate_init(&gate, surface);
	surface_extension_init(&note, surface, &note_impl);
	surface_extension_init(&sum, surface, &sum_impl);
	assert_int_not_equal(note.index, sum.index);

	for (int i = 1; i <= 3; i++) {
		set_note(&note, i);
		*(int *)surface_extension_pending(&sum) = i;
		derive_and_commit(surface);
		assert_int_equal(current_note(&note), 0);
	}
	for (int i = 1; i <= 3; i++) {
		gate_pass(&gate);
		assert_int_equal(current_note(&note), i);
		assert_int_equal(*(int *)surface_extension_current(&sum), i * (i + 1) / 2);
	}
	/* An update that sets nothing leaves it. */
	derive_and_commit(surface);
	gate_pass(&gate);
	assert_int_equal(current_note(&note), 3);

	/* It goes at once, from blocked updates too; its place is another's. */
	set_note(&note, 9);
	*(int *)surface_extension_pending(&sum) = 100;
	derive_and_commit(surface);
	int index = note.index;
	surface_extension_finish(&note);
	assert_int_equal(notes_alive, 0);
	struct surface_extension again;
	surface_extension_init(&again, surface, &sum_impl);
	assert_int_equal(again.index, index);
	*(int *)surface_extension_pending(&again) = 5;
	derive_and_commit(surface);
	gate_pass(&gate);
	assert_int_equal(*(int *)surface_extension_current(&again), 0);
	assert_int_equal(*(int *)surface_extension_current(&sum), 106);
	gate_pass(&gate);
	assert_int_equal(*(int *)surface_extension_current(&again), 5);
	surface_extension_finish(&again);
	surface_extension_finish(&sum);
	gate_finish(&gate);
}

static void test_opaque_and_input(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct surface_state *pending = &surface->pending;
	pixman_region32_t region;
	pixman_region32_init(&region);
	surface_opaque_region(surface, &region);
	assert_false(pixman_region32_not_empty(&region));
	assert_false(surface_accepts_input(surface, (struct coord_surface){1, 1}));

	attach(surface, scenario->a);
	pixman_region32_union_rect(&pending->opaque, &pending->opaque, -5, 2, 100, 3);
	pending->fields |= SURFACE_OPAQUE;
	derive_and_commit(surface);
	surface_opaque_region(surface, &region);
	assert_region(&region, 0, 2, 10, 3);
	assert_true(surface_accepts_input(surface, (struct coord_surface){9.99, 0}));
	assert_false(surface_accepts_input(surface, (struct coord_surface){10, 0}));
	assert_false(surface_accepts_input(surface, (struct coord_surface){-0.01, 0}));

	pixman_region32_fini(&pending->input);
	pixman_region32_init_rect(&pending->input, 4, 4, 2, 2);
	pending->alpha = 0.5f;
	pending->fields |= SURFACE_INPUT | SURFACE_ALPHA;
	derive_and_commit(surface);
	surface_opaque_region(surface, &region);
	assert_false(pixman_region32_not_empty(&region));
	assert_true(surface_accepts_input(surface, (struct coord_surface){5.99, 4}));
	assert_false(surface_accepts_input(surface, (struct coord_surface){3.99, 4}));
	pixman_region32_fini(&region);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
		TEST(test_commit_applies),
		TEST(test_commits_do_not_allocate),
		TEST(test_role),
		TEST(test_blocker_delays_only_its_surface),
		TEST(test_order),
		TEST(test_queue_is_bounded),
		TEST(test_lasting_blockers_move),
		TEST(test_destroy_with_queue),
		TEST(test_feedback_of_superseded_content),
		TEST(test_early_release),
		TEST(test_ready_may_block),
		TEST(test_fence),
		TEST(test_surface_goes_before_its_fence),
		TEST(test_broken_fence),
		TEST(test_broken_fence_at_once),
		TEST(test_extension_travels),
		TEST(test_opaque_and_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
