/* In the place of upower.c in a build without sd-bus. */

#include "upower.h"

struct upower *upower_create(struct wl_event_loop *loop, void (*changed)(void *data), void *data)
{
	return NULL;
}

void upower_destroy(struct upower *upower)
{
}

void upower_look(struct upower *upower)
{
}

enum upower_word upower_word(const struct upower *upower)
{
	return UPOWER_SILENT;
}
