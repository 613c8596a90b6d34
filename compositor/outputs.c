/* Outputs: between what the backend brings, what the configuration says and what the scene shows.
 */

#include "outputs.h"
#include "backend/drm.h"
#include "backend/lease.h"
#include "backend/wayland.h"
#include "device.h"
#include "power.h"
#include "server.h"
#include "util/log.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdlib.h>

/** Farther off, and boxes would not fit their numbers any more. */
#define MAX_POSITION (1 << 20)
/** As in the configuration. */
#define MIN_SCALE 0.25
#define MAX_SCALE 10

/** NULL: all is as usual. */
static const struct config_output *find_config(const struct server_output *entry)
{
	return entry->has_wish
		       ? &entry->wish
		       : config_output_find(entry->server->shell->config, entry->output->name);
}

/** Of the modes of the wished size, the one nearest to the wished rate; 0: the fastest. */
static bool find_mode(
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

static bool commit_mode(struct output *output, const struct output_mode *mode)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED | OUTPUT_MODE;
	state.enabled = true;
	state.mode = *mode;
	return output_test(output, &state) && output_commit(output, &state) != 0;
}

static bool same_mode(const struct output_mode *a, const struct output_mode *b)
{
	return a->width == b->width && a->height == b->height && a->refresh == b->refresh;
}

/** Enables it in the configured mode, else in its preferred one. */
static bool light_up(struct output *output, const struct config_output *config)
{
	struct output_mode mode;
	if (config && config->has_mode) {
		if (find_mode(output, config, &mode)) {
			if (output->enabled && same_mode(&output->mode, &mode)) {
				return true;
			}
			if (commit_mode(output, &mode)) {
				return true;
			}
		}
		log_warn("%s: mode %dx%d cannot be set, using the preferred one", output->name,
			config->width, config->height);
	} else if (output->enabled) {
		return true;
	}
	if (preferred_mode(output, &mode) && commit_mode(output, &mode)) {
		return true;
	}
	log_warn("%s: no mode can be set", output->name);
	return false;
}

static void disable(struct server_output *entry)
{
	if (!entry->scene_output) {
		return;
	}
	frame_output_destroy(entry->frame);
	scene_output_destroy(entry->scene_output);
	entry->frame = NULL;
	entry->scene_output = NULL;
	entry->dark = false;
	device_release_unused(entry->server);
}

static void turn_off(struct server_output *entry)
{
	disable(entry);
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED;
	if (entry->output->enabled && !output_commit(entry->output, &state)) {
		log_warn("%s cannot be switched off", entry->output->name);
	}
}

/* Where there is hardware to do it, or a host that may have some. */
static void allow_scan_out(struct server_output *entry, const struct config_output *config)
{
	bool possible = output_is_drm(entry->output) || output_is_wayland(entry->output);
	entry->frame->scanout_enabled = possible && (!config || config->scan_out);
}

static void arrange(struct server_output *entry, const struct config_output *config)
{
	double preferred = entry->output->preferred_scale;
	scene_output_set_scale(entry->scene_output, config && config->has_scale ? config->scale
						    : preferred > 0             ? preferred
										: 1);
	scene_output_set_transform(entry->scene_output,
		config && config->has_transform ? config->transform : WL_OUTPUT_TRANSFORM_NORMAL);
	if (config && config->has_position) {
		scene_output_set_position(entry->scene_output, config->x, config->y);
	}
}

/* What the configuration says of when its frames start and how many there may be. */
static void pace(struct server_output *entry)
{
	const struct server *server = entry->server;
	const struct config *config = server->shell->config;
	const struct config_output *own = find_config(entry);
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
	};
	frame_output_configure(entry->frame, &settings, &display);
	entry->frame->meter = &entry->server->meter;
}

void server_outputs_pace(struct server *server)
{
	struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->frame) {
			pace(entry);
		}
	}
}

static void show_overlay(struct server_output *entry)
{
	const struct server *server = entry->server;
	/* Shapes and moments of what is hidden are nobody's business. */
	frame_output_set_overlay(
		entry->frame, server->shell->locked ? FRAME_OVERLAY_OFF : server->overlay);
}

void server_set_overlay(struct server *server, enum frame_overlay overlay)
{
	struct server_output *entry;
	server->overlay = overlay;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->frame) {
			show_overlay(entry);
		}
	}
}

static bool put_in_scene(struct server_output *entry, const struct config_output *config)
{
	struct server *server = entry->server;
	struct box layout = scene_layout_box(server->scene);
	struct frame_device *device = device_for(server, entry->output);
	if (!device) {
		log_warn("%s: there is nothing to draw its pictures with", entry->output->name);
		return false;
	}
	entry->scene_output = scene_output_create(server->scene, entry->output);
	if (!entry->scene_output) {
		log_warn(
			"%s: there are %d outputs already", entry->output->name, SCENE_MAX_OUTPUTS);
		return false;
	}
	if (!box_empty(&layout)) {
		scene_output_set_position(entry->scene_output, layout.x + layout.width, layout.y);
	}
	arrange(entry, config);
	entry->frame = frame_output_create(entry->scene_output, device, server->clock);
	pace(entry);
	show_overlay(entry);
	allow_scan_out(entry, config);
	return true;
}

/* Headsets show nothing of a desktop: who can draw for them drives them. */
static bool is_lendable(const struct output *output, const struct config_output *config)
{
	if (!output_is_drm(output) || (config && !config->enabled)) {
		return false;
	}
	int lease = config ? config->lease : CONFIG_LEASE_AUTO;
	return lease == CONFIG_LEASE_YES || (lease == CONFIG_LEASE_AUTO && output->non_desktop);
}

static void configure(struct server_output *entry)
{
	struct output *output = entry->output;
	const struct config_output *config = find_config(entry);
	entry->lendable = is_lendable(output, config);
	if (output->leased && !entry->lendable) {
		drm_lease_end(output); /* it comes back by events.changed */
		return;
	}
	struct output_mode before = output->mode;
	signal_emit(&entry->server->events.outputs_changed, NULL);
	if (entry->dark && !entry->covered && !entry->lendable && (!config || config->enabled)) {
		arrange(entry, config); /* its mode is looked at when it is switched on */
		return;
	}
	if ((config && !config->enabled) || entry->covered || entry->lendable ||
		!light_up(output, config)) {
		turn_off(entry);
		return;
	}
	if (!entry->scene_output) {
		if (!put_in_scene(entry, config)) {
			turn_off(entry);
		}
		return;
	}
	arrange(entry, config);
	allow_scan_out(entry, config);
	if (!same_mode(&before, &output->mode)) {
		scene_output_mode_changed(entry->scene_output);
	}
}

static bool shows_without_panel(const struct server *server)
{
	const struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->scene_output && !entry->output->built_in) {
			return true;
		}
	}
	return false;
}

/* Nobody sees a panel under the lid; but if it is all there is, windows stay on it. */
void server_outputs_cover(struct server *server)
{
	bool cover = server->lid_closed && server->shell->config->switches.lid_covers_panel &&
		     shows_without_panel(server);
	struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->output->built_in && entry->covered != cover) {
			entry->covered = cover;
			configure(entry);
		}
	}
}

static void go_dark(struct server_output *entry)
{
	frame_output_destroy(entry->frame);
	entry->frame = NULL;
	entry->dark = true;
	device_release_unused(entry->server);
}

static bool wake_up(struct server_output *entry)
{
	struct frame_device *device = device_for(entry->server, entry->output);
	const struct config_output *config = find_config(entry);
	if (!device || !light_up(entry->output, config)) {
		return false;
	}
	entry->frame = frame_output_create(entry->scene_output, device, entry->server->clock);
	pace(entry);
	show_overlay(entry);
	allow_scan_out(entry, config);
	entry->dark = false;
	/* The mode may be another by now, and all is to be drawn. */
	scene_output_mode_changed(entry->scene_output);
	return true;
}

bool server_output_set_power(struct server_output *entry, bool on)
{
	if (on != entry->dark) {
		return true;
	}
	if (on) {
		if (!wake_up(entry)) {
			return false;
		}
	} else {
		struct output_state state;
		output_state_init(&state);
		state.fields = OUTPUT_ENABLED;
		if (!output_test(entry->output, &state) ||
			output_commit(entry->output, &state) == 0) {
			return false;
		}
		go_dark(entry);
	}
	signal_emit(&entry->events.power, NULL);
	return true;
}

static void handle_request_state(struct wl_listener *listener, void *data)
{
	struct server_output *entry = wl_container_of(listener, entry, request_state);
	const struct output_state *state = data;
	if (output_commit(entry->output, state) && entry->scene_output) {
		scene_output_mode_changed(entry->scene_output);
	}
}

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct server_output *entry = wl_container_of(listener, entry, changed);
	configure(entry);
	server_outputs_cover(entry->server);
}

static void forget(struct server_output *entry)
{
	disable(entry);
	signal_emit(&entry->events.destroy, NULL);
	wl_list_remove(&entry->request_state.link);
	wl_list_remove(&entry->changed.link);
	wl_list_remove(&entry->destroy.link);
	wl_list_remove(&entry->link);
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
	wl_signal_init(&entry->events.power);
	wl_signal_init(&entry->events.destroy);
	wl_list_insert(server->outputs.prev, &entry->link);
	entry->request_state.notify = handle_request_state;
	wl_signal_add(&output->events.request_state, &entry->request_state);
	entry->changed.notify = handle_changed;
	wl_signal_add(&output->events.changed, &entry->changed);
	entry->destroy.notify = handle_destroy;
	wl_signal_add(&output->events.destroy, &entry->destroy);
	configure(entry);
	server_outputs_cover(server);
}

void server_outputs_configure(struct server *server)
{
	struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		entry->has_wish = false;
		configure(entry);
	}
	server_outputs_cover(server);
}

void server_output_config(const struct server_output *entry, struct config_output *config)
{
	static const struct config_output usual = {
		.enabled = true,
		.scan_out = true,
		.max_render_time = CONFIG_RENDER_TIME_UNSET,
		.adaptive_sync = CONFIG_ADAPTIVE_SYNC_AUTO,
		.tearing = true,
		.lease = CONFIG_LEASE_AUTO,
	};
	const struct config_output *found = find_config(entry);
	*config = found ? *found : usual;
	config->name = NULL;
	config->link = (struct wl_list){0};
	/* A mode that it could not be put into is not what it is in. */
	const struct output *output = entry->output;
	struct output_mode mode;
	if (config->has_mode && (!find_mode(output, config, &mode) ||
					(output->enabled && !same_mode(&output->mode, &mode)))) {
		config->has_mode = false;
	}
	const struct scene_output *place = entry->scene_output;
	config->enabled = place != NULL;
	if (place) {
		config->has_position = config->has_scale = config->has_transform = true;
		config->x = place->x;
		config->y = place->y;
		config->scale = place->scale;
		config->transform = place->transform;
	}
}

/** The mode that it would be in. */
static bool choose_mode(
	const struct output *output, const struct config_output *config, struct output_mode *mode)
{
	if (config->has_mode) {
		return find_mode(output, config, mode);
	}
	if (output->enabled) {
		*mode = output->mode;
		return true;
	}
	return preferred_mode(output, mode);
}

static bool in_range(const struct config_output *config)
{
	return (!config->has_scale || (config->scale >= MIN_SCALE && config->scale <= MAX_SCALE)) &&
	       (!config->has_position ||
		       (config->x >= -MAX_POSITION && config->x <= MAX_POSITION &&
			       config->y >= -MAX_POSITION && config->y <= MAX_POSITION));
}

static bool could_be(const struct server_output_change *change)
{
	struct output *output = change->output->output;
	const struct config_output *config = &change->config;
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED;
	state.enabled = config->enabled;
	if (!config->enabled) {
		return !output->enabled || output_test(output, &state);
	}
	if (change->output->covered || change->output->lendable || !in_range(config) ||
		!choose_mode(output, config, &state.mode)) {
		return false;
	}
	if (!output->enabled || !same_mode(&output->mode, &state.mode)) {
		state.fields |= OUTPUT_MODE;
	}
	const struct config_output *now = find_config(change->output);
	if (config->adaptive_sync == CONFIG_ADAPTIVE_SYNC_ON &&
		(!now || now->adaptive_sync != CONFIG_ADAPTIVE_SYNC_ON)) {
		state.fields |= OUTPUT_ADAPTIVE_SYNC;
		state.adaptive_sync = true;
	}
	return output_test(output, &state);
}

bool server_outputs_test(const struct server_output_change *changes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!could_be(&changes[i])) {
			return false;
		}
	}
	return true;
}

/** Did it come out as it should? */
static bool has_become(const struct server_output *entry, const struct config_output *config)
{
	const struct output *output = entry->output;
	if (!config->enabled) {
		return !entry->scene_output && !output->enabled;
	}
	struct output_mode mode;
	return entry->scene_output &&
	       (entry->dark || !config->has_mode ||
		       (find_mode(output, config, &mode) && same_mode(&output->mode, &mode)));
}

static bool make(const struct server_output_change *change)
{
	struct server_output *entry = change->output;
	entry->wish = change->config;
	entry->has_wish = true;
	configure(entry);
	if (entry->frame) {
		pace(entry);
	}
	return has_become(entry, &change->config);
}

/** First those that go off: others may need what they had. */
static bool make_all(const struct server_output_change *changes, size_t n)
{
	bool all = true;
	for (size_t i = 0; i < n; i++) {
		all = (changes[i].config.enabled || make(&changes[i])) && all;
	}
	for (size_t i = 0; i < n; i++) {
		all = (!changes[i].config.enabled || make(&changes[i])) && all;
	}
	return all;
}

/** What was, so that it can be had back. */
struct past {
	bool had_wish;
	struct config_output wish;
};

bool server_outputs_apply(const struct server_output_change *changes, size_t n)
{
	if (!server_outputs_test(changes, n)) {
		return false;
	}
	struct past *pasts = xcalloc(n, sizeof(*pasts));
	struct server_output_change *back = xcalloc(n, sizeof(*back));
	for (size_t i = 0; i < n; i++) {
		struct server_output *entry = changes[i].output;
		pasts[i] = (struct past){entry->has_wish, entry->wish};
		back[i].output = entry;
		server_output_config(entry, &back[i].config);
		if (entry->scene_output && !entry->dark) {
			const struct output_mode *mode = &entry->output->mode;
			back[i].config.has_mode = true;
			back[i].config.width = mode->width;
			back[i].config.height = mode->height;
			back[i].config.refresh = mode->refresh;
		}
	}
	bool made = make_all(changes, n);
	if (!made) {
		if (!make_all(back, n)) {
			log_warn("outputs are not as they were before a change that failed");
		}
		for (size_t i = 0; i < n; i++) {
			back[i].output->has_wish = pasts[i].had_wish;
			back[i].output->wish = pasts[i].wish;
		}
	}
	free(pasts);
	free(back);
	if (n > 0) {
		server_outputs_cover(changes[0].output->server);
	}
	return made;
}

void server_outputs_finish(struct server *server)
{
	struct server_output *entry, *next;
	wl_list_for_each_safe (entry, next, &server->outputs, link) {
		forget(entry);
	}
}
