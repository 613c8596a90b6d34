/* SPDX-License-Identifier: MIT */
/* wp_color_representation: YUV matrix and range of a surface's buffers. */

#include "color-representation-v1-protocol.h"
#include "gpu/format.h"
#include "surface/transaction.h"
#include "surface_object.h"
#include <limits.h>

struct representation {
	struct surface_object base;
	bool chroma; /* a chroma location was set; used for error checks only */
	uint32_t format; /* of the latest committed buffer; 0: unknown */
	struct wl_listener commit;
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

static void handle_set_alpha_mode(
	struct wl_client *client, struct wl_resource *resource, uint32_t mode)
{
	if (surface_object_surface(resource) &&
		mode != WP_COLOR_REPRESENTATION_SURFACE_V1_ALPHA_MODE_PREMULTIPLIED_ELECTRICAL) {
		wl_resource_post_error(resource,
			WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_ALPHA_MODE,
			"unsupported alpha mode %u", mode);
	}
}

static void handle_set_coefficients_and_range(struct wl_client *client,
	struct wl_resource *resource, uint32_t coefficients, uint32_t range)
{
	struct surface *surface = surface_object_surface(resource);
	for (size_t i = 0; surface && i < N_PAIRS; i++) {
		if (pairs[i].coefficients == coefficients && pairs[i].range == range) {
			set_coding(surface, pairs[i].coding);
			return;
		}
	}
	if (surface) {
		wl_resource_post_error(resource,
			WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_COEFFICIENTS,
			"unsupported coefficients %u with range %u", coefficients, range);
	}
}

static void handle_set_chroma_location(
	struct wl_client *client, struct wl_resource *resource, uint32_t location)
{
	struct surface_object *base = surface_object_from_resource(resource);
	struct representation *self;
	if (!base) {
		return;
	}
	self = wl_container_of(base, self, base);
	if (location < WP_COLOR_REPRESENTATION_SURFACE_V1_CHROMA_LOCATION_TYPE_0 ||
		location > WP_COLOR_REPRESENTATION_SURFACE_V1_CHROMA_LOCATION_TYPE_5) {
		wl_resource_post_error(resource,
			WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_PIXEL_FORMAT,
			"invalid chroma location %u", location);
		return;
	}
	self->chroma = true;
}

static const struct wp_color_representation_surface_v1_interface requests = {
	.destroy = resource_handle_destroy,
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
		wl_resource_post_error(self->base.resource,
			WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_PIXEL_FORMAT,
			"the color representation does not apply to buffer format %s",
			pixel_format_name(self->format, name));
	}
}

static void init(struct surface_object *base)
{
	struct representation *self = wl_container_of(base, self, base);
	const struct buffer *buffer = base->surface->current.buffer;
	const struct update *update;
	wl_list_for_each (update, &base->surface->queue, link) {
		if (update->state.fields & SURFACE_BUFFER) {
			buffer = update->state.buffer;
		}
	}
	self->format = buffer ? buffer->format : 0;
	signal_add(&base->surface->events.commit, &self->commit, handle_commit);
}

static void leave(struct surface_object *base)
{
	struct representation *self = wl_container_of(base, self, base);
	set_coding(base->surface, (struct color_coding){0});
	wl_list_remove(&self->commit.link);
}

static const struct wp_color_representation_manager_v1_interface manager_requests = {
	.destroy = resource_handle_destroy,
	.get_surface = surface_object_handle_get,
};

static const struct surface_object_kind kind = {
	.interface = &wp_color_representation_surface_v1_interface,
	.requests = &requests,
	.size = sizeof(struct representation),
	.exists_error = WP_COLOR_REPRESENTATION_MANAGER_V1_ERROR_SURFACE_EXISTS,
	.inert = SURFACE_OBJECT_POSTS_ERROR,
	.inert_error = WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_INERT,
	.init = init,
	.leave = leave,
};

static void bind(struct wl_resource *resource, void *data)
{
	wl_resource_set_implementation(resource, &manager_requests, (void *)&kind, NULL);
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
	protocols_add_custom_global(protocols, &wp_color_representation_manager_v1_interface, 1,
		bind, NULL, GLOBAL_PUBLIC);
}
