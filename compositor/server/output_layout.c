/* SPDX-License-Identifier: MIT */
/*
 * Layout of outputs: those without a configured position form a row in the order in which their
 * screens were first connected, laid out anew after each change of the set or of a size.
 */

#include "outputs.h"
#include "scene/output.h"
#include "server/output.h"
#include "server/server.h"
#include "state.h"
#include "util/log.h"

/* Returns an output with a fixed position that covers a part of the box, or NULL. */
static const struct output_place *find_obstacle(
	const struct output_place *places, size_t n, const struct box *box)
{
	for (size_t i = 0; i < n; i++) {
		struct box common;
		if (places[i].fixed && box_intersect(&common, &places[i].box, box)) {
			return &places[i];
		}
	}
	return NULL;
}

void output_places_arrange(struct output_place *places, size_t n)
{
	/* The box of the previous outputs: its right edge and its top. */
	int right = 0, top = 0;
	for (size_t i = 0; i < n; i++) {
		struct box *box = &places[i].box;
		if (!places[i].fixed) {
			const struct output_place *obstacle;
			box->x = right;
			box->y = top;
			while ((obstacle = find_obstacle(places, n, box))) {
				box->x = obstacle->box.x + obstacle->box.width;
			}
		}
		right = i == 0 || box->x + box->width > right ? box->x + box->width : right;
		top = i == 0 || box->y < top ? box->y : top;
	}
}

/* Returns the box of an output with the mode and the settings that are to be set. */
static struct box find_future_box(const struct server_output *entry)
{
	const struct config_output *config = server_output_find_config(entry);
	const struct output_mode mode = server_output_mode(entry);
	const double scale = server_output_scale(entry, config);
	const bool turns = transform_swaps(server_output_transform(config));
	return (struct box){
		.width = coord_round_up((turns ? mode.height : mode.width) / scale),
		.height = coord_round_up((turns ? mode.width : mode.height) / scale),
	};
}

/*
 * Lists the outputs of the scene in the order of the layout, or those that will be there. Returns
 * their number.
 */
static size_t list_places(struct server *server, bool future, struct server_output **entries,
	struct output_place *places)
{
	size_t n = 0;
	struct server_screen *screen;
	wl_list_for_each (screen, &server->state->screens, link) {
		struct server_output *entry = screen->output;
		if (!entry || n == SCENE_OUTPUTS_MAX ||
			!(future ? server_output_has_place(entry) : entry->scene_output != NULL)) {
			continue;
		}
		const struct config_output *config = server_output_find_config(entry);
		const bool waits = future && (entry->postponed || entry->dark);
		entries[n] = entry;
		places[n].box =
			waits ? find_future_box(entry) : scene_output_box(entry->scene_output);
		places[n].fixed = config && config->has_position;
		if (places[n].fixed) {
			places[n].box.x = config->x;
			places[n].box.y = config->y;
		}
		n++;
	}
	return n;
}

/* Logs the first overlap of each output, once while it lasts. */
static void report_overlaps(
	struct server_output *const *entries, const struct output_place *places, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t other = 0;
		struct box common;
		while (other < i && !box_intersect(&common, &places[i].box, &places[other].box)) {
			other++;
		}
		bool overlaps = other < i;
		if (overlaps && !entries[i]->screen->overlaps) {
			log_warn("%s and %s overlap at %d,%d: positions are in logical pixels "
				 "(the mode divided by the scale)",
				entries[other]->output->name, entries[i]->output->name, common.x,
				common.y);
		}
		entries[i]->screen->overlaps = overlaps;
	}
}

void server_outputs_lay_out(struct server *server)
{
	struct server_output *entries[SCENE_OUTPUTS_MAX];
	struct output_place places[SCENE_OUTPUTS_MAX];
	size_t n = list_places(server, false, entries, places);
	output_places_arrange(places, n);
	for (size_t i = 0; i < n; i++) {
		scene_output_set_position(
			entries[i]->scene_output, places[i].box.x, places[i].box.y);
	}
	report_overlaps(entries, places, n);
}

void server_output_find_position(const struct server_output *entry, int32_t *x, int32_t *y)
{
	struct server_output *entries[SCENE_OUTPUTS_MAX];
	struct output_place places[SCENE_OUTPUTS_MAX];
	size_t n = list_places(entry->server, true, entries, places);
	output_places_arrange(places, n);
	for (size_t i = 0; i < n; i++) {
		if (entries[i] == entry) {
			*x = places[i].box.x;
			*y = places[i].box.y;
		}
	}
}
