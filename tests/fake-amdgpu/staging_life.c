/* SPDX-License-Identifier: MIT */
/* Window on emulated GPUs whose buffers a staging ring copies: its client, outputs and passes. */

#include "staging_life.h"
#include "harness/unit.h"
#include "staging/ring.h"
#include "util/region.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool chance(int one_of)
{
	return random_between(1, one_of) == 1;
}

void life_fail(const struct life *life, const char *why)
{
	fail_msg("seed %d, step %d, reader %d: %s", life->seed, life->step, life->reader, why);
}

/* Offsets of the pixels of all tiled buffers, whose computation is slow: one block has them. */
static ptrdiff_t offsets[SIDE][SIDE];

void life_find_offsets(void)
{
	struct client_buffer *tiled = pair_create_buffer(true, SIDE, SIDE);
	const uint8_t *first = dmabuf_image_element(&tiled->image, 0, 0);
	for (uint32_t y = 0; y < SIDE; y++) {
		for (uint32_t x = 0; x < SIDE; x++) {
			offsets[y][x] = dmabuf_image_element(&tiled->image, x, y) - first;
		}
	}
	buffer_drop(&tiled->base);
	fake_reset_all();
}

static struct memory map_memory(struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	struct memory memory = {.size = (size_t)dmabuf->stride[0] * (size_t)dmabuf->height};
	if (dmabuf->modifier == DRM_FORMAT_MOD_LINEAR) {
		memory.stride = (ptrdiff_t)dmabuf->stride[0];
	} else {
		const struct client_buffer *tiled = wl_container_of(buffer, tiled, base);
		memory.size = tiled->image.size;
	}
	memory.map = mmap(NULL, memory.size, PROT_READ, MAP_SHARED, dmabuf->fd[0], 0);
	assert_ptr_not_equal(memory.map, MAP_FAILED);
	return memory;
}

static uint32_t read_pixel(const struct memory *memory, int x, int y)
{
	uint32_t pixel;
	memcpy(&pixel, memory->map + (memory->stride ? y * memory->stride + x * 4 : offsets[y][x]),
		4);
	return pixel;
}

/* Calls `each` for every row of the region. */
static void each_row(void *data, const pixman_region32_t *region,
	void (*each)(void *data, int x1, int x2, int y))
{
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	for (int i = 0; i < n; i++) {
		for (int y = boxes[i].y1; y < boxes[i].y2; y++) {
			each(data, boxes[i].x1, boxes[i].x2, y);
		}
	}
}

/* The client */

struct box life_all(const struct life *life)
{
	return (struct box){0, 0, life->width, life->height};
}

void life_create_images(struct life *life)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		struct client_buffer *buffer = pair_create_formatted_buffer(
			!life->linear, life->width, life->height, life->format);
		buffer->base.home = &life->pair.gpus[0];
		life->images[i].buffer = buffer;
		pixman_region32_init_rect(&life->images[i].missing, 0, 0, (unsigned)life->width,
			(unsigned)life->height);
	}
}

void life_drop_current(struct life *life)
{
	if (life->current) {
		buffer_unlock(&life->current->buffer->base);
		life->current = NULL;
	}
}

void life_drop_images(struct life *life)
{
	life_drop_current(life);
	for (int i = 0; i < N_BUFFERS; i++) {
		buffer_drop(&life->images[i].buffer->base);
		pixman_region32_fini(&life->images[i].missing);
	}
}

struct paint {
	struct life *life;
	const struct dmabuf_image *image;
};

static void paint_row(void *data, int x1, int x2, int y)
{
	const struct paint *paint = data;
	const uint32_t *row = paint->life->content[y];
	const struct dmabuf_image *image = paint->image;
	if (image->dmabuf.modifier == DRM_FORMAT_MOD_LINEAR) {
		memcpy(image->map + (size_t)y * image->dmabuf.stride[0] + (size_t)x1 * 4, row + x1,
			(size_t)(x2 - x1) * 4);
		return;
	}
	for (int x = x1; x < x2; x++) {
		memcpy(image->map + offsets[y][x], &row[x], 4);
	}
}

static void mark_row(void *data, int x1, int x2, int y)
{
	struct life *life = data;
	for (int x = x1; x < x2; x++) {
		life->content[y][x] = life->version;
	}
}

struct box life_random_box(int least, int most)
{
	return (struct box){random_between(-most / 2, SIDE - 1),
		random_between(-most / 2, SIDE - 1), random_between(least, most),
		random_between(least, most)};
}

static void init_box(const struct life *life, pixman_region32_t *region, const struct box *box)
{
	pixman_region32_init_rect(
		region, box->x, box->y, (unsigned)box->width, (unsigned)box->height);
	pixman_region32_intersect_rect(
		region, region, 0, 0, (unsigned)life->width, (unsigned)life->height);
}

void life_request_frames(struct life *life)
{
	for (int i = 0; i < CAPTURE; i++) {
		life->views[i].due = true;
	}
}

/* The client draws, and attaches a buffer that was released. */
void life_commit(struct life *life, bool whole)
{
	struct client_image *image = NULL;
	for (int i = 0; i < N_BUFFERS && !image; i++) {
		bool released = life->images[i].buffer->base.n_locks == 0;
		image = released ? &life->images[i] : NULL;
	}
	if (!image) {
		return;
	}
	struct box all = life_all(life), some = life_random_box(1, 16);
	pixman_region32_t damage;
	init_box(life, &damage, whole || chance(3) ? &all : &some);
	life->version++;
	each_row(life, &damage, mark_row);
	for (int i = 0; i < N_BUFFERS; i++) {
		pixman_region32_union(&life->images[i].missing, &life->images[i].missing, &damage);
	}
	struct paint paint = {life, &image->buffer->image};
	each_row(&paint, &image->missing, paint_row);
	pixman_region32_clear(&image->missing);
	life_drop_current(life);
	life->current = image;
	buffer_lock(&image->buffer->base);
	staging_damage(life->ring, life->width, life->height, life->format, &damage);
	pixman_region32_fini(&damage);
	life_request_frames(life);
}

void life_need(struct life *life, struct view *view)
{
	struct box all = life_all(life);
	pixman_region32_t cover;
	init_box(life, &cover, &view->cover);
	region_set_box(&view->needed, &all);
	pixman_region32_subtract(&view->needed, &view->needed, &cover);
	pixman_region32_fini(&cover);
	view->due = true;
}

static void choose_size(struct life *life)
{
	life->width = random_between(SIDE_LEAST, SIDE);
	life->height = random_between(SIDE_LEAST, SIDE);
}

/* The next buffers differ in size, format or layout. */
void life_remake(struct life *life)
{
	static const uint32_t formats[] = {
		DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_ABGR8888};
	life_drop_images(life);
	switch (random_between(0, 2)) {
	case 0: choose_size(life); break;
	case 1: life->format = formats[random_between(0, 2)]; break;
	default: life->linear = !life->linear; break;
	}
	life_create_images(life);
	memset(life->shown, 0, sizeof(life->shown));
	for (int i = 0; i < CAPTURE; i++) {
		life_need(life, &life->views[i]);
	}
	pixman_region32_clear(&life->views[CAPTURE].needed); /* it ends */
	life_commit(life, true);
}

/* The ring */

/* Lowers the cost of a rectangle, and undoes measurements by the clock, which stands still. */
void life_set_costs(struct life *life)
{
	static const char *const ends[] = {"cpu", "integrated", "discrete", "own"};
	char text[1024];
	int n = snprintf(text, sizeof(text), "causeway copy costs 1\n");
	for (int i = 0; i < 4; i++) {
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			"0000:0000>%s sdma out 62000 0.22\n0000:0000>%s sdma in 62000 0.22\n",
			ends[i], ends[i]);
	}
	struct cost_table *costs = &life->pair.copier->costs;
	FILE *file = fmemopen(text, (size_t)n, "r");
	assert_non_null(file);
	cost_table_finish(costs);
	cost_table_init(costs);
	cost_table_read(costs, file);
	fclose(file);
}

static void handle_arrived(void *data, const pixman_region32_t *region)
{
	struct life *life = data;
	life_request_frames(life);
	life->views[CAPTURE].due |= pixman_region32_not_empty(&life->views[CAPTURE].needed);
}

static bool can_restore(void *data)
{
	const struct life *life = data;
	return life->current;
}

static void discard(void *data);

static bool takes(void *data, const struct dmabuf *dmabuf)
{
	const struct life *life = data;
	return life->pair.stride == 0 || dmabuf->stride[0] % life->pair.stride == 0;
}

static void make_ring(struct life *life)
{
	struct pair *pair = &life->pair;
	const struct staging_reader reader = {
		.staging = pair->staging,
		.gpu = life->reader == 0 ? NULL : &pair->gpus[1],
		.allocator = life->reader == 0 ? NULL : &pair->allocator,
		.formats = &pair->formats,
		.takes = takes,
		.data = life,
	};
	const struct staging_user user = {.arrived = handle_arrived,
		.can_restore = can_restore,
		.discard = discard,
		.data = life};
	life->ring = staging_ring_create(&reader, &user);
}

/* Nothing was shown for seconds. */
static void discard(void *data)
{
	struct life *life = data;
	life->n_discarded++;
	staging_ring_destroy(life->ring);
	make_ring(life);
	staging_set_seen(life->ring, !life->hidden);
	staging_damage(life->ring, life->width, life->height, life->format, NULL);
}

void life_init(struct life *life, int seed)
{
	struct pair *pair = &life->pair;
	memset(life, 0, sizeof(*life));
	random_seed((uint64_t)seed);
	life->seed = seed;
	/* The CPU, an integrated GPU, or a discrete one. */
	life->reader = seed % N_READERS;
	pair_init(pair, chance(2), life->reader != 2);
	pair->sizes = true;
	pair->stride = chance(3) ? 256 : 0;
	pair->copier->only = "sdma";
	format_set_add(&pair->formats, DRM_FORMAT_ARGB8888, PAIR_MODIFIER);
	format_set_add(&pair->formats, DRM_FORMAT_ABGR8888, PAIR_MODIFIER);
	format_set_add(&pair->formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	life_set_costs(life);
	for (int i = 0; i < N_VIEWS; i++) {
		pixman_region32_init(&life->views[i].needed);
	}
	life->plane.fence = -1;
	make_ring(life);
	choose_size(life);
	life->format = DRM_FORMAT_XRGB8888;
	life_create_images(life);
	for (int i = 0; i < CAPTURE; i++) {
		life_need(life, &life->views[i]);
	}
	life_commit(life, true);
}

/* Passes and planes */

struct scan {
	struct life *life;
	const struct memory *memory;
	struct reading *reading; /* NULL: none */
	bool ready;
};

static void fail_pixel(const struct life *life, int x, int y, uint32_t pixel, const char *why)
{
	fail_msg("seed %d, step %d, reader %d: %d,%d is %u, the newest %u, before %u: %s",
		life->seed, life->step, life->reader, x, y, pixel, life->content[y][x],
		life->shown[y][x], why);
}

static void show_row(void *data, int x1, int x2, int y)
{
	struct scan *scan = data;
	struct life *life = scan->life;
	for (int x = x1; x < x2; x++) {
		uint32_t pixel = read_pixel(scan->memory, x, y);
		if (scan->ready && pixel != life->content[y][x]) {
			fail_pixel(life, x, y, pixel, "not the newest");
		}
		if (pixel < life->shown[y][x] || pixel > life->content[y][x]) {
			fail_pixel(life, x, y, pixel, "older than before");
		}
		life->shown[y][x] = pixel;
		if (scan->reading) {
			scan->reading->pixels[y][x] = pixel;
		}
	}
}

static void check_row(void *data, int x1, int x2, int y)
{
	struct scan *scan = data;
	for (int x = x1; x < x2; x++) {
		uint32_t pixel = read_pixel(scan->memory, x, y);
		if (pixel != scan->reading->pixels[y][x]) {
			fail_pixel(scan->life, x, y, pixel, "written while it was read");
		}
	}
}

static void end_pass(struct life *life, struct pass *pass)
{
	for (int i = 0; i < pass->n_readings; i++) {
		struct reading *reading = &pass->readings[i];
		struct scan scan = {life, &reading->memory, reading, false};
		each_row(&scan, &reading->region, check_row);
		munmap(reading->memory.map, reading->memory.size);
		pixman_region32_fini(&reading->region);
	}
	pass->n_readings = 0;
	if (pass->fence >= 0) {
		fake_fence_signal(pass->fence, 1);
		close(pass->fence);
		pass->fence = -1;
	}
	if (pass->plane) {
		buffer_unlock(pass->plane);
		pass->plane = NULL;
	}
}

void life_end_oldest_pass(struct life *life)
{
	if (life->n_passes > 0) {
		end_pass(life, &life->passes[life->oldest]);
		life->oldest = (life->oldest + 1) % PASSES_MAX;
		life->n_passes--;
	}
}

void life_end_passes(struct life *life)
{
	while (life->n_passes > 0) {
		life_end_oldest_pass(life);
	}
	end_pass(life, &life->plane);
}

/* Checks the available pixels, which the pass reads (NULL: none). */
void life_show(struct life *life, const struct view *view, struct pass *pass)
{
	struct staging_part parts[STAGING_MAX];
	pixman_region32_t left;
	bool ready = staging_status(life->ring, &view->needed) == STAGING_READY;
	int n = staging_parts(life->ring, &view->needed, parts);
	pixman_region32_init(&left);
	pixman_region32_copy(&left, (pixman_region32_t *)&view->needed);
	for (int i = 0; i < n; i++) {
		struct memory memory = map_memory(parts[i].buffer);
		struct scan scan = {life, &memory, pass ? &pass->readings[i] : NULL, ready};
		each_row(&scan, &parts[i].region, show_row);
		pixman_region32_subtract(&left, &left, &parts[i].region);
		if (!pass) {
			munmap(memory.map, memory.size);
			continue;
		}
		pass->readings[i].memory = memory;
		pixman_region32_init(&pass->readings[i].region);
		pixman_region32_copy(&pass->readings[i].region, &parts[i].region);
		pass->n_readings = i + 1;
		if (!pass->plane) {
			staging_read(life->ring, parts[i].index, pass->fence);
		}
	}
	if (ready && pixman_region32_not_empty(&left)) {
		life_fail(life, "pixels are missing");
	}
	pixman_region32_fini(&left);
	staging_parts_finish(parts, n);
}

/* Starts a pass, or puts a complete buffer on a plane. */
void life_read(struct life *life)
{
	const struct view *view = &life->views[random_between(0, CAPTURE - 1)];
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(life->ring, &view->needed, parts);
	struct buffer *plane = n == 1 && chance(3) ? parts[0].buffer : NULL;
	end_pass(life, &life->plane);
	staging_parts_finish(parts, n);
	if (plane) {
		life->plane.plane = buffer_lock(plane);
		life_show(life, view, &life->plane);
		return;
	}
	if (life->n_passes == PASSES_MAX) {
		life_end_oldest_pass(life);
	}
	struct pass *pass = &life->passes[(life->oldest + life->n_passes++) % PASSES_MAX];
	pass->fence = fake_fence_create();
	life_show(life, view, pass);
}
