/* SPDX-License-Identifier: MIT */
/* SDMA images: validates layouts, and describes them to the engine. */

#include "copy/sdma/image.h"
#include "gpu/format.h"
#include <drm_fourcc.h>
#include <errno.h>

#define SWIZZLE_64K_D 10
#define SWIZZLE_GFX12_64K_2D 3

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned field(uint32_t value, unsigned shift, unsigned bits)
{
	return value >> shift & ((1u << bits) - 1);
}

bool sdma_chip_init(struct sdma_chip *chip, unsigned version, uint32_t gb_addr_config)
{
	unsigned pipes = field(gb_addr_config, 0, 3);
	*chip = (struct sdma_chip){.version = version};
	if (!sdma_version_known(version)) {
		return false;
	}
	if (version < SDMA_VERSION(5, 0)) {
		chip->tile_version = 1;
		chip->pipe_xor = min(pipes + field(gb_addr_config, 19, 2), 8);
		chip->bank_xor = min(field(gb_addr_config, 12, 3), 8 - chip->pipe_xor);
	} else if (version < SDMA_VERSION(5, 2)) {
		chip->tile_version = 2;
		chip->pipe_xor = pipes;
	} else if (version < SDMA_VERSION(7, 0)) {
		chip->tile_version = version < SDMA_VERSION(6, 0) ? 3 : 4;
		chip->pipe_xor = pipes;
		chip->packers = field(gb_addr_config, 8, 3);
	} else {
		chip->tile_version = 5; /* no longer depends on the chip */
	}
	return true;
}

/* Returns whether this chip uses the same layout: the engine knows its own modes only. */
static bool mode_matches(
	const struct sdma_chip *chip, const struct tiling_mode *mode, const struct tiling *tiling)
{
	unsigned bits = tiling->log2_block - 8;
	unsigned pipe_xor = min(chip->pipe_xor, bits);
	if (mode->version == chip->tile_version) {
		if (chip->tile_version == 5 || mode->swizzle < 16) {
			/* Modes without XOR are equal on all chips of a generation. */
			return mode->pipe_xor == 0 && mode->bank_xor == 0 && mode->packers == 0;
		}
		return mode->pipe_xor == pipe_xor &&
		       mode->bank_xor == min(chip->bank_xor, bits - pipe_xor) &&
		       mode->packers == chip->packers;
	}
	if (mode->pipe_xor || mode->bank_xor || mode->packers) {
		return false;
	}
	switch (chip->tile_version) {
	case 2:
	case 3:
		/* GFX9's modes without XOR still exist, except the display order of 32 bits. */
		return mode->version == 1 &&
		       (mode->swizzle == 9 ||
			       (mode->swizzle == SWIZZLE_64K_D && tiling->log2_bytes != 2));
	case 5: return mode->version == 4 && mode->swizzle == SWIZZLE_64K_D;
	default: return false;
	}
}

/* Finds the hardware's numbers of a format (COLOR_* and NUMBER_* of CB_COLOR0_INFO). */
static bool find_color_format(uint32_t fourcc, struct sdma_compression *compression)
{
	switch (fourcc) {
	case DRM_FORMAT_XRGB8888:
	case DRM_FORMAT_ARGB8888:
	case DRM_FORMAT_XBGR8888:
	case DRM_FORMAT_ABGR8888: compression->data_format = 10; return true;
	case DRM_FORMAT_XRGB2101010:
	case DRM_FORMAT_ARGB2101010:
	case DRM_FORMAT_XBGR2101010:
	case DRM_FORMAT_ABGR2101010: compression->data_format = 9; return true;
	case DRM_FORMAT_XBGR16161616F:
	case DRM_FORMAT_ABGR16161616F:
		compression->data_format = 12;
		compression->number_type = 7;
		return true;
	default: return false;
	}
}

/* Fails unless this chip's engine reads compressed pixels of this mode. */
static bool init_compression(struct sdma_plane *surface, const struct sdma_chip *chip,
	const struct tiling_mode *mode, uint32_t fourcc)
{
	surface->compressed = true;
	surface->compression.max_block = mode->dcc_block;
	if (chip->version < SDMA_VERSION(5, 2) || mode->version != chip->tile_version ||
		mode->dcc_block > AMD_FMT_MOD_DCC_BLOCK_256B ||
		!find_color_format(fourcc, &surface->compression)) {
		return false;
	}
	return chip->tile_version == 5 ||
	       dcc_init(&surface->dcc, mode, surface->log2_bytes, surface->width, surface->height);
}

int sdma_plane_check_metadata(
	const struct sdma_plane *surface, const struct dmabuf *dmabuf, const char **reason)
{
	if (surface->dcc.size == 0) {
		return 0;
	}
	*reason = "its metadata is missing";
	if (dmabuf->n_planes != 2) {
		return -EINVAL;
	}
	*reason = "its metadata is outside of its pixels' memory";
	if (!dmabuf_same_file(dmabuf->fd[0], dmabuf->fd[1])) {
		return -ENOTSUP;
	}
	/* The engine derives both pitches from the width. */
	*reason = "its metadata is laid out in another way";
	if (dmabuf->offset[1] % surface->dcc.alignment || dmabuf->stride[1] != surface->dcc.pitch ||
		surface->pitch - surface->width >= surface->block_width) {
		return -ENOTSUP;
	}
	*reason = NULL;
	return 0;
}

static int init_tiled(struct sdma_plane *surface, const struct sdma_chip *chip, uint32_t fourcc,
	uint64_t modifier, const char **reason)
{
	struct tiling_mode mode;
	struct tiling tiling;
	if (!tiling_mode_from_modifier(&mode, modifier)) {
		*reason = modifier == DRM_FORMAT_MOD_INVALID
				  ? "its modifier is implicit"
				  : "the copy engine does not know its modifier";
		return -ENOTSUP;
	}
	if (mode.dcc && !init_compression(surface, chip, &mode, fourcc)) {
		*reason = "it is compressed in a way that the copy engine cannot read";
		return -ENOTSUP;
	}
	if (surface->elements != 1) {
		*reason = "its pixels have three bytes, which the copy engine reads in linear "
			  "layouts only";
		return -ENOTSUP;
	}
	if (!tiling_init(&tiling, &mode, surface->log2_bytes)) {
		*reason = "the copy engine does not know its modifier";
		return -ENOTSUP;
	}
	if (!mode_matches(chip, &mode, &tiling)) {
		*reason = "its modifier belongs to another chip";
		return -ENOTSUP;
	}
	surface->tiled = true;
	surface->alignment = UINT64_C(1) << tiling.log2_block;
	surface->block_width = tiling.block_width;
	surface->pitch = surface->stride >> surface->log2_bytes;
	surface->swizzle_mode =
		chip->tile_version == 5 && mode.version == 4 ? SWIZZLE_GFX12_64K_2D : mode.swizzle;
	if (surface->offset % surface->alignment || surface->pitch % tiling.block_width ||
		surface->pitch == 0 || surface->stride % (1u << surface->log2_bytes)) {
		*reason = "its planes are not aligned to blocks";
		return -ENOTSUP;
	}
	surface->size = tiling_size(&tiling, surface->pitch, surface->height);
	return 0;
}

static int init_linear(struct sdma_plane *surface, const char **reason)
{
	/* Below words, the engine addresses whole elements only. */
	unsigned unit = 1u << min(surface->log2_bytes, 2);
	if (surface->stride % unit || surface->offset % unit) {
		*reason = "its stride is not a multiple of its pixels";
		return -ENOTSUP;
	}
	surface->alignment = 256;
	surface->size = (uint64_t)surface->stride * (surface->height - 1) +
			((uint64_t)surface->width << surface->log2_bytes);
	return 0;
}

uint32_t sdma_plane_end(const struct sdma_plane *surface, int32_t pixels)
{
	uint32_t group = surface->group, hsub = surface->hsub;
	uint32_t whole = ((uint32_t)pixels + group - 1) / group * group;
	return (whole + hsub - 1) / hsub * surface->elements;
}

int sdma_plane_init(struct sdma_plane *surface, const struct sdma_chip *chip,
	const struct dmabuf *dmabuf, int plane, const char **reason)
{
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	struct sdma_limits limits = sdma_limits_get(chip->version);
	unsigned bytes;
	*reason = "its format is unknown";
	if (!format || plane >= format->n_planes || dmabuf->n_planes < format->n_planes) {
		return -ENOTSUP;
	}
	bytes = format->bytes[plane];
	*surface = (struct sdma_plane){
		.offset = dmabuf->offset[plane],
		.stride = dmabuf->stride[plane],
		.hsub = plane > 0 ? format->hsub : 1,
		.vsub = plane > 0 ? format->vsub : 1,
		.group = format->n_planes == 1 ? format->hsub : 1,
		.elements = 1,
	};
	*reason = "it has no pixels";
	if (dmabuf->width <= 0 || dmabuf->height <= 0 || bytes == 0) {
		return -EINVAL;
	}
	if (bytes & (bytes - 1)) {
		surface->elements = bytes; /* a pixel of three bytes is three elements */
	} else {
		surface->log2_bytes = (unsigned)__builtin_ctz(bytes);
	}
	surface->width = sdma_plane_end(surface, dmabuf->width);
	surface->height = ((uint32_t)dmabuf->height + surface->vsub - 1) / surface->vsub;
	*reason = "its rows overlap";
	if ((uint64_t)surface->width << surface->log2_bytes > surface->stride) {
		return -EINVAL;
	}
	int error = dmabuf->modifier == DRM_FORMAT_MOD_LINEAR
			    ? init_linear(surface, reason)
			    : init_tiled(surface, chip, dmabuf->format, dmabuf->modifier, reason);
	if (error < 0) {
		return error;
	}
	if (surface->width > limits.extent || surface->height > limits.extent ||
		(surface->tiled && surface->pitch > limits.extent)) {
		*reason = "it is too large for the copy engine";
		return -ENOTSUP;
	}
	*reason = NULL;
	return 0;
}
