/* SPDX-License-Identifier: MIT */
/*
 * Random sessions: screens, the lid, power, terminals, reloads and settings of clients, against a
 * naive model. Positions do not overlap, the order is that of the first connection, power is as
 * last requested, settings of clients stay with their screen, and the lid's actions run once for
 * each movement.
 */

#include "backend/output.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "seat/seat.h"
#include "server/output.h"
#include "server_common.h"
#include "shell/shell.h"
#include "util/clock.h"
#include "xwayland/servers.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_STEPS 60
#define N_CONNECTORS 3
#define N_SCREENS 5
#define PANEL 0
#define VT_CLOSED 5
#define VT_OPENED 6

static const char *const connectors[N_CONNECTORS] = {"eDP-1", "DP-4", "HDMI-A-2"};

/* All have the same modes, so that each setting fits each screen. The last one has no EDID. */
#define SCREEN(number, first, second, third)                                                       \
	{                                                                                          \
		.maker = number < 5 ? "CWY" : NULL, .name = "Screen", .serial = number,            \
		.modes = {{first, first * 3 / 4, 60}, {second, second * 3 / 4, 60},                \
			{third, third * 3 / 4, 60}},                                               \
	}
static const struct fake_screen screens[N_SCREENS] = {
	SCREEN(1, 320, 160, 240),
	SCREEN(2, 240, 320, 160),
	SCREEN(3, 160, 240, 320),
	SCREEN(4, 240, 160, 320),
	SCREEN(5, 320, 240, 160),
};

struct setting {
	bool enabled, has_position;
	int width; /* 0: preferred */
	int scale; /* 0: none */
	int turned; /* a wl_output_transform */
	int x, y;
};

/* A screen that the session knows. Screens without EDID are known by the connector. */
struct known {
	int screen, connector; /* connector: the last one */
	bool present, off, has_client;
	struct setting client;
};

struct model {
	struct world *world;
	struct fake_card *card;
	struct libinput_device *lid, *mouse;
	uint32_t random;
	int plugged[N_CONNECTORS]; /* screen, or -1 */
	int seen[N_CONNECTORS]; /* by the session, which sees nothing while it is away */
	struct known list[N_CONNECTORS * N_SCREENS]; /* in the order of the first connection */
	int n;
	struct setting sections[N_CONNECTORS];
	bool away, dark;
	bool closed; /* the lid */
	bool seen_closed; /* when the session was last active */
	bool known_closed; /* as the session has been told */
	int n_closed, n_opened; /* actions */
	double x_scale;
};

static int draw(struct model *model, int n)
{
	model->random ^= model->random << 13;
	model->random ^= model->random >> 17;
	model->random ^= model->random << 5;
	return (int)(model->random % (uint32_t)n);
}

/* Advances the clock in steps that the card's watchdog tolerates, of 250 ms each. */
static void pass(struct model *model, int n)
{
	struct fixture *fixture = model->world->fixture;
	for (int i = 0; i < n; i++) {
		clock_advance(fixture->clock, INT64_C(250000000));
		fixture_pump(fixture);
		fake_card_vblank(model->card, clock_now(fixture->clock));
		fixture_pump(fixture);
	}
}

/* The model */

static struct known *known_on(struct model *model, int connector)
{
	for (int i = 0; i < model->n; i++) {
		if (model->list[i].present && model->list[i].connector == connector) {
			return &model->list[i];
		}
	}
	return NULL;
}

static const struct setting *setting_of(const struct model *model, const struct known *known)
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
			const bool fits =
				each->connector == connector || (any && screens[screen].maker);
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

/* The session sees the present connectors. */
static void look(struct model *model)
{
	for (int i = 0; i < N_CONNECTORS; i++) {
		struct known *known = known_on(model, i);
		if (model->seen[i] != model->plugged[i] && known) {
			known->present = false;
		}
	}
	for (int i = 0; i < N_CONNECTORS; i++) {
		if (model->seen[i] != model->plugged[i] && model->plugged[i] >= 0) {
			enter(model, i, model->plugged[i]);
		}
		model->seen[i] = model->plugged[i];
	}
}

static void see_lid(struct model *model)
{
	const bool moved = model->closed != model->seen_closed;
	model->seen_closed = model->closed;
	if (moved && model->closed != model->known_closed) {
		model->known_closed = model->closed;
		model->n_closed += model->closed;
		model->n_opened += !model->closed;
	}
}

static bool is_covered(struct model *model, int connector)
{
	if (connector != PANEL || !model->known_closed) {
		return false;
	}
	for (int i = 1; i < N_CONNECTORS; i++) {
		const struct known *known = known_on(model, i);
		if (known && setting_of(model, known)->enabled) {
			return true;
		}
	}
	return false;
}

static bool is_shown(struct model *model, int connector)
{
	const struct known *known = known_on(model, connector);
	return known && setting_of(model, known)->enabled && !is_covered(model, connector);
}

/* Power-offs of absent screens end, and all outputs are powered on if `all`. */
static void wake(struct model *model, bool all)
{
	for (int i = 0; i < model->n; i++) {
		model->list[i].off = model->list[i].off && model->list[i].present && !all;
	}
}

/* Outputs that are disabled forget their own power. */
static void settle(struct model *model)
{
	for (int i = 0; i < N_CONNECTORS; i++) {
		struct known *known = known_on(model, i);
		if (!model->away && known && !setting_of(model, known)->enabled) {
			known->off = model->dark;
		}
	}
}

/* Steps */

static void plug(struct model *model)
{
	const int i = draw(model, N_CONNECTORS), screen = draw(model, N_SCREENS + 2);
	if (i == PANEL && model->plugged[i] >= 0) {
		return; /* it cannot be unplugged */
	}
	model->plugged[i] = i == PANEL ? 0 : screen < N_SCREENS ? screen : -1;
	fake_card_plug(model->card, connectors[i],
		model->plugged[i] >= 0 ? &screens[model->plugged[i]] : NULL);
	show(model->world, model->card, 2);
	if (!model->away) {
		look(model);
	}
}

static void throw_lid(struct model *model)
{
	model->closed = !model->closed;
	fake_input_throw(model->lid, FAKE_LID, model->closed);
	show(model->world, model->card, 2);
	if (!model->away) {
		see_lid(model);
	}
}

static void set_all_power(struct model *model, bool on)
{
	shell_run_action(model->world->fixture->server->shell, "dpms", on ? "on" : "off");
	model->dark = !on;
	for (int i = 0; i < model->n; i++) {
		model->list[i].off = model->list[i].present ? !on : model->list[i].off && !on;
	}
}

/* A client's request for one output. */
static void set_power(struct model *model)
{
	const int i = draw(model, N_CONNECTORS);
	const bool on = draw(model, 2);
	struct known *known = known_on(model, i);
	if (!known || !find_entry(model->world, connectors[i])->scene_output) {
		return;
	}
	server_output_set_power(find_entry(model->world, connectors[i]), on);
	known->off = !on;
	if (on) {
		wake(model, false);
	}
}

static void set_away(struct model *model, bool away)
{
	fake_seat_set_active(!away);
	show(model->world, model->card, 3);
	model->away = away;
	if (!away) {
		/* A modeset that the card refuses while it removes screens is tried again. */
		pass(model, 6);
		look(model);
		see_lid(model);
	}
}

static void use_mouse(struct model *model)
{
	if (model->away) {
		return;
	}
	pass(model, 2);
	fake_input_move(model->mouse, 1, 1);
	fixture_pump(model->world->fixture);
	wake(model, model->dark);
	model->dark = false;
}

static struct setting draw_setting(struct model *model)
{
	static const int widths[] = {0, 160, 240, 320};
	struct setting setting = {
		.enabled = draw(model, 5) != 0,
		.width = widths[draw(model, 4)],
		.scale = draw(model, 3),
		.turned = draw(model, 4) ? 0 : draw(model, 8),
		.has_position = draw(model, 4) == 0,
	};
	if (setting.has_position) {
		setting.x = draw(model, 7) * 100 - 300;
		setting.y = draw(model, 7) * 100 - 300;
	}
	return setting;
}

static const char *const turns[] = {
	"normal", "90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270"};

static bool is_equal(const struct setting *a, const struct setting *b)
{
	return a->enabled == b->enabled && a->has_position == b->has_position &&
	       a->width == b->width && a->scale == b->scale && a->turned == b->turned &&
	       a->x == b->x && a->y == b->y;
}

static void write_config(const struct model *model, char *text, size_t size)
{
	int n = snprintf(text, size,
		"[switches]\nlid-closed = switch-vt %d\nlid-opened = switch-vt %d\n", VT_CLOSED,
		VT_OPENED);
	for (int i = 0; i < N_CONNECTORS; i++) {
		const struct setting *setting = &model->sections[i];
		n += snprintf(text + n, size - (size_t)n, "[output %s]\nenabled = %s\n",
			connectors[i], setting->enabled ? "yes" : "no");
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
	}
	assert_true((size_t)n < size);
}

static void reload_some(struct model *model)
{
	char text[2048];
	bool changed[N_CONNECTORS] = {false};
	for (int i = 0; i < N_CONNECTORS; i++) {
		if (draw(model, 3) == 0) {
			struct setting next = draw_setting(model);
			changed[i] = !is_equal(&next, &model->sections[i]);
			model->sections[i] = next;
		}
	}
	write_config(model, text, sizeof(text));
	reload(model->world, text);
	for (int i = 0; i < model->n; i++) {
		model->list[i].has_client &= !changed[model->list[i].connector];
	}
}

static void set_as_client(struct model *model)
{
	struct server_output_change changes[N_CONNECTORS];
	struct setting wishes[N_CONNECTORS];
	int outputs[N_CONNECTORS];
	size_t n = 0;
	if (model->away) {
		return;
	}
	for (int i = 0; i < N_CONNECTORS; i++) {
		const struct known *known = known_on(model, i);
		if (!known || is_covered(model, i) || draw(model, 2)) {
			continue;
		}
		struct config_output *config = &changes[n].config;
		struct setting *wish = &wishes[n];
		*wish = *setting_of(model, known);
		changes[n].output = find_entry(model->world, connectors[i]);
		server_output_config(changes[n].output, config);
		const struct setting next = draw_setting(model);
		wish->enabled = config->enabled = next.enabled;
		if (next.width) {
			config->has_mode = true;
			config->width = wish->width = next.width;
			config->height = next.width * 3 / 4;
			config->refresh = 0;
		}
		if (next.scale) {
			config->has_scale = true;
			config->scale = wish->scale = next.scale;
		}
		if (next.has_position) {
			config->has_position = wish->has_position = true;
			config->x = wish->x = next.x;
			config->y = wish->y = next.y;
		}
		outputs[n++] = i;
	}
	assert_true(server_outputs_apply(changes, n));
	for (size_t i = 0; i < n; i++) {
		struct known *known = known_on(model, outputs[i]);
		known->has_client = true;
		known->client = wishes[i];
	}
}

static void step(struct model *model)
{
	const int kind = draw(model, 12);
	if (getenv("SESSION_SEEDS")) {
		print_message("kind %d\n", kind);
	}
	switch (kind) {
	case 0:
	case 1:
	case 2: plug(model); break;
	case 3:
	case 4: throw_lid(model); break;
	case 5: set_all_power(model, draw(model, 2)); break;
	case 6: set_power(model); break;
	case 7: set_away(model, !model->away); break;
	case 8: use_mouse(model); break;
	case 9: reload_some(model); break;
	default: set_as_client(model); break;
	}
	show(model->world, model->card, 4);
	settle(model);
}

/* Checks */

static const struct scene_output *scene_output_on(struct model *model, int connector)
{
	return scene_output_find_name(model->world->fixture->server->scene, connectors[connector]);
}

static void check_output(struct model *model, int i)
{
	const struct scene_output *output = scene_output_on(model, i);
	const int width = width_of(model->card, connectors[i]);
	if (!is_shown(model, i)) {
		assert_null(output);
		assert_int_equal(width, 0);
		return;
	}
	const struct known *known = known_on(model, i);
	const struct setting *setting = setting_of(model, known);
	assert_non_null(output);
	if (getenv("SESSION_SEEDS")) {
		print_message(
			"  %s: screen %d, off %d, client %d, width %d, scale %d, transform %d\n",
			connectors[i], known->screen, known->off, known->has_client, setting->width,
			setting->scale, setting->turned);
	}
	assert_int_equal(find_entry(model->world, connectors[i])->dark, known->off);
	assert_int_equal(output->scale, setting->scale ? setting->scale : 1);
	assert_int_equal(output->transform, setting->turned);
	if (known->off) {
		assert_int_equal(width, 0);
	} else if (setting->width) {
		assert_int_equal(width, setting->width);
	} else if (!known->has_client) {
		assert_int_equal(width, screens[known->screen].modes[0].width);
	}
	if (setting->has_position) {
		assert_int_equal(output->x, setting->x);
		assert_int_equal(output->y, setting->y);
	}
}

/* The boxes of the outputs in the order of the first connection. */
static void check_layout(struct model *model)
{
	struct box boxes[N_CONNECTORS];
	bool fixed[N_CONNECTORS];
	int n = 0, right = 0, n_fixed = 0;
	for (int i = 0; i < model->n; i++) {
		const struct known *known = &model->list[i];
		if (known->present && is_shown(model, known->connector)) {
			boxes[n] = scene_output_box(scene_output_on(model, known->connector));
			fixed[n] = setting_of(model, known)->has_position;
			n_fixed += fixed[n++];
		}
	}
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++) {
			struct box common;
			assert_true(i == j || (fixed[i] && fixed[j]) ||
				    !box_intersect(&common, &boxes[i], &boxes[j]));
			assert_true(
				fixed[i] || j >= i || boxes[j].x + boxes[j].width <= boxes[i].x);
		}
		if (n_fixed == 0) {
			assert_int_equal(boxes[i].x, right);
			assert_int_equal(boxes[i].y, 0);
			right += boxes[i].width;
		}
	}
	/* In a row, small steps reach each output. */
	struct seat *seat = model->world->fixture->server->seat;
	for (int i = 0; n_fixed == 0 && i < n; i++) {
		const double x = boxes[i].x + boxes[i].width / 2;
		for (int k = 0; k < 300 && !model->dark; k++) {
			fake_input_move(model->mouse, seat->pointer.at.x < x ? 7 : -7,
				seat->pointer.at.y > 30 ? -7 : 0);
			fixture_pump(model->world->fixture);
			k = box_contains_point(&boxes[i], seat->pointer.at.x, seat->pointer.at.y)
				    ? 1000
				    : k;
			assert_int_not_equal(k, 299);
		}
	}
	if (n_fixed == 0 && n > 0 && !model->dark) {
		wake(model, false); /* by the mouse */
	}
}

static void check_x_scale(struct model *model)
{
	const struct x_servers *servers = model->world->fixture->server->x_servers;
	double most = 0;
	for (int i = 0; i < N_CONNECTORS; i++) {
		const struct scene_output *output = scene_output_on(model, i);
		most = output && output->scale > most ? output->scale : most;
	}
	model->x_scale = most > 0 ? most : model->x_scale;
	if (servers) {
		const struct x_server *server;
		wl_list_for_each (server, x_servers_list(servers), link) {
			assert_true(server->scale == model->x_scale);
		}
	}
}

static void check(struct model *model)
{
	assert_int_equal(fake_seat_switches(VT_CLOSED), model->n_closed);
	assert_int_equal(fake_seat_switches(VT_OPENED), model->n_opened);
	if (model->away) {
		return;
	}
	for (int i = 0; i < N_CONNECTORS; i++) {
		check_output(model, i);
	}
	check_layout(model);
	check_x_scale(model);
}

static void play(int seed)
{
	struct world *world;
	set_up((void **)&world);
	struct model model = {
		.world = world, .random = (uint32_t)seed * UINT32_C(2654435761), .x_scale = 1};
	model.card = fake_card_create("i915");
	model.lid = fake_input_add("Lid Switch", FAKE_LID);
	model.mouse = fake_input_add("Mouse", FAKE_MOUSE);
	const bool distrusted = draw(&model, 2);
	if (distrusted) {
		fake_input_distrust(model.lid);
	}
	model.closed = draw(&model, 3) == 0;
	/* Without a report of the initial state, the lid counts as open until it moves. */
	fake_input_throw(model.lid, FAKE_LID, model.closed);
	for (int i = 0; i < N_CONNECTORS; i++) {
		model.seen[i] = -1;
		model.plugged[i] = i == PANEL ? 0 : draw(&model, N_SCREENS + 1) - 1;
		model.sections[i].enabled = true;
		fake_card_plug(model.card, connectors[i],
			model.plugged[i] >= 0 ? &screens[model.plugged[i]] : NULL);
	}
	char text[2048];
	write_config(&model, text, sizeof(text));
	begin(world, text);
	model.seen_closed = model.closed;
	model.known_closed = model.closed && !distrusted;
	assert_int_equal(world->fixture->server->lid_closed, model.known_closed);
	look(&model);
	show(world, model.card, 3);
	check(&model);
	for (int i = 0; i < N_STEPS; i++) {
		step(&model);
		check(&model);
	}
	tear_down((void **)&world);
}

static void sessions_are_as_the_model_says(void **state)
{
	/* SESSION_SEEDS=FIRST,LAST plays others. */
	int first = 1, last = 60;
	const char *seeds = getenv("SESSION_SEEDS");
	if (seeds) {
		char *comma;
		first = (int)strtol(seeds, &comma, 10);
		last = *comma ? (int)strtol(comma + 1, NULL, 10) : first;
	}
	for (int seed = first; seed <= last; seed++) {
		print_message("seed %d\n", seed);
		play(seed);
	}
}

int main(void)
{
	char runtime[] = "/tmp/causeway-runtime-XXXXXX";
	setenv("XDG_RUNTIME_DIR", mkdtemp(runtime), 1);
	const struct CMUnitTest tests[] = {cmocka_unit_test(sessions_are_as_the_model_says)};
	int result = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(runtime);
	return result;
}
