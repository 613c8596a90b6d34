/* SPDX-License-Identifier: MIT */
/* Staging ring between two emulated GPUs. */

#include "gpu_pair.h"
#include "harness/descriptors.h"
#include "harness/unit.h"
#include "util/fd.h"
#include "util/task.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void destroy_client_buffer(struct buffer *buffer)
{
	struct client_buffer *container = wl_container_of(buffer, container, base);

	buffer_finish(buffer);
	dmabuf_image_finish(&container->image);
	free(container);
}

static const struct dmabuf *describe(struct buffer *buffer)
{
	struct client_buffer *container = wl_container_of(buffer, container, base);

	return &container->image.dmabuf;
}

static const struct buffer_impl client_buffer_impl = {
	.destroy = destroy_client_buffer, .dmabuf = describe};

struct client_buffer *pair_create_formatted_buffer(
	bool tiled, int width, int height, uint32_t format)
{
	struct client_buffer *container = calloc(1, sizeof(*container));

	if (tiled) {
		dmabuf_image_init_tiled(&container->image, format, width, height, PAIR_MODIFIER, 0);
	} else {
		/* As drivers align rows, for GPUs that read them. */
		uint32_t extra = pixel_format_get(format)->bytes[0] * (uint32_t)(-width & 63);
		dmabuf_image_init_linear(&container->image, format, width, height,
			width == PAIR_SIDE ? 0 : extra, 0);
	}
	buffer_init(&container->base, &client_buffer_impl, width, height, format);
	return container;
}

struct client_buffer *pair_create_buffer(bool tiled, int width, int height)
{
	return pair_create_formatted_buffer(tiled, width, height, DRM_FORMAT_XRGB8888);
}

struct client_buffer *pair_create_client_buffer(bool tiled)
{
	return pair_create_buffer(tiled, PAIR_SIDE, PAIR_SIDE);
}

static struct buffer *create_buffer(struct allocator *allocator, int32_t width, int32_t height,
	const struct format_modifiers *format)
{
	bool tiled = format->modifiers[0] != DRM_FORMAT_MOD_LINEAR;
	int room = fd_reserve();

	if (room < 0) {
		errno = -room;
		return NULL;
	}
	close(room);
	struct pair *pair = wl_container_of(allocator, pair, allocator);
	if (!pair->sizes) {
		assert_true(width == PAIR_SIDE || (!tiled && width > PAIR_SIDE));
		assert_int_equal(height, PAIR_SIDE);
	}
	pair->n_created++;
	struct client_buffer *made =
		pair_create_formatted_buffer(tiled, width, height, format->format);
	if (pair->mappable) {
		assert_int_equal(fcntl(made->image.dmabuf.fd[0], F_ADD_SEALS, F_SEAL_SHRINK), 0);
	}
	return &made->base;
}

static void destroy_allocator(struct allocator *allocator)
{
}

static const struct allocator_impl allocator_impl = {create_buffer, destroy_allocator};

void pair_handle_arrived(void *data, const pixman_region32_t *region)
{
	struct pair *pair = data;

	pair->n_arrived++;
}

static bool can_restore(void *data)
{
	return false;
}

static bool takes(void *data, const struct dmabuf *dmabuf)
{
	const struct pair *pair = data;

	return pair->stride == 0 || dmabuf->stride[0] % pair->stride == 0;
}

struct fake_gpu *pair_add_gpu(struct gpu *gpu, const char *path, const char *chip, bool integrated)
{
	struct fake_gpu *fake = fake_gpu_create(fake_chip_find(chip));

	fake_gpu_set_path(fake, path);
	*gpu = (struct gpu){
		.render_path = (char *)path, /* static; the list does not free it */
		.bus_id = (char *)path,
		.driver = (char *)path,
		.integrated = integrated,
		.fd = -1,
	};
	wl_signal_init(&gpu->events.gone);
	return fake;
}

void pair_create_ring(struct pair *pair, struct gpu *reader_gpu)
{
	struct staging_reader reader = {
		.staging = pair->staging,
		.gpu = reader_gpu,
		.allocator = reader_gpu ? &pair->allocator : NULL,
		.formats = &pair->formats,
		.takes = takes,
		.data = pair,
	};
	struct staging_user user = {
		.arrived = pair_handle_arrived, .can_restore = can_restore, .data = pair};

	pair->ring = staging_ring_create(&reader, &user);
	pair_damage(pair);
}

void pair_replace_ring(struct pair *pair, struct gpu *reader_gpu)
{
	staging_ring_destroy(pair->ring);
	pair_create_ring(pair, reader_gpu);
}

void pair_damage(struct pair *pair)
{
	staging_damage(pair->ring, PAIR_SIDE, PAIR_SIDE, DRM_FORMAT_XRGB8888, NULL);
}

void pair_dispatch(struct pair *pair, int n)
{
	for (int i = 0; i < n; i++) {
		wl_event_loop_dispatch(pair->loop, 0);
	}
}

void pair_init_chip(
	struct pair *pair, const char *chip, bool source_integrated, bool reader_integrated)
{
	memset(pair, 0, sizeof(*pair));
	pair->n_descriptors = count_descriptors();
	pair->loop = wl_event_loop_create();
	pair->clock = clock_create_test(1000000000);
	pair->copier = copier_create(pair->loop, pair->clock, NULL);
	pair->staging = staging_create(pair->copier);
	pair->fakes[0] =
		pair_add_gpu(&pair->gpus[0], "/emulated/renderD128", chip, source_integrated);
	pair->fakes[1] =
		pair_add_gpu(&pair->gpus[1], "/emulated/renderD129", "navi21", reader_integrated);
	pair->allocator.impl = &allocator_impl;
	format_set_add(&pair->formats, DRM_FORMAT_XRGB8888, PAIR_MODIFIER);
	pair_create_ring(pair, &pair->gpus[1]);
	pair->source = pair_create_client_buffer(true);
	pair->source->base.home = &pair->gpus[0];
	pixman_region32_init_rect(&pair->all, 0, 0, PAIR_SIDE, PAIR_SIDE);
}

void pair_init(struct pair *pair, bool source_integrated, bool reader_integrated)
{
	pair_init_chip(pair, "navi21", source_integrated, reader_integrated);
}

void pair_finish(struct pair *pair)
{
	staging_ring_destroy(pair->ring);
	buffer_drop(&pair->source->base);
	pair_dispatch(pair, 4);
	staging_destroy(pair->staging);
	tasks_destroy(pair->tasks);
	copier_destroy(pair->copier);
	format_set_finish(&pair->formats);
	pixman_region32_fini(&pair->all);
	for (int i = 0; i < 2; i++) {
		assert_null(fake_gpu_fault(pair->fakes[i]));
		assert_int_equal(fake_gpu_counts(pair->fakes[i]).contexts, 0);
	}
	fake_reset_all();
	clock_destroy(pair->clock);
	wl_event_loop_destroy(pair->loop);
	expect_descriptors(pair->n_descriptors);
}

enum staging_status pair_copy(struct pair *pair)
{
	const char *reason;
	struct buffer *from = pair->from ? pair->from : &pair->source->base;
	uint64_t copies = staging_stats(pair->ring).copies;
	enum staging_status status = staging_copy(pair->ring, from, &pair->all, false, &reason);

	/* Engines open on threads. */
	while (status != STAGING_READY && pair->copier->n_opening > 0) {
		assert_true(staging_in_flight(pair->ring));
		assert_int_equal(staging_stats(pair->ring).copies, copies);
		while (pair->copier->n_opening > 0) {
			wl_event_loop_dispatch(pair->loop, -1);
		}
		/* The ring asked for another attempt. */
		assert_int_equal(pair->n_arrived, 1);
		pair->n_arrived = 0;
		status = staging_copy(pair->ring, from, &pair->all, false, &reason);
	}
	/* Engines that only fill up other buffers are not waited for. */
	while (pair->copier->n_opening > 0) {
		wl_event_loop_dispatch(pair->loop, -1);
	}
	return status;
}

enum staging_status pair_copy_once(struct pair *pair)
{
	const char *reason;
	return staging_copy(pair->ring, &pair->source->base, &pair->all, false, &reason);
}

enum staging_status pair_copy_until_decided(struct pair *pair)
{
	enum staging_status status = STAGING_LATE;
	for (int i = 0; i < 40 && status != STAGING_READY && status != STAGING_REFUSED; i++) {
		clock_advance(pair->clock, INT64_C(100000000));
		status = pair_copy_once(pair);
		while (pair->copier->n_opening > 0) {
			wl_event_loop_dispatch(pair->loop, -1);
		}
	}
	return status;
}

void pair_read_all(struct pair *pair, int fence)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		assert_int_equal(pair_copy(pair), STAGING_READY);
		staging_read(pair->ring, i, fence);
		pair_damage(pair);
	}
	assert_int_equal(pair_copy(pair), STAGING_LATE);
}

/* The reader's buffer equals the client's. */
void pair_check(struct pair *pair)
{
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(pair->ring, &pair->all, parts);

	assert_int_equal(n, 1);
	const struct client_buffer *container = wl_container_of(parts[0].buffer, container, base);
	for (uint32_t y = 0; y < PAIR_SIDE; y++) {
		for (uint32_t x = 0; x < PAIR_SIDE; x++) {
			assert_memory_equal(dmabuf_image_element(&pair->source->image, x, y),
				dmabuf_image_element(&container->image, x, y), 4);
		}
	}
	staging_parts_finish(parts, n);
}

/* The ring's only buffer is linear and equals the client's, row by row. */
uint32_t pair_check_linear(struct pair *pair)
{
	struct staging_part parts[STAGING_MAX];
	int n = staging_parts(pair->ring, &pair->all, parts);

	assert_int_equal(n, 1);
	const struct dmabuf *dmabuf = buffer_dmabuf(parts[0].buffer);
	size_t size = (size_t)dmabuf->stride[0] * PAIR_SIDE;
	const uint8_t *map = mmap(NULL, size, PROT_READ, MAP_SHARED, dmabuf->fd[0], 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(dmabuf->width, PAIR_SIDE);
	for (uint32_t y = 0; y < PAIR_SIDE; y++) {
		for (uint32_t x = 0; x < PAIR_SIDE; x++) {
			assert_memory_equal(dmabuf_image_element(&pair->source->image, x, y),
				map + dmabuf->offset[0] + (size_t)y * dmabuf->stride[0] + x * 4, 4);
		}
	}
	uint32_t stride = dmabuf->stride[0];
	munmap((void *)map, size);
	staging_parts_finish(parts, n);
	return stride;
}

uint64_t pair_imported(const struct pair *pair)
{
	return fake_gpu_counts(pair->fakes[0]).imported;
}
