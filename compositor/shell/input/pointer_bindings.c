/* SPDX-License-Identifier: MIT */
/* Bindings of wheels and touchpad gestures: run the configured actions. */

#include "input.h"
#include "pointing.h"
#include "seat/seat.h"
#include "shell/geometry/private.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

#define DETENT 120.0
/** Distance of a scrolling finger that counts as a detent, logical pixels. */
#define FINGER_DETENT 30.0
/** Actions that one event of a wheel runs at most. */
#define TURNS_MAX 4
/** Distance of a swipe, and ratio of distances between the fingers of a pinch. */
#define SWIPE 60.0
#define PINCH 1.3

static enum config_direction wheel_direction(enum wl_pointer_axis axis, bool forward)
{
	return axis == WL_POINTER_AXIS_VERTICAL_SCROLL ? (forward ? CONFIG_DOWN : CONFIG_UP)
						       : (forward ? CONFIG_RIGHT : CONFIG_LEFT);
}

static bool handle_axis(void *data, const struct input_axis_event *event)
{
	struct shell *shell = data;
	const uint32_t modifiers = seat_modifiers(shell->seat);
	if (!(modifiers & CONFIG_MODIFIERS) || event->value == 0) {
		return false; /* the usual case is quick: wheels are bound with modifiers only */
	}
	const uint32_t code = CONFIG_WHEEL + wheel_direction(event->axis, event->value > 0);
	double *turned = &shell->private->pointing->turned[event->axis];
	if (!bindings_find(shell, modifiers, code)) {
		*turned = 0;
		return false;
	}
	double turn = event->value120 ? event->value120 : event->value * DETENT / FINGER_DETENT;
	*turned = (*turned < 0) == (turn < 0) ? *turned + turn : turn;
	for (int i = 0; i < TURNS_MAX && fabs(*turned) >= DETENT; i++) {
		*turned -= copysign(DETENT, *turned);
		bindings_press(shell, modifiers, code); /* may change the bindings */
	}
	*turned = fmod(*turned, DETENT);
	return true;
}

static bool begin(struct shell *shell, const struct input_gesture_event *event)
{
	struct pointing *pointing = shell->private->pointing;
	const uint32_t modifiers = seat_modifiers(shell->seat);
	const uint32_t base = event->gesture == INPUT_SWIPE ? CONFIG_SWIPE : CONFIG_PINCH;
	if (event->gesture == INPUT_HOLD || event->fingers < CONFIG_FINGERS_MIN ||
		event->fingers > CONFIG_FINGERS_MAX) {
		return false;
	}
	pointing->fingers = event->fingers;
	pointing->x = pointing->y = 0;
	pointing->done = false;
	for (uint32_t way = 0; way < 4; way++) {
		if (bindings_find(shell, modifiers, base + event->fingers * 4 + way)) {
			return true;
		}
	}
	return false;
}

/* Returns the code of a swipe that has gone far enough, or 0. */
static uint32_t swiped(const struct shell *shell)
{
	const struct pointing *pointing = shell->private->pointing;
	const double x = pointing->x, y = pointing->y;
	if (fmax(fabs(x), fabs(y)) < SWIPE) {
		return 0;
	}
	enum config_direction way = fabs(x) > fabs(y) ? (x < 0 ? CONFIG_LEFT : CONFIG_RIGHT)
						      : (y < 0 ? CONFIG_UP : CONFIG_DOWN);
	return CONFIG_SWIPE + pointing->fingers * 4 + way;
}

static uint32_t pinched(const struct shell *shell, double scale)
{
	return scale > 1 / PINCH && scale < PINCH
		       ? 0
		       : CONFIG_PINCH + shell->private->pointing->fingers * 4 + (scale > 1);
}

/* A gesture runs one action: as soon as its direction is clear, or when the user ends a drag. */
static bool handle_gesture(void *data, const struct input_gesture_event *event)
{
	struct shell *shell = data;
	struct pointing *pointing = shell->private->pointing;
	if (event->phase == INPUT_BEGIN) {
		return begin(shell, event);
	}
	if (pointing->done) {
		return true;
	}
	pointing->x += event->dx;
	pointing->y += event->dy;
	bool drags = event->gesture == INPUT_SWIPE && swipe_handle(shell, event);
	if (event->phase == INPUT_END || drags) {
		return true;
	}
	uint32_t code =
		event->gesture == INPUT_SWIPE ? swiped(shell) : pinched(shell, event->scale);
	if (code) {
		pointing->done = true;
		bindings_press(shell, seat_modifiers(shell->seat), code);
	}
	return true;
}

void pointer_bindings_init(struct shell *shell)
{
	shell->private->pointing = xcalloc(1, sizeof(*shell->private->pointing));
	shell->private->pointing->shell = shell;
	swipe_init(shell);
	shell->seat->filter.axis = handle_axis;
	shell->seat->filter.gesture = handle_gesture;
	shell->seat->filter.data = shell;
}

void pointer_bindings_finish(struct shell *shell)
{
	swipe_finish(shell);
	shell->seat->filter.axis = NULL;
	shell->seat->filter.gesture = NULL;
	free(shell->private->pointing);
}
