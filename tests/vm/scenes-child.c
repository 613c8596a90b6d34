/* SPDX-License-Identifier: MIT */
/* Children of a random scene: kinds, contents and changes. */

#include "alpha-modifier-v1-client-protocol.h"
#include "scenes.h"
#include "viewporter-client-protocol.h"
#include <stdio.h>
#include <stdlib.h>

void fail(const char *what)
{
	fprintf(stderr, "scenes-client: %s\n", what);
	exit(1);
}

int between(struct client *client, int least, int most)
{
	client->random ^= client->random << 13;
	client->random ^= client->random >> 7;
	client->random ^= client->random << 17;
	return least + (int)((client->random >> 33) % (uint64_t)(most - least + 1));
}

static void choose_viewport(struct child *child)
{
	struct client *client = child->client;
	int least = child->width < child->height ? child->width : child->height;
	bool color = child->memory == MEMORY_COLOR, scaled = color || between(client, 0, 3) == 0;
	wp_viewport_set_source(child->viewport, wl_fixed_from_int(-1), wl_fixed_from_int(-1),
		wl_fixed_from_int(-1), wl_fixed_from_int(-1));
	wp_viewport_set_destination(child->viewport, -1, -1);
	if (scaled) {
		wp_viewport_set_destination(
			child->viewport, between(client, 10, 160), between(client, 10, 120));
	}
	if (scaled && !color && between(client, 0, 1)) {
		wp_viewport_set_source(child->viewport,
			wl_fixed_from_double(between(client, 0, 2 * least - 4) / 4.0),
			wl_fixed_from_double(between(client, 0, 2 * least - 4) / 4.0),
			wl_fixed_from_double(between(client, 1, least) / 2.0),
			wl_fixed_from_double(between(client, 1, least) / 2.0));
	}
}

static void choose_opaque(struct child *child)
{
	struct wl_region *region = wl_compositor_create_region(child->client->compositor);
	/* A part that may exceed the surface; translucent ones have none. */
	if (!child->translucent && between(child->client, 0, 1)) {
		wl_region_add(region, between(child->client, 0, 20), 0, 100, 100);
	}
	wl_surface_set_opaque_region(child->surface, region);
	wl_region_destroy(region);
}

static void choose_transform(struct child *child)
{
	wl_surface_set_buffer_transform(
		child->surface, between(child->client, 0, 1) ? between(child->client, 1, 7) : 0);
	choose_viewport(child);
}

static void choose_alpha(struct child *child)
{
	static const uint32_t factors[] = {UINT32_MAX, UINT32_MAX, 0x80000000, 0};
	wp_alpha_modifier_surface_v1_set_multiplier(
		child->alpha, factors[between(child->client, 0, 3)]);
}

void child_choose_place(struct child *child)
{
	bool nested = child->parent->parent;
	/* May exceed the edges of the screen and of the parent. */
	wl_subsurface_set_position(child->subsurface,
		nested ? between(child->client, -120, 160)
		       : between(child->client, -50, WIDTH - 50),
		nested ? between(child->client, -90, 120)
		       : between(child->client, -50, HEIGHT - 50));
}

void child_choose_kind(struct child *child)
{
	static const enum memory kinds[] = {
		MEMORY_SHM, MEMORY_POOL, MEMORY_COLOR, MEMORY_DMABUF, MEMORY_DMABUF, MEMORY_DMABUF};
	struct client *client = child->client;
	child_retire_buffers(child);
	child->memory = kinds[between(client, 0, sizeof(kinds) / sizeof(kinds[0]) - 1)];
	child->translucent = between(client, 0, 2) == 0;
	child->moving = between(client, 0, 2) > 0;
	bool color = child->memory == MEMORY_COLOR;
	child->width = color ? 1 : between(client, 4, 100) * 2;
	child->height = color ? 1 : between(client, 4, 80) * 2;
	free(child->drawing);
	child->drawing = calloc((size_t)(child->width * child->height), 4);
	choose_viewport(child);
	choose_opaque(child);
	child_draw(child, 0, 0, child->width, child->height);
}

void child_make_video(struct child *child)
{
	child_retire_buffers(child);
	child->memory = MEMORY_DMABUF;
	child->translucent = between(child->client, 0, 1);
	child->moving = true;
	child->width = 160;
	child->height = 96;
	free(child->drawing);
	child->drawing = calloc((size_t)(child->width * child->height), 4);
	wp_viewport_set_source(child->viewport, wl_fixed_from_int(-1), wl_fixed_from_int(-1),
		wl_fixed_from_int(-1), wl_fixed_from_int(-1));
	wp_viewport_set_destination(child->viewport, -1, -1);
	child_draw(child, 0, 0, child->width, child->height);
	wl_subsurface_set_position(child->subsurface, 30, 20);
}

static void draw_somewhere(struct child *child)
{
	int32_t x = between(child->client, 0, child->width - 1);
	int32_t y = between(child->client, 0, child->height - 1);
	child_draw(child, x, y, between(child->client, 1, child->width - x),
		between(child->client, 1, child->height - y));
}

static void hide(struct child *child)
{
	child->hidden = true;
	wl_surface_attach(child->surface, NULL, 0, 0);
}

void child_change(struct child *child)
{
	struct wl_surface *parent = child->parent->surface;
	switch (between(child->client, 0, 9)) {
	case 0: child_choose_kind(child); break;
	case 1: choose_viewport(child); break;
	case 2: choose_transform(child); break;
	case 3: choose_alpha(child); break;
	case 4: choose_opaque(child); break;
	case 5: hide(child); break;
	case 6: wl_subsurface_place_above(child->subsurface, parent); break;
	case 7:
		if (between(child->client, 0, 1)) {
			wl_subsurface_set_sync(child->subsurface);
		} else {
			wl_subsurface_set_desync(child->subsurface);
		}
		break;
	case 8: draw_somewhere(child); break;
	default: child_choose_place(child); break;
	}
}
