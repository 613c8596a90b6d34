/* SPDX-License-Identifier: MIT */
/* Clients that wait for their buffer. */

#include "harness/client/waiter.h"

#define GREY 0xff808080u

static void handle_done(void *data, struct wl_callback *callback, uint32_t ms)
{
	struct waiter *waiter = data;
	waiter->called = true;
	wl_callback_destroy(callback);
}

static const struct wl_callback_listener callback_listener = {.done = handle_done};

void waiter_init(struct waiter *waiter, const struct waiter_impl *impl, enum renderer_kind renderer,
	int side)
{
	*waiter = (struct waiter){.impl = impl, .called = true};
	waiter->fixture = fixture_create(
		&(struct fixture_options){.renderer = renderer, .width = 320, .height = 240});
	waiter->peer = peer_create(waiter->fixture);
	waiter->window = peer_window_create(waiter->peer, 20, 20, side, side, GREY);
}

void waiter_commit(struct waiter *waiter, struct wl_buffer *buffer, const struct box *damage)
{
	struct wl_surface *surface = waiter->window->surface;
	waiter->n_drawn++;
	waiter->called = false;
	if (waiter->awaits_callback) {
		wl_callback_add_listener(wl_surface_frame(surface), &callback_listener, waiter);
	}
	wl_surface_attach(surface, buffer, 0, 0);
	wl_surface_damage_buffer(surface, damage->x, damage->y, damage->width, damage->height);
	wl_surface_commit(surface);
}

int waiter_play(struct waiter *waiter, int n_frames)
{
	const int before = waiter->n_drawn;
	for (int i = 0; i < n_frames; i++) {
		if (waiter->impl->is_free(waiter) && (waiter->called || !waiter->awaits_callback)) {
			waiter->impl->draw(waiter);
		}
		fixture_frames(waiter->fixture, 1);
	}
	return waiter->n_drawn - before;
}

void waiter_expect_rate(struct waiter *waiter, int least)
{
	int drawn = waiter_play(waiter, WAITER_FIRST);
	if (drawn < 2) {
		fail_msg("the client drew %d of %d frames", drawn, WAITER_FIRST);
	}
	drawn = waiter_play(waiter, WAITER_FRAMES);
	if (drawn < least) {
		fail_msg("the client drew %d of %d frames", drawn, WAITER_FRAMES);
	}
}

struct peer_window *waiter_cover(struct waiter *waiter, int x, int y, int width, int height)
{
	struct peer *other = peer_create(waiter->fixture);
	struct peer_window *window = peer_window_create(other, x, y, width, height, GREY);
	struct wl_region *region = wl_compositor_create_region(other->compositor);
	wl_region_add(region, 0, 0, width, height);
	wl_surface_set_opaque_region(window->surface, region);
	wl_region_destroy(region);
	wl_surface_commit(window->surface);
	fixture_frames(waiter->fixture, 60);
	return window;
}
