/* SPDX-License-Identifier: MIT */
#pragma once

/** Tiles of workspaces with the layout `columns`, and their resizes in one frame. */

#include "shell/window.h"

/* tiling.c */
/** Adds the window to the columns of its workspace or removes it, as its states require. */
void tiling_update(struct window *window);
/** Makes a tiled window the active one of its columns. */
void tiling_focus(struct window *window);
/** Moves and resizes the tiled windows of a workspace, or of all. */
void tiling_arrange(struct workspace *workspace);
void tiling_arrange_all(struct shell *shell);
/** Arranges all windows whose position depends on the outputs. */
void windows_arrange(struct shell *shell);

/** Put off all arrangements of columns until as many calls of tiling_resume(). */
void tiling_defer(struct shell *shell);
void tiling_resume(struct shell *shell);

/* resize_transaction.c */
void transactions_init(struct shell *shell);
void transactions_finish(struct shell *shell);
bool transaction_is_active(const struct shell *shell);
/**
 * Start a transaction, add windows whose tile may have changed, and end the additions. The windows
 * move to their tiles when all clients have drawn their new sizes, or at a time limit.
 */
void transaction_begin(struct shell *shell);
void transaction_add(struct window *window);
void transaction_end(struct shell *shell);
/** Handles an acknowledgement, for windows whose updates are not held. */
void transaction_answered(struct window *window, uint32_t acked);
/**
 * Stop waiting for a window that leaves its columns. Its held update applies with the others: at
 * once, that or a later update could unmap the window while the caller works with it.
 */
void transaction_leave(struct window *window);
/** Remove an unmapped window, and apply its held update. */
void transaction_forget(struct window *window);

/* tile_border.c */
void tile_border_update(struct window *window);
/** Destroys border and tab. */
void tile_border_destroy(struct window *window);
/** Places the tab bars of a workspace's columns. */
void tabs_update(struct workspace *workspace);

/* tiling_motion.c */
/**
 * Returns how far the columns of a workspace scroll to the right, logical pixels, if the focus
 * moves from its window to the next one in a direction (enum direction).
 */
int tiling_scroll_to(const struct window *window, int direction);
/**
 * Draws the tiles of a workspace at a distance to the right, those outside of the output as well.
 */
void tiling_drag(struct workspace *workspace, int x);
/** Animates the return of tiles that were dragged. */
void tiling_return(struct workspace *workspace);
