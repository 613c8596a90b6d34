/* SPDX-License-Identifier: MIT */
/*
 * Duration of large CPU draws on one thread and on a worker pool (render/worker_pool.h):
 * milliseconds of wall and CPU time, medians of 15 alternating rounds of four. Choose the number of
 * cores with taskset.
 */

#include "buffer/allocator.h"
#include "render/pixman/pixman_renderer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 15
#define REPEATS 4

static const struct row {
	const char *name;
	uint32_t format;
	double scale;
	float alpha;
	enum wl_output_transform transform;
} rows[] = {
	{"copied", DRM_FORMAT_XRGB8888, 1, 1, 0},
	{"channels swapped", DRM_FORMAT_XBGR8888, 1, 1, 0},
	{"blended", DRM_FORMAT_ARGB8888, 1, 1, 0},
	{"with alpha", DRM_FORMAT_ARGB8888, 1, 0.5F, 0},
	{"twice as large", DRM_FORMAT_XRGB8888, 2, 1, 0},
	{"upside down", DRM_FORMAT_XRGB8888, 1, 1, WL_OUTPUT_TRANSFORM_180},
};

static double now_ms(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;
	return first < second ? -1 : first > second;
}

static void draw(struct renderer *renderer, struct buffer *target, struct texture *texture,
	const struct row *row, const pixman_region32_t *clip)
{
	const struct render_texture_options options = {
		.texture = texture,
		.src = {0, 0, target->width / row->scale, target->height / row->scale},
		.dst = {0, 0, target->width, target->height},
		.alpha = row->alpha,
		.clip = clip,
		.transform = row->transform,
	};
	int fence;
	struct render_pass *pass = renderer_begin(renderer, target, -1);
	render_pass_add_texture(pass, &options);
	render_pass_submit(pass, &fence);
}

static void run(struct renderer *const renderers[2], const struct row *row, int width, int height)
{
	struct buffer *source = memory_buffer_create(width, height, row->format);
	struct buffer *target = memory_buffer_create(width, height, DRM_FORMAT_XRGB8888);
	double wall[2][ROUNDS], cpu[2][ROUNDS];
	pixman_region32_t clip;
	void *data;
	size_t stride;
	pixman_region32_init_rect(&clip, 0, 0, (unsigned)width, (unsigned)height);
	buffer_begin_access(source, BUFFER_WRITE, &data, &stride);
	memset(data, 0x70, stride * (size_t)height);
	buffer_end_access(source);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < 2; i++) {
			struct texture *texture = NULL;
			bool holds;
			renderer_texture_update(renderers[i], &texture, source, NULL, &holds);
			double begun = now_ms(CLOCK_MONOTONIC);
			double used = now_ms(CLOCK_PROCESS_CPUTIME_ID);
			for (int n = 0; n < REPEATS; n++) {
				draw(renderers[i], target, texture, row, &clip);
			}
			wall[i][round] = (now_ms(CLOCK_MONOTONIC) - begun) / REPEATS;
			cpu[i][round] = (now_ms(CLOCK_PROCESS_CPUTIME_ID) - used) / REPEATS;
			texture_destroy(texture);
		}
	}
	for (int i = 0; i < 2; i++) {
		qsort(wall[i], ROUNDS, sizeof(double), compare);
		qsort(cpu[i], ROUNDS, sizeof(double), compare);
	}
	printf("%4dx%-4d %-16s one %6.2f ms (cpu %6.2f), shared out %6.2f ms (cpu %6.2f), x%.2f\n",
		width, height, row->name, wall[0][ROUNDS / 2], cpu[0][ROUNDS / 2],
		wall[1][ROUNDS / 2], cpu[1][ROUNDS / 2], wall[0][ROUNDS / 2] / wall[1][ROUNDS / 2]);
	pixman_region32_fini(&clip);
	buffer_drop(target);
	buffer_drop(source);
}

int main(void)
{
	struct renderer *renderers[] = {pixman_renderer_create(), pixman_renderer_create()};
	struct pixman_renderer *one = wl_container_of(renderers[0], one, base);
	one->alone = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run(renderers, &rows[i], 1920, 1080);
		run(renderers, &rows[i], 3840, 2160);
	}
	for (int side = 256; side <= 1024; side *= 2) {
		run(renderers, &rows[2], side, side);
	}
	renderer_destroy(renderers[0]);
	renderer_destroy(renderers[1]);
	return 0;
}
