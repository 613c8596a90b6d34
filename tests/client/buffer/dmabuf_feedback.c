/* SPDX-License-Identifier: MIT */
/* linux-dmabuf feedback of a fake device: format table, tranches and scan-out. */

#include "harness/client/dmabuf_feedback.h"
#include "backend/output.h"
#include "content/device.h"
#include "gpu/format.h"
#include "gpu/gpu.h"
#include "planes/scanout.h"
#include "protocol/protocols.h"
#include "scene/scene.h"
#include "util/signal.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DEVICE makedev(226, 129)

struct feedback_world {
	struct fixture *fixture;
	struct format_set own_formats; /* of the fixture's renderer */
	struct gpu gpu;
	struct peer *peer;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	uint32_t version;
	int n_legacy; /* formats and modifiers sent without feedback */
};

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
	struct feedback_world *world = data;
	world->n_legacy++;
}

static void handle_modifier(
	void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format, uint32_t hi, uint32_t lo)
{
	struct feedback_world *world = data;
	world->n_legacy++;
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = handle_format,
	.modifier = handle_modifier,
};

/* Starts a server whose renderer has `n` formats with `modifiers` modifiers each. */
static void start(struct feedback_world *world, bool device, size_t n, size_t modifiers)
{
	*world = (struct feedback_world){0};
	world->fixture = fixture_create(NULL);
	struct server *server = world->fixture->server;
	struct format_set *formats = &server->device->renderer->texture_formats;
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
	server->device->gpu = device ? &world->gpu : NULL;
	world->peer = peer_create(world->fixture);
	const struct peer_global *global = peer_find_global(world->peer, "zwp_linux_dmabuf_v1");
	assert_non_null(global);
	world->version = global->version;
	world->dmabuf = peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 5);
	zwp_linux_dmabuf_v1_add_listener(world->dmabuf, &dmabuf_listener, world);
	fixture_pump(world->fixture);
}

static void finish(struct feedback_world *world)
{
	zwp_linux_dmabuf_v1_destroy(world->dmabuf);
	peer_destroy(world->peer);
	struct server *server = world->fixture->server;
	server->device->gpu = NULL;
	format_set_finish(&server->device->renderer->texture_formats);
	server->device->renderer->texture_formats = world->own_formats;
	fixture_destroy(world->fixture);
}

/* The single tranche lists every entry of the table, once and in order. */
static void check_table(const struct feedback *feedback, size_t formats, size_t modifiers)
{
	assert_int_equal(feedback->table_size, formats * modifiers * sizeof(struct feedback_pair));
	assert_int_equal(feedback->n_indices, formats * modifiers);
	for (size_t i = 0; i < feedback->n_indices; i++) {
		const struct feedback_pair *pair = &feedback->table[i];
		assert_int_equal(feedback->indices[i], i);
		assert_int_equal(pair->format, DRM_FORMAT_XRGB8888 + i / modifiers);
		assert_int_equal(pair->modifier, (uint64_t)(i / modifiers) << 40 | i % modifiers);
	}
}

static void check_feedback(size_t formats, size_t modifiers)
{
	struct feedback_world world;
	start(&world, true, formats, modifiers);
	assert_int_equal(world.version, 6);
	assert_int_equal(world.n_legacy, 0);
	struct feedback *feedback = feedback_create(world.peer, world.dmabuf, NULL);
	assert_int_equal(feedback->n_tranches, 1);
	assert_int_equal(feedback->n_flags, 1);
	assert_int_equal(feedback->flags, 0);
	assert_int_equal(feedback->main_device, DEVICE);
	assert_int_equal(feedback->target_device, DEVICE);
	check_table(feedback, formats, modifiers);
	feedback_destroy(feedback);
	finish(&world);
}

static void small_table_is_complete(void **state)
{
	check_feedback(3, 2);
}

/* More than one message can hold. */
static void table_larger_than_a_message_is_complete(void **state)
{
	check_feedback(60, 100);
}

/* A client must not be able to change the table that other clients read. */
static void table_is_read_only(void **state)
{
	struct feedback_world world;
	start(&world, true, 3, 2);
	struct feedback *feedback = feedback_create(world.peer, world.dmabuf, NULL);
	int fd = feedback->table_fd;
	assert_true(write(fd, "x", 1) < 0);
	assert_int_equal(errno, EPERM);
	assert_true(ftruncate(fd, 0) < 0);
	assert_true(ftruncate(fd, 1 << 20) < 0);
	assert_ptr_equal(
		mmap(NULL, feedback->table_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
		MAP_FAILED);
	assert_true(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL) < 0);
	check_table(feedback, 3, 2);
	feedback_destroy(feedback);
	finish(&world);
}

/* Feedback was sent `n_done` times, the last time with `n` scan-out entries. */
static void expect_scan_out(const struct feedback *feedback, int n_done, size_t n)
{
	fixture_pump(feedback->peer->fixture);
	assert_int_equal(feedback->n_done, n_done);
	assert_int_equal(feedback->n_tranches, n > 0 ? 2 : 1);
	assert_int_equal(feedback->n_scan_out, n);
	assert_int_equal(feedback->target_device, DEVICE);
	check_table(feedback, 3, 2);
}

/* A scan-out candidate gets the formats that both the plane and the GPU support. */
static void candidate_gets_a_scanout_tranche(void **state)
{
	struct feedback_world world;
	start(&world, true, 3, 2);
	struct scene *scene = world.fixture->server->scene;
	struct output *output = scene->outputs[0]->output;
	struct plane plane = {.type = PLANE_OVERLAY, .index = output->n_planes};
	format_set_add(&plane.formats, DRM_FORMAT_XRGB8888 + 1, UINT64_C(1) << 40 | 1);
	format_set_add(&plane.formats, DRM_FORMAT_NV12, DRM_FORMAT_MOD_LINEAR);
	output->planes[output->n_planes++] = &plane;
	output->gpu = &world.gpu;

	struct peer_window *window = peer_window_create(world.peer, 20, 20, 64, 48, 0xff102030);
	struct feedback *feedback = feedback_create(world.peer, world.dmabuf, window->surface);
	expect_scan_out(feedback, 1, 0);
	fixture_settle(world.fixture);
	struct scene_surface *content = NULL;
	for (int i = 0; i < scene->outputs[0]->n_entries; i++) {
		struct scene_node *node = scene->outputs[0]->entries[i].node;
		content = node->type == SCENE_SURFACE ? scene_surface_from_node(node) : content;
	}
	assert_non_null(content);
	struct scanout_candidate *candidate = scanout_candidate_get(content->surface);
	candidate->output = scene->outputs[0];
	candidate->plane = plane.index;
	signal_emit(&candidate->events.changed, candidate);
	expect_scan_out(feedback, 2, 1);
	assert_int_equal(feedback->scan_out[0], 3);
	candidate->output = NULL;
	signal_emit(&candidate->events.changed, candidate);
	expect_scan_out(feedback, 3, 0);
	/* On an output of another GPU its buffers cannot be scanned out directly. */
	output->gpu = NULL;
	candidate->output = scene->outputs[0];
	signal_emit(&candidate->events.changed, candidate);
	expect_scan_out(feedback, 4, 0);

	feedback_destroy(feedback);
	output->n_planes--;
	format_set_finish(&plane.formats);
	finish(&world);
}

static void formats_are_sent_without_a_device(void **state)
{
	struct feedback_world world;
	start(&world, false, 3, 2);
	assert_int_equal(world.version, 3);
	assert_int_equal(world.n_legacy, 6);
	finish(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_table_is_complete),
		cmocka_unit_test(table_larger_than_a_message_is_complete),
		cmocka_unit_test(table_is_read_only),
		cmocka_unit_test(candidate_gets_a_scanout_tranche),
		cmocka_unit_test(formats_are_sent_without_a_device),
	};
	return cmocka_run_group_tests_name("buffer/dmabuf_feedback", tests, NULL, NULL);
}
