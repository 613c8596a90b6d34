#pragma once

/** What unit tests share: cmocka with the headers that it wants first, repeatable randomness, and small things. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <wayland-server-core.h>

struct surface;

/** Ends the test, with the line that reports are made of. */
#define skip_because(reason)                                                                       \
	do {                                                                                       \
		print_message("skip: %s: %s\n", __func__, reason);                                 \
		skip();                                                                            \
	} while (0)

/** surface_commit() as wl_surface.commit has it done: of a pending state that was derived. */
bool derive_and_commit(struct surface *surface);
/** A number in [low, high]. The sequence starts the same in every run of a test. */
int random_between(int low, int high);
/** Another sequence: what failed by a seed that was told can be had again. */
void random_seed(uint64_t seed);

/** Of outputs that agree to everything, and show nothing. */
extern const struct output_impl dark_output_impl;

/** How often a signal came. To be removed from it like any listener. */
struct counter {
	struct wl_listener listener;
	int n;
};

void counter_init(struct counter *counter, struct wl_signal *signal);
