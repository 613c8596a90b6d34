/* SPDX-License-Identifier: MIT */
/* Typing: other programs do not take the focus while the user types text. */

#include "seat/seat.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "surface/client.h"
#include "surface/surface.h"
#include "windows.h"
#include <string.h>

/** Time (ns) after a key in which the user counts as typing. */
#define TYPING_TIME INT64_C(1000000000)

static bool types_text(uint32_t modifiers, xkb_keysym_t sym)
{
	return !(modifiers & (CONFIG_CTRL | CONFIG_ALT | CONFIG_SUPER)) &&
	       (xkb_keysym_to_utf32(sym) >= ' ' || sym == XKB_KEY_BackSpace);
}

/* Return and shortcuts are commands: the window that they open may take the focus. */
void typing_note(struct shell *shell, uint32_t modifiers, xkb_keysym_t sym)
{
	const struct window *focus = shell->focus;
	if (sym >= XKB_KEY_Shift_L && sym <= XKB_KEY_Hyper_R) {
		return;
	}
	const bool pressed = focus && shell->seat->keyboard.focus == focus->surface;
	const bool typed = pressed && types_text(modifiers, sym);
	shell->private->pressed = pressed ? clock_now(shell->clock) : 0;
	shell->private->typed = typed ? clock_now(shell->clock) : 0;
	shell->private->clicked = typed ? NULL : shell->private->clicked;
}

bool shell_is_typing(const struct shell *shell)
{
	return shell->private->typed > 0 &&
	       clock_now(shell->clock) - shell->private->typed < TYPING_TIME;
}

bool shell_key_pressed(const struct shell *shell, int64_t time)
{
	return shell->private->pressed > 0 &&
	       clock_now(shell->clock) - shell->private->pressed < time;
}

/* X11 programs share the client that is their X server. */
static bool is_same_program(const struct window *a, const struct window *b)
{
	const struct client *client = a->surface->client;
	return client && client == b->surface->client &&
	       (!client->x_server || (a->app_id && b->app_id && strcmp(a->app_id, b->app_id) == 0));
}

/* A pause in typing is no invitation to a window that the user asked for before. */
static bool is_stale(const struct window *window)
{
	return window->private->requested > 0 &&
	       window->private->requested < window->shell->private->typed;
}

bool window_interrupts_typing(const struct window *window)
{
	const struct window *focus = window->shell->focus;
	return (is_stale(window) || shell_is_typing(window->shell)) && focus != window &&
	       !window->private->may_focus && !window_is_ancestor(focus, window) &&
	       !is_same_program(focus, window);
}
