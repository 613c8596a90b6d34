/* SPDX-License-Identifier: MIT */
/* wp_color_representation: YUV matrix and range of a surface's buffers. */

#include "color-representation-v1-protocol.h"
#include "gpu/format.h"
#include "protocol/protocol.h"
#include "surface/surface.h"
#include "surface/transaction.h"
#include "util/xalloc.h"
#include <limits.h>
#include <stdlib.h>

#define VERSION 1

struct representation {
	struct wl_resource *resource;
	struct surface *surface; /* NULL: destroyed */
	bool chroma; /* a chroma location was set; used for error checks only */
	uint32_t format; /* of the latest committed buffer; 0: unknown */
	struct wl_listener surface_destroy, commit;
};

static const struct pair {
	uint32_t coefficients, range;
	struct color_coding coding;
} pairs[] = {
	{WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_IDENTITY,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL,
		{COLOR_MATRIX_IDENTITY, COLOR_RANGE_FULL}},
	{WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT601,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_LIMITED,
		{COLOR_MATRIX_BT601, COLOR_RANGE_LIMITED}},
	{WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT601,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL,
		{COLOR_MATRIX_BT601, COLOR_RANGE_FULL}},
	{WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT709,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_LIMITED,
		{COLOR_MATRIX_BT709, COLOR_RANGE_LIMITED}},
	{WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT709,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL,
		{COLOR_MATRIX_BT709, COLOR_RANGE_FULL}},
	{WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT2020,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_LIMITED,
		{COLOR_MATRIX_BT2020, COLOR_RANGE_LIMITED}},
	{WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT2020,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL,
		{COLOR_MATRIX_BT2020, COLOR_RANGE_FULL}},
};

#define N_PAIRS (sizeof(pairs) / sizeof(pairs[0]))

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

/* Damages the whole surface: the buffer is unchanged, but is displayed differently. */
static void set_coding(struct surface *surface, struct color_coding coding)
{
	struct surface_state *pending = &surface->pending;
	if (color_coding_equal(pending->coding, coding)) {
		return;
	}
	pending->coding = coding;
	pixman_region32_union_rect(
		&pending->buffer_damage, &pending->buffer_damage, 0, 0, INT_MAX, INT_MAX);
	pending->fields |= SURFACE_BUFFER_DAMAGE;
}

/* Returns NULL after posting an error. */
static struct representation *find(struct wl_resource *resource)
{
	struct representation *self = wl_resource_get_user_data(resource);
	if (self->surface) {
		return self;
	}
	wl_resource_post_error(resource, WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_INERT,
		"the wl_surface of the color representation is destroyed");
	return NULL;
}

static void handle_set_alpha_mode(
	struct wl_client *client, struct wl_resource *resource, uint32_t mode)
{
	if (find(resource) &&
		mode != WP_COLOR_REPRESENTATION_SURFACE_V1_ALPHA_MODE_PREMULTIPLIED_ELECTRICAL) {
		wl_resource_post_error(resource,
			WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_ALPHA_MODE,
			"unsupported alpha mode %u", mode);
	}
}

static void handle_set_coefficients_and_range(struct wl_client *client,
	struct wl_resource *resource, uint32_t coefficients, uint32_t range)
{
	struct representation *self = find(resource);
	for (size_t i = 0; self && i < N_PAIRS; i++) {
		if (pairs[i].coefficients == coefficients && pairs[i].range == range) {
			set_coding(self->surface, pairs[i].coding);
			return;
		}
	}
	if (self) {
		wl_resource_post_error(resource,
			WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_COEFFICIENTS,
			"unsupported coefficients %u with range %u", coefficients, range);
	}
}

static void handle_set_chroma_location(
	struct wl_client *client, struct wl_resource *resource, uint32_t location)
{
	struct representation *self = find(resource);
	if (!self) {
		return;
	}
	if (location < WP_COLOR_REPRESENTATION_SURFACE_V1_CHROMA_LOCATION_TYPE_0 ||
		location > WP_COLOR_REPRESENTATION_SURFACE_V1_CHROMA_LOCATION_TYPE_5) {
		wl_resource_post_error(resource,
			WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_PIXEL_FORMAT,
			"invalid chroma location %u", location);
		return;
	}
	self->chroma = true;
}

static const struct wp_color_representation_surface_v1_interface surface_implementation = {
	.destroy = handle_destroy,
	.set_alpha_mode = handle_set_alpha_mode,
	.set_coefficients_and_range = handle_set_coefficients_and_range,
	.set_chroma_location = handle_set_chroma_location,
};

static bool fits(const struct representation *self, struct color_coding coding)
{
	const struct pixel_format *format = pixel_format_get(self->format);
	if (!format) {
		return true;
	}
	bool rgb = coding.matrix == COLOR_MATRIX_IDENTITY;
	return (coding.matrix == COLOR_MATRIX_DEFAULT || rgb == !format->yuv) &&
	       (!self->chroma || (format->yuv && format->vsub == 2));
}

static void handle_commit(struct wl_listener *listener, void *data)
{
	struct representation *self = wl_container_of(listener, self, commit);
	const struct update *update = data;
	if (update->state.fields & SURFACE_BUFFER) {
		self->format = update->state.buffer ? update->state.buffer->format : 0;
	}
	if (!fits(self, update->state.coding)) {
		char name[5];
		wl_resource_post_error(self->resource,
			WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_PIXEL_FORMAT,
			"the color representation does not apply to buffer format %s",
			pixel_format_name(self->format, name));
	}
}

static void forget_surface(struct representation *self)
{
	wl_list_remove(&self->surface_destroy.link);
	wl_list_remove(&self->commit.link);
	self->surface = NULL;
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct representation *self = wl_container_of(listener, self, surface_destroy);
	forget_surface(self);
}

static void destroy(struct wl_resource *resource)
{
	struct representation *self = wl_resource_get_user_data(resource);
	if (self->surface) {
		set_coding(self->surface, (struct color_coding){0});
		forget_surface(self);
	}
	free(self);
}

static void handle_get_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *surface_resource)
{
	struct surface *surface = surface_from_resource(surface_resource);
	if (wl_signal_get(&surface->events.destroy, handle_surface_destroy)) {
		wl_resource_post_error(resource,
			WP_COLOR_REPRESENTATION_MANAGER_V1_ERROR_SURFACE_EXISTS,
			"wl_surface@%u already has a color representation",
			wl_resource_get_id(surface_resource));
		return;
	}
	struct wl_resource *created =
		wl_resource_create(client, &wp_color_representation_surface_v1_interface,
			wl_resource_get_version(resource), id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	struct representation *self = xcalloc(1, sizeof(*self));
	self->resource = created;
	self->surface = surface;
	self->format = surface->current.buffer ? surface->current.buffer->format : 0;
	self->surface_destroy.notify = handle_surface_destroy;
	wl_signal_add(&surface->events.destroy, &self->surface_destroy);
	self->commit.notify = handle_commit;
	wl_signal_add(&surface->events.commit, &self->commit);
	wl_resource_set_implementation(created, &surface_implementation, self, destroy);
}

static const struct wp_color_representation_manager_v1_interface implementation = {
	.destroy = handle_destroy,
	.get_surface = handle_get_surface,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource = wl_resource_create(
		client, &wp_color_representation_manager_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &implementation, data, NULL);
	wp_color_representation_manager_v1_send_supported_alpha_mode(
		resource, WP_COLOR_REPRESENTATION_SURFACE_V1_ALPHA_MODE_PREMULTIPLIED_ELECTRICAL);
	for (size_t i = 0; i < N_PAIRS; i++) {
		wp_color_representation_manager_v1_send_supported_coefficients_and_ranges(
			resource, pairs[i].coefficients, pairs[i].range);
	}
	wp_color_representation_manager_v1_send_done(resource);
}

void color_representation_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &wp_color_representation_manager_v1_interface, VERSION,
		protocols, bind, GLOBAL_PUBLIC);
}
