/* Tests of staging rings between two emulated GPUs: integrated and discrete ones, either way round. */

#include "copy/staging.h"
#include "copy/memory.h"
#include "gpu/gpu.h"
#include "picture.h"
#include "unit.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MODIFIER UINT64_C(0x0200000020801b03) /* navi21's own */
#define COMPRESSED UINT64_C(0x0200000020802b03)
#define SIDE 256

/* Buffers that are pictures of the emulated amdgpu's. */
struct made {
	struct buffer base;
	struct picture picture;
};

static void destroy_made(struct buffer *buffer)
{
	struct made *made = wl_container_of(buffer, made, base);

	buffer_finish(buffer);
	picture_finish(&made->picture);
	free(made);
}

static const struct dmabuf *describe(struct buffer *buffer)
{
	struct made *made = wl_container_of(buffer, made, base);

	return &made->picture.dmabuf;
}

static const struct buffer_impl made_impl = {.destroy = destroy_made, .dmabuf = describe};

static struct made *make_wide(bool tiled, int width)
{
	struct made *made = calloc(1, sizeof(*made));

	if (tiled) {
		picture_init_tiled(&made->picture, DRM_FORMAT_XRGB8888, SIDE, SIDE, MODIFIER, 0);
	} else {
		picture_init_linear(&made->picture, DRM_FORMAT_XRGB8888, width, SIDE, 0, 0);
	}
	buffer_init(&made->base, &made_impl, width, SIDE, DRM_FORMAT_XRGB8888);
	return made;
}

static struct made *make(bool tiled)
{
	return make_wide(tiled, SIDE);
}

static struct buffer *create_buffer(struct allocator *allocator, int32_t width, int32_t height,
	const struct format_modifiers *format)
{
	bool tiled = format->modifiers[0] != DRM_FORMAT_MOD_LINEAR;

	assert_true(width == SIDE || (!tiled && width > SIDE));
	assert_int_equal(height, SIDE);
	return &make_wide(tiled, width)->base;
}

static void destroy_allocator(struct allocator *allocator)
{
}

static const struct allocator_impl allocator_impl = {create_buffer, destroy_allocator};

struct world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct copier *copier;
	struct fake_gpu *fakes[2];
	struct gpu gpus[2]; /* of the client, of the reader */
	struct allocator allocator;
	struct format_set formats;
	struct staging_ring *ring;
	struct made *source;
	struct buffer *from; /* what is copied, if not that */
	pixman_region32_t all;
	int n_arrived;
	uint32_t stride; /* that the reader wants to have multiples of; 0: any */
};

static void handle_arrived(void *data, const pixman_region32_t *region)
{
	struct world *world = data;

	world->n_arrived++;
}

static bool can_restore(void *data)
{
	return false;
}

static bool takes(void *data, const struct dmabuf *dmabuf)
{
	const struct world *world = data;

	return world->stride == 0 || dmabuf->stride[0] % world->stride == 0;
}

static void init_gpu(
	struct world *world, int i, const char *path, const char *chip, bool integrated)
{
	world->fakes[i] = fake_gpu_create(fake_chip_find(chip));
	fake_gpu_set_path(world->fakes[i], path);
	world->gpus[i] = (struct gpu){
		.render_path = (char *)path, /* nobody frees it */
		.bus_id = (char *)path,
		.driver = (char *)path,
		.integrated = integrated,
		.fd = -1,
	};
	wl_signal_init(&world->gpus[i].events.gone);
}

/* Without a reader's GPU the CPU reads. */
static void create_ring(struct world *world, struct gpu *reader_gpu)
{
	struct staging_reader reader = {
		.copier = world->copier,
		.gpu = reader_gpu,
		.allocator = reader_gpu ? &world->allocator : NULL,
		.formats = &world->formats,
		.takes = takes,
		.data = world,
	};
	struct staging_user user = {
		.arrived = handle_arrived, .can_restore = can_restore, .data = world};

	world->ring = staging_ring_create(&reader, &user);
	staging_damage(world->ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, NULL);
}

static void setup_chip(
	struct world *world, const char *chip, bool source_integrated, bool reader_integrated)
{
	memset(world, 0, sizeof(*world));
	world->loop = wl_event_loop_create();
	world->clock = clock_create_test(1000000000);
	world->copier = copier_create(world->loop, world->clock, NULL);
	init_gpu(world, 0, "/emulated/renderD128", chip, source_integrated);
	init_gpu(world, 1, "/emulated/renderD129", "navi21", reader_integrated);
	world->allocator.impl = &allocator_impl;
	format_set_add(&world->formats, DRM_FORMAT_XRGB8888, MODIFIER);
	create_ring(world, &world->gpus[1]);
	world->source = make(true);
	world->source->base.home = &world->gpus[0];
	pixman_region32_init_rect(&world->all, 0, 0, SIDE, SIDE);
}

static void setup(struct world *world, bool source_integrated, bool reader_integrated)
{
	setup_chip(world, "navi21", source_integrated, reader_integrated);
}

static void teardown(struct world *world)
{
	staging_ring_destroy(world->ring);
	buffer_drop(&world->source->base);
	for (int i = 0; i < 4; i++) {
		wl_event_loop_dispatch(world->loop, 0);
	}
	copier_destroy(world->copier);
	format_set_finish(&world->formats);
	pixman_region32_fini(&world->all);
	for (int i = 0; i < 2; i++) {
		assert_null(fake_gpu_fault(world->fakes[i]));
		assert_int_equal(fake_gpu_counts(world->fakes[i]).contexts, 0);
	}
	fake_reset_all();
	clock_destroy(world->clock);
	wl_event_loop_destroy(world->loop);
}

static enum staging_status copy(struct world *world)
{
	const char *reason;
	struct buffer *from = world->from ? world->from : &world->source->base;
	uint64_t copies = staging_stats(world->ring).copies;
	enum staging_status status = staging_copy(world->ring, from, &world->all, false, &reason);

	/* Engines are opened on threads. */
	while (status != STAGING_READY && world->copier->n_opening > 0) {
		assert_true(staging_in_flight(world->ring));
		assert_int_equal(staging_stats(world->ring).copies, copies);
		while (world->copier->n_opening > 0) {
			wl_event_loop_dispatch(world->loop, -1);
		}
		/* Told to look again. */
		assert_int_equal(world->n_arrived, 1);
		world->n_arrived = 0;
		status = staging_copy(world->ring, from, &world->all, false, &reason);
	}
	/* That which only mends is not waited for. */
	while (world->copier->n_opening > 0) {
		wl_event_loop_dispatch(world->loop, -1);
	}
	return status;
}

/* The reader sees what the client drew. */
static void check(struct world *world)
{
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(world->ring, &world->all, parts);

	assert_int_equal(n, 1);
	const struct made *made = wl_container_of(parts[0].buffer, made, base);
	for (uint32_t y = 0; y < SIDE; y++) {
		for (uint32_t x = 0; x < SIDE; x++) {
			assert_memory_equal(picture_element(&world->source->picture, x, y),
				picture_element(&made->picture, x, y), 4);
		}
	}
	staging_parts_finish(parts, n);
}

static void try_pair(bool source_integrated, bool reader_integrated)
{
	struct world world;
	pixman_region32_t damage;

	setup(&world, source_integrated, reader_integrated);
	assert_int_equal(copy(&world), STAGING_READY);
	check(&world);
	assert_int_equal(staging_stats(world.ring).bytes, SIDE * SIDE * 4);
	/* What crossed is taken in by the reader's own engine, if its memory is its own. */
	assert_int_equal(staging_stats(world.ring).local, reader_integrated ? 0 : SIDE * SIDE * 4);
	assert_int_equal(fake_gpu_counts(world.fakes[1]).jobs, reader_integrated ? 0 : 1);

	/* While the copy is under way the old picture can be read, by no buffer that is written. */
	picture_scramble(&world.source->picture);
	pixman_region32_init_rect(&damage, 0, 0, SIDE, SIDE);
	staging_damage(world.ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, &damage);
	fake_gpu_hold(world.fakes[0]);
	assert_int_equal(copy(&world), STAGING_LATE);
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(world.ring, &world.all, parts);
	assert_int_equal(n, 1);
	staging_parts_finish(parts, n);
	assert_true(world.source->base.n_locks > 0);
	fake_gpu_release(world.fakes[0]);
	for (int i = 0; i < 4; i++) {
		wl_event_loop_dispatch(world.loop, 0);
	}
	assert_int_equal(world.n_arrived, 1);
	assert_int_equal(staging_status(world.ring, &world.all), STAGING_READY);
	assert_int_equal(world.source->base.n_locks, 0);
	check(&world);
	pixman_region32_fini(&damage);
	teardown(&world);
}

static void test_integrated_to_discrete(void **state)
{
	try_pair(true, false);
}

static void test_discrete_to_integrated(void **state)
{
	try_pair(false, true);
}

static void test_discrete_to_discrete(void **state)
{
	try_pair(false, false);
}

/* What shows is read by a pass until the next picture shows, of which 32x16 pixels are new. */
static void show_next(struct world *world, int i, int *fence)
{
	struct staging_part parts[STAGING_MAX];
	pixman_region32_t damage;

	assert_int_equal(staging_parts(world->ring, &world->all, parts), 1);
	staging_read(world->ring, parts[0].index, *fence);
	staging_parts_finish(parts, 1);
	pixman_region32_init_rect(&damage, 20 * i, 10 * i, 32, 16);
	for (uint32_t y = 0; y < 16; y++) {
		for (uint32_t x = 0; x < 32; x++) {
			uint8_t *pixel = picture_element(&world->source->picture,
				(uint32_t)i * 20 + x, (uint32_t)i * 10 + y);

			pixel[0] = (uint8_t)(i + 100);
			pixel[1] = (uint8_t)(x * y);
		}
	}
	staging_damage(world->ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, &damage);
	pixman_region32_fini(&damage);
	assert_int_equal(copy(world), STAGING_READY);
	check(world);
	fake_fence_signal(*fence, 1);
	close(*fence);
	*fence = fake_fence_create();
}

/* Damage crosses once, into whatever buffer; what that lacks besides it gets from another one. */
static void test_damage(void **state)
{
	struct world world;
	int fences[2] = {fake_fence_create(), fake_fence_create()};

	setup(&world, false, true);
	assert_int_equal(copy(&world), STAGING_READY);
	check(&world);
	for (int i = 0; i < 6; i++) {
		struct staging_stats before = staging_stats(world.ring);
		show_next(&world, i, &fences[i % 2]);
		struct staging_stats after = staging_stats(world.ring);
		assert_int_equal(after.bytes - before.bytes, 32 * 16 * 4);
		assert_true(after.local > before.local);
	}
	close(fences[0]);
	close(fences[1]);
	teardown(&world);
}

/* While a buffer is mended the last picture shows, and the client's buffer is waited for. */
static void test_mending(void **state)
{
	struct world world;
	struct staging_part parts[STAGING_MAX];
	pixman_region32_t damage;

	setup(&world, false, true);
	assert_int_equal(copy(&world), STAGING_READY);
	pixman_region32_init_rect(&damage, 5, 5, 20, 20);
	staging_damage(world.ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, &damage);
	fake_gpu_hold(world.fakes[1]);
	assert_int_equal(copy(&world), STAGING_LATE);
	assert_int_equal(world.source->base.n_locks, 1);
	assert_int_equal(staging_stats(world.ring).bytes, SIDE * SIDE * 4);
	assert_int_equal(staging_parts(world.ring, &world.all, parts), 1);
	staging_parts_finish(parts, 1);
	fake_gpu_release(world.fakes[1]);
	for (int i = 0; i < 4; i++) {
		wl_event_loop_dispatch(world.loop, 0);
	}
	assert_int_equal(staging_status(world.ring, &world.all), STAGING_READY);
	assert_int_equal(world.source->base.n_locks, 0);
	assert_int_equal(staging_stats(world.ring).bytes, SIDE * SIDE * 4 + 20 * 20 * 4);
	check(&world);

	/* The ring goes while it mends. */
	staging_damage(world.ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, &damage);
	fake_gpu_hold(world.fakes[1]);
	copy(&world);
	staging_ring_destroy(world.ring);
	world.ring = NULL;
	assert_int_equal(world.source->base.n_locks, 0);
	fake_gpu_release(world.fakes[1]);
	pixman_region32_fini(&damage);
	teardown(&world);
}

/* A buffer is not written while a pass reads it; with all read, the copy is skipped and not waited for. */
static void test_readers(void **state)
{
	struct world world;
	int fence = fake_fence_create();

	setup(&world, false, true);
	for (int i = 0; i < STAGING_MAX; i++) {
		assert_int_equal(copy(&world), STAGING_READY);
		staging_read(world.ring, i, fence);
		staging_damage(world.ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, NULL);
	}
	assert_int_equal(copy(&world), STAGING_LATE);
	assert_int_equal(staging_stats(world.ring).copies, STAGING_MAX);
	assert_int_equal(staging_stats(world.ring).skipped, 1);
	fake_fence_signal(fence, 1);
	assert_int_equal(copy(&world), STAGING_READY);
	close(fence);
	teardown(&world);
}

/* Damage leaves the source once; what a buffer lacks besides it has crossed already. */
static void test_discrete_damage(void **state)
{
	struct world world;
	int fences[2] = {fake_fence_create(), fake_fence_create()};

	setup(&world, true, false);
	assert_int_equal(copy(&world), STAGING_READY);
	for (int i = 0; i < 8; i++) {
		struct staging_stats before = staging_stats(world.ring);
		show_next(&world, i, &fences[i % 2]);
		assert_int_equal(staging_stats(world.ring).bytes - before.bytes, 32 * 16 * 4);
	}
	close(fences[0]);
	close(fences[1]);
	teardown(&world);
}

/* While one picture crosses the next one waits for it; one that fails crosses again, and no other. */
static void test_discrete_one_by_one(void **state)
{
	struct world world;
	pixman_region32_t damage;

	setup(&world, true, false);
	assert_int_equal(copy(&world), STAGING_READY);
	uint64_t bytes = staging_stats(world.ring).bytes;
	pixman_region32_init_rect(&damage, 5, 5, 20, 20);
	picture_scramble(&world.source->picture);
	staging_damage(world.ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, NULL);
	fake_gpu_hold(world.fakes[0]);
	assert_int_equal(copy(&world), STAGING_LATE);
	staging_damage(world.ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, &damage);
	assert_int_equal(copy(&world), STAGING_LATE);
	assert_int_equal(staging_stats(world.ring).copies, 2);
	fake_gpu_reset(world.fakes[0]);
	fake_gpu_release(world.fakes[0]);
	for (int i = 0; i < 4; i++) {
		wl_event_loop_dispatch(world.loop, 0);
	}
	world.n_arrived = 0;
	assert_int_equal(copy(&world), STAGING_READY);
	check(&world);
	assert_int_equal(staging_stats(world.ring).bytes - bytes, 2 * SIDE * SIDE * 4);
	pixman_region32_fini(&damage);
	teardown(&world);
}

/* What is in the ring's one buffer, which is linear, is what the client drew; how its rows lie. */
static uint32_t check_linear(struct world *world)
{
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(world->ring, &world->all, parts);

	assert_int_equal(n, 1);
	const struct dmabuf *dmabuf = buffer_dmabuf(parts[0].buffer);
	size_t size = (size_t)dmabuf->stride[0] * SIDE;
	const uint8_t *map = mmap(NULL, size, PROT_READ, MAP_SHARED, dmabuf->fd[0], 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(dmabuf->width, SIDE);
	for (uint32_t y = 0; y < SIDE; y++) {
		for (uint32_t x = 0; x < SIDE; x++) {
			assert_memory_equal(picture_element(&world->source->picture, x, y),
				map + dmabuf->offset[0] + (size_t)y * dmabuf->stride[0] + x * 4, 4);
		}
	}
	uint32_t stride = dmabuf->stride[0];
	munmap((void *)map, size);
	staging_parts_finish(parts, n);
	return stride;
}

static uint64_t imported(const struct world *world)
{
	return fake_gpu_counts(world->fakes[0]).imported;
}

/* Of what the CPU reads: the engine's own memory, else any, with rows as the driver takes them. */
static void test_placed(void **state)
{
	static const struct {
		unsigned refusals;
		uint32_t stride;
		uint64_t imports; /* of the client's picture, and of what is tried */
	} cases[] = {
		{FAKE_REFUSE_NONE, SIDE * 4, 2},
		{FAKE_REFUSE_FOREIGN, SIDE * 4, 2},
		{FAKE_REFUSE_ALLOCATION, SIDE * 4, 2},
		{FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_SMALL, 4096, 4},
	};
	struct world world;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup(&world, false, true);
		staging_ring_destroy(world.ring);
		create_ring(&world, NULL);
		fake_gpu_refuse(world.fakes[0], cases[i].refusals);
		assert_int_equal(copy(&world), STAGING_READY);
		assert_int_equal(check_linear(&world), cases[i].stride);
		assert_int_equal(imported(&world), cases[i].imports);
		/* Another ring tries nothing any more. */
		staging_ring_destroy(world.ring);
		world.copier->linger = 1;
		create_ring(&world, NULL);
		copy(&world);
		uint64_t before = imported(&world);
		staging_ring_destroy(world.ring);
		create_ring(&world, NULL);
		assert_int_equal(copy(&world), STAGING_READY);
		assert_int_equal(imported(&world) - before, 1);
		assert_int_equal(check_linear(&world), cases[i].stride);
		teardown(&world);
	}
}

/* Of what another GPU samples: its own memory first, with rows as it takes them. */
static void test_placed_for_reader(void **state)
{
	static const struct {
		uint32_t stride;
		unsigned refusals;
		uint32_t found;
	} cases[] = {
		{1024, FAKE_REFUSE_NONE, 1024},
		{4096, FAKE_REFUSE_NONE, 4096},
		{4096, FAKE_REFUSE_FOREIGN | FAKE_REFUSE_ALLOCATION, 4096},
	};
	struct world world;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setup(&world, false, true);
		world.stride = cases[i].stride;
		fake_gpu_refuse(world.fakes[0], cases[i].refusals);
		assert_int_equal(copy(&world), STAGING_READY);
		assert_int_equal(check_linear(&world), cases[i].found);
		teardown(&world);
	}
}

/* Nothing works: it is said, with the reason, and not tried again at each commit. */
static void test_unplaced(void **state)
{
	struct world world;
	const char *reason = NULL;

	setup(&world, false, true);
	world.copier->linger = 5000000000;
	world.stride = 3;
	assert_int_equal(copy(&world), STAGING_REFUSED);
	staging_copy(world.ring, &world.source->base, &world.all, false, &reason);
	assert_string_equal(reason, "no memory suits both its GPU and what shows it");
	uint64_t before = imported(&world);
	for (int i = 0; i < 5; i++) {
		staging_ring_destroy(world.ring);
		create_ring(&world, &world.gpus[1]);
		assert_int_equal(
			staging_copy(world.ring, &world.source->base, &world.all, false, &reason),
			STAGING_REFUSED);
	}
	assert_int_equal(imported(&world), before);
	teardown(&world);
}

/* What is only refused when it is to be written is found out by the first copy. */
static void test_refused_at_submission(void **state)
{
	struct world world;

	/* All engines that the GPU could have are asked for first. */
	setup(&world, false, true);
	world.copier->linger = 5000000000;
	world.source->picture.dmabuf.modifier = COMPRESSED;
	assert_int_equal(copy(&world), STAGING_REFUSED);
	buffer_drop(&world.source->base);
	world.source = make(true);
	world.source->base.home = &world.gpus[0];
	staging_ring_destroy(world.ring);
	create_ring(&world, NULL);
	uint64_t before = imported(&world);
	fake_gpu_fail_next(world.fakes[0], EINVAL, 1);
	assert_int_equal(copy(&world), STAGING_READY);
	check_linear(&world);
	assert_int_equal(imported(&world) - before, 3);
	assert_int_equal(staging_stats(world.ring).bytes, SIDE * SIDE * 4);
	teardown(&world);
}

/* From one session to the next. */
static void test_kept(void **state)
{
	char folder[] = "/tmp/causeway-placements-XXXXXX", path[64], kept[64];
	struct world world;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/copy-costs", folder);
	snprintf(kept, sizeof(kept), "%s/copy-placements", folder);
	for (int session = 0; session < 2; session++) {
		setup(&world, false, true);
		staging_ring_destroy(world.ring);
		copier_destroy(world.copier);
		world.copier = copier_create(world.loop, world.clock, path);
		create_ring(&world, NULL);
		fake_gpu_refuse(world.fakes[0], FAKE_REFUSE_ALLOCATION | FAKE_REFUSE_SMALL);
		assert_int_equal(copy(&world), STAGING_READY);
		assert_int_equal(check_linear(&world), 4096);
		assert_int_equal(imported(&world), session == 0 ? 4 : 2);
		teardown(&world);
		assert_int_equal(access(kept, R_OK), 0);
	}
	assert_int_equal(unlink(kept), 0);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

static void dispatch(struct world *world, int n)
{
	for (int i = 0; i < n; i++) {
		wl_event_loop_dispatch(world->loop, 0);
	}
}

/* After a reset the engine is made anew by its thread, and what was lost is copied again. */
static void test_reset(void **state)
{
	struct world world;

	setup(&world, true, false);
	assert_int_equal(copy(&world), STAGING_READY);
	for (int in_flight = 0; in_flight < 2; in_flight++) {
		uint64_t opened = fake_gpu_counts(world.fakes[0]).opened;

		picture_scramble(&world.source->picture);
		staging_damage(world.ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, NULL);
		if (in_flight) {
			fake_gpu_hold(world.fakes[0]);
			assert_int_equal(copy(&world), STAGING_LATE);
		}
		fake_gpu_reset(world.fakes[0]);
		fake_gpu_release(world.fakes[0]);
		dispatch(&world, 4);
		/* Else other engines would be tried meanwhile. */
		while (world.copier->n_opening > 0) {
			wl_event_loop_dispatch(world.loop, -1);
		}
		world.n_arrived = 0;
		assert_int_equal(copy(&world), STAGING_READY);
		check(&world);
		world.n_arrived = 0;
		assert_int_equal(fake_gpu_counts(world.fakes[0]).opened, opened + 1);
		assert_int_equal(world.copier->totals.lost, 0);
	}
	teardown(&world);
}

/* One that is reset by whatever it does is given up, and tried again later. */
static void test_reset_again_and_again(void **state)
{
	struct world world;
	int n = 0;

	setup(&world, true, false);
	assert_int_equal(copy(&world), STAGING_READY);
	while (world.copier->totals.lost == 0 && n < 20) {
		staging_damage(world.ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, NULL);
		fake_gpu_reset(world.fakes[0]);
		world.n_arrived = 0;
		copy(&world);
		world.n_arrived = 0;
		n++;
	}
	assert_int_equal(n, 4);
	uint64_t opened = fake_gpu_counts(world.fakes[0]).opened;
	staging_damage(world.ring, SIDE, SIDE, DRM_FORMAT_XRGB8888, NULL);
	assert_int_not_equal(copy(&world), STAGING_READY);
	assert_int_equal(fake_gpu_counts(world.fakes[0]).opened, opened);
	clock_advance(world.clock, INT64_C(20000000000));
	world.n_arrived = 0;
	assert_int_equal(copy(&world), STAGING_READY);
	check(&world);
	teardown(&world);
}

/* What no engine takes is refused again and again without anything being opened for it, for a while. */
static void test_refused(void **state)
{
	const int64_t linger = 5000000000;
	struct world world;
	const char *reason;

	setup(&world, false, true);
	world.copier->linger = linger;
	world.source->picture.dmabuf.modifier = COMPRESSED;
	assert_int_equal(copy(&world), STAGING_REFUSED);
	uint64_t opened = fake_gpu_counts(world.fakes[0]).opened;
	assert_true(opened > 0);
	for (int i = 0; i < 10; i++) {
		/* Another commit: a ring of its own. */
		staging_ring_destroy(world.ring);
		clock_advance(world.clock, linger / 2);
		create_ring(&world, &world.gpus[1]);
		assert_int_equal(
			staging_copy(world.ring, &world.source->base, &world.all, false, &reason),
			STAGING_REFUSED);
	}
	assert_int_equal(fake_gpu_counts(world.fakes[0]).opened, opened);

	/* Nobody comes back: it is closed, by a thread; then it is opened anew. */
	staging_ring_destroy(world.ring);
	clock_advance(world.clock, linger - 1);
	assert_false(wl_list_empty(&world.copier->devices));
	clock_advance(world.clock, 1);
	assert_true(wl_list_empty(&world.copier->devices));
	create_ring(&world, &world.gpus[1]);
	assert_int_equal(copy(&world), STAGING_REFUSED);
	assert_true(fake_gpu_counts(world.fakes[0]).opened > opened);
	teardown(&world);
}

/* Linear pixels of a GPU without a copy engine: read as they are in system memory, and copied out of VRAM. */
static void test_linear(void **state)
{
	struct world world;

	for (int discrete = 0; discrete < 2; discrete++) {
		setup_chip(&world, "ringless", !discrete, true);
		world.from = copy_memory_allocate(SIDE, SIDE, DRM_FORMAT_XRGB8888, 256);
		world.from->home = &world.gpus[0];
		staging_ring_destroy(world.ring);
		create_ring(&world, NULL);
		enum staging_status status = copy(&world);
		while (status == STAGING_ABSENT) {
			/* The CPU copies, on a thread. */
			assert_true(discrete);
			wl_event_loop_dispatch(world.loop, -1);
			status = staging_status(world.ring, &world.all);
		}
		assert_int_equal(status, discrete ? STAGING_READY : STAGING_REFUSED);
		buffer_drop(world.from);
		teardown(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integrated_to_discrete),
		cmocka_unit_test(test_discrete_to_integrated),
		cmocka_unit_test(test_discrete_to_discrete),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_mending),
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_discrete_damage),
		cmocka_unit_test(test_discrete_one_by_one),
		cmocka_unit_test(test_placed),
		cmocka_unit_test(test_placed_for_reader),
		cmocka_unit_test(test_unplaced),
		cmocka_unit_test(test_refused_at_submission),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_reset_again_and_again),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
