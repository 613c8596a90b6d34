/* SPDX-License-Identifier: MIT */
/* wl_surface: requests that set the pending state, and events of a surface. */

#include "content/content.h"
#include "frame/meter.h"
#include "frame/throttle.h"
#include "protocol/protocol.h"
#include "seat/seat.h"
#include "surface/surface.h"
#include "util/region.h"
#include "util/xalloc.h"
#include "viewporter-protocol.h"
#include <math.h>
#include <stdlib.h>

/** Maximum number of rectangles of pending damage; more are reduced to their bounding box. */
#define DAMAGE_MAX 64

/** Sends the events of a surface to its client. */
struct surface_events {
	struct surface *surface;
	/** As sent last. */
	int32_t scale;
	enum wl_output_transform transform;
	struct wl_listener preferred, outputs, output_bound, destroy;
};

struct callback {
	struct frame_callback base;
	struct wl_resource *resource;
};

/* wl_callback */

static void destroy_callback(struct wl_resource *resource)
{
	struct callback *callback = wl_resource_get_user_data(resource);
	wl_list_remove(&callback->base.link);
	free(callback);
}

static void handle_frame_done(struct frame_callback *base, uint32_t ms)
{
	struct callback *callback = wl_container_of(base, callback, base);
	wl_callback_send_done(callback->resource, ms);
	wl_resource_destroy(callback->resource);
}

static void handle_frame_dropped(struct frame_callback *base)
{
	struct callback *callback = wl_container_of(base, callback, base);
	wl_resource_destroy(callback->resource);
}

static void handle_frame(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct surface *surface = surface_from_resource(resource);
	struct wl_resource *created = wl_resource_create(client, &wl_callback_interface, 1, id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	/*
	 * Callbacks are created for every frame, so the allocation is not zeroed, which is slower.
	 */
	struct callback *callback = xrealloc(NULL, 1, sizeof(*callback));
	*callback = (struct callback){
		.base = {.done = handle_frame_done,
			.drop = handle_frame_dropped,
			.sends_event = true},
		.resource = created,
	};
	wl_resource_set_implementation(created, NULL, callback, destroy_callback);
	wl_list_insert(surface->pending.frame_callbacks.prev, &callback->base.link);
	surface->pending.fields |= SURFACE_FRAME;
}

/* Content */

static void handle_attach(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *buffer, int32_t x, int32_t y)
{
	struct surface *surface = surface_from_resource(resource);
	struct surface_state *pending = &surface->pending;
	if (wl_resource_get_version(resource) >= WL_SURFACE_OFFSET_SINCE_VERSION) {
		if (x != 0 || y != 0) {
			wl_resource_post_error(resource, WL_SURFACE_ERROR_INVALID_OFFSET,
				"attach with an offset of %d, %d: use wl_surface.offset", x, y);
			return;
		}
	} else {
		pending->dx = coord_clamp(x);
		pending->dy = coord_clamp(y);
		pending->fields |= SURFACE_OFFSET;
	}
	buffer_replace(&pending->buffer, buffer ? buffer_from_resource(buffer) : NULL);
	pending->fields |= SURFACE_BUFFER;
	signal_emit(&surface->events.attach, NULL);
}

static void handle_offset(
	struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y)
{
	struct surface_state *pending = &surface_from_resource(resource)->pending;
	pending->dx = coord_clamp(x);
	pending->dy = coord_clamp(y);
	pending->fields |= SURFACE_OFFSET;
}

/* Clients damage everything by sizes whose right and bottom edges overflow an int32_t. */
static void add_damage(
	pixman_region32_t *region, int32_t x, int32_t y, int32_t width, int32_t height)
{
	if (width <= 0 || height <= 0) {
		return;
	}
	int x1 = coord_clamp(x), x2 = coord_clamp((int64_t)x + width);
	int y1 = coord_clamp(y), y2 = coord_clamp((int64_t)y + height);
	pixman_region32_union_rect(
		region, region, x1, y1, (unsigned)(x2 - x1), (unsigned)(y2 - y1));
	region_simplify(region, DAMAGE_MAX);
}

static void handle_damage(struct wl_client *client, struct wl_resource *resource, int32_t x,
	int32_t y, int32_t width, int32_t height)
{
	struct surface_state *pending = &surface_from_resource(resource)->pending;
	add_damage(&pending->surface_damage, x, y, width, height);
	pending->fields |= SURFACE_DAMAGE;
}

static void handle_damage_buffer(struct wl_client *client, struct wl_resource *resource, int32_t x,
	int32_t y, int32_t width, int32_t height)
{
	struct surface_state *pending = &surface_from_resource(resource)->pending;
	add_damage(&pending->buffer_damage, x, y, width, height);
	pending->fields |= SURFACE_BUFFER_DAMAGE;
}

/* Sets a region. `from` NULL: empty or, with `infinite`, unlimited. */
static void set_region(struct surface_state *pending, pixman_region32_t *to,
	struct wl_resource *from, bool infinite)
{
	if (from) {
		surface_state_set_region(pending, to, region_from_resource(from));
		return;
	}
	pixman_region32_t constant;
	pixman_region32_init(&constant);
	if (infinite) {
		pixman_region32_init_rect(&constant, INT32_MIN, INT32_MIN, UINT32_MAX, UINT32_MAX);
	}
	surface_state_set_region(pending, to, &constant);
}

static void handle_set_opaque_region(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *region)
{
	struct surface_state *pending = &surface_from_resource(resource)->pending;
	set_region(pending, &pending->opaque, region, false);
	pending->fields |= SURFACE_OPAQUE;
}

static void handle_set_input_region(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *region)
{
	struct surface_state *pending = &surface_from_resource(resource)->pending;
	set_region(pending, &pending->input, region, true);
	pending->fields |= SURFACE_INPUT;
}

static void handle_set_buffer_transform(
	struct wl_client *client, struct wl_resource *resource, int32_t transform)
{
	struct surface_state *pending = &surface_from_resource(resource)->pending;
	if (transform < WL_OUTPUT_TRANSFORM_NORMAL || transform > WL_OUTPUT_TRANSFORM_FLIPPED_270) {
		wl_resource_post_error(resource, WL_SURFACE_ERROR_INVALID_TRANSFORM,
			"invalid transform %d", transform);
		return;
	}
	pending->transform = (enum wl_output_transform)transform;
	pending->fields |= SURFACE_TRANSFORM;
}

static void handle_set_buffer_scale(
	struct wl_client *client, struct wl_resource *resource, int32_t scale)
{
	struct surface_state *pending = &surface_from_resource(resource)->pending;
	if (scale <= 0) {
		wl_resource_post_error(resource, WL_SURFACE_ERROR_INVALID_SCALE,
			"invalid scale %d: it must be positive", scale);
		return;
	}
	pending->scale = scale;
	pending->fields |= SURFACE_SCALE;
}

/* Returns false after posting an error. */
static bool check_state(struct surface *surface)
{
	struct wl_resource *resource = surface_resource(surface);
	struct surface_state *pending = &surface->pending;
	switch (surface_state_derive(pending)) {
	case SURFACE_STATE_OK: return true;
	case SURFACE_STATE_BAD_SIZE:
		/* Toolkits that bind older versions violate this with cursors of odd sizes. */
		if (wl_resource_get_version(resource) <
			WL_SURFACE_PREFERRED_BUFFER_SCALE_SINCE_VERSION) {
			return true;
		}
		wl_resource_post_error(resource, WL_SURFACE_ERROR_INVALID_SIZE,
			"the buffer size %dx%d is not a multiple of the scale %d",
			pending->buffer_width, pending->buffer_height, pending->scale);
		return false;
	case SURFACE_STATE_VIEWPORT_SIZE:
		wl_resource_post_error(viewport_resource(surface), WP_VIEWPORT_ERROR_BAD_SIZE,
			"the viewport source size %gx%g must be integer without a destination",
			pending->viewport.src.width, pending->viewport.src.height);
		return false;
	case SURFACE_STATE_VIEWPORT_OUTSIDE:
		wl_resource_post_error(viewport_resource(surface), WP_VIEWPORT_ERROR_OUT_OF_BUFFER,
			"the viewport source extends outside of the buffer");
		return false;
	}
	return false;
}

/*
 * Returns true if the release of the surface's previous buffer need not be flushed now: the surface
 * is invisible and its client waits for a frame callback, as it did before this commit, so both
 * events can go in one message. At one callback per second, the wake-up saved is a third of the
 * cost of a hidden window.
 */
static bool can_delay_release(const struct server *server, struct surface *surface)
{
	if (surface->visible || !surface->mapped || !surface->current.buffer ||
		!(surface->pending.fields & SURFACE_FRAME) ||
		!throttle_sends(server->hidden, surface) ||
		!wl_list_empty(&surface->current.frame_callbacks)) {
		return false;
	}
	const struct scene_surface *content = scene_surface_find(surface);
	return content && content->primary_output < 0;
}

static void handle_commit(struct wl_client *client, struct wl_resource *resource)
{
	struct surface *surface = surface_from_resource(resource);
	struct protocols *protocols = client_protocols(client);
	if (!check_state(surface) || !syncobj_check_commit(surface)) {
		return;
	}
	buffer_resource_check(surface->current.buffer);
	struct buffer *buffer =
		surface->pending.fields & SURFACE_BUFFER ? surface->pending.buffer : NULL;
	if (buffer) {
		buffer_resource_committed(protocols, buffer);
	}
	struct server *server = protocols->server;
	meter_commit(server->meter, surface);
	struct buffer *before =
		can_delay_release(server, surface) ? buffer_lock(surface->current.buffer) : NULL;
	surface_commit(surface);
	if (before) {
		buffer_unlock_unhurried(before);
	}
	if (scene_is_dirty(server->scene)) {
		seat_refocus(server->seat);
	}
}

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	struct surface *surface = surface_from_resource(resource);
	/* Cursors have no role object, although those of tablet tools have role data. */
	if (surface->role_data && !surface->role->no_input && !surface->role->outlived) {
		wl_resource_post_error(resource, WL_SURFACE_ERROR_DEFUNCT_ROLE_OBJECT,
			"wl_surface destroyed before its %s", surface->role->name);
		return;
	}
	wl_resource_destroy(resource);
}

/* Request numbers, in the order of the interface. */
enum request {
	REQUEST_DESTROY,
	REQUEST_ATTACH,
	REQUEST_DAMAGE,
	REQUEST_FRAME,
	REQUEST_SET_OPAQUE_REGION,
	REQUEST_SET_INPUT_REGION,
	REQUEST_COMMIT,
	REQUEST_SET_BUFFER_TRANSFORM,
	REQUEST_SET_BUFFER_SCALE,
	REQUEST_DAMAGE_BUFFER,
	REQUEST_OFFSET,
};

/* Returns argument `i` of a request; NULL only where the protocol allows it. */
static struct wl_resource *object_argument(const union wl_argument *arguments, int i)
{
	return (struct wl_resource *)arguments[i].o;
}

/*
 * Dispatches requests without libffi, which libwayland uses by default and which takes more
 * instructions than most of these requests, sent several times per frame. libwayland has already
 * checked versions and arguments.
 */
static int dispatch(const void *implementation, void *object, uint32_t opcode,
	const struct wl_message *message, union wl_argument *a)
{
	struct wl_resource *resource = object;
	struct wl_client *client = wl_resource_get_client(resource);
	switch ((enum request)opcode) {
	case REQUEST_DESTROY: handle_destroy(client, resource); break;
	case REQUEST_ATTACH:
		handle_attach(client, resource, object_argument(a, 0), a[1].i, a[2].i);
		break;
	case REQUEST_DAMAGE: handle_damage(client, resource, a[0].i, a[1].i, a[2].i, a[3].i); break;
	case REQUEST_FRAME: handle_frame(client, resource, a[0].n); break;
	case REQUEST_SET_OPAQUE_REGION:
		handle_set_opaque_region(client, resource, object_argument(a, 0));
		break;
	case REQUEST_SET_INPUT_REGION:
		handle_set_input_region(client, resource, object_argument(a, 0));
		break;
	case REQUEST_COMMIT: handle_commit(client, resource); break;
	case REQUEST_SET_BUFFER_TRANSFORM:
		handle_set_buffer_transform(client, resource, a[0].i);
		break;
	case REQUEST_SET_BUFFER_SCALE: handle_set_buffer_scale(client, resource, a[0].i); break;
	case REQUEST_DAMAGE_BUFFER:
		handle_damage_buffer(client, resource, a[0].i, a[1].i, a[2].i, a[3].i);
		break;
	case REQUEST_OFFSET: handle_offset(client, resource, a[0].i, a[1].i); break;
	}
	return 0;
}

/* Events */

static void handle_preferred(struct wl_listener *listener, void *data)
{
	struct surface_events *self = wl_container_of(listener, self, preferred);
	struct surface *surface = self->surface;
	struct wl_resource *resource = surface_resource(surface);
	if (wl_resource_get_version(resource) < WL_SURFACE_PREFERRED_BUFFER_SCALE_SINCE_VERSION) {
		return;
	}
	int32_t scale = (int32_t)ceil(surface->preferred_scale);
	if (self->scale != scale) {
		self->scale = scale;
		wl_surface_send_preferred_buffer_scale(resource, scale);
	}
	if (self->transform != surface->preferred_transform) {
		self->transform = surface->preferred_transform;
		wl_surface_send_preferred_buffer_transform(resource, self->transform);
	}
}

static void send_enter(struct wl_resource *output, void *data)
{
	wl_surface_send_enter(data, output);
}

static void send_leave(struct wl_resource *output, void *data)
{
	wl_surface_send_leave(data, output);
}

static void handle_outputs(struct wl_listener *listener, void *data)
{
	struct surface_events *self = wl_container_of(listener, self, outputs);
	const struct surface_outputs_event *event = data;
	struct wl_resource *resource = surface_resource(self->surface);
	struct wl_client *client = wl_resource_get_client(resource);
	const struct scene *scene = client_protocols(client)->server->scene;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = scene->outputs[i];
		if (output && (event->entered & (1u << i))) {
			output_for_each_resource(output, client, send_enter, resource);
		}
		if (output && (event->left & (1u << i))) {
			output_for_each_resource(output, client, send_leave, resource);
		}
	}
}

static void handle_output_bound(struct wl_listener *listener, void *data)
{
	struct surface_events *self = wl_container_of(listener, self, output_bound);
	struct wl_resource *bound = data, *resource = surface_resource(self->surface);
	const struct scene_output *output = output_from_resource(bound);
	if (wl_resource_get_client(bound) == wl_resource_get_client(resource) &&
		(self->surface->outputs & 1u << output->index)) {
		wl_surface_send_enter(resource, bound);
	}
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct surface_events *self = wl_container_of(listener, self, destroy);
	wl_list_remove(&self->preferred.link);
	wl_list_remove(&self->outputs.link);
	wl_list_remove(&self->output_bound.link);
	wl_list_remove(&self->destroy.link);
	free(self);
}

static void send_events(struct protocols *protocols, struct surface *surface)
{
	struct surface_events *self = xcalloc(1, sizeof(*self));
	self->surface = surface;
	self->scale = 1;
	signal_add(&surface->events.preferred, &self->preferred, handle_preferred);
	signal_add(&surface->events.outputs, &self->outputs, handle_outputs);
	signal_add(&protocols->events.output_bound, &self->output_bound, handle_output_bound);
	signal_add(&surface->events.destroy, &self->destroy, handle_surface_destroy);
}

/* Life */

static void destroy(struct wl_resource *resource)
{
	struct surface *surface = surface_from_resource(resource);
	struct protocols *protocols = client_protocols(wl_resource_get_client(resource));
	surface_totals_add(&protocols->gone, surface);
	/* First, so that the end of its role sends no events to the resource. */
	handle_surface_destroy(
		wl_signal_get(&surface->events.destroy, handle_surface_destroy), NULL);
	surface_destroy(surface);
}

/* Until the surface is placed, assume that it will be shown on the output with the pointer. */
static void guess_preferred(struct surface *surface, struct server *server)
{
	struct scene_output *output = scene_output_nearest(server->scene, server->seat->pointer.at);
	if (output) {
		surface_set_preferred(surface, output->scale, output->transform);
	}
}

void surface_resource_create(
	struct protocols *protocols, struct wl_client *client, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &wl_surface_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	struct surface *surface = surface_create(protocols->server->loop, client_from_wl(client));
	surface->clock = protocols->server->clock;
	content_expect(surface, protocols->server->device);
	surface->data = resource;
	wl_resource_set_dispatcher(resource, dispatch, NULL, surface, destroy);
	send_events(protocols, surface);
	guess_preferred(surface, protocols->server);
	signal_emit(&protocols->events.new_surface, surface);
}
