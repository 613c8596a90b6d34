#pragma once

/**
 * The configuration file as a value: parsed, checked, and replaced as a whole. An error names file,
 * line, key and what would be right.
 */

#include "backend/input_settings.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <wayland-server-protocol.h>
#include <wayland-util.h>
#include <xkbcommon/xkbcommon.h>

struct config_alias {
	struct wl_list link;
	char *name, *selector;
};

/** [app NAME]: which GPU a program gets. Every key that is given must match. */
struct config_app {
	struct wl_list link;
	char *name;
	char *exe, *cmdline, *unit, *sandbox_app_id, *desktop_id; /* globs, NULL: any */
	bool children;
	char *gpu; /* selector, NULL: the default */
	char **env; /* "NAME=value", NULL-terminated; NULL: none */
};

/** Of max-render-time, in place of milliseconds. */
#define CONFIG_RENDER_TIME_AUTO (-1.0)
#define CONFIG_RENDER_TIME_OFF (-2.0)
#define CONFIG_RENDER_TIME_UNSET (-3.0)

enum config_adaptive_sync {
	CONFIG_ADAPTIVE_SYNC_OFF = 1, /* choices count from one */
	CONFIG_ADAPTIVE_SYNC_AUTO,
	CONFIG_ADAPTIVE_SYNC_FULLSCREEN,
	CONFIG_ADAPTIVE_SYNC_ON,
};

enum config_lease {
	CONFIG_LEASE_AUTO =
		1, /* choices count from one; what says that it is no part of a desktop */
	CONFIG_LEASE_YES,
	CONFIG_LEASE_NO,
};

enum config_bit_depth {
	CONFIG_BIT_DEPTH_AUTO = 1, /* choices count from one */
	CONFIG_BIT_DEPTH_8,
	CONFIG_BIT_DEPTH_10,
};

/** Which of a GPU's Vulkan queues copies. */
enum config_queue {
	CONFIG_QUEUE_TRANSFER = 1, /* choices count from one */
	CONFIG_QUEUE_COMPUTE,
	CONFIG_QUEUE_GRAPHICS,
	CONFIG_QUEUE_ANY,
};

/** Which copy engines are used. */
enum config_engine {
	CONFIG_ENGINE_AUTO = 1, /* choices count from one */
	CONFIG_ENGINE_SDMA,
	CONFIG_ENGINE_VULKAN,
	CONFIG_ENGINE_GLES,
	CONFIG_ENGINE_CPU,
};

/** [output NAME] */
struct config_output {
	struct wl_list link;
	char *name; /* of an output, or a glob for that or for "MAKE MODEL SERIAL" */
	bool enabled;
	bool scan_out; /* what it shows may be on planes, undrawn */
	bool has_mode, has_position, has_scale, has_transform;
	int32_t width, height, refresh; /* refresh in mHz, 0: the best */
	int32_t x, y;
	double scale;
	enum wl_output_transform transform;
	double max_render_time; /* ms, AUTO, OFF, or UNSET: as [frame] says */
	int adaptive_sync; /* enum config_adaptive_sync */
	bool tearing;
	bool cpu_composition; /* of what changes little, so that the GPU rests */
	int bit_depth; /* enum config_bit_depth */
	bool has_color_matrix;
	double color_matrix[9]; /* row by row */
	int lease; /* enum config_lease: kept for programs that drive it by themselves */
};

/** What keys mean, and how they repeat: [keyboard], or what a device has of its own. */
struct config_keyboard {
	char *rules, *model, *layout, *variant, *options; /* NULL: not given */
	int32_t repeat_rate, repeat_delay; /* per second, ms; below 0: not given */
};

/** [input PATTERN]: of several that match a device, the later ones count. */
struct config_input {
	struct wl_list link;
	char *pattern; /* glob for its name, or "type:" with the name of a type */
	struct input_settings settings;
	struct config_keyboard keyboard;
};

/** [keys] MODIFIERS+KEY = [locked] ACTION [ARGUMENT] */
struct config_key {
	struct wl_list link;
	uint32_t modifiers; /* bits of enum config_modifier */
	xkb_keysym_t sym; /* of the unshifted level */
	char *action; /* one of config_actions */
	char *argument; /* NULL if none */
	bool locked; /* works while the session is locked, too */
	char *place; /* "FILE:LINE: keys.COMBINATION"; NULL: built in */
};

enum config_modifier {
	CONFIG_SHIFT = 1 << 0,
	CONFIG_CTRL = 1 << 2,
	CONFIG_ALT = 1 << 3,
	CONFIG_SUPER = 1 << 6,
};

struct config_action {
	char *name, *argument; /* name NULL: none */
};

/** What the switches of the machine do: [switches]. */
struct config_switches {
	bool lid_covers_panel; /* the panel is off while the lid is closed and another output shows */
	struct config_action lid_closed, lid_opened, tablet_mode_on, tablet_mode_off;
};

struct config {
	char *path; /* file it came from; NULL: built-in defaults */
	char *text; /* its files in one, without comments; NULL: built-in defaults */
	struct {
		char *default_selector;
		char *primary; /* selector of the GPU that serves the session; NULL: as people expect */
		double close_after; /* s that a GPU stays open after its last use */
		int queue; /* enum config_queue */
		int engine; /* enum config_engine */
		struct wl_list aliases; /* config_alias.link */
	} gpu;
	struct wl_list apps; /* config_app.link, file order */
	struct wl_list outputs; /* config_output.link */
	struct {
		double margin; /* ms */
		double max_render_time; /* ms, or AUTO or OFF */
	} frame;
	struct {
		double hidden_rate; /* Hz; 0: none */
		double hidden_fifo_rate; /* Hz */
		double on_battery_rate; /* Hz; 0: no limit */
	} power;
	struct wl_list keys; /* config_key.link */
	struct config_switches switches;
	struct wl_list inputs; /* config_input.link, file order */
	struct config_keyboard keyboard; /* of keyboards that no [input] says more of */
	struct {
		char *locker; /* command that locks the session; NULL: not given */
	} session;
	struct {
		char *cursor_theme; /* NULL: environment or default */
		int32_t cursor_size;
		int32_t workspaces;
		uint32_t background; /* 0xRRGGBB */
		int32_t border; /* logical pixels of the frame drawn around server-decorated windows
				 */
	} look;
};

/**
 * Reads `path`, or where NULL the file that $XDG_CONFIG_HOME and /etc/xdg give, or none: then the
 * defaults. NULL on an error, with *error set to all messages, one a line ("FILE:LINE: KEY: what
 * would be right"); the caller frees it.
 */
struct config *config_load(const char *path, char **error);
/** Parses an open stream as the file `path`; errors as above. The stream stays the caller's. */
struct config *config_parse(const char *path, FILE *stream, char **error);
/**
 * Finds output sections whose areas overlap. Returns warnings, one a line, which the caller frees, or NULL.
 */
char *config_find_overlaps(const struct config *config);
/**
 * Finds all settings that are well formed and have no effect, those overlaps too. Compiles keymaps and reads the
 * lists of xkb, so it is not for the event loop. Returns warnings as above.
 */
char *config_find_mistakes(const struct config *config);
/** The built-in defaults. */
struct config *config_create_default(void);
void config_destroy(struct config *config);
/**
 * The section for the output of this name with this screen ("MAKE MODEL SERIAL"; NULL: unknown), or
 * NULL: the one of that very name, else the first whose pattern one of them matches.
 */
const struct config_output *config_output_find(
	const struct config *config, const char *name, const char *screen);
/** Compares two sections, but for their names. NULL: there is no section. */
bool config_output_equal(const struct config_output *a, const struct config_output *b);
/**
 * The ways out of a session, Ctrl+Alt with F1 to F12 or BackSpace, which nothing else can be bound to. BackSpace quits
 * a locked session only if it is bound so ("locked quit").
 */
bool config_key_is_reserved(uint32_t modifiers, xkb_keysym_t sym);
/** What an alias stands for; any other selector as it is. The configuration's, or `selector`. */
const char *config_selector_resolve(const struct config *config, const char *selector);
/** For gpu_list_primary(). */
const char *config_primary_gpu(const struct config *config);
/** True for selectors that are well formed: see the man page. Aliases of `config` count. */
bool config_selector_valid(const struct config *config, const char *selector);
/**
 * What the sections say of the device of this name and type. Strings stay the configuration's;
 * `keyboard` is complete: what the sections do not give is as in [keyboard], but for the variant
 * where they give a layout.
 */
void config_input_find(const struct config *config, const char *name, const char *type,
	struct input_settings *settings, struct config_keyboard *keyboard);
