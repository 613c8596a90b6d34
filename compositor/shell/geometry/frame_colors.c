/* SPDX-License-Identifier: MIT */
/* Colours of windows' frames: of the configuration, or of the theme. */

#include "frame_colors.h"
#include "shell/shell.h"

/* In the order of enum config_theme. */
static const struct {
	struct config_frame_colors active, inactive, urgent;
} themes[] = {
	{{0x343b47, 0xf1f3f5, 0x4f8fd0}, {0x262b33, 0x939ba7, 0x3a414c},
		{0x7a3f12, 0xfff1e2, 0xd9822b}},
	{{0xe3e6ea, 0x1f242b, 0x5b8fd0}, {0xf2f3f5, 0x7b838e, 0xc9ced6},
		{0xf6cf9d, 0x4a2a00, 0xd9822b}},
};

static uint32_t either(uint32_t configured, uint32_t theme)
{
	return configured == CONFIG_COLOR_THEME ? theme : configured;
}

struct config_frame_colors frame_colors(const struct window *window)
{
	const struct config_decoration *config = &window->shell->config->decoration;
	const int theme = config->theme - 1;
	const struct config_frame_colors *own = &config->inactive, *base = &themes[theme].inactive;
	if (window->shell->focus == window) {
		own = &config->active;
		base = &themes[theme].active;
	} else if (window->urgent) {
		own = &config->urgent;
		base = &themes[theme].urgent;
	}
	return (struct config_frame_colors){either(own->title, base->title),
		either(own->text, base->text), either(own->border, base->border)};
}
