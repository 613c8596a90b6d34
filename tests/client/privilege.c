/* Who sees what: security contexts, the control protocol, and what each must not reach. */

#include "causeway-control-v1-client-protocol.h"
#include "harness/peer.h"
#include "protocol/protocol.h"
#include "security-context-v1-client-protocol.h"
#include "util/process.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* What only trusted clients may see; those of them that the server has. */
static const char *const privileged[] = {
	"ext_data_control_manager_v1",
	"ext_foreign_toplevel_image_capture_source_manager_v1",
	"ext_foreign_toplevel_list_v1",
	"ext_image_copy_capture_manager_v1",
	"ext_output_image_capture_source_manager_v1",
	"ext_session_lock_manager_v1",
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

/** A listening socket without a name in any folder, and a descriptor that holds it open. */
struct door {
	struct sockaddr_un address;
	socklen_t size;
	int listen_fd; /* the server's, until it is sent */
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

/** -1 if nobody listens. */
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

static void test_context(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *trusted = peer_create(fixture);
	struct door door;
	make_context(trusted, &door);
	/* The context outlives the client that made it. */
	peer_destroy(trusted);

	struct peer *sandboxed = peer_create_on(fixture, knock(&door));
	const struct client *client = client_from_wl(sandboxed->client);
	assert_true(client->sandboxed);
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

	/* It ends with the descriptor; who is in stays. */
	close(door.close_fds[1]);
	fixture_pump(fixture);
	assert_int_equal(knock(&door), -1);
	assert_true(peer_alive(sandboxed));
	peer_destroy(sandboxed);
	fixture_destroy(fixture);
}

/* What is hidden cannot be bound by its number either. */
static void test_bind_hidden(void **state)
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

/* Trusted clients see the privileged globals, but not the control protocol. */
static void test_trusted(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct peer *peer = peer_create(fixture);
	assert_false(client_from_wl(peer->client)->sandboxed);
	assert_int_equal(client_from_wl(peer->client)->pid, getpid());
	/* No rule asks who it is: that is read when somebody does. */
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

struct control {
	struct peer *peer;
	struct causeway_control_v1 *proxy;
};

static struct control connect_control(struct fixture *fixture)
{
	struct control control;
	control.peer = peer_create_control(fixture);
	control.proxy = peer_bind(control.peer, &causeway_control_v1_interface, 0);
	fixture_pump(fixture);
	return control;
}

static void test_control_sees_nothing_else(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct control control = connect_control(fixture);
	assert_int_equal(control.peer->n_globals, 1);
	fixture_destroy(fixture);
}

/** What came of a report: "name=value ..." of each record in brackets. */
struct report {
	char text[8192];
	bool open, done;
	int n_records;
};

static void handle_begin(void *data, struct causeway_report_v1 *proxy)
{
	struct report *report = data;
	assert_false(report->open);
	report->open = true;
	report->n_records++;
	strcat(report->text, "[");
}

static void handle_field(void *data, struct causeway_report_v1 *proxy, const char *name,
	uint32_t kind, const char *value)
{
	struct report *report = data;
	size_t length = strlen(report->text);
	assert_true(report->open);
	assert_true(kind <= CAUSEWAY_REPORT_V1_KIND_BOOLEAN);
	snprintf(report->text + length, sizeof(report->text) - length, " %s=%.500s;", name, value);
}

static void handle_end(void *data, struct causeway_report_v1 *proxy)
{
	struct report *report = data;
	assert_true(report->open);
	report->open = false;
	strcat(report->text, "]");
}

static void handle_done(void *data, struct causeway_report_v1 *proxy)
{
	struct report *report = data;
	assert_false(report->open || report->done);
	report->done = true;
	causeway_report_v1_destroy(proxy);
}

static const struct causeway_report_v1_listener report_listener = {
	.begin_record = handle_begin,
	.field = handle_field,
	.end_record = handle_end,
	.done = handle_done,
};

static struct report receive(struct fixture *fixture, struct causeway_report_v1 *proxy)
{
	struct report report = {0};
	causeway_report_v1_add_listener(proxy, &report_listener, &report);
	fixture_pump(fixture);
	assert_true(report.done);
	return report;
}

static void assert_says(const struct report *report, const char *text)
{
	if (!strstr(report->text, text)) {
		fail_msg("'%s' is not in %s", text, report->text);
	}
}

static void test_reports(void **state)
{
	const struct fixture_options options = {.n_outputs = 2, .scale = 1.25};
	struct fixture *fixture = fixture_create(&options);
	struct control control = connect_control(fixture);
	struct peer *peer = peer_create(fixture);
	struct peer_window *window = peer_window_create(peer, 10, 10, 100, 50, 0xff00ff00);
	/* A title that is no UTF-8, and one that does not fit. */
	xdg_toplevel_set_title(window->toplevel, "bad \xff\xc0\x80 end");
	fixture_settle(fixture);

	struct report report = receive(fixture, causeway_control_v1_list_outputs(control.proxy));
	assert_int_equal(report.n_records, 2);
	assert_says(&report, " name=HEADLESS-1; enabled=true;");
	assert_says(&report, " name=HEADLESS-2; enabled=true;");
	assert_says(&report, " width=320; height=240; refresh=60.000; x=0; y=0; "
			     "logical_width=256; logical_height=192; scale=1.250;");
	assert_says(&report, " x=256; y=0;");
	report = receive(fixture, causeway_control_v1_list_surfaces(control.proxy));
	assert_says(&report, " title=bad ??? end; role=xdg_toplevel; width=100; height=50;");
	assert_says(&report, " output=HEADLESS-1; route=shm; reason=");
	assert_says(&report, " runner_up=scan-out; runner_up_us=0.000; runner_up_refused=");
	report = receive(fixture, causeway_control_v1_get_stats(control.proxy));
	assert_int_equal(report.n_records, 1);
	assert_says(&report, " clients=2;");
	assert_says(&report, " windows=1;");
	assert_says(&report, " renderer=pixman;");
	receive(fixture, causeway_control_v1_list_gpus(control.proxy));

	char *title = calloc(1, 4001);
	memset(title, 'x', 3990);
	xdg_toplevel_set_title(window->toplevel, title);
	free(title);
	fixture_pump(fixture);
	report = receive(fixture, causeway_control_v1_list_surfaces(control.proxy));
	assert_says(&report, " title=xxx");
	peer_window_destroy(window);
	fixture_destroy(fixture);
}

struct result {
	int n_ok, n_failed;
	char message[4096];
};

static void handle_ok(void *data, struct causeway_result_v1 *proxy, const char *message)
{
	struct result *result = data;
	result->n_ok++;
	causeway_result_v1_destroy(proxy);
}

static void handle_failed(void *data, struct causeway_result_v1 *proxy, const char *message)
{
	struct result *result = data;
	result->n_failed++;
	snprintf(result->message, sizeof(result->message), "%s", message);
	causeway_result_v1_destroy(proxy);
}

static const struct causeway_result_v1_listener result_listener = {
	.ok = handle_ok,
	.failed = handle_failed,
};

static struct result await(struct fixture *fixture, struct causeway_result_v1 *proxy)
{
	struct result result = {0};
	causeway_result_v1_add_listener(proxy, &result_listener, &result);
	fixture_pump(fixture);
	assert_int_equal(result.n_ok + result.n_failed, 1);
	return result;
}

static struct causeway_result_v1 *spawn(
	const struct control *control, const char *argv, size_t size, const char *gpu)
{
	struct wl_array array = {.size = size, .data = (void *)(uintptr_t)argv};
	return causeway_control_v1_spawn(control->proxy, &array, gpu);
}

static void test_actions(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct control control = connect_control(fixture);
	assert_int_equal(await(fixture, causeway_control_v1_reload(control.proxy)).n_ok, 1);
	assert_int_equal(await(fixture, spawn(&control, "true\0", 5, NULL)).n_ok, 1);
	assert_int_equal(await(fixture, spawn(&control, "sh\0-c\0exit 3", 13, NULL)).n_ok, 1);
	struct result result = await(fixture, spawn(&control, "/nonexistent", 13, NULL));
	assert_int_equal(result.n_failed, 1);
	assert_string_equal(
		result.message, "/nonexistent cannot be started: No such file or directory");
	result = await(fixture, spawn(&control, "true", 5, "fastest"));
	assert_int_equal(result.n_failed, 1);
	assert_non_null(strstr(result.message, "'fastest' is no GPU"));
	result = await(fixture, causeway_control_v1_lose_renderer(control.proxy, NULL));
	assert_int_equal(result.n_failed, 1); /* pixman has nothing to lose */
	assert_int_equal(await(fixture, causeway_control_v1_quit(control.proxy)).n_ok, 1);
	assert_int_equal(fixture->server->exit_code, 0);
	fixture_destroy(fixture);
}

static void test_bad_argv(void **state)
{
	static const struct {
		const char *argv;
		size_t size;
	} bad[] = {{"", 0}, {"true", 4}, {"sh\0-c", 5}};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct fixture *fixture = fixture_create(NULL);
		struct control control = connect_control(fixture);
		spawn(&control, bad[i].argv, bad[i].size, NULL);
		peer_expect_error(control.peer, &causeway_control_v1_interface,
			CAUSEWAY_CONTROL_V1_ERROR_INVALID_ARGV);
		fixture_destroy(fixture);
	}
}

struct shot {
	int n_ready, n_failed;
	uint32_t corner, middle;
	int32_t width, height;
};

static void handle_ready(void *data, struct causeway_screenshot_v1 *proxy, int32_t fd,
	uint32_t format, int32_t width, int32_t height, int32_t stride)
{
	struct shot *shot = data;
	size_t size = (size_t)stride * (size_t)height;
	assert_int_equal(format, WL_SHM_FORMAT_XRGB8888);
	char *pixels = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(pixels, MAP_FAILED);
	shot->n_ready++;
	shot->width = width;
	shot->height = height;
	memcpy(&shot->corner, pixels, 4);
	memcpy(&shot->middle, pixels + (height / 2) * stride + (width / 2) * 4, 4);
	munmap(pixels, size);
	close(fd);
	causeway_screenshot_v1_destroy(proxy);
}

static void handle_no_shot(void *data, struct causeway_screenshot_v1 *proxy, const char *message)
{
	struct shot *shot = data;
	shot->n_failed++;
	causeway_screenshot_v1_destroy(proxy);
}

static const struct causeway_screenshot_v1_listener shot_listener = {
	.ready = handle_ready,
	.failed = handle_no_shot,
};

static struct shot take(struct fixture *fixture, const struct control *control, const char *output)
{
	struct shot shot = {0};
	struct causeway_screenshot_v1 *proxy =
		causeway_control_v1_screenshot(control->proxy, output);
	causeway_screenshot_v1_add_listener(proxy, &shot_listener, &shot);
	fixture_pump(fixture);
	assert_int_equal(shot.n_ready + shot.n_failed, 1);
	return shot;
}

static void test_screenshot(void **state)
{
	const struct fixture_options options = {.n_outputs = 2};
	struct fixture *fixture = fixture_create(&options);
	struct control control = connect_control(fixture);
	struct peer *peer = peer_create(fixture);
	struct peer_window *window = peer_window_create(peer, 100, 100, 100, 50, 0xff00ff00);
	/* At once, before any frame was drawn of it. */
	struct shot shot = take(fixture, &control, NULL);
	assert_int_equal(shot.n_ready, 1);
	assert_int_equal(shot.width, 320);
	assert_int_equal(shot.height, 240);
	assert_int_equal(shot.middle & 0xffffff, 0x00ff00);
	assert_int_not_equal(shot.corner & 0xffffff, 0x00ff00);
	shot = take(fixture, &control, "HEADLESS-2");
	assert_int_equal(shot.n_ready, 1);
	assert_int_equal(shot.middle & 0xffffff, shot.corner & 0xffffff);
	assert_int_equal(take(fixture, &control, "DP-1").n_failed, 1);

	/* One that is turned is shown upright. */
	scene_output_set_transform(scene_output_find_name(fixture->server->scene, "HEADLESS-2"),
		WL_OUTPUT_TRANSFORM_90);
	shot = take(fixture, &control, "HEADLESS-2");
	assert_int_equal(shot.width, 240);
	assert_int_equal(shot.height, 320);
	peer_window_destroy(window);
	fixture_destroy(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_context),
		cmocka_unit_test(test_bind_hidden),
		cmocka_unit_test(test_trusted),
		cmocka_unit_test(test_control_sees_nothing_else),
		cmocka_unit_test(test_reports),
		cmocka_unit_test(test_actions),
		cmocka_unit_test(test_bad_argv),
		cmocka_unit_test(test_screenshot),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
