/* SPDX-License-Identifier: MIT */
/* Regions of copies: whole chroma samples, since a changed pixel changes the color of neighbors. */

#include "harness/unit.h"
#include "staging/ring.h"
#include "util/region.h"
#include <drm_fourcc.h>

#define WIDTH 23
#define HEIGHT 17

static bool has(const pixman_region32_t *region, int x, int y)
{
	return pixman_region32_contains_point((pixman_region32_t *)region, x, y, NULL);
}

/* Compares with the pixels that share a sample with a pixel of the region. */
static void expect_samples(const pixman_region32_t *before, const pixman_region32_t *after)
{
	for (int y = 0; y < HEIGHT + 2; y++) {
		for (int x = 0; x < WIDTH + 2; x++) {
			bool wanted = false;
			for (int i = 0; i < 4; i++) {
				wanted |= has(before, (x & ~1) + i % 2, (y & ~1) + i / 2);
			}
			assert_int_equal(has(after, x, y), wanted && x < WIDTH && y < HEIGHT);
		}
	}
}

static void regions_of_subsampled_formats_have_whole_samples(void **state)
{
	struct staging_ring ring = {
		.format = DRM_FORMAT_NV12, .ring = {.width = WIDTH, .height = HEIGHT}};
	for (int i = 0; i < 2000; i++) {
		pixman_region32_t before, after;
		pixman_region32_init(&before);
		pixman_region32_init(&after);
		for (int n = random_between(1, 4); n > 0; n--) {
			int x = random_between(0, WIDTH - 1), y = random_between(0, HEIGHT - 1);
			pixman_region32_union_rect(&before, &before, x, y,
				(unsigned)random_between(1, WIDTH - x),
				(unsigned)random_between(1, HEIGHT - y));
		}
		pixman_region32_copy(&after, &before);
		staging_align(&ring, &after);
		expect_samples(&before, &after);
		pixman_region32_fini(&before);
		pixman_region32_fini(&after);
	}
}

static void regions_of_other_formats_stay(void **state)
{
	struct staging_ring ring = {
		.format = DRM_FORMAT_XRGB8888, .ring = {.width = WIDTH, .height = HEIGHT}};
	pixman_region32_t region;
	pixman_region32_init_rect(&region, 3, 5, 1, 1);
	staging_align(&ring, &region);
	assert_int_equal(region_area(&region), 1);
	pixman_region32_fini(&region);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regions_of_subsampled_formats_have_whole_samples),
		cmocka_unit_test(regions_of_other_formats_stay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
