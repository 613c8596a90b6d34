/* SPDX-License-Identifier: MIT */
/* Panels of the shell: rounded boxes. The edges are rectangles, and only the corners are images. */

#include "panel.h"
#include "buffer/buffer.h"
#include "buffer/image_buffer.h"
#include "shell/shell.h"
#include <math.h>

struct panel_colors panel_colors(const struct shell *shell)
{
	static const struct panel_colors dark = {
		0x1d232c, 0x3d4756, 0xe6eaef, 0x4f8fd0, 0x33465c, 0xffffff};
	static const struct panel_colors light = {
		0xf5f6f8, 0xc3cad4, 0x1f242b, 0x3f7fc4, 0xd5e3f3, 0x10151b};
	return shell->config->decoration.theme == CONFIG_THEME_LIGHT ? light : dark;
}

/* Draws the corner of a disc around the lower right end of the image. */
static pixman_image_t *draw_corner(int size, uint32_t rgb)
{
	pixman_image_t *image = pixman_image_create_bits(PIXMAN_a8r8g8b8, size, size, NULL, 0);
	if (!image) {
		return NULL;
	}
	uint32_t *row = pixman_image_get_data(image);
	const int stride = pixman_image_get_stride(image) / (int)sizeof(*row);
	for (int y = 0; y < size; y++, row += stride) {
		for (int x = 0; x < size; x++) {
			const double away = hypot(size - x - 0.5, size - y - 0.5) - size;
			const double alpha = fmax(0, fmin(1, 0.5 - away));
			row[x] = (uint32_t)lround(alpha * 255) << 24;
			for (int shift = 0; shift < 24; shift += 8) {
				row[x] |= (uint32_t)lround((rgb >> shift & 0xff) * alpha) << shift;
			}
		}
	}
	return image;
}

static void add_corners(
	struct scene_tree *tree, const struct box *box, int radius, uint32_t rgb, double scale)
{
	static const enum wl_output_transform transforms[] = {WL_OUTPUT_TRANSFORM_NORMAL,
		WL_OUTPUT_TRANSFORM_FLIPPED, WL_OUTPUT_TRANSFORM_FLIPPED_180,
		WL_OUTPUT_TRANSFORM_180};
	pixman_image_t *image = draw_corner(coord_round_up(radius * scale), rgb);
	if (!image) {
		return;
	}
	struct buffer *buffer = image_buffer_create(image);
	for (int i = 0; i < 4; i++) {
		struct scene_image *corner = scene_image_create(tree, NULL);
		corner->transform = transforms[i];
		scene_image_set(corner, buffer, radius, radius);
		scene_node_set_position(&corner->node, i & 1 ? box->width - radius : 0,
			i & 2 ? box->height - radius : 0);
	}
	buffer_drop(buffer); /* the nodes hold locks */
}

struct scene_tree *panel_box_create(struct scene_tree *parent, const struct box *box, int radius,
	uint32_t rgb, double scale, void *data)
{
	struct scene_tree *tree = scene_tree_create(parent);
	float color[4];
	scene_color(rgb, color);
	const struct box parts[] = {{radius, 0, box->width - 2 * radius, radius},
		{0, radius, box->width, box->height - 2 * radius},
		{radius, box->height - radius, box->width - 2 * radius, radius}};
	for (int i = 0; i < 3; i++) {
		struct scene_rect *rect =
			scene_rect_create(tree, parts[i].width, parts[i].height, color);
		rect->node.data = data;
		scene_node_set_position(&rect->node, parts[i].x, parts[i].y);
	}
	if (radius > 0) {
		add_corners(tree, box, radius, rgb, scale);
	}
	scene_node_set_position(&tree->node, box->x, box->y);
	return tree;
}

void panel_image_set(struct scene_image *node, pixman_image_t *image, double scale)
{
	if (!image) {
		scene_image_set(node, NULL, 0, 0);
		return;
	}
	struct buffer *buffer = image_buffer_create(image);
	scene_image_set_drawn(node, buffer, coord_round_up(buffer->width / scale),
		coord_round_up(buffer->height / scale), scale);
	buffer_drop(buffer); /* the node holds a lock */
}
