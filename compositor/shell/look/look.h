/* SPDX-License-Identifier: MIT */
#pragma once

/** Parts that the shell draws: frames, icons, backgrounds and messages. */

#include "shell/shell.h"
#include <pixman.h>
#include <xkbcommon/xkbcommon.h>

/* decoration.c */
void decorations_init(struct shell *shell);
void decorations_finish(struct shell *shell);
/** Redraws the frame. */
void decoration_update(struct window *window);
enum decoration_part {
	DECORATION_NONE,
	DECORATION_TITLE,
	DECORATION_BUTTON,
	DECORATION_EDGE,
};
/** Returns the part of the frame at a point. *edges gets bits of enum xdg_toplevel_resize_edge. */
enum decoration_part decoration_at(
	const struct window *window, struct coord_global at, uint32_t *edges);

/* title_bar.c: texts, icons and buttons of title bars */
void title_bars_init(struct shell *shell);
void title_bars_finish(struct shell *shell);
/** Drops all images: the configuration has changed. Call decoration_update() for all windows. */
void title_bars_reset(struct shell *shell);
/** Returns the button at a point of the title bar, or CONFIG_BUTTON_NONE. */
enum config_button title_bar_button_at(const struct window *window, struct coord_global at);
/**
 * Highlights the button under the pointer; NULL: none. `pressed` while it is held by a button of
 * the pointer.
 */
void title_bar_hover(
	struct shell *shell, struct window *window, enum config_button button, bool pressed);

/* drop_hint.c */
/** Shows where a window will be dropped; an empty box: nowhere. Creates the hint if it is NULL. */
void drop_hint_show(struct shell *shell, struct scene_rect **hint, const struct box *box);
/** `hint` may be NULL. */
void drop_hint_destroy(struct scene_rect *hint);

/* app_icon.c */
void app_icons_init(struct shell *shell);
void app_icons_finish(struct shell *shell);
/**
 * Draws the icon of a window at `size` pixels: the client's, else that of the icon theme. Returns a
 * reference to an image that must not be changed; NULL: there is none, or it is being read, and
 * title bar and switcher will draw it again.
 */
pixman_image_t *app_icon_draw(const struct window *window, int size);

/* bell.c */
void bell_init(struct shell *shell);
void bell_finish(struct shell *shell);

/* message.c */
void messages_init(struct shell *shell);
void messages_finish(struct shell *shell);
/** Hides the pressed message. Returns false if `data` of the scene hit is no message. */
bool message_press(struct shell *shell, void *data);

/* wallpaper.c */
void wallpapers_init(struct shell *shell);
void wallpapers_finish(struct shell *shell);
/** Applies the configuration to the backgrounds of all outputs. */
void wallpapers_update(struct shell *shell);

/* help.c */
/** Selects the bindings of a mode, and shows its name; NULL: those of [keys]. */
void shell_set_mode(struct shell *shell, const char *name);
/** Returns a list of the key bindings, one per line, newly allocated. */
char *help_bindings(const struct config *config);

/* closing.c */
void closings_init(struct shell *shell);
/** Call after motions_finish(). */
void closings_finish(struct shell *shell);
/** Returns the number of pictures of windows that close. */
int closings_count(const struct shell *shell);
/** Hides the list for the key Escape. Returns true if it was shown. */
bool help_key(struct shell *shell, xkb_keysym_t sym);
