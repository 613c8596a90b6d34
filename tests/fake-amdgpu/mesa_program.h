/* SPDX-License-Identifier: MIT */
#pragma once

/** A Wayland program on a thread, which shows one picture by RADV's swapchain. */

#include <stdbool.h>
#include <stdint.h>

/* Drivers tile images of this size in large blocks, whose equations are known. */
#define MESA_PROGRAM_WIDTH 256
#define MESA_PROGRAM_HEIGHT 128

struct mesa_program;

/**
 * Starts the program on a connection, which it owns. It uploads its picture on the transfer queue
 * of the GPU with this render node (`minor`), and presents it.
 */
struct mesa_program *mesa_program_start(int fd, unsigned minor);
/** Returns whether the picture was presented, or an error occurred. */
bool mesa_program_presented(const struct mesa_program *program);
/** Returns the step that failed, or NULL. */
const char *mesa_program_error(const struct mesa_program *program);
/** Asks the thread to disconnect. */
void mesa_program_end(struct mesa_program *program);
bool mesa_program_ended(const struct mesa_program *program);
/** The thread has ended. */
void mesa_program_destroy(struct mesa_program *program);

/** Returns a pixel of the picture, 0xRRGGBB. */
uint32_t mesa_program_pixel(int x, int y);
