/* SPDX-License-Identifier: MIT */
/* Runs tables of protocol errors. */

#include "harness/client/protocol_errors.h"
#include "backend/headless.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define WIDTH 64
#define HEIGHT 48

struct errors_world {
	struct fixture *fixture;
	struct peer *bystander;
	struct peer_window *window;
	uint32_t shade;
};

struct test {
	const struct error_case *error;
	struct errors_world *world;
};

/** The bystander draws new content, and the output shows it. */
static void check_bystander(struct errors_world *world)
{
	world->shade = (world->shade + 0x10) & 0xff;
	uint32_t color = 0x208000 | world->shade;
	assert_true(peer_alive(world->bystander));
	/* The other client is gone, so nothing covers the window. */
	peer_window_place(world->window, 10, 10);
	peer_buffer_fill(world->window->buffer, 0, 0, WIDTH, HEIGHT, 0xff000000 | color);
	peer_surface_show(world->window->surface, world->window->buffer);
	fixture_frames(world->fixture, 3);
	assert_int_equal(fixture_pixel(world->fixture, 10 + WIDTH / 2, 10 + HEIGHT / 2), color);
	assert_true(peer_alive(world->bystander));
}

static void run(void **state)
{
	const struct test *test = *state;
	struct peer *peer = peer_create(test->world->fixture);
	test->error->run(peer);
	peer_expect_error(peer, test->error->interface, test->error->code);
	assert_null(peer->client);
	peer_destroy(peer);
	/* A locker that was disconnected leaves the session locked. */
	shell_unlock(test->world->fixture->server->shell);
	check_bystander(test->world);
}

int errors_run(const char *group, const struct error_case *cases, size_t n, bool devices)
{
	struct errors_world world = {.fixture = fixture_create(NULL)};
	if (devices) {
		struct backend *backend = world.fixture->server->backend;
		headless_add_input(backend, INPUT_POINTER, "test pointer");
		headless_add_input(backend, INPUT_KEYBOARD, "test keyboard");
		headless_add_input(backend, INPUT_TOUCH, "test touch");
	}
	world.bystander = peer_create(world.fixture);
	world.window = peer_window_create(world.bystander, 10, 10, WIDTH, HEIGHT, 0xff000000);

	struct CMUnitTest *tests = xcalloc(n, sizeof(*tests));
	struct test *states = xcalloc(n, sizeof(*states));
	for (size_t i = 0; i < n; i++) {
		states[i] = (struct test){.error = &cases[i], .world = &world};
		tests[i] = (struct CMUnitTest){
			.name = cases[i].name, .test_func = run, .initial_state = &states[i]};
	}
	int failures = _cmocka_run_group_tests(group, tests, n, NULL, NULL);
	free(tests);
	free(states);
	/* After a failure peers may be left, so leave the fixture alone. */
	if (failures == 0) {
		peer_window_destroy(world.window);
		fixture_destroy(world.fixture);
	}
	return failures;
}
