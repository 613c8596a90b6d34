/* SPDX-License-Identifier: MIT */
/*
 * Security contexts: privileged globals are hidden from their clients, and sockets that clients
 * share block nobody.
 */

#include "causeway-control-v1-client-protocol.h"
#include "harness/peer.h"
#include "protocol/client/client_fd.h"
#include "protocol/protocol.h"
#include "security-context-v1-client-protocol.h"
#include "util/process.h"
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The privileged globals that the server has. */
static const char *const privileged[] = {
	"ext_data_control_manager_v1",
	"ext_foreign_toplevel_image_capture_source_manager_v1",
	"ext_foreign_toplevel_list_v1",
	"ext_image_copy_capture_manager_v1",
	"ext_output_image_capture_source_manager_v1",
	"ext_session_lock_manager_v1",
	"ext_workspace_manager_v1",
	"wp_security_context_manager_v1",
	"zwlr_data_control_manager_v1",
	"zwlr_foreign_toplevel_manager_v1",
	"zwlr_gamma_control_manager_v1",
	"zwlr_layer_shell_v1",
	"zwlr_output_manager_v1",
	"zwlr_output_power_manager_v1",
	"zwlr_screencopy_manager_v1",
	"zwlr_virtual_pointer_manager_v1",
	"zwp_input_method_manager_v2",
	"zwp_virtual_keyboard_manager_v1",
};

/** A listening socket with an abstract name, and the descriptor that keeps it open. */
struct door {
	struct sockaddr_un address;
	socklen_t size;
	int listen_fd; /* the server's after it is sent */
	int close_fds[2]; /* hang up [1] to close */
};

static void open_door(struct door *door)
{
	static int n;
	door->address = (struct sockaddr_un){.sun_family = AF_UNIX};
	int length = snprintf(door->address.sun_path + 1, sizeof(door->address.sun_path) - 1,
		"causeway-test-%d-%d", (int)getpid(), n++);
	door->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
	door->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(door->listen_fd, (struct sockaddr *)&door->address, door->size), 0);
	assert_int_equal(listen(door->listen_fd, 8), 0);
	assert_int_equal(pipe2(door->close_fds, O_CLOEXEC), 0);
}

/** Returns -1 if the socket is closed. */
static int knock(const struct door *door)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(fd, (const struct sockaddr *)&door->address, door->size) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void make_context(struct peer *peer, struct door *door)
{
	open_door(door);
	struct wp_security_context_manager_v1 *manager =
		peer_bind(peer, &wp_security_context_manager_v1_interface, 0);
	struct wp_security_context_v1 *context = wp_security_context_manager_v1_create_listener(
		manager, door->listen_fd, door->close_fds[0]);
	close(door->listen_fd);
	close(door->close_fds[0]);
	wp_security_context_v1_set_sandbox_engine(context, "org.example");
	wp_security_context_v1_set_app_id(context, "app");
	wp_security_context_v1_set_instance_id(context, "1");
	wp_security_context_v1_commit(context);
	wp_security_context_v1_destroy(context);
	wp_security_context_manager_v1_destroy(manager);
	fixture_pump(peer->fixture);
}

static void sandboxed_client_sees_no_privileged_globals(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *trusted = peer_create(fixture);
	struct door door;
	make_context(trusted, &door);
	/* The context outlives the client that created it. */
	peer_destroy(trusted);

	struct peer *sandboxed = peer_create_on(fixture, knock(&door));
	const struct client *client = client_from_wl(sandboxed->client);
	assert_true(client->sandboxed);
	/* Threads for calls that hang are limited for all clients of the sandbox together. */
	struct peer *other = peer_create_on(fixture, knock(&door));
	assert_ptr_equal(client_task_quota(other->client), client_task_quota(sandboxed->client));
	peer_destroy(other);
	assert_string_equal(client->sandbox_engine, "org.example");
	assert_string_equal(client->sandbox_app_id, "app");
	assert_string_equal(client->sandbox_instance_id, "1");
	for (size_t i = 0; i < sizeof(privileged) / sizeof(privileged[0]); i++) {
		if (peer_find_global(sandboxed, privileged[i])) {
			fail_msg("a sandboxed client sees %s", privileged[i]);
		}
	}
	assert_non_null(peer_find_global(sandboxed, "wl_compositor"));
	assert_non_null(peer_find_global(sandboxed, "xdg_wm_base"));
	assert_null(peer_find_global(sandboxed, "causeway_control_v1"));

	/* The context ends with the descriptor; connected clients stay. */
	close(door.close_fds[1]);
	fixture_pump(fixture);
	assert_int_equal(knock(&door), -1);
	assert_true(peer_alive(sandboxed));
	peer_destroy(sandboxed);
	fixture_destroy(fixture);
}

/* A hidden global cannot be bound by its name, either. */
/* Rules for the sandbox's application apply as soon as a client connects. */
static void rule_matches_the_sandboxed_application(void **state)
{
	static const char rules[] = "[app other]\nsandbox-app-id = another\ngpu = discrete\n"
				    "[app boxed]\nsandbox-app-id = app\ngpu = integrated\n";
	char path[] = "/tmp/causeway-sandbox-XXXXXX";
	int fd = mkstemp(path);
	assert_int_equal(write(fd, rules, strlen(rules)), strlen(rules));
	close(fd);
	struct fixture *fixture = fixture_create(&(struct fixture_options){.config_path = path});
	struct peer *trusted = peer_create(fixture);
	struct door door;
	make_context(trusted, &door);
	struct peer *sandboxed = peer_create_on(fixture, knock(&door));
	assert_string_equal(client_from_wl(sandboxed->client)->rule, "boxed");
	assert_null(client_from_wl(trusted->client)->rule);
	close(door.close_fds[1]);
	fixture_destroy(fixture);
	unlink(path);
}

static void hidden_global_cannot_be_bound(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *trusted = peer_create(fixture);
	struct door door;
	make_context(trusted, &door);
	struct peer *sandboxed = peer_create_on(fixture, knock(&door));
	const struct peer_global *hidden =
		peer_find_global(trusted, "wp_security_context_manager_v1");
	wl_registry_bind(
		sandboxed->registry, hidden->name, &wp_security_context_manager_v1_interface, 1);
	peer_expect_error(sandboxed, &wl_registry_interface, WL_DISPLAY_ERROR_INVALID_OBJECT);
	assert_true(peer_alive(trusted));
	close(door.close_fds[1]);
	fixture_destroy(fixture);
}

/*
 * Before the compositor accepts a connection, the client that shares the socket takes it and clears
 * O_NONBLOCK. accept() waits then; on the event loop, it ends the test by SIGALRM.
 */
static atomic_bool takes_connection;
static atomic_int n_accepting, n_accepted, n_taken;

int __real_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags);

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	if (atomic_exchange(&takes_connection, false)) {
		close(__real_accept4(fd, NULL, NULL, SOCK_CLOEXEC));
		fcntl(fd, F_SETFL, 0);
		atomic_fetch_add(&n_taken, 1);
	}
	atomic_fetch_add(&n_accepting, 1);
	int result = __real_accept4(fd, address, size, flags);
	atomic_fetch_sub(&n_accepting, 1);
	atomic_fetch_add(&n_accepted, result >= 0);
	return result;
}

/* Lets a context wait for a connection that its client has taken. */
static void hang_context(struct fixture *fixture, struct door *door)
{
	alarm(60);
	make_context(peer_create(fixture), door);
	const int before = atomic_load(&n_taken);
	atomic_store(&takes_connection, true);
	fixture->holds_tasks = true;
	close(knock(door));
	while (atomic_load(&n_taken) == before || atomic_load(&n_accepting) == 0) {
		fixture_pump(fixture);
	}
	struct peer *bystander = peer_create(fixture);
	assert_true(peer_alive(bystander));
	peer_destroy(bystander);
}

static void await_return(void)
{
	while (atomic_load(&n_accepting) > 0) {
		usleep(1000);
	}
}

static void taken_connection_blocks_nobody(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct door door;
	hang_context(fixture, &door);
	/* The context serves its next client. */
	int fd = knock(&door);
	fixture->holds_tasks = false;
	struct peer *sandboxed = peer_create_on(fixture, fd);
	assert_true(client_from_wl(sandboxed->client)->sandboxed);
	peer_destroy(peer_create_on(fixture, knock(&door)));
	assert_true(peer_alive(sandboxed));
	close(door.close_fds[1]);
	fixture_pump(fixture);
	assert_int_equal(knock(&door), -1);
	fixture_destroy(fixture);
}

static void context_ends_while_accept_waits(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct door door;
	hang_context(fixture, &door);
	close(door.close_fds[1]);
	fixture_pump(fixture);
	await_return();
	assert_int_equal(knock(&door), -1);
	fixture_destroy(fixture);
}

static void socket_that_does_not_answer_ends_its_context(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct door door;
	hang_context(fixture, &door);
	fixture_sleep(fixture, CLIENT_FD_TIMEOUT + 1);
	await_return();
	assert_int_equal(knock(&door), -1);
	/* The other end hangs up: the context has closed its descriptors. */
	struct pollfd poller = {.fd = door.close_fds[1]};
	assert_int_equal(poll(&poller, 1, 0), 1);
	close(door.close_fds[1]);
	fixture_destroy(fixture);
}

static void server_ends_while_accept_waits(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct door door;
	hang_context(fixture, &door);
	fixture_destroy(fixture);
	await_return();
	close(door.close_fds[1]);
}

/* The thread has accepted it, but the event loop does not take it any more. */
static void connection_of_the_last_moment_is_closed(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct door door;
	make_context(peer_create(fixture), &door);
	const int before = atomic_load(&n_accepted);
	struct pollfd poller = {.fd = knock(&door), .events = POLLIN};
	wl_event_loop_dispatch(fixture->server->loop, 0);
	while (atomic_load(&n_accepted) == before) {
		usleep(1000);
	}
	fixture_destroy(fixture);
	assert_int_equal(poll(&poller, 1, 60000), 1);
	assert_true(poller.revents & POLLHUP);
	close(poller.fd);
	close(door.close_fds[1]);
}

/* Trusted clients see the privileged globals, but not the control protocol. */
static void trusted_client_sees_privileged_globals(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *peer = peer_create(fixture);
	assert_false(client_from_wl(peer->client)->sandboxed);
	assert_int_equal(client_from_wl(peer->client)->pid, getpid());
	/* Facts of the process are read on demand: no rule needs them. */
	if (process_peers_are_pinned(wl_client_get_fd(peer->client))) {
		assert_null(client_process(client_from_wl(peer->client), 0));
	}
	assert_non_null(client_exe(client_from_wl(peer->client)));
	assert_int_equal(client_process(client_from_wl(peer->client), 0)->pid, getpid());
	for (size_t i = 0; i < sizeof(privileged) / sizeof(privileged[0]); i++) {
		if (!peer_find_global(peer, privileged[i])) {
			fail_msg("a trusted client does not see %s", privileged[i]);
		}
	}
	assert_null(peer_find_global(peer, "causeway_control_v1"));
	fixture_destroy(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sandboxed_client_sees_no_privileged_globals),
		cmocka_unit_test(rule_matches_the_sandboxed_application),
		cmocka_unit_test(hidden_global_cannot_be_bound),
		cmocka_unit_test(trusted_client_sees_privileged_globals),
		cmocka_unit_test(taken_connection_blocks_nobody),
		cmocka_unit_test(context_ends_while_accept_waits),
		cmocka_unit_test(socket_that_does_not_answer_ends_its_context),
		cmocka_unit_test(server_ends_while_accept_waits),
		cmocka_unit_test(connection_of_the_last_moment_is_closed),
	};
	return cmocka_run_group_tests_name("client/security_context", tests, NULL, NULL);
}
