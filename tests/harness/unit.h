/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Helpers of unit tests: cmocka with its required headers, repeatable random numbers, counters of
 * signals.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <wayland-server-core.h>

struct surface;

/** Skips the test, with the line that tests/report reads. */
#define skip_because(reason)                                                                       \
	do {                                                                                       \
		print_message("skip: %s: %s\n", __func__, reason);                                 \
		skip();                                                                            \
	} while (0)

/**
 * Derives and commits the pending state, as wl_surface.commit does. Returns the result of
 * surface_commit().
 */
bool derive_and_commit(struct surface *surface);
/** Returns a number in [low, high]. Every run of a test gets the same sequence. */
int random_between(int low, int high);
/** Seeds the sequence, to repeat a failed run. */
void random_seed(uint64_t seed);

/** An output that accepts every state and displays nothing. */
extern const struct output_impl dark_output_impl;

/** Counts emissions of a signal. Remove `listener` before the signal is destroyed. */
struct counter {
	struct wl_listener listener;
	int n;
};

void counter_init(struct counter *counter, struct wl_signal *signal);
