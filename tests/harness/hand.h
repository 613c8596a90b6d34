#pragma once

/** What the user's hands do with devices; each movement is done when it has been heard of. */

#include "backend/input.h"
#include "harness/fixture.h"

/** Moves to a point of the first output, as if it were the only one, at a scale of 1. */
void hand_point(struct fixture *fixture, struct input_device *pointer, double x, double y);
/** The left button. */
void hand_press(struct fixture *fixture, struct input_device *pointer, bool pressed);
void hand_key(struct fixture *fixture, struct input_device *keyboard, uint32_t code, bool pressed);
