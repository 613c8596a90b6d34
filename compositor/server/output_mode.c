/* SPDX-License-Identifier: MIT */
/*
 * Output modes and depth: the requested ones if the kernel accepts them, else lower ones in the
 * order given in outputs.h.
 */

#include "backend/output.h"
#include "frame/frame.h"
#include "outputs.h"
#include "server/output.h"
#include "server/server.h"
#include "shell/shell.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* Time for the next frames of other outputs, which free resources of the card; ns. */
#define ROOM_WAIT INT64_C(100000000)

/* Returns true if a listed mode has the configured size and rate. */
static bool suits(const struct output_mode *mode, const struct config_output *config)
{
	/* Displays report 59.951 Hz where users write 60. */
	return mode->width == config->width && mode->height == config->height &&
	       (config->refresh == 0 || abs(mode->refresh - config->refresh) <= 1000);
}

/*
 * Compares modes that suit: the one that a client chose is the best, then those that are interlaced
 * only as configured, then the nearest rate, or the highest.
 */
static bool suits_better(const struct output_mode *a, const struct output_mode *b,
	const struct config_output *config)
{
	bool a_chosen = config->timing && a->timing == config->timing;
	bool b_chosen = config->timing && b->timing == config->timing;
	bool a_scan = a->interlaced == config->interlaced;
	bool b_scan = b->interlaced == config->interlaced;
	int32_t requested = config->refresh > 0 ? config->refresh : INT32_MAX;
	return a_chosen != b_chosen ? a_chosen
	       : a_scan != b_scan   ? a_scan
				    : abs(a->refresh - requested) < abs(b->refresh - requested);
}

bool output_find_mode(
	const struct output *output, const struct config_output *config, struct output_mode *mode)
{
	const struct output_mode *best = NULL;
	for (size_t i = 0; i < output->n_modes; i++) {
		const struct output_mode *have = &output->modes[i];
		if (suits(have, config) && (!best || suits_better(have, best, config))) {
			best = have;
		}
	}
	if (best) {
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
	for (size_t i = 0; mode->interlaced && i < output->n_modes; i++) {
		if (!output->modes[i].interlaced) {
			*mode = output->modes[i];
		}
	}
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

/* Adds the requested depth if it differs from the current one. */
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

/* Describes the state to commit. Returns false if it is current already. */
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

/*
 * Sets the mode with the requested depth, else with its current depth in this mode, or eight bits.
 */
static bool set_mode(struct server_output *entry, const struct config_output *config,
	const struct output_mode *mode)
{
	struct output *output = entry->output;
	struct output_state state;
	if (!describe(entry, config, mode, &state) || commit(output, &state)) {
		entry->depth_refused = false;
		return true;
	}
	if (!(state.fields & OUTPUT_BIT_DEPTH)) {
		return false;
	}
	if (state.fields != OUTPUT_BIT_DEPTH) {
		const bool deep = state.bit_depth > 8;
		state.bit_depth = 8;
		if (!deep || !commit(output, &state)) {
			return false;
		}
	}
	if (!entry->depth_refused) {
		log_warn("%s: the card refused the bit-depth of the configuration; trying again",
			output->name);
	}
	entry->depth_refused = true;
	return true;
}

/* Reduces the other outputs of the card. Returns true if one of them must draw a frame for that. */
static bool reduce_others(struct server_output *entry, enum frame_economy economy)
{
	struct server_output *other;
	bool any = false;
	wl_list_for_each (other, &entry->server->outputs, link) {
		if (server_output_is_neighbour(entry, other) && other->frame) {
			any |= frame_output_economise(other->frame, economy);
		}
	}
	return any;
}

/* A client waits for the result, and later tries to raise a mode do not disturb others. */
static bool may_make_room(const struct server_output *entry)
{
	return !entry->screen->has_client_config && !entry->dark && !entry->output->asleep &&
	       entry->output->gpu && (entry->n_retries == 0 || !entry->output->enabled);
}

/* Takes the next step of reducing other outputs. Returns false if all steps are taken. */
static bool make_room(struct server_output *entry)
{
	if (!may_make_room(entry)) {
		return false;
	}
	while (entry->room < FRAME_ECONOMY_MAX) {
		entry->room++;
		if (reduce_others(entry, entry->room)) {
			log_info("%s: reducing other outputs of the card to enable it (step %d)",
				entry->output->name, (int)entry->room);
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
		/*
		 * Frames of the others are tested one by one, and use less if the card refuses
		 * them.
		 */
		reduce_others(entry, FRAME_ECONOMY_NONE);
		entry->room = FRAME_ECONOMY_NONE;
	}
}

static int64_t pixels_per_second(const struct output_mode *mode)
{
	int64_t lines = mode->interlaced ? mode->height / 2 : mode->height;
	return mode->width * lines * mode->refresh;
}

static size_t find_listed(const struct output *output, const struct output_mode *mode)
{
	size_t i = 0;
	while (i < output->n_modes && !output_mode_equal(&output->modes[i], mode)) {
		i++;
	}
	return i;
}

/*
 * Compares modes: `requested`'s size at any rate before other sizes, then more pixels per second
 * first, then the order of the list.
 */
static bool is_better(const struct output *output, const struct output_mode *a,
	const struct output_mode *b, const struct output_mode *requested)
{
	bool a_same = a->width == requested->width && a->height == requested->height;
	bool b_same = b->width == requested->width && b->height == requested->height;
	int64_t a_rate = pixels_per_second(a), b_rate = pixels_per_second(b);
	return a_same != b_same   ? a_same
	       : a_rate != b_rate ? a_rate > b_rate
				  : find_listed(output, a) < find_listed(output, b);
}

/* Returns the best mode that is worse than `last`, the mode refused last. */
static const struct output_mode *next_lower(const struct output *output,
	const struct output_mode *requested, const struct output_mode *last)
{
	const struct output_mode *best = NULL;
	for (size_t i = 0; i < output->n_modes; i++) {
		const struct output_mode *mode = &output->modes[i];
		if (is_better(output, last, mode, requested) &&
			(!best || is_better(output, mode, best, requested))) {
			best = mode;
		}
	}
	return best;
}

/*
 * Sets the best mode below `requested` that the card accepts. An output that was lowered before
 * keeps its mode unless a better one is accepted.
 */
static bool set_lower(struct server_output *entry, const struct config_output *config,
	const struct output_mode *requested)
{
	const struct output *output = entry->output;
	struct output_mode last = *requested;
	const struct output_mode *mode;
	while ((mode = next_lower(output, requested, &last))) {
		if (entry->lowered && output->enabled &&
			!is_better(output, mode, &output->mode, requested)) {
			return true;
		}
		last = *mode;
		if (set_mode(entry, config, &last)) {
			log_warn("%s: using %dx%d at %d mHz because the card refused higher modes",
				output->name, last.width, last.height, last.refresh);
			return true;
		}
	}
	return entry->lowered && output->enabled;
}

/* Finds the requested mode, as opposed to the one that the output was lowered to. */
static bool find_requested_mode(const struct server_output *entry,
	const struct config_output *config, struct output_mode *mode)
{
	/* Clients that set no mode keep the current one. */
	const bool returns = entry->lowered || entry->mode_ended ||
			     (entry->configured && !entry->screen->has_client_config);
	return returns && !(config && config->has_mode)
		       ? preferred_mode(entry->output, mode)
		       : output_choose_mode(entry->output, config, mode);
}

struct output_mode server_output_mode(const struct server_output *entry)
{
	const struct config_output *config = server_output_find_config(entry);
	struct output_mode mode;
	const bool waits = entry->postponed || entry->dark;
	return waits && find_requested_mode(entry, config, &mode) ? mode : entry->output->mode;
}

void server_output_note_mode(struct server_output *entry, const struct config_output *config)
{
	entry->mode_ended |= entry->configured && !entry->screen->has_client_config &&
			     !(config && config->has_mode);
}

enum server_output_result server_output_enable(
	struct server_output *entry, const struct config_output *config)
{
	struct output *output = entry->output;
	struct output_mode requested;
	const char *lacks = output_lacks(output);
	if (lacks) {
		if (!entry->lacks) {
			log_warn("%s: cannot enable it: %s", output->name, lacks);
		}
		entry->lacks = lacks;
		entry->lowered = true;
		stop_making_room(entry);
		return SERVER_OUTPUT_REFUSED;
	}
	entry->lacks = NULL;
	struct output_mode before = output->enabled ? output->mode : (struct output_mode){0};
	bool found = find_requested_mode(entry, config, &requested), logged = entry->lowered;
	if (found && set_mode(entry, config, &requested)) {
		if (logged && !output_mode_equal(&before, &requested)) {
			log_info("%s: the card now accepts %dx%d at %d mHz", output->name,
				requested.width, requested.height, requested.refresh);
		}
		entry->lowered = entry->mode_ended = false;
		entry->configured = (config && config->has_mode) ||
				    (entry->configured && entry->screen->has_client_config);
		stop_making_room(entry);
		return SERVER_OUTPUT_ENABLED;
	}
	if (found && make_room(entry)) {
		return output->enabled ? SERVER_OUTPUT_ENABLED : SERVER_OUTPUT_WAITS;
	}
	bool configured = config && config->has_mode;
	if (configured && !logged) {
		log_warn("%s: cannot set the mode %dx%d, using the preferred one", output->name,
			config->width, config->height);
	}
	struct output_mode preferred;
	bool done = preferred_mode(output, &preferred) &&
		    ((configured && set_mode(entry, config, &preferred)) ||
			    set_lower(entry, config, &preferred));
	entry->lowered = found || !done;
	stop_making_room(entry);
	if (!done && !logged) {
		log_warn("%s: cannot set any mode%s", output->name,
			output->enabled ? ", keeping the last one" : "");
	}
	/* A mode that has vanished from the list may be the only one that the card accepts. */
	return done || output->enabled ? SERVER_OUTPUT_ENABLED : SERVER_OUTPUT_REFUSED;
}

bool server_output_plan_mode(struct server_output *entry, const struct config_output *config)
{
	struct output_mode mode;
	if (!find_requested_mode(entry, config, &mode) && !preferred_mode(entry->output, &mode)) {
		return false;
	}
	if (!entry->output->enabled) {
		entry->output->mode = mode;
	}
	return true;
}

static bool should_be_enabled(const struct server_output *entry, const struct config_output *config)
{
	return !entry->output->asleep && !entry->dark && !entry->screen->off && !entry->covered &&
	       !entry->output->leased && !server_output_is_lendable(entry, config) &&
	       !server_output_is_left_out(entry, config) && (!config || config->enabled);
}

/*
 * Commits changes in one step if possible. Otherwise, leaves out each one that is refused beside
 * the earlier ones.
 */
static void commit_together(struct output_change *changes, size_t n)
{
	if (n < 2 || (outputs_test(changes, n) && outputs_commit(changes, n))) {
		return;
	}
	size_t n_kept = 0;
	for (size_t i = 0; i < n; i++) {
		changes[n_kept] = changes[i];
		n_kept += outputs_test(changes, n_kept + 1);
	}
	if (n_kept > 1) {
		outputs_commit(changes, n_kept);
	}
}

void server_outputs_enable_together(struct server *server)
{
	size_t n = 0, most = (size_t)wl_list_length(&server->outputs) + 1;
	struct output_state *states = xcalloc(most, sizeof(*states));
	struct output_change *changes = xcalloc(most, sizeof(*changes));
	struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		const struct config_output *config = server_output_find_config(entry);
		struct output_mode mode;
		if (should_be_enabled(entry, config) && find_requested_mode(entry, config, &mode) &&
			describe(entry, config, &mode, &states[n])) {
			changes[n] = (struct output_change){entry->output, &states[n]};
			n++;
		}
	}
	/* Omitted outputs are tried one by one afterwards, with lower modes. */
	commit_together(changes, n);
	free(states);
	free(changes);
}

void server_output_leave_room(struct server_output *entry)
{
	stop_making_room(entry);
}
