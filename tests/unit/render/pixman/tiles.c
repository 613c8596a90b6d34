/* SPDX-License-Identifier: MIT */
/*
 * Tiles: large draws and conversions on several threads. Results equal those of one thread, threads
 * start on demand, and truncated client memory is safe.
 */

#include "harness/unit.h"

#include "buffer/allocator.h"
#include "buffer/shm.h"
#include "render/pixman/pixman_renderer.h"
#include "util/fd.h"
#include <string.h>
#include <unistd.h>

/* Large enough for every kind of draw to use threads. */
#define WIDTH 2048
#define HEIGHT 1600

static struct pixman_renderer *get(struct renderer *base)
{
	struct pixman_renderer *renderer = wl_container_of(base, renderer, base);
	return renderer;
}

static void draw(struct renderer *renderer, struct buffer *target, struct buffer *source,
	const struct render_texture_options *options)
{
	struct render_texture_options draw = *options;
	pixman_region32_t clip;
	bool holds;
	pixman_region32_init_rect(&clip, 0, 0, (unsigned)target->width, (unsigned)target->height);
	draw.texture = NULL;
	draw.clip = &clip;
	assert_true(renderer_texture_update(renderer, &draw.texture, source, NULL, &holds));
	struct render_pass *pass = renderer_begin(renderer, target, -1);
	assert_non_null(pass);
	render_pass_add_texture(pass, &draw);
	int fence;
	assert_true(render_pass_submit(pass, &fence));
	texture_destroy(draw.texture);
	pixman_region32_fini(&clip);
}

static void fill_with_noise(struct buffer *buffer, size_t size)
{
	void *data;
	size_t stride;
	assert_int_equal(buffer_begin_access(buffer, BUFFER_WRITE, &data, &stride), 0);
	uint32_t state = (uint32_t)random_between(1, 1 << 30), *words = data;
	for (size_t i = 0; i < size / 4; i++) {
		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
		/* Valid as premultiplied alpha. */
		words[i] = (state & 0x7f7f7f7f) | UINT32_C(0x80000000);
	}
	buffer_end_access(buffer);
}

static void expect_equal(struct buffer *a, struct buffer *b, const char *what)
{
	void *first, *second;
	size_t stride;
	assert_int_equal(buffer_begin_access(a, BUFFER_READ, &first, &stride), 0);
	assert_int_equal(buffer_begin_access(b, BUFFER_READ, &second, &stride), 0);
	if (memcmp(first, second, stride * (size_t)a->height) != 0) {
		fail_msg("%s: differs from the result of one thread", what);
	}
	buffer_end_access(b);
	buffer_end_access(a);
}

static const struct row {
	const char *what;
	uint32_t format;
	enum wl_output_transform transform;
	struct fbox src;
	float alpha;
} rows[] = {
	{"copied", DRM_FORMAT_XRGB8888, 0, {0, 0, WIDTH, HEIGHT}, 1},
	{"another order of channels", DRM_FORMAT_XBGR8888, 0, {0, 0, WIDTH, HEIGHT}, 1},
	{"blended", DRM_FORMAT_ARGB8888, 0, {0, 0, WIDTH, HEIGHT}, 1},
	{"with alpha", DRM_FORMAT_ARGB8888, 0, {0, 0, WIDTH, HEIGHT}, 0.4F},
	{"upside down", DRM_FORMAT_XRGB8888, 2, {0, 0, WIDTH, HEIGHT}, 1},
	{"mirrored", DRM_FORMAT_ARGB8888, 4, {0, 0, WIDTH, HEIGHT}, 1},
	{"magnified", DRM_FORMAT_XRGB8888, 0, {10.5, 7.25, WIDTH / 3.0, HEIGHT / 3.0}, 1},
	{"turned and magnified", DRM_FORMAT_ARGB8888, 1, {3, 4, 777, 901}, 1},
	{"NV12", DRM_FORMAT_NV12, 0, {0, 0, WIDTH, HEIGHT}, 1},
	{"YUYV, scaled", DRM_FORMAT_YUYV, 0, {0, 0, WIDTH / 2.0, HEIGHT / 2.0}, 1},
	{"P010", DRM_FORMAT_P010, 0, {0, 0, WIDTH, HEIGHT}, 1},
};

/* Creates a client buffer in a pool that can be truncated. */
static struct buffer *create_source(uint32_t fourcc, int *fd)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	size_t stride = (size_t)WIDTH * format->bytes[0];
	int32_t size = (int32_t)pixel_format_size(format, stride, HEIGHT);
	int memory = fd_create_memory("source", size, false);
	assert_true(memory >= 0);
	if (fd) {
		*fd = fd_dup(memory);
	}
	struct shm_pool *pool = shm_pool_create(memory, size);
	struct buffer *buffer = shm_buffer_create(pool, 0, WIDTH, HEIGHT, (int32_t)stride, fourcc);
	shm_pool_unref(pool);
	fill_with_noise(buffer, (size_t)size);
	return buffer;
}

static void threads_draw_the_same_pixels(void **state)
{
	struct renderer *many = pixman_renderer_create(), *one = pixman_renderer_create();
	get(one)->alone = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct render_texture_options options = {
			.src = row->src,
			.dst = {0, 0, WIDTH, HEIGHT},
			.transform = row->transform,
			.alpha = row->alpha,
		};
		struct buffer *source = create_source(row->format, NULL);
		struct buffer *targets[] = {
			memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888),
			memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888),
		};
		fill_with_noise(targets[0], (size_t)WIDTH * HEIGHT * 4);
		draw(one, targets[1], targets[0],
			&(struct render_texture_options){
				.src = {0, 0, WIDTH, HEIGHT},
				.dst = {0, 0, WIDTH, HEIGHT},
				.alpha = 1,
			});
		draw(many, targets[0], source, &options);
		draw(one, targets[1], source, &options);
		expect_equal(targets[0], targets[1], row->what);
		buffer_drop(targets[0]);
		buffer_drop(targets[1]);
		buffer_drop(source);
	}
	assert_null(get(one)->pool);
	assert_true(get(many)->pool || get(many)->alone);
	renderer_destroy(many);
	renderer_destroy(one);
}

static void small_draws_start_no_threads(void **state)
{
	struct renderer *renderer = pixman_renderer_create();
	struct buffer *source = create_source(DRM_FORMAT_ARGB8888, NULL);
	struct buffer *target = memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	draw(renderer, target, source,
		&(struct render_texture_options){
			.src = {0, 0, 256, 256}, .dst = {9, 9, 256, 256}, .alpha = 0.5F});
	assert_null(get(renderer)->pool);
	assert_false(get(renderer)->alone);
	buffer_drop(target);
	buffer_drop(source);
	renderer_destroy(renderer);
}

/*
 * The pool's file is truncated while threads read it: they read zeros, and the fault is reported.
 */
static void truncation_during_a_draw_is_reported(void **state)
{
	static const uint32_t formats[] = {
		DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_NV12};
	struct renderer *renderer = pixman_renderer_create();
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		int fd;
		struct buffer *source = create_source(formats[i], &fd);
		struct buffer *target = memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
		assert_int_equal(ftruncate(fd, 4096), 0);
		draw(renderer, target, source,
			&(struct render_texture_options){.src = {0, 0, WIDTH, HEIGHT},
				.dst = {0, 0, WIDTH, HEIGHT},
				.alpha = 1});
		assert_true(shm_buffer_take_fault(source));
		close(fd);
		buffer_drop(target);
		buffer_drop(source);
	}
	renderer_destroy(renderer);
}

static int seen[100];

static void count(void *data, int part)
{
	int *calls = data;
	__atomic_fetch_add(&calls[part], 1, __ATOMIC_RELAXED);
}

/* Each part of each piece is run once. */
static void worker_pool_runs_each_part_once(void **state)
{
	struct worker_pool *pool = worker_pool_create();
	if (!pool) {
		skip_because("the machine has a single core");
	}
	assert_in_range(worker_pool_size(pool), 2, WORKER_POOL_MAX);
	for (int n = 1; n <= 100; n++) {
		memset(seen, 0, sizeof(seen));
		worker_pool_run(pool, n, count, seen);
		for (int i = 0; i < 100; i++) {
			assert_int_equal(seen[i], i < n);
		}
	}
	worker_pool_destroy(pool);
	worker_pool_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First, since cmocka replaces the guard's signal handler before each test. */
		cmocka_unit_test(truncation_during_a_draw_is_reported),
		cmocka_unit_test(threads_draw_the_same_pixels),
		cmocka_unit_test(small_draws_start_no_threads),
		cmocka_unit_test(worker_pool_runs_each_part_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
