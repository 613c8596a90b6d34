/* SPDX-License-Identifier: MIT */
/*
 * Windows of another GPU whose copies turn out to be slow, or are refused: they are read in place,
 * or copied later, and never freeze.
 */

#include "backend/headless.h"
#include "content/copies.h"
#include "content/internal.h"
#include "copy/copier.h"
#include "frame/output.h"
#include "render/render.h"
#include "server/outputs.h"
#include "staging/staging.h"
#include "world.h"
#include <drm_fourcc.h>
#include <errno.h>

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

/* The engine copied other buffers of the window before. */
static void window_with_refused_copies_is_read_in_place(void **state)
{
	struct world *world = *state;
	struct canvas first, second;
	world->fixture->server->copier->only = "sdma";
	struct peer_window *window = open_linear(&first, world);
	update(&first, window, 0);
	assert_string_equal(source_of(world, window), "copy");
	canvas_init_linear(&second, world);
	canvas_draw(&second, 0, 0, WIDTH, HEIGHT, 77);
	fixture_pump(world->fixture);
	fake_gpu_fail_imports(world->fake, EINVAL, 1000);
	canvas_commit(&second, window, 0, 0, WIDTH, HEIGHT);
	fixture_frames(world->fixture, 4);
	canvas_expect(&second, 0, 0, WIDTH, HEIGHT);
	assert_string_equal(source_of(world, window), "import");
	for (int i = 1; i < 5; i++) {
		update(&second, window, i);
	}

	/* The refusal was of this buffer. */
	fake_gpu_fail_imports(world->fake, 0, 0);
	canvas_commit(&first, window, 0, 0, WIDTH, HEIGHT);
	update(&first, window, 6);
	assert_string_equal(source_of(world, window), "copy");
	canvas_finish(&second);
	canvas_finish(&first);
}

/* Draws whenever the buffer is free. Returns the number of updates. */
static int draw_when_released(struct canvas *canvas, struct peer_window *window, int n_frames)
{
	int n_drawn = 0;
	for (int i = 0; i < n_frames; i++) {
		if (canvas->n_released > 0) {
			canvas->n_released = 0;
			canvas_update(canvas, window, 0, 0, WIDTH, HEIGHT, (uint32_t)++n_drawn);
		}
		fixture_frames(canvas->world->fixture, 1);
	}
	return n_drawn;
}

/* The client waits for its only buffer, in each way that it can come to be read in place. */
static void only_buffer_that_is_read_in_place_is_released(void **state)
{
	for (int refused = 0; refused < 2; refused++) {
		struct world *world = world_create(WIDTH, HEIGHT);
		struct canvas canvas;
		if (refused) {
			world->fixture->server->copier->only = "sdma";
			fake_gpu_fail_imports(world->fake, EINVAL, 100000);
		}
		struct peer_window *window = open_linear(&canvas, world);
		update(&canvas, window, 0);
		if (!refused) {
			slow_down(world);
			update(&canvas, window, 1);
		}
		assert_string_equal(source_of(world, window), "import");
		assert_in_range(draw_when_released(&canvas, window, 30), 1, 30);
		assert_in_range(draw_when_released(&canvas, window, 60), 28, 60);
		fixture_frames(world->fixture, 4);
		canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
		/* A copy is shown, which the client's next pixels do not change. */
		const uint64_t passes = world->fixture->server->device->renderer->stats.passes;
		fixture_frames(world->fixture, 60);
		assert_true(canvas.n_released > 0);
		assert_int_equal(world->fixture->server->device->renderer->stats.passes, passes);
		const uint32_t shown = fixture_pixel(world->fixture, 10, 10);
		canvas_fill(&canvas, shown ^ 0xffffff);
		struct peer_window *cover = world_cover(world, 0, 0, 60, 60);
		assert_true(fixture_pixel(world->fixture, 10, 10) != shown);
		peer_window_destroy(cover);
		fixture_frames(world->fixture, 4);
		assert_int_equal(fixture_pixel(world->fixture, 10, 10), shown);
		canvas_finish(&canvas);
		world_destroy(world);
	}
}

/* No frame draws its pixels before the client waits. */
static void only_buffer_is_released_that_a_cover_hides(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = open_linear(&canvas, world);
	update(&canvas, window, 0);
	slow_down(world);
	update(&canvas, window, 1);
	world_cover(world, 0, 20, WIDTH, HEIGHT - 20);
	int n_drawn = 0;
	for (int i = 0; i < 120; i++) {
		if (canvas.n_released > 0) {
			canvas.n_released = 0;
			canvas_update(&canvas, window, 0, 30, WIDTH, 40, (uint32_t)++n_drawn);
		}
		fixture_frames(world->fixture, 1);
	}
	assert_in_range(n_drawn, 20, 120);
	canvas_finish(&canvas);
}

/* Memory may be short for a while: then copies are worth waiting for, but not for long. */
static void window_whose_copies_fail_for_seconds_is_read_in_place(void **state)
{
	struct world *world = *state;
	struct canvas first, second;
	world->fixture->server->copier->only = "sdma";
	struct peer_window *window = open_linear(&first, world);
	canvas_init_linear(&second, world);
	canvas_draw(&second, 0, 0, WIDTH, HEIGHT, 77);
	fake_gpu_fail_imports(world->fake, ENOMEM, 100000);
	canvas_commit(&second, window, 0, 0, WIDTH, HEIGHT);
	fixture_frames(world->fixture, 4);
	canvas_expect(&first, 0, 0, WIDTH, HEIGHT);
	assert_string_equal(source_of(world, window), "copy");
	fixture_sleep(world->fixture, INT64_C(4000000000));
	canvas_expect(&second, 0, 0, WIDTH, HEIGHT);
	assert_string_equal(source_of(world, window), "import");
	fake_gpu_fail_imports(world->fake, 0, 0);
	canvas_finish(&second);
	canvas_finish(&first);
}

/* The next buffer does not wait for retries of the first one, and has retries of its own. */
static void update_after_a_failed_first_copy_is_copied(void **state)
{
	for (int fails = 0; fails < 2; fails++) {
		struct world *world = world_create(WIDTH, HEIGHT);
		struct canvas first, second;
		fake_gpu_fail_imports(world->fake, ENOMEM, 100000);
		struct peer_window *window = canvas_open(&first, world);
		assert_string_equal(source_of(world, window), "none");
		if (!fails) {
			fake_gpu_fail_imports(world->fake, 0, 0);
		}
		canvas_init(&second, world);
		canvas_draw(&second, 0, 0, WIDTH, HEIGHT, 77);
		canvas_commit(&second, window, 0, 0, WIDTH, HEIGHT);
		fixture_sleep(world->fixture, (fails ? 30 : 1) * INT64_C(100000000));
		if (fails) {
			assert_string_equal(source_of(world, window), "none");
			fake_gpu_fail_imports(world->fake, 0, 0);
			fixture_sleep(world->fixture, INT64_C(9000000000));
		}
		assert_string_equal(source_of(world, window), "copy");
		canvas_expect(&second, 0, 0, WIDTH, HEIGHT);
		canvas_finish(&second);
		canvas_finish(&first);
		world_destroy(world);
	}
}

/* The client draws once, while memory is short. Nothing else can show a tiled window. */
static void window_whose_first_copy_fails_is_copied_later(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	fake_gpu_fail_imports(world->fake, ENOMEM, 100000);
	struct peer_window *window = canvas_open(&canvas, world);
	assert_string_equal(source_of(world, window), "none");
	fixture_sleep(world->fixture, INT64_C(2000000000));
	assert_string_equal(source_of(world, window), "none");
	fake_gpu_fail_imports(world->fake, 0, 0);
	fixture_sleep(world->fixture, INT64_C(2000000000));
	assert_string_equal(source_of(world, window), "copy");
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	canvas_finish(&canvas);
}

static void window_whose_first_copy_fails_is_copied_when_it_appears_again(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	fake_gpu_fail_imports(world->fake, ENOMEM, 100000);
	canvas_open(&canvas, world);
	struct peer_window *cover = world_cover(world, 0, 0, WIDTH, HEIGHT);
	fixture_sleep(world->fixture, INT64_C(1000000000));
	/* Nothing is tried for a hidden window. */
	assert_false(clock_advance_to_next(world->fixture->server->clock));
	fake_gpu_fail_imports(world->fake, 0, 0);
	peer_window_destroy(cover);
	fixture_frames(world->fixture, 4);
	canvas_expect(&canvas, 0, 0, WIDTH, HEIGHT);
	canvas_finish(&canvas);
}

/* Returns a window that shows the canvas and is read in place, since its copies are slow. */
static struct peer_window *open_in_place(struct canvas *canvas, struct world *world)
{
	struct peer_window *window = open_linear(canvas, world);
	update(canvas, window, 0);
	slow_down(world);
	update(canvas, window, 1);
	assert_string_equal(source_of(world, window), "import");
	return window;
}

/* The window shows `old` until `next` is copied. */
static void expect_wait(struct canvas *old, struct canvas *next, struct peer_window *window)
{
	struct world *world = old->world;
	canvas_draw(next, 0, 0, WIDTH, HEIGHT, 77);
	fake_gpu_hold(world->fake);
	canvas_commit(next, window, 0, 0, WIDTH, HEIGHT);
	for (int i = 0; i < 20; i++) {
		fixture_frames(world->fixture, 1);
		canvas_expect(old, 0, 0, WIDTH, HEIGHT);
	}
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	canvas_expect(next, 0, 0, WIDTH, HEIGHT);
	assert_string_equal(source_of(world, window), "copy");
}

/* A client may draw linear and tiled buffers in turn. */
static void window_read_in_place_stays_until_a_tiled_buffer_is_copied(void **state)
{
	struct world *world = *state;
	struct canvas linear, tiled;
	struct peer_window *window = open_in_place(&linear, world);
	canvas_init(&tiled, world);
	expect_wait(&linear, &tiled, window);
	canvas_commit(&linear, window, 0, 0, WIDTH, HEIGHT);
	update(&linear, window, 2);
	assert_string_equal(source_of(world, window), "import");
	expect_wait(&linear, &tiled, window);
	canvas_finish(&tiled);
	canvas_finish(&linear);
}

/* Slow copies are tried again once a minute. */
static void window_read_in_place_stays_until_it_is_copied_again(void **state)
{
	struct world *world = *state;
	struct canvas old, next;
	struct peer_window *window = open_in_place(&old, world);
	canvas_init_linear(&next, world);
	fixture_sleep(world->fixture, INT64_C(61000000000));
	expect_wait(&old, &next, window);
	canvas_finish(&next);
	canvas_finish(&old);
}

/* Another try in the frame that shows the buffer would show nothing until that copy ends. */
static void window_whose_copy_fails_before_its_frame_is_read_in_place(void **state)
{
	struct world *world = *state;
	struct canvas old, next;
	world->fixture->server->copier->only = "sdma";
	struct peer_window *window = open_linear(&old, world);
	canvas_init_sized(&next, world, WIDTH, HEIGHT - 1, DRM_FORMAT_XRGB8888, true);
	canvas_draw(&next, 0, 0, WIDTH, HEIGHT - 1, 77);
	fixture_pump(world->fixture);
	fake_gpu_hold(world->fake);
	fake_gpu_fail_imports(world->fake, ENOMEM, 1000);
	canvas_commit(&next, window, 0, 0, WIDTH, HEIGHT - 1);
	fixture_pump(world->fixture);
	fake_gpu_fail_imports(world->fake, 0, 0);
	fixture_frames(world->fixture, 2);
	canvas_expect(&next, 0, 0, WIDTH, HEIGHT - 1);
	assert_string_equal(source_of(world, window), "import");
	fake_gpu_release(world->fake);
	/* The refusal was of that update. */
	canvas_commit(&next, window, 0, 0, WIDTH, HEIGHT - 1);
	fixture_frames(world->fixture, 4);
	canvas_expect(&next, 0, 0, WIDTH, HEIGHT - 1);
	assert_string_equal(source_of(world, window), "copy");
	canvas_finish(&next);
	canvas_finish(&old);
}

/* While memory is short, buffers of each size are read in place at once. */
static void updates_that_are_read_in_place_wait_for_no_copy(void **state)
{
	struct world *world = *state;
	struct canvas canvases[4];
	world->fixture->server->copier->only = "sdma";
	struct peer_window *window = open_linear(&canvases[0], world);
	fake_gpu_fail_imports(world->fake, ENOMEM, 100000);
	for (int i = 1; i < 4; i++) {
		int height = HEIGHT - i;
		canvas_init_sized(&canvases[i], world, WIDTH, height, DRM_FORMAT_XRGB8888, true);
		canvas_draw(&canvases[i], 0, 0, WIDTH, height, (uint32_t)i + 77);
		canvas_commit(&canvases[i], window, 0, 0, WIDTH, height);
		fixture_frames(world->fixture, 2);
		canvas_expect(&canvases[i], 0, 0, WIDTH, height);
		assert_string_equal(source_of(world, window), "import");
	}
	fake_gpu_fail_imports(world->fake, 0, 0);
	for (int i = 0; i < 4; i++) {
		canvas_finish(&canvases[i]);
	}
}

static void fill_and_commit(struct canvas *canvas, struct peer_window *window, uint32_t color)
{
	canvas_fill(canvas, 0xff000000 | color);
	canvas_commit(canvas, window, 0, 0, canvas->width, canvas->height);
}

static bool submitted;

/* Memory is short after the first job of the frame. */
static int fail_later_imports(enum fake_call call)
{
	submitted |= call == FAKE_CALL_SUBMIT;
	return call == FAKE_CALL_IMPORT && submitted ? ENOMEM : 0;
}

/* The update becomes ready twice: when the copy of the subsurface begins, and when it ends. */
static void window_waits_for_the_copy_of_its_subsurface(struct canvas *old,
	struct peer_window *window, int (*hook)(enum fake_call call), const char *source)
{
	struct world *world = old->world;
	struct canvas next, small, large;
	struct peer_window child = {
		.surface = wl_compositor_create_surface(world->peer->compositor)};
	struct wl_subsurface *subsurface =
		peer_subsurface(world->peer, child.surface, window->surface, 0, 0);
	canvas_init_sized(&next, world, WIDTH, HEIGHT - 1, DRM_FORMAT_XRGB8888, true);
	canvas_init_sized(&small, world, 100, 80, DRM_FORMAT_XRGB8888, false);
	canvas_init_sized(&large, world, 120, 90, DRM_FORMAT_XRGB8888, false);
	fill_and_commit(&small, &child, 0x0000c8);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 4);
	assert_int_equal(fixture_pixel(world->fixture, 99, 79), 0x0000c8);
	canvas_draw(&next, 0, 0, WIDTH, HEIGHT - 1, 77);
	fake_gpu_hold(world->fake);
	submitted = false;
	fake_set_hook(hook);
	fill_and_commit(&large, &child, 0x00c800);
	canvas_commit(&next, window, 0, 0, WIDTH, HEIGHT - 1);
	for (int i = 0; i < 20; i++) {
		fixture_frames(world->fixture, 1);
		canvas_expect(old, 0, 80, WIDTH, HEIGHT - 80);
		assert_int_equal(fixture_pixel(world->fixture, 99, 79), 0x0000c8);
	}
	fake_set_hook(NULL);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	canvas_expect(&next, 0, 90, WIDTH, HEIGHT - 91);
	assert_int_equal(fixture_pixel(world->fixture, 119, 89), 0x00c800);
	assert_string_equal(source_of(world, window), source);
	wl_subsurface_destroy(subsurface);
	wl_surface_destroy(child.surface);
	canvas_finish(&large);
	canvas_finish(&small);
	canvas_finish(&next);
}

static void window_read_in_place_waits_for_the_copy_of_its_subsurface(void **state)
{
	struct canvas canvas;
	struct peer_window *window = open_in_place(&canvas, *state);
	window_waits_for_the_copy_of_its_subsurface(&canvas, window, NULL, "import");
	canvas_finish(&canvas);
}

static void refused_copy_is_tried_again_after_the_wait_for_a_subsurface(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	world->fixture->server->copier->only = "sdma";
	struct peer_window *window = open_linear(&canvas, world);
	window_waits_for_the_copy_of_its_subsurface(&canvas, window, fail_later_imports, "copy");
	assert_true(submitted);
	canvas_finish(&canvas);
}

/* Draws into the only buffer, also where it is covered, and waits until it is released. */
static void update_only_buffer(struct canvas *canvas, struct peer_window *window, int i)
{
	const int n = canvas->n_released;
	canvas_update(canvas, window, WIDTH / 2 - 64, 10 * i, 128, 64, (uint32_t)i + 2);
	int frames = 0;
	for (; frames < 60 && canvas->n_released == n; frames++) {
		fixture_frames(canvas->world->fixture, 1);
	}
	assert_int_equal(canvas->n_released, n + 1);
	/* Once it is known that the client waits, the next frame has all pixels. */
	assert_true(i == 0 || frames == 1);
	fixture_frames(canvas->world->fixture, 4);
	canvas_expect(canvas, 0, 0, WIDTH / 2, HEIGHT);
}

/* A buffer that is read in place is kept until the next update. */
static void client_that_waits_for_its_only_buffer_is_copied(void **state)
{
	struct world *world = *state;
	struct canvas canvas;
	struct peer_window *window = open_linear(&canvas, world);
	world_cover(world, WIDTH / 2, 0, WIDTH / 2, HEIGHT);
	for (int i = 0; i < 4; i++) {
		update_only_buffer(&canvas, window, i);
	}
	slow_down(world);
	for (int i = 4; i < 20; i++) {
		update_only_buffer(&canvas, window, i);
	}
	assert_string_equal(source_of(world, window), "copy");
	canvas_finish(&canvas);
}

/*
 * The pixels below a cover are copied for the client that waits. That takes a while, and no frame
 * needs them. The other device, if any, has all of them.
 */
static void only_buffer_is_released_after_late_copies(void **state)
{
	for (int devices = 1; devices <= 2; devices++) {
		struct world *world = world_create(WIDTH, HEIGHT);
		struct server *server = world->fixture->server;
		struct canvas canvas;
		if (devices == 2) {
			server_outputs_hold(server, true);
			headless_add_output(server->backend, WIDTH, HEIGHT, 60000);
			server_outputs_hold(server, false);
			world_add_device(world);
			fixture_frames(world->fixture, 2);
		}
		struct peer_window *window = canvas_open(&canvas, world);
		struct surface *surface = peer_surface_find(world->peer, window->surface);
		world_cover(world, 0, 0, WIDTH / 2, HEIGHT);
		fixture_frames(world->fixture, 60);
		const int n = canvas.n_released;
		canvas_update(&canvas, window, 0, 0, WIDTH, HEIGHT, 2);
		fixture_frames(world->fixture, 4);
		if (devices == 2) {
			struct content *content = content_get(surface, world->second);
			assert_int_equal(content_prepare(content, NULL), CONTENT_READY);
		}
		fake_gpu_hold(world->fake);
		fixture_frames(world->fixture, 20);
		const struct content *content = content_find(surface, server->device);
		assert_int_equal(canvas.n_released, n);
		assert_true(staging_in_flight(content->copy->ring));
		fake_gpu_release(world->fake);
		fixture_frames(world->fixture, 10);
		assert_int_equal(canvas.n_released, n + 1);
		canvas_finish(&canvas);
		world_destroy(world);
	}
}

static void fill(struct canvas *canvas, struct peer_window *window, uint32_t color)
{
	canvas_fill(canvas, 0xff000000 | color);
	canvas_commit(canvas, window, 0, 0, canvas->width, canvas->height);
}

/* No frame has left the copies of the first buffer when the third one follows. */
static void buffer_read_in_place_stays_until_the_next_is_copied(void **state)
{
	struct world *world = *state;
	struct canvas old, linear, tiled;
	canvas_init_sized(&old, world, 200, 150, DRM_FORMAT_XRGB8888, false);
	canvas_init_sized(&linear, world, 160, 120, DRM_FORMAT_XRGB8888, true);
	canvas_init_sized(&tiled, world, 160, 120, DRM_FORMAT_XRGB8888, false);
	struct peer_window *window = canvas_show(&old);
	slow_down(world);
	fake_gpu_hold(world->fake);
	fill(&linear, window, 0x00c800);
	fixture_pump(world->fixture);
	fill(&tiled, window, 0x0000c8);
	for (int i = 0; i < 20; i++) {
		fixture_frames(world->fixture, 1);
		assert_int_equal(fixture_pixel(world->fixture, 9, 9), 0x00c800);
	}
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	assert_int_equal(fixture_pixel(world->fixture, 9, 9), 0x0000c8);
	canvas_finish(&old);
	canvas_finish(&linear);
	canvas_finish(&tiled);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(window_with_slow_copies_is_read_in_place),
		TEST(window_that_cannot_be_read_in_place_is_copied),
		TEST(window_with_refused_copies_is_read_in_place),
		TEST(window_whose_copies_fail_for_seconds_is_read_in_place),
		cmocka_unit_test(update_after_a_failed_first_copy_is_copied),
		TEST(window_whose_first_copy_fails_is_copied_later),
		TEST(window_whose_first_copy_fails_is_copied_when_it_appears_again),
		TEST(window_read_in_place_stays_until_a_tiled_buffer_is_copied),
		TEST(window_read_in_place_stays_until_it_is_copied_again),
		TEST(window_whose_copy_fails_before_its_frame_is_read_in_place),
		TEST(updates_that_are_read_in_place_wait_for_no_copy),
		TEST(window_read_in_place_waits_for_the_copy_of_its_subsurface),
		TEST(refused_copy_is_tried_again_after_the_wait_for_a_subsurface),
		TEST(client_that_waits_for_its_only_buffer_is_copied),
		cmocka_unit_test(only_buffer_that_is_read_in_place_is_released),
		TEST(only_buffer_is_released_that_a_cover_hides),
		cmocka_unit_test(only_buffer_is_released_after_late_copies),
		TEST(buffer_read_in_place_stays_until_the_next_is_copied),
	};

	return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
