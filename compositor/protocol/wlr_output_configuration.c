/* zwlr_output_configuration: how a client wants all outputs to be, tested or applied as a whole. */

#include "output_management.h"
#include "util/xalloc.h"
#include "wlr-output-management-unstable-v1-protocol.h"
#include <stdlib.h>

struct configuration {
	struct wl_resource *resource;
	struct output_management *management;
	uint32_t serial;
	bool used;
	bool stale; /* it names what is gone */
	struct wl_list wishes; /* wish.link */
};

enum field {
	FIELD_MODE = 1 << 0,
	FIELD_POSITION = 1 << 1,
	FIELD_TRANSFORM = 1 << 2,
	FIELD_SCALE = 1 << 3,
	FIELD_ADAPTIVE_SYNC = 1 << 4,
};

/** For one head. */
struct wish {
	struct configuration *configuration;
	struct wl_resource *resource; /* NULL: it shall be disabled */
	/** Only compared while the serial is the newest: heads may be gone otherwise. */
	const struct output_head *head; /* NULL: it was gone at the start */
	struct wl_list link; /* configuration.wishes */
	uint32_t set; /* enum field */
	struct output_mode mode;
	int32_t x, y;
	enum wl_output_transform transform;
	double scale;
	bool adaptive_sync;
};

/** Once it has been used, only its destructor is left. */
static bool is_used(struct configuration *configuration)
{
	if (configuration->used) {
		wl_resource_post_error(configuration->resource,
			ZWLR_OUTPUT_CONFIGURATION_V1_ERROR_ALREADY_USED,
			"the configuration was tested or applied already");
	}
	return configuration->used;
}

/** Nothing will come of it: what it names may be gone. */
static bool is_outdated(const struct configuration *configuration)
{
	return configuration->stale || configuration->serial != configuration->management->serial;
}

/* One head */

/** NULL: there was an error. */
static struct wish *begin_set(struct wl_resource *resource, enum field field)
{
	struct wish *wish = wl_resource_get_user_data(resource);
	if (is_used(wish->configuration)) {
		return NULL;
	}
	if (wish->set & field) {
		wl_resource_post_error(resource,
			ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_ALREADY_SET, "it was set before");
		return NULL;
	}
	wish->set |= field;
	return wish;
}

static void handle_set_mode(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *mode_resource)
{
	struct wish *wish = begin_set(resource, FIELD_MODE);
	if (!wish) {
		return;
	}
	const struct output_head *head = output_head_from_mode(mode_resource, &wish->mode);
	if (!head || !wish->head) {
		wish->configuration->stale = true;
	} else if (!is_outdated(wish->configuration) && head != wish->head) {
		wl_resource_post_error(resource,
			ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_MODE,
			"the mode is another head's");
	}
}

static void handle_set_custom_mode(struct wl_client *client, struct wl_resource *resource,
	int32_t width, int32_t height, int32_t refresh)
{
	struct wish *wish = begin_set(resource, FIELD_MODE);
	if (!wish) {
		return;
	}
	if (width <= 0 || height <= 0 || refresh < 0) {
		wl_resource_post_error(resource,
			ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_CUSTOM_MODE,
			"there is no mode of %dx%d at %d mHz", width, height, refresh);
		return;
	}
	wish->mode = (struct output_mode){.width = width, .height = height, .refresh = refresh};
}

static void handle_set_position(
	struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y)
{
	struct wish *wish = begin_set(resource, FIELD_POSITION);
	if (wish) {
		wish->x = x;
		wish->y = y;
	}
}

static void handle_set_transform(
	struct wl_client *client, struct wl_resource *resource, int32_t transform)
{
	struct wish *wish = begin_set(resource, FIELD_TRANSFORM);
	if (!wish) {
		return;
	}
	if (transform < 0 || transform > WL_OUTPUT_TRANSFORM_FLIPPED_270) {
		wl_resource_post_error(resource,
			ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_TRANSFORM,
			"%d is no transform", transform);
		return;
	}
	wish->transform = (enum wl_output_transform)transform;
}

static void handle_set_scale(
	struct wl_client *client, struct wl_resource *resource, wl_fixed_t scale)
{
	struct wish *wish = begin_set(resource, FIELD_SCALE);
	if (!wish) {
		return;
	}
	if (scale <= 0) {
		wl_resource_post_error(resource,
			ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_SCALE, "%g is no scale",
			wl_fixed_to_double(scale));
		return;
	}
	wish->scale = wl_fixed_to_double(scale);
}

static void handle_set_adaptive_sync(
	struct wl_client *client, struct wl_resource *resource, uint32_t state)
{
	struct wish *wish = begin_set(resource, FIELD_ADAPTIVE_SYNC);
	if (!wish) {
		return;
	}
	if (state > ZWLR_OUTPUT_HEAD_V1_ADAPTIVE_SYNC_STATE_ENABLED) {
		wl_resource_post_error(resource,
			ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_ADAPTIVE_SYNC_STATE,
			"%u is no state of adaptive sync", state);
		return;
	}
	wish->adaptive_sync = state == ZWLR_OUTPUT_HEAD_V1_ADAPTIVE_SYNC_STATE_ENABLED;
}

static const struct zwlr_output_configuration_head_v1_interface head_implementation = {
	.set_mode = handle_set_mode,
	.set_custom_mode = handle_set_custom_mode,
	.set_position = handle_set_position,
	.set_transform = handle_set_transform,
	.set_scale = handle_set_scale,
	.set_adaptive_sync = handle_set_adaptive_sync,
};

static void destroy_wish(struct wish *wish)
{
	wl_list_remove(&wish->link);
	free(wish);
}

static void destroy_wish_resource(struct wl_resource *resource)
{
	destroy_wish(wl_resource_get_user_data(resource));
}

/* All heads */

static struct wish *find_wish(
	const struct configuration *configuration, const struct output_head *head)
{
	struct wish *wish;
	wl_list_for_each (wish, &configuration->wishes, link) {
		if (wish->head == head) {
			return wish;
		}
	}
	return NULL;
}

/** NULL: there was an error. */
static struct wish *add_wish(struct configuration *configuration, struct wl_resource *head_resource)
{
	const struct output_head *head = output_head_from_resource(head_resource);
	if (is_used(configuration)) {
		return NULL;
	}
	if (!head) {
		configuration->stale = true;
	} else if (!is_outdated(configuration) && find_wish(configuration, head)) {
		wl_resource_post_error(configuration->resource,
			ZWLR_OUTPUT_CONFIGURATION_V1_ERROR_ALREADY_CONFIGURED_HEAD,
			"%s is in the configuration already", head->output->output->name);
		return NULL;
	}
	struct wish *wish = xcalloc(1, sizeof(*wish));
	wish->configuration = configuration;
	wish->head = head;
	wl_list_insert(configuration->wishes.prev, &wish->link);
	return wish;
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
	struct wish *wish = add_wish(wl_resource_get_user_data(resource), head_resource);
	if (wish) {
		wish->resource = created;
		wl_resource_set_implementation(
			created, &head_implementation, wish, destroy_wish_resource);
	}
}

static void handle_disable_head(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *head_resource)
{
	add_wish(wl_resource_get_user_data(resource), head_resource);
}

/** What the server shall make of the head. */
static struct server_output_change translate(
	const struct output_head *head, const struct wish *wish)
{
	struct server_output_change change = {.output = head->output};
	struct config_output *config = &change.config;
	server_output_config(head->output, config);
	config->enabled = wish->resource != NULL;
	if (wish->set & FIELD_MODE) {
		config->has_mode = true;
		config->width = wish->mode.width;
		config->height = wish->mode.height;
		config->refresh = wish->mode.refresh;
	}
	if (wish->set & FIELD_POSITION) {
		config->has_position = true;
		config->x = wish->x;
		config->y = wish->y;
	}
	if (wish->set & FIELD_TRANSFORM) {
		config->has_transform = true;
		config->transform = wish->transform;
	}
	if (wish->set & FIELD_SCALE) {
		config->has_scale = true;
		config->scale = wish->scale;
	}
	if (wish->set & FIELD_ADAPTIVE_SYNC) {
		config->adaptive_sync =
			wish->adaptive_sync ? CONFIG_ADAPTIVE_SYNC_ON : CONFIG_ADAPTIVE_SYNC_OFF;
	}
	return change;
}

/** False if there was an error. */
static bool is_complete(const struct configuration *configuration)
{
	const struct output_head *head;
	wl_list_for_each (head, &configuration->management->heads, link) {
		if (!find_wish(configuration, head)) {
			wl_resource_post_error(configuration->resource,
				ZWLR_OUTPUT_CONFIGURATION_V1_ERROR_UNCONFIGURED_HEAD,
				"%s is not in the configuration", head->output->output->name);
			return false;
		}
	}
	return true;
}

static void use(struct configuration *configuration,
	bool (*how)(const struct server_output_change *changes, size_t n))
{
	struct output_management *management = configuration->management;
	if (is_used(configuration)) {
		return;
	}
	configuration->used = true;
	output_management_update(management);
	if (is_outdated(configuration)) {
		zwlr_output_configuration_v1_send_cancelled(configuration->resource);
		return;
	}
	if (!is_complete(configuration)) {
		return;
	}
	size_t n = 0;
	struct server_output_change *changes =
		xcalloc((size_t)wl_list_length(&management->heads) + 1, sizeof(*changes));
	const struct output_head *head;
	wl_list_for_each (head, &management->heads, link) {
		changes[n++] = translate(head, find_wish(configuration, head));
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
	use(wl_resource_get_user_data(resource), server_outputs_apply);
}

static void handle_test(struct wl_client *client, struct wl_resource *resource)
{
	use(wl_resource_get_user_data(resource), server_outputs_test);
}

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static const struct zwlr_output_configuration_v1_interface implementation = {
	.enable_head = handle_enable_head,
	.disable_head = handle_disable_head,
	.apply = handle_apply,
	.test = handle_test,
	.destroy = handle_destroy,
};

static void destroy_configuration(struct wl_resource *resource)
{
	struct configuration *configuration = wl_resource_get_user_data(resource);
	struct wish *wish, *next;
	wl_list_for_each_safe (wish, next, &configuration->wishes, link) {
		if (wish->resource) {
			wl_resource_destroy(wish->resource);
		} else {
			destroy_wish(wish);
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
	wl_list_init(&configuration->wishes);
	wl_resource_set_implementation(
		resource, &implementation, configuration, destroy_configuration);
}
