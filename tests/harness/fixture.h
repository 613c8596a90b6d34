/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Fixture: a server and its clients in one process and one thread. Each client's connection is a
 * socketpair, the clock is the test's, and both sides are dispatched in turns until neither has
 * work left.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/image.h"
#include "server/server.h"
#include <stdbool.h>
#include <sys/types.h>

struct peer;

#define FIXTURE_OUTPUTS_MAX 4

/** Zeros select the defaults: pixman, one output of 320x240 at 60 Hz and scale 1. */
struct fixture_options {
	enum renderer_kind renderer;
	bool drm; /* the KMS backend instead of headless outputs */
	const char *config_path; /* NULL: the defaults */
	const char *config_copy; /* path for a copy of the last valid configuration; NULL: none */
	const char *socket; /* in XDG_RUNTIME_DIR; NULL: none */
	int32_t width, height; /* pixels of each output */
	double scale;
	bool no_memfd_dmabufs; /* clients cannot send memfds as dma-bufs */
	int n_outputs;
	int32_t refresh[FIXTURE_OUTPUTS_MAX]; /* mHz, of each */
};

struct fixture {
	struct clock *clock;
	struct server_output_option outputs[FIXTURE_OUTPUTS_MAX];
	struct server_options options;
	struct server *server;
	struct wl_list peers; /* peer.link */
	/** The test blocks the upload thread: pumping does not wait for it. */
	bool holds_uploads;
	int upload_gate; /* blocks that thread until it is closed; -1: none */
	/** The test blocks tasks: pumping does not wait for them. */
	bool holds_tasks;
};

/** Creates a server. Fails the test if that is impossible. */
struct fixture *fixture_create(const struct fixture_options *options);
/** Destroys the server and the remaining peers. */
void fixture_destroy(struct fixture *fixture);
/**
 * Tear-down for cmocka: destroys the fixture that *state points to in its first member, and frees
 * *state.
 */
int fixture_tear_down(void **state);

/** Adds a GPU with a render node to the server's list; copies the names. */
struct gpu *fixture_add_gpu(struct fixture *fixture, const char *bus_id, const char *driver,
	const char *render_path, dev_t render_dev);

/**
 * Dispatches the server and all peers until they are idle, including threads that upload or open
 * copy engines. The clock does not advance. Fails the test if they never become idle.
 */
void fixture_pump(struct fixture *fixture);
/** Pumps, then advances the clock by n refresh cycles, pumping after each. */
void fixture_frames(struct fixture *fixture, int n);
/** Pumps, then advances the clock by ns, in steps of a refresh cycle. */
void fixture_sleep(struct fixture *fixture, int64_t ns);
/** Advances frames until the pixels of output 0 stay the same. */
void fixture_settle(struct fixture *fixture);

/** Blocks the upload thread of the server's device until fixture_open_uploads(). */
void fixture_block_uploads(struct fixture *fixture);
/** Lets the upload thread go on, if it is blocked. */
void fixture_open_uploads(struct fixture *fixture);

/** Takes a screenshot of output `index`. The caller frees it with image_destroy(). */
struct image *fixture_shot(struct fixture *fixture, int index);
/** Returns a pixel of output 0, 0xRRGGBB. */
uint32_t fixture_pixel(struct fixture *fixture, int x, int y);

/** Returns the renderer that argv[1] names ("pixman" or "gles"), pixman by default. */
enum renderer_kind fixture_renderer(int argc, char **argv);
