/* SPDX-License-Identifier: MIT */
/* Stub of upower.c for builds without sd-bus. */

#include "upower.h"

struct upower *upower_create(struct wl_event_loop *loop, void (*changed)(void *data), void *data)
{
	return NULL;
}

void upower_destroy(struct upower *upower)
{
}

void upower_retry(struct upower *upower)
{
}

enum upower_state upower_state(const struct upower *upower)
{
	return UPOWER_UNKNOWN;
}
