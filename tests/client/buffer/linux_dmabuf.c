/* SPDX-License-Identifier: MIT */
/*
 * linux-dmabuf without a device: memfds act as dma-bufs. Advertised formats import and are
 * presented.
 */

#include "content/device.h"
#include "gpu/format.h"
#include "gpu/gpu.h"
#include "harness/client/capturer.h"
#include "harness/peer.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "util/fd.h"
#include "util/signal.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SIDE 64
#define PLANE_SIZE (SIDE * SIDE * 8)

struct dmabuf_world {
	enum renderer_kind renderer;
	struct fixture *fixture;
	struct peer *peer;
	struct format_set formats;
	int n_plain; /* format events */
};

static int setup(void **state)
{
	struct dmabuf_world *world = *state;
	struct fixture_options options = {.renderer = world->renderer};
	world->fixture = fixture_create(&options);
	world->peer = peer_create(world->fixture);
	world->formats = (struct format_set){0};
	world->n_plain = 0;
	return 0;
}

static int teardown(void **state)
{
	struct dmabuf_world *world = *state;
	format_set_finish(&world->formats);
	fixture_destroy(world->fixture);
	return 0;
}

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
	struct dmabuf_world *world = data;
	world->n_plain++;
	assert_non_null(pixel_format_get(format));
}

static void handle_modifier(
	void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format, uint32_t hi, uint32_t lo)
{
	struct dmabuf_world *world = data;
	assert_false(format_set_has(&world->formats, format, (uint64_t)hi << 32 | lo));
	format_set_add(&world->formats, format, (uint64_t)hi << 32 | lo);
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = handle_format,
	.modifier = handle_modifier,
};

static struct zwp_linux_dmabuf_v1 *bind(struct dmabuf_world *world, uint32_t version)
{
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, version);
	zwp_linux_dmabuf_v1_add_listener(dmabuf, &dmabuf_listener, world);
	fixture_pump(world->fixture);
	return dmabuf;
}

struct outcome {
	struct wl_buffer *buffer;
	int n_created, n_failed;
};

static void handle_created(
	void *data, struct zwp_linux_buffer_params_v1 *params, struct wl_buffer *buffer)
{
	struct outcome *outcome = data;
	outcome->n_created++;
	outcome->buffer = buffer;
}

static void handle_failed(void *data, struct zwp_linux_buffer_params_v1 *params)
{
	struct outcome *outcome = data;
	outcome->n_failed++;
}

static const struct zwp_linux_buffer_params_v1_listener params_listener = {
	.created = handle_created,
	.failed = handle_failed,
};

/* Creates memory that its owner can write, and can truncate unless it is sealed. */
static int create_plane(uint32_t pixel, bool sealed)
{
	int fd = fd_create_memory("test-plane", PLANE_SIZE, sealed);
	assert_true(fd >= 0);
	uint32_t *pixels = mmap(NULL, PLANE_SIZE, PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(pixels != MAP_FAILED);
	for (size_t i = 0; i < PLANE_SIZE / sizeof(pixel); i++) {
		pixels[i] = pixel;
	}
	munmap(pixels, PLANE_SIZE);
	return fd;
}

static struct zwp_linux_buffer_params_v1 *fill_params(
	struct dmabuf_world *world, const struct pixel_format *format, uint64_t modifier, int fd)
{
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(bind(world, 3));
	for (int i = 0; i < format->n_planes; i++) {
		zwp_linux_buffer_params_v1_add(params, fd, (uint32_t)i, 0, SIDE * 8,
			(uint32_t)(modifier >> 32), (uint32_t)modifier);
	}
	wl_display_flush(world->peer->display);
	return params;
}

static struct outcome create(struct dmabuf_world *world, uint32_t fourcc, uint64_t modifier, int fd,
	int32_t width, int32_t height, uint32_t flags)
{
	struct outcome outcome = {0};
	struct zwp_linux_buffer_params_v1 *params =
		fill_params(world, pixel_format_get(fourcc), modifier, fd);
	zwp_linux_buffer_params_v1_add_listener(params, &params_listener, &outcome);
	zwp_linux_buffer_params_v1_create(params, width, height, fourcc, flags);
	fixture_pump(world->fixture);
	zwp_linux_buffer_params_v1_destroy(params);
	fixture_pump(world->fixture);
	return outcome;
}

static void version_is_3_without_a_device(void **state)
{
	struct dmabuf_world *world = *state;
	assert_int_equal(peer_find_global(world->peer, "zwp_linux_dmabuf_v1")->version, 3);
	bind(world, 3);
	assert_int_equal(world->n_plain, 0);
	assert_true(format_set_has(&world->formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));
	assert_true(format_set_has(&world->formats, DRM_FORMAT_ARGB8888, DRM_FORMAT_MOD_LINEAR));
	size_t n = world->formats.n_formats;
	format_set_finish(&world->formats);
	world->formats = (struct format_set){0};
	bind(world, 1);
	assert_int_equal(world->n_plain, n);
	assert_int_equal(world->formats.n_formats, 0);
}

static void every_advertised_format_imports(void **state)
{
	struct dmabuf_world *world = *state;
	int fd = create_plane(0xffffffff, true);
	bind(world, 3);
	struct format_set formats = world->formats;
	world->formats = (struct format_set){0};
	assert_true(formats.n_formats > 0);
	for (size_t i = 0; i < formats.n_formats; i++) {
		const struct format_modifiers *entry = &formats.formats[i];
		for (size_t m = 0; m < entry->n_modifiers; m++) {
			struct outcome outcome = create(
				world, entry->format, entry->modifiers[m], fd, SIDE, SIDE, 0);
			format_set_finish(&world->formats);
			world->formats = (struct format_set){0};
			char name[5];
			if (outcome.n_created != 1 || outcome.n_failed != 0) {
				fail_msg("%s does not import",
					pixel_format_name(entry->format, name));
			}
			wl_buffer_destroy(outcome.buffer);
		}
	}
	format_set_finish(&formats);
	close(fd);
}

static struct peer_window *show(struct dmabuf_world *world, struct wl_buffer *buffer)
{
	struct peer_window *window = peer_window_create_unmapped(world->peer);
	wl_surface_attach(window->surface, buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, INT32_MAX, INT32_MAX);
	wl_surface_commit(window->surface);
	fixture_pump(world->fixture);
	peer_window_place(window, 10, 10);
	fixture_settle(world->fixture);
	return window;
}

static void created_buffer_is_shown(void **state)
{
	struct dmabuf_world *world = *state;
	int fd = create_plane(0x00ab3412, true);
	struct outcome outcome =
		create(world, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR, fd, SIDE, SIDE, 0);
	assert_int_equal(outcome.n_created, 1);
	show(world, outcome.buffer);
	assert_int_equal(fixture_pixel(world->fixture, 10, 10), 0xab3412);
	assert_int_equal(fixture_pixel(world->fixture, 73, 73), 0xab3412);
	assert_int_not_equal(fixture_pixel(world->fixture, 74, 73), 0xab3412);
	close(fd);
}

static void immediately_created_buffer_is_shown(void **state)
{
	struct dmabuf_world *world = *state;
	int fd = create_plane(0x00ab3412, true);
	struct zwp_linux_buffer_params_v1 *params = fill_params(
		world, pixel_format_get(DRM_FORMAT_XRGB8888), DRM_FORMAT_MOD_LINEAR, fd);
	struct wl_buffer *buffer =
		zwp_linux_buffer_params_v1_create_immed(params, SIDE, SIDE, DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	show(world, buffer);
	assert_int_equal(fixture_pixel(world->fixture, 10, 10), 0xab3412);
	close(fd);
}

/* Failures that are not the client's fault: `failed` is sent, and the client stays connected. */
static void expect_failed(struct dmabuf_world *world, struct outcome outcome)
{
	assert_int_equal(outcome.n_failed, 1);
	assert_int_equal(outcome.n_created, 0);
	assert_true(peer_alive(world->peer));
}

static void flags_fail(void **state)
{
	struct dmabuf_world *world = *state;
	int fd = create_plane(0, true);
	for (uint32_t flags = 1; flags <= 8; flags *= 2) {
		expect_failed(world, create(world, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR, fd,
					     SIDE, SIDE, flags));
		format_set_finish(&world->formats);
		world->formats = (struct format_set){0};
	}
	close(fd);
}

static void file_without_memory_fails(void **state)
{
	struct dmabuf_world *world = *state;
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	expect_failed(world,
		create(world, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR, fds[0], SIDE, SIDE, 0));
	close(fds[0]);
	close(fds[1]);
	format_set_finish(&world->formats);
	world->formats = (struct format_set){0};
	/* A device that can be mapped but has no size. */
	int zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
	struct outcome outcome =
		create(world, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR, zero, SIDE, SIDE, 0);
	close(zero);
	assert_int_equal(outcome.n_created, 0);
}

static void unknown_modifier_fails(void **state)
{
	struct dmabuf_world *world = *state;
	int fd = create_plane(0, true);
	expect_failed(world,
		create(world, DRM_FORMAT_XRGB8888,
			DRM_FORMAT_MOD_LINEAR + UINT64_C(0x0100000000000001), fd, SIDE, SIDE, 0));
	close(fd);
}

/* A lost device has no renderer for a moment: clients that create buffers then must survive. */
static void buffers_are_created_while_the_device_is_lost(void **state)
{
	struct dmabuf_world *world = *state;
	struct render_device *device = world->fixture->server->device;
	struct renderer *renderer = device->renderer;
	int fd = create_plane(0x00ab3412, true);
	struct zwp_linux_buffer_params_v1 *params = fill_params(
		world, pixel_format_get(DRM_FORMAT_XRGB8888), DRM_FORMAT_MOD_LINEAR, fd);
	device->renderer = NULL;
	struct wl_buffer *buffer =
		zwp_linux_buffer_params_v1_create_immed(params, SIDE, SIDE, DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	fixture_pump(world->fixture);
	device->renderer = renderer;
	assert_true(peer_alive(world->peer));
	show(world, buffer);
	assert_int_equal(fixture_pixel(world->fixture, 10, 10), 0xab3412);
	close(fd);
}

static void expect_route(struct dmabuf_world *world, struct peer_window *window, const char *route,
	const char *reason)
{
	const struct scene_output *output = world->fixture->server->scene->outputs[0];
	struct route_choice choice =
		frame_route(output, peer_surface_find(world->peer, window->surface));
	assert_string_equal(route_name(choice.source, choice.sink), route);
	assert_string_equal(route_choice_text(&choice, choice.reason), reason);
}

/* Memory that shrinks before it is drawn cannot be mapped. */
static void window_that_cannot_be_read_names_the_reason(void **state)
{
	struct dmabuf_world *world = *state;
	if (!world->fixture->server->device->renderer->cpu) {
		print_message("skipped: GL imports the memory before it shrinks\n");
		return;
	}
	int fd = create_plane(0x00ab3412, false), good = create_plane(0x00123456, true);
	struct outcome outcome =
		create(world, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR, fd, SIDE, SIDE, 0);
	format_set_finish(&world->formats);
	world->formats = (struct format_set){0};
	struct outcome second =
		create(world, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR, good, SIDE, SIDE, 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	struct peer_window *window = show(world, outcome.buffer);
	assert_true(peer_alive(world->peer));
	expect_route(world, window, "none", "the CPU, which draws it, cannot read it");
	wl_surface_attach(window->surface, second.buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, SIDE, SIDE);
	wl_surface_commit(window->surface);
	fixture_settle(world->fixture);
	assert_int_equal(fixture_pixel(world->fixture, 10, 10), 0x123456);
	expect_route(world, window, "import", "direct scan-out is disabled for this output");
	close(fd);
	close(good);
}

static void immediate_failure_is_an_error(void **state)
{
	struct dmabuf_world *world = *state;
	int fd = create_plane(0, true);
	struct zwp_linux_buffer_params_v1 *params = fill_params(
		world, pixel_format_get(DRM_FORMAT_XRGB8888), DRM_FORMAT_MOD_LINEAR, fd);
	close(fd);
	zwp_linux_buffer_params_v1_create_immed(
		params, SIDE, SIDE, DRM_FORMAT_XRGB8888, ZWP_LINUX_BUFFER_PARAMS_V1_FLAGS_Y_INVERT);
	peer_expect_error(world->peer, &zwp_linux_buffer_params_v1_interface,
		ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_WL_BUFFER);
}

/* Widths and heights at the limits of the file and of the integer types. */
static void sizes_beyond_the_memory_are_errors(void **state)
{
	static const struct {
		int32_t width, height;
		bool error;
	} cases[] = {
		{SIDE * 2, SIDE, false},
		{SIDE * 2 + 1, SIDE, true},
		{SIDE, SIDE + 1, true},
		{INT32_MAX, 1, true},
		{1, INT32_MAX, true},
		{INT32_MAX, INT32_MAX, true},
		{0x20000000, 1, true},
		{0x40000001, 0x40000001, true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		void *inner = *state;
		setup(&inner);
		struct dmabuf_world *world = inner;
		int fd = create_plane(0, true);
		struct zwp_linux_buffer_params_v1 *params = fill_params(
			world, pixel_format_get(DRM_FORMAT_XRGB8888), DRM_FORMAT_MOD_LINEAR, fd);
		close(fd);
		zwp_linux_buffer_params_v1_create_immed(
			params, cases[i].width, cases[i].height, DRM_FORMAT_XRGB8888, 0);
		if (cases[i].error) {
			peer_expect_error(world->peer, &zwp_linux_buffer_params_v1_interface,
				ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_OUT_OF_BOUNDS);
		} else {
			assert_true(peer_alive(world->peer));
		}
		teardown(&inner);
	}
}

static void planes_with_different_modifiers_are_an_error(void **state)
{
	struct dmabuf_world *world = *state;
	int fd = create_plane(0, true);
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(bind(world, 3));
	zwp_linux_buffer_params_v1_add(params, fd, 0, 0, SIDE * 8, 0, 0);
	zwp_linux_buffer_params_v1_add(params, fd, 1, 0, SIDE * 8, 0, 1);
	wl_display_flush(world->peer->display);
	close(fd);
	peer_expect_error(world->peer, &zwp_linux_buffer_params_v1_interface,
		ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_FORMAT);
}

/* The owner truncates the memory while it is shown. */
static void truncated_memory_ends_in_no_crash(void **state)
{
	struct dmabuf_world *world = *state;
	capturer_set_guard();
	int fd = create_plane(0x00ab3412, false);
	struct outcome outcome =
		create(world, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR, fd, SIDE, SIDE, 0);
	/* GLES refuses memory that can be truncated, because it cannot guard its reads. */
	assert_int_equal(outcome.n_failed, world->renderer == RENDERER_GLES);
	if (outcome.n_created) {
		show(world, outcome.buffer);
		assert_int_equal(ftruncate(fd, 0), 0);
		scene_output_damage_all(world->fixture->server->scene->outputs[0]);
		fixture_settle(world->fixture);
		assert_int_not_equal(fixture_pixel(world->fixture, 12, 12), 0xab3412);
	}
	close(fd);
	assert_true(peer_alive(world->peer));
}

#define TEST(name) cmocka_unit_test_prestate_setup_teardown(name, setup, teardown, &world)

/* Without a device, clients use shared memory; a GPU that appears later announces the global. */
static void not_announced_without_a_device(void **state)
{
	if (access("/dev/udmabuf", R_OK | W_OK) == 0) {
		print_message("skip: %s: there is a device\n", __func__);
		skip();
	}
	struct dmabuf_world *world = *state;
	struct fixture *fixture = fixture_create(
		&(struct fixture_options){.renderer = world->renderer, .no_memfd_dmabufs = true});
	struct peer *peer = peer_create(fixture);
	assert_null(peer_find_global(peer, "zwp_linux_dmabuf_v1"));
	struct gpu_list *gpus = fixture->server->gpus;
	fixture_add_gpu(
		fixture, "pci-0000_03_00_0", "amdgpu", "/emulated/renderD129", makedev(226, 129));
	signal_emit(&gpus->events.changed, gpus);
	fixture_pump(fixture);
	assert_non_null(peer_find_global(peer, "zwp_linux_dmabuf_v1"));
	fixture_destroy(fixture);
}

int main(int argc, char **argv)
{
	static struct dmabuf_world world;
	capturer_learn_guard();
	world.renderer = fixture_renderer(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(not_announced_without_a_device, &world),
		TEST(version_is_3_without_a_device),
		TEST(every_advertised_format_imports),
		TEST(created_buffer_is_shown),
		TEST(immediately_created_buffer_is_shown),
		TEST(flags_fail),
		TEST(file_without_memory_fails),
		TEST(unknown_modifier_fails),
		TEST(buffers_are_created_while_the_device_is_lost),
		TEST(window_that_cannot_be_read_names_the_reason),
		TEST(immediate_failure_is_an_error),
		cmocka_unit_test_prestate(sizes_beyond_the_memory_are_errors, &world),
		TEST(planes_with_different_modifiers_are_an_error),
		TEST(truncated_memory_ends_in_no_crash),
	};
	return cmocka_run_group_tests_name("buffer/linux_dmabuf", tests, NULL, NULL);
}
