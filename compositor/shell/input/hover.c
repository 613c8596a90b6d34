/* SPDX-License-Identifier: MIT */
/* The pointer over frames of windows: resize cursors and highlighted buttons. */

#include "input.h"
#include "seat/seat.h"
#include "shell/geometry/placement.h"
#include "shell/geometry/private.h"
#include "shell/look/look.h"

void pointer_hover(struct shell *shell)
{
	struct seat *seat = shell->seat;
	if (seat->pointer.grab) {
		shell->private->cursor_image = false;
		return;
	}
	if (seat->pointer.focus) {
		shell->private->cursor_image = false;
		title_bar_hover(shell, NULL, CONFIG_BUTTON_NONE, false);
		return;
	}
	struct scene_hit hit = scene_at(shell->scene, seat->pointer.at);
	struct window *window = hit.surface ? NULL : window_from_data(hit.data);
	uint32_t edges = 0;
	enum decoration_part part =
		window ? decoration_at(window, seat->pointer.at, &edges) : DECORATION_NONE;
	title_bar_hover(shell, window,
		part == DECORATION_BUTTON ? title_bar_button_at(window, seat->pointer.at)
					  : CONFIG_BUTTON_NONE,
		false);
	if (part == DECORATION_EDGE) {
		cursor_set_shape(&seat->cursor, resize_cursor(edges));
		shell->private->cursor_image = true;
	} else if (shell->private->cursor_image) {
		cursor_set_shape(&seat->cursor, "default");
		shell->private->cursor_image = false;
	}
}
