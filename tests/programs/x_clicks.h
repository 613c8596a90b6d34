/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The rule of clicks: at each point, the X server gives a click to the window that the compositor
 * sends it to, which is the one that is seen there.
 */

#include "x_client.h"

/**
 * Waits until the rule holds at all edges of windows and shapes. Does nothing in a session without
 * answers (click_answers.c). Ends the process if the rule does not hold.
 */
void x_check_clicks(struct x_client *client);
/** Returns whether the session shows X windows and answers. */
bool x_clicks_are_answered(void);
