/* SPDX-License-Identifier: MIT */
/* Content of surfaces: uploads by several devices, and the region still to be uploaded. */

#include "buffer/allocator.h"
#include "buffer/dmabuf_buffer.h"
#include "buffer/shm.h"
#include "content/internal.h"
#include "content/source.h"
#include "frame/frame.h"
#include "gpu/gpu.h"
#include "harness/unit.h"
#include "render/render.h"
#include "surface/surface.h"
#include "util/fd.h"

#define SIDE 8

/* With a stride that pixman cannot read in place, so that it copies, as an upload does. */
static struct buffer *attach(struct surface *surface, int32_t width, int32_t height)
{
	int32_t stride = width * 4 + 2, size = stride * height;
	int fd = fd_create_memory("test-content", size, true);
	assert_true(fd >= 0);
	struct shm_pool *pool = shm_pool_create(fd, size);
	assert_null(shm_buffer_check(pool, 0, width, height, stride, DRM_FORMAT_XRGB8888));
	struct buffer *buffer =
		shm_buffer_create(pool, 0, width, height, stride, DRM_FORMAT_XRGB8888);
	shm_pool_unref(pool);
	buffer_replace(&surface->pending.buffer, buffer);
	surface->pending.fields |= SURFACE_BUFFER;
	return buffer;
}

static void damage(struct surface *surface, int32_t width, int32_t height)
{
	pixman_region32_t *region = &surface->pending.buffer_damage;
	pixman_region32_union_rect(region, region, 0, 0, (unsigned)width, (unsigned)height);
	surface->pending.fields |= SURFACE_BUFFER_DAMAGE;
}

static struct buffer *show(struct surface *surface, int32_t width, int32_t height)
{
	struct buffer *buffer = attach(surface, width, height);
	damage(surface, width, height);
	assert_true(derive_and_commit(surface));
	return buffer;
}

static void commit_buffer(struct surface *surface, struct buffer *buffer)
{
	buffer_replace(&surface->pending.buffer, buffer);
	surface->pending.fields |= SURFACE_BUFFER;
	assert_true(derive_and_commit(surface));
}

static struct buffer *create_dmabuf(uint32_t format, struct gpu *home)
{
	struct dmabuf dmabuf;
	dmabuf_init_linear(&dmabuf, SIDE, SIDE, format,
		fd_create_memory("test-content", 4096, true), SIDE * 4);
	struct buffer *buffer = dmabuf_buffer_create(&dmabuf, home);
	assert_non_null(buffer);
	return buffer;
}

struct content_world {
	struct renderer *renderer;
	struct render_device *device;
	struct surface *surface;
};

static void begin(struct content_world *world, struct gpu *gpu)
{
	world->renderer = pixman_renderer_create();
	world->device = render_device_create(gpu, world->renderer, NULL);
	world->surface = surface_create(NULL, NULL);
}

static void end(struct content_world *world)
{
	surface_destroy(world->surface);
	render_device_finish(world->device);
	render_device_destroy(world->device);
	renderer_destroy(world->renderer);
}

static void expect_whole_upload(struct content_world *world)
{
	struct buffer *buffer = attach(world->surface, SIDE, SIDE);
	damage(world->surface, 1, 1);
	assert_true(derive_and_commit(world->surface));
	struct content *content = content_get(world->surface, world->device);
	uint64_t before = world->renderer->stats.bytes_uploaded;
	assert_int_equal(content_prepare(content, NULL), CONTENT_READY);
	assert_int_equal(world->renderer->stats.bytes_uploaded - before, SIDE * SIDE * 4);
	buffer_drop(buffer);
}

static void buffer_is_kept_until_all_devices_have_it(void **state)
{
	struct renderer *renderers[] = {pixman_renderer_create(), pixman_renderer_create()};
	struct render_device *devices[2];
	devices[0] = render_device_create(NULL, renderers[0], NULL);
	struct surface *surface = surface_create(NULL, NULL);

	/* A single device: the buffer is released after its upload. */
	struct buffer *buffer = show(surface, SIDE, SIDE);
	assert_int_equal(content_prepare(content_get(surface, devices[0]), NULL), CONTENT_READY);
	assert_null(surface->current.buffer);
	assert_int_equal(buffer->n_locks, 0);
	buffer_drop(buffer);

	/* With a second device, the buffer is kept until both have uploaded it. */
	devices[1] = render_device_create(NULL, renderers[1], NULL);
	render_device_join(devices[1], devices[0]);
	buffer = show(surface, SIDE, SIDE);
	assert_int_equal(content_prepare(content_get(surface, devices[0]), NULL), CONTENT_READY);
	assert_ptr_equal(surface->current.buffer, buffer);
	assert_int_equal(content_prepare(content_get(surface, devices[1]), NULL), CONTENT_READY);
	assert_null(surface->current.buffer);
	buffer_drop(buffer);

	render_device_finish(devices[1]);
	render_device_destroy(devices[1]);
	buffer = show(surface, SIDE, SIDE);
	assert_int_equal(content_prepare(content_get(surface, devices[0]), NULL), CONTENT_READY);
	assert_null(surface->current.buffer);
	buffer_drop(buffer);

	surface_destroy(surface);
	render_device_finish(devices[0]);
	render_device_destroy(devices[0]);
	renderer_destroy(renderers[0]);
	renderer_destroy(renderers[1]);
}

/* The window has moved to an output of another GPU, and its texture stayed for ever. */
static void texture_of_a_device_that_no_longer_shows_is_freed(void **state)
{
	struct renderer *renderers[] = {pixman_renderer_create(), pixman_renderer_create()};
	struct clock *clock = clock_create_test(1);
	struct render_device *devices[2];
	struct content *contents[2];
	struct surface *surface = surface_create(NULL, NULL);
	struct buffer *buffer = show(surface, SIDE, SIDE);
	for (int i = 0; i < 2; i++) {
		devices[i] = render_device_create(NULL, renderers[i], NULL);
		devices[i]->outputs = 1u << i;
		devices[i]->clock = clock;
		contents[i] = content_get(surface, devices[i]);
	}
	render_device_join(devices[1], devices[0]);
	surface_set_outputs(surface, 1);
	surface_set_visible(surface, true);
	assert_int_equal(content_prepare(contents[0], NULL), CONTENT_READY);
	assert_non_null(contents[0]->texture);

	/* Hidden everywhere: it may return, as at a change of workspaces. */
	surface_set_visible(surface, false);
	clock_advance(clock, INT64_C(10000000000));
	assert_non_null(contents[0]->texture);
	surface_set_visible(surface, true);
	assert_false(contents[0]->unseen.armed);

	/* Back within the time. */
	surface_set_outputs(surface, 2);
	clock_advance(clock, INT64_C(1900000000));
	surface_set_outputs(surface, 3);
	clock_advance(clock, INT64_C(10000000000));
	assert_non_null(contents[0]->texture);
	assert_int_equal(content_prepare(contents[0], NULL), CONTENT_READY);

	surface_set_outputs(surface, 2);
	clock_advance(clock, INT64_C(1900000000));
	assert_non_null(contents[0]->texture);
	clock_advance(clock, INT64_C(200000000));
	assert_null(contents[0]->texture);
	assert_false(contents[0]->unseen.armed);
	assert_int_equal(content_prepare(contents[0], NULL), CONTENT_READY);
	assert_int_equal(contents[0]->texture->width, SIDE);

	/* Without the client's buffer, the texture is needed until the next one. */
	assert_int_equal(content_prepare(contents[1], NULL), CONTENT_READY);
	assert_null(surface->current.buffer);
	surface_set_outputs(surface, 3);
	surface_set_outputs(surface, 2);
	clock_advance(clock, INT64_C(3000000000));
	assert_non_null(contents[0]->texture);
	buffer_drop(buffer);
	buffer = show(surface, SIDE, SIDE);
	assert_null(contents[0]->texture);
	assert_int_equal(content_prepare(contents[1], NULL), CONTENT_READY);
	assert_ptr_equal(surface->current.buffer, buffer);
	buffer_drop(buffer);

	surface_destroy(surface);
	for (int i = 0; i < 2; i++) {
		render_device_finish(devices[i]);
		render_device_destroy(devices[i]);
		renderer_destroy(renderers[i]);
	}
	clock_destroy(clock);
}

/*
 * Damage of a larger buffer that was never displayed is clipped to the smaller one that replaces
 * it.
 */
static void skipped_larger_buffer_leaves_no_damage(void **state)
{
	struct content_world world;
	begin(&world, NULL);
	struct surface *surface = world.surface;
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, SIDE, SIDE);

	struct buffer *small = show(surface, SIDE, SIDE);
	content_prepare(content_get(surface, world.device), NULL);
	struct buffer *big = show(surface, SIDE * 2, SIDE * 2);
	buffer_drop(small);
	small = show(surface, SIDE, SIDE);
	buffer_drop(big);
	assert_int_equal(content_prepare(content_get(surface, world.device), &all), CONTENT_READY);
	assert_null(surface->current.buffer);
	buffer_drop(small);

	pixman_region32_fini(&all);
	end(&world);
}

/* Of a hidden window: the texture still has the pixels from before the smaller buffer. */
static void skipped_smaller_buffer_leaves_no_old_pixels(void **state)
{
	struct content_world world;
	begin(&world, NULL);
	struct surface *surface = world.surface;
	struct buffer *buffer = show(surface, SIDE, SIDE);
	content_prepare(content_get(surface, world.device), NULL);
	buffer_drop(buffer);
	buffer_drop(show(surface, SIDE / 2, SIDE / 2));

	expect_whole_upload(&world);

	end(&world);
}

/* Even if its damage is small. */
static void buffer_after_none_is_uploaded_whole(void **state)
{
	struct content_world world;
	begin(&world, NULL);
	struct surface *surface = world.surface;

	struct buffer *buffer = show(surface, SIDE, SIDE);
	content_prepare(content_get(surface, world.device), NULL);
	buffer_drop(buffer);
	surface->pending.fields |= SURFACE_BUFFER;
	assert_true(derive_and_commit(surface));
	assert_int_equal(content_prepare(content_get(surface, world.device), NULL), CONTENT_NONE);

	expect_whole_upload(&world);

	end(&world);
}

/* A buffer of another size is uploaded as a whole at once, beyond the visible region. */
static void resized_buffer_is_uploaded_whole(void **state)
{
	struct content_world world;
	begin(&world, NULL);
	struct surface *surface = world.surface;
	pixman_region32_t part;
	pixman_region32_init_rect(&part, 0, 0, 1, 1);

	struct buffer *small = show(surface, SIDE, SIDE);
	content_prepare(content_get(surface, world.device), NULL);
	struct buffer *big = show(surface, SIDE * 2, SIDE * 2);
	buffer_drop(small);
	assert_int_equal(content_prepare(content_get(surface, world.device), &part), CONTENT_READY);
	assert_null(surface->current.buffer);
	buffer_drop(big);

	pixman_region32_fini(&part);
	end(&world);
}

/* Only renderers that upload on a thread need a content before the surface is first drawn. */
static void content_is_expected_for_deferred_uploads_only(void **state)
{
	struct content_world world;
	begin(&world, NULL);
	struct surface *surface = world.surface;
	const struct renderer_impl *impl = world.renderer->impl;
	struct renderer_impl in_place = *impl;
	in_place.staging_create = NULL;
	world.renderer->impl = &in_place;
	content_expect(surface, world.device);
	assert_null(content_find(surface, world.device));
	world.renderer->impl = impl;
	/* The device was lost. */
	world.device->renderer = NULL;
	content_expect(surface, world.device);
	assert_null(content_find(surface, world.device));
	world.device->renderer = world.renderer;
	end(&world);
}

/* Cached system memory would show stale pixels on planes that do not snoop. */
static void system_memory_is_kept_from_planes_that_do_not_snoop(void **state)
{
	static const struct {
		const char *driver;
		bool scans_out;
	} cases[] = {
		{"i915", false},
		{"xe", false},
		{"nvidia-drm", false},
		{"amdgpu", true}, /* the driver refuses it itself */
		{"vkms", true},
	};
	struct content_world world;
	begin(&world, NULL);
	struct surface *surface = world.surface;
	struct buffer *buffer = create_dmabuf(DRM_FORMAT_XRGB8888, NULL);
	commit_buffer(surface, buffer);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gpu gpu = {.driver = (char *)cases[i].driver};
		enum route_reason barred;
		struct buffer *shown = content_plane_buffer(surface, world.device, &gpu, &barred);
		assert_ptr_equal(shown, cases[i].scans_out ? buffer : NULL);
		assert_int_equal(barred, cases[i].scans_out ? REASON_BEST : REASON_SYSTEM_MEMORY);
		/* The GPU's own memory is scanned out. */
		buffer->home = &gpu;
		assert_ptr_equal(
			content_plane_buffer(surface, world.device, &gpu, &barred), buffer);
		buffer->home = NULL;
	}
	buffer_drop(buffer);
	end(&world);
}

/* Mesa would repeat submissions with such memory for ever: a window stays empty instead. */
static void memory_that_gpus_cannot_map_is_kept_from_renderers(void **state)
{
	struct gpu own = {.driver = (char *)"amdgpu"}, intel = {.driver = (char *)"i915"},
		   nvidia = {.driver = (char *)"nvidia"};
	const struct {
		struct gpu *home;
		bool unmappable;
		enum route_source source;
	} cases[] = {
		{&own, false, SOURCE_IMPORT},
		{&intel, false, SOURCE_IMPORT},
		{&intel, true, SOURCE_NONE},
		{&nvidia, false, SOURCE_NONE},
	};
	struct content_world world;
	begin(&world, &own);
	struct surface *surface = world.surface;
	struct buffer *buffer = create_dmabuf(DRM_FORMAT_XRGB8888, NULL);
	commit_buffer(surface, buffer);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buffer->home = cases[i].home;
		buffer->unmappable = cases[i].unmappable;
		assert_int_equal(content_source(world.device, surface), cases[i].source);
	}
	buffer_drop(buffer);
	end(&world);
}

static uint32_t pixel_at(struct buffer *buffer, int x, int y)
{
	void *data;
	size_t stride;
	assert_int_equal(buffer_begin_access(buffer, BUFFER_READ, &data, &stride), 0);
	uint32_t pixel = ((uint32_t *)((char *)data + (size_t)y * stride))[x];
	buffer_end_access(buffer);
	return pixel & 0xffffff;
}

/* The opaque part of the window hides the rect below; the shadow has no pixels to hide it. */
static void shadow_of_a_window_that_cannot_be_read_is_transparent(void **state)
{
	const float red[4] = {1, 0, 0, 1};
	struct gpu own = {.driver = (char *)"amdgpu"}, intel = {.driver = (char *)"i915"};
	struct content_world world;
	begin(&world, &own);
	struct surface *surface = world.surface;
	struct scene *scene = scene_create();
	struct scene_rect *below = scene_rect_create(&scene->root, SIDE, SIDE, red);
	struct buffer *target = memory_buffer_create(SIDE, SIDE, DRM_FORMAT_XRGB8888);
	struct buffer *buffer = create_dmabuf(DRM_FORMAT_ARGB8888, &intel);
	buffer->unmappable = true;
	buffer_replace(&surface->pending.buffer, buffer);
	pixman_region32_union_rect(
		&surface->pending.opaque, &surface->pending.opaque, 0, 0, SIDE / 2, SIDE);
	surface->pending.fields |= SURFACE_BUFFER | SURFACE_OPAQUE;
	assert_true(derive_and_commit(surface));
	surface_map(surface);
	scene_surface_tree_create(&scene->root, surface);
	assert_int_equal(content_source(world.device, surface), SOURCE_NONE);

	const struct frame_capture capture = {.box = {0, 0, SIDE, SIDE}, .scale = 1};
	int fence;
	assert_int_equal(
		frame_capture(scene, world.device, target, &capture, &fence), FRAME_CAPTURE_DRAWN);
	assert_int_equal(pixel_at(target, 1, 1), 0);
	assert_int_equal(pixel_at(target, SIDE - 1, 1), 0xff0000);
	buffer_drop(target);
	buffer_drop(buffer);
	end(&world);
	scene_node_destroy(&below->node);
	scene_destroy(scene);
}

static struct buffer *copied;

static struct buffer *get_copied(const struct content *content)
{
	return copied;
}

/* A copy on an integrated GPU is in memory that the other GPU writes. */
static void copies_are_kept_from_planes_without_scatter_gather(void **state)
{
	static const struct content_source_impl source = {.plane_buffer = get_copied};
	static const struct {
		uint32_t device;
		bool scans_out;
	} cases[] = {{0x15d8 /* Picasso */, true}, {0x15dd /* Raven */, false}};
	struct content_world world;
	begin(&world, NULL);
	struct surface *surface = world.surface;
	struct gpu other = {.driver = (char *)"amdgpu"};
	struct buffer *buffer = create_dmabuf(DRM_FORMAT_XRGB8888, &other);
	commit_buffer(surface, buffer);
	content_get(surface, world.device)->source = &source;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gpu gpu = {
			.driver = (char *)"amdgpu", .device = cases[i].device, .integrated = true};
		enum route_reason barred;
		copied = create_dmabuf(DRM_FORMAT_XRGB8888, &gpu);
		struct buffer *shown = content_plane_buffer(surface, world.device, &gpu, &barred);
		assert_ptr_equal(shown, cases[i].scans_out ? copied : NULL);
		assert_int_equal(barred, cases[i].scans_out ? REASON_BEST : REASON_SYSTEM_MEMORY);
		buffer_drop(copied);
	}
	content_get(surface, world.device)->source = NULL;
	buffer_drop(buffer);
	end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffer_is_kept_until_all_devices_have_it),
		cmocka_unit_test(texture_of_a_device_that_no_longer_shows_is_freed),
		cmocka_unit_test(skipped_larger_buffer_leaves_no_damage),
		cmocka_unit_test(skipped_smaller_buffer_leaves_no_old_pixels),
		cmocka_unit_test(buffer_after_none_is_uploaded_whole),
		cmocka_unit_test(resized_buffer_is_uploaded_whole),
		cmocka_unit_test(content_is_expected_for_deferred_uploads_only),
		cmocka_unit_test(shadow_of_a_window_that_cannot_be_read_is_transparent),
		cmocka_unit_test(copies_are_kept_from_planes_without_scatter_gather),
		cmocka_unit_test(system_memory_is_kept_from_planes_that_do_not_snoop),
		cmocka_unit_test(memory_that_gpus_cannot_map_is_kept_from_renderers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
