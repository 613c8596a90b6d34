/* SPDX-License-Identifier: MIT */
/*
 * Copies on an otherwise idle GPU: time from submission until the CPU may read the result. A round
 * is a sequence of copies; its best shows the limit of the hardware, its median (p50) the usual
 * time. The median of the rounds is printed.
 */

#include "bench.h"
#include "copy/cost.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB 1048576.0
#define SAMPLES 30
#define SAMPLES_LARGE 8
#define LARGE ((size_t)32 << 20)
#define BATCH 12 /* below the limit of copies in flight */
#define WAIT_NS 20000000000

/* Measured copy. */
struct subject {
	struct target_gpu *gpu;
	struct vulkan_copy copy;
	size_t bytes;
};

struct result {
	double us, p50; /* one at a time */
	double batched; /* per copy of twelve submitted at once */
	double cpu; /* CPU time of a submission */
};

static double cpu_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static struct vulkan_job *submit(const struct subject *subject)
{
	struct vulkan_job *job;

	if (vulkan_queue_copy(&subject->gpu->queue, &subject->copy, 1, -1, &job) < 0) {
		target_fail("cannot submit a copy");
	}
	return job;
}

static void wait_for(const struct subject *subject, const struct vulkan_job *job)
{
	if (vulkan_job_wait(&subject->gpu->device, job, WAIT_NS) < 0) {
		target_fail("a copy did not complete");
	}
}

static void measure_once(const struct subject *subject, double *us, double *cpu)
{
	int64_t start = target_now();
	double cpu_start = cpu_now();
	struct vulkan_job *job = submit(subject);

	*cpu = cpu_now() - cpu_start;
	wait_for(subject, job);
	*us = (double)(target_now() - start) / 1e3;
}

static double measure_batch(const struct subject *subject)
{
	int64_t start = target_now();
	struct vulkan_job *job = NULL;

	for (int i = 0; i < BATCH; i++) {
		job = submit(subject);
	}
	wait_for(subject, job);
	return (double)(target_now() - start) / 1e3 / BATCH;
}

static struct result measure_round(const struct subject *subject)
{
	int n = subject->bytes > LARGE ? SAMPLES_LARGE : SAMPLES;
	double us[SAMPLES], cpu[SAMPLES], batched[SAMPLES];

	for (int i = 0; i < n; i++) {
		measure_once(subject, &us[i], &cpu[i]);
	}
	for (int i = 0; i < n / 4; i++) {
		batched[i] = measure_batch(subject);
	}
	return (struct result){
		.us = table_quantile(us, (size_t)n, 0),
		.p50 = table_median(us, (size_t)n),
		.batched = table_median(batched, (size_t)(n / 4)),
		.cpu = table_median(cpu, (size_t)n),
	};
}

static struct result measure(const struct subject *subject)
{
	double us[BENCH_ROUNDS], p50[BENCH_ROUNDS], cpu[BENCH_ROUNDS], batched[BENCH_ROUNDS];

	for (int i = 0; i < BENCH_ROUNDS; i++) {
		struct result result = measure_round(subject);

		us[i] = result.us;
		p50[i] = result.p50;
		cpu[i] = result.cpu;
		batched[i] = result.batched;
	}
	return (struct result){
		.us = table_median(us, BENCH_ROUNDS),
		.p50 = table_median(p50, BENCH_ROUNDS),
		.batched = table_median(batched, BENCH_ROUNDS),
		.cpu = table_median(cpu, BENCH_ROUNDS),
	};
}

static double rate(size_t bytes, double us)
{
	return (double)bytes / MIB / (us * 1e-6);
}

static void tell(
	struct table *table, const char *name, const struct subject *out, const struct subject *in)
{
	struct result a = measure(out), b = measure(in);
	double values[] = {a.us, a.p50, rate(out->bytes, a.us), a.batched,
		rate(out->bytes, a.batched), a.cpu, b.us, b.p50, rate(in->bytes, b.us), b.batched,
		rate(in->bytes, b.batched), b.cpu};

	table_row(table, name, values);
}

static const char *const directions[] = {"size", "out us", "p50 us", "MiB/s", "batched us", "MiB/s",
	"CPU us", "in us", "p50 us", "MiB/s", "batched us", "MiB/s", "CPU us", NULL};

static struct subject subject_of(struct target_gpu *gpu, const struct vulkan_plane *from,
	const struct vulkan_plane *to, const pixman_box32_t *box)
{
	struct subject subject = {
		.gpu = gpu,
		.copy = {.source = from, .destination = to, .boxes = box, .n_boxes = 1},
		.bytes = (size_t)(box->x2 - box->x1) * (size_t)(box->y2 - box->y1) * from->bytes,
	};

	if (vulkan_copy_check(&gpu->device, &subject.copy) < 0) {
		target_fail("the copy is unsupported");
	}
	return subject;
}

static void linear_row(struct table *table, struct target_gpu *gpu, size_t size)
{
	struct target_linear vram, host;
	pixman_box32_t box = {0, 0, 1024, (int32_t)(size / 4096)};
	struct subject out, in;
	char name[32];

	if (target_linear_init(&vram, gpu, TARGET_VRAM, 4, 1024, (uint32_t)box.y2) < 0 ||
		target_linear_init(&host, gpu, TARGET_CACHED, 4, 1024, (uint32_t)box.y2) < 0) {
		target_fail("cannot allocate %zu bytes", size);
	}
	target_scramble(host.map, host.size, size);
	out = subject_of(gpu, &vram.surface, &host.surface, &box);
	in = subject_of(gpu, &host.surface, &vram.surface, &box);
	snprintf(name, sizeof(name), size < 1 << 20 ? "%zu KiB" : "%zu MiB",
		size < 1 << 20 ? size >> 10 : size >> 20);
	tell(table, name, &out, &in);
	target_linear_finish(&vram, gpu);
	target_linear_finish(&host, gpu);
}

void bench_linear(struct bench *bench)
{
	size_t last = bench->quick ? (size_t)64 << 10 : (size_t)256 << 20;

	for (int kind = 0; kind < BENCH_KINDS; kind++) {
		char name[32], title[96];
		struct table table;

		if (!bench->has[kind]) {
			continue;
		}
		snprintf(name, sizeof(name), "linear-%s",
			vulkan_queue_kind_name((enum vulkan_queue_kind)kind));
		snprintf(title, sizeof(title),
			"Linear, VRAM to cached system memory (out) and back (in), %s queue",
			vulkan_queue_kind_name((enum vulkan_queue_kind)kind));
		table_begin(&table, bench->json, name, title, directions);
		for (size_t size = 4096; size <= last; size *= 4) {
			linear_row(&table, &bench->gpus[kind], size);
		}
		table_end(&table);
	}
}

static void init_frame(struct target_gpu *gpu, struct vulkan_plane *image,
	struct target_linear *host, uint32_t width, uint32_t height)
{
	pixman_box32_t all = {0, 0, (int32_t)width, (int32_t)height};

	if (target_image_init(image, gpu, VK_FORMAT_B8G8R8A8_UNORM, 4, width, height) < 0 ||
		target_linear_init(host, gpu, TARGET_CACHED, 4, width, height) < 0) {
		target_fail("cannot allocate memory for %ux%u", width, height);
	}
	target_scramble(host->map, host->size, width);
	target_copy(gpu, &host->surface, image, &all, 1);
}

static const struct {
	uint32_t width, height;
} frames[] = {
	{64, 64}, {256, 256}, {512, 512}, {1024, 1024}, {1920, 1080}, {2560, 1440}, {3840, 2160}};

#define N_FRAMES (sizeof(frames) / sizeof(frames[0]))

void bench_tiled(struct bench *bench)
{
	for (int kind = 0; kind < BENCH_KINDS; kind++) {
		struct target_gpu *gpu = &bench->gpus[kind];
		char name[32], title[96];
		struct vulkan_plane image;
		struct target_linear host;
		struct table table;
		size_t n = bench->quick ? 2 : N_FRAMES;

		if (!bench->has[kind]) {
			continue;
		}
		snprintf(name, sizeof(name), "tiled-%s",
			vulkan_queue_kind_name((enum vulkan_queue_kind)kind));
		snprintf(title, sizeof(title),
			"Rectangles, tiled in VRAM to linear system memory (out) and back (in), %s "
			"queue",
			vulkan_queue_kind_name((enum vulkan_queue_kind)kind));
		table_begin(&table, bench->json, name, title, directions);
		init_frame(gpu, &image, &host, frames[n - 1].width, frames[n - 1].height);
		for (size_t i = 0; i < n; i++) {
			pixman_box32_t box = {
				0, 0, (int32_t)frames[i].width, (int32_t)frames[i].height};
			struct subject out = subject_of(gpu, &image, &host.surface, &box);
			struct subject in = subject_of(gpu, &host.surface, &image, &box);

			snprintf(name, sizeof(name), "%ux%u", frames[i].width, frames[i].height);
			tell(&table, name, &out, &in);
		}
		table_end(&table);
		target_image_finish(&image, gpu);
		target_linear_finish(&host, gpu);
	}
}

/* `n` rectangles in a grid that together cover `share` of the area. */
static void scatter(pixman_box32_t *boxes, int n, uint32_t width, uint32_t height, double share)
{
	int columns = 4, rows = n / columns;
	int32_t w = (int32_t)(width * sqrt(share)) / columns;
	int32_t h = (int32_t)(height * sqrt(share)) / rows;

	for (int i = 0; i < n; i++) {
		int32_t x = (int32_t)width / columns * (i % columns) + 37 + i;
		int32_t y = (int32_t)height / rows * (i / columns) + 11 + i;

		boxes[i] = (pixman_box32_t){x, y, x + w, y + h};
	}
}

/*
 * Alternates between two copies, so that drift affects both. Returns the median of the rounds'
 * ratios.
 */
static double compare(const struct subject *one, const struct subject *other, double *cpu)
{
	double ratios[BENCH_ROUNDS], cpus[BENCH_ROUNDS];

	for (int round = 0; round < BENCH_ROUNDS; round++) {
		double a[SAMPLES], b[SAMPLES], cpu_a[SAMPLES], unused;

		for (int i = 0; i < SAMPLES; i++) {
			measure_once(one, &a[i], &cpu_a[i]);
			measure_once(other, &b[i], &unused);
		}
		ratios[round] = table_quantile(a, SAMPLES, 0) / table_quantile(b, SAMPLES, 0);
		cpus[round] = table_median(cpu_a, SAMPLES);
	}
	*cpu = table_median(cpus, BENCH_ROUNDS);
	return table_median(ratios, BENCH_ROUNDS);
}

static void goals_row(struct bench *bench, struct table *table, int kind)
{
	struct target_gpu *gpu = &bench->gpus[kind];
	uint32_t width = bench->quick ? 640 : 3840, height = bench->quick ? 480 : 2160;
	uint32_t rows = bench->quick ? 256 : 8192;
	pixman_box32_t plain_box = {0, 0, 1024, (int32_t)rows};
	pixman_box32_t full_box = {0, 0, (int32_t)width, (int32_t)height};
	pixman_box32_t halves[2] = {{0, 0, (int32_t)width, (int32_t)height / 2},
		{0, (int32_t)height / 2, (int32_t)width, (int32_t)height}};
	pixman_box32_t twelve[12], sixteen[16];
	struct subject plain, full, half, few, many, one;
	struct target_linear vram, host, frame;
	struct vulkan_plane image;
	double cpu_full, cpu_half, cpu_few, cpu_many, share, values[7];

	init_frame(gpu, &image, &frame, width, height);
	if (target_linear_init(&vram, gpu, TARGET_VRAM, 4, 1024, rows) < 0 ||
		target_linear_init(&host, gpu, TARGET_CACHED, 4, 1024, rows) < 0) {
		target_fail("no memory");
	}
	plain = subject_of(gpu, &vram.surface, &host.surface, &plain_box);
	full = subject_of(gpu, &image, &frame.surface, &full_box);
	/* In two halves, so that the cached command buffer is not used. */
	half = subject_of(gpu, &image, &frame.surface, halves);
	half.copy.n_boxes = 2;
	scatter(twelve, 12, width, height, 0.1);
	few = subject_of(gpu, &image, &frame.surface, twelve);
	few.copy.n_boxes = 12;
	for (int i = 0; i < 16; i++) {
		int32_t x = (int32_t)width / 4 * (i % 4), y = (int32_t)height / 4 * (i / 4);

		sixteen[i] = (pixman_box32_t){x, y, x + 64, y + 64};
	}
	one = subject_of(gpu, &image, &frame.surface, sixteen);
	many = one;
	many.copy.n_boxes = 16;
	share = (double)full.bytes / (double)plain.bytes;
	values[0] = 100 * share / compare(&full, &plain, &cpu_full);
	values[1] = 100 * compare(&few, &full, &cpu_few);
	values[2] = compare(&many, &one, &cpu_many);
	compare(&half, &full, &cpu_half);
	values[3] = cpu_full;
	values[4] = cpu_half;
	values[5] = cpu_few;
	values[6] = cpu_many;
	table_row(table, vulkan_queue_kind_name((enum vulkan_queue_kind)kind), values);
	target_linear_finish(&vram, gpu);
	target_linear_finish(&host, gpu);
	target_linear_finish(&frame, gpu);
	target_image_finish(&image, gpu);
}

void bench_goals(struct bench *bench)
{
	static const char *const names[] = {"queue", "4K/plain %", "10%/full %", "16/1 rects",
		"CPU us full", "in halves", "CPU us 12", "CPU us 16", NULL};
	struct table table;

	table_begin(&table, bench->json, "ratios",
		"Tiled 4K frame: its rate to that of a plain 32 MiB copy, the time of a tenth of "
		"it in "
		"12 rectangles to that of all, 16 rectangles of 64x64 to one",
		names);
	for (int kind = 0; kind < BENCH_KINDS; kind++) {
		if (bench->has[kind]) {
			goals_row(bench, &table, kind);
		}
	}
	table_end(&table);
}

/* Merging of rectangles */

/* A tiled 4K frame in the GPU's memory and a linear one, both kept for all rows. */
struct merging {
	struct table table;
	struct target_gpu *gpu;
	struct vulkan_plane image;
	struct target_linear frame;
	const struct cost_line *line;
};

static double estimate(const struct merging *merging, const struct subject *subject)
{
	uint64_t bytes = 0;

	for (int i = 0; i < subject->copy.n_boxes; i++) {
		const pixman_box32_t *box = &subject->copy.boxes[i];

		bytes += (uint64_t)(box->x2 - box->x1) * (uint64_t)(box->y2 - box->y1) * 4;
	}
	return (double)cost_estimate(merging->line, bytes, subject->copy.n_boxes, false) / 1e3;
}

/* Measures the rectangles in turn with those that the cost model makes of them. */
static void merging_row(
	struct merging *merging, const char *name, const pixman_box32_t *boxes, int n)
{
	pixman_region32_t region;
	struct subject given =
		subject_of(merging->gpu, &merging->image, &merging->frame.surface, boxes);
	struct subject merged = given, extents = given;
	double cpu, us, ratio, whole;

	pixman_region32_init_rects(&region, boxes, n);
	cost_merge(merging->line, &region, NULL, 4);
	given.copy.n_boxes = n;
	pixman_box32_t *joined = xcalloc((size_t)pixman_region32_n_rects(&region), sizeof(*joined));
	int n_merged = region_join_bands(&region, joined);
	merged.copy.boxes = joined;
	merged.copy.n_boxes = n_merged;
	pixman_box32_t all = *pixman_region32_extents(&region);
	extents.copy.boxes = &all;
	ratio = compare(&merged, &given, &cpu);
	whole = compare(&extents, &given, &cpu);
	struct result result = measure(&given);
	us = result.us;
	const double values[] = {n, us, estimate(merging, &given), n_merged, us * ratio,
		estimate(merging, &merged), us * whole, estimate(merging, &extents)};
	table_row(&merging->table, name, values);
	free(joined);
	pixman_region32_fini(&region);
}

/* `columns` x `rows` rectangles of a size with a gap between them. */
static void grid_row(
	struct merging *merging, int columns, int rows, int32_t width, int32_t height, int32_t gap)
{
	pixman_box32_t boxes[64];
	char name[48];
	int n = 0;

	for (int i = 0; i < columns * rows; i++) {
		int32_t x = 37 + (width + gap) * (i % columns),
			y = 11 + (height + gap) * (i / columns);

		boxes[n++] = (pixman_box32_t){x, y, x + width, y + height};
	}
	snprintf(name, sizeof(name), "%dx%d of %dx%d, gap %d", columns, rows, width, height, gap);
	merging_row(merging, name, boxes, n);
}

static void merging_rows(struct merging *merging, uint32_t width, uint32_t height)
{
	static const int counts[] = {12, 8, 4};
	pixman_box32_t boxes[12];

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		char name[32];

		scatter(boxes, counts[i], width, height, 0.1);
		snprintf(name, sizeof(name), "a tenth in %d", counts[i]);
		merging_row(merging, name, boxes, counts[i]);
	}
	for (int32_t gap = 4; gap <= 256 && gap <= (int32_t)width / 6; gap *= 2) {
		grid_row(merging, 2, 1, 64, 64, gap);
		grid_row(merging, 4, 1, 64, 64, gap);
		grid_row(merging, 4, 4, 64, 64, gap);
	}
	for (int32_t gap = 4; gap <= 256 && width > 2048; gap *= 4) {
		grid_row(merging, 1, 2, 1024, 64, gap);
		grid_row(merging, 2, 1, 256, 256, gap);
		grid_row(merging, 1, 4, 16, 16, gap);
	}
}

void bench_merging(struct bench *bench)
{
	static const char *const names[] = {"rectangles", "given", "us", "model us", "merged", "us",
		"model us", "as one us", "model us", NULL};
	uint32_t width = bench->quick ? 640 : 3840, height = bench->quick ? 480 : 2160;
	int kind = 0;

	while (!bench->has[kind]) {
		kind++;
	}
	struct merging merging = {
		.gpu = &bench->gpus[kind],
		.line = cost_default((enum cost_kind)(COST_TRANSFER + kind), COST_OUT),
	};
	init_frame(merging.gpu, &merging.image, &merging.frame, width, height);
	table_begin(&merging.table, bench->json, "merging",
		"Rectangles as given, as the cost model merges them, and as one", names);
	merging_rows(&merging, width, height);
	table_end(&merging.table);
	target_image_finish(&merging.image, merging.gpu);
	target_linear_finish(&merging.frame, merging.gpu);
}
