/* SPDX-License-Identifier: MIT */
/*
 * Icons of programs that send none: read from the icon theme by one task at a time, and kept for
 * the names and sizes that were used last.
 */

#include "apps/icon_theme.h"
#include "look.h"
#include "shell/geometry/private.h"
#include "shell/icon.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/** Maximum number of icons kept, including those that were not found. */
#define ICONS_MAX 64

struct app_icon {
	struct wl_list link; /* shell_icons.list */
	char *name, *app_id; /* NULL: none */
	int size; /* pixels */
	pixman_image_t *image; /* NULL: none, or not read yet */
	bool read;
};

struct shell_icons {
	struct shell *shell;
	struct wl_list list; /* app_icon.link, last used first */
	int n;
	struct task *task; /* NULL: none */
};

struct reading {
	char *name, *app_id;
	int size;
	const char *program; /* for SVG files */
	struct picture picture;
};

static void icon_destroy(struct shell_icons *icons, struct app_icon *icon)
{
	wl_list_remove(&icon->link);
	icons->n--;
	if (icon->image) {
		pixman_image_unref(icon->image);
	}
	free(icon->name);
	free(icon->app_id);
	free(icon);
}

static bool is_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static struct app_icon *find(
	struct shell_icons *icons, const char *name, const char *app_id, int size)
{
	struct app_icon *icon;
	wl_list_for_each (icon, &icons->list, link) {
		if (icon->size == size && is_equal(icon->name, name) &&
			is_equal(icon->app_id, app_id)) {
			return icon;
		}
	}
	return NULL;
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void run(void *data)
{
	struct reading *reading = data;
	reading->picture =
		icon_theme_read(reading->name, reading->app_id, reading->size, reading->program);
}

static void free_reading(void *data)
{
	struct reading *reading = data;
	picture_finish(&reading->picture);
	free(reading->name);
	free(reading->app_id);
	free(reading);
}

static void read_next(struct shell_icons *icons);

static const char *name_of(const struct window *window)
{
	const char *name = window->icon ? window->icon->name : NULL;
	return icon_theme_name_valid(name) ? name : NULL;
}

static const char *app_id_of(const struct window *window)
{
	return icon_theme_name_valid(window->app_id) ? window->app_id : NULL;
}

static void handle_done(void *owner, void *data, int error)
{
	struct shell_icons *icons = owner;
	struct reading *reading = data;
	icons->task = NULL;
	struct app_icon *icon = find(icons, reading->name, reading->app_id, reading->size);
	const bool found = icon && reading->picture.image;
	if (icon) {
		icon->read = true;
		icon->image = reading->picture.image;
		reading->picture.image = NULL;
	}
	struct window *window;
	/* Drawing may add icons, which removes others: this one too. */
	wl_list_for_each (window, &icons->shell->windows, link) {
		if (found && is_equal(name_of(window), reading->name) &&
			is_equal(app_id_of(window), reading->app_id)) {
			signal_emit(&icons->shell->events.icon, window);
		}
	}
	read_next(icons);
}

static const struct task_impl task_impl = {
	.run = run,
	.done = handle_done,
	.free = free_reading,
};

/* Starts to read the icon that was used last of those that are missing. */
static void read_next(struct shell_icons *icons)
{
	const struct app_icon *icon;
	wl_list_for_each (icon, &icons->list, link) {
		if (!icon->read && !icons->task) {
			struct reading *reading = xcalloc(1, sizeof(*reading));
			reading->name = copy(icon->name);
			reading->app_id = copy(icon->app_id);
			reading->size = icon->size;
			reading->program = icons->shell->helper_program;
			icons->task = task_start(
				icons->shell->tasks, NULL, &task_impl, reading, icons, 0);
		}
	}
}

static struct app_icon *add(
	struct shell_icons *icons, const char *name, const char *app_id, int size)
{
	struct app_icon *icon = xcalloc(1, sizeof(*icon));
	if (icons->n == ICONS_MAX) {
		icon_destroy(icons, wl_container_of(icons->list.prev, icon, link));
	}
	icon->name = copy(name);
	icon->app_id = copy(app_id);
	icon->size = size;
	wl_list_insert(&icons->list, &icon->link);
	icons->n++;
	read_next(icons);
	return icon;
}

pixman_image_t *app_icon_draw(const struct window *window, int size)
{
	struct shell_icons *icons = window->shell->private->icons;
	pixman_image_t *own = icon_draw(window->icon, size);
	const char *name = name_of(window), *app_id = app_id_of(window);
	if (own || !icons->shell->tasks || (!name && !app_id)) {
		return own;
	}
	struct app_icon *icon = find(icons, name, app_id, size);
	if (!icon) {
		icon = add(icons, name, app_id, size);
	}
	wl_list_remove(&icon->link);
	wl_list_insert(&icons->list, &icon->link);
	return icon->image ? pixman_image_ref(icon->image) : NULL;
}

void app_icons_init(struct shell *shell)
{
	struct shell_icons *icons = xcalloc(1, sizeof(*icons));
	wl_list_init(&icons->list);
	icons->shell = shell;
	shell->private->icons = icons;
}

void app_icons_finish(struct shell *shell)
{
	struct shell_icons *icons = shell->private->icons;
	struct app_icon *icon, *next;
	task_abandon(icons->task);
	wl_list_for_each_safe (icon, next, &icons->list, link) {
		icon_destroy(icons, icon);
	}
	free(icons);
}
