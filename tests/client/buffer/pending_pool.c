/* SPDX-License-Identifier: MIT */
/*
 * Pools of shared memory whose file a thread still examines: captures, cursors, drag icons and
 * icons of windows wait for them. The test holds that thread.
 */

#include "backend/headless.h"
#include "buffer/shm.h"
#include "harness/await.h"
#include "harness/client/capture_world.h"
#include "harness/client/reload.h"
#include "harness/descriptors.h"
#include "harness/hand.h"
#include "kde-server-decoration-client-protocol.h"
#include "seat/seat.h"
#include "surface/surface.h"
#include "util/fd.h"
#include "xdg-toplevel-icon-v1-client-protocol.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#define OUTPUT_WIDTH 320
#define OUTPUT_HEIGHT 240

/* The thread */

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool held, refused;
} gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/** Whether new pools are pending, as those of files on a disk are. */
static bool pools_are_files;

bool __real_fd_is_memory(int fd);
bool __wrap_fd_is_memory(int fd);
int __real_fstatfs64(int fd, struct statfs *system);
int __wrap_fstatfs64(int fd, struct statfs *system);

bool __wrap_fd_is_memory(int fd)
{
	return !pools_are_files && __real_fd_is_memory(fd);
}

/* Called by the thread that examines a pool's file. */
int __wrap_fstatfs64(int fd, struct statfs *system)
{
	pthread_mutex_lock(&gate.mutex);
	while (gate.held) {
		pthread_cond_wait(&gate.changed, &gate.mutex);
	}
	bool refused = gate.refused;
	pthread_mutex_unlock(&gate.mutex);
	if (refused) {
		errno = EIO;
		return -1;
	}
	return __real_fstatfs64(fd, system);
}

/* From now on pools stay pending. */
static void hold(struct fixture *fixture)
{
	pthread_mutex_lock(&gate.mutex);
	gate.held = true;
	pthread_mutex_unlock(&gate.mutex);
	pools_are_files = true;
	fixture->holds_tasks = true;
}

static void let_go(bool refuse)
{
	pthread_mutex_lock(&gate.mutex);
	gate.held = false;
	gate.refused = refuse;
	pthread_cond_broadcast(&gate.changed);
	pthread_mutex_unlock(&gate.mutex);
}

/* Opens all pending pools; later ones are pending for a moment. */
static void open_pools(struct fixture *fixture)
{
	let_go(false);
	fixture->holds_tasks = false;
	fixture_pump(fixture);
}

/* The world */

struct test {
	struct world world;
	bool screencopy; /* the capture protocol */
	struct zwlr_screencopy_manager_v1 *manager;
	/** Of ext-image-copy-capture, one for each capture in progress; NULL: not created yet. */
	struct capturer_session *sessions[2];
};

/** Number after the first test: Mesa keeps some. */
static int n_descriptors;

static int begin(void **state)
{
	struct test *test = *state;
	set_up(state);
	if (test->screencopy) {
		test->manager =
			peer_bind(test->world.other, &zwlr_screencopy_manager_v1_interface, 0);
	}
	return 0;
}

static int end(void **state)
{
	struct test *test = *state;
	let_go(false);
	pools_are_files = false;
	for (int i = 0; i < 2; i++) {
		if (test->sessions[i]) {
			capturer_session_destroy(test->sessions[i]);
			test->sessions[i] = NULL;
		}
	}
	tear_down(state);
	if (n_descriptors == 0) {
		n_descriptors = count_descriptors();
	}
	expect_descriptors(n_descriptors);
	return 0;
}

static struct peer_buffer *create_buffer(struct test *test)
{
	return peer_buffer_create(
		test->world.other, OUTPUT_WIDTH, OUTPUT_HEIGHT, WL_SHM_FORMAT_XRGB8888);
}

/* Captures what changed on the output since the last capture of this index into the buffer. */
static struct capturer_frame *capture(struct test *test, int index, struct peer_buffer *buffer)
{
	if (test->screencopy) {
		struct capturer_frame *frame =
			capturer_screencopy(test->world.other, test->manager, NULL);
		frame->buffer = buffer;
		capturer_screencopy_copy(frame, true);
		return frame;
	}
	if (!test->sessions[index]) {
		test->sessions[index] = output_session(&test->world, 0);
	}
	return capturer_frame_create_with(test->sessions[index], buffer);
}

static bool has_ended(const struct capturer_frame *frame)
{
	return frame->ready || frame->failed;
}

/* A GPU may still draw when the fixture is idle. */
static void await_end(struct capturer_frame *frame)
{
	await(has_ended(frame), fixture_pump(frame->peer->fixture));
}

static void expect_waiting(struct capturer_frame *frame)
{
	fixture_frames(frame->peer->fixture, 3);
	assert_false(has_ended(frame));
}

static void expect_captured(struct capturer_frame *frame)
{
	await_end(frame);
	struct image *shot = fixture_shot(frame->peer->fixture, 0);
	capturer_expect(frame, shot, 0, 0);
	image_destroy(shot);
}

/* Fills a rectangle at this distance from the window's left and top edge, and shows it. */
static void change(struct test *test, int distance, uint32_t color)
{
	struct peer_window *window = test->world.window;
	peer_buffer_fill(window->buffer, distance, distance, 5, 6, color);
	wl_surface_attach(window->surface, window->buffer->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, distance, distance, 5, 6);
	wl_surface_commit(window->surface);
	fixture_frames(test->world.fixture, 3);
}

/* Captures */

static void capture_waits_until_the_pool_is_open(void **state)
{
	struct test *test = *state;
	hold(test->world.fixture);
	struct capturer_frame *frame = capture(test, 0, create_buffer(test));
	expect_waiting(frame);
	open_pools(test->world.fixture);
	expect_captured(frame);
	capturer_frame_destroy(frame);
}

/* Content, damage and time are those of the moment when the pool is opened. */
static void capture_that_waited_shows_the_newest_content(void **state)
{
	struct test *test = *state;
	struct fixture *fixture = test->world.fixture;
	hold(fixture);
	struct peer_buffer *buffer = create_buffer(test);
	struct capturer_frame *frame = capture(test, 0, buffer);
	expect_waiting(frame);
	change(test, 10, 0xff010203);
	assert_false(has_ended(frame));
	const int64_t opened = clock_now(fixture->clock);
	open_pools(fixture);
	expect_captured(frame);
	assert_int_equal(capturer_pixel(frame, 30, 40), 0x010203);
	capturer_expect_damage(frame, &(struct box){0, 0, OUTPUT_WIDTH, OUTPUT_HEIGHT});
	assert_int_equal(frame->when, opened);
	capturer_frame_destroy(frame);
	/* The change was reported with that frame. */
	frame = capture(test, 0, buffer);
	expect_waiting(frame);
	change(test, 20, 0xff040506);
	await_end(frame);
	assert_true(frame->ready);
	capturer_expect_damage(frame, &(struct box){40, 50, 5, 6});
	capturer_frame_destroy(frame);
}

/* Two buffers of the output's size in one pool, which grows for the second one. */
struct pair {
	void *data;
	struct peer_buffer buffers[2]; /* no others of their members are used */
};

static struct pair create_pair(struct test *test)
{
	const int32_t size = OUTPUT_WIDTH * OUTPUT_HEIGHT * 4;
	struct pair pair = {0};
	int fd = fd_create_memory("pair", 2 * (off_t)size, true);
	assert_true(fd >= 0);
	pair.data = mmap(NULL, 2 * (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(pair.data, MAP_FAILED);
	struct wl_shm_pool *pool = wl_shm_create_pool(test->world.other->shm, fd, size);
	wl_shm_pool_resize(pool, 2 * size);
	for (int i = 0; i < 2; i++) {
		pair.buffers[i] = (struct peer_buffer){
			.buffer = wl_shm_pool_create_buffer(pool, i * size, OUTPUT_WIDTH,
				OUTPUT_HEIGHT, OUTPUT_WIDTH * 4, WL_SHM_FORMAT_XRGB8888),
			.pixels = (uint32_t *)((char *)pair.data + i * size),
			.width = OUTPUT_WIDTH,
			.height = OUTPUT_HEIGHT,
		};
	}
	wl_shm_pool_destroy(pool);
	close(fd);
	return pair;
}

static void destroy_pair(struct pair *pair)
{
	for (int i = 0; i < 2; i++) {
		wl_buffer_destroy(pair->buffers[i].buffer);
	}
	munmap(pair->data, 2 * OUTPUT_WIDTH * OUTPUT_HEIGHT * 4);
}

static void captures_into_one_pool_wait_together(void **state)
{
	struct test *test = *state;
	hold(test->world.fixture);
	struct pair pair = create_pair(test);
	struct capturer_frame *first = capture(test, 0, &pair.buffers[0]);
	struct capturer_frame *second = capture(test, 1, &pair.buffers[1]);
	expect_waiting(first);
	expect_waiting(second);
	open_pools(test->world.fixture);
	expect_captured(first);
	expect_captured(second);
	capturer_frame_destroy(first);
	capturer_frame_destroy(second);
	destroy_pair(&pair);
}

static void capture_waits_in_a_pool_that_grows(void **state)
{
	struct test *test = *state;
	hold(test->world.fixture);
	struct pair pair = create_pair(test);
	struct capturer_frame *frame = capture(test, 0, &pair.buffers[1]);
	expect_waiting(frame);
	open_pools(test->world.fixture);
	expect_captured(frame);
	capturer_frame_destroy(frame);
	destroy_pair(&pair);
}

/* The pool's object is destroyed as well. */
static void capture_completes_after_its_buffer_is_destroyed(void **state)
{
	struct test *test = *state;
	hold(test->world.fixture);
	struct peer_buffer *buffer = create_buffer(test);
	struct capturer_frame *frame = capture(test, 0, buffer);
	wl_buffer_destroy(buffer->buffer);
	buffer->buffer = NULL;
	expect_waiting(frame);
	open_pools(test->world.fixture);
	expect_captured(frame);
	capturer_frame_destroy(frame);
}

static void frame_can_be_destroyed_while_it_waits(void **state)
{
	struct test *test = *state;
	hold(test->world.fixture);
	struct peer_buffer *buffer = create_buffer(test);
	struct capturer_frame *frame = capture(test, 0, buffer);
	expect_waiting(frame);
	capturer_frame_destroy(frame);
	/* Another one of the same buffer takes the whole damage. */
	frame = capture(test, 0, buffer);
	expect_waiting(frame);
	open_pools(test->world.fixture);
	expect_captured(frame);
	capturer_expect_damage(frame, &(struct box){0, 0, OUTPUT_WIDTH, OUTPUT_HEIGHT});
	capturer_frame_destroy(frame);
}

static void pool_can_be_opened_after_its_frame_is_destroyed(void **state)
{
	struct test *test = *state;
	hold(test->world.fixture);
	struct peer_buffer *buffer = create_buffer(test);
	struct capturer_frame *frame = capture(test, 0, buffer);
	expect_waiting(frame);
	capturer_frame_destroy(frame);
	open_pools(test->world.fixture);
	frame = capture(test, 0, buffer);
	expect_captured(frame);
	capturer_frame_destroy(frame);
}

static void client_can_leave_while_it_waits(void **state)
{
	struct test *test = *state;
	hold(test->world.fixture);
	struct capturer_frame *frame = capture(test, 0, create_buffer(test));
	expect_waiting(frame);
	wl_client_destroy(test->world.other->client);
	open_pools(test->world.fixture);
	assert_false(has_ended(frame));
	assert_true(peer_alive(test->world.peer));
	capturer_frame_destroy(frame);
}

static void refused_pool_disconnects_the_client_that_waits(void **state)
{
	struct test *test = *state;
	struct peer *watcher = test->world.other;
	hold(test->world.fixture);
	struct capturer_frame *frame = capture(test, 0, create_buffer(test));
	expect_waiting(frame);
	let_go(true);
	test->world.fixture->holds_tasks = false;
	peer_expect_error(watcher, &wl_shm_interface, WL_SHM_ERROR_INVALID_FD);
	assert_false(has_ended(frame));
	assert_true(peer_alive(test->world.peer));
	capturer_frame_destroy(frame);
}

static void capture_fails_when_its_output_goes(void **state)
{
	struct test *test = *state;
	struct fixture *fixture = test->world.fixture;
	hold(fixture);
	struct capturer_frame *frame = capture(test, 0, create_buffer(test));
	expect_waiting(frame);
	headless_remove_output(fixture->server->scene->outputs[0]->output);
	fixture_pump(fixture);
	assert_true(frame->failed);
	if (!test->screencopy) {
		assert_int_equal(
			frame->reason, EXT_IMAGE_COPY_CAPTURE_FRAME_V1_FAILURE_REASON_STOPPED);
	}
	open_pools(fixture);
	assert_false(frame->ready);
	assert_true(peer_alive(test->world.other));
	capturer_frame_destroy(frame);
}

static void capture_fails_when_its_output_is_resized(void **state)
{
	struct test *test = *state;
	struct fixture *fixture = test->world.fixture;
	hold(fixture);
	struct capturer_frame *frame = capture(test, 0, create_buffer(test));
	expect_waiting(frame);
	assert_true(reload_text(fixture, "[output HEADLESS-1]\nmode = 300x200\n"));
	fixture_frames(fixture, 3);
	assert_true(frame->failed);
	open_pools(fixture);
	assert_false(frame->ready);
	capturer_frame_destroy(frame);
}

/* As wf-recorder does: a new buffer for each frame, and then the same ones again. */
static void recording_into_files_continues(void **state)
{
	struct test *test = *state;
	struct peer_buffer *buffers[3];
	hold(test->world.fixture);
	for (int i = 0; i < 9; i++) {
		if (i < 3) {
			buffers[i] = create_buffer(test);
		}
		struct capturer_frame *frame = capture(test, 0, buffers[i % 3]);
		if (i == 0) {
			expect_waiting(frame);
			open_pools(test->world.fixture);
		}
		change(test, 2 * i, 0xff000001 + (uint32_t)i);
		await_end(frame);
		assert_true(frame->ready);
		capturer_frame_destroy(frame);
	}
}

/* Surfaces and icons */

/* Creates a pending buffer of 16x16 pixels of one colour. */
static struct peer_buffer *create_icon(struct test *test)
{
	hold(test->world.fixture);
	struct peer_buffer *buffer =
		peer_buffer_create(test->world.peer, 16, 16, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, 16, 16, 0xff112233);
	return buffer;
}

static uint32_t settled_pixel(struct test *test, int x, int y)
{
	fixture_settle(test->world.fixture);
	return fixture_pixel(test->world.fixture, x, y);
}

/* Moves the pointer to a place within the window. */
static struct input_device *enter(struct test *test)
{
	struct fixture *fixture = test->world.fixture;
	struct input_device *pointer =
		headless_add_input(fixture->server->backend, INPUT_POINTER, "pointer");
	hand_point(fixture, pointer, 50, 50);
	return pointer;
}

static int record_enter(const void *serial, void *proxy, uint32_t opcode,
	const struct wl_message *message, union wl_argument *arguments)
{
	if (opcode == 0) {
		*(uint32_t *)wl_proxy_get_user_data(proxy) = arguments[0].u;
	}
	return 0;
}

static void cursor_waits_until_its_pool_is_open(void **state)
{
	struct test *test = *state;
	struct peer *peer = test->world.peer;
	uint32_t serial = 0;
	struct wl_pointer *pointer = wl_seat_get_pointer(peer_bind(peer, &wl_seat_interface, 1));
	wl_proxy_add_dispatcher((struct wl_proxy *)pointer, record_enter, NULL, &serial);
	enter(test);
	assert_int_not_equal(serial, 0);
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	struct peer_buffer *icon = create_icon(test);
	wl_pointer_set_cursor(pointer, serial, surface, 4, 4);
	peer_surface_show(surface, icon);
	assert_int_not_equal(settled_pixel(test, 55, 55), 0x112233);
	open_pools(test->world.fixture);
	assert_int_equal(settled_pixel(test, 55, 55), 0x112233);
	wl_pointer_destroy(pointer);
}

static void drag_icon_waits_until_its_pool_is_open(void **state)
{
	struct test *test = *state;
	struct peer *peer = test->world.peer;
	struct wl_data_device_manager *manager =
		peer_bind(peer, &wl_data_device_manager_interface, 0);
	struct wl_data_device *device = wl_data_device_manager_get_data_device(manager, peer->seat);
	hand_press(test->world.fixture, enter(test), true);
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	struct peer_buffer *icon = create_icon(test);
	wl_data_device_start_drag(device, NULL, test->world.window->surface, surface,
		test->world.fixture->server->seat->pointer.press_serial);
	wl_surface_offset(surface, 20, 20);
	peer_surface_show(surface, icon);
	assert_int_not_equal(settled_pixel(test, 75, 75), 0x112233);
	open_pools(test->world.fixture);
	assert_int_equal(settled_pixel(test, 75, 75), 0x112233);
}

/* Returns the pixel in the middle of the icon in the window's title bar. */
static uint32_t title_icon(struct test *test)
{
	fixture_settle(test->world.fixture);
	fixture_sleep(test->world.fixture, 200000000); /* frequent changes are drawn together */
	return settled_pixel(test, 20 + 8 + 8, 60 - 14);
}

static void toplevel_icon_is_drawn_when_its_pool_is_open(void **state)
{
	struct test *test = *state;
	struct peer *peer = test->world.peer;
	struct peer_window *window = test->world.window;
	struct org_kde_kwin_server_decoration_manager *decorations =
		peer_bind(peer, &org_kde_kwin_server_decoration_manager_interface, 0);
	org_kde_kwin_server_decoration_manager_create(decorations, window->surface);
	struct xdg_toplevel_icon_manager_v1 *manager =
		peer_bind(peer, &xdg_toplevel_icon_manager_v1_interface, 0);
	peer_window_place(window, 20, 60);
	peer_buffer_destroy(window->buffer);
	window->buffer = peer_buffer_create(peer, 250, 100, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(window->surface, window->buffer);
	const uint32_t bar = title_icon(test);
	struct xdg_toplevel_icon_v1 *icon = xdg_toplevel_icon_manager_v1_create_icon(manager);
	xdg_toplevel_icon_v1_add_buffer(icon, create_icon(test)->buffer, 1);
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, icon);
	wl_surface_commit(window->surface);
	assert_int_equal(title_icon(test), bar);
	open_pools(test->world.fixture);
	assert_int_equal(title_icon(test), 0x112233);
	/* Another one waits when it is replaced. */
	struct xdg_toplevel_icon_v1 *other = xdg_toplevel_icon_manager_v1_create_icon(manager);
	xdg_toplevel_icon_v1_add_buffer(other, create_icon(test)->buffer, 1);
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, other);
	wl_surface_commit(window->surface);
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, NULL);
	wl_surface_commit(window->surface);
	xdg_toplevel_icon_v1_destroy(other);
	fixture_pump(test->world.fixture);
	open_pools(test->world.fixture);
	assert_int_equal(title_icon(test), bar);
}

#define BOTH(function)                                                                             \
	{"screencopy: " #function, function, begin, end, &screencopy},                             \
	{                                                                                          \
		"image copy: " #function, function, begin, end, &image_copy                        \
	}
#define ONCE(function) cmocka_unit_test_prestate_setup_teardown(function, begin, end, &image_copy)

int main(int argc, char **argv)
{
	static struct test screencopy = {.screencopy = true}, image_copy;
	world_begin(&screencopy.world, argc, argv);
	world_begin(&image_copy.world, argc, argv);
	const struct CMUnitTest tests[] = {
		BOTH(capture_waits_until_the_pool_is_open),
		BOTH(capture_that_waited_shows_the_newest_content),
		BOTH(captures_into_one_pool_wait_together),
		BOTH(capture_waits_in_a_pool_that_grows),
		BOTH(capture_completes_after_its_buffer_is_destroyed),
		BOTH(frame_can_be_destroyed_while_it_waits),
		BOTH(pool_can_be_opened_after_its_frame_is_destroyed),
		BOTH(client_can_leave_while_it_waits),
		BOTH(refused_pool_disconnects_the_client_that_waits),
		BOTH(capture_fails_when_its_output_goes),
		BOTH(capture_fails_when_its_output_is_resized),
		BOTH(recording_into_files_continues),
		ONCE(cursor_waits_until_its_pool_is_open),
		ONCE(drag_icon_waits_until_its_pool_is_open),
		ONCE(toplevel_icon_is_drawn_when_its_pool_is_open),
	};
	return cmocka_run_group_tests_name("buffer/pending_pool", tests, NULL, NULL);
}
