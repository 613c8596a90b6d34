/* SPDX-License-Identifier: MIT */
#pragma once

/** Parts of a window's frame, for decoration.c and title_bar.c. */

#include "config/config.h"
#include "shell/geometry/frame_colors.h"
#include "shell/shell.h"

/** Text, icon and buttons of a title bar: images of the size of one output pixel per pixel. */
struct title_bar {
	double scale; /* of the images; 0: none drawn yet */
	struct {
		struct scene_image *image; /* invisible until drawn */
		struct text_request *request; /* NULL: none in progress */
		bool outdated; /* the title or the font has changed since the request */
		int width, height; /* logical */
		int max_width; /* pixels allowed for `image` */
		uint32_t color;
		double scale;
	} text;
	struct {
		struct scene_image *image;
		bool outdated;
		double scale; /* 0: never drawn */
	} icon;
	struct scene_image *buttons[CONFIG_BUTTONS];
	struct wl_listener title, preferred, surface;
	struct wl_list stale_link; /* title_bars.stale; empty if the images have the right scale */
	struct wl_list late_link; /* title_bars.late; empty if changes are drawn at once */
	int64_t changed_at; /* ns; when the client's last change of title or icon was drawn */
};

struct decoration {
	struct window *window;
	struct scene_rect *title, *top, *right, *bottom, *left;
	struct title_bar bar;
	struct wl_listener destroy; /* of the window */
};

void title_bar_init(struct decoration *decoration);
void title_bar_finish(struct decoration *decoration);
/** Redraws the icon of the title bar after it has changed. */
void title_bar_icon_changed(struct decoration *decoration);
/** Positions and redraws the parts that have changed. `shown`: the frame has a title bar now. */
void title_bar_update(struct decoration *decoration, bool shown);
