/* SPDX-License-Identifier: MIT */
/* wl_output and xdg_output: events for outputs that appear, change and go. */

#include "backend/headless.h"
#include "harness/client/world.h"
#include "protocol/server_output.h"
#include "scene/scene.h"
#include "seat/cursor.h"
#include "seat/seat.h"
#include "surface/surface.h"
#include "util/signal.h"
#include "xdg-output-unstable-v1-client-protocol.h"
#include <stdlib.h>
#include <string.h>

/** Events of one output: the last values, and counts. */
struct output_events {
	struct wl_output *output;
	struct zxdg_output_v1 *xdg;
	int32_t x, y, width, height, refresh, scale, transform;
	uint32_t mode_flags;
	int n_geometry, n_mode, n_scale, n_done;
	char name[32], description[64], model[32], xdg_description[64];
	int32_t logical_x, logical_y, logical_width, logical_height;
	int n_logical, n_xdg_done;
	/** n_logical at the last wl_output.done. */
	int logical_at_done;
};

static void handle_geometry(void *data, struct wl_output *output, int32_t x, int32_t y,
	int32_t physical_width, int32_t physical_height, int32_t subpixel, const char *make,
	const char *model, int32_t transform)
{
	struct output_events *events = data;
	events->x = x;
	events->y = y;
	events->transform = transform;
	strncpy(events->model, model, sizeof(events->model) - 1);
	events->n_geometry++;
}

static void handle_mode(void *data, struct wl_output *output, uint32_t flags, int32_t width,
	int32_t height, int32_t refresh)
{
	struct output_events *events = data;
	assert_true(flags & WL_OUTPUT_MODE_CURRENT);
	events->mode_flags = flags;
	events->width = width;
	events->height = height;
	events->refresh = refresh;
	events->n_mode++;
}

static void handle_done(void *data, struct wl_output *output)
{
	struct output_events *events = data;
	events->n_done++;
	events->logical_at_done = events->n_logical;
}

static void handle_scale(void *data, struct wl_output *output, int32_t scale)
{
	struct output_events *events = data;
	events->scale = scale;
	events->n_scale++;
}

static void handle_name(void *data, struct wl_output *output, const char *name)
{
	struct output_events *events = data;
	strncpy(events->name, name, sizeof(events->name) - 1);
}

static void handle_description(void *data, struct wl_output *output, const char *description)
{
	struct output_events *events = data;
	strncpy(events->description, description, sizeof(events->description) - 1);
}

static const struct wl_output_listener output_listener = {
	.geometry = handle_geometry,
	.mode = handle_mode,
	.done = handle_done,
	.scale = handle_scale,
	.name = handle_name,
	.description = handle_description,
};

static void handle_position(void *data, struct zxdg_output_v1 *xdg, int32_t x, int32_t y)
{
	struct output_events *events = data;
	events->logical_x = x;
	events->logical_y = y;
}

static void handle_size(void *data, struct zxdg_output_v1 *xdg, int32_t width, int32_t height)
{
	struct output_events *events = data;
	events->logical_width = width;
	events->logical_height = height;
	events->n_logical++;
}

static void handle_xdg_done(void *data, struct zxdg_output_v1 *xdg)
{
	struct output_events *events = data;
	events->n_xdg_done++;
}

static void handle_xdg_name(void *data, struct zxdg_output_v1 *xdg, const char *name)
{
}

static void handle_xdg_description(void *data, struct zxdg_output_v1 *xdg, const char *description)
{
	struct output_events *events = data;
	strncpy(events->xdg_description, description, sizeof(events->xdg_description) - 1);
}

static const struct zxdg_output_v1_listener xdg_listener = {
	.logical_position = handle_position,
	.logical_size = handle_size,
	.done = handle_xdg_done,
	.name = handle_xdg_name,
	.description = handle_xdg_description,
};

static int set_up(void **state)
{
	struct world *world = world_create(NULL);
	world->manager = peer_bind(world->peer, &zxdg_output_manager_v1_interface, 0);
	*state = world;
	return 0;
}

static void listen_to(struct world *world, struct output_events *events, uint32_t version)
{
	*events = (struct output_events){0};
	events->output = peer_bind(world->peer, &wl_output_interface, version);
	wl_output_add_listener(events->output, &output_listener, events);
	fixture_pump(world->fixture);
}

static void listen_to_xdg(struct world *world, struct output_events *events)
{
	events->xdg = zxdg_output_manager_v1_get_xdg_output(world->manager, events->output);
	zxdg_output_v1_add_listener(events->xdg, &xdg_listener, events);
	fixture_pump(world->fixture);
}

static struct scene_output *first_output(struct world *world)
{
	return world->fixture->server->scene->outputs[0];
}

static void events_depend_on_the_version(void **state)
{
	struct world *world = *state;
	struct output_events events;
	listen_to(world, &events, 0);
	assert_string_equal(events.name, first_output(world)->output->name);
	assert_true(strlen(events.description) > 0);
	assert_int_equal(events.width, 320);
	assert_int_equal(events.height, 240);
	assert_int_equal(events.refresh, 60000);
	assert_int_equal(events.scale, 1);
	assert_int_equal(events.n_done, 1);

	listen_to(world, &events, 1);
	assert_int_equal(events.n_geometry, 1);
	assert_int_equal(events.n_mode, 1);
	assert_int_equal(events.n_scale + events.n_done, 0);
	assert_string_equal(events.name, "");

	listen_to(world, &events, 2);
	assert_int_equal(events.n_scale, 1);
	assert_int_equal(events.n_done, 1);
	assert_string_equal(events.name, "");
}

static void done_is_sent_by_wl_output(void **state)
{
	struct world *world = *state;
	struct output_events events;
	listen_to(world, &events, 0);
	listen_to_xdg(world, &events);
	assert_int_equal(events.logical_width, 320);
	assert_int_equal(events.logical_height, 240);
	/* From version 3 on, wl_output.done replaces xdg_output.done. */
	assert_int_equal(events.n_xdg_done, 0);
	assert_int_equal(events.n_done, 2);

	struct zxdg_output_manager_v1 *old =
		peer_bind(world->peer, &zxdg_output_manager_v1_interface, 2);
	struct output_events before = {.output = events.output};
	before.xdg = zxdg_output_manager_v1_get_xdg_output(old, events.output);
	zxdg_output_v1_add_listener(before.xdg, &xdg_listener, &before);
	fixture_pump(world->fixture);
	assert_int_equal(before.n_xdg_done, 1);
	assert_int_equal(events.n_done, 2);
}

static void changes_are_sent_before_done(void **state)
{
	struct world *world = *state;
	struct scene_output *output = first_output(world);
	struct output_events events;
	listen_to(world, &events, 0);
	listen_to_xdg(world, &events);
	int done = events.n_done, geometry = events.n_geometry;

	scene_output_set_scale(output, 1.25);
	fixture_pump(world->fixture);
	assert_int_equal(events.scale, 2);
	assert_int_equal(events.n_done, ++done);
	assert_int_equal(events.logical_width, 256);
	assert_int_equal(events.logical_at_done, events.n_logical);
	assert_int_equal(events.n_geometry, geometry);

	/* The integer scale is unchanged, the logical size is not. */
	scene_output_set_scale(output, 1.5);
	fixture_pump(world->fixture);
	assert_int_equal(events.n_scale, 2);
	assert_int_equal(events.n_done, ++done);
	assert_int_equal(events.logical_width, 214);
	assert_int_equal(events.logical_at_done, events.n_logical);

	scene_output_set_scale(output, 1);
	scene_output_set_transform(output, WL_OUTPUT_TRANSFORM_90);
	scene_output_set_position(output, -50, 70);
	fixture_pump(world->fixture);
	assert_int_equal(events.transform, WL_OUTPUT_TRANSFORM_90);
	assert_int_equal(events.x, -50);
	assert_int_equal(events.y, 70);
	assert_int_equal(events.logical_x, -50);
	assert_int_equal(events.logical_width, 240);
	assert_int_equal(events.logical_height, 320);
	/* The mode in pixels is unchanged. */
	assert_int_equal(events.n_mode, 1);
	assert_int_equal(events.width, 320);

	/* An unchanged value sends no event. */
	done = events.n_done;
	scene_output_set_position(output, -50, 70);
	fixture_frames(world->fixture, 2);
	assert_int_equal(events.n_done, done);
}

/* Changes the mode, as of a connector, without a modeset. */
/* As if the server had set the mode: it tries again to set one that the card has replaced. */
static void change_mode(struct world *world, int32_t width, int32_t height, int32_t refresh)
{
	struct output *output = first_output(world)->output;
	struct server_output *entry =
		wl_container_of(world->fixture->server->outputs.next, entry, link);
	output->mode.width = width;
	output->mode.height = height;
	output->mode.refresh = refresh;
	entry->placed = output->mode;
	signal_emit(&output->events.changed, output);
	fixture_pump(world->fixture);
}

static void mode_is_preferred_if_size_and_refresh_rate_are(void **state)
{
	struct world *world = *state;
	struct output_events events;
	listen_to(world, &events, 0);
	assert_int_equal(events.mode_flags, WL_OUTPUT_MODE_CURRENT | WL_OUTPUT_MODE_PREFERRED);
	const struct output_mode others[] = {
		{.width = 320, .height = 240, .refresh = 75000},
		{.width = 300, .height = 240, .refresh = 60000},
		{.width = 320, .height = 200, .refresh = 60000},
	};
	for (int i = 0; i < 3; i++) {
		const struct output_mode *mode = &others[i];
		change_mode(world, mode->width, mode->height, mode->refresh);
		assert_int_equal(events.n_mode, 2 + 2 * i);
		assert_int_equal(events.n_done, 2 + 2 * i);
		assert_int_equal(events.width, mode->width);
		assert_int_equal(events.height, mode->height);
		assert_int_equal(events.refresh, mode->refresh);
		assert_int_equal(events.mode_flags, WL_OUTPUT_MODE_CURRENT);
		change_mode(world, 320, 240, 60000);
		assert_int_equal(events.n_mode, 3 + 2 * i);
		assert_int_equal(
			events.mode_flags, WL_OUTPUT_MODE_CURRENT | WL_OUTPUT_MODE_PREFERRED);
	}
	/* The mode may be listed without being preferred. */
	first_output(world)->output->modes[0].preferred = false;
	listen_to(world, &events, 0);
	assert_int_equal(events.mode_flags, WL_OUTPUT_MODE_CURRENT);
}

/* Replaces the monitor of the connector by another one of the same modes. */
static void change_monitor(struct world *world)
{
	struct output *output = first_output(world)->output;
	free(output->description);
	free(output->model);
	output->description = strdup("Another monitor");
	output->model = strdup("another");
	signal_emit(&output->events.changed, output);
	fixture_pump(world->fixture);
}

static void another_monitor_is_described(void **state)
{
	struct world *world = *state;
	struct output_events events, old = {0};
	listen_to(world, &events, 0);
	listen_to_xdg(world, &events);
	struct zxdg_output_manager_v1 *old_manager =
		peer_bind(world->peer, &zxdg_output_manager_v1_interface, 2);
	old.xdg = zxdg_output_manager_v1_get_xdg_output(old_manager, events.output);
	zxdg_output_v1_add_listener(old.xdg, &xdg_listener, &old);
	fixture_pump(world->fixture);
	const int done = events.n_done;
	change_monitor(world);
	assert_string_equal(events.model, "another");
	assert_string_equal(events.description, "Another monitor");
	assert_string_equal(events.xdg_description, "Another monitor");
	assert_int_equal(events.n_done, done + 1);
	/* Objects of versions before 3 get one description. */
	assert_string_not_equal(old.xdg_description, "Another monitor");
}

static int n_outputs(const struct peer *peer)
{
	int n = 0;
	for (int i = 0; i < peer->n_globals; i++) {
		n += strcmp(peer->globals[i].interface, "wl_output") == 0;
	}
	return n;
}

static void objects_of_a_removed_output_are_inert(void **state)
{
	struct world *world = *state;
	struct peer *peer = world->peer;
	assert_int_equal(n_outputs(peer), 1);
	uint32_t first = peer_find_global(peer, "wl_output")->name;
	struct output *added =
		headless_add_output(world->fixture->server->backend, 200, 100, 60000);
	fixture_pump(world->fixture);
	assert_int_equal(n_outputs(peer), 2);
	uint32_t second = 0;
	for (int i = 0; i < peer->n_globals; i++) {
		if (strcmp(peer->globals[i].interface, "wl_output") == 0 &&
			peer->globals[i].name != first) {
			second = peer->globals[i].name;
		}
	}
	struct output_events events = {0};
	events.output = wl_registry_bind(peer->registry, second, &wl_output_interface, 4);
	wl_output_add_listener(events.output, &output_listener, &events);
	listen_to_xdg(world, &events);
	assert_int_equal(events.logical_x, 320);
	assert_int_equal(events.logical_width, 200);

	/*
	 * Objects of a removed output are inert, including those of clients that bind the global
	 * late.
	 */
	headless_remove_output(added);
	struct wl_output *late = wl_registry_bind(peer->registry, second, &wl_output_interface, 4);
	fixture_pump(world->fixture);
	assert_int_equal(n_outputs(peer), 1);
	listen_to_xdg(world, &events);
	zxdg_output_v1_destroy(events.xdg);
	wl_output_release(events.output);
	wl_output_release(late);
	assert_true(peer_alive(peer));

	/* After a delay, the global is destroyed. */
	fixture_sleep(world->fixture, INT64_C(10000000000));
	wl_registry_bind(peer->registry, second, &wl_output_interface, 4);
	fixture_pump(world->fixture);
	assert_int_not_equal(wl_display_get_error(peer->display), 0);
}

/* Surfaces */

struct presence {
	struct wl_output *entered[4];
	int n_entered, n_left;
	int32_t preferred_scale;
	uint32_t preferred_transform;
	int n_preferred;
};

static void handle_enter(void *data, struct wl_surface *surface, struct wl_output *output)
{
	struct presence *presence = data;
	assert_true(presence->n_entered < 4);
	presence->entered[presence->n_entered++] = output;
}

static void handle_leave(void *data, struct wl_surface *surface, struct wl_output *output)
{
	struct presence *presence = data;
	presence->n_left++;
}

static void handle_preferred_scale(void *data, struct wl_surface *surface, int32_t scale)
{
	struct presence *presence = data;
	presence->preferred_scale = scale;
	presence->n_preferred++;
}

static void handle_preferred_transform(void *data, struct wl_surface *surface, uint32_t transform)
{
	struct presence *presence = data;
	presence->preferred_transform = transform;
}

static const struct wl_surface_listener surface_listener = {
	.enter = handle_enter,
	.leave = handle_leave,
	.preferred_buffer_scale = handle_preferred_scale,
	.preferred_buffer_transform = handle_preferred_transform,
};

static void surface_enters_every_bound_output(void **state)
{
	struct world *world = *state;
	struct presence presence = {0};
	struct output_events one, two;
	listen_to(world, &one, 0);
	struct peer_window *window = peer_window_create_unmapped(world->peer);
	wl_surface_add_listener(window->surface, &surface_listener, &presence);
	window->buffer = peer_buffer_create(world->peer, 32, 32, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(window->surface, window->buffer);
	fixture_frames(world->fixture, 3);
	assert_int_equal(presence.n_entered, 1);
	assert_ptr_equal(presence.entered[0], one.output);

	/* An output bound later is entered, too. */
	listen_to(world, &two, 0);
	assert_int_equal(presence.n_entered, 2);
	assert_ptr_equal(presence.entered[1], two.output);

	wl_surface_attach(window->surface, NULL, 0, 0);
	wl_surface_commit(window->surface);
	fixture_frames(world->fixture, 3);
	assert_int_equal(presence.n_left, 2);
}

static void preferred_scale_follows_the_output(void **state)
{
	struct world *world = *state;
	struct presence presence = {0};
	scene_output_set_scale(first_output(world), 1.5);
	struct wl_surface *surface = wl_compositor_create_surface(world->peer->compositor);
	wl_surface_add_listener(surface, &surface_listener, &presence);
	fixture_pump(world->fixture);
	/* A guess, sent before the surface is on an output. */
	assert_int_equal(presence.preferred_scale, 2);
	assert_int_equal(presence.n_preferred, 1);

	struct presence shown = {0};
	struct peer_window *window = peer_window_create(world->peer, 0, 0, 32, 32, 0xff808080);
	wl_surface_add_listener(window->surface, &surface_listener, &shown);
	fixture_frames(world->fixture, 3);
	scene_output_set_scale(first_output(world), 3);
	scene_output_set_transform(first_output(world), WL_OUTPUT_TRANSFORM_270);
	fixture_frames(world->fixture, 3);
	assert_int_equal(shown.preferred_scale, 3);
	assert_int_equal(shown.preferred_transform, WL_OUTPUT_TRANSFORM_270);
	scene_output_set_scale(first_output(world), 2.5);
	int n = shown.n_preferred;
	fixture_frames(world->fixture, 3);
	assert_int_equal(shown.n_preferred, n);
}

static void show_cursor(struct world *world, struct presence *presence)
{
	struct seat *seat = world->fixture->server->seat;
	struct wl_surface *surface = wl_compositor_create_surface(world->peer->compositor);
	wl_surface_add_listener(surface, &surface_listener, presence);
	struct surface *found = peer_surface_find(world->peer, surface);
	assert_true(surface_set_role(found, &cursor_role, NULL));
	cursor_set_surface(&seat->cursor, found, 2, 3);
	peer_surface_show(surface, peer_buffer_create(world->peer, 16, 12, WL_SHM_FORMAT_ARGB8888));
}

/*
 * No window changes when the pointer goes to another output: the cursor alone takes its scale and
 * transform, and its frames are paced by it.
 */
static void cursor_follows_the_pointer_to_each_output(void **state)
{
	static const double scales[] = {1, 2, 3};
	static const enum wl_output_transform turns[] = {
		WL_OUTPUT_TRANSFORM_NORMAL, WL_OUTPUT_TRANSFORM_90, WL_OUTPUT_TRANSFORM_180};
	static const int order[] = {0, 1, 2, 0, 2, 1, 0, 0, 1, 1};
	struct presence presence = {.preferred_scale = 1};
	struct world *world = world_create(&(struct fixture_options){.n_outputs = 3});
	struct server *server = world->fixture->server;
	headless_add_input(server->backend, INPUT_POINTER, "pointer");
	for (int i = 0; i < 3; i++) {
		scene_output_set_scale(server->scene->outputs[i], scales[i]);
		scene_output_set_transform(server->scene->outputs[i], turns[i]);
		scene_output_set_position(server->scene->outputs[i], i * 1000, 0);
	}
	show_cursor(world, &presence);
	fixture_settle(world->fixture);
	const struct surface *surface = server->seat->cursor.surface;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		const int to = order[i];
		pointer_warp(server->seat,
			(struct coord_global){to * 1000 + 20 + (double)i, 20 + (double)i});
		fixture_frames(world->fixture, 2);
		assert_int_equal(presence.preferred_scale, scales[to]);
		assert_int_equal(presence.preferred_transform, turns[to]);
		assert_int_equal(scene_surface_find(surface)->primary_output, to);
	}
	fixture_destroy(world->fixture);
	free(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
		TEST(events_depend_on_the_version),
		TEST(done_is_sent_by_wl_output),
		TEST(changes_are_sent_before_done),
		TEST(mode_is_preferred_if_size_and_refresh_rate_are),
		TEST(another_monitor_is_described),
		TEST(objects_of_a_removed_output_are_inert),
		TEST(surface_enters_every_bound_output),
		TEST(preferred_scale_follows_the_output),
		cmocka_unit_test(cursor_follows_the_pointer_to_each_output),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
