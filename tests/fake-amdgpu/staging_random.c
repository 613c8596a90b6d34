/* SPDX-License-Identifier: MIT */
/*
 * Random life of staging rings on emulated GPUs, with a reference of each pixel: clients draw,
 * covers move, copies are late or fail, passes and planes read, memory is refused. Windows are
 * larger than the holes that merged copies fill.
 */

#include "gpu_pair.h"
#include "harness/unit.h"
#include "staging/ring.h"
#include "util/region.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIDE 512
#define N_BUFFERS 4 /* of the client */
#define N_FENCES 6
#define N_READERS 3

#ifdef __SANITIZE_ADDRESS__
#define STEPS 150
#define LIVES 6
#else
#define STEPS 400
#define LIVES 36
#endif

struct client_image {
	struct client_buffer *buffer;
	pixman_region32_t missing; /* drawn since the buffer was attached last */
};

struct life {
	struct pair pair;
	struct staging_ring *ring;
	struct client_image images[N_BUFFERS];
	struct client_image *current; /* locked, as by the surface; until all of it is copied */
	uint32_t content[SIDE][SIDE];
	uint32_t version;
	pixman_region32_t needed;
	struct box cover;
	bool filtered, held[2];
	bool due; /* a frame */
	int fences[N_FENCES]; /* of passes; -1: none */
	struct buffer *plane; /* locked; NULL: none */
	int seed, step, n_shown;
};

static bool chance(int one_of)
{
	return random_between(1, one_of) == 1;
}

static void handle_arrived(void *data, const pixman_region32_t *region)
{
	struct life *life = data;
	life->due = true;
}

static bool never(void *data)
{
	return false;
}

/* Offsets of the pixels of all tiled buffers, whose computation is slow. */
static ptrdiff_t offsets[SIDE][SIDE];

static void find_offsets(struct dmabuf_image *image)
{
	const uint8_t *first = dmabuf_image_element(image, 0, 0);
	for (uint32_t y = 0; y < SIDE; y++) {
		for (uint32_t x = 0; x < SIDE; x++) {
			offsets[y][x] = dmabuf_image_element(image, x, y) - first;
		}
	}
}

static void create_images(struct life *life)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		life->images[i].buffer = pair_create_buffer(true, SIDE, SIDE);
		life->images[i].buffer->base.home = &life->pair.gpus[0];
		pixman_region32_init_rect(&life->images[i].missing, 0, 0, SIDE, SIDE);
	}
}

static void drop_images(struct life *life)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		buffer_drop(&life->images[i].buffer->base);
		pixman_region32_fini(&life->images[i].missing);
	}
}

static void life_init(struct life *life, int seed)
{
	struct pair *pair = &life->pair;
	memset(life, 0, sizeof(*life));
	random_seed((uint64_t)seed);
	life->seed = seed;
	/* The CPU, an integrated GPU, or a discrete one. */
	int reader = seed % N_READERS;
	pair_init(pair, chance(2), reader != 2);
	pair->sizes = true;
	pair->copier->only = "sdma";
	const struct staging_reader device = {
		.staging = pair->staging,
		.gpu = reader == 0 ? NULL : &pair->gpus[1],
		.allocator = reader == 0 ? NULL : &pair->allocator,
		.formats = &pair->formats,
	};
	const struct staging_user user = {
		.arrived = handle_arrived, .can_restore = never, .data = life};
	life->ring = staging_ring_create(&device, &user);
	create_images(life);
	if (offsets[SIDE - 1][SIDE - 1] == 0) {
		find_offsets(&life->images[0].buffer->image);
	}
	for (int i = 0; i < N_FENCES; i++) {
		life->fences[i] = -1;
	}
	pixman_region32_init_rect(&life->needed, 0, 0, SIDE, SIDE);
}

static void end_pass(struct life *life, int i)
{
	if (life->fences[i] >= 0) {
		fake_fence_signal(life->fences[i], 1);
		close(life->fences[i]);
		life->fences[i] = -1;
	}
}

static void drop_current(struct life *life)
{
	if (life->current) {
		buffer_unlock(&life->current->buffer->base);
		life->current = NULL;
	}
}

static void drop_plane(struct life *life)
{
	if (life->plane) {
		buffer_unlock(life->plane);
		life->plane = NULL;
	}
}

static void dispatch(struct life *life)
{
	for (int i = 0; i < 3; i++) {
		wl_event_loop_dispatch(life->pair.loop, 0);
	}
	while (life->pair.copier->n_opening > 0) {
		wl_event_loop_dispatch(life->pair.loop, -1);
	}
}

static void life_finish(struct life *life)
{
	for (int i = 0; i < N_FENCES; i++) {
		end_pass(life, i);
	}
	for (int i = 0; i < 2; i++) {
		fake_gpu_release(life->pair.fakes[i]);
	}
	drop_plane(life);
	drop_current(life);
	dispatch(life);
	staging_ring_destroy(life->ring);
	drop_images(life);
	pixman_region32_fini(&life->needed);
	for (int i = 0; i < 2; i++) {
		fake_gpu_fault(life->pair.fakes[i]); /* copies that were made to fail */
	}
	pair_finish(&life->pair);
}

static struct box random_box(int least, int most)
{
	return (struct box){random_between(-most / 2, SIDE - 1),
		random_between(-most / 2, SIDE - 1), random_between(least, most),
		random_between(least, most)};
}

static void init_box(pixman_region32_t *region, const struct box *box)
{
	pixman_region32_init_rect(
		region, box->x, box->y, (unsigned)box->width, (unsigned)box->height);
	pixman_region32_intersect_rect(region, region, 0, 0, SIDE, SIDE);
}

/* Completes the buffer from the content. */
static void paint(struct life *life, struct client_image *image)
{
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles(&image->missing, &n);
	uint8_t *pixels = dmabuf_image_element(&image->buffer->image, 0, 0);
	for (int i = 0; i < n; i++) {
		for (int y = boxes[i].y1; y < boxes[i].y2; y++) {
			for (int x = boxes[i].x1; x < boxes[i].x2; x++) {
				memcpy(pixels + offsets[y][x], &life->content[y][x], 4);
			}
		}
	}
	pixman_region32_clear(&image->missing);
}

/* The client draws, and attaches a buffer that was released. */
static void commit(struct life *life)
{
	struct client_image *image = NULL;
	for (int i = 0; i < N_BUFFERS && !image; i++) {
		bool released = life->images[i].buffer->base.n_locks == 0;
		image = released ? &life->images[i] : NULL;
	}
	if (!image) {
		return;
	}
	struct box all = {0, 0, SIDE, SIDE}, some = random_box(8, 120);
	pixman_region32_t damage;
	init_box(&damage, life->version == 0 || chance(3) ? &all : &some);
	life->version++;
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles(&damage, &n);
	for (int i = 0; i < n; i++) {
		for (int y = boxes[i].y1; y < boxes[i].y2; y++) {
			for (int x = boxes[i].x1; x < boxes[i].x2; x++) {
				life->content[y][x] = life->version;
			}
		}
	}
	for (int i = 0; i < N_BUFFERS; i++) {
		pixman_region32_union(&life->images[i].missing, &life->images[i].missing, &damage);
	}
	paint(life, image);
	drop_current(life);
	life->current = image;
	buffer_lock(&image->buffer->base);
	staging_damage(life->ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, &damage);
	pixman_region32_fini(&damage);
	life->due = true;
}

static void move_cover(struct life *life)
{
	struct box all = {0, 0, SIDE, SIDE};
	if (chance(5)) {
		life->cover = chance(2) ? (struct box){0} : random_box(150, 300);
	} else {
		life->cover.x += random_between(-60, 60);
		life->cover.y += random_between(-60, 60);
	}
	pixman_region32_t cover;
	init_box(&cover, &life->cover);
	region_set_box(&life->needed, &all);
	if (!chance(8)) { /* else a capture needs everything */
		pixman_region32_subtract(&life->needed, &life->needed, &cover);
	}
	pixman_region32_fini(&cover);
	life->due = true;
}

/* Fails unless the part, which is up to date, has the client's pixels. */
static void check_part(const struct life *life, const struct staging_part *part)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(part->buffer);
	size_t size = (size_t)dmabuf->stride[0] * SIDE;
	bool linear = dmabuf->modifier == DRM_FORMAT_MOD_LINEAR;
	uint8_t *map = linear ? mmap(NULL, size, PROT_READ, MAP_SHARED, dmabuf->fd[0], 0) : NULL;
	assert_ptr_not_equal(map, MAP_FAILED);
	const struct client_buffer *tiled = wl_container_of(part->buffer, tiled, base);
	const uint8_t *first = map ? map : dmabuf_image_element(&tiled->image, 0, 0);
	int n;
	const pixman_box32_t *boxes =
		pixman_region32_rectangles((pixman_region32_t *)&part->region, &n);
	for (int i = 0; i < n; i++) {
		for (int y = boxes[i].y1; y < boxes[i].y2; y++) {
			for (int x = boxes[i].x1; x < boxes[i].x2; x++) {
				uint32_t pixel;
				memcpy(&pixel,
					first + (linear ? y * (ptrdiff_t)dmabuf->stride[0] + x * 4
							: offsets[y][x]),
					4);
				if (pixel != life->content[y][x]) {
					fail_msg("seed %d, step %d: %d,%d of buffer %d is of "
						 "version "
						 "%u, not %u",
						life->seed, life->step, x, y, part->index, pixel,
						life->content[y][x]);
				}
			}
		}
	}
	if (map) {
		munmap(map, size);
	}
}

/* Shows the available pixels: by a pass that goes on, or a plane. */
static void show(struct life *life)
{
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(life->ring, &life->needed, parts);
	int i = random_between(0, N_FENCES - 1);
	drop_plane(life);
	end_pass(life, i);
	if (n == 1 && chance(3)) {
		life->plane = buffer_lock(parts[0].buffer);
	} else {
		life->fences[i] = fake_fence_create();
		for (int part = 0; part < n; part++) {
			staging_read(life->ring, parts[part].index, life->fences[i]);
		}
	}
	staging_parts_finish(parts, n);
}

/* As content_gather() and the pass after it. */
static void make_frame(struct life *life)
{
	const char *reason = NULL;
	if (!life->due || !life->current) {
		return;
	}
	life->due = false;
	bool absent = staging_status(life->ring, &life->needed) == STAGING_ABSENT;
	enum staging_status status = staging_copy(
		life->ring, &life->current->buffer->base, &life->needed, life->filtered, &reason);
	while (life->pair.copier->n_opening > 0) {
		wl_event_loop_dispatch(life->pair.loop, -1);
	}
	if (status == STAGING_REFUSED && !absent &&
		staging_status(life->ring, &life->needed) == STAGING_ABSENT) {
		fail_msg("seed %d, step %d: a refused copy hides pixels", life->seed, life->step);
	}
	if (status == STAGING_READY) {
		struct staging_part parts[STAGING_MAX];
		int n = staging_parts(life->ring, &life->needed, parts);
		for (int i = 0; i < n; i++) {
			check_part(life, &parts[i]);
		}
		staging_parts_finish(parts, n);
		life->n_shown++;
	}
}

static void disturb(struct life *life)
{
	struct fake_gpu *fake = life->pair.fakes[random_between(0, 1)];
	switch (random_between(0, 3)) {
	case 0:
		fake_gpu_fail_imports(fake, chance(2) ? ENOMEM : EINVAL, random_between(1, 3));
		break;
	case 1: fake_gpu_fail_next(fake, ENOMEM, 1); break;
	case 2:
		if (chance(8)) {
			fake_gpu_fail_jobs(fake, 1);
		}
		break;
	default: life->filtered = !life->filtered; break;
	}
}

/*
 * Returns whether the window becomes up to date: the ring notifies, and no other event asks for
 * frames.
 */
static bool catches_up(struct life *life)
{
	for (int i = 0; i < 40; i++) {
		dispatch(life);
		make_frame(life);
		if (staging_status(life->ring, &life->needed) == STAGING_READY) {
			return true;
		}
		clock_advance(life->pair.clock, INT64_C(200000000));
	}
	return false;
}

/*
 * Copies and passes end; memory is there again. Buffers that the kernel has refused for good are
 * replaced by the client.
 */
static void settle(struct life *life)
{
	for (int i = 0; i < 2; i++) {
		fake_gpu_fail_imports(life->pair.fakes[i], 0, 0);
		fake_gpu_fail_next(life->pair.fakes[i], 0, 0);
		fake_gpu_fail_jobs(life->pair.fakes[i], 0);
		fake_gpu_release(life->pair.fakes[i]);
		life->held[i] = false;
	}
	for (int i = 0; i < N_FENCES; i++) {
		end_pass(life, i);
	}
	drop_plane(life);
	if (catches_up(life) || !life->current) {
		return;
	}
	struct buffer *buffer = &life->current->buffer->base;
	if (gpu_engines_have_refused(life->ring->source, buffer, COPY_SOURCE)) {
		drop_current(life);
		dispatch(life);
		drop_images(life);
		create_images(life);
		commit(life);
	}
	if (!catches_up(life)) {
		fail_msg("seed %d, step %d: frozen", life->seed, life->step);
	}
}

static void act(struct life *life)
{
	int gpu = random_between(0, 1);
	switch (random_between(0, 11)) {
	case 0:
	case 1:
	case 2: commit(life); break;
	case 3: move_cover(life); break;
	case 4: show(life); break;
	case 5: end_pass(life, random_between(0, N_FENCES - 1)); break;
	case 6:
		life->held[gpu] = !life->held[gpu];
		(life->held[gpu] ? fake_gpu_hold : fake_gpu_release)(life->pair.fakes[gpu]);
		break;
	case 7:
		fake_gpu_release(life->pair.fakes[gpu]);
		life->held[gpu] = false;
		break;
	case 8:
		if (chance(4)) {
			disturb(life);
		} else if (chance(4)) {
			settle(life);
		}
		break;
	case 9: fake_gpu_step(life->pair.fakes[gpu], 1); break;
	default: break;
	}
	dispatch(life);
	make_frame(life);
}

static void windows_never_show_wrong_pixels_nor_freeze(void **state)
{
	static struct life life;
	int n_steps = 0, n_shown = 0;
	const char *first = getenv("CAUSEWAY_SEED");
	for (int i = 0; i < LIVES; i++) {
		life_init(&life, (first ? atoi(first) : 1) + i);
		for (life.step = 0; life.step < STEPS; life.step++) {
			act(&life);
		}
		settle(&life);
		n_steps += life.step;
		n_shown += life.n_shown;
		life_finish(&life);
	}
	print_message("%d steps, %d times up to date\n", n_steps, n_shown);
	assert_true(n_shown > n_steps / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_never_show_wrong_pixels_nor_freeze),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
