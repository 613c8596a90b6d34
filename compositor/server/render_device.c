/* SPDX-License-Identifier: MIT */
/*
 * Render devices: a GPU if one works, else the CPU through pixman, unless gles was requested, since
 * GL in software is slower. Each output is composed by the GPU that drives it; without a renderer
 * for that GPU, the CPU draws into its memory.
 */

#include "render_device.h"
#include "backend/drm.h"
#include "backend/wayland.h"
#include "power.h"
#include "server/server.h"
#include "state.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/**
 * Returns true for GPUs with a render node: display-only devices have none, nor have those of
 * tests.
 */
static bool can_render(const struct gpu *gpu)
{
	return gpu->render_path != NULL;
}

static void handle_lost(struct wl_listener *listener, void *data);
static void handle_gpu_gone(struct wl_listener *listener, void *data);
static void handle_release(struct timer *timer, int64_t now);
static void handle_retry(struct timer *timer, int64_t now);

/*
 * A lost renderer that cannot be created again at once is tried again after this time (ns), which
 * doubles; and number of attempts.
 */
#define RETRY_NS INT64_C(5000000000)
#define RETRIES_MAX 5

/*
 * Formats whose tests failed for a moment are tested again after this time (ns), which doubles; and
 * number of tests until a program asks for formats.
 */
#define FORMATS_NS INT64_C(5000000000)
#define FORMATS_MAX 4

/* Starts the next test, `asked` or not. */
static void find_formats_later(struct server_device *device, bool asked)
{
	const struct renderer *renderer = device->frame->renderer;
	const int n = device->formats.n;
	if (!renderer || !renderer->uncertain) {
		device->formats.n = 0;
	} else if (!device->formats.timer.armed && (asked || n < FORMATS_MAX)) {
		timer_arm(&device->formats.timer,
			device->formats.last + (FORMATS_NS << (n < FORMATS_MAX ? n : FORMATS_MAX)));
	}
}

static void handle_formats(struct timer *timer, int64_t now)
{
	struct server_device *device = wl_container_of(timer, device, formats.timer);
	struct renderer *renderer = device->frame->renderer;
	if (!renderer) {
		return;
	}
	bool more = renderer_find_formats(renderer);
	device->formats.n++;
	device->formats.last = now;
	find_formats_later(device, false);
	if (more) {
		signal_emit(&device->server->events.renderer_restored, NULL);
	}
}

/* Tests go on that were given up. */
static void handle_formats_asked(struct wl_listener *listener, void *data)
{
	struct server_state *state = wl_container_of(listener, state, formats_asked);
	struct server *server = &state->server;
	struct server_device *device;
	find_formats_later(server->primary, true);
	wl_list_for_each (device, &server->devices, link) {
		find_formats_later(device, true);
	}
}

static void watch(struct server_device *device)
{
	device->formats.n = 0;
	device->formats.last = clock_now(device->server->clock);
	find_formats_later(device, false);
	signal_add(&device->frame->renderer->events.lost, &device->lost, handle_lost);
	struct gpu *gpu = device->frame->gpu ? device->frame->gpu : device->display;
	if (gpu) {
		signal_add(&gpu->events.gone, &device->gpu_gone, handle_gpu_gone);
	} else {
		wl_list_init(&device->gpu_gone.link);
	}
}

/**
 * Opens the primary node through the session: the allocation of buffers for scan-out without a
 * renderer needs its rights.
 */
static bool open_primary_node(struct server_device *device, struct gpu *gpu)
{
	int fd = drm_backend_clone_fd(device->server->backend, gpu);
	bool done = fd >= 0 && gpu_open_fd(gpu, fd) == 0;
	fd_close(&fd);
	return done;
}

/**
 * Returns true if a test allocation succeeds: the render nodes of drivers without a GPU allocate no
 * buffers.
 */
static bool can_allocate(const struct render_device *frame)
{
	const struct format_modifiers *format =
		format_set_get(&frame->renderer->target_formats, DRM_FORMAT_XRGB8888);
	struct buffer *buffer =
		format ? frame->allocator->impl->create_buffer(frame->allocator, 64, 64, format)
		       : NULL;
	buffer_drop(buffer);
	return buffer;
}

/**
 * Creates the allocator of cursor buffers, which the CPU draws on any device. Cursors are composed
 * without one.
 */
static void create_linear(struct server_device *device)
{
	struct render_device *frame = device->frame;
	int fd = device->display && !frame->renderer->cpu
			 ? drm_backend_clone_fd(device->server->backend, device->display)
			 : -1;
	if (fd >= 0) {
		frame->linear = dumb_allocator_create(fd);
	} else if (device->display && frame->renderer->cpu) {
		frame->linear = frame->allocator;
	}
}

/** Creates renderer and allocator on an open GPU; closes it on failure. */
static bool create_on_open_gpu(struct server_device *device, struct gpu *gpu)
{
	struct render_device *frame = device->frame;
	frame->renderer = gles_renderer_create(gpu, device->server->loop);
	if (!frame->renderer) {
		goto close_gpu;
	}
	frame->allocator = gbm_allocator_create(gpu, device->display == gpu);
	if (!frame->allocator) {
		goto destroy_renderer;
	}
	if (!can_allocate(frame)) {
		log_debug(LOG_GPU, "%s: cannot allocate buffers", gpu->bus_id);
		goto destroy_allocator;
	}
	frame->gpu = gpu;
	return true;
destroy_allocator:
	allocator_destroy(frame->allocator);
	frame->allocator = NULL;
destroy_renderer:
	renderer_destroy(frame->renderer);
	frame->renderer = NULL;
close_gpu:
	gpu_close(gpu);
	return false;
}

static bool create_on_gpu(struct server_device *device, struct gpu *gpu)
{
	return gpu_open(gpu) == 0 && create_on_open_gpu(device, gpu);
}

/** Creates a device on device->display, with software GL if gles was requested. */
static bool create_on_display(struct server_device *device, enum renderer_kind kind)
{
	struct gpu *gpu = device->display;
	if (can_render(gpu) && create_on_gpu(device, gpu)) {
		return true;
	}
	return kind == RENDERER_GLES && open_primary_node(device, gpu) &&
	       create_on_open_gpu(device, gpu);
}

/**
 * Creates a device on the host compositor's GPU if nested, else on an integrated or boot GPU, else
 * on any, so that discrete GPUs stay asleep.
 */
static bool create_on_any_gpu(struct server_device *device)
{
	struct server *server = device->server;
	struct gpu *preferred = gpu_list_find(server->gpus, server->backend->device);
	if (server->backend->memory_only) {
		return false;
	}
	if (preferred && can_render(preferred) && create_on_gpu(device, preferred)) {
		return true;
	}
	for (int pass = 0; pass < 2; pass++) {
		struct gpu *gpu;
		wl_list_for_each (gpu, &server->gpus->gpus, link) {
			bool first = gpu->integrated || gpu->boot_vga;
			if (can_render(gpu) && first == (pass == 0) && create_on_gpu(device, gpu)) {
				return true;
			}
		}
	}
	return false;
}

static bool create_surfaceless(struct server_device *device)
{
	device->frame->renderer = gles_renderer_create(NULL, device->server->loop);
	if (!device->frame->renderer) {
		return false;
	}
	device->frame->allocator = memory_allocator_create();
	return true;
}

static bool create_pixman(struct server_device *device)
{
	if (device->display) {
		int fd = drm_backend_clone_fd(device->server->backend, device->display);
		if (fd < 0) {
			log_error("%s: cannot create an allocator: %s", device->display->bus_id,
				strerror(-fd));
			return false;
		}
		device->frame->allocator = dumb_allocator_create(fd);
	} else {
		device->frame->allocator = memory_allocator_create();
	}
	device->frame->renderer = pixman_renderer_create();
	return true;
}

static bool create(struct server_device *device, enum renderer_kind kind)
{
	struct gpu *display = device->display;
	if (kind == RENDERER_PIXMAN) {
		return create_pixman(device);
	}
	if (!display) {
		return create_on_any_gpu(device) ||
		       (kind == RENDERER_GLES ? create_surfaceless(device) : create_pixman(device));
	}
	if (create_on_display(device, kind)) {
		return true;
	}
	if (kind == RENDERER_GLES) {
		log_warn("%s: no EGL with OpenGL ES 3, composing with pixman", display->bus_id);
	}
	return create_pixman(device);
}

static void describe(const struct server_device *device)
{
	const struct gpu *gpu = device->frame->gpu ? device->frame->gpu : device->display;
	log_info("renderer: %s%s%s", device->frame->renderer->impl->name,
		gpu && device->frame->gpu ? " on "
		: gpu                     ? " for "
					  : "",
		!gpu               ? ""
		: gpu->render_path ? gpu->render_path
				   : gpu->primary_path);
}

static bool init(struct server_device *device, struct server *server, struct gpu *display)
{
	device->server = server;
	device->display = display;
	timer_init(&device->retry.timer, server->clock, handle_retry);
	timer_init(&device->formats.timer, server->clock, handle_formats);
	struct render_device *frame = device->frame = render_device_create(NULL, NULL, NULL);
	frame->copier = server->copier;
	frame->staging = server->staging;
	frame->display = display;
	if (!create(device, server->options->renderer)) {
		render_device_destroy(frame);
		device->frame = NULL;
		return false;
	}
	create_linear(device);
	watch(device);
	describe(device);
	return true;
}

/** Destroys renderer and allocator and closes the GPU; the render_device stays valid. */
static void take_down(struct server_device *device)
{
	struct render_device *frame = device->frame;
	wl_list_remove(&device->lost.link);
	wl_list_remove(&device->gpu_gone.link);
	if (frame->linear != frame->allocator) {
		allocator_destroy(frame->linear);
	}
	frame->linear = NULL;
	allocator_destroy(frame->allocator);
	renderer_destroy(frame->renderer);
	if (frame->gpu) {
		gpu_close(frame->gpu);
	}
	frame->allocator = NULL;
	frame->renderer = NULL;
	frame->gpu = NULL;
}

static void finish(struct server_device *device)
{
	if (!device->frame) {
		return;
	}
	event_source_remove(&device->restore);
	timer_finish(&device->formats.timer);
	timer_finish(&device->retry.timer);
	render_device_finish(device->frame);
	take_down(device);
	render_device_destroy(device->frame);
	device->frame = NULL;
}

static void destroy(struct server_device *device)
{
	finish(device);
	wl_list_remove(&device->link);
	free(device);
}

bool device_create(struct server *server, char **error)
{
	timer_init(&server->state->release_devices, server->clock, handle_release);
	struct gpu *display = server->backend && backend_is_drm(server->backend)
				      ? gpu_list_find(server->gpus, server->backend->device)
				      : NULL;
	if (!init(server->primary, server, display)) {
		*error = xstrdup("no EGL with GLES 3 on a GPU, surfaceless or on an EGL device: "
				 "try --renderer=pixman");
		return false;
	}
	server->device = server->primary->frame;
	signal_add(
		&server->events.formats_asked, &server->state->formats_asked, handle_formats_asked);
	return true;
}

void device_destroy(struct server *server)
{
	struct server_device *device, *next;
	timer_disarm(&server->state->release_devices);
	wl_list_for_each_safe (device, next, &server->devices, link) {
		destroy(device);
	}
	if (server->device) {
		wl_list_remove(&server->state->formats_asked.link);
	}
	finish(server->primary);
	server->device = NULL;
}

struct render_device *device_for(struct server *server, const struct output *output)
{
	if (!output_is_drm(output) || output->gpu == server->primary->display) {
		return server->device;
	}
	struct server_device *device;
	wl_list_for_each (device, &server->devices, link) {
		if (device->display == output->gpu) {
			return device->frame;
		}
	}
	device = xcalloc(1, sizeof(*device));
	if (!init(device, server, output->gpu)) {
		free(device);
		return NULL;
	}
	wl_list_insert(&server->devices, &device->link);
	render_device_join(device->frame, server->device);
	/*
	 * The new device lacks the contents of windows whose buffers were uploaded elsewhere and
	 * released.
	 */
	shell_redraw(server->shell, false);
	return device->frame;
}

static bool is_used(const struct server *server, const struct server_device *device)
{
	const struct server_output *entry;
	wl_list_for_each (entry, &server->outputs, link) {
		if (entry->frame && frame_output_device(entry->frame) == device->frame) {
			return true;
		}
	}
	return false;
}

static void handle_release(struct timer *timer, int64_t now)
{
	struct server_state *state = wl_container_of(timer, state, release_devices);
	struct server *server = &state->server;
	struct server_device *device, *next;
	wl_list_for_each_safe (device, next, &server->devices, link) {
		if (!is_used(server, device)) {
			log_info("%s: no output uses it any more, closing it",
				device->display->bus_id);
			destroy(device);
		}
	}
}

void device_release_unused(struct server *server)
{
	const struct server_device *device;
	wl_list_for_each (device, &server->devices, link) {
		if (!is_used(server, device)) {
			int64_t delay = (int64_t)(server->shell->config->gpu.close_after * 1e9);
			timer_arm(
				&server->state->release_devices, clock_now(server->clock) + delay);
			return;
		}
	}
}

/* Animations cost little on a GPU with mains power, and are useful only on a screen. */
void device_update_motion(struct server *server)
{
	const bool seen = backend_is_drm(server->backend) || backend_is_wayland(server->backend);
	const bool cheap = server->device->gpu && server->power && !server->power->on_battery;
	shell_set_automatic_motion(server->shell, seen && cheap);
}

/* The GPU may be in reset, or short of memory: the CPU composes until it works again. */
static void retry_later(struct server_device *device)
{
	struct timer *timer = &device->retry.timer;
	if (device->retry.n < RETRIES_MAX) {
		timer_arm(timer, clock_now(timer->clock) + (RETRY_NS << device->retry.n++));
	}
}

static void restore(struct server_device *device)
{
	struct server *server = device->server;
	const bool by_gpu = !device->frame->renderer->cpu || device->retry.n > 0;
	render_device_lost(server->scene, device->frame);
	take_down(device);
	if (!create(device, server->options->renderer)) {
		log_error("cannot create the renderer again, using pixman");
		if (!create_pixman(device)) {
			device->display = NULL;
			create_pixman(device);
		}
	}
	if (by_gpu && device->frame->renderer->cpu) {
		retry_later(device);
	} else {
		device->retry.n = 0;
		timer_disarm(&device->retry.timer);
	}
	create_linear(device);
	watch(device);
	render_device_restored(server->scene, device->frame);
	device_update_motion(server);
	shell_redraw(server->shell, true);
	log_info("renderer rebuilt: %s", device->frame->renderer->impl->name);
	signal_emit(&server->events.renderer_restored, NULL);
}

static void handle_retry(struct timer *timer, int64_t now)
{
	struct server_device *device = wl_container_of(timer, device, retry.timer);
	restore(device);
}

static void handle_restore(void *data)
{
	struct server_device *device = data;
	device->restore = NULL;
	restore(device);
}

static void handle_lost(struct wl_listener *listener, void *data)
{
	struct server_device *device = wl_container_of(listener, device, lost);
	log_warn("the renderer lost its device");
	if (device->frame->gpu) {
		gpu_list_count_loss(device->server->gpus, device->frame->gpu);
	}
	/* Deferred: the signal is emitted by the renderer that will be destroyed. */
	if (!device->restore) {
		device->restore =
			wl_event_loop_add_idle(device->server->loop, handle_restore, device);
	}
}

/** The GPU's outputs are already removed: moves other users of the device to another one. */
static void handle_gpu_gone(struct wl_listener *listener, void *data)
{
	struct server_device *device = wl_container_of(listener, device, gpu_gone);
	struct server *server = device->server;
	if (device != server->primary) {
		destroy(device);
		return;
	}
	device->display = NULL;
	device->frame->display = NULL;
	/* At the end of a session the shell is destroyed first. */
	if (server->shell) {
		restore(device);
	} else {
		finish(device);
	}
}
