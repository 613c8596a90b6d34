/* SPDX-License-Identifier: MIT */
/* Emulated SDMA engine: validates and executes the packets of a command buffer. */

#include "copy/amd/detile.h"
#include "metadata.h"
#include "state.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPIES_MAX 32768
#define COPIES_LEAST 16
#define V(major, minor) ((major) << 8 | (minor))

struct side {
	uint64_t va;
	uint32_t x, y;
	uint64_t pitch; /* elements */
};

/* Copy between two barriers; copies may run in any order. */
struct copy {
	enum { LINEAR, WINDOW, TILED } kind;
	bool detile;
	unsigned log2_bytes;
	struct tiling tiling;
	struct side source, destination; /* a tiled copy: the tiled side and the linear side */
	uint32_t tiled_width, tiled_height;
	uint64_t width, height; /* a linear copy: bytes and 1 */
	bool compressed; /* a tiled copy: with metadata in memory, laid out as follows */
	struct fake_metadata metadata;
	uint64_t metadata_va;
	uint32_t metadata_config;
};

struct engine {
	struct fake_file *file;
	const struct fake_fence *done; /* of the job */
	unsigned version;
	const uint32_t *words;
	size_t length;
	struct copy *copies;
	size_t n_copies, room;
	uint32_t random;
	char *fault;
	uint8_t *misread; /* bytes of the last misread source, or NULL */
};

static bool __attribute__((format(printf, 2, 3)))
fault(struct engine *engine, const char *format, ...)
{
	va_list list;

	if (!engine->fault) {
		va_start(list, format);
		assert(vasprintf(&engine->fault, format, list) >= 0);
		va_end(list);
	}
	return false;
}

/* Returns the bytes that the GPU finds where it misreads the memory. */
static uint8_t *misread(
	struct engine *engine, const struct fake_mapping *mapping, uint64_t offset, uint64_t size)
{
	uint64_t right = engine->file->gpu->misreads_beyond;
	uint8_t *bytes = calloc(1, size);

	assert(bytes);
	if (offset < right) {
		memcpy(bytes, mapping->bo->map + offset,
			size < right - offset ? size : right - offset);
	}
	free(engine->misread);
	engine->misread = bytes;
	return bytes;
}

/* Returns whether the job lists the memory, which the kernel may move otherwise. */
static bool is_listed(const struct engine *engine, const struct fake_bo *bo)
{
	for (size_t i = 0; i < bo->n_fences; i++) {
		if (bo->fences[i].fence == engine->done) {
			return true;
		}
	}
	return bo->created.domain_flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID;
}

/*
 * Returns the memory at an address, which must lie in one mapping with the required access, of
 * memory that the job lists.
 */
static uint8_t *resolve(struct engine *engine, uint64_t va, uint64_t size, uint32_t access)
{
	struct fake_mapping *mapping;

	wl_list_for_each (mapping, &engine->file->mappings, link) {
		if (va < mapping->va || va >= mapping->va + mapping->size) {
			continue;
		}
		if (size > mapping->va + mapping->size - va) {
			fault(engine, "%#lx + %#lx exceeds its mapping", va, size);
			return NULL;
		}
		if (!(mapping->flags & access)) {
			fault(engine, "%#lx: mapped without permission %#x", va, access);
			return NULL;
		}
		if (!is_listed(engine, mapping->bo)) {
			fault(engine, "%#lx: not in the list of the job's memory", va);
			return NULL;
		}
		uint64_t offset = mapping->offset + (va - mapping->va);
		if (access == AMDGPU_VM_PAGE_READABLE && engine->file->gpu->misreads_beyond > 0 &&
			mapping->bo->owner != engine->file->gpu) {
			return misread(engine, mapping, offset, size);
		}
		return mapping->bo->map + offset;
	}
	fault(engine, "no mapping at %#lx", va);
	return NULL;
}

static bool run_linear(struct engine *engine, const struct copy *copy)
{
	uint8_t *in = resolve(engine, copy->source.va, copy->width, AMDGPU_VM_PAGE_READABLE);
	uint8_t *out = resolve(engine, copy->destination.va, copy->width, AMDGPU_VM_PAGE_WRITEABLE);

	if (!in || !out) {
		return false;
	}
	memmove(out, in, copy->width);
	return true;
}

static uint64_t place(const struct copy *copy, const struct side *side)
{
	return side->va + ((side->y * side->pitch + side->x) << copy->log2_bytes);
}

static bool run_window(struct engine *engine, const struct copy *copy)
{
	uint64_t bytes = copy->width << copy->log2_bytes;
	uint64_t in_stride = copy->source.pitch << copy->log2_bytes;
	uint64_t out_stride = copy->destination.pitch << copy->log2_bytes;
	uint8_t *in = resolve(engine, place(copy, &copy->source),
		in_stride * (copy->height - 1) + bytes, AMDGPU_VM_PAGE_READABLE);
	uint8_t *out = resolve(engine, place(copy, &copy->destination),
		out_stride * (copy->height - 1) + bytes, AMDGPU_VM_PAGE_WRITEABLE);

	if (!in || !out) {
		return false;
	}
	for (uint64_t row = 0; row < copy->height; row++) {
		memmove(out + row * out_stride, in + row * in_stride, bytes);
	}
	return true;
}

/* Replaces the blocks that the metadata describes; all others were copied as they are. */
static bool decompress(struct engine *engine, const struct copy *copy, const uint8_t *pixels,
	uint8_t *out, uint64_t stride)
{
	const struct fake_metadata *metadata = &copy->metadata;
	uint8_t *keys =
		resolve(engine, copy->metadata_va, metadata->layout.size, AMDGPU_VM_PAGE_READABLE);
	if (!keys) {
		return false;
	}
	for (uint32_t j = 0; j < copy->height; j++) {
		for (uint32_t i = 0; i < copy->width; i++) {
			uint32_t x = copy->source.x + i, y = copy->source.y + j;
			uint64_t at =
				tiling_offset(&copy->tiling, (uint32_t)copy->source.pitch, x, y);
			uint8_t key = keys[fake_metadata_offset(metadata, x, y)];
			if (!fake_metadata_decode(metadata, key, copy->metadata_config,
				    pixels + (at & ~UINT64_C(255)),
				    out + j * stride + ((uint64_t)i << copy->log2_bytes))) {
				return fault(engine, "compressed block %#x at %u, %u", key, x, y);
			}
		}
	}
	return true;
}

static bool run_tiled(struct engine *engine, const struct copy *copy)
{
	const struct side *tiled = &copy->source, *linear = &copy->destination;
	struct detile window = {
		.tiling = &copy->tiling,
		.pitch = (uint32_t)tiled->pitch,
		.x = tiled->x,
		.y = tiled->y,
		.width = (uint32_t)copy->width,
		.height = (uint32_t)copy->height,
	};
	uint64_t stride = linear->pitch << copy->log2_bytes;
	uint64_t bytes = stride * (copy->height - 1) + (copy->width << copy->log2_bytes);
	uint8_t *a, *b;

	a = resolve(engine, tiled->va,
		tiling_size(&copy->tiling, (uint32_t)tiled->pitch, copy->tiled_height),
		copy->detile ? AMDGPU_VM_PAGE_READABLE : AMDGPU_VM_PAGE_WRITEABLE);
	b = resolve(engine, place(copy, linear), bytes,
		copy->detile ? AMDGPU_VM_PAGE_WRITEABLE : AMDGPU_VM_PAGE_READABLE);
	if (!a || !b) {
		return false;
	}
	if (copy->detile) {
		detile(&window, a, b, stride);
		return !copy->compressed || decompress(engine, copy, a, b, stride);
	} else {
		retile(&window, a, b, stride);
	}
	return true;
}

/* The engine may run copies in any order, so run them in reverse to find missing barriers. */
static bool barrier(struct engine *engine)
{
	while (engine->n_copies > 0 && !engine->fault) {
		size_t i =
			(engine->random = engine->random * 1664525 + 1013904223) % engine->n_copies;
		struct copy copy = engine->copies[i];
		bool good;

		engine->copies[i] = engine->copies[--engine->n_copies];
		good = copy.kind == LINEAR   ? run_linear(engine, &copy)
		       : copy.kind == WINDOW ? run_window(engine, &copy)
					     : run_tiled(engine, &copy);
		if (!good) {
			return false;
		}
		engine->file->gpu->n_packets++;
		engine->file->gpu->n_bytes += copy.width * copy.height << copy.log2_bytes;
	}
	return !engine->fault;
}

static bool add(struct engine *engine, const struct copy *copy)
{
	if (engine->n_copies == COPIES_MAX && !barrier(engine)) {
		return false;
	}
	if (engine->n_copies == engine->room) {
		engine->room = engine->room ? engine->room * 2 : COPIES_LEAST;
		engine->copies = realloc(engine->copies, engine->room * sizeof(*engine->copies));
		assert(engine->copies);
	}
	engine->copies[engine->n_copies++] = *copy;
	return true;
}

static uint64_t address(const uint32_t *words)
{
	return words[0] | (uint64_t)words[1] << 32;
}

/* Fails if bits without a documented meaning are set. */
static bool reserved(struct engine *engine, uint32_t word, uint32_t allowed)
{
	return (word & ~allowed) == 0 || fault(engine, "reserved bits %#x", word & ~allowed);
}

static bool linear(struct engine *engine, const uint32_t *p)
{
	uint32_t mask = engine->version >= V(5, 2) ? 0x3fffffff : 0x3fffff;
	uint32_t most = engine->version >= V(5, 2) ? 0x3fffff00 : 0x3fff00;
	struct copy copy = {
		.kind = LINEAR,
		.source.va = address(p + 3),
		.destination.va = address(p + 5),
		.width = (uint64_t)p[1] + 1,
		.height = 1,
	};

	return reserved(engine, p[0], 0xffff) && reserved(engine, p[1], mask) &&
	       reserved(engine, p[2], 0) &&
	       (copy.width <= most ||
		       fault(engine, "copy of %lu bytes exceeds the packet's limit", copy.width)) &&
	       add(engine, &copy);
}

static uint32_t coordinate_mask(const struct engine *engine)
{
	return engine->version >= V(7, 0) ? 0xffffffff : 0x3fff3fff;
}

static bool check_linear_side(struct engine *engine, const struct copy *copy,
	const struct side *side, uint32_t slice, bool tiled)
{
	uint32_t unit = tiled && engine->version < V(5, 0) ? 4
			: copy->log2_bytes < 2             ? 4u >> copy->log2_bytes
							   : 1;
	uint32_t most = engine->version >= V(7, 0) ? 1 << 16 : 1 << 14;

	if (side->pitch % unit || side->pitch > most) {
		return fault(engine, "invalid pitch %lu", side->pitch);
	}
	if (side->va % 4) {
		return fault(engine, "linear surface at %#lx", side->va);
	}
	if (side->x + copy->width > side->pitch) {
		return fault(engine, "%lu elements from %u exceed the pitch %lu", copy->width,
			side->x, side->pitch);
	}
	return (uint64_t)slice + 1 >= side->pitch * copy->height ||
	       fault(engine, "slice %u", slice);
}

static bool window_side(struct engine *engine, const uint32_t *p, struct side *side)
{
	unsigned shift = engine->version >= V(7, 0) ? 16 : 13;

	*side = (struct side){
		.va = address(p),
		.x = p[2] & 0xffff,
		.y = p[2] >> 16,
		.pitch = (uint64_t)(p[3] >> shift) + 1,
	};
	return reserved(engine, p[2], coordinate_mask(engine)) &&
	       reserved(engine, p[3], ~0u << shift);
}

static bool window(struct engine *engine, const uint32_t *p)
{
	struct copy copy = {
		.kind = WINDOW,
		.log2_bytes = p[0] >> 29,
		.width = (p[11] & 0xffff) + 1,
		.height = (p[11] >> 16) + 1,
	};

	return reserved(engine, p[0], 0xe000ffff) &&
	       reserved(engine, p[11], coordinate_mask(engine)) && reserved(engine, p[12], 0) &&
	       (copy.log2_bytes <= 4 || fault(engine, "element size")) &&
	       window_side(engine, p + 1, &copy.source) &&
	       window_side(engine, p + 6, &copy.destination) &&
	       check_linear_side(engine, &copy, &copy.source, p[5], false) &&
	       check_linear_side(engine, &copy, &copy.destination, p[10], false) &&
	       add(engine, &copy);
}

/* Returns the chip's own layout of a swizzle mode; packets contain only its number. */
static struct tiling_mode chip_mode(const struct engine *engine, unsigned swizzle)
{
	uint32_t config = engine->file->gpu->chip->gb_addr_config;
	struct tiling_mode mode = {.swizzle = swizzle};

	if (engine->version < V(5, 0)) {
		mode.version = 1;
		mode.pipe_xor = (config & 7) + (config >> 19 & 3);
		mode.bank_xor = config >> 12 & 7;
		mode.bank_xor =
			mode.bank_xor < 8 - mode.pipe_xor ? mode.bank_xor : 8 - mode.pipe_xor;
	} else if (engine->version >= V(7, 0)) {
		mode.version = 5;
	} else {
		mode.version = engine->version < V(5, 2) ? 2 : engine->version < V(6, 0) ? 3 : 4;
		mode.pipe_xor = config & 7;
		mode.packers = mode.version > 2 ? config >> 8 & 7 : 0;
	}
	return mode;
}

static bool check_tiled_side(struct engine *engine, const struct copy *copy)
{
	const struct side *side = &copy->source;

	if (side->va & ((UINT64_C(1) << copy->tiling.log2_block) - 1)) {
		return fault(engine, "tiled surface at %#lx", side->va);
	}
	if (side->pitch % copy->tiling.block_width || side->pitch < copy->tiled_width) {
		return fault(engine, "invalid tiled pitch %lu", side->pitch);
	}
	return (side->x + copy->width <= copy->tiled_width &&
		       side->y + copy->height <= copy->tiled_height) ||
	       fault(engine, "rectangle outside the tiled surface");
}

static bool tiling_word(struct engine *engine, uint32_t word, struct copy *copy)
{
	struct tiling_mode mode = chip_mode(engine, word >> 3 & 31);
	uint32_t block;

	copy->log2_bytes = word & 7;
	if (!tiling_init(&copy->tiling, &mode, copy->log2_bytes)) {
		return fault(engine, "invalid swizzle mode %u with %u bytes", mode.swizzle,
			1u << copy->log2_bytes);
	}
	if (engine->version < V(7, 0) && (word >> 9 & 3) != 1) {
		return fault(engine, "dimension %u", word >> 9 & 3);
	}
	block = copy->tiling.block_width;
	if (engine->version < V(5, 0)) {
		copy->source.pitch = (word >> 16) + 1;
		return reserved(engine, word, 0xffff06ff);
	}
	copy->source.pitch = (copy->tiled_width + block - 1) / block * block;
	return reserved(engine, word, engine->version < V(7, 0) ? 0x6ff : 0xff);
}

/*
 * Reads the words behind a tiled packet that concern compression. Metadata in memory is what the
 * drivers describe: pipe-aligned, read only, with Mesa's cache policies on SDMA 5.2. On 7.0 the
 * page tables know about compression, and mapped memory is shown here as the engine decompresses
 * it.
 */
static bool compression(struct engine *engine, const uint32_t *p, struct copy *copy)
{
	bool policies = p[0] >> 28 & 1;
	struct tiling_mode mode = chip_mode(engine, p[6] >> 3 & 31);

	if (!copy->detile || (policies != (engine->version == V(5, 2)))) {
		return fault(engine, "compressed, with the header %#x", p[0]);
	}
	if (engine->version >= V(7, 0)) {
		return p[14] == 2u << 16 || fault(engine, "compression %#x", p[14]);
	}
	if (p[13] != (policies ? 4u << 26 | 6u << 18 : 0)) {
		return fault(engine, "cache policies %#x", p[13]);
	}
	mode.dcc = mode.dcc_pipe_aligned = true;
	copy->compressed = true;
	copy->metadata_va = address(p + 14);
	copy->metadata_config = p[16];
	return (fake_metadata_init(&copy->metadata, &mode, copy->log2_bytes, copy->tiled_width,
			copy->tiled_height) &&
		       copy->metadata_va % copy->metadata.layout.alignment == 0 &&
		       fake_metadata_check_config(p[16], engine->version >> 8)) ||
	       fault(engine, "compression %#x, metadata at %#lx", p[16], copy->metadata_va);
}

static bool tiled(struct engine *engine, const uint32_t *p)
{
	bool compressed = p[0] >> 19 & 1;
	uint32_t half = coordinate_mask(engine) & 0xffff;
	struct copy copy = {
		.kind = TILED,
		.detile = p[0] >> 31,
		.source = {.va = address(p + 1), .x = p[3] & 0xffff, .y = p[3] >> 16},
		.tiled_width = (p[4] >> 16) + 1,
		.tiled_height = (p[5] & 0xffff) + 1,
		.destination = {.va = address(p + 7),
			.x = p[9] & 0xffff,
			.y = p[9] >> 16,
			.pitch = (p[10] >> 16) + 1},
		.width = (p[12] & 0xffff) + 1,
		.height = (p[12] >> 16) + 1,
	};

	return reserved(engine, p[0], compressed ? 0x9008ffff : 0x8000ffff) &&
	       reserved(engine, p[3], coordinate_mask(engine)) &&
	       reserved(engine, p[4], half << 16) && reserved(engine, p[5], half) &&
	       reserved(engine, p[9], coordinate_mask(engine)) &&
	       reserved(engine, p[10], half << 16) &&
	       reserved(engine, p[12], coordinate_mask(engine)) &&
	       reserved(engine, p[13], compressed ? 0x1c1c0000 : 0) &&
	       tiling_word(engine, p[6], &copy) && check_tiled_side(engine, &copy) &&
	       check_linear_side(engine, &copy, &copy.destination, p[11], true) &&
	       (!compressed || compression(engine, p, &copy)) && add(engine, &copy);
}

static bool packet(struct engine *engine, const uint32_t *words, size_t left, size_t *length)
{
	static const struct {
		uint16_t header;
		uint8_t length;
		bool (*run)(struct engine *engine, const uint32_t *words);
	} packets[] = {{0x0001, 7, linear}, {0x0401, 13, window}, {0x0501, 14, tiled}};

	if ((words[0] & 0xffff) == 0) {
		*length = 1;
		return reserved(engine, words[0], 0) && barrier(engine);
	}
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		if (packets[i].header == (words[0] & 0xffff)) {
			bool compressed = packets[i].run == tiled && words[0] >> 19 & 1;
			*length = packets[i].length;
			if (compressed && engine->version < V(5, 2)) {
				return fault(engine, "compressed on SDMA %u.%u",
					engine->version >> 8, engine->version & 0xff);
			}
			*length += !compressed ? 0 : engine->version < V(7, 0) ? 3 : 1;
			return (*length <= left || fault(engine, "incomplete packet")) &&
			       packets[i].run(engine, words);
		}
	}
	return fault(engine, "unknown packet %#x", words[0]);
}

char *fake_execute(
	struct fake_file *file, const struct fake_fence *done, uint64_t va, uint32_t bytes)
{
	struct engine engine = {
		.file = file,
		.done = done,
		.version = V(file->gpu->chip->major, file->gpu->chip->minor),
		.length = bytes / 4,
		.random = (uint32_t)file->sequence,
	};
	size_t length = 0;

	engine.words = (const uint32_t *)resolve(&engine, va, bytes, AMDGPU_VM_PAGE_EXECUTABLE);
	if (!engine.words) {
		return engine.fault;
	}
	if (engine.length % 16) {
		fault(&engine, "invalid size of the command buffer: %zu words", engine.length);
		return engine.fault;
	}
	for (size_t at = 0; at < engine.length; at += length) {
		if (!packet(&engine, engine.words + at, engine.length - at, &length)) {
			break;
		}
	}
	barrier(&engine);
	free(engine.copies);
	free(engine.misread);
	return engine.fault;
}
