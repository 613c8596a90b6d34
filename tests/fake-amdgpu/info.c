/* SPDX-License-Identifier: MIT */
/*
 * Emulated amdgpu: answers to AMDGPU_INFO. Mesa's drivers ask for most of them; sizes of caches,
 * clocks and firmware are invented, what decides layouts is the chip's.
 */

#include "state.h"
#include <errno.h>
#include <string.h>

#define GB_ADDR_CONFIG 0x263e
#define GIB (UINT64_C(1) << 30)

static int put(const struct drm_amdgpu_info *info, const void *data, size_t size)
{
	memset((void *)(uintptr_t)info->return_pointer, 0, info->return_size);
	memcpy((void *)(uintptr_t)info->return_pointer, data,
		size < info->return_size ? size : info->return_size);
	return 0;
}

static int put_number(const struct drm_amdgpu_info *info, uint64_t value)
{
	return put(info, &value, sizeof(value));
}

static int device(const struct fake_chip *chip, const struct drm_amdgpu_info *info)
{
	struct drm_amdgpu_info_device device = {
		.device_id = chip->device,
		.external_rev = chip->external_rev,
		.family = chip->family,
		.ids_flags = chip->integrated ? AMDGPU_IDS_FLAGS_FUSION : 0,
		.num_shader_engines = 1,
		.num_shader_arrays_per_engine = 1,
		.gpu_counter_freq = 100000,
		.max_engine_clock = 2000000,
		.max_memory_clock = 1000000,
		.cu_active_number = 8,
		.cu_bitmap = {{0xff}},
		.num_cu_per_sh = 8,
		.enabled_rb_pipes_mask = 0xf,
		.num_rb_pipes = 4,
		.num_hw_gfx_contexts = 8,
		.vram_type = AMDGPU_VRAM_TYPE_GDDR6,
		.vram_bit_width = 128,
		.num_tcc_blocks = 4,
		.wave_front_size = 64,
		.num_shader_visible_vgprs = 256,
		.gs_vgt_table_depth = 32,
		.gs_prim_buffer_depth = 1792,
		.max_gs_waves_per_vgt = 32,
		.sqc_inst_cache_size = 32,
		.sqc_data_cache_size = 16,
		.tcp_cache_size = 16,
		.gl1c_cache_size = 128,
		.gl2c_cache_size = 1024,
		.num_sqc_per_wgp = 1,
		.virtual_address_offset = 0x200000,
		.virtual_address_max = 0x800000000000,
		.virtual_address_alignment = FAKE_PAGE,
		.pte_fragment_size = 2 << 20,
		.gart_page_size = FAKE_PAGE,
		.high_va_offset = 0xffff800000000000,
		.high_va_max = 0xffffffffffe00000,
	};

	return put(info, &device, sizeof(device));
}

static int engine(const struct fake_chip *chip, const struct drm_amdgpu_info *info)
{
	struct drm_amdgpu_info_hw_ip ip = {.ib_start_alignment = 256, .ib_size_alignment = 4};

	switch (info->query_hw_ip.type) {
	case AMDGPU_HW_IP_DMA:
		ip.hw_ip_version_major = chip->major;
		ip.hw_ip_version_minor = chip->minor;
		ip.available_rings = chip->rings;
		break;
	case AMDGPU_HW_IP_GFX:
	case AMDGPU_HW_IP_COMPUTE:
		ip.hw_ip_version_major = chip->gfx >> 8;
		ip.hw_ip_version_minor = chip->gfx & 0xff;
		ip.available_rings = info->query_hw_ip.type == AMDGPU_HW_IP_GFX ? 1 : 0xf;
		break;
	default: break; /* no rings: neither video nor display units */
	}
	return put(info, &ip, sizeof(ip));
}

static int memory(const struct fake_chip *chip, const struct drm_amdgpu_info *info)
{
	uint64_t vram = chip->integrated ? GIB / 2 : 8 * GIB;
	uint64_t visible = chip->integrated ? vram : GIB / 4;
	struct drm_amdgpu_memory_info memory = {
		.vram = {vram, vram, 0, vram / 4 * 3},
		.cpu_accessible_vram = {visible, visible, 0, visible / 4 * 3},
		.gtt = {16 * GIB, 16 * GIB, 0, 12 * GIB},
	};
	struct drm_amdgpu_info_vram_gtt sizes = {vram, visible, 16 * GIB};

	return info->query == AMDGPU_INFO_MEMORY ? put(info, &memory, sizeof(memory))
						 : put(info, &sizes, sizeof(sizes));
}

int fake_info(const struct fake_chip *chip, const struct drm_amdgpu_info *info)
{
	struct drm_amdgpu_info_firmware firmware = {.ver = 200, .feature = 60};
	uint32_t config = chip->gb_addr_config;

	switch (info->query) {
	case AMDGPU_INFO_ACCEL_WORKING: return put_number(info, 1);
	case AMDGPU_INFO_DEV_INFO: return device(chip, info);
	case AMDGPU_INFO_READ_MMR_REG:
		return put_number(
			info, info->read_mmr_reg.dword_offset == GB_ADDR_CONFIG ? config : 0);
	case AMDGPU_INFO_HW_IP_INFO: return engine(chip, info);
	case AMDGPU_INFO_HW_IP_COUNT: return put_number(info, 1);
	case AMDGPU_INFO_FW_VERSION: return put(info, &firmware, sizeof(firmware));
	case AMDGPU_INFO_MEMORY:
	case AMDGPU_INFO_VRAM_GTT: return memory(chip, info);
	case AMDGPU_INFO_VRAM_USAGE:
	case AMDGPU_INFO_VIS_VRAM_USAGE:
	case AMDGPU_INFO_GTT_USAGE:
	case AMDGPU_INFO_NUM_BYTES_MOVED:
	case AMDGPU_INFO_NUM_EVICTIONS:
	case AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS:
	case AMDGPU_INFO_TIMESTAMP: return put_number(info, 0);
	default: return -EINVAL;
	}
}
