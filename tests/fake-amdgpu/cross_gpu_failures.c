/* SPDX-License-Identifier: MIT */
/*
 * Failures of copies from another GPU: hung engines, refused memory, and buffers, clients and GPUs
 * that disappear.
 */

#include "gpu/gpu.h"
#include "harness/await.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "protocol/protocol.h"
#include "world.h"
#include <drm_fourcc.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define WIDTH WORLD_WIDTH
#define HEIGHT WORLD_HEIGHT

/* Other windows keep updating, and a new engine is opened after a while. */
static void hung_engine_keeps_last_frame_until_replaced(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	uint32_t old = *canvas_pixel(&canvas, 300, 300);
	fake_gpu_hold(world->fake);
	canvas_update(&canvas, window, 300, 300, 64, 64, 9);
	fixture_frames(world->fixture, 60);
	assert_int_equal(world->fixture->server->copier->totals.lost, 1);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), old);
	/* The context is destroyed, so the job has no memory to use. */
	fake_gpu_release(world->fake);
	fake_gpu_fault(world->fake);
	assert_true(peer_alive(world->peer));
	fixture_sleep(world->fixture, INT64_C(6000000000));
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), old);
	canvas_commit(&canvas, window, 300, 300, 1, 1);
	fixture_frames(world->fixture, 4);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), *canvas_pixel(&canvas, 300, 300));
	canvas_finish(&canvas);
}

static const struct renderer_impl *working;
static int n_failing; /* next imports of dma-bufs that fail */

static bool fail_import(struct renderer *renderer, struct texture **texture, struct buffer *buffer,
	const pixman_region32_t *damage, bool *holds)
{
	const bool fails = n_failing > 0 && buffer_dmabuf(buffer);
	n_failing -= fails;
	return !fails && working->texture_update(renderer, texture, buffer, damage, holds);
}

/* The copy is there, but could not be imported, and the client draws no more. */
static void import_of_a_copy_is_tried_again(void **state)
{
	struct world *world = *state;
	struct renderer *renderer = world->fixture->server->device->renderer;
	struct renderer_impl failing = *renderer->impl;
	struct canvas canvas;
	working = renderer->impl;
	failing.texture_update = fail_import;
	renderer->impl = &failing;
	n_failing = 6;
	canvas_open(&canvas, world);
	fixture_frames(world->fixture, 4);
	assert_in_range(n_failing, 1, 5);
	fixture_sleep(world->fixture, INT64_C(16000000000));
	assert_int_equal(n_failing, 0);
	renderer->impl = working;
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	canvas_finish(&canvas);
}

struct offered_formats {
	bool plain, of_sdma;
};

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
}

static void handle_modifier(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format,
	uint32_t high, uint32_t low)
{
	struct offered_formats *offered = data;
	uint64_t modifier = (uint64_t)high << 32 | low;

	offered->plain |= modifier == WORLD_MODIFIER;
	offered->of_sdma |= modifier == WORLD_MODIFIER_SDMA;
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = handle_format,
	.modifier = handle_modifier,
};

/* Binds the feedback again to read the current formats. */
static struct offered_formats read_formats(const struct world *world)
{
	struct offered_formats offered = {0};
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3);

	zwp_linux_dmabuf_v1_add_listener(dmabuf, &dmabuf_listener, &offered);
	fixture_pump(world->fixture);
	zwp_linux_dmabuf_v1_destroy(dmabuf);
	return offered;
}

static bool copies(const struct copier *copier)
{
	const struct gpu_engines *device;
	wl_list_for_each (device, &copier->gpus, link) {
		if (!wl_list_empty(&device->jobs)) {
			return true;
		}
	}
	return false;
}

/* Shows a frame and waits for copies on threads, which could exceed their deadline in test time. */
static void go_on(struct world *world)
{
	await(!copies(world->fixture->server->copier), fixture_pump(world->fixture));
	fixture_frames(world->fixture, 1);
}

static bool shows(struct world *world, const struct canvas *canvas, int x, int y)
{
	return fixture_pixel(world->fixture, x, y) == *canvas_pixel(canvas, x, y);
}

/* Formats of that engine are offered, and its copies are exact. */
static void second_engine_offers_its_formats_and_copies(void **state)
{
	struct world *world = *state;
	struct server *server = world->fixture->server;
	struct canvas canvas;

	server->copier->only = "cpu";
	canvas_init(&canvas, world);
	canvas_map(&canvas);
	assert_true(read_formats(world).plain);
	assert_false(read_formats(world).of_sdma);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 1);
	canvas_show(&canvas);
	await(shows(world, &canvas, WIDTH - 1, HEIGHT - 1), go_on(world));
	fixture_settle(world->fixture);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	assert_int_equal(fake_gpu_counts(world->fake).files, 0);

	server->copier->only = "sdma";
	protocols_rules_changed(server->protocols);
	assert_true(read_formats(world).plain);
	assert_true(read_formats(world).of_sdma);
	canvas_finish(&canvas);
}

/* Formats of the hung engine are withdrawn. */
static void next_engine_replaces_hung_one(void **state)
{
	struct world *world = *state;
	struct copier *copier = world->fixture->server->copier;
	struct canvas canvas;

	canvas_init(&canvas, world);
	canvas_map(&canvas);
	assert_true(read_formats(world).of_sdma);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 1);
	struct peer_window *window = canvas_show(&canvas);
	fake_gpu_hold(world->fake);
	canvas_update(&canvas, window, 300, 300, 64, 64, 9);
	fixture_frames(world->fixture, 60);
	assert_int_equal(copier->totals.lost, 1);
	assert_true(read_formats(world).plain);
	assert_false(read_formats(world).of_sdma);
	/* Formats from the earlier feedback are still accepted. */
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(world->dmabuf);
	zwp_linux_buffer_params_v1_add(params, canvas.fd, 0, 0, canvas.pitch * 4,
		(uint32_t)(WORLD_MODIFIER_SDMA >> 32), (uint32_t)WORLD_MODIFIER_SDMA);
	struct wl_buffer *buffer = zwp_linux_buffer_params_v1_create_immed(
		params, WIDTH, HEIGHT, DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	fixture_pump(world->fixture);
	assert_true(peer_alive(world->peer));
	wl_buffer_destroy(buffer);

	/* The kernel ends the job; the CPU copies until the engine is opened again. */
	fake_gpu_release(world->fake);
	fake_gpu_fault(world->fake);
	canvas_update(&canvas, window, 400, 300, 64, 64, 10);
	await(shows(world, &canvas, 463, 363), go_on(world));
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	/* The engine is opened again, and its formats return. */
	fixture_sleep(world->fixture, INT64_C(6000000000));
	canvas_commit(&canvas, window, 0, 0, 1, 1);
	fixture_frames(world->fixture, 4);
	await(read_formats(world).of_sdma, go_on(world));
	canvas_finish(&canvas);
}

/*
 * A driver that exports no memory copies into foreign memory; one that imports none shows no window
 * contents.
 */
static void driver_refusing_export_uses_foreign_memory(void **state)
{
	struct world *world = *state;
	struct canvas canvas;

	fake_gpu_refuse(world->fake, FAKE_REFUSE_ALLOCATION);
	struct peer_window *window = canvas_open(&canvas, world);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	canvas_update(&canvas, window, 300, 300, 64, 64, 9);
	fixture_frames(world->fixture, 3);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	assert_int_equal(world_copied(world), WIDTH * HEIGHT * 4 + 64 * 64 * 4);
	peer_window_destroy(window);
	canvas_finish(&canvas);
}

static void driver_refusing_all_memory_shows_no_window(void **state)
{
	struct world *world = *state;
	struct canvas canvas;

	fake_gpu_refuse(world->fake, FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_FOREIGN);
	struct peer_window *window = canvas_open(&canvas, world);
	struct peer_window *other = peer_window_create(world->peer, 0, 0, 50, 50, 0xff112233);
	fixture_settle(world->fixture);
	/* One retry after all engines were tried. */
	canvas_commit(&canvas, window, 300, 300, 64, 64);
	fixture_frames(world->fixture, 4);
	fixture_settle(world->fixture);
	uint64_t imported = fake_gpu_counts(world->fake).imported;
	for (int i = 0; i < 5; i++) {
		canvas_commit(&canvas, window, 300, 300, 64, 64);
		fixture_frames(world->fixture, 2);
	}
	/* Further commits do not repeat the trials. */
	assert_int_equal(fake_gpu_counts(world->fake).imported, imported);
	assert_int_equal(world_copied(world), 0);
	assert_int_equal(fixture_pixel(world->fixture, 10, 10), 0x112233);
	assert_true(peer_alive(world->peer));
	const struct surface *surface = peer_surface_find(world->peer, window->surface);
	struct route_choice choice =
		frame_route(world->fixture->server->scene->outputs[0], surface);
	assert_string_equal(route_name(choice.source, choice.sink), "none");
	assert_string_equal(route_choice_text(&choice, choice.reason),
		"no memory suits both its GPU and the GPU that shows it");
	peer_window_destroy(other);
	peer_window_destroy(window);
	canvas_finish(&canvas);
}

/* Each of buffer, surface and client during a copy. */
static void objects_destroyed_during_copy_are_released(void **state)
{
	struct world *world = *state;

	for (int what = 0; what < 3; what++) {
		struct canvas canvas;

		struct peer_window *window = canvas_open(&canvas, world);
		fake_gpu_hold(world->fake);
		canvas_update(&canvas, window, 300, 300, 64, 64, 9);
		fixture_frames(world->fixture, 3);
		if (what == 0) {
			wl_buffer_destroy(canvas.buffer);
		} else if (what == 1) {
			peer_window_destroy(window);
		} else {
			peer_destroy(world->peer);
		}
		fixture_frames(world->fixture, 3);
		fake_gpu_release(world->fake);
		fixture_frames(world->fixture, 3);
		if (what == 0) {
			assert_int_equal(fixture_pixel(world->fixture, 300, 300),
				*canvas_pixel(&canvas, 300, 300));
			peer_window_destroy(window);
		} else if (what == 1) {
			wl_buffer_destroy(canvas.buffer);
		}
		close(canvas.fd);
		assert_null(fake_gpu_fault(world->fake));
	}
	/* A thread closes unused engines after a while. */
	fixture_sleep(world->fixture, INT64_C(6000000000));
	await(fake_gpu_counts(world->fake).mappings == 0, );
}

/* The last frame stays, and the client may continue. */
static void unplugging_gpu_during_copy_keeps_last_frame(void **state)
{
	struct world *world = *state;
	struct canvas canvas, late;

	canvas_init(&canvas, world);
	canvas_init(&late, world);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 1);
	struct peer_window *window = canvas_show(&canvas);
	uint32_t before = fixture_pixel(world->fixture, 300, 300);
	fake_gpu_hold(world->fake);
	canvas_update(&canvas, window, 300, 300, 64, 64, 9);
	fixture_frames(world->fixture, 3);
	fake_gpu_unplug(world->fake);
	gpu_list_remove(world->fixture->server->gpus, world->gpu);
	fixture_frames(world->fixture, 3);
	assert_int_equal(fixture_pixel(world->fixture, 300, 300), before);
	/* Buffers of the removed GPU are no longer shown, and its node stays closed. */
	int files = fake_gpu_counts(world->fake).files;
	canvas_update(&late, window, 0, 0, WIDTH, HEIGHT, 10);
	fixture_frames(world->fixture, 3);
	wl_buffer_destroy(canvas.buffer);
	fixture_frames(world->fixture, 3);
	assert_true(peer_alive(world->peer));
	assert_int_equal(fake_gpu_counts(world->fake).files, files);
	assert_int_equal(world->gpu->n_users, 0);
	peer_window_destroy(window);
	close(canvas.fd);
	canvas_finish(&late);
}

static void count_failed(void *data, struct zwp_linux_buffer_params_v1 *params)
{
	(*(int *)data)++;
}

/* Mesa creates buffers at once. The client is not at fault, and may draw on another GPU. */
static void buffers_of_an_unplugged_gpu_fail_without_a_protocol_error(void **state)
{
	static const struct zwp_linux_buffer_params_v1_listener listener = {.failed = count_failed};
	struct world *world = *state;
	struct canvas canvas;
	int n_failed = 0;

	canvas_init(&canvas, world);
	canvas_draw(&canvas, 0, 0, WIDTH, HEIGHT, 1);
	struct peer_window *window = canvas_show(&canvas);
	struct gpu *other = fixture_add_gpu(world->fixture, "pci-0000_04_00_0", "amdgpu",
		"/emulated/renderD130", makedev(226, 130));
	fake_gpu_unplug(world->fake);
	gpu_list_remove(world->fixture->server->gpus, world->gpu);
	client_from_wl(world->peer->client)->gpu = other; /* as for clients with feedback */
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(world->dmabuf);
	zwp_linux_buffer_params_v1_add(params, canvas.fd, 0, 0, canvas.pitch * 4,
		(uint32_t)(WORLD_MODIFIER >> 32), (uint32_t)WORLD_MODIFIER);
	zwp_linux_buffer_params_v1_add_listener(params, &listener, &n_failed);
	struct wl_buffer *buffer = zwp_linux_buffer_params_v1_create_immed(
		params, canvas.width, canvas.height, canvas.format, 0);
	wl_surface_attach(window->surface, buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, WIDTH, HEIGHT);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 3);
	assert_true(peer_alive(world->peer));
	assert_int_equal(n_failed, 1);
	wl_buffer_destroy(buffer);
	zwp_linux_buffer_params_v1_destroy(params);
	peer_window_destroy(window);
	canvas_finish(&canvas);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hung_engine_keeps_last_frame_until_replaced),
		TEST(import_of_a_copy_is_tried_again),
		TEST(second_engine_offers_its_formats_and_copies),
		TEST(next_engine_replaces_hung_one),
		TEST(driver_refusing_export_uses_foreign_memory),
		TEST(driver_refusing_all_memory_shows_no_window),
		TEST(objects_destroyed_during_copy_are_released),
		TEST(unplugging_gpu_during_copy_keeps_last_frame),
		TEST(buffers_of_an_unplugged_gpu_fail_without_a_protocol_error),
	};

	return cmocka_run_group_tests_name("failures", tests, NULL, NULL);
}
