/* SPDX-License-Identifier: MIT */
/*
 * Driver tables of emulated cards: planes, properties and limits as reported by `drm_info` and the
 * sources of Linux 6.12. Sizes that differ between chips are those of one chip.
 */

#include "state.h"
#include <drm_fourcc.h>

#define ROTATE_HALF (DRM_MODE_ROTATE_0 | DRM_MODE_ROTATE_180)
#define ROTATE_ALL (ROTATE_HALF | DRM_MODE_ROTATE_90 | DRM_MODE_ROTATE_270)

static const uint32_t cursor_formats[] = {DRM_FORMAT_ARGB8888, 0};
static const uint64_t linear_only[] = {DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};

/*
 * amdgpu: a Navi 21 (amdgpu_dm_plane.c). The cursor is always on top, the primary plane is fixed.
 */
static const uint32_t amd_formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888,
	DRM_FORMAT_RGBA8888, DRM_FORMAT_XRGB2101010, DRM_FORMAT_XBGR2101010, DRM_FORMAT_ARGB2101010,
	DRM_FORMAT_ABGR2101010, DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_RGB565,
	DRM_FORMAT_XRGB16161616F, DRM_FORMAT_ARGB16161616F, 0};
static const uint32_t amd_overlay_formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888,
	DRM_FORMAT_RGBA8888, DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_RGB565,
	DRM_FORMAT_NV12, DRM_FORMAT_NV21, DRM_FORMAT_P010, 0};
/* GFX10_RBPLUS 64K_R_X with and without displayable DCC, 64K_S_X, linear. */
static const uint64_t amd_modifiers[] = {0x0200000020937b03, 0x0200000020801b03, 0x0200000020801903,
	DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};
static const struct fake_plane_kind amd_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = amd_formats,
	.modifiers = amd_modifiers,
	.zpos_min = 2,
	.zpos_max = 2,
	.rotations = ROTATE_ALL,
	.scales = true,
	.damage = true,
	.pipelines = true,
};
static const struct fake_plane_kind amd_overlay = {
	.type = DRM_PLANE_TYPE_OVERLAY,
	.formats = amd_overlay_formats,
	.modifiers = amd_modifiers,
	.zpos_min = 0,
	.zpos_max = 254,
	.rotations = ROTATE_ALL,
	.alpha = true,
	.scales = true,
	.damage = true,
	.yuv = true,
	.pipelines = true,
};
static const struct fake_plane_kind amd_cursor = {
	.type = DRM_PLANE_TYPE_CURSOR,
	.formats = cursor_formats,
	.modifiers = linear_only,
	.zpos_min = 255,
	.zpos_max = 255,
	.max_side = 256,
};

/* i915: a Tiger Lake (skl_universal_plane.c). The z-order is fixed; only Y tiles rotate by 90°. */
static const uint32_t intel_formats[] = {DRM_FORMAT_RGB565, DRM_FORMAT_XRGB8888,
	DRM_FORMAT_XBGR8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_XRGB2101010,
	DRM_FORMAT_XBGR2101010, DRM_FORMAT_YUYV, DRM_FORMAT_NV12, 0};
static const uint64_t intel_modifiers[] = {I915_FORMAT_MOD_Y_TILED_GEN12_RC_CCS,
	I915_FORMAT_MOD_Y_TILED, I915_FORMAT_MOD_X_TILED, DRM_FORMAT_MOD_LINEAR,
	DRM_FORMAT_MOD_INVALID};
static const struct fake_plane_kind intel_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = intel_formats,
	.modifiers = intel_modifiers,
	.rotations = ROTATE_HALF,
	.alpha = true,
	.damage = true,
	.yuv = true,
};
static const struct fake_plane_kind intel_sprite_1 = {
	.type = DRM_PLANE_TYPE_OVERLAY,
	.formats = intel_formats,
	.modifiers = intel_modifiers,
	.zpos_min = 1,
	.zpos_max = 1,
	.rotations = ROTATE_HALF,
	.alpha = true,
	.scales = true,
	.yuv = true,
};
static const struct fake_plane_kind intel_sprite_2 = {
	.type = DRM_PLANE_TYPE_OVERLAY,
	.formats = intel_formats,
	.modifiers = intel_modifiers,
	.zpos_min = 2,
	.zpos_max = 2,
	.rotations = ROTATE_HALF,
	.alpha = true,
	.yuv = true,
};
static const struct fake_plane_kind intel_cursor = {
	.type = DRM_PLANE_TYPE_CURSOR,
	.formats = cursor_formats,
	.modifiers = linear_only,
	.zpos_min = 3,
	.zpos_max = 3,
	.rotations = ROTATE_HALF,
	.max_side = 256,
	.intel_cursor = true,
	.size_hints = true,
};

/* i915: a Haswell (intel_sprite.c, i9xx_plane.c). Only the cursor has alpha. */
static const uint32_t haswell_formats[] = {DRM_FORMAT_RGB565, DRM_FORMAT_XRGB8888,
	DRM_FORMAT_XBGR8888, DRM_FORMAT_XRGB2101010, DRM_FORMAT_XBGR2101010, 0};
static const uint32_t haswell_sprite_formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_XBGR8888,
	DRM_FORMAT_XRGB2101010, DRM_FORMAT_XBGR2101010, DRM_FORMAT_YUYV, DRM_FORMAT_YVYU,
	DRM_FORMAT_UYVY, DRM_FORMAT_VYUY, 0};
static const uint64_t haswell_modifiers[] = {
	I915_FORMAT_MOD_X_TILED, DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};
static const struct fake_plane_kind haswell_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = haswell_formats,
	.modifiers = haswell_modifiers,
	.rotations = ROTATE_HALF,
	.covers = true, /* i9xx_plane_has_windowing() */
};
static const struct fake_plane_kind haswell_sprite = {
	.type = DRM_PLANE_TYPE_OVERLAY,
	.formats = haswell_sprite_formats,
	.modifiers = haswell_modifiers,
	.zpos_min = 1,
	.zpos_max = 1,
	.rotations = ROTATE_HALF,
	.yuv = true,
};
static const struct fake_plane_kind haswell_cursor = {
	.type = DRM_PLANE_TYPE_CURSOR,
	.formats = cursor_formats,
	.modifiers = linear_only,
	.zpos_min = 2,
	.zpos_max = 2,
	.rotations = ROTATE_HALF,
	.max_side = 256,
	.intel_cursor = true,
};

/* rockchip: an RK3568 (rockchip_drm_vop2.c), where each connector is wired to some of the CRTCs. */
static const uint32_t rockchip_formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888,
	DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_RGB565, DRM_FORMAT_NV12, 0};
static const struct fake_plane_kind rockchip_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = rockchip_formats,
	.modifiers = linear_only,
	.zpos_max = 5,
	.scales = true,
};

/*
 * nvidia-drm: no zpos, no rotation, block-linear layouts (kind 0x06, generation 2, 32 GOBs high).
 */
static const uint32_t nvidia_formats[] = {DRM_FORMAT_ARGB8888, DRM_FORMAT_XRGB8888,
	DRM_FORMAT_ABGR8888, DRM_FORMAT_XBGR8888, DRM_FORMAT_ARGB2101010, DRM_FORMAT_XRGB2101010,
	0};
static const uint64_t nvidia_modifiers[] = {
	0x0300000000606015, 0x0300000000606014, DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};
static const struct fake_plane_kind nvidia_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = nvidia_formats,
	.modifiers = nvidia_modifiers,
	.zpos_min = -1,
	.zpos_max = -1,
	.yuv = true,
};
static const struct fake_plane_kind nvidia_overlay = {
	.type = DRM_PLANE_TYPE_OVERLAY,
	.formats = nvidia_formats,
	.modifiers = nvidia_modifiers,
	.zpos_min = -1,
	.zpos_max = -1,
	.yuv = true,
	.alpha = true,
};
static const struct fake_plane_kind nvidia_cursor = {
	.type = DRM_PLANE_TYPE_CURSOR,
	.formats = cursor_formats,
	.modifiers = linear_only,
	.zpos_min = -1,
	.zpos_max = -1,
	.max_side = 256,
};

/* vc4: the HDMI outputs of a Raspberry Pi (vc4_plane.c, vc4_hdmi.c), with linear layouts only. */
static const uint32_t vc4_formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888,
	DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_RGB565, DRM_FORMAT_NV12, 0};
static const struct fake_plane_kind vc4_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = vc4_formats,
	.modifiers = linear_only,
	.zpos_max = 0,
	.alpha = true,
	.scales = true,
	.yuv = true,
};
static const struct fake_plane_kind vc4_cursor = {
	.type = DRM_PLANE_TYPE_CURSOR,
	.formats = vc4_formats,
	.modifiers = linear_only,
	.zpos_min = 1,
	.zpos_max = 1,
	.alpha = true,
	.scales = true,
};

/* virtio_gpu: QEMU (virtgpu_plane.c), whose mode list follows the host's window. */
static const uint32_t virtio_formats[] = {DRM_FORMAT_XRGB8888, 0};
static const struct fake_plane_kind virtio_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = virtio_formats,
	.zpos_min = -1,
	.zpos_max = -1,
	.damage = true,
	.covers = true,
};
static const struct fake_plane_kind virtio_cursor = {
	.type = DRM_PLANE_TYPE_CURSOR,
	.formats = cursor_formats,
	.zpos_min = -1,
	.zpos_max = -1,
	.max_side = 64,
};

/* omapdrm (omap_plane.c): all rotations and reflections. */
static const struct fake_plane_kind omap_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = rockchip_formats,
	.modifiers = linear_only,
	.zpos_max = 3,
	.rotations = ROTATE_ALL | DRM_MODE_REFLECT_X | DRM_MODE_REFLECT_Y,
	.scales = true,
	.yuv = true,
};
static const struct fake_plane_kind omap_overlay = {
	.type = DRM_PLANE_TYPE_OVERLAY,
	.formats = rockchip_formats,
	.modifiers = linear_only,
	.zpos_max = 3,
	.rotations = ROTATE_ALL | DRM_MODE_REFLECT_X | DRM_MODE_REFLECT_Y,
	.alpha = true,
	.scales = true,
	.yuv = true,
};

/* simpledrm: one plane of one format, with the mandatory properties only. */
static const uint32_t tiny_formats[] = {DRM_FORMAT_XRGB8888, 0};
static const struct fake_plane_kind tiny_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = tiny_formats,
	.zpos_min = -1,
	.zpos_max = -1,
	.covers = true,
};

const struct fake_card_kind fake_kinds[] = {
	{
		.name = "amdgpu",
		.vendor = 0x1002,
		.device = 0x73bf,
		.n_crtcs = 4,
		.per_crtc = {&amd_primary, &amd_overlay, &amd_cursor},
		.connectors = {"DP-1", "DP-2", "DP-3", "HDMI-A-1"},
		.amd_color = true,
		.modifiers = true,
		.async = true,
		.vrr = true,
		.ctm = true,
		.content_type = true,
		.content_modeset = true,
		.check_waits = true,
		.adds_connectors = true,
		.refuses_imports = true,
		.pins_local = true,
		.resets = true,
		.needs_primary = true,
		.gamma_size = 4096,
		.degamma_size = 4096,
		.max_bpc = 16,
		.cursor_side = 256,
	},
	{
		.name = "i915",
		.vendor = 0x8086,
		.device = 0x9a49,
		.boot_vga = true,
		.n_crtcs = 4,
		.per_crtc = {&intel_primary, &intel_sprite_1, &intel_sprite_2, &intel_cursor},
		.connectors = {"eDP-1", "DP-4", "HDMI-A-2"},
		.filters = true,
		.modifiers = true,
		.async = true,
		.vrr = true,
		.ctm = true,
		.content_type = true,
		.content_modeset = true,
		/*
		 * i915_gem_object_pin_to_display_plane() maps uncached ("display engine is not
		 * coherent with the LLC cache") and flushes dirty buffers only;
		 * i915_gem_clflush_object() skips objects without struct pages, which imports are.
		 */
		.reads_stale = true,
		.resets = true,
		.gamma_size = 1024,
		.degamma_size = 33,
		.max_bpc = 12,
		.cursor_side = 256,
	},
	/* Meteor Lake and later, or force_probe: the display code of i915 (drivers/gpu/drm/xe). */
	{
		.name = "xe",
		.vendor = 0x8086,
		.device = 0x64a0,
		.n_crtcs = 4,
		.per_crtc = {&intel_primary, &intel_sprite_1, &intel_sprite_2, &intel_cursor},
		.connectors = {"eDP-4", "DP-7", "HDMI-A-8"},
		.modifiers = true,
		.async = true,
		.vrr = true,
		.ctm = true,
		.content_type = true,
		.content_modeset = true,
		/*
		 * xe_fb_pin.c maps framebuffers with XE_CACHE_NONE, and xe_display_bo.c demands no
		 * uncached pages of imports (ttm_bo_type_sg).
		 */
		.reads_stale = true,
		.resets = true,
		.gamma_size = 1024,
		.degamma_size = 33,
		.max_bpc = 12,
		.cursor_side = 256,
	},
	{
		.name = "i915-haswell",
		.driver = "i915",
		.vendor = 0x8086,
		.device = 0x0416,
		.n_crtcs = 3,
		.per_crtc = {&haswell_primary, &haswell_sprite, &haswell_cursor},
		.connectors = {"eDP-2", "HDMI-A-4"},
		.modifiers = true,
		.async = true,
		.ctm = true,
		.content_type = true,
		.content_modeset = true,
		/*
		 * As above: all generations.
		 */
		.reads_stale = true,
		.resets = true,
		.gamma_size = 512,
		.degamma_size = 512,
		.max_bpc = 12,
		.cursor_side = 256,
	},
	/* The same with three pipes and the ports of a dock: more connectors than CRTCs. */
	{
		.name = "i915-dock",
		.driver = "i915",
		.vendor = 0x8086,
		.device = 0x0166,
		.n_crtcs = 3,
		.per_crtc = {&haswell_primary, &haswell_sprite, &haswell_cursor},
		.connectors = {"eDP-5", "DP-8", "DP-9", "DP-10"},
		.modifiers = true,
		.content_type = true,
		.resets = true,
		.reads_stale = true,
		.gamma_size = 256,
		.max_bpc = 12,
		.cursor_side = 256,
	},
	{
		.name = "rockchip",
		.n_crtcs = 3,
		.per_crtc = {&rockchip_primary},
		.connectors = {"HDMI-A-5", "eDP-3", "DSI-1"},
		.routes = {0x3, 0x3, 0x2},
		.background = true,
		.modifiers = true,
		.gamma_size = 1024,
	},
	{
		.name = "nvidia-drm",
		.vendor = 0x10de,
		.device = 0x2684,
		.n_crtcs = 4,
		.per_crtc = {&nvidia_primary, &nvidia_overlay, &nvidia_cursor},
		.connectors = {"DP-5", "DP-6", "HDMI-A-3"},
		.modifiers = true,
		.vrr = true,
		.ctm = true,
		.nv_color = true,
		.no_in_fence = true,
		.loses_implicit = true,
		/*
		 * Before 595, which refuses such framebuffers in its check (nvidia-drm-fb.c,
		 * non_scanout_mem_backed): the display reads video memory only, and the flip event
		 * never comes.
		 */
		.loses_system = true,
		.gamma_size = 1024,
		.degamma_size = 1024,
		.cursor_side = 256,
	},
	{
		.name = "vc4",
		.n_crtcs = 2,
		.per_crtc = {&vc4_primary, &vc4_cursor},
		.connectors = {"HDMI-A-6", "HDMI-A-7"},
		.modifiers = true,
		.content_type = true,
		.max_bpc = 12,
		.cursor_side = 64,
	},
	{
		.name = "virtio_gpu",
		.vendor = 0x1af4,
		.device = 0x1050,
		.n_crtcs = 1,
		.per_crtc = {&virtio_primary, &virtio_cursor},
		.connectors = {"Virtual-1"},
		.damage = true,
		.cursor_side = 64,
	},
	/* vmwgfx_kms.c: the mode follows the host's window, as that of qxl and vboxvideo does. */
	{
		.name = "vmwgfx",
		.vendor = 0x15ad,
		.device = 0x0405,
		.n_crtcs = 1,
		.per_crtc = {&virtio_primary, &virtio_cursor},
		.connectors = {"Virtual-2"},
		.damage = true,
		.resizes = true,
		.cursor_side = 64,
	},
	{
		.name = "omapdrm",
		.n_crtcs = 2,
		.per_crtc = {&omap_primary},
		.shared = {&omap_overlay, &omap_overlay},
		.connectors = {"HDMI-A-12", "DSI-2"},
		.modifiers = true,
		.gamma_size = 256,
	},
	/* The Raspberry Pi's firmware driver (vc4_firmware_kms.c): each plane has all CRTCs. */
	{
		.name = "vc4-firmware",
		.driver = "vc4",
		.n_crtcs = 3,
		.shared = {&vc4_primary, &vc4_cursor, &vc4_primary, &vc4_cursor, &vc4_primary,
			&vc4_cursor},
		.connectors = {"HDMI-A-10", "HDMI-A-11", "DSI-3"},
		.modifiers = true,
		.cursor_side = 64,
	},
	/* Overlays beyond the number of streams have all CRTCs (initialize_plane()). */
	{
		.name = "amdgpu-overlays",
		.driver = "amdgpu",
		.vendor = 0x1002,
		.n_crtcs = 2,
		.per_crtc = {&amd_primary, &amd_cursor},
		.shared = {&amd_overlay, &amd_overlay, &amd_overlay},
		.connectors = {"eDP-1", "DP-1"},
		.modifiers = true,
		.cursor_side = 256,
	},
	/* Windows of one video port beside those of all, as of an RK3588 (rockchip_vop2_reg.c). */
	{
		.name = "rockchip-windows",
		.driver = "rockchip",
		.n_crtcs = 2,
		.per_crtc = {&rockchip_primary, &omap_overlay},
		.shared = {&omap_overlay, &omap_overlay, &omap_overlay},
		.connectors = {"HDMI-A-13", "eDP-6"},
		.modifiers = true,
		.cursor_side = 64,
	},
	{
		.name = "simpledrm",
		.n_crtcs = 1,
		.per_crtc = {&tiny_primary},
		.connectors = {"Unknown-1"},
	},
	{0},
};

const struct fake_screen fake_screen_plain = {
	.maker = "CWY",
	.name = "Plain 24",
	.serial = 1001,
	.mm_width = 530,
	.mm_height = 300,
	.modes = {{1920, 1080, 60}, {1280, 720, 60}, {1024, 768, 60}},
	.min_hz = 50,
	.max_hz = 76,
	.max_clock = 170,
};

const struct fake_screen fake_screen_gaming = {
	.maker = "CWY",
	.name = "Gaming 27",
	.serial = 2002,
	.mm_width = 600,
	.mm_height = 340,
	.modes = {{2560, 1440, 144}, {2560, 1440, 60}, {1920, 1080, 144}},
	.min_hz = 48,
	.max_hz = 144,
	.max_clock = 600,
	.vrr = true,
	.deep = true,
};

const struct fake_screen fake_screen_headset = {
	.maker = "CWY",
	.name = "Headset",
	.serial = 3003,
	.modes = {{2880, 1600, 90}},
	.non_desktop = true,
};
