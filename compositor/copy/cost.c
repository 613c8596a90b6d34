/* SPDX-License-Identifier: MIT */
/* Cost model of copies: a line per kind of engine and direction, fitted to measured copies. */

#include "copy/cost.h"
#include "util/file.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/** Larger files are not this cache. */
#define BYTES_MAX (1024 * 1024)

/* Number of copies that make a measurement: the last ones. */
#define ENOUGH 32
/* The line is fitted again after so many further copies; a divisor of ENOUGH. */
#define REFIT 8
/* A measurement says nothing about the present after this time (ns) without copies. */
#define AGE_NS INT64_C(60000000000)
/* Copies of like sizes lower the bandwidth to this part of the default one at most. */
#define SLOWEST 8
/* Least ratio of large to small copies at which latency and bandwidth can be separated. */
#define SPREAD 16
#define HEADING "causeway copy costs 1"
#define WORD_MAX 63

/*
 * Measured on an NVIDIA H200 on PCIe 5 x16 (tests/bench/RESULTS.md), tiled to linear: 64x64 pixels,
 * 256 MiB, and 16 rectangles against one. While another process fills the graphics queue, the
 * transfer queue keeps its speed; the other two share time with that process and take 2.7 ms
 * longer. SDMA: as published for an RX 6800 XT on PCIe 3 (4 KiB at 62 MiB/s, 256 MiB at 13,429);
 * nothing else draws on that queue. CPU: 745 MiB/s of streaming reads from VRAM, 18,979 written to
 * it. Uploads and passes: tests/bench.
 */
static const struct cost_line defaults[COST_KINDS][COST_DIRECTIONS] = {
	[COST_SDMA] = {{62000, 14.08, 2000, 0}, {62000, 14.08, 2000, 0}},
	[COST_TRANSFER] = {{38000, 49, 2000, 0}, {38000, 49, 2000, 0}},
	[COST_COMPUTE] = {{39000, 49, 2000, 2700000}, {39000, 49, 2000, 2700000}},
	[COST_GRAPHICS] = {{37000, 49, 2000, 2700000}, {37000, 49, 2000, 2700000}},
	[COST_CPU] = {{0, 0.781, 0, 0}, {0, 19.9, 0, 0}},
	[COST_UPLOAD] = {{5700, 7.7, 5700, 0}, {5700, 7.7, 5700, 0}},
	[COST_DRAW] = {{0, 112, 0, 0}, {0, 112, 0, 0}},
};

/*
 * Bytes per ns of ordinary reads, as in composition: the H200's machine (system memory 16,405
 * MiB/s; VRAM 60 MiB/s), and as published for the GPU of a Ryzen 5 2500U (108 MiB/s).
 */
static const double reading[COST_MEMORIES] = {
	[COST_MEMORY_SYSTEM] = 17.2,
	[COST_MEMORY_UNCACHED] = 0.113,
	[COST_MEMORY_BUS] = 0.063,
};

static const char *const kinds[COST_KINDS] = {
	"sdma", "transfer", "compute", "graphics", "cpu", "upload", "draw"};
static const char *const directions[COST_DIRECTIONS] = {"out", "in"};

/* Of one copy; the duration excludes the cost of rectangles. */
struct sample {
	double bytes, time;
};

struct cost_pair {
	struct wl_list link; /* cost_table.pairs */
	char name[WORD_MAX + 1];
	enum cost_kind kind;
	enum cost_direction direction;
	struct cost_line line;
	bool known; /* the line was measured, now or by an earlier session */
	struct sample samples[ENOUGH];
	int n, next; /* next: the oldest of ENOUGH samples */
	int64_t last; /* ns; time of the last sample */
};

const struct cost_line *cost_default(enum cost_kind kind, enum cost_direction direction)
{
	assert(kind < COST_KINDS && direction < COST_DIRECTIONS);
	return &defaults[kind][direction];
}

int64_t cost_estimate(const struct cost_line *line, uint64_t bytes, int n_rectangles, bool busy)
{
	return line->latency + (busy ? line->busy : 0) + (n_rectangles - 1) * line->rectangle +
	       (int64_t)((double)bytes / line->bandwidth);
}

uint64_t cost_bytes(const struct cost_line *line, int64_t time)
{
	return time > line->latency ? (uint64_t)((double)(time - line->latency) * line->bandwidth)
				    : 0;
}

/* Returns the duration (ns) of reading the bytes in composition. */
static int64_t cost_read(enum cost_memory memory, uint64_t bytes)
{
	return (int64_t)((double)bytes / reading[memory]);
}

bool cost_copy_pays(const struct cost_line *copy, enum cost_memory memory, uint64_t bytes)
{
	return cost_estimate(copy, bytes, 1, false) + cost_read(COST_MEMORY_SYSTEM, bytes) <
	       cost_read(memory, bytes);
}

/* Merging */

static int64_t region_cost(
	const struct cost_line *line, const pixman_region32_t *region, unsigned bytes)
{
	uint64_t area = (uint64_t)region_area(region);
	return cost_estimate(line, area * bytes, region_join_bands(region, NULL), false);
}

static pixman_box32_t around(const pixman_box32_t *a, const pixman_box32_t *b)
{
	return (pixman_box32_t){
		.x1 = a->x1 < b->x1 ? a->x1 : b->x1,
		.y1 = a->y1 < b->y1 ? a->y1 : b->y1,
		.x2 = a->x2 > b->x2 ? a->x2 : b->x2,
		.y2 = a->y2 > b->y2 ? a->y2 : b->y2,
	};
}

/* Adds a box to the region if that is allowed and cheaper. */
static bool try(const struct cost_line *line, pixman_region32_t *region,
	const pixman_region32_t *allowed, unsigned bytes, const pixman_box32_t *box)
{
	pixman_region32_t merged, added;
	pixman_region32_init(&merged);
	pixman_region32_init(&added);
	pixman_region32_union_rect(&merged, region, box->x1, box->y1, (unsigned)(box->x2 - box->x1),
		(unsigned)(box->y2 - box->y1));
	bool better = region_cost(line, &merged, bytes) < region_cost(line, region, bytes);
	if (better && allowed) {
		pixman_region32_subtract(&added, &merged, region);
		pixman_region32_subtract(&added, &added, (pixman_region32_t *)allowed);
		better = !pixman_region32_not_empty(&added);
	}
	if (better) {
		pixman_region32_copy(region, &merged);
	}
	pixman_region32_fini(&added);
	pixman_region32_fini(&merged);
	return better;
}

void cost_merge(const struct cost_line *line, pixman_region32_t *region,
	const pixman_region32_t *allowed, unsigned bytes)
{
	pixman_box32_t *boxes = NULL;
	bool again = true;
	int n;
	/* Terminates: each success reduces the cost. */
	while (again && (n = pixman_region32_n_rects(region)) > 1) {
		boxes = xrealloc(boxes, (size_t)n, sizeof(*boxes));
		n = region_join_bands(region, boxes);
		pixman_box32_t extents = *pixman_region32_extents(region);
		again = try(line, region, allowed, bytes, &extents);
		for (int i = 0; !again && i + 1 < n; i++) {
			pixman_box32_t box = around(&boxes[i], &boxes[i + 1]);
			again = try(line, region, allowed, bytes, &box);
		}
	}
	free(boxes);
}

/* The table */

void cost_table_init(struct cost_table *table)
{
	wl_list_init(&table->pairs);
	table->changed = false;
}

void cost_table_finish(struct cost_table *table)
{
	struct cost_pair *pair, *next;
	wl_list_for_each_safe (pair, next, &table->pairs, link) {
		free(pair);
	}
	wl_list_init(&table->pairs);
}

static struct cost_pair *find(struct cost_table *table, const char *name, enum cost_kind kind,
	enum cost_direction direction)
{
	struct cost_pair *pair;
	wl_list_for_each (pair, &table->pairs, link) {
		if (pair->kind == kind && pair->direction == direction &&
			strncmp(pair->name, name, WORD_MAX) == 0) {
			return pair;
		}
	}
	return NULL;
}

static struct cost_pair *add_pair(struct cost_table *table, const char *name, enum cost_kind kind,
	enum cost_direction direction)
{
	struct cost_pair *pair = xcalloc(1, sizeof(*pair));
	snprintf(pair->name, sizeof(pair->name), "%s", name);
	pair->kind = kind;
	pair->direction = direction;
	pair->line = *cost_default(kind, direction);
	wl_list_insert(table->pairs.prev, &pair->link);
	return pair;
}

void cost_table_each(const struct cost_table *table, const char *gpu,
	void (*each)(void *data, const char *kind, const char *direction, const char *to,
		const struct cost_line *line),
	void *data)
{
	size_t length = strlen(gpu);
	const struct cost_pair *pair;
	wl_list_for_each (pair, &table->pairs, link) {
		if (pair->known && strncmp(pair->name, gpu, length) == 0 &&
			pair->name[length] == '>') {
			each(data, kinds[pair->kind], directions[pair->direction],
				pair->name + length + 1, &pair->line);
		}
	}
}

const struct cost_line *cost_table_get(struct cost_table *table, const char *name,
	enum cost_kind kind, enum cost_direction direction)
{
	const struct cost_pair *pair = find(table, name, kind, direction);
	return pair ? &pair->line : cost_default(kind, direction);
}

bool cost_table_knows(struct cost_table *table, const char *name, enum cost_kind kind,
	enum cost_direction direction)
{
	const struct cost_pair *pair = find(table, name, kind, direction);
	return pair && pair->known;
}

const struct cost_line *cost_table_recent(struct cost_table *table, const char *name,
	enum cost_kind kind, enum cost_direction direction, int64_t now)
{
	const struct cost_pair *pair = find(table, name, kind, direction);
	return pair && pair->n >= ENOUGH && now - pair->last <= AGE_NS
		       ? &pair->line
		       : cost_default(kind, direction);
}

static bool plausible(double latency, double bandwidth)
{
	return latency >= 0 && latency < 1e9 && bandwidth > 1e-3 && bandwidth < 1e4;
}

static int compare_bytes(const void *a, const void *b)
{
	const struct sample *first = a, *second = b;
	return (first->bytes > second->bytes) - (first->bytes < second->bytes);
}

static int compare_numbers(const void *a, const void *b)
{
	const double *first = a, *second = b;
	return (*first > *second) - (*first < *second);
}

/* Returns the lower one of two medians: copies are late, and never early. */
static double median(double *numbers, int n)
{
	qsort(numbers, (size_t)n, sizeof(*numbers), compare_numbers);
	return numbers[(n - 1) / 2];
}

static double median_bytes(const struct sample *samples, int n)
{
	double bytes[ENOUGH];
	for (int i = 0; i < n; i++) {
		bytes[i] = samples[i].bytes;
	}
	return median(bytes, n);
}

/* Returns the duration of an empty copy, if each byte takes `slope` ns. */
static double median_latency(const struct sample *samples, int n, double slope)
{
	double latencies[ENOUGH];
	for (int i = 0; i < n; i++) {
		latencies[i] = samples[i].time - samples[i].bytes * slope;
	}
	double latency = median(latencies, n);
	return latency > 0 ? latency : 0;
}

/* Returns the duration of a byte, if an empty copy takes `latency` ns. */
static double median_slope(const struct sample *samples, int n, double latency)
{
	double slopes[ENOUGH];
	for (int i = 0; i < n; i++) {
		slopes[i] = (samples[i].time - latency) / samples[i].bytes;
	}
	return median(slopes, n);
}

/* Returns how often slower than the line most copies were. */
static double median_slowness(const struct sample *samples, int n, const struct cost_line *line)
{
	double ratios[ENOUGH];
	for (int i = 0; i < n; i++) {
		ratios[i] = samples[i].time /
			    ((double)line->latency + samples[i].bytes / line->bandwidth);
	}
	return median(ratios, n);
}

/*
 * Medians, which late copies do not move: a duration ends when the event loop sees the fence. Small
 * copies give the latency, large ones the bandwidth. Copies of like sizes do not tell the two
 * apart: both are assumed to differ from the default by the same factor.
 */
static void fit(struct cost_pair *pair)
{
	const struct cost_line *usual = cost_default(pair->kind, pair->direction);
	const int third = ENOUGH / 3;
	struct sample samples[ENOUGH];
	memcpy(samples, pair->samples, sizeof(samples));
	qsort(samples, ENOUGH, sizeof(*samples), compare_bytes);
	const struct sample *large = samples + ENOUGH - third;
	double latency = 0, slope = 1 / usual->bandwidth;
	if (median_bytes(large, third) >= SPREAD * median_bytes(samples, third)) {
		/* Converges: each step divides the error by SPREAD. */
		for (int i = 0; i < 4; i++) {
			latency = median_latency(samples, third, slope);
			slope = median_slope(large, third, latency);
		}
	} else {
		double slowness = median_slowness(samples, ENOUGH, usual);
		slope *= slowness < SLOWEST ? slowness : SLOWEST;
		latency = median_latency(samples, ENOUGH, slope);
	}
	if (plausible(latency, 1 / slope)) {
		pair->line.latency = (int64_t)latency;
		pair->line.bandwidth = 1 / slope;
	}
	pair->known = true;
}

void cost_table_add(struct cost_table *table, const char *name, enum cost_kind kind,
	enum cost_direction direction, uint64_t bytes, int n_rectangles, int64_t duration,
	int64_t now)
{
	struct cost_pair *pair = find(table, name, kind, direction);
	if (!pair) {
		pair = add_pair(table, name, kind, direction);
	}
	if (bytes == 0) {
		return;
	}
	if (now - pair->last > AGE_NS) {
		pair->n = pair->next = 0;
	}
	double time = (double)(duration - (n_rectangles - 1) * pair->line.rectangle);
	pair->samples[pair->next] = (struct sample){(double)bytes, time > 1 ? time : 1};
	pair->next = (pair->next + 1) % ENOUGH;
	pair->n += pair->n < ENOUGH;
	pair->last = now;
	if (pair->n == ENOUGH && pair->next % REFIT == 0) {
		fit(pair);
		table->changed = true;
	}
}

/* The file */

static int index_of(const char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0) {
			return i;
		}
	}
	return -1;
}

static void read_line(struct cost_table *table, const char *text)
{
	char name[WORD_MAX + 1], kind_name[16], direction_name[16];
	double latency, bandwidth;
	if (sscanf(text, "%63s %15s %15s %lf %lf", name, kind_name, direction_name, &latency,
		    &bandwidth) != 5) {
		return;
	}
	int kind = index_of(kinds, COST_KINDS, kind_name);
	int direction = index_of(directions, COST_DIRECTIONS, direction_name);
	if (kind < 0 || direction < 0 || !plausible(latency, bandwidth) ||
		find(table, name, (enum cost_kind)kind, (enum cost_direction)direction)) {
		return;
	}
	struct cost_pair *pair =
		add_pair(table, name, (enum cost_kind)kind, (enum cost_direction)direction);
	pair->line.latency = (int64_t)latency;
	pair->line.bandwidth = bandwidth;
	pair->known = true;
}

void cost_table_read(struct cost_table *table, FILE *file)
{
	char line[256];
	if (fgets(line, sizeof(line), file) && strncmp(line, HEADING, strlen(HEADING)) == 0) {
		while (fgets(line, sizeof(line), file)) {
			read_line(table, line);
		}
	}
}

bool cost_table_load(struct cost_table *table, const char *path)
{
	FILE *file = file_open_regular(path, BYTES_MAX);
	if (!file) {
		return false;
	}
	cost_table_read(table, file);
	fclose(file);
	return true;
}

static void write_lines(FILE *file, const void *data)
{
	const struct cost_table *table = data;
	const struct cost_pair *pair;
	fprintf(file, "%s\n", HEADING);
	wl_list_for_each (pair, &table->pairs, link) {
		if (pair->known) {
			fprintf(file, "%s %s %s %lld %.6f\n", pair->name, kinds[pair->kind],
				directions[pair->direction], (long long)pair->line.latency,
				pair->line.bandwidth);
		}
	}
}

int cost_table_save(struct cost_table *table, const char *path)
{
	int error = file_replace(path, write_lines, table);
	table->changed &= error < 0;
	return error;
}
