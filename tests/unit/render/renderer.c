/* SPDX-License-Identifier: MIT */
/*
 * Render passes of both renderers, compared with each other and with a slow reference that computes
 * each pixel from the definitions.
 */

#include "harness/renderers.h"

#include "render/gles/gles_renderer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Error in 1/255: pixman's weights have 7 bits, llvmpipe's 8, and blending rounds. */
#define TOLERANCE 2

static const struct rgba red = {{1, 0, 0, 1}}, green = {{0, 1, 0, 1}};

/* Draws one texture into the target. */
static void draw_image(struct renderer *renderer, struct test_image *target,
	struct test_image *source, const struct render_texture_options *options)
{
	struct render_texture_options draw = *options;
	bool holds;
	draw.texture = NULL;
	assert_true(renderer_texture_update(renderer, &draw.texture, &source->base, NULL, &holds));
	struct render_pass *pass = renderer_begin(renderer, &target->base, -1);
	assert_non_null(pass);
	render_pass_add_texture(pass, &draw);
	submit(pass);
	texture_destroy(draw.texture);
}

/*
 * The reference. A flipped transform first mirrors left and right; transforms then rotate
 * counter-clockwise. This undoes the steps in reverse order.
 */
static void find_source(enum wl_output_transform transform, double *u, double *v)
{
	for (int quarters = transform & 3; quarters > 0; --quarters) {
		double x = *u;
		*u = 1 - *v;
		*v = x;
	}
	if (transform & WL_OUTPUT_TRANSFORM_FLIPPED) {
		*u = 1 - *u;
	}
}

static int clamp_int(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

static struct rgba sample(const struct test_image *source,
	const struct render_texture_options *options, double u, double v)
{
	const struct fbox *src = &options->src;
	int x1 = (int)floor(src->x), y1 = (int)floor(src->y);
	int x2 = (int)ceil(src->x + src->width) - 1, y2 = (int)ceil(src->y + src->height) - 1;
	double x = src->x + u * src->width, y = src->y + v * src->height;
	if (options->filter == RENDER_FILTER_NEAREST) {
		/* Ties go to the texel to the right or below. */
		return read_pixel(source, clamp_int((int)floor(x + 1e-6), x1, x2),
			clamp_int((int)floor(y + 1e-6), y1, y2));
	}
	x -= 0.5;
	y -= 0.5;
	double fx = x - floor(x), fy = y - floor(y);
	struct rgba result = {{0}};
	for (int i = 0; i < 4; ++i) {
		int sx = (int)floor(x) + (i & 1), sy = (int)floor(y) + (i >> 1);
		double weight = (i & 1 ? fx : 1 - fx) * (i >> 1 ? fy : 1 - fy);
		struct rgba texel =
			read_pixel(source, clamp_int(sx, x1, x2), clamp_int(sy, y1, y2));
		for (int c = 0; c < 4; ++c) {
			result.v[c] += weight * texel.v[c];
		}
	}
	return result;
}

static void blend(
	struct test_image *target, int x, int y, struct rgba color, double factor, bool over)
{
	struct rgba below = read_pixel(target, x, y);
	double alpha = color.v[3] * factor;
	for (int c = 0; c < 4; ++c) {
		color.v[c] = color.v[c] * factor + (over ? below.v[c] * (1 - alpha) : 0);
	}
	write_pixel(target, x, y, &color);
}

static void draw_reference(struct test_image *target, const struct test_image *source,
	const struct render_texture_options *options)
{
	bool over = options->alpha < 1 ||
		    (!options->opaque && pixel_format_get(source->base.format)->has_alpha);
	const struct box *dst = &options->dst;
	for (int y = 0; y < target->base.height; ++y) {
		for (int x = 0; x < target->base.width; ++x) {
			if (!box_contains_point(dst, x, y) ||
				!pixman_region32_contains_point(
					(pixman_region32_t *)options->clip, x, y, NULL)) {
				continue;
			}
			double u = (x + 0.5 - dst->x) / dst->width;
			double v = (y + 0.5 - dst->y) / dst->height;
			find_source(options->transform, &u, &v);
			blend(target, x, y, sample(source, options, u, v), options->alpha, over);
		}
	}
}

/* One texture over the backdrop. */
struct scene {
	const char *name;
	uint32_t format;
	int32_t width, height;
	struct fbox src; /* empty: the whole texture */
	struct box dst;
	double alpha; /* 0: opaque */
	enum render_filter filter;
	bool opaque, pieces, dmabuf;
	int tolerance;
};

#define A DRM_FORMAT_ARGB8888
#define X DRM_FORMAT_XRGB8888
#define NEAREST RENDER_FILTER_NEAREST
#define T TOLERANCE

static const struct scene scenes[] = {
	{"opaque 1:1", X, 40, 40, .dst = {10, 12, 40, 40}},
	{"opaque 1:1 in pieces", X, 40, 40, .dst = {10, 12, 40, 40}, .pieces = true},
	{"1:1 said to be opaque", A, 40, 40, .dst = {3, 4, 40, 40}, .opaque = true},
	{"all of the target", X, TARGET_WIDTH, TARGET_HEIGHT,
		.dst = {0, 0, TARGET_WIDTH, TARGET_HEIGHT}},
	{"1:1 beyond the target", X, 80, 80, .dst = {-20, -10, 80, 80}},
	{"1:1 part", X, 40, 40, {5, 6, 20, 22}, {10, 12, 20, 22}},
	{"1:1 dma-buf", X, 40, 40, .dst = {10, 12, 40, 40}, .dmabuf = true},
	{"blended 1:1", A, 40, 40, .dst = {10, 12, 40, 40}, .tolerance = T},
	{"blended 1:1 dma-buf", A, 40, 40, .dst = {10, 12, 40, 40}, .dmabuf = true, .tolerance = T},
	{"blended part in pieces", A, 40, 40, {5, 6, 20, 22}, {10, 12, 20, 22}, .pieces = true,
		.tolerance = T},
	{"alpha", X, 40, 40, .dst = {10, 12, 40, 40}, .alpha = 0.6, .tolerance = T},
	{"alpha of translucent", A, 40, 40, .dst = {10, 12, 40, 40}, .alpha = 0.3, .tolerance = T},
	{"alpha of opaque part", A, 40, 40, .dst = {10, 12, 40, 40}, .alpha = 0.3, .opaque = true,
		.tolerance = T},
	{"twice as large", X, 20, 24, .dst = {10, 6, 40, 48}, .tolerance = T},
	{"five quarters", X, 40, 40, .dst = {10, 6, 50, 50}, .tolerance = T},
	{"odd scale", A, 23, 31, .dst = {1, 2, 89, 57}, .tolerance = T},
	{"odd scale in pieces", A, 23, 31, .dst = {1, 2, 89, 57}, .pieces = true, .tolerance = T},
	{"half", X, 120, 100, .dst = {10, 6, 60, 50}, .tolerance = T},
	{"two thirds", X, 60, 60, .dst = {10, 6, 40, 40}, .tolerance = T},
	{"a third with alpha", A, 120, 120, .dst = {10, 6, 40, 40}, .alpha = 0.5, .tolerance = T},
	{"scaled part", X, 40, 40, {10, 10, 8, 8}, {10, 6, 40, 40}, .tolerance = T},
	{"scaled fractional part", A, 40, 40, {10.5, 7.25, 8.5, 13}, {10, 6, 51, 47},
		.tolerance = T},
	{"moved by half a texel", X, 40, 40, {0.5, 0.5, 30, 30}, {10, 6, 30, 30}, .tolerance = T},
	{"one texel", X, 9, 9, {4, 4, 1, 1}, {10, 6, 50, 47}},
	{"scaled dma-buf", A, 23, 31, .dst = {1, 2, 89, 57}, .dmabuf = true, .tolerance = T},
	{"scaled dma-buf part", A, 23, 31, {3, 4, 7, 9}, {1, 2, 89, 57}, .dmabuf = true,
		.tolerance = T},
	{"nearest, three times as large", X, 20, 18, .dst = {10, 3, 60, 54}, .filter = NEAREST},
	{"nearest, odd scale", X, 23, 31, .dst = {1, 2, 89, 57}, .filter = NEAREST},
	{"nearest, half", X, 120, 100, .dst = {10, 6, 60, 50}, .filter = NEAREST},
	{"nearest part", X, 40, 40, {10, 10, 8, 8}, {10, 6, 40, 40}, .filter = NEAREST},
	{"nearest, blended", A, 20, 18, .dst = {10, 3, 60, 54}, .filter = NEAREST, .tolerance = T},
};

static void set_options(struct render_texture_options *options, const struct scene *scene,
	const pixman_region32_t *clip)
{
	*options = (struct render_texture_options){
		.src = scene->src,
		.dst = scene->dst,
		.alpha = scene->alpha > 0 ? (float)scene->alpha : 1,
		.clip = clip,
		.filter = scene->filter,
		.opaque = scene->opaque,
	};
	if (scene->src.width <= 0) {
		options->src = (struct fbox){0, 0, scene->width, scene->height};
	}
}

/* Draws a scene with all eight transforms. */
static void check_scene(struct renderer_fixture *fixture, const struct scene *scene)
{
	pixman_region32_t clip;
	init_clip(&clip, scene->pieces);
	struct test_image *source =
		test_image_create(scene->width, scene->height, scene->format, scene->dmabuf, 0);
	fill_noise(source);
	for (int transform = 0; transform < 8; ++transform) {
		struct render_texture_options options;
		set_options(&options, scene, &clip);
		options.transform = (enum wl_output_transform)transform;
		if (transform_swaps(options.transform)) {
			options.dst.width = scene->dst.height;
			options.dst.height = scene->dst.width;
		}
		struct test_image *expected = create_target(X), *actual[2];
		draw_reference(expected, source, &options);
		char name[100];
		snprintf(name, sizeof(name), "%s, transform %d", scene->name, transform);
		for (int i = 0; i < 2; ++i) {
			actual[i] = create_target(X);
			draw_image(fixture->renderers[i], actual[i], source, &options);
			assert_images(name, fixture->renderers[i]->impl->name, actual[i], expected,
				scene->tolerance);
		}
		/* In noise of full contrast, the renderers' errors can have opposite signs. */
		assert_images(name, "GLES compared with pixman", actual[0], actual[1],
			scene->tolerance > 0 ? scene->tolerance + 1 : 0);
		buffer_drop(&actual[0]->base);
		buffer_drop(&actual[1]->base);
		buffer_drop(&expected->base);
	}
	buffer_drop(&source->base);
	pixman_region32_fini(&clip);
}

static void scenes_match_the_reference(void **state)
{
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); ++i) {
		check_scene(*state, &scenes[i]);
	}
}

/*
 * Checks a format from shm or a dma-buf, with `extra` bytes of padding at the start and in each
 * row.
 */
static void check_format(struct renderer *renderer, uint32_t format, bool described, size_t extra)
{
	pixman_region32_t clip;
	init_clip(&clip, false);
	struct test_image *source = test_image_create(31, 29, format, described, extra);
	fill_noise(source);
	struct render_texture_options options = {
		.src = {0, 0, 31, 29},
		.dst = {4, 5, 31, 29},
		.alpha = 1,
		.clip = &clip,
		.filter = NEAREST,
	};
	struct test_image *expected = create_target(X), *actual = create_target(X);
	draw_reference(expected, source, &options);
	draw_image(renderer, actual, source, &options);
	char name[5], scene[64];
	snprintf(scene, sizeof(scene), "format %s%s, %zu odd bytes",
		pixel_format_name(format, name), described ? " dma-buf" : "", extra);
	assert_images(scene, renderer->impl->name, actual, expected, TOLERANCE);
	buffer_drop(&actual->base);
	buffer_drop(&expected->base);
	buffer_drop(&source->base);
	pixman_region32_fini(&clip);
}

static void every_format_is_sampled_exactly(void **state)
{
	struct renderer_fixture *fixture = *state;
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		bool found[2] = {false, false};
		for (size_t i = 0; i < renderer->n_shm_formats; ++i) {
			uint32_t format = renderer->shm_formats[i];
			size_t bytes = pixel_format_get(format)->bytes[0];
			if (pixel_format_get(format)->yuv) {
				continue; /* see convert.c */
			}
			check_format(renderer, format, false, 0);
			check_format(renderer, format, false, bytes);
			check_format(renderer, format, false, bytes + 1);
			found[0] |= format == A;
			found[1] |= format == X;
		}
		/* wl_shm requires these two. */
		assert_true(found[0] && found[1]);
		for (size_t i = 0; i < renderer->texture_formats.n_formats; ++i) {
			uint32_t format = renderer->texture_formats.formats[i].format;
			const struct pixel_format *info = pixel_format_get(format);
			assert_non_null(info);
			if (!info->yuv && format != DRM_FORMAT_R8 && format != DRM_FORMAT_GR88) {
				check_format(renderer, format, true, 0);
			}
		}
		assert_true(format_set_has(&renderer->target_formats, X, DRM_FORMAT_MOD_LINEAR));
	}
}

static void rectangles_blend_or_overwrite(void **state)
{
	struct renderer_fixture *fixture = *state;
	static const struct rgba opaque = {{1, 0.5, 0, 1}}, veil = {{0.2, 0.1, 0.3, 0.4}};
	struct box box = {5, 6, 50, 40}, inner = {20, 20, 10, 10};
	pixman_region32_t clip;
	init_clip(&clip, true);
	struct test_image *expected = create_target(A);
	for (int y = 0; y < TARGET_HEIGHT; ++y) {
		for (int x = 0; x < TARGET_WIDTH; ++x) {
			bool inside = pixman_region32_contains_point(&clip, x, y, NULL);
			if (inside && box_contains_point(&box, x, y)) {
				blend(expected, x, y, opaque, 1, false);
				blend(expected, x, y, veil, 1, true);
			}
			if (inside && box_contains_point(&inner, x, y)) {
				blend(expected, x, y, veil, 1, false);
			}
		}
	}
	for (int i = 0; i < 2; ++i) {
		struct test_image *actual = create_target(A);
		struct render_pass *pass = renderer_begin(fixture->renderers[i], &actual->base, -1);
		add_rect(pass, &box, &opaque, &clip, false);
		add_rect(pass, &box, &veil, &clip, false);
		add_rect(pass, &inner, &veil, &clip, true);
		submit(pass);
		assert_images("rects", fixture->renderers[i]->impl->name, actual, expected, 1);
		buffer_drop(&actual->base);
	}
	buffer_drop(&expected->base);
	pixman_region32_fini(&clip);
}

static void color_buffers_are_drawn_as_rectangles(void **state)
{
	struct renderer_fixture *fixture = *state;
	pixman_region32_t clip;
	init_clip(&clip, false);
	struct test_image *source = test_image_create(1, 1, A, false, 0);
	source->is_color = true;
	static const struct rgba color = {{0.5, 0.25, 0, 0.5}};
	for (int c = 0; c < 4; ++c) {
		source->color[c] = (float)color.v[c];
	}
	write_pixel(source, 0, 0, &color);
	struct render_texture_options options = {
		.src = {0, 0, 1, 1},
		.dst = {7, 8, 33, 22},
		.transform = WL_OUTPUT_TRANSFORM_90,
		.alpha = 0.5f,
		.clip = &clip,
	};
	struct test_image *expected = create_target(X);
	draw_reference(expected, source, &options);
	for (int i = 0; i < 2; ++i) {
		struct test_image *actual = create_target(X);
		draw_image(fixture->renderers[i], actual, source, &options);
		assert_images("colour", fixture->renderers[i]->impl->name, actual, expected, 1);
		buffer_drop(&actual->base);
	}
	assert_int_equal(source->accesses, 0);
	buffer_drop(&expected->base);
	buffer_drop(&source->base);
	pixman_region32_fini(&clip);
}

/* Filtering must not read beyond the edge of the texture or of the source box, at any scale. */
static void filtering_stays_inside_the_source(void **state)
{
	struct renderer_fixture *fixture = *state;
	static const struct rgba white = {{1, 1, 1, 1}}, clear = {{0, 0, 0, 0}};
	pixman_region32_t clip;
	init_clip(&clip, false);
	for (int scale = 0; scale < 20; ++scale) {
		struct test_image *source = test_image_create(30, 30, A, false, 0);
		fill_image(source, &clear);
		for (int y = 8; y < 20; ++y) {
			for (int x = 8; x < 20; ++x) {
				write_pixel(source, x, y, &white);
			}
		}
		struct render_texture_options options = {
			.src = {8, 8, 12, 12},
			.dst = {10, 5, 4 + 3 * scale, 5 + 2 * scale},
			.alpha = 1,
			.clip = &clip,
			.filter = scale % 4 == 3 ? NEAREST : RENDER_FILTER_BILINEAR,
		};
		struct test_image *expected = create_target(X);
		draw_reference(expected, source, &options);
		for (int i = 0; i < 2; ++i) {
			struct test_image *actual = create_target(X);
			draw_image(fixture->renderers[i], actual, source, &options);
			assert_images(
				"edges", fixture->renderers[i]->impl->name, actual, expected, 0);
			buffer_drop(&actual->base);
		}
		buffer_drop(&expected->base);
		buffer_drop(&source->base);
	}
	pixman_region32_fini(&clip);
}

/* Empty draws are not counted; overdraw is. */
static void statistics_count_drawn_pixels(void **state)
{
	struct renderer_fixture *fixture = *state;
	for (int r = 0; r < 2; ++r) {
		struct renderer *renderer = fixture->renderers[r];
		struct test_image *target = create_target(X);
		struct box box = {-10, -10, 40, 30}, outside = {200, 0, 10, 10};
		struct box empty = {5, 5, 0, 10};
		pixman_region32_t clip, none;
		pixman_region32_init(&none);
		pixman_region32_init_rect(&clip, -5, 0, 10, 7);
		pixman_region32_union_rect(&clip, &clip, 20, 10, 30, 20);
		struct render_stats before = renderer->stats;
		struct render_pass *pass = renderer_begin(renderer, &target->base, -1);
		add_rect(pass, &box, &red, &clip, false);
		add_rect(pass, &box, &green, &clip, false);
		add_rect(pass, &outside, &red, &clip, false);
		add_rect(pass, &empty, &red, &clip, false);
		add_rect(pass, &box, &red, &none, false);
		submit(pass);
		assert_stats(renderer, &before,
			&(struct render_stats){
				.passes = 1, .draws = 2, .pixels_drawn = 2 * (5 * 7 + 10 * 10)});
		assert_pixel(target, 4, 6, &green);
		assert_pixel(target, 5, 6, &backdrop);
		assert_pixel(target, 29, 19, &green);
		assert_pixel(target, 30, 19, &backdrop);
		buffer_drop(&target->base);
		pixman_region32_fini(&clip);
		pixman_region32_fini(&none);
	}
}

static int64_t now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Returns the measured time (ns) of a pass that fills the box repeatedly. */
static int64_t measure(struct renderer *renderer, struct test_image *target, const struct box *box)
{
	pixman_region32_t clip;
	pixman_region32_init_rect(&clip, 0, 0, 2048, 2048);
	struct render_pass *pass = renderer_begin(renderer, &target->base, -1);
	uint64_t number = renderer->stats.passes;
	for (int layer = 0; layer < 8; layer++) {
		add_rect(pass, box, &red, &clip, false);
	}
	submit(pass);
	pixman_region32_fini(&clip);
	return renderer_pass_time(renderer, number);
}

/* With a driver that has timers, as llvmpipe: a large pass takes longer than a small one. */
static void large_pass_takes_longer(void **state)
{
	static const struct box small = {0, 0, 1, 1}, large = {0, 0, 2048, 2048};
	struct renderer_fixture *fixture = *state;
	struct renderer *base = fixture->renderers[1];
	const struct gles_renderer *gles = wl_container_of(base, gles, base);
	if (!gles->egl->has.timers) {
		skip_because("this driver has no timers");
	}
	struct test_image *target = test_image_create(2048, 2048, X, true, 0);
	/* llvmpipe's first result is invalid and discarded. */
	measure(base, target, &small);
	int64_t before = now(), took = measure(base, target, &large);
	assert_in_range(took, 1, now() - before);
	/* Repeats until no other work on the machine disturbs the measurement. */
	int tries = 0;
	int64_t least;
	do {
		/* Most small passes are not measured. */
		least = measure(base, target, &small);
		assert_true(++tries < 10000);
	} while (least < 0 || least >= took);
	buffer_drop(&target->base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			scenes_match_the_reference, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			every_format_is_sampled_exactly, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			rectangles_blend_or_overwrite, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			color_buffers_are_drawn_as_rectangles, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			filtering_stays_inside_the_source, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			statistics_count_drawn_pixels, renderers_setup, renderers_teardown),
		cmocka_unit_test_setup_teardown(
			large_pass_takes_longer, renderers_setup, renderers_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
