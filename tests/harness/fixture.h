#pragma once

/**
 * A server and its clients in one process and one thread: each client's connection is a socketpair,
 * the clock is the test's, and both sides take turns until neither has anything left to do.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/picture.h"
#include "server.h"
#include <stdbool.h>
#include <sys/types.h>

struct peer;

#define FIXTURE_MAX_OUTPUTS 4

/** Zeros mean the usual: pixman, one output of 320x240 at 60 Hz and scale 1. */
struct fixture_options {
	enum renderer_kind renderer;
	bool drm; /* the KMS backend, in place of headless outputs */
	const char *config_path; /* NULL: the defaults */
	const char *config_copy; /* of the last good one; NULL: none */
	const char *socket; /* in XDG_RUNTIME_DIR; NULL: none */
	int32_t width, height; /* pixels of each output */
	double scale;
	bool no_memfd_dmabufs; /* clients cannot send memfds as dma-bufs */
	int n_outputs;
	int32_t refresh[FIXTURE_MAX_OUTPUTS]; /* mHz, of each */
};

struct fixture {
	struct clock *clock;
	struct server_output_option outputs[FIXTURE_MAX_OUTPUTS];
	struct server_options options;
	struct server *server;
	struct wl_list peers; /* peer.link */
	/** The test holds the thread that uploads: pumping does not wait for it. */
	bool holds_uploads;
	/** The test has tasks that do not return: pumping does not wait for them. */
	bool holds_tasks;
};

/** Fails the test if there is no server to be had. */
struct fixture *fixture_create(const struct fixture_options *options);
/** With what peers are left. */
void fixture_destroy(struct fixture *fixture);
/** For cmocka, where *state was allocated and has its fixture first: destroys and frees both. */
int fixture_tear_down(void **state);

/** A GPU that the server finds in its list, with a render node; the names are copied. */
struct gpu *fixture_add_gpu(struct fixture *fixture, const char *bus_id, const char *driver,
	const char *render_path, dev_t render_dev);

/**
 * Has the server and all peers read and answer until all is quiet, also its threads that upload or open copy
 * engines. Time stands still. Fails the test if they never come to rest.
 */
void fixture_pump(struct fixture *fixture);
/** Pumps, moves the clock on by n refresh cycles, pumping after each. */
void fixture_frames(struct fixture *fixture, int n);
/** Pumps, then moves the clock on by ns, in steps of a refresh cycle. */
void fixture_sleep(struct fixture *fixture, int64_t ns);
/** Frames until an output's pixels stay the same and no frame is under way. */
void fixture_settle(struct fixture *fixture);

/** What output `index` shows. The caller frees it with picture_destroy(). */
struct picture *fixture_shot(struct fixture *fixture, int index);
/** One pixel of output 0, 0xRRGGBB. */
uint32_t fixture_pixel(struct fixture *fixture, int x, int y);

/** For main(): says which renderer is meant by argv[1] ("pixman" or "gles"), pixman if none. */
enum renderer_kind fixture_renderer(int argc, char **argv);
