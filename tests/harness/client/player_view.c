/* SPDX-License-Identifier: MIT */
/* Frames of outputs that show players. */

#include "harness/client/player_view.h"
#include "frame/internal.h"
#include "harness/unit.h"
#include "scene/scene.h"
#include <string.h>

static struct player_point choose_point(
	const struct player_view *view, const struct surface *surface)
{
	const struct scene_output *output = view->frame->scene_output;
	const struct scene_surface *node = scene_surface_find(surface);
	const int index = node ? node->node.entry_index[output->index] : -1;
	int n;
	if (index < 0) {
		return (struct player_point){0};
	}
	struct scene_entry *entry = &output->entries[index];
	const pixman_box32_t *boxes = pixman_region32_rectangles(&entry->visible, &n);
	const pixman_box32_t *box = &boxes[random_between(0, n - 1)];
	const int x = random_between(box->x1, box->x2 - 1);
	const int y = random_between(box->y1, box->y2 - 1);
	return (struct player_point){true, x, y, x - entry->dst.x, y - entry->dst.y};
}

static void handle_drawn(struct wl_listener *listener, void *data)
{
	struct player_view *view = wl_container_of(listener, view, drawn);
	const struct frame_drawn *drawn = data;
	view->pictures[0] = view->pictures[1];
	view->pictures[1] = (struct player_picture){drawn->commit, drawn->buffer, {{0}}};
	for (int i = 0; i < view->views->n_players; i++) {
		view->pictures[1].points[i] = choose_point(view, view->views->surfaces[i]);
	}
}

static void handle_present(struct wl_listener *listener, void *data)
{
	struct player_view *view = wl_container_of(listener, view, present);
	const struct output_present *present = data;
	for (int i = 0; i < 2; i++) {
		if (present->presented && view->pictures[i].commit == present->commit) {
			view->shown = view->pictures[i];
			view->fresh = true;
		}
	}
}

void player_views_watch(struct player_views *views, struct frame_output *frame)
{
	struct player_view *view = &views->outputs[views->n_outputs++];
	view->views = views;
	view->frame = frame;
	signal_add(&frame_output_events(frame)->drawn, &view->drawn, handle_drawn);
	signal_add(&frame->output->events.present, &view->present, handle_present);
}

void player_views_finish(struct player_views *views)
{
	for (int i = 0; i < views->n_outputs; i++) {
		wl_list_remove(&views->outputs[i].drawn.link);
		wl_list_remove(&views->outputs[i].present.link);
	}
}

static uint32_t read_pixel(const struct player_view *view, const struct player_point *point)
{
	void *data;
	size_t stride;
	struct buffer *buffer = view->shown.buffer;
	assert_int_equal(buffer_begin_access(buffer, BUFFER_READ, &data, &stride), 0);
	uint32_t pixel;
	memcpy(&pixel, (char *)data + (size_t)point->y * stride + (size_t)point->x * 4, 4);
	buffer_end_access(buffer);
	return pixel;
}

bool player_views_show(const struct player_views *views, int i, int update, bool *seen)
{
	bool shown = false;
	*seen = false;
	for (int j = 0; j < views->n_outputs; j++) {
		const struct player_view *view = &views->outputs[j];
		const struct player_point *point = &view->shown.points[i];
		if (view->shown.buffer && point->valid) {
			*seen = true;
			shown |= player_shows(&views->players[i], point->at_x, point->at_y,
				read_pixel(view, point), update);
		}
	}
	return shown;
}

void player_views_check(struct player_views *views, uint64_t seed)
{
	bool seen;
	for (int i = 0; i < views->n_players; i++) {
		const struct player *player = &views->players[i];
		for (int j = 0; j < player->n_events; j++) {
			if (!player_views_show(views, i, player->events[j], &seen) && seen) {
				fail_msg("seed %d: feedback of player %d precedes update %d",
					(int)seed, player->index, player->events[j]);
			}
		}
		for (int j = 0; j < views->n_outputs; j++) {
			const struct player_view *view = &views->outputs[j];
			const struct player_point *point = &view->shown.points[i];
			if (view->fresh && point->valid &&
				!player_shows(player, point->at_x, point->at_y,
					read_pixel(view, point), 0)) {
				fail_msg("seed %d: output %d, pixel %d, %d of player %d: %08x",
					(int)seed, j, point->at_x, point->at_y, player->index,
					read_pixel(view, point));
			}
		}
	}
	for (int j = 0; j < views->n_outputs; j++) {
		views->outputs[j].fresh = false;
	}
}
