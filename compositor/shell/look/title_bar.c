/* SPDX-License-Identifier: MIT */
/*
 * Title bars: text, icon and buttons, drawn once for the scale of the window's outputs. Windows
 * share the images of buttons. A text is redrawn if the title, its colour or the room for it
 * changes.
 */

#include "buffer/buffer.h"
#include "buffer/image_buffer.h"
#include "decoration.h"
#include "look.h"
#include "render/text.h"
#include "shell/geometry/button_image.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/* Logical pixels. */
#define PADDING 8
#define GAP 6
#define ICON_SIZE 16
/** Maximum number of button images kept without regard to their use. */
#define IMAGES_MAX 48

/*
 * Time (ns) between drawings of a client's changes: each costs a thread, or a filter over the icon.
 */
#define CHANGE_INTERVAL INT64_C(100000000)

struct button_image {
	struct wl_list link; /* title_bars.images, newest first */
	enum button_shape shape;
	enum button_state state;
	uint32_t color;
	int size;
	double scale;
	struct buffer *buffer;
};

struct title_bars {
	struct wl_list images; /* button_image.link */
	int n_images;
	struct window *window; /* whose button is hovered; NULL: none */
	enum config_button button;
	bool pressed;
	struct wl_list stale; /* title_bar.stale_link: drawn for another scale */
	struct timer timer; /* redraws `stale` */
	struct wl_list late; /* title_bar.late_link: the client changes them too often */
	struct timer late_timer; /* redraws `late` */
};

static void image_destroy(struct title_bars *bars, struct button_image *image)
{
	wl_list_remove(&image->link);
	bars->n_images--;
	buffer_drop(image->buffer);
	free(image);
}

static struct buffer *find_image(struct title_bars *bars, enum button_shape shape,
	enum button_state state, uint32_t color, int size, double scale)
{
	struct button_image *image;
	wl_list_for_each (image, &bars->images, link) {
		if (image->shape == shape && image->state == state && image->color == color &&
			image->size == size && image->scale == scale) {
			return image->buffer;
		}
	}
	pixman_image_t *drawn = button_image_create(shape, state, color, size, scale);
	if (!drawn) {
		return NULL;
	}
	if (bars->n_images == IMAGES_MAX) {
		image_destroy(bars, wl_container_of(bars->images.prev, image, link));
	}
	image = xcalloc(1, sizeof(*image));
	*image = (struct button_image){
		.shape = shape, .state = state, .color = color, .size = size, .scale = scale};
	image->buffer = image_buffer_create(drawn);
	wl_list_insert(&bars->images, &image->link);
	bars->n_images++;
	return image->buffer;
}

static const struct config_decoration *config_of(const struct window *window)
{
	return &window->shell->config->decoration;
}

static int n_buttons(const struct window *window)
{
	int n = 0;
	while (n < CONFIG_BUTTONS && config_of(window)->buttons[n] != CONFIG_BUTTON_NONE) {
		n++;
	}
	return n;
}

/* Returns the index of the first button that fits: narrow windows keep the last ones. */
static int first_button(const struct window *window)
{
	int room = window->geometry.width / config_of(window)->title_height - 1;
	int n = n_buttons(window);
	return room >= n ? 0 : room <= 0 ? n : n - room;
}

/* Returns the left edge of a button, relative to the window geometry. */
static int button_x(const struct window *window, int i)
{
	return window->geometry.width - (n_buttons(window) - i) * config_of(window)->title_height;
}

enum config_button title_bar_button_at(const struct window *window, struct coord_global at)
{
	const int height = config_of(window)->title_height;
	const double x = at.x - window->x, y = at.y - window->y;
	if (!window->private->decoration || !window_frame(window).top || y < -height || y >= 0) {
		return CONFIG_BUTTON_NONE;
	}
	for (int i = first_button(window); i < n_buttons(window); i++) {
		int left = button_x(window, i);
		if (x >= left && x < left + height) {
			return config_of(window)->buttons[i];
		}
	}
	return CONFIG_BUTTON_NONE;
}

static enum button_shape shape_of(const struct window *window, enum config_button button)
{
	return button == CONFIG_BUTTON_MINIMIZE    ? BUTTON_MINIMIZE
	       : button == CONFIG_BUTTON_CLOSE     ? BUTTON_CLOSE
	       : window->states & WINDOW_MAXIMIZED ? BUTTON_RESTORE
						   : BUTTON_MAXIMIZE;
}

static void update_buttons(struct decoration *decoration, uint32_t color)
{
	struct window *window = decoration->window;
	struct title_bars *bars = window->shell->private->title_bars;
	const int height = config_of(window)->title_height, first = first_button(window);
	const double scale = decoration->bar.scale;
	for (int i = 0; i < CONFIG_BUTTONS; i++) {
		struct scene_image *image = decoration->bar.buttons[i];
		enum config_button button = config_of(window)->buttons[i];
		bool shown = i >= first && i < n_buttons(window);
		scene_node_set_enabled(&image->node, shown);
		if (!shown) {
			continue;
		}
		bool hovered = bars->window == window && bars->button == button;
		enum button_state state = !hovered        ? BUTTON_NORMAL
					  : bars->pressed ? BUTTON_PRESSED
							  : BUTTON_HOVERED;
		struct buffer *buffer = find_image(bars, shape_of(window, button), state, color,
			coord_round_up(height * scale), scale);
		if (image->buffer != buffer) {
			scene_image_set_drawn(image, buffer, height, height, scale);
		}
		scene_node_set_position(&image->node, button_x(window, i), -height);
	}
}

static bool has_room_for_icon(const struct window *window)
{
	return window->geometry.width > 4 * config_of(window)->title_height;
}

/* Returns true if the title bar has an icon. */
static bool update_icon(struct decoration *decoration)
{
	struct window *window = decoration->window;
	struct title_bar *bar = &decoration->bar;
	bool changed = bar->icon.outdated && wl_list_empty(&bar->late_link);
	if (changed || bar->icon.scale != bar->scale) {
		bar->icon.outdated = false;
		bar->icon.scale = bar->scale;
		pixman_image_t *drawn = app_icon_draw(window, (int)lround(ICON_SIZE * bar->scale));
		struct buffer *buffer = drawn ? image_buffer_create(drawn) : NULL;
		scene_image_set_drawn(bar->icon.image, buffer, ICON_SIZE, ICON_SIZE, bar->scale);
		if (buffer) {
			buffer_drop(buffer); /* the node holds a lock */
		}
	}
	bool shown = bar->icon.image->buffer && has_room_for_icon(window);
	int height = config_of(window)->title_height;
	scene_node_set_enabled(&bar->icon.image->node, shown);
	scene_node_set_position(
		&bar->icon.image->node, PADDING, -height + (height - ICON_SIZE) / 2);
	return shown;
}

/* Returns the room for the text, from `left`, logical pixels. */
static int text_room(const struct window *window, bool has_icon, int *left)
{
	int first = first_button(window);
	int right = first < n_buttons(window) ? button_x(window, first)
					      : window->geometry.width - PADDING;
	*left = PADDING + (has_icon ? ICON_SIZE + GAP : 0);
	int room = right - *left;
	return room >= 2 * config_of(window)->font_size ? room : 0;
}

/* Positions the text, cropped to the room for it until it is redrawn. */
static void place_text(struct decoration *decoration, bool has_icon)
{
	const struct window *window = decoration->window;
	struct title_bar *bar = &decoration->bar;
	struct scene_image *image = bar->text.image;
	int left, room = text_room(window, has_icon, &left);
	scene_node_set_enabled(&image->node, room > 0);
	if (!image->buffer || room == 0) {
		return;
	}
	int width = bar->text.width < room ? bar->text.width : room, x = left;
	if (config_of(window)->title_align == CONFIG_TITLE_CENTER) {
		x = (window->geometry.width - width) / 2;
		x = x > left + room - width ? left + room - width : x;
		x = x < left ? left : x;
	}
	int height = config_of(window)->title_height;
	if (image->width != width) {
		scene_image_set_drawn(
			image, image->buffer, width, bar->text.height, bar->text.scale);
	}
	scene_node_set_position(&image->node, x, -height + (height - bar->text.height) / 2);
}

static void request_text(struct decoration *decoration, bool has_icon, uint32_t color);

static void handle_drawn(void *data, pixman_image_t *drawn)
{
	struct decoration *decoration = data;
	struct title_bar *bar = &decoration->bar;
	bar->text.request = NULL;
	struct buffer *buffer = NULL;
	bar->text.width = bar->text.height = 0;
	if (drawn) {
		bar->text.width = coord_round_up(pixman_image_get_width(drawn) / bar->text.scale);
		bar->text.height = coord_round_up(pixman_image_get_height(drawn) / bar->text.scale);
		buffer = image_buffer_create(drawn);
	}
	scene_image_set_drawn(
		bar->text.image, buffer, bar->text.width, bar->text.height, bar->text.scale);
	if (buffer) {
		buffer_drop(buffer); /* the node holds a lock */
	}
	decoration_update(decoration->window);
}

/*
 * Returns true if a text that was cut to the old room may be longer in the new one, or does not
 * fit.
 */
static bool needs_room(const struct title_bar *bar, int max_width, int font_size)
{
	const struct buffer *buffer = bar->text.image->buffer;
	int width = buffer ? buffer->width : 0;
	bool cut = width > bar->text.max_width - (int)(2 * font_size * bar->text.scale);
	return width > max_width || (cut && max_width > bar->text.max_width) ||
	       (!buffer && max_width > 0 && bar->text.max_width == 0);
}

static void request_text(struct decoration *decoration, bool has_icon, uint32_t color)
{
	struct window *window = decoration->window;
	struct title_bar *bar = &decoration->bar;
	const struct config_decoration *config = config_of(window);
	int left, max_width = (int)(text_room(window, has_icon, &left) * bar->scale);
	bool changed = bar->text.outdated && wl_list_empty(&bar->late_link);
	bool redraw = changed || bar->text.color != color || bar->text.scale != bar->scale ||
		      needs_room(bar, max_width, config->font_size);
	if (!redraw || bar->text.request || !window_shown(window)) {
		return; /* a request in progress and a hidden window are updated later */
	}
	bar->text.outdated = false;
	bar->text.color = color;
	bar->text.scale = bar->scale;
	bar->text.max_width = max_width;
	if (!window->title || !window->title[0] || max_width == 0 || !window->shell->text) {
		scene_image_set(bar->text.image, NULL, 0, 0);
		return;
	}
	struct text_style style = {
		.font = config->font,
		.size = (int)lround(config->font_size * bar->scale),
		.max_width = max_width,
		.color = color,
		.title = true,
	};
	bar->text.request =
		text_draw(window->shell->text, &style, window->title, handle_drawn, decoration);
}

void title_bar_update(struct decoration *decoration, bool shown)
{
	struct window *window = decoration->window;
	struct title_bar *bar = &decoration->bar;
	if (!shown || !window->mapped) {
		scene_node_set_enabled(&bar->text.image->node, false);
		scene_node_set_enabled(&bar->icon.image->node, false);
		for (int i = 0; i < CONFIG_BUTTONS; i++) {
			scene_node_set_enabled(&bar->buttons[i]->node, false);
		}
		return;
	}
	wl_list_remove(&bar->stale_link);
	wl_list_init(&bar->stale_link);
	double scale = window->surface->preferred_scale;
	bar->scale = scale > 0 ? scale : 1;
	uint32_t color = frame_colors(window).text;
	update_buttons(decoration, color);
	bool has_icon = update_icon(decoration);
	request_text(decoration, has_icon, color);
	place_text(decoration, has_icon);
}

/* Draws a change of title or icon by the client: now, or with further ones after the interval. */
static void draw_change(struct decoration *decoration)
{
	struct title_bar *bar = &decoration->bar;
	struct shell *shell = decoration->window->shell;
	struct title_bars *bars = shell->private->title_bars;
	int64_t now = clock_now(shell->clock);
	if (!wl_list_empty(&bar->late_link)) {
		return;
	}
	if (bar->changed_at == 0 || now - bar->changed_at >= CHANGE_INTERVAL) {
		bar->changed_at = now;
		decoration_update(decoration->window);
		return;
	}
	wl_list_insert(&bars->late, &bar->late_link);
	if (!bars->late_timer.armed) {
		timer_arm(&bars->late_timer, now + CHANGE_INTERVAL);
	}
}

static void handle_late_timer(struct timer *timer, int64_t now)
{
	struct title_bars *bars = wl_container_of(timer, bars, late_timer);
	struct decoration *decoration, *next;
	wl_list_for_each_safe (decoration, next, &bars->late, bar.late_link) {
		wl_list_remove(&decoration->bar.late_link);
		wl_list_init(&decoration->bar.late_link);
		decoration->bar.changed_at = now;
		decoration_update(decoration->window);
	}
}

static void handle_title(struct wl_listener *listener, void *data)
{
	struct decoration *decoration = wl_container_of(listener, decoration, bar.title);
	decoration->bar.text.outdated = true;
	draw_change(decoration);
}

/* Emitted while the scene builds its lists: images change at the end of this turn. */
static void handle_preferred(struct wl_listener *listener, void *data)
{
	struct decoration *decoration = wl_container_of(listener, decoration, bar.preferred);
	struct shell *shell = decoration->window->shell;
	if (decoration->bar.scale != decoration->window->surface->preferred_scale &&
		wl_list_empty(&decoration->bar.stale_link)) {
		wl_list_insert(&shell->private->title_bars->stale, &decoration->bar.stale_link);
		timer_arm_soon(&shell->private->title_bars->timer, clock_now(shell->clock));
	}
}

static void follow_surface(struct decoration *decoration)
{
	struct surface *surface = decoration->window->surface;
	wl_signal_add(&surface->events.preferred, &decoration->bar.preferred);
}

static void handle_surface(struct wl_listener *listener, void *data)
{
	struct decoration *decoration = wl_container_of(listener, decoration, bar.surface);
	wl_list_remove(&decoration->bar.preferred.link);
	follow_surface(decoration);
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct title_bars *bars = wl_container_of(timer, bars, timer);
	struct decoration *decoration, *next;
	wl_list_for_each_safe (decoration, next, &bars->stale, bar.stale_link) {
		wl_list_remove(&decoration->bar.stale_link);
		wl_list_init(&decoration->bar.stale_link);
		decoration_update(decoration->window);
	}
}

static struct scene_image *create_image(struct window *window)
{
	struct scene_image *image = scene_image_create(window->tree, NULL);
	image->node.data = window;
	return image;
}

void title_bar_init(struct decoration *decoration)
{
	struct window *window = decoration->window;
	struct title_bar *bar = &decoration->bar;
	bar->text.image = create_image(window);
	bar->text.outdated = true;
	bar->icon.image = create_image(window);
	for (int i = 0; i < CONFIG_BUTTONS; i++) {
		bar->buttons[i] = create_image(window);
	}
	wl_list_init(&bar->stale_link);
	wl_list_init(&bar->late_link);
	signal_add(&window->events.title, &bar->title, handle_title);
	bar->preferred.notify = handle_preferred;
	follow_surface(decoration);
	signal_add(&window->events.surface, &bar->surface, handle_surface);
}

void title_bar_finish(struct decoration *decoration)
{
	struct title_bar *bar = &decoration->bar;
	struct title_bars *bars = decoration->window->shell->private->title_bars;
	if (bars->window == decoration->window) {
		bars->window = NULL;
	}
	text_cancel(bar->text.request);
	wl_list_remove(&bar->title.link);
	wl_list_remove(&bar->preferred.link);
	wl_list_remove(&bar->surface.link);
	wl_list_remove(&bar->stale_link);
	wl_list_remove(&bar->late_link);
	scene_node_destroy(&bar->text.image->node);
	scene_node_destroy(&bar->icon.image->node);
	for (int i = 0; i < CONFIG_BUTTONS; i++) {
		scene_node_destroy(&bar->buttons[i]->node);
	}
}

void title_bar_icon_changed(struct decoration *decoration)
{
	decoration->bar.icon.outdated = true;
	draw_change(decoration);
}

void title_bar_hover(
	struct shell *shell, struct window *window, enum config_button button, bool pressed)
{
	struct title_bars *bars = shell->private->title_bars;
	struct window *old = bars->window;
	window = button == CONFIG_BUTTON_NONE ? NULL : window;
	if (old == window && (!window || (bars->button == button && bars->pressed == pressed))) {
		return;
	}
	bars->window = window;
	bars->button = button;
	bars->pressed = pressed;
	if (old && old != window) {
		decoration_update(old);
	}
	if (window) {
		decoration_update(window);
	}
}

void title_bars_reset(struct shell *shell)
{
	struct title_bars *bars = shell->private->title_bars;
	struct button_image *image, *next;
	wl_list_for_each_safe (image, next, &bars->images, link) {
		image_destroy(bars, image);
	}
	struct window_private *each;
	wl_list_for_each (each, &shell->private->all_windows, created_link) {
		if (each->decoration) {
			each->decoration->bar.text.outdated = true;
		}
	}
}

void title_bars_init(struct shell *shell)
{
	shell->private->title_bars = xcalloc(1, sizeof(*shell->private->title_bars));
	wl_list_init(&shell->private->title_bars->images);
	wl_list_init(&shell->private->title_bars->stale);
	timer_init(&shell->private->title_bars->timer, shell->clock, handle_timer);
	wl_list_init(&shell->private->title_bars->late);
	timer_init(&shell->private->title_bars->late_timer, shell->clock, handle_late_timer);
}

void title_bars_finish(struct shell *shell)
{
	title_bars_reset(shell);
	timer_finish(&shell->private->title_bars->timer);
	timer_finish(&shell->private->title_bars->late_timer);
	free(shell->private->title_bars);
}
