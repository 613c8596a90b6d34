/* SPDX-License-Identifier: MIT */
#pragma once

/** The window manager's rules towards X programs, a function each, in tables by subject. */

#include "x_client.h"
#include <stddef.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define NORMAL 1
#define ICONIC 3
#define PAGER 2

/** Flags of WM_HINTS. */
#define INPUT_HINT (1 << 0)
#define STATE_HINT (1 << 1)
#define URGENCY_HINT (1 << 8)
/** Flags of WM_NORMAL_HINTS. */
#define US_POSITION (1 << 0)
#define P_POSITION (1 << 2)
#define MIN_SIZE (1 << 4)
#define LARGEST_SIZE (1 << 5)
#define INCREMENT (1 << 6)
#define GRAVITY (1 << 9)

#define MOVE (XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y)
#define RESIZE (XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT)

/** Positions in rules are multiples of 60: whole logical pixels at 1.25, 1.5 and 2. */
struct x_rule {
	const char *name; /* NULL ends a table */
	void (*check)(struct x_client *client);
	bool floating; /* about places and sizes that tiles do not have */
};

/* clang-format off */
#define RULE(name) {#name, name, false}
#define RULE_FLOATING(name) {#name, name, true}
/* clang-format on */

extern const struct x_rule x_rules_windows[], x_rules_geometry[], x_rules_focus[];
extern const struct x_rule x_rules_states[], x_rules_iconic[], x_rules_sync[], x_rules_hostile[];
extern const struct x_rule x_rules_monitors[], x_rules_requests[], x_rules_stack[];
extern const struct x_rule x_rules_announced[];
/** Run by name only. */
extern const struct x_rule x_rules_typing[], x_rules_outputs[];

/** Compare a window's box in root coordinates. */
bool is_box(struct x_client *client, xcb_window_t window, int x, int y, int w, int h);
bool is_size(struct x_client *client, xcb_window_t window, int w, int h);
/** Waits for _NET_FRAME_EXTENTS. */
void get_frame(struct x_client *client, xcb_window_t window, uint32_t frame[4]);
/** Sends a ConfigureRequest with two values. */
void configure(struct x_client *client, xcb_window_t window, uint16_t mask, uint32_t a, uint32_t b);
/** Maps a window that relies on the window manager for the focus; `focused` waits for it. */
xcb_window_t mapped(struct x_client *client, int width, int height);
xcb_window_t focused(struct x_client *client);
/** Maps a window of 200 x 100 at 120, 90 with WM_NORMAL_HINTS of 18 values. */
xcb_window_t with_hints(struct x_client *client, const uint32_t *hints);
/** Sends _NET_WM_STATE; `b` may be NULL. */
void change_state(struct x_client *client, xcb_window_t window, uint32_t action, const char *a,
	const char *b);
