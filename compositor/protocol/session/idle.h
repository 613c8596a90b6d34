/* SPDX-License-Identifier: MIT */
#pragma once

/** State shared by idle notifications and idle inhibitors. */

#include "protocol/protocol.h"

struct idle {
	struct protocols *protocols;
	int n_inhibiting; /* inhibitors of visible surfaces */
	struct wl_list notifications; /* owner: idle_notify.c */
	struct wl_listener activity, destroy;
};

/** Notifies idle_notify.c that n_inhibiting became zero or nonzero. */
void idle_update_inhibited(struct idle *idle);
