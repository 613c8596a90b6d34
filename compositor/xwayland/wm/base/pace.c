/* SPDX-License-Identifier: MIT */
/* Programs that fight with the window manager, or with each other, are slowed down. */

#include "pace.h"

/** Times a second that something is done at once; later, with a pause (ns) before each. */
#define TIMES_MAX 16
#define SECOND INT64_C(1000000000)
#define PAUSE INT64_C(50000000)

bool xwm_pace_allows(struct x_pace *pace, int64_t now)
{
	if (now - pace->since > SECOND) {
		pace->since = now;
		pace->n = 0;
	}
	if (pace->n < TIMES_MAX) {
		pace->n++;
		return true;
	}
	if (!pace->pause.armed) {
		timer_arm(&pace->pause, now + PAUSE);
	}
	return false;
}
