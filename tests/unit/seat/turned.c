/* SPDX-License-Identifier: MIT */
/* Devices on outputs that are turned and scaled: touch screens, tablets and absolute pointers. */

#include "harness/seat.h"
#include "scene/output.h"
#include "seat/tablet.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <linux/input-event-codes.h>
#include <math.h>
#include <stdlib.h>

#define PIXEL_X 100
#define PIXEL_Y 120

/* Returns whether the output shows the point at the panel's pixel, but for rounding. */
static bool is_shown_at_pixel(const struct scene_output *output, struct coord_global at)
{
	const struct scene_view view = scene_output_view(output);
	const struct box box = scene_view_to_pixels(
		&view, &(struct box){(int)floor(at.x), (int)floor(at.y), 1, 1});
	return box.x <= PIXEL_X + 1 && box.y <= PIXEL_Y + 1 && box.x + box.width >= PIXEL_X &&
	       box.y + box.height >= PIXEL_Y;
}

/* Lets the device point at the pixel. Returns where that is. */
static struct coord_global point_by(struct seat_fixture *fixture, struct input_device *device)
{
	const double x = (PIXEL_X + 0.5) / OUTPUT_WIDTH, y = (PIXEL_Y + 0.5) / OUTPUT_HEIGHT;
	struct seat *seat = fixture->seat;
	if (device->type == INPUT_TOUCH) {
		struct input_touch_event event = {.id = 1, .x = x, .y = y};
		signal_emit(&device->events.touch_down, &event);
		const struct coord_global at = seat->touch.points[0].at;
		signal_emit(&device->events.touch_up, &event);
		signal_emit(&device->events.touch_frame, NULL);
		return at;
	}
	if (device->type == INPUT_TABLET) {
		struct input_tool pen = {.type = BTN_TOOL_PEN};
		signals_init(&pen.events, sizeof(pen.events));
		struct input_tool_event event = {
			.tool = &pen, .action = INPUT_TOOL_IN, .x = x, .y = y};
		signal_emit(&device->events.tool, &event);
		const struct seat_tool *tool =
			wl_container_of(seat->tablets.tools.next, tool, link);
		const struct coord_global at = tool->at;
		signal_emit(&pen.events.destroy, &pen);
		return at;
	}
	struct input_motion_absolute_event event = {.x = x, .y = y};
	signal_emit(&device->events.motion_absolute, &event);
	signal_emit(&device->events.frame, NULL);
	return seat->pointer.at;
}

/* Turns the output, and points at a pixel by each kind of device, and by a client's. */
static void check(struct seat_fixture *fixture, struct scene_output *output, bool named)
{
	static const double scales[] = {1, 1.5, 2};
	static const enum input_type types[] = {INPUT_TOUCH, INPUT_TABLET, INPUT_POINTER};
	for (int i = 0; i < 8 * 3 * 3; i++) {
		scene_output_set_transform(output, i % 8);
		scene_output_set_scale(output, scales[i / 8 % 3]);
		update(fixture);
		struct input_device device;
		input_device_init(&device, types[i / 24], "device");
		device.output = named ? xstrdup(output->output->name) : NULL;
		seat_add_device(fixture->seat, &device);
		const struct coord_global at = point_by(fixture, &device);
		if (!is_shown_at_pixel(output, at)) {
			fail_msg("transform %d, scale %g, device %d: %g,%g", i % 8,
				scales[i / 8 % 3], i / 24, at.x, at.y);
		}
		/* Positions of a client's device turn with the output. */
		device.logical = true;
		const struct box on = scene_output_box(output);
		const struct coord_global logical = point_by(fixture, &device);
		assert_true(fabs(logical.x - on.x - on.width * 100.5 / OUTPUT_WIDTH) < 0.01);
		assert_true(fabs(logical.y - on.y - on.height * 120.5 / OUTPUT_HEIGHT) < 0.01);
		input_device_finish(&device);
	}
}

static void device_of_an_output_points_at_what_it_shows(void **state)
{
	struct seat_fixture *fixture = *state;
	check(fixture, fixture->shown[0], true);
	check(fixture, fixture->shown[1], true);
}

static void device_without_an_output_belongs_to_the_only_one(void **state)
{
	struct seat_fixture *fixture = *state;
	scene_output_destroy(fixture->shown[1]);
	check(fixture, fixture->shown[0], false);
	fixture->shown[1] = scene_output_create(fixture->scene, &fixture->outputs[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, seat_setup, seat_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(device_of_an_output_points_at_what_it_shows),
		TEST(device_without_an_output_belongs_to_the_only_one),
	};
	return cmocka_run_group_tests_name("seat/turned", tests, NULL, NULL);
}
