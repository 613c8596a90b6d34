/*
 * The device that frames are drawn with. A GPU when there is one that works, else the CPU: through
 * pixman unless gles is asked for, since GL in software is slower at the same job.
 */

#include "device.h"
#include "server.h"
#include "util/log.h"
#include "util/xalloc.h"

/** Display-only devices (and those of tests, which just share buffers) have no render node. */
static bool can_render(const struct gpu *gpu)
{
	return gpu->render_path != NULL;
}

static void handle_lost(struct wl_listener *listener, void *data);

static void watch(struct server *server)
{
	server->renderer_lost.notify = handle_lost;
	wl_signal_add(&server->device.renderer->events.lost, &server->renderer_lost);
}

static bool create_on_gpu(struct server *server, struct gpu *gpu)
{
	if (gpu_open(gpu) < 0) {
		return false;
	}
	server->device.renderer = gles_renderer_create(gpu, server->loop);
	if (!server->device.renderer) {
		goto close_gpu;
	}
	server->device.allocator = gbm_allocator_create(gpu, false);
	if (!server->device.allocator) {
		goto destroy_renderer;
	}
	server->device.gpu = gpu;
	server->device.gpu = gpu;
	return true;
destroy_renderer:
	renderer_destroy(server->device.renderer);
	server->device.renderer = NULL;
close_gpu:
	gpu_close(gpu);
	return false;
}

/** The host's if there is a host; the integrated one first: the others are better left asleep. */
static bool create_on_any_gpu(struct server *server)
{
	struct gpu *wished = gpu_list_find(&server->gpus, server->backend->device);
	if (server->backend->memory_only) {
		return false;
	}
	if (wished && can_render(wished) && create_on_gpu(server, wished)) {
		return true;
	}
	for (int pass = 0; pass < 2; pass++) {
		struct gpu *gpu;
		wl_list_for_each (gpu, &server->gpus.gpus, link) {
			bool first = gpu->integrated || gpu->boot_vga;
			if (can_render(gpu) && first == (pass == 0) && create_on_gpu(server, gpu)) {
				return true;
			}
		}
	}
	return false;
}

static bool create_surfaceless(struct server *server)
{
	server->device.renderer = gles_renderer_create(NULL, server->loop);
	if (!server->device.renderer) {
		return false;
	}
	server->device.allocator = memory_allocator_create();
	return true;
}

static void create_pixman(struct server *server)
{
	server->device.renderer = pixman_renderer_create();
	server->device.allocator = memory_allocator_create();
}

static bool create(struct server *server, enum renderer_kind kind)
{
	if (kind != RENDERER_PIXMAN && create_on_any_gpu(server)) {
		return true;
	}
	if (kind == RENDERER_GLES) {
		return create_surfaceless(server);
	}
	create_pixman(server);
	return true;
}

bool device_create(struct server *server, char **error)
{
	frame_device_init(&server->device, NULL, NULL, NULL);
	if (!create(server, server->options->renderer)) {
		*error = xstrdup("no EGL with GLES 3, neither on a GPU nor surfaceless: try "
				 "--renderer=pixman");
		return false;
	}
	watch(server);
	const struct gpu *gpu = server->device.gpu;
	log_info("renderer: %s%s%s", server->device.renderer->impl->name, gpu ? " on " : "",
		gpu ? gpu->render_path : "");
	return true;
}

/** Renderer, allocator and GPU go; the frame_device and who refers to it stay. */
static void take_down(struct server *server)
{
	struct frame_device *device = &server->device;
	wl_list_remove(&server->renderer_lost.link);
	allocator_destroy(device->allocator);
	renderer_destroy(device->renderer);
	if (device->gpu) {
		gpu_close(device->gpu);
	}
	device->allocator = NULL;
	device->renderer = NULL;
	device->gpu = NULL;
}

void device_destroy(struct server *server)
{
	if (!server->device.renderer) {
		return;
	}
	if (server->restore) {
		wl_event_source_remove(server->restore);
		server->restore = NULL;
	}
	frame_device_finish(&server->device);
	take_down(server);
}

static void handle_restore(void *data)
{
	struct server *server = data;
	server->restore = NULL;
	frame_device_lost(server->scene, &server->device);
	take_down(server);
	if (!create(server, server->options->renderer)) {
		log_error("the renderer cannot be built again: going on with pixman");
		create_pixman(server);
	}
	watch(server);
	frame_device_restored(server->scene, &server->device);
	shell_redraw(server->shell);
	log_info("renderer rebuilt: %s", server->device.renderer->impl->name);
}

static void handle_lost(struct wl_listener *listener, void *data)
{
	struct server *server = wl_container_of(listener, server, renderer_lost);
	log_warn("the renderer lost its device");
	/* Not here: the signal comes from the renderer that is about to be destroyed. */
	if (!server->restore) {
		server->restore = wl_event_loop_add_idle(server->loop, handle_restore, server);
	}
}
