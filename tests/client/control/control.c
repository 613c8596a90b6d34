/* SPDX-License-Identifier: MIT */
/* The control protocol: reports, actions and screenshots. */

#include "causeway-control-v1-client-protocol.h"
#include "content/device.h"
#include "frame/meter.h"
#include "gpu/format.h"
#include "harness/await.h"
#include "harness/peer.h"
#include "render/render.h"
#include "scene/output.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "surface/client.h"
#include "surface/surface.h"
#include "xdg-toplevel-tag-v1-client-protocol.h"
#include <drm_fourcc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

static void control_connection_sees_one_global(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct control control = connect_control(fixture);
	assert_int_equal(control.peer->n_globals, 1);
	fixture_destroy(fixture);
}

/** A received report: "name=value ..." of each record in brackets. */
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

static void reports_describe_outputs_and_surfaces(void **state)
{
	const struct fixture_options options = {.n_outputs = 2, .scale = 1.25};
	struct fixture *fixture = fixture_create(&options);
	struct control control = connect_control(fixture);
	struct peer *peer = peer_create(fixture);
	struct peer_window *window = peer_window_create(peer, 10, 10, 100, 50, 0xff00ff00);
	/* A title that is not UTF-8, and one that does not fit into a message. */
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
	report = receive(fixture, causeway_control_v1_list_windows(control.proxy));
	assert_int_equal(report.n_records, 1);
	assert_says(&report, " title=bad ??? end;");
	assert_says(&report, " workspace=1; output=HEADLESS-1; x=10; y=10; width=100; height=50;");
	assert_says(&report, " focused=true; maximized=false; fullscreen=false;");
	window_set_minimized(peer_window_find(window), true);
	report = receive(fixture, causeway_control_v1_list_windows(control.proxy));
	assert_says(&report, " focused=false;");
	assert_says(&report, " minimized=true;");
	window_set_minimized(peer_window_find(window), false);

	struct xdg_toplevel_tag_manager_v1 *tags =
		peer_bind(peer, &xdg_toplevel_tag_manager_v1_interface, 0);
	xdg_toplevel_tag_manager_v1_set_toplevel_tag(tags, window->toplevel, "main");
	xdg_toplevel_tag_manager_v1_set_toplevel_description(tags, window->toplevel, "Main window");
	fixture_pump(fixture);
	report = receive(fixture, causeway_control_v1_list_surfaces(control.proxy));
	assert_says(&report, " end; tag=main; description=Main window; role=xdg_toplevel;");

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

static struct result result_of(struct fixture *fixture, struct causeway_result_v1 *proxy)
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

static void control_runs_actions(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct control control = connect_control(fixture);
	assert_int_equal(result_of(fixture, causeway_control_v1_reload(control.proxy)).n_ok, 1);
	assert_int_equal(result_of(fixture, spawn(&control, "true\0", 5, NULL)).n_ok, 1);
	assert_int_equal(result_of(fixture, spawn(&control, "sh\0-c\0exit 3", 13, NULL)).n_ok, 1);
	struct result result = result_of(fixture, spawn(&control, "/nonexistent", 13, NULL));
	assert_int_equal(result.n_failed, 1);
	assert_string_equal(result.message, "cannot start /nonexistent: No such file or directory");
	result = result_of(fixture, spawn(&control, "true", 5, "fastest"));
	assert_int_equal(result.n_failed, 1);
	assert_non_null(strstr(result.message, "'fastest' is not a GPU selector"));
	result = result_of(fixture, causeway_control_v1_run_action(control.proxy, "workspace 3"));
	assert_int_equal(result.n_ok, 1);
	assert_string_equal(shell_workspace(fixture->server->shell)->name, "3");
	static const char *const bad[] = {"explode", "workspace", "focus sideways", "none", ""};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		result = result_of(fixture, causeway_control_v1_run_action(control.proxy, bad[i]));
		assert_int_equal(result.n_failed, 1);
	}
	shell_lock(fixture->server->shell);
	result = result_of(fixture, causeway_control_v1_run_action(control.proxy, "workspace 1"));
	assert_non_null(strstr(result.message, "locked"));
	shell_unlock(fixture->server->shell);
	result = result_of(fixture, causeway_control_v1_lose_renderer(control.proxy, NULL));
	assert_int_equal(result.n_failed, 1); /* pixman has no device to lose */
	assert_int_equal(result_of(fixture, causeway_control_v1_quit(control.proxy)).n_ok, 1);
	assert_int_equal(fixture->server->exit_code, 0);
	fixture_destroy(fixture);
}

static void program_gets_each_argument(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct control control = connect_control(fixture);
	char path[] = "/tmp/causeway-control-XXXXXX", text[100] = "";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	/* One argument has a space, and one is empty. */
	char argv[200];
	int size = snprintf(argv, sizeof(argv),
		"/bin/sh%c-c%cprintf '%%s.' \"$@\" >%s%csh%cone word%c%cthree%c", 0, 0, path, 0, 0,
		0, 0, 0);
	assert_int_equal(result_of(fixture, spawn(&control, argv, (size_t)size, NULL)).n_ok, 1);
	const char *expected = "one word..three.";
	await(strlen(text) >= strlen(expected), {
		ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
		text[n > 0 ? n : 0] = '\0';
	});
	assert_string_equal(text, expected);
	close(fd);
	unlink(path);
	fixture_destroy(fixture);
}

static void unterminated_arguments_are_an_error(void **state)
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

static void screenshot_shows_the_current_content(void **state)
{
	const struct fixture_options options = {.n_outputs = 2};
	struct fixture *fixture = fixture_create(&options);
	struct control control = connect_control(fixture);
	struct peer *peer = peer_create(fixture);
	struct peer_window *window = peer_window_create(peer, 100, 100, 100, 50, 0xff00ff00);
	/* Taken at once, before a frame was drawn. */
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

	/* A rotated output is captured upright. */
	scene_output_set_transform(scene_output_find_name(fixture->server->scene, "HEADLESS-2"),
		WL_OUTPUT_TRANSFORM_90);
	shot = take(fixture, &control, "HEADLESS-2");
	assert_int_equal(shot.width, 240);
	assert_int_equal(shot.height, 320);
	peer_window_destroy(window);
	fixture_destroy(fixture);
}

/* A renderer that draws to none of the formats of screenshots. */
static void screenshot_without_a_format_fails(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct control control = connect_control(fixture);
	fixture_settle(fixture);
	struct format_set *targets = &fixture->server->device->renderer->target_formats;
	struct format_set before = *targets;
	*targets = (struct format_set){0};
	assert_int_equal(take(fixture, &control, NULL).n_failed, 1);
	format_set_add(targets, DRM_FORMAT_RGB565, DRM_FORMAT_MOD_LINEAR);
	assert_int_equal(take(fixture, &control, NULL).n_failed, 1);
	format_set_finish(targets);
	*targets = before;
	assert_int_equal(take(fixture, &control, NULL).n_ready, 1);
	fixture_destroy(fixture);
}

/** The last chunk of a trace. */
struct chunk {
	int n_chunks;
	char text[65536];
};

static void handle_chunk(
	void *data, struct causeway_trace_v1 *proxy, int32_t fd, uint32_t size, uint32_t lost)
{
	struct chunk *chunk = data;
	chunk->n_chunks++;
	assert_int_equal(lost, 0);
	assert_true(size < sizeof(chunk->text));
	assert_int_equal(lseek(fd, 0, SEEK_END), size);
	assert_int_equal(pread(fd, chunk->text, size, 0), size);
	chunk->text[size] = '\0';
	close(fd);
}

static const struct causeway_trace_v1_listener trace_listener = {.chunk = handle_chunk};

static void collect(struct fixture *fixture, struct causeway_trace_v1 *trace, struct chunk *chunk)
{
	int before = chunk->n_chunks;
	causeway_trace_v1_collect(trace);
	fixture_pump(fixture);
	assert_int_equal(chunk->n_chunks, before + 1);
}

static void draw_in(struct fixture *fixture, struct peer_window *window, int n)
{
	for (int i = 0; i < n; i++) {
		wl_surface_attach(window->surface, window->buffer->buffer, 0, 0);
		wl_surface_damage_buffer(window->surface, 0, 0, 100, 50);
		wl_surface_commit(window->surface);
		fixture_settle(fixture);
	}
}

/* Returns the number of events of a category, each of which must be of this process and thread. */
static int count_events(const struct chunk *chunk, const char *category, int pid, unsigned tid)
{
	char wanted[64];
	int n = 0;
	snprintf(wanted, sizeof(wanted), "\"cat\":\"%s\"", category);
	for (const char *at = chunk->text; (at = strstr(at, wanted)); at++) {
		int event_pid, end = 0;
		unsigned event_tid;
		char kind;
		long long us, ns;
		assert_int_equal(sscanf(at + strlen(wanted),
					 ",\"ph\":\"%c\",\"pid\":%d,\"tid\":%u,\"ts\":%lld.%3lld%n",
					 &kind, &event_pid, &event_tid, &us, &ns, &end),
			5);
		/* Microseconds with three digits. */
		assert_int_equal(at[strlen(wanted) + (size_t)end], ',');
		assert_true(us > 0 && ns >= 0);
		assert_int_equal(event_pid, pid);
		assert_int_equal(event_tid, tid);
		assert_true(kind == 'X' || kind == 'i');
		n++;
	}
	return n;
}

/* Each event belongs to the track of its surface or output. A collected event is not repeated. */
static void trace_has_events_of_surfaces_and_outputs(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct control control = connect_control(fixture);
	struct peer *peer = peer_create(fixture);
	struct peer_window *window = peer_window_create(peer, 10, 10, 100, 50, 0xff00ff00);
	static struct chunk chunk;
	chunk = (struct chunk){0};
	xdg_toplevel_set_title(window->toplevel, "a \"quoted\" title");
	fixture_settle(fixture);
	struct causeway_trace_v1 *trace = causeway_control_v1_trace(control.proxy);
	causeway_trace_v1_add_listener(trace, &trace_listener, &chunk);
	fixture_pump(fixture);
	const struct meter *meter = fixture->server->meter;
	assert_non_null(meter->events);
	draw_in(fixture, window, 3);
	collect(fixture, trace, &chunk);
	const struct meter_surface *metered = wl_container_of(meter->surfaces.next, metered, link);
	int pid = (int)peer_surface_find(peer, window->surface)->client->pid;
	char name[128];
	snprintf(name, sizeof(name),
		"{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%u,"
		"\"args\":{\"name\":\"surface a ?quoted? title\"}},",
		pid, metered->serial);
	assert_non_null(strstr(chunk.text, name));
	assert_non_null(strstr(chunk.text, "\"tid\":1,\"args\":{\"name\":\"HEADLESS-1\"}},"));
	assert_true(count_events(&chunk, "surface", pid, metered->serial) >= 3);
	assert_true(count_events(&chunk, "frame", 1, 1) >= 3);

	collect(fixture, trace, &chunk);
	assert_null(strstr(chunk.text, "\"cat\""));
	draw_in(fixture, window, 1);
	collect(fixture, trace, &chunk);
	assert_in_range(count_events(&chunk, "surface", pid, metered->serial), 1, 2);

	/* Without a trace there are no events to keep. */
	causeway_trace_v1_destroy(trace);
	fixture_pump(fixture);
	assert_null(meter->events);
	assert_false(meter->active);
	fixture_destroy(fixture);
}

static void watch_reports_pace_and_latency(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	struct control control = connect_control(fixture);
	struct peer *peer = peer_create(fixture);
	struct peer_window *window = peer_window_create(peer, 10, 10, 100, 50, 0xff00ff00);
	fixture_settle(fixture);
	struct causeway_watch_v1 *watch = causeway_control_v1_watch(control.proxy);
	fixture_pump(fixture);
	draw_in(fixture, window, 3);
	struct report report = receive(fixture, causeway_watch_v1_list_outputs(watch));
	assert_int_equal(report.n_records, 1);
	assert_says(&report, " output=HEADLESS-1; refresh=60.000; variable=false; frames=");
	assert_says(&report, " late=0; starts_before=");
	assert_says(&report, " margin=");
	assert_says(&report, "_median=");
	report = receive(fixture, causeway_watch_v1_list_surfaces(watch));
	assert_int_equal(report.n_records, 1);
	assert_says(&report, " latency_p50=");
	assert_null(strstr(report.text, "buffer_gpu"));
	wl_surface_attach(window->surface, window->buffer->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, 100, 50);
	wl_surface_commit(window->surface);
	fixture_pump(fixture);
	report = receive(fixture, causeway_watch_v1_list_surfaces(watch));
	assert_null(strstr(report.text, "buffer_gpu"));
	causeway_watch_v1_destroy(watch);
	fixture_pump(fixture);
	assert_false(fixture->server->meter->active);
	fixture_destroy(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_connection_sees_one_global),
		cmocka_unit_test(reports_describe_outputs_and_surfaces),
		cmocka_unit_test(control_runs_actions),
		cmocka_unit_test(program_gets_each_argument),
		cmocka_unit_test(unterminated_arguments_are_an_error),
		cmocka_unit_test(screenshot_shows_the_current_content),
		cmocka_unit_test(screenshot_without_a_format_fails),
		cmocka_unit_test(trace_has_events_of_surfaces_and_outputs),
		cmocka_unit_test(watch_reports_pace_and_latency),
	};
	return cmocka_run_group_tests_name("control/control", tests, NULL, NULL);
}
