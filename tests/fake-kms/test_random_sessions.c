/* SPDX-License-Identifier: MIT */
/*
 * Random sessions: screens, the lid, power, terminals, reloads and settings of clients, against a
 * naive model. Positions do not overlap, the order is that of the first connection, power is as
 * last requested, settings of clients stay with their screen, and the lid's actions run once for
 * each movement.
 */

#include "audit.h"
#include "backend/output.h"
#include "frame/output.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "seat/seat.h"
#include "server/output.h"
#include "session_model.h"
#include "shell/shell.h"
#include "util/clock.h"
#include "xwayland/servers.h"
#include <linux/input-event-codes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_SEEDS 2000
#define N_STEPS 500
#define X_WAIT (5 * SECOND + SECOND / 5)
/* Laptops, and a virtual machine, whose host requests sizes. */
static const struct machine laptops[] = {
	{"i915", {"eDP-1", "DP-4", "HDMI-A-2"}, N_CONNECTORS, 0},
	{"i915-skylake", {"eDP-1", "DP-1", "HDMI-A-1"}, N_CONNECTORS, 0},
	{"amdgpu-raven", {"eDP-1", "HDMI-A-1", "DP-1"}, N_CONNECTORS, 0},
};
#define N_LAPTOPS (sizeof(laptops) / sizeof(laptops[0]))
static const struct machine virtual = {"virtio_gpu", {"Virtual-1"}, 1, -1};

static void pass(struct model *model, int n)
{
	course_pass(model->world, model->card, n * PERIOD);
}

/* Steps */

/* Plugs in or unplugs the screen of `plugged` without waiting for the session. */
static void send_plug(struct model *model, int i)
{
	fake_card_plug(model->card, model->machine->connectors[i],
		model->plugged[i] >= 0 ? &model_screens[model->resized[i]][model->plugged[i]]
				       : NULL);
}

static void see(struct model *model)
{
	pass(model, 2);
	if (!model->away) {
		model_look(model);
	}
}

static void plug(struct model *model)
{
	const int i = model_draw(model, model->machine->n),
		  screen = model_draw(model, N_SCREENS + 2);
	if (i == model->machine->panel && model->plugged[i] >= 0) {
		return; /* it cannot be unplugged */
	}
	model->plugged[i] = i == model->machine->panel ? 0 : screen < N_SCREENS ? screen : -1;
	send_plug(model, i);
	see(model);
}

/* A switch of keyboard, video and mouse moves the screens together, also within one event. */
static void switch_machine(struct model *model)
{
	int before[N_CONNECTORS];
	const bool waits = model_draw(model, 2);
	memcpy(before, model->plugged, sizeof(before));
	for (int i = 0; i < model->machine->n; i++) {
		if (i != model->machine->panel) {
			model->plugged[i] = -1;
			send_plug(model, i);
		}
	}
	if (waits) {
		see(model);
	}
	model->x_scale = 0; /* the panel lights up for a moment */
	for (int i = 0; i < model->machine->n; i++) {
		model->plugged[i] = before[i];
		send_plug(model, i);
	}
	see(model);
}

static void handle_gone(struct wl_listener *listener, void *data)
{
	fail_msg("a resize removes the output");
}

/* The host of a virtual machine resizes its window. Screens without EDID are taken for such. */
static void resize(struct model *model)
{
	const int i = model_draw(model, model->machine->n);
	struct wl_listener gone = {.notify = handle_gone};
	const bool resizes = model->machine->panel < 0 ||
			     (model->plugged[i] >= 0 && !model_screens[0][model->plugged[i]].maker);
	if (!model_known(model, i) || !resizes || model->seen[i] != model->plugged[i]) {
		return;
	}
	wl_signal_add(
		&find_output(model->world, model->machine->connectors[i])->events.destroy, &gone);
	model->resized[i] = !model->resized[i];
	send_plug(model, i);
	see(model);
	wl_list_remove(&gone.link);
}

static void throw_lid(struct model *model)
{
	model->closed = !model->closed;
	fake_input_throw(model->lid, FAKE_LID, model->closed);
	pass(model, 2);
	if (!model->away) {
		model_see_lid(model);
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
	const int i = model_draw(model, model->machine->n);
	const bool on = model_draw(model, 2);
	struct known *known = model_known(model, i);
	if (!known || !find_entry(model->world, model->machine->connectors[i])->scene_output) {
		return;
	}
	server_output_set_power(find_entry(model->world, model->machine->connectors[i]), on);
	known->off = !on;
	if (on) {
		model_wake(model, false);
	}
}

static void set_away(struct model *model, bool away)
{
	fake_seat_set_active(!away);
	pass(model, 3);
	model->away = away;
	model->x_scale = 0; /* it changes unseen */
	if (!away) {
		/* A modeset that the card refuses while it removes screens is tried again. */
		pass(model, 90);
		model_settle(model); /* reloads apply first */
		model_look(model);
		model_see_lid(model);
	}
}

static void note_activity(struct model *model)
{
	model_wake(model, model->dark);
	model->dark = false;
}

static void use_mouse(struct model *model)
{
	if (model->away) {
		return;
	}
	pass(model, 30);
	fake_input_move(model->mouse, 1, 1);
	fixture_pump(model->world->fixture);
	note_activity(model);
}

/* Uses both roles of a device, of which the configuration may disable one. */
static void use_both(struct model *model)
{
	struct seat *seat = model->world->fixture->server->seat;
	if (model->away) {
		return;
	}
	pass(model, 30);
	fake_input_key(model->both, KEY_LEFTSHIFT, true);
	fixture_pump(model->world->fixture);
	assert_int_equal(seat_modifiers(seat) != 0, !model->no_keys);
	fake_input_key(model->both, KEY_LEFTSHIFT, false);
	fixture_pump(model->world->fixture);
	assert_int_equal(seat_modifiers(seat), 0);
	const struct scene_output *output =
		scene_output_nearest(model->world->fixture->server->scene, seat->pointer.at);
	if (output) {
		const struct box box = scene_output_box(output);
		const double before = seat->pointer.at.x;
		fake_input_move(model->both, before > box.x + box.width / 2.0 ? -1 : 1, 0);
		fixture_pump(model->world->fixture);
		/* The first motion in the dark lights the outputs, which may move the pointer. */
		assert_true(model->dark || (seat->pointer.at.x != before) == !model->no_motion);
	}
	if (!model->no_keys || (output && !model->no_motion)) {
		note_activity(model);
	}
}

static void reload_some(struct model *model)
{
	char text[2048];
	bool changed[N_CONNECTORS] = {false};
	for (int i = 0; i < model->machine->n; i++) {
		if (model_draw(model, 3) == 0) {
			struct setting next = model_draw_setting(model);
			changed[i] = !setting_equal(&next, &model->sections[i]);
			model->sections[i] = next;
		}
	}
	model->no_keys = model_draw(model, 4) == 0;
	model->no_motion = model_draw(model, 4) == 0;
	model_write_config(model, text, sizeof(text));
	reload(model->world, text);
	for (int i = 0; i < model->n; i++) {
		model->list[i].has_client &= !changed[model->list[i].connector];
	}
}

static bool has_variable_rate(struct model *model, int connector)
{
	const char *name = model->machine->connectors[connector];
	return fake_has(model->card, name, "vrr_capable") &&
	       fake_get(model->card, name, "vrr_capable");
}

static void set_as_client(struct model *model)
{
	struct server_output_change changes[N_CONNECTORS];
	struct setting wishes[N_CONNECTORS];
	int outputs[N_CONNECTORS];
	size_t n = 0;
	for (int i = 0; i < model->machine->n; i++) {
		const struct known *known = model_known(model, i);
		if (!known || model_covers(model, i) || model_draw(model, 2)) {
			continue;
		}
		struct config_output *config = &changes[n].config;
		struct setting *wish = &wishes[n];
		*wish = *model_setting(model, known);
		changes[n].output = find_entry(model->world, model->machine->connectors[i]);
		server_output_config(changes[n].output, config);
		const struct setting next = model_draw_setting(model);
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
		/* Clients cannot request the automatic choice. */
		if (next.vrr == CONFIG_ADAPTIVE_SYNC_OFF ||
			(next.vrr == CONFIG_ADAPTIVE_SYNC_ON && has_variable_rate(model, i))) {
			config->adaptive_sync = next.vrr == CONFIG_ADAPTIVE_SYNC_ON
							? CONFIG_ADAPTIVE_SYNC_ON
							: CONFIG_ADAPTIVE_SYNC_OFF;
			wish->vrr = next.vrr;
		}
		outputs[n++] = i;
	}
	assert_true(server_outputs_apply(changes, n));
	for (size_t i = 0; i < n; i++) {
		struct known *known = model_known(model, outputs[i]);
		known->has_client = true;
		known->client = wishes[i];
	}
}

static void step(struct model *model)
{
	const int kind = model_draw(model, 16);
	if (course_is_loud()) {
		print_message("kind %d\n", kind);
	}
	switch (kind) {
	case 0:
	case 1:
	case 2: plug(model); break;
	case 3:
	case 4: throw_lid(model); break;
	case 5: set_all_power(model, model_draw(model, 2)); break;
	case 6: set_power(model); break;
	case 7: set_away(model, !model->away); break;
	case 8: use_mouse(model); break;
	case 9:
	case 10: reload_some(model); break;
	case 11: use_both(model); break;
	case 12: switch_machine(model); break;
	case 13: resize(model); break;
	default: set_as_client(model); break;
	}
	pass(model, 4);
	model_settle(model);
}

/* Checks */

static const struct scene_output *scene_output_on(struct model *model, int connector)
{
	return scene_output_find_name(
		model->world->fixture->server->scene, model->machine->connectors[connector]);
}

/* The next frame sets the variable rate. */
static void check_pace(struct model *model, int i, const struct setting *setting)
{
	static const enum frame_variable expected[] = {
		[CONFIG_ADAPTIVE_SYNC_OFF] = FRAME_VARIABLE_OFF,
		[CONFIG_ADAPTIVE_SYNC_AUTO] = FRAME_VARIABLE_AUTO,
		[CONFIG_ADAPTIVE_SYNC_ON] = FRAME_VARIABLE_ON,
	};
	const char *connector = model->machine->connectors[i];
	const struct frame_output *frame = find_entry(model->world, connector)->frame;
	const char *crtc = fake_crtc_of(model->card, connector);
	assert_int_equal(frame->display.variable, expected[setting->vrr]);
	assert_int_equal(frame->display.tearing, !setting->no_tearing);
	if (!fake_has(model->card, crtc, "VRR_ENABLED")) {
		return;
	}
	const bool wanted = has_variable_rate(model, i) && setting->vrr == CONFIG_ADAPTIVE_SYNC_ON;
	if (fake_get(model->card, crtc, "VRR_ENABLED") != wanted) {
		scene_output_damage_all(find_entry(model->world, connector)->scene_output);
		pass(model, 3);
	}
	assert_int_equal(fake_get(model->card, crtc, "VRR_ENABLED"), wanted);
}

static void check_output(struct model *model, int i)
{
	const struct scene_output *output = scene_output_on(model, i);
	const int width = width_of(model->card, model->machine->connectors[i]);
	if (!model_shows(model, i)) {
		assert_null(output);
		assert_int_equal(width, 0);
		return;
	}
	const struct known *known = model_known(model, i);
	const struct setting *setting = model_setting(model, known);
	assert_non_null(output);
	if (course_is_loud()) {
		print_message(
			"  %s: screen %d, off %d, client %d, width %d, scale %d, transform %d\n",
			model->machine->connectors[i], known->screen, known->off, known->has_client,
			setting->width, setting->scale, setting->turned);
	}
	assert_int_equal(find_entry(model->world, model->machine->connectors[i])->dark, known->off);
	assert_int_equal(output->scale, setting->scale ? setting->scale : 1);
	assert_int_equal(output->transform, setting->turned);
	if (known->off) {
		assert_int_equal(width, 0);
	} else if (setting->width) {
		assert_int_equal(width, setting->width);
	} else if (!known->has_client) {
		assert_int_equal(
			width, model_screens[model->resized[i]][known->screen].modes[0].width);
	}
	if (!known->off) {
		check_pace(model, i, setting);
	}
	if (setting->has_position) {
		assert_int_equal(output->x, setting->x);
		assert_int_equal(output->y, setting->y);
	}
}

/*
 * In a row of outputs, small steps reach each one: upwards first, since a taller output has a side
 * without neighbour.
 */
static void point_at(struct model *model, const struct box *box)
{
	const struct seat *seat = model->world->fixture->server->seat;
	for (int i = 0; i < 3; i++) {
		const double dx = box->x + box->width / 2.0 - seat->pointer.at.x,
			     dy = seat->pointer.at.y - 3;
		for (double way = 0; way <= fmax(fabs(dx), dy); way += 2) {
			fake_input_move(model->mouse,
				way > fabs(dx) ? 0
				: dx < 0       ? -2
					       : 2,
				way < dy ? -2 : 0);
		}
		fixture_pump(model->world->fixture);
		if (box_contains_point(box, seat->pointer.at.x, seat->pointer.at.y)) {
			return;
		}
	}
	fail_msg("the pointer cannot reach %d,%d", box->x, box->y);
}

/* The boxes of the outputs in the order of the first connection. */
static void check_layout(struct model *model)
{
	struct box boxes[N_CONNECTORS];
	bool fixed[N_CONNECTORS];
	int n = 0, right = 0, n_fixed = 0;
	for (int i = 0; i < model->n; i++) {
		const struct known *known = &model->list[i];
		if (known->present && model_shows(model, known->connector)) {
			boxes[n] = scene_output_box(scene_output_on(model, known->connector));
			fixed[n] = model_setting(model, known)->has_position;
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
	for (int i = 0; n_fixed == 0 && i < n && !model->dark; i++) {
		point_at(model, &boxes[i]);
	}
	if (n_fixed == 0 && n > 0 && !model->dark) {
		model_wake(model, false); /* by the mouse */
	}
}

/*
 * X screens have the largest scale, also while the screens are absent. Another one may wait for
 * other screens.
 */
static void check_x_scale(struct model *model)
{
	const struct x_servers *servers = model->world->fixture->server->x_servers;
	const int64_t now = clock_now(model->world->fixture->clock);
	double most = 0;
	unsigned shown = 0;
	for (int i = 0; i < model->machine->n; i++) {
		const struct scene_output *output = scene_output_on(model, i);
		most = output && output->scale > most ? output->scale : most;
		shown |= (unsigned)(output != NULL) << i;
	}
	if (!servers || wl_list_empty(x_servers_list(servers))) {
		return;
	}
	const struct x_server *first, *server;
	first = wl_container_of(x_servers_list(servers)->next, first, link);
	if (model->x_scale == 0 || first->scale == most || most == 0 || most != model->most ||
		shown != model->shown) {
		model->other_since = now;
	}
	/* The scale that waited may have been taken before the next one came. */
	const bool known = first->scale == most || first->scale == model->x_scale ||
			   first->scale == model->most;
	model->most = most;
	model->shown = shown;
	if (first->scale != most && now - model->other_since > X_WAIT) {
		fail_msg("X scale %g, not %g", first->scale, most);
	}
	if (model->x_scale > 0 && !known) {
		fail_msg("X scale %g, after %g", first->scale, model->x_scale);
	}
	model->x_scale = first->scale;
	wl_list_for_each (server, x_servers_list(servers), link) {
		assert_true(server->scale == model->x_scale);
	}
}

static void check(struct model *model)
{
	assert_int_equal(fake_seat_switches(VT_CLOSED), model->n_closed);
	assert_int_equal(fake_seat_switches(VT_OPENED), model->n_opened);
	if (model->away) {
		return;
	}
	audit(model->world->fixture->server->backend);
	for (int i = 0; i < model->machine->n; i++) {
		check_output(model, i);
	}
	check_layout(model);
	check_x_scale(model);
}

static void add_devices(struct model *model)
{
	model->lid = fake_input_add("Lid Switch", FAKE_LID);
	model->mouse = fake_input_add("Mouse", FAKE_MOUSE);
	model->both = fake_input_add("Keys And Mouse", FAKE_KEYBOARD | FAKE_MOUSE);
	/* Without a report of the initial state, the lid counts as open until it moves. */
	const bool distrusted = model_draw(model, 2);
	if (distrusted) {
		fake_input_distrust(model->lid);
	}
	model->closed = model->seen_closed = model_draw(model, 3) == 0;
	model->known_closed = model->closed && !distrusted;
	fake_input_throw(model->lid, FAKE_LID, model->closed);
}

static uint64_t play(uint32_t seed)
{
	struct world *world;
	char text[2048];
	set_up((void **)&world);
	struct model state =
			     {
				     .world = world,
				     .random = seed * UINT32_C(2654435761),
				     .x_scale = 1,
			     },
		     *model = &state;
	model->machine = model_draw(model, 5) == 0 ? &virtual : &laptops[seed % N_LAPTOPS];
	model->card = fake_card_create(model->machine->kind);
	add_devices(model);
	for (int i = 0; i < model->machine->n; i++) {
		model->seen[i] = -1;
		model->plugged[i] =
			i == model->machine->panel ? 0 : model_draw(model, N_SCREENS + 1) - 1;
		model->sections[i].enabled = true;
		model->sections[i].vrr = CONFIG_ADAPTIVE_SYNC_AUTO;
		send_plug(model, i);
	}
	model_write_config(model, text, sizeof(text));
	begin(world, text);
	/* Without Xwayland, a seed plays the same steps. */
	if (model_draw(model, 2) && world->fixture->server->x_servers) {
		assert_non_null(x_server_for_gpu(world->fixture->server->x_servers, NULL));
	}
	assert_int_equal(world->fixture->server->lid_closed, model->known_closed);
	model_look(model);
	fake_card_set_flips(model->card, FAKE_FLIPS_HELD);
	pass(model, 3);
	check(model);
	for (int i = 0; i < N_STEPS; i++) {
		step(model);
		check(model);
	}
	tear_down((void **)&world);
	return N_STEPS;
}

static void sessions_are_as_the_model_says(void **state)
{
	course_play("SESSION_SEEDS", N_SEEDS, play);
}

int main(void)
{
	char runtime[] = "/tmp/causeway-runtime-XXXXXX";
	setenv("XDG_RUNTIME_DIR", mkdtemp(runtime), 1);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(sessions_are_as_the_model_says, course_tear_down)};
	int result = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(runtime);
	return result;
}
