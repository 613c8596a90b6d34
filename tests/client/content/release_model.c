/* SPDX-License-Identifier: MIT */
/*
 * Random clients with one to three buffers, whose windows are moved, covered and hidden on one or
 * two outputs and devices: each client makes progress, no feedback precedes its pixels, each
 * feedback ends once, and no buffer stays in use.
 */

#include "content/internal.h"
#include "harness/client/player_view.h"
#include "harness/steps.h"
#include "harness/unit.h"
#include "protocol/server_output.h"
#include "shell/window.h"
#include "util/clock.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)
/* Longest time between two checks, in ms. */
#define TICK_MAX 8
#define N_TICKS 4000
#define N_ALL_STEPS 1000000
#define WIDTH 300
#define HEIGHT 200
#define N_WINDOWS 4
#define N_PLAYERS 6
#define N_COVERS 2
#define N_OUTPUTS 2
/*
 * Time (ns) within which a client can draw again. While it is hidden, it is called each second; an
 * upload of its subsurface may wait as long for the previous one, and its update for both.
 */
#define PATIENCE (5 * SECOND)

struct model {
	struct fixture *fixture;
	uint64_t seed;
	int n_outputs;
	struct player_views views;
	struct peer_window *windows[N_WINDOWS], *covers[N_COVERS];
	struct peer_window *owners[N_PLAYERS]; /* windows of players; NULL: a subsurface */
	bool hidden[N_WINDOWS];
	int n_drawn[N_PLAYERS]; /* updates, as of `progress` */
	int64_t progress[N_PLAYERS]; /* ns */
	struct render_device *second; /* composes the second output; NULL: the first does */
	struct renderer *renderer;
	struct allocator *allocator;
};

static enum renderer_kind kind;

static bool chance(int percent)
{
	return random_between(1, 100) <= percent;
}

static void check_progress(struct model *model)
{
	const int64_t now = clock_now(model->fixture->clock);
	for (int i = 0; i < model->views.n_players; i++) {
		const struct player *player = &model->views.players[i];
		if (player->n_updates != model->n_drawn[i] || now < player->next) {
			model->n_drawn[i] = player->n_updates;
			model->progress[i] = now;
		} else if (now - model->progress[i] > PATIENCE) {
			fail_msg("seed %d: player %d with %d buffers, %d in use, stopped at update "
				 "%d%s%s%s",
				(int)model->seed, player->index, player->n_buffers,
				player_count_busy(player), player->n_updates,
				player->waits_for_callback ? ", waits for its callback" : "",
				model->views.surfaces[i]->visible ? ", visible" : "",
				model->views.surfaces[i]->n_queued ? ", has queued updates" : "");
		}
	}
}

/* The world */

static void write_shm(struct player_buffer *buffer, const uint32_t *pixels, struct player_size size)
{
	struct peer_buffer *shm = buffer->data;
	memcpy(shm->pixels, pixels, (size_t)size.width * (size_t)size.height * 4);
}

static void add_buffer(struct player *player, struct peer_buffer *shm)
{
	player->buffers[player->n_buffers++] = (struct player_buffer){
		.buffer = shm->buffer,
		.n_released = &shm->n_released,
		.n_taken = shm->n_released,
		.data = shm,
		.write = write_shm,
	};
}

static void add_buffers(struct player *player, int n)
{
	for (; n > 0; n--) {
		add_buffer(player, peer_buffer_create(player->peer, player->size.width,
					   player->size.height, WL_SHM_FORMAT_XRGB8888));
	}
}

/* Lets the client go on with buffers of another size, and destroy those in use. */
static void resize(struct model *model, int i)
{
	struct player *player = &model->views.players[i];
	for (int n = 0; n < player->n_buffers; n++) {
		peer_buffer_destroy(player->buffers[n].data);
	}
	player_resize(player, (struct player_size){random_between(10, 90), random_between(10, 80)});
	add_buffers(player, random_between(1, PLAYER_BUFFERS_MAX));
	if (model->owners[i]) {
		model->owners[i]->buffer = player->buffers[0].data;
	}
}

static struct player_habits choose_habits(void)
{
	static const int64_t pauses[] = {0, 0, 5 * MS, 20 * MS, 300 * MS};
	return (struct player_habits){
		.callback = chance(60),
		.fifo = chance(30),
		.feedback = chance(85),
		.timing = chance(20),
		.partial = chance(60),
		.pause = pauses[random_between(0, 4)],
	};
}

static void add_player(struct model *model, struct peer *peer, struct wl_surface *surface,
	struct peer_buffer *only)
{
	struct player *player = &model->views.players[model->views.n_players];
	const struct player_habits habits = choose_habits();
	const struct player_size size = {only->width, only->height};
	player_init(player, peer, surface, model->views.n_players + 1, size, &habits);
	add_buffer(player, only);
	add_buffers(player, random_between(0, PLAYER_BUFFERS_MAX - 1));
	player_views_add(&model->views, peer_surface_find(peer, surface));
}

static void add_window(struct model *model, int i)
{
	struct peer *peer = peer_create(model->fixture);
	const int index = model->views.n_players + 1;
	struct peer_window *window = model->windows[i] = peer_window_create(peer, 10, 10,
		random_between(20, 70), random_between(20, 60), player_color(index, 0));
	struct wl_region *region = wl_compositor_create_region(peer->compositor);
	wl_region_add(region, 0, 0, INT32_MAX, INT32_MAX);
	wl_surface_set_opaque_region(window->surface, region);
	wl_region_destroy(region);
	wl_surface_commit(window->surface);
	struct player *player = &model->views.players[model->views.n_players];
	model->owners[model->views.n_players] = window;
	add_player(model, peer, window->surface, window->buffer);
	player->buffers[0].busy = window->buffer->n_released == 0;
	if (model->views.n_players == N_PLAYERS || chance(60)) {
		return;
	}
	struct wl_surface *child = wl_compositor_create_surface(peer->compositor);
	struct player *below = &model->views.players[model->views.n_players];
	struct wl_subsurface *subsurface = peer_subsurface(
		peer, child, window->surface, random_between(-10, 20), random_between(-10, 20));
	add_player(model, peer, child,
		peer_buffer_create(peer, random_between(10, 50), random_between(10, 40),
			WL_SHM_FORMAT_XRGB8888));
	below->parent = player;
	below->subsurface = subsurface;
	below->sync = true;
	wl_surface_commit(window->surface);
}

static void add_cover(struct model *model, int i)
{
	struct peer *peer = peer_create(model->fixture);
	model->covers[i] = peer_window_create(peer, 20, 20, 60, 60, 0xff808080);
	struct peer_buffer *opaque = peer_buffer_create(peer, 60, 60, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(model->covers[i]->surface, opaque);
	fixture_pump(model->fixture);
}

/* Lets another device compose the second output. */
static void add_device(struct model *model, struct server_output *output)
{
	struct server *server = model->fixture->server;
	model->renderer = pixman_renderer_create();
	model->allocator = memory_allocator_create();
	model->second = render_device_create(NULL, model->renderer, model->allocator);
	render_device_join(model->second, server->device);
	frame_output_destroy(output->frame);
	output->frame = frame_output_create(output->scene_output, model->second, server->clock);
}

static struct model *create_model(uint64_t seed)
{
	struct model *model = xcalloc(1, sizeof(*model));
	random_seed(seed);
	model->seed = seed;
	model->n_outputs = random_between(1, N_OUTPUTS);
	model->fixture = fixture_create(&(struct fixture_options){
		.renderer = kind,
		.width = WIDTH,
		.height = HEIGHT,
		.n_outputs = model->n_outputs,
	});
	struct server *server = model->fixture->server;
	if (chance(50)) {
		content_device_from(server->device)->upload_budget =
			(uint64_t)random_between(500, 8000);
	}
	if (model->n_outputs > 1 && chance(60)) {
		struct server_output *output;
		wl_list_for_each (output, &server->outputs, link) {
			if (output->scene_output == server->scene->outputs[1]) {
				add_device(model, output);
			}
		}
	}
	for (int i = 0; i < model->n_outputs; i++) {
		player_views_watch(&model->views, frame_output_find(server->scene->outputs[i]));
	}
	int n_windows = random_between(1, N_WINDOWS);
	for (int i = 0; i < n_windows && model->views.n_players < N_PLAYERS; i++) {
		add_window(model, i);
	}
	for (int i = 0; i < N_COVERS; i++) {
		add_cover(model, i);
	}
	fixture_pump(model->fixture);
	return model;
}

static void destroy_model(struct model *model)
{
	player_views_finish(&model->views);
	fixture_destroy(model->fixture);
	if (model->second) {
		render_device_finish(model->second);
		render_device_destroy(model->second);
		allocator_destroy(model->allocator);
		renderer_destroy(model->renderer);
	}
	for (int i = 0; i < model->views.n_players; i++) {
		player_finish(&model->views.players[i]);
	}
	free(model);
}

/* Actions of users and clients */

static void move(struct model *model, struct peer_window *peer_window)
{
	struct window *window = peer_window_find(peer_window);
	const int width = WIDTH * model->n_outputs;
	if (chance(10)) {
		window_move_to(window, 4000, 4000);
	} else {
		window_move_to(
			window, random_between(-30, width - 20), random_between(-30, HEIGHT - 10));
	}
}

static void act(struct model *model)
{
	const int i = random_between(0, N_WINDOWS - 1);
	struct peer_window *window = model->windows[i];
	const int j = random_between(0, model->views.n_players - 1);
	struct player *player = &model->views.players[j];
	switch (random_between(0, 6)) {
	case 0:
	case 1: move(model, model->covers[random_between(0, N_COVERS - 1)]); break;
	case 2:
	case 3:
		if (window) {
			move(model, window);
		}
		break;
	case 4:
		if (window) {
			model->hidden[i] = !model->hidden[i] && chance(70);
			window_set_minimized(peer_window_find(window), model->hidden[i]);
		}
		break;
	case 5:
		if (player->subsurface) {
			player->sync = !player->sync;
			(player->sync ? wl_subsurface_set_sync : wl_subsurface_set_desync)(
				player->subsurface);
		}
		break;
	case 6: resize(model, j); break;
	}
}

static void step(struct model *model, bool runs)
{
	for (int i = 0; i < model->views.n_players; i++) {
		player_notice_releases(&model->views.players[i]);
	}
	for (int i = 0; i < model->views.n_players; i++) {
		model->views.players[i].n_events = 0;
		if (runs) {
			player_run(&model->views.players[i]);
		}
	}
	fixture_pump(model->fixture);
	clock_advance(model->fixture->clock, random_between(1, TICK_MAX) * MS);
	fixture_pump(model->fixture);
	player_views_check(&model->views, model->seed);
	if (runs) {
		check_progress(model);
	}
}

/* Shows all windows, apart from each other. */
static void show_all(struct model *model)
{
	for (int i = 0; i < N_COVERS; i++) {
		window_move_to(peer_window_find(model->covers[i]), 4000, 4000);
	}
	for (int i = 0; i < N_WINDOWS; i++) {
		if (model->windows[i]) {
			struct window *window = peer_window_find(model->windows[i]);
			window_set_minimized(window, false);
			window_move_to(window, 10 + i % 2 * 130, 10 + i / 2 * 90);
		}
	}
	for (int i = 0; i < 100; i++) {
		step(model, false);
	}
}

static void check_end(struct model *model)
{
	show_all(model);
	bool drawn[N_PLAYERS] = {false};
	for (int n = 0; n < 300; n++) {
		/* Children first: the parents' updates take those of synchronised ones along. */
		for (int i = model->views.n_players - 1; i >= 0; i--) {
			drawn[i] = drawn[i] || player_draw(&model->views.players[i], true);
		}
		step(model, false);
	}
	for (int i = 0; i < model->views.n_players; i++) {
		const struct player *player = &model->views.players[i];
		bool seen,
			shown = player_views_show(&model->views, i, player->n_updates - 1, &seen);
		int n_open = player->n_asked - player->n_presented - player->n_discarded;
		/* A subsurface may cover all of its parent, whose last feedback then stays open. */
		if (!drawn[i] || shown != seen || n_open > !seen || n_open < 0 ||
			player_count_busy(player) > (player->n_buffers > 1)) {
			fail_msg("seed %d: player %d of %d updates: drawn %d, seen %d, %d of %d "
				 "buffers in use; %d feedbacks: %d presented, %d discarded",
				(int)model->seed, player->index, player->n_updates, drawn[i], seen,
				player_count_busy(player), player->n_buffers, player->n_asked,
				player->n_presented, player->n_discarded);
		}
	}
}

/* The second device frees the pixels of windows that only the first one has shown for a while. */
static void expect_freed(struct model *model)
{
	const struct content *content;
	wl_list_for_each (content, &content_device_from(model->second)->contents, link) {
		const struct surface *surface = content->surface;
		if (surface->visible && surface->current.buffer && content->texture) {
			fail_msg("seed %d: a device keeps pixels that it does not show",
				(int)model->seed);
		}
	}
}

static void check_freed(struct model *model)
{
	if (!model->second) {
		return;
	}
	for (int n = 0; n < 2; n++) {
		fixture_sleep(model->fixture, 4 * SECOND);
		expect_freed(model);
		for (int i = model->views.n_players - 1; i >= 0; i--) {
			player_notice_releases(&model->views.players[i]);
			player_draw(&model->views.players[i], true);
		}
	}
}

static void play(struct steps *steps)
{
	struct model *model = create_model(steps->seed);
	const int busy = random_between(1, 6);
	for (int i = 0; i < N_TICKS; i++) {
		if (chance(busy)) {
			act(model);
			steps->n++;
		}
		step(model, true);
	}
	for (int i = 0; i < model->views.n_players; i++) {
		steps->n += (uint64_t)model->views.players[i].n_updates;
	}
	check_end(model);
	check_freed(model);
	destroy_model(model);
}

static void clients_make_progress_and_feedback_is_true(void **state)
{
	struct steps *steps = steps_begin("content/release_model", "RELEASE_SEEDS", N_ALL_STEPS);
	while (steps_next(steps)) {
		play(steps);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clients_make_progress_and_feedback_is_true)};
	kind = fixture_renderer(argc, argv);
	/* Threads would cost more than they gain with such small outputs. */
	setenv("LP_NUM_THREADS", "0", 0);
	return cmocka_run_group_tests_name("releases", tests, NULL, NULL);
}
