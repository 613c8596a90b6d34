/* SPDX-License-Identifier: MIT */
/* A client of zwlr_output_manager_v1: heads as the server describes them, and configurations. */

#include "output_client.h"
#include "util/xalloc.h"
#include <stdio.h>
#include <string.h>

static void handle_size(
	void *data, struct zwlr_output_mode_v1 *proxy, int32_t width, int32_t height)
{
	struct client_mode *mode = data;
	mode->width = width;
	mode->height = height;
}

static void handle_refresh(void *data, struct zwlr_output_mode_v1 *proxy, int32_t refresh)
{
	((struct client_mode *)data)->refresh = refresh;
}

static void handle_preferred(void *data, struct zwlr_output_mode_v1 *proxy)
{
}

static void handle_mode_finished(void *data, struct zwlr_output_mode_v1 *proxy)
{
	((struct client_mode *)data)->finished = true;
	zwlr_output_mode_v1_release(proxy);
}

static const struct zwlr_output_mode_v1_listener mode_listener = {
	handle_size, handle_refresh, handle_preferred, handle_mode_finished};

static void handle_name(void *data, struct zwlr_output_head_v1 *proxy, const char *name)
{
	struct client_head *head = data;
	snprintf(head->name, sizeof(head->name), "%s", name);
}

static void ignore_text(void *data, struct zwlr_output_head_v1 *proxy, const char *text)
{
}

static void handle_physical_size(
	void *data, struct zwlr_output_head_v1 *proxy, int32_t width, int32_t height)
{
}

/* Modes that the server finished make room. */
static void handle_mode(
	void *data, struct zwlr_output_head_v1 *proxy, struct zwlr_output_mode_v1 *mode)
{
	struct client_head *head = data;
	int i = 0;
	while (i < head->n_modes && !head->modes[i].finished) {
		i++;
	}
	assert_in_range(i, 0, CLIENT_MODES_MAX - 1);
	head->n_modes += i == head->n_modes;
	head->modes[i] = (struct client_mode){.proxy = mode};
	zwlr_output_mode_v1_add_listener(mode, &mode_listener, &head->modes[i]);
}

static void handle_enabled(void *data, struct zwlr_output_head_v1 *proxy, int32_t enabled)
{
	((struct client_head *)data)->enabled = enabled;
}

static void handle_current_mode(
	void *data, struct zwlr_output_head_v1 *proxy, struct zwlr_output_mode_v1 *mode)
{
	struct client_head *head = data;
	head->current = NULL;
	for (int i = 0; i < head->n_modes; i++) {
		if (head->modes[i].proxy == mode && !head->modes[i].finished) {
			head->current = &head->modes[i];
		}
	}
	assert_non_null(head->current);
}

static void handle_position(void *data, struct zwlr_output_head_v1 *proxy, int32_t x, int32_t y)
{
	struct client_head *head = data;
	head->x = x;
	head->y = y;
}

static void handle_transform(void *data, struct zwlr_output_head_v1 *proxy, int32_t transform)
{
	((struct client_head *)data)->transform = transform;
}

static void handle_scale(void *data, struct zwlr_output_head_v1 *proxy, wl_fixed_t scale)
{
	((struct client_head *)data)->scale = wl_fixed_to_double(scale);
}

static void handle_head_finished(void *data, struct zwlr_output_head_v1 *proxy)
{
	((struct client_head *)data)->finished = true;
}

static void handle_adaptive_sync(void *data, struct zwlr_output_head_v1 *proxy, uint32_t state)
{
	((struct client_head *)data)->adaptive_sync = state;
}

static const struct zwlr_output_head_v1_listener head_listener = {
	.name = handle_name,
	.description = ignore_text,
	.physical_size = handle_physical_size,
	.mode = handle_mode,
	.enabled = handle_enabled,
	.current_mode = handle_current_mode,
	.position = handle_position,
	.transform = handle_transform,
	.scale = handle_scale,
	.finished = handle_head_finished,
	.make = ignore_text,
	.model = ignore_text,
	.serial_number = ignore_text,
	.adaptive_sync = handle_adaptive_sync,
};

static void handle_head(
	void *data, struct zwlr_output_manager_v1 *manager, struct zwlr_output_head_v1 *proxy)
{
	struct output_client *client = data;
	assert_in_range(client->n_heads, 0, CLIENT_HEADS_MAX - 1);
	struct client_head *head = &client->heads[client->n_heads++];
	head->proxy = proxy;
	zwlr_output_head_v1_add_listener(proxy, &head_listener, head);
}

static void handle_done(void *data, struct zwlr_output_manager_v1 *manager, uint32_t serial)
{
	((struct output_client *)data)->serial = serial;
}

static void handle_finished(void *data, struct zwlr_output_manager_v1 *manager)
{
	fail_msg("the server ended the manager");
}

static const struct zwlr_output_manager_v1_listener manager_listener = {
	handle_head, handle_done, handle_finished};

struct output_client *output_client_create(struct world *world)
{
	struct output_client *client = xcalloc(1, sizeof(*client));
	client->world = world;
	client->manager =
		peer_bind(peer_create(world->fixture), &zwlr_output_manager_v1_interface, 0);
	zwlr_output_manager_v1_add_listener(client->manager, &manager_listener, client);
	fixture_pump(world->fixture);
	return client;
}

struct client_head *output_client_find(struct output_client *client, const char *name)
{
	for (int i = 0; i < client->n_heads; i++) {
		struct client_head *head = &client->heads[i];
		if (!head->finished && strcmp(head->name, name) == 0) {
			return head;
		}
	}
	fail_msg("no head %s", name);
	return NULL;
}

static void set_mode(struct zwlr_output_configuration_head_v1 *request, struct client_head *head,
	const struct client_wish *wish, bool repeats)
{
	for (int i = 0; wish->width && i < head->n_modes; i++) {
		if (!head->modes[i].finished && head->modes[i].width == wish->width) {
			zwlr_output_configuration_head_v1_set_mode(request, head->modes[i].proxy);
			return;
		}
	}
	assert_int_equal(wish->width, 0);
	if (wish->custom_width) {
		zwlr_output_configuration_head_v1_set_custom_mode(
			request, wish->custom_width, wish->custom_width * 3 / 4, 0);
	} else if (repeats && head->enabled) {
		assert_non_null(head->current);
		zwlr_output_configuration_head_v1_set_mode(request, head->current->proxy);
	}
}

static void set_head(struct zwlr_output_configuration_v1 *configuration, struct client_head *head,
	const struct client_wish *wish, bool repeats)
{
	struct zwlr_output_configuration_head_v1 *request =
		zwlr_output_configuration_v1_enable_head(configuration, head->proxy);
	repeats = repeats && head->enabled;
	set_mode(request, head, wish, repeats);
	if (wish->has_position || repeats) {
		zwlr_output_configuration_head_v1_set_position(request,
			wish->has_position ? wish->x : head->x,
			wish->has_position ? wish->y : head->y);
	}
	if (wish->transform || repeats) {
		zwlr_output_configuration_head_v1_set_transform(
			request, wish->transform ? wish->transform : head->transform);
	}
	if (wish->scale > 0 || repeats) {
		zwlr_output_configuration_head_v1_set_scale(
			request, wl_fixed_from_double(wish->scale > 0 ? wish->scale : head->scale));
	}
	if (wish->adaptive_sync || repeats) {
		zwlr_output_configuration_head_v1_set_adaptive_sync(request,
			wish->adaptive_sync ? wish->adaptive_sync > 0 : head->adaptive_sync);
	}
}

static void handle_succeeded(void *data, struct zwlr_output_configuration_v1 *proxy)
{
	*(enum client_answer *)data = CLIENT_SUCCEEDED;
}

static void handle_failed(void *data, struct zwlr_output_configuration_v1 *proxy)
{
	*(enum client_answer *)data = CLIENT_FAILED;
}

static void handle_cancelled(void *data, struct zwlr_output_configuration_v1 *proxy)
{
	*(enum client_answer *)data = CLIENT_CANCELLED;
}

static const struct zwlr_output_configuration_v1_listener configuration_listener = {
	handle_succeeded, handle_failed, handle_cancelled};

enum client_answer output_client_apply(struct output_client *client, const struct client_wish *wish)
{
	static const struct client_wish none = {.name = ""};
	enum client_answer answer = CLIENT_NO_ANSWER;
	struct zwlr_output_configuration_v1 *configuration =
		zwlr_output_manager_v1_create_configuration(client->manager, client->serial);
	zwlr_output_configuration_v1_add_listener(configuration, &configuration_listener, &answer);
	for (int i = 0; i < client->n_heads; i++) {
		struct client_head *head = &client->heads[i];
		const bool is_changed = wish && strcmp(head->name, wish->name) == 0;
		if (head->finished) {
			continue;
		}
		if (is_changed ? wish->disables : !head->enabled) {
			zwlr_output_configuration_v1_disable_head(configuration, head->proxy);
		} else {
			set_head(configuration, head, is_changed ? wish : &none, client->repeats);
		}
	}
	zwlr_output_configuration_v1_apply(configuration);
	fixture_pump(client->world->fixture);
	zwlr_output_configuration_v1_destroy(configuration);
	fixture_pump(client->world->fixture);
	return answer;
}
