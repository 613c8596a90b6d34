/* SPDX-License-Identifier: MIT */
/* Outputs: applies the configuration to outputs of the backend and adds them to the scene. */

#include "outputs.h"
#include "backend/drm.h"
#include "backend/lease.h"
#include "backend/wayland.h"
#include "power.h"
#include "render_device.h"
#include "server/server.h"
#include "staging/staging.h"
#include "state.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

static void disable(struct server_output *entry)
{
	server_output_leave_room(entry);
	if (!entry->scene_output) {
		return;
	}
	server_outputs_retry_beside(entry);
	frame_output_destroy(entry->frame);
	scene_output_destroy(entry->scene_output);
	entry->frame = NULL;
	entry->scene_output = NULL;
	entry->dark = entry->power_refused = false;
	device_release_unused(entry->server);
	server_outputs_lay_out(entry->server);
}

static void turn_off(struct server_output *entry)
{
	bool logged = !entry->scene_output;
	disable(entry);
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED;
	if (entry->output->enabled && !output_commit(entry->output, &state) && !logged) {
		log_warn("%s: cannot disable the output; trying again", entry->output->name);
	}
}

/* Scan-out needs display hardware, or a host compositor that may have some. */
static void allow_scan_out(struct server_output *entry, const struct config_output *config)
{
	bool possible = output_is_drm(entry->output) || output_is_wayland(entry->output);
	frame_output_set_scanout(entry->frame, possible && (!config || config->scan_out));
}

static void arrange(struct server_output *entry, const struct config_output *config)
{
	scene_output_set_scale(entry->scene_output, server_output_scale(entry, config));
	scene_output_set_transform(entry->scene_output, server_output_transform(config));
	server_outputs_lay_out(entry->server);
}

/* Applies the configured frame timing, frame rate limit, adaptive sync and tearing. */
static void pace(struct server_output *entry)
{
	const struct server *server = entry->server;
	const struct config *config = server->shell->config;
	const struct config_output *own = server_output_find_config(entry);
	double time = own && own->max_render_time != CONFIG_RENDER_TIME_UNSET
			      ? own->max_render_time
			      : config->frame.max_render_time;
	bool on_battery = server->power && server->power->on_battery;
	double rate = on_battery ? config->power.on_battery_rate : 0;
	struct schedule_settings settings = {
		.margin = (int64_t)(config->frame.margin * 1e6),
		.max_render_time = time == CONFIG_RENDER_TIME_AUTO  ? SCHEDULE_AUTO
				   : time == CONFIG_RENDER_TIME_OFF ? SCHEDULE_AT_ONCE
								    : (int64_t)(time * 1e6),
		.min_interval = rate > 0 ? (int64_t)(1e9 / rate) : 0,
	};
	static const enum frame_variable variable[] = {
		[CONFIG_ADAPTIVE_SYNC_OFF] = FRAME_VARIABLE_OFF,
		[CONFIG_ADAPTIVE_SYNC_AUTO] = FRAME_VARIABLE_AUTO,
		[CONFIG_ADAPTIVE_SYNC_FULLSCREEN] = FRAME_VARIABLE_FILLED,
		[CONFIG_ADAPTIVE_SYNC_ON] = FRAME_VARIABLE_ON,
	};
	struct frame_display display = {
		.variable = own ? variable[own->adaptive_sync] : FRAME_VARIABLE_AUTO,
		.tearing = !own || own->tearing,
		.cpu_composition = !own || own->cpu_composition,
	};
	frame_output_configure(entry->frame, &settings, &display);
	frame_output_set_meter(entry->frame, entry->server->meter);
}

static void pace_hidden(struct server *server)
{
	const struct config *config = server->shell->config;
	const struct throttle_rates rates = {
		.all = config->power.hidden_rate,
		.x = config->xwayland.hidden_rate,
		.fifo = config->power.hidden_fifo_rate,
		.most = server->power && server->power->on_battery ? config->power.on_battery_rate
								   : 0,
	};
	throttle_set_rates(server->hidden, &rates);
}

void server_outputs_pace(struct server *server)
{
	pace_hidden(server);
	struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->frame) {
			pace(entry);
		}
	}
}

static void handle_announce(void *data)
{
	struct server *server = data;
	server->announce_outputs = NULL; /* idle sources are removed after their call */
	staging_retry_memory(server->staging);
	signal_emit(&server->events.outputs_changed, NULL);
}

/* Emits outputs_changed when idle: once for several changes, and after they are complete. */
static void announce(struct server *server)
{
	if (!server->announce_outputs) {
		server->announce_outputs =
			wl_event_loop_add_idle(server->loop, handle_announce, server);
	}
}

static void show_overlay(struct server_output *entry)
{
	const struct server *server = entry->server;
	/* The overlay would reveal areas and times of changes in hidden windows. */
	frame_output_set_overlay(
		entry->frame, server->shell->locked ? FRAME_OVERLAY_OFF : server->state->overlay);
}

void server_set_overlay(struct server *server, enum frame_overlay overlay)
{
	struct server_output *entry;
	server->state->overlay = overlay;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->frame) {
			show_overlay(entry);
		}
	}
}

/* Starts to draw frames for an output in the scene. */
static bool start_frames(struct server_output *entry, const struct config_output *config)
{
	struct render_device *device = device_for(entry->server, entry->output);
	if (!device) {
		return false;
	}
	entry->frame = frame_output_create(entry->scene_output, device, entry->server->clock);
	entry->planes_id = entry->output->planes_id;
	pace(entry);
	show_overlay(entry);
	allow_scan_out(entry, config);
	entry->dark = false;
	return true;
}

/* Adds an output that is enabled, or powered off, and places it. */
static bool put_in_scene(struct server_output *entry, const struct config_output *config)
{
	struct server *server = entry->server;
	if (!entry->screen->off && !device_for(server, entry->output)) {
		log_warn("%s: cannot create a device to compose its frames", entry->output->name);
		return false;
	}
	entry->scene_output = scene_output_create(server->scene, entry->output);
	if (!entry->scene_output) {
		log_warn("%s: too many outputs, at most %d are possible", entry->output->name,
			SCENE_OUTPUTS_MAX);
		return false;
	}
	entry->placed = entry->output->mode;
	arrange(entry, config);
	entry->dark = entry->screen->off;
	return entry->dark || start_frames(entry, config);
}

/* The output has other planes, since it has moved to another CRTC. */
static bool start_frames_again(struct server_output *entry)
{
	const struct config_output *config = server_output_find_config(entry);
	frame_output_destroy(entry->frame);
	entry->frame = NULL;
	return start_frames(entry, config);
}

static void tell_mode(struct server_output *entry)
{
	entry->placed = entry->output->mode;
	scene_output_mode_changed(entry->scene_output);
	server_outputs_lay_out(entry->server);
}

/* Sets the colour matrix, which the next frame commits. */
static void set_matrix(struct server_output *entry, const struct config_output *config)
{
	bool has = config && config->has_color_matrix;
	if (has == entry->has_matrix &&
		(!has || memcmp(config->color_matrix, entry->matrix, sizeof(entry->matrix)) == 0)) {
		return;
	}
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_COLOR_MATRIX;
	state.color_matrix = has ? config->color_matrix : NULL;
	if (output_commit(entry->output, &state) == 0) {
		log_warn("%s: the output does not support a color-matrix", entry->output->name);
		return;
	}
	entry->has_matrix = has;
	memcpy(entry->matrix, has ? config->color_matrix : (double[9]){0}, sizeof(entry->matrix));
}

/* Adds an enabled output to the scene, or updates it there. */
static void place(struct server_output *entry, const struct config_output *config)
{
	if (!entry->scene_output) {
		if (!put_in_scene(entry, config)) {
			turn_off(entry);
			return;
		}
	} else {
		arrange(entry, config);
		allow_scan_out(entry, config);
		if (entry->planes_id != entry->output->planes_id && !start_frames_again(entry)) {
			turn_off(entry);
			return;
		}
		if (!output_mode_equal(&entry->placed, &entry->output->mode)) {
			tell_mode(entry);
			server_outputs_retry_beside(entry);
		}
	}
	set_matrix(entry, config);
}

static void go_dark(struct server_output *entry)
{
	frame_output_destroy(entry->frame);
	entry->frame = NULL;
	entry->dark = true;
	device_release_unused(entry->server);
	server_outputs_retry_beside(entry);
}

static bool power_off(struct server_output *entry)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED;
	if (!output_test(entry->output, &state) || output_commit(entry->output, &state) == 0) {
		return false;
	}
	go_dark(entry);
	return true;
}

static bool wake_up(struct server_output *entry)
{
	const struct config_output *config = server_output_find_config(entry);
	if (!device_for(entry->server, entry->output) ||
		server_output_enable(entry, config) != SERVER_OUTPUT_ENABLED ||
		!start_frames(entry, config)) {
		return false;
	}
	set_matrix(entry, config); /* may have changed while it was dark */
	/* The mode may have changed, and the output needs a full redraw. */
	tell_mode(entry);
	server_outputs_retry_beside(entry);
	return true;
}

/* Powers a dark output on, and any other off. */
static void switch_power(struct server_output *entry)
{
	bool on = entry->dark, logged = entry->power_refused;
	entry->power_refused = entry->output->asleep || !(on ? wake_up(entry) : power_off(entry));
	if (!entry->power_refused) {
		signal_emit(&entry->events.power, NULL);
	} else if (!logged && !entry->output->asleep) {
		log_warn("%s: cannot power it %s; trying again", entry->output->name,
			on ? "on" : "off");
	}
}

void server_output_set_power(struct server_output *entry, bool on)
{
	entry->screen->off = !on;
	if (on) {
		server_screens_wake_absent(entry->server);
	}
	if (!entry->scene_output) {
		return; /* applies when it is added */
	}
	entry->n_retries = 0;
	if (on == entry->dark) {
		switch_power(entry);
	} else {
		entry->power_refused = false;
	}
	server_output_schedule_retry(entry);
}

/*
 * Adds an output that is to be powered off, without lighting it first: screens that drop their link
 * in standby would wake up and return for ever.
 */
static void stay_dark(struct server_output *entry, const struct config_output *config)
{
	turn_off(entry);
	if (server_output_plan_mode(entry, config)) {
		put_in_scene(entry, config);
	}
}

/* Applies the settings to an output whose session is active. */
static void apply(struct server_output *entry, const struct config_output *config)
{
	if ((config && !config->enabled) || entry->covered || entry->lendable || entry->left_out) {
		entry->lowered = entry->depth_refused = false;
		entry->lacks = NULL;
		if (config && !config->enabled) { /* enabling it will power it on */
			entry->screen->off = shell_is_dark(entry->server->shell);
		}
		turn_off(entry);
		return;
	}
	if (entry->screen->off && !entry->scene_output) {
		stay_dark(entry, config);
		return;
	}
	if (entry->power_refused) {
		switch_power(entry);
	}
	if (entry->dark) {
		arrange(entry, config); /* power on sets the mode */
		return;
	}
	switch (server_output_enable(entry, config)) {
	case SERVER_OUTPUT_ENABLED: place(entry, config); break;
	case SERVER_OUTPUT_WAITS: break;
	case SERVER_OUTPUT_REFUSED: turn_off(entry); break;
	}
}

/* Applies the settings without restarting the pauses of output_retry.c. */
static void try(struct server_output *entry)
{
	struct output *output = entry->output;
	const struct config_output *config = server_output_find_config(entry);
	entry->lendable = server_output_is_lendable(entry, config);
	if (output->leased && !entry->lendable) {
		drm_lease_end(output); /* continues in events.changed */
		return;
	}
	announce(entry->server);
	entry->left_out = server_output_is_left_out(entry, config);
	entry->postponed = output->asleep;
	if (!entry->postponed) { /* the kernel refuses all commits while asleep */
		apply(entry, config);
	} else {
		server_output_note_mode(entry, config);
	}
	server_output_schedule_retry(entry);
}

void server_output_configure(struct server_output *entry)
{
	entry->n_retries = 0;
	try(entry);
}

/* Returns true if there is another output than panels; with `soon`, or if one will be enabled. */
static bool shows_without_panel(const struct server *server, bool soon)
{
	const struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		const struct config_output *config = server_output_find_config(entry);
		const bool expected = soon && (!config || config->enabled) &&
				      !server_output_is_lendable(entry, config) &&
				      !server_output_is_left_out(entry, config);
		if (!entry->output->built_in && (server_output_has_place(entry) || expected)) {
			return true;
		}
	}
	return false;
}

static bool covers_panels(const struct server *server, bool soon)
{
	return server->lid_closed && server->shell->config->switches.lid_covers_panel &&
	       shows_without_panel(server, soon);
}

/* Leaves panels off that server_outputs_cover() would disable again. */
static void cover_early(struct server *server)
{
	const bool cover = covers_panels(server, true);
	struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->output->built_in && !entry->scene_output) {
			entry->covered = cover;
		}
	}
}

/*
 * Disables the panel under a closed lid, unless it is the only output, and outputs that may have no
 * screen, beside others.
 */
void server_outputs_cover(struct server *server)
{
	struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		bool left_out = server_output_is_left_out(entry, server_output_find_config(entry));
		if (entry->left_out != left_out) {
			server_output_configure(entry);
		}
	}
	/* One that is lit now may cover the panel. */
	const bool cover = covers_panels(server, false);
	wl_list_for_each (entry, &server->outputs, link) {
		bool covered = entry->output->built_in && cover;
		if (entry->covered != covered) {
			entry->covered = covered;
			server_output_configure(entry);
		}
	}
}

static void handle_room(struct timer *timer, int64_t now)
{
	struct server_output *entry = wl_container_of(timer, entry, room_timer);
	try(entry);
	server_outputs_cover(entry->server);
}

/* Returns true if all outputs are powered off, as by an idle timer. */
static bool all_are_dark(const struct server *server)
{
	const struct server_output *entry;
	bool any = false;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->frame) {
			return false;
		}
		any |= entry->dark;
	}
	return any;
}

static void handle_retry(struct timer *timer, int64_t now)
{
	struct server_output *entry = wl_container_of(timer, entry, retry_timer);
	const struct output *output = entry->output;
	if (output->asleep || (output_is_drm(output) && !drm_output_tests_modesets(output))) {
		return; /* events.reconsider follows */
	}
	if (entry->lacks && all_are_dark(entry->server)) {
		return; /* the first output that is powered on starts another try */
	}
	try(entry);
	server_outputs_cover(entry->server);
}

static void handle_request_state(struct wl_listener *listener, void *data)
{
	struct server_output *entry = wl_container_of(listener, entry, request_state);
	const struct output_state *state = data;
	const struct config_output *config = server_output_find_config(entry);
	if (config && config->has_mode && output_is_drm(entry->output)) {
		return; /* screens of virtual machines keep the configured mode */
	}
	const bool done = output_commit(entry->output, state) != 0;
	if (done && entry->scene_output) {
		tell_mode(entry);
	} else if (!done && output_is_drm(entry->output)) {
		entry->lowered = true; /* the card may accept the size later */
		server_output_retry_soon(entry);
	}
}

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct server_output *entry = wl_container_of(listener, entry, changed);
	/* The card refused a mode late, which it could not test earlier, and kept the last one. */
	entry->lowered |= entry->scene_output && entry->output->enabled &&
			  !output_mode_equal(&entry->output->mode, &entry->placed);
	server_output_configure(entry);
	server_outputs_cover(entry->server);
}

static void handle_needs_frame(struct wl_listener *listener, void *data)
{
	struct server_output *entry = wl_container_of(listener, entry, needs_frame);
	if (entry->postponed) {
		server_output_configure(entry);
		server_outputs_cover(entry->server);
	}
}

static void handle_reconsider(struct wl_listener *listener, void *data)
{
	struct server_output *entry = wl_container_of(listener, entry, reconsider);
	server_output_retry_soon(entry);
	staging_retry_memory(entry->server->staging);
}

static void forget(struct server_output *entry)
{
	disable(entry);
	signal_emit(&entry->events.destroy, NULL);
	wl_list_remove(&entry->request_state.link);
	wl_list_remove(&entry->changed.link);
	wl_list_remove(&entry->needs_frame.link);
	wl_list_remove(&entry->reconsider.link);
	wl_list_remove(&entry->destroy.link);
	timer_finish(&entry->room_timer);
	timer_finish(&entry->retry_timer);
	wl_list_remove(&entry->link);
	server_screen_leave(entry);
	announce(entry->server);
	free(entry);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct server_output *entry = wl_container_of(listener, entry, destroy);
	struct server *server = entry->server;
	forget(entry);
	server_outputs_cover(server);
}

void server_outputs_add(struct server *server, struct output *output)
{
	struct server_output *entry = xcalloc(1, sizeof(*entry));
	entry->server = server;
	entry->output = output;
	timer_init(&entry->room_timer, server->clock, handle_room);
	timer_init(&entry->retry_timer, server->clock, handle_retry);
	signals_init(&entry->events, sizeof(entry->events));
	wl_list_insert(server->outputs.prev, &entry->link);
	server_screen_enter(entry);
	signal_add(&output->events.request_state, &entry->request_state, handle_request_state);
	signal_add(&output->events.changed, &entry->changed, handle_changed);
	signal_add(&output->events.needs_frame, &entry->needs_frame, handle_needs_frame);
	signal_add(&output->events.reconsider, &entry->reconsider, handle_reconsider);
	signal_add(&output->events.destroy, &entry->destroy, handle_destroy);
	if (!server->holds_outputs) {
		server_output_configure(entry);
		server_outputs_cover(server);
	}
}

static void configure_all(struct server *server)
{
	struct server_output *entry;
	cover_early(server);
	server_outputs_enable_together(server);
	wl_list_for_each (entry, &server->outputs, link) {
		server_output_configure(entry);
	}
	server_outputs_cover(server);
}

void server_outputs_hold(struct server *server, bool hold)
{
	server->holds_outputs = hold;
	if (!hold) {
		configure_all(server);
	}
}

void server_outputs_configure(struct server *server)
{
	configure_all(server);
}

void server_outputs_finish(struct server *server)
{
	struct server_output *entry, *next;
	wl_list_for_each_safe (entry, next, &server->outputs, link) {
		forget(entry);
	}
	server_screens_finish(server);
	event_source_remove(&server->announce_outputs);
}
