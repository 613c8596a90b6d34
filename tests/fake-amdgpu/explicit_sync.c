/* SPDX-License-Identifier: MIT */
/* Explicit synchronization: timeline points of clients on an emulated GPU. */

#include "buffer/buffer.h"
#include "gpu/gpu.h"
#include "protocol/protocol.h"
#include "shell/window.h"
#include "sync_world.h"
#include "util/fence.h"
#include "util/signal.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xf86drm.h>

static void protocol_is_hidden_without_a_device(void **state)
{
	struct fixture_options options = {0};
	struct fixture *fixture = fixture_create(&options);
	struct peer *peer = peer_create(fixture);

	assert_null(peer_find_global(peer, "wp_linux_drm_syncobj_manager_v1"));
	fixture_destroy(fixture);
}

/* The point has no fence at first, then a pending one. */
static void commit_waits_for_acquire_point(void **state)
{
	struct sync_world *world = *state;
	struct line drawn = line_create(world), freed_a = line_create(world),
		    freed_b = line_create(world);
	struct canvas a = canvas_create(world, 0x112233), b = canvas_create(world, 0x445566);
	struct peer_window *other;
	int fence = fake_fence_create();

	sync_show(world, &a, drawn, freed_a);
	assert_int_equal(sync_shown(world), 0x112233);
	sync_update(world, &b, drawn, 2, freed_b, UINT64_C(0x100000001));
	assert_int_equal(sync_shown(world), 0x112233);
	other = peer_window_create(world->peer, 100, 0, 50, 50, 0xff778899);
	fixture_settle(world->fixture);
	assert_non_null(other);
	assert_int_equal(fixture_pixel(world->fixture, 110, 10), 0x778899);

	line_submit(world, drawn, 2, fence);
	fixture_frames(world->fixture, 3);
	assert_int_equal(sync_shown(world), 0x112233);
	assert_int_equal(line_value(world, freed_a), 0);

	fake_fence_signal(fence, 1);
	fixture_frames(world->fixture, 3);
	assert_int_equal(sync_shown(world), 0x445566);
	assert_int_equal(line_value(world, freed_a), 1);
	assert_int_equal(line_value(world, freed_b), 0);

	sync_unmap(world);
	assert_int_equal(line_value(world, freed_b), UINT64_C(0x100000001));
	close(fence);
	close(a.fd);
	close(b.fd);
}

/* The acquire point has signalled, but a thread is finding out which GPU may use the buffer. */
static void commit_waits_until_the_home_of_its_buffer_is_known(void **state)
{
	struct sync_world *world = *state;
	struct line drawn = line_create(world), freed_a = line_create(world),
		    freed_b = line_create(world);
	struct canvas a = canvas_create(world, 0x112233), b = canvas_create(world, 0x445566);

	sync_show(world, &a, drawn, freed_a);
	struct buffer *buffer = buffer_from_resource(wl_client_get_object(
		world->peer->client, wl_proxy_get_id((struct wl_proxy *)b.buffer)));
	buffer->pending = true;
	line_signal(world, drawn, 2);
	sync_update(world, &b, drawn, 2, freed_b, 1);
	assert_int_equal(sync_shown(world), 0x112233);
	assert_int_equal(line_value(world, freed_a), 0);

	buffer->pending = false;
	signal_emit(&buffer->events.known, buffer);
	fixture_frames(world->fixture, 3);
	assert_int_equal(sync_shown(world), 0x445566);
	assert_int_equal(line_value(world, freed_a), 1);
	close(a.fd);
	close(b.fd);
}

/* Without descriptors, the compositor retries both the event of the point and its fence. */
static void commit_waits_for_acquire_point_without_descriptors(void **state)
{
	struct sync_world *world = *state;
	struct line drawn = line_create(world), freed_a = line_create(world),
		    freed_b = line_create(world);
	struct canvas a = canvas_create(world, 0x112233), b = canvas_create(world, 0x445566);
	int fence = fake_fence_create();
	struct rlimit limit;

	sync_show(world, &a, drawn, freed_a);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	int lowest = fcntl(0, F_DUPFD_CLOEXEC, 0);
	struct rlimit less = {.rlim_cur = (rlim_t)lowest, .rlim_max = limit.rlim_max};
	close(lowest);
	sync_attach(world, b.buffer);
	sync_set_acquire(world, drawn, 2);
	sync_set_release(world, freed_b, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
	sync_commit(world);
	assert_int_equal(sync_shown(world), 0x112233);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	fixture_frames(world->fixture, 3);
	assert_int_equal(sync_shown(world), 0x112233);
	line_submit(world, drawn, 2, fence);
	fixture_frames(world->fixture, 3);
	assert_int_equal(sync_shown(world), 0x112233);
	fake_fence_signal(fence, 1);
	fixture_frames(world->fixture, 3);
	assert_int_equal(sync_shown(world), 0x445566);
	assert_int_equal(line_value(world, freed_a), 1);
	close(fence);
	close(a.fd);
	close(b.fd);
}

/* The buffer's next user waits for its implicit fences through the release point. */
static void implicit_fences_are_ignored_and_passed_to_release_point(void **state)
{
	struct sync_world *world = *state;
	struct line drawn = line_create(world), freed = line_create(world);
	struct canvas canvas = canvas_create(world, 0x112233);
	int fence = fake_fence_create();

	fake_dmabuf_write(canvas.fd, fence);
	sync_show(world, &canvas, drawn, freed);
	assert_int_equal(sync_shown(world), 0x112233);
	sync_unmap(world);
	assert_int_equal(line_value(world, freed), 0);
	fake_fence_signal(fence, 1);
	assert_int_equal(line_value(world, freed), 1);
	close(fence);
	close(canvas.fd);
}

/* The output's leaving event carries a fence. */
static void release_point_waits_for_scan_out_only(void **state)
{
	struct sync_world *world = *state;
	struct line drawn = line_create(world), freed_a = line_create(world),
		    freed_b = line_create(world);
	struct canvas a = canvas_create(world, 0x112233), b = canvas_create(world, 0x445566);
	int fence = fake_fence_create();

	sync_show(world, &a, drawn, freed_a);
	struct buffer *buffer = peer_window_find(world->window)->surface->current.buffer;
	buffer_lock(buffer);
	line_signal(world, drawn, 2);
	sync_update(world, &b, drawn, 2, freed_b, 1);
	assert_int_equal(line_value(world, freed_a), 0);
	signal_emit(&buffer->events.leaving, &fence);
	assert_int_equal(line_value(world, freed_a), 0);
	fake_fence_signal(fence, 1);
	assert_int_equal(line_value(world, freed_a), 1);
	/* The client draws and commits it again before the output's event arrives. */
	line_signal(world, drawn, 3);
	sync_update(world, &a, drawn, 3, freed_a, 2);
	buffer_unlock(buffer);
	assert_int_equal(line_value(world, freed_a), 1);
	assert_int_equal(line_value(world, freed_b), 1);
	sync_unmap(world);
	assert_int_equal(line_value(world, freed_a), 2);
	close(fence);
	close(a.fd);
	close(b.fd);
}

/* The point waits for the buffer's readers and for the end of scan-out, whichever is later. */
static void release_point_waits_for_readers_and_scan_out(void **state)
{
	struct sync_world *world = *state;
	for (int i = 0; i < 2; i++) {
		struct line drawn = line_create(world), freed = line_create(world);
		struct canvas canvas = canvas_create(world, 0x112233);
		int fences[] = {fake_fence_create(), fake_fence_create()};
		sync_show(world, &canvas, drawn, freed);
		struct buffer *buffer = peer_window_find(world->window)->surface->current.buffer;
		fake_dmabuf_write(canvas.fd, fences[0]);
		signal_emit(&buffer->events.leaving, &fences[1]);
		assert_int_equal(line_value(world, freed), 0);
		fake_fence_signal(fences[i], 1);
		assert_int_equal(line_value(world, freed), 0);
		fake_fence_signal(fences[!i], 1);
		assert_int_equal(line_value(world, freed), 1);
		close(fences[0]);
		close(fences[1]);
		close(canvas.fd);
	}
}

/* Points of one timeline signal together, at the largest value; those of two signal both. */
static void buffer_committed_again_signals_each_timeline(void **state)
{
	struct sync_world *world = *state;
	struct line drawn = line_create(world), freed = line_create(world),
		    other = line_create(world);
	struct canvas canvas = canvas_create(world, 0x112233);

	sync_show(world, &canvas, drawn, freed);
	const struct line lines[] = {freed, other, freed};
	const uint64_t points[] = {3, 1, 2};
	for (int i = 0; i < 3; i++) {
		sync_update(world, &canvas, drawn, 1, lines[i], points[i]);
		assert_int_equal(line_value(world, freed), 0);
		assert_int_equal(line_value(world, other), 0);
	}
	sync_unmap(world);
	assert_int_equal(line_value(world, freed), 3);
	assert_int_equal(line_value(world, other), 1);
	close(canvas.fd);
}

/* The commit is discarded and the buffer released. */
static void failed_acquire_fence_releases_buffer(void **state)
{
	struct sync_world *world = *state;
	struct line drawn = line_create(world), freed_a = line_create(world),
		    freed_b = line_create(world);
	struct canvas a = canvas_create(world, 0x112233), b = canvas_create(world, 0x445566);
	int fence = fake_fence_create();

	sync_show(world, &a, drawn, freed_a);
	line_submit(world, drawn, 2, fence);
	fake_fence_signal(fence, -5);
	sync_update(world, &b, drawn, 2, freed_b, 1);
	assert_int_equal(sync_shown(world), 0x112233);
	assert_int_equal(line_value(world, freed_a), 0);
	assert_int_equal(line_value(world, freed_b), 1);
	close(fence);
	close(a.fd);
	close(b.fd);
}

/* Ends explicit synchronization of the surface, and commits a buffer of shared memory. */
static void show_shm(struct sync_world *world, uint32_t pixel)
{
	struct peer_buffer *buffer =
		peer_buffer_create(world->peer, SIDE, SIDE, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, SIDE, SIDE, pixel);
	wp_linux_drm_syncobj_surface_v1_destroy(world->surface);
	sync_attach(world, buffer->buffer);
	sync_commit(world);
}

/* Nothing can signal the point any more; the update loses its buffer, and later ones are shown. */
static void timeline_of_an_unplugged_gpu_ends_its_waits(void **state)
{
	struct sync_world *world = *state;
	struct gpu_list *gpus = world->fixture->server->gpus;
	struct line drawn = line_create(world), never = line_create(world),
		    freed = line_create(world);
	struct canvas a = canvas_create(world, 0x112233), b = canvas_create(world, 0x445566);

	sync_show(world, &a, drawn, freed);
	for (uint64_t i = 1; i < 4; i++) {
		sync_update(world, &b, never, i, freed, 1 + i);
	}
	show_shm(world, 0xffabcdef);
	assert_int_equal(sync_shown(world), 0x112233);
	gpu_list_remove(gpus, gpu_list_find_bus_id(gpus, "pci-0000_03_00_0"));
	fixture_frames(world->fixture, 3);
	assert_int_equal(sync_shown(world), 0xabcdef);

	/* A point that is set later is gone at once. */
	world->surface =
		wp_linux_drm_syncobj_manager_v1_get_surface(world->manager, world->window->surface);
	sync_update(world, &b, never, 5, freed, 5);
	show_shm(world, 0xff123456);
	assert_int_equal(sync_shown(world), 0x123456);
	close(a.fd);
	close(b.fd);
}

static struct fake_gpu *add_gpu(struct sync_world *world)
{
	struct fake_gpu *other = fake_gpu_create(fake_chip_find("navi21"));
	fake_gpu_set_path(other, OTHER_PATH);
	fixture_add_gpu(
		world->fixture, "pci-0000_04_00_0", "amdgpu", OTHER_PATH, makedev(226, 130));
	return other;
}

/* Timelines were imported through the GPU of the screen; the client draws on another one. */
static void timelines_of_other_gpus_outlive_the_unplugged_one(void **state)
{
	struct sync_world *world = *state;
	struct gpu_list *gpus = world->fixture->server->gpus;
	struct fake_gpu *other = add_gpu(world);
	close(world->node);
	world->node = fake_gpu_open(other);
	struct line drawn = line_create(world), freed = line_create(world);
	struct canvas a = canvas_create(world, 0x112233), b = canvas_create(world, 0x445566),
		      c = canvas_create(world, 0x778899);

	sync_show(world, &a, drawn, freed);
	sync_update(world, &b, drawn, 2, freed, 2);
	fake_gpu_unplug(world->fake);
	gpu_list_remove(gpus, gpu_list_find_bus_id(gpus, "pci-0000_03_00_0"));
	fixture_frames(world->fixture, 3);
	assert_int_equal(sync_shown(world), 0x112233);
	line_signal(world, drawn, 2);
	fixture_frames(world->fixture, 3);
	assert_int_equal(sync_shown(world), 0x445566);
	assert_int_equal(line_value(world, freed), 1);
	/* New timelines work, too, and later points of the old ones. */
	struct line late = line_create(world);
	line_signal(world, late, 1);
	sync_update(world, &c, late, 1, freed, 3);
	assert_int_equal(sync_shown(world), 0x778899);
	assert_int_equal(line_value(world, freed), 2);
	close(a.fd);
	close(b.fd);
	close(c.fd);
}

/* Another GPU gives access to the timeline, but the program that would signal it has none. */
static void timelines_of_programs_of_the_unplugged_gpu_are_lost(void **state)
{
	struct sync_world *world = *state;
	struct gpu_list *gpus = world->fixture->server->gpus;
	add_gpu(world);
	struct gpu *gpu = gpu_list_find_bus_id(gpus, "pci-0000_03_00_0");
	client_from_wl(world->peer->client)->gpu = gpu;
	struct line drawn = line_create(world), never = line_create(world),
		    freed = line_create(world);
	struct canvas a = canvas_create(world, 0x112233), b = canvas_create(world, 0x445566);

	sync_show(world, &a, drawn, freed);
	sync_update(world, &b, never, 1, freed, 2);
	show_shm(world, 0xffabcdef);
	assert_int_equal(sync_shown(world), 0x112233);
	gpu_list_remove(gpus, gpu);
	fixture_frames(world->fixture, 3);
	assert_int_equal(sync_shown(world), 0xabcdef);
	close(a.fd);
	close(b.fd);
}

/* Without a GPU, a timeline cannot be imported: the client is not at fault. */
static void import_without_a_gpu_is_no_protocol_error(void **state)
{
	struct sync_world *world = *state;
	struct gpu_list *gpus = world->fixture->server->gpus;
	struct canvas a = canvas_create(world, 0x112233);
	int fds[2];

	for (int i = 0; i < 2; i++) {
		uint32_t handle;
		assert_int_equal(drmSyncobjCreate(world->node, 0, &handle), 0);
		assert_int_equal(drmSyncobjHandleToFD(world->node, handle, &fds[i]), 0);
	}
	for (int i = 0; i < 2; i++) {
		if (i == 0) {
			/* The event of the removal comes later. */
			fake_gpu_unplug(world->fake);
		} else {
			gpu_list_remove(gpus, gpu_list_find_bus_id(gpus, "pci-0000_03_00_0"));
		}
		struct line line = {.timeline = wp_linux_drm_syncobj_manager_v1_import_timeline(
					    world->manager, fds[i])};
		sync_update(world, &a, line, 1, line, 2);
		assert_true(peer_alive(world->peer));
		close(fds[i]);
	}
	close(a.fd);
}

/* The timeline and the buffer are destroyed before the later commit. */
static void unsignalled_commit_is_superseded(void **state)
{
	struct sync_world *world = *state;
	struct line drawn = line_create(world), never = line_create(world),
		    freed_a = line_create(world), freed_b = line_create(world),
		    freed_c = line_create(world);
	struct canvas a = canvas_create(world, 0x112233), b = canvas_create(world, 0x445566),
		      c = canvas_create(world, 0x778899);

	sync_show(world, &a, drawn, freed_a);
	sync_update(world, &b, never, 1, freed_b, 1);
	wl_buffer_destroy(b.buffer);
	wp_linux_drm_syncobj_timeline_v1_destroy(never.timeline);
	wp_linux_drm_syncobj_timeline_v1_destroy(freed_b.timeline);
	for (uint64_t i = 0; i < 40; i++) {
		sync_update(world, &c, never = line_create(world), 1, freed_c, i + 1);
		wp_linux_drm_syncobj_timeline_v1_destroy(never.timeline);
		drmSyncobjDestroy(world->node, never.handle);
	}
	assert_true(peer_alive(world->peer));
	assert_int_equal(sync_shown(world), 0x112233);
	assert_int_equal(line_value(world, freed_a), 0);
	/* Destroying the surface drops pending commits. */
	wp_linux_drm_syncobj_surface_v1_destroy(world->surface);
	peer_window_destroy(world->window);
	fixture_frames(world->fixture, 3);
	assert_int_equal(line_value(world, freed_a), 1);
	assert_int_equal(line_value(world, freed_b), 1);
	assert_int_equal(line_value(world, freed_c), 40);
	close(a.fd);
	close(b.fd);
	close(c.fd);
}

/* Protocol errors */

static void expect(struct sync_world *world, const struct wl_interface *interface, uint32_t code)
{
	wl_surface_commit(world->window->surface);
	peer_expect_error(world->peer, interface, code);
}

static void invalid_requests_are_protocol_errors(void **state)
{
	enum {
		NO_BUFFER,
		NULL_BUFFER,
		NO_ACQUIRE,
		NO_RELEASE,
		UNSUPPORTED,
		CONFLICT,
		NO_SURFACE,
		EXISTS,
		INVALID,
		LAST,
	};
	static const uint32_t codes[LAST] = {
		[NO_BUFFER] = WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_BUFFER,
		[NULL_BUFFER] = WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_BUFFER,
		[NO_ACQUIRE] = WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_ACQUIRE_POINT,
		[NO_RELEASE] = WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_RELEASE_POINT,
		[UNSUPPORTED] = WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_UNSUPPORTED_BUFFER,
		[CONFLICT] = WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_CONFLICTING_POINTS,
		[NO_SURFACE] = WP_LINUX_DRM_SYNCOBJ_SURFACE_V1_ERROR_NO_SURFACE,
		[EXISTS] = WP_LINUX_DRM_SYNCOBJ_MANAGER_V1_ERROR_SURFACE_EXISTS,
		[INVALID] = WP_LINUX_DRM_SYNCOBJ_MANAGER_V1_ERROR_INVALID_TIMELINE,
	};
	struct sync_world *world = *state;

	for (int mistake = 0; mistake < LAST; mistake++) {
		struct line line = line_create(world), other = line_create(world);
		struct canvas canvas = canvas_create(world, 0);
		struct peer_buffer *shm =
			peer_buffer_create(world->peer, SIDE, SIDE, WL_SHM_FORMAT_XRGB8888);

		if (mistake != NO_BUFFER && mistake != NO_SURFACE) {
			sync_attach(world, mistake == NULL_BUFFER   ? NULL
					   : mistake == UNSUPPORTED ? shm->buffer
								    : canvas.buffer);
		}
		if (mistake == NO_SURFACE) {
			peer_window_destroy(world->window);
			world->window = peer_window_create_unmapped(world->peer);
		}
		if (mistake != NO_ACQUIRE) {
			sync_set_acquire(world, line, 7);
		}
		if (mistake != NO_RELEASE) {
			sync_set_release(world, mistake == CONFLICT ? line : other, 7);
		}
		if (mistake == EXISTS) {
			wp_linux_drm_syncobj_manager_v1_get_surface(
				world->manager, world->window->surface);
		} else if (mistake == INVALID) {
			wp_linux_drm_syncobj_manager_v1_import_timeline(world->manager, canvas.fd);
		}
		expect(world,
			mistake == EXISTS || mistake == INVALID
				? &wp_linux_drm_syncobj_manager_v1_interface
				: &wp_linux_drm_syncobj_surface_v1_interface,
			codes[mistake]);
		peer_destroy(world->peer);
		drmSyncobjDestroy(world->node, line.handle);
		drmSyncobjDestroy(world->node, other.handle);
		close(canvas.fd);
		sync_world_add_client(world);
	}
	fixture_pump(world->fixture);
	/* All objects were freed. */
	assert_int_equal(fake_gpu_counts(world->fake).syncobjs, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sync_world_set_up, sync_world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(protocol_is_hidden_without_a_device),
		TEST(commit_waits_for_acquire_point),
		TEST(commit_waits_until_the_home_of_its_buffer_is_known),
		TEST(commit_waits_for_acquire_point_without_descriptors),
		TEST(implicit_fences_are_ignored_and_passed_to_release_point),
		TEST(release_point_waits_for_scan_out_only),
		TEST(release_point_waits_for_readers_and_scan_out),
		TEST(buffer_committed_again_signals_each_timeline),
		TEST(failed_acquire_fence_releases_buffer),
		TEST(timeline_of_an_unplugged_gpu_ends_its_waits),
		TEST(timelines_of_other_gpus_outlive_the_unplugged_one),
		TEST(timelines_of_programs_of_the_unplugged_gpu_are_lost),
		TEST(import_without_a_gpu_is_no_protocol_error),
		TEST(unsignalled_commit_is_superseded),
		TEST(invalid_requests_are_protocol_errors),
	};

	return cmocka_run_group_tests_name("syncobj", tests, NULL, NULL);
}
