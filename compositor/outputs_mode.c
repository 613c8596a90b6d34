/*
 * Which mode an output is in, and at what depth: what is wished if the kernel agrees, and what is given up,
 * in a stated order, if it does not.
 */

#include "outputs.h"
#include "server.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <fnmatch.h>
#include <stdlib.h>

/* For the others' next frames to show, which no longer have what they shall do without. */
#define ROOM_WAIT INT64_C(100000000)

static const struct config_output *find_section(
	const struct server_output *entry, const struct config *config)
{
	const struct output *output = entry->output;
	char *screen = output->make || output->model
			       ? xasprintf("%s %s %s", output->make ? output->make : "Unknown",
					 output->model ? output->model : "Unknown",
					 output->serial ? output->serial : "Unknown")
			       : NULL;
	const struct config_output *section = config_output_find(config, output->name, screen);
	free(screen);
	return section;
}

const struct config_output *server_output_find_config(const struct server_output *entry)
{
	if (entry->has_wish) {
		return &entry->wish;
	}
	return find_section(entry, entry->server->shell->config);
}

void server_outputs_compare(struct server *server, const struct config *next)
{
	struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (!config_output_equal(find_section(entry, server->shell->config),
			    find_section(entry, next))) {
			entry->has_wish = false;
		}
	}
}

bool output_find_mode(
	const struct output *output, const struct config_output *config, struct output_mode *mode)
{
	const struct output_mode *best = NULL;
	for (size_t i = 0; i < output->n_modes; i++) {
		const struct output_mode *have = &output->modes[i];
		if (have->width != config->width || have->height != config->height) {
			continue;
		}
		int32_t wish = config->refresh > 0 ? config->refresh : INT32_MAX;
		if (!best || abs(have->refresh - wish) < abs(best->refresh - wish)) {
			best = have;
		}
	}
	/* Screens say 59.951 Hz and people 60. */
	if (best && (config->refresh == 0 || abs(best->refresh - config->refresh) <= 1000)) {
		*mode = *best;
		return true;
	}
	if (output->custom_modes) {
		*mode = (struct output_mode){.width = config->width,
			.height = config->height,
			.refresh = config->refresh > 0 ? config->refresh : 60000};
		return true;
	}
	return false;
}

static bool preferred_mode(const struct output *output, struct output_mode *mode)
{
	if (output->n_modes == 0) {
		return false;
	}
	*mode = output->modes[0];
	for (size_t i = 0; i < output->n_modes; i++) {
		if (output->modes[i].preferred) {
			*mode = output->modes[i];
			break;
		}
	}
	return true;
}

bool output_choose_mode(
	const struct output *output, const struct config_output *config, struct output_mode *mode)
{
	if (config && config->has_mode) {
		return output_find_mode(output, config, mode);
	}
	if (output->enabled) {
		*mode = output->mode;
		return true;
	}
	return preferred_mode(output, mode);
}

/* Adds the depth that is wished, if it is not what is set. */
static void set_depth(
	struct server_output *entry, const struct config_output *config, struct output_state *state)
{
	const struct output *output = entry->output;
	int32_t bits = 0;
	switch (config ? config->bit_depth : CONFIG_BIT_DEPTH_AUTO) {
	case CONFIG_BIT_DEPTH_8: bits = 8; break;
	case CONFIG_BIT_DEPTH_10: bits = 10; break;
	}
	bits = bits < output->max_bit_depth ? bits : output->max_bit_depth;
	if (output->max_bit_depth > 0 && bits != output->bit_depth) {
		state->fields |= OUTPUT_BIT_DEPTH;
		state->bit_depth = bits;
	}
}

/* What the kernel is asked for; false: it is so already. */
static bool describe(struct server_output *entry, const struct config_output *config,
	const struct output_mode *mode, struct output_state *state)
{
	const struct output *output = entry->output;
	output_state_init(state);
	if (!output->enabled || !output_mode_equal(&output->mode, mode)) {
		state->fields = OUTPUT_ENABLED | OUTPUT_MODE;
		state->enabled = true;
		state->mode = *mode;
	}
	set_depth(entry, config, state);
	return state->fields;
}

static bool commit(struct output *output, const struct output_state *state)
{
	return output_test(output, state) && output_commit(output, state) != 0;
}

/* At the depth that is wished, else at eight bits. */
static bool set_mode(struct server_output *entry, const struct config_output *config,
	const struct output_mode *mode)
{
	struct output *output = entry->output;
	struct output_state state;
	if (!describe(entry, config, mode, &state) || commit(output, &state)) {
		return true;
	}
	if (!(state.fields & OUTPUT_BIT_DEPTH) || state.bit_depth <= 8) {
		return false;
	}
	state.bit_depth = 8;
	bool done = commit(output, &state);
	if (done) {
		log_warn("%s: it cannot be set to more than 8 bits", output->name);
	}
	return done;
}

static bool is_neighbour(const struct server_output *entry, const struct server_output *other)
{
	return other != entry && other->output->gpu == entry->output->gpu;
}

/* All of its card but itself do without that. True if one of them has to draw a frame for it. */
static bool economise(struct server_output *entry, enum frame_economy economy)
{
	struct server_output *other;
	bool any = false;
	wl_list_for_each (other, &entry->server->outputs, link) {
		if (is_neighbour(entry, other) && other->frame) {
			any |= frame_output_economise(other->frame, economy);
		}
	}
	return any;
}

/* The next step of what others can do without; false: there is none left. */
static bool make_room(struct server_output *entry)
{
	if (entry->has_wish || entry->dark || entry->output->asleep || !entry->output->gpu) {
		return false;
	}
	while (entry->room < FRAME_ECONOMY_MOST) {
		entry->room++;
		if (economise(entry, entry->room)) {
			log_info("%s: the others make room for it (step %d)", entry->output->name,
				(int)entry->room);
			timer_arm(&entry->room_timer, clock_now(entry->server->clock) + ROOM_WAIT);
			return true;
		}
	}
	return false;
}

static void stop_making_room(struct server_output *entry)
{
	timer_disarm(&entry->room_timer);
	if (entry->room != FRAME_ECONOMY_NONE) {
		/* What is too much for the card by now is refused to them frame by frame. */
		economise(entry, FRAME_ECONOMY_NONE);
		entry->room = FRAME_ECONOMY_NONE;
	}
}

/* The same size at a lower rate comes before a smaller one; then the one with more pixels a second. */
static bool is_better(
	const struct output_mode *a, const struct output_mode *b, const struct output_mode *wish)
{
	bool a_same = a->width == wish->width && a->height == wish->height;
	bool b_same = b->width == wish->width && b->height == wish->height;
	int64_t a_rate = (int64_t)a->width * a->height * a->refresh;
	int64_t b_rate = (int64_t)b->width * b->height * b->refresh;
	return a_same != b_same ? a_same : a_rate > b_rate;
}

/* The best of the list that comes after `last`, which is what was refused last. */
static const struct output_mode *next_lower(
	const struct output *output, const struct output_mode *wish, const struct output_mode *last)
{
	const struct output_mode *best = NULL;
	for (size_t i = 0; i < output->n_modes; i++) {
		const struct output_mode *mode = &output->modes[i];
		if (is_better(last, mode, wish) && (!best || is_better(mode, best, wish))) {
			best = mode;
		}
	}
	return best;
}

static bool set_lower(struct server_output *entry, const struct config_output *config,
	const struct output_mode *wish)
{
	const struct output *output = entry->output;
	struct output_mode last = *wish;
	const struct output_mode *mode;
	while ((mode = next_lower(output, wish, &last))) {
		last = *mode;
		if (set_mode(entry, config, &last)) {
			log_warn("%s: it is in %dx%d at %d mHz, since the card refused more",
				output->name, last.width, last.height, last.refresh);
			return true;
		}
	}
	return false;
}

/* The mode that it shall be in, if there is one: what it was lowered to is not that. */
static bool find_wish(const struct server_output *entry, const struct config_output *config,
	struct output_mode *mode)
{
	bool lowered = entry->lowered && !(config && config->has_mode);
	return lowered ? preferred_mode(entry->output, mode)
		       : output_choose_mode(entry->output, config, mode);
}

enum server_output_lit server_output_light(
	struct server_output *entry, const struct config_output *config)
{
	struct output *output = entry->output;
	struct output_mode wish;
	bool found = find_wish(entry, config, &wish);
	if (found && set_mode(entry, config, &wish)) {
		entry->lowered = false;
		stop_making_room(entry);
		return SERVER_OUTPUT_LIT;
	}
	if (found && make_room(entry)) {
		return output->enabled ? SERVER_OUTPUT_LIT : SERVER_OUTPUT_WAITS;
	}
	bool configured = config && config->has_mode;
	if (configured) {
		log_warn("%s: mode %dx%d cannot be set, using the preferred one", output->name,
			config->width, config->height);
	}
	struct output_mode preferred;
	bool done = preferred_mode(output, &preferred) &&
		    ((configured && set_mode(entry, config, &preferred)) ||
			    (entry->lowered && output->enabled) ||
			    set_lower(entry, config, &preferred));
	entry->lowered = found;
	stop_making_room(entry);
	if (!done) {
		log_warn("%s: no mode can be set", output->name);
	}
	return done ? SERVER_OUTPUT_LIT : SERVER_OUTPUT_REFUSED;
}

static bool shall_be_lit(const struct server_output *entry, const struct config_output *config)
{
	return !entry->dark && !entry->covered && !entry->output->leased &&
	       !server_output_is_lendable(entry, config) && (!config || config->enabled);
}

void server_outputs_light_together(struct server *server)
{
	size_t n = 0, most = (size_t)wl_list_length(&server->outputs) + 1;
	struct output_state *states = xcalloc(most, sizeof(*states));
	struct output_change *changes = xcalloc(most, sizeof(*changes));
	struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		const struct config_output *config = server_output_find_config(entry);
		struct output_mode mode;
		if (shall_be_lit(entry, config) && find_wish(entry, config, &mode) &&
			describe(entry, config, &mode, &states[n])) {
			changes[n] = (struct output_change){entry->output, &states[n]};
			n++;
		}
	}
	/* What cannot be had together is tried one by one after this. */
	if (n > 1 && outputs_test(changes, n)) {
		outputs_commit(changes, n);
	}
	free(states);
	free(changes);
}

static void handle_room(struct timer *timer, int64_t now)
{
	struct server_output *entry = wl_container_of(timer, entry, room_timer);
	server_output_configure(entry);
}

void server_output_init_room(struct server_output *entry)
{
	timer_init(&entry->room_timer, entry->server->clock, handle_room);
}

void server_output_leave_room(struct server_output *entry, bool was_lit)
{
	struct server_output *other;
	stop_making_room(entry);
	wl_list_for_each (other, &entry->server->outputs, link) {
		if (was_lit && is_neighbour(entry, other) && other->lowered &&
			!other->room_timer.armed) {
			/* Soon, and not in the midst of what takes this one away. */
			timer_arm(&other->room_timer, clock_now(entry->server->clock));
		}
	}
}
