/* SPDX-License-Identifier: MIT */
/* The X servers of a session: which program gets which, and how long they exist. */

#include "harness/unit.h"
#include "harness/x_servers.h"
#include "util/strings.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void each_gpu_has_one_server(void **state)
{
	struct servers_world *world = *state;
	struct gpu a, b;
	world_init_gpu(&a, "a");
	world_init_gpu(&b, "b");
	world->default_gpu = &a;
	struct x_server *other = x_server_for_gpu(world->x_servers, &b);
	assert_ptr_not_equal(other, world->server);
	assert_int_equal(other->display, 1);
	assert_ptr_equal(x_server_for_gpu(world->x_servers, &b), other);
	assert_ptr_equal(x_server_for_gpu(world->x_servers, &a), world->server);
	assert_ptr_equal(x_server_for_gpu(world->x_servers, NULL), world->server);
	int fd = world_connect(world, 1);
	assert_ptr_equal(world->gpu, &b);
	assert_int_equal(world->server->pid, 0);
	pid_t pid = world->pid;
	world_kill_process(world);
	x_servers_child_ended(world->x_servers, pid, 0);
	close(fd);
}

/* A GPU that is plugged in again is a new one. */
static void an_idle_server_of_a_removed_gpu_serves_the_next_one(void **state)
{
	struct servers_world *world = *state;
	struct gpu a, b, c;
	world_init_gpu(&a, "a");
	world_init_gpu(&b, "b");
	world_init_gpu(&c, "c");
	world->default_gpu = &a;
	struct x_server *other = x_server_for_gpu(world->x_servers, &b);
	b.gone = true;
	assert_ptr_equal(x_server_for_gpu(world->x_servers, &c), other);
	assert_ptr_equal(other->gpu, &c);
	assert_int_equal(world_count_servers(world), 2);
}

static void a_new_default_gpu_has_a_server_while_the_default_one_runs(void **state)
{
	struct servers_world *world = *state;
	struct gpu a, b;
	world_init_gpu(&a, "a");
	world_init_gpu(&b, "b");
	world->default_gpu = &a;
	int fd = world_connect(world, 0);
	world_report_readiness(world);
	world->default_gpu = &b;
	struct x_server *other = x_server_for_gpu(world->x_servers, &b);
	assert_ptr_not_equal(other, world->server);
	assert_ptr_equal(other->gpu, &b);
	assert_ptr_equal(x_server_for_gpu(world->x_servers, &a), world->server);
	world_end(world, 0);
	close(fd);
}

static void per_gpu_off_means_one_server(void **state)
{
	struct servers_world *world = *state;
	struct gpu b;
	world_init_gpu(&b, "b");
	x_servers_configure(world->x_servers, &(struct x_servers_settings){.linger = 1});
	assert_ptr_equal(x_server_for_gpu(world->x_servers, &b), world->server);
}

static void the_default_server_follows_the_configuration(void **state)
{
	struct servers_world *world = *state;
	struct gpu a, b;
	world_init_gpu(&a, "a");
	world_init_gpu(&b, "b");
	world->default_gpu = &a;
	int fd = world_connect(world, 0);
	assert_ptr_equal(world->gpu, &a);
	world_report_readiness(world);
	world->default_gpu = &b;
	x_servers_configure(world->x_servers, &(struct x_servers_settings){.linger = 3});
	assert_ptr_equal(world->server->gpu, &a); /* while it runs */
	world_end(world, 0);
	world_dispatch(world);
	assert_ptr_equal(world->gpu, &b);
	assert_non_null(strstr(world->arguments, "-terminate 3 "));
	close(fd);
}

static void servers_of_a_removed_gpu_use_the_default_one(void **state)
{
	struct servers_world *world = *state;
	struct gpu a, b;
	world_init_gpu(&a, "a");
	world_init_gpu(&b, "b");
	world->default_gpu = &a;
	x_server_for_gpu(world->x_servers, &b);
	b.gone = true;
	int fd = world_connect(world, 1);
	assert_ptr_equal(world->gpu, &a);
	world_end(world, 0);
	close(fd);
}

static void an_own_server_outlives_neither_program_nor_process(void **state)
{
	struct servers_world *world = *state;
	char *error = NULL;
	struct x_server *own = x_server_create_own(world->x_servers, NULL, &error);
	assert_non_null(own);
	assert_ptr_not_equal(own, world->server);
	x_server_set_program(own, 4242424);
	int fd = world_connect(world, own->display);
	world_report_readiness(world);
	x_servers_child_ended(world->x_servers, 4242424, 0);
	assert_int_equal(
		world_count_servers(world), 2); /* its windows may belong to other processes */
	world->server = own; /* for wm_destroy() */
	world_end(world, 0);
	assert_int_equal(world_count_servers(world), 1);
	close(fd);
}

static void an_own_server_without_connections_ends_after_its_program(void **state)
{
	struct servers_world *world = *state;
	char *error = NULL;
	struct x_server *own = x_server_create_own(world->x_servers, NULL, &error);
	x_server_set_program(own, 4242424);
	x_servers_child_ended(world->x_servers, 4242424, 1);
	clock_advance(world->clock, 10 * SECOND - 1);
	assert_int_equal(world_count_servers(world), 2);
	clock_advance(world->clock, 1);
	assert_int_equal(world_count_servers(world), 1);
	own = x_server_create_own(world->x_servers, NULL, &error);
	x_server_set_program(own, -ENOENT);
	assert_int_equal(world_count_servers(world), 1);
}

/* Wrappers exit after the start of another process, which connects later. */
static void an_own_server_waits_for_children_of_its_program(void **state)
{
	struct servers_world *world = *state;
	char *error = NULL;
	struct x_server *own = x_server_create_own(world->x_servers, NULL, &error);
	x_server_set_program(own, 4242424);
	x_servers_child_ended(world->x_servers, 4242424, 0);
	clock_advance(world->clock, 9 * SECOND);
	int fd = world_connect(world, own->display);
	assert_int_equal(world->n_starts, 1);
	world_report_readiness(world);
	clock_advance(world->clock, 100 * SECOND);
	assert_int_equal(world_count_servers(world), 2);
	world->server = own; /* for wm_destroy() */
	world_end(world, 0);
	assert_int_equal(world_count_servers(world), 1);
	close(fd);
}

static void an_own_server_in_a_pause_ends_after_its_program(void **state)
{
	struct servers_world *world = *state;
	char *error = NULL;
	struct x_server *own = x_server_create_own(world->x_servers, NULL, &error);
	x_server_set_program(own, 4242424);
	world->spawn_error = -ENOENT;
	close(world_connect(world, own->display));
	close(world_connect(world, own->display));
	x_servers_child_ended(world->x_servers, 4242424, 0);
	int fd = world_connect(world, own->display);
	assert_false(world_was_closed(fd)); /* the pause is not cut short */
	clock_advance(world->clock, 1 * SECOND);
	world_dispatch(world);
	assert_true(world_was_closed(fd));
	clock_advance(world->clock, 2 * SECOND + 10 * SECOND - 1);
	assert_int_equal(world_count_servers(world), 2);
	clock_advance(world->clock, 1);
	assert_int_equal(world_count_servers(world), 1);
	close(fd);
}

static void own_servers_have_cookies_of_their_own(void **state)
{
	struct servers_world *world = *state;
	char *error = NULL;
	struct x_server *own = x_server_create_own(world->x_servers, NULL, &error);
	char **environment = x_server_environment(own);
	char expected[80];
	assert_string_equal(environment[0], "DISPLAY=:1");
	snprintf(expected, sizeof(expected), "XAUTHORITY=%s/causeway-x11-1-", world->folder);
	assert_int_equal(strncmp(environment[1], expected, strlen(expected)), 0);
	assert_int_equal(access(environment[1] + strlen("XAUTHORITY="), R_OK), 0);
	/* A program that still has the path must not find the cookie of a later server there. */
	x_server_set_program(own, -ENOENT);
	own = x_server_create_own(world->x_servers, NULL, &error);
	char **later = x_server_environment(own);
	assert_string_equal(later[0], "DISPLAY=:1");
	assert_string_not_equal(later[1], environment[1]);
	strings_destroy(environment);
	strings_destroy(later);
}

static void servers_have_a_limit(void **state)
{
	struct servers_world *world = *state;
	char *error = NULL;
	struct gpu b;
	world_init_gpu(&b, "b");
	while (world_count_servers(world) < X_SERVERS_MAX) {
		assert_non_null(x_server_create_own(world->x_servers, NULL, &error));
	}
	assert_null(x_server_create_own(world->x_servers, NULL, &error));
	assert_non_null(strstr(error, "16"));
	free(error);
	assert_ptr_equal(x_server_for_gpu(world->x_servers, &b), world->server);
}

static void without_a_program_there_is_an_error(void **state)
{
	struct servers_world *world = *state;
	char *error = NULL;
	setenv("PATH", "/nonexistent", 1);
	struct x_servers_options options = {.host = &world->host, .folder = world->folder};
	assert_null(x_servers_create(&options, &error));
	assert_string_equal(error, "Xwayland is not installed (package xwayland)");
	free(error);
	char **environment = x_server_environment(NULL);
	assert_string_equal(environment[0], "DISPLAY");
	assert_string_equal(environment[1], "XAUTHORITY");
	strings_destroy(environment);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)
	static const struct CMUnitTest tests[] = {
		TEST(each_gpu_has_one_server),
		TEST(an_idle_server_of_a_removed_gpu_serves_the_next_one),
		TEST(a_new_default_gpu_has_a_server_while_the_default_one_runs),
		TEST(per_gpu_off_means_one_server),
		TEST(the_default_server_follows_the_configuration),
		TEST(servers_of_a_removed_gpu_use_the_default_one),
		TEST(an_own_server_outlives_neither_program_nor_process),
		TEST(an_own_server_without_connections_ends_after_its_program),
		TEST(an_own_server_waits_for_children_of_its_program),
		TEST(an_own_server_in_a_pause_ends_after_its_program),
		TEST(own_servers_have_cookies_of_their_own),
		TEST(servers_have_a_limit),
		TEST(without_a_program_there_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
