/* SPDX-License-Identifier: MIT */
/*
 * Random video of a client to two servers: uploads of the first run on its thread, which stops now
 * and then, and those of the second run in its frames. Both show the same pixels in the end.
 */

#include "color-representation-v1-client-protocol.h"
#include "content/device.h"
#include "content/internal.h"
#include "gpu/format.h"
#include "harness/client/video.h"
#include "harness/steps.h"
#include "harness/unit.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

#define N_ALL_STEPS 4000
#define N_STEPS 40 /* of a life */
#define N_BUFFERS 2
#define SIDE_MAX 90
#define LARGE_SIDE_MAX 300 /* beyond the pixels that a thread writes at a time */

/* Of the first server: less than most updates. */
#define BUDGET 400

#define WITHIN WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_LIMITED
#define FULL WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL

static const uint32_t codings[][2] = {
	{WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT601, WITHIN},
	{WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT709, FULL},
	{WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT2020, WITHIN},
};

#define N_CODINGS ((int)(sizeof(codings) / sizeof(codings[0])))

/* One of the two servers, with its client. */
struct side {
	struct fixture *fixture;
	struct peer *peer;
	struct peer_window *window;
	struct wp_color_representation_manager_v1 *manager;
	struct wp_color_representation_surface_v1 *representation; /* NULL: the default coding */
	struct video *buffers[N_BUFFERS];
};

struct model {
	struct side sides[2];
	uint32_t format;
	int32_t width, height;
	uint8_t *pixels; /* as the next update shows them */
	bool shows_yuv; /* since the last update */
	bool is_recoded; /* since then, by a commit without a buffer */
	bool blocked; /* the thread of the first server */
};

static enum renderer_kind renderer;
static uint32_t formats[64];
static int n_formats;

static void side_init(struct side *side, uint64_t budget)
{
	side->fixture = fixture_create(
		&(struct fixture_options){.renderer = renderer, .width = 320, .height = 240});
	content_device_from(side->fixture->server->device)->upload_budget = budget;
	side->peer = peer_create(side->fixture);
	side->window = peer_window_create(side->peer, 0, 0, 32, 32, 0xff102030);
	side->manager = peer_bind(side->peer, &wp_color_representation_manager_v1_interface, 0);
	fixture_frames(side->fixture, 4);
	peer_window_place(side->window, 0, 0);
	fixture_frames(side->fixture, 2);
}

static void open_thread(struct model *model)
{
	fixture_open_uploads(model->sides[0].fixture);
	model->blocked = false;
}

/* Replaces the buffers by others, of another size and format. The surface keeps its content. */
static void replace_buffers(struct model *model)
{
	const struct pixel_format *format;
	model->format = formats[random_between(0, n_formats - 1)];
	const int most = random_between(0, 5) ? SIDE_MAX : LARGE_SIDE_MAX;
	model->width = random_between(1, most);
	model->height = random_between(1, most);
	format = pixel_format_get(model->format);
	for (int i = 0; i < 2; i++) {
		struct side *side = &model->sides[i];
		for (int j = 0; j < N_BUFFERS; j++) {
			if (side->buffers[j]) {
				video_destroy(side->buffers[j]);
			}
			side->buffers[j] = video_create(
				side->peer, model->format, model->width, model->height);
		}
		/* The former representation may not apply to this format. */
		if (side->representation && !format->yuv) {
			wp_color_representation_surface_v1_destroy(side->representation);
			side->representation = NULL;
		}
	}
	struct video *first = model->sides[0].buffers[0];
	video_fill(first, (uint32_t)random_between(0, 1 << 30));
	free(model->pixels);
	model->pixels = xcalloc(1, first->size);
	memcpy(model->pixels, first->memory, first->size);
}

/* Fills the samples of a box, whose edges share none with pixels beside it. */
static void fill_samples(struct model *model, const struct box *box)
{
	const struct pixel_format *format = pixel_format_get(model->format);
	const struct video *video = model->sides[0].buffers[0];
	uint8_t *plane = model->pixels;
	for (int i = 0; i < format->n_planes; i++) {
		const int h = i ? format->hsub : 1, v = i ? format->vsub : 1;
		const size_t stride = pixel_format_plane_stride(format, i, (size_t)video->stride);
		const int rows = pixel_format_plane_height(format, i, model->height);
		const int x2 = (box->x + box->width + h - 1) / h;
		const int y2 = (box->y + box->height + v - 1) / v;
		for (int y = box->y / v; y < y2; y++) {
			uint8_t *row = plane + (size_t)y * stride;
			for (int x = box->x / h * format->bytes[i]; x < x2 * format->bytes[i];
				x++) {
				row[x] = (uint8_t)random_between(0, 255);
			}
		}
		plane += stride * (size_t)rows;
	}
}

static int even(int value)
{
	return value / 2 * 2;
}

/* Changes a box of even edges. Returns the damage, which is larger by up to one pixel. */
static struct box draw(struct model *model)
{
	const int x = even(random_between(0, model->width - 1));
	const int y = even(random_between(0, model->height - 1));
	const int x2 = random_between(x + 1, model->width);
	const int y2 = random_between(y + 1, model->height);
	const struct box all = {0, 0, model->width, model->height};
	struct box box = {x, y, even(x2 + 1) - x, even(y2 + 1) - y};
	box_intersect(&box, &box, &all);
	fill_samples(model, &box);
	const int left = random_between(0, 1), top = random_between(0, 1);
	box.x -= left;
	box.y -= top;
	box.width += left + random_between(0, 1);
	box.height += top + random_between(0, 1);
	return box;
}

/* A change of the representation, for the next commit. */
static void recode(struct model *model)
{
	const int coding = random_between(-1, N_CODINGS - 1);
	if (!model->shows_yuv || !pixel_format_get(model->format)->yuv) {
		return; /* a protocol error */
	}
	for (int i = 0; i < 2; i++) {
		struct side *side = &model->sides[i];
		if (coding < 0 && side->representation) {
			wp_color_representation_surface_v1_destroy(side->representation);
			side->representation = NULL;
		} else if (coding >= 0) {
			if (!side->representation) {
				side->representation =
					wp_color_representation_manager_v1_get_surface(
						side->manager, side->window->surface);
			}
			wp_color_representation_surface_v1_set_coefficients_and_range(
				side->representation, codings[coding][0], codings[coding][1]);
		}
	}
}

static void commit(struct model *model)
{
	for (int i = 0; i < 2; i++) {
		wl_surface_commit(model->sides[i].window->surface);
	}
}

static int find_free(const struct model *model)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		if (!model->sides[0].buffers[i]->busy && !model->sides[1].buffers[i]->busy) {
			return i;
		}
	}
	return -1;
}

/* Commits an update into a free buffer, if there is one. */
static void update(struct model *model)
{
	const int index = find_free(model);
	if (index < 0) {
		return;
	}
	const struct box damage = draw(model);
	model->shows_yuv = pixel_format_get(model->format)->yuv;
	for (int i = 0; i < 2; i++) {
		struct video *video = model->sides[i].buffers[index];
		memcpy(video->memory, model->pixels, video->size);
		video_attach(video, model->sides[i].window->surface, &damage);
	}
	if (random_between(0, 4) == 0) {
		recode(model);
	}
	commit(model);
	model->is_recoded = false;
}

static void run_frames(struct model *model, int n)
{
	for (int i = 0; i < 2; i++) {
		fixture_frames(model->sides[i].fixture, n);
	}
}

static void move(struct model *model, int left, int top)
{
	const int x = random_between(left, 40), y = random_between(top, 40);
	for (int i = 0; i < 2; i++) {
		peer_window_place(model->sides[i].window, x, y);
	}
}

/* Returns whether a server may have released the buffer since the client waits for its only one. */
static bool releases_early(const struct model *model)
{
	bool early = false;
	for (int i = 0; i < 2; i++) {
		const struct side *side = &model->sides[i];
		const struct content *content =
			content_find(peer_surface_find(side->peer, side->window->surface),
				side->fixture->server->device);
		early |= content && content->store->eager;
	}
	return early;
}

static void compare(struct model *model, uint64_t seed)
{
	open_thread(model);
	run_frames(model, 8);
	if (model->is_recoded && releases_early(model)) {
		update(model);
		run_frames(model, 8);
	}
	/* The shell keeps windows in reach, by the size that they have at the time. */
	move(model, 0, 0);
	run_frames(model, 8);
	struct image *shots[2];
	for (int i = 0; i < 2; i++) {
		assert_true(peer_alive(model->sides[i].peer));
		shots[i] = fixture_shot(model->sides[i].fixture, 0);
	}
	for (int p = 0; p < shots[0]->width * shots[0]->height; p++) {
		if (shots[0]->pixels[p] != shots[1]->pixels[p]) {
			char name[5];
			fail_msg("seed %d, %s %dx%d: %d,%d is %06x, not %06x", (int)seed,
				pixel_format_name(model->format, name), model->width, model->height,
				p % shots[0]->width, p / shots[0]->width, shots[0]->pixels[p],
				shots[1]->pixels[p]);
		}
	}
	image_destroy(shots[0]);
	image_destroy(shots[1]);
}

static void play_step(struct model *model, uint64_t seed)
{
	switch (random_between(0, 9)) {
	case 0: move(model, -60, -60); break;
	case 1:
		recode(model);
		commit(model);
		model->is_recoded = true;
		break;
	case 2:
		if (!model->blocked) {
			fixture_block_uploads(model->sides[0].fixture);
			model->blocked = true;
		}
		break;
	case 3: open_thread(model); break;
	case 4:
		if (random_between(0, 3) == 0) {
			replace_buffers(model);
		}
		break;
	case 5: compare(model, seed); break;
	case 6: run_frames(model, random_between(0, 3)); break;
	default: update(model); break;
	}
}

/* Drivers need not agree with themselves about noise of floating point. */
static void find_formats(const struct renderer *shown)
{
	n_formats = 0;
	for (size_t i = 0; i < shown->n_shm_formats; i++) {
		const struct pixel_format *format = pixel_format_get(shown->shm_formats[i]);
		if (format->yuv || shown->cpu || format->bytes[0] <= 4) {
			assert_true(n_formats < (int)(sizeof(formats) / sizeof(formats[0])));
			formats[n_formats++] = format->fourcc;
		}
	}
}

static void play_life(uint64_t seed)
{
	struct model model = {0};
	random_seed(seed);
	side_init(&model.sides[0], BUDGET);
	side_init(&model.sides[1], UINT64_MAX / 2);
	const struct renderer *shown = model.sides[0].fixture->server->device->renderer;
	find_formats(shown);
	replace_buffers(&model);
	for (int i = 0; i < N_STEPS; i++) {
		play_step(&model, seed);
	}
	compare(&model, seed);
	for (int i = 0; i < 2; i++) {
		for (int j = 0; j < N_BUFFERS; j++) {
			video_destroy(model.sides[i].buffers[j]);
		}
		fixture_destroy(model.sides[i].fixture);
	}
	free(model.pixels);
}

static void thread_and_frames_show_the_same_pixels(void **state)
{
	struct steps *steps = steps_begin("content/video_model", "VIDEO_SEEDS", N_ALL_STEPS);
	while (steps_next(steps)) {
		play_life(steps->seed);
		steps->n += N_STEPS;
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thread_and_frames_show_the_same_pixels),
	};
	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
