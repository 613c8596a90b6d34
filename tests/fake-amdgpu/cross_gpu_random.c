/* SPDX-License-Identifier: MIT */
/*
 * Random life of a window of another GPU: it draws, changes size, format, layout, colour coding
 * and scale, and is moved across two outputs and below a cover, while copies are late; the CPU, an
 * integrated GPU or a discrete one reads them, and another device may compose the second output.
 * The cost of a rectangle is lowered with the size of the window. Each presented frame is compared
 * with the client's updates: all pixels are of one size and coding, none is older than before,
 * none is missing, and the newest ones are there a few frames after the copies may end.
 */

#include "backend/headless.h"
#include "buffer/allocator.h"
#include "color-representation-v1-client-protocol.h"
#include "copy/copier.h"
#include "cross_gpu_oracle.h"
#include "frame/frame.h"
#include "harness/steps.h"
#include "server/outputs.h"
#include "shell/window.h"
#include "staging/staging.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Frames after which held copies go on: engines are given up after half a second. */
#define FRAMES_HELD 6

#define STEPS 800
#define N_STEPS 1000000

static void hold(struct life *life, bool held)
{
	if (life->held) {
		fake_gpu_release(life->held_gpu);
	}
	life->n_free = held || life->held ? 0 : life->n_free;
	life->held = held;
	life->n_held = 0;
	if (held) {
		life->held_gpu = life->world->display && chance(2) ? life->world->display
								   : life->world->fake;
		fake_gpu_hold(life->held_gpu);
	}
	life->calm = 0;
}

static void place_cover(struct life *life)
{
	if (!life->cover || chance(5)) {
		life->covered.width = random_between(10, 48);
		life->covered.height = random_between(10, 48);
		hold(life, false); /* several frames follow */
		if (life->cover) {
			peer_window_destroy(life->cover);
		}
		life->cover = chance(3) ? NULL
					: world_cover(life->world, 0, 0, life->covered.width,
						  life->covered.height);
	}
	life->covered.x = random_between(0, 2 * WIDTH - 48);
	life->covered.y = random_between(0, HEIGHT - 16);
	if (!life->cover) {
		life->covered = (struct box){0};
		return;
	}
	peer_window_place(life->cover, life->covered.x, life->covered.y);
}

static void move_cover(struct life *life)
{
	if (!life->cover || chance(4)) {
		place_cover(life);
	} else {
		life->covered.x += random_between(-10, 10);
		life->covered.y += random_between(-10, 10);
		peer_window_place(life->cover, life->covered.x, life->covered.y);
	}
	oracle_forget(life);
}

static void move_window(struct life *life)
{
	life->x = random_between(0, WIDTH - 1);
	life->y = random_between(0, 10);
	peer_window_place(life->window, life->x, life->y);
	life->moved_window = true;
	oracle_forget(life);
}

/* A recording of the whole window, which needs covered pixels, too. */
static void capture(struct life *life)
{
	const struct epoch *epoch = &life->epochs[life->screens[0].epoch];
	struct server *server = life->world->fixture->server;
	struct buffer *target =
		memory_buffer_create(epoch->width, epoch->height, DRM_FORMAT_XRGB8888);
	struct frame_capture capture = {.root = life->shown_window->surface_tree,
		.box = {0, 0, epoch->width, epoch->height}};
	int fence = -1;
	frame_capture(server->scene, server->device, target, &capture, &fence);
	buffer_drop(target);
}

static void rescale(struct life *life)
{
	life->scaled = !life->scaled;
	life_set_destination(life);
	wl_surface_commit(life->window->surface);
	life->calm = life->moved = 0;
}

static void act(struct life *life)
{
	switch (random_between(0, 15)) {
	case 0:
	case 1:
	case 2:
	case 3:
	case 4: life_commit(life); break;
	case 5:
		if (chance(3)) {
			life_recode(life);
			break;
		}
		if (chance(3)) {
			life_begin_epoch(life);
		}
		life_commit(life);
		break;
	case 6:
	case 7:
	case 8: move_cover(life); break;
	case 9: move_window(life); break;
	case 10: hold(life, !life->held); break;
	case 11: hold(life, false); break;
	case 12:
		if (life->held) {
			fake_gpu_step(life->held_gpu, 1);
		}
		break;
	case 13: capture(life); break;
	case 14:
		if (life->scaled || chance(4)) {
			rescale(life);
		}
		break;
	default: break;
	}
}

static void make_frame(struct life *life)
{
	if (life->world->fixture->server->copier->costs.changed) {
		world_set_costs(life->world);
	}
	fixture_frames(life->world->fixture, 1);
	assert_int_equal(wl_display_get_error(life->world->peer->display), 0);
	life->calm += !life->held;
	life->n_free += !life->held;
	life->n_held += life->held;
	if (life->n_held > FRAMES_HELD) {
		hold(life, false);
	}
	life->moved++;
	life_forget_old(life);
	oracle_check(life);
}

/* Nothing delays copies any more. */
static void settle(struct life *life)
{
	hold(life, false);
	if (life->scaled) {
		rescale(life);
	}
	for (int i = 0; i < FRAMES_MAX + 2; i++) {
		make_frame(life);
	}
}

static void life_init(struct life *life, int seed)
{
	const struct world_options options = {.width = WIDTH,
		.height = HEIGHT,
		.all_formats = true,
		.display = world_random_display((uint64_t)seed)};
	memset(life, 0, sizeof(*life));
	random_seed((uint64_t)seed);
	life->seed = seed;
	life->world = world_create_with(&options);
	struct server *server = life->world->fixture->server;
	world_set_costs(life->world);
	server_outputs_hold(server, true);
	headless_add_output(server->backend, WIDTH, HEIGHT, 60000);
	server_outputs_hold(server, false);
	if (chance(2)) {
		world_add_device(life->world);
	}
	fixture_frames(life->world->fixture, 2);
	life->codings =
		peer_bind(life->world->peer, &wp_color_representation_manager_v1_interface, 1);
	life->viewporter = peer_bind(life->world->peer, &wp_viewporter_interface, 1);
	life->window = peer_window_create_unmapped(life->world->peer);
	life->viewport = wp_viewporter_get_viewport(life->viewporter, life->window->surface);
	life_begin_epoch(life);
	life_commit(life);
	fixture_pump(life->world->fixture);
	life->shown_window = peer_window_find(life->window);
	life->y = 3;
	peer_window_place(life->window, life->x, life->y);
	/* The engine opens on a thread. */
	fixture_frames(life->world->fixture, 4);
	oracle_check(life);
}

static void life_finish(struct life *life)
{
	if (life->cover) {
		peer_window_destroy(life->cover);
	}
	if (life->coding) {
		wp_color_representation_surface_v1_destroy(life->coding);
	}
	wp_color_representation_manager_v1_destroy(life->codings);
	wp_viewport_destroy(life->viewport);
	wp_viewporter_destroy(life->viewporter);
	peer_window_destroy(life->window);
	fixture_frames(life->world->fixture, 3);
	life_finish_canvases(life);
	assert_int_equal(life->world->fixture->server->staging->memory, 0);
	world_destroy(life->world);
}

static void frames_show_whole_and_newest_windows(void **state)
{
	static struct life life;
	int n_frames = 0, n_newest = 0;
	struct steps *steps = steps_begin("cross-gpu-random", "CAUSEWAY_SEED", N_STEPS);
	while (steps_next(steps)) {
		life_init(&life, (int)steps->seed);
		for (life.step = 0; life.step < STEPS; life.step++) {
			act(&life);
			make_frame(&life);
			if (chance(40)) {
				settle(&life);
			}
		}
		settle(&life);
		assert_true(peer_alive(life.world->peer));
		steps->n += STEPS;
		n_frames += life.n_frames;
		n_newest += life.n_newest;
		life_finish(&life);
	}
	print_message("%d frames, %d with all of the newest pixels\n", n_frames, n_newest);
	assert_true(n_newest > n_frames / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_show_whole_and_newest_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
