/* SPDX-License-Identifier: MIT */
#pragma once

/** Red windows of another GPU, whose next buffers have another size, format or modifier. */

#include "world.h"

#define WIDTH 320 /* of the output */
#define HEIGHT 240
#define RED 0xc80000
#define BLUE 0x0000c8

/** cmocka set-up; world_tear_down() is the tear-down. */
int resize_set_up(void **state);
/** Shows a red window with a buffer of this size. */
struct peer_window *resize_open(struct canvas *canvas, struct world *world, int width, int height);
/** Returns the state of the window that has applied. */
const struct surface_state *resize_current(struct world *world, struct peer_window *window);
/** Fails the test unless the pixel of the output has the color. */
void resize_expect(struct world *world, int x, int y, uint32_t color);
