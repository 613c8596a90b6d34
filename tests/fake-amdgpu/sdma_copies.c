/* SPDX-License-Identifier: MIT */
/* SDMA copies on every generation of the emulated amdgpu. */

#include "csv.h"
#include "dmabuf_image.h"
#include "gpu/format.h"
#include "harness/unit.h"
#include "video_memory.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODIFIERS_MAX 6

static const struct {
	const char *chip;
	uint64_t modifiers[MODIFIERS_MAX];
} layouts[] = {
	{"vega10",
		{0x0200000004801901, 0x0200000004801a01, 0x0200000000000901, 0x0200000000000a01}},
	{"raven", {0x0200000000401901, 0x0200000000401a01}},
	{"navi10", {0x0200000000801b02, 0x0200000000000901}},
	{"navi21", {0x0200000020801b03, 0x0200000000000901}},
	{"navi24", {0x0200000010401b03}},
	{"vangogh", {0x0200000008401b03}},
	{"navi31", {0x0200000028a01b04, 0x0200000028a01f04, 0x0200000000000a04}},
	{"phoenix", {0x0200000010401b04}},
	{"strix", {0x0200000010401b04}},
	{"navi48",
		{0x0200000000000305, 0x0200000000000205, 0x0200000000000105, 0x0200000000000a04}},
};

#define N_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static int teardown(void **state)
{
	fake_reset_all();
	return 0;
}

/* A few rectangles, some of one pixel and some at the far edges. */
static void damage_init(pixman_region32_t *damage, int width, int height)
{
	int n = random_between(1, 6);

	pixman_region32_init(damage);
	for (int i = 0; i < n; i++) {
		int x = random_between(0, width - 1), y = random_between(0, height - 1);
		int w = random_between(1, width - x), h = random_between(1, height - y);

		if (random_between(0, 3) == 0) {
			w = width - x;
			h = 1;
		}
		pixman_region32_union_rect(
			damage, damage, x, y, (unsigned)(w < 90 ? w : 90), (unsigned)h);
	}
}

static void check_layout(
	struct copy_engine *engine, struct fake_gpu *gpu, uint64_t modifier, unsigned log2_bytes)
{
	uint32_t format = dmabuf_image_format(log2_bytes),
		 unit = 1u << (log2_bytes < 2 ? log2_bytes : 2);
	int width = random_between(1, 300), height = random_between(1, 120);
	int more_x = random_between(0, 9), more_y = random_between(0, 9);
	pixman_region32_t damage;
	struct dmabuf_image tiled, linear;

	assert_true(copy_engine_reads(engine, format, modifier));
	damage_init(&damage, width, height);
	dmabuf_image_init_tiled(
		&tiled, format, width, height, modifier, random_between(0, 3) == 0 ? 1 : 0);
	dmabuf_image_init_linear(&linear, format, width + more_x, height + more_y,
		(uint32_t)random_between(0, 40) * unit, (uint32_t)random_between(0, 40) * unit);
	dmabuf_image_check_copy(engine, gpu, &tiled, &linear, &damage, random_between(0, more_x),
		random_between(0, more_y));
	dmabuf_image_finish(&tiled);

	dmabuf_image_init_tiled(&tiled, format, width + more_x, height + more_y, modifier, 0);
	linear.dmabuf.width = width;
	linear.dmabuf.height = height;
	dmabuf_image_check_copy(engine, gpu, &linear, &tiled, &damage, random_between(0, more_x),
		random_between(0, more_y));
	dmabuf_image_finish(&tiled);
	dmabuf_image_finish(&linear);
	pixman_region32_fini(&damage);
}

static void tiled_images_are_copied_both_ways(void **state)
{
	for (size_t i = 0; i < N_LAYOUTS; i++) {
		struct fake_gpu *gpu = fake_gpu_create(fake_chip_find(layouts[i].chip));
		struct copy_engine *engine = dmabuf_image_engine(gpu);

		for (int j = 0; j < MODIFIERS_MAX && layouts[i].modifiers[j]; j++) {
			for (unsigned log2_bytes = 0; log2_bytes < 4; log2_bytes++) {
				uint64_t modifier = layouts[i].modifiers[j];

				for (int round = 0; round < 3; round++) {
					check_layout(engine, gpu, modifier, log2_bytes);
				}
			}
		}
		copy_engine_destroy(engine);
		fake_reset_all();
	}
}

static void check_linear(struct copy_engine *engine, struct fake_gpu *gpu, uint32_t format)
{
	unsigned bytes = pixel_format_get(format)->bytes[0];
	uint32_t unit = bytes & (bytes - 1) ? 1 : bytes < 4 ? bytes : 4;
	int width = random_between(1, 200), height = random_between(1, 60);
	pixman_region32_t damage;
	struct dmabuf_image source, destination;

	if (random_between(0, 2) == 0) {
		pixman_region32_init_rect(&damage, 0, 0, (unsigned)width, (unsigned)height);
	} else {
		damage_init(&damage, width, height);
	}
	dmabuf_image_init_linear(&source, format, width, height,
		random_between(0, 1) ? (uint32_t)random_between(0, 40) * unit : 0,
		(uint32_t)random_between(0, 40) * unit);
	dmabuf_image_init_linear(&destination, format, width, height,
		random_between(0, 1) ? (uint32_t)random_between(0, 40) * unit : 0,
		(uint32_t)random_between(0, 40) * unit);
	dmabuf_image_check_copy(engine, gpu, &source, &destination, &damage, 0, 0);
	dmabuf_image_finish(&source);
	dmabuf_image_finish(&destination);
	pixman_region32_fini(&damage);
}

static void linear_images_are_copied_with_any_alignment(void **state)
{
	for (size_t i = 0; i < N_LAYOUTS; i++) {
		struct fake_gpu *gpu = fake_gpu_create(fake_chip_find(layouts[i].chip));
		struct copy_engine *engine = dmabuf_image_engine(gpu);

		for (int round = 0; round < 12; round++) {
			for (unsigned log2_bytes = 0; log2_bytes < 4; log2_bytes++) {
				check_linear(engine, gpu, dmabuf_image_format(log2_bytes));
			}
			check_linear(engine, gpu, DRM_FORMAT_RGB888);
		}
		copy_engine_destroy(engine);
		fake_reset_all();
	}
}

/* Test vectors of one layout, in reverse: an element stored at the offset must appear at x, y. */
struct group {
	char file[64];
	unsigned bits;
	int width, height;
	struct dmabuf_image tiled, linear;
	pixman_region32_t damage;
	uint32_t x[80], y[80];
	int n;
};

static void check_group(struct group *group, const char *chip)
{
	struct fake_gpu *gpu = fake_gpu_create(fake_chip_find(chip));
	struct copy_engine *engine = dmabuf_image_engine(gpu);
	size_t bytes = group->bits / 8;

	dmabuf_image_check_copy(engine, gpu, &group->tiled, &group->linear, &group->damage, 0, 0);
	for (int i = 0; i < group->n; i++) {
		uint8_t expected[8];

		memset(expected, 1 + i, sizeof(expected));
		assert_memory_equal(dmabuf_image_element(&group->linear, group->x[i], group->y[i]),
			expected, bytes);
	}
	dmabuf_image_finish(&group->tiled);
	dmabuf_image_finish(&group->linear);
	pixman_region32_fini(&group->damage);
	copy_engine_destroy(engine);
	fake_reset_all();
}

static const char *layout_of(const char *file, uint64_t *modifier)
{
	static const struct {
		const char *file, *chip;
		uint64_t modifier;
	} files[] = {
		{"gfx9_64K_S_X_p4_b4_vega10", "vega10", 0x0200000004801901},
		{"gfx9_64K_D_X_p2_b0_raven", "raven", 0x0200000000401a01},
		{"gfx9_64K_D", "vega10", 0x0200000000000a01},
		{"gfx10_64K_R_X_p4_navi10", "navi10", 0x0200000000801b02},
		{"gfx10rbp_64K_R_X_p4_k4_navi21", "navi21", 0x0200000020801b03},
		{"gfx10rbp_64K_R_X_p2_k1_vangogh", "vangogh", 0x0200000008401b03},
		{"gfx11_256K_R_X_p5_k5_navi31", "navi31", 0x0200000028a01f04},
		{"gfx11_64K_R_X_p2_k2_phoenix", "phoenix", 0x0200000010401b04},
		{"gfx12_64K_2D", "navi48", 0x0200000000000305},
		{"gfx12_256B_2D", "navi48", 0x0200000000000105},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(files[i].file, file) == 0) {
			*modifier = files[i].modifier;
			return files[i].chip;
		}
	}
	return NULL;
}

static void begin_group(struct group *group, const struct csv *csv, uint64_t modifier)
{
	uint32_t format = dmabuf_image_format((unsigned)__builtin_ctzll(csv_number(csv, 1) / 8));

	*group = (struct group){
		.bits = (unsigned)csv_number(csv, 1),
		.width = (int)csv_number(csv, 2),
		.height = (int)csv_number(csv, 3),
	};
	strncpy(group->file, csv->fields[0], sizeof(group->file) - 1);
	dmabuf_image_init_tiled(&group->tiled, format, group->width, group->height, modifier, 0);
	assert_int_equal(group->tiled.dmabuf.stride[0], csv_number(csv, 4) * group->bits / 8);
	dmabuf_image_init_linear(&group->linear, format, group->width, group->height, 0, 0);
	pixman_region32_init(&group->damage);
}

static void add_point(struct group *group, const struct csv *csv)
{
	int x = (int)csv_number(csv, 5), y = (int)csv_number(csv, 6);

	for (int i = 0; i < group->n; i++) {
		if (group->x[i] == (uint32_t)x && group->y[i] == (uint32_t)y) {
			return;
		}
	}
	assert_true(group->n < 80);
	group->x[group->n] = (uint32_t)x;
	group->y[group->n] = (uint32_t)y;
	memset(group->tiled.map + csv_number(csv, 7), 1 + group->n++, group->bits / 8);
	pixman_region32_union_rect(&group->damage, &group->damage, x, y, 1, 1);
}

static void copies_follow_tiling_vectors(void **state)
{
	struct group group = {0};
	const char *chip = NULL;
	uint64_t modifier;
	struct csv csv;
	int n = 0;

	csv_open(&csv, "points");
	while (csv_next(&csv)) {
		bool same = strcmp(group.file, csv.fields[0]) == 0 &&
			    group.bits == csv_number(&csv, 1) &&
			    group.width == (int)csv_number(&csv, 2) &&
			    group.height == (int)csv_number(&csv, 3);

		if (!same) {
			if (chip) {
				check_group(&group, chip);
				n++;
			}
			group = (struct group){0};
			chip = csv_number(&csv, 2) > 2000 ? NULL
							  : layout_of(csv.fields[0], &modifier);
			if (!chip) {
				continue;
			}
			begin_group(&group, &csv, modifier);
		}
		add_point(&group, &csv);
	}
	if (chip) {
		check_group(&group, chip);
		n++;
	}
	csv_close(&csv);
	assert_true(n >= 10 * 4 * 2);
}

/* An image of several planes, each in a memory of its own, or all in one. */
struct planar {
	const struct pixel_format *format;
	struct dmabuf dmabuf;
	struct plane_layout planes[3];
	int n_memories;
	uint8_t *memory[3];
	size_t sizes[3]; /* bytes */
};

static int memory_of(const struct planar *image, int plane)
{
	return image->n_memories > 1 ? plane : 0;
}

static uint8_t *planar_element(const struct planar *image, int plane, uint32_t x, uint32_t y)
{
	return image->memory[memory_of(image, plane)] +
	       plane_layout_at(&image->planes[plane], x, y);
}

/* Linear planes begin at another offset of their memory each. */
static void lay_out_planes(struct planar *image)
{
	for (int i = 0; i < image->dmabuf.n_planes; i++) {
		size_t *size = &image->sizes[memory_of(image, i)];
		plane_layout_init(&image->planes[i], image->format, i, image->dmabuf.width,
			image->dmabuf.height, image->dmabuf.modifier);
		*size += image->planes[i].tiled ? 0 : 256 * ((size_t)i + 1);
		*size += plane_layout_place(&image->planes[i], *size, 64);
		image->dmabuf.offset[i] = (uint32_t)image->planes[i].offset;
		image->dmabuf.stride[i] = (uint32_t)image->planes[i].stride;
	}
}

static void planar_init(struct planar *image, const struct pixel_format *format, uint64_t modifier,
	bool separate, uint8_t seed)
{
	*image = (struct planar){.format = format, .n_memories = separate ? format->n_planes : 1};
	dmabuf_init(&image->dmabuf);
	image->dmabuf.width = 63;
	image->dmabuf.height = 47;
	image->dmabuf.format = format->fourcc;
	image->dmabuf.modifier = modifier;
	image->dmabuf.n_planes = format->n_planes;
	lay_out_planes(image);
	for (int i = 0; i < image->n_memories; i++) {
		void *map;
		image->dmabuf.fd[i] = fake_dmabuf_create(image->sizes[i], &map);
		image->memory[i] = map;
		for (size_t at = 0; at < image->sizes[i]; at++) {
			image->memory[i][at] = (uint8_t)(seed + i + (int)(at % 251));
		}
	}
	for (int i = image->n_memories; i < format->n_planes; i++) {
		image->dmabuf.fd[i] = dup(image->dmabuf.fd[0]);
	}
}

/* Copies the elements of the plane that the box touches. */
static void copy_elements(
	const struct planar *from, struct planar *to, int plane, const pixman_box32_t *box)
{
	const int h = plane > 0 ? from->format->hsub : 1, v = plane > 0 ? from->format->vsub : 1;
	for (int y = box->y1 / v; y < (box->y2 + v - 1) / v; y++) {
		for (int x = box->x1 / h; x < (box->x2 + h - 1) / h; x++) {
			memcpy(planar_element(to, plane, (uint32_t)x, (uint32_t)y),
				planar_element(from, plane, (uint32_t)x, (uint32_t)y),
				from->format->bytes[plane]);
		}
	}
}

static void copy_by_engine(struct copy_engine *engine, struct fake_gpu *gpu,
	const struct planar *from, const struct planar *to, const pixman_box32_t *box)
{
	struct copy_request request = {.wait_fd = -1};
	pixman_region32_t damage;
	int fence;

	pixman_region32_init_with_extents(&damage, (pixman_box32_t *)box);
	request.damage = &damage;
	assert_int_equal(
		copy_engine_import(engine, &from->dmabuf, COPY_SOURCE, &request.source), 0);
	assert_int_equal(
		copy_engine_import(engine, &to->dmabuf, COPY_DESTINATION, &request.destination), 0);
	assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
	assert_null(fake_gpu_fault(gpu));
	close(fence);
	copy_image_drop(request.source);
	copy_image_drop(request.destination);
	pixman_region32_fini(&damage);
}

/* Fails unless the copy is exact, and all other bytes of the destination are unchanged. */
static void check_planar(struct copy_engine *engine, struct fake_gpu *gpu,
	const struct pixel_format *format, const uint64_t *modifiers, const bool *separate)
{
	static const pixman_box32_t boxes[] = {{0, 0, 63, 47}, {11, 21, 42, 46}, {62, 46, 63, 47}};
	struct planar from, to, expected;

	for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
		planar_init(&from, format, modifiers[0], separate[0], 0);
		planar_init(&to, format, modifiers[1], separate[1], 100);
		planar_init(&expected, format, modifiers[1], separate[1], 100);
		copy_by_engine(engine, gpu, &from, &to, &boxes[i]);
		for (int plane = 0; plane < format->n_planes; plane++) {
			copy_elements(&from, &expected, plane, &boxes[i]);
		}
		for (int m = 0; m < to.n_memories; m++) {
			assert_memory_equal(expected.memory[m], to.memory[m], to.sizes[m]);
		}
		dmabuf_finish(&from.dmabuf);
		dmabuf_finish(&to.dmabuf);
		dmabuf_finish(&expected.dmabuf);
	}
}

/* Each image has its planes in one memory or in separate ones. */
static void all_planes_are_copied(void **state)
{
	static const uint64_t modifiers[][2] = {
		{DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_LINEAR},
		{0x0200000020801b03, DRM_FORMAT_MOD_LINEAR},
		{DRM_FORMAT_MOD_LINEAR, 0x0200000020801b03},
	};
	static const bool separate[][2] = {
		{false, false}, {true, false}, {false, true}, {true, true}};
	struct fake_gpu *gpu = fake_gpu_create(fake_chip_find("navi21"));
	struct copy_engine *engine = dmabuf_image_engine(gpu);
	size_t n;
	const struct pixel_format *formats = pixel_format_table(&n);

	for (size_t i = 0; i < n; i++) {
		for (int j = 0; formats[i].n_planes > 1 && j < 12; j++) {
			check_planar(engine, gpu, &formats[i], modifiers[j / 4], separate[j % 4]);
		}
	}
	copy_engine_destroy(engine);
}

/* Bytes outside the rectangles are not read. */
static void rectangles_are_copied_in_one_job(void **state)
{
	struct fake_gpu *gpu = fake_gpu_create(fake_chip_find("navi31"));
	struct copy_engine *engine = dmabuf_image_engine(gpu);
	struct dmabuf_image tiled, linear;
	pixman_region32_t damage;

	pixman_region32_init(&damage);
	for (int i = 0; i < 16; i++) {
		pixman_region32_union_rect(&damage, &damage, i * 70, i * 65, 64, 64);
	}
	dmabuf_image_init_tiled(&tiled, DRM_FORMAT_XRGB8888, 1920, 1080, 0x0200000028a01f04, 0);
	dmabuf_image_init_linear(&linear, DRM_FORMAT_XRGB8888, 1920, 1080, 0, 0);
	dmabuf_image_check_copy(engine, gpu, &tiled, &linear, &damage, 0, 0);
	assert_int_equal(fake_gpu_counts(gpu).jobs, 1);
	assert_int_equal(fake_gpu_counts(gpu).packets, 16);
	assert_int_equal(fake_gpu_counts(gpu).bytes, 16 * 64 * 64 * 4);
	assert_int_equal(engine->stats.bytes, 16 * 64 * 64 * 4);
	assert_int_equal(engine->stats.rectangles, 16);
	assert_int_equal(engine->stats.submissions, 1);
	pixman_region32_fini(&damage);
	copy_engine_destroy(engine);
	dmabuf_image_finish(&tiled);
	dmabuf_image_finish(&linear);
}

static void rectangles_beyond_command_buffer_become_their_extents(void **state)
{
	struct fake_gpu *gpu = fake_gpu_create(fake_chip_find("navi31"));
	struct copy_engine *engine = dmabuf_image_engine(gpu);
	pixman_box32_t *boxes = calloc(20000, sizeof(*boxes));
	struct copy_request request = {.wait_fd = -1};
	struct dmabuf_image source, destination;
	pixman_region32_t damage;
	int fence;

	for (int i = 0; i < 20000; i++) {
		int x = i % 100 * 2, y = i / 100;

		boxes[i] = (pixman_box32_t){x + y % 2, y, x + y % 2 + 1, y + 1};
	}
	pixman_region32_init_rects(&damage, boxes, 20000);
	dmabuf_image_init_tiled(&source, DRM_FORMAT_XRGB8888, 200, 200, 0x0200000028a01b04, 0);
	dmabuf_image_init_linear(&destination, DRM_FORMAT_XRGB8888, 200, 200, 0, 0);
	assert_int_equal(
		copy_engine_import(engine, &source.dmabuf, COPY_SOURCE, &request.source), 0);
	assert_int_equal(copy_engine_import(engine, &destination.dmabuf, COPY_DESTINATION,
				 &request.destination),
		0);
	request.damage = &damage;
	assert_int_equal(copy_engine_submit(engine, &request, &fence), 0);
	close(fence);
	assert_null(fake_gpu_fault(gpu));
	assert_int_equal(engine->stats.rectangles, 1);
	for (uint32_t y = 0; y < 200; y++) {
		for (uint32_t x = 0; x < 200; x++) {
			assert_memory_equal(dmabuf_image_element(&source, x, y),
				dmabuf_image_element(&destination, x, y), 4);
		}
	}
	free(boxes);
	pixman_region32_fini(&damage);
	copy_image_drop(request.source);
	copy_image_drop(request.destination);
	copy_engine_destroy(engine);
	dmabuf_image_finish(&source);
	dmabuf_image_finish(&destination);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(tiled_images_are_copied_both_ways, teardown),
		cmocka_unit_test_teardown(linear_images_are_copied_with_any_alignment, teardown),
		cmocka_unit_test_teardown(copies_follow_tiling_vectors, teardown),
		cmocka_unit_test_teardown(all_planes_are_copied, teardown),
		cmocka_unit_test_teardown(rectangles_are_copied_in_one_job, teardown),
		cmocka_unit_test_teardown(
			rectangles_beyond_command_buffer_become_their_extents, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
