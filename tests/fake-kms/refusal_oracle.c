/* SPDX-License-Identifier: MIT */
/* Oracle of random refusals: the best state that the rules of a card and the user allow. */

#include "refusal_oracle.h"
#include "backend/drm/drm.h"
#include "frame/output.h"
#include "server/outputs.h"
#include <string.h>
#include <xf86drmMode.h>

const struct scan scans[SCANS_MAX] = {
	{64, 48, false},
	{64, 48, true},
	{48, 36, false},
	{32, 24, true},
	{32, 24, false},
};

int scenario_draw(struct scenario *scenario, int n)
{
	scenario->random ^= scenario->random << 13;
	scenario->random ^= scenario->random >> 17;
	scenario->random ^= scenario->random << 5;
	return (int)(scenario->random % (uint32_t)n);
}

static int find(const struct scenario *scenario, const char *connector)
{
	int i = 0;
	while (strcmp(scenario->shape->connectors[i], connector) != 0) {
		i++;
	}
	return i;
}

bool scenario_refuses(const struct scenario *scenario, const struct fake_head *heads, int n)
{
	int clock = 0;
	for (int i = 0; i < n; i++) {
		int output = find(scenario, heads[i].connector);
		if (scenario->refused[output] || heads[i].width > scenario->widest[output]) {
			return true;
		}
		clock += heads[i].clock;
	}
	return scenario->clock && clock > scenario->clock;
}

struct server_output *scenario_entry(struct scenario *scenario, int i)
{
	struct server_output *entry;
	wl_list_for_each (entry, &scenario->world->fixture->server->outputs, link) {
		if (strcmp(entry->output->name, scenario->shape->connectors[i]) == 0) {
			return scenario->plugged[i] ? entry : NULL;
		}
	}
	return NULL;
}

int scan_clock(const struct scan *mode)
{
	return (mode->width + 160) * (mode->height + 45) * 60 / (mode->interlaced ? 2000 : 1000);
}

static int width(struct scenario *scenario, int i)
{
	return width_of(scenario->card, scenario->shape->connectors[i]);
}

unsigned scenario_find_lit(struct scenario *scenario)
{
	unsigned lit = 0;
	for (int i = 0; i < scenario->shape->n; i++) {
		lit |= (unsigned)(width(scenario, i) > 0) << i;
	}
	return lit;
}

bool scenario_fits(const struct shape *shape, unsigned outputs, unsigned crtcs)
{
	if (!outputs) {
		return true;
	}
	int i = __builtin_ctz(outputs);
	for (int crtc = 0; crtc < 8; crtc++) {
		unsigned bit = 1u << crtc;
		if (shape->routes[i] & crtcs & bit &&
			scenario_fits(shape, outputs & (outputs - 1), crtcs & ~bit)) {
			return true;
		}
	}
	return false;
}

/* Returns the CRTCs that no lessee has. */
static unsigned find_crtcs(struct scenario *scenario)
{
	unsigned crtcs = UINT32_MAX;
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct server_output *entry = scenario_entry(scenario, i);
		if (entry && entry->output->leased) {
			crtcs &= ~(1u << drm_output_from_base(entry->output)->crtc->index);
		}
	}
	return crtcs;
}

unsigned scenario_find_unused_crtcs(struct scenario *scenario)
{
	unsigned crtcs = find_crtcs(scenario);
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct server_output *entry = scenario_entry(scenario, i);
		const struct drm_output *output =
			entry ? drm_output_from_base(entry->output) : NULL;
		if (output && output->crtc &&
			(output->base.enabled || output->due || output->left)) {
			crtcs &= ~(1u << output->crtc->index);
		}
	}
	return crtcs;
}

static bool has_certain_screen(const struct scenario *scenario)
{
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct fake_screen *screen = scenario->plugged[i];
		if (screen && !screen->unknown && !screen->non_desktop) {
			return true;
		}
	}
	return false;
}

/* Returns whether the lid covers the output: another one takes its place. */
static bool is_covered(struct scenario *scenario, int i)
{
	bool others = false;
	for (int j = 0; j < scenario->shape->n; j++) {
		const struct server_output *other = scenario_entry(scenario, j);
		others |= other && !other->output->built_in && other->scene_output;
	}
	return scenario->world->fixture->server->lid_closed &&
	       scenario_entry(scenario, i)->output->built_in && others;
}

/* Returns whether the user wants the output to be lit. */
static bool is_wanted(struct scenario *scenario, int i)
{
	const struct server_output *entry = scenario_entry(scenario, i);
	const struct config_output *config = entry ? server_output_find_config(entry) : NULL;
	const bool named =
		entry && (entry->screen->has_client_config || scenario->sections[i].exists);
	return entry && !entry->lendable && (!config || config->enabled) &&
	       (!entry->dark || entry->power_refused) && !is_covered(scenario, i) &&
	       !(scenario->plugged[i]->unknown && !named && has_certain_screen(scenario));
}

unsigned scenario_find_wanted(struct scenario *scenario)
{
	unsigned wanted = 0;
	for (int i = 0; i < scenario->shape->n; i++) {
		wanted |= (unsigned)is_wanted(scenario, i) << i;
	}
	return wanted;
}

static int wanted_width(struct scenario *scenario, int i)
{
	const struct config_output *config = server_output_find_config(scenario_entry(scenario, i));
	return config && config->has_mode ? config->width : scenario->plugged[i]->modes[0].width;
}

static bool is_listed(const struct scenario *scenario, int i, const struct scan *mode)
{
	const struct fake_screen *screen = scenario->plugged[i];
	for (int j = 0; j < FAKE_MODES_MAX && screen->modes[j].width; j++) {
		if (screen->modes[j].width == mode->width &&
			screen->modes[j].interlaced == mode->interlaced) {
			return true;
		}
	}
	return false;
}

/* Returns the mode of the connector; without width: off. */
static struct scan mode_of(struct scenario *scenario, int i)
{
	const char *crtc = fake_crtc_of(scenario->card, scenario->shape->connectors[i]);
	size_t size;
	if (width(scenario, i) == 0) {
		return (struct scan){0};
	}
	const drmModeModeInfo *mode = fake_get_blob(scenario->card, crtc, "MODE_ID", &size);
	return (struct scan){
		.width = mode->hdisplay,
		.height = mode->vdisplay,
		.interlaced = mode->flags & DRM_MODE_FLAG_INTERLACE,
	};
}

/* Returns whether the rules allow the mode beside the modes of the other connectors. */
static bool is_allowed(struct scenario *scenario, int output, const struct scan *mode)
{
	struct fake_head heads[OUTPUTS_MAX];
	int n = 0;
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct scan scan = i == output ? *mode : mode_of(scenario, i);
		heads[n] = (struct fake_head){
			.connector = scenario->shape->connectors[i],
			.width = scan.width,
			.clock = scan_clock(&scan),
		};
		n += scan.width > 0;
	}
	return !scenario_refuses(scenario, heads, n);
}

/* The wanted mode, those of the preferred size, then more lines a second. */
static int rank(const struct scan *mode, int wanted, int preferred)
{
	const int pixels = mode->width * mode->height / (mode->interlaced ? 2 : 1);
	return pixels + (mode->width == wanted && !mode->interlaced ? 2000000
				: mode->width == preferred          ? 1000000
								    : 0);
}

/* Returns true if all outputs are powered off: no other one is lit instead. */
static bool is_idle(struct scenario *scenario)
{
	bool dark = false;
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct server_output *entry = scenario_entry(scenario, i);
		if (entry && entry->frame) {
			return false;
		}
		dark |= entry && entry->dark;
	}
	return dark;
}

void scenario_check_output(struct scenario *scenario, int i)
{
	const struct server_output *entry = scenario_entry(scenario, i);
	const struct scan now = mode_of(scenario, i);
	assert_true(entry || !scenario->plugged[i]);
	if (!entry || !is_wanted(scenario, i)) {
		assert_int_equal(now.width, 0);
		return;
	}
	assert_false(entry->power_refused && !entry->dark);
	if (now.width == 0 && (is_idle(scenario) || !scenario_fits(scenario->shape,
							    scenario_find_lit(scenario) | 1u << i,
							    find_crtcs(scenario)))) {
		return;
	}
	const int wanted = wanted_width(scenario, i),
		  preferred = scenario->plugged[i]->modes[0].width;
	/* A mode that has vanished stays, and one that returns is not requested again. */
	const struct config_output *config = server_output_find_config(entry);
	const bool keeps = now.width > 0 && (!config || !config->has_mode) &&
			   scenario->changed_modes[i] && !scenario->shape->resized;
	if (keeps || (now.width > 0 && !is_listed(scenario, i, &now))) {
		return;
	}
	for (int j = 0; j < SCANS_MAX; j++) {
		const bool better = now.width == 0 || rank(&scans[j], wanted, preferred) >
							      rank(&now, wanted, preferred);
		if (better && is_listed(scenario, i, &scans[j]) &&
			is_allowed(scenario, i, &scans[j])) {
			fail_msg("%s has the width %d%s, and %d%s is allowed",
				scenario->shape->connectors[i], now.width,
				now.interlaced ? "i" : "", scans[j].width,
				scans[j].interlaced ? "i" : "");
		}
	}
}

void scenario_check_hints(struct scenario *scenario, int i)
{
	const struct server_output *entry = scenario_entry(scenario, i);
	if (!entry || !entry->frame || width(scenario, i) == 0) {
		return;
	}
	const char *connector = scenario->shape->connectors[i];
	const char *crtc = fake_crtc_of(scenario->card, connector);
	const struct config_output *config = server_output_find_config(entry);
	const int setting = config ? config->adaptive_sync : CONFIG_ADAPTIVE_SYNC_AUTO;
	const bool fills = scenario->game && game_fills(scenario->game, entry->scene_output),
		   plays = fills && scenario->game->plays;
	if (fake_has(scenario->card, crtc, "VRR_ENABLED")) {
		const bool possible = fake_get(scenario->card, connector, "vrr_capable");
		const bool wanted = setting == CONFIG_ADAPTIVE_SYNC_ON ||
				    (setting == CONFIG_ADAPTIVE_SYNC_AUTO && plays);
		assert_int_equal(fake_get(scenario->card, crtc, "VRR_ENABLED"), wanted && possible);
	}
	if (fake_has(scenario->card, connector, "content type") && entry->output->has_content) {
		assert_int_equal(
			entry->output->content, plays ? OUTPUT_CONTENT_GAME : OUTPUT_CONTENT_NONE);
	}
	assert_int_equal(entry->frame->hints.tears,
		fills && scenario->game->tears &&
			drm_output_from_base(entry->output)->card->async_flips);
}

unsigned scenario_find_due(struct scenario *scenario)
{
	unsigned due = 0;
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct server_output *entry = scenario_entry(scenario, i);
		due |= (unsigned)(entry && drm_output_from_base(entry->output)->due) << i;
	}
	return due;
}
