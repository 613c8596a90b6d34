/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Staging ring between two emulated GPUs, integrated or discrete: one renders the client's tiled
 * buffer, the other one reads the copy.
 */

#include "dmabuf_image.h"
#include "fake.h"
#include "gpu/gpu.h"
#include "staging/staging.h"

#define PAIR_SIDE 256
#define PAIR_MODIFIER UINT64_C(0x0200000020801b03) /* modifier of navi21 */
#define PAIR_COMPRESSED UINT64_C(0x0200000020802b03)

/** Client buffer with its memory on the emulated amdgpu. */
struct client_buffer {
	struct buffer base;
	struct dmabuf_image image;
};

struct pair {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct copier *copier;
	struct staging *staging;
	struct fake_gpu *fakes[2];
	struct gpu gpus[2]; /* of the client and of the reader */
	struct allocator allocator;
	struct format_set formats;
	struct staging_ring *ring;
	struct client_buffer *source;
	struct buffer *from; /* copied instead of `source` if set */
	pixman_region32_t all;
	int n_arrived;
	int n_created; /* buffers that the reader allocated */
	struct tasks *tasks; /* destroyed with the pair; NULL: none */
	bool mappable; /* the CPU may map the reader's buffers */
	bool sizes; /* buffers may have other sizes than PAIR_SIDE */
	uint32_t stride; /* alignment of strides that the reader needs; 0: none */
	int n_descriptors; /* open ones before the pair */
};

void pair_init(struct pair *pair, bool source_integrated, bool reader_integrated);
/** Initializes the pair with another client GPU than navi21. */
void pair_init_chip(
	struct pair *pair, const char *chip, bool source_integrated, bool reader_integrated);
/** Fails the test if a GPU reported a fault or has objects left, or if descriptors have. */
void pair_finish(struct pair *pair);

/** Adds a GPU. `path` must outlive the pair. */
struct fake_gpu *pair_add_gpu(struct gpu *gpu, const char *path, const char *chip, bool integrated);
/**
 * Creates the ring after the caller has destroyed the previous one. Without `reader_gpu`, the CPU
 * reads.
 */
void pair_create_ring(struct pair *pair, struct gpu *reader_gpu);
/** Destroys the ring and creates the next one. */
void pair_replace_ring(struct pair *pair, struct gpu *reader_gpu);
/** Adds an update of the client that changes all pixels. */
void pair_damage(struct pair *pair);
/** Runs `n` turns of the event loop, which wait for nothing. */
void pair_dispatch(struct pair *pair, int n);
/** Callback for other rings of the pair: counts in n_arrived. */
void pair_handle_arrived(void *data, const pixman_region32_t *region);
/** Creates a client buffer that is imported on no GPU; of PAIR_SIDE, or another size. */
struct client_buffer *pair_create_buffer(bool tiled, int width, int height);
struct client_buffer *pair_create_formatted_buffer(
	bool tiled, int width, int height, uint32_t format);
struct client_buffer *pair_create_client_buffer(bool tiled);
/** Copies all damage. Waits for copy engines to open, but not for copies. */
enum staging_status pair_copy(struct pair *pair);
/** Copies all damage. Waits for nothing. */
enum staging_status pair_copy_once(struct pair *pair);
/** Repeats a copy until it is ready or refused, as the compositor does when rings ask for it. */
enum staging_status pair_copy_until_decided(struct pair *pair);
/**
 * Copies into each buffer of a new ring, which a pass with the fence reads from then on, and
 * expects that the next copy is late.
 */
void pair_read_all(struct pair *pair, int fence);
/** Fails the test unless one tiled buffer of the ring equals the client's buffer. */
void pair_check(struct pair *pair);
/** Fails the test unless the ring's linear buffer equals the client's. Returns its stride. */
uint32_t pair_check_linear(struct pair *pair);
/** Returns the number of imports that the client's GPU was asked for. */
uint64_t pair_imported(const struct pair *pair);
