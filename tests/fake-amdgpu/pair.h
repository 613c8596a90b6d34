#pragma once

/**
 * Two emulated GPUs, a client's and a reader's, integrated or discrete ones, and a staging ring between them. The
 * client's picture is tiled, and of one size.
 */

#include "fake.h"
#include "gpu/gpu.h"
#include "picture.h"
#include "staging/staging.h"

#define PAIR_SIDE 256
#define PAIR_MODIFIER UINT64_C(0x0200000020801b03) /* navi21's own */
#define PAIR_COMPRESSED UINT64_C(0x0200000020802b03)

/** A buffer that is a picture of the emulated amdgpu's. */
struct made {
	struct buffer base;
	struct picture picture;
};

struct pair {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct copier *copier;
	struct staging *staging;
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

void pair_init(struct pair *pair, bool source_integrated, bool reader_integrated);
/** With another client's GPU than navi21. */
void pair_init_chip(
	struct pair *pair, const char *chip, bool source_integrated, bool reader_integrated);
/** Fails the test if a GPU found fault with anything, or has anything left. */
void pair_finish(struct pair *pair);

/** Another one; what it names must live as long as it is used. */
struct fake_gpu *pair_add_gpu(struct gpu *gpu, const char *path, const char *chip, bool integrated);
/** The caller's, who destroyed the one before; without a reader's GPU the CPU reads. */
void pair_create_ring(struct pair *pair, struct gpu *reader_gpu);
/** For other rings of it: counts in n_arrived. */
void pair_handle_arrived(void *data, const pixman_region32_t *region);
/** On no GPU so far. */
struct made *pair_make(bool tiled);
/** All that is owed; engines are waited for, copies are not. */
enum staging_status pair_copy(struct pair *pair);
/** Fails the test unless the ring has what the client drew, in one buffer that is tiled as that is. */
void pair_check(struct pair *pair);
/** The same of one that is linear; returns its stride. */
uint32_t pair_check_linear(struct pair *pair);
/** Dma-bufs that the client's GPU was asked to import so far. */
uint64_t pair_imported(const struct pair *pair);
