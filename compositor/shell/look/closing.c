/* SPDX-License-Identifier: MIT */
/*
 * Windows that close fade out and shrink. A picture of the window is drawn before its client's
 * buffers go, so that nothing of the client is held: neither buffers nor memory that it may change.
 */

#include "buffer/allocator.h"
#include "content/device.h"
#include "frame/frame.h"
#include "look.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "shell/windows/motion.h"
#include "surface/surface.h"
#include "surface/transaction.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/**
 * Maximum number of pictures, of all clients and of one: each has the size of an output at most.
 */
#define CLOSING_MAX 4
#define CLOSING_CLIENT_MAX 2
/** Maximum number of pixels without a GPU: the CPU copies them on the event loop. */
#define CPU_PIXELS_MAX (1920 * 1080)
/** Size at the end of the animation, as a fraction. */
#define SHRUNK 0.9

struct closings {
	struct wl_list pictures;
	struct wl_listener new_window, before_unmap;
};

struct picture {
	struct wl_list link; /* closings.pictures */
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

static void destroy_picture(struct picture *picture)
{
	if (picture) {
		wl_list_remove(&picture->link);
		buffer_drop(picture->buffer);
		free(picture);
	}
}

static void show(void *data, const struct motion_look *look)
{
	struct picture *picture = data;
	if (picture->tree) {
		const struct box *box = &picture->box;
		const double factor = SHRUNK + (1 - SHRUNK) * look->opacity;
		const int width = (int)lround(box->width * factor);
		const int height = (int)lround(box->height * factor);
		scene_image_set(picture->image, picture->buffer, width, height);
		scene_node_set_position(&picture->image->node, (box->width - width) / 2,
			(box->height - height) / 2);
		scene_tree_set_shift(picture->tree, (int)lround(look->x), (int)lround(look->y));
		scene_tree_set_opacity(picture->tree, (float)look->opacity);
	}
}

static void end(void *data)
{
	struct picture *picture = data;
	if (picture->tree) {
		wl_list_remove(&picture->tree_destroy.link);
		scene_node_destroy(&picture->tree->node);
	}
	destroy_picture(picture);
}

static const struct motion_impl impl = {.show = show, .end = end};

/* The tree was destroyed with its workspace. */
static void handle_tree_destroy(struct wl_listener *listener, void *data)
{
	struct picture *picture = wl_container_of(listener, picture, tree_destroy);
	wl_list_remove(&picture->tree_destroy.link);
	picture->tree = NULL;
	motion_end(picture->motion);
}

static bool has_room(const struct window *window)
{
	int n = 0, n_client = 0;
	const struct picture *picture;
	wl_list_for_each (picture, &window->shell->private->closings->pictures, link) {
		n++;
		n_client += picture->client == window->surface->client;
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
	const struct window *window, const struct picture *picture, struct render_device *device)
{
	const struct box *box = &picture->box;
	const struct frame_capture capture = {
		.root = window->tree,
		.box = {box->x, box->y, box->width, box->height},
		.scale = picture->output->scale,
		.transform = WL_OUTPUT_TRANSFORM_NORMAL,
		.as_shown = true,
	};
	int fence;
	window->tree->secret = false; /* the picture gets it */
	const bool drawn = frame_capture(window->shell->scene, device, picture->buffer, &capture,
				   &fence) == FRAME_CAPTURE_DRAWN;
	window->tree->secret = picture->secret;
	/* Later passes of a GPU follow this one; a thread that fills memory is not waited for. */
	const struct dmabuf *dmabuf = buffer_dmabuf(picture->buffer);
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
static struct picture *draw_picture(struct window *window)
{
	const struct scene_output *output = window_output(window);
	struct render_device *device = find_device(window, output);
	if (!device) {
		return NULL;
	}
	struct picture *picture = xcalloc(1, sizeof(*picture));
	picture->client = window->surface->client;
	picture->output = output;
	picture->secret = window->tree->secret;
	picture->box = find_box(window, output);
	wl_list_insert(&window->shell->private->closings->pictures, &picture->link);
	const int width = coord_round_up(picture->box.width * output->scale);
	const int height = coord_round_up(picture->box.height * output->scale);
	if (width > 0 && height > 0 && (device->gpu || width <= CPU_PIXELS_MAX / height)) {
		picture->buffer = allocate(device, width, height);
	}
	if (!picture->buffer || !draw(window, picture, device)) {
		destroy_picture(picture);
		return NULL;
	}
	return picture;
}

/* Follows the updates of a mapped window. */
struct closing {
	struct window *window;
	struct picture *picture; /* of an update that may unmap it; NULL: none */
	struct wl_listener ready; /* of the surface */
	struct wl_listener surface;
};

static void handle_ready(struct wl_listener *listener, void *data)
{
	struct closing *closing = wl_container_of(listener, closing, ready);
	const struct update *update = data;
	destroy_picture(closing->picture);
	closing->picture = update->state.has_content ? NULL : draw_picture(closing->window);
}

static void follow_surface(struct closing *closing)
{
	signal_add(&closing->window->surface->events.ready, &closing->ready, handle_ready);
}

static void handle_surface(struct wl_listener *listener, void *data)
{
	struct closing *closing = wl_container_of(listener, closing, surface);
	wl_list_remove(&closing->ready.link);
	follow_surface(closing);
}

static void handle_new_window(struct wl_listener *listener, void *data)
{
	struct window *window = data;
	struct closing *closing = xcalloc(1, sizeof(*closing));
	window->private->closing = closing;
	closing->window = window;
	follow_surface(closing);
	signal_add(&window->events.surface, &closing->surface, handle_surface);
}

/* Returns the picture of a window that is unmapped next, or NULL. */
static struct picture *take_picture(struct window *window)
{
	struct closing *closing = window->private->closing;
	struct picture *picture = closing->picture;
	wl_list_remove(&closing->ready.link);
	wl_list_remove(&closing->surface.link);
	free(closing);
	window->private->closing = NULL;
	return picture || !surface_has_content(window->surface) ? picture : draw_picture(window);
}

static void handle_before_unmap(struct wl_listener *listener, void *data)
{
	static const struct motion_look gone = {0};
	struct window *window = data;
	struct picture *picture = take_picture(window);
	struct scene_output *output = window_output(window);
	if (!picture || picture->output != output || !motion_is_wanted(window->shell, output)) {
		destroy_picture(picture);
		return;
	}
	const struct motion_look look = motion_get(window->private->motion);
	picture->tree = scene_tree_create(window->tree->node.parent);
	picture->tree->no_input = true;
	scene_tree_set_secret(picture->tree, picture->secret);
	scene_node_set_position(&picture->tree->node, picture->box.x, picture->box.y);
	scene_node_place_above(&picture->tree->node, &window->tree->node);
	picture->image = scene_image_create(picture->tree, picture->buffer);
	signal_add(
		&picture->tree->node.events.destroy, &picture->tree_destroy, handle_tree_destroy);
	picture->motion = motion_start(window->shell, output, &impl, picture, &look, &gone);
}

int closings_count(const struct shell *shell)
{
	return wl_list_length(&shell->private->closings->pictures);
}

void closings_init(struct shell *shell)
{
	struct closings *closings = xcalloc(1, sizeof(*closings));
	shell->private->closings = closings;
	wl_list_init(&closings->pictures);
	signal_add(&shell->events.new_window, &closings->new_window, handle_new_window);
	signal_add(&shell->events.before_unmap, &closings->before_unmap, handle_before_unmap);
}

void closings_finish(struct shell *shell)
{
	struct closings *closings = shell->private->closings;
	wl_list_remove(&closings->new_window.link);
	wl_list_remove(&closings->before_unmap.link);
	free(shell->private->closings);
}
