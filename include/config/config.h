/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The configuration file as a value: parsed, checked and replaced as a whole. An error names the
 * file, line and key, and the values that are allowed.
 */

#include "backend/input_settings.h"
#include "config/action.h"
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

/** GPUs that a program can open. */
enum config_see {
	CONFIG_SEE_ALL = 1, /* choices count from one */
	CONFIG_SEE_OWN,
};

/** Compression by waypipe of a program on another machine. */
enum config_compression {
	CONFIG_COMPRESSION_NONE = 1, /* choices count from one */
	CONFIG_COMPRESSION_LZ4,
	CONFIG_COMPRESSION_ZSTD,
};

/** Video codec of waypipe for a program on another machine. */
enum config_video {
	CONFIG_VIDEO_NO = 1, /* choices count from one */
	CONFIG_VIDEO_H264,
	CONFIG_VIDEO_VP9,
	CONFIG_VIDEO_AV1,
};

/** X server of a program. */
enum config_x_server {
	CONFIG_X_SERVER_SHARED = 1, /* choices count from one */
	CONFIG_X_SERVER_OWN,
};

/** [app NAME]: the GPU of a program. Every given key must match. */
struct config_app {
	struct wl_list link;
	char *name;
	char *exe, *cmdline, *unit, *sandbox_app_id, *desktop_id; /* globs, NULL: any */
	bool children;
	char *gpu; /* selector, NULL: the default */
	char **env; /* "NAME=value", NULL-terminated; NULL: none */
	int x_server; /* enum config_x_server; 0: not given */
	int see; /* enum config_see; 0: not given */
	int compression, video; /* enum config_compression, config_video; 0: not given */
};

/** Values of max-render-time other than milliseconds. */
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
	CONFIG_LEASE_AUTO = 1, /* choices count from one; leases non-desktop outputs */
	CONFIG_LEASE_YES,
	CONFIG_LEASE_NO,
};

enum config_bit_depth {
	CONFIG_BIT_DEPTH_AUTO = 1, /* choices count from one */
	CONFIG_BIT_DEPTH_8,
	CONFIG_BIT_DEPTH_10,
};

/** Vulkan queue family for copies. */
enum config_queue {
	CONFIG_QUEUE_TRANSFER = 1, /* choices count from one */
	CONFIG_QUEUE_COMPUTE,
	CONFIG_QUEUE_GRAPHICS,
	CONFIG_QUEUE_ANY,
};

/** Use of overlay planes. */
enum config_overlays {
	CONFIG_OVERLAYS_AUTO = 1, /* choices count from one */
	CONFIG_OVERLAYS_YES,
	CONFIG_OVERLAYS_NO,
};

/** Copy engines to use. */
enum config_engine {
	CONFIG_ENGINE_AUTO = 1, /* choices count from one */
	CONFIG_ENGINE_SDMA,
	CONFIG_ENGINE_VULKAN,
	CONFIG_ENGINE_GLES,
	CONFIG_ENGINE_CPU,
};

/** A colour that is not given: the theme's, or that of [look]. */
#define CONFIG_COLOR_THEME 0xff000000u
#define CONFIG_COLOR_NONE CONFIG_COLOR_THEME

/** Scaling of a background picture. */
enum config_background_mode {
	CONFIG_BACKGROUND_FILL = 1, /* choices count from one; covers the output, cropped */
	CONFIG_BACKGROUND_FIT, /* all of the picture, as large as possible */
	CONFIG_BACKGROUND_STRETCH,
	CONFIG_BACKGROUND_CENTER, /* one pixel of the picture is one of the output */
	CONFIG_BACKGROUND_TILE,
};

/** Background of an output, behind all windows. In an [output], members may be missing. */
struct config_background {
	uint32_t top, bottom; /* colours 0xRRGGBB of a gradient, or CONFIG_COLOR_NONE */
	char *image; /* absolute path of a PNG or JPEG file, "" for no picture; NULL: not given */
	int mode; /* enum config_background_mode; 0: not given */
};

enum config_animations {
	CONFIG_ANIMATIONS_AUTO = 1, /* choices count from one */
	CONFIG_ANIMATIONS_YES,
	CONFIG_ANIMATIONS_NO,
};

/** [output NAME] */
struct config_output {
	struct wl_list link;
	char *name; /* output name, or a glob that matches it or "MAKE MODEL SERIAL" */
	bool enabled, has_enabled;
	bool scan_out; /* surfaces may be scanned out directly */
	bool has_mode, has_position, has_scale, has_transform;
	int32_t width, height, refresh; /* refresh in mHz, 0: highest */
	bool interlaced; /* prefers interlaced modes, not progressive ones */
	uint32_t timing; /* output_mode.timing of a mode that a client chose; 0: any */
	int32_t x, y;
	double scale;
	enum wl_output_transform transform;
	double max_render_time; /* ms, AUTO, OFF, or UNSET: value of [frame] */
	int adaptive_sync; /* enum config_adaptive_sync */
	bool tearing;
	bool cpu_composition; /* compose on the CPU while little changes, so that the GPU idles */
	int bit_depth; /* enum config_bit_depth */
	bool has_color_matrix;
	double color_matrix[9]; /* row by row */
	int lease; /* enum config_lease: offered for DRM leases */
	struct config_background background;
};

/** Keymap and key repeat: [keyboard], or the settings of one device. */
struct config_keyboard {
	char *rules, *model, *layout, *variant, *options; /* NULL: not given */
	int32_t repeat_rate, repeat_delay; /* per second, ms; below 0: not given */
};

/** [input PATTERN]: where several sections match a device, the later one wins. */
struct config_input {
	struct wl_list link;
	char *pattern; /* glob for the device name, or "type:TYPE" */
	struct input_settings settings;
	struct config_keyboard keyboard;
};

/** [keys] or [mode NAME] MODIFIERS+KEY = [locked] [release] [repeat] ACTION [ARGUMENT] */
struct config_key {
	struct wl_list link;
	uint32_t modifiers; /* bits of enum config_modifier */
	xkb_keysym_t sym; /* of the unshifted level; NoSymbol for mouse buttons */
	uint32_t button; /* code of a mouse button, wheel or gesture; 0 for keys */
	char *mode; /* name of the [mode NAME]; NULL: [keys] */
	/**
	 * Runs when the key is released: without another one in between, or in any case if the
	 * press has a binding, too.
	 */
	bool release;
	bool repeat; /* runs again while the key is held */
	char *action; /* name of a row of config/actions.def */
	char *argument; /* NULL if none */
	bool locked; /* also works while the session is locked */
	char *place; /* "FILE:LINE: keys.COMBINATION"; NULL: built in */
};

enum config_direction {
	CONFIG_LEFT,
	CONFIG_RIGHT,
	CONFIG_UP,
	CONFIG_DOWN,
};

/**
 * Values of config_key.button for wheels and touchpad gestures, beyond all codes of buttons. Add a
 * direction; of gestures, add 4 for each finger, and of pinches 0 (in) or 1 (out).
 */
enum config_pointer_code {
	CONFIG_WHEEL = 0x1000,
	CONFIG_SWIPE = 0x2000,
	CONFIG_PINCH = 0x3000,
};
/** Fingers of gestures in bindings: swipes of two fingers scroll. */
#define CONFIG_FINGERS_MIN 3
#define CONFIG_FINGERS_MAX 4

/** Size of the name of a button, wheel or gesture. */
#define CONFIG_BUTTON_NAME_SIZE 24

enum config_modifier {
	CONFIG_SHIFT = 1 << 0,
	CONFIG_CTRL = 1 << 2,
	CONFIG_ALT = 1 << 3,
	CONFIG_SUPER = 1 << 6,
	CONFIG_MODIFIERS = CONFIG_SHIFT | CONFIG_CTRL | CONFIG_ALT | CONFIG_SUPER,
	CONFIG_ANY = 1 << 8, /* of bindings: also while further modifiers are held */
};

/** Commands of the default bindings for a terminal and a launcher. */
#define CONFIG_TERMINAL "foot"
/* Opens above fullscreen windows, and applies the rules of the programs that it starts. */
#define CONFIG_LAUNCHER "fuzzel --layer=overlay --launch-prefix='causeway-run --rules'"

/** Maximum nominal size of cursor images, pixels. */
#define CONFIG_CURSOR_SIZE_MAX 256

enum config_layout {
	CONFIG_LAYOUT_FLOATING = 1, /* choices count from one */
	CONFIG_LAYOUT_COLUMNS,
};

enum config_new_window {
	CONFIG_NEW_WINDOW_RIGHT = 1, /* choices count from one; of the focused column */
	CONFIG_NEW_WINDOW_LEFT,
};

enum config_window_type {
	CONFIG_WINDOW_NORMAL = 1, /* choices count from one */
	CONFIG_WINDOW_DIALOG,
};

enum config_window_layout {
	CONFIG_WINDOW_FLOATING = 1, /* choices count from one */
	CONFIG_WINDOW_TILED,
};

/** Whether the X servers of all GPUs share a display; choices count from one. */
enum config_one_display {
	CONFIG_ONE_DISPLAY_AUTO = 1, /* if there are several GPUs when the session starts */
	CONFIG_ONE_DISPLAY_YES,
	CONFIG_ONE_DISPLAY_NO,
};

/** Pixels of X programs; choices count from one. */
enum config_x_scale {
	CONFIG_X_SCALE_NATIVE = 1, /* device pixels of the largest scale */
	CONFIG_X_SCALE_ONE, /* logical pixels */
};

/** Filters that enlarge a window; choices count from one. */
enum config_upscale {
	CONFIG_UPSCALE_LINEAR = 1,
	CONFIG_UPSCALE_SHARP, /* follows edges */
};

/** [window NAME]: settings of new windows. Every given pattern must match. */
struct config_window {
	struct wl_list link;
	char *name;
	/** Patterns: globs, NULL: any; enum config_window_type, 0: any; selector, NULL: any. */
	char *app_id, *title, *x_class, *sandbox_app_id;
	int type;
	char *gpu;
	/** Settings; NULL or 0: not given. Switches are INPUT_ON or INPUT_OFF. */
	char *workspace, *output;
	char *workspace_place; /* "FILE:LINE: window NAME.workspace"; NULL: not given */
	int layout; /* enum config_window_layout */
	int fullscreen, maximized, minimized, sticky, on_top, focus;
	int x_scale; /* enum config_x_scale */
	int decoration, inhibit_idle, tearing, adaptive_sync, hide_from_captures;
	int upscale; /* enum config_upscale */
	int content_type; /* enum content_type plus 1 */
	double opacity;
	double hidden_rate; /* Hz of frame callbacks while invisible; 0: none, below 0: not given */
	int32_t width, height; /* logical pixels */
	bool has_position;
	int32_t x, y; /* logical pixels from the corner of the usable area */
};

/** Maximum number of keys in [xwayland] global-keys. */
#define CONFIG_GLOBAL_KEYS_MAX 16

/** Maximum number of presets for widths of columns. */
#define CONFIG_WIDTHS_MAX 8

/** [workspace NAME] */
struct config_workspace {
	struct wl_list link;
	char *name;
	int layout; /* enum config_layout; 0: the default */
	char *output; /* name of the output that it is created on; NULL: the active one */
};

/** Lid and tablet-mode switches: [switches]. */
struct config_switches {
	bool lid_covers_panel; /* disable the panel if the lid is closed and another output on */
	struct config_action lid_closed, lid_opened, tablet_mode_on, tablet_mode_off;
};

enum config_theme {
	CONFIG_THEME_DARK = 1, /* choices count from one */
	CONFIG_THEME_LIGHT,
};

enum config_title_align {
	CONFIG_TITLE_LEFT = 1, /* choices count from one */
	CONFIG_TITLE_CENTER,
};

/** Buttons of title bars, from left to right. */
enum config_button {
	CONFIG_BUTTON_NONE,
	CONFIG_BUTTON_MINIMIZE,
	CONFIG_BUTTON_MAXIMIZE,
	CONFIG_BUTTON_CLOSE,
};
#define CONFIG_BUTTONS 3

/** Colours of a frame in one state, 0xRRGGBB or CONFIG_COLOR_THEME. */
struct config_frame_colors {
	uint32_t title, text, border;
};

/** [decoration]: frames of windows that the shell decorates. Sizes are logical pixels. */
struct config_decoration {
	int theme; /* enum config_theme */
	char *font; /* NULL: sans-serif */
	int32_t font_size, title_height;
	int title_align; /* enum config_title_align */
	enum config_button buttons[CONFIG_BUTTONS]; /* ends with CONFIG_BUTTON_NONE */
	struct config_frame_colors active, inactive, urgent;
};

/** [xwayland] */
struct config_xwayland {
	bool enable;
	bool per_gpu; /* one X server for each GPU */
	int one_display; /* enum config_one_display */
	bool abstract_socket;
	int32_t linger; /* s that an X server stays without programs */
	int scale; /* enum config_x_scale */
	double hidden_rate; /* Hz of frame callbacks of invisible X windows; 0: none */
	/** config_key.link: keys that X programs get without the focus, without an action. */
	struct wl_list global_keys;
};

struct config {
	char *path; /* NULL: built-in defaults */
	char *text; /* all files concatenated, without comments; NULL: built-in defaults */
	struct {
		char *default_selector;
		char *primary; /* selector of the GPU that composes; NULL: automatic */
		double close_after; /* s that a GPU stays open after its last use */
		int queue; /* enum config_queue */
		int engine; /* enum config_engine */
		int overlays; /* enum config_overlays */
		bool hide_others; /* from programs: drivers of sleeping GPUs */
		bool compressed_copies; /* by SDMA */
		struct wl_list aliases; /* config_alias.link */
	} gpu;
	struct wl_list apps; /* config_app.link, file order */
	struct wl_list outputs; /* config_output.link */
	struct wl_list workspaces; /* config_workspace.link */
	struct wl_list windows; /* config_window.link, file order: later rules override */
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
	struct config_keyboard keyboard; /* default for keyboards without [input] section */
	bool watch; /* reload when a file is saved */
	struct {
		char *locker; /* command that locks the session; NULL: not given */
		char **start; /* commands run at the start, NULL-terminated; NULL: none */
		bool scopes; /* programs get systemd scopes */
	} session;
	struct {
		char *cursor_theme; /* NULL: environment or default */
		int32_t cursor_size;
		int32_t workspaces;
		struct config_background background;
		int32_t border; /* logical pixels of the frame drawn around server-decorated windows
				 */
		int animations; /* enum config_animations */
		int32_t animation_time; /* ms */
		int32_t magnify_step; /* percent */
	} look;
	struct config_decoration decoration;
	struct config_xwayland xwayland;
	/** [layout] */
	struct {
		int mode; /* enum config_layout: default of workspaces */
		int overflow; /* enum columns_overflow: fit, scroll */
		int center; /* enum columns_center: never, short, always */
		int new_window; /* enum config_new_window */
		int32_t gap, border; /* logical pixels */
		bool smart_gaps;
		bool snap; /* drags to the edges of an output tile a window */
		double width; /* of a new column, per cent */
		double widths[CONFIG_WIDTHS_MAX]; /* presets, ascending, parts of the area */
		int n_widths;
	} layout;
};

/**
 * Reads `path`, or if NULL the first file found in $XDG_CONFIG_HOME and /etc/xdg, or the defaults
 * if there is no file. Returns NULL on error, with all messages in *error, one per line
 * ("FILE:LINE: KEY: it must be ..."); the caller frees it.
 */
struct config *config_load(const char *path, char **error);
/**
 * Like config_load(). `*files` gets the paths of all files and folders that were read or tried,
 * also on error, and `*stamps` the file_stamp() of each before it was read; free both with
 * strings_destroy(); NULL: none.
 */
struct config *config_load_files(const char *path, char **error, char ***files, char ***stamps);
/** Returns the path of the user's configuration file, newly allocated; NULL without $HOME. */
char *config_home_path(void);
/** Parses an open stream as the file `path`; errors as above. The caller keeps the stream. */
struct config *config_parse(const char *path, FILE *stream, char **error);
/**
 * Finds output sections whose areas overlap. Returns warnings, one per line, which the caller
 * frees, or NULL.
 */
char *config_find_overlaps(const struct config *config);
/**
 * Finds all settings that are well formed but have no effect, including overlaps. Compiles keymaps
 * and reads the lists of xkb: too slow for the event loop. Returns warnings as above.
 */
char *config_find_mistakes(const struct config *config);
/** Returns the built-in defaults. */
struct config *config_create_default(void);
void config_destroy(struct config *config);
/**
 * Returns the section for an output, or NULL: the section named exactly `name`, else the first
 * whose pattern matches `name` or `screen` ("MAKE MODEL SERIAL"; NULL: unknown).
 */
const struct config_output *config_output_find(
	const struct config *config, const char *name, const char *screen);
/** As above, by the parts of the screen's name. Unknown parts are NULL and match "Unknown". */
const struct config_output *config_output_match(const struct config *config, const char *name,
	const char *make, const char *model, const char *serial);
/** Returns the complete background of an output with this section, which may be NULL. */
struct config_background config_background_of(
	const struct config *config, const struct config_output *output);
/** Returns the section of a workspace, or NULL. */
const struct config_workspace *config_workspace_find(const struct config *config, const char *name);
/** Writes the name of a mouse button, wheel or gesture in bindings; "" if there is none. */
void config_button_name(uint32_t button, char name[static CONFIG_BUTTON_NAME_SIZE]);
/** Returns the code of a name, whose case does not matter, or 0. */
uint32_t config_button_find(const char *name);
/** Returns true for "default" and for the name of a [mode NAME] with a binding. */
bool config_has_mode(const struct config *config, const char *name);
/** Returns the layout of a workspace of this name, an enum config_layout. */
int config_layout_find(const struct config *config, const char *name);
/** Compares two sections except for their names. NULL: no section. */
bool config_output_equal(const struct config_output *a, const struct config_output *b);
/**
 * Returns true for the emergency combinations Ctrl+Alt with F1 to F12 or BackSpace, which cannot be
 * bound. Ctrl+Alt+BackSpace can be bound to "locked quit" only: then it also quits a locked
 * session.
 */
bool config_key_is_reserved(uint32_t modifiers, xkb_keysym_t sym);
/** Returns whether the held modifiers are those of the binding. */
bool config_key_suits(const struct config_key *key, uint32_t modifiers);
/** Returns the selector that an alias stands for, owned by `config`, or `selector` itself. */
const char *config_selector_resolve(const struct config *config, const char *selector);
/** Returns the selector for gpu_list_primary(). */
const char *config_primary_gpu(const struct config *config);
/** Words of the choices, in the order of enum config_compression and config_video; NULL ends. */
extern const char *const config_compression_words[], *const config_video_words[];
/** Prefix of selectors that name another machine: "ssh:HOST" or "ssh:HOST:PORT". */
#define CONFIG_REMOTE "ssh:"
/** Returns whether a selector, no alias, names another machine. */
bool config_selector_is_remote(const char *selector);
/** Returns whether a rule or an alias names another machine. */
bool config_names_remote(const struct config *config);
/** Returns true for aliases of `config` and for well-formed selectors: see causeway(5). */
bool config_selector_valid(const struct config *config, const char *selector);
/**
 * Collects the settings of the device of this name and type. The strings are owned by `config`.
 * `keyboard` is complete: values missing from the sections are those of [keyboard], except for the
 * variant if a section gives a layout.
 */
void config_input_find(const struct config *config, const char *name, const char *type,
	struct input_settings *settings, struct config_keyboard *keyboard);
