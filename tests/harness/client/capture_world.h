/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * A client with a window (100x80 at 20, 30; "under test"), and another one that captures the window
 * or its output.
 */

#include "harness/client/capturer.h"
#include "harness/client/world.h"

/** cmocka setup and teardown, for a world with a renderer. */
int set_up(void **state);
int tear_down(void **state);
/** A row of the tests in main(), which has a static `world` and begins with world_begin(). */
#define TEST(name) cmocka_unit_test_prestate_setup_teardown(name, set_up, tear_down, &world)
/** Reads the renderer from the command line. */
void world_begin(struct world *world, int argc, char **argv);

struct capturer_session *output_session(struct world *world, uint32_t options);
struct capturer_session *window_session(struct world *world, uint32_t options);
