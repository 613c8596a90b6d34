/* SPDX-License-Identifier: MIT */
/* Output configurations of clients: tested, applied, and rolled back on failure. */

#include "backend/output.h"
#include "outputs.h"
#include "scene/output.h"
#include "server/output.h"
#include "server/server.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>

/** Limit that keeps box coordinates from overflow, logical pixels. */
#define POSITION_MAX (1 << 20)
/** As in the configuration. */
#define SCALE_MIN 0.25
#define SCALE_MAX 10

void server_output_config(const struct server_output *entry, struct config_output *config)
{
	static const struct config_output usual = {
		.enabled = true,
		.scan_out = true,
		.max_render_time = CONFIG_RENDER_TIME_UNSET,
		.adaptive_sync = CONFIG_ADAPTIVE_SYNC_AUTO,
		.tearing = true,
		.cpu_composition = true,
		.bit_depth = CONFIG_BIT_DEPTH_AUTO,
		.lease = CONFIG_LEASE_AUTO,
	};
	const struct config_output *found = server_output_find_config(entry);
	*config = found ? *found : usual;
	config->name = NULL;
	config->link = (struct wl_list){0};
	/* Drop a configured mode that could not be set. */
	const struct output *output = entry->output;
	struct output_mode mode;
	if (config->has_mode && (!output_find_mode(output, config, &mode) ||
					(output->enabled && !entry->postponed &&
						!output_mode_equal(&output->mode, &mode)))) {
		config->has_mode = false;
	}
	config->enabled = server_output_has_place(entry);
	if (config->enabled) {
		/* Members without has_... stay automatic unless the client sets them. */
		const struct scene_output *place = entry->postponed ? NULL : entry->scene_output;
		server_output_find_position(entry, &config->x, &config->y);
		config->scale = place ? place->scale : server_output_scale(entry, found);
		config->transform = place ? place->transform : server_output_transform(found);
	}
}

static bool in_range(const struct config_output *config)
{
	return (!config->has_scale || (config->scale >= SCALE_MIN && config->scale <= SCALE_MAX)) &&
	       (!config->has_position ||
		       (config->x >= -POSITION_MAX && config->x <= POSITION_MAX &&
			       config->y >= -POSITION_MAX && config->y <= POSITION_MAX));
}

/**
 * Describes a change for the backend. Returns false if it is invalid. Sets *asks if the backend
 * must test it.
 */
static bool describe(
	const struct server_output_change *change, struct output_state *state, bool *asks)
{
	struct server_output *entry = change->output;
	const struct output *output = entry->output;
	const struct config_output *config = &change->config;
	output_state_init(state);
	state->fields = OUTPUT_ENABLED;
	state->enabled = config->enabled;
	/* Sessions apply settings on their return, when the card answers again. */
	*asks = !output->asleep && (config->enabled || output->enabled);
	if (!config->enabled) {
		return true;
	}
	if (entry->covered || entry->lendable || !in_range(config) ||
		!output_choose_mode(output, config, &state->mode)) {
		return false;
	}
	if (!output->enabled || !output_mode_equal(&output->mode, &state->mode)) {
		state->fields |= OUTPUT_MODE;
	}
	const struct config_output *now = server_output_find_config(entry);
	if (config->adaptive_sync == CONFIG_ADAPTIVE_SYNC_ON &&
		(!now || now->adaptive_sync != CONFIG_ADAPTIVE_SYNC_ON)) {
		state->fields |= OUTPUT_ADAPTIVE_SYNC;
		state->adaptive_sync = true;
	}
	return true;
}

bool server_outputs_test(const struct server_output_change *changes, size_t n)
{
	struct output_state *states = xcalloc(n + 1, sizeof(*states));
	struct output_change *asked = xcalloc(n + 1, sizeof(*asked));
	size_t n_asked = 0;
	bool possible = true;
	for (size_t i = 0; possible && i < n; i++) {
		bool asks;
		possible = describe(&changes[i], &states[i], &asks);
		if (asks) {
			asked[n_asked++] =
				(struct output_change){changes[i].output->output, &states[i]};
		}
	}
	possible = possible && outputs_test(asked, n_asked);
	free(states);
	free(asked);
	return possible;
}

/** Returns true if the output has the requested state. */
static bool has_become(const struct server_output *entry, const struct config_output *config)
{
	const struct output *output = entry->output;
	if (entry->postponed) {
		return true;
	}
	if (!config->enabled) {
		return !entry->scene_output && !output->enabled;
	}
	struct output_mode mode;
	return entry->scene_output && (entry->dark || !config->has_mode ||
					      (output_find_mode(output, config, &mode) &&
						      output_mode_equal(&output->mode, &mode)));
}

static bool make(const struct server_output_change *change)
{
	struct server_output *entry = change->output;
	server_output_configure(entry);
	return has_become(entry, &change->config);
}

/**
 * Stores the settings of a client. server_output_config() omits a refused mode, which stays
 * requested unless the client names another one.
 */
static void store(const struct server_output_change *change)
{
	struct server_output *entry = change->output;
	const struct config_output *before = server_output_find_config(entry);
	struct config_output next = change->config;
	if (entry->lowered && !next.has_mode && before && before->has_mode) {
		next.has_mode = true;
		next.width = before->width;
		next.height = before->height;
		next.refresh = before->refresh;
		next.timing = before->timing;
		next.interlaced = before->interlaced;
	}
	entry->screen->client_config = next;
	entry->screen->has_client_config = true;
}

/**
 * Disables outputs first, which frees resources of the card. Enables the others in one commit if
 * possible.
 */
static bool make_all(const struct server_output_change *changes, size_t n)
{
	bool all = true;
	for (size_t i = 0; i < n; i++) {
		store(&changes[i]);
	}
	for (size_t i = 0; i < n; i++) {
		all = (changes[i].config.enabled || make(&changes[i])) && all;
	}
	if (n > 0) {
		server_outputs_enable_together(changes[0].output->server);
	}
	for (size_t i = 0; i < n; i++) {
		all = (!changes[i].config.enabled || make(&changes[i])) && all;
	}
	if (n > 0) {
		server_outputs_pace(changes[0].output->server);
	}
	return all;
}

/** Previous settings, for a rollback. */
struct rollback {
	bool had_client_config, lowered;
	struct config_output client_config;
};

static bool apply(const struct server_output_change *changes, size_t n)
{
	if (!server_outputs_test(changes, n)) {
		return false;
	}
	struct rollback *rollbacks = xcalloc(n, sizeof(*rollbacks));
	struct server_output_change *back = xcalloc(n, sizeof(*back));
	for (size_t i = 0; i < n; i++) {
		struct server_output *entry = changes[i].output;
		rollbacks[i] = (struct rollback){entry->screen->has_client_config, entry->lowered,
			entry->screen->client_config};
		back[i].output = entry;
		server_output_config(entry, &back[i].config);
		if (entry->scene_output && !entry->dark) {
			const struct output_mode *mode = &entry->output->mode;
			back[i].config.has_mode = true;
			back[i].config.width = mode->width;
			back[i].config.height = mode->height;
			back[i].config.refresh = mode->refresh;
			back[i].config.timing = mode->timing;
			back[i].config.interlaced = mode->interlaced;
		}
	}
	bool made = make_all(changes, n);
	if (!made) {
		if (!make_all(back, n)) {
			log_warn("a change of outputs failed, and the previous state cannot be "
				 "restored");
		}
		for (size_t i = 0; i < n; i++) {
			struct server_output *entry = back[i].output;
			entry->screen->has_client_config = rollbacks[i].had_client_config;
			entry->screen->client_config = rollbacks[i].client_config;
			entry->lowered |= rollbacks[i].lowered;
			server_output_schedule_retry(entry);
		}
	}
	free(rollbacks);
	free(back);
	if (n > 0) {
		server_outputs_cover(changes[0].output->server);
	}
	return made;
}

/*
 * Returns true if the client repeats that an output is off although settings enable it: the card
 * refuses it, it lacks a CRTC, or is under the lid. Clients state all outputs, and do not want that
 * the output stays off when the reason ends.
 */
static bool repeats_absence(const struct server_output_change *change)
{
	const struct config_output *now = server_output_find_config(change->output);
	return !change->config.enabled && !server_output_has_place(change->output) &&
	       (!now || now->enabled);
}

bool server_outputs_apply(const struct server_output_change *changes, size_t n)
{
	struct server_output_change *real = xcalloc(n + 1, sizeof(*real));
	size_t n_real = 0;
	for (size_t i = 0; i < n; i++) {
		if (!repeats_absence(&changes[i])) {
			real[n_real++] = changes[i];
		}
	}
	const bool done = apply(real, n_real);
	free(real);
	return done;
}
