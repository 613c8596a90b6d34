/* SPDX-License-Identifier: MIT */
/* wl_region: regions built by adding and subtracting rectangles. */

#include "protocol/protocol.h"
#include "util/account.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <stdlib.h>

/** Maximum number of rectangles of a region. All regions of a client are charged to its account. */
#define RECTANGLES_MAX 1024

static struct account *account_of(struct wl_resource *resource)
{
	return client_from_wl(wl_resource_get_client(resource))->account;
}

/* Clips the rectangle to coordinates within COORD_MAX. Returns false if it becomes empty. */
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
	int64_t before = (int64_t)region_bytes(region);
	operation(region, region, &rectangle);
	if (pixman_region32_n_rects(region) > RECTANGLES_MAX) {
		wl_resource_post_error(wl_client_get_object(wl_resource_get_client(resource), 1),
			WL_DISPLAY_ERROR_NO_MEMORY, "a region exceeds %d rectangles",
			RECTANGLES_MAX);
	}
	account_charge(account_of(resource), ACCOUNT_BYTES, (int64_t)region_bytes(region) - before);
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
	.destroy = resource_handle_destroy,
	.add = handle_add,
	.subtract = handle_subtract,
};

static void destroy(struct wl_resource *resource)
{
	pixman_region32_t *region = wl_resource_get_user_data(resource);
	account_uncharge(account_of(resource), ACCOUNT_BYTES, (int64_t)region_bytes(region));
	pixman_region32_fini(region);
	free(region);
}

const pixman_region32_t *region_from_resource(struct wl_resource *resource)
{
	return wl_resource_get_user_data(resource);
}

void region_resource_create(struct wl_client *client, uint32_t version, uint32_t id)
{
	pixman_region32_t *region = xcalloc(1, sizeof(*region));
	pixman_region32_init(region);
	if (!resource_create(client, &wl_region_interface, (int)version, id, &implementation,
		    region, destroy)) {
		free(region);
	}
}
