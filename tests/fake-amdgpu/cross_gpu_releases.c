/* SPDX-License-Identifier: MIT */
/*
 * Random clients of another GPU with one to three buffers, whose copies are late: they make
 * progress, and no feedback precedes its pixels. The CPU, an integrated GPU or a
 * discrete one composes.
 */

#include "content/device.h"
#include "content/internal.h"
#include "frame/output.h"
#include "harness/client/player_view.h"
#include "harness/steps.h"
#include "harness/unit.h"
#include "shell/window.h"
#include "surface/surface.h"
#include "util/clock.h"
#include "util/xalloc.h"
#include "world.h"
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)
/* Longest time between two checks, in ms. */
#define TICK_MAX 8
#define N_TICKS 4000
#define N_ALL_STEPS 1000000
#define N_WINDOWS 5
/* Time (ns) for which the GPU is held at most: an engine that hangs longer is replaced. */
#define HOLD (300 * MS)
/* Time (ns) within which windows are shown that the GPU can copy. */
#define COPY_TIME (100 * MS)
/* Time (ns) within which a visible client can draw again. */
#define PATIENCE (2 * SECOND)

/** A buffer of a GPU, and the byte offsets of its pixels, row by row. */
struct slate {
	struct canvas canvas;
	uint32_t *offsets;
};

struct model {
	struct world *world;
	uint64_t seed;
	struct player_views views;
	struct peer_window *windows[N_WINDOWS], *cover;
	struct slate slates[N_WINDOWS][PLAYER_BUFFERS_MAX];
	int n_drawn[N_WINDOWS];
	int64_t progress[N_WINDOWS]; /* ns */
	bool held; /* the GPU makes no copies */
	int64_t held_since; /* ns */
	int64_t released; /* ns; when copies were last possible again */
};

static bool chance(int percent)
{
	return random_between(1, 100) <= percent;
}

static void slate_init(struct slate *slate, struct world *world, struct player_size size)
{
	struct canvas *canvas = &slate->canvas;
	canvas_init_sized(canvas, world, size.width, size.height, DRM_FORMAT_XRGB8888, chance(30));
	slate->offsets = xcalloc((size_t)size.width * (size_t)size.height, 4);
	for (int y = 0; y < size.height; y++) {
		for (int x = 0; x < size.width; x++) {
			slate->offsets[y * size.width + x] =
				(uint32_t)((uint8_t *)canvas_pixel(canvas, x, y) - canvas->map);
		}
	}
}

static void slate_finish(struct slate *slate)
{
	canvas_finish(&slate->canvas);
	free(slate->offsets);
}

static void write_slate(
	struct player_buffer *buffer, const uint32_t *pixels, struct player_size size)
{
	const struct slate *slate = buffer->data;
	for (int i = 0; i < size.width * size.height; i++) {
		const uint32_t pixel = pixels[i] & 0xffffff;
		memcpy(slate->canvas.map + slate->offsets[i], &pixel, sizeof(pixel));
	}
}

static struct player_size choose_size(void)
{
	const int most = chance(15) ? 160 : 50;
	return (struct player_size){random_between(16, most), random_between(16, most)};
}

static void add_slates(struct model *model, int i)
{
	struct player *player = &model->views.players[i];
	player->n_buffers = random_between(1, PLAYER_BUFFERS_MAX);
	for (int n = 0; n < player->n_buffers; n++) {
		struct slate *slate = &model->slates[i][n];
		slate_init(slate, model->world, player->size);
		player->buffers[n] = (struct player_buffer){
			.buffer = slate->canvas.buffer,
			.n_released = &slate->canvas.n_released,
			.data = slate,
			.write = write_slate,
		};
	}
}

static void finish_slates(struct model *model, int i)
{
	for (int n = 0; n < model->views.players[i].n_buffers; n++) {
		slate_finish(&model->slates[i][n]);
	}
}

/* Lets the client go on with buffers of another size, and destroy those in use. */
static void resize(struct model *model, int i)
{
	finish_slates(model, i);
	player_resize(&model->views.players[i], choose_size());
	add_slates(model, i);
}

static void add_player(struct model *model, int i)
{
	static const int64_t pauses[] = {0, 5 * MS, 20 * MS};
	const struct player_size size = choose_size();
	const struct player_habits habits = {
		.callback = chance(70),
		.fifo = chance(30),
		.feedback = chance(85),
		.timing = chance(20),
		.partial = chance(60),
		.pause = pauses[random_between(0, 2)],
	};
	struct peer *peer = model->world->peer;
	struct peer_window *window = model->windows[i] = peer_window_create_unmapped(peer);
	struct player *player = &model->views.players[i];
	player_init(player, peer, window->surface, i + 1, size, &habits);
	add_slates(model, i);
	assert_true(player_draw(player, true));
	fixture_pump(model->world->fixture);
	player_views_add(&model->views, peer_surface_find(peer, window->surface));
}

static void move(struct model *model, struct peer_window *window)
{
	const int width = model->views.n_outputs * model->world->width;
	window_move_to(peer_window_find(window), random_between(-40, width - 10),
		random_between(-40, model->world->height - 10));
}

static void hold(struct model *model, bool held)
{
	model->held = held;
	*(held ? &model->held_since : &model->released) = clock_now(model->world->fixture->clock);
	(held ? fake_gpu_hold : fake_gpu_release)(model->world->fake);
}

static void act(struct model *model)
{
	switch (random_between(0, 9)) {
	default: move(model, model->windows[random_between(0, N_WINDOWS - 1)]); break;
	case 0: resize(model, random_between(0, N_WINDOWS - 1)); break;
	case 1:
	case 2: move(model, model->cover); break;
	case 3:
	case 4: hold(model, !model->held); break;
	case 5:
		if (model->held) {
			fake_gpu_step(model->world->fake, 1);
		}
		break;
	}
}

static void check_progress(struct model *model)
{
	const int64_t now = clock_now(model->world->fixture->clock);
	for (int i = 0; i < N_WINDOWS; i++) {
		const struct player *player = &model->views.players[i];
		/* Buffers of GPUs are not copied for clients that nothing shows. */
		if (player->n_updates != model->n_drawn[i] || now < player->next || model->held ||
			!model->views.surfaces[i]->visible) {
			model->n_drawn[i] = player->n_updates;
			model->progress[i] = now;
		} else if (now - model->progress[i] > PATIENCE) {
			fail_msg("seed %d: player %d with %d buffers, %d in use, stopped at %d%s",
				(int)model->seed, player->index, player->n_buffers,
				player_count_busy(player), player->n_updates,
				player->waits_for_callback ? ", waits for its callback" : "");
		}
	}
}

static void step(struct model *model)
{
	struct fixture *fixture = model->world->fixture;
	for (int i = 0; i < N_WINDOWS; i++) {
		player_notice_releases(&model->views.players[i]);
		player_run(&model->views.players[i]);
	}
	if (model->held && clock_now(fixture->clock) - model->held_since > HOLD) {
		hold(model, false);
	}
	model->views.late = model->held || clock_now(fixture->clock) - model->released < COPY_TIME;
	fixture_pump(fixture);
	clock_advance(fixture->clock, random_between(1, TICK_MAX) * MS);
	fixture_pump(fixture);
	player_views_check(&model->views, model->seed);
	check_progress(model);
}

static void play(struct steps *steps)
{
	struct model *model = xcalloc(1, sizeof(*model));
	random_seed(steps->seed);
	model->seed = steps->seed;
	const int n_outputs = random_between(1, PLAYER_VIEWS_MAX);
	model->world = world_create_with(&(const struct world_options){.width = 300,
		.height = 200,
		.n_outputs = n_outputs,
		.all_formats = true,
		.display = world_random_display(steps->seed)});
	const struct scene *scene = model->world->fixture->server->scene;
	for (int i = 0; i < n_outputs; i++) {
		player_views_watch(&model->views, frame_output_find(scene->outputs[i]));
	}
	for (int i = 0; i < N_WINDOWS; i++) {
		add_player(model, i);
	}
	fixture_frames(model->world->fixture, 2);
	model->cover = world_cover(model->world, 20, 20, 60, 60);
	for (int i = 0; i < N_TICKS; i++) {
		if (chance(6)) {
			act(model);
			steps->n++;
		}
		step(model);
	}
	for (int i = 0; i < N_WINDOWS; i++) {
		steps->n += (uint64_t)model->views.players[i].n_updates;
	}
	if (model->held) {
		hold(model, false);
	}
	fixture_frames(model->world->fixture, 4);
	player_views_finish(&model->views);
	for (int i = 0; i < N_WINDOWS; i++) {
		finish_slates(model, i);
	}
	world_destroy(model->world);
	for (int i = 0; i < N_WINDOWS; i++) {
		player_finish(&model->views.players[i]);
	}
	free(model);
}

static void copied_windows_make_progress_and_feedback_is_true(void **state)
{
	struct steps *steps = steps_begin("cross-gpu-releases", "RELEASE_SEEDS", N_ALL_STEPS);
	while (steps_next(steps)) {
		play(steps);
	}
}

/* The device has no copy of the window, and cannot make one. */
static void other_device_holds_no_only_buffer(void **state)
{
	struct world *world = world_create(300, 200);
	struct renderer *pixman = pixman_renderer_create();
	struct render_device *second = render_device_create(NULL, pixman, NULL);
	render_device_join(second, world->fixture->server->device);
	struct canvas canvas;
	struct peer_window *window = canvas_open(&canvas, world);
	world_cover(world, 20, 20, 60, 60);
	int n_drawn = 0;
	for (int i = 0; i < 120; i++) {
		if (canvas.n_released > 0) {
			canvas.n_released = 0;
			canvas_update(&canvas, window, 0, 0, 300, 200, (uint32_t)++n_drawn);
		}
		fixture_frames(world->fixture, 1);
	}
	assert_in_range(n_drawn, 20, 120);
	canvas_finish(&canvas);
	render_device_finish(second);
	render_device_destroy(second);
	renderer_destroy(pixman);
	world_destroy(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copied_windows_make_progress_and_feedback_is_true),
		cmocka_unit_test(other_device_holds_no_only_buffer),
	};
	return cmocka_run_group_tests_name("releases", tests, NULL, NULL);
}
