/* SPDX-License-Identifier: MIT */
/* Red windows of another GPU, whose next buffers have another size, format or modifier. */

#include "resize_world.h"
#include "surface/surface.h"
#include <drm_fourcc.h>

int resize_set_up(void **state)
{
	const struct world_options options = {
		.width = WIDTH, .height = HEIGHT, .all_formats = true};
	*state = world_create_with(&options);
	return 0;
}

struct peer_window *resize_open(struct canvas *canvas, struct world *world, int width, int height)
{
	canvas_init_sized(canvas, world, width, height, DRM_FORMAT_XRGB8888, false);
	canvas_fill(canvas, 0xff000000 | RED);
	struct peer_window *window = canvas_show(canvas);
	assert_int_equal(fixture_pixel(canvas->world->fixture, 10, 10), RED);
	return window;
}

const struct surface_state *resize_current(struct world *world, struct peer_window *window)
{
	return &peer_surface_find(world->peer, window->surface)->current;
}

void resize_expect(struct world *world, int x, int y, uint32_t color)
{
	uint32_t pixel = fixture_pixel(world->fixture, x, y);
	if (pixel != color) {
		fail_msg("%d, %d: %06x, not %06x", x, y, pixel, color);
	}
}
