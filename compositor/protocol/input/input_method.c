/* SPDX-License-Identifier: MIT */
/* zwp_input_method_v2: the client that types into text fields on behalf of the user. */

#include "input_method.h"
#include "input-method-unstable-v2-protocol.h"
#include "seat/seat.h"
#include "util/xalloc.h"
#include <stdlib.h>

static void send_state(struct wl_resource *resource, const struct text_state *state)
{
	if (state->facts & TEXT_SURROUNDING) {
		zwp_input_method_v2_send_surrounding_text(
			resource, state->surrounding, state->cursor, state->anchor);
	}
	if (state->facts & (TEXT_SURROUNDING | TEXT_CAUSE)) {
		zwp_input_method_v2_send_text_change_cause(resource, state->cause);
	}
	if (state->facts & TEXT_CONTENT_TYPE) {
		zwp_input_method_v2_send_content_type(resource, state->hint, state->purpose);
	}
}

static void notify(struct input_method *method, enum input_method_event event)
{
	struct input_agent *agent = wl_container_of(method, agent, method);
	if (event == INPUT_METHOD_DEACTIVATED) {
		zwp_input_method_v2_send_deactivate(agent->resource);
	} else {
		if (event == INPUT_METHOD_ACTIVATED) {
			zwp_input_method_v2_send_activate(agent->resource);
		}
		send_state(agent->resource, &method->seat->text.active->current);
	}
	zwp_input_method_v2_send_done(agent->resource);
	input_keyboard_update(agent);
	input_popups_update(agent);
}

static const struct input_method_impl method_impl = {.notify = notify};

/* Returns NULL if the resource is inert. */
static struct input_method *method_of(struct wl_resource *resource)
{
	struct input_agent *agent = wl_resource_get_user_data(resource);
	return agent ? &agent->method : NULL;
}

static void handle_commit_string(
	struct wl_client *client, struct wl_resource *resource, const char *text)
{
	struct input_method *method = method_of(resource);
	if (method) {
		input_method_insert(method, text);
	}
}

static void handle_set_preedit_string(struct wl_client *client, struct wl_resource *resource,
	const char *text, int32_t cursor_begin, int32_t cursor_end)
{
	struct input_method *method = method_of(resource);
	if (method) {
		input_method_set_preedit(method, text, cursor_begin, cursor_end);
	}
}

static void handle_delete_surrounding_text(
	struct wl_client *client, struct wl_resource *resource, uint32_t before, uint32_t after)
{
	struct input_method *method = method_of(resource);
	if (method) {
		input_method_delete(method, before, after);
	}
}

static void handle_commit(struct wl_client *client, struct wl_resource *resource, uint32_t serial)
{
	struct input_method *method = method_of(resource);
	if (method) {
		input_method_commit(method, serial);
	}
}

static void handle_get_input_popup_surface(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, struct wl_resource *surface)
{
	input_popup_create(
		wl_resource_get_user_data(resource), resource, id, surface_from_resource(surface));
}

static void handle_grab_keyboard(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	input_keyboard_create(
		wl_resource_get_user_data(resource), client, wl_resource_get_version(resource), id);
}

static const struct zwp_input_method_v2_interface resource_impl = {
	.commit_string = handle_commit_string,
	.set_preedit_string = handle_set_preedit_string,
	.delete_surrounding_text = handle_delete_surrounding_text,
	.commit = handle_commit,
	.get_input_popup_surface = handle_get_input_popup_surface,
	.grab_keyboard = handle_grab_keyboard,
	.destroy = resource_handle_destroy,
};

static void destroy(struct wl_resource *resource)
{
	struct input_agent *agent = wl_resource_get_user_data(resource);
	if (agent) {
		input_keyboard_orphan(agent);
		input_popups_orphan(agent);
		input_method_finish(&agent->method);
		free(agent);
	}
}

static void handle_get_input_method(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *seat_resource, uint32_t id)
{
	struct seat *seat = seat_from_resource(seat_resource);
	bool available = seat && !seat->text.method;
	struct input_agent *agent = available ? xcalloc(1, sizeof(*agent)) : NULL;
	struct wl_resource *created = resource_create_child(
		resource, &zwp_input_method_v2_interface, id, &resource_impl, agent, destroy);
	if (!created) {
		return;
	}
	if (!agent) {
		zwp_input_method_v2_send_unavailable(created);
		return;
	}
	agent->resource = created;
	agent->protocols = wl_resource_get_user_data(resource);
	wl_list_init(&agent->popups);
	input_method_init(&agent->method, seat, &method_impl);
}

static const struct zwp_input_method_manager_v2_interface manager_impl = {
	.get_input_method = handle_get_input_method,
	.destroy = resource_handle_destroy,
};

void input_method_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &zwp_input_method_manager_v2_interface, 1, &manager_impl,
		protocols, GLOBAL_PRIVILEGED);
}
