/* SPDX-License-Identifier: MIT */
/*
 * Random life of a window of another GPU: it draws, changes size, format, layout and scale, and is
 * moved across two outputs and below a cover, while copies are late; the CPU or an integrated GPU
 * reads them. The cost of a rectangle is lowered with the size of the window. Each presented frame
 * is compared with the client's updates: all pixels are of one size, none is older than before,
 * none is missing, and the newest ones are there a few frames after the copies may end.
 */

#include "backend/headless.h"
#include "buffer/allocator.h"
#include "content/device.h"
#include "copy/copier.h"
#include "frame/frame.h"
#include "gpu/gpu.h"
#include "harness/unit.h"
#include "scene/scene.h"
#include "server/outputs.h"
#include "shell/window.h"
#include "staging/staging.h"
#include "viewporter-client-protocol.h"
#include "world.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Of each output. */
#define WIDTH 72
#define HEIGHT 72
#define SIDE_LEAST 50 /* of the window */
#define N_OUTPUTS 2

#define DISPLAY_PATH "/emulated/renderD128"

#define N_CANVASES 4 /* of the client, of one size, format and layout */
#define N_OLD 64 /* replaced ones that are not released */
#define EPOCHS_MAX 512

/* Frames until the newest pixels are presented when nothing delays copies. */
#define FRAMES_MAX 6

/* Frames after which held copies go on: engines are given up after half a second. */
#define FRAMES_HELD 6

/* Frames until a moved window is presented, which wait for copies that become visible. */
#define FRAMES_MOVED 3

#define STEPS 500
#ifdef __SANITIZE_ADDRESS__
#define LIVES 150
#else
#define LIVES 1500
#endif

/* Pixels of the window: this, and the number of the commit that drew them last. */
#define MARK 0xc00000u
#define MARK_MASK 0xff0000u

/* Commits with buffers of one size, format and layout. */
struct epoch {
	int width, height;
	uint32_t first; /* commit */
};

struct life {
	struct world *world;
	struct fake_gpu *display; /* integrated, that composes; NULL: the CPU */
	struct peer_window *window, *cover;
	struct wp_viewporter *viewporter;
	struct wp_viewport *viewport;
	struct canvas canvases[N_CANVASES];
	pixman_region32_t missing[N_CANVASES]; /* drawn since the canvas was committed last */
	bool used[N_CANVASES]; /* committed and not released */
	int n_canvases, n_released[N_CANVASES];
	struct canvas *old[N_OLD];
	int n_old;
	uint32_t format;
	bool linear, held;
	bool scaled, is_scaled; /* by the client's last request; as applied */
	struct fake_gpu *held_gpu;
	int n_held; /* frames */
	int x, y; /* of the window, global */
	struct box covered; /* global */
	uint32_t version; /* commits so far */
	struct epoch epochs[EPOCHS_MAX];
	int n_epochs, shown_epochs[N_OUTPUTS]; /* presented */
	uint32_t content[HEIGHT][WIDTH]; /* commit that drew each pixel last */
	uint32_t shown[HEIGHT][WIDTH]; /* the same as presented last */
	int calm; /* frames since the last change, without held copies */
	int moved; /* frames since window, cover or scale changed last */
	int seed, step, n_frames, n_newest;
	bool had[N_OUTPUTS][WIDTH * HEIGHT]; /* the last frame showed the window there */
};

static bool chance(int one_of)
{
	return random_between(1, one_of) == 1;
}

static struct epoch *epoch_of(struct life *life, uint32_t version)
{
	int i = life->n_epochs - 1;
	while (i > 0 && life->epochs[i].first > version) {
		i--;
	}
	return &life->epochs[i];
}

/* The client */

static void free_canvas(struct canvas *canvas)
{
	canvas_finish(canvas);
	free(canvas);
}

/* Leaves the canvases of the last epoch to the compositor. */
static void retire_canvases(struct life *life)
{
	for (int i = 0; i < life->n_canvases; i++) {
		assert_true(life->n_old < N_OLD);
		struct canvas *canvas = malloc(sizeof(*canvas));
		assert_non_null(canvas);
		*canvas = life->canvases[i];
		wl_buffer_set_user_data(canvas->buffer, canvas);
		canvas->n_released = life->used[i] ? canvas->n_released - life->n_released[i] : 1;
		life->old[life->n_old++] = canvas;
		pixman_region32_fini(&life->missing[i]);
	}
	life->n_canvases = 0;
}

static void forget_old(struct life *life)
{
	int n = 0;
	for (int i = 0; i < life->n_old; i++) {
		if (life->old[i]->n_released > 0) {
			free_canvas(life->old[i]);
		} else {
			life->old[n++] = life->old[i];
		}
	}
	life->n_old = n;
}

/* The next buffers have another size, format or layout; the layout alone makes no new content. */
static void begin_epoch(struct life *life)
{
	const struct epoch *last = life->n_epochs > 0 ? &life->epochs[life->n_epochs - 1] : NULL;
	struct epoch next = {random_between(SIDE_LEAST, WIDTH), random_between(SIDE_LEAST, HEIGHT),
		life->version + 1};
	uint32_t format = chance(2) ? DRM_FORMAT_XRGB8888 : DRM_FORMAT_ARGB8888;
	if (last && chance(2)) {
		next.width = last->width;
		next.height = last->height;
	}
	retire_canvases(life);
	life->linear = chance(4);
	if (!last || next.width != last->width || next.height != last->height ||
		format != life->format) {
		assert_true(life->n_epochs < EPOCHS_MAX);
		life->epochs[life->n_epochs++] = next;
		life->format = format;
	}
}

/* Returns the index of a canvas that the compositor does not use, or -1. */
static int find_canvas(struct life *life)
{
	const struct epoch *epoch = &life->epochs[life->n_epochs - 1];
	for (int i = 0; i < life->n_canvases; i++) {
		life->used[i] &= life->canvases[i].n_released == life->n_released[i];
		if (!life->used[i]) {
			return i;
		}
	}
	if (life->n_canvases == N_CANVASES) {
		return -1;
	}
	int i = life->n_canvases++;
	canvas_init_sized(&life->canvases[i], life->world, epoch->width, epoch->height,
		life->format, life->linear);
	life->used[i] = false;
	pixman_region32_init_rect(
		&life->missing[i], 0, 0, (unsigned)epoch->width, (unsigned)epoch->height);
	return i;
}

/* Offsets of the pixels of all tiled buffers: one block has them. */
static ptrdiff_t offsets[HEIGHT][WIDTH];

static void find_offsets(const struct canvas *tiled)
{
	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++) {
			offsets[y][x] = (const uint8_t *)canvas_pixel(tiled, x, y) - tiled->map;
		}
	}
}

static uint32_t *find_pixel(const struct canvas *canvas, int x, int y)
{
	return canvas->linear ? canvas_pixel(canvas, x, y)
			      : (uint32_t *)(void *)(canvas->map + offsets[y][x]);
}

static void paint(struct life *life, int at)
{
	const struct canvas *canvas = &life->canvases[at];
	if (!canvas->linear && offsets[1][1] == 0) {
		find_offsets(canvas);
	}
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles(&life->missing[at], &n);
	for (int i = 0; i < n; i++) {
		for (int y = boxes[i].y1; y < boxes[i].y2; y++) {
			for (int x = boxes[i].x1; x < boxes[i].x2; x++) {
				*find_pixel(canvas, x, y) = 0xff000000 | MARK | life->content[y][x];
			}
		}
	}
	pixman_region32_clear(&life->missing[at]);
}

static void set_destination(struct life *life)
{
	const struct epoch *epoch = &life->epochs[life->n_epochs - 1];
	if (life->scaled) {
		wp_viewport_set_destination(life->viewport, epoch->width - 3, epoch->height - 4);
	} else {
		wp_viewport_set_destination(life->viewport, -1, -1);
	}
}

static void commit(struct life *life)
{
	const struct epoch *epoch = &life->epochs[life->n_epochs - 1];
	int at = find_canvas(life);
	if (at < 0) {
		return;
	}
	bool first = life->version + 1 == epoch->first;
	struct box box = {random_between(0, epoch->width - 2), random_between(0, epoch->height - 2),
		random_between(1, 32), random_between(1, 32)};
	const struct box all = {0, 0, epoch->width, epoch->height};
	if (first || chance(3) || !box_intersect(&box, &box, &all)) {
		box = all;
	}
	life->version++;
	for (int y = box.y; y < box.y + box.height; y++) {
		for (int x = box.x; x < box.x + box.width; x++) {
			life->content[y][x] = life->version;
		}
	}
	for (int i = 0; i < life->n_canvases; i++) {
		pixman_region32_union_rect(&life->missing[i], &life->missing[i], box.x, box.y,
			(unsigned)box.width, (unsigned)box.height);
	}
	paint(life, at);
	set_destination(life);
	canvas_commit(&life->canvases[at], life->window, box.x, box.y, box.width, box.height);
	life->used[at] = true;
	life->n_released[at] = life->canvases[at].n_released;
	life->calm = 0;
}

/* The screen */

static struct box output_box(int i)
{
	return (struct box){i * WIDTH, 0, WIDTH, HEIGHT};
}

static void fail_pixel(const struct life *life, int x, int y, uint32_t pixel, const char *why)
{
	fail_msg("seed %d, step %d: %d, %d is %06x: %s (version %u, epochs %d and %d of %d)",
		life->seed, life->step, x, y, pixel, why, life->version, life->shown_epochs[0],
		life->shown_epochs[1], life->n_epochs);
}

/* A pixel of the window at x,y of its buffer. */
static void check_pixel(struct life *life, int epoch, int x, int y, uint32_t pixel)
{
	uint32_t version = pixel & ~MARK_MASK;
	if ((pixel & MARK_MASK) != MARK) {
		/* An integrated GPU forgets pixels that are covered for a while. */
		if ((life->shown[y][x] > 0 && !life->display) || life->calm > FRAMES_MAX) {
			fail_pixel(life, x, y, pixel, "background");
		}
		return; /* was not visible before, so that nothing is copied yet */
	}
	if (epoch_of(life, version) != &life->epochs[epoch]) {
		fail_pixel(life, x, y, pixel, "of another size");
	}
	if (version > life->version) {
		fail_pixel(life, x, y, pixel, "not drawn");
	}
	if (version < life->shown[y][x]) {
		fail_pixel(life, x, y, pixel, "older than before");
	}
	if (life->calm > FRAMES_MAX && version != life->content[y][x]) {
		fail_pixel(life, x, y, pixel, "not the newest");
	}
	life->shown[y][x] = version;
}

static bool contains(const struct box *box, int x, int y)
{
	return x >= box->x && y >= box->y && x < box->x + box->width && y < box->y + box->height;
}

/* Finds the size that the output shows, by any pixel of the window. */
static bool find_epoch(struct life *life, int i, const struct image *shot)
{
	const struct box output = output_box(i);
	for (int at = 0; at < WIDTH * HEIGHT; at++) {
		int x = output.x + at % WIDTH, y = output.y + at / WIDTH;
		uint32_t pixel = shot->pixels[at];
		if ((pixel & MARK_MASK) == MARK && !contains(&life->covered, x, y)) {
			int epoch = (int)(epoch_of(life, pixel & ~MARK_MASK) - life->epochs);
			assert_true(epoch >= life->shown_epochs[i]);
			life->shown_epochs[i] = epoch;
			return true;
		}
	}
	return false;
}

static void check_output(struct life *life, int i, const struct image *shot)
{
	const struct epoch *epoch = &life->epochs[life->shown_epochs[i]];
	const struct box output = output_box(i);
	const struct box window = {life->x, life->y, epoch->width, epoch->height};
	for (int at = 0; at < WIDTH * HEIGHT; at++) {
		int x = output.x + at % WIDTH, y = output.y + at / WIDTH;
		uint32_t pixel = shot->pixels[at];
		if (contains(&life->covered, x, y)) {
			life->had[i][at] = false;
			continue;
		}
		const bool had = life->had[i][at];
		life->had[i][at] = (pixel & MARK_MASK) == MARK;
		if (had && !life->had[i][at] && contains(&window, x, y)) {
			fail_pixel(life, x - life->x, y - life->y, pixel, "in the last frame only");
		}
		if (contains(&window, x, y)) {
			check_pixel(life, life->shown_epochs[i], x - life->x, y - life->y, pixel);
		} else if ((pixel & MARK_MASK) == MARK) {
			fail_pixel(life, x - life->x, y - life->y, pixel, "outside of the window");
		}
	}
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
	}
	assert_true(life->calm <= FRAMES_MAX || is_scaled == life->scaled);
	if (window->x != life->x || window->y != life->y) {
		life->x = window->x;
		life->y = window->y;
		life->moved = life->calm = 0;
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
		life->held_gpu = life->display && chance(2) ? life->display : life->world->fake;
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
	life->calm = life->moved = 0;
}

static void move_window(struct life *life)
{
	life->x = random_between(0, WIDTH - 1);
	life->y = random_between(0, 10);
	peer_window_place(life->window, life->x, life->y);
	life->calm = life->moved = 0;
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
	set_destination(life);
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
	case 4: commit(life); break;
	case 5:
		if (chance(3)) {
			begin_epoch(life);
		}
		commit(life);
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
	forget_old(life);
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

/* An integrated GPU reads the copies, and completes them itself. */
static void add_display(struct life *life)
{
	struct fixture *fixture = life->world->fixture;
	life->display = fake_gpu_create(fake_chip_find("navi21"));
	fake_gpu_set_path(life->display, DISPLAY_PATH);
	struct gpu *gpu = fixture_add_gpu(
		fixture, "pci-0000_0a_00_0", "amdgpu", DISPLAY_PATH, makedev(226, 128));
	gpu->vendor = 0x1002;
	gpu->device = 0x73bf;
	gpu->integrated = true;
	fixture->server->device->gpu = gpu;
}

static void life_init(struct life *life, int seed)
{
	const struct world_options options = {
		.width = WIDTH, .height = HEIGHT, .all_formats = true};
	memset(life, 0, sizeof(*life));
	random_seed((uint64_t)seed);
	life->seed = seed;
	life->world = world_create_with(&options);
	struct server *server = life->world->fixture->server;
	set_costs(life);
	if (seed % 2 == 0) {
		add_display(life);
	}
	server_outputs_hold(server, true);
	headless_add_output(server->backend, WIDTH, HEIGHT, 60000);
	server_outputs_hold(server, false);
	fixture_frames(life->world->fixture, 2);
	life->viewporter = peer_bind(life->world->peer, &wp_viewporter_interface, 1);
	life->window = peer_window_create_unmapped(life->world->peer);
	life->viewport = wp_viewporter_get_viewport(life->viewporter, life->window->surface);
	begin_epoch(life);
	commit(life);
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
	wp_viewport_destroy(life->viewport);
	wp_viewporter_destroy(life->viewporter);
	peer_window_destroy(life->window);
	fixture_frames(life->world->fixture, 3);
	retire_canvases(life);
	for (int i = 0; i < life->n_old; i++) {
		assert_true(life->old[i]->n_released > 0);
		free_canvas(life->old[i]);
	}
	assert_int_equal(life->world->fixture->server->staging->memory, 0);
	life->world->fixture->server->device->gpu = NULL;
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
