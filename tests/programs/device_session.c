/* SPDX-License-Identifier: MIT */
/*
 * device_session OPTION...: causeway for tests. With a pipe $CAUSEWAY_TEST_DEVICES, it has a
 * keyboard, a touch screen, a tablet with a pen, and its pad. Commands come from the pipe, a line
 * each, at points of a screen of 1024x768: touch down|motion|up X Y, pen in|axis|down|up|out X Y
 * PRESSURE, pad 0|1, where pressures are percents. With $CAUSEWAY_TEST_CLICKS, it answers questions
 * about clicks there (click_answers.h).
 */

#include "backend/headless.h"
#include "backend/input.h"
#include "backend/input_tablet.h"
#include "click_answers.h"
#include "seat/seat.h"
#include "server/options.h"
#include "server/server.h"
#include "util/clock.h"
#include "util/event_source.h"
#include "util/signal.h"
#include <fcntl.h>
#include <linux/input.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 1024.0
#define HEIGHT 768.0

struct devices {
	struct server *server;
	struct input_device *touch, *tablet, *pad;
	struct input_tool pen;
	struct input_pad parts;
	char line[256];
	size_t n;
};

static void emit_touch(struct devices *devices, const char *action, double x, double y)
{
	struct input_device *touch = devices->touch;
	struct input_touch_event event = {
		.time = clock_now(devices->server->clock), .x = x / WIDTH, .y = y / HEIGHT};
	struct wl_signal *signal = strcmp(action, "down") == 0     ? &touch->events.touch_down
				   : strcmp(action, "motion") == 0 ? &touch->events.touch_motion
								   : &touch->events.touch_up;
	signal_emit(signal, &event);
	signal_emit(&touch->events.touch_frame, NULL);
}

static void emit_pen(
	struct devices *devices, const char *action, double x, double y, double pressure)
{
	static const char *const actions[] = {[INPUT_TOOL_IN] = "in",
		[INPUT_TOOL_OUT] = "out",
		[INPUT_TOOL_AXIS] = "axis",
		[INPUT_TOOL_DOWN] = "down",
		[INPUT_TOOL_UP] = "up"};
	struct input_tool_event event = {
		.time = clock_now(devices->server->clock),
		.tool = &devices->pen,
		.x = x / WIDTH,
		.y = y / HEIGHT,
		.changed = INPUT_PRESSURE,
		.pressure = pressure / 100,
	};
	for (int i = INPUT_TOOL_IN; i <= INPUT_TOOL_UP; i++) {
		if (strcmp(actions[i], action) == 0) {
			event.action = (enum input_tool_action)i;
			signal_emit(&devices->tablet->events.tool, &event);
		}
	}
}

static void run(struct devices *devices, const char *line)
{
	char action[8] = "";
	double x = 0, y = 0, pressure = 0;
	if (sscanf(line, "touch %7s %lf %lf", action, &x, &y) > 0) {
		emit_touch(devices, action, x, y);
	} else if (sscanf(line, "pen %7s %lf %lf %lf", action, &x, &y, &pressure) > 0) {
		emit_pen(devices, action, x, y, pressure);
	} else if (sscanf(line, "pad %7s", action) > 0) {
		struct input_pad_event event = {.time = clock_now(devices->server->clock),
			.part = INPUT_PAD_BUTTON,
			.pressed = action[0] == '1'};
		signal_emit(&devices->pad->events.pad, &event);
	}
}

static int handle_input(int fd, uint32_t mask, void *data)
{
	struct devices *devices = data;
	char byte;
	/* A line may come in pieces. */
	while (read(fd, &byte, 1) == 1) {
		if (byte != '\n' && devices->n + 1 < sizeof(devices->line)) {
			devices->line[devices->n++] = byte;
			continue;
		}
		devices->line[devices->n] = '\0';
		devices->n = 0;
		run(devices, devices->line);
	}
	return 0;
}

static void plug_in(struct devices *devices)
{
	struct backend *backend = devices->server->backend;
	devices->pen = (struct input_tool){.type = BTN_TOOL_PEN, .axes = INPUT_PRESSURE};
	wl_signal_init(&devices->pen.events.destroy);
	devices->parts = (struct input_pad){
		.n_buttons = 2, .n_groups = 1, .groups = {{.buttons = 3, .n_modes = 1}}};
	headless_add_input(backend, INPUT_KEYBOARD, "test keyboard");
	headless_add_input(backend, INPUT_POINTER, "test mouse");
	devices->touch = headless_add_input(backend, INPUT_TOUCH, "test touch screen");
	devices->tablet = headless_add_input(backend, INPUT_TABLET, "test tablet");
	devices->pad = headless_add_input(backend, INPUT_PAD, "test pad");
	devices->pad->pad = &devices->parts;
}

int main(int argc, char **argv)
{
	struct options options;
	struct devices devices = {0};
	char *error = NULL;
	if (options_parse(&options, argc, argv, &error)) {
		devices.server = server_create(&options.server, &error);
	}
	if (!devices.server) {
		fprintf(stderr, "device_session: %s\n", error);
		return EXIT_FAILURE;
	}
	const char *path = getenv("CAUSEWAY_TEST_DEVICES");
	const char *clicks = getenv("CAUSEWAY_TEST_CLICKS");
	struct wl_event_source *input = NULL, *answers = NULL;
	const int commands = path ? open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
	if (path && commands < 0) {
		perror("device_session: $CAUSEWAY_TEST_DEVICES");
		return EXIT_FAILURE;
	}
	if (path) {
		plug_in(&devices);
		input = wl_event_loop_add_fd(
			devices.server->loop, commands, WL_EVENT_READABLE, handle_input, &devices);
	}
	if (clicks) {
		answers = click_answers_start(devices.server, clicks);
	}
	const int code = server_run(devices.server);
	event_source_remove(&input);
	event_source_remove(&answers);
	if (path) {
		close(commands);
		signal_emit(&devices.pen.events.destroy, &devices.pen);
	}
	server_destroy(devices.server);
	options_finish(&options);
	return code;
}
