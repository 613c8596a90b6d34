/* SPDX-License-Identifier: MIT */
/*
 * YUV conversion in both renderers, from shared memory and dma-bufs, compared with the formulas of
 * the standards in floating point.
 */

#include "harness/renderers.h"

#include "util/fd.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* In 1/255: error of rounding twice; the conversion in drivers' shaders is less exact. */
#define TOLERANCE 1.01
#define DRIVER_TOLERANCE 3

/*
 * Odd, so that the last chroma samples cover one column or row; drivers scale such chroma
 * differently.
 */
#define WIDTH 39
#define HEIGHT 27
#define EVEN_WIDTH 40
#define EVEN_HEIGHT 28

/* A YUV buffer in a memory file. */
struct film {
	struct buffer base;
	int fd;
	uint8_t *memory;
	size_t size, offsets[3], strides[3];
	struct dmabuf dmabuf;
	bool described;
};

static struct film *get_film(struct buffer *buffer)
{
	struct film *film = wl_container_of(buffer, film, base);
	return film;
}

static void film_destroy(struct buffer *buffer)
{
	struct film *film = get_film(buffer);
	buffer_finish(buffer);
	munmap(film->memory, film->size);
	dmabuf_finish(&film->dmabuf);
	fd_close(&film->fd);
	free(film);
}

static const struct dmabuf *film_dmabuf(struct buffer *buffer)
{
	struct film *film = get_film(buffer);
	return film->described ? &film->dmabuf : NULL;
}

static int film_begin(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	struct film *film = get_film(buffer);
	*data = film->memory + film->offsets[0];
	*stride = film->strides[0];
	return 0;
}

static bool film_end(struct buffer *buffer)
{
	return true;
}

static const struct buffer_impl film_impl = {
	.destroy = film_destroy,
	.dmabuf = film_dmabuf,
	.begin_access = film_begin,
	.end_access = film_end,
};

static void describe(struct film *film, const struct pixel_format *format)
{
	film->dmabuf.width = film->base.width;
	film->dmabuf.height = film->base.height;
	film->dmabuf.format = film->base.format;
	film->dmabuf.modifier = DRM_FORMAT_MOD_LINEAR;
	film->dmabuf.n_planes = format->n_planes;
	for (int i = 0; i < format->n_planes; i++) {
		film->dmabuf.fd[i] = fd_dup(film->fd);
		film->dmabuf.offset[i] = (uint32_t)film->offsets[i];
		film->dmabuf.stride[i] = (uint32_t)film->strides[i];
	}
}

/* Creates a buffer of noise, including codes outside of the legal range. */
static struct film *film_create(uint32_t fourcc, bool described, bool even)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	struct film *film = xcalloc(1, sizeof(*film));
	int32_t width = even ? EVEN_WIDTH : WIDTH, height = even ? EVEN_HEIGHT : HEIGHT;
	buffer_init(&film->base, &film_impl, width, height, fourcc);
	size_t stride = (size_t)(WIDTH + 25) * format->bytes[0];
	film->size = 0;
	for (int i = 0; i < format->n_planes; i++) {
		film->offsets[i] = film->size;
		film->strides[i] = pixel_format_plane_stride(format, i, stride);
		film->size +=
			film->strides[i] * (size_t)pixel_format_plane_height(format, i, height);
	}
	assert_int_equal(film->size, pixel_format_size(format, stride, height));
	film->fd = fd_create_memory("film", (off_t)film->size, true);
	film->memory = mmap(NULL, film->size, PROT_READ | PROT_WRITE, MAP_SHARED, film->fd, 0);
	assert_true(film->memory != MAP_FAILED);
	for (size_t i = 0; i < film->size; i++) {
		film->memory[i] = (uint8_t)random_between(0, 255);
	}
	film->described = described;
	dmabuf_init(&film->dmabuf);
	describe(film, format);
	return film;
}

/* The reference: positions of samples, by the definitions of the formats in drm_fourcc.h. */

static double sample(const struct film *film, int plane, size_t index, bool wide)
{
	const uint8_t *at = film->memory + film->offsets[plane] + index * (wide ? 2 : 1);
	/* Wide samples have their bits at the top: returns an 8-bit code with a fraction. */
	return wide ? (at[0] + at[1] * 256) / 256.0 : at[0];
}

static void read_codes(const struct film *film, int x, int y, double codes[static 3])
{
	uint32_t format = film->base.format;
	bool wide =
		format == DRM_FORMAT_P010 || format == DRM_FORMAT_P012 || format == DRM_FORMAT_P016;
	size_t unit = wide ? 2 : 1, rows[3];
	int half = y / 2, pair = x / 2;
	for (int i = 0; i < 3; i++) {
		rows[i] = film->strides[i] / unit;
	}
	codes[0] = sample(film, 0, (size_t)y * rows[0] + (size_t)x, wide);
	int u = 1, v = 2;
	switch (format) {
	case DRM_FORMAT_YUYV:
	case DRM_FORMAT_YVYU:
	case DRM_FORMAT_UYVY: {
		const uint8_t *four =
			film->memory + (size_t)y * film->strides[0] + (size_t)pair * 4;
		bool first = format != DRM_FORMAT_UYVY, swapped = format == DRM_FORMAT_YVYU;
		codes[0] = four[(x & 1) * 2 + (first ? 0 : 1)];
		codes[1] = four[first ? (swapped ? 3 : 1) : 0];
		codes[2] = four[first ? (swapped ? 1 : 3) : 2];
		return;
	}
	case DRM_FORMAT_NV12:
	case DRM_FORMAT_NV21:
	case DRM_FORMAT_NV16:
	case DRM_FORMAT_P010:
	case DRM_FORMAT_P012:
	case DRM_FORMAT_P016: {
		int row = format == DRM_FORMAT_NV16 ? y : half;
		size_t at = (size_t)row * rows[1] + (size_t)pair * 2;
		bool swapped = format == DRM_FORMAT_NV21;
		codes[1] = sample(film, 1, at + (swapped ? 1 : 0), wide);
		codes[2] = sample(film, 1, at + (swapped ? 0 : 1), wide);
		return;
	}
	case DRM_FORMAT_YVU420:
		u = 2;
		v = 1;
		/* fall through */
	case DRM_FORMAT_YUV420:
		codes[1] = sample(film, u, (size_t)half * rows[u] + (size_t)pair, false);
		codes[2] = sample(film, v, (size_t)half * rows[v] + (size_t)pair, false);
		return;
	case DRM_FORMAT_YUV422:
		codes[1] = sample(film, 1, (size_t)y * rows[1] + (size_t)pair, false);
		codes[2] = sample(film, 2, (size_t)y * rows[2] + (size_t)pair, false);
		return;
	case DRM_FORMAT_YUV444:
		codes[1] = sample(film, 1, (size_t)y * rows[1] + (size_t)x, false);
		codes[2] = sample(film, 2, (size_t)y * rows[2] + (size_t)x, false);
		return;
	default: fail();
	}
}

/* Returns the largest full-range code, as an 8-bit code with a fraction. */
static double greatest(uint32_t format)
{
	return format == DRM_FORMAT_P010   ? 1023 / 4.0
	       : format == DRM_FORMAT_P012 ? 4095 / 16.0
	       : format == DRM_FORMAT_P016 ? 65535 / 256.0
					   : 255;
}

struct matrix {
	enum color_matrix name;
	double red, green, blue; /* weights in luma */
};

static const struct matrix matrices[] = {
	{COLOR_MATRIX_BT601, 0.299, 0.587, 0.114},
	{COLOR_MATRIX_BT709, 0.2126, 0.7152, 0.0722},
	{COLOR_MATRIX_BT2020, 0.2627, 0.678, 0.0593},
};

static double clamp(double value)
{
	return value < 0 ? 0 : value > 1 ? 1 : value;
}

/*
 * E'Y = r E'R + g E'G + b E'B; E'PB = (E'B - E'Y) / (2 (1 - b)); E'PR = (E'R - E'Y) / (2 (1 - r)).
 */
static struct rgba to_rgb(
	const double codes[static 3], const struct matrix *m, bool full, double most)
{
	double luma = full ? codes[0] / most : (codes[0] - 16) / 219;
	double pb = full ? (codes[1] - 128) / most : (codes[1] - 128) / 224;
	double pr = full ? (codes[2] - 128) / most : (codes[2] - 128) / 224;
	double red = luma + 2 * (1 - m->red) * pr, blue = luma + 2 * (1 - m->blue) * pb;
	double green = (luma - m->red * red - m->blue * blue) / m->green;
	return (struct rgba){{clamp(red), clamp(green), clamp(blue), 1}};
}

static void draw_expected(
	struct test_image *target, const struct film *film, const struct matrix *matrix, bool full)
{
	for (int y = 0; y < film->base.height; y++) {
		for (int x = 0; x < film->base.width; x++) {
			double codes[3] = {0};
			read_codes(film, x, y, codes);
			struct rgba color =
				to_rgb(codes, matrix, full, greatest(film->base.format));
			write_pixel(target, x, y, &color);
		}
	}
}

static void draw_film(struct renderer *renderer, struct test_image *target, struct film *film,
	struct texture **texture, const pixman_region32_t *damage)
{
	bool holds;
	pixman_region32_t clip;
	init_clip(&clip, false);
	assert_true(renderer_texture_update(renderer, texture, &film->base, damage, &holds));
	draw_whole(renderer, target, *texture, &clip);
	pixman_region32_fini(&clip);
}

static void check(struct renderer *renderer, uint32_t format, bool described,
	const struct matrix *matrix, bool full)
{
	struct film *film = film_create(format, described, described && !renderer->cpu);
	struct test_image *expected = create_target(DRM_FORMAT_XRGB8888);
	struct test_image *actual = create_target(DRM_FORMAT_XRGB8888);
	struct texture *texture = NULL;
	film->base.coding =
		(struct color_coding){matrix->name, full ? COLOR_RANGE_FULL : COLOR_RANGE_LIMITED};
	draw_expected(expected, film, matrix, full);
	draw_film(renderer, actual, film, &texture, NULL);
	char name[5], scene[80];
	snprintf(scene, sizeof(scene), "%s%s, matrix %d, %s range", pixel_format_name(format, name),
		described ? " dma-buf" : "", (int)matrix->name, full ? "full" : "limited");
	assert_images(scene, renderer->impl->name, actual, expected,
		described && !renderer->cpu ? DRIVER_TOLERANCE : TOLERANCE);
	texture_destroy(texture);
	buffer_drop(&actual->base);
	buffer_drop(&expected->base);
	buffer_drop(&film->base);
}

static void check_all(struct renderer *renderer, uint32_t format, bool described)
{
	for (size_t i = 0; i < sizeof(matrices) / sizeof(matrices[0]); i++) {
		check(renderer, format, described, &matrices[i], false);
		check(renderer, format, described, &matrices[i], true);
	}
}

static const uint32_t promised[] = {
	DRM_FORMAT_NV12, DRM_FORMAT_P010, DRM_FORMAT_YUYV, DRM_FORMAT_YUV420, DRM_FORMAT_YVU420};

static void shm_conversion_matches_the_standards(void **state)
{
	struct renderer_fixture *fixture = *state;
	for (int r = 0; r < 2; r++) {
		struct renderer *renderer = fixture->renderers[r];
		size_t found = 0;
		for (size_t i = 0; i < renderer->n_shm_formats; i++) {
			uint32_t format = renderer->shm_formats[i];
			if (!pixel_format_get(format)->yuv) {
				continue;
			}
			check_all(renderer, format, false);
			for (size_t p = 0; p < sizeof(promised) / sizeof(promised[0]); p++) {
				found += promised[p] == format;
			}
		}
		assert_int_equal(found, sizeof(promised) / sizeof(promised[0]));
	}
}

static void dmabuf_conversion_matches_the_standards(void **state)
{
	struct renderer_fixture *fixture = *state;
	for (int r = 0; r < 2; r++) {
		struct renderer *renderer = fixture->renderers[r];
		for (size_t i = 0; i < renderer->texture_formats.n_formats; i++) {
			uint32_t format = renderer->texture_formats.formats[i].format;
			if (pixel_format_get(format)->yuv &&
				format_set_has(&renderer->texture_formats, format,
					DRM_FORMAT_MOD_LINEAR)) {
				check_all(renderer, format, true);
			}
		}
		/* Mesa's software drivers import only formats with one plane. */
		assert_true(format_set_has(&renderer->texture_formats,
			renderer->cpu ? DRM_FORMAT_NV12 : DRM_FORMAT_YUYV, DRM_FORMAT_MOD_LINEAR));
	}
}

static void only_damage_is_converted(void **state)
{
	struct renderer_fixture *fixture = *state;
	for (int r = 0; r < 2; r++) {
		struct renderer *renderer = fixture->renderers[r];
		struct film *film = film_create(DRM_FORMAT_NV12, false, false);
		struct test_image *actual = create_target(DRM_FORMAT_XRGB8888);
		struct test_image *expected = create_target(DRM_FORMAT_XRGB8888);
		struct texture *texture = NULL;
		pixman_region32_t damage;
		pixman_region32_init_rect(&damage, 3, 5, 7, 4);
		draw_film(renderer, actual, film, &texture, NULL);
		memset(film->memory, 0x80, film->size);
		uint64_t before = renderer->stats.bytes_uploaded;
		draw_film(renderer, actual, film, &texture, &damage);
		assert_int_equal(renderer->stats.bytes_uploaded - before, 7 * 4 * 4);
		draw_expected(expected, film, &matrices[0], false);
		for (int y = 5; y < 9; y++) {
			for (int x = 3; x < 10; x++) {
				struct rgba color = read_pixel(expected, x, y);
				struct rgba drawn = read_pixel(actual, x, y);
				assert_true(fabs(color.v[0] - drawn.v[0]) * 255 <= TOLERANCE);
			}
		}
		texture_destroy(texture);
		pixman_region32_fini(&damage);
		buffer_drop(&actual->base);
		buffer_drop(&expected->base);
		buffer_drop(&film->base);
	}
}

/* The same buffer with another matrix or range is converted again at the next update. */
static void new_color_representation_converts_again(void **state)
{
	struct renderer_fixture *fixture = *state;
	for (int i = 0; i < 4; i++) {
		struct renderer *renderer = fixture->renderers[i / 2];
		struct film *film = film_create(DRM_FORMAT_YUYV, i % 2, true);
		struct texture *texture = NULL;
		for (int full = 0; full < 2; full++) {
			struct test_image *actual = create_target(DRM_FORMAT_XRGB8888);
			struct test_image *expected = create_target(DRM_FORMAT_XRGB8888);
			film->base.coding = (struct color_coding){
				COLOR_MATRIX_BT709, full ? COLOR_RANGE_FULL : COLOR_RANGE_LIMITED};
			draw_film(renderer, actual, film, &texture, NULL);
			draw_expected(expected, film, &matrices[1], full);
			assert_images("coded anew", renderer->impl->name, actual, expected,
				DRIVER_TOLERANCE);
			buffer_drop(&actual->base);
			buffer_drop(&expected->base);
		}
		texture_destroy(texture);
		buffer_drop(&film->base);
	}
}

/* The CPU reads only dma-bufs whose planes follow each other in one file. */
static void separate_plane_files_are_refused(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct renderer *renderer = fixture->renderers[0];
	struct film *film = film_create(DRM_FORMAT_NV12, true, false);
	struct film *other = film_create(DRM_FORMAT_NV12, true, false);
	assert_true(renderer->cpu);
	assert_true(renderer->impl->test_import(renderer, &film->dmabuf));
	struct dmabuf bad = film->dmabuf;
	bad.fd[1] = other->dmabuf.fd[1];
	assert_false(renderer->impl->test_import(renderer, &bad));
	bad = film->dmabuf;
	bad.offset[0] = bad.offset[1];
	bad.offset[1] = 0;
	assert_false(renderer->impl->test_import(renderer, &bad));
	bad = film->dmabuf;
	bad.n_planes = 1;
	assert_false(renderer->impl->test_import(renderer, &bad));
	buffer_drop(&other->base);
	buffer_drop(&film->base);
}

/* The default matrix depends on the size. */
static void default_matrix_depends_on_the_size(void **state)
{
	static const struct {
		int32_t width, height;
		enum color_matrix matrix;
	} table[] = {
		{720, 576, COLOR_MATRIX_BT601},
		{320, 240, COLOR_MATRIX_BT601},
		{1279, 576, COLOR_MATRIX_BT601},
		{1280, 536, COLOR_MATRIX_BT709},
		{1024, 577, COLOR_MATRIX_BT709},
		{3840, 2160, COLOR_MATRIX_BT709},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct color_coding coding = color_coding_resolve(
			(struct color_coding){0}, table[i].width, table[i].height);
		assert_int_equal(coding.matrix, table[i].matrix);
		assert_int_equal(coding.range, COLOR_RANGE_LIMITED);
	}
	struct color_coding said = {COLOR_MATRIX_BT2020, COLOR_RANGE_FULL};
	assert_true(color_coding_equal(color_coding_resolve(said, 320, 240), said));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shm_conversion_matches_the_standards),
		cmocka_unit_test(dmabuf_conversion_matches_the_standards),
		cmocka_unit_test(only_damage_is_converted),
		cmocka_unit_test(new_color_representation_converts_again),
		cmocka_unit_test(separate_plane_files_are_refused),
		cmocka_unit_test(default_matrix_depends_on_the_size),
	};
	return cmocka_run_group_tests(tests, renderers_setup, renderers_teardown);
}
