/* SPDX-License-Identifier: MIT */
/* Key and switch bindings: run the configured actions. */

#include "input.h"
#include "press_grab.h"
#include "seat/seat.h"
#include "shell/geometry/private.h"
#include "shell/look/look.h"
#include "shell/views/views.h"
#include "shell/windows/windows.h"
#include "util/xalloc.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_MAX 8

/** A key or mouse button; their codes differ. */
struct held_key {
	uint32_t code, modifiers;
	xkb_keysym_t sym; /* XKB_KEY_NoSymbol: a button */
};

struct held_keys {
	struct shell *shell;
	struct timer timer; /* repeats the action of `repeat` */
	struct held_key repeat;
	struct held_key release; /* its action runs when it is released; code 0: none */
	/** Keys and buttons whose press ran an action, and whose release runs another: as bound. */
	struct held_key pairs[PAIRS_MAX];
	int n_pairs;
};

static bool has_code(const uint32_t *codes, int n, uint32_t left, uint32_t right)
{
	for (int i = 0; i < n; i++) {
		if (codes[i] == left || codes[i] == right) {
			return true;
		}
	}
	return false;
}

/* Tests a modifier by key codes: the emergency combinations must work without a keymap. */
static bool is_held(const struct seat_keyboard *keyboard, uint32_t left, uint32_t right)
{
	const struct input_method_grab *grab = keyboard->input_method_grab;
	return has_code(keyboard->keys, keyboard->n_keys, left, right) ||
	       (grab && has_code(grab->keys, grab->n_keys, left, right));
}

static xkb_keysym_t symbol_of_code(uint32_t code)
{
	return code == KEY_BACKSPACE               ? XKB_KEY_BackSpace
	       : code >= KEY_F1 && code <= KEY_F10 ? XKB_KEY_F1 + code - KEY_F1
	       : code == KEY_F11                   ? XKB_KEY_F11
	       : code == KEY_F12                   ? XKB_KEY_F12
						   : XKB_KEY_NoSymbol;
}

static bool quits_locked(const struct shell *shell)
{
	const struct config_key *key;
	wl_list_for_each (key, &shell->config->keys, link) {
		if (key->locked && config_key_is_reserved(key->modifiers, key->sym)) {
			return true;
		}
	}
	return false;
}

/*
 * Handles the emergency combinations Ctrl+Alt with F1 to F12 or BackSpace, before all other
 * bindings, inhibitors and locks. Quitting would discard a locked session, so that must be
 * configured.
 */
static bool run_emergency(struct shell *shell, struct seat *seat, uint32_t modifiers,
	xkb_keysym_t sym, const struct input_key_event *event)
{
	if (!seat->keyboard.state) {
		sym = symbol_of_code(event->key);
		modifiers = is_held(&seat->keyboard, KEY_LEFTCTRL, KEY_RIGHTCTRL) &&
					    is_held(&seat->keyboard, KEY_LEFTALT, KEY_RIGHTALT)
				    ? CONFIG_CTRL | CONFIG_ALT
				    : 0;
	}
	if (!config_key_is_reserved(modifiers & CONFIG_MODIFIERS, sym)) {
		return false;
	}
	if (sym == XKB_KEY_BackSpace) {
		if (!shell->locked || quits_locked(shell)) {
			shell->host->quit(shell->host->data);
		}
	} else {
		shell->host->switch_vt(shell->host->data, (int)(sym - XKB_KEY_F1) + 1);
	}
	return true;
}

/* Returns false if the key belongs to the lock client or to a window that inhibits shortcuts. */
static bool is_allowed(const struct shell *shell, const struct config_key *key)
{
	if (strcmp(key->action, "switch-vt") == 0) {
		return true;
	}
	if (shell->locked) {
		return key->locked;
	}
	return !shell->shortcuts_inhibited || strcmp(key->action, "toggle-shortcuts") == 0;
}

static bool is_mode(const struct shell *shell, const struct config_key *key)
{
	return shell->mode && key->mode ? strcmp(shell->mode, key->mode) == 0
					: shell->mode == key->mode;
}

/*
 * Finds the binding of a key or button that applies now, or NULL: one for the held modifiers, else
 * one for any.
 */
static const struct config_key *find_any(const struct shell *shell, uint32_t modifiers,
	xkb_keysym_t sym, uint32_t button, bool release)
{
	const struct config_key *key, *any = NULL;
	wl_list_for_each (key, &shell->config->keys, link) {
		if (key->button != button || key->sym != sym || key->release != release ||
			!is_mode(shell, key) || !is_allowed(shell, key)) {
			continue;
		}
		if (key->modifiers == (modifiers & CONFIG_MODIFIERS)) {
			return key;
		}
		any = any || !config_key_suits(key, modifiers) ? any : key;
	}
	return any;
}

static const struct config_key *find(
	const struct shell *shell, uint32_t modifiers, xkb_keysym_t sym)
{
	return find_any(shell, modifiers, xkb_keysym_to_lower(sym), 0, false);
}

/* Finds the binding of a key's press, else of its release, or NULL. */
static const struct config_key *find_either(
	const struct shell *shell, uint32_t modifiers, xkb_keysym_t sym)
{
	const struct config_key *key = find(shell, modifiers, sym);
	return key ? key : find_any(shell, modifiers, xkb_keysym_to_lower(sym), 0, true);
}

static uint32_t button_of(const struct held_key *held)
{
	return held->sym == XKB_KEY_NoSymbol ? held->code : 0;
}

static bool is_quit(const struct config_key *key)
{
	return strcmp(key->action, "quit") == 0;
}

/* Volume and brightness actions repeat while their key is held. A held key confirms nothing. */
static bool repeats(const struct config_key *key, xkb_keysym_t sym)
{
	if (is_quit(key) || key->repeat) {
		return key->repeat && !is_quit(key);
	}
	switch (sym) {
	case XKB_KEY_XF86AudioLowerVolume:
	case XKB_KEY_XF86AudioRaiseVolume:
	case XKB_KEY_XF86KbdBrightnessDown:
	case XKB_KEY_XF86KbdBrightnessUp:
	case XKB_KEY_XF86MonBrightnessDown:
	case XKB_KEY_XF86MonBrightnessUp: return true;
	default: return false;
	}
}

static void run(struct shell *shell, const struct config_key *key)
{
	if (is_quit(key)) {
		quit_ask(shell);
		return;
	}
	/* The action may replace the configuration and so free `key`. */
	shell_run_action(shell, key->action, key->argument);
}

/* Repeats the action if its key is still held; a release needs no cancellation. */
static void handle_repeat(struct timer *timer, int64_t now)
{
	const struct held_keys *held = wl_container_of(timer, held, timer);
	struct shell *shell = held->shell;
	const struct seat_keyboard *keyboard = &shell->seat->keyboard;
	const struct config_key *key = NULL;
	for (int i = 0; i < keyboard->n_consumed; i++) {
		if (keyboard->consumed[i] == held->repeat.code) {
			key = find(shell, held->repeat.modifiers, held->repeat.sym);
		}
	}
	if (key && keyboard->repeat_rate > 0) {
		timer_arm(timer, now + 1000000000 / keyboard->repeat_rate);
		run(shell, key);
	}
}

/* Finds the binding of a release that applies now, or NULL. */
static const struct config_key *find_release(const struct shell *shell, const struct held_key *held)
{
	return find_any(shell, held->modifiers, held->sym, button_of(held), true);
}

/* Consumes a key or button with a release binding. Returns false if it has none. */
static bool await_release(struct shell *shell, uint32_t modifiers, xkb_keysym_t sym, uint32_t code)
{
	const struct held_key held = {code, modifiers, xkb_keysym_to_lower(sym)};
	if (!find_release(shell, &held)) {
		return false;
	}
	shell->private->held_keys->release = held;
	return true;
}

/* Finds the release that belongs to the binding of a press, or NULL. */
static const struct config_key *find_pair(const struct shell *shell, const struct held_key *held)
{
	const struct config_key *key;
	wl_list_for_each (key, &shell->config->keys, link) {
		if (key->release && key->sym == held->sym && key->button == button_of(held) &&
			key->modifiers == held->modifiers && is_mode(shell, key) &&
			is_allowed(shell, key)) {
			return key;
		}
	}
	return NULL;
}

static void run_if(struct shell *shell, const struct config_key *key)
{
	if (key) {
		run(shell, key);
	}
}

void bindings_release(struct shell *shell, uint32_t code)
{
	struct held_keys *keys = shell->private->held_keys;
	const struct held_key held = keys->release;
	for (int i = 0; i < keys->n_pairs; i++) {
		const struct held_key pair = keys->pairs[i];
		if (pair.code == code) {
			keys->pairs[i] = keys->pairs[--keys->n_pairs];
			run_if(shell, find_pair(shell, &pair));
			return;
		}
	}
	if (held.code == code) {
		keys->release.code = 0;
		run_if(shell, find_release(shell, &held));
	}
}

/* Notes a press that runs an action: the release may have one, whatever happens between. */
static void note_pair(struct shell *shell, const struct config_key *press, uint32_t code)
{
	struct held_keys *held = shell->private->held_keys;
	const struct held_key pair = {code, press->modifiers, press->sym};
	if (held->n_pairs < PAIRS_MAX && find_pair(shell, &pair)) {
		held->pairs[held->n_pairs++] = pair;
	}
}

const struct config_key *bindings_find(
	const struct shell *shell, uint32_t modifiers, uint32_t button)
{
	return find_any(shell, modifiers, XKB_KEY_NoSymbol, button, false);
}

bool bindings_press(struct shell *shell, uint32_t modifiers, uint32_t button)
{
	const struct config_key *key =
		button ? find_any(shell, modifiers, XKB_KEY_NoSymbol, button, false) : NULL;
	shell->private->held_keys->release.code = 0; /* the modifier was used for this */
	if (!key) {
		return button && await_release(shell, modifiers, XKB_KEY_NoSymbol, button);
	}
	note_pair(shell, key, button);
	run(shell, key);
	return true;
}

static bool handle_key(void *data, struct seat *seat, uint32_t modifiers, xkb_keysym_t sym,
	const struct input_key_event *event)
{
	struct shell *shell = data;
	if (!event->pressed) {
		bindings_release(shell, event->key);
		return false;
	}
	if (run_emergency(shell, seat, modifiers, sym, event)) {
		return true;
	}
	shell->private->held_keys->release.code = 0; /* another key came between */
	if (quit_key(shell, sym, find_either(shell, modifiers, sym)) || cycle_key(shell, sym) ||
		menu_key(shell, sym) || press_grab_key(shell, sym) || help_key(shell, sym) ||
		overview_key(shell, modifiers, sym)) {
		return true;
	}
	pass_global_keys(shell, modifiers, xkb_keysym_to_lower(sym), event);
	const struct config_key *key = find(shell, modifiers, sym);
	if (key && config_action_needs_key(key->action)) {
		pass_key(shell, key->argument, event);
		key = NULL;
	}
	if (!key) {
		typing_note(shell, modifiers, sym);
		return await_release(shell, modifiers, sym, event->key);
	}
	struct held_keys *held = shell->private->held_keys;
	timer_disarm(&held->timer);
	if (repeats(key, sym) && seat->keyboard.repeat_rate > 0) {
		held->repeat = (struct held_key){event->key, modifiers, sym};
		timer_arm(&held->timer,
			clock_now(shell->clock) + seat->keyboard.repeat_delay * INT64_C(1000000));
	}
	note_pair(shell, key, event->key);
	run(shell, key);
	return true;
}

void shell_switch_thrown(struct shell *shell, const struct input_switch_event *event)
{
	const struct config_switches *switches = &shell->config->switches;
	const struct config_action *action;
	if (event->kind == INPUT_SWITCH_LID) {
		action = event->on ? &switches->lid_closed : &switches->lid_opened;
	} else {
		action = event->on ? &switches->tablet_mode_on : &switches->tablet_mode_off;
	}
	if (action->name && (!shell->locked || config_action_may_be_locked(action->name))) {
		shell_run_action(shell, action->name, action->argument);
	}
}

void bindings_init(struct shell *shell)
{
	struct held_keys *held = xcalloc(1, sizeof(*held));
	shell->private->held_keys = held;
	held->shell = shell;
	timer_init(&held->timer, shell->clock, handle_repeat);
	shell->seat->keyboard.filter = handle_key;
	shell->seat->keyboard.filter_data = shell;
}

void bindings_finish(struct shell *shell)
{
	timer_finish(&shell->private->held_keys->timer);
	free(shell->private->held_keys);
	free(shell->mode);
	shell->seat->keyboard.filter = NULL;
	shell->seat->keyboard.filter_data = NULL;
}
