/* SPDX-License-Identifier: MIT */
/* The render GPU of each client, by rules: real processes, fake GPUs. */

#include "gpu/gpu.h"
#include "harness/client/dmabuf_feedback.h"
#include "harness/client/gpu_world.h"
#include "protocol/control/control.h"
#include "surface/surface.h"
#include "util/fd.h"
#include "util/signal.h"
#include "wl-drm-client-protocol.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** As gpu_list_refresh() does for an unplugged GPU. */
static void unplug(struct fixture *fixture, struct gpu *gpu)
{
	struct gpu_list *list = fixture->server->gpus;
	gpu_list_remove(list, gpu);
	signal_emit(&list->events.changed, list);
}

struct node {
	char path[64];
	int n_authenticated, n_formats;
	uint32_t capabilities;
};

static void handle_device(void *data, struct wl_drm *drm, const char *name)
{
	struct node *node = data;
	snprintf(node->path, sizeof(node->path), "%s", name);
}

static void handle_format(void *data, struct wl_drm *drm, uint32_t format)
{
	((struct node *)data)->n_formats++;
}

static void handle_authenticated(void *data, struct wl_drm *drm)
{
	((struct node *)data)->n_authenticated++;
}

static void handle_capabilities(void *data, struct wl_drm *drm, uint32_t value)
{
	((struct node *)data)->capabilities = value;
}

static const struct wl_drm_listener drm_listener = {
	.device = handle_device,
	.format = handle_format,
	.authenticated = handle_authenticated,
	.capabilities = handle_capabilities,
};

static struct wl_drm *bind_drm(struct peer *peer, struct node *node)
{
	*node = (struct node){0};
	struct wl_drm *drm = peer_bind(peer, &wl_drm_interface, 0);
	wl_drm_add_listener(drm, &drm_listener, node);
	fixture_pump(peer->fixture);
	return drm;
}

static void expect(struct peer *peer, dev_t device, const char *node_path)
{
	struct node node;
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct feedback *feedback = feedback_create(peer, dmabuf, NULL);
	assert_int_equal(feedback->main_device, device);
	feedback_destroy(feedback);
	zwp_linux_dmabuf_v1_destroy(dmabuf);
	struct wl_drm *drm = bind_drm(peer, &node);
	assert_string_equal(node.path, node_path);
	assert_int_equal(node.capabilities, WL_DRM_CAPABILITY_PRIME);
	wl_drm_authenticate(drm, 1234);
	fixture_pump(peer->fixture);
	assert_int_equal(node.n_authenticated, 1);
	wl_drm_destroy(drm);
	assert_true(peer_alive(peer));
}
static void rule_chooses_the_gpu(void **state)
{
	struct gpu_world world;
	world_start(&world);
	struct program one = program_start(world.fixture, "one");
	struct program two = program_start(world.fixture, "two");
	struct program three = program_start(world.fixture, "three");
	expect(one.peer, DEV_B, "/nonexistent/renderD129");
	expect(two.peer, DEV_A, "/nonexistent/renderD128");
	expect(three.peer, DEV_A, "/nonexistent/renderD128");
	struct client *client = client_from_wl(one.peer->client);
	assert_string_equal(client->rule, "one");
	assert_int_equal(client->pid, one.pid);
	assert_null(client_from_wl(three.peer->client)->rule);
	program_end(&one);
	program_end(&two);
	program_end(&three);
	world_finish(&world);
}

/* CAUSEWAY_GPU in the environment overrides any rule. */
static void environment_overrides_the_rule(void **state)
{
	struct gpu_world world;
	world_start(&world);
	setenv("CAUSEWAY_GPU", "integrated", 1);
	struct program one = program_start(world.fixture, "one");
	setenv("CAUSEWAY_GPU", "renderD129", 1);
	struct program three = program_start(world.fixture, "three");
	setenv("CAUSEWAY_GPU", "nonsense", 1);
	struct program four = program_start(world.fixture, "four");
	unsetenv("CAUSEWAY_GPU");
	expect(one.peer, DEV_A, "/nonexistent/renderD128");
	expect(three.peer, DEV_B, "/nonexistent/renderD129");
	expect(four.peer, DEV_A, "/nonexistent/renderD128");
	program_end(&one);
	program_end(&three);
	program_end(&four);
	world_finish(&world);
}

static void rule_without_gpus_is_ignored(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	rules_set(fixture, RULES);
	struct program one = program_start(fixture, "one");
	assert_null(peer_find_global(one.peer, "wl_drm"));
	assert_int_equal(peer_find_global(one.peer, "zwp_linux_dmabuf_v1")->version, 3);
	program_end(&one);
	fixture_destroy(fixture);
}

/*
 * The existing default feedback gets the new GPU; new feedback names the GPU that the client
 * renders on.
 */
static void reload_updates_the_default_feedback_only(void **state)
{
	struct gpu_world world;
	world_start(&world);
	struct program one = program_start(world.fixture, "one");
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct wl_compositor *compositor = peer_bind(one.peer, &wl_compositor_interface, 0);
	struct wl_surface *surface = wl_compositor_create_surface(compositor);
	struct feedback *kept = feedback_create(one.peer, dmabuf, NULL);
	struct feedback *of_surface = feedback_create(one.peer, dmabuf, surface);
	assert_int_equal(of_surface->main_device, DEV_B);

	rules_set(world.fixture, "[app other]\ncmdline = * one\ngpu = integrated\n");
	const struct client *client = client_from_wl(one.peer->client);
	assert_string_equal(client->rule, "other");
	assert_ptr_equal(client->gpu, world.b);
	assert_ptr_equal(client->next_gpu, world.a);
	assert_int_equal(kept->n_done, 2);
	assert_int_equal(kept->main_device, DEV_A);
	assert_int_equal(of_surface->n_done, 1);
	struct feedback *asked_again = feedback_create(one.peer, dmabuf, NULL);
	assert_int_equal(asked_again->main_device, DEV_B);
	struct node node;
	struct wl_drm *drm = bind_drm(one.peer, &node);
	assert_string_equal(node.path, "/nonexistent/renderD129");
	wl_drm_destroy(drm);

	/* A rule with the same result sends nothing. */
	rules_set(world.fixture, "[app third]\ncmdline = * one\ngpu = integrated\n");
	assert_int_equal(kept->n_done, 2);
	/* Started again, the program gets the GPU of the rule. */
	struct program again = program_start(world.fixture, "one");
	expect(again.peer, DEV_A, "/nonexistent/renderD128");
	program_end(&again);
	feedback_destroy(kept);
	feedback_destroy(of_surface);
	feedback_destroy(asked_again);
	program_end(&one);
	world_finish(&world);
}

static struct wl_buffer *make_buffer(struct peer *peer)
{
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct zwp_linux_buffer_params_v1 *params = zwp_linux_dmabuf_v1_create_params(dmabuf);
	int fd = fd_create_memory("buffer", 64 * 64 * 4, true);
	assert_true(fd >= 0);
	zwp_linux_buffer_params_v1_add(params, fd, 0, 0, 64 * 4, 0, 0);
	struct wl_buffer *buffer =
		zwp_linux_buffer_params_v1_create_immed(params, 64, 64, DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	close(fd);
	fixture_pump(peer->fixture);
	assert_int_equal(wl_display_get_error(peer->display), 0);
	return buffer;
}

static struct gpu *home_of(struct peer *peer, struct wl_buffer *buffer)
{
	struct wl_resource *resource =
		wl_client_get_object(peer->client, wl_proxy_get_id((struct wl_proxy *)buffer));
	return buffer_from_resource(resource)->home;
}

static void unplugged_gpu_is_replaced(void **state)
{
	struct gpu_world world;
	world_start(&world);
	struct program one = program_start(world.fixture, "one");
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct wl_compositor *compositor = peer_bind(one.peer, &wl_compositor_interface, 0);
	struct wl_surface *surface = wl_compositor_create_surface(compositor);
	struct feedback *kept = feedback_create(one.peer, dmabuf, NULL);
	struct feedback *of_surface = feedback_create(one.peer, dmabuf, surface);
	struct wl_buffer *buffer = make_buffer(one.peer);
	unplug(world.fixture, world.b);
	fixture_pump(world.fixture);
	/* Buffers keep their GPU. */
	assert_ptr_equal(home_of(one.peer, buffer), world.b);
	/* The device node may belong to another GPU by now. */
	probes_await(world.fixture);
	int n_opened = nodes_opened(DEV_B);
	assert_true(world.b->gone);
	assert_int_equal(gpu_open(world.b), -ENODEV);
	assert_int_equal(nodes_opened(DEV_B), n_opened);
	assert_int_equal(kept->n_done, 2);
	assert_int_equal(kept->main_device, DEV_A);
	assert_int_equal(of_surface->n_done, 2);
	assert_int_equal(of_surface->main_device, DEV_A);
	expect(one.peer, DEV_A, "/nonexistent/renderD128");
	/* Another discrete GPU matches the rule; the running program keeps its GPU. */
	world_add_gpu(&world, "fake-c", DEV_C, false);
	signal_emit(&world.fixture->server->gpus->events.changed, world.fixture->server->gpus);
	fixture_pump(world.fixture);
	assert_int_equal(kept->main_device, DEV_C);
	assert_int_equal(of_surface->main_device, DEV_A);
	feedback_destroy(kept);
	feedback_destroy(of_surface);
	program_end(&one);
	world_finish(&world);
}

/* Buffers */

static void expect_text(char *text, const char *expected)
{
	assert_string_equal(text, expected);
	free(text);
}

static void buffers_belong_to_the_clients_gpu(void **state)
{
	struct gpu_world world;
	world_start(&world);
	struct program one = program_start(world.fixture, "one");
	struct program two = program_start(world.fixture, "two");
	struct wl_buffer *buffer = make_buffer(two.peer);
	assert_ptr_equal(home_of(two.peer, buffer), world.a);
	assert_int_equal(world.n_imports, 1);
	/* A buffer of another GPU is never imported on the composing one. */
	buffer = make_buffer(one.peer);
	assert_ptr_equal(home_of(one.peer, buffer), world.b);
	assert_int_equal(world.n_imports, 1);
	char text[64];
	snprintf(text, sizeof(text), "client-client_gpu (%d, 1 buffer)", (int)one.pid);
	expect_text(control_gpu_users(world.fixture->server, world.b), text);
	expect_text(control_gpu_role(world.fixture->server, world.b), "renders for programs");
	expect_text(
		control_gpu_role(world.fixture->server, world.a), "composes, renders for programs");
	program_end(&one);
	program_end(&two);
	world_finish(&world);
}

/* Version 6 of linux-dmabuf: clients name the GPU of each buffer. */
struct made {
	struct wl_buffer *buffer; /* NULL: failed */
	int n_answers;
};

static void handle_created(
	void *data, struct zwp_linux_buffer_params_v1 *params, struct wl_buffer *buffer)
{
	struct made *made = data;
	made->buffer = buffer;
	made->n_answers++;
}

static void handle_failed(void *data, struct zwp_linux_buffer_params_v1 *params)
{
	((struct made *)data)->n_answers++;
}

static const struct zwp_linux_buffer_params_v1_listener params_listener = {
	.created = handle_created,
	.failed = handle_failed,
};

/** Creates a linear buffer of `device`, whose number is sent with `size` bytes. */
static struct made make_on(
	struct peer *peer, struct zwp_linux_dmabuf_v1 *dmabuf, dev_t device, size_t size)
{
	struct made made = {0};
	struct wl_array array = {.size = size, .alloc = size, .data = &device};
	struct zwp_linux_buffer_params_v1 *params = zwp_linux_dmabuf_v1_create_params(dmabuf);
	int fd = fd_create_memory("buffer", 64 * 64 * 4, true);
	assert_true(fd >= 0);
	zwp_linux_buffer_params_v1_add_listener(params, &params_listener, &made);
	zwp_linux_buffer_params_v1_add(params, fd, 0, 0, 64 * 4, 0, 0);
	zwp_linux_buffer_params_v1_set_sampling_device(params, &array);
	zwp_linux_buffer_params_v1_create(params, 64, 64, DRM_FORMAT_XRGB8888, 0);
	close(fd);
	fixture_pump(peer->fixture);
	if (peer_alive(peer)) {
		assert_int_equal(made.n_answers, 1);
		zwp_linux_buffer_params_v1_destroy(params);
	}
	return made;
}

static void client_names_the_gpu_of_a_buffer(void **state)
{
	struct gpu_world world;
	world_start(&world);
	struct program one = program_start(world.fixture, "one");
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 6);
	struct feedback *feedback = feedback_create(one.peer, dmabuf, NULL);
	assert_int_equal(feedback->main_device, 0);
	assert_int_equal(feedback->tranches[0].device, DEV_B);
	for (int i = 0; i < feedback->n_sampled; i++) {
		assert_int_equal(feedback->tranches[i].flags,
			ZWP_LINUX_DMABUF_FEEDBACK_V1_TRANCHE_FLAGS_SAMPLING);
	}
	feedback_destroy(feedback);

	struct made made = make_on(one.peer, dmabuf, DEV_B, sizeof(dev_t));
	assert_non_null(made.buffer);
	assert_ptr_equal(home_of(one.peer, made.buffer), world.b);
	/* A GPU that does not exist. */
	int n_probes = probes_begun();
	assert_null(make_on(one.peer, dmabuf, makedev(226, 140), sizeof(dev_t)).buffer);
	assert_int_equal(probes_begun(), n_probes);
	assert_true(peer_alive(one.peer));
	make_on(one.peer, dmabuf, DEV_B, sizeof(dev_t) - 1);
	peer_expect_error(one.peer, &zwp_linux_buffer_params_v1_interface,
		ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_DEV_T_SIZE);
	program_end(&one);
	world_finish(&world);
}

/* The composing GPU imports all; a GPU whose facts are cached is offered without being opened. */
static void client_may_choose_a_known_gpu(void **state)
{
	struct gpu_world world;
	struct gpu_facts facts = {0};
	world_start(&world);
	struct gpu *c = world_add_gpu(&world, "fake-c", DEV_C, false);
	world_add_gpu(&world, "fake-d", DEV_D, false);
	format_set_add(&facts.sampling, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	char *path = cache_keep(&world, c, &facts);
	probes_await(world.fixture);
	int n_opened_c = nodes_opened(DEV_C), n_opened_d = nodes_opened(DEV_D);
	struct program one = program_start(world.fixture, "one");
	struct zwp_linux_dmabuf_v1 *older = peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 6);
	/* The first one starts to read the cache. */
	struct zwp_linux_dmabuf_feedback_v1 *first =
		zwp_linux_dmabuf_v1_get_default_feedback(dmabuf);
	fixture_pump(world.fixture);
	probes_await(world.fixture);
	zwp_linux_dmabuf_feedback_v1_destroy(first);
	struct feedback *old = feedback_create(one.peer, older, NULL);
	struct feedback *feedback = feedback_create(one.peer, dmabuf, NULL);
	assert_int_equal(feedback->tranches[0].device, DEV_B);
	assert_true(feedback_count(feedback, DEV_A) > 0);
	assert_int_equal(feedback_count(feedback, DEV_C), 1);
	assert_int_equal(feedback_count(feedback, DEV_D), -1); /* unknown */
	assert_int_equal(old->n_sampled, 1);
	assert_int_equal(nodes_opened(DEV_C), n_opened_c);
	assert_int_equal(nodes_opened(DEV_D), n_opened_d);
	struct made made = make_on(one.peer, dmabuf, DEV_A, sizeof(dev_t));
	assert_ptr_equal(home_of(one.peer, made.buffer), world.a);
	made = make_on(one.peer, dmabuf, DEV_C, sizeof(dev_t));
	assert_ptr_equal(home_of(one.peer, made.buffer), c);
	assert_null(make_on(one.peer, dmabuf, DEV_D, sizeof(dev_t)).buffer);
	/* A removed GPU is no longer offered; older clients hear of nothing. */
	int n_done = feedback->n_done, n_old = old->n_done;
	unplug(world.fixture, c);
	fixture_pump(world.fixture);
	assert_int_equal(feedback->n_done, n_done + 1);
	assert_int_equal(feedback_count(feedback, DEV_C), -1);
	assert_int_equal(old->n_done, n_old);
	assert_null(make_on(one.peer, dmabuf, DEV_C, sizeof(dev_t)).buffer);
	assert_true(peer_alive(one.peer));
	feedback_destroy(feedback);
	feedback_destroy(old);
	cache_forget(path);
	program_end(&one);
	world_finish(&world);
}

/* GPUs that no rule names, and GPUs with cached facts, are not opened. */
static void unused_and_known_gpus_are_not_opened(void **state)
{
	struct gpu_world world;
	struct gpu_facts facts = {0};
	world_start(&world);
	world_add_gpu(&world, "fake-c", DEV_C, false);
	format_set_add(&facts.sampling, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	char *path = cache_keep(&world, world.b, &facts);
	probes_await(world.fixture); /* of the previous tests */
	int n_opened_b = nodes_opened(DEV_B), n_opened_c = nodes_opened(DEV_C);
	/*
	 * The GPU is looked up when a rule names it; feedback is sent again only to clients
	 * connected before.
	 */
	protocols_rules_changed(world.fixture->server->protocols);
	probes_await(world.fixture);

	struct program one = program_start(world.fixture, "one");
	struct program three = program_start(world.fixture, "three");
	expect(one.peer, DEV_B, "/nonexistent/renderD129");
	expect(three.peer, DEV_A, "/nonexistent/renderD128");
	make_buffer(one.peer);
	free(control_gpu_users(world.fixture->server, world.b));
	probes_await(world.fixture);
	assert_int_equal(nodes_opened(DEV_B), n_opened_b);
	assert_int_equal(nodes_opened(DEV_C), n_opened_c);
	program_end(&one);
	program_end(&three);

	/* The first rule that names the GPU. */
	rules_set(world.fixture, "[app one]\ncmdline = * one\ngpu = renderD130\n");
	probes_await(world.fixture);
	assert_int_equal(nodes_opened(DEV_B), n_opened_b);
	assert_int_equal(nodes_opened(DEV_C), n_opened_c + 1);
	cache_forget(path);
	world_finish(&world);
}
/* wl_drm and its errors */

static void expect_drm_error(
	int width, uint32_t format, int offset, int stride, bool named, uint32_t error)
{
	struct gpu_world world;
	struct node node;
	world_start(&world);
	format_set_add(
		&world.renderer->texture_formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_INVALID);
	struct peer *peer = peer_create(world.fixture);
	struct wl_drm *drm = bind_drm(peer, &node);
	assert_int_equal(node.n_formats, 1);
	int fd = fd_create_memory("buffer", 64 * 64 * 4, true);
	assert_true(fd >= 0);
	if (named) {
		wl_drm_create_buffer(drm, 1, width, 64, (uint32_t)stride, format);
	} else {
		wl_drm_create_prime_buffer(drm, fd, width, 64, format, offset, stride, 0, 0, 0, 0);
	}
	close(fd);
	if (error != UINT32_MAX) {
		peer_expect_error(peer, &wl_drm_interface, error);
	} else {
		fixture_pump(world.fixture);
		assert_true(peer_alive(peer));
		assert_int_equal(world.n_imports, 1);
	}
	peer_destroy(peer);
	world_finish(&world);
}

static void wl_drm_checks_buffers(void **state)
{
	const uint32_t good = DRM_FORMAT_XRGB8888;
	expect_drm_error(64, good, 0, 256, false, UINT32_MAX);
	expect_drm_error(64, good, 0, 256, true, WL_DRM_ERROR_INVALID_NAME);
	expect_drm_error(64, DRM_FORMAT_ARGB8888, 0, 256, false, WL_DRM_ERROR_INVALID_FORMAT);
	expect_drm_error(64, 0, 0, 256, false, WL_DRM_ERROR_INVALID_FORMAT);
	expect_drm_error(0, good, 0, 256, false, WL_DRM_ERROR_INVALID_FORMAT);
	expect_drm_error(-1, good, 0, 256, false, WL_DRM_ERROR_INVALID_FORMAT);
	expect_drm_error(64, good, 4, 256, false, WL_DRM_ERROR_INVALID_NAME);
	expect_drm_error(64, good, -4, 256, false, WL_DRM_ERROR_INVALID_NAME);
	expect_drm_error(64, good, 0, 252, false, WL_DRM_ERROR_INVALID_NAME);
	expect_drm_error(64, good, 0, -256, false, WL_DRM_ERROR_INVALID_NAME);
	expect_drm_error(64, good, 0, 0, false, WL_DRM_ERROR_INVALID_NAME);
}

static struct wl_drm *bind_drm_with_format(
	struct gpu_world *world, struct peer *peer, struct node *node)
{
	format_set_add(
		&world->renderer->texture_formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_INVALID);
	return bind_drm(peer, node);
}

static struct wl_buffer *create_prime(struct wl_drm *drm)
{
	int fd = fd_create_memory("buffer", 64 * 32 * 4, true);
	assert_true(fd >= 0);
	struct wl_buffer *buffer = wl_drm_create_prime_buffer(
		drm, fd, 64, 32, DRM_FORMAT_XRGB8888, 0, 256, 0, 0, 0, 0);
	close(fd);
	return buffer;
}

static void wl_drm_buffer_can_be_attached(void **state)
{
	struct gpu_world world;
	struct node node;
	world_start(&world);
	struct peer *peer = peer_create(world.fixture);
	struct wl_buffer *buffer = create_prime(bind_drm_with_format(&world, peer, &node));
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	wl_surface_attach(surface, buffer, 0, 0);
	wl_surface_commit(surface);
	fixture_pump(world.fixture);
	const struct surface_state *current = &peer_surface_find(peer, surface)->current;
	assert_int_equal(current->buffer_width, 64);
	assert_int_equal(current->buffer_height, 32);
	wl_buffer_destroy(buffer);
	assert_true(peer_alive(peer));
	peer_destroy(peer);
	world_finish(&world);
}

static bool refuse_import(struct renderer *renderer, const struct dmabuf *dmabuf)
{
	return false;
}

/* The GPU was removed, or cannot import the memory: the program is not at fault. */
static void wl_drm_import_failure_ends_no_program(void **state)
{
	struct gpu_world world;
	struct node node;
	world_start(&world);
	world.counting.test_import = refuse_import;
	struct peer *peer = peer_create(world.fixture);
	create_prime(bind_drm_with_format(&world, peer, &node));
	fixture_pump(world.fixture);
	assert_true(peer_alive(peer));
	peer_destroy(peer);
	world_finish(&world);
}

int main(int argc, char **argv)
{
	int status;
	if (program_was_run(argv, &status)) {
		return status;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rule_chooses_the_gpu),
		cmocka_unit_test(environment_overrides_the_rule),
		cmocka_unit_test(rule_without_gpus_is_ignored),
		cmocka_unit_test(reload_updates_the_default_feedback_only),
		cmocka_unit_test(unplugged_gpu_is_replaced),
		cmocka_unit_test(buffers_belong_to_the_clients_gpu),
		cmocka_unit_test(client_names_the_gpu_of_a_buffer),
		cmocka_unit_test_setup_teardown(
			client_may_choose_a_known_gpu, cache_make, cache_remove),
		cmocka_unit_test_setup_teardown(
			unused_and_known_gpus_are_not_opened, cache_make, cache_remove),
		cmocka_unit_test(wl_drm_checks_buffers),
		cmocka_unit_test(wl_drm_buffer_can_be_attached),
		cmocka_unit_test(wl_drm_import_failure_ends_no_program),
	};
	return cmocka_run_group_tests_name("client/gpu", tests, NULL, NULL);
}
