/* SPDX-License-Identifier: MIT */
/* The box that shows where a dragged window will be dropped. */

#include "look.h"
#include "shell/shell.h"

#define OPACITY 0.35f

void drop_hint_show(struct shell *shell, struct scene_rect **hint, const struct box *box)
{
	static const float color[4] = {OPACITY * 0.4f, OPACITY * 0.6f, OPACITY, OPACITY};
	if (!*hint) {
		*hint = scene_rect_create(shell->layers[SHELL_TOP], 0, 0, color);
	}
	scene_node_set_enabled(&(*hint)->node, !box_empty(box));
	scene_node_set_position(&(*hint)->node, box->x, box->y);
	scene_rect_set_size(*hint, box->width, box->height);
}

void drop_hint_destroy(struct scene_rect *hint)
{
	if (hint) {
		scene_node_destroy(&hint->node);
	}
}
