/*
 * Tests of uploads that are too large for a frame: others keep their rate meanwhile, the old content stays,
 * and what is shown is exact.
 */

#include "capturer.h"
#include "copy/copier.h"
#include "frame/frame.h"
#include "gpu/gpu.h"
#include "harness/await.h"
#include "harness/peer.h"
#include "shell/window.h"
#include "util/clock.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define BIG_W 200
#define BIG_H 180
#define BIG_BYTES (BIG_W * BIG_H * 4)
/* A small window's upload is less, a big one's more. */
#define BUDGET 65536

#define MANY 512 /* descriptors that the process never has */
#define RED 0xffff0000u
#define GREEN 0xff00ff00u
#define BLUE 0xff0000ffu

struct world {
	struct fixture *fixture;
	struct render_device *device;
	struct peer *peer;
	struct peer_window *big, *small;
	int gate; /* what the thread waits for; -1: it is open */
};

/* Holds the thread until the other end of the pipe goes. */
struct gate_task {
	struct worker_task base;
	int fd;
};

static bool run_gate(struct worker_task *task)
{
	struct gate_task *gate = wl_container_of(task, gate, base);
	char byte;
	ssize_t unused = read(gate->fd, &byte, 1);
	(void)unused;
	close(gate->fd);
	free(gate);
	return true;
}

static void close_gate(struct world *world)
{
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	struct gate_task *gate = xcalloc(1, sizeof(*gate));
	gate->base.run = run_gate;
	gate->fd = fds[0];
	if (!world->device->worker) {
		world->device->worker = worker_create();
	}
	assert_non_null(world->device->worker);
	worker_post(world->device->worker, &gate->base);
	world->gate = fds[1];
	world->fixture->holds_uploads = true;
}

static void open_gate(struct world *world)
{
	if (world->gate >= 0) {
		close(world->gate);
		world->gate = -1;
		world->fixture->holds_uploads = false;
	}
}

static void settle(struct world *world)
{
	open_gate(world);
	fixture_frames(world->fixture, 6);
}

static struct peer_window *show_window(
	struct world *world, struct peer *peer, int x, int y, int32_t w, int32_t h, uint32_t pixel)
{
	struct peer_window *window = peer_window_create(peer, x, y, w, h, pixel);
	settle(world);
	/* It is mapped by now, and where policy has put it. */
	peer_window_place(window, x, y);
	settle(world);
	return window;
}

static int set_up(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
	world->gate = -1;
	world->fixture = fixture_create(
		&(struct fixture_options){.renderer = RENDERER_GLES, .width = 320, .height = 240});
	world->device = &world->fixture->server->device;
	world->device->upload_budget = BUDGET;
	world->peer = peer_create(world->fixture);
	world->big = show_window(world, world->peer, 0, 0, BIG_W, BIG_H, RED);
	world->small = show_window(world, world->peer, 240, 0, 32, 32, BLUE);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;
	open_gate(world);
	fixture_destroy(world->fixture);
	free(world);
	return 0;
}

static struct peer_buffer *colored(struct world *world, int32_t w, int32_t h, uint32_t pixel)
{
	struct peer_buffer *buffer = peer_buffer_create(world->peer, w, h, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, w, h, pixel);
	return buffer;
}

static void assert_big(struct world *world, uint32_t pixel)
{
	struct picture *shot = fixture_shot(world->fixture, 0);
	for (int y = 0; y < BIG_H; y++) {
		for (int x = 0; x < BIG_W; x++) {
			if (shot->pixels[y * shot->width + x] != (pixel & 0xffffff)) {
				fail_msg("%d, %d is %06x, not %06x", x, y,
					shot->pixels[y * shot->width + x], pixel & 0xffffff);
			}
		}
	}
	picture_destroy(shot);
}

static uint64_t bytes_uploaded(const struct world *world)
{
	return world->device->renderer->stats.bytes_uploaded;
}

/* While the thread is held, the small window has each of its frames; no frame uploads more than it may. */
static void test_others_keep_their_rate(void **state)
{
	struct world *world = *state;
	struct peer_buffer *next = colored(world, BIG_W, BIG_H, GREEN);
	struct peer_buffer *small[2] = {colored(world, 32, 32, RED), colored(world, 32, 32, BLUE)};
	struct frame_output *frame = frame_output_find(world->fixture->server->scene->outputs[0]);
	close_gate(world);
	peer_surface_show(world->big->surface, next);
	for (int i = 0; i < 8; i++) {
		uint64_t presented = frame->stats.presented, bytes = bytes_uploaded(world);
		peer_surface_show(world->small->surface, small[i % 2]);
		fixture_frames(world->fixture, 1);
		if (i > 0) {
			assert_int_equal(frame->stats.presented, presented + 1);
			assert_int_equal(bytes_uploaded(world), bytes + 32 * 32 * 4);
		}
		assert_big(world, RED);
	}
	assert_int_equal(frame->stats.missed, 0);
	assert_int_equal(next->n_released, 0);

	open_gate(world);
	fixture_pump(world->fixture);
	/* All of its bytes are with the device: its client has it back before the next frame. */
	assert_int_equal(next->n_released, 1);
	fixture_frames(world->fixture, 2);
	assert_big(world, GREEN);
}

/* Where the loop has no descriptor to listen to the thread with, nobody waits for it either. */
static void test_scarce(void **state)
{
	struct world *world = *state;
	struct peer_buffer *next = colored(world, BIG_W, BIG_H, GREEN);
	struct rlimit before, limit;
	int fds[MANY], n = 0;
	close_gate(world);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = (struct rlimit){MANY, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while ((fds[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
		n++;
	}
	/* The ends of the thread's pipe. */
	close(fds[--n]);
	close(fds[--n]);
	peer_surface_show(world->big->surface, next);
	fixture_frames(world->fixture, 2);
	assert_false(wl_list_empty(&world->device->uploads));
	assert_big(world, RED);
	close(world->gate);
	world->gate = -1;
	await(wl_list_empty(&world->device->uploads), fixture_frames(world->fixture, 1));
	world->fixture->holds_uploads = false;
	while (n > 0) {
		close(fds[--n]);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	settle(world);
	assert_big(world, GREEN);
}

/* Of what comes faster than it can be uploaded and shown, only what shows is uploaded. */
static void test_storm(void **state)
{
	struct world *world = *state;
	struct peer_buffer *buffers[12];
	uint64_t before = bytes_uploaded(world);
	close_gate(world);
	for (int i = 0; i < 12; i++) {
		buffers[i] = colored(world, BIG_W, BIG_H, 0xff000000u | (uint32_t)(i * 20));
		peer_surface_show(world->big->surface, buffers[i]);
		fixture_pump(world->fixture);
	}
	settle(world);
	assert_big(world, 11 * 20);
	assert_int_equal(bytes_uploaded(world) - before, 2 * BIG_BYTES);
	for (int i = 0; i < 12; i++) {
		assert_int_equal(buffers[i]->n_released, 1);
	}
}

/* What hides the window waits for none of it, and is seen for itself. */
static void test_hidden_meanwhile(void **state)
{
	struct world *world = *state;
	struct peer_buffer *a = colored(world, BIG_W, BIG_H, GREEN);
	struct peer_buffer *b = colored(world, BIG_W, BIG_H, BLUE);
	close_gate(world);
	peer_surface_show(world->big->surface, a);
	peer_surface_show(world->big->surface, b);
	wl_surface_attach(world->big->surface, NULL, 0, 0);
	wl_surface_commit(world->big->surface);
	fixture_pump(world->fixture);
	assert_false(peer_window_find(world->big)->mapped);
	int n_configures = world->big->n_configures;
	wl_surface_commit(world->big->surface);
	settle(world);
	assert_int_equal(world->big->n_configures, n_configures + 1);
	assert_int_equal(a->n_released, 1);
	assert_int_equal(b->n_released, 1);
}

/* What comes in small while the large part is under way is not undone by it. */
static void test_small_after_large(void **state)
{
	struct world *world = *state;
	struct peer_buffer *large = colored(world, BIG_W, BIG_H, GREEN);
	struct peer_buffer *both = colored(world, BIG_W, BIG_H, GREEN);
	peer_buffer_fill(both, 10, 20, 30, 40, BLUE);
	close_gate(world);
	peer_surface_show(world->big->surface, large);
	fixture_frames(world->fixture, 2);
	wl_surface_attach(world->big->surface, both->buffer, 0, 0);
	wl_surface_damage_buffer(world->big->surface, 10, 20, 30, 40);
	wl_surface_commit(world->big->surface);
	fixture_frames(world->fixture, 2);
	assert_big(world, RED);
	settle(world);
	assert_int_equal(fixture_pixel(world->fixture, 10, 20), BLUE & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 39, 59), BLUE & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 40, 59), GREEN & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 9, 20), GREEN & 0xffffff);
	assert_int_equal(large->n_released, 1);
	assert_int_equal(both->n_released, 1);
}

/* A tree applies as a whole, when the last of its uploads is there. */
static void test_tree(void **state)
{
	struct world *world = *state;
	struct wl_surface *child = wl_compositor_create_surface(world->peer->compositor);
	struct wl_subsurface *subsurface =
		peer_subsurface(world->peer, child, world->small->surface, -40, 100);
	struct peer_buffer *first = colored(world, 100, 100, GREEN);
	struct peer_buffer *large = colored(world, BIG_W, BIG_H, GREEN);
	struct peer_buffer *parent = colored(world, 32, 32, GREEN);
	wl_subsurface_set_sync(subsurface);
	peer_surface_show(child, first);
	wl_surface_commit(world->small->surface);
	settle(world);
	assert_int_equal(fixture_pixel(world->fixture, 210, 110), GREEN & 0xffffff);

	close_gate(world);
	peer_buffer_fill(large, 0, 0, BIG_W, BIG_H, BLUE);
	peer_surface_show(child, large);
	wl_subsurface_set_position(subsurface, -40, 110);
	peer_surface_show(world->small->surface, parent);
	fixture_frames(world->fixture, 3);
	assert_int_equal(fixture_pixel(world->fixture, 250, 10), BLUE & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 210, 105), GREEN & 0xffffff);

	open_gate(world);
	fixture_pump(world->fixture);
	fixture_frames(world->fixture, 2);
	assert_int_equal(fixture_pixel(world->fixture, 250, 10), GREEN & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 210, 115), BLUE & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 310, 235), BLUE & 0xffffff);
	assert_true(peer_alive(world->peer));
}

/* Nobody waits for the thread when whatever it works for goes. */
static void test_goes_meanwhile(void **state)
{
	struct world *world = *state;
	struct peer_buffer *next = colored(world, BIG_W, BIG_H, GREEN);
	close_gate(world);
	peer_surface_show(world->big->surface, next);
	fixture_frames(world->fixture, 1);
	assert_false(wl_list_empty(&world->device->uploads));
	peer_buffer_destroy(next);
	fixture_frames(world->fixture, 1);
	peer_window_destroy(world->big);
	fixture_frames(world->fixture, 2);
	assert_int_equal(fixture_pixel(world->fixture, 250, 10), BLUE & 0xffffff);
	open_gate(world);
	fixture_pump(world->fixture);
	assert_true(peer_alive(world->peer));
}

static void test_client_dies(void **state)
{
	struct world *world = *state;
	struct peer *other = peer_create(world->fixture);
	struct peer_window *window = show_window(world, other, 0, 0, BIG_W, BIG_H, GREEN);
	close_gate(world);
	struct peer_buffer *next = peer_buffer_create(other, BIG_W, BIG_H, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(window->surface, next);
	fixture_frames(world->fixture, 1);
	peer_destroy(other);
	fixture_frames(world->fixture, 2);
	open_gate(world);
	fixture_pump(world->fixture);
	assert_true(peer_alive(world->peer));
}

/* A renderer that is lost takes its staging with it; what waited for that applies. */
static void test_device_lost(void **state)
{
	struct world *world = *state;
	struct peer_buffer *next = colored(world, BIG_W, BIG_H, GREEN);
	close_gate(world);
	peer_surface_show(world->big->surface, next);
	fixture_frames(world->fixture, 1);
	struct renderer *renderer = world->device->renderer;
	/* The thread gives up when it is asked to, so that it must have come to it. */
	open_gate(world);
	renderer->impl->lose(renderer);
	fixture_frames(world->fixture, 4);
	settle(world);
	assert_big(world, GREEN);
}

/* A file that is cut off under the thread is its client's fault, and nobody else's. */
static void test_truncated(void **state)
{
	struct world *world = *state;
	struct peer *other = peer_create(world->fixture);
	struct peer_window *window = show_window(world, other, 0, 0, BIG_W, BIG_H, GREEN);
	struct peer_buffer *next = peer_buffer_create(other, BIG_W, BIG_H, WL_SHM_FORMAT_XRGB8888);
	close_gate(world);
	peer_surface_show(window->surface, next);
	fixture_frames(world->fixture, 1);
	assert_false(wl_list_empty(&world->device->uploads));
	capturer_set_guard();
	assert_int_equal(ftruncate(next->fd, 4096), 0);
	open_gate(world);
	fixture_pump(world->fixture);
	peer_expect_error(other, &wl_buffer_interface, WL_SHM_ERROR_INVALID_FD);
	assert_true(peer_alive(world->peer));
}

/* The first content of a window: it comes when it can be seen whole, and no frame stands still for it. */
static void test_first_content(void **state)
{
	struct world *world = *state;
	close_gate(world);
	uint64_t before = bytes_uploaded(world);
	struct peer_window *window = peer_window_create(world->peer, 0, 0, BIG_W, BIG_H, GREEN);
	fixture_frames(world->fixture, 3);
	assert_int_equal(bytes_uploaded(world), before);
	assert_big(world, RED);
	settle(world);
	peer_window_place(window, 0, 0);
	fixture_frames(world->fixture, 2);
	assert_big(world, GREEN);
	assert_int_equal(bytes_uploaded(world), before + BIG_BYTES);
}

/* What was covered while it changed shows what it had until the rest is there. */
static void test_uncovered(void **state)
{
	struct world *world = *state;
	struct peer_window *cover = show_window(world, world->peer, 0, 0, BIG_W, BIG_H, BLUE);
	struct wl_region *opaque = wl_compositor_create_region(world->peer->compositor);
	wl_region_add(opaque, 0, 0, BIG_W, BIG_H);
	wl_surface_set_opaque_region(cover->surface, opaque);
	wl_region_destroy(opaque);
	wl_surface_commit(cover->surface);
	fixture_frames(world->fixture, 2);
	struct peer_buffer *next = colored(world, BIG_W, BIG_H, GREEN);
	uint64_t before = bytes_uploaded(world);
	peer_surface_show(world->big->surface, next);
	fixture_frames(world->fixture, 3);
	assert_int_equal(bytes_uploaded(world), before);
	close_gate(world);
	peer_window_place(cover, 320, 240);
	fixture_frames(world->fixture, 3);
	assert_int_equal(bytes_uploaded(world), before);
	assert_big(world, RED);
	settle(world);
	assert_big(world, GREEN);
	assert_int_equal(bytes_uploaded(world), before + BIG_BYTES);
	assert_int_equal(next->n_released, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* The cost of uploads as it was measured: so many bytes a ns. */
static void learn(struct world *world, const struct gpu *gpu, double rate)
{
	struct cost_table *costs = &world->device->copier->costs;
	char pair[64];
	snprintf(pair, sizeof(pair), "%04x:%04x>cpu", gpu->vendor, gpu->device);
	for (int i = 1; i <= 64; i++) {
		uint64_t bytes = (uint64_t)i << 16;
		cost_table_add(costs, pair, COST_UPLOAD, COST_IN, bytes, 1,
			(int64_t)((double)bytes / rate));
	}
	assert_true(cost_table_knows(costs, pair, COST_UPLOAD, COST_IN));
}

/* What a frame may upload follows from what is measured, and from what else the frame has to do. */
static void test_budget(void **state)
{
	struct world *world = *state;
	struct render_device *device = world->device;
	struct scene *scene = world->fixture->server->scene;
	struct frame_output *frame = frame_output_find(scene->outputs[0]);
	struct gpu slow = {.vendor = 1, .device = 1}, fast = {.vendor = 1, .device = 2};
	struct gpu none = {.vendor = 1, .device = 3};
	struct gpu *gpu = device->gpu;
	assert_int_equal(render_device_upload_budget(device, scene), BUDGET);
	device->upload_budget = 0;
	device->gpu = &none;
	assert_int_equal(render_device_upload_budget(device, scene), UPLOAD_BUDGET_UNKNOWN);

	learn(world, &slow, 1);
	device->gpu = &slow;
	int64_t spare = schedule_spare(&frame->schedule);
	assert_true(spare > 3000000);
	int64_t budget = (int64_t)render_device_upload_budget(device, scene);
	assert_in_range(budget, spare / UPLOAD_SHARE * 9 / 10, spare / UPLOAD_SHARE);

	/* The GPU has a millisecond more to do for each frame. */
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		schedule_add(&frame->schedule, STAGE_GPU, 1000000);
	}
	assert_int_equal(schedule_spare(&frame->schedule), spare - 1000000);
	assert_in_range(
		render_device_upload_budget(device, scene), budget - 400000, budget - 300000);
	/* It has no time at all, and neither has what uploads. */
	for (int i = 0; i < DURATION_SAMPLES; i++) {
		schedule_add(&frame->schedule, STAGE_GPU, 20000000);
	}
	assert_int_equal(schedule_spare(&frame->schedule), 0);
	assert_int_equal(render_device_upload_budget(device, scene), UPLOAD_BUDGET_LEAST);
	assert_int_equal(render_device_upload_budget(device, NULL), UPLOAD_BUDGET_UNKNOWN);

	for (int i = 0; i < DURATION_SAMPLES * 100; i++) {
		schedule_add(&frame->schedule, STAGE_GPU, 0);
	}
	learn(world, &fast, 100);
	device->gpu = &fast;
	assert_int_equal(render_device_upload_budget(device, scene), UPLOAD_BUDGET_MOST);
	/* What uploads themselves took is theirs to take. */
	spare = schedule_spare(&frame->schedule);
	schedule_add(&frame->schedule, STAGE_UPLOAD, 2000000);
	assert_int_equal(schedule_spare(&frame->schedule), spare);
	device->gpu = gpu;
	device->upload_budget = BUDGET;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_others_keep_their_rate),
		TEST(test_scarce),
		TEST(test_storm),
		TEST(test_hidden_meanwhile),
		TEST(test_small_after_large),
		TEST(test_tree),
		TEST(test_goes_meanwhile),
		TEST(test_client_dies),
		TEST(test_device_lost),
		TEST(test_truncated),
		TEST(test_first_content),
		TEST(test_uncovered),
		TEST(test_budget),
	};

	capturer_learn_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
