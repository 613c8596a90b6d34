/* SPDX-License-Identifier: MIT */
/* Scenes of windows: stacking, and the effects of surface state on buffers. */

#include "alpha-modifier-v1-client-protocol.h"
#include "config/config.h"
#include "kde-server-decoration-client-protocol.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "shots.h"
#include "single-pixel-buffer-v1-client-protocol.h"
#include "viewporter-client-protocol.h"
#include "wlr-layer-shell-unstable-v1-client-protocol.h"
#include "xdg-toplevel-icon-v1-client-protocol.h"

static struct peer_window *flat(
	struct shot *shot, int x, int y, int width, int height, uint32_t pixel)
{
	return peer_window_create(shot->peer, x, y, width, height, pixel);
}

static void build_stacking(struct shot *shot)
{
	struct peer_window *a = flat(shot, 20, 20, 140, 100, 0xffc03030);
	struct peer_window *b = flat(shot, 80, 60, 140, 100, 0xff30a040);
	struct peer_window *c = flat(shot, 50, 110, 140, 100, 0xff3050c0);
	struct peer_window *pattern = shot_pattern(shot, 200, 30, 90, 120);
	window_focus(peer_window_find(a));
	slow_add_buffer(&shot->slow, b->buffer, 80, 60);
	slow_add_buffer(&shot->slow, c->buffer, 50, 110);
	slow_add_buffer(&shot->slow, pattern->buffer, 200, 30);
	slow_add_buffer(&shot->slow, a->buffer, 20, 20);
}

struct part {
	struct wl_surface *surface;
	struct wl_subsurface *subsurface;
	struct peer_buffer *buffer;
};

static struct part part(struct shot *shot, struct wl_surface *parent, int x, int y, int width,
	int height, uint32_t pixel)
{
	struct part part;
	part.surface = wl_compositor_create_surface(shot->peer->compositor);
	part.subsurface = peer_subsurface(shot->peer, part.surface, parent, x, y);
	part.buffer = peer_buffer_create(shot->peer, width, height, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(part.buffer, 0, 0, width, height, pixel);
	peer_surface_show(part.surface, part.buffer);
	return part;
}

static void build_subsurfaces(struct shot *shot)
{
	struct peer_window *window = flat(shot, 80, 60, 160, 120, 0xff506070);
	xdg_surface_set_window_geometry(window->xdg_surface, 0, 0, 160, 120);
	struct part above = part(shot, window->surface, -30, -20, 80, 60, 0xffd04040);
	struct part below = part(shot, window->surface, 120, 90, 90, 60, 0xff40b050);
	struct part nested = part(shot, above.surface, 40, 25, 70, 50, 0xff4060d0);
	struct part deep = part(shot, nested.surface, -20, 30, 30, 40, 0x80808000);
	struct part free = part(shot, window->surface, 100, 10, 50, 50, 0xffe0c040);
	wl_subsurface_place_below(below.subsurface, window->surface);
	wl_subsurface_place_below(nested.subsurface, above.surface);
	wl_subsurface_set_desync(free.subsurface);
	wl_subsurface_place_below(free.subsurface, above.surface);
	wl_surface_commit(nested.surface);
	wl_surface_commit(above.surface);
	wl_surface_commit(window->surface);
	peer_window_place(window, 80, 60);
	struct slow *slow = &shot->slow;
	slow_add_buffer(slow, below.buffer, 200, 150);
	slow_add_buffer(slow, window->buffer, 80, 60);
	slow_add_buffer(slow, free.buffer, 180, 70);
	slow_add_buffer(slow, nested.buffer, 90, 65);
	slow_add_buffer(slow, deep.buffer, 70, 95);
	slow_add_buffer(slow, above.buffer, 50, 40);
}

static void build_buffer_transforms(struct shot *shot)
{
	for (int i = 0; i < 8; i++) {
		bool swaps = i & 1;
		int x = 10 + i % 4 * 78, y = 20 + i / 4 * 110, width = 66, height = 44;
		struct peer_window *window = peer_window_create_unmapped(shot->peer);
		window->buffer = peer_buffer_create(shot->peer, swaps ? height : width,
			swaps ? width : height, WL_SHM_FORMAT_XRGB8888);
		peer_buffer_fill_pattern(window->buffer);
		wl_surface_set_buffer_transform(window->surface, i);
		peer_surface_show(window->surface, window->buffer);
		peer_window_place(window, x, y);
		slow_add(&shot->slow, &(struct slow_layer){
					      .x = x,
					      .y = y,
					      .width = width,
					      .height = height,
					      .pixels = window->buffer->pixels,
					      .buffer_width = window->buffer->width,
					      .buffer_height = window->buffer->height,
					      .transform = i,
					      .opaque = true,
					      .alpha = 1,
				      });
	}
}

static struct wp_viewport *viewport(struct shot *shot, struct peer_window *window)
{
	struct wp_viewporter *viewporter = peer_bind(shot->peer, &wp_viewporter_interface, 0);
	struct wp_viewport *viewport = wp_viewporter_get_viewport(viewporter, window->surface);
	wp_viewporter_destroy(viewporter);
	return viewport;
}

static void crop(struct wp_viewport *viewport, double x, double y, double width, double height)
{
	wp_viewport_set_source(viewport, wl_fixed_from_double(x), wl_fixed_from_double(y),
		wl_fixed_from_double(width), wl_fixed_from_double(height));
}

static void build_viewports(struct shot *shot)
{
	struct peer_window *cropped = shot_pattern(shot, 10, 10, 80, 60);
	crop(viewport(shot, cropped), 10, 5, 50, 40);
	struct peer_window *larger = shot_pattern(shot, 80, 10, 60, 40);
	wp_viewport_set_destination(viewport(shot, larger), 150, 100);
	struct peer_window *smaller = shot_pattern(shot, 240, 10, 120, 120);
	wp_viewport_set_destination(viewport(shot, smaller), 60, 60);
	struct peer_window *both = shot_pattern(shot, 10, 120, 80, 60);
	struct wp_viewport *view = viewport(shot, both);
	crop(view, 20.5, 10.25, 40, 30);
	wp_viewport_set_destination(view, 120, 90);
	struct peer_window *turned = shot_pattern(shot, 150, 120, 80, 60);
	wl_surface_set_buffer_transform(turned->surface, WL_OUTPUT_TRANSFORM_FLIPPED_90);
	view = viewport(shot, turned);
	crop(view, 10, 20, 40, 50);
	wp_viewport_set_destination(view, 80, 100);
	struct peer_window *all[] = {cropped, larger, smaller, both, turned};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		wl_surface_commit(all[i]->surface);
	}
	fixture_pump(shot->fixture);
}

static void build_cropped(struct shot *shot)
{
	struct peer_window *window = shot_pattern(shot, 100, 70, 120, 90);
	crop(viewport(shot, window), 30, 10, 60, 50);
	wl_surface_commit(window->surface);
	fixture_pump(shot->fixture);
	uint32_t pixels[60 * 50];
	for (int y = 0; y < 50; y++) {
		for (int x = 0; x < 60; x++) {
			pixels[y * 60 + x] = window->buffer->pixels[(y + 10) * 120 + x + 30];
		}
	}
	slow_add(&shot->slow, &(struct slow_layer){.x = 100,
				      .y = 70,
				      .width = 60,
				      .height = 50,
				      .pixels = pixels,
				      .buffer_width = 60,
				      .buffer_height = 50,
				      .alpha = 1});
}

static void modify_alpha(struct shot *shot, struct peer_window *window, double alpha)
{
	struct wp_alpha_modifier_v1 *manager =
		peer_bind(shot->peer, &wp_alpha_modifier_v1_interface, 0);
	wp_alpha_modifier_surface_v1_set_multiplier(
		wp_alpha_modifier_v1_get_surface(manager, window->surface),
		(uint32_t)(alpha * UINT32_MAX));
	wl_surface_commit(window->surface);
}

static void build_alpha(struct shot *shot)
{
	struct slow *slow = &shot->slow;
	struct peer_window *base = shot_pattern(shot, 20, 20, 200, 150);
	struct peer_window *half = flat(shot, 40, 50, 120, 80, 0x80800000);
	struct peer_window *over = flat(shot, 90, 20, 120, 80, 0x40002040);
	struct peer_window *nothing = flat(shot, 20, 60, 120, 80, 0x00000000);
	struct peer_window *modified = shot_pattern(shot, 150, 110, 100, 80);
	struct peer_window *twice = flat(shot, 220, 60, 90, 90, 0x80008080);
	modify_alpha(shot, modified, 0.25);
	modify_alpha(shot, twice, 0.5);
	slow_add_buffer(slow, base->buffer, 20, 20);
	slow_add_buffer(slow, half->buffer, 40, 50);
	slow_add_buffer(slow, over->buffer, 90, 20);
	slow_add_buffer(slow, nothing->buffer, 20, 60);
	slow_add_buffer(slow, modified->buffer, 150, 110);
	slow->layers[slow->n_layers - 1].alpha = 0.25;
	slow_add_buffer(slow, twice->buffer, 220, 60);
	slow->layers[slow->n_layers - 1].alpha = 0.5;
	/* An opaque format ignores the bits in the place of alpha. */
	struct peer_window *opaque = peer_window_create_unmapped(shot->peer);
	opaque->buffer = peer_buffer_create(shot->peer, 60, 40, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(opaque->buffer, 0, 0, 60, 40, 0x10c0c0c0);
	peer_surface_show(opaque->surface, opaque->buffer);
	peer_window_place(opaque, 20, 180);
	slow_add_buffer(slow, opaque->buffer, 20, 180);
	slow->layers[slow->n_layers - 1].opaque = true;
}

static void show_color(struct shot *shot, int x, int y, int width, int height, uint32_t color)
{
	struct wp_single_pixel_buffer_manager_v1 *manager =
		peer_bind(shot->peer, &wp_single_pixel_buffer_manager_v1_interface, 0);
	struct peer_window *window = peer_window_create_unmapped(shot->peer);
	struct wl_buffer *buffer = wp_single_pixel_buffer_manager_v1_create_u32_rgba_buffer(manager,
		(color >> 16 & 0xff) * 0x01010101u, (color >> 8 & 0xff) * 0x01010101u,
		(color & 0xff) * 0x01010101u, (color >> 24) * 0x01010101u);
	wp_viewport_set_destination(viewport(shot, window), width, height);
	wl_surface_attach(window->surface, buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, 1, 1);
	wl_surface_commit(window->surface);
	fixture_pump(shot->fixture);
	peer_window_place(window, x, y);
	slow_add(&shot->slow, &(struct slow_layer){.x = x,
				      .y = y,
				      .width = width,
				      .height = height,
				      .pixels = &color,
				      .buffer_width = 1,
				      .buffer_height = 1,
				      .alpha = 1});
}

static void build_single_pixel(struct shot *shot)
{
	struct peer_window *base = shot_pattern(shot, 40, 40, 160, 120);
	slow_add_buffer(&shot->slow, base->buffer, 40, 40);
	show_color(shot, 20, 20, 90, 60, 0xff20c080);
	show_color(shot, 100, 80, 150, 100, 0x80402060);
	show_color(shot, 280, 200, 1, 1, 0xffffffff);
}

struct popup {
	struct xdg_surface *xdg_surface;
	struct peer_buffer *buffer;
};

static void handle_popup_configure(void *data, struct xdg_surface *xdg_surface, uint32_t serial)
{
	xdg_surface_ack_configure(xdg_surface, serial);
}

static const struct xdg_surface_listener popup_surface_listener = {
	.configure = handle_popup_configure};

/* Below and right of a rectangle of 20x20 at 10, 10 of the parent, offset by 5, 3. */
static struct popup popup(
	struct shot *shot, struct xdg_surface *parent, int width, int height, uint32_t pixel)
{
	struct peer *peer = shot->peer;
	struct xdg_positioner *rules = xdg_wm_base_create_positioner(peer->wm_base);
	xdg_positioner_set_size(rules, width, height);
	xdg_positioner_set_anchor_rect(rules, 10, 10, 20, 20);
	xdg_positioner_set_anchor(rules, XDG_POSITIONER_ANCHOR_BOTTOM_RIGHT);
	xdg_positioner_set_gravity(rules, XDG_POSITIONER_GRAVITY_BOTTOM_RIGHT);
	xdg_positioner_set_offset(rules, 5, 3);
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	struct popup popup = {.xdg_surface = xdg_wm_base_get_xdg_surface(peer->wm_base, surface)};
	xdg_surface_add_listener(popup.xdg_surface, &popup_surface_listener, NULL);
	xdg_surface_get_popup(popup.xdg_surface, parent, rules);
	xdg_positioner_destroy(rules);
	wl_surface_commit(surface);
	fixture_pump(peer->fixture);
	popup.buffer = peer_buffer_create(peer, width, height, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(popup.buffer, 0, 0, width, height, pixel);
	peer_surface_show(surface, popup.buffer);
	fixture_pump(peer->fixture);
	return popup;
}

static void build_popups(struct shot *shot)
{
	struct peer_window *window = flat(shot, 40, 30, 120, 90, 0xff707880);
	struct popup first = popup(shot, window->xdg_surface, 100, 80, 0xffe0e0d0);
	struct popup second = popup(shot, first.xdg_surface, 90, 60, 0xffd0a040);
	slow_add_buffer(&shot->slow, window->buffer, 40, 30);
	slow_add_buffer(&shot->slow, first.buffer, 40 + 30 + 5, 30 + 30 + 3);
	slow_add_buffer(&shot->slow, second.buffer, 75 + 35, 63 + 33);
}

static void handle_layer_configure(void *data, struct zwlr_layer_surface_v1 *layer, uint32_t serial,
	uint32_t width, uint32_t height)
{
	zwlr_layer_surface_v1_ack_configure(layer, serial);
}

static void handle_layer_closed(void *data, struct zwlr_layer_surface_v1 *layer)
{
}

static const struct zwlr_layer_surface_v1_listener layer_listener = {
	.configure = handle_layer_configure, .closed = handle_layer_closed};

struct layer_wish {
	enum zwlr_layer_shell_v1_layer layer;
	uint32_t anchor;
	int width, height; /* 0: to the anchored edges */
	int zone;
	int shown_width, shown_height, x, y; /* expected result */
	uint32_t pixel;
};

static void show_layer(
	struct shot *shot, struct zwlr_layer_shell_v1 *shell, const struct layer_wish *wish)
{
	struct wl_surface *surface = wl_compositor_create_surface(shot->peer->compositor);
	struct zwlr_layer_surface_v1 *layer =
		zwlr_layer_shell_v1_get_layer_surface(shell, surface, NULL, wish->layer, "test");
	zwlr_layer_surface_v1_add_listener(layer, &layer_listener, NULL);
	zwlr_layer_surface_v1_set_size(layer, (uint32_t)wish->width, (uint32_t)wish->height);
	zwlr_layer_surface_v1_set_anchor(layer, wish->anchor);
	zwlr_layer_surface_v1_set_exclusive_zone(layer, wish->zone);
	wl_surface_commit(surface);
	fixture_pump(shot->fixture);
	struct peer_buffer *buffer = peer_buffer_create(
		shot->peer, wish->shown_width, wish->shown_height, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, buffer->width, buffer->height, wish->pixel);
	peer_surface_show(surface, buffer);
	fixture_pump(shot->fixture);
	slow_add_buffer(&shot->slow, buffer, wish->x, wish->y);
}

static void build_layers(struct shot *shot)
{
	enum {
		TOP = ZWLR_LAYER_SURFACE_V1_ANCHOR_TOP,
		BOTTOM = ZWLR_LAYER_SURFACE_V1_ANCHOR_BOTTOM,
		LEFT = ZWLR_LAYER_SURFACE_V1_ANCHOR_LEFT,
		RIGHT = ZWLR_LAYER_SURFACE_V1_ANCHOR_RIGHT,
	};
	static const struct layer_wish below[] = {
		{ZWLR_LAYER_SHELL_V1_LAYER_BACKGROUND, TOP | BOTTOM | LEFT | RIGHT, 0, 0, -1, 320,
			240, 0, 0, 0xff203850},
		{ZWLR_LAYER_SHELL_V1_LAYER_BOTTOM, LEFT | BOTTOM, 60, 60, 0, 60, 60, 0, 180,
			0xff805030},
	};
	static const struct layer_wish above[] = {
		{ZWLR_LAYER_SHELL_V1_LAYER_TOP, TOP | LEFT | RIGHT, 0, 20, 20, 320, 20, 0, 0,
			0xff404040},
		/* In the middle of the area left by the panel. */
		{ZWLR_LAYER_SHELL_V1_LAYER_OVERLAY, 0, 80, 40, 0, 80, 40, 120, 110, 0x80800080},
	};
	struct zwlr_layer_shell_v1 *shell =
		peer_bind(shot->peer, &zwlr_layer_shell_v1_interface, 0);
	for (size_t i = 0; i < 2; i++) {
		show_layer(shot, shell, &below[i]);
	}
	struct peer_window *window = flat(shot, 30, 10, 150, 190, 0xffc0c8d0);
	slow_add_buffer(&shot->slow, window->buffer, 30, 10);
	for (size_t i = 0; i < 2; i++) {
		show_layer(shot, shell, &above[i]);
	}
	peer_window_place(window, 30, 10);
}

static struct peer_window *framed(struct shot *shot, int x, int y, int width, uint32_t pixel)
{
	struct peer_window *window = flat(shot, x, y, width, 50, pixel);
	struct org_kde_kwin_server_decoration_manager *manager =
		peer_bind(shot->peer, &org_kde_kwin_server_decoration_manager_interface, 0);
	org_kde_kwin_server_decoration_manager_create(manager, window->surface);
	fixture_pump(shot->fixture);
	wl_surface_commit(window->surface);
	fixture_pump(shot->fixture);
	return window;
}

/* Frames without texts, which depend on the fonts of the machine. */
static void build_frames(struct shot *shot)
{
	framed(shot, 20, 40, 120, 0xff707880);
	framed(shot, 170, 40, 120, 0xff707880);
	framed(shot, 30, 140, 60, 0xff707880);
	struct window *urgent = peer_window_find(framed(shot, 130, 140, 100, 0xff707880));
	struct peer_window *active = framed(shot, 60, 170, 200, 0xffc0c8d0);
	window_activate(urgent, false);
	struct xdg_toplevel_icon_manager_v1 *manager =
		peer_bind(shot->peer, &xdg_toplevel_icon_manager_v1_interface, 0);
	struct xdg_toplevel_icon_v1 *icon = xdg_toplevel_icon_manager_v1_create_icon(manager);
	struct peer_buffer *buffer = peer_buffer_create(shot->peer, 48, 48, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill_pattern(buffer);
	xdg_toplevel_icon_v1_add_buffer(icon, buffer->buffer, 1);
	xdg_toplevel_icon_manager_v1_set_icon(manager, active->toplevel, icon);
	wl_surface_commit(active->surface);
	fixture_pump(shot->fixture);
}

/* Previews of a covered window with subsurfaces, and of one with an icon. */
static void build_switcher(struct shot *shot)
{
	struct shell *shell = shot->fixture->server->shell;
	build_subsurfaces(shot);
	slow_clear(&shot->slow);
	build_frames(shot);
	shot->fixture->server->seat->keyboard.modifiers.depressed = CONFIG_SUPER;
	shell_run_action(shell, "cycle", NULL);
	shell_run_action(shell, "cycle", NULL);
	fixture_sleep(shot->fixture, 200000000);
}

const struct scene_case window_scenes[] = {
	{.name = "stacking", .build = build_stacking, EXACT},
	{.name = "subsurfaces", .build = build_subsurfaces, EXACT},
	{.name = "buffer-transforms", .build = build_buffer_transforms, EXACT},
	{.name = "viewports", .build = build_viewports, FILTERED},
	{.name = "cropped", .build = build_cropped, EXACT},
	{.name = "alpha", .build = build_alpha, EXACT},
	{.name = "single-pixel", .build = build_single_pixel, EXACT},
	{.name = "popups", .build = build_popups, EXACT},
	{.name = "layers", .build = build_layers, EXACT},
	{.name = "frames", .build = build_frames, EXACT},
	{.name = "frames-1.25", .build = build_frames, EXACT, .scale = 1.25},
	{.name = "switcher", .build = build_switcher, FILTERED, .scale = 0.5},
};
const size_t n_window_scenes = sizeof(window_scenes) / sizeof(window_scenes[0]);
