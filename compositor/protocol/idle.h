#pragma once

/** What idle notifications and inhibitors share. */

#include "protocol.h"

struct idle {
	struct protocols *protocols;
	int n_inhibiting; /* inhibitors of surfaces that can be seen */
	struct wl_list notifications; /* idle_notify.c */
	struct wl_listener activity, destroy;
};

/* idle_notify.c */
/** n_inhibiting has become zero, or is zero no more. */
void idle_update_inhibited(struct idle *idle);
