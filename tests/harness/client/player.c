/* SPDX-License-Identifier: MIT */
/* Surfaces of clients that follow the protocol literally. */

#include "harness/client/player.h"
#include "harness/unit.h"
#include "util/clock.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define GARBAGE 0xfff0f0f0u /* of player 15, which does not exist */
#define UPDATE_BITS 20

struct question {
	struct player *player;
	int update;
};

uint32_t player_color(int index, int update)
{
	return 0xff000000u | (uint32_t)index << UPDATE_BITS | (uint32_t)update;
}

static void handle_done(void *data, struct wl_callback *callback, uint32_t ms)
{
	struct player *player = data;
	player->waits_for_callback = false;
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
	struct question *question = data;
	struct player *player = question->player;
	player->n_presented++;
	assert_in_range(player->n_events, 0, PLAYER_EVENTS_MAX - 1);
	player->events[player->n_events++] = question->update;
	free(question);
	wp_presentation_feedback_destroy(proxy);
}

static void handle_discarded(void *data, struct wp_presentation_feedback *proxy)
{
	struct question *question = data;
	question->player->n_discarded++;
	free(question);
	wp_presentation_feedback_destroy(proxy);
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

void player_init(struct player *player, struct peer *peer, struct wl_surface *surface, int index,
	struct player_size size, const struct player_habits *habits)
{
	*player = (struct player){
		.fixture = peer->fixture,
		.peer = peer,
		.surface = surface,
		.index = index,
		.size = size,
		.habits = *habits,
		.pixels = xcalloc((size_t)size.width * (size_t)size.height, 4),
		.n_updates = 1,
		.boxes = {{0, 0, size.width, size.height}},
		.presentation = peer_bind(peer, &wp_presentation_interface, 0),
	};
	for (int i = 0; i < size.width * size.height; i++) {
		player->pixels[i] = player_color(index, 0);
	}
	struct wp_fifo_manager_v1 *fifo = peer_bind(peer, &wp_fifo_manager_v1_interface, 0);
	player->fifo = wp_fifo_manager_v1_get_fifo(fifo, surface);
	struct wp_commit_timing_manager_v1 *timing =
		peer_bind(peer, &wp_commit_timing_manager_v1_interface, 0);
	player->timer = wp_commit_timing_manager_v1_get_timer(timing, surface);
}

void player_resize(struct player *player, struct player_size size)
{
	const size_t n = (size_t)size.width * (size_t)size.height;
	free(player->pixels);
	player->pixels = xcalloc(n, sizeof(player->pixels[0]));
	player->size = size;
	player->n_buffers = 0;
	player->resized = true;
}

void player_finish(struct player *player)
{
	free(player->pixels);
}

static void overwrite(struct player *player, struct player_buffer *buffer)
{
	int n = player->size.width * player->size.height;
	uint32_t *garbage = xcalloc((size_t)n, 4);
	for (int i = 0; i < n; i++) {
		garbage[i] = GARBAGE;
	}
	buffer->write(buffer, garbage, player->size);
	free(garbage);
}

void player_notice_releases(struct player *player)
{
	for (int i = 0; i < player->n_buffers; i++) {
		struct player_buffer *buffer = &player->buffers[i];
		if (*buffer->n_released != buffer->n_taken) {
			buffer->n_taken = *buffer->n_released;
			buffer->busy = false;
			overwrite(player, buffer);
		}
	}
}

static struct player_buffer *find_free(struct player *player)
{
	for (int i = 0; i < player->n_buffers; i++) {
		if (!player->buffers[i].busy) {
			return &player->buffers[i];
		}
	}
	return NULL;
}

static struct box choose_box(struct player_size size, bool all)
{
	if (all || random_between(0, 2) == 0) {
		return (struct box){0, 0, size.width, size.height};
	}
	int x = random_between(0, size.width - 1), y = random_between(0, size.height - 1);
	return (struct box){
		x, y, random_between(1, size.width - x), random_between(1, size.height - y)};
}

static void ask(struct player *player, bool all)
{
	const struct player_habits *habits = &player->habits;
	if (habits->callback) {
		player->waits_for_callback = true;
		wl_callback_add_listener(
			wl_surface_frame(player->surface), &callback_listener, player);
	}
	if (habits->feedback) {
		struct question *question = xcalloc(1, sizeof(*question));
		*question = (struct question){player, player->n_updates};
		player->n_asked++;
		wp_presentation_feedback_add_listener(
			wp_presentation_feedback(player->presentation, player->surface),
			&feedback_listener, question);
	}
	if (habits->fifo) {
		wp_fifo_v1_set_barrier(player->fifo);
		wp_fifo_v1_wait_barrier(player->fifo);
	}
	if (habits->timing && !all && random_between(0, 3) == 0) {
		int64_t target = clock_now(player->fixture->clock) + random_between(0, 60) * MS;
		uint64_t seconds = (uint64_t)(target / SECOND);
		wp_commit_timer_v1_set_timestamp(player->timer, (uint32_t)(seconds >> 32),
			(uint32_t)seconds, (uint32_t)(target % SECOND));
	}
}

bool player_draw(struct player *player, bool all)
{
	struct player_buffer *buffer = find_free(player);
	if (!buffer) {
		return false;
	}
	assert_in_range(player->n_updates, 1, PLAYER_UPDATES_MAX - 1);
	const struct box box =
		choose_box(player->size, all || player->resized || !player->habits.partial);
	player->resized = false;
	player->boxes[player->n_updates] = box;
	for (int y = box.y; y < box.y + box.height; y++) {
		for (int x = box.x; x < box.x + box.width; x++) {
			player->pixels[y * player->size.width + x] =
				player_color(player->index, player->n_updates);
		}
	}
	buffer->write(buffer, player->pixels, player->size);
	buffer->busy = true;
	ask(player, all);
	player->n_updates++;
	wl_surface_attach(player->surface, buffer->buffer, 0, 0);
	wl_surface_damage_buffer(player->surface, box.x, box.y, box.width, box.height);
	wl_surface_commit(player->surface);
	if (player->parent && player->sync) {
		wl_surface_commit(player->parent->surface);
	}
	return true;
}

void player_run(struct player *player)
{
	const int64_t now = clock_now(player->fixture->clock);
	player->n_events = 0;
	if (now < player->next || player->waits_for_callback || !player_draw(player, false)) {
		return;
	}
	int64_t pause = player->habits.pause;
	player->next = now + (pause > 0 ? random_between(0, (int)(2 * pause / 1000)) * 1000 : 0);
}

int player_count_busy(const struct player *player)
{
	int n = 0;
	for (int i = 0; i < player->n_buffers; i++) {
		n += player->buffers[i].busy;
	}
	return n;
}

bool player_shows(const struct player *player, int x, int y, uint32_t pixel, int least)
{
	const int shown = (int)(pixel & ((1u << UPDATE_BITS) - 1));
	while (least > 0 && !box_contains_point(&player->boxes[least], x, y)) {
		least--;
	}
	return (pixel & 0xffffff) >> UPDATE_BITS == (uint32_t)player->index && shown >= least &&
	       shown < player->n_updates && box_contains_point(&player->boxes[shown], x, y);
}
