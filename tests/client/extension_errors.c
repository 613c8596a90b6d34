/* Errors of the extensions that change how a surface is drawn, and of dma-bufs. */

#include "alpha-modifier-v1-client-protocol.h"
#include "color-representation-v1-client-protocol.h"
#include "commit-timing-v1-client-protocol.h"
#include "errors.h"
#include "fifo-v1-client-protocol.h"
#include "fractional-scale-v1-client-protocol.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "util/fd.h"
#include "viewporter-client-protocol.h"
#include "wlr-layer-shell-unstable-v1-client-protocol.h"
#include <drm_fourcc.h>
#include <unistd.h>

static struct wl_surface *surface(struct peer *peer)
{
	return wl_compositor_create_surface(peer->compositor);
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

/* Both errors apply: the source is outside of the buffer whatever the destination. */
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

static struct zwlr_layer_surface_v1 *layer_of(
	struct peer *peer, struct wl_surface *wl_surface, uint32_t layer)
{
	struct zwlr_layer_shell_v1 *shell = peer_bind(peer, &zwlr_layer_shell_v1_interface, 0);
	return zwlr_layer_shell_v1_get_layer_surface(shell, wl_surface, NULL, layer, "test");
}

static struct zwlr_layer_surface_v1 *layer(struct peer *peer)
{
	return layer_of(peer, surface(peer), ZWLR_LAYER_SHELL_V1_LAYER_TOP);
}

static void layer_with_another_role(struct peer *peer)
{
	struct peer_window *window = peer_window_create_unmapped(peer);
	layer_of(peer, window->surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP);
}

static void unknown_layer(struct peer *peer)
{
	layer_of(peer, surface(peer), 4);
}

static void layer_with_a_buffer(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct peer_buffer *buffer = peer_buffer_create(peer, 8, 8, WL_SHM_FORMAT_XRGB8888);
	wl_surface_attach(wl_surface, buffer->buffer, 0, 0);
	wl_surface_commit(wl_surface);
	layer_of(peer, wl_surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP);
}

static void unknown_later_layer(struct peer *peer)
{
	zwlr_layer_surface_v1_set_layer(layer(peer), 17);
}

static void layer_without_size(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	layer_of(peer, wl_surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP);
	wl_surface_commit(wl_surface);
}

static void unknown_anchor_bits(struct peer *peer)
{
	zwlr_layer_surface_v1_set_anchor(layer(peer), 16);
}

static void unknown_keyboard_interactivity(struct peer *peer)
{
	zwlr_layer_surface_v1_set_keyboard_interactivity(layer(peer), 3);
}

static void exclusive_edge_without_anchor(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct zwlr_layer_surface_v1 *layer_surface =
		layer_of(peer, wl_surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP);
	zwlr_layer_surface_v1_set_size(layer_surface, 10, 10);
	zwlr_layer_surface_v1_set_anchor(layer_surface, ZWLR_LAYER_SURFACE_V1_ANCHOR_LEFT);
	zwlr_layer_surface_v1_set_exclusive_edge(layer_surface, ZWLR_LAYER_SURFACE_V1_ANCHOR_TOP);
	wl_surface_commit(wl_surface);
}

static void layer_buffer_before_configure(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct zwlr_layer_surface_v1 *layer_surface =
		layer_of(peer, wl_surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP);
	zwlr_layer_surface_v1_set_size(layer_surface, 10, 10);
	peer_surface_show(wl_surface, peer_buffer_create(peer, 10, 10, WL_SHM_FORMAT_XRGB8888));
}

static void layer_acknowledges_what_was_not_sent(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct zwlr_layer_surface_v1 *layer_surface =
		layer_of(peer, wl_surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP);
	zwlr_layer_surface_v1_set_size(layer_surface, 10, 10);
	wl_surface_commit(wl_surface);
	fixture_pump(peer->fixture);
	zwlr_layer_surface_v1_ack_configure(layer_surface, 0x7fffffff);
}

static struct zwp_linux_buffer_params_v1 *params(struct peer *peer)
{
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(peer, &zwp_linux_dmabuf_v1_interface, 3);
	return zwp_linux_dmabuf_v1_create_params(dmabuf);
}

static void add_plane(struct peer *peer, struct zwp_linux_buffer_params_v1 *buffer, uint32_t index,
	uint32_t offset, uint32_t stride)
{
	int fd = fd_create_memory("test-plane", 16 * 16 * 4, false);
	zwp_linux_buffer_params_v1_add(buffer, fd, index, offset, stride, 0, 0);
	wl_display_flush(peer->display);
	close(fd);
}

static void plane_beyond_four(struct peer *peer)
{
	add_plane(peer, params(peer), 4, 0, 64);
}

static void plane_twice(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	add_plane(peer, buffer, 0, 0, 64);
}

static void create_now(
	struct zwp_linux_buffer_params_v1 *buffer, int32_t width, int32_t height, uint32_t format)
{
	zwp_linux_buffer_params_v1_create_immed(buffer, width, height, format, 0);
}

static void dmabuf_without_planes(struct peer *peer)
{
	create_now(params(peer), 16, 16, DRM_FORMAT_XRGB8888);
}

static void dmabuf_with_a_gap(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 1, 0, 64);
	create_now(buffer, 16, 16, DRM_FORMAT_XRGB8888);
}

static void add_memory(struct peer *peer, struct zwp_linux_buffer_params_v1 *buffer, uint32_t index,
	int size, uint32_t stride)
{
	int fd = fd_create_memory("test-plane", size, false);
	zwp_linux_buffer_params_v1_add(buffer, fd, index, 0, stride, 0, 0);
	wl_display_flush(peer->display);
	close(fd);
}

/* 15 rows of luma share 8 rows of chroma, of which there are 7. */
static void dmabuf_with_a_chroma_plane_one_row_short(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_memory(peer, buffer, 0, 16 * 15, 16);
	add_memory(peer, buffer, 1, 16 * 7, 16);
	create_now(buffer, 16, 15, DRM_FORMAT_NV12);
}

static void dmabuf_of_unknown_format(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	create_now(buffer, 16, 16, 0x20202020);
}

static void dmabuf_without_width(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	create_now(buffer, 0, 16, DRM_FORMAT_XRGB8888);
}

static void dmabuf_of_negative_height(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	create_now(buffer, 16, -16, DRM_FORMAT_XRGB8888);
}

static void dmabuf_taller_than_its_memory(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	create_now(buffer, 16, 17, DRM_FORMAT_XRGB8888);
}

static void dmabuf_offset_beyond_its_memory(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 4096, 64);
	create_now(buffer, 16, 16, DRM_FORMAT_XRGB8888);
}

static void dmabuf_whose_size_overflows(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0xffffffff, 0xffffffff);
	create_now(buffer, 16, 16, DRM_FORMAT_XRGB8888);
}

static void params_twice(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	zwp_linux_buffer_params_v1_create(buffer, 16, 16, DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_create(buffer, 16, 16, DRM_FORMAT_XRGB8888, 0);
}

static void plane_after_use(struct peer *peer)
{
	struct zwp_linux_buffer_params_v1 *buffer = params(peer);
	add_plane(peer, buffer, 0, 0, 64);
	zwp_linux_buffer_params_v1_create(buffer, 16, 16, DRM_FORMAT_XRGB8888, 0);
	add_plane(peer, buffer, 1, 0, 64);
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
	/* What was destroyed does not count. */
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

#define VIEWPORT(error) WP_VIEWPORT_ERROR_##error
#define LAYER(error) ZWLR_LAYER_SURFACE_V1_ERROR_##error
#define TIMER(error) WP_COMMIT_TIMER_V1_ERROR_##error
#define PARAMS(error) ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_##error

static const struct error_case cases[] = {
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
	ERROR_CASE(chroma_of_rgb, wp_color_representation_surface_v1,
		WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_PIXEL_FORMAT),
	ERROR_CASE(representation_after_its_surface, wp_color_representation_surface_v1,
		WP_COLOR_REPRESENTATION_SURFACE_V1_ERROR_INERT),
	ERROR_CASE(alpha_after_its_surface, wp_alpha_modifier_surface_v1,
		WP_ALPHA_MODIFIER_SURFACE_V1_ERROR_NO_SURFACE),
	ERROR_CASE(layer_with_another_role, zwlr_layer_shell_v1, ZWLR_LAYER_SHELL_V1_ERROR_ROLE),
	ERROR_CASE(unknown_layer, zwlr_layer_shell_v1, ZWLR_LAYER_SHELL_V1_ERROR_INVALID_LAYER),
	/* A layer surface has no error for layers: its own for a state that cannot be. */
	ERROR_CASE(unknown_later_layer, zwlr_layer_surface_v1, LAYER(INVALID_SURFACE_STATE)),
	ERROR_CASE(layer_with_a_buffer, zwlr_layer_shell_v1,
		ZWLR_LAYER_SHELL_V1_ERROR_ALREADY_CONSTRUCTED),
	ERROR_CASE(layer_without_size, zwlr_layer_surface_v1, LAYER(INVALID_SIZE)),
	ERROR_CASE(unknown_anchor_bits, zwlr_layer_surface_v1, LAYER(INVALID_ANCHOR)),
	ERROR_CASE(unknown_keyboard_interactivity, zwlr_layer_surface_v1,
		LAYER(INVALID_KEYBOARD_INTERACTIVITY)),
	ERROR_CASE(exclusive_edge_without_anchor, zwlr_layer_surface_v1,
		LAYER(INVALID_EXCLUSIVE_EDGE)),
	ERROR_CASE(
		layer_buffer_before_configure, zwlr_layer_surface_v1, LAYER(INVALID_SURFACE_STATE)),
	ERROR_CASE(layer_acknowledges_what_was_not_sent, zwlr_layer_surface_v1,
		LAYER(INVALID_SURFACE_STATE)),
	ERROR_CASE(fifo_twice, wp_fifo_manager_v1, WP_FIFO_MANAGER_V1_ERROR_ALREADY_EXISTS),
	ERROR_CASE(barrier_after_its_surface, wp_fifo_v1, WP_FIFO_V1_ERROR_SURFACE_DESTROYED),
	ERROR_CASE(wait_after_its_surface, wp_fifo_v1, WP_FIFO_V1_ERROR_SURFACE_DESTROYED),
	ERROR_CASE(timer_twice, wp_commit_timing_manager_v1,
		WP_COMMIT_TIMING_MANAGER_V1_ERROR_COMMIT_TIMER_EXISTS),
	ERROR_CASE(time_of_too_many_nanoseconds, wp_commit_timer_v1, TIMER(INVALID_TIMESTAMP)),
	ERROR_CASE(time_twice, wp_commit_timer_v1, TIMER(TIMESTAMP_EXISTS)),
	ERROR_CASE(time_after_its_surface, wp_commit_timer_v1, TIMER(SURFACE_DESTROYED)),
	ERROR_CASE(plane_beyond_four, zwp_linux_buffer_params_v1, PARAMS(PLANE_IDX)),
	ERROR_CASE(plane_twice, zwp_linux_buffer_params_v1, PARAMS(PLANE_SET)),
	ERROR_CASE(dmabuf_without_planes, zwp_linux_buffer_params_v1, PARAMS(INCOMPLETE)),
	ERROR_CASE(dmabuf_with_a_gap, zwp_linux_buffer_params_v1, PARAMS(INCOMPLETE)),
	ERROR_CASE(dmabuf_of_unknown_format, zwp_linux_buffer_params_v1, PARAMS(INVALID_FORMAT)),
	ERROR_CASE(dmabuf_without_width, zwp_linux_buffer_params_v1, PARAMS(INVALID_DIMENSIONS)),
	ERROR_CASE(
		dmabuf_of_negative_height, zwp_linux_buffer_params_v1, PARAMS(INVALID_DIMENSIONS)),
	ERROR_CASE(
		dmabuf_taller_than_its_memory, zwp_linux_buffer_params_v1, PARAMS(OUT_OF_BOUNDS)),
	ERROR_CASE(dmabuf_with_a_chroma_plane_one_row_short, zwp_linux_buffer_params_v1,
		PARAMS(OUT_OF_BOUNDS)),
	ERROR_CASE(
		dmabuf_offset_beyond_its_memory, zwp_linux_buffer_params_v1, PARAMS(OUT_OF_BOUNDS)),
	ERROR_CASE(dmabuf_whose_size_overflows, zwp_linux_buffer_params_v1, PARAMS(OUT_OF_BOUNDS)),
	ERROR_CASE(params_twice, zwp_linux_buffer_params_v1, PARAMS(ALREADY_USED)),
	ERROR_CASE(plane_after_use, zwp_linux_buffer_params_v1, PARAMS(ALREADY_USED)),
};

int main(void)
{
	return ERRORS_RUN("extension-errors", cases, false);
}
