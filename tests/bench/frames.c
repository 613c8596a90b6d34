/* SPDX-License-Identifier: MIT */
/*
 * Cost of a frame with small damage on the GPU and on the CPU. The compositor's renderers draw a
 * shm window with a damage of each size to an output of 1920x1080: at 60 frames per second, when
 * clocks are low and caches cold, and back to back, as benchmarks do.
 *
 * Prints medians in microseconds: of the upload, of a pass from begin to submission, and until the
 * device has finished; `cpu` is the CPU time of the composing thread, `all cpu` that of the process
 * with the driver's threads. GPU times are those of renderer_pass_time().
 */

#include "buffer/allocator.h"
#include "buffer/shm.h"
#include "egl_device.h"
#include "gpu/egl.h"
#include "render/render.h"
#include "util/fd.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 1920
#define HEIGHT 1080
#define FRAMES 90
#define N_TARGETS 2
#define PERIOD_NS (1000000000 / 60)
#define NS_PER_S 1000000000

enum column { UPLOAD, PASS, PASS_WALL, DONE_CPU, DONE_WALL, DEVICE, N_COLUMNS };

struct bench {
	struct renderer *renderer;
	struct buffer *window, *targets[N_TARGETS];
	uint8_t *pixels; /* of the window */
	struct texture *texture;
};

static double read_us(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;
	return first < second ? -1 : first > second;
}

static void wait_until(int64_t ns)
{
	struct timespec time = {ns / NS_PER_S, ns % NS_PER_S};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

/* Drawing by the client: not measured, and leaves the pixels in the caches. */
static void paint(struct bench *bench, int n, int width, int height)
{
	for (int y = 0; y < height; y++) {
		memset(bench->pixels + (size_t)y * WIDTH * 4, n, (size_t)width * 4);
	}
}

static void draw(struct bench *bench, int n, const pixman_region32_t *damage, double *times)
{
	struct renderer *renderer = bench->renderer;
	bool holds;
	int fence = -1;
	double all = read_us(CLOCK_PROCESS_CPUTIME_ID), wall = read_us(CLOCK_MONOTONIC);
	double begun = read_us(CLOCK_THREAD_CPUTIME_ID);
	renderer_texture_update(renderer, &bench->texture, bench->window, damage, &holds);
	double uploaded = read_us(CLOCK_THREAD_CPUTIME_ID);
	double begun_wall = read_us(CLOCK_MONOTONIC);
	const struct render_texture_options options = {
		.texture = bench->texture,
		.src = {0, 0, WIDTH, HEIGHT},
		.dst = {0, 0, WIDTH, HEIGHT},
		.alpha = 1,
		.clip = damage,
	};
	struct render_pass *pass = renderer_begin(renderer, bench->targets[n % N_TARGETS], -1);
	if (!pass) {
		fprintf(stderr, "frames: cannot create the target buffer\n");
		exit(1);
	}
	render_pass_add_texture(pass, &options);
	render_pass_submit(pass, &fence);
	times[UPLOAD] = uploaded - begun;
	times[PASS] = read_us(CLOCK_THREAD_CPUTIME_ID) - uploaded;
	times[PASS_WALL] = read_us(CLOCK_MONOTONIC) - begun_wall;
	if (fence >= 0) {
		device_wait();
		close(fence);
	}
	times[DONE_CPU] = read_us(CLOCK_PROCESS_CPUTIME_ID) - all;
	times[DONE_WALL] = read_us(CLOCK_MONOTONIC) - wall;
	int64_t ns = renderer_pass_time(renderer, renderer->stats.passes);
	times[DEVICE] = ns < 0 ? NAN : (double)ns / 1e3;
}

static void print(const char *name, int width, int height, bool paced, double (*frames)[N_COLUMNS])
{
	printf("%-7s %4dx%-4d %-12s", name, width, height, paced ? "at 60 Hz" : "back to back");
	for (int column = 0; column < N_COLUMNS; column++) {
		double values[FRAMES];
		size_t n = 0;
		for (int i = 0; i < FRAMES; i++) {
			if (!isnan(frames[i][column])) {
				values[n++] = frames[i][column];
			}
		}
		qsort(values, n, sizeof(values[0]), compare);
		printf(" %10.1f", n > 0 ? values[n / 2] : NAN);
		if (column == DEVICE) {
			printf(" (%.1f-%.1f, %zu of %d)", n > 0 ? values[0] : NAN,
				n > 0 ? values[n - 1] : NAN, n, FRAMES);
		}
	}
	putchar('\n');
}

static void run(struct bench *bench, int width, int height, bool paced)
{
	double frames[FRAMES][N_COLUMNS];
	pixman_region32_t damage;
	pixman_region32_init_rect(&damage, 0, 0, (unsigned)width, (unsigned)height);
	int64_t next = (int64_t)(read_us(CLOCK_MONOTONIC) * 1e3);
	for (int i = 0; i < FRAMES; i++) {
		if (paced) {
			wait_until(next += PERIOD_NS);
		}
		paint(bench, i, width, height);
		draw(bench, i, &damage, frames[i]);
	}
	print(bench->renderer->impl->name, width, height, paced, frames);
	pixman_region32_fini(&damage);
}

/* First frames compile shaders, and all of them are timed by the GPU. */
static void warm_up(struct bench *bench)
{
	double unused[N_COLUMNS];
	pixman_region32_t damage;
	pixman_region32_init_rect(&damage, 0, 0, 64, 64);
	for (int i = 0; i < FRAMES; i++) {
		draw(bench, i, &damage, unused);
	}
	pixman_region32_fini(&damage);
}

static void make_window(struct bench *bench, uint32_t format)
{
	int32_t size = WIDTH * HEIGHT * 4;
	int fd = fd_create_memory("frames", size, true);
	bench->pixels = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct shm_pool *pool = shm_pool_create(fd, size);
	bench->window = shm_buffer_create(pool, 0, WIDTH, HEIGHT, WIDTH * 4, format);
	shm_pool_unref(pool);
}

static void measure(struct renderer *renderer, uint32_t format, bool small)
{
	static const int sizes[][2] = {{64, 64}, {256, 256}, {1024, 256}, {WIDTH, HEIGHT}};
	struct bench bench = {.renderer = renderer};
	make_window(&bench, format);
	for (int i = 0; i < N_TARGETS; i++) {
		bench.targets[i] = memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	}
	warm_up(&bench);
	size_t n = small ? 1 : sizeof(sizes) / sizeof(sizes[0]);
	for (size_t i = 0; i < n; i++) {
		run(&bench, sizes[i][0], sizes[i][1], true);
		if (!small) {
			run(&bench, sizes[i][0], sizes[i][1], false);
		}
	}
	texture_destroy(bench.texture);
	for (int i = 0; i < N_TARGETS; i++) {
		buffer_drop(bench.targets[i]);
	}
	buffer_drop(bench.window);
	munmap(bench.pixels, (size_t)WIDTH * HEIGHT * 4);
}

/* With --small: only frames of GLES with 64x64 damage at 60 Hz, to compare builds in turn. */
int main(int argc, char **argv)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	struct renderer *renderers[] = {gles_renderer_create(NULL, loop), pixman_renderer_create()};
	if (!renderers[0]) {
		fprintf(stderr, "frames: no EGL device can render\n");
		return 77;
	}
	printf("%s, %s\n", (const char *)glGetString(GL_RENDERER),
		(const char *)glGetString(GL_VERSION));
	bool small = argc > 1 && strcmp(argv[1], "--small") == 0;
	for (int blended = 0; blended < (small ? 1 : 2); blended++) {
		printf("\n%s\n%-32s %10s %10s %10s %10s %10s %10s\n",
			blended ? "blended" : "opaque", "", "upload cpu", "pass cpu", "pass wall",
			"all cpu", "done wall", "device");
		for (int i = 0; i < (small ? 1 : 2); i++) {
			measure(renderers[i], blended ? DRM_FORMAT_ARGB8888 : DRM_FORMAT_XRGB8888,
				small);
		}
	}
	renderer_destroy(renderers[0]);
	renderer_destroy(renderers[1]);
	wl_event_loop_destroy(loop);
	return 0;
}
