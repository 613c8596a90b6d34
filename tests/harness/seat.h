/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Seats for tests: two outputs side by side, devices, surfaces with letters for names, and a sink
 * that records the events that clients would receive.
 */

#include "harness/unit.h"

#include "seat/seat.h"
#include "surface/client.h"
#include "surface/surface.h"

#define OUTPUT_WIDTH 1000
#define OUTPUT_HEIGHT 600
#define SURFACES_MAX 4

struct seat_fixture {
	struct clock *clock;
	struct wl_event_loop *loop;
	struct scene *scene;
	struct output outputs[2];
	struct scene_output *shown[2];
	struct seat *seat;
	struct input_device pointer, keyboard, touch;
	struct client clients[2];
	struct surface *surfaces[SURFACES_MAX];
	struct scene_tree *trees[SURFACES_MAX];
	/** Events since the last heard(): "enter A 10 5; frame A; ". */
	char log[4096];
	uint32_t serial; /* of the last event that has one */
};

int seat_setup(void **state);
int seat_teardown(void **state);

/** Maps a surface of client 0 or 1 as A, B, C or D, above those before. */
struct surface *show(
	struct seat_fixture *fixture, int index, int client, int x, int y, int width, int height);
/** Destroys the surface. */
void destroy_surface(struct seat_fixture *fixture, int index);
void move_surface(struct seat_fixture *fixture, int index, int x, int y);
/** Updates the scene, as before a frame. */
void update(struct seat_fixture *fixture);

/** Appends an event to the seat's log. */
void tell(struct seat *seat, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Returns the letter of the surface in the log. */
const char *name(const struct surface *surface);
/** Fails unless the log is exactly `expected`; clears the log. */
#define heard(fixture, expected) heard_at(fixture, expected, __FILE__, __LINE__)
void heard_at(struct seat_fixture *fixture, const char *expected, const char *file, int line);
/** Clears the log. */
void forget(struct seat_fixture *fixture);

/** Moves the pointer in layout coordinates, with a frame. */
void move_to(struct seat_fixture *fixture, double x, double y);
void move_by(struct seat_fixture *fixture, double dx, double dy);
void press(struct seat_fixture *fixture, uint32_t button);
void release(struct seat_fixture *fixture, uint32_t button);
/** Presses or releases a key of the given keyboard. */
void key(struct input_device *device, uint32_t key, bool pressed);
/** Events of the given touch screen, without frames. */
void touch_down(struct input_device *device, int32_t id, double x, double y);
void touch_motion(struct input_device *device, int32_t id, double x, double y);
void touch_up(struct input_device *device, int32_t id);
void touch_frame(struct input_device *device);
