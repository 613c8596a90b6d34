/* SPDX-License-Identifier: MIT */
/* Frames of outputs that show players. */

#include "harness/client/player_view.h"
#include "frame/internal.h"
#include "harness/unit.h"
#include "scene/scene.h"
#include "surface/surface.h"
#include <string.h>

/* Updates the pixels of a player that must be shown, which are visible in the entry. */
static void know(struct player_view *view, pixman_region32_t *known, struct scene_entry *entry)
{
	pixman_region32_t visible;
	pixman_region32_init(&visible);
	if (entry) {
		pixman_region32_copy(&visible, &entry->visible);
		pixman_region32_translate(&visible, -entry->dst.x, -entry->dst.y);
	}
	if (view->views->late) {
		pixman_region32_intersect(known, known, &visible);
	} else {
		pixman_region32_copy(known, &visible);
	}
	pixman_region32_fini(&visible);
}

static struct player_point choose_point(struct player_view *view, int player)
{
	const struct scene_output *output = view->frame->scene_output;
	const struct scene_surface *node = scene_surface_find(view->views->surfaces[player]);
	const int index = node ? node->node.entry_index[output->index] : -1;
	struct scene_entry *entry = index < 0 ? NULL : &output->entries[index];
	pixman_region32_t *known = &view->known[player];
	int n;
	know(view, known, entry);
	if (!entry) {
		return (struct player_point){0};
	}
	const pixman_box32_t *boxes = pixman_region32_rectangles(&entry->visible, &n);
	const pixman_box32_t *box = &boxes[random_between(0, n - 1)];
	const int x = random_between(box->x1, box->x2 - 1);
	const int y = random_between(box->y1, box->y2 - 1);
	const int at_x = x - entry->dst.x, at_y = y - entry->dst.y;
	return (struct player_point){
		true, pixman_region32_contains_point(known, at_x, at_y, NULL), x, y, at_x, at_y, 0};
}

static void handle_drawn(struct wl_listener *listener, void *data)
{
	struct player_view *view = wl_container_of(listener, view, drawn);
	const struct frame_drawn *drawn = data;
	view->pictures[0] = view->pictures[1];
	view->pictures[1] = (struct player_picture){drawn->commit, drawn->buffer, {{0}}};
	for (int i = 0; i < view->views->n_players; i++) {
		view->pictures[1].points[i] = choose_point(view, i);
	}
}

/* Reads the points before the buffer is drawn to again. */
static void read_points(struct player_picture *picture, int n)
{
	void *data;
	size_t stride;
	assert_int_equal(buffer_begin_access(picture->buffer, BUFFER_READ, &data, &stride), 0);
	for (int i = 0; i < n; i++) {
		struct player_point *point = &picture->points[i];
		memcpy(&point->pixel,
			(char *)data + (size_t)point->y * stride + (size_t)point->x * 4, 4);
	}
	buffer_end_access(picture->buffer);
}

static void handle_present(struct wl_listener *listener, void *data)
{
	struct player_view *view = wl_container_of(listener, view, present);
	const struct output_present *present = data;
	for (int i = 0; i < 2; i++) {
		if (present->presented && view->pictures[i].commit == present->commit) {
			view->before = view->shown;
			view->shown = view->pictures[i];
			view->fresh = true;
			read_points(&view->shown, view->views->n_players);
		}
	}
}

void player_views_watch(struct player_views *views, struct frame_output *frame)
{
	struct player_view *view = &views->outputs[views->n_outputs++];
	view->views = views;
	view->frame = frame;
	for (int i = 0; i < PLAYERS_MAX; i++) {
		pixman_region32_init(&view->known[i]);
	}
	signal_add(&frame_output_events(frame)->drawn, &view->drawn, handle_drawn);
	signal_add(&frame->output->events.present, &view->present, handle_present);
}

/* Updates of hidden surfaces wait for no copies. */
static void handle_visible(struct wl_listener *listener, void *data)
{
	struct player_sight *sight = wl_container_of(listener, sight, visible);
	for (int i = 0; i < sight->views->n_outputs; i++) {
		pixman_region32_clear(
			&sight->views->outputs[i].known[sight - sight->views->sights]);
	}
}

void player_views_add(struct player_views *views, struct surface *surface)
{
	const int i = views->n_players++;
	views->surfaces[i] = surface;
	views->sights[i].views = views;
	signal_add(&surface->events.visible, &views->sights[i].visible, handle_visible);
}

void player_views_finish(struct player_views *views)
{
	for (int i = 0; i < views->n_players; i++) {
		wl_list_remove(&views->sights[i].visible.link);
	}
	for (int i = 0; i < views->n_outputs; i++) {
		wl_list_remove(&views->outputs[i].drawn.link);
		wl_list_remove(&views->outputs[i].present.link);
		for (int j = 0; j < PLAYERS_MAX; j++) {
			pixman_region32_fini(&views->outputs[i].known[j]);
		}
	}
}

/* Adds to `seen` whether the picture shows player `i`. Returns whether it shows the update. */
static bool shows(const struct player_views *views, const struct player_picture *picture, int i,
	int update, bool *seen)
{
	const struct player_point *point = &picture->points[i];
	const bool valid = picture->buffer && point->valid;
	*seen |= valid;
	return valid &&
	       player_shows(&views->players[i], point->at_x, point->at_y, point->pixel, update);
}

bool player_views_show(const struct player_views *views, int i, int update, bool *seen)
{
	bool shown = false;
	*seen = false;
	for (int j = 0; j < views->n_outputs; j++) {
		shown |= shows(views, &views->outputs[j].shown, i, update, seen);
	}
	return shown;
}

/*
 * Returns whether a picture that was on screen since the last check shows the update, or none shows
 * the surface.
 */
static bool was_shown(const struct player_views *views, int i, int update)
{
	bool seen, shown = player_views_show(views, i, update, &seen);
	for (int j = 0; j < views->n_outputs; j++) {
		const struct player_view *view = &views->outputs[j];
		shown |= view->fresh && shows(views, &view->before, i, update, &seen);
	}
	return shown || !seen;
}

void player_views_check(struct player_views *views, uint64_t seed)
{
	for (int i = 0; i < views->n_players; i++) {
		const struct player *player = &views->players[i];
		for (int j = 0; j < player->n_events; j++) {
			if (!was_shown(views, i, player->events[j])) {
				fail_msg("seed %d: feedback of player %d precedes update %d",
					(int)seed, player->index, player->events[j]);
			}
		}
		for (int j = 0; j < views->n_outputs; j++) {
			const struct player_view *view = &views->outputs[j];
			const struct player_point *point = &view->shown.points[i];
			if (view->fresh && point->valid && point->sure &&
				!player_shows(player, point->at_x, point->at_y, point->pixel, 0)) {
				fail_msg("seed %d: output %d, pixel %d, %d of player %d: %08x",
					(int)seed, j, point->at_x, point->at_y, player->index,
					point->pixel);
			}
		}
	}
	for (int j = 0; j < views->n_outputs; j++) {
		views->outputs[j].fresh = false;
	}
}
