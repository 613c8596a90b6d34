/* SPDX-License-Identifier: MIT */
/*
 * Naive model of a session with hotplug: screens, the lid, power and settings as the user expects
 * them.
 */

#include "session_model.h"
#include "config/config.h"
#include <stdio.h>

/* The host of a virtual machine changes the preferred mode. Some have a variable rate. */
#define SCREEN(number, first, second, third)                                                       \
	{                                                                                          \
		.maker = number < 5 ? "CWY" : NULL, .name = "Screen", .serial = number,            \
		.modes = {{first, first * 3 / 4, 60}, {second, second * 3 / 4, 60},                \
			{third, third * 3 / 4, 60}},                                               \
		.min_hz = 50, .max_hz = 70, .max_clock = 100, .vrr = number < 4,                   \
	}
const struct fake_screen model_screens[2][N_SCREENS] = {
	{
		SCREEN(1, 32, 16, 24),
		SCREEN(2, 24, 32, 16),
		SCREEN(3, 16, 24, 32),
		SCREEN(4, 24, 16, 32),
		SCREEN(5, 32, 24, 16),
	},
	{
		SCREEN(1, 16, 24, 32),
		SCREEN(2, 32, 16, 24),
		SCREEN(3, 24, 16, 32),
		SCREEN(4, 32, 24, 16),
		SCREEN(5, 16, 24, 32),
	},
};

int model_draw(struct model *model, int n)
{
	model->random ^= model->random << 13;
	model->random ^= model->random >> 17;
	model->random ^= model->random << 5;
	return (int)(model->random % (uint32_t)n);
}

struct known *model_known(struct model *model, int connector)
{
	for (int i = 0; i < model->n; i++) {
		if (model->list[i].present && model->list[i].connector == connector) {
			return &model->list[i];
		}
	}
	return NULL;
}

const struct setting *model_setting(const struct model *model, const struct known *known)
{
	return known->has_client ? &known->client : &model->sections[known->connector];
}

static void enter(struct model *model, int connector, int screen)
{
	struct known *known = NULL;
	/* Equal screens differ by their connectors. */
	for (int any = 0; any < 2; any++) {
		for (int i = 0; i < model->n && !known; i++) {
			struct known *each = &model->list[i];
			const bool fits = each->connector == connector ||
					  (any && model_screens[0][screen].maker);
			known = !each->present && each->screen == screen && fits ? each : NULL;
		}
	}
	if (!known) {
		known = &model->list[model->n++];
		*known = (struct known){.screen = screen};
	}
	known->connector = connector;
	known->present = true;
	known->off = known->off || model->dark;
}

void model_look(struct model *model)
{
	for (int i = 0; i < model->machine->n; i++) {
		struct known *known = model_known(model, i);
		if (model->seen[i] != model->plugged[i] && known) {
			known->present = false;
		}
	}
	for (int i = 0; i < model->machine->n; i++) {
		if (model->seen[i] != model->plugged[i] && model->plugged[i] >= 0) {
			enter(model, i, model->plugged[i]);
		}
		model->seen[i] = model->plugged[i];
	}
}

void model_see_lid(struct model *model)
{
	const bool moved = model->closed != model->seen_closed;
	model->seen_closed = model->closed;
	if (moved && model->closed != model->known_closed) {
		model->known_closed = model->closed;
		model->n_closed += model->closed;
		model->n_opened += !model->closed;
	}
}

bool model_covers(struct model *model, int connector)
{
	if (connector != model->machine->panel || !model->known_closed) {
		return false;
	}
	for (int i = 1; i < model->machine->n; i++) {
		const struct known *known = model_known(model, i);
		if (known && model_setting(model, known)->enabled) {
			return true;
		}
	}
	return false;
}

bool model_shows(struct model *model, int connector)
{
	const struct known *known = model_known(model, connector);
	return known && model_setting(model, known)->enabled && !model_covers(model, connector);
}

void model_wake(struct model *model, bool all)
{
	for (int i = 0; i < model->n; i++) {
		model->list[i].off = model->list[i].off && model->list[i].present && !all;
	}
}

void model_settle(struct model *model)
{
	for (int i = 0; i < model->machine->n; i++) {
		struct known *known = model_known(model, i);
		if (!model->away && known && !model_setting(model, known)->enabled) {
			known->off = model->dark;
		}
	}
}

struct setting model_draw_setting(struct model *model)
{
	static const int widths[] = {0, 16, 24, 32};
	static const int rates[] = {
		CONFIG_ADAPTIVE_SYNC_AUTO, CONFIG_ADAPTIVE_SYNC_ON, CONFIG_ADAPTIVE_SYNC_OFF};
	struct setting setting = {
		.enabled = model_draw(model, 5) != 0,
		.width = widths[model_draw(model, 4)],
		.scale = model_draw(model, 3),
		.turned = model_draw(model, 4) ? 0 : model_draw(model, 8),
		.has_position = model_draw(model, 4) == 0,
		.vrr = rates[model_draw(model, 3)],
		.no_tearing = model_draw(model, 2),
	};
	if (setting.has_position) {
		setting.x = model_draw(model, 7) * 10 - 30;
		setting.y = model_draw(model, 7) * 10 - 30;
	}
	return setting;
}

static const char *const turns[] = {
	"normal", "90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270"};

bool setting_equal(const struct setting *a, const struct setting *b)
{
	return a->enabled == b->enabled && a->has_position == b->has_position &&
	       a->width == b->width && a->scale == b->scale && a->turned == b->turned &&
	       a->x == b->x && a->y == b->y && a->vrr == b->vrr && a->no_tearing == b->no_tearing;
}

void model_write_config(const struct model *model, char *text, size_t size)
{
	int n = snprintf(text, size,
		"[switches]\nlid-closed = switch-vt %d\nlid-opened = switch-vt %d\n"
		"[input type:keyboard]\nsend-events = %s\n"
		"[input type:pointer]\nsend-events = %s\n"
		"[input Mouse]\nsend-events = enabled\n",
		VT_CLOSED, VT_OPENED, model->no_keys ? "disabled" : "enabled",
		model->no_motion ? "disabled" : "enabled");
	for (int i = 0; i < model->machine->n; i++) {
		const struct setting *setting = &model->sections[i];
		n += snprintf(text + n, size - (size_t)n, "[output %s]\nenabled = %s\n",
			model->machine->connectors[i], setting->enabled ? "yes" : "no");
		n += setting->width ? snprintf(text + n, size - (size_t)n, "mode = %dx%d\n",
					      setting->width, setting->width * 3 / 4)
				    : 0;
		n += setting->scale
			     ? snprintf(text + n, size - (size_t)n, "scale = %d\n", setting->scale)
			     : 0;
		n += setting->turned ? snprintf(text + n, size - (size_t)n, "transform = %s\n",
					       turns[setting->turned])
				     : 0;
		n += setting->has_position ? snprintf(text + n, size - (size_t)n,
						     "position = %d,%d\n", setting->x, setting->y)
					   : 0;
		n += snprintf(text + n, size - (size_t)n, "adaptive-sync = %s\ntearing = %s\n",
			setting->vrr == CONFIG_ADAPTIVE_SYNC_ON    ? "on"
			: setting->vrr == CONFIG_ADAPTIVE_SYNC_OFF ? "off"
								   : "auto",
			setting->no_tearing ? "no" : "yes");
	}
	assert_true((size_t)n < size);
}
