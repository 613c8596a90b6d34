/* SPDX-License-Identifier: MIT */
/*
 * Windows that close fade out and shrink. A picture of the window is drawn before its client's
 * buffers go, so that nothing of the client is held: neither buffers nor memory that it may change.
 */

#include "buffer/allocator.h"
#include "content/device.h"
#include "frame/frame.h"
#include "internal.h"
#include "motion.h"
#include "surface/surface.h"
#include "surface/transaction.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/** Maximum number of pictures, of all clients and of one: each has the size of an output at most. */
#define CLOSING_MAX 4
#define CLOSING_CLIENT_MAX 2
/** Maximum number of pixels without a GPU: the CPU copies them on the event loop. */
#define CPU_PIXELS_MAX (1920 * 1080)
/** Size at the end of the animation, as a fraction. */
#define SHRUNK 0.9

struct closing {
	struct wl_list link; /* shell.closing */
	const struct client *client; /* compared only; may be gone */
	const struct scene_output *output; /* as client, after draw() */
	struct buffer *buffer; /* owned */
	struct box box; /* logical, global */
	bool secret; /* black in captures */
	struct scene_tree *tree; /* NULL: the window is still mapped, or the tree is gone */
	struct scene_image *image;
	struct motion *motion; /* NULL: not yet */
	struct wl_listener tree_destroy;
};

static void destroy(struct closing *closing)
{
	if (closing) {
		wl_list_remove(&closing->link);
		buffer_drop(closing->buffer);
		free(closing);
	}
}

static void show(void *data, const struct motion_look *look)
{
	struct closing *closing = data;
	if (closing->tree) {
		const struct box *box = &closing->box;
		const double factor = SHRUNK + (1 - SHRUNK) * look->opacity;
		const int width = (int)lround(box->width * factor);
		const int height = (int)lround(box->height * factor);
		scene_image_set(closing->image, closing->buffer, width, height);
		scene_node_set_position(&closing->image->node, (box->width - width) / 2,
			(box->height - height) / 2);
		scene_tree_set_shift(closing->tree, (int)lround(look->x), (int)lround(look->y));
		scene_tree_set_opacity(closing->tree, (float)look->opacity);
	}
}

static void end(void *data)
{
	struct closing *closing = data;
	if (closing->tree) {
		wl_list_remove(&closing->tree_destroy.link);
		scene_node_destroy(&closing->tree->node);
	}
	destroy(closing);
}

static const struct motion_impl impl = {.show = show, .end = end};

/* The tree was destroyed with its workspace. */
static void handle_tree_destroy(struct wl_listener *listener, void *data)
{
	struct closing *closing = wl_container_of(listener, closing, tree_destroy);
	wl_list_remove(&closing->tree_destroy.link);
	closing->tree = NULL;
	motion_end(closing->motion);
}

static bool has_room(const struct window *window)
{
	int n = 0, n_client = 0;
	const struct closing *closing;
	wl_list_for_each (closing, &window->shell->closing, link) {
		n++;
		n_client += closing->client == window->surface->client;
	}
	return n < CLOSING_MAX && n_client < CLOSING_CLIENT_MAX;
}

/* Extends a range of coordinates to another one. */
static void extend(int *at, int *size, int other, int other_size)
{
	const int from = *at < other ? *at : other, to = coord_sum(*at, *size);
	const int other_to = coord_sum(other, other_size);
	*size = (to > other_to ? to : other_to) - from;
	*at = from;
}

/* Returns the box of window, frame and shadow on the output. */
static struct box find_box(const struct window *window, const struct scene_output *output)
{
	const struct frame_extents frame = window_frame(window);
	const struct surface_state *state = &window->surface->current;
	const struct box area = scene_output_box(output);
	struct box box = window_box(window), part;
	box = (struct box){box.x - frame.left, box.y - frame.top,
		box.width + frame.left + frame.right, box.height + frame.top + frame.bottom};
	if (window->surface->density == 1) {
		extend(&box.x, &box.width, window->x - window->geometry.x, state->width);
		extend(&box.y, &box.height, window->y - window->geometry.y, state->height);
	}
	return box_intersect(&part, &box, &area) ? part : (struct box){0};
}

/* Returns a buffer that the device draws to and samples, or NULL. */
static struct buffer *allocate(const struct render_device *device, int width, int height)
{
	static const uint32_t formats[] = {DRM_FORMAT_ARGB8888, DRM_FORMAT_ABGR8888};
	for (size_t i = 0; device->renderer && i < sizeof(formats) / sizeof(formats[0]); i++) {
		const struct format_modifiers *layouts =
			format_set_get(&device->renderer->target_formats, formats[i]);
		if (layouts) {
			return device->allocator->impl->create_buffer(
				device->allocator, width, height, layouts);
		}
	}
	return NULL;
}

static bool draw(
	const struct window *window, const struct closing *closing, struct render_device *device)
{
	const struct box *box = &closing->box;
	const struct frame_capture capture = {
		.root = window->tree,
		.box = {box->x, box->y, box->width, box->height},
		.scale = closing->output->scale,
		.transform = WL_OUTPUT_TRANSFORM_NORMAL,
		.as_shown = true,
	};
	int fence;
	window->tree->secret = false; /* the picture gets it */
	const bool drawn = frame_capture(window->shell->scene, device, closing->buffer, &capture,
				   &fence) == FRAME_CAPTURE_DRAWN;
	window->tree->secret = closing->secret;
	/* Later passes of a GPU follow this one; a thread that fills memory is not waited for. */
	const struct dmabuf *dmabuf = buffer_dmabuf(closing->buffer);
	const bool usable =
		fence < 0 || (dmabuf && format_set_has(&device->renderer->texture_formats,
						dmabuf->format, dmabuf->modifier));
	fd_close(&fence);
	return drawn && usable;
}

/* Returns the device that draws the picture; NULL: the end of the window is not to be animated. */
static struct render_device *find_device(
	const struct window *window, const struct scene_output *output)
{
	int x, y;
	const struct frame_output *frame = output ? frame_output_find(output) : NULL;
	/* Windows that are gone before a frame has shown them are never seen. */
	const bool seen = output && window->surface->outputs & 1u << output->index &&
			  window_shown(window) && scene_node_coords(&window->tree->node, &x, &y);
	return frame && seen && motion_is_wanted(window->shell, output) && has_room(window)
		       ? frame_output_device(frame)
		       : NULL;
}

/* Draws the picture. Returns NULL if there is none. */
static struct closing *create(struct window *window)
{
	const struct scene_output *output = window_output(window);
	struct render_device *device = find_device(window, output);
	if (!device) {
		return NULL;
	}
	struct closing *closing = xcalloc(1, sizeof(*closing));
	closing->client = window->surface->client;
	closing->output = output;
	closing->secret = window->tree->secret;
	closing->box = find_box(window, output);
	wl_list_insert(&window->shell->closing, &closing->link);
	const int width = (int)ceil(closing->box.width * output->scale);
	const int height = (int)ceil(closing->box.height * output->scale);
	if (width > 0 && height > 0 && (device->gpu || width <= CPU_PIXELS_MAX / height)) {
		closing->buffer = allocate(device, width, height);
	}
	if (!closing->buffer || !draw(window, closing, device)) {
		destroy(closing);
		return NULL;
	}
	return closing;
}

static void handle_ready(struct wl_listener *listener, void *data)
{
	struct window *window = wl_container_of(listener, window, closing.ready);
	const struct update *update = data;
	destroy(window->closing.picture);
	window->closing.picture = update->state.has_content ? NULL : create(window);
}

static void follow_surface(struct window *window)
{
	wl_signal_add(&window->surface->events.ready, &window->closing.ready);
}

static void handle_surface(struct wl_listener *listener, void *data)
{
	struct window *window = wl_container_of(listener, window, closing.surface);
	wl_list_remove(&window->closing.ready.link);
	follow_surface(window);
}

void closing_expect(struct window *window)
{
	window->closing.ready.notify = handle_ready;
	follow_surface(window);
	window->closing.surface.notify = handle_surface;
	wl_signal_add(&window->events.surface, &window->closing.surface);
}

void closing_start(struct window *window)
{
	static const struct motion_look gone = {0};
	wl_list_remove(&window->closing.ready.link);
	wl_list_remove(&window->closing.surface.link);
	struct closing *closing = window->closing.picture;
	window->closing.picture = NULL;
	if (!closing && surface_has_content(window->surface)) {
		closing = create(window);
	}
	struct scene_output *output = window_output(window);
	if (!closing || closing->output != output || !motion_is_wanted(window->shell, output)) {
		destroy(closing);
		return;
	}
	const struct motion_look look = motion_get(window->motion);
	closing->tree = scene_tree_create(window->tree->node.parent);
	closing->tree->no_input = true;
	scene_tree_set_secret(closing->tree, closing->secret);
	scene_node_set_position(&closing->tree->node, closing->box.x, closing->box.y);
	scene_node_place_above(&closing->tree->node, &window->tree->node);
	closing->image = scene_image_create(closing->tree, closing->buffer);
	closing->tree_destroy.notify = handle_tree_destroy;
	wl_signal_add(&closing->tree->node.events.destroy, &closing->tree_destroy);
	closing->motion = motion_start(window->shell, output, &impl, closing, &look, &gone);
}
