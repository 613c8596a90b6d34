/* SPDX-License-Identifier: MIT */
#pragma once

/** Curves of animations: progress and looks at a time. Pure. */

#include <stdint.h>

/** How an animated object differs from its resting state. */
struct motion_look {
	double x, y; /* distance from its place, logical pixels */
	double opacity;
};

/** Returns the progress from 0 to 1, fast at first, `since` ns after the begin. */
double motion_progress(int64_t since, int64_t duration);
struct motion_look motion_between(
	const struct motion_look *from, const struct motion_look *to, double progress);
