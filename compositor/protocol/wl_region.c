/* wl_region: rectangles added and subtracted. */

#include "protocol.h"
#include "util/xalloc.h"
#include <stdlib.h>

/** Rectangles (16 bytes each) that a region may have; a client that wants more runs out of memory. */
#define RECTANGLES_MAX 1024

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

/* Far edges beyond all integers are cut; what has no area changes nothing. */
static bool make_rectangle(
	pixman_region32_t *out, int32_t x, int32_t y, int32_t width, int32_t height)
{
	if (width <= 0 || height <= 0) {
		return false;
	}
	unsigned most_x = (unsigned)((int64_t)INT32_MAX - x);
	unsigned most_y = (unsigned)((int64_t)INT32_MAX - y);
	pixman_region32_init_rect(out, x, y, (unsigned)width < most_x ? (unsigned)width : most_x,
		(unsigned)height < most_y ? (unsigned)height : most_y);
	return true;
}

static void check_size(struct wl_resource *resource, pixman_region32_t *region)
{
	if (pixman_region32_n_rects(region) > RECTANGLES_MAX) {
		pixman_region32_clear(region);
		wl_resource_post_no_memory(resource);
	}
}

static void handle_add(struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y,
	int32_t width, int32_t height)
{
	pixman_region32_t *region = wl_resource_get_user_data(resource), rectangle;
	if (make_rectangle(&rectangle, x, y, width, height)) {
		pixman_region32_union(region, region, &rectangle);
		check_size(resource, region);
	}
}

static void handle_subtract(struct wl_client *client, struct wl_resource *resource, int32_t x,
	int32_t y, int32_t width, int32_t height)
{
	pixman_region32_t *region = wl_resource_get_user_data(resource), rectangle;
	if (make_rectangle(&rectangle, x, y, width, height)) {
		pixman_region32_subtract(region, region, &rectangle);
		check_size(resource, region);
	}
}

static const struct wl_region_interface implementation = {
	.destroy = handle_destroy,
	.add = handle_add,
	.subtract = handle_subtract,
};

static void destroy(struct wl_resource *resource)
{
	pixman_region32_t *region = wl_resource_get_user_data(resource);
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
