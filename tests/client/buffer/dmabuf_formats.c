/* SPDX-License-Identifier: MIT */
/* Formats offered to a program: those that all outputs can show, by a copy or an import. */

#include "gpu/gpu.h"
#include "harness/client/dmabuf_feedback.h"
#include "harness/client/gpu_world.h"
#include "harness/client/second_gpu.h"
#include "harness/second_device.h"
#include "protocol/protocols.h"
#include "surface/surface.h"
#include "util/signal.h"
#include "wl-drm-client-protocol.h"
#include <drm_fourcc.h>

static const uint32_t format = DRM_FORMAT_XRGB8888;

/* Formats and modifiers sent without feedback. */

static void collect_format(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t name)
{
	format_set_add(data, name, DRM_FORMAT_MOD_INVALID);
}

static void collect_modifier(
	void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t name, uint32_t high, uint32_t low)
{
	format_set_add(data, name, (uint64_t)high << 32 | low);
}

static void collect_drm_format(void *data, struct wl_drm *drm, uint32_t name)
{
	format_set_add(data, name, DRM_FORMAT_MOD_INVALID);
}

static void ignore_device(void *data, struct wl_drm *drm, const char *name)
{
}

static void ignore_authenticated(void *data, struct wl_drm *drm)
{
}

static void ignore_capabilities(void *data, struct wl_drm *drm, uint32_t value)
{
}

/* The pairs that clients of one interface and version are told of. */
static struct format_set collect(struct peer *peer, uint32_t dmabuf_version)
{
	static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
		collect_format, collect_modifier};
	static const struct wl_drm_listener drm_listener = {
		ignore_device, collect_drm_format, ignore_authenticated, ignore_capabilities};
	struct format_set pairs = {0};
	if (dmabuf_version > 0) {
		struct zwp_linux_dmabuf_v1 *dmabuf =
			peer_bind(peer, &zwp_linux_dmabuf_v1_interface, dmabuf_version);
		zwp_linux_dmabuf_v1_add_listener(dmabuf, &dmabuf_listener, &pairs);
		fixture_pump(peer->fixture);
		zwp_linux_dmabuf_v1_destroy(dmabuf);
	} else {
		struct wl_drm *drm = peer_bind(peer, &wl_drm_interface, 0);
		wl_drm_add_listener(drm, &drm_listener, &pairs);
		fixture_pump(peer->fixture);
		wl_drm_destroy(drm);
	}
	return pairs;
}

static const uint32_t planar[] = {DRM_FORMAT_NV12, DRM_FORMAT_P010, DRM_FORMAT_YUV420};

#define N_PLANAR (sizeof(planar) / sizeof(planar[0]))

static const uint32_t packed = DRM_FORMAT_YUYV;

/* Pairs that the GLES engine reads, but for those of `packed`, which no engine reads. */
static char *keep_planar(struct gpu_world *world)
{
	static const uint64_t modifiers[] = {
		TILED_AMD, DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};
	struct gpu_facts facts = {0};
	struct format_set *reads = &gpu_facts_add_reader(&facts, "gles")->layouts;
	for (size_t m = 0; m < sizeof(modifiers) / sizeof(modifiers[0]); m++) {
		format_set_add(&facts.sampling, format, modifiers[m]);
		for (size_t i = 0; i < N_PLANAR; i++) {
			format_set_add(&facts.sampling, planar[i], modifiers[m]);
		}
	}
	format_set_copy(reads, &facts.sampling);
	for (size_t m = 0; m < sizeof(modifiers) / sizeof(modifiers[0]); m++) {
		format_set_add(&facts.sampling, packed, modifiers[m]);
	}
	return cache_keep(world, world->b, &facts);
}

/* Checks the announcements of one pair by each interface. */
static void expect_pair(
	struct program *program, uint32_t fourcc, bool tiled, bool linear, bool implicit)
{
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(program->peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct feedback *feedback = feedback_create(program->peer, dmabuf, NULL);
	struct format_set events = collect(program->peer, 3), old = collect(program->peer, 2),
			  drm = collect(program->peer, 0);
	assert_int_equal(feedback_offers(feedback, fourcc, TILED_AMD), tiled);
	assert_int_equal(feedback_offers(feedback, fourcc, DRM_FORMAT_MOD_LINEAR), linear);
	assert_int_equal(feedback_offers(feedback, fourcc, DRM_FORMAT_MOD_INVALID), implicit);
	assert_int_equal(format_set_has(&events, fourcc, TILED_AMD), tiled);
	assert_int_equal(format_set_has(&events, fourcc, DRM_FORMAT_MOD_LINEAR), linear);
	assert_int_equal(format_set_get(&old, fourcc) != NULL, tiled || linear || implicit);
	assert_int_equal(format_set_has(&drm, fourcc, DRM_FORMAT_MOD_INVALID), implicit);
	format_set_finish(&events);
	format_set_finish(&old);
	format_set_finish(&drm);
	feedback_destroy(feedback);
}

/* Checks the announcements to a program on the second GPU. `known`: the GPU's formats are. */
static void expect_planar(struct gpu_world *world, bool known, bool imported)
{
	struct program one = program_start(world->fixture, "one");
	expect_pair(&one, format, known, true, known);
	for (size_t i = 0; i < N_PLANAR; i++) {
		expect_pair(&one, planar[i], known, true, known);
	}
	expect_pair(&one, packed, false, imported, false);
	program_end(&one);
}

/*
 * Formats of several planes are offered like others. Linear buffers that no engine copies are
 * imported, unless one of the GPUs is NVIDIA's.
 */
static void formats_are_offered_if_copied_or_imported(void **state)
{
	static const struct {
		const char *a, *b; /* drivers of the composing GPU and the program's */
		bool known, imported;
	} cases[] = {
		{"i915", "amdgpu", true, true},
		{"i915", "amdgpu", false, true},
		{"i915", "nvidia", true, false},
		{"i915", "nvidia", false, false},
		{"nvidia", "amdgpu", true, false},
		{"nvidia", "amdgpu", false, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gpu_world world;
		world_start(&world);
		char *a = world.a->driver, *b = world.b->driver;
		world.a->driver = (char *)cases[i].a;
		world.b->driver = (char *)cases[i].b;
		char *path = cases[i].known ? keep_planar(&world) : NULL;
		protocols_rules_changed(world.fixture->server->protocols);
		probes_await(world.fixture);
		expect_planar(&world, cases[i].known, cases[i].imported);
		if (path) {
			cache_forget(path);
		}
		world.a->driver = a;
		world.b->driver = b;
		world_finish(&world);
	}
}

/*
 * Old interfaces do not know on which output a window is, so they announce what any output can
 * show.
 */
static void formats_without_engine_are_offered_on_own_outputs_only(void **state)
{
	struct gpu_world world;
	world_start(&world);
	struct server *server = world.fixture->server;
	char *path = keep_planar(&world);
	protocols_rules_changed(server->protocols);
	probes_await(world.fixture);
	struct server_device *device;
	struct output *other = output_light_second(&world, &device);
	expect_planar(&world, true, true);
	struct program one = program_start(world.fixture, "one");
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct wl_surface *proxy =
		wl_compositor_create_surface(peer_bind(one.peer, &wl_compositor_interface, 4));
	fixture_pump(world.fixture);
	struct surface *surface = peer_surface_find(one.peer, proxy);
	int index = 0;
	while (server->scene->outputs[index]->output != other) {
		index++;
	}
	surface_set_outputs(surface, 1u << index);
	struct feedback *feedback = feedback_create(one.peer, dmabuf, proxy);
	assert_true(feedback_offers(feedback, packed, TILED_AMD));
	assert_true(feedback_offers(feedback, packed, DRM_FORMAT_MOD_LINEAR));
	surface_set_outputs(surface, 1);
	fixture_pump(world.fixture);
	assert_false(feedback_offers(feedback, packed, TILED_AMD));
	output_darken_second(&world, other, device);
	feedback_destroy(feedback);
	program_end(&one);
	cache_forget(path);
	world_finish(&world);
}

/* Checks the pairs of a program on the composing GPU, by interfaces without an output. */
static void expect_own_pairs(struct program *program, bool compressed)
{
	expect_pair(program, format, true, true, false);
	struct feedback *feedback = feedback_create(
		program->peer, peer_bind(program->peer, &zwp_linux_dmabuf_v1_interface, 5), NULL);
	struct format_set events = collect(program->peer, 3);
	assert_int_equal(feedback->main_device, DEV_A);
	assert_int_equal(feedback_offers(feedback, format, COMPRESSED_AMD), compressed);
	assert_int_equal(format_set_has(&events, format, COMPRESSED_AMD), compressed);
	format_set_finish(&events);
	feedback_destroy(feedback);
}

/*
 * The first GPU composes. While another one has an output, to which windows may move, its programs
 * are told of the layouts that can be copied, and of all for windows on its own outputs.
 */
static void layouts_of_the_composing_gpu_suit_all_outputs(void **state)
{
	const uint64_t made[] = {COMPRESSED_AMD, TILED_AMD, 0};
	struct gpu_world world;
	struct gpu_facts facts = {0};
	world_start(&world);
	struct server *server = world.fixture->server;
	facts_add_made(&facts, made);
	pairs_add_made(&world.renderer->texture_formats, made);
	facts_add_reader(&facts, "sdma", &made[1]);
	char *path = cache_keep(&world, world.a, &facts);
	protocols_rules_changed(server->protocols);
	signal_emit(&server->events.outputs_changed, NULL);
	probes_await(world.fixture);
	struct program two = program_start(world.fixture, "two");
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(two.peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct wl_surface *proxy =
		wl_compositor_create_surface(peer_bind(two.peer, &wl_compositor_interface, 4));
	fixture_pump(world.fixture);
	struct surface *surface = peer_surface_find(two.peer, proxy);
	struct feedback *of_default = feedback_create(two.peer, dmabuf, NULL);
	struct feedback *of_surface = feedback_create(two.peer, dmabuf, proxy);
	for (int i = 0; i < 2; i++) {
		expect_own_pairs(&two, true);
		assert_true(feedback_offers(of_default, format, COMPRESSED_AMD));
		assert_true(feedback_offers(of_surface, format, COMPRESSED_AMD));
		struct server_device *device;
		struct output *other = output_light_second(&world, &device);
		probes_await(world.fixture);
		int index = 0;
		while (server->scene->outputs[index]->output != other) {
			index++;
		}
		expect_own_pairs(&two, false);
		assert_false(feedback_offers(of_default, format, COMPRESSED_AMD));
		assert_true(feedback_offers(of_default, format, TILED_AMD));
		assert_false(feedback_offers(of_surface, format, COMPRESSED_AMD));
		surface_set_outputs(surface, 1u << !index);
		fixture_pump(world.fixture);
		assert_true(feedback_offers(of_surface, format, COMPRESSED_AMD));
		surface_set_outputs(surface, 1u << index);
		fixture_pump(world.fixture);
		assert_false(feedback_offers(of_surface, format, COMPRESSED_AMD));
		surface_set_outputs(surface, 0);
		output_darken_second(&world, other, device);
		fixture_pump(world.fixture);
	}
	feedback_destroy(of_default);
	feedback_destroy(of_surface);
	program_end(&two);
	cache_forget(path);
	world_finish(&world);
}

/* Opens the default feedback. */
static struct feedback *open_feedback(const struct program *program)
{
	return feedback_create(
		program->peer, peer_bind(program->peer, &zwp_linux_dmabuf_v1_interface, 5), NULL);
}

/* The default feedback offers linear buffers of these formats, or does not. */
static void expect_linear(const struct feedback *feedback, bool nv12, bool p010)
{
	fixture_pump(feedback->peer->fixture);
	assert_true(feedback_offers(feedback, format, DRM_FORMAT_MOD_LINEAR));
	assert_int_equal(feedback_offers(feedback, DRM_FORMAT_NV12, DRM_FORMAT_MOD_LINEAR), nv12);
	assert_int_equal(feedback_offers(feedback, DRM_FORMAT_P010, DRM_FORMAT_MOD_LINEAR), p010);
}

/*
 * The first GPU composes its outputs; those of the second or a third one are composed by renderers
 * that lack formats of the first one's, and have one that the first one lacks.
 */
static void formats_are_those_that_every_output_can_show(void **state)
{
	struct gpu_world world;
	struct format_set formats = {0};
	world_start(&world);
	struct server *server = world.fixture->server;
	struct gpu *third = world_add_gpu(&world, "c", DEV_C, false);
	char *path = keep_planar(&world);
	protocols_rules_changed(server->protocols);
	probes_await(world.fixture);
	pairs_add_all(&formats, format);
	pairs_add_all(&formats, DRM_FORMAT_NV12);
	pairs_add_all(&formats, fourcc_code('n', 'o', 'n', 'e'));
	struct program one = program_start(world.fixture, "one");
	struct program two = program_start(world.fixture, "two");
	struct feedback *of_one = open_feedback(&one), *of_two = open_feedback(&two);
	expect_linear(of_one, true, true);
	expect_linear(of_two, true, true);
	/* Composed by the second GPU, then by the CPU, then a screen of a third GPU. */
	for (int i = 0; i < 3; i++) {
		struct server_device *device;
		struct gpu *display = i < 2 ? world.b : third;
		struct output *output =
			output_light(&world, display, i == 0 ? world.b : NULL, &formats, &device);
		expect_linear(of_one, true, false);
		expect_linear(of_two, true, false);
		assert_false(feedback_offers(
			of_two, fourcc_code('n', 'o', 'n', 'e'), DRM_FORMAT_MOD_LINEAR));
		assert_false(feedback_offers(
			of_one, fourcc_code('n', 'o', 'n', 'e'), DRM_FORMAT_MOD_LINEAR));
		output_darken_second(&world, output, device);
		expect_linear(of_one, true, true);
		expect_linear(of_two, true, true);
	}
	feedback_destroy(of_one);
	feedback_destroy(of_two);
	program_end(&one);
	program_end(&two);
	format_set_finish(&formats);
	cache_forget(path);
	world_finish(&world);
}

/* A GPU keeps its renderer for a while after its last screen was unplugged. */
static void renderers_without_outputs_withhold_no_formats(void **state)
{
	struct gpu_world world;
	struct format_set formats = {0};
	world_start(&world);
	struct server *server = world.fixture->server;
	protocols_rules_changed(server->protocols);
	probes_await(world.fixture);
	pairs_add_all(&formats, format);
	struct program two = program_start(world.fixture, "two");
	struct feedback *of_two = open_feedback(&two);
	struct server_device *device = second_device_add(server, world.b, world.b, &formats);
	signal_emit(&server->events.outputs_changed, NULL);
	expect_linear(of_two, true, true);
	assert_int_equal(of_two->n_done, 1);
	second_device_remove(device);
	feedback_destroy(of_two);
	program_end(&two);
	format_set_finish(&formats);
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
		TEST(formats_are_offered_if_copied_or_imported),
		TEST(formats_without_engine_are_offered_on_own_outputs_only),
		TEST(layouts_of_the_composing_gpu_suit_all_outputs),
		TEST(formats_are_those_that_every_output_can_show),
		TEST(renderers_without_outputs_withhold_no_formats),
	};
	return cmocka_run_group_tests_name("buffer/dmabuf_modifiers", tests, NULL, NULL);
}
