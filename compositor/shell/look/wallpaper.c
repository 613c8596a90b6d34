/* SPDX-License-Identifier: MIT */
/*
 * Backgrounds of outputs: a colour, a gradient or a picture. Tasks read pictures one after the
 * other and scale them to the outputs' pixels; outputs of one size share the image.
 */

#include "buffer/buffer.h"
#include "buffer/image_buffer.h"
#include "look.h"
#include "render/picture.h"
#include "shell/geometry/private.h"
#include "util/log.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/** A scaled picture. */
struct backdrop {
	char *path;
	int mode; /* enum picture_mode */
	int width, height; /* of the area, pixels */
	struct box box; /* of the image, pixels of the area */
	struct buffer *buffer; /* locked; NULL: the picture could not be read */
	bool read; /* or failed to be */
};

struct wallpaper {
	struct scene_output *output; /* NULL: none */
	struct scene_tree *tree;
	struct scene_rect *rect; /* disabled if the scene's background is the same */
	struct scene_image *image; /* invisible without picture */
	struct backdrop backdrop; /* path NULL: no picture */
};

struct shell_wallpapers {
	struct shell *shell;
	struct wallpaper list[SCENE_OUTPUTS_MAX];
	struct task *task; /* reads a picture; NULL: none */
	struct wl_listener removed, layout_changed;
};

/** Of a task. */
struct reading {
	struct backdrop backdrop;
	struct picture picture;
	char *error;
};

static void backdrop_finish(struct backdrop *backdrop)
{
	buffer_replace(&backdrop->buffer, NULL);
	free(backdrop->path);
	*backdrop = (struct backdrop){0};
}

static bool is_same(const struct backdrop *a, const struct backdrop *b)
{
	return a->path && b->path && strcmp(a->path, b->path) == 0 && a->mode == b->mode &&
	       a->width == b->width && a->height == b->height;
}

static void clear(struct wallpaper *wallpaper)
{
	if (wallpaper->output) {
		scene_node_destroy(&wallpaper->tree->node);
		backdrop_finish(&wallpaper->backdrop);
	}
	*wallpaper = (struct wallpaper){0};
}

static void show_picture(struct wallpaper *wallpaper)
{
	const struct backdrop *backdrop = &wallpaper->backdrop;
	const double scale = wallpaper->output->scale;
	scene_image_set_drawn(wallpaper->image, backdrop->buffer,
		coord_round_up(backdrop->box.width / scale),
		coord_round_up(backdrop->box.height / scale), scale);
	scene_node_set_position(&wallpaper->image->node, (int)(backdrop->box.x / scale),
		(int)(backdrop->box.y / scale));
}

static void take(struct wallpaper *wallpaper, const struct backdrop *backdrop)
{
	wallpaper->backdrop.read = true;
	wallpaper->backdrop.box = backdrop->box;
	buffer_replace(&wallpaper->backdrop.buffer, backdrop->buffer);
	show_picture(wallpaper);
}

static void run(void *data)
{
	struct reading *reading = data;
	struct backdrop *backdrop = &reading->backdrop;
	struct picture picture;
	reading->error = picture_read(backdrop->path, PICTURE_SIZE_MAX, &picture);
	if (reading->error) {
		return;
	}
	const struct picture_place place = picture_place((enum picture_mode)backdrop->mode,
		pixman_image_get_width(picture.image), pixman_image_get_height(picture.image),
		backdrop->width, backdrop->height);
	backdrop->box = place.dst;
	reading->picture = picture_scale(&picture, &place);
	picture_finish(&picture);
	if (!reading->picture.image) {
		reading->error = xstrdup("out of memory");
	}
}

static void free_reading(void *data)
{
	struct reading *reading = data;
	picture_finish(&reading->picture);
	free(reading->backdrop.path);
	free(reading->error);
	free(reading);
}

static void read_next(struct shell_wallpapers *wallpapers);

static void handle_done(void *owner, void *data, int error)
{
	struct shell_wallpapers *wallpapers = owner;
	struct reading *reading = data;
	struct buffer *buffer = NULL;
	wallpapers->task = NULL;
	if (reading->error) {
		log_warn("%s: cannot show the background: %s", reading->backdrop.path,
			reading->error);
	} else {
		buffer = (reading->picture.opaque ? image_buffer_create_opaque
						  : image_buffer_create)(reading->picture.image);
		reading->picture.image = NULL;
		buffer_lock(buffer);
		buffer_drop(buffer);
	}
	reading->backdrop.buffer = buffer;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct wallpaper *wallpaper = &wallpapers->list[i];
		if (!wallpaper->backdrop.read &&
			is_same(&wallpaper->backdrop, &reading->backdrop)) {
			take(wallpaper, &reading->backdrop);
		}
	}
	buffer_replace(&reading->backdrop.buffer, NULL);
	read_next(wallpapers);
}

static const struct task_impl task_impl = {
	.run = run,
	.done = handle_done,
	.free = free_reading,
};

/* Starts to read the first picture that is missing. */
static void read_next(struct shell_wallpapers *wallpapers)
{
	struct tasks *tasks = wallpapers->shell->tasks;
	for (int i = 0; tasks && !wallpapers->task && i < SCENE_OUTPUTS_MAX; i++) {
		const struct backdrop *backdrop = &wallpapers->list[i].backdrop;
		if (backdrop->path && !backdrop->read) {
			struct reading *reading = xcalloc(1, sizeof(*reading));
			reading->backdrop = *backdrop;
			reading->backdrop.path = xstrdup(backdrop->path);
			wallpapers->task =
				task_start(tasks, NULL, &task_impl, reading, wallpapers, 0);
		}
	}
}

/* Uses the image of another output with the same picture and size, if any. */
static void share(struct shell_wallpapers *wallpapers, struct wallpaper *wallpaper)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct backdrop *other = &wallpapers->list[i].backdrop;
		if (other->buffer && is_same(other, &wallpaper->backdrop)) {
			take(wallpaper, other);
			return;
		}
	}
}

static void set_picture(struct shell_wallpapers *wallpapers, struct wallpaper *wallpaper,
	const struct config_background *background)
{
	int width, height;
	const struct scene_view view = scene_output_view(wallpaper->output);
	scene_view_upright_size(&view, &width, &height);
	struct backdrop wanted = {background->image, background->mode, width, height};
	if (!wanted.path || !wanted.path[0]) {
		backdrop_finish(&wallpaper->backdrop);
		scene_image_set(wallpaper->image, NULL, 0, 0);
	} else if (!is_same(&wallpaper->backdrop, &wanted) ||
		   (wallpaper->backdrop.read && !wallpaper->backdrop.buffer)) {
		/* A file that could not be read may have been mended. */
		backdrop_finish(&wallpaper->backdrop);
		scene_image_set(wallpaper->image, NULL, 0, 0);
		wallpaper->backdrop = wanted;
		wallpaper->backdrop.path = xstrdup(wanted.path);
		share(wallpapers, wallpaper);
	} else if (wallpaper->backdrop.buffer) {
		show_picture(wallpaper); /* the scale may have changed */
	}
}

static void set_colors(
	struct wallpaper *wallpaper, const struct config_background *background, uint32_t behind)
{
	scene_rect_set_gradient(wallpaper->rect, background->top, background->bottom);
	scene_node_set_enabled(&wallpaper->rect->node,
		background->top != background->bottom || background->top != behind);
}

static void create(struct shell *shell, struct wallpaper *wallpaper, struct scene_output *output)
{
	static const float black[4] = {0, 0, 0, 1};
	wallpaper->output = output;
	wallpaper->tree = scene_tree_create(shell->layers[SHELL_BACKGROUND]);
	scene_node_lower_to_bottom(&wallpaper->tree->node);
	scene_tree_set_output(wallpaper->tree, output);
	wallpaper->rect = scene_rect_create(wallpaper->tree, 0, 0, black);
	wallpaper->image = scene_image_create(wallpaper->tree, NULL);
}

static void update(struct shell_wallpapers *wallpapers, struct scene_output *output)
{
	struct wallpaper *wallpaper = &wallpapers->list[output->index];
	const struct config *config = wallpapers->shell->config;
	const struct output *device = output->output;
	if (!wallpaper->output) {
		create(wallpapers->shell, wallpaper, output);
	}
	const struct box box = scene_output_box(output);
	const struct config_background background =
		config_background_of(config, config_output_match(config, device->name, device->make,
						     device->model, device->serial));
	scene_node_set_position(&wallpaper->tree->node, box.x, box.y);
	scene_rect_set_size(wallpaper->rect, box.width, box.height);
	set_colors(wallpaper, &background, config->look.background.top);
	set_picture(wallpapers, wallpaper, &background);
}

void wallpapers_update(struct shell *shell)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (shell->scene->outputs[i]) {
			update(shell->private->wallpapers, shell->scene->outputs[i]);
		}
	}
	read_next(shell->private->wallpapers);
}

static void handle_layout_changed(struct wl_listener *listener, void *data)
{
	struct shell_wallpapers *wallpapers = wl_container_of(listener, wallpapers, layout_changed);
	wallpapers_update(wallpapers->shell);
}

static void handle_removed(struct wl_listener *listener, void *data)
{
	struct shell_wallpapers *wallpapers = wl_container_of(listener, wallpapers, removed);
	const struct scene_output *output = data;
	clear(&wallpapers->list[output->index]);
}

void wallpapers_init(struct shell *shell)
{
	struct shell_wallpapers *wallpapers = xcalloc(1, sizeof(*wallpapers));
	shell->private->wallpapers = wallpapers;
	wallpapers->shell = shell;
	signal_add(&shell->scene->events.output_removed, &wallpapers->removed, handle_removed);
	signal_add(&shell->scene->events.layout_changed, &wallpapers->layout_changed,
		handle_layout_changed);
}

void wallpapers_finish(struct shell *shell)
{
	struct shell_wallpapers *wallpapers = shell->private->wallpapers;
	task_abandon(wallpapers->task);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		clear(&wallpapers->list[i]);
	}
	wl_list_remove(&wallpapers->removed.link);
	wl_list_remove(&wallpapers->layout_changed.link);
	free(wallpapers);
}
