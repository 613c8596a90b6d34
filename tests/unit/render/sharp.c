/* SPDX-License-Identifier: MIT */
/* The sharp filter: closer to a finer picture than interpolation, and without ringing. */

#include "harness/renderers.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

#define X DRM_FORMAT_XRGB8888
/* Two thirds, as of 2560x1440 on 3840x2160. */
#define FINE_WIDTH 96
#define FINE_HEIGHT 60
#define WIDTH 64
#define HEIGHT 40
#define SAMPLES 8

/** Pictures of size 1x1, in grey. */
typedef double picture(double x, double y);

static double disc(double x, double y)
{
	return hypot(x - 0.5, (y - 0.5) * HEIGHT / WIDTH) < 0.25 ? 0.9 : 0.1;
}

static double slants(double x, double y)
{
	return fmod(x * 7 + y * 2 + 1, 1) < 0.5 ? 0.2 : 0.8;
}

static double slants_back(double x, double y)
{
	return slants(1 - x, y);
}

static double steps(double x, double y)
{
	return (x > 0.37) + (y > 0.61) * 0.5 > 0.7 ? 0.85 : 0.15;
}

/* Returns the mean of the picture over a pixel. */
static double mean(picture *draw, int x, int y, int width, int height)
{
	double sum = 0;
	for (int i = 0; i < SAMPLES * SAMPLES; i++) {
		sum += draw((x + (i % SAMPLES + 0.5) / SAMPLES) / width,
			(y + (i / SAMPLES + 0.5) / SAMPLES) / height);
	}
	return sum / (SAMPLES * SAMPLES);
}

static struct test_image *create_source(picture *draw)
{
	struct test_image *source = test_image_create(WIDTH, HEIGHT, X, false, 0);
	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		const double grey = mean(draw, i % WIDTH, i / WIDTH, WIDTH, HEIGHT);
		write_pixel(source, i % WIDTH, i / WIDTH, &(struct rgba){{grey, grey, grey, 1}});
	}
	return source;
}

static struct test_image *enlarge(
	struct renderer *renderer, struct test_image *source, enum render_filter filter)
{
	struct test_image *target = create_target(X);
	struct texture *texture = NULL;
	bool holds;
	pixman_region32_t clip;
	init_clip(&clip, false);
	assert_true(renderer_texture_update(renderer, &texture, &source->base, NULL, &holds));
	struct render_pass *pass = renderer_begin(renderer, &target->base, -1);
	const struct render_texture_options options = {
		.texture = texture,
		.src = {0, 0, WIDTH, HEIGHT},
		.dst = {0, 0, FINE_WIDTH, FINE_HEIGHT},
		.alpha = 1,
		.clip = &clip,
		.filter = filter,
		.opaque = true,
	};
	render_pass_add_texture(pass, &options);
	submit(pass);
	texture_destroy(texture);
	pixman_region32_fini(&clip);
	return target;
}

/* Returns the mean square of the differences from the finer picture. */
static double error_of(struct renderer *renderer, picture *draw, enum render_filter filter)
{
	struct test_image *source = create_source(draw);
	struct test_image *target = enlarge(renderer, source, filter);
	double sum = 0;
	for (int y = 2; y < FINE_HEIGHT - 2; y++) {
		for (int x = 2; x < FINE_WIDTH - 2; x++) {
			const double difference = read_pixel(target, x, y).v[0] -
						  mean(draw, x, y, FINE_WIDTH, FINE_HEIGHT);
			sum += difference * difference;
		}
	}
	buffer_drop(&target->base);
	buffer_drop(&source->base);
	return sum / ((FINE_WIDTH - 4) * (FINE_HEIGHT - 4));
}

static double decibels(double error)
{
	return -10 * log10(error);
}

static void sharp_filter_is_closer_to_the_finer_picture(void **state)
{
	struct renderer_fixture *fixture = *state;
	static const struct {
		const char *name;
		picture *draw;
		double gain; /* dB */
	} pictures[] = {{"disc", disc, 6.5}, {"slants", slants, 6}, {"slants back", slants_back, 6},
		{"steps", steps, 1}};
	for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++) {
		const double linear = decibels(
			error_of(fixture->renderers[1], pictures[i].draw, RENDER_FILTER_BILINEAR));
		const double sharp = decibels(
			error_of(fixture->renderers[1], pictures[i].draw, RENDER_FILTER_SHARP));
		print_message(
			"%s: linear %.1f dB, sharp %.1f dB\n", pictures[i].name, linear, sharp);
		assert_true(sharp > linear + pictures[i].gain);
	}
}

/* Each pixel is between the darkest and the brightest texel: edges have no halo. */
static void sharp_filter_does_not_ring(void **state)
{
	struct renderer_fixture *fixture = *state;
	struct test_image *source = create_source(steps);
	struct test_image *target = enlarge(fixture->renderers[1], source, RENDER_FILTER_SHARP);
	for (int i = 0; i < FINE_WIDTH * FINE_HEIGHT; i++) {
		const double grey = read_pixel(target, i % FINE_WIDTH, i / FINE_WIDTH).v[0];
		assert_true(grey > 0.15 - 0.01 && grey < 0.85 + 0.01);
	}
	/* Areas of one colour keep it, also at the edges of the texture. */
	assert_pixel(target, 0, 0, &(struct rgba){{0.15, 0.15, 0.15, 1}});
	assert_pixel(target, FINE_WIDTH - 1, 0, &(struct rgba){{0.85, 0.85, 0.85, 1}});
	buffer_drop(&target->base);
	buffer_drop(&source->base);
}

/* Without the filter, or without enlarging, the result is that of interpolation. */
static void other_renderer_interpolates(void **state)
{
	struct renderer_fixture *fixture = *state;
	const double linear = error_of(fixture->renderers[0], disc, RENDER_FILTER_BILINEAR);
	assert_true(error_of(fixture->renderers[0], disc, RENDER_FILTER_SHARP) == linear);
}

/* Prints the time of frames of 2560x1440 on 3840x2160, with SHARP_TIME set. */
static void time_of_a_frame(void **state)
{
	struct renderer_fixture *fixture = *state;
	if (!getenv("SHARP_TIME")) {
		return;
	}
	struct test_image *source = test_image_create(2560, 1440, X, false, 0);
	struct test_image *target = test_image_create(3840, 2160, X, true, 0);
	struct texture *texture = NULL;
	bool holds;
	pixman_region32_t clip;
	pixman_region32_init_rect(&clip, 0, 0, 3840, 2160);
	fill_noise(source);
	assert_true(renderer_texture_update(
		fixture->renderers[1], &texture, &source->base, NULL, &holds));
	for (int filter = 0; filter < 3; filter += 2) {
		struct timespec begin, end;
		for (int i = 0; i < 6; i++) {
			if (i == 1) {
				clock_gettime(CLOCK_MONOTONIC, &begin); /* the program is built */
			}
			struct render_pass *pass =
				renderer_begin(fixture->renderers[1], &target->base, -1);
			const struct render_texture_options options = {
				.texture = texture,
				.src = {0, 0, 2560, 1440},
				.dst = {0, 0, 3840, 2160},
				.alpha = 1,
				.clip = &clip,
				.filter = (enum render_filter)filter,
				.opaque = true,
			};
			render_pass_add_texture(pass, &options);
			submit(pass);
		}
		clock_gettime(CLOCK_MONOTONIC, &end);
		print_message("%s: %.1f ms per frame\n", filter ? "sharp" : "linear",
			((double)(end.tv_sec - begin.tv_sec) * 1e3 +
				(double)(end.tv_nsec - begin.tv_nsec) / 1e6) /
				5);
	}
	texture_destroy(texture);
	pixman_region32_fini(&clip);
	buffer_drop(&target->base);
	buffer_drop(&source->base);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, renderers_setup, renderers_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sharp_filter_is_closer_to_the_finer_picture),
		TEST(sharp_filter_does_not_ring),
		TEST(other_renderer_interpolates),
		TEST(time_of_a_frame),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
