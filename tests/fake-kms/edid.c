/* SPDX-License-Identifier: MIT */
/* EDIDs and modes of the emulated screens. */

#include "state.h"
#include <stdio.h>
#include <string.h>

#define BLANK_X 160
#define BLANK_Y 40

static void put16(uint8_t *to, unsigned value)
{
	to[0] = (uint8_t)value;
	to[1] = (uint8_t)(value >> 8);
}

/* Writes a detailed timing with reduced blanking. */
static void fill_timing(uint8_t *to, const struct fake_screen *screen)
{
	unsigned width = (unsigned)screen->modes[0].width;
	unsigned height = (unsigned)screen->modes[0].height;
	unsigned clock =
		(width + BLANK_X) * (height + BLANK_Y) * (unsigned)screen->modes[0].refresh / 10000;

	put16(to, clock < 0xffff ? clock : 0xffff);
	to[2] = (uint8_t)width;
	to[3] = BLANK_X;
	to[4] = (uint8_t)(width >> 8 << 4);
	to[5] = (uint8_t)height;
	to[6] = BLANK_Y;
	to[7] = (uint8_t)(height >> 8 << 4);
	to[8] = 48;
	to[9] = 32;
	to[10] = 0x35;
	to[12] = (uint8_t)screen->mm_width;
	to[13] = (uint8_t)screen->mm_height;
	to[14] = (uint8_t)(screen->mm_width >> 8 << 4 | screen->mm_height >> 8);
	to[17] = 0x1a;
}

static void fill_range(uint8_t *to, const struct fake_screen *screen)
{
	to[3] = 0xfd;
	to[5] = (uint8_t)screen->min_hz;
	to[6] = (uint8_t)screen->max_hz;
	to[7] = 30; /* kHz */
	to[8] = 255;
	to[9] = (uint8_t)((screen->max_clock + 9) / 10);
	to[10] = 1; /* range limits only */
	to[11] = '\n';
	memset(to + 12, ' ', 6);
}

void fake_edid_fill(uint8_t bytes[128], const struct fake_screen *screen)
{
	static const uint8_t header[] = {0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0};
	const char *maker = screen->maker;
	unsigned id = (unsigned)(maker[0] - '@') << 10 | (unsigned)(maker[1] - '@') << 5 |
		      (unsigned)(maker[2] - '@');
	char name[14];
	uint8_t sum = 0;

	memset(bytes, 0, 128);
	memcpy(bytes, header, sizeof(header));
	bytes[8] = (uint8_t)(id >> 8);
	bytes[9] = (uint8_t)id;
	put16(bytes + 10, 0x1234);
	put16(bytes + 12, screen->serial & 0xffff);
	put16(bytes + 14, screen->serial >> 16);
	bytes[16] = 1;
	bytes[17] = 35; /* 2025 */
	bytes[18] = 1;
	bytes[19] = 4;
	bytes[20] = screen->deep ? 0xb5 : 0xa5; /* digital, ten or eight bits, DisplayPort */
	bytes[21] = (uint8_t)(screen->mm_width / 10);
	bytes[22] = (uint8_t)(screen->mm_height / 10);
	bytes[23] = 120; /* gamma 2.2 */
	bytes[24] = 0x02; /* the first timing is the native one */
	memset(bytes + 38, 1, 16); /* no standard timings */
	fill_timing(bytes + 54, screen);
	bytes[72 + 3] = 0xfc;
	snprintf(name, sizeof(name), "%s\n            ", screen->name);
	memcpy(bytes + 72 + 5, name, 13);
	bytes[90 + 3] = 0x10; /* unused descriptor */
	if (screen->min_hz) {
		fill_range(bytes + 90, screen);
	}
	bytes[108 + 3] = 0x10;
	for (int i = 0; i < 127; i++) {
		sum = (uint8_t)(sum + bytes[i]);
	}
	bytes[127] = (uint8_t)(0x100 - sum);
}

void fake_mode_fill(struct drm_mode_modeinfo *mode, const struct fake_screen *screen, int i)
{
	unsigned width = (unsigned)screen->modes[i].width;
	unsigned height = (unsigned)screen->modes[i].height;
	unsigned refresh = (unsigned)screen->modes[i].refresh;
	unsigned blank = screen->modes[i].blank ? (unsigned)screen->modes[i].blank : BLANK_X;
	bool interlaced = screen->modes[i].interlaced;

	*mode = (struct drm_mode_modeinfo){
		.clock =
			(width + blank) * (height + BLANK_Y) * refresh / (interlaced ? 2000 : 1000),
		.hdisplay = (uint16_t)width,
		.hsync_start = (uint16_t)(width + 48),
		.hsync_end = (uint16_t)(width + 80),
		.htotal = (uint16_t)(width + blank),
		.vdisplay = (uint16_t)height,
		.vsync_start = (uint16_t)(height + 3),
		.vsync_end = (uint16_t)(height + 8),
		.vtotal = (uint16_t)(height + BLANK_Y),
		.vrefresh = refresh,
		.flags = DRM_MODE_FLAG_PHSYNC |
			 (screen->modes[i].positive ? DRM_MODE_FLAG_PVSYNC : DRM_MODE_FLAG_NVSYNC) |
			 (interlaced ? DRM_MODE_FLAG_INTERLACE : 0),
		.type = DRM_MODE_TYPE_DRIVER | (i == 0 ? DRM_MODE_TYPE_PREFERRED : 0),
	};
	snprintf(mode->name, sizeof(mode->name), "%ux%u%s", width, height, interlaced ? "i" : "");
}
