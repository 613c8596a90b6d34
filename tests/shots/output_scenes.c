/* SPDX-License-Identifier: MIT */
/* Scenes of outputs: scales and transforms. */

#include "scene/output.h"
#include "scene/scene.h"
#include "shots.h"
#include "viewporter-client-protocol.h"
#include <math.h>

/** A buffer with as many pixels as the output shows of it, drawn without filtering. */
static void show_fractional(struct shot *shot, int x, int y, int width, int height, double scale)
{
	struct wp_viewporter *viewporter = peer_bind(shot->peer, &wp_viewporter_interface, 0);
	struct peer_window *window = peer_window_create_unmapped(shot->peer);
	window->buffer = peer_buffer_create(shot->peer, (int)lround(width * scale),
		(int)lround(height * scale), WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill_pattern(window->buffer);
	wp_viewport_set_destination(
		wp_viewporter_get_viewport(viewporter, window->surface), width, height);
	peer_surface_show(window->surface, window->buffer);
	fixture_pump(shot->fixture);
	peer_window_place(window, x, y);
}

static void show_scaled(struct shot *shot, int x, int y, int width, int height, int scale)
{
	struct peer_window *window = peer_window_create_unmapped(shot->peer);
	window->buffer = peer_buffer_create(
		shot->peer, width * scale, height * scale, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill_pattern(window->buffer);
	wl_surface_set_buffer_scale(window->surface, scale);
	peer_surface_show(window->surface, window->buffer);
	fixture_pump(shot->fixture);
	peer_window_place(window, x, y);
	slow_add(&shot->slow, &(struct slow_layer){.x = x,
				      .y = y,
				      .width = width,
				      .height = height,
				      .pixels = window->buffer->pixels,
				      .buffer_width = window->buffer->width,
				      .buffer_height = window->buffer->height,
				      .alpha = 1});
}

static double output_scale(const struct shot *shot)
{
	return shot->fixture->server->scene->outputs[0]->scale;
}

static void build_scale(struct shot *shot)
{
	/* The whole scene fits into 160x120 logical pixels, the smallest output. */
	show_scaled(shot, 4, 8, 60, 40, 1);
	show_scaled(shot, 72, 8, 60, 40, 2);
	show_fractional(shot, 40, 60, 60, 40, output_scale(shot));
	struct peer_window *flat = peer_window_create(shot->peer, 7, 61, 23, 31, 0xff30c0c0);
	(void)flat;
	slow_clear(&shot->slow);
}

/** The parts of the scene that are drawn without scaling. */
static void build_scale_exact(struct shot *shot)
{
	int scale = (int)output_scale(shot);
	shot->slow.scale = scale;
	show_scaled(shot, 10, 8, 60, 40, scale);
	show_scaled(shot, 50, 30, 70, 60, scale);
}

static void build_transform(struct shot *shot, enum wl_output_transform transform)
{
	struct scene_output *output = shot->fixture->server->scene->outputs[0];
	scene_output_set_transform(output, transform);
	fixture_frames(shot->fixture, 2);
	shot->slow.transform = transform;
	struct peer_window *pattern = shot_pattern(shot, 20, 30, 120, 80);
	struct peer_window *other = shot_pattern(shot, 100, 80, 70, 90);
	slow_add_buffer(&shot->slow, pattern->buffer, 20, 30);
	slow_add_buffer(&shot->slow, other->buffer, 100, 80);
}

#define TRANSFORM(name)                                                                            \
	static void build_transform_##name(struct shot *shot)                                      \
	{                                                                                          \
		build_transform(shot, WL_OUTPUT_TRANSFORM_##name);                                 \
	}

TRANSFORM(NORMAL)
TRANSFORM(90)
TRANSFORM(180)
TRANSFORM(270)
TRANSFORM(FLIPPED)
TRANSFORM(FLIPPED_90)
TRANSFORM(FLIPPED_180)
TRANSFORM(FLIPPED_270)

const struct scene_case output_scenes[] = {
	{.name = "scale-1", .build = build_scale, FILTERED},
	{.name = "scale-1.25", .build = build_scale, FILTERED, .scale = 1.25},
	{.name = "scale-1.5", .build = build_scale, FILTERED, .scale = 1.5},
	{.name = "scale-2", .build = build_scale, FILTERED, .scale = 2},
	{.name = "scale-1-exact", .build = build_scale_exact, EXACT},
	{.name = "scale-2-exact", .build = build_scale_exact, EXACT, .scale = 2},
	{.name = "output-normal", .build = build_transform_NORMAL, EXACT},
	{.name = "output-90", .build = build_transform_90, EXACT},
	{.name = "output-180", .build = build_transform_180, EXACT},
	{.name = "output-270", .build = build_transform_270, EXACT},
	{.name = "output-flipped", .build = build_transform_FLIPPED, EXACT},
	{.name = "output-flipped-90", .build = build_transform_FLIPPED_90, EXACT},
	{.name = "output-flipped-180", .build = build_transform_FLIPPED_180, EXACT},
	{.name = "output-flipped-270", .build = build_transform_FLIPPED_270, EXACT},
};
const size_t n_output_scenes = sizeof(output_scenes) / sizeof(output_scenes[0]);
