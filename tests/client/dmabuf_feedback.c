/* Feedback of linux-dmabuf, of a device that is not there: what clients are told, byte by byte. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "buffer/allocator.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "protocol/protocol.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <wayland-client.h>

#define DEVICE makedev(226, 129)

struct world {
	struct server server;
	struct gpu gpu;
	struct renderer renderer;
	struct protocols *protocols;
	struct wl_display *client;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	uint32_t version;
	/** As told. */
	int n_legacy, n_main, n_tables, n_tranches, n_done, n_flags;
	dev_t main_device, target_device;
	int table_fd;
	uint32_t table_size, flags;
	uint16_t indices[8192];
	size_t n_indices;
};

static void pump(struct world *world)
{
	for (int i = 0; i < 8; i++) {
		wl_display_flush(world->client);
		wl_event_loop_dispatch(world->server.loop, 0);
		wl_display_flush_clients(world->server.display);
		while (wl_display_prepare_read(world->client) != 0) {
			wl_display_dispatch_pending(world->client);
		}
		wl_display_read_events(world->client);
		wl_display_dispatch_pending(world->client);
	}
	assert_int_equal(wl_display_get_error(world->client), 0);
}

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
	struct world *world = data;
	world->n_legacy++;
}

static void handle_modifier(
	void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format, uint32_t hi, uint32_t lo)
{
	struct world *world = data;
	world->n_legacy++;
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = handle_format,
	.modifier = handle_modifier,
};

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct world *world = data;
	assert_string_equal(interface, "zwp_linux_dmabuf_v1");
	world->version = version;
	world->dmabuf = wl_registry_bind(
		registry, name, &zwp_linux_dmabuf_v1_interface, version < 5 ? version : 5);
	zwp_linux_dmabuf_v1_add_listener(world->dmabuf, &dmabuf_listener, world);
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static void connect_client(struct world *world)
{
	int fds[2];
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
	assert_non_null(wl_client_create(world->server.display, fds[0]));
	world->client = wl_display_connect_to_fd(fds[1]);
	assert_non_null(world->client);
	struct wl_registry *registry = wl_display_get_registry(world->client);
	wl_registry_add_listener(registry, &registry_listener, world);
	pump(world);
	wl_registry_destroy(registry);
	assert_non_null(world->dmabuf);
}

/* `n` formats of `modifiers` layouts each. */
static void start(struct world *world, bool device, size_t n, size_t modifiers)
{
	*world = (struct world){.table_fd = -1};
	struct server *server = &world->server;
	server->display = wl_display_create();
	server->loop = wl_display_get_event_loop(server->display);
	server->clock = clock_create_test(1);
	server->scene = scene_create();
	server->device.renderer = &world->renderer;
	static char path[] = "/dev/dri/renderD129";
	world->gpu.render_path = path;
	world->gpu.render_dev = DEVICE;
	if (device) {
		server->device.gpu = &world->gpu;
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t m = 0; m < modifiers; m++) {
			format_set_add(&world->renderer.texture_formats,
				DRM_FORMAT_XRGB8888 + (uint32_t)i, (uint64_t)i << 40 | m);
		}
	}
	world->protocols = xcalloc(1, sizeof(*world->protocols));
	world->protocols->server = server;
	world->protocols->display = server->display;
	wl_list_init(&world->protocols->globals);
	wl_signal_init(&world->protocols->events.destroy);
	wl_signal_init(&world->protocols->events.new_surface);
	linux_dmabuf_create(world->protocols);
	if (n > 0) {
		connect_client(world);
	}
}

static void finish(struct world *world)
{
	if (world->client) {
		zwp_linux_dmabuf_v1_destroy(world->dmabuf);
		wl_display_disconnect(world->client);
	}
	protocols_destroy(world->protocols);
	scene_destroy(world->server.scene);
	wl_display_destroy(world->server.display);
	clock_destroy(world->server.clock);
	format_set_finish(&world->renderer.texture_formats);
	if (world->table_fd >= 0) {
		close(world->table_fd);
	}
}

static dev_t device_of(const struct wl_array *array)
{
	dev_t device;
	assert_int_equal(array->size, sizeof(device));
	memcpy(&device, array->data, sizeof(device));
	return device;
}

static void handle_done(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback)
{
	struct world *world = data;
	assert_int_equal(world->n_tables, 1);
	assert_int_equal(world->n_main, 1);
	world->n_done++;
}

static void handle_table(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, int32_t fd, uint32_t size)
{
	struct world *world = data;
	world->n_tables++;
	world->table_fd = fd;
	world->table_size = size;
}

static void handle_main_device(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *device)
{
	struct world *world = data;
	world->n_main++;
	world->main_device = device_of(device);
}

static void handle_tranche_done(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback)
{
	struct world *world = data;
	world->n_tranches++;
}

static void handle_target_device(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *device)
{
	struct world *world = data;
	world->target_device = device_of(device);
}

static void handle_tranche_formats(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *indices)
{
	struct world *world = data;
	const uint16_t *index;
	wl_array_for_each (index, indices) {
		assert_in_range(world->n_indices, 0, 8191);
		world->indices[world->n_indices++] = *index;
	}
}

static void handle_flags(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, uint32_t flags)
{
	struct world *world = data;
	world->n_flags++;
	world->flags = flags;
}

static const struct zwp_linux_dmabuf_feedback_v1_listener feedback_listener = {
	.done = handle_done,
	.format_table = handle_table,
	.main_device = handle_main_device,
	.tranche_done = handle_tranche_done,
	.tranche_target_device = handle_target_device,
	.tranche_formats = handle_tranche_formats,
	.tranche_flags = handle_flags,
};

struct pair {
	uint32_t format, padding;
	uint64_t modifier;
};

/* Everything of the table is named by the one tranche, once and in order. */
static void check_table(struct world *world, size_t formats, size_t modifiers)
{
	assert_int_equal(world->table_size, formats * modifiers * sizeof(struct pair));
	assert_int_equal(world->n_indices, formats * modifiers);
	const struct pair *table =
		mmap(NULL, world->table_size, PROT_READ, MAP_PRIVATE, world->table_fd, 0);
	assert_true(table != MAP_FAILED);
	for (size_t i = 0; i < world->n_indices; i++) {
		assert_int_equal(world->indices[i], i);
		assert_int_equal(table[i].format, DRM_FORMAT_XRGB8888 + i / modifiers);
		assert_int_equal(
			table[i].modifier, (uint64_t)(i / modifiers) << 40 | i % modifiers);
	}
	munmap((void *)table, world->table_size);
}

static void told(size_t formats, size_t modifiers)
{
	struct world *world = xcalloc(1, sizeof(*world));
	start(world, true, formats, modifiers);
	assert_int_equal(world->version, 5);
	assert_int_equal(world->n_legacy, 0);
	struct zwp_linux_dmabuf_feedback_v1 *feedback =
		zwp_linux_dmabuf_v1_get_default_feedback(world->dmabuf);
	zwp_linux_dmabuf_feedback_v1_add_listener(feedback, &feedback_listener, world);
	pump(world);
	assert_int_equal(world->n_done, 1);
	assert_int_equal(world->n_tranches, 1);
	assert_int_equal(world->n_flags, 1);
	assert_int_equal(world->flags, 0);
	assert_int_equal(world->main_device, DEVICE);
	assert_int_equal(world->target_device, DEVICE);
	check_table(world, formats, modifiers);
	zwp_linux_dmabuf_feedback_v1_destroy(feedback);
	pump(world);
	finish(world);
	free(world);
}

static void few_formats(void **state)
{
	told(3, 2);
}

/* More than fit into one message. */
static void many_formats(void **state)
{
	told(60, 100);
}

/* One client must not be able to change what another reads. */
static void table_is_read_only(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
	start(world, true, 3, 2);
	struct zwp_linux_dmabuf_feedback_v1 *feedback =
		zwp_linux_dmabuf_v1_get_default_feedback(world->dmabuf);
	zwp_linux_dmabuf_feedback_v1_add_listener(feedback, &feedback_listener, world);
	pump(world);
	int fd = world->table_fd;
	assert_true(write(fd, "x", 1) < 0);
	assert_int_equal(errno, EPERM);
	assert_true(ftruncate(fd, 0) < 0);
	assert_true(ftruncate(fd, 1 << 20) < 0);
	assert_ptr_equal(mmap(NULL, world->table_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
		MAP_FAILED);
	assert_true(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL) < 0);
	check_table(world, 3, 2);
	zwp_linux_dmabuf_feedback_v1_destroy(feedback);
	finish(world);
	free(world);
}

static void without_a_device(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
	start(world, false, 3, 2);
	assert_int_equal(world->version, 3);
	assert_int_equal(world->n_legacy, 6);
	finish(world);
	free(world);
}

static void without_formats(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
	start(world, true, 0, 0);
	assert_true(wl_list_empty(&world->protocols->globals));
	finish(world);
	free(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_formats),
		cmocka_unit_test(many_formats),
		cmocka_unit_test(table_is_read_only),
		cmocka_unit_test(without_a_device),
		cmocka_unit_test(without_formats),
	};
	return cmocka_run_group_tests_name("dmabuf-feedback", tests, NULL, NULL);
}
