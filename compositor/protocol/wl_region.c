/* wl_region: rectangles added and subtracted. */

#include "protocol.h"
#include "util/xalloc.h"
#include <stdlib.h>

/**
 * Rectangles (16 bytes each) that a region may have, and that all regions of a client and those that
 * are pending for its surfaces may have together. A client that wants more runs out of memory.
 */
#define RECTANGLES_MAX 1024
#define CLIENT_RECTANGLES_MAX (256 * RECTANGLES_MAX)

bool region_count(struct wl_client *wl_client, int more)
{
	struct client *client = client_from_wl(wl_client);
	client->n_rectangles += more;
	if (more > 0 && client->n_rectangles > CLIENT_RECTANGLES_MAX) {
		wl_client_post_no_memory(wl_client);
		return false;
	}
	return true;
}

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

/* Edges are kept within COORD_MOST. False if nothing is left. */
static bool make_rectangle(
	pixman_region32_t *out, int32_t x, int32_t y, int32_t width, int32_t height)
{
	if (width <= 0 || height <= 0) {
		return false;
	}
	int x1 = coord_clamp(x), x2 = coord_clamp((int64_t)x + width);
	int y1 = coord_clamp(y), y2 = coord_clamp((int64_t)y + height);
	pixman_region32_init_rect(out, x1, y1, (unsigned)(x2 - x1), (unsigned)(y2 - y1));
	return x2 > x1 && y2 > y1;
}

static void change(struct wl_resource *resource, int32_t x, int32_t y, int32_t width,
	int32_t height,
	pixman_bool_t (*operation)(pixman_region32_t *out, const pixman_region32_t *region,
		const pixman_region32_t *rectangle))
{
	pixman_region32_t *region = wl_resource_get_user_data(resource), rectangle;
	if (!make_rectangle(&rectangle, x, y, width, height)) {
		return;
	}
	int before = pixman_region32_n_rects(region);
	operation(region, region, &rectangle);
	int after = pixman_region32_n_rects(region);
	if (after > RECTANGLES_MAX) {
		wl_resource_post_no_memory(resource);
	}
	region_count(wl_resource_get_client(resource), after - before);
}

static void handle_add(struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y,
	int32_t width, int32_t height)
{
	change(resource, x, y, width, height, pixman_region32_union);
}

static void handle_subtract(struct wl_client *client, struct wl_resource *resource, int32_t x,
	int32_t y, int32_t width, int32_t height)
{
	change(resource, x, y, width, height, pixman_region32_subtract);
}

static const struct wl_region_interface implementation = {
	.destroy = handle_destroy,
	.add = handle_add,
	.subtract = handle_subtract,
};

static void destroy(struct wl_resource *resource)
{
	pixman_region32_t *region = wl_resource_get_user_data(resource);
	region_count(wl_resource_get_client(resource), -pixman_region32_n_rects(region));
	pixman_region32_fini(region);
	free(region);
}

const pixman_region32_t *region_from_resource(struct wl_resource *resource)
{
	return wl_resource_get_user_data(resource);
}

void region_resource_create(struct wl_client *client, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		wl_resource_create(client, &wl_region_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	pixman_region32_t *region = xcalloc(1, sizeof(*region));
	pixman_region32_init(region);
	wl_resource_set_implementation(resource, &implementation, region, destroy);
}
