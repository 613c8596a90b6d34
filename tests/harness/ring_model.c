/* SPDX-License-Identifier: MIT */
/* A staging ring and a model of its memory: damage, copies, and checks of the displayed pixels. */

#include "harness/ring_model.h"
#include <string.h>

static void for_each(const pixman_region32_t *region, struct ring_model *model,
	void (*each)(struct ring_model *model, int x, int y, int slot), int slot)
{
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	for (int i = 0; i < n; i++) {
		for (int y = boxes[i].y1; y < boxes[i].y2; y++) {
			for (int x = boxes[i].x1; x < boxes[i].x2; x++) {
				assert_in_range(x, 0, SIDE - 1);
				assert_in_range(y, 0, SIDE - 1);
				each(model, x, y, slot);
			}
		}
	}
}

static void fill(int pixels[SIDE][SIDE], int value)
{
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			pixels[y][x] = value;
		}
	}
}

void ring_model_init(struct ring_model *model, bool exclusive)
{
	memset(model, 0, sizeof(*model));
	ring_init(&model->ring, exclusive);
	ring_resize(&model->ring, SIDE, SIDE);
	pixman_region32_init_rect(&model->all, 0, 0, SIDE, SIDE);
	model->version = 1;
	fill(model->client, 1);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_init(&model->region[i]);
	}
}

void ring_model_finish(struct ring_model *model)
{
	ring_finish(&model->ring);
	pixman_region32_fini(&model->all);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_fini(&model->region[i]);
	}
}

static void draw(struct ring_model *model, int x, int y, int slot)
{
	model->client[y][x] = model->version;
}

void ring_model_damage(struct ring_model *model, int x, int y, int width, int height)
{
	pixman_region32_t region;
	pixman_region32_init_rect(&region, x, y, (unsigned)width, (unsigned)height);
	pixman_region32_intersect_rect(&region, &region, 0, 0, SIDE, SIDE);
	model->version++;
	for_each(&region, model, draw, 0);
	ring_damage(&model->ring, &region);
	pixman_region32_fini(&region);
}

static void write_pixel(struct ring_model *model, int x, int y, int slot)
{
	model->memory[slot][y][x] = GARBAGE;
	model->copied[slot][y][x] = model->client[y][x];
	model->n_copied++;
}

static void land_pixel(struct ring_model *model, int x, int y, int slot)
{
	int version = model->copied[slot][y][x];
	model->memory[slot][y][x] = version;
	if (version > model->copied_version[y][x]) {
		model->copied_version[y][x] = version;
	}
}

static void hide_pixel(struct ring_model *model, int x, int y, int slot)
{
	model->copied_version[y][x] = 0;
}

/* Notes that pixels are overwritten which only this slot has. */
static void hide(struct ring_model *model, int slot, const pixman_region32_t *written)
{
	pixman_region32_t only;
	pixman_region32_init(&only);
	ring_only(&model->ring, slot, &only);
	pixman_region32_intersect(&only, &only, (pixman_region32_t *)written);
	for_each(&only, model, hide_pixel, slot);
	pixman_region32_fini(&only);
}

void ring_model_add(struct ring_model *model, int slot)
{
	fill(model->memory[slot], GARBAGE);
	ring_add(&model->ring, slot);
}

static void begin(struct ring_model *model, int slot, const pixman_region32_t *region)
{
	ring_begin(&model->ring, slot, region);
	pixman_region32_copy(&model->region[slot], (pixman_region32_t *)region);
	for_each(region, model, write_pixel, slot);
}

bool ring_model_start(struct ring_model *model, const pixman_region32_t *needed, bool whole)
{
	pixman_region32_t region;
	int slot;
	pixman_region32_init(&region);
	ring_set_visible(&model->ring, needed);
	slot = ring_choose(&model->ring, needed, whole, &region);
	if (slot >= 0) {
		assert_false(model->ring.slots[slot].writing);
		assert_false(model->ring.slots[slot].busy);
		if (!model->ring.slots[slot].exists) {
			ring_model_add(model, slot);
		}
		hide(model, slot, &region);
		begin(model, slot, &region);
	}
	pixman_region32_fini(&region);
	return slot >= 0;
}

void ring_model_end(struct ring_model *model, int slot, bool good)
{
	pixman_region32_t region;
	pixman_region32_init(&region);
	if (good) {
		for_each(&model->region[slot], model, land_pixel, slot);
	}
	ring_end(&model->ring, slot, good, &region);
	pixman_region32_fini(&region);
}

void ring_model_write(struct ring_model *model, int slot, const pixman_region32_t *region)
{
	if (!model->ring.slots[slot].exists) {
		ring_model_add(model, slot);
	}
	begin(model, slot, region);
	ring_model_end(model, slot, true);
}

void ring_model_end_all(struct ring_model *model)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		if (model->ring.slots[i].writing) {
			ring_model_end(model, i, true);
		}
	}
}

void ring_model_copy(struct ring_model *model, int slot, bool whole)
{
	assert_true(ring_model_start(model, &model->all, whole));
	ring_model_end(model, slot, true);
}

static int shown[SIDE][SIDE];

static void show_pixel(struct ring_model *model, int x, int y, int slot)
{
	assert_int_equal(shown[y][x], 0);
	assert_int_not_equal(model->memory[slot][y][x], GARBAGE);
	shown[y][x] = model->memory[slot][y][x];
}

void ring_model_check(struct ring_model *model)
{
	pixman_region32_t left, part;
	memset(shown, 0, sizeof(shown));
	pixman_region32_init_rect(&left, 0, 0, SIDE, SIDE);
	pixman_region32_init(&part);
	for (int i = 0; i < STAGING_MAX; i++) {
		ring_take(&model->ring, i, &left, &part);
		if (model->ring.exclusive && model->ring.slots[i].writing) {
			assert_false(pixman_region32_not_empty(&part));
		}
		for_each(&part, model, show_pixel, i);
	}
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			assert_int_equal(shown[y][x], model->copied_version[y][x]);
		}
	}
	pixman_region32_fini(&part);
	pixman_region32_fini(&left);
}

void ring_model_expect(const struct ring_model *model, enum staging_status status)
{
	assert_int_equal(ring_status(&model->ring, &model->all), status);
}
