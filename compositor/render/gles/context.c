/* SPDX-License-Identifier: MIT */
/* The renderer's GL context, and the report of its loss. */

#include "render/gles/gles_renderer.h"
#include "util/log.h"

static void handle_tell_lost(void *data)
{
	struct gles_renderer *renderer = data;
	renderer->tell_lost = NULL;
	signal_emit(&renderer->base.events.lost, &renderer->base);
}

static void become_lost(struct gles_renderer *renderer)
{
	if (!renderer->lost) {
		renderer->lost = true;
		log_warn("gles: the graphics device was reset");
		/* Deferred: the caller is in the middle of a pass or an update. */
		renderer->tell_lost =
			wl_event_loop_add_idle(renderer->loop, handle_tell_lost, renderer);
	}
}

bool gles_check_lost(struct gles_renderer *renderer)
{
	if (!renderer->lost && egl_is_lost(renderer->egl)) {
		become_lost(renderer);
	}
	return renderer->lost;
}

bool gles_enter(struct gles_renderer *renderer)
{
	if (renderer->lost) {
		return false;
	}
	if (egl_make_current(renderer->egl)) {
		return true;
	}
	if (renderer->egl->lost) {
		become_lost(renderer);
	}
	return false;
}
