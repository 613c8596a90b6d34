/* SPDX-License-Identifier: MIT */
/* Textures of video: its default matrix, and the edges of the parts that are drawn. */

#include "buffer/dmabuf_buffer.h"
#include "harness/renderers.h"
#include "util/fd.h"
#include <unistd.h>

#define X DRM_FORMAT_XRGB8888

#define VIDEO_WIDTH 64
#define VIDEO_HEIGHT 48

/* Grey in the box, green elsewhere; two pixels share their chroma. */
static struct buffer *create_cropped_video(const struct box *box)
{
	uint8_t memory[VIDEO_WIDTH * VIDEO_HEIGHT * 2];
	for (int i = 0; i < VIDEO_WIDTH * VIDEO_HEIGHT; i++) {
		int x = i % VIDEO_WIDTH, y = i / VIDEO_WIDTH;
		bool rows = y >= box->y && y < box->y + box->height;
		memory[2 * i] = rows && x >= box->x && x < box->x + box->width ? 125 : 235;
		memory[2 * i + 1] =
			rows && (x | 1) >= box->x && (x & ~1) < box->x + box->width ? 128 : 0;
	}
	int fd = fd_create_memory("video", sizeof(memory), true);
	assert_int_equal(pwrite(fd, memory, sizeof(memory), 0), sizeof(memory));
	struct dmabuf dmabuf = {VIDEO_WIDTH, VIDEO_HEIGHT, DRM_FORMAT_YUYV, DRM_FORMAT_MOD_LINEAR,
		1, {fd, -1, -1, -1}, {0}, {2 * VIDEO_WIDTH}};
	return dmabuf_buffer_create(&dmabuf, NULL);
}

static void draw_crop(struct renderer *renderer, struct buffer *buffer, const struct box *crop,
	enum wl_output_transform transform, struct test_image *target)
{
	struct texture *texture = NULL;
	bool holds;
	pixman_region32_t clip;
	init_clip(&clip, false);
	assert_true(renderer_texture_update(renderer, &texture, buffer, NULL, &holds));
	struct render_texture_options options = {.texture = texture,
		.src = {crop->x, crop->y, crop->width, crop->height},
		.dst = {0, 0, TARGET_WIDTH, TARGET_HEIGHT},
		.transform = transform,
		.alpha = 1,
		.clip = &clip};
	struct render_pass *pass = renderer_begin(renderer, &target->base, -1);
	render_pass_add_texture(pass, &options);
	submit(pass);
	texture_destroy(texture);
	pixman_region32_fini(&clip);
}

/* Beyond the edges of a decoder's picture is padding, whose chroma is arbitrary. */
static void cropped_video_ignores_its_padding(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct renderer *gles = fixture->renderers[1];
	if (!format_set_has(&gles->texture_formats, DRM_FORMAT_YUYV, DRM_FORMAT_MOD_LINEAR)) {
		skip_because("the driver cannot sample YUV");
	}
	static const struct box crops[] = {{0, 0, 40, 24}, {24, 24, 40, 24}, {10, 7, 33, 20},
		{11, 8, 2, 1}, {12, 8, 2, 1}, {11, 8, 32, 20}, {0, 0, 64, 48}};
	for (size_t i = 0; i < 8 * sizeof(crops) / sizeof(crops[0]); i++) {
		struct buffer *buffer = create_cropped_video(&crops[i / 8]);
		struct test_image *target = create_target(X);
		draw_crop(gles, buffer, &crops[i / 8], (enum wl_output_transform)(i % 8), target);
		for (int p = 0; p < TARGET_WIDTH * TARGET_HEIGHT; p++) {
			struct rgba color = read_pixel(target, p % TARGET_WIDTH, p / TARGET_WIDTH);
			for (int c = 0; c < 3; c++) {
				assert_float_equal((float)color.v[c], 0.5f, 0.02f);
			}
		}
		buffer_drop(buffer);
		buffer_drop(&target->base);
	}
}

/* Luma is filtered up to the edges of the buffer. */
static void crop_at_the_edge_of_video_is_sharp(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct renderer *gles = fixture->renderers[1];
	if (!format_set_has(&gles->texture_formats, DRM_FORMAT_YUYV, DRM_FORMAT_MOD_LINEAR)) {
		skip_because("the driver cannot sample YUV");
	}
	/* All but the first and the last column are grey. */
	struct buffer *buffer = create_cropped_video(&(struct box){1, 0, VIDEO_WIDTH - 2, 48});
	static const struct box left = {0, 0, 40, 40}, right = {24, 8, 40, 40};
	struct test_image *target = create_target(X);
	draw_crop(gles, buffer, &left, WL_OUTPUT_TRANSFORM_NORMAL, target);
	assert_float_equal((float)read_pixel(target, 0, 30).v[1], 1.0f, 0.02f);
	draw_crop(gles, buffer, &right, WL_OUTPUT_TRANSFORM_NORMAL, target);
	assert_float_equal((float)read_pixel(target, TARGET_WIDTH - 1, 30).v[1], 1.0f, 0.02f);
	buffer_drop(&target->base);
	buffer_drop(buffer);
}

/* Sampled through an external texture, where GL converts to RGB. */
static void video_is_sampled_in_the_default_matrix(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct renderer *gles = fixture->renderers[1];
	if (!format_set_has(&gles->texture_formats, DRM_FORMAT_YUYV, DRM_FORMAT_MOD_LINEAR)) {
		skip_because("the driver cannot sample YUV");
	}
	/* The primaries in BT.601 limited range, the default for small video. */
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
		struct test_image *target = create_target(X);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, renderers_setup, renderers_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cropped_video_ignores_its_padding),
		TEST(crop_at_the_edge_of_video_is_sharp),
		TEST(video_is_sampled_in_the_default_matrix),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
