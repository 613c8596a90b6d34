/* Textures of both renderers: what they copy, what they hold, what they refuse, how they are lost. */

#include "picture.h"

#include "buffer/dmabuf_buffer.h"
#include "buffer/shm.h"
#include "util/fd.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define X DRM_FORMAT_XRGB8888
#define A DRM_FORMAT_ARGB8888

static const struct rgba red = {{1, 0, 0, 1}}, green = {{0, 1, 0, 1}}, blue = {{0, 0, 1, 1}};

/* With memory that it can sample in place, the renderer copies nothing; else just the damage. */
static void check_updates(
	struct renderer *renderer, struct picture *source, bool uploads, uint64_t imports)
{
	pixman_region32_t clip, damage;
	init_clip(&clip, false);
	pixman_region32_init_rect(&damage, 2, 3, 10, 4);
	pixman_region32_union_rect(&damage, &damage, 15, 10, 100, 6);
	uint64_t bytes = pixel_format_get(source->base.format)->bytes[0];
	struct picture *target = create_target(X);
	struct texture *texture = NULL;
	struct render_stats before = renderer->stats;
	bool holds;

	fill_picture(source, &red);
	buffer_lock(&source->base);
	assert_true(renderer_texture_update(renderer, &texture, &source->base, NULL, &holds));
	assert_int_equal(holds, !uploads);
	draw_whole(renderer, target, texture, &clip);
	assert_pixel(target, 5, 5, &red);
	assert_stats(renderer, &before,
		&(struct render_stats){1, 1, 20 * 20, uploads ? 400 * bytes : 0, uploads, imports});

	fill_picture(source, &green);
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

	/* In place, what the client writes shows without an update; a copy outlives its buffer. */
	fill_picture(source, &blue);
	draw_whole(renderer, target, texture, &clip);
	assert_pixel(target, 2, 3, uploads ? &green : &blue);
	buffer_unlock(&source->base);
	buffer_drop(&source->base);
	if (uploads) {
		draw_whole(renderer, target, texture, &clip);
		assert_pixel(target, 2, 3, &green);
	} else {
		fill_picture(target, &red);
		draw_whole(renderer, target, texture, &clip);
		assert_pixel(target, 2, 3, &red);
	}
	texture_destroy(texture);
	texture_destroy(NULL);
	buffer_drop(&target->base);
	pixman_region32_fini(&damage);
	pixman_region32_fini(&clip);
}

static void test_updates(void **state)
{
	struct fixture *fixture = *state;
	struct renderer *pixman = fixture->renderers[0], *gles = fixture->renderers[1];
	check_updates(pixman, picture_create(20, 20, X, false, 0), false, 0);
	check_updates(pixman, picture_create(20, 20, X, true, 0), false, 0);
	check_updates(pixman, picture_create(20, 20, DRM_FORMAT_RGB565, false, 2), true, 0);
	check_updates(gles, picture_create(20, 20, X, false, 0), true, 0);
	check_updates(gles, picture_create(20, 20, DRM_FORMAT_RGB565, false, 2), true, 0);
	check_updates(gles, picture_create(20, 20, DRM_FORMAT_RGB888, false, 5), true, 0);
	check_updates(gles, picture_create(20, 20, X, true, 0), false, 1);
}

/* A texture changes kind, size and format with the buffers that it is given. */
static void test_replacement(void **state)
{
	struct fixture *fixture = *state;
	pixman_region32_t clip, damage;
	init_clip(&clip, false);
	pixman_region32_init_rect(&damage, 0, 0, 1, 1);
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		struct picture *target = create_target(X);
		struct picture *buffers[] = {
			picture_create(20, 20, X, false, 0),
			picture_create(30, 10, X, false, 0),
			picture_create(30, 10, DRM_FORMAT_RGB565, false, 0),
			picture_create(30, 10, X, true, 0),
			picture_create(1, 1, A, false, 0),
			picture_create(12, 12, DRM_FORMAT_RGB888, false, 1),
			picture_create(30, 10, X, true, 0),
			picture_create(30, 10, X, false, 0),
		};
		buffers[4]->is_color = true;
		memcpy(buffers[4]->color, (float[4]){0, 1, 0, 1}, sizeof(float[4]));
		struct texture *texture = NULL;
		for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); ++i) {
			bool holds;
			fill_picture(buffers[i], &green);
			fill_picture(target, &red);
			/* Damage is relative to what the texture had: nothing like it. */
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

/* What cannot be read leaves the texture as it was. */
static void test_refusal(void **state)
{
	struct fixture *fixture = *state;
	pixman_region32_t clip;
	init_clip(&clip, false);
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		struct picture *good = picture_create(20, 20, X, false, 0);
		struct picture *huge = picture_create(40000, 1, X, false, 0);
		struct picture *target = create_target(X);
		struct texture *texture = NULL;
		bool holds;
		fill_picture(good, &green);
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
	struct picture *undescribed = picture_create(20, 20, X, false, 0);
	assert_null(renderer_begin(fixture->renderers[1], &undescribed->base, -1));
	buffer_drop(&undescribed->base);
	pixman_region32_fini(&clip);
}

/* Drawn is what the texture was when it was added, also if it goes before the pass ends. */
static void test_destroyed_in_pass(void **state)
{
	struct fixture *fixture = *state;
	pixman_region32_t clip;
	init_clip(&clip, false);
	for (int r = 0; r < 4; ++r) {
		struct renderer *renderer = fixture->renderers[r % 2];
		struct picture *target = create_target(X);
		struct picture *source = picture_create(20, 20, X, r >= 2, 0);
		struct render_texture_options options = {
			.src = {0, 0, 20, 20},
			.dst = {0, 0, 20, 20},
			.alpha = 1,
			.clip = &clip,
		};
		bool holds;
		fill_picture(source, &green);
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

/* The guard of client memory surrounds every draw of the renderer that reads it then. */
static void test_guarded_reads(void **state)
{
	struct fixture *fixture = *state;
	struct renderer *pixman = fixture->renderers[0];
	struct picture *source = picture_create(20, 20, X, false, 0);
	struct picture *target = create_target(X);
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

/* A client takes its memory away: what is missing shows as zeros, and the client is found out. */
static void test_truncated_pool(void **state)
{
	struct fixture *fixture = *state;
	pixman_region32_t clip;
	init_clip(&clip, false);
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		/* Pages of 16 rows. */
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
		struct picture *target = create_target(X);
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

static void test_imports(void **state)
{
	struct fixture *fixture = *state;
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		struct picture *picture = picture_create(20, 20, X, true, 0);
		struct dmabuf *dmabuf = &picture->dmabuf, bad = *dmabuf;
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
		buffer_drop(&picture->base);
	}
	/* A client could take this memory away while the software driver reads it. */
	struct renderer *gles = fixture->renderers[1];
	int fd = fd_create_memory("unsealed", 80 * 20, false);
	struct dmabuf unsealed = {20, 20, X, DRM_FORMAT_MOD_LINEAR, 1, {fd, -1, -1, -1}, {0}, {80}};
	assert_false(gles->impl->test_import(gles, &unsealed));
	close(fd);
}

/* Sampled through an external texture, where GL converts to RGB. */
static void test_video(void **state)
{
	struct fixture *fixture = *state;
	struct renderer *gles = fixture->renderers[1];
	if (!format_set_has(&gles->texture_formats, DRM_FORMAT_YUYV, DRM_FORMAT_MOD_LINEAR)) {
		skip_because("this driver takes no video");
	}
	/* The primaries in BT.601 with 16..235, what video of unknown origin is taken for. */
	static const struct {
		uint8_t y, u, v;
		struct rgba color;
	} samples[] = {
		{235, 128, 128, {{1, 1, 1, 1}}},
		{16, 128, 128, {{0, 0, 0, 1}}},
		{81, 90, 240, {{1, 0, 0, 1}}},
		{145, 54, 34, {{0, 1, 0, 1}}},
		{41, 240, 110, {{0, 0, 1, 1}}},
	};
	pixman_region32_t clip;
	init_clip(&clip, false);
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); ++i) {
		uint8_t memory[64 * 48 * 2];
		for (size_t j = 0; j < sizeof(memory); j += 4) {
			memory[j] = memory[j + 2] = samples[i].y;
			memory[j + 1] = samples[i].u;
			memory[j + 3] = samples[i].v;
		}
		int fd = fd_create_memory("video", sizeof(memory), true);
		assert_int_equal(pwrite(fd, memory, sizeof(memory), 0), sizeof(memory));
		struct dmabuf dmabuf = {64, 48, DRM_FORMAT_YUYV, DRM_FORMAT_MOD_LINEAR, 1,
			{fd, -1, -1, -1}, {0}, {128}};
		assert_true(gles->impl->test_import(gles, &dmabuf));
		struct dmabuf bad = dmabuf;
		bad.offset[0] += 4096;
		assert_false(gles->impl->test_import(gles, &bad));

		struct buffer *buffer = dmabuf_buffer_create(&dmabuf, NULL);
		struct picture *target = create_target(X);
		struct texture *texture = NULL;
		bool holds;
		assert_true(renderer_texture_update(gles, &texture, buffer, NULL, &holds));
		assert_true(holds);
		draw_whole(gles, target, texture, &clip);
		for (int c = 0; c < 3; ++c) {
			assert_float_equal((float)read_pixel(target, 30, 20).v[c],
				(float)samples[i].color.v[c], 0.02);
		}
		assert_pixel(target, 64, 20, &backdrop);
		texture_destroy(texture);
		buffer_drop(buffer);
		buffer_drop(&target->base);
	}
	pixman_region32_fini(&clip);
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

static void test_loss(void **state)
{
	struct fixture *fixture = *state;
	assert_null(fixture->renderers[0]->impl->lose);
	struct renderer *gles = gles_renderer_create(NULL, fixture->loop);
	struct loss loss = {.listener.notify = handle_lost};
	wl_signal_add(&gles->events.lost, &loss.listener);
	struct picture *target = create_target(X), *source = picture_create(9, 9, X, false, 0);
	struct picture *described = picture_create(9, 9, X, true, 0);
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

	/* Told once, and not from within a call. */
	assert_int_equal(loss.count, 0);
	wl_event_loop_dispatch(fixture->loop, 0);
	assert_int_equal(loss.count, 1);
	wl_event_loop_dispatch(fixture->loop, 0);
	assert_int_equal(loss.count, 1);
	texture_destroy(texture);
	wl_list_remove(&loss.listener.link);
	renderer_destroy(gles);

	/* The same buffers go on with a new one. */
	gles = gles_renderer_create(NULL, fixture->loop);
	texture = NULL;
	pixman_region32_t clip;
	init_clip(&clip, false);
	fill_picture(described, &green);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_updates, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			test_replacement, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(test_refusal, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			test_destroyed_in_pass, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			test_guarded_reads, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			test_truncated_pool, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(test_imports, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(test_video, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(test_loss, renderers_setup, renderers_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
