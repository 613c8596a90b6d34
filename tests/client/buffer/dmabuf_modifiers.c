/* SPDX-License-Identifier: MIT */
/* Modifiers offered to a program for its render GPU: those that a usable copy engine can read. */

#include "harness/client/dmabuf_feedback.h"
#include "harness/client/gpu_world.h"
#include "harness/client/second_gpu.h"
#include "protocol/protocols.h"
#include "surface/surface.h"
#include <drm_fourcc.h>
#include <stdlib.h>

static const uint32_t format = DRM_FORMAT_XRGB8888;

/** The default feedback of a program on the second GPU offers `modifier`, or does not. */
static void expect_offered(struct gpu_world *world, uint64_t modifier, bool offered)
{
	struct program one = program_start(world->fixture, "one");
	struct feedback *feedback = feedback_create(
		one.peer, peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 5), NULL);
	assert_int_equal(feedback->main_device, DEV_B);
	assert_true(feedback_offers(feedback, format, DRM_FORMAT_MOD_LINEAR));
	assert_int_equal(feedback_offers(feedback, format, modifier), offered);
	feedback_destroy(feedback);
	program_end(&one);
}

static void use_engine(struct gpu_world *world, const char *only)
{
	world->fixture->server->copier->only = only;
	protocols_rules_changed(world->fixture->server->protocols);
}

/* Vendor modifiers are offered if any usable engine reads them. */
static void modifiers_of_usable_engines_are_offered(void **state)
{
	const uint64_t made[] = {I915_FORMAT_MOD_X_TILED, I915_FORMAT_MOD_Y_TILED,
		I915_FORMAT_MOD_4_TILED, DRM_FORMAT_MOD_INVALID, 0};
	const uint64_t by_vulkan[] = {I915_FORMAT_MOD_X_TILED, 0};
	const uint64_t by_gles[] = {
		I915_FORMAT_MOD_X_TILED, I915_FORMAT_MOD_Y_TILED, DRM_FORMAT_MOD_INVALID, 0};
	struct gpu_world world;
	struct gpu_facts facts = {0};
	world_start(&world);
	facts_add_made(&facts, made);
	facts_add_reader(&facts, "vulkan", by_vulkan);
	facts_add_reader(&facts, "gles", by_gles);
	facts_add_reader(&facts, "cpu", &by_vulkan[1]);
	char *path = cache_keep(&world, world.b, &facts);
	protocols_rules_changed(world.fixture->server->protocols);
	probes_await(world.fixture);
	expect_offered(&world, I915_FORMAT_MOD_X_TILED, true);
	expect_offered(&world, I915_FORMAT_MOD_Y_TILED, true);
	expect_offered(&world, DRM_FORMAT_MOD_INVALID, true);
	expect_offered(&world, I915_FORMAT_MOD_4_TILED, false);
	/* Clients get new feedback when another engine does the copies. */
	struct program kept = program_start(world.fixture, "one");
	struct feedback *of_default = feedback_create(
		kept.peer, peer_bind(kept.peer, &zwp_linux_dmabuf_v1_interface, 5), NULL);
	assert_true(feedback_offers(of_default, format, I915_FORMAT_MOD_Y_TILED));
	use_engine(&world, "vulkan");
	fixture_pump(world.fixture);
	assert_int_equal(of_default->n_done, 2);
	assert_true(feedback_offers(of_default, format, I915_FORMAT_MOD_X_TILED));
	assert_false(feedback_offers(of_default, format, I915_FORMAT_MOD_Y_TILED));
	protocols_rules_changed(world.fixture->server->protocols);
	fixture_pump(world.fixture);
	assert_int_equal(of_default->n_done, 2);
	feedback_destroy(of_default);
	program_end(&kept);
	expect_offered(&world, I915_FORMAT_MOD_X_TILED, true);
	expect_offered(&world, I915_FORMAT_MOD_Y_TILED, false);
	expect_offered(&world, DRM_FORMAT_MOD_INVALID, false);
	use_engine(&world, "cpu");
	expect_offered(&world, I915_FORMAT_MOD_X_TILED, false);
	/* The GPU has no such engine; only linear buffers need none. */
	use_engine(&world, "sdma");
	expect_offered(&world, I915_FORMAT_MOD_X_TILED, false);
	cache_forget(path);
	world_finish(&world);
}

/* AMD's copy engine cannot read compressed buffers, and slower engines are not used for them. */
static void compressed_modifiers_need_an_engine_that_reads_them(void **state)
{
	const uint64_t made[] = {COMPRESSED_AMD, TILED_AMD, 0};
	for (int sdma = 0; sdma < 2; sdma++) {
		struct gpu_world world;
		struct gpu_facts facts = {0};
		world_start(&world);
		facts_add_made(&facts, made);
		if (sdma) {
			facts_add_reader(&facts, "sdma", &made[1]);
		}
		facts_add_reader(&facts, "gles", made);
		char *path = cache_keep(&world, world.b, &facts);
		protocols_rules_changed(world.fixture->server->protocols);
		probes_await(world.fixture);
		expect_offered(&world, TILED_AMD, true);
		expect_offered(&world, COMPRESSED_AMD, !sdma);
		use_engine(&world, "gles");
		expect_offered(&world, COMPRESSED_AMD, true);
		cache_forget(path);
		world_finish(&world);
	}
}

/* Known facts belong to one queue: another queue is probed again. */
static void another_queue_is_probed_again(void **state)
{
	const uint64_t made[] = {I915_FORMAT_MOD_X_TILED, 0};
	struct gpu_world world;
	struct gpu_facts facts = {0};
	world_start(&world);
	struct server *server = world.fixture->server;
	facts_add_made(&facts, made);
	facts_add_reader(&facts, "vulkan", made);
	char *path = cache_keep(&world, world.b, &facts);
	protocols_rules_changed(server->protocols);
	probes_await(world.fixture);
	expect_offered(&world, I915_FORMAT_MOD_X_TILED, true);
	server->copier->queue = VULKAN_QUEUE_ANY;
	facts_add_made(&facts, made);
	char *same = cache_keep(&world, world.b, &facts);
	int n_probes = probes_begun();
	protocols_rules_changed(server->protocols);
	assert_int_equal(probes_begun(), n_probes + 1);
	probes_await(world.fixture);
	expect_offered(&world, I915_FORMAT_MOD_X_TILED, false);
	free(same);
	cache_forget(path);
	world_finish(&world);
}

/* The cache stands for a GPU that can be opened again. */
static void probe_that_failed_is_repeated(void **state)
{
	const uint64_t made[] = {I915_FORMAT_MOD_X_TILED, 0};
	struct gpu_world world;
	struct gpu_facts facts = {0};
	world_start(&world);
	struct server *server = world.fixture->server;
	protocols_rules_changed(server->protocols);
	probes_await(world.fixture);
	expect_offered(&world, I915_FORMAT_MOD_X_TILED, false);
	facts_add_made(&facts, made);
	facts_add_reader(&facts, "vulkan", made);
	char *path = cache_keep(&world, world.b, &facts);
	int n_probes = probes_begun();
	clock_advance(server->clock, INT64_C(4900000000));
	assert_int_equal(probes_begun(), n_probes);
	clock_advance(server->clock, INT64_C(200000000));
	assert_int_equal(probes_begun(), n_probes + 1);
	probes_await(world.fixture);
	expect_offered(&world, I915_FORMAT_MOD_X_TILED, true);
	clock_advance(server->clock, INT64_C(600000000000));
	assert_int_equal(probes_begun(), n_probes + 1);
	cache_forget(path);
	world_finish(&world);
}

/* A driver that never answers does not wake the GPU for ever. */
static void probes_that_fail_end_some_time(void **state)
{
	struct gpu_world world;
	world_start(&world);
	struct server *server = world.fixture->server;
	protocols_rules_changed(server->protocols);
	probes_await(world.fixture);
	int n_probes = probes_begun();
	for (int i = 0; i < 600; i++) {
		clock_advance(server->clock, INT64_C(1000000000));
		probes_await(world.fixture);
	}
	assert_int_equal(probes_begun(), n_probes + 4);
	world_finish(&world);
}

/* Answers are never final: each program that starts may bring further probes, with pauses. */
static void program_that_starts_repeats_probes_that_were_given_up(void **state)
{
	const uint64_t made[] = {I915_FORMAT_MOD_X_TILED, 0};
	struct gpu_world world;
	struct gpu_facts facts = {0};
	world_start(&world);
	struct server *server = world.fixture->server;
	protocols_rules_changed(server->protocols);
	for (int i = 0; i < 600; i++) {
		clock_advance(server->clock, INT64_C(1000000000));
		probes_await(world.fixture);
	}
	for (int i = 0; i < 3; i++) {
		const int n_probes = probes_begun();
		/* Of any number of requests, one is answered at once, and one after a pause. */
		for (int j = 0; j < 20; j++) {
			protocols_rules_changed(server->protocols);
			clock_advance(server->clock, INT64_C(1000000));
			probes_await(world.fixture);
		}
		assert_int_equal(probes_begun(), n_probes + 1);
		for (int j = 0; j < 600; j++) {
			clock_advance(server->clock, INT64_C(1000000000));
			probes_await(world.fixture);
			assert_in_range(probes_begun(), n_probes + 1, n_probes + 1 + (j > 70));
		}
		assert_int_equal(probes_begun(), n_probes + 2);
	}
	facts_add_made(&facts, made);
	facts_add_reader(&facts, "vulkan", made);
	char *path = cache_keep(&world, world.b, &facts);
	protocols_rules_changed(server->protocols);
	clock_advance(server->clock, INT64_C(90000000000));
	probes_await(world.fixture);
	expect_offered(&world, I915_FORMAT_MOD_X_TILED, true);
	cache_forget(path);
	world_finish(&world);
}

/*
 * Compressed modifiers are offered only for surfaces on the GPU's own outputs: elsewhere buffers
 * are copied, by an engine that cannot read them.
 */
static void compressed_modifiers_are_offered_on_own_outputs_only(void **state)
{
	const uint64_t made[] = {COMPRESSED_AMD, TILED_AMD, 0};
	const uint64_t compressed = made[0], tiled = made[1];
	struct gpu_world world;
	struct gpu_facts facts = {0};
	world_start(&world);
	struct server *server = world.fixture->server;
	facts_add_made(&facts, made);
	facts_add_reader(&facts, "sdma", &made[1]);
	char *path = cache_keep(&world, world.b, &facts);
	protocols_rules_changed(server->protocols);
	probes_await(world.fixture);
	struct program one = program_start(world.fixture, "one");
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct wl_surface *proxy =
		wl_compositor_create_surface(peer_bind(one.peer, &wl_compositor_interface, 4));
	fixture_pump(world.fixture);
	struct surface *surface = peer_surface_find(one.peer, proxy);
	struct feedback *of_surface = feedback_create(one.peer, dmabuf, proxy);
	assert_true(feedback_offers(of_surface, format, tiled));
	assert_false(feedback_offers(of_surface, format, compressed));

	/* The second GPU gets an output, and the window moves there. */
	struct server_device *device;
	struct output *other = output_light_second(&world, &device);
	int index = 0;
	while (server->scene->outputs[index]->output != other) {
		index++;
	}
	int n_done = of_surface->n_done;
	surface_set_outputs(surface, 1u << index);
	fixture_pump(world.fixture);
	assert_int_equal(of_surface->n_done, n_done + 1);
	assert_true(feedback_offers(of_surface, format, tiled));
	assert_true(feedback_offers(of_surface, format, compressed));
	/* The default feedback has no output, and most outputs belong to another GPU. */
	struct feedback *of_default = feedback_create(one.peer, dmabuf, NULL);
	assert_false(feedback_offers(of_default, format, compressed));
	/* On both outputs, the surface is copied to one. */
	surface_set_outputs(surface, 1u << index | 1);
	fixture_pump(world.fixture);
	assert_int_equal(of_surface->n_done, n_done + 2);
	assert_false(feedback_offers(of_surface, format, compressed));
	surface_set_outputs(surface, 1);
	output_darken_second(&world, other, device);
	feedback_destroy(of_default);
	feedback_destroy(of_surface);
	program_end(&one);
	cache_forget(path);
	world_finish(&world);
}

/* Number of modifier events of the test's format. */
struct announced {
	int n_linear, n_tiled;
};

static void handle_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t name)
{
}

static void handle_modifier(
	void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t name, uint32_t high, uint32_t low)
{
	struct announced *announced = data;
	uint64_t modifier = (uint64_t)high << 32 | low;
	if (name == format) {
		announced->n_linear += modifier == DRM_FORMAT_MOD_LINEAR;
		announced->n_tiled += modifier == TILED_AMD;
	}
}

/* Xwayland 22.1 binds version 3 when it starts, which may be before the GPU's formats are known. */
static void clients_without_feedback_get_modifiers_that_are_found_later(void **state)
{
	static const struct zwp_linux_dmabuf_v1_listener listener = {
		handle_format, handle_modifier};
	const uint64_t made[] = {TILED_AMD, 0};
	struct gpu_world world;
	struct gpu_facts facts = {0};
	struct announced announced = {0}, other = {0};
	world_start(&world);
	facts_add_made(&facts, made);
	facts_add_reader(&facts, "sdma", made);
	char *path = cache_keep(&world, world.b, &facts);
	struct program one = program_start(world.fixture, "one");
	struct program two = program_start(world.fixture, "two");
	zwp_linux_dmabuf_v1_add_listener(
		peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 3), &listener, &announced);
	struct zwp_linux_dmabuf_v1 *gone = peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 3);
	zwp_linux_dmabuf_v1_add_listener(
		peer_bind(two.peer, &zwp_linux_dmabuf_v1_interface, 3), &listener, &other);
	zwp_linux_dmabuf_v1_destroy(gone);
	fixture_pump(world.fixture);
	assert_int_equal(announced.n_linear, 1);
	protocols_rules_changed(world.fixture->server->protocols);
	probes_await(world.fixture);
	fixture_pump(world.fixture);
	assert_int_equal(announced.n_linear, 1);
	assert_int_equal(announced.n_tiled, 1);
	/* The other program renders on the GPU that composes. */
	assert_int_equal(other.n_linear, 1);
	assert_int_equal(other.n_tiled, 0);
	program_end(&two);
	program_end(&one);
	cache_forget(path);
	world_finish(&world);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, cache_make, cache_remove)

int main(int argc, char **argv)
{
	int status;
	if (program_was_run(argv, &status)) {
		return status;
	}
	const struct CMUnitTest tests[] = {
		TEST(modifiers_of_usable_engines_are_offered),
		TEST(compressed_modifiers_need_an_engine_that_reads_them),
		TEST(another_queue_is_probed_again),
		TEST(probe_that_failed_is_repeated),
		TEST(probes_that_fail_end_some_time),
		TEST(program_that_starts_repeats_probes_that_were_given_up),
		TEST(compressed_modifiers_are_offered_on_own_outputs_only),
		TEST(clients_without_feedback_get_modifiers_that_are_found_later),
	};
	return cmocka_run_group_tests_name("buffer/dmabuf_modifiers", tests, NULL, NULL);
}
