/* SPDX-License-Identifier: MIT */
/* Protocol errors of surfaces, subsurfaces and surface extensions. */

#include "alpha-modifier-v1-client-protocol.h"
#include "color-representation-v1-client-protocol.h"
#include "commit-timing-v1-client-protocol.h"
#include "content-type-v1-client-protocol.h"
#include "fifo-v1-client-protocol.h"
#include "fractional-scale-v1-client-protocol.h"
#include "harness/client/protocol_errors.h"
#include "tearing-control-v1-client-protocol.h"
#include "viewporter-client-protocol.h"

static struct wl_surface *surface(struct peer *peer)
{
	return wl_compositor_create_surface(peer->compositor);
}

static void scale_of_zero(struct peer *peer)
{
	wl_surface_set_buffer_scale(surface(peer), 0);
}

static void negative_scale(struct peer *peer)
{
	wl_surface_set_buffer_scale(surface(peer), -1);
}

static void unknown_transform(struct peer *peer)
{
	wl_surface_set_buffer_transform(surface(peer), 8);
}

static void negative_transform(struct peer *peer)
{
	wl_surface_set_buffer_transform(surface(peer), -1);
}

static void size_no_multiple_of_scale(struct peer *peer)
{
	struct peer_window *window = peer_window_create_unmapped(peer);
	struct peer_buffer *buffer = peer_buffer_create(peer, 31, 32, WL_SHM_FORMAT_XRGB8888);
	wl_surface_set_buffer_scale(window->surface, 2);
	peer_surface_show(window->surface, buffer);
}

static void attach_with_offset(struct peer *peer)
{
	struct peer_buffer *buffer = peer_buffer_create(peer, 32, 32, WL_SHM_FORMAT_XRGB8888);
	wl_surface_attach(surface(peer), buffer->buffer, 1, 0);
}

static void surface_before_its_role(struct peer *peer)
{
	struct peer_window *window = peer_window_create_unmapped(peer);
	wl_surface_destroy(window->surface);
}

static void subsurface_of_itself(struct peer *peer)
{
	struct wl_surface *alone = surface(peer);
	wl_subcompositor_get_subsurface(peer->subcompositor, alone, alone);
}

static void subsurface_of_its_child(struct peer *peer)
{
	struct wl_surface *parent = surface(peer), *child = surface(peer);
	wl_subcompositor_get_subsurface(peer->subcompositor, child, parent);
	wl_subcompositor_get_subsurface(peer->subcompositor, parent, child);
}

static void subsurface_of_its_grandchild(struct peer *peer)
{
	struct wl_surface *parent = surface(peer), *child = surface(peer), *last = surface(peer);
	wl_subcompositor_get_subsurface(peer->subcompositor, child, parent);
	wl_subcompositor_get_subsurface(peer->subcompositor, last, child);
	wl_subcompositor_get_subsurface(peer->subcompositor, parent, last);
}

static void subsurface_twice(struct peer *peer)
{
	struct wl_surface *parent = surface(peer), *child = surface(peer);
	wl_subcompositor_get_subsurface(peer->subcompositor, child, parent);
	wl_subcompositor_get_subsurface(peer->subcompositor, child, parent);
}

static void subsurface_of_a_toplevel(struct peer *peer)
{
	struct peer_window *window = peer_window_create_unmapped(peer);
	wl_subcompositor_get_subsurface(peer->subcompositor, window->surface, surface(peer));
}

static void placed_above_a_stranger(struct peer *peer)
{
	struct wl_subsurface *subsurface =
		wl_subcompositor_get_subsurface(peer->subcompositor, surface(peer), surface(peer));
	wl_subsurface_place_above(subsurface, surface(peer));
}

static void placed_below_itself(struct peer *peer)
{
	struct wl_surface *child = surface(peer);
	struct wl_subsurface *subsurface =
		wl_subcompositor_get_subsurface(peer->subcompositor, child, surface(peer));
	wl_subsurface_place_below(subsurface, child);
}

static void placed_above_its_nephew(struct peer *peer)
{
	struct wl_surface *parent = surface(peer), *child = surface(peer), *last = surface(peer);
	struct wl_subsurface *subsurface =
		wl_subcompositor_get_subsurface(peer->subcompositor, child, parent);
	wl_subcompositor_get_subsurface(peer->subcompositor, last, child);
	wl_subsurface_place_above(subsurface, last);
}

static struct wp_viewport *viewport(struct peer *peer, struct wl_surface *wl_surface)
{
	struct wp_viewporter *viewporter = peer_bind(peer, &wp_viewporter_interface, 0);
	return wp_viewporter_get_viewport(viewporter, wl_surface);
}

static wl_fixed_t fixed(double value)
{
	return wl_fixed_from_double(value);
}

static void viewport_twice(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	viewport(peer, wl_surface);
	viewport(peer, wl_surface);
}

static void source_of_negative_x(struct peer *peer)
{
	wp_viewport_set_source(viewport(peer, surface(peer)), fixed(-0.5), 0, fixed(10), fixed(10));
}

static void source_without_width(struct peer *peer)
{
	wp_viewport_set_source(viewport(peer, surface(peer)), 0, 0, 0, fixed(10));
}

static void destination_without_width(struct peer *peer)
{
	wp_viewport_set_destination(viewport(peer, surface(peer)), 0, 10);
}

static void destination_of_negative_height(struct peer *peer)
{
	wp_viewport_set_destination(viewport(peer, surface(peer)), 10, -2);
}

static void fractional_source_alone(struct peer *peer)
{
	struct peer_window *window = peer_window_create(peer, 0, 0, 40, 40, 0xffffffff);
	wp_viewport_set_source(viewport(peer, window->surface), 0, 0, fixed(10.5), fixed(10));
	wl_surface_commit(window->surface);
}

static void source_beyond_the_buffer(struct peer *peer)
{
	struct peer_window *window = peer_window_create(peer, 0, 0, 40, 40, 0xffffffff);
	wp_viewport_set_source(viewport(peer, window->surface), fixed(30), 0, fixed(11), fixed(10));
	wl_surface_commit(window->surface);
}

/* Both errors apply: the source exceeds the buffer for any destination. */
static void fractional_source_beyond_the_buffer(struct peer *peer)
{
	struct peer_window *window = peer_window_create(peer, 0, 0, 40, 40, 0xffffffff);
	wp_viewport_set_source(viewport(peer, window->surface), fixed(30), 0,
		wl_fixed_from_double(10.5), fixed(10));
	wl_surface_commit(window->surface);
}

static void buffer_smaller_than_the_source(struct peer *peer)
{
	struct peer_window *window = peer_window_create(peer, 0, 0, 40, 40, 0xffffffff);
	wp_viewport_set_source(viewport(peer, window->surface), 0, 0, fixed(40), fixed(40));
	wl_surface_commit(window->surface);
	struct peer_buffer *buffer = peer_buffer_create(peer, 39, 40, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(window->surface, buffer);
}

static void viewport_after_its_surface(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct wp_viewport *orphan = viewport(peer, wl_surface);
	wl_surface_destroy(wl_surface);
	wp_viewport_set_destination(orphan, 10, 10);
}

static void fractional_scale_twice(struct peer *peer)
{
	struct wp_fractional_scale_manager_v1 *manager =
		peer_bind(peer, &wp_fractional_scale_manager_v1_interface, 0);
	struct wl_surface *wl_surface = surface(peer);
	wp_fractional_scale_manager_v1_get_fractional_scale(manager, wl_surface);
	wp_fractional_scale_manager_v1_get_fractional_scale(manager, wl_surface);
}

static void alpha_twice(struct peer *peer)
{
	struct wp_alpha_modifier_v1 *modifier = peer_bind(peer, &wp_alpha_modifier_v1_interface, 0);
	struct wl_surface *wl_surface = surface(peer);
	wp_alpha_modifier_v1_get_surface(modifier, wl_surface);
	wp_alpha_modifier_v1_get_surface(modifier, wl_surface);
}

static struct wp_color_representation_surface_v1 *representation_of(
	struct peer *peer, struct wl_surface *wl_surface)
{
	struct wp_color_representation_manager_v1 *manager =
		peer_bind(peer, &wp_color_representation_manager_v1_interface, 0);
	return wp_color_representation_manager_v1_get_surface(manager, wl_surface);
}

static void representation_twice(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	representation_of(peer, wl_surface);
	representation_of(peer, wl_surface);
}

static void straight_alpha(struct peer *peer)
{
	wp_color_representation_surface_v1_set_alpha_mode(representation_of(peer, surface(peer)),
		WP_COLOR_REPRESENTATION_SURFACE_V1_ALPHA_MODE_STRAIGHT);
}

static void untold_coefficients(struct peer *peer)
{
	wp_color_representation_surface_v1_set_coefficients_and_range(
		representation_of(peer, surface(peer)),
		WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_ICTCP,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_LIMITED);
}

static void coefficients_of_rgb(struct peer *peer)
{
	struct peer_window *window = peer_window_create(peer, 0, 0, 40, 40, 0xffffffff);
	wp_color_representation_surface_v1_set_coefficients_and_range(
		representation_of(peer, window->surface),
		WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT709,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_LIMITED);
	struct peer_buffer *buffer = peer_buffer_create(peer, 40, 40, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(window->surface, buffer);
}

static void chroma_location_of_zero(struct peer *peer)
{
	wp_color_representation_surface_v1_set_chroma_location(
		representation_of(peer, surface(peer)), 0);
}

static void chroma_location_beyond_the_last(struct peer *peer)
{
	wp_color_representation_surface_v1_set_chroma_location(
		representation_of(peer, surface(peer)),
		WP_COLOR_REPRESENTATION_SURFACE_V1_CHROMA_LOCATION_TYPE_5 + 1);
}

static void chroma_of_rgb(struct peer *peer)
{
	struct peer_window *window = peer_window_create(peer, 0, 0, 40, 40, 0xffffffff);
	wp_color_representation_surface_v1_set_chroma_location(
		representation_of(peer, window->surface),
		WP_COLOR_REPRESENTATION_SURFACE_V1_CHROMA_LOCATION_TYPE_1);
	struct peer_buffer *buffer = peer_buffer_create(peer, 40, 40, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(window->surface, buffer);
}

static void representation_after_its_surface(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct wp_color_representation_surface_v1 *orphan = representation_of(peer, wl_surface);
	wl_surface_destroy(wl_surface);
	wp_color_representation_surface_v1_set_chroma_location(
		orphan, WP_COLOR_REPRESENTATION_SURFACE_V1_CHROMA_LOCATION_TYPE_1);
}

static void alpha_after_its_surface(struct peer *peer)
{
	struct wp_alpha_modifier_v1 *modifier = peer_bind(peer, &wp_alpha_modifier_v1_interface, 0);
	struct wl_surface *wl_surface = surface(peer);
	struct wp_alpha_modifier_surface_v1 *orphan =
		wp_alpha_modifier_v1_get_surface(modifier, wl_surface);
	wl_surface_destroy(wl_surface);
	wp_alpha_modifier_surface_v1_set_multiplier(orphan, 0);
}

static struct wp_fifo_v1 *fifo(struct peer *peer, struct wl_surface *wl_surface)
{
	struct wp_fifo_manager_v1 *manager = peer_bind(peer, &wp_fifo_manager_v1_interface, 0);
	return wp_fifo_manager_v1_get_fifo(manager, wl_surface);
}

static void fifo_twice(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	fifo(peer, wl_surface);
	fifo(peer, wl_surface);
}

static void barrier_after_its_surface(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct wp_fifo_v1 *object = fifo(peer, wl_surface);
	wl_surface_destroy(wl_surface);
	wp_fifo_v1_set_barrier(object);
}

static void wait_after_its_surface(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct wp_fifo_v1 *object = fifo(peer, wl_surface);
	wl_surface_destroy(wl_surface);
	wp_fifo_v1_wait_barrier(object);
}

static struct wp_commit_timer_v1 *commit_timer(struct peer *peer, struct wl_surface *wl_surface)
{
	struct wp_commit_timing_manager_v1 *manager =
		peer_bind(peer, &wp_commit_timing_manager_v1_interface, 0);
	return wp_commit_timing_manager_v1_get_timer(manager, wl_surface);
}

static void timer_twice(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	/* A destroyed timer does not count. */
	wp_commit_timer_v1_destroy(commit_timer(peer, wl_surface));
	commit_timer(peer, wl_surface);
	commit_timer(peer, wl_surface);
}

static void time_of_too_many_nanoseconds(struct peer *peer)
{
	wp_commit_timer_v1_set_timestamp(commit_timer(peer, surface(peer)), 0, 1, 1000000000);
}

static void time_twice(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct wp_commit_timer_v1 *object = commit_timer(peer, wl_surface);
	wp_commit_timer_v1_set_timestamp(object, 0, 1, 999999999);
	wl_surface_commit(wl_surface);
	wp_commit_timer_v1_set_timestamp(object, 0, 2, 0);
	wp_commit_timer_v1_set_timestamp(object, 0, 2, 0);
}

static void time_after_its_surface(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct wp_commit_timer_v1 *object = commit_timer(peer, wl_surface);
	wl_surface_destroy(wl_surface);
	wp_commit_timer_v1_set_timestamp(object, 0, 1, 0);
}

static void two_content_types(struct peer *peer)
{
	struct wp_content_type_manager_v1 *manager =
		peer_bind(peer, &wp_content_type_manager_v1_interface, 0);
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	wp_content_type_manager_v1_get_surface_content_type(manager, surface);
	wp_content_type_manager_v1_get_surface_content_type(manager, surface);
}

static void two_tearing_controls(struct peer *peer)
{
	struct wp_tearing_control_manager_v1 *manager =
		peer_bind(peer, &wp_tearing_control_manager_v1_interface, 0);
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	wp_tearing_control_manager_v1_get_tearing_control(manager, surface);
	wp_tearing_control_manager_v1_get_tearing_control(manager, surface);
}

#define VIEWPORT(error) WP_VIEWPORT_ERROR_##error
#define TIMER(error) WP_COMMIT_TIMER_V1_ERROR_##error

static const struct error_case cases[] = {
	ERROR_CASE(scale_of_zero, wl_surface, WL_SURFACE_ERROR_INVALID_SCALE),
	ERROR_CASE(negative_scale, wl_surface, WL_SURFACE_ERROR_INVALID_SCALE),
	ERROR_CASE(unknown_transform, wl_surface, WL_SURFACE_ERROR_INVALID_TRANSFORM),
	ERROR_CASE(negative_transform, wl_surface, WL_SURFACE_ERROR_INVALID_TRANSFORM),
	ERROR_CASE(size_no_multiple_of_scale, wl_surface, WL_SURFACE_ERROR_INVALID_SIZE),
	ERROR_CASE(attach_with_offset, wl_surface, WL_SURFACE_ERROR_INVALID_OFFSET),
	ERROR_CASE_DESTROYED(surface_before_its_role, WL_SURFACE_ERROR_DEFUNCT_ROLE_OBJECT),
	ERROR_CASE(subsurface_of_itself, wl_subcompositor, WL_SUBCOMPOSITOR_ERROR_BAD_PARENT),
	ERROR_CASE(subsurface_of_its_child, wl_subcompositor, WL_SUBCOMPOSITOR_ERROR_BAD_PARENT),
	ERROR_CASE(
		subsurface_of_its_grandchild, wl_subcompositor, WL_SUBCOMPOSITOR_ERROR_BAD_PARENT),
	ERROR_CASE(subsurface_twice, wl_subcompositor, WL_SUBCOMPOSITOR_ERROR_BAD_SURFACE),
	ERROR_CASE(subsurface_of_a_toplevel, wl_subcompositor, WL_SUBCOMPOSITOR_ERROR_BAD_SURFACE),
	ERROR_CASE(placed_above_a_stranger, wl_subsurface, WL_SUBSURFACE_ERROR_BAD_SURFACE),
	ERROR_CASE(placed_below_itself, wl_subsurface, WL_SUBSURFACE_ERROR_BAD_SURFACE),
	ERROR_CASE(placed_above_its_nephew, wl_subsurface, WL_SUBSURFACE_ERROR_BAD_SURFACE),
	ERROR_CASE(viewport_twice, wp_viewporter, WP_VIEWPORTER_ERROR_VIEWPORT_EXISTS),
	ERROR_CASE(source_of_negative_x, wp_viewport, VIEWPORT(BAD_VALUE)),
	ERROR_CASE(source_without_width, wp_viewport, VIEWPORT(BAD_VALUE)),
	ERROR_CASE(destination_without_width, wp_viewport, VIEWPORT(BAD_VALUE)),
	ERROR_CASE(destination_of_negative_height, wp_viewport, VIEWPORT(BAD_VALUE)),
	ERROR_CASE(fractional_source_alone, wp_viewport, VIEWPORT(BAD_SIZE)),
	ERROR_CASE(source_beyond_the_buffer, wp_viewport, VIEWPORT(OUT_OF_BUFFER)),
	ERROR_CASE(fractional_source_beyond_the_buffer, wp_viewport, VIEWPORT(OUT_OF_BUFFER)),
	ERROR_CASE(buffer_smaller_than_the_source, wp_viewport, VIEWPORT(OUT_OF_BUFFER)),
	ERROR_CASE(viewport_after_its_surface, wp_viewport, VIEWPORT(NO_SURFACE)),
	ERROR_CASE(fractional_scale_twice, wp_fractional_scale_manager_v1,
		WP_FRACTIONAL_SCALE_MANAGER_V1_ERROR_FRACTIONAL_SCALE_EXISTS),
	ERROR_CASE(
		alpha_twice, wp_alpha_modifier_v1, WP_ALPHA_MODIFIER_V1_ERROR_ALREADY_CONSTRUCTED),
	ERROR_CASE(representation_twice, wp_color_representation_manager_v1,
		WP_COLOR_REPRESENTATION_MANAGER_V1_ERROR_SURFACE_EXISTS),
	ERROR_CASE(straight_alpha, wp_color_representation_surface_v1,
		WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_ALPHA_MODE),
	ERROR_CASE(untold_coefficients, wp_color_representation_surface_v1,
		WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_COEFFICIENTS),
	ERROR_CASE(coefficients_of_rgb, wp_color_representation_surface_v1,
		WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_PIXEL_FORMAT),
	ERROR_CASE(chroma_location_of_zero, wp_color_representation_surface_v1,
		WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_PIXEL_FORMAT),
	ERROR_CASE(chroma_location_beyond_the_last, wp_color_representation_surface_v1,
		WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_PIXEL_FORMAT),
	ERROR_CASE(chroma_of_rgb, wp_color_representation_surface_v1,
		WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_PIXEL_FORMAT),
	ERROR_CASE(representation_after_its_surface, wp_color_representation_surface_v1,
		WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_INERT),
	ERROR_CASE(alpha_after_its_surface, wp_alpha_modifier_surface_v1,
		WP_ALPHA_MODIFIER_SURFACE_V1_ERROR_NO_SURFACE),
	ERROR_CASE(fifo_twice, wp_fifo_manager_v1, WP_FIFO_MANAGER_V1_ERROR_ALREADY_EXISTS),
	ERROR_CASE(barrier_after_its_surface, wp_fifo_v1, WP_FIFO_V1_ERROR_SURFACE_DESTROYED),
	ERROR_CASE(wait_after_its_surface, wp_fifo_v1, WP_FIFO_V1_ERROR_SURFACE_DESTROYED),
	ERROR_CASE(timer_twice, wp_commit_timing_manager_v1,
		WP_COMMIT_TIMING_MANAGER_V1_ERROR_COMMIT_TIMER_EXISTS),
	ERROR_CASE(time_of_too_many_nanoseconds, wp_commit_timer_v1, TIMER(INVALID_TIMESTAMP)),
	ERROR_CASE(time_twice, wp_commit_timer_v1, TIMER(TIMESTAMP_EXISTS)),
	ERROR_CASE(time_after_its_surface, wp_commit_timer_v1, TIMER(SURFACE_DESTROYED)),
	ERROR_CASE(two_content_types, wp_content_type_manager_v1,
		WP_CONTENT_TYPE_MANAGER_V1_ERROR_ALREADY_CONSTRUCTED),
	ERROR_CASE(two_tearing_controls, wp_tearing_control_manager_v1,
		WP_TEARING_CONTROL_MANAGER_V1_ERROR_TEARING_CONTROL_EXISTS),
};

int main(void)
{
	return ERRORS_RUN("surface/errors", cases, false);
}
