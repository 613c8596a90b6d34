/* SPDX-License-Identifier: MIT */
/* Quirks of GPU drivers with memory of others, by the name of the kernel driver. */

#include "gpu/quirks.h"
#include "gpu/gpu.h"
#include <stddef.h>
#include <string.h>

static bool is_driver(const struct gpu *gpu, const char *const *names)
{
	while (*names && strcmp(gpu->driver, *names) != 0) {
		names++;
	}
	return *names;
}

bool gpu_samples_cpu_writes(const struct gpu *gpu)
{
	/*
	 * amdgpu maps imports snooped (amdgpu_ttm_tt_pde_flags()), and xe demands a coherent
	 * mapping (xe_vm.c: "require coherency"). vkms has a software renderer. Not i915: without
	 * LLC, i915_gem_object_get_pages_dmabuf() flushes the caches of all CPUs once, for the
	 * first frame only. Not NVIDIA: field reports of black windows (KWin), and of garbage
	 * beyond the first megabytes.
	 */
	static const char *const names[] = {"amdgpu", "xe", "vkms", NULL};
	return !gpu || is_driver(gpu, names);
}

bool gpu_scans_out_system_memory(const struct gpu *gpu)
{
	/*
	 * Intel's display engine does not snoop. i915_gem_clflush_object() skips imports, which
	 * have no struct pages; xe_fb_pin.c maps with XE_CACHE_NONE. nvidia-drm accepts the
	 * framebuffer without being able to scan it out before 595 (nvidia-drm-fb.c).
	 */
	static const char *const names[] = {"i915", "xe", "nvidia", "nvidia-drm", NULL};
	return !gpu || !is_driver(gpu, names);
}

/* PCI devices of AMD's processors, inclusive. */
struct range {
	uint32_t first, last;
};

static bool is_within(uint32_t device, const struct range *ranges)
{
	while (ranges->last && (device < ranges->first || device > ranges->last)) {
		ranges++;
	}
	return ranges->last;
}

bool gpu_scans_out_shared_memory(const struct gpu *gpu)
{
	/*
	 * The display engines of some processors read their carve-out of video memory only
	 * (gpu_vm_support in amdgpu_dm_init()): those before Carrizo, Raven (0x15dd, also sold as
	 * Raven 2: amdgpu_device_init_apu_flags()), and any with amdgpu.sg_display=0. Pinning for
	 * scan-out moves buffers there (amdgpu_display_supported_domains()), and a mapping for
	 * another GPU moves them back (amdgpu_dma_buf_map()).
	 */
	static const struct range without[] = {
		{0x1304, 0x131d}, /* Kaveri */
		{0x9830, 0x985f}, /* Kabini, Mullins */
		{0x15dd, 0x15dd},
		{0},
	};
	/* Cyan Skillfish, only with amdgpu.sg_display=1 */
	static const struct range on_request[] = {
		{0x13db, 0x13db}, {0x13f9, 0x13fe}, {0x143f, 0x143f}, {0}};
	if (!gpu || !gpu->integrated || strcmp(gpu->driver, "amdgpu") != 0) {
		return true;
	}
	return gpu->sg_display != GPU_SG_DISPLAY_OFF && !is_within(gpu->device, without) &&
	       (gpu->sg_display == GPU_SG_DISPLAY_ON || !is_within(gpu->device, on_request));
}

bool gpu_is_nvidia(const struct gpu *gpu)
{
	static const char *const names[] = {"nvidia", "nvidia-drm", NULL};
	return is_driver(gpu, names);
}

bool gpu_shares_linear_memory(const struct gpu *gpu)
{
	/*
	 * GBM's linear buffers are in video memory there. Imports of them succeed, and mappings
	 * fail: __nv_drm_gem_nvkms_memory_prime_get_sg_table() returns ENOMEM without pages.
	 */
	return !gpu_is_nvidia(gpu);
}

bool gpu_samples_foreign_memory(const struct gpu *gpu)
{
	/*
	 * Field reports: EGL imports system memory without an error, and samples it correctly for
	 * the first contiguous megabytes only (Hermes-KMS, driver 595.84), or as black (KWin).
	 * Vulkan transfers to and from it are exact (waydroid-nvidia, driver 610.57).
	 */
	return !gpu || !gpu_is_nvidia(gpu);
}

bool gpu_samples_exporter(const struct gpu *gpu, const char *exporter)
{
	/*
	 * The CPU writes udmabufs, see gpu_samples_cpu_writes(). Devices write most other system
	 * memory, such as that of cameras and video decoders, and i915 snoops that. KWin imports no
	 * udmabufs on i915 and NVIDIA either (egldisplay.cpp).
	 */
	bool stale = gpu && strcmp(gpu->driver, "i915") == 0 && strcmp(exporter, "udmabuf") == 0;
	return gpu_samples_foreign_memory(gpu) && !stale;
}
