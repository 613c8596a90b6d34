/* SPDX-License-Identifier: MIT */
/*
 * Formats that wl_drm names for an emulated GPU whose GLES engine reads the driver's implicit
 * layouts: each is drawn, copied by this engine, composed and captured, and compared with the same
 * pixels in shared memory that the CPU composes.
 */

#include "content/device.h"
#include "copy/gles.h"
#include "frame/frame.h"
#include "gpu/egl.h"
#include "raw_image.h"
#include "render/render.h"
#include "scene/scene.h"
#include "wl-drm-client-protocol.h"
#include <poll.h>

/* At least as long as a thread may take to open the engine. */
#define AWAIT_MS 20000

static enum renderer_kind renderer;

int __real_gles_engine_create(struct gpu *gpu, struct copy_engine **engine);
int __wrap_gles_engine_create(struct gpu *gpu, struct copy_engine **engine);

/* The emulated GPU does not draw: the software renderer does. */
int __wrap_gles_engine_create(struct gpu *gpu, struct copy_engine **engine)
{
	return __real_gles_engine_create(NULL, engine);
}

EGLImageKHR __real_egl_import_dmabuf(struct egl *egl, const struct dmabuf *dmabuf);
EGLImageKHR __wrap_egl_import_dmabuf(struct egl *egl, const struct dmabuf *dmabuf);

/* Rows are the layout that the GPU's driver chooses; the software renderer requires its name. */
EGLImageKHR __wrap_egl_import_dmabuf(struct egl *egl, const struct dmabuf *dmabuf)
{
	struct dmabuf rows = *dmabuf;

	if (rows.modifier == DRM_FORMAT_MOD_INVALID) {
		rows.modifier = DRM_FORMAT_MOD_LINEAR;
	}
	return __real_egl_import_dmabuf(egl, &rows);
}

static void handle_device(void *data, struct wl_drm *drm, const char *name)
{
}

static void handle_format(void *data, struct wl_drm *drm, uint32_t format)
{
	format_set_add(data, format, DRM_FORMAT_MOD_INVALID);
}

static void handle_authenticated(void *data, struct wl_drm *drm)
{
}

static void handle_capabilities(void *data, struct wl_drm *drm, uint32_t value)
{
}

static const struct wl_drm_listener drm_listener = {
	.device = handle_device,
	.format = handle_format,
	.authenticated = handle_authenticated,
	.capabilities = handle_capabilities,
};

static void collect_formats(struct world *world, struct format_set *out)
{
	struct wl_drm *drm = peer_bind(world->peer, &wl_drm_interface, 0);
	wl_drm_add_listener(drm, &drm_listener, out);
	fixture_pump(world->fixture);
	wl_drm_destroy(drm);
}

static int set_up(void **state)
{
	const struct world_options options = {.width = RAW_IMAGE_WIDTH,
		.height = RAW_IMAGE_HEIGHT,
		.config = "[gpu]\ndefault = discrete\n",
		.renderer = renderer,
		.all_formats = true,
		.implicit = true};
	*state = world_create_with(&options);
	return 0;
}

/* Buffers in implicit layouts are copied, and by no engine but GLES. */
static void expect_copied(struct world *world, uint32_t format)
{
	static const struct box all = {0, 0, RAW_IMAGE_WIDTH, RAW_IMAGE_HEIGHT};
	const struct scene_output *output = world->fixture->server->scene->outputs[0];
	struct raw_image image;
	raw_image_init(&image, world, format, DRM_FORMAT_MOD_INVALID);
	raw_image_draw(&image, &all, 1);
	const uint64_t copied = world_copied(world);
	struct peer_window *window = raw_image_open(&image);
	for (int i = 0; i < AWAIT_MS && world_copied(world) == copied; i++) {
		poll(NULL, 0, 1);
		fixture_frames(world->fixture, 1);
	}
	fixture_frames(world->fixture, 3);
	raw_image_check(&image, raw_image_tolerance(renderer), 0);
	struct route_choice choice =
		frame_route(output, peer_surface_find(world->peer, window->surface));
	assert_string_equal(route_name(choice.source, choice.sink), "copy");
	assert_string_equal(choice.engine, "gles");
	peer_window_destroy(window);
	raw_image_finish(&image);
}

static void formats_of_wl_drm_are_shown(void **state)
{
	static const uint32_t usual[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888,
		DRM_FORMAT_RGB565, DRM_FORMAT_NV12, DRM_FORMAT_YUV420};
	struct world *world = *state;
	const struct format_set *shown = &world->fixture->server->device->renderer->texture_formats;
	struct format_set formats = {0};
	size_t n = 0;

	collect_formats(world, &formats);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		if (format_set_has(shown, usual[i], DRM_FORMAT_MOD_LINEAR)) {
			assert_true(format_set_has(&formats, usual[i], DRM_FORMAT_MOD_INVALID));
		}
	}
	for (size_t i = 0; i < formats.n_formats; i++) {
		const uint32_t format = formats.formats[i].format;
		expect_copied(world, format);
		raw_image_check_updates(
			world, format, DRM_FORMAT_MOD_INVALID, raw_image_tolerance(renderer));
		n++;
	}
	print_message("%zu of %zu formats\n", n, formats.n_formats);
	assert_true(n >= 8);
	format_set_finish(&formats);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			formats_of_wl_drm_are_shown, set_up, world_tear_down),
	};

	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("implicit", tests, NULL, NULL);
}
