/* SPDX-License-Identifier: MIT */
/*
 * Confirmation of the action quit: its first press asks on the screen, a second one ends the
 * session.
 */

#include "shell/shell.h"
#include "views.h"
#include <string.h>

/** Time (ns) after which the question is hidden, unanswered. */
#define QUESTION_TIME INT64_C(15000000000)

static bool is_asking(const struct shell *shell)
{
	return shell_message_text(shell, SHELL_MESSAGE_QUIT);
}

static bool is_modifier(xkb_keysym_t sym)
{
	return (sym >= XKB_KEY_Shift_L && sym <= XKB_KEY_Hyper_R) ||
	       (sym >= XKB_KEY_ISO_Lock && sym <= XKB_KEY_ISO_Level5_Lock);
}

void quit_cancel(struct shell *shell)
{
	shell_hide_message(shell, SHELL_MESSAGE_QUIT);
}

void quit_ask(struct shell *shell)
{
	static const char text[] = "End the session and all of its programs?\n"
				   "\nReturn, or the same key again: end"
				   "\nEscape: cancel";
	/* A locked session shows no question: there, `locked quit` ends it at once. */
	if (is_asking(shell) || shell->locked || !shell->text) {
		quit_cancel(shell);
		shell->host->quit(shell->host->data);
		return;
	}
	shell_show_message(shell, SHELL_MESSAGE_QUIT, text, QUESTION_TIME);
}

bool quit_key(struct shell *shell, xkb_keysym_t sym, const struct config_key *binding)
{
	if (!is_asking(shell) || is_modifier(sym) ||
		(binding && strcmp(binding->action, "quit") == 0)) {
		return false;
	}
	if (!binding && (sym == XKB_KEY_Return || sym == XKB_KEY_KP_Enter)) {
		quit_ask(shell);
		return true;
	}
	/* A Return typed later, as part of a text, must not end the session. */
	quit_cancel(shell);
	return sym == XKB_KEY_Escape;
}
