#pragma once

/** The wayland backend, as it ships, on a host that does just what a test tells it to. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/wayland.h"
#include "host.h"
#include "util/clock.h"

#define START INT64_C(5000000000) /* what the clock says at first */
#define MAX_OUTPUTS 2
#define MAX_LINES 64

/** An output with all that it said. */
struct screen {
	struct fixture *fixture;
	struct output *output; /* NULL: gone */
	int n_presents, n_requests, n_needs_frame, n_changed;
	struct output_present last;
	struct wl_listener present, request_state, needs_frame, changed, destroy;
};

struct device {
	struct fixture *fixture;
	struct input_device *base; /* NULL: gone */
	struct wl_listener key, keymap, modifiers, motion_absolute, button, axis, frame, touch_down,
		touch_motion, touch_up, touch_cancel, touch_frame, gesture, destroy;
};

struct fixture {
	struct host *host;
	struct wl_event_loop *loop;
	struct clock *clock;
	struct backend *backend;
	char *error;
	bool started;
	bool fit; /* nobody asked for the size of the outputs */
	struct screen screens[MAX_OUTPUTS];
	int n_screens;
	struct device devices[3]; /* by type */
	/** What devices said, a line each. */
	char lines[MAX_LINES][128];
	int n_lines;
	bool ended;
	char *why;
	struct wl_listener new_output, new_input, ended_listener;
};

/** Fails unless devices said just this since the last time, in this order. */
void expect_lines(struct fixture *fixture, const char *const *lines);
#define EXPECT(fixture, ...) expect_lines(fixture, (const char *const[]){__VA_ARGS__, NULL})

/** n windows on a host; `as_gpu`: as if frames were drawn on a GPU, so that outputs take dma-bufs. */
struct fixture *create_fixture(const struct host_options *options, int n, bool as_gpu);
/** The same in two steps, of which the first may have failed: then there is no backend, but an error. */
struct fixture *connect_fixture(const struct host_options *options);
struct fixture *start_fixture(struct fixture *fixture, int n, bool as_gpu);
void destroy_fixture(struct fixture *fixture);
/** Both sides, until neither has anything left to do. */
void pump(struct fixture *fixture);

void enable(struct output *output, bool enabled);
/** The buffer on all of the screen. */
struct plane_state *state_init_with(
	struct output_state *state, struct screen *screen, struct buffer *buffer);
/** A frame; `fence` -1: none; `damage` NULL: all. The commit's number, or 0. */
uint32_t show_with(
	struct screen *screen, struct buffer *buffer, int fence, const pixman_region32_t *damage);
uint32_t show(struct screen *screen, struct buffer *buffer);
