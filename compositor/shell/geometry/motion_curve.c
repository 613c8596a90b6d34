/* SPDX-License-Identifier: MIT */
/* Curves of animations: from time to progress and places. */

#include "motion_curve.h"

double motion_progress(int64_t since, int64_t duration)
{
	if (since >= duration) {
		return 1;
	}
	const double left = 1 - (double)(since > 0 ? since : 0) / (double)duration;
	return 1 - left * left * left;
}

struct motion_look motion_between(
	const struct motion_look *from, const struct motion_look *to, double progress)
{
	return (struct motion_look){
		.x = from->x + (to->x - from->x) * progress,
		.y = from->y + (to->y - from->y) * progress,
		.opacity = from->opacity + (to->opacity - from->opacity) * progress,
	};
}
