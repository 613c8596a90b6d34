/* SPDX-License-Identifier: MIT */
#pragma once

/** The unmodified wayland backend on a host that a test controls. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/wayland.h"
#include "host.h"
#include "util/clock.h"

#define START INT64_C(5000000000) /* initial time of the clock */
#define OUTPUTS_MAX 2
#define LINES_MAX 64

/** An output and its events. */
struct screen {
	struct fixture *fixture;
	struct output *output; /* NULL: removed */
	int n_presents, n_requests, n_needs_frame, n_changed;
	struct output_present last;
	struct wl_listener present, request_state, needs_frame, changed, destroy;
};

struct device {
	struct fixture *fixture;
	struct input_device *base; /* NULL: removed */
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
	bool fit; /* the user did not ask for an output size */
	struct screen screens[OUTPUTS_MAX];
	int n_screens;
	struct device devices[3]; /* by type */
	/** Events of devices, a line each. */
	char lines[LINES_MAX][128];
	int n_lines;
	bool ended;
	char *why;
	struct wl_listener new_output, new_input, ended_listener;
};

/** Fails unless devices emitted exactly these events since the last call, in this order. */
void expect_lines(struct fixture *fixture, const char *const *lines);
#define EXPECT(fixture, ...) expect_lines(fixture, (const char *const[]){__VA_ARGS__, NULL})

/**
 * Creates a host with n windows; `as_gpu`: frames are rendered by a GPU, so that outputs take
 * dma-bufs.
 */
struct fixture *create_fixture(const struct host_options *options, int n, bool as_gpu);
/** The same in two steps. If the first fails there is an error and no backend. */
struct fixture *connect_fixture(const struct host_options *options);
struct fixture *start_fixture(struct fixture *fixture, int n, bool as_gpu);
void destroy_fixture(struct fixture *fixture);
/** Dispatches both sides until they are idle. */
void pump(struct fixture *fixture);

void enable(struct output *output, bool enabled);
/** Shows the buffer on the whole output. */
struct plane_state *state_init_with(
	struct output_state *state, struct screen *screen, struct buffer *buffer);
/** Commits a frame; `fence` -1: none; `damage` NULL: all. Returns the commit's number, or 0. */
uint32_t show_with(
	struct screen *screen, struct buffer *buffer, int fence, const pixman_region32_t *damage);
uint32_t show(struct screen *screen, struct buffer *buffer);
