/* SPDX-License-Identifier: MIT */
/*
 * Homes of linear buffers: the GPU whose memory they are, proved by a submission where the driver
 * does not tell.
 */

#include "gpu/gpu.h"
#include "gpu/home.h"
#include "harness/await.h"
#include "harness/client/capturer.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "protocol/buffer/linux_dmabuf.h"
#include "protocol/protocol.h"
#include "world.h"
#include <drm_fourcc.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define WIDTH WORLD_WIDTH
#define HEIGHT WORLD_HEIGHT

/* The exporter that the kernel names; NULL: none. */
static const char *exporter;

bool __wrap_dmabuf_read_exporter(int fd, char name[static DMABUF_EXPORTER_SIZE]);

bool __wrap_dmabuf_read_exporter(int fd, char name[static DMABUF_EXPORTER_SIZE])
{
	snprintf(name, DMABUF_EXPORTER_SIZE, "%s", exporter ? exporter : "");
	return exporter;
}

static struct buffer *import(struct peer *peer, struct linux_dmabuf *global, int fd)
{
	struct dmabuf planes;
	dmabuf_init_linear(&planes, 64, 64, DRM_FORMAT_XRGB8888, dup(fd), 64 * 4);
	struct buffer *buffer = dmabuf_import(global, peer->client, NULL, &planes);
	if (!buffer) {
		dmabuf_finish(&planes);
	}
	return buffer;
}

static struct gpu *home_of(struct world *world, struct linux_dmabuf *global, int fd)
{
	struct buffer *buffer = import(world->peer, global, fd);
	assert_non_null(buffer);
	fixture_pump(world->fixture);
	assert_false(buffer->pending);
	struct gpu *home = buffer->home;
	buffer_drop(buffer);
	return home;
}

/* Imports of NVIDIA's video memory succeed on all GPUs: a submission shows whose it is. */
static void linear_video_memory_belongs_to_nvidia(void **state)
{
	struct world *world = *state;
	struct linux_dmabuf global = {.server = world->fixture->server};
	wl_list_init(&global.proofs);
	void *map;
	int good = fake_dmabuf_create(64 * 64 * 4, &map);
	int bad = fake_dmabuf_create(64 * 64 * 4, &map);

	fake_dmabuf_drop_pages(bad);
	/* Without an NVIDIA GPU, nothing has to be proved. */
	assert_ptr_equal(home_of(world, &global, good), world->gpu);
	assert_int_equal(fake_gpu_counts(world->fake).imported, 0);
	struct gpu *nvidia = fixture_add_gpu(world->fixture, "pci-0000_04_00_0", "nvidia",
		"/emulated/renderD130", makedev(226, 130));
	assert_ptr_equal(home_of(world, &global, good), world->gpu);
	assert_ptr_equal(home_of(world, &global, bad), nvidia);
	exporter = "drm";
	assert_ptr_equal(home_of(world, &global, good), world->gpu);
	assert_ptr_equal(home_of(world, &global, bad), nvidia);
	exporter = "nv_dmabuf";
	assert_ptr_equal(home_of(world, &global, good), nvidia);
	exporter = NULL;
	dmabuf_proofs_finish(&global);
	close(good);
	close(bad);
}

static void hung_proofs_of_a_client_change_no_home_of_another(void **state)
{
	struct world *world = *state;
	struct linux_dmabuf global = {.server = world->fixture->server};
	void *map;
	wl_list_init(&global.proofs);
	int fd = fake_dmabuf_create(64 * 64 * 4, &map);
	struct gpu *nvidia = fixture_add_gpu(world->fixture, "pci-0000_04_00_0", "nvidia",
		"/emulated/renderD130", makedev(226, 130));
	exporter = "drm";
	fake_gpu_hold(world->fake);
	fake_gpu_block(world->fake, FAKE_BLOCK_FREE);
	while (home_of(world, &global, fd) != nvidia) {
		close(fd);
		fd = fake_dmabuf_create(64 * 64 * 4, &map);
	}
	close(fd);
	fd = fake_dmabuf_create(64 * 64 * 4, &map);
	struct peer *other = peer_create(world->fixture);
	client_from_wl(other->client)->gpu = world->gpu;
	struct buffer *buffer = import(other, &global, fd);
	assert_non_null(buffer);
	await(!buffer->pending, fixture_pump(world->fixture));
	assert_ptr_equal(buffer->home, world->gpu);
	buffer_drop(buffer);
	peer_destroy(other);
	fixture_pump(world->fixture);
	exporter = NULL;
	fake_gpu_release(world->fake);
	dmabuf_proofs_finish(&global);
	await(fake_gpu_counts(world->fake).files == 0, fixture_pump(world->fixture));
	fake_gpu_fault(world->fake); /* commands were freed before their contexts */
	close(fd);
}

static int n_tested;

static bool refuse_import(struct renderer *renderer, const struct dmabuf *dmabuf)
{
	n_tested++;
	return false;
}

/* A renderer would hang that cannot map the memory. */
static void renderer_imports_no_memory_before_its_proof(void **state)
{
	struct world *world = *state;
	struct fixture *fixture = world->fixture;
	struct linux_dmabuf global = {.server = fixture->server};
	struct renderer *renderer = global.server->device->renderer;
	const struct renderer_impl *impl = renderer->impl;
	struct renderer_impl refusing = *impl;
	void *map;
	wl_list_init(&global.proofs);
	int fd = fake_dmabuf_create(64 * 64 * 4, &map);
	fixture_add_gpu(
		fixture, "pci-0000_04_00_0", "nvidia", "/emulated/renderD130", makedev(226, 130));
	struct gpu *display = global.server->device->gpu;
	global.server->device->gpu = world->gpu;
	refusing.test_import = refuse_import;
	renderer->impl = &refusing;
	n_tested = 0;
	fixture->holds_tasks = true;
	exporter = "drm";
	struct buffer *buffer = import(world->peer, &global, fd);
	assert_non_null(buffer);
	assert_true(buffer->pending);
	assert_int_equal(n_tested, 0);
	fixture->holds_tasks = false;
	await(!buffer->pending, fixture_pump(fixture));
	assert_int_equal(n_tested, 1);
	assert_ptr_equal(buffer->home, world->gpu);
	assert_true(buffer->unmappable);
	exporter = NULL;
	buffer_drop(buffer);
	dmabuf_proofs_finish(&global);
	renderer->impl = impl;
	global.server->device->gpu = display;
	close(fd);
}

struct linear {
	struct wl_buffer *buffer;
	int fd;
	uint32_t *pixels;
};

static struct linear create_linear(struct world *world, uint32_t color)
{
	const size_t n = (size_t)WIDTH * HEIGHT;
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(world->dmabuf);
	struct linear linear;
	void *map;

	linear.fd = fake_dmabuf_create(n * 4, &map);
	linear.pixels = map;
	for (size_t i = 0; i < n; i++) {
		linear.pixels[i] = color;
	}
	zwp_linux_buffer_params_v1_add(params, linear.fd, 0, 0, WIDTH * 4, 0, 0);
	linear.buffer = zwp_linux_buffer_params_v1_create_immed(
		params, WIDTH, HEIGHT, DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	return linear;
}

static void show_linear(const struct linear *linear, struct peer_window *window)
{
	wl_surface_attach(window->surface, linear->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, WIDTH, HEIGHT);
	wl_surface_commit(window->surface);
}

/* The window keeps its last frame; the buffer may be destroyed before its proof ends. */
static void attached_buffer_waits_for_the_proof_of_its_gpu(void **state)
{
	struct world *world = *state;
	struct fixture *fixture = world->fixture;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	uint32_t before = fixture_pixel(fixture, 300, 300);

	fixture_add_gpu(
		fixture, "pci-0000_04_00_0", "nvidia", "/emulated/renderD130", makedev(226, 130));
	exporter = "drm";
	fixture->holds_tasks = true;
	fake_gpu_block(world->fake, FAKE_BLOCK_OPEN);
	struct linear unused = create_linear(world, 0x111111);
	struct linear shown = create_linear(world, 0x223344);
	show_linear(&unused, window);
	show_linear(&shown, window);
	wl_buffer_destroy(unused.buffer);
	fixture_frames(fixture, 3);
	assert_int_equal(fixture_pixel(fixture, 300, 300), before);
	fake_gpu_block(world->fake, 0);
	fixture->holds_tasks = false;
	fixture_frames(fixture, 4);
	assert_int_equal(fixture_pixel(fixture, 300, 300), 0x223344);
	assert_true(peer_alive(world->peer));
	exporter = NULL;
	wl_buffer_destroy(shown.buffer);
	close(unused.fd);
	close(shown.fd);
	canvas_finish(&canvas);
}

/* A capture whose client goes away first ends with it. */
static void capture_waits_for_the_proof_of_its_buffer(void **state)
{
	struct world *world = *state;
	struct fixture *fixture = world->fixture;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	struct capturer_session *session =
		capturer_session_create(world->peer, capturer_output_source(world->peer), 0);

	fixture_add_gpu(
		fixture, "pci-0000_04_00_0", "nvidia", "/emulated/renderD130", makedev(226, 130));
	exporter = "drm";
	fixture->holds_tasks = true;
	fake_gpu_block(world->fake, FAKE_BLOCK_OPEN);
	struct linear target = create_linear(world, 0);
	struct peer_buffer buffer = {
		.buffer = target.buffer, .pixels = target.pixels, .width = WIDTH, .height = HEIGHT};
	capturer_frame_destroy(capturer_frame_create_with(session, &buffer));
	struct capturer_frame *frame = capturer_frame_create_with(session, &buffer);
	fixture_frames(fixture, 3);
	assert_false(frame->ready || frame->failed);
	fake_gpu_block(world->fake, 0);
	fixture->holds_tasks = false;
	await(frame->ready || frame->failed, fixture_pump(fixture));
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 300, 300), *canvas_pixel(&canvas, 300, 300));
	exporter = NULL;
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
	wl_buffer_destroy(target.buffer);
	close(target.fd);
	peer_window_destroy(window);
	canvas_finish(&canvas);
}

/* System memory that the display's GPU would show as stale or black pixels. */
static void system_memory_of_clients_is_refused_where_it_is_misread(void **state)
{
	static const struct {
		const char *driver, *exporter;
		bool accepted;
	} cases[] = {
		{"amdgpu", "udmabuf", true},
		{"xe", "udmabuf", true},
		{"i915", "udmabuf", false},
		{"i915", "videobuf2_common", true}, /* written by a device */
		{"nvidia", "udmabuf", false},
		{"nvidia", "system", false},
		{"panfrost", "linux,cma", true},
	};
	struct world *world = *state;
	struct linux_dmabuf global = {.server = world->fixture->server};
	wl_list_init(&global.proofs);
	struct render_device *device = world->fixture->server->device;
	void *map;
	int fd = fake_dmabuf_create(64 * 64 * 4, &map);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gpu gpu = {.driver = (char *)cases[i].driver};
		exporter = cases[i].exporter;
		device->gpu = &gpu;
		struct buffer *buffer = import(world->peer, &global, fd);
		device->gpu = NULL;
		if (!buffer != !cases[i].accepted) {
			fail_msg("%s, %s: %s", cases[i].driver, exporter,
				buffer ? "accepted" : "refused");
		}
		buffer_drop(buffer);
	}
	exporter = NULL;
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(linear_video_memory_belongs_to_nvidia),
		TEST(hung_proofs_of_a_client_change_no_home_of_another),
		TEST(renderer_imports_no_memory_before_its_proof),
		TEST(attached_buffer_waits_for_the_proof_of_its_gpu),
		TEST(capture_waits_for_the_proof_of_its_buffer),
		TEST(system_memory_of_clients_is_refused_where_it_is_misread),
	};

	return cmocka_run_group_tests_name("homes", tests, NULL, NULL);
}
