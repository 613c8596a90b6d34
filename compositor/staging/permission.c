/* SPDX-License-Identifier: MIT */
/*
 * Permission to copy through staging memory: an engine that has not used it yet, such as the next
 * one after a loss, waits for the verification of its copies.
 */

#include "gpu/gpu.h"
#include "staging/ring.h"
#include "staging/verify.h"
#include <errno.h>

int staging_sampler(void)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	int i = (int)n - 1;
	while (i >= 0 && types[i].kind != COST_GRAPHICS) {
		i--;
	}
	return i;
}

/* Returns whether copies between the GPUs can be verified. */
static bool is_verifiable(const struct staging_ring *ring, int reader)
{
	const struct gpu *source = ring->source->gpu;
	/* The CPU would misread the memory of virtual cards, which has a copy in the host. */
	return ring->reader.staging->verifier && ring->reader.gpu && source && reader >= 0 &&
	       gpu_has_one_memory(source) && gpu_has_one_memory(ring->reader.gpu);
}

static enum verdict ask(struct staging_ring *ring, enum allocation_from from, int writer,
	int reader, uint64_t client_modifier)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	const struct verdict_path path = {
		.source = ring->source->gpu,
		.reader = ring->reader.gpu,
		.writer = &types[writer],
		.from = from,
		.engine = &types[reader],
		.queue = ring->reader.staging->copier->queue,
	};
	const uint64_t native[2] = {client_modifier, ring->local_modifier};
	return staging_verify(ring->reader.staging->verifier, &path, native);
}

int staging_permit(struct staging_ring *ring, struct staging_search *search, int writer, int reader,
	uint64_t client_modifier, const char **why)
{
	if (is_verifiable(ring, reader)) {
		switch (ask(ring, search->allocation.from, writer, reader, client_modifier)) {
		case VERDICT_NONE: ring->verifying = true; return -EINPROGRESS;
		case VERDICT_WRONG: *why = "the reader got wrong pixels from it"; return -ENOTSUP;
		default: break;
		}
	}
	search->readers = search->writer == writer ? search->readers : 0;
	search->readers |= reader >= 0 ? 1U << reader : 0;
	search->writer = writer;
	search->reads = reader;
	return 0;
}

static struct staging_search *find_search(struct staging_ring *ring, const struct buffer *memory)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		if (ring->slots[i].buffer == memory) {
			return &ring->slots[i].search;
		}
	}
	return &ring->crossing_search;
}

/* The same while a copy starts. */
static int permit(struct staging_ring *ring, struct staging_search *search, int writer, int reader,
	uint64_t client_modifier)
{
	const char *why;
	bool known = search->writer == writer && reader >= 0 && search->readers & 1U << reader;
	int error = known ? 0 : staging_permit(ring, search, writer, reader, client_modifier, &why);
	search->wrong |= error == -ENOTSUP;
	return error;
}

int staging_permit_writer(struct copy_order *order, int engine)
{
	struct staging_slot *slot = wl_container_of(order, slot, order);
	struct staging_search *search = find_search(slot->ring, order->destination);
	return permit(slot->ring, search, engine,
		slot->is_local ? search->reads : staging_sampler(),
		buffer_dmabuf(order->source)->modifier);
}

int staging_permit_reader(struct copy_order *order, int engine)
{
	struct staging_slot *slot = wl_container_of(order, slot, order);
	struct staging_search *search = find_search(slot->ring, order->source);
	return permit(slot->ring, search, search->writer, engine, search->modifier);
}
