/* SPDX-License-Identifier: MIT */
/*
 * Random life of a window of another GPU: it draws, changes size, format, layout, colour coding and
 * scale, and is moved across two outputs and below a cover, while copies are late; the CPU or an
 * integrated GPU reads them, and another device may compose the second output. The cost of a
 * rectangle is lowered with the size of the window. Each presented frame is compared with the
 * client's updates: all pixels are of one size and coding, none is older than before, none is
 * missing, and the newest ones are there a few frames after the copies may end.
 */

#include "backend/headless.h"
#include "buffer/allocator.h"
#include "color-representation-v1-client-protocol.h"
#include "copy/copier.h"
#include "cross_gpu_life.h"
#include "frame/frame.h"
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

/* Frames until the newest pixels are presented when nothing delays copies. */
#define FRAMES_MAX 6

/* Frames after which held copies go on: engines are given up after half a second. */
#define FRAMES_HELD 6

/* Frames until a moved window is presented, which wait for copies that become visible. */
#define FRAMES_MOVED 3

#define STEPS 500
#ifdef __SANITIZE_ADDRESS__
#define LIVES 120
#else
#define LIVES 1200
#endif

/* Visible pixels that tell one coding from another. */
#define PIXELS_LEAST 8

/* The screen */

static void fail_pixel(const struct life *life, int x, int y, uint32_t pixel, const char *why)
{
	fail_msg("seed %d, step %d: %d, %d is %06x: %s (version %u, epochs %d and %d of %d)",
		life->seed, life->step, x, y, pixel, why, life->version, life->shown_epochs[0],
		life->shown_epochs[1], life->n_epochs);
}

/* Returns the last commit before the next size, or drawing in another coding. */
static uint32_t last_version(const struct life *life, int e)
{
	const uint32_t first = life->epochs[e].first;
	for (; e < life->n_epochs; e++) {
		if (life->epochs[e].first > first) {
			return life->epochs[e].first - 1;
		}
	}
	return life->version;
}

/* Returns whether the colours of late pixels are those of the epoch, too. */
static bool keeps_late_pixels(const struct life *life, int e)
{
	const struct epoch *epoch = &life->epochs[e], *last = epoch - 1;
	return epoch->recoded || (e > 0 && is_alike(epoch, last) &&
					 color_coding_equal(epoch->code.coding, last->code.coding));
}

/* Returns whether the epoch may show the commit: it was drawn in the same size and coding. */
static bool may_show(const struct life *life, int e, uint32_t version)
{
	const struct epoch *epoch = &life->epochs[e];
	for (int i = e; i >= 0 && is_alike(epoch, &life->epochs[i]); i--) {
		if (color_coding_equal(epoch->code.coding, life->epochs[i].code.coding) &&
			version >= life->epochs[i].first && version <= last_version(life, i)) {
			return true;
		}
	}
	return keeps_late_pixels(life, e) && may_show(life, e - 1, version);
}

/* Pixels of one epoch, of which many are of one commit. */
struct view {
	int epoch;
	struct pixel_reader reader;
	int read; /* last */
	bool may; /* show that commit */
};

static void view_init(struct view *view, const struct life *life, int e)
{
	*view = (struct view){.epoch = e, .read = -1};
	pixel_reader_init(&view->reader, &life->epochs[e].code);
}

static bool view_may_show(struct view *view, const struct life *life, int read)
{
	if (read != view->read) {
		view->read = read;
		view->may = may_show(life, view->epoch, (uint32_t)read);
	}
	return view->may;
}

static uint32_t (*shown_by(struct life *life, int output))[WIDEST]
{
	return life->shown[life->world->second ? output : 0];
}

/* A pixel of the window at x,y of its buffer. */
static void check_pixel(
	struct life *life, int output, int x, int y, struct view *view, uint32_t pixel)
{
	uint32_t *shown = &shown_by(life, output)[y][x];
	const int read = pixel_reader_read(&view->reader, pixel);
	const uint32_t version = (uint32_t)read;
	if (read < 0) {
		/* An integrated GPU forgets pixels that are covered for a while. */
		if ((*shown > 0 && !life->world->display) || life->calm > FRAMES_MAX) {
			fail_pixel(life, x, y, pixel, "background, or of another coding");
		}
		return; /* was not visible before, so that nothing is copied yet */
	}
	if (!view_may_show(view, life, read)) {
		fail_pixel(life, x, y, pixel, "of another size or coding, or not drawn");
	}
	if (version < *shown) {
		fail_pixel(life, x, y, pixel, "older than before");
	}
	if (life->calm > FRAMES_MAX && version != life->content[y][x]) {
		fail_pixel(life, x, y, pixel, "not the newest");
	}
	*shown = version;
}

static bool contains(const struct box *box, int x, int y)
{
	return x >= box->x && y >= box->y && x < box->x + box->width && y < box->y + box->height;
}

/* Returns the number of pixels of the picture that the epoch may have drawn. */
static int count_pixels(struct life *life, int i, int e, const struct image *shot, int *n_visible)
{
	const struct epoch *epoch = &life->epochs[e];
	const struct box window = {life->x, life->y, epoch->width, epoch->height};
	struct view view;
	struct box seen;
	int n = 0;
	*n_visible = 0;
	if (!box_intersect(&seen, &window, &(struct box){i * WIDTH, 0, WIDTH, HEIGHT})) {
		return 0;
	}
	view_init(&view, life, e);
	for (int y = seen.y; y < seen.y + seen.height; y++) {
		for (int x = seen.x; x < seen.x + seen.width; x++) {
			if (contains(&life->covered, x, y)) {
				continue;
			}
			++*n_visible;
			const int read = pixel_reader_read(
				&view.reader, shot->pixels[y * WIDTH + x - i * WIDTH]);
			n += read >= 0 && view_may_show(&view, life, read) &&
			     (uint32_t)read >= shown_by(life, i)[y - life->y][x - life->x];
		}
	}
	return n;
}

/* Returns whether pixels of both epochs are read alike. */
static bool is_read_alike(const struct epoch *a, const struct epoch *b)
{
	return a->first == b->first && a->code.format == b->code.format &&
	       color_coding_equal(a->code.coding, b->code.coding);
}

/*
 * Finds the size and coding that the output shows: those of most pixels. Returns false if too few
 * are visible to tell, since some pixels may be of two codings.
 */
static bool find_epoch(struct life *life, int i, const struct image *shot)
{
	const bool calm = life->calm > FRAMES_MAX;
	const int first = calm ? life->n_epochs - 1 : life->shown_epochs[i];
	int found = -1, most = PIXELS_LEAST - 1, next = 0, least = INT_MAX, n_visible;
	for (int e = first; e < life->n_epochs; e++) {
		if (e > first && is_read_alike(&life->epochs[e - 1], &life->epochs[e])) {
			continue;
		}
		const int n = count_pixels(life, i, e, shot, &n_visible);
		least = n_visible < least ? n_visible : least;
		next = n > most ? most : n > next ? n : next;
		if (n > most) {
			most = n;
			found = e;
		}
	}
	if (found < 0 && least >= PIXELS_LEAST && (calm || life->seen[i])) {
		fail_pixel(life, 0, 0, 0, "not visible any more");
	}
	life->seen[i] = found >= 0;
	if (found < 0 || (next >= PIXELS_LEAST && next > most * 3 / 4)) {
		return false;
	}
	life->shown_epochs[i] = found;
	return true;
}

static void check_output(struct life *life, int i, const struct image *shot)
{
	const struct epoch *epoch = &life->epochs[life->shown_epochs[i]];
	const struct box *covered = &life->covered;
	struct view view;
	view_init(&view, life, life->shown_epochs[i]);
	for (int y = 0; y < HEIGHT; y++) {
		const bool below = y >= covered->y && y < covered->y + covered->height;
		const bool inside = y >= life->y && y < life->y + epoch->height;
		for (int x = i * WIDTH; x < (i + 1) * WIDTH; x++) {
			const uint32_t pixel = shot->pixels[y * WIDTH + x - i * WIDTH];
			bool *had = &life->had[i][y][x - i * WIDTH];
			if (below && x >= covered->x && x < covered->x + covered->width) {
				*had = false;
				continue;
			}
			const bool lost = *had && pixel_reader_read(&view.reader, pixel) < 0;
			*had = pixel_reader_read(&view.reader, pixel) >= 0;
			if (inside && x >= life->x && x < life->x + epoch->width) {
				check_pixel(life, i, x - life->x, y - life->y, &view, pixel);
				if (lost) {
					fail_pixel(life, x - life->x, y - life->y, pixel,
						"in the last frame only");
				}
			} else if (pixel_reader_read(&view.reader, pixel) >= 0) {
				fail_pixel(life, x - life->x, y - life->y, pixel,
					"outside of the window");
			}
		}
	}
}

/* The second device frees pixels that it has not shown for a while. */
static void forget_shown(struct life *life)
{
	for (int y = 0; life->world->second && y < N_OUTPUTS * HEIGHT; y++) {
		const int width = y % HEIGHT < WIDE_HEIGHT ? WIDEST : WIDTH;
		memset(life->shown[y / HEIGHT][y % HEIGHT], 0, (size_t)width * 4);
	}
	memset(life->seen, 0, sizeof(life->seen));
	life->calm = life->moved = 0;
}

/*
 * The shell leaves a part of each window on the screen when it changes its size. A scale applies
 * after the update before it, which may wait for a held copy.
 */
static void follow_window(struct life *life)
{
	const struct window *window = peer_window_find(life->window);
	const bool is_scaled = window->surface->current.viewport.has_dst;
	if (is_scaled != life->is_scaled) {
		life->is_scaled = is_scaled;
		life->moved = 0;
		memset(life->seen, 0, sizeof(life->seen));
	}
	assert_true(life->calm <= FRAMES_MAX || is_scaled == life->scaled);
	if (window->x != life->x || window->y != life->y) {
		life->x = window->x;
		life->y = window->y;
		forget_shown(life);
	}
}

/* Checks all outputs, unless filters mix pixels of different commits. */
static void check(struct life *life)
{
	life->n_frames++;
	follow_window(life);
	if (life->is_scaled || life->moved < FRAMES_MOVED) {
		memset(life->had, 0, sizeof(life->had));
		return;
	}
	for (int i = 0; i < N_OUTPUTS; i++) {
		struct image *shot = fixture_shot(life->world->fixture, i);
		if (find_epoch(life, i, shot)) {
			check_output(life, i, shot);
		} else {
			memset(life->had[i], 0, sizeof(life->had[i]));
		}
		image_destroy(shot);
	}
	life->n_newest += life->calm > FRAMES_MAX;
}

/*
 * Lowers the cost of a rectangle, so that holes of some pixels are not merged, and undoes
 * measurements by the clock of the test.
 */
static void set_costs(struct life *life)
{
	char text[] = "causeway copy costs 1\n1002:73bf>cpu sdma out 62000 0.22\n"
		      "1002:73bf>integrated sdma out 62000 0.22\n"
		      "1002:73bf>own sdma in 62000 0.22\n";
	struct cost_table *costs = &life->world->fixture->server->copier->costs;
	FILE *file = fmemopen(text, sizeof(text) - 1, "r");
	assert_non_null(file);
	cost_table_finish(costs);
	cost_table_init(costs);
	cost_table_read(costs, file);
	fclose(file);
}

/* Other events */

static void hold(struct life *life, bool held)
{
	if (life->held) {
		fake_gpu_release(life->held_gpu);
	}
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
	forget_shown(life);
}

static void move_window(struct life *life)
{
	life->x = random_between(0, WIDTH - 1);
	life->y = random_between(0, 10);
	peer_window_place(life->window, life->x, life->y);
	forget_shown(life);
}

/* A recording of the whole window, which needs covered pixels, too. */
static void capture(struct life *life)
{
	const struct epoch *epoch = &life->epochs[life->shown_epochs[0]];
	struct server *server = life->world->fixture->server;
	struct buffer *target =
		memory_buffer_create(epoch->width, epoch->height, DRM_FORMAT_XRGB8888);
	struct frame_capture capture = {.root = peer_window_find(life->window)->surface_tree,
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
		set_costs(life);
	}
	fixture_frames(life->world->fixture, 1);
	assert_true(peer_alive(life->world->peer));
	life->calm += !life->held;
	life->n_held += life->held;
	if (life->n_held > FRAMES_HELD) {
		hold(life, false);
	}
	life->moved++;
	life_forget_old(life);
	check(life);
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
	const struct world_options options = {
		.width = WIDTH, .height = HEIGHT, .all_formats = true, .integrated = seed % 2 == 0};
	memset(life, 0, sizeof(*life));
	random_seed((uint64_t)seed);
	life->seed = seed;
	life->world = world_create_with(&options);
	struct server *server = life->world->fixture->server;
	set_costs(life);
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
	life->y = 3;
	peer_window_place(life->window, life->x, life->y);
	/* The engine opens on a thread. */
	fixture_frames(life->world->fixture, 4);
	check(life);
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

/* Returns the number of the environment, for longer runs, or the default. */
static int find_number(const char *name, int number)
{
	const char *text = getenv(name);
	return text ? atoi(text) : number;
}

static void frames_show_whole_and_newest_windows(void **state)
{
	static struct life life;
	int n_frames = 0, n_newest = 0;
	int lives = find_number("CAUSEWAY_LIVES", LIVES), first = find_number("CAUSEWAY_SEED", 1);
	for (int i = 0; i < lives; i++) {
		life_init(&life, first + i);
		for (life.step = 0; life.step < STEPS; life.step++) {
			act(&life);
			make_frame(&life);
			if (chance(40)) {
				settle(&life);
			}
		}
		settle(&life);
		n_frames += life.n_frames;
		n_newest += life.n_newest;
		life_finish(&life);
	}
	print_message("%d steps, %d frames, %d with all of the newest pixels\n", lives * STEPS,
		n_frames, n_newest);
	assert_true(n_newest > n_frames / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_show_whole_and_newest_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
