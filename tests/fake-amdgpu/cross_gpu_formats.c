/* SPDX-License-Identifier: MIT */
/*
 * Formats announced for an emulated GPU: each of them, in each layout, is drawn, copied, composed
 * and captured, and compared with the same pixels in shared memory that the CPU composes. The
 * display belongs to no GPU, to an integrated one, or to a discrete one. CAUSEWAY_SEED selects the
 * chip that renders, beside the usual one.
 */

#include "backend/headless.h"
#include "backend/output.h"
#include "content/device.h"
#include "content/internal.h"
#include "frame/frame.h"
#include "harness/client/dmabuf_feedback.h"
#include "harness/second_device.h"
#include "raw_image.h"
#include "render/render.h"
#include "scene/scene.h"
#include "server/outputs.h"
#include "staging/staging.h"
#include "util/signal.h"
#include "viewporter-client-protocol.h"
#include "wl-drm-client-protocol.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>

#define WIDTH RAW_IMAGE_WIDTH
#define HEIGHT RAW_IMAGE_HEIGHT

static enum renderer_kind renderer;
static enum world_display display;

static int tolerance(void)
{
	return raw_image_tolerance(renderer);
}

/* Returns a format that the CPU converts, if the renderer shows it. */
static uint32_t copied_format(const struct world *world)
{
	const struct format_set *shown = &world->fixture->server->device->renderer->texture_formats;
	return format_set_has(shown, DRM_FORMAT_YUYV, DRM_FORMAT_MOD_LINEAR) ? DRM_FORMAT_YUYV
									     : DRM_FORMAT_XRGB8888;
}

/* Announcements */

static void handle_drm_device(void *data, struct wl_drm *drm, const char *name)
{
}

static void handle_drm_format(void *data, struct wl_drm *drm, uint32_t format)
{
	format_set_add(data, format, DRM_FORMAT_MOD_INVALID);
}

static void handle_drm_authenticated(void *data, struct wl_drm *drm)
{
}

static void handle_drm_capabilities(void *data, struct wl_drm *drm, uint32_t value)
{
}

static const struct wl_drm_listener drm_listener = {
	.device = handle_drm_device,
	.format = handle_drm_format,
	.authenticated = handle_drm_authenticated,
	.capabilities = handle_drm_capabilities,
};

static void collect_feedback(struct world *world, uint32_t version, struct format_set *out)
{
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, version);
	struct feedback *feedback = feedback_create(world->peer, dmabuf, NULL);
	for (size_t i = 0; i < feedback->n_indices; i++) {
		const struct feedback_pair *pair = &feedback->table[feedback->indices[i]];
		format_set_add(out, pair->format, pair->modifier);
	}
	feedback_destroy(feedback);
	zwp_linux_dmabuf_v1_destroy(dmabuf);
}

static void collect_events(struct world *world, struct format_set *out)
{
	struct wl_drm *drm = peer_bind(world->peer, &wl_drm_interface, 0);
	wl_drm_add_listener(drm, &drm_listener, out);
	world_collect_pairs(world, out);
	wl_drm_destroy(drm);
}

static struct world *create_world(enum world_display reader)
{
	/* Clients that have a GPU when they connect see feedback. */
	const struct world_options options = {.width = WIDTH,
		.height = HEIGHT,
		.config = "[gpu]\ndefault = pci-0000_03_00_0\n",
		.renderer = renderer,
		.all_formats = true,
		.display = reader};
	return world_create_with(&options);
}

static int set_up(void **state)
{
	*state = create_world(display);
	return 0;
}

static int set_up_without_memory(void **state)
{
	*state = create_world(WORLD_DISPLAY_WITHOUT_MEMORY);
	return 0;
}

/*
 * Shows each of the pairs. A discrete display copies each of them into its own memory, but for
 * linear ones of odd size, whose rows suit no engine.
 */
static void check_pairs(struct world *world, const struct format_set *pairs)
{
	size_t n = 0;
	for (size_t i = 0; i < pairs->n_formats; i++) {
		const struct format_modifiers *entry = &pairs->formats[i];
		for (size_t m = 0; m < entry->n_modifiers; m++, n++) {
			uint64_t jobs = world->display ? fake_gpu_counts(world->display).jobs : 0;
			raw_image_check_updates(
				world, entry->format, entry->modifiers[m], tolerance());
			if (display == WORLD_DISPLAY_DISCRETE) {
				assert_true(fake_gpu_counts(world->display).jobs >= jobs + 8);
			}
		}
	}
	print_message("%s: %zu pairs of %zu formats\n", world_describe(world), n, pairs->n_formats);
}

/* The formats that users have are announced, and no others than can be shown. */
static void announced_pairs_are_shown(void **state)
{
	static const uint32_t copied[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888,
		DRM_FORMAT_XRGB2101010, DRM_FORMAT_ABGR16161616F, DRM_FORMAT_YUYV, DRM_FORMAT_NV12,
		DRM_FORMAT_P010, DRM_FORMAT_YUV420};
	struct world *world = *state;
	const struct format_set *shown = &world->fixture->server->device->renderer->texture_formats;
	struct format_set pairs = {0}, events = {0};

	collect_feedback(world, 5, &pairs);
	collect_events(world, &events);
	for (size_t i = 0; i < sizeof(copied) / sizeof(copied[0]); i++) {
		if (format_set_has(shown, copied[i], DRM_FORMAT_MOD_LINEAR)) {
			assert_true(format_set_has(&pairs, copied[i], WORLD_MODIFIER));
			assert_true(format_set_has(&pairs, copied[i], DRM_FORMAT_MOD_LINEAR));
		}
	}
	check_pairs(world, &pairs);
	assert_true(format_set_equal(&pairs, &events));
	format_set_finish(&pairs);
	format_set_finish(&events);
}

static const struct chip {
	const char *name;
	uint64_t modifiers[2]; /* 0 stands for linear buffers */
} chips[] = {
	{"vega10", {0x0200000004801901, 0x0200000000000a01}},
	{"raven", {0x0200000000401901, 0x0200000000401a01}},
	{"navi10", {0x0200000000801b02, 0x0200000000000901}},
	{"navi24", {0x0200000010401b03}},
	{"vangogh", {0x0200000008401b03}},
	{"navi31", {0x0200000028a01b04, 0x0200000028a01f04}},
	{"phoenix", {0x0200000010401b04}},
	{"strix", {0x0200000010401b04}},
	{"navi48", {0x0200000000000305, 0x0200000000000205}},
};

#define N_CHIPS ((int)(sizeof(chips) / sizeof(chips[0])))

static void check_chip(int i)
{
	const struct chip *chip = &chips[i];
	const struct world_options options = {.width = WIDTH,
		.height = HEIGHT,
		.config = "[gpu]\ndefault = pci-0000_03_00_0\n",
		.renderer = renderer,
		.all_formats = true,
		.display = display,
		.chip = chip->name,
		.modifiers = {chip->modifiers[0], chip->modifiers[1]}};
	print_message("CAUSEWAY_SEED=%d: %s\n", i, chip->name);
	fflush(stdout);
	struct world *world = world_create_with(&options);
	struct format_set pairs = {0};

	collect_feedback(world, 5, &pairs);
	check_pairs(world, &pairs);
	format_set_finish(&pairs);
	world_destroy(world);
}

/* One other chip a day, or the chip of CAUSEWAY_SEED; all with CAUSEWAY_CHIPS. */
static void announced_pairs_of_other_chips_are_shown(void **state)
{
	const char *seed = getenv("CAUSEWAY_SEED");
	const int first =
		(int)((seed ? strtoul(seed, NULL, 10) : (unsigned long)time(NULL) / 86400) %
			N_CHIPS);
	const int n = getenv("CAUSEWAY_CHIPS") ? N_CHIPS : 1;
	for (int i = 0; i < n; i++) {
		check_chip((first + i) % N_CHIPS);
	}
}

/* Windows of an integrated GPU on the display of a discrete one, on each day. */
static void announced_pairs_of_an_integrated_gpu_are_shown(void **state)
{
	for (int i = 0; display == WORLD_DISPLAY_DISCRETE && i < N_CHIPS; i++) {
		if (strcmp(chips[i].name, "vangogh") == 0) {
			check_chip(i);
		}
	}
}

/*
 * Smaller than what drivers align to, as the first surfaces of browsers and toolkits are: the pitch
 * of such a buffer suits no other GPU, and none may be asked to import it.
 */
static void tiny_windows_are_shown(void **state)
{
	static const uint32_t formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_RGB565, DRM_FORMAT_YUYV,
		DRM_FORMAT_NV12, DRM_FORMAT_P010, DRM_FORMAT_YUV420, DRM_FORMAT_YUV444};
	static const uint64_t modifiers[] = {WORLD_MODIFIER, DRM_FORMAT_MOD_LINEAR};
	static const struct {
		int32_t width, height;
	} sizes[] = {{1, 1}, {2, 2}, {3, 5}, {33, 1}, {1, 33}};
	struct world *world = *state;
	const struct format_set *shown = &world->fixture->server->device->renderer->texture_formats;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		for (size_t j = 0; j < 2 * sizeof(sizes) / sizeof(sizes[0]); j++) {
			int32_t width = sizes[j / 2].width, height = sizes[j / 2].height;
			const struct box all = {0, 0, width, height};
			struct raw_image image;
			if (!format_set_has(shown, formats[i], DRM_FORMAT_MOD_LINEAR)) {
				continue;
			}
			raw_image_init_sized(
				&image, world, formats[i], modifiers[j % 2], width, height);
			raw_image_draw(&image, &all, 1);
			struct peer_window *window = raw_image_open(&image);
			assert_true(peer_alive(world->peer));
			raw_image_check(&image, tolerance(), 0);
			raw_image_draw(&image, &all, 2);
			raw_image_show(&image, window, &all);
			world_await_copies(world);
			raw_image_check(&image, tolerance(), 1);
			peer_window_destroy(window);
			raw_image_finish(&image);
			fixture_pump(world->fixture);
		}
	}
}

/*
 * Converted pixels are the client's, as the copies are: one texture for each buffer of the ring at
 * most.
 */
static void expect_charge(struct world *world, struct peer_window *window)
{
	struct server *server = world->fixture->server;
	const struct surface *surface = peer_surface_find(world->peer, window->surface);
	const struct content *content = content_find((struct surface *)surface, server->device);
	int64_t textures = content->charged - (int64_t)server->staging->memory;
	assert_int_equal(textures % (WIDTH * HEIGHT * 4), 0);
	assert_in_range(textures / (WIDTH * HEIGHT * 4), 1, STAGING_MAX);
}

/*
 * Copies that take longer than a frame: the old pixels stay, the new ones follow, also of two
 * commits.
 */
static void converted_pixels_follow_late_copies(void **state)
{
	static const struct box all = {0, 0, WIDTH, HEIGHT}, part = {16, 8, 64, 32};
	struct world *world = *state;
	struct raw_image image;

	raw_image_init(&image, world, copied_format(world), WORLD_MODIFIER);
	raw_image_draw(&image, &all, 1);
	struct peer_window *window = raw_image_open(&image);
	raw_image_check(&image, tolerance(), 0);
	for (int i = 1; i < 8; i++) {
		struct image *before = fixture_shot(world->fixture, 0), *after;
		fake_gpu_hold(world->fake);
		raw_image_draw(&image, &all, 2 * (uint32_t)i);
		raw_image_show(&image, window, &all);
		fixture_frames(world->fixture, 2);
		after = fixture_shot(world->fixture, 0);
		struct image_difference difference;
		assert_true(image_compare(before, after, 0, 0, &difference));
		image_destroy(before);
		image_destroy(after);
		/* A second commit, while the first copy is in progress. */
		raw_image_draw(&image, &part, 2 * (uint32_t)i + 1);
		raw_image_show(&image, window, &part);
		fixture_frames(world->fixture, 1 + i % 3);
		fake_gpu_release(world->fake);
		world_await_copies(world);
		raw_image_check(&image, tolerance(), i);
	}
	if (renderer == RENDERER_PIXMAN) {
		expect_charge(world, window);
	}
	peer_window_destroy(window);
	raw_image_finish(&image);
}

/* A window that covers the image, and leaves other parts of it visible in each frame. */
static void converted_pixels_follow_covers(void **state)
{
	static const struct box all = {0, 0, WIDTH, HEIGHT};
	struct world *world = *state;
	struct raw_image image;

	raw_image_init(&image, world, copied_format(world), WORLD_MODIFIER);
	raw_image_draw(&image, &all, 1);
	struct peer_window *window = raw_image_open(&image);
	struct peer_window *cover = world_cover(world, 0, 0, 60, 40);
	for (int i = 1; i < 12; i++) {
		const struct box part = {i * 46 % 80, i * 23 % 40, 80, 56};
		peer_window_place(cover, i * 37 % 100, i * 29 % 56);
		raw_image_draw(&image, &part, (uint32_t)i);
		raw_image_show(&image, window, &part);
		fixture_frames(world->fixture, 3);
		peer_window_place(cover, WIDTH, 0);
		fixture_frames(world->fixture, 3);
		raw_image_check(&image, tolerance(), i);
	}
	peer_window_destroy(cover);
	peer_window_destroy(window);
	raw_image_finish(&image);
}

/* Staging memory is replaced, and all of it is copied, not the damage alone. */
static void another_format_is_converted_as_a_whole(void **state)
{
	static const struct box all = {0, 0, WIDTH, HEIGHT}, corner = {0, 0, 2, 2};
	static const uint32_t formats[] = {
		DRM_FORMAT_YUYV, DRM_FORMAT_UYVY, DRM_FORMAT_YVYU, DRM_FORMAT_YUYV};
	struct world *world = *state;
	struct peer_window *window = NULL;
	struct raw_image image;

	for (int i = 0; i < (int)(sizeof(formats) / sizeof(formats[0])); i++) {
		if (!format_set_has(&world->fixture->server->device->renderer->texture_formats,
			    formats[i], DRM_FORMAT_MOD_LINEAR)) {
			continue;
		}
		raw_image_init(&image, world, formats[i], WORLD_MODIFIER);
		raw_image_draw(&image, &all, (uint32_t)i + 1);
		if (!window) {
			window = raw_image_open(&image);
		}
		raw_image_show(&image, window, &corner);
		fixture_frames(world->fixture, 3);
		/* All of it is drawn again. */
		peer_window_destroy(world_cover(world, 0, 0, WIDTH, HEIGHT));
		fixture_frames(world->fixture, 3);
		raw_image_check(&image, tolerance(), i);
		raw_image_finish(&image);
	}
	if (window) {
		peer_window_destroy(window);
	}
}

/*
 * Pixels that were drawn from one staging buffer while their copy to another was in progress are
 * then copied to the first as well, since a filter reads from a buffer that has all pixels.
 */
static void converted_pixels_follow_copies_without_damage(void **state)
{
	static const struct box all = {0, 0, WIDTH, HEIGHT};
	struct world *world = *state;
	struct raw_image image;

	raw_image_init(&image, world, copied_format(world), WORLD_MODIFIER);
	raw_image_draw(&image, &all, 1);
	struct peer_window *window = raw_image_open(&image);
	struct wp_viewporter *viewporter = peer_bind(world->peer, &wp_viewporter_interface, 1);
	struct wp_viewport *viewport = wp_viewporter_get_viewport(viewporter, window->surface);
	for (int i = 1; i < 12; i++) {
		/* Others than before, so that their pixels in the other buffers stay outdated. */
		const struct box part = {i * 12, i * 37 % 72, 10, 8}, corner = {i * 12, 84, 2, 2};
		fake_gpu_hold(world->fake);
		raw_image_draw(&image, &part, (uint32_t)i + 1);
		raw_image_show(&image, window, &part);
		fixture_frames(world->fixture, 3);
		fake_gpu_release(world->fake);
		world_await_copies(world);
		raw_image_check(&image, tolerance(), i);
		wp_viewport_set_destination(viewport, WIDTH - 10, HEIGHT - 6);
		raw_image_draw(&image, &corner, (uint32_t)i + 1);
		raw_image_show(&image, window, &corner);
		fixture_frames(world->fixture, 3);
		wp_viewport_set_destination(viewport, WIDTH, HEIGHT);
		wl_surface_commit(window->surface);
		fixture_frames(world->fixture, 3);
		raw_image_check(&image, tolerance(), i);
	}
	wp_viewport_destroy(viewport);
	wp_viewporter_destroy(viewporter);
	peer_window_destroy(window);
	raw_image_finish(&image);
}

/* The kernel driver refuses the memory files that the software renderer draws to. */
static void display_that_writes_no_memory_of_its_own_reads_over_the_bus(void **state)
{
	static const struct box all = {0, 0, WIDTH, HEIGHT};
	static const uint64_t modifiers[] = {WORLD_MODIFIER, DRM_FORMAT_MOD_LINEAR};
	struct world *world = *state;
	const uint32_t formats[] = {DRM_FORMAT_XRGB8888, copied_format(world)};
	for (int i = 0; i < 4; i++) {
		struct raw_image image;
		raw_image_init(&image, world, formats[i / 2], modifiers[i % 2]);
		raw_image_draw(&image, &all, (uint32_t)i + 1);
		struct peer_window *window = raw_image_open(&image);
		raw_image_check(&image, tolerance(), i);
		peer_window_destroy(window);
		raw_image_finish(&image);
	}
}

static void expect_route(
	struct world *world, struct peer_window *window, const char *route, const char *reason)
{
	const struct scene_output *output = world->fixture->server->scene->outputs[0];
	struct route_choice choice =
		frame_route(output, peer_surface_find(world->peer, window->surface));
	assert_string_equal(route_name(choice.source, choice.sink), route);
	assert_string_equal(route_choice_text(&choice, choice.reason), reason);
}

/*
 * Buffers made for an output of their own GPU in a layout that no engine reads, whose window is
 * then on another GPU's output.
 */
static void uncopied_window_names_the_reason(void **state)
{
	static const struct box all = {0, 0, WIDTH, HEIGHT};
	static const uint32_t format = DRM_FORMAT_RGB888;
	struct world *world = *state;
	struct server *server = world->fixture->server;
	struct raw_image tiled, linear;

	if (!format_set_has(
		    &server->device->renderer->texture_formats, format, DRM_FORMAT_MOD_LINEAR)) {
		print_message("skipped: this renderer shows no pixels of three bytes\n");
		return;
	}
	struct output *first = server->scene->outputs[0]->output;
	first->gpu = fixture_add_gpu(world->fixture, "pci-0000_00_02_0", "i915",
		"/emulated/renderD128", makedev(226, 128));
	struct format_set shown = {0};
	format_set_add(&shown, format, WORLD_MODIFIER);
	format_set_add(&shown, format, DRM_FORMAT_MOD_LINEAR);
	struct server_device *device = second_device_add(server, world->gpu, world->gpu, &shown);
	format_set_finish(&shown);
	server_outputs_hold(server, true);
	struct output *own = headless_add_output(server->backend, WIDTH, HEIGHT, 60000);
	own->gpu = world->gpu;
	server_outputs_hold(server, false);
	fixture_frames(world->fixture, 2);
	raw_image_init(&tiled, world, format, WORLD_MODIFIER);
	raw_image_init(&linear, world, format, DRM_FORMAT_MOD_LINEAR);
	raw_image_draw(&tiled, &all, 1);
	raw_image_draw(&linear, &all, 2);
	struct peer_window *window = raw_image_open(&tiled);
	assert_true(peer_alive(world->peer));
	fixture_settle(world->fixture);
	expect_route(world, window, "none",
		"its pixels have three bytes, which the copy engine reads in linear layouts only");
	assert_int_equal(world_copied(world), 0);
	raw_image_show(&linear, window, &all);
	fixture_frames(world->fixture, 3);
	expect_route(world, window, "copy", "its buffer belongs to another GPU");
	raw_image_check(&linear, tolerance(), 0);
	peer_window_destroy(window);
	raw_image_finish(&tiled);
	raw_image_finish(&linear);
	own->gpu = first->gpu = NULL;
	second_device_remove(device);
	signal_emit(&server->events.outputs_changed, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(announced_pairs_are_shown),
		cmocka_unit_test(announced_pairs_of_other_chips_are_shown),
		cmocka_unit_test(announced_pairs_of_an_integrated_gpu_are_shown),
		TEST(tiny_windows_are_shown),
		TEST(converted_pixels_follow_late_copies),
		TEST(converted_pixels_follow_covers),
		TEST(another_format_is_converted_as_a_whole),
		TEST(converted_pixels_follow_copies_without_damage),
		TEST(uncopied_window_names_the_reason),
		cmocka_unit_test_setup_teardown(
			display_that_writes_no_memory_of_its_own_reads_over_the_bus,
			set_up_without_memory, world_tear_down),
	};
	static const char *const displays[] = {"cpu", "integrated", "discrete"};

	renderer = fixture_renderer(argc, argv);
	for (int i = 0; argc > 2 && i < (int)(sizeof(displays) / sizeof(displays[0])); i++) {
		display = strcmp(argv[2], displays[i]) == 0 ? (enum world_display)i : display;
	}
	return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
