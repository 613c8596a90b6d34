/* SPDX-License-Identifier: MIT */
/* Linear windows of another GPU whose copies turn out to be slow: they are read in place, and never freeze. */

#include "frame/output.h"
#include "render/render.h"
#include "world.h"

#define WIDTH WORLD_WIDTH
#define HEIGHT WORLD_HEIGHT
#define PAIR "1002:73bf>cpu"

static struct peer_window *open_linear(struct canvas *canvas, struct world *world)
{
	canvas_init_linear(canvas, world);
	canvas_draw(canvas, 0, 0, WIDTH, HEIGHT, 1);
	struct peer_window *window = canvas_show(canvas);
	canvas_expect(canvas, 0, 0, WIDTH, HEIGHT);
	return window;
}

/* The copies of the last frames were slower than composing from video memory. */
static void slow_down(const struct world *world)
{
	struct copier *copier = world->fixture->server->copier;
	for (int i = 0; i < 32; i++) {
		uint64_t bytes = UINT64_C(4096) << i % 10;
		cost_table_add(&copier->costs, PAIR, COST_SDMA, COST_OUT, bytes, 1,
			(int64_t)bytes * 200, clock_now(copier->clock));
	}
}

/* Changes the window and fails unless the output shows it. */
static void update(struct canvas *canvas, struct peer_window *window, int i)
{
	canvas_update(canvas, window, 20 * (i % 40), 10 * (i % 40), 64, 64, (uint32_t)i + 2);
	fixture_frames(canvas->world->fixture, 4);
	canvas_expect(canvas, 0, 0, WIDTH, HEIGHT);
}

static const char *source_of(const struct world *world, const struct peer_window *window)
{
	struct route_choice choice = frame_route(world->fixture->server->scene->outputs[0],
		peer_surface_find(world->peer, window->surface));
	return route_name(choice.source, choice.sink);
}

static void window_with_slow_copies_is_read_in_place(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = open_linear(&canvas, world);
	update(&canvas, window, 0);
	assert_string_equal(source_of(world, window), "copy");
	uint64_t copied = world_copied(world);
	assert_true(copied >= WIDTH * HEIGHT * 4);
	slow_down(world);
	for (int i = 1; i < 30; i++) {
		update(&canvas, window, i);
	}
	assert_string_equal(source_of(world, window), "import");
	assert_int_equal(world_copied(world), copied);

	/* Nothing else would show that copies have become fast. */
	fixture_sleep(world->fixture, INT64_C(61000000000));
	update(&canvas, window, 30);
	assert_string_equal(source_of(world, window), "copy");
	assert_true(world_copied(world) > copied);
	for (int i = 31; i < 100; i++) {
		update(&canvas, window, i);
	}
	assert_string_equal(source_of(world, window), "copy");
	canvas_finish(&canvas);
}

static bool refuse(struct renderer *renderer, const struct dmabuf *dmabuf)
{
	return false;
}

/* The driver does not map it for the CPU: slow copies are better than none. */
static void window_that_cannot_be_read_in_place_is_copied(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = open_linear(&canvas, world);
	struct renderer *renderer = world->fixture->server->device->renderer;
	const struct renderer_impl *real = renderer->impl;
	static struct renderer_impl impl;
	impl = *real;
	impl.test_import = refuse;
	renderer->impl = &impl;
	update(&canvas, window, 0);
	slow_down(world);
	for (int i = 1; i < 30; i++) {
		update(&canvas, window, i);
		assert_string_equal(source_of(world, window), "copy");
	}
	renderer->impl = real;
	canvas_finish(&canvas);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(window_with_slow_copies_is_read_in_place),
		TEST(window_that_cannot_be_read_in_place_is_copied),
	};

	return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
