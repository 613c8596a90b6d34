/* SPDX-License-Identifier: MIT */
/*
 * Copies from one GPU to another: tiled on B, linear in system memory that both import, tiled on A.
 * In several bands, the crossings overlap; the CPU waits between the halves, so no GPU waits for a
 * fence of the other.
 */

#include "bench.h"
#include <string.h>
#include <sys/mman.h>

#define MIB 1048576.0
#define SAMPLES 40
#define BANDS_MAX 12 /* below the limit of copies in flight */
#define WAIT_NS 20000000000

/* One GPU's half of the copy. */
struct end {
	struct target_gpu gpu;
	struct vulkan_plane image;
	struct target_linear linear;
};

struct pair {
	struct end b, a; /* from b to a */
	uint8_t *pages;
	size_t size;
	uint32_t width, height;
};

static bool open_end(struct end *end, const struct bench *bench, unsigned index)
{
	struct vulkan_options options = bench->options;

	if (!bench->one_gpu) {
		options.index += index;
	}
	options.queue = VULKAN_QUEUE_ANY;
	return target_gpu_init(&end->gpu, &options) == 0;
}

static void init_end(struct end *end, struct pair *pair)
{
	if (target_image_init(&end->image, &end->gpu, VK_FORMAT_B8G8R8A8_UNORM, 4, pair->width,
		    pair->height) < 0 ||
		target_host_init(&end->linear, &end->gpu, pair->pages, pair->size, 4, pair->width,
			pair->height) < 0) {
		target_fail("cannot share memory between the GPUs");
	}
}

static void finish_end(struct end *end)
{
	target_image_finish(&end->image, &end->gpu);
	target_linear_finish(&end->linear, &end->gpu);
}

static void init_pair(struct pair *pair, uint32_t width, uint32_t height)
{
	const size_t unit = (size_t)2 << 20;

	pair->width = width;
	pair->height = height;
	pair->size = ((size_t)width * height * 4 + unit - 1) / unit * unit;
	pair->pages = mmap(NULL, pair->size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (pair->pages == MAP_FAILED) {
		target_fail("no memory");
	}
	init_end(&pair->b, pair);
	init_end(&pair->a, pair);
}

static void finish_pair(struct pair *pair)
{
	finish_end(&pair->b);
	finish_end(&pair->a);
	munmap(pair->pages, pair->size);
}

static struct vulkan_job *start(struct end *end, bool out, const pixman_box32_t *box)
{
	struct vulkan_copy copy = {
		.source = out ? &end->image : &end->linear.surface,
		.destination = out ? &end->linear.surface : &end->image,
		.boxes = box,
		.n_boxes = 1,
	};
	struct vulkan_job *job;

	if (vulkan_copy_check(&end->gpu.device, &copy) < 0 ||
		vulkan_queue_copy(&end->gpu.queue, &copy, 1, -1, &job) < 0) {
		target_fail("cannot submit a copy between the GPUs");
	}
	return job;
}

static void wait_for(struct end *end, const struct vulkan_job *job)
{
	if (vulkan_job_wait(&end->gpu.device, job, WAIT_NS) < 0) {
		target_fail("a copy between the GPUs did not complete");
	}
}

/* Duration of the complete copy in us. */
static double cross(struct pair *pair, int bands)
{
	struct vulkan_job *jobs[BANDS_MAX], *last = NULL;
	pixman_box32_t boxes[BANDS_MAX];
	int32_t height = (int32_t)pair->height;
	int64_t begin = target_now();

	for (int i = 0; i < bands; i++) {
		boxes[i] = (pixman_box32_t){
			0, height * i / bands, (int32_t)pair->width, height * (i + 1) / bands};
		jobs[i] = start(&pair->b, true, &boxes[i]);
	}
	for (int i = 0; i < bands; i++) {
		wait_for(&pair->b, jobs[i]);
		last = start(&pair->a, false, &boxes[i]);
	}
	wait_for(&pair->a, last);
	return (double)(target_now() - begin) / 1e3;
}

static void measure(struct pair *pair, int bands, double *best, double *median)
{
	double bests[BENCH_ROUNDS], medians[BENCH_ROUNDS], us[SAMPLES];

	for (int round = 0; round < BENCH_ROUNDS; round++) {
		for (int i = 0; i < SAMPLES; i++) {
			us[i] = cross(pair, bands);
		}
		medians[round] = table_median(us, SAMPLES);
		bests[round] = us[0]; /* sorted */
	}
	*best = table_median(bests, BENCH_ROUNDS);
	*median = table_median(medians, BENCH_ROUNDS);
}

/* Compares A's image with B's. */
static void verify(struct pair *pair, int bands)
{
	pixman_box32_t all = {0, 0, (int32_t)pair->width, (int32_t)pair->height};
	size_t size = (size_t)pair->width * pair->height * 4;
	struct target_linear before, after;

	if (target_linear_init(&before, &pair->b.gpu, TARGET_CACHED, 4, pair->width, pair->height) <
			0 ||
		target_linear_init(
			&after, &pair->a.gpu, TARGET_CACHED, 4, pair->width, pair->height) < 0) {
		target_fail("no memory");
	}
	target_scramble(before.map, size, (uint64_t)bands);
	memset(pair->pages, 0, pair->size);
	memset(after.map, 0, size);
	target_copy(&pair->b.gpu, &before.surface, &pair->b.image, &all, 1);
	cross(pair, bands);
	target_copy(&pair->a.gpu, &pair->a.image, &after.surface, &all, 1);
	if (memcmp(before.map, after.map, size) != 0) {
		target_fail("the copy in %d bands is wrong", bands);
	}
	target_linear_finish(&before, &pair->b.gpu);
	target_linear_finish(&after, &pair->a.gpu);
}

#define N_BANDS 5

static void tell(struct table *table, const struct pair *pair, const char *what, double *values)
{
	double least = values[0];
	char name[48];

	for (int i = 1; i < N_BANDS; i++) {
		least = values[i] < least ? values[i] : least;
	}
	values[N_BANDS] = (double)pair->width * pair->height * 4 / MIB / (least * 1e-6);
	snprintf(name, sizeof(name), "%ux%u, %s", pair->width, pair->height, what);
	table_row(table, name, values);
}

static void run_row(struct table *table, struct pair *pair, uint32_t width, uint32_t height)
{
	static const int bands[N_BANDS] = {1, 2, 4, 8, 12};
	double best[N_BANDS + 1], median[N_BANDS + 1];

	init_pair(pair, width, height);
	for (int i = 0; i < N_BANDS; i++) {
		verify(pair, bands[i]);
		measure(pair, bands[i], &best[i], &median[i]);
	}
	tell(table, pair, "best", best);
	tell(table, pair, "p50", median);
	finish_pair(pair);
}

void bench_pair(struct bench *bench)
{
	static const char *const names[] = {
		"size", "1 band us", "2 bands", "4 bands", "8 bands", "12 bands", "MiB/s", NULL};
	static const struct {
		uint32_t width, height;
	} sizes[] = {{64, 64}, {512, 512}, {1920, 1080}, {3840, 2160}};
	struct table table;
	struct pair pair = {0};

	if (!open_end(&pair.b, bench, 1)) {
		printf("\nThe pair table needs a second GPU.\n");
		return;
	}
	if (!open_end(&pair.a, bench, 0)) {
		target_fail("lost the first GPU");
	}
	if (!pair.a.gpu.device.has.host_memory || !pair.b.gpu.device.has.host_memory) {
		printf("\nThe GPUs cannot share memory.\n");
	} else {
		table_begin(&table, bench->json, "pair",
			"Tiled on one GPU to tiled on another, through memory that both import, "
			"exact",
			names);
		for (size_t i = 0; i < (bench->quick ? 2u : sizeof(sizes) / sizeof(sizes[0]));
			i++) {
			run_row(&table, &pair, sizes[i].width, sizes[i].height);
		}
		table_end(&table);
	}
	target_gpu_finish(&pair.a.gpu);
	target_gpu_finish(&pair.b.gpu);
}
