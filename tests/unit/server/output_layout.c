/* SPDX-License-Identifier: MIT */
/* The layout of outputs: fixed positions stay, and the others form a row in their order. */

#include "server/outputs.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define N_MAX 6

static void assert_places(struct output_place *places, size_t n, const int at[][2])
{
	output_places_arrange(places, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(places[i].box.x, at[i][0]);
		assert_int_equal(places[i].box.y, at[i][1]);
	}
}

static void outputs_without_positions_form_a_row(void **state)
{
	/* Old positions have no effect. */
	struct output_place places[] = {
		{.box = {700, 50, 640, 360}},
		{.box = {-5, 9, 1280, 720}},
		{.box = {0, 0, 800, 600}},
	};
	assert_places(places, 3, (const int[][2]){{0, 0}, {640, 0}, {1920, 0}});
}

static void next_output_is_right_of_fixed_ones(void **state)
{
	struct output_place places[] = {
		{.box = {100, 2000, 640, 360}, .fixed = true},
		{.box = {.width = 1280, .height = 720}},
		{.box = {-640, 1900, 640, 360}, .fixed = true},
		{.box = {.width = 800, .height = 600}},
	};
	assert_places(
		places, 4, (const int[][2]){{100, 2000}, {740, 2000}, {-640, 1900}, {2020, 1900}});
}

static void fixed_outputs_are_passed(void **state)
{
	struct output_place places[] = {
		{.box = {.width = 1280, .height = 720}},
		{.box = {0, 0, 1280, 720}, .fixed = true},
	};
	assert_places(places, 2, (const int[][2]){{1280, 0}, {0, 0}});
	struct output_place touching[] = {
		{.box = {.width = 1280, .height = 720}},
		{.box = {1280, 0, 1280, 720}, .fixed = true},
		{.box = {2560, 100, 1280, 720}, .fixed = true},
		{.box = {.width = 640, .height = 480}},
	};
	assert_places(touching, 4, (const int[][2]){{0, 0}, {1280, 0}, {2560, 100}, {3840, 0}});
}

static uint32_t draw(uint32_t *random, uint32_t n)
{
	*random ^= *random << 13;
	*random ^= *random >> 17;
	*random ^= *random << 5;
	return *random % n;
}

static void check(const struct output_place *before, const struct output_place *places, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct box *box = &places[i].box;
		assert_int_equal(box->width, before[i].box.width);
		assert_int_equal(box->height, before[i].box.height);
		if (places[i].fixed) {
			assert_memory_equal(box, &before[i].box, sizeof(*box));
			continue;
		}
		for (size_t j = 0; j < n; j++) {
			struct box common;
			assert_true(i == j || !box_intersect(&common, box, &places[j].box));
			/* The order: nothing of a previous output is right of it. */
			assert_true(j >= i || places[j].box.x + places[j].box.width <= box->x);
		}
	}
}

static void random_outputs_neither_overlap_nor_change_their_order(void **state)
{
	uint32_t random = 1;
	for (int i = 0; i < 200000; i++) {
		struct output_place before[N_MAX], places[N_MAX];
		size_t n = draw(&random, N_MAX + 1);
		for (size_t j = 0; j < n; j++) {
			before[j].fixed = draw(&random, 3) == 0;
			before[j].box = (struct box){(int)draw(&random, 9) * 100 - 400,
				(int)draw(&random, 9) * 100 - 400, 100 + (int)draw(&random, 5) * 50,
				100 + (int)draw(&random, 5) * 50};
			places[j] = before[j];
		}
		output_places_arrange(places, n);
		check(before, places, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outputs_without_positions_form_a_row),
		cmocka_unit_test(next_output_is_right_of_fixed_ones),
		cmocka_unit_test(fixed_outputs_are_passed),
		cmocka_unit_test(random_outputs_neither_overlap_nor_change_their_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
