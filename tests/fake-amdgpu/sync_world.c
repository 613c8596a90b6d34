/* SPDX-License-Identifier: MIT */
/* A client with timelines on an emulated GPU. */

#include "sync_world.h"
#include "buffer/buffer.h"
#include "content/device.h"
#include "fake.h"
#include "gpu/gpu.h"
#include "harness/fixture.h"
#include "harness/peer.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "linux-drm-syncobj-v1-client-protocol.h"
#include "protocol/protocol.h"
#include "shell/window.h"
#include "util/fence.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xf86drm.h>

/* Registers the GPU with the scene; the CPU still composes. */
static void compose_on(struct fixture *fixture, struct gpu *gpu)
{
	struct server *server = fixture->server;

	assert_null(server->device->gpu);
	server->device->gpu = gpu;
	signal_emit(&server->gpus->events.changed, server->gpus);
	server->device->gpu = NULL;
}

void sync_world_add_client(struct sync_world *world)
{
	world->peer = peer_create(world->fixture);
	world->dmabuf = peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3);
	world->manager = peer_bind(world->peer, &wp_linux_drm_syncobj_manager_v1_interface, 0);
	world->window = peer_window_create_unmapped(world->peer);
	world->surface =
		wp_linux_drm_syncobj_manager_v1_get_surface(world->manager, world->window->surface);
}

int sync_world_set_up(void **state)
{
	struct sync_world *world = xcalloc(1, sizeof(*world));
	struct fixture_options options = {0};

	world->fake = fake_gpu_create(fake_chip_find("navi21"));
	fake_gpu_set_path(world->fake, PATH);
	world->node = fake_gpu_open(world->fake);
	assert_true(world->node >= 0);
	world->fixture = fixture_create(&options);
	compose_on(world->fixture, fixture_add_gpu(world->fixture, "pci-0000_03_00_0", "amdgpu",
					   PATH, makedev(226, 129)));
	sync_world_add_client(world);
	*state = world;
	return 0;
}

int sync_world_tear_down(void **state)
{
	struct sync_world *world = *state;

	fixture_destroy(world->fixture);
	close(world->node);
	fake_reset_all();
	free(world);
	return 0;
}

struct line line_create(struct sync_world *world)
{
	struct line line;
	int fd;

	assert_int_equal(drmSyncobjCreate(world->node, 0, &line.handle), 0);
	assert_int_equal(drmSyncobjHandleToFD(world->node, line.handle, &fd), 0);
	line.timeline = wp_linux_drm_syncobj_manager_v1_import_timeline(world->manager, fd);
	wl_display_flush(world->peer->display);
	close(fd);
	return line;
}

void line_signal(struct sync_world *world, struct line line, uint64_t point)
{
	assert_int_equal(drmSyncobjTimelineSignal(world->node, &line.handle, &point, 1), 0);
}

uint64_t line_value(struct sync_world *world, struct line line)
{
	uint64_t point = UINT64_MAX;

	assert_int_equal(drmSyncobjQuery(world->node, &line.handle, &point, 1), 0);
	return point;
}

/* Exports a fence for a submission, as a driver does. */
void line_submit(struct sync_world *world, struct line line, uint64_t point, int fence)
{
	uint32_t binary;

	assert_int_equal(drmSyncobjCreate(world->node, 0, &binary), 0);
	assert_int_equal(drmSyncobjImportSyncFile(world->node, binary, fence), 0);
	assert_int_equal(drmSyncobjTransfer(world->node, line.handle, point, binary, 0, 0), 0);
	drmSyncobjDestroy(world->node, binary);
}

struct canvas canvas_create(struct sync_world *world, uint32_t pixel)
{
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(world->dmabuf);
	struct canvas canvas;
	uint32_t *pixels;
	void *map;

	canvas.fd = fake_dmabuf_create(SIDE * SIDE * sizeof(*pixels), &map);
	assert_true(canvas.fd >= 0);
	pixels = map;
	for (int i = 0; i < SIDE * SIDE; i++) {
		pixels[i] = pixel;
	}
	zwp_linux_buffer_params_v1_add(
		params, canvas.fd, 0, 0, SIDE * sizeof(*pixels), 0, DRM_FORMAT_MOD_LINEAR);
	canvas.buffer =
		zwp_linux_buffer_params_v1_create_immed(params, SIDE, SIDE, DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	wl_display_flush(world->peer->display);
	return canvas;
}

void sync_set_acquire(struct sync_world *world, struct line line, uint64_t point)
{
	wp_linux_drm_syncobj_surface_v1_set_acquire_point(
		world->surface, line.timeline, (uint32_t)(point >> 32), (uint32_t)point);
}

void sync_set_release(struct sync_world *world, struct line line, uint64_t point)
{
	wp_linux_drm_syncobj_surface_v1_set_release_point(
		world->surface, line.timeline, (uint32_t)(point >> 32), (uint32_t)point);
}

void sync_attach(struct sync_world *world, struct wl_buffer *buffer)
{
	wl_surface_attach(world->window->surface, buffer, 0, 0);
	wl_surface_damage_buffer(world->window->surface, 0, 0, SIDE, SIDE);
}

void sync_commit(struct sync_world *world)
{
	wl_surface_commit(world->window->surface);
	fixture_frames(world->fixture, 3);
}

void sync_update(struct sync_world *world, const struct canvas *canvas, struct line drawn,
	uint64_t acquire, struct line freed, uint64_t release)
{
	sync_attach(world, canvas->buffer);
	sync_set_acquire(world, drawn, acquire);
	sync_set_release(world, freed, release);
	sync_commit(world);
}

void sync_unmap(struct sync_world *world)
{
	sync_attach(world, NULL);
	sync_commit(world);
}

void sync_show(
	struct sync_world *world, const struct canvas *canvas, struct line drawn, struct line freed)
{
	line_signal(world, drawn, 1);
	sync_update(world, canvas, drawn, 1, freed, 1);
	peer_window_place(world->window, 0, 0);
	fixture_settle(world->fixture);
}

uint32_t sync_shown(struct sync_world *world)
{
	return fixture_pixel(world->fixture, 10, 10);
}
