/* SPDX-License-Identifier: MIT */
/* Settings of outputs: the section of the configuration, or the settings of a client. */

#include "backend/drm.h"
#include "outputs.h"
#include "server/output.h"
#include "server/server.h"
#include "shell/shell.h"
#include "state.h"

static const struct config_output *find_section(
	const struct server_screen *screen, const struct config *config)
{
	return config_output_match(
		config, screen->name, screen->make, screen->model, screen->serial);
}

const struct config_output *server_output_find_config(const struct server_output *entry)
{
	if (entry->screen->has_client_config) {
		return &entry->screen->client_config;
	}
	return find_section(entry->screen, entry->server->shell->config);
}

void server_outputs_compare(struct server *server, const struct config *next)
{
	struct server_screen *screen;
	wl_list_for_each (screen, &server->state->screens, link) {
		if (!config_output_equal(find_section(screen, server->shell->config),
			    find_section(screen, next))) {
			screen->has_client_config = false;
		}
	}
}

double server_output_scale(const struct server_output *entry, const struct config_output *config)
{
	const double preferred = entry->output->preferred_scale;
	return config && config->has_scale ? config->scale : preferred > 0 ? preferred : 1;
}

enum wl_output_transform server_output_transform(const struct config_output *config)
{
	return config && config->has_transform ? config->transform : WL_OUTPUT_TRANSFORM_NORMAL;
}

bool server_output_has_place(const struct server_output *entry)
{
	const struct config_output *config = server_output_find_config(entry);
	if (!entry->postponed) {
		return entry->scene_output;
	}
	return (!config || config->enabled) && !entry->covered && !entry->lacks &&
	       !server_output_is_lendable(entry, config) &&
	       !server_output_is_left_out(entry, config);
}

/* Headsets are non-desktop outputs: clients that render for them lease them. */
bool server_output_is_lendable(
	const struct server_output *entry, const struct config_output *config)
{
	const struct output *output = entry->output;
	if (!output_is_drm(output) || (config && !config->enabled)) {
		return false;
	}
	int lease = config ? config->lease : CONFIG_LEASE_AUTO;
	return lease == CONFIG_LEASE_YES || (lease == CONFIG_LEASE_AUTO && output->non_desktop);
}

bool server_output_is_left_out(
	const struct server_output *entry, const struct config_output *config)
{
	const struct server_output *other;
	bool named = entry->screen->has_client_config ||
		     (config && (config->has_enabled || config->has_mode));
	if (!entry->output->uncertain || named) {
		return false;
	}
	wl_list_for_each (other, &entry->server->outputs, link) {
		if (!other->output->uncertain && !other->output->non_desktop) {
			return true;
		}
	}
	return false;
}

bool server_output_is_neighbour(
	const struct server_output *entry, const struct server_output *other)
{
	return other != entry && other->output->gpu == entry->output->gpu;
}
