/* SPDX-License-Identifier: MIT */
/*
 * Scenes of many frames with small changes: each frame must equal a full repaint, for any buffer
 * age.
 */

#include "backend/headless.h"
#include "scene/scene.h"
#include "shots.h"

#define FRAMES 48
#define HELD 3
#define OLDEST 8

/** The frame that each swapchain buffer showed last, and the ages at which buffers were reused. */
struct ages {
	struct {
		struct buffer *buffer;
		int frame;
	} seen[16];
	int n_seen;
	bool age[OLDEST];
	struct buffer *held[HELD]; /* newest first; locked */
};

static void note_age(struct ages *ages, struct buffer *front, int frame)
{
	for (int i = 0; i < ages->n_seen; i++) {
		if (ages->seen[i].buffer == front) {
			int age = frame - ages->seen[i].frame;
			ages->age[age < OLDEST ? age : OLDEST - 1] = true;
			ages->seen[i].frame = frame;
			return;
		}
	}
	assert_in_range(ages->n_seen, 0, 15);
	ages->seen[ages->n_seen].buffer = front;
	ages->seen[ages->n_seen++].frame = frame;
}

/**
 * Readers that lock presented buffers, as captures do: first no further one, then one, then two, so
 * that ever older buffers are drawn into.
 */
static void hold(struct ages *ages, struct buffer *front, int frame)
{
	int n = frame * HELD / FRAMES;
	for (int i = HELD - 1; i > 0; i--) {
		buffer_replace(&ages->held[i], i <= n ? ages->held[i - 1] : NULL);
	}
	buffer_replace(&ages->held[0], front);
}

/** Draws the rectangle and damages it in one of the two ways. */
static void change(struct peer_window *window, int frame, int x, int y, int width, int height)
{
	uint32_t pixel = 0xff000000 | (uint32_t)(frame * 0x5a3c17 + 0x303030);
	peer_buffer_fill(window->buffer, x, y, width, height, pixel);
	wl_surface_attach(window->surface, window->buffer->buffer, 0, 0);
	if (frame % 2) {
		wl_surface_damage_buffer(window->surface, x, y, width, height);
	} else {
		wl_surface_damage(window->surface, x, y, width, height);
	}
	wl_surface_commit(window->surface);
}

static void build_damage(struct shot *shot)
{
	struct fixture *fixture = shot->fixture;
	struct output *output = fixture->server->scene->outputs[0]->output;
	struct peer_window *below = shot_pattern(shot, 20, 20, 200, 160);
	struct peer_window *above = peer_window_create(shot->peer, 120, 90, 120, 90, 0xff405060);
	struct ages ages = {0};
	int x = 120, y = 90;
	fixture_settle(fixture);
	for (int frame = 0; frame < FRAMES; frame++) {
		change(below, frame, frame * 37 % 180, frame * 53 % 140, 15, 12);
		if (frame % 3 == 0) {
			change(above, frame, frame * 29 % 100, frame * 31 % 70, 9, 20);
		}
		if (frame % 8 == 5) {
			x = 60 + frame * 2;
			y = 90 - frame;
			peer_window_place(above, x, y);
		}
		fixture_frames(fixture, 2);
		note_age(&ages, headless_output_front(output), frame);
		hold(&ages, headless_output_front(output), frame);
		slow_clear(&shot->slow);
		slow_add_buffer(&shot->slow, below->buffer, 20, 20);
		slow_add_buffer(&shot->slow, above->buffer, x, y);
		shot_check_slow(shot, "frame by frame");
	}
	for (int i = 0; i < HELD; i++) {
		buffer_replace(&ages.held[i], NULL);
	}
	/* The presented buffer is never drawn to, so no age is 1. */
	for (int age = 2; age <= 4; age++) {
		if (!ages.age[age]) {
			fail_msg("no frame was drawn into a buffer of age %d", age);
		}
	}
}

/** Windows appear, move and go; the areas they leave must be repainted. */
static void build_uncovered(struct shot *shot)
{
	struct fixture *fixture = shot->fixture;
	struct peer_window *base = shot_pattern(shot, 30, 30, 180, 140);
	for (int i = 0; i < 12; i++) {
		int x = 10 + i * 17, y = 140 - i * 9;
		struct peer_window *window = peer_window_create(
			shot->peer, x, y, 70, 60, 0xff000000 | (uint32_t)(i * 0x140a05));
		fixture_frames(fixture, 2);
		slow_clear(&shot->slow);
		slow_add_buffer(&shot->slow, base->buffer, 30, 30);
		slow_add_buffer(&shot->slow, window->buffer, x, y);
		shot_check_slow(shot, "a window has come");
		if (i % 2) {
			wl_surface_attach(window->surface, NULL, 0, 0);
			wl_surface_commit(window->surface);
		} else {
			peer_window_destroy(window);
		}
		fixture_frames(fixture, 2);
		slow_clear(&shot->slow);
		slow_add_buffer(&shot->slow, base->buffer, 30, 30);
		shot_check_slow(shot, "a window has gone");
	}
}

const struct scene_case damage_scenes[] = {
	{.name = "damage", .build = build_damage, EXACT},
	{.name = "uncovered", .build = build_uncovered, EXACT},
};
const size_t n_damage_scenes = sizeof(damage_scenes) / sizeof(damage_scenes[0]);
