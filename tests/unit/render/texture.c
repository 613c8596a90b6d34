/* SPDX-License-Identifier: MIT */
/*
 * Textures of both renderers: uploads, imports, refused buffers, truncated memory, and lost
 * devices.
 */

#include "harness/renderers.h"

#include "buffer/shm.h"
#include "util/fd.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define X DRM_FORMAT_XRGB8888
#define A DRM_FORMAT_ARGB8888

static const struct rgba red = {{1, 0, 0, 1}}, green = {{0, 1, 0, 1}}, blue = {{0, 0, 1, 1}};

/* A renderer copies nothing of memory that it can sample in place, else only the damage. */
static void check_updates(
	struct renderer *renderer, struct test_image *source, bool uploads, uint64_t imports)
{
	pixman_region32_t clip, damage;
	init_clip(&clip, false);
	pixman_region32_init_rect(&damage, 2, 3, 10, 4);
	pixman_region32_union_rect(&damage, &damage, 15, 10, 100, 6);
	uint64_t bytes = pixel_format_get(source->base.format)->bytes[0];
	struct test_image *target = create_target(X);
	struct texture *texture = NULL;
	struct render_stats before = renderer->stats;
	bool holds;

	fill_image(source, &red);
	buffer_lock(&source->base);
	assert_true(renderer_texture_update(renderer, &texture, &source->base, NULL, &holds));
	assert_int_equal(holds, !uploads);
	draw_whole(renderer, target, texture, &clip);
	assert_pixel(target, 5, 5, &red);
	assert_stats(renderer, &before,
		&(struct render_stats){1, 1, 20 * 20, uploads ? 400 * bytes : 0, uploads, imports});

	fill_image(source, &green);
	before = renderer->stats;
	struct texture *same = texture;
	assert_true(renderer_texture_update(renderer, &texture, &source->base, &damage, &holds));
	assert_ptr_equal(texture, same);
	draw_whole(renderer, target, texture, &clip);
	assert_pixel(target, 2, 3, &green);
	assert_pixel(target, 11, 6, &green);
	assert_pixel(target, 19, 15, &green);
	assert_pixel(target, 1, 3, uploads ? &red : &green);
	assert_pixel(target, 12, 6, uploads ? &red : &green);
	assert_pixel(target, 19, 16, uploads ? &red : &green);
	assert_stats(renderer, &before,
		&(struct render_stats){1, 1, 400, uploads ? (40 + 30) * bytes : 0, uploads, 0});

	/* No damage, no copy. */
	pixman_region32_clear(&damage);
	before = renderer->stats;
	assert_true(renderer_texture_update(renderer, &texture, &source->base, &damage, &holds));
	assert_stats(renderer, &before, &(struct render_stats){0});

	/*
	 * Memory sampled in place shows new pixels without an update; an uploaded copy outlives its
	 * buffer.
	 */
	fill_image(source, &blue);
	draw_whole(renderer, target, texture, &clip);
	assert_pixel(target, 2, 3, uploads ? &green : &blue);
	buffer_unlock(&source->base);
	buffer_drop(&source->base);
	if (uploads) {
		draw_whole(renderer, target, texture, &clip);
		assert_pixel(target, 2, 3, &green);
	} else {
		fill_image(target, &red);
		draw_whole(renderer, target, texture, &clip);
		assert_pixel(target, 2, 3, &red);
	}
	texture_destroy(texture);
	texture_destroy(NULL);
	buffer_drop(&target->base);
	pixman_region32_fini(&damage);
	pixman_region32_fini(&clip);
}

static void updates_copy_only_damage(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct renderer *pixman = fixture->renderers[0], *gles = fixture->renderers[1];
	check_updates(pixman, test_image_create(20, 20, X, false, 0), false, 0);
	check_updates(pixman, test_image_create(20, 20, X, true, 0), false, 0);
	check_updates(pixman, test_image_create(20, 20, DRM_FORMAT_RGB565, false, 2), true, 0);
	check_updates(gles, test_image_create(20, 20, X, false, 0), true, 0);
	check_updates(gles, test_image_create(20, 20, DRM_FORMAT_RGB565, false, 2), true, 0);
	check_updates(gles, test_image_create(20, 20, DRM_FORMAT_RGB888, false, 5), true, 0);
	check_updates(gles, test_image_create(20, 20, X, true, 0), false, 1);
}

/* A texture changes kind, size and format with its buffers. */
static void texture_follows_its_buffers(void **state)
{
	struct renderer_fixture *fixture = *state;
	pixman_region32_t clip, damage;
	init_clip(&clip, false);
	pixman_region32_init_rect(&damage, 0, 0, 1, 1);
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		struct test_image *target = create_target(X);
		struct test_image *buffers[] = {
			test_image_create(20, 20, X, false, 0),
			test_image_create(30, 10, X, false, 0),
			test_image_create(30, 10, DRM_FORMAT_RGB565, false, 0),
			test_image_create(30, 10, X, true, 0),
			test_image_create(1, 1, A, false, 0),
			test_image_create(12, 12, DRM_FORMAT_RGB888, false, 1),
			test_image_create(30, 10, X, true, 0),
			test_image_create(30, 10, X, false, 0),
		};
		buffers[4]->is_color = true;
		memcpy(buffers[4]->color, (float[4]){0, 1, 0, 1}, sizeof(float[4]));
		struct texture *texture = NULL;
		for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); ++i) {
			bool holds;
			fill_image(buffers[i], &green);
			fill_image(target, &red);
			/*
			 * Damage is ignored, since the previous content differs in size or format.
			 */
			assert_true(renderer_texture_update(
				renderer, &texture, &buffers[i]->base, &damage, &holds));
			int width = buffers[i]->base.width, height = buffers[i]->base.height;
			assert_int_equal(texture->width, width);
			assert_int_equal(texture->height, height);
			draw_whole(renderer, target, texture, &clip);
			assert_pixel(target, width - 1, height - 1, &green);
			assert_pixel(target, width, height - 1, &red);
		}
		texture_destroy(texture);
		for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); ++i) {
			buffer_drop(&buffers[i]->base);
		}
		buffer_drop(&target->base);
	}
	pixman_region32_fini(&damage);
	pixman_region32_fini(&clip);
}

/* An unreadable buffer leaves the texture unchanged. */
static void unreadable_buffer_keeps_the_texture(void **state)
{
	struct renderer_fixture *fixture = *state;
	pixman_region32_t clip;
	init_clip(&clip, false);
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		struct test_image *good = test_image_create(20, 20, X, false, 0);
		struct test_image *huge = test_image_create(40000, 1, X, false, 0);
		struct test_image *target = create_target(X);
		struct texture *texture = NULL;
		bool holds;
		fill_image(good, &green);
		assert_false(
			renderer_texture_update(renderer, &texture, &huge->base, NULL, &holds));
		assert_null(texture);
		assert_true(renderer_texture_update(renderer, &texture, &good->base, NULL, &holds));
		assert_false(
			renderer_texture_update(renderer, &texture, &huge->base, NULL, &holds));
		assert_int_equal(texture->width, 20);
		draw_whole(renderer, target, texture, &clip);
		assert_pixel(target, 19, 19, &green);
		texture_destroy(texture);
		buffer_drop(&huge->base);
		buffer_drop(&good->base);
		buffer_drop(&target->base);
	}
	struct test_image *undescribed = test_image_create(20, 20, X, false, 0);
	assert_null(renderer_begin(fixture->renderers[1], &undescribed->base, -1));
	buffer_drop(&undescribed->base);
	pixman_region32_fini(&clip);
}

/*
 * A pass draws the texture's content at the time of the draw, even if the texture is destroyed
 * before submission.
 */
static void destroyed_texture_is_still_drawn(void **state)
{
	struct renderer_fixture *fixture = *state;
	pixman_region32_t clip;
	init_clip(&clip, false);
	for (int r = 0; r < 4; ++r) {
		struct renderer *renderer = fixture->renderers[r % 2];
		struct test_image *target = create_target(X);
		struct test_image *source = test_image_create(20, 20, X, r >= 2, 0);
		struct render_texture_options options = {
			.src = {0, 0, 20, 20},
			.dst = {0, 0, 20, 20},
			.alpha = 1,
			.clip = &clip,
		};
		bool holds;
		fill_image(source, &green);
		assert_true(renderer_texture_update(
			renderer, &options.texture, &source->base, NULL, &holds));
		struct render_pass *pass = renderer_begin(renderer, &target->base, -1);
		render_pass_add_texture(pass, &options);
		buffer_drop(&source->base);
		render_pass_add_texture(pass, &options);
		texture_destroy(options.texture);
		submit(pass);
		assert_pixel(target, 7, 7, &green);
		buffer_drop(&target->base);
	}
	pixman_region32_fini(&clip);
}

/* Renderers that read client memory while drawing access it under the SIGBUS guard. */
static void client_memory_is_read_under_guard(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct renderer *pixman = fixture->renderers[0];
	struct test_image *source = test_image_create(20, 20, X, false, 0);
	struct test_image *target = create_target(X);
	struct texture *texture = NULL;
	bool holds;
	pixman_region32_t clip;
	init_clip(&clip, false);
	assert_true(renderer_texture_update(pixman, &texture, &source->base, NULL, &holds));
	int before = source->accesses;
	draw_whole(pixman, target, texture, &clip);
	assert_int_equal(source->accesses, before + 1);
	assert_int_equal(source->open, 0);
	assert_int_equal(target->open, 0);
	texture_destroy(texture);
	buffer_drop(&source->base);
	buffer_drop(&target->base);
	pixman_region32_fini(&clip);
}

/* Truncated client memory reads as zeros, and the fault is reported. */
static void truncated_pool_reads_as_zeros(void **state)
{
	struct renderer_fixture *fixture = *state;
	pixman_region32_t clip;
	init_clip(&clip, false);
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		/* 16 rows are a page. */
		int fd = fd_create_memory("pool", 64 * 64 * 4, false);
		assert_true(fd >= 0);
		int client_fd = fd_dup(fd);
		struct shm_pool *pool = shm_pool_create(fd, 64 * 64 * 4);
		assert_non_null(pool);
		struct buffer *buffer = shm_buffer_create(pool, 0, 64, 64, 64 * 4, X);
		shm_pool_unref(pool);
		uint8_t white[64 * 4 * 16];
		memset(white, 0xff, sizeof(white));
		for (int i = 0; i < 4; ++i) {
			assert_int_equal(write(client_fd, white, sizeof(white)), sizeof(white));
		}
		struct test_image *target = create_target(X);
		struct texture *texture = NULL;
		bool holds;
		assert_true(renderer_texture_update(renderer, &texture, buffer, NULL, &holds));
		draw_whole(renderer, target, texture, &clip);
		assert_pixel(target, 63, 60, &(struct rgba){{1, 1, 1, 1}});
		assert_false(shm_buffer_take_fault(buffer));

		assert_int_equal(ftruncate(client_fd, 64 * 4 * 32), 0);
		assert_true(renderer_texture_update(renderer, &texture, buffer, NULL, &holds));
		draw_whole(renderer, target, texture, &clip);
		assert_pixel(target, 63, 31, &(struct rgba){{1, 1, 1, 1}});
		assert_pixel(target, 0, 32, &(struct rgba){{0, 0, 0, 1}});
		assert_pixel(target, 63, 60, &(struct rgba){{0, 0, 0, 1}});
		assert_true(shm_buffer_take_fault(buffer));
		assert_false(shm_buffer_take_fault(buffer));

		texture_destroy(texture);
		buffer_drop(buffer);
		buffer_drop(&target->base);
		close(client_fd);
	}
	pixman_region32_fini(&clip);
}

static void malformed_dmabufs_are_not_importable(void **state)
{
	struct renderer_fixture *fixture = *state;
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		struct test_image *image = test_image_create(20, 20, X, true, 0);
		struct dmabuf *dmabuf = &image->dmabuf, bad = *dmabuf;
		assert_true(renderer->impl->test_import(renderer, dmabuf));

		bad.height = 100;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.offset[0] = 1 << 20;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.stride[0] = 19 * 4;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.stride[0] = UINT32_MAX;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.width = 0;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.format = 0x20202020;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.modifier = DRM_FORMAT_MOD_INVALID;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		bad.modifier = DRM_FORMAT_MOD_LINEAR + 1;
		assert_false(renderer->impl->test_import(renderer, &bad));
		bad = *dmabuf;
		int pipe_fds[2];
		assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
		bad.fd[0] = pipe_fds[0];
		assert_false(renderer->impl->test_import(renderer, &bad));
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		buffer_drop(&image->base);
	}
	/* pixman draws no longer sides: such a buffer would never be shown. */
	struct renderer *pixman = fixture->renderers[0];
	for (int wide = 0; wide < 2; wide++) {
		struct test_image *image =
			test_image_create(wide ? 32767 : 4, wide ? 4 : 32767, X, true, 0);
		struct texture *texture = NULL;
		bool holds;
		assert_false(pixman->impl->test_import(pixman, &image->dmabuf));
		assert_false(renderer_texture_update(pixman, &texture, &image->base, NULL, &holds));
		buffer_drop(&image->base);
		image = test_image_create(wide ? 32766 : 4, wide ? 4 : 32766, X, true, 0);
		assert_true(pixman->impl->test_import(pixman, &image->dmabuf));
		buffer_drop(&image->base);
	}
	/* A client can truncate this memory while the software driver reads it. */
	struct renderer *gles = fixture->renderers[1];
	int fd = fd_create_memory("unsealed", 80 * 20, false);
	struct dmabuf unsealed = {20, 20, X, DRM_FORMAT_MOD_LINEAR, 1, {fd, -1, -1, -1}, {0}, {80}};
	assert_false(gles->impl->test_import(gles, &unsealed));
	close(fd);
}

/* The kernel unmaps huge pages as a whole only. */
static void tested_huge_pages_are_unmapped(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct renderer *pixman = fixture->renderers[0];
	int fd = memfd_create("texture-test-huge", MFD_CLOEXEC | MFD_HUGETLB);
	size_t page = fd < 0 ? 0 : fd_page_size(fd);
	struct dmabuf dmabuf = {20, 20, X, DRM_FORMAT_MOD_LINEAR, 1, {fd, -1, -1, -1}, {0}, {80}};
	if (fd < 0 || ftruncate(fd, (off_t)page) < 0 ||
		!pixman->impl->test_import(pixman, &dmabuf)) {
		skip_because("no huge pages are set aside (/proc/sys/vm/nr_hugepages)");
	}
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		assert_null(strstr(line, "texture-test-huge"));
	}
	fclose(maps);
	close(fd);
}

struct loss {
	struct wl_listener listener;
	int count;
};

static void handle_lost(struct wl_listener *listener, void *data)
{
	struct loss *loss = wl_container_of(listener, loss, listener);
	++loss->count;
}

static void loss_is_emitted_once(void **state)
{
	struct renderer_fixture *fixture = *state;
	assert_null(fixture->renderers[0]->impl->lose);
	struct renderer *gles = gles_renderer_create(NULL, fixture->loop);
	struct loss loss = {.listener.notify = handle_lost};
	wl_signal_add(&gles->events.lost, &loss.listener);
	struct test_image *target = create_target(X),
			  *source = test_image_create(9, 9, X, false, 0);
	struct test_image *described = test_image_create(9, 9, X, true, 0);
	struct texture *texture = NULL, *second = NULL;
	bool holds;
	int fence;
	assert_true(renderer_texture_update(gles, &texture, &source->base, NULL, &holds));
	struct render_pass *pass = renderer_begin(gles, &target->base, -1);
	gles->impl->lose(gles);
	assert_false(render_pass_submit(pass, &fence));
	assert_int_equal(fence, -1);
	assert_null(renderer_begin(gles, &target->base, -1));
	assert_false(renderer_texture_update(gles, &texture, &source->base, NULL, &holds));
	assert_false(renderer_texture_update(gles, &second, &described->base, NULL, &holds));
	assert_null(second);
	assert_false(gles->impl->test_import(gles, &described->dmabuf));
	gles->impl->lose(gles);

	/* Emitted once, from the event loop. */
	assert_int_equal(loss.count, 0);
	wl_event_loop_dispatch(fixture->loop, 0);
	assert_int_equal(loss.count, 1);
	wl_event_loop_dispatch(fixture->loop, 0);
	assert_int_equal(loss.count, 1);
	texture_destroy(texture);
	wl_list_remove(&loss.listener.link);
	renderer_destroy(gles);

	/* The same buffers can be used with a new renderer. */
	gles = gles_renderer_create(NULL, fixture->loop);
	texture = NULL;
	pixman_region32_t clip;
	init_clip(&clip, false);
	fill_image(described, &green);
	assert_true(renderer_texture_update(gles, &texture, &described->base, NULL, &holds));
	draw_whole(gles, target, texture, &clip);
	assert_pixel(target, 8, 8, &green);
	texture_destroy(texture);
	renderer_destroy(gles);
	pixman_region32_fini(&clip);
	buffer_drop(&described->base);
	buffer_drop(&source->base);
	buffer_drop(&target->base);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, renderers_setup, renderers_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(updates_copy_only_damage),
		TEST(texture_follows_its_buffers),
		TEST(unreadable_buffer_keeps_the_texture),
		TEST(destroyed_texture_is_still_drawn),
		TEST(client_memory_is_read_under_guard),
		TEST(truncated_pool_reads_as_zeros),
		TEST(malformed_dmabufs_are_not_importable),
		TEST(tested_huge_pages_are_unmapped),
		TEST(loss_is_emitted_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
