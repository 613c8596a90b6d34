/* SPDX-License-Identifier: MIT */
/*
 * On-screen messages: a panel with text on every output. One reports an error or an event of the
 * session; another one, below lock surfaces, explains how to get back into a session whose lock
 * client has ended.
 */

#include "buffer/buffer.h"
#include "buffer/image_buffer.h"
#include "look.h"
#include "render/text.h"
#include "shell/geometry/panel.h"
#include "shell/geometry/private.h"
#include "shell/geometry/text_columns.h"
#include "util/xalloc.h"
#include <math.h>
#include <stdlib.h>

/* Logical pixels. */
#define FONT_SIZE 15
#define SMALLEST_FONT 9
/** Help with a smaller font has two columns. */
#define LEGIBLE_FONT 12
#define PADDING 14
#define MARGIN 16
#define WIDTH_MAX 900
#define LINES_MAX 20
#define HELP_LINES 80
#define RADIUS 9

#define ERROR_COLOR 0x5c1414
#define ERROR_BORDER 0xc04848

struct panel {
	struct message *message;
	struct scene_output *output;
	struct scene_tree *tree; /* NULL: not drawn */
	struct text_request *request; /* NULL: no request pending */
	struct box box; /* of the output when it was drawn */
	double scale;
};

struct message {
	enum shell_node_kind kind; /* for scene hits */
	struct shell *shell;
	enum shell_layer layer;
	char *text; /* NULL: hidden */
	bool error;
	struct timer timer;
	struct panel panels[SCENE_OUTPUTS_MAX];
};

struct shell_messages {
	struct message list[SHELL_MESSAGE_COUNT];
	struct wl_listener removed, layout_changed;
};

static void clear(struct panel *panel)
{
	text_cancel(panel->request);
	if (panel->tree) {
		scene_node_destroy(&panel->tree->node);
	}
	panel->request = NULL;
	panel->tree = NULL;
	panel->output = NULL;
}

static void add_box(struct panel *panel, int grow, int width, int height, uint32_t rgb)
{
	const struct box box = {
		-grow, -grow, width + 2 * (PADDING + grow), height + 2 * (PADDING + grow)};
	/* A lock message takes no input. */
	void *data = panel->message->layer == SHELL_LOCK ? NULL : panel->message;
	panel_box_create(panel->tree, &box, RADIUS + grow, rgb, panel->scale, data);
}

static enum shell_message kind_of(const struct message *message)
{
	return (enum shell_message)(message - message->shell->private->messages->list);
}

static bool is_help(const struct message *message)
{
	return kind_of(message) == SHELL_MESSAGE_HELP;
}

/* Returns the distance of a panel of this height from the top of its output. */
static int offset(const struct panel *panel, int height)
{
	const int room = panel->box.height - height;
	int wanted = MARGIN;
	switch (kind_of(panel->message)) {
	case SHELL_MESSAGE_MODE: wanted = room - MARGIN; break;
	case SHELL_MESSAGE_HELP:
	case SHELL_MESSAGE_QUIT: wanted = room / 2; break;
	default: break;
	}
	return wanted > MARGIN ? wanted : MARGIN;
}

static void handle_drawn(void *data, pixman_image_t *image)
{
	struct panel *panel = data;
	panel->request = NULL;
	if (!image) {
		return;
	}
	int width = coord_round_up(pixman_image_get_width(image) / panel->scale);
	int height = coord_round_up(pixman_image_get_height(image) / panel->scale);
	struct buffer *buffer = image_buffer_create(image);
	struct shell *shell = panel->message->shell;
	const struct panel_colors colors = panel_colors(shell);
	const bool error = panel->message->error;
	panel->tree = scene_tree_create(shell->layers[panel->message->layer]);
	add_box(panel, 1, width, height, error ? ERROR_BORDER : colors.border);
	add_box(panel, 0, width, height, error ? ERROR_COLOR : colors.panel);
	struct scene_image *image_node = scene_image_create(panel->tree, NULL);
	scene_image_set_drawn(image_node, buffer, width, height, panel->scale);
	buffer_drop(buffer); /* the node holds a lock */
	scene_node_set_position(&image_node->node, PADDING, PADDING);
	scene_node_set_position(&panel->tree->node,
		panel->box.x + (panel->box.width - width) / 2 - PADDING,
		panel->box.y + offset(panel, height + 2 * PADDING));
	if (panel->message->layer == SHELL_LOCK) {
		scene_node_lower_to_bottom(&panel->tree->node);
	}
}

/* Returns a size at which all lines of the help fit into this height, if it is not too small. */
static int font_size(const char *text, bool help, int height)
{
	int n = 1;
	for (const char *c = text; help && *c; c++) {
		n += *c == '\n';
	}
	const int size = height * 3 / (4 * n);
	return size > FONT_SIZE ? FONT_SIZE : size < SMALLEST_FONT ? SMALLEST_FONT : size;
}

static void request(struct panel *panel, struct scene_output *output)
{
	struct message *message = panel->message;
	panel->output = output;
	panel->box = scene_output_box(output);
	panel->scale = output->scale;
	int width = panel->box.width - 2 * (MARGIN + PADDING);
	const int height = panel->box.height - 2 * (MARGIN + PADDING);
	const bool help = is_help(message);
	const bool halved = help && font_size(message->text, true, height) < LEGIBLE_FONT;
	char *text = halved ? text_in_columns(message->text) : xstrdup(message->text);
	const int size = font_size(text, help, height);
	int lines = height * 3 / (4 * size);
	const int most = help ? HELP_LINES : LINES_MAX;
	struct text_style style = {
		.size = (int)lround(size * output->scale),
		.max_width = (int)((width < WIDTH_MAX ? width : WIDTH_MAX) * output->scale),
		.font = help ? "monospace" : NULL,
		.max_lines = lines < 1      ? 1
			     : lines < most ? lines
					    : most,
		.color = message->error ? 0xffffff : panel_colors(message->shell).selected_text,
	};
	panel->request = text_draw(message->shell->text, &style, text, handle_drawn, panel);
	free(text);
}

/* Draws panels that are missing or whose output changed size or scale. */
static void update(struct message *message)
{
	const struct scene *scene = message->shell->scene;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct panel *panel = &message->panels[i];
		struct scene_output *output = message->text ? scene->outputs[i] : NULL;
		struct box box = output ? scene_output_box(output) : (struct box){0};
		if (panel->output && (panel->output != output || panel->scale != output->scale ||
					     !box_equal(&panel->box, &box))) {
			clear(panel);
		}
		if (output && !panel->output) {
			request(panel, output);
		}
	}
}

void shell_hide_message(struct shell *shell, enum shell_message kind)
{
	struct message *message = &shell->private->messages->list[kind];
	free(message->text);
	message->text = NULL;
	timer_disarm(&message->timer);
	update(message);
}

void shell_show_message(
	struct shell *shell, enum shell_message kind, const char *text, int64_t duration)
{
	struct message *message = &shell->private->messages->list[kind];
	shell_hide_message(shell, kind);
	if (!shell->text) {
		return;
	}
	message->text = xstrdup(text);
	message->error = duration == 0 && kind == SHELL_MESSAGE_SESSION;
	if (duration > 0) {
		timer_arm(&message->timer, clock_now(shell->clock) + duration);
	}
	update(message);
}

const char *shell_message_text(const struct shell *shell, enum shell_message kind)
{
	return shell->private->messages->list[kind].text;
}

bool message_press(struct shell *shell, void *data)
{
	const enum shell_node_kind *kind = data;
	if (!kind || *kind != SHELL_NODE_MESSAGE) {
		return false;
	}
	const struct message *message = data;
	shell_hide_message(shell, kind_of(message));
	return true;
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct message *message = wl_container_of(timer, message, timer);
	shell_hide_message(message->shell, kind_of(message));
}

static void handle_layout_changed(struct wl_listener *listener, void *data)
{
	struct shell_messages *messages = wl_container_of(listener, messages, layout_changed);
	for (int i = 0; i < SHELL_MESSAGE_COUNT; i++) {
		update(&messages->list[i]);
	}
}

static void handle_removed(struct wl_listener *listener, void *data)
{
	struct shell_messages *messages = wl_container_of(listener, messages, removed);
	const struct scene_output *output = data;
	for (int i = 0; i < SHELL_MESSAGE_COUNT; i++) {
		clear(&messages->list[i].panels[output->index]);
	}
}

void messages_init(struct shell *shell)
{
	struct shell_messages *messages = xcalloc(1, sizeof(*messages));
	shell->private->messages = messages;
	for (int i = 0; i < SHELL_MESSAGE_COUNT; i++) {
		struct message *message = &messages->list[i];
		message->kind = SHELL_NODE_MESSAGE;
		message->shell = shell;
		message->layer = i == SHELL_MESSAGE_LOCK ? SHELL_LOCK : SHELL_MESSAGES;
		timer_init(&message->timer, shell->clock, handle_timer);
		for (int j = 0; j < SCENE_OUTPUTS_MAX; j++) {
			message->panels[j].message = message;
		}
	}
	signal_add(&shell->scene->events.output_removed, &messages->removed, handle_removed);
	signal_add(&shell->scene->events.layout_changed, &messages->layout_changed,
		handle_layout_changed);
}

void messages_finish(struct shell *shell)
{
	for (int i = 0; i < SHELL_MESSAGE_COUNT; i++) {
		shell_hide_message(shell, (enum shell_message)i);
		timer_finish(&shell->private->messages->list[i].timer);
	}
	wl_list_remove(&shell->private->messages->removed.link);
	wl_list_remove(&shell->private->messages->layout_changed.link);
	free(shell->private->messages);
}
