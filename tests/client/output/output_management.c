/* SPDX-License-Identifier: MIT */
/* zwlr_output_manager_v1: heads and modes sent to clients, and configurations applied by them. */

#include "backend/headless.h"
#include "harness/client/reload.h"
#include "harness/peer.h"
#include "scene/scene.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include "wlr-output-management-unstable-v1-client-protocol.h"
#include "xdg-output-unstable-v1-client-protocol.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADS_MAX (SCENE_OUTPUTS_MAX + 1)
#define MODES_MAX 4

struct mode {
	struct zwlr_output_mode_v1 *proxy;
	int32_t width, height, refresh;
	bool preferred, finished;
};

struct head {
	struct zwlr_output_head_v1 *proxy;
	char name[32], make[32], model[32];
	struct mode modes[MODES_MAX];
	int n_modes;
	struct zwlr_output_mode_v1 *current;
	int32_t enabled, x, y, transform;
	double scale;
	uint32_t adaptive_sync;
	bool finished;
};

struct management_world {
	struct fixture *fixture;
	struct peer *peer;
	struct zwlr_output_manager_v1 *manager;
	struct head heads[HEADS_MAX];
	int n_heads;
	uint32_t serial;
	int n_done;
};

static void handle_size(
	void *data, struct zwlr_output_mode_v1 *proxy, int32_t width, int32_t height)
{
	struct mode *mode = data;
	mode->width = width;
	mode->height = height;
}

static void handle_refresh(void *data, struct zwlr_output_mode_v1 *proxy, int32_t refresh)
{
	struct mode *mode = data;
	mode->refresh = refresh;
}

static void handle_preferred(void *data, struct zwlr_output_mode_v1 *proxy)
{
	struct mode *mode = data;
	mode->preferred = true;
}

static void handle_mode_finished(void *data, struct zwlr_output_mode_v1 *proxy)
{
	struct mode *mode = data;
	mode->finished = true;
	zwlr_output_mode_v1_release(proxy);
}

static const struct zwlr_output_mode_v1_listener mode_listener = {
	.size = handle_size,
	.refresh = handle_refresh,
	.preferred = handle_preferred,
	.finished = handle_mode_finished,
};

static void handle_name(void *data, struct zwlr_output_head_v1 *proxy, const char *name)
{
	struct head *head = data;
	strncpy(head->name, name, sizeof(head->name) - 1);
}

static void ignore_text(void *data, struct zwlr_output_head_v1 *proxy, const char *text)
{
}

static void handle_physical_size(
	void *data, struct zwlr_output_head_v1 *proxy, int32_t width, int32_t height)
{
	fail_msg("a headless output has no physical size");
}

static void handle_mode(
	void *data, struct zwlr_output_head_v1 *proxy, struct zwlr_output_mode_v1 *mode)
{
	struct head *head = data;
	assert_in_range(head->n_modes, 0, MODES_MAX - 1);
	struct mode *added = &head->modes[head->n_modes++];
	*added = (struct mode){.proxy = mode};
	zwlr_output_mode_v1_add_listener(mode, &mode_listener, added);
}

static void handle_enabled(void *data, struct zwlr_output_head_v1 *proxy, int32_t enabled)
{
	struct head *head = data;
	head->enabled = enabled;
}

static void handle_current_mode(
	void *data, struct zwlr_output_head_v1 *proxy, struct zwlr_output_mode_v1 *mode)
{
	struct head *head = data;
	head->current = mode;
}

static void handle_position(void *data, struct zwlr_output_head_v1 *proxy, int32_t x, int32_t y)
{
	struct head *head = data;
	head->x = x;
	head->y = y;
}

static void handle_transform(void *data, struct zwlr_output_head_v1 *proxy, int32_t transform)
{
	struct head *head = data;
	head->transform = transform;
}

static void handle_scale(void *data, struct zwlr_output_head_v1 *proxy, wl_fixed_t scale)
{
	struct head *head = data;
	head->scale = wl_fixed_to_double(scale);
}

static void handle_head_finished(void *data, struct zwlr_output_head_v1 *proxy)
{
	struct head *head = data;
	head->finished = true;
}

static void handle_make(void *data, struct zwlr_output_head_v1 *proxy, const char *make)
{
	struct head *head = data;
	strncpy(head->make, make, sizeof(head->make) - 1);
}

static void handle_model(void *data, struct zwlr_output_head_v1 *proxy, const char *model)
{
	struct head *head = data;
	strncpy(head->model, model, sizeof(head->model) - 1);
}

static void handle_adaptive_sync(void *data, struct zwlr_output_head_v1 *proxy, uint32_t state)
{
	struct head *head = data;
	head->adaptive_sync = state;
}

static const struct zwlr_output_head_v1_listener head_listener = {
	.name = handle_name,
	.description = ignore_text,
	.physical_size = handle_physical_size,
	.mode = handle_mode,
	.enabled = handle_enabled,
	.current_mode = handle_current_mode,
	.position = handle_position,
	.transform = handle_transform,
	.scale = handle_scale,
	.finished = handle_head_finished,
	.make = handle_make,
	.model = handle_model,
	.serial_number = ignore_text,
	.adaptive_sync = handle_adaptive_sync,
};

static void handle_head(
	void *data, struct zwlr_output_manager_v1 *manager, struct zwlr_output_head_v1 *proxy)
{
	struct management_world *world = data;
	assert_in_range(world->n_heads, 0, HEADS_MAX - 1);
	struct head *head = &world->heads[world->n_heads++];
	head->proxy = proxy;
	zwlr_output_head_v1_add_listener(proxy, &head_listener, head);
}

static void handle_done(void *data, struct zwlr_output_manager_v1 *manager, uint32_t serial)
{
	struct management_world *world = data;
	world->serial = serial;
	world->n_done++;
}

static void handle_finished(void *data, struct zwlr_output_manager_v1 *manager)
{
	struct management_world *world = data;
	world->manager = NULL;
	zwlr_output_manager_v1_destroy(manager);
}

static const struct zwlr_output_manager_v1_listener manager_listener = {
	.head = handle_head,
	.done = handle_done,
	.finished = handle_finished,
};

enum answer {
	ANSWER_NONE,
	ANSWER_SUCCEEDED,
	ANSWER_FAILED,
	ANSWER_CANCELLED,
};

static void handle_succeeded(void *data, struct zwlr_output_configuration_v1 *proxy)
{
	*(enum answer *)data = ANSWER_SUCCEEDED;
}

static void handle_failed(void *data, struct zwlr_output_configuration_v1 *proxy)
{
	*(enum answer *)data = ANSWER_FAILED;
}

static void handle_cancelled(void *data, struct zwlr_output_configuration_v1 *proxy)
{
	*(enum answer *)data = ANSWER_CANCELLED;
}

static const struct zwlr_output_configuration_v1_listener configuration_listener = {
	.succeeded = handle_succeeded,
	.failed = handle_failed,
	.cancelled = handle_cancelled,
};

static struct zwlr_output_configuration_v1 *begin(struct management_world *world)
{
	return zwlr_output_manager_v1_create_configuration(world->manager, world->serial);
}

static enum answer use(struct management_world *world,
	struct zwlr_output_configuration_v1 *configuration, bool apply)
{
	enum answer answer = ANSWER_NONE;
	zwlr_output_configuration_v1_add_listener(configuration, &configuration_listener, &answer);
	if (apply) {
		zwlr_output_configuration_v1_apply(configuration);
	} else {
		zwlr_output_configuration_v1_test(configuration);
	}
	fixture_pump(world->fixture);
	zwlr_output_configuration_v1_destroy(configuration);
	fixture_pump(world->fixture);
	return answer;
}

static struct zwlr_output_configuration_head_v1 *enable(
	struct management_world *world, struct zwlr_output_configuration_v1 *configuration, int i)
{
	return zwlr_output_configuration_v1_enable_head(configuration, world->heads[i].proxy);
}

static int set_up(void **state)
{
	struct management_world *world = xcalloc(1, sizeof(*world));
	struct fixture_options options = {.n_outputs = 2};
	world->fixture = fixture_create(&options);
	world->peer = peer_create(world->fixture);
	world->manager = peer_bind(world->peer, &zwlr_output_manager_v1_interface, 0);
	zwlr_output_manager_v1_add_listener(world->manager, &manager_listener, world);
	fixture_pump(world->fixture);
	*state = world;
	return 0;
}

static struct scene_output *place(struct management_world *world, const char *name)
{
	return scene_output_find_name(world->fixture->server->scene, name);
}

static void heads_describe_the_outputs(void **state)
{
	struct management_world *world = *state;
	assert_int_equal(world->n_heads, 2);
	assert_int_equal(world->n_done, 1);
	const struct head *head = &world->heads[1];
	assert_string_equal(head->name, "HEADLESS-2");
	assert_string_equal(head->make, "Causeway");
	assert_string_equal(head->model, "Headless");
	assert_int_equal(head->enabled, 1);
	assert_int_equal(head->x, 320);
	assert_int_equal(head->n_modes, 1);
	assert_true(head->current == head->modes[0].proxy);
	assert_true(head->modes[0].preferred);
	assert_int_equal(head->modes[0].width, 320);
	assert_int_equal(head->modes[0].height, 240);
	assert_int_equal(head->modes[0].refresh, 60000);
	assert_true(head->scale == 1);
	assert_int_equal(head->adaptive_sync, ZWLR_OUTPUT_HEAD_V1_ADAPTIVE_SYNC_STATE_DISABLED);
}

static void handle_logical_position(void *data, struct zxdg_output_v1 *xdg, int32_t x, int32_t y)
{
	((struct box *)data)->x = x;
	((struct box *)data)->y = y;
}

static void handle_logical_size(
	void *data, struct zxdg_output_v1 *xdg, int32_t width, int32_t height)
{
	((struct box *)data)->width = width;
	((struct box *)data)->height = height;
}

static void ignore_done(void *data, struct zxdg_output_v1 *xdg)
{
}

static void ignore_string(void *data, struct zxdg_output_v1 *xdg, const char *text)
{
}

static const struct zxdg_output_v1_listener xdg_listener = {
	.logical_position = handle_logical_position,
	.logical_size = handle_logical_size,
	.done = ignore_done,
	.name = ignore_string,
	.description = ignore_string,
};

static void configuration_is_applied_and_sent(void **state)
{
	struct management_world *world = *state;
	struct box logical = {0};
	/* The first wl_output of the registry. */
	struct zxdg_output_v1 *xdg = zxdg_output_manager_v1_get_xdg_output(
		peer_bind(world->peer, &zxdg_output_manager_v1_interface, 0),
		peer_bind(world->peer, &wl_output_interface, 0));
	zxdg_output_v1_add_listener(xdg, &xdg_listener, &logical);
	fixture_pump(world->fixture);
	uint32_t serial = world->serial;

	struct zwlr_output_configuration_v1 *configuration = begin(world);
	struct zwlr_output_configuration_head_v1 *first = enable(world, configuration, 0);
	zwlr_output_configuration_head_v1_set_position(first, -160, 30);
	zwlr_output_configuration_head_v1_set_scale(first, wl_fixed_from_int(2));
	zwlr_output_configuration_head_v1_set_transform(first, WL_OUTPUT_TRANSFORM_90);
	zwlr_output_configuration_head_v1_set_adaptive_sync(first, 1);
	enable(world, configuration, 1);
	assert_int_equal(use(world, configuration, true), ANSWER_SUCCEEDED);

	assert_int_equal(world->n_done, 2);
	assert_int_not_equal(world->serial, serial);
	assert_int_equal(world->heads[0].x, -160);
	assert_int_equal(world->heads[0].y, 30);
	assert_true(world->heads[0].scale == 2);
	assert_int_equal(world->heads[0].transform, WL_OUTPUT_TRANSFORM_90);
	assert_int_equal(world->heads[0].adaptive_sync, 1);
	/* Clients that set a position lay out the others, too. */
	assert_int_equal(world->heads[1].x, 320);
	assert_int_equal(logical.x, -160);
	assert_int_equal(logical.y, 30);
	assert_int_equal(logical.width, 120);
	assert_int_equal(logical.height, 160);
	fixture_settle(world->fixture);
	assert_true(place(world, "HEADLESS-1")->output->adaptive_sync);
}

static void reload_with(struct management_world *world, const char *text)
{
	assert_true(reload_text(world->fixture, text));
}

static void set_scale(struct management_world *world, int head, int scale)
{
	struct zwlr_output_configuration_v1 *configuration = begin(world);
	for (int i = 0; i < 2; i++) {
		struct zwlr_output_configuration_head_v1 *change = enable(world, configuration, i);
		if (i == head) {
			zwlr_output_configuration_head_v1_set_scale(
				change, wl_fixed_from_int(scale));
		}
	}
	assert_int_equal(use(world, configuration, true), ANSWER_SUCCEEDED);
}

static void reload_changes_only_outputs_whose_sections_changed(void **state)
{
	struct management_world *world = *state;
	set_scale(world, 0, 2);
	reload_with(world, "[look]\nborder = 1\n");
	assert_true(world->heads[0].scale == 2);
	/* A section for the other output. */
	reload_with(world, "[output HEADLESS-2]\nscale = 1.5\n");
	assert_true(world->heads[0].scale == 2 && world->heads[1].scale == 1.5);
	set_scale(world, 1, 3);
	/* The same section, spelled differently. */
	reload_with(world, "[output *-2]\nscale = 1.50\n");
	assert_true(world->heads[0].scale == 2 && world->heads[1].scale == 3);
	reload_with(world, "[output HEADLESS-2]\nscale = 1.5\n[output HEADLESS-1]\nscale = 1\n");
	assert_true(world->heads[0].scale == 1 && world->heads[1].scale == 3);
	reload_with(world, "[output HEADLESS-1]\nscale = 1\n");
	assert_true(world->heads[0].scale == 1 && world->heads[1].scale == 1);
}

static void custom_mode_exists_while_current(void **state)
{
	struct management_world *world = *state;
	struct head *head = &world->heads[0];
	struct zwlr_output_configuration_v1 *configuration = begin(world);
	zwlr_output_configuration_head_v1_set_custom_mode(
		enable(world, configuration, 0), 400, 300, 0);
	enable(world, configuration, 1);
	assert_int_equal(use(world, configuration, true), ANSWER_SUCCEEDED);
	assert_int_equal(head->n_modes, 2);
	assert_true(head->current == head->modes[1].proxy);
	assert_int_equal(head->modes[1].width, 400);
	assert_int_equal(head->modes[1].height, 300);
	assert_int_equal(place(world, "HEADLESS-1")->output->mode.width, 400);

	configuration = begin(world);
	zwlr_output_configuration_head_v1_set_mode(
		enable(world, configuration, 0), head->modes[0].proxy);
	enable(world, configuration, 1);
	assert_int_equal(use(world, configuration, true), ANSWER_SUCCEEDED);
	assert_true(head->current == head->modes[0].proxy);
	assert_true(head->modes[1].finished);
	assert_int_equal(place(world, "HEADLESS-1")->output->mode.width, 320);

	configuration = begin(world);
	zwlr_output_configuration_head_v1_set_mode(
		enable(world, configuration, 0), world->heads[1].modes[0].proxy);
	peer_expect_error(world->peer, &zwlr_output_configuration_head_v1_interface,
		ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_MODE);
}

static void repeated_modes_are_sent_once(void **state)
{
	struct management_world *world = *state;
	struct output *output = place(world, "HEADLESS-1")->output;
	const struct output_mode other = {.width = 640, .height = 480, .refresh = 60000};
	output->modes = xrealloc(output->modes, 4, sizeof(*output->modes));
	output->modes[1] = output->modes[3] = other;
	output->modes[2] = output->modes[0];
	output->n_modes = 4;
	signal_emit(&output->events.changed, output);
	fixture_settle(world->fixture);
	const struct head *head = &world->heads[0];
	assert_int_equal(head->n_modes, 2);
	assert_int_equal(head->modes[0].width, 320);
	assert_int_equal(head->modes[1].width, 640);
	assert_false(head->modes[0].finished || head->modes[1].finished);
	/* Without the repetitions, the list is the same. */
	int n_done = world->n_done;
	output->n_modes = 2;
	signal_emit(&output->events.changed, output);
	fixture_settle(world->fixture);
	assert_int_equal(head->n_modes, 2);
	assert_int_equal(world->n_done, n_done);
}

static void disabled_output_can_be_enabled_again(void **state)
{
	struct management_world *world = *state;
	struct zwlr_output_configuration_v1 *configuration = begin(world);
	enable(world, configuration, 0);
	zwlr_output_configuration_v1_disable_head(configuration, world->heads[1].proxy);
	assert_int_equal(use(world, configuration, true), ANSWER_SUCCEEDED);
	assert_int_equal(world->heads[1].enabled, 0);
	assert_false(world->heads[1].finished);
	assert_null(place(world, "HEADLESS-2"));

	configuration = begin(world);
	enable(world, configuration, 0);
	zwlr_output_configuration_head_v1_set_position(enable(world, configuration, 1), 0, 240);
	assert_int_equal(use(world, configuration, true), ANSWER_SUCCEEDED);
	assert_int_equal(world->heads[1].enabled, 1);
	assert_int_equal(world->heads[1].y, 240);
	assert_int_equal(place(world, "HEADLESS-2")->y, 240);
}

static void testing_changes_nothing(void **state)
{
	struct management_world *world = *state;
	struct zwlr_output_configuration_v1 *configuration = begin(world);
	zwlr_output_configuration_head_v1_set_position(enable(world, configuration, 0), 7, 7);
	enable(world, configuration, 1);
	assert_int_equal(use(world, configuration, false), ANSWER_SUCCEEDED);
	assert_int_equal(place(world, "HEADLESS-1")->x, 0);
	assert_int_equal(world->n_done, 1);

	/* Larger than a headless output supports. */
	for (int apply = 0; apply < 2; apply++) {
		configuration = begin(world);
		zwlr_output_configuration_head_v1_set_position(
			enable(world, configuration, 0), 7, 7);
		zwlr_output_configuration_head_v1_set_custom_mode(
			enable(world, configuration, 1), 100000, 100, 60000);
		assert_int_equal(use(world, configuration, apply), ANSWER_FAILED);
		assert_int_equal(place(world, "HEADLESS-1")->x, 0);
		assert_int_equal(world->n_done, 1);
	}
	configuration = begin(world);
	zwlr_output_configuration_head_v1_set_scale(
		enable(world, configuration, 0), wl_fixed_from_int(1000));
	enable(world, configuration, 1);
	assert_int_equal(use(world, configuration, false), ANSWER_FAILED);
	configuration = begin(world);
	zwlr_output_configuration_head_v1_set_position(
		enable(world, configuration, 0), INT32_MAX, 0);
	enable(world, configuration, 1);
	assert_int_equal(use(world, configuration, true), ANSWER_FAILED);
}

/*
 * The backend accepts the configuration, but the scene has no room for the output: all of it is
 * rolled back.
 */
static void failed_configuration_is_rolled_back(void **state)
{
	struct management_world *world = *state;
	while (world->n_heads < HEADS_MAX) {
		headless_add_output(world->fixture->server->backend, 320, 240, 60000);
		fixture_pump(world->fixture);
	}
	int n_done = world->n_done;
	assert_int_equal(world->heads[HEADS_MAX - 2].enabled, 1);
	assert_int_equal(world->heads[HEADS_MAX - 1].enabled, 0);
	struct zwlr_output_configuration_v1 *configuration = begin(world);
	struct zwlr_output_configuration_head_v1 *first = enable(world, configuration, 0);
	zwlr_output_configuration_head_v1_set_position(first, 7, 7);
	zwlr_output_configuration_head_v1_set_custom_mode(first, 400, 300, 60000);
	for (int i = 1; i < HEADS_MAX; i++) {
		enable(world, configuration, i);
	}
	assert_int_equal(use(world, configuration, true), ANSWER_FAILED);
	assert_int_equal(world->n_done, n_done);
	assert_int_equal(place(world, "HEADLESS-1")->x, 0);
	assert_int_equal(place(world, "HEADLESS-1")->output->mode.width, 320);
	assert_null(place(world, world->heads[HEADS_MAX - 1].name));
}

static void hotplug_cancels_outdated_configurations(void **state)
{
	struct management_world *world = *state;
	struct zwlr_output_configuration_v1 *outdated = begin(world);
	enable(world, outdated, 0);
	struct zwlr_output_configuration_head_v1 *second = enable(world, outdated, 1);
	fixture_pump(world->fixture);
	headless_remove_output(place(world, "HEADLESS-2")->output);
	zwlr_output_configuration_head_v1_set_mode(second, world->heads[1].modes[0].proxy);
	assert_int_equal(use(world, outdated, true), ANSWER_CANCELLED);
	assert_true(world->heads[1].finished);
	assert_false(world->heads[0].finished);
	zwlr_output_head_v1_release(world->heads[1].proxy);

	headless_add_output(world->fixture->server->backend, 640, 480, 60000);
	fixture_pump(world->fixture);
	assert_int_equal(world->n_heads, 3);
	assert_string_equal(world->heads[2].name, "HEADLESS-3");
	struct zwlr_output_configuration_v1 *configuration = begin(world);
	enable(world, configuration, 0);
	enable(world, configuration, 2);
	assert_int_equal(use(world, configuration, true), ANSWER_SUCCEEDED);

	int n_done = world->n_done;
	zwlr_output_manager_v1_stop(world->manager);
	fixture_pump(world->fixture);
	assert_null(world->manager);
	headless_add_output(world->fixture->server->backend, 640, 480, 60000);
	assert_true(peer_alive(world->peer));
	assert_int_equal(world->n_heads, 3);
	assert_int_equal(world->n_done, n_done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
		TEST(heads_describe_the_outputs),
		TEST(configuration_is_applied_and_sent),
		TEST(reload_changes_only_outputs_whose_sections_changed),
		TEST(custom_mode_exists_while_current),
		TEST(repeated_modes_are_sent_once),
		TEST(disabled_output_can_be_enabled_again),
		TEST(testing_changes_nothing),
		TEST(failed_configuration_is_rolled_back),
		TEST(hotplug_cancels_outdated_configurations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
