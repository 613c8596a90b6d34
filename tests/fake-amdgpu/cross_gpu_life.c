/* SPDX-License-Identifier: MIT */
/* Client of the random model of windows of another GPU: its buffers, codings and updates. */

#include "cross_gpu_life.h"
#include "color-representation-v1-client-protocol.h"
#include <stdlib.h>

static void free_canvas(struct canvas *canvas)
{
	canvas_finish(canvas);
	free(canvas);
}

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

void life_forget_old(struct life *life)
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

static struct color_coding choose_coding(void)
{
	static const struct color_coding codings[] = {
		{COLOR_MATRIX_DEFAULT, COLOR_RANGE_DEFAULT},
		{COLOR_MATRIX_BT601, COLOR_RANGE_LIMITED},
		{COLOR_MATRIX_BT601, COLOR_RANGE_FULL},
		{COLOR_MATRIX_BT709, COLOR_RANGE_LIMITED},
		{COLOR_MATRIX_BT709, COLOR_RANGE_FULL},
		{COLOR_MATRIX_BT2020, COLOR_RANGE_LIMITED},
		{COLOR_MATRIX_BT2020, COLOR_RANGE_FULL},
	};
	return codings[random_between(0, sizeof(codings) / sizeof(codings[0]) - 1)];
}

/* Sets the epoch's coding with the next commit. */
static void set_coding(struct life *life, const struct epoch *epoch)
{
	static const uint32_t coefficients[] = {
		[COLOR_MATRIX_BT601] = WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT601,
		[COLOR_MATRIX_BT709] = WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT709,
		[COLOR_MATRIX_BT2020] = WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT2020,
	};
	if (epoch->asked.matrix == COLOR_MATRIX_DEFAULT) {
		if (life->coding) {
			wp_color_representation_surface_v1_destroy(life->coding);
			life->coding = NULL;
		}
		return;
	}
	if (!life->coding) {
		life->coding = wp_color_representation_manager_v1_get_surface(
			life->codings, life->window->surface);
	}
	wp_color_representation_surface_v1_set_coefficients_and_range(life->coding,
		coefficients[epoch->asked.matrix],
		epoch->asked.range == COLOR_RANGE_FULL
			? WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL
			: WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_LIMITED);
}

static void add_epoch(struct life *life, struct epoch *next)
{
	assert_true(life->n_epochs < EPOCHS_MAX);
	next->code.coding = color_coding_resolve(next->asked, next->width, next->height);
	life->epochs[life->n_epochs++] = *next;
	set_coding(life, next);
}

static void choose_format(struct epoch *next)
{
	static const uint32_t formats[] = {
		DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_YUYV};
	next->code.format = formats[random_between(0, 2)];
	next->asked = (struct color_coding){0};
	if (!pixel_code_is_yuv(&next->code)) {
		return;
	}
	next->asked = choose_coding();
	next->width &= ~1;
	if (chance(8)) {
		next->width = WIDEST - 2 * random_between(0, 1);
		next->height = WIDE_HEIGHT;
	}
}

void life_begin_epoch(struct life *life)
{
	const struct epoch *last = life->n_epochs > 0 ? last_epoch(life) : NULL;
	struct epoch next = {.width = random_between(SIDE_LEAST, WIDTH),
		.height = random_between(SIDE_LEAST, HEIGHT),
		.first = life->version + 1};
	if (last && last->width <= WIDTH && chance(2)) {
		next.width = last->width;
		next.height = last->height;
	}
	choose_format(&next);
	retire_canvases(life);
	life->linear = chance(4);
	if (last && is_alike(&next, last)) {
		next.first = last->first;
	}
	if (!last || !is_alike(&next, last) || !color_coding_equal(next.asked, last->asked)) {
		add_epoch(life, &next);
	}
}

/* Returns the index of a canvas that the compositor does not use, or -1. */
static int find_canvas(struct life *life)
{
	const struct epoch *epoch = last_epoch(life);
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
		epoch->code.format, life->linear);
	life->used[i] = false;
	pixman_region32_init_rect(
		&life->missing[i], 0, 0, (unsigned)epoch->width, (unsigned)epoch->height);
	return i;
}

/* Offsets of the pixels of tiled buffers, by bytes per pixel: narrow ones have one block. */
static ptrdiff_t offsets[5][HEIGHT][WIDEST];

static void find_offsets(const struct canvas *tiled)
{
	for (int y = 0; y < tiled->height; y++) {
		for (int x = 0; x < tiled->width; x++) {
			offsets[tiled->bytes][y][x] = canvas_bytes(tiled, x, y) - tiled->map;
		}
	}
}

static uint8_t *find_pixel(const struct canvas *canvas, int x, int y)
{
	return canvas->linear ? canvas_bytes(canvas, x, y)
			      : canvas->map + offsets[canvas->bytes][y][x];
}

static void paint(struct life *life, int at)
{
	const struct canvas *canvas = &life->canvases[at];
	const struct pixel_code *code = &last_epoch(life)->code;
	const int right = canvas->width - 1, bottom = canvas->height - 1;
	if (!canvas->linear && offsets[canvas->bytes][bottom][right] == 0) {
		find_offsets(canvas);
	}
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles(&life->missing[at], &n);
	for (int i = 0; i < n; i++) {
		for (int y = boxes[i].y1; y < boxes[i].y2; y++) {
			for (int x = boxes[i].x1; x < boxes[i].x2; x++) {
				pixel_code_write(
					code, find_pixel(canvas, x, y), x, life->content[y][x]);
			}
		}
	}
	pixman_region32_clear(&life->missing[at]);
}

void life_set_destination(struct life *life)
{
	const struct epoch *epoch = last_epoch(life);
	if (life->scaled) {
		wp_viewport_set_destination(life->viewport, epoch->width - 3, epoch->height - 4);
	} else {
		wp_viewport_set_destination(life->viewport, -1, -1);
	}
}

void life_commit(struct life *life)
{
	const struct epoch *epoch = last_epoch(life);
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
	if (pixel_code_is_yuv(&epoch->code)) {
		box.width += box.x & 1; /* whole pairs */
		box.x &= ~1;
		box.width += box.width & 1;
	}
	life->version++;
	for (int y = box.y; y < box.y + box.height; y++) {
		for (int x = box.x; x < box.x + box.width; x++) {
			life->content[y][x] = life->version;
		}
		life->late[0][y] = life->late[1][y] = true;
	}
	for (int i = 0; i < life->n_canvases; i++) {
		pixman_region32_union_rect(&life->missing[i], &life->missing[i], box.x, box.y,
			(unsigned)box.width, (unsigned)box.height);
	}
	paint(life, at);
	life_set_destination(life);
	canvas_commit(&life->canvases[at], life->window, box.x, box.y, box.width, box.height);
	life->used[at] = true;
	life->n_released[at] = life->canvases[at].n_released;
	life->calm = 0;
}

void life_recode(struct life *life)
{
	struct epoch next = *last_epoch(life);
	const bool draws = chance(2);
	next.asked = choose_coding();
	if (!pixel_code_is_yuv(&next.code) || (draws && find_canvas(life) < 0)) {
		return;
	}
	next.first = draws ? life->version + 1 : next.first;
	next.recoded = !draws;
	add_epoch(life, &next);
	if (draws) {
		life_commit(life);
	} else {
		wl_surface_commit(life->window->surface);
		life->calm = 0;
	}
}

void life_finish_canvases(struct life *life)
{
	retire_canvases(life);
	for (int i = 0; i < life->n_old; i++) {
		assert_true(life->old[i]->n_released > 0);
		free_canvas(life->old[i]);
	}
}
