/* SPDX-License-Identifier: MIT */
/*
 * Reasons for a surface's route, as the control protocol reports them: each one appears while it is
 * true, and goes when it is not. Those of another GPU's buffers are in
 * tests/fake-amdgpu/cross_gpu_reasons.c.
 */

#include "alpha-modifier-v1-client-protocol.h"
#include "backend/headless.h"
#include "buffer/allocator.h"
#include "content/device.h"
#include "frame/output.h"
#include "harness/client/plane_screen.h"
#include "harness/client/route_reader.h"
#include "harness/hand.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "planes/assign.h"
#include "planes/scanout.h"
#include "render/render.h"
#include "scene/scene.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "single-pixel-buffer-v1-client-protocol.h"
#include "surface/surface.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include "viewporter-client-protocol.h"
#include <drm_fourcc.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 320
#define HEIGHT 240
#define SIDE 64
#define SECOND INT64_C(1000000000)

struct picture {
	struct wl_buffer *buffer;
	int n_released;
};

struct reasons_world {
	struct fixture *fixture; /* first, for fixture_tear_down() */
	struct picture pictures[4];
	int n_pictures;
	uint32_t serial; /* of the pointer's entry */
	struct peer *peer;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	struct route_reader reader;
	struct render_device *device;
	struct frame_output *frame;
	struct output *output;
	struct allocator *linear;
};

static enum renderer_kind renderer;
static bool seen[REASON_COUNT];

static int set_up(void **state)
{
	struct reasons_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(&(struct fixture_options){.renderer = renderer});
	world->peer = peer_create(world->fixture);
	world->dmabuf = peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3);
	route_reader_init(&world->reader, world->fixture);
	world->device = world->fixture->server->device;
	world->linear = memory_allocator_create();
	world->device->linear = world->linear;
	world->frame = frame_output_find(world->fixture->server->scene->outputs[0]);
	world->output = world->frame->output;
	frame_output_set_scanout(world->frame, true);
	plane_screen_begin(world->output);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct reasons_world *world = *state;
	plane_screen_end(world->output);
	return fixture_tear_down(state);
}

/* Windows of dma-bufs */

static void handle_release(void *data, struct wl_buffer *buffer)
{
	struct picture *picture = data;
	picture->n_released++;
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static struct picture *add_picture(
	struct reasons_world *world, int width, int height, uint32_t format)
{
	struct picture *picture = &world->pictures[world->n_pictures++];
	const int stride = width * 4;
	int fd = fd_create_memory("reasons", stride * height, true);
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(world->dmabuf);
	assert_true(fd >= 0);
	zwp_linux_buffer_params_v1_add(params, fd, 0, 0, (uint32_t)stride, 0, 0);
	picture->buffer = zwp_linux_buffer_params_v1_create_immed(params, width, height, format, 0);
	picture->n_released = 0;
	wl_buffer_add_listener(picture->buffer, &buffer_listener, picture);
	zwp_linux_buffer_params_v1_destroy(params);
	close(fd);
	return picture;
}

static void draw(struct reasons_world *world, struct peer_window *window, struct wl_buffer *buffer)
{
	wl_surface_attach(window->surface, buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, WIDTH, HEIGHT);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 2);
}

static struct peer_window *open_picture(
	struct reasons_world *world, struct picture *picture, const char *title, int x, int y)
{
	struct peer_window *window = peer_window_create_unmapped(world->peer);
	xdg_toplevel_set_title(window->toplevel, title);
	draw(world, window, picture->buffer);
	peer_window_place(window, x, y);
	fixture_frames(world->fixture, 4);
	return window;
}

static struct peer_window *open_whole(struct reasons_world *world)
{
	struct picture *picture = add_picture(world, WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	return open_picture(world, picture, "whole", 0, 0);
}

static struct peer_window *open_shm(struct reasons_world *world, const char *title, int x, int y,
	int width, int height, uint32_t pixel)
{
	struct peer_window *window = peer_window_create(world->peer, x, y, width, height, pixel);
	xdg_toplevel_set_title(window->toplevel, title);
	fixture_frames(world->fixture, 4);
	return window;
}

/* Composes the output, or assigns its planes, anew. */
static void repaint(struct reasons_world *world)
{
	scene_output_damage_all(world->frame->scene_output);
	fixture_frames(world->fixture, 2);
}

static void expect_of(struct reasons_world *world, const char *name, const char *value,
	const char *route, enum route_reason reason)
{
	const struct route_report *report = route_read(&world->reader, name, value);
	if (strcmp(report->route, route) != 0 ||
		strcmp(report->reason, route_reason_text(reason)) != 0) {
		fail_msg("%s: route %s, %s; expected: %s, %s", value, report->route, report->reason,
			route, route_reason_text(reason));
	}
	seen[reason] = true;
}

static void expect(
	struct reasons_world *world, const char *title, const char *route, enum route_reason reason)
{
	expect_of(world, "title", title, route, reason);
}

static void window_under_others_is_not_alone(void **state)
{
	struct reasons_world *world = *state;
	open_whole(world);
	for (int i = 0; i < 3; i++) {
		expect(world, "whole", "scan-out", REASON_BEST);
		struct peer_window *cover = open_shm(world, "cover", 9, 9, 20, 20, 0xff112233);
		expect(world, "whole", "import", REASON_NOT_ALONE);
		expect(world, "cover", renderer == RENDERER_GLES ? "upload" : "shm",
			REASON_SYSTEM_MEMORY);
		peer_window_destroy(cover);
		fixture_frames(world->fixture, 2);
		/* Planes are assigned again after a pause. */
		expect(world, "whole", "import", REASON_LATER);
		fixture_sleep(world->fixture, 9 * SECOND);
		repaint(world);
	}
}

static void covered_window_is_hidden(void **state)
{
	struct reasons_world *world = *state;
	struct picture *picture = add_picture(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	open_picture(world, picture, "small", 30, 30);
	expect(world, "small", "import", REASON_NOT_FULL);
	struct peer_window *cover = open_shm(world, "cover", 20, 20, 99, 99, 0xff112233);
	struct wl_region *region = wl_compositor_create_region(world->peer->compositor);
	wl_region_add(region, 0, 0, 99, 99);
	wl_surface_set_opaque_region(cover->surface, region);
	wl_surface_commit(cover->surface);
	wl_region_destroy(region);
	fixture_frames(world->fixture, 2);
	const struct route_report *report = route_read(&world->reader, "title", "small");
	if (report->route[0]) { /* it may be on no output */
		expect(world, "small", "none", REASON_HIDDEN);
	}
	peer_window_destroy(cover);
	fixture_frames(world->fixture, 2);
	expect(world, "small", "import", REASON_NOT_FULL);
}

static void transparent_window_is_clear(void **state)
{
	struct reasons_world *world = *state;
	struct picture *picture = add_picture(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	struct peer_window *window = open_picture(world, picture, "small", 30, 30);
	struct wp_alpha_modifier_v1 *modifier =
		peer_bind(world->peer, &wp_alpha_modifier_v1_interface, 0);
	struct wp_alpha_modifier_surface_v1 *alpha =
		wp_alpha_modifier_v1_get_surface(modifier, window->surface);
	wp_alpha_modifier_surface_v1_set_multiplier(alpha, 0);
	draw(world, window, picture->buffer);
	expect(world, "small", "none", REASON_CLEAR);
	wp_alpha_modifier_surface_v1_set_multiplier(alpha, UINT32_MAX);
	draw(world, window, picture->buffer);
	expect(world, "small", "import", REASON_NOT_FULL);
}

static void single_colour_has_the_best_route(void **state)
{
	struct reasons_world *world = *state;
	struct wp_single_pixel_buffer_manager_v1 *manager =
		peer_bind(world->peer, &wp_single_pixel_buffer_manager_v1_interface, 0);
	struct picture *picture = &world->pictures[world->n_pictures++];
	picture->buffer = wp_single_pixel_buffer_manager_v1_create_u32_rgba_buffer(
		manager, UINT32_MAX, 0, 0, UINT32_MAX);
	open_picture(world, picture, "colour", 30, 30);
	expect(world, "colour", "color", REASON_BEST);
}

static void translucent_window_is_not_scanned_out(void **state)
{
	struct reasons_world *world = *state;
	struct picture *picture = add_picture(world, WIDTH, HEIGHT, DRM_FORMAT_ARGB8888);
	struct peer_window *window = open_picture(world, picture, "whole", 0, 0);
	struct wl_region *region = wl_compositor_create_region(world->peer->compositor);
	for (int i = 0; i < 2; i++) {
		expect(world, "whole", "import", REASON_TRANSLUCENT);
		wl_region_add(region, 0, 0, WIDTH, HEIGHT);
		wl_surface_set_opaque_region(window->surface, region);
		draw(world, window, picture->buffer);
		fixture_sleep(world->fixture, 9 * SECOND);
		repaint(world);
		expect(world, "whole", "scan-out", REASON_BEST);
		wl_surface_set_opaque_region(window->surface, NULL);
		draw(world, window, picture->buffer);
	}
	wl_region_destroy(region);
}

static void format_that_no_plane_has_is_named(void **state)
{
	struct reasons_world *world = *state;
	struct peer_window *window = open_whole(world);
	draw(world, window, add_picture(world, WIDTH, HEIGHT, DRM_FORMAT_XRGB2101010)->buffer);
	expect(world, "whole", "import", REASON_PLANE_FORMAT);
	draw(world, window, world->pictures[0].buffer);
	expect(world, "whole", "import", REASON_LATER);
	fixture_sleep(world->fixture, SECOND);
	repaint(world);
	expect(world, "whole", "scan-out", REASON_BEST);
}

static struct wp_viewport *get_viewport(struct reasons_world *world, struct peer_window *window)
{
	struct wp_viewporter *viewporter = peer_bind(world->peer, &wp_viewporter_interface, 0);
	return wp_viewporter_get_viewport(viewporter, window->surface);
}

static void refusal_of_the_driver_is_named(void **state)
{
	struct reasons_world *world = *state;
	struct peer_window *window = open_whole(world);
	expect(world, "whole", "scan-out", REASON_BEST);
	plane_screen_refuse(peer_surface_find(world->peer, window->surface));
	scanout_forget(world->frame->scanout);
	repaint(world);
	fixture_sleep(world->fixture, SECOND);
	repaint(world);
	expect(world, "whole", "import", REASON_REFUSED);
	/* The refusal is no longer why. */
	struct peer_window *cover = open_shm(world, "cover", 9, 9, 20, 20, 0xff112233);
	expect(world, "whole", "import", REASON_NOT_ALONE);
	peer_window_destroy(cover);
	plane_screen_refuse(NULL);
	fixture_sleep(world->fixture, 9 * SECOND);
	repaint(world);
	expect(world, "whole", "scan-out", REASON_BEST);
}

static void scaled_window_is_named_until_it_is_not_scaled(void **state)
{
	struct reasons_world *world = *state;
	struct picture *small = add_picture(world, WIDTH / 2, HEIGHT / 2, DRM_FORMAT_XRGB8888);
	struct picture *whole = add_picture(world, WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	struct peer_window *window = peer_window_create_unmapped(world->peer);
	struct wp_viewport *viewport = get_viewport(world, window);
	xdg_toplevel_set_title(window->toplevel, "whole");
	wp_viewport_set_destination(viewport, WIDTH, HEIGHT);
	draw(world, window, small->buffer);
	peer_window_place(window, 0, 0);
	fixture_frames(world->fixture, 4);
	for (int i = 0; i < 3; i++) {
		expect(world, "whole", "import", REASON_TRANSFORM);
		draw(world, window, whole->buffer);
		const struct route_report *report = route_read(&world->reader, "title", "whole");
		assert_string_not_equal(report->reason, route_reason_text(REASON_TRANSFORM));
		fixture_sleep(world->fixture, 9 * SECOND);
		repaint(world);
		expect(world, "whole", "scan-out", REASON_BEST);
		draw(world, window, small->buffer);
	}
}

static void shaped_window_is_named(void **state)
{
	struct reasons_world *world = *state;
	struct peer_window *window = open_whole(world);
	struct surface *surface = peer_surface_find(world->peer, window->surface);
	pixman_region32_t clip;
	pixman_region32_init_rect(&clip, 3, 3, 99, 99);
	scene_surface_set_clip(surface, &clip);
	repaint(world);
	expect(world, "whole", "import", REASON_SHAPED);
	scene_surface_set_clip(surface, NULL);
	fixture_sleep(world->fixture, SECOND);
	repaint(world);
	expect(world, "whole", "scan-out", REASON_BEST);
	pixman_region32_fini(&clip);
}

static void disabled_scan_out_is_named(void **state)
{
	struct reasons_world *world = *state;
	open_whole(world);
	for (int i = 0; i < 2; i++) {
		expect(world, "whole", "scan-out", REASON_BEST);
		frame_output_set_scanout(world->frame, false);
		repaint(world);
		expect(world, "whole", "import", REASON_DISABLED);
		frame_output_set_scanout(world->frame, true);
		fixture_sleep(world->fixture, SECOND);
		repaint(world);
	}
	struct shell *shell = world->fixture->server->shell;
	assert_true(shell_run_action(shell, "magnify-in", NULL));
	fixture_frames(world->fixture, 30);
	expect(world, "whole", "import", REASON_DISABLED);
	assert_true(shell_run_action(shell, "magnify-out", NULL));
	fixture_frames(world->fixture, 30);
	fixture_sleep(world->fixture, SECOND);
	repaint(world);
	expect(world, "whole", "scan-out", REASON_BEST);
}

/* Draws the window in each of so many frames. */
static void play(struct reasons_world *world, struct peer_window *window, struct picture *picture,
	int n_frames)
{
	for (int i = 0; i < n_frames; i++) {
		wl_surface_attach(window->surface, picture->buffer, 0, 0);
		wl_surface_damage_buffer(window->surface, 0, 0, SIDE, SIDE);
		wl_surface_commit(window->surface);
		fixture_frames(world->fixture, 1);
	}
}

static void quiet_window_gets_no_overlay(void **state)
{
	struct reasons_world *world = *state;
	struct picture *picture = add_picture(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	struct peer_window *window = open_picture(world, picture, "small", 30, 30);
	expect(world, "small", "import", REASON_NOT_FULL);
	plane_screen_add(world->output, PLANE_OVERLAY);
	repaint(world);
	for (int i = 0; i < 2; i++) {
		fixture_sleep(world->fixture, 9 * SECOND);
		repaint(world);
		expect(world, "small", "import", REASON_QUIET);
		fixture_sleep(world->fixture, SECOND);
		repaint(world);
		expect(world, "small", "import", REASON_QUIET);
		play(world, window, picture, 8);
		expect(world, "small", "scan-out", REASON_BEST);
	}
}

static void window_without_a_free_plane_is_named(void **state)
{
	struct reasons_world *world = *state;
	struct peer_window *windows[2];
	plane_screen_add(world->output, PLANE_OVERLAY);
	for (int i = 0; i < 2; i++) {
		windows[i] = open_picture(world,
			add_picture(world, SIDE - 8 * i, SIDE, DRM_FORMAT_XRGB8888),
			i ? "second" : "first", 20 + 100 * i, 20);
	}
	for (int i = 0; i < 8; i++) {
		play(world, windows[0], &world->pictures[0], 1);
		play(world, windows[1], &world->pictures[1], 1);
	}
	expect(world, "first", "scan-out", REASON_BEST);
	expect(world, "second", "import", REASON_NO_PLANE);
	peer_window_destroy(windows[0]);
	play(world, windows[1], &world->pictures[1], 4);
	expect(world, "second", "scan-out", REASON_BEST);
}

/* No more entries are considered. */
static void window_below_too_many_others_is_named(void **state)
{
	struct reasons_world *world = *state;
	open_whole(world);
	struct peer_window *windows[ASSIGN_ENTRIES_MAX];
	for (int i = 0; i < ASSIGN_ENTRIES_MAX; i++) {
		windows[i] = peer_window_create(
			world->peer, 30 * (i % 10), 30 * (i / 10), 8, 8, 0xff112233);
	}
	repaint(world);
	expect(world, "whole", "import", REASON_TOO_MANY);
	peer_window_destroy(windows[0]);
	repaint(world);
	expect(world, "whole", "import", REASON_NOT_ALONE);
}

static void expect_cursor(struct reasons_world *world, const char *route, enum route_reason reason)
{
	expect_of(world, "role", "wl_pointer-cursor", route, reason);
}

static void enter(void *data, struct wl_pointer *pointer, uint32_t serial,
	struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y)
{
	*(uint32_t *)data = serial;
}

static void ignore_leave(
	void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface)
{
}

static void ignore_motion(
	void *data, struct wl_pointer *pointer, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
}

static const struct wl_pointer_listener pointer_listener = {
	.enter = enter, .leave = ignore_leave, .motion = ignore_motion};

static void cursor_without_a_plane_is_named(void **state)
{
	struct reasons_world *world = *state;
	const char *composed = renderer == RENDERER_GLES ? "upload" : "shm";
	struct input_device *device =
		headless_add_input(world->fixture->server->backend, INPUT_POINTER, "test-pointer");
	struct wl_pointer *pointer =
		wl_seat_get_pointer(peer_bind(world->peer, &wl_seat_interface, 1));
	wl_pointer_add_listener(pointer, &pointer_listener, &world->serial);
	open_shm(world, "window", 0, 0, 200, 200, 0xff112233);
	hand_point(world->fixture, device, 50, 50);
	assert_true(world->serial != 0);
	struct peer_window cursor = {
		.surface = wl_compositor_create_surface(world->peer->compositor)};
	struct peer_buffer *small = peer_buffer_create(world->peer, 24, 24, WL_SHM_FORMAT_ARGB8888);
	struct peer_buffer *large = peer_buffer_create(
		world->peer, PLANE_SCREEN_CURSOR + 1, PLANE_SCREEN_CURSOR, WL_SHM_FORMAT_ARGB8888);
	struct picture *imported = add_picture(world, 24, 24, DRM_FORMAT_XRGB8888);
	wl_pointer_set_cursor(pointer, world->serial, cursor.surface, 0, 0);
	draw(world, &cursor, small->buffer);
	expect_cursor(world, composed, REASON_NO_CURSOR);
	plane_screen_add(world->output, PLANE_CURSOR);
	draw(world, &cursor, small->buffer);
	expect_cursor(world, "cursor-plane", REASON_BEST);
	draw(world, &cursor, large->buffer);
	expect_cursor(world, composed, REASON_SIZE);
	draw(world, &cursor, small->buffer);
	expect_cursor(world, "cursor-plane", REASON_BEST);
	/* Without memory that the CPU draws to and the plane shows. */
	world->device->linear = NULL;
	repaint(world);
	expect_cursor(world, composed, REASON_NO_CURSOR);
	world->device->linear = world->linear;
	draw(world, &cursor, small->buffer);
	expect_cursor(world, "cursor-plane", REASON_BEST);
	/* A buffer that the CPU cannot read, since it is in a GPU's memory. */
	draw(world, &cursor, imported->buffer);
	expect_cursor(world, "cursor-plane", REASON_BEST);
	struct gpu *gpu = fixture_add_gpu(world->fixture, "pci-0000_03_00_0", "amdgpu", "/none", 1);
	struct surface *surface = peer_surface_find(world->peer, cursor.surface);
	surface->current.buffer->home = world->device->display = gpu;
	wl_surface_damage_buffer(cursor.surface, 0, 0, 24, 24);
	wl_surface_commit(cursor.surface);
	repaint(world);
	expect_cursor(world, "import", REASON_UNREADABLE);
	surface->current.buffer->home = world->device->display = NULL;
	wl_surface_damage_buffer(cursor.surface, 0, 0, 24, 24);
	wl_surface_commit(cursor.surface);
	repaint(world);
	expect_cursor(world, "cursor-plane", REASON_BEST);
	peer_buffer_destroy(small);
	peer_buffer_destroy(large);
}

static const struct renderer_impl *working;
static bool failing;

static bool fail_import(struct renderer *target, struct texture **texture, struct buffer *buffer,
	const pixman_region32_t *damage, bool *holds)
{
	return !(failing && buffer_dmabuf(buffer)) &&
	       working->texture_update(target, texture, buffer, damage, holds);
}

static void window_that_the_renderer_cannot_read_is_named(void **state)
{
	const enum route_reason reason =
		renderer == RENDERER_GLES ? REASON_NO_IMPORT : REASON_UNREADABLE;
	struct reasons_world *world = *state;
	struct renderer *target = world->device->renderer;
	struct renderer_impl impl = *target->impl;
	working = target->impl;
	impl.texture_update = fail_import;
	target->impl = &impl;
	failing = true;
	struct picture *picture = add_picture(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	struct peer_window *window = open_picture(world, picture, "small", 30, 30);
	for (int i = 0; i < 2; i++) {
		expect(world, "small", "none", reason);
		failing = false;
		fixture_sleep(world->fixture, 40 * SECOND);
		expect(world, "small", "import", REASON_NOT_FULL);
		failing = true;
		draw(world, window, picture->buffer);
	}
	failing = false;
	target->impl = working;
}

/* Draws whenever its buffer is free. */
static void play_only_buffer(
	struct reasons_world *world, struct peer_window *window, struct picture *picture)
{
	for (int i = 0; i < 120; i++) {
		if (picture->n_released > 0 || i == 0) {
			picture->n_released = 0;
			wl_surface_attach(window->surface, picture->buffer, 0, 0);
			wl_surface_damage_buffer(window->surface, 0, 0, WIDTH, HEIGHT);
			wl_surface_commit(window->surface);
		}
		fixture_frames(world->fixture, 1);
		const struct route_report *report = route_read(&world->reader, "title", "whole");
		const char *text = route_reason_text(REASON_ONLY_BUFFER);
		seen[REASON_ONLY_BUFFER] |= strcmp(report->reason, text) == 0;
	}
}

static void only_buffer_of_a_client_is_named(void **state)
{
	struct reasons_world *world = *state;
	struct peer_window *window = open_whole(world);
	seen[REASON_ONLY_BUFFER] = false;
	play_only_buffer(world, window, &world->pictures[0]);
	assert_true(seen[REASON_ONLY_BUFFER]);
	for (int i = 0; i < 3; i++) {
		add_picture(world, WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	}
	for (int i = 0; i < 900; i++) {
		draw(world, window, world->pictures[1 + i % 3].buffer);
	}
	fixture_sleep(world->fixture, 9 * SECOND);
	draw(world, window, world->pictures[1].buffer);
	expect(world, "whole", "scan-out", REASON_BEST);
}

/* Reasons of another GPU's buffers are left out, and those that listed surfaces never have. */
static void each_reason_was_reported(void **state)
{
	seen[REASON_NO_CONTENT] = seen[REASON_FOREIGN] = seen[REASON_NO_ENGINE] = true;
	seen[REASON_TARGET] = seen[REASON_STEADY] = true;
	seen[renderer == RENDERER_GLES ? REASON_UNREADABLE : REASON_NO_IMPORT] = true;
	for (int i = 0; i < REASON_COUNT; i++) {
		if (!seen[i]) {
			fail_msg("never reported: %s", route_reason_text((enum route_reason)i));
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(window_under_others_is_not_alone),
		TEST(covered_window_is_hidden),
		TEST(transparent_window_is_clear),
		TEST(single_colour_has_the_best_route),
		TEST(translucent_window_is_not_scanned_out),
		TEST(format_that_no_plane_has_is_named),
		TEST(refusal_of_the_driver_is_named),
		TEST(scaled_window_is_named_until_it_is_not_scaled),
		TEST(shaped_window_is_named),
		TEST(disabled_scan_out_is_named),
		TEST(quiet_window_gets_no_overlay),
		TEST(window_without_a_free_plane_is_named),
		TEST(window_below_too_many_others_is_named),
		TEST(cursor_without_a_plane_is_named),
		TEST(window_that_the_renderer_cannot_read_is_named),
		TEST(only_buffer_of_a_client_is_named),
		cmocka_unit_test(each_reason_was_reported),
	};

	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("reasons", tests, NULL, NULL);
}
