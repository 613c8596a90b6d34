/* SPDX-License-Identifier: MIT */
/* Tables of the configuration's sections and keys. */

#include "settings.h"

/* In the order of enum config_queue. */
static const char *const queue_words[] = {"transfer", "compute", "graphics", "any", NULL};

/* In the order of enum config_engine. */
static const char *const engine_words[] = {"auto", "sdma", "vulkan", "gles", "cpu", NULL};

/* In the order of enum config_overlays and config_animations. */
static const char *const auto_words[] = {"auto", "yes", "no", NULL};

static const struct setting gpu_settings[] = {
	{"default", VALUE_SELECTOR, offsetof(struct config, gpu.default_selector)},
	{"primary", VALUE_SELECTOR, offsetof(struct config, gpu.primary)},
	{"close-after", VALUE_NUMBER, offsetof(struct config, gpu.close_after), 0, 3600},
	{"queue", VALUE_CHOICE, offsetof(struct config, gpu.queue), 0, 0, queue_words},
	{"engine", VALUE_CHOICE, offsetof(struct config, gpu.engine), 0, 0, engine_words},
	{"overlays", VALUE_CHOICE, offsetof(struct config, gpu.overlays), 0, 0, auto_words},
	{"hide-others", VALUE_BOOL, offsetof(struct config, gpu.hide_others)},
	{"compressed-copies", VALUE_BOOL, offsetof(struct config, gpu.compressed_copies)},
	{NULL},
};

const char *const config_compression_words[] = {"none", "lz4", "zstd", NULL};
const char *const config_video_words[] = {"no", "h264", "vp9", "av1", NULL};

static const struct setting app_settings[] = {
	{"exe", VALUE_GLOB, offsetof(struct config_app, exe)},
	{"cmdline", VALUE_GLOB, offsetof(struct config_app, cmdline)},
	{"unit", VALUE_GLOB, offsetof(struct config_app, unit)},
	{"sandbox-app-id", VALUE_GLOB, offsetof(struct config_app, sandbox_app_id)},
	{"desktop-id", VALUE_GLOB, offsetof(struct config_app, desktop_id)},
	{"children", VALUE_BOOL, offsetof(struct config_app, children)},
	{"gpu", VALUE_SELECTOR, offsetof(struct config_app, gpu), 0, 1}, /* also remote */
	{"env", VALUE_ENV, 0},
	{"compression", VALUE_CHOICE, offsetof(struct config_app, compression), 0, 0,
		config_compression_words},
	{"video", VALUE_CHOICE, offsetof(struct config_app, video), 0, 0, config_video_words},
	{"see", VALUE_CHOICE, offsetof(struct config_app, see), 0, 0,
		(const char *const[]){"all", "own", NULL}},
	{"x-server", VALUE_CHOICE, offsetof(struct config_app, x_server), 0, 0,
		(const char *const[]){"shared", "own", NULL}},
	{NULL},
};

/* In the order of enum config_adaptive_sync. */
static const char *const adaptive_sync_words[] = {"off", "auto", "fullscreen", "on", NULL};

/* In the order of enum config_bit_depth. */
static const char *const bit_depth_words[] = {"auto", "8", "10", NULL};

/* In the order of enum config_lease. */
static const char *const lease_words[] = {"auto", "yes", "no", NULL};

/* In the order of enum config_background_mode. */
static const char *const background_words[] = {"fill", "fit", "stretch", "center", "tile", NULL};

static const struct setting output_settings[] = {
	{"enabled", VALUE_ENABLED, 0},
	{"mode", VALUE_MODE, 0},
	{"position", VALUE_POSITION, 0},
	{"scale", VALUE_SCALE, 0},
	{"transform", VALUE_TRANSFORM, 0},
	{"max-render-time", VALUE_RENDER_TIME, offsetof(struct config_output, max_render_time)},
	{"adaptive-sync", VALUE_CHOICE, offsetof(struct config_output, adaptive_sync), 0, 0,
		adaptive_sync_words},
	{"tearing", VALUE_BOOL, offsetof(struct config_output, tearing)},
	{"scan-out", VALUE_BOOL, offsetof(struct config_output, scan_out)},
	{"cpu-composition", VALUE_BOOL, offsetof(struct config_output, cpu_composition)},
	{"bit-depth", VALUE_CHOICE, offsetof(struct config_output, bit_depth), 0, 0,
		bit_depth_words},
	{"color-matrix", VALUE_COLOR_MATRIX, 0},
	{"lease", VALUE_CHOICE, offsetof(struct config_output, lease), 0, 0, lease_words},
	{"background", VALUE_BACKGROUND, offsetof(struct config_output, background)},
	{"background-image", VALUE_FILE, offsetof(struct config_output, background.image)},
	{"background-mode", VALUE_CHOICE, offsetof(struct config_output, background.mode), 0, 0,
		background_words},
	{NULL},
};

static const struct setting frame_settings[] = {
	{"margin", VALUE_NUMBER, offsetof(struct config, frame.margin), 0, 100},
	{"max-render-time", VALUE_RENDER_TIME, offsetof(struct config, frame.max_render_time)},
	{NULL},
};

/*
 * Programs with several windows freeze if the fifo barriers of a covered one clear rarely or never.
 */
static const struct setting power_settings[] = {
	{"hidden-rate", VALUE_NUMBER, offsetof(struct config, power.hidden_rate), 0, 1000},
	{"hidden-fifo-rate", VALUE_NUMBER, offsetof(struct config, power.hidden_fifo_rate), 10,
		1000},
	{"on-battery-rate", VALUE_NUMBER, offsetof(struct config, power.on_battery_rate), 0, 1000},
	{NULL},
};

static const struct setting keyboard_settings[] = {
	{"rules", VALUE_STRING, offsetof(struct config, keyboard.rules)},
	{"model", VALUE_STRING, offsetof(struct config, keyboard.model)},
	{"layout", VALUE_STRING, offsetof(struct config, keyboard.layout)},
	{"variant", VALUE_STRING, offsetof(struct config, keyboard.variant)},
	{"options", VALUE_STRING, offsetof(struct config, keyboard.options)},
	{"repeat-rate", VALUE_INTEGER, offsetof(struct config, keyboard.repeat_rate), 0, 1000},
	{"repeat-delay", VALUE_INTEGER, offsetof(struct config, keyboard.repeat_delay), 1, 10000},
	{NULL},
};

#define OPTION(key, option, words)                                                                 \
	{                                                                                          \
		key, VALUE_CHOICE, offsetof(struct config_input, settings.options[option]), 0, 0,  \
			words                                                                      \
	}

static const struct setting input_settings[] = {
	OPTION("send-events", INPUT_SEND_EVENTS,
		((const char *const[]){"enabled", "disabled", "without-mouse", NULL})),
	OPTION("acceleration-profile", INPUT_ACCELERATION,
		((const char *const[]){"flat", "adaptive", NULL})),
	{"acceleration-speed", VALUE_SPEED, offsetof(struct config_input, settings)},
	OPTION("natural-scroll", INPUT_NATURAL_SCROLL, NULL),
	OPTION("scroll-method", INPUT_SCROLL_METHOD,
		((const char *const[]){"none", "two-finger", "edge", "button", NULL})),
	{"scroll-button", VALUE_BUTTON, offsetof(struct config_input, settings.scroll_button)},
	OPTION("tap", INPUT_TAP, NULL),
	OPTION("tap-button-map", INPUT_TAP_BUTTONS,
		((const char *const[]){"left-right-middle", "left-middle-right", NULL})),
	OPTION("drag", INPUT_DRAG, NULL),
	OPTION("drag-lock", INPUT_DRAG_LOCK, NULL),
	OPTION("click-method", INPUT_CLICK_METHOD,
		((const char *const[]){"none", "areas", "fingers", NULL})),
	OPTION("disable-while-typing", INPUT_DISABLE_WHILE_TYPING, NULL),
	OPTION("left-handed", INPUT_LEFT_HANDED, NULL),
	OPTION("middle-emulation", INPUT_MIDDLE_EMULATION, NULL),
	{"calibration-matrix", VALUE_MATRIX, offsetof(struct config_input, settings)},
	{"map-to-output", VALUE_STRING, offsetof(struct config_input, settings.output)},
	{"rules", VALUE_STRING, offsetof(struct config_input, keyboard.rules)},
	{"model", VALUE_STRING, offsetof(struct config_input, keyboard.model)},
	{"layout", VALUE_STRING, offsetof(struct config_input, keyboard.layout)},
	{"variant", VALUE_STRING, offsetof(struct config_input, keyboard.variant)},
	{"options", VALUE_STRING, offsetof(struct config_input, keyboard.options)},
	{"repeat-rate", VALUE_INTEGER, offsetof(struct config_input, keyboard.repeat_rate), 0,
		1000},
	{"repeat-delay", VALUE_INTEGER, offsetof(struct config_input, keyboard.repeat_delay), 1,
		10000},
	{NULL},
};

static const struct setting switches_settings[] = {
	{"lid-covers-panel", VALUE_BOOL, offsetof(struct config, switches.lid_covers_panel)},
	{"lid-closed", VALUE_ACTION, offsetof(struct config, switches.lid_closed)},
	{"lid-opened", VALUE_ACTION, offsetof(struct config, switches.lid_opened)},
	{"tablet-mode-on", VALUE_ACTION, offsetof(struct config, switches.tablet_mode_on)},
	{"tablet-mode-off", VALUE_ACTION, offsetof(struct config, switches.tablet_mode_off)},
	{NULL},
};

/* In the order of enum config_one_display. */
static const char *const one_display_words[] = {"auto", "yes", "no", NULL};

/* In the order of enum config_x_scale. */
static const char *const x_scale_words[] = {"native", "1", NULL};

static const struct setting xwayland_settings[] = {
	{"enable", VALUE_BOOL, offsetof(struct config, xwayland.enable)},
	{"linger", VALUE_INTEGER, offsetof(struct config, xwayland.linger), 0, 86400},
	{"per-gpu", VALUE_BOOL, offsetof(struct config, xwayland.per_gpu)},
	{"one-display", VALUE_CHOICE, offsetof(struct config, xwayland.one_display), 0, 0,
		one_display_words},
	{"abstract-socket", VALUE_BOOL, offsetof(struct config, xwayland.abstract_socket)},
	{"scale", VALUE_CHOICE, offsetof(struct config, xwayland.scale), 0, 0, x_scale_words},
	{"hidden-rate", VALUE_NUMBER, offsetof(struct config, xwayland.hidden_rate), 0, 1000},
	{"global-keys", VALUE_GLOBAL_KEYS, 0},
	{NULL},
};

static const struct setting general_settings[] = {
	{"watch", VALUE_BOOL, offsetof(struct config, watch)},
	{NULL},
};

static const struct setting session_settings[] = {
	{"start", VALUE_COMMANDS, offsetof(struct config, session.start)},
	{"locker", VALUE_COMMAND, offsetof(struct config, session.locker)},
	{"scopes", VALUE_BOOL, offsetof(struct config, session.scopes)},
	{NULL},
};

static const struct setting look_settings[] = {
	{"cursor-theme", VALUE_STRING, offsetof(struct config, look.cursor_theme)},
	{"cursor-size", VALUE_INTEGER, offsetof(struct config, look.cursor_size), 1,
		CONFIG_CURSOR_SIZE_MAX},
	{"workspaces", VALUE_INTEGER, offsetof(struct config, look.workspaces), 1, 32},
	{"background", VALUE_BACKGROUND, offsetof(struct config, look.background)},
	{"background-image", VALUE_FILE, offsetof(struct config, look.background.image)},
	{"background-mode", VALUE_CHOICE, offsetof(struct config, look.background.mode), 0, 0,
		background_words},
	{"border", VALUE_INTEGER, offsetof(struct config, look.border), 0, 64},
	{"animations", VALUE_CHOICE, offsetof(struct config, look.animations), 0, 0, auto_words},
	{"animation-time", VALUE_INTEGER, offsetof(struct config, look.animation_time), 50, 500},
	{"magnify-step", VALUE_INTEGER, offsetof(struct config, look.magnify_step), 5, 300},
	{NULL},
};

static const struct setting decoration_settings[] = {
	{"theme", VALUE_CHOICE, offsetof(struct config, decoration.theme), 0, 0,
		(const char *const[]){"dark", "light", NULL}},
	{"font", VALUE_STRING, offsetof(struct config, decoration.font)},
	{"font-size", VALUE_INTEGER, offsetof(struct config, decoration.font_size), 6, 64},
	{"title-height", VALUE_INTEGER, offsetof(struct config, decoration.title_height), 12, 128},
	{"title-align", VALUE_CHOICE, offsetof(struct config, decoration.title_align), 0, 0,
		(const char *const[]){"left", "center", NULL}},
	{"buttons", VALUE_BUTTONS, offsetof(struct config, decoration.buttons)},
	{"active", VALUE_COLOR, offsetof(struct config, decoration.active.title)},
	{"active-text", VALUE_COLOR, offsetof(struct config, decoration.active.text)},
	{"active-border", VALUE_COLOR, offsetof(struct config, decoration.active.border)},
	{"inactive", VALUE_COLOR, offsetof(struct config, decoration.inactive.title)},
	{"inactive-text", VALUE_COLOR, offsetof(struct config, decoration.inactive.text)},
	{"inactive-border", VALUE_COLOR, offsetof(struct config, decoration.inactive.border)},
	{"urgent", VALUE_COLOR, offsetof(struct config, decoration.urgent.title)},
	{"urgent-text", VALUE_COLOR, offsetof(struct config, decoration.urgent.text)},
	{"urgent-border", VALUE_COLOR, offsetof(struct config, decoration.urgent.border)},
	{NULL},
};

static const char *const layout_words[] = {"floating", "columns", NULL};
/* In the order of enum columns_overflow, columns_center and config_new_window. */
static const char *const overflow_words[] = {"fit", "scroll", NULL};
static const char *const center_words[] = {"never", "short", "always", NULL};
static const char *const new_window_words[] = {"right", "left", NULL};

static const struct setting layout_settings[] = {
	{"default", VALUE_CHOICE, offsetof(struct config, layout.mode), 0, 0, layout_words},
	{"overflow", VALUE_CHOICE, offsetof(struct config, layout.overflow), 0, 0, overflow_words},
	{"center", VALUE_CHOICE, offsetof(struct config, layout.center), 0, 0, center_words},
	{"new-window", VALUE_CHOICE, offsetof(struct config, layout.new_window), 0, 0,
		new_window_words},
	{"gap", VALUE_INTEGER, offsetof(struct config, layout.gap), 0, 200},
	{"border", VALUE_INTEGER, offsetof(struct config, layout.border), 0, 64},
	{"smart-gaps", VALUE_BOOL, offsetof(struct config, layout.smart_gaps)},
	{"snap", VALUE_BOOL, offsetof(struct config, layout.snap)},
	{"width", VALUE_NUMBER, offsetof(struct config, layout.width), 5, 100},
	{"widths", VALUE_WIDTHS, 0},
	{NULL},
};

static const char *const type_words[] = {"normal", "dialog", NULL};
static const char *const window_layout_words[] = {"floating", "tiled", NULL};

/* In the order of enum content_type. */
static const char *const content_words[] = {"none", "photo", "video", "game", NULL};

static const struct setting window_settings[] = {
	{"app-id", VALUE_GLOB, offsetof(struct config_window, app_id)},
	{"title", VALUE_GLOB, offsetof(struct config_window, title)},
	{"class", VALUE_GLOB, offsetof(struct config_window, x_class)},
	{"sandbox-app-id", VALUE_GLOB, offsetof(struct config_window, sandbox_app_id)},
	{"type", VALUE_CHOICE, offsetof(struct config_window, type), 0, 0, type_words},
	{"gpu", VALUE_SELECTOR, offsetof(struct config_window, gpu)},
	{"layout", VALUE_CHOICE, offsetof(struct config_window, layout), 0, 0, window_layout_words},
	{"size", VALUE_WINDOW_SIZE, 0},
	{"position", VALUE_WINDOW_POSITION, 0},
	{"workspace", VALUE_STRING, offsetof(struct config_window, workspace)},
	{"output", VALUE_STRING, offsetof(struct config_window, output)},
	{"fullscreen", VALUE_CHOICE, offsetof(struct config_window, fullscreen)},
	{"maximized", VALUE_CHOICE, offsetof(struct config_window, maximized)},
	{"minimized", VALUE_CHOICE, offsetof(struct config_window, minimized)},
	{"sticky", VALUE_CHOICE, offsetof(struct config_window, sticky)},
	{"always-on-top", VALUE_CHOICE, offsetof(struct config_window, on_top)},
	{"focus", VALUE_CHOICE, offsetof(struct config_window, focus)},
	{"opacity", VALUE_OPACITY, offsetof(struct config_window, opacity)},
	{"x11-scale", VALUE_CHOICE, offsetof(struct config_window, x_scale), 0, 0, x_scale_words},
	{"decoration", VALUE_CHOICE, offsetof(struct config_window, decoration)},
	{"inhibit-idle", VALUE_CHOICE, offsetof(struct config_window, inhibit_idle)},
	{"tearing", VALUE_CHOICE, offsetof(struct config_window, tearing)},
	{"adaptive-sync", VALUE_CHOICE, offsetof(struct config_window, adaptive_sync)},
	{"upscale", VALUE_CHOICE, offsetof(struct config_window, upscale), 0, 0,
		((const char *const[]){"linear", "sharp", NULL})},
	{"content-type", VALUE_CHOICE, offsetof(struct config_window, content_type), 0, 0,
		content_words},
	{"hide-from-captures", VALUE_CHOICE, offsetof(struct config_window, hide_from_captures)},
	{"hidden-rate", VALUE_NUMBER, offsetof(struct config_window, hidden_rate), 0, 1000},
	{NULL},
};

static const struct setting workspace_settings[] = {
	{"layout", VALUE_CHOICE, offsetof(struct config_workspace, layout), 0, 0, layout_words},
	{"output", VALUE_STRING, offsetof(struct config_workspace, output)},
	{NULL},
};

static const struct section_info sections[] = {
	{"general", SECTION_GENERAL, false, general_settings},
	{"gpu", SECTION_GPU, false, gpu_settings},
	{"app", SECTION_APP, true, app_settings},
	{"output", SECTION_OUTPUT, true, output_settings},
	{"input", SECTION_INPUT, true, input_settings},
	{"frame", SECTION_FRAME, false, frame_settings},
	{"power", SECTION_POWER, false, power_settings},
	{"keys", SECTION_KEYS, false, NULL},
	{"keyboard", SECTION_KEYBOARD, false, keyboard_settings},
	{"switches", SECTION_SWITCHES, false, switches_settings},
	{"xwayland", SECTION_XWAYLAND, false, xwayland_settings},
	{"session", SECTION_SESSION, false, session_settings},
	{"look", SECTION_LOOK, false, look_settings},
	{"decoration", SECTION_DECORATION, false, decoration_settings},
	{"workspace", SECTION_WORKSPACE, true, workspace_settings},
	{"layout", SECTION_LAYOUT, false, layout_settings},
	{"mode", SECTION_MODE, true, NULL},
	{"window", SECTION_WINDOW, true, window_settings},
	{NULL},
};

const struct section_info *config_sections(void)
{
	return sections;
}
