/* SPDX-License-Identifier: MIT */
#pragma once

/** Shells for tests: a seat, outputs without pixels, and windows of cooperative clients. */

#include "harness/unit.h"
#include "seat/seat.h"
#include "shell/geometry/private.h"
#include "surface/surface.h"
#include "util/clock.h"

#define WINDOWS 6
#define OUTPUTS 3

struct test_window {
	struct window *window;
	struct surface *surface;
	struct window_configure configure;
	uint32_t serial;
	int n_configures, n_dismissed, n_moved;
	int increment; /* of the size, in interactive resizes; 0: none */
};

struct test_output {
	struct output output;
	struct scene_output *shown;
	const char *name, *serial; /* for the next plug(); NULL: the usual name, no number */
};

struct shell_fixture {
	struct clock *clock;
	struct scene *scene;
	struct seat *seat;
	struct shell *shell;
	struct input_device pointer, keyboard;
	struct test_output outputs[OUTPUTS];
	struct test_window windows[WINDOWS];
	uint32_t serial;
};

/** For cmocka. */
int set_up_shell(void **state);
/** The same, with the layout `columns`. */
int set_up_tiles(void **state);
int tear_down_shell(void **state);

void plug(struct shell_fixture *fixture, int index, int x);
/** As above, with another mode, and below the upper edge. */
void plug_at(struct shell_fixture *fixture, int index, const struct box *box);
void unplug(struct shell_fixture *fixture, int index);
void make(struct shell_fixture *fixture, int index);
/** Acknowledges the last configure and commits a buffer of this size. */
void draw(struct test_window *self, int width, int height);
/** Acknowledges the last configure and draws its size. */
void obey(struct test_window *self);
/** Lets all mapped windows obey, then lets time (ns) pass. */
void obey_all(struct shell_fixture *fixture, int64_t time);
/** Lets all mapped windows obey until nothing changes. */
void settle_tiles(struct shell_fixture *fixture);
/** Maps a window and settles. */
struct window *add_tile(struct shell_fixture *fixture, int index);
struct window *map(struct shell_fixture *fixture, int index, int width, int height);
void unmap(struct shell_fixture *fixture, int index);
/** True if a lies above b. */
bool is_above(const struct window *a, const struct window *b);
void assert_box(const struct window *window, int x, int y, int width, int height);
void move_to(struct shell_fixture *fixture, double x, double y);
void button(struct shell_fixture *fixture, uint32_t code, bool pressed);
void key(struct shell_fixture *fixture, uint32_t code, bool pressed);
/** Presses and releases the key. */
void press(struct shell_fixture *fixture, uint32_t code);
/** Sets the configuration of this text, which must be correct. */
void configure_shell(struct shell_fixture *fixture, const char *text);
/** Returns the number of the current workspace. */
int workspace(struct shell_fixture *fixture);
bool run(struct shell_fixture *fixture, const char *action, const char *argument);
