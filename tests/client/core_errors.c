/* Errors of the core protocol: surfaces, subsurfaces, shared memory, data devices. */

#include "errors.h"
#include "util/fd.h"
#include <unistd.h>

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

static struct wl_shm_pool *pool(struct peer *peer, int32_t size)
{
	int fd = fd_create_memory("test-pool", 4096, false);
	struct wl_shm_pool *pool = wl_shm_create_pool(peer->shm, fd, size);
	fixture_pump(peer->fixture);
	close(fd);
	return pool;
}

static void pool_of_no_size(struct peer *peer)
{
	pool(peer, 0);
}

static void pool_of_negative_size(struct peer *peer)
{
	pool(peer, -4096);
}

static void pool_on_a_pipe(struct peer *peer)
{
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	wl_shm_create_pool(peer->shm, fds[0], 4096);
	fixture_pump(peer->fixture);
	close(fds[0]);
	close(fds[1]);
}

static void pool_made_smaller(struct peer *peer)
{
	wl_shm_pool_resize(pool(peer, 4096), 4095);
}

static void buffer_of_unknown_format(struct peer *peer)
{
	wl_shm_pool_create_buffer(pool(peer, 4096), 0, 16, 16, 64, 0x20202020);
}

static void buffer_with_short_stride(struct peer *peer)
{
	wl_shm_pool_create_buffer(pool(peer, 4096), 0, 16, 16, 63, WL_SHM_FORMAT_XRGB8888);
}

static void buffer_beyond_the_pool(struct peer *peer)
{
	wl_shm_pool_create_buffer(pool(peer, 4096), 64, 16, 64, 64, WL_SHM_FORMAT_XRGB8888);
}

static void buffer_with_negative_offset(struct peer *peer)
{
	wl_shm_pool_create_buffer(pool(peer, 4096), -64, 16, 16, 64, WL_SHM_FORMAT_XRGB8888);
}

static void buffer_without_width(struct peer *peer)
{
	wl_shm_pool_create_buffer(pool(peer, 4096), 0, 0, 16, 64, WL_SHM_FORMAT_XRGB8888);
}

static void buffer_whose_size_overflows(struct peer *peer)
{
	wl_shm_pool_create_buffer(
		pool(peer, 4096), 0, 0x10001, 0x10001, 0x40004, WL_SHM_FORMAT_XRGB8888);
}

static struct wl_data_device_manager *manager(struct peer *peer)
{
	return peer_bind(peer, &wl_data_device_manager_interface, 0);
}

static void drag_icon_with_a_role(struct peer *peer)
{
	struct wl_data_device_manager *data = manager(peer);
	struct peer_window *window = peer_window_create(peer, 0, 0, 32, 32, 0xffffffff);
	struct wl_data_device *device = wl_data_device_manager_get_data_device(data, peer->seat);
	wl_data_device_start_drag(device, NULL, window->surface, window->surface, 1);
}

static void unknown_drag_actions(struct peer *peer)
{
	struct wl_data_source *source = wl_data_device_manager_create_data_source(manager(peer));
	wl_data_source_set_actions(source, 8);
}

static void drag_actions_twice(struct peer *peer)
{
	struct wl_data_source *source = wl_data_device_manager_create_data_source(manager(peer));
	wl_data_source_set_actions(source, WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY);
	wl_data_source_set_actions(source, WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY);
}

static void drag_source_as_selection(struct peer *peer)
{
	struct wl_data_device_manager *data = manager(peer);
	struct wl_data_device *device = wl_data_device_manager_get_data_device(data, peer->seat);
	struct wl_data_source *source = wl_data_device_manager_create_data_source(data);
	wl_data_source_set_actions(source, WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY);
	wl_data_device_set_selection(device, source, 1);
}

static void touch_that_never_was(struct peer *peer)
{
	wl_seat_get_touch(peer->seat);
}

static void global_that_is_not_there(struct peer *peer)
{
	wl_registry_bind(peer->registry, 4000, &wl_compositor_interface, 1);
}

static void global_of_another_interface(struct peer *peer)
{
	const struct peer_global *global = peer_find_global(peer, "wl_shm");
	wl_registry_bind(peer->registry, global->name, &wl_compositor_interface, 1);
}

static void global_of_version_zero(struct peer *peer)
{
	const struct peer_global *global = peer_find_global(peer, "wl_shm");
	wl_registry_bind(peer->registry, global->name, &wl_shm_interface, 0);
}

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
	ERROR_CASE(pool_of_no_size, wl_shm, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(pool_of_negative_size, wl_shm, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(pool_on_a_pipe, wl_shm, WL_SHM_ERROR_INVALID_FD),
	ERROR_CASE(pool_made_smaller, wl_shm_pool, WL_SHM_ERROR_INVALID_FD),
	ERROR_CASE(buffer_of_unknown_format, wl_shm_pool, WL_SHM_ERROR_INVALID_FORMAT),
	ERROR_CASE(buffer_with_short_stride, wl_shm_pool, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(buffer_beyond_the_pool, wl_shm_pool, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(buffer_with_negative_offset, wl_shm_pool, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(buffer_without_width, wl_shm_pool, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(buffer_whose_size_overflows, wl_shm_pool, WL_SHM_ERROR_INVALID_STRIDE),
	ERROR_CASE(drag_icon_with_a_role, wl_data_device, WL_DATA_DEVICE_ERROR_ROLE),
	ERROR_CASE(unknown_drag_actions, wl_data_source, WL_DATA_SOURCE_ERROR_INVALID_ACTION_MASK),
	ERROR_CASE(drag_actions_twice, wl_data_source, WL_DATA_SOURCE_ERROR_INVALID_ACTION_MASK),
	ERROR_CASE(drag_source_as_selection, wl_data_source, WL_DATA_SOURCE_ERROR_INVALID_SOURCE),
	ERROR_CASE(touch_that_never_was, wl_seat, WL_SEAT_ERROR_MISSING_CAPABILITY),
	ERROR_CASE(global_that_is_not_there, wl_registry, WL_DISPLAY_ERROR_INVALID_OBJECT),
	ERROR_CASE(global_of_another_interface, wl_registry, WL_DISPLAY_ERROR_INVALID_OBJECT),
	ERROR_CASE(global_of_version_zero, wl_registry, WL_DISPLAY_ERROR_INVALID_OBJECT),
};

int main(void)
{
	return ERRORS_RUN("core-errors", cases, false);
}
