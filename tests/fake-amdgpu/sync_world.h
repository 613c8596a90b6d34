/* SPDX-License-Identifier: MIT */
#pragma once

/** Helpers of tests of explicit synchronization. */

#include "fake.h"
#include "harness/fixture.h"
#include "harness/peer.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "linux-drm-syncobj-v1-client-protocol.h"

#define PATH "/emulated/renderD129"
#define OTHER_PATH "/emulated/renderD130"
#define SIDE 64

/** Compositor on an emulated GPU, and a client with a surface of explicit synchronization. */
struct sync_world {
	struct fixture *fixture;
	struct fake_gpu *fake;
	struct peer *peer;
	struct wp_linux_drm_syncobj_manager_v1 *manager;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	struct peer_window *window;
	struct wp_linux_drm_syncobj_surface_v1 *surface;
	int node; /* opened by the client */
};

/** Timeline of the client. */
struct line {
	uint32_t handle;
	struct wp_linux_drm_syncobj_timeline_v1 *timeline;
};

/** Buffer of one color with its dma-buf. */
struct canvas {
	struct wl_buffer *buffer;
	int fd;
};

void sync_world_add_client(struct sync_world *world);
int sync_world_set_up(void **state);
int sync_world_tear_down(void **state);
struct line line_create(struct sync_world *world);
void line_signal(struct sync_world *world, struct line line, uint64_t point);
uint64_t line_value(struct sync_world *world, struct line line);
void line_submit(struct sync_world *world, struct line line, uint64_t point, int fence);
struct canvas canvas_create(struct sync_world *world, uint32_t pixel);
void sync_set_acquire(struct sync_world *world, struct line line, uint64_t point);
void sync_set_release(struct sync_world *world, struct line line, uint64_t point);
void sync_attach(struct sync_world *world, struct wl_buffer *buffer);
void sync_commit(struct sync_world *world);
/** Commits `canvas` with an acquire point of `drawn` and a release point of `freed`. */
void sync_update(struct sync_world *world, const struct canvas *canvas, struct line drawn,
	uint64_t acquire, struct line freed, uint64_t release);
void sync_unmap(struct sync_world *world);
/** Signals point 1 of `drawn`, and waits until the update with point 1 of both is presented. */
void sync_show(struct sync_world *world, const struct canvas *canvas, struct line drawn,
	struct line freed);
uint32_t sync_shown(struct sync_world *world);
