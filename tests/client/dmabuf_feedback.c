/* Feedback of linux-dmabuf, of a device that is not there: what clients are told, byte by byte. */

#include "harness/fixture.h"
#include "harness/peer.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "protocol/protocols.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DEVICE makedev(226, 129)

struct world {
	struct fixture *fixture;
	struct format_set own_formats; /* of the fixture's renderer */
	struct gpu gpu;
	struct peer *peer;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	uint32_t version;
	/** As told. */
	int n_legacy, n_main, n_tables, n_tranches, n_done, n_flags, n_scan_out;
	dev_t main_device, target_device;
	int table_fd;
	uint32_t table_size, flags;
	uint16_t indices[8192];
	size_t n_indices;
	uint16_t scan_out[8]; /* of the tranche for that, the first */
};

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

/* `n` formats of `modifiers` layouts each. */
static void start(struct world *world, bool device, size_t n, size_t modifiers)
{
	*world = (struct world){.table_fd = -1};
	world->fixture = fixture_create(NULL);
	struct server *server = world->fixture->server;
	struct format_set *formats = &server->device.renderer->texture_formats;
	world->own_formats = *formats;
	*formats = (struct format_set){0};
	for (size_t i = 0; i < n; i++) {
		for (size_t m = 0; m < modifiers; m++) {
			format_set_add(
				formats, DRM_FORMAT_XRGB8888 + (uint32_t)i, (uint64_t)i << 40 | m);
		}
	}
	static char path[] = "/dev/dri/renderD129", name[] = "fake";
	world->gpu.render_path = path;
	world->gpu.render_dev = DEVICE;
	world->gpu.bus_id = world->gpu.driver = name;
	server->device.gpu = device ? &world->gpu : NULL;
	world->peer = peer_create(world->fixture);
	const struct peer_global *global = peer_find_global(world->peer, "zwp_linux_dmabuf_v1");
	assert_non_null(global);
	world->version = global->version;
	world->dmabuf = peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 5);
	zwp_linux_dmabuf_v1_add_listener(world->dmabuf, &dmabuf_listener, world);
	fixture_pump(world->fixture);
}

static void finish(struct world *world)
{
	zwp_linux_dmabuf_v1_destroy(world->dmabuf);
	peer_destroy(world->peer);
	struct server *server = world->fixture->server;
	server->device.gpu = NULL;
	format_set_finish(&server->device.renderer->texture_formats);
	server->device.renderer->texture_formats = world->own_formats;
	fixture_destroy(world->fixture);
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
	if (world->flags & ZWP_LINUX_DMABUF_FEEDBACK_V1_TRANCHE_FLAGS_SCANOUT) {
		assert_int_equal(world->n_tranches, 0); /* the best comes first */
		world->n_scan_out = (int)world->n_indices;
		memcpy(world->scan_out, world->indices, sizeof(world->scan_out));
		world->n_indices = 0;
	}
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
	assert_in_range(world->version, 5, 6); /* 6 where it is installed */
	assert_int_equal(world->n_legacy, 0);
	struct zwp_linux_dmabuf_feedback_v1 *feedback =
		zwp_linux_dmabuf_v1_get_default_feedback(world->dmabuf);
	zwp_linux_dmabuf_feedback_v1_add_listener(feedback, &feedback_listener, world);
	fixture_pump(world->fixture);
	assert_int_equal(world->n_done, 1);
	assert_int_equal(world->n_tranches, 1);
	assert_int_equal(world->n_flags, 1);
	assert_int_equal(world->flags, 0);
	assert_int_equal(world->main_device, DEVICE);
	assert_int_equal(world->target_device, DEVICE);
	check_table(world, formats, modifiers);
	zwp_linux_dmabuf_feedback_v1_destroy(feedback);
	fixture_pump(world->fixture);
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
	fixture_pump(world->fixture);
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

/* What is told of a surface since the last time. */
static void expect_scan_out(struct world *world, int n)
{
	fixture_pump(world->fixture);
	assert_int_equal(world->n_done, 1);
	assert_int_equal(world->n_tranches, n > 0 ? 2 : 1);
	assert_int_equal(world->n_scan_out, n);
	assert_int_equal(world->target_device, DEVICE);
	check_table(world, 3, 2);
	close(world->table_fd);
	world->n_main = world->n_tables = world->n_tranches = world->n_done = 0;
	world->n_indices = 0;
	world->n_scan_out = 0;
	world->flags = 0;
}

/* A surface that a plane could show is told what that takes, of what its GPU makes. */
static void candidate(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
	start(world, true, 3, 2);
	struct scene *scene = world->fixture->server->scene;
	struct output *output = scene->outputs[0]->output;
	struct plane plane = {.type = PLANE_OVERLAY, .index = output->n_planes};
	format_set_add(&plane.formats, DRM_FORMAT_XRGB8888 + 1, UINT64_C(1) << 40 | 1);
	format_set_add(&plane.formats, DRM_FORMAT_NV12, DRM_FORMAT_MOD_LINEAR);
	output->planes[output->n_planes++] = &plane;
	output->gpu = &world->gpu;

	struct peer_window *window = peer_window_create(world->peer, 20, 20, 64, 48, 0xff102030);
	struct zwp_linux_dmabuf_feedback_v1 *feedback =
		zwp_linux_dmabuf_v1_get_surface_feedback(world->dmabuf, window->surface);
	zwp_linux_dmabuf_feedback_v1_add_listener(feedback, &feedback_listener, world);
	expect_scan_out(world, 0);
	fixture_settle(world->fixture);
	struct scene_surface *content = NULL;
	for (int i = 0; i < scene->outputs[0]->n_entries; i++) {
		struct scene_node *node = scene->outputs[0]->entries[i].node;
		content = node->type == SCENE_SURFACE ? scene_surface_from_node(node) : content;
	}
	assert_non_null(content);
	content->candidate.told = true;
	content->candidate.plane = plane.index;
	signal_emit(&scene->events.candidate, content);
	expect_scan_out(world, 1);
	assert_int_equal(world->scan_out[0], 3);
	content->candidate.told = false;
	signal_emit(&scene->events.candidate, content);
	expect_scan_out(world, 0);
	/* On another GPU's screen, its buffers cannot be shown as they are. */
	output->gpu = NULL;
	content->candidate.told = true;
	signal_emit(&scene->events.candidate, content);
	expect_scan_out(world, 0);

	zwp_linux_dmabuf_feedback_v1_destroy(feedback);
	fixture_pump(world->fixture);
	output->n_planes--;
	format_set_finish(&plane.formats);
	world->table_fd = -1;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_formats),
		cmocka_unit_test(many_formats),
		cmocka_unit_test(table_is_read_only),
		cmocka_unit_test(candidate),
		cmocka_unit_test(without_a_device),
	};
	return cmocka_run_group_tests_name("dmabuf-feedback", tests, NULL, NULL);
}
