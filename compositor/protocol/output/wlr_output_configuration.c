/* SPDX-License-Identifier: MIT */
/* zwlr_output_configuration: output configurations by clients, tested or applied as a whole. */

#include "backend/output.h"
#include "config/config.h"
#include "output_management.h"
#include "protocol/server_output.h"
#include "util/xalloc.h"
#include "wlr-output-management-unstable-v1-protocol.h"
#include <stdlib.h>

struct configuration {
	struct wl_resource *resource;
	struct output_management *management;
	uint32_t serial;
	bool used;
	bool stale; /* refers to an object that is gone */
	struct wl_list requests; /* request.link */
};

enum field {
	FIELD_MODE = 1 << 0,
	FIELD_POSITION = 1 << 1,
	FIELD_TRANSFORM = 1 << 2,
	FIELD_SCALE = 1 << 3,
	FIELD_ADAPTIVE_SYNC = 1 << 4,
};

/** Version 1 of the protocol. */
#define FIELDS_OF_ALL_VERSIONS (FIELD_MODE | FIELD_POSITION | FIELD_TRANSFORM | FIELD_SCALE)

/** The requested configuration of one head. */
struct request {
	struct configuration *configuration;
	struct wl_resource *resource; /* NULL: disable the head */
	/** Only compared while the serial is current; otherwise the head may be gone. */
	const struct output_head *head; /* NULL: it was gone from the start */
	struct wl_list link; /* configuration.requests */
	uint32_t set; /* enum field */
	struct output_mode mode;
	int32_t x, y;
	enum wl_output_transform transform;
	double scale;
	bool adaptive_sync;
};

/** Posts an error if the configuration was used; only destroy is allowed then. */
static bool is_used(struct configuration *configuration)
{
	if (configuration->used) {
		wl_resource_post_error(configuration->resource,
			ZWLR_OUTPUT_CONFIGURATION_V1_ERROR_ALREADY_USED,
			"the configuration was already tested or applied");
	}
	return configuration->used;
}

/** Returns true if the configuration must be cancelled: objects it refers to may be gone. */
static bool is_outdated(const struct configuration *configuration)
{
	return configuration->stale || configuration->serial != configuration->management->serial;
}

/* One head */

/** Returns NULL after posting an error. */
static struct request *begin_set(struct wl_resource *resource, enum field field)
{
	struct request *request = wl_resource_get_user_data(resource);
	if (is_used(request->configuration)) {
		return NULL;
	}
	if (request->set & field) {
		wl_resource_post_error(resource,
			ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_ALREADY_SET,
			"this property is already set");
		return NULL;
	}
	request->set |= field;
	return request;
}

static void handle_set_mode(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *mode_resource)
{
	struct request *request = begin_set(resource, FIELD_MODE);
	if (!request) {
		return;
	}
	const struct output_head *head = output_head_from_mode(mode_resource, &request->mode);
	if (!head || !request->head) {
		request->configuration->stale = true;
	} else if (!is_outdated(request->configuration) && head != request->head) {
		wl_resource_post_error(resource,
			ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_MODE,
			"the mode belongs to another head");
	}
}

static void handle_set_custom_mode(struct wl_client *client, struct wl_resource *resource,
	int32_t width, int32_t height, int32_t refresh)
{
	struct request *request = begin_set(resource, FIELD_MODE);
	if (!request) {
		return;
	}
	if (width <= 0 || height <= 0 || refresh < 0) {
		wl_resource_post_error(resource,
			ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_CUSTOM_MODE,
			"invalid custom mode %dx%d at %d mHz", width, height, refresh);
		return;
	}
	request->mode = (struct output_mode){.width = width, .height = height, .refresh = refresh};
}

static void handle_set_position(
	struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y)
{
	struct request *request = begin_set(resource, FIELD_POSITION);
	if (request) {
		request->x = x;
		request->y = y;
	}
}

static void handle_set_transform(
	struct wl_client *client, struct wl_resource *resource, int32_t transform)
{
	struct request *request = begin_set(resource, FIELD_TRANSFORM);
	if (!request) {
		return;
	}
	if (transform < 0 || transform > WL_OUTPUT_TRANSFORM_FLIPPED_270) {
		wl_resource_post_error(resource,
			ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_TRANSFORM,
			"invalid transform %d", transform);
		return;
	}
	request->transform = (enum wl_output_transform)transform;
}

static void handle_set_scale(
	struct wl_client *client, struct wl_resource *resource, wl_fixed_t scale)
{
	struct request *request = begin_set(resource, FIELD_SCALE);
	if (!request) {
		return;
	}
	if (scale <= 0) {
		wl_resource_post_error(resource,
			ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_SCALE, "invalid scale %g",
			wl_fixed_to_double(scale));
		return;
	}
	request->scale = wl_fixed_to_double(scale);
}

static void handle_set_adaptive_sync(
	struct wl_client *client, struct wl_resource *resource, uint32_t state)
{
	struct request *request = begin_set(resource, FIELD_ADAPTIVE_SYNC);
	if (!request) {
		return;
	}
	if (state > ZWLR_OUTPUT_HEAD_V1_ADAPTIVE_SYNC_STATE_ENABLED) {
		wl_resource_post_error(resource,
			ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_ADAPTIVE_SYNC_STATE,
			"invalid adaptive sync state %u", state);
		return;
	}
	request->adaptive_sync = state == ZWLR_OUTPUT_HEAD_V1_ADAPTIVE_SYNC_STATE_ENABLED;
}

static const struct zwlr_output_configuration_head_v1_interface head_implementation = {
	.set_mode = handle_set_mode,
	.set_custom_mode = handle_set_custom_mode,
	.set_position = handle_set_position,
	.set_transform = handle_set_transform,
	.set_scale = handle_set_scale,
	.set_adaptive_sync = handle_set_adaptive_sync,
};

static void destroy_request(struct request *request)
{
	wl_list_remove(&request->link);
	free(request);
}

static void destroy_request_resource(struct wl_resource *resource)
{
	destroy_request(wl_resource_get_user_data(resource));
}

/* All heads */

static struct request *find_request(
	const struct configuration *configuration, const struct output_head *head)
{
	struct request *request;
	wl_list_for_each (request, &configuration->requests, link) {
		if (request->head == head) {
			return request;
		}
	}
	return NULL;
}

/** Returns NULL after posting an error. */
static struct request *add_request(
	struct configuration *configuration, struct wl_resource *head_resource)
{
	const struct output_head *head = output_head_from_resource(head_resource);
	if (is_used(configuration)) {
		return NULL;
	}
	if (!head) {
		configuration->stale = true;
	} else if (!is_outdated(configuration) && find_request(configuration, head)) {
		wl_resource_post_error(configuration->resource,
			ZWLR_OUTPUT_CONFIGURATION_V1_ERROR_ALREADY_CONFIGURED_HEAD,
			"head %s is already configured", head->output->output->name);
		return NULL;
	}
	struct request *request = xcalloc(1, sizeof(*request));
	request->configuration = configuration;
	request->head = head;
	wl_list_insert(configuration->requests.prev, &request->link);
	return request;
}

static void handle_enable_head(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *head_resource)
{
	struct wl_resource *created =
		wl_resource_create(client, &zwlr_output_configuration_head_v1_interface,
			wl_resource_get_version(resource), id);
	if (!created) {
		wl_resource_post_no_memory(resource);
		return;
	}
	struct request *request = add_request(wl_resource_get_user_data(resource), head_resource);
	if (request) {
		request->resource = created;
		wl_resource_set_implementation(
			created, &head_implementation, request, destroy_request_resource);
	}
}

static void handle_disable_head(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *head_resource)
{
	add_request(wl_resource_get_user_data(resource), head_resource);
}

/**
 * Returns the fields that the client repeats as it was told: programs that state all properties of
 * all heads, as wlr-randr 0.2 does, mean the changed ones. Those that state some properties, as
 * kanshi does, mean them all.
 */
static uint32_t find_repeated(const struct output_head *head, const struct request *request)
{
	const struct output_head_state *sent = &head->sent;
	if (!sent->enabled || ~request->set & FIELDS_OF_ALL_VERSIONS) {
		return 0;
	}
	const bool scale =
		wl_fixed_from_double(request->scale) == wl_fixed_from_double(sent->scale);
	return (output_mode_equal(&request->mode, &sent->mode) ? FIELD_MODE : 0) |
	       (request->x == sent->x && request->y == sent->y ? FIELD_POSITION : 0) |
	       (request->transform == sent->transform ? FIELD_TRANSFORM : 0) |
	       (scale ? FIELD_SCALE : 0) |
	       (request->adaptive_sync == sent->adaptive_sync ? FIELD_ADAPTIVE_SYNC : 0);
}

/**
 * Converts the request for a head to a change of the output. With `keep`, its present position
 * becomes the client's.
 */
static struct server_output_change translate(
	const struct output_head *head, const struct request *request, bool keep)
{
	struct server_output_change change = {.output = head->output};
	struct config_output *config = &change.config;
	const uint32_t set = request->set & ~find_repeated(head, request);
	head->output->server->impl->output_config(head->output, config);
	config->has_position = config->has_position || (keep && config->enabled);
	config->enabled = request->resource != NULL;
	if (set & FIELD_MODE) {
		config->has_mode = true;
		config->width = request->mode.width;
		config->height = request->mode.height;
		config->refresh = request->mode.refresh;
		config->timing = request->mode.timing;
		config->interlaced = request->mode.interlaced;
	}
	if (set & FIELD_POSITION) {
		config->has_position = true;
		config->x = request->x;
		config->y = request->y;
	}
	if (set & FIELD_TRANSFORM) {
		config->has_transform = true;
		config->transform = request->transform;
	}
	if (set & FIELD_SCALE) {
		config->has_scale = true;
		config->scale = request->scale;
	}
	if (set & FIELD_ADAPTIVE_SYNC) {
		config->adaptive_sync =
			request->adaptive_sync ? CONFIG_ADAPTIVE_SYNC_ON : CONFIG_ADAPTIVE_SYNC_OFF;
	}
	return change;
}

/** Returns false after posting an error. */
static bool is_complete(const struct configuration *configuration)
{
	const struct output_head *head;
	wl_list_for_each (head, &configuration->management->heads, link) {
		if (!find_request(configuration, head)) {
			wl_resource_post_error(configuration->resource,
				ZWLR_OUTPUT_CONFIGURATION_V1_ERROR_UNCONFIGURED_HEAD,
				"head %s is not configured: enable or disable every head",
				head->output->output->name);
			return false;
		}
	}
	return true;
}

/** Returns true if the client lays out the outputs: those without a request then stay in place. */
static bool sets_a_position(const struct configuration *configuration)
{
	const struct output_head *head;
	wl_list_for_each (head, &configuration->management->heads, link) {
		const struct request *request = find_request(configuration, head);
		if (request->set & ~find_repeated(head, request) & FIELD_POSITION) {
			return true;
		}
	}
	return false;
}

static void use(struct configuration *configuration,
	bool (*how)(const struct server_output_change *changes, size_t n))
{
	struct output_management *management = configuration->management;
	if (is_used(configuration)) {
		return;
	}
	configuration->used = true;
	management->update(management);
	if (is_outdated(configuration)) {
		zwlr_output_configuration_v1_send_cancelled(configuration->resource);
		return;
	}
	if (!is_complete(configuration)) {
		return;
	}
	const bool keep = sets_a_position(configuration);
	size_t n = 0;
	struct server_output_change *changes =
		xcalloc((size_t)wl_list_length(&management->heads) + 1, sizeof(*changes));
	const struct output_head *head;
	wl_list_for_each (head, &management->heads, link) {
		changes[n++] = translate(head, find_request(configuration, head), keep);
	}
	if (how(changes, n)) {
		zwlr_output_configuration_v1_send_succeeded(configuration->resource);
	} else {
		zwlr_output_configuration_v1_send_failed(configuration->resource);
	}
	free(changes);
}

static void handle_apply(struct wl_client *client, struct wl_resource *resource)
{
	struct configuration *configuration = wl_resource_get_user_data(resource);
	use(configuration, configuration->management->protocols->server->impl->outputs_apply);
}

static void handle_test(struct wl_client *client, struct wl_resource *resource)
{
	struct configuration *configuration = wl_resource_get_user_data(resource);
	use(configuration, configuration->management->protocols->server->impl->outputs_test);
}

static const struct zwlr_output_configuration_v1_interface implementation = {
	.enable_head = handle_enable_head,
	.disable_head = handle_disable_head,
	.apply = handle_apply,
	.test = handle_test,
	.destroy = resource_handle_destroy,
};

static void destroy_configuration(struct wl_resource *resource)
{
	struct configuration *configuration = wl_resource_get_user_data(resource);
	struct request *request, *next;
	wl_list_for_each_safe (request, next, &configuration->requests, link) {
		if (request->resource) {
			wl_resource_destroy(request->resource);
		} else {
			destroy_request(request);
		}
	}
	free(configuration);
}

void output_configuration_create(struct output_management *management, struct wl_client *client,
	uint32_t version, uint32_t id, uint32_t serial)
{
	struct wl_resource *resource = wl_resource_create(
		client, &zwlr_output_configuration_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	struct configuration *configuration = xcalloc(1, sizeof(*configuration));
	configuration->resource = resource;
	configuration->management = management;
	configuration->serial = serial;
	wl_list_init(&configuration->requests);
	wl_resource_set_implementation(
		resource, &implementation, configuration, destroy_configuration);
}
