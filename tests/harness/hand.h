/* SPDX-License-Identifier: MIT */
#pragma once

/** User input through devices; each function pumps until the events are delivered. */

#include "backend/input.h"
#include "harness/fixture.h"

/** Moves the pointer to a point of a single output of scale 1. */
void hand_point(struct fixture *fixture, struct input_device *pointer, double x, double y);
/** Presses or releases the left button. */
void hand_press(struct fixture *fixture, struct input_device *pointer, bool pressed);
void hand_key(struct fixture *fixture, struct input_device *keyboard, uint32_t code, bool pressed);
