/* SPDX-License-Identifier: MIT */
/*
 * Presentation feedback, barriers and counters of windows rendered on another GPU: none of them
 * precedes the copy that a frame shows.
 */

#include "fifo-v1-client-protocol.h"
#include "frame/output.h"
#include "presentation-time-client-protocol.h"
#include "surface/surface.h"
#include "world.h"
#include <errno.h>

#define WIDTH WORLD_WIDTH
#define HEIGHT WORLD_HEIGHT

/* The window, and the events that its client has received. */
struct player {
	struct world *world;
	struct canvas canvases[2];
	int next; /* of the canvases */
	struct peer_window *window;
	struct wp_presentation *presentation;
	struct wp_fifo_v1 *fifo;
	int n_done, n_presented, n_discarded;
	uint32_t flags; /* of the last presented event */
};

static void handle_done(void *data, struct wl_callback *callback, uint32_t ms)
{
	struct player *player = data;
	player->n_done++;
	wl_callback_destroy(callback);
}

static const struct wl_callback_listener callback_listener = {.done = handle_done};

static void handle_sync_output(
	void *data, struct wp_presentation_feedback *proxy, struct wl_output *output)
{
}

static void handle_presented(void *data, struct wp_presentation_feedback *proxy,
	uint32_t seconds_high, uint32_t seconds_low, uint32_t nanoseconds, uint32_t refresh,
	uint32_t sequence_high, uint32_t sequence_low, uint32_t flags)
{
	struct player *player = data;
	player->n_presented++;
	player->flags = flags;
	wp_presentation_feedback_destroy(proxy);
}

static void handle_discarded(void *data, struct wp_presentation_feedback *proxy)
{
	struct player *player = data;
	player->n_discarded++;
	wp_presentation_feedback_destroy(proxy);
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

static void open_player(struct player *player, struct world *world)
{
	*player = (struct player){.world = world};
	player->window = canvas_open(&player->canvases[0], world);
	player->presentation = peer_bind(world->peer, &wp_presentation_interface, 0);
	struct wp_fifo_manager_v1 *fifo = peer_bind(world->peer, &wp_fifo_manager_v1_interface, 0);
	player->fifo = wp_fifo_manager_v1_get_fifo(fifo, player->window->surface);
	canvas_init(&player->canvases[1], world);
	fixture_frames(world->fixture, 4);
}

static void close_player(struct player *player)
{
	canvas_finish(&player->canvases[0]);
	canvas_finish(&player->canvases[1]);
}

/* Commits a new colour with callback and feedback. */
static void play(struct player *player, uint32_t color)
{
	struct wl_surface *surface = player->window->surface;
	wl_callback_add_listener(wl_surface_frame(surface), &callback_listener, player);
	wp_presentation_feedback_add_listener(
		wp_presentation_feedback(player->presentation, surface), &feedback_listener,
		player);
	struct canvas *canvas = &player->canvases[++player->next % 2];
	canvas_fill(canvas, color);
	canvas_commit(canvas, player->window, 0, 0, WIDTH, HEIGHT);
}

static const struct surface *find_surface(const struct player *player)
{
	return peer_surface_find(player->world->peer, player->window->surface);
}

/* Steps until the copy is shown; fails if feedback precedes it. */
static void expect_feedback_with(struct player *player, uint32_t color)
{
	struct fixture *fixture = player->world->fixture;
	int before = player->n_presented;
	for (int i = 0; i < 6; i++) {
		bool presented = player->n_presented > before;
		assert_true(!presented || fixture_pixel(fixture, 9, 9) == color);
		fixture_frames(fixture, 1);
	}
	assert_int_equal(player->n_presented, before + 1);
	assert_int_equal(fixture_pixel(fixture, 9, 9), color);
}

static void feedback_waits_for_the_copy(void **state)
{
	struct player player;
	open_player(&player, *state);
	struct world *world = player.world;
	play(&player, 0x102030);
	fixture_frames(world->fixture, 4);
	assert_int_equal(player.n_presented, 1);
	const uint64_t n_shown = find_surface(&player)->n_shown;

	fake_gpu_hold(world->fake);
	play(&player, 0x405060);
	fixture_frames(world->fixture, 6);
	assert_int_equal(fixture_pixel(world->fixture, 9, 9), 0x102030);
	assert_int_equal(player.n_presented, 1);
	assert_int_equal(find_surface(&player)->n_shown, n_shown);
	/* The client may go on. */
	assert_int_equal(player.n_done, 2);
	/* Frames of other windows show the old copy. */
	struct peer_window *cover = world_cover(world, 100, 100, 50, 50);
	fixture_frames(world->fixture, 4);
	assert_int_equal(player.n_presented, 1);
	assert_int_equal(find_surface(&player)->n_shown, n_shown);
	peer_window_destroy(cover);
	fixture_frames(world->fixture, 2);

	fake_gpu_release(world->fake);
	expect_feedback_with(&player, 0x405060);
	assert_int_equal(find_surface(&player)->n_shown, n_shown + 1);
	assert_int_equal(player.n_discarded, 0);
	close_player(&player);
}

/* An update that is replaced before its copy is shown was not presented. */
static void feedback_of_a_copy_that_is_never_shown_is_discarded(void **state)
{
	struct player player;
	open_player(&player, *state);
	struct world *world = player.world;
	fake_gpu_hold(world->fake);
	play(&player, 0x102030);
	fixture_frames(world->fixture, 4);
	play(&player, 0x405060);
	fixture_frames(world->fixture, 4);
	assert_int_equal(player.n_presented, 0);
	assert_int_equal(player.n_discarded, 1);
	fake_gpu_release(world->fake);
	expect_feedback_with(&player, 0x405060);
	assert_int_equal(player.n_discarded, 1);
	close_player(&player);
}

/* Otherwise updates in the queue would replace each other unseen. */
static void barrier_waits_for_the_copy(void **state)
{
	struct player player;
	open_player(&player, *state);
	struct world *world = player.world;
	fake_gpu_hold(world->fake);
	wp_fifo_v1_set_barrier(player.fifo);
	play(&player, 0x102030);
	fixture_frames(world->fixture, 1);
	wp_fifo_v1_wait_barrier(player.fifo);
	play(&player, 0x102030);
	fixture_frames(world->fixture, 6);
	assert_true(find_surface(&player)->barrier);
	assert_int_equal(find_surface(&player)->n_queued, 1);
	assert_int_equal(player.n_discarded, 0);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 6);
	assert_int_equal(find_surface(&player)->n_queued, 0);
	assert_int_equal(player.n_presented, 2);
	close_player(&player);
}

/* Pixels that are not drawn are not waited for. */
static void transparent_window_waits_for_no_copy(void **state)
{
	struct player player;
	open_player(&player, *state);
	struct world *world = player.world;
	play(&player, 0x102030);
	fixture_frames(world->fixture, 4);
	assert_int_equal(player.n_presented, 1);
	scene_tree_set_opacity(scene_surface_find(find_surface(&player))->node.parent, 0);
	fixture_frames(world->fixture, 2);
	fake_gpu_hold(world->fake);
	wp_fifo_v1_set_barrier(player.fifo);
	play(&player, 0x405060);
	wp_fifo_v1_wait_barrier(player.fifo);
	play(&player, 0x708090);
	fixture_frames(world->fixture, 6);
	assert_int_equal(find_surface(&player)->n_queued, 0);
	assert_int_equal(player.n_presented, 3);
	fake_gpu_release(world->fake);
	fixture_frames(world->fixture, 4);
	close_player(&player);
}

/* The copy will never be there: the client goes on, and nothing says that it was presented. */
static void refused_copies_stop_no_client(void **state)
{
	struct player player;
	open_player(&player, *state);
	struct world *world = player.world;
	fake_gpu_fail_next(world->fake, EINVAL, 1000000);
	for (int i = 0; i < 10; i++) {
		wp_fifo_v1_set_barrier(player.fifo);
		wp_fifo_v1_wait_barrier(player.fifo);
		play(&player, 0x102030 + (uint32_t)i);
		fixture_frames(world->fixture, 3);
	}
	assert_int_equal(find_surface(&player)->n_queued, 0);
	assert_int_not_equal(fixture_pixel(world->fixture, 9, 9), 0x102039);
	assert_int_equal(player.n_presented, 0);
	assert_int_equal(player.n_discarded, 9);
	assert_int_equal(player.n_done, 10);
	close_player(&player);
}

/* As outputs with planes report each frame. */
static void handle_present(struct wl_listener *listener, void *data)
{
	struct output_present *present = data;
	present->flags |= PRESENT_ZERO_COPY;
}

/* Planes show a copy, which is not the client's buffer. */
static void copy_on_a_plane_is_not_zero_copy(void **state)
{
	struct player player;
	open_player(&player, *state);
	struct world *world = player.world;
	struct scene_output *output = world->fixture->server->scene->outputs[0];
	struct wl_listener present = {.notify = handle_present};
	wl_list_insert(&output->output->events.present.listener_list, &present.link);
	frame_output_set_scanout(frame_output_find(output), true);
	for (int i = 0; i < 4; i++) {
		play(&player, 0x102030 + (uint32_t)i);
		fixture_frames(world->fixture, 4);
	}
	struct route_choice choice = frame_route(output, find_surface(&player));
	assert_string_equal(route_name(choice.source, choice.sink), "scan-out");
	assert_int_equal(player.n_presented, 4);
	assert_false(player.flags & WP_PRESENTATION_FEEDBACK_KIND_ZERO_COPY);

	fake_gpu_hold(world->fake);
	play(&player, 0x405060);
	fixture_frames(world->fixture, 4);
	assert_int_equal(player.n_presented, 4);
	fake_gpu_release(world->fake);
	expect_feedback_with(&player, 0x405060);
	wl_list_remove(&present.link);
	close_player(&player);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(feedback_waits_for_the_copy),
		TEST(feedback_of_a_copy_that_is_never_shown_is_discarded),
		TEST(barrier_waits_for_the_copy),
		TEST(transparent_window_waits_for_no_copy),
		TEST(refused_copies_stop_no_client),
		TEST(copy_on_a_plane_is_not_zero_copy),
	};
	return cmocka_run_group_tests_name("feedback", tests, NULL, NULL);
}
