/* SPDX-License-Identifier: MIT */
/*
 * Profiles of real cards, from public dumps of drm_info and modetest: encoders with their CRTCs,
 * the order of planes, formats and modifiers. Parts that the dumps lack are those of Linux 6.12's
 * drivers: docs/testing.md lists both.
 */

#include "state.h"
#include <drm_fourcc.h>

#define ROTATE_HALF (DRM_MODE_ROTATE_0 | DRM_MODE_ROTATE_180)
#define ROTATE_ALL (ROTATE_HALF | DRM_MODE_ROTATE_90 | DRM_MODE_ROTATE_270)

static const uint32_t cursor_formats[] = {DRM_FORMAT_ARGB8888, 0};
static const uint64_t linear_only[] = {DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};

/* i915, a Skylake: one sprite for each pipe. */
static const uint32_t skylake_formats[] = {DRM_FORMAT_C8, DRM_FORMAT_RGB565, DRM_FORMAT_XRGB8888,
	DRM_FORMAT_XBGR8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_XRGB2101010,
	DRM_FORMAT_XBGR2101010, DRM_FORMAT_YUYV, DRM_FORMAT_YVYU, DRM_FORMAT_UYVY, DRM_FORMAT_VYUY,
	0};
static const uint64_t skylake_modifiers[] = {I915_FORMAT_MOD_Yf_TILED_CCS,
	I915_FORMAT_MOD_Y_TILED_CCS, I915_FORMAT_MOD_Yf_TILED, I915_FORMAT_MOD_Y_TILED,
	I915_FORMAT_MOD_X_TILED, DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};
static const struct fake_plane_kind skylake_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = skylake_formats,
	.modifiers = skylake_modifiers,
	.rotations = ROTATE_ALL,
	.alpha = true,
	.scales = true,
	.yuv = true,
};
static const struct fake_plane_kind skylake_sprite = {
	.type = DRM_PLANE_TYPE_OVERLAY,
	.formats = skylake_formats,
	.modifiers = skylake_modifiers,
	.zpos_min = 1,
	.zpos_max = 1,
	.rotations = ROTATE_ALL,
	.alpha = true,
	.scales = true,
	.yuv = true,
};
static const struct fake_plane_kind skylake_cursor = {
	.type = DRM_PLANE_TYPE_CURSOR,
	.formats = cursor_formats,
	.modifiers = linear_only,
	.zpos_min = 2,
	.zpos_max = 2,
	.rotations = ROTATE_HALF,
	.max_side = 256,
	.intel_cursor = true,
};

/* amdgpu, a Raven: 64K_S_X with DCC for display, and without. */
static const uint32_t raven_formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888,
	DRM_FORMAT_RGBA8888, DRM_FORMAT_XRGB2101010, DRM_FORMAT_XBGR2101010, DRM_FORMAT_ARGB2101010,
	DRM_FORMAT_ABGR2101010, DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_RGB565,
	DRM_FORMAT_NV21, DRM_FORMAT_NV12, DRM_FORMAT_P010, 0};
static const uint32_t raven_overlay_formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888,
	DRM_FORMAT_RGBA8888, DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_RGB565,
	DRM_FORMAT_NV21, DRM_FORMAT_NV12, DRM_FORMAT_P010, 0};
static const uint64_t raven_modifiers[] = {
	0x0200000000513901, 0x0200000000401901, DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};
static const struct fake_plane_kind raven_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = raven_formats,
	.modifiers = raven_modifiers,
	.zpos_min = 2,
	.zpos_max = 2,
	.rotations = ROTATE_ALL,
	.scales = true,
	.damage = true,
	.yuv = true,
};
static const struct fake_plane_kind raven_overlay = {
	.type = DRM_PLANE_TYPE_OVERLAY,
	.formats = raven_overlay_formats,
	.modifiers = raven_modifiers,
	.zpos_min = 0,
	.zpos_max = 254,
	.rotations = ROTATE_ALL,
	.alpha = true,
	.scales = true,
	.damage = true,
	.yuv = true,
};
static const struct fake_plane_kind raven_cursor = {
	.type = DRM_PLANE_TYPE_CURSOR,
	.formats = cursor_formats,
	.modifiers = linear_only,
	.zpos_min = 255,
	.zpos_max = 255,
	.max_side = 256,
};

/* nvidia-drm before Turing (kind 0xfe): no zpos, and no rotation but the neutral one. */
static const uint32_t pascal_formats[] = {DRM_FORMAT_ARGB1555, DRM_FORMAT_XRGB1555,
	DRM_FORMAT_RGB565, DRM_FORMAT_ARGB8888, DRM_FORMAT_XRGB8888, DRM_FORMAT_ABGR2101010,
	DRM_FORMAT_XBGR2101010, 0};
static const uint32_t pascal_overlay_formats[] = {DRM_FORMAT_ARGB1555, DRM_FORMAT_XRGB1555,
	DRM_FORMAT_ARGB8888, DRM_FORMAT_XRGB8888, DRM_FORMAT_ABGR2101010, DRM_FORMAT_XBGR2101010,
	0};
static const uint64_t pascal_modifiers[] = {
	0x03000000004fe015, 0x03000000004fe014, DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};
static const struct fake_plane_kind pascal_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = pascal_formats,
	.modifiers = pascal_modifiers,
	.zpos_min = -1,
	.zpos_max = -1,
	.rotations = DRM_MODE_ROTATE_0,
};
static const struct fake_plane_kind pascal_overlay = {
	.type = DRM_PLANE_TYPE_OVERLAY,
	.formats = pascal_overlay_formats,
	.modifiers = pascal_modifiers,
	.zpos_min = -1,
	.zpos_max = -1,
	.alpha = true,
};
static const struct fake_plane_kind pascal_cursor = {
	.type = DRM_PLANE_TYPE_CURSOR,
	.formats = cursor_formats,
	.modifiers = linear_only,
	.zpos_min = -1,
	.zpos_max = -1,
	.max_side = 256,
};

/* rockchip: an RK3399 with two display controllers; both HDMI and eDP are wired to both. */
static const uint32_t rk3399_formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888,
	DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_RGB888, DRM_FORMAT_BGR888,
	DRM_FORMAT_RGB565, DRM_FORMAT_BGR565, DRM_FORMAT_NV12, DRM_FORMAT_NV21, DRM_FORMAT_NV16,
	DRM_FORMAT_NV61, DRM_FORMAT_NV24, DRM_FORMAT_NV42, DRM_FORMAT_NV15, DRM_FORMAT_NV20,
	DRM_FORMAT_NV30, 0};
static const uint64_t rk3399_modifiers[] = {
	0x0800000000000051, DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};
static const struct fake_plane_kind rk3399_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = rk3399_formats,
	.modifiers = rk3399_modifiers,
	.zpos_min = -1,
	.zpos_max = -1,
	.scales = true,
};
static const struct fake_plane_kind rk3399_cursor = {
	.type = DRM_PLANE_TYPE_CURSOR,
	.formats = rk3399_formats,
	.modifiers = linear_only,
	.zpos_min = -1,
	.zpos_max = -1,
};

/*
 * vc4: a Raspberry Pi 4 with its own display driver. Each output has one CRTC: crtc-0 is for
 * writeback, crtc-1 and crtc-2 for DSI, crtc-3 and crtc-5 for HDMI, crtc-4 for composite video. The
 * real card has 48 overlays, for all CRTCs.
 */
static const uint32_t pi4_formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888,
	DRM_FORMAT_ABGR8888, DRM_FORMAT_XBGR8888, DRM_FORMAT_RGB565, DRM_FORMAT_BGR565,
	DRM_FORMAT_ARGB1555, DRM_FORMAT_XRGB1555, DRM_FORMAT_RGB888, DRM_FORMAT_BGR888,
	DRM_FORMAT_YUV422, DRM_FORMAT_YVU422, DRM_FORMAT_YUV420, DRM_FORMAT_YVU420, DRM_FORMAT_NV12,
	DRM_FORMAT_NV21, DRM_FORMAT_NV16, DRM_FORMAT_NV61, DRM_FORMAT_P030, DRM_FORMAT_XRGB2101010,
	DRM_FORMAT_ARGB2101010, DRM_FORMAT_ABGR2101010, DRM_FORMAT_XBGR2101010, 0};
static const uint64_t pi4_modifiers[] = {
	DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED, DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};
static const struct fake_plane_kind pi4_primary = {
	.type = DRM_PLANE_TYPE_PRIMARY,
	.formats = pi4_formats,
	.modifiers = pi4_modifiers,
	.alpha = true,
	.scales = true,
	.yuv = true,
};
static const struct fake_plane_kind pi4_overlay = {
	.type = DRM_PLANE_TYPE_OVERLAY,
	.formats = pi4_formats,
	.modifiers = pi4_modifiers,
	.zpos_min = 1,
	.zpos_max = 60,
	.alpha = true,
	.scales = true,
	.yuv = true,
};
static const struct fake_plane_kind pi4_cursor = {
	.type = DRM_PLANE_TYPE_CURSOR,
	.formats = pi4_formats,
	.modifiers = pi4_modifiers,
	.zpos_min = 61,
	.zpos_max = 61,
	.alpha = true,
	.scales = true,
	.yuv = true,
};

/* virtio_gpu with two heads: each has its own CRTC. */
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

const struct fake_card_kind fake_profiles[] = {
	/* Three ports, and streams of a hub for each pipe: more connectors than CRTCs. */
	{
		.name = "i915-skylake",
		.driver = "i915",
		.vendor = 0x8086,
		.device = 0x1916,
		.n_crtcs = 3,
		.per_crtc = {&skylake_primary, &skylake_sprite, &skylake_cursor},
		.connectors = {"eDP-1", "DP-1", "HDMI-A-1", "DP-2", "DP-3", "DP-4"},
		.modifiers = true,
		.async = true,
		.vrr = true,
		.ctm = true,
		.content_type = true,
		.content_modeset = true,
		.reads_stale = true,
		.resets = true,
		.gamma_size = 1024,
		.degamma_size = 1024,
		.max_bpc = 12,
		.cursor_side = 256,
	},
	{
		.name = "amdgpu-raven",
		.driver = "amdgpu",
		.vendor = 0x1002,
		.device = 0x15d8,
		.n_crtcs = 4,
		.by_kind = true,
		.per_crtc = {&raven_primary, &raven_cursor},
		.shared = {&raven_overlay, &raven_overlay, &raven_overlay},
		.connectors = {"eDP-1", "HDMI-A-1", "DP-1", "DP-2"},
		.modifiers = true,
		.async = true,
		.vrr = true,
		.ctm = true,
		.content_type = true,
		.content_modeset = true,
		.check_waits = true,
		.adds_connectors = true,
		.resets = true,
		.needs_primary = true,
		.gamma_size = 4096,
		.degamma_size = 4096,
		.max_bpc = 16,
		.cursor_side = 256,
	},
	/* The same with an older kernel, without modifiers and asynchronous flips. */
	{
		.name = "amdgpu-picasso",
		.driver = "amdgpu",
		.vendor = 0x1002,
		.device = 0x15d8,
		.n_crtcs = 4,
		.by_kind = true,
		.per_crtc = {&raven_primary, &raven_cursor},
		.connectors = {"HDMI-A-1", "DP-1", "DP-2"},
		.ctm = true,
		.check_waits = true,
		.adds_connectors = true,
		.resets = true,
		.needs_primary = true,
		.gamma_size = 4096,
		.max_bpc = 16,
		.cursor_side = 256,
	},
	{
		.name = "nvidia-pascal",
		.driver = "nvidia-drm",
		.vendor = 0x10de,
		.device = 0x1c82,
		.n_crtcs = 4,
		.per_crtc = {&pascal_primary, &pascal_cursor, &pascal_overlay},
		.connectors = {"DP-1", "HDMI-A-1", "DVI-D-1"},
		.modifiers = true,
		.no_in_fence = true,
		.loses_implicit = true,
		.loses_system = true,
		.cursor_side = 256,
	},
	{
		.name = "rockchip-rk3399",
		.driver = "rockchip",
		.n_crtcs = 2,
		.per_crtc = {&rk3399_primary, &rk3399_cursor},
		.connectors = {"HDMI-A-1", "eDP-1", "DSI-1"},
		.modifiers = true,
		.gamma_size = 1024,
		.cursor_side = 64,
	},
	{
		.name = "vc4-pi4",
		.driver = "vc4",
		.n_crtcs = 6,
		.by_kind = true,
		.per_crtc = {&pi4_primary, &pi4_cursor},
		.shared = {&pi4_overlay, &pi4_overlay, &pi4_overlay, &pi4_overlay},
		.connectors = {"HDMI-A-1", "HDMI-A-2", "Composite-1", "DSI-1"},
		.routes = {1 << 3, 1 << 5, 1 << 4, 1 << 1},
		.modifiers = true,
		.content_type = true,
		.max_bpc = 12,
		.cursor_side = 64,
	},
	{
		.name = "virtio-heads",
		.driver = "virtio_gpu",
		.vendor = 0x1af4,
		.device = 0x1050,
		.n_crtcs = 2,
		.per_crtc = {&virtio_primary, &virtio_cursor},
		.connectors = {"Virtual-1", "Virtual-2"},
		.routes = {1 << 0, 1 << 1},
		.damage = true,
		.cursor_side = 64,
	},
	{0},
};
